"""Retrograde analysis: win, loss or draw and the distance to the end, for all positions of an endgame.

A game declares `men`, `index`, `unindex` and `table_slices`. The slices are computed one after the other:

1. `list_moves` goes through the positions and notes each move: into the slice itself as an edge; out of it, to a
   finished game or to an earlier slice, where the result is known, as a win or loss with its distance in plies.
2. `count_edges` and `place_edges` sort the edges by the position that they lead to.
3. `settle`, for each number of plies n: a position with a move to a loss in n - 1 is a win in n; one whose moves
   all lead to wins, the latest in n - 1, is a loss in n. Then their predecessors are updated.

Positions that are never settled are draws: each side can avoid losing forever. `zermelo.solve.endgame_check` verifies
the result.

The functions are plain Python, compiled for compiled games. All arrays are indexed by the number of a position less the
first number of the slice.

References
----------
T. Ströhlein, "Untersuchungen über kombinatorische Spiele", dissertation, Technische Universität München, 1970.
K. Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9, 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from zermelo.core.endgame_entries import MOST_PLIES, UNUSED
from zermelo.core.endgame_slice import MOST_MEN, TableSlice
from zermelo.core.game import State
from zermelo.errors import GameError, LimitError

if TYPE_CHECKING:
    import numpy as np

# Positions that one call of compiled code goes through: it takes less than a tenth of a second, then Ctrl-C is noticed.
CHUNK = 1 << 16
# Room for edges in one call; a call ends early where it is used up.
EDGES = 1 << 21
# More edges than a position has.
MOST_EDGES = 1 << 12
# No win is known.
NEVER = MOST_PLIES + 1


class Progress(NamedTuple):
    """Progress of the computation of a table."""

    slice: str
    #: Positions done, of all in the slices so far and to come.
    done: int
    total: int


def check_supported(game: type[State], men: int | None = None) -> None:
    """Check that a game has endgame tables, and of this number of men if one is given.

    Raises
    ------
    LimitError
        If the game declares none, or they would not be right for it.
    """
    name = game.__name__
    if not game.has_index:
        raise LimitError(f"{name} has no endgame tables: it does not define men, index, unindex and table_slices")
    if game.has_chance or game.max_utility > 1 or game.has_forbidden_repetition or not game.perfect_information:
        raise LimitError(
            f"{name}: endgame tables are for games of win, draw and loss, with perfect information, without chance and "
            "forbidden repetitions"
        )
    if men is not None and not game.table_slices(men):
        counts = [count for count in range(1, MOST_MEN + 1) if game.table_slices(count)]
        known = f"{counts[0]} to {counts[-1]}" if counts else "none"
        raise LimitError(f"{name} has no endgame tables of {men} men (available: {known})")


def slices_up_to(game: type[State], men: int) -> list[TableSlice]:
    """All slices with up to a number of men, in the order of their numbers."""
    return [each for count in range(men + 1) for each in game.table_slices(count)]


def generate(game: type[State], men: int) -> Iterator[Progress | np.ndarray[Any, Any]]:
    """Compute the entries of all positions with up to a number of men.

    Yields
    ------
    Progress or array
        Progress reports, then the entries (`zermelo.core.endgame_entries`), an array of 16-bit integers.

    Raises
    ------
    LimitError
        If the game has no table for this number of men.
    GameError
        If a move leads out of the declared positions; names the position and the move.
    """
    import numpy as np

    check_supported(game, men)
    slices = slices_up_to(game, men)
    total = sum(each.size for each in slices)
    entries = np.empty(total, np.int16)
    first = 0
    for each in slices:
        entries[first : first + each.size] = UNUSED  # not all at once: that would delay Ctrl-C
        for done in _generate_slice(game, first, each.size, entries):
            yield Progress(each.name, first + done, total)
        first += each.size
    yield entries


def compiled(game: State, function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """A function, compiled for the types of its arguments if the game is compiled."""
    if not game.is_compiled:
        return function
    from zermelo.compiled import native

    return native(function, *arguments)


def _generate_slice(game: type[State], first: int, size: int, entries: np.ndarray[Any, Any]) -> Iterator[int]:
    """Compute the entries of one slice. Yields how many positions are done."""
    import numpy as np

    state = game.start()
    wins = np.full(size, NEVER, np.int16)  # the shortest win by a move, in plies
    losses = np.zeros(size, np.int16)  # the latest loss by a move that is known to lose
    open_moves = np.zeros(size, np.int16)  # moves that are not known to lose
    counts = np.zeros(size, np.int32)  # edges of each position
    bounds = np.zeros(size + 2, np.int64)  # where the edges to each position begin; see `place_edges`
    edges = np.zeros(EDGES, np.int32)
    place, parts = 0, []
    arguments = (state, first, size, place, entries, wins, losses, open_moves, counts, edges)
    list_moves_of = compiled(state, list_moves, *arguments)
    count = compiled(state, count_edges, edges, bounds)
    while place < size:
        before = place
        place, used = list_moves_of(state, first, size, place, entries, wins, losses, open_moves, counts, edges)
        if place < 0:
            _refuse(game, first - 1 - place, first + size)
        parts.append((before, place, edges[:used].copy()))
        count(parts[-1][2], bounds)
        yield before
    np.cumsum(bounds, out=bounds)
    back = np.zeros(bounds[-1], np.int32)
    place_part = compiled(state, place_edges, 0, 0, edges, counts, bounds, back)
    while parts:
        place_part(*parts.pop(), counts, bounds, back)
    del counts
    here = entries[first : first + size]
    settle_part = compiled(state, settle, 0, 0, 0, here, wins, losses, open_moves, bounds, back)
    for level in range(MOST_PLIES):
        left = 0
        for begin in range(0, size, CHUNK):
            end = min(begin + CHUNK, size)
            left += settle_part(level, begin, end, here, wins, losses, open_moves, bounds, back)
        if not left:
            break
    else:
        raise LimitError(f"{game.__name__}: a win takes more than {MOST_PLIES:,} plies")
    yield size


def list_moves(
    game: State, first: int, size: int, place: int, entries: Any, wins: Any, losses: Any, open_moves: Any, counts: Any,
    edges: Any,
) -> tuple[int, int]:  # fmt: skip
    """List the moves of the positions from `place` on, as long as there is room for their edges.

    An edge is the place that it leads to, times two, plus 1 if the same side moves there again.

    Returns the place at which to continue and the number of edges; -1 - place for a position that breaks the contract.
    """
    used = 0
    last = min(place + CHUNK, size)
    while place < last and used < len(edges) - MOST_EDGES:
        state = game.unindex(first + place)
        if state.index() != first + place:
            place += 1
            continue
        entries[first + place] = 0
        side = state.to_move()
        if state.is_over():
            result = state.utility() * side
            open_moves[place] = 0 if result < 0 else 1
            if result > 0:
                wins[place] = 0
            place += 1
            continue
        before = used
        for move in state.moves():
            child = state.play(move)
            if child.is_over():
                result = child.utility() * side
                if result > 0:
                    wins[place] = 1
                elif result < 0:
                    losses[place] = max(losses[place], 1)
                else:
                    open_moves[place] += 1
                continue
            number = child.index()
            if number < 0 or number >= first + size or used - before >= MOST_EDGES:
                return -1 - place, 0
            is_same = child.to_move() == side
            if number >= first:
                open_moves[place] += 1
                edges[used] = 2 * (number - first) + (1 if is_same else 0)
                used += 1
                continue
            entry = entries[number]
            if entry == UNUSED:
                return -1 - place, 0
            plies = abs(entry)  # one more than from the child
            if entry == 0:
                open_moves[place] += 1
            elif (entry > 0) == is_same:
                wins[place] = min(wins[place], plies)
            else:
                losses[place] = max(losses[place], plies)
        counts[place] = used - before
        place += 1
    return place, used


def count_edges(edges: Any, bounds: Any) -> None:
    """Add the number of edges to each place to bounds[place + 2]. Its cumulative sum is what `place_edges` needs."""
    for edge in edges:
        bounds[(edge >> 1) + 2] += 1


def place_edges(first: int, last: int, edges: Any, counts: Any, bounds: Any, back: Any) -> None:
    """Sort the edges of the places `first` to `last` - 1 by the place that they lead to.

    Before, bounds[place + 1] is where those to `place` begin. After all edges, those to `place` are
    back[bounds[place]:bounds[place + 1]]. A reversed edge is the place that it comes from, times two, plus 1 if the
    same side moves again.
    """
    slot = 0
    for place in range(first, last):
        for _ in range(counts[place]):
            edge = edges[slot]
            slot += 1
            target = edge >> 1
            back[bounds[target + 1]] = 2 * place + (edge & 1)
            bounds[target + 1] += 1


def settle(
    level: int, first: int, last: int, entries: Any, wins: Any, losses: Any, open_moves: Any, bounds: Any, back: Any
) -> int:
    """Settle those of the places `first` to `last` - 1 that are won or lost in `level` plies.

    Returns how many are settled now or later.
    """
    left = 0
    for place in range(first, last):
        if entries[place] != 0:
            continue
        if wins[place] < NEVER:
            left += 1
            if wins[place] > level:
                continue
            entries[place] = level + 1
        elif open_moves[place] == 0:
            left += 1
            if losses[place] > level:
                continue
            entries[place] = -1 - level
        else:
            continue
        is_won = entries[place] > 0
        for slot in range(bounds[place], bounds[place + 1]):
            before = back[slot] >> 1
            if is_won == (back[slot] & 1 == 1):
                wins[before] = min(wins[before], level + 1)
            else:
                open_moves[before] -= 1
                losses[before] = max(losses[before], level + 1)
    return left


def _refuse(game: type[State], number: int, end: int) -> None:
    """Raise `GameError` for a position whose moves break the contract."""
    state = game.start().unindex(number)
    for move in state.legal_moves():
        child = state.play(move)
        if not child.is_over() and not 0 <= child.index() < end:
            raise GameError(
                f"{game.__name__}.index is {child.index()} after {state.move_name(move)} in {state}; expected a number "
                f"below {end}, the end of the slice"
            )
    raise GameError(f"{game.__name__}.unindex({number}) is {state}: a move leads to a number that is not in use")
