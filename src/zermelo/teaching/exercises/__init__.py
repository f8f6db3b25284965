"""Exercises on trees: set, printed, graded; and programs that search, checked."""

from zermelo.teaching.exercises.answers import right_answer
from zermelo.teaching.exercises.checking import Report, check
from zermelo.teaching.exercises.exercise import Exercise
from zermelo.teaching.exercises.generator import ExerciseSpec, set_exercises
from zermelo.teaching.exercises.grading import Class, Grade, Grader

__all__ = ["Class", "Exercise", "ExerciseSpec", "Grade", "Grader", "Report", "check", "right_answer", "set_exercises"]
