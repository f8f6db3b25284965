"""The referee of one game: whose turn it is, whether moves are legal and in time, and why the game ends.

    play(job) -> GameRecord

The referee owns the game state; players receive immutable values. A player that fails loses the game, with its failure
as the termination, and nothing else is affected.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TypeVar

from zermelo import __version__
from zermelo.arena.adjudication import Adjudicator
from zermelo.arena.game_course import GameCourse, GameEnd, chance_move, seed_of
from zermelo.arena.game_record import RESIGNED, GameJob, GameRecord, MoveReport
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import Player, PlayResult
from zermelo.arena.players.specs import player_for
from zermelo.arena.running_games import RunningGame, entered
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import check_allowed
from zermelo.core.move_numbers import move_of, number_of
from zermelo.errors import IllegalMove, ZermeloError
from zermelo.sandbox.failure import ProgramFailure, Reason

A = TypeVar("A")
T = TypeVar("T")

#: Index of a side's player in a job.
PLAYER_INDEX = {MAX: 0, MIN: 1}
SIDES = (MAX, MIN)


def play(
    job: GameJob,
    on_move: Callable[[State, int], None] | None = None,
    players: Sequence[Player | None] = (None, None),
    *,
    require_sandbox: bool = False,
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
    require_sandbox : bool
        Do not play the game unless all restrictions of the sandbox hold in the process of each agent.

    Returns
    -------
    GameRecord

    Raises
    ------
    ZermeloError
        The job itself is invalid: an unknown game or player, or an illegal opening. Or a restriction that is required
        does not hold.
    """
    from zermelo import registry

    cls = registry.load(job.game)
    seated: list[Player] = []
    with ExitStack() as stack:
        for spec, player in zip(job.players, players, strict=True):
            seated.append(player or player_for(cls, spec, require_sandbox=require_sandbox))
            stack.callback(seated[-1].close)
        game = _Game(cls, job, seated, on_move)
        with entered(game.running):
            return game.run()


def dice_for(job: GameJob) -> random.Random:
    """Return the random generator of a game's chance events after the opening."""
    return random.Random(seed_of("dice", job.seed))


@dataclass
class _Game:
    """A game in progress."""

    cls: type[State]
    job: GameJob
    players: Sequence[Player]
    on_move: Callable[[State, int], None] | None
    course: GameCourse = field(init=False)
    reports: list[MoveReport] = field(default_factory=list)
    #: The game for those who watch it.
    running: RunningGame = field(init=False)

    def __post_init__(self) -> None:
        job = self.job
        start = self.cls.parse(job.start) if job.start else self.cls.start()
        self.course = GameCourse(start, job.max_plies)
        self.dice = dice_for(job)
        self.clocks = [Clock.of(TimeControl.parse(text)) for text in job.controls]
        self.running = RunningGame(job, self.course, self.clocks, self.reports)
        for number in job.opening:
            self._make(self._opening_move(number), MoveReport())

    def run(self) -> GameRecord:
        """Play from the end of the opening to the end of the game."""
        job = self.job
        course = self.course
        started_at, clock = time.time(), time.monotonic()
        end = self._start_players()
        adjudicator = Adjudicator(self.cls, job.adjudication) if job.adjudication else None
        while end is None:
            end = course.end()
            if end is None and adjudicator is not None:
                verdict = adjudicator.after_move(course.state, course.before(), self.reports)
                end = GameEnd(verdict.points, verdict.termination, verdict.detail) if verdict else None
            if end is None:
                end = self._ply()
        for player in self.players:
            player.game_over()
        record = GameRecord(
            job=job,
            moves=tuple(map(number_of, course.history, course.moves)),
            points=end.points,
            utility=int(course.state.utility()) if course.state.is_over() else None,
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
            player.show_result(record, course.state)
        return record

    # ---- the course of a game -------------------------------------------------------------------------------

    def _start_players(self) -> GameEnd | None:
        for side, index in PLAYER_INDEX.items():
            setup = self.course.setup(side, seed_of("player", self.job.seed, self.job.number, side))
            failure = self._call(index, self.players[index].new_game, setup)
            if isinstance(failure, ProgramFailure):
                return self._forfeit(index, failure)
        return None

    def _ply(self) -> GameEnd | None:
        """Make one move: a chance event, or the move of the side to move."""
        course = self.course
        side = course.state.to_move()
        if side == CHANCE:
            self._make(chance_move(course.state, self.dice), MoveReport())
            return None
        index = PLAYER_INDEX[side]
        clock = self.clocks[index]
        visible = clock.facing(self.clocks[1 - index])
        turn = course.turn(visible, self.job.seed)
        self.running.turn_started = time.time()
        start = time.perf_counter()
        choice = self._call(index, self.players[index].choose, turn)
        seconds = time.perf_counter() - start
        if isinstance(choice, ProgramFailure):
            return self._forfeit(index, choice)
        if clock.limit is not None and seconds > clock.deadline:
            detail = f"took {seconds:.3f} s for a move, had {max(clock.limit, 0):.3f} s left"
            return self._forfeit(index, ProgramFailure(Reason.OUT_OF_TIME, detail))
        if choice.resigned:
            return GameEnd(float(index), RESIGNED)
        if choice.move not in course.state.moves():
            return self._forfeit(index, ProgramFailure(Reason.ILLEGAL, self._illegal_move(choice)))
        try:
            check_allowed(course.state, choice.move, course.positions)
        except IllegalMove as error:
            return self._forfeit(index, ProgramFailure(Reason.ILLEGAL, str(error)))
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

    def _make(self, move: int, report: MoveReport) -> None:
        if self.on_move is not None:
            self.on_move(self.course.state, move)
        self.course.make(move)
        self.reports.append(report)

    # ---- failures -------------------------------------------------------------------------------------------

    def _forfeit(self, index: int, failure: ProgramFailure) -> GameEnd:
        other = SIDES[1 - index]
        if failure.reason is Reason.OUT_OF_TIME and not self.course.state.can_win(other):
            name = self.course.state.player_name(other)
            return GameEnd(0.5, str(failure.reason), f"{failure.detail}; a draw, because {name} cannot win"[:1000])
        return GameEnd(float(index), str(failure.reason), failure.detail[:1000], index)

    def _illegal_move(self, choice: PlayResult) -> str:
        state = self.course.state
        names = " ".join(map(state.move_name, state.legal_moves()))
        return f"move {choice.move} in {state}; legal: {names}"[:400]

    def _opening_move(self, number: int) -> int:
        """Return the move of a number in the opening. Raises `IllegalMove`."""
        try:
            move: int = move_of(self.course.state, number)
            check_allowed(self.course.state, move, self.course.positions)
        except IllegalMove as error:
            raise IllegalMove(f"opening of game {self.job.number}: {error}") from None
        return move
