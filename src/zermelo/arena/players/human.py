"""Whoever sits at the terminal, as a player."""

from __future__ import annotations

import sys

from zermelo.arena.players.player import Choice, Player, Seat, Turn
from zermelo.errors import IllegalMove, ZermeloError


class Human(Player):
    """Is shown the board and asked for a move, on standard error and standard input. `resign` gives the game up."""

    def new_game(self, seat: Seat) -> None:
        if sys.stdin is None or sys.stdin.closed:
            raise ZermeloError("a human player needs a terminal: there is no standard input")
        self._say(f"You are {seat.start.player_name(seat.side)}.")

    def choose(self, turn: Turn) -> Choice:
        state = turn.state
        self._say(f"\n{state.board()}")
        while True:
            print(f"{state.player_name(state.to_move())}> ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            text = line.strip()
            if not line or text == "resign":
                return Choice(-1, offer="resigns")
            if text in ("?", "help", "moves"):
                self._say(f"resign, or one of {' '.join(map(state.move_name, state.legal_moves()))}")
                continue
            try:
                return Choice(state.parse_move(text))
            except IllegalMove as error:
                self._say(str(error))

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)
