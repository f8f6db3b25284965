"""Follow-through credit: what the search becomes after one slip of the student.

A slip is one wrong step: a wrong value returned by a node, the wrong player at a node, a cutoff missed or made too
early, a wrong entry window. `replay` searches on from it exactly as the rules say. The entries that agree with this
replay follow from the slip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX
from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.entries import Entries, time_of
from zermelo.teaching.exercises.exercise import CUTS, VALUES, WINDOWS, Exercise
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.replay import Faults
from zermelo.teaching.tree.node import Node
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Window

#: Number of differing values, of windows and of cutoffs whose slips are tried. Later ones are normally consequences.
MAX_DIFFERENCES = 3


class Slip(NamedTuple):
    """One wrong step at one node.

    Attributes
    ----------
    mistake : Mistake
        Its name, among the mistakes at a single node.
    node : int
        Index of the node.
    faults : Faults
        What a replay does differently.
    lost : frozenset of (str, key)
        The entries, by part and key, that are the slip itself: they are wrong and earn nothing.
    text : str
        What was done and what is correct, after the name of the node.
    """

    mistake: Mistake
    node: int
    faults: Faults
    lost: frozenset[tuple[str, object]]
    text: str


def possible_slips(exercise: Exercise, written: Entries, expected: Entries) -> Iterator[Slip]:
    """The slips that may be the cause of the differences between an answer and a search, the earliest first.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.
    written, expected : Entries
        The entries of the student, and those of the search that they are compared with.

    Yields
    ------
    Slip
        Slips at the first differing values, windows and cutoffs.
    """
    tree = exercise.searched_tree
    nodes = tree.nodes
    found: list[tuple[tuple[int, int, int], str, int]] = []
    for index, value in written[VALUES].items():
        if value != expected[VALUES].get(index, value):
            found.append((time_of(tree, VALUES, index), VALUES, index))
    for (index, kind), window in written[WINDOWS].items():
        # A wrong exit window is a wrong value; it is used where the values are not asked for.
        if window != expected[WINDOWS].get((index, kind), window) and (kind == "entry" or VALUES not in exercise.marks):
            found.append((time_of(tree, WINDOWS, (index, kind)), kind, index))
    if written[CUTS]:
        differ = [arc for arc in written[CUTS].keys() ^ expected[CUTS].keys() if arc >= 0]
        found += {(time_of(tree, CUTS, arc), CUTS, nodes[arc].parent) for arc in differ}
    counts: Counter[str] = Counter()
    for _, what, index in sorted(found):
        counts[what] += 1
        if counts[what] > MAX_DIFFERENCES:
            continue
        if what == CUTS:
            yield from _cutoff_slips(nodes[index], written, expected)
        elif what == "entry":
            window = written[WINDOWS][index, what]
            if window[0] < window[1]:
                text = f"the window [{format_number(window[0])}, {format_number(window[1])}] is used"
                faults = Faults(entries={index: window})
                yield Slip(mistakes.WRONG_WINDOW, index, faults, frozenset({(WINDOWS, (index, what))}), text)
        else:
            yield from _value_slips(exercise, nodes[index], what, written, expected)


def _cutoff_slips(node: Node, written: Entries, expected: Entries) -> Iterator[Slip]:
    """The slip that a node stops after another number of children."""
    crossed = [child in written[CUTS] for child in node.children]
    count = crossed.index(True) if True in crossed else len(crossed)
    if not count or not all(crossed[count:]):
        return
    lost = frozenset((CUTS, child) for child in node.children if (child in written[CUTS]) != (child in expected[CUTS]))
    should = sum(child not in expected[CUTS] for child in node.children)
    mistake = mistakes.CUTOFF_MISSED if count > should else mistakes.CUTOFF_TOO_EARLY
    text = f"{count} of {len(node.children)} children are visited instead of {should}"
    yield Slip(mistake, node.index, Faults(stops={node.index: count}), lost, text)


def _value_slips(exercise: Exercise, node: Node, what: str, written: Entries, expected: Entries) -> Iterator[Slip]:
    """The slips that explain a wrong value: the wrong player, or a wrong number."""
    index = node.index
    if what == VALUES:
        key: tuple[str, object] = (VALUES, index)
        value: Number = written[VALUES][index]
        right = expected[VALUES].get(index)
    else:
        key = (WINDOWS, (index, what))
        window: Window = written[WINDOWS][index, what]
        end = window[0] if node.player == MAX else window[1]
        if isinstance(end, float):
            return
        value, right = end, None
    lost = frozenset({key})
    shown = format_number(exercise.convert_value(node, value))
    if node.player != CHANCE and len(node.children) > 1:
        flipped = Faults(flipped=frozenset({index}))
        yield Slip(mistakes.WRONG_PLAYER_ONCE, index, flipped, lost, f"{shown} is the choice of the wrong player")
    instead = "" if right is None else f" instead of {format_number(exercise.convert_value(node, right))}"
    mistake = mistakes.SIGN_ONCE if right and value == -right else mistakes.ARITHMETIC_SLIP
    yield Slip(mistake, index, Faults(values={index: value}), lost, f"{shown}{instead}")
