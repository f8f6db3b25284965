"""`zermelo convert`: what is written, what is lost, and how both are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo import load
from zermelo.formats import ggf, wthor
from zermelo.formats.record import record_from_moves

Zermelo = Callable[..., Any]

GAMES = """\
[Event "one"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[Event "two"]

1. e4 e5 2. Ke3 *

[Event "three"]

1. d4 {quiet} d5 *
"""
LOST = "game 2, line 8: 'Ke3' is not a legal move here; similar: Ke2"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of games, one of them bad; it is the working folder."""
    (tmp_path / "games.pgn").write_text(GAMES)
    (tmp_path / "good.pgn").write_text(GAMES.replace("Ke3", "Ke2"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_to_standard_output(zermelo: Zermelo) -> None:
    done = zermelo("convert", "chess", "good.pgn", "--to", "uci")
    assert (done.code, done.err) == (0, "")
    assert done.out == "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7\ne2e4 e7e5 e1e2\nd2d4 d7d5\n"


def test_to_a_file_by_its_name(zermelo: Zermelo, folder: Path) -> None:
    done = zermelo("convert", "chess", "good.pgn", "-o", "out.fen")
    assert (done.code, done.out, done.err) == (0, "out.fen: 3 games\n", "")
    assert (folder / "out.fen").read_text().splitlines()[2] == (
        "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2"
    )


def test_a_bad_game_is_told_and_the_others_written(zermelo: Zermelo, folder: Path) -> None:
    done = zermelo("convert", "chess", "games.pgn", "-o", "out.san")
    assert done.code == 2
    assert done.err == f"zermelo: games.pgn: {LOST}\n"
    assert done.out == "out.san: 2 games, 1 lost\n"
    assert (folder / "out.san").read_text() == "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#\nd4 d5\n"


def test_json_tells_what_was_lost(zermelo: Zermelo) -> None:
    done = zermelo("convert", "chess", "games.pgn", "-o", "out.epd", "--json", "--quiet")
    assert (done.code, done.err) == (2, "")
    assert done.json == {
        "game": "chess", "in": "games.pgn", "from": "pgn", "out": "out.epd", "to": "epd", "games": 2,
        "lost": [{"game": 2, "line": 8, "move": "Ke3", "error": LOST.partition(": ")[2]}], "tags_left_out": [],
    }  # fmt: skip


def test_all_ways_round(zermelo: Zermelo, folder: Path) -> None:
    """From PGN through JSON and back nothing is lost; through lines of moves, the moves are not."""
    zermelo("convert", "chess", "good.pgn", "-o", "a.pgn")
    zermelo("convert", "chess", "a.pgn", "-o", "b.json")
    zermelo("convert", "chess", "b.json", "-o", "c.pgn")
    assert (folder / "a.pgn").read_text() == (folder / "c.pgn").read_text()
    zermelo("convert", "chess", "a.pgn", "-o", "d.uci")
    zermelo("convert", "chess", "d.uci", "-o", "e.san")
    done = zermelo("convert", "chess", "e.san", "--to", "uci")
    assert done.out == (folder / "d.uci").read_text()


def test_standard_input(zermelo: Zermelo) -> None:
    done = zermelo("convert", "checkers", "-", "--from", "moves", "--to", "fen", typed="11-15 22-18 15x22\n")
    assert done.out == "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22\n"


def test_formats_are_listed(zermelo: Zermelo) -> None:
    done = zermelo("convert", "checkers", "--formats")
    assert "pdn" in done.out
    listed = zermelo("convert", "othello", "--formats", "--json").json
    assert list(listed) == ["ggf", "moves", "positions", "obf", "wthor", "json"]


def test_more_losses_than_are_told(zermelo: Zermelo, folder: Path) -> None:
    (folder / "many.uci").write_text("e2e4\n" + "e2e5\n" * 50)
    done = zermelo("convert", "chess", "many.uci", "--to", "fen")
    assert done.code == 2
    assert len(done.err.splitlines()) == 21
    assert done.err.splitlines()[-1] == "zermelo: many.uci: 30 more games are lost"


BAD = [
    ("convert xyzzy games.pgn", "unknown game"),
    ("convert chess", "missing input file; use - for standard input"),
    ("convert chess nowhere.pgn --to fen", "nowhere.pgn: No such file"),
    ("convert chess . --from pgn --to fen", "is a directory, not a file"),
    ("convert chess games.pgn", "unknown extension of standard output; use --to with one of pgn, epd, fen"),
    ("convert chess - --to fen", "unknown extension of standard input; use --from with one of pgn"),
    ("convert chess games.pgn -o out.xyz", "unknown extension of out.xyz"),
    ("convert chess games.pgn --to pdn", "Chess has no format 'pdn'; expected one of pgn"),
    ("convert chess games.pgn --to fen --json", "--json needs -o FILE"),
    ("convert chess good.pgn -o nowhere/out.fen", "directory not found: nowhere"),
]


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_input(zermelo: Zermelo, line: str, told: str) -> None:
    done = zermelo(*line.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("zermelo: ")
    assert done.err.count("\n") == 1
    assert told in done.err


def test_a_file_that_is_no_game_at_all_is_given_up(zermelo: Zermelo, folder: Path) -> None:
    (folder / "out.fen").write_text("as it was")
    (folder / "noise.uci").write_text("what is this\n" * 5_000)
    done = zermelo("convert", "chess", "noise.uci", "-o", "out.fen", "--quiet")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "zermelo: noise.uci: none of the first 100 games can be read; is it uci? game 1, line 1: 'what' is not a legal "
        "move here; legal: Na3 Nc3 Nf3 Nh3 a3 a4 b3 b4 c3 c4 d3 d4 e3 e4 f3 f4 g3 g4 h3 h4\n"
    )
    assert (folder / "out.fen").read_text() == "as it was"
    assert sorted(path.name for path in folder.iterdir()) == ["games.pgn", "good.pgn", "noise.uci", "out.fen"]


def test_tags_that_the_format_does_not_have_are_noted(zermelo: Zermelo, folder: Path) -> None:
    """No game of a WTHOR file could once be written as GGF, because of the tag `Event`."""
    state, moves = load("othello").start(), []
    while not state.is_over():
        moves.append(state.legal_moves()[0])
        state = state.play(moves[-1])
    record = record_from_moves(load("othello").start(), moves)
    record.tags = {"Event": "Open", "Black": "Ann", "Date": "2024"}
    (folder / "games.wtb").write_bytes(wthor.write([record] * 2, wthor.Date(2024, 5, 1)).games)
    done = zermelo("convert", "othello", "games.wtb", "-o", "games.ggf")
    assert (done.code, done.out) == (0, "games.ggf: 2 games\n")
    names = "Event, BlackDiscs, TheoreticalDiscs, TheoreticalEmpties"
    assert done.err == f"note: games.wtb: ggf does not have these tags: {names}\n"
    assert "DT[2024]" in (folder / "games.ggf").read_text()
    again = zermelo("convert", "othello", "games.wtb", "-o", "games.ggf", "--json")
    assert again.json["tags_left_out"] == names.split(", ")
    assert zermelo("convert", "othello", "games.wtb", "-o", "games.ggf", "--quiet").err == ""


def test_where_no_game_can_be_written_the_format_is_named(zermelo: Zermelo, folder: Path) -> None:
    start = load("othello").parse("f5d6")
    game = ggf.write(record_from_moves(start, start.legal_moves()[:1]))
    for count, first in ((120, "first 100"), (9, "9")):
        (folder / "many.ggf").write_text(game * count)
        done = zermelo("convert", "othello", "many.ggf", "-o", "many.wtb")
        assert (done.code, done.out) == (2, "")
        assert f"none of the {first} games can be written as wthor: game 1: the game begins with" in done.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("e2e5\n", "bad.uci: game 1, line 1: 'e2e5' is"),
        ("e2e5\n" * 9, "bad.uci: none of the 9 games can be read: game 1,"),
    ],
)
def test_where_no_game_is_read_nothing_is_written(zermelo: Zermelo, folder: Path, text: str, told: str) -> None:
    (folder / "bad.uci").write_text(text)
    (folder / "out.fen").write_text("as it was")
    done = zermelo("convert", "chess", "bad.uci", "-o", "out.fen")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert told in done.err
    assert (folder / "out.fen").read_text() == "as it was"


@pytest.mark.parametrize("text", ["", "\n\n", "1234 5678 12\n", "{a comment}\n"])
def test_a_file_without_games_takes_no_files_place(zermelo: Zermelo, folder: Path, text: str) -> None:
    (folder / "dig.pgn").write_text(text)
    (folder / "out.pgn").write_text("as it was")
    done = zermelo("convert", "chess", "dig.pgn", "-o", "out.pgn")
    assert (done.code, done.out) == (2, "")
    assert done.err == "zermelo: dig.pgn: contains no game; is it pgn?\n"
    assert (folder / "out.pgn").read_text() == "as it was"


def test_a_game_that_the_other_format_cannot_tell_is_lost_alone(zermelo: Zermelo, folder: Path) -> None:
    from zermelo.games.backgammon import Backgammon

    elsewhere = Backgammon.parse("31")
    (folder / "a.moves").write_text(f"31\nfen {elsewhere}\n21\n42 9/9\n")
    done = zermelo("convert", "backgammon", "a.moves", "--from", "moves", "-o", "out.mat")
    assert (done.code, done.out) == (2, "out.mat: 2 games, 2 lost\n")
    assert done.err.startswith("zermelo: a.moves: game 2: match text has no start positions")
    assert "game 4, line 4: '9/9'" in done.err


def test_of_many_losses_only_the_number_is_kept(zermelo: Zermelo, folder: Path, monkeypatch: Any) -> None:
    from zermelo.cli import convert

    kept: list[int] = []
    tell = convert._tell
    monkeypatch.setattr(
        convert, "_tell", lambda source, lost, losses: (kept.append(len(lost)), tell(source, lost, losses))
    )
    (folder / "many.uci").write_text("e2e4\n" + "e2e5\n" * 500)
    done = zermelo("convert", "chess", "many.uci", "-o", "out.fen")
    assert done.out == "out.fen: 1 game, 500 lost\n"
    assert "480 more games are lost" in done.err
    assert kept == [20]
    done = zermelo("convert", "chess", "many.uci", "-o", "out.fen", "--json")
    assert len(done.json["lost"]) == 500


def test_an_error_in_reading_is_not_laid_to_the_file_written(
    zermelo: Zermelo, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zermelo.formats import registry
    from zermelo.formats.line_reader import TextLine

    def broken(file: Any) -> Any:
        yield TextLine(1, "e2e4")
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(registry, "read_lines", broken)
    (folder / "a.uci").write_text("e2e4\n")
    (folder / "out.fen").write_text("as it was")
    for out in ("out.fen", "-"):
        done = zermelo("convert", "chess", "a.uci", "-o", out, "--to", "fen")
        assert (done.code, done.err) == (2, "zermelo: a.uci: Input/output error\n")
    assert (folder / "out.fen").read_text() == "as it was"
    assert sorted(path.name for path in folder.iterdir()) == ["a.uci", "games.pgn", "good.pgn", "out.fen"]


def test_a_full_disk_is_laid_to_the_file_written(zermelo: Zermelo, folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device here is always full")
    (folder / "a.uci").write_text("e2e4\n" * 1_000)
    done = zermelo("convert", "chess", "a.uci", "-o", "/dev/full", "--to", "fen", "--quiet")
    assert (done.code, done.err) == (2, "zermelo: /dev/full: No space left on device\n")


def test_json_lines_are_json(zermelo: Zermelo) -> None:
    done = zermelo("convert", "chess", "good.pgn", "--to", "json")
    games = [json.loads(line) for line in done.out.splitlines()]
    assert games[2]["moves"] == [{"move": "d4", "comments": ["quiet"]}, "d5"]
    assert [game["result"] for game in games] == ["1-0", "*", "*"]


def test_a_file_is_not_written_over_itself(zermelo: Zermelo, folder: Path) -> None:
    (folder / "link.pgn").symlink_to(folder / "games.pgn")
    for output in ("games.pgn", "link.pgn"):
        done = zermelo("convert", "chess", "games.pgn", "-o", output)
        assert (done.code, done.out) == (2, "")
        assert f"input and output are the same file: {output}" in done.err
    assert (folder / "games.pgn").read_text() == GAMES


@pytest.fixture
def wthor_games(folder: Path, zermelo: Zermelo) -> bytes:
    """Two games of Othello as `games.wtb` with its files of names; returns the bytes of the games."""
    plays = ["f5 f6 e6 f4 g5", "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7"]
    texts = ["(;GM[Othello]DT[2024]PB[Ada]PW[Bob]RE[?]TY[8]" + _ggf(each) + ";)\n" for each in plays]
    (folder / "games.ggf").write_text("".join(texts))
    assert zermelo("convert", "othello", "games.ggf", "-o", "games.json").code == 0
    games = [json.loads(line) for line in (folder / "games.json").read_text().splitlines()]
    for game, discs in zip(games, ("40", "20"), strict=True):
        game["tags"] |= {"Event": "Paris", "BlackDiscs": discs}
    (folder / "games.json").write_text("".join(json.dumps(game) + "\n" for game in games))
    done = zermelo("convert", "othello", "games.json", "-o", "games.wtb")
    assert (done.code, done.out, done.err) == (0, "games.wtb: 2 games\n", "")
    return (folder / "games.wtb").read_bytes()


def _ggf(moves: str) -> str:
    return "".join(f"{'BW'[ply % 2]}[{move}]" for ply, move in enumerate(moves.split()))


def test_wthor_is_written_with_its_names_and_read_again(zermelo: Zermelo, folder: Path, wthor_games: bytes) -> None:
    assert len(wthor_games) == 16 + 2 * 68
    done = zermelo("convert", "othello", "games.wtb", "--to", "json")
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert (done.code, done.err) == (0, "")
    assert (first["result"], second["result"]) == ("1-0", "0-1")
    assert [first["tags"][tag] for tag in ("Event", "Black", "White", "BlackDiscs")] == ["Paris", "Ada", "Bob", "40"]
    for suffix in (".jou", ".trn"):  # names that serve all files of a folder, in capitals as they are published
        (folder / f"games{suffix}").rename(folder / f"WTHOR{suffix.upper()}")
    assert zermelo("convert", "othello", "games.wtb", "--to", "json").out == done.out
    (folder / "WTHOR.JOU").unlink()
    first = json.loads(zermelo("convert", "othello", "games.wtb", "--to", "json").out.splitlines()[0])
    assert (first["tags"]["Black"], first["tags"]["Event"]) == ("#1", "Paris")
    (folder / "WTHOR.TRN").write_bytes(b"?" * 20)
    done = zermelo("convert", "othello", "games.wtb", "--to", "moves")
    assert (done.code, done.out) == (2, "")
    assert done.err == "zermelo: games.wtb: WTHOR.TRN: the header has no date; expected a WTHOR file\n"


def test_a_damaged_wthor_file(zermelo: Zermelo, folder: Path, wthor_games: bytes) -> None:
    damaged = bytearray(wthor_games)
    damaged[16 + 68 + 8] = 11
    (folder / "games.wtb").write_bytes(damaged)
    done = zermelo("convert", "othello", "games.wtb", "--to", "moves")
    assert (done.code, done.out) == (2, "f5 f6 e6 f4 g5\n")
    assert done.err == "zermelo: games.wtb: game 2: move 1 is a1, which is not legal; legal: d3 c4 f5 e6\n"
    (folder / "games.wtb").write_bytes(wthor_games[:-1])
    wanted = "zermelo: games.wtb: 135 bytes for 2 games; expected 68 bytes each\n"
    commands = [
        "convert othello games.wtb -o x.json",
        "review othello games.wtb --games 2",
        "play othello --load games.wtb",
    ]
    for command in commands:
        done = zermelo(*command.split())
        assert (done.code, done.out, done.err) == (2, "", wanted), command
    assert not (folder / "x.json").exists()


def test_wthor_needs_a_file(zermelo: Zermelo, wthor_games: bytes) -> None:
    done = zermelo("convert", "othello", "games.wtb", "--to", "wthor")
    assert (done.code, done.err) == (2, "zermelo: convert: wthor is a binary format and needs a file name (-o FILE)\n")
    done = zermelo("review", "othello", "games.wtb", "-o", "x.wtb")
    assert (done.code, done.err) == (2, "zermelo: --output x.wtb: wthor has no annotations; write a .json file\n")
