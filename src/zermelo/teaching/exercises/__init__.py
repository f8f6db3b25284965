"""Exercises on trees: set, printed, graded; and programs that search, checked."""

from zermelo.teaching.exercises.answers import correct_answer
from zermelo.teaching.exercises.checking import CheckReport, check
from zermelo.teaching.exercises.exercise import Exercise
from zermelo.teaching.exercises.generator import ExerciseSpec, generate_exercises
from zermelo.teaching.exercises.grading import ClassGrader, Grade, Grader

__all__ = [
    "CheckReport",
    "ClassGrader",
    "Exercise",
    "ExerciseSpec",
    "Grade",
    "Grader",
    "check",
    "correct_answer",
    "generate_exercises",
]
