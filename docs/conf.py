"""How Sphinx builds the pages: `make docs`, with warnings as errors."""

import importlib.metadata

project = "Zermelo"
author = "The Zermelo developers"
copyright = "The Zermelo developers"
release = importlib.metadata.version("zermelo")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3

# Docstrings write code in single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "furo"
html_title = "Zermelo"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
