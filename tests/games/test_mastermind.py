"""Mastermind: contract, replies, notation, and optimal strategies against published numbers and brute force."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.errors import LimitError, PositionError
from zermelo.games.mastermind import GUESSES, WHITE, Mastermind, reply_to
from zermelo.solve.mastermind import Strategy, best_strategy
from zermelo.testing import check_game


@pytest.mark.quick
def test_contract() -> None:
    assert check_game(Mastermind(2, 3), games=10, compiled=False).unfinished == 0


@pytest.mark.long
def test_contract_compiled() -> None:
    check_game(Mastermind(3, 3), games=20)


@pytest.mark.quick
def test_replies_are_those_of_an_independent_count() -> None:
    codes = list(product(range(3), repeat=3))
    for guess, secret in product(codes, codes):
        black = sum(a == b for a, b in zip(guess, secret, strict=True))
        both = sum(min(guess.count(colour), secret.count(colour)) for colour in range(3))
        numbers = (sum(digit * 3**place for place, digit in enumerate(reversed(code))) for code in (guess, secret))
        assert reply_to(3, 3, *numbers) == WHITE * black + both - black


@pytest.mark.quick
def test_results_and_what_players_know() -> None:
    state = Mastermind.parse("4x6 3632 1122 1344")
    assert state.information_state(MAX) == "4x6 1122:1-0 1344:0-1"
    assert state.information_state(MIN) == "4x6 3632 1122:1-0 1344:0-1"
    assert "?" in state.view(MAX).board()
    assert "3 6 3 2" in state.view(MIN).board()
    drawn = [state.resample(MAX, number << 52) for number in range(4)]
    assert all(each.is_consistent(each.secret) and each.replace(secret=state.secret) == state for each in drawn)
    assert len(set(drawn)) > 1
    assert state.after("3632").utility() == GUESSES - 2
    assert state.after("1111 " * 8).utility() == -GUESSES


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4x10", "'4x10' is not a game; expected pegs and colours like 4x6"),
        ("6x9", "'6x9' is not a game; .* at most 4,096 codes"),
        ("4x6 1237", "'1237' is not a code; expected 4 colours from 1 to 6, such as 1122"),
        ("4x6 1111 1111 1111", "'1111' cannot be played: the game is over"),
        ("1" * 1000, "1,000 characters; expected at most 200"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Mastermind.parse(text)


# ---- strategies -----------------------------------------------------------------------------------------------------


def guesses_of(strategy: Strategy, game: Mastermind, secret: int) -> int:
    """Number of guesses that a strategy needs for a code."""
    guess = game.parse_move(strategy.guess)
    if guess == secret:
        return 1
    reply = reply_to(game.pegs, game.colours, guess, secret)
    return 1 + guesses_of(strategy.replies[f"{reply // WHITE}-{reply % WHITE}"], game, secret)


def checked(pegs: int, colours: int, criterion: str) -> Strategy:
    """The best strategy, after its numbers are checked against every code."""
    strategy = best_strategy(pegs, colours, criterion)  # type: ignore[arg-type]
    needed = [guesses_of(strategy, Mastermind(pegs, colours), code) for code in range(colours**pegs)]
    assert (sum(needed), max(needed)) == (strategy.total, strategy.worst)
    assert strategy.mean == Fraction(sum(needed), len(needed))
    return strategy


@pytest.mark.long
@pytest.mark.parametrize("size", [(2, 2), (2, 3), (1, 4), (3, 2)])
def test_small_games_are_solved_as_by_brute_force(size: tuple[int, int]) -> None:
    pegs, colours = size
    count = colours**pegs

    @cache
    def least(codes: frozenset[int]) -> tuple[int, int]:
        if len(codes) == 1:
            return 1, 1
        totals, worsts = [], []
        for guess in range(count):
            parts: dict[int, set[int]] = {}
            for code in codes:
                parts.setdefault(reply_to(pegs, colours, guess, code), set()).add(code)
            if len(parts) == 1:
                continue
            found = [least(frozenset(part)) for reply, part in parts.items() if reply != WHITE * pegs]
            totals.append(len(codes) + sum(total for total, _ in found))
            worsts.append(1 + max(worst for _, worst in found))
        return min(totals), min(worsts)

    total, worst = least(frozenset(range(count)))
    assert checked(pegs, colours, "mean").total == total
    assert checked(pegs, colours, "worst").worst == worst


@pytest.mark.long
def test_four_pegs() -> None:
    assert checked(4, 4, "mean").total == 905
    assert checked(4, 6, "worst").worst == 5  # D. E. Knuth 1976; four are not enough


@pytest.mark.nightly
def test_best_mean_of_four_pegs_and_six_colours() -> None:
    assert checked(4, 6, "mean").mean == Fraction(5625, 1296)  # K. Koyama, T. W. Lai 1993


def test_strategies_refuse_what_is_too_large() -> None:
    with pytest.raises(LimitError, match="Mastermind with 5 pegs and 8 colours: expected 1 to 4,096 codes"):
        best_strategy(5, 8)
    with pytest.raises(LimitError, match="criterion must be mean or worst"):
        best_strategy(2, 2, "median")  # type: ignore[arg-type]
