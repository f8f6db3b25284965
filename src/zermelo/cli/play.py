"""`zermelo play`: a game in the terminal, against the engine or another person."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import INTERRUPTED, arguments, formatting, screen
from zermelo.cli.analyse import TABLE, follow
from zermelo.cli.arguments import EvaluationName, Game, Moves, Position
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import PositionHistory, is_drawn_by_repetition
from zermelo.core.validation import validate_root
from zermelo.errors import IllegalMove, LimitError, PositionError, ZermeloError

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis
    from zermelo.search.engine import Engine, Limits

SECONDS = 1.0  # default time of the engine per move

HELP = """\
  a move        play it, in the notation of the legal moves
  hint          show the move that the engine would play
  undo          take back your last move and the engine's reply
  moves         list the legal moves
  board         print the board again
  level N       search depth of the engine in plies; level 2s: 2 seconds per move
  swap          change sides with the engine
  draw          claim a draw, where the rules allow it
  resign        resign the game
  quit          leave the game (also Ctrl-D)"""


class _Left(Exception):
    """The player left the game."""


def play(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    level: Annotated[
        str | None,
        typer.Option(metavar="N", help="Strength of the engine: N for a depth in plies, 2s for 2 seconds per move."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help=f"Time of the engine per move in seconds. Default: {SECONDS:g}.")
    ] = None,
    side: Annotated[
        str, typer.Option("--as", metavar="SIDE", help="Your side: max, min, both, none, or a player's name (white).")
    ] = "max",
    evaluation: EvaluationName = None,
    threads: arguments.Threads = 1,
    table: arguments.Table = TABLE,
    quiet: arguments.Quiet = False,
) -> None:
    """Play against the engine.

    Type a move, or `help` for the other commands.
    """
    from zermelo.search.engine import Engine

    cls = arguments.load(game)
    if position == "-":
        raise PositionError("play reads moves from standard input, so the position cannot be -")
    if level is not None and seconds is not None:
        raise LimitError("--level and --seconds cannot be combined")
    *history, state = arguments.game_so_far(cls, position, moves)
    with arguments.blaming(cls):
        validate_root(state)
        match = _Match(game, state, history, Engine(table, threads), evaluation, quiet)
        match.limits = _level(f"{seconds}s" if seconds is not None else f"{SECONDS}s" if level is None else level)
        match.yours = _sides(state, side)
        try:
            match.run()
        except (_Left, EOFError):
            match.leave()
        except KeyboardInterrupt:
            match.leave()
            raise typer.Exit(INTERRUPTED) from None


def _level(text: str) -> Limits:
    """Limits of a level: `6` plies, or `0.5s` per move."""
    from zermelo.search.engine import Limits

    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)(s?)", text.strip())
    if found is None or (not found[2] and "." in found[1]):
        raise LimitError(f"level must be a depth in plies, like 6, or seconds, like 2s (got {text!r})")
    return Limits(seconds=float(found[1])) if found[2] else Limits(depth=int(found[1]))


def _sides(state: State, text: str) -> set[int]:
    """Sides played by people."""
    known = {"max": {MAX}, "min": {MIN}, "both": {MAX, MIN}, "none": set[int]()}
    known = {**{state.player_name(player).casefold(): {player} for player in (MAX, MIN)}, **known}
    if text.casefold() not in known:
        raise LimitError(f"--as must be one of {', '.join(known)} (got {text!r})")
    return known[text.casefold()]


def _move_between(before: State, after: State) -> str:
    """Name of the move that leads from one state to the next."""
    return next(before.move_name(move) for move in before.legal_moves() if before.play(move) == after)


class _Match:
    """A game in progress."""

    def __init__(
        self, name: str, state: State, history: list[State], engine: Engine, evaluation: str | None, quiet: bool
    ) -> None:
        from zermelo.core.evaluation import resolve_evaluation

        self.name = name
        self.state = state
        self.engine = engine
        self.evaluation = resolve_evaluation(state, evaluation)
        self.quiet = quiet
        self.limits: Limits
        self.yours: set[int] = set()
        self.before = history  # the states before the current one, the first one first
        self.shown: State | None = None
        self.past = PositionHistory([*history, state])  # the current position is its last
        self.out = screen.console()
        self.chance = random.Random()
        self.commands: dict[str, Callable[[str], None]] = {
            "hint": self.hint,
            "undo": self.undo,
            "moves": lambda _: self.print_moves(),
            "board": lambda _: self.draw(),
            "level": self.set_level,
            "swap": self.swap,
            "draw": self.claim,
            "resign": self.resign,
            "quit": self.quit,
            "exit": self.quit,
            "help": lambda _: self.say(HELP),
            "?": lambda _: self.say(HELP),
        }

    # ---- the game ------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game ends."""
        if self.yours:
            self.say("Type a move, or help.")
        while not self.state.is_over() and not is_drawn_by_repetition(self.state, self.past.occurrences[-1]):
            side = self.state.to_move()
            if side in self.yours or not self.yours:
                self.draw_once()
            if side == CHANCE:
                self.let_chance_move()
            elif side in self.yours:
                self.ask()
            else:
                self.let_engine_move()
        self.draw_once()
        if not self.state.is_over():
            self.say(f"  a draw: {formatting.drawn(self.state, self.past.occurrences[-1])}")
            return
        self.say(f"  {formatting.ended(self.state)}")

    def make(self, move: int) -> None:
        after = self.state.play(move)
        self.before.append(self.state)
        self.state = after
        self.past.push(after)

    def let_chance_move(self) -> None:
        moves, weights = zip(*self.state.outcomes(), strict=True)
        move = self.chance.choices(moves, weights)[0]
        self.say(f"  {formatting.side(self.state)}: {self.state.move_name(move)}")
        self.make(move)

    def let_engine_move(self) -> None:
        found = self.think()
        assert found.move is not None
        reason = formatting.drawn(self.state, self.past.occurrences[-1])
        if reason and found.score.pov(self.state.to_move()).number <= 0:
            self.say(f"  {formatting.does(formatting.side(self.state), 'claim', 'claims')} a draw: {reason}")
            raise typer.Exit
        plays = formatting.does(formatting.side(self.state), "play", "plays")
        self.say(f"  {plays} {found.best}   {self.judged(found)}")
        self.make(found.move)

    def think(self) -> Analysis:
        """Analyse the position at the engine's level. Ctrl-C leaves the game."""
        search = partial(self.engine.analysis, self.state, self.limits, evaluation=self.evaluation, history=self.before)
        found = follow(search, self.quiet, self.limits.seconds)
        if found.reason == "interrupted":
            raise KeyboardInterrupt
        return found

    def judged(self, found: Analysis) -> str:
        return f"{formatting.score(found)}, {formatting.seconds(found.seconds)}"

    # ---- the person ------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Read a move or a command. Anything else is reported and changes nothing."""
        text = self.read(f"{formatting.side(self.state)}> ").strip()
        if not text:
            legal = self.state.legal_moves()
            if len(legal) == 1:
                self.make(legal[0])
            return
        try:
            try:
                move = self.state.parse_move(text)
            except IllegalMove:
                word, _, rest = text.partition(" ")
                if word.casefold() not in self.commands:
                    raise
                self.commands[word.casefold()](rest.strip())
            else:
                self.make(move)
        except ZermeloError as error:
            self.say(f"  {' '.join(str(error).split())} (help lists the commands)")

    def read(self, prompt: str) -> str:
        """Read a line; echo it if it was not typed at a terminal. Raises `EOFError`."""
        if sys.stdin.isatty():
            return input(prompt)
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        print(line.rstrip())
        if not line:
            raise EOFError
        return line

    def hint(self, rest: str) -> None:
        found = self.think()
        self.say(f"  {found.best}   {self.judged(found)}   {' '.join(found.line[:10])}")

    def undo(self, rest: str) -> None:
        """Go back to the last position in which a person was to move."""
        places = [place for place, state in enumerate(self.before) if state.to_move() in self.yours]
        if not places:
            self.say("  no move to take back")
            return
        self.state = self.before[places[-1]]
        for _ in self.before[places[-1] :]:
            self.past.pop()
        del self.before[places[-1] :]

    def set_level(self, rest: str) -> None:
        if rest:
            self.limits = _level(rest)
        level = f"{self.limits.seconds:g} s per move" if self.limits.seconds else f"{self.limits.depth} plies"
        self.say(f"  the engine's level: {level}")

    def swap(self, rest: str) -> None:
        if len(self.yours) != 1:
            self.say("  both sides are yours")
            return
        self.yours = {-side for side in self.yours}
        (mine,) = self.yours
        self.say(f"  you play {self.state.player_name(mine)} now")

    def claim(self, rest: str) -> None:
        reason = formatting.drawn(self.state, self.past.occurrences[-1])
        if not reason:
            self.say("  a draw cannot be claimed here")
            return
        self.say(f"  a draw: {reason}")
        raise typer.Exit

    def resign(self, rest: str) -> None:
        loser = self.state.to_move()
        self.say(f"  {formatting.resigned(self.state, loser)}")
        raise typer.Exit

    def quit(self, rest: str) -> None:
        raise _Left

    def leave(self) -> None:
        """Print the command that continues the game, with all moves, because repetition rules need them."""
        states = [*self.before, self.state]
        words = [f'zermelo play {self.name} "{states[0]}"']
        names = " ".join(_move_between(before, after) for before, after in pairwise(states))
        if names:
            words.append(f'--moves "{names}"')
        if self.yours != {MAX}:
            words.append(f"--as {self._who()}")
        if self.limits != _level(f"{SECONDS}s"):
            words.append(f"--level {self.limits.depth or f'{self.limits.seconds:g}s'}")
        self.say(f"  left the game; continue with: {' '.join(words)}")

    def _who(self) -> str:
        """Value of `--as` for the sides played by people."""
        return "both" if len(self.yours) == 2 else "none" if not self.yours else "min" if MIN in self.yours else "max"

    # ---- the screen -------------------------------------------------------------------------------------------

    def say(self, text: Any) -> None:
        self.out.print(text)

    def draw_once(self) -> None:
        """Draw the state unless it was drawn last, so that wrong input does not scroll the board away."""
        if self.state != self.shown:
            self.draw()

    def draw(self) -> None:
        self.shown = self.state
        self.say("")
        self.say(self.state.board())
        self.say("")
        if not self.state.is_over() and self.state.to_move() in self.yours:
            self.print_moves()

    def print_moves(self) -> None:
        names = [self.state.move_name(move) for move in self.state.legal_moves()]
        only = "  (Enter plays it)" if len(names) == 1 else ""
        rows = [(f"{formatting.side(self.state)} to move:", " ".join(names) + only)]
        if claims := formatting.claims(self.state, self.past.occurrences[-1]):
            rows.append(("draw:", claims))
        screen.facts(self.out, rows)
