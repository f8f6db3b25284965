"""`POST /api/analyse`: what a search streams, and that it is what `zermelo.analyse` finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from web_client import web_client

import zermelo
from zermelo.core.game import CHANCE
from zermelo.testing.random_games import draw_move


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client for the module, whose search processes are started once."""
    from zermelo.web.settings import Limits, Settings

    with web_client(Settings(data_dir=tmp_path_factory.mktemp("data"), limits=Limits(searches=1))) as opened:
        yield opened


def analysed(client: Any, **fields: Any) -> list[tuple[str, Any]]:
    """The events of an analysis."""
    answer = client.post("/api/analyse", json=fields)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = []
    for block in answer.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            events.append((lines["event"], json.loads(lines["data"])))
    return [event for event in events if event[0] != "compiling"]


@pytest.mark.long
def test_the_stream_has_the_results_of_the_library(client: Any) -> None:
    """One process serves all of it: starting it and loading machine code takes most of the time."""
    chess = zermelo.load("tictactoe")
    events = analysed(client, game="tictactoe", moves=["b2"], depth=5, lines=3)
    results = [result for name, result in events if name == "analysis"]
    state = chess.start().after("b2")
    expected = list(zermelo.analysis(state, depth=5, lines=3, history=[chess.start()]))
    assert events[-1] == ("end", {"reason": "depth"})
    assert [result["depth"] for result in results] == [1, 2, 3, 4, 5]
    for result, found in zip(results, expected, strict=True):
        assert (result["best"], result["score"]["number"]) == (found.best, found.score.number)
        assert (result["nodes"], result["algorithm"], result["evaluation"]) == (found.nodes, "engine", "lines")
        assert [line["moves"] for line in result["lines"]] == [list(line.names) for line in found.lines]
        assert (result["selective"], result["confidence"]) == (False, 100)

    solved = analysed(client, game="tictactoe", exact=True, values=True)
    values = [event for name, event in solved if name == "values"][-1]
    assert [solved[0][0], solved[-1]] == ["analysis", ("end", {"reason": "exact"})]
    assert len(values["moves"]) == 9
    assert all(each["score"]["proven"] and each["score"]["share"] == 0.5 for each in values["moves"])
    again = analysed(client, game="tictactoe", exact=True, values=True)
    assert [name for name, _ in again] == ["analysis", "values", "end"]
    assert again[0][1]["kept"] is True

    won = analysed(client, game="tictactoe", position="XX-OO----", exact=True)[-2][1]
    assert (won["score"]["text"], won["score"]["share"], won["best"]) == ("+#1", 1.0, "c1")
    over = analysed(client, game="tictactoe", moves=["a1", "a2", "b1", "b2", "c1"], values=True)
    assert [name for name, _ in over] == ["analysis", "end"]
    assert over[0][1]["score"]["words"] == "crosses have won"
    assert over[-1][1] == {"reason": "game over"}


@pytest.mark.long
def test_searches_at_a_confidence_and_selective_ones(client: Any) -> None:
    def last(**fields: Any) -> dict[str, Any]:
        return [found for name, found in analysed(client, **fields) if name == "analysis"][-1]

    plain = last(game="othello", depth=9)
    assert (plain["selective"], plain["confidence"]) == (False, 100)
    at_95 = last(game="othello", depth=9, confidence=95, values=True)
    assert (at_95["selective"], at_95["confidence"]) == (True, 95)
    assert at_95["nodes"] == zermelo.analyse(zermelo.load("othello").start(), depth=9, selective=95).nodes
    selective = last(game="tictactoe", depth=4, selective=True)
    assert (selective["selective"], selective["confidence"]) == (True, None)
    assert not last(game="tictactoe", depth=4)["selective"], "results of another selectivity were kept"


@pytest.mark.long
@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"game": "othello", "confidence": 50}, "confidence", "confidence must be one of 73, 87, 95, 98, 99 or 100"),
        ({"game": "othello", "confidence": 95, "evaluation": "mobility"}, "confidence", "does not define search_error"),
        ({"game": "othello", "confidence": 95, "exact": True}, "confidence", "an exact search proves its score"),
        ({"game": "othello", "confidence": 95, "selective": True}, "selective", "exclude each other"),
        ({"game": "backgammon", "moves": ["31"], "selective": True}, "selective", "games of chance"),
    ],
)
def test_searches_that_cannot_be_selective_are_refused(
    client: Any, fields: dict[str, Any], field: str, message: str
) -> None:
    answer = client.post("/api/analyse", json=fields)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert message in answer.json()["error"]


@pytest.mark.long
def test_values_deepen_beside_the_lines(client: Any) -> None:
    events = analysed(client, game="othello", depth=6, values=True)
    depths = [event["moves"][0]["depth"] for name, event in events if name == "values"]
    assert depths == [1, 2, 3, 4, 5, 6]
    assert events[0][0] == "analysis"
    best = [event for name, event in events if name == "analysis"][-1]
    moves = [event for name, event in events if name == "values"][-1]["moves"]
    start = zermelo.load("othello").start()
    expected = zermelo.analyse(start, depth=6, lines=4)
    assert sorted(each["text"] for each in moves) == ["c4", "d3", "e6", "f5"]
    assert [each["score"]["number"] for each in moves] == [line.score.number for line in expected.lines]
    assert best["score"]["number"] == moves[0]["score"]["number"]


@pytest.mark.long
def test_games_of_chance_and_games_without_an_evaluation(client: Any) -> None:
    dice = analysed(client, game="backgammon", moves=["31"], depth=1, values=True)
    best = next(event for name, event in dice if name == "analysis")
    expected = zermelo.analyse(zermelo.load("backgammon").start().after("31"), depth=1)
    assert (best["best"], best["score"]["expected"]) == (expected.best, expected.score.expected)
    assert best["score"]["text"] == f"{expected.score.expected:+.3f}".replace("-", "−")
    roll = analysed(client, game="backgammon", depth=1, values=True)
    assert [name for name, _ in roll] == ["analysis", "end"]
    assert roll[0][1]["best"] is None


@pytest.fixture
def file_client(tmp_path: Path) -> Any:
    """A client of a server with a game of a file, which is searched in plain Python and has no evaluation."""
    from zermelo.web.settings import Limits, Settings

    file = tmp_path / "heap.py"
    file.write_text(
        "from zermelo import game\n@game(compiled=False)\nclass Heap:\n    heap: int = 40\n    turn: int = 1\n"
        "    def to_move(self): return self.turn\n"
        "    def moves(self): return [take for take in (1, 2, 3) if take <= self.heap]\n"
        "    def play(self, take): return Heap(self.heap - take, -self.turn)\n"
        "    def is_over(self): return self.heap == 0\n"
        "    def utility(self): return -self.turn\n"
    )
    settings = Settings(games={"heap": str(file)}, data_dir=tmp_path, limits=Limits(searches=2))
    with web_client(settings) as client:
        yield client


@pytest.mark.long
def test_playouts_follow_where_a_game_is_not_solved_at_once(file_client: Any) -> None:
    events = analysed(file_client, game="heap", nodes=3_000, values=True)
    last = [event for name, event in events if name == "analysis"][-1]
    assert events[-1] == ("end", {"reason": "nodes"})
    assert (last["algorithm"], last["selective"], last["confidence"]) == ("mcts", True, None)
    assert last["lines"][0]["visits"] > 0
    assert last["score"]["share"] == pytest.approx(last["lines"][0]["win_rate"], abs=1e-4)
    values = [event for name, event in events if name == "values"][-1]
    assert {each["text"] for each in values["moves"]} == {"1", "2", "3"}
    solved = analysed(file_client, game="heap", position="heap=8", exact=True)
    assert solved[-2][1]["score"]["text"] == "−#4"


def test_wrong_requests_name_the_field(client: Any) -> None:
    for fields, field in (
        ({"game": "chess", "depth": 0}, "depth"),
        ({"game": "chess", "seconds": 1e9}, "seconds"),
        ({"game": "chess", "lines": 51}, "lines"),
        ({"game": "none"}, "game"),
    ):
        answer = client.post("/api/analyse", json=fields)
        assert (answer.status_code, answer.json()["field"]) == (400, field)


@pytest.mark.long
def test_errors_of_a_search_come_before_its_first_event(client: Any) -> None:
    for fields, field in (
        ({"game": "tictactoe", "evaluation": "best"}, "evaluation"),
        ({"game": "tictactoe", "moves": ["b2", "b2"]}, "moves"),
        ({"game": "tictactoe", "depth": 3, "exact": True}, ""),
    ):
        answer = client.post("/api/analyse", json=fields)
        assert (answer.status_code, answer.json().get("field", "")) == (400, field)
    hidden = client.post("/api/analyse", json={"game": "kuhn"})
    assert hidden.status_code == 422
    assert "imperfect information" in hidden.json()["error"]


def test_an_evaluation_is_explained_with_its_squares(client: Any) -> None:
    fields = {"game": "chess", "position": "4k3/5p2/8/8/8/P7/P3P3/4K2R w K - 0 1"}
    found = client.post("/api/explain", json=fields).json()
    assert (found["evaluation"], found["unit"]) == ("positional", "centipawns")
    assert found["players"] == {"max": "white", "min": "black"}
    doubled = next(term for term in found["terms"] if term["name"] == "doubled pawns")
    assert (doubled["max"], doubled["min"], sorted(doubled["squares"])) == (1, 0, [40, 48])
    assert sum(term["points"] for term in found["terms"]) == pytest.approx(found["score"])
    assert found["text"] == "white is ahead"
    assert 0.5 < found["share"] < 1
    for more, status, field in (
        ({"game": "othello", "evaluation": "patterns"}, 422, ""),
        ({"game": "chess", "evaluation": "best"}, 400, "evaluation"),
        ({"game": "tictactoe", "moves": ["a1", "a2", "b1", "b2", "c1"]}, 400, "moves"),
    ):
        answer = client.post("/api/explain", json=more)
        assert (answer.status_code, answer.json().get("field", "")) == (status, field)


@pytest.mark.long
def test_an_analysis_knows_what_is_hidden_if_the_game_can_say_it(client: Any) -> None:
    state, random = zermelo.load("bridge-play").start(), Random(1)
    while state.to_move() == CHANCE:
        state = state.play(draw_move(state, state.legal_moves(), random))
    events = analysed(client, game="bridge-play", position=str(state), depth=1)
    expected = zermelo.analyse(state.open_state(), depth=1)
    assert events[-2][1]["score"]["number"] == expected.score.number
    assert events[-2][1]["best"] in [state.move_name(move) for move in state.legal_moves()]


@pytest.mark.long
def test_a_long_depth_reports_its_counts(client: Any) -> None:
    events = analysed(client, game="chess", exact=True, seconds=2)
    counts = [event["nodes"] for name, event in events if name == "progress"]
    assert counts
    assert counts == sorted(counts)
