"""Scores of contracts and par: the result of a deal if both sides bid and play best with open hands.

References
----------
- Laws of Duplicate Bridge 2017, Law 77.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: Order of the strains in the auction, and points for a trick: clubs, diamonds, hearts, spades, no trump.
DENOMINATIONS = (("C", 3, 20), ("D", 2, 20), ("H", 1, 30), ("S", 0, 30), ("NT", 4, 30))
CONTRACTS = 35
SIDES = ("NS", "EW")


class Par(NamedTuple):
    """The par result of a deal."""

    #: Score for North-South.
    score: int
    #: Contracts with this score, such as `NS 3NT` and `EW 4Sx` (doubled); empty if all pass.
    contracts: tuple[str, ...]


def contract_score(level: int, denomination: int, tricks: int, vulnerable: bool, doubled: bool) -> int:
    """Return the declarer's score of a contract.

    Parameters
    ----------
    level : int
        1 to 7.
    denomination : int
        Index of `DENOMINATIONS`.
    tricks : int
        Tricks that the declarer takes, 0 to 13.
    vulnerable, doubled : bool
        Of the declarer's side; of the contract.
    """
    over = tricks - level - 6
    if over < 0:
        down = -over
        if not doubled:
            return -down * (100 if vulnerable else 50)
        if vulnerable:
            return 100 - 300 * down
        return -(100, 300, 500)[down - 1] if down <= 3 else 400 - 300 * down
    _, _, each = DENOMINATIONS[denomination]
    trick_score = (level * each + (10 if denomination == 4 else 0)) * (2 if doubled else 1)
    score = trick_score + (50 if doubled else 0)
    score += over * ((200 if vulnerable else 100) if doubled else each)
    score += (500 if vulnerable else 300) if trick_score >= 100 else 50
    if level >= 6:
        score += (750 if vulnerable else 500) if level == 6 else (1500 if vulnerable else 1000)
    return score


def par(table: Sequence[Sequence[int]], dealer: int = 0, vulnerable: tuple[bool, bool] = (False, False)) -> Par:
    """Return the par result of a double-dummy table, by backward induction over the auction.

    Each side bids what is best for it, knowing all cards; contracts that fail are doubled.

    Parameters
    ----------
    table : sequence of sequence of int
        Tricks of the declarers N, E, S, W in spades, hearts, diamonds, clubs, no trump: `table[declarer][strain]`.
    dealer : int
        Who bids first: 0 North, 1 East, 2 South, 3 West.
    vulnerable : tuple of bool
        Whether North-South and East-West are vulnerable.
    """
    results = [[_result(table, contract, side, vulnerable[side]) for side in (0, 1)] for contract in range(CONTRACTS)]
    # final[c][s]: the score for North-South once side s has bid contract c; best[s]: the best of a higher bid of s.
    best: list[int | None] = [None, None]
    final = [[0, 0] for _ in range(CONTRACTS)]
    # Whether the other side loses by a higher bid; where it only gains nothing, the auction goes on to the same score.
    is_last = [[False, False] for _ in range(CONTRACTS)]
    for contract in range(CONTRACTS - 1, -1, -1):
        for side in (0, 1):
            result, higher = results[contract][side], best[1 - side]
            final[contract][side] = _better(1 - side, result, higher)
            is_last[contract][side] = higher is None or (final[contract][side] == result != higher)
        for side in (0, 1):
            best[side] = _better(side, final[contract][side], best[side])
    first = dealer % 2
    score = _better(first, _better(1 - first, 0, best[1 - first]), best[first])
    found: dict[tuple[int, int], str] = {}
    for contract in range(CONTRACTS):
        for side in (0, 1):
            is_par = is_last[contract][side] and results[contract][side] == score != 0
            if is_par and (side, contract % 5) not in found:
                level = contract // 5 + 1
                is_made = _tricks(table, contract, side) >= level + 6
                name = DENOMINATIONS[contract % 5][0]
                found[side, contract % 5] = f"{SIDES[side]} {level}{name}{'' if is_made else 'x'}"
    return Par(score, tuple(found.values()))


def _better(side: int, score: int, other: int | None) -> int:
    """The better of two scores for North-South (side 0) or East-West (side 1); `other` may be missing."""
    if other is None:
        return score
    return max(score, other) if side == 0 else min(score, other)


def _tricks(table: Sequence[Sequence[int]], contract: int, side: int) -> int:
    """The most tricks that a player of the side takes as declarer."""
    strain = DENOMINATIONS[contract % 5][1]
    return max(table[side][strain], table[side + 2][strain])


def _result(table: Sequence[Sequence[int]], contract: int, side: int, vulnerable: bool) -> int:
    """The score for North-South if side declares the contract."""
    level, tricks = contract // 5 + 1, _tricks(table, contract, side)
    score = contract_score(level, contract % 5, tricks, vulnerable, tricks < level + 6)
    return score if side == 0 else -score
