"""Simulated students: what the rubric gives to answers that lack certain skills or contain slips.

A student model lacks a set of skills and makes a number of slips. One model knows more than another if it lacks no
other skills and makes no more slips; then it must not earn fewer marks. benchmarks/marks.py prints the table of
docs/exercises.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import NamedTuple

from zermelo.core.game import MAX
from zermelo.teaching.exercises import wrong_solvers
from zermelo.teaching.exercises.answers import Answer, correct_answer
from zermelo.teaching.exercises.entries import entries_of
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.kinds.tree_search import ExerciseSpec
from zermelo.teaching.exercises.replay import (
    NEVER,
    NO_FAULTS,
    NOTHING,
    PARENT_ONLY,
    WRONG_SIDE,
    Faults,
    all_choices,
    replay,
)
from zermelo.teaching.exercises.rubric import Rubric
from zermelo.teaching.exercises.wrong_solvers import Writer
from zermelo.teaching.tree.convention import Convention

#: The skills, and what a student without one does. Windows that are not passed down never cause a cutoff.
PLAYERS, MAX_AND_MIN = "players", "max and min"
DEEP_WINDOWS, WINDOWS, UPDATES = "deep windows", "windows", "updates"
CUTOFFS, CUT_SIDE, ARCS = "cutoffs", "side of the cutoff", "arcs"
ORDER, VISITS, INNER_NODES = "order", "time of visits", "inner nodes"
CHOICE = "choice"


class Model(NamedTuple):
    """A simulated student.

    Attributes
    ----------
    name : str
        What the student does, in a few words.
    lacks : frozenset of str
        The skills that are missing.
    slips : int
        Number of wrong values, each at a random node; the search goes on from them.
    """

    name: str
    lacks: frozenset[str] = frozenset()
    slips: int = 0

    def knows_at_least(self, other: Model) -> bool:
        """Whether this student lacks no skill that the other one has, and makes no more slips."""
        return self.lacks <= other.lacks and self.slips <= other.slips


def _model(name: str, *lacks: str, slips: int = 0) -> Model:
    return Model(name, frozenset(lacks), slips)


_FULL_WINDOWS = (WINDOWS, DEEP_WINDOWS, CUTOFFS)
MODELS: tuple[Model, ...] = (
    _model("everything right"),
    _model("one slip", slips=1),
    _model("two slips", slips=2),
    _model("three slips", slips=3),
    _model("five slips", slips=5),
    _model("worst move", CHOICE),
    _model("worst move, one slip", CHOICE, slips=1),
    _model("exit window repeats the entry window", UPDATES),
    _model("only the parent's bound passed down", DEEP_WINDOWS),
    _model("only the parent's bound, exit repeats entry", DEEP_WINDOWS, UPDATES),
    _model("arcs crossed above the cutoff", ARCS),
    _model("arcs above, one slip", ARCS, slips=1),
    _model("level by level", ORDER),
    _model("level by level, one slip", ORDER, slips=1),
    _model("nodes listed when left", VISITS),
    _model("only leaves listed", INNER_NODES),
    _model("level by level, arcs above", ORDER, ARCS),
    _model("cutoffs on the wrong side", CUT_SIDE),
    _model("cutoffs on the wrong side, level by level", CUT_SIDE, ORDER),
    _model("no cutoffs, right windows", CUTOFFS),
    _model("no cutoffs, one slip", CUTOFFS, slips=1),
    _model("no cutoffs, exit repeats entry", CUTOFFS, UPDATES),
    _model("no cutoffs, parent's bound only", CUTOFFS, DEEP_WINDOWS),
    _model("no cutoffs, full windows", *_FULL_WINDOWS),
    _model("no cutoffs, full windows, level by level", *_FULL_WINDOWS, ORDER),
    _model("no cutoffs, full windows, worst move", *_FULL_WINDOWS, CHOICE),
    _model("MAX at every node", PLAYERS),
    _model("MAX at every node, no cutoffs, full windows", PLAYERS, *_FULL_WINDOWS),
    _model("MAX and MIN swapped", MAX_AND_MIN),
    _model("MAX and MIN swapped, no cutoffs, full windows", MAX_AND_MIN, *_FULL_WINDOWS),
    _model("MAX and MIN swapped, no cutoffs, full windows, level by level", MAX_AND_MIN, *_FULL_WINDOWS, ORDER),
)


def faults_of(model: Model, exercise: Exercise, rng: Random) -> Faults:
    """The faults of a simulated student's search in an exercise."""
    faults = NO_FAULTS
    if PLAYERS in model.lacks:
        faults |= wrong_solvers.one_player(exercise, MAX)
    if MAX_AND_MIN in model.lacks:
        faults |= Faults(flipped=all_choices(exercise))
    if DEEP_WINDOWS in model.lacks:
        faults |= Faults(pass_down=NOTHING if WINDOWS in model.lacks else PARENT_ONLY)
    if CUT_SIDE in model.lacks:
        faults |= Faults(cutoff=WRONG_SIDE)
    if CUTOFFS in model.lacks:
        faults |= Faults(cutoff=NEVER)
    values = correct_answer(replace(exercise, marks={"values": 1})).values or {}
    nodes = rng.sample(sorted(values), len(values))[: model.slips]
    changes = {index: values[index] + rng.choice((-1, 1)) * rng.randint(1, 5) for index in nodes}
    return faults | Faults(values=changes)


_WRITERS: dict[str, Writer] = {
    UPDATES: wrong_solvers.exit_is_entry,
    ARCS: wrong_solvers.crosses_above,
    ORDER: wrong_solvers.breadth_first,
    VISITS: wrong_solvers.bottom_up,
    INNER_NODES: wrong_solvers.leaves_only,
}


def answer_of(model: Model, exercise: Exercise, seed: int = 0) -> Answer:
    """The answer of a simulated student; the seed decides where the slips are."""
    answer = replay(exercise, faults_of(model, exercise, Random(seed)))
    for skill in _WRITERS.keys() & model.lacks:
        answer = _WRITERS[skill](exercise, answer)
    if CHOICE in model.lacks:
        answer = replace(answer, best=wrong_solvers.worst_moves(exercise)[0])
    return answer


@dataclass(frozen=True)
class Result:
    """The marks of one model on all exercises, as fractions of full marks."""

    model: Model
    shares: tuple[Fraction, ...]

    @property
    def mean(self) -> Fraction:
        return sum(self.shares, Fraction(0)) / len(self.shares)


def exercises(count: int) -> list[Exercise]:
    """Exercises for a simulation: those of `zermelo exercise new --seed 0`, 1, 2 and so on."""
    spec = ExerciseSpec(Convention(), allocate_marks(PARTS, {}))
    return [generate_exercises(spec, seed).exercises[0] for seed in range(count)]


def simulate(given: Sequence[Exercise], models: Iterable[Model] = MODELS) -> list[Result]:
    """Mark the answers of simulated students.

    Parameters
    ----------
    given : sequence of Exercise
        The exercises; the same for all models.
    models : iterable of Model
        The students.

    Returns
    -------
    list of Result
        A result for each model.
    """
    rubrics = [Rubric(exercise) for exercise in given]
    results = []
    for model in models:
        shares = []
        for number, rubric in enumerate(rubrics):
            written = entries_of(rubric.tree, answer_of(model, rubric.exercise, number))
            shares.append(rubric.mark(written).total / rubric.exercise.total_marks)
        results.append(Result(model, tuple(shares)))
    return results


def table(results: Iterable[Result]) -> str:
    """The results as a Markdown table of percentages, best mean first."""
    rows = ["| student | mean | min | max |", "| --- | --- | --- | --- |"]
    for result in sorted(results, key=lambda each: -each.mean):
        numbers = (result.mean, min(result.shares), max(result.shares))
        rows.append(f"| {result.model.name} | " + " | ".join(f"{float(100 * each):.1f} %" for each in numbers) + " |")
    return "\n".join(rows)
