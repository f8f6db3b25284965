"""<zermelo-board> and <zermelo-move-input> in a browser: moves by mouse, drag, touch, keyboard and notation."""

import dataclasses
import random

import pytest
from browsers import watched_pages
from web_pages import running_server

import zermelo
from zermelo.core.picture import BACKGROUNDS, KINDS, Grid, Piece, Points

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("data"), "tictactoe") as started:
        yield started


@pytest.fixture
def open_board(browser, server):
    """A page with a board; `window.got` are the texts of the moves made on it."""
    with watched_pages(browser, server.url) as open_page:

        def opened(picture, moves=(), last=None, path="/play", **context):
            page = open_page(path, **context)
            page.evaluate(SHOW, [as_json(picture), list(moves), last])
            page.wait_for_selector("zermelo-board svg .cell, zermelo-board pre:not([hidden])")
            return page

        yield opened


SHOW = """async ([picture, moves, last]) => {
  await import("/scripts/board.js");
  await import("/scripts/move_input.js");
  const main = document.querySelector("main");
  const board = document.createElement("zermelo-board");
  const field = document.createElement("zermelo-move-input");
  main.replaceChildren(board, field);
  window.got = [];
  for (const each of [board, field]) each.addEventListener("move", (event) => got.push(event.detail.text));
  board.addEventListener("square", (event) => got.push(event.detail.name));
  board.show({ picture, moves, last });
  field.moves = moves;
  window.board = board;
}"""


def as_json(picture):
    if isinstance(picture, str):
        return {"kind": "text", "lines": picture.split("\n")}
    return {"kind": "grid" if isinstance(picture, Grid) else "points", **dataclasses.asdict(picture)}


FILES, RANKS = tuple("abcdefgh"), tuple("87654321")
CHESS = zermelo.load("chess").start().picture()


def square(name):
    return FILES.index(name[0]) + 8 * RANKS.index(name[1])


def move(text, *squares):
    return {"move": text, "text": text, "path": [square(each) for each in squares]}


OPENING = [move("e3", "e2", "e3"), move("e4", "e2", "e4"), move("Nf3", "g1", "f3"), move("Nh3", "g1", "h3")]
PROMOTION = [move(f"d8={piece}", "d7", "d8") for piece in "QRBN"]
JUMPS = [move("a3xc5xe7", "a3", "c5", "e7"), move("a3xc5xa7", "a3", "c5", "a7"), move("a3-b4", "a3", "b4")]


def centre(page, number):
    box = page.locator("zermelo-board .cell").nth(number).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click(page, *names):
    for name in names:
        page.mouse.click(*centre(page, square(name)))


def got(page):
    return page.evaluate("got.splice(0)")


def test_moves_by_mouse(open_board):
    page = open_board(CHESS, OPENING)
    click(page, "e2")
    assert page.locator(".hint").count() == 2
    click(page, "e4")
    assert got(page) == ["e4"]
    click(page, "e2", "g1", "f3")  # another piece is selected at once
    assert got(page) == ["Nf3"]
    click(page, "e2", "e2", "e4")  # the second click takes the selection back
    click(page, "e2", "a5", "e4")
    assert got(page) == []


def test_moves_by_drag(open_board):
    page = open_board(CHESS, OPENING)
    page.mouse.move(*centre(page, square("e2")))
    page.mouse.down()
    page.mouse.move(*centre(page, square("e4")), steps=4)
    assert page.locator(".layer-drag .pawn.white").count() == 1
    page.mouse.up()
    assert got(page) == ["e4"]
    page.mouse.move(*centre(page, square("g1")))
    page.mouse.down()
    page.mouse.move(*centre(page, square("g5")), steps=4)
    page.mouse.up()  # not a legal square: nothing happens, and the piece stays selected
    assert got(page) == []
    assert page.locator(".lifted").count() == 0
    click(page, "h3")
    assert got(page) == ["Nh3"]


def test_moves_by_touch(open_board):
    page = open_board(CHESS, OPENING, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800})
    for name in ("e2", "e4"):
        page.touchscreen.tap(*centre(page, square(name)))
    assert got(page) == ["e4"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.body.style.setProperty('padding-bottom', '200vh')")
    touch = page.context.new_cdp_session(page)

    def send(kind, *points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    for start, end, moved in (("g1", "f3", ["Nf3"]), ("a3", "a7", [])):
        (x, y), (to_x, to_y) = centre(page, square(start)), centre(page, square(end))
        send("touchStart", (x, y))
        for share in (0.3, 0.6, 1):
            send("touchMove", (x + share * (to_x - x), y + share * (to_y - y)))
        send("touchEnd")
        assert got(page) == moved
        assert (page.evaluate("scrollY") > 0) == (not moved)  # the page scrolls where no piece is dragged


def test_moves_by_keyboard_alone(open_board):
    page = open_board(CHESS, OPENING)
    page.evaluate("board.focus()")
    for key in ["End", *["ArrowDown"] * 7, "ArrowLeft"]:
        page.keyboard.press(key)
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "g1, white knight, can move"
    page.keyboard.press("Enter")
    assert "g1 selected: f3, h3" in page.locator("zermelo-board [role=status]").text_content()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate(focused) == "h3, can move here"
    page.keyboard.press(" ")
    assert got(page) == ["Nh3"]
    page.keyboard.press("Escape")
    assert page.locator(".selected").count() == 0
    assert page.locator("zermelo-board [tabindex='0'].cell").count() == 1


def test_promotion_is_chosen(open_board):
    page = open_board(CHESS, PROMOTION)
    click(page, "d7", "d8")
    assert page.get_by_role("button", name="d8=R, rook").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    click(page, "d7", "d8")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert got(page) == ["d8=N"]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("file", "ah")
def test_the_choice_of_a_promotion_is_on_the_screen(open_board, file, width):
    moves = [move(f"{file}8={piece}", f"{file}7", f"{file}8") for piece in "QRBN"]
    page = open_board(CHESS, moves, viewport={"width": width, "height": 844})
    click(page, f"{file}7", f"{file}8")
    boxes = [page.get_by_role("button", name=f"{file}8={piece},").bounding_box() for piece in "QRBN"]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    assert len({box["y"] for box in boxes}) == 1


def test_jumps_square_by_square_or_at_once(open_board):
    page = open_board(CHESS, JUMPS)
    click(page, "a3", "c5", "a7")
    click(page, "a3", "e7")
    click(page, "a3", "b4")
    assert got(page) == ["a3xc5xa7", "a3xc5xe7", "a3-b4"]


def test_flipped_board(open_board):
    page = open_board(CHESS, OPENING)
    before = centre(page, square("a8"))
    page.evaluate("board.view = 'min'")
    page.wait_for_selector("zermelo-board g:first-child > .cell:first-child[aria-label^='h1']")
    assert centre(page, 0)[1] == pytest.approx(before[1], abs=3)
    page.mouse.click(*centre(page, 63 - square("e2")))
    page.mouse.click(*centre(page, 63 - square("e4")))
    assert got(page) == ["e4"]


def test_moves_without_squares_are_buttons(open_board):
    page = open_board(CHESS, [*OPENING, {"move": 0, "text": "pass", "path": []}])
    page.get_by_role("group", name="Moves").get_by_role("button", name="pass").click()
    assert got(page) == ["pass"]
    page = open_board(
        "pot 2\nyour card: K", [{"move": n, "text": t, "path": []} for n, t in enumerate(("check", "bet"))]
    )
    page.get_by_role("button", name="bet").click()
    assert got(page) == ["bet"]


def test_typed_moves(open_board):
    page = open_board(CHESS, [*OPENING, move("bc4", "b2", "c4"), move("Bc4", "f1", "c4")])
    field = page.get_by_label("Type a move")
    for typed in ("e4", "nf3", "Nh", "bc4", "Bc4", "Nf3+"):
        field.fill(typed)
        field.press("Enter")
    assert got(page) == ["e4", "Nf3", "Nh3", "bc4", "Bc4", "Nf3"]
    field.fill("<b>Qh5</b>")
    field.press("Enter")
    assert page.get_by_role("alert").text_content() == "not a legal move: <b>Qh5</b>; legal are e3, e4, Nf3, …"
    assert field.get_attribute("aria-invalid") == "true"
    assert got(page) == []


def test_a_text_that_is_no_name_is_read_by_the_page(open_board):
    page = open_board(CHESS, OPENING)
    page.evaluate(
        """() => { document.querySelector("zermelo-move-input").read = async (typed) => {
          if (typed === "e2e4") return "e4";
          throw new Error(`moves[12]: '${typed}' is not a legal move here; legal: ${"Nf3 ".repeat(80)}`);
        }; }"""
    )
    field = page.get_by_label("Type a move")
    field.fill("e2e4")
    field.press("Enter")
    page.wait_for_selector("zermelo-move-input .error:empty", state="attached")
    assert field.input_value() == ""
    assert got(page) == ["e4"]
    field.fill("e2e5")
    field.press("Enter")
    page.wait_for_selector("zermelo-move-input .error:not(:empty)")
    refused = page.get_by_role("alert").text_content()
    assert refused.startswith("'e2e5' is not a legal move here; legal: Nf3 ")
    assert refused.endswith(" …")
    assert len(refused) <= 201
    assert got(page) == []


def test_a_move_ends_what_is_said_of_the_selection(open_board):
    page = open_board(CHESS, OPENING)
    region = page.locator("zermelo-board .announcer")
    click(page, "e2")
    assert region.text_content() == "e2 selected: e3, e4"
    click(page, "e4")
    assert got(page) == ["e4"]
    assert region.text_content() == ""


def test_a_piece_falls_where_its_column_is_clicked(open_board):
    picture = zermelo.load("connect4").start().picture()
    page = open_board(picture, [{"move": c, "text": str(c + 1), "path": [35 + c]} for c in range(7)])
    page.mouse.click(*centre(page, 3))
    assert got(page) == ["4"]


POINTS = Points(
    (0, 0, 0, 0, -1, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2), (0, 0), (0, 0), (3, 1), "white"
)


def test_backgammon_step_by_step(open_board):
    moves = [
        {"move": 1, "text": "8/5* 6/5", "steps": [[8, 5], [6, 5]]},
        {"move": 2, "text": "24/20", "steps": [[24, 23], [23, 20]]},
        {"move": 3, "text": "8/5* 24/23", "steps": [[8, 5], [24, 23]]},
    ]
    page = open_board(POINTS, moves)

    def point(number):
        page.locator(f"zermelo-board .cell[aria-label^='point {number},'], .cell[aria-label='point {number}']").click()

    for number in (6, 5):  # the steps in another order than the move's text
        point(number)
    assert page.locator(".cell[aria-label^='point 5,']").get_attribute("aria-label") == "point 5, 1 white"
    assert "bar, 0 white, 1 black" in page.locator(".cell[aria-label^='bar']").get_attribute("aria-label")
    page.get_by_role("button", name="Take back the step").click()
    assert "1 black" in page.locator(".cell[aria-label^='point 5,']").get_attribute("aria-label")
    for number in (6, 5, 8, 5):
        point(number)
    assert got(page) == ["8/5* 6/5"]
    page.evaluate("board.moves = [...board.moves]")
    for number in (24, 23, 23, 20):
        point(number)
    assert got(page) == ["24/20"]


def test_dice_and_checkers_of_backgammon_move_visibly(open_board):
    page = open_board(dataclasses.replace(POINTS, dice=()))
    show = """async ([picture, last]) => {
        board.show({ picture, last });
        await new Promise((done) => setTimeout(done));
        return document.getAnimations().length;
    }"""
    assert page.evaluate(show, [as_json(POINTS), None]) == 2  # the dice
    checkers = list(POINTS.checkers)
    checkers[5] -= 1
    checkers[1] += 1
    moved = dataclasses.replace(POINTS, dice=(), mover="black", checkers=tuple(checkers))
    last = {"move": 1, "text": "6/2", "steps": [[6, 3], [3, 2]]}
    assert page.evaluate(show, [as_json(moved), last]) >= 2  # a checker, two steps
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
    page.wait_for_timeout(50)
    assert page.locator(".layer-drag *").count() == 0


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_every_background_and_piece(open_board, background):
    """All kinds of pieces are drawn, and each click finds the square under it."""
    pieces = tuple(
        Piece(
            n % 5,
            n // 5,
            kind,
            "black" if kind not in ("cross", "nought", "tile") else "",
            "Q" if kind == "tile" else "",
        )
        for n, kind in enumerate(KINDS)
    )
    picture = Grid(
        5, 4, background, pieces, tuple("abcde"), tuple("4321"), ((0, 0),), ((4, 3),), ((1, 3, "rose"),), ((2, 3, "x"),)
    )
    page = open_board(picture, [{"move": n, "text": str(n), "path": [n]} for n in range(20)])
    assert page.locator("zermelo-board .piece").count() == len(KINDS)
    for number in (0, 7, 19):
        page.mouse.click(*centre(page, number))
    assert got(page) == ["0", "7", "19"]


def test_a_move_is_animated_unless_motion_is_reduced(open_board):
    moved = dataclasses.replace(
        CHESS, pieces=tuple(dataclasses.replace(p, row=4) if (p.column, p.row) == (4, 6) else p for p in CHESS.pieces)
    )
    show = """async ([picture, last]) => {
        board.show({ picture, last });
        await new Promise((done) => setTimeout(done));
        return document.getAnimations().length;
    }"""
    for motion, count in (("no-preference", 1), ("reduce", 0)):
        page = open_board(CHESS, reduced_motion=motion)
        running = page.evaluate(show, [as_json(moved), move("e4", "e2", "e4")])
        assert running == count
        assert page.locator(".layer-marks .mark").count() == 2
        page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
        assert page.locator("zermelo-board .piece").count() == 32


def test_values_and_arrows(open_board):
    page = open_board(CHESS, OPENING)
    values = [
        {"path": each["path"], "text": text, "share": 0.5}
        for each, text in zip(OPENING, ("+0.3", "+0.2", "0.0", "-1"), strict=True)
    ]
    page.evaluate(
        "([values, arrows]) => { board.values = values; board.arrows = arrows; }",
        [values, [{"path": OPENING[1]["path"], "colour": "best"}]],
    )
    page.wait_for_selector(".value")
    assert page.locator(".value text").all_text_contents() == ["+0.3", "0.0"]  # the best move of each piece
    assert page.locator(".arrow.best").count() == 1
    click(page, "e2")
    assert page.locator(".value text").all_text_contents() == ["+0.3", "+0.2"]


def test_arrows_are_drawn_with_the_right_button(open_board):
    page = open_board(CHESS, OPENING)

    def draw(start, end):
        page.mouse.move(*centre(page, square(start)))
        page.mouse.down(button="right")
        page.mouse.move(*centre(page, square(end)))
        page.mouse.up(button="right")

    draw("e2", "e4")
    draw("d4", "d4")
    draw("g1", "f3")
    draw("g1", "f3")  # again: it is removed
    assert page.locator(".arrow.drawn").count() == 2
    click(page, "a5")
    assert page.locator(".arrow.drawn").count() == 0
    assert got(page) == []


def test_a_choice_goes_on_while_the_same_position_is_shown_again(open_board):
    page = open_board(CHESS, OPENING)
    click(page, "e2")
    page.evaluate("board.show({ picture: { ...board.picture }, moves: [...board.moves] })")
    page.wait_for_timeout(50)
    assert page.locator(".selected").count() == 1
    page.evaluate("board.moves = board.moves.slice(1)")
    page.wait_for_timeout(50)
    assert page.locator(".selected").count() == 0


def test_picking_and_disabled(open_board):
    page = open_board(CHESS, OPENING)
    page.evaluate("board.disabled = true")
    page.wait_for_timeout(50)
    click(page, "e2", "e4")
    assert got(page) == []
    page.evaluate("board.disabled = false; board.picking = true")
    page.wait_for_timeout(50)
    click(page, "e2", "e5")
    assert got(page) == ["e2", "e5"]


def test_ten_thousand_squares_do_not_freeze(open_board):
    draw = random.Random(1)
    places = draw.sample(range(10_000), 4000)
    pieces = tuple(Piece(n % 100, n // 100, "disc", draw.choice(("black", "white"))) for n in places)
    free = [n for n in range(10_000) if n not in set(places)]
    moves = [{"move": n, "text": str(n), "path": [n]} for n in free]
    page = open_board(Grid(100, 100, "crossings", pieces), moves)
    assert page.locator("zermelo-board .cell").count() == 1
    number = free[1234]
    box = page.locator("zermelo-board > svg").bounding_box()
    side = box["width"] / 100
    page.mouse.click(box["x"] + (number % 100 + 0.5) * side, box["y"] + (number // 100 + 0.5) * side)
    assert got(page) == [str(number)]
    page.keyboard.press("ArrowDown")
    assert f"row {number // 100 + 2}" in page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_hostile_texts_are_text(open_board):
    picture = Grid(
        2,
        1,
        "lines",
        (Piece(0, 0, "tile", "", "<img src=x onerror=alert(1)>"),),
        ("<b>", "b"),
        ("1",),
        captions=("<script>alert(1)</script>",),
    )
    page = open_board(picture, [{"move": 1, "text": "<img src=x onerror=alert(1)>", "path": []}])
    assert page.locator("main img, main b, main script").count() == 0
    assert page.get_by_role("button", name="<img src=x").count() == 1
