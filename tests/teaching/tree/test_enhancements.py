"""Traces of enhanced searches: values of minimax, and the same visits as independent implementations."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import pytest

import zermelo
from zermelo.core.evaluation import search_evaluation
from zermelo.core.game import CHANCE, MAX
from zermelo.errors import LimitError, TreeError
from zermelo.search import textbook
from zermelo.search.context import SearchContext
from zermelo.search.enhancements import Enhancements
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import Policy
from zermelo.search.scores import LIMIT
from zermelo.search.table import new_table
from zermelo.teaching import tree
from zermelo.teaching.diagrams.html import html
from zermelo.teaching.diagrams.pseudocode import Pseudocode
from zermelo.teaching.tree import Convention, Trace, Tree, describe_step

ENHANCEMENTS = ("pvs", "deepening", "aspiration", "table", "killers")


def random_tree(seed: int, chance: float = 0.0) -> Tree:
    """A random tree with evaluations; in half of the trees some subtrees occur twice, as transpositions."""
    dice = random.Random(seed)
    made = tree.random_tree(
        seed, branching=(1, 4), depth=(2, 4), values=(-6, 6), chance=chance, root=dice.choice(("max", "min"))
    )
    if seed % 2 or chance:
        return made
    data = tree.to_dict(made)
    inner: list[dict[str, Any]] = []
    names = iter(range(10_000))

    def copied(node: dict[str, Any]) -> dict[str, Any]:
        copy = dict(node, id=f"copy{next(names)}", transposition_of=node["id"])
        if "children" in node:
            copy["children"] = [copied(child) for child in node["children"]]
        return copy

    def visit(node: dict[str, Any], depth: int) -> None:
        children = node.get("children", [])
        for number, child in enumerate(children):
            same = [other for other in inner if other["depth"] == depth + 1]
            if "children" in child and same and dice.random() < 0.4:
                children[number] = copied(dice.choice(same)["node"])
            elif "children" in child:
                inner.append({"node": child, "depth": depth + 1})
                visit(child, depth + 1)

    visit(data, 0)
    return tree.read(data)


def minimax(given: Tree, depth: int | None = None, index: int = 0) -> Any:
    node = given.nodes[index]
    if node.is_leaf:
        return node.value
    if depth == 0:
        return node.evaluation or 0
    values = [minimax(given, None if depth is None else depth - 1, child) for child in node.children]
    if node.player == CHANCE:
        return sum(w * Fraction(v) for w, v in zip(node.weights, values, strict=True)) / sum(node.weights)
    return max(values) if node.player == MAX else min(values)


class Oracle:
    """The enhanced search once more, written in negamax form and with a table of its own; counts its visits."""

    def __init__(self, given: Tree, words: tuple[str, ...]) -> None:
        self.tree, self.words = given, words
        self.visits: list[int] = []
        self.table: dict[tuple[Any, ...], tuple[Any, Any, Any, int]] = {}
        self.killers: dict[int, list[Any]] = {}
        self.values: list[Any] = []

    def run(self) -> Any:
        last, guess = self.tree.depth, None
        sign = 1 if self.tree.root.player == MAX else -1
        if "deepening" not in self.words:
            return sign * self.search(0, None, 0, -inf, inf)
        for depth in range(min(1, last), last + 1):
            low, high = -inf, inf
            if "aspiration" in self.words and guess is not None:
                low, high = guess - 1, guess + 1
            while True:
                guess = self.search(0, depth, 0, low, high)
                if guess <= low:
                    low = -inf
                elif guess >= high:
                    high = inf
                else:
                    break
            self.values.append(sign * guess)
        return sign * guess

    def key(self, index: int) -> tuple[Any, ...]:
        node = self.tree.nodes[index]
        if node.is_leaf:
            return (node.value,)
        return (node.transposition_of, node.player, node.evaluation, *map(self.key, node.children))

    def search(self, index: int, left: int | None, ply: int, low: Any, high: Any) -> Any:
        """The value for the player to move; at a leaf, for the player who moved."""
        node = self.tree.nodes[index]
        self.visits.append(index)
        if node.is_leaf or left == 0:
            value = node.value if node.is_leaf else node.evaluation or 0
            sign = node.player if node.player is not None else -self.tree.nodes[node.parent].player
            return sign * value
        first: list[int] = []
        key = self.key(index)
        if "table" in self.words and key in self.table:
            stored, lower, upper, best = self.table[key]
            if stored == left and lower == upper:
                return lower
            if stored == left and lower >= high:
                return lower
            if stored == left and upper <= low:
                return upper
            first.append(node.children[best])
        if "killers" in self.words:
            for name in self.killers.get(ply, []):
                first += [c for n, c in enumerate(node.children) if (self.tree.nodes[c].move or n) == name]
        order = list(dict.fromkeys([*first, *node.children]))
        alpha, best_value, best_child = low, -inf, -1
        for number, child in enumerate(order):

            def call(a: Any, b: Any, child: int = child) -> Any:
                other = self.tree.nodes[child].player
                if other == node.player:  # the same player moves again: nothing is negated
                    return self.search(child, None if left is None else left - 1, ply + 1, a, b)
                return -self.search(child, None if left is None else left - 1, ply + 1, -b, -a)

            if "pvs" in self.words and number and high - alpha > 1:
                value = call(alpha, alpha + 1)
                if alpha < value < high:
                    value = call(alpha, high)
            else:
                value = call(alpha, high)
            if value > best_value:
                best_value, best_child = value, child
            if value >= high:
                place = node.children.index(child)
                name = self.tree.nodes[child].move or place
                self.killers[ply] = [name, *(k for k in self.killers.get(ply, []) if k != name)][:2]
                break
            alpha = max(alpha, value)
        lower = -inf if best_value <= low else best_value
        upper = inf if best_value >= high else best_value
        self.table[key] = (left, lower, upper, node.children.index(best_child))
        return best_value


def with_tactical_moves(given: Tree, seed: int) -> Tree:
    """The tree with random tactical moves and checks."""
    dice = random.Random(seed)
    marked = [
        node._replace(is_tactical=dice.random() < 0.4, in_check=not node.is_leaf and dice.random() < 0.15)
        for node in given
    ]
    return tree.read(tree.to_dict(Tree(marked)))


def quiescence_value(given: Tree, depth: int, index: int = 0) -> Any:
    """The value with quiescence search at the depth limit, without pruning."""
    node = given.nodes[index]
    if node.is_leaf:
        return node.value
    best = max if node.player == MAX else min
    if depth > 0 or node.in_check:
        return best(quiescence_value(given, depth - 1, child) for child in node.children)
    tactical = [child for child in node.children if given.nodes[child].is_tactical]
    return best([node.evaluation or 0, *(quiescence_value(given, depth - 1, child) for child in tactical)])


@pytest.mark.parametrize("words", ["", "pvs", "table killers", "negamax", "pvs deepening aspiration table killers"])
def test_quiescence(words: str) -> None:
    stood_pat = 0
    for seed in range(1, 21):
        given = with_tactical_moves(random_tree(seed), seed)
        depth = seed % 3
        trace = tree.trace(given, f"quiescence {words}", depth=depth)
        sign = -1 if "negamax" in words and given.root.player != MAX else 1
        assert trace.value == sign * quiescence_value(given, depth)
        limit = depth
        for step in trace.steps:
            assert describe_step(trace, step)
            limit = step.depth if step.depth is not None else limit
            stood_pat += step.kind == "stand-pat"
            if step.kind in ("leaf", "leave", "table-hit"):
                low, high = trace.bounds_at_visit[step.visit]
                assert low <= quiescence_value(given, limit - given.nodes[step.node].depth, step.node) <= high
        assert tree.explain(trace)
        assert "</html>" in html(trace)
    assert stood_pat > 10


@pytest.mark.parametrize(
    ("position", "depth"),
    [
        ("6k1/5ppp/4p3/3p4/8/8/5PPP/3Q2K1 w - - 0 1", 1),
        ("8/B1k2p2/1p6/4P3/8/7p/7P/7K w - - 0 1", 2),
        ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1", 1),
    ],
)
def test_quiescence_in_chess_visits_what_the_textbook_visits(position: str, depth: int) -> None:
    state = zermelo.load("chess").parse(position)
    given = tree.game_tree(state, depth, "material", quiescence=True)
    for words, options in {
        "quiescence": Enhancements(quiescence=True),
        "quiescence pvs killers": Enhancements(quiescence=True, null_windows=True, killers=True),
    }.items():
        trace = tree.trace(given, words, depth=depth)
        found = textbook.alphabeta(state, depth, "material", enhancements=options)
        assert trace.visits == found.nodes
        assert given.search_score(trace.value) == found.value


class InOrder(Policy):
    """The engine's search with the moves in the order of the rules."""

    __slots__ = ()

    def move_order(self, state: Any, tactical_only: bool, *_: Any) -> Any:
        return [move for move in state.moves() if not tactical_only or state.is_tactical(move)]


class Quiescence(InOrder):
    __slots__ = ()
    quiescence = True


class NullWindows(InOrder):
    __slots__ = ()
    null_window_search = True


@pytest.mark.long
@pytest.mark.parametrize("policy", [Quiescence, NullWindows])
@pytest.mark.parametrize(
    ("position", "depth"),
    [("6k1/5ppp/4p3/3p4/8/8/5PPP/3Q2K1 w - - 0 1", 2), ("8/B1k2p2/1p6/4P3/8/7p/7P/7K w - - 0 1", 3)],
)
def test_visits_are_those_of_the_engine(position: str, depth: int, policy: type[Policy]) -> None:
    """The engine's search with the same switches, run as plain Python."""
    state = zermelo.load("chess").parse(position)
    evaluation = search_evaluation(state, "material", True)
    assert evaluation is not None
    ctx = SearchContext()
    ctx.set_scale(state, textbook.search_scale(state, evaluation, None), evaluation)
    ctx.set_history(state, ())
    ctx.buckets = 1
    score = run_search(state, evaluation, policy(), depth, -LIMIT, LIMIT, 0, 0, ctx, new_table(1))
    follows = policy is Quiescence
    given = tree.game_tree(state, depth, "material", quiescence=follows)
    trace = tree.trace(given, "quiescence" if follows else "pvs", depth=depth)
    assert (given.search_score(trace.value), trace.visits) == (score, ctx.nodes)


def test_null_windows_in_a_game_visit_what_the_textbook_visits() -> None:
    state = zermelo.load("tictactoe").parse("X...O....")
    given = tree.game_tree(state, 4)
    for words, options in {
        "pvs": Enhancements(null_windows=True),
        "deepening killers": Enhancements(iterative_deepening=True, killers=True),
        "table": Enhancements(table=True),
        "pvs deepening table killers": Enhancements(True, True, table=True, killers=True),
    }.items():
        found = textbook.alphabeta(state, 4, enhancements=options)
        trace = tree.trace(given, words)
        assert given.search_score(trace.value) == found.value
        assert trace.visits == found.nodes, words


CHOICES = [
    tuple(word for word, is_on in zip(ENHANCEMENTS, switches, strict=True) if is_on)
    for switches in product((False, True), repeat=5)
    if any(switches) and (switches[1] or not switches[2])
]


@pytest.mark.parametrize("words", CHOICES, ids=" ".join)
def test_values_and_visits(words: tuple[str, ...]) -> None:
    for seed in range(8):
        check_values_and_visits(random_tree(seed), words)


@pytest.mark.nightly
@pytest.mark.parametrize("words", CHOICES, ids=" ".join)
def test_values_and_visits_in_many_trees(words: tuple[str, ...]) -> None:
    for seed in range(100, 300):
        check_values_and_visits(random_tree(seed), words)


def check_values_and_visits(given: Tree, words: tuple[str, ...]) -> None:
    right, oracle = minimax(given), Oracle(given, words)
    assert oracle.run() == right
    for algorithm in ("alphabeta", "negamax"):
        trace = tree.trace(given, " ".join((algorithm, *words)))
        sign = -1 if algorithm == "negamax" and given.root.player != MAX else 1
        assert trace.value == sign * right
        assert [step.node for step in trace.steps if step.kind == "enter"] == oracle.visits
        assert trace.visits == len(oracle.visits)
        assert [sign * iteration.value for iteration in trace.iterations] == oracle.values
        check_records(trace)
    assert tree.trace(given, " ".join(("fail-hard", *words))).value == right
    assert tree.trace(given, " ".join(("strict", *words))).value == right


def check_records(trace: Trace) -> None:
    """Each iteration has the minimax value of its depth, and each proven interval contains the value of its node."""
    sign = -1 if trace.convention.algorithm == "negamax" and trace.tree.root.player != MAX else 1
    for iteration in trace.iterations:
        assert sign * iteration.value == minimax(trace.tree, iteration.depth)
    depth = trace.tree.depth if trace.iterations else None
    for node in trace.tree:
        low, high = trace.proven_bounds[node.index]
        assert low <= minimax(trace.tree, None if depth is None else depth - node.depth, node.index) <= high
    assert [record.order for record in map(trace.record, trace.visited)] == sorted(
        record.order for record in trace.records if record.order is not None
    )
    visited = {node.index for node in trace.visited}
    for index, record in enumerate(trace.records):
        assert (index in visited) == record.is_visited
        if record.cut is not None:
            assert not record.is_visited


def test_proofs_of_each_visit() -> None:
    """The interval of a visit contains the value of its node at the depth of its iteration."""
    for seed in range(20):
        given = random_tree(seed)
        trace = tree.trace(given, "pvs deepening aspiration table killers")
        depth = 0
        for step in trace.steps:
            depth = step.depth or depth
            if step.kind in ("leaf", "leave", "table-hit"):
                low, high = trace.bounds_at_visit[step.visit]
                value = minimax(given, depth - given.nodes[step.node].depth, step.node)
                assert low <= value <= high
                assert step.value in (low, high)


@pytest.mark.parametrize("words", ["star1", "star2"])
def test_star(words: str) -> None:
    for seed in range(30):
        given = random_tree(seed, chance=0.4)
        for bounds in (None, (-10, 12)):
            trace = tree.trace(given, words, bounds=bounds)
            assert trace.value == minimax(given)
            for node in given:
                low, high = trace.proven_bounds[node.index]
                assert low <= minimax(given, None, node.index) <= high
            check_means(trace)


def check_means(trace: Trace) -> None:
    """What the sentences say about the mean of a chance node is true."""
    for step in trace.steps:
        if step.kind == "value" and trace.tree.nodes[step.node].player == CHANCE:
            said = re.search(r": the mean is (?:between (\S+) and )?(\S+)\.$", describe_step(trace, step))
            assert said is not None
            low, high = Fraction(said[1] or said[2]), Fraction(said[2])
            assert low <= minimax(trace.tree, None, step.node) <= high


class Star1:
    """Star1 as Ballard describes it, in exact arithmetic."""

    def __init__(self, given: Tree, low: int, high: int) -> None:
        self.tree, self.low, self.high = given, low, high
        self.windows: list[tuple[int, Any, Any]] = []

    def search(self, index: int, alpha: Any, beta: Any) -> Any:
        node = self.tree.nodes[index]
        self.windows.append((index, alpha, beta))
        if node.is_leaf:
            return node.value
        if node.player == CHANCE:
            total = sum(node.weights)
            share = [Fraction(weight, total) for weight in node.weights]
            known: Any = Fraction(0)
            left = Fraction(1)
            for p, child in zip(share, node.children, strict=True):
                left -= p
                lowest = max(self.low, (alpha - known - left * self.high) / p)
                highest = min(self.high, (beta - known - left * self.low) / p)
                value = self.search(child, lowest, highest)
                if left and known + p * value + left * self.high <= alpha:
                    return known + p * value + left * self.high
                if left and known + p * value + left * self.low >= beta:
                    return known + p * value + left * self.low
                known += p * value
            return known
        best = -inf if node.player == MAX else inf
        for child in node.children:
            value = self.search(child, alpha, beta)
            if node.player == MAX:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best


def test_star1_windows_are_those_of_the_formula() -> None:
    for seed in range(60):
        given = random_tree(seed, chance=0.5)
        trace = tree.trace(given, "star1", bounds=(-10, 12))
        oracle = Star1(given, -10, 12)
        assert oracle.search(0, -inf, inf) == trace.value
        assert [(s.node, s.alpha, s.beta) for s in trace.steps if s.kind == "enter"] == oracle.windows


def test_every_step_has_a_sentence_and_a_line_of_pseudocode() -> None:
    kinds = set()
    searches = ["pvs deepening aspiration table killers", "negamax pvs table", "star1", "star2"]
    for seed, words in product(range(3), searches):
        trace = tree.trace(random_tree(seed, chance=0.4 if "star" in words else 0.0), words)
        code = Pseudocode(trace)
        for step in trace.steps:
            kinds.add(step.kind)
            assert describe_step(trace, step)
            assert code.line_of(step) is not None
        assert tree.explain(trace)
        trace.as_json()
        assert "</html>" in html(trace)
    assert kinds >= {"iteration", "widen", "table-hit", "table-move", "killer", "store", "null-window", "re-search"}
    assert kinds >= {"probe", "cut"}


@pytest.mark.parametrize("lecture", ["000", "002", "003", "004"])
def test_pseudocode_of_the_lectures(lecture: str) -> None:
    for seed, chance in product(range(4), (0.0, 0.3)):
        trace = tree.trace(random_tree(seed, chance), lecture)
        assert trace.value == minimax(trace.tree)
        code = Pseudocode(trace)
        for step in trace.steps:
            assert code.line_of(step) is not None
        page = html(trace)
        assert "pseudocode of lecture" in page
    trace = tree.trace("[[3,12],[2,4],[5,[4,6]]]", "002")
    code = Pseudocode(trace)
    steps = [step for step in trace.steps if step.node == trace.tree["C"].index]
    assert [code.lines[code.line_of(step) or 0].strip() for step in steps] == [
        "function Min-Value(s, α, β)",
        "β := min(β, Max-Value(s', α, β))",
        "if α ≥ β then return α   /* beta pruning */",
        "if α ≥ β then return α   /* beta pruning */",
    ]


def test_a_search_step_by_step() -> None:
    trace = tree.trace("[[3,12],[9,5]]", "pvs")
    begin = [(step.kind, step.node) for step in trace.steps].index(("null-window", 0))
    limit = "the null window bounds MIN at 4"
    assert [describe_step(trace, step) for step in trace.steps[begin:]] == [
        "Search C with the null window [3, 4]: can MAX get more than 3 there?",
        f"Visit MIN node C with window [3, 4]: MAX is guaranteed at least 3 by B at A, and {limit}.",
        "Visit leaf c1.",
        "c1 has value 9.",
        f"c1 returns 9: best value for MIN so far. The {limit[4:]}, so no bound changes.",
        "Visit leaf c2.",
        "c2 has value 5.",
        f"c2 returns 5: better than c1 (9), best value for MIN so far. The {limit[4:]}, so no bound changes.",
        "C returns 5, best child c2.",
        "C returns 5, outside the null window: search it again with the window [3, +∞].",
        "Visit MIN node C with window [3, +∞]: MAX is guaranteed at least 3 by B at A.",
        "Visit leaf c1.",
        "c1 has value 9.",
        "c1 returns 9: best value for MIN so far.",
        "Update beta at C to 9: window [3, 9].",
        "Search c2 with the null window [8, 9]: can MIN get less than 9 there?",
        "Visit leaf c2.",
        "c2 has value 5.",
        "c2 returns 5, outside the null window: search it again with the window [3, 9].",
        "Visit leaf c2.",
        "c2 has value 5.",
        "c2 returns 5: better than c1 (9), best value for MIN so far.",
        "Update beta at C to 5: window [3, 5].",
        "C returns 5, best child c2.",
        "C returns 5: better than B (3), best value for MAX so far.",
        "Update alpha at A to 5: window [5, +∞].",
        "A returns 5, best child C.",
    ]


def test_the_width_of_aspiration_windows() -> None:
    given = tree.random_tree(3, branching=(2, 2), depth=(3, 3))
    widths = {1: (4, 6), 2: (3, 7), 50: (-45, 55)}
    for width, window in widths.items():
        trace = tree.trace(given, f"deepening aspiration={width}")
        assert trace.iterations[1].window == window
        assert trace.convention.as_json()["aspiration_width"] == width
    assert trace.visits == tree.trace(given, "deepening").visits  # no value is outside


def test_sentences_of_star1() -> None:
    trace = tree.trace(":max[:chance[1/3*2,2/3*-4],:chance[1/2*-3,1/2*[4,5]],:chance[1/2*-6,1/2*[4,5]]]", "star1")
    sentences = [describe_step(trace, step) for step in trace.steps]
    visit = "Visit MIN node E with window [-1, 5]: a value of at most -1 keeps the mean at C outside its window."
    cut = "Alpha cutoff at D: even if the rest are worth 5, the mean is at most -0.5, but alpha is 0.5. Prune F."
    assert visit in sentences
    assert cut in sentences
    assert "d1 returns -6, weight 1 of 2: the mean is between -6 and -0.5." in sentences
    assert sentences[-3] == "D returns -0.5 (upper bound), a bound of the mean of its outcomes."


def test_conventions() -> None:
    assert Convention.of("killers pvs").enhancements == ("pvs", "killers")
    assert Convention(enhancements=("table", "pvs")) == Convention.of("pvs table")
    assert str(Convention.of("pvs")) == "alphabeta with principal variation search, fail-soft; cut on equality"
    assert "enhancements" not in Convention().as_json()
    assert Convention.of("002 own") == Convention(variant="fail-hard", show="own", lecture="002")
    assert Convention.of("000").as_json()["lecture"] == "000"
    for words, message in {
        "minimax pvs": "pvs needs alphabeta or negamax (got minimax)",
        "star1 table": "table needs alphabeta or negamax (got star1)",
        "path killers": "killers cannot be combined with path",
        "interval pvs": "interval cannot be combined with pvs",
        "aspiration": "aspiration needs deepening",
        "star1 fail-hard": "star1 is fail-soft only",
        "deepning": "did you mean deepening?",
        "002 strict": "the pseudocode of 002 is equal (got strict)",
        "004 fail-hard": "the pseudocode of 004 is path (got fail-hard)",
        "deepening aspiration=0": "aspiration must be at least 1 (got 0)",
        "deepening aspiration=2 aspiration=3": "aspiration has two widths",
        "aspiration=x": "unknown word 'aspiration=x'",
        "003 pvs": "the pseudocode of 003 has no principal variation search",
        "002 003": "002 and 003 contradict each other",
    }.items():
        with pytest.raises(TreeError) as error:
            Convention.of(words)
        assert message in str(error.value)
    with pytest.raises(LimitError, match="must be finite and include 1 to 2, the values of the tree"):
        tree.trace(":chance[1,2]", "star1", bounds=(0, 1))
    with pytest.raises(TreeError, match="are for star1 and star2"):
        tree.trace("[1,2]", bounds=(0, 1))
    with pytest.raises(TreeError, match="quiescence needs a depth limit"):
        tree.trace("[1,2]", "quiescence")
    with pytest.raises(TreeError, match="tactical must be true or false"):
        tree.read({"children": [{"value": 1, "tactical": 1}]})
