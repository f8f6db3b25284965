"""Games whose players do not see everything: how to play so that knowing it helps nobody.

A pair of strategies is an equilibrium where neither side gains by another one; in a game of two whose results are
opposite it is worth the same for every such pair, and that is the game's value. `solve` finds one exactly, as a linear
program over sequences of moves (Koller, Megiddo and von Stengel 1994), and proves it by both sides' best responses,
in fractions. `approximate` comes near by playing against itself and regretting (counterfactual regret minimisation:
Zinkevich, Johanson, Bowling and Piccione 2007; CFR+: Tammelin 2014), which takes larger games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from zermelo.core.game import MAX, MIN, State
from zermelo.errors import LimitError
from zermelo.solve.sequence_form import Sequences, Situation
from zermelo.solve.simplex import maximise

#: More sequences of one side than these are not for exact arithmetic.
MOST_SEQUENCES = 150
MOST_ROUNDS = 10_000_000

#: For each information state (`State.information_state`): the probability of each move.
Strategy = Mapping[str, Mapping[str, Fraction]]


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """Strategies of both sides, and how good they are."""

    #: What MAX earns on average when both follow them.
    value: Fraction
    #: By player, `MAX` and `MIN`.
    strategies: Mapping[int, Strategy]
    #: What MAX earns at most against MIN's strategy, and at least, if MIN answers best, with its own.
    upper_bound: Fraction
    lower_bound: Fraction
    #: States of the game, and situations of MAX and MIN.
    states: int
    information_sets: tuple[int, int]
    #: Rounds of `approximate`; 0 from `solve`.
    iterations: int = 0

    @property
    def exploitability(self) -> Fraction:
        """What both sides together could gain by another strategy; 0 in an equilibrium, which is thereby proven."""
        return self.upper_bound - self.lower_bound


def solve(state: State) -> Equilibrium:
    """An equilibrium, exactly; the value is the game's. There may be others, worth the same.

    Raises `LimitError` for a game that is too large, `GameError` for one whose players forget.

    >>> import zermelo
    >>> print(solve(zermelo.load("kuhn").start()).value)
    -1/18
    """
    game = Sequences(state)
    largest = max(side.sequences for side in game.sides.values())
    if largest > MOST_SEQUENCES:
        raise LimitError(
            f"{game.name} has {largest:,} sequences of moves of one side; up to {MOST_SEQUENCES} are solved exactly, "
            "`--iterations 1000` (zermelo.solve.equilibrium.approximate) comes near"
        )
    plans = {player: _plan(game, player) for player in (MAX, MIN)}
    strategies = {player: _strategy(game, player, plans[player], plans[-player]) for player in (MAX, MIN)}
    return judged(game, strategies)


def approximate(state: State, rounds: int) -> Iterator[Equilibrium]:
    """Strategies that come nearer to an equilibrium, after 1, 10, 100, ... rounds and after all of them.

    CFR+: both sides in turn choose moves in proportion to how much they regret not to have chosen them, regrets below
    0 are forgotten, and the mean of all rounds counts, each as often as its number. `exploitability` tells how near it
    is. Raises `LimitError` and `GameError` as `solve` does.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise LimitError(f"{rounds:,} rounds; expected 1 to {MOST_ROUNDS:,}")
    return _approximate(Sequences(state), rounds)


def best_responses(state: State, strategies: Mapping[int, Strategy]) -> tuple[Fraction, Fraction]:
    """What MAX earns at most against MIN's strategy, and what is left to it if MIN answers best to its own.

    Raises `LimitError` where a strategy does not say what to do in a situation, or its shares are not 1 in all.
    """
    found = judged(Sequences(state), strategies)
    return found.upper_bound, found.lower_bound


def judged(game: Sequences, strategies: Mapping[int, Strategy], rounds: int = 0) -> Equilibrium:
    """Strategies with what they are worth, in exact fractions."""
    plans = {}
    for player in (MAX, MIN):
        shares = {each.information: _shares(game, each, strategies[player]) for each in game.sides[player].situations}
        plans[player] = game.plan(player, shares, Fraction(1))
    at_most, _ = game.best(MAX, game.earnings(MAX, plans[MIN], game.payoffs))
    cost, _ = game.best(MIN, game.earnings(MIN, plans[MAX], game.payoffs))
    value = sum(
        (payoff * plans[MAX][ours] * plans[MIN][theirs] for (ours, theirs), payoff in game.payoffs.items()), Fraction(0)
    )
    situations = (len(game.sides[MAX].situations), len(game.sides[MIN].situations))
    return Equilibrium(value, strategies, at_most, -cost, game.states, situations, rounds)


def _shares(game: Sequences, situation: Situation, strategy: Strategy) -> list[Fraction]:
    said = strategy.get(situation.information)
    if said is None or set(said) - set(situation.names):
        raise LimitError(f"{game.name}: {situation.information!r} needs a share for {' '.join(situation.names)}")
    shares = [Fraction(said.get(name, 0)) for name in situation.names]
    if min(shares) < 0 or sum(shares) != 1:
        whole = float(sum(shares))
        raise LimitError(f"{game.name}: the shares in {situation.information!r} are {whole:g} in all; expected 1")
    return shares


# ---- exactly ------------------------------------------------------------------------------------------------------


def _plan(game: Sequences, player: int) -> list[Fraction]:
    """How often each of the player's sequences is taken in a plan that is safest against any answer.

    With payoffs that are never negative (all raised alike) to take a sequence more often never costs anything, nor is
    any situation worth less than 0 to the other side's answer. So nothing but inequalities is needed, and x = 0 is a
    point to begin with:

        the plan of the player       x[0] <= 1, and what goes on from a situation <= what leads to it
        the worth w of each          w[0] - w[situations that the empty sequence leads to]  <=  earned at its end
        situation of the other side  w[of a move's situation] - w[situations after it]      <=  earned at its end
    """
    own, other = game.sides[player], game.sides[-player]
    raised = _raised(game, player)
    whole = lcm(*(payoff.denominator for payoff in raised.values()))
    worth = own.sequences  # the first of the variables that are not the plan's: w[0], then one for each situation
    width = worth + 1 + len(other.situations)
    rows: list[list[int]] = []
    right: list[int] = []

    def new_row(side: int) -> list[int]:
        rows.append([0] * width)
        right.append(side)
        return rows[-1]

    new_row(1)[0] = 1
    for situation in own.situations:
        row = new_row(0)
        row[situation.parent] = -1
        for sequence in situation.sequences:
            row[sequence] = 1
    answers = [new_row(0) for _ in range(other.sequences)]
    answers[0][worth] = 1
    for number, situation in enumerate(other.situations, worth + 1):
        answers[situation.parent][number] = -1
        for sequence in situation.sequences:
            answers[sequence][number] = 1
    for (ours, theirs), payoff in raised.items():
        answers[theirs][ours] -= int(payoff * whole)
    objective = [0] * width
    objective[worth] = 1
    return maximise(objective, rows, right)[1][:worth]


def _raised(game: Sequences, player: int) -> dict[tuple[int, int], Fraction]:
    """What the player gets by its own sequence and the other's, each end of the game worth so much more for it that
    none is negative.
    """
    return {
        (end if player == MAX else end[::-1]): player * game.payoffs[end] + game.largest * likely
        for end, likely in game.ends.items()
    }


def _strategy(game: Sequences, player: int, plan: list[Fraction], other: list[Fraction]) -> Strategy:
    """A plan as shares in each situation; where its own moves never lead, the best answer to the other's plan."""
    _, chosen = game.best(player, game.earnings(player, other, game.payoffs))
    strategy: dict[str, dict[str, Fraction]] = {}
    for situation in game.sides[player].situations:
        whole = sum(plan[sequence] for sequence in situation.sequences)
        if whole:
            shares = [plan[sequence] / whole for sequence in situation.sequences]
        else:
            best = chosen[situation.information]
            shares = [Fraction(place == best) for place in range(len(situation.moves))]
        strategy[situation.information] = dict(zip(situation.names, shares, strict=True))
    return strategy


# ---- by regret ------------------------------------------------------------------------------------------------------


class _Learner:
    """One side's regrets, and what it has done so far."""

    def __init__(self, game: Sequences, player: int) -> None:
        self.game = game
        self.payoffs = {end: float(payoff) for end, payoff in game.payoffs.items() if payoff}
        self.player = player
        self.situations = game.sides[player].situations
        self.regrets = [0.0] * game.sides[player].sequences
        self.sums = [0.0] * game.sides[player].sequences
        self.plan = self._current()

    def _current(self) -> list[float]:
        """The plan that chooses in proportion to regrets."""
        plan = [1.0] * len(self.regrets)
        for situation in self.situations:
            regrets = [self.regrets[sequence] for sequence in situation.sequences]
            whole = sum(regrets)
            for sequence, regret in zip(situation.sequences, regrets, strict=True):
                plan[sequence] = plan[situation.parent] * (regret / whole if whole > 0 else 1 / len(regrets))
        return plan

    def learn(self, other: list[float], number: int) -> None:
        """Regret once more, against the other's plan, in the round of that number."""
        worth = self.game.earnings(self.player, other, self.payoffs)
        for situation in reversed(self.situations):
            regrets = [self.regrets[sequence] for sequence in situation.sequences]
            values = [worth[sequence] for sequence in situation.sequences]
            whole = sum(regrets)
            if whole > 0:
                mean = sum(value * regret for value, regret in zip(values, regrets, strict=True)) / whole
            else:
                mean = sum(values) / len(values)
            for sequence, value in zip(situation.sequences, values, strict=True):
                self.regrets[sequence] = max(0.0, self.regrets[sequence] + value - mean)
            worth[situation.parent] += mean
        self.plan = self._current()
        self.sums = [before + number * share for before, share in zip(self.sums, self.plan, strict=True)]

    def strategy(self) -> Strategy:
        """The mean of all rounds."""
        strategy: dict[str, dict[str, Fraction]] = {}
        for situation in self.situations:
            sums = [Fraction(self.sums[sequence]) for sequence in situation.sequences]
            whole = sum(sums)
            shares = [each / whole if whole else Fraction(1, len(sums)) for each in sums]
            strategy[situation.information] = dict(zip(situation.names, shares, strict=True))
        return strategy


def _approximate(game: Sequences, rounds: int) -> Iterator[Equilibrium]:
    sides = {player: _Learner(game, player) for player in (MAX, MIN)}
    told = 1
    for number in range(1, rounds + 1):
        for player in (MAX, MIN):
            sides[player].learn(sides[-player].plan, number)
        if number in (told, rounds):
            told *= 10
            yield judged(game, {player: side.strategy() for player, side in sides.items()}, number)
