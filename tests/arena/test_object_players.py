"""Python objects as players: functions, evaluations, engines and players; matches of interpreted games."""

from __future__ import annotations

from pathlib import Path

import pytest
from interpreted_games import Heaps, Prefixes, Race

import zermelo
from zermelo import MAX, InputError, LimitError, ZermeloError, arena, evaluation
from zermelo.arena.export import record_of
from zermelo.arena.replay import check, replay
from zermelo.core.evaluation import Weights


@evaluation
class Weighted:
    """Stones of each heap by weight, for the side to move."""

    weights: Weights = (0, 0, 0)

    def score(self, state):
        total = sum(int(w) * n for w, n in zip(self.weights, state.heaps.values(), strict=True))
        return total * state.turn


def first_move(state, clock):
    return state.legal_moves()[0]


def best_move(state, clock):
    return zermelo.best_move(state, exact=True)


def test_functions_play_and_win():
    table = arena.match(Heaps, best_move, first_move, games=4, openings="plies=1", seed=1)
    assert {row.name for row in table.rows} == {"best_move", "first_move"}
    points = {row.name: row.points for row in table.rows}
    assert points["best_move"] >= points["first_move"]
    assert table.games == 4


@pytest.mark.long
def test_evaluations_engines_players_and_texts_play():
    class Last(arena.Player):
        text = "last"

        def new_game(self, setup):
            pass

        def choose(self, turn):
            return arena.PlayResult(turn.state.legal_moves()[-1])

    players = {
        "weights": Weighted((1, 2, 3)),
        "engine": zermelo.Engine("1M"),
        "player": Last(),
        "text": "random",
        "lambda": lambda state, clock: state.legal_moves()[0],
    }
    table = arena.play_tournament(Heaps, players, control="depth=2", games=2)
    assert table.games == 20
    assert {row.name for row in table.rows} == set(players)


def test_weight_vectors_play_a_tournament_in_one_call():
    players = [Weighted((number, 1, 0)) for number in range(3)]
    table = arena.play_tournament(Heaps, players, control="depth=1", games=2, openings="")
    assert sorted(row.name for row in table.rows) == ["Weighted", "Weighted 2", "Weighted 3"]


@pytest.mark.parametrize("game", [Heaps, Prefixes, Race])
def test_games_of_any_state_are_stored_replayed_and_exported(game, tmp_path):
    path = tmp_path / "games.zermelo"
    arena.match(game, first_move, "random", games=2, openings="", store=path)
    with arena.Store.open(path) as store:
        records = list(store.games())
    assert len(records) == 2
    for record in records:
        check(record, game)
        states = replay(record, game)
        assert states[-1].is_over()
        line = record_of(record, game, "pgn").line
        assert [states[0].play(line.steps[0].move)] == [states[1]]


@zermelo.game
class Secret:
    """Each side names 0 or 1 in secret; equal numbers win for MAX."""

    first: int = -1
    second: int = -1
    perfect_information = False

    def to_move(self):
        return MAX if self.first < 0 else -MAX

    def moves(self):
        yield 0
        yield 1

    def play(self, move):
        return Secret(move, -1) if self.first < 0 else Secret(self.first, move)

    def is_over(self):
        return self.second >= 0

    def utility(self):
        return 1 if self.first == self.second else -1

    def information_state(self, player):
        own = self.first if player == MAX else self.second
        return f"{'first' if self.first < 0 else 'second'} {own}"


def test_functions_see_only_what_their_player_knows():
    seen = []

    def watch(view, clock):
        seen.append(view)
        return view.moves[0]

    table = arena.match(Secret, watch, "random", games=2, openings="")
    assert table.games == 2
    assert {view.information for view in seen} == {"first -1", "second -1"}
    assert all(type(view) is arena.PlayerView for view in seen)
    with pytest.raises(ZermeloError, match="would see what its player cannot"):
        arena.match(Secret, watch, "engine:depth=1", games=2)


def test_an_illegal_move_of_a_function_loses():
    table = arena.match(Heaps, lambda state, clock: ("z", 9), first_move, games=2, openings="")
    assert {row.name: row.points for row in table.rows} == {"<lambda>": 0, "first_move": 2}


def test_mistakes_are_one_line():
    def broken(state, clock):
        return 1 // 0

    with pytest.raises(ZermeloError, match=r"test_object_players\.py:\d+: broken raised ZeroDivisionError"):
        arena.match(Heaps, broken, first_move, games=2, openings="")
    with pytest.raises(InputError, match="cannot be a player"):
        arena.match(Heaps, 3, first_move)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected a name or the class of a game"):
        arena.match(Heaps(), first_move, first_move)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match="leave out workers and cluster"):
        arena.match(Heaps, first_move, first_move, workers=2)


@pytest.mark.long
def test_agents_play_games_of_any_state(tmp_path):
    games = tmp_path / "games.py"
    support = Path(__file__).parents[1] / "support" / "interpreted_games.py"
    games.write_text(support.read_text())
    agent = tmp_path / "agent.py"
    agent.write_text("def choose(state):\n    return state.legal_moves()[-1]\n")
    path = tmp_path / "store.zermelo"
    for name in ("Heaps", "Prefixes"):
        path = tmp_path / f"{name}.zermelo"
        arena.match(f"{games}:{name}", f"python:{agent}:choose", "random", games=2, openings="", store=path)
        with arena.Store.open(path) as store:
            assert {record.termination for record in store.games()} == {"rules"}
