"""Data to learn evaluations from: positions of games, each with what a search says of it and how the game ended.

Games are played by one player against itself, from some random moves on, with a share of its later moves random as
well, so that what is learned has seen mistakes too. A game follows from its seed: the same data on any workers.

Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello" (1997), fits the weights
of patterns to positions of games labelled by results; Veness et al., "Bootstrapping from game tree search" (2009), to
what searches say.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from zermelo.arena.executors.executor import Task
from zermelo.arena.game_record import GameJob
from zermelo.arena.players.clock import TimeControl
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.arena.players.specs import check_player, player_for
from zermelo.arena.referee import play as play_game
from zermelo.arena.referee import seed_of
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.errors import LimitError, ZermeloError

if TYPE_CHECKING:
    from zermelo.search.engine import Limits

#: The table of the searches that label: large enough for shallow ones, and soon made.
TABLE = "4M"

#: What stands in each row of the data, in this order, and of which kind it is.
COLUMNS: dict[str, type] = {
    "game": int,  # which one, from 0
    "ply": int,  # moves made before, chance's too
    "position": str,
    "to_move": int,  # 1: MAX, -1: MIN
    "score": int,  # what the search says, for MAX, in units of the evaluation, or the utility where `exact`
    "exact": bool,
    "depth": int,
    "best": str,  # the move that the search would play
    "played": str,  # the move that was played
    "points": float,  # what MAX got in the end: 1, 1/2, 0
    "utility": int,  # the same as a utility; 0 where the game was called a draw
}


@dataclass(frozen=True)
class DataPlan:
    """What data are made. Raises `LimitError` for what makes no sense, and `check` for what the game does not know."""

    game: str
    games: int
    player: str = "random"
    #: How the label is found: depth=N, nodes=N.
    label: str = "depth=4"
    evaluation: str | None = None
    #: So many moves at first are random; and later ones with this probability.
    random_plies: int = 8
    mix: float = 0.0
    #: So many positions of a game, drawn from all of its positions; 0: all of them.
    positions: int = 0
    seed: int = 0
    max_plies: int = 1000

    def __post_init__(self) -> None:
        for name, least in (("games", 1), ("random_plies", 0), ("positions", 0), ("max_plies", 1)):
            if getattr(self, name) < least:
                raise LimitError(f"{name.replace('_', ' ')} {getattr(self, name)}: at least {least} is needed")
        if not 0 <= self.mix <= 1:
            raise LimitError(f"mix {self.mix:g}: a share of the moves is from 0 to 1")
        label = TimeControl.parse(self.label)
        if label.is_timed or not (label.depth or label.nodes):
            raise LimitError(f"label {self.label!r}: expected depth=N or nodes=N; by time no data could be made again")

    def check(self, cls: type[State]) -> None:
        """Raises `ZermeloError` where the game does not know the player, or the evaluation."""
        check_player(cls, self.player)
        if self.player == "human":
            raise LimitError("player human: data are made by players that need nobody")
        resolve_evaluation(cls.start(), self.evaluation)

    def tasks(self, first: int = 0) -> Iterator[Task]:
        """Each game as a task, from the one with this number on."""
        told = asdict(self)
        del told["games"]
        for number in range(first, self.games):
            yield Task(number, "data", json.dumps({**told, "number": number}))


class _Mixed(Player):
    """A player that now and then plays any move instead."""

    def __init__(self, player: Player, mix: float) -> None:
        self.player = player
        self.mix = mix
        self.text = player.text

    def new_game(self, seat: GameSetup) -> None:
        self.random = random.Random(seed_of("mix", seat.seed))
        self.player.new_game(seat)

    def choose(self, turn: Turn) -> PlayResult:
        if self.random.random() < self.mix:
            return PlayResult(self.random.choice(turn.state.legal_moves()))
        return self.player.choose(turn)

    def game_over(self) -> None:
        self.player.game_over()

    def close(self) -> None:
        self.player.close()


def play(data: str) -> str:
    """A game, played and labelled: its rows, each a list in the order of `COLUMNS`."""
    from zermelo import registry
    from zermelo.search.engine import Engine

    asked: dict[str, Any] = json.loads(data)
    number = asked.pop("number")
    plan = DataPlan(games=number + 1, **asked)
    cls = registry.load(plan.game)
    seed = seed_of("data", plan.seed, number)
    opening = _random_moves(cls.start(), plan.random_plies, random.Random(seed_of("opening", seed)))
    job = GameJob(
        number, plan.game, (plan.player, plan.player), ("MAX", "MIN"), "", opening, seed, max_plies=plan.max_plies
    )
    played = play_game(job, players=[_Mixed(player_for(cls, plan.player), plan.mix) for _ in range(2)])
    if played.forfeited_by is not None:
        raise ZermeloError(f"game {number}: {plan.player}: {played.termination}: {played.detail}")
    states = [cls.start()]
    for move in played.moves:
        states.append(states[-1].play(move))
    plies = [ply for ply, state in enumerate(states[:-1]) if state.to_move() != CHANCE]
    if plan.positions and plan.positions < len(plies):
        plies = sorted(random.Random(seed_of("positions", seed)).sample(plies, plan.positions))
    # The engine's table stays from one position of the game to the next, as in a game.
    engine, limits = Engine(TABLE), _limits(plan.label)
    rows: list[list[object]] = []
    for ply in plies:
        state = states[ply]
        *_, found = engine.search(state, limits, plan.evaluation, 1, states[:ply])
        said = [found.score.number, found.score.is_proven, found.depth, found.best, state.move_name(played.moves[ply])]
        rows.append([number, ply, str(state), state.to_move(), *said, played.points, played.utility or 0])
    return json.dumps(rows)


def _limits(label: str) -> Limits:
    from zermelo.search.engine import Limits

    control = TimeControl.parse(label)
    return Limits(control.depth, None, control.nodes)


def _random_moves(state: State, plies: int, dice: random.Random) -> tuple[int, ...]:
    """So many random moves, or all to the end of the game; chance's own by their weights."""
    moves: list[int] = []
    while len(moves) < plies and not state.is_over():
        choices = list(state.outcomes()) if state.to_move() == CHANCE else [(move, 1) for move in state.legal_moves()]
        moves.append(dice.choices([move for move, _ in choices], [weight for _, weight in choices])[0])
        state = state.play(moves[-1])
    return tuple(moves)
