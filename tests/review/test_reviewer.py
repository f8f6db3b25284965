"""Reviews of solved games: losses are the exact differences, perfect games have no marks."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from published import published

import zermelo
from tests.review.games import named_record, random_record, reviewed, true_losses, value
from zermelo.errors import GameError, LimitError, UnknownGame
from zermelo.formats import wthor
from zermelo.formats.record import record_from_moves
from zermelo.review.annotation import effort, remark
from zermelo.review.marks import MARKS
from zermelo.review.reviewer import Settings, check_reviewable, review_moves
from zermelo.search.selective import Selective
from zermelo.testing.random_games import draw_move

#: A game of WTH_2024.wtb, from 1, whose endgame is solved within seconds.
GAME = 190


@pytest.mark.parametrize("seed", range(6))
def test_losses_of_tic_tac_toe_are_exact(seed: int) -> None:
    record = random_record("tictactoe", seed)
    review = reviewed(record, exact=True)
    assert review.is_complete
    for move, loss in zip(review.in_order(), true_losses(record), strict=True):
        assert move.is_exact
        if move.not_judged:
            assert loss == 0
            continue
        assert (move.loss, move.unit) == (loss, "utility")
        assert move.result_loss == loss / 2
        assert (move.mark == "blunder") == (loss > 0)
        assert move.missed_win == (loss > 0 and move.best.result != 0.5)


def test_a_perfect_game_has_no_marks() -> None:
    state, moves = zermelo.load("tictactoe").start(), []
    while not state.is_over():
        moves.append(max(state.legal_moves(), key=lambda move: state.to_move() * value(state.play(move))))
        state = state.play(moves[-1])
    review = reviewed(record_from_moves(zermelo.load("tictactoe").start(), moves), exact=True)
    for side in (1, -1):
        summary = review.summary(side)
        assert summary.accuracy == pytest.approx(100, abs=0.01)
        assert summary.marks == dict.fromkeys(MARKS, 0)
    assert set(review.curve()) == {0.5}


def test_a_planted_blunder_is_found_with_its_loss() -> None:
    """1. b2 b1? loses: noughts must answer the centre in a corner."""
    review = reviewed(named_record("tictactoe", "b2 b1 a1 c3 a3 c1 a2"), exact=True)
    marks = {move.text: move.mark for move in review.in_order() if move.mark}
    assert marks == {"b1": "blunder"}
    move = review.moves[1]
    assert (move.loss, move.result_loss, move.best.result, move.played.result) == (1, 0.5, 0.5, 1.0)
    assert "a1" in move.best.names[0] or move.best.names[0] in ("a3", "c1", "c3")
    assert review.curve() == [0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]


def test_the_only_move_is_named() -> None:
    """X threatens a3: O must block, any other move loses."""
    review = reviewed(named_record("tictactoe", "a1 b2 a2 a3 c1 b1 b3 c3 c2"), exact=True)
    assert review.moves[3].only_move
    assert not review.moves[0].only_move


def test_forced_moves_are_not_judged() -> None:
    review = reviewed(named_record("tictactoe", "a1 b2 a2 a3 c1 b1 b3 c3 c2"), exact=True)
    last = review.moves[8]
    assert (last.not_judged, last.loss, last.mark) == ("forced", None, "")


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
def test_losses_of_connect_four_endings_are_exact(seed: int) -> None:
    """The last eight moves of games that end late."""
    for number in itertools.count(100 * seed):
        record = random_record("connect4", number)
        if len(record.moves()) > 36:
            break
    start, moves = record.start, record.moves()
    for move in moves[:-8]:
        start = start.play(move)
    ending = record_from_moves(start, moves[-8:])
    review = reviewed(ending, nodes=200_000)
    for move, loss in zip(review.in_order(), true_losses(ending), strict=True):
        assert move.is_exact
        assert move.not_judged or move.loss == loss


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_losses_of_othello_endings_are_exact_in_discs(seed: int) -> None:
    record = random_record("othello", seed)
    start, moves = record.start, record.moves()
    for move in moves[:-7]:
        start = start.play(move)
    ending = record_from_moves(start, moves[-7:])
    review = reviewed(ending, nodes=100_000)
    losses = true_losses(ending)
    for move, loss in zip(review.in_order(), losses, strict=True):
        assert move.is_exact
        assert move.not_judged or (move.loss, move.unit) == (loss, "discs")
    judged = [move for move in review.in_order() if move.is_judged]
    assert all((move.mark != "") == (move.loss >= 2) for move in judged if move.loss is not None)


@pytest.mark.long
def test_the_best_move_of_a_published_endgame() -> None:
    """Number 40 of the FFO suite: black wins by 38 with a2."""
    text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"
    state = zermelo.load("othello").parse(text)
    [move] = review_moves(record_from_moves(state, [state.parse_move("b1")]), Settings(exact=True))
    assert (move.best.names[0], move.best.score.value) == ("a2", 38)
    assert move.is_exact
    assert move.loss == 38 - (move.played.score.value or 0) > 0


def test_scholars_mate_is_a_blunder_of_black() -> None:
    review = reviewed(named_record("chess", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"), depth=4)
    marks = {move.text: move.mark for move in review.in_order() if move.mark == "blunder"}
    assert marks == {"Nf6": "blunder"}
    blunder = review.moves[5]
    assert blunder.played.score.plies == 2
    assert blunder.loss is None  # mate and centipawns have no common unit
    assert review.moves[6].only_move


def test_a_hanging_queen_costs_its_value() -> None:
    """1. e4 e5 2. Qh5 Nc6 3. Qxe5+ loses the queen for a pawn."""
    review = reviewed(named_record("chess", "e4 e5 Qh5 Nc6 Qxe5+ Nxe5"), depth=4)
    blunder = review.moves[4]
    assert (blunder.mark, blunder.unit) == ("blunder", "centipawns")
    assert blunder.loss is not None
    assert 600 < blunder.loss < 1_200


def test_the_same_limits_give_the_same_review() -> None:
    record = random_record("connect4", 5)
    first, second = (reviewed(record, nodes=3_000).as_dict() for _ in range(2))
    assert first == second


def test_known_moves_are_left_out_and_change_nothing() -> None:
    record = random_record("othello", 3)
    record.line.steps = record.line.steps[-14:]
    state = random_record("othello", 3).start
    for step in random_record("othello", 3).line.steps[:-14]:
        state = state.play(step.move or 0)
    record.start = state
    whole = reviewed(record, nodes=3_000).moves
    some = [move for ply, move in whole.items() if ply % 3]
    rest = list(review_moves(record, Settings(nodes=3_000), some))
    assert {move.ply: move for move in rest} == {ply: move for ply, move in whole.items() if not ply % 3}


def test_moves_of_a_book_are_not_judged() -> None:
    record = named_record("tictactoe", "b2 b1 a1")
    moves = list(review_moves(record, Settings(exact=True), (), lambda state, last: [record.moves()[1]]))
    assert [move.not_judged for move in moves] == ["", "book", ""]
    assert moves[1].mark == ""


def test_the_searches_of_a_move_can_be_stopped() -> None:
    is_done = threading.Event()

    @contextmanager
    def stopping(stop: Callable[[], None]) -> Iterator[None]:
        def repeat() -> None:
            while not is_done.wait(0.02):
                stop()

        threading.Thread(target=repeat).start()
        try:
            yield
        finally:
            is_done.set()

    began = time.monotonic()
    next(review_moves(named_record("othello", "f5 d6 c3 d3"), Settings(seconds=1_000), stopping=stopping))
    assert time.monotonic() - began < 500


@pytest.mark.long
def test_luck_at_backgammon_is_zero_on_average() -> None:
    """Over all rolls of a position, weighted by their probability, the luck is 0 by definition."""
    source = random.Random(4)
    state = zermelo.load("backgammon").start()
    while len(list(state.outcomes() if state.to_move() == 0 else ())) != 21:
        state = state.play(draw_move(state, state.legal_moves(), source))
    total = luck = 0.0
    for roll, weight in state.outcomes():
        after = state.play(roll)
        (move,) = [each for each in review_moves(record_from_moves(state, [roll]), Settings(depth=1)) if each.ply == 0]
        assert move.not_judged == "chance"
        assert move.luck is not None
        total, luck = total + weight, luck + weight * move.luck * after.to_move()
    assert abs(luck / total) < 1e-3


def test_games_with_hidden_information_are_refused() -> None:
    with pytest.raises(GameError, match="hidden information"):
        list(review_moves(record_from_moves(zermelo.load("kuhn").start(), []), Settings()))


def test_the_default_limit_depends_on_the_evaluation() -> None:
    othello, go = zermelo.load("othello"), zermelo.load("go")
    assert Settings().with_default(othello).nodes == 200_000
    assert Settings().with_default(go).nodes == 5_000
    assert Settings(depth=3).with_default(go) == Settings(depth=3)
    assert Settings(exact=True).with_default(go) == Settings(exact=True)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(LimitError, match="exact excludes"):
        Settings(exact=True, nodes=5)
    with pytest.raises(LimitError, match="depth must be"):
        Settings(depth=0)
    with pytest.raises(UnknownGame, match="no evaluation 'wrong'"):
        list(review_moves(named_record("tictactoe", "b2"), Settings(evaluation="wrong")))


def test_a_sacrifice_is_checked_by_a_longer_search_before_it_is_marked() -> None:
    """6. Nxf7 of the Fried Liver attack: 20,000 nodes alone see a lost knight, a blunder; 6. d4 is a little better."""
    record = named_record("chess", "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7")
    move = next(review_moves(record, Settings(nodes=20_000)))
    assert (move.text, move.mark) == ("Nxf7", "inaccuracy")
    assert 40_000 < move.nodes < 160_000


# ---- at a confidence -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "settings", "error"),
    [
        ("othello", {"confidence": 50}, "confidence must be one of 73, 87, 95, 98, 99 or 100 percent (got 50)"),
        ("othello", {"confidence": 95, "exact": True}, "exact and confidence cannot be combined"),
        ("othello", {"selective": True, "exact": True}, "exact and selective cannot be combined"),
        ("othello", {"selective": True, "confidence": 95}, "selective and confidence cannot be combined"),
        (
            "backgammon",
            {"selective": True},
            "selective: games of chance such as Backgammon are always searched exactly",
        ),
        (
            "othello",
            {"confidence": 95, "evaluation": "mobility"},
            "the evaluation mobility does not define search_error",
        ),
        ("chess", {"confidence": 95}, "no evaluation of Chess does"),
        ("backgammon", {"confidence": 95}, "games of chance such as Backgammon are always searched exactly"),
    ],
)
def test_a_confidence_that_is_refused(game: str, settings: dict[str, object], error: str) -> None:
    with pytest.raises(LimitError) as refused:
        check_reviewable(zermelo.load(game), Settings(**settings))  # type: ignore[arg-type]
    assert error in str(refused.value)


@pytest.mark.long
def test_values_at_a_confidence_say_so_and_proven_ones_are_certain() -> None:
    record = random_record("othello", 1)
    review = reviewed(record, nodes=2_000, evaluation="patterns", confidence=95)
    values = [each for move in review.in_order() for each in (move.best, move.played)]
    assert {(each.score.is_proven, each.confidence) for each in values} == {(True, 100), (False, 95)}
    assert any("confidence 95 %" in remark(move) for move in review.in_order())
    assert all("proven" in remark(move) for move in review.in_order() if move.mark and move.is_exact)
    every = reviewed(record, nodes=2_000, evaluation="patterns", confidence=100)
    assert [move.as_dict() for move in every.in_order()] == [
        move.as_dict() for move in reviewed(record, nodes=2_000, evaluation="patterns").in_order()
    ]
    depths = [[move.depth for move in each.in_order() if not move.is_exact] for each in (review, every)]
    assert sum(depths[0]) > sum(depths[1])


@pytest.mark.parametrize("selective", [True, Selective(reduction_base=100)])
def test_values_of_a_selective_review_say_so(selective: bool | Selective) -> None:
    record = named_record("tictactoe", "b2 b1 a1 c3 a3 c1 a2")
    review = reviewed(record, depth=3, selective=selective)
    values = [each for move in review.in_order() for each in (move.best, move.played)]
    certain = {(each.score.is_proven, each.confidence, each.as_dict()["selective"]) for each in values}
    assert certain == {(True, 100, False), (False, None, True)}
    assert {effort(move).endswith(" nodes, selective") for move in review.in_order() if move.is_selective} == {True}
    exact = reviewed(record, depth=3)
    assert not any(move.is_selective for move in exact.in_order())
    assert Settings(depth=3).as_dict()["selective"] is False


# ---- published games -------------------------------------------------------------------------------------------------


@pytest.mark.reference
@pytest.mark.long
def test_losses_agree_with_the_exact_score_of_a_wthor_file() -> None:
    """The byte of a game is black's discs with best play by both sides from 24 empty squares on."""
    data = published("othello", "WTH_2024.wtb").read_bytes()
    alone = data[:4] + (1).to_bytes(4, "little") + data[8:16] + data[16 + 68 * (GAME - 1) : 16 + 68 * GAME]
    (game,) = wthor.read(alone, pytest.fail)
    assert game.tags["TheoreticalEmpties"] == "24"
    state, moves = game.start, game.moves()
    while (state.black | state.white).count() < 40:
        state = state.play(moves.pop(0))
    review = reviewed(record_from_moves(state, moves), exact=True, evaluation="patterns")
    theoretical, final = (2 * int(game.tags[tag]) - 64 for tag in ("TheoreticalDiscs", "BlackDiscs"))
    assert theoretical != final
    assert review.moves[0].best.score.value == theoretical
    assert theoretical - sum(move.side * (move.loss or 0) for move in review.in_order()) == final
