"""What reaches a player in a game with hidden information depends on what the player knows alone."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from typing import Any

import pytest

import zermelo
from zermelo import arena
from zermelo.adapters.observations import Observations
from zermelo.adapters.rendering import render
from zermelo.arena import referee
from zermelo.arena.game_course import GameCourse
from zermelo.arena.players.agents import PythonPlayer
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.objects import FunctionPlayer
from zermelo.arena.players.player import Player, PlayResult
from zermelo.arena.players.specs import check_player, player_for
from zermelo.core.game import MAX, MIN, State
from zermelo.core.information_sets import Knowledge, knowledge
from zermelo.drawing.drawing import draw
from zermelo.errors import LimitError, UnknownGame
from zermelo.games.kuhn import Kuhn

CLOCK = Clock.of(TimeControl())


def courses(course: GameCourse) -> Iterator[GameCourse]:
    """All games from a position on, up to each of their positions."""
    yield course
    for move in course.state.legal_moves():
        child = GameCourse(course.start, 100)
        for earlier in course.moves:
            child.make(earlier)
        child.make(move)
        yield from courses(child)


def information_sets(player: int) -> dict[Knowledge, list[GameCourse]]:
    found: dict[Knowledge, list[GameCourse]] = {}
    for course in courses(GameCourse(Kuhn(), 100)):
        if not course.state.is_over():
            found.setdefault(knowledge(course.state, player), []).append(course)
    return found


def to_decide(player: int) -> list[list[GameCourse]]:
    return [found for knows, found in information_sets(player).items() if knows.moves]


def all_equal(things: list[Any]) -> bool:
    assert len(things) > 1
    return all(each == things[0] for each in things)


@pytest.mark.parametrize("player", [MAX, MIN])
def test_a_turn_depends_on_what_the_player_knows(player: int) -> None:
    drawn = set()
    for same in to_decide(player):
        for seed in range(20):
            turns = [course.turn(CLOCK, seed) for course in same]
            assert all_equal(turns)
            assert (turns[0].history, turns[0].moves, turns[0].positions) == ((), (), None)
            drawn.add(str(turns[0].state))
    assert len(drawn) == 12  # of the deals and actions, each is drawn


@pytest.mark.parametrize("player", [MAX, MIN])
def test_players_of_every_kind_get_the_same_in_states_that_they_cannot_tell_apart(
    player: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def watch(view: arena.PlayerView, clock: Clock) -> int:
        seen.append((view, view._drawn, [view.sample(random) for random in range(4)]))
        return int(view.moves[0])

    agent = object.__new__(PythonPlayer)
    agent._number = 0

    def send(self: PythonPlayer, message: dict[str, Any]) -> None:
        seen.append({name: value for name, value in message.items() if name != "number"})
        raise InterruptedError

    monkeypatch.setattr(PythonPlayer, "_send", send)
    for same in to_decide(player):
        turns = [course.turn(CLOCK, 5) for course in same]
        seen.clear()
        for turn in turns:
            FunctionPlayer(watch).choose(turn)
        assert all_equal(seen)
        seen.clear()
        for turn in turns:
            with pytest.raises(InterruptedError):
                agent.choose(turn)
        assert all_equal(seen)
        observations = Observations(Kuhn)
        assert all_equal([observations.observe(course.state, player).tolist() for course in same])
        assert all_equal([render(course.state, "ansi", player) for course in same])
        drawings = [draw(course.state, before=course.history[-1], view=player) for course in same]
        assert all_equal([(each.svg(), each.text(), each.tikz()) for each in drawings])


def test_a_random_player_makes_the_same_moves() -> None:
    for same in to_decide(MIN):
        moves = []
        for course in same:
            player = player_for(Kuhn, "random")
            player.new_game(course.setup(MIN, 7))
            moves.append(player.choose(course.turn(CLOCK, 5)))
        assert all_equal(moves)


def reachable(thing: Any) -> Iterator[State]:
    """All states that can be reached from an object, by whatever it refers to."""
    known, waiting = set(), [thing]
    while waiting:
        each = waiting.pop()
        if id(each) in known or isinstance(each, (type, types.ModuleType, types.FunctionType)):
            continue
        known.add(id(each))
        if isinstance(each, State):
            yield each
        waiting += gc.get_referents(each)


def test_a_cheating_player_finds_nothing() -> None:
    """It looks for the other card in all that it is given, and finds it in half of the games."""
    found = []

    class Cheat(Player):
        text = "cheat"

        def new_game(self, setup: arena.GameSetup) -> None:
            assert {str(state) for state in reachable(setup)} == {"start"}
            self.side = setup.side

        def choose(self, turn: arena.Turn) -> PlayResult:
            states = set(reachable(turn))
            assert states == {turn.state}
            self.guess = turn.state.card(-self.side)  # type: ignore[attr-defined]
            return PlayResult(1)

        def show_result(self, played: Any, state: Any) -> None:
            found.append(self.guess == state.card(-self.side))

    for seed in range(200):
        referee.play(arena.GameJob(0, "kuhn", ("cheat", "random"), ("", ""), seed=seed), players=(Cheat(), None))
    assert len(found) == 200
    assert 70 < sum(found) < 130


@pytest.mark.parametrize("spec", ["engine:depth=1", "mcts:nodes=10", "nothing:2", "minimax:nothing:2"])
def test_players_that_search_the_state_are_refused(spec: str) -> None:
    with pytest.raises(UnknownGame, match=r"^Kuhn has hidden information, and .* would see what its player cannot; "):
        check_player(Kuhn, spec)


def test_an_evaluation_is_refused() -> None:
    engine = zermelo.Engine("1M")
    with pytest.raises(UnknownGame, match="would see what its player cannot"):
        arena.match(Kuhn, engine, "random", games=2)


def test_adjudication_by_search_is_refused() -> None:
    with pytest.raises(LimitError, match=r"adjudication 'exact' does not apply to Kuhn"):
        arena.match(Kuhn, "random", "random", games=2, adjudication="exact")


@pytest.mark.long
def test_an_agent_plays_by_its_view(tmp_path: Any) -> None:
    path = tmp_path / "agent.py"
    path.write_text(
        "def choose(view, clock, history):\n"
        "    assert history == [] and view.board.count('?') == 1, view.board\n"
        "    cards = {str(view.sample(random))[:2] for random in range(8)}\n"
        "    assert len(cards) == 2, cards\n"
        "    return view.names[-1]\n"
    )
    table = arena.match(Kuhn, f"python:{path}", "random", games=4, openings="", seed=1)
    assert table.games == 4
    assert not any("Error" in str(row) for row in table.rows)
    assert not any(row.forfeits for row in table.rows)


def test_the_store_holds_the_whole_game(tmp_path: Any) -> None:
    path = tmp_path / "games.db"
    arena.match(Kuhn, "random", "random", games=2, openings="", store=path, seed=1)
    with arena.Store.open(path) as store:
        for record in store.games():
            state = Kuhn()
            for move in record.moves:
                state = state.play(move)
            assert state.is_over()
