"""`POST /api/review`, and the page: a PGN reviewed, its mistakes found by keyboard and mouse, practised and saved."""

import json
from pathlib import Path

import msgspec
import pytest
from browsers import chromium, watched_pages
from web_pages import running_server

import zermelo
from zermelo.formats import wthor
from zermelo.formats.record import record_from_moves, record_from_texts
from zermelo.formats.text_formats import as_data
from zermelo.review.reviewer import Settings
from zermelo.web.errors import RequestError
from zermelo.web.review import KeptReviews, reviewed

MATE = """[White "Ann <b>x</b>"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0
"""


def data_of(game, moves):
    state = start = zermelo.load(game).start()
    played = []
    for name in moves.split():
        played.append(state.parse_move(name))
        state = state.play(played[-1])
    return as_data(record_from_moves(start, played))


# ---- the events ---------------------------------------------------------------------------------------------------


def test_the_events_tell_the_game_its_moves_and_the_annotated_record():
    record = data_of("tictactoe", "b2 b1 a1 c3 a3 c1 a2")
    events = list(reviewed("tictactoe", record, Settings(exact=True)))
    kept = [data for name, data in events if name == "kept"]
    events = [(name, data) for name, data in events if name != "kept"]
    again = list(reviewed("tictactoe", record, Settings(exact=True), kept[:3]))
    assert [(name, data) for name, data in again if name != "kept"] == events
    assert [data for name, data in again if name == "kept"] == kept[3:]
    assert [name for name, _ in events] == ["game", *["move"] * 7, "end"]
    game, end = events[0][1], events[-1][1]
    assert [step.label for step in game.steps][:3] == ["1. b2", "1... b1", "2. a1"]
    assert (game.players, game.end_share) == (("crosses", "noughts"), 1.0)
    moves = {data.ply: data for name, data in events if name == "move"}
    assert [data.ply for name, data in events if name == "move"] == [6, 5, 4, 3, 2, 1, 0]
    assert (moves[1].mark, moves[1].loss, moves[1].exact, moves[1].share_loss) == ("blunder", "1 utility", True, 0.5)
    assert (moves[1].best.share, moves[1].played.share, moves[1].best.proven) == (0.5, 1.0, True)
    assert (end.min.blunders, end.max.blunders, end.max.accuracy) == (1, 0, pytest.approx(100, abs=0.01))
    assert end.record["moves"][1]["nags"] == [4]


def test_selective_scores_say_so():
    events = list(reviewed("tictactoe", data_of("tictactoe", "b2 b1 a1"), Settings(depth=2, selective=True)))
    moves = [data for name, data in events if name == "move"]
    assert {(move.best.proven, move.best.selective) for move in moves} == {(False, True)}


def test_a_confidence_without_search_errors_is_refused():
    with pytest.raises(RequestError, match="mobility does not define search_error") as refused:
        next(reviewed("othello", data_of("othello", "f5 d6"), Settings(confidence=95, evaluation="mobility")))
    assert refused.value.field == "confidence"


def test_actions_outside_the_rules_are_steps_without_a_review():
    text = " 0 point match\n\n Game 1\n A : 0    B : 0\n 1) 61: 13/7 8/7  Doubles => 2\n 2) Drops\n"
    from zermelo.formats.detection import read_text

    [record] = read_text(zermelo.load("backgammon"), text, "", "match").records
    events = reviewed("backgammon", as_data(record), Settings(depth=1))
    steps = next(events)[1].steps
    assert [(step.text, step.is_move) for step in steps][-2:] == [("double", False), ("drop", False)]


@pytest.mark.parametrize(
    ("body", "field", "error"),
    [
        ({"game": "kuhn", "record": {}}, "game", "hidden information"),
        ({"game": "nosuch", "record": {}}, "game", "unknown game 'nosuch'"),
        ({"game": "chess", "record": {}, "nodes": 0}, "nodes", "nodes"),
        ({"game": "chess", "record": {}, "nodes": 10**9}, "nodes", "nodes"),
        ({"game": "chess", "record": {}, "evaluation": "<b>"}, "evaluation", "unknown evaluation '<b>'"),
        ({"game": "chess", "record": {}, "confidence": 50}, "confidence", "must be one of 73, 87, 95, 98, 99 or 100"),
        ({"game": "chess"}, "record", "record is missing"),
        ({"game": "chess", "record": {}, "speed": 1}, "speed", "speed is unknown"),
    ],
)
def test_bad_requests_name_the_field(client, body, field, error):
    answer = client.post("/api/review", json=body)
    assert answer.status_code == 400
    assert answer.json()["field"] == field
    assert error in answer.json()["error"]


@pytest.mark.long
def test_the_stream_is_that_of_the_command(client):
    record = client.post("/api/import", json={"game": "chess", "text": MATE}).json()["games"][0]["record"]
    answer = client.post("/api/review", json={"game": "chess", "record": record, "nodes": 5_000})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n") for block in answer.text.strip().split("\n\n") if block.startswith("event: ")]
    moves = [json.loads(data[6:]) for name, data in events if name == "event: move"]
    expected = [data for name, data in reviewed("chess", record, Settings(nodes=5_000)) if name == "move"]
    assert [(each["ply"], each["share_loss"], each["mark"]) for each in moves] == [
        (each.ply, each.share_loss, each.mark) for each in expected
    ]


@pytest.mark.long
def test_a_review_that_was_stopped_continues(client):
    """The second request gets the moves of the first one without a search."""
    body = {"game": "tictactoe", "record": data_of("tictactoe", "b2 b1 a1 c3 a3 c1 a2"), "nodes": 7_777}
    first, second = (client.post("/api/review", json=body).text for _ in range(2))
    assert [line for line in first.split("\n") if '"waiting' not in line and "note" not in line] == second.split("\n")
    kept = client.app.state.services.get(KeptReviews)
    assert [len(moves) for moves in kept._kept.values()] == [7]


@pytest.mark.long
@pytest.mark.parametrize("record", [{}, {"moves": ["e9"]}, {"moves": 3}, {"start": "nonsense"}])
def test_bad_records_are_refused(client, record):
    answer = client.post("/api/review", json={"game": "chess", "record": record})
    assert answer.status_code == 400
    assert answer.json()["field"] == "record"


# ---- the page -----------------------------------------------------------------------------------------------------


def test_a_review_is_saved_as_a_page(client):
    record = data_of("tictactoe", "b2 b1 a1 c3 a3 c1 a2")
    moves = [
        msgspec.to_builtins(data)
        for name, data in reviewed("tictactoe", record, Settings(exact=True))
        if name == "move"
    ]
    saved = client.post("/api/review/page", json={"game": "tictactoe", "record": record, "moves": moves}).json()
    assert saved["name"] == "tictactoe-review.html"
    assert '"mark":"blunder"' in saved["text"]
    for change, error in [
        ({"ply": 7}, "moves[0].ply must be from 0 to 6 (got 7)"),
        ({"mark": "blunder", "best": {**moves[0]["best"], "moves": ["z9"]}}, "'z9'"),
    ]:
        body = {"game": "tictactoe", "record": record, "moves": [{**moves[0], **change}]}
        refused = client.post("/api/review/page", json=body)
        assert (refused.status_code, refused.json()["field"]) == (400, "moves")
        assert error in refused.json()["error"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    with (
        chromium() as browser,
        running_server(tmp_path_factory.mktemp("data"), "chess", "tictactoe") as server,
        watched_pages(browser, server.url, refuses=True) as open_page,
    ):
        yield open_page


def start(pages, text=MATE, query="?game=chess", **context):
    page = pages(f"/review{query}", **context)
    page.set_default_timeout(240_000)
    page.wait_for_selector("#start:not([disabled])")
    page.fill("#text", text)
    page.select_option("#strength", "20000")
    page.click("#start")
    return page


@pytest.fixture(scope="module")
def finished(pages):
    page = start(pages)
    page.wait_for_selector("#working[hidden]", state="attached")
    return page


@pytest.mark.long
def test_a_pgn_is_reviewed_on_the_page(finished):
    page = finished
    assert page.locator("#sides th").all_inner_texts() == ["Ann <b>x</b> (white)", "Bob (black)"]
    assert page.locator("#sides tr").nth(1).locator("td").all_inner_texts()[1:] == ["0", "0", "1"]
    assert page.locator(".move:has(.mark-blunder)").inner_text() == "Nf6??"
    page.click("#to-start")
    page.click("#previous-mistake")
    assert page.inner_text("#move-title") == "3... Nf6??"
    assert "Blunder: loses" in page.inner_text("#move-remark")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#move-title").startswith("3. Qh5")
    page.get_by_role("slider", name="Curve of the game").focus()
    page.keyboard.press("End")
    assert page.inner_text("#move-title") == "4. Qxf7#"
    page.wait_for_selector("#state:has-text('checkmate')")


@pytest.mark.long
def test_the_best_line_is_shown_on_the_board(finished):
    page = finished
    page.click(".move:has(.mark-blunder)")
    page.wait_for_selector("zermelo-board .layer-arrows > *", state="attached")
    line = page.locator("#move-lines dd").first.locator("button")
    line.nth(1).click()
    page.wait_for_selector("#move-lines button[aria-current]")
    page.wait_for_selector("#state:text-is('Black to move')")
    page.click("#back-to-game")
    page.wait_for_selector("#state:text-is('White to move')")


@pytest.mark.long
def test_the_annotated_game_is_saved(finished):
    with finished.expect_download() as saved:
        finished.click("#save")
    text = " ".join(Path(saved.value.path()).read_text(encoding="utf-8").split())
    assert "3... Nf6 $4 {[%eval #1] Blunder: loses" in text
    assert saved.value.suggested_filename == "chess.pgn"
    finished.select_option("#format", "html")
    with finished.expect_download() as saved:
        finished.click("#save")
    assert saved.value.suggested_filename == "chess-review.html"
    assert '"mark":"blunder"' in Path(saved.value.path()).read_text(encoding="utf-8")


@pytest.mark.long
def test_values_at_a_confidence_say_so(pages):
    page = pages("/review?game=othello")
    page.set_default_timeout(240_000)
    page.wait_for_selector("#start:not([disabled])")
    page.fill("#text", "f5 d6 c3")
    page.select_option("#strength", "20000")
    page.select_option("#confidence", "95")
    page.click("#start")
    page.wait_for_selector("#working[hidden]", state="attached")
    page.click("#to-end")
    assert set(page.locator("#move-lines .tag").all_inner_texts()) == {"selective, 95 %"}
    page.click("#another")
    page.select_option("#game", "chess")
    assert page.eval_on_selector_all("#confidence option:not([hidden])", "all => all.map(each => each.value)") == [
        "",
        "selective",
    ]
    page.select_option("#game", "backgammon")
    assert not page.is_visible("#confidence-label")


@pytest.mark.long
def test_games_of_a_binary_file_are_offered(pages, tmp_path):
    records = [record_from_texts(zermelo.load("othello").start(), ["f5", text]) for text in ("d6", "f6")]
    for record in records:
        record.tags |= {"BlackDiscs": "33"}
    (tmp_path / "games.wtb").write_bytes(wthor.write(records, wthor.Date(2024, 5, 1)).games)
    page = pages("/review?game=chess")
    page.wait_for_selector("#start:not([disabled])")
    page.set_input_files("#file", tmp_path / "games.wtb")
    page.wait_for_selector("#which-label:not([hidden])")
    assert page.input_value("#game") == "othello"
    assert page.locator("#which option").count() == 2
    page.select_option("#strength", "20000")
    page.click("#start")
    page.wait_for_selector("#working[hidden]", state="attached", timeout=240_000)


@pytest.mark.long
def test_the_mistakes_are_practised(pages):
    page = start(pages, "b2 b1 a1 c3 a3 c1 a2\n", "?game=tictactoe")
    page.wait_for_selector("#working[hidden]", state="attached")
    page.click("text=Practise the mistakes (1)")
    page.wait_for_selector("#task:has-text('noughts played b1')")
    cells = page.locator("zermelo-board .cell")
    cells.nth(7).click()  # b1, the move of the game
    page.wait_for_selector("#answer:has-text('b1 was played')")
    cells.nth(6).click()  # a1
    page.wait_for_selector("#answer:has-text('Right')")
    page.click("text=Finish")
    page.wait_for_selector("#answer:has-text('1 of 1 found.')")


@pytest.mark.long
def test_nothing_goes_to_a_mistake_before_one_is_marked(pages):
    page = pages("/review?game=tictactoe")
    held = []
    page.route("**/api/review", lambda route: held.append(route))
    page.wait_for_selector("#start:not([disabled])")
    page.fill("#text", "b2 b1 a1 c3 a3 c1 a2\n")
    page.click("#start")
    while not held:
        page.wait_for_timeout(20)
    assert page.is_disabled("#next-mistake")
    assert page.is_disabled("#practise")
    held[0].continue_()
    page.click("#next-mistake")
    assert page.locator("#move-lines dd").count() == 2


@pytest.mark.long
def test_a_reload_shows_the_review_again(finished):
    finished.reload()
    finished.wait_for_selector("#working[hidden]", state="attached")
    assert finished.locator(".move:has(.mark-blunder)").inner_text() == "Nf6??"


@pytest.mark.long
def test_a_link_of_another_page_opens_and_reviews_its_game(pages):
    page = pages("/review?game=tictactoe&moves=b2+b1+a1+c3+a3+c1+a2")
    page.set_default_timeout(240_000)
    page.wait_for_selector("#working[hidden]", state="attached")
    assert page.locator(".move:has(.mark-blunder)").inner_text() == "b1??"
    page.click("#another")
    assert page.input_value("#game") == "tictactoe"
    assert page.is_visible("#text")


@pytest.mark.long
def test_a_review_is_stopped_and_continued(pages):
    page = pages("/review?game=chess")
    page.set_default_timeout(240_000)
    page.wait_for_selector("#start:not([disabled])")
    page.fill("#text", MATE)
    page.select_option("#strength", "2000000")
    page.click("#start")
    page.wait_for_selector("#progress-text:has-text('of 7 moves reviewed')")
    page.click("#stop")
    assert page.inner_text("#progress-text").endswith(" of 7 moves reviewed; stopped")
    page.click("#continue")
    page.wait_for_selector("#progress-text:text-matches('^[1-7] of 7 moves reviewed$')")
    page.wait_for_selector("#stop:not([hidden])")
    page.click("#stop")


@pytest.mark.long
def test_wrong_text_is_refused_and_several_games_are_offered(pages):
    page = start(pages, "1. e4 e9 *")
    page.wait_for_selector("#problem:has-text('e9')")
    assert page.get_attribute("#text", "aria-invalid") == "true"
    page.fill("#text", MATE + "\n" + MATE)
    page.click("#start")
    page.wait_for_selector("#which-label:not([hidden])")
    page.select_option("#which", "1")
    page.click("#start")
    page.wait_for_selector(".move:has(.mark-blunder)")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
