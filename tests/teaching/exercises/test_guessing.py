"""Programs that visit the right states and guess the value earn few marks; searches and known mistakes lose none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import mean, median_low
from typing import Any

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.teaching.exercises import program_behaviour
from zermelo.teaching.exercises.check_cases import FUNCTIONS, VARIANTS, CheckCase, make_cases
from zermelo.teaching.exercises.check_report import CaseResult, withhold_marks
from zermelo.teaching.exercises.program_behaviour import SolverOptions
from zermelo.teaching.tree.convention import Convention

#: Largest share of the marks that a program may earn without searching; the bar of docs/reliability.md.
MAX_SHARE = 0.3

Combine = Callable[[Sequence[float]], float]


def estimate(case: CheckCase, index: int) -> float:
    """What the program sees at a node where it stops."""
    node = case.tree.nodes[index]
    return float((node.value if node.player is None else node.evaluation) or 0)


def leaves(case: CheckCase, index: int = 0) -> list[float]:
    """The values that a search without pruning compares below a node, in its order."""
    node = case.tree.nodes[index]
    if node.player is None or node.depth >= case.depth:
        return [estimate(case, index)]
    return [value for child in node.children for value in leaves(case, child)]


def visited(case: CheckCase) -> tuple[int, ...]:
    """The states of a search without pruning."""
    nodes = case.tree.nodes
    return tuple(node.index for node in nodes if node.depth <= case.depth)


def choice(player: int | None) -> Combine:
    """How the side to move chooses."""
    return {MAX: max, MIN: min}.get(player or 0, mean)


def searched(case: CheckCase, levels: int, guess: Combine, index: int = 0) -> float:
    """Minimax for some levels; below, a guess from the values of the leaves."""
    node = case.tree.nodes[index]
    if node.player is None or node.depth >= case.depth:
        return estimate(case, index)
    if levels == 0:
        return guess(leaves(case, index))
    return choice(node.player)([searched(case, levels - 1, guess, child) for child in node.children])


def one_side(case: CheckCase, player: int, other: Combine, index: int = 0) -> float:
    """One player chooses; at the other one's nodes, a guess from the values of the children."""
    node = case.tree.nodes[index]
    if node.player is None or node.depth >= case.depth:
        return estimate(case, index)
    combine = choice(player) if node.player == player else other
    return combine([one_side(case, player, other, child) for child in node.children])


def most_frequent(values: Sequence[float]) -> float:
    return Counter(values).most_common(1)[0][0]


def nearest(values: Sequence[float], target: float) -> float:
    return min(values, key=lambda value: (abs(value - target), value))


def upper_third(values: Sequence[float]) -> float:
    return sorted(values)[len(values) * 2 // 3]


def first(values: Sequence[float]) -> float:
    return values[0]


def last(values: Sequence[float]) -> float:
    return values[-1]


def worst(case: CheckCase) -> Combine:
    """What the opponent of the side to move would choose of all leaves below."""
    return max if case.tree.root.player == MIN else min


def of_depth_1(case: CheckCase) -> float:
    root = case.tree.root
    if root.player is None or case.depth == 0:
        return estimate(case, 0)
    return choice(root.player)([estimate(case, child) for child in root.children])


#: Rules that guess the value of a case from all that a program can see, without the comparisons of a search.
RULES: dict[str, Callable[[CheckCase], float]] = {
    "zero": lambda case: 0.0,
    "evaluation of the root": lambda case: estimate(case, 0),
    "best evaluation at depth 1": of_depth_1,
    "median leaf": lambda case: median_low(leaves(case)),
    "most frequent leaf": lambda case: most_frequent(leaves(case)),
    "average leaf": lambda case: mean(leaves(case)),
    "first leaf": lambda case: leaves(case)[0],
    "last leaf": lambda case: leaves(case)[-1],
    "leaf in the upper third": lambda case: upper_third(leaves(case)),
    "leaf near the average": lambda case: nearest(leaves(case), mean(leaves(case))),
    "best average of a move": lambda case: searched(case, 1, mean),
    "leaf near the best average of a move": lambda case: nearest(leaves(case), searched(case, 1, mean)),
    "best median of a move": lambda case: searched(case, 1, median_low),
    "most frequent leaf of the best move": lambda case: searched(case, 1, most_frequent),
    "best of the worst leaves of each move": lambda case: searched(case, 1, worst(case)),
    "two plies, then the median leaf": lambda case: searched(case, 2, median_low),
    "two plies, then the most frequent leaf": lambda case: searched(case, 2, most_frequent),
    "MAX chooses, MIN is an average": lambda case: one_side(case, MAX, mean),
    "MAX chooses, MIN plays its first move": lambda case: one_side(case, MAX, first),
    "MIN chooses, MAX plays its last move": lambda case: one_side(case, MIN, last),
}


def guessed(case: CheckCase, rule: Callable[[CheckCase], float]) -> CaseResult:
    """The result of a program that visits all states in order and returns what the rule says."""
    result = CaseResult(case, rule(case), searched=visited(case))
    result.variants = [CaseResult(each, rule(each), searched=visited(each)) for each in case.variants]
    return result


def simulated(case: CheckCase, options: SolverOptions) -> CaseResult:
    """The result of a simulated program."""

    def answer(case: CheckCase) -> CaseResult:
        found = case.simulate(options)
        return CaseResult(case, float(found.value), found.move, searched=found.searched)

    result = answer(case)
    result.variants = [answer(each) for each in case.variants]
    return result


def check_rules(function: str, seeds: range, record_property: Any = None) -> None:
    shares: dict[str, list[float]] = {name: [] for name in RULES}
    alone: dict[str, list[float]] = {name: [] for name in RULES}
    for seed in seeds:
        cases = make_cases(seed, 20, Convention.of(function))
        for name, rule in RULES.items():
            results = [guessed(case, rule) for case in cases]
            withhold_marks(results)
            shares[name].append(sum(result.points for result in results) / 100)
            for result in results:
                result.variants, result.is_withheld = [], False
            alone[name].append(sum(result.points for result in results) / 100)
    best = max(shares, key=lambda name: max(shares[name]))
    best_alone = max(alone, key=lambda name: max(alone[name]))
    if record_property is not None:
        record_property(
            "measured",
            f"marks of {len(RULES)} guessing rules, {function}, {len(seeds)} seeds: at most {max(shares[best]):.0%} "
            f"({best}), on average at most {max(map(mean, shares.values())):.0%}; without variants "
            f"{max(alone[best_alone]):.0%} ({best_alone})",
        )
    assert max(shares[best]) < MAX_SHARE, (best, shares[best])
    assert max(alone[best_alone]) > MAX_SHARE  # otherwise the rules are too weak to show anything


def test_guesses_earn_few_marks() -> None:
    check_rules("minimax", range(100, 101))


@pytest.mark.long
@pytest.mark.parametrize("function", FUNCTIONS)
def test_guesses_earn_few_marks_for_any_seed(function: str, record_property: Any) -> None:
    check_rules(function, range(20), record_property)


@pytest.mark.parametrize(
    "words",
    [
        "minimax",
        *(pytest.param(words, marks=pytest.mark.long) for words in ("alphabeta", "alphabeta strict", "expectiminimax")),
    ],
)
def test_searches_with_a_known_mistake_lose_no_marks(words: str) -> None:
    cases = make_cases(11, 20, Convention.of(words))
    correct = cases[0].correct_options
    for options in (correct, *program_behaviour.single_mistakes(correct, words == "expectiminimax")):
        results = [simulated(case, options) for case in cases]
        withhold_marks(results)
        marks = [result.marks for result in results]
        for result in results:
            result.variants, result.is_withheld = [], False
        assert marks == [result.marks for result in results], options
        if options == correct:
            assert sum(result.points for result in results) == 100


@pytest.mark.parametrize(
    "function", ["minimax", *(pytest.param(name, marks=pytest.mark.long) for name in ("alphabeta", "expectiminimax"))]
)
def test_variants_differ_in_their_values_alone(function: str) -> None:
    for case in make_cases(12, 20, Convention.of(function)):
        shape = [(node.player, node.children, node.weights) for node in case.tree]
        assert len({case.value, *(each.value for each in case.variants)}) > bool(case.variants)
        for variant in case.variants:
            assert [(node.player, node.children, node.weights) for node in variant.tree] == shape
            assert (variant.depth, variant.moves_twice) == (case.depth, case.moves_twice)
            assert set(leaves(variant)) <= set(leaves(case))
        if case.reveals_guessing:
            assert len(case.variants) == VARIANTS
    assert sum(case.reveals_guessing for case in make_cases(12, 20, Convention.of(function))) >= 8


def test_marks_are_withheld_unless_half_of_the_others_show_a_search() -> None:
    cases = make_cases(0, 20, Convention.of("minimax"))
    right = [simulated(case, case.correct_options) for case in cases]
    revealing = [result for result in right if result.case.reveals_guessing]
    for number, result in enumerate(revealing, 1):
        result.variants[1].value = 77.0
        withhold_marks(right)
        assert right[0].is_withheld == (2 * number > len(revealing))
        assert result.points == 0
        remark = result.remarks()[-1]
        assert remark.startswith("no marks: with other values, ")
        assert remark.endswith(f", value 77; correct: {result.variants[1].case.value}")
    assert right[0].remarks() == ["no marks: a guess can be right here, and too few of the other cases show a search"]
    assert sum(result.points for result in right) == 0
    assert right[0].as_json()["variants"][0]["expected_value"] == right[0].case.variants[0].value
