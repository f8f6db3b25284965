"""Files of solved positions, so that an interrupted `zermelo solve` continues: JSON Lines.

    {"solve": 1, "game": "othello", "each": false, ...}
    {"of": "--XXXXX... X", "result": {"position": ..., "value": 18, ...}}

A line is added after each position. A last line without its end, which a kill may leave, is removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zermelo import formatting
from zermelo._util.resume_files import ResumeFile
from zermelo._util.user_files import shown_path
from zermelo.cli import arguments
from zermelo.core.game import MIN, State
from zermelo.errors import FormatError, ZermeloError
from zermelo.sandbox.messages import MAX_INT64, array, finite, int64, integer, mapping, optional, record, text

VERSION = 1
_TRICKS = integer(0, 13)
_LONGEST = 1 << 20
_REQUIRED = {"position", "nodes", "seconds"}
#: Shapes of all that a result may have.
_SHAPES = {
    "position": text(_LONGEST),
    "value": int64,
    "moves": mapping(text(_LONGEST), int64, 1 << 20),
    "plies": integer(0, 1 << 31),
    "move_plies": mapping(text(_LONGEST), optional(integer(0, 1 << 31)), 1 << 20),
    "tricks": _TRICKS,
    "table": mapping(text(1), mapping(text(2), _TRICKS, 5), 4),
    "par": record(score=int64, contracts=array(text(20), 100)),
    "wld": lambda value: value is True,
    "players": array(text(1000), 2),
    "book": lambda value: value is True,
    "nodes": integer(0, MAX_INT64),
    "seconds": finite(0, 1e15),
}


class SolvedFile(ResumeFile):
    """A file of results, read on opening and then extended. Use it as a context manager.

    Raises
    ------
    FormatError
        If the file is not a file of results, or one with other options.
    FileError
        If the file cannot be read or written.
    """

    def __init__(self, path: str, cls: type[State], options: Mapping[str, Any]) -> None:
        self._cls, self._options = cls, options
        # By the text of the position, with the numbers of the lines.
        self._results: dict[str, tuple[int, dict[str, Any]]] = {}
        super().__init__(path, {"solve": VERSION, **options}, "results")

    def get(self, text: str) -> dict[str, Any] | None:
        """Return the result of a position, or None. Raises `FormatError` if it does not fit the position."""
        if text not in self._results:
            return None
        number, result = self._results[text]
        try:
            fits = self._fits(text, result)
        except ZermeloError:
            fits = False
        if not fits:
            self._refuse(number)
        return result

    def add(self, text: str, result: dict[str, Any]) -> None:
        """Append the result of a position."""
        self._append({"of": text, "result": result})

    def _check_header(self, data: Any, header: Mapping[str, Any]) -> None:
        if not isinstance(data, dict) or data.get("solve") != VERSION:
            raise ValueError
        if data != header:
            raise FormatError(
                f"{shown_path(self._path)}: results of another game or other options; use the same options or another "
                "file"
            )

    def _keep(self, data: Any, number: int) -> None:
        of, result = data["of"], data["result"]
        if not isinstance(of, str) or not isinstance(result, dict) or not result.keys() >= _REQUIRED:
            raise ValueError
        if not all(_SHAPES[name](value) for name, value in result.items()):
            raise ValueError
        self._results[of] = number, result

    def _fits(self, text: str, result: dict[str, Any]) -> bool:
        """Whether a result is one of a position: its fields, moves and bounds."""
        options = self._options
        state = arguments.position(self._cls, text, options["moves"])
        wld = options.get("wld", False)
        known: dict[str, Any] = {"position": str(state)}
        if wld:
            known |= {"wld": True, "players": list(formatting.players(state))}
        if any(name not in result or result[name] != value for name, value in known.items()):
            return False
        found = {name: value for name, value in result.items() if name not in known.keys() | _REQUIRED}
        if options["game"] == "bridge" and "book" not in found:
            from zermelo.cli import solve_bridge

            return solve_bridge.is_result(found, state, options["dealer"], options["vulnerable"])
        has_moves = options["each"] and not state.is_over()
        names = [state.move_name(move) for move in state.legal_moves()] if has_moves else []
        has_score = self._cls.has_solved_score and not wld
        optional_names = {"book", *(["plies"] if has_score or not has_moves else [])}
        if has_moves and has_score:
            optional_names.add("move_plies")
        if found.keys() - optional_names != {"value", *(["moves"] if has_moves else [])}:
            return False
        moves = found.get("moves", {})
        if "move_plies" in found and {name: plies is None for name, plies in found["move_plies"].items()} != {
            name: value == 0 for name, value in moves.items()
        }:
            return False
        best = min if state.to_move() == MIN else max
        most = 1 if wld else self._cls.max_utility
        return (
            list(moves) == names
            and all(-most <= value <= most for value in (found["value"], *moves.values()))
            and found["value"] == best(moves.values(), default=found["value"])
        )
