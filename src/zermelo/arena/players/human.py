"""Whoever sits at the terminal, as a player."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import MAX, State
from zermelo.errors import IllegalMove, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.game_record import GameRecord

HELP = "a move, resign (lose this game), quit (stop; `zermelo resume` goes on with this game anew), help"


class HumanPlayer(Player):
    """Is shown what was played and the board, and asked for a move, on standard error and standard input.

    `resign` gives the game up. `quit` and the end of the input are Ctrl-C: the run stops and can be resumed.
    """

    def new_game(self, seat: GameSetup) -> None:
        if sys.stdin is None or sys.stdin.closed:
            raise ZermeloError("a human player needs a terminal: there is no standard input")
        self._side = seat.side
        #: So many moves of the game were told.
        self._told = 0
        self._say(f"\nYou are {seat.start.player_name(seat.side)}. Type {HELP}.")

    def choose(self, turn: Turn) -> PlayResult:
        state = turn.state
        self._tell(turn)
        self._say(f"\n{state.board()}")
        while True:
            print(f"{state.player_name(state.to_move())}> ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            text = line.strip()
            if not line or text == "quit":
                self._say("")
                raise KeyboardInterrupt
            if text == "resign":
                return PlayResult(-1, resigned=True)
            if text in ("?", "help", "moves"):
                self._say(f"{HELP}; moves: {' '.join(map(state.move_name, state.legal_moves()))}")
                continue
            try:
                return PlayResult(state.parse_move(text))
            except IllegalMove as error:
                self._say(str(error))

    def show_result(self, played: GameRecord, state: State) -> None:
        """Show the last position, and who has won, and why."""
        self._say(f"\n{state.board()}")
        got = played.points if self._side == MAX else 1 - played.points
        result = {1.0: "You won", 0.0: "You lost"}.get(got, "A draw")
        self._say(f"{result}: {played.termination}{f' ({played.detail})' if played.detail else ''}.")

    def _tell(self, turn: Turn) -> None:
        """The moves since one's own last one: the opening's, the other's, chance's."""
        new = range(self._told, len(turn.moves))
        said = [(turn.history[number].to_move(), turn.history[number].move_name(turn.moves[number])) for number in new]
        if self._told == 0 and len(said) > 1:
            self._say(f"\nSo far: {' '.join(name for _, name in said)}")
        else:
            for side, name in said:
                if side != self._side:
                    self._say(f"\n{turn.state.player_name(side)}: {name}")
        self._told = len(turn.moves)

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)
