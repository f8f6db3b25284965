"""Player specs: short texts that name players.

random                              random legal moves
diff:3                              textbook alpha-beta: an evaluation and a depth in plies; ties go to the first move
minimax:diff:3                      the same moves, without pruning
shallow:diff:3                      the same moves, by alpha-beta without deep cutoffs, as in lecture 004
sparing:diff:3                      equally good moves, with move ordering and a transposition table: fewer nodes
engine:seconds=0.1,evaluation=NAME  the engine; NAME may be a weight file; also depth=, nodes=, threads=, table=,
                                    level= (1 to 10, or the game's own), variety= (margin of a random choice),
                                    selective= (yes, no or FILE; default: if time is the only limit, in games that
                                    declare it), book=FILE or none (default: if time is the only limit, the book of the
                                    package)
mcts:nodes=10000,evaluation=NAME    Monte Carlo tree search; NAME as for engine; also seconds=, threads=, memory=,
                                    playout_plies=, rave=, level=, variety=, book=
ismcts:nodes=10000                  information-set Monte Carlo tree search, for hidden information; also seconds=,
                                    observers=multiple|single, memory=
pimc:samples=20,depth=9             alpha-beta on sampled states; also evaluation=, nodes=, seconds=; without depth= to
                                    the end
strategy:NAME                       a strategy of the game's own (`State.strategies`)
policy:FILE                         a strategy file of `zermelo equilibrium` (policies.py)
human                               a person at the terminal
uci:COMMAND  xboard:COMMAND  gtp:COMMAND   an external program (engines.py)
python:FILE:FUNCTION                a sandboxed Python agent (agents.py)
object:N                            a Python object of this process (objects.py)
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from zermelo._util.text import did_you_mean, quoted
from zermelo._util.user_files import read_bytes
from zermelo.arena.players.options import NO_BOOK, files_of, names_file, parse_options
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory, allowed_moves, has_repetition_rule
from zermelo.core.weight_file import chosen_evaluation, file_digest
from zermelo.errors import LimitError, SearchTimeout, UnknownGame
from zermelo.protocols import ENGINE_PROTOCOLS
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.search.mcts.formulas import RAVE
from zermelo.solve.books.book_file import MAX_BYTES, load_book, shipped_book

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis
    from zermelo.search.levels import Strength
    from zermelo.search.limits import Limits
    from zermelo.search.request import SearchRequest
    from zermelo.search.searcher import Searcher
    from zermelo.search.selective import Selective
    from zermelo.search.textbook import Result
    from zermelo.solve.books.book import Book

#: Seconds per move of the engines where neither its spec nor the match sets a limit.
DEFAULT_SECONDS = 0.1
#: Default size of the engine's transposition table in a match: cheap to clear for each game.
DEFAULT_TABLE = "16M"
#: Default memory of Monte Carlo trees in a match. Memory that a tree does not reach is not used.
DEFAULT_MEMORY = "128M"
#: Seconds subtracted from a fixed time per move, for everything outside the search.
_OVERHEAD = 0.01

_TEXTBOOK_KINDS = ("minimax", "alphabeta", "shallow", "sparing")
_KINDS = (
    "random",
    *_TEXTBOOK_KINDS,
    "engine",
    "mcts",
    "ismcts",
    "pimc",
    "strategy",
    "policy",
    "human",
    *ENGINE_PROTOCOLS,
    "python",
)


def player_for(cls: type[State], text: str, *, require_sandbox: bool = False) -> Player:
    """Create a player from its spec.

    Nothing is started or compiled before its first game.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        Player spec, as in the module docstring.
    require_sandbox : bool
        Agents play only in processes in which all restrictions of the sandbox hold.

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
    elif kind in _SETTINGS:
        player = EnginePlayer(cls, kind, rest)
    elif kind in _TEXTBOOK_KINDS:
        player = _textbook(cls, text, rest, kind)
    elif kind in ENGINE_PROTOCOLS:
        from zermelo.arena.players.engines import GtpPlayer, UciPlayer, XboardPlayer

        players: dict[str, Callable[[type[State], str], Player]]
        players = {"uci": UciPlayer, "xboard": XboardPlayer, "gtp": GtpPlayer}
        player = players[kind](cls, rest)
    elif kind in ("ismcts", "pimc"):
        from zermelo.arena.players.hidden_search import InformationSetPlayer, SamplingPlayer

        player = InformationSetPlayer(rest) if kind == "ismcts" else SamplingPlayer(cls, rest)
    elif kind == "strategy":
        player = StrategyPlayer(cls, rest)
    elif kind == "policy":
        from zermelo.arena.players.policies import PolicyPlayer

        player = PolicyPlayer(cls, rest)
    elif kind == "python":
        from zermelo.arena.players.agents import PythonPlayer

        player = PythonPlayer(cls, rest, require_sandbox=require_sandbox)
    elif kind == "object":
        player = _object_player(cls, text)
    else:
        player = _textbook(cls, text, text, "alphabeta")
    player.text = text
    return player


def _object_player(cls: type[State], text: str) -> Player:
    """Return the player of a Python object of this process; see `zermelo.arena.players.objects`."""
    from zermelo.arena.players.objects import FunctionPlayer, registered_object
    from zermelo.search.mcts.engine import MonteCarlo
    from zermelo.search.searcher import Searcher

    found = registered_object(text)
    if isinstance(found, Player):
        return found
    if isinstance(found, Evaluation):
        return EnginePlayer(cls, "engine", "", evaluation=found)
    if isinstance(found, Searcher):
        return EnginePlayer(cls, "mcts" if isinstance(found, MonteCarlo) else "engine", "", engine=found)
    return FunctionPlayer(found)


def check_player(cls: type[State], text: str) -> None:
    """Check a player spec without starting anything.

    Raises
    ------
    UnknownGame
        As `player_for`, and for games with hidden information.
    LimitError
        As `player_for`.
    """
    player = player_for(cls, text)
    player.close()
    if player.needs_perfect_information and not cls.perfect_information:
        raise UnknownGame(
            f"{cls.__name__} has hidden information, and {text} would see what its player cannot; play random, human, "
            "ismcts, pimc, strategy:NAME, policy:FILE, an agent (python:FILE) or a function "
            "(see docs/hidden-information.md)"
        )


def check_spec(text: str) -> None:
    """Check what does not depend on the game: the syntax, and that a file can be read and a program exists.

    Raises `ZermeloError`, as `player_for`.
    """
    kind, _, rest = text.partition(":")
    if kind in _SETTINGS:
        settings = parse_options(kind, _SETTINGS[kind], rest)
        settings.new_engine(seed=0)
        settings.check_strength()
        for path in files_of(text):
            read_bytes(path, MAX_BYTES)
    elif kind in ENGINE_PROTOCOLS:
        from zermelo.protocols.engine_commands import read_command

        read_command(rest)
    elif kind == "python":
        from zermelo.arena.players.agents import AgentFile

        AgentFile.read(rest)
    elif kind in ("ismcts", "pimc"):
        from zermelo.arena.players.hidden_search import check_options

        check_options(kind, rest)
    elif kind == "policy":
        from zermelo.solve.strategy_file import read_any_strategy

        read_any_strategy(rest)
    elif kind not in ("object", "strategy") and text not in ("random", "human"):
        _textbook_spec(text, rest if kind in _TEXTBOOK_KINDS else text)


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
    name, colon, _ = rest.rpartition(":")
    _check_evaluation(cls, name if colon else rest, text)
    return TextbookPlayer(*_textbook_spec(text, rest), algorithm)


def _textbook_spec(text: str, rest: str) -> tuple[str, int]:
    """Return the evaluation and the depth of a textbook player."""
    name, colon, depth = rest.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,3}", depth) or not 1 <= int(depth) <= 200:
        example = f"{text.rpartition(':')[0] if colon else text}:3"
        raise LimitError(f"player {quoted(text)}: the depth must be from 1 to 200 plies, as in {example}")
    return name, int(depth)


class RandomPlayer(Player):
    """Chooses uniformly among the legal moves."""

    def new_game(self, setup: GameSetup) -> None:
        self._random = random.Random(setup.seed)

    def choose(self, turn: Turn) -> PlayResult:
        return PlayResult(self._random.choice(allowed_moves(turn.state, turn.positions or PositionHistory())))


class StrategyPlayer(Player):
    """Follows a strategy of the game's own.

    Parameters
    ----------
    cls : type of State
        The game.
    name : str
        A key of its `strategies`.
    """

    def __init__(self, cls: type[State], name: str) -> None:
        if name not in cls.strategies:
            known = did_you_mean(name, list(cls.strategies)) if cls.strategies else "it has none"
            raise UnknownGame(f"{cls.__name__} has no strategy {quoted(name)}; {known}")
        self._strategy = cls.strategies[name]

    def new_game(self, setup: GameSetup) -> None:
        self._random = random.Random(setup.seed)
        state = setup.start
        while not state.is_over() and state.to_move() == CHANCE:
            state = state.play(state.legal_moves()[0])
        if not state.is_over():
            self._strategy(state, 0)  # compiles before the clock runs

    def choose(self, turn: Turn) -> PlayResult:
        return PlayResult(self._strategy(turn.state, self._random.getrandbits(62)))


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

    needs_perfect_information = True

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
        return found

    def _search(self, turn: Turn, depth: int = 0, seconds: float | None = None) -> PlayResult:
        from zermelo.search.compiled_textbook import compiled_textbook

        if not turn.state.is_compiled:
            return self._search_interpreted(turn, depth or self.depth, seconds)
        algorithm = self.algorithm
        if turn.state.has_chance:
            algorithm = {"minimax": "expectiminimax", "alphabeta": "star1", "shallow": "star1"}.get(
                algorithm, algorithm
            )
        found = compiled_textbook(
            turn.state, depth or self.depth, self.evaluation, algorithm, turn.positions or (), seconds
        )
        return PlayResult(-1 if found.best is None else found.best, found.nodes, self.depth, found.value)

    def _search_interpreted(self, turn: Turn, depth: int, seconds: float | None) -> PlayResult:
        """Search a state that cannot be compiled: the same value and move; only `minimax` visits the same states."""
        from zermelo.search import textbook

        deadline = None if seconds is None else time.perf_counter() + seconds

        def check_time(state: State, ply: int) -> bool:
            if deadline is not None and time.perf_counter() > deadline:
                raise SearchTimeout(f"the search did not finish in {seconds:.3g} s")
            return False

        if self.algorithm == "minimax" or turn.state.has_chance:
            search: Callable[..., Result] = textbook.minimax
        else:
            search = textbook.alphabeta
        history = turn.history if has_repetition_rule(turn.state) else ()
        found = search(turn.state, depth, self.evaluation, cutoff=check_time, history=history)
        return PlayResult(-1 if found.best is None else found.best, found.nodes, depth, found.value)


@dataclass(frozen=True)
class _Settings:
    """Options that the engines share."""

    nodes: int | None = None
    seconds: float | None = None
    evaluation: str | Evaluation | None = None
    threads: int = 1
    level: int | None = None
    variety: int | None = None
    #: The file of an opening book, or `NO_BOOK`.
    book: str | None = None

    def check_strength(self) -> None:
        """Raise `LimitError` if level or variety are out of range in every game."""
        self.strength(None)

    def strength(self, game: type[State] | None) -> Strength:
        """Level and variety; None: in games without levels of their own. Raises `LimitError`."""
        from zermelo.search.levels import Strength

        return Strength(self.level, self.variety, game)

    @property
    def largest_depth(self) -> int | None:
        """Maximum depth in plies, for an engine that has one."""
        return None

    def new_engine(self, seed: int) -> Searcher:
        """Return an engine with these settings. Raises `LimitError`."""
        raise NotImplementedError


@dataclass(frozen=True)
class _EngineSettings(_Settings):
    """Options of `engine:`."""

    depth: int | None = None
    table: str = DEFAULT_TABLE
    selective: str = ""

    def check_strength(self) -> None:
        from zermelo.search.levels import MAX_LEVEL, Strength

        # A level above may be one of the game's own.
        Strength(self.level and min(self.level, MAX_LEVEL), self.variety)

    @property
    def tuned(self) -> str:
        """The file of tuned parameters that `selective=` names; it has a suffix or a folder."""
        return self.selective if names_file("selective", self.selective) else ""

    @property
    def is_selective(self) -> bool | int | None:
        """Whether the search is selective, or its confidence; None leaves it to the limits. Raises `LimitError`."""
        from zermelo.search.selective import CONFIDENCES

        confidences = [str(each) for each in (*CONFIDENCES, 100)]
        if self.selective in confidences:
            return int(self.selective)
        if self.tuned:
            return True
        if self.selective not in ("", "yes", "no"):
            raise LimitError(
                f"engine: selective= must be yes or no, a confidence of {', '.join(confidences)}, or a file of "
                f"`zermelo learn GAME tune` (got {quoted(self.selective)})"
            )
        if self.selective or (self.depth, self.nodes, self.level) == (None, None, None):
            return None if not self.selective else self.selective == "yes"
        return False

    @property
    def largest_depth(self) -> int | None:
        return self.depth

    def new_engine(self, seed: int) -> Searcher:
        from zermelo.search.engine import Engine, Limits

        Limits(self.depth, self.seconds, self.nodes)
        return Engine(self.table, self.threads, selective=self.is_selective)


@dataclass(frozen=True)
class _MonteCarloSettings(_Settings):
    """Options of `mcts:`."""

    memory: str = DEFAULT_MEMORY
    playout_plies: int = 0
    rave: int = RAVE

    def new_engine(self, seed: int) -> Searcher:
        from zermelo.search.limits import Limits
        from zermelo.search.mcts.engine import MAX_SEED, MonteCarlo

        Limits(None, self.seconds, self.nodes)
        return MonteCarlo(
            self.memory, self.threads, seed=seed & MAX_SEED, playout_plies=self.playout_plies, rave=self.rave
        )


_SETTINGS: dict[str, type[_Settings]] = {"engine": _EngineSettings, "mcts": _MonteCarloSettings}


class EnginePlayer(Player):
    """An engine, within the limits of its spec and those of the match, whichever are tighter.

    Where no clock runs, it plays the best move that it finds within the patience of the match. Each game starts with an
    empty memory, so that games limited by depth or nodes are reproducible.

    Parameters
    ----------
    cls : type of State
        The game.
    kind : str
        "engine" or "mcts".
    text : str
        Options `NAME=VALUE`, separated by commas.
    evaluation : Evaluation, optional
        The evaluation, in place of the option.
    engine : Searcher, optional
        The engine to search with. It keeps its memory from game to game.
    """

    needs_perfect_information = True

    def __init__(
        self,
        cls: type[State],
        kind: str,
        text: str,
        *,
        evaluation: Evaluation | None = None,
        engine: Searcher | None = None,
    ) -> None:
        self._kind = kind
        self._settings = parse_options(kind, _SETTINGS[kind], text)
        if evaluation is not None:
            self._settings = replace(self._settings, evaluation=evaluation)
        self._given_engine = engine
        name = self._settings.evaluation
        if isinstance(name, str):
            chosen = chosen_evaluation(cls, name)
            if chosen is name:
                resolve_evaluation(cls.start(), name)
            self._settings = replace(self._settings, evaluation=chosen)
        if files := files_of(f"{kind}:{text}"):
            self.version = f"Zermelo, files {'-'.join(file_digest(path)[:12] for path in files)}"
        self._check_selective(cls)
        self._book = self._read_book(cls)
        self._parameters = self._read_parameters(cls)
        self._strength = self._settings.strength(cls if kind == "engine" else None)
        self._engine = engine or self._new_engine(seed=0)
        self._random = random.Random(0)

    def new_game(self, setup: GameSetup) -> None:
        self._prepare(setup.start)
        self._engine = self._given_engine or self._new_engine(setup.seed)
        self._random = random.Random(setup.seed)

    def _prepare(self, start: State) -> None:
        """Load, compile or build what the engine may need before the clock runs: both searches, an endgame table."""
        from zermelo.search.engine import Engine, Limits
        from zermelo.search.root_search import may_be_solved
        from zermelo.search.selective import selective_default
        from zermelo.solve.endgames import prepare

        engine = self._engine
        if not isinstance(engine, Engine):
            _search_once(start, self._search)
            return
        prepare(type(start))
        given, evaluation, clock = engine.selective, self._settings.evaluation, Limits(seconds=1)
        # Some searches of a game may be selective and others exact: with a limit of nodes, or near its end.
        kinds = {False if given is None else given}
        if given is None:
            kinds.add(self._strength.confidence(start, evaluation) or selective_default(start, clock, evaluation))
        elif may_be_solved(start, clock, resolve_evaluation(start, evaluation, given is not False)):
            kinds.add(False)
        for kind in kinds:
            engine.selective = kind
            _search_once(start, self._search)
        engine.selective = given

    def choose(self, turn: Turn) -> PlayResult:
        return self._search(turn)

    def _search(self, turn: Turn, depth: int = 0) -> PlayResult:
        with self._strength.at_confidence(self._engine, turn.state, self._settings.evaluation):
            return self._search_at_level(turn, depth)

    def _search_at_level(self, turn: Turn, depth: int) -> PlayResult:
        from zermelo.search.limits import Limits
        from zermelo.search.request import SearchRequest

        is_tree_search = self._kind == "mcts"
        # Monte Carlo tree search finds the position in its last tree by the states between them.
        history = turn.history if is_tree_search else turn.positions or ()
        evaluation, strength = self._settings.evaluation, self._strength
        if depth:
            limits = Limits(nodes=depth) if is_tree_search else Limits(depth)
            *_, found = self._engine.analysis(turn.state, limits, evaluation=evaluation, history=history)
        else:
            legal = turn.state.legal_moves()
            limits = strength.limits(self._limits(turn), is_tree_search, turn.state)
            lines, moves = strength.lines(len(legal)), strength.root_moves(legal, self._random)
            request = SearchRequest(turn.state, limits, evaluation, lines, history, moves)
            known = self._look_up(request)
            if known is None:
                *_, known = self._engine.analysis(
                    turn.state, limits, evaluation=evaluation, lines=lines, history=history, moves=moves
                )
            found = strength.choose(known, self._random)
        return PlayResult(-1 if found.move is None else found.move, found.nodes, found.depth, found.score.number)

    @property
    def _is_selective_given(self) -> bool:
        return isinstance(self._settings, _EngineSettings) and bool(self._settings.selective)

    def _check_selective(self, cls: type[State]) -> None:
        """Raise `LimitError` if the settings ask for selective searches that do not exist."""
        from zermelo.search.selective import why_never_selective

        own = self._settings
        if isinstance(own, _EngineSettings) and own.selective and own.is_selective not in (False, 100):
            if reason := why_never_selective(cls):
                raise LimitError(f"engine: selective={own.selective}: {reason}")

    def _read_parameters(self, cls: type[State]) -> Selective | None:
        """The tuned parameters of the selective search that the settings name."""
        from zermelo.learn.tuned_file import load_parameters

        path = self._settings.tuned if isinstance(self._settings, _EngineSettings) else ""
        return load_parameters(path, cls) if path else None

    def _new_engine(self, seed: int) -> Searcher:
        from zermelo.search.engine import Engine

        made = self._settings.new_engine(seed)
        if self._parameters is not None and isinstance(made, Engine):
            made.selective = self._parameters
        elif self._strength.is_own and isinstance(made, Engine) and not self._is_selective_given:
            made.selective = None  # the level chooses
        return made

    def _read_book(self, cls: type[State]) -> Book | None:
        """The book of the settings, or else that of the package for an engine that plays as well as it can."""
        own = self._settings
        if own.book is not None:
            return None if own.book == NO_BOOK else load_book(own.book, cls)[0]
        if not isinstance(own, _EngineSettings) or own.evaluation is not None or own.selective:
            return None
        shipped = shipped_book(cls)
        return None if shipped is None else shipped[0]

    def _look_up(self, request: SearchRequest) -> Analysis | None:
        """What the book knows. That of the package is for searches on a clock: others compare depths or nodes."""
        limits = request.limits
        if self._book is None or (self._settings.book is None and (limits.depth, limits.nodes) != (None, None)):
            return None
        return self._book.answer(request)

    def _limits(self, turn: Turn) -> Limits:
        from zermelo.search.limits import Limits
        from zermelo.search.timing import time_budget

        own, control, clock = self._settings, turn.clock.control, turn.clock
        depth = None
        if self._kind == "engine":
            depth = min((each for each in (own.largest_depth, control.depth) if each), default=None)
        nodes = min((each for each in (own.nodes, control.nodes) if each), default=None)
        times = [own.seconds] if own.seconds else []
        if control.seconds:
            times.append(control.seconds - min(max(_OVERHEAD - control.margin, 0), control.seconds / 2))
        soft = None
        if clock.left is not None:
            budget = time_budget(clock.left, control.increment, clock.moves_to_go)
            times.append(budget.hard)
            soft = budget.soft
        if not times and depth is None and nodes is None and own.level is None:
            times.append(DEFAULT_SECONDS)
        if clock.limit is None:
            times.append(clock.deadline - min(_OVERHEAD, clock.deadline / 2))
        return Limits(depth, min(times, default=None), nodes, soft_seconds=soft)


def _search_once(start: State, search: Callable[[Turn, int], PlayResult]) -> None:
    """Search one ply, so that all code is compiled and loaded before the clock runs."""
    from zermelo.arena.players.clock import Clock, TimeControl

    while not start.is_over() and start.to_move() == CHANCE:
        start = start.play(start.legal_moves()[0])
    if not start.is_over():
        search(Turn(start, (), (), Clock.of(TimeControl())), 1)
