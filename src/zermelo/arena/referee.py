"""One game, from its opening to its end: whose turn, whether the move is legal and in time, and why it is over.

    play(job) -> GameRecord

The referee has the only state that counts; players get values that cannot be changed. What a player does wrong loses
the game for that very reason, and nobody else is troubled by it.
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

#: What a game is worth for MAX, by the sign of its utility.
POINTS = {MAX: 1.0, 0: 0.5, MIN: 0.0}
#: The players' places in a job, by side.
PLACE = {MAX: 0, MIN: 1}


def play(
    job: GameJob, watch: Callable[[State, int], None] | None = None, players: Sequence[Player | None] = (None, None)
) -> GameRecord:
    """Play a game. `watch` is told of each move, with the state before it.

    `players`: those of MAX and MIN, where they are not to be made from the job's texts; they are closed at the end.
    Raises `ZermeloError` where the job itself is wrong (no such game or player, an opening that is not legal).
    """
    from zermelo import registry

    cls = registry.load(job.game)
    seated: list[Player] = []
    with ExitStack() as at_the_end:
        for text, player in zip(job.players, players, strict=True):
            seated.append(player or player_for(cls, text))
            at_the_end.callback(seated[-1].close)
        return _Game(cls, job, seated, watch).run()


def seed_of(*parts: object) -> int:
    """A seed that follows from others, the same on every machine; 48 bits, which JSON keeps exactly."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])


def dice_for(job: GameJob) -> random.Random:
    """What chance draws from in a game, beginning with its first move after the opening."""
    return random.Random(seed_of("dice", job.seed))


def chance_move(state: State, dice: random.Random) -> int:
    """The next move where chance is to move."""
    moves, weights = zip(*state.outcomes(), strict=True)
    move: int = dice.choices(moves, weights)[0]
    return move


@dataclass(frozen=True)
class _End:
    """Why a game is over."""

    points: float
    termination: str
    detail: str = ""
    forfeited_by: int | None = None


@dataclass
class _Game:
    """A game that is being played."""

    cls: type[State]
    job: GameJob
    players: Sequence[Player]
    watch: Callable[[State, int], None] | None
    state: State = field(init=False)
    history: list[State] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    reports: list[MoveReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        job = self.job
        self.state = self.cls.parse(job.start) if job.start else self.cls.start()
        # Only rules that ask for the past have it kept.
        self.past = PositionHistory([self.state] if self.state.draw_at_repetition else ())
        self.dice = dice_for(job)
        self.clocks = [Clock.of(TimeControl.parse(text)) for text in job.controls]
        for move in job.opening:
            self._check_opening(move)
            self._make(move, MoveReport())

    def run(self) -> GameRecord:
        """From the end of the opening to the end of the game."""
        job = self.job
        start = self.history[0] if self.history else self.state
        began, clock = time.time(), time.monotonic()
        end = self._seat_players(start)
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
        played = GameRecord(
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
            started_at=round(began, 3),
            seconds=round(time.monotonic() - clock, 6),
        )
        for player in self.players:
            player.show_result(played, self.state)
        return played

    # ---- the parts of a game --------------------------------------------------------------------------------

    def _seat_players(self, start: State) -> _End | None:
        for side, place in PLACE.items():
            seat = GameSetup(start, side, seed_of("player", self.job.seed, self.job.number, side))
            failure = self._asked(place, self.players[place].new_game, seat)
            if isinstance(failure, ProgramFailure):
                return self._lost_by(place, failure)
        return None

    def _end_by_rules(self) -> _End | None:
        """Whether the game is over. What a player may call a draw is one: the arena calls it at once."""
        state = self.state
        if state.is_over():
            utility = state.utility()
            return _End(POINTS[(utility > 0) - (utility < 0)], BY_RULES, state.termination())
        times = self.past.occurrences[-1] if state.draw_at_repetition else 1
        if 0 < state.draw_at_repetition <= times:
            return _End(0.5, REPETITION, f"the position came up {times} times")
        if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
            return _End(0.5, NO_PROGRESS, f"{state.reversible_plies()} plies without progress")
        if len(self.moves) >= self.job.max_plies:
            return _End(0.5, TOO_MANY_MOVES, f"{len(self.moves)} plies")
        return None

    def _ply(self) -> _End | None:
        """One move, of chance or of the player whose turn it is."""
        side = self.state.to_move()
        if side == CHANCE:
            self._make(chance_move(self.state, self.dice), MoveReport())
            return None
        place = PLACE[side]
        clock = self.clocks[place]
        shown = clock.facing(self.clocks[1 - place])
        turn = Turn(self.state, tuple(self.history), tuple(self.moves), shown, self._before())
        began = time.perf_counter()
        choice = self._asked(place, self.players[place].choose, turn)
        seconds = time.perf_counter() - began
        if isinstance(choice, ProgramFailure):
            return self._lost_by(place, choice)
        if clock.limit is not None and seconds > clock.deadline:
            late = f"{seconds:.3f} s for a move, {max(clock.limit, 0):.3f} s left"
            return self._lost_by(place, ProgramFailure(Reason.OUT_OF_TIME, late))
        if choice.resigned:
            return _End(float(place), RESIGNED)
        if choice.move not in self.state.moves():  # the game is not over, and a player moves
            return self._lost_by(place, ProgramFailure(Reason.ILLEGAL, self._told(choice)))
        self.clocks[place] = clock.after(seconds)
        self._make(choice.move, MoveReport(place, round(seconds, 6), choice.nodes, choice.depth, choice.score))
        return None

    def _asked(self, place: int, method: Callable[[A], T], argument: A) -> T | ProgramFailure:
        """What a player answers, or how it failed; whatever goes wrong around one from outside is its own doing."""
        try:
            return method(argument)
        except ProgramFailure as failure:
            return failure
        except ZermeloError:
            raise
        except Exception as error:
            if not self.players[place].is_external:
                raise
            return ProgramFailure(Reason.CRASH, f"{type(error).__name__}: {error}")

    def _before(self) -> PositionHistory:
        """What the rules ask of the game before this state."""
        return self.past.without_last() if len(self.past) else self.past

    def _make(self, move: int, said: MoveReport) -> None:
        if self.watch is not None:
            self.watch(self.state, move)
        self.history.append(self.state)
        self.moves.append(move)
        self.reports.append(said)
        self.state = self.state.play(move)
        if self.state.draw_at_repetition:
            self.past.push(self.state)

    # ---- what goes wrong ------------------------------------------------------------------------------------

    def _lost_by(self, place: int, failure: ProgramFailure) -> _End:
        return _End(float(place), str(failure.reason), failure.detail[:1000], place)

    def _told(self, choice: PlayResult) -> str:
        names = " ".join(map(self.state.move_name, self.state.legal_moves()))
        return f"move {choice.move} in {self.state}; legal: {names}"[:400]

    def _check_opening(self, move: int) -> None:
        if self.state.is_over() or move not in self.state.legal_moves():
            raise IllegalMove(f"opening of game {self.job.number}: move {move} is not legal in {self.state}")
