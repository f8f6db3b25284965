"""GGF: games of Othello, as game servers and programs exchange them. Source: the Generic Game Format (Durdanovic), as
the Generic Game Server describes it (skatgame.net/mburo/ggsa/ggf).

    (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[one]PW[two]RB[2197.0]RW[2199.7]TI[05:00//02:00]TY[8]
    RE[+0.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
    B[d3//0.01]W[c5/-1.5/2.3]B[e6];)

Black (`*`) is MAX. A move may have an evaluation, in discs for whoever makes it, and the seconds it took: in a record
they are a comment, `[%eval 1.5] [%emt 0:00:02.3]`, the evaluation for black, as PGN has it for White. The result is
black's discs less white's, with `r` where somebody resigned, `t` ran out of time or `s` agreed to it: the tags `Score`
and `Termination`. What has no name of its own in `TAGS` keeps that of GGF.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from zermelo.core.game import MAX, MIN
from zermelo.errors import FormatError, IllegalMove, PositionError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import LONGEST_GAME, OnError, shown
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.games.othello import PASS, Othello

#: Names of tags in GGF, and what they are called in other formats.
TAGS = {"PC": "Site", "DT": "Date", "PB": "Black", "PW": "White", "RB": "BlackElo", "RW": "WhiteElo"}
#: How a game ended, where not by its last move.
FLAGS = {"r": "resignation", "t": "time forfeit", "s": "agreement"}
#: A game has so many properties at most: 60 moves, passes, tags.
MOST_PROPERTIES = 300

_NAMES = {name: tag for tag, name in TAGS.items()}
_ELSEWHERE = ("GM", "RE", "BO", "B", "W")
_BLANKS = re.compile(r"\s*")
_TOKEN = re.compile(r"(?P<name>[A-Z]{1,2})\s*\[|(?P<end>;?\s*\))|(?P<begin>\(\s*;)|(?P<other>.)")
_BEGIN = re.compile(r"\(\s*;")
_NEXT = re.compile(r"\s*\d*\s*\(\s*;\s*GM\s*\[")  # a line that begins another game
_BETWEEN = re.compile(r"[\s\d]*")  # servers number the games
_TYPE = re.compile(r"s?(\d{1,2})([a-z0-9]{0,8})")
_RESULT = re.compile(r"([+-]?\d{1,4}(?:\.\d{1,6})?)(?::([rts]))?")
_NUMBER = re.compile(r"([+-]?)(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})")
_TIME = re.compile(r"(?:(\d{1,4}):)?(?:(\d{1,4}):)?(\d{1,9})(\.\d{1,9})?")
_SAID = re.compile(r"(?:\[%eval ([^\],\s]{1,40})\])? ?(?:\[%emt (\d{1,6}):([0-5]\d):([0-5]\d)(\.\d{1,9})?\])?")
_SIDES = {"B": MAX, "W": MIN}


# ---- reading --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Property:
    name: str
    at: int
    parts: list[str] = field(default_factory=list)

    @property
    def value(self) -> str:
        return " ".join("".join(self.parts).split())


@dataclass(slots=True)
class _Game:
    """A game as far as it was read."""

    number: int
    at: int
    properties: list[_Property] = field(default_factory=list)
    #: The last property, where its value goes on.
    is_open: bool = False
    size: int = 0


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """The games of a GGF file; `on_error` is called for each that cannot be read: its number, the line, the move."""
    reader = _Reader(on_error)
    for line in lines:
        yield from reader.take_in(line)
    if reader.game is not None:
        reader.lose("the game does not end; expected ;)", reader.game.at)


class _Reader:
    """Goes through a file: what stands between games, and each game."""

    def __init__(self, on_error: OnError) -> None:
        self.on_error = on_error
        self.count = 0
        self.game: _Game | None = None
        #: Whether a game was lost, and the next one is looked for.
        self.is_lost = False

    def lose(self, wrong: str, line: int, move: str = "") -> None:
        """The game that is read, or what stands here in place of one, is lost."""
        if self.game is None:
            self.count += 1
        self.on_error(FormatError(wrong, game=self.count, line=line, move=move))
        self.game, self.is_lost = None, True

    def take_in(self, line: TextLine) -> Iterator[Record]:
        if line.wrong:
            if not self.is_lost:
                self.lose(line.wrong, line.number)
            return
        place = 0
        while place < len(line.text):
            if self.game is None:
                place = self._between(line, place)
            else:
                place = self._within(self.game, line, place)
                if place < 0:  # the game is whole
                    game, self.game = self.game, None
                    place = -place
                    try:
                        yield _record(game)
                    except FormatError as error:
                        self.on_error(FormatError(error.wrong, game=game.number, line=error.line, move=error.move))
        if self.game is not None:
            if self.game.is_open:
                self.game.properties[-1].parts.append("\n")
            self.game.size += len(line.text) + 1
            if self.game.size > LONGEST_GAME:
                self.lose(f"more than {LONGEST_GAME:,} characters in one game", self.game.at)

    def _between(self, line: TextLine, place: int) -> int:
        """Look for the next game. Returns how far the line was read."""
        found = _BEGIN.search(line.text, place)
        rest = line.text[place : found.start() if found else None]
        if not self.is_lost and not _BETWEEN.fullmatch(rest):
            self.lose(f"{shown(rest.strip())} where no game is; expected one that begins with (;", line.number)
        if found is None:
            return len(line.text)
        self.count += 1
        self.game, self.is_lost = _Game(self.count, line.number), False
        return found.end()

    def _within(self, game: _Game, line: TextLine, place: int) -> int:
        """Read on in a game. Returns how far the line was read; the negative of that at its end."""
        if game.is_open and place == 0 and _NEXT.match(line.text):
            self.lose(f"{game.properties[-1].name}[ does not end; expected ]", game.properties[-1].at)
            return 0
        if game.is_open:
            end = line.text.find("]", place)
            game.properties[-1].parts.append(line.text[place : end if end >= 0 else None])
            game.is_open = end < 0
            return end + 1 if end >= 0 else len(line.text)
        blanks = _BLANKS.match(line.text, place)
        found = _TOKEN.match(line.text, blanks.end() if blanks else place)
        if found is None:  # the line ends
            return len(line.text)
        if found["begin"]:
            self.lose("the game does not end; expected ;)", game.at)
            return found.start("begin")
        if found["end"]:
            return -found.end()
        if found["name"]:
            game.properties.append(_Property(found["name"], line.number))
            game.is_open = True
            if len(game.properties) > MOST_PROPERTIES:
                self.lose(f"more than {MOST_PROPERTIES} properties in one game", line.number)
        elif found["other"] != ";":
            rest = line.text[found.start("other") :]
            self.lose(f"{shown(rest)}; expected a property like PB[Adams], or ;)", line.number)
        return found.end()


def _record(game: _Game) -> Record:
    """The game of its properties. Raises `FormatError`."""
    told: dict[str, _Property] = {}
    for each in game.properties:
        if each.name in _SIDES:
            continue
        if each.name in told:
            raise FormatError(f"{each.name} stands twice in one game", line=each.at)
        told[each.name] = each
    kind = told.pop("GM", None)
    if kind is None or kind.value.casefold() != "othello":
        what = f"GM[{shown(kind.value)}]" if kind else "no GM"
        raise FormatError(f"{what}; expected GM[Othello]", line=kind.at if kind else game.at)
    if "TY" in told:
        _check_type(told["TY"].value, told["TY"].at)
    record = Record(_start(told.pop("BO", None)))
    result = told.pop("RE", None)
    record.tags = {TAGS.get(name, name): each.value for name, each in told.items()}
    if result is not None:
        _take_result(record, result)
    record.line = _moves(record.start, [each for each in game.properties if each.name in _SIDES])
    return record


def _check_type(text: str, line: int) -> None:
    """Raises `FormatError` for other boards and other rules than those of Othello."""
    kind = _TYPE.fullmatch(text)
    if kind is None or int(kind[1]) != 8 or "a" in kind[2]:
        raise FormatError(f"TY {shown(text)}; expected 8, a board of eight by eight with the usual rules", line=line)


def _start(board: _Property | None) -> Any:
    if board is None:
        return Othello.start()
    size, _, squares = board.value.partition(" ")
    if size != "8":
        raise FormatError(f"BO {shown(board.value)}; expected 8, 64 squares and who is to move", line=board.at)
    try:
        return Othello.parse(squares)
    except PositionError as error:
        raise FormatError(f"BO: {error}", line=board.at) from None


def _take_result(record: Record, told: _Property) -> None:
    if told.value in ("", "?"):
        return
    found = _RESULT.fullmatch(told.value)
    if found is None:
        raise FormatError(f"RE {shown(told.value)}; expected discs for black, like +12.00 or -64.00:t", line=told.at)
    record.tags["Score"] = found[1]
    if found[2]:
        record.tags["Termination"] = FLAGS[found[2]]
    record.result = _result_of(float(found[1]))


def _result_of(discs: float) -> str:
    return "1-0" if discs > 0 else "0-1" if discs < 0 else "1/2-1/2"


def _moves(start: Any, properties: list[_Property]) -> Line:
    line, state = Line(), start
    for each in properties:
        text, _, said = each.value.partition("/")
        name = text.strip().lower()
        is_pass = name in ("pa", "pass", "--")
        if is_pass and state.is_over():
            continue  # some programs say in the end that nobody can move
        side = _SIDES[each.name]
        if side != state.to_move() and not state.is_over() and state.legal_moves() == [PASS]:
            line.steps.append(Step(state.move_name(PASS), PASS, at=each.at))  # and some say nothing of passes
            state = state.play(PASS)
        if side != state.to_move():
            turn = state.player_name(state.to_move())
            raise FormatError(f"{each.name}[{text}] where it is the turn of {turn}", line=each.at, move=text)
        try:
            move = state.parse_move("pass" if is_pass else name)
        except IllegalMove as error:
            raise FormatError(str(error), line=each.at, move=text) from None
        step = Step(state.move_name(move), move, at=each.at)
        comment = _comment(said, side, each)
        if comment:
            step.comments.append(comment)
        line.steps.append(step)
        state = state.play(move)
    return line


def _comment(said: str, side: int, told: _Property) -> str:
    """What is said of a move, in the words of PGN."""
    evaluation, _, time = (part.strip() for part in said.partition("/"))
    words = []
    if evaluation:
        if not _NUMBER.fullmatch(evaluation):
            raise FormatError(f"evaluation {shown(evaluation)}; expected discs, like -1.5", line=told.at)
        words.append(f"[%eval {_for(side, evaluation)}]")
    if time:
        found = _TIME.fullmatch(time)
        if found is None:
            raise FormatError(f"time {shown(time)}; expected seconds, like 2.3", line=told.at)
        hours, minutes, seconds, rest = found[1], found[2], found[3], found[4] or ""
        if minutes is None:  # a single number before a colon is of minutes
            hours, minutes = None, hours
        whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds)
        words.append(f"[%emt {whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}{rest}]")
    return " ".join(words)


def _for(side: int, number: str) -> str:
    """A number for one side as it is for black, and the other way round; digits stay as they are."""
    found = _NUMBER.fullmatch(number)
    assert found is not None
    is_negative = (found[1] == "-") != (side == MIN)
    return f"{'-' * (is_negative and float(found[2]) != 0)}{found[2]}"


# ---- writing --------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """A game as GGF, in one line. Raises `FormatError` for what it cannot tell."""
    start: Any = record.start
    line = record.line
    if line.comments:
        raise FormatError(f"GGF has no comments: {shown(line.comments[0])}")
    tags = dict(record.tags)
    score, flag = tags.pop("Score", ""), tags.pop("Termination", "")
    named = {_NAMES.get(name, name): " ".join(value.split()) for name, value in tags.items()}
    for name in tags:
        if name not in _NAMES and (not re.fullmatch("[A-Z]{2}", name) or name in TAGS or name in _ELSEWHERE):
            expected = ", ".join(["Score", "Termination", *_NAMES])
            raise FormatError(f"GGF has no tag {shown(name)}; expected some of {expected}, or two letters like TI")
    kind = named.pop("TY", "8")
    _check_type(kind, 0)
    first = [(name, named.pop(name)) for name in TAGS if name in named]
    board = str(start)[:64].replace("X", "*")
    rows = " ".join(board[place : place + 8] for place in range(0, 64, 8))
    properties = [
        ("GM", "Othello"),
        *first,
        *sorted(named.items()),
        ("TY", kind),
        ("RE", _result(record, score, flag)),
        ("BO", f"8 {rows} {'*' if start.to_move() == MAX else 'O'}"),
        *_told(start, line),
    ]
    for name, value in properties:
        if "]" in value:
            raise FormatError(f"{name} {shown(value)}; expected no ] in it, where GGF ends a property")
    if len(properties) > MOST_PROPERTIES:
        raise FormatError(f"more than {MOST_PROPERTIES} properties in one game")
    text = checked(f"(;{''.join(f'{name}[{value}]' for name, value in properties)};)\n")
    if len(text) > LONGEST_GAME:
        raise FormatError(f"more than {LONGEST_GAME:,} characters in one game")
    return text


def _result(record: Record, score: str, flag: str) -> str:
    """Discs for black, and how the game ended."""
    if record.result == UNKNOWN:
        if score or flag:
            raise FormatError("a score and how the game ended, but no result; expected one")
        return "?"
    end: Any = record.end()
    if not score:
        most = 64 if not end.is_over() else abs(end.utility())
        sign = {"1-0": 1, "0-1": -1}.get(record.result, 0)
        score = f"{sign * most:+d}.000"
        if end.is_over() and _result_of(end.utility()) != record.result:
            raise FormatError(f"result {record.result}, and the moves lead to {_result_of(end.utility())}")
    if flag and flag not in FLAGS.values():
        raise FormatError(f"tag Termination {shown(flag)}; expected one of {', '.join(FLAGS.values())}")
    ending = {told: f":{sign}" for sign, told in FLAGS.items()}.get(flag, "")
    found = _RESULT.fullmatch(score)
    if found is None or found[2] or _result_of(float(score)) != record.result:
        raise FormatError(f"tag Score {shown(score)}; expected discs for black that are {record.result}")
    return f"{score}{ending}"


def _told(start: Any, line: Line) -> Iterator[tuple[str, str]]:
    """The moves, with what is said of them."""
    state = start
    for step in line.steps:
        if step.nags or step.variations or step.before or step.move is None:
            raise FormatError("GGF has moves only, no annotations or variations", line=step.at, move=step.text)
        side = state.to_move()
        comment = " ".join(" ".join(step.comments).split())
        found = _SAID.fullmatch(comment)
        if found is None or (found[1] and not _NUMBER.fullmatch(found[1])):
            raise FormatError(f"GGF has no comments: {shown(comment)}", line=step.at, move=step.text)
        move = state.move_name(step.move)
        evaluation = _for(side, found[1]) if found[1] else ""
        time = ""
        if found[2]:
            time = f"{(int(found[2]) * 60 + int(found[3])) * 60 + int(found[4])}{found[5] or ''}"
        yield "B" if side == MAX else "W", f"{move}/{evaluation}/{time}".rstrip("/")
        state = state.play(step.move)
