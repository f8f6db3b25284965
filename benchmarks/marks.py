"""Marks of simulated students, the table of docs/exercises.md.

    python benchmarks/marks.py [EXERCISES]

marks the answers of 31 student models to 200 exercises (by default) and prints the mean, minimum and maximum of each
model as a Markdown table. Takes about a minute.
"""

from __future__ import annotations

import sys

from zermelo.teaching.exercises.simulation import exercises, simulate, table

if __name__ == "__main__":
    print(table(simulate(exercises(int(sys.argv[1]) if len(sys.argv) > 1 else 200))))
