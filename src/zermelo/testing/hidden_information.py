"""The checks of `check_game` for games with hidden information: what a player knows, and what it must not see.

Positions of random games that a player cannot tell apart are compared with each other, and each with states drawn by
`State.resample`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from zermelo.core.game import CHANCE, HOOKS, MAX, MIN, State
from zermelo.core.information_sets import RANDOM, Knowledge, knowledge

# Draws of `resample` a position and player, in a game that is checked thoroughly and in others.
DRAWS, FEW_DRAWS = 4, 1


class _Checker(Protocol):
    """What is used of `zermelo.testing.checker`."""

    cls: type[State]
    compiled: Any

    def call(self, state: State, method: str, *arguments: Any) -> Any: ...
    def call_for_each(self, state: State, method: str, moves: list[Any]) -> list[Any]: ...
    def refuse(self, state: State, method: str, wrong: str) -> Any: ...
    def differs(self, state: State, method: str, call: str, compiled: Any, interpreted: Any) -> Any: ...


class HiddenInformation:
    """Checks the hooks of hidden information in the positions of random games.

    Parameters
    ----------
    checker
        Calls methods and reports what is wrong.
    """

    def __init__(self, checker: _Checker) -> None:
        self.checker = checker
        self.random = Random(0)
        # By what a player knows: the first such position, and what must be the same in all of them.
        self.positions: dict[Knowledge, State] = {}
        self.pasts: dict[Knowledge, Any] = {}
        self.moves: dict[Knowledge, Any] = {}
        self.paths: dict[Knowledge, Any] = {}
        self.views: dict[Knowledge, Any] = {}
        self.keys: dict[tuple[int, str], Any] = {}
        self.texts: dict[tuple[int, Any], str] = {}
        self.begin_game()

    def begin_game(self) -> None:
        """Forget the decisions of the previous game."""
        self.past: dict[int, tuple[Any, ...]] = {MAX: (), MIN: ()}

    def made(self, state: State, move: Any) -> None:
        """Record a move of the game that is checked."""
        side = state.to_move()
        if side != CHANCE:
            self.past[side] = (*self.past[side], (knowledge(state, side), move))

    def check(self, state: State, moves: list[Any], thorough: bool) -> None:
        """Check a position for both players. Raises `GameError`."""
        for player in (MAX, MIN):
            text = self.checker.call(state, "information_state", player)
            hook = HOOKS["information_state"]
            if not hook.accepts(text, self.checker.cls):
                self.checker.refuse(
                    state, "information_state",
                    f"({player}) returned {text!r} ({type(text).__name__}); expected {hook.expected(self.checker.cls)}",
                )  # fmt: skip
            knows = knowledge(state, player)
            self._check_view(state, knows)
            if knows.over:
                continue
            self._check_key(state, knows)
            if state.perfect_recall:
                self._same(
                    self.pasts, state, knows, self.past[player], "information_state",
                    "though the player has observed or done other things before (no perfect recall)",
                )  # fmt: skip
            if knows.moves:
                self._check_moves(state, knows, moves)
            for _ in range(DRAWS if thorough else FEW_DRAWS):
                self._check_draw(state, knows)
        if state.has_open_state and (state.is_over() or state.to_move() != CHANCE):
            self._check_open(state, moves)

    def _same(
        self, known: dict[Knowledge, Any], state: State, knows: Knowledge, value: Any, method: str, difference: str
    ) -> None:
        """Check that a value is the same in all positions that a player cannot tell apart."""
        if known.setdefault(knows, value) != value:
            self.checker.refuse(
                state, method,
                f"cannot be right: information_state({knows.player}) is {knows.information[:80]!r} here and in "
                f"{self.positions[knows]}, {difference}",
            )  # fmt: skip
        self.positions.setdefault(knows, state)

    def _check_moves(self, state: State, knows: Knowledge, moves: list[Any]) -> None:
        names = list(zip(moves, self.checker.call_for_each(state, "move_name", moves), strict=True))
        self._same(self.moves, state, knows, names, "moves", "though the player can make other moves there")
        paths = self.checker.call_for_each(state, "move_path", moves)
        self._same(self.paths, state, knows, paths, "move_path", "though the moves have other squares there")

    def _check_key(self, state: State, knows: Knowledge) -> None:
        if not self.checker.cls.has_information_key:
            return
        player, text = knows.player, knows.information
        key = self.checker.call(state, "information_key", player)
        if not HOOKS["information_key"].accepts(key, self.checker.cls):
            self.checker.refuse(
                state, "information_key", f"({player}) returned {key!r} ({type(key).__name__}); expected a Bitboard"
            )
        if self.keys.setdefault((player, text), key) != key:
            self.checker.refuse(
                state, "information_key",
                f"({player}) is {_number(key)} and {_number(self.keys[player, text])} where information_state is "
                f"{text[:80]!r}; expected equal keys",
            )  # fmt: skip
        other = self.texts.setdefault((player, key), text)
        if other != text:
            self.checker.refuse(
                state, "information_key",
                f"({player}) is {_number(key)} where information_state is {other[:80]!r} and where it is "
                f"{text[:80]!r}; expected different keys",
            )  # fmt: skip
        if self.checker.compiled:
            native = self.checker.compiled.information_key(state, player)
            if native != key:
                self.checker.differs(state, "information_key", f"({player})", native, key)

    def _check_draw(self, state: State, knows: Knowledge) -> None:
        """A state drawn by `resample` looks the same to the player, and so do the draws from it."""
        player, random = knows.player, self._draw_random()
        drawn = self.checker.call(state, "resample", player, random)
        if type(drawn) is not self.checker.cls:
            self.checker.refuse(
                state, "resample",
                f"({player}, {random}) returned {drawn!r}; expected a state of {self.checker.cls.__name__}",
            )  # fmt: skip
        there = knowledge(drawn, player)
        if there != knows:
            found = _difference(there, knows)
            self.checker.refuse(state, "resample", f"({player}, {random}) returned {drawn}, where {found}")
        is_compiled = self.checker.cls.has_resample and self.checker.compiled
        if is_compiled:
            native = self.checker.compiled.resample(state, player, random)
            if native != drawn:
                self.checker.differs(state, "resample", f"({player}, {random})", native, drawn)
        again = self._draw_random()

        def draw(other: State) -> Any:
            if is_compiled:
                return self.checker.compiled.resample(other, player, again)
            return self.checker.call(other, "resample", player, again)

        here = draw(state)
        for other in (drawn, self.positions[knows]):
            there_drawn = draw(other)
            if here != there_drawn:
                self.checker.refuse(
                    state, "resample",
                    f"({player}, {again}) returned {here}, but {there_drawn} in {other}, which the player cannot tell "
                    "from this state; expected it to depend on what the player knows alone",
                )  # fmt: skip
        if knows.moves:
            self._check_moves(drawn, knows, self.checker.call(drawn, "legal_moves"))
        self._check_view(drawn, knows)

    def _check_open(self, state: State, moves: list[Any]) -> None:
        """The open state has perfect information, and the same player to move, moves and utility."""
        found = self.checker.call(state, "open_state")
        if not isinstance(found, State) or not found.perfect_information:
            self.checker.refuse(
                state, "open_state", f"() returned {found!r}; expected a state of a game with perfect information"
            )
        over = state.is_over()
        aspects: list[tuple[str, Any, Any]] = [("is_over()", found.is_over(), over)]
        if over == found.is_over():
            if over:
                aspects.append(("utility()", found.utility(), state.utility()))
            else:
                aspects.append(("to_move()", found.to_move(), state.to_move()))
                aspects.append(("legal_moves()", found.legal_moves(), moves))
        for name, there, here in aspects:
            if there != here:
                self.checker.refuse(
                    state, "open_state", f"() returned {found}, whose {name} is {there}; expected {here}"
                )

    def _check_view(self, state: State, knows: Knowledge) -> None:
        """What a player is shown depends on what it knows alone."""
        seen = self.checker.call(state, "view", knows.player)
        shown = None
        if seen is not None:
            if type(seen) is not self.checker.cls:
                self.checker.refuse(
                    state, "view",
                    f"({knows.player}) returned {seen!r}; expected a state of {self.checker.cls.__name__}, or None",
                )  # fmt: skip
            shown = (seen, self.checker.call(seen, "board"), self.checker.call(seen, "picture"))
        self._same(self.views, state, knows, shown, "view", f"though view({knows.player}) differs")

    def _draw_random(self) -> int:
        return int(self.random.random() * RANDOM)


def _difference(found: Knowledge, expected: Knowledge) -> str:
    """Say which part of what a player knows differs."""
    if found.information != expected.information:
        return (
            f"information_state({found.player}) is {found.information[:80]!r}; expected {expected.information[:80]!r}"
        )
    if found.over != expected.over:
        return f"is_over() is {found.over}; expected {expected.over}"
    return f"to_move() is {'' if found.moves else 'not '}{found.player}; expected the same as here"


def _number(key: Any) -> str:
    return hex(key) if isinstance(key, int) else repr(key)


def native_hooks(start: State, native: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Compile the hooks of hidden information that a game declares, by name."""
    found = {}
    if start.has_information_key:
        found["information_key"] = native(_information_key, start, 0)
    if start.has_resample:
        found["resample"] = native(_resample, start, 0, 0)
    return found


def _information_key(state: Any, player: Any) -> Any:
    return state.information_key(player)


def _resample(state: Any, player: Any, random: Any) -> Any:
    return state.resample(player, random)
