"""`zermelo tree draw`: the right kind of picture in the right place, and one line for what cannot be drawn."""

from __future__ import annotations

import io
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"


def test_without_a_file_the_terminal_gets_text(zermelo) -> None:
    done = zermelo("tree", "draw", AIMA)
    assert done.code == 0
    assert "alpha 3 >= beta 2 at C" in done.out
    assert "<svg" not in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("t.svg", b"<?xml"),
        ("t.html", b"<!"),
        ("t.png", b"\x89PNG"),
        ("t.pdf", b"%PDF"),
        ("t.tex", b"% Game tree"),
        ("t.dot", b"digraph"),
        ("t.txt", b"MAX"),
    ],
)
def test_the_end_of_the_name_tells_the_kind(zermelo, tmp_path: Path, name: str, begins: bytes) -> None:
    if name.endswith(("png", "pdf")):
        pytest.importorskip("matplotlib")
    path = tmp_path / name
    done = zermelo("tree", "draw", AIMA, "-o", str(path), "--json")
    assert done.code == 0, done.err
    assert path.read_bytes().startswith(begins)
    assert done.json["files"] == [str(path)]
    assert (done.json["nodes"], done.json["drawn"], done.json["folds"]) == (13, 13, 0)
    assert done.err == ""


def test_the_kind_can_be_said_and_goes_to_standard_output(zermelo, tmp_path: Path) -> None:
    done = zermelo("tree", "draw", AIMA, "--format", "svg")
    assert xml.fromstring(done.out).tag.endswith("svg")
    assert zermelo("tree", "draw", AIMA, "--format", "tikz", "--no-standalone").out.startswith(r"\begin{tikzpicture}")
    path = tmp_path / "picture.xyz"
    assert zermelo("tree", "draw", AIMA, "--format", "dot", "-o", str(path)).code == 0
    assert path.read_text().startswith("digraph")


def test_a_picture_of_bytes_can_be_piped(zermelo, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    from zermelo.cli import main

    assert main(["tree", "draw", AIMA, "--format", "png"]) == 0
    assert out.buffer.getvalue().startswith(b"\x89PNG")


def test_options_reach_the_picture(zermelo) -> None:
    def svg(*words: str) -> str:
        done = zermelo("tree", "draw", AIMA, "--format", "svg", *words)
        assert done.code == 0, done.err
        return done.out

    assert 'class="order"' in svg("--order")
    assert 'class="window"' not in svg("--no-windows")
    assert 'class="name"' not in svg("--no-names")
    assert 'id="legend"' not in svg("--no-legend")
    assert 'class="reason"' not in svg("--no-reasons")
    assert 'class="answer"' in svg("--room", "--no-search")
    assert "Step 3 of" in svg("--step", "3")
    assert "zermelo auto" in svg("--theme", "auto")
    assert 'class="fold"' in svg("--max-nodes", "6")
    assert 'class="cross"' not in svg("--convention", "minimax")
    assert "α=3" in svg("--convention", "own")


def test_folding_is_told(zermelo, tmp_path: Path) -> None:
    done = zermelo("tree", "draw", AIMA, "-o", str(tmp_path / "t.svg"), "--max-nodes", "6")
    assert done.code == 0
    assert done.out == ""
    assert "of 13 nodes are collapsed; use --max-nodes N to draw more" in done.err


def test_a_picture_for_each_step(zermelo, tmp_path: Path) -> None:
    done = zermelo("tree", "draw", "[1,2]", "-o", str(tmp_path / "t.svg"), "--steps", "--json")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"t-{step:03}.svg" for step in range(len(names))]
    assert [Path(path).name for path in done.json["files"]] == names
    trace = zermelo("tree", "trace", "[1,2]", "--json").json
    assert len(names) == len(trace["steps"]) + 1
    assert len({(tmp_path / name).read_text() for name in names}) == len(names)


@pytest.mark.parametrize(("name", "begins"), [("t.tex", b"% Game tree"), ("t.html", b"<!")])
def test_all_steps_in_one_file(zermelo, tmp_path: Path, name: str, begins: bytes) -> None:
    done = zermelo("tree", "draw", "[1,2]", "-o", str(tmp_path / name), "--steps", "--json")
    assert done.code == 0, done.err
    assert done.json["files"] == [str(tmp_path / name)]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-o", "t.jpeg"), "t.jpeg: unknown file extension: expected one of .svg .html .htm .png .pdf"),
        (("-o", "no/such/t.svg"), "directory not found: no/such"),
        (("-o", "."), "unknown file extension: expected one of .svg"),
        (("--format", "gif"), "unknown format 'gif': expected one of svg, html, png, pdf, tikz, dot, text"),
        (("--max-nodes", "1"), "max_nodes must be at least 3 (got 1)"),
        (("--step", "999"), "step 999: the search has"),
        (("--step", "-1"), "step must be at least 0"),
        (("--theme", "pink"), "theme must be light or auto (got 'pink')"),
        (("--boards",), "boards: the tree has no positions; draw the game tree of a position"),
        (("--symmetry",), "--symmetry needs a GAME; a tree has no board"),
        (("--board-size", "1"), "board_size must be between 10 and 1000 points (got 1)"),
        (("--direction", "up"), "direction must be down or right (got 'up')"),
        (("--fit", "wide"), "fit must be slide or WIDTHxHEIGHT in points, such as 480x270 (got 'wide')"),
        (("--fit", "480x27"), "fit: sides must be between 100 and 10000 points (got 480x27)"),
        (("--steps", "--no-search", "-o", "t.pdf"), "--no-search cannot be combined"),
        (("--dpi", "7"), "dpi must be between 24 and 1200 (got 7)"),
        (("--steps",), "--steps needs -o FILE"),
        (("--no-search", "--step", "1"), "--no-search cannot be combined"),
        (("--no-search", "--convention", "strict"), "--no-search cannot be combined"),
        (("--json",), "--json needs -o FILE"),
        (("--convention", "foo"), "convention: unknown word 'foo'"),
        (("--colour",), "--colour"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_line(
    zermelo, words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = zermelo("tree", "draw", AIMA, *words)
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert list(tmp_path.iterdir()) == []


def test_too_many_steps_for_a_file_each(zermelo, tmp_path: Path) -> None:
    broad = str([list(range(300))] * 3)
    done = zermelo("tree", "draw", broad, "--convention", "minimax", "--steps", "-o", str(tmp_path / "t.svg"))
    assert done.code == 2
    assert "steps: at most 1,000 can be drawn (got 2,711); draw one with --step K" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["svg", "html", "tikz"])
def test_boards_in_every_format(zermelo, form: str) -> None:
    done = zermelo("tree", "draw", "tictactoe", "--depth", "2", "--symmetry", "--boards", "--format", form)
    assert done.code == 0, done.err
    assert "×4" in done.out or r"$\times$4" in done.out
    if form == "svg":
        assert xml.fromstring(done.out).tag.endswith("svg")
        assert done.out.count('<g class="board"') == 16
        assert done.out.count('<polyline class="stroke"') < 40  # equal pieces are drawn once and used again


@pytest.mark.parametrize("form", ["svg", "html", "dot", "tikz"])
def test_what_is_shown_is_what_would_be_in_the_file(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In UTF-8, as the file says of itself, also where the terminal's encoding is another."""
    from zermelo.cli import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["tree", "draw", "Ω[3, λ=5]", "--format", form]) == 0
    assert main(["tree", "draw", "Ω[3, λ=5]", "--format", form, "-o", str(tmp_path / "file")]) == 0
    assert out.buffer.getvalue() == (tmp_path / "file").read_bytes()  # type: ignore[attr-defined]


def test_boards_of_a_monte_carlo_tree(zermelo, tmp_path: Path) -> None:
    path = tmp_path / "t.svg"
    position = ("tree", "mcts", "tictactoe", "XO-/-X-/--O")
    done = zermelo(*position, "--simulations", "5", "--boards", "--fit", "slide", "-o", str(path))
    assert done.code == 0, done.err
    root = xml.fromstring(path.read_text())
    assert float(root.get("width", 0)) / float(root.get("height", 1)) == pytest.approx(16 / 9, rel=1e-3)
    assert path.read_text().count('<g class="board"') == 6
    assert "MAX to move: crosses" in path.read_text()
