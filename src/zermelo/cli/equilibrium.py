"""`zermelo equilibrium`: solves a small game of imperfect information."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments, formatting, screen
from zermelo.cli.arguments import Game
from zermelo.core.game import MAX, MIN, State

if TYPE_CHECKING:
    from zermelo.solve.equilibrium import Equilibrium


def equilibrium(
    game: Game,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Approximate with N iterations of CFR+, for larger games. Default: solve exactly."
        ),
    ] = None,
    as_json: arguments.Json = False,
) -> None:
    """Solve a small game of imperfect information.

    Prints the value of the game and, for each player and information state, the probability of each move. The
    exploitability is computed from best responses.
    """
    from zermelo.solve.equilibrium import approximate, solve

    cls = arguments.load(game)
    with arguments.blaming(cls):
        start = cls.start()
        found = [solve(start)] if iterations is None else list(approximate(start, iterations))
    if as_json:
        print(json.dumps(described(game, start, found)))
    else:
        _show(game, start, found)


def described(game: str, start: State, found: list[Equilibrium]) -> dict[str, Any]:
    """The last one found as plain data, and how near each of them came."""
    last = found[-1]
    report: dict[str, Any] = {
        "game": game,
        "value": float(last.value),
        "exact": str(last.value) if not last.exploitability else None,
        "exploitability": float(last.exploitability),
        "states": last.states,
        "rounds": last.iterations,
    }
    for key, player in (("max", MAX), ("min", MIN)):
        report[key] = {
            "name": start.player_name(player),
            "strategy": [
                {
                    "information": information,
                    "moves": {name: float(share) for name, share in shares.items()},
                    **({} if last.iterations else {"exact": {name: str(share) for name, share in shares.items()}}),
                }
                for information, shares in last.strategies[player].items()
            ],
        }
    if last.iterations:
        report["progress"] = [
            {"rounds": each.iterations, "value": float(each.value), "exploitability": float(each.exploitability)}
            for each in found
        ]
    return report


def _show(game: str, start: State, found: list[Equilibrium]) -> None:
    out = screen.console()
    last = found[-1]
    exact = not last.iterations
    if exact:
        proof = "proven: neither side can gain by another strategy"
        value = f"{last.value} = {float(last.value):.4f}" if last.value.denominator > 1 else str(last.value)
    else:
        proof = f"{formatting.plural(last.iterations, 'round')} of CFR+; it lies between"
        proof += f" {float(last.lower_bound):.6f} and {float(last.upper_bound):.6f}"
        value = f"{float(last.value):.6f}"
    ours, theirs = (start.player_name(player) for player in (MAX, MIN))
    first, second = last.information_sets
    size = (
        f"{formatting.plural(last.states, 'state')}; "
        f"{formatting.plural(first, 'information set')} of {ours}, {second} of {theirs}"
    )
    screen.facts(out, [("game", f"{game}: {size}"), ("value", f"{value} for {ours}, {proof}")], "value")
    for player, name in ((MAX, ours), (MIN, theirs)):
        rows = [(f"{name} knows", "and plays")]
        rows += [(known, _shares(shares, exact)) for known, shares in last.strategies[player].items()]
        print()
        screen.table(out, rows)
    if not exact:
        print()
        screen.table(
            out,
            [
                ("rounds", "value", "could be gained"),
                *(
                    (formatting.count(e.iterations), f"{float(e.value):.6f}", f"{float(e.exploitability):.6f}")
                    for e in found
                ),
            ],
        )


def _shares(shares: Any, exact: bool) -> str:
    """`check`, or `fold 2/3, call 1/3`: what is never played is left out."""

    def as_text(share: Fraction) -> str:
        return str(share) if exact else f"{float(share):.3f}"

    played = {name: as_text(share) for name, share in shares.items() if as_text(share) not in ("0", "0.000")}
    return ", ".join(name if share in ("1", "1.000") else f"{name} {share}" for name, share in played.items())
