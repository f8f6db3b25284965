"""Sentences that explain a search: what happens at each step, and why the result is what it is.

Every sentence is true under the convention of the trace. A returned value that is only a bound is called one, whether
it comes from a cutoff or from fail-hard alpha-beta. Nodes of a tree are called by their names (`MIN node C`); in the
tree of a game, players and moves have the names of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.tree.convention import INHERITED, INTERVAL, NEGAMAX, STRICT
from zermelo.teaching.tree.game_trees import GameTree
from zermelo.teaching.tree.node import PLAYER_NAMES, Node, Tree
from zermelo.teaching.tree.numbers import Bound, Number, format_number
from zermelo.teaching.tree.trace import Cut, Step, Trace

#: Longest list of pruned nodes and longest line of moves that a sentence spells out.
MAX_NAMES, MAX_MOVES = 6, 12


def describe_step(trace: Trace, step: Step) -> str:
    """One step of a trace as a sentence.

    Examples
    --------
    >>> from zermelo.teaching import tree
    >>> trace = tree.trace("[[3,12],[2,4]]")
    >>> describe_step(trace, trace.steps[-1])
    'A returns 3, best child B.'
    """
    return _narrator(trace).step(step)


def explain(trace: Trace) -> list[str]:
    """Why the root has its value: the result, each cutoff, and a sentence for each child of the root.

    Examples
    --------
    >>> from zermelo.teaching import tree
    >>> explain(tree.trace("[[3,12],[2,4]]"))[-1]
    'C is worse: MIN replies c1, value at most 2.'
    """
    narrator = _narrator(trace)
    return [narrator.outcome(), *map(narrator.cut, trace.cuts), *narrator.moves()]


def explain_cut(trace: Trace, cut: Cut) -> str:
    """Why the search cuts at a node."""
    return _narrator(trace).cut(cut)


def explain_moves(trace: Trace) -> list[str]:
    """A sentence for each child of the root: why it is the best move, or what refutes it. The best move comes first."""
    return _narrator(trace).moves()


def explain_move(trace: Trace, node: Node) -> str:
    """Why a child of the root is the best move, or what refutes it."""
    return _narrator(trace).move(node.index)


def explain_outcome(trace: Trace) -> str:
    """The result of the search."""
    return _narrator(trace).outcome()


def explain_node(trace: Trace, node: Node) -> list[str]:
    """Why a node has its value: the sentences of its steps; for a pruned node the cutoff that pruned it."""
    return _narrator(trace).node(node)


def _narrator(trace: Trace) -> _Narrator:
    """The narrator of a trace, made once and cached with it."""
    cache: dict[str, _Narrator] = vars(trace)
    if "_narrator" not in cache:
        cache["_narrator"] = _Narrator(trace)
    return cache["_narrator"]


class Source(NamedTuple):
    """Where the bound of a player comes from: `child` returned it at `node`. Indices; -1 and -1 for the root window."""

    node: int
    child: int


ROOT_WINDOW = Source(-1, -1)


class _Names:
    """Names of nodes, moves and players in sentences."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.game = tree if isinstance(tree, GameTree) else None
        self.players = PLAYER_NAMES if self.game is None else self.game.player_names

    def with_verb(self, player: int, plural: str, singular: str) -> str:
        """A player with a verb in the right number: `MAX is`, `crosses are`."""
        name = self.players[player]
        return f"{name} {plural if name.endswith('s') and not name.endswith('ss') else singular}"

    def node(self, index: int) -> str:
        """A node."""
        if self.game is None:
            return self.tree.nodes[index].id
        return f"the line {self.tree.nodes[index].id}" if index else "the position"

    def at(self, index: int) -> str:
        """The place of an event."""
        if self.game is None:
            return f"at {self.tree.nodes[index].id}"
        return f"after {self.tree.nodes[index].id}" if index else "in the position"

    def child(self, index: int) -> str:
        """A node as the child of a node already named: in a game, the move to it."""
        node = self.tree.nodes[index]
        if self.game is not None or node.id.endswith(f" {node.move}"):  # named after the line of moves
            return self.tree.move_name(node)
        return node.id

    def line(self, indices: Sequence[int]) -> str:
        """The moves of a line."""
        text = ", ".join(map(self.child, indices[:MAX_MOVES]))
        return text if len(indices) <= MAX_MOVES else f"{text}, and {len(indices) - MAX_MOVES} more"

    def children(self, indices: Sequence[int]) -> str:
        text = ", ".join(map(self.child, indices[:MAX_NAMES]))
        return text if len(indices) <= MAX_NAMES else f"{text} and {len(indices) - MAX_NAMES} more"

    def sentence(self, text: str) -> str:
        """Capitalize the text, unless it starts with the name of a node or a move."""
        starts = ("the", *self.players.values())
        return text[:1].upper() + text[1:] if text.startswith(tuple(f"{start} " for start in starts)) else text


class _Narrator:
    """A trace with what its sentences need beyond the single step: the sources of all bounds."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nodes = trace.tree.nodes
        self.names = _Names(trace.tree)
        self.negamax = trace.convention.algorithm == NEGAMAX
        self.cuts = {cut.node: cut for cut in trace.cuts}
        #: For each node, the sources of the bounds of MAX and MIN when it was entered.
        self.sources: dict[int, dict[int, Source | None]] = {}
        #: For each node that returned, its best earlier sibling, or -1.
        self.best_before: dict[int, int] = {}
        self._replay()
        self.proven = trace.proven_bounds

    # ---- what the sentences need ------------------------------------------------------------------------------

    def sign(self, index: int) -> int:
        """The factor that converts the trace's numbers at a node to numbers for MAX: -1 where they are for MIN."""
        if not self.negamax:
            return 1
        node = self.nodes[index]
        if node.player is not None:
            return -1 if node.player == MIN else 1
        return -1 if node.parent >= 0 and self.nodes[node.parent].player == MAX else 1

    def _replay(self) -> None:
        """Walk through the steps once and record the sources of bounds and the best children so far."""
        trace, nodes = self.trace, self.nodes
        current: dict[int, dict[int, Source | None]] = {}
        best: dict[int, tuple[Number, int]] = {}
        for step in trace.steps:
            node = nodes[step.node]
            if step.kind == "enter":
                if node.parent < 0:
                    low, high = trace.window
                    mine, theirs = (None if abs(end) == inf else ROOT_WINDOW for end in (low, high))
                    swapped = self.negamax and node.player == MIN
                    sources = {MAX: theirs, MIN: mine} if swapped else {MAX: mine, MIN: theirs}
                elif nodes[node.parent].player == CHANCE:
                    sources = {MAX: None, MIN: None}
                else:
                    sources = current[node.parent]
                self.sources[step.node] = dict(sources)
                if node.player is not None:
                    current[step.node] = dict(sources)
            elif step.kind == "bound" and node.player is not None:
                current[step.node][node.player] = Source(step.node, step.child)
            elif step.kind == "value" and step.value is not None:
                so_far = best.get(step.node)
                self.best_before[step.child] = -1 if so_far is None else so_far[1]
                if so_far is None or self._is_better(step.value, so_far[0], node.player):
                    best[step.node] = (step.value, step.child)

    def _is_better(self, value: Number, than: Number, player: int | None) -> bool:
        return value > than if player == MAX or self.negamax else value < than

    def value(self, index: int, value: Number, of: int | None = None) -> str:
        """A value that a node returned and what it proves: `2 (upper bound)`; in negamax for the mover at `of`."""
        of = index if of is None else of
        low, high = self.proven[index] if self.sign(of) == 1 else (-self.proven[index][1], -self.proven[index][0])
        text = format_number(value) + self.side(of)
        if low == value == high:
            return text
        return f"{text} ({'upper' if high <= value else 'lower'} bound)"

    def side(self, index: int) -> str:
        """In negamax, the player for whom the numbers at a node are."""
        return f" for {self.names.players[self.sign(index)]}" if self.negamax else ""

    def guarantee(self, player: int, source: Source, bound: Bound) -> str:
        """The bound of a player and its source: `MAX is guaranteed at least 3 by B at A`."""
        if source == ROOT_WINDOW:
            return f"the root window bounds {self.names.players[player]} at {format_number(bound)}"
        relation = "at least" if player == MAX or self.negamax else "at most"
        by = f"{self.names.child(source.child)} {self.names.at(source.node)}"
        guaranteed = self.names.with_verb(player, "are guaranteed", "is guaranteed")
        return f"{guaranteed} {relation} {format_number(bound)} by {by}"

    def bound_of(self, player: int, node: int, alpha: Bound, beta: Bound) -> Bound:
        """The bound of a player in the window of a node, in the player's own numbers."""
        if not self.negamax:
            return alpha if player == MAX else beta
        return alpha if self.sign(node) == player else -beta

    # ---- steps ------------------------------------------------------------------------------------------------

    def step(self, step: Step) -> str:
        describe = {"enter": self._enter, "leaf": self._leaf, "value": self._value, "bound": self._bound}.get(step.kind)
        if describe is not None:
            return self.names.sentence(describe(step))
        return self.cut(self.cuts[step.node]) if step.kind == "cut" else self.names.sentence(self._leave(step))

    def _enter(self, step: Step) -> str:
        node, names = self.nodes[step.node], self.names
        name = names.node(step.node)
        if node.player is None:
            return f"Visit leaf {name}." if names.game is None else f"Visit {name}, a leaf."
        if self.trace.records[step.node].is_cutoff:
            return f"Visit {name}, at the depth limit."
        player = names.players[node.player]
        visit = f"Visit {player} node {name}" if names.game is None else f"Visit {name}, {player} to move"
        if node.player == CHANCE:
            return f"{visit}: its value is the weighted mean of its outcomes."
        if not self.trace.convention.prunes:
            return f"{visit}."
        if self.trace.convention.show == INHERITED:
            comma = "" if names.game is None else ","
            visit += f"{comma} with window [{format_number(step.alpha)}, {format_number(step.beta)}]"
        return f"{visit}: {self._inherited_bounds(step, node)}."

    def _inherited_bounds(self, step: Step, node: Node) -> str:
        guarantees = []
        for player in (MAX, MIN):
            source = self.sources[step.node][player]
            if source is not None:
                bound = self.bound_of(player, step.node, step.alpha, step.beta)
                guarantees.append(self.guarantee(player, source, bound))
        if guarantees:
            return ", and ".join(guarantees)
        if node.parent < 0:
            return "the search starts"
        if self.nodes[node.parent].player == CHANCE:
            return "a chance node needs the exact value of each outcome"
        return "no bounds yet"

    def _leaf(self, step: Step) -> str:
        node, name = self.nodes[step.node], self.names.node(step.node)
        value = format_number(step.value) + self.side(step.node)
        if self.trace.records[step.node].is_cutoff:
            if node.evaluation is None:
                return f"{name} is at the depth limit and has no evaluation: value {value}."
            return f"{name} is at the depth limit: evaluation {value}."
        return f"{name} has value {value}{self._winner(node)}."

    def _winner(self, node: Node) -> str:
        """The winner at a leaf of a game tree."""
        result = None if self.names.game is None or node.value is None else self.names.game.game_result(node.value)
        return "" if result is None else f": {self._wins(result[0])}"

    def _wins(self, utility: int) -> str:
        game = self.names.game
        margin = f" by {abs(utility)}" if game is not None and game.root_state.max_utility > 1 else ""
        return f"{self.names.with_verb(MAX if utility > 0 else MIN, 'win', 'wins')}{margin}"

    def _value(self, step: Step) -> str:
        node, names, value = self.nodes[step.node], self.names, step.value
        assert value is not None
        returned = f"{names.child(step.child)} returns {self.value(step.child, value, step.node)}"
        if node.player == CHANCE:
            weight = node.weights[node.children.index(step.child)]
            return f"{returned}, weight {weight} of {sum(node.weights)}."
        assert node.player is not None
        return f"{returned}: {self._compared(step, node.player, value)}.{self._unchanged(step, node.player, value)}"

    def _compared(self, step: Step, player: int, value: Number) -> str:
        """How a returned value compares with the best one before it."""
        name, before = self.names.players[player], self.best_before[step.child]
        if before < 0:
            return f"best value for {name} so far"
        best = self._returned(before, step.node)
        earlier = f"{self.names.child(before)} ({format_number(best)})"
        keeps = self.names.with_verb(player, "keep", "keeps")
        if value == best:
            return f"not better, {keeps} {earlier}"
        if self._is_better(value, best, player):
            return f"better than {earlier}, best value for {name} so far"
        return f"worse, {keeps} {earlier}"

    def _unchanged(self, step: Step, player: int, value: Number) -> str:
        """A second sentence where the best value so far changes no bound, or where an equal value does not cut."""
        if not self.trace.convention.prunes:
            return ""
        rises = player == MAX or self.negamax
        near, far = (step.alpha, step.beta) if rises else (step.beta, step.alpha)
        sources = self.sources[step.node]
        if self.trace.convention.cut == STRICT and value == far and sources[-player] is not None:
            return f" It equals the bound of {self.names.players[-player]}; the strict rule does not cut on equality."
        inherited, before = sources[player], self.best_before[step.child]
        if before >= 0 and not self._is_better(value, self._returned(before, step.node), player):
            return ""
        entry = self.trace.records[step.node].entry
        assert entry is not None
        is_own = near != (entry[0] if rises else entry[1])
        if is_own or inherited is None or (value > near if rises else value < near):
            return ""
        bound = self.bound_of(player, step.node, step.alpha, step.beta)
        guarantee = self.guarantee(player, inherited, bound)
        return f" {guarantee[:1].upper()}{guarantee[1:]}, so no bound changes."

    def _returned(self, child: int, node: int) -> Number:
        """The value that a child returned, in the numbers of a node."""
        value = self.trace.records[child].returned
        assert value is not None
        return value * self.sign(child) * self.sign(node)

    def _bound(self, step: Step) -> str:
        player = self.nodes[step.node].player
        assert player is not None
        bound = "alpha" if player == MAX or self.negamax else "beta"
        update = f"Update {bound} {self.names.at(step.node)} to {format_number(step.value)}"
        bounds = self.trace.format_bounds(step.node, (step.alpha, step.beta), step.value, is_done=False)
        if self.trace.convention.show == INHERITED:
            return f"{update}: window {bounds}."
        if self.trace.convention.show == INTERVAL:
            return f"{update}: value in {bounds}." if "[" in bounds else f"{update}: value {bounds}."
        return f"{update}."

    def cut(self, cut: Cut) -> str:
        names = self.names
        player = self.nodes[cut.node].player
        assert player is not None
        other = -player
        value = self._returned(cut.after, cut.node)
        entry, source = self.trace.records[cut.node].entry, self.sources[cut.node][other]
        assert entry is not None
        assert source is not None
        bound = self.bound_of(other, cut.node, *entry)
        # Both numbers from the view of the player whose bound it is.
        theirs = -value if self.negamax else value
        if self.negamax:
            can = f"can get {format_number(value)}, so {names.players[other]} at most {format_number(theirs)}"
        elif player == MIN:
            can = f"can hold {names.players[MAX]} to {format_number(value)}"
        else:
            can = f"can get {format_number(value)}"
        kind = "Beta" if player == MAX or self.negamax else "Alpha"
        but, equality = ("and", "; equality cuts") if theirs == bound else ("but", "")
        reason = f"{names.players[player]} {can}, {but} {self.guarantee(other, source, bound)}{equality}"
        return f"{kind} cutoff {names.at(cut.node)}: {reason}. Prune {names.children(cut.pruned)}."

    def _leave(self, step: Step) -> str:
        node, record = self.nodes[step.node], self.trace.records[step.node]
        name, convention = self.names.node(step.node), self.trace.convention
        value, own = step.value, record.own
        assert value is not None
        if node.player == CHANCE:
            return f"{name} returns {self.value(step.node, value)}, the mean of its outcomes."
        no_path = "; no principal variation" if convention.variant == PATH and step.child < 0 else ""
        if own != value:
            variant = {FAIL_HARD: " (fail-hard)", PATH: " (path)"}.get(convention.variant, "")
            best = f"the best value found is {format_number(own)}"
            return f"{name} returns the bound {format_number(value)}{variant}: {best}{no_path}."
        best_child = f", best child {self.names.child(step.child)}" if step.child >= 0 else ""
        return f"{name} returns {self.value(step.node, value)}{best_child}{no_path}."

    # ---- the whole search -------------------------------------------------------------------------------------

    def node(self, node: Node) -> list[str]:
        """The sentences of a node's steps; for a node that was not visited, the reason."""
        record = self.trace.records[node.index]
        if record.is_visited:
            return [self.step(step) for step in self.trace.steps if step.node == node.index]
        name = self.names.node(node.index)
        if record.cut is None:
            return [self.names.sentence(f"{name} was not visited: it is below the depth limit.")]
        return [self.names.sentence(f"{name} was not visited."), self.cut(self.trace.cuts[record.cut])]

    def outcome(self) -> str:
        trace, names = self.trace, self.names
        value = trace.value * self.sign(0)
        text = f"The value of {names.node(0)} is {self._bounded(0, trace.value)}{self._result(value)}"
        if trace.line and self._is_proven():
            text += f", principal variation {names.line([node.index for node in trace.line])}"
        evaluated, leaves = len(trace.leaves), len(trace.tree.leaves)
        if trace.depth is not None:
            were = "leaf was" if evaluated == 1 else "leaves were"
            return f"{text}. {evaluated:,} {were} evaluated to depth {trace.depth}."
        return f"{text}. {evaluated:,} of {leaves:,} {'leaf was' if leaves == 1 else 'leaves were'} evaluated."

    def _bounded(self, index: int, value: Number) -> str:
        """A value with the relation that is proven: `at most 2`."""
        low, high = self.proven[index] if self.sign(index) == 1 else tuple(-end for end in self.proven[index][::-1])
        text = format_number(value) + self.side(index)
        return text if low == value == high else f"{'at most' if high <= value else 'at least'} {text}"

    def _result(self, value: Number) -> str:
        """The game result that a value stands for, in parentheses."""
        result = None if self.names.game is None else self.names.game.game_result(value)
        if result is None:
            return ""
        utility, plies = result
        after = "" if plies is None else f" after {plies} {'ply' if plies == 1 else 'plies'}"
        return f" ({self._wins(utility)}{after})"

    def moves(self) -> list[str]:
        """A sentence for each child of the root, the best one first."""
        trace = self.trace
        root, is_proven = trace.tree.root, self._is_proven()
        if root.player is None or trace.records[0].is_cutoff:
            return []
        order = sorted(root.children, key=lambda child: is_proven and child != trace.best)
        sentences = [self.move(child) for child in order]
        if not is_proven:
            sentences.insert(0, "The value is outside the root window, so no move is proven best.")
        return sentences

    def _is_proven(self) -> bool:
        """Whether the best move is proven best; always true for a search with the full window."""
        value = self.trace.value * self.sign(0)
        best = self.trace.best
        return self.proven[0] == (value, value) and (best is None or self.proven[best] == (value, value))

    def move(self, child: int) -> str:
        trace, name = self.trace, self.names.child(child)
        root = trace.tree.root
        if not trace.records[child].is_visited:
            return f"{name} was not visited."
        value = self._leads_to(child)
        if root.player not in (MAX, MIN) or root.player is None:
            return f"{name} (weight {root.weights[root.children.index(child)]} of {sum(root.weights)}): {value}."
        if not self._is_proven():
            return f"{name}: {value}."
        if child == trace.best:
            return f"{name} is the best move: {value}."
        return f"{name} {self._compared_with_best(child, root.player)}: {value}."

    def _compared_with_best(self, child: int, player: int) -> str:
        """How a child compares with the value of the root, as far as proven."""
        value = self.trace.value * self.sign(0)
        low, high = self.proven[child]
        if low == high == value:
            return "is equally good"
        if high < value if player == MAX else low > value:
            return "is worse"
        if high <= value if player == MAX else low >= value:
            return "is not better"
        return "is not chosen"

    def _leads_to(self, child: int) -> str:
        """The best reply to a child of the root, the line after it, and the value."""
        node, names = self.nodes[child], self.names
        value = self._proven_value(child)
        if node.player is None or self.trace.records[child].is_cutoff:
            return f"value {value}"
        if node.player == CHANCE:
            return f"mean {value}"
        first, *rest = self._line_from(child)
        verb = ("reply", "replies") if node.player != self.trace.tree.root.player else ("continue", "continues")
        then = f", then {names.line(rest)}" if rest else ""
        return f"{names.with_verb(node.player, *verb)} {names.child(first)}{then}, value {value}"

    def _proven_value(self, child: int) -> str:
        """What is proven about the value of a child of the root."""
        low, high = self.proven[child] if self.sign(0) == 1 else (-self.proven[child][1], -self.proven[child][0])
        side = self.side(0)
        if not isinstance(low, float) and not isinstance(high, float):
            if low != high:
                return f"between {format_number(low)} and {format_number(high)}{side}"
            return f"{format_number(low)}{side}{self._result(low * self.sign(0))}"
        return f"at least {format_number(low)}{side}" if high == inf else f"at most {format_number(high)}{side}"

    def _line_from(self, index: int) -> list[int]:
        """The best moves from a node on, as far as they were searched."""
        line: list[int] = []
        while True:
            best = self.trace.records[index].best
            player = self.nodes[index].player
            if best is None and player in (MAX, MIN) and not self.trace.records[index].is_cutoff:
                # The path variant may return no best child although it searched some.
                children = self.nodes[index].children
                visited = [child for child in children if self.trace.records[child].is_visited]
                if player == MAX:
                    best = max(visited, key=lambda child: self.proven[child][0])
                else:
                    best = min(visited, key=lambda child: self.proven[child][1])
            if best is None:
                return line
            line.append(best)
            index = best
