"""The contract of a game: `State`, the base of all games, and the decorator `game`.

A game is a plain Python class, an immutable value with methods:

    @game
    class Nim:
        '''One heap; take 1, 2 or 3; the player who takes the last stone wins.'''

        heap: int = 15
        turn: int = MAX

        def to_move(self):
            return self.turn

        def moves(self):
            for take in range(1, min(3, self.heap) + 1):
                yield take

        def play(self, move):
            return Nim(self.heap - move, -self.turn)

        def is_over(self):
            return self.heap == 0

        def utility(self):
            return -self.turn        # the side to move did not take the last stone

The same source runs interpreted (textbook searches, traces, tests) and compiled (the engine). Compiled methods
therefore use only what both support: numbers, `Bitboard`s, tuples of fixed length, loops, and helper functions of the
same kind. Text methods (`parse`, `__str__`, `move_name`) are never compiled and may use all of Python.

Players need not alternate: passes, repeated turns and chance all go through `to_move`.

This module declares the methods and attributes; docs/contract.md explains them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from zermelo.core.bitboard import FULL, Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.hooks import Returns, check_declarations, fact, facts_of, hook, hooks_of, interpreted
from zermelo.core.value import Value, make_value
from zermelo.errors import GameError, IllegalMove, PositionError

if TYPE_CHECKING:
    from zermelo.core.picture import Picture

# The players. MAX and MIN are the signs that turn a utility for MAX into one for the side to move.
MAX = 1
MIN = -1
CHANCE = 0

# A move is an int in 0 .. LARGEST_MOVE, so that it fits the 24 bits that a transposition table entry has for it.
LARGEST_MOVE = (1 << 24) - 2
# A utility lies in -LARGEST_UTILITY .. LARGEST_UTILITY, so that a won game ranks above every evaluation
# and still fits a table entry (see `zermelo.search.scores`).
LARGEST_UTILITY = 7000
# A move-ordering score shares a 64-bit word with the other ordering criteria (see `zermelo.search.ordering`).
LARGEST_MOVE_SCORE = (1 << 31) - 1
# Returned by games that do not count reversible plies; larger than the length of any game.
UNLIMITED_PLIES = 1 << 30
# A generator of moves that yields more than this has no end.
MOST_MOVES = 1_000_000
# The longest move notation in words: four checkers of backgammon.
MOST_WORDS = 4


class State(Value):
    """A position of a game: base of all classes made by `game`.

    States are immutable and are compared and hashed by class and fields. A game defines the five required methods
    `to_move`, `moves`, `play`, `is_over` and `utility`; every other method and class attribute has the default shown
    here. Methods take plain ints for moves and players; scores and utilities are from MAX's side.
    """

    __slots__ = ()

    # ---- facts: class attributes ---------------------------------------------------------------------------

    max_utility: ClassVar[int] = fact(
        1,
        "Largest utility of a finished game, for either side. With 1, results are win, draw and loss, and a faster win "
        "ranks above a slower one. Above 1, results are graded (disc difference in Othello) and only their size ranks.",
        lowest=1,
        largest=LARGEST_UTILITY,
    )
    evaluations: ClassVar[Mapping[str, Evaluation]] = fact(
        {}, "The game's evaluations by name; the first one is the default. Without any, unfinished states score 0."
    )
    perfect_information: ClassVar[bool] = fact(
        True,
        "Whether both players always see the whole state. A game where they do not defines `information_state`, is "
        "solved by `zermelo.solve.equilibrium`, and is refused by the searches.",
    )
    draw_at_reversible_plies: ClassVar[int] = fact(
        0,
        "Number of `reversible_plies` from which either player can claim a draw, and from which searches score one: "
        "100 in chess (50 moves each). 0: never.",
        lowest=0,
        formerly="drawn_when_quiet",
    )
    draw_at_repetition: ClassVar[int] = fact(
        0,
        "Number of occurrences of a position at which a player can claim a draw: 3 in chess and checkers. 0: never.",
        lowest=0,
        formerly="drawn_when_repeated",
    )
    game_over_at_repetition: ClassVar[int] = fact(
        0,
        "Number of occurrences of a position at which the game ends in a draw without a claim: 5 in chess. Referees "
        "apply it; searches have scored a draw earlier. 0: never.",
        lowest=0,
        formerly="over_when_repeated",
    )
    shortest_cycle: ClassVar[int] = fact(
        1,
        "Fewest plies after which a position can occur again: 4 in chess, where both sides move away and back.",
        lowest=1,
    )
    cheap_move_scores: ClassVar[bool] = fact(
        False,
        "Whether `move_score` is cheap (plays no move) and returns 0 where it has no opinion. It is then called at "
        "every depth.",
        formerly="hints_are_cheap",
    )
    perft_counts_finished_games: ClassVar[bool] = fact(
        False,
        "Whether perft counts a game that ends before the depth as one leaf (the convention of published Othello "
        "counts) or not at all (chess, connect four and most others).",
    )
    perft_ignores_game_over: ClassVar[bool] = fact(
        False,
        "Whether perft continues wherever `moves` yields a move, even in finished games: published chess counts ignore "
        "draws. `moves` and `count_moves` must then yield nothing in games that ended otherwise.",
    )

    # Set by `game` from the methods that a class defines; constants of the compiled search.
    has_chance: ClassVar[bool] = False
    has_tactical_moves: ClassVar[bool] = False
    has_in_check: ClassVar[bool] = False
    has_move_score: ClassVar[bool] = False
    has_endgame_solver: ClassVar[bool] = False

    # ---- required methods, compiled ------------------------------------------------------------------------

    @hook(Returns.PLAYER, required=True, compiled="rules", checked="any")
    def to_move(self) -> int:
        """The side to move: MAX (1), MIN (-1) or CHANCE (0).

        Called in unfinished states; in finished ones any of the three is accepted.
        """
        raise NotImplementedError

    @hook(Returns.MOVES, required=True, compiled="rules")
    def moves(self) -> Iterator[int]:
        """Yield the legal moves: distinct ints in 0 .. 16,777,214.

        Called in unfinished states where MAX or MIN moves, and must yield at least one move there: a player who has
        to pass has a pass move. The order is that of the textbook searches and of move lists, and must depend on the
        fields alone.
        """
        raise NotImplementedError

    @hook(Returns.STATE, required=True, compiled="rules")
    def play(self, move: int) -> Self:
        """The state after a move.

        Called with moves that `moves` or `outcomes` yields only. The state itself does not change.
        """
        raise NotImplementedError

    @hook(Returns.BOOL, required=True, compiled="rules", checked="any")
    def is_over(self) -> bool:
        """Whether the game has ended (the terminal test).

        Called in any state, before the other methods.
        """
        raise NotImplementedError

    @hook(Returns.INT, required=True, compiled="search", checked="finished", largest="max_utility")
    def utility(self) -> int:
        """The result of a finished game for MAX, an int in -max_utility .. max_utility.

        MIN gets the negative. Called in finished states only.
        """
        raise NotImplementedError

    # ---- optional rules, compiled --------------------------------------------------------------------------

    @hook(
        Returns.OUTCOMES, compiled="rules", fact="has_chance", default="every move of `moves` with weight 1",
    )  # fmt: skip
    def outcomes(self) -> Iterator[tuple[int, int]]:
        """Yield the outcomes of a chance event as pairs (move, weight), where `to_move` is CHANCE.

        Weights are positive ints; the value of the state is the mean of its outcomes' values by weight.
        """
        for move in self.moves():
            yield move, 1

    @hook(
        Returns.INT, compiled="search", checked="move", largest=LARGEST_MOVE_SCORE, fact="has_move_score",
        default="0", formerly="hint",
    )  # fmt: skip
    def move_score(self, move: int) -> int:
        """Move-ordering score: an int of at most 31 bits, highest for the most promising move.

        It orders moves and never changes a result. Called for the moves of states at least two plies above the
        horizon; at every depth with `cheap_move_scores`.
        """
        return 0

    @hook(
        Returns.BOOL, compiled="search", checked="move", fact="has_tactical_moves", default="False", formerly="noisy",
    )  # fmt: skip
    def is_tactical(self, move: int) -> bool:
        """Whether a move (a capture, promotion or check) makes the static evaluation right before it unreliable.

        Where a game defines it, quiescence search follows tactical moves beyond the depth limit. The side to move may
        also stop there and take the evaluation (stand pat).
        """
        return False

    @hook(
        Returns.BOOL, compiled="search", checked="decision", fact="has_in_check", default="False",
        formerly="must_answer",
    )  # fmt: skip
    def in_check(self) -> bool:
        """Whether the side to move is under a threat that no static evaluation can judge, such as check in chess.

        Quiescence search then searches all moves and does not stand pat.
        """
        return False

    @hook(Returns.BOOL, compiled="search", checked="decision", default="True")
    def may_end(self) -> bool:
        """Whether any move may end the game. False promises that none does.

        Called one ply above the horizon if the evaluation defines `Evaluation.gain`, which then replaces playing the
        moves.
        """
        return True

    @hook(Returns.KEY, compiled="search", checked="any", default="hash of all fields")
    def key(self) -> Bitboard:
        """64-bit key for the transposition table: equal for equal states, practically always different for others.

        The default takes a few multiplications for each field. Define your own only if a measurement shows a gain.
        """
        raise NotImplementedError  # `game` generates it from the fields

    @hook(Returns.KEY, compiled="search", checked="any", default="key()", formerly="position")
    def repetition_key(self) -> Bitboard:
        """Key of the position as the repetition rule compares it: all that matters for the game's future.

        It may leave out `reversible_plies`. Then `draw_at_reversible_plies` states from which number on they matter,
        and no evaluation may depend on them: states with equal keys share search results.
        """
        return self.key()

    @hook(
        Returns.INT, compiled="search", checked="any", lowest=0, default="unlimited", formerly="quiet_plies",
    )  # fmt: skip
    def reversible_plies(self) -> int:
        """Number of plies since the last irreversible move (in chess: the halfmove clock).

        0 after an irreversible move such as a capture; no position before it can occur again. The default, unlimited,
        takes every move as reversible.
        """
        return UNLIMITED_PLIES

    @hook(Returns.INT, compiled="perft", checked="decision", default="counts what `moves` yields")
    def count_moves(self) -> int:
        """Number of legal moves. Define it where they can be counted faster than one by one; perft uses it."""
        count = 0
        for _ in self.moves():
            count += 1
        return count

    @hook(Returns.STATES, compiled="called", default="none")
    def symmetries(self) -> Iterator[Self]:
        """Yield the states that differ from this one only by a symmetry of the board, and so have the same value."""
        nothing: tuple[Self, ...] = ()
        for state in nothing:
            yield state

    @hook(
        Returns.BOOL, compiled="search", checked="unfinished", partner="solve_endgame", default="False",
        formerly="is_small",
    )  # fmt: skip
    def is_endgame(self) -> bool:
        """Whether `solve_endgame` can solve this state. Called by exact searches."""
        return False

    @hook(
        Returns.PAIR, compiled="search", partner="is_endgame", fact="has_endgame_solver", default="-",
        formerly="ending",
    )  # fmt: skip
    def solve_endgame(self, alpha: int, beta: int) -> tuple[int, int]:
        """Solve an endgame: the exact utility for MAX, fail-soft within (alpha, beta), and the states visited.

        Called by exact searches where `is_endgame` is true. The value must be the one that a search to the end finds.
        """
        return 0, 0

    # ---- text and pictures, interpreted only ---------------------------------------------------------------

    @classmethod
    @hook(Returns.OTHER, class_method=True, default="all fields at their defaults")
    def start(cls) -> Self:
        """The initial position.

        Raises
        ------
        GameError
            If a field has no default and the class does not define this method.
        """
        required = [field.name for field in cls.fields if field.name not in cls.field_defaults]
        if required:
            raise GameError(
                f"{cls.__name__} has no initial position: {', '.join(required)} "
                f"{'has' if len(required) == 1 else 'have'} no default; add defaults, or define @classmethod start(cls)"
            )
        return cls()

    @classmethod
    @hook(Returns.OTHER, class_method=True, default="the fields that differ from the start, as in `heap=7 turn=-1`")
    def parse(cls, text: str) -> Self:
        """Read a position from text: the inverse of `__str__`.

        Raises
        ------
        PositionError
            One line that names the wrong part of the text and what was expected there.
        """
        given: dict[str, Any] = {}
        fields = {field.name: field for field in cls.fields}
        for word in text.split():
            name, equals, numbers = word.partition("=")
            if not equals or name not in fields or name in given:
                raise PositionError(
                    f"{cls.__name__} position: {word[:80]!r} is not FIELD=NUMBER, each field once; "
                    f"the fields are {', '.join(fields)}"
                )
            field = fields[name]
            items = [cls._parse_number(number, word, field.kind) for number in numbers.split(",")]
            if len(items) != (field.length or 1):
                raise PositionError(
                    f"{cls.__name__} position: {word[:80]!r} has {len(items)} numbers; {name} is {field.described}"
                )
            given[name] = tuple(items) if field.length else items[0]
        start = cls.start()
        return cls(**{name: given.get(name, getattr(start, name)) for name in fields})

    @classmethod
    def _parse_number(cls, text: str, word: str, kind: type) -> int:
        """Parse one number of `parse` for a field of the given kind."""
        low, high = -(1 << 63), (1 << 63) - 1
        if kind is not int:
            low, high = 0, FULL if kind is Bitboard else 1
        try:
            number = int(text[:80], 0)
        except ValueError:
            raise PositionError(f"{cls.__name__} position: {text[:80]!r} in {word[:80]!r} is not an int") from None
        if not low <= number <= high:
            raise PositionError(f"{cls.__name__} position: {text[:80]} in {word[:80]!r} is not in {low} .. {high}")
        return bool(number) if kind is bool else number

    @hook(Returns.LINE, default="all fields, as in `heap=7 turn=-1`")
    def __str__(self) -> str:
        """The position as one line of text, which `parse` reads back."""

        def text(value: Any) -> str:
            if isinstance(value, tuple):
                return ",".join(map(text, value))
            return f"{int(value):#x}" if isinstance(value, Bitboard) else str(int(value))

        return " ".join(f"{field.name}={text(value)}" for field, value in zip(self.fields, self, strict=True))

    @hook(Returns.LINES, checked="any", default="str(self)")
    def board(self) -> str:
        """The position drawn in text, several lines."""
        return str(self)

    @hook(Returns.OTHER, default="None; `board` is drawn as text")
    def picture(self) -> Picture | None:
        """The position as a `zermelo.core.picture.Grid` or `Points`, for `zermelo show` and `zermelo.drawing`."""
        return None

    @hook(Returns.LINE, checked="decision", default="str(self)", formerly="information")
    def information_state(self) -> str:
        """What the side to move knows, as one line: equal in exactly the states that it cannot tell apart.

        Required where `perfect_information` is False. The text must determine everything that the side knew and did
        before (perfect recall).
        """
        return str(self)

    @hook(Returns.LINE, default="`MAX`, `MIN`, `chance`")
    def player_name(self, player: int) -> str:
        """The name of a player, such as 'black' or 'crosses'."""
        return {MAX: "MAX", MIN: "MIN", CHANCE: "chance"}[player]

    @hook(Returns.TEXT, checked="finished", default="empty", formerly="ending_name")
    def termination(self) -> str:
        """How a finished game ended, as a noun: 'checkmate', 'stalemate'. Empty where the result says it all."""
        return ""

    @hook(Returns.WORD, default="the number")
    def move_name(self, move: int) -> str:
        """The move in the game's notation, unique among the legal moves of the state."""
        return str(move)

    @hook(Returns.OTHER, default="the legal move of that name, ignoring case")
    def parse_move(self, text: str) -> int:
        """Read a legal move in the game's notation.

        Raises
        ------
        IllegalMove
            One line that lists the legal moves.
        """
        names = {self.move_name(move): move for move in self.legal_moves()}
        name = text.strip()
        if name in names:
            return names[name]
        folded = [move for known, move in names.items() if known.casefold() == name.casefold()]
        if len(folded) == 1:
            return folded[0]
        quoted = repr(name if len(name) <= 40 else name[:37] + "...")
        if not names:
            raise IllegalMove(f"{quoted} cannot be played: the game is over")
        raise IllegalMove(f"{quoted} is not a legal move here; legal: {' '.join(names)}")

    # ---- derived from the methods above --------------------------------------------------------------------

    @interpreted
    def legal_moves(self) -> list[int]:
        """List the moves that can be played: none in a finished game, the outcomes of chance where chance moves.

        Raises
        ------
        GameError
            If `moves` yields nothing, no end of moves, or anything but ints in 0 .. `LARGEST_MOVE`.
        """
        if self.is_over():
            return []
        player = self.to_move()
        name = type(self).__name__
        if player not in (MAX, MIN, CHANCE):
            raise GameError(f"{name}.to_move() returned {player!r}; it must be MAX, MIN or CHANCE")
        if player == CHANCE:
            return [move for move, _ in self.outcomes()]
        yielded = self.moves()
        if not hasattr(yielded, "__iter__"):
            raise GameError(f"{name}.moves() returned {yielded!r}; it must yield ints")
        moves = list(islice(yielded, MOST_MOVES + 1))
        if len(moves) > MOST_MOVES:
            raise GameError(f"{name}.moves() yielded more than {MOST_MOVES:,} moves; check that its loop ends")
        if not moves:
            raise GameError(
                f"{name}.moves() yields nothing in a game that is not over; "
                "add a pass move for a player who cannot move, or end the game there"
            )
        for move in moves:
            if type(move) is not int or not 0 <= move <= LARGEST_MOVE:
                raise GameError(
                    f"{name}.moves() yielded {move!r} ({type(move).__name__}); "
                    f"a move must be an int in 0 .. {LARGEST_MOVE}"
                )
        return moves

    @interpreted
    def after(self, moves: str) -> Self:
        """The state after a line of moves in the game's notation, separated by blanks.

        Raises
        ------
        IllegalMove
            For the first move that cannot be played.
        """
        return self.through(moves)[-1]

    @interpreted
    def through(self, moves: str) -> list[Self]:
        """All states of a line of moves, this one first; see `after`.

        A move may contain blanks (backgammon's 8/5 6/5): the fewest words that form a legal move are taken as one.
        """
        states = [self]
        words = moves.split()
        while words:
            state = states[-1]
            move, used = state._first_move(words)
            states.append(state.play(move))
            del words[:used]
        return states

    @interpreted
    def _first_move(self, words: list[str]) -> tuple[int, int]:
        """The move at the beginning of a list of words, and the number of words that it takes."""
        refused: IllegalMove | None = None
        for used in range(1, min(len(words), MOST_WORDS) + 1):
            try:
                return self.parse_move(" ".join(words[:used])), used
            except IllegalMove as error:
                refused = refused or error
        assert refused is not None
        raise refused


#: The contract's methods and class attributes, by name.
HOOKS = hooks_of(State)
FACTS = facts_of(State)

C = TypeVar("C", bound=type)


@dataclass_transform(frozen_default=True)
def game(cls: C) -> C:
    """Make a game of a plain class: its annotated names become the fields, its methods the rules.

    The class becomes a subclass of `State`. It may also name `State` as its base, so that type checkers know the
    inherited methods.

    Raises
    ------
    GameError
        If the class breaks the contract: a required method is missing, a method has wrong parameters, a field has a
        wrong type or a name of the contract, or a fact is out of range. Names the method, field or fact, and what was
        expected.

    See Also
    --------
    zermelo.testing.check_game : Checks how a game behaves.
    """
    made: Any = make_value(cls, State, (Bitboard, int, bool), GameError)
    check_declarations(made, State)
    name = cls.__name__
    if made.draw_at_repetition == 1:
        raise GameError(f"{name}.draw_at_repetition is 1; it must be at least 2, or 0 for never")
    if made.game_over_at_repetition and not 0 < made.draw_at_repetition <= made.game_over_at_repetition:
        raise GameError(
            f"{name}: draw_at_repetition ({made.draw_at_repetition}) must be in 1 .. game_over_at_repetition "
            f"({made.game_over_at_repetition}): a draw can be claimed no later than the game ends"
        )
    if made.perfect_information != (made.information_state is State.information_state):
        raise GameError(
            f"{name}: perfect_information = False and information_state(self) must be declared together; "
            "one of them is missing"
        )
    _check_evaluations(made)
    if not made.fields:
        raise GameError(f"{name} has no fields; annotate what a position consists of, such as turn: int = MAX")
    if "key" not in vars(made):
        made.key = _key_method(made)
    return cast(C, made)


def _check_evaluations(made: type[State]) -> None:
    name, evaluations = made.__name__, cast(Any, made.evaluations)
    if not isinstance(evaluations, Mapping):
        raise GameError(f"{name}.evaluations must be a dict of evaluations by name, such as {{'material': Material()}}")
    for key, value in evaluations.items():
        if isinstance(value, type) and issubclass(value, Evaluation):
            raise GameError(f"{name}.evaluations[{key!r}] is a class; write {value.__name__}()")
        if not isinstance(value, Evaluation):
            raise GameError(f"{name}.evaluations[{key!r}] is {value!r}; it must be a value of a class with @evaluation")


# Odd multipliers with well spread bits: 2**64 / golden ratio, and one of the MurmurHash and SplitMix family.
_SPREAD = Bitboard(0x9E3779B97F4A7C15)
_STIR = Bitboard(0xD6E8FEB86659FD93)


def hash_combine(key: Bitboard, word: int) -> Bitboard:
    """Add a word to a 64-bit hash: multiply and fold, so that each bit of the word affects all 64 bits."""
    mixed = (key ^ Bitboard(word)) * _STIR
    return mixed ^ (mixed >> 32)


def _key_method(made: type[Value]) -> Callable[[State], Bitboard]:
    """Generate `key(self)`: a 64-bit hash of all fields."""
    lines = ["def key(self):", "    mixed = _SPREAD"]
    for field in made.fields:
        if field.length:
            lines += [f"    for item in self.{field.name}:", "        mixed = hash_combine(mixed, item)"]
        else:
            word = f"int(self.{field.name})" if field.kind is bool else f"self.{field.name}"
            lines += [f"    mixed = hash_combine(mixed, {word})"]
    lines += ["    mixed = mixed * _SPREAD", "    return mixed ^ (mixed >> 29)"]
    scope: dict[str, Any] = {"hash_combine": hash_combine, "_SPREAD": _SPREAD, "__name__": __name__}
    exec("\n".join(lines), scope)
    method: Callable[[State], Bitboard] = scope["key"]
    method.__qualname__ = f"{made.__name__}.key"
    return method
