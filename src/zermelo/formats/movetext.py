"""Games as PGN writes them, and PDN like it: tags, moves with comments and variations, the result.

    [White "Adams"]                     a tag
    1. e4 {best by test} e5 $1          numbers, moves, comments, annotations ($1 or !)
    (1... c5 2. Nf3 (2. c3)) 2. Nf3 *   variations, which may hold others, and the result

Which texts are moves, nobody here needs to know: what is nothing else is one. Source: the PGN standard (Edwards 1994).

A file is read line by line and game by game. A game with a mistake in it is lost; reading goes on at the next one,
which begins at the next tag after moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from zermelo.core.game import MAX, State
from zermelo.errors import FormatError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.record import UNKNOWN, Line, Record, Step

#: What is done about a game that cannot be read.
OnError = Callable[[FormatError], None]

#: A game has so many characters at most, and so many variations within each other.
LONGEST_GAME = 1_000_000
DEEPEST = 100
#: A line of a written file has so many characters at most, words apart that are longer.
COLUMNS = 79

MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
#: Results as PGN writes them, and other ways that are understood.
RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2", "*": UNKNOWN, "1/2": "1/2-1/2", "½-½": "1/2-1/2"}

_TAGS_BEGIN = re.compile(r'\s*\[\s*[A-Za-z0-9_]+\s*"')
_NAME = re.compile("[A-Za-z0-9_]+")
_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_TAG_WITH_QUOTES = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s*"(.*)"\s*\]\s*$')
_LIKE_A_TAG = re.compile(r"\[[A-Za-z]")
_FIRST_TAG = re.compile(r'\[Event\s+".*"\]\s*$')
_TOKEN = re.compile(
    r"""\s* (?: (?P<number> [0-9]{1,6} \.+ | \.+ ) | (?P<word> [^\s{}()\[\];$!?*<>]+ ) | (?P<star> \* )
        | \{ (?P<comment> [^}]* ) (?P<closed> \}? ) | ; (?P<rest> .* )
        | (?P<open> \( ) | (?P<close> \) )
        | \$ (?P<nag> [0-9]{1,3} ) (?![0-9]) | (?P<mark> [!?]+ ) | (?P<other> \S ) )""",
    re.VERBOSE,
)


@dataclass(slots=True)
class Written:
    """A game as it is written in a file: the moves are texts, nobody has tried to play them."""

    #: The number of the game in its file, and the line where it begins, from 1.
    game: int
    at: int
    line: Line = field(default_factory=Line)
    tags: dict[str, str] = field(default_factory=dict)
    #: How the moves end; empty where they just stop.
    result: str = ""

    def failed(self, wrong: str, line: int = 0, move: str = "") -> FormatError:
        """What is wrong with this game."""
        return FormatError(wrong, game=self.game, line=line or self.at, move=move)

    def known_result(self, results: Mapping[str, str] = RESULTS) -> str:
        """The result at the end of the moves, or else the tag's. Raises `FormatError` where they differ."""
        told = self.tags.get("Result", UNKNOWN)
        tag = results.get(told, "")
        if not self.result and not tag:
            expected = " ".join(results)
            raise self.failed(f"tag Result {shown(told)}; expected one of {expected}")
        if self.result in ("", UNKNOWN):
            return tag or UNKNOWN
        if tag not in ("", UNKNOWN, self.result):
            raise self.failed(f"tag Result says {told}, and the moves end with {self.result}")
        return self.result


def shown(text: str) -> str:
    """A piece of a text in quotes, cut where it is long."""
    return repr(text if len(text) <= 30 else text[:27] + "...")


# ---- reading --------------------------------------------------------------------------------------------------


def records(
    lines: Iterable[TextLine],
    on_error: OnError,
    to_record: Callable[[Written], Record],
    results: Mapping[str, str] = RESULTS,
) -> Iterator[Record]:
    """Read the games of a file and convert each with `to_record`; pass the errors of both steps to `on_error`."""
    for written in games(lines, on_error, results):
        try:
            yield to_record(written)
        except FormatError as error:
            on_error(written.failed(error.wrong, error.line, error.move))


def games(lines: Iterable[TextLine], on_error: OnError, results: Mapping[str, str] = RESULTS) -> Iterator[Written]:
    """The games of a file, as they are written; `on_error` is called for each that cannot be read."""
    reader: _Reader | None = None
    count = 0

    def failed(reader: _Reader, error: FormatError) -> None:
        if not reader.is_lost:
            reader.is_lost = True
            on_error(FormatError(error.wrong, game=reader.written.game, line=error.line, move=error.move))

    for line in lines:
        place = 0
        while True:
            if reader is not None and reader.ends_before(line.text, place):
                try:
                    if not reader.is_lost:
                        if reader.finish():
                            yield reader.written
                        else:
                            count -= 1
                except FormatError as error:
                    failed(reader, error)
                reader = None
            if reader is None:
                if not line.wrong and (not line.text[place:].strip() or (place == 0 and line.text[0] == "%")):
                    break
                reader = _Reader(Written(count + 1, line.number), results)
                count += 1
            try:
                if line.wrong:
                    raise FormatError(line.wrong, line=line.number)
                place = reader.read(line.text, place, line.number)
            except FormatError as error:
                failed(reader, error)
                reader.skip(line.text)
                break
            if not reader.is_done:
                break
            if reader.is_a_game:
                yield reader.written
            else:
                count -= 1
            reader = None
    if reader is not None and not reader.is_lost:
        try:
            if reader.finish():
                yield reader.written
        except FormatError as error:
            failed(reader, error)


class _Reader:
    """Reads one game, line by line."""

    def __init__(self, written: Written, results: Mapping[str, str]) -> None:
        self.written = written
        self.is_lost = False  # and the rest of it is passed over
        self.is_done = False
        self._results = results
        self._open = [written.line]  # the line of moves that is read, and those that it is a variation of
        self._in_tags = True
        self._comment: list[str] | None = None
        self._comment_at = 0
        self._pending: list[str] = []  # comments after a variation: they belong to the next move
        self._after_variation = False
        self._length = 0

    @property
    def is_a_game(self) -> bool:
        """Whether there is more than comments."""
        written = self.written
        return bool(written.tags or written.line.steps or written.result)

    def ends_before(self, text: str, place: int) -> bool:
        """Whether another game begins with this line."""
        if place:
            return False
        if self._comment is not None and not self.is_lost:
            return bool(_FIRST_TAG.match(text))
        if self._in_tags:
            return "Event" in self.written.tags and bool(_FIRST_TAG.match(text))
        # After a game that is lost a damaged tag begins one too, so that it is told and not passed over.
        return bool((_LIKE_A_TAG if self.is_lost else _TAGS_BEGIN).match(text))

    def skip(self, text: str) -> None:
        """Pass over a line of a game that is lost."""
        if not text.lstrip().startswith("[") and (text.strip() or not self.written.tags):
            self._in_tags = False

    def finish(self) -> bool:
        """The game is over without a result. Returns whether it is one. Raises `FormatError` for what is left open."""
        if self._comment is not None:
            raise FormatError("a comment begins here and does not end; expected }", line=self._comment_at)
        if len(self._open) > 1:
            parent = self._open[-2].steps[-1]
            raise FormatError(f"a variation to {shown(parent.text)} does not end; expected )", line=parent.at)
        self._settle()
        return self.is_a_game

    def read(self, text: str, place: int, number: int) -> int:
        """Read a line from a place on. Returns where the game ended, if it did. Raises `FormatError`."""
        if self.is_lost:
            self.skip(text)
            return place
        self._length += len(text) + 1  # empty lines are kept too, in comments
        if self._length > LONGEST_GAME:
            raise FormatError(f"more than {LONGEST_GAME:,} characters in one game", line=number)
        if self._comment is not None:
            end = text.find("}")
            if end < 0:
                self._comment.append(text)
                return place
            self._add_comment([*self._comment, text[:end]])
            self._comment = None
            place = end + 1
        elif place == 0 and text.startswith("%"):
            return place
        if self._in_tags:
            place = self._read_tags(text, place, number)
        length = len(text.rstrip())
        while place < length:
            found = _TOKEN.match(text, place)
            assert found is not None  # each sign that is no blank is at least `other`
            place = found.end()
            self._read_token(found, number)
            if self.is_done:
                break
        return place

    def _read_tags(self, text: str, place: int, number: int) -> int:
        tags = self.written.tags
        while found := _TAG.match(text, place) or _TAG_WITH_QUOTES.match(text, place):
            place = found.end()
            if found[1] in tags:
                raise FormatError(f"tag {found[1]} stands twice; expected each tag once", line=number)
            tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        rest = text[place:].strip()
        if rest.startswith("["):
            raise FormatError(f'tag {shown(rest)}; expected a tag like [White "Adams"]', line=number)
        if rest:
            self._in_tags = False
        return place

    def _read_token(self, found: re.Match[str], number: int) -> None:
        kind = found.lastgroup
        line = self._open[-1]
        if kind == "word" or kind == "star":
            self._read_word(found["word"] or "*", line, number)
        elif kind == "closed":
            if found["closed"]:
                self._add_comment([found["comment"]])
            else:
                self._comment, self._comment_at = [found["comment"]], number
        elif kind == "rest":
            self._add_comment([found["rest"]])
        elif kind == "nag" or kind == "mark":
            nag = int(found["nag"]) if kind == "nag" else MARKS.get(found["mark"], -1)
            if not 0 <= nag <= 255:
                wrong = f"annotation {shown(found[0].strip())}; expected $0 to $255, or {' '.join(MARKS)}"
                raise FormatError(wrong, line=number)
            if not line.steps or self._after_variation:
                raise FormatError(f"annotation {found[0].strip()} without a move before it", line=number)
            line.steps[-1].nags.append(nag)
        elif kind == "open":
            if not line.steps:
                raise FormatError("( begins a variation before there is a move", line=number)
            if len(self._open) > DEEPEST:
                raise FormatError(f"more than {DEEPEST} variations within each other", line=number)
            self._settle()
            variation = Line()
            line.steps[-1].variations.append(variation)
            self._open.append(variation)
            self._after_variation = False
        elif kind == "close":
            self._close(line, number)
        elif kind == "other":
            raise FormatError(f"{found['other']!r} where a move, a comment or a result was expected", line=number)

    def _read_word(self, word: str, line: Line, number: int) -> None:
        result = self._results.get(word)
        if result is not None and len(self._open) == 1:
            self._settle()
            self.written.result = result
            self.is_done = True
        elif result is not None:  # some programs end variations so
            if word != UNKNOWN:
                self._add_comment([word])
        elif word not in ("e.p.", "ep") and not (word.isascii() and word.isdigit()):  # a number may lack its dot
            line.steps.append(Step(word, before=self._pending, at=number))
            self._pending = []
            self._after_variation = False

    def _close(self, line: Line, number: int) -> None:
        if len(self._open) == 1:
            raise FormatError(") without a ( before it", line=number)
        self._settle()
        self._open.pop()
        parent = self._open[-1].steps[-1]
        if not line.steps:
            parent.variations.pop()
            parent.comments += line.comments
        self._after_variation = True

    def _add_comment(self, pieces: list[str]) -> None:
        text = " ".join(" ".join(pieces).split())
        if not text:
            return
        line = self._open[-1]
        if self._after_variation:
            self._pending.append(text)
        elif line.steps:
            line.steps[-1].comments.append(text)
        else:
            line.comments.append(text)

    def _settle(self) -> None:
        """Comments that wait for a next move which does not come belong to the last one."""
        if self._pending:
            self._open[-1].steps[-1].comments += self._pending
            self._pending = []


# ---- writing --------------------------------------------------------------------------------------------------


def whole(head: str, tags: Mapping[str, str], record: Record, elsewhere: Iterable[str]) -> str:
    """A game as text: the first tags as written, more tags by name, the moves.

    `elsewhere` are the tags that say what the record has in other places. Raises `FormatError` for what could not be
    read again: tags without a proper name, too long a game.
    """
    for name in record.tags:
        if not _NAME.fullmatch(name):
            raise FormatError(f"tag {shown(name)}; expected a name of letters, digits and _, like White")
        if name in elsewhere:
            raise FormatError(f"tag {name} {shown(record.tags[name])}; expected none, it is made of the game itself")
    rest = "".join(tag(name, tags[name]) for name in sorted(tags))
    text = checked(f"{head}{rest}\n{movetext(record)}\n")
    if len(text) > LONGEST_GAME:
        raise FormatError(f"more than {LONGEST_GAME:,} characters in one game; expected less said of it")
    return text


def tag(name: str, value: str) -> str:
    """A line with a tag."""
    escaped = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]\n'


# The end of a variation among words; a word of a comment has no blank in it.
_CLOSE = ") "


def movetext(record: Record) -> str:
    """The moves of a game with all that is said of them, and the result, in lines of at most 79 characters."""
    return _lines([*_words(record), record.result])


def _words(record: Record) -> Iterator[str]:
    """What stands between blanks; a word that ends its line ends with a newline."""
    # The line of moves that is written: its steps, how many are done, the position, the number of its next move.
    steps, done, state, number = record.line.steps, 0, record.start, record.number
    above: list[tuple[list[Step], int, State, int]] = []  # the lines that it is a variation of
    waiting: list[tuple[int, Line, State, int]] = []  # variations to write, the next one last, and how deep they are
    bracket = ""  # one that the next word begins with
    needs_number = True
    for comment in record.line.comments:
        yield from _comment(comment)
    while True:
        if waiting and waiting[-1][0] == len(above):
            above.append((steps, done, state, number))
            _, variation, state, number = waiting.pop()
            steps, done, bracket, needs_number = variation.steps, 0, "(", True
            for comment in variation.comments:
                for word in _comment(comment):
                    yield bracket + word
                    bracket = ""
        elif done < len(steps):
            step = steps[done]
            done += 1
            for comment in step.before:
                yield from _comment(comment)
                needs_number = True
            if state.to_move() == MAX or needs_number:
                yield f"{bracket}{number}{'.' if state.to_move() == MAX else '...'}"
                bracket = ""
            yield bracket + (step.text if step.move is None else state.move_name(step.move))
            bracket = ""
            yield from (f"${nag}" for nag in step.nags)
            for comment in step.comments:
                yield from _comment(comment)
            variations = [variation for variation in step.variations if variation.steps or variation.comments]
            waiting += [(len(above), variation, state, number) for variation in reversed(variations)]
            needs_number = bool(step.comments or variations)
            number += state.to_move() != MAX
            if step.move is not None:
                state = state.play(step.move)
        elif above:
            yield _CLOSE
            steps, done, state, number = above.pop()
            needs_number = True
        else:
            return


def _comment(text: str) -> Iterator[str]:
    """A comment word by word; one that has a } in it goes to the end of its line."""
    text = " ".join(text.split())
    if "}" in text:
        yield f"; {text}\n"
    elif text:
        yield from f"{{{text}}}".split(" ")


def _lines(words: Iterable[str]) -> str:
    """Words in lines; brackets that close stand at the word before them."""
    lines = [""]
    for word in _glued(words):
        line = lines[-1]
        # A line that begins with % would not be read, and one with [ for a tag, where another game begins.
        if line and len(line) + 1 + len(word.rstrip("\n")) > COLUMNS and not word.startswith(("%", "[")):
            lines.append(word.rstrip("\n"))
        else:
            lines[-1] += f" {word}".rstrip("\n") if line else word.rstrip("\n")
        if word.endswith("\n"):
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _glued(words: Iterable[str]) -> Iterator[str]:
    before = ""
    for word in words:
        if word == _CLOSE and before and not before.endswith("\n"):
            before += ")"
        else:
            if before:
                yield before
            before = ")" if word == _CLOSE else word
    if before:
        yield before
