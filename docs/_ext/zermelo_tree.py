"""Sphinx directive that draws a searched tree when the pages are built.

    ```{tree} skrentny_tree
    :convention: equal fail-hard own
    :caption: A caption.
    ```

The argument is a case of the lectures, a tree in brackets, or with `grow` the name of a game. A case is searched with
the convention of its lecture unless `convention` is given. Further options:

    grow      depth of the game tree in plies, from the start or from `position`, with leaves valued by `evaluation`
    step      draw the state after this many steps
    plain     draw the tree without a search
    order     number the nodes in the order of visits
    states    draw the positions
    boards    draw the positions as boards
    symmetry  add one of the moves that are equal by symmetry
    direction down or right
    max-nodes maximum number of nodes drawn
    fit       size of the page in points, `480x270`
    moves     draw move names instead of node names
    still     no page that steps through the search

In HTML the picture is an inline SVG with a page that steps through the search; in other formats it is text.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from dataclasses import replace
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

import zermelo
from zermelo.drawing.drawing import drawing_of
from zermelo.drawing.options import AUTO, Options, parse_page
from zermelo.errors import ZermeloError
from zermelo.registry import load
from zermelo.teaching.diagrams.html import html
from zermelo.teaching.diagrams.text import text
from zermelo.teaching.lectures.cases import case_of
from zermelo.teaching.tree.game_trees import game_tree
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.trace import trace

#: Directory of the stepping pages, in the output directory.
FOLDER = "trees"
#: Minimum scale of a picture on narrow screens.
MIN_SCALE = 0.65


class TreeDirective(SphinxDirective):
    """Picture of a tree."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "convention": directives.unchanged,
        "grow": directives.positive_int,
        "position": directives.unchanged,
        "evaluation": directives.unchanged,
        "caption": directives.unchanged,
        "step": directives.nonnegative_int,
        "plain": directives.flag,
        "order": directives.flag,
        "states": directives.flag,
        "boards": directives.flag,
        "symmetry": directives.flag,
        "direction": directives.unchanged,
        "max-nodes": directives.positive_int,
        "fit": directives.unchanged,
        "moves": directives.flag,
        "still": directives.flag,
    }

    def run(self):
        try:
            return self.build_nodes()
        except ZermeloError as error:
            raise self.error(str(error)) from None

    def build_nodes(self):
        source = self.arguments[0].strip()
        tree, convention = self.tree_of(source)
        searched = trace(tree, self.options.get("convention", convention))
        number = self.env.new_serialno("tree")
        options = Options(
            prefix=f"tree{number}-",
            theme=AUTO,
            standalone=False,
            step=self.options.get("step"),
            order="order" in self.options,
            states="states" in self.options,
            boards="boards" in self.options,
            direction=self.options.get("direction", "down"),
            max_nodes=self.options.get("max-nodes", 200),
            fit=parse_page(self.options["fit"]) if "fit" in self.options else None,
            names="moves" not in self.options,
        )
        drawn = tree if "plain" in self.options else searched
        name = f"{self.env.docname.replace('/', '-')}-{number + 1}.html"
        if self.has_page:
            page = replace(options, prefix="", theme="light", step=None, order=False)
            pages_of(self.env).setdefault(self.env.docname, {})[name] = html(searched, page)
        figure = nodes.raw("", self.figure(drawing_of(drawn, options).svg(), name, tree.name or "tree"), format="html")
        other_formats = addnodes.only(expr="not html")
        other_formats += nodes.literal_block("", text(drawn, Options(names=options.names, step=options.step)))
        if "caption" in self.options:
            other_formats += nodes.paragraph("", self.options["caption"])
        return [figure, other_formats]

    def tree_of(self, source):
        """The tree of the argument, and its default convention."""
        if "grow" in self.options:
            game = load(source)
            state = game.parse(self.options["position"]) if "position" in self.options else game.start()
            evaluation, symmetry = self.options.get("evaluation"), "symmetry" in self.options
            return game_tree(state, self.options["grow"], evaluation, symmetry=symmetry), ""
        if source[0] in "[{:":
            return read(source), ""
        case = case_of(source)
        return case.tree, case.convention

    @property
    def has_page(self):
        return "still" not in self.options and "plain" not in self.options

    def figure(self, picture, name, title):
        """The picture and the link to the stepping page, as HTML."""
        width = float(re.search(r' width="([\d.]+)"', picture)[1])
        # Scale wide pictures down while they are legible; otherwise scroll.
        style = f"max-width: max(100%, {MIN_SCALE * width:.0f}px); height: auto"
        picture = picture.replace("<svg ", f'<svg style="{style}" ', 1)
        parts = [f'<div style="overflow-x: auto">{picture}</div>']
        if "caption" in self.options:
            parts.append(f"<figcaption><p>{escape(self.options['caption'])}</p></figcaption>")
        if self.has_page:
            path = posixpath.relpath(f"{FOLDER}/{name}", posixpath.dirname(self.env.docname) or ".")
            frame = f'<iframe src="{path}" title="{escape(title)}, step by step" loading="lazy" '
            frame += 'style="width: 100%; height: 44rem; border: 1px solid var(--color-background-border)"></iframe>'
            alone = f'<p><a href="{path}">Open on its own page</a> to use the arrow keys.</p>'
            parts.append(f"<details><summary>Step through the search</summary>{alone}{frame}</details>")
        return f'<figure class="tree">{"".join(parts)}</figure>'


# ---- stepping pages: stored in the Sphinx environment by document, written when the build ends -------------------


def pages_of(env):
    """Return the stepping pages collected so far: document name -> file name -> HTML."""
    if not hasattr(env, "zermelo_trees"):
        env.zermelo_trees = {}
    return env.zermelo_trees


def forget(app, env, docname):
    """Drop the pages of a document that Sphinx is about to read again."""
    pages_of(env).pop(docname, None)


def merge(app, env, docnames, other):
    """Take over the pages that a parallel reader collected."""
    pages_of(env).update({name: pages for name, pages in pages_of(other).items() if name in docnames})


def write(app, error):
    """Write all stepping pages and delete files of pages that no longer exist."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    expected = {name: page for pages in pages_of(app.env).values() for name, page in pages.items()}
    for name, page in expected.items():
        (folder / name).write_text(page, encoding="utf-8")
    for old in folder.glob("*.html"):
        if old.name not in expected:
            old.unlink()


def sources():
    """A checksum of the drawing code, so that Sphinx rebuilds the pages when it changes."""
    package = Path(zermelo.__file__).parent
    checksum = 0
    for folder in ("teaching", "drawing", "search"):
        for path in sorted(package.glob(f"{folder}/**/*")):
            if path.suffix in (".py", ".json", ".html", ".css", ".js"):
                checksum = zlib.crc32(path.read_bytes(), checksum)
    return checksum


def setup(app):
    app.add_directive("tree", TreeDirective)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"version": "1", "env_version": sources(), "parallel_read_safe": True, "parallel_write_safe": True}
