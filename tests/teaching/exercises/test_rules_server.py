"""The game server: answers to a program's questions, and the record of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from zermelo.sandbox.messages import InvalidMessage, decode
from zermelo.teaching import tree
from zermelo.teaching.exercises.rules_server import QUESTIONS, GameServer

pytestmark = pytest.mark.quick


def test_questions_of_a_game() -> None:
    server = GameServer(tree.read('{"id": "A", "evaluation": 7, "children": [{"id": "B", "value": 2.5}, [3, 4]]}'))
    assert server.answer(["is_over", 0]) is False
    assert server.answer(["to_move", 0]) == 1
    assert server.answer(["moves", 0]) == [0, 1]
    assert server.answer(["evaluate", 0]) == 7
    assert server.answer(["play", 0, 0]) == 1
    assert server.answer(["play", 0, 1]) == 2
    assert server.answer(["play", 0, 0]) == 1  # the same state again
    assert server.answer(["utility", 1]) == 2.5
    assert server.answer(["evaluate", 1]) == 2.5  # a finished game's evaluation is its utility
    assert server.answer(["to_move", 1]) is None
    assert server.answer(["moves", 1]) == []
    assert server.answer(["name", 1]) == "B"
    assert server.answer(["to_move", 2]) == -1
    assert server.answer(["evaluate", 2]) == 0
    assert list(server.generated) == [0, 1, 2]
    assert list(server.searched) == [0, 1, 2]
    assert server.plays == 3
    assert server.stop_reason is None


def test_generated_states_are_not_searched() -> None:
    server = GameServer(tree.read("[[1,2],[3,4]]"))
    for move in (0, 1):
        server.answer(["play", 0, move])
    server.answer(["show", 2])  # printing a state does not count as searching it
    assert list(server.generated) == [0, 1, 4]
    assert list(server.searched) == []


def test_chance_node() -> None:
    server = GameServer(tree.read(":chance[1/4*8, 3/4*[0, 1]]"))
    assert server.answer(["to_move", 0]) == 0
    assert server.answer(["outcomes", 0]) == [[0, 0.25], [1, 0.75]]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (["utility", 0], "the game is not over"),
        (["outcomes", 0], "not a chance node"),
        (["play", 0, 2], "illegal move 2; moves(state) returns [0, 1]"),
        (["play", 0, -1], "illegal move -1"),
    ],
)
def test_invalid_arguments(question: list[Any], message: str) -> None:
    server = GameServer(tree.read("[1,2]"))
    assert message in server.answer(question)["error"]
    assert server.stop_reason is None


@pytest.mark.parametrize(
    "question",
    [
        [], ["moves"], ["moves", 0, 0], ["moves", -1], ["moves", True], ["moves", "0"], ["moves", None],
        ["play", 0], ["play", 0, "0"], ["play", 0, True], ["play", 0, 0, 0], ["steal", 0], [["moves"], 0], [None, 0],
        [{}, 0], ["moves", 0.0], ["moves", [0]], ["play", 0, 1 << 63], ["moves", 10**3000],
    ],
)  # fmt: skip
def test_invalid_questions(question: list[Any]) -> None:
    with pytest.raises(InvalidMessage):
        decode(json.dumps(question), QUESTIONS)


def test_a_state_that_was_not_generated() -> None:
    server = GameServer(tree.read("[1,2]"))
    assert server.answer(["moves", 1]) is None
    assert server.stop_reason == "asked about state 1, which play has not returned"
    assert not server.searched


def test_too_many_states() -> None:
    server = GameServer(tree.read("[1,2]"))
    for _ in range(server.max_plays):
        assert server.answer(["play", 0, 0]) == 1
    assert server.answer(["play", 0, 0]) is None
    assert server.stop_reason == "generated more than 560 states; the whole tree has 3"


def test_too_many_questions() -> None:
    server = GameServer(tree.read("[1,2]"))
    while server.stop_reason is None:
        server.answer(["moves", 0])
    assert server.questions == 20 * 560 + 1
    assert "more than 11,200 questions" in server.stop_reason
