"""Polyglot books: published keys, entries, and invalid files."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
from pathlib import Path
from struct import pack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pythonchess import python_with_chess

from zermelo.errors import FileError, FormatError
from zermelo.formats import isaac64, polyglot
from zermelo.formats.polyglot import ENTRY, Book, build_book, zobrist_key
from zermelo.formats.record import Record, record_from_moves
from zermelo.games.chess import Chess
from zermelo.games.othello import Othello

pytestmark = pytest.mark.quick

START = 0x463B96181691FC9C


def played(line: str, start: str = "") -> tuple[Chess, list[int]]:
    """The state after a line of moves, and the moves."""
    state, moves = Chess.parse(start), []
    for text in line.split():
        moves.append(state.parse_move(text))
        state = state.play(moves[-1])
    return state, moves


def game(line: str, start: str = "") -> Record:
    return record_from_moves(Chess.parse(start), played(line, start)[1])


# ---- keys ---------------------------------------------------------------------------------------------------------


def test_random_numbers_of_the_format() -> None:
    """The first two and the last number as published, and a digest of all."""
    numbers = isaac64.numbers(781)
    assert (numbers[0], numbers[1], numbers[780]) == (0x9D39247E33776D41, 0x2AF7398005AAA5C7, 0xF8D626AAAF278509)
    digest = hashlib.sha256(b"".join(number.to_bytes(8, "big") for number in numbers)).hexdigest()
    assert digest == "9aee840377ba74c9a7fe8e254958ad312aa15766257d18823f866b070cbcc9e8"


@pytest.mark.parametrize(
    ("line", "published"),
    [
        ("", START),
        ("e4", 0x823C9B50FD114196),
        ("e4 d5", 0x0756B94461C50FB0),
        ("e4 d5 e5", 0x662FAFB965DB29D4),
        ("e4 d5 e5 f5", 0x22A48B5A8E47FF78),
        ("e4 d5 e5 f5 Ke2", 0x652A607CA3F242C1),
        ("e4 d5 e5 f5 Ke2 Kf7", 0x00FDD303C946BDD9),
        ("a4 b5 h4 b4 c4", 0x3C8123EA7B067637),
        ("a4 b5 h4 b4 c4 bxc3 Ra3", 0x5C3F9B829B279560),
    ],
)
def test_published_keys(line: str, published: int) -> None:
    """Source: hgm.nubati.net/book_format.html, the test positions at its end."""
    state, moves = played(line)
    assert zobrist_key(state) == published
    assert zobrist_key(state, moves[-1] if moves else None) == published
    assert zobrist_key(Chess.parse(str(state))) == published


def test_en_passant_key_with_a_pinned_pawn() -> None:
    """The format asks whether a pawn is adjacent; the rules whether it may capture."""
    start = "7k/8/8/8/3p4/8/2P5/4K3 w - - 0 1"  # the black pawn is not pinned: it can take
    state, (last,) = played("c4", start)
    assert state.en_passant
    assert zobrist_key(state) == zobrist_key(state, last)
    start = "8/8/8/8/k2p3R/8/2P5/4K3 w - - 0 1"  # taking would open the rank: two pawns leave it at once
    state, (last,) = played("c4", start)
    assert not state.en_passant
    assert zobrist_key(state) ^ zobrist_key(state, last) == isaac64.numbers(781)[772 + 2]
    quiet, (step,) = played("c3", start)
    assert zobrist_key(quiet) == zobrist_key(quiet, step)
    rook, (far,) = played("Ra4", "7k/8/8/8/1p6/8/R7/4K3 w - - 0 1")  # as long a step, but no pawn's
    assert zobrist_key(rook) == zobrist_key(rook, far)


def test_castling_rights_in_the_key() -> None:
    numbers = isaac64.numbers(781)
    none = zobrist_key(Chess.parse("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1"))
    for place, right in enumerate("KQkq"):
        assert zobrist_key(Chess.parse(f"r3k2r/8/8/8/8/8/8/R3K2R w {right} - 0 1")) == none ^ numbers[768 + place]


# ---- books --------------------------------------------------------------------------------------------------------


def written(folder: Path, *entries: bytes) -> Path:
    (folder / "a.bin").write_bytes(b"".join(entries))
    return folder / "a.bin"


def test_entry_written_by_hand(tmp_path: Path) -> None:
    """Bits 0 to 5 are the target, 6 to 11 the origin."""
    e4 = bytes.fromhex("463b96181691fc9c 031c 0009 00000000")
    nf3 = bytes.fromhex("463b96181691fc9c 0195 0000 00000000")
    e5 = bytes.fromhex("463b96181691fc9c 0324 0007 00000000")  # not legal: of another position, by chance
    with Book(written(tmp_path, e4, nf3, e5)) as book:
        state = Chess.start()
        assert book.moves(state) == [(state.parse_move("e4"), 9), (state.parse_move("Nf3"), 0)]
        assert len(book) == 3
        assert book.moves(state.play(state.parse_move("e4"))) == []


@pytest.mark.parametrize(
    ("start", "move", "number"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", 4 << 6 | 7),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O-O", 4 << 6 | 0),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "O-O", 60 << 6 | 63),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "O-O-O", 60 << 6 | 56),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=Q+", 4 << 12 | 48 << 6 | 56),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=N", 1 << 12 | 48 << 6 | 56),
    ],
)
def test_castling_and_promotion(tmp_path: Path, start: str, move: str, number: int) -> None:
    state = Chess.parse(start)
    with Book(written(tmp_path, pack(">QHHI", zobrist_key(state), number, 1, 0))) as book:
        assert book.moves(state) == [(state.parse_move(move), 1)]
    assert build_book([game(move, start)]) == pack(">QHHI", zobrist_key(state), number, 1, 0)


def test_weights_are_the_numbers_of_games(tmp_path: Path) -> None:
    games = [game("e4 e5 Nf3"), game("e4 c5"), game("d4 d5"), game("e4 e5 Bc4")]
    with Book(written(tmp_path, build_book(games))) as book:
        found = {}
        for line in ("", "e4", "e4 e5", "e4 c5", "d4"):
            state, _ = played(line)
            found[line] = [(state.move_name(move), weight) for move, weight in book.moves(state)]
    assert found == {
        "": [("e4", 3), ("d4", 1)],
        "e4": [("e5", 2), ("c5", 1)],
        "e4 e5": [("Nf3", 1), ("Bc4", 1)],
        "e4 c5": [],
        "d4": [("d5", 1)],
    }
    assert len(build_book(games, plies=1)) == 2 * ENTRY.size
    with pytest.raises(FormatError, match="a game of Othello; Polyglot books are for chess"):
        build_book([Record(Othello.start())])


def test_large_weights_are_scaled_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyglot, "MAX_WEIGHT", 10)
    games = [game("e4")] * 20 + [game("d4")] * 11 + [game("c4")]
    with Book(written(tmp_path, build_book(games))) as book:
        assert [weight for _, weight in book.moves(Chess.start())] == [10, 5, 1]


def walked(seed: int, count: int, plies: int = 60) -> list[Record]:
    """Random games."""
    dice = random.Random(seed)
    games = []
    for _ in range(count):
        state, moves = Chess.start(), []
        while len(moves) < plies and not state.is_over():
            moves.append(dice.choice(state.legal_moves()))
            state = state.play(moves[-1])
        games.append(record_from_moves(Chess.start(), moves))
    return games


@pytest.mark.slow
def test_binary_search_finds_every_position(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more entries than are checked on opening, compared with a dictionary."""
    monkeypatch.setattr(polyglot, "CHECKED_ENTRIES", 64)
    games = walked(1, 20, 40)
    path = written(tmp_path, build_book(games))
    counted: dict[int, dict[int, int]] = {}
    states = {}
    for each in games:
        state, last = Chess.start(), None
        for move in each.moves():
            name = zobrist_key(state, last)
            states[name] = (state, last)
            counted.setdefault(name, {}).setdefault(move, 0)
            counted[name][move] += 1
            state, last = state.play(move), move
    with Book(path) as book:
        assert len(book) > 500
        for name, (state, last) in states.items():
            assert dict(book.moves(state, last)) == counted[name]
        assert book.moves(Chess.parse("8/8/8/3k4/8/3K4/3P4/8 w - - 0 1")) == []


# ---- what is no book ----------------------------------------------------------------------------------------------


ONE, TWO, THREE = (pack(">QHHI", number, 0, 1, 0) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"a\.bin: 0 bytes; expected a positive multiple of 16"),
        (ONE[:-1], "15 bytes"),
        (ONE + b"\n", "17 bytes"),
        (ONE + THREE + TWO, "entry 3 is out of order; a Polyglot book is sorted by key"),
        (b"white to move...black to move...", "is out of order; a Polyglot book is sorted by key"),
        ((TWO + ONE) * 50_000, "is out of order; a Polyglot book is sorted by key"),
    ],
)
def test_error_message_for_invalid_book(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught, Book(written(tmp_path, content)) as book:
        book.moves(Chess.start())
    assert "\n" not in str(caught.value)


def test_error_message_for_invalid_path(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        ("none.bin", "No such file"),
        ("", "is a directory, not a file"),
        ("pipe", "not a regular file"),
        ("\0", ""),
    ):
        with pytest.raises(FileError, match=rf"^book .*{message}"):
            Book(tmp_path / path)


def test_error_for_too_many_entries_of_one_position(tmp_path: Path) -> None:
    path = written(tmp_path, pack(">QHHI", START, 796, 1, 0) * 1_025)
    with Book(path) as book, pytest.raises(FormatError, match="more than 1,024 entries from entry 1 on"):
        book.moves(Chess.start())


def test_error_for_truncated_book(tmp_path: Path) -> None:
    path = written(tmp_path, ONE, TWO, THREE)
    with Book(path) as book:
        path.write_bytes(ONE)
        with pytest.raises(FormatError, match="entry 2 cannot be read; the file has become shorter"):
            book.moves(Chess.start())


@pytest.mark.slow
@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    content=st.binary(max_size=96)
    | st.lists(st.tuples(st.sampled_from([0, 1, START, 2**64 - 1]), st.integers(0, 65_535)), max_size=8).map(
        lambda rows: b"".join(pack(">QHHI", position, move, move, 0) for position, move in rows)
    )
)
def test_random_content_parses_or_raises(tmp_path: Path, content: bytes) -> None:
    state = Chess.start()
    message = "a.bin"
    try:
        with Book(written(tmp_path, content)) as book:
            assert all(move in state.legal_moves() for move, _ in book.moves(state))
    except FormatError as error:
        message = str(error)
    assert "a.bin" in message
    assert "\n" not in message


# ---- another program ----------------------------------------------------------------------------------------------


# Run by a Python that has python-chess, which is never imported here.
PYTHON_CHESS = """
import json, sys
import chess, chess.polyglot
book = chess.polyglot.open_reader(sys.argv[1])
for line in sys.stdin:
    board = chess.Board()
    for move in line.split():
        board.push_uci(move)
    entries = sorted([entry.move.uci(), entry.weight] for entry in book.find_all(board))
    print(json.dumps([chess.polyglot.zobrist_hash(board), entries]))
"""


@pytest.mark.nightly
def test_python_chess_agrees(tmp_path: Path) -> None:
    python = python_with_chess()
    from zermelo.formats.pgn import write_uci

    games = walked(2, 60)
    path = written(tmp_path, build_book(games))
    lines, expected = [], []
    with Book(path) as book:
        for each in games:
            state, last = Chess.start(), None
            words = write_uci(each).split()
            words = words[len(words) - len(each.moves()) :]
            for number, move in enumerate(each.moves()):
                lines.append(" ".join(words[:number]))
                names = sorted(
                    [write_uci(record_from_moves(state, [other])).split()[-1], weight]
                    for other, weight in book.moves(state, last)
                )
                expected.append([zobrist_key(state, last), names])
                state, last = state.play(move), move
    message = subprocess.run(
        [python, "-c", PYTHON_CHESS, str(path)], input="\n".join(lines) + "\n", capture_output=True, text=True,
        check=True, timeout=600,
    ).stdout  # fmt: skip
    assert [json.loads(line) for line in message.splitlines()] == expected
