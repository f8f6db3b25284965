"""Verification of endgame tables: each entry against the entries of the positions that its moves lead to.

Distances make this a proof. A win in n plies must have a move to a loss in n - 1, and none to a nearer loss; of a loss
in n plies all moves must lead to wins, the latest in n - 1. So every win and loss rests on one that is nearer to the
end, down to finished games. A draw must have a move to a draw and none to a loss of the other side: both sides can
avoid losing forever.

The functions here share no code with `zermelo.solve.retrograde`, which computes the entries from the end backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zermelo.core.game import State
from zermelo.errors import FormatError
from zermelo.search.endgame_tables import EndgameTable

# Entries that are checked in one call: about a tenth of a second, after which Ctrl-C is noticed.
CHUNK = 1 << 16


def verify(table: EndgameTable) -> Iterator[int]:
    """Check all entries of a table. Yields the number of entries checked so far.

    Raises
    ------
    FormatError
        For the first wrong entry: names the position, the entry and what its moves give.
    """
    check: Any = check_entries
    state, total, start = table.game.start(), len(table.entries), 0
    if table.game.is_compiled:
        from zermelo.compiled import native

        check = native(check_entries, state, start, total, table.entries)
    for first in range(0, total, CHUNK):
        last = min(first + CHUNK, total)
        wrong = int(check(state, first, last, table.entries))
        if wrong >= 0:
            position = state.unindex(wrong)
            raise FormatError(
                f"{table.game.__name__}, endgame table of {table.men} men: the entry {int(table.entries[wrong])} of "
                f"{position} (number {wrong}) does not agree with its moves; build the table again"
            )
        yield last


def check_entries(game: State, first: int, last: int, entries: Any) -> int:
    """The first number whose entry is wrong; -1: none."""
    unused = -128 if entries.itemsize == 1 else -32768
    for number in range(first, last):
        state = game.unindex(number)
        entry = int(entries[number])
        if state.index() != number:
            if entry != unused:
                return number
            continue
        player = state.to_move()
        if state.is_over():
            utility = state.utility() * player
            if entry != utility:  # won now is 1, lost now -1
                return number
            continue
        soonest_win = 1 << 20
        latest_loss = 0
        can_draw = False
        for move in state.moves():
            after = state.play(move)
            if after.is_over():
                outcome = after.utility() * player
                distance = 1
            else:
                place = after.index()
                if place < 0 or place >= len(entries) or int(entries[place]) == unused:
                    return number
                outcome = int(entries[place])
                distance = abs(outcome)
                if after.to_move() != player:
                    outcome = -outcome
            if outcome > 0:
                soonest_win = min(soonest_win, distance)
            elif outcome < 0:
                latest_loss = max(latest_loss, distance)
            else:
                can_draw = True
        expected = -latest_loss - 1
        if soonest_win < 1 << 20:
            expected = soonest_win + 1
        elif can_draw:
            expected = 0
        if entry != expected:
            return number
    return -1
