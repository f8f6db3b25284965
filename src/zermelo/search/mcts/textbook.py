"""Monte Carlo tree search in plain Python, as textbooks print it: the reference for the compiled one.

    while the budget lasts:
        leaf   = select(tree)          go down by upper confidence bounds, to a child that was never visited
        child  = expand(leaf)          make the children of a node when it is visited for the second time
        reward = simulate(child)       play random moves to the end of the game
        back_up(reward)                count it in every node on the path, and move proofs up the tree

It plays any game, also one whose moves are not numbers. With the same seed it grows the same tree as
`zermelo.search.mcts.kernel`, node for node. An observer, if given, is called with a `Step` at each of the four steps.

References
----------
- S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach (AIMA), 4th edition, 2020, section 5.4.
- C. Browne et al., "A Survey of Monte Carlo Tree Search Methods", IEEE Transactions on Computational Intelligence and
  AI in Games 4, 2012.
- `zermelo.search.mcts.formulas` names the sources of its formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from zermelo.core.evaluation import Evaluation, Nothing, checked_score
from zermelo.core.game import CHANCE, MAX, State
from zermelo.core.history import PositionHistory, can_claim_draw, utility_by_rule
from zermelo.core.random_numbers import random_below, random_word
from zermelo.search.context import MAX_PLY
from zermelo.search.mcts.formulas import (
    BIAS_WEIGHT,
    EXPLORATION,
    MAX_PLAYOUT_PLIES,
    THOUSAND,
    estimated_reward,
    largest_result,
    rave,
    reward_of,
    scaled_bias,
    spread_of,
    uct,
    weighted_mean,
)


class Node:
    """A node of the tree.

    Attributes
    ----------
    state : State
        The position.
    move : object
        The move that led here; None at the root.
    weight : int
        Weight of the outcome after a chance node; elsewhere the move's progressive bias, 0 to 1000.
    children : list of Node
        Empty until the node is visited for the second time.
    visits, total : int
        Number of playouts through the node, and the sum of their rewards for MAX.
    lower, upper : int
        Bounds of the node's reward, equal where it is solved.
    later_visits, later_total : int
        The same of all simulations in which the side plays the node's move there or later.
    number : int
        In the order in which the nodes were made, the root is 0.
    """

    __slots__ = (
        "children", "later_total", "later_visits", "lower", "move", "number", "state", "total", "upper", "visits",
        "weight",
    )  # fmt: skip

    def __init__(self, state: State, move: Any, weight: int, upper: int, number: int) -> None:
        self.state = state
        self.move = move
        self.weight = weight
        self.children: list[Node] = []
        self.visits = self.total = self.lower = 0
        self.later_visits = self.later_total = 0
        self.upper = upper
        self.number = number

    @property
    def is_solved(self) -> bool:
        """Whether the reward is proven."""
        return self.lower == self.upper


class Step(NamedTuple):
    """One step of a simulation.

    Attributes
    ----------
    kind : str
        "select": the path to a node with a child that was never visited; "expand": this child is added; "simulate";
        "back up".
    simulation : int
        Number of the simulation, from 1.
    path : tuple of Node
        The nodes from the root to the one that the step is about.
    reward : int
        Result of the playout for MAX, from "simulate" on.
    moves : tuple
        The moves of the playout, in "simulate".
    """

    kind: str
    simulation: int
    path: tuple[Node, ...]
    reward: int = 0
    moves: tuple[Any, ...] = ()


Observer = Callable[[Step], None]


class TextbookTree:
    """A search tree, grown one simulation at a time.

    Parameters
    ----------
    state : State
        The root.
    seed : int
        Seed of all random choices.
    evaluation : Evaluation, optional
        Evaluates positions `playout_plies` below a leaf. Default: playouts go to the end of the game.
    playout_plies : int
        Random moves before the evaluation.
    exploration, bias_weight : int
        Constants of `formulas.uct`, in thousandths.
    history : sequence of State
        The states of the game before the root.
    moves : sequence
        The root moves to consider. Default: all.
    observer : callable, optional
        Called with a `Step`.
    rave : int
        Equivalence parameter of `formulas.rave`, for games with `moves_in_any_order`. 0: do not count moves as first.
    """

    def __init__(
        self,
        state: State,
        seed: int = 0,
        evaluation: Evaluation | None = None,
        playout_plies: int = 0,
        exploration: int = EXPLORATION,
        bias_weight: int = BIAS_WEIGHT,
        history: Sequence[State] | PositionHistory = (),
        moves: Sequence[Any] = (),
        observer: Observer | None = None,
        rave: int = 0,
    ) -> None:
        self.evaluation = evaluation or Nothing()
        self.playout_plies = MAX_PLAYOUT_PLIES if evaluation is None else playout_plies
        self._exploration = exploration / THOUSAND
        self.bias_weight = bias_weight / THOUSAND
        self.span = reward_of(state.max_utility, state)
        self.draw = reward_of(0, state)
        self.seed = seed
        self.draws = self.simulations = self.playout_moves = 0
        self.score_sum = self.score_count = 0
        self.results = self.result_sum = self.square_sum = 0
        self.rave = rave if state.moves_in_any_order else 0
        #: The side that plays each move first in the playout.
        self._first: dict[Any, int] = {}
        self.longest = 0
        self.nodes = 1
        self.observer = observer
        self.history = history.copy() if isinstance(history, PositionHistory) else PositionHistory(history)
        self.root = Node(state, None, 0, self.span, 0)
        self._expand(self.root)
        if moves:
            self.root.children = [child for child in self.root.children if child.move in moves]

    @property
    def exploration(self) -> float:
        """The constant of `formulas.uct`; in games of graded wins scaled by the spread of results."""
        if largest_result(self.root.state) == 1:
            return self._exploration
        return self._exploration * spread_of(self.result_sum, self.square_sum, self.results)

    def simulate_once(self) -> None:
        """Run one simulation: select, expand, simulate, back up."""
        self.simulations += 1
        self._first = {}
        path = self._select()
        leaf = path[-1]
        if not leaf.is_solved:
            reward = self._simulate(path)
        else:
            reward = leaf.lower
            self._notify("simulate", path, reward)
        for _ in path:
            self.history.pop()
        thousandths = reward * THOUSAND // self.span
        self.results += 1
        self.result_sum += thousandths
        self.square_sum += thousandths * thousandths
        self._back_up(path, reward)
        if self.rave:
            self._count_as_first(path, reward)

    # ---- 1, 2. selection and expansion ----

    def _select(self) -> list[Node]:
        """Go down from the root to a node that was never visited or is solved; returns the path.

        The children of a node are made when it is visited for the second time.
        """
        node = self.root
        path = [node]
        self._record(node, 0)
        while node.visits or node is self.root:
            if not node.children:
                if len(path) > MAX_PLY:
                    break
                self._expand(node)
            node = self._chosen_child(node)
            path.append(node)
            self._record(node, len(path) - 1)
            if node.is_solved:
                break
        is_new = node.visits == 0 and node is not self.root
        self._notify("select", path[:-1] if is_new else path)
        if is_new:
            self._notify("expand", path)
        self.longest = max(self.longest, len(path) - 1)
        return path

    def _record(self, node: Node, ply: int) -> None:
        """Record the position, and solve the node if the game is over here or can be claimed as a draw."""
        occurrences = self.history.push(node.state)
        if node.visits:
            return
        if node.state.is_over():
            node.lower = node.upper = reward_of(node.state.utility(), node.state)
            return
        utility = utility_by_rule(node.state, occurrences) if ply > 0 else None
        if utility is not None:
            node.lower = node.upper = reward_of(utility, node.state)

    def _expand(self, node: Node) -> None:
        """Make the children of a node, one for each move or outcome of chance."""
        state = node.state
        if state.is_over():
            return
        weights: list[tuple[Any, int]]
        if state.has_chance and state.to_move() == CHANCE:
            weights = list(state.outcomes())
        elif state.has_move_score:
            scores = [(move, state.move_score(move)) for move in state.moves()]
            least, most = min(score for _, score in scores), max(score for _, score in scores)
            weights = [(move, scaled_bias(score, least, most)) for move, score in scores]
        else:
            weights = [(move, 0) for move in state.moves()]
        for move, weight in weights:
            node.children.append(Node(state.play(move), move, weight, self.span, self.nodes))
            self.nodes += 1

    def _chosen_child(self, node: Node) -> Node:
        """The child to go down to: a random outcome of chance, else the best upper confidence bound.

        A child that was never visited comes first, the highest bias first among them. A child that cannot be better
        than what is proven for its parent is left out.
        """
        side = node.state.to_move()
        if side == CHANCE:
            return self._outcome(node)
        best, best_bound, best_bias = node.children[0], -1.0, -1
        for child in node.children:
            if child.upper <= node.lower if side == MAX else child.lower >= node.upper:
                continue
            if not child.visits and not self.rave:
                if child.weight > best_bias:
                    best, best_bias = child, child.weight
            elif best_bias < 0:
                bound = self.bound(node, child)
                if bound > best_bound:
                    best, best_bound = child, bound
        return best

    def bound(self, node: Node, child: Node) -> float:
        """The upper confidence bound of a child, by RAVE where the search counts moves as first."""
        log_parent = math.log(max(node.visits, 1))
        side = node.state.to_move()
        if self.rave:
            return rave(
                side, child.visits, child.total, child.later_visits, child.later_total, child.lower, child.upper,
                child.weight, self.span, log_parent, self.exploration, self.bias_weight, self.rave,
            )  # fmt: skip
        return uct(
            side, child.visits, child.total, child.lower, child.upper, child.weight, self.span, log_parent,
            self.exploration, self.bias_weight,
        )  # fmt: skip

    def _outcome(self, node: Node) -> Node:
        """A random child of a chance node, by weight."""
        left = random_below(sum(child.weight for child in node.children), self._random())
        for child in node.children:
            left -= child.weight
            if left < 0:
                return child
        raise AssertionError("weights are positive")

    def _random(self) -> int:
        self.draws += 1
        return random_word(self.seed, self.draws)

    # ---- 3. simulation ----

    def _simulate(self, path: list[Node]) -> int:
        """Play random moves from the last node of the path to the end of the game; returns the reward."""
        state = path[-1].state
        moves: list[Any] = []
        reward = self.draw
        while True:
            if state.is_over():
                reward = reward_of(state.utility(), state)
                break
            if len(moves) >= self.playout_plies:
                reward = self._evaluate(state)
                break
            if can_claim_draw(state, 1):
                break
            move = self._playout_move(state)
            self._first.setdefault(move, state.to_move())
            state = state.play(move)
            moves.append(move)
        self.playout_moves += len(moves)
        self._notify("simulate", path, reward, tuple(moves))
        return reward

    def _playout_move(self, state: State) -> Any:
        word = self._random()
        if state.has_chance and state.to_move() == CHANCE:
            outcomes = list(state.outcomes())
            left = random_below(sum(weight for _, weight in outcomes), word)
            for move, weight in outcomes:
                left -= weight
                if left < 0:
                    return move
        if state.has_playout_move:
            return state.playout_move(word)
        legal = list(state.moves())
        return legal[random_below(len(legal), word)]

    def _evaluate(self, state: State) -> int:
        score = checked_score(self.evaluation, state)
        self.score_sum += abs(score)
        self.score_count += 1
        return estimated_reward(state, score, self.evaluation.unit, max(self.score_sum // self.score_count, 1))

    # ---- 4. back-up ----

    def _back_up(self, path: list[Node], reward: int) -> None:
        """Count the reward in all nodes of the path; move changed bounds up."""
        changed = path[-1].is_solved
        for node in reversed(path):
            if node is not path[-1] and changed:
                changed = self._update_bounds(node)
            node.visits += 1
            node.total += reward
        self._notify("back up", path, reward)

    def _count_as_first(self, path: list[Node], reward: int) -> None:
        """Count the reward for all moves that the side to move in a node plays there or later (AMAF).

        A move counts for the side that plays it first.
        """
        for node, child in reversed([*pairwise(path)]):
            side = node.state.to_move()
            self._first[child.move] = side
            for each in node.children:
                if each.move < node.state.moves_in_any_order and self._first.get(each.move) == side:
                    each.later_visits += 1
                    each.later_total += reward

    def _update_bounds(self, node: Node) -> bool:
        """Compute the bounds of a node from those of its children; returns whether they have changed."""
        side = node.state.to_move()
        children = node.children
        if side == CHANCE:
            weights = sum(child.weight for child in children)
            lower = weighted_mean(sum(child.weight * child.lower for child in children), weights)
            upper = weighted_mean(sum(child.weight * child.upper for child in children), weights)
        else:
            best = max if side == MAX else min
            lower = best(child.lower for child in children)
            upper = best(child.upper for child in children)
        before = node.lower, node.upper
        node.lower, node.upper = lower, upper
        return before != (lower, upper)

    def _notify(self, kind: str, path: list[Node], reward: int = 0, moves: tuple[Any, ...] = ()) -> None:
        if self.observer is not None:
            self.observer(Step(kind, self.simulations, tuple(path), reward, moves))
