"""A picture as PNG or PDF, by matplotlib: the same scene as in SVG, with DejaVu's letters.

The same tree gives the same bytes, as long as matplotlib is the same.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from typing import Any

from zermelo.drawing.scene import Circle, Line, Polygon, Scene, Text
from zermelo.drawing.style import Style, style
from zermelo.errors import MissingDependency
from zermelo.teaching.diagrams.options import Options
from zermelo.teaching.diagrams.scenes import Drawn, scene_of

#: Wider or higher pictures are made smaller: what one can do with a page, and with pixels.
MOST_POINTS = 14_400.0
MOST_PIXELS = 30_000.0
QUICK = 3  # how hard PNG is compressed: three times as fast as is usual, and little larger
MOST_AREA = 24e6  # pixels in all: some 8,000 by 3,000


def png(drawn: Drawn, options: Options | None = None) -> bytes:
    """The picture as PNG. Raises `TreeError` where matplotlib is not installed."""
    scene = _scene(drawn, options)
    dpi = float((options or Options()).dpi)
    longest = max(scene.width, scene.height) * dpi / 72
    area = scene.width * scene.height * (dpi / 72) ** 2
    dpi *= min(1.0, MOST_PIXELS / longest, (MOST_AREA / area) ** 0.5)
    return _printed(scene, "png", 1.0, dpi, {"Software": None, "Title": scene.title, "Description": scene.description})


def pdf(drawn: Drawn, options: Options | None = None) -> bytes:
    """The picture as a PDF of one page, its text as text. Raises `TreeError` where matplotlib is not installed."""
    scene = _scene(drawn, options)
    scale = min(1.0, MOST_POINTS / max(scene.width, scene.height))
    about = {"Creator": None, "Producer": None, "CreationDate": None, "Title": scene.title}
    return _printed(scene, "pdf", scale, 72.0, about | {"Subject": scene.description})


def _scene(drawn: Drawn, options: Options | None) -> Scene:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency("PNG and PDF need matplotlib: pip install 'zermelo[draw]'") from None
    return scene_of(drawn, replace(options or Options(), stages=False))


def _printed(scene: Scene, form: str, scale: float, dpi: float, about: dict[str, Any]) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    # Letters are embedded as TrueType, so that text can be searched and copied; nothing of the user's own settings.
    settings = {**matplotlib.rcParamsDefault, "pdf.fonttype": 42, "backend": "agg"}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(scene.width * scale / 72, scene.height * scale / 72), dpi=dpi)
        figure.patch.set_facecolor(scene.sheet.colours["paper"][0])
        figure.add_artist(artist(scene, scale))
        file = io.BytesIO()
        more: dict[str, Any] = {"pil_kwargs": {"compress_level": QUICK}} if form == "png" else {}
        figure.savefig(file, format=form, dpi=dpi, metadata=about, **more)
    return file.getvalue()


def artist(scene: Scene, scale: float) -> Any:
    """The whole scene as one thing that matplotlib draws: thousands of its own would take it many times as long."""
    from matplotlib.artist import Artist
    from matplotlib.colors import to_rgba
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    class SceneArtist(Artist):
        def draw(self, renderer: Any) -> None:
            unit = renderer.points_to_pixels(1.0) * scale
            height = scene.height * unit
            places = Affine2D().scale(unit, -unit).translate(0, height)
            fonts: dict[Style, Any] = {}
            colours = scene.sheet.colours

            def context(look: Style) -> Any:
                made = renderer.new_gc()  # its lengths are in points, those of paths and texts in pixels
                made.set_linewidth(look.width * scale if look.stroke else 0.0)
                made.set_foreground(to_rgba(colours[look.stroke][0]) if look.stroke else (0, 0, 0, 0), isRGBA=True)
                made.set_joinstyle("round")
                made.set_capstyle("butt")
                if look.dash:
                    made.set_dashes(0, [length * scale for length in look.dash])
                return made

            def write(part: Text, look: Style) -> None:
                font = fonts.get(look)
                if font is None:
                    font = fonts[look] = FontProperties(
                        family="DejaVu Sans Mono" if look.mono else "DejaVu Sans",
                        size=look.size * scale,
                        weight="bold" if look.bold else "normal",
                        style="italic" if look.italic and not look.mono else "normal",
                    )
                made = renderer.new_gc()
                made.set_foreground(to_rgba(colours[look.fill][0]), isRGBA=True)
                x = part.x * unit
                if part.anchor != "start":
                    wide, _, _ = renderer.get_text_width_height_descent(part.text, font, False)
                    x -= wide / 2 if part.anchor == "middle" else wide
                y = part.y * unit if renderer.flipy() else height - part.y * unit
                renderer.draw_text(made, x, y, part.text, font, 0, ismath=False)
                made.restore()

            for group in scene.groups:
                for part in group.parts:
                    look = style(group.kinds, part.kind, scene.sheet)
                    if isinstance(part, Text):
                        write(part, look)
                        continue
                    if isinstance(part, Circle):
                        path = Path.circle(part.centre, part.radius)
                    else:
                        path = Path(part.points, closed=False)
                        if isinstance(part, Polygon):
                            path = Path([*part.points, part.points[0]], closed=True)
                    is_filled = look.fill and not isinstance(part, Line)
                    made = context(look)
                    renderer.draw_path(made, path, places, to_rgba(colours[look.fill][0]) if is_filled else None)
                    made.restore()

    return SceneArtist()
