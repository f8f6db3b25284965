"""Text for messages: quoted input, single lines, suggestions for unknown names."""

from collections.abc import Iterable

# Characters of the input that a message quotes at most.
_LONGEST_QUOTE = 20


def quoted(text: str) -> str:
    """Quote a piece of input for an error message; long texts are cut."""
    return repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "...")


def single_line(text: str) -> str:
    """Return untrusted text as one line without control characters, safe for a terminal and for files."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


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
