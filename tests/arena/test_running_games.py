"""Games in progress: the file beside the store, which never affects a match."""

import json
import os
import threading
import time

import pytest

from zermelo.arena import play_tournament
from zermelo.arena.executors.executor import Task
from zermelo.arena.executors.local_executor import LocalExecutor
from zermelo.arena.game_record import GameJob
from zermelo.arena.referee import play
from zermelo.arena.running_games import MAX_BYTES, MAX_GAMES, PERIOD, LiveFile, live_path, report_of
from zermelo.arena.store import Store

AGENT = "import time\ndef choose(state):\n    time.sleep(0.3)\n    return next(iter(state.moves()))\n"


def slow(state, clock):
    time.sleep(0.25)
    return state.legal_moves()[0]


def of(path):
    """The games of a store without times; objects get a new number in each match."""
    with Store.open(path) as store:
        return [(game.job.names, game.job.seed, game.moves, game.points, game.termination) for game in store.games()]


class Watcher:
    """Reads the file of a store's running games as often as it can, in a thread."""

    def __init__(self, store):
        self.path, self.seen, self.stop = live_path(store), [], threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.stop.wait(0.02):
            try:
                found = json.loads(self.path.read_bytes())  # never a part of a file
            except FileNotFoundError:
                continue
            if not self.seen or self.seen[-1] != found:
                self.seen.append(found)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


@pytest.mark.long
def test_games_of_a_match_are_seen_while_they_run_and_do_not_change(tmp_path):
    players = {"slow": slow, "b": "random"}
    watched, alone, blocked = (tmp_path / name / "games.db" for name in ("watched", "alone", "blocked"))
    for path in (watched, alone, blocked):
        path.parent.mkdir()
    with Watcher(watched) as watcher:
        play_tournament("tictactoe", players, "match", games=2, seed=3, openings="start", store=watched)
    assert len(watcher.seen) >= 2
    games = of(watched)
    for found in watcher.seen:
        (report,) = found["games"]
        names, _, moves, *_ = games[report["number"]]
        assert report["names"] == list(names)
        assert report["moves"] == list(moves[: report["plies"]])
        assert abs(time.time() - report["turn_started"]) < 600
        assert report["left"] == [None, None]
    assert os.listdir(watched.parent) == ["games.db"]  # one file remains

    play_tournament("tictactoe", players, "match", games=2, seed=3, openings="start", store=alone)
    live_path(blocked).mkdir()  # the file cannot be written
    (live_path(blocked) / "full").touch()
    play_tournament("tictactoe", players, "match", games=2, seed=3, openings="start", store=blocked)
    assert of(alone) == of(watched) == of(blocked)


def test_a_game_is_reported_by_its_thread_and_only_after_a_while():
    job = GameJob(5, "tictactoe", ("random", "random"), ("a", "b"), opening=(4,), controls=("clock=60+1", ""))
    seen = []

    def look(state, move):
        seen.append(report_of(threading.get_ident()))
        if len(seen) == 3:
            time.sleep(PERIOD)

    record = play(job, on_move=look)
    assert seen[:3] == [None] * 3
    report = seen[3]
    assert (report["number"], report["plies"], report["moves"]) == (5, 3, list(record.moves[:3]))
    assert report["left"][0] > 60
    assert report["left"][1] is None
    assert report_of(threading.get_ident()) is None
    assert len(json.dumps(report)) < 400


def test_moves_of_hidden_games_are_not_reported():
    job = GameJob(0, "kuhn", ("random", "random"), ("a", "b"))
    seen = []

    def look(state, move):
        time.sleep(PERIOD)
        seen.append(report_of(threading.get_ident()))

    play(job, on_move=look)
    assert seen
    assert [report["moves"] for report in seen] == [[]] * len(seen)
    assert seen[-1]["plies"] > 0


@pytest.mark.long
def test_a_worker_reports_its_game(tmp_path):
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    job = GameJob(7, "tictactoe", (f"python:{agent}", f"python:{agent}"), ("a", "b"))
    seen = []
    with LocalExecutor(1) as executor:
        executor.submit([Task(7, "game", job.to_json())])
        while (result := executor.next_result(0.05)) is None:
            seen += executor.running_games()
        assert executor.running_games() == []
    moves = json.loads(result.data)["moves"]
    assert any(report["moves"] for report in seen)
    assert all(report["moves"] == moves[: len(report["moves"])] for report in seen)


def test_the_file_is_bounded_private_and_removed(tmp_path):
    store = tmp_path / "games.db"
    reports = [{"number": number, "start": "x" * 20_000} for number in (9, 5, 7, 3, 1, 2)]
    live_path(store).write_text("left by a process that was killed")
    with LiveFile(store, "run", lambda: reports) as file:
        assert not live_path(store).exists()
        file.look()
        content = live_path(store).read_bytes()
        assert len(content) <= MAX_BYTES
        assert [game["number"] for game in json.loads(content)["games"]] == [1, 2, 3]
        assert MAX_GAMES == 4
        if os.name == "posix":
            assert live_path(store).stat().st_mode & 0o777 == 0o600
        written = live_path(store).stat().st_mtime_ns
        file.look()
        assert live_path(store).stat().st_mtime_ns == written  # nothing has changed
        reports.clear()
        file.look()
        assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["none/games.db", "x" * 255])
def test_a_file_that_cannot_be_written_is_not(tmp_path, name):
    with LiveFile(tmp_path / name, "run", lambda: [{"number": 1}]) as file:
        file.look()
    assert os.listdir(tmp_path) == []
