"""TikZ: compiles if pdflatex is installed; names are printed verbatim and cannot execute LaTeX commands."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from latex import needs_tikz

from zermelo import drawing
from zermelo.teaching import tree

pytestmark = pytest.mark.quick

SKRENTNY = """A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0,
    E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"""


def words(text: str) -> str:
    """The texts of a TikZ picture, unescaped."""
    return re.sub(r"[{}$]", "", text)


def test_standalone_document_and_tikzpicture() -> None:
    trace = tree.trace(tree.read(SKRENTNY))
    alone, part = drawing.draw(trace).tikz(), drawing.draw(trace, standalone=False).tikz()
    assert part in alone
    assert r"\documentclass[tikz,border=2pt]{standalone}" in alone
    assert part.startswith(r"\begin{tikzpicture}")
    assert part.endswith("\\end{tikzpicture}\n")
    assert part.count("{zermelo-") == part.count("\\definecolor")
    assert r"O: -3 \leq \alpha = 4; X pruned" in words(part)
    assert len(re.findall(r"\\path\[zermelo cross\]", part)) == 2 * 4 + 2  # X, Q, R, M; and in the key


def test_every_style_used_is_defined() -> None:
    text = drawing.draw(tree.trace(tree.read(SKRENTNY)), order=True).tikz()
    used = set(re.findall(r"\\(?:path|node)\[(zermelo [a-z ]+)", text))
    defined = set(re.findall(r"(zermelo [a-z ]+)/\.style", text))
    assert used == defined


def test_names_cannot_execute_latex() -> None:
    bad = r"\input{/etc/passwd}%$#_^~&{}" + '"<|>' + "\n\\end{document}"
    drawn = tree.Tree(
        [
            tree.Node(0, bad, 1, -1, 0, (1,), None, (), "", None, bad, 0),
            tree.Node(1, bad + "1", None, 0, 1, (), 3, (), bad, None, "", 1),
        ],
        bad,
    )
    text = drawing.draw(drawn, states=True).tikz()
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert r"\input" not in body
    assert body.count(r"\end{document}") == 1
    assert not re.search(r"(?<!\\)[%#&]", body)


@needs_tikz
@pytest.mark.nightly
@pytest.mark.parametrize("standalone", [True, False])
def test_it_compiles(tmp_path: Path, standalone: bool) -> None:
    name = "a\\b{c}$d$%#_^~&<>|\"'`−∞≥≤αβ×…·●○→éß中♞"
    drawn = tree.read(
        {
            "id": "root", "player": "chance",
            "children": [
                {"id": name, "state": f"{name}\n  -- X", "children": [{"value": 1, "move": name}, {"value": 2.5}]},
                {"value": 3},
            ],
        }
    )  # fmt: skip
    text = drawing.draw(tree.trace(drawn, "minimax"), states=True, order=True, standalone=standalone).tikz()
    if not standalone:
        head = "\\documentclass{article}\\usepackage{tikz}\\begin{document}\n"
        text = f"{head}{text}\\resizebox{{2cm}}{{!}}{{{text}}}\n\\end{{document}}\n"
    (tmp_path / "tree.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.slow
def test_a_very_wide_picture_stays_within_tex_lengths() -> None:
    text = drawing.draw(tree.trace(tree.read(list(range(2500)))), max_nodes=3000).tikz()
    scale = float(re.search(r"scale=([\d.]+), transform shape", text)[1])
    widest = max(float(x) for x in re.findall(r"\((-?[\d.]+),", text))
    assert widest * scale < 16_000
