"""Endgame tables: retrograde analysis, verification, files, and answers to searches."""

import asyncio
import itertools
import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published import published

import zermelo
from zermelo import MAX, MIN, game
from zermelo.arena.executors.parallel_analysis import AnalysisOptions, run_analysis
from zermelo.compiled import cache
from zermelo.core.endgame_slice import TableSlice
from zermelo.errors import FormatError, GameError, LimitError, ZermeloError
from zermelo.review.reviewer import _Searches
from zermelo.search import endgame_tables
from zermelo.search.endgame_tables import EndgameTable
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits
from zermelo.solve import endgames
from zermelo.solve.endgame_check import verify
from zermelo.testing import check_game
from zermelo.web import analysis as web_analysis
from zermelo.web import game_search
from zermelo.web.analysis import AnalyseRequest
from zermelo.web.game_rules import GameText

#: The lives of both sides, fewer in all first.
LIVES = [(1, 1), (1, 2), (2, 1), (2, 2)]


class Duel:
    """A piece of each side on a line of four cells steps, or stays while nobody has lost a life.

    To land on the other costs it a life. Both then begin again at the ends. Who has no life left has lost.
    """

    max_cell: int = 0
    min_cell: int = 3
    max_lives: int = 2
    min_lives: int = 2
    turn: int = MAX

    def to_move(self) -> int:
        return self.turn

    def moves(self) -> Any:
        cell = self.max_cell if self.turn == MAX else self.min_cell
        if cell > 0:
            yield 0
        if cell < 3:
            yield 2
        if self.max_lives == self.min_lives == 2:
            yield 1

    def play(self, move: int) -> Any:
        cell = (self.max_cell if self.turn == MAX else self.min_cell) + move - 1
        if self.turn == MAX:
            if cell == self.min_cell:
                return type(self)(0, 3, self.max_lives, self.min_lives - 1, MIN)
            return type(self)(cell, self.min_cell, self.max_lives, self.min_lives, MIN)
        if cell == self.max_cell:
            return type(self)(0, 3, self.max_lives - 1, self.min_lives, MAX)
        return type(self)(self.max_cell, cell, self.max_lives, self.min_lives, MAX)

    def is_over(self) -> bool:
        return self.max_lives == 0 or self.min_lives == 0

    def utility(self) -> int:
        return 1 if self.min_lives == 0 else -1

    def men(self) -> int:
        return self.max_lives + self.min_lives

    def index(self) -> int:
        lives = (self.max_lives, self.min_lives)
        if lives not in LIVES:
            return -1
        return ((LIVES.index(lives) * 4 + self.max_cell) * 4 + self.min_cell) * 2 + (self.turn == MIN)

    def unindex(self, index: int) -> Any:
        turn = MIN if index % 2 else MAX
        max_cell, min_cell, lives = index // 8 % 4, index // 2 % 4, LIVES[index // 32]
        if max_cell == min_cell:
            return type(self)(0, 3, 9, 9, MAX)
        return type(self)(max_cell, min_cell, *lives, turn)

    @classmethod
    def table_slices(cls, men: int) -> tuple[TableSlice, ...]:
        return tuple(
            TableSlice(f"{lives[0]}-{lives[1]}", (("both sides", 32),)) for lives in LIVES if sum(lives) == men
        )


Duel = game(compiled=False)(Duel)  # type: ignore[misc]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables of a test are its own."""
    monkeypatch.setenv("ZERMELO_TABLES_DIR", str(tmp_path / "tables"))
    return tmp_path / "tables"


def built(cls: Any, men: int) -> EndgameTable:
    *_, table = endgames.build(cls, men)
    assert isinstance(table, EndgameTable)
    return table


def verified(table: EndgameTable) -> None:
    for _ in verify(table):
        pass


def all_states(cls: Any, total: int) -> list[Any]:
    states = [cls.start().unindex(number) for number in range(total)]
    return [state for number, state in enumerate(states) if state.index() == number]


@pytest.mark.quick
def test_a_table_is_what_minimax_finds() -> None:
    table = built(Duel, 4)
    states = all_states(Duel, len(table.entries))
    results = [table.value(state) for state in states]
    assert {result[0] for result in results if result} == {1, 0, -1}
    assert max(result[1] for result in results if result) >= 6
    for state, result in zip(states, results, strict=True):
        assert result is not None
        depth = min(result[1], 7) if result[0] else 7
        value = zermelo.minimax(state, depth=depth, evaluation="nothing", rank_wins=False).value
        assert value == (result[0] if result[1] <= 7 else 0)
        if result[0]:
            assert zermelo.minimax(state, depth=depth - 1, evaluation="nothing", rank_wins=False).value == 0
    counted = endgames.counts(table)
    assert sum(each.wins + each.draws + each.losses for each in counted) == len(states)
    assert [each.slice for each in counted] == ["1-1", "1-2", "2-1", "2-2"]


@pytest.mark.quick
@pytest.mark.parametrize("size", [np.int8, np.int16])
def test_a_position_that_the_table_leaves_out_has_no_entry(size: Any) -> None:
    left_out = Duel(max_lives=3, min_lives=1)
    assert left_out.index() == -1
    table = EndgameTable(Duel, 4, np.ones(32 * len(LIVES), size))
    assert table.value(Duel()) == (1, 0)
    assert table.entry(left_out) is table.value(left_out) is None


@pytest.mark.quick
def test_every_wrong_entry_is_found() -> None:
    table = built(Duel, 4)
    for number, change in itertools.product(range(0, len(table.entries), 3), (1, 2)):
        entries = table.entries.copy()
        entries[number] ^= change
        with pytest.raises(FormatError, match="does not agree with its moves"):
            verified(table._replace(entries=entries))


@pytest.mark.quick
def test_a_search_answers_from_the_table() -> None:
    state = Duel(1, 2, 1, 1, MAX)
    with Engine(compiled=False) as engine:
        searched = engine.analyse(state, nodes=50)
        assert searched.reason != "table"
        table = built(Duel, 4)
        found = engine.analyse(state, nodes=50, lines=2)
        assert (found.reason, found.nodes, found.score.value, found.score.plies) == ("table", 0, 1, 1)
        assert found.line == ("2",)
        assert len(found.lines) == 2
        assert found.lines[1].score < found.score
        # A search to a depth has the scores of that depth.
        assert engine.analyse(state, depth=1).reason != "table"
        for each in all_states(Duel, len(table.entries)):
            answered = engine.analyse(each, nodes=50)
            assert (answered.score.value, answered.score.plies or 0) == table.value(each)
            if answered.score.value:
                assert len(answered.line) == answered.score.plies
                assert each.after(" ".join(answered.line)).utility() == answered.score.value


@pytest.mark.quick
def test_files_that_cannot_be_used(folder: Path) -> None:
    table = built(Duel, 3)
    path = endgame_tables.path_of(Duel, 3)
    assert path.parent == folder
    assert [each.name for each in folder.iterdir()] == ["duel-3.table"]
    assert np.array_equal(endgame_tables.load(Duel, 3).entries, table.entries)
    assert endgames.available(Duel) == [(2, ""), (3, "built"), (4, "")]
    content = bytearray(path.read_bytes())
    content[-40] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    with pytest.raises(FormatError, match="damaged"):
        endgame_tables.load(Duel, 3)
    assert endgame_tables.table_for(Duel(0, 1, 1, 1, MAX)) is None
    endgames.prepare(Duel)  # table_men is 0: nothing is built
    assert endgame_tables.table_for(Duel(0, 1, 1, 1, MAX)) is None
    other = game(compiled=False)(type("Duel", (), {**_rules(Duel), "is_over": lambda self: self.men() < 2}))
    endgame_tables.save(EndgameTable(other, 3, table.entries))
    with pytest.raises(FormatError, match="have been changed"):
        endgame_tables.load(Duel, 3)


@pytest.mark.quick
def test_a_file_that_cannot_be_used_is_reported_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mkdir()
    path = endgame_tables.path_of(Duel, 3)
    path.write_bytes(random.Random(1).randbytes(100))
    state = Duel(0, 1, 1, 1, MAX)
    assert endgame_tables.table_for(state) is None
    expected = f"zermelo: {path} is not an endgame table: it does not start with ZERMELOE; searches do not use it"
    assert expected in capsys.readouterr().err
    for _ in range(2):
        assert endgame_tables.table_for(state) is None
        with Engine() as engine:
            engine.analyse(state, nodes=1)
    assert "endgame table" not in capsys.readouterr().err
    built(Duel, 3)
    assert endgame_tables.table_for(state) is not None
    assert capsys.readouterr().err == ""


def test_commands_report_a_file_that_cannot_be_used(folder: Path, zermelo: Callable[..., Any]) -> None:
    folder.mkdir()
    (folder / "chess-4.table").write_bytes(random.Random(1).randbytes(100))
    position = "8/8/8/8/8/2k5/1Rq5/7K w - - 0 1"
    done = zermelo("analyse", "chess", position, "--seconds", "0.1")
    assert done.code == 0
    assert re.search(r"chess-4\.table is not an endgame table.* \(zermelo tables GAME --men 4 ", done.err)
    listed = zermelo("tables", "chess").out
    assert "zermelo tables chess --men 4" in listed


@pytest.mark.quick
def test_notes_of_a_uci_engine_go_to_the_gui(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    def prepare(game: Any) -> None:
        cache.announce("zermelo: chess-4.table: damaged")
        cache.announce("zermelo: computing a table ...")

    before = cache.listener
    monkeypatch.setattr(endgames, "prepare", prepare)
    monkeypatch.setattr(Engine, "analysis", lambda *_, **__: iter(()))
    done = zermelo("uci", typed="isready\nquit\n")
    assert "info string chess-4.table: damaged" in done.out
    assert "computing a table" in done.err
    assert "computing" not in done.out
    assert cache.listener is before


def _rules(cls: Any) -> dict[str, Any]:
    names = ("moves", "play", "to_move", "utility", "men", "index", "unindex", "is_over", "table_slices")
    fields = {field.name: cls.field_defaults[field.name] for field in cls.fields}
    return {**fields, "__annotations__": dict.fromkeys(fields, int), **{name: vars(cls)[name] for name in names}}


@pytest.mark.quick
def test_small_tables_are_built_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Duel, "table_men", 3)
    state = Duel(0, 1, 1, 1, MAX)
    assert endgames.is_missing(state)
    assert not endgames.is_missing(Duel(0, 1, 2, 2, MAX))
    endgames.prepare(Duel)
    assert "computing the endgame table of Duel to 3 men, once" in capsys.readouterr().err
    assert endgame_tables.table_for(state) is not None
    assert not endgames.is_missing(state)
    endgames.prepare(Duel)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("ZERMELO_TABLES_DIR", "none")
    assert endgame_tables.table_for(state) is None
    assert not endgames.is_missing(state)
    endgames.prepare(Duel)
    assert capsys.readouterr().err == ""


class _Built(ZermeloError):
    """Raised in place of building a table."""


def _build_nothing(game: Any, show: Any = None) -> None:
    raise _Built(f"building {game.__name__}")


#: Without the white rook or the black queen there are three men.
WITH_FOUR, WITH_THREE = "8/8/8/8/8/2k5/1Rq5/7K w - - 0 1", "8/8/8/8/8/2k5/2q5/7K w - - 0 1"


def _analyse_positions(position: str) -> None:
    data = json.dumps({"game": "chess", "position": position, **vars(AnalysisOptions(seconds=0.01))})
    run_analysis(data)


def _hint_on_the_page(position: str) -> None:
    game_search.hint(GameText("chess", "chess", position, (), ()), 1)


def _analyse_on_the_page(position: str) -> None:
    list(web_analysis.analyse("chess", AnalyseRequest(game="chess", position=position, seconds=0.01), 1, "1M"))


def _review(position: str) -> None:
    state = zermelo.load("chess").parse(position)
    _Searches(Engine("1M"), state, [], None).search(Limits(seconds=0.01), 1)


def _analyse(position: str) -> None:
    zermelo.analyse(zermelo.load("chess").parse(position), seconds=0.01)


def _analysis(position: str) -> None:
    list(zermelo.analysis(zermelo.load("chess").parse(position), nodes=1))


def _best_move(position: str) -> None:
    zermelo.best_move(zermelo.load("chess").parse(position), seconds=0.01)


def _analyse_async(position: str) -> None:
    asyncio.run(zermelo.analyse_async(zermelo.load("chess").parse(position), seconds=0.01))


_IN_PYTHON = (_analyse, _analysis, _best_move, _analyse_async)


@pytest.mark.parametrize("search", [*_IN_PYTHON, _analyse_positions, _hint_on_the_page, _analyse_on_the_page, _review])
def test_small_tables_are_built_before_a_search_begins(
    monkeypatch: pytest.MonkeyPatch, search: Callable[[str], None], folder: Path
) -> None:
    monkeypatch.setattr(endgames, "prepare", _build_nothing)
    search(WITH_FOUR)
    with pytest.raises(_Built, match="building Chess"):
        search(WITH_THREE)


@pytest.mark.quick
def test_analyse_answers_from_the_small_table_that_it_builds(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(Duel, "table_men", 3)
    state = Duel(0, 1, 1, 1, MAX)
    zermelo.analyse(state, depth=1)
    assert not folder.exists()
    assert zermelo.analyse(state).reason == "table"
    assert endgame_tables.path_of(Duel, 3).is_file()


def test_a_game_that_comes_to_few_men_builds_the_table(
    monkeypatch: pytest.MonkeyPatch, zermelo: Callable[..., Any], folder: Path
) -> None:
    monkeypatch.setattr(endgames, "prepare", _build_nothing)
    words = ("play", "chess", "--seconds", "0.01")
    done = zermelo(*words, WITH_FOUR, typed="Kg1\nquit\n")
    assert "building" not in done.err
    done = zermelo(*words, WITH_FOUR, typed="Rxc2+\nquit\n")
    assert "building Chess" in done.err


@pytest.mark.quick
def test_a_table_that_cannot_be_written_is_built_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    monkeypatch.setattr(Duel, "table_men", 3)
    folder.write_text("a file, not a folder")
    for _ in range(2):
        endgames.ensure(Duel(0, 1, 1, 1, MAX))
    assert capsys.readouterr().err.count("computing the endgame table") == 1


@pytest.mark.quick
def test_what_has_no_tables() -> None:
    with pytest.raises(LimitError, match="Othello has no endgame tables: it does not define"):
        built(zermelo.load("othello"), 3)
    with pytest.raises(LimitError, match=r"Duel has no endgame tables of 5 men \(available: 2 to 4\)"):
        built(Duel, 5)


@pytest.mark.quick
def test_moves_out_of_the_declared_positions() -> None:
    wrong = game(compiled=False)(type("Wrong", (), {**_rules(Duel), "index": lambda self: _missing(self)}))
    with pytest.raises(GameError, match=r"Wrong.index is -1 after 2 in .*; expected a number below 32"):
        built(wrong, 2)
    with pytest.raises(GameError, match=r"Wrong.index returned -1 after "):
        check_game(wrong, games=1)
    check_game(Duel, games=3, max_plies=50)


def _missing(state: Any) -> int:
    return -1 if (state.max_cell, state.min_cell, state.turn) == (1, 3, MIN) else Duel.index(state)


@pytest.mark.parametrize(("name", "men"), [("chess", 4), ("checkers", 4)])
def test_numbers_and_positions(name: str, men: int) -> None:
    """A position at random, its moves and their images have numbers; `unindex` is the inverse."""
    cls: Any = zermelo.load(name)
    total = sum(each.size for count in range(men + 1) for each in cls.table_slices(count))
    source, used = random.Random(1), 0
    while used < 150:
        number = source.randrange(total)
        state = cls.start().unindex(number)
        if state.index() != number:
            continue
        used += 1
        assert cls.parse(str(state)) == state
        for move in state.legal_moves():
            child = state.play(move)
            if not child.is_over():
                image = child.unindex(child.index())
                assert image.index() == child.index()
                assert (image.men(), image.count_moves()) == (child.men(), child.count_moves())


@pytest.mark.quick
def test_en_passant_has_numbers_of_its_own() -> None:
    chess: Any = zermelo.load("chess")
    state = chess.parse("8/8/8/8/4p3/8/3P4/K6k w - - 0 1")
    after = state.after("d4")
    assert after.en_passant
    without = after.replace(en_passant=zermelo.Bitboard(0))
    assert -1 < after.index() != without.index() > -1
    image = after.unindex(after.index())
    assert image.en_passant
    assert image.count_moves() == after.count_moves()


# ---- what a table proves, in chess and checkers: compiled --------------------------------------------------------


@pytest.fixture(scope="module")
def chess_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of three men."""
    place = tmp_path_factory.mktemp("chess-tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZERMELO_TABLES_DIR", str(place))
        built(zermelo.load("chess"), 3)
    return place


@pytest.fixture
def chess(chess_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("ZERMELO_TABLES_DIR", str(chess_folder))
    return zermelo.load("chess")


#: Wins, draws and losses of white to move, then of black to move, and the longest mate in moves (as in Thompson 1986).
THREE_MEN = {"KRK": (21959, 0, 0, 0, 2796, 25260, 16), "KQK": (18081, 0, 0, 0, 2896, 25160, 10),
             "KPK": (62480, 19184, 0, 0, 35210, 48802, 28)}  # fmt: skip


@pytest.mark.long
def test_chess_with_three_men(chess: Any) -> None:
    table = endgame_tables.load(chess, 3)
    counted = endgames.counts(table)
    found = {}
    for white, black in zip(counted[::2], counted[1::2], strict=True):
        found[white.slice] = (*white[2:5], *black[2:5], black.longest // 2)
    assert found == THREE_MEN
    # The interpreted rules agree with the compiled ones that made the table.
    source = random.Random(2)
    for number in source.sample(range(len(table.entries)), 300):
        state = chess.start().unindex(number)
        if state.index() == number and not state.is_over():
            values = [table.value(state.play(move)) for move in state.legal_moves()]
            results = [(result * state.to_move(), plies) for result, plies in values]  # type: ignore[misc]
            won = [plies for result, plies in results if result > 0]
            drawn = any(result == 0 for result, _ in results)
            result = 1 if won else 0 if drawn else -1
            plies = min(won) + 1 if won else 0 if drawn else max(plies for _, plies in results) + 1
            assert table.value(state) == (result * state.to_move(), plies)


@pytest.mark.long
def test_a_win_counts_where_the_rules_let_it(chess: Any) -> None:
    """A win in 31 plies is proven with up to 69 reversible plies, and not after a position that occurred twice."""
    table = endgame_tables.load(chess, 3)
    number = int(np.argmax(table.entries[:40960]))
    state = chess.start().unindex(number)
    assert table.value(state) == (1, 31)

    def answer(clock: int, **options: Any) -> Any:
        return Engine("1M").analyse(state.replace(halfmove_clock=clock), nodes=2_000, **options)

    assert (answer(69).reason, str(answer(69).score)) == ("table", "+1 in 31 plies")
    unproven = answer(70)
    assert unproven.reason != "table"
    assert not unproven.score.is_proven
    # Draws are draws, whatever was before.
    drawn = chess.parse("8/8/8/4k3/8/8/4P3/4K3 w - - 90 1")
    assert str(zermelo.analyse(drawn, nodes=1_000).score) == "0"
    states = [chess.parse("8/8/8/8/8/2k5/8/K6R b - - 0 1")]
    for move in 2 * ["Kd3", "Kb1", "Kc3", "Ka1"]:
        states.append(states[-1].after(move))
    *before, _root = states
    assert zermelo.analyse(before[0], nodes=1_000).reason == "table"
    assert zermelo.analyse(before[4], nodes=1_000, history=before[:4]).reason == "table"
    assert zermelo.analyse(before[5], nodes=1_000, history=before[:5]).reason != "table"


@pytest.mark.long
@pytest.mark.parametrize("start", ["8/8/8/3k4/8/8/8/K6R w - - 0 1", "8/8/8/3k4/8/8/8/K5Q1 w - - 0 1",
                                   "8/8/3k4/8/8/3K4/4P3/8 w - - 0 1"])  # fmt: skip
def test_a_selective_search_wins_with_a_table(chess: Any, start: str) -> None:
    state, history = chess.parse(start), []
    with Engine("1M", selective=True) as engine:
        while not state.is_over():
            assert len(history) < 60
            found = engine.analyse(state, nodes=500, history=history)
            assert found.score.value == 1
            history.append(state)
            state = state.play(found.move)
    assert state.termination() == "checkmate"
    assert state.utility() == 1


@pytest.mark.long
def test_many_lines_of_the_table_end_with_the_time(chess: Any) -> None:
    """The lines of all moves to the mate took 400 ms, which lost a game on time."""
    found = Engine("1M").analyse(chess.parse("8/8/8/3k4/8/8/8/K6R w - - 0 1"), seconds=0.001, lines=20)
    best, *others = found.lines
    assert found.reason == "table"
    assert best.score.plies == len(best.moves) > 10
    assert len(others) > 5
    assert {len(line.moves) for line in others} == {1}


@pytest.mark.long
@pytest.mark.parametrize("start", ["5k2/Q7/6r1/7K/8/8/8/8 w - - 0 1", "8/8/8/8/7k/6R1/q7/5K2 b - - 0 1"])
def test_the_line_of_a_win_in_the_table_goes_on_to_the_mate(chess: Any, start: str) -> None:
    """Chess programs check this. The line ended at the capture, where the table gave the score."""
    found = Engine("1M", selective=True).analyse(chess.parse(start), nodes=10_000)
    assert found.score.is_proven
    assert found.score.plies == len(found.line) == 5
    end = chess.parse(start).after(" ".join(found.line))
    assert end.termination() == "checkmate"
    assert end.utility() == found.score.value


@pytest.mark.long
def test_searches_see_conversions(chess: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The table decides after a capture; exact searches to a depth are the same with and without it."""
    state = chess.parse("8/8/8/8/4k3/8/1K1n4/1R6 w - - 0 1")  # with rook or knight left it is over or in the table

    def searched(**options: Any) -> tuple[Any, ...]:
        found = Engine("1M", **options).analyse(state, depth=5)
        return found.nodes, found.score, found.line

    with_table = searched(selective=False)
    selective = Engine("1M", selective=True).analyse(state, nodes=3_000)
    monkeypatch.setenv("ZERMELO_TABLES_DIR", str(tmp_path))
    assert searched(selective=False) == with_table
    assert Engine("1M", selective=True).analyse(state, nodes=3_000).nodes != 0 < selective.nodes


Parts = dict[tuple[str, str], tuple[int, ...]]


@pytest.fixture(scope="module")
def checkers_parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """Wins, draws, losses and the longest line in plies, by the pieces of the side to move and of the other."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZERMELO_TABLES_DIR", str(tmp_path_factory.mktemp("checkers-tables")))
        for each in endgames.counts(built(zermelo.load("checkers"), 4)):
            one, _, two = each.slice.partition(" v ")
            own = each.part.removesuffix(" to move")
            found[own, two if own == one else one] = each[2:]
    return found


@pytest.mark.long
def test_checkers_to_four_pieces(checkers_parts: Parts) -> None:
    """The numbers of positions for one side to move are Schaeffer's, without those in which a side has no piece."""
    totals = {
        men: tuple(
            map(
                sum,
                zip(*(part[:3] for sides, part in checkers_parts.items() if len("".join(sides)) == men), strict=False),
            )
        )
        for men in (2, 3, 4)
    }
    assert totals == {2: (716, 2370, 402), 3: (100250, 8477, 87305), 4: (2574304, 1717922, 1917090)}
    assert [sum(each) for each in totals.values()] == [3488, 196032, 6209316]


@pytest.mark.long
def test_checkers_beside_published_counts(checkers_parts: Parts) -> None:
    seen = {}
    for line in published("checkers", "endgame_wld_1to4_pieces.txt").read_text().splitlines():
        words = line.split()
        if words[2:3] == ["mover"] and "0K0M" not in (words[3], words[5]):
            own, other = ("K" * int(side[0]) + "M" * int(side[2]) for side in (words[3], words[5]))
            seen[own, other] = tuple(int(words[place]) for place in (7, 9, 11, 15))
    assert seen == checkers_parts
