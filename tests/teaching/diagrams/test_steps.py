"""Pictures of all steps: the pages of a PDF, the overlays of a Beamer slide; and pictures that are fitted to a page."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from latex import needs_beamer

from zermelo.drawing.beamer import beamer, ranges
from zermelo.drawing.drawing import drawing_of
from zermelo.drawing.options import SLIDE, Options, parse_page
from zermelo.errors import InputError
from zermelo.registry import load
from zermelo.teaching import tree
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.scene_builder import (
    LARGEST_PAGE,
    SMALLEST_PAGE,
    boxes_of,
    build_scene,
    build_step_scenes,
)

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"
HOSTILE = "</text><script>alert(1)</script>\\input{x}\\end{frame}%#$&_^~{}\"'\n]]>"


def step_scenes(trace: tree.Trace, **options: object) -> list:
    return build_step_scenes(lambda step: Labels(trace, Options(step=step, **options)), len(trace.steps))


def overlays_of(text: str) -> set[int]:
    """The overlay numbers in a text like `1-3,5`."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def is_balanced(text: str) -> bool:
    """Whether the braces of TeX code match, comments and escaped braces apart."""
    depth = 0
    for char in re.sub(r"\\[\\{}%]|(?<!\\)%.*", "", text):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("options", [{}, {"fit": SLIDE}, {"direction": "right", "order": True}])
def test_nothing_moves_between_steps(options: dict) -> None:
    scenes = step_scenes(tree.trace(tree.read(AIMA)), **options)
    assert len({(scene.width, scene.height) for scene in scenes}) == 1
    shapes = [[box for box in boxes_of(scene) if box[0][0] == "n"] for scene in scenes]
    first = dict(reversed(shapes[0]))  # the first part of each node, its shape
    for boxes in shapes:
        assert dict(reversed(boxes)) == first


def test_a_slide_has_an_overlay_for_each_step() -> None:
    trace = tree.trace(tree.read(AIMA))
    scenes = step_scenes(trace)
    text = beamer(scenes)
    assert is_balanced(text)
    assert text.count(r"\begin{frame}") == text.count(r"\end{frame}") == 1
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1
    assert set(re.findall(r"\\(?:path|node)\[(zermelo [a-z ]+)", text)) == set(
        re.findall(r"(zermelo [a-z ]+)/\.style", text)
    )
    only = re.findall(r"\\only<([\d,-]+)>\{%\n(.*?)\n  \}", text, re.DOTALL)
    shown = set().union(*(overlays_of(numbers) for numbers, _ in only))
    assert shown == set(range(1, len(trace.steps) + 2))
    # The value of the root appears on the overlay after the last step, and B's value when B returns.
    final = [numbers for numbers, body in only if "zermelo value visited" in body and body.endswith("{3};")]
    assert any(overlays_of(numbers) == {len(scenes)} for numbers in final)
    # Each overlay is the scene of its step: as many texts as the scene has.
    always = len(re.findall(r"^  \\node", text, re.MULTILINE))
    for overlay, scene in enumerate(scenes, 1):
        here = sum(body.count(r"\node") for numbers, body in only if overlay in overlays_of(numbers))
        assert always + here == sum(hasattr(part, "text") for group in scene.groups for part in group.parts)


def test_a_frame_to_include() -> None:
    scenes = step_scenes(tree.trace(tree.read("[1, 2]")))
    frame = beamer(scenes, standalone=False)
    assert frame.startswith(r"\tikzset{")
    assert r"\usepackage" not in frame
    assert frame.endswith("\\end{frame}\n")
    assert frame.removesuffix("\n") in beamer(scenes)


def test_boards_are_written_once() -> None:
    state = load("tictactoe").parse("XOX/OXO/---")
    trace = tree.trace(tree.game_tree(state, 1))
    text = beamer(step_scenes(trace, boards=True))
    assert is_balanced(text)
    assert text.count(r"\begin{scope}") == text.count(r"\end{scope}") == len(trace.tree)
    boxes = re.findall(r"\\newsavebox\{(\\zermeloboard[a-h]+)\}", text)
    assert len(set(boxes)) == len(trace.tree)
    assert all(text.count(rf"\usebox{{{box}}}") == 1 for box in boxes)
    assert "zermelo-board-blue" in text


@needs_beamer
@pytest.mark.nightly
@pytest.mark.parametrize("standalone", [True, False])
def test_a_slide_compiles(tmp_path: Path, standalone: bool) -> None:
    trace = tree.trace(tree.game_tree(load("tictactoe").parse("XOX/OXO/---"), 2))
    text = beamer(step_scenes(trace, boards=True, fit=SLIDE), standalone=standalone)
    if not standalone:
        head = "\\documentclass[aspectratio=169]{beamer}\\usepackage{tikz}\\begin{document}\n"
        text = f"{head}{text}{text}\\end{{document}}\n"
    (tmp_path / "slide.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "slide.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]
    pages = (len(trace.steps) + 1) * (1 if standalone else 2)
    assert f"({pages} pages" in done.stdout


def test_ranges() -> None:
    assert ranges([1]) == "1"
    assert ranges([1, 2, 3, 5, 8, 9]) == "1-3,5,8-9"


@pytest.mark.long
def test_a_page_for_each_step(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    trace = tree.trace(tree.read("[1, 2]"))
    (path,) = drawing_of(trace).save_steps(tmp_path / "steps.pdf")
    pdf = path.read_bytes()
    assert len(re.findall(rb"/Type /Page\b", pdf)) == len(trace.steps) + 1
    assert len(set(re.findall(rb"/MediaBox \[([^]]*)\]", pdf))) == 1
    assert b"/CreationDate" not in pdf


def test_steps_of_a_tree_that_was_not_searched(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="steps: search the tree first"):
        drawing_of(tree.read("[1, 2]")).save_steps(tmp_path / "steps.pdf")


# ---- pages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [SLIDE, (400.0, 300.0), (300.0, 900.0)])
@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_tree_fits_on_the_page(page: tuple[float, float], direction: str) -> None:
    trace = tree.trace(tree.random_tree(3, branching=(2, 5), depth=(4, 6)))
    scene = build_scene(Labels(trace, Options(fit=page, direction=direction)))
    assert scene.width / scene.height == pytest.approx(page[0] / page[1])
    assert SMALLEST_PAGE * page[0] - 1e-3 <= scene.width <= LARGEST_PAGE * page[0] + 1e-3
    for _, (left, top, right, bottom) in boxes_of(scene):
        assert 0 <= left <= right <= scene.width
        assert 0 <= top <= bottom <= scene.height


def test_a_small_tree_is_drawn_whole_and_a_larger_page_shows_more() -> None:
    small = tree.trace(tree.read("[[3, 5], [2, 4]]"))
    assert drawing_of(small, Options(fit=SLIDE)).folds() == []
    large = tree.trace(tree.random_tree(1, branching=3, depth=6))
    hidden = [
        sum(fold.nodes for fold in drawing_of(large, Options(fit=page)).folds())
        for page in ((400.0, 225.0), SLIDE, (2000.0, 1125.0))
    ]
    assert len(large.tree) > hidden[0] > hidden[1] > hidden[2] > 0


def test_sizes_of_pages() -> None:
    assert parse_page("slide") == SLIDE
    assert parse_page("480x270.5") == (480.0, 270.5)
    for text in ("", "480", "480x", "axb", "-1x5", "1e9x5", "9" * 50 + "x5"):
        with pytest.raises(InputError, match="fit must be slide or WIDTHxHEIGHT"):
            parse_page(text)


# ---- labels that are code -------------------------------------------------------------------------------------------


def test_labels_are_escaped_everywhere() -> None:
    data = {"id": "A" + HOSTILE.replace("\n", " "), "children": [{"value": 1, "move": HOSTILE.replace("\n", " ")}, 2]}
    trace = tree.trace(tree.read(data))
    drawing = drawing_of(trace, Options(direction="right"))
    texts = ["".join(part.itertext()) for part in xml.fromstring(drawing.svg())]
    assert any("</text><script>" in text for text in texts)
    assert "<script>alert" not in drawing.svg()
    assert "<script>alert" not in drawing.html()
    slide = beamer(step_scenes(trace))
    body = "\n".join(line for line in slide.splitlines() if not line.startswith("%"))
    assert is_balanced(slide)
    assert r"\input" not in body
    assert body.count(r"\end{frame}") == 1
