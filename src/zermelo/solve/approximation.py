"""Approximation of equilibria by counterfactual regret minimisation, in compiled loops.

References
----------
M. Zinkevich, M. Johanson, M. Bowling, C. Piccione, "Regret Minimization in Games with Incomplete Information",
NIPS 2007.
O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", arXiv:1407.5042 (2014).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from zermelo.compiled import native
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import LimitError
from zermelo.solve import loops
from zermelo.solve.arrays import Floats, node_arrays, player_arrays
from zermelo.solve.profile import Equilibrium, Strategy
from zermelo.solve.sequence_form import SequenceForm

MAX_ITERATIONS = 1_000_000_000
#: The algorithms by name.
ALGORITHMS = ("cfr+", "mccfr")
#: Largest seed.
MAX_SEED = (1 << 62) - 1
#: Seconds of a compiled call: the longest delay of Ctrl-C and of the clock.
_CALL_SECONDS = 0.1


class Approximation:
    """An approximate equilibrium that more iterations improve.

    Parameters
    ----------
    state : State
        The root; a state of a game with `perfect_information = False`.
    algorithm : str
        One of `ALGORITHMS`.
    seed : int
        Seed of the random choices of "mccfr", 0 to `MAX_SEED`. The same seed gives the same results.

    Attributes
    ----------
    iterations : int
        Iterations so far.

    Raises
    ------
    LimitError
        If there is no algorithm of this name, the seed is out of range, or the game is too large or has perfect
        information.
    GameError
        If a player does not have perfect recall.

    Notes
    -----
    "cfr+" is CFR+ (Tammelin 2014): the players update in turn. Each chooses moves in proportion to their positive
    cumulative regrets, negative regrets are reset to 0, and the average strategy weights each iteration by its number.

    "mccfr" is outcome sampling (Lanctot and others 2009): an iteration plays one game for each player, and updates what
    lies on its path. Iterations take less than a microsecond, but many more are needed. It also runs over the arrays of
    the game tree: games played by the rules take four times as long (Leduc hold'em).

    References
    ----------
    O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", arXiv:1407.5042 (2014).
    M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games",
    NIPS 2009.
    """

    def __init__(self, state: State, algorithm: str = "cfr+", seed: int = 0) -> None:
        if algorithm not in ALGORITHMS:
            raise LimitError(f"unknown algorithm {algorithm!r}: expected one of {', '.join(ALGORITHMS)}")
        if not 0 <= seed <= MAX_SEED:
            raise LimitError(f"seed must be from 0 to 2^62 - 1 (got {seed})")
        self.algorithm = algorithm
        self.seed = seed
        self.iterations = 0
        self.form = SequenceForm(state)
        self._arrays = {player: player_arrays(self.form, player) for player in (MAX, MIN)}
        self._nodes = node_arrays(self.form) if algorithm == "mccfr" else None
        sequences = self._arrays[MAX].sequences
        self._regrets = np.zeros(sequences + self._arrays[MIN].sequences)
        self._sums = np.zeros_like(self._regrets)
        #: By player, the cumulative regret of each sequence, and its weight in the average strategy.
        self.regrets = {MAX: self._regrets[:sequences], MIN: self._regrets[sequences:]}
        self.sums = {MAX: self._sums[:sequences], MIN: self._sums[sequences:]}
        self._iterations_per_second = 0.0

    def run(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[Equilibrium]:
        """Run more iterations, and yield the equilibrium after 1, 2, 5, 10, 20, 50, ... in all, and after the last.

        Parameters
        ----------
        iterations : int, optional
            The number of iterations in all at which to stop, up to `MAX_ITERATIONS`.
        seconds : float, optional
            The time after which to stop, without compiling and without the computation of exploitability.
        stop : callable, optional
            Called about ten times a second; stops where it returns True.

        Raises
        ------
        LimitError
            If `iterations` or `seconds` is out of range.
        """
        if iterations is not None and not 1 <= iterations <= MAX_ITERATIONS:
            raise LimitError(f"iterations must be from 1 to {MAX_ITERATIONS:,} (got {iterations:,})")
        if seconds is not None and not 0 < seconds < float("inf"):
            raise LimitError(f"seconds must be above 0 (got {seconds:g})")
        return self._run(MAX_ITERATIONS if iterations is None else iterations, seconds or float("inf"), stop)

    def _run(self, iterations: int, seconds: float, stop: Callable[[], bool]) -> Iterator[Equilibrium]:
        self.iterate(0)  # compiles
        spent = 0.0
        while True:
            following = min(next_report(self.iterations), iterations)
            is_last = following <= self.iterations
            while self.iterations < following and not is_last:
                began = time.perf_counter()
                self.iterate(min(following - self.iterations, max(int(self._iterations_per_second * _CALL_SECONDS), 1)))
                spent += time.perf_counter() - began
                is_last = spent >= seconds or stop()
            yield self.equilibrium()
            if is_last or self.iterations >= iterations:
                return

    def iterate(self, count: int) -> None:
        """Run some iterations, in one compiled call."""
        arguments: list[Any] = [self.iterations, count]
        function: Callable[..., None] = loops.run_cfr_plus
        if self._nodes is not None:
            function = loops.run_outcome_sampling
            arguments += [self.seed, *self._nodes.all, self._regrets, self._sums]
        else:
            for player in (MAX, MIN):
                arrays = self._arrays[player]
                arguments += [*arrays.tree, *arrays.ends, self.regrets[player], self.sums[player]]
        call = native(function, *arguments)
        began = time.perf_counter()
        call(*arguments)
        self._iterations_per_second = count / max(time.perf_counter() - began, 1e-6)
        self.iterations += count

    def equilibrium(self) -> Equilibrium:
        """Return the average strategies, with their value and exploitability."""
        value, upper, lower = evaluated(self.form, self.sums)
        strategies = {player: strategy_of(self.form, player, self.sums[player]) for player in (MAX, MIN)}
        return Equilibrium(
            value, strategies, upper, lower, self.form.states, self.form.sizes, self.iterations, self.algorithm
        )


def next_report(iterations: int) -> int:
    """Return the next of 1, 2, 5, 10, 20, 50, ... after a number of iterations."""
    scale = 1
    while True:
        for step in (1, 2, 5):
            if step * scale > iterations:
                return step * scale
        scale *= 10


def evaluated(form: SequenceForm, weights: Mapping[int, Floats]) -> tuple[float, float, float]:
    """Return the value of strategies for MAX, and the values of both best responses: the upper and the lower bound.

    Parameters
    ----------
    form : SequenceForm
        The game.
    weights : dict of int to array
        By player, the weight of each sequence: moves are chosen in proportion to their weights, uniformly where all
        are 0.
    """
    arguments: list[Any] = []
    for player in (MAX, MIN):
        arrays = player_arrays(form, player)
        arguments += [*arrays.tree, *arrays.ends, weights[player]]
    return native(loops.run_evaluation, *arguments)(*arguments)  # type: ignore[no-any-return]


def strategy_of(form: SequenceForm, player: int, weights: Floats) -> Strategy:
    """Return the behaviour strategy that chooses moves in proportion to the weights of their sequences."""
    numbers = weights.tolist()
    strategy: dict[str, dict[str, float]] = {}
    for each in form.players[player].information_sets:
        chosen = numbers[each.first : each.end]
        total = sum(chosen)
        probabilities = [weight / total for weight in chosen] if total > 0 else [1 / len(chosen)] * len(chosen)
        strategy[each.information] = dict(zip(each.move_names, probabilities, strict=True))
    return strategy
