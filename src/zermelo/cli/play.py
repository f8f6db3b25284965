"""`zermelo play`: a game in the terminal, against the engine or another person."""

from __future__ import annotations

import os
import random
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_line
from zermelo._util.text import single_line
from zermelo._util.user_files import LONGEST_LINE, shown_path
from zermelo.cli import INTERRUPTED, arguments, screen, tables
from zermelo.cli.analyse import TABLE, follow
from zermelo.cli.arguments import Game, Moves, Position, SearchEvaluation
from zermelo.cli.background import Compilation
from zermelo.cli.board_marks import marked
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import PositionHistory, allowed_moves
from zermelo.core.player_view import board_of
from zermelo.core.validation import validate_root
from zermelo.errors import FileError, IllegalMove, LimitError, PositionError, ZermeloError
from zermelo.interactive.course import GameInProgress
from zermelo.interactive.game_files import load as load_game
from zermelo.interactive.game_files import save as save_game
from zermelo.interactive.move_reasons import reasons
from zermelo.interactive.opponents import (
    SECONDS,
    HiddenOpponents,
    choose,
    draw_claimed,
    hidden_opponent,
    new_searcher,
    one_kind_of_search,
)

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.analysis import Analysis
    from zermelo.search.levels import Strength
    from zermelo.search.limits import Limits
    from zermelo.search.searcher import Searcher

NO_DEPTH = "Monte Carlo tree search has no depth: choose a level or seconds"
# More legal moves than this are not listed at each turn, but the first of them, as examples of their notation.
MAX_MOVES, FIRST_MOVES = 60, 8
MAX_LISTED = 400  # more legal moves are not listed

#: The commands, each with its argument and what it does. A game with hidden information has those that reveal nothing.
COMMANDS = {
    "hint": ("", "show the move that the engine would play"),
    "why": ("[MOVE]", "explain the last move, or a legal one: its line beside the best other move"),
    "undo": ("", "take back your last move and the engine's reply"),
    "moves": ("", "list the legal moves"),
    "board": ("", "print the board again"),
    "level": ("[N]", "strength of the engine"),
    "depth": ("[N]", "search depth of the engine in plies"),
    "seconds": ("[S]", "seconds of the engine per move"),
    "swap": ("", "change sides with the engine"),
    "draw": ("", "claim a draw, where the rules allow it"),
    "save": ("FILE", "save the game; the extension selects the format (.json, .pgn, ...)"),
    "load": ("FILE", "continue the first game of a file, in place of this one"),
    "resign": ("", "resign the game"),
    "quit": ("", "leave the game (also exit, Ctrl-D)"),
}
OTHER_NAMES = {"exit": "quit", "?": "help"}


class _Left(Exception):
    """The player left the game."""


def play(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    level: Annotated[int | None, typer.Option(metavar="N", help=f"Strength of the engine, {arguments.LEVEL}")] = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", help="Search depth of the engine in plies, instead of --seconds.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help=f"Time of the engine per move in seconds. Default: {SECONDS:g}.")
    ] = None,
    variety: Annotated[
        int | None,
        typer.Option(
            metavar="MARGIN", help="Choose at random among moves at most this much worse than the best; 0: equal moves."
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="engine or mcts; with hidden information a player, such as ismcts:nodes=5000 or policy:FILE. Default: "
            "engine; mcts for games without an evaluation; with hidden information pimc for games with an open state, "
            "else the game's first strategy:NAME, or random.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of dice and random choices.")] = None,
    side: Annotated[
        str, typer.Option("--as", metavar="SIDE", help="Your side: max, min, both, none, or a player's name (white).")
    ] = "max",
    load: Annotated[
        str,
        typer.Option(metavar="FILE", help="Continue the first game of a file, in any format of `zermelo convert`."),
    ] = "",
    evaluation: SearchEvaluation = None,
    selective: arguments.Selective = None,
    parameters: arguments.Parameters = "",
    threads: arguments.Threads = 1,
    table: arguments.Table = TABLE,
    quiet: arguments.Quiet = False,
) -> None:
    """Play against the engine.

    Type a move, or `help` for the other commands.
    """
    from zermelo.core.weight_file import chosen_evaluation
    from zermelo.search.default import default_algorithm
    from zermelo.search.levels import Strength

    cls = arguments.load(game)
    chosen = chosen_evaluation(cls, evaluation)
    is_hidden = not cls.perfect_information
    if position == "-":
        raise PositionError("play reads moves from standard input, so the position cannot be -")
    if load and (position or moves):
        raise PositionError("--load takes position and moves from the file; it cannot be combined with them")
    if level is not None and (depth, seconds) != (None, None):
        raise LimitError("--level cannot be combined with --depth or --seconds")
    if seed is not None and seed < 0:
        raise LimitError(f"--seed must be at least 0 (got {seed})")
    limits = _limits(level, depth, seconds)
    if algorithm is None and not is_hidden:
        algorithm = default_algorithm(cls, limits if level is None else replace(limits, nodes=1), chosen)
    strength = Strength(level, variety, cls if algorithm == "engine" else None)
    selectivity = arguments.selectivity(cls, selective, parameters=parameters, algorithm=algorithm or "")
    if depth is not None and algorithm == "mcts":
        raise LimitError(NO_DEPTH)
    *history, state = load_game(cls, load) if load else arguments.game_so_far(cls, position, moves)
    with arguments.blaming(cls):
        validate_root(state, searched=not is_hidden)
        source = random.Random(seed)
        match: _Match
        if is_hidden:
            match = _HiddenMatch(game, [*history, state], algorithm or hidden_opponent(cls), quiet, source)
        else:
            assert algorithm is not None
            engine = new_searcher(algorithm, table, threads, source, selective=selectivity)
            match = _Match(game, [*history, state], engine, evaluation, chosen, quiet, source, table)
            match.algorithm = algorithm
        match.limits, match.strength = limits, strength
        match.game.people = _sides(state, side)
        try:
            match.run()
        except (_Left, EOFError):
            match.leave()
        except KeyboardInterrupt:
            match.leave()
            raise typer.Exit(INTERRUPTED) from None


def _limits(level: int | None, depth: int | None, seconds: float | None) -> Limits:
    """Limits besides those of the level; by default a time."""
    from zermelo.search.limits import Limits

    if (level, depth, seconds) == (None, None, None):
        seconds = SECONDS
    return Limits(depth, seconds)


def _number(text: str, kind: type[Any], what: str) -> Any:
    """Read the number of a command."""
    try:
        return kind(text)
    except ValueError:
        raise LimitError(f"{what} must be a number (got {text[:40]!r})") from None


def _sides(state: State, text: str) -> set[int]:
    """Sides played by people."""
    found = arguments.player(state, text, "--as", ("both", "none"))
    return {found} if found is not None else {MAX, MIN} if text.casefold() == "both" else set()


class _Match:
    """A game in progress."""

    def __init__(
        self,
        name: str,
        states: list[State],
        engine: Searcher | None,
        evaluation_name: str | None,
        chosen: str | Evaluation | None,
        quiet: bool,
        source: random.Random,
        table: str,
    ) -> None:
        from zermelo.core.evaluation import resolve_evaluation

        self.name = name
        self.game = GameInProgress(states)
        self.engine = engine
        # Monte Carlo tree search plays to the end of the game unless an evaluation is named.
        self.evaluation = None if chosen is None else resolve_evaluation(states[-1], chosen)
        self.quiet = quiet
        self.table = table
        self.algorithm: str
        self.limits: Limits
        self.strength: Strength
        self.shown: State | None = None
        self.out = screen.console()
        self.random = source
        self.evaluation_name = evaluation_name or ""
        self.compilation: Compilation | None = None
        self.stand_in: Searcher | None = None
        self.saved_as = ""  # the file that `save` may replace
        self.commands: dict[str, Callable[[str], None]] = {
            "hint": self.hint,
            "why": self.why,
            "undo": self.undo,
            "moves": lambda _: self.print_moves(all_of_them=True),
            "board": lambda _: self.draw(),
            "level": self.set_level,
            "depth": self.set_depth,
            "seconds": self.set_seconds,
            "swap": self.swap,
            "draw": self.claim,
            "save": self.save,
            "load": self.load,
            "resign": self.resign,
            "quit": self.quit,
        }

    def run_command(self, text: str) -> bool:
        """Run a command; returns False if the text is not one."""
        word, _, rest = text.partition(" ")
        name = OTHER_NAMES.get(word.casefold(), word.casefold())
        if name == "help":
            self.help()
        elif name in self.commands:
            self.commands[name](rest.strip())
        elif name in COMMANDS:
            raise LimitError(f"{name} is not possible in a game with hidden information")
        else:
            return False
        return True

    def help(self) -> None:
        rows = [("a move", "play it, in the notation of the legal moves")]
        commands = COMMANDS | {"level": ("[N]", f"strength of the engine, 1 to {self.strength.max_level}")}
        rows += [(f"{name} {words}".strip(), does) for name, (words, does) in commands.items() if name in self.commands]
        screen.facts(self.out, rows)

    # ---- the game ------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game ends."""
        try:
            self._run()
        finally:
            if self.compilation is not None:
                self.compilation.close()

    def _run(self) -> None:
        if len(self.game.people) < 2:
            self.compile()
        if self.game.people:
            self.say("Type a move, or help.")
        while not self.game.is_finished():
            side = self.game.state.to_move()
            if side in self.game.people or not self.game.people:
                self.draw_once()
            if side == CHANCE:
                self.let_chance_move()
            elif side in self.game.people:
                self.ask()
            else:
                self.let_engine_move()
        self.draw_once()
        if not self.game.state.is_over():
            self.say(f"  a draw: {self.game.claim_reason()}")
            return
        self.say(f"  {formatting.ended(self.game.state)}")

    def let_chance_move(self) -> None:
        from zermelo.arena.game_course import chance_move

        move = chance_move(self.game.state, self.random)
        self.say(f"  {formatting.side(self.game.state)}: {self.game.state.move_name(move)}")
        self.game.make(move)

    def let_engine_move(self) -> None:
        found = self.think()
        assert found.move is not None
        if reason := draw_claimed(self.game, found):
            self.say(f"  {formatting.does(formatting.side(self.game.state), 'claim', 'claims')} a draw: {reason}")
            raise typer.Exit
        plays = formatting.does(formatting.side(self.game.state), "play", "plays")
        self.say(f"  {plays} {found.best}   {self.judged(found)}")
        self.game.make(found.move)

    def compile(self) -> None:
        """Compile the engine's search in the background, unless it is compiled."""
        assert self.engine is not None
        state = self.game.state
        with self.strength.at_confidence(self.engine, state, self.evaluation):
            self.compilation = Compilation(
                self.engine, state, self.evaluation, self.name, self.evaluation_name, self.algorithm,
                self.strength.limits(self.limits, self.algorithm == "mcts", state),
            )  # fmt: skip
        if self.compilation.is_done:
            return
        source = random.Random(self.random.getstate()[1][0])  # the game's own is not advanced
        self.stand_in = new_searcher(self.algorithm, self.table, 1, source, compiled=False)
        if not self.quiet:
            print_line(
                f"zermelo: compiling {type(self.game.state).__name__} for this machine, once, in the background; until "
                "then a slower search answers",
                error=True,
            )

    def think(self) -> Analysis:
        """Analyse the position at the engine's level."""

        def search(limits: Limits, *, lines: int, moves: tuple[int, ...]) -> Analysis:
            known = self.in_book(limits, lines, moves)
            return known or self.analysed(self.game.state, self.game.before, limits, lines=lines, moves=moves)

        by_playouts = self.algorithm == "mcts"
        state = self.game.state
        assert self.engine is not None
        with self.strength.at_confidence(self.engine, state, self.evaluation):
            return choose(state, self.game.allowed(), self.strength, self.limits, by_playouts, self.random, search)

    def in_book(self, limits: Limits, lines: int, moves: tuple[int, ...]) -> Analysis | None:
        """What the opening book of the package knows, for an engine that plays as well as it can within a time."""
        from zermelo.search.request import SearchRequest

        if self.algorithm != "engine" or self.evaluation_name or (limits.depth, limits.nodes) != (None, None):
            return None
        book = arguments.opening_book(type(self.game.state), "")
        request = SearchRequest(self.game.state, limits, None, lines, self.game.before, moves)
        return None if book is None else book.answer(request)

    def analysed(self, state: State, before: list[State], limits: Limits, **options: Any) -> Analysis:
        """Analyse a position. Ctrl-C leaves the game.

        While the machine code is being compiled, the same search answers in plain Python, within the time of the limits
        or `SECONDS`.
        """
        if self.compilation is None:
            self.compile()
        engine = self.engine
        assert engine is not None
        if self.stand_in is not None and self.compilation is not None and not self.compilation.is_done:
            engine = self.stand_in
            limits = replace(limits, seconds=limits.seconds or SECONDS)
        if self.algorithm == "engine" and limits.depth is None:
            tables.ensure(state, self.quiet)
        search = partial(
            engine.analysis, state, limits, evaluation=self.evaluation, history=before, **options
        )  # fmt: skip
        found = follow(search, self.quiet, limits.seconds)
        if found.reason == "interrupted":
            raise KeyboardInterrupt
        return found

    def judged(self, found: Analysis) -> str:
        return f"{formatting.labelled_score(found)}, {formatting.seconds(found.seconds)}"

    # ---- the person ------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Read a move or a command. Anything else is reported and changes nothing."""
        text = self.read(f"{formatting.side(self.game.state)}> ").strip()
        if not text:
            legal = self.game.state.legal_moves()
            if len(legal) == 1:
                self.game.make(legal[0])
            return
        try:
            try:
                move = self.game.parse(text)
            except IllegalMove:
                if not self.run_command(text):
                    raise
            else:
                self.game.make(move)
        except ZermeloError as error:
            said = " ".join(str(error).split())
            if isinstance(error, IllegalMove) and len(self.game.state.legal_moves()) > MAX_MOVES:
                said = f"{said.partition('; legal:')[0]}; `moves` lists the legal ones"
            self.say(f"  {said} (help lists the commands)")

    def read(self, prompt: str) -> str:
        """Read a line; echo it if it was not typed at a terminal. Raises `EOFError`."""
        if sys.stdin.isatty():
            return input(single_line(prompt))
        print_line(prompt, end="")
        line = sys.stdin.readline(LONGEST_LINE)
        print_line(line.rstrip())
        if not line:
            raise EOFError
        return line

    def hint(self, rest: str) -> None:
        found = self.think()
        self.say(f"  {found.best}   {self.judged(found)}   {' '.join(found.line[:10])}")

    def why(self, rest: str) -> None:
        """Explain a legal move or, without one, the last move of a player."""
        from zermelo.core.evaluation import resolve_evaluation
        from zermelo.search.limits import Limits

        explained = self.game.explained(rest)
        if explained is None:
            self.say("  no move to explain yet; why MOVE explains a legal move")
            return
        state, before, move = explained
        legal = allowed_moves(state, PositionHistory([*before, state]))
        limits = self.limits if (self.limits.depth, self.limits.seconds) != (None, None) else Limits(seconds=SECONDS)

        def search(moves: list[int], depth: int | None) -> Analysis:
            same = limits if depth is None or self.algorithm == "mcts" else replace(limits, depth=depth)
            return self.analysed(state, before, same, moves=moves)

        from zermelo.search.selective import selective_default

        by_default = resolve_evaluation(state, None, bool(selective_default(state, limits)))
        evaluation = self.evaluation or (by_default if self.algorithm == "engine" else None)
        with one_kind_of_search(self.engine, state, limits, evaluation):
            screen.facts(self.out, reasons(state, move, legal, search, evaluation).rows)

    def save(self, rest: str) -> None:
        if not rest:
            raise FileError("save needs the name of a file: save game.json")
        rest = os.path.expanduser(rest)
        if os.path.exists(rest) and rest != self.saved_as:
            raise FileError(f"{shown_path(rest)} exists; choose another name")
        save_game(rest, self.game.states)
        self.saved_as = rest
        self.say(f"  saved: {shown_path(rest)}; continue with: zermelo play {self.name} --load {shlex.quote(rest)}")

    def load(self, rest: str) -> None:
        if not rest:
            raise FileError("load needs the name of a file: load game.json")
        rest = os.path.expanduser(rest)
        states = load_game(type(self.game.state), rest)
        validate_root(states[-1])
        self.game.replace(states)
        self.saved_as = rest
        self.say(f"  loaded: {shown_path(rest)}, {formatting.plural(len(self.game.before), 'ply')}")
        self.shown = None

    def undo(self, rest: str) -> None:
        """Go back to the last position in which a person was to move."""
        if not self.game.undo():
            self.say("  no move to take back")

    def set_level(self, rest: str) -> None:
        if rest:
            self.set_limits(level=_number(rest, int, "level"))
        self.say(f"  the engine's level: {self.described()}")

    def set_depth(self, rest: str) -> None:
        if rest:
            self.set_limits(depth=_number(rest, int, "depth"))
        self.say(f"  the engine's level: {self.described()}")

    def set_seconds(self, rest: str) -> None:
        if rest:
            self.set_limits(seconds=_number(rest, float, "seconds"))
        self.say(f"  the engine's level: {self.described()}")

    def set_limits(self, level: int | None = None, depth: int | None = None, seconds: float | None = None) -> None:
        """Set the level, the depth or the time, in place of all of them."""
        if depth is not None and self.algorithm == "mcts":
            raise LimitError(NO_DEPTH)
        limits, strength = _limits(level, depth, seconds), replace(self.strength, level=level)
        self.limits, self.strength = limits, strength

    def described(self) -> str:
        """Level, depth and time of the engine."""
        parts = [] if self.strength.level is None else [str(self.strength.level)]
        if self.limits.depth is not None:
            parts.append(formatting.plural(self.limits.depth, "ply"))
        if self.limits.seconds is not None:
            parts.append(f"{self.limits.seconds:g} s per move")
        return ", ".join(parts)

    def swap(self, rest: str) -> None:
        if len(self.game.people) != 1:
            self.say("  both sides are yours")
            return
        self.game.people = {-side for side in self.game.people}
        (mine,) = self.game.people
        self.say(f"  you play {self.game.state.player_name(mine)} now")

    def claim(self, rest: str) -> None:
        reason = self.game.claim_reason()
        if not reason:
            self.say("  a draw cannot be claimed here")
            return
        self.say(f"  a draw: {reason}")
        raise typer.Exit

    def resign(self, rest: str) -> None:
        loser = self.game.state.to_move()
        self.say(f"  {formatting.resigned(self.game.state, loser)}")
        raise typer.Exit

    def quit(self, rest: str) -> None:
        raise _Left

    def leave(self) -> None:
        """Print the command that continues the game, with all moves, because repetition rules need them."""
        words = [f'zermelo play {self.name} "{self.game.states[0]}"']
        if names := " ".join(self.game.move_names()):
            words.append(f'--moves "{names}"')
        if self.game.people != {MAX}:
            words.append(f"--as {self._who()}")
        options = {
            "level": self.strength.level,
            "depth": self.limits.depth,
            "seconds": self.limits.seconds if self.limits != _limits(None, None, None) else None,
            "variety": self.strength.variety,
        }
        words += [f"--{name} {value:g}" for name, value in options.items() if value is not None]
        self.say(f"  left the game; continue with: {' '.join(words)}")

    def _who(self) -> str:
        """Value of `--as` for the sides played by people."""
        people = self.game.people
        return "both" if len(people) == 2 else "none" if not people else "min" if MIN in people else "max"

    # ---- the screen -------------------------------------------------------------------------------------------

    def say(self, text: Any) -> None:
        self.out.print(text)

    def draw_once(self) -> None:
        """Draw the state unless it was drawn last, so that wrong input does not scroll the board away."""
        if self.game.state != self.shown:
            self.draw()

    def draw(self) -> None:
        self.shown = self.game.state
        self.say("")
        place = self.game.last_place()
        board = self.game.state.board()
        self.out.block(board if place is None else marked(board, self.game.before[place].board()))
        self.say("")
        if not self.game.state.is_over() and self.game.state.to_move() in self.game.people:
            self.print_moves()

    def last_move(self) -> str:
        """Player and name of the last move; empty before the first."""
        last = self.game.last_move()
        return "" if last is None else f"{formatting.side(last[0])} {last[0].move_name(last[1])}"

    def print_moves(self, *, all_of_them: bool = False) -> None:
        names = [self.game.state.move_name(move) for move in self.game.allowed()]
        only = "  (Enter plays it)" if len(names) == 1 else ""
        if len(names) > MAX_LISTED:
            names = [*names[:8], "...", f"({formatting.count(len(names))} moves)"]
        if len(names) > MAX_MOVES and not all_of_them:
            names, only = names[:FIRST_MOVES], f" ...  ({len(names)} moves; `moves` lists them)"
        rows = [("last move:", last)] if (last := self.last_move()) else []
        rows.append((f"{formatting.side(self.game.state)} to move:", " ".join(names) + only))
        if claims := formatting.claims(self.game.state, self.game.past.occurrences[-1]):
            rows.append(("draw:", claims))
        screen.facts(self.out, rows)


class _HiddenMatch(_Match):
    """A game with hidden information in progress: people see their own view, and the opponent gets its view only.

    Parameters
    ----------
    algorithm
        Spec of the opponent; see `zermelo.arena.players.specs`.
    """

    def __init__(self, name: str, states: list[State], algorithm: str, quiet: bool, source: random.Random) -> None:
        super().__init__(name, states, None, None, None, quiet, source, TABLE)
        self.opponents = HiddenOpponents(type(states[-1]), algorithm, source)
        self.viewer: int | None = None
        possible = ("hint", "moves", "board", "resign", "quit")
        self.commands = {name: command for name, command in self.commands.items() if name in possible}

    def _run(self) -> None:
        if not self.game.state.is_over():
            for side in (MAX, MIN):
                if side not in self.game.people:
                    self.opponents.prepare(self.game.state, side)
        try:
            super()._run()
        finally:
            self.opponents.close()

    def compile(self) -> None:
        """Nothing: players compile what they need before the game."""

    def ask(self) -> None:
        self.viewer = self.game.state.to_move()
        super().ask()

    def draw_once(self) -> None:
        side = None if self.game.state.is_over() else self.game.state.to_move()
        if side == CHANCE:
            return
        if len(self.game.people) == 2 and side in self.game.people and side != self.viewer:
            if self.viewer is not None:
                self.out.clear()
            self.read(f"{self.game.state.player_name(side)}, press Enter when only you see the screen. ")
            self.viewer = side
        super().draw_once()

    def let_chance_move(self) -> None:
        from zermelo.arena.game_course import chance_move

        if not self.game.people:
            super().let_chance_move()
            return
        self.game.make(chance_move(self.game.state, self.random))

    def let_engine_move(self) -> None:
        """Let the opponent move. With people, the move is not printed: their board shows what they see of it."""
        move = self.opponents.choose(self.game.state)
        if not self.game.people:
            self.say(f"  {formatting.side(self.game.state)}: {self.game.state.move_name(move)}")
        self.game.make(move)

    def hint(self, rest: str) -> None:
        """Show the move of the opponent's player in the place of the person, who knows as much as the person."""
        self.say(f"  {self.game.state.move_name(self.opponents.choose(self.game.state))}")

    def last_move(self) -> str:
        """Nothing: a move may be hidden."""
        return ""

    def leave(self) -> None:
        """A command that continues the game would show what is hidden."""
        self.say("  left the game")

    def draw(self) -> None:
        self.shown = self.game.state
        over = self.game.state.is_over()
        viewer = None if over or not self.game.people else self.game.state.to_move()
        self.say("")
        self.out.block(self.game.state.board() if viewer is None else board_of(self.game.state, viewer))
        self.say("")
        if viewer in self.game.people:
            self.print_moves()
