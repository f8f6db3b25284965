"""Files of reviewed moves, so that an interrupted review continues: JSON Lines.

    {"review": 1, "game": "Chess", "settings": {"nodes": 200000, ...}}
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
from zermelo._util.user_files import shown_path
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import FormatError, ZermeloError
from zermelo.formats.record import Record
from zermelo.review.expected_result import expected_result
from zermelo.review.results import Candidate, MoveReview
from zermelo.review.reviewer import Settings
from zermelo.search.analysis import Score

VERSION = 1
_SIDES = {"max": MAX, "min": MIN, "chance": CHANCE}


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
        self._moves: dict[str, list[dict[str, Any]]] = {}
        header = {"review": VERSION, "game": game.__name__, "settings": settings.as_dict()}
        super().__init__(path, header, "a review")

    def known(self, record: Record) -> list[MoveReview]:
        """Return the moves of a game that the file has."""
        states = {}
        state = record.start
        for ply, step in enumerate(record.line.steps):
            states[ply] = state
            if step.move is not None:
                state = state.play(step.move)
        try:
            return [self._move(data, states[data["ply"]]) for data in self._moves.get(digest(record), [])]
        except (ZermeloError, KeyError, TypeError, ValueError):
            raise FormatError(f"{shown_path(self._path)}: a damaged review of a move; delete the file") from None

    def add(self, record: Record, move: MoveReview) -> None:
        """Append the review of a move."""
        self._append({"of": digest(record), **move.as_dict()})

    def _keep(self, data: Any, number: int) -> None:
        self._moves.setdefault(data["of"], []).append(data)

    def _check_header(self, data: Any, header: Mapping[str, Any]) -> None:
        if not isinstance(data, dict) or data.get("review") != VERSION:
            raise ValueError
        for key, expected in header.items():
            if data.get(key) != expected:
                raise FormatError(
                    f"{shown_path(self._path)}: a review with {key} {_shown(data.get(key))}, not {_shown(expected)}; "
                    "use the same options or another file"
                )

    def _move(self, data: dict[str, Any], state: State) -> MoveReview:
        evaluation = resolve_evaluation(state, self._settings.evaluation)

        def candidate(given: dict[str, Any]) -> Candidate:
            score = Score(given["value"], given["plies"], given["estimate"], given["unit"], given["expected"])
            moves, at = [], state
            for name in given["line"]:
                moves.append(at.parse_move(name))
                at = at.play(moves[-1])
            return Candidate(score, tuple(moves), tuple(given["line"]), expected_result(score, state, evaluation))

        return MoveReview(
            data["ply"],
            data["move"],
            _SIDES[data["side"]],
            candidate(data["best"]),
            candidate(data["played"]),
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
