"""Leagues: the table of a growing store, read once for all who watch; replays; leagues of a folder of agents."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time

import pytest
from web_client import web_client

from zermelo.arena import match, play_tournament
from zermelo.arena.live_table import LiveTable
from zermelo.arena.matches import standings
from zermelo.arena.running_games import LiveFile, live_path
from zermelo.arena.store import Store
from zermelo.web.agent_leagues import AgentLeagues, NewLeague
from zermelo.web.live_boards import LiveBoards, live_board
from zermelo.web.services import Services
from zermelo.web.settings import Settings

HOSTILE = "<img src=x onerror=alert(1)>"
PLAYERS = {"Ada": "random", HOSTILE: "random", "Kurt": "random"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores") / "autumn.db"
    play_tournament("tictactoe", PLAYERS, games=4, seed=3, store=path)
    return path


def grown(finished, path, count):
    """A store with the first games of a finished one, and a function that adds more."""
    with Store.open(finished) as whole:
        plan, games = whole.plan, list(whole.games())
    store = Store.create(path, plan)

    def add(until):
        for record in games[len(store) : until]:
            store.add(record)

    add(count)
    return store, add


@pytest.fixture
def web_settings(tmp_path, finished):
    return Settings(data_dir=tmp_path, stores={"autumn": finished})


def test_a_table_that_grows_is_the_table_of_its_store(finished, tmp_path):
    store, add = grown(finished, tmp_path / "live.db", 5)
    with store:
        table = LiveTable(store.path)
        assert (len(table.results), table.is_over, table.total_games, table.has_writer) == (5, False, 12, True)
        for count in (6, 12):
            assert table.standings() == standings(store.path)
            add(count)
            known = len(table.results)
            assert table.read() == count - known
        assert table.standings() == standings(finished)
        assert table.is_over
        assert table.read() == 0
    table.read()
    assert not table.has_writer


@pytest.mark.long
def test_an_sprt_that_stops_counts_the_same_games(tmp_path):
    path = tmp_path / "sprt.db"
    match("tictactoe", "one=random", "two=random", games=60, sprt="elo0=100,elo1=400", seed=1, store=path)
    store, add = grown(path, tmp_path / "live.db", 3)
    with store:
        table = LiveTable(store.path)
        for count in range(3, 61, 9):
            add(count)
            table.read()
            assert table.standings() == standings(store.path)
        assert table.sprt().state.verdict


def test_the_table_of_a_store_of_the_command_line(client, finished):
    (league,) = client.get("/api/leagues").json()["leagues"]
    assert (league["name"], league["played"], league["is_over"], league["is_running"]) == ("autumn", 12, True, False)
    data = client.get("/api/leagues/autumn").json()
    expected = standings(finished)
    assert [row["name"] for row in data["rows"]] == [row.name for row in expected.rows]
    assert [row["elo"] for row in data["rows"]] == [row.elo for row in expected.rows]
    assert len(data["cross"]) == 6
    assert [game["number"] for game in data["latest"]] == list(range(11, -1, -1))
    games = client.get("/api/leagues/autumn/games", params={"player": HOSTILE, "count": 3}).json()
    assert (len(games["games"]), games["total"]) == (3, 8)
    assert all(HOSTILE in game["players"] for game in games["games"])


def test_a_game_is_replayed(client, finished):
    with Store.open(finished) as store:
        record = store.game(4)
    replay = client.get("/api/leagues/autumn/games/4").json()
    assert (replay["plays"], len(replay["moves"])) == ("tictactoe", len(record.moves))
    moves = [move["text"] for move in replay["moves"]]
    position = client.post("/api/position", json={"game": "tictactoe", "moves": moves}).json()
    assert position["over"]
    assert {move["player"] for move in replay["moves"]} <= {-1, 0, 1}
    for number in (99, 2**70):
        missing = client.get(f"/api/leagues/autumn/games/{number}")
        assert (missing.status_code, missing.json()["field"]) == (404, "number")


def test_the_score_of_a_proven_win_names_the_winner(client, web_settings, tmp_path):
    path = tmp_path / "proven.db"
    match("tictactoe", "strong=lines:3", "weak=random", games=8, seed=2, store=path)
    web_settings.stores["proven"] = path
    replays = [client.get(f"/api/leagues/proven/games/{number}").json() for number in range(8)]
    moves = [move for replay in replays for move in replay["moves"]]
    winners = {move["proven"] for move in moves if move["score"] is not None and abs(move["score"]) > 1_000_000}
    assert winners == {"crosses win", "noughts win"}
    assert {move["proven"] for move in moves if move["score"] is None or abs(move["score"]) < 1_000_000} == {""}


@pytest.mark.long
def test_scores_of_a_replay_are_those_of_the_exported_game(client, web_settings, tmp_path):
    path = tmp_path / "chess.db"
    match("chess", "depth=positional:1", "weak=random", games=1, seed=2, store=path, max_plies=6)
    web_settings.stores["chess"] = path
    moves = [each for each in client.get("/api/leagues/chess/games/0").json()["moves"] if each["score"] is not None]
    assert moves
    assert [each["shown"] for each in moves] == [f"{each['score'] / 100:+.2f}".replace("-", "−") for each in moves]


def test_a_store_cannot_name_a_program(client, web_settings, finished, tmp_path):
    program = tmp_path / "evil.py"
    program.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with Store.open(finished) as whole:
        plan = whole.plan | {"game": f"{program}:Evil"}
    Store.create(tmp_path / "evil.db", plan).close()
    web_settings.stores["evil"] = tmp_path / "evil.db"
    assert client.get("/api/leagues/evil").json()["game"] == f"{program}:Evil"
    assert client.post("/api/position", json={"game": f"{program}:Evil"}).status_code == 400
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("path", ["/api/leagues/none", "/api/leagues/..%2f..%2fetc", "/api/leagues/none/games/1"])
def test_an_unknown_league_is_refused(client, path):
    assert client.get(path).status_code == 404


def test_a_damaged_store_is_a_line_on_the_page(client, web_settings, finished, tmp_path):
    path = tmp_path / "damaged.db"
    path.write_bytes(finished.read_bytes())
    web_settings.stores["damaged"] = path
    assert client.get("/api/leagues/damaged").json()["problem"] == ""
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE games SET points = 0.25 WHERE number = 3")
    connection.close()
    path.write_bytes(path.read_bytes()[:5000])
    assert "damaged" in client.get("/api/leagues/damaged").json()["problem"]
    assert client.get("/api/leagues/autumn").json()["problem"] == ""


def test_those_who_watch_see_each_change(client, web_settings, finished, tmp_path):
    store, add = grown(finished, tmp_path / "live.db", 4)
    web_settings.stores["live"] = store.path
    with (
        store,
        client.websocket_connect("/api/leagues/live/live") as one,
        client.websocket_connect("/api/leagues/live/live") as other,
    ):
        first = json.loads(one.receive_text())
        assert (first["played"], first["is_running"]) == (4, True)
        assert json.loads(other.receive_text()) == first
        add(12)
        second = json.loads(one.receive_text())
        assert (second["played"], second["is_over"]) == (12, True)
        assert json.loads(other.receive_text()) == second
        assert second["version"] > first["version"]


def report(number, moves, **changes):
    """A game in progress as the playing process writes it."""
    fields = {"number": number, "names": ["Ada", HOSTILE], "start": "", "moves": moves, "plies": len(moves)}
    return fields | {"left": [59.5, None], "used": [0.5, 1.25], "turn_started": round(time.time(), 3)} | changes


def next_games(socket):
    """The games of the next message that has games."""
    while True:
        message = json.loads(socket.receive_text())
        if message["kind"] == "games":
            return message["games"]


def test_those_who_watch_see_the_games_in_progress(client, web_settings, finished, tmp_path):
    store, add = grown(finished, tmp_path / "live.db", 4)
    web_settings.stores["live"] = store.path
    games = [report(4, [4]), report(5, [0, 1, 2])]
    with store:
        names = [store.checked_plan.entrants[0].name, HOSTILE]
        with (
            LiveFile(store.path, store.run, lambda: games),
            client.websocket_connect("/api/leagues/live/live") as one,
        ):
            first, second = next_games(one)
            assert (first["number"], first["players"]) == (4, names)
            assert (first["left"], first["used"]) == ([59.5, None], [0.5, 1.25])
            expected = client.post("/api/position", json={"game": "tictactoe", "moves": ["b2"]}).json()
            assert (first["board"]["picture"], first["board"]["last"]) == (expected["picture"], expected["last"])
            assert (first["board"]["turn"], second["board"]["turn"], second["plies"]) == ("min", "min", 3)
            with client.websocket_connect("/api/leagues/live/live") as other:
                assert next_games(other) == [first, second]  # one who comes later
            games[0] = report(4, [4, 0])
            assert [game["plies"] for game in next_games(one)] == [2, 3]
            add(6)  # games 4 and 5 are over
            assert next_games(one) == []


def test_the_games_of_a_killed_match_vanish(client, web_settings, finished, tmp_path):
    path = tmp_path / "live.db"
    code = """
import sys, time
from zermelo.arena.running_games import LiveFile
from zermelo.arena.store import Store
with Store.open(sys.argv[1], write=True) as store, LiveFile(store.path, store.run, lambda: [eval(sys.argv[2])]) as file:
    file.look()
    print("ready", flush=True)
    time.sleep(600)
"""
    grown(finished, path, 4)[0].close()
    web_settings.stores["live"] = path
    process = subprocess.Popen([sys.executable, "-c", code, str(path), repr(report(4, [4]))], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        with client.websocket_connect("/api/leagues/live/live") as socket:
            assert [game["number"] for game in next_games(socket)] == [4]
            process.kill()
            process.wait()
            assert live_path(path).exists()
            assert next_games(socket) == []
            assert client.get("/api/leagues/live").json()["is_running"] is False
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize(
    "change",
    [
        {"moves": [4, 4], "plies": 2},
        {"moves": [10**30], "plies": 1},
        {"moves": [0, 3, 1, 4, 2, 5], "plies": 6},  # the game was over
        {"moves": [0] * 3000, "plies": 3000},
        {"moves": "4"},
        {"start": "no position"},
        {"start": "." * 100_000},
        {"names": ["Ada", "not in the plan"]},
        {"names": ["Ada"]},
        {"number": -1},
        {"number": 3},  # it is in the store
        {"left": [1e300, None]},
        {"turn_started": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_wrong_game_in_progress_is_not_shown(web_settings, finished, tmp_path, change):
    with grown(finished, tmp_path / "live.db", 4)[0] as store:
        write_games(store, [report(4, [4]) | change])
        assert games_of(web_settings, store) == []


def write_games(store, games, **changes):
    live_path(store.path).write_text(json.dumps({"run": store.run, "games": games} | changes))


def games_of(settings, store):
    async def read():
        services = Services(settings)
        try:
            return await LiveBoards(services, store.path).read("tictactoe", LiveTable(store.path))
        finally:
            await services.close()

    return asyncio.run(read())


def test_a_file_of_another_form_is_not_shown(web_settings, finished, tmp_path):
    with grown(finished, tmp_path / "live.db", 4)[0] as store:
        path = live_path(store.path)
        write_games(store, [report(4, [4])])
        assert len(games_of(web_settings, store)) == 1
        write_games(store, [report(4, [4])], run="")
        assert games_of(web_settings, store) == []
        write_games(store, [report(4, [4])], run=store.run.replace(str(os.getpid()), "1"))
        assert games_of(web_settings, store) == []
        write_games(store, [report(number, [4]) for number in range(4, 12)])
        assert games_of(web_settings, store) == []
        for content in (b"", b"\xff\x00", b"[" * 60_000, b"NaN", b" " * 100_000, b'{"run": "", "games": [{}]}'):
            path.write_bytes(content)
            assert games_of(web_settings, store) == []
        write_games(store, [report(4, [4])])
        for seconds in (-60, 60):  # a process that was suspended, or a clock that was changed
            os.utime(path, times=(time.time() + seconds,) * 2)
            assert games_of(web_settings, store) == []
        path.unlink()
        if hasattr(os, "mkfifo"):
            os.mkfifo(path)
            assert games_of(web_settings, store) == []


def test_hidden_games_in_progress_have_no_board():
    assert live_board("kuhn", ("", 0), "", []) is None
    assert live_board("kuhn", ("", 0), "", [0, 1]) is None  # a process that writes them nevertheless
    assert live_board("tictactoe", ("", 0), "", [4]).ply == 1


def test_leagues_start_only_if_the_command_line_allows_it(client):
    refused = client.post("/api/leagues", json={"game": "tictactoe"})
    assert refused.status_code == 403
    assert "--allow-agents" in refused.json()["error"]
    assert client.post("/api/leagues/autumn/stop", json={}).status_code == 404


def test_leagues_of_the_page_require_the_sandbox(tmp_path, monkeypatch):
    """The option of the server is passed on, and the league that it starts refuses."""
    (tmp_path / "agents").mkdir()
    for name in ("ada", "ben"):
        (tmp_path / "agents" / f"{name}.py").write_text("def choose(state): return next(state.moves())\n")
    (tmp_path / "sitecustomize.py").write_text(
        "from zermelo.sandbox import restrictions\nrestrictions.restrictions_in_force = lambda: []\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    settings = Settings(data_dir=tmp_path / "data", agents=tmp_path / "agents", require_sandbox=True)
    with web_client(settings) as client:
        refused = client.post("/api/leagues", json={"game": "tictactoe"})
    assert refused.status_code == 409
    assert "--require-sandbox: not in force on this machine: " in refused.json()["error"]


def test_serve_passes_the_required_sandbox_on(tmp_path, zermelo, monkeypatch):
    served = []

    def serve(settings, opened, started):
        opened.close()
        served.append(settings)

    monkeypatch.setattr("zermelo.web.server.serve", serve)
    monkeypatch.setattr("zermelo.sandbox.restrictions.require_all", lambda: None)
    words = ("serve", "--port", "0", "--allow-agents", str(tmp_path))
    assert zermelo(*words).code == zermelo(*words, "--require-sandbox").code == 0
    assert [settings.require_sandbox for settings in served] == [False, True]
    alone = zermelo("serve", "--port", "0", "--require-sandbox")
    assert (alone.code, alone.err.count("\n")) == (2, 1)
    assert "--allow-agents" in alone.err


def test_of_two_leagues_started_at_once_one_is_refused(tmp_path):
    async def start_two():
        leagues = Services(Settings(data_dir=tmp_path, agents=tmp_path)).get(AgentLeagues)
        request = NewLeague(game="tictactoe")
        both = [leagues.start("tictactoe", "tictactoe", request) for _ in range(2)]
        try:
            return await asyncio.gather(*both, return_exceptions=True)
        finally:
            await leagues.close()

    errors = [str(error) for error in asyncio.run(start_two())]
    assert "a league is running; stop it first" in errors
    assert [each.name for each in (tmp_path / "leagues").iterdir()] == ["tictactoe-1"]


@pytest.mark.long
def test_a_league_of_agents_is_started_and_stopped(tmp_path):
    pytest.importorskip("uvicorn")
    folder = tmp_path / "agents"
    folder.mkdir()
    for name in ("ada", "ben"):
        (folder / f"{name}.py").write_text("def choose(state):\n    return next(iter(state.moves()))\n")
    settings = Settings(data_dir=tmp_path, agents=folder)
    with web_client(settings) as client:
        assert client.get("/api/leagues").json()["agents"] == ["ada", "ben"]
        for request, field in (({"game": "chess960"}, "game"), ({"game": "tictactoe", "games": 3}, "games")):
            refused = client.post("/api/leagues", json=request)
            assert (refused.status_code, refused.json()["field"]) == (400, field)
        started = client.post("/api/leagues", json={"game": "tictactoe", "games": 200})
        assert started.status_code == 200, started.text
        name = started.json()["name"]
        assert name == "tictactoe-1"
        assert client.post("/api/leagues", json={"game": "tictactoe"}).status_code == 409
        data = client.get(f"/api/leagues/{name}").json()
        assert ([row["name"] for row in data["rows"]], data["can_stop"]) == (["ada", "ben"], True)
        assert client.post(f"/api/leagues/{name}/stop", json={}).status_code == 204
        assert not client.get(f"/api/leagues/{name}").json()["can_stop"]
    with web_client(settings) as client:  # a server that starts later shows the games
        (league,) = client.get("/api/leagues").json()["leagues"]
        assert (league["name"], league["is_running"]) == (name, False)


def test_stores_and_agents_of_the_command_line(zermelo, finished, tmp_path):
    from zermelo.cli.serve import agents_folder, named_stores

    (tmp_path / "copy").mkdir()
    copy = tmp_path / "copy" / "autumn.db"
    copy.write_bytes(finished.read_bytes())
    assert named_stores([str(finished), str(copy)]) == {"autumn": finished, "autumn-2": copy}
    assert agents_folder(str(tmp_path)) == tmp_path
    for option, path, told in (
        ("--store", tmp_path / "none.db", "file not found"),
        ("--store", tmp_path, "is a directory, not a store"),
        ("--allow-agents", tmp_path / "none", "none"),
    ):
        done = zermelo("serve", option, str(path))
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert told in done.err
