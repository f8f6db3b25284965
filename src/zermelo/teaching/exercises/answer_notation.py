"""Numbers, windows and nodes as people write them on paper and in text files.

    numbers    3  -2.5  −2,5  7/3  ½  [3]  = 3  v=3  ≥5  <= 3
    bounds     inf  +oo  -∞  infinity  -Infinity  $-\\infty$
    windows    [-inf, 3]  (-∞; 3)  ]-oo 3[  -inf..3  alpha=-inf, beta=3  ≤ 3  -inf <= v <= 3
    nodes      e2  E2 (if no other name differs from it only by case)
    arcs       E-e2  E/e2  E->e2  (E, e2)  or the name of the lower node
    text       A=3, B: 2,5; C ≥ 5            entries of many nodes in one text

Every reader raises `TreeError` with a message that names the unreadable text, so an entry fails alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import inf

from zermelo.errors import TreeError
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.numbers import Bound, Number, to_bound, to_number
from zermelo.teaching.tree.parsing import MAX_NAME

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–—﹣", "-"),
        **dict.fromkeys("⩾≧", "≥"),
        **dict.fromkeys("⩽≦", "≤"),
        **dict.fromkeys("⁄∕", "/"),
        **dict.fromkeys("⟶⇒↦", "→"),
        "∞": "inf",
    }
)
#: LaTeX commands and ASCII forms of one sign, as regular expressions.
_SPELLINGS = (
    (re.compile(r"\\infty\b"), "inf"),
    (re.compile(r"\\geq?\b|>="), "≥"),
    (re.compile(r"\\leq?\b|<=|=<"), "≤"),
    (re.compile(r"->|=>|\\to\b|\\rightarrow\b"), "→"),
    (re.compile(r"\$"), ""),
)
#: A character that each of them contains.
_SPELLED = re.compile(r"[\\>=$]")
_AFTER_WHOLE = re.compile(r"(?<=\d)(?=[¼½¾⅐-⅞])")
_INFINITY = r"(?:\.?inf(?:inity|ty)?|oo)(?!\w)"
_UNSIGNED = rf"(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:/\d+)?|\.\d+|{_INFINITY})"
_NUMBER = rf"[-+]?\s?{_UNSIGNED}"
#: Maximum length of a number in characters, with blanks and brackets.
_MAX_NUMBER = 200
_INTEGER = re.compile(r"[-+]?\d{1,12}", re.ASCII)
_INFINITE = re.compile(rf"([-+]?)\s?{_INFINITY}", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"([-+]?\s?\d+),(\d+)")
_COMPARISON = re.compile(r"(?:[a-zA-Z]\w{0,20}\s*)?([≥≤])\s*(.+)", re.DOTALL)
_DOUBLE_COMPARISON = re.compile(r"([^≥≤<>]+)[≤<]\s*(?:[a-zA-Z]\w{0,20})?\s*[≤<]([^≥≤<>]+)")
_ENDS = {
    **dict.fromkeys(("alpha", "α", "a", "low", "lower", "min", "from"), 0),
    **dict.fromkeys(("beta", "β", "b", "high", "upper", "max", "to"), 1),
}
_LABELLED = re.compile(r"\s*(?:alpha|beta|α|β|a|b)\s*[:=]\s*", re.IGNORECASE)
_LABEL = re.compile(r"(?:alpha|beta|α|β|bound|value|v) ?[:=] ?", re.IGNORECASE)
_BRACKETS = "[](){}⟨⟩"
#: Ways to separate two numbers, tried in turn: a comma comes late, because it may be a decimal comma.
_SEPARATORS = tuple(map(re.compile, (r"\s*[;|]\s*", r"\s*(?:\.{2,3}|…|\bto\b|:)\s*", r"\s*,\s*", r"\s*,\s+|\s+")))


def is_blank(entry: object) -> bool:
    """Whether an entry is left blank: null, an empty text, a dash, or brackets with nothing between them."""
    if isinstance(entry, str):
        return entry.strip() in ("", "-", "–", "—", "_", "?", "null", "~") or not re.sub(r"[\s,;()_]|\[|\]", "", entry)
    return entry is None


def normalized(text: str) -> str:
    """Return a text with one spelling of each sign (minus, infinity, comparisons, arrows) and single blanks."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", _AFTER_WHOLE.sub(" ", text))
        # A few letters stand for whole phrases; hostile text of them would grow eighteenfold.
        text = (plain if len(plain) <= 2 * len(text) + 10 else text).translate(_SIGNS)
    if _SPELLED.search(text):
        for spelling, sign in _SPELLINGS:
            text = spelling.sub(sign, text)
    return " ".join(text.split())


# ---- numbers ----------------------------------------------------------------------------------------------------


def read_number(entry: object) -> Number:
    """Read a number. A bound on it, ``>=5``, counts as the number.

    Raises
    ------
    TreeError
        If the entry is not a number, is out of range, or has a comma that could separate thousands.

    Examples
    --------
    >>> [str(read_number(entry)) for entry in (3, "−2,5", "7 / 3", ">= 5", "(4)", "½")]
    ['3', '-5/2', '7/3', '5', '4', '1/2']
    """
    entry = _only_item(entry)
    return _number_of_text(_short(entry)) if isinstance(entry, str) else to_number(entry)


def read_bound(entry: object) -> Bound:
    """Read a bound: a number, or an infinity. Raises `TreeError`.

    Examples
    --------
    >>> [read_bound(entry) for entry in ("-oo", "∞", "- Infinity", "-3")]
    [-inf, inf, -inf, -3]
    """
    entry = _only_item(entry)
    return _bound_of_text(_short(entry)) if isinstance(entry, str) else to_bound(entry)


def _only_item(entry: object) -> object:
    return entry[0] if isinstance(entry, list) and len(entry) == 1 else entry


def _short(entry: str) -> str:
    if len(entry) > _MAX_NUMBER:
        raise TreeError(f"{abbreviated(entry)} is not a number")
    return entry


# The results are cached, because a class writes the same numbers again and again.


@lru_cache(maxsize=2_000)
def _number_of_text(text: str) -> Number:
    return to_number(_plain_number(text))


@lru_cache(maxsize=2_000)
def _bound_of_text(text: str) -> Bound:
    plain = _plain_number(text)
    if match := _INFINITE.fullmatch(plain):
        return -inf if match[1] == "-" else inf
    return to_bound(plain)


def _plain_number(entry: str) -> str:
    """A number without brackets, comparison and decimal comma; anything unreadable is returned as it is."""
    if _INTEGER.fullmatch(entry):
        return entry
    text = _LABEL.sub("", normalized(entry).strip(_BRACKETS + " \t=,;\"'"))
    if match := _COMPARISON.fullmatch(text):
        text = match[2]
    if match := _DECIMAL_COMMA.fullmatch(text):
        if len(match[2]) == 3 and re.fullmatch(r"[-+]?\s?[1-9]\d{0,2}", match[1]):
            raise TreeError(f"{abbreviated(entry)} is ambiguous; write {match[1]}{match[2]} or {match[1]}.{match[2]}")
        text = f"{match[1]}.{match[2]}"
    is_plain = re.fullmatch(_NUMBER, text.replace(" /", "/").replace("/ ", "/"), re.IGNORECASE)
    return re.sub(r"^([-+]?)\.(?=\d)", r"\g<1>0.", text.replace(" ", "")) if is_plain else entry


# ---- windows ----------------------------------------------------------------------------------------------------


def read_window(entry: object) -> tuple[Bound, Bound]:
    """Read a window: two bounds, or a comparison with one.

    Parameters
    ----------
    entry : object
        A list of two bounds, a mapping with alpha and beta, or a text.

    Returns
    -------
    tuple of two bounds
        Alpha and beta, as written.

    Raises
    ------
    TreeError
        If there are not two bounds, or if commas leave open which two are meant.

    Examples
    --------
    >>> [read_window(text) for text in ("[-inf, 3]", "(2; 5)", "-oo..4", ">=5", "beta=7, alpha=1")]
    [(-inf, 3), (2, 5), (-inf, 4), (5, inf), (1, 7)]
    """
    if isinstance(entry, Mapping):
        ends = {_ENDS.get(normalized(key).casefold()): end for key, end in entry.items() if isinstance(key, str)}
        if set(ends) != {0, 1} or len(entry) != 2:
            raise TreeError(f"expected two numbers, [alpha, beta], found {abbreviated(entry)}")
        return read_bound(ends[0]), read_bound(ends[1])
    if isinstance(entry, list) and len(entry) == 1:
        entry = entry[0]
    if isinstance(entry, list) and len(entry) == 2:
        return read_bound(entry[0]), read_bound(entry[1])
    window = _window_of_text(entry) if isinstance(entry, str) else None
    if window is None:
        raise TreeError(f"expected two numbers, [alpha, beta], found {abbreviated(entry)}")
    return window


def read_interval(entry: object) -> tuple[Bound, Bound]:
    """Read an interval: a window, or one number for an interval of one number.

    Raises
    ------
    TreeError
        If it is neither, or if a comma without brackets could be a decimal comma.

    Examples
    --------
    >>> [read_interval(entry) for entry in (3, "[3]", "[2,5]", "<=4")]
    [(3, 3), (3, 3), (2, 5), (-inf, 4)]
    """
    text = normalized(entry) if isinstance(entry, str) else ""
    if _DECIMAL_COMMA.fullmatch(text):
        raise TreeError(f"{abbreviated(entry)} is ambiguous; write [{text}] or {text.replace(',', '.')}")
    if isinstance(entry, (list, Mapping)) or set("≥≤,").intersection(text) or not _is_bound(entry):
        return read_window(entry)
    bound = read_bound(entry)
    return bound, bound


def _window_of_text(entry: str) -> tuple[Bound, Bound] | None:
    text = normalized(entry)
    if match := _DOUBLE_COMPARISON.fullmatch(text):
        return read_bound(match[1]), read_bound(match[2])
    is_reversed = bool(re.match(r"\W*(?:beta|β|b)\s*[:=]", text, re.IGNORECASE))
    text = _LABELLED.sub(" ", text).strip(_BRACKETS + " \t,;\"'")
    if match := _COMPARISON.fullmatch(text):
        end = read_bound(match[2])
        return (end, inf) if match[1] == "≥" else (-inf, end)
    for separator in _SEPARATORS:
        parts = separator.split(text)
        if len(parts) == 4 and separator is _SEPARATORS[2]:  # two numbers with decimal commas
            parts = [",".join(parts[:2]), ",".join(parts[2:])]
        if len(parts) == 2 and all(map(_is_bound, parts)):
            low, high = map(read_bound, parts)
            return (high, low) if is_reversed else (low, high)
    return None


def _is_bound(entry: object) -> bool:
    try:
        read_bound(entry)
    except TreeError:
        return False
    return True


# ---- nodes ------------------------------------------------------------------------------------------------------

#: Signs between the two nodes of an arc, or between the nodes of a chain.
_ARC = re.compile(r" ?[→/>-] ?")
_SPACED_ARC = re.compile(r" ?→ ?| [-/>] ")
#: The end of a line and the bullet of the next.
_LINE = re.compile(r"\r?\n(?:[ \t]*+[-*•][ \t])?")
#: Maximum number of spellings of names that are remembered; a class of students uses few.
_MAX_FOUND = 5_000
#: Words in parentheses: ``A (MAX) = 3``.
_COMMENT = re.compile(rf"\((?=[^()]*[^\W\d_])(?!.*{_INFINITY})[^()\d]*\)", re.IGNORECASE)
#: The ends of a window with their names, and the window.
_LABELLED_ENDS = tuple(
    (re.compile(rf"{one} ?[:=] ?({_NUMBER})[ ,;]*{two} ?[:=] ?({_NUMBER})", re.IGNORECASE), rf"[\{low};\{3 - low}]")
    for one, two, low in ((r"\b(?:alpha|α)", "(?:beta|β)", 1), (r"\b(?:beta|β)", "(?:alpha|α)", 2))
)
#: Characters around a name in a list.
_AROUND = _BRACKETS + "\"'` "
#: A name of these characters is one word of a text; other names are looked for as a whole.
_WORD = re.compile(r"[\w.'*#+]+")
#: Text behind which a sign belongs to the number that follows.
_LOOSE_SIGN = re.compile(rf"([:=≥≤\[(;,] ?[-+]) (?=\d|{_INFINITY})", re.IGNORECASE)
#: The tokens of a text with entries of several nodes. A comma between digits is a decimal comma, since each number
#: follows a name, unless the second number is itself a name: ``1=3,2=5``.
_TOKENS = rf"""
    (?P<group> [\[\](][^\[\]()]*[\])\[] | [≥≤][ ]?{_NUMBER} | {_NUMBER}[ ]?(?:\.{{2,3}}|…)[ ]?{_NUMBER} )
  | (?P<number> [-+]?\d+,\d+(?![ ]?[=:≥≤\w]) | [-+]?{_UNSIGNED}(?!\w) )
  | (?P<sign> [:=≥≤] )
  | (?P<end> [,;|] )
  | (?P<arrow> → )
  | (?P<word> [^\s,;:=|≥≤→\[\]()]+ )
"""


class NodeNames:
    """The nodes of a tree by name, arc, move or number of the child.

    Parameters
    ----------
    tree : Tree
        The searched tree.
    whole : Tree
        The tree without the depth limit, for messages.
    """

    def __init__(self, tree: Tree, whole: Tree) -> None:
        self.tree = tree
        self.whole = whole
        self._found: dict[str, Node | None] = {}

    def find(self, text: object) -> Node:
        """Return the node of a name or of an arc (the lower node of the arc).

        The exact name wins. Otherwise case is ignored, if that leaves one node.

        Raises
        ------
        TreeError
            If there is no node of that name, or several.
        """
        if isinstance(text, list) and len(text) == 2 and all(isinstance(end, str) for end in text):
            return self.child(self.find(text[0]), text[1])
        if isinstance(text, int) and not isinstance(text, bool):
            text = str(text) if abs(text) < 10**30 else None
        if not isinstance(text, str):
            raise TreeError(f"{abbreviated(text)} is not the name of a node")
        if text not in self._found:
            if len(self._found) >= _MAX_FOUND:
                self._found.clear()
            self._found[text] = self._named(text) or self._arc(text)
        node = self._found[text]
        if node is not None:
            return node
        if text in self.whole:
            raise TreeError(f"node {abbreviated(text)} is below the search depth")
        raise TreeError(f"unknown node {abbreviated(text)}")

    def child(self, parent: Node, text: object) -> Node:
        """Return the child of a node: by name, by move, by arc, or by its number, counted from 1.

        Raises
        ------
        TreeError
            If no child is meant.
        """
        if isinstance(text, list) and len(text) == 1:
            text = text[0]
        is_number = isinstance(text, int) and not isinstance(text, bool) and abs(text) < 10**30
        word = _bare(str(text)) if is_number or isinstance(text, str) else ""
        node = self._child(parent, word) or self._arc(word)
        if node is not None and node.parent == parent.index:
            return node
        names = ", ".join(self.tree.nodes[index].id for index in parent.children)
        where = "the root" if parent.index == 0 else parent.id
        raise TreeError(f"{abbreviated(text)} is not a child of {where}; the children are {abbreviated(names)}")

    def chain(self, text: str) -> list[Node]:
        """Return the nodes of a chain ``A-B-D``, or the node of one name. Raises `TreeError`."""
        words = [word for word in _ARC.split(normalized(text)) if word]
        if len(words) > 1 and self._named(text) is None:
            return [self.find(word) for word in words]
        return [self.find(text)]

    def split(self, text: str) -> list[str]:
        """Split a list of nodes or arcs, separated by commas, semicolons or blanks, with or without brackets."""
        text = _SPACED_ARC.sub("→", normalized(_LINE.sub(";", text)))
        words = (match[0].strip(_AROUND) for match in self._words.finditer(text))
        return [word for word in words if word in self.tree or word not in ("", "-", "*", "•", "&", "and")]

    def entries(self, text: str, kinds: Sequence[str], name: str = "") -> Iterator[tuple[str, str, str]]:
        """Yield the (name, kind, entry) of a text such as ``A=3, B: 5`` or ``A: entry [-inf, 3] exit [2, 3]``.

        What follows a colon, an equals sign or a comparison is an entry. Otherwise names and entries alternate. The
        kind is "" if it is not written, and the entry "" if the name has none. With `name`, the text begins with the
        entries of that node.
        """
        count, kind, expects = 0, "", bool(name)
        text = normalized(_LINE.sub(";", text))
        for labelled, plain in _LABELLED_ENDS:
            text = labelled.sub(plain, text)
        tokens = self._tokens if len(kinds) == 1 else self._tokens_of_pairs
        for match in tokens.finditer(_LOOSE_SIGN.sub(r"\1", text)):
            token, sort = match[0], match.lastgroup
            if sort == "group" and _folded(token) in self._same:
                sort = "word"
            if name and sort == "group" and _COMMENT.fullmatch(token):
                continue
            is_entry = sort in ("group", "pair") or token == "-" or (sort == "number" and not count)
            if sort in ("sign", "end"):
                expects = bool(name) and sort == "sign"
            elif sort == "word" and token.casefold() in kinds:
                kind = token.casefold()
            elif name and (expects or is_entry):
                yield name, kind, token
                count, kind, expects = count + 1, "", False
            elif sort != "arrow":
                if name and not count:
                    yield name, "", ""
                name, count, kind = token.strip(_AROUND), 0, ""
        if name and not count:
            yield name, "", ""

    # ---- lookup

    @cached_property
    def _same(self) -> dict[str, list[Node]]:
        """The nodes by name without case."""
        same: dict[str, list[Node]] = {}
        for node in self.tree:
            same.setdefault(_folded(node.id), []).append(node)
        return same

    @cached_property
    def _phrases(self) -> str:
        """A regular expression of the names that are not one word, such as "e4 e5" or "7=4+3", the longest first."""
        names = {normalized(node.id) for node in self.tree if not _WORD.fullmatch(node.id)}
        return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"

    @cached_property
    def _words(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{self._phrases})(?![^\s,;|\]}})])|[^\s,;|]+", re.IGNORECASE)

    @cached_property
    def _tokens(self) -> re.Pattern[str]:
        return re.compile(rf"(?P<phrase>(?:{self._phrases})(?![\w.'*+-]))|{_TOKENS}", re.IGNORECASE | re.VERBOSE)

    @cached_property
    def _tokens_of_pairs(self) -> re.Pattern[str]:
        """The tokens of a text in which all entries are windows: two numbers are one, also without brackets."""
        pair = rf"(?P<pair>{_NUMBER}[ ]?[ ,][ ]?{_NUMBER}(?!\w))"
        return re.compile(f"{pair}|{self._tokens.pattern}", re.IGNORECASE | re.VERBOSE)

    def _named(self, text: str) -> Node | None:
        """The node of a name, or None. Raises `TreeError` if only case distinguishes several."""
        if len(text) > MAX_NAME + len(_AROUND):
            return None
        for word in (text, _bare(text)):
            if word in self.tree:
                return self.tree[word]
        same = self._same.get(_folded(text), [])
        if len(same) > 1:
            raise TreeError(f"{abbreviated(text)} is ambiguous: {' or '.join(node.id for node in same)}")
        return same[0] if same else None

    def _arc(self, text: str) -> Node | None:
        """The lower node of an arc ``E-e2``, in either direction, or None."""
        text = normalized(text)
        if len(text) > 2 * MAX_NAME:
            return None
        for match in _ARC.finditer(text):
            ends = text[: match.start()], text[match.end() :]
            one, other = map(self._named, ends)
            if one is not None and other is not None and one.index == other.parent:
                return other
            if one is not None and other is not None and other.index == one.parent:
                return one
            if one is not None and (child := self._child(one, ends[1])) is not None:
                return child
        return None

    def _child(self, parent: Node, word: str) -> Node | None:
        """The child of a node by name, move or number, or None. Raises `TreeError` if several have the name."""
        children = [self.tree.nodes[index] for index in parent.children]
        for fold in (_bare, _folded):
            if word and (same := [node for node in children if fold(word) in (fold(node.id), fold(node.move))]):
                if len(same) == 1:
                    return same[0]
                raise TreeError(f"{abbreviated(word)} is ambiguous: {' or '.join(node.id for node in same)}")
        if word.isascii() and word.isdigit() and len(word) < 6 and 1 <= int(word) <= len(children):
            return children[int(word) - 1]
        return None


def _bare(name: str) -> str:
    return name.strip(_AROUND)


def _folded(name: str) -> str:
    return _bare(normalized(name)).casefold()
