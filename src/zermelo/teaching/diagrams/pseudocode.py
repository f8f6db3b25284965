"""Pseudocode of a search algorithm under its convention, and the line at which each step happens.

For display only; the code that runs is `zermelo.search.textbook`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.search.textbook import FAIL_HARD, PATH, STAR2
from zermelo.teaching.tree.convention import (
    ASPIRATION,
    DEEPENING,
    KILLERS,
    NEGAMAX,
    PVS,
    QUIESCENCE,
    STRICT,
    TABLE,
    Convention,
)
from zermelo.teaching.tree.trace import Step, Trace


class Line(NamedTuple):
    """A line, the kinds of steps that happen at it, and the player to move at their nodes (None for any)."""

    text: str
    kinds: str = ""
    player: int | None = None


class Pseudocode:
    """The lines of the algorithm of a trace, and the line of each step."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        has_chance = any(node.player == CHANCE for node in trace.tree)
        lecture = trace.convention.lecture
        if lecture:
            lines = [*_LECTURES[lecture], *(_chance_node(trace.convention) if has_chance else ())]
        else:
            lines = list(_lines(trace.convention, has_chance, trace.depth is not None))
        self.lines = [line.text for line in lines]
        numbered = list(enumerate(lines))
        self._numbers = {(kind, line.player): number for number, line in numbered for kind in line.kinds.split()}

    def line_of(self, step: Step) -> int | None:
        """The index of the line, from 0, at which a step happens; None if there is none."""
        nodes, kind = self._trace.tree.nodes, step.kind
        node = nodes[step.node]
        player = node.player
        if kind == "leave" and node.parent < 0 and ("root-leave", None) in self._numbers:
            kind = "root-leave"
        elif kind == "leave" and player in (MAX, MIN) and step.value is not None:
            # Some pseudocode returns where it cuts: when the value reaches the bound of the other player.
            if step.value >= step.beta if player == MAX else step.value <= step.alpha:
                kind = "cut-leave"
        elif kind in ("enter", "leaf") and player is None:  # in functions for MAX and MIN, the player who would move
            player = MAX if node.parent < 0 or nodes[node.parent].player == MIN else MIN
        # The functions of lectures are for MAX and MIN; a chance node is entered where its lines begin.
        chance = ("chance", None) if player == CHANCE and kind == "enter" else (kind, None)
        for key in ((kind, player), (kind, None), (step.kind, player), (step.kind, None), chance):
            if key in self._numbers:
                return self._numbers[key]
        return None


def _lines(convention: Convention, has_chance: bool, has_depth: bool) -> Iterator[Line]:
    enhancements = convention.enhancements
    window = ", α, β" if convention.prunes else ""
    if DEEPENING in enhancements:
        yield from _iterations(convention.aspiration_width if ASPIRATION in enhancements else 0)
    leaf = "a leaf or at the depth limit" if has_depth or DEEPENING in enhancements else "a leaf"
    if QUIESCENCE in enhancements:
        leaf = "a leaf, or quiet at or below the depth limit"
    if convention.algorithm == NEGAMAX:
        yield Line("value(node, α, β), for the player to move:", "enter")
        yield Line(f"  if node is {leaf}: return its value for that player", "leaf")
        yield from _memory(convention)
        yield from _loop(convention, None, "  ")
    else:
        yield Line(f"value(node{window}):", "enter")
        yield Line(f"  if node is {leaf}: return its value", "leaf")
        yield from _memory(convention)
        for player, name in ((MAX, "MAX"), (MIN, "MIN")):
            yield Line(f"  if {name} is to move:")
            yield from _loop(convention, player, "    ")
    if has_chance and convention.has_star:
        yield from _star(convention.algorithm == STAR2)
    elif has_chance:
        yield from _chance_node(convention)


def _chance_node(convention: Convention) -> Iterator[Line]:
    yield Line("  if node is a chance node:", "chance")
    yield Line("    for each child, from left to right:")
    yield Line(f"      v ← value(child{', −∞, +∞' if convention.prunes else ''})", "value", CHANCE)
    yield Line("    return the weighted mean of all v", "leave", CHANCE)


def _iterations(width: int) -> Iterator[Line]:
    """Iterative deepening, the caller of `value`; with aspiration windows of half this width if it is not 0."""
    yield Line("for depth limit = 1, 2, 3, ...:", "iteration")
    if width:
        yield Line(f"  α, β ← v − {width}, v + {width} (at first −∞, +∞)")
        yield Line("  v ← value(root, α, β)")
        yield Line("  if v ≤ α: v ← value(root, −∞, β); if v ≥ β: v ← value(root, α, +∞)", "widen")
    else:
        yield Line("  v ← value(root, −∞, +∞)")


def _memory(convention: Convention) -> Iterator[Line]:
    """What the transposition table and the killer moves do at a node."""
    if TABLE in convention.enhancements:
        yield Line("  if the table has node at this depth,")
        yield Line("      exact, or as bound ≥ β or ≤ α: return it", "table-hit")
        yield Line("  try the best child in the table first", "table-move")
    if KILLERS in convention.enhancements:
        yield Line("  try the killer moves of this ply first", "killer")


def _loop(convention: Convention, player: int | None, indent: str) -> Iterator[Line]:
    """The loop over the children of a node."""
    is_max = player != MIN
    choice, worst = ("max", "−∞") if is_max else ("min", "+∞")
    call = "value(child, α, β)" if convention.prunes else "value(child)"
    null = "value(child, α, α + 1)" if is_max else "value(child, β − 1, β)"
    if convention.algorithm == NEGAMAX:
        call, null = "−value(child, −β, −α)", "−value(child, −α − 1, −α)"
    yield Line(f"{indent}best ← {worst}")
    if QUIESCENCE in convention.enhancements:
        yield Line(f"{indent}at the depth limit, if not in check:")
        yield Line(f"{indent}  best ← evaluation (stand pat)", "stand-pat", player)
        yield Line(f"{indent}  cut or move the bound as below")
        yield Line(f"{indent}  tactical children only")
    order = "in this order" if convention.enhancements.count(TABLE) + convention.enhancements.count(KILLERS) else ""
    yield Line(f"{indent}for each child, {order or 'from left to right'}:")
    if PVS in convention.enhancements:
        yield Line(f"{indent}  first child: v ← {call}")
        yield Line(f"{indent}  others: v ← {null}", "null-window", player)
        yield Line(f"{indent}    if α < v < β: v ← {call}", "re-search", player)
        yield Line(f"{indent}  best ← {choice}(best, v)", "value", player)
    else:
        yield Line(f"{indent}  v ← {call}", "value", player)
        yield Line(f"{indent}  best ← {choice}(best, v)")
    if convention.prunes:
        sign = {(True, True): ">", (True, False): "≥", (False, True): "<", (False, False): "≤"}[
            is_max, convention.cut == STRICT
        ]
        bound = "β" if is_max else "α"
        rest = (
            "store the killer, break" if KILLERS in convention.enhancements else "break (prune the remaining children)"
        )
        yield Line(f"{indent}  if v {sign} {bound}: {rest}", "cut", player)
        moved = "α" if is_max else "β"
        yield Line(f"{indent}  {moved} ← {choice}({moved}, v)", "bound", player)
    if TABLE in convention.enhancements:
        yield Line(f"{indent}store best in the table (exact, or as bound)", "store", player)
    result = "best"
    if convention.prunes and convention.variant == FAIL_HARD:
        result = "best, clamped to the initial [α, β]"
    elif convention.prunes and convention.variant == PATH:
        result = f"best, or the initial {'α' if is_max else 'β'} if best is no better"
    yield Line(f"{indent}return {result}", "leave", player)


def _star(probes: bool) -> Iterator[Line]:
    """A chance node in Star1 and Star2, with probabilities p and values between L and U."""
    yield Line("  if node is a chance node (all values are in [L, U], p: probabilities):")
    yield Line("    for each child: low ← L, high ← U")
    if probes:
        yield Line("    for each child: low or high ← the value of its first child alone, a bound", "probe", CHANCE)
    yield Line("    for each child, from left to right:")
    yield Line("      A ← (α − the sum of p · high of the other children) / p of this child")
    yield Line("      B ← (β − the sum of p · low of the other children) / p of this child")
    yield Line("      v ← value(child, max(A, low), min(B, high)); low, high ← v, v", "value", CHANCE)
    yield Line("      if the mean of all high ≤ α, or of all low ≥ β: break (prune the rest)", "cut", CHANCE)
    yield Line("    return the mean, or that bound of it", "leave", CHANCE)


# The pseudocode of the lectures, as on their slides. Lectures 002 and 003 have a function for each player, which call
# each other; that of 004 returns a pair of a value and a path.
_LECTURES = {
    "000": (
        Line("Generate the game as deep as time permits", "enter"),
        Line("Apply the evaluation function to the leaf states", "leaf"),
        Line("Back up values:"),
        Line("  at MIN ply assign the minimum payoff move", "value leave", MIN),
        Line("  at MAX ply assign the maximum payoff move", "value leave", MAX),
        Line("At the root, MAX chooses the operator that led", "root-leave"),
        Line("  to the highest payoff"),
    ),
    "002": (
        Line("function Max-Value(s, α, β)", "enter", MAX),
        Line("  if s is a terminal state"),
        Line("    then return the terminal value of s", "leaf", MAX),
        Line("  else for each s' in Succ(s)"),
        Line("    α := max(α, Min-Value(s', α, β))", "value bound", MAX),
        Line("    if α ≥ β then return β   /* alpha pruning */", "cut cut-leave", MAX),
        Line("  return α", "leave", MAX),
        Line("function Min-Value(s, α, β)", "enter", MIN),
        Line("  if s is a terminal state"),
        Line("    then return the terminal value of s", "leaf", MIN),
        Line("  else for each s' in Succ(s)"),
        Line("    β := min(β, Max-Value(s', α, β))", "value bound", MIN),
        Line("    if α ≥ β then return α   /* beta pruning */", "cut cut-leave", MIN),
        Line("  return β", "leave", MIN),
    ),
    "003": (
        Line("function ALPHA-BETA-SEARCH(state)"),
        Line("  v ← MAX-value(state, −∞, +∞)"),
        Line("  return the action in SUCCESSORS(state) with value v"),
        Line("function MAX-value(n, alpha, beta)", "enter", MAX),
        Line("  if n is a leaf node then return f(n)", "leaf", MAX),
        Line("  for each child n' of n do"),
        Line("    alpha := max{alpha, MIN-value(n', alpha, beta)}", "value bound", MAX),
        Line("    if alpha >= beta then return beta /* pruning */", "cut cut-leave", MAX),
        Line("  return alpha", "leave", MAX),
        Line("function MIN-value(n, alpha, beta)", "enter", MIN),
        Line("  if n is a leaf node then return f(n)", "leaf", MIN),
        Line("  for each child n' of n do"),
        Line("    beta := min{beta, MAX-value(n', alpha, beta)}", "value bound", MIN),
        Line("    if beta <= alpha then return alpha /* pruning */", "cut cut-leave", MIN),
        Line("  return beta", "leave", MIN),
    ),
    "004": (
        Line("procedure Minimax_alpha_beta(n, α, β)", "enter"),
        Line("  best := None"),
        Line("  if n is a leaf node then"),
        Line("    return evaluate(n), None", "leaf"),
        Line("  else if n is a MAX node then"),
        Line("    for each child c of n do"),
        Line("      score, path := MinimaxAlphaBeta(c, α, β)", "value", MAX),
        Line("      if score ≥ β then"),
        Line("        return score, None", "cut cut-leave", MAX),
        Line("      else if score > α then"),
        Line("        α := score; best := c : path", "bound", MAX),
        Line("    return α, best", "leave", MAX),
        Line("  else"),
        Line("    for each child c of n do"),
        Line("      score, path := MinimaxAlphaBeta(c, α, β)", "value", MIN),
        Line("      if score ≤ α then"),
        Line("        return score, None", "cut cut-leave", MIN),
        Line("      else if score < β then"),
        Line("        β := score; best := c : path", "bound", MIN),
        Line("    return β, best", "leave", MIN),
    ),
}
