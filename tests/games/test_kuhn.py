"""Kuhn poker: contract, the rules of the paper, notation, and refusal by searches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

import zermelo
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.errors import GameError, PositionError
from zermelo.games.kuhn import Kuhn
from zermelo.teaching.tree import game_tree
from zermelo.testing import check_game

# Kuhn 1950, by the rules in words: what is done, who wins with the higher card ("high") or anyway, and how much.
ENDS = {
    "check check": ("high", 1),
    "check bet fold": ("second", 1),
    "check bet call": ("high", 2),
    "bet fold": ("first", 1),
    "bet call": ("high", 2),
}


@pytest.mark.quick
def test_contract() -> None:
    report = check_game(Kuhn, games=200)
    assert (report.longest, report.unfinished) == (4, 0)


@pytest.mark.quick
def test_all_outcomes_agree_with_kuhn() -> None:
    ended: set[str] = set()

    def follow(state: State, done: list[str]) -> None:
        if state.is_over():
            ended.add(" ".join(done[1:]))
            deal = done[0]
            winner, chips = ENDS[" ".join(done[1:])]
            if winner == "high":
                winner = "first" if "JQK".index(deal[0]) > "JQK".index(deal[1]) else "second"
            assert state.utility() == (chips if winner == "first" else -chips), done
            return
        for move in state.legal_moves():
            follow(state.play(move), [*done, state.move_name(move)])

    follow(Kuhn(), [])
    assert ended == ENDS.keys()


def test_deals_are_equally_likely() -> None:
    start = Kuhn()
    assert start.to_move() == CHANCE
    dealt = {start.move_name(move): weight for move, weight in start.outcomes()}
    assert dealt == {a + b: 1 for a, b in permutations("JQK", 2)}


def test_order_of_actions() -> None:
    movers = {text: Kuhn.parse(f"KQ {text}").to_move() for text in ("", "check", "bet", "check bet")}
    assert movers == {"": MAX, "check": MIN, "bet": MIN, "check bet": MAX}


def test_information_state() -> None:
    texts = ("QK", "QJ", "QK check", "JK check", "QJ check bet")
    known = [tuple(Kuhn.parse(text).information_state(player) for player in (MAX, MIN)) for text in texts]
    assert known == [
        ("Q", "K"), ("Q", "J"), ("Q check", "K check"), ("J check", "K check"), ("Q check bet", "J check bet")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KK", "'KK' is not a deal; expected two cards like KJ"),
        ("K", "'K' is not a deal; expected two cards like KJ"),
        ("AK", "'AK' is not a deal; expected two cards like KJ"),
        ("--", "'--' is not a deal; expected two cards like KJ"),
        ("KQ raise", "'raise' is not a legal move here; legal: check bet"),
        ("KQ bet check", "'check' is not a legal move here; legal: fold call"),
        ("KQ bet call check", "the game is over"),
        ("K" * 1_000_000, "1,000,000 characters; expected at most 200"),
        ("KQ\0", r"'KQ\\x00' is not a deal; expected two cards like KJ"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as error:
        Kuhn.parse(text)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("text", ["", "start", "kq", "JK check", "QJ check bet call"])
def test_position_round_trip(text: str) -> None:
    state = Kuhn.parse(text)
    assert Kuhn.parse(str(state)) == state


# ---- no search takes it ---------------------------------------------------------------------------------------------

SEARCHES: dict[str, Callable[[State], Any]] = {
    "engine": lambda state: zermelo.analyse(state, depth=2),
    "best move": lambda state: zermelo.best_move(state, depth=2),
    "minimax": lambda state: zermelo.minimax(state, 2),
    "alphabeta": lambda state: zermelo.alphabeta(state, 2),
    "negamax": lambda state: zermelo.negamax(state, 2),
    "compiled": lambda state: zermelo.minimax(state, 2, compiled=True),
    "tree": lambda state: game_tree(state, 2),
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("text", ["", "KQ", "KQ check bet", "KQ check check"])
def test_searches_refuse_hidden_information(search: str, text: str) -> None:
    with pytest.raises(GameError, match=r"^Kuhn is a game of imperfect information: .*zermelo\.solve\.equilibrium"):
        SEARCHES[search](Kuhn.parse(text))


def test_perft() -> None:
    assert [zermelo.perft(Kuhn(), depth) for depth in range(6)] == [1, 6, 12, 24, 12, 0]


def test_information_state_requires_the_declaration() -> None:
    rules = {name: vars(Kuhn)[name] for name in ("to_move", "moves", "play", "is_over", "utility")}
    with pytest.raises(GameError, match=r"^Hidden has perfect_information = False but no method information"):
        game(type("Hidden", (), {"perfect_information": False, "__annotations__": {}, **rules}))
    with pytest.raises(GameError, match=r"^Told\.information_state\(self, player\) is for games with hidden"):
        game(type("Told", (), {"information_state": Kuhn.information_state, "__annotations__": {}, **rules}))
