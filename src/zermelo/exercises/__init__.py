"""Exercises on trees: set, printed, graded; and programs that search, checked."""

from zermelo.exercises.answers import right_answer
from zermelo.exercises.checking import Report, check
from zermelo.exercises.exercise import Exercise
from zermelo.exercises.grading import Class, Grade, Grader
from zermelo.exercises.setting import Wishes, set_exercises

__all__ = ["Class", "Exercise", "Grade", "Grader", "Report", "Wishes", "check", "right_answer", "set_exercises"]
