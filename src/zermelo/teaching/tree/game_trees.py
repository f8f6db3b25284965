"""The tree of a game's position, written out to a depth.

What the leaves are worth follows the textbook searches (`zermelo.search.textbook`), so that tracing the tree visits
what they visit:

- where a player may have the game called a draw, below the root, it is worth 0;
- without an evaluation, finished games are worth their utility and everything else 0;
- with one, the leaves at the depth are worth what it says, and finished games rank beyond all of that. The searches'
  own scale has a million there (`zermelo.search.scores`), which nobody wants to read in a drawing. So a grown tree has
  a `base` instead: the smallest power of ten beyond everything the evaluation said in this tree. A game won `ply` moves
  below the root is worth base - ply; where games end by points, base + points. The order of all scores is the same, and
  so is every cut.

In games of chance both scales are one: where an evaluation is given, a finished game is worth its utility in the points
of the evaluation (`Evaluation.unit`). A tree keeps its means exactly, where the searches round them on a fine scale.
"""

from __future__ import annotations

from collections.abc import Mapping

from zermelo.core.evaluation import Evaluation, Nothing, checked_score, search_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import can_claim_draw, repeatable_plies
from zermelo.core.validation import as_game_error, check_state, validate_root
from zermelo.errors import TreeError, ZermeloError
from zermelo.search.scores import PLAIN, finished_score, grain_of, plies_of, ranked, utility_of
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import DEEPEST, MOST_NODES, Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Number
from zermelo.teaching.tree.parsing import LONGEST_NAME, LONGEST_STATE, normalize_weights

#: The most nodes that are grown if nothing else is said.
DEFAULT_NODE_LIMIT = 200_000
#: The longest text of a position that serves as the root's name.
LONGEST_ROOT = 24


class GameTree(Tree):
    """The tree of a game's position: a `Tree` that knows its game."""

    def __init__(self, tree: Tree, state: State, base: int, evaluation: Evaluation | None = None) -> None:
        super().__init__(tree.nodes, tree.name)
        #: The position at the root.
        self.root_state = state
        #: What won games are counted from, see above; 0 where values are utilities.
        self.win_value = base
        #: What the game calls MAX, MIN and chance.
        self.player_names: Mapping[int, str] = {
            **{player: state.player_name(player) for player in (MAX, MIN)},
            CHANCE: "chance",
        }
        self._scale = ranked(state, evaluation) if base or state.has_chance else PLAIN
        self._grain = grain_of(self._scale, evaluation or Nothing()) if state.has_chance else 1

    def search_score(self, value: Number) -> Number:
        """What the searches of the library call a value of this tree (in games of chance: but for rounded means)."""
        if self.root_state.has_chance:
            return value * self._grain
        away = value if value > 0 else -value
        if not self.win_value or away < self.win_value - self.depth:
            return value
        plies = self.win_value - away if self._scale.step else 0
        points = 1 if self._scale.step else away - self.win_value
        size = self._scale.base + points * self._scale.unit - plies * self._scale.step
        return size if value > 0 else -size

    def game_result(self, value: Number) -> tuple[int, int | None] | None:
        """For a value that stands for a finished game its utility and, where the scale tells, after how many plies.

        None for an evaluation, 0, and in games of chance, whose values are means.
        """
        if self.root_state.has_chance:
            return None
        score = self.search_score(value)
        if not isinstance(score, int) or not score:
            return None
        if self.win_value and abs(score) < self._scale.base:
            return None
        return utility_of(score, self._scale), plies_of(score, self._scale)


def game_tree(
    state: State,
    depth: int,
    evaluation: str | Evaluation | None = None,
    *,
    rank_wins: bool | None = None,
    limit: int = DEFAULT_NODE_LIMIT,
) -> GameTree:
    """The tree of a state to a depth in plies, in the order of the game's moves.

    Nodes are named by the moves that lead to them, the root "start" or by its position. They carry the position drawn
    (`state`), the move (`move`), and the evaluation of inner nodes (`evaluation`). Positions that came before in the
    tree have their first node as `twin`.

    `evaluation` is the name of one of the game's, "nothing", or a value; by default the game's first. Wins rank above
    every evaluation; with `rank_wins=False` finished games are worth their utility, as in `zermelo.minimax`.

    Raises `TreeError` where the tree would have more than `limit` nodes, and `GameError` if the game's rules fail.
    """
    check_state(state)
    if not 0 <= depth <= DEEPEST:
        raise TreeError(f"depth {depth} is not in 0 .. {DEEPEST:,} plies")
    scored = search_evaluation(state, evaluation, has_horizon=True)
    if rank_wins is False and isinstance(scored, Nothing):
        scored = None  # values are utilities, and the nodes carry no evaluation
    validate_root(state, scored)
    try:
        with gc_paused():
            return _Growth(state, depth, scored, min(limit, MOST_NODES), rank_wins is not False).grown()
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, state) from error


class _Growth:
    """The positions row by row, each row counted before it is made; then the nodes in a tree's order."""

    def __init__(
        self, state: State, depth: int, evaluation: Evaluation | None, limit: int, rank_wins: bool = True
    ) -> None:
        self.depth = depth
        self.evaluation = evaluation
        self.states = [state]
        self.plies = [0]
        self.moves = [-1]
        self.parents = [-1]
        self.drawn: set[int] = set()  # the places where the game may be called a draw
        self.below: list[range] = []  # for each position the places of those that its moves lead to
        self.weights: list[tuple[int, ...]] = []
        self._grow(limit)
        # What the evaluation says of each position that is not over; 0 where there is none.
        self.guesses = [
            0 if evaluation is None or state.is_over() else checked_score(evaluation, state) for state in self.states
        ]
        ranks_wins = rank_wins and evaluation is not None and not state.has_chance
        self.win_value = self._beyond_evaluations() if ranks_wins else 0

    def _grow(self, limit: int) -> None:
        row = range(1)
        for ply in range(self.depth + 1):
            count = len(self.states)
            led: list[list[int]] = []
            for place in row:
                state = self.states[place]
                moves: list[int] = []
                weights: tuple[int, ...] = ()
                if ply and not state.is_over() and self._may_be_drawn(place):
                    self.drawn.add(place)
                elif ply < self.depth and not state.is_over():
                    if state.to_move() == CHANCE:
                        outcomes = list(state.outcomes())
                        moves = [move for move, _ in outcomes]
                        weights = normalize_weights([weight for _, weight in outcomes])
                    else:
                        moves = state.legal_moves()
                led.append(moves)
                self.weights.append(weights)
                self.below.append(range(count, count + len(moves)))
                count += len(moves)
                if count > limit:
                    raise TreeError(
                        f"the tree has more than {limit:,} nodes at depth {ply + 1}, which is the limit; grow it to "
                        f"depth {ply}" + (", or from a later position" if ply < 3 else "")
                    )
            begin = len(self.states)
            for place, moves in zip(row, led, strict=True):
                state = self.states[place]
                self.states += [state.play(move) for move in moves]
                self.moves += moves
                self.parents += [place] * len(moves)
                self.plies += [ply + 1] * len(moves)
            row = range(begin, len(self.states))

    def _may_be_drawn(self, place: int) -> bool:
        """Whether the searches would take the game as drawn here, by what has been on the way from the root."""
        state = self.states[place]
        times = 1
        if state.draw_at_repetition:
            here = state.repetition_key()
            for _ in range(repeatable_plies(state, self.plies[place])):
                place = self.parents[place]
                times += self.states[place].repetition_key() == here
        return can_claim_draw(state, times)

    def _beyond_evaluations(self) -> int:
        """What won games are counted from: a power of ten beyond every evaluation, also after the plies are off."""
        largest = max(map(abs, self.guesses))
        base = 10
        while base - self.depth <= largest:
            base *= 10
        return base

    def _value(self, place: int) -> int:
        """What a leaf is worth."""
        state, ply = self.states[place], self.plies[place]
        if not state.is_over():
            return 0 if place in self.drawn else self.guesses[place]
        utility = state.utility()
        if not self.win_value:
            return utility if self.evaluation is None else utility * self.evaluation.unit
        step = ranked(state).step
        return finished_score(utility, ply, self.win_value - step, 1, step)

    def grown(self) -> GameTree:
        draft = TreeBuilder()
        names = _Names(self.states[0])
        twins: dict[State, int] = {}
        stack: list[tuple[int, int, str]] = [(0, -1, "")]  # nodes to come: place, parent's index, the move's name
        while stack:
            place, parent, move = stack.pop()
            state = self.states[place]
            children = self.below[place]
            index = len(draft.ids)
            twin = twins.setdefault(state, index)
            drawn = draft.states[twin] if twin < index else state.board()[:LONGEST_STATE]
            id = names.of(None if parent < 0 else draft.ids[parent], move)
            if children:
                guess = None if self.evaluation is None else self.guesses[place]
                player = state.to_move()
                weights = self.weights[place]
                draft.add(
                    parent,
                    player,
                    id=id,
                    weights=weights,
                    move=move,
                    evaluation=guess,
                    state=drawn,
                    transposition_of=twin,
                )
            else:
                value = self._value(place)
                draft.add(parent, None, id=id, value=value, move=move, state=drawn, transposition_of=twin)
            stack += [(child, index, state.move_name(self.moves[child])) for child in reversed(children)]
        tree = draft.build(type(self.states[0]).__name__)
        return GameTree(tree, self.states[0], self.win_value, self.evaluation)


class _Names:
    """The nodes' names: the line of moves, each name once and none too long to be read back."""

    def __init__(self, root: State) -> None:
        text = str(root)
        short = len(text) <= LONGEST_ROOT and "\n" not in text
        self.root = "start" if root == type(root).start() else text if short and text else "position"
        self.taken: set[str] = {self.root}

    def of(self, parent: str | None, move: str) -> str:
        if parent is None:
            return self.root
        id = move if parent == self.root else f"{parent} {move}"
        if len(id) > LONGEST_NAME:
            id = f"... {move} ({len(self.taken)})"[-LONGEST_NAME:]
        while id in self.taken:
            id += "'"
        self.taken.add(id)
        return id
