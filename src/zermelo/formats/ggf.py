"""GGF: Othello games, as exchanged by game servers and programs.

    (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[one]PW[two]RB[2197.0]RW[2199.7]TI[05:00//02:00]TY[8]
    RE[+0.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
    B[d3//0.01]W[c5/-1.5/2.3]B[e6];)

Black (`*`) is MAX. A move may have an evaluation, in discs for the side that moves, and its time in seconds. In a
record they become a comment as in PGN, `[%eval 1.5] [%emt 0:00:02.3]`, with the evaluation for black. The result is
black's disc difference, with `r` for resignation, `t` for time forfeit, `s` for agreement: the tags `Score` and
`Termination`. Properties that are not in `TAGS` keep their GGF names.

References
----------
I. Durdanovic, "Generic Game Format", as described by the Generic Game Server, https://skatgame.net/mburo/ggsa/ggf
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from zermelo.core.game import MAX, MIN
from zermelo.errors import FormatError, IllegalMove, PositionError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import MAX_GAME_LENGTH, OnError, shown
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.games.othello import PASS, Othello

#: GGF property names and the tag names of other formats.
TAGS = {"PC": "Site", "DT": "Date", "PB": "Black", "PW": "White", "RB": "BlackElo", "RW": "WhiteElo"}
#: Terminations other than by the last move.
FLAGS = {"r": "resignation", "t": "time forfeit", "s": "agreement"}
#: The most properties of a game: 60 moves, passes and tags.
MAX_PROPERTIES = 300

_NAMES = {name: tag for tag, name in TAGS.items()}
_DERIVED = ("GM", "RE", "BO", "B", "W")
_BLANKS = re.compile(r"\s*")
_TOKEN = re.compile(r"(?P<name>[A-Z]{1,2})\s*\[|(?P<end>;?\s*\))|(?P<begin>\(\s*;)|(?P<other>.)")
_BEGIN = re.compile(r"\(\s*;")
_NEXT = re.compile(r"\s*\d*\s*\(\s*;\s*GM\s*\[")  # a line that begins another game
_BETWEEN = re.compile(r"[\s\d]*")  # some servers number the games
_TYPE = re.compile(r"s?(\d{1,2})([a-z0-9]{0,8})")
_RESULT = re.compile(r"([+-]?\d{1,4}(?:\.\d{1,6})?)(?::([rts]))?")
_NUMBER = re.compile(r"([+-]?)(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})")
_TIME = re.compile(r"(?:(\d{1,4}):)?(?:(\d{1,4}):)?(\d{1,9})(\.\d{1,9})?")
_COMMENT = re.compile(r"(?:\[%eval ([^\],\s]{1,40})\])? ?(?:\[%emt (\d{1,6}):([0-5]\d):([0-5]\d)(\.\d{1,9})?\])?")
_SIDES = {"B": MAX, "W": MIN}


# ---- reading --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Property:
    name: str
    line_number: int
    parts: list[str] = field(default_factory=list)

    @property
    def value(self) -> str:
        return " ".join("".join(self.parts).split())


@dataclass(slots=True)
class _Game:
    """A game that is being read."""

    number: int
    line_number: int
    properties: list[_Property] = field(default_factory=list)
    #: Whether the value of the last property continues.
    is_open: bool = False
    size: int = 0


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the games of a GGF file; call `on_error` for each that cannot be read."""
    reader = _Reader(on_error)
    for line in lines:
        yield from reader.read_line(line)
    if reader.game is not None:
        reader.fail("the game is not closed; expected ;)", reader.game.line_number)


class _Reader:
    """Reads a file: the text between games, and each game."""

    def __init__(self, on_error: OnError) -> None:
        self.on_error = on_error
        self.count = 0
        self.game: _Game | None = None
        #: Whether a game was skipped after an error, and the next one is searched for.
        self.is_skipping = False

    def fail(self, reason: str, line: int, move: str = "") -> None:
        """Report an error in the current game, or in the text between games, and skip to the next game."""
        if self.game is None:
            self.count += 1
        self.on_error(FormatError(reason, game=self.count, line=line, move=move))
        self.game, self.is_skipping = None, True

    def read_line(self, line: TextLine) -> Iterator[Record]:
        if line.error:
            if not self.is_skipping:
                self.fail(line.error, line.number)
            return
        position = 0
        while position < len(line.text):
            if self.game is None:
                position = self._between_games(line, position)
            else:
                position = self._within_game(self.game, line, position)
                if position < 0:  # the game is complete
                    game, self.game = self.game, None
                    position = -position
                    try:
                        yield _to_record(game)
                    except FormatError as error:
                        self.on_error(FormatError(error.wrong, game=game.number, line=error.line, move=error.move))
        if self.game is not None:
            if self.game.is_open:
                self.game.properties[-1].parts.append("\n")
            self.game.size += len(line.text) + 1
            if self.game.size > MAX_GAME_LENGTH:
                self.fail(f"the game has more than {MAX_GAME_LENGTH:,} characters", self.game.line_number)

    def _between_games(self, line: TextLine, position: int) -> int:
        """Search for the next game and return the position after its opening bracket."""
        found = _BEGIN.search(line.text, position)
        rest = line.text[position : found.start() if found else None]
        if not self.is_skipping and not _BETWEEN.fullmatch(rest):
            self.fail(f"{shown(rest.strip())} between games; expected a game that begins with (;", line.number)
        if found is None:
            return len(line.text)
        self.count += 1
        self.game, self.is_skipping = _Game(self.count, line.number), False
        return found.end()

    def _within_game(self, game: _Game, line: TextLine, position: int) -> int:
        """Read a token of a game and return the position after it, negated at the end of the game."""
        if game.is_open and position == 0 and _NEXT.match(line.text):
            self.fail(f"{game.properties[-1].name}[ is not closed; expected ]", game.properties[-1].line_number)
            return 0
        if game.is_open:
            end = line.text.find("]", position)
            game.properties[-1].parts.append(line.text[position : end if end >= 0 else None])
            game.is_open = end < 0
            return end + 1 if end >= 0 else len(line.text)
        blanks = _BLANKS.match(line.text, position)
        found = _TOKEN.match(line.text, blanks.end() if blanks else position)
        if found is None:  # end of the line
            return len(line.text)
        if found["begin"]:
            self.fail("the game is not closed; expected ;)", game.line_number)
            return found.start("begin")
        if found["end"]:
            return -found.end()
        if found["name"]:
            game.properties.append(_Property(found["name"], line.number))
            game.is_open = True
            if len(game.properties) > MAX_PROPERTIES:
                self.fail(f"the game has more than {MAX_PROPERTIES} properties", line.number)
        elif found["other"] != ";":
            rest = line.text[found.start("other") :]
            self.fail(f"{shown(rest)}; expected a property like PB[Adams], or ;)", line.number)
        return found.end()


def _to_record(game: _Game) -> Record:
    """Return the record of a game from its properties. Raises `FormatError`."""
    properties: dict[str, _Property] = {}
    for each in game.properties:
        if each.name in _SIDES:
            continue
        if each.name in properties:
            raise FormatError(f"duplicate property {each.name}", line=each.line_number)
        properties[each.name] = each
    kind = properties.pop("GM", None)
    if kind is None or kind.value.casefold() != "othello":
        what = f"GM[{shown(kind.value)}]" if kind else "no GM"
        raise FormatError(f"{what}; expected GM[Othello]", line=kind.line_number if kind else game.line_number)
    if "TY" in properties:
        _check_type(properties["TY"].value, properties["TY"].line_number)
    record = Record(_parse_start(properties.pop("BO", None)))
    result = properties.pop("RE", None)
    record.tags = {TAGS.get(name, name): each.value for name, each in properties.items()}
    if result is not None:
        _set_result(record, result)
    record.line = _parse_moves(record.start, [each for each in game.properties if each.name in _SIDES])
    return record


def _check_type(text: str, line: int) -> None:
    """Raise `FormatError` for other boards and rules than those of Othello."""
    kind = _TYPE.fullmatch(text)
    if kind is None or int(kind[1]) != 8 or "a" in kind[2]:
        raise FormatError(f"TY {shown(text)}; expected 8, the 8 x 8 board with standard rules", line=line)


def _parse_start(board: _Property | None) -> Any:
    if board is None:
        return Othello.start()
    size, _, squares = board.value.partition(" ")
    if size != "8":
        raise FormatError(
            f"BO {shown(board.value)}; expected 8, 64 squares and the side to move", line=board.line_number
        )
    try:
        return Othello.parse(squares)
    except PositionError as error:
        raise FormatError(f"BO: {error}", line=board.line_number) from None


def _set_result(record: Record, result: _Property) -> None:
    if result.value in ("", "?"):
        return
    found = _RESULT.fullmatch(result.value)
    if found is None:
        raise FormatError(
            f"RE {shown(result.value)}; expected discs for black, like +12.00 or -64.00:t", line=result.line_number
        )
    record.tags["Score"] = found[1]
    if found[2]:
        record.tags["Termination"] = FLAGS[found[2]]
    record.result = _result_of(float(found[1]))


def _result_of(discs: float) -> str:
    return "1-0" if discs > 0 else "0-1" if discs < 0 else "1/2-1/2"


def _parse_moves(start: Any, properties: list[_Property]) -> Line:
    line, state = Line(), start
    for each in properties:
        text, _, annotation = each.value.partition("/")
        name = text.strip().lower()
        is_pass = name in ("pa", "pass", "--")
        if is_pass and state.is_over():
            continue  # some programs write final passes
        side = _SIDES[each.name]
        if side != state.to_move() and not state.is_over() and state.legal_moves() == [PASS]:
            line.steps.append(Step(state.move_name(PASS), PASS, line_number=each.line_number))  # and some omit passes
            state = state.play(PASS)
        if side != state.to_move():
            turn = state.player_name(state.to_move())
            raise FormatError(f"{each.name}[{text}], but {turn} is to move", line=each.line_number, move=text)
        try:
            move = state.parse_move("pass" if is_pass else name)
        except IllegalMove as error:
            raise FormatError(str(error), line=each.line_number, move=text) from None
        step = Step(state.move_name(move), move, line_number=each.line_number)
        comment = _comment(annotation, side, each)
        if comment:
            step.comments.append(comment)
        line.steps.append(step)
        state = state.play(move)
    return line


def _comment(annotation: str, side: int, move: _Property) -> str:
    """Return the evaluation and time of a move as a PGN comment."""
    evaluation, _, time = (part.strip() for part in annotation.partition("/"))
    words = []
    if evaluation:
        if not _NUMBER.fullmatch(evaluation):
            raise FormatError(f"evaluation {shown(evaluation)}; expected discs, like -1.5", line=move.line_number)
        words.append(f"[%eval {_negate_for_white(side, evaluation)}]")
    if time:
        found = _TIME.fullmatch(time)
        if found is None:
            raise FormatError(f"time {shown(time)}; expected seconds, like 2.3", line=move.line_number)
        hours, minutes, seconds, rest = found[1], found[2], found[3], found[4] or ""
        if minutes is None:  # a single number before a colon is minutes
            hours, minutes = None, hours
        total = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds)
        words.append(f"[%emt {total // 3600}:{total // 60 % 60:02}:{total % 60:02}{rest}]")
    return " ".join(words)


def _negate_for_white(side: int, number: str) -> str:
    """Convert a number between the view of a side and that of black; the digits are kept."""
    found = _NUMBER.fullmatch(number)
    assert found is not None
    is_negative = (found[1] == "-") != (side == MIN)
    return f"{'-' * (is_negative and float(found[2]) != 0)}{found[2]}"


# ---- writing --------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """Return a game as GGF on one line. Raises `FormatError` if it cannot be represented."""
    start: Any = record.start
    line = record.line
    if line.comments:
        raise FormatError(f"GGF has no comments: {shown(line.comments[0])}")
    tags = dict(record.tags)
    score, flag = tags.pop("Score", ""), tags.pop("Termination", "")
    named = {_NAMES.get(name, name): " ".join(value.split()) for name, value in tags.items()}
    for name in tags:
        if name not in _NAMES and (not re.fullmatch("[A-Z]{2}", name) or name in TAGS or name in _DERIVED):
            expected = ", ".join(["Score", "Termination", *_NAMES])
            raise FormatError(
                f"GGF has no tag {shown(name)}; expected one of {expected}, or two capital letters like TI", tag=name
            )
    kind = named.pop("TY", "8")
    _check_type(kind, 0)
    first = [(name, named.pop(name)) for name in TAGS if name in named]
    board = str(start)[:64].replace("X", "*")
    rows = " ".join(board[first : first + 8] for first in range(0, 64, 8))
    properties = [
        ("GM", "Othello"),
        *first,
        *sorted(named.items()),
        ("TY", kind),
        ("RE", _result(record, score, flag)),
        ("BO", f"8 {rows} {'*' if start.to_move() == MAX else 'O'}"),
        *_move_properties(start, line),
    ]
    for name, value in properties:
        if "]" in value:
            raise FormatError(f"{name} {shown(value)}; expected no ], which ends a GGF property")
    if len(properties) > MAX_PROPERTIES:
        raise FormatError(f"the game has more than {MAX_PROPERTIES} properties")
    text = checked(f"(;{''.join(f'{name}[{value}]' for name, value in properties)};)\n")
    if len(text) > MAX_GAME_LENGTH:
        raise FormatError(f"the game has more than {MAX_GAME_LENGTH:,} characters")
    return text


def _result(record: Record, score: str, flag: str) -> str:
    """Return the RE property: discs for black and the termination."""
    if record.result == UNKNOWN:
        if score or flag:
            raise FormatError("tags Score or Termination without a result; expected a result")
        return "?"
    end: Any = record.end()
    if not score:
        most = 64 if not end.is_over() else abs(end.utility())
        sign = {"1-0": 1, "0-1": -1}.get(record.result, 0)
        score = f"{sign * most:+d}.000"
        if end.is_over() and _result_of(end.utility()) != record.result:
            raise FormatError(f"result {record.result}, but the game ended {_result_of(end.utility())}")
    if flag and flag not in FLAGS.values():
        raise FormatError(f"tag Termination {shown(flag)}; expected one of {', '.join(FLAGS.values())}")
    suffix = {name: f":{letter}" for letter, name in FLAGS.items()}.get(flag, "")
    found = _RESULT.fullmatch(score)
    if found is None or found[2] or _result_of(float(score)) != record.result:
        raise FormatError(f"tag Score {shown(score)}; expected discs for black that match result {record.result}")
    return f"{score}{suffix}"


def _move_properties(start: Any, line: Line) -> Iterator[tuple[str, str]]:
    """Yield the moves with their evaluations and times as properties."""
    state = start
    for step in line.steps:
        if step.nags or step.variations or step.comments_before or step.move is None:
            raise FormatError(
                "GGF has no annotation glyphs, variations or doubling", line=step.line_number, move=step.text
            )
        side = state.to_move()
        comment = " ".join(" ".join(step.comments).split())
        found = _COMMENT.fullmatch(comment)
        if found is None or (found[1] and not _NUMBER.fullmatch(found[1])):
            raise FormatError(f"GGF has no comments: {shown(comment)}", line=step.line_number, move=step.text)
        move = state.move_name(step.move)
        evaluation = _negate_for_white(side, found[1]) if found[1] else ""
        time = ""
        if found[2]:
            time = f"{(int(found[2]) * 60 + int(found[3])) * 60 + int(found[4])}{found[5] or ''}"
        yield "B" if side == MAX else "W", f"{move}/{evaluation}/{time}".rstrip("/")
        state = state.play(step.move)
