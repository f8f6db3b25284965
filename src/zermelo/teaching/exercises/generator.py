"""Generate exercises from a seed: draw until one is suitable, for one student or a whole class.

The number of attempts is bounded and their order is fixed by the seed, so the same spec and seed always give the same
exercises. A spec knows one kind of exercise; this module knows none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, Protocol, TypeVar

from zermelo.errors import TreeError
from zermelo.teaching.exercises.exercise import MAX_VARIANTS, ExerciseBase
from zermelo.teaching.exercises.variants import (
    Bound,
    Spread,
    check_names,
    hardest_bound,
    is_within,
    spread_of,
    typical_bounds,
)
from zermelo.teaching.tree.numbers import Number

#: Attempts for one exercise without bounds, and within bounds, before the spec is refused.
ATTEMPTS, ATTEMPTS_WITHIN_BOUNDS = 300, 3_000
#: Number of exercises among which the typical one is chosen.
SAMPLE = 40

E = TypeVar("E", bound=ExerciseBase)


class Spec(Protocol[E]):
    """What exercises to generate: of one kind, and of some size."""

    @property
    def bounds(self) -> Mapping[str, Bound]:
        """Bounds on some of the measures."""

    def given(self) -> E | None:
        """The exercise, if it is given and not drawn. Raises `Unsuitable`."""

    def draw(self, seed: int) -> E:
        """Draw an exercise. Raises `Unsuitable`."""

    def checked(self, exercise: E) -> tuple[E, list[str]]:
        """The exercise, completed, and what it lacks though its shape allows it. Raises `Unsuitable`."""

    def measures(self, exercise: E) -> Iterator[tuple[str, Number]]:
        """Yield the name and value of each measure of size and difficulty, those that need no search first."""

    def solution_key(self, exercise: E) -> str:
        """A text that is equal for two exercises only if their solutions are."""


class Unsuitable(TreeError):
    """An exercise that cannot be set; the message is the reason."""


@dataclass
class GeneratedExercises(Generic[E]):
    """The generated exercises.

    Attributes
    ----------
    exercises : list of Exercise
        The exercises, in the order of the variants.
    notes : list of str
        A note for each exercise that lacks a property which its shape would allow.
    spread : list of Spread
        The bounds on size and difficulty, and the minimum, median and maximum over the variants. Empty for a single
        exercise without bounds.
    """

    exercises: list[E] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    spread: list[Spread] = field(default_factory=list)


def generate_exercises(
    spec: Spec[E], seed: int, *, variants: int = 0, students: Sequence[str] = ()
) -> GeneratedExercises[E]:
    """Generate one exercise, several variants, or one exercise for each student.

    Variants are of equal size and difficulty, within the bounds of `GeneratedExercises.spread`, and all different: no
    two are the same exercise or have the same solution. Variant k depends only on the spec, the seed and the variants
    before it, so variants can be added later without changing earlier ones.

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
        The exercises, notes on missing cutoffs, and the spread of the variants.

    Raises
    ------
    TreeError
        If too few suitable and different exercises within the bounds are found, or if a given tree has several best
        moves and `spec.allow_ties` is false.

    Examples
    --------
    >>> from zermelo.teaching.exercises import ExerciseSpec, generate_exercises
    >>> from zermelo.teaching.tree.convention import Convention
    >>> spec = ExerciseSpec(Convention(), {"values": 5, "best": 2})
    >>> generated = generate_exercises(spec, 7, students=["Ada", "Alan"])
    >>> [exercise.student for exercise in generated.exercises]
    ['Ada', 'Alan']
    >>> generated.spread[0].measure, generated.spread[0].bound
    ('nodes', (24, 32))
    """
    count = len(students) or variants
    if not 0 <= seed < 1 << 128:
        raise TreeError(f"seed must be a non-negative integer below 2^128 (got {str(seed)[:40]})")
    if count > MAX_VARIANTS:
        raise TreeError(f"too many variants: {count:,}; at most {MAX_VARIANTS:,} can be generated at once")
    generator = _Generator(spec, seed)
    if not count and not spec.bounds:
        exercise, note = generator.single()
        return GeneratedExercises([exercise], [note] if note else [])
    return generator.alike(count, students)


def derived_seed(seed: int, variant: int | None, attempt: int) -> int:
    """Seed of one attempt: a 64-bit hash of the three numbers."""
    text = f"zermelo-exercise {seed} {variant or 0} {attempt}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


class _Attempts(Generic[E]):
    """The suitable exercises within bounds among the attempts of one variant."""

    def __init__(
        self, spec: Spec[E], seed: int, variant: int | None, count: int, bounds: Mapping[str, Bound] | None = None
    ) -> None:
        self.spec, self.seed, self.variant, self.count, self.bounds = spec, seed, variant, count, bounds or {}
        #: Why the last unsuitable exercise is unsuitable.
        self.problem = ""

    def __iter__(self) -> Iterator[tuple[E, list[str]]]:
        """Yield each exercise with what it lacks."""
        for attempt in range(self.count):
            try:
                exercise = self.spec.draw(derived_seed(self.seed, self.variant, attempt))
                if is_within(self.spec.measures(exercise), self.bounds):
                    yield self.spec.checked(exercise)
            except Unsuitable as problem:
                self.problem = str(problem)

    def failure(self) -> TreeError:
        """Why no exercise was found."""
        if not self.bounds:
            return TreeError(
                f"no suitable exercise found in {self.count:,} attempts (in the last one, {self.problem}); try a wider "
                "range of values, another shape or another position"
            )
        outside = _Attempts(self.spec, self.seed, self.variant, ATTEMPTS)
        measured = [dict(self.spec.measures(exercise)) for exercise, _ in islice(outside, SAMPLE)]
        if not measured:
            return outside.failure()
        return TreeError(
            f"no suitable exercise within the bounds in {self.count:,} attempts; the bound least often met is "
            f"{hardest_bound(measured, self.bounds)}; change --bounds or the shape of the exercise"
        )


class _Generator(Generic[E]):
    """Generates the exercises of one spec and seed."""

    def __init__(self, spec: Spec[E], seed: int) -> None:
        self.spec, self.seed = spec, seed

    def single(self) -> tuple[E, str]:
        """One exercise without bounds, and a note on what it lacks."""
        given = self.spec.given()
        if given is not None:
            return given, ""
        exercise, lacks = self.most_complete(_Attempts(self.spec, self.seed, None, ATTEMPTS), 1)[0]
        return exercise.set_for(seed=self.seed), _note(lacks)

    def most_complete(self, attempts: _Attempts[E], count: int) -> list[tuple[E, list[str]]]:
        """The first exercises that lack nothing; if there are none, those that lack least. Raises `TreeError`."""
        found: dict[int, list[tuple[E, list[str]]]] = {}
        for exercise, lacks in attempts:
            found.setdefault(len(lacks), []).append((exercise, lacks))
            if len(found.get(0, ())) == count:
                break
        if not found:
            raise attempts.failure()
        return found[min(found)][:count]

    def alike(self, count: int, students: Sequence[str]) -> GeneratedExercises[E]:
        """Exercises of equal size and difficulty, all different; one without a number if the count is 0."""
        number = ATTEMPTS_WITHIN_BOUNDS if self.spec.bounds else ATTEMPTS
        attempts = _Attempts(self.spec, self.seed, None, number, self.spec.bounds)
        sample = self.most_complete(attempts, SAMPLE)
        rows = [dict(self.spec.measures(exercise)) for exercise, _ in sample]
        check_names(self.spec.bounds, rows[0])
        bounds = typical_bounds(rows, self.spec.bounds)
        may_lack = len(sample[0][1])
        generated: GeneratedExercises[E] = GeneratedExercises()
        rows.clear()
        seen: set[str] = set()
        for variant in range(1, count + 1) if count else [None]:
            exercise, lacks = self.variant(variant, bounds, may_lack, seen)
            rows.append(dict(self.spec.measures(exercise)))
            student = students[variant - 1] if students and variant else ""
            generated.exercises.append(exercise.set_for(seed=self.seed, variant=variant, student=student))
            if lacks:
                generated.notes.append(f"variant {variant}: {_note(lacks)}" if variant else _note(lacks))
        generated.spread = spread_of(rows, bounds)
        return generated

    def variant(
        self, variant: int | None, bounds: Mapping[str, Bound], may_lack: int, seen: set[str]
    ) -> tuple[E, list[str]]:
        """A variant within the bounds that differs from those in `seen`, which it joins."""
        attempts = _Attempts(self.spec, self.seed, variant, ATTEMPTS_WITHIN_BOUNDS, bounds)
        repetitions = 0
        for exercise, lacks in attempts:
            if len(lacks) > may_lack:
                continue
            keys = {exercise.id, self.spec.solution_key(exercise)}
            if seen.isdisjoint(keys):
                seen |= keys
                return exercise, lacks
            repetitions += 1
        if repetitions:
            raise TreeError(
                f"variant {variant}: the {repetitions:,} suitable exercises of {attempts.count:,} attempts all repeat "
                "an earlier variant or its solution; ask for fewer variants, larger exercises or wider --bounds"
            )
        raise TreeError(f"variant {variant}: {attempts.failure()}" if variant else str(attempts.failure()))


def _note(lacks: Sequence[str]) -> str:
    return f"the tree has no {' and no '.join(lacks)}" if lacks else ""
