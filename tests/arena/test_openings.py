"""Openings: legal, distinct, reproducible; errors in files have their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zermelo import registry
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.opening import Opening
from zermelo.arena.plans.openings import Openings, RandomMoves, chess960, openings_for
from zermelo.arena.plans.plan import Plan
from zermelo.core.game import State
from zermelo.errors import ZermeloError
from zermelo.formats import wthor
from zermelo.formats.polyglot import ENTRY, Book, build_book, zobrist_key
from zermelo.formats.record import record_from_moves, record_from_texts
from zermelo.games.chess import Chess
from zermelo.games.othello import Othello


def plan(openings: str, game: str = "othello", games: int = 40, seed: int = 0) -> Plan:
    return Plan(game, parse_entrants(["random", "random"]), "match", games, openings=openings, seed=seed)


def openings(text: str, game: str = "othello", games: int = 40, seed: int = 0) -> Openings:
    return openings_for(plan(text, game, games, seed))


def ends(of: Openings, game: str, count: int) -> list[State]:
    """The final states of openings; checks that each move is legal."""
    cls = registry.load(game)
    found = []
    for index in range(count):
        start, moves = of.at(index)
        state = cls.parse(start) if start else cls.start()
        for move in moves:
            assert move in state.legal_moves()
            state = state.play(move)
        assert not state.is_over()
        found.append(state)
    return found


def test_the_default_opening_is_the_start_position() -> None:
    of = openings("")
    assert (of.at(0), of.at(7), of.count) == (("", ()), ("", ()), 1)


# ---- random moves -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["othello", "connect4", "checkers", "backgammon", "chess"])
def test_random_openings_are_legal_and_distinct(game: str) -> None:
    of = openings("plies=6", game)
    assert len({*ends(of, game, 20)}) == 20
    assert all(len(of.at(index)[1]) == 6 for index in range(20))
    again, other = openings("plies=6", game), openings("plies=6", game, seed=1)
    assert again.at(19) == of.at(19)  # asked for in another order, too
    assert [other.at(index) for index in range(20)] != [of.at(index) for index in range(20)]


def test_openings_are_the_same_on_every_machine() -> None:
    """Fixed values: the same on other machines and versions of Python."""
    assert [openings("plies=4").at(index)[1] for index in range(2)] == [(44, 45, 37, 29), (19, 20, 29, 38)]
    assert openings("plies=4,seed=7", seed=1).at(0) == openings("plies=4", seed=7).at(0)


def test_all_openings_are_played_before_any_is_repeated() -> None:
    of = openings("plies=2", "tictactoe", 400)
    found = ends(of, "tictactoe", 200)
    assert len(set(found[:72])) == len(set(found)) == 72
    assert found[72:144] == found[:72]
    assert (of.count, "72" in of.note) == (72, True)


def test_an_opening_never_ends_the_game() -> None:
    ends(openings("plies=8", "tictactoe", 20), "tictactoe", 10)
    with pytest.raises(ZermeloError, match=r"plies=9.*ends before 9 plies"):
        openings("plies=9", "tictactoe")


def test_even_openings_are_even() -> None:
    from zermelo.search.engine import Engine, Limits

    found: dict[str, list[int]] = {}
    for text in ("plies=3,within=1,depth=2", "plies=3"):
        found[text] = []
        for state in ends(openings(text, "tictactoe", 60), "tictactoe", 30):
            *_, analysis = Engine("1M").analysis(state, Limits(depth=2))
            found[text].append(abs(analysis.score.number))
    even, others = found.values()
    assert max(even) <= 1 < max(others)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plies", "openings 'plies'; expected plies=N"),
        ("plies=x", "openings 'plies=x'; expected a whole number"),
        ("plies=8,seed=x", "openings 'plies=8,seed=x': 'seed=x'; expected a whole number"),
        ("plies=", "a whole number"),
        ("plies=٣", "a whole number"),
        ("file:x.txt,plies=٣", "plies must be between 1 and 9,999"),
        ("plies=-1", "a whole number"),
        ("plies=0", "between 1 and"),
        ("plies=100000", "between 1 and"),
        ("plies=4,plies=5", "expected plies=N"),
        ("plies=4,depth=3", "needs within="),
        ("plies=4,within=5,depth=99", "between 1 and 20"),
        ("within=5", "expected plies=N"),
        ("moves=4", "'moves=4'"),
        ("chess960", "need chess, not Othello"),
        ("file:", "missing path; expected file:PATH"),
        ("file:x.txt,plies=0", r"plies must be between 1 and 9,999 \(got 0\)"),
        ("file:x.txt,order=up", "order must be file or random \\(got up\\)"),
        ("file:x.txt,plies=2,plies=3", "twice"),
        ("book:", "missing path; expected book:PATH"),
        ("book:x.bin", r"openings book:.*x\.bin: Polyglot books are for chess, not for Othello"),
        ("book:x.bin,order=random", "does not apply to a book"),
        ("book:x.bin,plies=0", r"plies must be between 1 and 9,999 \(got 0\)"),
        ("x" * 4_000, "expected plies=N"),
        ("x" * 10_000, "openings 'x+...' must be one line"),
        ("file:a\0b", "must be one line"),
        ("file:~nobody-of-that-name/x", "No such file"),
    ],
)
def test_invalid_texts_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ZermeloError, match=message) as caught:
        openings(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_settings_of_random_openings() -> None:
    given = RandomMoves.parse("plies=8, within=50")
    assert (given.plies, given.within, given.depth, given.seed) == (8, 50, 4, None)


# ---- chess960 -----------------------------------------------------------------------------------------------------


def test_chess960_start_positions() -> None:
    """Scharnagl's examples; all 960 differ, bishops on both colours, the king between the rooks."""
    assert chess960(518).startswith("rnbqkbnr/")
    assert chess960(0).startswith("bbqnnrkr/")
    assert chess960(959).startswith("rkrnnqbb/")
    rows = [chess960(number).partition("/")[0] for number in range(960)]
    assert len(set(rows)) == 960
    for row in rows:
        assert sorted(row) == sorted("rnbqkbnr")
        assert (row.index("b") + row.rindex("b")) % 2 == 1
        assert row.index("r") < row.index("k") < row.rindex("r")
    with pytest.raises(ZermeloError, match="between 0 and 959"):
        chess960(960)


def test_chess960_as_openings() -> None:
    of = openings("chess960", "chess", 30)
    assert len(set(ends(of, "chess", 15))) == 15
    assert of.count == 960
    assert "960 openings for 1,000 game pairs" in openings("chess960", "chess", 2000).note


# ---- files --------------------------------------------------------------------------------------------------------


def test_positions_and_move_lines(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text(
        "# openings\nf5 d6 c3\n\nf5 f6 e6 f4   # a comment\nf5 d6 c3\n"
        "---------------------------OX------XXX-----X-------------------- O\n"
        "fen ---------------------------OX------XO--------------------------- X moves f5\n"
    )
    of = openings(f"file:{tmp_path / 'some.txt'}", games=20)
    assert of.count == 4  # one came twice
    assert [len(of.at(index)[1]) for index in range(5)] == [3, 4, 0, 1, 3]
    assert "4 openings for 10 game pairs: openings are repeated" in of.note
    ends(of, "othello", 4)
    assert openings(f"file:{tmp_path / 'some.txt'}", games=8).note == ""


PGN = """[Event "a"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 *

[Event "b"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 *

[Event "c"]

1. f3 e5 2. g4 Qh4# 0-1
"""


def test_games_are_cut_to_plies(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(PGN)
    of = openings(f"file:{file},plies=3", "chess")
    assert [len(of.at(index)[1]) for index in range(of.count or 0)] == [3, 3]  # the first two begin alike
    assert openings(f"file:{file},plies=5", "chess").count == 2  # the third one is over by then
    with pytest.raises(ZermeloError, match=r"games.pgn: opening 3, line \d+: the game is over.*plies=N"):
        openings(f"file:{file}", "chess")


def test_epd_files(tmp_path: Path) -> None:
    file = tmp_path / "some.epd"
    file.write_text('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id "open";\n')
    assert ends(openings(f"file:{file}", "chess"), "chess", 1)[0].to_move() == 1


def test_wthor_files(tmp_path: Path) -> None:
    records = [record_from_texts(Othello.start(), text.split()) for text in ("f5 d6 c3", "f5 f6 e6 f4")]
    for record in records:
        record.tags["BlackDiscs"] = "33"
    path = tmp_path / "games.wtb"
    path.write_bytes(wthor.write(records, wthor.Date(2024, 5, 1)).games)
    assert ends(openings(f"file:{path},plies=2"), "othello", 2) == [Othello.parse("f5 d6"), Othello.parse("f5 f6")]
    path.write_bytes(path.read_bytes()[:-1])
    assert "135 bytes for 2 games" in error_of(lambda: ends(openings(f"file:{path}"), "othello", 1))


def test_order_of_the_file_or_random(tmp_path: Path) -> None:
    file = tmp_path / "some.moves"
    lines = [" ".join(words) for words in (["f5", "d6"], ["f5", "f6"], ["f5", "f4"], ["d3", "c5"], ["d3", "e3"])]
    file.write_text("\n".join(lines))
    in_order = openings(f"file:{file}")
    rows = [in_order.at(index) for index in range(5)]
    orders = set()
    for seed in range(6):
        of = openings(f"file:{file},order=random", seed=seed)
        assert sorted(of.at(index) for index in range(5)) == sorted(rows)
        orders.add(tuple(of.at(index) for index in range(5)))
    assert len(orders) > 2


def test_a_plan_copies_the_openings_it_needs(tmp_path: Path) -> None:
    """A resumed tournament has the same openings even if the file has changed."""
    file = tmp_path / "some.txt"
    file.write_text("f5 d6\nf5 f6\nf5 f4\n")
    made = plan(f"file:{file}", games=4)
    assert len(made.opening_lines) == 2
    file.unlink()
    stored = Plan.from_dict(made.as_dict())
    assert stored == made
    assert [openings_for(stored).at(index) for index in range(2)] == [
        openings_for(made).at(index) for index in range(2)
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"f5 d6\nf5 d5\n", r"a\.txt: .*line 2: 'd5' is not a legal move"),
        ("a.txt", b"f5 d6\n\n# fine\nfoo bar\n", r"line 4: 'foo bar' is neither a line of moves nor a position"),
        ("a.txt", b"", "no openings found"),
        ("a.txt", b"# nothing\n", "no openings found"),
        ("a.txt", b"f5\0\n", "line 1: the line contains a NUL"),
        ("a.txt", b"f5 " * 100_000, "line 1: the line has more than 200,000 bytes"),
        ("a.moves", b"f5 d6\nf5 d5\n", r"game 2, line 2: 'd5' is not a legal move"),
        ("a.json", b'{"moves": ["f5", "a1"]}', "game 1, line 1: 'a1' is not a legal move"),
        ("a.txt", b"X" * 63 + b"O X", r"opening 1, line 1: the game is over"),
    ],
)
def test_errors_in_a_file_have_the_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ZermeloError, match=message) as caught:
        openings(f"file:{tmp_path / name}")
    assert "\n" not in str(caught.value)


def test_a_missing_openings_file(tmp_path: Path) -> None:
    with pytest.raises(ZermeloError, match=r"none\.txt: No such file"):
        openings(f"file:{tmp_path / 'none.txt'}")
    with pytest.raises(ZermeloError, match="is a directory, not a file"):
        openings(f"file:{tmp_path}")


def test_an_opening_survives_a_round_trip() -> None:
    for opening in [Opening(), Opening("", (1, 2)), Opening("a|b c", (3,))]:
        assert Opening.from_text(opening.to_text()) == opening
    for text in ("", "1 2", "|x"):
        with pytest.raises(ZermeloError, match="START"):
            Opening.from_text(text)


@settings(deadline=None, max_examples=150)
@given(
    st.text(max_size=60) | st.from_regex(r"(file:)?[a-z=,0-9.]{0,20}(,(plies|order|within|depth)=[0-9a-z]{0,5}){0,3}")
)
def test_any_text_gives_openings_or_a_clear_error(text: str) -> None:
    assert "\n" not in error_of(lambda: plan(text, "tictactoe"))


def error_of(act: Callable[[], object]) -> str:
    """The error message of a call; empty without an error."""
    try:
        act()
    except ZermeloError as error:
        return str(error)
    return ""


WORDS = st.sampled_from(
    ["f5", "d6", "c3", "fen", "moves", "startpos", "#", "position", "-" * 64, "X", "O", "\x00", "1"]
)


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(content=st.binary(max_size=80) | st.lists(WORDS, max_size=8).map(lambda words: " ".join(words).encode()))
@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.moves"])
def test_any_file_gives_openings_or_a_clear_error(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    error = error_of(lambda: ends(openings(f"file:{tmp_path / name}"), "othello", 1))
    assert not error or (name in error and "\n" not in error)


# ---- books --------------------------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A chess book: 1. e4 three times as often as 1. d4; short lines, a repetition, a mate."""
    lines = ["e4 e5 Nf3 Nc6 Bb5 a6", "e4 c5 Nf3 d6", "e4 e6 d4 d5 e5 c5 c3", "d4 d5 c4 dxc4", "f3 e5 g4 Qh4"]
    lines += ["Nf3 Nf6 Ng1 Ng8", "e4 e5 Nf3 Nc6 Bc4 Bc5"]
    games = []
    for line in lines:
        state, moves = Chess.start(), []
        for text in line.split():
            moves.append(state.parse_move(text))
            state = state.play(moves[-1])
        games.append(record_from_moves(Chess.start(), moves))
    (tmp_path / "a.bin").write_bytes(build_book(games))
    return tmp_path / "a.bin"


def test_openings_follow_the_book(book: Path) -> None:
    of = openings(f"book:{book},plies=4", "chess", 60)
    count = of.count or 0
    assert 6 <= count < 30
    found = ends(of, "chess", count)
    assert len(set(found)) == count
    with Book(book) as entries:
        for index in range(count):
            start, moves = of.at(index)
            assert (start, 1 <= len(moves) <= 4) == ("", True)
            state = Chess.start()
            for move in moves:
                assert move in dict(entries.moves(state))
                state = state.play(move)
    assert of.at(count) == of.at(0)
    assert "openings are repeated" in of.note
    longest = openings(f"book:{book}", "chess", 60)
    lengths = {len(longest.at(index)[1]) for index in range(longest.count or 0)}
    assert max(lengths) <= 8
    assert 6 in lengths  # the book ends there
    assert 3 in lengths  # the fourth move would mate


def test_book_moves_are_drawn_by_weight(tmp_path: Path) -> None:
    state = Chess.start()
    rows = sorted((state.parse_move(text), weight) for text, weight in (("e4", 900), ("d4", 100), ("a3", 0)))
    packed = [ENTRY.pack(zobrist_key(state), (move & 63) << 6 | move >> 6, weight, 0) for move, weight in rows]
    (tmp_path / "a.bin").write_bytes(b"".join(packed))
    first = [
        openings(f"book:{tmp_path / 'a.bin'}", "chess", 2, seed).at(0)[1] == (state.parse_move("e4"),)
        for seed in range(200)
    ]
    assert 160 <= sum(first) <= 196
    assert openings(f"book:{tmp_path / 'a.bin'}", "chess", 20).count == 2


def test_book_openings_depend_on_the_seed_and_are_copied(book: Path) -> None:
    made = plan(f"book:{book}", "chess", games=6)
    assert len(made.opening_lines) == 3
    others = {plan(f"book:{book}", "chess", games=6, seed=seed).opening_lines for seed in range(6)}
    assert made.opening_lines in others
    assert len(others) > 2
    book.unlink()
    assert Plan.from_dict(made.as_dict()) == made
    assert openings_for(Plan.from_dict(made.as_dict())).at(2) == openings_for(made).at(2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x", r"openings book .*b\.bin: 1 bytes"),
        (ENTRY.pack(2, 0, 0, 0) + ENTRY.pack(1, 0, 0, 0), "sorted by key"),
        (ENTRY.pack(2, 0, 0, 0), "no move for the start position"),
        (ENTRY.pack(zobrist_key(Chess.start()), 796, 0, 0), "no move for the start position"),
        (None, r"b\.bin: No such file"),
    ],
)
def test_errors_in_a_book_are_reported(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "b.bin").write_bytes(content)
    with pytest.raises(ZermeloError, match=message) as caught:
        openings(f"book:{tmp_path / 'b.bin'}", "chess")
    assert "\n" not in str(caught.value)
