"""GTP version 2, engine side: Zermelo as a GTP engine for any game with a board.

    server = GtpServer("go", Go, searcher, seconds=1.0)
    for line in lines:
        response = server.command(line)     # "= E5\n\n"; "" for an empty line
        if server.has_quit:
            break

GTP is made for Go. The commands of other games are the same, without komi and handicap; moves are written in the game's
own notation. A game of Go that both sides pass is scored by area, with all stones on the board taken as alive.

`set_game` and `list_games` are a convention of the program Quarry, which takes an engine without `list_games` for one
of Go. `grhino-setup_board` is a command of the Othello program GRhino: the squares from a1 row by row, X, O or -, and
the color to move.

References
----------
G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from zermelo._util.text import quoted
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import PositionHistory, check_allowed
from zermelo.core.picture import Grid
from zermelo.errors import PositionError, ZermeloError
from zermelo.games.go import Go, Go19, notation
from zermelo.games.othello import Othello, Othello6, Othello10
from zermelo.games.othello.reversi import Reversi
from zermelo.search.engine import Engine
from zermelo.search.levels import Strength, max_level, set_confidence
from zermelo.search.limits import Limits
from zermelo.search.mcts.engine import MonteCarlo
from zermelo.search.searcher import Searcher
from zermelo.search.timing import time_budget

#: The game of Othello for each size of the board.
_OTHELLO_SIZES: dict[int, type[Reversi]] = {
    size: game for game in (Othello, Othello6, Othello10) for size in game.SIZES
}
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
#: Points that a fixed handicap or a free one may have at most.
_MOST_HANDICAP = 9
#: Seconds of each move that are kept for everything but the search.
_OVERHEAD = 0.05


class GtpFailure(ZermeloError):
    """A command that cannot be carried out: its text is the failure response."""


class GtpServer:
    """A GTP session for one game.

    Parameters
    ----------
    name : str
        Name of the game, as `set_game` takes it.
    game : type of State
        The game; for Go and Othello its size follows `boardsize`.
    searcher : Searcher
        Chooses the moves.
    limits : Limits
        Limits of a move, until the controller sends `time_settings`.
    evaluation : str or Evaluation, optional
        As in `Searcher.analysis`.
    read_game : callable, optional
        Returns the positions of the first game of an SGF file, for `loadsgf`. Raises `ZermeloError`.

    Attributes
    ----------
    has_quit : bool
        Whether `quit` was received.
    """

    def __init__(
        self, name: str, game: type[State], searcher: Searcher, limits: Limits,
        evaluation: str | Evaluation | None = None, read_game: Callable[[str], Sequence[State]] | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.has_quit = False
        self._game = game
        self._searcher = searcher
        self._limits = limits
        self._evaluation = evaluation
        self._read_game = read_game
        self._states = [game.start()]
        self._clock: tuple[float, float, int] | None = None  # main time, byo-yomi time, stones
        self._left: dict[int, tuple[float, int]] = {}  # time left and stones, by side
        self._level: Strength | None = None
        self._selective = searcher.selective if isinstance(searcher, Engine) else None  # before any level
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "Zermelo",
            "version": self._version,
            "known_command": lambda words: "true" if words[:1] and words[0] in self._commands else "false",
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": self._quit,
            "list_games": lambda _: self._listed_name(),
            "set_game": self._set_game,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "play": self._play,
            "genmove": self._genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "showboard": lambda _: "\n" + self.state.board(),
            "final_score": self._final_score,
            "level": self._set_level,
        }
        if issubclass(game, Go):
            self._commands |= {
                "loadsgf": self._loadsgf,
                "komi": self._komi,
                "fixed_handicap": self._fixed_handicap,
                "place_free_handicap": self._place_free_handicap,
                "set_free_handicap": self._set_free_handicap,
            }
        if issubclass(game, Reversi):
            self._commands["grhino-setup_board"] = self._setup_board

    @property
    def state(self) -> State:
        """The current position."""
        return self._states[-1]

    def command(self, line: str) -> str:
        """Carry out a command; return the response with its empty line, or nothing for an empty line or a comment."""
        words = _CONTROL.sub("", line.replace("\t", " ")).partition("#")[0].split()
        if not words:
            return ""
        number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
        if not words:
            return f"?{number} command expected\n\n"
        try:
            if words[0] not in self._commands:
                raise GtpFailure("unknown command")
            return f"={number} {self._commands[words[0]](words[1:])}".rstrip(" ") + "\n\n"
        except ZermeloError as error:
            return f"?{number} {' '.join(str(error).split())}\n\n"

    # ---- the session ----

    def _version(self, _: list[str]) -> str:
        from zermelo import __version__

        return __version__

    def _quit(self, _: list[str]) -> str:
        self.has_quit = True
        return ""

    def _listed_name(self) -> str:
        """The name of the game for `set_game`: the same for all sizes of the board."""
        if issubclass(self._game, Reversi):
            return Othello.__name__
        return Go.__name__ if issubclass(self._game, Go) else self._game.__name__

    def _set_game(self, words: list[str]) -> str:
        wanted = " ".join(words)
        names = self.name, self._listed_name(), type(self.state).__name__
        if wanted.casefold() not in map(str.casefold, names):
            raise GtpFailure(f"unsupported game {quoted(wanted)}: this is {self.name}")
        return ""

    # ---- the board ----

    def _boardsize(self, words: list[str]) -> str:
        size = _int(words, 0, "size", 0, 1000)
        state = self.state
        if isinstance(state, Go):
            if not notation.SMALLEST <= size <= notation.LARGEST:
                raise GtpFailure("unacceptable size")
            cls = Go if size <= Go.LARGEST else Go19
            komi = notation.komi_text(state.komi)
            self._states = [cls.parse(f"{size}x{size} komi {komi} rule {notation.KO_RULES[state.rule]}")]
            return ""
        if isinstance(state, Reversi):
            if size != state.size:
                self._set_othello_size(size)
            return ""
        picture = state.picture()
        if not (isinstance(picture, Grid) and picture.rows == size):
            try:
                self._states = [type(state).parse(f"{size}x{size}")]
            except ZermeloError:
                raise GtpFailure("unacceptable size") from None
        return ""

    def _set_othello_size(self, size: int) -> None:
        game = _OTHELLO_SIZES.get(size)
        if game is None:
            raise GtpFailure("unacceptable size")
        chosen = self._evaluation
        known = chosen is None or chosen == "nothing" or (isinstance(chosen, str) and chosen in game.evaluations)
        if not known and game is not self._game:
            raise GtpFailure("unacceptable size")
        if game is not type(self.state):
            self._level = None  # levels of another size are others
            if isinstance(self._searcher, Engine):
                self._searcher.selective = self._selective
        self._states = [game.parse(f"{size}x{size}")]

    def _clear_board(self, _: list[str]) -> str:
        state = self._states[0]
        if isinstance(state, Go):
            text = f"{state.size}x{state.size} komi {notation.komi_text(state.komi)}"
            self._states = [type(state).parse(f"{text} rule {notation.KO_RULES[state.rule]}")]
        else:
            self._states = [state]
        self._left = {}
        self._compile()
        return ""

    def _komi(self, words: list[str]) -> str:
        if len(words) != 1:
            raise GtpFailure("komi needs a number")
        komi = notation.parse_komi(words[0])
        self._states = [state.replace(komi=komi) for state in self._states]
        return ""

    def _side(self, words: list[str]) -> int:
        """The side of a color, in words as in `player_name`; black is MAX unless the game says otherwise."""
        color = {"b": "black", "w": "white"}.get(words[0].lower(), words[0].lower()) if words else ""
        names = {side: self.state.player_name(side).lower() for side in (MAX, MIN)}
        named = [side for side, name in names.items() if color in re.split(r"[^a-z]+", name)]
        if len(named) == 1 and color:
            return named[0]
        if color in ("black", "white") and not any("black" in name or "white" in name for name in names.values()):
            return MAX if color == "black" else MIN
        raise GtpFailure(f"invalid color {quoted(words[0])}" if words else "color expected")

    def _as_mover(self, side: int) -> State:
        """The position with a side to move; in Go a side may move twice, in others after a pass that is forced."""
        state = self.state
        if state.is_over() and isinstance(state, Go):
            state = state.replace(passes=0)  # play goes on after two passes, for example to capture dead stones
        if state.is_over():
            raise GtpFailure("the game is over")
        if state.to_move() == side:
            return state
        if not isinstance(state, Go):
            passed = _passed(state)
            if passed is not None and passed.to_move() == side:
                return passed
            raise GtpFailure(f"{state.player_name(state.to_move())} is to move")
        return state.replace(turn=side, ko=-1, last=-1)

    def _play(self, words: list[str]) -> str:
        if len(words) < 2:
            raise GtpFailure("play needs a color and a move")
        state = self._as_mover(self._side(words))
        try:
            move = state.parse_move(" ".join(words[1:]))
            check_allowed(state, move, PositionHistory(self._states))
        except ZermeloError:
            raise GtpFailure("illegal move") from None
        self._states.append(state.play(move))
        return ""

    def _undo(self, _: list[str]) -> str:
        if len(self._states) < 2:
            raise GtpFailure("cannot undo")
        self._states.pop()
        return ""

    def _loadsgf(self, words: list[str]) -> str:
        number = _int(words[-1:], 0, "move number", 1, 10**6) if len(words) > 1 and words[-1].isdigit() else None
        file = " ".join(words if number is None else words[:-1])
        if not file or self._read_game is None:
            raise GtpFailure("cannot load file")
        try:
            states = self._read_game(file)
        except ZermeloError as error:
            raise GtpFailure(f"cannot load file: {error}") from None
        self._states = [*states[:number]]
        self._left = {}
        return ""

    def _setup_board(self, words: list[str]) -> str:
        """Set up a position of Othello on the present size of board."""
        state = self.state
        assert isinstance(state, Reversi)
        if len(words) < 2:
            raise GtpFailure("squares and the color to move expected")
        found = type(state).parse(" ".join(words))
        if found.size != state.size:
            raise GtpFailure("unacceptable size")
        self._states = [found]
        self._left = {}
        return ""

    # ---- handicap ----

    def _handicap_number(self, words: list[str]) -> int:
        if len(self._states) > 1 or (isinstance(self.state, Go) and (self.state.black | self.state.white)):
            raise GtpFailure("board not empty")
        return _int(words, 0, "handicap", 2, _MOST_HANDICAP)

    def _fixed_handicap(self, words: list[str]) -> str:
        stones = self._handicap_number(words)
        state = self.state
        assert isinstance(state, Go)
        try:
            return self._place(notation.handicap_points(state.size, stones))
        except PositionError:
            raise GtpFailure("invalid number of stones") from None

    def _place_free_handicap(self, words: list[str]) -> str:
        state = self.state
        assert isinstance(state, Go)
        stones = self._handicap_number(words)
        while stones > 2:  # fewer stones may be placed than are asked for
            try:
                return self._place(notation.handicap_points(state.size, stones))
            except PositionError:
                stones -= 1
        return self._fixed_handicap(["2"])

    def _set_free_handicap(self, words: list[str]) -> str:
        self._handicap_number([str(min(len(words), _MOST_HANDICAP))])
        state = self.state
        assert isinstance(state, Go)
        points = [notation.parse_point(word, state.size) for word in words]
        found = [point for point in points if point is not None]
        if len(set(found)) < len(words):
            raise GtpFailure("bad vertex list")
        self._place(found)
        return ""

    def _place(self, points: list[notation.Point]) -> str:
        state = self.state
        assert isinstance(state, Go)
        black = state.black
        for column, row in points:
            black |= state.ONE << row * state.ROW + column
        self._states = [state.replace(black=black, turn=MIN)]
        return " ".join(notation.point_name(*point) for point in points)

    # ---- moves and time ----

    def _time_settings(self, words: list[str]) -> str:
        main, byo_yomi = (_int(words, index, "time", 0, 10**7) for index in (0, 1))
        stones = _int(words, 2, "stones", 0, 10**4)
        # By the specification, byo-yomi time without stones means no time limit.
        self._clock = None if byo_yomi and not stones else (main, byo_yomi, stones)
        self._left = {}
        self._compile()
        return ""

    def _compile(self) -> None:
        """Compile the search if it must be: on a new machine that takes longer than many a clock has for a game."""
        state = self.state
        if self._time_of(MAX) is None or state.is_over():
            return
        limits = Limits(seconds=0.01)
        if not self._searcher.is_ready(state, self._evaluation, limits):
            for _ in self._searcher.analysis(state, limits, evaluation=self._evaluation):
                pass

    def _time_left(self, words: list[str]) -> str:
        side = self._side(words)
        self._left[side] = _int(words, 1, "time", 0, 10**7), _int(words, 2, "stones", 0, 10**4)
        return ""

    def _set_level(self, words: list[str]) -> str:
        """Limit the searches by a level, as GNU Go's command does; a clock goes before it."""
        game = type(self.state) if isinstance(self._searcher, Engine) else None
        self._level = Strength(_int(words, 0, "level", 1, max_level(game)), game=game)
        set_confidence(self._searcher, self._level, self.state, self._evaluation)
        return ""

    def _limits_of_level(self) -> Limits:
        if self._level is None:
            return self._limits
        return self._level.limits(Limits(), isinstance(self._searcher, MonteCarlo), self.state)

    def limits_of(self, side: int) -> Limits:
        """Return the limits of a side's next move."""
        known = self._time_of(side)
        if known is None:
            return self._limits_of_level()
        left, stones = known
        if stones:
            return Limits(seconds=max(left / stones - _OVERHEAD, 0.01))
        budget = time_budget(left, overhead=_OVERHEAD)
        return Limits(seconds=min(2 * budget.soft, budget.hard))

    def _time_of(self, side: int) -> tuple[float, int] | None:
        """Return a side's time left in seconds and the number of moves it is for (0: all); None without a clock."""
        if side in self._left or self._clock is None:
            return self._left.get(side)
        main, byo_yomi, stones = self._clock
        if main:
            return main, 0
        return (byo_yomi, stones) if byo_yomi else None

    def _use_time(self, side: int, seconds: float) -> None:
        """Subtract the time of a move from a side's clock. `time_left` from the controller replaces the result."""
        known = self._time_of(side)
        if known is None:
            return
        left, stones = known[0] - seconds, known[1] - 1
        _, byo_yomi, of_period = self._clock or (0.0, 0.0, 0)
        if of_period and (left <= 0 or stones == 0):  # main time or a byo-yomi period is used up
            left, stones = byo_yomi, of_period
        self._left[side] = max(left, 0.0), max(stones, 0)

    def _genmove(self, words: list[str]) -> str:
        side = self._side(words)
        state = self._as_mover(side)
        began = time.monotonic()
        before = self._states[:-1]
        # Play may go on after two passes, which a list of unfinished states cannot say.
        history = PositionHistory(before) if any(each.is_over() for each in before) else before
        *_, found = self._searcher.analysis(state, self.limits_of(side), evaluation=self._evaluation, history=history)
        assert found.move is not None
        move = found.move
        self._states.append(state.play(move))
        self._use_time(side, time.monotonic() - began)
        return str(found.best)

    def _final_score(self, _: list[str]) -> str:
        state = self.state
        if isinstance(state, Go):
            return state.result_name()
        if not state.is_over():
            raise GtpFailure("cannot score: the game is not over")
        utility = state.utility()
        if not utility:
            return "0"
        names = {side: name for name in ("black", "white") for side in (self._side([name]),)}
        return f"{names[MAX if utility > 0 else MIN][0].upper()}+{abs(utility)}"


def _passed(state: State) -> State | None:
    """Return the position after a pass that is the only legal move.

    Controllers and engines of Othello made for Quarry do not send these passes.
    """
    legal = state.legal_moves()
    if len(legal) != 1 or state.move_name(legal[0]) != "pass":
        return None
    passed = state.play(legal[0])
    return None if passed.is_over() else passed


def _int(words: list[str], index: int, what: str, lowest: int, largest: int) -> int:
    """An argument of a command as an int; a fraction is cut off."""
    found = re.fullmatch(r"(\d{1,9})(\.\d*)?", words[index]) if index < len(words) else None
    if not found or not lowest <= int(found[1]) <= largest:
        raise GtpFailure(f"{what} expected, an integer from {lowest} to {largest}")
    return int(found[1])
