"""Text for people: visible control characters, quoted input, single lines, suggestions for unknown names."""

import re
from collections.abc import Iterable

# Characters of the input that a message quotes at most.
_LONGEST_QUOTE = 20
#: Characters of a message, a name or a cell of a table at most.
LONGEST_MESSAGE = 1500

# Control characters (C0 and C1, without tab and newline), characters that are invisible or reorder the text around them
# (Unicode's format characters without the visible ones), separators of lines, and lone surrogates.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_hidden = re.compile(f"[{_HIDDEN}]")
_hidden_in_line = re.compile(f"[{_HIDDEN}\t\n]")
_control = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return text of any origin for people: control characters as escapes such as `\x1b`, newlines and tabs unchanged.

    Notes
    -----
    Also escaped are characters that reorder text or are invisible (bidirectional controls, zero-width characters) and
    lone surrogates, which file names of other encodings contain.
    """
    return _hidden.sub(_escape, text)


def single_line(text: str, most: int = LONGEST_MESSAGE) -> str:
    r"""Return text of any origin as one line: newlines and tabs escaped too (`\n`), long text cut in the middle."""
    if len(text) > most:
        tail = most // 3
        text = f"{text[: most - tail - 5]} ... {text[-tail:]}"
    return _hidden_in_line.sub(_escape, text)[:most]


def without_controls(text: str) -> str:
    """Return text for a file format that has no control characters: they become U+FFFD; newlines and tabs remain."""
    return _control.sub("\ufffd", text)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def quoted(text: str) -> str:
    """Quote a piece of input for an error message; long texts are cut."""
    return repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "...")


def did_you_mean(text: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Suggest known names for an unknown one: `did you mean othello?`.

    Parameters
    ----------
    text : str
        The unknown name.
    known : iterable of str
        The names that exist.
    otherwise : str, optional
        What to return when no known name is similar. By default `expected one of ...` with all known names.
    """
    from difflib import get_close_matches

    names = {name.casefold(): name for name in known}
    similar = [names[name] for name in get_close_matches(text.strip()[:60].casefold(), names, cutoff=0.55)]
    if similar:
        return f"did you mean {' or '.join(similar)}?"
    return f"expected one of {', '.join(names.values())}" if otherwise is None else otherwise
