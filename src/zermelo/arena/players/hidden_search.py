"""Searching players of games with hidden information: ISMCTS and PIMC.

They get a state drawn from what the player knows (`Turn.state`), as all players do, and sample from it.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from dataclasses import dataclass
from typing import TypeVar

from zermelo.arena.players.options import parse_options
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.errors import LimitError
from zermelo.search.determinization import DEFAULT_SAMPLES, MAX_SAMPLES, pimc
from zermelo.search.limits import Limits
from zermelo.search.mcts.information_sets import DEFAULT_MEMORY, MAX_SEED, OBSERVERS, HiddenSearch, ismcts
from zermelo.search.table import parse_size

N = TypeVar("N", int, float)

#: Seconds per move of ISMCTS where neither the spec nor the match sets a limit, as for the engines.
DEFAULT_SECONDS = 0.1
#: States per move of PIMC where neither the spec nor the match sets a limit: about a second.
DEFAULT_NODES = 2_000_000
# Plies of the game whose last state is searched before the first move.
_WARM_UP_PLIES = 200


@dataclass(frozen=True)
class _Settings:
    """Options of `ismcts:`. Raises `LimitError`."""

    nodes: int | None = None
    seconds: float | None = None
    observers: str = OBSERVERS[0]
    memory: str = DEFAULT_MEMORY

    def __post_init__(self) -> None:
        Limits(nodes=self.nodes, seconds=self.seconds)
        parse_size(self.memory, "memory")
        if self.observers not in OBSERVERS:
            raise LimitError(f"ismcts: observers={self.observers}: expected {' or '.join(OBSERVERS)}")


@dataclass(frozen=True)
class _SampleSettings:
    """Options of `pimc:`. Raises `LimitError`."""

    samples: int = DEFAULT_SAMPLES
    depth: int | None = None
    evaluation: str | None = None
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        Limits(self.depth, self.seconds, self.nodes)
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise LimitError(f"pimc: samples must be from 1 to {MAX_SAMPLES:,} (got {self.samples})")


class _HiddenSearchPlayer(Player):
    """A search that samples what the player does not see."""

    def new_game(self, setup: GameSetup) -> None:
        self._random = random.Random(setup.seed)
        late = _late_state(setup.start)
        if late is not None:
            self._search(late, 0, 1, None, None)  # compiles before the clock runs

    def choose(self, turn: Turn) -> PlayResult:
        clock = turn.clock
        seconds = clock.control.seconds
        if clock.left is not None:
            from zermelo.search.timing import time_budget

            seconds = time_budget(clock.left, clock.control.increment, clock.moves_to_go).soft
        seed = self._random.randrange(MAX_SEED)
        found = self._search(turn.state, seed, clock.control.nodes, seconds, clock.deadline)
        return PlayResult(found.move, found.nodes)

    @abstractmethod
    def _search(
        self, state: State, seed: int, nodes: int | None, seconds: float | None, patience: float | None
    ) -> HiddenSearch:
        """Search within the limits of the match and those of the spec, and at most `patience` seconds."""


class InformationSetPlayer(_HiddenSearchPlayer):
    """Information-set Monte Carlo tree search; see `ismcts`. Options: nodes, seconds, observers, memory."""

    def __init__(self, text: str) -> None:
        self._settings = parse_options("ismcts", _Settings, text)

    def _search(
        self, state: State, seed: int, nodes: int | None, seconds: float | None, patience: float | None
    ) -> HiddenSearch:
        own = self._settings
        nodes = _least(own.nodes, nodes)
        if own.seconds is not None or nodes is None:
            seconds = _least(DEFAULT_SECONDS if own.seconds is None else own.seconds, seconds)
        return ismcts(state, nodes, _least(seconds, patience), seed=seed, observers=own.observers, memory=own.memory)


class SamplingPlayer(_HiddenSearchPlayer):
    """Perfect-information Monte Carlo; see `pimc`. Options: samples, depth, evaluation, nodes, seconds."""

    def __init__(self, cls: type[State], text: str) -> None:
        self._settings = parse_options("pimc", _SampleSettings, text)
        if self._settings.evaluation is not None:
            resolve_evaluation(cls.start().open_state(), self._settings.evaluation)

    def _search(
        self, state: State, seed: int, nodes: int | None, seconds: float | None, patience: float | None
    ) -> HiddenSearch:
        own = self._settings
        nodes = _least(own.nodes, nodes)
        seconds = _least(own.seconds, seconds)
        if nodes is None and seconds is None:
            nodes = DEFAULT_NODES
        return pimc(
            state, own.samples, own.depth, evaluation=own.evaluation, nodes=nodes, seconds=_least(seconds, patience),
            seed=seed,
        )  # fmt: skip


def _late_state(state: State) -> State | None:
    """The last state of a short game in which a player is to move: one that is searched fast. None if there is none."""
    found = None
    for _ in range(_WARM_UP_PLIES):
        if state.is_over():
            break
        if state.to_move() != CHANCE:
            found = state
        state = state.play(state.legal_moves()[0])
    return found


def _least(one: N | None, other: N | None) -> N | None:
    """The smaller of two limits, each of which may be missing."""
    return min((each for each in (one, other) if each is not None), default=None)


def check_options(kind: str, text: str) -> None:
    """Check the options of a spec. Raises `LimitError`."""
    parse_options(kind, _Settings if kind == "ismcts" else _SampleSettings, text)
