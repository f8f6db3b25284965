"""Trees as text: `read` for nested brackets and JSON, `to_dict`, `to_json` and `to_brackets` for the way back.

Brackets. Leaves are numbers, or `?` if the value is unknown. Everything else is optional:

    [[3,12,8],[2,4,6],[14,5,2]]              MAX at the root, then alternating
    A[B[N=4, O[W=-3, X=-5]], G=-5]           names; other than words, quoted as in JSON: "next to \\"A\\""
    :min[7, A:max[1, 2]]                     players: max, min, chance
    :chance[1/2*3, 1/2*[4, 5]]               weights: whole numbers in any proportion, or fractions that sum to 1

JSON, nested. A node has children or a value:

    {"id": "A", "player": "max", "children": [{"id": "B", "value": 3}, ...]}

    optional: move (name of the move to the node), state (the position as text), evaluation (of an inner node), weights
    (of a chance node, one per child), transposition_of (the name of an earlier node with the same position),
    multiplicity (the number of moves to positions equal by symmetry that the node stands for, 1 by default), tactical
    (whether the move to the node is tactical), in_check (whether the player to move is in check), both false by default

JSON, flat. A list of nodes that name their children, the root first:

    {"nodes": [{"id": "A", "player": "max", "children": ["B", "C"]}, {"id": "B", "value": 3}, ...]}

Error messages are one line and say where the error is.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any

from zermelo._util.json_nesting import too_deep_at
from zermelo.core.game import CHANCE, MAX
from zermelo.errors import TreeError
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import (
    MAX_DEPTH,
    MAX_NODES,
    PLAYER_NAMES,
    PLAYERS,
    Node,
    Tree,
    TreeBuilder,
    common_denominator,
    integer_weights,
)
from zermelo.teaching.tree.numbers import Number, as_json, format_number, parse_number, quote_value, to_number

#: Maximum length of a text in characters, enough for a tree of `MAX_NODES` nodes.
MAX_LENGTH = 128 * 1024 * 1024
#: Maximum length of a name, and of the text of a position.
MAX_NAME, MAX_STATE = 200, 10_000

# Not allowed in names: control characters, which terminals execute; bidirectional overrides; lone surrogates.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNDRAWABLE = re.compile(_UNPRINTABLE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def read(source: str | Mapping[str, Any] | Sequence[Any], name: str = "") -> Tree:
    """Read a tree from text or data.

    Parameters
    ----------
    source : str, dict or list
        Nested brackets or JSON, or dictionaries and lists of the same structure; see the module's documentation.
    name : str, default ""
        Name of the tree. A key `id` or `name` beside the key `tree` names it, too.

    Returns
    -------
    Tree

    Raises
    ------
    TreeError
        If the source is not a valid tree. The message says where the error is and what is expected.

    Examples
    --------
    >>> read("[[3,12,8],[2,4,6],[14,5,2]]")
    <Tree A: 13 nodes, 9 leaves>
    """
    if isinstance(source, (Mapping, list, tuple)):
        return _from_data(source, name)
    if not isinstance(source, str):
        raise TreeError(f"tree must be a string, a dict or a list (got {quote_value(source)})")
    if len(source) > MAX_LENGTH:
        raise TreeError(f"tree: the text is too long: {len(source):,} characters, at most {MAX_LENGTH:,} are allowed")
    text = source.removeprefix("\ufeff")
    if not text or text.isspace():
        raise TreeError("the tree text is empty: expected nested brackets, [[3,12],[2,4]], or JSON")
    with gc_paused():
        return _from_text(text, name)


def _from_text(text: str, name: str) -> Tree:
    if _BRACES.match(text):
        return _from_data(_json(text), name)
    # Commas separate nodes, so a count detects too many of them before the text is parsed.
    if text.count(",") >= MAX_NODES and _QUOTED.sub("", text).count(",") >= MAX_NODES:
        raise TreeError(f"tree: more than {MAX_NODES:,} nodes, the maximum")
    return _Brackets(text).tree(name)


# ---- brackets ---------------------------------------------------------------------------------------------------

_BRACES = re.compile(r"[\s\[]*+\{")  # not brackets but JSON: a node, or a list of nodes
_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<number>[-+−]?\d[\d.]*+(?:[eE][-+]?\d++)?+(?:/\d++)?+)
      | (?P<name>[^\W\d][\w.'-]*+)
      | (?P<quoted>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")
      | (?P<sign>[\[\],:=*?])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_QUOTED = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?')  # also unclosed, as each quote in it would be tried again
_LEAVES = re.compile(r"(?:\s*+(?:-?\d{1,11}+|\?)\s*+(?:,|(?=\])))++", re.ASCII)
_STAR = re.compile(r"\s*+\*")


class _Brackets:
    """Parser of nested brackets: one pass over the text, with a stack of open brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.builder = TreeBuilder()
        self.kind = self.word = ""
        self.at = self.next = 0

    def error(self, at: int, text: str) -> TreeError:
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        where = f"line {line}, column {column}" if line > 1 else f"character {column}"
        return TreeError(f"tree, {where}: {text}")

    def step(self) -> None:
        """Advance to the next token."""
        match = _TOKEN.match(self.text, self.next)
        if match is None:
            at = re.compile(r"\s*+").match(self.text, self.next).end()  # type: ignore[union-attr]
            if self.text[at] == '"':
                raise self.error(at, "unterminated quote")
            raise self.error(at, f"unexpected character {self.text[at]!r}")
        self.kind = kind = match.lastgroup or ""
        self.word = match[kind]
        self.at, self.next = match.span(kind)

    def found(self) -> str:
        return "found the end of the text" if self.kind == "end" else f"found {self.word[:40]!r}"

    def tree(self, name: str) -> Tree:
        open_nodes: list[int] = []
        weights: dict[
            int, list[tuple[Number | None, int]]
        ] = {}  # weights of the children of chance nodes, with their position in the text
        players = self.builder.players
        has_ended = False  # whether the last node is complete
        self.step()
        while True:
            if not has_ended:
                parent = open_nodes[-1] if open_nodes else -1
                at = self.at
                weight = self._weight() if self.kind == "number" else None
                if parent >= 0 and players[parent] == CHANCE:
                    weights.setdefault(parent, []).append((weight, at))
                elif weight is not None:
                    where = (
                        "this is the root" if parent < 0 else f"here {PLAYER_NAMES[players[parent] or 0]} is to move"
                    )
                    raise self.error(at, f"only children of a chance node have weights; {where}")
                index, is_open = self._node(parent)
                has_ended = not is_open or self._leaves(index)
                if is_open:
                    open_nodes.append(index)
                    self.step()
                    if self.word == "]" and self.kind == "sign" and not self.builder.children[index]:
                        raise self.error(self.at, "an inner node needs at least one child between its brackets")
            elif open_nodes and self.kind == "sign" and self.word == "]":
                closed = open_nodes.pop()
                if closed in weights:
                    self._weigh(closed, weights.pop(closed))
                self.step()
            elif open_nodes and self.kind == "sign" and self.word == ",":
                has_ended = self._leaves(open_nodes[-1])
                self.step()
            else:
                break
        if open_nodes:
            opened = "1 bracket is" if len(open_nodes) == 1 else f"{len(open_nodes)} brackets are"
            raise self.error(self.at, f"expected ',' or ']' ({opened} open); {self.found()}")
        if self.kind != "end":
            raise self.error(self.at, f"expected the end of the text; {self.found()}")
        try:
            return self.builder.build(name)
        except TreeError as error:
            raise TreeError(f"tree: {error}") from None

    def _leaves(self, parent: int) -> bool:
        """Fast path: read consecutive plain leaves. Return whether they reach the closing bracket."""
        match = None if self.builder.players[parent] == CHANCE else _LEAVES.match(self.text, self.next)
        if match is None:
            return False
        texts = match[0].split(",")
        is_complete = texts[-1] != ""
        values = [None if value.strip() == "?" else int(value) for value in (texts if is_complete else texts[:-1])]
        try:
            self.builder.add_leaves(parent, values)
        except TreeError as error:
            raise self.error(self.next, str(error)) from None
        self.next = match.end()
        return is_complete

    def _weight(self) -> Number | None:
        """Read the weight before a node, `1/2*`, if there is one."""
        if not _STAR.match(self.text, self.next):
            return None
        weight = self._number()
        self.step()
        self.step()
        return weight

    def _number(self) -> Number:
        try:
            return parse_number(self.word)
        except TreeError as error:
            raise self.error(self.at, str(error)) from None

    def _unquoted(self) -> str:
        try:
            return str(json.loads(self.word, strict=False))
        except json.JSONDecodeError as error:
            raise self.error(self.at, f"invalid quoted name (JSON syntax): {error.msg}") from None

    def _node(self, parent: int) -> tuple[int, bool]:
        """Read a leaf, or an inner node up to its opening bracket; return its index and whether it is open."""
        id: str | None = None
        player: int | None = None
        start = self.at
        if self.kind in ("name", "quoted"):
            id = self.word if self.kind == "name" else self._unquoted()
            if fault := _fault(id):
                raise self.error(self.at, fault)
            self.step()
        if self.word == ":" and self.kind == "sign":
            self.step()
            if self.word.casefold() not in PLAYERS or self.kind != "name":
                raise self.error(self.at, f"expected max, min or chance after ':'; {self.found()}")
            player = PLAYERS[self.word.casefold()]
            self.step()
        add = self.builder.add
        try:
            if self.kind == "sign" and self.word == "[":
                return add(parent, self.builder.alternating(parent) if player is None else player, id=id), True
            if player is not None:
                raise self.error(self.at, f"expected '[': only inner nodes have a player; {self.found()}")
            if self.kind == "sign" and self.word == "=" and id is not None:
                self.step()
            elif id is not None:
                raise self.error(
                    self.at, f"expected '=' and a value, or '[' after the name {quote_value(id)}; {self.found()}"
                )
            if self.kind == "sign" and self.word == "?":
                index = add(parent, None, id=id)
            elif self.kind == "number":
                index = add(parent, None, id=id, value=self._number())
            else:
                raise self.error(self.at, f"expected a number, '?', a name or '['; {self.found()}")
        except TreeError as error:
            if str(error).startswith("tree, "):
                raise
            raise self.error(start, str(error)) from None
        self.step()
        return index, False

    def _weigh(self, index: int, weights: list[tuple[Number | None, int]]) -> None:
        """Set the weights of a chance node when its bracket closes."""
        given = [weight for weight, _ in weights]
        if any(weight is None for weight in given) and any(weight is not None for weight in given):
            at = next(at for weight, at in weights if weight is None)
            raise self.error(at, "missing weight: other children of the chance node have one")
        try:
            self.builder.weights[index] = normalize_weights([1 if weight is None else weight for weight in given])
        except TreeError as error:
            raise self.error(weights[0][1], str(error)) from None


def _fault(name: str) -> str | None:
    """The error in a name, or None."""
    if not 1 <= len(name) <= MAX_NAME:
        return f"a name must have 1 to {MAX_NAME} characters (got {len(name):,})"
    if unprintable := _UNPRINTABLE.search(name):
        return f"the name {quote_value(name)} contains the unprintable character {unprintable[0]!r}"
    return None


def normalize_weights(weights: Sequence[Number]) -> tuple[int, ...]:
    """Weights of a chance node as integers. Raises `TreeError` unless they are positive, and whole or of sum 1."""
    for weight in weights:
        if weight <= 0:
            raise TreeError(f"weight must be positive (got {format_number(weight)})")
    common = common_denominator(weights)
    if common > 1:
        total = Fraction(sum(int(weight * common) for weight in weights), common)
        if total != 1:
            raise TreeError(
                f"the weights of the chance node sum to {format_number(total)}: expected 1, or whole numbers; "
                "write thirds as 1/3"
            )
    return integer_weights(weights)


# ---- JSON -------------------------------------------------------------------------------------------------------


def _json(text: str) -> Any:
    """Parse JSON, with numbers as text so that they stay exact."""
    max_nesting = 2 * MAX_DEPTH + 10
    _refuse_depth(text, max_nesting)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 4 * max_nesting)
    decoder = json.JSONDecoder(
        parse_float=_NumberText, parse_int=_NumberText, parse_constant=_NumberText, object_pairs_hook=_unique_keys
    )
    try:
        try:
            return decoder.decode(text)
        except RecursionError:
            # In Python 3.12 the compiled scanner has a fixed recursion limit of some hundred levels.
            decoder.scan_once = py_make_scanner(decoder)  # type: ignore[attr-defined]
            return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise TreeError(f"tree, line {error.lineno}, column {error.colno}: invalid JSON: {error.msg}") from None
    except RecursionError:
        raise TreeError(f"tree: depth exceeds {MAX_DEPTH:,}, the maximum") from None
    finally:
        sys.setrecursionlimit(before)


class _NumberText(str):
    """A number of a JSON text, as written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object as a dict; duplicate keys are refused."""
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        where = f"node {quote_value(result['id'])}" if "id" in result else "a node without id"
        raise TreeError(f"tree: {where}: duplicate key {quote_value(key)}")
    return result


def _refuse_depth(text: str, max_nesting: int) -> None:
    """Refuse too deeply nested JSON before the recursive parser reads it."""
    if (at := too_deep_at(text, max_nesting)) is not None:
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        raise TreeError(f"tree, line {line}, column {column}: depth exceeds {MAX_DEPTH:,}, the maximum")


def _from_data(data: Any, name: str) -> Tree:
    if isinstance(data, Mapping) and isinstance(data.get("tree"), (Mapping, list)):
        given = data.get("id") or data.get("name")
        name = name or (given if isinstance(given, str) else "")
        data = data["tree"]
    name = _UNPRINTABLE.sub("?", name)[:MAX_NAME]
    if isinstance(data, Mapping) and "nodes" in data:
        data = _nested(data)
    builder = TreeBuilder()
    try:
        _add_all(builder, data)
        return builder.build(name)
    except TreeError as error:
        raise TreeError(f"tree: {error}") from None


#: Maximum number of moves that a node stands for.
MAX_MULTIPLICITY = 1_000_000
#: Keys of a node. Unknown keys are refused, so that typing errors are noticed. `twin` is an older name of
#: `transposition_of`.
KEYS = (
    "id", "player", "children", "value", "weights", "weight", "move", "evaluation", "state", "transposition_of", "twin",
    "multiplicity", "tactical", "in_check",
)  # fmt: skip


def _add_all(builder: TreeBuilder, root: Any) -> None:
    """Add a node and its subtree, left to right, without recursion."""
    stack: list[tuple[Any, int]] = [(root, -1)]
    above: list[tuple[int, int]] = []  # the containers on the path from the root: (index of the node, identity)
    within: set[int] = set()
    before: dict[str, int] = {}  # index of each named node so far
    while stack:
        data, parent = stack.pop()
        while above and above[-1][0] != parent:
            within.discard(above.pop()[1])
        index, children = _add(builder, data, parent)
        if isinstance(data, Mapping):
            _mark_transposition(builder, data, index, before)
            _mark_multiplicity(builder, data, index)
            _mark_quiescence(builder, data, index)
        if not children:
            continue
        if id(data) in within:
            raise TreeError(f"{builder.location(index)}: cycle: the node is its own descendant")
        if (values := _plain_numbers(children)) is not None:
            builder.add_leaves(index, values)
            continue
        above.append((index, id(data)))
        within.add(id(data))
        if index + len(stack) + len(children) >= MAX_NODES:
            raise TreeError(f"more than {MAX_NODES:,} nodes, the maximum")
        stack.extend((child, index) for child in reversed(children))


def _mark_transposition(builder: TreeBuilder, data: Mapping[str, Any], index: int, before: dict[str, int]) -> None:
    """Record that the position of a node occurred at an earlier node."""
    key = "transposition_of" if data.get("transposition_of") is not None else "twin"  # its name in older files
    if data.get(key) is not None:
        first = before.get(_name_of(data[key]) or "")
        if first is None:
            raise TreeError(f"{builder.location(index)}: {key}: no earlier node named {quote_value(data[key])}")
        builder.transpositions[index] = builder.transpositions[first]
    if (id := builder.ids[index]) is not None:
        before[id] = index


def _mark_multiplicity(builder: TreeBuilder, data: Mapping[str, Any], index: int) -> None:
    """Record the number of moves that a node stands for."""
    count = data.get("multiplicity")
    if count is None:
        return
    if type(count) is not int or not 1 <= count <= MAX_MULTIPLICITY:
        expected = f"a whole number from 1 to {MAX_MULTIPLICITY:,}"
        raise TreeError(f"{builder.location(index)}: multiplicity must be {expected} (got {quote_value(count)})")
    builder.multiplicities[index] = count


def _mark_quiescence(builder: TreeBuilder, data: Mapping[str, Any], index: int) -> None:
    """Record whether the move to a node is tactical, and whether the player to move there is in check."""
    for key, nodes in (("tactical", builder.tactical), ("in_check", builder.in_check)):
        given = data.get(key, False)
        if not isinstance(given, bool):
            raise TreeError(f"{builder.location(index)}: {key} must be true or false (got {quote_value(given)})")
        if given:
            nodes.add(index)


def _plain_numbers(children: Sequence[Any]) -> list[Number | None] | None:
    """The values of children that are all plain numbers; None otherwise, or if one is invalid."""
    if not all(child is None or type(child) in (int, _NumberText) for child in children):
        return None
    try:
        return [None if child is None else to_number(child) for child in children]
    except TreeError:
        return None  # reported when the child itself is read


def _add(builder: TreeBuilder, data: Any, parent: int) -> tuple[int, Sequence[Any]]:
    """Add one node; return its index and the data of its children."""
    id: str | None = None

    def refuse(text: str) -> TreeError:
        # Add the node so that its location can be described.
        index = builder.add(parent, None, id=id)
        return TreeError(f"{builder.location(index)}: {text}")

    if isinstance(data, (list, tuple)):
        if not data:
            raise refuse("an inner node needs at least one child")
        return builder.add(parent, builder.alternating(parent)), data
    if not isinstance(data, Mapping):
        if data is None:
            return builder.add(parent, None), ()
        return builder.add(parent, None, value=_converted(to_number, data, refuse)), ()

    if data.get("id") is not None:
        named = _name_of(data["id"])
        if named is None:
            raise refuse(f"id must be a string of 1 to {MAX_NAME} characters (got {quote_value(data['id'])})")
        if fault := _fault(named):
            raise refuse(f"id: {fault}")
        id = named
    for key in data:
        if key not in KEYS:
            raise refuse(f"unknown key {quote_value(key)}: expected {', '.join(KEYS[:4])} or an optional key")
    has_children, has_value = data.get("children") is not None, "value" in data
    if has_children and has_value:
        raise refuse("has both value and children; a leaf has a value, an inner node children")
    if not has_children and not has_value:
        raise refuse("has neither value nor children; a leaf has a value (null if unknown), an inner node children")

    move, state = (
        _text(data, key, max_length, refuse) for key, max_length in (("move", MAX_NAME), ("state", MAX_STATE))
    )
    if has_value:
        for key in ("weights", "evaluation"):
            if data.get(key) is not None:
                raise refuse(f"{key} is for inner nodes; this is a leaf")
        value = None if data["value"] is None else _converted(to_number, data["value"], refuse)
        return builder.add(parent, None, id=id, value=value, move=move, state=state), ()

    children = data["children"]
    if not isinstance(children, (list, tuple)) or not children:
        raise refuse("children must be a non-empty list")
    player = builder.alternating(parent)
    if data.get("player") is not None:
        if not isinstance(data["player"], str) or data["player"].casefold() not in PLAYERS:
            raise refuse(f"player must be max, min or chance (got {quote_value(data['player'])})")
        player = PLAYERS[data["player"].casefold()]
    weights: tuple[int, ...] = ()
    if player == CHANCE:
        weights = _converted(normalize_weights, _weights(data, children, refuse), refuse)
    elif data.get("weights") is not None or any(isinstance(child, Mapping) and "weight" in child for child in children):
        raise refuse(f"weights are for chance nodes only; here {PLAYER_NAMES[player]} is to move")
    evaluation = None if data.get("evaluation") is None else _converted(to_number, data["evaluation"], refuse)
    index = builder.add(
        parent, player, id=id, weights=weights, move=move, evaluation=evaluation, state=state
    )  # fmt: skip
    return index, children


def _weights(data: Mapping[str, Any], children: Sequence[Any], refuse: Callable[[str], TreeError]) -> list[Number]:
    """The weights of a chance node: its `weights`, or the `weight` of each child; equal weights by default."""
    given = data.get("weights")
    if given is None:
        at_children = [child.get("weight") if isinstance(child, Mapping) else None for child in children]
        if all(weight is None for weight in at_children):
            return [1] * len(children)
        given = at_children
    if not isinstance(given, (list, tuple)) or len(given) != len(children):
        count = len(given) if isinstance(given, (list, tuple)) else "no list"
        raise refuse(f"weights must have one number for each of the {len(children)} children (got {count})")
    return [_converted(to_number, weight, refuse) for weight in given]


def _text(data: Mapping[str, Any], key: str, max_length: int, refuse: Callable[[str], TreeError]) -> str:
    text = data.get(key)
    if text is None:
        return ""
    if not isinstance(text, str) or isinstance(text, _NumberText) or len(text) > max_length:
        raise refuse(f"{key} must be a string of at most {max_length:,} characters")
    if unprintable := (_UNDRAWABLE if key == "state" else _UNPRINTABLE).search(text):
        raise refuse(f"{key}: contains the unprintable character {unprintable[0]!r}")
    return text


def _converted(convert: Callable[[Any], Any], given: Any, refuse: Callable[[str], TreeError]) -> Any:
    try:
        if isinstance(given, str) and not isinstance(given, _NumberText) and convert is to_number and "/" not in given:
            raise TreeError(f"{quote_value(given)} is a string: numbers must not be quoted")
        return convert(given)
    except TreeError as error:
        raise refuse(str(error)) from None


def _name_of(given: Any) -> str | None:
    """The name that an id stands for: a string or an integer; None for anything else."""
    if isinstance(given, str):
        return str(given)
    return str(given) if isinstance(given, int) and not isinstance(given, bool) and abs(given) < 10**18 else None


def _nested(data: Mapping[str, Any]) -> Any:
    """Convert flat JSON to nested JSON. Raises `TreeError` for cycles, unknown names and unreachable nodes."""
    rows = data["nodes"]
    for key in data:
        if key not in ("nodes", "root", "id", "name"):
            raise TreeError(f"tree: unknown key {quote_value(key)}: expected nodes and root")
    if not isinstance(rows, (list, tuple)) or not rows:
        raise TreeError("tree: nodes must be a non-empty list, the root first")
    by_id: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, 1):
        id = _name_of(row.get("id")) if isinstance(row, Mapping) else None
        if id is None:
            raise TreeError(f"tree: node {number} of the list has no id")
        if id in by_id:
            raise TreeError(f"tree: duplicate node name {quote_value(id)}")
        by_id[id] = dict(row)
    parents: dict[str, str] = {}
    for id, row in by_id.items():
        children = row.get("children")
        if children is None:
            continue
        if not isinstance(children, (list, tuple)):
            raise TreeError(f"tree: node {quote_value(id)}: children must be a list of names")
        below: list[dict[str, Any]] = []
        row["children"] = below
        for child in map(_name_of, children):
            if child is None or child not in by_id:
                raise TreeError(f"tree: node {quote_value(id)}: unknown child {quote_value(children[len(below)])}")
            if child in parents:
                first = quote_value(parents[child])
                both = f"{first} and {quote_value(id)}" if parents[child] != id else f"{first} twice"
                raise TreeError(f"tree: node {quote_value(child)} has more than one parent: {both}")
            parents[child] = id
            below.append(by_id[child])
    root = _name_of(rows[0]["id"] if data.get("root") is None else data["root"])
    if root is None or root not in by_id:
        raise TreeError(f"tree: unknown root {quote_value(data['root'])}")
    if root in parents:
        raise TreeError(f"tree: cycle: the root {quote_value(root)} is a child of {quote_value(parents[root])}")
    _refuse_unreachable(by_id, root)
    return by_id[root]


def _refuse_unreachable(by_id: Mapping[str, Mapping[str, Any]], root: str) -> None:
    """Refuse nodes that are not reachable from the root: they have no parent, or are in a cycle."""
    reached, stack = {id(by_id[root])}, [by_id[root]]
    while stack:
        for child in stack.pop().get("children") or ():
            reached.add(id(child))
            stack.append(child)
    for name, row in by_id.items():
        if id(row) not in reached:
            raise TreeError(f"tree: node {quote_value(name)} is not reachable from the root {quote_value(root)}")


# ---- output ---------------------------------------------------------------------------------------------------


def to_dict(tree: Tree) -> dict[str, Any]:
    """Convert a tree to nested dictionaries for JSON. `read` restores the same tree."""
    data: list[dict[str, Any]] = []
    for node in tree:
        fields = _fields(tree, node)
        data.append(fields)
        if node.children:
            fields["children"] = []
        if node.parent >= 0:
            data[node.parent]["children"].append(fields)
    return data[0]


def to_json(tree: Tree) -> str:
    """Convert a tree to JSON text. Not recursive: `json.dumps` fails at a nesting depth of a few hundred."""
    words: list[str] = []
    open_ends: list[int] = []
    for node in tree:
        while open_ends and node.index >= open_ends[-1]:
            words.append("]}")
            open_ends.pop()
        if words and not words[-1].endswith("["):
            words.append(", ")
        text = json.dumps(_fields(tree, node), ensure_ascii=False)
        if node.children:
            words.append(f'{text[:-1]}, "children": [')
            open_ends.append(tree.subtree_end[node.index])
        else:
            words.append(text)
    return "".join(words) + "]}" * len(open_ends)


def _fields(tree: Tree, node: Node) -> dict[str, Any]:
    """The JSON fields of a node, without its children."""
    fields: dict[str, Any] = {"id": node.id}
    if node.move:
        fields["move"] = node.move
    if node.state:
        fields["state"] = node.state
    if node.transposition_of != node.index:
        fields["transposition_of"] = tree.nodes[node.transposition_of].id
    if node.multiplicity > 1:
        fields["multiplicity"] = node.multiplicity
    if node.is_tactical:
        fields["tactical"] = True
    if node.in_check:
        fields["in_check"] = True
    if node.is_leaf:
        fields["value"] = as_json(node.value)
        return fields
    fields["player"] = PLAYER_NAMES[MAX if node.player is None else node.player].lower()
    if node.weights:
        fields["weights"] = list(node.weights)
    if node.evaluation is not None:
        fields["evaluation"] = as_json(node.evaluation)
    return fields


def to_brackets(tree: Tree, names: bool = False) -> str:
    """Convert a tree to nested brackets. Players are written where they do not alternate.

    Parameters
    ----------
    tree : Tree
    names : bool, default False
        Write the names of the nodes.

    Examples
    --------
    >>> to_brackets(read("A[B=1, :max[2, 3]]"))
    '[1,:max[2,3]]'
    """
    words: list[str] = []
    turns: list[int] = []  # default player below each node
    number_of_child = [0] * len(tree)
    uneven = {node.index for node in tree if len(set(node.weights)) > 1}
    open_ends: list[int] = []
    for node in tree:
        while open_ends and node.index >= open_ends[-1]:
            words.append("]")
            open_ends.pop()
        usual = MAX
        if node.parent >= 0:
            usual = turns[node.parent]
            parent = tree.nodes[node.parent]
            before = number_of_child[node.parent]
            number_of_child[node.parent] += 1
            words.append("," if before else "")
            if node.parent in uneven:
                words.append(f"{parent.weights[before]}*")
        turns.append(-node.player if node.player else usual)
        name = "" if not names else node.id if _WORD.fullmatch(node.id) else json.dumps(node.id, ensure_ascii=False)
        if node.is_leaf:
            words.append((f"{name}=" if names else "") + ("?" if node.value is None else str(node.value)))
            continue
        player = "" if node.player == usual else f":{PLAYER_NAMES[node.player or 0].lower()}"
        words.append(f"{name}{player}[")
        open_ends.append(tree.subtree_end[node.index])
    return "".join(words) + "]" * len(open_ends)


_WORD = re.compile(r"[^\W\d][\w.'-]*")
