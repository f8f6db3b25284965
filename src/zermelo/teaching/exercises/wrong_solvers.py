"""DELIBERATELY WRONG solvers for exercises: each makes one named mistake on purpose.

They exist for the marks and the diagnosis, which compare students' answers with theirs; never use them to search. A
mistake in the search is a set of `Faults` to replay; a mistake in writing down changes the finished answer. Both can be
combined, so that two mistakes together can be recognized.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from zermelo.core.game import MAX, MIN
from zermelo.errors import ZermeloError
from zermelo.search.textbook import FAIL_HARD, FAIL_SOFT, PATH
from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, answer_from_trace, correct_answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, PARTS, VALUES, WINDOWS, Exercise
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.replay import (
    NEVER,
    NO_FAULTS,
    NOTHING,
    ON_EQUAL,
    ON_STRICT,
    OWN_BOUND,
    PARENT_ONLY,
    SHALLOW,
    WRONG_SIDE,
    Faults,
    all_choices,
    replay,
)
from zermelo.teaching.tree.convention import NEGAMAX, STRICT
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Node
from zermelo.teaching.tree.numbers import Number
from zermelo.teaching.tree.trace import Trace, Window

#: Changes a finished answer: the search was right, or as wrong as its faults, but is written down wrongly.
Writer = Callable[[Exercise, Answer], Answer]


class WrongAnswer(NamedTuple):
    """The answer that a mistake leads to."""

    mistake: Mistake
    answer: Answer


class WrongSolver(NamedTuple):
    """A mistake: the faults of the search, and how its result is written down."""

    mistake: Mistake
    faults: Faults = NO_FAULTS
    write: Writer | None = None

    def answer(self, exercise: Exercise, slip: Faults = NO_FAULTS) -> Answer:
        """The answer of this solver, which may also make a slip. Raises `ZermeloError` if the search is impossible."""
        answer = replay(exercise, self.faults | slip)
        return self.write(exercise, answer) if self.write else answer


def wrong_solvers(exercise: Exercise) -> Iterator[WrongSolver]:
    """The named mistakes that are possible in an exercise. One mistake may have several solvers."""
    for mistake, variants in SOLVERS.items():
        for faults, write in variants(exercise):
            yield WrongSolver(mistake, faults, write)


def wrong_answers(exercise: Exercise) -> list[WrongAnswer]:
    """The answers that the named mistakes lead to, as far as they differ from the correct one.

    One mistake may lead to several answers.
    """
    correct = correct_answer(exercise)
    found: list[WrongAnswer] = []
    for solver in wrong_solvers(exercise):
        try:
            answer = solver.answer(exercise)
        except ZermeloError:  # it reads a leaf without a value, or a node without an evaluation
            continue
        if not same_entries(answer, correct):
            found.append(WrongAnswer(solver.mistake, answer))
    return found


def answers_with_two_mistakes(
    exercise: Exercise, solvers: Sequence[WrongSolver]
) -> Iterator[tuple[Mistake, Mistake, Answer]]:
    """The answers that two different mistakes of these solvers lead to together."""
    for one, two in combinations(solvers, 2):
        if one.mistake is two.mistake or mistakes.DEPTH_OFF_BY_ONE in (one.mistake, two.mistake):
            continue
        try:
            answer = replay(exercise, one.faults | two.faults)
        except ZermeloError:
            continue
        for write in filter(None, (one.write, two.write)):
            answer = write(exercise, answer)
        yield one.mistake, two.mistake, answer


def same_entries(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same entries in all parts."""
    return all(getattr(one, part) == getattr(other, part) for part in PARTS)


Variants = Callable[[Exercise], Iterator[tuple[Faults, Writer | None]]]

# ---- mistakes in the search -------------------------------------------------------------------------------------


def _players_swapped(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    everywhere = Faults(flipped=all_choices(exercise))
    if exercise.convention.algorithm == NEGAMAX:
        yield everywhere, _negated_at_min
    yield everywhere, None


def one_player(exercise: Exercise, player: int) -> Faults:
    """Faults of a student who lets one player choose at every node."""
    return Faults(flipped=all_choices(exercise, -player))


def _one_player(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    if exercise.convention.algorithm != NEGAMAX:
        yield one_player(exercise, MAX), None
        yield one_player(exercise, MIN), None


def _not_negated(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    """Write all values for MAX; or take the largest child value at every node without negating."""
    if exercise.convention.algorithm == NEGAMAX:
        yield NO_FAULTS, _negated_at_min
        yield one_player(exercise, MAX if exercise.searched_tree.root.player == MAX else MIN), _negated_at_min


def _leaves_not_negated(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    if exercise.convention.algorithm == NEGAMAX:
        yield Faults(negates_leaves=True), None


def _sign_lost(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    """Only in negamax: elsewhere no sign changes from level to level."""
    if exercise.convention.algorithm == NEGAMAX:
        choices = all_choices(exercise)
        for depth in range(exercise.searched_tree.depth):
            level = {node.index for node in exercise.searched_tree if node.depth == depth}
            if level & choices:
                yield Faults(read_negated=choices & level), None


def _weights_ignored(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    if any(node.weights for node in exercise.searched_tree):
        yield Faults(ignores_weights=True), None


def _always(faults: Faults) -> Variants:
    def variants(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
        yield faults, None

    return variants


def _pruning(*several: Faults) -> Variants:
    """Faults that are possible only in a search that prunes."""

    def variants(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
        if exercise.search_convention.prunes:
            for faults in several:
                yield faults, None

    return variants


def _equality(cut: str, faults: Faults) -> Variants:
    """Faults that are possible only if the exercise has the given rule for cutoffs on equality."""

    def variants(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
        is_strict = exercise.search_convention.cut == STRICT
        if exercise.search_convention.prunes and is_strict == (cut == STRICT):
            yield faults, None

    return variants


def _window_not_passed(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    """Every node starts with the full window; it may even be written as the exit window."""
    if exercise.search_convention.prunes:
        yield Faults(pass_down=NOTHING), None
        if WINDOWS in exercise.marks and "exit" in exercise.window_kinds:
            yield Faults(pass_down=NOTHING), exit_is_entry


def _no_pruning(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    if exercise.search_convention.prunes:
        yield Faults(cutoff=NEVER), None
    if exercise.search_convention.prunes and exercise.solution.cuts:
        yield Faults(cutoff=NEVER, variant=FAIL_SOFT), _without_windows


def _other_depth(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    """Search one ply less, and one more if possible.

    If the search goes to the leaves, there are no evaluations one ply above; those nodes take the value of their first
    leaf.
    """
    tree = exercise.searched_tree
    if exercise.depth is not None:
        full = {node.id: node for node in exercise.tree}
        level = [node for node in tree if node.depth == exercise.depth - 1 and not node.is_leaf]
        evaluations = {node.index: full[node.id].evaluation for node in level}
        if exercise.depth > 1 and None not in evaluations.values():
            yield Faults(leaves={index: value for index, value in evaluations.items() if value is not None}), None
        if exercise.depth < exercise.tree.depth:
            yield NO_FAULTS, _searched_deeper
        return
    last_inner = [node for node in tree if node.children and all(tree.nodes[c].is_leaf for c in node.children)]
    first_leaves = {node.index: tree.nodes[node.children[0]].value for node in last_inner}
    if 0 not in first_leaves and None not in first_leaves.values():
        yield Faults(leaves={index: value for index, value in first_leaves.items() if value is not None}), None


def _searched_deeper(exercise: Exercise, answer: Answer) -> Answer:
    """The answer of a search that goes one ply deeper, without the nodes that the exercise does not have."""
    deeper = replace(exercise, depth=(exercise.depth or 0) + 1)
    tree, searched = deeper.searched_tree, exercise.searched_tree
    found = answer_from_trace(deeper, Trace(tree, deeper.search_convention))
    index = {node.index: searched[node.id].index for node in tree if node.id in searched}

    def is_inner(other: int) -> bool:
        return other in index and not searched.nodes[index[other]].is_leaf

    return Answer(
        values=None if found.values is None else {index[i]: v for i, v in found.values.items() if is_inner(i)},
        windows=None
        if found.windows is None
        else {(index[i], kind): window for (i, kind), window in found.windows.items() if is_inner(i)},
        cuts=None if found.cuts is None else frozenset(index[i] for i in found.cuts if i in index),
        order=None if found.order is None else tuple(index.get(i, -1) for i in found.order),
        best=None if found.best is None else index.get(found.best),
    )


# ---- mistakes in writing down -----------------------------------------------------------------------------------


def writing(*writers: Writer, part: str) -> Variants:
    """Mistakes in writing down the entries of one part."""

    def variants(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
        if part in exercise.marks:
            for write in writers:
                yield NO_FAULTS, write

    return variants


def _negated_at_min(exercise: Exercise, answer: Answer) -> Answer:
    """Negate the values and windows of MIN nodes."""
    nodes = exercise.searched_tree.nodes

    def negated(key: tuple[int, str], window: Window) -> Window:
        return (-window[1], -window[0]) if nodes[key[0]].player == MIN else window

    return replace(
        answer,
        values=answer.values and {i: -v if nodes[i].player == MIN else v for i, v in answer.values.items()},
        windows=answer.windows and {key: negated(key, window) for key, window in answer.windows.items()},
    )


def _without_windows(exercise: Exercise, answer: Answer) -> Answer:
    return replace(answer, windows=None)


def _window_swapped(exercise: Exercise, answer: Answer) -> Answer:
    windows = {key: (high, low) for key, (low, high) in (answer.windows or {}).items()}
    return replace(answer, windows=windows)


def exit_is_entry(exercise: Exercise, answer: Answer) -> Answer:
    windows = {key: (answer.windows or {}).get((key[0], "entry"), w) for key, w in (answer.windows or {}).items()}
    return replace(answer, windows=windows)


def _crosses_the_cause(exercise: Exercise, answer: Answer) -> Answer:
    nodes = exercise.searched_tree.nodes
    causes = set()
    for arc in answer.cuts or ():
        siblings = nodes[nodes[arc].parent].children
        causes.add(max((child for child in siblings if child not in (answer.cuts or ())), default=arc))
    return replace(answer, cuts=(answer.cuts or frozenset()) | causes)


def _crosses_beneath(exercise: Exercise, answer: Answer) -> Answer:
    nodes = exercise.searched_tree.nodes
    below = {child for arc in answer.cuts or () for child in nodes[arc].children or (arc,)}
    return replace(answer, cuts=frozenset(below))


def _crosses_beneath_inner(exercise: Exercise, answer: Answer) -> Answer:
    nodes = exercise.searched_tree.nodes
    below = frozenset(child for arc in answer.cuts or () for child in nodes[arc].children)
    return replace(answer, cuts=below) if below else answer  # below pruned leaves there is nothing to cross out


def crosses_above(exercise: Exercise, answer: Answer) -> Answer:
    above = {exercise.searched_tree.nodes[arc].parent for arc in answer.cuts or ()}
    above.discard(0)
    return replace(answer, cuts=frozenset(above)) if above else answer  # above the root there is nothing to cross out


def _root_moves(exercise: Exercise) -> list[tuple[Number, int]]:
    """The root's children as (value for the side to move, index)."""
    root, values = exercise.searched_tree.root, minimax_values(exercise.searched_tree)
    sign = -1 if root.player == MIN else 1
    found = []
    for child in root.children:
        returned = exercise.solution.records[child].returned
        value = values[child] if values[child] is not None else returned
        if value is not None:
            found.append((sign * value, child))
    return found


def worst_moves(exercise: Exercise) -> list[int]:
    """The children of the root that are worst for the side to move."""
    moves = _root_moves(exercise)
    worst = min(value for value, _ in moves)
    return [child for value, child in moves if value == worst]


def _worst_move(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    if BEST in exercise.marks:
        for child in worst_moves(exercise):
            yield NO_FAULTS, _choosing(child)


def _last_of_equals(exercise: Exercise) -> Iterator[tuple[Faults, Writer | None]]:
    if BEST in exercise.marks:
        moves = _root_moves(exercise)
        best = max(value for value, _ in moves)
        yield NO_FAULTS, _choosing([child for value, child in moves if value == best][-1])
        # The same with the returned values: a bound that equals the best value looks like an equally good move.
        records = exercise.solution.records
        equal = [c for c in exercise.searched_tree.root.children if records[c].returned == records[0].returned]
        if equal:
            yield NO_FAULTS, _choosing(equal[-1])


def _choosing(child: int) -> Writer:
    return lambda exercise, answer: replace(answer, best=child)


def _ordered(order: Callable[[Exercise, list[Node]], list[Node]]) -> Writer:
    def write(exercise: Exercise, answer: Answer) -> Answer:
        visited = [exercise.searched_tree.nodes[index] for index in answer.order or () if index >= 0]
        return replace(answer, order=tuple(node.index for node in order(exercise, visited)))

    return write


def _by_depth(exercise: Exercise, nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: (node.depth, node.index))


breadth_first = _ordered(_by_depth)
breadth_first_of_all = _ordered(lambda exercise, _: _by_depth(exercise, list(exercise.searched_tree)))
bottom_up = _ordered(
    lambda exercise, visited: sorted(
        visited, key=lambda node: (exercise.searched_tree.subtree_end[node.index], -node.index)
    )
)
leaves_only = _ordered(lambda exercise, visited: [node for node in visited if node.is_leaf])

# ---- table of solvers -------------------------------------------------------------------------------------------

# `stale-window` has no solver: on paper, a window that is never updated looks the same as `window-not-passed`.
SOLVERS: dict[Mistake, Variants] = {
    mistakes.PLAYERS_SWAPPED: _players_swapped,
    mistakes.ONE_PLAYER: _one_player,
    mistakes.NOT_NEGATED: _not_negated,
    mistakes.LEAVES_NOT_NEGATED: _leaves_not_negated,
    mistakes.SIGN_LOST: _sign_lost,
    mistakes.RIGHT_TO_LEFT: _always(Faults(right_to_left=True)),
    mistakes.DEPTH_OFF_BY_ONE: _other_depth,
    mistakes.WEIGHTS_IGNORED: _weights_ignored,
    mistakes.CUTS_ONLY_BEYOND: _equality("equal", Faults(cutoff=ON_STRICT)),
    mistakes.CUTS_ON_EQUALITY: _equality(STRICT, Faults(cutoff=ON_EQUAL)),
    mistakes.NO_PRUNING: _no_pruning,
    mistakes.CUTS_THE_WRONG_WAY: _pruning(Faults(cutoff=WRONG_SIDE)),
    mistakes.OWN_BOUND_COMPARED: _pruning(Faults(cutoff=OWN_BOUND)),
    mistakes.DEEP_CUTS_MISSED: _pruning(Faults(cutoff=SHALLOW)),
    mistakes.CUTS_THE_CAUSE: writing(_crosses_the_cause, part=CUTS),
    mistakes.CUTS_BENEATH: writing(_crosses_beneath, _crosses_beneath_inner, part=CUTS),
    mistakes.CUTS_ABOVE: writing(crosses_above, part=CUTS),
    mistakes.WINDOW_NOT_PASSED: _window_not_passed,
    mistakes.PARENT_BOUND_ONLY: _pruning(Faults(pass_down=PARENT_ONLY)),
    mistakes.WINDOW_SWAPPED: writing(_window_swapped, part=WINDOWS),
    mistakes.EXIT_IS_ENTRY: writing(exit_is_entry, part=WINDOWS),
    mistakes.FAIL_HARD_VALUES: _pruning(Faults(variant=FAIL_HARD)),
    mistakes.FAIL_SOFT_VALUES: _pruning(Faults(variant=FAIL_SOFT)),
    mistakes.PATH_VALUES: _pruning(Faults(variant=PATH)),
    mistakes.WORST_MOVE: _worst_move,
    mistakes.LAST_OF_EQUALS: _last_of_equals,
    mistakes.BREADTH_FIRST: writing(breadth_first, breadth_first_of_all, part=ORDER),
    mistakes.BOTTOM_UP: writing(bottom_up, part=ORDER),
    mistakes.LEAVES_ONLY: writing(leaves_only, part=ORDER),
}


def shallow_cuts(exercise: Exercise) -> frozenset[int]:
    """The arcs pruned by a search that passes down only the parent's bound: all but those of deep cutoffs."""
    cuts = replay(replace(exercise, marks={CUTS: 1}), Faults(pass_down=PARENT_ONLY)).cuts
    return cuts or frozenset()


# ---- what each part has to show ---------------------------------------------------------------------------------


def rival_solvers(exercise: Exercise) -> dict[str, list[WrongSolver]]:
    """For each part, the solvers without the skill that it names: an entry that they write too shows nothing.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.

    Returns
    -------
    dict of str to list of WrongSolver
        The solvers by part; none for the best move, which is a single entry.
    """
    players = [
        WrongSolver(mistakes.PLAYERS_SWAPPED, Faults(flipped=all_choices(exercise))),
        WrongSolver(mistakes.ONE_PLAYER, one_player(exercise, MAX)),
        WrongSolver(mistakes.ONE_PLAYER, one_player(exercise, MIN)),
        WrongSolver(mistakes.WEIGHTS_IGNORED, Faults(ignores_weights=True)),
    ]
    no_pruning = WrongSolver(mistakes.NO_PRUNING, Faults(cutoff=NEVER))
    return {
        VALUES: players,
        WINDOWS: [
            WrongSolver(mistakes.WINDOW_NOT_PASSED, Faults(pass_down=NOTHING)),
            WrongSolver(mistakes.PARENT_BOUND_ONLY, Faults(pass_down=PARENT_ONLY)),
            WrongSolver(mistakes.EXIT_IS_ENTRY, write=exit_is_entry),
        ],
        CUTS: [
            no_pruning,
            WrongSolver(mistakes.CUTS_THE_WRONG_WAY, Faults(cutoff=WRONG_SIDE)),
            WrongSolver(mistakes.OWN_BOUND_COMPARED, Faults(cutoff=OWN_BOUND)),
        ],
        ORDER: [
            no_pruning,
            WrongSolver(mistakes.RIGHT_TO_LEFT, Faults(right_to_left=True)),
            WrongSolver(mistakes.BREADTH_FIRST, write=breadth_first),
            WrongSolver(mistakes.BOTTOM_UP, write=bottom_up),
            WrongSolver(mistakes.LEAVES_ONLY, write=leaves_only),
        ],
        BEST: [],
    }
