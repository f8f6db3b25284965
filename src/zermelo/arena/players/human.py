"""A person at the terminal as a player."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zermelo._util.terminal import print_block, print_line
from zermelo._util.user_files import LONGEST_LINE
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import MAX, State
from zermelo.core.player_view import board_of
from zermelo.errors import IllegalMove, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.game_record import GameRecord

#: The commands of `zermelo play` that do not help the player, with what they do here.
COMMANDS = {
    "moves": "list the legal moves",
    "board": "print the board again",
    "resign": "resign the game",
    "quit": "stop the match (also exit, Ctrl-D); `zermelo resume` restarts this game",
}
OTHER_NAMES = {"exit": "quit", "?": "help"}


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
        self._print(f"\nYou are {setup.start.player_name(setup.side)}. Type a move, or help.")

    def choose(self, turn: Turn) -> PlayResult:
        state = turn.state
        self._show_moves(turn)
        self._print(f"\n{board_of(state, self._side)}")
        while True:
            print_line(f"{state.player_name(state.to_move())}> ", error=True, end="")
            line = sys.stdin.readline(LONGEST_LINE)
            text = line.strip()
            word = OTHER_NAMES.get(text.casefold(), text.casefold())
            try:
                return PlayResult(state.parse_move(text))
            except IllegalMove as error:
                refusal = str(error)
            if not line or word == "quit":
                self._print("")
                raise KeyboardInterrupt
            if word == "resign":
                return PlayResult(-1, resigned=True)
            if word == "help":
                self._print("  a move  play it, in the notation of the legal moves")
                self._print("\n".join(f"  {name:6}  {does}" for name, does in COMMANDS.items()))
            elif word == "moves":
                self._print(f"  {' '.join(map(state.move_name, state.legal_moves()))}")
            elif word == "board":
                self._print(f"\n{board_of(state, self._side)}")
            else:
                self._print(f"  {refusal} (help lists the commands)")

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
        print_block(text, error=True)
