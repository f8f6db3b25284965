"""Sentences that explain a search: what happens at each step, and why the result is what it is.

Every sentence is true under the convention of the trace. A returned value that is only a bound is called one, whether
it comes from a cutoff or from fail-hard alpha-beta. Nodes of a tree are called by their names (`MIN node C`); in the
tree of a game, players and moves have the names of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.search.enhancements import EXACT, LOWER
from zermelo.search.textbook import FAIL_HARD, PATH, STAR2
from zermelo.teaching.tree.convention import INHERITED, INTERVAL, NEGAMAX, STRICT
from zermelo.teaching.tree.game_trees import GameTree
from zermelo.teaching.tree.node import PLAYER_NAMES, Node, Tree
from zermelo.teaching.tree.numbers import Bound, Number, format_number
from zermelo.teaching.tree.trace import Cut, Step, Trace, Window, mean

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
    return [narrator.outcome(), *(narrator.cut(cut) for _, cut in trace.final_cuts), *narrator.moves()]


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
    """Where the bound of a player comes from: `child` returned it at `node`. Indices; negative for other sources."""

    node: int
    child: int


ROOT_WINDOW = Source(-1, -1)
NULL_WINDOW = Source(-1, -2)
#: As the child of a source: the window of a chance node, the node, or a probe of the state below it (Star1 and Star2).
STAR, PROBE = -3, -4
#: As a child: the evaluation of the node itself (quiescence search).
STAND_PAT = -5


@dataclass(slots=True)
class _Visit:
    """What the sentences about one visit of a node need."""

    #: The window at entry.
    entry: Window
    #: The sources of the bounds of MAX and MIN at entry, and at the current step of the replay.
    sources: dict[int, Source | None]
    current: dict[int, Source | None]
    is_leaf: bool = False
    #: The best value that a child returned, in the numbers of the node, and that child; -1 for none.
    own: Number | None = None
    best: int = -1
    #: For each child that returned, the best child before it or -1, and its value in the numbers of the node.
    best_before: dict[int, int] = field(default_factory=dict)
    returned: dict[int, Number] = field(default_factory=dict)
    #: At a chance node of Star1 and Star2: what is known of the outcomes, and of the mean after each visit of one.
    outcomes: dict[int, Window] = field(default_factory=dict)
    means: dict[int, Window] = field(default_factory=dict)


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
        self.cuts = {cut.visit: cut for cut in trace.cuts}
        self.visits: list[_Visit] = []
        #: For each `table-hit`, by the number of the visit, the node that stored the value.
        self.stored_by: dict[int, int] = {}
        #: The root window before each `widen`, by the number of the visit that follows.
        self.windows_before: dict[int, Window] = {}
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
        """Walk through the steps once and record the visits."""
        nodes = self.nodes
        last: dict[int, _Visit] = {}  # the last visit of each node so far
        null_windows: set[int] = set()  # children that are searched with a null window
        stored: dict[int, int] = {}  # position -> the last node that stored a value for it
        root_window = self.trace.window
        for step in self.trace.steps:
            node = nodes[step.node]
            if step.kind == "enter":
                sources = self._sources_at_entry(step, node, last, node.index in null_windows)
                last[step.node] = visit = _Visit((step.alpha, step.beta), sources, dict(sources))
                self.visits.append(visit)
            elif step.kind in ("iteration", "widen"):
                self.windows_before[step.visit] = root_window
                root_window = (step.alpha, step.beta)
            elif step.kind == "leaf":
                last[step.node].is_leaf = True
            elif step.kind == "bound" and node.player is not None:
                last[step.node].current[node.player] = Source(step.node, step.child)
            elif step.kind == "stand-pat" and step.value is not None and node.player is not None:
                visit = last[step.node]
                visit.own, visit.best, visit.returned[STAND_PAT] = step.value, STAND_PAT, step.value
                rises = node.player == MAX or self.negamax
                if step.value > step.alpha if rises else step.value < step.beta:
                    visit.current[node.player] = Source(step.node, STAND_PAT)
            elif step.kind == "store":
                stored[node.transposition_of] = step.node
            elif step.kind == "table-hit":
                self.stored_by[step.visit] = stored[node.transposition_of]
            elif step.kind == "null-window":
                null_windows.add(step.child)
            elif step.kind == "re-search":
                null_windows.discard(step.child)
            elif step.kind == "value" and step.value is not None:
                visit = last[step.node]
                null_windows.discard(step.child)
                visit.best_before[step.child] = visit.best
                visit.returned[step.child] = step.value
                if node.player == CHANCE and self.trace.value_bounds is not None:
                    visit.outcomes[step.child] = self.trace.bounds_at_visit[step.child_visit]
                    known = [visit.outcomes.get(child, self.trace.value_bounds) for child in node.children]
                    low, high = (mean([each[end] for each in known], node.weights) for end in (0, 1))
                    visit.means[step.child_visit] = low, high
                if visit.own is None or self._is_better(step.value, visit.own, node.player):
                    visit.own, visit.best = step.value, step.child

    def _sources_at_entry(
        self, step: Step, node: Node, last: dict[int, _Visit], has_null_window: bool
    ) -> dict[int, Source | None]:
        """The sources of the bounds of MAX and MIN when a node is entered."""
        if node.parent < 0:
            mine, theirs = (None if abs(end) == inf else ROOT_WINDOW for end in (step.alpha, step.beta))
            swapped = self.negamax and node.player == MIN
            return {MAX: theirs, MIN: mine} if swapped else {MAX: mine, MIN: theirs}
        parent = self.nodes[node.parent].player
        if parent == CHANCE:
            bounds = self.trace.value_bounds
            if bounds is None:
                return {MAX: None, MIN: None}
            probed = last[node.parent].returned.get(step.node)
            star, probe = Source(node.parent, STAR), Source(node.parent, PROBE)
            return {
                MAX: None if step.alpha <= bounds[0] else probe if step.alpha == probed else star,
                MIN: None if step.beta >= bounds[1] else probe if step.beta == probed else star,
            }
        sources = dict(last[node.parent].current)
        if has_null_window and parent is not None:
            sources[-parent] = NULL_WINDOW
        return sources

    def _is_better(self, value: Number, than: Number, player: int | None) -> bool:
        return value > than if player == MAX or self.negamax else value < than

    def value(self, visit: int, value: Number, of: int) -> str:
        """A value that a visit returned and what it proves: `2 (upper bound)`; in negamax for the mover at `of`."""
        low, high = self.trace.bounds_at_visit[visit]
        if self.sign(of) == -1:
            low, high = -high, -low
        text = format_number(value) + self.side(of)
        if low == value == high:
            return text
        return f"{text} ({'upper' if high <= value else 'lower'} bound)"

    def side(self, index: int) -> str:
        """In negamax, the player for whom the numbers at a node are."""
        return f" for {self.names.players[self.sign(index)]}" if self.negamax else ""

    def guarantee(self, player: int, source: Source, bound: Bound) -> str:
        """The bound of a player and its source: `MAX is guaranteed at least 3 by B at A`."""
        if source in (ROOT_WINDOW, NULL_WINDOW):
            window = "root window" if source == ROOT_WINDOW else "null window"
            return f"the {window} bounds {self.names.players[player]} at {format_number(bound)}"
        if source.child == STAND_PAT:
            relation = "at least" if player == MAX or self.negamax else "at most"
            at = self.names.at(source.node)
            guaranteed = self.names.with_verb(player, "are guaranteed", "is guaranteed")
            return f"{guaranteed} {relation} {format_number(bound)} by standing pat {at}"
        if source.child == PROBE:
            return f"its value is at {'least' if player == MAX else 'most'} {format_number(bound)} by the probe"
        if source.child == STAR:
            relation = "most" if player == MAX else "least"
            mean = f"the mean {self.names.at(source.node)}"
            return f"a value of at {relation} {format_number(bound)} keeps {mean} outside its window"
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
        if step.kind == "cut":
            return self.cut(self.cuts[step.visit])
        describe = {
            "enter": self._enter,
            "leaf": self._leaf,
            "value": self._value,
            "bound": self._bound,
            "leave": self._leave,
            "iteration": self._iteration,
            "widen": self._widen,
            "table-hit": self._table_hit,
            "table-move": self._first_move,
            "killer": self._first_move,
            "store": self._store,
            "null-window": self._null_window,
            "re-search": self._re_search,
            "probe": self._probe,
            "stand-pat": self._stand_pat,
        }[step.kind]
        return self.names.sentence(describe(step))

    def _iteration(self, step: Step) -> str:
        text = f"Iteration {step.depth}: search {self.names.node(0)} to depth {step.depth}"
        if (step.alpha, step.beta) == self.trace.window:
            return f"{text}."
        window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]"
        return f"{text} with the aspiration window {window} around the last value."

    def _widen(self, step: Step) -> str:
        alpha, beta = self.windows_before[step.visit]
        assert step.value is not None
        fails, of = ("low", "at most alpha") if step.value <= alpha else ("high", "at least beta")
        bound = format_number(alpha if fails == "low" else beta)
        window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]"
        value = format_number(step.value) + self.side(0)
        return f"The search fails {fails}: {value} is {of} {bound}, so it is repeated with the window {window}."

    def _table_hit(self, step: Step) -> str:
        name, value = self.names.node(step.node), format_number(step.value) + self.side(step.node)
        other = self.stored_by[step.visit]
        if other != step.node:
            name += f", the same position as {self.names.node(other)},"
        if step.bound == EXACT:
            return f"The transposition table has {name} with the exact value {value}: return it."
        reached, bound = ("beta", step.beta) if step.bound == LOWER else ("alpha", step.alpha)
        most = "at least" if step.bound == LOWER else "at most"
        reason = f"{most} {reached} {format_number(bound)}"
        return f"The transposition table has {name} with the {step.bound} {value}, {reason}: return it."

    def _first_move(self, step: Step) -> str:
        why = "the best move in the transposition table"
        if step.kind == "killer":
            why = "a killer move, which caused a cutoff at the same depth"
        return f"Try {self.names.child(step.child)} first {self.names.at(step.node)}: it is {why}."

    def _store(self, step: Step) -> str:
        name, value = self.names.node(step.node), format_number(step.value) + self.side(step.node)
        best = f"best child {self.names.child(step.child)}"
        return f"Store {name} in the transposition table: {step.bound} {value}, {best}."

    def _null_window(self, step: Step) -> str:
        player = self.nodes[step.node].player
        assert player is not None
        rises = player == MAX or self.negamax
        window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]"
        limit = f"{'more' if rises else 'less'} than {format_number(step.alpha if rises else step.beta)}"
        asks = f"can {self.names.players[player]} get {limit} there?"
        return f"Search {self.names.child(step.child)} with the null window {window}: {asks}"

    def _re_search(self, step: Step) -> str:
        window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]"
        value = format_number(step.value) + self.side(step.node)
        name = self.names.child(step.child)
        return f"{name} returns {value}, outside the null window: search it again with the window {window}."

    def _stand_pat(self, step: Step) -> str:
        player = self.nodes[step.node].player
        assert player is not None
        value = format_number(step.value) + self.side(step.node)
        place = self.names.node(step.node)
        may = f"{self.names.players[player]} may stand pat with the evaluation {value}, or play a tactical move"
        return f"{place} is at or below the depth limit and not quiet: {may}."

    def _probe(self, step: Step) -> str:
        window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]"
        return f"Probe {self.names.child(step.child)}: search only its first child, with the window {window}."

    def _enter(self, step: Step) -> str:
        node, names = self.nodes[step.node], self.names
        name = names.node(step.node)
        if node.player is None:
            visit = f"Visit leaf {name}" if names.game is None else f"Visit {name}, a leaf"
            if not self.trace.convention.has_star:
                return f"{visit}."
            return f"{visit}, with window [{format_number(step.alpha)}, {format_number(step.beta)}]."
        if self.visits[step.visit].is_leaf:
            return f"Visit {name}, at the depth limit."
        player = names.players[node.player]
        visit = f"Visit {player} node {name}" if names.game is None else f"Visit {name}, {player} to move"
        if node.player == CHANCE and not self.trace.convention.has_star:
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
            source = self.visits[step.visit].sources[player]
            if source is not None:
                bound = self.bound_of(player, step.node, step.alpha, step.beta)
                guarantees.append(self.guarantee(player, source, bound))
        if guarantees:
            return ", and ".join(guarantees)
        if node.parent < 0:
            return "the search starts"
        if self.nodes[node.parent].player == CHANCE and not self.trace.convention.has_star:
            return "a chance node needs the exact value of each outcome"
        return "no bounds yet"

    def _leaf(self, step: Step) -> str:
        node, name = self.nodes[step.node], self.names.node(step.node)
        value = format_number(step.value) + self.side(step.node)
        if not node.is_leaf:
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
        returned = f"{names.child(step.child)} returns {self.value(step.child_visit, value, step.node)}"
        if node.player == CHANCE:
            weight = node.weights[node.children.index(step.child)]
            known = self.visits[step.visit].means.get(step.child_visit)
            return f"{returned}, weight {weight} of {sum(node.weights)}{'' if known is None else self._mean(known)}."
        assert node.player is not None
        return f"{returned}: {self._compared(step, node.player, value)}.{self._unchanged(step, node.player, value)}"

    @staticmethod
    def _mean(known: Window) -> str:
        """What is known of the mean at a chance node."""
        low, high = map(format_number, known)
        return f": the mean is {low}" if low == high else f": the mean is between {low} and {high}"

    def _compared(self, step: Step, player: int, value: Number) -> str:
        """How a returned value compares with the best one before it."""
        visit = self.visits[step.visit]
        name, before = self.names.players[player], visit.best_before[step.child]
        if before == -1:
            return f"best value for {name} so far"
        best = visit.returned[before]
        earlier = f"{'standing pat' if before == STAND_PAT else self.names.child(before)} ({format_number(best)})"
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
        visit = self.visits[step.visit]
        sources = visit.sources
        if self.trace.convention.cut == STRICT and value == far and sources[-player] is not None:
            return f" It equals the bound of {self.names.players[-player]}; the strict rule does not cut on equality."
        inherited, before = sources[player], visit.best_before[step.child]
        if before != -1 and not self._is_better(value, visit.returned[before], player):
            return ""
        is_own = near != (visit.entry[0] if rises else visit.entry[1])
        if is_own or inherited is None or (value > near if rises else value < near):
            return ""
        bound = self.bound_of(player, step.node, step.alpha, step.beta)
        guarantee = self.guarantee(player, inherited, bound)
        return f" {guarantee[:1].upper()}{guarantee[1:]}, so no bound changes."

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
        player, visit = self.nodes[cut.node].player, self.visits[cut.visit]
        assert player is not None
        if player == CHANCE:
            return self._cut_at_chance(cut)
        other = -player
        value, source = visit.returned[cut.after if cut.after >= 0 else STAND_PAT], visit.sources[other]
        bound = self.bound_of(other, cut.node, *visit.entry)
        if source is None:  # the window below a chance node of Star1 and Star2 ends at the bound of all values
            limit = f"no value is {'below' if other == MAX else 'above'} {format_number(bound)}"
        else:
            limit = self.guarantee(other, source, bound)
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
        reason = f"{names.players[player]} {can}, {but} {limit}{equality}"
        return f"{kind} cutoff {names.at(cut.node)}: {reason}. Prune {names.children(cut.pruned)}."

    def _cut_at_chance(self, cut: Cut) -> str:
        """A cutoff at a chance node: its mean is outside the window, whatever the other outcomes are worth."""
        names, mean = self.names, self.trace.steps[cut.step].value
        assert mean is not None
        assert self.trace.value_bounds is not None
        least, largest = map(format_number, self.trace.value_bounds)
        is_low = mean <= cut.alpha
        kind, bound, name = ("Alpha", cut.alpha, "at most") if is_low else ("Beta", cut.beta, "at least")
        rest = f"if the rest are worth {largest if is_low else least}"
        if self.trace.convention.algorithm == STAR2:
            rest = f"if the rest are worth as {'much' if is_low else 'little'} as their probes allow"
        but = "and" if mean == bound else "but"
        limit = f"{but} {kind.lower()} is {format_number(bound)}"
        reason = f"even {rest}, the mean is {name} {format_number(mean)}, {limit}"
        return f"{kind} cutoff {names.at(cut.node)}: {reason}. Prune {names.children(cut.pruned)}."

    def _leave(self, step: Step) -> str:
        node, own = self.nodes[step.node], self.visits[step.visit].own
        name, convention = self.names.node(step.node), self.trace.convention
        value = step.value
        assert value is not None
        returned = f"{name} returns {self.value(step.visit, value, step.node)}"
        if node.player == CHANCE:
            of = "a bound of the mean" if step.visit in self.cuts else "the mean"
            return f"{returned}, {of} of its outcomes."
        no_path = "; no principal variation" if convention.variant == PATH and step.child < 0 else ""
        if own != value:
            variant = {FAIL_HARD: " (fail-hard)", PATH: " (path)"}.get(convention.variant, "")
            best = f"the best value found is {format_number(own)}"
            return f"{name} returns the bound {format_number(value)}{variant}: {best}{no_path}."
        best_child = f", best child {self.names.child(step.child)}" if step.child >= 0 else ""
        if self.visits[step.visit].best == STAND_PAT:
            best_child = ", its evaluation"
        return f"{returned}{best_child}{no_path}."

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
        if trace.iterations:
            text += f" at depth {trace.iterations[-1].depth}"
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
        line = self._line_from(child)
        if not line:
            return f"value {value}"
        first, *rest = line
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
            is_path = self.trace.convention.variant == PATH
            if is_path and best is None and player in (MAX, MIN) and not self.trace.records[index].is_cutoff:
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
