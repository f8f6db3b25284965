"""What a game is: a plain Python class, a value with methods. Everything else is derived from it.

    @game
    class Nim:
        '''One heap; take 1, 2 or 3; who takes the last wins.'''

        heap: int = 15
        turn: int = MAX

        def to_move(self):
            return self.turn

        def moves(self):
            for take in range(1, min(3, self.heap) + 1):
                yield take

        def play(self, take):
            return Nim(self.heap - take, -self.turn)

        def is_over(self):
            return self.heap == 0

        def utility(self):
            return -self.turn        # whoever is to move did not take the last

The same source runs interpreted (the textbook searches, traces, tests) and compiled (the engine), so the
rules keep to what both can do: numbers, `Bitboard`s, tuples of fixed length, loops, helper functions of the
same kind. Text (`parse`, `__str__`, `move_name`) is only ever interpreted and may use all of Python.

Nothing here assumes that players alternate: passes, repeated turns and chance all go through `to_move`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from zermelo.core.bitboard import FULL, Bitboard
from zermelo.core.value import Value, make_value
from zermelo.errors import GameError, IllegalMove, PositionError

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.core.picture import Picture

# Who is to move. MAX and MIN are the signs by which a utility for MAX becomes one for the mover.
MAX = 1
MIN = -1
CHANCE = 0

# A move is an int in 0 .. LARGEST_MOVE: 24 bits of a transposition table's entry hold it.
LARGEST_MOVE = (1 << 24) - 2
# A utility lies in -LARGEST_UTILITY .. LARGEST_UTILITY, so that a won game ranks above every evaluation
# and still fits an entry (see `zermelo.search.scores`).
LARGEST_UTILITY = 7000

# So many quiet plies are said where a game does not count them.
ANY_NUMBER = 1 << 30

REQUIRED = {
    "to_move": "to_move(self) must return MAX, MIN or CHANCE",
    "moves": "moves(self) must yield the legal moves, ints from 0 up, each once",
    "play": "play(self, move) must return the next state",
    "is_over": "is_over(self) must return whether the game has ended",
    "utility": "utility(self) must return the result of a finished game for MAX, an int",
}
_PARAMETERS = {
    "to_move": 0, "moves": 0, "play": 1, "is_over": 0, "utility": 0,
    "outcomes": 0, "is_tactical": 1, "move_score": 1, "symmetries": 0, "is_endgame": 0, "solve_endgame": 2, "key": 0,
    "move_name": 1,
    "in_check": 0, "count_moves": 0, "repetition_key": 0, "reversible_plies": 0, "information_state": 0, "picture": 0,
    "termination": 0, "may_end": 0,
}  # fmt: skip


# No move is written in more words (four checkers of backgammon).
_WORDS_OF_A_MOVE = 4


class State(Value):
    """A position of a game: base of the classes made by `game`. Immutable, compared and hashed by its fields.

    Required (see `REQUIRED`): `to_move`, `moves`, `play`, `is_over`, `utility`. The rest is optional; what
    stands below is the default. Facts are class attributes.
    """

    __slots__ = ()

    # ---- facts -------------------------------------------------------------------------------------
    #: The largest utility a game can end with, for either side. 1 means win, draw or loss, and then a
    #: nearer win ranks above a later one; above 1 the utility is graded and its size alone ranks.
    max_utility: ClassVar[int] = 1
    #: The game's evaluations by name, the usual one first. Without any, unfinished states are worth 0.
    evaluations: ClassVar[Mapping[str, Evaluation]] = {}
    #: Whether perft counts a game that ended before its depth as one line (published so for Othello) or not
    #: at all (for chess, connect four and most others).
    perft_counts_finished_games: ClassVar[bool] = False
    #: Whether perft goes on wherever `moves` yields a move, the game over or not: published counts of chess know no
    #: draws. Then `moves` (and `count_moves`) must yield nothing where a game ended otherwise.
    perft_ignores_game_over: ClassVar[bool] = False
    #: Whether both players always see the whole state. Games in which they do not declare `information`, and are for
    #: `zermelo.solve.equilibrium`; no search takes them.
    perfect_information: ClassVar[bool] = True
    #: From so many `reversible_plies` on either player may have the game called a draw, and the searches take it as one
    #: (100 in chess: fifty moves each); 0: never.
    draw_at_reversible_plies: ClassVar[int] = 0
    #: The game is a draw where a `position` comes up for this time (3 in chess and checkers); 0: as often as one likes.
    draw_at_repetition: ClassVar[int] = 0
    #: The game is over where a `position` comes up for this time, though nobody asks for it (5 in chess); 0: never.
    game_over_at_repetition: ClassVar[int] = 0
    #: No position comes back in fewer plies than these.
    shortest_cycle: ClassVar[int] = 1
    #: Whether `hint` costs little, playing no move, and is 0 where it says nothing: then it is asked for at any depth.
    cheap_move_scores: ClassVar[bool] = False
    #: Which optional hooks the class declares; set by `game`, read by the search.
    has_chance: ClassVar[bool] = False
    has_tactical_moves: ClassVar[bool] = False
    has_in_check: ClassVar[bool] = False
    has_move_score: ClassVar[bool] = False
    has_endgame_solver: ClassVar[bool] = False

    # ---- rules, optional: interpreted and compiled ----------------------------------------------------
    if TYPE_CHECKING:  # the five required methods, for type checkers; a class that lacks one is refused

        def to_move(self) -> int: ...
        def moves(self) -> Iterator[int]: ...
        def play(self, move: int) -> Self: ...
        def is_over(self) -> bool: ...
        def utility(self) -> int: ...
        def key(self) -> Bitboard: ...

    def outcomes(self) -> Iterator[tuple[int, int]]:
        """Where `to_move()` is CHANCE: the moves that chance makes, each with its weight (a positive int)."""
        for move in self.moves():
            yield move, 1

    def is_tactical(self, move: int) -> bool:
        """Whether the move may change the evaluation so much that a search should not stop right before it.

        Where a game declares it, the search follows noisy moves beyond its depth (quiescence).
        """
        return False

    def in_check(self) -> bool:
        """Whether the side to move is under a threat that no evaluation can weigh, like a check.

        In quiescence it may not stand by the evaluation then, and all its moves are followed.
        """
        return False

    def move_score(self, move: int) -> int:
        """How promising the move looks, an int of at most 31 bits, the most promising highest; orders, never prunes."""
        return 0

    def symmetries(self) -> Iterator[Self]:
        """States that differ from this one only by a symmetry of the board, and so have the same value."""
        nothing: tuple[Self, ...] = ()
        for state in nothing:
            yield state

    def count_moves(self) -> int:
        """How many moves `moves` yields. Declared where they can be counted faster than one by one (perft)."""
        count = 0
        for _ in self.moves():
            count += 1
        return count

    def repetition_key(self) -> Bitboard:
        """Key of what a repetition rule compares: everything that decides the rest of the game but `reversible_plies`.

        Where it leaves those out, `draw_at_reversible_plies` says from how many on they matter, and no evaluation may
        read them: states with equal positions share what a search has found. By default the key of the whole state.
        """
        return self.key()

    def reversible_plies(self) -> int:
        """How many of the last moves could be taken back by others: no position before them can come up again.

        By default as many as there have been. Counted for `draw_at_reversible_plies` and `draw_at_repetition`.
        """
        return ANY_NUMBER

    def may_end(self) -> bool:
        """Whether one of the moves may end the game, for all that can be seen without making them.

        False promises that none does; the search relies on it where an evaluation tells what moves gain.
        """
        return True

    def is_endgame(self) -> bool:
        """Whether `ending` may be asked for this state's exact value."""
        return False

    def solve_endgame(self, alpha: int, beta: int) -> tuple[int, int]:
        """The exact utility for MAX with best play, fail-soft within (alpha, beta), and the states visited.

        A shortcut through small endings, used by exact searches; it must agree with searching on.
        """
        return 0, 0

    # ---- text, optional: interpreted only ---------------------------------------------------------------
    @classmethod
    def start(cls) -> Self:
        """The initial position: all fields at their defaults, unless the game says otherwise."""
        return cls()

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state that a text stands for; the inverse of `str`. Raises `PositionError`.

        By default a list of the fields that differ from the start: `heap=7 turn=-1`.
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
        """A number of the generic text of a position, of a field of a kind."""
        low, high = -(1 << 63), (1 << 63) - 1
        if kind is not int:
            low, high = 0, FULL if kind is Bitboard else 1
        try:
            number = int(text[:80], 0)
        except ValueError:
            raise PositionError(f"{cls.__name__} position: {text[:80]!r} in {word[:80]!r} is no whole number") from None
        if not low <= number <= high:
            raise PositionError(f"{cls.__name__} position: {text[:80]} in {word[:80]!r} is not in {low} .. {high}")
        return bool(number) if kind is bool else number

    def __str__(self) -> str:
        def shown(value: Any) -> str:
            if isinstance(value, tuple):
                return ",".join(map(shown, value))
            return f"{int(value):#x}" if isinstance(value, Bitboard) else str(int(value))

        return " ".join(f"{field.name}={shown(value)}" for field, value in zip(self.fields, self, strict=True))

    def board(self) -> str:
        """The position drawn for a person, several lines of text; by default its one-line text."""
        return str(self)

    def picture(self) -> Picture | None:
        """The position as a picture, see `zermelo.core.picture`; by default none, and its text is drawn."""
        return None

    def information_state(self) -> str:
        """What the side to move knows, one line: the same in all states that it cannot tell apart, and only in those.

        By default the whole position. Declared where `perfect_information` is False. A player forgets nothing: what
        it knew and did before must follow from this.
        """
        return str(self)

    def player_name(self, player: int) -> str:
        """What the game calls MAX and MIN: 'black', 'crosses', ... by default 'MAX' and 'MIN'."""
        return {MAX: "MAX", MIN: "MIN", CHANCE: "chance"}[player]

    def termination(self) -> str:
        """What ended a finished game: 'checkmate', 'stalemate'; by default nothing, where the result says it all."""
        return ""

    def move_name(self, move: int) -> str:
        """The move in the game's notation; unique among the legal moves."""
        return str(move)

    def parse_move(self, text: str) -> int:
        """The legal move that a text names, in the game's notation. Raises `IllegalMove`, naming the legal ones."""
        names = {self.move_name(move): move for move in self.legal_moves()}
        wanted = text.strip()
        if wanted in names:
            return names[wanted]
        folded = [move for name, move in names.items() if name.casefold() == wanted.casefold()]
        if len(folded) == 1:
            return folded[0]
        told = repr(wanted if len(wanted) <= 40 else wanted[:37] + "...")
        if not names:
            raise IllegalMove(f"{told} cannot be played: the game is over")
        raise IllegalMove(f"{told} is not a legal move here; legal: {' '.join(names)}")

    def legal_moves(self) -> list[int]:
        """The moves that can be played: none in a finished game, chance's outcomes where chance moves.

        Raises `GameError` if the game's `moves` yields anything but ints in 0 .. `LARGEST_MOVE`.
        """
        if self.is_over():
            return []
        player = self.to_move()
        if player not in (MAX, MIN, CHANCE):
            raise GameError(f"{type(self).__name__}.to_move() returned {player!r}; it must be MAX, MIN or CHANCE")
        if player == CHANCE:
            return [move for move, _ in self.outcomes()]
        yielded = self.moves()
        if not hasattr(yielded, "__iter__"):
            raise GameError(f"{type(self).__name__}.moves() returned {yielded!r}; it must yield ints")
        moves = list(yielded)
        if not moves:
            raise GameError(
                f"{type(self).__name__}.moves() yields nothing in a game that is not over; "
                "a player who cannot move has a pass for a move, or the game is over"
            )
        for move in moves:
            if type(move) is not int or not 0 <= move <= LARGEST_MOVE:
                raise GameError(
                    f"{type(self).__name__}.moves() yielded {move!r} ({type(move).__name__}); "
                    f"a move must be an int in 0 .. {LARGEST_MOVE}"
                )
        return moves

    def after(self, moves: str) -> Self:
        """The state after a line of moves written in the game's notation, separated by blanks.

        Raises `IllegalMove` for the first one that cannot be played.
        """
        return self.through(moves)[-1]

    def through(self, moves: str) -> list[Self]:
        """The states that a line of moves leads through, this one first; the moves as in `after`.

        A move may have blanks in it, like backgammon's 8/5 6/5: the fewest words that are a move are one.
        Raises `IllegalMove` for the first one that cannot be played.
        """
        states = [self]
        words = moves.split()
        while words:
            state = states[-1]
            move, used = state._first_move(words)
            states.append(state.play(move))
            del words[:used]
        return states

    def _first_move(self, words: list[str]) -> tuple[int, int]:
        """The move that words begin with, and how many of them it takes."""
        refused: IllegalMove | None = None
        for used in range(1, min(len(words), _WORDS_OF_A_MOVE) + 1):
            try:
                return self.parse_move(" ".join(words[:used])), used
            except IllegalMove as error:
                refused = refused or error
        assert refused is not None
        raise refused


C = TypeVar("C", bound=type)


@dataclass_transform(frozen_default=True)
def game(cls: C) -> C:
    """Make a game out of a plain class: annotated names become the fields, the functions its rules.

    The class becomes a subclass of `State` (a class may also name `State` as its base, so that type checkers
    know the inherited methods). Raises `GameError`, naming the method or field and what was expected, when
    the class breaks the contract: a required method missing, wrong parameters, a field of a wrong type,
    a fact out of range.
    """
    made: Any = make_value(cls, State, (Bitboard, int, bool), GameError)
    for name, expected in REQUIRED.items():
        if not callable(getattr(made, name, None)):
            raise GameError(f"{cls.__name__} has no method {name}: {expected}")
    for name, parameters in _PARAMETERS.items():
        _check_parameters(cls.__name__, made, name, parameters)
    if not 1 <= made.max_utility <= LARGEST_UTILITY:
        raise GameError(f"{cls.__name__}.max_utility is {made.max_utility}; it must be in 1 .. {LARGEST_UTILITY}")
    if min(made.draw_at_reversible_plies, made.draw_at_repetition) < 0 or made.draw_at_repetition == 1:
        raise GameError(
            f"{cls.__name__}: draw_at_reversible_plies is {made.draw_at_reversible_plies} and draw_at_repetition is "
            f"{made.draw_at_repetition}; expected plies, and times from 2 on, or 0 for never"
        )
    if made.game_over_at_repetition and not 0 < made.draw_at_repetition <= made.game_over_at_repetition:
        raise GameError(
            f"{cls.__name__}: game_over_at_repetition is {made.game_over_at_repetition} and draw_at_repetition is "
            f"{made.draw_at_repetition}; expected a draw to be claimed no later than the game ends"
        )
    if made.shortest_cycle < 1:
        raise GameError(f"{cls.__name__}.shortest_cycle is {made.shortest_cycle}; expected at least 1 ply")
    if made.perfect_information != (made.information_state is State.information_state):
        raise GameError(
            f"{cls.__name__}: perfect_information = False and information(self), what the side to move knows, "
            "belong together; one is missing"
        )
    for fact, methods in _DECLARED_BY.items():
        setattr(made, fact, any(getattr(made, method) is not getattr(State, method) for method in methods))
    if (made.is_endgame is State.is_endgame) != (made.solve_endgame is State.solve_endgame):
        raise GameError(
            f"{cls.__name__}: is_endgame(self) and ending(self, alpha, beta) belong together; one is missing"
        )
    if "key" not in vars(made):
        made.key = _key_method(made)
    return cast(C, made)


_DECLARED_BY = {
    "has_chance": ("outcomes",),
    "has_tactical_moves": ("is_tactical",),
    "has_in_check": ("in_check",),
    "has_move_score": ("move_score",),
    "has_endgame_solver": ("is_endgame", "solve_endgame"),
}


def _check_parameters(owner: str, made: type[Value], name: str, parameters: int) -> None:
    function = getattr(made, name, None)
    if function is None or (name == "key" and not hasattr(function, "__code__")):
        return
    code = getattr(function, "__code__", None)
    if code is None:
        raise GameError(f"{owner}.{name} must be an ordinary method, not {function!r}")
    defaults = len(function.__defaults__ or ())
    if not code.co_argcount - defaults <= parameters + 1 <= code.co_argcount or code.co_kwonlyargcount:
        expected = REQUIRED.get(name, f"{name} takes self and {parameters} argument{'s' * (parameters != 1)}")
        raise GameError(f"{owner}.{name} takes {code.co_argcount} parameters, self included: {expected}")


# Odd multipliers with well spread bits: 2**64 / golden ratio, and two from the Murmur/splitmix family.
_SPREAD = Bitboard(0x9E3779B97F4A7C15)
_STIR = Bitboard(0xD6E8FEB86659FD93)


def hash_combine(key: Bitboard, word: int) -> Bitboard:
    """The key of a row of words, one more word added: multiply and fold, so that each bit spreads over 64."""
    mixed = (key ^ Bitboard(word)) * _STIR
    return mixed ^ (mixed >> 32)


def _key_method(made: type[Value]) -> Callable[[State], Bitboard]:
    """`key(self)`: a 64-bit key of all fields, equal for equal states and nearly always different for others."""
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
