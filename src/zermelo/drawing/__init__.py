"""Pictures of trees and of their search: SVG, HTML, PNG, PDF, TikZ, DOT and text, all with the same `Options`.

from zermelo import drawing

from zermelo.teaching import tree

trace = tree.trace(tree.read("[[3,12,8],[2,4,6],[14,5,2]]"))
drawing.draw(trace, order=True)                      # shows itself in a notebook
drawing.draw(trace).save("tree.pdf")
"""

from zermelo.drawing.drawing import FORMS, Drawing, draw
from zermelo.teaching.diagrams.options import Options

__all__ = ["FORMS", "Drawing", "Options", "draw"]
