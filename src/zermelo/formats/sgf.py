r"""SGF: games of Go with variations and comments.

    (;FF[4]GM[1]SZ[9]KM[7]RU[Chinese]PB[one]PW[two]RE[B+2.5]C[A comment.]
    ;B[ee];W[ge]C[A bad move.]BM[1](;B[ce];W[])(;B[gc]))

A point is its column and its row from the top, both from `a`; `B[]` is a pass, and so is `B[tt]`. `\` escapes the next
character. Black is MAX. The first variation of a node is the game. Each line of a comment becomes a comment.

The record's tags are those of `TAGS`, `Score` (points for black) and `Termination`, and properties of the root that
have no other name here keep theirs. Annotations are `TE`, `BM`, `IT` and `DO`. Marks, times and evaluations of moves
are not read. Of the rules in `RU`, those of Japan and Korea have a simple ko, those of the AGA and New Zealand
situational superko, and all others positional superko. Scores are by area in any case.

References
----------
A. Hollosi, "SGF File Format FF[4]", 1997-2021, https://www.red-bean.com/sgf
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from zermelo.core.game import MAX, MIN
from zermelo.errors import FormatError, PositionError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import MAX_DEPTH, MAX_GAME_LENGTH, OnError, shown
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.formats.text_formats import result_of
from zermelo.games.go import Go, Go19, notation

#: SGF property names and the tag names of other formats.
TAGS = {
    "EV": "Event", "PC": "Site", "DT": "Date", "RO": "Round", "PB": "Black", "PW": "White", "BR": "BlackRank",
    "WR": "WhiteRank", "TM": "Time", "OT": "Overtime", "GN": "Game", "ON": "Opening", "AN": "Annotator",
    "SO": "Source", "US": "User", "CP": "Copyright", "GC": "About",
}  # fmt: skip
#: Terminations other than by two passes, as in `B+R`.
FLAGS = {"R": "resignation", "T": "time forfeit", "F": "forfeit"}
#: Annotation glyphs and the properties of moves.
GLYPHS = {1: "TE[1]", 2: "BM[1]", 3: "TE[2]", 4: "BM[2]", 5: "IT[]", 6: "DO[]"}
#: The values of `RU` that are written for the rules of ko.
RULES = {notation.SIMPLE: "simple ko", notation.POSITIONAL: "Chinese", notation.SITUATIONAL: "AGA"}

_NAMES = {name: tag for tag, name in TAGS.items()}
_GLYPH_NUMBERS = {text: number for number, text in GLYPHS.items()}
_SETUP = ("AB", "AW", "AE", "PL")
# Properties of the root that become something else than a tag, or concern viewers only.
_NO_TAGS = {
    *_SETUP, "B", "W", "C", "FF", "GM", "CA", "AP", "ST", "SZ", "KM", "RU", "HA", "RE", "TE", "BM", "IT", "DO"
}  # fmt: skip
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z]+)|(?P<value>\[)|(?P<node>;)|(?P<open>\()|(?P<close>\))|(?P<other>\S))")
_TEXT = re.compile(r"(?:[^\]\\]|\\.)*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# A line that begins another game, also within a value that is not closed, or after a game with an error.
_NEXT = re.compile(r"\(\s*;\s*(?:FF|GM|CA|SZ)\s*\[")
_SIZE = re.compile(r"(\d{1,2})(?::(\d{1,2}))?")
_POINT = re.compile("[a-s]{2}")
_RESULT = re.compile(r"(?:([BW])\+(?:(\d{1,4}(?:\.\d{1,6})?)|([RTF])[a-z]*)?|(0|[Dd]raw)|(\?|[Vv]oid)?)")
_SCORE = re.compile(r"(-?)(\d{1,4}(?:\.\d{1,6})?)")
_SIDES = {"B": MAX, "W": MIN}


# ---- reading --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Node:
    """A node of a game tree, with its properties as written."""

    line_number: int
    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[_Node] = field(default_factory=list)

    def one(self, name: str) -> str | None:
        """Return the only value of a property, or None if the node does not have it."""
        values = self.properties.get(name)
        if values is None:
            return None
        if len(values) > 1:
            raise self.error(f"{name} has {len(values)} values; expected one")
        return values[0].strip()

    def error(self, reason: str, move: str = "") -> FormatError:
        return FormatError(reason, line=self.line_number, move=move)

    @property
    def has_move(self) -> bool:
        return "B" in self.properties or "W" in self.properties


@dataclass(slots=True)
class _Tree:
    """A game tree that is being read."""

    number: int
    line_number: int
    root: _Node | None = None
    #: The node that the next one follows, and those where open variations begin.
    node: _Node | None = None
    branches: list[_Node | None] = field(default_factory=list)
    #: The property that the next value belongs to, and the parts of a value that is not closed.
    name: str = ""
    parts: list[str] | None = None
    size: int = 0


def read(game: type[Go] | None, lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the games of an SGF file; call `on_error` for each that cannot be read.

    Parameters
    ----------
    game : type of Go or None
        `Go` or `Go19`: games on boards of other sizes cannot be read. None: both.
    lines : iterable of TextLine
        The lines of the file.
    on_error : callable
        Called with a `FormatError`.
    """
    reader = _Reader(on_error)
    for line in lines:
        for tree in reader.read_line(line):
            try:
                yield _to_record(game, tree)
            except FormatError as error:
                on_error(FormatError(error.wrong, game=tree.number, line=error.line, move=error.move))
    if reader.tree is not None:
        reader.fail("the game is not closed; expected )", reader.tree.line_number)


class _Reader:
    """Reads the game trees of a file, line by line."""

    def __init__(self, on_error: OnError) -> None:
        self.on_error = on_error
        self.count = 0
        self.tree: _Tree | None = None
        #: Whether a game was skipped after an error, and the next one is searched for.
        self.is_skipping = False

    def fail(self, reason: str, line: int) -> None:
        """Report an error in the current game, or in the text between games, and skip to the next game."""
        if self.tree is None:
            self.count += 1
        self.on_error(FormatError(reason, game=self.count, line=line))
        self.tree, self.is_skipping = None, True

    def read_line(self, line: TextLine) -> Iterator[_Tree]:
        """Read a line; yield the game trees that end on it."""
        if line.error:
            if not self.is_skipping:
                self.fail(line.error, line.number)
            return
        position = 0
        while position < len(line.text):
            tree = self.tree
            if tree is None:
                position = self._between_games(line, position)
            elif tree.parts is not None:
                position = self._value(tree, line, position)
            else:
                position = self._token(tree, line, position)
                if self.tree is tree and tree.root is not None and not tree.branches:
                    self.tree = None
                    yield tree
        if self.tree is not None:
            self.tree.size += len(line.text) + 1
            if self.tree.size > MAX_GAME_LENGTH:
                self.fail(f"the game has more than {MAX_GAME_LENGTH:,} characters", self.tree.line_number)
            elif self.tree.parts is not None and not line.text:
                self.tree.parts.append("\n")

    def _between_games(self, line: TextLine, position: int) -> int:
        """Search for the next game and return the position after its opening bracket."""
        if self.is_skipping:
            found = _NEXT.search(line.text, position)
            if found is None:
                return len(line.text)
            position = found.start()
        rest = line.text[position:].lstrip()
        if not rest:
            return len(line.text)
        if rest[0] != "(":
            self.fail(f"{shown(rest)} between games; expected a game that begins with (;", line.number)
            return position
        self.count += 1
        self.tree, self.is_skipping = _Tree(self.count, line.number, branches=[None]), False
        return len(line.text) - len(rest) + 1

    def _value(self, tree: _Tree, line: TextLine, position: int) -> int:
        """Read a value of a property to its end, or to the end of the line."""
        assert tree.parts is not None
        assert tree.node is not None
        if position == 0 and _NEXT.match(line.text.lstrip()):
            self.fail(f"{tree.name}[ is not closed; expected ]", tree.node.line_number)
            return 0
        found = _TEXT.match(line.text, position)
        assert found is not None
        tree.parts.append(found[0])
        end = found.end()
        if end == len(line.text):
            tree.parts.append("\n")
            return end
        if line.text[end] == "]":
            tree.node.properties.setdefault(tree.name, []).append(_ESCAPED.sub(r"\1", "".join(tree.parts)))
            tree.parts = None
        return end + 1  # an escaped end of the line is left out

    def _token(self, tree: _Tree, line: TextLine, position: int) -> int:
        found = _TOKEN.match(line.text, position)
        if found is None:  # blanks to the end of the line
            return len(line.text)
        kind = str(found.lastgroup)
        if kind == "value" and tree.name and tree.node is not None:
            tree.parts = []
        elif tree.name and kind != "value" and not (tree.node and tree.name in tree.node.properties):
            self.fail(f"property {shown(tree.name)} has no value; expected [", line.number)
        elif kind == "name" and tree.node is not None and tree.branches[-1] is not tree.node:
            tree.name = "".join(letter for letter in found["name"] if letter.isupper())
            if tree.name in tree.node.properties and tree.name not in _SETUP:
                self.fail(f"duplicate property {tree.name}", line.number)
        elif kind == "node" and (tree.node is None) == (tree.root is None):
            node = _Node(line.number)
            if tree.node is None:
                tree.root = node
            else:
                tree.node.children.append(node)
            tree.node, tree.name = node, ""
        elif kind == "open" and tree.node is not None:
            tree.branches.append(tree.node)
            tree.name = ""
        elif kind == "close" and tree.root is not None:
            tree.node, tree.name = tree.branches.pop(), ""
        else:
            rest = line.text[found.start(kind) :]
            expected = "a property like PB[Adams], ; or )" if tree.root else ";"
            self.fail(f"{shown(rest)}; expected {expected}", line.number)
        return found.end()


def _to_record(game: type[Go] | None, tree: _Tree) -> Record:
    """Return the record of a game tree. Raises `FormatError`."""
    root = tree.root
    assert root is not None
    kind = root.one("GM")
    if kind not in (None, "1"):
        raise root.error(f"{_shown('GM', kind)}; expected GM[1], a game of Go")
    record = Record(_parse_start(game or (Go if _size(root) <= Go.LARGEST else Go19), root))
    for name, values in root.properties.items():
        if name not in _NO_TAGS and len(values) == 1 and (text := " ".join(values[0].split())):
            record.tags[TAGS.get(name, name)] = text
    _set_result(record, root)
    _read_moves(record, root)
    if record.result == UNKNOWN and "RE" not in root.properties:
        record.result = result_of(record.end())
    return record


def _shown(name: str, value: str) -> str:
    """Return a property as written, on one line, cut to 20 characters."""
    return f"{name}[{' '.join(value.split())[:20]}]"


def _size(root: _Node) -> int:
    text = root.one("SZ") or "19"
    found = _SIZE.fullmatch(text)
    if found is None or found[2] not in (None, found[1]):
        raise root.error(f"SZ {shown(text)}; expected the size of a square board, like 9")
    return int(found[1])


def _parse_start(game: type[Go], root: _Node) -> Go:
    """Return the position before the first move."""
    size = _size(root)
    words = [f"rule {notation.KO_RULES[_ko_rule(root.one('RU') or '')]}"]
    if root.one("KM"):
        words.append(f"komi {(root.one('KM') or '').replace(' ', '')[:20]}")
    rows = [["-"] * size for _ in range(size)]
    for name, letter in (("AB", "X"), ("AW", "O"), ("AE", "-")):
        for text in root.properties.get(name, ()):
            for column, row in _points(root, name, text, size):
                rows[row][column] = letter
    side = _first_side(root)
    board = "/".join(map("".join, rows)) + (" X" if side == MAX else " O")
    is_empty = side == MAX and not set("XO") & set(board[:-2])
    try:
        return game.parse(" ".join([f"{size}x{size}" if is_empty else board, *words]))
    except PositionError as error:
        raise root.error(str(error)) from None


def _ko_rule(text: str) -> int:
    """Return the rule of ko of the value of `RU`."""
    name = text.casefold()
    if name in ("aga", "nz", "new zealand", "situational"):
        return notation.SITUATIONAL
    return notation.SIMPLE if name in ("japanese", "korean", "simple ko") else notation.POSITIONAL


def _first_side(root: _Node) -> int:
    """Return the side that moves first: as `PL` says, or the first move; white after a handicap."""
    player = root.one("PL")
    if player is not None:
        if player[:1].upper() not in _SIDES:
            raise root.error(f"PL {shown(player)}; expected B or W")
        return _SIDES[player[:1].upper()]
    node = root
    while not node.has_move and node.children:
        node = node.children[0]
    if node.has_move:
        return MAX if "B" in node.properties else MIN
    return MIN if "AB" in root.properties and (root.one("HA") or "0") != "0" else MAX


def _points(node: _Node, name: str, text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield the columns and rows, from the top, of a point, or of a rectangle such as `aa:cc`."""
    corners = text.strip().split(":")
    if len(corners) > 2 or not all(_POINT.fullmatch(corner) for corner in corners):
        raise node.error(f"{_shown(name, text)}; expected a point of {size} x {size}, like {name}[cc]")
    (left, top), (right, bottom) = (tuple(ord(letter) - ord("a") for letter in corners[at]) for at in (0, -1))
    if not (left <= right < size and top <= bottom < size):
        raise node.error(f"{_shown(name, text)}; expected a point of {size} x {size}, like {name}[cc]")
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            yield column, row


def _set_result(record: Record, root: _Node) -> None:
    text = root.one("RE") or ""
    found = _RESULT.fullmatch(text)
    if found is None:
        raise root.error(f"RE {shown(text)}; expected a result like B+3.5, W+R, 0 or ?")
    winner, points, flag, draw, _ = found.groups()
    if winner:
        record.result = "1-0" if winner == "B" else "0-1"
        if points:
            record.tags["Score"] = points if winner == "B" else f"-{points}"
        if flag:
            record.tags["Termination"] = FLAGS[flag]
    elif draw:
        record.result = "1/2-1/2"


@dataclass(slots=True)
class _Visit:
    """A node that is to be read."""

    node: _Node
    #: The position before its move, and how many moves led there.
    state: Go
    ply: int
    #: The line that its move is added to, and the move before it.
    line: Line
    step: Step | None = None
    #: The lines that replace its move and those after it.
    variations: list[Line] = field(default_factory=list)
    #: Number of lines that its line is nested in.
    depth: int = 0


def _read_moves(record: Record, root: _Node) -> None:
    """Add the moves of a game tree to its record, walking the tree in depth without recursion."""
    start = record.start
    assert isinstance(start, Go)
    seen = {int(start.repetition_key()): 0}  # the positions of the path to a node, with their plies
    stack: list[_Visit | int] = [_Visit(root, start, 0, record.line)]  # or the key of a position that is left
    while stack:
        visit = stack.pop()
        if isinstance(visit, int):
            del seen[visit]
            continue
        node, state, ply, line, step = visit.node, visit.state, visit.ply, visit.line, visit.step
        move = _parse_move(node, state) if node.has_move else None
        if move is not None:
            step = Step(state.move_name(move), move, variations=visit.variations, line_number=node.line_number)
            line.steps.append(step)
            state = state.play(move)
            ply += 1
            key = int(state.repetition_key())
            if key not in seen:
                seen[key] = ply
                stack.append(key)
            elif state.forbids_repetition():
                raise node.error(f"{step.text} repeats the position after {seen[key]} moves (superko)", step.text)
        elif visit.variations:
            raise node.error("variations after the end of the game")
        _annotate(node, step, line)
        following = _following(node, step, line)
        if not following:
            continue
        others = [Line() for _ in following[1:]]
        if others and visit.depth >= MAX_DEPTH:
            raise node.error(f"variations are nested more than {MAX_DEPTH} deep")
        for child, other in reversed([*zip(following[1:], others, strict=True)]):
            stack.append(_Visit(child, state, ply, other, depth=visit.depth + 1))
        stack.append(_Visit(following[0], state, ply, line, step, others, visit.depth))


def _following(node: _Node, step: Step | None, line: Line) -> list[_Node]:
    """Return the next nodes with moves; the comments of nodes without one belong to the move before them."""
    found = []
    todo = node.children[::-1]
    while todo:
        child = todo.pop()
        if setup := [name for name in _SETUP if name in child.properties]:
            raise child.error(f"{setup[0]} after the root of the game; expected moves, B or W")
        if child.has_move:
            found.append(child)
        else:
            _annotate(child, step, line)
            todo += child.children[::-1]
    return found


def _annotate(node: _Node, step: Step | None, line: Line) -> None:
    """Add the comments and annotations of a node to its move, or to the line before the first move."""
    comments = [" ".join(text.split()) for text in (node.one("C") or "").splitlines()]
    (line.comments if step is None else step.comments).extend(filter(None, comments))
    if step is not None:
        for name in node.properties:  # in file order, which writing keeps
            if name in ("TE", "BM", "IT", "DO"):
                value = node.one(name) or ""
                text = f"{name}[{value or 1}]" if name in ("TE", "BM") else f"{name}[]"
                if text not in _GLYPH_NUMBERS:
                    raise node.error(f"{_shown(name, value)}; expected {name}[1] or {name}[2]")
                step.nags.append(_GLYPH_NUMBERS[text])


def _parse_move(node: _Node, state: Go) -> int | None:
    """Return the move of a node; None for a pass after two passes, which some programs write.

    Raises `FormatError` for a move that is not legal; superko is left to the caller.
    """
    if "B" in node.properties and "W" in node.properties:
        raise node.error("a node with two moves, B and W; expected one")
    name = "B" if "B" in node.properties else "W"
    text = node.one(name) or ""
    shown_move = _shown(name, text)
    is_pass = text in ("", "tt")
    if state.is_over():
        if is_pass:
            return None
        raise node.error(f"{shown_move} after two passes, which end the game", shown_move)
    if _SIDES[name] != state.to_move():
        raise node.error(f"{shown_move}, but {state.player_name(state.to_move())} is to move", shown_move)
    if is_pass:
        return state.PASS
    if ":" in text:
        raise node.error(f"{shown_move}; expected one point, like {name}[cc]", shown_move)
    ((column, row),) = _points(node, name, text, state.size)
    move = (state.size - 1 - row) * state.ROW + column
    if reason := state.why_illegal(move):
        raise node.error(f"{shown_move} cannot be played: {reason}", shown_move)
    return move


# ---- writing --------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """Return a game as SGF. Raises `FormatError` if it cannot be represented."""
    start = record.start
    assert isinstance(start, Go)
    if start.ko >= 0 or start.passes:
        raise FormatError("SGF has no start after a pass, and none with a point where a ko may not be retaken")
    tags = dict(record.tags)
    score, flag = tags.pop("Score", ""), tags.pop("Termination", "")
    for name in tags:
        if name not in _NAMES and (not re.fullmatch("[A-Z]{1,8}", name) or name in TAGS or name in _NO_TAGS):
            expected = ", ".join(["Score", "Termination", *_NAMES])
            raise FormatError(
                f"SGF has no tag {shown(name)}; expected one of {expected}, or capital letters like KI", tag=name
            )
    named = {_NAMES.get(name, name): " ".join(value.split()) for name, value in tags.items()}
    properties = [
        ("FF", "4"),
        ("GM", "1"),
        ("CA", "UTF-8"),
        ("SZ", str(start.size)),
        ("KM", notation.komi_text(start.komi)),
        ("RU", RULES[start.rule]),
        *named.items(),
        ("RE", _result(record, score, flag)),
        ("C", "\n".join(" ".join(text.split()) for text in record.line.comments)),
    ]
    root = "".join(f"{name}[{_escaped(value)}]" for name, value in properties if value)
    text = checked(f"(;{root}{_setup(start)}{_moves_text(start, record.line)})\n")
    if len(text) > MAX_GAME_LENGTH:
        raise FormatError(f"the game has more than {MAX_GAME_LENGTH:,} characters")
    return text


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _point(state: Go, point: int) -> str:
    row, column = divmod(point, state.ROW)
    return chr(ord("a") + column) + chr(ord("a") + state.size - 1 - row)


def _setup(start: Go) -> str:
    """Return the stones of the first position and the side to move."""
    is_handicap = start.to_move() == MIN and start.black.count() > 1 and not start.white
    words = [f"HA[{start.black.count()}]"] if is_handicap else []
    for name, stones in (("AB", start.black), ("AW", start.white)):
        if stones:
            words.append(name + "".join(f"[{_point(start, stone)}]" for stone in stones))
    return "".join([*words, "PL[W]" if start.to_move() == MIN else "PL[B]" if start.black | start.white else ""])


def _result(record: Record, score: str, flag: str) -> str:
    """Return the value of RE: the winner with the points, or with how the game ended."""
    if record.result == UNKNOWN:
        if score or flag:
            raise FormatError("tags Score or Termination without a result; expected a result")
        return ""
    end = record.end()
    assert isinstance(end, Go)
    if record.result == "1/2-1/2":
        if score or flag:
            raise FormatError("tags Score or Termination of a draw; expected neither")
        return "0"
    winner = "B" if record.result == "1-0" else "W"
    if flag:
        suffix = {name: letter for letter, name in FLAGS.items()}.get(flag)
        if suffix is None or score:
            raise FormatError(f"tag Termination {shown(flag)}; expected one of {', '.join(FLAGS.values())}, or Score")
        return f"{winner}+{suffix}"
    if score:
        found = _SCORE.fullmatch(score)
        if found is None or (found[1] == "-") != (winner == "W"):
            raise FormatError(f"tag Score {shown(score)}; expected points for black that match {record.result}")
        return f"{winner}+{found[2]}"
    if result_of(end) == record.result:
        return end.result_name()
    return f"{winner}+"


def _moves_text(start: Go, main_line: Line) -> str:
    """Return the nodes of a line and of its variations, without recursion."""
    written: list[str] = []
    # Text, or a line from a step on, with the position before it and whether the step's variations are written.
    stack: list[str | tuple[Go, Line, int, bool]] = [(start, main_line, 0, False)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            written.append(item)
            continue
        state, line, index, has_branched = item
        for at in range(index, len(line.steps)):
            step = line.steps[at]
            if step.variations and not (has_branched and at == index):
                for variation in reversed(step.variations):
                    stack += [")", (state, variation, 0, False), "("]
                stack += [")", (state, line, at, True), "("]
                break
            before = line.comments if at == 0 and line is not main_line else []
            written.append(_node_text(state, step, [*before, *step.comments_before, *step.comments]))
            assert step.move is not None
            state = state.play(step.move)
    return "".join(written)


def _node_text(state: Go, step: Step, comments: list[str]) -> str:
    """Return a move with its annotations and comments."""
    assert step.move is not None
    words = [";", "B" if state.to_move() == MAX else "W"]
    words.append("[]" if step.move == state.PASS else f"[{_point(state, step.move)}]")
    for glyph in step.nags:
        if glyph not in GLYPHS or step.nags.count(glyph) > 1:
            raise FormatError(f"SGF has no annotation ${glyph}, or not twice", move=state.move_name(step.move))
        if GLYPHS[glyph][:2] in "".join(words[3:]):
            raise FormatError(f"SGF has one {GLYPHS[glyph][:2]} for a move", move=state.move_name(step.move))
        words.append(GLYPHS[glyph])
    if comments:
        words.append("C[" + _escaped("\n".join(" ".join(text.split()) for text in comments)) + "]")
    return "".join(words)
