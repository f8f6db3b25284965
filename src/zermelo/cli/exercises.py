"""`zermelo exercise new`, `sheet` and `grade`: sets and prints exercises, grades answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments, tree_source

if TYPE_CHECKING:
    from zermelo.teaching.exercises.exercise import Exercise
    from zermelo.teaching.exercises.grading import Grade
    from zermelo.teaching.tree.numbers import Number

OptionalTree = Annotated[str, typer.Argument(metavar="[TREE]", hidden=True)]
Solution = Annotated[bool, typer.Option("--solution", help="Include the solution.")]

#: Maximum number of answers per call.
MOST_ANSWERS = 5_000


def new(
    tree: OptionalTree = "",
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Output file (JSON). Default: standard output."),
    ] = "",
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
    plies: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Depth limit of the search in plies; inner nodes there are evaluated."),
    ] = None,
    ask: Annotated[
        str,
        typer.Option(
            metavar="PARTS", help="Parts to ask for: values, windows, cuts, order, best. Default: all that apply."
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
    deep_cut: Annotated[
        bool, typer.Option("--deep-cut", help="Require a deep cutoff (by a bound from above the parent).")
    ] = False,
    allow_ties: Annotated[
        bool, typer.Option("--allow-ties", help="Allow several best moves; the sheet says that the first counts.")
    ] = False,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the sheet.")] = "",
    sheet: Annotated[str, typer.Option(metavar="FILE", help="Also write the sheet: .html, .pdf or .tex.")] = "",
    solution: Solution = False,
    answer_template: Annotated[str, typer.Option(metavar="FILE", help="Also write an empty answer form.")] = "",
) -> None:
    """Generate exercises on a random tree or a given TREE.

    With variants, {} in a file name writes one file per exercise: -o 'e-{}.json'.
    """
    from zermelo.cli.encoding import print_as_file
    from zermelo.errors import TreeError
    from zermelo.teaching.exercises.answers import answer_template as blank_form
    from zermelo.teaching.exercises.exercise import PARTS, allocate_marks
    from zermelo.teaching.exercises.files import exercises_as_json, load_students
    from zermelo.teaching.exercises.generator import ExerciseSpec, generate_exercises
    from zermelo.teaching.tree.convention import Convention
    from zermelo.teaching.tree.random_trees import parse_range

    conventions = Convention.of(convention)
    parts = ask.replace(",", " ").split() or [
        part for part in PARTS if conventions.prunes or part not in ("windows", "cuts")
    ]
    if root == "chance" and not ask:
        parts.remove("best")
    if len(title) > 200 or (title and not title.isprintable()):
        raise TreeError("--title must be at most 200 printable characters")
    if students is not None and variants:
        raise TreeError("new: --students and --variants cannot be combined")
    spec = ExerciseSpec(
        convention=conventions,
        marks=allocate_marks(parts, _marks(marks)),
        tree=tree_source.read_tree(tree) if tree else None,
        branching=parse_range("branching", branching),
        depth=parse_range("depth", depth),
        values=parse_range("values", values),
        ties=ties,
        root=root,
        chance=chance,
        search_depth=plies,
        deep_cut=deep_cut,
        allow_ties=allow_ties,
        title=title,
    )
    names = [] if students is None else load_students(students)
    setting = generate_exercises(spec, seed, variants=variants, students=names)
    exercises = setting.exercises
    for exercise in exercises:
        exercise.solution  # noqa: B018 - report a missing leaf value now, not when grading
    for note in setting.notes[:10]:
        print(f"note: {note}", file=sys.stderr)
    if len(setting.notes) > 10:
        print(f"note: ... and of {len(setting.notes) - 10} more variants", file=sys.stderr)

    def as_text(some: Sequence[Exercise]) -> str:
        return json.dumps(exercises_as_json(some), ensure_ascii=False, indent=1)

    if answer_template and len(exercises) > 1 and "{}" not in Path(answer_template).name:
        raise TreeError(f"{answer_template}: a form is for one exercise; put {{}} into its name, for a file each")
    if sheet:
        _write_sheets(sheet, exercises, solution)
    if answer_template:
        _write(answer_template, exercises, lambda some: json.dumps(blank_form(some[0]), ensure_ascii=False, indent=1))
    if output:
        _write(output, exercises, as_text)
    else:
        print_as_file(as_text(exercises) + "\n")


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
    _write_sheets(output, exercises, solution)


def _write_sheets(path: str, exercises: Sequence[Exercise], solution: bool) -> None:
    from zermelo.cli import screen
    from zermelo.teaching.exercises.sheet_files import render_sheets, sheet_format

    form = sheet_format(path)
    done = 0

    def watch() -> None:
        nonlocal done
        done += 1
        progress.begin(f"sheet {done} of {len(exercises)}", done - 1, len(exercises))

    with screen.Progress("sheets", compiles=False) as progress:
        _write(path, exercises, lambda some: render_sheets(some, form, solution=solution, progress=watch))


def _write(path: str, exercises: Sequence[Exercise], made: Callable[[Sequence[Exercise]], str | bytes]) -> None:
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

    EXERCISE.json was written by `exercise new`. Each ANSWER is a file, or a folder of .json files. An unreadable answer
    gets no marks; the others are graded.
    """
    from zermelo._util.atomic_files import write
    from zermelo.errors import FileError, TreeError
    from zermelo.teaching.exercises import answers, report
    from zermelo.teaching.exercises.files import load_exercises, unique_names
    from zermelo.teaching.exercises.gradescope import VISIBILITIES
    from zermelo.teaching.exercises.grading import ClassGrader, Grade

    if visibility not in VISIBILITIES:
        raise TreeError(f"visibility {visibility[:40]!r} is not one of {', '.join(VISIBILITIES)}")
    if len(paths) < 2:
        raise TreeError("grade: the exercise's file, then at least one answer or a folder of answers")
    exercises = load_exercises(paths[0])
    found = _answers(paths[1:])
    if gradescope and len(found) > 1 and "{}" not in Path(gradescope).name:
        raise TreeError(f"{gradescope}: results.json is of one answer; with {len(found)} put {{}} into its name")
    graders = ClassGrader(exercises)
    grades: list[Grade] = []
    for path in found:
        try:
            grades.append(graders.grade(answers.load_answer(path), str(path)))
        except (TreeError, FileError) as error:
            grades.append(Grade("", "", graders.max_marks, source=str(path), problem=str(error)))
    by_student = {grade.student.casefold() for grade in grades}
    absent = [each for each in exercises if each.student and each.student.casefold() not in by_student]
    _note_doubles(grades)
    if csv:
        write(csv, report.grades_csv(grades, absent))
    if gradescope:
        for grade, name in zip(grades, unique_names(found), strict=True):
            results = report.grade_as_gradescope(grade, visibility=visibility, solution=solution is True)
            write(gradescope.replace("{}", name), json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    if as_json:
        print(json.dumps(report.class_as_json(grades, absent, solution=solution is not False)))
        return
    _print(grades, absent, len(grades) == 1 if remarks is None else remarks, solution is not False)


def _answers(paths: Sequence[Path]) -> list[Path]:
    """The files of the answers, folders opened."""
    from zermelo.errors import TreeError

    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(path.glob("*.json"))
        if not inside:
            raise TreeError(f"{path}: no .json files in this folder")
        found += inside
    if len(found) > MOST_ANSWERS:
        raise TreeError(f"{len(found):,} answers; at most {MOST_ANSWERS:,} are graded at once")
    return found


def _note_doubles(grades: Sequence[Grade]) -> None:
    """Tell of students who handed in more than one answer to an exercise."""
    first: dict[tuple[str, str], Any] = {}
    for grade in grades:
        if grade.student and not grade.problem:
            other = first.setdefault((grade.student.casefold(), grade.exercise), grade)
            if other is not grade:
                grade.notes.append(f"{grade.student} has also handed in {other.source}")


def _print(grades: Sequence[Grade], absent: Sequence[Exercise], with_remarks: bool, solution: bool) -> None:
    from rich.text import Text

    from zermelo.cli import screen
    from zermelo.teaching.exercises.exercise import PARTS, format_marks
    from zermelo.teaching.exercises.grading import CORRECT
    from zermelo.teaching.exercises.report import count_mistakes

    out = screen.console()
    for grade in grades if with_remarks else ():
        who = grade.student or grade.source
        of = f"exercise {grade.exercise}" + (f", variant {grade.variant}" if grade.variant else "")
        head = Text(f"{who}: {format_marks(grade.marks)} of {format_marks(grade.max_marks)}", "bold")
        out.print(head.append(f"  ({of})" if grade.exercise else "", "not bold"))
        if grade.problem:
            out.print(f"  not graded: {grade.problem}\n")
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
            out.print(
                f"  {'possibly ' if len(grade.diagnoses) > 1 else ''}{diagnosis.mistake.id}: {diagnosis.sentence}"
            )
        for note in grade.notes:
            out.print(f"  note: {note}")
        out.print()
    if len(grades) > 1 or absent:
        if not with_remarks:
            names = [part for part in PARTS if any(part == each.part for grade in grades for each in grade.parts)]
            table = [("student", "marks", "of", *names, "what happened")]
            for grade in grades:
                by_part = {part.part: format_marks(part.marks) for part in grade.parts}
                happened = grade.problem or " or ".join(diagnosis.mistake.title for diagnosis in grade.diagnoses)
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
