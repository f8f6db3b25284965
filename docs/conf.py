"""Sphinx configuration. Build with `make docs`; warnings are errors."""

import importlib.metadata
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Zermelo"
author = "The Zermelo developers"
copyright = "The Zermelo developers"
release = importlib.metadata.version("zermelo")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
extensions += [
    "zermelo_board",
    "zermelo_contract",
    "zermelo_files",
    "zermelo_games",
    "zermelo_lectures",
    "zermelo_tree",
]
exclude_patterns = ["_build", "_ext"]
myst_heading_anchors = 3

smartquotes = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_mock_imports = ["gymnasium", "pettingzoo", "pyspiel"]
napoleon_google_docstring = False
# Attributes as a list, not as descriptions of their own: those of dataclasses are members already.
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False

html_theme = "furo"
html_title = "Zermelo"
# Otherwise each page links its source, which `zermelo serve` does not have.
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def _code_in_backticks(app, what, name, obj, options, lines):
    """Double the backticks around code: docstrings use one, as in Markdown, but reStructuredText needs two."""
    code = re.compile(r"(?<![`:])`([^`]+)`(?!`)(?=(\w?))")
    lines[:] = [code.sub(lambda found: f"``{found[1]}``" + ("\\ " if found[2] else ""), line) for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", _code_in_backticks)
