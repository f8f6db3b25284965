"""The games of `examples/`, written for easyAI as its documentation advises: each move changes one object in place.

Pig is missing: easyAI has no games of chance.
"""

from __future__ import annotations

from typing import Any

from easyAI import TwoPlayerGame

SIZE = 15
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


class Kalah(TwoPlayerGame):
    """Kalah. easyAI's players alternate, so a player whose opponent moves again has the move `pass` alone."""

    def __init__(self, players: Any) -> None:
        self.players = players
        self.pits = ([4] * 6 + [0]) * 2
        self.again = False
        self.current_player = 1

    def own(self) -> range:
        return range(6) if self.current_player == 1 else range(7, 13)

    def possible_moves(self) -> list[str]:
        return ["pass"] if self.again else [str(pit) for pit in self.own() if self.pits[pit]]

    def make_move(self, move: str) -> None:
        if move == "pass":
            self.again = False
            return
        own, store, other = self.own(), self.own().stop, 13 if self.current_player == 1 else 6
        pit = int(move)
        seeds, self.pits[pit] = self.pits[pit], 0
        while seeds:
            pit = (pit + 1) % 14
            if pit != other:
                self.pits[pit] += 1
                seeds -= 1
        if pit in own and self.pits[pit] == 1 and self.pits[12 - pit]:
            self.pits[store] += 1 + self.pits[12 - pit]
            self.pits[pit] = self.pits[12 - pit] = 0
        self.again = pit == store

    def is_over(self) -> bool:
        mover = self.current_player == 1
        if self.again:
            mover = not mover
        return not any(self.pits[:6] if mover else self.pits[7:13])

    def scoring(self) -> int:
        lead = self.pits[6] - self.pits[13]
        if self.is_over():
            lead = sum(self.pits[:7]) - sum(self.pits[7:])
        return lead if self.current_player == 1 else -lead


class Breakthrough(TwoPlayerGame):
    """Breakthrough on 8x8: a list of rows, moves such as `a2b3`. A removed pawn is kept for `unmake_move`."""

    def __init__(self, players: Any) -> None:
        self.players = players
        self.board = [[1] * 8, [1] * 8, *([0] * 8 for _ in range(4)), [2] * 8, [2] * 8]
        self.taken: list[int] = []
        self.current_player = 1

    def possible_moves(self) -> list[str]:
        moves = []
        step = 1 if self.current_player == 1 else -1
        for row in range(8):
            for column in range(8):
                if self.board[row][column] == self.current_player:
                    for side in (-1, 0, 1):
                        if 0 <= column + side < 8:
                            there = self.board[row + step][column + side]
                            if there == 0 or (there != self.current_player and side):
                                moves.append(
                                    f"{'abcdefgh'[column]}{row + 1}{'abcdefgh'[column + side]}{row + step + 1}"
                                )
        return moves

    @staticmethod
    def squares(move: str) -> tuple[int, int, int, int]:
        return "abcdefgh".index(move[0]), int(move[1]) - 1, "abcdefgh".index(move[2]), int(move[3]) - 1

    def make_move(self, move: str) -> None:
        column, row, to_column, to_row = self.squares(move)
        self.taken.append(self.board[to_row][to_column])
        self.board[to_row][to_column], self.board[row][column] = self.current_player, 0

    def unmake_move(self, move: str) -> None:
        column, row, to_column, to_row = self.squares(move)
        self.board[row][column], self.board[to_row][to_column] = self.current_player, self.taken.pop()

    def lose(self) -> bool:
        last = self.board[7] if self.opponent_index == 1 else self.board[0]
        return self.opponent_index in last or not any(self.current_player in row for row in self.board)

    def is_over(self) -> bool:
        return self.lose()

    def scoring(self) -> int:
        return -100 if self.lose() else 0


class Gomoku(TwoPlayerGame):
    """Freestyle gomoku on 15x15: a list of squares, moves within two squares of a stone."""

    def __init__(self, players: Any) -> None:
        self.players = players
        self.board = [0] * (SIZE * SIZE)
        self.played: list[int] = []
        self.current_player = 1

    def possible_moves(self) -> list[str]:
        if not self.played:
            return ["112"]
        near = set()
        for square in self.played:
            row, column = divmod(square, SIZE)
            for r in range(max(row - 2, 0), min(row + 3, SIZE)):
                for c in range(max(column - 2, 0), min(column + 3, SIZE)):
                    if not self.board[SIZE * r + c]:
                        near.add(SIZE * r + c)
        return [str(square) for square in sorted(near)]

    def make_move(self, move: str) -> None:
        self.board[int(move)] = self.current_player
        self.played.append(int(move))

    def unmake_move(self, move: str) -> None:
        self.board[int(move)] = 0
        self.played.pop()

    def lose(self) -> bool:
        if not self.played:
            return False
        row, column = divmod(self.played[-1], SIZE)
        for down, right in LINES:
            stones = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < SIZE and 0 <= c < SIZE and self.board[SIZE * r + c] == self.opponent_index:
                    stones += 1
                    r, c = r + sign * down, c + sign * right
            if stones >= 5:
                return True
        return False

    def is_over(self) -> bool:
        return self.lose() or len(self.played) == SIZE * SIZE

    def scoring(self) -> int:
        return -100 if self.lose() else 0


class Ghost(TwoPlayerGame):
    """Ghost: the letters so far; moves are letters."""

    words: frozenset[str] = frozenset()

    def __init__(self, players: Any) -> None:
        self.players = players
        self.letters = ""
        self.current_player = 1

    def possible_moves(self) -> list[str]:
        length = len(self.letters)
        return sorted({word[length] for word in self.words if word.startswith(self.letters)})

    def make_move(self, move: str) -> None:
        self.letters += move

    def unmake_move(self, move: str) -> None:
        self.letters = self.letters[:-1]

    def win(self) -> bool:
        return self.letters in self.words

    def is_over(self) -> bool:
        return self.win()

    def scoring(self) -> int:
        return 100 if self.win() else 0


class Switching(TwoPlayerGame):
    """Shannon's switching game: the owner of each edge that was played; Short is player 1."""

    edges: tuple[tuple[str, str], ...] = ()

    def __init__(self, players: Any) -> None:
        self.players = players
        self.owner: dict[tuple[str, str], int] = {}
        self.current_player = 1

    def possible_moves(self) -> list[tuple[str, str]]:
        return [edge for edge in self.edges if edge not in self.owner]

    def make_move(self, move: tuple[str, str]) -> None:
        self.owner[move] = self.current_player

    def unmake_move(self, move: tuple[str, str]) -> None:
        del self.owner[move]

    def connected(self, others: tuple[int, ...]) -> bool:
        edges = [edge for edge in self.edges if self.owner.get(edge, 0) in others]
        reached = {"home"}
        while True:
            more = {there for edge in edges if reached & set(edge) for there in edge} - reached
            if not more:
                return "goal" in reached
            reached |= more

    def is_over(self) -> bool:
        return self.connected((1,)) or not self.connected((0, 1))

    def scoring(self) -> int:
        if not self.is_over():
            return 0
        return 100 if self.connected((1,)) == (self.current_player == 1) else -100
