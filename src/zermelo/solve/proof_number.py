"""Forced wins by proof-number search: who wins a position, a line, and the whole proof as a file.

Two searches take turns, each with twice the nodes of its last turn: whether the side to move wins, and whether the
other side does. `zermelo.solve.proof_search` is the compiled search, `zermelo.solve.proof_file` writes and checks
proofs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from zermelo.compiled import native
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory, repeats_to_draw
from zermelo.core.validation import check_state, validate_root
from zermelo.errors import LimitError
from zermelo.search import threads as parallel
from zermelo.search.compiled_textbook import failure
from zermelo.search.context import SearchContext
from zermelo.search.table import parse_size
from zermelo.solve.proof_search import BUCKET, ENTRY, INFINITE, place_of, run_prove

# Nodes of the first turn.
FIRST_TURN = 1 << 14
#: The most positions of a proof that is collected.
MAX_POSITIONS = 2_000_000


class Proof(NamedTuple):
    """What a proof-number search has found.

    Attributes
    ----------
    value : int or None
        The result for MAX with best play: 1, 0 or -1; None if the limits did not suffice.
    line : tuple of int
        A line of a won game: moves of the proof, and the defences that took the most nodes to refute.
    nodes : int
        Positions visited.
    seconds : float
        Time of the search, without compiling.
    reason : str
        "solved", or why the search ended: "nodes", "seconds" or "interrupted".
    """

    value: int | None
    line: tuple[int, ...]
    nodes: int
    seconds: float
    reason: str


class WinSearch:
    """The search for a forced win of one player."""

    def __init__(self, state: State, attacker: int, table: str | int, history: Sequence[State]) -> None:
        import numpy as np

        words = max(parse_size(table) // 8 // (BUCKET * ENTRY), 1)
        self.state, self.attacker = state, attacker
        self.buckets = 1 << (words.bit_length() - 1)
        try:
            self.table = np.zeros(self.buckets * BUCKET * ENTRY, np.int64)
        except MemoryError:
            raise LimitError(f"a table of {table} does not fit into this machine's memory") from None
        self.ctx = SearchContext()
        self.ctx.set_history(state, history)
        self.run = native(run_prove, *self._arguments(state))
        #: Whether the attacker wins; None: not known.
        self.is_won: bool | None = None
        self.is_done = False

    def _arguments(self, state: State) -> tuple[Any, ...]:
        return state, self.attacker, INFINITE, INFINITE, 0, 0, self.ctx, self.table, self.buckets - 1

    def search(self, nodes: int, deadline: float | None, interrupt: threading.Event) -> None:
        """Continue the search, in at most `nodes` nodes. Raises `Stopped` at the deadline and on Ctrl-C."""
        self.ctx.stop = False
        try:
            call = lambda: self.run(*self._arguments(self.state))  # noqa: E731
            _, (proof, disproof) = parallel.run([call], [self.ctx], deadline, nodes, interrupt)
        except parallel.Stopped as stopped:
            if stopped.reason:
                raise
            return
        except Exception as error:
            raise failure(error, self.state) from None
        self.is_done = True
        if proof == 0:
            self.is_won = True
        elif disproof == 0 and not self.ctx.rounded:
            self.is_won = False

    def winning_move(self, state: State) -> int:
        """The attacker's move in a position that is proven."""
        for move in state.legal_moves():  # a win at once is not in the table
            child = state.play(move)
            if child.is_over() and child.utility() * self.attacker > 0:
                return move
        return int(self.table[self._proven_place(state) + 2])

    def cost(self, state: State) -> int:
        """The nodes that the proof of a position took."""
        return 0 if state.is_over() else int(self.table[self._proven_place(state) + 3])

    def _proven_place(self, state: State) -> int:
        """The place in the table of a position that is proven; it is searched again if its entry was replaced."""
        place = place_of(state.key(), self.table, self.buckets - 1)
        if place < 0 or self.table[place + 1] >> 32 != 0:
            self.ctx.stop = False
            parallel.run([lambda: self.run(*self._arguments(state))], [self.ctx])
            place = place_of(state.key(), self.table, self.buckets - 1)
        assert place >= 0
        assert self.table[place + 1] >> 32 == 0
        return place

    def line(self) -> tuple[int, ...]:
        """A line of the proof, with the defences that cost most."""
        state, moves = self.state, []
        while not state.is_over():
            if state.to_move() == self.attacker:
                move = self.winning_move(state)
            else:
                move = max(state.legal_moves(), key=lambda each: self.cost(state.play(each)))
            moves.append(move)
            state = state.play(move)
        return tuple(moves)

    def positions(self) -> Iterator[tuple[State, int]]:
        """Yield the attacker's positions of the proof with the winning moves, each once."""
        left, seen = [self.state], set()
        while left:
            state = left.pop()
            if state.is_over() or state in seen:
                continue
            seen.add(state)
            if len(seen) > MAX_POSITIONS:
                raise LimitError(f"the proof has more than {MAX_POSITIONS:,} positions; it is not written")
            if state.to_move() == self.attacker:
                move = self.winning_move(state)
                yield state, move
                left.append(state.play(move))
            else:
                left += [state.play(move) for move in state.legal_moves()]


def check_supported(game: type[State]) -> None:
    """Raise `LimitError` if a game cannot be searched by proof numbers."""
    name = game.__name__
    if game.has_chance or not game.perfect_information or game.max_utility > 1 or game.has_forbidden_repetition:
        raise LimitError(
            f"{name}: proof-number search is for games of win, draw and loss, with perfect information, without chance "
            "and forbidden repetitions"
        )
    if not game.is_compiled:
        raise LimitError(f"{name} is interpreted: proof-number search needs the 64-bit keys of compiled games")


def find_win(
    state: State,
    nodes: int | None = None,
    seconds: float | None = None,
    table: str | int = "256M",
    history: Sequence[State] = (),
    show: Callable[[int], None] = lambda nodes: None,
) -> tuple[Proof, WinSearch | None]:
    """Find out who wins a position.

    Parameters
    ----------
    state : State
        The position, of a compiled game of win, draw and loss.
    nodes, seconds : optional
        Limits.
    table : str or int
        Size in bytes of the tables of both searches together.
    history : sequence of State
        The positions before, for rules about repetition.
    show : callable
        Called with the number of positions visited, from time to time.

    Returns
    -------
    Proof
        The result.
    WinSearch or None
        The search that found the win, with its proof.

    Raises
    ------
    LimitError
        If the game is not supported, or a position before has occurred so often that its next occurrence is a draw.
    """
    check_state(state)
    check_supported(type(state))
    if not validate_root(state):
        return Proof(state.utility(), (), 0, 0.0, "solved"), None
    if repeats_to_draw(state, PositionHistory(history)):
        raise LimitError(
            "a position before has occurred so often that its next occurrence is a draw, which proof-number search "
            "does not follow; leave out --moves"
        )
    assert state.to_move() != CHANCE
    size = parse_size(table) // 2
    searches = [WinSearch(state, player, size, history) for player in (state.to_move(), -state.to_move())]
    began = time.perf_counter()
    deadline = None if seconds is None else began + seconds
    interrupt, turn, reason, won = threading.Event(), FIRST_TURN, "solved", None
    with parallel.catching_interrupts(interrupt, raises=False):
        try:
            while won is None and not all(each.is_done for each in searches):
                for each in searches:
                    used = sum(search.ctx.nodes for search in searches)
                    left = turn if nodes is None else min(turn, nodes - used)
                    if left <= 0:
                        raise parallel.Stopped("nodes")
                    if not each.is_done:
                        each.search(left, deadline, interrupt)
                        show(sum(search.ctx.nodes for search in searches))
                    if each.is_won:
                        won = each
                        break
                turn *= 2
        except parallel.Stopped as stopped:
            reason = stopped.reason
    visited, took = sum(each.ctx.nodes for each in searches), time.perf_counter() - began
    if won is not None:
        return Proof(won.attacker, won.line(), visited, took, "solved"), won
    if reason == "solved" and all(each.is_won is False for each in searches):
        return Proof(0, (), visited, took, reason), None
    return Proof(None, (), visited, took, "repetition" if reason == "solved" else reason), None
