"""The end of a game of Scrabble, when the bag is empty: the part of the rules without chance and hidden information.

Who has seen the board and its own rack knows the rack of the other player too. So alpha-beta solves it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Self

from zermelo.core.evaluation import Evaluation, evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Grid, Path, Piece
from zermelo.errors import IllegalMove
from zermelo.games.scrabble import notation
from zermelo.games.scrabble.plays import Play, lay, read_play
from zermelo.games.scrabble.tiles import (
    BLANK,
    CENTRE,
    EMPTY,
    INDEX,
    PASS,
    PREMIUMS,
    RACK_SIZE,
    SIZE,
    SQUARES,
    VALUES,
    without,
)
from zermelo.games.scrabble.words import WordGraph, load_words

if TYPE_CHECKING:
    from zermelo.games.scrabble.generator import Generator

#: Turns in a row without points that end the game.
MOST_SCORELESS = 6
# Premium squares in pictures.
_TINTS = {"=": "rose", "-": "pink", "'": "sky", '"': "blue"}
_PREMIUM_NAMES = {"=": "3W", "-": "2W", "'": "2L", '"': "3L"}


@cache
def generator(path: str) -> Generator:
    """Return the generator of plays for a word list."""
    from zermelo.games.scrabble.generator import Generator

    return Generator(load_words(path))


@evaluation
class Margin(Evaluation):
    """The difference of the scores, less the points of the tiles on the racks."""

    def score(self, state: Endgame) -> int:
        return state.utility()


@game(compiled=False)
class Endgame(State):
    """The end of a game of Scrabble: the bag is empty, and both racks are known.

    Tiles that are neither on the board nor on a rack are not in the game.

    Notes
    -----
    A move is a text: `8D:RETAINS`, or `-` to pass.
    """

    #: The squares row by row: `.`, a letter, or the letter of a blank in lowercase.
    squares: str = EMPTY * SQUARES
    #: The player whose turn it is.
    turn: int = MAX
    #: The tiles of MAX and of MIN, sorted.
    racks: tuple = ("", "")  # type: ignore[type-arg]
    #: The points of MAX and of MIN.
    scores: tuple = (0, 0)  # type: ignore[type-arg]
    #: Turns without points since the last one with points.
    scoreless: int = 0
    #: No game comes near; the largest that the contract allows.
    max_utility = 7000
    #: Path of the word list; empty for the list of the package.
    word_file = ""

    evaluations = {"margin": Margin()}

    @classmethod
    def words(cls) -> WordGraph:
        """Return the word list. Raises `FileError`."""
        return load_words(cls.word_file)

    # ---- rules ----

    def to_move(self) -> int:
        return self.turn

    def plays(self) -> list[str]:
        """Return the plays of the player whose turn it is, those with most points first."""
        plays = generator(self.word_file).plays(self.squares, self.racks[INDEX[self.turn]])
        return [name for _, name in sorted(zip([-score for score in plays.scores()], plays.names(), strict=True))]

    def moves(self) -> Iterator[str]:  # type: ignore[override]
        """Yield the plays, those with most points first, and the pass."""
        for name in self.plays():
            yield name
        yield PASS

    def play(self, move: str) -> Self:  # type: ignore[override]
        rack = self.racks[INDEX[self.turn]]
        after = self.replace(turn=-self.turn, scoreless=self.scoreless + 1)
        if move.startswith(PASS):
            return after.with_rack(self.turn, without(rack, move[1:]))
        laid = lay(self.squares, move)
        scores = list(self.scores)
        scores[INDEX[self.turn]] += laid.score
        after = after.replace(
            squares=laid.squares, scores=tuple(scores), scoreless=after.scoreless if laid.score == 0 else 0
        )
        return after.with_rack(self.turn, without(rack, laid.tiles))

    def with_rack(self, player: int, rack: str) -> Self:
        """Return the state with another rack of a player."""
        first, second = self.racks
        return self.replace(racks=(rack, second) if player == MAX else (first, rack))

    def is_over(self) -> bool:
        return self.scoreless >= MOST_SCORELESS or not all(self.racks)

    def utility(self) -> int:
        """Return the difference of the scores after what is left on the racks.

        Both players lose the points of their tiles, and who has none left gets those of the other player.
        """
        left = [sum(VALUES[tile] for tile in rack) for rack in self.racks]
        if not all(self.racks):
            left = [2 * points for points in left]
        return int(self.scores[0] - left[0] - self.scores[1] + left[1])

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a position, as `Scrabble.parse`; the turns so far are left out. Raises `PositionError`."""
        state, _ = notation.parse_position(cls, text)
        return state

    def __str__(self) -> str:
        return notation.position_text(self, self.racks)

    def board(self) -> str:
        """Draw the board with its premium squares, the racks and the scores."""
        return notation.board_text(self)

    def table(self) -> list[str]:
        """Return a line for each player, with its rack and score."""
        return [
            f"{self.player_name(player):<7} {rack:<{RACK_SIZE}}  {score}"
            for player, rack, score in zip((MAX, MIN), self.racks, self.scores, strict=True)
        ]

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second", CHANCE: "chance"}[player]

    def move_name(self, move: str) -> str:  # type: ignore[override]
        return move

    def parse_move(self, text: str) -> str:  # type: ignore[override]
        """Parse a play or a pass. Raises `IllegalMove` with what is wrong."""
        name = text.strip()
        if self.is_over():
            raise IllegalMove(f"{name[:40]!r} cannot be played: the game is over")
        if name == PASS:
            return PASS
        laid = lay(self.squares, name)
        self._check_play(laid, self.racks[INDEX[self.turn]])
        return laid.name

    def _check_play(self, laid: Play, rack: str) -> None:
        """Raise `IllegalMove` if a play needs tiles that are not on the rack, or breaks a rule."""
        missing = Counter(laid.tiles) - Counter(rack)
        if missing:
            hint = "; a lowercase letter is a blank" if missing[BLANK] else ""
            raise IllegalMove(f"{laid.name} needs {''.join(missing.elements())}, which is not on the rack {rack}{hint}")
        if self.squares == EMPTY * SQUARES:
            if laid.squares[CENTRE] == EMPTY or len(laid.tiles) < 2:
                raise IllegalMove(f"{laid.name}: the first word has two letters or more and covers the centre, H8")
        elif not laid.is_connected:
            raise IllegalMove(f"{laid.name} is not next to a tile on the board")
        for word in laid.words:
            if word not in self.words():
                raise IllegalMove(f"{laid.name}: {word} is not in the word list")

    def picture(self) -> Grid:
        """Return the board: premium squares in colours, `3W` triples the word and `2L` doubles the letter."""
        places = [
            (cell % SIZE, cell // SIZE, *pair) for cell, pair in enumerate(zip(self.squares, PREMIUMS, strict=True))
        ]
        return Grid(
            SIZE, SIZE,
            pieces=tuple(Piece(column, row, "tile", letter=tile) for column, row, tile, _ in places if tile != EMPTY),
            column_labels=tuple(map(chr, range(65, 65 + SIZE))),
            row_labels=tuple(map(str, range(1, SIZE + 1))),
            tinted=tuple((column, row, _TINTS[sign]) for column, row, _, sign in places if sign in _TINTS),
            corner_labels=tuple(
                (column, row, _PREMIUM_NAMES[sign])
                for column, row, tile, sign in places
                if sign in _PREMIUM_NAMES and tile == EMPTY
            ),
            captions=tuple(self.table()),
        )  # fmt: skip

    def move_path(self, move: str) -> Path:  # type: ignore[override]
        """Return the squares on which a play lays tiles."""
        if move.startswith(PASS):
            return ()
        cells, letters = read_play(move)
        return tuple(
            (cell % SIZE, cell // SIZE) for cell, letter in zip(cells, letters, strict=True) if letter != EMPTY
        )


@cache
def endgame_class(path: str) -> type[Endgame]:
    """Return `Endgame` with a word list."""
    if not path:
        return Endgame

    @game(compiled=False)
    class EndgameWithWords(Endgame):
        word_file = path

    return EndgameWithWords
