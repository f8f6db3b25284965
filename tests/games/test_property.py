"""The property game: the board, rules one by one, landing frequencies beside a Markov chain, notation and bad input."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from property_chain import JAIL, stationary

import zermelo
from zermelo.compiled import native
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.core.random_numbers import below, next_word
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.property import Property
from zermelo.games.property.evaluations import LANDINGS
from zermelo.games.property.position import DECLINE, DICE, DRAW, MANAGE, PAY, ROLL, TAKE, seat
from zermelo.games.property.squares import DECKS, HOUSE_PRICE, NAMES, PRICE, RENTS, STREETS
from zermelo.testing import check_game

ALMOST_A_GROUP = "600@orange2:orange1,orange3 600@go:red1 first buy turns=60"


def played(position: str, moves: str = "") -> Property:
    state = Property.parse(position)
    for move in moves.split():
        state = state.play(state.parse_move(move))
    return state


def names(state: Property) -> list[str]:
    return [state.move_name(move) for move in state.legal_moves()]


@pytest.mark.long
def test_contract() -> None:
    for text in ("", "start auctions redraws turns=40"):
        report = check_game(Property.parse(text), games=6)
        assert report.unfinished == 0


# ---- the board ------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_the_board_is_the_standard_one() -> None:
    assert len(NAMES) == len(set(NAMES)) == 40
    assert len(STREETS) == 22
    assert sum(PRICE) == 5_690
    prices = {name: HOUSE_PRICE[NAMES.index(name)] for name in ("brown1", "cyan3", "pink1", "red2", "blue1", "rail1")}
    assert prices == {"brown1": 50, "cyan3": 50, "pink1": 100, "red2": 150, "blue1": 200, "rail1": 0}
    assert RENTS[6 * NAMES.index("blue2") :][:6] == (50, 200, 600, 1400, 1700, 2000)
    assert [len(deck) for deck in DECKS] == [16, 16]
    assert all(len({card.name for card in deck}) == 16 for deck in DECKS)


# ---- the dice -------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_dice_have_their_probabilities() -> None:
    state = played("start", "roll")
    assert state.to_move() == CHANCE
    rolls = {state.move_name(move): weight for move, weight in state.outcomes()}
    assert (len(rolls), sum(rolls.values()), rolls["63"], rolls["44"]) == (21, 36, 2, 1)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("position", "moves", "after"),
    [
        # The salary, a visit, a double that rolls again, three doubles.
        ("100@blue2 0@go", "roll 64", "300@cyan3 0@go first buy turns=100 dice=10"),
        ("100@brown2 0@go", "roll 43", "100@visit 0@go second manage turns=99"),
        ("100@visit 0@go", "roll 55", "100@parking 0@go first manage turns=100 doubles=1"),
        ("100@go 0@go first manage doubles=2", "roll 55", "100@jail0 0@go second manage turns=99"),
        ("100@red3 0@go", "roll 42", "100@jail0 0@go second manage turns=99"),
        # Jail: a double leaves without another roll, two failures stay, the third pays.
        ("100@jail0 0@go", "roll 55", "100@parking 0@go second manage turns=99"),
        ("100@jail0 0@go", "roll 54", "100@jail1 0@go second manage turns=99"),
        ("100@jail2 0@go", "roll 64", "50@parking 0@go second manage turns=99"),
        ("100@jail1 0@go", "pay roll 55", "50@parking 0@go first manage turns=100 doubles=1"),
        ("9@jail0:chest-card 0@go", "card roll 64", "9@parking 0@go second manage turns=99"),
        # Taxes.
        ("300@go 0@go", "roll 31", "100@income-tax 0@go second manage turns=99"),
        ("300@rail4 0@go", "roll 21", "200@luxury-tax 0@go second manage turns=99"),
    ],
)
def test_where_the_dice_lead(position: str, moves: str, after: str) -> None:
    assert str(played(position, moves)) == after


# ---- rent -----------------------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize(
    ("owned", "start", "roll", "rent"),
    [
        ("orange1", "visit", "51", 14),
        ("orange1,orange2,orange3", "visit", "51", 28),
        ("orange1,orange2*,orange3", "visit", "51", 28),
        ("orange1*,orange2,orange3", "visit", "51", 0),
        ("orange1+1,orange2,orange3", "visit", "51", 70),
        ("orange1+5,orange2+5,orange3+5", "visit", "51", 950),
        ("rail2", "visit", "32", 25),
        ("rail1,rail2", "visit", "32", 50),
        ("rail1,rail2,rail4", "visit", "32", 100),
        ("rail1,rail2,rail3,rail4", "visit", "32", 200),
        ("electric", "rail1", "61", 28),
        ("electric,water", "rail1", "61", 70),
    ],
)
def test_rents(owned: str, start: str, roll: str, rent: int) -> None:
    state = played(f"2000@{start} 1000@go:{owned}", f"roll {roll}")
    assert state.cash == (2000 - rent, 1000 + rent)
    assert state.turn == MIN
    own = played(f"2000@{start}:{owned} 1000@go", f"roll {roll}")
    assert own.cash == (2000, 1000)


# ---- cards ----------------------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize(
    ("square", "card", "first", "second"),
    [
        ("chance2", "to-go", "1200@go", "1000@go"),
        ("chance2", "to-red3", "1000@red3", "1000@go"),
        ("chance2", "to-pink1", "1200@pink1", "1000@go"),
        ("chance2", "to-rail1", "1200@rail1", "1000@go"),
        ("chance2", "to-blue2", "1000@blue2", "1000@go"),
        ("chance1", "next-rail", "900@rail2:brown1,brown2+5", "1100@go:rail2,rail3"),
        ("chance2", "next-rail-again", "900@rail3", "1100@go:rail2,rail3"),
        ("chance3", "next-utility", "1200@electric", "1000@go"),
        ("chance1", "back3", "800@income-tax", "1000@go"),
        ("chance2", "jail", "1000@jail0", "1000@go"),
        ("chance2", "pardon", "1000@chance2:chance-card", "1000@go"),
        ("chance2", "repairs", "825@chance2:brown1+3,brown2+5", "1000@go"),
        ("chance2", "+50", "1050@chance2", "1000@go"),
        ("chance2", "+150", "1150@chance2", "1000@go"),
        ("chance2", "-15", "985@chance2", "1000@go"),
        ("chance2", "give50", "950@chance2", "1050@go"),
        ("chest2", "to-go", "1200@go", "1000@go"),
        ("chest2", "jail", "1000@jail0", "1000@go"),
        ("chest2", "pardon", "1000@chest2:chest-card", "1000@go"),
        ("chest2", "repairs", "765@chest2:brown1+3,brown2+5", "1000@go"),
        ("chest2", "get10", "1010@chest2", "990@go"),
        ("chest2", "+200", "1200@chest2", "1000@go"),
        ("chest2", "-100", "900@chest2", "1000@go"),
    ],
)
def test_cards(square: str, card: str, first: str, second: str) -> None:
    held = [part.partition(":")[2].replace("chance-card", "").replace("chest-card", "") for part in (first, second)]
    places = [f"1000@{square}", "1000@go"]
    position = " ".join(place + (f":{has}" if has else "") for place, has in zip(places, held, strict=True))
    state = played(f"{position} first draw", card)
    assert str(state).split()[:2] == [first, second]
    assert sum(each.bit_count() for each in state.drawn) == 1
    assert not any(played(f"{position} first draw redraws", card).drawn)


@pytest.mark.quick
def test_a_utility_reached_by_a_card_costs_ten_times_a_new_roll() -> None:
    state = played("1000@chance1 1000@go:electric first draw dice=7", "next-utility")
    assert (state.to_move(), sum(weight for _, weight in state.outcomes())) == (CHANCE, 36)
    assert state.play(state.parse_move("31")).cash == (960, 1040)


@pytest.mark.quick
def test_cards_are_drawn_once_until_the_deck_is_shuffled() -> None:
    state = played("1000@chance2 1000@go first draw drawn=3fff,0")
    assert names(state) == ["-15", "give50"]
    assert state.play(state.parse_move("give50")).drawn == (0xBFFF, 0)
    kept = played("1000@chance2 1000@go:chance-card first draw drawn=bbff,0")
    assert names(kept) == ["-15"]
    assert kept.play(kept.parse_move("-15")).drawn == (0, 0)


# ---- houses, mortgages, debts ---------------------------------------------------------------------------------------


@pytest.mark.quick
def test_houses_are_built_and_sold_evenly() -> None:
    state = played("1000@go:brown1,brown2 0@go")
    assert names(state) == ["roll", "build-brown1", "build-brown2", "mortgage-brown1", "mortgage-brown2"]
    state = played(str(state), "build-brown1")
    assert names(state) == ["roll", "build-brown2", "sell-brown1"]
    state = played(str(state), "build-brown2 build-brown2 sell-brown2")
    assert state.cash[0] == 1000 - 3 * 50 + 25
    assert names(played("1000@go:brown1,brown2* 0@go")) == ["roll", "redeem-brown2", "mortgage-brown1"]
    assert names(played("1000@go:brown1 0@go:brown2")) == ["roll"]
    assert "build-brown1" not in names(played("49@go:brown1,brown2 0@go"))


@pytest.mark.quick
def test_the_bank_has_32_houses_and_12_hotels() -> None:
    eight = "pink1+4,pink2+4,pink3+4,red1+4,red2+4,red3+4,cyan1+4,cyan2+3,cyan3+1"
    state = Property.parse(f"9000@go:brown1,brown2,{eight} 0@go")
    assert state.houses_built() == 32
    assert not [name for name in names(state) if name.startswith("build-brown")]
    assert "build-pink1" in names(state)  # a hotel gives four houses back
    hotel = state.play(state.parse_move("build-pink1"))
    assert (hotel.houses_built(), hotel.hotels_built()) == (28, 1)
    # Four houses are left for a hotel that is sold; two after two more are built.
    built = played(str(hotel), "build-brown1 build-brown2")
    sold = built.play(built.parse_move("sell-pink1"))
    assert "pink1+2" in str(sold)
    assert sold.cash[0] == built.cash[0] + 3 * 50


@pytest.mark.quick
def test_mortgages() -> None:
    state = played("0@cyan1:rail1,water,blue2 0@go first buy")
    assert names(state) == ["decline", "mortgage-rail1", "mortgage-water", "mortgage-blue2"]
    assert played(str(state), "mortgage-rail1").cash[0] == 100
    assert "buy" in names(played(str(state), "mortgage-rail1"))
    assert played("83@go:water* 0@go", "redeem-water").cash[0] == 0  # 75 and a tenth, rounded up
    assert names(played("82@go:water* 0@go")) == ["roll"]
    assert played("0@go:rail1* 0@go").worth(MAX) == 100


@pytest.mark.quick
def test_debts_are_paid_by_selling_and_end_in_bankruptcy() -> None:
    state = played("100@visit:cyan1,brown1+1,brown2+1 0@go:rail1,rail2,rail3,rail4", "roll 32")
    assert str(state).endswith("first debt turns=100 dice=5 owes=first,200,second")
    assert state.to_move() == MAX
    assert names(state) == ["sell-brown1", "sell-brown2", "mortgage-cyan1"]
    paid = played(str(state), "mortgage-cyan1 sell-brown1 sell-brown2")
    assert (paid.cash, paid.turn) == ((0, 200), MIN)
    lost = played("100@visit:cyan1 0@go:rail1,rail2,rail3,rail4", "roll 32")
    assert (lost.is_over(), lost.utility(), lost.termination()) == (True, -1, "bankruptcy")


@pytest.mark.quick
def test_a_player_without_the_fine_raises_it_and_moves_on() -> None:
    state = played("20@jail2:brown1 1000@go", "roll 64")
    assert str(state) == "20@visit:brown1 1000@go first debt turns=100 leaves-jail dice=10 owes=first,50,bank"
    assert played("30@jail2:brown1 1000@go", "roll 64 mortgage-brown1").place[0] == 20
    assert played("0@jail2 1000@go", "roll 64").utility() == -1


@pytest.mark.quick
def test_the_other_player_may_owe() -> None:
    state = played("0@chest2 5@go:brown1 first draw", "get10")
    assert (state.to_move(), names(state)) == (MIN, ["mortgage-brown1"])
    assert played(str(state), "mortgage-brown1").cash == (10, 25)
    assert played("0@chest2 5@go first draw", "get10").utility() == 1


# ---- buying, auctions, the end --------------------------------------------------------------------------------------


@pytest.mark.quick
def test_buying() -> None:
    state = played("1500@go 1500@go", "roll 41")
    assert names(state) == ["buy", "decline"]
    assert str(played(str(state), "buy")) == "1300@rail1:rail1 1500@go second manage turns=99"
    assert str(played(str(state), "decline")) == "1500@rail1 1500@go second manage turns=99"


@pytest.mark.quick
@pytest.mark.parametrize(
    ("calls", "after"),
    [
        ("pass pass", "1500@rail1 1500@go"),
        ("bid10 pass", "1500@rail1 1490@go:rail1"),
        ("pass bid50 pass", "1450@rail1:rail1 1500@go"),
        ("bid10 bid50 bid10 pass", "1500@rail1 1430@go:rail1"),
    ],
)
def test_auctions(calls: str, after: str) -> None:
    state = played("start auctions", f"roll 41 decline {calls}")
    assert str(state) == f"{after} second manage turns=99 auctions"


@pytest.mark.quick
def test_money_for_a_bid_is_raised_by_a_mortgage() -> None:
    state = played("0@rail1:blue2 15@go first auction auctions bid=0,bank,first", "mortgage-blue2")
    assert (state.bidder, state.bid, state.cash[0]) == (MAX, 0, 200)
    assert names(state) == ["pass", "bid10", "bid50"]


@pytest.mark.quick
def test_bids_are_limited_by_cash() -> None:
    state = played("1500@rail1 15@go first auction auctions bid=0,bank,second")
    assert names(state) == ["pass", "bid10"]
    assert names(played(str(state), "bid10 bid10")) == ["pass"]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("position", "utility"),
    [
        ("1701@go 1480@go:brown1,brown2+2 first manage turns=0", 1),
        ("1500@go 1400@go:rail1* first manage turns=0", 0),
        ("1500@go 1400@go:rail1 first manage turns=0", -1),
        ("1500@go:blue1+1,blue2 1400@go:green1 first manage turns=0", 1),
    ],
)
def test_the_richer_player_wins_at_the_end(position: str, utility: int) -> None:
    state = Property.parse(position)
    assert state.is_over()
    assert (state.utility(), state.termination()) == (utility, "end of time")


# ---- landing frequencies --------------------------------------------------------------------------------------------


def roll_on(state: Property, rolls: int, at_once: bool, counts: Any) -> None:
    """Roll without buying anything, and count where each roll ends. Compiled."""
    word = Bitboard(1913)
    mover = MAX
    is_open = False
    while rolls > 0 or is_open:
        word = next_word(word)
        if state.phase == DICE:
            mover = state.turn
            is_open = True
            rolls -= 1
            die = 1 + below(word, 6)
            word = next_word(word)
            other = 1 + below(word, 6)
            state = state.play(10 * max(die, other) + min(die, other))
        elif state.phase == DRAW:
            index = below(word, 16)
            chosen = 0
            for card, _ in state.outcomes():
                if index == 0:
                    chosen = card
                index -= 1
            state = state.play(chosen)
        elif state.phase == MANAGE:
            is_jailed = state.jail[seat(state.turn)] > 0
            state = state.play(PAY if at_once and is_jailed else ROLL)
        else:
            state = state.play(DECLINE)
        if is_open and state.phase != DRAW:
            me = seat(mover)
            counts[40 if state.jail[me] > 0 else state.place[me]] += 1
            is_open = False
        # Nobody runs out of money or turns, and all cards stay in the deck.
        state = state.replace(cash=(1000000, 1000000), turns=100, pardons=(0, 0))


@pytest.mark.long
@pytest.mark.parametrize("at_once", [True, False])
def test_landing_frequencies_are_those_of_a_markov_chain(at_once: bool) -> None:
    rolls = 2_000_000
    counts = np.zeros(41, np.int64)
    arguments = (Property(redraws=True), rolls, at_once, counts)
    native(roll_on, *arguments)(*arguments)
    expected = stationary(at_once)
    assert counts.sum() == rolls
    errors = np.sqrt(rolls * np.maximum(expected, 1 / rolls))
    assert np.abs((counts - rolls * expected) / errors).max() < 5


@pytest.mark.quick
def test_the_chain_has_the_published_frequencies() -> None:
    """T. Collins, "Probabilities in the Game of Monopoly" (tkcs-collins.com): percent, leaving jail at once."""
    found = stationary(True)
    published = {"red3": 3.1858, "go": 3.0961, "rail3": 3.0659}
    for name, percent in published.items():
        assert 100 * found[NAMES.index(name)] == pytest.approx(percent, abs=0.0001)
    assert 100 * found[JAIL] == pytest.approx(3.95, abs=0.0002)
    assert tuple(round(100_000 * share) for share in found[:40]) == LANDINGS


# ---- play -----------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_random_games_end_and_are_read_as_they_are_written() -> None:
    random = Random(3)
    for text in ("start turns=30", "start turns=30 auctions"):
        state = Property.parse(text)
        while not state.is_over():
            if state.to_move() == CHANCE:
                outcomes = list(state.outcomes())
                move = random.choices([move for move, _ in outcomes], [weight for _, weight in outcomes])[0]
            else:
                move = random.choice(state.legal_moves())
            state = state.play(move)
            assert Property.parse(str(state)) == state


@pytest.mark.quick
def test_playouts_play_legal_moves_and_end() -> None:
    random = Random(3)
    for text in ("start turns=30", "start turns=30 auctions"):
        state = Property.parse(text)
        while not state.is_over():
            if state.to_move() == CHANCE:
                outcomes = list(state.outcomes())
                move = random.choices([move for move, _ in outcomes], [weight for _, weight in outcomes])[0]
            else:
                move = state.playout_move(0)
                assert move in state.legal_moves()
            state = state.play(move)


@pytest.mark.quick
def test_expectiminimax_buys_the_last_street_of_a_group() -> None:
    assert zermelo.expectiminimax(Property.parse(ALMOST_A_GROUP), 2).best == TAKE


@pytest.mark.nightly
def test_searches_buy_the_last_street_of_a_group() -> None:
    state = Property.parse(ALMOST_A_GROUP)
    assert zermelo.analyse(state, depth=2).move == TAKE
    with zermelo.MonteCarlo(seed=1) as search:
        assert search.analyse(state, nodes=2000).move == TAKE


# ---- text -----------------------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1500@go", "the second player is missing; expected two players like 1500@go"),
        ("1500 1500@go", "'1500' is not a player; expected cash and a square, like 1500@go or 90@jail0"),
        ("1500@to-jail 1500@go", "'1500@to-jail' is not a player"),
        ("-5@go 1500@go", "cash '-5' must be a number from 0 to 1,000,000,000"),
        ("1@go:browns 1@go", "'browns' is not a property; expected one like brown1, brown1+3 or rail2*"),
        ("1@go:go 1@go", "'go' is not a property"),
        ("1@go:rail1,rail1* 1@go", "rail1 is there twice"),
        ("1@go:rail1 1@go:rail1", "rail1 belongs to both players"),
        ("1@go:chest-card 1@go:chest-card", "both players have the same card"),
        ("1@go:brown1+6,brown2 1@go", "'brown1+6': expected 1 to 5 houses on a street that is not mortgaged"),
        ("1@go:rail1+1 1@go", "'rail1+1': expected 1 to 5 houses"),
        ("1@go:brown1+1 1@go", "there are houses on brown, but no player owns the whole group"),
        ("1@go:brown1+1,brown2* 1@go", "there are houses on brown, and a mortgage"),
        ("1@go 1@go third", "'third' is not one of first, second"),
        ("1@go 1@go first roll", "'roll' is not one of manage, buy, debt, auction, dice, draw, toll"),
        ("1@go 1@go first buy", "buy: first must stand on a property that nobody owns"),
        ("1@go 1@go first draw", "draw: first must stand on a square of cards"),
        ("1@electric 1@go first toll", "toll: first must stand on a utility of the other player"),
        ("1@go 1@go first manage turns=x", "turns 'x' must be a number from 0 to 1,000,000,000"),
        ("1@go 1@go first manage turns=1 turns=2", "'turns=2' is there twice"),
        ("1@go 1@go first manage speed=2", "'speed=2' is not an option; expected turns=N, auctions"),
        ("1@go 1@go first debt", "debt and owes=DEBTOR,AMOUNT,CREDITOR must be there together"),
        ("1@go 1@go first debt owes=first,5,bank", "first owes 5; expected more than its cash, 1, and at most"),
        ("1@go 1@go first debt owes=first,5,first", "'owes=first,5,first': a player cannot owe itself"),
        ("1@rail1 1@go first auction", "auction and bid=AMOUNT,LEADER,BIDDER must be there together"),
        ("1@rail1 1@go first auction bid=9,first,second", "first cannot pay its bid of 9"),
        ("1@rail1 1@go first auction bid=9,first,first", "the leader does not bid against itself"),
        ("1@go 1@go first dice turns=0", "turns=0 ends the game: expected manage, not dice"),
        ("1@go 1@go:chance-card first manage drawn=fbff,0", "drawn: no chance card is left"),
        ("x" * 3_000, "3,000 characters; expected at most 2,000"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Property.parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.quick
def test_text_and_picture() -> None:
    state = played("900@brown1:brown1+2,brown2+1,rail1 1200@jail1:blue2*,chest-card second")
    assert state.board().splitlines() == [
        "first      900 on brown1, worth 1,370",
        "        brown1+2 brown2+1 rail1",
        "second   1,200 on jail1, worth 1,400",
        "        blue2* chest-card",
        "turn    second: manage; 100 turns left",
    ]
    labels = {text for _, _, text in state.picture().corner_labels}
    assert {"bro1 1+2", "blu2 2*", "rai1 1", "jail", "go"} <= labels
    assert [(piece.column, piece.row, piece.colour) for piece in state.picture().pieces] == [
        (9, 10, "white"),
        (0, 10, "black"),
    ]
    assert [(piece.column, piece.row) for piece in Property().picture().pieces] == [(10, 10), (9, 9)]
    with pytest.raises(IllegalMove, match="'buy' is not a legal move here; legal: roll pay card"):
        state.parse_move("buy")
