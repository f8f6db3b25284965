"""Bridge with hidden hands: contract, what players know, uniform deals, results, notation, players, the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from random import Random
from statistics import mean, stdev
from typing import Any

import pytest

from zermelo.arena.game_course import seed_of
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.arena.players.specs import player_for
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.core.information_sets import RANDOM
from zermelo.core.player_view import consistent
from zermelo.errors import PositionError
from zermelo.games.bridge import Bridge, BridgePlay
from zermelo.games.bridge.cards import DECK, SEATS
from zermelo.testing import check_game

parse = BridgePlay.parse
DEAL = "N:KQ3.AJ84.K52.A93 AJ85.Q6.QT84.KT4 T742.K93.A973.Q6 96.T752.J6.J8752"
SMALL = "N:AQ2... K4.Q.. 53..A. T.98.."


def deal(contract: str, seed: int) -> BridgePlay:
    state = parse(contract)
    for card in Random(seed).sample(range(DECK), DECK):
        state = state.play(card)
    return state


@pytest.mark.quick
@pytest.mark.parametrize("contract", ["3NT S", "1S E", "2H N", "7D W"])
def test_contract(contract: str) -> None:
    assert check_game(parse(f"{contract} {SMALL}"), games=3).unfinished == 0


@pytest.mark.long
def test_contract_with_whole_deals() -> None:
    assert check_game(BridgePlay, games=3).unfinished == 0


@pytest.mark.quick
def test_what_each_side_knows() -> None:
    state = parse(f"4S S {DEAL}")
    assert (state.to_move(), state.seen(MAX), state.seen(MIN)) == (MIN, (2,), (3,))
    assert state.information_state(MAX) == "4S S | S:T742.K93.A973.Q6 | -"
    state = state.after("C5")
    assert (state.to_move(), state.seen(MAX), state.seen(MIN)) == (MAX, (2, 0), (1, 0))
    state = state.after("C3")
    assert state.information_state(MIN) == "4S S | E:AJ85.Q6.QT84.KT4 | N:KQ3.AJ84.K52.A9 | C5 C3"
    assert state.information_state(MAX) == "4S S | S:T742.K93.A973.Q6 | N:KQ3.AJ84.K52.A9 | C5 C3"
    assert state.after("CK C6").information_state(MIN).startswith("4S S | E:AJ85.Q6.QT84.T4 | N:")
    by_east = parse(f"1C E {DEAL}").after("S2")
    assert (by_east.seen(MIN), by_east.seen(MAX)) == ((1, 3), (0, 3))


@pytest.mark.quick
def test_views_show_no_hidden_card() -> None:
    state = parse(f"4S S {DEAL}").after("C5 C3")
    assert state.view(MIN).board().splitlines() == [
        "                  North",
        "                  ♠ KQ3",
        "                  ♥ AJ84",
        "                  ♦ K52",
        "                  ♣ A9",
        "West                                East",
        "                     ♣3             ♠ AJ85",
        "                  ♣5    ?           ♥ Q6",
        "                                    ♦ QT84",
        "                                    ♣ KT4",
        "                  South",
        "", "", "", "",
        "♠ trumps; tricks: North-South 0, East-West 0",
        "4S by South: 10 tricks to take",
    ]  # fmt: skip
    assert state.board().count("♠") == 5


@pytest.mark.quick
def test_the_cards_are_dealt_by_chance() -> None:
    state = parse("2D W SA H3 D2 CT SK")
    assert (state.to_move(), str(state)) == (CHANCE, "2D W SK H3 D2 CT SA")  # North has both spades
    assert parse(str(state)) == state
    assert (len(state.legal_moves()), state.information_state(MAX)) == (47, "2D W | 5 cards dealt")
    assert [hand.count() for hand in state.resample(MIN, 7).position.hands] == [2, 1, 1, 1]
    dealt = deal("2D W", 1)
    assert (dealt.to_move(), SEATS[dealt.position.seat()]) == (MAX, "N")
    assert parse(str(dealt)) == dealt
    assert isinstance(dealt.open_state(), Bridge)


def possible_deals(state: BridgePlay, player: int) -> set[tuple[Bitboard, ...]]:
    """All deals with the same lengths of the hands in which nobody holds a suit that it did not follow."""
    one, other = state.unseen(player)
    hands, voids = state.position.hands, state.voids()
    unseen = list(hands[one] | hands[other])
    found = set()
    for cards in combinations(unseen, hands[one].count()):
        rest = [card for card in unseen if card not in cards]
        if not any(card // 13 in voids[one] for card in cards) and not any(card // 13 in voids[other] for card in rest):
            dealt = list(hands)
            dealt[one], dealt[other] = (Bitboard(sum(1 << card for card in part)) for part in (cards, rest))
            found.add(tuple(dealt))
    return found


@pytest.mark.quick
@pytest.mark.parametrize(
    ("moves", "player", "deals"), [("H8 S2", MIN, 10), ("H8 S2 HQ S5", MIN, 3), ("H8 S2 HQ S5", MAX, 6)]
)
def test_deals_are_drawn_uniformly(moves: str, player: int, deals: int) -> None:
    state = parse(f"3NT S {SMALL}").after(moves)
    expected = possible_deals(state, player)
    random = Random(1)
    draws = 400 * len(expected)
    counts = Counter(state.resample(player, random.randrange(RANDOM)).position.hands for _ in range(draws))
    assert len(expected) == deals
    assert set(counts) == expected
    assert all(abs(count - 400) < 100 for count in counts.values())  # five standard deviations
    assert state.position.hands in expected


@pytest.mark.quick
def test_discards_show_voids() -> None:
    state = deal("3NT S", 5)
    random = Random(2)
    while not state.is_over():
        voids = state.voids()
        for player in (MAX, MIN):
            drawn = state.resample(player, random.randrange(RANDOM))
            assert drawn.information_state(player) == state.information_state(player)
            for seat, suits in enumerate(voids):
                assert not any(card // 13 in suits for card in drawn.position.hands[seat])
        state = state.play(random.choice(state.legal_moves()))


@pytest.mark.quick
def test_results() -> None:
    state = deal("3NT S", 1)
    random = Random(3)
    while not state.is_over():
        state = state.play(random.choice(state.legal_moves()))
    taken = state.position.north_south
    assert state.utility() == 2 * taken - 13
    for level, result in ((taken - 6, "made"), (taken - 5, "down 1"), (taken - 7, "made with 1 overtrick")):
        assert state.replace(level=level).result() == result
    assert state.replace(level=taken - 8).result() == "made with 2 overtricks"
    assert parse(f"3NT S {SMALL}").board().endswith("\n3NT by South")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8S", "'8S' is not a contract; expected a contract such as 3NT or 4S"),
        ("S", "'S' is not a contract"),
        ("3NT S SA SA", "'SA' is not a legal move here; legal: S2 S3"),
        ("3NT S N:AK..", "is not a deal; expected SEAT:HAND"),
        ("3NT S N:AK... QJ... T9... 87... SA", "'SA' is not a legal move here; legal: S7 S8"),
        ("3NT S N:AK... QJ... T9... 8...", "the hands have North 2, East 2, South 2, West 1 cards; expected equally"),
        ("3NT S N:AK... QJ... T9... 8A...", "SA is in the hands of North and West"),
        (f"3NT S {DEAL.replace('KQ3', 'KQJ')}", "in the hands of North and East"),
        ("3NT" + " SA" * 200, "603 characters; expected at most 400"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


# ---- players --------------------------------------------------------------------------------------------------------


def tricks_of_declarer(start: BridgePlay, declarer: str, defender: str, seed: int) -> int:
    """Play a deal; players get states drawn from what they know, as from the referee."""
    declaring = MAX if start.declarer % 2 == 0 else MIN
    specs = {declaring: declarer, -declaring: defender}
    players = {side: player_for(BridgePlay, spec) for side, spec in specs.items()}
    for side, player in players.items():
        player.new_game(GameSetup(consistent(start, side, seed), side, seed_of("player", seed, side)))
    state = start
    while not state.is_over():
        side = state.to_move()
        seen = consistent(state, side, seed_of(seed, len(state.played)))
        state = state.play(players[side].choose(Turn(seen, (), (), Clock.of(TimeControl()))).move)
    return state.position.north_south if declaring == MAX else state.position.east_west


def tricks_ahead(first: str, second: str, deals: int) -> tuple[float, float]:
    """How many more tricks the first player takes as declarer against the second than the second against the first.

    The mean over deals, and its standard error.
    """
    contracts = ["3NT S", "4S S", "4H N", "1NT W", "2D E", "3C S", "2S W"]
    found = []
    for number in range(deals):
        start = deal(contracts[number % len(contracts)], number)
        tricks = tricks_of_declarer(start, first, second, number)
        found.append(tricks - tricks_of_declarer(start, second, first, number))
    return mean(found), stdev(found) / deals**0.5


@pytest.mark.long
def test_the_simple_rule_beats_random_cards() -> None:
    ahead, error = tricks_ahead("strategy:simple", "random", 40)
    assert ahead > 5 * error


@pytest.mark.nightly
@pytest.mark.parametrize("opponent", ["random", "strategy:simple"])
def test_sampled_deals_beat_simple_players(opponent: str) -> None:
    ahead, error = tricks_ahead("pimc", opponent, 14)
    print(f"pimc against {opponent}: {ahead:+.2f} +- {error:.2f} tricks of the declarer")
    assert ahead > 4 * error


@pytest.mark.long
def test_a_player_repeats_its_cards_by_seed() -> None:
    state = parse(f"3NT S {DEAL}").after(
        "H2 H4 HQ HK D3 D6 DK D4 D2 D8 DA DJ D7 S6 D5 DT CK C6 C2 C3 CT CQ C5 C9 D9 C7 H8 DQ SA S2 S9 S3"
    )
    assert len({tricks_of_declarer(state, "pimc", "pimc:samples=3", 4) for _ in range(2)}) == 1


# ---- the terminal ----------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("side", ["max", "min"])
def test_hidden_hands_are_blank_at_the_terminal(zermelo: Callable[..., Any], side: str) -> None:
    cards = "S2 S3 S4 S5 ST SQ SK SA H8 H9 HQ DA"
    words = ("play", "bridge-play", f"1NT S {SMALL}", "--as", side, "--seed", "1", "--quiet")
    code, out, err = zermelo(*words, typed="\n".join(cards.split() * 9))
    assert (code, err) == (0, "")
    assert "the game is over: " in out
    boards = out.split(" North\n")[1:-1]  # the last one is that of the finished game
    assert len(boards) >= 5
    for board in boards:
        above, _, south = board.partition("South\n")
        rows = above.splitlines()[-4:]
        west, east = any(row[:18].strip() for row in rows), any(row[36:].strip() for row in rows)
        if side == "max":
            assert not west
            assert not east
        else:
            assert west != east
            assert not any(south.splitlines()[:4])
