"""A person at the terminal as a player."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import MAX, State
from zermelo.errors import IllegalMove, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.game_record import GameRecord

HELP = "a move, resign (lose this game), quit (stop; `zermelo resume` restarts this game), help"


class HumanPlayer(Player):
    """Shows the board on standard error and reads moves from standard input.

    `resign` loses the game. `quit` and end of input act like Ctrl-C: the run stops and can be resumed.
    """

    def new_game(self, setup: GameSetup) -> None:
        if sys.stdin is None or sys.stdin.closed:
            raise ZermeloError("a human player needs a terminal: standard input is closed")
        self._side = setup.side
        #: Number of moves of the game already shown.
        self._shown = 0
        self._print(f"\nYou are {setup.start.player_name(setup.side)}. Type {HELP}.")

    def choose(self, turn: Turn) -> PlayResult:
        state = turn.state
        self._show_moves(turn)
        self._print(f"\n{state.board()}")
        while True:
            print(f"{state.player_name(state.to_move())}> ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            text = line.strip()
            if not line or text == "quit":
                self._print("")
                raise KeyboardInterrupt
            if text == "resign":
                return PlayResult(-1, resigned=True)
            if text in ("?", "help", "moves"):
                self._print(f"{HELP}; moves: {' '.join(map(state.move_name, state.legal_moves()))}")
                continue
            try:
                return PlayResult(state.parse_move(text))
            except IllegalMove as error:
                self._print(str(error))

    def show_result(self, played: GameRecord, state: State) -> None:
        """Show the final position, the winner and the reason."""
        self._print(f"\n{state.board()}")
        points = played.points if self._side == MAX else 1 - played.points
        result = {1.0: "You won", 0.0: "You lost"}.get(points, "A draw")
        self._print(f"{result}: {played.termination}{f' ({played.detail})' if played.detail else ''}.")

    def _show_moves(self, turn: Turn) -> None:
        """Show the moves since this player's last one: opening moves, the opponent's moves, chance."""
        new = range(self._shown, len(turn.moves))
        moves = [(turn.history[number].to_move(), turn.history[number].move_name(turn.moves[number])) for number in new]
        if self._shown == 0 and len(moves) > 1:
            self._print(f"\nMoves so far: {' '.join(name for _, name in moves)}")
        else:
            for side, name in moves:
                if side != self._side:
                    self._print(f"\n{turn.state.player_name(side)}: {name}")
        self._shown = len(turn.moves)

    @staticmethod
    def _print(text: str) -> None:
        print(text, file=sys.stderr, flush=True)
