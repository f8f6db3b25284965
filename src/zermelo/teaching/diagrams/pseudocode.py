"""Pseudocode of a search algorithm under its convention, and the line at which each step happens.

For display only; the code that runs is `zermelo.search.textbook`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.tree.convention import NEGAMAX, STRICT, Convention
from zermelo.teaching.tree.trace import Step, Trace


class Line(NamedTuple):
    """A line, the kind of steps that happen at it, and the player to move at their nodes (None for any)."""

    text: str
    kind: str = ""
    player: int | None = None


class Pseudocode:
    """The lines of the algorithm of a trace, and the line of each step."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        has_chance = any(node.player == CHANCE for node in trace.tree)
        lines = list(_lines(trace.convention, has_chance, trace.depth is not None))
        self.lines = [line.text for line in lines]
        self._numbers = {(line.kind, line.player): number for number, line in enumerate(lines)}

    def line_of(self, step: Step) -> int | None:
        """The index of the line, from 0, at which a step happens; None if there is none."""
        number = self._numbers.get((step.kind, self._trace.tree.nodes[step.node].player))
        return self._numbers.get((step.kind, None)) if number is None else number


def _lines(convention: Convention, has_chance: bool, has_depth: bool) -> Iterator[Line]:
    window = ", α, β" if convention.prunes else ""
    leaf = "a leaf or at the depth limit" if has_depth else "a leaf"
    if convention.algorithm == NEGAMAX:
        yield Line("value(node, α, β), for the player to move:", "enter")
        yield Line(f"  if node is {leaf}: return its value for that player", "leaf")
        yield from _loop(convention, None, "  ", "−value(child, −β, −α)")
    else:
        yield Line(f"value(node{window}):", "enter")
        yield Line(f"  if node is {leaf}: return its value", "leaf")
        for player, name in ((MAX, "MAX"), (MIN, "MIN")):
            yield Line(f"  if {name} is to move:")
            yield from _loop(convention, player, "    ", f"value(child{window})")
    if has_chance:
        yield Line("  if node is a chance node:")
        yield Line("    for each child, from left to right:")
        yield Line(f"      v ← value(child{', −∞, +∞' if convention.prunes else ''})", "value", CHANCE)
        yield Line("    return the weighted mean of all v", "leave", CHANCE)


def _loop(convention: Convention, player: int | None, indent: str, call: str) -> Iterator[Line]:
    """The loop over the children of a node."""
    is_max = player != MIN
    choice, worst = ("max", "−∞") if is_max else ("min", "+∞")
    yield Line(f"{indent}best ← {worst}")
    yield Line(f"{indent}for each child, from left to right:")
    yield Line(f"{indent}  v ← {call}", "value", player)
    yield Line(f"{indent}  best ← {choice}(best, v)")
    if convention.prunes:
        sign = {(True, True): ">", (True, False): "≥", (False, True): "<", (False, False): "≤"}[
            is_max, convention.cut == STRICT
        ]
        bound = "β" if is_max else "α"
        yield Line(f"{indent}  if v {sign} {bound}: break (prune the remaining children)", "cut", player)
        moved = "α" if is_max else "β"
        yield Line(f"{indent}  {moved} ← {choice}({moved}, v)", "bound", player)
    result = "best"
    if convention.prunes and convention.variant == FAIL_HARD:
        result = "best, clamped to the initial [α, β]"
    elif convention.prunes and convention.variant == PATH:
        result = f"best, or the initial {'α' if is_max else 'β'} if best is no better"
    yield Line(f"{indent}return {result}", "leave", player)
