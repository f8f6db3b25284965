"""Generate exercises from a seed: draw random trees until one is suitable, for one student or a class.

A good tree has one best move, and it does not look as if there were another; and where there are cuts, one at MIN and
one at MAX. The tries are bounded and their order is fixed by the seed: the same spec give the same exercise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_SOFT, MINIMAX
from zermelo.teaching.exercises.exercise import BEST, CUTS, DEEPEST, MAX_NODES, MAX_VARIANTS, Exercise
from zermelo.teaching.exercises.wrong_solvers import shallow_cuts
from zermelo.teaching.tree import random_tree
from zermelo.teaching.tree.convention import ALPHABETA, CHOICES, Convention
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Trace

#: Trees that are tried for one exercise before the best so far is taken, or it is told what could not be had.
TRIES = 300


@dataclass(frozen=True)
class ExerciseSpec:
    """What an exercise shall be: its shape, how it is searched, what is asked.

    With a `tree` nothing is sown: it is taken as it is, or, for variants, with its leaves' values shuffled.
    """

    convention: Convention
    marks: Mapping[str, Number]
    tree: Tree | None = None
    branching: tuple[int, int] = (2, 3)
    depth: tuple[int, int] = (3, 3)
    values: tuple[int, int] = (-9, 9)
    ties: bool = True
    root: str = "max"
    chance: float = 0.0
    #: How many plies are searched, None: to the leaves.
    search_depth: int | None = None
    #: Whether a cut must be there whose bound comes from further up than the parent.
    deep_cut: bool = False
    #: Whether several moves may be equally good; then the first counts, and the sheet says so.
    allow_ties: bool = False
    title: str = ""


@dataclass
class GeneratedExercises:
    """The exercises that were set, and what could not be had, a line each."""

    exercises: list[Exercise] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def generate_exercises(
    spec: ExerciseSpec, seed: int, *, variants: int = 0, students: Sequence[str] = ()
) -> GeneratedExercises:
    """One exercise, or `variants` of them, or one for each of the `students`, all from one seed.

    Variant k depends on the seed and on k alone, so that a class may grow; where there are few trees of a kind some
    variants may be the same, which a note tells. Raises `TreeError` for spec that cannot
    be met, and where an answer would depend on what nobody has said.
    """
    count = len(students) or variants
    if not 0 <= seed < 1 << 128:
        raise TreeError(f"seed: {str(seed)[:40]} is not a whole number from 0 up")
    if spec.tree is None:
        _check_size(spec)
    if count > MAX_VARIANTS:
        raise TreeError(f"{count:,} variants; {MAX_VARIANTS:,} are the most that are set at once")
    setting = GeneratedExercises()
    for variant in range(1, count + 1) if count else [None]:
        exercise, note = _set(spec, seed, variant)
        student = students[variant - 1] if students and variant else ""
        setting.exercises.append(replace(exercise, student=student))
        if note:
            setting.notes.append(f"variant {variant}: {note}" if variant else note)
    alike: dict[str, list[int]] = {}
    for variant, exercise in enumerate(setting.exercises, 1):
        alike.setdefault(exercise.id, []).append(variant)
    if len(alike) < len(setting.exercises):
        most = max(alike.values(), key=len)
        told = ", ".join(map(str, most[:5])) + (", ..." if len(most) > 5 else "")
        setting.notes.append(f"of {count} variants {len(alike)} differ; the same are, for one, variants {told}")
    return setting


def _check_size(spec: ExerciseSpec) -> None:
    """Refuse a shape of which trees are too large nearly always, before one is sown."""
    mean, row, expected = (spec.branching[0] + spec.branching[1]) / 2, 1.0, 1.0
    for _ in range(min(spec.depth[0], DEEPEST + 1)):
        row *= mean
        expected += row
        if expected > 2 * MAX_NODES:
            break
    if expected > 2 * MAX_NODES or spec.depth[0] > DEEPEST:
        raise TreeError(
            f"trees of this shape are too large to be worked out by hand; at most {MAX_NODES} nodes, {DEEPEST} moves "
            "deep"
        )


def derived_seed(seed: int, variant: int | None, attempt: int) -> int:
    """The seed of one try, a number below 2^64 that nothing but the three decides."""
    told = f"zermelo-exercise {seed} {variant or 0} {attempt}"
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:8])


def _set(spec: ExerciseSpec, seed: int, variant: int | None) -> tuple[Exercise, str]:
    """One exercise, and what it lacks."""
    if spec.tree is not None and variant is None:
        exercise = _exercise(spec, spec.tree, None, None)
        fault = _fault(exercise)
        if fault and not spec.allow_ties:
            raise TreeError(
                f"{fault}; change the tree, do not ask for the best move, or allow ties: then the first counts"
            )
        exercise = replace(exercise, first_of_equals=bool(fault))
        if spec.deep_cut and not has_deep_cut(exercise):
            raise TreeError("this tree has no deep cut by this convention")
        return exercise, ""
    best: tuple[int, Exercise | None, str] = (-1, None, "")
    fault = ""
    for attempt in range(TRIES):
        tree = _tree(spec, derived_seed(seed, variant, attempt))
        if len(tree) > MAX_NODES:
            fault = f"there are {len(tree)} nodes, and at most {MAX_NODES} are set"
            continue
        exercise = _exercise(spec, tree, seed, variant)
        fault = _fault(exercise)
        if fault and not spec.allow_ties:
            continue
        if spec.deep_cut and not has_deep_cut(exercise):
            fault = "no cut is a deep one (those need four moves from the root)"
            continue
        exercise = replace(exercise, first_of_equals=bool(fault))
        lacks = _lacks(exercise)
        quality = 2 - len(lacks)
        if quality > best[0]:
            best = quality, exercise, f"no {' and no '.join(lacks)} in it" if lacks else ""
        if not lacks:
            break
    if best[1] is None:
        raise TreeError(
            f"no exercise in {TRIES} trees: in the last one, {fault}; a wider range of values, more branching or depth "
            "helps"
        )
    return best[1], best[2]


def _exercise(spec: ExerciseSpec, tree: Tree, seed: int | None, variant: int | None) -> Exercise:
    return Exercise(
        tree=tree,
        convention=spec.convention,
        marks=spec.marks,
        depth=spec.search_depth,
        title=spec.title,
        seed=seed,
        variant=variant,
    )


def _tree(spec: ExerciseSpec, seed: int) -> Tree:
    """The tree of one try: sown, or the given one with its leaves' values shuffled."""
    if spec.tree is not None:
        return shuffle_leaf_values(spec.tree, seed)
    tree = random_tree(
        seed,
        branching=spec.branching,
        depth=spec.depth,
        values=spec.values,
        ties=spec.ties,
        root=spec.root,
        chance=spec.chance,
    )
    if spec.search_depth is None:
        # Guesses of the inner nodes' values would only confuse where nothing asks for them.
        tree = Tree([node._replace(evaluation=None) for node in tree])
    return Tree(tree.nodes)


def shuffle_leaf_values(tree: Tree, seed: int) -> Tree:
    """Shuffle the values of the leaves, and the evaluations of the inner nodes."""
    chances = Random(seed).random

    def shuffled(values: list[Number | None]) -> Iterator[Number | None]:
        for place in range(len(values) - 1, 0, -1):
            other = int(chances() * (place + 1))
            values[place], values[other] = values[other], values[place]
        return iter(values)

    leaves = shuffled([node.value for node in tree.leaves])
    guesses = shuffled([node.evaluation for node in tree if not node.is_leaf])
    return Tree(
        [
            node._replace(value=next(leaves), state="", move="")
            if node.is_leaf
            else node._replace(evaluation=next(guesses))
            for node in tree
        ],
        tree.name,
    )


# ---- what makes an exercise good --------------------------------------------------------------------------------


def _fault(exercise: Exercise) -> str:
    """Why the best move is not beyond doubt, "" if it is or is not asked.

    The children of the root must have one best value, by minimax; and what comes back from the others must be worse,
    whether a value that equals a bound cuts or not: a bound that equals the best value looks like a second best move.
    """
    if BEST not in exercise.marks:
        return ""
    tree = exercise.searched_tree
    root = tree.root
    searches = [Convention(MINIMAX)]
    if exercise.rules.prunes:
        searches += [Convention(ALPHABETA, FAIL_SOFT, cut) for cut in CHOICES["cut"]]
    for rules in searches:
        try:
            trace = Trace(tree, rules)
        except TreeError:
            if rules.prunes:
                raise
            continue  # minimax reads leaves without a value that alpha-beta leaves out
        returned = {child: trace.records[child].returned for child in root.children}
        equal = [tree.nodes[child].id for child, value in returned.items() if value == trace.value]
        if len(equal) > 1:
            told = " and ".join(equal) if len(equal) == 2 else f"{', '.join(equal[:-1])} and {equal[-1]}"
            how = "are worth" if not rules.prunes else "return"
            each = "both" if len(equal) == 2 else "all"
            return f"{told}, children of the root, {each} {how} {format_number(trace.value)}"
    return ""


def _lacks(exercise: Exercise) -> list[str]:
    """The kinds of cuts that are asked and possible in such a shape, and are not in the tree."""
    if CUTS not in exercise.marks:
        return []
    nodes = exercise.searched_tree.nodes
    there = {nodes[cut.node].player for cut in exercise.solution.cuts}
    names = {MIN: "alpha-cut (at MIN)", MAX: "beta-cut (at MAX)"}
    return [name for player, name in names.items() if player not in there and _may_cut(exercise.searched_tree, player)]


def _may_cut(tree: Tree, player: int) -> bool:
    """Whether the shape allows a cut at some node of a player: one with a second child, below an elder sibling's
    parent of the other player, with no chance between.
    """
    bounded = [False] * len(tree)
    for node in tree.nodes[1:]:
        above = tree.nodes[node.parent]
        is_bound = above.player == -player and node.index != above.children[0]
        bounded[node.index] = above.player != CHANCE and (bounded[node.parent] or is_bound)
        if node.player == player and len(node.children) > 1 and bounded[node.index]:
            return True
    return False


def has_deep_cut(exercise: Exercise) -> bool:
    """Whether a cut goes missing for somebody who hands down the parent's bound only."""
    if not exercise.rules.prunes:
        return False
    return not frozenset(node.index for node in exercise.solution.pruned) <= shallow_cuts(exercise)
