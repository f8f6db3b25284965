"""Trees as text: nested to_brackets, and JSON in two shapes. Every mistake is told in one line that says where.

Brackets: leaves are numbers, `?` where the value is not known. Everything else may be left out:

    [[3,12,8],[2,4,6],[14,5,2]]              MAX at the root, then by turns
    A[B[N=4, O[W=-3, X=-5]], G=-5]           names; others than words stand in quotes, as in JSON: "next to \\"A\\""
    :min[7, A:max[1, 2]]                     players: max, min, chance
    :chance[1/2*3, 1/2*[4, 5]]               weights: whole numbers in any proportion, or fractions that sum to 1

JSON, nodes within nodes, with the keys of the lectures' cases; a node has children or a value:

    {"id": "A", "player": "max", "children": [{"id": "B", "value": 3}, ...]}

    optional: move (what the arc is called), state (the position, drawn), evaluation (of an inner node), weights (of
    a chance node, one for each child), and twin (the name of a node before, if the same position stood there)

JSON, a row of nodes that name their children, the root first:

    {"nodes": [{"id": "A", "player": "max", "children": ["B", "C"]}, {"id": "B", "value": 3}, ...]}
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any

from zermelo.core.game import CHANCE, MAX
from zermelo.errors import TreeError
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import (
    DEEPEST,
    MOST_NODES,
    PLAYER_NAMES,
    PLAYERS,
    Node,
    Tree,
    TreeBuilder,
    common_measure,
    whole_weights,
)
from zermelo.teaching.tree.numbers import Number, as_json, format_number, number, quoted, to_number

#: The longest text that is read, in characters: a tree of the most nodes fits.
LONGEST = 128 * 1024 * 1024
#: The longest name, and the longest drawing of a position.
LONGEST_NAME, LONGEST_STATE = 200, 10_000

# What no name holds: it would steer the terminal, turn the line around, or cannot be written.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNDRAWABLE = re.compile(_UNPRINTABLE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def read(source: str | Mapping[str, Any] | Sequence[Any], name: str = "") -> Tree:
    """The tree that a text (brackets or JSON) stands for, or Python's lists and dictionaries in the same shapes.

    Raises `TreeError`, which says where the mistake is and what would be right.

    >>> read("[[3,12,8],[2,4,6],[14,5,2]]")
    <Tree A: 13 nodes, 9 leaves>
    """
    if isinstance(source, (Mapping, list, tuple)):
        return _from_data(source, name)
    if not isinstance(source, str):
        raise TreeError(f"tree: a text, a dictionary or a list is read, not {quoted(source)}")
    if len(source) > LONGEST:
        raise TreeError(f"tree: a text of {len(source):,} characters; {LONGEST:,} are the most that is read")
    text = source.removeprefix("\ufeff")
    if not text or text.isspace():
        raise TreeError("an empty text is no tree; a tree is nested to_brackets, [[3,12],[2,4]], or JSON")
    with gc_paused():
        return _from_text(text, name)


def _from_text(text: str, name: str) -> Tree:
    if _BRACES.match(text):
        return _from_data(_json(text), name)
    # Commas stand between nodes: too many are told at once, where reading so far would take long.
    if text.count(",") >= MOST_NODES and _QUOTED.sub("", text).count(",") >= MOST_NODES:
        raise TreeError(f"tree: more than {MOST_NODES:,} nodes, which is the most a tree may have")
    return _Brackets(text).tree(name)


# ---- brackets ---------------------------------------------------------------------------------------------------

_BRACES = re.compile(r"[\s\[]*+\{")  # no to_brackets, but a node of JSON, or a list of them
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
_QUOTED = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')
_LEAVES = re.compile(r"(?:\s*+(?:-?\d{1,11}+|\?)\s*+(?:,|(?=\])))++", re.ASCII)
_STAR = re.compile(r"\s*+\*")


class _Brackets:
    """A reader of nested brackets: one pass over the text, the open brackets on a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.draft = TreeBuilder()
        self.kind = self.word = ""
        self.at = self.next = 0

    def error(self, at: int, text: str) -> TreeError:
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        where = f"line {line}, column {column}" if line > 1 else f"character {column}"
        return TreeError(f"tree, {where}: {text}")

    def step(self) -> None:
        """On to the next token."""
        match = _TOKEN.match(self.text, self.next)
        if match is None:
            at = re.compile(r"\s*+").match(self.text, self.next).end()  # type: ignore[union-attr]
            if self.text[at] == '"':
                raise self.error(at, "the quote that opens here is not closed in its line")
            raise self.error(at, f"{self.text[at]!r} has no meaning in a tree of brackets")
        self.kind = kind = match.lastgroup or ""
        self.word = match[kind]
        self.at, self.next = match.span(kind)

    def found(self) -> str:
        return "the text ends here" if self.kind == "end" else f"found {self.word[:40]!r}"

    def tree(self, name: str) -> Tree:
        open_nodes: list[int] = []
        weights: dict[int, list[tuple[Number | None, int]]] = {}  # of chance nodes' children, each with its place
        players = self.draft.players
        has_ended = False  # the node that was read last; else one begins
        self.step()
        while True:
            if not has_ended:
                parent = open_nodes[-1] if open_nodes else -1
                at = self.at
                weight = self._weight() if self.kind == "number" else None
                if parent >= 0 and players[parent] == CHANCE:
                    weights.setdefault(parent, []).append((weight, at))
                elif weight is not None:
                    who = "this is the root" if parent < 0 else f"here {PLAYER_NAMES[players[parent] or 0]} moves"
                    raise self.error(at, f"only the children of a chance node have weights; {who}")
                index, is_open = self._node(parent)
                has_ended = not is_open or self._leaves(index)
                if is_open:
                    open_nodes.append(index)
                    self.step()
                    if self.word == "]" and self.kind == "sign" and not self.draft.children[index]:
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
            raise self.error(self.at, f"the tree is complete; {self.found()}")
        try:
            return self.draft.build(name)
        except TreeError as error:
            raise TreeError(f"tree: {error}") from None

    def _leaves(self, parent: int) -> bool:
        """The short way for what most of a tree is: plain leaves, as far as they go; whether that is to the bracket."""
        match = None if self.draft.players[parent] == CHANCE else _LEAVES.match(self.text, self.next)
        if match is None:
            return False
        said = match[0].split(",")
        is_whole = said[-1] != ""
        values = [None if value.strip() == "?" else int(value) for value in (said if is_whole else said[:-1])]
        try:
            self.draft.add_leaves(parent, values)
        except TreeError as error:
            raise self.error(self.next, str(error)) from None
        self.next = match.end()
        return is_whole

    def _weight(self) -> Number | None:
        """The weight before a node, `1/2*`, if there is one; leaves the current token after it."""
        if not _STAR.match(self.text, self.next):
            return None
        weight = self._number()
        self.step()
        self.step()
        return weight

    def _number(self) -> Number:
        try:
            return number(self.word)
        except TreeError as error:
            raise self.error(self.at, str(error)) from None

    def _unquoted(self) -> str:
        try:
            return str(json.loads(self.word, strict=False))
        except json.JSONDecodeError as error:
            raise self.error(self.at, f"quoted names are written as in JSON: {error.msg}") from None

    def _node(self, parent: int) -> tuple[int, bool]:
        """A leaf, read to its end, or an inner node up to its bracket."""
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
                raise self.error(self.at, f"after ':' stands max, min or chance; {self.found()}")
            player = PLAYERS[self.word.casefold()]
            self.step()
        add = self.draft.add
        try:
            if self.kind == "sign" and self.word == "[":
                return add(parent, self.draft.alternating(parent) if player is None else player, id=id), True
            if player is not None:
                raise self.error(self.at, f"a player moves at inner nodes: '[' expected; {self.found()}")
            if self.kind == "sign" and self.word == "=" and id is not None:
                self.step()
            elif id is not None:
                raise self.error(self.at, f"after the name {quoted(id)} stands '=' and a value, or '['; {self.found()}")
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
        """The weights of a chance node, when its bracket closes."""
        given = [weight for weight, _ in weights]
        if any(weight is None for weight in given) and any(weight is not None for weight in given):
            at = next(at for weight, at in weights if weight is None)
            raise self.error(at, "this child has no weight, though others of the chance node have one")
        try:
            self.draft.weights[index] = normalize_weights([1 if weight is None else weight for weight in given])
        except TreeError as error:
            raise self.error(weights[0][1], str(error)) from None


def _fault(name: str) -> str | None:
    """What is wrong with a name, if anything."""
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"a name has 1 to {LONGEST_NAME} characters, not {len(name):,}"
    if unprintable := _UNPRINTABLE.search(name):
        return f"the name {quoted(name)} holds {unprintable[0]!r}, which cannot be printed"
    return None


def normalize_weights(weights: Sequence[Number]) -> tuple[int, ...]:
    """A chance node's weights as whole numbers. Raises `TreeError` unless they are whole or sum to 1, none below 0."""
    for weight in weights:
        if weight <= 0:
            raise TreeError(f"weight {format_number(weight)}: a weight is above 0")
    common = common_measure(weights)
    if common > 1:
        total = Fraction(sum(int(weight * common) for weight in weights), common)
        if total != 1:
            raise TreeError(
                f"the weights of the chance node sum to {format_number(total)}, not to 1; thirds are written 1/3, "
                "and whole numbers need no sum"
            )
    return whole_weights(weights)


# ---- JSON -------------------------------------------------------------------------------------------------------


def _json(text: str) -> Any:
    """The data of a JSON text, its decimals as text so that they stay exact."""
    deepest = 2 * DEEPEST + 10
    _refuse_depth(text, deepest)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 4 * deepest)
    decoder = json.JSONDecoder(
        parse_float=_Written, parse_int=_Written, parse_constant=_Written, object_pairs_hook=_without_doubles
    )
    try:
        try:
            return decoder.decode(text)
        except RecursionError:
            # Python 3.12 lets its compiled reader of JSON go only some hundred moves deep, whatever is asked for.
            decoder.scan_once = py_make_scanner(decoder)  # type: ignore[attr-defined]
            return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise TreeError(f"tree, line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise TreeError(f"tree: more than {DEEPEST:,} moves deep, which is the deepest a tree may be") from None
    finally:
        sys.setrecursionlimit(before)


class _Written(str):
    """A number of a JSON text, as it was written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of a JSON object. A key that stands twice is a slip, of which usually only the last would count."""
    said = dict(pairs)
    if len(said) < len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        where = f"node {quoted(said['id'])}" if "id" in said else "a node without id"
        raise TreeError(f"tree: {where}: the key {quoted(key)} stands twice")
    return said


_JSON_DEPTH = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


def _refuse_depth(text: str, deepest: int) -> None:
    """Refuse brackets within brackets that no tree needs, before anything recursive reads them."""
    depth = 0
    for match in _JSON_DEPTH.finditer(text):
        sign = match[0]
        if sign in "[{":
            depth += 1
            if depth > deepest:
                line = text.count("\n", 0, match.start()) + 1
                column = match.start() - text.rfind("\n", 0, match.start())
                raise TreeError(
                    f"tree, line {line}, column {column}: more than {DEEPEST:,} moves deep, which is the deepest a "
                    "tree may be"
                )
        elif sign in "]}":
            depth -= 1


def _from_data(data: Any, name: str) -> Tree:
    if isinstance(data, Mapping) and isinstance(data.get("tree"), (Mapping, list)):
        said = data.get("id") or data.get("name")
        name = name or (said if isinstance(said, str) else "")
        data = data["tree"]
    name = _UNPRINTABLE.sub("?", name)[:LONGEST_NAME]
    if isinstance(data, Mapping) and "nodes" in data:
        data = _nested(data)
    draft = TreeBuilder()
    try:
        _add_all(draft, data)
        return draft.build(name)
    except TreeError as error:
        raise TreeError(f"tree: {error}") from None


#: Keys of a node. Unknown keys are refused, so that typing errors are noticed. `twin` is an older name of
#: `transposition_of`.
KEYS = (
    "id", "player", "children", "value", "weights", "weight", "move", "evaluation", "state", "transposition_of", "twin",
)  # fmt: skip


def _add_all(draft: TreeBuilder, data: Any) -> None:
    """Add a node and all below it, left to right, with a stack in place of recursion."""
    stack: list[tuple[Any, int]] = [(data, -1)]
    above: list[tuple[int, int]] = []  # the containers that are being read, as (index of the node, identity)
    within: set[int] = set()
    before: dict[str, int] = {}  # the named nodes so far, by their names
    while stack:
        said, parent = stack.pop()
        while above and above[-1][0] != parent:
            within.discard(above.pop()[1])
        index, children = _add(draft, said, parent)
        if isinstance(said, Mapping):
            _mark_transposition(draft, said, index, before)
        if not children:
            continue
        if id(said) in within:
            raise TreeError(f"{draft.place(index)}: is below itself: a tree has no cycles")
        if (values := _plain_numbers(children)) is not None:
            draft.add_leaves(index, values)
            continue
        above.append((index, id(said)))
        within.add(id(said))
        if index + len(stack) + len(children) >= MOST_NODES:
            raise TreeError(f"more than {MOST_NODES:,} nodes, which is the most a tree may have")
        stack.extend((child, index) for child in reversed(children))


def _mark_transposition(draft: TreeBuilder, said: Mapping[str, Any], index: int, before: dict[str, int]) -> None:
    """Record that the position of a node occurred at an earlier node."""
    key = "transposition_of" if said.get("transposition_of") is not None else "twin"  # its name in older files
    if said.get(key) is not None:
        first = before.get(_name_of(said[key]) or "")
        if first is None:
            raise TreeError(f"{draft.place(index)}: {key}: no earlier node named {quoted(said[key])}")
        draft.transpositions[index] = draft.transpositions[first]
    if (id := draft.ids[index]) is not None:
        before[id] = index


def _plain_numbers(children: Sequence[Any]) -> list[Number | None] | None:
    """The values of children that are nothing but numbers; None if one is more than that, or is a mistake."""
    if not all(child is None or type(child) in (int, _Written) for child in children):
        return None
    try:
        return [None if child is None else to_number(child) for child in children]
    except TreeError:
        return None  # it is told where it is met


def _add(draft: TreeBuilder, said: Any, parent: int) -> tuple[int, Sequence[Any]]:
    """Add one node; its index, and what stands for its children."""
    id: str | None = None

    def refuse(text: str) -> TreeError:
        # The node is added so that its place can be told.
        index = draft.add(parent, None, id=id)
        return TreeError(f"{draft.place(index)}: {text}")

    if isinstance(said, (list, tuple)):
        if not said:
            raise refuse("an inner node needs at least one child")
        return draft.add(parent, draft.alternating(parent)), said
    if not isinstance(said, Mapping):
        if said is None:
            return draft.add(parent, None), ()
        return draft.add(parent, None, value=_told(to_number, said, refuse)), ()

    if said.get("id") is not None:
        named = _name_of(said["id"])
        if named is None:
            raise refuse(f"id: a text of 1 to {LONGEST_NAME} characters, not {quoted(said['id'])}")
        if fault := _fault(named):
            raise refuse(f"id: {fault}")
        id = named
    for key in said:
        if key not in KEYS:
            raise refuse(
                f"the key {quoted(key)} has no meaning; a node has {', '.join(KEYS[:4])} and optionally others"
            )
    has_children, has_value = said.get("children") is not None, "value" in said
    if has_children and has_value:
        raise refuse("has both value and children; a leaf has a value, an inner node children")
    if not has_children and not has_value:
        raise refuse("has neither value nor children; a leaf has a value (null if unknown), an inner node children")

    move, state = (_text(said, key, most, refuse) for key, most in (("move", LONGEST_NAME), ("state", LONGEST_STATE)))
    if has_value:
        for key in ("weights", "evaluation"):
            if said.get(key) is not None:
                raise refuse(f"{key} is for inner nodes; this is a leaf")
        value = None if said["value"] is None else _told(to_number, said["value"], refuse)
        return draft.add(parent, None, id=id, value=value, move=move, state=state), ()

    children = said["children"]
    if not isinstance(children, (list, tuple)) or not children:
        raise refuse("children: a list of at least one node")
    player = draft.alternating(parent)
    if said.get("player") is not None:
        if not isinstance(said["player"], str) or said["player"].casefold() not in PLAYERS:
            raise refuse(f"player: max, min or chance, not {quoted(said['player'])}")
        player = PLAYERS[said["player"].casefold()]
    weights: tuple[int, ...] = ()
    if player == CHANCE:
        weights = _told(normalize_weights, _weights(said, children, refuse), refuse)
    elif said.get("weights") is not None or any(isinstance(child, Mapping) and "weight" in child for child in children):
        raise refuse(f"weights are for chance nodes; here {PLAYER_NAMES[player]} moves")
    evaluation = None if said.get("evaluation") is None else _told(to_number, said["evaluation"], refuse)
    index = draft.add(
        parent, player, id=id, weights=weights, move=move, evaluation=evaluation, state=state
    )  # fmt: skip
    return index, children


def _weights(said: Mapping[str, Any], children: Sequence[Any], refuse: Callable[[str], TreeError]) -> list[Number]:
    """A chance node's weights: its own list of them, or a `weight` at each child; all alike if there are none."""
    given = said.get("weights")
    if given is None:
        at_children = [child.get("weight") if isinstance(child, Mapping) else None for child in children]
        if all(weight is None for weight in at_children):
            return [1] * len(children)
        given = at_children
    if not isinstance(given, (list, tuple)) or len(given) != len(children):
        count = len(given) if isinstance(given, (list, tuple)) else "no list"
        raise refuse(f"weights: one for each of its {len(children)} children, not {count}")
    return [_told(to_number, weight, refuse) for weight in given]


def _text(said: Mapping[str, Any], key: str, most: int, refuse: Callable[[str], TreeError]) -> str:
    text = said.get(key)
    if text is None:
        return ""
    if not isinstance(text, str) or isinstance(text, _Written) or len(text) > most:
        raise refuse(f"{key}: a text of at most {most:,} characters")
    if unprintable := (_UNDRAWABLE if key == "state" else _UNPRINTABLE).search(text):
        raise refuse(f"{key}: holds {unprintable[0]!r}, which cannot be printed")
    return text


def _told(convert: Callable[[Any], Any], said: Any, refuse: Callable[[str], TreeError]) -> Any:
    try:
        if isinstance(said, str) and not isinstance(said, _Written) and convert is to_number and "/" not in said:
            raise TreeError(f"{quoted(said)} is a text, no number; numbers stand without quotes")
        return convert(said)
    except TreeError as error:
        raise refuse(str(error)) from None


def _name_of(said: Any) -> str | None:
    """The name that an id stands for: a text, or a whole number; None for anything else."""
    if isinstance(said, str):
        return str(said)
    return str(said) if isinstance(said, int) and not isinstance(said, bool) and abs(said) < 10**18 else None


def _nested(data: Mapping[str, Any]) -> Any:
    """A row of nodes that name their children, as nodes within nodes.

    Raises `TreeError` for cycles, names of no node, and nodes that hang on nothing.
    """
    rows = data["nodes"]
    for key in data:
        if key not in ("nodes", "root", "id", "name"):
            raise TreeError(f"tree: the key {quoted(key)} has no meaning beside nodes and root")
    if not isinstance(rows, (list, tuple)) or not rows:
        raise TreeError("tree: nodes: a list of at least one node, the root first")
    by_id: dict[str, dict[str, Any]] = {}
    for number_, row in enumerate(rows, 1):
        id = _name_of(row.get("id")) if isinstance(row, Mapping) else None
        if id is None:
            raise TreeError(f"tree: node {number_} of the list has no id")
        if id in by_id:
            raise TreeError(f"tree: two nodes are called {quoted(id)}: a name stands for one node")
        by_id[id] = dict(row)
    parents: dict[str, str] = {}
    for id, row in by_id.items():
        children = row.get("children")
        if children is None:
            continue
        if not isinstance(children, (list, tuple)):
            raise TreeError(f"tree: node {quoted(id)}: children: a list of names")
        below: list[dict[str, Any]] = []
        row["children"] = below
        for child in map(_name_of, children):
            if child is None or child not in by_id:
                raise TreeError(
                    f"tree: node {quoted(id)}: its child {quoted(children[len(below)])} is no node of the list"
                )
            if child in parents:
                other = f"{quoted(parents[child])} and {quoted(id)}" if parents[child] != id else f"{quoted(id)} twice"
                raise TreeError(f"tree: node {quoted(child)} is below {other}: one parent a node, once")
            parents[child] = id
            below.append(by_id[child])
    root = _name_of(rows[0]["id"] if data.get("root") is None else data["root"])
    if root is None or root not in by_id:
        raise TreeError(f"tree: the root {quoted(data['root'])} is no node of the list")
    if root in parents:
        raise TreeError(f"tree: the root {quoted(root)} is below {quoted(parents[root])}: a tree has no cycles")
    _refuse_strangers(by_id, root)
    return by_id[root]


def _refuse_strangers(by_id: Mapping[str, Mapping[str, Any]], root: str) -> None:
    """Every node must be reached from the root; those that are not hang on nothing, or on themselves."""
    reached, stack = {id(by_id[root])}, [by_id[root]]
    while stack:
        for child in stack.pop().get("children") or ():
            reached.add(id(child))
            stack.append(child)
    for name, row in by_id.items():
        if id(row) not in reached:
            where = f"node {quoted(name)} is not reached from the root {quoted(root)}"
            raise TreeError(f"tree: {where}: it is in a cycle, or has no parent")


# ---- and back ---------------------------------------------------------------------------------------------------


def to_dict(tree: Tree) -> dict[str, Any]:
    """The tree as nodes within nodes, ready for JSON; `read` of it gives the same tree."""
    told: list[dict[str, Any]] = []
    for node in tree:
        said = _told_of(tree, node)
        told.append(said)
        if node.children:
            said["children"] = []
        if node.parent >= 0:
            told[node.parent]["children"].append(said)
    return told[0]


def to_json(tree: Tree) -> str:
    """The same as a text of JSON. (Python's own writer fails where nodes stand a few hundred deep in nodes.)"""
    words: list[str] = []
    open_ends: list[int] = []
    for node in tree:
        while open_ends and node.index >= open_ends[-1]:
            words.append("]}")
            open_ends.pop()
        if words and not words[-1].endswith("["):
            words.append(", ")
        said = json.dumps(_told_of(tree, node), ensure_ascii=False)
        if node.children:
            words.append(f'{said[:-1]}, "children": [')
            open_ends.append(tree.subtree_end[node.index])
        else:
            words.append(said)
    return "".join(words) + "]}" * len(open_ends)


def _told_of(tree: Tree, node: Node) -> dict[str, Any]:
    """A node as JSON has it, without its children."""
    said: dict[str, Any] = {"id": node.id}
    if node.move:
        said["move"] = node.move
    if node.state:
        said["state"] = node.state
    if node.transposition_of != node.index:
        said["transposition_of"] = tree.nodes[node.transposition_of].id
    if node.is_leaf:
        said["value"] = as_json(node.value)
        return said
    said["player"] = PLAYER_NAMES[MAX if node.player is None else node.player].lower()
    if node.weights:
        said["weights"] = list(node.weights)
    if node.evaluation is not None:
        said["evaluation"] = as_json(node.evaluation)
    return said


def to_brackets(tree: Tree, names: bool = False) -> str:
    """The tree as nested to_brackets, with the nodes' names or without; players are written where they are unusual."""
    words: list[str] = []
    turns: list[int] = []  # who moves below each node if nothing else is said
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
        said = "" if node.player == usual else f":{PLAYER_NAMES[node.player or 0].lower()}"
        words.append(f"{name}{said}[")
        open_ends.append(tree.subtree_end[node.index])
    return "".join(words) + "]" * len(open_ends)


_WORD = re.compile(r"[^\W\d][\w.'-]*")
