"""`check_game`: random games, in which every method of a game is checked against the contract.

What a method returns is checked by its declaration (`zermelo.core.hooks`): its type, its range, and that compiled code
returns the same. The methods of `_Checker` add what relates methods to each other: equal states have equal keys, texts
are read back, symmetric states have the same result, gains are differences of scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from operator import index
from random import Random
from typing import Any, NamedTuple, NoReturn

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, HOOKS, LARGEST_MOVE, MOST_MOVES, State
from zermelo.core.picture import Picture
from zermelo.errors import GameError, IllegalMove, PositionError, ZermeloError
from zermelo.testing.compiled_rules import CompiledRules, Readings, minimax
from zermelo.testing.random_games import draw_move, start_of

# One game in this many is checked thoroughly: all legal moves are played, named and scored, every symmetry and the
# board are looked at, texts are damaged. In the others only the move that is played is checked.
THOROUGH = 10
# Positions remembered, to skip those already checked and to find two with the same key.
REMEMBERED = 100_000
# An endgame with more states below it than this is not compared with minimax (compiled, interpreted).
ENDGAME_STATES, ENDGAME_STATES_INTERPRETED = 100_000, 100
# Characters inserted into texts, beside those of the text itself.
DAMAGE = " /-+=,.0123456789aZxXoO#\u00e9\u00b2\n\0"
# Without a limit of the caller's, a game is cut off here; a game whose first games all reach it has no end.
MAX_PLIES = 1_000
ENDLESS_GAMES = 3


class Report(NamedTuple):
    """What `check_game` checked."""

    game: str
    #: Number of games played.
    games: int
    #: Positions passed through, final ones included.
    positions: int
    #: Moves in the longest game.
    longest: int
    #: Average number of legal moves in an unfinished position.
    branching: float
    #: Number of games cut off at the limit of plies.
    unfinished: int
    #: Whether compiled code was compared.
    compiled: bool

    def __str__(self) -> str:
        lines = [
            f"{self.game}: {self.games:,} games, {self.positions:,} positions, "
            f"{self.branching:.1f} moves per position, longest game {self.longest} moves",
        ]
        if self.unfinished:
            lines.append(f"{self.unfinished} games cut off unfinished")
        lines.append("compiled = interpreted" if self.compiled else "interpreted only")
        return "; ".join(lines)


def check_game(
    game: type[State] | State,
    games: int = 100,
    seed: int = 0,
    *,
    evaluations: Iterable[Evaluation] = (),
    compiled: bool = True,
    max_plies: int | None = None,
) -> Report:
    """Play random games and check every method against the contract of `zermelo.core.game`.

    Parameters
    ----------
    game
        A game, or the position to start from.
    games
        Number of games.
    seed
        Of the random moves.
    evaluations
        Evaluations to check beside the game's own.
    compiled
        Whether to compile the game and compare compiled with interpreted results. The first time takes a few seconds.
    max_plies
        Where an unfinished game is cut off; the report counts such games. By default 1,000 plies, and a game that
        never ends within them is an error.

    Returns
    -------
    Report
        Number of games and positions.

    Raises
    ------
    GameError
        For the first violation: names the method, what it returned, what was expected, and the position.
    """
    start = start_of(game)
    known = {**start.evaluations, **{type(item).__name__: item for item in evaluations}}
    checker = _Checker(start, known, compiled, Random(seed))
    random = Random(seed)
    limit = MAX_PLIES if max_plies is None else max_plies
    positions = choices = deciding = most = unfinished = 0
    for number in range(games):
        state = start
        thorough = number % THOROUGH == 0
        checker.begin_game()
        for ply in range(limit + 1):
            moves = checker.check(state, thorough)
            positions += 1
            most = max(most, ply)
            if not moves:
                break
            choices += len(moves)
            deciding += 1
            if ply == limit:
                unfinished += 1
            else:
                state = checker.play(state, draw_move(state, moves, random))
        if max_plies is None and unfinished == number + 1 == ENDLESS_GAMES:
            checker.refuse(
                state, "is_over", f"was never true: {unfinished} random games did not end within {limit:,} plies; "
                "end the game, or pass max_plies if its games are longer"
            )  # fmt: skip
    branching = choices / deciding if deciding else 0.0
    return Report(type(start).__name__, games, positions, most, branching, unfinished, compiled)


class _Checker:
    """Checks the positions of a game, one after the other."""

    def __init__(self, start: State, evaluations: dict[str, Evaluation], compiled: bool, random: Random) -> None:
        self.cls = type(start)
        self.evaluations = evaluations
        self.random = random  # for damaged texts only, so that the moves drawn do not depend on them
        self.compiled = CompiledRules(start, evaluations) if compiled else None
        self.remembered: dict[int, State] = {}
        self.begin_game()

    # ---- one game ----

    def begin_game(self) -> None:
        """Forget the positions of the previous game."""
        self.last_seen: dict[int, int] = {}  # by repetition key: the ply at which the position last occurred
        self.ply = 0

    def _check_repetition(self, state: State, values: dict[str, Any]) -> None:
        """No position occurs again sooner than `shortest_cycle`, or from before the last irreversible move."""
        key, reversible = int(values["repetition_key"]), values["reversible_plies"]
        ago = self.ply - self.last_seen.get(key, self.ply)
        if self.cls.draw_at_repetition and 0 < ago < self.cls.shortest_cycle:
            self.refuse(
                state, "repetition_key", f"occurs again after {ago} plies; expected at least shortest_cycle = "
                f"{self.cls.shortest_cycle}"
            )  # fmt: skip
        if ago > reversible:
            self.refuse(
                state, "reversible_plies",
                f"returned {reversible}, but the position occurred {ago} plies ago; expected at least {ago}"
            )  # fmt: skip
        self.last_seen[key] = self.ply
        self.ply += 1

    # ---- one position ----

    def check(self, state: State, thorough: bool) -> list[int]:
        """Check a position. Returns its legal moves."""
        values = self._call_hooks(state, "any")
        key = self._check_identity(state, values["key"])
        known = self.remembered.get(key)
        if known is not None and known != state:
            self.refuse(state, "key", f"is {key:#x} here and in {known}; expected different keys for different states")
        side, over = values["to_move"], values["is_over"]
        if side == CHANCE and not self.cls.has_chance:
            self.refuse(
                state, "to_move", "returned CHANCE, but the class does not define outcomes(self); expected it to yield "
                "the outcomes with their weights"
            )  # fmt: skip
        if over:
            values |= self._call_hooks(state, "finished")
            moves = []
        else:
            moves = self._check_moves(state, side)
            values |= self._call_hooks(state, "unfinished")
            if side != CHANCE:
                values |= self._call_hooks(state, "decision")
                if values["count_moves"] != len(moves):
                    self.refuse(
                        state, "count_moves", f"returned {values['count_moves']}; expected {len(moves)}, as many as "
                        "moves() yields"
                    )  # fmt: skip
        self._check_repetition(state, values)
        if known is not None and not thorough:
            return moves
        if len(self.remembered) < REMEMBERED:
            self.remembered[key] = state
        if not over:
            self._check_evaluations(state)
        decides = not over and side != CHANCE
        move_values = {move: self._call_move_hooks(state, move) for move in moves} if thorough and decides else {}
        if self.compiled:
            self._compare(state, self.compiled.read(state), values, moves, move_values)
        names = self._check_names(state, moves)
        text = self._check_text(state, side)
        if thorough:
            for checked in ("any", *(("finished",) if over else ("unfinished", "decision")[: 1 + decides])):
                self._call_hooks(state, checked, compiled=False)
            self._check_legal(state, moves, names)
            self._check_damaged(state, text, names)
            self._check_symmetries(state, side, over, moves)
            self._check_endgame(state, over)
            children = [(move, self.play(state, move, twice=True)) for move in moves]
            if decides:
                self._check_gains(state, side, children)
        return moves

    def _call_hooks(self, state: State, checked: str, *, compiled: bool = True) -> dict[str, Any]:
        """Call the methods that are checked in states of this kind, the compiled or the interpreted ones."""
        found = {}
        for name, hook in HOOKS.items():
            if hook.checked == checked and bool(hook.compiled) == compiled:
                value = self.call(state, name)
                if not hook.accepts(value, self.cls):
                    self._refuse_value(state, name, "", value)
                found[name] = value
        return found

    def _call_move_hooks(self, state: State, move: int) -> dict[str, Any]:
        found = {}
        for name, hook in HOOKS.items():
            if hook.checked == "move":
                value = self.call(state, name, move)
                if not hook.accepts(value, self.cls):
                    self._refuse_value(state, name, f"({move})", value)
                found[name] = value
        return found

    def play(self, state: State, move: int, twice: bool = False) -> State:
        """The state after a move; compared with compiled code's, and on request with that of a second call."""
        before = tuple(state)
        child = self.call(state, "play", move)
        if type(child) is not self.cls:
            self.refuse(state, "play", f"({move}) returned {child!r}; expected a {self.cls.__name__}")
        if twice:
            again = self.call(state, "play", move)
            if again != child:
                self.refuse(state, "play", f"({move}) returned {child!r}, then {again!r}; expected the same each time")
        if tuple(state) != before:
            self.refuse(state, "play", f"({move}) changed the state that it was called on; expected a new state")
        if self.compiled:
            native = self.compiled.play(state, move)
            if native != child:
                self.differs(state, "play", f"({move})", native, child)
        return child

    def _check_identity(self, state: State, key: Bitboard) -> int:
        same = self.cls(*state)
        if same != state or hash(same) != hash(state):
            self.refuse(state, "__eq__", "says that a state differs from one with the same fields; do not redefine it")
        if self.call(same, "key") != key:
            self.refuse(state, "key", "differs for two equal states; expected it to depend on the fields alone")
        return int(key)

    def _check_moves(self, state: State, side: int) -> list[int]:
        source = "outcomes" if side == CHANCE else "moves"
        moves = self.each(state, source)
        if side == CHANCE:
            for outcome in moves:
                if not (type(outcome) is tuple and len(outcome) == 2 and all(type(item) is int for item in outcome)):
                    self.refuse(state, source, f"yielded {outcome!r}; expected a move and its weight, two ints")
                if outcome[1] <= 0:
                    self.refuse(state, source, f"yielded weight {outcome[1]} for {outcome[0]}; expected it positive")
            moves = [move for move, _ in moves]
        if not moves:
            self.refuse(
                state, source, "yielded nothing though is_over() is False; expected at least one move, such as a pass"
            )
        for move in moves:
            if type(move) is not int or not 0 <= move <= LARGEST_MOVE:
                self.refuse(state, source, f"yielded {move!r}; expected an int in 0 .. {LARGEST_MOVE}")
        if len(set(moves)) < len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            self.refuse(state, source, f"yielded {twice} more than once; expected each move once")
        return moves

    # ---- evaluations ----

    def _check_evaluations(self, state: State) -> None:
        for name, evaluation in self.evaluations.items():
            try:
                score = index(evaluation.score(state))
            except Exception as error:
                self.refuse(state, f"evaluation {name}", f"raised {_one_line(error)}; expected an int")
            largest = evaluation.largest_score
            if abs(score) >= largest:
                self.refuse(
                    state, f"evaluation {name}", f"scored {score}; expected a score strictly between -{largest} and "
                    f"{largest}"
                )  # fmt: skip
            if self.compiled:
                native = self.compiled.score(name, state)
                if native != score:
                    self.differs(state, f"evaluation {name}", "", native, score)
            if type(evaluation).terms is not Evaluation.terms:
                self._check_terms(state, name, evaluation, score)

    def _check_gains(self, state: State, side: int, children: list[tuple[int, State]]) -> None:
        may_end = state.may_end()
        for move, child in children:
            if child.is_over():
                if not may_end:
                    self.refuse(state, "may_end", f"returned False, but the game is over after {move}; expected True")
                continue
            for name, evaluation in self.evaluations.items():
                if not evaluation.has_gain:
                    continue
                difference = side * (evaluation.score(child) - evaluation.score(state))
                try:
                    gain = index(evaluation.gain(state, move))
                except Exception as error:
                    self.refuse(
                        state, f"evaluation {name}", f"raised {_one_line(error)} in gain({move}); expected an int"
                    )
                if gain != difference:
                    self.refuse(
                        state, f"evaluation {name}", f"returned {gain!r} for gain({move}); expected {difference}, the "
                        "difference of its scores"
                    )  # fmt: skip

    def _check_terms(self, state: State, name: str, evaluation: Evaluation, score: int) -> None:
        try:
            terms = evaluation.terms(state)
            points = sum(term.points for term in terms)
            if len({term.name for term in terms}) < len(terms):
                self.refuse(state, f"evaluation {name}", "lists two terms of one name; expected unique names")
        except GameError:
            raise
        except Exception as error:
            self.refuse(state, f"evaluation {name}", f"raised {_one_line(error)} in terms; expected a list of Term")
        if points != score:
            self.refuse(
                state, f"evaluation {name}", f"lists terms that add up to {points}; expected {score}, its score"
            )

    # ---- text ----

    def _check_text(self, state: State, side: int) -> str:
        text: str = self.call(state, "__str__")
        if not HOOKS["__str__"].accepts(text, self.cls):
            self._refuse_value(state, "__str__", "", text)
        try:
            parsed = self.cls.parse(text)
        except Exception as error:
            self.refuse(state, "parse", f"({text!r}) raised {_one_line(error)}; expected the state with this str()")
        if parsed != state:
            self.refuse(state, "parse", f"({text!r}) returned {parsed!r}; expected {state!r}, which has this str()")
        player = self.call(state, "player_name", side)
        if not HOOKS["player_name"].accepts(player, self.cls):
            self._refuse_value(state, "player_name", f"({side})", player)
        return text

    def _check_names(self, state: State, moves: list[int]) -> dict[str, int]:
        names: dict[str, int] = {}
        for move in moves:
            name = self.call(state, "move_name", move)
            if not HOOKS["move_name"].accepts(name, self.cls):
                self._refuse_value(state, "move_name", f"({move})", name)
            if name in names:
                self.refuse(state, "move_name", f"is {name!r} for {names[name]} and for {move}; expected unique names")
            names[name] = move
        return names

    def _check_legal(self, state: State, moves: list[int], names: dict[str, int]) -> None:
        legal = self.call(state, "legal_moves")
        if legal != moves:
            self.refuse(state, "legal_moves", f"returned {legal}; expected {moves}, the moves that moves() yields")
        for name, move in names.items():
            found = self.call(state, "parse_move", name)
            if found != move:
                self.refuse(state, "parse_move", f"({name!r}) returned {found!r}; expected {move}, which has this name")
        picture = self.call(state, "picture")
        if picture is not None and not isinstance(picture, Picture):
            self.refuse(
                state, "picture", f"returned {picture!r}; expected a Grid or Points of zermelo.core.picture, or None"
            )

    def _check_damaged(self, state: State, text: str, names: dict[str, int]) -> None:
        """A damaged text raises the right error, or is read as the state (or move) that it happens to name."""
        damaged = self._damage(text)
        try:
            parsed = self.cls.parse(damaged)
        except PositionError as error:
            self._check_one_line(state, "parse", damaged, error)
        except Exception as error:
            self.refuse(state, "parse", f"({damaged!r}) raised {_one_line(error)}; expected a PositionError")
        else:
            again = self.call(parsed, "__str__")
            if self.cls.parse(again) != parsed:
                self.refuse(state, "parse", f"({damaged!r}) returned {parsed!r}, whose str() is read differently")
        damaged = self._damage(next(iter(names), "pass"))
        try:
            move = state.parse_move(damaged)
        except IllegalMove as error:
            self._check_one_line(state, "parse_move", damaged, error)
        except Exception as error:
            self.refuse(state, "parse_move", f"({damaged!r}) raised {_one_line(error)}; expected an IllegalMove")
        else:
            if move not in names.values():
                self.refuse(state, "parse_move", f"({damaged!r}) returned {move!r}, which is not legal here")

    def _check_one_line(self, state: State, method: str, text: str, error: Exception) -> None:
        if len(str(error).splitlines()) != 1:
            self.refuse(state, method, f"({text!r}) raised an error with the message {str(error)!r}; expected one line")

    def _damage(self, text: str) -> str:
        """Replace a piece of at most three characters by another such piece."""
        at = int(self.random.random() * (len(text) + 1))
        pool = text + DAMAGE
        piece = "".join(pool[int(self.random.random() * len(pool))] for _ in range(int(self.random.random() * 4)))
        return text[:at] + piece + text[at + int(self.random.random() * 4) :]

    # ---- symmetries and endgames ----

    def _check_symmetries(self, state: State, side: int, over: bool, moves: list[int]) -> None:
        for other in self.each(state, "symmetries"):
            if type(other) is not self.cls:
                self.refuse(state, "symmetries", f"yielded {other!r}; expected states of {self.cls.__name__}")
            for method, here in (("to_move", side), ("is_over", over)):
                there = self.call(other, method)
                if there != here:
                    self.refuse(state, "symmetries", f"yielded {other}, where {method}() is {there}; expected {here}")
            if over and self.call(other, "utility") != state.utility():
                self.refuse(
                    state, "symmetries",
                    f"yielded {other}, whose utility is {other.utility()}; expected {state.utility()}",
                )  # fmt: skip
            there = len(self.call(other, "legal_moves"))
            if there != len(moves):
                self.refuse(state, "symmetries", f"yielded {other}, which has {there} moves; expected {len(moves)}")

    def _check_endgame(self, state: State, over: bool) -> None:
        if over or not self.cls.has_endgame_solver or self.cls.has_chance or not state.is_endgame():
            return
        native = self.compiled
        limit = ENDGAME_STATES if native else ENDGAME_STATES_INTERPRETED
        visits = [0, limit]
        value = native.minimax(state, limit) if native else minimax(state, visits)
        if value is None or visits[0] > limit:
            return
        top = self.cls.max_utility + 1
        for alpha, beta in ((-top, top), (value - 1, value), (value, value + 1), (-top, 1 - top), (top - 1, top)):
            solve = native.solve_endgame if native else self._solve_endgame
            score, states = solve(state, alpha, beta)
            # Fail-soft: exact within the window, else a bound between the window's end and the value.
            low = min(value, beta)
            high = max(value, alpha)
            if not low <= score <= high:
                expected = f"{low} to {high}" if low < high else f"{low}"
                self.refuse(state, "solve_endgame", f"({alpha}, {beta}) returned {score}; expected {expected}")
            if native and states <= ENDGAME_STATES_INTERPRETED:
                plain = self._solve_endgame(state, alpha, beta)
                if plain != (score, states):
                    self.differs(state, "solve_endgame", f"({alpha}, {beta})", (score, states), plain)

    def _solve_endgame(self, state: State, alpha: int, beta: int) -> tuple[int, int]:
        found: tuple[int, int] = self.call(state, "solve_endgame", alpha, beta)
        if not HOOKS["solve_endgame"].accepts(found, self.cls):
            self._refuse_value(state, "solve_endgame", f"({alpha}, {beta})", found)
        return found

    # ---- compiled against interpreted ----

    def _compare(
        self,
        state: State,
        native: Readings,
        values: dict[str, Any],
        moves: list[int],
        move_values: dict[int, dict[str, Any]],
    ) -> None:
        self._compare_values(state, native, {name: values[name] for name in ("to_move", "is_over")})
        if not values["is_over"]:
            if values["to_move"] == CHANCE:
                outcomes = list(state.outcomes())
                if native.outcomes != outcomes:
                    self.differs(state, "outcomes", "()", native.outcomes, outcomes)
            elif native.moves != moves:
                self.differs(state, "moves", "()", native.moves, moves)
        self._compare_values(state, native, values)
        for place, move in enumerate(moves):
            for name, value in move_values.get(move, {}).items():
                if HOOKS[name].compiled and native.move_values[name][place] != value:
                    self.differs(state, name, f"({move})", native.move_values[name][place], value)

    def _compare_values(self, state: State, native: Readings, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if native.values[name] != value:
                self.differs(state, name, "()", native.values[name], value)

    # ---- errors ----

    def call(self, state: State, method: str, *arguments: Any) -> Any:
        """Call a method; an exception that it raises becomes a `GameError`."""
        try:
            return getattr(state, method)(*arguments)
        except GameError as error:
            raise GameError(f"{error}; position: {self._text(state)}") from None
        except Exception as error:
            listed = ", ".join(map(repr, arguments))
            self.refuse(state, method, f"({listed}) raised {_one_line(error)}")

    def each(self, state: State, method: str) -> list[Any]:
        """All that a method yields."""
        found = self.call(state, method)
        try:
            items = list(islice(found, MOST_MOVES + 1))
        except Exception as error:
            self.refuse(state, method, f"() raised {_one_line(error)}")
        if len(items) > MOST_MOVES:
            self.refuse(state, method, f"yielded more than {MOST_MOVES:,} items; check that its loop ends")
        return items

    def differs(self, state: State, method: str, call: str, compiled: Any, interpreted: Any) -> NoReturn:
        self.refuse(state, method + call, f"is {compiled!r} in compiled code, {interpreted!r} in plain Python")

    def _refuse_value(self, state: State, method: str, call: str, value: Any) -> NoReturn:
        kind = "" if isinstance(value, str) or HOOKS[method].returns.accepts(value) else f" ({type(value).__name__})"
        gap = f"{call} " if call else ""
        self.refuse(state, method, f"{gap}returned {value!r}{kind}; expected {HOOKS[method].expected(self.cls)}")

    def refuse(self, state: State, method: str, wrong: str) -> NoReturn:
        gap = "" if wrong.startswith("(") else " "
        raise GameError(f"{self.cls.__name__}.{method}{gap}{wrong}; position: {self._text(state)}") from None

    def _text(self, state: State) -> str:
        try:
            return " ".join(str(state).split())
        except Exception:
            return repr(state)


def _one_line(error: Exception) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, ZermeloError) else f"{type(error).__name__}: {text}"
