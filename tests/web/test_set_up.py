"""Positions set up piece by piece: `/api/setup` and `/api/setup/position`."""

import pytest

CROSS, NOUGHT = {"kind": "cross"}, {"kind": "nought"}


def placed(client, game, pieces, turn="max", position=""):
    body = {"game": game, "pieces": pieces, "turn": turn, "position": position}
    return client.post("/api/setup/position", json=body)


def test_the_sorts_of_pieces(client):
    answer = client.post("/api/setup", json={"game": "tictactoe"}).json()
    assert answer == {"pieces": [{"kind": "cross"}, {"kind": "nought"}], "options": []}
    assert len(client.post("/api/setup", json={"game": "chess"}).json()["pieces"]) == 12
    assert client.post("/api/setup", json={"game": "backgammon"}).json() == {"pieces": [], "options": []}


def test_the_side_to_move_is_what_the_pieces_say(client):
    answer = placed(client, "tictactoe", [{**CROSS, "column": 1, "row": 1}], "max").json()
    assert answer == {"position": "---/-X-/---", "turn": "min", "options": []}


def test_the_size_of_the_board_is_that_of_the_position(client):
    stone = {"kind": "disc", "colour": "black", "column": 6, "row": 0}
    answer = placed(client, "go", [stone], "min", "7x7").json()
    assert answer["position"] == "------X/-------/-------/-------/-------/-------/------- O"
    assert answer["turn"] == "min"


@pytest.mark.parametrize(
    ("game", "pieces", "turn", "field", "error"),
    [
        ("chess", [], "max", "pieces", "Chess position: white has no kings; expected 1"),
        (
            "tictactoe",
            [{**NOUGHT, "column": 0, "row": 0}],
            "max",
            "pieces",
            "TicTacToe position has 0 X and 1 O",
        ),
        ("tictactoe", [{**CROSS, "column": 3, "row": 0}], "max", "pieces", "the board has no column 3 in row 0"),
        ("tictactoe", [{**CROSS, "column": 0, "row": 0}] * 2, "max", "pieces", "two pieces in column 0 of row 0"),
        ("tictactoe", [{"kind": "king", "column": 0, "row": 0}], "max", "pieces", "the game has no piece"),
        ("tictactoe", [], "left", "turn", "turn must be max or min (got 'left')"),
        ("backgammon", [], "max", "game", "positions of this game are not set up piece by piece"),
    ],
)
def test_impossible_positions_are_refused(client, game, pieces, turn, field, error):
    response = placed(client, game, pieces, turn)
    assert response.status_code == 400
    assert response.json()["field"] == field
    assert response.json()["error"].startswith(error)


def test_castling_rights_and_en_passant_are_options(client):
    fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1"
    pieces = client.post("/api/position", json={"game": "chess", "position": fen}).json()["picture"]["pieces"]
    start = client.post("/api/setup", json={"game": "chess", "position": fen}).json()["options"]
    assert [(each["name"], each["on"], each.get("group")) for each in start] == [
        ("White can castle O-O-O", True, None),
        ("White can castle O-O", True, None),
        ("Black can castle O-O-O", True, None),
        ("Black can castle O-O", True, None),
        ("En passant on d6", False, "en passant"),
    ]
    body = {"game": "chess", "pieces": pieces, "turn": "max", "position": fen}
    assert client.post("/api/setup/position", json=body).json()["position"] == fen
    for options, rights in (
        ([], "- -"),
        (["White can castle O-O", "Black can castle O-O-O"], "Kq -"),
        (["En passant on d6", "no such option"], "- d6"),
    ):
        answer = client.post("/api/setup/position", json={**body, "options": options}).json()
        assert answer["position"] == fen.replace("KQkq -", rights)
        assert {each["name"] for each in answer["options"] if each["on"]} == {*options} - {"no such option"}
    without_rook = {**body, "pieces": [each for each in pieces if (each["column"], each["row"]) != (7, 7)]}
    answer = client.post("/api/setup/position", json={**without_rook, "options": ["White can castle O-O"]}).json()
    assert answer["position"] == "r3k2r/8/8/3pP3/8/8/8/R3K3 w - - 0 1"
    assert "White can castle O-O" not in {each["name"] for each in answer["options"]}
