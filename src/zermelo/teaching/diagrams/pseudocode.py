"""The algorithm of a search as its convention has it, in lines for people, and which line a step stands at.

Nothing runs from these lines: what runs is `zermelo.search.textbook`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.tree.convention import NEGAMAX, STRICT, Convention
from zermelo.teaching.tree.trace import Step, Trace


class Line(NamedTuple):
    """A line, the kind of steps that stand at it, and who moves at their nodes; None: whoever."""

    text: str
    kind: str = ""
    player: int | None = None


class Pseudocode:
    """The lines of a trace's algorithm: `lines` as texts, and for each step its line."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        has_chance = any(node.player == CHANCE for node in trace.tree)
        told = list(_lines(trace.convention, has_chance, trace.depth is not None))
        self.lines = [line.text for line in told]
        self._numbers = {(line.kind, line.player): number for number, line in enumerate(told)}

    def line_of(self, step: Step) -> int | None:
        """The number of the line, from 0, that a step stands at."""
        number = self._numbers.get((step.kind, self._trace.tree.nodes[step.node].player))
        return self._numbers.get((step.kind, None)) if number is None else number


def _lines(said: Convention, has_chance: bool, has_depth: bool) -> Iterator[Line]:
    window = ", α, β" if said.prunes else ""
    leaf = "a leaf, or as deep as asked" if has_depth else "a leaf"
    if said.algorithm == NEGAMAX:
        yield Line("value(node, α, β), for the side that moves:", "enter")
        yield Line(f"  if node is {leaf}: return its value for that side", "leaf")
        yield from _loop(said, None, "  ", "−value(child, −β, −α)")
    else:
        yield Line(f"value(node{window}):", "enter")
        yield Line(f"  if node is {leaf}: return its value", "leaf")
        for player, name in ((MAX, "MAX"), (MIN, "MIN")):
            yield Line(f"  if {name} moves at node:")
            yield from _loop(said, player, "    ", f"value(child{window})")
    if has_chance:
        yield Line("  if chance moves at node:")
        yield Line("    for each child, from left to right:")
        yield Line(f"      v ← value(child{', −∞, +∞' if said.prunes else ''})", "value", CHANCE)
        yield Line("    return the mean of all v, by weight", "leave", CHANCE)


def _loop(said: Convention, player: int | None, indent: str, call: str) -> Iterator[Line]:
    """The children of a node, one after the other."""
    is_max = player != MIN
    choice, worst = ("max", "−∞") if is_max else ("min", "+∞")
    yield Line(f"{indent}best ← {worst}")
    yield Line(f"{indent}for each child, from left to right:")
    yield Line(f"{indent}  v ← {call}", "value", player)
    yield Line(f"{indent}  best ← {choice}(best, v)")
    if said.prunes:
        sign = {(True, True): ">", (True, False): "≥", (False, True): "<", (False, False): "≤"}[
            is_max, said.cut == STRICT
        ]
        yield Line(f"{indent}  if v {sign} {'β' if is_max else 'α'}: cut off the other children", "cut", player)
        moved = "α" if is_max else "β"
        yield Line(f"{indent}  {moved} ← {choice}({moved}, v)", "bound", player)
    result = "best"
    if said.prunes and said.variant == FAIL_HARD:
        result = "best, kept within the given α, β"
    elif said.prunes and said.variant == PATH:
        result = f"best, or the given {'α' if is_max else 'β'} if no worse"
    yield Line(f"{indent}return {result}", "leave", player)
