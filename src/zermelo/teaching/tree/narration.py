"""A search told in words: a sentence for each step, and why the outcome is what it is.

Every sentence is true under the trace's convention. A value that came back from below is told as what it proves: the 2
of a node that was cut is "2 at most", and a bound that fail-hard gives back is called one.

A tree's nodes go by their names, `MIN at C`; in a tree grown from a game, players and moves go by the game's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.tree.convention import INHERITED, NEGAMAX, STRICT
from zermelo.teaching.tree.game_trees import GameTree
from zermelo.teaching.tree.node import PLAYER_NAMES, Node, Tree
from zermelo.teaching.tree.numbers import Bound, Number, format_number
from zermelo.teaching.tree.trace import Cut, Step, Trace

#: So many names in a row, or moves of a line, are told; of more, how many they are.
MOST_NAMES, MOST_MOVES = 6, 12


def describe_step(trace: Trace, step: Step) -> str:
    """One step of a trace in one plain sentence."""
    return _telling(trace).step(step)


def explain(trace: Trace) -> list[str]:
    """Why the root is worth what it is: the outcome, each cut, why the best move is best and each other one is not."""
    telling = _telling(trace)
    return [telling.outcome(), *map(telling.cut, trace.cuts), *telling.moves()]


def explain_cut(trace: Trace, cut: Cut) -> str:
    """Why the search cuts there, in one sentence."""
    return _telling(trace).cut(cut)


def explain_moves(trace: Trace) -> list[str]:
    """Why the best move is best, and what is the answer to each other one: a sentence for each child of the root."""
    return _telling(trace).moves()


def explain_move(trace: Trace, node: Node) -> str:
    """Why a child of the root is the best move, or what is the answer to it."""
    return _telling(trace).move(node.index)


def explain_outcome(trace: Trace) -> str:
    """What the search found, in one sentence."""
    return _telling(trace).outcome()


def explain_node(trace: Trace, node: Node) -> list[str]:
    """Why a node is worth what it is: the sentences of its own steps. Or why nobody looked at it."""
    return _telling(trace).node(node)


def _telling(trace: Trace) -> _Telling:
    """What the sentences of a trace rest on, found out once and kept with it."""
    kept: dict[str, _Telling] = vars(trace)
    if "_telling" not in kept:
        kept["_telling"] = _Telling(trace)
    return kept["_telling"]


class Holding(NamedTuple):
    """Where a side has its bound from: at `node`, `child` came back with it. Indices; -1 and -1: the root's window."""

    node: int
    child: int


ROOT_WINDOW = Holding(-1, -1)


class _Names:
    """How nodes and players are called."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.game = tree if isinstance(tree, GameTree) else None
        self.players = PLAYER_NAMES if self.game is None else self.game.player_names

    def does(self, player: int, verb: str, verb_for_one: str) -> str:
        """A player with a verb: MAX has, crosses have."""
        name = self.players[player]
        return f"{name} {verb if name.endswith('s') and not name.endswith('ss') else verb_for_one}"

    def has(self, player: int, already: str = "") -> str:
        return self.does(player, f"{already}have", f"{already}has")

    def node(self, index: int) -> str:
        """A node on its own."""
        if self.game is None:
            return self.tree.nodes[index].id
        return f"the line {self.tree.nodes[index].id}" if index else "the position"

    def at(self, index: int) -> str:
        """Where a node is."""
        if self.game is None:
            return f"at {self.tree.nodes[index].id}"
        return f"after {self.tree.nodes[index].id}" if index else "in the position"

    def child(self, index: int) -> str:
        """A node as the child of one that was named: its move in a game."""
        node = self.tree.nodes[index]
        if self.game is not None or node.id.endswith(f" {node.move}"):  # named by the line of moves
            return self.tree.move_name(node)
        return node.id

    def line(self, indices: Sequence[int], between: str) -> str:
        """The moves of a line, one after the other."""
        told = between.join(map(self.child, indices[:MOST_MOVES]))
        return told if len(indices) <= MOST_MOVES else f"{told}, and {len(indices) - MOST_MOVES} more"

    def children(self, indices: Sequence[int]) -> str:
        told = ", ".join(map(self.child, indices[:MOST_NAMES]))
        return told if len(indices) <= MOST_NAMES else f"{told} and {len(indices) - MOST_NAMES} more"

    def sentence(self, text: str) -> str:
        """With a capital letter, unless it begins with the name of a node or a move, which is kept as it is."""
        begins = ("the position", "the line", *self.players.values())
        return text[:1].upper() + text[1:] if text.startswith(tuple(f"{begin} " for begin in begins)) else text


class _Telling:
    """A trace, and what its sentences need that no single step tells."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nodes = trace.tree.nodes
        self.names = _Names(trace.tree)
        self.negamax = trace.convention.algorithm == NEGAMAX
        self.cuts = {cut.node: cut for cut in trace.cuts}
        # Of each node, when it was entered: where MAX and MIN have their bounds from.
        self.held: dict[int, dict[int, Holding | None]] = {}
        # Of each node that came back: the best sibling before it, -1 for none.
        self.before: dict[int, int] = {}
        self._follow()
        self.known = trace.proven_bounds

    # ---- what the sentences rest on ---------------------------------------------------------------------------

    def sign(self, index: int) -> int:
        """What turns the trace's numbers at a node into numbers for MAX: -1 where they are for MIN."""
        if not self.negamax:
            return 1
        node = self.nodes[index]
        if node.player is not None:
            return -1 if node.player == MIN else 1
        return -1 if node.parent >= 0 and self.nodes[node.parent].player == MAX else 1

    def _follow(self) -> None:
        """Go through the steps once, and note who has which bound from where, and which child is the best so far."""
        trace, nodes = self.trace, self.nodes
        held_now: dict[int, dict[int, Holding | None]] = {}
        best: dict[int, tuple[Number, int]] = {}
        for step in trace.steps:
            node = nodes[step.node]
            if step.kind == "enter":
                if node.parent < 0:
                    low, high = trace.window
                    mine, theirs = (None if abs(end) == inf else ROOT_WINDOW for end in (low, high))
                    swapped = self.negamax and node.player == MIN
                    held = {MAX: theirs, MIN: mine} if swapped else {MAX: mine, MIN: theirs}
                elif nodes[node.parent].player == CHANCE:
                    held = {MAX: None, MIN: None}
                else:
                    held = held_now[node.parent]
                self.held[step.node] = dict(held)
                if node.player is not None:
                    held_now[step.node] = dict(held)
            elif step.kind == "bound" and node.player is not None:
                held_now[step.node][node.player] = Holding(step.node, step.child)
            elif step.kind == "value" and step.value is not None:
                so_far = best.get(step.node)
                self.before[step.child] = -1 if so_far is None else so_far[1]
                upward = node.player == MAX or self.negamax
                if so_far is None or (step.value > so_far[0] if upward else step.value < so_far[0]):
                    best[step.node] = (step.value, step.child)

    def value(self, index: int, value: Number, of: int | None = None) -> str:
        """A value that came back from a node, with what it proves; for MAX, or in negamax for the mover of `of`."""
        of = index if of is None else of
        low, high = self.known[index] if self.sign(of) == 1 else (-self.known[index][1], -self.known[index][0])
        told = format_number(value) + self.to(of)
        if low == value == high:
            return told
        return f"{told} {'at most' if high <= value else 'at least'}"

    def to(self, index: int) -> str:
        """In negamax: for whom the numbers at a node are."""
        return f" to {self.names.players[self.sign(index)]}" if self.negamax else ""

    def holding(self, held: Holding, bound: Bound) -> str:
        """Where a side has a bound: `3 with B at A`."""
        if held == ROOT_WINDOW:
            return f"{format_number(bound)} by the root's window"
        return f"{format_number(bound)} with {self.names.child(held.child)} {self.names.at(held.node)}"

    def bound_of(self, player: int, node: int, alpha: Bound, beta: Bound) -> Bound:
        """A side's bound in the window of a node, in the side's own numbers."""
        if not self.negamax:
            return alpha if player == MAX else beta
        return alpha if self.sign(node) == player else -beta

    # ---- the steps --------------------------------------------------------------------------------------------

    def step(self, step: Step) -> str:
        return self.names.sentence(self._step(step))

    def _step(self, step: Step) -> str:
        if step.kind == "enter":
            return self._enter(step)
        if step.kind == "leaf":
            return self._leaf(step)
        if step.kind == "value":
            return self._value(step)
        if step.kind == "bound":
            return self._bound(step)
        if step.kind == "cut":
            return self._cut(self.cuts[step.node])
        return self._leave(step)

    def _enter(self, step: Step) -> str:
        node, names = self.nodes[step.node], self.names
        name = names.node(step.node)
        if node.player is None:
            return f"{name} is reached, a leaf."
        if self.trace.records[step.node].is_cutoff:
            return f"{name} is reached, where the search ends for its depth."
        who = f"{names.players[node.player]} {names.at(step.node)}"
        if names.game is not None:
            who = f"{name}, where {names.does(node.player, 'move', 'moves')},"
        if node.player == CHANCE:
            return f"{who}: every outcome counts with its weight."
        if not self.trace.convention.prunes:
            return f"{names.does(node.player, 'move', 'moves')} {names.at(step.node)}."
        window = ""
        if self.trace.convention.show == INHERITED:
            window = f" with the window [{format_number(step.alpha)}, {format_number(step.beta)}]"
        return f"{who} is searched{window}: {self._what_is_held(step, node)}."

    def _what_is_held(self, step: Step, node: Node) -> str:
        told = []
        for player in (MAX, MIN):
            held = self.held[step.node][player]
            if held is not None:
                bound = self.bound_of(player, step.node, step.alpha, step.beta)
                has = self.names.has(player, "already " if held != ROOT_WINDOW else "")
                told.append(f"{has} {self.holding(held, bound)}")
        if told:
            return ", and ".join(told)
        if node.parent < 0:
            return "the search begins"
        if self.nodes[node.parent].player == CHANCE:
            return "an outcome of chance needs its exact value"
        return "nobody has anything elsewhere yet"

    def _leaf(self, step: Step) -> str:
        node, name = self.nodes[step.node], self.names.node(step.node)
        value = format_number(step.value)
        to = self.to(step.node)
        if self.trace.records[step.node].is_cutoff:
            if node.evaluation is None:
                return f"{name} has no evaluation, and counts as {value}{to}."
            return f"{name} is not searched further: its evaluation is {value}{to}."
        return f"{name} is worth {value}{to}{self._won(node)}."

    def _won(self, node: Node) -> str:
        """Who has won at a leaf of a game's tree, and after how many plies."""
        game = self.names.game
        if game is None or node.value is None:
            return ""
        won = game.game_result(node.value)
        if won is None:
            return ""
        utility, _ = won
        points = f" by {abs(utility)}" if game.root_state.max_utility > 1 else ""
        return f": {self.names.has(MAX if utility > 0 else MIN)} won{points}"

    def _value(self, step: Step) -> str:
        node, names, value = self.nodes[step.node], self.names, step.value
        assert value is not None
        child = names.child(step.child)
        back = f"{child} comes back{', worth' if self.negamax else ' with'} {self.value(step.child, value, step.node)}"
        if node.player == CHANCE:
            weight = node.weights[node.children.index(step.child)]
            return f"{back}; its weight is {weight} of {sum(node.weights)}."
        assert node.player is not None
        return f"{back}: {self._compared(step, node.player, value)}.{self._unmoved(step, node.player, value)}"

    def _compared(self, step: Step, player: int, value: Number) -> str:
        """A value that came back beside the best one before it."""
        who, before = self.names.players[player], self.before[step.child]
        if before < 0:
            return f"the best for {who} so far"
        best = self._returned(before, step.node)
        upward = player == MAX or self.negamax
        if value == best:
            keeps = self.names.does(player, "keep", "keeps")
            return f"no better than the {format_number(best)} of {self.names.child(before)}, so {keeps} that"
        if value > best if upward else value < best:
            more = "more" if upward else "less"
            return f"{more} than the {format_number(best)} of {self.names.child(before)}, the best for {who} so far"
        return f"{self.names.does(player, 'keep', 'keeps')} the {format_number(best)} of {self.names.child(before)}"

    def _unmoved(self, step: Step, player: int, value: Number) -> str:
        """A second sentence where the best so far moves no bound, or where equality does not cut."""
        if not self.trace.convention.prunes:
            return ""
        upward = player == MAX or self.negamax
        near, far = (step.alpha, step.beta) if upward else (step.beta, step.alpha)
        held = self.held[step.node]
        if self.trace.convention.cut == STRICT and value == far and held[-player] is not None:
            return f" It equals what {self.names.has(-player)}, which does not cut under the strict rule."
        inherited = held[player]
        if not self._is_best_so_far(step, upward, value):
            return ""
        entry = self.trace.records[step.node].entry
        assert entry is not None
        is_own = near != (entry[0] if upward else entry[1])
        if is_own or inherited is None or (value > near if upward else value < near):
            return ""
        bound = self.bound_of(player, step.node, step.alpha, step.beta)
        return f" {self.names.has(player)} {self.holding(inherited, bound)}, so no bound moves."

    def _is_best_so_far(self, step: Step, upward: bool, value: Number) -> bool:
        before = self.before[step.child]
        if before < 0:
            return True
        best = self._returned(before, step.node)
        return value > best if upward else value < best

    def _returned(self, child: int, node: int) -> Number:
        """What came back from a child, in the numbers of a node."""
        value = self.trace.records[child].returned
        assert value is not None
        return value * self.sign(child) * self.sign(node)

    def _bound(self, step: Step) -> str:
        player = self.nodes[step.node].player
        assert player is not None
        told = self.trace.format_bounds(step.node, (step.alpha, step.beta), step.value, is_done=False)
        is_window = self.trace.convention.show == INHERITED
        return (
            f"{self.names.has(player)} {format_number(step.value)} {self.names.at(step.node)} now: "
            f"{'the window becomes ' if is_window else ''}{told}."
        )

    def cut(self, cut: Cut) -> str:
        return self.names.sentence(self._cut(cut))

    def _cut(self, cut: Cut) -> str:
        names = self.names
        player = self.nodes[cut.node].player
        assert player is not None
        other = -player
        value = self._returned(cut.after, cut.node)
        entry, held = self.trace.records[cut.node].entry, self.held[cut.node][other]
        assert entry is not None
        bound = self.bound_of(other, cut.node, *entry)
        # Both numbers from the side whose bound it is.
        theirs = -value if self.negamax else value
        if self.negamax:
            limit = f"{names.players[other]} no more than {format_number(theirs)}"
            can = f"can already get {format_number(value)}, so {limit}"
        elif player == MIN:
            can = f"can already hold {names.players[MAX]} to {format_number(value)}"
        else:
            can = f"can already get {format_number(value)}"
        assert held is not None
        elsewhere = self.holding(held, bound)
        rest = "the rest" if len(cut.pruned) > 1 else "what is left"
        of = f"of {names.node(cut.node)}" if names.game is None else names.at(cut.node)
        never = f"{rest} {of} ({names.children(cut.pruned)}) is never looked at."
        begin = f"{names.players[player]} {names.at(cut.node)} {can}; {names.has(other)} {elsewhere}"
        if theirs == bound:
            return f"{begin}, and this is no better for {names.players[other]}: {never}"
        return f"{begin}: {never}"

    def _leave(self, step: Step) -> str:
        node, picture = self.nodes[step.node], self.trace.records[step.node]
        name, convention = self.names.node(step.node), self.trace.convention
        value, own = step.value, picture.own
        assert value is not None
        if node.player == CHANCE:
            return f"{name} is done: the mean of its outcomes is {self.value(step.node, value)}."
        assert node.player is not None
        done = f"{name} is {'left' if step.node in self.cuts else 'done'}"
        if own != value:
            rule = {FAIL_HARD: "fail-hard gives", PATH: "this variant gives"}.get(convention.variant, "it gives")
            pathless = ", without a path" if convention.variant == PATH else ""
            back = f"{rule} the bound {format_number(value)} back{pathless}"
            return f"{done}: the best found is {format_number(own)}, and {back}."
        by = f", by {self.names.child(step.child)}" if step.child >= 0 else ""
        pathless = "; no path goes with it" if convention.variant == PATH and step.child < 0 else ""
        return f"{done}: worth {self.value(step.node, value)}{by}{pathless}."

    # ---- the whole --------------------------------------------------------------------------------------------

    def node(self, node: Node) -> list[str]:
        """The sentences of a node's own steps; of one that was never visited, the cut that took it away."""
        picture = self.trace.records[node.index]
        if picture.is_visited:
            return [self.step(step) for step in self._steps_of(node.index)]
        name = self.names.node(node.index)
        if picture.cut is None:
            return [self.names.sentence(f"{name} lies below the depth of the search, and was never looked at.")]
        return [self.names.sentence(f"{name} was never looked at."), self.cut(self.trace.cuts[picture.cut])]

    def _steps_of(self, index: int) -> Iterable[Step]:
        return (step for step in self.trace.steps if step.node == index)

    def outcome(self) -> str:
        return self.names.sentence(self._outcome())

    def _outcome(self) -> str:
        trace, names = self.trace, self.names
        root = trace.tree.root
        player = MAX if root.player in (None, CHANCE) else root.player
        assert player is not None
        begin = f"{names.node(0)} is worth {self.value(0, trace.value)}{self._result(trace.value * self.sign(0))}"
        if trace.line and self._is_proven():
            line = names.line([node.index for node in trace.line], ", then ")
            begin += f"; {names.does(player, 'move', 'moves')} {line}" if names.game else f", by {line}"
        leaves = len(trace.tree.leaves)
        read = len(trace.leaves)
        if trace.depth is not None:
            return f"{begin}. To depth {trace.depth}, {read:,} {'leaf was' if read == 1 else 'leaves were'} read."
        of = f"Of {leaves:,} leaves" if leaves > 1 else "Of the one leaf there is"
        return f"{begin}. {of}, {read:,} {'was' if read == 1 else 'were'} read."

    def _result(self, value: Number) -> str:
        """What a value means in a game that ends within the tree."""
        game = self.names.game
        won = None if game is None else game.game_result(value)
        if game is None or won is None:
            return ""
        utility, plies = won
        points = f" by {abs(utility)}" if game.root_state.max_utility > 1 else ""
        after = "" if plies is None else f" after {plies} {'ply' if plies == 1 else 'plies'}"
        return f" ({self.names.does(MAX if utility > 0 else MIN, 'win', 'wins')}{points}{after})"

    def moves(self) -> list[str]:
        """A sentence for each child of the root, the best one first."""
        trace = self.trace
        root, is_proven = trace.tree.root, self._is_proven()
        if root.player is None or trace.records[0].is_cutoff:
            return []
        order = sorted(root.children, key=lambda child: is_proven and child != trace.best)
        told = [self.move(child) for child in order]
        if not is_proven:
            told.insert(0, "The value lies outside of the root's window, so no move is proven the best.")
        return told

    def _is_proven(self) -> bool:
        """Whether the best move is known to be that: always, if the search began with no bounds."""
        value = self.trace.value * self.sign(0)
        best = self.trace.best
        return self.known[0] == (value, value) and (best is None or self.known[best] == (value, value))

    def move(self, child: int) -> str:
        """Why a child of the root is the best, or is not."""
        trace, name = self.trace, self.names.child(child)
        root = trace.tree.root
        if not trace.records[child].is_visited:
            return f"{name} was never looked at."
        worth = self._worth(child)
        if root.player not in (MAX, MIN) or root.player is None:
            return f"{name}, with weight {root.weights[root.children.index(child)]} of {sum(root.weights)}: {worth}."
        if not self._is_proven():
            return f"{name}: {worth}."
        if child == trace.best:
            return f"{name} is the best move: {worth}."
        return f"{name} {self._beside_the_best(child, root.player)}: {worth}."

    def _beside_the_best(self, child: int, player: int) -> str:
        """How a child compares with the value of the root, by what was proven."""
        value = self.trace.value * self.sign(0)
        low, high = self.known[child]
        if low == high == value:
            return "is as good"
        if high < value if player == MAX else low > value:
            return "is worse"
        if high <= value if player == MAX else low >= value:
            return "is no better"
        return "is not the choice"

    def _worth(self, child: int) -> str:
        """What a child of the root leads to: the best answer, the line after it, and the value."""
        node, names = self.nodes[child], self.names
        worth = self._proven(child)
        if node.player is None or self.trace.records[child].is_cutoff:
            return f"it is worth {worth}"
        if node.player == CHANCE:
            return f"its mean is {worth}"
        first, *rest = self._line_from(child)
        verb = ("answer", "answers") if node.player != self.trace.tree.root.player else ("go on with", "goes on with")
        then = f", then {names.line(rest, ', ')}" if rest else ""
        return f"{names.does(node.player, *verb)} {names.child(first)}{then}, worth {worth}"

    def _proven(self, child: int) -> str:
        """What is proven of the value of a child of the root."""
        low, high = self.known[child] if self.sign(0) == 1 else (-self.known[child][1], -self.known[child][0])
        to = self.to(0)
        if not isinstance(low, float) and not isinstance(high, float):
            if low != high:
                return f"between {format_number(low)} and {format_number(high)}{to}"
            return f"{format_number(low)}{to}{self._result(low * self.sign(0))}"
        return f"{format_number(low)}{to} at least" if high == inf else f"{format_number(high)}{to} at most"

    def _line_from(self, index: int) -> list[int]:
        """The best moves from a node on, as far as the search has seen them."""
        line: list[int] = []
        while True:
            best = self.trace.records[index].best
            player = self.nodes[index].player
            if best is None and player in (MAX, MIN) and not self.trace.records[index].is_cutoff:
                # The path variant gives none back, but saw one.
                children = self.nodes[index].children
                seen = [child for child in children if self.trace.records[child].is_visited]
                if player == MAX:
                    best = max(seen, key=lambda child: self.known[child][0])
                else:
                    best = min(seen, key=lambda child: self.known[child][1])
            if best is None:
                return line
            line.append(best)
            index = best
