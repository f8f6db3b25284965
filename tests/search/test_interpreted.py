"""The interpreted engine: games of any Python state, and the same scores as the compiled search."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from interpreted_games import Heaps, Prefixes, Race

import zermelo
from zermelo import MAX, Engine, GameError, LimitError
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.arena.players.specs import player_for
from zermelo.search.compiled_textbook import perft
from zermelo.search.textbook import alphabeta, expectiminimax, minimax
from zermelo.testing import check_game


@pytest.mark.parametrize("game", [Prefixes, Heaps, Race])
def test_interpreted_games_fulfil_the_contract(game):
    assert not game.is_compiled
    report = check_game(game, games=20)
    assert not report.compiled
    assert report.positions > 30


def test_the_report_says_why_a_game_is_interpreted():
    assert "; compiled: no, an interpreted game: heaps is a dict; optional: key" in str(check_game(Heaps, games=2))
    assert "; compiled: no, an interpreted game: @game(compiled=False); optional: outcomes" in str(
        check_game(Race, games=2)
    )


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (Prefixes, "word=be turn=1"),
        (Heaps, "heaps={'a':1,'b':2,'c':0} turn=-1"),
        (Race, "places=(2,1) turn=1 rolling=0"),
    ],
)
def test_positions_are_python_literals(game, text):
    assert str(game.parse(text)) == text


@pytest.mark.parametrize("word", ["", "15", "a b", "[x]", "'", "b=c", "e\u0301t\u00e9", "(", "\\n", "a,b", "a-b"])
def test_every_str_is_read_back(word):
    assert Prefixes.parse(str(Prefixes(word))) == Prefixes(word)


@pytest.mark.quick
def test_defaults_have_the_type_of_their_field():
    with pytest.raises(zermelo.GameError, match=r"Wrong.heap is a str, but its default is 15 \(int\); change"):

        @zermelo.game
        class Wrong:
            heap: str = 15

    @zermelo.game
    class Right(Prefixes):
        owner: str | None = None
        share: float = 1
        anything: Any = "x"
        names: Mapping[str, int] = MappingProxyType({})

    assert Right.parse("word=be owner='x' share=0.5") == Right("be", owner="x", share=0.5)
    assert Right.parse("owner=None anything=(1,2)") == Right(anything=(1, 2))


@pytest.mark.parametrize("text", ["word=['b']", "heap='b'", "word=__import__('os')", "word=" + "(" * 5000])
def test_a_wrong_literal_is_one_line(text):
    with pytest.raises(zermelo.PositionError) as caught:
        Prefixes.parse(text)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("game", [Prefixes, Heaps])
def test_the_engine_finds_the_minimax_value(game):
    start = game.start()
    found = zermelo.analyse(start, exact=True)
    assert found.reason == "exact"
    assert found.score.value == minimax(start).value == alphabeta(start).value
    assert found.move in start.legal_moves()
    assert zermelo.best_move(start, exact=True) == found.move


def test_chance_is_averaged():
    found = zermelo.analyse(Race.start(), exact=True)
    assert found.score.expected == pytest.approx(expectiminimax(Race.start()).expected)


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("tictactoe", 9),
        *(pytest.param(*each, marks=pytest.mark.long) for each in (("connect4", 4), ("othello", 3), ("checkers", 4))),
    ],
)
def test_both_engines_agree(name, depth):
    start = zermelo.load(name).start()
    assert [(one.score, one.depth, one.reason) for one in Engine("1M").analysis(start, depth=depth)] == [
        (one.score, one.depth, one.reason) for one in Engine("1M", compiled=False).analysis(start, depth=depth)
    ]


def test_both_engines_agree_on_lines_and_history():
    state = zermelo.load("tictactoe").parse("X-------O")
    one, other = (
        Engine("1M", compiled=not interpreted).analyse(state, depth=5, lines=3) for interpreted in (False, True)
    )
    assert [line.score for line in one.lines] == [line.score for line in other.lines]


@pytest.mark.long
def test_repetition_is_a_draw_for_both_engines():
    start = zermelo.load("checkers").parse("W:WK1:BK32,K31")
    for interpreted in (False, True):
        scores = [each.score for each in Engine("1M", compiled=not interpreted).analysis(start, depth=5)]
        assert scores == [each.score for each in Engine("1M").analysis(start, depth=5)]


@pytest.mark.long
def test_a_full_table_changes_no_score():
    start = zermelo.load("connect4").start()
    small = Engine(500 * 20, compiled=False)
    assert small.analyse(start, depth=5).score == Engine("4M", compiled=False).analyse(start, depth=5).score
    assert len(small._interpreted_memory.table) <= 20


def test_limits_hold():
    start = zermelo.load("connect4").start()
    engine = Engine("1M", compiled=False)
    assert engine.analyse(start, nodes=777).nodes <= 777
    found = engine.analyse(start, seconds=0.05)
    assert found.reason == "seconds"
    assert found.best
    threading.Timer(0.05, engine.stop).start()
    assert engine.analyse(start, seconds=60).reason == "stopped"
    assert [*engine.analysis(start, depth=3, moves=[0])][-1].move == 0
    with pytest.raises(LimitError):
        engine.analyse(start, moves=[99])


@zermelo.game(compiled=False)
class Unhashable:
    cells: list = [0, 0]
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        return [place for place, cell in enumerate(self.cells) if not cell]

    def play(self, move):
        cells = [*self.cells]
        cells[move] = self.turn
        return type(self)(cells, -self.turn)

    def is_over(self):
        return all(self.cells)

    def utility(self):
        return 0


@zermelo.game(compiled=False)
class Mutated(Unhashable):
    def key(self):
        return tuple(self.cells), self.turn

    def play(self, move):
        self.cells[move] = self.turn
        return type(self)(self.cells, -self.turn)

    @classmethod
    def start(cls):
        return cls([0, 0], MAX)


@zermelo.game(compiled=False)
class ListMoves(Unhashable):
    def key(self):
        return tuple(self.cells), self.turn

    def moves(self):
        yield [0]


@zermelo.game(compiled=False)
class EqualKeys(Unhashable):
    def key(self):
        return self.turn


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Unhashable, "Unhashable.cells is not hashable (list); make it a tuple, str or frozenset, or define key(self)"),
        (Mutated, "Mutated.play(0) changed the state that it was called on; "),
        (ListMoves, "ListMoves.moves() yielded [0] (list); a move must be hashable"),
    ],
)
def test_mistakes_are_named_with_their_remedy(game, message):
    for attempt in (lambda: zermelo.analyse(game.start(), depth=2), lambda: check_game(game)):
        with pytest.raises(GameError) as caught:
            attempt()
        assert message.split("(self)")[0].split("()")[0] in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


def test_equal_keys_of_different_states_are_found():
    with pytest.raises(GameError, match=r"EqualKeys\.key is .* here and in .*; expected different keys"):
        check_game(EqualKeys)


def test_machine_code_of_an_interpreted_game_is_refused_in_one_line():
    with pytest.raises(GameError, match="Heaps cannot be compiled: heaps is a dict"):
        zermelo.minimax(Heaps(), compiled=True)


def test_the_first_search_says_why_a_game_is_interpreted(capsys):
    from zermelo.search.interpreted import note_interpreted

    note_interpreted.cache_clear()
    zermelo.analyse(Heaps(), depth=1)
    zermelo.analyse(Heaps(), depth=1)
    assert capsys.readouterr().err.count("Heaps is searched in plain Python") == 1
    zermelo.analyse(Race(), depth=1)
    assert not capsys.readouterr().err


def test_perft_and_textbook_players_take_interpreted_games():
    assert [perft(Heaps(), depth) for depth in (1, 2)] == [6, 26]
    for player in ("random", "engine:depth=3", "nothing:3", "minimax:nothing:3"):
        chosen = player_for(Heaps, player)
        chosen.new_game(GameSetup(Heaps(), MAX, 1))
        turn = Turn(Heaps(), (), (), Clock.of(TimeControl()))
        assert chosen.choose(turn).move in Heaps().legal_moves()


def test_a_search_that_never_finishes_a_node_is_stopped_by_its_deadline():
    began = time.monotonic()
    zermelo.analyse(Heaps({"a": 9, "b": 9, "c": 9, "d": 9}), seconds=0.1)
    assert time.monotonic() - began < 30


@zermelo.game(compiled=False)
class LateList(Unhashable):
    """Its first three states are hashable."""

    cells: tuple = (0, 0, 0, 0)  # type: ignore[assignment]

    def play(self, move):
        cells = (*self.cells[:move], self.turn, *self.cells[move + 1 :])
        return type(self)(cells if sum(map(abs, cells)) < 2 else list(cells), -self.turn)


def test_a_state_that_becomes_unhashable_is_reported_in_one_line():
    with pytest.raises(GameError, match=r"LateList: a state or move is not hashable \(unhashable type: 'list'\); make"):
        zermelo.analyse(LateList(), depth=4)


def test_a_compiled_game_with_other_moves_is_told_how_to_have_them():
    @zermelo.game
    class Letters:
        left: int = 3

        def to_move(self):
            return MAX

        def moves(self):
            yield "a"

        def play(self, move):
            return Letters(self.left - 1)

        def is_over(self):
            return self.left == 0

        def utility(self):
            return 1

    with pytest.raises(GameError, match=r"a move must be an int in 0 .*; with @game\(compiled=False\) any hashable"):
        zermelo.analyse(Letters(), depth=1)


@zermelo.game(compiled=False)
class Shuttle:
    """Both sides step left or right on a circle of places; nothing ends it but the third occurrence of a position."""

    places: tuple = ("a", "c")
    turn: int = MAX

    draw_at_repetition = 3
    shortest_cycle = 2

    def to_move(self):
        return self.turn

    def moves(self):
        return ["left", "right"]

    def play(self, move):
        step = {"left": -1, "right": 1}[move]
        own, other = self.places
        return Shuttle((other, "abcd"[("abcd".index(own) + step) % 4]), -self.turn)

    def is_over(self):
        return self.places[0] == self.places[1]

    def utility(self):
        return -self.turn  # the side that moved last has caught the other


def test_repetition_in_an_interpreted_game_is_a_draw():
    past = [Shuttle()]
    for move in ("left", "left", "right", "right") * 2:
        past.append(past[-1].play(move))
    *history, last = past
    assert last == Shuttle()
    for state, before in ((Shuttle(), ()), (Shuttle(("a", "b")), ()), (last, history)):
        for depth in (1, 2, 4, 7):
            found = zermelo.analyse(state, depth=depth, history=before)
            assert found.score.number == minimax(state, depth, history=before).value
