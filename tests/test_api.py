"""The public functions: signatures, errors, engines, asyncio, notebooks."""

from __future__ import annotations

import asyncio
import gc
import importlib
import importlib.util
import inspect
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import zermelo
from zermelo import MAX, MIN, Engine, InputError, LimitError, Score
from zermelo.search.engine import Limits

TICTACTOE = zermelo.load("tictactoe")
OTHELLO = zermelo.load("othello")
START = TICTACTOE.start()


# ---- the package --------------------------------------------------------------------------------------------------


def test_the_search_package_can_be_imported() -> None:
    module = importlib.import_module("zermelo.search.engine")
    assert module.Engine is zermelo.Engine
    assert inspect.ismodule(zermelo.search)
    with pytest.raises(TypeError, match="not callable"):
        zermelo.search(START)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["zermelo", "zermelo.arena", "zermelo.teaching.tree", "zermelo.drawing"])
def test_dir_lists_every_public_name(name: str) -> None:
    module = importlib.import_module(name)
    assert set(module.__all__) <= set(dir(module))
    for public in module.__all__:
        assert getattr(module, public) is not None


def test_subpackages_are_reachable_without_importing_them() -> None:
    code = "import zermelo; print(zermelo.arena.match, zermelo.teaching.tree, zermelo.drawing.draw)"
    assert "match" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_stays_light() -> None:
    code = (
        "import sys, zermelo; print([name for name in ('numba', 'numpy', 'typer', 'asyncio') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def _public_functions() -> list[Callable[..., Any]]:
    found = []
    for name in ("zermelo", "zermelo.arena", "zermelo.teaching.tree", "zermelo.drawing", "zermelo.testing"):
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            value = getattr(module, public)
            if inspect.isfunction(value):
                found.append(value)
            elif inspect.isclass(value):
                found += [each for each in vars(value).values() if inspect.isfunction(each) and each.__name__[0] != "_"]
    return found


@pytest.mark.parametrize("function", _public_functions(), ids=lambda each: f"{each.__module__}.{each.__qualname__}")
def test_public_functions_name_their_parameters(function: Callable[..., Any]) -> None:
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert inspect.getdoc(function)


def test_analyse_and_engine_have_the_same_parameters() -> None:
    named = set(inspect.signature(zermelo.analyse).parameters)
    assert named == set(inspect.signature(zermelo.analysis).parameters)
    assert named - {"table", "threads", "selective"} == set(inspect.signature(Engine.analyse).parameters) - {"self"}
    assert named - {"table", "threads", "selective"} == set(inspect.signature(Engine.analysis).parameters) - {
        "self",
        "limits",
    }
    assert named - {"table", "threads", "selective", "lines"} == set(inspect.signature(Engine.best_move).parameters) - {
        "self"
    }
    assert named - {"lines"} == set(inspect.signature(zermelo.best_move).parameters)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_rejects_an_unknown_parameter(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(
        "import zermelo\n"
        "s = zermelo.load('tictactoe').start()\n"
        "for each in zermelo.analysis(s, depth=3):\n"
        "    print(each.score.value)\n"
        "zermelo.analyse(s, dpth=3)\n"
    )
    root = Path(zermelo.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(root)},
    )
    assert re.findall(r"snippet\.py:(\d+): error: (.*?)  \[call-arg\]", done.stdout) == [
        ("5", 'Unexpected keyword argument "dpth" for "analyse"; did you mean "depth"?')
    ], done.stdout + done.stderr


# ---- errors -------------------------------------------------------------------------------------------------------


def test_only_bad_input_is_a_value_error() -> None:
    kinds = [each for each in vars(zermelo.errors).values() if inspect.isclass(each)]
    assert all(issubclass(each, zermelo.ZermeloError) for each in kinds)
    assert {each for each in kinds if issubclass(each, ValueError)} == {
        each for each in kinds if issubclass(each, InputError)
    }
    assert issubclass(zermelo.MissingDependency, ImportError)
    assert issubclass(zermelo.StoreError, OSError)
    assert issubclass(zermelo.SearchTimeout, TimeoutError)


@pytest.mark.parametrize(
    "call",
    [
        zermelo.analyse,
        zermelo.best_move,
        zermelo.minimax,
        zermelo.alphabeta,
        zermelo.negamax,
        zermelo.expectiminimax,
        lambda state: zermelo.minimax(state, compiled=True),
        lambda state: zermelo.perft(state, 1),
    ],
)
def test_what_is_not_a_state_is_named(call: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match=r"^expected a state, got the class Othello; use Othello\.start\(\) or "):
        call(OTHELLO)
    with pytest.raises(InputError, match=r"^expected a state, got the text 'hello'; use zermelo\.load\(GAME\)\.parse"):
        call("hello")
    with pytest.raises(
        InputError, match=r"^expected a state \(an instance of a class under @zermelo\.game\), got '3'$"
    ):
        call(3)


def test_compiled_textbook_searches_refuse_what_they_do_not_support() -> None:
    for given, named in (
        ({"order": "lines"}, "order"),
        ({"observer": print}, "observer"),
        ({"cutoff": lambda state, ply: False}, "cutoff"),
    ):
        with pytest.raises(LimitError, match=rf"^minimax\(compiled=True\) does not support {named}$"):
            zermelo.minimax(START, compiled=True, **given)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match="does not support window or variant"):
        zermelo.alphabeta(START, compiled=True, alpha=0)
    with pytest.raises(LimitError, match="unknown pruning 'star3'"):
        zermelo.expectiminimax(START, compiled=True, pruning="star3")


# ---- scores -------------------------------------------------------------------------------------------------------


def test_scores_are_ordered_as_the_search_orders_them() -> None:
    ordered = [
        Score(-1, 2),
        Score(-1, 4),
        Score(estimate=-50),
        Score(0),
        Score(estimate=50),
        Score(1, 5),
        Score(1, 3),
    ]
    shuffled = [ordered[place] for place in (4, 0, 6, 2, 5, 1, 3)]
    assert sorted(shuffled) == ordered
    assert [score.pov(MIN) for score in ordered] == sorted((score.pov(MIN) for score in ordered), reverse=True)
    assert Score(2) > Score(1) > Score(-1) > Score(-2)
    assert Score(expected=0.5, estimate=500) > Score(expected=-0.25, estimate=-250)
    assert max(Score(estimate=1), Score(estimate=2)).pov(MAX).estimate == 2


def test_scores_change_their_point_of_view() -> None:
    score = Score(estimate=34, unit="centipawns")
    assert score.pov(MAX) is score
    assert score.pov(MIN) == Score(estimate=-34, unit="centipawns")
    assert score.pov(MIN).number == -34
    with pytest.raises(InputError, match=r"side must be MAX \(1\) or MIN \(-1\) \(got 0\)"):
        score.pov(zermelo.CHANCE)


def test_scores_print_their_unit() -> None:
    assert str(Score(1, 1)) == "+1 in 1 ply"
    assert str(Score(-12)) == "-12"
    assert str(Score(0)) == "0"
    assert str(Score(estimate=34, unit="centipawns")) == "+34 centipawns"
    assert str(Score(0.25, expected=0.25, number=250)) == "+0.2500 expected"
    assert zermelo.analyse(START, depth=2).score.unit == "open lines"


# ---- the default evaluation ---------------------------------------------------------------------------------------


def test_the_default_evaluation_is_the_game_s_first_everywhere() -> None:
    first = next(iter(TICTACTOE.evaluations))
    named = zermelo.minimax(START, 2, first)
    assert zermelo.analyse(START, depth=2).evaluation == first
    for search in (zermelo.minimax, zermelo.alphabeta, zermelo.negamax):
        assert search(START, 2).value == named.value == 1
        assert search(START, cutoff=lambda state, ply: ply == 2).value == named.value
    assert zermelo.minimax(START, 2, compiled=True).value == named.value
    tree = zermelo.teaching.tree.game_tree(START, 2)
    assert zermelo.teaching.tree.trace(tree).value == named.value
    # A search to the end of the game needs no evaluation: values are utilities.
    won = TICTACTOE.parse("XX-OO----")
    assert zermelo.minimax(won).value == 1
    assert zermelo.minimax(won, 1, "nothing", rank_wins=False).value == 1
    assert zermelo.minimax(won, 1).value > 1_000_000 > zermelo.alphabeta(won, 1, rank_wins=False).value


# ---- engines ------------------------------------------------------------------------------------------------------


def test_an_engine_keeps_its_table() -> None:
    with Engine("4M") as engine:
        first = engine.analyse(OTHELLO.start(), depth=7)
        again = engine.analyse(OTHELLO.start(), depth=7)
        assert again.score == first.score
        assert again.nodes < first.nodes
        assert engine.best_move(START, depth=3, moves=[0]) == 0
        limits = Limits(depth=2)
        assert [each.depth for each in engine.analysis(START, limits)] == [1, 2]
        with pytest.raises(LimitError, match="limits excludes"):
            engine.analysis(START, limits, depth=2)


def test_a_closed_engine_refuses_to_search() -> None:
    with Engine("1M") as engine:
        running = engine.analysis(START)
        next(running)
    with pytest.raises(InputError, match="closed"):
        engine.analyse(START)
    with pytest.raises(InputError, match="closed"):
        next(running)
    engine.close()
    engine.stop()


def test_no_move_to_choose() -> None:
    over = TICTACTOE.parse("XXX/OO-/---")
    with pytest.raises(zermelo.IllegalMove, match="the game is over"):
        zermelo.best_move(over)
    with pytest.raises(zermelo.IllegalMove, match="chance moves next"):
        zermelo.best_move(zermelo.load("backgammon").start(), depth=1)


def _resident() -> int:
    """Memory in use, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_tables_are_freed_without_the_garbage_collector() -> None:
    state = OTHELLO.start()
    gc.disable()
    try:
        zermelo.best_move(state, depth=3, table="64M")
        before = _resident()
        for _ in range(5):
            zermelo.best_move(state, depth=3, table="64M")
            *_, _last = zermelo.analysis(state, nodes=2_000, table="64M")
            for result in zermelo.analysis(state, table="64M"):
                if result.depth == 3:
                    break
            Engine("64M").analyse(state, depth=3)
    finally:
        gc.enable()
    assert _resident() - before < 80


# ---- asyncio ------------------------------------------------------------------------------------------------------


def test_searches_in_asyncio() -> None:
    async def both() -> list[Any]:
        return await asyncio.gather(
            zermelo.analyse_async(START, exact=True), zermelo.analyse_async(OTHELLO.start(), depth=5)
        )

    solved, opening = asyncio.run(both())
    assert (solved.score.value, opening.depth) == (0, 5)


def test_a_cancelled_task_stops_its_search() -> None:
    engine = Engine("4M")
    engine.analyse(OTHELLO.start(), depth=1)  # compiled
    ended = threading.Event()

    async def cancelled() -> None:
        task = asyncio.create_task(zermelo.analyse_async(OTHELLO.start(), engine=engine, seconds=3600))
        while engine.nodes < 1_000:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ended.set()

    asyncio.run(asyncio.wait_for(cancelled(), 120))
    assert ended.is_set()
    assert engine.analyse(START, depth=2).reason == "depth"  # the engine is free again


def test_a_task_cancelled_before_its_search_begins() -> None:
    engine = Engine("1M")

    async def cancelled() -> None:
        task = asyncio.create_task(zermelo.analyse_async(OTHELLO.start(), engine=engine, seconds=3600))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(cancelled(), 120))


# ---- notebooks and other processes ----------------------------------------------------------------------------------


def test_results_show_themselves_in_notebooks() -> None:
    assert START._repr_svg_().startswith("<svg")  # type: ignore[attr-defined]
    result = zermelo.analyse(START, depth=2)
    assert "<td>+1 open lines</td>" in result._repr_html_()
    assert zermelo.analyse(START, depth=2, lines=3)._repr_html_().count("<tr>") == 4
    for lines in (1, 3):
        assert "selective" not in zermelo.analyse(START, depth=2, lines=lines)._repr_html_()
        assert "selective" in zermelo.analyse(START, depth=2, lines=lines, selective=True)._repr_html_()
    tree = zermelo.teaching.tree
    assert "<td>best first</td>" in tree.compare_orders(tree.read("[[3,12,8],[2,4,6]]"))._repr_html_()
    table = zermelo.arena.match("tictactoe", "random", "<b>=random", games=2, seed=1)
    assert "&lt;b&gt;" in table._repr_html_()


def _value(state: Any) -> Any:
    return zermelo.minimax(state, 2).value, type(state).__name__


def test_states_of_a_game_file_can_be_sent_to_a_spawned_process(tmp_path: Path) -> None:
    file = tmp_path / "heap.py"
    file.write_text(
        textwrap.dedent(
            """
            from zermelo import MAX, MIN, game

            @game
            class Heap:
                left: int = 5
                turn: int = MAX

                def to_move(self):
                    return self.turn

                def moves(self):
                    for taken in range(1, 3):
                        if taken <= self.left:
                            yield taken

                def play(self, move):
                    return Heap(self.left - move, -self.turn)

                def is_over(self):
                    return self.left == 0

                def utility(self):
                    return -self.turn
            """
        )
    )
    state = zermelo.load(str(file)).start()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_value, state).result() == (_value(state)[0], "Heap")
    assert pickle.loads(pickle.dumps(state)) == state
