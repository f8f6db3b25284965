"""Exercises on game trees: generate, print and grade them; check students' search programs.

>>> from zermelo.teaching.exercises import ExerciseSpec, Grader, correct_answer, generate_exercises
>>> from zermelo.teaching.tree.convention import Convention
>>> spec = ExerciseSpec(Convention(), {"values": 5, "cuts": 5})
>>> (exercise,) = generate_exercises(spec, seed=7).exercises
>>> Grader(exercise).grade(correct_answer(exercise)).marks == exercise.total_marks
True
"""

from zermelo.teaching.exercises.answer_files import Submission, load_answer, load_submissions
from zermelo.teaching.exercises.answers import (
    Answer,
    answer_as_json,
    answer_template,
    correct_answer,
    parse_answer,
)
from zermelo.teaching.exercises.check_report import CaseResult, CheckReport, Explanation
from zermelo.teaching.exercises.checking import check
from zermelo.teaching.exercises.diagnosis import Diagnosis
from zermelo.teaching.exercises.exercise import Exercise
from zermelo.teaching.exercises.files import exercises_as_json, load_exercises
from zermelo.teaching.exercises.generator import GeneratedExercises, generate_exercises
from zermelo.teaching.exercises.grading import ClassGrader, Grade, Grader, PartGrade, Remark
from zermelo.teaching.exercises.kinds.tree_search import ExerciseSpec
from zermelo.teaching.exercises.sheet_files import render_sheets
from zermelo.teaching.exercises.variants import Spread

__all__ = [
    "Answer",
    "CaseResult",
    "CheckReport",
    "ClassGrader",
    "Diagnosis",
    "Exercise",
    "ExerciseSpec",
    "Explanation",
    "GeneratedExercises",
    "Grade",
    "Grader",
    "PartGrade",
    "Remark",
    "Spread",
    "Submission",
    "answer_as_json",
    "answer_template",
    "check",
    "correct_answer",
    "exercises_as_json",
    "generate_exercises",
    "load_answer",
    "load_exercises",
    "load_submissions",
    "parse_answer",
    "render_sheets",
]
