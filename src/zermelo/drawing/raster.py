"""PNG and PDF back end, by matplotlib, with the DejaVu fonts that it includes.

The output is deterministic for a given version of matplotlib.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zermelo.drawing.scene import Circle, Inset, Line, Polygon, Scene, Text
from zermelo.drawing.style import Style, style
from zermelo.errors import FileError, MissingDependency

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Largest side of a PDF page in points, the limit of the PDF format; larger scenes are scaled down.
MAX_PDF_SIDE = 14_400.0
#: Largest side and area of a PNG in pixels; larger scenes get a lower resolution.
MAX_PNG_SIDE = 30_000.0
MAX_PNG_AREA = 24e6
COMPRESS_LEVEL = 3  # zlib level of PNGs: three times as fast as the default, little larger


def png(scene: Scene, *, dpi: float = 144) -> bytes:
    """Render a scene as PNG. Raises `MissingDependency` without matplotlib."""
    require_matplotlib("PNG and PDF need")
    longest = max(scene.width, scene.height) * dpi / 72
    area = scene.width * scene.height * (dpi / 72) ** 2
    dpi *= min(1.0, MAX_PNG_SIDE / longest, (MAX_PNG_AREA / area) ** 0.5)
    metadata = {"Software": None, "Title": scene.title, "Description": scene.description}
    file = io.BytesIO()
    with _settings():
        fast = {"compress_level": COMPRESS_LEVEL}
        _figure(scene, 1.0, dpi).savefig(file, format="png", dpi=dpi, metadata=metadata, pil_kwargs=fast)
    return file.getvalue()


def pdf(*scenes: Scene) -> bytes:
    """Render scenes as the pages of a PDF with searchable text. Raises `MissingDependency` without matplotlib."""
    require_matplotlib("PNG and PDF need")
    from matplotlib.backends.backend_pdf import PdfPages

    last = scenes[-1]
    metadata = {"Creator": None, "Producer": None, "CreationDate": None, "Title": last.title}
    file = io.BytesIO()
    with _settings(), PdfPages(file, metadata=metadata | {"Subject": last.description}) as pages:
        for scene in scenes:
            scale = min(1.0, MAX_PDF_SIDE / max(scene.width, scene.height))
            pages.savefig(_figure(scene, scale, 72.0), dpi=72.0)
    return file.getvalue()


def require_matplotlib(needing: str) -> None:
    """Import matplotlib for what `needing` names, such as "plots need".

    Raises
    ------
    MissingDependency
        If matplotlib is not installed.
    FileError
        If matplotlib finds no folder for its settings and fonts that it can write to.
    """
    log = logging.getLogger("matplotlib")  # it would print that it uses a temporary folder, or finds none
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency(f"{needing} matplotlib: pip install 'zermelo[draw]'") from None
    except OSError:
        raise FileError(
            f"{needing} matplotlib, and matplotlib needs a folder that it can write to: set MPLCONFIGDIR or TMPDIR"
        ) from None
    finally:
        log.setLevel(level)


@contextmanager
def _settings() -> Iterator[None]:
    """The settings of matplotlib: its defaults, not the user's, and TrueType fonts, so that text can be copied."""
    import matplotlib

    settings = {**matplotlib.rcParamsDefault, "pdf.fonttype": 42, "backend": "agg"}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def _figure(scene: Scene, scale: float, dpi: float) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(scene.width * scale / 72, scene.height * scale / 72), dpi=dpi)
    figure.patch.set_facecolor(scene.styles.colours["paper"][0])
    figure.add_artist(scene_artist(scene, scale))
    return figure


def scene_artist(scene: Scene, scale: float) -> Any:
    """A scene as one matplotlib artist; thousands of separate artists would be many times slower."""
    from matplotlib.artist import Artist
    from matplotlib.colors import to_rgba
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    class SceneArtist(Artist):
        def draw(self, renderer: Any) -> None:
            self._draw(renderer, scene, scene.height * scale, 0.0, 0.0, scale, {})

        def _draw(
            self, renderer: Any, scene: Scene, height: float, x: float, y: float, scale: float, fonts: dict[Any, Any]
        ) -> None:
            """Draw a scene, scaled, with its upper left corner at (x, y) of a page of this height, in points."""
            pixels = renderer.points_to_pixels(1.0)
            unit = scale * pixels
            transform = Affine2D().scale(unit, -unit).translate(x * pixels, (height - y) * pixels)
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
                font = fonts.get((look, scale))
                if font is None:
                    font = fonts[look, scale] = FontProperties(
                        family="DejaVu Sans Mono" if look.mono else "DejaVu Sans",
                        size=look.size * scale,
                        weight="bold" if look.bold else "normal",
                        style="italic" if look.italic and not look.mono else "normal",
                    )
                gc = renderer.new_gc()
                gc.set_foreground(to_rgba(colours[look.fill][0]), isRGBA=True)
                left = x * pixels + part.x * unit
                if part.anchor != "start":
                    width, _, _ = renderer.get_text_width_height_descent(part.text, font, False)
                    left -= width / 2 if part.anchor == "middle" else width
                down = y * pixels + part.y * unit
                renderer.draw_text(
                    gc, left, down if renderer.flipy() else height * pixels - down, part.text, font, 0, ismath=False
                )
                gc.restore()

            for group in scene.groups:
                for part in group.parts:
                    if isinstance(part, Inset):
                        place = x + part.x * scale, y + part.y * scale
                        self._draw(renderer, part.scene, height, *place, scale * part.scale, fonts)
                        continue
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
