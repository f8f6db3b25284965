"""`zermelo lectures`: runs the worked examples of five lectures and compares them with the slides."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments

if TYPE_CHECKING:
    from rich.console import Console

    from zermelo.teaching.lectures.checks import Check
    from zermelo.teaching.lectures.running import Outcome

#: Maximum width of a table cell in columns; `--json` has the whole text.
WIDEST = 72


def lectures(
    case: Annotated[
        str,
        typer.Argument(metavar="[CASE]", hidden=True, help="One case, by id or short name."),
    ] = "",
    lecture: Annotated[str, typer.Option(metavar="NUMBER", help="Only this lecture: 000 to 004.")] = "",
    as_json: arguments.Json = False,
) -> None:
    """Run the lectures' worked examples and compare with the slides.

    Without CASE, lists all cases by lecture. With CASE, shows expected and computed values and the tree. The status is
    agrees, differs, or is skipped (data missing). The exit code is 1 if any case differs.
    """
    from zermelo.errors import TreeError
    from zermelo.teaching.lectures.cases import case_of
    from zermelo.teaching.lectures.running import run, run_all

    number = _checked(lecture)
    if case:
        one = case_of(case)
        if number and not one.belongs_to(number):
            raise TreeError(f"the case {one.id} is not of lecture {number}, but of {one.lecture}")
        outcomes = [run(one)]
    else:
        outcomes = list(run_all(number))
    if as_json:
        print(json.dumps(outcomes[0].as_json() if case else _all_as_json(outcomes)))
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
    from rich.text import Text

    from zermelo.cli import screen
    from zermelo.teaching.lectures.cases import lectures as all_lectures

    out = screen.console()
    for lecture in all_lectures():
        own = [outcome for outcome in outcomes if outcome.case.lecture == lecture.number]
        if not own:
            continue
        out.print(Text(str(lecture), "bold").append(f": {lecture.title}", "not bold"))
        rows = [("case", "slides", "confidence", "status", "what it is")]
        rows += [(c.id, _short(c.slides, 24), c.confidence, o.status, c.title) for o in own for c in (o.case,)]
        screen.table(out, rows)
        for outcome in own:
            _print_notes(out, outcome)
        out.print()
    _print_sum(out, outcomes)


def _print_notes(out: Console, outcome: Outcome) -> None:
    """Below a lecture's table: misprints, what differs, what is waited for."""
    case = outcome.case
    for each in case.misprints:
        _note(out, "misprint", f"{case.id}, {each.where}: {each.printed}; right: {each.right}")
    _print_differences(out, outcome)
    if case.missing:
        _note(out, "skipped", f"{case.id}, missing: {case.missing}")


def _print_differences(out: Console, outcome: Outcome) -> None:
    """What differs, in full."""
    for check in outcome.checks:
        if check.status == "differs":
            text = f"{as_text(check.expected)}; found: {as_text(check.found)}"
            _note(out, "differs", f"{outcome.case.id}, {_named(check)}: {text}")


def _note(out: Console, kind: str, text: str) -> None:
    from zermelo.cli import screen

    screen.facts(out, [(kind, text)])


def _print_sum(out: Console, outcomes: Sequence[Outcome]) -> None:
    count = Counter(outcome.status for outcome in outcomes)
    misprints = sum(len(outcome.case.misprints) for outcome in outcomes)
    checks = sum(len(outcome.checks) for outcome in outcomes)
    out.print(
        f"{count['agrees']} agree, {count['differs']} differ, {count['skipped']} skipped; {checks:,} comparisons, "
        f"{misprints} misprints. One case in full: zermelo lectures CASE"
    )


# ---- one of them --------------------------------------------------------------------------------------------------


def _print_one(outcome: Outcome) -> None:
    from rich.text import Text

    from zermelo.cli import screen
    from zermelo.teaching.lectures.cases import lectures as all_lectures

    out, case = screen.console(), outcome.case
    out.print(Text(case.id, "bold").append(f": {case.title}", "not bold"))
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
    for each in case.misprints:
        text = f"{each.where}: {each.printed}; right: {each.right}" + (f" ({each.why})" if each.why else "")
        facts.append(("misprint", text))
    screen.facts(out, [(name, value) for name, value in facts if value], bold="status")
    if outcome.checks:
        out.print()
        checks, others = _worth_showing(outcome), _agreeing(outcome)
        names = [_named(check) for check in checks]
        # On a terminal the two columns that are compared share what the others leave.
        longest = min(max(map(len, [*names, *others])), max(screen.width() // 3, 20))
        widest = min(max((screen.width() - longest - len("  differs        ")) // 2, 12), WIDEST)
        rows = [("", "the lecture", "found here", "")]
        for name, check in zip(names, checks, strict=True):
            expected, found = (_short(as_text(each), widest) for each in (check.expected, check.found))
            rows.append((_short(name, longest), expected, found, _verdict(check)))
        rows += [(words, f"{count} comparisons", "", "agrees") for words, count in others.items()]
        screen.table(out, rows)
        _print_differences(out, outcome)
    if case.has_tree:
        _print_tree(out, outcome)


def _worth_showing(outcome: Outcome) -> list[Check]:
    """The comparisons of the lecture's own way of searching, and whatever does not agree."""
    others = _agreeing(outcome)
    return [check for check in outcome.checks if check.convention not in others]


def _agreeing(outcome: Outcome) -> dict[str, int]:
    """The other conventions that the data have, if all agrees under them, and how many comparisons that were."""
    own = outcome.case.convention
    count = Counter(check.convention for check in outcome.checks if check.convention)
    differ = {check.convention for check in outcome.checks if check.status != "agrees"}
    searched = set(outcome.case.data.get("expected", ())) - differ
    return {words: n for words, n in count.items() if words in searched and not own.startswith(words)}


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
    out.print(text(trace(tree, outcome.case.convention), options, columns))


def _named(check: Check) -> str:
    return f"{check.what}, {check.convention}" if check.convention else check.what


def _verdict(check: Check) -> str:
    return f"{check.status}: {check.note}" if check.note else check.status


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"


def as_text(value: Any) -> str:
    """Plain data of a comparison in the way that people write it.

    >>> as_text({"A": ["-inf", 3], "B": -5})
    'A [-∞, 3]; B -5'
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return {"-inf": "-∞", "+inf": "+∞"}.get(value, value)
    if isinstance(value, dict):
        if "pruned_children" in value:
            return f"{' '.join(value['pruned_children'])} at {value['at']} ({value['alpha']}, {value['beta']})"
        if "node" in value:
            bounds = (f"{sign}={as_text(value[key])}" for key, sign in (("alpha", "α"), ("beta", "β")) if key in value)
            return f"{value['node']} {' '.join(bounds)}"
        return "; ".join(f"{key} {as_text(each)}" for key, each in value.items())
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(each, int) or each in ("-inf", "+inf") for each in value):
            return f"[{as_text(value[0])}, {as_text(value[1])}]"
        return ("; " if any(isinstance(each, (dict, list)) for each in value) else " ").join(
            map(as_text, value)
        ) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
