"""Reading and writing PGN-like files: tags, moves with comments and variations, results. Used by PGN and PDN.

    [White "Adams"]                     a tag
    1. e4 {best by test} e5 $1          move numbers, moves, comments, annotations ($1 or !)
    (1... c5 2. Nf3 (2. c3)) 2. Nf3 *   nested variations, and the result

The reader does not know which words are moves: a word that is nothing else is taken for one. Files are read line by
line. A game with an error is skipped, and reading continues with the next tag after its moves.

References
----------
S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from zermelo.core.game import MAX, State
from zermelo.errors import FormatError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.record import UNKNOWN, Line, Record, Step

#: Called with the error of each game that cannot be read.
OnError = Callable[[FormatError], None]

#: Limits of a game: characters, and depth of nested variations.
MAX_GAME_LENGTH = 1_000_000
MAX_DEPTH = 100
#: The length of written lines in characters; only longer words exceed it.
COLUMNS = 79

MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
#: Results as written in PGN, and other spellings that are accepted.
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
class ParsedGame:
    """A game as written in a file; its moves are text and have not been checked."""

    #: The number of the game in its file, and of its first line, from 1.
    game: int
    line_number: int
    line: Line = field(default_factory=Line)
    tags: dict[str, str] = field(default_factory=dict)
    #: The result after the moves; empty if there is none.
    result: str = ""

    def error(self, reason: str, line: int = 0, move: str = "") -> FormatError:
        """Return an error in this game."""
        return FormatError(reason, game=self.game, line=line or self.line_number, move=move)

    def known_result(self, results: Mapping[str, str] = RESULTS) -> str:
        """Return the result after the moves, or else that of the tag. Raises `FormatError` if they differ."""
        tag_text = self.tags.get("Result", UNKNOWN)
        tag = results.get(tag_text, "")
        if not self.result and not tag:
            expected = " ".join(results)
            raise self.error(f"tag Result {shown(tag_text)}; expected one of {expected}")
        if self.result in ("", UNKNOWN):
            return tag or UNKNOWN
        if tag not in ("", UNKNOWN, self.result):
            raise self.error(f"tag Result is {tag_text}, but the moves end with {self.result}")
        return self.result


def shown(text: str) -> str:
    """Return a text in quotes, cut to 30 characters."""
    return repr(text if len(text) <= 30 else text[:27] + "...")


# ---- reading --------------------------------------------------------------------------------------------------


def records(
    lines: Iterable[TextLine],
    on_error: OnError,
    to_record: Callable[[ParsedGame], Record],
    results: Mapping[str, str] = RESULTS,
) -> Iterator[Record]:
    """Read the games of a file and convert each with `to_record`; pass the errors of both steps to `on_error`."""
    for parsed in games(lines, on_error, results):
        try:
            yield to_record(parsed)
        except FormatError as error:
            on_error(parsed.error(error.wrong, error.line, error.move))


def games(lines: Iterable[TextLine], on_error: OnError, results: Mapping[str, str] = RESULTS) -> Iterator[ParsedGame]:
    """Yield the games of a file; call `on_error` for each that cannot be read."""
    reader: _Reader | None = None
    count = 0

    def failed(reader: _Reader, error: FormatError) -> None:
        if not reader.is_skipped:
            reader.is_skipped = True
            on_error(FormatError(error.wrong, game=reader.parsed.game, line=error.line, move=error.move))

    for line in lines:
        position = 0
        while True:
            if reader is not None and reader.ends_before(line.text, position):
                try:
                    if not reader.is_skipped:
                        if reader.finish():
                            yield reader.parsed
                        else:
                            count -= 1
                except FormatError as error:
                    failed(reader, error)
                reader = None
            if reader is None:
                if not line.error and (not line.text[position:].strip() or (position == 0 and line.text[0] == "%")):
                    break
                reader = _Reader(ParsedGame(count + 1, line.number), results)
                count += 1
            try:
                if line.error:
                    raise FormatError(line.error, line=line.number)
                position = reader.read(line.text, position, line.number)
            except FormatError as error:
                failed(reader, error)
                reader.skip(line.text)
                break
            if not reader.is_done:
                break
            if reader.is_a_game:
                yield reader.parsed
            else:
                count -= 1
            reader = None
    if reader is not None and not reader.is_skipped:
        try:
            if reader.finish():
                yield reader.parsed
        except FormatError as error:
            failed(reader, error)


class _Reader:
    """Reads one game, line by line."""

    def __init__(self, parsed: ParsedGame, results: Mapping[str, str]) -> None:
        self.parsed = parsed
        self.is_skipped = False  # after an error: the rest of the game is ignored
        self.is_done = False
        self._results = results
        self._open = [parsed.line]  # the main line and the variations that contain the current position
        self._in_tags = True
        self._comment: list[str] | None = None
        self._comment_at = 0
        self._pending: list[str] = []  # comments after a variation, which belong to the next move
        self._after_variation = False
        self._length = 0

    @property
    def is_a_game(self) -> bool:
        """Whether the game has tags, moves or a result, not only comments."""
        parsed = self.parsed
        return bool(parsed.tags or parsed.line.steps or parsed.result)

    def ends_before(self, text: str, position: int) -> bool:
        """Return whether another game begins with this line."""
        if position or not text:
            return False
        if self._comment is not None and not self.is_skipped:
            return bool(_FIRST_TAG.match(text))
        if self._in_tags:
            return "Event" in self.parsed.tags and bool(_FIRST_TAG.match(text))
        # After a skipped game a damaged tag also begins a game, so that its error is reported.
        return bool((_LIKE_A_TAG if self.is_skipped else _TAGS_BEGIN).match(text))

    def skip(self, text: str) -> None:
        """Ignore a line of a skipped game."""
        if not text.lstrip().startswith("[") and (text.strip() or not self.parsed.tags):
            self._in_tags = False

    def finish(self) -> bool:
        """End the game without a result, and return whether it is a game. Raises `FormatError` for open brackets."""
        if self._comment is not None:
            raise FormatError("the comment that begins here is not closed; expected }", line=self._comment_at)
        if len(self._open) > 1:
            parent = self._open[-2].steps[-1]
            raise FormatError(f"a variation of {shown(parent.text)} is not closed; expected )", line=parent.line_number)
        self._settle()
        return self.is_a_game

    def read(self, text: str, position: int, number: int) -> int:
        """Read a line from a position on, and return the position after the game's end. Raises `FormatError`."""
        if self.is_skipped:
            self.skip(text)
            return position
        self._length += len(text) + 1  # empty lines count too: comments keep them
        if self._length > MAX_GAME_LENGTH:
            raise FormatError(f"the game has more than {MAX_GAME_LENGTH:,} characters", line=number)
        if not text and self._comment is None:
            return position
        if self._comment is not None:
            end = text.find("}")
            if end < 0:
                self._comment.append(text)
                return position
            self._add_comment([*self._comment, text[:end]])
            self._comment = None
            position = end + 1
        elif position == 0 and text.startswith("%"):
            return position
        if self._in_tags:
            position = self._read_tags(text, position, number)
        length = len(text.rstrip())
        while position < length:
            found = _TOKEN.match(text, position)
            assert found is not None  # any other character matches `other`
            position = found.end()
            self._read_token(found, number)
            if self.is_done:
                break
        return position

    def _read_tags(self, text: str, position: int, number: int) -> int:
        tags = self.parsed.tags
        while found := _TAG.match(text, position) or _TAG_WITH_QUOTES.match(text, position):
            position = found.end()
            if found[1] in tags:
                raise FormatError(f"duplicate tag {found[1]}", line=number)
            tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        rest = text[position:].strip()
        if rest.startswith("["):
            raise FormatError(f'tag {shown(rest)}; expected a tag like [White "Adams"]', line=number)
        if rest:
            self._in_tags = False
        return position

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
                reason = f"annotation {shown(found[0].strip())}; expected $0 to $255, or {' '.join(MARKS)}"
                raise FormatError(reason, line=number)
            if not line.steps or self._after_variation:
                raise FormatError(f"annotation {found[0].strip()} without a move before it", line=number)
            if nag not in line.steps[-1].nags:  # `Nxd5? $2` says the same twice
                line.steps[-1].nags.append(nag)
        elif kind == "open":
            if not line.steps:
                raise FormatError("( begins a variation before the first move", line=number)
            if len(self._open) > MAX_DEPTH:
                raise FormatError(f"variations are nested more than {MAX_DEPTH} deep", line=number)
            self._settle()
            variation = Line()
            line.steps[-1].variations.append(variation)
            self._open.append(variation)
            self._after_variation = False
        elif kind == "close":
            self._close(line, number)
        elif kind == "other":
            raise FormatError(f"{found['other']!r}; expected a move, a comment or a result", line=number)

    def _read_word(self, word: str, line: Line, number: int) -> None:
        result = self._results.get(word)
        if result is not None and len(self._open) == 1:
            self._settle()
            self.parsed.result = result
            self.is_done = True
        elif result is not None:  # some programs end variations with a result
            if word != UNKNOWN:
                self._add_comment([word])
        elif word not in ("e.p.", "ep") and not (word.isascii() and word.isdigit()):  # a move number may lack its dot
            line.steps.append(Step(word, comments_before=self._pending, line_number=number))
            self._pending = []
            self._after_variation = False

    def _close(self, line: Line, number: int) -> None:
        if len(self._open) == 1:
            raise FormatError(") without a matching (", line=number)
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
        """Attach comments after the last variation to the last move, as no move follows."""
        if self._pending:
            self._open[-1].steps[-1].comments += self._pending
            self._pending = []


# ---- writing --------------------------------------------------------------------------------------------------


def write_game(head: str, tags: Mapping[str, str], record: Record, derived: Iterable[str]) -> str:
    """Return a game as text.

    Parameters
    ----------
    head : str
        The first tags, already written.
    tags : mapping
        Further tags, written in alphabetical order.
    record : Record
        The game.
    derived : iterable of str
        Tags that are derived from the game and must not be in `record.tags`.

    Raises
    ------
    FormatError
        If the text could not be read back: invalid tag names, too many characters.
    """
    for name in record.tags:
        if not _NAME.fullmatch(name):
            raise FormatError(f"tag {shown(name)}; expected a name of letters, digits and _, like White")
        if name in derived:
            raise FormatError(f"tag {name} {shown(record.tags[name])}; expected none, as it is derived from the game")
    rest = "".join(tag(name, tags[name]) for name in sorted(tags))
    text = checked(f"{head}{rest}\n{movetext(record)}\n")
    if len(text) > MAX_GAME_LENGTH:
        raise FormatError(f"the game has more than {MAX_GAME_LENGTH:,} characters; expected shorter annotations")
    return text


def tag(name: str, value: str) -> str:
    """Return a tag as a line."""
    escaped = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]\n'


# The end of a variation in the sequence of words; words of comments contain no space.
_CLOSE = ") "


def movetext(record: Record) -> str:
    """Return the annotated moves of a game and its result, in lines of at most 79 characters."""
    return _join_lines([*_words(record), record.result])


def _words(record: Record) -> Iterator[str]:
    """Yield the words of the movetext; a word that must end its line ends with a newline."""
    # The current line: its steps, the number of steps written, the position, the next move number.
    steps, done, state, number = record.line.steps, 0, record.start, record.first_move_number
    above: list[tuple[list[Step], int, State, int]] = []  # the lines that contain it
    waiting: list[tuple[int, Line, State, int]] = []  # variations to write, next one last, with their depth
    bracket = ""  # an opening bracket for the next word
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
            for comment in step.comments_before:
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
    """Yield the words of a comment; one that contains } becomes a comment to the end of the line."""
    text = " ".join(text.split())
    if "}" in text:
        yield f"; {text}\n"
    elif text:
        yield from f"{{{text}}}".split(" ")


def _join_lines(words: Iterable[str]) -> str:
    """Join words to lines, closing brackets without a space before them."""
    lines = [""]
    for word in _attach_closing(words):
        line = lines[-1]
        # A line must not begin with %, which would be an escape, or with [, which would begin another game's tags.
        if line and len(line) + 1 + len(word.rstrip("\n")) > COLUMNS and not word.startswith(("%", "[")):
            lines.append(word.rstrip("\n"))
        else:
            lines[-1] += f" {word}".rstrip("\n") if line else word.rstrip("\n")
        if word.endswith("\n"):
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _attach_closing(words: Iterable[str]) -> Iterator[str]:
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
