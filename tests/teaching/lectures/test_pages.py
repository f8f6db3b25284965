"""The pages of the lectures: their tables agree with computed results, and the Sphinx directives work."""

import re
import subprocess
import sys
from importlib.util import find_spec
from math import log10, sqrt
from pathlib import Path

import pytest

from zermelo.teaching.lectures import claims, othello, pennies, properties
from zermelo.teaching.lectures.cases import case_of, cases

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "lectures"


def page(name):
    return (PAGES / f"{name}.md").read_text("utf-8")


def table(text, head):
    """The rows of the table whose heading begins with `head`, as lists of cells."""
    lines = text[text.index(f"| {head}") :].splitlines()
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return rows[:1] + rows[2 : next((n for n, line in enumerate(lines) if not line.startswith("|")), len(lines))]


def test_every_tree_is_on_the_page_of_its_lecture():
    for case in cases():
        if case.has_tree and case.id != "jarrar_idea_of_alpha_beta":  # a part of the tree before it
            assert f"{{tree}} {case.id}\n" in page(case.lecture), case.id


def test_pages_name_only_existing_cases():
    for path in PAGES.glob("*.md"):
        for block in re.findall(r"^```\{tree\} (\w+)\n((?::.*\n)*)", path.read_text("utf-8"), re.MULTILINE):
            if ":grow:" not in block[1]:
                assert case_of(block[0]).id == block[0]


def test_claims_on_the_page_agree_with_computed_results():
    text = page("index")
    games, nodes, positions = claims.tic_tac_toe()
    for number in (games, nodes, positions, 9**9, claims.minimal_leaves(35, 8), 35**4):
        assert f"{number:,}" in text, number
    for number in (f"10^{100 * log10(35):.1f}", f"√35 = {sqrt(35):.2f}", f"√40 = {sqrt(40):.2f}"):
        assert number in text, number


def test_table_of_pennies():
    sizes, winners, levels = (row[1:] for row in table(page("001"), "pennies"))
    assert [int(size) for size in sizes] == list(range(3, 16))
    assert winners == ["A" if pennies.winning([int(size)]) else "B" for size in sizes]
    assert [int(level) for level in levels] == [pennies.longest(int(size)) + 1 for size in sizes]


def test_table_of_othello_players():
    short = {"weighted": "wdiff", "difference": "diff"}
    data = case_of("othello_round_robin").data
    rows = table(page("004"), "player")[1:]
    assert len(rows) == 7
    for player, points, share in rows:
        words = player.replace(",", "").split()
        name = words[0] if words == ["random"] else f"{short[words[0]]}/{words[1]}"
        assert float(points) == data["points"][name]
        if "to" in share:
            least, _, most = data["ratios"][name]
            assert share == f"{least:.2f} to {most:.2f}"


def test_table_of_the_first_plies_of_othello():
    positions, values = othello.values_by_ply(4)
    rows = table(page("004"), "plies")[1:]
    assert [[int(cell) for cell in row] for row in rows] == [
        [ply, *numbers] for ply, numbers in enumerate(zip(positions, values["diff"], values["wdiff"], strict=True), 1)
    ]


@pytest.mark.long
def test_numbers_on_the_page_of_properties():
    text = page("properties")
    found = [str(check.found) for check in properties.minimax_properties(case_of("properties"))]
    assert f"In all {2423:,} positions" in text
    assert "2423" in found
    assert "in 152 of the 2,423 positions" in text
    assert "less in 152 of 2,423 positions" in found


# ---- the directive ------------------------------------------------------------------------------------------------


@pytest.fixture
def build(tmp_path):
    """Build a page with this text; returns the completed process and the HTML folder."""
    if find_spec("sphinx") is None or find_spec("myst_parser") is None:
        pytest.skip("Sphinx is not installed; `make docs` installs it")

    def built(text):
        source = tmp_path / "pages"
        source.mkdir(exist_ok=True)
        extensions = ["myst_parser", "zermelo_tree", "zermelo_lectures"]
        (source / "conf.py").write_text(
            f"import sys\nsys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\nextensions = {extensions}\n"
        )
        (source / "index.md").write_text("# A page\n\n" + text, "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", source, tmp_path / "html"],
            capture_output=True,
            encoding="utf-8",
            timeout=900,
        )
        return done, tmp_path / "html"

    return built


def test_trees_are_drawn_with_step_by_step_pages(build):
    done, out = build(
        "```{tree} skrentny_tree\n:caption: Three <cuts>.\n```\n\n```{tree} [[1,2],[3,4]]\n```\n\n"
        "```{tree} tictactoe\n:grow: 1\n:states:\n:still:\n```\n"
    )
    assert done.returncode == 0, done.stderr
    page_text = (out / "index.html").read_text("utf-8")
    assert page_text.count("<svg ") == 3
    assert "Three &lt;cuts&gt;." in page_text
    ids = re.findall(r' id="([^"]+)"', page_text)
    assert len(ids) == len(set(ids))
    assert re.findall(r'<iframe src="([^"]+)"', page_text) == ["trees/index-1.html", "trees/index-2.html"]
    for name in ("index-1.html", "index-2.html"):
        assert "<script" in (out / "trees" / name).read_text("utf-8")

    done, out = build(
        "```{misprints} 002\n```\n\n```{conventions} 003\n```\n\n```{tree} aima\n```\n"
    )  # unused files are removed
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (out / "trees").iterdir()) == ["index-1.html"]
    page_text = (out / "index.html").read_text("utf-8")
    assert "<strong>Slide 15</strong>" in page_text
    assert "<strong>Slide 44</strong>: a cutoff at a MAX node is called an alpha cutoff" in page_text


def test_unknown_tree_fails_the_build(build):
    done, _ = build("```{tree} skrenty\n```\n")
    assert done.returncode == 1
    assert "'skrenty' is not a case of the lectures; did you mean skrentny" in done.stderr
