"""Games that people play through the API: moves, versions, results, clocks, files, and what is saved."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pile
import pytest
from web_client import web_client

from zermelo.errors import FileError

PERSON = {"kind": "person"}
ENGINE = {"kind": "engine", "level": 1}
TWO = {"max": PERSON, "min": PERSON}


def new_game(client: Any, game: str = "tictactoe", **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json={"game": game, **TWO, **fields})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def act(client: Any, state: dict[str, Any], change: str, **fields: Any) -> Any:
    return client.post(f"/api/games/{state['id']}/{change}", json={"version": state["version"], **fields})


def move(client: Any, state: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        answer = act(client, state, "move", move=name)
        assert answer.status_code == 200, answer.text
        state = answer.json()
    return state


def look(client: Any, state: dict[str, Any], view: str = "") -> Any:
    return client.get(f"/api/games/{state['id']}", params={"view": view})


def error_of(answer: Any, status: int, field: str = "") -> str:
    assert answer.status_code == status, answer.text
    assert answer.json().get("field", "") == field, answer.text
    return str(answer.json()["error"])


def test_a_game_to_its_end(client: Any) -> None:
    state = new_game(client)
    assert [player["name"] for player in state["players"]] == ["Crosses", "Noughts"]
    assert state["turn"] == "max"
    assert state["can"]["move"]
    state = move(client, state, "b2", "a1", "a2", "a3", "c2")
    assert state["outcome"] == {"utility": 1, "text": "Crosses have won", "reason": "rules"}
    assert state["turn"] is None
    assert not any(state["can"][name] for name in ("move", "undo", "hint", "resign", "claim", "offer"))
    assert [played["text"] for played in state["played"]] == ["b2", "a1", "a2", "a3", "c2"]
    assert "the game is over: Crosses have won" in error_of(act(client, state, "move", move="b1"), 409)


def test_an_illegal_move_changes_nothing(client: Any) -> None:
    state = new_game(client)
    assert "'z9' is not a legal move here" in error_of(act(client, state, "move", move="z9"), 400, "move")
    assert look(client, state).json()["version"] == state["version"]


def test_ids_cannot_be_guessed_and_are_checked(client: Any) -> None:
    ids = {new_game(client)["id"] for _ in range(5)}
    assert len(ids) == 5
    assert all(len(each) == 22 for each in ids)
    error_of(client.get("/api/games/" + "A" * 22), 404, "id")
    error_of(client.get("/api/games/short"), 400, "id")


def test_of_two_moves_at_once_one_is_refused(client: Any) -> None:
    state = new_game(client)
    answers: list[Any] = []
    tabs = [threading.Thread(target=lambda name=name: answers.append(act(client, state, "move", move=name)))
            for name in ("a1", "c3")]  # fmt: skip
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "the game has changed meanwhile" in error_of(refused, 409, "version")
    assert len(look(client, state).json()["played"]) == 1


def test_take_back_and_other_results(client: Any) -> None:
    state = move(client, new_game(client), "b2", "a1")
    state = act(client, state, "undo").json()
    assert [each["text"] for each in state["played"]] == ["b2"]
    state = act(client, state, "undo").json()
    assert "no move to take back" in error_of(act(client, state, "undo"), 409)
    state = act(client, move(client, state, "b2"), "resign").json()
    assert state["outcome"] == {"utility": 1, "text": "Noughts resign: crosses have won", "reason": "resignation"}


def test_a_draw_is_claimed_where_the_rules_allow_it(client: Any) -> None:
    state = new_game(client, "chess")
    error_of(act(client, state, "claim"), 409)
    state = move(client, state, *("Nf3", "Nf6", "Ng1", "Ng8") * 2)
    assert state["claim"] == "the position occurred 3 times"
    state = act(client, state, "claim").json()
    assert state["outcome"]["text"] == "A draw: the position occurred 3 times"
    assert state["outcome"]["utility"] == 0


def test_a_draw_is_offered_declined_and_accepted(client: Any) -> None:
    error_of(act(client, new_game(client), "offer"), 409)  # no draws by agreement in tic-tac-toe
    state = move(client, new_game(client, "checkers"), "11-15")
    error_of(act(client, state, "offer", action="accept"), 409)
    state = act(client, state, "offer").json()
    assert state["offer"] == "min"
    assert act(client, state, "offer", action="decline").json()["offer"] is None
    state = act(client, look(client, state).json(), "offer").json()
    assert act(client, state, "offer", action="accept").json()["outcome"]["text"] == "A draw by agreement"


@pytest.mark.parametrize("accepts", [False, True])
def test_the_engine_answers_an_offer(client: Any, monkeypatch: pytest.MonkeyPatch, accepts: bool) -> None:
    from zermelo.core.game import MIN
    from zermelo.web import game_search
    from zermelo.web.live_games import PlayedGames

    async def search(games: Any, live: Any, function: Any, *arguments: Any) -> bool:
        assert function is game_search.accepts_draw
        assert arguments == (live.text, MIN)
        return accepts

    monkeypatch.setattr(PlayedGames, "search", search)
    answer = act(client, new_game(client, "chess", min=ENGINE), "offer")
    if accepts:
        assert answer.json()["outcome"]["text"] == "A draw by agreement"
    else:
        assert "the engine declines the draw" in error_of(answer, 409)


def test_a_search_that_fails_is_told_and_tried_again(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web.errors import busy
    from zermelo.web.game_search import Reply
    from zermelo.web.live_games import PlayedGames

    answers: list[Any] = [busy("all are busy"), Reply(move="a1", score="level")]

    async def search(games: Any, live: Any, function: Any, *arguments: Any) -> Any:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(PlayedGames, "search", search)
    state = new_game(client, min=ENGINE)
    with watching(client, state) as socket:
        socket.receive_json()
        move(client, state, "b2")
        problems = [socket.receive_json()["problem"] for _ in range(3)]
        assert problems[-1] == "all are busy"
        look(client, state)
        while (seen := socket.receive_json())["turn"] != "max":
            pass
    assert seen["problem"] == ""
    assert [each["text"] for each in seen["played"]] == ["b2", "a1"]
    assert seen["score"] == "level"


def test_taking_back_interrupts_the_engine(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from zermelo.web.live_games import PlayedGames

    stopped: list[str] = []

    async def search(games: Any, live: Any, function: Any, *arguments: Any) -> Any:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            stopped.append(live.record.id)
            raise

    monkeypatch.setattr(PlayedGames, "search", search)
    state = move(client, new_game(client, min=ENGINE), "b2")
    state = _waited(client, state, lambda each: each["thinking"])
    state = act(client, state, "undo").json()
    assert state["played"] == []
    assert stopped == [state["id"]]
    assert not state["thinking"]
    assert move(client, state, "a1")["played"] == [{"text": "a1", "side": "max"}]


def test_a_game_between_engines_is_paused_and_made_move_by_move(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web.game_search import Reply
    from zermelo.web.live_games import PlayedGames

    searches: list[int] = []

    async def search(games: Any, live: Any, function: Any, text: Any, *arguments: Any) -> Any:
        searches.append(len(text.moves))
        return Reply(move=["a1", "b1", "c1", "a2", "b2", "c2", "b3", "a3", "c3"][len(text.moves)])

    monkeypatch.setattr(PlayedGames, "search", search)
    monkeypatch.setattr("zermelo.web.live_games.PACE", 0.0)
    path = f"/api/games/{new_game(client, max=ENGINE, min=ENGINE, clock={'base': 60})['id']}"

    def pace(action: str) -> dict[str, Any]:
        answer = client.post(f"{path}/pause", json={"action": action})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def after(socket: Any, plies: int) -> dict[str, Any]:
        while len((state := socket.receive_json())["played"]) < plies or state["thinking"]:
            pass
        return dict(state)

    state = pace("pause")
    assert state["paused"]
    assert state["can"]["pause"]
    with watching(client, state) as socket:
        assert socket.receive_json()["played"] == []
        for plies in (1, 2, 3):
            pace("step")
            state = after(socket, plies)
            assert (len(state["played"]), state["paused"], state["clock"]["running"]) == (plies, True, None)
        assert searches == [0, 1, 2]
        pace("resume")
        assert after(socket, 9)["outcome"]["text"] == "Crosses have won"
    refused = client.post(f"{path}/pause", json={})
    assert "only a game between engines" in error_of(refused, 409)
    assert error_of(client.post(f"/api/games/{new_game(client)['id']}/pause", json={}), 409)


def test_a_pause_stops_a_search_and_drops_a_move_that_waits(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web.game_search import Reply
    from zermelo.web.live_games import PlayedGames

    async def search(games: Any, live: Any, function: Any, *arguments: Any) -> Any:
        return Reply(move="b2")

    monkeypatch.setattr(PlayedGames, "search", search)
    monkeypatch.setattr("zermelo.web.live_games.PACE", 0.3)
    state = new_game(client, max=ENGINE, min=ENGINE)
    with watching(client, state) as socket:
        while not socket.receive_json()["thinking"]:
            pass
        paused = client.post(f"/api/games/{state['id']}/pause", json={}).json()
    time.sleep(0.5)  # longer than the move would have waited
    later = client.get(f"/api/games/{state['id']}").json()
    assert (paused["played"], later["played"], later["paused"]) == ([], [], True)


def test_a_paused_game_does_not_say_that_its_engine_thinks(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web.live_games import PlayedGames

    async def search(games: Any, live: Any, function: Any, *arguments: Any) -> Any:
        try:
            await asyncio.sleep(600)
        finally:
            await asyncio.sleep(0.2)  # the search stops after the pause has been answered

    monkeypatch.setattr(PlayedGames, "search", search)
    state = new_game(client, max=ENGINE, min=ENGINE)
    seen: list[Any] = []

    def follow() -> None:
        while not (seen and seen[-1]["paused"] and not seen[-1]["thinking"]):
            seen.append(socket.receive_json())

    with watching(client, state) as socket:
        while not socket.receive_json()["thinking"]:
            pass
        assert not client.post(f"/api/games/{state['id']}/pause", json={}).json()["thinking"]
        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        follower.join(60)
        assert not follower.is_alive()


def test_a_move_declines_the_offer_of_the_other_side(client: Any) -> None:
    state = act(client, new_game(client, "checkers"), "offer").json()
    state = move(client, state, "11-15")
    assert state["offer"] == "max"
    assert move(client, state, "23-18")["offer"] is None


def test_a_position_is_set_up_by_text(client: Any) -> None:
    state = new_game(client, "chess", position="7k/P7/8/8/8/8/8/7K w - - 0 1", moves=["a8=Q+"])
    assert state["position"]["last"]["text"] == "a8=Q+"
    wrong = client.post("/api/games", json={"game": "chess", "position": "8/8/8/8 w - - 0 1"})
    assert "rank" in error_of(wrong, 400, "position")
    wrong = client.post("/api/games", json={"game": "chess", "moves": ["e4", "e4"]})
    assert "'e4' is not a legal move" in error_of(wrong, 400, "moves")
    over = client.post("/api/games", json={"game": "tictactoe", "position": "XXXOO----"})
    assert "the game is over in this position" in error_of(over, 400, "position")
    error_of(client.post("/api/games", json={"game": "no such game"}), 400, "game")
    error_of(
        client.post("/api/games", json={"game": "tictactoe", "max": {"kind": "engine", "level": 11}}), 400, "max.level"
    )


def test_levels_are_those_of_the_game(client: Any) -> None:
    games = {each["name"]: each["levels"] for each in client.get("/api/catalogue").json()["games"]}
    assert (games["othello"], games["othello6"], games["tictactoe"]) == (60, 10, 10)
    wrong = client.post("/api/games", json={"game": "othello", "min": {"kind": "engine", "level": 61}})
    assert error_of(wrong, 400, "min.level") == "level must be between 1 and 60 in Othello (got 61)"
    state = new_game(client, "othello", max={"kind": "person"}, min={"kind": "engine", "level": 35})
    assert (state["levels"], state["players"][1]["level"]) == (60, 35)
    url = f"/api/games/{state['id']}/level"
    wrong = client.post(url, json={"version": state["version"], "level": 61})
    assert error_of(wrong, 400, "level") == "level must be between 1 and 60 in Othello (got 61)"
    state = client.post(url, json={"version": state["version"], "level": 60}).json()
    assert state["players"][1]["level"] == 60


def test_the_server_rolls_the_dice_and_taking_back_does_not_roll_again(client: Any) -> None:
    state = new_game(client, "backgammon", seed=7)
    state = _waited(client, state, lambda each: each["turn"] in ("max", "min"))
    rolled = [each for each in state["played"] if each["side"] == "chance"]
    assert rolled
    assert state["seed"] is None  # not before the end
    side, first = state["turn"], state["position"]["moves"][0]["text"]
    state = move(client, state, first)
    state = _waited(client, state, lambda each: each["turn"] == {"max": "min", "min": "max"}[side])
    dice = state["played"][-1]
    state = act(client, state, "undo").json()
    assert state["turn"] == side
    state = move(client, state, first)
    assert _waited(client, state, lambda each: each["turn"] != "chance")["played"][-1] == dice
    again = _waited(client, new_game(client, "backgammon", seed=7), lambda each: each["turn"] in ("max", "min"))
    assert again["played"][: len(rolled)] == rolled


def _waited(client: Any, state: dict[str, Any], is_there: Any, view: str = "") -> dict[str, Any]:
    for _ in range(2000):
        state = look(client, state, view).json()
        if is_there(state):
            return state
        time.sleep(0.01)
    raise AssertionError(state)


def test_games_are_saved_move_by_move(tmp_path: Path) -> None:
    """A second server on the same folder finds the game, and the first one then does not overwrite its move."""
    from zermelo.web.settings import Settings

    settings = Settings(data_dir=tmp_path)
    with web_client(settings) as first:
        state = move(first, new_game(first), "b2")
        with web_client(settings) as second:
            assert look(second, state).json()["played"] == state["played"]
            after = move(second, state, "a1")
        assert "has changed meanwhile" in error_of(act(first, state, "move", move="c3"), 409, "version")
        assert look(first, state).json()["played"] == after["played"]


@pytest.mark.parametrize("selective", [False, True])
def test_scores_of_selective_searches_are_called_so(selective: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo import Engine
    from zermelo.core.game import MAX, MIN
    from zermelo.web import game_rules, game_search

    text = game_rules.GameText("tictactoe", "tictactoe", "", (), (MAX, MIN))
    with Engine("1M", selective=selective) as engine:

        def analysed(state: Any, before: Any, limits: Any, **options: Any) -> Any:
            return engine.analyse(state, depth=2, history=before, **options)

        monkeypatch.setattr(game_search, "_analysed", analysed)
        reason = game_search.why(text, "b2")
        scores = [game_search.hint(text, 0).score, *(line.score for line in reason.lines)]
        scores.append(game_search.reply(text, 10, 0, 1.0).score)
    assert [each.endswith(", selective") for each in scores] == [selective] * 4


def test_the_list_of_games(client: Any) -> None:
    old, new = new_game(client), new_game(client, "chess")
    move(client, old, "b2")
    listed = client.get("/api/games").json()
    assert [(game["id"], game["plies"]) for game in listed["games"]] == [(old["id"], 1), (new["id"], 0)]
    assert listed["total"] == 2
    assert client.post(f"/api/games/{old['id']}/delete", json={}).status_code == 204
    error_of(look(client, old), 404, "id")
    error_of(client.post(f"/api/games/{old['id']}/delete", json={}), 404, "id")
    assert client.get("/api/games").json()["total"] == 1


def test_a_record_that_cannot_be_read_costs_itself_alone(client: Any, web_settings: Any) -> None:
    from zermelo.web.game_store import FILE

    bad, good = new_game(client), new_game(client)
    with sqlite3.connect(web_settings.data_dir / FILE) as connection:
        connection.execute("UPDATE games SET record = '{' WHERE id = ?", (bad["id"],))
    connection.close()
    assert [game["id"] for game in client.get("/api/games").json()["games"]] == [good["id"]]
    with web_client(web_settings) as other:
        assert "cannot be read" in error_of(look(other, bad), 422, "id")


def test_the_number_of_games_is_bounded(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web import game_store

    monkeypatch.setattr(game_store, "MAX_GAMES", 2)
    new_game(client), new_game(client)
    assert "2 games are saved" in error_of(client.post("/api/games", json={"game": "tictactoe", **TWO}), 409)


def test_a_game_has_an_end(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web import game_rules

    monkeypatch.setattr(game_rules, "MAX_PLIES", 3)
    state = move(client, new_game(client, "chess"), "e4", "e5", "d4")
    assert state["outcome"]["reason"] == "length"


def test_files_in_the_formats_of_the_game(client: Any) -> None:
    state = move(client, new_game(client, "chess"), "f3", "e5", "g4", "Qh4#")
    assert state["formats"][0]["name"] == "pgn"
    saved = client.get(f"/api/games/{state['id']}/export", params={"format": "pgn"}).json()
    assert saved["name"] == "chess.pgn"
    assert '[White "White"]' in saved["text"]
    assert "1. f3 e5 2. g4 Qh4# 0-1" in saved["text"]
    error_of(client.get(f"/api/games/{state['id']}/export", params={"format": "doc"}), 400)


@pytest.mark.long
def test_a_users_own_file(tmp_path: Path) -> None:
    from zermelo.web.settings import Settings

    file = tmp_path / "pile.py"
    file.write_text(Path(pile.__file__).read_text())
    settings = Settings(data_dir=tmp_path, games={"pile": f"{file}:Pile"})
    with web_client(settings) as client:
        state = move(client, new_game(client, "pile"), "2")
        assert state["position"]["picture"]["kind"] == "text"
    with web_client(Settings(data_dir=tmp_path)) as client:  # the file is not on its command line
        assert "unknown game 'pile'" in error_of(look(client, state), 400, "game")
        assert not client.get("/api/games").json()["games"][0]["available"]
    file.write_text(Path(pile.__file__).read_text().replace("range(1, 4)", "range(1, 2)"))
    with web_client(settings) as client:
        assert "the rules have changed since the game was saved" in error_of(look(client, state), 422)


# ---- WebSockets -----------------------------------------------------------------------------------------------


@contextmanager
def watching(client: Any, state: dict[str, Any], view: str = "") -> Iterator[Any]:
    with client.websocket_connect(f"/api/games/{state['id']}/live?view={view}") as socket:
        yield socket


def test_all_who_look_stay_in_step(client: Any) -> None:
    state = new_game(client)
    with watching(client, state) as first, watching(client, state) as second:
        assert first.receive_json()["version"] == second.receive_json()["version"] == state["version"]
        state = move(client, state, "b2")
        assert first.receive_json() == second.receive_json() == state
        assert client.post(f"/api/games/{state['id']}/delete", json={}).status_code == 204
        assert "deleted" in first.receive_json()["error"]


def test_a_game_that_does_not_exist_is_refused(client: Any) -> None:
    with client.websocket_connect(f"/api/games/{'A' * 22}/live") as socket:
        assert "no game with this id" in socket.receive_json()["error"]


def test_the_clock_runs_from_the_second_move_on_while_somebody_looks(client: Any) -> None:
    state = new_game(client, clock={"base": 600, "increment": 60})
    assert state["clock"] == {"base": 600.0, "increment": 60.0, "left": [600.0, 600.0], "running": None}
    state = move(client, state, "b2", "a1")
    assert state["clock"]["running"] is None  # nobody looks
    with watching(client, state) as socket:
        assert socket.receive_json()["clock"]["running"] == "max"
        time.sleep(0.05)
        state = move(client, look(client, state).json(), "c3")
        assert 600 < state["clock"]["left"][0] < 660  # what was left, and the increment
        assert state["clock"]["running"] == "min"
    left = _waited(client, state, lambda each: each["clock"]["running"] is None)["clock"]["left"]
    assert look(client, state).json()["clock"]["left"] == left


def test_the_flag_falls(client: Any) -> None:
    state = move(client, new_game(client, clock={"base": 1}), "b2", "a1")
    with watching(client, state) as socket:
        socket.receive_json()
        outcome = socket.receive_json()["outcome"]
    assert outcome == {"utility": -1, "text": "Crosses have no time left: noughts have won", "reason": "time"}


def test_who_has_no_time_left_draws_if_the_other_side_cannot_win(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zermelo.web.live_games.LiveGame._timed_side", lambda self: "max" if self.watchers else None)
    for position, utility, text in (
        ("8/8/8/4k3/8/8/8/R3K3 w - - 0 1", 0, "White has no time left: a draw, because black cannot win"),
        ("8/4p3/8/4k3/8/8/8/R3K3 w - - 0 1", -1, "White has no time left: black has won"),
    ):
        with watching(client, new_game(client, "chess", position=position, clock={"base": 1})) as socket:
            socket.receive_json()
            assert socket.receive_json()["outcome"] == {"utility": utility, "text": text, "reason": "time"}


# ---- hidden information ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_person_gets_the_view_of_its_own_side_only(client: Any) -> None:
    """In Kuhn poker against the engine: the engine's card is in no byte that the server sends before the end."""
    sent: list[str] = []
    for seed in range(8):
        state = new_game(client, "kuhn", min=ENGINE, seed=seed)
        with watching(client, state) as socket:
            _collect(client, socket, state, sent)
        final = look(client, state).json()
        assert final["view"] == "all"
        deal = final["played"][0]["text"]
        for text in sent:
            shown = json.loads(text)
            assert shown["view"] == "max"
            assert shown["played"] == []
            assert shown["seed"] is None
            board = "\n".join(shown["position"]["picture"]["lines"])
            assert f"first   {deal[0]}" in board
            assert "second  ?" in board
            assert deal not in text.replace(state["id"], "")
        assert sent
        sent.clear()


def _collect(client: Any, socket: Any, state: dict[str, Any], sent: list[str]) -> None:
    """Play first legal moves to the end; collect all that is sent before it."""
    for _ in range(200):
        text = socket.receive_text()
        shown = json.loads(text)
        if shown["outcome"] is not None:
            return
        if shown["position"] is None or shown["turn"] == "chance" or not shown["can"]["move"]:
            if shown["turn"] != "chance":
                sent.append(text)
            continue
        sent.append(text)
        answer = act(client, shown, "move", move=shown["position"]["moves"][0]["text"])
        assert answer.status_code == 200, answer.text
        if answer.json()["outcome"] is None:
            sent.append(answer.text)


def test_the_engines_view_is_refused(client: Any) -> None:
    state = new_game(client, "kuhn", min=ENGINE, seed=1)
    assert "hidden until the game is over" in error_of(look(client, state, "min"), 403, "view")
    with client.websocket_connect(f"/api/games/{state['id']}/live?view=min") as socket:
        assert "hidden until" in socket.receive_json()["error"]
    error_of(client.get(f"/api/games/{state['id']}/export", params={"format": "json"}), 409)
    error_of(client.post(f"/api/games/{state['id']}/why", json={}), 409)
    error_of(act(client, _waited(client, state, lambda each: each["turn"] == "max"), "undo"), 409)


def test_a_low_level_makes_random_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo.web import game_search
    from zermelo.web.game_rules import GameText

    monkeypatch.setattr(game_search, "_hidden_choice", lambda game, source: game.allowed()[4])
    text = GameText("phantom-tictactoe", "phantom-tictactoe", "", (), ())
    moves = {level: [game_search.reply(text, level, seed, 1).move for seed in range(40)] for level in (1, 8)}
    [chosen] = set(moves[8])
    assert max(moves[1], key=moves[1].count) == chosen
    assert len(set(moves[1])) > 5


def test_two_people_change_behind_a_cover(client: Any) -> None:
    state = new_game(client, "kuhn", seed=1)
    state = _waited(client, state, lambda each: each["turn"] == "max")
    assert state["view"] == "cover"
    assert state["position"] is None
    error_of(act(client, state, "move", move="check"), 409, "view")
    own = look(client, state, "max").json()
    assert own["can"]["move"]
    after = act(client, own, "move", move="check", view="max").json()
    assert after["view"] == "max"
    assert not after["can"]["move"]
    error_of(act(client, after, "move", move="check", view="max"), 409, "view")
    assert look(client, state, "min").json()["can"]["move"]


@pytest.mark.parametrize("name", ["phantom-tictactoe", "kuhn", "leduc", "liarsdice"])
def test_a_view_depends_on_what_its_side_knows_alone(name: str) -> None:
    """The same message for all states that a player cannot tell apart, however many moves led there."""
    import msgspec

    from zermelo import load
    from zermelo.core.game import CHANCE, MAX, MIN
    from zermelo.core.player_view import consistent
    from zermelo.interactive.course import GameInProgress
    from zermelo.web import game_rules
    from zermelo.web.game_store import SavedGame
    from zermelo.web.live_games import LiveGame

    text = game_rules.GameText(name, name, "", (), (MAX, MIN))
    record = SavedGame(id="x", game=name, title=name, start="", hidden=True)

    def message(states: list[Any], moves: int, view: str) -> bytes:
        facts = game_rules._described(text, GameInProgress(states))
        played = msgspec.structs.replace(record, moves=("x",) * moves, version=moves)
        return msgspec.json.encode(LiveGame(None, played, name, facts, [], 10).state(view))  # type: ignore[arg-type]

    dice = random.Random(5)
    compared = 0
    for _ in range(4):
        states = [load(name).start()]
        while len(states) < 12:
            states.append(states[-1].play(dice.choice(states[-1].legal_moves())))
            if states[-1].is_over():
                break
            if states[-1].to_move() == CHANCE:
                continue
            for side, view in ((MAX, "max"), (MIN, "min")):
                other = consistent(states[-1], side, dice.getrandbits(30))
                assert message(states, len(states), view) == message([other], 1, view)
                compared += other != states[-1]
    assert compared


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_file_beside_the_saved_games_is_refused(tmp_path: Path) -> None:
    from zermelo.web.game_store import FILE, GameStore

    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    (tmp_path / f"{FILE}-wal").symlink_to(victim)
    with pytest.raises(FileError, match=f"{FILE}-wal: a link to another file"):
        GameStore(tmp_path)
    assert victim.read_text() == "years of work"
