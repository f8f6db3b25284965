"""Sentences about a search: the known ones word for word, and every fact in a great many others, checked one by one."""

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

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"


def steps_of(tree, convention="", **options):
    told = trace(tree, convention, **options)
    return [describe_step(told, step) for step in told.steps]


def test_the_tree_of_aima_step_by_step():
    said = steps_of(read(AIMA))
    assert said[0] == "MAX at A is searched with the window [-∞, +∞]: the search begins."
    assert said[2:5] == [
        "b1 is reached, a leaf.",
        "b1 is worth 3.",
        "b1 comes back with 3: the best for MIN so far.",
    ]
    assert said[5] == "MIN has 3 at B now: the window becomes [-∞, 3]."
    assert "b2 comes back with 12: MIN keeps the 3 of b1." in said
    assert "MIN at C is searched with the window [3, +∞]: MAX already has 3 with B at A." in said
    assert (
        "MIN at C can already hold MAX to 2; MAX has 3 with B at A: the rest of C (c2, c3) is never looked at." in said
    )
    assert "C comes back with 2 at most: MAX keeps the 3 of B." in said
    assert said[-1] == "A is done: worth 3, by B."


def test_why_the_tree_of_aima():
    assert explain(trace(read(AIMA))) == [
        "A is worth 3, by B, then b1. Of 9 leaves, 7 were read.",
        "MIN at C can already hold MAX to 2; MAX has 3 with B at A: the rest of C (c2, c3) is never looked at.",
        "B is the best move: MIN answers b1, worth 3.",
        "C is worse: MIN answers c1, worth 2 at most.",
        "D is worse: MIN answers d3, worth 2.",
    ]


def test_equality_is_told_as_no_better():
    told = trace(read("[[3,5],[3,9]]"))
    assert explain(told)[1] == (
        "MIN at C can already hold MAX to 3; MAX has 3 with B at A, and this is no better for MAX: "
        "what is left of C (c2) is never looked at."
    )
    assert explain(told)[-1] == "C is no better: MIN answers c1, worth 3 at most."
    strict = steps_of(read("[[3,5],[3,9]]"), "strict")
    equal = next(said for said in strict if said.startswith("c1 comes back with 3"))
    assert equal.endswith("so far. It equals what MAX has, which does not cut under the strict rule.")
    assert explain(trace(read("[[3,5],[3,9]]"), "strict"))[-1] == "C is as good: MIN answers c1, worth 3."


def test_other_conventions_have_words_of_their_own():
    hard = steps_of(read(AIMA), "fail-hard")
    assert "C is left: the best found is 2, and fail-hard gives the bound 3 back." in hard
    path = steps_of(read(AIMA), "path own")
    assert "MAX has 3 at A now: α=3." in path
    assert any(line.endswith("no path goes with it.") for line in path)
    negamax = steps_of(read(AIMA), "negamax")
    assert "c1 comes back, worth -2 to MIN: the best for MIN so far." in negamax
    assert (
        "MIN at C can already get -2, so MAX no more than 2; MAX has 3 with B at A: the rest of C (c2, c3) is never "
        "looked at." in negamax
    )
    assert steps_of(read(AIMA), "minimax")[:2] == ["MAX moves at A.", "MIN moves at B."]
    chance = steps_of(read(":chance[1/4*3, 3/4*[4, 5]]"))
    assert chance[0] == "Chance at A: every outcome counts with its weight."
    assert "a1 comes back with 3; its weight is 1 of 4." in chance
    assert chance[-1] == "A is done: the mean of its outcomes is 4.5."
    window = explain(trace(read(AIMA), window=(5, 9)))
    assert window[0] == "A is worth 5 at most. Of 9 leaves, 4 were read."
    assert "The value lies outside of the root's window, so no move is proven the best." in window


def test_a_game_is_told_in_its_own_names():
    tree = game_tree(load("tictactoe").parse("X--/OO-/X--"), 2, "lines")
    said = explain(trace(tree))
    assert said[0] == "The position is worth 0; crosses move c2, then c1. Of 20 leaves, 12 were read."
    assert said[1].startswith(
        "Noughts after c1 can already hold crosses to -8; crosses have -8 with b1 in the position"
    )
    assert "c2 is the best move: noughts answer c1, worth 0." in said
    assert "b1 is worse: noughts answer c2, worth -8 (noughts win after 2 plies)." in said
    assert "The line b1 c2 is worth -8: noughts have won." in steps_of(tree)
    won = game_tree(load("tictactoe").parse("X--/-O-/X-O"), 1)
    assert explain(trace(won))[0].startswith("The position is worth 1 (crosses win); crosses move a2.")


def test_why_a_node():
    told = trace(read(AIMA))
    assert explain_node(told, told.tree["c2"]) == [
        "c2 was never looked at.",
        "MIN at C can already hold MAX to 2; MAX has 3 with B at A: the rest of C (c2, c3) is never looked at.",
    ]
    assert explain_node(told, told.tree["C"])[-1] == "C is left: worth 2 at most, by c1."
    deep = trace(random_tree(1), depth=1)
    assert explain_node(deep, deep.tree.nodes[2])[0].endswith("below the depth of the search, and was never looked at.")


# ---- every fact in every sentence --------------------------------------------------------------------------------

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
    """A random tree with turns repeated, chance, and many equal values."""
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
    """The oracle: what every node is worth for MAX, the tree cut off at the depth."""
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
    """The facts of a trace's sentences, each looked up in the tree and in the bare steps."""

    def __init__(self, told, depth):
        self.told, self.tree = told, told.tree
        self.true = true_values(told.tree, depth)
        self.negamax = told.convention.algorithm == "negamax"
        self.came_back = {}  # by node: [(child, value for MAX)] up to now
        self.facts = 0
        self.entry = {told.tree.nodes[i].id: p.entry for i, p in enumerate(told.records)}

    def sign(self, player):
        return -1 if self.negamax and player == "MIN" else 1

    def proves(self, name, value, words, sign=1):
        """A value that is told of a node: exact, at most, or at least, for the side that it is told to."""
        self.facts += 1
        true = sign * self.true[name]
        assert {"": true == value, " at most": true <= value, " at least": true >= value}[words], (name, value, words)

    def holds(self, where, player, value, child, at):
        """`player` has `value` with `child` at `at`, an ancestor of `where` or itself, in which that player moves."""
        self.facts += 1
        node = self.tree[where]
        way = {where}
        while node.parent >= 0:
            node = self.tree.nodes[node.parent]
            way.add(node.id)
        assert at in way
        assert self.tree[at].player == {"MAX": 1, "MIN": -1}[player]
        assert (child, value * self.sign(player)) in self.came_back[at]

    def steps(self):
        for step in self.told.steps:
            said = describe_step(self.told, step)
            assert "\n" not in said
            assert said[-1] == "."
            self.step(step, self.tree.nodes[step.node].id, said)

    def step(self, step, name, said):
        child = self.tree.nodes[step.child].id if step.child >= 0 else ""
        player = {1: "MAX", -1: "MIN", 0: "chance", None: ""}[self.tree[name].player]
        sign = self.sign(player)
        for who, value, with_, at in re.findall(rf"(MAX|MIN) (?:already )?has {NUMBER} with {NAME} at {NAME}", said):
            self.holds(name, who, number(value), with_, at)
        for who, value in re.findall(rf"(MAX|MIN) has {NUMBER} by the root's window", said):
            end = self.told.window[
                (who == "MIN") if not self.negamax or self.tree.root.player != -1 else (who == "MAX")
            ]
            assert number(value) == end * (
                self.sign(who) * self.sign({1: "MAX", -1: "MIN"}[self.tree.root.player or 1])
            )
            self.facts += 1
        for low, high in re.findall(rf"window (?:becomes )?\[{NUMBER}, {NUMBER}\]", said):
            assert (number(low), number(high)) == (step.alpha, step.beta)
            self.facts += 1
        if step.kind == "leaf":
            value, to = re.search(
                rf"^{name} (?:is worth|.*its evaluation is) {NUMBER}(?: to (MAX|MIN))?\.$", said
            ).groups()
            assert bool(to) == self.negamax
            self.proves(name, number(value), "", self.sign(to))
        elif step.kind == "value":
            self.value(step, name, child, player, said)
        elif step.kind == "cut":
            self.cut(name, said)
        elif step.kind == "bound":
            assert said.startswith(f"{player} has ")
            value, at = re.match(rf"(?:MAX|MIN) has {NUMBER} at {NAME} now: ", said).groups()
            self.holds(name, player, number(value), child, at)
            if "interval" in str(vars(self.told.convention)) and not self.negamax:
                low, high = re.search(rf"\[{NUMBER}, {NUMBER}\]", said).groups()
                assert number(low) <= self.true[name] <= number(high)
        elif step.kind == "leave":
            self.leave(step, name, player, sign, said)

    def value(self, step, name, child, player, said):
        match = re.match(
            rf"{child} comes back(?:,| with)(?: worth)? ?{NUMBER}(?: to (MAX|MIN))?( at most| at least)?", said
        )
        value, to, words = number(match[1]), match[2], match[3] or ""
        sign = self.sign(to)
        self.proves(child, value, words, sign)
        before = self.came_back.setdefault(name, [])
        rest = said[match.end() :]
        if player != "chance":
            best = (max if player == "MAX" else min)((v for _, v in before), default=None)
            if best is not None:
                best *= sign
            first = next((c for c, v in before if v * sign == best), None)
            if "the best for" in rest:
                assert best is None or (value > best if player == "MAX" or self.negamax else value < best)
            for than, of in re.findall(rf"(?:the) {NUMBER} of {NAME}", rest):
                assert (number(than), of) == (best, first)
            if "no better than" in rest:
                assert value == best
            elif "keeps the" in rest:
                assert value < best if player == "MAX" or self.negamax else value > best
            self.facts += 1
        else:
            weight, total = re.match(r"; its weight is (\d+) of (\d+)\.$", rest).groups()
            node = self.tree[name]
            assert int(weight) == node.weights[node.children.index(step.child)]
            assert int(total) == sum(node.weights)
        before.append((child, value * sign))

    def cut(self, name, said):
        hold = re.match(rf"MIN at {NAME} can already hold MAX to {NUMBER}; MAX has {NUMBER}", said)
        get = re.match(rf"MAX at {NAME} can already get {NUMBER}; MIN has {NUMBER}", said)
        both = re.match(
            rf"(MAX|MIN) at {NAME} can already get {NUMBER}, so (?:MAX|MIN) no more than {NUMBER}; .* has {NUMBER}",
            said,
        )
        if hold:
            value, bound = number(hold[2]), number(hold[3])
            assert self.true[name] <= value
            assert value <= bound
        elif get:
            value, bound = number(get[2]), number(get[3])
            assert self.true[name] >= value
            assert value >= bound
        else:
            mine, value, bound = number(both[3]), number(both[4]), number(both[5])
            assert mine == -value
            assert self.sign(both[1]) * self.true[name] >= mine
            assert value <= bound
        assert ("no better" in said) == (value == bound)
        left = re.search(r"(?:the rest|what is left) of \S+ \((.*)\) is never looked at\.$", said)[1].split(", ")
        unread = [c.id for c in self.tree.children(self.tree[name]) if not self.told.record(c).is_visited]
        assert left == unread
        self.facts += 4

    def leave(self, step, name, player, sign, said):
        if player == "chance":
            value = re.search(rf"mean of its outcomes is {NUMBER}(?: to MAX)?( at most| at least)?\.$", said)
            self.proves(name, number(value[1]), value[2] or "")
            return
        worth = re.match(rf"{name} is (?:left|done): worth {NUMBER}(?: to (?:MAX|MIN))?( at most| at least)?", said)
        if worth:
            self.proves(name, number(worth[1]), worth[2] or "", sign)
            assert number(worth[1]) == step.value
            return
        found, given = re.match(
            rf"{name} is (?:left|done): the best found is {NUMBER}, and .* the bound {NUMBER} back", said
        ).groups()
        values = [v * sign for _, v in self.came_back[name]]
        assert number(found) == (max(values) if player == "MAX" else min(values))
        assert number(given) == step.value
        assert number(given) != number(found)
        self.facts += 1

    def whole(self):
        """The sentences about the outcome and the root's moves."""
        outcome, *others = explain(self.told)
        root = {1: "MAX", -1: "MIN", 0: "MAX", None: "MAX"}[self.tree.root.player]
        sign = self.sign(root)
        worth = re.match(rf"{self.tree.root.id} is worth {NUMBER}(?: to (?:MAX|MIN))?( at most| at least)?", outcome)
        self.proves(self.tree.root.id, number(worth[1]), worth[2] or "", sign)
        for said in others:
            match = re.match(rf"{NAME}(,| is|:)", said)
            if match is None or self.tree[match[1]].parent != 0 or "never" in said:
                continue
            name = match[1]
            true, best = sign * self.true[name], sign * self.true[self.tree.root.id]
            upward = root == "MAX" or self.negamax
            if "is the best move" in said or "is as good" in said:
                assert true == best
            elif "is worse" in said:
                assert true < best if upward else true > best
            elif "is no better" in said:
                assert true <= best if upward else true >= best
            value = re.search(rf"(?:worth|mean is) {NUMBER}(?: to (?:MAX|MIN))?( at most| at least)?\.$", said)
            if value:
                self.proves(name, number(value[1]), value[2] or "", sign)
            else:
                low, high = re.search(rf"between {NUMBER} and {NUMBER}", said).groups()
                assert number(low) <= true <= number(high)
            assert "is not the choice" not in said or self.told.window != (-inf, inf)


def check(seed, convention, depth=None, window=(-inf, inf)):
    checker = Checker(trace(wild(seed), convention, depth=depth, window=window), depth)
    checker.steps()
    checker.whole()
    return checker.facts


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_fact_in_the_words_is_true(convention):
    facts = sum(check(seed, convention) for seed in range(40))
    facts += sum(check(seed, convention, depth=seed % 4) for seed in range(40, 50))
    assert facts > 1_000


@pytest.mark.parametrize("convention", [c for c in CONVENTIONS if "minimax" not in c and "inherited" in c])
def test_with_a_window_at_the_root_too(convention):
    for seed in range(60):
        low = seed % 7 - 4
        check(seed, convention, window=(low, low + 1 + seed % 3))


@pytest.mark.nightly
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_fact_on_many_trees(convention):
    for seed in range(1_000, 1_600):
        check(seed, convention)
        if "minimax" not in convention:
            check(seed, convention, window=(seed % 7 - 4, seed % 7 - 2))


def test_a_sentence_takes_no_longer_in_a_large_tree():
    told = trace(random_tree(1, branching=(5, 5), depth=(6, 6), values=(-999, 999)), "minimax")
    began = time.perf_counter()
    for step in told.steps[-50_000:]:
        describe_step(told, step)
    assert time.perf_counter() - began < 5
