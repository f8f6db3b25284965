"""Find the mistakes that explain a program's behaviour by comparing it with simulated programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zermelo.teaching.exercises import program_behaviour
from zermelo.teaching.exercises.check_report import MARKS, CaseResult, Explanation, count_states, is_close
from zermelo.teaching.exercises.program_behaviour import SolverOptions
from zermelo.teaching.exercises.rules_server import as_float
from zermelo.teaching.tree.convention import Convention


def diagnose_program(results: Sequence[CaseResult], function: str, convention: Convention) -> list[Explanation]:
    """Find the mistakes that explain the results; none if all marks were earned."""
    answered = [result for result in results if result.value is not None]
    if not answered or all(result.points == sum(MARKS.values()) for result in answered):
        return []
    correct = program_behaviour.correct_options(function, convention.cut == "strict")
    has_chance = any(node.weights for result in answered for node in result.case.tree)
    candidates = [
        (mistake, options)
        for mistake in program_behaviour.possible_mistakes(correct, has_chance)
        for options in program_behaviour.faulty_options(mistake, correct)
    ]

    # One mistake explains every case.
    whole = [mistake for mistake, options in candidates if all(_fits(result, options) for result in answered)]
    if whole:
        return [Explanation(tuple(dict.fromkeys(whole)), False, len(answered), len(answered))]

    # Two mistakes together explain every case.
    for both, options in program_behaviour.mistake_pairs(correct, has_chance):
        if len(answered) > 1 and all(_fits(result, options) for result in answered):
            return [Explanation(both, True, len(answered), len(answered))]

    # One mistake explains most cases, and more than correct behaviour does.
    counts = [(sum(_fits(result, options) for result in answered), mistake) for mistake, options in candidates]
    most, _ = max(counts, key=lambda each: each[0], default=(0, None))
    if most >= 0.6 * len(answered) and most > sum(_fits(result, correct) for result in answered):
        likely = tuple(dict.fromkeys(mistake for count, mistake in counts if count == most))
        return [Explanation(likely, False, most, len(answered))]

    # No mistake leads to the searched states, but one explains all values, and at least two are wrong.
    if sum(not result.is_value_right for result in answered) >= 2:
        by_value = [mistake for mistake, options in candidates if all(_fits_value(each, options) for each in answered)]
        if by_value:
            return [Explanation(tuple(dict.fromkeys(by_value)), False, len(answered), len(answered), values_only=True)]
    return []


def _fits(result: CaseResult, options: SolverOptions) -> bool:
    """Whether the program behaved as the simulated program with these options."""
    simulated = result.case.simulate(options)
    if not (_fits_value(result, options) and result.searched == simulated.searched):
        return False
    # Several moves may be best; which one is returned matters only if the choice of the move is the mistake.
    return options.chosen_move == "first" or result.move == simulated.move


def _fits_value(result: CaseResult, options: SolverOptions) -> bool:
    assert result.value is not None
    return is_close(result.value, float(result.case.simulate(options).value))


def program_notes(results: Sequence[CaseResult]) -> Iterator[str]:
    """Remarks that cost no marks."""
    answered = [result for result in results if result.value is not None]
    ahead = [result for result in answered if len(result.generated) > len(set(result.searched) | {0})]
    if ahead:
        unused = sum(len(set(result.generated) - set(result.searched) - {0}) for result in ahead)
        yield (
            f"{count_states(unused)} generated but never searched, in {len(ahead)} of {len(answered)} cases: the "
            "program generates all children before a cutoff could save them"
        )
    again = sum(result.plays - (len(result.generated) - 1) for result in answered)
    if again > 0:
        yield f"{count_states(again)} generated more than once; search each child once and store its value"
    if answered and not any(result.has_move for result in answered):
        yield "the program returns no moves; the marks for moves are given for the values"
    if len(answered) > 1 and all(map(_is_swapped, answered)) and not all(each.is_value_right for each in answered):
        yield "the program seems to return (move, value); return (value, move)"
    printed = sum(bool(result.output) for result in results)
    if printed:
        yield f"the program printed text in {printed} of {len(results)} cases; this has no effect on the marks"


def _is_swapped(result: CaseResult) -> bool:
    """Whether the returned pair is correct in the opposite order."""
    if result.move is None or result.value is None:
        return False
    return is_close(result.move, as_float(result.case.value)) and result.value in result.case.best
