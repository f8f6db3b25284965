"""Sphinx directives for the contract page, filled from the declarations in `State` and `Evaluation`.

```{hooks} required
```
Table of methods: `required`, `rules` (optional, compiled), `hidden` (hidden information), `text` (interpreted only) or
`evaluation`.

```{facts} game
```
Table of class attributes of a `game` or an `evaluation`.
"""

from __future__ import annotations

from sphinx.util.docutils import SphinxDirective

from zermelo.core import evaluation, game

GROUPS = {
    "required": [hook for hook in game.HOOKS.values() if hook.required],
    "rules": [hook for hook in game.HOOKS.values() if hook.compiled and not hook.required and not hook.is_hidden],
    "hidden": [hook for hook in game.HOOKS.values() if hook.is_hidden],
    "text": [hook for hook in game.HOOKS.values() if not hook.compiled and not hook.is_hidden],
    "evaluation": list(evaluation.HOOKS.values()),
}
FACTS = {"game": list(game.FACTS.values()), "evaluation": list(evaluation.FACTS.values())}


class Hooks(SphinxDirective):
    """Table of the methods of a group, from their docstrings."""

    required_arguments = 1

    def run(self):
        group = self.arguments[0]
        required = group == "required"
        rows = ["| method | what it does |", "| --- | --- |"]
        if not required:
            rows = ["| method | default | what it does |", "| --- | --- | --- |"]
        for hook in GROUPS[group]:
            method = getattr(evaluation.Evaluation if group == "evaluation" else game.State, hook.name)
            cells = [f"`{hook.signature}`", *([] if required else [hook.default or "-"]), prose(method.__doc__)]
            rows.append(f"| {' | '.join(cells)} |")
        return self.parse_text_to_nodes("\n".join(rows))


def prose(docstring: str) -> str:
    """Return the paragraphs of a docstring before its numpydoc sections, on one line."""
    paragraphs = docstring.partition("\n        ------")[0].split("\n\n")
    if "\n        ------" in docstring:
        paragraphs.pop()
    return " ".join(" ".join(paragraphs).split())


class Facts(SphinxDirective):
    """Table of the class attributes of games or evaluations."""

    required_arguments = 1

    def run(self):
        rows = ["| class attribute | default | meaning |", "| --- | --- | --- |"]
        for fact in FACTS[self.arguments[0]]:
            default = f"`{fact.default!r}`" if fact.default != {} else "none"
            rows.append(f"| `{fact.name}` | {default} | {fact.summary} |")
        return self.parse_text_to_nodes("\n".join(rows))


def setup(app):
    app.add_directive("hooks", Hooks)
    app.add_directive("facts", Facts)
    return {"parallel_read_safe": True}
