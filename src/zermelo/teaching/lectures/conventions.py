"""What each lecturer's algorithm promises to return, checked at every node of the lecture's own trees."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.game import MAX
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.lectures.cases import Case, cases, tree_of
from zermelo.teaching.lectures.checks import Check, claimed, compared
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Trace, trace

#: What is promised of the value v that comes back from a node worth V, given the window (alpha, beta).
PROMISES = {
    "fail-hard": "v = max(alpha, min(V, beta))",
    "fail-soft": "v = V within the window; V <= v <= alpha below it, beta <= v <= V beyond it",
    "path": "v = V within the window; the bound where V does not reach it; beyond the other bound, the score that cut",
}


def checks(case: Case) -> Iterator[Check]:
    """Every lecturer's variant on the trees of the lecture; then what only cuts by equality explain."""
    for lecture, words in case.data["lecturers"].items():
        variant = words.split()[1]
        nodes = broken = 0
        for each in cases():
            if each.lecture != lecture or not each.has_tree or each.data.get("unknown"):
                continue
            searched, whole = trace(each.tree, words), trace(each.tree, "minimax")
            for node in searched.visited:
                if not node.is_leaf:
                    nodes += 1
                    broken += not keeps(searched, whole, node.index)
        found = f"kept at {nodes - broken} of {nodes} nodes"
        yield claimed(f"lecture {lecture}: {words}", PROMISES[variant], found, nodes > 0 and not broken, "kept")
    yield from _equality()


def keeps(searched: Trace, whole: Trace, index: int) -> bool:
    """Whether a node's returned value is what its variant promises, by the minimax values of the whole tree."""
    picture = searched.records[index]
    assert picture.entry is not None
    value, true = picture.returned, whole.records[index].returned
    assert value is not None
    assert true is not None
    low, high = picture.entry
    if searched.convention.variant == FAIL_HARD:
        return bool(value == max(low, min(true, high)))
    if low < true < high:
        return value == true
    if searched.convention.variant != PATH:
        return bool(true <= value <= low) if true <= low else bool(high <= value <= true)
    is_max = searched.tree.nodes[index].player == MAX
    near = true <= low if is_max else true >= high
    if near:
        return value == (low if is_max else high)
    return _beyond(value, true, high) if is_max else _beyond(-value, -true, -low)


def _beyond(value: Number, true: Number, bound: Bound) -> bool:
    return bool(bound <= value <= true)


def _equality() -> Iterator[Check]:
    """The cuts of lecture 000 that a strict rule would not make."""
    try:
        needed = f"value {trace(tree_of('jarrar_alphabeta_example2'), 'strict').value}"
    except TreeError as error:
        needed = str(error).partition(",")[0]
    yield compared(
        "000: 43, under the strict rule in words of slides 49 and 50",
        "leaf 'i' has no value",
        needed,
        note="the slide cuts on equality, 5 and 5; the rule in words would need a leaf that it does not show",
    )
    checkers = tree_of("checkers_case_study")
    cuts = [
        [checkers.nodes[cut.node].id for cut in trace(checkers, words).cuts if cut.alpha == cut.beta]
        for words in ("equal", "strict")
    ]
    yield compared(
        "000: 67 and 69, cuts by equality, and under the strict rule",
        [["20->16 22->25", "20->16 23->26"], []],
        cuts,
    )
