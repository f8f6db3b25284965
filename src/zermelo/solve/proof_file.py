"""Proof files: a forced win, position by position, and its check.

A proof file is JSON Lines in UTF-8. The first line is an object with "format" ("zermelo-proof-1"), "game", "position"
and "winner" (1 for MAX, -1 for MIN). Each other line is a list: a position with the winner to move, as text, and the
move, in the game's notation.

The check plays the game by its rules and uses nothing of the search that found the proof: from the position on, it
follows the file's move where the winner moves and every legal move where the other side does. All lines must end in a
won game, contain no cycle, and reach no position often enough for a draw by repetition.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, NamedTuple

from zermelo._util import atomic_files
from zermelo._util.text import quoted
from zermelo._util.user_files import read_text, shown_path
from zermelo.core.game import State
from zermelo.errors import FormatError, ZermeloError

FORMAT = "zermelo-proof-1"
#: The largest file that is read.
MAX_BYTES = 1 << 30
# Positions checked between two reports.
REPORT = 1_000


def write_proof(path: str | PathLike[str], root: State, winner: int, positions: Iterable[tuple[State, int]]) -> int:
    """Write a proof, completely or not at all. Returns the number of the winner's positions.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    count = 0
    with atomic_files.writing(shown_path(path)) as file:
        head = {"format": FORMAT, "game": type(root).__name__, "position": str(root), "winner": winner}
        file.write((json.dumps(head) + "\n").encode())
        for state, move in positions:
            file.write((json.dumps([str(state), state.move_name(move)]) + "\n").encode())
            count += 1
    return count


class Checked(NamedTuple):
    """Progress of the check of a proof."""

    root: State
    winner: int
    #: The positions that are checked, of both sides.
    positions: int


def check_proof(path: str | PathLike[str], game: type[State]) -> Iterator[Checked]:
    """Check a proof file. Yields how far it is, from time to time and at the end.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a proof file, or does not prove the win; names the position.
    """
    name = shown_path(path)
    lines = read_text(path, MAX_BYTES).splitlines()
    try:
        head = json.loads(lines[0])
        is_valid = head["format"] == FORMAT and head["winner"] in (1, -1) and isinstance(head["position"], str)
        moves = dict(map(json.loads, lines[1:]))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        is_valid = False
    if not is_valid or not all(isinstance(each, str) for pair in moves.items() for each in pair):
        raise FormatError(f"{name} is not a proof file ({FORMAT})")
    if head.get("game") != game.__name__:
        raise FormatError(f"{name}: this proof is for the game {quoted(str(head.get('game')))}, not {game.__name__}")
    try:
        root = game.parse(head["position"])
    except ZermeloError as error:
        raise FormatError(f"{name}: {error}") from None
    winner = int(head["winner"])
    checked = 0
    for checked in _check(root, winner, moves, name):
        if checked % REPORT == 0:
            yield Checked(root, winner, checked)
    yield Checked(root, winner, checked)


def _check(root: State, winner: int, moves: dict[str, str], name: str) -> Iterator[int]:
    """Follow all lines of a proof, depth first. Yields the number of positions checked."""
    graph: dict[State, list[State]] = {}  # the positions that are done, with those that follow
    on_path: set[State] = set()
    stack: list[tuple[State, list[State], int]] = []

    def enter(state: State) -> None:
        if state.is_over():
            if state.utility() * winner <= 0:
                raise FormatError(f"{name}: the game ends without the win in {state}")
            return
        if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
            raise FormatError(f"{name}: a draw can be claimed in {state}")
        if state in graph:
            return
        if state in on_path:
            raise FormatError(f"{name}: the lines of the proof go round in a circle by {state}")
        on_path.add(state)
        stack.append((state, _children(state, winner, moves, name), 0))

    enter(root)
    while stack:
        state, children, next_child = stack[-1]
        if next_child < len(children):
            stack[-1] = state, children, next_child + 1
            enter(children[next_child])
            continue
        stack.pop()
        on_path.discard(state)
        graph[state] = children
        yield len(graph)
    _check_repetition(graph, name)


def _check_repetition(graph: dict[State, list[State]], name: str) -> None:
    """Check that no line of the proof reaches a position often enough for a draw by repetition.

    No line contains a cycle, so the position must differ in its reversible plies each time.
    """
    alike: dict[Any, list[State]] = {}
    for state in graph:
        alike.setdefault(state.repetition_key(), []).append(state)
    for key, states in alike.items():
        limit = states[0].draw_at_repetition
        if not 0 < limit <= len(states):
            continue
        longest: dict[State, int] = {}  # of the lines from a position, how often they have the key
        # With the most reversible plies first: a line leads from fewer to more.
        for state in sorted(states, key=lambda each: -each.reversible_plies()):
            left, seen, most = list(graph[state]), set(), 0
            while left:
                child = left.pop()
                if child in seen or child not in graph or child.reversible_plies() <= state.reversible_plies():
                    continue
                seen.add(child)
                most = max(most, longest.get(child, 0))
                left += graph[child]
            longest[state] = most + 1
            if longest[state] >= limit:
                raise FormatError(f"{name}: a line has the position of {state} (key {key}) {limit} times")


def _children(state: State, winner: int, moves: dict[str, str], name: str) -> list[State]:
    """The positions that follow: by the proof's move, or by every legal move."""
    if state.to_move() != winner:
        return [state.play(move) for move in state.legal_moves()]
    text = str(state)
    if text not in moves:
        raise FormatError(f"{name}: no move for {text}")
    try:
        return [state.play(state.parse_move(moves[text]))]
    except ZermeloError as error:
        raise FormatError(f"{name}: {text}: {error}") from None
