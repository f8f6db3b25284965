"""Games exchanged with OpenSpiel, both ways.

from zermelo.adapters.openspiel import from_openspiel, to_openspiel

game = to_openspiel("connect4")        # a pyspiel.Game, for OpenSpiel's algorithms
Pig = from_openspiel("pig")            # a game of Zermelo, by OpenSpiel's rules
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any, Self

import numpy as np

from zermelo._util.text import did_you_mean
from zermelo.adapters.actions import MAX_MOVES, Actions
from zermelo.adapters.observations import Observations
from zermelo.arena.game_course import GameCourse
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.game import game as as_game
from zermelo.errors import GameError, LimitError, MissingDependency, PositionError, UnknownGame
from zermelo.registry import load

try:
    import pyspiel
except ImportError:
    raise MissingDependency("OpenSpiel games need OpenSpiel: pip install 'zermelo[openspiel]'") from None

_PLAYERS = {MAX: 0, MIN: 1}
_SIDES = (MAX, MIN)


def to_openspiel(game: str | type[State], *, max_plies: int = 1000, max_moves: int = MAX_MOVES) -> Any:
    """Return a game as a `pyspiel.Game`; it is also registered, under the name `zermelo_NAME`.

    Player 0 is MAX. Chance events are numbered in the order of `outcomes`, moves as `zermelo.adapters.actions` says.
    Returns are utilities.

    Parameters
    ----------
    game : str or type of State
        The game: a name, FILE:CLASS, or the class.
    max_plies : int
        Plies after which an unfinished game is a draw.
    max_moves : int
        Number of actions in games without `largest_move`, and of chance events of a position at most.

    Raises
    ------
    UnknownGame
        No such game.
    LimitError
        An argument is out of range.
    MissingDependency
        OpenSpiel is not installed.

    Examples
    --------
    >>> from zermelo.adapters.openspiel import to_openspiel  # doctest: +SKIP
    >>> to_openspiel("tictactoe").new_initial_state().legal_actions()  # doctest: +SKIP
    [0, 1, 2, 3, 4, 5, 6, 7, 8]
    """
    cls = load(game) if isinstance(game, str) else game
    if max_plies < 1:
        raise LimitError(f"max_plies must be at least 1 (got {max_plies})")
    actions = Actions(cls, max_moves)
    kinds = pyspiel.GameType
    game_type = kinds(
        short_name=f"zermelo_{cls.__name__.lower()}",
        long_name=f"{cls.__name__} (Zermelo)",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if cls.has_chance else kinds.ChanceMode.DETERMINISTIC,
        information=(
            kinds.Information.PERFECT_INFORMATION
            if cls.perfect_information
            else kinds.Information.IMPERFECT_INFORMATION
        ),
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=cls.perfect_recall,  # OpenSpiel's have perfect recall
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    game_info = pyspiel.GameInfo(
        num_distinct_actions=actions.count,
        max_chance_outcomes=max_moves if cls.has_chance else 0,
        num_players=2,
        min_utility=-float(cls.max_utility),
        max_utility=float(cls.max_utility),
        utility_sum=0.0,
        max_game_length=max_plies,
    )

    class ZermeloGame(pyspiel.Game):
        """The rules, as OpenSpiel calls them."""

        def __init__(self, params: Any = None) -> None:
            super().__init__(game_type, game_info, params or {})

        def new_initial_state(self, state: Any = None) -> _State:
            return _State(self, GameCourse(cls.start(), max_plies), actions)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            if params:
                raise LimitError(f"observation parameters are not supported (got {params})")
            return (_Observer if cls.perfect_information else _HiddenObserver)(cls, iig_obs_type)

        def max_chance_nodes_in_history(self) -> int:
            return max_plies if cls.has_chance else 0

    pyspiel.register_game(game_type, ZermeloGame)
    return ZermeloGame()


class _State(pyspiel.State):
    """A position and how it was reached."""

    def __init__(self, game: Any, course: GameCourse, actions: Actions) -> None:
        super().__init__(game)
        self._course = course
        self._actions = actions
        self._is_over = course.end() is not None

    def current_player(self) -> Any:
        if self._is_over:
            return pyspiel.PlayerId.TERMINAL
        side = self._course.state.to_move()
        return pyspiel.PlayerId.CHANCE if side == CHANCE else _PLAYERS[side]

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._actions.legal(self._course.state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        weights = [weight for _, weight in self._course.state.outcomes()]
        return [(number, weight / sum(weights)) for number, weight in enumerate(weights)]

    def _apply_action(self, action: int) -> None:
        self._course.make(self._move(action))
        self._is_over = self._course.end() is not None

    def _move(self, action: int) -> Any:
        state = self._course.state
        if state.to_move() == CHANCE:
            return [move for move, _ in state.outcomes()][action]
        return self._actions.legal(state)[action]

    def _action_to_string(self, player: int, action: int) -> str:
        return self._course.state.move_name(self._move(action))

    def is_terminal(self) -> bool:
        return self._is_over

    def returns(self) -> list[float]:
        state = self._course.state
        utility = float(state.utility()) if state.is_over() else 0.0
        return [utility, -utility]

    def __str__(self) -> str:
        return str(self._course.state)


class _Observer:
    """What is seen of a position, as OpenSpiel's observers give it: an array and a text."""

    def __init__(self, cls: type[State], kind: Any) -> None:
        self._observations = Observations(cls)
        self._kind = kind
        self.tensor = np.zeros(len(self._observations.low), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        """Write the observation of a player into `tensor`."""
        self.tensor[:] = self._observations.observe(state._course.state, _SIDES[player])

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player sees as text: the position, or with perfect recall the history."""
        if self._kind is not None and not self._kind.public_info:
            return ""
        if self._kind is not None and self._kind.perfect_recall:
            return str(state.history_str())
        return str(state)


class _HiddenObserver(_Observer):
    """What a player knows of a position where information is hidden."""

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player knows as text; nothing if private information is not asked for."""
        if self._kind is not None and self._kind.private_info == pyspiel.PrivateInfoType.NONE:
            return ""
        return str(state._course.state.information_state(_SIDES[player]))


# ---- from OpenSpiel ---------------------------------------------------------------------------------------------

# The starting position as text.
_START = "start"
# Probabilities are taken as fractions with denominators up to this.
_MAX_DENOMINATOR = 1_000_000


class _Reached:
    """A position of OpenSpiel as an immutable value, equal to those reached by the same actions."""

    __slots__ = ("position",)

    def __init__(self, position: Any) -> None:
        self.position = position

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reached) and self.position.history() == other.position.history()

    def __hash__(self) -> int:
        return hash(tuple(self.position.history()))

    def __deepcopy__(self, memo: object) -> _Reached:
        return self


def from_openspiel(game: Any) -> type[State]:
    """Return a game of OpenSpiel as an interpreted game of Zermelo.

    Parameters
    ----------
    game : str or pyspiel.Game
        The game: a name with parameters, such as `pig` or `breakthrough(rows=6,columns=6)`, or the game itself.

    Returns
    -------
    type of State
        Player 0 is MAX, moves are OpenSpiel's actions. A position is written as the actions that lead to it, separated
        by commas. Positions are equal if their actions are: OpenSpiel's games have no common form for a position alone.

    Raises
    ------
    UnknownGame
        OpenSpiel has no such game.
    GameError
        The game cannot be carried: it needs two players who move in turn, perfect information, and whole-numbered
        returns that sum to zero.
    MissingDependency
        OpenSpiel is not installed.
    """
    rules = _load(game) if isinstance(game, str) else game
    _check(rules)
    name = str(rules)
    largest = int(rules.max_utility())

    @as_game(compiled=False)
    class OpenSpielGame(State):
        reached: _Reached = _Reached(rules.new_initial_state())

        max_utility = largest

        def to_move(self) -> int:
            position = self.reached.position
            if position.is_chance_node():
                return CHANCE
            return MAX if position.is_terminal() else _SIDES[position.current_player()]

        def moves(self) -> Iterator[int]:
            yield from self.reached.position.legal_actions()

        if rules.get_type().chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC:

            def outcomes(self) -> Iterator[tuple[int, int]]:
                outcomes = self.reached.position.chance_outcomes()
                chances = [Fraction(chance).limit_denominator(_MAX_DENOMINATOR) for _, chance in outcomes]
                common = lcm(*(chance.denominator for chance in chances))
                for (move, _), chance in zip(outcomes, chances, strict=True):
                    yield move, int(chance * common)

        def play(self, move: int) -> Self:
            return type(self)(_Reached(self.reached.position.child(move)))

        def is_over(self) -> bool:
            return bool(self.reached.position.is_terminal())

        def utility(self) -> int:
            result = self.reached.position.returns()[0]
            if result != int(result):
                raise GameError(f"{name}: a return of {result}; only whole numbers can be carried")
            return int(result)

        def __str__(self) -> str:
            return ",".join(map(str, self.reached.position.history())) or _START

        def board(self) -> str:
            return str(self.reached.position)

        @classmethod
        def parse(cls, text: str) -> Self:
            position = rules.new_initial_state()
            for word in text.split(",") if text.strip() != _START else ():
                action = int(word) if word.strip().isdecimal() else -1
                if position.is_terminal() or action not in position.legal_actions():
                    raise PositionError(f"{name}: action {word.strip()!r} is not legal after {position.history()}")
                position.apply_action(action)
            return cls(_Reached(position))

        def move_name(self, move: int) -> str:
            return "_".join(self.reached.position.action_to_string(move).split())

    OpenSpielGame.__name__ = OpenSpielGame.__qualname__ = rules.get_type().short_name
    return OpenSpielGame


def _load(text: str) -> Any:
    try:
        return pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        short = text.partition("(")[0]
        names = pyspiel.registered_names()
        if short in names:
            raise UnknownGame(f"OpenSpiel game {text!r}: {str(error).splitlines()[0]}") from None
        meant = did_you_mean(short, names, "see pyspiel.registered_names()")
        raise UnknownGame(f"OpenSpiel has no game {short!r}; {meant}") from None


def _check(rules: Any) -> None:
    """Raise `GameError` for a game that Zermelo cannot carry."""
    kind, kinds = rules.get_type(), pyspiel.GameType
    for holds, expected in (
        (rules.num_players() == 2, f"two players (it has {rules.num_players()})"),
        (kind.dynamics == kinds.Dynamics.SEQUENTIAL, "players who move in turn"),
        (kind.information == kinds.Information.PERFECT_INFORMATION, "perfect information"),
        (kind.chance_mode != kinds.ChanceMode.SAMPLED_STOCHASTIC, "chance events with their probabilities"),
        (kind.utility == kinds.Utility.ZERO_SUM, "returns that sum to zero"),
        (rules.max_utility() == int(rules.max_utility()), f"whole-numbered returns (up to {rules.max_utility()})"),
    ):
        if not holds:
            raise GameError(f"{rules}: cannot be carried; expected {expected}")
