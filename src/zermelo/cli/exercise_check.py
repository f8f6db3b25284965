"""`zermelo exercise check`: runs students' programs in a sandbox, marks them and diagnoses errors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json
from zermelo._util.user_files import STDIN, input_name, read_input, read_text, shown_path
from zermelo.cli import arguments, describe_fault, screen
from zermelo.cli.class_results import end_class, list_class, write_files
from zermelo.errors import FileError, LimitError, ZermeloError

if TYPE_CHECKING:
    from zermelo.teaching.exercises.check_report import CaseResult, CheckReport

#: Maximum size of a file with a seed, in bytes.
_LONGEST_SEED = 100

Files = Annotated[list[Path], typer.Argument(metavar="FILE.py...", hidden=True)]


def check(
    files: Files,
    function: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="alphabeta, minimax or expectiminimax. Default: the first that the file defines; or max_value and "
            "min_value.",
        ),
    ] = None,
    convention: Annotated[
        str,
        typer.Option(metavar="WORDS", help="equal: cut when the value equals the bound; strict: only beyond it."),
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Random seed of the test cases, visible to other programs. Default: random."),
    ] = None,
    seed_file: Annotated[
        str, typer.Option(metavar="FILE", help="Read the seed from a file, or from standard input with -.")
    ] = "",
    cases: Annotated[int, typer.Option(metavar="N", help="Number of test cases.")] = 20,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit per case in seconds.")] = 2.0,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Memory limit per case: 256M, 1G.")] = "256M",
    csv: Annotated[str, typer.Option(metavar="FILE", help="Also write a CSV file, one row per program.")] = "",
    gradescope: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Also write Gradescope's results.json; with several programs use {} in the name.",
        ),
    ] = "",
    visibility: Annotated[
        str,
        typer.Option(metavar="WHEN", help="Gradescope visibility: visible, after_published, after_due_date or hidden."),
    ] = "visible",
    require_sandbox: arguments.RequireSandbox = False,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Check students' search programs on random trees and small games.

    Each FILE.py defines alphabeta(game, state, depth) or minimax, or max_value and min_value; a folder stands for its
    .py files. Each case runs in its own process with limits; a hang, a crash or too much memory costs the marks of that
    case only.
    """
    from zermelo.sandbox.sandboxed_script import ScriptLimits
    from zermelo.search.table import parse_size
    from zermelo.teaching.exercises.checking import ProgramError, check_source, read_program
    from zermelo.teaching.exercises.gradescope import VISIBILITIES

    programs = _programs(files)
    if visibility not in VISIBILITIES:
        raise LimitError(f"visibility {visibility[:40]!r} is not one of {', '.join(VISIBILITIES)}")
    if gradescope and len(programs) > 1 and "{}" not in Path(gradescope).name:
        raise LimitError(f"{gradescope}: results.json is of one program; with {len(programs)} put {{}} into its name")
    for name in filter(None, (csv, gradescope)):
        if not Path(name).parent.is_dir():  # report now, not after all programs have run
            raise LimitError(f"{name}: folder not found: {Path(name).parent}")
    chosen_seed = _read_seed(seed, seed_file)
    limits = ScriptLimits(seconds=seconds, memory=parse_size(memory, "memory"), require_sandbox=require_sandbox)
    if programs == files[:1]:
        read_program(files[0])  # the only file is named: an error, not a report
    reports: list[CheckReport] = []
    faults: list[str] = []
    is_interrupted = False
    try:
        with screen.Progress("checking", quiet, compiles=False) as progress:
            for number, file in enumerate(programs, 1):
                name = shown_path(file.name)
                doing = f"{name} ({number} of {len(programs)})" if len(programs) > 1 else f"checking {name}"
                check_one = partial(
                    check_source,
                    file,
                    function=function,
                    convention=convention,
                    seed=chosen_seed,
                    cases=cases,
                    limits=limits,
                    progress=lambda done, steps, doing=doing: progress.begin(doing, done, steps),  # type: ignore[misc]
                )
                try:
                    source: bytes | ProgramError = read_program(file)
                except FileError as error:  # the others are checked
                    source = ProgramError(str(error))
                try:
                    reports.append(check_one(source))
                except Exception as error:
                    if isinstance(error, ZermeloError) and not reports:  # an option, or the machine: the same for all
                        raise
                    fault = describe_fault(error)
                    faults.append(f"{name}: {fault}")
                    reports.append(check_one(ProgramError(fault)))
    except KeyboardInterrupt:
        if not reports:
            raise
        is_interrupted = True
    left = len(programs) - len(reports)
    unwritten = write_files(_files(reports, programs, csv, gradescope, visibility))
    if as_json:
        print_json({"programs": [report.as_json() for report in reports], "interrupted": is_interrupted})
    elif len(reports) == 1 and not is_interrupted:
        _print_one(reports[0])
    else:
        _print_class(reports)
    end_class(faults, unwritten, f"{formatting.plural(left, 'program')} not checked" if is_interrupted else "")


def _read_seed(seed: int | None, seed_file: str) -> int:
    """Seed of the cases: given, from a file, or drawn. Raises `LimitError`."""
    from zermelo.teaching.exercises.checking import draw_seed

    if not seed_file:
        return draw_seed() if seed is None else seed
    if seed is not None:
        raise LimitError("--seed and --seed-file cannot be combined")
    text = read_input(_LONGEST_SEED) if seed_file == STDIN else read_text(seed_file, _LONGEST_SEED)
    if not (text.isascii() and text.strip().isdigit()):
        raise LimitError(f"{input_name(seed_file)}: expected a seed, an integer from 0 to 2^64 - 1")
    return int(text)


def _programs(files: list[Path]) -> list[Path]:
    """The programs that are given, folders opened. Raises `LimitError`."""
    programs: list[Path] = []
    for file in files:
        inside = list_class(file, ".py") if os.path.isdir(file) else [file]
        if not inside:
            raise LimitError(f"{shown_path(file)}: no .py files in this folder")
        programs += inside
    return programs


# ---- for people -------------------------------------------------------------------------------------------------


def _print_one(report: CheckReport) -> None:
    from zermelo.teaching.exercises.check_report import MARKS

    out = screen.console()
    if report.failure is None:
        rows = [("case", "about", *MARKS, "remarks"), *map(_row, report.results)]
        screen.table(out, rows)
        out.print()
    share = f"{report.points} of {report.max_points}"
    parts = ", ".join(f"{name} {report.part(name)}/{len(report.applicable) * most}" for name, most in MARKS.items())
    facts = [
        ("program", f"{report.file}: {report.call}"),
        ("asked", f"{report.task}; seed {report.seed}"),
        ("marks", share if report.failure else f"{share}: {parts}"),
        ("failure", report.failure or ""),
        *(("diagnosis", str(explanation)) for explanation in report.diagnosis),
        *(("note", note) for note in report.notes),
        ("limits", report.limits_text),
        ("see", _command(report)),
    ]
    screen.facts(out, [(name, value) for name, value in facts if value], bold="marks")


def _command(report: CheckReport) -> str:
    """Command that shows the correct search of the smallest tree that went wrong."""
    attempt = report.smallest_wrong_case
    if attempt is None:
        return ""
    from zermelo.teaching.tree.parsing import to_brackets

    cut = "" if report.convention.cut == "equal" else f" {report.convention.cut}"
    return f"zermelo tree trace '{to_brackets(attempt.wrong_variant.case.tree)}' --convention '{report.function}{cut}'"


def _row(attempt: CaseResult) -> tuple[str, ...]:
    from zermelo.teaching.exercises.check_report import MARKS

    marks = [str(mark) if mark and attempt.applies else "-" for mark in attempt.marks.values()]
    about = f"{attempt.case.about}"
    assert len(marks) == len(MARKS)
    return (attempt.case.name.removeprefix("case "), about, *marks, "; ".join(attempt.remarks()) or "right")


def _print_class(reports: list[CheckReport]) -> None:
    out = screen.console()
    screen.table(out, [("program", "function", "marks", "finding"), *map(_summary, reports)])
    out.print()
    best = sum(report.points == report.max_points for report in reports)
    facts = [
        ("programs", formatting.count(len(reports))),
        ("all right", formatting.count(best)),
        ("limits", _walls(reports)),
    ]
    screen.facts(out, [(name, value) for name, value in facts if value])


def _summary(report: CheckReport) -> tuple[str, ...]:
    finding = report.failure or "; ".join(mistake.title for mistake in report.mistakes)
    if not report.failure and report.unanswered:
        finding += ("; " if finding else "") + f"no answer in {formatting.plural(report.unanswered, 'case')}"
    right = "right" if report.points == report.max_points else "nothing known explains it"
    return (report.file, report.function, f"{report.points}/{report.max_points}", finding or right)


def _walls(reports: list[CheckReport]) -> str:
    return next((report.limits_text for report in reports if report.sandbox_limits), "")


# ---- for programs -----------------------------------------------------------------------------------------------

_COLUMNS = (
    "file",
    "function",
    "marks",
    "max_marks",
    "value",
    "move",
    "states",
    "order",
    "unanswered",
    "mistakes",
    "failure",
)


def _files(
    reports: list[CheckReport], programs: list[Path], csv: str, gradescope: str, visibility: str
) -> Iterator[tuple[str, str]]:
    """The files to write: paths and contents."""
    from zermelo.teaching.exercises.files import unique_names

    if csv:
        yield csv, _csv(reports)
    if gradescope:
        for report, name in zip(reports, unique_names(programs), strict=False):  # some may not have been checked
            content = json.dumps(report.as_gradescope(visibility), ensure_ascii=False, indent=1)
            yield gradescope.replace("{}", name), content + "\n"


def _csv(reports: list[CheckReport]) -> str:
    from zermelo._util.csv_files import csv_text
    from zermelo.teaching.exercises.check_report import MARKS

    rows: list[Sequence[Any]] = [_COLUMNS]
    for report in reports:
        mistakes = " ".join(mistake.id for mistake in report.mistakes)
        parts = [report.part(name) for name in MARKS]
        row = [report.file, report.function, report.points, report.max_points, *parts, report.unanswered, mistakes]
        rows.append([*row, report.failure or ""])
    return csv_text(rows)
