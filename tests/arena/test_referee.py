"""The referee: winners, terminations, and forfeits by failing players."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

import zermelo
from zermelo.arena import replay
from zermelo.arena.game_course import seed_of
from zermelo.arena.game_record import BY_RULES, NO_PROGRESS, REPETITION, RESIGNED, TOO_MANY_MOVES, GameJob, GameRecord
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.arena.referee import play
from zermelo.errors import StoreError, ZermeloError
from zermelo.registry import load
from zermelo.sandbox.failure import ProgramFailure, Reason


class Scripted(Player):
    """A player that calls a function."""

    def __init__(self, choose: Callable[[Turn], PlayResult]) -> None:
        self._choose = choose
        self.closed = 0

    def new_game(self, seat: GameSetup) -> None:
        self.seat = seat

    def choose(self, turn: Turn) -> PlayResult:
        return self._choose(turn)

    def close(self) -> None:
        self.closed += 1


def first(turn: Turn) -> PlayResult:
    return PlayResult(turn.state.legal_moves()[0], nodes=5, depth=2, score=-7)


def job(game: str, *players: str, **more: object) -> GameJob:
    texts = (players[0], players[-1]) if players else ("random", "random")
    return GameJob(0, game, texts, texts, **{"seed": 1, **more})  # type: ignore[arg-type]


def check(played: GameRecord) -> None:
    """The moves are legal and lead to the recorded result."""
    state = (
        zermelo.load(played.job.game).parse(played.job.start)
        if played.job.start
        else zermelo.load(played.job.game).start()
    )
    for move in played.moves:
        assert move in state.legal_moves()
        state = state.play(move)
    assert len(played.reports) == len(played.moves)
    if played.termination == BY_RULES:
        utility = state.utility()
        assert state.is_over()
        assert played.utility == utility
        assert played.points == {1: 1.0, 0: 0.5, -1: 0.0}[(utility > 0) - (utility < 0)]
    assert GameRecord.from_json(played.to_json()) == played


@pytest.mark.parametrize("game", ["tictactoe", "connect4", "othello", "pennies", "checkers", "chess", "backgammon"])
def test_random_games_end_by_the_rules_or_drawn(game: str) -> None:
    for seed in range(3):
        played = play(job(game, "random", seed=seed, max_plies=120))
        check(played)
        assert played.termination in (BY_RULES, REPETITION, NO_PROGRESS, TOO_MANY_MOVES)
        assert played.forfeited_by is None


@pytest.mark.parametrize("game", ["othello", "backgammon"])
def test_the_same_seed_gives_the_same_game(game: str) -> None:
    one, other, third = (play(job(game, "random", seed=seed)).moves for seed in (5, 5, 6))
    assert one == other != third


def test_both_games_of_a_pair_have_the_same_dice() -> None:
    """Chance events of one seed are the same whatever the players choose."""
    start = zermelo.load("backgammon").start()
    rolls = []
    for number in (0, 1):  # other players' choices
        state, moves = start, []
        for move in play(replace(job("backgammon", seed=4), number=number)).moves:
            if state.to_move() == 0:
                moves.append(move)
            state = state.play(move)
        rolls.append(moves)
    count = min(map(len, rolls))
    assert count > 20
    assert rolls[0][1:count] == rolls[1][1:count]


def test_openings_are_played_before_the_players_move() -> None:
    othello = zermelo.load("othello")
    states = othello.start().through("f5 d6 c3")
    moves = tuple(before.parse_move(text) for before, text in zip(states, ("f5", "d6", "c3"), strict=False))
    asked: list[Turn] = []

    def watching(turn: Turn) -> PlayResult:
        asked.append(turn)
        return first(turn)

    played = play(job("othello", opening=moves), players=(Scripted(watching), Scripted(watching)))
    check(played)
    assert played.moves[:3] == moves
    assert asked[0].state == states[3]
    assert list(asked[0].history) == states[:3]
    assert tuple(asked[0].moves) == moves
    assert asked[0].start == othello.start()
    assert [report.player for report in played.reports[:3]] == [-1, -1, -1]
    assert played.result.nodes[0] == 5 * played.result.move_counts[0] > 0


def test_an_illegal_opening_is_an_error_of_the_job() -> None:
    with pytest.raises(ZermeloError, match="move 0: illegal"):
        play(job("othello", opening=(0,)))


def refuse(turn: Turn) -> PlayResult:
    raise ProgramFailure(Reason.CRASH, "it fell over")


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("choose", "control", "reason"),
    [
        (lambda turn: PlayResult(10**6), "", Reason.ILLEGAL),
        (lambda turn: PlayResult(-1), "", Reason.ILLEGAL),
        (refuse, "", Reason.CRASH),
        (lambda turn: (time.sleep(0.02), first(turn))[1], "seconds=0.01,margin=0", Reason.OUT_OF_TIME),
        (lambda turn: (time.sleep(0.02), first(turn))[1], "clock=0.01,margin=0", Reason.OUT_OF_TIME),
    ],
)
def test_a_failing_player_loses_with_that_termination(
    side: int, choose: Callable[[Turn], PlayResult], control: str, reason: Reason
) -> None:
    players = [Scripted(first), Scripted(first)]
    players[side] = Scripted(choose)
    controls = tuple(control if place == side else "" for place in (0, 1))
    played = play(job("tictactoe", controls=controls), players=players)
    check(played)
    assert (played.termination, played.forfeited_by, played.points) == (str(reason), side, float(side))
    assert all(player.closed for player in players)


def test_who_runs_out_of_time_draws_if_the_opponent_cannot_win() -> None:
    late = Scripted(lambda turn: (time.sleep(0.02), first(turn))[1])
    for fen, points, forfeited_by in (("8/8/8/4k3/8/8/8/R3K3 w", 0.5, None), ("8/4p3/8/4k3/8/8/8/R3K3 w", 0.0, 0)):
        controls = ("seconds=0.01,margin=0", "")
        played = play(job("chess", start=f"{fen} - - 0 1", controls=controls), players=(late, Scripted(first)))
        check(played)
        replay.check(played, load("chess"))
        assert (played.termination, played.points, played.forfeited_by) == ("out of time", points, forfeited_by)
        assert played.detail.endswith("; a draw, because black cannot win") == (points == 0.5)
        with pytest.raises(StoreError, match=r"a draw on time, but both sides can win|must have 0\.5 points"):
            replay.check(replace(played, points=1.0 if points else 0.5, forfeited_by=None), load("chess"))


def test_resigning_loses_without_forfeit() -> None:
    played = play(job("tictactoe"), players=(Scripted(lambda turn: PlayResult(-1, resigned=True)), Scripted(first)))
    assert (played.termination, played.points, played.forfeited_by) == (RESIGNED, 0.0, None)


def test_an_internal_error_is_not_a_forfeit() -> None:
    def broken(turn: Turn) -> PlayResult:
        raise RuntimeError("ours")

    player = Scripted(broken)
    with pytest.raises(RuntimeError):
        play(job("tictactoe"), players=(player, Scripted(first)))
    assert player.closed


def test_threefold_repetition_is_a_draw() -> None:
    """Knights move out and back."""
    line = iter(["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"])
    player = Scripted(lambda turn: PlayResult(turn.state.parse_move(next(line))))
    played = play(job("chess"), players=(player, player))
    assert (played.termination, played.points, len(played.moves)) == (REPETITION, 0.5, 8)


def test_fifty_moves_without_progress_are_a_draw() -> None:
    """From positions where the counter is nearly full, and full."""
    dice = random.Random(1)
    player = Scripted(lambda turn: PlayResult(dice.choice(turn.state.legal_moves())))
    played = play(job("chess", start="6k1/8/8/8/8/8/8/K6R w - - 95 80"), players=(player, player))
    assert played.termination in (NO_PROGRESS, BY_RULES)
    played = play(job("chess", start="6k1/8/8/8/8/8/8/K6R w - - 100 80"), players=(player, player))
    assert (played.termination, played.points, played.moves) == (NO_PROGRESS, 0.5, ())


def test_a_game_that_reaches_max_plies_is_a_draw() -> None:
    played = play(job("chess", max_plies=10))
    assert (played.termination, len(played.moves)) == (TOO_MANY_MOVES, 10)


def test_seeds_are_derived_from_their_use() -> None:
    assert seed_of("dice", 1) == 144120576094748, "the same on every machine"
    assert len({seed_of("dice", number) for number in range(1000)}) == 1000
