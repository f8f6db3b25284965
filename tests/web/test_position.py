"""`POST /api/position`: positions as JSON, the squares of moves, views of one player, wrong requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from web_client import web_client

from zermelo import registry

NIM = Path(__file__).parents[1] / "support" / "nim.py"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client for the module: making one for each test takes longer than the tests."""
    from zermelo.web.settings import Settings

    with web_client(Settings(data_dir=tmp_path_factory.mktemp("data"))) as opened:
        yield opened


def describe(client: Any, game: str, moves: str = "", **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/position", json={"game": game, "moves": moves.split(), **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client: Any, **fields: Any) -> dict[str, str]:
    answer = client.post("/api/position", json=fields)
    assert answer.status_code == 400, answer.text
    return answer.json()


@pytest.mark.parametrize("game", [name for name in registry.names() if name not in ("scrabble", "go19")])
def test_every_game_has_a_position(client: Any, game: str) -> None:
    from zermelo.web.position import Position

    start = describe(client, game)
    assert msgspec.convert(start, Position).game == game
    assert start["ply"] == 0
    assert bool(start["moves"]) == (start["turn"] in ("max", "min"))
    assert bool(start["chance"]) == (start["turn"] == "chance")
    texts = [each["text"] for each in (*start["moves"], *start["chance"])]
    assert len(set(texts)) == len(texts) > 0


def test_a_position_after_moves(client: Any) -> None:
    found = describe(client, "chess", "e4 e5 Nf3")
    assert (found["turn"], found["player"], found["players"], found["ply"]) == ("min", "black", ["white", "black"], 3)
    assert found["position"].startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b")
    assert found["played"] == ["e4", "e5", "Nf3"]
    assert found["last"]["text"] == "Nf3"
    assert found["last"]["path"] == [62, 45]
    assert (found["over"], found["result"], found["can_claim_draw"]) == (False, None, False)
    assert {"text": "Nc6", "path": [1, 18]}.items() <= next(m for m in found["moves"] if m["text"] == "Nc6").items()
    picture = found["picture"]
    assert (picture["kind"], picture["columns"], picture["background"]) == ("grid", 8, "chequered")
    assert {"column": 5, "row": 5, "kind": "knight", "colour": "white", "letter": ""} in picture["pieces"]


def test_the_moves_before_a_position_that_is_a_line_of_moves_are_part_of_the_game(client: Any) -> None:
    assert describe(client, "chess", "Nf3", position="e4 e5")["played"] == ["e4", "e5", "Nf3"]


def test_points_have_steps_and_games_without_a_picture_have_lines(client: Any) -> None:
    board = describe(client, "backgammon", "31")
    assert board["picture"]["kind"] == "points"
    assert board["picture"]["dice"] == [3, 1]
    (move,) = (each for each in board["moves"] if each["text"] == "8/5,6/5")
    assert move["steps"] == [[8, 5], [6, 5]]
    assert "path" not in move
    cards = describe(client, "kuhn")
    assert cards["picture"]["kind"] == "text"
    assert cards["turn"] == "chance"
    assert {"weight"} <= cards["chance"][0].keys()


def test_the_last_move_of_a_player_is_shown_after_the_dice(client: Any) -> None:
    assert describe(client, "backgammon", "31")["last"] is None
    for moves in ("31 8/5,6/5", "31 8/5,6/5 62"):
        assert describe(client, "backgammon", moves)["last"]["steps"] == [[8, 5], [6, 5]]


def test_the_end_of_a_game(client: Any) -> None:
    found = describe(client, "chess", "f3 e5 g4 Qh4#")
    assert (found["over"], found["turn"], found["moves"]) == (True, None, [])
    assert found["result"] == {"utility": -1, "text": "Checkmate: black has won"}
    back = "Nf3 Nf6 Ng1 Ng8 "
    third = describe(client, "chess", back * 2)
    assert third["can_claim_draw"] is True
    assert third["claim"] == "the position occurred 3 times"
    fifth = describe(client, "chess", back * 4)
    assert fifth["over"] is True
    assert fifth["result"] == {"utility": 0, "text": "A draw: the position occurred 5 times"}


def test_a_player_sees_only_its_own_view(client: Any) -> None:
    tries = "b2 b2 a1"
    first = describe(client, "phantom-tictactoe", tries, view="max")
    assert first["position"] == "b2"
    assert first["played"] == []
    assert first["last"] is None
    assert [piece["kind"] for piece in first["picture"]["pieces"]] == ["cross"]
    assert first["turn"] == "max"
    assert len(first["moves"]) == 8
    second = describe(client, "phantom-tictactoe", tries, view="min")
    assert second["moves"] == []
    assert len(second["picture"]["pieces"]) == 2
    assert describe(client, "phantom-tictactoe", tries)["played"] == tries.split()


def test_wrong_requests_name_the_field(client: Any) -> None:
    assert refused(client, game="ches")["field"] == "game"
    wrong = refused(client, game="chess", position="nonsense")
    assert wrong["field"] == "position"
    assert "expected a position" in wrong["error"]
    wrong = refused(client, game="chess", moves=["e4", "e4"])
    assert wrong["field"] == "moves"
    assert wrong["error"].startswith("moves[1]: 'e4'")
    assert "game is over" in refused(client, game="tictactoe", moves=["a1", "a2", "b1", "b2", "c1", "c2"])["error"]
    assert refused(client, game="chess", moves=["e4"] * 2001)["field"] == "moves"
    assert refused(client, game="chess", view="all")["field"] == "view"


def test_a_line_that_is_changed_in_the_middle_is_played_from_there(client: Any) -> None:
    describe(client, "tictactoe", "a1 b2 c3")
    assert describe(client, "tictactoe", "a1 b2 a3 c1")["played"] == ["a1", "b2", "a3", "c1"]
    assert describe(client, "tictactoe", "a1")["played"] == ["a1"]
    assert describe(client, "tictactoe", "b1")["played"] == ["b1"]


@pytest.mark.long
def test_a_game_of_a_file_has_positions_and_its_errors_name_the_line(tmp_path: Path) -> None:
    from zermelo.web.settings import Settings

    file = tmp_path / "halves.py"
    file.write_text(NIM.read_text() if NIM.exists() else "")
    broken = tmp_path / "broken.py"
    broken.write_text(
        "from zermelo import game\n@game\nclass Broken:\n    heap: int = 3\n"
        "    def to_move(self): return 1\n    def moves(self): return [1]\n"
        "    def play(self, move): return Broken(self.heap // 0)\n"
        "    def is_over(self): return False\n    def utility(self): return 0\n"
    )
    with web_client(Settings(games={"nim": str(file), "broken": str(broken)}, data_dir=tmp_path)) as client:
        found = describe(client, "nim")
        assert found["picture"]["kind"] == "text"
        assert all("path" not in move for move in found["moves"])
        answer = client.post("/api/position", json={"game": "broken"})
        assert answer.status_code == 422
        assert "broken.py:7" in answer.json()["error"]
