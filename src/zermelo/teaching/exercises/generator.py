"""Generate exercises from a seed: draw random trees until one is suitable, for one student or a whole class.

A suitable tree has a single best move that does not look tied with another one, and, if cutoffs are asked for, at least
one at MIN and one at MAX. The number of attempts is bounded and their order is fixed by the seed, so the same spec and
seed always give the same exercise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_SOFT, MINIMAX
from zermelo.teaching.exercises.exercise import BEST, CUTS, MAX_DEPTH, MAX_NODES, MAX_VARIANTS, Exercise
from zermelo.teaching.exercises.wrong_solvers import shallow_cuts
from zermelo.teaching.tree import random_tree
from zermelo.teaching.tree.convention import ALPHABETA, CHOICES, Convention
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Trace

#: Trees tried for one exercise before the best of them is taken, or the spec is refused.
ATTEMPTS = 300


@dataclass(frozen=True)
class ExerciseSpec:
    """What exercises to generate: the shape of the tree, how it is searched, and what is asked for.

    Parameters
    ----------
    convention : Convention
        The algorithm, its variant, the cutoff rule and the way of writing windows.
    marks : mapping of str to number
        Marks of each part that is asked for, among ``values``, ``windows``, ``cuts``, ``order`` and ``best``.
    tree : Tree, optional
        A given tree. It is used as it is, or, for variants, with the values of its leaves shuffled. The shape
        parameters below are then ignored.
    branching, depth, values : (int, int)
        Inclusive ranges of the number of children, the depth in plies and the leaf values.
    ties : bool
        Whether leaves may have equal values.
    root : {'max', 'min', 'chance'}
        The player at the root.
    chance : float
        Fraction of inner nodes that are chance nodes, 0 to 1.
    search_depth : int, optional
        Search depth in plies; by default the search goes to the leaves.
    deep_cut : bool
        Whether the exercise must contain a deep cutoff, one caused by a bound from above the parent.
    allow_ties : bool
        Whether several root moves may be equally good. The first one is then the answer, and the sheet says so.
    title : str
        Heading of the sheet.
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
    search_depth: int | None = None
    deep_cut: bool = False
    allow_ties: bool = False
    title: str = ""


@dataclass
class GeneratedExercises:
    """The generated exercises, and a note for each property that could not be met."""

    exercises: list[Exercise] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def generate_exercises(
    spec: ExerciseSpec, seed: int, *, variants: int = 0, students: Sequence[str] = ()
) -> GeneratedExercises:
    """Generate one exercise, several variants, or one exercise for each student.

    Variant k depends only on the spec, the seed and k, so variants can be added later without changing earlier ones.

    Parameters
    ----------
    spec : ExerciseSpec
        What to generate.
    seed : int
        Seed, from 0 to 2**128 - 1.
    variants : int
        Number of variants, at most 2,000; 0 for a single exercise without a variant number.
    students : sequence of str
        Names; generates one variant for each of them and takes precedence over `variants`.

    Returns
    -------
    GeneratedExercises
        The exercises, and notes on missing cutoffs and on variants that are equal.

    Raises
    ------
    TreeError
        If no suitable tree is found, or if a given tree has several best moves and `spec.allow_ties` is false.

    Examples
    --------
    >>> from zermelo.teaching.exercises import ExerciseSpec, generate_exercises
    >>> from zermelo.teaching.tree.convention import Convention
    >>> spec = ExerciseSpec(Convention(), {"values": 5, "best": 2})
    >>> [exercise.student for exercise in generate_exercises(spec, 7, students=["Ada", "Alan"]).exercises]
    ['Ada', 'Alan']
    """
    count = len(students) or variants
    if not 0 <= seed < 1 << 128:
        raise TreeError(f"seed must be a non-negative integer below 2^128 (got {str(seed)[:40]})")
    if spec.tree is None:
        _check_size(spec)
    if count > MAX_VARIANTS:
        raise TreeError(f"too many variants: {count:,}; at most {MAX_VARIANTS:,} can be generated at once")
    generated = GeneratedExercises()
    for variant in range(1, count + 1) if count else [None]:
        exercise, note = _generate(spec, seed, variant)
        student = students[variant - 1] if students and variant else ""
        generated.exercises.append(replace(exercise, student=student))
        if note:
            generated.notes.append(f"variant {variant}: {note}" if variant else note)
    variants_by_id: dict[str, list[int]] = {}
    for variant, exercise in enumerate(generated.exercises, 1):
        variants_by_id.setdefault(exercise.id, []).append(variant)
    if len(variants_by_id) < len(generated.exercises):
        equal = max(variants_by_id.values(), key=len)
        listed = ", ".join(map(str, equal[:5])) + (", ..." if len(equal) > 5 else "")
        generated.notes.append(
            f"only {len(variants_by_id)} of {count} variants are different; for example, variants {listed} are equal"
        )
    return generated


def _check_size(spec: ExerciseSpec) -> None:
    """Refuse a shape whose trees are nearly always too large, before one is generated."""
    mean, row, expected = (spec.branching[0] + spec.branching[1]) / 2, 1.0, 1.0
    for _ in range(min(spec.depth[0], MAX_DEPTH + 1)):
        row *= mean
        expected += row
        if expected > 2 * MAX_NODES:
            break
    if expected > 2 * MAX_NODES or spec.depth[0] > MAX_DEPTH:
        raise TreeError(
            f"trees of this shape are too large for an exercise; the limits are {MAX_NODES} nodes and depth {MAX_DEPTH}"
        )


def derived_seed(seed: int, variant: int | None, attempt: int) -> int:
    """Seed of one attempt: a 64-bit hash of the three numbers."""
    text = f"zermelo-exercise {seed} {variant or 0} {attempt}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _generate(spec: ExerciseSpec, seed: int, variant: int | None) -> tuple[Exercise, str]:
    """Generate one exercise; also return a note on what it lacks."""
    if spec.tree is not None and variant is None:
        return _from_given_tree(spec, spec.tree), ""
    best: tuple[int, Exercise | None, str] = (-1, None, "")
    problem = ""
    for attempt in range(ATTEMPTS):
        tree = _draw_tree(spec, derived_seed(seed, variant, attempt))
        if len(tree) > MAX_NODES:
            problem = f"the tree has {len(tree)} nodes (at most {MAX_NODES})"
            continue
        exercise = _exercise(spec, tree, seed, variant)
        problem = _tied_moves(exercise)
        if problem and not spec.allow_ties:
            continue
        if spec.deep_cut and not has_deep_cut(exercise):
            problem = "there is no deep cutoff (one needs a tree of depth 4 or more)"
            continue
        exercise = replace(exercise, first_of_equals=bool(problem))
        missing = _missing_cuts(exercise)
        quality = 2 - len(missing)
        if quality > best[0]:
            best = quality, exercise, f"the tree has no {' and no '.join(missing)}" if missing else ""
        if not missing:
            break
    if best[1] is None:
        raise TreeError(
            f"no suitable exercise found in {ATTEMPTS} trees (in the last one, {problem}); try a wider range of "
            "values, more branching or more depth"
        )
    return best[1], best[2]


def _from_given_tree(spec: ExerciseSpec, tree: Tree) -> Exercise:
    exercise = _exercise(spec, tree, None, None)
    problem = _tied_moves(exercise)
    if problem and not spec.allow_ties:
        raise TreeError(
            f"{problem}; change the tree, do not ask for the best move, or allow ties (the first best move then counts)"
        )
    exercise = replace(exercise, first_of_equals=bool(problem))
    if spec.deep_cut and not has_deep_cut(exercise):
        raise TreeError("this tree has no deep cutoff under this convention")
    return exercise


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


def _draw_tree(spec: ExerciseSpec, seed: int) -> Tree:
    """The tree of one attempt: a random tree, or the given tree with its values shuffled."""
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
        # Without a depth limit the evaluations of inner nodes are not needed and would only confuse.
        tree = Tree([node._replace(evaluation=None) for node in tree])
    return Tree(tree.nodes)


def shuffle_leaf_values(tree: Tree, seed: int) -> Tree:
    """Shuffle the values of the leaves, and separately the evaluations of the inner nodes."""
    random = Random(seed).random

    def shuffled(values: list[Number | None]) -> Iterator[Number | None]:
        # Fisher-Yates over random() only, whose sequence Python guarantees across versions.
        for index in range(len(values) - 1, 0, -1):
            other = int(random() * (index + 1))
            values[index], values[other] = values[other], values[index]
        return iter(values)

    leaf_values = shuffled([node.value for node in tree.leaves])
    evaluations = shuffled([node.evaluation for node in tree if not node.is_leaf])
    return Tree(
        [
            node._replace(value=next(leaf_values), state="", move="")
            if node.is_leaf
            else node._replace(evaluation=next(evaluations))
            for node in tree
        ],
        tree.name,
    )


# ---- suitability ------------------------------------------------------------------------------------------------


def _tied_moves(exercise: Exercise) -> str:
    """Describe why the best move is not unique, or return "" if it is unique or not asked for.

    One child of the root must be best by minimax, and fail-soft alpha-beta must return a worse value for the others
    under both cutoff rules: a returned bound that equals the best value looks like a second best move.
    """
    if BEST not in exercise.marks:
        return ""
    tree = exercise.searched_tree
    root = tree.root
    searches = [Convention(MINIMAX)]
    if exercise.search_convention.prunes:
        searches += [Convention(ALPHABETA, FAIL_SOFT, cut) for cut in CHOICES["cut"]]
    for convention in searches:
        try:
            trace = Trace(tree, convention)
        except TreeError:
            if convention.prunes:
                raise
            continue  # minimax reads leaves without a value that alpha-beta prunes
        returned = {child: trace.records[child].returned for child in root.children}
        tied = [tree.nodes[child].id for child, value in returned.items() if value == trace.value]
        if len(tied) > 1:
            names = " and ".join(tied) if len(tied) == 2 else f"{', '.join(tied[:-1])} and {tied[-1]}"
            verb = "return" if convention.prunes else "have the value"
            all_of = "both" if len(tied) == 2 else "all"
            return f"{names}, children of the root, {all_of} {verb} {format_number(trace.value)}"
    return ""


def _missing_cuts(exercise: Exercise) -> list[str]:
    """The kinds of cutoff (at MIN, at MAX) that the shape of the tree allows but that do not occur in it."""
    if CUTS not in exercise.marks:
        return []
    nodes = exercise.searched_tree.nodes
    present = {nodes[cut.node].player for cut in exercise.solution.cuts}
    names = {MIN: "alpha cutoff (at MIN)", MAX: "beta cutoff (at MAX)"}
    return [
        name for player, name in names.items() if player not in present and _may_cut(exercise.searched_tree, player)
    ]


def _may_cut(tree: Tree, player: int) -> bool:
    """Whether the shape of the tree allows a cutoff at a node of this player.

    Such a node has at least two children and, above it, an ancestor of the opponent with an earlier child and no
    chance node in between.
    """
    bounded = [False] * len(tree)
    for node in tree.nodes[1:]:
        parent = tree.nodes[node.parent]
        is_bound = parent.player == -player and node.index != parent.children[0]
        bounded[node.index] = parent.player != CHANCE and (bounded[node.parent] or is_bound)
        if node.player == player and len(node.children) > 1 and bounded[node.index]:
            return True
    return False


def has_deep_cut(exercise: Exercise) -> bool:
    """Whether a search that passes down only the parent's bound misses a cutoff of the correct search."""
    if not exercise.search_convention.prunes:
        return False
    return not frozenset(node.index for node in exercise.solution.pruned) <= shallow_cuts(exercise)
