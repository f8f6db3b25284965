"""The contract of hidden information: the default sampler, and what `check_game` finds in broken games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.information_sets import RANDOM, draw_state, knowledge
from zermelo.core.picture import Grid
from zermelo.errors import GameError
from zermelo.games.kuhn import Kuhn
from zermelo.testing import check_game

pytestmark = pytest.mark.quick


class Cards:
    """Both players get a card of 0 to 2 that only they see; MAX names a card; if it is MIN's, MAX wins."""

    mine: int = -1
    other: int = -1
    named: int = -1
    asked: int = -1

    perfect_information = False

    def to_move(self):
        if self.other < 0:
            return CHANCE
        return MAX if self.named < 0 else MIN

    def moves(self):
        yield from range(3)

    def outcomes(self):
        for mine in range(3):
            for other in range(3):
                if mine != other:
                    yield 3 * mine + other, 1

    def play(self, move):
        if self.other < 0:
            return self.replace(mine=move // 3, other=move % 3)
        return self.replace(named=move) if self.named < 0 else self.replace(asked=move)

    def is_over(self):
        return self.asked >= 0

    def utility(self):
        return 1 if self.named == self.other else -1

    def information_state(self, player):
        return f"card {self.mine if player == MAX else self.other}, named {self.named}, asked {self.asked}"


def made(**changes: Any) -> Any:
    annotations = Cards.__annotations__
    members = {name: value for name, value in vars(Cards).items() if not name.startswith("__") or name == "__doc__"}
    return game(compiled=False)(type("Cards", (), {**members, "__annotations__": annotations, **changes}))


def test_a_sound_game_passes() -> None:
    assert check_game(made(), games=20).games == 20


def hidden_key(self: Any, player: int) -> Bitboard:
    return Bitboard(25 * (self.mine if player == MAX else self.other) + 5 * self.named + self.asked + 31)


def swap(self: Any, player: int, random: int) -> Any:
    """The right sampler: the other card is one of the two that the player does not have."""
    if self.other < 0:
        return self
    own = self.mine if player == MAX else self.other
    drawn = (own + 1 + random % 2) % 3
    return self.replace(other=drawn) if player == MAX else self.replace(mine=drawn)


def test_a_sampler_and_a_key_of_its_own_pass() -> None:
    check_game(made(resample=swap, information_key=hidden_key), games=20)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "no text": (
        {"information_state": lambda self, player: 7},
        r"^Cards\.information_state\(1\) returned 7 \(int\); expected one line of text; position: ",
    ),
    "forgets its own move": (
        {"information_state": lambda self, player: f"card {self.mine if player == MAX else self.other}"},
        r"^Cards\.information_state cannot be right: information_state\(1\) is 'card \d' here and in .*, though the "
        r"player has observed or done other things before \(no perfect recall\); position: ",
    ),
    "squares differ": (
        {
            "picture": lambda self: Grid(3, 1),
            "move_path": lambda self, move: ((self.other, 0),),
        },
        r"^Cards\.move_path cannot be right: .*, though the moves have other squares there; position: ",
    ),
    "moves differ": (
        {"moves": lambda self: iter([card for card in range(3) if self.named >= 0 or card != self.other])},
        r"^Cards\.moves cannot be right: information_state\(1\) is 'card .*' here and in .*, though the player can "
        r"make other moves there; position: ",
    ),
    "key of too much": (
        {"information_key": lambda self, player: Bitboard(hash(tuple(self)) & 0xFFFFFFFF)},
        r"^Cards\.information_key\(-?1\) is 0x\w+ and 0x\w+ where information_state is 'card .*'; expected equal",
    ),
    "key of too little": (
        {"information_key": lambda self, player: Bitboard(self.named + 1)},
        r"^Cards\.information_key\(1\) is 0x0 where information_state is 'card .*' and where it is 'card .*'; expected "
        r"different keys; position: ",
    ),
    "sampler of other information": (
        {"resample": lambda self, player, random: swap(self, -player, random)},
        r"^Cards\.resample\(-?1, \d+\) returned .*, where information_state\(-?1\) is 'card .*'; expected 'card",
    ),
    "sampler that keeps what is hidden": (
        {"resample": lambda self, player, random: self},
        r"^Cards\.resample\(-?1, \d+\) returned .*; expected it to depend on what",
    ),
    "sampler that looks at what is hidden": (
        {"resample": lambda self, player, random: swap(self, player, random + self.mine + self.other)},
        r"^Cards\.resample\(-?1, \d+\) returned .*, but .* in .*, which the player cannot tell from this state; "
        r"expected it to depend on what the player knows alone; position: ",
    ),
    "sampler of no state": (
        {"resample": lambda self, player, random: None},
        r"^Cards\.resample\(1, \d+\) returned None; expected a state of Cards; position: ",
    ),
    "view of everything": (
        {"view": lambda self, player: self},
        r"^Cards\.view cannot be right: information_state\(-?1\) is .*, though view\(-?1\) differs; position: ",
    ),
    "view of no state": (
        {"view": lambda self, player: 3},
        r"^Cards\.view\(1\) returned 3; expected a state of Cards, or None; position: ",
    ),
}  # fmt: skip


@game
class Open:
    """`Cards` with open cards."""

    mine: int = -1
    other: int = -1
    named: int = -1
    asked: int = -1

    def to_move(self):
        return MAX if self.named < 0 else MIN

    def moves(self):
        for card in range(3):
            yield card

    def play(self, move):
        return self.replace(named=move) if self.named < 0 else self.replace(asked=move)

    def is_over(self):
        return self.asked >= 0

    def utility(self):
        return 1 if self.named == self.other else -1


def test_a_side_without_perfect_recall_passes() -> None:
    def forgets(self: Any, player: int) -> str:
        """MAX knows its card until it has named one."""
        card = self.other if player == MIN else self.mine if self.named < 0 else "forgotten"
        return f"card {card}, named {self.named}, asked {self.asked}"

    with pytest.raises(GameError, match="no perfect recall"):
        check_game(made(information_state=forgets), games=20)
    check_game(made(information_state=forgets, perfect_recall=False), games=20)
    with pytest.raises(GameError, match=r"^Open\.perfect_recall = False is for games with hidden information; declare"):
        game(type("Open", (Open,), {"perfect_recall": False, "__annotations__": {}}))


def test_an_open_state_passes() -> None:
    check_game(made(open_state=lambda self: Open(*self)), games=20)


OPEN: dict[str, tuple[Any, str]] = {
    "hidden": (lambda self: self, r"\(\) returned Cards.*; expected a state of a game with perfect information; pos"),
    "another state": (
        lambda self: Open(*self).replace(named=-1, asked=-1),
        r"whose to_move\(\) is 1; expected -1; pos",
    ),
    "another result": (lambda self: Open(*self).replace(other=self.named), r"whose utility\(\) is 1; expected -1; pos"),
    "still going on": (lambda self: Open(*self).replace(asked=-1), r"whose is_over\(\) is False; expected True; pos"),
}


@pytest.mark.parametrize("name", OPEN)
def test_check_game_compares_the_open_state(name: str) -> None:
    method, message = OPEN[name]
    with pytest.raises(GameError, match=r"^Cards\.open_state.*" + message):
        check_game(made(open_state=method), games=20)


@pytest.mark.parametrize("name", BROKEN)
def test_check_game_names_what_is_wrong(name: str) -> None:
    changes, message = BROKEN[name]
    with pytest.raises(GameError, match=message) as caught:
        check_game(made(**changes), games=100)
    assert "\n" not in str(caught.value)


# ---- the default sampler --------------------------------------------------------------------------------------------


def draws(state: State, player: int, count: int = 600) -> Counter[str]:
    return Counter(str(draw_state(state, player, RANDOM * each // count)) for each in range(count))


def test_default_sampler_draws_by_probability() -> None:
    assert draws(Kuhn.parse("QK check"), MAX) == {"QK check": 300, "QJ check": 300}
    assert draws(Kuhn.parse("QK check bet"), MIN) == {"QK check bet": 300, "JK check bet": 300}
    assert draws(Kuhn(), MIN) == {"start": 600}


@pytest.mark.parametrize("text", ["QK", "JK bet", "KQ check bet"])
@pytest.mark.parametrize("player", [MAX, MIN])
def test_sampler_of_kuhn_draws_the_same_states(text: str, player: int) -> None:
    state = Kuhn.parse(text)
    assert {str(state.resample(player, random)) for random in range(8)} == set(draws(state, player))


@pytest.mark.slow
def test_default_sampler_refuses_what_it_cannot_reach_or_hold() -> None:
    with pytest.raises(GameError, match=r"^Cards: .* is not reached from start\(\), .* define resample\(self, player"):
        made()(mine=7, other=2).resample(MAX, 0)
    endless = made(outcomes=lambda self: iter([(each, 1) for each in range(200_000)]), to_move=lambda self: CHANCE)
    with pytest.raises(GameError, match=r"^Cards has more than 100,000 states, too many .*; define resample\(self, pl"):
        endless().resample(MAX, 0)


def test_players_know_whether_they_are_to_move() -> None:
    state = Kuhn.parse("QK")
    assert knowledge(state, MAX).moves
    assert not knowledge(state, MIN).moves
    assert knowledge(Kuhn.parse("QK bet fold"), MIN).over
