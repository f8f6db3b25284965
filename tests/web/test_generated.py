"""The page's colours, styles of drawings and shapes of pieces are those of the drawings."""

import re
from itertools import product

import pytest

from zermelo.core.picture import CHESS_PIECES
from zermelo.drawing.boards import BOARD_STYLES
from zermelo.drawing.style import COLOURS, MOVE_COLOURS, PAGE_COLOURS, TREE_STYLES
from zermelo.web.generated import PAGE, generated_files

TEACHING = PAGE.parent.parent / "teaching" / "pages"

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", generated_files())
def test_file_is_up_to_date(name):
    assert (PAGE / name).read_text("utf-8") == generated_files()[name], "run `python -m zermelo.web.generated`"


def test_tokens_hold_every_colour_of_pages_boards_and_trees():
    tokens = dict(re.findall(r"^  (--[\w-]+): (.*);$", generated_files()["styles/tokens.css"], re.M))
    assert tokens["--ink"] == "light-dark({}, {})".format(*PAGE_COLOURS["ink"])
    assert tokens["--board-felt"] == BOARD_STYLES.colours["felt"][0]
    assert len(tokens) == len(PAGE_COLOURS) + len(MOVE_COLOURS) + len(BOARD_STYLES.colours) + len(TREE_STYLES.colours)


def test_styles_use_only_colours_that_exist():
    tokens = set(re.findall(r"(--[\w-]+):", generated_files()["styles/tokens.css"]))
    defined = set(tokens)
    used = set()
    for path in PAGE.glob("styles/*.css"):
        text = path.read_text("utf-8")
        defined |= set(re.findall(r"(--[\w-]+)\s*:", text))
        used |= set(re.findall(r"var\((--[\w-]+)\)", text))
    assert used - defined == set()


def test_styles_name_no_colours_of_their_own():
    sheets = [*PAGE.glob("styles/*.css"), *TEACHING.glob("styles/*.css"), *TEACHING.glob("templates/*.css")]
    named = {
        path.name: re.findall(r"#[0-9a-fA-F]{3,8}\b(?![^{}]*\{)", path.read_text("utf-8"))
        for path in sheets
        if path.name != "tokens.css"
    }
    assert len(named) > 10
    assert {name: found for name, found in named.items() if found} == {}


def test_copies_of_trees_have_the_colours_of_the_light_theme():
    block = re.search(r"COLOURS = \{(.*?)\}", (TEACHING / "scripts" / "view.js").read_text("utf-8"), re.DOTALL)
    assert block is not None
    colours = dict(re.findall(r'(\w+): "(#\w+)"', block[1]))
    assert colours == {name: PAGE_COLOURS[name][0] for name in colours}
    assert {"max", "min", "chance"} <= set(colours)


def test_every_chess_piece_is_there():
    for kind in CHESS_PIECES:
        assert f"\n  {kind}: " in generated_files()["scripts/shapes.js"]


def luminance(colour):
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_contrast_is_that_of_wcag_aa(theme):
    colours = {name: pair[theme] for name, pair in PAGE_COLOURS.items()}
    texts, grounds = ("ink", "soft", "here", "bad", "good", "warn"), ("ground", "panel", "raised")
    pairs = [(text, ground, 4.5) for text, ground in product(texts, grounds)]
    pairs += [("on-here", "here", 4.5)]
    pairs += [("ink", each, 4.5) for each in ("max", "min", "chance")]
    pairs += [("line", ground, 3.0) for ground in grounds]
    ratios = [(one, other, least, contrast(colours[one], colours[other])) for one, other, least in pairs]
    assert [row for row in ratios if row[3] < row[2]] == []


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_contrast_of_texts_in_drawings(theme):
    for colours, ground in ((COLOURS, "paper"), (BOARD_STYLES.colours, "paper")):
        for name in ("ink", "grey"):
            assert contrast(colours[name][theme], colours[ground][theme]) >= 4.5
