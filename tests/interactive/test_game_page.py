"""Pages of one file that show games and reviews: in Chromium from a file, without a request; written by all doors."""

import json
from pathlib import Path

import pytest
from browsers import watched_pages

import zermelo
from zermelo.errors import InputError, LimitError
from zermelo.formats.detection import read_text
from zermelo.formats.record import record_from_moves
from zermelo.interactive import game_page
from zermelo.interactive.game_views import picture_data
from zermelo.review.results import GameReview
from zermelo.review.reviewer import Settings, review_moves
from zermelo.teaching import tree

HOSTILE = "</script><script>alert(1)</script>"
BACKGAMMON = " 0 point match\n\n Game 1\n A : 0    B : 0\n 1) 61: 13/7 8/7  Doubles => 2\n 2) Drops\n"
TEXT_GAME = """
from zermelo import MAX, State, game


@game
class Count(State):
    number: int
    turn: int

    @classmethod
    def start(cls):
        return cls(3, MAX)

    def to_move(self):
        return self.turn

    def moves(self):
        yield 1

    def play(self, move):
        return Count(self.number - move, -self.turn)

    def is_over(self):
        return self.number == 0

    def utility(self):
        return 1
"""


def record_of(game, moves, **tags):
    state = start = zermelo.load(game).start()
    played = []
    for name in moves.split():
        played.append(state.parse_move(name))
        state = state.play(played[-1])
    record = record_from_moves(start, played)
    record.tags.update(tags)
    return record


def reviewed(**tags):
    review = GameReview(record_of("tictactoe", "b2 b1 a1 c3 a3 c1 a2", **tags))
    for move in review_moves(review.record, Settings(exact=True)):
        review.add(move)
    return review


def states_of(record):
    states = [record.start]
    for step in record.line.steps:
        states.append(states[-1] if step.move is None else states[-1].play(step.move))
    return states


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """A function that saves a subject as a page and opens it; the page may only request itself."""
    folder = tmp_path_factory.mktemp("pages")
    requests = []
    with watched_pages(browser) as open_page:

        def open_subject(subject, **context):
            path = folder / f"{len(requests)}.html"
            zermelo.save_html(path, subject)
            page = open_page(path, **context)
            found = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
            requests.append(found)
            return page

        yield open_subject
    assert requests == [[]] * len(requests)


def shown(page):
    """The picture of the board, comparable with that of Python: the order of pieces does not count."""
    return comparable(page.evaluate("document.querySelector('zermelo-board').picture"))


def comparable(picture):
    picture = json.loads(json.dumps(picture))
    if "pieces" in picture:
        picture["pieces"].sort(key=json.dumps)
    return picture


def text_game(tmp_path):
    path = tmp_path / "count.py"
    path.write_text(TEXT_GAME)
    return f"{path}:Count"


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("chess", "e4 d5 exd5 Nf6 Bb5+ c6 dxc6 Qxd2+ Qxd2 bxc6"),
        ("othello", "f5 d6 c3 d3"),
        ("connect4", "4 4 4 5"),
        ("backgammon", None),
        ("text", "1 1 1"),
    ],
)
def test_each_position_is_shown_as_it_is(opened, tmp_path, game, moves):
    if game == "backgammon":
        [record] = read_text(zermelo.load(game), BACKGAMMON, "", "match").records
    else:
        record = record_of(text_game(tmp_path) if game == "text" else game, moves)
    page = opened(record)
    states = states_of(record)
    for state in states[:-1]:
        assert shown(page) == comparable(picture_data(state))
        page.keyboard.press("ArrowRight")
    assert shown(page) == comparable(picture_data(states[-1]))
    page.keyboard.press("Home")
    assert shown(page) == comparable(picture_data(states[0]))


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_review_has_curve_marks_lines_and_boards(opened, width, scheme):
    review = reviewed()
    page = opened(review, viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.wait_for_selector(".curve-line")
    assert page.locator(".move:has(.mark-blunder)").all_inner_texts() == ["b1??"]
    assert page.locator(".review-summary tbody tr").nth(1).locator("td").all_inner_texts()[1:] == ["0", "0", "1"]
    page.click("text=Next mistake")
    assert page.inner_text("h2") == "1... b1??"
    assert page.inner_text(".review-detail p") == "Blunder: loses 1 utility (proven). a1 is best."
    best = review.moves[1].best
    page.locator(".review-lines dd").first.locator("button").nth(1).click()
    after = states_of(review.record)[1].play(best.moves[0]).play(best.moves[1])
    assert shown(page) == comparable(picture_data(after))
    page.click("text=Back to the game")
    assert shown(page) == comparable(picture_data(states_of(review.record)[2]))
    page.get_by_role("slider", name="Curve of the game").focus()
    page.keyboard.press("End")
    assert page.inner_text(".status").startswith("Crosses")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_hostile_names_are_text(opened):
    page = opened([reviewed(crosses=HOSTILE, noughts='"><img src=x onerror=alert(1)>'), record_of("othello", "f5")])
    assert page.title() == "2 games"
    assert page.inner_text("h1") == f'{HOSTILE} - "><img src=x onerror=alert(1)>'
    assert page.locator("img").count() == 0
    page.select_option(".viewer select", "1")
    assert page.inner_text("h1") == "black - white"


@pytest.mark.long
def test_an_analysis_steps_through_its_lines(opened):
    state = zermelo.load("tictactoe").start()
    analysis = zermelo.analyse(state, depth=4, lines=3)
    page = opened(analysis)
    assert page.locator(".review-lines dt").all_inner_texts() == ["1.", "2.", "3."]
    page.keyboard.press("ArrowRight")
    assert shown(page) == comparable(picture_data(state.play(analysis.move)))


@pytest.mark.long
def test_without_javascript_the_last_position_is_shown(opened):
    page = opened(record_of("tictactoe", "b2 a1"), java_script_enabled=False)
    assert "needs JavaScript" in page.inner_text("main")
    assert page.locator("main svg").count() == 1


def test_the_page_allows_its_own_scripts_only():
    text = game_page.page_of(record_of("tictactoe", "b2 a1", crosses=HOSTILE))
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" in text
    assert "http-equiv" in text
    assert HOSTILE not in text


def test_a_search_has_the_page_of_its_steps():
    found = tree.read("[[3,12,8],[2,4,6],[14,5,2]]")
    assert game_page.page_of(found) == game_page.page_of(tree.trace(found))
    assert "Step" in game_page.page_of(found)


def test_what_cannot_be_shown_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot"):
        zermelo.save_html(tmp_path / "x.html", 3)
    with pytest.raises(InputError, match="cannot"):
        zermelo.save_html(tmp_path / "x.html", [])
    with pytest.raises(LimitError, match="at most 200 games"):
        zermelo.save_html(tmp_path / "x.html", [record_of("tictactoe", "b2")] * 201)
    assert not (tmp_path / "x.html").exists()


def test_the_commands_write_pages(zermelo, tmp_path):
    source, out = tmp_path / "games.moves", tmp_path / "out.html"
    source.write_text("b2 b1 a1 c3 a3 c1 a2\nb2 a1\n")
    done = zermelo("convert", "tictactoe", str(source), "-o", str(out))
    assert (done.code, done.err, done.out) == (0, "", f"{out}: 2 games\n")
    assert '"games":[' in out.read_text()
    done = zermelo("convert", "tictactoe", str(source), "--to", "html")
    assert done.out == out.read_text()
    done = zermelo("review", "tictactoe", str(source), "--exact", "--games", "1", "-o", str(out))
    assert done.code == 0
    assert '"mark":"blunder"' in Path(out).read_text()
