"""A UCI chess engine as a teacher: its scores of short searches are the labels of positions."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from zermelo._util.text import quoted
from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.errors import IllegalMove, LimitError, UnknownGame, ZermeloError
from zermelo.games.chess import Chess, notation
from zermelo.learn.engine_teacher import SECONDS, EngineTeacher
from zermelo.protocols.engine_commands import read_command
from zermelo.protocols.uci_client import BestMove, GoCommand, UciClient, parse_bestmove, parse_info
from zermelo.sandbox.program import Program

#: The spec of a UCI teacher is this and the command of an engine.
PREFIX = "uci:"
#: The search of a position, if the spec has no limit: a quiet position needs no deep search.
_DEPTH = 3
_LIMIT = re.compile("[1-9][0-9]{0,8}")
_MULTIPV = re.compile(" multipv ([0-9]{1,3})")


class Labelled(NamedTuple):
    """A position with its label: the score from MAX's side and the best move, -1 if it is unknown."""

    state: Any
    score: int
    best: int


class UciTeacher(EngineTeacher):
    """A UCI engine.

    Parameters
    ----------
    text : str
        Command of the engine with its options, as `zermelo.protocols.engine_commands` describes them. `depth=N` or
        `nodes=N` among them limits the search of a position; `batch=N` sends N positions at once, for engines that read
        a command only when they have carried out the one before.
    cls : type of State
        The game; it must be chess.

    Raises
    ------
    UnknownGame
        The game is not chess, or the program was not found.
    LimitError
        The spec is malformed.
    """

    def __init__(self, text: str, cls: type[State]) -> None:
        if not issubclass(cls, Chess):
            raise UnknownGame(f"uci: engines teach chess only (got {cls.__name__})")
        options, limits, command = read_command(text)
        super().__init__(text, command, limits)
        own = {name: _number(name, value) for name, value in options if name in ("depth", "nodes", "batch")}
        self._batch = own.pop("batch", 1)
        self._go = GoCommand(**own) if own else GoCommand(depth=_DEPTH)
        self._options = [(name, value) for name, value in options if name not in ("depth", "nodes", "batch")]
        self._has_lines = any(name.casefold() == "multipv" for name, _ in self._options)
        # The side to move is better after a random move, and a network would learn that it always is.
        self.labels_random_moves = False
        self._is_legal = native(_is_legal, cls.start(), 0)
        self._play_legal = native(_play_legal, cls.start(), 0, 0)

    def _begin(self, program: Program) -> None:
        self._uci = UciClient(program)
        self._uci.initialize()
        for name, value in self._options:
            self._uci.set_option(name, value)

    def labels(self, states: Sequence[Chess], evaluation: Evaluation) -> list[list[Labelled]]:
        """The scores of positions from white's side, in centipawns, and their best moves.

        With the option MultiPV, the positions after the best moves follow each position. The engine forgets earlier
        positions first. The score of a mate is larger than any other.

        Raises
        ------
        ZermeloError
            The engine fails.
        """
        with self._running():
            self._uci.new_game()
            found = []
            for first in range(0, len(states), self._batch):
                batch = states[first : first + self._batch]
                self._uci.send("\n".join(f"position fen {state}\n{self._go}" for state in batch))
                found += [self._label(state) for state in batch]
            return found

    def _label(self, state: Chess) -> list[Labelled]:
        """The labels of a position. Of the lines about the search only the last ones are read, because most are not."""
        deadline = time.monotonic() + SECONDS
        scored: dict[str, str] = {}
        while not (line := self._uci.next_line(deadline)).startswith("bestmove"):
            if " score " in line and "bound" not in line:
                found = _MULTIPV.search(line)
                scored[found[1] if found else "1"] = line
        reply = BestMove()
        parse_bestmove(line, reply)
        lines = [parse_info(_MULTIPV.sub("", line)) for line in scored.values()]
        best = next(iter(lines), None)
        if best is None or best.score is None or not reply.move:
            raise ZermeloError(f"teacher failed: {self.name}: no {'move' if scored else 'score'} in {state}")
        labels = [Labelled(state, state.turn * best.score, self._move(state, reply.move))]
        for info in lines if self._has_lines else ():
            if info is not None and info.score is not None and len(info.pv) > 1:
                labels.append(self._after(state, state.turn * info.score, *info.pv[:2]))
        return labels

    def _after(self, state: Chess, score: int, first: str, second: str) -> Labelled:
        """The label of the position after a move, whose best move is the second one."""
        move, reply = _number_of(first), _number_of(second)
        child, is_known = self._play_legal(state, move, reply)
        if not is_known:
            child = state.play(self._move(state, first))
            reply = self._move(child, second)
        return Labelled(child, score, reply)

    def _move(self, state: Chess, text: str) -> int:
        """A move of the engine. Almost all are found without a list of the legal moves in Python."""
        move = _number_of(text)
        if self._is_legal(state, move):
            return move
        try:
            return notation.parse_move(state, text)
        except IllegalMove as error:
            raise ZermeloError(f"teacher failed: {self.name}: {error} in {state}") from None


def _number(name: str, value: str) -> int:
    if not _LIMIT.fullmatch(value):
        raise LimitError(f"{name}={quoted(value)}: expected an integer from 1")
    return int(value)


def _number_of(text: str) -> int:
    """The number of a move that is not castling."""
    promotion = notation.PROMOTIONS.index(text[4:].upper() or " ")
    return notation.SQUARES.index(text[:2]) | notation.SQUARES.index(text[2:4]) << 6 | promotion << 12


def _is_legal(state: Chess, move: int) -> bool:
    for each in state.moves():
        if each == move:
            return True
    return False


def _play_legal(state: Chess, move: int, reply: int) -> tuple[Chess, bool]:
    """The position after a move, and whether that and the reply are legal."""
    for each in state.moves():
        if each == move:
            child = state.play(move)
            for other in child.moves():
                if other == reply:
                    return child, True
    return state, False
