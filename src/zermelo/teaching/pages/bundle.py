"""Pages with inlined JavaScript modules: `bundle` joins them, `render_page` fills the template of a page.

A page opened from a file cannot load modules, so a page carries its modules in one inline script. They keep the syntax
of modules, so that editors and type checkers understand them, and share one scope on the page: the same name twice is a
syntax error there. The Content-Security-Policy of a page allows exactly this script, by its hash, and no connection.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from zermelo.drawing.style import page_variables
from zermelo.teaching.pages.stripping import stripped

_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"((?:\.|/scripts)/[\w/]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^(?:export |/\*\* @type \{\w+\} \*/ export )", re.MULTILINE)


#: Where the web page's server has the modules of this package. The page's own files are read, but nothing is imported.
_OWN = "/scripts/teaching/"


def _file(url: str) -> Traversable:
    """The file of a module by its URL on the web page."""
    if url.startswith(_OWN):
        return files(__package__).joinpath("scripts", url.removeprefix(_OWN))
    return files("zermelo").joinpath("web", "page", url.removeprefix("/"))


@cache
def bundle(entry: str) -> str:
    """Join a module and all that it imports, imported modules first.

    Parameters
    ----------
    entry : str
        Name of a module of this package, without `.js`; or a module of the web page by its URL, `/scripts/board.js`.

    Raises
    ------
    ValueError
        If a module has a form of import or export that cannot be joined.
    """
    joined: dict[str, str] = {}

    def add(url: str) -> None:
        if url in joined:
            return
        joined[url] = ""  # an import in a circle ends here
        source = _file(url).read_text("utf-8")
        for match in _IMPORT.finditer(source):
            add(posixpath.join(posixpath.dirname(url), match[1].removeprefix("./")))
        text = _EXPORT.sub("", _IMPORT.sub("", source))
        if left := re.search(r"^(?:import|export)\b.*", text, re.MULTILINE):
            raise ValueError(f"{url}: cannot join {left[0]!r}")
        del joined[url]  # so that the order is that in which modules are complete
        joined[url] = text

    add(entry if entry.startswith("/") else f"{_OWN}{entry}.js")
    return stripped("\n".join(joined.values()), ".js")


def render_page(template: str, entry: str, data: Any = None, **fields: Any) -> str:
    """Render a page.

    Parameters
    ----------
    template : str
        Name of the template in `templates/`.
    entry : str
        The module that runs the page; "" for a page without a script.
    data : JSON data
        What the script reads from the element `#data`.
    **fields
        The other fields of the template.
    """
    script = "\n" + bundle(entry) if entry else ""
    return (
        environment()
        .get_template(template)
        .render(
            script_hash=script_hash(script),
            script=Markup(script),
            data=Markup(json_for_script(data)),
            **fields,
        )
    )


def script_hash(script: str) -> str:
    """The hash of an inline script as a Content-Security-Policy has it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def environment() -> Environment:
    """The templates of pages; text is escaped."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(__package__), PackageLoader(__package__, "styles")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["page_variables"] = Markup(page_variables())
    return made


def json_for_script(data: Any) -> str:
    """JSON for a script element: without `<`, so that no text in it can end the element or start a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\x7f", "\\u007f")
