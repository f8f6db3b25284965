"""Marks of simulated students, the tables of docs/exercises.md.

    python benchmarks/marks.py [EXERCISES]

marks the answers of 31 student models to 200 exercises (by default) on searching a tree, and simulated answers to a
tenth as many exercises of each other kind. Prints the mean, minimum and maximum of each as Markdown tables. Takes about
two minutes.
"""

from __future__ import annotations

import sys

from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.item_simulation import item_table
from zermelo.teaching.exercises.kinds import KINDS, KindOptions
from zermelo.teaching.exercises.kinds.items import ItemSpec
from zermelo.teaching.exercises.simulation import exercises, simulate, table

if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(table(simulate(exercises(count))))
    specs = [(name, kind.spec(KindOptions())) for name, kind in KINDS.items()]
    print()
    print(
        item_table(
            (name, generate_exercises(spec, 0, variants=max(count // 10, 1)).exercises)
            for name, spec in specs
            if isinstance(spec, ItemSpec)
        )
    )
