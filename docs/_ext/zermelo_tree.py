"""The directive that draws a searched tree on a page, by Zermelo itself, whenever the pages are built.

    ```{tree} skrentny_tree
    :convention: equal fail-hard own
    :caption: What stands below the picture.
    ```

The argument is a case of the lectures, or a tree in brackets, or with `grow` the name of a game. A case is searched as
its lecture does it unless a `convention` is given. Further options:

    grow      so many plies of the game's tree, from its start or from `position`, the leaves judged by `evaluation`
    step      the picture after so many steps
    plain     the tree alone, nothing searched
    order     the order of visits at the nodes
    states    the positions at the nodes
    moves     without the nodes' names: the moves at the arcs say enough
    still     without the page to step through

In HTML the picture is an inline SVG, with a page beside it on which the search goes step by step; elsewhere it is text.
Nothing that is made here is kept in the repository.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

import zermelo
from zermelo.drawing.drawing import drawing_of
from zermelo.drawing.options import AUTO, Options
from zermelo.errors import ZermeloError
from zermelo.registry import load
from zermelo.teaching.diagrams.html import html
from zermelo.teaching.diagrams.text import text
from zermelo.teaching.lectures.cases import case_of
from zermelo.teaching.tree.game_trees import game_tree
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.trace import trace

#: Where the pages to step through are written, below the folder of the HTML.
FOLDER = "trees"
#: How small a picture may become beside its own size.
SMALLEST = 0.65


class TreeDirective(SphinxDirective):
    """A tree, drawn."""

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
        "moves": directives.flag,
        "still": directives.flag,
    }

    def run(self):
        try:
            return self.drawn()
        except ZermeloError as error:
            raise self.error(str(error)) from None

    def drawn(self):
        said = self.arguments[0].strip()
        tree, convention = self.tree_of(said)
        searched = trace(tree, self.options.get("convention", convention))
        number = self.env.new_serialno("tree")
        options = Options(
            prefix=f"tree{number}-",
            theme=AUTO,
            standalone=False,
            step=self.options.get("step"),
            order="order" in self.options,
            states="states" in self.options,
            names="moves" not in self.options,
        )
        drawn = tree if "plain" in self.options else searched
        name = f"{self.env.docname.replace('/', '-')}-{number + 1}.html"
        if self.has_page:
            page = Options(states=options.states, names=options.names)
            pages_of(self.env).setdefault(self.env.docname, {})[name] = html(searched, page)
        figure = nodes.raw("", self.figure(drawing_of(drawn, options).svg(), name, tree.name or "tree"), format="html")
        elsewhere = addnodes.only(expr="not html")
        elsewhere += nodes.literal_block("", text(drawn, Options(names=options.names, step=options.step)))
        if "caption" in self.options:
            elsewhere += nodes.paragraph("", self.options["caption"])
        return [figure, elsewhere]

    def tree_of(self, said):
        """The tree that the argument stands for, and how it is searched if nothing is said."""
        if "grow" in self.options:
            game = load(said)
            state = game.parse(self.options["position"]) if "position" in self.options else game.start()
            return game_tree(state, self.options["grow"], self.options.get("evaluation")), ""
        if said[0] in "[{:":
            return read(said), ""
        case = case_of(said)
        return case.tree, case.convention

    @property
    def has_page(self):
        return "still" not in self.options and "plain" not in self.options

    def figure(self, picture, name, title):
        """The picture as it stands on the page, and what leads to the search step by step."""
        wide = float(re.search(r' width="([\d.]+)"', picture)[1])
        # A wide picture is scaled down as far as it can still be read; beyond, one moves it from side to side.
        look = f"max-width: max(100%, {SMALLEST * wide:.0f}px); height: auto"
        picture = picture.replace("<svg ", f'<svg style="{look}" ', 1)
        parts = [f'<div style="overflow-x: auto">{picture}</div>']
        if "caption" in self.options:
            parts.append(f"<figcaption><p>{escape(self.options['caption'])}</p></figcaption>")
        if self.has_page:
            path = posixpath.relpath(f"{FOLDER}/{name}", posixpath.dirname(self.env.docname) or ".")
            frame = f'<iframe src="{path}" title="{escape(title)}, step by step" loading="lazy" '
            frame += 'style="width: 100%; height: 44rem; border: 1px solid var(--color-background-border)"></iframe>'
            alone = f'<p><a href="{path}">On a page of its own</a>, where the arrow keys work at once.</p>'
            parts.append(f"<details><summary>Step through it</summary>{alone}{frame}</details>")
        return f'<figure class="tree">{"".join(parts)}</figure>'


# ---- the pages to step through: kept with what Sphinx knows of each document, written when all are built ----------


def pages_of(env):
    if not hasattr(env, "zermelo_trees"):
        env.zermelo_trees = {}
    return env.zermelo_trees


def forget(app, env, docname):
    pages_of(env).pop(docname, None)


def merge(app, env, docnames, other):
    pages_of(env).update({name: pages for name, pages in pages_of(other).items() if name in docnames})


def write(app, error):
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    wanted = {name: page for pages in pages_of(app.env).values() for name, page in pages.items()}
    for name, page in wanted.items():
        (folder / name).write_text(page, encoding="utf-8")
    for old in folder.glob("*.html"):
        if old.name not in wanted:
            old.unlink()


def sources():
    """A number that changes with the code that draws, so that Sphinx reads the pages anew."""
    home = Path(zermelo.__file__).parent
    number = 0
    for path in sorted(home.glob("**/*")):
        if path.parent.name in ("tree", "diagrams", "drawing", "lectures", "search") and path.is_file():
            number = zlib.crc32(path.read_bytes(), number)
    return number


def setup(app):
    app.add_directive("tree", TreeDirective)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"version": "1", "env_version": sources(), "parallel_read_safe": True, "parallel_write_safe": True}
