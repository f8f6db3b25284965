"""River hold'em: strengths of hands, ranges, the contract, who wins what, values, and bad input."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import comb
from random import Random

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, LimitError, PositionError
from zermelo.games.river import River
from zermelo.games.river.hands import CATEGORIES, card_set, category_of, parse_card, strength
from zermelo.games.river.ranges import class_name, classes, parse_range, range_name
from zermelo.solve.approximation import Approximation
from zermelo.solve.equilibrium import solve
from zermelo.testing import check_game

# How many of the 2,598,960 hands of five cards are in each category (any table of poker odds, such as Wikipedia's).
FREQUENCIES = {
    "straight flush": 40,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}
#: Hands of five cards that differ in strength.
STRENGTHS = 7_462
BOARD = "Qs9d7d3c2h"
# Cards that make pairs and straights likely.
SMALL_DECK = [13 * suit + rank for suit in range(4) for rank in range(5, 11)]


def cards(text: str) -> list[int]:
    return [parse_card(card) for card in text.split()]


def by_counting(five: tuple[int, ...]) -> tuple[object, ...]:
    """The strength of five cards in the words of the rules: the category, then the ranks to compare in turn."""
    ranks = sorted((card % 13 for card in five), reverse=True)
    groups = sorted(Counter(ranks).items(), key=lambda group: (group[1], group[0]), reverse=True)
    order = [rank for rank, _ in groups]
    shape = [count for _, count in groups]
    is_flush = len({card // 13 for card in five}) == 1
    wheel = ranks == [12, 3, 2, 1, 0]
    is_straight = wheel or (len(order) == 5 and ranks[0] - ranks[4] == 4)
    if is_straight:
        return "straight flush" if is_flush else "straight", [3 if wheel else ranks[0]]
    if is_flush:
        return "flush", order
    name = {(4, 1): "four of a kind", (3, 2): "full house", (3, 1, 1): "three of a kind", (2, 2, 1): "two pair"}
    return name.get(tuple(shape), "pair" if shape[0] == 2 else "high card"), order


def comparable(found: tuple[object, ...]) -> tuple[int, object]:
    return CATEGORIES.index(str(found[0])), found[1]


@pytest.mark.long
def test_all_hands_of_five_cards_have_the_published_frequencies() -> None:
    counted: Counter[int] = Counter(strength(card_set(five)) for five in combinations(range(52), 5))
    assert sum(counted.values()) == comb(52, 5)
    assert len(counted) == STRENGTHS
    by_category: Counter[str] = Counter()
    for each, count in counted.items():
        by_category[CATEGORIES[category_of(each)]] += count
    assert by_category == FREQUENCIES


@pytest.mark.quick
def test_the_best_five_of_seven_cards_count() -> None:
    random = Random(1)
    drawn = [random.sample(range(52), 7) for _ in range(150)]
    drawn += [random.sample(range(13), 5) + random.sample(range(13, 52), 2) for _ in range(50)]  # flushes
    drawn += [random.sample(SMALL_DECK, 7) for _ in range(150)]
    best = [max(comparable(by_counting(five)) for five in combinations(seven, 5)) for seven in drawn]
    found = [(strength(card_set(seven)), oracle) for seven, oracle in zip(drawn, best, strict=True)]
    for ours, oracle in found:
        assert category_of(ours) == oracle[0]
    found.sort()
    for (lower, oracle), (upper, other) in pairwise(found):
        assert oracle <= other  # type: ignore[operator]
        assert (lower == upper) == (oracle == other)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("5h 4c 3d 2s Ac Kd Kh", "6h 5c 4d 3s 2c Ah Ad"),
        ("Ks Kd Kh 2s 2c 3d 3h", "Ks Kd Kh 4s 4c 2d 3h"),
        ("Ah Kh Qh Jh 9h Td 2c", "Ad As Ac Kd Ks 2h 3h"),
        ("As Ah Kc Kd 2s 2h 3c", "As Ah Kc Kd Qs Qh 3c"),
        ("9h 9d 9c 9s Kh Kd Kc", "9h 9d 9c 9s Ah 2d 3c"),
        ("Ah 2h 3h 4h 5h 6d 7c", "2h 3h 4h 5h 6h Ad Ac"),
    ],
)
def test_which_hand_wins(weaker: str, stronger: str) -> None:
    assert strength(card_set(cards(weaker))) < strength(card_set(cards(stronger)))


# ---- ranges ---------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_classes_of_hands() -> None:
    assert len(classes()) == 169
    sizes = {name: len(hands) for name, hands in classes().items()}
    assert (sizes["AA"], sizes["AKs"], sizes["AKo"], sum(sizes.values())) == (6, 4, 12, 1326)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AA", "AA"),
        ("KA", "AKo AKs"),
        ("aks", "AKs"),
        ("QQ+", "AA KK QQ"),
        ("ATs+", "AJs AKs AQs ATs"),
        ("99-77", "77 88 99"),
        ("77-99", "77 88 99"),
        ("A5s-A3s", "A3s A4s A5s"),
        ("76+", "76o 76s"),
        ("KK,KQo", "KK KQo"),
    ],
)
def test_ranges_are_what_their_notation_says(text: str, names: str) -> None:
    hands = parse_range(text, frozenset())
    assert sorted({class_name(hand) for hand in hands}) == names.split()
    assert len(hands) == sum(len(classes()[name]) for name in names.split())


@pytest.mark.quick
def test_ranges_are_read_as_they_are_written() -> None:
    board = frozenset(cards("Ah Kd 7s 7c 2h"))
    random = Random(2)
    for text in ("any", "AA", "AsAc,KQ", "77", "22-99,ATs+,A5o"):
        hands = parse_range(text, board)
        assert parse_range(range_name(hands, board), board) == hands
        some = tuple(hand for hand in hands if random.random() < 0.6) or hands[:1]
        assert parse_range(range_name(some, board), board) == some
    assert len(parse_range("any", board)) == comb(47, 2)
    assert range_name(parse_range("any", board), board) == "any"
    assert range_name(parse_range("AA,77", board), board) == "AA,77"
    assert len(parse_range("AA", board)) == 3


# ---- the game -------------------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("text", ["", f"{BOARD} TT+ AhAc,KQs pot=4 bet=1 cap=2"])
def test_contract(text: str) -> None:
    report = check_game(River.parse(text), games=20)
    assert report.unfinished == 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("course", "utility"),
    [
        ("check check", 5),
        ("bet fold", 5),
        ("bet call", 7),
        ("bet raise fold", -7),
        ("bet raise call", 9),
        ("check bet fold", -5),
        ("check bet raise raise raise call", 13),
        ("check bet raise raise raise fold", 11),
    ],
)
def test_results(course: str, utility: int) -> None:
    state = River.parse(f"{BOARD} QhQc AhAc QhQc AhAc {course}")
    assert state.is_over()
    assert state.utility() == utility
    mirrored = River.parse(f"{BOARD} AhAc QhQc AhAc QhQc {course}")
    assert mirrored.utility() == (utility if course.endswith("fold") else -utility)


@pytest.mark.quick
def test_raises_are_capped_and_equal_hands_split_the_pot() -> None:
    state = River.parse(f"{BOARD} AhAc AsAd cap=2 AhAc AsAd bet raise")
    assert [state.move_name(move) for move in state.moves()] == ["fold", "call"]
    assert state.chips() == 16
    assert state.after("call").utility() == 0
    assert state.after("call").chips() == 18


@pytest.mark.quick
def test_a_player_sees_its_own_hand() -> None:
    state = River.parse(f"{BOARD} QhQc,AA AA,KK QhQc AhAc check")
    assert state.information_state(MAX) == "QhQc check"
    assert state.view(MIN).information_state(MIN) == "AhAc check"
    assert "QhQc" not in state.view(MIN).board().replace("any of 7: AA,QhQc", "")
    drawn = {state.resample(MIN, number << 54).hands[0] for number in range(256)}
    assert len(drawn) == 2  # the queens, and the aces that MIN does not hold
    assert str(state.view(MAX)).split()[-3:] == ["QhQc", "?", "check"]


@pytest.mark.quick
def test_bluffs_and_calls_have_the_known_probabilities() -> None:
    """MAX has the best hand or nothing, each in half of the deals: Chen and Ankenman 2006, the clairvoyance game.

    With a pot P and a bet b, MAX bluffs so that a call gains nothing, with b / (P + b) of its weak hands; MIN calls
    with probability P / (P + b). The value is b * P / (2 * (P + b)).
    """
    for pot, bet in ((10, 2), (4, 4), (6, 1)):
        found = solve(River.parse(f"{BOARD} QhQc,6h5h AhAc pot={pot} bet={bet} cap=1"))
        assert found.value * 2 * (pot + bet) == bet * pot
        assert found.strategies[MAX]["QhQc"]["bet"] == 1
        assert found.strategies[MAX]["6h5h"]["bet"] * (pot + bet) == bet
        assert found.strategies[MIN]["AhAc bet"]["call"] * (pot + bet) == pot


def test_cfr_finds_the_exact_value() -> None:
    exact = solve(River())
    assert str(exact.value) == "5/13"
    *_, found = Approximation(River()).run(1000)
    assert found.lower_bound <= exact.value <= found.upper_bound
    assert found.exploitability < 0.01


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Qs9d7d3c", "'Qs9d7d3c' is not a board; expected five cards like Ks8h7d4c2s"),
        ("Qs9d7d3cQs AA KK", "the board Qs9d7d3cQs has the same card twice"),
        ("Qs9d7d3c1h AA KK", "'1h' is not a card; expected a rank of 23456789TJQKA and a suit of cdhs, like Ah"),
        (BOARD, "the range of the first player is missing"),
        (f"{BOARD} AA", "the range of the second player is missing"),
        (f"{BOARD} AA, KK", "'' is not a part of a range; expected hands like AA"),
        (f"{BOARD} AA AX", "'AX' is not a part of a range"),
        (f"{BOARD} AAs KK", "'AAs' is not a part of a range"),
        (f"{BOARD} A5s-K2s KK", "'A5s-K2s' is not a range of hands; its ends are pairs, or differ in the second card"),
        (f"{BOARD} QsAh KK", "the range 'QsAh' overlaps the board: QsAh needs Qs"),
        (f"{BOARD} AhAh KK", "'AhAh' has the same card twice"),
        ("QsQdQh3c2h QQ KK", "the range 'QQ' overlaps the board: QQ needs Qd Qh Qs"),
        (f"{BOARD} AhAc AhKh", "the ranges 'AhAc' and 'AhKh' have no two hands without a common card"),
        (f"{BOARD} AA KK pots=4", "'pots=4' is not an option; expected pot=N, bet=N, cap=N, each once"),
        (f"{BOARD} AA KK pot=4 pot=6", "'pot=6' is not an option"),
        (f"{BOARD} AA KK pot=5", "pot=5 must be even: both players have paid half of it"),
        (f"{BOARD} AA KK bet=0", "bet=0 must be from 1 to 100"),
        (f"{BOARD} AA KK pot=x", "pot=x must be from 2 to 200"),
        (f"{BOARD} AA KK pot=100 bet=20", "half the pot and 4 bets are 130 chips; expected at most 100: divide"),
        (f"{BOARD} AA KK AhAc", "'AhAc' is not a deal; expected both hands, like AhKdQsQc"),
        (f"{BOARD} AA KK AhAc KhKx", "'Kx' is not a card"),
        (f"{BOARD} AA KK,AK AhAc AhKh", "the deal AhAcAhKh has the same card twice"),
        (f"{BOARD} AA KK AhAc JhJc", "JhJc is not in the range of the second player"),
        (f"{BOARD} AA KK AhAc KhKc call", "'call' is not a legal move here; legal: check bet"),
        ("K" * 30_000, "30,000 characters; expected at most 20,000"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        River.parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.quick
def test_deals_outside_the_ranges_are_refused() -> None:
    with pytest.raises(IllegalMove, match="JhJc is not in the range of the first player"):
        River().parse_move("JhJcAhKh")


@pytest.mark.quick
def test_large_ranges_are_refused_by_the_exact_solver() -> None:
    with pytest.raises(LimitError, match="up to 150 are solved exactly"):
        solve(River.parse(f"{BOARD} TT+ TT+"))


@pytest.mark.quick
def test_pictures_and_text() -> None:
    state = River.parse(f"{BOARD} QhQc,AA AA,KK QhQc AhAc check bet")
    assert str(state) == f"{BOARD} AA,QhQc AA,KK pot=10 bet=2 cap=4 QhQc AhAc check bet"
    assert River.parse(str(state)) == state
    assert state.board().splitlines() == [
        "board   Qs 9d 7d 3c 2h",
        "first   QhQc",
        "second  AhAc",
        "done    check bet",
        "pot     12",
    ]
    assert (1, 2, "Qh") in state.picture().corner_labels
    assert (1, 0, "?") in state.view(MAX).picture().corner_labels
