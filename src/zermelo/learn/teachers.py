"""Teachers: programs whose scores or games are the labels of positions. They run as separate processes.

gnubg                    GNU Backgammon, cubeless equity of its networks
gnubg-nn                 the same networks from the Python package gnubg-nn, which answers faster
gnubg:plies=1            one roll ahead
uci:depth=3:stockfish    a UCI chess engine that searches each position to depth 3; `nodes=N` limits the nodes instead
gtp:gtp-rhino -l 3       a GTP engine of Othello or Go, which plays the games itself; their results are the labels
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, Self

from zermelo._util.text import quoted
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.errors import UnknownGame, ZermeloError
from zermelo.games.backgammon import Backgammon
from zermelo.learn.gtp_teacher import PREFIX as GTP
from zermelo.learn.gtp_teacher import GtpTeacher
from zermelo.learn.uci_teacher import PREFIX, Labelled, UciTeacher
from zermelo.protocols.engine_commands import GAMES_FOLDERS
from zermelo.sandbox.failure import ProgramFailure
from zermelo.sandbox.program import Program, ProgramLimits

_SCRIPT = Path(__file__).with_name("gnubg_script.py")
#: Seconds for the answer to a line, at 2 plies some positions a second; and of processor time in all.
_SECONDS, _PROCESSOR = 600.0, 1e7
#: Positions of a line.
_LINE = 200
_MOST_PLIES = 3
_NAMES = ("gnubg", "gnubg-nn")


class Teacher(Protocol):
    """A program that labels positions by its scores."""

    @property
    def labels_random_moves(self) -> bool:
        """Whether it is also given the position after a random move at each turn."""
        ...

    def labels(self, states: Sequence[Any], evaluation: Evaluation) -> list[list[Labelled]]:
        """The labels of each position, and of positions after its moves; scores in units of an evaluation."""
        ...


class Gnubg:
    """GNU Backgammon. Use it as a context manager.

    Parameters
    ----------
    name : str
        `gnubg`, or `gnubg-nn`.
    plies : int
        Rolls that it looks ahead, 0 to 3.
    """

    def __init__(self, name: str = "gnubg", plies: int = 0) -> None:
        self._name, self._plies, self._asked = name, plies, 0
        self.labels_random_moves = True

    @classmethod
    def of(cls, spec: str) -> Self:
        """The teacher of a spec such as `gnubg:plies=2`; raises `UnknownGame` if it is malformed."""
        return cls(*_gnubg_options(spec, Backgammon))

    def __enter__(self) -> Self:
        self._program = Program(
            _command(self._name),
            ProgramLimits(start=60.0, processor=_PROCESSOR),
            environment={**os.environ, "ZERMELO_PLIES": str(self._plies), "ZERMELO_TEACHER": self._name},
            name=self._name,
        )
        self._program.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._program.__exit__(None, None, None)

    def equities(self, states: Sequence[Backgammon]) -> list[float]:
        """The equities of positions before a roll, for the sides that roll.

        Raises
        ------
        ZermeloError
            The program fails.
        """
        found: list[float] = []
        try:
            for first in range(0, len(states), _LINE):
                part = states[first : first + _LINE]
                self._asked += 1  # Ctrl-C may have left an unread answer to an earlier question
                self._program.send(" ".join([str(self._asked), *(str(state).partition(":")[0] for state in part)]))
                line = self._program.receive(_SECONDS)
                while not line.startswith(f"equities {self._asked} "):
                    line = self._program.receive(_SECONDS)
                values = [float(word) for word in line.split()[2:]]
                if len(values) != len(part):
                    raise ZermeloError(f"teacher failed: {len(part)} positions, but {len(values)} answers")
                found += values
        except ProgramFailure as failure:
            raise ZermeloError(f"teacher failed: {self._name}: {failure}") from None
        except ValueError:
            raise ZermeloError(f"teacher failed: {quoted(line)} are not equities") from None
        return found

    def labels(self, states: Sequence[Backgammon], evaluation: Evaluation) -> list[list[Labelled]]:
        """The labels of positions before a roll: the equities of MAX in units of an evaluation."""
        equities = self.equities(states)
        return [
            [Labelled(state, round(state.turn * equity * evaluation.unit), -1)]
            for state, equity in zip(states, equities, strict=True)
        ]


def _command(name: str) -> list[str]:
    """The command that runs GNU Backgammon or the package gnubg-nn. Raises `ZermeloError` if it is not installed."""
    if name == "gnubg":
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), *GAMES_FOLDERS])
        found = shutil.which("gnubg", path=path)
        if found is None:
            raise ZermeloError("teacher not found: gnubg is not on PATH or in /usr/games; install GNU Backgammon")
        return [found, "-t", "-q", "-p", str(_SCRIPT)]
    if find_spec("gnubg_nn") is None:
        raise ZermeloError("teacher not found: the package gnubg-nn is not installed; run: pip install gnubg-nn")
    return [sys.executable, str(_SCRIPT)]


def check_teacher(spec: str, cls: type[State]) -> None:
    """Raise an exception if the spec of a teacher is malformed or its program cannot be found.

    Raises
    ------
    UnknownGame
        For another spec, or for a game that the teacher does not play.
    ZermeloError
        If the program is not installed.
    LimitError
        If a limit or an engine's option is malformed.
    """
    if spec.startswith(PREFIX):
        UciTeacher(spec.removeprefix(PREFIX), cls)
    elif spec.startswith(GTP):
        GtpTeacher(spec.removeprefix(GTP), cls)
    else:
        _command(_gnubg_options(spec, cls)[0])


def _gnubg_options(spec: str, cls: type[State]) -> tuple[str, int]:
    """Return the name and the plies of a spec of GNU Backgammon."""
    name, _, option = spec.partition(":")
    known = {"": 0, **{f"plies={plies}": plies for plies in range(_MOST_PLIES + 1)}}
    if name not in _NAMES or option not in known:
        raise UnknownGame(
            f"unknown teacher {quoted(spec)}; expected gnubg or gnubg-nn, and :plies=N from 0 to 3, "
            "or uci:depth=N:COMMAND, or gtp:COMMAND"
        )
    if cls is not Backgammon:
        raise UnknownGame(f"{name} teaches backgammon only (got {cls.__name__})")
    return name, known[option]


@cache
def teacher(spec: str, cls: type[State]) -> Teacher | GtpTeacher:
    """The teacher of this process, started on first use; it ends with the process."""
    if spec.startswith(GTP):
        return GtpTeacher(spec.removeprefix(GTP), cls).__enter__()
    if spec.startswith(PREFIX):
        return UciTeacher(spec.removeprefix(PREFIX), cls).__enter__()
    return Gnubg(*_gnubg_options(spec, cls)).__enter__()
