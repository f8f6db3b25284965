"""`game_tree`: the tree of a game's position to a depth.

Leaf values follow the textbook searches (`zermelo.search.textbook`), so that a trace of the tree visits the same nodes:

- a position below the root where a player may claim a draw has value 0;
- leaves at the depth have their evaluation, and finished games rank above all of them. The searches use a base of a
  million for wins (`zermelo.search.scores`), which is hard to read in a drawing. A game tree uses `win_value` instead:
  the smallest power of ten above every evaluation in the tree. A game won `ply` moves below the root has the value
  win_value - ply; in games with graded results, win_value + points. The order of all values is preserved, and so is
  every cutoff;
- with `rank_wins=False`, finished games have their utility.

In games with chance both scales are the same: with an evaluation, a finished game has its utility in evaluation units
(`Evaluation.unit`). A tree keeps means exactly, where the searches round them on a fine scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from zermelo.core.evaluation import Evaluation, Nothing, checked_score, search_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import has_repetition_rule, repeatable_plies, utility_by_rule
from zermelo.core.validation import as_game_error, check_state, validate_root
from zermelo.errors import TreeError, ZermeloError
from zermelo.search.scores import PLAIN, finished_score, grain_of, plies_of, ranked, utility_of
from zermelo.search.textbook import MAX_QUIESCENCE_PLIES
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import MAX_DEPTH, MAX_NODES, Node, Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Number
from zermelo.teaching.tree.parsing import MAX_NAME, MAX_STATE, normalize_weights
from zermelo.teaching.tree.state_text import state_text

#: Default maximum number of nodes.
DEFAULT_NODE_LIMIT = 200_000
#: Maximum length of a position that is used as the root's name.
MAX_ROOT_NAME = 24


class GameTree(Tree):
    """The tree of a game's position, made by `game_tree`.

    Attributes
    ----------
    root_state : State
        The position at the root.
    win_value : int
        The value from which wins are counted; 0 if values are utilities.
    player_names : dict
        The names that the game gives to MAX, MIN and CHANCE.
    """

    def __init__(self, tree: Tree, positions: Sequence[State], base: int, evaluation: Evaluation | None = None) -> None:
        super().__init__(tree.nodes, tree.name, positions)
        state = self.root_state = positions[0]
        self.win_value = base
        self._evaluation = evaluation
        self.player_names: Mapping[int, str] = {
            **{player: state.player_name(player) for player in (MAX, MIN)},
            CHANCE: "chance",
        }
        self._scale = ranked(state, evaluation) if base or state.has_chance else PLAIN
        self._grain = grain_of(self._scale, evaluation or Nothing()) if state.has_chance else 1

    def with_nodes(self, nodes: Iterable[Node], positions: Sequence[State]) -> GameTree:
        return GameTree(Tree(nodes, self.name), positions, self.win_value, self._evaluation)

    def search_score(self, value: Number) -> Number:
        """Convert a value of the tree to a score of the library's searches, up to their rounding of means."""
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
        """The utility of the finished game that a value stands for, and the number of plies to its end if known.

        None for evaluations, for 0, and in games with chance, where values are means.
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
    symmetry: bool = False,
    quiescence: bool = False,
    limit: int = DEFAULT_NODE_LIMIT,
) -> GameTree:
    """Build the tree of a position.

    Parameters
    ----------
    state : State
        The position at the root.
    depth : int
        Depth in plies, 0 to 1,000.
    evaluation : str or Evaluation, optional
        Evaluation of the leaves that are not finished games: a name of the game's, "nothing" for 0, or a value. By
        default the game's first.
    rank_wins : bool, optional
        Whether wins rank above every evaluation, sooner wins higher (the default). If False, finished games have their
        utility, as in `zermelo.minimax`.
    symmetry : bool, default False
        Add only one of the moves of a player that lead to positions equal by a symmetry of the board
        (`State.symmetries`) with equal evaluations. `Node.multiplicity` is the number of moves that it stands for.
    quiescence : bool, default False
        Extend the tree below the depth by the moves of quiescence search: tactical moves, in check all moves. Searching
        it with `"quiescence"` and the depth limit `depth` visits the same nodes as the search of the game.
    limit : int, default 200,000
        Maximum number of nodes.

    Returns
    -------
    GameTree
        Children are in the order of the game's moves. Nodes are named after the moves that lead to them, the root
        "start" or after its position. They carry the position (`state`), the move (`move`), at inner nodes the
        evaluation (`evaluation`), and the first node with the same position (`transposition_of`). In games with
        tactical moves they also say whether the move is tactical (`is_tactical`) and the player in check (`in_check`).

    Raises
    ------
    TreeError
        If the tree has more than `limit` nodes, the depth is out of range, or the game has no symmetries.
    GameError
        If the rules of the game fail.

    Examples
    --------
    >>> import zermelo
    >>> game_tree(zermelo.load("tictactoe").start(), 2)
    <Tree TicTacToe: 82 nodes, 72 leaves>
    >>> game_tree(zermelo.load("tictactoe").start(), 2, symmetry=True)
    <Tree TicTacToe: 16 nodes, 12 leaves>
    """
    check_state(state)
    if symmetry and type(state).symmetries is State.symmetries:
        raise TreeError(f"symmetry: {type(state).__name__} defines no symmetries of its board")
    if not 0 <= depth <= MAX_DEPTH:
        raise TreeError(f"depth must be between 0 and {MAX_DEPTH:,} (got {depth})")
    scored = search_evaluation(state, evaluation, has_horizon=True)
    if rank_wins is False and isinstance(scored, Nothing):
        scored = None  # values are utilities, and the nodes carry no evaluation
    validate_root(state, scored)
    try:
        with gc_paused():
            return _Expansion(
                state, depth, scored, min(limit, MAX_NODES), rank_wins is not False, symmetry, quiescence
            ).tree()
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, state) from error


class _Expansion:
    """Expands positions level by level, counting each level before it is made, then orders the nodes in preorder."""

    def __init__(
        self,
        state: State,
        depth: int,
        evaluation: Evaluation | None,
        limit: int,
        rank_wins: bool = True,
        symmetry: bool = False,
        quiescence: bool = False,
    ) -> None:
        self.depth = depth
        self.last_ply = depth + MAX_QUIESCENCE_PLIES if quiescence and state.has_tactical_moves else depth
        self.symmetry = symmetry
        self.evaluation = evaluation
        self.states = [state]
        self.plies = [0]
        self.moves = [-1]
        self.multiplicities = [1]
        self.parents = [-1]
        self.by_rule: dict[int, int] = {}  # utilities of positions that a rule of repetition ends, by their index
        self.below: list[range] = []  # for each position the indices of its successors
        self.weights: list[tuple[int, ...]] = []
        self._expand(limit)
        # The evaluation of each position that is not over; 0 without an evaluation.
        self.evaluations = [
            0 if evaluation is None or state.is_over() else checked_score(evaluation, state) for state in self.states
        ]
        ranks_wins = rank_wins and evaluation is not None and not state.has_chance
        self.win_value = self._win_value() if ranks_wins else 0

    def _expand(self, limit: int) -> None:
        level = range(1)
        for ply in range(self.last_ply + 1):
            count = len(self.states)
            moves_of: list[list[int]] = []
            for position in level:
                state = self.states[position]
                moves: list[int] = []
                multiplicities: list[int] = []
                weights: tuple[int, ...] = ()
                by_rule = self._utility_by_rule(position) if ply and not state.is_over() else None
                if by_rule is not None:
                    self.by_rule[position] = by_rule
                elif ply >= self.depth:
                    moves = [] if ply == self.last_ply or state.is_over() else self._quiescence_moves(state)
                elif not state.is_over():
                    if state.to_move() == CHANCE:
                        outcomes = list(state.outcomes())
                        moves = [move for move, _ in outcomes]
                        weights = normalize_weights([weight for _, weight in outcomes])
                    else:
                        moves = state.legal_moves()
                        if self.symmetry:
                            moves, multiplicities = self._distinct(state, moves)
                moves_of.append(moves)
                self.multiplicities += multiplicities or [1] * len(moves)
                self.weights.append(weights)
                self.below.append(range(count, count + len(moves)))
                count += len(moves)
                if count > limit:
                    if ply >= self.depth:
                        raise TreeError(
                            f"with the moves of quiescence search the tree has more than {limit:,} nodes, the limit; "
                            "use a smaller depth or a later position"
                        )
                    raise TreeError(
                        f"the tree has more than {limit:,} nodes at depth {ply + 1}, the limit; use depth {ply}"
                        + (" or a later position" if ply < 3 else "")
                    )
            begin = len(self.states)
            for position, moves in zip(level, moves_of, strict=True):
                state = self.states[position]
                self.states += [state.play(move) for move in moves]
                self.moves += moves
                self.parents += [position] * len(moves)
                self.plies += [ply + 1] * len(moves)
            level = range(begin, len(self.states))

    def _quiescence_moves(self, state: State) -> list[int]:
        """Return the moves that quiescence search tries."""
        if state.to_move() == CHANCE:
            return []
        moves = state.legal_moves()
        if state.has_in_check and state.in_check():
            return moves
        return [move for move in moves if state.is_tactical(move)]

    def _distinct(self, state: State, moves: list[int]) -> tuple[list[int], list[int]]:
        """Return the first move to each class of positions equal by symmetry, and the number of moves to the class."""
        # The place in `distinct` of each position and of those equal by symmetry. An evaluation that is not symmetric
        # keeps its positions apart, so that no value of the tree changes.
        first: dict[tuple[State, int], int] = {}
        distinct: list[int] = []
        counts: list[int] = []
        for move in moves:
            below = state.play(move)
            value = 0 if self.evaluation is None or below.is_over() else checked_score(self.evaluation, below)
            place = first.get((below, value))
            if place is not None:
                counts[place] += 1
                continue
            for image in (below, *below.symmetries()):
                first.setdefault((image, value), len(distinct))
            distinct.append(move)
            counts.append(1)
        return distinct, counts

    def _utility_by_rule(self, position: int) -> int | None:
        """Return the utility that rules of repetition give a position after those since the root, if they apply."""
        state = self.states[position]
        times = 1
        if has_repetition_rule(state):
            key = state.repetition_key()
            for _ in range(repeatable_plies(state, self.plies[position])):
                position = self.parents[position]
                times += self.states[position].repetition_key() == key
        return utility_by_rule(state, times)

    def _win_value(self) -> int:
        """The smallest power of ten that exceeds every evaluation by more than the depth."""
        largest = max(map(abs, self.evaluations))
        base = 10
        while base - max(self.plies) <= largest:
            base *= 10
        return base

    def _value(self, position: int) -> int:
        """The value of a leaf."""
        state, ply = self.states[position], self.plies[position]
        by_rule = self.by_rule.get(position)
        if not state.is_over() and by_rule is None:
            return self.evaluations[position]
        utility = state.utility() if by_rule is None else by_rule
        if not self.win_value:
            return utility if self.evaluation is None else utility * self.evaluation.unit
        step = ranked(state).step
        return finished_score(utility, ply, self.win_value - step, 1, step)

    def tree(self) -> GameTree:
        builder = TreeBuilder()
        names = _Names(self.states[0])
        positions: list[State] = []
        first_nodes: dict[State, int] = {}
        # Nodes to come: index of the position, index of the parent node, name of the move.
        stack: list[tuple[int, int, str]] = [(0, -1, "")]
        while stack:
            position, parent, move = stack.pop()
            state = self.states[position]
            children = self.below[position]
            index = len(builder.ids)
            first = first_nodes.setdefault(state, index)
            positions.append(state)
            multiplicity = self.multiplicities[position]
            drawn = builder.states[first] if first < index else state_text(state)[:MAX_STATE]
            id = names.of(None if parent < 0 else builder.ids[parent], move)
            if children:
                evaluation = None if self.evaluation is None else self.evaluations[position]
                player = state.to_move()
                weights = self.weights[position]
                builder.add(
                    parent,
                    player,
                    id=id,
                    weights=weights,
                    move=move,
                    evaluation=evaluation,
                    state=drawn,
                    transposition_of=first,
                    multiplicity=multiplicity,
                )
            else:
                value = self._value(position)
                builder.add(
                    parent,
                    None,
                    id=id,
                    value=value,
                    move=move,
                    state=drawn,
                    transposition_of=first,
                    multiplicity=multiplicity,
                )
            if state.has_tactical_moves:
                above = self.parents[position]
                if above >= 0 and self.states[above].to_move() != CHANCE:
                    if self.states[above].is_tactical(self.moves[position]):
                        builder.tactical.add(index)
                if children and state.has_in_check and state.to_move() != CHANCE and state.in_check():
                    builder.in_check.add(index)
            stack += [(child, index, state.move_name(self.moves[child])) for child in reversed(children)]
        tree = builder.build(type(self.states[0]).__name__)
        return GameTree(tree, positions, self.win_value, self.evaluation)


class _Names:
    """Names of nodes: the line of moves from the root; unique, and of valid length."""

    def __init__(self, root: State) -> None:
        text = str(root)
        short = len(text) <= MAX_ROOT_NAME and "\n" not in text
        self.root = "start" if root == type(root).start() else text if short and text else "position"
        self.taken: set[str] = {self.root}

    def of(self, parent: str | None, move: str) -> str:
        """A new name for the node reached by a move."""
        if parent is None:
            return self.root
        id = move if parent == self.root else f"{parent} {move}"
        if len(id) > MAX_NAME:
            id = f"... {move} ({len(self.taken)})"[-MAX_NAME:]
        while id in self.taken:
            id += "'"
        self.taken.add(id)
        return id
