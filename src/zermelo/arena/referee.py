"""The referee of one game: whose turn it is, whether moves are legal and in time, and why the game ends.

    play(job) -> GameRecord

The referee owns the game state; players receive immutable values. A player that fails loses the game, with its failure
as the termination, and nothing else is affected.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TypeVar

from zermelo import __version__
from zermelo.arena.adjudication import Adjudicator
from zermelo.arena.game_record import (
    BY_RULES,
    NO_PROGRESS,
    REPETITION,
    RESIGNED,
    TOO_MANY_MOVES,
    GameJob,
    GameRecord,
    MoveReport,
)
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.arena.players.specs import player_for
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import PositionHistory
from zermelo.errors import IllegalMove, ZermeloError
from zermelo.sandbox.failure import ProgramFailure, Reason

A = TypeVar("A")
T = TypeVar("T")

#: Points of MAX by the sign of the utility.
POINTS = {MAX: 1.0, 0: 0.5, MIN: 0.0}
#: Index of a side's player in a job.
PLAYER_INDEX = {MAX: 0, MIN: 1}


def play(
    job: GameJob,
    on_move: Callable[[State, int], None] | None = None,
    players: Sequence[Player | None] = (None, None),
) -> GameRecord:
    """Play a game.

    Parameters
    ----------
    job : GameJob
        The game to play.
    on_move : callable, optional
        Called with the state and the move before each move is made.
    players : pair of Player or None
        Players of MAX and MIN to use instead of the job's specs; they are closed at the end.

    Returns
    -------
    GameRecord

    Raises
    ------
    ZermeloError
        The job itself is invalid: an unknown game or player, or an illegal opening.
    """
    from zermelo import registry

    cls = registry.load(job.game)
    seated: list[Player] = []
    with ExitStack() as stack:
        for spec, player in zip(job.players, players, strict=True):
            seated.append(player or player_for(cls, spec))
            stack.callback(seated[-1].close)
        return _Game(cls, job, seated, on_move).run()


def seed_of(*parts: object) -> int:
    """Derive a seed from other values: the same on every machine, 48 bits so that JSON keeps it exactly."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])


def dice_for(job: GameJob) -> random.Random:
    """Return the random generator of a game's chance events after the opening."""
    return random.Random(seed_of("dice", job.seed))


def chance_move(state: State, dice: random.Random) -> int:
    """Draw the next chance event by its probability."""
    moves, weights = zip(*state.outcomes(), strict=True)
    move: int = dice.choices(moves, weights)[0]
    return move


@dataclass(frozen=True)
class _End:
    """The end of a game and its reason."""

    points: float
    termination: str
    detail: str = ""
    forfeited_by: int | None = None


@dataclass
class _Game:
    """A game in progress."""

    cls: type[State]
    job: GameJob
    players: Sequence[Player]
    on_move: Callable[[State, int], None] | None
    state: State = field(init=False)
    history: list[State] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    reports: list[MoveReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        job = self.job
        self.state = self.cls.parse(job.start) if job.start else self.cls.start()
        # Only games with a repetition rule need the history.
        self.positions = PositionHistory([self.state] if self.state.draw_at_repetition else ())
        self.dice = dice_for(job)
        self.clocks = [Clock.of(TimeControl.parse(text)) for text in job.controls]
        for move in job.opening:
            self._check_opening(move)
            self._make(move, MoveReport())

    def run(self) -> GameRecord:
        """Play from the end of the opening to the end of the game."""
        job = self.job
        start = self.history[0] if self.history else self.state
        started_at, clock = time.time(), time.monotonic()
        end = self._start_players(start)
        adjudicator = Adjudicator(self.cls, job.adjudication) if job.adjudication else None
        while end is None:
            end = self._end_by_rules()
            if end is None and adjudicator is not None:
                verdict = adjudicator.after_move(self.state, self._before(), self.reports)
                end = _End(verdict.points, verdict.termination, verdict.detail) if verdict else None
            if end is None:
                end = self._ply()
        for player in self.players:
            player.game_over()
        record = GameRecord(
            job=job,
            moves=tuple(self.moves),
            points=end.points,
            utility=int(self.state.utility()) if self.state.is_over() else None,
            termination=end.termination,
            detail=end.detail,
            forfeited_by=end.forfeited_by,
            reports=tuple(self.reports),
            versions=(self.players[0].version, self.players[1].version),
            referee_version=__version__,
            started_at=round(started_at, 3),
            seconds=round(time.monotonic() - clock, 6),
        )
        for player in self.players:
            player.show_result(record, self.state)
        return record

    # ---- the course of a game -------------------------------------------------------------------------------

    def _start_players(self, start: State) -> _End | None:
        for side, index in PLAYER_INDEX.items():
            setup = GameSetup(start, side, seed_of("player", self.job.seed, self.job.number, side))
            failure = self._call(index, self.players[index].new_game, setup)
            if isinstance(failure, ProgramFailure):
                return self._forfeit(index, failure)
        return None

    def _end_by_rules(self) -> _End | None:
        """Return the end if the game is over. A draw that a player may claim counts as claimed."""
        state = self.state
        if state.is_over():
            utility = state.utility()
            return _End(POINTS[(utility > 0) - (utility < 0)], BY_RULES, state.termination())
        occurrences = self.positions.occurrences[-1] if state.draw_at_repetition else 1
        if 0 < state.draw_at_repetition <= occurrences:
            return _End(0.5, REPETITION, f"the position occurred {occurrences} times")
        if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
            return _End(0.5, NO_PROGRESS, f"{state.reversible_plies()} plies without progress")
        if len(self.moves) >= self.job.max_plies:
            return _End(0.5, TOO_MANY_MOVES, f"{len(self.moves)} plies")
        return None

    def _ply(self) -> _End | None:
        """Make one move: a chance event, or the move of the side to move."""
        side = self.state.to_move()
        if side == CHANCE:
            self._make(chance_move(self.state, self.dice), MoveReport())
            return None
        index = PLAYER_INDEX[side]
        clock = self.clocks[index]
        visible = clock.facing(self.clocks[1 - index])
        turn = Turn(self.state, tuple(self.history), tuple(self.moves), visible, self._before())
        start = time.perf_counter()
        choice = self._call(index, self.players[index].choose, turn)
        seconds = time.perf_counter() - start
        if isinstance(choice, ProgramFailure):
            return self._forfeit(index, choice)
        if clock.limit is not None and seconds > clock.deadline:
            detail = f"took {seconds:.3f} s for a move, had {max(clock.limit, 0):.3f} s left"
            return self._forfeit(index, ProgramFailure(Reason.OUT_OF_TIME, detail))
        if choice.resigned:
            return _End(float(index), RESIGNED)
        if choice.move not in self.state.moves():
            return self._forfeit(index, ProgramFailure(Reason.ILLEGAL, self._illegal_move(choice)))
        self.clocks[index] = clock.after(seconds)
        self._make(choice.move, MoveReport(index, round(seconds, 6), choice.nodes, choice.depth, choice.score))
        return None

    def _call(self, index: int, method: Callable[[A], T], argument: A) -> T | ProgramFailure:
        """Return a player's answer or its failure; any exception of an external player is a failure."""
        try:
            return method(argument)
        except ProgramFailure as failure:
            return failure
        except ZermeloError:
            raise
        except Exception as error:
            if not self.players[index].is_external:
                raise
            return ProgramFailure(Reason.CRASH, f"{type(error).__name__}: {error}")

    def _before(self) -> PositionHistory:
        """Return the history before the current state."""
        return self.positions.without_last() if len(self.positions) else self.positions

    def _make(self, move: int, report: MoveReport) -> None:
        if self.on_move is not None:
            self.on_move(self.state, move)
        self.history.append(self.state)
        self.moves.append(move)
        self.reports.append(report)
        self.state = self.state.play(move)
        if self.state.draw_at_repetition:
            self.positions.push(self.state)

    # ---- failures -------------------------------------------------------------------------------------------

    def _forfeit(self, index: int, failure: ProgramFailure) -> _End:
        return _End(float(index), str(failure.reason), failure.detail[:1000], index)

    def _illegal_move(self, choice: PlayResult) -> str:
        names = " ".join(map(self.state.move_name, self.state.legal_moves()))
        return f"move {choice.move} in {self.state}; legal: {names}"[:400]

    def _check_opening(self, move: int) -> None:
        if self.state.is_over() or move not in self.state.legal_moves():
            raise IllegalMove(f"opening of game {self.job.number}: move {move} is illegal in {self.state}")
