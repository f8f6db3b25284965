"""Does a game keep the contract of `zermelo.core.game`? The same test for our games and everybody else's.

    from zermelo.testing import check_game

    def test_my_game():
        check_game(MyGame)

`check_game` plays random games and compares, in every position, what the methods say with each other and with
what compiled code makes of them. `playthrough` writes one random game down; kept in a file and compared, it shows
any change of a game's behaviour (the tests of this package do so with tests/golden).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from random import Random
from typing import Any, NamedTuple, NoReturn

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import LARGEST_SCORE, Evaluation
from zermelo.core.game import CHANCE, LARGEST_MOVE, LARGEST_UTILITY, MAX, MIN, State
from zermelo.core.picture import Picture
from zermelo.errors import GameError, IllegalMove, PositionError, ZermeloError

# Of so many games one is checked throughout: every legal move is named, played and hinted at, every symmetry and
# the drawn board looked at, the text damaged. In the others only the move that is played is tried.
THOROUGH = 10
# Positions remembered, so that a common one is not checked again, and that two with the same key are found.
REMEMBERED = 100_000
# A hint is weighed against other reasons to try a move early (`zermelo.search.ordering`); 32 bits are its share.
LARGEST_HINT = (1 << 31) - 1
# An ending with more states below it than this is not compared with minimax (compiled, interpreted).
ENDING_STATES, ENDING_STATES_INTERPRETED = 100_000, 100
# What a damaged text is made of, beside the characters of the text itself.
DAMAGE = " /-+=,.0123456789aZxXoO#\u00e9\u00b2\n\0"


class Report(NamedTuple):
    """What `check_game` has checked."""

    game: str
    games: int
    #: Positions passed through, the final ones included.
    positions: int
    #: Moves in the longest game.
    longest: int
    #: Legal moves in an unfinished position, on average.
    branching: float
    #: Games broken off because they did not end.
    unfinished: int
    compiled: bool

    def __str__(self) -> str:
        lines = [
            f"{self.game}: {self.games:,} games, {self.positions:,} positions, "
            f"{self.branching:.1f} moves in a position, the longest game has {self.longest} moves",
        ]
        if self.unfinished:
            lines.append(f"{self.unfinished} games broken off unfinished")
        lines.append("compiled = interpreted" if self.compiled else "interpreted only")
        return "; ".join(lines)


def check_game(
    game: type[State] | State,
    games: int = 100,
    seed: int = 0,
    *,
    evaluations: Iterable[Evaluation] = (),
    compiled: bool = True,
    longest: int = 1_000,
) -> Report:
    """Play random games and check that each method keeps its word; see `zermelo.core.game` for what that is.

    `game` is the class, or the position to start from. `evaluations` are checked beside the game's own.
    With `compiled` (which takes a few seconds the first time) every rule and evaluation must give in compiled
    code what it gives in plain Python. A game longer than `longest` moves is broken off, and the report says so.

    Raises `GameError`, naming the method, what was expected, and the position, for the first thing that is wrong.
    """
    start = _start_of(game)
    named = {**start.evaluations, **{type(item).__name__: item for item in evaluations}}
    checker = _Checker(start, named, compiled, Random(seed))
    random = Random(seed)
    positions = choices = deciding = most = unfinished = 0
    for number in range(games):
        state = start
        thorough = number % THOROUGH == 0
        checker.begin()
        for played in range(longest + 1):
            moves = checker.check(state, thorough)
            positions += 1
            most = max(most, played)
            if not moves:
                break
            choices += len(moves)
            deciding += 1
            if played == longest:
                unfinished += 1
            else:
                state = checker.played(state, _choice(state, moves, random))
    branching = choices / deciding if deciding else 0.0
    return Report(type(start).__name__, games, positions, most, branching, unfinished, compiled)


def playthrough(game: type[State] | State, seed: int = 0, longest: int = 200) -> str:
    """A random game written down: the game's facts, then each position with all that the game says about it.

    The same text for the same game and seed, on any machine and Python.
    """
    state = _start_of(game)
    cls = type(state)
    facts = (
        "max_utility",
        "perft_counts_finished_games",
        "has_chance",
        "has_tactical_moves",
        "has_move_score",
        "has_endgame_solver",
    )
    lines = [f"game {cls.__name__}, seed {seed}"]
    lines += [f"field {field.name}: {field}" for field in cls.fields]
    lines += [f"{fact} {getattr(cls, fact)}" for fact in facts]
    random = Random(seed)
    for played in range(longest + 1):
        side = state.to_move()
        over = state.is_over()
        moves = state.legal_moves()
        lines += ["", f"after {played} moves", f"position: {state}", *state.board().split("\n")]
        lines += [f"key: {int(state.key()):#018x}", f"to move: {state.player_name(side)}"]
        mirrors = list(state.symmetries())
        if mirrors:
            lines.append(f"symmetries: {' '.join(map(str, mirrors))}")
        if over:
            lines.append(f"over, utility: {state.utility()}")
            break
        weights = [f" (weight {weight})" for _, weight in state.outcomes()] if side == CHANCE else [""] * len(moves)
        names = [state.move_name(move) for move in moves]
        lines.append(f"moves: {' '.join(map(''.join, zip(names, weights, strict=True)))}")
        if side != CHANCE:
            lines.append(f"numbers: {' '.join(map(str, moves))}")
            if cls.has_move_score:
                lines.append(f"move scores: {' '.join(str(state.move_score(move)) for move in moves)}")
            if cls.has_tactical_moves:
                lines.append(
                    f"tactical: {' '.join(name for name, m in zip(names, moves, strict=True) if state.is_tactical(m))}"
                )
        lines += [f"evaluation {name}: {each.score(state)}" for name, each in state.evaluations.items()]
        if played < longest:
            move = _choice(state, moves, random)
            lines.append(f"played: {state.move_name(move)}")
            state = state.play(move)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _start_of(game: type[State] | State) -> State:
    start: object = game.start() if isinstance(game, type) and issubclass(game, State) else game
    if not isinstance(start, State):
        raise GameError(f"{start!r} is no state of a game; expected a class with the decorator zermelo.core.game.game")
    return start


def _choice(state: State, moves: list[int], random: Random) -> int:
    """One of the moves at random; where chance moves, as often as their weights say."""
    # Only random() is the same in every version of Python.
    if state.to_move() != CHANCE:
        return moves[int(random.random() * len(moves))]
    outcomes = list(state.outcomes())
    left = random.random() * sum(weight for _, weight in outcomes)
    for move, weight in outcomes:
        left -= weight
        if left < 0:
            return move
    return moves[-1]


class _Checker:
    """Checks the positions of one game, one after the other."""

    def __init__(self, start: State, evaluations: dict[str, Evaluation], compiled: bool, random: Random) -> None:
        self.cls = type(start)
        self.evaluations = evaluations
        self.random = random  # for damage; the games have their own, so that they do not depend on it
        self.compiled = _Compiled(start, evaluations) if compiled else None
        self.remembered: dict[int, State] = {}
        self.begin()

    # ---- a game ----

    def begin(self) -> None:
        """Another game begins."""
        self.seen: dict[int, int] = {}  # its positions, and after how many moves each came up last
        self.played_so_far = 0

    def _check_past(self, state: State) -> None:
        """Positions come again no sooner than `shortest_cycle` says, and no later than `reversible_plies` does."""
        here = self.call(state, "repetition_key")
        if type(here) is not Bitboard:
            self.refuse(state, "repetition_key", f"returned {here!r} ({type(here).__name__}); expected a Bitboard")
        quiet = self.call(state, "reversible_plies")
        if type(quiet) is not int or quiet < 0:
            self.refuse(state, "reversible_plies", f"returned {quiet!r}; expected an int from 0 up")
        ago = self.played_so_far - self.seen.get(int(here), self.played_so_far)
        if self.cls.draw_at_repetition and 0 < ago < self.cls.shortest_cycle:
            self.refuse(
                state, "repetition_key", f"comes up again after {ago} plies; expected at least shortest_cycle = "
                f"{self.cls.shortest_cycle}"
            )  # fmt: skip
        if ago > quiet:
            self.refuse(
                state, "reversible_plies",
                f"returned {quiet}, but the position came up {ago} plies ago; expected at least {ago}"
            )  # fmt: skip
        self.seen[int(here)] = self.played_so_far
        self.played_so_far += 1

    # ---- one position ----

    def check(self, state: State, thorough: bool) -> list[int]:
        """Check a position. Returns its legal moves."""
        key = self._check_identity(state)
        known = self.remembered.get(key)
        if known is not None and known != state:
            self.refuse(state, "key", f"is {key:#x} here and in {known}; expected different keys for different states")
        side = self._check_side(state)
        over = self.call(state, "is_over")
        if type(over) is not bool:
            self.refuse(state, "is_over", f"returned {over!r}; expected True or False")
        moves = self._check_end(state) if over else self._check_moves(state, side)
        self._check_past(state)
        if known is not None and not thorough:
            return moves
        if len(self.remembered) < REMEMBERED:
            self.remembered[key] = state
        if not over:
            self._check_evaluations(state)
        hooks = {move: self._check_hooks(state, move) for move in moves} if thorough and side != CHANCE else {}
        if self.compiled:
            self._compare(state, side, over, moves, hooks, key)
        names = self._check_names(state, moves)
        text = self._check_text(state, side)
        if thorough:
            self._check_legal(state, moves, names)
            self._check_damaged(state, text, names)
            self._check_symmetries(state, side, over, moves)
            self._check_ending(state, over)
            children = [(move, self.played(state, move, twice=True)) for move in moves]
            if not over and side != CHANCE:
                self._check_gains(state, side, children)
        return moves

    def played(self, state: State, move: int, twice: bool = False) -> State:
        """The state after a move, compared with what compiled code makes of it."""
        before = tuple(state)
        child = self.call(state, "play", move)
        if type(child) is not self.cls:
            self.refuse(state, "play", f"({move}) returned {child!r}; expected a {self.cls.__name__}")
        if twice:
            again = self.call(state, "play", move)
            if again != child:
                self.refuse(state, "play", f"({move}) returned {child!r}, then {again!r}; expected the same each time")
        if tuple(state) != before:
            self.refuse(state, "play", f"({move}) has changed the state it was called on; expected a new state")
        if self.compiled:
            native = self.compiled.play(state, move)
            if native != child:
                self.differs(state, "play", f"({move})", native, child)
        return child

    def _check_identity(self, state: State) -> int:
        twin = self.cls(*state)
        if twin != state or hash(twin) != hash(state):
            self.refuse(state, "__eq__", "says that a state differs from one with the same fields; do not redefine it")
        key = self.call(state, "key")
        if type(key) is not Bitboard:
            self.refuse(state, "key", f"returned {key!r} ({type(key).__name__}); expected a Bitboard")
        if self.call(twin, "key") != key:
            self.refuse(state, "key", "differs for two equal states; expected it to depend on the fields alone")
        return int(key)

    def _check_side(self, state: State) -> int:
        side = self.call(state, "to_move")
        if type(side) is not int or side not in (MAX, MIN, CHANCE):
            self.refuse(state, "to_move", f"returned {side!r}; expected MAX (1), MIN (-1) or CHANCE (0)")
        if side == CHANCE and not self.cls.has_chance:
            self.refuse(
                state, "to_move", "returned CHANCE, but the class has no outcomes(self); expected it to yield each "
                "move that chance can make with its weight"
            )  # fmt: skip
        return side

    def _check_end(self, state: State) -> list[int]:
        utility = self.call(state, "utility")
        if type(utility) is not int:
            self.refuse(state, "utility", f"returned {utility!r} ({type(utility).__name__}); expected an int")
        if abs(utility) > self.cls.max_utility:
            self.refuse(
                state, "utility", f"returned {utility}; expected -max_utility .. max_utility, "
                f"and max_utility is {self.cls.max_utility}"
            )  # fmt: skip
        return []

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
            self.refuse(state, source, "yielded nothing though is_over() is False; expected a move, a pass at least")
        for move in moves:
            if type(move) is not int or not 0 <= move <= LARGEST_MOVE:
                self.refuse(state, source, f"yielded {move!r}; expected an int in 0 .. {LARGEST_MOVE}")
        counted = len(moves) if side == CHANCE else self.call(state, "count_moves")
        if counted != len(moves):
            self.refuse(state, "count_moves", f"returned {counted}, but moves() yields {len(moves)}; expected as many")
        if len(set(moves)) < len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            self.refuse(state, source, f"yielded {twice} more than once; expected each move once")
        return moves

    def _check_evaluations(self, state: State) -> None:
        for name, evaluation in self.evaluations.items():
            try:
                score = index(evaluation.score(state))
            except Exception as error:
                self.refuse(state, f"evaluation {name}", f"raised {_shown(error)}; expected an int")
            if abs(score) > LARGEST_SCORE:
                self.refuse(
                    state, f"evaluation {name}", f"scored {score}; expected -{LARGEST_SCORE} .. {LARGEST_SCORE}"
                )
            if self.compiled:
                native = self.compiled.score(name, state)
                if native != score:
                    self.differs(state, f"evaluation {name}", "", native, score)
            if type(evaluation).terms is not Evaluation.terms:
                self._check_terms(state, name, evaluation, score)

    def _check_gains(self, state: State, side: int, children: list[tuple[int, State]]) -> None:
        may_end = self.call(state, "may_end")
        if type(may_end) is not bool:
            self.refuse(state, "may_end", f"returned {may_end!r}; expected True or False")
        for move, child in children:
            if child.is_over():
                if not may_end:
                    self.refuse(state, "may_end", f"returned False, but the game is over after {move}; expected True")
                continue
            for name, evaluation in self.evaluations.items():
                if not evaluation.has_gain:
                    continue
                rise = side * (evaluation.score(child) - evaluation.score(state))
                try:
                    gain = index(evaluation.gain(state, move))
                except Exception as error:
                    self.refuse(state, f"evaluation {name}", f"raised {_shown(error)} in gain({move}); expected an int")
                if gain != rise:
                    self.refuse(
                        state, f"evaluation {name}", f"says that {move} gains {gain!r}; expected {rise}, by its scores"
                    )

    def _check_terms(self, state: State, name: str, evaluation: Evaluation, score: int) -> None:
        try:
            terms = evaluation.terms(state)
            points = sum(term.points for term in terms)
            if len({term.name for term in terms}) < len(terms):
                self.refuse(state, f"evaluation {name}", "lists two terms of one name; expected a name for each")
        except GameError:
            raise
        except Exception as error:
            self.refuse(state, f"evaluation {name}", f"raised {_shown(error)} in terms; expected a list of Term")
        if points != score:
            self.refuse(state, f"evaluation {name}", f"lists terms of {points} points; expected its score, {score}")

    def _check_hooks(self, state: State, move: int) -> tuple[int, bool]:
        hint = self.call(state, "move_score", move)
        if type(hint) is not int or abs(hint) > LARGEST_HINT:
            self.refuse(state, "move_score", f"({move}) returned {hint!r}; expected an int of 32 bits")
        noisy = self.call(state, "is_tactical", move)
        if type(noisy) is not bool:
            self.refuse(state, "is_tactical", f"({move}) returned {noisy!r}; expected True or False")
        return hint, noisy

    # ---- text ----

    def _check_text(self, state: State, side: int) -> str:
        text: str = self.call(state, "__str__")
        if type(text) is not str or len(text.splitlines()) != 1:
            self.refuse(state, "__str__", f"returned {text!r}; expected one line of text")
        try:
            parsed = self.cls.parse(text)
        except Exception as error:
            self.refuse(state, "parse", f"({text!r}) raised {_shown(error)}; expected the state that this is str() of")
        if parsed != state:
            self.refuse(state, "parse", f"({text!r}) returned {parsed!r}; expected {state!r}, which this is str() of")
        player = self.call(state, "player_name", side)
        if type(player) is not str or not player.strip():
            self.refuse(state, "player_name", f"({side}) returned {player!r}; expected a name")
        return text

    def _check_names(self, state: State, moves: list[int]) -> dict[str, int]:
        names: dict[str, int] = {}
        for move in moves:
            name = self.call(state, "move_name", move)
            if type(name) is not str or name.split() != [name]:
                self.refuse(state, "move_name", f"({move}) returned {name!r}; expected a word without blanks")
            if name in names:
                self.refuse(state, "move_name", f"is {name!r} for {names[name]} and for {move}; expected unique names")
            names[name] = move
        return names

    def _check_legal(self, state: State, moves: list[int], names: dict[str, int]) -> None:
        legal = self.call(state, "legal_moves")
        if legal != moves:
            self.refuse(state, "legal_moves", f"returned {legal}; expected {moves}, the moves there are")
        for name, move in names.items():
            found = self.call(state, "parse_move", name)
            if found != move:
                self.refuse(state, "parse_move", f"({name!r}) returned {found!r}; expected {move}, whose name this is")
        board = self.call(state, "board")
        if type(board) is not str or not board.strip():
            self.refuse(state, "board", f"returned {board!r}; expected lines of text")
        picture = self.call(state, "picture")
        if picture is not None and not isinstance(picture, Picture):
            self.refuse(
                state, "picture", f"returned {picture!r}; expected a Grid or Points of zermelo.core.picture, or None"
            )
        if names and self.call(state, "to_move") != CHANCE:
            known = self.call(state, "information_state")
            if type(known) is not str or len(known.splitlines()) != 1:
                self.refuse(state, "information_state", f"returned {known!r}; expected one line: what the mover knows")

    def _check_damaged(self, state: State, text: str, names: dict[str, int]) -> None:
        """Text that is nearly right is refused by the right error, or read as a state (or move) that it may be."""
        damaged = self._damaged(text)
        try:
            parsed = self.cls.parse(damaged)
        except PositionError as error:
            self._check_one_line(state, "parse", damaged, error)
        except Exception as error:
            self.refuse(state, "parse", f"({damaged!r}) raised {_shown(error)}; expected a PositionError")
        else:
            again = self.call(parsed, "__str__")
            if self.cls.parse(again) != parsed:
                self.refuse(state, "parse", f"({damaged!r}) returned {parsed!r}, whose str() is read differently")
        damaged = self._damaged(next(iter(names), "pass"))
        try:
            move = state.parse_move(damaged)
        except IllegalMove as error:
            self._check_one_line(state, "parse_move", damaged, error)
        except Exception as error:
            self.refuse(state, "parse_move", f"({damaged!r}) raised {_shown(error)}; expected an IllegalMove")
        else:
            if move not in names.values():
                self.refuse(state, "parse_move", f"({damaged!r}) returned {move!r}, which is not legal here")

    def _check_one_line(self, state: State, method: str, text: str, error: Exception) -> None:
        if len(str(error).splitlines()) != 1:
            self.refuse(state, method, f"({text!r}) was refused with {str(error)!r}; expected one line that says why")

    def _damaged(self, text: str) -> str:
        """The text with a piece of at most three characters exchanged for another such piece."""
        at = int(self.random.random() * (len(text) + 1))
        pool = text + DAMAGE
        piece = "".join(pool[int(self.random.random() * len(pool))] for _ in range(int(self.random.random() * 4)))
        return text[:at] + piece + text[at + int(self.random.random() * 4) :]

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

    def _check_ending(self, state: State, over: bool) -> None:
        if over or not self.cls.has_endgame_solver or self.cls.has_chance or not self.call(state, "is_endgame"):
            return
        native = self.compiled
        limit = ENDING_STATES if native else ENDING_STATES_INTERPRETED
        visits = [0, limit]
        value = native.minimax(state, limit) if native else _minimax(state, visits)
        if value is None or visits[0] > limit:
            return
        top = self.cls.max_utility + 1
        for alpha, beta in ((-top, top), (value - 1, value), (value, value + 1), (-top, 1 - top), (top - 1, top)):
            score, states = native.ending(state, alpha, beta) if native else self._ending(state, alpha, beta)
            # Fail-soft: exact within the window, else a bound between the window's end and the value.
            low = min(value, beta)
            high = max(value, alpha)
            if not low <= score <= high:
                wanted = f"{low} to {high}" if low < high else f"{low}"
                self.refuse(state, "solve_endgame", f"({alpha}, {beta}) returned {score}; expected {wanted}")
            if native and states <= ENDING_STATES_INTERPRETED:
                plain = self._ending(state, alpha, beta)
                if plain != (score, states):
                    self.differs(state, "solve_endgame", f"({alpha}, {beta})", (score, states), plain)

    def _ending(self, state: State, alpha: int, beta: int) -> tuple[int, int]:
        found = self.call(state, "solve_endgame", alpha, beta)
        if not (type(found) is tuple and len(found) == 2 and all(type(item) is int for item in found)):
            self.refuse(
                state, "solve_endgame", f"({alpha}, {beta}) returned {found!r}; expected value and states, two ints"
            )
        return found

    # ---- compiled against interpreted ----

    def _compare(
        self, state: State, side: int, over: bool, moves: list[int], hooks: dict[int, tuple[int, bool]], key: int
    ) -> None:
        assert self.compiled
        found = self.compiled.facts(state)
        if found.side != side:
            self.differs(state, "to_move", "()", found.side, side)
        if found.over != over:
            self.differs(state, "is_over", "()", found.over, over)
        if found.key != key:
            self.differs(state, "key", "()", Bitboard(found.key), Bitboard(key))
        if found.position != state.repetition_key():
            self.differs(state, "repetition_key", "()", Bitboard(found.position), state.repetition_key())
        if found.reversible_plies != state.reversible_plies():
            self.differs(state, "reversible_plies", "()", found.reversible_plies, state.reversible_plies())
        if over:
            if found.utility != state.utility():
                self.differs(state, "utility", "()", found.utility, state.utility())
            return
        if side == CHANCE:
            outcomes = list(state.outcomes())
            if found.outcomes != outcomes:
                self.differs(state, "outcomes", "()", found.outcomes, outcomes)
        else:
            if found.moves != moves:
                self.differs(state, "moves", "()", found.moves, moves)
            if found.counted != len(moves):
                self.differs(state, "count_moves", "()", found.counted, len(moves))
            if found.in_check != self.call(state, "in_check"):
                self.differs(state, "in_check", "()", found.in_check, state.in_check())
            for move, hint, noisy in zip(moves, found.hints, found.noisy, strict=True):
                if move in hooks and hint != hooks[move][0]:
                    self.differs(state, "move_score", f"({move})", hint, hooks[move][0])
                if move in hooks and noisy != hooks[move][1]:
                    self.differs(state, "is_tactical", f"({move})", noisy, hooks[move][1])

    # ---- errors ----

    def call(self, state: State, method: str, *arguments: Any) -> Any:
        try:
            return getattr(state, method)(*arguments)
        except GameError as error:
            raise GameError(f"{error}; position: {self._text(state)}") from None
        except Exception as error:
            shown = ", ".join(map(repr, arguments))
            self.refuse(state, method, f"({shown}) raised {_shown(error)}")

    def each(self, state: State, method: str) -> list[Any]:
        """What a method yields, to the last one."""
        found = self.call(state, method)
        try:
            return list(found)
        except Exception as error:
            self.refuse(state, method, f"() raised {_shown(error)}")

    def differs(self, state: State, method: str, call: str, compiled: Any, interpreted: Any) -> NoReturn:
        self.refuse(state, method + call, f"is {compiled!r} in compiled code, {interpreted!r} in plain Python")

    def refuse(self, state: State, method: str, wrong: str) -> NoReturn:
        gap = "" if wrong.startswith("(") else " "
        raise GameError(f"{self.cls.__name__}.{method}{gap}{wrong}; position: {self._text(state)}") from None

    def _text(self, state: State) -> str:
        try:
            return " ".join(str(state).split())
        except Exception:
            return repr(state)


def _shown(error: Exception) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, ZermeloError) else f"{type(error).__name__}: {text}"


# ---- compiled code -------------------------------------------------------------------------------------------
# Plain functions, compiled for the game's own type by `zermelo.compiled.native`.

_HEADER = 11
_SIDE, _OVER, _UTILITY, _COUNT, _KEY_LOW, _KEY_HIGH, _PLACE_LOW, _PLACE_HIGH, _QUIET, _COUNTED, _ANSWER = range(_HEADER)


class _Facts(NamedTuple):
    """What a state's rules say in compiled code."""

    side: int
    over: bool
    utility: int
    key: int
    moves: list[int]
    outcomes: list[tuple[int, int]]
    hints: list[int]
    noisy: list[bool]
    counted: int
    position: int
    reversible_plies: int
    in_check: bool


class _Compiled:
    """A game's methods in compiled code. Nothing of Numba is imported before one of these is made."""

    def __init__(self, start: State, evaluations: dict[str, Evaluation]) -> None:
        import numpy as np

        from zermelo.compiled import native

        self._numbers = np.zeros(_HEADER + 3 * 64, np.int64)
        self._zeros = np.zeros
        self._facts = native(_write_facts, start, self._numbers)
        self.play: Callable[[State, int], State] = native(_play, start, 0)
        self._evaluations = evaluations
        self._scores = {name: native(_score, item, start) for name, item in evaluations.items()}
        if start.has_endgame_solver:
            self._visits = np.zeros(2, np.int64)
            self._minimax = native(_minimax, start, self._visits)
            self.ending = native(_ending, start, 0, 0)

    def facts(self, state: State) -> _Facts:
        self._facts(state, self._numbers)
        count = int(self._numbers[_COUNT])
        if _HEADER + 3 * count > len(self._numbers):
            self._numbers = self._zeros(2 * (_HEADER + 3 * count), self._numbers.dtype)
            self._facts(state, self._numbers)
        numbers = self._numbers[: _HEADER + 3 * count].tolist()
        moves, second, third = numbers[_HEADER::3], numbers[_HEADER + 1 :: 3], numbers[_HEADER + 2 :: 3]
        return _Facts(
            numbers[_SIDE], numbers[_OVER] == 1, numbers[_UTILITY], numbers[_KEY_HIGH] << 32 | numbers[_KEY_LOW],
            moves, list(zip(moves, second, strict=True)), second, [each == 1 for each in third],
            numbers[_COUNTED], numbers[_PLACE_HIGH] << 32 | numbers[_PLACE_LOW], numbers[_QUIET], numbers[_ANSWER] == 1,
        )  # fmt: skip

    def score(self, name: str, state: State) -> int:
        return self._scores[name](self._evaluations[name], state)  # type: ignore[no-any-return]

    def minimax(self, state: State, limit: int) -> int | None:
        self._visits[:] = 0, limit
        value = self._minimax(state, self._visits)
        return None if self._visits[0] > limit else value


def _write_facts(state: Any, numbers: Any) -> None:
    """Write what the rules say into an array of ints, as many moves as there is room for."""
    numbers[_SIDE] = state.to_move()
    numbers[_KEY_LOW] = int(state.key() & 0xFFFFFFFF)
    numbers[_KEY_HIGH] = int(state.key() >> 32)
    numbers[_PLACE_LOW] = int(state.repetition_key() & 0xFFFFFFFF)
    numbers[_PLACE_HIGH] = int(state.repetition_key() >> 32)
    numbers[_QUIET] = state.reversible_plies()
    numbers[_OVER] = 1 if state.is_over() else 0
    numbers[_COUNT] = 0
    count = 0
    at = _HEADER
    if numbers[_OVER] == 1:
        numbers[_UTILITY] = state.utility()
    elif state.has_chance and state.to_move() == CHANCE:
        for move, weight in state.outcomes():
            if at + 3 <= len(numbers):
                numbers[at] = move
                numbers[at + 1] = weight
            at += 3
            count += 1
    else:
        numbers[_COUNTED] = state.count_moves()
        numbers[_ANSWER] = 1 if state.in_check() else 0
        for move in state.moves():
            if at + 3 <= len(numbers):
                numbers[at] = move
                numbers[at + 1] = state.move_score(move)
                numbers[at + 2] = 1 if state.is_tactical(move) else 0
            at += 3
            count += 1
    numbers[_COUNT] = count


def _play(state: Any, move: Any) -> Any:
    return state.play(move)


def _score(evaluation: Any, state: Any) -> Any:
    return evaluation.score(state)


def _ending(state: Any, alpha: Any, beta: Any) -> Any:
    return state.solve_endgame(alpha, beta)


def _minimax(state: Any, visits: Any) -> Any:
    """The minimax value of a state; of no meaning where `visits` counts more states than its limit."""
    visits[0] += 1
    if state.is_over():
        return state.utility()
    if visits[0] > visits[1]:
        return 0
    side = state.to_move()
    best = -LARGEST_UTILITY - 1
    for move in state.moves():
        best = max(best, side * _minimax(state.play(move), visits))
    return side * best
