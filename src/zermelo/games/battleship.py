"""Battleship: two hidden fleets, and shots until one of them is sunk. Any board up to 10 x 10 and any fleet.

The rules are interpreted: a set of cells is an int, with bit `row * columns + column` for a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from itertools import islice
from random import Random

from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Path, Piece
from zermelo.errors import IllegalMove, PositionError

LETTERS = "abcdefghij"
LARGEST = 10  # columns and rows
MOST_SHIPS = 10
# Boards of more cells are at most half full: it is not practical to find out what fits a crowded one.
MOST_CELLS_FULL = 16
MAX_LENGTH = 4000  # longest text that is parsed, in characters
MISS, HIT, SUNK = ".", "+", "#"
# A player's part of a pair.
INDEX = {MAX: 0, MIN: 1}


@lru_cache(maxsize=256)
def placements(columns: int, rows: int, length: int) -> tuple[int, ...]:
    """Return the sets of cells that a ship can have: horizontal ones first, then vertical ones, row by row."""
    across = [
        sum(1 << row * columns + column + step for step in range(length))
        for row in range(rows)
        for column in range(columns - length + 1)
    ]
    down = [
        sum(1 << (row + step) * columns + column for step in range(length))
        for row in range(rows - length + 1)
        for column in range(columns)
    ]
    return tuple(dict.fromkeys([*across, *down]))


def fits(columns: int, rows: int, fleet: tuple[int, ...], occupied: int) -> bool:
    """Return whether ships can be placed on the cells that are not occupied."""
    return _fits(columns, rows, tuple(sorted(fleet, reverse=True)), occupied)


@lru_cache(maxsize=100_000)
def _fits(columns: int, rows: int, fleet: tuple[int, ...], occupied: int) -> bool:
    """`fits` for ships in descending order: the longest has the fewest places."""
    if not fleet:
        return True
    return any(
        not cells & occupied and _fits(columns, rows, fleet[1:], occupied | cells)
        for cells in placements(columns, rows, fleet[0])
    )


@game(compiled=False)
class Battleship(State):
    """Hide a fleet and sink the other one first. MAX places its ships first, then MIN; MAX shoots first.

    Ships lie in a row or a column and may touch. A shot is answered by miss, hit, or the ship that it sinks, which has
    then been hit on all its cells. The player who sinks all ships of the other wins.
    `Battleship(4, 4, (3, 2))` is smaller.

    Notes
    -----
    A move is the set of cells of a ship that is placed, or the number of a cell that is shot at.
    """

    columns: int = 10
    rows: int = 10
    #: The lengths of the ships, in the order in which they are placed.
    fleet: tuple = (5, 4, 3, 3, 2)  # type: ignore[type-arg]
    #: The sets of cells of MAX's and of MIN's ships. In a view: those of the other player that were hit, one by one.
    ships: tuple = ((), ())  # type: ignore[type-arg]
    #: The cells that MAX and MIN have shot at, in order.
    shots: tuple = ((), ())  # type: ignore[type-arg]

    perfect_information = False

    def is_placing(self) -> bool:
        """Return whether ships are still being placed."""
        return len(self.ships[1]) < len(self.fleet)

    def to_move(self) -> int:
        if self.is_placing():
            return MAX if len(self.ships[0]) < len(self.fleet) else MIN
        return MAX if len(self.shots[0]) == len(self.shots[1]) else MIN

    def moves(self) -> Iterator[int]:
        """Yield the places of the next ship that leave room for the others, or the cells not shot at yet."""
        own = INDEX[self.to_move()]
        if self.is_placing():
            placed = self.ships[own]
            occupied, later = sum(placed), self.fleet[len(placed) + 1 :]
            for cells in placements(self.columns, self.rows, self.fleet[len(placed)]):
                if not cells & occupied and fits(self.columns, self.rows, later, occupied | cells):
                    yield cells
        else:
            known = set(self.shots[own])
            for cell in range(self.columns * self.rows):
                if cell not in known:
                    yield cell

    def play(self, move: int) -> Battleship:
        field = "ships" if self.is_placing() else "shots"
        parts = list(getattr(self, field))
        own = INDEX[self.to_move()]
        parts[own] = (*parts[own], move)
        return self.replace(**{field: tuple(parts)})

    def is_over(self) -> bool:
        return not self.is_placing() and (self.is_sunk(MAX) or self.is_sunk(MIN))

    def is_sunk(self, player: int) -> bool:
        """Return whether all ships of a player are sunk."""
        return not sum(self.ships[INDEX[player]]) & ~cells_of(self.shots[INDEX[-player]])

    def utility(self) -> int:
        return MAX if self.is_sunk(MIN) else MIN

    # ---- hidden information ----

    def results(self, player: int) -> list[tuple[int, str, int]]:
        """Return a player's shots in order: the cell, `MISS`, `HIT` or `SUNK`, and the index of a ship sunk or -1."""
        found = []
        left = list(self.ships[INDEX[-player]])
        for cell in self.shots[INDEX[player]]:
            ship = next((index for index, cells in enumerate(left) if cells >> cell & 1), -1)
            if ship >= 0:
                left[ship] &= ~(1 << cell)
            found.append((cell, MISS, -1) if ship < 0 else (cell, HIT, -1) if left[ship] else (cell, SUNK, ship))
        return found

    def information_state(self, player: int) -> str:
        """Return the player's ships, its shots with their results, and the other player's shots.

        While ships are placed, the number of ships of the other player is known. `b2+` is a hit, and `b3#2` sinks the
        second ship of the fleet.
        """
        words = [self.ship_name(cells) for cells in self.ships[INDEX[player]]]
        shots = [
            self.cell_name(cell) + ("" if result == MISS else result + (str(ship + 1) if ship >= 0 else ""))
            for cell, result, ship in self.results(player)
        ]
        theirs = [self.cell_name(cell) for cell in self.shots[INDEX[-player]]]
        parts = [self._size(), " ".join(words) or "-", " ".join(shots) or "-", " ".join(theirs) or "-"]
        if self.is_placing():
            parts[2] = f"placed {len(self.ships[INDEX[-player]])}"
        return " | ".join(parts)

    def resample(self, player: int, random: int) -> Battleship:
        """Draw the other player's fleet: ships that explain all results are placed at random, again if they do not fit.

        Ships that are sunk are placed first, then those that explain the other hits, then the rest.
        """
        if not self.ships[INDEX[-player]]:
            return self
        fleet, _ = next(self.fleets(player, Random(random)))
        own = self.ships[INDEX[player]]
        return self.replace(ships=(own, fleet) if player == MAX else (fleet, own))

    def fleets(self, player: int, source: Random) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield fleets of the other player, drawn at random from those that explain all results, without end.

        With each comes its weight, the reciprocal of the probability of the choices that led to it (importance
        sampling): by weight all fleets are equally likely.
        """
        possible = self.possible_ships(player)
        results = self.results(player)
        hits = cells_of(cell for cell, result, _ in results if result != MISS)
        sunk = [ship for _, result, ship in results if result == SUNK]
        later = self.fleet[len(possible) :]
        while True:
            fleet, weight = _draw_fleet(possible, sunk, hits, source)
            if fleet and fits(self.columns, self.rows, later, sum(fleet)):
                yield fleet, weight

    def possible_ships(self, player: int) -> list[list[int]]:
        """Return the sets of cells that each placed ship of the other player can have, by the player's results."""
        missed = hits = 0
        sunk = {}
        for cell, result, ship in self.results(player):
            if result == MISS:
                missed |= 1 << cell
                continue
            hits |= 1 << cell
            if result == SUNK:
                sunk[ship] = (1 << cell, hits)
        found = []
        for index, _ in enumerate(self.ships[INDEX[-player]]):
            all_cells = placements(self.columns, self.rows, self.fleet[index])
            if index in sunk:
                last, hit = sunk[index]
                found.append([cells for cells in all_cells if cells & last and not cells & ~hit])
            else:
                found.append([cells for cells in all_cells if not cells & missed and cells & ~hits])
        return found

    def view(self, player: int) -> Battleship:
        """Return the state with the other player's hit cells in place of its ships."""
        own, other = INDEX[player], INDEX[-player]
        hit = tuple(1 << cell for cell, result, _ in self.results(player) if result != MISS)
        parts = {own: self.ships[own], other: hit}
        return self.replace(ships=(parts[0], parts[1]))

    # ---- text ----

    def cell_name(self, cell: int) -> str:
        """Return the name of a cell: `a1` is the upper left one."""
        return f"{LETTERS[cell % self.columns]}{cell // self.columns + 1}"

    def ship_name(self, cells: int) -> str:
        """Return the name of a ship: its first and last cell, `a1-a5`."""
        first, last = (cells & -cells).bit_length() - 1, cells.bit_length() - 1
        return self.cell_name(first) if first == last else f"{self.cell_name(first)}-{self.cell_name(last)}"

    def _size(self) -> str:
        return f"{self.columns}x{self.rows} {'-'.join(map(str, self.fleet))}"

    @classmethod
    def parse(cls, text: str) -> Battleship:
        """Parse the board, the fleet and all moves so far: `4x3 3-2 a1-c1 a2-b2 b1-d1 a3-b3 b1`.

        An empty text or `start` is `10x10 5-4-3-3-2`. Raises `PositionError` with what is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"Battleship position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        words = text.split()
        if words in ([], ["start"]):
            return cls()
        size = re.fullmatch(r"(\d{1,2})x(\d{1,2})", words[0])
        columns, rows = (int(size[1]), int(size[2])) if size else (0, 0)
        if not 1 <= min(columns, rows) <= max(columns, rows) <= LARGEST:
            raise PositionError(
                f"Battleship position: {words[0][:40]!r} is not a board; expected columns and rows from 1 to "
                f"{LARGEST}, like 10x10"
            )
        fleet = words[1] if len(words) > 1 else ""
        if not re.fullmatch(r"[1-9]\d?(-[1-9]\d?)*", fleet) or fleet.count("-") >= MOST_SHIPS:
            raise PositionError(
                f"Battleship position: {fleet[:40]!r} is not a fleet; expected the lengths of 1 to {MOST_SHIPS} ships, "
                "like 5-4-3-3-2"
            )
        lengths = tuple(map(int, fleet.split("-")))
        cells, taken = columns * rows, sum(lengths)
        if cells > MOST_CELLS_FULL and taken > cells // 2:
            raise PositionError(
                f"Battleship position: the fleet {fleet} takes {taken} of {cells} cells; expected at most {cells // 2}"
            )
        if taken > cells or not fits(columns, rows, lengths, 0):
            raise PositionError(f"Battleship position: the fleet {fleet} does not fit a board of {columns} x {rows}")
        state = cls(columns, rows, lengths)
        for word in words[2:]:
            try:
                state = state.play(state.parse_move(word))
            except IllegalMove as error:
                raise PositionError(f"Battleship position: {error}") from None
        return state

    def __str__(self) -> str:
        words = [self.ship_name(cells) for fleet in self.ships for cells in fleet]
        first, second = self.shots
        shots = [pair[number] for number in range(len(first)) for pair in (first, second) if number < len(pair)]
        return " ".join([self._size(), *words, *map(self.cell_name, shots)])

    def board(self) -> str:
        """Draw both boards: `#` ship, `X` hit, `o` miss, `.` not shot at."""
        lines = [f"   {self.player_name(MAX):<{2 * self.columns}}    {self.player_name(MIN)}".rstrip()]
        letters = " ".join(LETTERS[: self.columns])
        lines.append(f"   {letters}      {letters}")
        for row in range(self.rows):
            cells = range(row * self.columns, (row + 1) * self.columns)
            left, right = (" ".join(self._sign(player, cell) for cell in cells) for player in (MAX, MIN))
            lines.append(f"{row + 1:>2} {left}   {row + 1:>2} {right}")
        return "\n".join(lines)

    def _sign(self, player: int, cell: int) -> str:
        """The character of a cell of a player's board."""
        is_ship = sum(self.ships[INDEX[player]]) >> cell & 1
        if cell in self.shots[INDEX[-player]]:
            return "X" if is_ship else "o"
        return "#" if is_ship else "."

    def picture(self) -> Grid:
        """Return both boards: white discs are ships, red ones hits, dots misses."""
        pieces, dots = [], []
        for player, left in ((MAX, 0), (MIN, self.columns + 1)):
            for cell in range(self.columns * self.rows):
                row, column = divmod(cell, self.columns)
                sign = self._sign(player, cell)
                if sign in "#X":
                    pieces.append(Piece(left + column, row, "disc", "white" if sign == "#" else "red"))
                elif sign == "o":
                    dots.append((left + column, row))
        letters = tuple(LETTERS[: self.columns])
        captions = (f"left: {self.player_name(MAX)}, right: {self.player_name(MIN)}; red: hit, dot: miss",)
        labels = tuple(str(row + 1) for row in range(self.rows))
        return Grid(
            2 * self.columns + 1, self.rows, "lines", tuple(pieces), (*letters, "", *letters), labels,
            dotted=tuple(dots), captions=captions,
        )  # fmt: skip

    def move_path(self, move: int) -> Path:
        """Return the cell of a shot on the other player's board, or the ends of a ship on the own one."""
        is_placing = self.is_placing()
        is_left = (self.to_move() == MAX) == is_placing
        cells = sorted({(move & -move).bit_length() - 1, move.bit_length() - 1}) if is_placing else [move]
        left = 0 if is_left else self.columns + 1
        return tuple((left + cell % self.columns, cell // self.columns) for cell in cells)

    def player_name(self, player: int) -> str:
        return "first" if player == MAX else "second"

    def move_name(self, move: int) -> str:
        return self.ship_name(move) if self.is_placing() else self.cell_name(move)

    def parse_move(self, text: str) -> int:
        """Parse the cell of a shot at once, so that long games are read fast; other moves by their names.

        Raises `IllegalMove`.
        """
        found = re.fullmatch(r"([a-j])([1-9]\d?)", text.strip())
        if found and not self.is_placing() and not self.is_over():
            column, row = LETTERS.index(found[1]), int(found[2]) - 1
            cell = row * self.columns + column
            if column < self.columns and row < self.rows and cell not in self.shots[INDEX[self.to_move()]]:
                return cell
        return super().parse_move(text)


def cells_of(cells: Iterator[int] | tuple[int, ...]) -> int:
    """Return a set of cells."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


def _draw_fleet(possible: list[list[int]], sunk: list[int], hits: int, source: Random) -> tuple[tuple[int, ...], int]:
    """Draw a set of cells for each ship, no two of which overlap, that cover all hits; no ships if that fails.

    The number is the product of the numbers of choices.
    """
    drawn: dict[int, int] = {}
    occupied = 0
    weight = 1
    for ship in sunk:
        free = [cells for cells in possible[ship] if not cells & occupied]
        if not free:
            return (), 0
        weight *= len(free)
        drawn[ship] = source.choice(free)
        occupied |= drawn[ship]
    left = [ship for ship in range(len(possible)) if ship not in drawn]
    source.shuffle(left)
    while hits & ~occupied:
        first = hits & ~occupied
        first &= -first
        pairs = [(ship, cells) for ship in left for cells in possible[ship] if cells & first and not cells & occupied]
        if not pairs:
            return (), 0
        weight *= len(pairs)
        ship, cells = source.choice(pairs)
        drawn[ship] = cells
        occupied |= cells
        left.remove(ship)
    for ship in left:
        free = [cells for cells in possible[ship] if not cells & (occupied | hits)]
        if not free:
            return (), 0
        weight *= len(free)
        drawn[ship] = source.choice(free)
        occupied |= drawn[ship]
    return tuple(drawn[ship] for ship in range(len(possible))), weight


def densest_shot(state: Battleship, player: int, samples: int, source: Random) -> int:
    """Return the cell, among those not shot at, that most likely holds a ship of the other player.

    Each sampled fleet stands for all fleets that differ from it in the place of one ship (Rao-Blackwell): their mean
    has less variance.

    Parameters
    ----------
    state : Battleship
        A state in which `player` shoots; only what the player knows is used.
    player : int
        MAX or MIN.
    samples : int
        Number of fleets drawn by `Battleship.fleets`.
    source : random.Random
        Source of the draws.
    """
    hits = cells_of(cell for cell, result, _ in state.results(player) if result != MISS)
    possible = state.possible_ships(player)
    shares = dict.fromkeys((place for places in possible for place in places), 0.0)
    for fleet, weight in islice(state.fleets(player, source), samples):
        for ship, own_place in enumerate(fleet):
            others = sum(fleet) ^ own_place
            unexplained = hits & ~others
            places = [place for place in possible[ship] if not place & others and not unexplained & ~place]
            for place in places:
                shares[place] += weight / len(places)
    shot = set(state.shots[INDEX[player]])
    likelihood = {cell: 0.0 for cell in range(state.columns * state.rows) if cell not in shot}
    for place, share in shares.items():
        for cell in likelihood:
            if place >> cell & 1:
                likelihood[cell] += share
    return max(likelihood, key=lambda cell: likelihood[cell])


def shots_needed(state: Battleship, samples: int, source: Random) -> int:
    """Return the number of shots with which MAX sinks MIN's fleet by `densest_shot`; MIN's shots are left out."""
    while not state.is_sunk(MIN):
        shot = densest_shot(state, MAX, samples, source)
        state = state.replace(shots=((*state.shots[0], shot), ()))
    return len(state.shots[0])


def fewest_shots(columns: int, rows: int, fleet: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """Compute the least mean number of shots that sink a random fleet, and the mean of shooting at the densest cell.

    All fleets are equally likely. For small boards: the sets of possible fleets are enumerated.

    Parameters
    ----------
    columns, rows : int
        Size of the board.
    fleet : tuple of int
        Lengths of the ships.

    Returns
    -------
    least, densest : Fraction
        The optimal mean, and that of the rule of `densest_shot` with all fleets in place of samples.

    Examples
    --------
    >>> fewest_shots(2, 2, (1,))
    (Fraction(5, 2), Fraction(5, 2))
    """
    fleets: list[tuple[int, ...]] = [()]
    for length in fleet:
        fleets = [
            (*ships, cells) for ships in fleets for cells in placements(columns, rows, length) if not cells & sum(ships)
        ]

    def result(ships: tuple[int, ...], shots: int, cell: int) -> int:
        """-1 miss, -2 hit, or the index of the ship sunk by a shot at a cell, after others."""
        ship = next((index for index, cells in enumerate(ships) if cells >> cell & 1), -1)
        return -1 if ship < 0 else ship if not ships[ship] & ~(shots | 1 << cell) else -2

    def parts(possible: frozenset[tuple[int, ...]], shots: int, cell: int) -> list[frozenset[tuple[int, ...]]]:
        """The fleets of each result that are not sunk yet."""
        found: dict[int, set[tuple[int, ...]]] = {}
        for ships in possible:
            same = found.setdefault(result(ships, shots, cell), set())
            if sum(ships) & ~(shots | 1 << cell):
                same.add(ships)
        return [frozenset(part) for part in found.values() if part]

    def useful(possible: frozenset[tuple[int, ...]], shots: int) -> dict[int, int]:
        """For each cell that is not shot at, the number of fleets with a ship there, if there is one."""
        counts = {
            cell: sum(sum(ships) >> cell & 1 for ships in possible)
            for cell in range(columns * rows)
            if not shots >> cell & 1
        }
        return {cell: count for cell, count in counts.items() if count}

    @cache
    def least(possible: frozenset[tuple[int, ...]], shots: int) -> int:
        return len(possible) + min(
            sum(least(part, shots | 1 << cell) for part in parts(possible, shots, cell))
            for cell in useful(possible, shots)
        )

    @cache
    def densest(possible: frozenset[tuple[int, ...]], shots: int) -> int:
        counts = useful(possible, shots)
        cell = max(counts, key=lambda each: counts[each])
        return len(possible) + sum(densest(part, shots | 1 << cell) for part in parts(possible, shots, cell))

    every = frozenset(fleets)
    return Fraction(least(every, 0), len(fleets)), Fraction(densest(every, 0), len(fleets))
