"""Approximate text widths, for layout without a font engine.

The widths are those of DejaVu Sans, the font of the PNG and PDF back ends. Browsers that lack it substitute narrower
fonts, so text that fits in DejaVu Sans fits there too.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

#: Widths of ASCII 32 to 126, in thousandths of the font size.
_WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)  # fmt: skip
_OTHERS = {"∞": 833, "α": 659, "β": 638, "…": 1000}
_USUAL, _WIDE, _MONO = 840, 1050, 602
_BOLD = 1.12  # width of bold letters relative to regular ones


def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """The width of a line of text, in the unit of `size`."""
    total = 0
    for letter in text:
        code = ord(letter)
        if 32 <= code < 127:
            total += _MONO if mono else _WIDTHS[code - 32]
        elif not combining(letter):
            wide = east_asian_width(letter) in "WF"
            total += _WIDE if wide else _MONO if mono else _OTHERS.get(letter, _USUAL)
    return total * size * (_BOLD if bold and not mono else 1) / 1000
