"""The program's side of a game that people play: which search answers, how a level chooses, hidden information."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from zermelo._util.text import did_you_mean
from zermelo.core.game import MAX, MIN, State
from zermelo.core.player_view import consistent
from zermelo.errors import UnknownGame

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.interactive.course import GameInProgress
    from zermelo.search.analysis import Analysis
    from zermelo.search.levels import Strength
    from zermelo.search.limits import Limits
    from zermelo.search.searcher import Searcher
    from zermelo.search.selective import Selective

#: Default time of the engine per move, in seconds.
SECONDS = 1.0


class SearchCall(Protocol):
    """Analyses the current state of a game within limits; `moves` are the only root moves, if there are any."""

    def __call__(self, limits: Limits, *, lines: int, moves: tuple[int, ...]) -> Analysis: ...


def new_searcher(
    algorithm: str,
    table: str,
    threads: int,
    source: random.Random,
    compiled: bool = True,
    selective: Selective | bool | int | None = None,
) -> Searcher:
    """Make the engine of an algorithm, "engine" or "mcts", with a seed from `source`.

    Raises
    ------
    UnknownGame
        If there is no algorithm of this name.
    """
    from zermelo.search.default import make_searcher
    from zermelo.search.mcts.engine import MAX_SEED

    if algorithm not in ("engine", "mcts"):
        raise UnknownGame(f"unknown algorithm {algorithm!r}; {did_you_mean(algorithm, ['engine', 'mcts'])}")
    seed = source.randint(0, MAX_SEED) if algorithm == "mcts" else 0
    return make_searcher(algorithm, table, threads, seed=seed, compiled=compiled, selective=selective)


@contextmanager
def one_kind_of_search(
    searcher: Searcher | None, state: State, limits: Limits, evaluation: str | Evaluation | None = None
) -> Iterator[None]:
    """Search selectively, or exactly, in the whole block: as a search within the limits does, and also to a depth.

    Scores of the two kinds cannot be compared.
    """
    from zermelo.search.engine import Engine
    from zermelo.search.selective import selective_default

    if not isinstance(searcher, Engine) or searcher.selective is not None:
        yield
        return
    searcher.selective = selective_default(state, limits, evaluation)
    try:
        yield
    finally:
        searcher.selective = None


def choose(
    state: State,
    legal: list[int],
    strength: Strength,
    limits: Limits,
    by_playouts: bool,
    source: random.Random,
    search: SearchCall,
) -> Analysis:
    """Return the analysis whose first line is the move that a level plays.

    Parameters
    ----------
    state : State
        The position to search.
    legal : list of int
        The moves that the side to move may choose from.
    strength : Strength
        Level and variety.
    limits : Limits
        Limits besides those of the level.
    by_playouts : bool
        Whether the search is Monte Carlo tree search, whose nodes are playouts.
    source : random.Random
        Source of blunders and of the choice among good moves.
    search : callable
        Analyses the position.
    """
    allowed = strength.limits(limits, by_playouts, state)
    found = search(allowed, lines=strength.lines(len(legal)), moves=strength.root_moves(legal, source))
    return strength.choose(found, source)


def draw_claimed(game: GameInProgress, found: Analysis) -> str:
    """Return the reason if the engine claims a draw in place of its move: it can, and does not stand better.

    An empty text if it plays on.
    """
    reason = game.claim_reason()
    return reason if reason and found.score.pov(game.state.to_move()).number <= 0 else ""


def hidden_opponent(cls: type[State]) -> str:
    """Return the spec of the default opponent in a game with hidden information."""
    if cls.has_open_state:
        return "pimc"
    return f"strategy:{next(iter(cls.strategies))}" if cls.strategies else "random"


class HiddenOpponents:
    """The players of the sides in a game with hidden information. Each gets the view of its side only.

    Parameters
    ----------
    cls : type of State
        The game.
    algorithm : str
        Spec of the players; see `zermelo.arena.players.specs`.
    source : random.Random
        Source of their seeds.

    Raises
    ------
    UnknownGame
        If there is no such player, or it would see what is hidden.
    """

    def __init__(self, cls: type[State], algorithm: str, source: random.Random) -> None:
        from zermelo.arena.players.specs import check_player, player_for

        check_player(cls, algorithm)
        self._players = {side: player_for(cls, algorithm) for side in (MAX, MIN)}
        self._prepared: set[int] = set()  # the sides whose players know of the game
        self._random = source

    def prepare(self, state: State, side: int) -> None:
        """Tell the player of a side that a game begins."""
        from zermelo.arena.players.player import GameSetup

        seed = self._random.getrandbits(48)
        start = consistent(state, side, seed)
        self._players[side].new_game(GameSetup(start, side, self._random.getrandbits(48)))
        self._prepared.add(side)

    def choose(self, state: State) -> int:
        """Return the move of the player of the side to move, who knows as much as that side."""
        from zermelo.arena.players.clock import Clock, TimeControl
        from zermelo.arena.players.player import Turn

        side = state.to_move()
        if side not in self._prepared:
            self.prepare(state, side)
        seen = consistent(state, side, self._random.getrandbits(48))
        return self._players[side].choose(Turn(seen, (), (), Clock.of(TimeControl()))).move

    def close(self) -> None:
        """Release the players."""
        for player in self._players.values():
            player.close()
