"""Proof-number search: results beside minimax and endgame tables, proofs written and checked."""

import random
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import zermelo as zermelo_package
from zermelo.errors import FormatError, LimitError
from zermelo.solve import endgames, proof_number
from zermelo.solve.proof_file import _check_repetition, check_proof, write_proof
from zermelo.solve.proof_number import find_win

#: Legal's mate, and a mate in three moves that drives a king into the middle.
MATES = [
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1, 1),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", -1, 5),
]


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search in plain Python: nothing is compiled."""
    monkeypatch.setattr(proof_number, "native", lambda function, *_: function)


def load(name: str) -> Any:
    return zermelo_package.load(name)


def random_states(name: str, plies: int, count: int) -> list[Any]:
    """Unfinished positions after random moves."""
    source, found = random.Random(3), []
    while len(found) < count:
        state = load(name).parse("---------") if name == "tictactoe" else load(name).start()
        for _ in range(plies):
            if not state.is_over():
                state = state.play(source.choice(state.legal_moves()))
        if not state.is_over():
            found.append(state)
    return found


@pytest.mark.quick
@pytest.mark.usefixtures("interpreted")
def test_results_are_those_of_minimax(tmp_path: Path) -> None:
    values = set()
    for number, state in enumerate(random_states("tictactoe", 4, 12)):
        found, search = find_win(state, table="1M")
        assert found.reason == "solved"
        assert found.value == zermelo_package.minimax(state).value
        values.add(found.value)
        if search is not None:
            end = state
            for move in found.line:
                end = end.play(move)
            assert end.utility() == found.value
            path = tmp_path / f"{number}.proof"
            written = write_proof(path, state, search.attacker, search.positions())
            *_, checked = check_proof(path, type(state))
            assert checked.root == state
            assert checked.winner == found.value
            assert checked.positions >= written
    assert values == {1, 0, -1}


@pytest.mark.quick
@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("position", "winner", "plies"), MATES)
def test_mates(position: str, winner: int, plies: int) -> None:
    state = load("chess").parse(position)
    found, _ = find_win(state, nodes=2_000, table="1M")
    assert (found.value, found.reason) == (winner, "solved")
    assert len(found.line) == plies
    assert find_win(state, nodes=2_000, table="1M")[0][:3] == found[:3]


@pytest.mark.quick
@pytest.mark.usefixtures("interpreted")
def test_hex_on_nine_cells() -> None:
    """The first player wins, but not with the first move a1: see the page of the game."""
    start = load("hex").parse("3x3")
    for state, winner in ((start, 1), (start.after("a1"), -1), (start.after("b2"), 1)):
        found, _ = find_win(state, table="1M")
        assert (found.value, found.reason) == (winner, "solved")


#: Black wins by a four that closes a row of three below it, and then by an open four.
FOURS = "........O/........./........./........./.OXXX..../.....X.O./.....X.../...O...../..O......"


@pytest.mark.quick
@pytest.mark.usefixtures("interpreted")
def test_a_win_of_gomoku_by_fours(tmp_path: Path) -> None:
    state = load("gomoku").parse(FOURS)
    found, search = find_win(state, nodes=5_000, table="1M")
    assert (found.value, found.reason) == (1, "solved")
    assert [state.move_name(move) for move in found.line[:2]] == ["f5", "g5"]
    assert len(found.line) == 5
    assert search is not None
    path = tmp_path / "fours.proof"
    write_proof(path, state, search.attacker, search.positions())
    *_, checked = check_proof(path, type(state))
    assert checked.winner == 1


@pytest.mark.quick
@pytest.mark.usefixtures("interpreted")
def test_limits_and_what_is_refused() -> None:
    found, search = find_win(load("chess").start(), nodes=3, table="1M")
    assert (found.value, found.line, found.reason, search) == (None, (), "nodes", None)
    assert found.nodes <= 3
    over = load("tictactoe").parse("XXXOO----")
    assert find_win(over)[0][:2] == (1, ())
    for name in ("backgammon", "othello", "kuhn"):
        with pytest.raises(LimitError, match="proof-number search is for games of win, draw and loss"):
            find_win(load(name).start())
    states = [load("checkers").parse("B:WK32:BK1")]
    for move in ["1-5", "32-28", "5-1", "28-32", "1-5", "32-28"]:
        states.append(states[-1].after(move))
    with pytest.raises(LimitError, match="its next occurrence is a draw"):
        find_win(states[-1], history=states[:-1])


@pytest.fixture
def proof(tmp_path: Path, interpreted: None) -> Path:
    """The proof of the mate in three moves."""
    state = load("chess").parse(MATES[1][0])
    _, search = find_win(state, table="1M")
    assert search is not None
    path = tmp_path / "mate.proof"
    write_proof(path, state, search.attacker, search.positions())
    return path


def wrong(path: Path, change: Callable[[list[str]], list[str]]) -> str:
    """What the check says of a changed proof."""
    path.write_text("\n".join(change(path.read_text().splitlines())))
    with pytest.raises(FormatError) as caught:
        for _ in check_proof(path, load("chess")):
            pass
    return str(caught.value)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "no move for "),
        (lambda lines: [lines[0].replace("-1}", "1}"), *lines[1:]], "no move for |without the win"),
        (lambda lines: [lines[0], lines[1].replace("Bc5+", "Qb6+"), *lines[2:]], "no move for "),
        (lambda lines: [lines[0], lines[1].replace("Bc5+", "Bc4"), *lines[2:]], "not a legal move"),
        (lambda lines: lines[1:], "is not a proof file"),
        (lambda lines: [], "is not a proof file"),
        (lambda lines: [*lines, '["a", 3]'], "is not a proof file"),
        (lambda lines: [*lines, "[" * 3000], "is not a proof file"),
        (lambda lines: [lines[0].replace("Chess", "Hex"), *lines[1:]], "for the game 'Hex', not Chess"),
        (lambda lines: [lines[0].replace("4n3", "4n4"), *lines[1:]], "Chess position"),
    ],
)
def test_wrong_proofs_are_refused(proof: Path, change: Any, message: str) -> None:
    assert re.search(message, wrong(proof, change))


@pytest.mark.quick
def test_a_line_with_a_draw_by_repetition_is_refused() -> None:
    """Positions that occur again differ in their reversible plies, so the line goes round in no circle."""
    states = [load("chess").parse("7k/8/8/8/8/8/8/K5R1 w - - 0 1")]
    for move in 2 * ["Rg2", "Kh7", "Rg1", "Kh8"]:
        states.append(states[-1].after(move))
    follows = {one: [two] for one, two in pairwise(states)}
    _check_repetition(follows, "twice")
    with pytest.raises(FormatError, match="3 times"):
        _check_repetition({**follows, states[-1]: []}, "again")


@pytest.mark.quick
def test_options_that_do_not_fit(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    assert "--algorithm must be search or proof" in zermelo("solve", "chess", "", "--algorithm", "x").err
    path = tmp_path / "positions"
    path.write_text("X---O----\n")
    done = zermelo("solve", "tictactoe", str(path), "--nodes", "3")
    assert "are for proof-number search of one position" in done.err
    assert "is not a proof file" in zermelo("solve", "chess", str(path), "--check").err
    assert "--check needs a proof file" in zermelo("solve", "chess", "--check").err


# ---- compiled -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_command_finds_mates_and_checks_them(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "mate.proof"
    done = zermelo("solve", "chess", MATES[1][0], "--proof", str(path), "--quiet")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("value    -1, black wins\nline     Bc5+ ")
    assert f" positions in {path}\n" in done.out
    done = zermelo("solve", "chess", str(path), "--check", "--quiet")
    assert done.code == 0
    assert "black wins: " in done.out
    over = zermelo("solve", "chess", "8/8/8/8/8/2k5/2q5/K7 w - - 0 1", "--json")
    assert (over.json["value"], over.json["nodes"]) == (0, 0)
    unsolved = zermelo("solve", "chess", "", "--nodes", "50", "--json", "--quiet")
    assert (unsolved.code, unsolved.json["value"], unsolved.json["reason"]) == (1, None, "nodes")


@pytest.mark.long
def test_checkers_beside_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kings go round in circles: no win is found where there is none, and wins are those of the table."""
    monkeypatch.setenv("ZERMELO_TABLES_DIR", str(tmp_path))
    *_, table = endgames.build(load("checkers"), 3)
    assert isinstance(table, endgames.EndgameTable)
    source, solved = random.Random(4), 0
    for _ in range(60):
        state = load("checkers").start().unindex(source.randrange(len(table.entries)))
        if state.index() < 0 or state.is_over():
            continue
        value = table.value(state)
        found, search = find_win(state, nodes=20_000, table="4M")
        assert value is not None
        assert found.value in (None, value[0])
        if search is not None:
            solved += 1
            path = tmp_path / "win.proof"
            write_proof(path, state, search.attacker, search.positions())
            *_, checked = check_proof(path, type(state))
            assert checked.winner == value[0]
    assert solved >= 10
