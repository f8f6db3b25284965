"""Files of reviewed moves, so that an interrupted review continues: JSON Lines.

    {"review": 2, "game": "Chess", "settings": {"nodes": 200000, ...}}
    {"of": "5b1f...", "ply": 41, "move": "Nf6", ...}

A line is added after each move. `of` identifies the game by its first position and its moves. A last line without its
end, which a kill may leave, is removed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zermelo._util.resume_files import ResumeFile
from zermelo._util.text import single_line
from zermelo._util.user_files import shown_path
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import FormatError, ZermeloError
from zermelo.formats.record import Record, Step
from zermelo.review.expected_result import expected_result
from zermelo.review.marks import MARKS
from zermelo.review.results import BOOK, CHANCE_MOVE, FORCED, Candidate, MoveReview
from zermelo.review.reviewer import Settings
from zermelo.sandbox import messages as shapes
from zermelo.sandbox.messages import Shape, boolean, choice, finite, integer, optional
from zermelo.search.analysis import Score

VERSION = 3
_SIDES = {"max": MAX, "min": MIN, "chance": CHANCE}

# Above the scores, losses and plies of any game.
_MOST, _MOST_PLIES = 1e15, 1 << 31


def _line_text(value: Any) -> bool:
    """A text that is printed as it is, in one line."""
    return isinstance(value, str) and single_line(value) == value


_CANDIDATE = shapes.record(
    value=optional(finite(-_MOST, _MOST)),
    plies=optional(integer(0, _MOST_PLIES)),
    estimate=optional(shapes.int64),
    unit=_line_text,
    expected=optional(finite(-_MOST, _MOST)),
    confidence=optional(integer(0, 100)),
    selective=boolean,
    result=finite(0, 1),
    line=shapes.array(_line_text, 10_000),
)
_SHAPES: dict[str, Shape] = {
    "of": shapes.text(16),
    "ply": integer(0, _MOST_PLIES),
    "move": _line_text,
    "side": choice(*_SIDES),
    "best": _CANDIDATE,
    "played": _CANDIDATE,
    "second": optional(_CANDIDATE),
    "not_judged": choice("", FORCED, BOOK, CHANCE_MOVE),
    "loss": optional(finite(0, _MOST)),
    "unit": _line_text,
    "result_loss": finite(0, 1),
    "mark": choice("", *MARKS),
    "exact": boolean,
    "only_move": boolean,
    "missed_win": boolean,
    "depth": integer(0, _MOST_PLIES),
    "nodes": integer(0, shapes.MAX_INT64),
}
_MOVE = shapes.one_of(shapes.record(**_SHAPES), shapes.record(**_SHAPES, luck=finite(-_MOST, _MOST)))


class ReviewFile(ResumeFile):
    """A file of reviewed moves, read on opening and then extended. Use it as a context manager.

    Parameters
    ----------
    path : path
        The file; made if it does not exist.
    game : type of State
        The game.
    settings : Settings
        The settings of the review.

    Raises
    ------
    FormatError
        If the file is not a file of reviewed moves, or one of another game or of other settings.
    FileError
        If the file cannot be read or written.
    """

    def __init__(self, path: str | Path, game: type[State], settings: Settings) -> None:
        self._settings = settings
        # The lines of a game, with their numbers.
        self._moves: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        header = {"review": VERSION, "game": game.__name__, "settings": settings.as_dict()}
        super().__init__(path, header, "a review")

    def known(self, record: Record) -> list[MoveReview]:
        """Return the moves of a game that the file has. Raises `FormatError` if one does not fit the game."""
        states = {}
        state = record.start
        for ply, step in enumerate(record.line.steps):
            if step.move is not None:
                states[ply] = state
                state = state.play(step.move)
        found = []
        for number, data in self._moves.get(digest(record), []):
            try:
                found.append(self._move(data, states[data["ply"]], record.line.steps[data["ply"]]))
            except (ZermeloError, LookupError, ValueError):
                self._refuse(number)
        return found

    def add(self, record: Record, move: MoveReview) -> None:
        """Append the review of a move."""
        self._append({"of": digest(record), **move.as_dict()})

    def _keep(self, data: Any, number: int) -> None:
        if not _MOVE(data):
            raise ValueError
        self._moves.setdefault(data["of"], []).append((number, data))

    def _check_header(self, data: Any, header: Mapping[str, Any]) -> None:
        if not isinstance(data, dict) or data.get("review") != VERSION:
            raise ValueError
        for key, expected in header.items():
            if data.get(key) != expected:
                raise FormatError(
                    f"{shown_path(self._path)}: a review with {key} {_shown(data.get(key))}, not {_shown(expected)}; "
                    "use the same options or another file"
                )

    def _move(self, data: dict[str, Any], state: State, step: Step) -> MoveReview:
        """Return the review of a line; raises `ValueError` or `IllegalMove` if it is not one of this move."""
        if step.move is None or data["move"] != state.move_name(step.move) or _SIDES[data["side"]] != state.to_move():
            raise ValueError
        evaluation = self._settings.evaluation_of(state)

        def candidate(given: dict[str, Any]) -> Candidate:
            if given["value"] is not None and given["estimate"] is not None:
                raise ValueError
            score = Score(given["value"], given["plies"], given["estimate"], given["unit"], given["expected"])
            moves, at = [], state
            for name in given["line"]:
                moves.append(at.parse_move(name))
                if at.move_name(moves[-1]) != name:
                    raise ValueError
                at = at.play(moves[-1])
            result = expected_result(score, state, evaluation)
            return Candidate(score, tuple(moves), tuple(given["line"]), result, given["confidence"])

        best, played = candidate(data["best"]), candidate(data["played"])
        line = () if data["side"] == "chance" else (step.move,)
        if played.moves[:1] != line or len(best.moves[:1]) != len(line):
            raise ValueError
        return MoveReview(
            data["ply"],
            data["move"],
            _SIDES[data["side"]],
            best,
            played,
            candidate(data["second"]) if data["second"] else None,
            data["not_judged"],
            data["loss"],
            data["unit"],
            data["result_loss"],
            data["mark"],
            data["only_move"],
            data["missed_win"],
            data.get("luck"),
            data["depth"],
            data["nodes"],
        )


def digest(record: Record) -> str:
    """Return a text that identifies a game by its first position and its moves."""
    content = json.dumps([str(record.start), [step.text for step in record.line.steps]])
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def _shown(value: Any) -> str:
    return (
        ", ".join(f"{name} {each}" for name, each in value.items() if each) if isinstance(value, dict) else str(value)
    )
