"""WTHOR: files that were written and read again, published files, damaged files."""

from __future__ import annotations

import struct
from random import Random

import pytest
from published import published

from zermelo.errors import FormatError
from zermelo.formats import wthor
from zermelo.formats.record import Record, record_from_moves
from zermelo.formats.text_formats import result_of
from zermelo.games.othello import PASS, Othello

DATE = wthor.Date(2024, 5, 1)


def random_game(seed: int) -> Record:
    random, state, moves = Random(seed), Othello.start(), []
    while not state.is_over():
        moves.append(random.choice(state.legal_moves()))
        state = state.play(moves[-1])
    record = record_from_moves(Othello.start(), moves)
    record.result = result_of(state)
    record.tags = {"Event": f"Open {seed % 2}", "Date": "2023.04.05", "Black": "Zoé", "White": f"player {seed}"}
    return record


def game(names: str) -> Record:
    state, moves = Othello.start(), []
    for name in names.split():
        moves.append(state.parse_move(name))
        state = state.play(moves[-1])
    return record_from_moves(Othello.start(), moves)


@pytest.fixture(scope="module")
def games() -> list[Record]:
    """Games with a pass and without, won by either side."""
    found = [random_game(seed) for seed in range(8)]
    assert {game.result for game in found} >= {"1-0", "0-1"}
    assert {PASS in game.moves() for game in found} == {True, False}
    return found


def read(files: wthor.Files) -> tuple[list[Record], list[str]]:
    lost: list[FormatError] = []
    players, tournaments = (wthor.read_names(each) for each in (files.players, files.tournaments))
    return list(wthor.read(files.games, lost.append, players, tournaments)), [str(error) for error in lost]


def test_games_are_read_as_they_were_written(games: list[Record]) -> None:
    files = wthor.write(games, DATE)
    records, lost = read(files)
    assert not lost
    assert [each.moves() for each in records] == [each.moves() for each in games]
    assert [each.result for each in records] == [each.result for each in games]
    discs = 32 + games[1].end().utility() // 2
    assert records[1].tags == {
        "Event": "Open 1", "Date": "2023", "Black": "Zoé", "White": "player 1", "BlackDiscs": str(discs),
        "TheoreticalDiscs": str(discs), "TheoreticalEmpties": "24",
    }  # fmt: skip
    assert wthor.write(records, DATE) == files
    assert wthor.read_names(files.tournaments) == ["???", "Open 0", "Open 1"]
    assert [len(each) for each in files] == [16 + 8 * 68, 16 + 10 * 20, 16 + 3 * 26]
    (first, *_), _ = read(files._replace(players=wthor.write([], DATE).players))
    assert first.tags["White"] == "#2"


def test_the_bytes_of_a_game() -> None:
    """Layout and values as in a published file: f5 is 56, d6 is 64."""
    record = game("f5 d6")
    record.tags = {"BlackDiscs": "40", "TheoreticalDiscs": "38"}
    content = wthor.write([record], DATE, year=1999).games
    assert content[:16] == bytes([20, 24, 5, 1, 1, 0, 0, 0, 0, 0, 0xCF, 7, 8, 0, 24, 0])
    assert content[16:] == bytes([0, 0, 0, 0, 0, 0, 40, 38, 56, 64]) + bytes(58)


@pytest.mark.parametrize(
    ("at", "value", "told"),
    [
        (16 + 68 + 6, 65, "game 2: black has 65 discs; expected 0 to 64"),
        (16 + 68 + 8, 11, "game 2: move 1 is a1, which is not legal; legal: d3 c4 f5 e6"),
        (16 + 68 + 8, 99, "game 2: move 1 is 99; expected 10 * row + column, 11 to 88"),
        (16 + 68 + 8, 0, "game 2: move 1 is 0; expected 10 * row + column, 11 to 88"),
        (16 + 68 + 6, 0, "game 2: black has 0 discs, but the game ended with"),
    ],
)
def test_one_line_for_a_bad_game(at: int, value: int, told: str, games: list[Record]) -> None:
    files = wthor.write(games[:3], DATE)
    damaged = bytearray(files.games)
    damaged[at] = value
    records, (error,) = read(files._replace(games=bytes(damaged)))
    assert len(records) == 2
    assert told in error
    assert "\n" not in error


def test_a_move_after_the_end() -> None:
    """The shortest game: white has no disc after nine moves, and the empty squares count for black."""
    record = game("e6 f4 e3 f6 g5 d6 e7 f5 c5")
    content = bytearray(wthor.write([record], DATE).games)
    lost: list[FormatError] = []
    (again,) = wthor.read(bytes(content), lost.append)
    assert (again.tags["BlackDiscs"], again.result, again.moves()) == ("64", "1-0", record.moves())
    content[16 + 8 + 9] = 11
    assert not list(wthor.read(bytes(content), lost.append))
    assert [str(error) for error in lost] == ["game 1: move 10 is a1, but the game is over"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[:10], "the file has 10 bytes; a WTHOR file has a header of 16"),
        (lambda data: data[:-1], "203 bytes for 3 games; expected 68 bytes each"),
        (lambda data: data[:12] + b"\x0a" + data[13:], "the board has 10 x 10 squares; expected 8 x 8"),
        (lambda data: data[:13] + b"\x01" + data[14:], "the file has type 1; expected games, not solitaires"),
        (lambda data: b"PK" + data[2:], "the header has no date; expected a WTHOR file"),
    ],
)
def test_files_that_are_refused(change, told: str, games: list[Record]) -> None:
    with pytest.raises(FormatError, match=told):
        list(wthor.read(change(wthor.write(games[:3], DATE).games), pytest.fail))
    with pytest.raises(FormatError, match="expected 20 or 26 bytes each"):
        wthor.read_names(wthor.write(games[:3], DATE).games)


def test_what_cannot_be_written(games: list[Record]) -> None:
    def refused(told: str, record: Record) -> None:
        with pytest.raises(FormatError, match=f"game 2: .*{told}"):
            wthor.write([games[0], record], DATE)

    refused("the initial position only", Record(Othello.parse("f5")))
    refused("not over and has no tag BlackDiscs", Record(Othello.start()))
    refused("expected discs from 0 to 64", Record(Othello.start(), tags={"BlackDiscs": "65"}))
    refused("but black has 30 discs", Record(Othello.start(), tags={"BlackDiscs": "30"}, result="1-0"))
    refused("expected at most 19", Record(Othello.start(), tags={"BlackDiscs": "30", "Black": "x" * 20}))
    refused("ISO 8859-1", Record(Othello.start(), tags={"BlackDiscs": "30", "White": "\u0416"}))


def test_theoretical_scores_keep_their_depth(games: list[Record]) -> None:
    writer = wthor.Writer(DATE)
    records = [record_from_moves(Othello.start(), each.moves()) for each in games[:3]]
    for record, depth in zip(records, ("20", "20", "22"), strict=True):
        record.tags = {"TheoreticalDiscs": "33", "TheoreticalEmpties": depth}
    for record in records[:2]:
        writer.add(record)
    with pytest.raises(FormatError, match="tag TheoreticalEmpties 22; the games before have 20"):
        writer.add(records[2])
    found = list(wthor.read(writer.contents().games, pytest.fail))
    assert [each.tags["TheoreticalEmpties"] for each in found] == ["20", "20"]


@pytest.mark.long
def test_damaged_files_raise_nothing_else(games: list[Record]) -> None:
    """Two thousand files with changed, missing and added bytes."""
    files, random = wthor.write(games[:2], DATE), Random(1)
    seen = 0
    for _ in range(2000):
        which = random.randrange(3)
        data = bytearray(files[which])
        for _ in range(random.randint(1, 4)):
            place = random.randrange(len(data)) if data else 0
            data[place : place + random.choice((0, 1, 1, 5))] = random.randbytes(random.choice((0, 1, 1, 1, 5)))
        lost: list[FormatError] = []
        try:
            if which:
                assert all(isinstance(name, str) for name in wthor.read_names(bytes(data)))
            else:
                for record in wthor.read(bytes(data), lost.append):
                    assert wthor.write([record], DATE)
        except FormatError as error:
            lost.append(error)
        seen += bool(lost)
        assert all(str(error) and len(str(error).splitlines()) == 1 for error in lost)
    assert 1000 < seen < 2000


@pytest.mark.reference
@pytest.mark.long
@pytest.mark.parametrize(("name", "count"), [("WTH_2019.wtb", 1983), ("WTH_2024.wtb", 2891)])
def test_published_games(name: str, count: int) -> None:
    """Every 20th game is legal to its end, and is written with the same moves and scores."""
    data = published("othello", name).read_bytes()
    assert struct.unpack_from("<I", data, 4)[0] == count
    chosen = [data[first : first + 68] for first in range(16, len(data), 20 * 68)]
    data = data[:4] + struct.pack("<I", len(chosen)) + data[8:16] + b"".join(chosen)
    records = list(wthor.read(data, pytest.fail))
    assert len(records) == len(chosen)
    again = wthor.write(records, DATE).games
    assert [again[first + 6 : first + 68] for first in range(16, len(again), 68)] == [each[6:] for each in chosen]
