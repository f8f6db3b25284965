"""Which formats each game has: the games' own first, then those that every game has.

A game gets formats of its own by a function here, that imports them when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from zermelo.core.game import State
from zermelo.errors import FormatError
from zermelo.formats.line_reader import TextLine
from zermelo.formats.movetext import OnError
from zermelo.formats.record import Record


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write games or positions down."""

    name: str
    #: What it is, in a few words.
    about: str
    #: From the lines of a file to the games in it; the second argument is told of each that cannot be read.
    read: Callable[[Iterable[TextLine], OnError], Iterator[Record]]
    #: A game as text, that ends with a newline.
    write: Callable[[Record], str]
    #: How names of such files end.
    suffixes: tuple[str, ...] = ()


def formats_of(cls: type[State]) -> dict[str, Format]:
    """The formats of a game by name."""
    own = _OWN.get(f"{cls.__module__}.{cls.__qualname__}", partial(_plain, cls))
    return {each.name: each for each in (*own(), *_general(cls))}


def get_format(cls: type[State], name: str) -> Format:
    """A game's format by name. Raises `FormatError`, naming those that there are."""
    known = formats_of(cls)
    if name not in known:
        raise FormatError(f"{cls.__name__} has no format {name!r}; it has {', '.join(known)}")
    return known[name]


def format_for_file(cls: type[State], file: str) -> Format | None:
    """The game's format for a file of that name, as far as the name tells."""
    for each in formats_of(cls).values():
        if file.casefold().endswith(each.suffixes):
            return each
    return None


def _general(cls: type[State]) -> Iterator[Format]:
    from zermelo.formats import text_formats as texts

    read = partial(texts.read_json, cls)
    yield Format("json", "games with all that is said of them, one a line", read, texts.write_json, (".json", ".jsonl"))


def _plain(cls: type[State]) -> Iterator[Format]:
    from zermelo.formats import text_formats as texts

    yield Format("moves", "games as lines of moves", partial(texts.read_moves, cls), texts.write_moves, (".moves",))
    yield Format("positions", "positions, one a line", partial(texts.read_positions, cls), texts.write_position)


def _chess() -> Iterator[Format]:
    from zermelo.formats import epd, pgn
    from zermelo.formats import text_formats as texts
    from zermelo.games.chess import Chess

    read_moves = partial(texts.read_moves, Chess)
    yield Format("pgn", "games with comments and variations", pgn.read, pgn.write, (".pgn",))
    yield Format("epd", "positions with operations, one a line", epd.read, epd.write, (".epd",))
    yield Format("fen", "positions, one a line", epd.read_fens, epd.write_fen, (".fen",))
    yield Format("uci", "games as lines of moves, as engines are told them", read_moves, pgn.write_uci, (".uci",))
    yield Format("san", "games as lines of moves in SAN", read_moves, texts.write_moves, (".san",))


def _checkers() -> Iterator[Format]:
    from zermelo.formats import pdn
    from zermelo.formats import text_formats as texts
    from zermelo.games.checkers import Checkers

    read_positions = partial(texts.read_positions, Checkers)
    yield Format("pdn", "games with comments and variations", pdn.read, pdn.write, (".pdn",))
    yield Format("fen", "positions, one a line", read_positions, texts.write_position, (".fen",))
    yield Format(
        "moves", "games as lines of moves", partial(texts.read_moves, Checkers), texts.write_moves, (".moves",)
    )


def _othello() -> Iterator[Format]:
    from zermelo.formats import ggf
    from zermelo.games.othello import Othello

    yield Format("ggf", "games as servers keep them, with evaluations and times", ggf.read, ggf.write, (".ggf",))
    yield from _plain(Othello)


def _backgammon() -> Iterator[Format]:
    from zermelo.formats import match
    from zermelo.formats import text_formats as texts
    from zermelo.games.backgammon import Backgammon

    read_positions = partial(texts.read_positions, Backgammon)
    yield Format("match", "games of a match, with the doubling cube", match.read, match.write, (".mat",))
    yield Format("positions", "position IDs with match IDs, one a line", read_positions, texts.write_position)
    yield Format("moves", "games as lines of rolls and plays", partial(texts.read_moves, Backgammon), texts.write_moves)


_OWN: dict[str, Callable[[], Iterator[Format]]] = {
    "zermelo.games.chess.rules.Chess": _chess,
    "zermelo.games.checkers.rules.Checkers": _checkers,
    "zermelo.games.othello.rules.Othello": _othello,
    "zermelo.games.backgammon.rules.Backgammon": _backgammon,
}
