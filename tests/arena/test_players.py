"""Players by text: which there are, what they play, and what is said of those that are none."""

from __future__ import annotations

import io
import sys

import pytest

import zermelo
from zermelo.arena.players.clock import Clock, Control
from zermelo.arena.players.named import check_player, player_for
from zermelo.arena.players.player import Seat, Turn
from zermelo.errors import LimitError, UnknownGame, ZermeloError
from zermelo.game import MAX, MIN, State
from zermelo.search import textbook

TICTACTOE = zermelo.load("tictactoe")
OTHELLO = zermelo.load("othello")


def turn(state: State, control: str = "") -> Turn:
    return Turn(state, (), (), Clock.of(Control.parse(control)))


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("randon", UnknownGame, "did you mean random?"),
        ("dif:3", UnknownGame, "did you mean diff or wdiff?"),
        ("diff", LimitError, "needs a depth from 1 to 200 plies, as in diff:3"),
        ("diff:0", LimitError, "needs a depth"),
        ("diff:3.5", LimitError, "needs a depth"),
        ("minimax:diff", LimitError, "as in minimax:diff:3"),
        ("minimax:nosuch:3", UnknownGame, "there is no player 'minimax:nosuch:3'"),
        ("engine:second=1", LimitError, "did you mean seconds=?"),
        ("engine:seconds=1,seconds=2", LimitError, "each once"),
        ("engine:seconds=soon", LimitError, "'soon' in 'seconds=soon' is no number"),
        ("engine:seconds=-1", LimitError, "above 0"),
        ("engine:depth=0", LimitError, "not in 1 .. 200"),
        ("engine:table=huge", LimitError, "huge"),
        ("engine:evaluation=mobilty", UnknownGame, "did you mean mobility"),
        ("", UnknownGame, "there is no player ''"),
    ],
)
def test_what_is_no_player_is_told_with_the_near_ones(text: str, error: type[ZermeloError], said: str) -> None:
    with pytest.raises(error) as told:
        check_player(OTHELLO, text)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_a_game_with_hidden_cards_is_refused() -> None:
    with pytest.raises(UnknownGame, match="hides something"):
        check_player(zermelo.load("kuhn"), "random")


@pytest.mark.parametrize("text", ["diff:3", "minimax:diff:3", "alphabeta:diff:3"])
def test_of_equal_moves_the_first_in_the_order_of_the_rules(text: str) -> None:
    """The books' searches keep the first best; so do these, with and without pruning."""
    player = player_for(OTHELLO, text)
    state = OTHELLO.start()
    player.new_game(Seat(state, MAX, 1))
    for _ in range(12):
        found = textbook.minimax(state, 3, "diff")
        choice = player.choose(turn(state))
        assert (choice.move, choice.score) == (found.best, found.value)
        if text.startswith("minimax"):
            assert choice.nodes == found.nodes
        state = state.play(choice.move)


def test_random_follows_its_seed() -> None:
    games = []
    for seed in (1, 1, 2):
        player = player_for(OTHELLO, "random")
        player.new_game(Seat(OTHELLO.start(), MAX, seed))
        state, moves = OTHELLO.start(), []
        while not state.is_over():
            moves.append(player.choose(turn(state)).move)
            state = state.play(moves[-1])
        games.append(moves)
    assert games[0] == games[1] != games[2]


def test_the_engine_keeps_to_the_first_limit() -> None:
    state = TICTACTOE.start()
    for text, control, depth in (
        ("engine:depth=3", "", 3),
        ("engine", "depth=2", 2),
        ("engine:depth=4", "depth=2", 2),
        ("engine:depth=2", "depth=4,seconds=60", 2),
        ("engine:depth=2", "clock=60+1", 2),
    ):
        player = player_for(TICTACTOE, text)
        player.new_game(Seat(state, MAX, 0))
        assert player.choose(turn(state, control)).depth == depth


def test_the_engine_wins_where_it_can() -> None:
    state = TICTACTOE.parse("XX-OO----")
    player = player_for(TICTACTOE, "engine")
    player.new_game(Seat(state, MAX, 0))
    choice = player.choose(turn(state))
    assert state.move_name(choice.move) == "c1"
    assert choice.score == 1
    assert choice.nodes > 0


def test_chance_at_the_root_is_no_trouble_for_players() -> None:
    """Backgammon begins with a roll; a player is asked only after it, but gets ready before."""
    backgammon = zermelo.load("backgammon")
    state = backgammon.start()
    player = player_for(backgammon, "pips:1")
    player.new_game(Seat(state, MIN, 0))
    state = state.play(state.legal_moves()[0])
    assert player.choose(turn(state)).move in state.legal_moves()


def test_a_human_is_asked_until_the_move_is_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("moves\nz9\nb2\nresign\n"))
    player = player_for(TICTACTOE, "human")
    state = TICTACTOE.start()
    player.new_game(Seat(state, MAX, 0))
    assert player.choose(turn(state)).move == state.parse_move("b2")
    told = capsys.readouterr().err
    assert "'z9' is not a legal move" in told
    assert player.choose(turn(state)).offer == "resigns"
    assert player.choose(turn(state)).offer == "resigns", "nobody is there any more"
