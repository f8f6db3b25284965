"""Games read and written for the page: `/api/import` and `/api/export`."""

import base64

import pytest

from zermelo.formats import wthor
from zermelo.formats.record import record_from_texts
from zermelo.games.othello import Othello

PGN = """[Event "A <b>match</b>"]
[White "Adams"]
[Black "Baker"]
[Result "*"]

1. e4 {king's pawn} e5 $1 (1... c5 {Sicilian} 2. Nf3 (2. c3)) 2. Nf3 *
"""
SGF = "(;FF[4]GM[1]SZ[9]KM[7]PB[one]PW[two];B[ee]C[a comment];W[ge]BM[1](;B[ce];W[gc])(;B[gc]TE[1]))\n"
PDN = '[Event "x"]\n[Result "*"]\n\n1. 11-15 23-19 (1... 22-18 {another}) 2. 8-11 $2 *\n'


def test_a_game_with_variations_comments_and_marks(client):
    answer = client.post("/api/import", json={"game": "chess", "text": PGN}).json()
    assert (answer["format"], answer["errors"], answer["more"]) == ("pgn", [], False)
    [game] = answer["games"]
    assert (game["title"], game["length"]) == ("Adams - Baker, A <b>match</b>", 3)
    first, second, third = game["record"]["moves"]
    assert (first, third) == ({"move": "e4", "comments": ["king's pawn"]}, "Nf3")
    assert second["nags"] == [1]
    [variation] = second["variations"]
    assert variation["moves"][0] == {"move": "c5", "comments": ["Sicilian"]}
    assert variation["moves"][1]["variations"] == [{"moves": ["c3"]}]


@pytest.mark.parametrize(
    ("game", "form", "text"), [("chess", "pgn", PGN), ("go", "sgf", SGF), ("checkers", "pdn", PDN)]
)
def test_variations_survive_export_and_import(client, game, form, text):
    [before] = client.post("/api/import", json={"game": game, "text": text}).json()["games"]
    exported = client.post("/api/export", json={"game": game, "record": before["record"], "format": form}).json()
    assert exported["is_complete"]
    assert exported["name"] == f"{game}.{form}"
    [after] = client.post("/api/import", json={"game": game, "text": exported["text"]}).json()["games"]
    tags = [each["record"].pop("tags", {}) for each in (before, after)]
    assert after["record"] == before["record"]
    assert tags[0].items() <= tags[1].items()


def test_a_format_without_variations_says_so(client):
    [game] = client.post("/api/import", json={"game": "chess", "text": PGN}).json()["games"]
    answer = client.post("/api/export", json={"game": "chess", "record": game["record"], "format": "san"}).json()
    assert (answer["text"], answer["is_complete"]) == ("e4 e5 Nf3\n", False)


def test_a_binary_file(client):
    records = [record_from_texts(Othello.start(), ["f5", "d6"]) for _ in range(2)]
    for record in records:
        record.tags |= {"BlackDiscs": "33"}
    content = bytearray(wthor.write(records, wthor.Date(2024, 5, 1)).games)

    def sent(data, name="games.wtb", game="othello"):
        body = {"game": game, "text": "", "name": name, "data": base64.b64encode(data).decode()}
        return client.post("/api/import", json=body)

    answer = sent(content).json()
    assert (answer["format"], [game["record"]["moves"] for game in answer["games"]]) == ("wthor", [["f5", "d6"]] * 2)
    content[16 + 8] = 11
    answer = sent(content).json()
    assert (len(answer["games"]), answer["errors"]) == (
        1, ["game 1: move 1 is a1, which is not legal; legal: d3 c4 f5 e6"],
    )  # fmt: skip
    for data, name, game, error in [
        (content[:-1], "games.wtb", "othello", "135 bytes for 2 games; expected 68 bytes each"),
        (content, "a.ggf", "othello", "the file contains NUL bytes; expected text in UTF-8 or Latin-1 or .wtb"),
        (content, "a.wtb", "chess", "the file contains NUL bytes; expected text in UTF-8 or Latin-1"),
    ]:
        response = sent(data, name, game)
        assert (response.status_code, response.json()) == (400, {"error": error, "field": "text"})
    refused = client.post("/api/export", json={"game": "othello", "record": {}, "format": "wthor"}).json()
    assert "binary format" in refused["error"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[White "a"]\n\n1. e4 e5\n2. Nf4 *\n', "game 1, line 4: 'Nf4' is not a legal move here"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "game 1, line 1: Chess position: white has no kings"),
        (" ", "the text is empty; expected a game or a position"),
    ],
)
def test_a_game_that_cannot_be_read_is_refused_with_its_line(client, text, error):
    response = client.post("/api/import", json={"game": "chess", "text": text})
    assert response.status_code == 400
    assert response.json()["field"] == "text"
    assert response.json()["error"].startswith(error)


def test_one_bad_game_costs_itself_alone(client):
    text = '[Event "1"]\n\n1. e4 *\n\n[Event "2"]\n\n1. Ke9 *\n\n[Event "3"]\n\n1. d4 *\n'
    answer = client.post("/api/import", json={"game": "chess", "text": text}).json()
    assert [game["title"] for game in answer["games"]] == ["1", "3"]
    assert [error[:15] for error in answer["errors"]] == ["game 2, line 7:"]


def test_events_that_are_not_moves_are_named(client):
    text = " 1 point match\n\n Game 1\n X : 0                O : 0\n  1) 31: 8/5 6/5\n"
    answer = client.post("/api/import", json={"game": "backgammon", "text": text, "name": "x.mat"}).json()
    assert answer["events"]
    assert answer["games"][0]["record"]["moves"][0]


@pytest.mark.parametrize(
    ("request_body", "status", "field"),
    [
        ({"game": "chess", "record": {"moves": ["e5"]}, "format": "pgn"}, 400, "record"),
        ({"game": "chess", "record": {"moves": ["e4"]}, "format": "sgf"}, 400, "format"),
        ({"game": "chess", "record": {"moves": 3}, "format": "pgn"}, 400, "record"),
        ({"game": "chess", "record": {"moves": [], "evil": 1}, "format": "pgn"}, 400, "record"),
        ({"game": "nothing", "record": {}, "format": "pgn"}, 400, "game"),
        ({"game": "go", "record": {"moves": [{"move": "E5", "nags": [9]}]}, "format": "sgf"}, 400, "record"),
    ],
)
def test_a_record_that_cannot_be_written_is_refused(client, request_body, status, field):
    response = client.post("/api/export", json=request_body)
    assert (response.status_code, response.json()["field"]) == (status, field)


def test_a_game_is_exported_as_a_page(client):
    [game] = client.post("/api/import", json={"game": "tictactoe", "text": "b2 a1 c3"}).json()["games"]
    answer = client.post("/api/export", json={"game": "tictactoe", "record": game["record"], "format": "html"}).json()
    assert answer["name"] == "tictactoe.html"
    assert answer["text"].startswith("<!DOCTYPE html>")
    assert '"text":"c3"' in answer["text"]
    assert not answer["is_complete"]
