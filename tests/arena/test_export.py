"""Export: games in other formats are read back as the same games."""

from __future__ import annotations

import csv
import gc
import io
import json
import sqlite3
import subprocess
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from keptgames import forge_game, made_up, plan_of, played_out
from pythonchess import python_with_chess

from zermelo.arena.export import TERMINATIONS, _duration, formats_for, record_of, score_text
from zermelo.arena.game_record import ADJUDICATED, AGREED, RESIGNED, GameRecord, MoveReport
from zermelo.arena.replay import check, replay
from zermelo.arena.store import Store
from zermelo.errors import FormatError, StoreError
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import Record
from zermelo.formats.registry import get_format
from zermelo.registry import load
from zermelo.sandbox.failure import Reason

# Game, format and number of plies.
FORMS = [
    ("chess", "pgn", 60),
    ("chess", "uci", 40),
    ("chess", "san", 40),
    ("chess", "json", 40),
    ("checkers", "pdn", 1000),
    ("checkers", "moves", 1000),
    ("othello", "ggf", 1000),
    ("go", "sgf", 40),
    ("othello", "moves", 1000),
    ("othello", "json", 1000),
    ("backgammon", "match", 1000),
    ("backgammon", "json", 200),
    ("tictactoe", "moves", 9),
    ("connect4", "json", 99),
]


def refuse(error: Exception) -> None:
    raise AssertionError(error)


def exported(game: str, form: str, games: Iterable[GameRecord], title: str = "Autumn") -> bytes:
    out = io.BytesIO()
    formats_for(load(game), title)[form].write(out, games, refuse)
    return out.getvalue()


def read(game: str, form: str, data: bytes) -> list[Record]:
    return list(get_format(load(game), form).read(read_lines(io.BytesIO(data)), refuse))


@pytest.mark.parametrize(("game", "form", "plies"), FORMS)
def test_exported_games_are_read_back_unchanged(game: str, form: str, plies: int) -> None:
    games = [played_out(game, number, plies) for number in range(3)]
    records = read(game, form, exported(game, form, games))
    assert [tuple(record.moves()) for record in records] == [played.moves for played in games]
    if form not in ("uci", "san", "moves", "match"):
        points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
        assert [points[record.result] for record in records] == [played.points for played in games]


@pytest.mark.parametrize(
    ("game", "form", "start"),
    [
        ("chess", "pgn", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
        ("chess", "pgn", "1r2k1rr/8/8/8/8/8/8/1R2K1RR b GBgb - 3 17"),
        ("checkers", "pdn", "W:WK6,25:B12,K30"),
        ("othello", "ggf", "f5d6c3"),
        ("go", "sgf", "9x9 handicap 2 komi 0.5"),
    ],
)
def test_other_start_positions(game: str, form: str, start: str) -> None:
    played = played_out(game, 4, 12, start)
    (record,) = read(game, form, exported(game, form, [played]))
    assert tuple(record.moves()) == played.moves
    assert record.start == load(game).parse(start)


def test_pgn_tags() -> None:
    played = played_out("chess", 3, 6)
    job = replace(played.job, names=('a "b" \\', "é"), controls=("clock=300/40+2", "clock=300/40+2"), round=6)
    text = exported("chess", "pgn", [replace(played, job=job, detail="60 plies\nof them")]).decode()
    assert text.splitlines()[:7] == [
        '[Event "Autumn"]',
        '[Site "Zermelo"]',
        '[Date "2023.11.14"]',
        '[Round "7"]',
        '[White "a \\"b\\" \\\\"]',
        '[Black "é"]',
        '[Result "1/2-1/2"]',
    ]
    (record,) = read("chess", "pgn", text.encode())
    expected = {
        "TimeControl": "40/300+2", "Termination": "adjudication", "Reason": "too many moves", "GameId": "3",
        "Seed": "3", "UTCTime": "22:13:23", "PlyCount": "6", "Detail": "60 plies of them",
        "BlackVersion": "Stockfish 15.1",
    }  # fmt: skip
    assert record.tags.items() >= expected.items()


READER = """
import chess.pgn, json, sys
message = []
with open(sys.argv[1], encoding="utf-8") as file:
    while game := chess.pgn.read_game(file):
        moves, evals, times = [], [], []
        for node in game.mainline():
            moves.append(node.move.uci())
            score = node.eval()
            evals.append(None if score is None else [score.white().score(), score.white().mate(), node.eval_depth()])
            times.append(node.emt())
        assert not game.errors, game.errors
        message.append([dict(game.headers), moves, evals, times])
print(json.dumps(message))
"""


@pytest.mark.nightly
def test_python_chess_reads_the_same_games(tmp_path: Path) -> None:
    python = python_with_chess()
    games = [played_out("chess", number, 120) for number in range(20)]
    mated = games[0].reports[3]._replace(score=29_997)
    job = replace(games[0].job, players=("uci:a", "uci:b"))
    games[0] = replace(games[0], job=job, reports=(*games[0].reports[:3], mated, *games[0].reports[4:]))
    (tmp_path / "games.pgn").write_bytes(exported("chess", "pgn", games))
    done = subprocess.run(
        [python, "-c", READER, str(tmp_path / "games.pgn")], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    message = json.loads(done.stdout)
    assert message[0][2][3] == [None, 3, 3]
    for played, (tags, moves, evals, times) in zip(games, message, strict=True):
        named = exported("chess", "uci", [played]).decode().split()
        assert moves == named
        assert tags["White"] == played.job.names[0]
        assert tags["Result"] == {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[played.points]
        assert tags["Termination"] == TERMINATIONS[played.termination]
        assert times == pytest.approx([report.seconds for report in played.reports], abs=0.0006)
        for report, read_as in zip(played.reports, evals, strict=True):
            assert report is mated or read_as == [report.score, None, 3]


def test_checkers_names_black_first() -> None:
    text = exported("checkers", "pdn", [played_out("checkers", 1)])
    assert b'[Black "one 1"]' in text
    assert b'[White "two 1"]' in text


@pytest.mark.parametrize(
    ("control", "message"),
    [("", "-"), ("depth=5", "-"), ("seconds=0.1", "1/0.1"), ("clock=60+0.6", "60+0.6"), ("clock=60", "60"),
     ("clock=300/40+2", "40/300+2"), ("what", "?")],
)  # fmt: skip
def test_time_controls(control: str, message: str) -> None:
    played = played_out("tictactoe", 1)
    played = replace(played, job=replace(played.job, controls=(control, control)))
    assert record_of(played, load("tictactoe"), "json").tags["TimeControl"] == message


@pytest.mark.parametrize(
    ("ending", "message"),
    [("rules", "normal"), (RESIGNED, "normal"), (ADJUDICATED, "adjudication"), (Reason.OUT_OF_TIME, "time forfeit"),
     (Reason.ILLEGAL, "rules infraction"), (Reason.CRASH, "abandoned"), (Reason.MEMORY, "abandoned")],
)  # fmt: skip
def test_termination_tags(ending: str, message: str) -> None:
    """A termination from a store is a str, not a `Reason`."""
    played = replace(played_out("chess", 1, 4), termination=str(ending), points=0.0)
    assert record_of(played, load("chess"), "pgn").tags["Termination"] == message


@pytest.mark.parametrize(
    ("game", "player", "score", "message"),
    [
        ("chess", "uci:stockfish", 35, "0.35"),
        ("chess", "uci:stockfish", -35, "-0.35"),
        ("chess", "uci:stockfish", 29_997, "#3"),
        ("chess", "uci:stockfish", -29_999, "#-1"),
        ("chess", "positional:3", -123, "-1.23"),
        ("chess", "engine:seconds=1", 1_000_997, "#2"),  # three plies on
        ("chess", "engine:seconds=1", -1_000_998, "#-1"),
        ("chess", "material:3", 2, "2.00"),
        ("othello", "diff:3", -12, "-12"),
        ("othello", "engine:depth=9", 1_014_000, "14"),
        ("tictactoe", "engine", -1_000_995, "-1"),
    ],
)
def test_scores(game: str, player: str, score: int, message: str) -> None:
    assert score_text(load(game).start(), MoveReport(0, score=score), player) == message


@pytest.mark.parametrize(
    ("seconds", "message"),
    [(0.0004, "0:00:00"), (0.25, "0:00:00.25"), (59.9996, "0:01:00"), (3725.5, "1:02:05.5"), (1e9, "277:46:40")],
)
def test_durations(seconds: float, message: str) -> None:
    assert _duration(seconds) == message


def test_comments_belong_to_the_player_who_moved() -> None:
    played = replace(
        played_out("chess", 1, 4, says=False),
        reports=(
            MoveReport(),
            MoveReport(1, 0.5, 10, 7, 35),
            MoveReport(0, 0.0, 0, 0, None),
            MoveReport(1, 2.0, 5, 0, -100),
        ),
    )
    played = replace(played, job=replace(played.job, players=("random", "uci:stockfish")))
    (record,) = read("chess", "pgn", exported("chess", "pgn", [played]))
    assert [step.comments for step in record.line.steps] == [
        [],
        ["[%eval 0.35,7] [%emt 0:00:00.5]"],
        [],
        ["[%eval -1.00] [%emt 0:00:02]"],
    ]


def test_ggf_has_the_termination() -> None:
    cut = played_out("othello", 1, 20)
    cases = {
        (RESIGNED, 1.0): "RE[+64.000:r]", (str(Reason.OUT_OF_TIME), 0.0): "RE[-64.000:t]",
        (AGREED, 0.5): "RE[+0.000:s]",
        (str(Reason.CRASH), 1.0): "RE[+64.000]", (ADJUDICATED, 0.0): "RE[-64.000]",
    }  # fmt: skip
    for (ending, points), message in cases.items():
        assert message in exported("othello", "ggf", [replace(cut, termination=ending, points=points)]).decode()
    odd = replace(cut, job=replace(cut.job, names=("a[1]", "b\n]"), controls=("clock=90+0.5",) * 2))
    assert "PB[a(1)]PW[b )]TI[01:30/0.5]" in exported("othello", "ggf", [odd]).decode()


def test_sgf_has_the_result() -> None:
    cut = played_out("go", 1, 20)
    cases = {
        (RESIGNED, 1.0): "RE[B+R]", (str(Reason.OUT_OF_TIME), 0.0): "RE[W+T]", (str(Reason.ILLEGAL), 1.0): "RE[B+F]",
        (ADJUDICATED, 0.0): "RE[W+]", (AGREED, 0.5): "RE[0]",
    }  # fmt: skip
    for (ending, points), message in cases.items():
        assert message in exported("go", "sgf", [replace(cut, termination=ending, points=points)]).decode()
    odd = replace(cut, job=replace(cut.job, names=("a[1]", "b\n]")))
    assert "EV[Autumn]PC[Zermelo]RO[1]DT[2023-11-14]PB[a[1\\]]PW[b \\]]" in exported("go", "sgf", [odd]).decode()


def test_match_text_has_the_result() -> None:
    whole, cut = played_out("backgammon", 1), played_out("backgammon", 2, 30)
    lost = replace(cut, points=0.0, termination=str(Reason.CRASH), forfeited_by=0)
    records = read("backgammon", "match", exported("backgammon", "match", [whole, lost, cut]))
    assert [record.result for record in records] == ["1-0" if whole.points else "0-1", "0-1", "*"]
    assert [record.tags.get("Points") for record in records] == [str(abs(whole.utility or 0)), "1", None]
    assert [(record.tags["X"], record.tags["O"]) for record in records] == [
        ("one 1", "two 1"), ("one 2", "two 0"), ("one 2", "two 0")
    ]  # fmt: skip


def test_csv_rows() -> None:
    games = [played_out("othello", number) for number in range(3)]
    games[1] = replace(games[1], detail='a "quoted"\nline', forfeited_by=1)
    rows = list(csv.DictReader(io.StringIO(exported("othello", "csv", games).decode(), newline="")))
    for row, played in zip(rows, games, strict=True):
        assert tuple(map(int, row["moves"].split())) == played.moves
        assert float(row["points"]) == played.points
        assert int(row["max_nodes"]) == played.result.nodes[0]
        assert float(row["min_seconds"]) == played.result.seconds[1]
    assert rows[1]["detail"] == 'a "quoted"\nline'
    assert [row["forfeited_by"] for row in rows] == ["", "1", ""]
    lines = exported("othello", "jsonl", games).splitlines()
    assert [GameRecord.from_json(line.decode()) for line in lines] == games


def test_parquet_rows() -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    games = [played_out("othello", number) for number in range(4)]
    games[2] = made_up(2, reports=(MoveReport(0, 0.1, 1 << 70, 3, -(1 << 80)),), moves=(5,), detail="\udcff")
    rows = parquet.read_table(io.BytesIO(exported("othello", "parquet", games))).to_pylist()
    assert [tuple(row["moves"]) for row in rows] == [played.moves for played in games]
    assert rows[0]["move_score"] == [report.score for report in games[0].reports]
    assert rows[2]["move_nodes"] == [None]
    assert [row["utility"] for row in rows] == [played.utility for played in games]
    assert [row["max_player"] for row in rows] == [played.job.names[0] for played in games]


def test_games_that_a_format_cannot_represent_are_skipped() -> None:
    lost: list[FormatError] = []
    out = io.BytesIO()
    wrong = played_out("backgammon", 1)
    games = [replace(wrong, points=1.0 - wrong.points), played_out("backgammon", 2)]
    formats_for(load("backgammon"))["match"].write(out, games, lost.append)
    assert len(read("backgammon", "match", out.getvalue())) == 1
    assert "game 1: " in str(lost[0])


@pytest.mark.long
def test_memory_does_not_grow_with_the_games() -> None:
    class Nothing(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            return len(data)

    def most(form: str, count: int) -> int:
        goal = formats_for(load("tictactoe"))[form]
        played = played_out("tictactoe", 1)
        tracemalloc.start()
        with io.BufferedWriter(Nothing()) as file:
            goal.write(file, (played for number in range(count) if number % 50 or gc.collect() >= 0), refuse)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    for form in ("moves", "csv", "jsonl"):
        assert most(form, 150) < 1.1 * most(form, 50) + 15_000, form


# ---- replayed games ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "plies"), [("othello", 1000), ("chess", 30), ("backgammon", 200), ("tictactoe", 9)])
def test_consistent_games_pass_the_check(game: str, plies: int) -> None:
    played = played_out(game, 5, plies)
    check(played, load(game))
    assert len(replay(played, load(game))) == len(played.moves) + 1


WRONG: dict[str, tuple[Callable[[GameRecord], GameRecord], str]] = {
    "a move": (lambda played: replace(played, moves=(0, *played.moves[1:])), "ply 1: move 0: illegal in"),
    "one more": (
        lambda played: replace(played, moves=(*played.moves, 64), reports=()),
        "the game is over",
    ),
    "one less": (
        lambda played: replace(played, moves=played.moves[:-1], reports=()),
        "lead to utility None, the record has",
    ),
    "points": (lambda played: replace(played, points=1 - played.points), "MAX must have"),
    "utility": (lambda played: replace(played, utility=(played.utility or 0) + 1), "lead to utility"),
    "termination": (
        lambda played: replace(played, termination="too many moves"),
        "termination is 'too many moves', which the moves contradict",
    ),
    "repetition": (
        lambda played: replace(played, termination="repetition"),
        "termination is 'repetition', which the moves contradict",
    ),
    "fault": (
        lambda played: replace(played, termination="crashed", forfeited_by=int(1 - played.points)),
        "MAX must have",
    ),
    "reports": (lambda played: replace(played, reports=played.reports[:-1]), "move reports"),
    "opening": (lambda played: replace(played, job=replace(played.job, opening=(1,))), "not begin with its opening"),
    "start": (
        lambda played: replace(played, job=replace(played.job, start="xx")),
        "invalid start position: Othello position",
    ),
}


def test_dice_that_do_not_match_the_seed_are_found() -> None:
    played = played_out("backgammon", 5, 200)
    check(played, load("backgammon"))
    with pytest.raises(StoreError, match="does not match the seed"):
        check(replace(played, job=replace(played.job, seed=6)), load("backgammon"))


@pytest.mark.parametrize("what", WRONG)
def test_inconsistent_games_are_found(what: str) -> None:
    change, message = WRONG[what]
    played = next(game for game in (played_out("othello", number) for number in range(9)) if game.points != 0.5)
    with pytest.raises(StoreError) as error:
        check(change(played), load("othello"))
    assert message in str(error.value)
    assert str(error.value).startswith(f"game {played.job.number}")


def test_a_game_replayed_from_its_job_is_identical(tmp_path: Path) -> None:
    """A small tournament without a clock; each of its jobs is played again."""
    referee = pytest.importorskip("zermelo.arena.referee")
    from zermelo.arena.plans.entrants import Entrant
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.plans.schedule import schedule_for

    for game, texts in (("tictactoe", ("random", "engine:depth=3", "random")), ("backgammon", ("random", "random"))):
        entrants = tuple(Entrant(f"{text} {place}", text) for place, text in enumerate(texts))
        plan = Plan(game, entrants, games=2, openings="plies=2" if game == "tictactoe" else "", seed=11, max_plies=60)
        with Store.create(tmp_path / f"{game}.db", plan.as_dict()) as store:
            for job in schedule_for(plan).jobs({}):
                assert store.add(referee.play(job))
            assert len(store) >= 2
        with Store.open(tmp_path / f"{game}.db") as store:
            lines = set()
            for record in store.games():
                check(record, load(game))
                again = referee.play(record.job)
                assert again.moves == record.moves
                assert [report._replace(seconds=0) for report in again.reports] == [
                    report._replace(seconds=0) for report in record.reports
                ]
                assert (again.points, again.termination, again.utility) == (
                    record.points,
                    record.termination,
                    record.utility,
                )
                lines.add(record.result.moves_hash)
            assert len(lines) > 1


# ---- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def zermelo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    from zermelo.cli import main

    monkeypatch.delenv("ZERMELO_TRACE", raising=False)

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return main(("games", "export", *words)), *capsys.readouterr()

    return run


@pytest.fixture
def store_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of five games of Othello in the working directory."""
    monkeypatch.chdir(tmp_path)
    with Store.create("games.db", plan_of("othello", title="Autumn")) as store:
        for number in range(5):
            store.add(played_out("othello", number))
    return tmp_path / "games.db"


def test_the_extension_chooses_the_format(zermelo: Callable[..., Any], store_path: Path) -> None:
    for name in ("a.ggf", "a.moves", "a.json", "a.csv", "a.jsonl"):
        assert zermelo("games.db", "-o", name, "--quiet") == (0, f"{name}: 5 games\n", "")
    assert len(Path("a.jsonl").read_text().splitlines()) == 5
    assert json.loads(Path("a.json").read_text().splitlines()[0])["tags"]["Event"] == "Autumn"
    code, out, err = zermelo("games.db", "--to", "moves", "--player", "one 1")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 2
    code, out, _ = zermelo("games.db", "--to", "csv", "-o", "b.txt", "--termination", "rules", "--check", "--json")
    assert code == 0
    assert json.loads(out) == {
        "store": "games.db", "game": "othello", "out": "b.txt", "to": "csv", "games": 5, "skipped": []
    }  # fmt: skip


def test_formats_are_listed(zermelo: Callable[..., Any], store_path: Path) -> None:
    code, out, _ = zermelo("games.db", "--formats", "--json")
    assert code == 0
    assert list(json.loads(out)) == ["ggf", "moves", "positions", "obf", "json", "csv", "jsonl", "parquet"]
    assert "parquet" in zermelo("games.db", "--formats")[1]


def test_damaged_games_are_skipped_and_reported(zermelo: Callable[..., Any], store_path: Path) -> None:
    forge_game(store_path, 2, moves="[0]", reports="[]", plies=1)  # consistent digests, wrong content
    connection = sqlite3.connect(store_path)
    with connection:
        connection.execute("UPDATE games SET points = 0.25 WHERE number = 1")  # damaged
    connection.close()
    code, out, err = zermelo("games.db", "-o", "a.moves", "--check")
    assert (code, out) == (2, "a.moves: 3 games, 2 skipped\n")
    assert err.splitlines() == [
        "zermelo: games.db: game 1 is damaged: its digest does not match",
        *(line for line in err.splitlines()[1:] if line.startswith("zermelo: games.db: game 2, ply 1: move 0: ")),
    ]
    code, out, _ = zermelo("games.db", "-o", "a.moves", "--check", "--json")
    assert code == 2
    assert len(json.loads(out)["skipped"]) == 2
    code, _, err = zermelo("games.db", "-o", "a.ggf")  # moves that cannot be played
    assert code == 2
    assert all(line.startswith("zermelo: ") for line in err.splitlines())


REFUSALS = {
    "nowhere.db --to csv": "file not found: nowhere.db",
    "games.db": "standard output needs a known format; choose one with --to: ggf, moves",
    "games.db -o a.pgn": "the extension of a.pgn is not that of a known format; choose one with --to: ggf, moves",
    "games.db --to pgn": "unknown format 'pgn' for othello; expected one of ggf, moves, positions, obf, json, csv",
    "games.db --to csv --json": "--json needs -o FILE",
    "games.db --to parquet": "parquet is a binary format and needs a file name",
    "games.db --to csv -o games.db": "cannot export to the store itself: games.db",
    "games.db --to csv -o .": "is a directory: expected a file name",
    "games.db --to csv -o no/where": "directory not found: no",
    "games.db --to csv --player x": "no games of player 'x'; its players are one 0, one 1, one 2, two 0, two 1",
    "games.db -o a.csv --termination x": "no games with termination 'x'; its terminations are rules",
    "empty.db -o a.csv": "empty.db: the store has no games yet",
}


@pytest.mark.parametrize("words", REFUSALS)
def test_bad_export_requests_have_clear_messages(zermelo: Callable[..., Any], store_path: Path, words: str) -> None:
    Store.create("empty.db", plan_of()).close()
    Path("a.csv").write_text("as it was")
    before = store_path.read_bytes()
    code, out, err = zermelo(*words.split())
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert REFUSALS[words] in err
    assert store_path.read_bytes() == before
    assert Path("a.csv").read_text() == "as it was"


def test_games_without_rules_are_exported_as_tables(zermelo: Callable[..., Any], store_path: Path) -> None:
    with Store.create("gone.db", plan_of("gone.py:Gone")) as store:
        store.add(made_up(0, job=replace(made_up(0).job, game="gone.py:Gone")))
    assert zermelo("gone.db", "--to", "csv")[0] == 0
    code, _, err = zermelo("gone.db", "--to", "moves")
    assert code == 2
    assert "unknown format 'moves' for gone.py:Gone; expected one of csv, jsonl, parquet" in err


def test_a_store_is_exported_while_it_is_written(zermelo: Callable[..., Any], store_path: Path) -> None:
    with Store.open(store_path, write=True) as store:
        store.add(played_out("othello", 9))
        assert zermelo("games.db", "-o", "a.csv", "--quiet")[1] == "a.csv: 6 games\n"
