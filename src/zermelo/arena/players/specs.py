"""Player specs: short texts that name players.

random                              random legal moves
diff:3                              textbook alpha-beta: an evaluation and a depth in plies; ties go to the first move
minimax:diff:3                      the same moves, without pruning
shallow:diff:3                      the same moves, by alpha-beta without deep cutoffs, as in lecture 004
sparing:diff:3                      equally good moves, with move ordering and a transposition table: fewer nodes
engine:seconds=0.1,evaluation=NAME  the engine; also depth=, nodes=, threads=, table=
human                               a person at the terminal
uci:COMMAND  gtp:COMMAND            an external program (engines.py)
python:FILE:FUNCTION                a sandboxed Python agent (agents.py)
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo._util.text import did_you_mean, quoted
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import CHANCE, State
from zermelo.errors import LimitError, SearchTimeout, UnknownGame
from zermelo.sandbox.failure import ProgramFailure, Reason

if TYPE_CHECKING:
    from zermelo.search.engine import Limits

#: Seconds per move of the engine where neither its spec nor the match sets a limit.
DEFAULT_SECONDS = 0.1
#: Default size of the engine's transposition table in a match: cheap to clear for each game.
DEFAULT_TABLE = "16M"
#: Seconds subtracted from a fixed time per move, for everything outside the search.
_OVERHEAD = 0.01

_KINDS = ("random", "minimax", "alphabeta", "shallow", "sparing", "engine", "human", "uci", "gtp", "python")


def player_for(cls: type[State], text: str) -> Player:
    """Create a player from its spec.

    Nothing is started or compiled before its first game.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        Player spec, as in the module docstring.

    Raises
    ------
    UnknownGame
        No such player, evaluation or program; the message suggests similar names.
    LimitError
        A depth, time or option is out of range.
    """
    kind, _, rest = text.partition(":")
    if kind == "random" and not rest:
        player: Player = RandomPlayer()
    elif kind == "human" and not rest:
        from zermelo.arena.players.human import HumanPlayer

        player = HumanPlayer()
    elif kind == "engine":
        player = EnginePlayer(cls, rest)
    elif kind in ("minimax", "alphabeta", "shallow", "sparing"):
        player = _textbook(cls, text, rest, kind)
    elif kind in ("uci", "gtp"):
        from zermelo.arena.players.engines import GtpPlayer, UciPlayer

        player = (UciPlayer if kind == "uci" else GtpPlayer)(cls, rest)
    elif kind == "python":
        from zermelo.arena.players.agents import PythonPlayer

        player = PythonPlayer(cls, rest)
    else:
        player = _textbook(cls, text, text, "alphabeta")
    player.text = text
    return player


def check_player(cls: type[State], text: str) -> None:
    """Check a player spec without starting anything.

    Raises
    ------
    UnknownGame
        As `player_for`, and for games with hidden information.
    LimitError
        As `player_for`.
    """
    if not cls.perfect_information:
        raise UnknownGame(
            f"{cls.__name__} has hidden information; matches need perfect information (see `zermelo equilibrium`)"
        )
    player_for(cls, text).close()


def _check_evaluation(cls: type[State], name: str, text: str) -> None:
    """Raise `UnknownGame` if a game has no evaluation of this name."""
    known = [*cls.evaluations, "nothing"]
    if name in known:
        return
    meant = did_you_mean(text.partition(":")[0], [*_KINDS, *known], "")
    suggestion = f"; {meant}" if meant else "."
    raise UnknownGame(
        f"unknown player {quoted(text)}{suggestion} Players of {cls.__name__}: {', '.join(_KINDS)}, "
        f"or an evaluation with a depth, as in {known[0]}:3: {', '.join(known)}"
    )


def _textbook(cls: type[State], text: str, rest: str, algorithm: str) -> Player:
    name, colon, depth = rest.rpartition(":")
    if not colon:
        name, depth = rest, ""
    _check_evaluation(cls, name, text)
    if not re.fullmatch(r"\d{1,3}", depth) or not 1 <= int(depth) <= 200:
        example = f"{text.rpartition(':')[0] if colon else text}:3"
        raise LimitError(f"player {quoted(text)}: the depth must be from 1 to 200 plies, as in {example}")
    return TextbookPlayer(name, int(depth), algorithm)


class RandomPlayer(Player):
    """Chooses uniformly among the legal moves."""

    def new_game(self, setup: GameSetup) -> None:
        self._random = random.Random(setup.seed)

    def choose(self, turn: Turn) -> PlayResult:
        return PlayResult(self._random.choice([*turn.state.moves()]))


class TextbookPlayer(Player):
    """A compiled textbook search to a fixed depth; of equally good moves it plays the first.

    At chance nodes it averages: expectiminimax, or Star1 in place of alpha-beta. The depth does not depend on the
    clock; a search that exceeds its time is stopped and loses the game.

    Parameters
    ----------
    evaluation : str
        Name of the evaluation.
    depth : int
        Search depth in plies.
    algorithm : str
        `minimax`, `alphabeta`, `shallow` or `sparing`.
    """

    def __init__(self, evaluation: str, depth: int, algorithm: str) -> None:
        self.text = f"{algorithm}:{evaluation}:{depth}"
        self.evaluation = evaluation
        self.depth = depth
        self.algorithm = algorithm

    def new_game(self, setup: GameSetup) -> None:
        _search_once(setup.start, self._search)

    def choose(self, turn: Turn) -> PlayResult:
        clock = turn.clock
        try:
            found = self._search(turn, seconds=clock.deadline)
        except SearchTimeout as error:
            raise ProgramFailure(
                Reason.HANG if clock.limit is None else Reason.OUT_OF_TIME, f"{self.text}: {error}"
            ) from None
        assert found.move >= 0
        return found

    def _search(self, turn: Turn, depth: int = 0, seconds: float | None = None) -> PlayResult:
        from zermelo.search.compiled_textbook import compiled_textbook

        algorithm = self.algorithm
        if turn.state.has_chance:
            algorithm = {"minimax": "expectiminimax", "alphabeta": "star1", "shallow": "star1"}.get(
                algorithm, algorithm
            )
        found = compiled_textbook(
            turn.state, depth or self.depth, self.evaluation, algorithm, turn.positions or (), seconds
        )
        return PlayResult(-1 if found.best is None else found.best, found.nodes, self.depth, found.value)


@dataclass(frozen=True)
class _Settings:
    """Options of `engine:`."""

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    evaluation: str | None = None
    threads: int = 1
    table: str = DEFAULT_TABLE


class EnginePlayer(Player):
    """The engine, within the limits of its spec and those of the match, whichever are tighter.

    Each game starts with an empty transposition table, so that games limited by depth or nodes are reproducible.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        Options `NAME=VALUE`, separated by commas.
    """

    def __init__(self, cls: type[State], text: str) -> None:
        from zermelo.search.engine import Engine, Limits

        self._settings = settings = _settings(cls, text)
        Limits(settings.depth, settings.seconds, settings.nodes)
        self._engine = Engine(settings.table, settings.threads)

    def new_game(self, setup: GameSetup) -> None:
        from zermelo.search.engine import Engine

        _search_once(setup.start, self._search)
        self._engine = Engine(self._settings.table, self._settings.threads)

    def choose(self, turn: Turn) -> PlayResult:
        return self._search(turn)

    def _search(self, turn: Turn, depth: int = 0) -> PlayResult:
        from zermelo.search.engine import Limits

        limits = Limits(depth) if depth else self._limits(turn)
        *_, found = self._engine.analysis(
            turn.state, limits, evaluation=self._settings.evaluation, history=turn.positions or ()
        )
        if found.reason == "interrupted":  # Ctrl-C stops the whole run
            raise KeyboardInterrupt
        return PlayResult(-1 if found.move is None else found.move, found.nodes, found.depth, found.score.number)

    def _limits(self, turn: Turn) -> Limits:
        from zermelo.search.engine import Limits
        from zermelo.search.timing import time_budget

        own, control, clock = self._settings, turn.clock.control, turn.clock
        depth = min((each for each in (own.depth, control.depth) if each), default=None)
        nodes = min((each for each in (own.nodes, control.nodes) if each), default=None)
        times = [own.seconds] if own.seconds else []
        if control.seconds:
            times.append(control.seconds - min(max(_OVERHEAD - control.margin, 0), control.seconds / 2))
        soft = None
        if clock.left is not None:
            budget = time_budget(clock.left, control.increment, clock.moves_to_go)
            times.append(budget.hard)
            soft = budget.soft
        if not times and depth is None and nodes is None:
            times.append(DEFAULT_SECONDS)
        return Limits(depth, min(times, default=None), nodes, soft_seconds=soft)


def _settings(cls: type[State], text: str) -> _Settings:
    options: dict[str, str | int | float] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name in options:
            raise LimitError(f"engine: {name}= is given twice")
        if name not in _Settings.__dataclass_fields__ or not equals:
            meant = did_you_mean(
                f"{name}=", (f"{each}=" for each in _Settings.__dataclass_fields__ if each not in options), ""
            )
            raise LimitError(
                f"engine: {quoted(part)} is not an option; expected {'=, '.join(_Settings.__dataclass_fields__)}=, "
                "each at most once" + (meant and f"; {meant}")
            )
        try:
            options[name] = {"depth": int, "nodes": int, "seconds": float, "threads": int}.get(name, str)(value)
        except ValueError:
            raise LimitError(f"engine: {quoted(value)} in {quoted(part)} is not a number") from None
    settings = _Settings(**options)  # type: ignore[arg-type]
    if settings.evaluation is not None:
        _check_evaluation(cls, settings.evaluation, settings.evaluation)
    return settings


def _search_once(start: State, search: Callable[[Turn, int], PlayResult]) -> None:
    """Search one ply, so that all code is compiled and loaded before the clock runs."""
    from zermelo.arena.players.clock import Clock, TimeControl

    while not start.is_over() and start.to_move() == CHANCE:
        start = start.play(start.legal_moves()[0])
    if not start.is_over():
        search(Turn(start, (), (), Clock.of(TimeControl())), 1)
