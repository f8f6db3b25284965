"""`zermelo lectures`: runs the worked examples of five lectures and compares them with the slides."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_json
from zermelo.cli import arguments

if TYPE_CHECKING:
    from zermelo.cli.console import Console
    from zermelo.teaching.lectures.running import Outcome
    from zermelo.teaching.lectures.slides import Slide

#: A comparison that is wider than this is printed below its name, also off a terminal.
WIDEST = 160


def lectures(
    case: Annotated[
        str,
        typer.Argument(metavar="[CASE|LECTURE]", hidden=True, help="One case, by id or short name, or a lecture."),
    ] = "",
    lecture: Annotated[str, typer.Option(metavar="NUMBER", help="Only this lecture: 000 to 004.")] = "",
    slide: Annotated[str, typer.Option(metavar="N", help="Show what covers this slide of the lecture.")] = "",
    every_slide: Annotated[bool, typer.Option("--slides", help="List all slides, with what covers each.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Run the lectures' worked examples and compare with the slides.

    Without CASE, lists all cases by lecture. With CASE, shows expected and computed values and the tree. The status is
    agrees, differs, or is skipped (data missing). The exit code is 1 if any case differs. --slides and --slide run
    nothing; they name the cases, pages and commands for each slide.
    """
    from zermelo.errors import TreeError
    from zermelo.teaching.lectures.cases import LECTURES, case_of
    from zermelo.teaching.lectures.running import run, run_all

    if case.isdigit() or case in LECTURES:
        if lecture and _checked(lecture) != _checked(case):
            raise TreeError(f"lecture {case[:40]!r} and --lecture {lecture[:40]} differ; name one lecture")
        case, lecture = "", case
    number = _checked(lecture)
    if slide or every_slide:
        if case:
            raise TreeError(f"--slide and --slides need a lecture, not a case (got {case[:40]!r}): 000 to 004")
        _list_slides(number, slide, every_slide, as_json)
        return
    if case:
        one = case_of(case)
        if number and not one.belongs_to(number):
            raise TreeError(f"the case {one.id} is not of lecture {number}, but of {one.lecture}")
        outcomes = [run(one)]
    else:
        outcomes = list(run_all(number))
    if as_json:
        print_json(outcomes[0].as_json() if case else _all_as_json(outcomes))
    elif case:
        _print_one(outcomes[0])
    else:
        _print_all(outcomes)
    if any(outcome.status == "differs" for outcome in outcomes):
        raise typer.Exit(1)


def _checked(lecture: str) -> str:
    from zermelo.errors import TreeError
    from zermelo.teaching.lectures.cases import LECTURES

    number = lecture.zfill(3) if lecture.isdigit() else lecture
    if lecture and number not in LECTURES:
        there_are = f"there are {', '.join(LECTURES[:-1])}, and {LECTURES[-1]} for what several say"
        raise TreeError(f"lecture {lecture[:40]!r}: {there_are}")
    return number


def _all_as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "cases": [outcome.as_json() for outcome in outcomes if outcome.case.kind != "analysis"],
        "analyses": [outcome.as_json() for outcome in outcomes if outcome.case.kind == "analysis"],
        "counts": dict(Counter(outcome.status for outcome in outcomes)),
        "misprints": sum(len(outcome.case.misprints) for outcome in outcomes),
    }


# ---- all of them --------------------------------------------------------------------------------------------------


def _print_all(outcomes: Sequence[Outcome]) -> None:
    from zermelo.cli import screen
    from zermelo.teaching.lectures.cases import lectures as all_lectures

    out = screen.console()
    for lecture in all_lectures():
        own = [outcome for outcome in outcomes if outcome.case.lecture == lecture.number]
        if not own:
            continue
        screen.heading(out, str(lecture), lecture.title)
        rows = [("case", "slides", "confidence", "status", "what it is")]
        rows += [(c.id, c.slides, c.confidence, o.status, c.title) for o in own for c in (o.case,)]
        screen.table(out, rows)
        for outcome in own:
            _print_notes(out, outcome)
        out.print()
    _print_sum(out, outcomes)


def _print_notes(out: Console, outcome: Outcome) -> None:
    """Below a lecture's table: misprints, conventions, what differs, what is missing."""
    case = outcome.case
    for misprint in case.misprints:
        _note(out, "misprint", f"{case.id}, {misprint}")
    for convention in case.conventions:
        _note(out, "convention", f"{case.id}, {convention}")
    _print_differences(out, outcome)
    if case.missing:
        _note(out, "skipped", f"{case.id}, missing: {case.missing}")


def _print_differences(out: Console, outcome: Outcome) -> None:
    """What differs, in full."""
    from zermelo.teaching.lectures.comparison_text import as_text, name_of

    for check in outcome.checks:
        if check.status == "differs":
            text = f"{as_text(check.expected)}; found: {as_text(check.found)}"
            _note(out, "differs", f"{outcome.case.id}, {name_of(check)}: {text}")


def _note(out: Console, kind: str, text: str) -> None:
    from zermelo.cli import screen

    screen.facts(out, [(kind, text)])


def _print_sum(out: Console, outcomes: Sequence[Outcome]) -> None:
    count = Counter(outcome.status for outcome in outcomes)
    misprints = sum(len(outcome.case.misprints) for outcome in outcomes)
    checks = sum(len(outcome.checks) for outcome in outcomes)
    out.print(
        f"{count['agrees']} agree, {count['differs']} differ, {count['skipped']} skipped; {checks:,} comparisons, "
        f"{misprints} misprints"
    )
    out.print("One case in full: zermelo lectures CASE")


# ---- one of them --------------------------------------------------------------------------------------------------


def _print_one(outcome: Outcome) -> None:
    from zermelo.cli import screen
    from zermelo.teaching.lectures.cases import lectures as all_lectures

    out, case = screen.console(), outcome.case
    screen.heading(out, case.id, case.title)
    lecture = next(each for each in all_lectures() if each.number == case.lecture)
    facts = [
        ("lecture", f"{lecture.number}: {lecture.course}"),
        ("slides", case.slides),
        ("about", case.about),
        ("confidence", case.confidence + (f": {case.doubt}" if case.doubt else "")),
        ("searched", case.convention),
        ("status", outcome.status),
        ("missing", case.missing),
    ]
    facts += [("misprint", str(each)) for each in case.misprints]
    facts += [("convention", str(each)) for each in case.conventions]
    screen.facts(out, [(name, value) for name, value in facts if value], bold="status")
    if outcome.checks:
        out.print()
        _print_checks(out, outcome)
        _print_differences(out, outcome)
    if case.has_tree:
        _print_tree(out, outcome)


def _print_checks(out: Console, outcome: Outcome) -> None:
    """The comparisons in columns or, if they are too wide for that, each below its name."""
    from zermelo.cli import screen
    from zermelo.teaching.lectures.comparison_text import (
        agreeing_conventions,
        as_text,
        name_of,
        verdict_of,
        worth_showing,
    )

    checks, others = worth_showing(outcome), agreeing_conventions(outcome)
    rows = [(name_of(check), as_text(check.expected), as_text(check.found), verdict_of(check)) for check in checks]
    rows += [(words, f"{count} comparisons", "", "agrees") for words, count in others.items()]
    heads = ("", "the lecture", "found here", "")
    room = screen.width() if sys.stdout.isatty() else WIDEST
    if sum(max(map(len, column)) + 2 for column in zip(heads, *rows, strict=True)) <= room:
        screen.table(out, [heads, *rows])
        return
    for name, expected, found, verdict in rows:
        screen.facts(out, [(verdict.partition(":")[0], name)])
        same = found == expected
        values = [("both" if same else "the lecture", expected), ("found here", "" if same else found)]
        values.append(("remark", verdict.partition(": ")[2]))
        screen.facts(out, [(f"    {title}", value) for title, value in values if value])


def _print_tree(out: Console, outcome: Outcome) -> None:
    from zermelo.cli import screen
    from zermelo.drawing.options import Options
    from zermelo.teaching.diagrams.text import text
    from zermelo.teaching.tree.trace import trace

    tree = outcome.case.tree
    # Where each arc has a move and no position stands at the nodes, their names only repeat the way to them.
    options = Options(names=not all(node.move and not node.state for node in tree.nodes[1:]))
    columns = screen.width() if sys.stdout.isatty() else None
    out.print()
    out.block(text(trace(tree, outcome.case.convention), options, columns))


# ---- slides -------------------------------------------------------------------------------------------------------


def _list_slides(lecture: str, number: str, every_slide: bool, as_json: bool) -> None:
    """List all slides, those of one lecture, or one slide."""
    from zermelo.errors import TreeError
    from zermelo.teaching.lectures.slides import NUMBERS, slides, slides_at

    if lecture == "all":
        raise TreeError(f"lecture 'all' has no slides; the lectures with slides are {', '.join(NUMBERS)}")
    if number and every_slide:
        raise TreeError("--slide and --slides cannot be combined")
    if number and not lecture:
        raise TreeError(f"--slide needs a lecture: zermelo lectures 000 --slide {number[:40]}")
    found = slides_at(lecture, number) if number else slides(lecture)
    counts = dict(Counter(slide.status for slide in found))
    if as_json:
        print_json({"slides": [slide.as_json() for slide in found], "counts": counts})
    elif number:
        _print_slides(found)
    else:
        _print_slide_tables(found, counts)


def _print_slides(found: Sequence[Slide]) -> None:
    """Slides one by one, with the misprints and conventions on them."""
    from zermelo.cli import screen
    from zermelo.teaching.lectures.cases import case_of
    from zermelo.teaching.lectures.slides import remarks_on

    out = screen.console()
    for slide in found:
        screen.heading(out, str(slide), slide.topic)
        facts = [("status", slide.status + (f": {slide.reason}" if slide.reason else ""))]
        facts += [("case", f"{id}: {case_of(id).title} (zermelo lectures {id})") for id in slide.cases]
        facts += [("page", f"docs/{page}") for page in slide.pages]
        facts += [("command", command) for command in slide.commands]
        screen.facts(out, [*facts, *remarks_on(slide)], bold="status")


def _print_slide_tables(found: Sequence[Slide], counts: dict[str, int]) -> None:
    """A table for each lecture; consecutive slides with the same row are one row."""
    from itertools import groupby

    from zermelo.cli import screen
    from zermelo.teaching.lectures.cases import lectures as all_lectures
    from zermelo.teaching.lectures.slides import numbering, rows_of

    out = screen.console()
    titles = {each.number: each for each in all_lectures()}
    for number, own in groupby(found, lambda slide: slide.lecture):
        screen.heading(out, str(titles[number]), titles[number].title)
        screen.facts(out, [("slide numbers", numbering(number))])
        rows = [("slide", "status", "topic", "covered by")]
        for numbers, first in rows_of(own):
            reason = [first.reason] if first.reason else []
            where = [*reason, *first.cases, *first.pages, *first.commands]
            rows.append((numbers, first.status, first.topic, "; ".join(where)))
        screen.table(out, rows)
        out.print()
    summary = ", ".join(f"{count} {status}" for status, count in counts.items())
    out.print(f"{len(found)} slides: {summary}")
    out.print("One slide: zermelo lectures LECTURE --slide N")
