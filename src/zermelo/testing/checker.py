"""`check_game`: random games, in which every method of a game is checked against the contract.

What a method returns is checked by its declaration (`zermelo.core.hooks`): its type, its range, and that compiled code
returns the same. The methods of `_Checker` add what relates methods to each other: equal states have equal keys, texts
are read back, symmetric states have the same result. `evaluation_checks` and `hidden_information` have those of
evaluations and of games with hidden information.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from itertools import islice
from random import Random
from typing import Any, NamedTuple, NoReturn

from zermelo.core.endgame_slice import MOST_MEN
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, HOOKS, MAX, MIN, MOST_MOVES, NO_MOVE, State, wrong_move
from zermelo.core.picture import Grid, Picture
from zermelo.core.validation import check_key, origin, same_fields
from zermelo.core.value import annotation_hint, is_int
from zermelo.errors import GameError, IllegalMove, PositionError
from zermelo.search.selective import Selective, check_confidence_on_clock
from zermelo.testing.compiled_rules import CompiledRules, Readings, minimax, one_ply_before
from zermelo.testing.declared_names import misspelt_names, optional_names
from zermelo.testing.evaluation_checks import EvaluationChecks, one_line
from zermelo.testing.hidden_information import HiddenInformation
from zermelo.testing.random_games import draw_move, start_of

# One game in this many is checked thoroughly: all legal moves are played, named and scored, every symmetry and the
# board are looked at, evaluations list their terms, texts are damaged. In the others only the move that is played is
# checked. After the first games it is one in `THOROUGH_LATER`, since thorough checks take most of the time and later
# ones rarely find anything new.
THOROUGH, FIRST_GAMES, THOROUGH_LATER = 10, 100, 50
# Positions remembered, to skip those already checked and to find two with the same key.
REMEMBERED = 100_000
# A state with more states below it than this is not compared with minimax (compiled, interpreted).
ENDGAME_STATES, ENDGAME_STATES_INTERPRETED = 100_000, 100
# Characters inserted into texts, beside those of the text itself.
DAMAGE = " /-+=,.0123456789aZxXoO#\u00e9\u00b2\n\0"
# Without a limit of the caller's, a game is cut off here; a game whose first games all reach it has no end.
MAX_PLIES = 1_000
ENDLESS_GAMES = 3
# Of each slice of the smallest endgame table, so many numbers are drawn.
TABLE_NUMBERS = 100
# The hooks that are called in states of each kind, compiled and interpreted ones.
CHECKED_HOOKS = {
    (checked, compiled): [
        (name, hook) for name, hook in HOOKS.items() if (hook.checked, bool(hook.compiled)) == (checked, compiled)
    ]
    for checked in ("any", "unfinished", "finished", "decision", "move")
    for compiled in (False, True)
}


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
    #: Why compiled code was not compared, if the game cannot be compiled.
    why_interpreted: str = ""
    #: Optional methods and class attributes of the contract that the game defines.
    optional: tuple[str, ...] = ()
    #: Names that look like an optional one of the contract and are not used, and what cannot be tested.
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{self.game}: {self.games:,} games, {self.positions:,} positions, "
            f"{self.branching:.1f} moves per position, longest game {self.longest} moves",
        ]
        if self.unfinished:
            lines.append(f"{self.unfinished} games cut off unfinished")
        lines.append(
            "compiled = interpreted"
            if self.compiled
            else f"compiled: {self.why_interpreted}"
            if self.why_interpreted
            else "interpreted only"
        )
        if self.optional:
            lines.append(f"optional: {', '.join(self.optional)}")
        lines += [f"note: {note}" for note in self.notes]
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
    compiled = compiled and start.is_compiled
    known = {**start.evaluations, **{type(item).__name__: item for item in evaluations}}
    checker = _Checker(start, known, compiled, Random(seed))
    random = Random(seed)
    limit = MAX_PLIES if max_plies is None else max_plies
    positions = choices = deciding = most = unfinished = 0
    checker.check_table_numbers(Random(seed))
    Selective.of_game(start)  # raises for wrong parameters
    check_confidence_on_clock(type(start))
    for number in range(games):
        state = start
        thorough = number % (THOROUGH if number < FIRST_GAMES else THOROUGH_LATER) == 0
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
                move = draw_move(state, moves, random)
                if not thorough:
                    checker.check_names(state, [move], thorough)
                if checker.hidden is not None:
                    checker.hidden.made(state, move)
                state = checker.play(state, move)
        checker.end_game()
        if max_plies is None and unfinished == number + 1 == ENDLESS_GAMES:
            checker.refuse(
                state, "is_over", f"was never true: {unfinished} random games did not end within {limit:,} plies; "
                "end the game, or pass max_plies if its games are longer"
            )  # fmt: skip
    branching = choices / deciding if deciding else 0.0
    why = "" if start.is_compiled else f"no, an interpreted game: {start.why_interpreted or '@game(compiled=False)'}"
    cls = type(start)
    notes = list(misspelt_names(cls, State))
    for kind in {type(item): None for item in known.values()}:
        notes += misspelt_names(kind, Evaluation)
    notes += checker.evaluation_checks.notes()
    if cls.has_pass_turn:
        notes.append(NULL_MOVES)
    return Report(
        cls.__name__, games, positions, most, branching, unfinished, compiled, why,
        optional_names(cls, State), tuple(notes),
    )  # fmt: skip


#: Note of games with null moves. Whether passing is a good guide can only be measured.
NULL_MOVES = "null moves: not tested against zugzwang (docs/searching.md, Selective search, says how to)"


class _Checker:
    """Checks the positions of a game, one after the other."""

    def __init__(self, start: State, evaluations: dict[str, Evaluation], compiled: bool, random: Random) -> None:
        self.cls = type(start)
        self.start = start
        self.evaluation_checks = EvaluationChecks(self, evaluations)
        self.random = random  # for damaged texts only, so that the moves drawn do not depend on them
        self.compiled = CompiledRules(start, evaluations) if compiled else None
        self.remembered: dict[Any, State] = {}
        # Keys whose default, `key`, is not replaced. `_check_identity` sees whether a second call returns the same.
        self.same_as_key = {
            name for name in ("repetition_key", "correction_key") if getattr(self.cls, name) is getattr(State, name)
        }
        self.hidden = None if start.perfect_information else HiddenInformation(self)
        self.begin_game()

    # ---- one game ----

    def begin_game(self) -> None:
        """Forget the positions of the previous game."""
        self.decisions: list[State] = []  # of a game that is checked thoroughly
        self.last_seen: dict[Any, int] = {}  # by repetition key: the ply at which the position last occurred
        self.ply = 0
        if self.hidden is not None:
            self.hidden.begin_game()

    def end_game(self) -> None:
        """Compare the last positions of a game with minimax, if methods promise something about its value."""
        cls = self.cls
        promises = cls.has_endgame_solver or cls.has_bounds or cls.has_ranked_bounds or cls.has_candidates
        if cls.has_chance or not promises:
            return
        for state in reversed(self.decisions):
            value = self._minimax(state)
            if value is None:  # so would be the positions before, whose trees contain this one
                return
            self._check_best_candidate(state, value)
            if cls.has_ranked_bounds:
                self._check_interval(state, "ranked_bounds", value)
                value = (value > 0) - (value < 0)  # the utility
            self._check_endgame(state, value)
            if cls.has_bounds:
                self._check_interval(state, "bounds", value)

    def _check_repetition(self, state: State, values: dict[str, Any]) -> None:
        """No position occurs again sooner than `shortest_cycle`, or from before the last irreversible move."""
        key, reversible = values["repetition_key"], values["reversible_plies"]
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

    # ---- endgame tables ----

    def check_table_numbers(self, random: Random) -> None:
        """Of the smallest endgame table, numbers at random: their positions, and where their moves lead."""
        if not self.cls.has_index:
            return
        slices = next((found for men in range(1, MOST_MEN + 1) if (found := self.cls.table_slices(men))), ())
        if not slices:
            self.refuse(self.start, "table_slices", f"is empty for 1 to {MOST_MEN} men; expected a slice")
        first = 0
        for each in slices:
            end = first + each.size
            for _ in range(TABLE_NUMBERS):
                self._check_table_number(first + int(random.random() * each.size), end)
            first = end

    def _check_table_number(self, number: int, end: int) -> None:
        state = self.call(self.start, "unindex", number)
        if self.call(state, "index") != number:
            return  # not in use
        men = self.call(state, "men")
        if state.is_over():
            return
        for move in self.call(state, "legal_moves"):
            child = self.call(state, "play", move)
            if child.men() > men:
                self.refuse(state, "men", f"is {child.men()} after {move}; expected at most {men}, as before")
            found = -1 if child.is_over() else self.call(child, "index")
            if not child.is_over() and not 0 <= found < end:
                self.refuse(
                    child, "index", f"returned {found} after {move} in {state}; expected a number of the same slice or "
                    f"an earlier one, in 0 .. {end - 1}"
                )  # fmt: skip
            if not child.is_over() and self.call(self.call(child, "unindex", found), "index") != found:
                self.refuse(child, "unindex", f"({found}) has another index; expected {found}, the index of {child}")

    # ---- one position ----

    def check(self, state: State, thorough: bool) -> list[int]:
        """Check a position. Returns its legal moves."""
        if not self.cls.is_compiled:
            check_key(state)
        values = self._call_hooks(state, "any")
        key = self._check_identity(state, values["key"])
        known = self.remembered.get(key)
        if known is not None and not same_fields(tuple(known), tuple(state)):
            text = hex(key) if self.cls.is_compiled else repr(key)
            self.refuse(state, "key", f"is {text} here and in {known}; expected different keys for different states")
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
        if self.hidden is not None:
            self.hidden.check(state, moves, thorough)
        if known is not None and not thorough:
            return moves
        if len(self.remembered) < REMEMBERED:
            self.remembered[key] = state
        if not over:
            self.evaluation_checks.check_scores(state, thorough)
        decides = not over and side != CHANCE
        move_values = {move: self._call_move_hooks(state, move) for move in moves} if thorough and decides else {}
        if self.compiled:
            self._compare(state, self.compiled.read(state), values, moves, move_values)
        text = self._check_text(state, side)
        if thorough:
            names = self.check_names(state, moves, thorough)
            for checked in ("any", *(("finished",) if over else ("unfinished", "decision")[: 1 + decides])):
                self._call_hooks(state, checked, compiled=False)
            self._check_legal(state, moves)
            self._check_damaged(state, text, names)
            self._check_symmetries(state, side, over, moves)
            children = [(move, self.play(state, move, twice=True)) for move in moves]
            self._check_can_win(state, children)
            unfinished = [(move, child) for move, child in children if not child.is_over()]
            if not over:
                self.evaluation_checks.check_accumulators(state, unfinished)
                self._check_canonical(state)
            if decides:
                if len(unfinished) < len(children) and not state.may_end():
                    self._refuse_end(state, children)
                self.evaluation_checks.check_gains(state, side, unfinished)
                self._check_null_move(state, side)
                self._check_candidates(state, moves)
                self._check_tactical_moves(state, moves)
                self.decisions.append(state)
        return moves

    def _call_hooks(self, state: State, checked: str, *, compiled: bool = True) -> dict[str, Any]:
        """Call the methods that are checked in states of this kind, the compiled or the interpreted ones."""
        found: dict[str, Any] = {}
        for name, hook in CHECKED_HOOKS[checked, compiled]:
            if name in self.same_as_key:
                found[name] = found["key"]
                continue
            value = self.call(state, name)
            if not hook.accepts(value, self.cls):
                self._refuse_value(state, name, "", value)
            found[name] = value
        return found

    def _call_move_hooks(self, state: State, move: int) -> dict[str, Any]:
        found = {}
        for name, hook in CHECKED_HOOKS["move", True]:
            value = self.call(state, name, move)
            if not hook.accepts(value, self.cls):
                self._refuse_value(state, name, f"({move})", value)
            found[name] = value
        return found

    def play(self, state: State, move: int, twice: bool = False) -> State:
        """The state after a move; compared with compiled code's, and on request with that of a second call."""
        before = tuple(state) if self.cls.is_compiled else copy.deepcopy(tuple(state))
        child = self.call(state, "play", move)
        if type(child) is not self.cls:
            self.refuse(state, "play", f"({move}) returned {child!r}; expected a {self.cls.__name__}")
        if twice:
            again = self.call(state, "play", move)
            if again != child:
                self.refuse(
                    state, "play", f"({move}) returned {child!r}, then {again!r}; expected equal states each time "
                    "(objects in fields need __eq__ and __hash__, or the class a key(self))"
                    if not self.cls.is_compiled else
                    f"({move}) returned {child!r}, then {again!r}; expected the same each time"
                )  # fmt: skip
        if not same_fields(tuple(state), before):
            self.refuse(state, "play", f"({move}) changed the state that it was called on; expected a new state")
        if self.compiled:
            native = self.compiled.play(state, move)
            if native != child:
                self.differs(state, "play", f"({move})", native, child)
        return child

    def _check_identity(self, state: State, key: Any) -> Any:
        same = self.cls(*state)
        if same != state or hash(same) != hash(state):
            self.refuse(state, "__eq__", "says that a state differs from one with the same fields; do not redefine it")
        if self.call(same, "key") != key:
            self.refuse(state, "key", "differs for two equal states; expected it to depend on the fields alone")
        return int(key) if self.cls.is_compiled else key

    def _check_moves(self, state: State, side: int) -> list[int]:
        source = "outcomes" if side == CHANCE else "moves"
        moves = self.each(state, source)
        if side == CHANCE:
            for outcome in moves:
                if not (type(outcome) is tuple and len(outcome) == 2 and is_int(outcome[1])):
                    self.refuse(state, source, f"yielded {outcome!r}; expected a move and its weight, two ints")
                if outcome[1] <= 0:
                    self.refuse(state, source, f"yielded weight {outcome[1]} for {outcome[0]}; expected it positive")
            moves = [move for move, _ in moves]
        if not moves:
            self.refuse(
                state, source, "yielded nothing though is_over() is False; expected at least one move, such as a pass"
            )
        for move in moves:
            if expected := wrong_move(self.cls, move):
                self.refuse(state, source, f"yielded {move!r}; expected {expected}")
        if len(set(moves)) < len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            self.refuse(state, source, f"yielded {twice} more than once; expected each move once")
        return moves

    def _check_can_win(self, state: State, children: list[tuple[int, State]]) -> None:
        """A player who cannot win does not win by a move, and cannot win after it."""
        if self.cls.can_win is State.can_win:
            return
        for player in (MAX, MIN) if children else ():
            if self._can_win(state, player):
                continue
            for move, child in children:
                if child.is_over() and player * child.utility() > 0:
                    self.refuse(state, "can_win", f"({player}) returned False, but the player wins by {move}")
                if not child.is_over() and self._can_win(child, player):
                    self.refuse(state, "can_win", f"({player}) returned False, but after {move} it returned True")

    def _can_win(self, state: State, player: int) -> bool:
        found = self.call(state, "can_win", player)
        if not HOOKS["can_win"].accepts(found, self.cls):
            self._refuse_value(state, "can_win", f"({player})", found)
        return bool(found)

    def _refuse_end(self, state: State, children: list[tuple[int, State]]) -> None:
        move = next(move for move, child in children if child.is_over())
        self.refuse(state, "may_end", f"returned False, but the game is over after {move}; expected True")

    # ---- text ----

    def _check_text(self, state: State, side: int) -> str:
        text: str = self.call(state, "__str__")
        if not HOOKS["__str__"].accepts(text, self.cls):
            self._refuse_value(state, "__str__", "", text)
        try:
            parsed = self.cls.parse(text)
        except Exception as error:
            self.refuse(
                state, "parse", f"({text!r}) raised {one_line(error)}; expected the state with this str()", error
            )
        if parsed != state:
            self.refuse(state, "parse", f"({text!r}) returned {parsed!r}; expected {state!r}, which has this str()")
        player = self.call(state, "player_name", side)
        if not HOOKS["player_name"].accepts(player, self.cls):
            self._refuse_value(state, "player_name", f"({side})", player)
        return text

    def check_names(self, state: State, moves: list[int], thorough: bool) -> dict[str, int]:
        """Check that moves have different names, which are read back. Returns the moves by name."""
        names: dict[str, int] = {}
        accepts = HOOKS["move_name"].returns.accepts
        for move, name in zip(moves, self.call_for_each(state, "move_name", moves), strict=True):
            if not accepts(name):
                self._refuse_value(state, "move_name", f"({move})", name)
            if name in names:
                self.refuse(state, "move_name", f"is {name!r} for {names[name]} and for {move}; expected unique names")
            names[name] = move
        # The default of `parse_move` looks names up in a list that it makes anew: a single one of many is enough.
        is_default = self.cls.parse_move is State.parse_move
        for name, move in islice(names.items(), int(thorough) if is_default else None):
            found = self.call(state, "parse_move", name)
            if found != move:
                self.refuse(state, "parse_move", f"({name!r}) returned {found!r}; expected {move}, which has this name")
        return names

    def _check_legal(self, state: State, moves: list[int]) -> None:
        legal = self.call(state, "legal_moves")
        if legal != moves:
            self.refuse(state, "legal_moves", f"returned {legal}; expected {moves}, the moves that moves() yields")
        if moves and 0 < self.cls.largest_move < max(moves) and state.to_move() != CHANCE:
            self.refuse(state, "moves", f"yielded {max(moves)}; expected at most largest_move, {self.cls.largest_move}")
        picture = self.call(state, "picture")
        if picture is not None and not isinstance(picture, Picture):
            self.refuse(
                state, "picture", f"returned {picture!r}; expected a Grid or Points of zermelo.core.picture, or None"
            )
        if moves and isinstance(picture, Grid) and state.to_move() != CHANCE:
            self._check_set_up(state, picture)
        if state.to_move() != CHANCE:
            self._check_paths(state, moves, picture)

    def _check_set_up(self, state: State, picture: Grid) -> None:
        """Setting up the pieces of a position again gives a position with these pieces and the same side to move."""
        sorts = {piece.looks for piece in self.cls.setup_pieces()}
        if not sorts:
            return
        for piece in picture.pieces:
            if piece.looks not in sorts:
                self.refuse(state, "setup_pieces", f"lacks {piece!r}, which is on the board")
        made = self.call(state, "set_up", picture.pieces, state.to_move())
        try:
            found = self.cls.parse(str(made))
        except Exception as error:
            self.refuse(state, "set_up", f"of its own pieces returned {made!r}, whose text is refused: {error}")
        board = self.call(found, "picture")
        if found.to_move() != state.to_move() or set(board.pieces) != set(picture.pieces):
            self.refuse(state, "set_up", f"of its own pieces gave {found!r}; expected these pieces and side to move")
        options = self.call(state, "setup_options")
        again = self.call(made, "with_setup_options", tuple(option.name for option in options if option.is_on))
        if set(self.call(again, "setup_options")) != set(options):
            self.refuse(state, "with_setup_options", f"of its own options gave {again!r}; expected {options!r}")

    def _check_paths(self, state: State, moves: list[int], picture: Picture | None) -> None:
        """The squares of moves are on the board."""
        if isinstance(picture, Grid):
            columns, rows = range(picture.columns), range(picture.rows)
            expected = f"(column, row) inside the board of {picture.columns} x {picture.rows}"
        else:
            columns = rows = range(26 if picture is not None else 0)
            expected = "(from, to) in 0 .. 25" if picture is not None else "none, since the game has no picture"
        for move, path in zip(moves, self.call_for_each(state, "move_path", moves), strict=True):
            if type(path) is not tuple or not all(
                type(pair) is tuple and len(pair) == 2 and is_int(pair[0]) and is_int(pair[1])
                and pair[0] in columns and pair[1] in rows
                for pair in path
            ):  # fmt: skip
                self.refuse(state, "move_path", f"({move!r}) returned {path!r}; expected a tuple of pairs {expected}")

    def _check_damaged(self, state: State, text: str, names: dict[str, int]) -> None:
        """A damaged text raises the right error, or is read as the state (or move) that it happens to name."""
        damaged = self._damage(text)
        try:
            parsed = self.cls.parse(damaged)
        except PositionError as error:
            self._check_one_line(state, "parse", damaged, error)
        except Exception as error:
            self.refuse(state, "parse", f"({damaged!r}) raised {one_line(error)}; expected a PositionError", error)
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
            self.refuse(state, "parse_move", f"({damaged!r}) raised {one_line(error)}; expected an IllegalMove", error)
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

    # ---- symmetries, endgames, bounds and candidates ----

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

    def _check_canonical(self, state: State) -> None:
        if not self.cls.has_canonical:
            return
        found = self.call(state, "canonical")
        if found not in (state, *self.each(state, "symmetries")):
            self.refuse(state, "canonical", f"returned {found}; expected the state or one that `symmetries` yields")
        if self.compiled and self.compiled.canonical(state) != found:
            self.differs(state, "canonical", "()", self.compiled.canonical(state), found)
        if self.call(found, "canonical") != found:
            self.refuse(found, "canonical", f"returned another state than for its image {state}; expected the same")

    def _minimax(self, state: State) -> int | None:
        """The minimax value of a state; None if too many states would be visited."""
        if self.compiled:
            return self.compiled.minimax(state, ENDGAME_STATES)
        visits = [0, ENDGAME_STATES_INTERPRETED, 0]
        value: int = minimax(state, visits)
        return None if visits[0] > ENDGAME_STATES_INTERPRETED else value

    def _check_interval(self, state: State, method: str, value: int) -> None:
        low, high = getattr(state, method)()
        if not low <= value <= high:
            self.refuse(state, method, f"returned ({low}, {high}); expected an interval with {value} inside")

    def _check_null_move(self, state: State, side: int) -> None:
        """Check that after a null move the other side is to move, in a state of the same class."""
        if not self.cls.has_pass_turn or not self.call(state, "may_pass") or self.call(state, "in_check"):
            return
        after = self.call(state, "pass_turn")
        if type(after) is not type(state):
            self.refuse(state, "pass_turn", f"returned {after!r:.80}; expected a {self.cls.__name__}")
        if not after.is_over() and after.to_move() != -side:
            self.refuse(state, "pass_turn", "returned a state of the same side to move; expected the other side's")
        if not after.is_over():
            self.evaluation_checks.check_accumulators(state, [(NO_MOVE, after)])

    def _check_candidates(self, state: State, moves: list[int]) -> None:
        if not self.cls.has_candidates:
            return
        found = self.each(state, "candidates")
        if not found or len(set(found)) < len(found) or not set(found) <= set(moves):
            self.refuse(state, "candidates", f"yielded {found}; expected some of the moves {moves}, each once")
        if self.compiled and self.compiled.candidates(state) != found:
            self.differs(state, "candidates", "()", self.compiled.candidates(state), found)

    def _check_tactical_moves(self, state: State, moves: list[int]) -> None:
        """Check that `tactical_moves` yields moves, and all tactical ones in the order of `moves`."""
        if not self.cls.has_tactical_generator:
            return
        found = self.each(state, "tactical_moves")
        tactical = [move for move in moves if state.is_tactical(move)]
        if not set(found) <= set(moves) or [move for move in found if state.is_tactical(move)] != tactical:
            self.refuse(state, "tactical_moves", f"yielded {found}; expected {tactical}, perhaps with other moves")

    def _check_best_candidate(self, state: State, value: int) -> None:
        if not self.cls.has_candidates:
            return
        side = state.to_move()
        found = [self._minimax(self.play(state, move)) for move in self.each(state, "candidates")]
        values = [None if each is None else one_ply_before(state, each) for each in found]
        if value not in values:
            best = max(side * each for each in values if each is not None) * side
            self.refuse(state, "candidates", f"yielded moves worth at most {best}; expected one worth {value}")

    def _check_endgame(self, state: State, value: int) -> None:
        if not self.cls.has_endgame_solver or not state.is_endgame():
            return
        native = self.compiled
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
        except Exception as error:
            self._refuse_error(state, method, arguments, error)

    def call_for_each(self, state: State, method: str, moves: list[Any]) -> list[Any]:
        """What a method returns for each of the moves; errors are as those of `call`."""
        found: list[Any] = []
        try:
            bound = getattr(state, method)
            for move in moves:
                found.append(bound(move))
        except Exception as error:
            self._refuse_error(state, method, (moves[len(found)],), error)
        return found

    def _refuse_error(self, state: State, method: str, arguments: tuple[Any, ...], error: Exception) -> NoReturn:
        if isinstance(error, GameError):
            raise GameError(f"{origin(error, method)}{error}; position: {self._text(state)}") from None
        listed = ", ".join(map(repr, arguments))
        hint = annotation_hint(self.cls, str(error))
        self.refuse(state, method, f"({listed}) raised {one_line(error)}{hint}", error)

    def each(self, state: State, method: str) -> list[Any]:
        """All that a method yields."""
        found = self.call(state, method)
        if not hasattr(found, "__iter__"):
            kind = {"outcomes": "outcomes", "symmetries": "states"}.get(method, "moves")
            self.refuse(state, method, f"returned {found!r}; expected it to yield the {kind}")
        try:
            items = list(islice(found, MOST_MOVES + 1))
        except Exception as error:
            self.refuse(state, method, f"() raised {one_line(error)}", error)
        if len(items) > MOST_MOVES:
            self.refuse(state, method, f"yielded more than {MOST_MOVES:,} items; check that its loop ends")
        return items

    def differs(self, state: State, method: str, call: str, compiled: Any, interpreted: Any) -> NoReturn:
        self.refuse(state, method + call, f"is {compiled!r} in compiled code, {interpreted!r} in plain Python")

    def _refuse_value(self, state: State, method: str, call: str, value: Any) -> NoReturn:
        kind = "" if isinstance(value, str) or HOOKS[method].returns.accepts(value) else f" ({type(value).__name__})"
        gap = f"{call} " if call else ""
        self.refuse(state, method, f"{gap}returned {value!r}{kind}; expected {HOOKS[method].expected(self.cls)}")

    def refuse(self, state: State, method: str, wrong: str, error: Exception | None = None) -> NoReturn:
        """Raise a `GameError` for a method. An exception that it raised is named by its file and line."""
        gap = "" if wrong.startswith("(") else " "
        where = origin(error, method) if error is not None else ""
        raise GameError(f"{where}{self.cls.__name__}.{method}{gap}{wrong}; position: {self._text(state)}") from None

    def _text(self, state: State) -> str:
        try:
            return " ".join(str(state).split())
        except Exception:
            return repr(state)
