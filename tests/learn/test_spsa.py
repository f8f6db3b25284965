"""Tuning by SPSA: a known optimum, interruptions, files, players, and the command."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from zermelo import load
from zermelo.arena.players.specs import EnginePlayer, check_spec, player_for
from zermelo.errors import FileError, FormatError, LimitError, UnknownGame, ZermeloError
from zermelo.games.backgammon import Backgammon
from zermelo.games.connect4 import ConnectFour
from zermelo.games.othello import Othello
from zermelo.learn import TuneOptions, tune
from zermelo.learn.spsa import SPANS, Spsa, _Games
from zermelo.learn.tuned_file import TunedFile, load_parameters, load_tuned, tuned_bytes
from zermelo.search.engine import Engine
from zermelo.search.selective import FIELDS, Selective

BEST = {"reduction_base": 180, "futility_margin": 220}
NAMES = tuple(BEST)


def play(first: Mapping[str, int], second: Mapping[str, int], number: int) -> float:
    """Two games between sets of parameters that are the stronger, the closer they are to the best ones."""

    def strength(values: Mapping[str, int]) -> float:
        return -sum(((values[name] - BEST[name]) / (SPANS[name].high - SPANS[name].low)) ** 2 for name in BEST)

    win = 1 / (1 + math.exp(-20 * (strength(first) - strength(second))))
    source = random.Random(number)
    return sum(1 if source.random() < win else -1 for _ in range(2))


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(3))
def test_a_known_optimum_is_found(seed: int, tmp_path: Path) -> None:
    found = tune(ConnectFour, tmp_path / "found", NAMES, TuneOptions(pairs=4000, seed=seed), play=play)
    start = Selective()
    for name, best in BEST.items():
        width = SPANS[name].high - SPANS[name].low
        assert abs(getattr(start, name) - best) > 0.4 * width
        assert abs(found.values[name] - best) < 0.12 * width


@pytest.mark.quick
def test_parameters_stay_in_their_ranges() -> None:
    spsa = Spsa(SPANS, {name: span.low for name, span in SPANS.items()}, 100)
    for iteration in range(100):
        moves = spsa.perturbations(iteration)
        for sign in (1, -1):
            moved = spsa.moved(moves, sign)
            assert all(span.low <= moved[name] <= span.high for name, span in SPANS.items())
        spsa.step(iteration, moves, 1.0)
        assert all(span.low <= spsa.values[name] <= span.high for name, span in SPANS.items())
    assert all(0 < abs(move) < span.high - span.low for move, span in zip(moves.values(), SPANS.values(), strict=True))
    assert set(SPANS) <= set(FIELDS)


@pytest.mark.quick
def test_interrupted_tuning_continues_to_the_same_file(tmp_path: Path) -> None:
    options = TuneOptions(pairs=40)
    tune(ConnectFour, tmp_path / "whole", NAMES, options, command="c", play=play)

    def interrupted(first: Mapping[str, int], second: Mapping[str, int], number: int) -> float:
        if number == 13:
            raise KeyboardInterrupt
        return play(first, second, number)

    path = tmp_path / "parts"
    with pytest.raises(KeyboardInterrupt):
        tune(ConnectFour, path, NAMES, options, command="c", play=interrupted)
    assert len(load_tuned(path, "ConnectFour").history) == 13
    with pytest.raises(ZermeloError, match="unfinished tuning with other options"):
        tune(ConnectFour, path, NAMES, TuneOptions(pairs=40, seed=1), play=play)
    tune(ConnectFour, path, NAMES, options, command="c", play=play)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()
    with pytest.raises(FileError, match="file exists"):
        tune(ConnectFour, path, NAMES, options, play=play)
    tune(ConnectFour, path, NAMES, options, command="other", play=play, overwrite=True)
    assert load_tuned(path, "ConnectFour").command == "other"


@pytest.mark.quick
def test_refused(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="nosuch cannot be tuned; choose from aspiration_window, reverse_futility"):
        tune(ConnectFour, tmp_path / "x", ("nosuch",), play=play)
    with pytest.raises(LimitError, match="parameters must name at least one parameter"):
        tune(ConnectFour, tmp_path / "x", (), play=play)
    with pytest.raises(LimitError, match="Backgammon is not searched selectively"):
        tune(Backgammon, tmp_path / "x", NAMES, play=play)
    with pytest.raises(LimitError, match=r"pairs must be from 1 to 1,000,000,000 \(got 0\)"):
        TuneOptions(pairs=0)


@pytest.mark.quick
def test_wrong_files(tmp_path: Path) -> None:
    path = tmp_path / "tuned.parameters"

    def refused(content: bytes, message: str) -> None:
        path.write_bytes(content)
        with pytest.raises(FormatError, match=message):
            load_parameters(path, ConnectFour)

    good = TunedFile("ConnectFour", NAMES, ((150.0, 60.4),), 1, "", "")
    path.write_bytes(tuned_bytes(good))
    assert load_parameters(path, ConnectFour) == Selective(reduction_base=150, futility_margin=60)
    refused(b"", "is not a parameter file: it does not start with ZERMELOS")
    content = tuned_bytes(good)
    refused(content[:-1], "the parameter file is damaged")
    refused(tuned_bytes(good._replace(game="Chess")), "these parameters are for the game 'Chess', not ConnectFour")
    refused(tuned_bytes(good._replace(parameters=("nosuch", "other"))), "has a wrong header")
    refused(tuned_bytes(good._replace(history=((math.nan, 1.0),))), "has a wrong header")
    refused(tuned_bytes(good._replace(history=())), "no games have been played")
    refused(
        tuned_bytes(good._replace(history=((1e30, 60.0), (150.0, 60.0)))),
        r"tuned\.parameters: reduction_base must be an integer from 0 to 10,000 \(got 1000",
    )


@pytest.mark.quick
def test_players_take_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tuned.parameters"
    path.write_bytes(tuned_bytes(TunedFile("ConnectFour", NAMES, ((150.0, 60.0),), 1, "", "")))
    check_spec(f"engine:nodes=10,selective={path}")
    player = player_for(ConnectFour, f"engine:nodes=10,table=1M,selective={path}")
    assert isinstance(player, EnginePlayer)
    assert isinstance(player._engine, Engine)
    assert isinstance(player._engine.selective, Selective)
    assert player._engine.selective.reduction_base == 150
    player.close()
    with pytest.raises(FormatError, match="for the game 'ConnectFour', not Othello"):
        player_for(Othello, f"engine:selective={path}")
    with pytest.raises(FileError, match=r"none\.parameters"):
        check_spec(f"engine:selective={tmp_path / 'none.parameters'}")


def test_the_command(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Games, "play", lambda _, *arguments: play(*arguments))
    path, plot = tmp_path / "tuned.parameters", tmp_path / "tuned.svg"
    words = ["learn", "connect4", "tune", "--parameters", ",".join(NAMES), "--pairs", "30", "--out", str(path)]
    done = zermelo(*words, "--quiet", "--plot", str(plot))
    assert done.code == 0
    assert done.out.splitlines()[-1] == f"{path}: parameters after 30 pairs of games"
    assert "reduction_base" in plot.read_text()
    found = load_tuned(path, "ConnectFour")
    assert (
        found.command
        == "zermelo learn connect4 tune --parameters reduction_base,futility_margin --pairs 30 --nodes 2000"
    )
    assert zermelo(*words, "--quiet").code == 2
    other = tmp_path / "other.parameters"
    assert zermelo(*words[:-1], str(other), "--quiet", "--evaluation", "lines").code == 0
    assert load_tuned(other, "ConnectFour").options.endswith(" evaluation=lines")
    assert load_tuned(other, "ConnectFour").command.endswith(" --evaluation lines")
    assert zermelo(*words, "--force", "--json", "--quiet").json["values"] == found.values
    code, _, err = zermelo("learn", "connect4", "tune", "--parameters", "x", "--out", str(tmp_path / "y"))
    assert code == 2
    assert "x cannot be tuned; choose from" in err


def test_games_start_from_the_game_s_own_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConnectFour, "selective_parameters", {"futility_margin": 100, "delta_margin": 3})
    games = _Games(ConnectFour, TuneOptions())
    assert games._engine({"reduction_base": 150}).selective == Selective(
        reduction_base=150, futility_margin=100, delta_margin=3
    )
    starts = []
    tune(
        ConnectFour,
        tmp_path / "x",
        NAMES,
        TuneOptions(pairs=1),
        play=play,
        on_progress=lambda at: starts.append(dict(at.values)),
    )
    assert starts[0] == {"reduction_base": 75.0, "futility_margin": 100.0}
    path = tmp_path / "tuned.parameters"
    path.write_bytes(tuned_bytes(TunedFile("ConnectFour", NAMES, ((150.0, 60.0),), 1, "", "")))
    assert load_parameters(path, ConnectFour) == Selective(reduction_base=150, futility_margin=60, delta_margin=3)


def test_games_use_the_evaluation_that_is_given(tmp_path: Path) -> None:
    options = TuneOptions(pairs=1, nodes=20, evaluation="nothing", evaluation_name="nothing", random_plies=0)
    searched: list[str] = []

    class Watched(_Games):
        def _engine(self, parameters: Mapping[str, int]) -> Engine:
            engine = super()._engine(parameters)
            analysis = engine.analysis

            def watched(*arguments: Any, **keywords: Any) -> Any:
                for found in analysis(*arguments, **keywords):
                    searched.append(found.evaluation)
                    yield found

            engine.analysis = watched  # type: ignore[method-assign]
            return engine

    Watched(load("tictactoe"), options).play({}, {}, 0)
    assert set(searched) == {"nothing"}
    with pytest.raises(UnknownGame, match="no evaluation 'wrong'"):
        tune(ConnectFour, tmp_path / "y", NAMES, TuneOptions(evaluation="wrong"), play=play)


@pytest.mark.long
def test_games_are_played(tmp_path: Path) -> None:
    """The same games give the same file."""
    options = TuneOptions(pairs=2, nodes=50)
    for name in ("first", "second"):
        tune(ConnectFour, tmp_path / name, NAMES, options)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_openings_that_always_end_the_game_are_refused() -> None:
    games = _Games(load("tictactoe"), TuneOptions(random_plies=9))
    with pytest.raises(
        LimitError, match=r"random_plies must be smaller \(got 9\): the random moves always end the game"
    ):
        games.play({}, {}, 0)
