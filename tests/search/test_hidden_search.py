"""ISMCTS and PIMC: results that depend on what a player knows alone, strategy fusion, and play against random moves."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.arena.players.specs import check_player, check_spec, player_for
from zermelo.core.game import MAX, MIN, State, game
from zermelo.errors import GameError, LimitError
from zermelo.games.kuhn import Kuhn
from zermelo.games.leduc import Leduc
from zermelo.games.phantom_tictactoe import PhantomTicTacToe
from zermelo.search.determinization import pimc
from zermelo.search.mcts.information_sets import ismcts

TAKE, GUESS = 0, 1


@game
class Coin(State):
    """MIN hides a coin; MAX takes 1, or guesses the hand, and wins or loses 3."""

    hidden: int = -1
    chosen: int = -1
    guess: int = -1

    perfect_information = False
    max_utility = 3

    def to_move(self) -> int:
        return MIN if self.hidden < 0 else MAX

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0
        yield 1

    def play(self, move):  # type: ignore[no-untyped-def]
        if self.hidden < 0:
            return self.replace(hidden=move)
        return self.replace(chosen=move) if self.chosen < 0 else self.replace(guess=move)

    def is_over(self) -> bool:
        return self.chosen == TAKE or self.guess >= 0

    def utility(self) -> int:
        if self.chosen == TAKE:
            return 1
        return 3 if self.guess == self.hidden else -3

    def information_state(self, player: int) -> str:
        return f"{self.hidden if player == MIN else self.hidden >= 0} {self.chosen} {self.guess}"


@pytest.mark.quick
@pytest.mark.parametrize("observers", ["multiple", "single"])
def test_information_sets_prevent_strategy_fusion(observers: str) -> None:
    found = ismcts(Coin(hidden=1), 2000, seed=3, observers=observers, compiled=False)
    assert found.move == TAKE
    assert [each.move for each in found.moves] == [TAKE, GUESS]
    assert found.moves[0].mean == 1
    assert abs(found.moves[1].mean) < 0.8


@pytest.mark.long
def test_perfect_information_monte_carlo_has_strategy_fusion() -> None:
    found = pimc(Coin(hidden=1), 50)
    assert (found.move, found.moves[0].mean, found.moves[1].mean) == (GUESS, 3, 1)


@pytest.mark.long
def test_samples_are_not_begun_after_the_limit() -> None:
    every = pimc(Coin(hidden=1), 50)
    assert [each.visits for each in every.moves] == [50, 50]
    assert pimc(Coin(hidden=1), 50, nodes=every.nodes + 1) == every
    assert [each.visits for each in pimc(Coin(hidden=1), 50, seconds=1e-9).moves] == [1, 1]
    assert [each.visits for each in pimc(Coin(hidden=1), 50, nodes=1).moves] == [1, 1]
    assert pimc(Coin(hidden=1), 50, nodes=every.nodes // 2).moves[0].visits == 25


@pytest.mark.long
@pytest.mark.parametrize("observers", ["multiple", "single"])
@pytest.mark.parametrize("state", [PhantomTicTacToe().play(4).play(4).play(0), Leduc.parse("JK raise")], ids=str)
def test_compiled_and_interpreted_searches_agree(state: State, observers: str) -> None:
    compiled = ismcts(state, 400, seed=9, observers=observers, memory="1M")
    assert compiled == ismcts(state, 400, seed=9, observers=observers, memory="1M", compiled=False)
    assert compiled.nodes == sum(each.visits for each in compiled.moves) == 400
    assert compiled != ismcts(state, 400, seed=10, observers=observers, memory="1M")


@pytest.mark.long
def test_results_do_not_depend_on_what_is_hidden() -> None:
    for state in (
        Leduc.parse("JK raise"),
        Leduc.parse("QJ check raise call K"),
        PhantomTicTacToe().play(4).play(4).play(0),
    ):
        others = {state.resample(state.to_move(), number << 55) for number in range(100)}
        assert len(others) > 1
        assert len({ismcts(each, 200, seed=2) for each in others}) == 1
    assert pimc(Coin(hidden=0), 5) == pimc(Coin(hidden=1), 5)


@pytest.mark.quick
def test_sure_results_are_found_in_kuhn_poker() -> None:
    for text, move in (("KJ check bet", "call"), ("JK check bet", "fold"), ("QK bet", "call"), ("QJ bet", "fold")):
        state = Kuhn.parse(text)
        found = ismcts(state, 300, compiled=False)
        assert state.move_name(found.move) == move, text


@pytest.mark.quick
def test_a_full_table_ends_growth_only() -> None:
    assert ismcts(PhantomTicTacToe(), 300, memory=1, compiled=False).nodes == 300


@pytest.mark.quick
def test_errors() -> None:
    with pytest.raises(LimitError, match="ismcts needs a limit: nodes or seconds"):
        ismcts(Kuhn.parse("KQ"))
    with pytest.raises(LimitError, match="observers must be multiple or single"):
        ismcts(Kuhn.parse("KQ"), 10, observers="none")
    with pytest.raises(LimitError, match="seed must be between 0 and 2"):
        ismcts(Kuhn.parse("KQ"), 10, seed=-1)
    with pytest.raises(GameError, match="Kuhn: no player is to move in start"):
        ismcts(Kuhn(), 10)
    with pytest.raises(GameError, match="Kuhn: no player is to move in KQ check check"):
        pimc(Kuhn.parse("KQ check check"))
    with pytest.raises(LimitError, match="samples must be from 1 to 1,000,000"):
        pimc(Kuhn.parse("KQ"), 0)
    for spec, message in (
        ("ismcts:observers=both", "observers=both: expected multiple or single"),
        ("ismcts:node=10", r"'node=10' is not an option; .*did you mean nodes="),
        ("ismcts:nodes=0", "nodes must be at least 1"),
        ("pimc:samples=0", "samples must be from 1 to"),
        ("pimc:depth=x", "'x' in 'depth=x' is not a number"),
        ("pimc:nodes=0", "nodes must be at least 1"),
    ):
        with pytest.raises(LimitError, match=message):
            check_spec(spec)
        with pytest.raises(LimitError, match=message):
            check_player(Kuhn, spec)


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "state"), [("ismcts:nodes=300,memory=1M", Leduc.parse("QK raise")), ("pimc:samples=3", Coin(hidden=0))]
)
def test_players_repeat_their_games_by_seed(spec: str, state: State) -> None:
    def moves() -> list[int]:
        player = player_for(type(state), spec)
        found = []
        for seed in range(5):
            player.new_game(GameSetup(state, state.to_move(), seed))
            found.append(player.choose(Turn(state, (), (), Clock.of(TimeControl()))).move)
        return found

    assert moves() == moves()


# ---- against random moves -------------------------------------------------------------------------------------------

LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
#: Points of the best response to random moves in phantom tic-tac-toe, as X and as O.
BEST_RESPONSE = {MAX: 0.9765625, MIN: 0.8121693121693122}

Belief = dict[tuple[int, int], float]  # probability by the opponent's stones and the refused squares it knows


@cache
def is_line(stones: int) -> bool:
    return any(stones & line == line for line in LINES)


def after_random_moves(belief: Belief, own: int) -> tuple[Belief, float]:
    """The belief after the opponent's next stone, and the points of games that end with it."""
    found: Belief = {}
    points = 0.0
    while belief:
        refused: Belief = {}
        for (stones, known), probability in belief.items():
            free = [square for square in range(9) if not (stones | known) >> square & 1]
            for square in free:
                bit, share = 1 << square, probability / len(free)
                if own & bit:
                    refused[stones, known | bit] = refused.get((stones, known | bit), 0.0) + share
                elif stones | bit | own == 0o777 and not is_line(stones | bit):
                    points += share / 2
                elif not is_line(stones | bit):
                    found[stones | bit, known] = found.get((stones | bit, known), 0.0) + share
        belief = refused
    return found, points


def best_response(own: int, refused: int, belief: Belief, known: dict[object, float]) -> float:
    """The most points that a player can get against random moves, times the probability of the belief."""
    total = sum(belief.values())
    key = own, refused, tuple(sorted((each, round(share / total, 10)) for each, share in belief.items()))
    if key in known:
        return known[key] * total
    best = 0.0
    for square in range(9):
        bit = 1 << square
        if (own | refused) & bit:
            continue
        points = 0.0
        occupied = {each: share for each, share in belief.items() if each[0] & bit}
        free = {each: share for each, share in belief.items() if not each[0] & bit}
        if occupied:
            points += best_response(own, refused | bit, occupied, known)
        if is_line(own | bit):
            points += sum(free.values())
        else:
            full = {each for each in free if own | bit | each[0] == 0o777}
            points += sum(free[each] for each in full) / 2
            following, ended = after_random_moves({each: free[each] for each in free if each not in full}, own | bit)
            points += ended
            if following:
                points += best_response(own | bit, refused, following, known)
        best = max(best, points)
    known[key] = best / total
    return best


@pytest.mark.nightly
def test_best_response_to_random_moves() -> None:
    assert best_response(0, 0, {(0, 0): 1.0}, {}) == pytest.approx(BEST_RESPONSE[MAX])
    belief, points = after_random_moves({(0, 0): 1.0}, 0)
    assert best_response(0, 0, belief, {}) + points == pytest.approx(BEST_RESPONSE[MIN])


@pytest.mark.nightly
@pytest.mark.parametrize("observers", ["multiple", "single"])
@pytest.mark.parametrize("side", [MAX, MIN])
def test_phantom_tictactoe_against_random_moves(side: int, observers: str) -> None:
    """Within 2 points of the best response, and two standard errors of 1,000 games."""
    random = Random(7)
    points = 0.0
    for _ in range(1000):
        state = PhantomTicTacToe()
        while not state.is_over():
            if state.to_move() == side:
                seed = random.getrandbits(60)
                move = ismcts(state, 4000, seed=seed, observers=observers, memory="2M").move
            else:
                move = random.choice(state.legal_moves())
            state = state.play(move)
        points += (1 + side * state.utility()) / 2
    assert points / 1000 > BEST_RESPONSE[side] - 0.02 - 2 * 0.012
