"""Scrabble for two: the rules, and what each player knows.

The rules are interpreted: a move does not fit the 24 bits of a compiled one, and compiled rules could not hold the word
graph. The generator of moves is compiled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Self

from zermelo.core.game import CHANCE, MAX, MIN, game
from zermelo.errors import IllegalMove, LimitError, PositionError
from zermelo.games.scrabble import notation
from zermelo.games.scrabble.endgame import MOST_SCORELESS, Endgame, endgame_class
from zermelo.games.scrabble.plays import laid_tiles
from zermelo.games.scrabble.tiles import (
    ALL_TILES,
    EMPTY,
    EXCHANGE_NEEDS,
    INDEX,
    LETTERS,
    PASS,
    RACK_SIZE,
    SQUARES,
    sorted_tiles,
    tile_of,
)


def _equity(state: Scrabble, random: int) -> str:
    from zermelo.games.scrabble.strategy import equity_move  # loads NumPy

    return equity_move(state, random)


def _greedy(state: Scrabble, random: int) -> str:
    from zermelo.games.scrabble.strategy import greedy_move

    return greedy_move(state, random)


@game(compiled=False)
class Scrabble(Endgame):
    """Scrabble for two: words on a board of 15 x 15, from hidden racks of tiles drawn at random.

    A turn is a play of listed words, an exchange or a pass. The game ends when the bag and a rack are empty, or after
    six turns in a row without points. The utility is the difference of the scores.

    Notes
    -----
    A move is a text: `8D:RETAINS`, `-ABC` (exchange) or `-` (pass); where chance moves, the letter of the tile drawn.
    """

    #: The turns so far, as far as they are known: pairs of the rack before the turn, and the move.
    turns: tuple = ()  # type: ignore[type-arg]

    perfect_information = False
    evaluations = {}
    strategies = {"equity": _equity, "greedy": _greedy}

    # ---- rules ----

    def set_aside(self) -> str:
        """Return the tiles that a player has exchanged, while it draws others: they go back into the bag afterwards."""
        if self.turns and len(self.racks[INDEX[-self.turn]]) < RACK_SIZE:
            move: str = self.turns[-1][1]
            return move[1:] if move.startswith(PASS) else ""
        return ""

    def bag(self) -> str:
        """Return the tiles in the bag, sorted; in a view those that the player has not seen."""
        used = "".join(map(tile_of, self.squares.replace(EMPTY, ""))) + "".join(self.racks) + self.set_aside()
        return "".join(letter * (ALL_TILES.count(letter) - used.count(letter)) for letter in LETTERS)

    def bag_size(self) -> int:
        """Return the number of tiles in the bag."""
        used = SQUARES - self.squares.count(EMPTY) + sum(map(len, self.racks))
        return len(ALL_TILES) - used - len(self.set_aside())

    def drawing(self) -> int:
        """Return the player who draws tiles, CHANCE for none."""
        if self.bag_size() > 0:
            for player in (MAX, MIN):
                if len(self.racks[INDEX[player]]) < RACK_SIZE:
                    return player
        return CHANCE

    def to_move(self) -> int:
        return CHANCE if self.drawing() else self.turn

    def outcomes(self) -> Iterator[tuple[str, int]]:  # type: ignore[override]
        """Yield the tiles that may be drawn next."""
        bag = self.bag()
        for tile in sorted(set(bag), key=LETTERS.index):
            yield tile, bag.count(tile)

    def moves(self) -> Iterator[str]:  # type: ignore[override]
        """Yield the plays, those with most points first, the exchanges, and the pass."""
        if self.drawing():
            for tile, _ in self.outcomes():
                yield tile
            return
        for name in self.plays():
            yield name
        rack = self.racks[INDEX[self.turn]]
        if self.bag_size() >= EXCHANGE_NEEDS:
            parts = [[letter * count for count in range(rack.count(letter) + 1)] for letter in sorted(set(rack))]
            chosen = [sorted_tiles("".join(each)) for each in product(*parts)]
            for tiles in sorted(filter(None, chosen), key=lambda each: (len(each), each)):
                yield PASS + tiles
        yield PASS

    def play(self, move: str) -> Self:  # type: ignore[override]
        drawer = self.drawing()
        if drawer:
            return self.with_rack(drawer, sorted_tiles(self.racks[INDEX[drawer]] + move))
        return super().play(move).replace(turns=(*self.turns, (self.racks[INDEX[self.turn]], move)))

    def is_over(self) -> bool:
        return self.scoreless >= MOST_SCORELESS or (not all(self.racks) and self.bag_size() == 0)

    def endgame(self) -> Endgame:
        """Return this state as a game with perfect information. Raises `LimitError` if the bag is not empty."""
        if self.bag_size() > 0:
            raise LimitError(f"the bag has {self.bag_size()} tiles; both racks are known when it is empty")
        return endgame_class(self.word_file)(self.squares, self.turn, self.racks, self.scores, self.scoreless)

    # ---- hidden information ----

    def information_state(self, player: int) -> str:
        """Return the position with the number of the other player's tiles, and the turns without its racks.

        Of its exchanges the number of tiles is known: `-3`.
        """
        own = self.racks[INDEX[player]]
        other = len(self.racks[INDEX[-player]])
        racks = (own, str(other)) if player == MAX else (str(other), own)
        words = [notation.position_text(self, racks)]
        for mover, (rack, move) in self.known_turns():
            if mover == player:
                words.append(notation.turn_text(rack, move))
            else:
                words.append(f"-{len(move) - 1}" if len(move) > 1 and move.startswith(PASS) else move)
        return " ".join(words)

    def known_turns(self) -> list[tuple[int, tuple[str, str]]]:
        """Return the turns so far with their players."""
        first = self.turn if len(self.turns) % 2 == 0 else -self.turn
        return [(first if number % 2 == 0 else -first, each) for number, each in enumerate(self.turns)]

    def view(self, player: int) -> Scrabble:
        """Return the state with `_` for the tiles of the other player, and without the turns."""
        other = "_" * len(self.racks[INDEX[-player]])
        return self.replace(turns=()).with_rack(-player, other)

    def resample(self, player: int, random: int) -> Scrabble:
        """Draw the other player's tiles, each unseen tile with the same probability, and its racks in the turns so far.

        Its earlier racks are drawn backwards: the tiles that it kept are a random part of the later rack. Where tiles
        were exchanged this may contradict what the player had; then all is drawn again.
        """
        source = Random(random)
        unseen = self.view(player).bag()
        size = len(self.racks[INDEX[-player]])
        while True:
            tiles = source.sample(unseen, len(unseen))
            rack = sorted_tiles("".join(tiles[:size]))
            turns = self._draw_turns(player, rack, source)
            if turns is not None:
                drawn = self.with_rack(-player, rack).replace(turns=turns)
                if drawn.is_consistent():
                    return drawn

    def _draw_turns(self, player: int, rack: str, source: Random) -> tuple[tuple[str, str], ...] | None:
        """Turns with racks of the other player that lead to a rack; None if too few tiles are left for an exchange."""
        found = []
        squares, own = self.squares, self.racks[INDEX[player]]
        for mover, (before, move) in reversed(self.known_turns()):
            exchanged = len(move) - 1 if move.startswith(PASS) else 0
            laid = {} if move.startswith(PASS) else laid_tiles(move)
            if mover == player:
                own = before
            else:
                tiles = "".join(map(tile_of, laid.values()))
                kept = "".join(source.sample(rack, len(before) - len(tiles) - exchanged))
                if exchanged:
                    seen = "".join(map(tile_of, squares.replace(EMPTY, ""))) + own + rack
                    free = [tile for tile, count in (Counter(ALL_TILES) - Counter(seen)).items() for _ in range(count)]
                    if len(free) < exchanged:
                        return None
                    tiles = "".join(source.sample(free, exchanged))
                    move = PASS + sorted_tiles(tiles)
                rack = before = sorted_tiles(kept + tiles)
            for cell in laid:
                squares = squares[:cell] + EMPTY + squares[cell + 1 :]
            found.append((before, move))
        return tuple(reversed(found))

    def is_consistent(self) -> bool:
        """Return whether the turns lead to this position. Only exchanged tiles can be drawn more than once."""
        if not any(move[1:] for _, move in self.turns if move.startswith(PASS)):
            return True
        try:
            notation.checked_turns(self)
        except PositionError:
            return False
        return True

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> Scrabble:
        """Parse a position: the board, whose turn it is, the racks, the scores, turns without points, and the turns.

        An empty text or `start` is the empty board before tiles are drawn. Raises `PositionError` with what is wrong.
        """
        state, turns = notation.parse_position(cls, text)
        return state.replace(turns=turns).replace(turns=notation.checked_turns(state.replace(turns=turns)))

    def __str__(self) -> str:
        return " ".join([super().__str__(), *(notation.turn_text(rack, move) for rack, move in self.turns)])

    def table(self) -> list[str]:
        """Return the lines of both players, and the tiles in the bag; in a view those that the player has not seen."""
        bag = Counter(self.bag())
        tiles = " ".join(f"{tile}{count if count > 1 else ''}" for tile, count in bag.items())
        where = "unseen" if "_" in "".join(self.racks) else "bag"
        return [*super().table(), f"{where:<7} {bag.total()}: {tiles or '-'}"]

    def move_name(self, move: str) -> str:  # type: ignore[override]
        return f"+{move}" if self.drawing() else move

    def parse_move(self, text: str) -> str:  # type: ignore[override]
        """Parse a play, an exchange, a pass, or a tile that is drawn: `+A`. Raises `IllegalMove` with what is wrong."""
        name = text.strip()
        if self.is_over():
            raise IllegalMove(f"{name[:40]!r} cannot be played: the game is over")
        if self.drawing():
            if name[:1] != "+" or len(name) != 2 or name[1] not in self.bag():
                raise IllegalMove(f"{name[:40]!r} is not a tile of the bag; expected + and one of {self.bag()}")
            return name[1]
        if name.startswith(PASS) and name != PASS:
            return self._parse_exchange(name, self.racks[INDEX[self.turn]])
        return super().parse_move(text)

    def _parse_exchange(self, name: str, rack: str) -> str:
        tiles = name[1:].upper()
        if Counter(tiles) - Counter(rack):
            raise IllegalMove(f"{name[:40]!r} exchanges tiles that are not on the rack {rack}")
        if self.bag_size() < EXCHANGE_NEEDS:
            raise IllegalMove(
                f"{name}: the bag has {self.bag_size()} tiles; an exchange needs at least {EXCHANGE_NEEDS}"
            )
        return PASS + sorted_tiles(tiles)
