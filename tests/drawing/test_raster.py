"""PNG and PDF: drawn from the same scene, deterministic, real text in the PDF, limits of size, matplotlib optional."""

from __future__ import annotations

import io
import re
import sys
import zlib

import pytest

from zermelo import drawing
from zermelo.errors import MissingDependency
from zermelo.teaching import tree
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.scene_builder import build_scene

pytest.importorskip("matplotlib")

SKRENTNY = """A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0,
    E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"""


@pytest.fixture(scope="module")
def trace() -> tree.Trace:
    return tree.trace(tree.read(SKRENTNY))


def pixels(png: bytes):
    import numpy
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return numpy.asarray(image.convert("RGB"))


def test_png_size_and_colours(trace: tree.Trace) -> None:
    scene = build_scene(Labels(trace))
    picture = pixels(drawing.draw(trace, dpi=144).png())
    assert picture.shape[0] == pytest.approx(scene.height * 2, abs=2)
    assert picture.shape[1] == pytest.approx(scene.width * 2, abs=2)
    assert tuple(picture[0, 0]) == (255, 255, 255)
    root = next(group for group in scene.groups if group.id == "n0")
    (_, top), (right, foot), (left, _) = root.parts[0].points
    inside = picture[int((foot - 2.5) * 2), int(left + right)]
    assert tuple(inside) == (0xDB, 0xE8, 0xFB)  # MAX's shape, filled
    assert picture[int((top - 4) * 2), int(left + right)].min() > 200  # white above its top
    red = (picture[..., 0] > 150) & (picture[..., 1] < 40) & (picture[..., 2] < 70)
    assert red.sum() > 200  # the crosses, their numbers and the reasons
    none_cut = pixels(drawing.draw(tree.trace(trace.tree, "minimax"), dpi=144).png())
    assert not ((none_cut[..., 0] > 150) & (none_cut[..., 1] < 40)).any()


def test_output_is_deterministic(trace: tree.Trace) -> None:
    for form in ("png", "pdf"):
        assert drawing.draw(trace).render(form) == drawing.draw(trace).render(form)


def test_pdf_text_is_searchable(trace: tree.Trace) -> None:
    pdf = drawing.draw(trace).pdf()
    assert pdf.startswith(b"%PDF-")
    assert b"/CreationDate" not in pdf
    streams = [zlib.decompress(body) for body in re.findall(rb"FlateDecode.*?stream\n(.*?)\nendstream", pdf, re.DOTALL)]
    page = b"".join(streams)
    # Kerned text, two bytes per glyph; ff is a ligature.
    written = "".join(part.decode("latin-1") for part in re.findall(rb"\(((?:[^()\\]|\\.)*)\)", page))
    assert "; X pruned" in re.sub(r"[\\\x00]", "", written)


@pytest.mark.filterwarnings("error")
def test_missing_glyphs_do_not_warn() -> None:
    drawn = tree.read({"id": "中$x^2$", "state": "♞ 中", "children": [{"value": 1}, {"value": 2}]})
    assert drawing.draw(tree.trace(drawn), states=True).png().startswith(b"\x89PNG")
    assert drawing.draw(tree.trace(drawn), states=True).pdf().startswith(b"%PDF")


@pytest.mark.long
def test_wide_trees_respect_size_limits() -> None:
    drawn = tree.trace(tree.read(list(range(700))))
    picture = drawing.draw(drawn, max_nodes=1000, dpi=300, names=False)
    height, width, _ = pixels(picture.png()).shape
    assert width <= 30_000
    assert width * height <= 25e6
    left, low, wide, high = map(float, re.search(rb"/MediaBox \[ *(.*?) *\]", picture.pdf())[1].split())
    assert (left, low) == (0, 0)
    assert max(wide, high) <= 14_400.5


def test_missing_matplotlib_is_reported(monkeypatch: pytest.MonkeyPatch, trace: tree.Trace) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for form in ("png", "pdf"):
        with pytest.raises(MissingDependency, match=r"^PNG and PDF need matplotlib: pip install 'zermelo\[draw\]'$"):
            drawing.draw(trace).render(form)
    assert drawing.draw(trace).svg()


def test_user_settings_of_matplotlib_have_no_effect(trace: tree.Trace) -> None:
    import matplotlib

    before = drawing.draw(trace).png()
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "savefig.transparent": True, "savefig.dpi": 30}):
        assert drawing.draw(trace).png() == before
        assert matplotlib.rcParams["font.size"] == 30
    assert drawing.draw(trace, step=3).png() != before
