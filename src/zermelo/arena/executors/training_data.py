"""Training data for evaluations: positions of self-play games, labelled with search scores and game results.

A player plays against itself after a number of random moves; a fraction of its later moves is random too, so that the
data contain mistakes. Each game follows from its seed, so the data do not depend on the workers.

References
----------
M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997: fits pattern
weights to positions labelled with game results.

J. Veness et al., "Bootstrapping from game tree search", NIPS 2009: fits weights to search scores.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from zermelo.arena.executors.executor import Task
from zermelo.arena.game_course import seed_of
from zermelo.arena.game_record import GameJob
from zermelo.arena.players.clock import TimeControl
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.arena.players.specs import check_player, player_for
from zermelo.arena.referee import play as play_game
from zermelo.arena.replay import replay
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory, allowed_moves
from zermelo.core.move_numbers import move_of, number_of
from zermelo.errors import LimitError, ZermeloError

if TYPE_CHECKING:
    from zermelo.search.engine import Limits

#: Transposition table of the labelling searches: enough for shallow ones, and fast to allocate.
TABLE = "4M"

#: Columns of the data with their types, in order.
COLUMNS: dict[str, type] = {
    "game": int,  # number of the game, from 0
    "ply": int,  # moves made before, chance moves included
    "position": str,
    "to_move": int,  # 1: MAX, -1: MIN
    "score": int,  # search score for MAX, in units of the evaluation; the utility where `exact`
    "exact": bool,
    "depth": int,
    "best": str,  # best move of the search
    "played": str,  # move played in the game
    "points": float,  # game result for MAX: 1, 0.5 or 0
    "utility": int,  # utility at the end of the game; 0 if it was adjudicated a draw
}


@dataclass(frozen=True)
class DataPlan:
    """Options of a data set.

    Parameters
    ----------
    game : str
        Name of the game.
    games : int
        Number of games, at least 1.
    player : str
        Player spec; it plays both sides.
    label : str
        Limit of the labelling search: `depth=N` or `nodes=N`.
    evaluation : str, optional
        Evaluation of the labelling search; by default the game's first.
    random_plies : int
        Number of random moves at the start of each game.
    mix : float
        Probability of a random move later on, from 0 to 1.
    positions : int
        Number of positions sampled from each game; 0: all.
    seed : int
        Seed of all random choices.
    max_plies : int
        A longer game is a draw.

    Raises
    ------
    LimitError
        A value is out of range.
    """

    game: str
    games: int
    player: str = "random"
    label: str = "depth=4"
    evaluation: str | None = None
    random_plies: int = 8
    mix: float = 0.0
    positions: int = 0
    seed: int = 0
    max_plies: int = 1000

    def __post_init__(self) -> None:
        for name, least in (("games", 1), ("random_plies", 0), ("positions", 0), ("max_plies", 1)):
            if getattr(self, name) < least:
                raise LimitError(f"{name} must be at least {least} (got {getattr(self, name)})")
        if not 0 <= self.mix <= 1:
            raise LimitError(f"mix must be from 0 to 1 (got {self.mix:g})")
        label = TimeControl.parse(self.label)
        if label.is_timed or not (label.depth or label.nodes):
            raise LimitError(f"label {self.label!r}: expected depth=N or nodes=N; time limits are not reproducible")

    def check(self, cls: type[State]) -> None:
        """Raise `InputError` if the game does not have the player or the evaluation."""
        check_player(cls, self.player)
        if self.player == "human":
            raise LimitError("player human: training data need a player that plays by itself")
        resolve_evaluation(cls.start(), self.evaluation)

    def tasks(self, first: int = 0) -> Iterator[Task]:
        """Yield a task for each game, starting with game number `first`."""
        options = asdict(self)
        del options["games"]
        for number in range(first, self.games):
            yield Task(number, "data", json.dumps({**options, "number": number}))


class _RandomizedPlayer(Player):
    """A player that plays a random move with probability `mix`."""

    def __init__(self, player: Player, mix: float) -> None:
        self.player = player
        self.mix = mix
        self.text = player.text

    def new_game(self, setup: GameSetup) -> None:
        self.random = random.Random(seed_of("mix", setup.seed))
        self.player.new_game(setup)

    def choose(self, turn: Turn) -> PlayResult:
        if self.random.random() < self.mix:
            return PlayResult(self.random.choice(allowed_moves(turn.state, turn.positions or PositionHistory())))
        return self.player.choose(turn)

    def game_over(self) -> None:
        self.player.game_over()

    def close(self) -> None:
        self.player.close()


def play_labelled_game(data: str) -> str:
    """Perform a data task: play a game, label its positions, and return the rows as JSON; see `COLUMNS`."""
    from zermelo import registry
    from zermelo.search.engine import Engine

    options: dict[str, Any] = json.loads(data)
    number = options.pop("number")
    plan = DataPlan(games=number + 1, **options)
    cls = registry.load(plan.game)
    seed = seed_of("data", plan.seed, number)
    opening = _random_moves(cls.start(), plan.random_plies, random.Random(seed_of("opening", seed)))
    job = GameJob(
        number, plan.game, (plan.player, plan.player), ("MAX", "MIN"), "", opening, seed, max_plies=plan.max_plies
    )
    played = play_game(job, players=[_RandomizedPlayer(player_for(cls, plan.player), plan.mix) for _ in range(2)])
    if played.forfeited_by is not None:
        raise ZermeloError(f"game {number}: {plan.player}: {played.termination}: {played.detail}")
    states = replay(played)
    plies = [ply for ply, state in enumerate(states[:-1]) if state.to_move() != CHANCE]
    if plan.positions and plan.positions < len(plies):
        plies = sorted(random.Random(seed_of("positions", seed)).sample(plies, plan.positions))
    # One engine for all positions: its transposition table is reused as during a game.
    engine, limits = Engine(TABLE), _limits(plan.label)
    rows: list[list[object]] = []
    for ply in plies:
        state = states[ply]
        *_, analysis = engine.analysis(state, limits, evaluation=plan.evaluation, history=states[:ply])
        score = analysis.score
        made = state.move_name(move_of(state, played.moves[ply]))
        found = [score.number, score.is_proven, analysis.depth, analysis.best, made]
        rows.append([number, ply, str(state), state.to_move(), *found, played.points, played.utility or 0])
    return json.dumps(rows)


def _limits(label: str) -> Limits:
    from zermelo.search.engine import Limits

    control = TimeControl.parse(label)
    return Limits(control.depth, None, control.nodes)


def _random_moves(state: State, plies: int, rng: random.Random) -> tuple[int, ...]:
    """Return random moves, fewer if the game ends; chance moves are drawn by their weights."""
    moves: list[int] = []  # as numbers
    while len(moves) < plies and not state.is_over():
        choices = list(state.outcomes()) if state.to_move() == CHANCE else [(move, 1) for move in state.legal_moves()]
        move = rng.choices([move for move, _ in choices], [weight for _, weight in choices])[0]
        moves.append(number_of(state, move))
        state = state.play(move)
    return tuple(moves)
