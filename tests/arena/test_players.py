"""Player specs: which players there are, what they play, and errors."""

from __future__ import annotations

import io
import sys

import pytest
from reroll import Reroll

import zermelo
from zermelo.arena.game_record import GameJob
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.options import files_of, with_paths
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.arena.players.specs import check_player, player_for
from zermelo.arena.referee import play
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FileError, LimitError, UnknownGame, ZermeloError
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.search import textbook

TICTACTOE = zermelo.load("tictactoe")
OTHELLO = zermelo.load("othello")
CONNECT4 = zermelo.load("connect4")


def turn(state: State, control: str = "") -> Turn:
    return Turn(state, (), (), Clock.of(TimeControl.parse(control)))


@pytest.mark.parametrize(
    ("text", "error", "expected"),
    [
        ("randon", UnknownGame, "did you mean random?"),
        ("dif:3", UnknownGame, "did you mean diff or wdiff?"),
        ("diff", LimitError, "the depth must be from 1 to 200 plies, as in diff:3"),
        ("diff:0", LimitError, "the depth must be from 1 to 200 plies, as in diff:3"),
        ("diff:3.5", LimitError, "plies, as in diff:3"),
        ("minimax:diff:0", LimitError, "plies, as in minimax:diff:3"),
        ("minimax:diff", LimitError, "as in minimax:diff:3"),
        ("minimax:nosuch:3", UnknownGame, "unknown player 'minimax:nosuch:3'"),
        ("engine:second=1", LimitError, "did you mean seconds=?"),
        ("engine:seconds=1,seconds=2", LimitError, "seconds= is given twice"),
        ("engine:seconds=soon", LimitError, "'soon' in 'seconds=soon' is not a number"),
        *(
            (f"engine:{name}={value}", LimitError, f"in '{name}={value}' is not a number")
            for name, value in (("depth", "٣"), ("depth", "1_0"), ("depth", " 3"), ("seconds", "٣"), ("seconds", "nan"))
        ),
        ("diff:٣", LimitError, "plies, as in diff:3"),
        ("engine:seconds=-1", LimitError, "above 0"),
        ("engine:depth=0", LimitError, "between 1 and 200"),
        ("engine:selective=maybe", LimitError, "selective= must be yes or no"),
        ("engine:table=huge", LimitError, "huge"),
        ("engine:evaluation=mobilty", UnknownGame, "has no evaluation 'mobilty'"),
        ("engine:evaluation=mobilty", UnknownGame, "did you mean mobility"),
        ("engine:evaluation=no_such.weights", FileError, "No such file"),
        ("", UnknownGame, "unknown player ''"),
    ],
)
def test_invalid_specs_suggest_similar_names(text: str, error: type[ZermeloError], expected: str) -> None:
    with pytest.raises(error) as output:
        check_player(OTHELLO, text)
    assert expected in str(output.value)
    assert "\n" not in str(output.value)


def test_paths_of_options_are_found_and_changed() -> None:
    """A comma in a path does not end it; names, `none` and other players' specs are not paths."""
    spec = "engine:depth=1,evaluation=a,b/new.weights,book=c,d.book,selective=t.params"
    assert files_of(spec) == ["a,b/new.weights", "c,d.book", "t.params"]
    assert with_paths(spec, str.upper) == "engine:depth=1,evaluation=A,B/NEW.WEIGHTS,book=C,D.BOOK,selective=T.PARAMS"
    for other in ("engine:evaluation=v1.5,book=none,selective=95", "diff:3", "python:a.py", "uci:a/b --x=c", "engine"):
        assert files_of(other) == []
        assert with_paths(other, str.upper) == other


def test_hidden_information_is_refused() -> None:
    with pytest.raises(UnknownGame, match="has hidden information"):
        check_player(zermelo.load("kuhn"), "engine:depth=1")


@pytest.mark.long
@pytest.mark.parametrize("text", ["lines:3", "minimax:lines:3", "alphabeta:lines:3"])
def test_of_equal_moves_the_first_is_played(text: str) -> None:
    """As in the textbook searches, with and without pruning."""
    player = player_for(CONNECT4, text)
    state = CONNECT4.start()
    player.new_game(GameSetup(state, MAX, 1))
    for _ in range(12):
        found = textbook.minimax(state, 3, "lines")
        choice = player.choose(turn(state))
        assert (choice.move, choice.score) == (found.best, found.value)
        if text.startswith("minimax"):
            assert choice.nodes == found.nodes
        state = state.play(choice.move)


@pytest.mark.parametrize("text", ["minimax:lines:30", "lines:30"])
@pytest.mark.parametrize(
    ("control", "reason"),
    [("seconds=0.1", Reason.OUT_OF_TIME), ("clock=0.1+0", Reason.OUT_OF_TIME), ("patience=0.1", Reason.HANG)],
)
@pytest.mark.long
def test_a_textbook_search_is_stopped_at_its_time_limit(text: str, control: str, reason: Reason) -> None:
    player = player_for(CONNECT4, text)
    player.new_game(GameSetup(CONNECT4.start(), MAX, 1))
    with pytest.raises(ProgramFailure, match=f"{text}: the search did not finish in 0.15? s") as raised:
        player.choose(turn(CONNECT4.start(), control))
    assert raised.value.reason is reason


@pytest.mark.long
def test_a_late_textbook_player_loses_only_this_game() -> None:
    control = "seconds=0.1"
    for number, (first, second) in enumerate((("minimax:lines:30", "random"), ("random", "minimax:lines:30"))):
        played = play(GameJob(number, "connect4", (first, second), ("a", "b"), seed=7, controls=(control, control)))
        assert (played.termination, played.forfeited_by, played.points) == (
            str(Reason.OUT_OF_TIME),
            number,
            float(number),
        )


def test_random_moves_follow_the_seed() -> None:
    games = []
    for seed in (1, 1, 2):
        player = player_for(OTHELLO, "random")
        player.new_game(GameSetup(OTHELLO.start(), MAX, seed))
        state, moves = OTHELLO.start(), []
        while not state.is_over():
            moves.append(player.choose(turn(state)).move)
            state = state.play(moves[-1])
        games.append(moves)
    assert games[0] == games[1] != games[2]


def test_the_engine_observes_the_tightest_limit() -> None:
    state = TICTACTOE.start()
    for text, control, depth in (
        ("engine:depth=3", "", 3),
        ("engine", "depth=2", 2),
        ("engine:depth=4", "depth=2", 2),
        ("engine:depth=2", "depth=4,seconds=60", 2),
        ("engine:depth=2", "clock=60+1", 2),
    ):
        player = player_for(TICTACTOE, text)
        player.new_game(GameSetup(state, MAX, 0))
        assert player.choose(turn(state, control)).depth == depth


@pytest.mark.long
@pytest.mark.parametrize("spec", ["engine:depth=100", f"engine:nodes={10**18}", "engine:seconds=1000,depth=100"])
def test_the_engine_keeps_to_the_patience_where_no_clock_runs(spec: str) -> None:
    player = player_for(CONNECT4, spec)
    choice = player.choose(turn(CONNECT4.start(), "patience=0.2"))  # it would search for hours
    assert choice.move in CONNECT4.start().moves()
    assert choice.depth < 100


def test_the_engine_finds_a_win() -> None:
    state = TICTACTOE.parse("XX-OO----")
    player = player_for(TICTACTOE, "engine")
    player.new_game(GameSetup(state, MAX, 0))
    choice = player.choose(turn(state))
    assert state.move_name(choice.move) == "c1"
    assert choice.score == 1
    assert choice.nodes > 0


@pytest.mark.parametrize("text", ["minimax:pips:1", "engine:depth=1"])
def test_warm_up_skips_chance_nodes(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Backgammon starts with a roll of the dice, where nothing can be searched."""
    backgammon = zermelo.load("backgammon")
    asked: list[State] = []
    player = player_for(backgammon, text)
    monkeypatch.setattr(player, "_search", lambda turn, depth: asked.append(turn.state))
    player.new_game(GameSetup(backgammon.start(), MAX, 0))
    assert [state.to_move() in (MAX, MIN) for state in asked] == [True]


@pytest.mark.nightly  # machine code that no other test needs
@pytest.mark.parametrize("text", ["minimax:nothing:3", "engine:depth=3"])
def test_players_average_over_chance(text: str) -> None:
    """The game starts with a roll of a die; rolling again is worth 3.5."""
    start = Reroll.start()
    player = player_for(Reroll, text)
    player.new_game(GameSetup(start, MAX, 0))
    for pips in range(1, 7):
        assert player.choose(turn(start.play(pips))).move == (pips < 3.5)


def test_a_human_is_asked_again_after_an_illegal_move(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("help\nmoves\nboard\nz9\nb2\nRESIGN\n"))
    player = player_for(TICTACTOE, "human")
    state = TICTACTOE.start()
    player.new_game(GameSetup(state, MAX, 0))
    assert player.choose(turn(state)).move == state.parse_move("b2")
    output = capsys.readouterr().err
    assert "'z9' is not a legal move" in output
    assert all(word in output for word in ("resign", "quit", "help")), "what can be typed is output"
    assert player.choose(turn(state)).resigned
    with pytest.raises(KeyboardInterrupt):  # end of input stops the run; it does not lose the game
        player.choose(turn(state))
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\nb2\n"))
    with pytest.raises(KeyboardInterrupt):
        player.choose(turn(state))


def test_a_human_is_shown_the_moves_and_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("a3\nb3\n"))
    state, opening = TICTACTOE.start(), []
    for name in ("a1", "b2", "a2"):
        opening.append(state.parse_move(name))
        state = state.play(opening[-1])
    job = GameJob(0, "tictactoe", ("lines:1", "human"), ("ours", "me"), opening=tuple(opening))
    played = play(job)
    output = capsys.readouterr().err
    assert "You are noughts." in output
    assert "Moves so far: a1 b2 a2" in output
    between = output.split("noughts> ")
    answer = TICTACTOE.start().after("a1 b2 a2 a3")
    assert f"crosses: {answer.move_name(played.moves[4])}" in between[1], "the other's move stands before the board"
    assert {1.0: "You lost: rules", 0.5: "A draw: rules", 0.0: "You won: rules"}[played.points] in between[-1]
