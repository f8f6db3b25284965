"""Bridge: contract, endings against minimax, the results of DDS, notation and its errors."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import zermelo
from zermelo import Engine
from zermelo.core.bitboard import Bitboard
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.bridge import Bridge
from zermelo.games.bridge.cards import HAND, NO_TRUMP, RANKS, SEATS, STRAINS, SUITS
from zermelo.games.bridge.scoring import DENOMINATIONS, contract_score, par
from zermelo.search.solving import Solver
from zermelo.testing import check_game

DDS = Path(__file__).resolve().parents[3] / "shared" / "reference" / "bridge" / "dds_list100.txt"
START = "N:KQ3.AJ84.K52.A93 AJ85.Q6.QT84.KT4 T742.K93.A973.Q6 96.T752.J6.J8752"


def ending(cards: int, random: Random) -> Bridge:
    """A random ending with equally many cards in each hand."""
    deck = random.sample(range(52), 4 * cards)
    hands = tuple(Bitboard(sum(1 << card for card in deck[seat::4])) for seat in range(4))
    return Bridge(hands, random.randrange(5), random.randrange(4))  # type: ignore[arg-type]


@pytest.mark.long
def test_contract() -> None:
    assert check_game(Bridge, 4).unfinished == 0
    assert check_game(ending(4, Random(4)), 40).unfinished == 0


def check_endings(count: int, cards: int, seed: int) -> None:
    random = Random(seed)
    with zermelo.Engine("4M") as engine:
        for _ in range(count):
            state = ending(cards, random)
            values = {move: zermelo.minimax(state.play(move), compiled=True).value for move in state.moves()}
            found = engine.analyse(state, exact=True, lines=HAND)
            assert {line.move: line.score.value for line in found.lines} == values, str(state)


@pytest.mark.long
def test_endings_equal_minimax() -> None:
    check_endings(60, 4, 1)


@pytest.mark.nightly
def test_endings_of_twenty_cards_equal_minimax() -> None:
    check_endings(500, 5, 2)


@pytest.mark.long
def test_the_solver_solves_positions_and_moves() -> None:
    random = Random(7)
    with Solver("4M") as solver:
        for _ in range(20):
            state = ending(4, random)
            assert solver.value(state) == zermelo.minimax(state, compiled=True).value
            values = {move: zermelo.minimax(state.play(move), compiled=True).value for move in state.moves()}
            assert solver.move_values(state, guess=random.randrange(-4, 5)) == values
        assert solver.value(zermelo.load("pennies").parse("5")) in (-1, 1)
        assert solver.nodes > 0


@pytest.mark.quick
@pytest.mark.long
def test_a_table_with_entries_of_chess_changes_no_result() -> None:
    with Solver("1M") as solver, Engine("1M") as engine:
        for number in range(10):
            state = ending(7, Random(number))
            engine.analyse(zermelo.load("chess").start(), nodes=50_000)
            assert engine.analyse(state, exact=True).score.value == solver.value(state)


def test_the_highest_trump_or_card_of_the_suit_led_wins() -> None:
    for strain, trick, taker in (
        ("NT", "S3 ST SA S2", "N"), ("H", "S3 H2 SA S2", "W"), ("C", "S3 H2 SA CA", "E"), ("D", "S3 H2 SQ S2", "N"),
    ):  # fmt: skip
        south, west, north, east = trick.split()
        hands = [card[0] for card in (north, east, south, west)]
        texts = [".".join(card[1] if card[0] == suit else "" for suit in SUITS) for card in (north, east, south, west)]
        state = Bridge.parse(f"N:{' '.join(texts)} {strain} S").after(trick)
        assert len(hands) == 4
        assert SEATS[state.leader] == taker
        assert state.is_over()
        assert state.utility() == (1 if taker in "NS" else -1)


@pytest.mark.quick
def test_players_follow_suit() -> None:
    state = Bridge.parse(START).after("S9")
    assert [state.move_name(move) for move in state.legal_moves()] == ["S3", "SQ", "SK"]
    assert state.parse_move("sk") == state.parse_move("SK")
    with pytest.raises(IllegalMove, match="'HA' is not a legal move here; legal: S3 SQ SK"):
        state.parse_move("HA")


@pytest.mark.quick
def test_equal_cards_are_one_candidate() -> None:
    state = Bridge.parse("N:AQ.K.. KJ..A. 32...A T9.A.. NT W")
    assert [state.move_name(move) for move in state.candidates()] == ["ST", "HA"]
    state = Bridge.parse("N:AQ2.K.. J54..A. K3...AQ T9.A..2 NT N")
    assert [state.move_name(move) for move in state.candidates()] == ["S2", "SQ", "SA", "HK"]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "'' is not a deal; expected SEAT:HAND HAND HAND HAND"),
        (START.replace("N:", "X:"), "is not a deal"),
        (START.replace("KQ3.", "KJ3."), "SJ is in the hands of North and East"),
        (START.replace("KQ3.", "KQQ."), "SQ is twice in North's hand"),
        (START.replace("KQ3.", "KQX."), "'X' in North's hand 'KQX.AJ84.K52.A93' is not a card; expected AKQJT98765432"),
        (START.replace("96.T752.J6.J8752", "96.T752.J6J8752"), "West's hand '96.T752.J6J8752' has 3 suits"),
        ("N:AKQJT98765432.A.. - - -", "North has 14 cards; expected at most 13"),
        (
            START.replace("KQ3.", "KQ."),
            "the hands have North 12, East 13, South 13, West 13 cards; expected",
        ),
        (START + " X", "'X' is not a strain; expected S, H, D, C or NT"),
        (START + " NT X", "'X' is not the leader's seat; expected N, E, S or W"),
        (START + " NT W 1-0", "1-0 tricks and 13 cards in a hand; expected at most 13 in all"),
        (START + " NT W 0-0 S9", "S9 is in the current trick and in West's hand"),
        (START + " NT W 0-0 ZZ", "'ZZ' is not a card; expected a suit and a rank, as in SA or HT"),
    ],
)
def test_bad_positions(text: str, told: str) -> None:
    with pytest.raises(PositionError) as raised:
        Bridge.parse(text)
    assert told in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.quick
@pytest.mark.parametrize(
    ("contract", "tricks", "vulnerable", "doubled", "score"),
    [
        ("1C", 7, False, False, 70), ("3NT", 9, False, False, 400), ("3NT", 10, True, False, 630),
        ("2S", 8, True, True, 670),
        ("4H", 10, False, True, 590), ("6D", 12, True, False, 1370), ("7NT", 13, True, False, 2220),
        ("1D", 9, False, True, 340),
        ("4S", 8, False, True, -300), ("4S", 6, False, True, -800), ("4S", 8, True, True, -500),
        ("4S", 9, True, False, -100),
    ],
)  # fmt: skip
def test_scores_of_contracts(contract: str, tricks: int, vulnerable: bool, doubled: bool, score: int) -> None:
    names = [name for name, _, _ in DENOMINATIONS]
    assert contract_score(int(contract[0]), names.index(contract[1:]), tricks, vulnerable, doubled) == score


def dds_deals() -> list[dict[str, str]]:
    """The entries of the DDS list, by their first words."""
    deals: list[dict[str, str]] = []
    for line in DDS.read_text().splitlines()[1:]:
        word, _, rest = line.partition(" ")
        if word == "PBN":
            deals.append({})
        deals[-1][word] = rest.strip()
    return deals


def dds_table(deal: dict[str, str]) -> list[list[int]]:
    """The table of an entry: `table[declarer][strain]`."""
    numbers = list(map(int, deal["TABLE"].split()))
    return [numbers[declarer::4] for declarer in range(4)]


@pytest.mark.quick
@pytest.mark.reference
@pytest.mark.skipif(not DDS.exists(), reason="the published results are not on this machine")
def test_par_equals_dds() -> None:
    for deal in dds_deals():
        dealer, vulnerable = map(int, deal["PBN"].split()[:2])
        sides = ((False, False), (True, True), (True, False), (False, True))[vulnerable]
        score = int(deal["PAR"].split('"')[1].split()[1])
        assert par(dds_table(deal), dealer, sides).score == score, deal["PBN"]


def check_traces(deals: list[dict[str, str]], first: int) -> int:
    """Compare the declarer's tricks after each card of the plays, from the given card on; return how many."""
    compared = 0
    with Solver("64M") as solver:
        for deal in deals:
            head, text, _ = deal["PBN"].split('"')
            trump, leader = map(int, head.split()[2:])
            play = deal["PLAY"].split('"')[1]
            trace = list(map(int, deal["TRACE"].split()))[1:]
            states = Bridge.parse(f"{text} {STRAINS[trump]} {SEATS[leader]}").through(
                " ".join(play[at : at + 2] for at in range(0, len(play), 2))
            )
            guess = None
            for state, tricks in list(zip(states, trace, strict=False))[first:]:
                guess = solver.value(state, guess)
                north_south = (HAND + guess) // 2
                assert (HAND - north_south if leader % 2 == 0 else north_south) == tricks, str(state)
                compared += 1
    return compared


@pytest.mark.long
@pytest.mark.reference
@pytest.mark.skipif(not DDS.exists(), reason="the published results are not on this machine")
def test_results_in_the_middle_of_plays_equal_dds() -> None:
    assert check_traces(dds_deals(), 20) > 1_900


@pytest.mark.nightly
@pytest.mark.reference
@pytest.mark.skipif(not DDS.exists(), reason="the published results are not on this machine")
@pytest.mark.parametrize("part", range(10))
def test_all_results_equal_dds(part: int) -> None:
    deals = dds_deals()[10 * part : 10 * part + 10]
    check_traces(deals, 0)
    with Solver("256M") as solver:
        for deal in deals:
            head, text, _ = deal["PBN"].split('"')
            trump, leader = map(int, head.split()[2:])
            for declarer, row in enumerate(dds_table(deal)):
                for strain, tricks in enumerate(row):
                    state = Bridge.parse(f"{text} {STRAINS[strain]} {SEATS[(declarer + 1) % 4]}")
                    north_south = (HAND + solver.value(state)) // 2
                    assert (north_south if declarer % 2 == 0 else HAND - north_south) == tricks, str(state)
            numbers = list(map(int, deal["FUT"].split()))
            count, numbers = numbers[0], numbers[1:]
            suits, ranks, equal, scores = (numbers[count * each : count * (each + 1)] for each in range(4))
            expected = {}
            for suit, rank, others, score in zip(suits, ranks, equal, scores, strict=True):
                for each in range(2, 15):
                    if each == rank or others >> each & 1:
                        expected[HAND * suit + each - 2] = score
            values = solver.move_values(Bridge.parse(f"{text} {STRAINS[trump]} {SEATS[leader]}"))
            sign = 1 if leader % 2 == 0 else -1
            assert {card: (HAND + sign * value) // 2 for card, value in values.items()} == expected, text


@pytest.mark.quick
def test_names_of_suits_ranks_and_strains() -> None:
    assert (len(RANKS), len(SUITS), STRAINS[NO_TRUMP]) == (HAND, 4, "NT")
