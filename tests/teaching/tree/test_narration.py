"""Sentences about a search: known ones word for word; in many others every fact is checked against an oracle."""

import random
import re
import time
from fractions import Fraction
from itertools import product
from math import inf

import pytest

from zermelo import load
from zermelo.teaching.tree import game_tree, random_tree, read, trace
from zermelo.teaching.tree.narration import describe_step, explain, explain_node

pytestmark = pytest.mark.quick

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"
CUT_AT_C = "Alpha cutoff at C: MIN can hold MAX to 2, but MAX is guaranteed at least 3 by B at A. Prune c2, c3."


def steps_of(tree, convention="", **options):
    searched = trace(tree, convention, **options)
    return [describe_step(searched, step) for step in searched.steps]


def test_the_tree_of_aima_step_by_step():
    said = steps_of(read(AIMA))
    assert said[0] == "Visit MAX node A with window [-∞, +∞]: the search starts."
    assert said[2:5] == [
        "Visit leaf b1.",
        "b1 has value 3.",
        "b1 returns 3: best value for MIN so far.",
    ]
    assert said[5] == "Update beta at B to 3: window [-∞, 3]."
    assert "b2 returns 12: worse, MIN keeps b1 (3)." in said
    assert "Visit MIN node C with window [3, +∞]: MAX is guaranteed at least 3 by B at A." in said
    assert CUT_AT_C in said
    assert "C returns 2 (upper bound): worse, MAX keeps B (3)." in said
    assert said[-1] == "A returns 3, best child B."


def test_explain_the_tree_of_aima():
    assert explain(trace(read(AIMA))) == [
        "The value of A is 3, principal variation B, b1. 7 of 9 leaves were evaluated.",
        CUT_AT_C,
        "B is the best move: MIN replies b1, value 3.",
        "C is worse: MIN replies c1, value at most 2.",
        "D is worse: MIN replies d3, value 2.",
    ]


def test_cutoffs_on_equality():
    searched = trace(read("[[3,5],[3,9]]"))
    assert explain(searched)[1] == (
        "Alpha cutoff at C: MIN can hold MAX to 3, and MAX is guaranteed at least 3 by B at A; equality cuts. Prune c2."
    )
    assert explain(searched)[-1] == "C is not better: MIN replies c1, value at most 3."
    strict = steps_of(read("[[3,5],[3,9]]"), "strict")
    equal = next(said for said in strict if said.startswith("c1 returns 3"))
    assert equal.endswith("so far. It equals the bound of MAX; the strict rule does not cut on equality.")
    assert explain(trace(read("[[3,5],[3,9]]"), "strict"))[-1] == "C is equally good: MIN replies c1, value 3."


def test_sentences_of_other_conventions():
    hard = steps_of(read(AIMA), "fail-hard")
    assert "C returns the bound 3 (fail-hard): the best value found is 2." in hard
    path = steps_of(read(AIMA), "path own")
    assert "Update alpha at A to 3." in path
    assert any(line.endswith("; no principal variation.") for line in path)
    negamax = steps_of(read(AIMA), "negamax")
    assert "c1 returns -2 for MIN: best value for MIN so far." in negamax
    assert (
        "Beta cutoff at C: MIN can get -2, so MAX at most 2, but MAX is guaranteed at least 3 by B at A. Prune c2, c3."
        in negamax
    )
    assert steps_of(read(AIMA), "minimax")[:2] == ["Visit MAX node A.", "Visit MIN node B."]
    chance = steps_of(read(":chance[1/4*3, 3/4*[4, 5]]"))
    assert chance[0] == "Visit chance node A: its value is the weighted mean of its outcomes."
    assert "a1 returns 3, weight 1 of 4." in chance
    assert chance[-1] == "A returns 4.5, the mean of its outcomes."
    window = explain(trace(read(AIMA), window=(5, 9)))
    assert window[0] == "The value of A is at most 5. 4 of 9 leaves were evaluated."
    assert "The value is outside the root window, so no move is proven best." in window


def test_sentences_of_a_game_tree_use_its_names():
    tree = game_tree(load("tictactoe").parse("X--/OO-/X--"), 2, "lines")
    said = explain(trace(tree))
    assert said[0] == "The value of the position is 0, principal variation c2, c1. 12 of 20 leaves were evaluated."
    assert said[1].startswith(
        "Alpha cutoff after c1: noughts can hold crosses to -8, and crosses are guaranteed at least -8 by b1 in the "
    )
    assert "c2 is the best move: noughts reply c1, value 0." in said
    assert "b1 is worse: noughts reply c2, value -8 (noughts win after 2 plies)." in said
    assert "The line b1 c2 has value -8: noughts win." in steps_of(tree)
    won = game_tree(load("tictactoe").parse("X--/-O-/X-O"), 1, "nothing", rank_wins=False)
    assert explain(trace(won))[0].startswith("The value of the position is 1 (crosses win), principal variation a2.")


def test_explain_node():
    searched = trace(read(AIMA))
    assert explain_node(searched, searched.tree["c2"]) == [
        "c2 was not visited.",
        CUT_AT_C,
    ]
    assert explain_node(searched, searched.tree["C"])[-1] == "C returns 2 (upper bound), best child c1."
    deep = trace(random_tree(1), depth=1)
    assert explain_node(deep, deep.tree.nodes[2])[0].endswith(" was not visited: it is below the depth limit.")


# ---- every fact in every sentence -----------------------------------------------------------------------------------

CONVENTIONS = [
    f"{algorithm} {variant} {cut} {show}"
    for algorithm, variant, cut, show in product(
        ("alphabeta", "negamax", "minimax"),
        ("fail-soft", "fail-hard", "path"),
        ("equal", "strict"),
        ("inherited", "own", "interval"),
    )
    if algorithm == "alphabeta" or variant == "fail-soft"
]


def wild(seed):
    """A random tree with repeated turns, chance nodes and many equal values."""
    chances = random.Random(seed)

    def node(depth):
        if depth == 0 or (depth < 4 and chances.random() < 0.15):
            return {"value": chances.randint(-4, 4)}
        player = chances.choice(["max", "max", "min", "min", "min", "chance"] if seed % 3 == 0 else ["max", "min"])
        children = [node(depth - 1) for _ in range(chances.randint(1, 3))]
        weights = {"weights": [chances.randint(1, 3) for _ in children]} if player == "chance" else {}
        return {"player": player, "children": children, "evaluation": chances.randint(-4, 4), **weights}

    return read(node(4))


def true_values(tree, depth=None):
    """The oracle: the minimax value of every node for MAX, with the tree cut at the depth."""
    values = {}

    def value(node):
        if node.is_leaf:
            values[node.id] = node.value
        elif node.depth == depth:
            values[node.id] = node.evaluation
        else:
            below = [value(child) for child in tree.children(node)]
            if node.weights:
                values[node.id] = Fraction(
                    sum(w * v for w, v in zip(node.weights, below, strict=True)), sum(node.weights)
                )
            else:
                values[node.id] = max(below) if node.player == 1 else min(below)
        return values[node.id]

    value(tree.root)
    return values


NUMBER = r"(-?(?:\d+(?:\.\d+)?(?:/\d+)?|∞)|\+∞)"
NAME = r"([A-Z]+|[a-z]+\d+'*)"


def number(text):
    if "∞" in text:
        return -inf if text[0] == "-" else inf
    return Fraction(text)


class Checker:
    """Checks each fact in a trace's sentences against the tree and the raw steps."""

    def __init__(self, searched, depth):
        self.trace, self.tree = searched, searched.tree
        self.true = true_values(searched.tree, depth)
        self.negamax = searched.convention.algorithm == "negamax"
        self.returned = {}  # by node: [(child, value for MAX)] so far, in its last visit
        self.window = searched.window
        self.facts = 0

    def sign(self, player):
        return -1 if self.negamax and player == "MIN" else 1

    def proves(self, name, value, words, sign=1):
        """The value in a sentence about a node is exact, or the bound that the sentence says."""
        self.facts += 1
        true = sign * self.true[name]
        holds = {"": true == value, "at most": true <= value, "at least": true >= value}
        holds |= {"upper": holds["at most"], "lower": holds["at least"]}
        assert holds[words.strip()], (name, value, words)

    def holds(self, where, player, value, child, at):
        """`child` returned `value` at `at`, where `player` moves: an ancestor of `where`, or itself."""
        self.facts += 1
        node = self.tree[where]
        path = {where}
        while node.parent >= 0:
            node = self.tree.nodes[node.parent]
            path.add(node.id)
        assert at in path
        assert self.tree[at].player == {"MAX": 1, "MIN": -1}[player]
        assert (child, value * self.sign(player)) in self.returned[at]

    def steps(self):
        for step in self.trace.steps:
            said = describe_step(self.trace, step)
            assert "\n" not in said
            assert said[-1] == ("?" if step.kind == "null-window" else ".")
            self.step(step, self.tree.nodes[step.node].id, said)

    def step(self, step, name, said):
        child = self.tree.nodes[step.child].id if step.child >= 0 else ""
        player = {1: "MAX", -1: "MIN", 0: "chance", None: ""}[self.tree[name].player]
        sign = self.sign(player)
        for who, relation, value, by, at in re.findall(
            rf"(MAX|MIN) is guaranteed (at least|at most) {NUMBER} by {NAME} at {NAME}", said
        ):
            assert (relation == "at least") == (who == "MAX" or self.negamax)
            self.holds(name, who, number(value), by, at)
        for value in re.findall(rf"null window bounds (?:MAX|MIN) at {NUMBER}", said):
            assert number(value) in (step.alpha, step.beta) or (self.negamax and -number(value) in step[2:4])
            self.facts += 1
        for who, value in re.findall(rf"the root window bounds (MAX|MIN) at {NUMBER}", said):
            end = self.window[(who == "MIN") if not self.negamax or self.tree.root.player != -1 else (who == "MAX")]
            assert number(value) == end * (
                self.sign(who) * self.sign({1: "MAX", -1: "MIN"}[self.tree.root.player or 1])
            )
            self.facts += 1
        for low, high in re.findall(rf" window \[{NUMBER}, {NUMBER}\]", said):
            assert (number(low), number(high)) == (step.alpha, step.beta)
            self.facts += 1
        if step.kind == "enter":
            self.returned[name] = []
        elif step.kind in ("iteration", "widen"):
            self.window = (step.alpha, step.beta)
            if step.kind == "iteration":
                self.true = true_values(self.tree, step.depth)
        elif step.kind in ("table-hit", "store", "re-search"):
            about, said_bound = (child, "") if step.kind == "re-search" else (name, step.bound)
            number_said = re.search(rf"(?:value|bound|exact|returns) {NUMBER}(?: for (MAX|MIN))?", said)
            assert said_bound in said
            assert number(number_said[1]) == step.value
            if step.kind != "re-search":
                self.proves(about, step.value, said_bound.removesuffix(" bound").replace("exact", ""), sign)
        elif step.kind == "leaf":
            value, to = re.search(rf"^{name} (?:has value|.* evaluation) {NUMBER}(?: for (MAX|MIN))?\.$", said).groups()
            assert bool(to) == self.negamax
            self.proves(name, number(value), "", self.sign(to))
        elif step.kind == "value":
            self.value(step, name, child, player, said)
        elif step.kind == "cut":
            self.cut(name, said, [self.tree.nodes[index].id for index in step.skipped])
        elif step.kind == "bound":
            bound, at, value = re.match(rf"Update (alpha|beta) at {NAME} to {NUMBER}[:.]", said).groups()
            assert (bound == "alpha") == (player == "MAX" or self.negamax)
            self.holds(name, player, number(value), child, at)
            if "interval" in str(vars(self.trace.convention)) and not self.negamax:
                interval = re.search(rf"value in \[{NUMBER}, {NUMBER}\]", said)
                low, high = interval.groups() if interval else re.search(rf"value {NUMBER}\.", said).groups() * 2
                assert number(low) <= self.true[name] <= number(high)
        elif step.kind == "leave":
            self.leave(step, name, player, sign, said)

    def value(self, step, name, child, player, said):
        match = re.match(rf"{child} returns {NUMBER}(?: for (MAX|MIN))?(?: \((upper|lower) bound\))?", said)
        value, to, words = number(match[1]), match[2], match[3] or ""
        sign = self.sign(to)
        self.proves(child, value, words, sign)
        before = self.returned.setdefault(name, [])
        rest = said[match.end() :]
        if player != "chance":
            best = (max if player == "MAX" else min)((v for _, v in before), default=None)
            if best is not None:
                best *= sign
            first = next((c for c, v in before if v * sign == best), None)
            if "best value for" in rest:
                assert best is None or (value > best if player == "MAX" or self.negamax else value < best)
            for of, than in re.findall(rf"(?:keeps|than) {NAME} \({NUMBER}\)", rest):
                assert (number(than), of) == (best, first)
            if "not better" in rest:
                assert value == best
            elif "worse" in rest:
                assert value < best if player == "MAX" or self.negamax else value > best
            self.facts += 1
        else:
            weight, total = re.match(r", weight (\d+) of (\d+)\.$", rest).groups()
            node = self.tree[name]
            assert int(weight) == node.weights[node.children.index(step.child)]
            assert int(total) == sum(node.weights)
        before.append((child, value * sign))

    def cut(self, name, said, skipped):
        bounds = r"(?:MAX|MIN) is guaranteed at \w+|the (?:root|null) window bounds (?:MAX|MIN) at"
        other = rf"(?:but|and) (?:{bounds}) {NUMBER}"
        hold = re.match(rf"Alpha cutoff at {name}: MIN can hold MAX to {NUMBER}, {other}", said)
        get = re.match(rf"Beta cutoff at {name}: MAX can get {NUMBER}, {other}", said)
        both = re.match(
            rf"Beta cutoff at {name}: (MAX|MIN) can get {NUMBER}, so (?:MAX|MIN) at most {NUMBER}, {other}", said
        )
        if hold:
            value, bound = number(hold[1]), number(hold[2])
            assert self.true[name] <= value
            assert value <= bound
        elif get:
            value, bound = number(get[1]), number(get[2])
            assert self.true[name] >= value
            assert value >= bound
        else:
            mine, value, bound = number(both[2]), number(both[3]), number(both[4])
            assert mine == -value
            assert self.sign(both[1]) * self.true[name] >= mine
            assert value <= bound
        assert ("equality cuts" in said) == (value == bound)
        pruned = re.search(r" Prune (.*)\.$", said)[1].split(", ")
        assert pruned == skipped
        if self.trace.visits == len(self.trace.visited):
            children = self.tree.children(self.tree[name])
            assert pruned == [child.id for child in children if not self.trace.record(child).is_visited]
        self.facts += 4

    def leave(self, step, name, player, sign, said):
        if player == "chance":
            value = re.match(
                rf"{name} returns {NUMBER}(?: for MAX)?(?: \((upper|lower) bound\))?, the mean of its outcomes\.$", said
            )
            self.proves(name, number(value[1]), value[2] or "")
            return
        value = re.match(rf"{name} returns {NUMBER}(?: for (?:MAX|MIN))?(?: \((upper|lower) bound\))?", said)
        if value:
            self.proves(name, number(value[1]), value[2] or "", sign)
            assert number(value[1]) == step.value
            return
        given, found = re.match(
            rf"{name} returns the bound {NUMBER} \((?:fail-hard|path)\): the best value found is {NUMBER}[.;]", said
        ).groups()
        values = [v * sign for _, v in self.returned[name]]
        assert number(found) == (max(values) if player == "MAX" else min(values))
        assert number(given) == step.value
        assert number(given) != number(found)
        self.facts += 1

    def whole(self):
        """The sentences about the result and the children of the root."""
        outcome, *others = explain(self.trace)
        root = {1: "MAX", -1: "MIN", 0: "MAX", None: "MAX"}[self.tree.root.player]
        sign = self.sign(root)
        value = re.match(
            rf"The value of {self.tree.root.id} is (at most |at least )?{NUMBER}(?: for (?:MAX|MIN))?", outcome
        )
        self.proves(self.tree.root.id, number(value[2]), value[1] or "", sign)
        for said in others:
            match = re.match(rf"{NAME}( \(weight| is|:)", said)
            if match is None or self.tree[match[1]].parent != 0 or "not visited" in said:
                continue
            name = match[1]
            true, best = sign * self.true[name], sign * self.true[self.tree.root.id]
            upward = root == "MAX" or self.negamax
            if "is the best move" in said or "is equally good" in said:
                assert true == best
            elif "is worse" in said:
                assert true < best if upward else true > best
            elif "is not better" in said:
                assert true <= best if upward else true >= best
            value = re.search(rf"(?:value|mean) (at most |at least )?{NUMBER}(?: for (?:MAX|MIN))?\.$", said)
            if value:
                self.proves(name, number(value[2]), value[1] or "", sign)
            else:
                low, high = re.search(rf"between {NUMBER} and {NUMBER}", said).groups()
                assert number(low) <= true <= number(high)
            assert "is not chosen" not in said or self.trace.window != (-inf, inf)


def check(seed, convention, depth=None, window=(-inf, inf)):
    checker = Checker(trace(wild(seed), convention, depth=depth, window=window), depth)
    checker.steps()
    checker.whole()
    return checker.facts


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_fact_is_true(convention):
    facts = sum(check(seed, convention) for seed in range(40))
    facts += sum(check(seed, convention, depth=seed % 4) for seed in range(40, 50))
    assert facts > 1_000


@pytest.mark.parametrize(
    "convention", ["pvs", "negamax pvs strict", "deepening aspiration table killers pvs", "negamax deepening table"]
)
def test_every_fact_is_true_of_enhanced_searches(convention):
    facts = sum(check(seed, convention) for seed in range(20))
    facts += sum(check(seed, convention, depth=seed % 4) for seed in range(20, 28))
    assert facts > 1_000


@pytest.mark.parametrize("convention", [c for c in CONVENTIONS if "minimax" not in c and "inherited" in c])
def test_every_fact_is_true_with_a_root_window(convention):
    for seed in range(60):
        low = seed % 7 - 4
        check(seed, convention, window=(low, low + 1 + seed % 3))


@pytest.mark.nightly
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_fact_is_true_in_many_trees(convention):
    for seed in range(1_000, 1_600):
        check(seed, convention)
        if "minimax" not in convention:
            check(seed, convention, window=(seed % 7 - 4, seed % 7 - 2))


@pytest.mark.slow
def test_sentences_are_fast_in_a_large_tree():
    searched = trace(random_tree(1, branching=(5, 5), depth=(6, 6), values=(-999, 999)), "minimax")
    began = time.process_time()
    for step in searched.steps[-50_000:]:
        describe_step(searched, step)
    assert time.process_time() - began < 5


def test_a_cutoff_at_the_bound_of_all_values():
    """The windows of Star1 and Star2 end at the bounds of all values, which no node has returned."""
    low = "Alpha cutoff at C: MIN can hold MAX to 2, and no value is below 2; equality cuts. Prune c2."
    high = "Beta cutoff at C: MAX can get 6, and no value is above 6; equality cuts. Prune c2."
    for words in ("star1", "star2"):
        assert low in steps_of(read(":max[:chance[1/4*3,3/4*:min[2,6]],5]"), words)
        assert high in steps_of(read(":min[:chance[1/4*3,3/4*:max[6,2]],5]"), words)
