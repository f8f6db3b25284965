"""`zermelo solve bridge`: the double-dummy table of a deal with par, and the tricks of each card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zermelo.core.game import State
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.search.solving import Solver

VULNERABLE = {"none": (False, False), "ns": (True, False), "ew": (False, True), "both": (True, True)}


def table_and_par(state: State, dealer: str, vulnerable: str, solver: Solver) -> dict[str, Any]:
    """The tricks of all declarers in all strains, and the par result of a full deal.

    Raises
    ------
    LimitError
        If the dealer or the vulnerable sides are not known.
    """
    from zermelo.games.bridge import Bridge
    from zermelo.games.bridge.cards import SEATS, STRAINS

    if len(dealer) != 1 or dealer.upper() not in SEATS:
        raise LimitError(f"--dealer must be N, E, S or W (got {dealer!r})")
    if vulnerable.lower() not in VULNERABLE:
        raise LimitError(f"--vulnerable must be none, ns, ew or both (got {vulnerable!r})")
    assert isinstance(state, Bridge)
    cards = state.hands[0].count()
    table = [[0] * len(STRAINS) for _ in SEATS]
    for strain in range(len(STRAINS)):
        guess = None
        for declarer in (0, 2, 1, 3):
            guess = solver.value(state.replace(trump=strain, leader=(declarer + 1) % 4), guess)
            table[declarer][strain] = _tricks(guess, cards, declarer)
    return _with_par(table, cards, dealer, vulnerable)


def _with_par(table: list[list[int]], cards: int, dealer: str, vulnerable: str) -> dict[str, Any]:
    """The tricks of the declarers N, E, S, W in each strain by their names, and par of a full deal."""
    from zermelo.games.bridge.cards import HAND, SEATS, STRAINS
    from zermelo.games.bridge.scoring import par

    result: dict[str, Any] = {
        "table": {SEATS[declarer]: dict(zip(STRAINS, row, strict=True)) for declarer, row in enumerate(table)}
    }
    if cards == HAND:
        best = par(table, SEATS.index(dealer.upper()), VULNERABLE[vulnerable.lower()])
        result["par"] = {"score": best.score, "contracts": list(best.contracts)}
    return result


def is_result(found: dict[str, Any], state: State, dealer: str, vulnerable: str) -> bool:
    """Whether data read from a file, of the right types, can be what `table_and_par` or `tricks` returns."""
    from zermelo.games.bridge import Bridge
    from zermelo.games.bridge.cards import SEATS, STRAINS

    assert isinstance(state, Bridge)
    most = max(hand.count() for hand in state.hands)
    if "table" in found:
        table = found["table"]
        if list(table) != list(SEATS) or any(list(row) != list(STRAINS) for row in table.values()):
            return False
        rows = [list(row.values()) for row in table.values()]
        return max(map(max, rows)) <= most and found == _with_par(rows, most, dealer, vulnerable)
    names = [state.move_name(move) for move in state.legal_moves()]
    return (
        found.keys() == {"tricks", "moves"}
        and list(found["moves"]) == names
        and all(0 <= tricks <= most for tricks in found["moves"].values())
        and found["tricks"] == max(found["moves"].values(), default=0)
    )


def tricks(state: State, solver: Solver) -> dict[str, Any]:
    """The further tricks that the side to move takes, and those after each legal card."""
    from zermelo.games.bridge import Bridge

    assert isinstance(state, Bridge)
    if state.is_over():
        return {"tricks": 0, "moves": {}}
    left = state.hands[(state.leader + 3) & 3].count()
    seat = state.seat()
    values = solver.move_values(state)
    settled = state.settled()
    found = {state.move_name(move): _tricks(value - settled, left, seat) for move, value in values.items()}
    return {"tricks": max(found.values()), "moves": found}


def _tricks(value: int, cards: int, seat: int) -> int:
    """The tricks of a seat's side, of `cards` tricks, where North-South take `value` more than East-West."""
    north_south = (cards + value) // 2
    return north_south if seat % 2 == 0 else cards - north_south


def table_lines(result: dict[str, Any]) -> list[str]:
    """The table as text, a row for each declarer."""
    strains = list(result["table"]["N"])
    lines = ["     " + "".join(f"{strain:>4}" for strain in strains)]
    lines += [f"{seat:5}" + "".join(f"{row[strain]:4}" for strain in strains) for seat, row in result["table"].items()]
    if "par" in result:
        contracts = ", ".join(result["par"]["contracts"]) or "all pass"
        lines.append(f"par      {result['par']['score']:+} for North-South: {contracts}")
    return lines
