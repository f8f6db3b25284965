"""Script and style without comments and needless space, line for line: `stripped`.

The sources are written for people; browsers get a third less, compressed or not. Names and line breaks stay, so errors
are reported in the lines of the source. Tests compare the syntax trees of all scripts before and after.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Space and comments, a string, a run of code, or a single sign.
_PART = re.compile(
    r"""(?P<space> (?: \s+ | //[^\n]* | /\*.*?\*/ )+ )
      | "(?: [^"\\] | \\. )*" | '(?: [^'\\] | \\. )*'
      | [^\s"'`/{}]+ | .""",
    re.VERBOSE | re.DOTALL,
)
#: A template's text up to its end or to the next expression in it.
_TEMPLATE = re.compile(r"[`}](?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
_REGULAR_EXPRESSION = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/")
#: After other code than this a slash divides.
_BEFORE_REGULAR_EXPRESSION = re.compile(
    r"(?:^ | [(,=:\[!&|?{};+\-*%~^<>] | \b(?:return|typeof|case|in|of|else|void|await) )$", re.VERBOSE
)
#: Characters between which a space is needed.
_APART = re.compile(r"[\w$#]{2}|\+\+|--")
_IN_STYLE = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|\s*/\*.*?\*/|[ \t]*\n[ \t]*", re.DOTALL)


def stripped(text: str, suffix: str) -> str:
    """Return the text of a file without comments and needless space; each line keeps its number.

    Parameters
    ----------
    text : str
    suffix : str
        ".js" or ".css". Other files are returned as they are.
    """
    match suffix:
        case ".js":
            return _stripped_script(text)
        case ".css":
            return _IN_STYLE.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)
        case _:
            return text


def _stripped_script(text: str) -> str:
    parts = [""]
    space: str | None = None
    for part, is_space in _parts(text):
        if is_space:
            space = part
            continue
        if space is not None:
            lines = "\n" * space.count("\n")
            parts.append(lines or (" " if _APART.match(parts[-1][-1:] + part[0]) else ""))
            space = None
        parts.append(part)
    return "".join(parts) + "\n"


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a script in order, and whether they are space."""
    braces: list[int] = []  # of each template around this place: the braces that are open in its current expression
    before, at = "", 0
    while at < len(text):
        sign = text[at]
        if sign == "`" or (sign == "}" and braces and braces[-1] == 0):
            found = _TEMPLATE.match(text, at)
            if sign == "}":
                braces.pop()
            if found and found[0].endswith("${"):
                braces.append(0)
        else:
            found = _PART.match(text, at)
            if sign == "/" and found and not found["space"] and _BEFORE_REGULAR_EXPRESSION.search(before):
                found = _REGULAR_EXPRESSION.match(text, at)
            if sign in "{}" and braces:
                braces[-1] += 1 if sign == "{" else -1
        if found is None:
            raise ValueError(f"cannot strip from {text[at : at + 40]!r}")
        is_space = bool(found.groupdict().get("space"))
        if not is_space:
            before = found[0]
        yield found[0], is_space
        at = found.end()
