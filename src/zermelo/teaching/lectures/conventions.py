"""Check the values that each lecture's variant of alpha-beta returns, at every node of the lecture's own trees."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.game import MAX
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.lectures.cases import Case, cases, tree_of
from zermelo.teaching.lectures.checks import Check, claimed, compared
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Trace, trace

#: Guarantees on the returned value v of a node with minimax value V, searched with the window (alpha, beta).
GUARANTEES = {
    "fail-hard": "v = max(alpha, min(V, beta))",
    "fail-soft": "v = V within the window; V <= v <= alpha below it, beta <= v <= V above it",
    "path": "v = V within the window; the player's bound if V does not improve on it; after a cutoff, the score",
}


def checks(case: Case) -> Iterator[Check]:
    """Check each lecture's variant on its trees, and the cutoffs on equality."""
    for lecture, words in case.data["lecturers"].items():
        variant = words.split()[1]
        nodes = violations = 0
        for each in cases():
            if each.lecture != lecture or not each.has_tree or each.data.get("unknown"):
                continue
            searched, minimax = trace(each.tree, words), trace(each.tree, "minimax")
            for node in searched.visited:
                if not node.is_leaf:
                    nodes += 1
                    violations += not holds(searched, minimax, node.index)
        found = f"holds at {nodes - violations} of {nodes} nodes"
        yield claimed(f"lecture {lecture}: {words}", GUARANTEES[variant], found, nodes > 0 and not violations, "holds")
    yield from _equality()


def holds(searched: Trace, minimax: Trace, index: int) -> bool:
    """Whether the value returned by a node satisfies the guarantee of its variant."""
    record = searched.records[index]
    assert record.entry is not None
    value, exact = record.returned, minimax.records[index].returned
    assert value is not None
    assert exact is not None
    low, high = record.entry
    if searched.convention.variant == FAIL_HARD:
        return bool(value == max(low, min(exact, high)))
    if low < exact < high:
        return value == exact
    if searched.convention.variant != PATH:
        return bool(exact <= value <= low) if exact <= low else bool(high <= value <= exact)
    is_max = searched.tree.nodes[index].player == MAX
    fails_low = exact <= low if is_max else exact >= high
    if fails_low:
        return value == (low if is_max else high)
    return _between(high, value, exact) if is_max else _between(-low, -value, -exact)


def _between(low: Bound, value: Number, high: Number) -> bool:
    return bool(low <= value <= high)


def _equality() -> Iterator[Check]:
    """The cutoffs of lecture 000 that the strict rule would not make."""
    try:
        found = f"value {trace(tree_of('jarrar_alphabeta_example2'), 'strict').value}"
    except TreeError as error:
        found = str(error).partition(",")[0]
    yield compared(
        "000: 43, with the strict rule as worded on slides 49 and 50",
        "leaf 'i' has no value",
        found,
        note="the slide cuts on equality, 5 and 5; the strict rule would read a leaf that the slide does not show",
    )
    checkers = tree_of("checkers_case_study")
    cuts = [
        [checkers.nodes[cut.node].id for cut in trace(checkers, words).cuts if cut.alpha == cut.beta]
        for words in ("equal", "strict")
    ]
    yield compared(
        "000: 67 and 69, cutoffs on equality with the equal rule and with the strict rule",
        [["20->16 22->25", "20->16 23->26"], []],
        cuts,
    )
