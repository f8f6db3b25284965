"""Every kind of exercise is generated, printed, read, answered and graded alike."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import zermelo
from zermelo.core.evaluation import checked_score
from zermelo.errors import TreeError, ZermeloError
from zermelo.games.pennies import Pennies, winning
from zermelo.teaching.exercises.answer_files import answer_form, load_submissions
from zermelo.teaching.exercises.exercise import ExerciseBase
from zermelo.teaching.exercises.files import exercises_as_json, load_exercises
from zermelo.teaching.exercises.generator import GeneratedExercises, generate_exercises
from zermelo.teaching.exercises.grading import ClassGrader, Grade
from zermelo.teaching.exercises.kinds import KINDS, KindOptions, exercise_from_json, kind_of_name
from zermelo.teaching.exercises.kinds.evaluation import EvaluationExercise
from zermelo.teaching.exercises.kinds.expectiminimax import MISTAKES, _best, _values
from zermelo.teaching.exercises.kinds.game_tree import GameTreeExercise
from zermelo.teaching.exercises.kinds.items import ItemExercise
from zermelo.teaching.exercises.sheet_files import render_sheets
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.parsing import to_dict

pytestmark = pytest.mark.quick

ITEM_KINDS = [name for name in KINDS if name not in ("tree-search", "expectiminimax")]
#: A kind and options that have several variants.
SPECS: dict[str, dict[str, Any]] = {name: {} for name in ITEM_KINDS}


def generated(kind: str, seed: int = 3, variants: int = 0, **options: Any) -> GeneratedExercises[Any]:
    chosen = kind_of_name(kind)
    given = KindOptions(**options)
    chosen.check(given)
    return generate_exercises(chosen.spec(given), seed, variants=variants)


def item_exercise(kind: str, **options: Any) -> Any:
    return generated(kind, **options).exercises[0]


def grade(exercise: ExerciseBase, answer: dict[str, Any]) -> Grade:
    return ClassGrader([exercise]).grade(answer)


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_correct_answer_has_full_marks_and_the_empty_form_none(kind: str) -> None:
    exercise = item_exercise(kind)
    assert isinstance(exercise, ItemExercise)
    full = grade(exercise, exercise.correct_answer())
    assert full.problem == ""
    assert full.marks == exercise.total_marks == 20
    assert full.notes == []
    empty = grade(exercise, exercise.answer_form())
    assert empty.problem == ""
    assert empty.marks == 0
    assert [part.part for part in empty.parts] == list(KINDS[kind].parts)


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_each_wrong_entry_costs_and_has_one_remark(kind: str) -> None:
    exercise = item_exercise(kind)
    for part in exercise.parts:
        answer = exercise.correct_answer()
        entry = answer[part.name]
        if isinstance(entry, dict):
            key = next(iter(entry))
            entry[key] = [] if isinstance(entry[key], list) and isinstance(entry[key][0], str) else 987
            if isinstance(exercise.correct_answer()[part.name][key], list) and not isinstance(entry[key], list):
                entry[key] = [987, 988]
        elif isinstance(entry, list):
            answer[part.name] = [*entry, "no-such-name"]
        else:
            answer[part.name] = 987 if not isinstance(entry, str) else "no-such-name"
        result = grade(exercise, answer)
        assert result.marks < exercise.total_marks, part.name
        (graded,) = [each for each in result.parts if each.part == part.name]
        wrong = [remark for remark in graded.remarks if remark.kind != "correct"]
        assert len(wrong) <= 1
        assert graded.lost == 1 or result.notes


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_file_and_answers_survive_what_students_write(kind: str, tmp_path: Path) -> None:
    exercises = generated(kind, variants=2).exercises
    file = tmp_path / "e.json"
    file.write_text(json.dumps(exercises_as_json(exercises)))
    assert [each.as_json_with_text() for each in load_exercises(file)] == [
        each.as_json_with_text() for each in exercises
    ]
    data = exercises[0].as_json_with_text()
    data["marks"] = dict.fromkeys(data["marks"], 1)
    with pytest.raises(TreeError, match="changed since it was set"):
        exercise_from_json(data)
    for content in (
        7,
        "x",
        [1],
        {"A": []},
        {"A": {"x": [[]]}},
        [None],
        {"": ""},
        True,
        float("nan"),
        {"<b>": "\x1b[1m"},
    ):
        answer = exercises[0].answer_form() | dict.fromkeys(KINDS[kind].parts, content)
        result = grade(exercises[0], answer)
        assert result.problem == ""
        assert result.marks == 0


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_sheets_show_the_solution_only_if_asked(kind: str) -> None:
    exercise = item_exercise(kind, title="<script>Sheet</script>")
    for form in ("html", "tex"):
        blank, solved = (render_sheets([exercise], form, solution=solution) for solution in (False, True))
        assert isinstance(blank, str)
        assert isinstance(solved, str)
        assert "<script>" not in blank
        for _, question, _ in exercise.questions:
            assert form == "tex" or question.split("(")[0] in blank
        assert exercise.id in blank
        assert ": solution" not in blank
        assert ": solution" in solved


def test_evaluation_is_that_of_the_position() -> None:
    for game, name in (("tictactoe", "lines"), ("othello", "wdiff"), ("checkers", "linear"), ("chess", "material")):
        exercise = item_exercise("evaluation", game=game, plies=5 if game == "tictactoe" else 24)
        if name != exercise.evaluation:
            exercise = item_exercise("evaluation", game=game, evaluation=name, plies=24)
        assert isinstance(exercise, EvaluationExercise)
        answer = exercise.correct_answer()
        known = exercise.position.evaluations[name]
        assert answer["evaluation"] == checked_score(known, exercise.position) == sum(answer["points"].values())
    tictactoe = item_exercise("evaluation", game="tictactoe", position="XO-/-X-/---")
    assert tictactoe.statement[0].startswith("Compute the evaluation E(s) of the position of Tic-tac-toe by hand.")
    assert tictactoe.statement[0].endswith("; noughts are to move.")
    start = zermelo.load("othello").start()
    given = item_exercise("evaluation", position=str(start.after("f5")), evaluation="diff")
    assert given.correct_answer() | {"exercise": "", "schema": ""} == {
        "schema": "", "exercise": "", "student": "",
        "max": {"discs": 4}, "min": {"discs": 1}, "points": {"discs": 3}, "evaluation": 3,
    }  # fmt: skip
    with pytest.raises(TreeError, match=r"positional has \d+ terms; .*; choose material"):
        item_exercise("evaluation", game="chess", evaluation="positional")


def test_game_tree_of_the_lecture() -> None:
    exercise = item_exercise("game-tree", position="7")
    assert isinstance(exercise, GameTreeExercise)
    answer = exercise.correct_answer()
    assert answer["successors"]["7"] == ["4-3", "5-2", "6-1"]
    assert len(answer["values"]) == 14
    for name, value in answer["values"].items():
        state, _ = exercise.graph[name]
        assert isinstance(state, Pennies)
        assert (value == state.turn) == winning(state.piles())
    assert grade(exercise, answer | {"best": ["1+6", "5-2", "4-3", "3-4", "2-2"]}).parts[2].marks == Fraction(8, 3)
    # Positions may be written in any form that the game reads.
    other = {"values": {"+".join(reversed(name.split("-"))): value for name, value in answer["values"].items()}}
    assert grade(exercise, answer | other).marks == 20
    extra = answer["values"] | {"2-2-2-2-2": 1}
    (part,) = [each for each in grade(exercise, answer | {"values": extra}).parts if each.part == "values"]
    assert (part.correct, part.lost) == (14, 1)
    with pytest.raises(TreeError, match="more than 40 positions"):
        item_exercise("game-tree", game="tictactoe", position="---------")


def test_answers_in_text_and_csv(tmp_path: Path) -> None:
    exercise = item_exercise("game-tree", position="4-2", parts=["successors", "best"])
    (tmp_path / "a.txt").write_text(
        f"exercise: {exercise.id}\nstudent: Ada\nsuccessors: 2-4 = 3-2-1; 3-2-1: 2-2-1-1\nbest: 1-2-3\n"
    )
    (tmp_path / "b.csv").write_text("student,successors.4-2,successors.3-2-1,best\nAda,3-2-1,2-2-1-1,3-2-1\n")
    for submission in load_submissions([tmp_path / "a.txt", tmp_path / "b.csv"], [exercise]):
        result = grade(exercise, submission.data)
        assert (submission.problem, result.problem, result.notes) == ("", "", [])
        assert result.marks == exercise.total_marks
    for suffix in (".txt", ".csv"):
        form = tmp_path / f"form{suffix}"
        form.write_text(answer_form([item_exercise("evaluation")], suffix))
        (blank,) = load_submissions([form], [item_exercise("evaluation")])
        assert (blank.problem, grade(item_exercise("evaluation"), blank.data).marks) == ("", 0)


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_hostile_exercise_files_are_refused_in_one_line(kind: str) -> None:
    exercise = item_exercise(kind)
    answer, data = exercise.correct_answer(), exercise.as_json()
    numbers = (None, True, -1, 10**40, 1.5, float("nan"))
    errors = []
    for key, content in product(data, (*numbers, "", "x" * 5_000, "\x1b[2J", "<script>", [], [[]], {}, {"a": []})):
        try:
            changed = exercise_from_json(data | {key: content})
            render_sheets([changed], "html", solution=True)
            grade(changed, answer | {"exercise": changed.id})
        except ZermeloError as error:
            errors.append(str(error))
    assert len(errors) > 20
    assert all(len(error) < 500 and error.isprintable() for error in errors)


@pytest.mark.parametrize("kind", [kind for kind in ITEM_KINDS if "tree" in KINDS[kind].options])
def test_trees_without_values_are_a_problem_of_the_exercise(kind: str) -> None:
    exercise = item_exercise(kind)
    tree = Tree([node._replace(value=None) for node in exercise.tree])
    changed = exercise_from_json(exercise.as_json() | {"tree": to_dict(tree)})
    problem = grade(changed, exercise.correct_answer() | {"exercise": changed.id}).problem
    assert "has no value" in problem


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_long_entries_are_read_in_linear_time(kind: str) -> None:
    exercise = item_exercise(kind)
    for text in (" " * 60_000, "," * 60_000, "a" * 60_000, "=" * 60_000, "[" * 60_000, "A=1," * 15_000, "B " * 30_000):
        result = grade(exercise, exercise.answer_form() | dict.fromkeys(KINDS[kind].parts, text))
        assert result.marks < exercise.total_marks
        assert all(len(note) < 500 for note in result.notes)


def test_probabilities_decide_expectiminimax() -> None:
    exercises = generated("expectiminimax", variants=4, depth=(2, 3)).exercises
    assert len({each.id for each in exercises}) == 4
    for exercise in exercises:
        tree = exercise.searched_tree
        best = _best(tree, minimax_values(tree))
        assert exercise.solution.best == best
        assert all(_best(tree, _values(tree, combine)) != best for combine in MISTAKES.values())


def test_options_and_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TreeError, match="--convention does not apply to the kind evaluation"):
        generated("evaluation", convention=zermelo.teaching.tree.Convention.of("strict"))
    with pytest.raises(TreeError, match="--game does not apply to the kind tree-search"):
        generated("tree-search", game="othello")
    with pytest.raises(TreeError, match=r"unknown kind of exercise 'evaluaton'.*did you mean evaluation"):
        kind_of_name("evaluaton")
    with pytest.raises(TreeError, match="unknown part 'windows'; the parts of game-tree are successors, values, best"):
        generated("game-tree", parts=["windows"])
    exercise = generated("game-tree").exercises[0].as_json()
    (tmp_path / "game.py").write_text("raise SystemExit('loaded')")
    for game in (str(tmp_path / "game.py"), f"{tmp_path / 'game.py'}:Game", "kuhn", None, 7):
        with pytest.raises(TreeError, match=r"unknown game|hidden information|expected a name"):
            exercise_from_json(exercise | {"game": game})
    with pytest.raises(TreeError, match="unknown kind 'x'"):
        exercise_from_json({"schema": "zermelo-exercise/1", "kind": "x"})
