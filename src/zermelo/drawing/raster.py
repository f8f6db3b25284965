"""PNG and PDF back end, by matplotlib, with the DejaVu fonts that it includes.

The output is deterministic for a given version of matplotlib.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

from zermelo.drawing.scene import Circle, Line, Polygon, Scene, Text
from zermelo.drawing.style import Style, style
from zermelo.errors import MissingDependency

#: Largest side of a PDF page in points, the limit of the PDF format; larger scenes are scaled down.
MAX_PDF_SIDE = 14_400.0
#: Largest side and area of a PNG in pixels; larger scenes get a lower resolution.
MAX_PNG_SIDE = 30_000.0
MAX_PNG_AREA = 24e6
COMPRESS_LEVEL = 3  # zlib level of PNGs: three times as fast as the default, little larger


def png(scene: Scene, *, dpi: float = 144) -> bytes:
    """Render a scene as PNG. Raises `MissingDependency` without matplotlib."""
    _require_matplotlib()
    longest = max(scene.width, scene.height) * dpi / 72
    area = scene.width * scene.height * (dpi / 72) ** 2
    dpi *= min(1.0, MAX_PNG_SIDE / longest, (MAX_PNG_AREA / area) ** 0.5)
    metadata = {"Software": None, "Title": scene.title, "Description": scene.description}
    return _render(scene, "png", 1.0, dpi, metadata)


def pdf(scene: Scene) -> bytes:
    """Render a scene as a one-page PDF with searchable text. Raises `MissingDependency` without matplotlib."""
    _require_matplotlib()
    scale = min(1.0, MAX_PDF_SIDE / max(scene.width, scene.height))
    metadata = {"Creator": None, "Producer": None, "CreationDate": None, "Title": scene.title}
    return _render(scene, "pdf", scale, 72.0, metadata | {"Subject": scene.description})


def _require_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency("PNG and PDF need matplotlib: pip install 'zermelo[draw]'") from None


def _render(scene: Scene, format: str, scale: float, dpi: float, metadata: dict[str, Any]) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    # TrueType fonts, so that text can be searched and copied. The defaults, not the user's settings.
    settings = {**matplotlib.rcParamsDefault, "pdf.fonttype": 42, "backend": "agg"}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(scene.width * scale / 72, scene.height * scale / 72), dpi=dpi)
        figure.patch.set_facecolor(scene.styles.colours["paper"][0])
        figure.add_artist(scene_artist(scene, scale))
        file = io.BytesIO()
        extra: dict[str, Any] = {"pil_kwargs": {"compress_level": COMPRESS_LEVEL}} if format == "png" else {}
        figure.savefig(file, format=format, dpi=dpi, metadata=metadata, **extra)
    return file.getvalue()


def scene_artist(scene: Scene, scale: float) -> Any:
    """A scene as one matplotlib artist; thousands of separate artists would be many times slower."""
    from matplotlib.artist import Artist
    from matplotlib.colors import to_rgba
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    class SceneArtist(Artist):
        def draw(self, renderer: Any) -> None:
            unit = renderer.points_to_pixels(1.0) * scale
            height = scene.height * unit
            transform = Affine2D().scale(unit, -unit).translate(0, height)
            fonts: dict[Style, Any] = {}
            colours = scene.styles.colours

            def context(look: Style) -> Any:
                gc = renderer.new_gc()  # its lengths are in points, those of paths and texts in pixels
                gc.set_linewidth(look.width * scale if look.stroke else 0.0)
                gc.set_foreground(to_rgba(colours[look.stroke][0]) if look.stroke else (0, 0, 0, 0), isRGBA=True)
                gc.set_joinstyle("round")
                gc.set_capstyle("butt")
                if look.dash:
                    gc.set_dashes(0, [length * scale for length in look.dash])
                return gc

            def write(part: Text, look: Style) -> None:
                font = fonts.get(look)
                if font is None:
                    font = fonts[look] = FontProperties(
                        family="DejaVu Sans Mono" if look.mono else "DejaVu Sans",
                        size=look.size * scale,
                        weight="bold" if look.bold else "normal",
                        style="italic" if look.italic and not look.mono else "normal",
                    )
                gc = renderer.new_gc()
                gc.set_foreground(to_rgba(colours[look.fill][0]), isRGBA=True)
                x = part.x * unit
                if part.anchor != "start":
                    width, _, _ = renderer.get_text_width_height_descent(part.text, font, False)
                    x -= width / 2 if part.anchor == "middle" else width
                y = part.y * unit if renderer.flipy() else height - part.y * unit
                renderer.draw_text(gc, x, y, part.text, font, 0, ismath=False)
                gc.restore()

            for group in scene.groups:
                for part in group.parts:
                    look = style(group.classes, part.kind, scene.styles)
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
                    gc = context(look)
                    renderer.draw_path(gc, path, transform, to_rgba(colours[look.fill][0]) if is_filled else None)
                    gc.restore()

    return SceneArtist()
