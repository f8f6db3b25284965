"""Backgammon: contract, plays checked against a published list and a brute-force generator, notation."""

from __future__ import annotations

import csv
import gzip
import json
from functools import cache
from random import Random

import numpy as np
import pytest
import slowbackgammon as slow
from published import published

from zermelo.compiled import native
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.backgammon import Backgammon, ids
from zermelo.games.backgammon.points import (
    HOME,
    add_checker,
    borne_off,
    checker_counts,
    checkers_in,
    checkers_on,
    flip,
    made_points,
    move_checker,
    occupied,
    pack_counts,
    pip_count,
    remove_checker,
)
from zermelo.testing import check_game

START = "4HPwATDgc/ABMA"
ROLLS = [10 * die + small for die in range(1, 7) for small in range(1, die + 1)]


def state_of(position: slow.Position, dice: int, turn: int = MAX) -> Backgammon:
    """The state for a position of the brute-force generator, with dice to play."""
    mover, other = (pack_counts(list(side)) for side in position)
    return Backgammon(*mover, *other, dice, turn) if turn == MAX else Backgammon(*other, *mover, dice, turn)


def sides_of(state: Backgammon) -> slow.Position:
    """The counts of the player on roll and of the other."""
    low, high, other_low, other_high = state.sides()
    return tuple(checker_counts(low, high)), tuple(checker_counts(other_low, other_high))


def results(state: Backgammon) -> list[slow.Position]:
    """The positions after all plays, as seen by the side that played; checks that the turn changes."""
    found = []
    for move in state.moves():
        after = state.play(move)
        assert (after.dice, after.turn) == (0, -state.turn)
        other, mover = sides_of(after)
        found.append((mover, other))
    assert len(found) == state.count_moves()
    return found


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.quick
def test_contract() -> None:
    report = check_game(Backgammon, games=2)
    assert report.unfinished == 0


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "position",
    [
        "PwAAAAAAPwAAAA",  # 6 checkers of both on the ace points: the last rolls
        "51grQAjgPAJwZg",  # two on the bar
    ],
)
def test_contract_from_other_positions(position: str) -> None:
    assert check_game(Backgammon.parse(position), games=1).unfinished == 0


# ---- plays ----------------------------------------------------------------------------------------------------


def test_first_roll_has_different_dice_and_the_larger_begins() -> None:
    outcomes = list(Backgammon().outcomes())
    assert len(outcomes) == 30
    assert {weight for _, weight in outcomes} == {1}
    for roll, _ in outcomes:
        x, o = divmod(roll, 10)
        state = Backgammon().play(roll)
        assert state.to_move() == (MAX if x > o else MIN)
        assert state.dice == 10 * max(x, o) + min(x, o)


def test_outcomes_are_21_rolls_with_weights_of_36() -> None:
    state = Backgammon(turn=MIN)
    assert state.to_move() == CHANCE
    assert [roll for roll, _ in state.outcomes()] == ROLLS
    assert [weight for _, weight in state.outcomes()] == [1 if roll % 11 == 0 else 2 for roll in ROLLS]
    assert all(state.play(roll) == Backgammon(dice=roll, turn=MIN) for roll in ROLLS)


def test_447_plays_from_the_start() -> None:
    assert sum(Backgammon(dice=roll, turn=MAX).count_moves() for roll in ROLLS) == 447


@pytest.mark.long
@pytest.mark.slow
def test_perft(perft) -> None:
    assert [perft(Backgammon(), depth) for depth in range(1, 6)] == [30, 380, 7_980, 178_306, 3_744_426]
    opened = [slow.plays(slow.START, one, two) for one in range(2, 7) for two in range(1, one)]
    assert 2 * sum(map(len, opened)) == 380


@pytest.mark.nightly
def test_perft_with_brute_force_generator() -> None:
    """Both players' first turns: 178,306 lines."""
    opened = [end for one in range(2, 7) for two in range(1, one) for end in slow.plays(slow.START, one, two)]
    answers = [len(slow.plays((other, mover), *divmod(roll, 10))) for mover, other in opened for roll in ROLLS]
    assert 2 * sum(answers) == 178_306


def compare(random: Random, positions: int) -> None:
    for _ in range(positions):
        position = set_up(random)
        one, two = random.randint(1, 6), random.randint(1, 6)
        found = results(state_of(position, 10 * max(one, two) + min(one, two), random.choice([MAX, MIN])))
        assert len(set(found)) == len(found), (position, one, two)
        assert set(found) == slow.plays(position, one, two), (position, one, two)


def set_up(random: Random) -> slow.Position:
    """A random position: often with many checkers at home, some on the bar or borne off, blots, or adjacent points."""
    taken_by: dict[int, int] = {}
    sides = []
    for player in (0, 1):
        side = [0] * 26
        reach = random.choice([6, 6, 8, 12, 24, 24])
        left = random.choice([1, 2, 3, 5, 15, 15, 15])
        while left:
            point = 25 if random.random() < 0.05 else random.randint(1, reach)
            place = 25 - point if player else point
            if point < 25 and taken_by.get(place, player) != player:
                if random.random() < 0.1:
                    point = 25
                else:
                    continue
            elif point < 25:
                taken_by[place] = player
            here = min(left, random.choice([1, 1, 2, 2, 3, 4, 6]))
            side[point] += here
            left -= here
        side[0] = 15 - sum(side)
        sides.append(tuple(side))
    return sides[0], sides[1]


def test_plays_equal_brute_force() -> None:
    compare(Random(1), 250)


@pytest.mark.nightly
def test_plays_equal_brute_force_on_10000_positions() -> None:
    compare(Random(2), 10_000)


def _ends(state: Backgammon, ends: np.ndarray) -> int:
    """Store the four words of each position after a play, and return their number."""
    count = 0
    for move in state.moves():
        after = state.play(move)
        ends[count, 0] = int(after.x_low)
        ends[count, 1] = int(after.x_high)
        ends[count, 2] = int(after.o_low)
        ends[count, 3] = int(after.o_high)
        count += 1
    return count


@pytest.mark.long
@pytest.mark.reference
def test_plays_equal_published_list() -> None:
    """All 21 rolls of 300 positions, compiled: 122,325 plays."""
    random = Random(3)
    numbers = cache(checker_counts)
    room = np.zeros((5_000, 4), np.uint64)
    plays_of = native(_ends, Backgammon(dice=21, turn=MAX), room)
    rolls = 0
    with gzip.open(published("backgammon", "legal_plays_300x21.jsonl.gz"), "rt") as file:
        for line in file:
            row = json.loads(line)
            position = tuple((15 - sum(side), *side) for side in (row["mover"], row["opp"]))
            assert ids.position_id(*map(list, position)) == row["id"]
            assert tuple(map(tuple, ids.parse_position(row["id"]))) == position
            for roll, listed in row["rolls"].items():
                state = state_of(position, int(max(roll) + min(roll)), random.choice([MAX, MIN]))
                ends = room[: plays_of(state, room)].tolist()
                sides = [(numbers(x_low, x_high), numbers(o_low, o_high)) for x_low, x_high, o_low, o_high in ends]
                found = [ids.position_id(*(pair[::-1] if state.turn == MAX else pair)) for pair in sides]
                assert sorted(found) == sorted(listed["after"]), (row["id"], roll)
                rolls += 1
    assert rolls == 300 * 21


@pytest.mark.parametrize(
    ("x", "o", "dice", "plays"),
    [
        # Only one way round is open.
        ({13: 1}, {18: 2}, 61, "13/6"),
        ({24: 1, 1: 2}, {7: 2}, 61, "24/17"),
        # Either die, but not both: the larger one has to be played. Where it cannot be, the smaller one.
        ({13: 1}, {17: 2}, 41, "13/9"),
        ({24: 1, 6: 2}, {7: 2, 8: 2}, 61, "6/5 24/23"),
        # Who is on the bar comes in first, or cannot move.
        ({25: 1, 13: 2}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}, 64, "pass"),
        ({25: 2, 13: 2}, {6: 2}, 65, "bar/20"),
        # A six bears off the highest checker where none is on the six point, but not before all are at home.
        ({5: 1, 4: 1, 1: 2}, {20: 2}, 66, "5/off,4/off,1/off(2)"),
        ({7: 1, 5: 2}, {24: 1}, 66, "7/1*/off,5/off(2)"),
        ({6: 2, 4: 1}, {1: 1}, 53, "6/1,4/1 6/3,6/1"),
        ({7: 1, 6: 1}, {24: 1}, 61, "7/1*/off 7/1*,6/5 7/off"),
        ({2: 1}, {1: 1}, 21, "2/off"),
        # As many of four as can be.
        ({20: 1, 2: 1}, {23: 2}, 66, "20/8"),
        ({20: 1, 2: 1}, {17: 2}, 66, "20/14"),
    ],
)  # fmt: skip
def test_dice_rules(x: dict[int, int], o: dict[int, int], dice: int, plays: str) -> None:
    sides = [pack_counts([side.get(point, 0) for point in range(26)]) for side in (x, o)]
    state = Backgammon(*sides[0], *sides[1], dice, MAX)
    assert " ".join(map(state.move_name, state.legal_moves())) == plays


# ---- the end --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loser", "stake"),
    [
        ({1: 14}, 1),  # one is off
        ({6: 15}, 2),
        ({18: 15}, 2),
        ({18: 14, 19: 1}, 3),
        ({24: 15}, 3),
        ({6: 14, 25: 1}, 3),
        ({25: 1, 24: 13}, 1),
    ],
)
def test_utility_of_win_gammon_and_backgammon(loser: dict[int, int], stake: int) -> None:
    lost = pack_counts([loser.get(point, 0) for point in range(26)])
    none = pack_counts([0] * 26)
    for x, o, value in ((none, lost, stake), (lost, none, -stake)):
        state = Backgammon(*x, *o, 0, MAX)
        assert state.is_over()
        assert state.utility() == value
        assert state.legal_moves() == []


# ---- points ---------------------------------------------------------------------------------------------------


def test_operations_on_checkers() -> None:
    random = Random(4)
    for _ in range(300):
        numbers = [*set_up(random)[0]]
        low, high = pack_counts(numbers)
        assert checker_counts(low, high) == numbers
        assert [checkers_on(low, high, point) for point in range(1, 26)] == numbers[1:]
        assert list(occupied(low, high)) == [point for point in range(1, 26) if numbers[point]]
        assert list(made_points(low, high)) == [point for point in range(1, 26) if numbers[point] >= 2]
        assert borne_off(low, high) == numbers[0]
        assert pip_count(low, high) == sum(point * number for point, number in enumerate(numbers))
        assert checkers_in(low, high, HOME) == sum(numbers[1:7])
        assert list(flip(occupied(low, high))) == sorted(25 - p for p in range(1, 25) if numbers[p])
        start = random.choice([point for point in range(1, 26) if numbers[point]])
        die = random.randint(1, 6)
        numbers[start] -= 1
        assert remove_checker(low, high, Bitboard(1) << start) == pack_counts(numbers)
        assert add_checker(*pack_counts(numbers), Bitboard(1) << start) == (low, high)
        if start > die:
            numbers[start - die] += 1
        assert move_checker(low, high, start, die) == pack_counts(numbers)
    assert pip_count(Backgammon().x_low, Backgammon().x_high) == 167


# ---- texts of positions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", f"{START}:cAgAAAAAAAAE"),
        (" start ", f"{START}:cAgAAAAAAAAE"),
        (START, f"{START}:cAkAAAAAAAAE"),
        (f"{START}:cAkAAAAAAAAA", f"{START}:cAkAAAAAAAAE"),  # as GNU Backgammon writes it, gammons counting or not
        (f"{START}:MAEAAAAAAAAA", f"{START}:MAEAAAAAAAAE"),  # O is on roll
        (f"{START}:cAkXAAAAAAAA", f"{START}:cAkXAAAAAAAE"),  # X has rolled 65
        (f"{START}:cAkXAAAAAAAE 24/13", "4HPwAyDgc/ABMA:MAEAAAAAAAAE"),
        ("31", f"{START}:cIkFAAAAAAAE"),
        ("13", f"{START}:MIEFAAAAAAAE"),
        ("31: 8/5 6/5 64: 24/14", None),
        (f"{START} 31 8/5,6/5 64 24/14", None),
    ],
)
def test_parse_position(text: str, written: str | None) -> None:
    state = Backgammon.parse(text)
    if written:
        assert str(state) == written
    assert Backgammon.parse(str(state)) == state


def test_position_id_is_seen_by_the_player_on_roll() -> None:
    state = Backgammon.parse(f"{START} 31 8/5 6/5")
    assert str(state) == "sGfwATDgc/ABMA:MAEAAAAAAAAE"
    assert state.turn == MIN
    mirrored_state = Backgammon.parse(str(state).partition(":")[0])
    assert mirrored_state.turn == MAX
    assert (mirrored_state.x_low, mirrored_state.o_low) == (state.o_low, state.x_low)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "position ID 'hello' has 5 characters; expected 14"),
        (START + "A", "has 15 characters; expected 14"),
        ("4HPwATDgc/AB A", "has 12 characters; expected 14"),
        ("4HPwATDgc_ABMA", r"character 10 of position ID '4HPwATDgc_ABMA' is '_'; expected A-Z, a-z, 0-9, \+ or /"),
        ("4HPwATDgc\u00e9ABMA", "character 10 of position ID .* is '\u00e9'"),
        ("4HPwATDgc\0ABMA", r"character 10 of position ID .* is '\\x00'"),
        ("4HPwATDgc/ABMB", "position ID '4HPwATDgc/ABMB' has bits set after its end; expected it to end with A"),
        ("//////////////", "position ID '//////////////' has bits set after its end; expected it to end with A"),
        ("/////////////w", "the other player has 80 checkers; expected at most 15"),
        ("4HPwATDg////AQ", "the player on roll has .* checkers; expected at most 15"),
        ("AAAAAAAAAAAAAA", "in 'AAAAAAAAAAAAAA' both players have borne off all checkers; expected one winner"),
        ("AAAAAAAAAIAAAA", "position ID 'AAAAAAAAAIAAAA' has bits set after both players' 25 points; expected zeros"),
        (f"{START}:", "match ID '' has 0 characters; expected 12"),
        (f"{START}:cAkAAAAAAAA", "match ID 'cAkAAAAAAAA' has 11 characters; expected 12"),
        (f"{START}:cAkAAAAAAAA-", "character 12 of match ID 'cAkAAAAAAAA-' is '-'"),
        (f"{START}:cAkAAAAAAAAI", "match ID 'cAkAAAAAAAAI' has bits set after its end; expected it to end with A"),
        (f"{START}:YAkAAAAAAAAA", r"match ID 'YAkAAAAAAAAA': cube owner 2; expected 0 \(O\), 1 \(X\) or 3 \(centred\)"),
        (f"{START}:cA8AAAAAAAAA", "match ID 'cA8AAAAAAAAA': game state 7; expected 0"),
        (f"{START}:cIkDAAAAAAAA", "match ID 'cIkDAAAAAAAA': dice 7 and 0; expected 1 to 6 each, or 0 and 0"),
        (f"{START}:cIkAAAAAAAAA", "match ID 'cIkAAAAAAAAA': dice 1 and 0; expected 1 to 6 each, or 0 and 0"),
        (f"{START}:cBkAAAAAAAAA", "match ID 'cBkAAAAAAAAA': a double is offered; expected a position without"),
        (f"{START}:cCkAAAAAAAAA", "match ID 'cCkAAAAAAAAA': a resignation is offered; expected a position without"),
        (
            f"{START}:cAoAAAAAAAAA",
            "match ID 'cAoAAAAAAAAA': the game is over, but both players have checkers left; expected game state 1",
        ),
        (f"{START}:cAsAAAAAAAAA", "match ID 'cAsAAAAAAAAA': the game was resigned; expected a game in progress"),
        (f"{START}:cAwAAAAAAAAA", "match ID 'cAwAAAAAAAAA': the game was dropped; expected a game in progress"),
        (
            "AAAArjWAYgYAAA:cAAAAAAAAAAE",
            "the game has not started, but a player has borne off all checkers; expected game",
        ),
        (f"{START}:cIgFAAAAAAAE", "dice 31 before the game has started; expected none"),
        (f"{START}:cAlgABAAGAAE", "match ID 'cAlgABAAGAAE': score 3 to 1 in a match to 3; expected lower scores"),
        ("33", "'33' is a tie in the first roll; expected X's die and O's die, different"),
        ("31 8/5", "'8/5' is not a legal play of 31; legal: 6/2 "),
        ("31 8/5 6/5 8/5", "'8/5 6/5 8/5' is not a legal play of 31"),
        ("31 64", "'64' is not a play of 31; expected one like 8/5 6/5"),
        ("31 8/5 6/5 77", "'8/5 6/5 77' is not a play of 31; expected one like 8/5 6/5"),
        ("1" * 1_000_000, "1,000,000 characters; expected at most 4,000"),
    ],
    ids=range(34),
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as error:
        Backgammon.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_error_for_point_held_by_both_players() -> None:
    both = ids.position_id([12] + [0] * 5 + [3] + [0] * 19, [12] + [0] * 18 + [3] + [0] * 6)
    with pytest.raises(
        PositionError, match="in 'AAAcAA4AAAAAAA' both players have checkers on point 6 of the player on roll"
    ):
        Backgammon.parse(both)


def test_match_id_of_the_manual() -> None:
    """GNU Backgammon's manual, 11.7: a 9 point match, 2 to 4, player 0 holds a 2-cube, player 1 has rolled 52."""
    match = ids.MatchState(
        cube=2, owner=MIN, on_roll=MAX, turn=MAX, dice=52, length=9, score_o=2, score_x=4, jacoby=True
    )
    assert ids.match_id(match) == "QYkqASAAIAAA"
    assert ids.parse_match("QYkqASAAIAAA") == match


def test_match_id_round_trip() -> None:
    random = Random(5)
    for _ in range(1_000):
        length = random.choice([0, random.randint(1, 32_767)])
        scores = [random.randrange(length or 32_768) for _ in range(2)]
        match = ids.MatchState(
            1 << random.randrange(16), random.choice([MAX, MIN, 0]), random.choice([MAX, MIN]), random.random() < 0.5,
            random.randrange(5), random.choice([MAX, MIN]), random.random() < 0.5, random.randrange(4),
            random.choice([0, *ROLLS]), length, *scores, random.random() < 0.5,
        )  # fmt: skip
        assert ids.parse_match(ids.match_id(match)) == match


def test_random_position_ids_parse_or_raise() -> None:
    random = Random(6)
    for _ in range(3_000):
        text = list(f"{START}:cAkXAAAAAAAE")
        for _ in range(random.randint(1, 3)):
            text[random.randrange(len(text))] = random.choice("AEQgwz/+:3")
        try:
            state = Backgammon.parse("".join(text))
        except PositionError:
            continue
        assert Backgammon.parse(str(state)) == state


# ---- texts of moves -------------------------------------------------------------------------------------------


def names(position: str) -> list[str]:
    state = Backgammon.parse(position)
    return [state.move_name(move) for move in state.legal_moves()]


@pytest.mark.parametrize(
    ("position", "dice", "play"),
    [
        # Written by GNU Backgammon 1.07.
        ("51grQAjgPAJwZg", 22, "bar/21,bar/23,11/9"),
        ("51grQAjgPAJwZg", 22, "bar/23(2),11/7*"),
        ("z3aACSCG+cFAGA", 51, "6/1*,2/1"),
        ("DwsOGDLOjBEDCw", 33, "22/19*,9/3*,6/3"),
        ("DwsOGDLOjBEDCw", 33, "9/3*,6/3(2)"),
        ("Z5zhAgQPB8BwTA", 44, "bar/21,20/12*,16/12"),
        ("Z5zhAgQPB8BwTA", 44, "bar/21,16/12*/8,16/12"),
        ("89wECQiyZjBATg", 44, "bar/17*/13,21/17"),
    ],
)
def test_move_name_as_in_gnu_backgammon(position: str, dice: int, play: str) -> None:
    state = Backgammon.parse(position).play(dice)
    move = state.parse_move(play)
    assert state.move_name(move) == play
    assert state.parse_move(play.replace(",", " ").replace("*", "").upper()) == move
    assert state.parse_move(" ".join(reversed(play.split(",")))) == move


@pytest.mark.reference
def test_opening_plays_of_gnu_backgammon() -> None:
    with published("backgammon", "gnubg_opening_replies_cubeless.csv").open() as file:
        for row in csv.DictReader(file):
            state = Backgammon.parse(START).after("".join(sorted(row["roll"], reverse=True)))
            assert state.move_name(state.parse_move(row["move"])) == row["move"].replace(" ", ",")


def test_parse_move_accepts_other_notations() -> None:
    state = Backgammon.parse(f"{START} 44")
    assert state.move_name(state.parse_move("24/16(2)")) == "24/16(2)"
    for text in ("24/20/16(2)", "24/20(2) 20/16(2)", "24/20 24/20 20/16 20/16", "24/16,24/20/16"):
        assert state.parse_move(text) == state.parse_move("24/16(2)")
    assert state.play(state.parse_move("24/16(2)")) == state.after("24/20(2) 20/16(2)")
    bearing = Backgammon(*pack_counts([13, 0, 0, 1, 1] + [0] * 21), *pack_counts([14, 1] + [0] * 24), 41, MAX)
    assert [bearing.move_name(move) for move in bearing.legal_moves()] == ["4/off,3/2", "4/off"]
    for text in ("4/off 3/2", "3/2,4/off", "4/0 3/2"):
        assert bearing.move_name(bearing.parse_move(text)) == "4/off,3/2"
    for text in ("4/3/off", "4/3 3/off", "4/off"):
        assert bearing.move_name(bearing.parse_move(text)) == "4/off"


def test_intermediate_points_resolve_hits() -> None:
    """A checker that hits on the way if one die is played first, and not with the other."""
    x = pack_counts([24, *[0] * 23, 1, 0])
    o = pack_counts([13, *[0] * 4, 1, *[0] * 19, 0])
    state = Backgammon(*x, *o, 42, MAX)
    assert [state.move_name(move) for move in state.legal_moves()] == ["24/20*/18", "24/18"]
    for hits, texts in (("24/20*/18", ("24/20/18", "24/20 20/18")), ("24/18", ("24/22/18", "24/22 22/18"))):
        for text in texts:
            assert state.move_name(state.parse_move(text)) == hits
    both = Backgammon(*x, *pack_counts([12, *[0] * 2, 1, 0, 1, *[0] * 19, 0]), 42, MAX)
    assert [both.move_name(move) for move in both.legal_moves()] == ["24/20*/18", "24/22*/18"]
    with pytest.raises(IllegalMove, match=r"'24/18' is ambiguous; expected 24/20\*/18 or 24/22\*/18"):
        both.parse_move("24/18")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a play of 31; expected one like 8/5 6/5; legal: 6/2 .* 24/20 ... .16 plays.|legal: "),
        ("8-5", "'8-5' is not a play of 31"),
        ("5/8", "'5/8' is not a play of 31"),
        ("26/25", "'26/25' is not a play of 31"),
        ("8/5(5)", r"'8/5\(5\)' is not a play of 31"),
        ("pass", "'pass' is not a play of 31"),
        ("8/5* 6/5", r"'8/5\* 6/5' is not a legal play of 31"),
        ("24/23/20 8/5", "'24/23/20 8/5' is not a legal play of 31"),
        ("24/22/20", "'24/22/20' is not a legal play of 31"),
        ("8/5 " * 100, "400 characters; expected at most 100"),
    ],
    ids=range(10),
)
def test_error_message_for_invalid_play(text: str, message: str) -> None:
    with pytest.raises(IllegalMove, match=message) as error:
        Backgammon.parse("31").parse_move(text)
    assert "\n" not in str(error.value)


def test_pass_without_legal_play() -> None:
    state = Backgammon(*pack_counts([0] * 13 + [2] + [0] * 11 + [1]), *pack_counts([0] + [2] * 6 + [0] * 19), 66, MAX)
    assert state.legal_moves() == [0]
    assert state.move_name(0) == "pass"
    assert state.parse_move("Cannot Move") == state.parse_move("pass") == 0
    assert state.after("66") == state.play(0).play(66)
    with pytest.raises(IllegalMove, match="'bar/19' is not a legal play of 66; legal: pass"):
        state.parse_move("bar/19")
    with pytest.raises(IllegalMove, match="'66' is not legal: the game is over"):
        Backgammon(*pack_counts([0] * 26), *pack_counts([0] + [2] * 6 + [0] * 19), 0, MAX).parse_move("66")


def test_parse_roll() -> None:
    state = Backgammon(turn=MAX)
    assert [state.parse_move(text) for text in ("31", "13", "3-1", "31:", " 1 3 ")] == [31] * 5
    assert [Backgammon().parse_move(text) for text in ("31", "13")] == [31, 13]
    for text in ("", "7", "07", "71", "3/1", "311", "\u0663\u0661"):
        with pytest.raises(IllegalMove, match="is not a roll; expected two dice like 31"):
            state.parse_move(text)


def test_board() -> None:
    x, o = [12, *[0] * 5, 1, *[0] * 18, 2], [0] * 6 + [8, 0, 3, *[0] * 4, 3, *[0] * 11, 1]
    assert (
        Backgammon(*pack_counts(x), *pack_counts(o), 65, MAX).board()
        == """\
    13 14 15 16 17 18       19 20 21 22 23 24
  ┌───────────────────┬───┬───────────────────┐
  │ ·  ·  ·  ·  O  ·  │ O │ O  ·  ·  ·  ·  ·  │  O  136 pips
  │             O     │   │ O                 │
  │             O     │   │ O                 │
  │                   │   │ O                 │
  │                   │   │ 8                 │
  │                   │   │                   │  X to play 65
  │                   │   │                   │
  │                   │   │                   │
  │ O                 │   │                   │
  │ O                 │ X │                   │
  │ O  ·  ·  ·  ·  ·  │ X │ X  ·  ·  ·  ·  ·  │  X  56 pips, 12 off
  └───────────────────┴───┴───────────────────┘
    12 11 10  9  8  7        6  5  4  3  2  1"""
    )
    assert "to roll: who begins" in Backgammon().board()
    assert "O to roll" in Backgammon(turn=MIN).board()
    assert "X has won 2" in Backgammon(*pack_counts([0] * 26), *pack_counts([0, 15] + [0] * 24), 0, MIN).board()


def test_player_name() -> None:
    assert [Backgammon().player_name(side) for side in (MAX, MIN, CHANCE)] == ["X (white)", "O (black)", "dice"]
