"""Opening books: building, files, damaged files, lookups through symmetry, learning, players."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from zermelo import load
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Player, Turn
from zermelo.arena.players.specs import EnginePlayer, player_for
from zermelo.core.array_file import digest
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FileError, FormatError, LimitError
from zermelo.games.connect4 import ConnectFour
from zermelo.games.tictactoe import TicTacToe
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits
from zermelo.search.request import SearchRequest
from zermelo.solve.books.book import Book, Entry, entry_of, representative
from zermelo.solve.books.book_file import book_bytes, load_book, parse_book, save_book
from zermelo.solve.books.building import Builder
from zermelo.solve.books.contents import problems, rows
from zermelo.solve.books.scoring import parse_limits

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("1M", compiled=False) as made:
        yield made


def built(engine: Engine, plies: int, depth: int | None = None) -> Book:
    """A book of tic-tac-toe, exact or by searches to a depth."""
    book = Book(TicTacToe, TicTacToe(), plies)
    builder = builder_of(book, engine, depth)
    list(builder.score(builder.missing()))
    builder.back_up()
    return book


def builder_of(book: Book, engine: Engine, depth: int | None = None) -> Builder:
    limits = Limits(depth, exact=depth is None)
    return Builder(book, lambda state: entry_of([*engine.analysis(state, limits)][-1], book.scale))


@pytest.fixture(scope="module")
def exact(engine: Engine) -> Book:
    return built(engine, 3)


def solved(state: State) -> int:
    if state.is_over():
        return state.utility()
    return state.to_move() * max(state.to_move() * solved(state.play(move)) for move in state.legal_moves())


# ---- building ------------------------------------------------------------------------------------------------------


def test_a_book_has_each_position_once(exact: Book) -> None:
    """1, 3, 12 and 38 positions, up to symmetry (OEIS A008907)."""
    counts = [sum(row["ply"] == ply for row in rows(exact)) for ply in range(4)]
    assert counts == [1, 3, 12, 38]
    assert len(exact.entries) == 54
    assert all(entry.proven for entry in exact.entries.values())
    assert list(problems(exact)) == []


def test_values_are_those_of_the_game(exact: Book) -> None:
    random = Random(1)
    for _ in range(3):
        state: State = TicTacToe()
        for _ in range(2):
            state = state.play(random.choice(state.legal_moves()))
        known = exact.analysis(state, 9)
        assert known is not None
        assert known.score.value == solved(state)
        assert {line.move: line.score.value for line in known.lines} == {
            move: solved(state.play(move)) for move in state.legal_moves()
        }
        for line in known.lines:
            state.after(" ".join(line.names))  # legal


def test_moves_of_leaves_are_mapped_through_symmetry(exact: Book) -> None:
    state = TicTacToe.parse("X--/-O-/--X")
    images = [state, *state.symmetries()]
    moves = [exact.best_move(each) for each in images]
    assert all(move is not None for move in moves)
    after = {representative(each.play(move))[0] for each, move in zip(images, moves, strict=True) if move is not None}
    assert len(after) == 1
    assert exact.analysis(state, 1) is not None
    assert exact.analysis(state, 2) is None  # of a leaf, only the best move is known


def test_a_build_that_was_interrupted_continues(engine: Engine, exact: Book) -> None:
    book = Book(TicTacToe, TicTacToe(), 3)
    builder = builder_of(book, engine)
    for count, _ in enumerate(builder.score(builder.missing()), 1):
        if count == 20:
            break
    builder.back_up()
    assert list(problems(book)) == []
    again = builder_of(parse_book(book_bytes(book), TicTacToe, "x")[0], engine)
    assert len(again.missing()) == 38 - 20
    list(again.score(again.missing()))
    again.back_up()
    assert book_bytes(again.book) == book_bytes(exact)


def test_a_deeper_build_continues_a_book(engine: Engine, exact: Book) -> None:
    book = built(engine, 2)
    book.plies = 3
    builder = builder_of(book, engine)
    list(builder.score(builder.missing()))
    builder.back_up()
    # A leaf of the first book got a move of its search, now the first of the best ones.
    assert {key: entry.score for key, entry in book.entries.items()} == {
        key: entry.score for key, entry in exact.entries.items()
    }


def test_drop_out_expansion_follows_good_moves_first() -> None:
    """Of the three first moves the centre is best by far; so its successors are expanded before the others'."""

    def score(state: State) -> Entry:
        return Entry(1_000 if "-X-" in str(state).split("/")[1] else 0, state.legal_moves()[0], 1, False)

    book = Book(TicTacToe, TicTacToe(), 1, "depth=1")
    builder = Builder(book, score)
    list(builder.score(builder.missing()))
    builder.back_up()
    leaf = builder.best_leaf()
    assert leaf is not None
    assert str(leaf.state).split("/")[1] == "-X-"
    before = len(book.entries)
    list(builder.expand(leaf))
    builder.back_up()
    assert len(book.entries) == before + 2
    assert list(problems(book)) == []


def test_an_interrupted_expansion_leaves_no_contradictions(engine: Engine) -> None:
    book = built(engine, 1)
    builder = builder_of(book, engine)
    leaf = builder.best_leaf()
    assert leaf is not None
    next(builder.expand(leaf))  # one of its successors
    builder.back_up()
    assert list(problems(book)) == []
    assert [row["ply"] for row in rows(book)] == [0, 1, 1, 1, 2]
    again = builder_of(book, engine)
    assert again.best_leaf() == leaf
    list(again.expand(leaf))
    assert list(problems(book)) == []


def test_a_lost_game_teaches_another_move(engine: Engine) -> None:
    """O answers a corner at the edge, which loses; an evaluation at depth 1 does not see why."""
    book = built(engine, 1, depth=1)
    game = TicTacToe().through("a1 b1 b2 c3 c1")
    corner = game[1]
    builder = builder_of(book, engine, depth=1)
    list(builder.learn(game, MIN, 8))
    builder.back_up()
    assert list(problems(book)) == []
    reply = book.analysis(corner, 8)
    assert reply is not None
    scores = {line.names[0]: line.score.number for line in reply.lines}
    assert reply.best != "b1"
    assert scores["b1"] > min(scores.values())  # worse for O, who wants low scores
    assert len(book.entries) > 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("backgammon", "has chance"),
        ("kuhn", "has (chance|hidden information)"),
        ("mastermind", "has hidden|has chance"),
    ],
)
def test_games_without_books(name: str, message: str) -> None:
    cls = load(name)
    with pytest.raises(LimitError, match=message):
        Book(cls, cls.start())


def test_limits() -> None:
    assert parse_limits("exact") == Limits(exact=True)
    assert parse_limits("depth=4,nodes=100") == Limits(4, nodes=100)
    assert parse_limits("seconds=0.5") == Limits(seconds=0.5)
    for wrong in ("", "depth", "depth=x", "depth=4,depth=5", "plies=4", "exact,depth=3", "depth=1e3", "nodes=nan"):
        with pytest.raises(LimitError, match="must be exact, depth=N"):
            parse_limits(wrong)
    with pytest.raises(LimitError, match="depth must be between"):
        parse_limits("depth=0")


# ---- files -----------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read(exact: Book, tmp_path: Path) -> None:
    path = tmp_path / "ttt.book"
    save_book(path, exact, "zermelo book tictactoe build")
    found, command = load_book(path, TicTacToe)
    assert found == exact
    assert command == "zermelo book tictactoe build"
    assert path.read_bytes() == book_bytes(exact, command)
    assert path.read_bytes()[:8] == b"ZERMELOB"


def test_damaged_and_foreign_files_are_refused(exact: Book) -> None:
    def refused(content: bytes, message: str, game: type[State] = TicTacToe) -> None:
        with pytest.raises(FormatError, match=message):
            parse_book(content, game, "t.book")

    content = book_bytes(exact)
    for at in range(16, len(content), 7):
        refused(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :], r"t\.book: the book file is damaged")
    for end in range(48, len(content), 7):
        refused(content[:end], "damaged")
    refused(b"", "is not a book file")
    refused(b"ZERMELOW" + content[8:], "is not a book file: it does not start with ZERMELOB")
    older = content[:8] + struct.pack("<I", 0) + content[12:-32]
    refused(older + digest(older), "book file of version 0; this version of Zermelo reads version 1")
    refused(content, "this book is for the game 'TicTacToe', not ConnectFour", ConnectFour)
    refused(
        book_bytes(Book(TicTacToe, TicTacToe(), 0, "exact", {1: Entry(1 << 24, 0, 0, True)})),
        "entry 1 of the book is not valid",
    )


def test_a_book_of_other_rules_is_refused(exact: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    content = book_bytes(exact)
    monkeypatch.setattr(TicTacToe, "symmetries", TicTacToe.symmetries)  # no rule: the fingerprint stays
    parse_book(content, TicTacToe, "t.book")
    moves = TicTacToe.moves
    monkeypatch.setattr(TicTacToe, "moves", lambda self: reversed([*moves(self)]))
    with pytest.raises(FormatError, match="the rules of TicTacToe have been changed since this book was made"):
        parse_book(content, TicTacToe, "t.book")


def test_a_full_disk_leaves_the_old_file(exact: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ttt.book"
    path.write_bytes(b"the old file")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        save_book(path, exact)
    assert path.read_bytes() == b"the old file"
    assert [each.name for each in tmp_path.iterdir()] == ["ttt.book"]


# ---- lookups and players -----------------------------------------------------------------------------------------


def test_answers_to_requests(exact: Book, engine: Engine) -> None:
    start = TicTacToe()
    known = exact.answer(SearchRequest(start, Limits(exact=True), lines=2))
    assert known is not None
    assert (known.reason, known.nodes, len(known.lines), known.score.value) == ("book", 0, 2, 0)
    one = exact.answer(SearchRequest(start, Limits(), moves=[8]))
    assert one is not None
    assert one.move == 8
    assert exact.answer(SearchRequest(start, Limits(), history=[start])) is None  # occurs again
    assert exact.answer(SearchRequest(start.after("a1 b2 c3 b1"), Limits())) is None  # after the book
    assert exact.answer(SearchRequest(ConnectFour(), Limits())) is None
    estimated = built(engine, 1, depth=1)
    assert estimated.answer(SearchRequest(start, Limits())) is not None
    assert estimated.answer(SearchRequest(start, Limits(exact=True))) is None


def chosen(player: Player, seed: int) -> tuple[int, int]:
    player.new_game(GameSetup(TicTacToe(), MAX, seed))
    play = player.choose(Turn(TicTacToe(), (), (), Clock.of(TimeControl())))
    return play.move, play.nodes


@pytest.mark.slow
def test_players_follow_a_book_with_variety_from_the_seed(
    exact: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ttt.book"
    save_book(path, exact)
    monkeypatch.setattr("zermelo.arena.players.specs._search_once", lambda *_: None)  # compiles
    first = chosen(player_for(TicTacToe, f"engine:table=1M,book={path}"), 0)
    assert first == (exact.best_move(TicTacToe()), 0)
    varied = player_for(TicTacToe, f"engine:table=1M,book={path},variety=0")
    moves = [chosen(varied, seed)[0] for seed in range(12)]
    assert moves == [chosen(varied, seed)[0] for seed in range(12)]
    assert len(set(moves)) > 2
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match="damaged"):
        player_for(TicTacToe, f"engine:book={path}")


def test_engines_on_a_clock_use_the_book_of_the_package(exact: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zermelo.arena.players.specs.shipped_book", lambda _: (exact, ""))
    start = TicTacToe()

    def answered(spec: str, limits: Limits) -> bool:
        player = player_for(TicTacToe, spec)
        assert isinstance(player, EnginePlayer)
        return player._look_up(SearchRequest(start, limits)) is not None

    assert answered("engine:table=1M", Limits(seconds=1))
    assert not answered("engine:table=1M", Limits(depth=3))
    assert not answered("engine:table=1M", Limits(seconds=1, nodes=30))  # as levels are
    for spec in ("engine:table=1M,book=none", "engine:table=1M,evaluation=lines", "mcts:memory=1M"):
        assert not answered(spec, Limits(seconds=1))
