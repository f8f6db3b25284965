"""`zermelo exercise new`, `sheet` and `grade`: sets and prints exercises, grades answers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line, write_data
from zermelo._util.user_files import list_folder, shown_path
from zermelo.cli import arguments, tree_source

if TYPE_CHECKING:
    from zermelo.teaching.exercises.exercise import ExerciseBase
    from zermelo.teaching.exercises.generator import GeneratedExercises
    from zermelo.teaching.exercises.grading import Grade
    from zermelo.teaching.exercises.variants import Spread
    from zermelo.teaching.tree.numbers import Number

OptionalTree = Annotated[str, typer.Argument(metavar="[TREE]", hidden=True)]
Solution = Annotated[bool, typer.Option("--solution", help="Include the solution.")]
Mode = Annotated[
    str,
    typer.Option(
        metavar="practice|exam",
        help="HTML sheet: check entries and give hints (default), or save the answer only, without a solution inside.",
    ),
]


def new(
    tree: OptionalTree = "",
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Kind of exercise: tree-search, expectiminimax, evaluation, game-tree, iterative-deepening, pvs, "
            "transpositions or star1.",
        ),
    ] = "tree-search",
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Output file (JSON). Default: standard output."),
    ] = "",
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="KIND", help="Format of the output file: json, or html, pdf or tex for sheets."
        ),
    ] = "json",
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same exercises.")] = 0,
    branching: Annotated[str, typer.Option(metavar="B or A..B", help="Children per node.")] = "2..3",
    depth: Annotated[str, typer.Option(metavar="D or A..B", help="Depth of the leaves in plies.")] = "3",
    values: Annotated[str, typer.Option(metavar="A..B", help="Range of the leaf values.")] = "-9..9",
    ties: Annotated[bool, typer.Option(help="Allow equal leaf values.")] = True,
    root: Annotated[
        str, typer.Option(metavar="PLAYER", help="Player to move at the root: max, min or chance.")
    ] = "max",
    chance: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="SHARE", help="Fraction of inner nodes that are chance nodes, 0 to 1."),
    ] = 0.0,
    convention: tree_source.ConventionWords = "",
    game: Annotated[str, typer.Option(metavar="GAME", help="Game of the kinds evaluation and game-tree.")] = "",
    evaluation: arguments.EvaluationName = None,
    plies: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Depth limit of the search in plies; inner nodes there are evaluated. With --game: number of random "
            "moves before the position.",
        ),
    ] = None,
    ask: Annotated[
        str,
        typer.Option(
            metavar="PARTS",
            help="Parts to ask for: values, windows, cuts, order, best, or those of the kind. Default: all that apply.",
        ),
    ] = "",
    marks: Annotated[str, typer.Option(metavar="PART=N,...", help="Marks per part: values=6,best=1.")] = "",
    variants: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of variants; 0 for one exercise without a variant number.")
    ] = 0,
    students: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Class list (one name per line, or CSV); one exercise per student."),
    ] = None,
    bounds: Annotated[
        str,
        typer.Option(
            metavar="NAME=A..B,...",
            help="Bounds on size and difficulty: nodes=20..24,cutoffs=3. Default for variants: close to a typical one.",
        ),
    ] = "",
    deep_cut: Annotated[
        bool, typer.Option("--deep-cut", help="Require a deep cutoff (by a bound from above the parent).")
    ] = False,
    allow_ties: Annotated[
        bool, typer.Option("--allow-ties", help="Allow several best moves; the sheet says that the first counts.")
    ] = False,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the sheet.")] = "",
    sheet: Annotated[str, typer.Option(metavar="FILE", help="Also write the sheet: .html, .pdf or .tex.")] = "",
    mode: Mode = "",
    solution: Solution = False,
    answer_template: Annotated[
        str, typer.Option(metavar="FILE", help="Also write an empty answer form: .json, .txt, or .csv for a class.")
    ] = "",
    as_json: arguments.Json = False,
) -> None:
    """Generate exercises on a random tree or a given TREE; other kinds also on the POSITION of a game.

    Variants are all different and of equal size and difficulty; the spread is printed. With {} in a file name each
    variant gets its own file: -o 'e-{}.json'.
    """
    from zermelo.errors import TreeError
    from zermelo.teaching.exercises.answer_files import answer_form
    from zermelo.teaching.exercises.files import exercises_as_json, load_students
    from zermelo.teaching.exercises.generator import generate_exercises
    from zermelo.teaching.exercises.kinds import KindOptions, kind_of_name
    from zermelo.teaching.exercises.variants import parse_bounds
    from zermelo.teaching.tree.convention import Convention
    from zermelo.teaching.tree.random_trees import parse_range

    if form != "json" and not output:
        raise TreeError(f"--format {form[:40]} needs a file: -o FILE")
    if len(title) > 200 or (title and not title.isprintable()):
        raise TreeError("--title must be at most 200 printable characters")
    if students is not None and variants:
        raise TreeError("new: --students and --variants cannot be combined")
    chosen = kind_of_name(kind)
    takes_position = "position" in chosen.options
    options = KindOptions(
        parts=ask.replace(",", " ").split(),
        marks=_marks(marks),
        tree=tree_source.read_tree(tree) if tree and not takes_position else None,
        position=tree if takes_position else "",
        convention=Convention.of(convention),
        branching=parse_range("branching", branching),
        depth=parse_range("depth", depth),
        values=parse_range("values", values),
        ties=ties,
        root=root,
        chance=chance,
        plies=plies,
        deep_cut=deep_cut,
        allow_ties=allow_ties,
        title=title,
        bounds=parse_bounds(bounds),
        game=game,
        evaluation=evaluation or "",
    )
    chosen.check(options)
    names = [] if students is None else load_students(students)
    setting = generate_exercises(chosen.spec(options), seed, variants=variants, students=names)
    exercises = setting.exercises
    for note in setting.notes[:10]:
        print_line(f"note: {note}", error=True)
    if len(setting.notes) > 10:
        print_line(f"note: ... and of {len(setting.notes) - 10} more variants", error=True)

    def as_text(some: Sequence[ExerciseBase]) -> str:
        spread = setting.spread if len(some) == len(exercises) else ()
        return json.dumps(exercises_as_json(some, spread), ensure_ascii=False, indent=1)

    if answer_template:
        _write(answer_template, exercises, lambda some: answer_form(some, Path(answer_template).suffix.casefold()))
    if sheet:
        _write_sheets(sheet, exercises, solution, mode)
    if form != "json":
        _write_sheets(output, exercises, solution, mode, form)
    elif not output:
        write_data(as_text(exercises) + "\n")
    else:
        _write(output, exercises, as_text)
        if as_json:
            print_json(_summary(setting))
    if setting.spread and not as_json:
        _print_spread(setting.spread, error=not output)


def _summary(setting: GeneratedExercises[ExerciseBase]) -> dict[str, Any]:
    """The ids of the exercises and the spread of their difficulty."""
    return {
        "exercises": [
            {name: getattr(each, name) for name in ("id", "variant", "student")} for each in setting.exercises
        ],
        "spread": {each.measure: each.as_json() for each in setting.spread},
        "notes": setting.notes,
    }


def _print_spread(spread: Sequence[Spread], error: bool) -> None:
    """The bounds and the spread of each measure; on standard error if the exercises are on standard output."""
    from zermelo.cli import screen

    screen.table(
        screen.console(stderr=error), [("", "bounds", "min", "median", "max"), *(each.row() for each in spread)]
    )


def _marks(text: str) -> dict[str, Number]:
    from zermelo.errors import TreeError
    from zermelo.teaching.tree.numbers import parse_number

    marks: dict[str, Number] = {}
    for word in text.replace(",", " ").split():
        part, equals, worth = word.partition("=")
        if not equals:
            raise TreeError(f"marks: {word[:40]!r}; a part and what it is worth, values=6")
        marks[part] = parse_number(worth)
    return marks


def sheet(
    exercise: Annotated[Path, typer.Argument(metavar="EXERCISE.json", hidden=True)],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to: .html, .pdf or .tex.")],
    form: Annotated[
        str, typer.Option("--format", metavar="KIND", help="html, pdf or tex. Default: by the extension of FILE.")
    ] = "",
    mode: Mode = "",
    solution: Solution = False,
    variant: Annotated[int | None, typer.Option(metavar="N", help="Only this variant.")] = None,
) -> None:
    """Print exercises: a sheet for each, with room to write, or with the solution.

    EXERCISE.json is what `exercise new` wrote. With {} in FILE's name each variant gets a file of its own.
    """
    from zermelo.errors import TreeError
    from zermelo.teaching.exercises.files import load_exercises

    exercises = load_exercises(exercise)
    if variant is not None:
        exercises = [each for each in exercises if each.variant == variant]
        if not exercises:
            raise TreeError(f"{exercise}: there is no variant {variant} in it")
    _write_sheets(output, exercises, solution, mode, form)


def _write_sheets(path: str, exercises: Sequence[ExerciseBase], solution: bool, mode: str, form: str = "") -> None:
    from zermelo.cli import screen
    from zermelo.errors import InputError
    from zermelo.teaching.exercises.sheet_files import render_sheets, sheet_format
    from zermelo.teaching.exercises.sheet_html import PRACTICE

    form = form or sheet_format(path)
    if mode and form != "html":
        raise InputError(f"--mode is for HTML sheets, not {form[:40]}")
    done = 0

    def watch() -> None:
        nonlocal done
        done += 1
        progress.begin(f"sheet {done} of {len(exercises)}", done - 1, len(exercises))

    with screen.Progress("sheets", compiles=False) as progress:
        _write(
            path,
            exercises,
            lambda some: render_sheets(some, form, solution=solution, mode=mode or PRACTICE, progress=watch),
        )


def _write(path: str, exercises: Sequence[ExerciseBase], made: Callable[[Sequence[ExerciseBase]], str | bytes]) -> None:
    """Write a file of all the exercises, or with {} in its name one for each."""
    from zermelo._util.atomic_files import write
    from zermelo.teaching.exercises.files import expand_path

    if "{}" not in Path(path).name:
        content = made(exercises)
        write(path, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")
        return
    for exercise in exercises:
        content = made([exercise])
        ended = content if isinstance(content, bytes) or content.endswith("\n") else content + "\n"
        write(expand_path(Path(path), exercise), ended)


def grade(
    paths: Annotated[list[Path], typer.Argument(metavar="EXERCISE.json ANSWER...", hidden=True)],
    csv: Annotated[str, typer.Option(metavar="FILE", help="Also write a CSV file, one row per answer.")] = "",
    gradescope: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="Also write Gradescope's results.json; with several answers use {} in the name."
        ),
    ] = "",
    visibility: Annotated[
        str,
        typer.Option(metavar="WHEN", help="Gradescope visibility: visible, after_published, after_due_date or hidden."),
    ] = "visible",
    solution: Annotated[
        bool | None,
        typer.Option(help="Show correct values in remarks. Default: yes, but not in Gradescope's file."),
    ] = None,
    remarks: Annotated[
        bool | None, typer.Option(help="Show all remarks. Default: only if there is one answer.")
    ] = None,
    as_json: arguments.Json = False,
) -> None:
    """Grade answers: marks per part, follow-through credit, diagnosis.

    EXERCISE.json was written by `exercise new`. Each ANSWER is a file (.json, .yaml, .toml, .txt), a .csv file with a
    row for each student, or a folder of files. An unreadable answer gets no marks; the others are graded.
    """
    from zermelo.cli.class_results import end_class, write_files
    from zermelo.errors import TreeError
    from zermelo.teaching.exercises import report
    from zermelo.teaching.exercises.answer_files import load_submissions, read_submission
    from zermelo.teaching.exercises.class_results import ClassResults
    from zermelo.teaching.exercises.files import load_exercises, unique_names
    from zermelo.teaching.exercises.gradescope import VISIBILITIES

    if visibility not in VISIBILITIES:
        raise TreeError(f"visibility {visibility[:40]!r} is not one of {', '.join(VISIBILITIES)}")
    if len(paths) < 2:
        raise TreeError("grade: the exercise's file, then at least one answer or a folder of answers")
    exercises = load_exercises(paths[0])
    results = ClassResults(exercises)
    answers, unread = _answers(paths[1:])
    if answers == paths[1:2]:
        read_submission(answers[0])  # the only file is named: an error, not a report
    begun = 0

    def next_answers() -> Iterator[Path]:
        nonlocal begun
        for begun, path in enumerate(answers, 1):  # noqa: B007
            yield path

    is_interrupted = False
    try:
        for submission in load_submissions(next_answers(), exercises):
            results.add(submission)
    except KeyboardInterrupt:
        if not results.names:
            raise
        is_interrupted = True
    left = len(answers) - begun + 1  # the last is perhaps not complete
    grades = results.grades[: len(results.names)]  # the last has no name if Ctrl-C came in between
    absent = [] if is_interrupted else results.absent
    if gradescope and len(grades) > 1 and "{}" not in Path(gradescope).name:
        raise TreeError(f"{gradescope}: results.json is of one answer; with {len(grades)} put {{}} into its name")

    def files() -> Iterator[tuple[str, str]]:
        if csv:
            yield csv, report.grades_csv(grades, absent)
        for grade, name in zip(grades, unique_names(results.names), strict=True) if gradescope else ():
            content = report.grade_as_gradescope(grade, visibility=visibility, solution=solution is True)
            yield gradescope.replace("{}", name), json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    unwritten = write_files(files())
    if as_json:
        found = report.class_as_json(grades, absent, solution=solution is not False)
        print_json(found | {"not_read": [shown_path(path) for path in unread], "interrupted": is_interrupted})
    else:
        with_remarks = len(grades) == 1 and not is_interrupted if remarks is None else remarks
        _print(grades, absent, with_remarks, solution is not False)
    left_out = f"{formatting.plural(left, 'file')} not graded, or not completely" if is_interrupted else ""
    end_class([], unwritten, left_out)


def _answers(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files of the answers, folders opened, and what is not read: lines on standard error name it."""
    from zermelo.cli import screen
    from zermelo.cli.class_results import list_class, note_unread
    from zermelo.errors import TreeError
    from zermelo.teaching.exercises.answer_files import SUFFIXES

    found: list[Path] = []
    unread: list[Path] = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        inside, tables = list_class(path, *SUFFIXES), list_folder(path, ".csv")
        if not inside:
            hint = f"; name {shown_path(tables[0])} on the command line" if tables else ""
            raise TreeError(f"{shown_path(path)}: no {', '.join(SUFFIXES)} files in this folder{hint}")
        found += inside
        tables = [table for table in tables if table not in paths]
        for table in tables:
            screen.console(stderr=True).print(f"{shown_path(table)} was not read: name it on the command line")
        others = [each for each in list_folder(path, *SUFFIXES, ".csv", others=True) if each not in paths]
        note_unread(path, "file", f"the name does not end in {', '.join(SUFFIXES)}", others)
        unread += [*tables, *others]
    return found, unread


def _print(grades: Sequence[Grade], absent: Sequence[ExerciseBase], with_remarks: bool, solution: bool) -> None:
    from rich.text import Text

    from zermelo.cli import screen
    from zermelo.teaching.exercises.exercise import format_marks
    from zermelo.teaching.exercises.grading import CORRECT
    from zermelo.teaching.exercises.report import count_mistakes, part_names

    out = screen.console()
    for grade in grades if with_remarks else ():
        who = grade.student or grade.source
        of = f"exercise {grade.exercise}" + (f", variant {grade.variant}" if grade.variant else "")
        head = Text(f"{who}: {format_marks(grade.marks)} of {format_marks(grade.max_marks)}", "bold")
        out.print(head.append(f"  ({of})" if grade.exercise else "", "not bold"))
        if grade.problem:
            out.print(f"  not graded: {grade.problem}")
            out.print()
            continue
        rows = [("part", "marks", "correct", "follow-through", "wrong")]
        for part in grade.parts:
            got = f"{format_marks(part.marks)} of {format_marks(part.max_marks)}"
            rows.append((part.part, got, f"{part.correct} of {part.items}", str(part.follow_through), str(part.lost)))
        screen.table(out, rows)
        for part in grade.parts:
            for remark in part.remarks:
                if remark.kind != CORRECT:
                    out.print(f"  {part.part}, {remark.kind}: {remark.full_text(solution)}")
        for diagnosis in grade.diagnoses:
            possibly = "possibly " if len(grade.diagnoses) > 1 and not diagnosis.is_joint else ""
            out.print(f"  {possibly}{diagnosis.mistake.id}: {diagnosis.sentence}")
        for note in grade.notes:
            out.print(f"  note: {note}")
        out.print()
    if len(grades) > 1 or absent or not with_remarks:
        if not with_remarks:
            names = part_names(grades)
            table = [("student", "marks", "of", *names, "what happened")]
            for grade in grades:
                by_part = {part.part: format_marks(part.marks) for part in grade.parts}
                joined = " and " if any(diagnosis.is_joint for diagnosis in grade.diagnoses) else " or "
                happened = grade.problem or joined.join(diagnosis.mistake.title for diagnosis in grade.diagnoses)
                parts = [by_part.get(name, "") for name in names]
                marks = [format_marks(grade.marks), format_marks(grade.max_marks)]
                table.append((grade.student or grade.source, *marks, *parts, happened))
            screen.table(out, table)
        counted = ", ".join(f"{id} {count}" for id, count in count_mistakes(grades).items())
        broken = sum(bool(grade.problem) for grade in grades)
        facts = [
            ("answers", f"{len(grades):,}" + (f", {broken:,} of them not readable" if broken else "")),
            ("mistakes", counted),
            ("no answer", ", ".join(exercise.student for exercise in absent)),
        ]
        screen.facts(out, [(name, value) for name, value in facts if value])
