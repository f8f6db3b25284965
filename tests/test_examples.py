"""The games of `examples/` follow the contract, stay short, and have known results."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import zermelo
from zermelo.arena import match
from zermelo.testing import check_game

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
PAGE = FOLDER.parent / "docs" / "examples.md"
INTERPRETED = ["ghost", "switching"]


def example(name: str) -> type[zermelo.State]:
    return zermelo.load(str(FOLDER / f"{name}.py"))


@pytest.mark.quick
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_short_and_listed(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
    assert f"`examples/{path.name}`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.quick
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_first_moves_of_examples_follow_the_contract(path: Path) -> None:
    check_game(example(path.stem), games=2, max_plies=6, compiled=False)


@pytest.mark.long
@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.stem not in INTERPRETED], ids=lambda path: path.stem
)
def test_compiled_examples_equal_interpreted_ones(path: Path) -> None:
    assert check_game(example(path.stem), games=3).compiled


@pytest.mark.long
@pytest.mark.parametrize("name", INTERPRETED)
def test_small_examples_are_solved_as_by_exhaustive_search(name: str) -> None:
    start = example(name).start()
    values: dict[object, int] = {}

    def value(state: zermelo.State) -> int:
        key = state.key()
        if key not in values:
            values[key] = (
                state.utility()
                if state.is_over()
                else max((value(state.play(move)) for move in state.moves()), key=lambda each: each * state.to_move())
            )
        return values[key]

    assert zermelo.analyse(start, exact=True).score.value == value(start)


@pytest.mark.quick
def test_a_last_seed_in_the_store_gives_another_turn_and_in_an_empty_pit_it_captures() -> None:
    kalah = example("kalah")
    again = kalah.start().play(2)
    assert again.pits == (4, 4, 0, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0)
    assert again.to_move() == zermelo.MAX
    captured = kalah((1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0)).play(0)
    assert captured.pits == (0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0)
    assert captured.is_over()
    assert captured.utility() == 4


@pytest.mark.quick
def test_gomoku_counts_five_in_all_directions_and_not_across_the_edge() -> None:
    gomoku = example("gomoku")
    board = type(gomoku().own)
    for step, first in itertools.product((1, 14, 15, 16), (49, 50, 95, 96)):
        five = range(first, first + 5 * step, step)
        columns = [square % 15 for square in five]
        in_line = all(abs(a - b) <= 1 for a, b in itertools.pairwise(columns))
        stones = board(sum(1 << square for square in five))
        assert gomoku(board(0), stones, zermelo.MIN).is_over() == in_line
        assert not gomoku(board(0), stones & ~(board(1) << first), zermelo.MIN).is_over()


@pytest.mark.quick
def test_standings_print_as_a_table() -> None:
    def first_letter(state: zermelo.State, clock: object) -> object:
        return state.legal_moves()[0]

    table = match(example("ghost"), first_letter, "random", games=2, seed=1, openings="start")
    head, *rows, caption = str(table).splitlines()
    assert head.split() == ["player", "games", "points", "won", "drawn", "lost"]
    assert sorted(row.split()[1] for row in rows) == ["first_letter", "random"]
    assert caption.startswith("2 games; first_letter against random: ")
    assert len({len(line) for line in (head, *rows)}) == 1
