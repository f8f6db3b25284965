"""Compiled Monte Carlo tree search: the textbook's four steps on a flat array of nodes.

One call runs simulations until a limit is reached or the root is solved. With the same seed it grows the same tree as
`zermelo.search.mcts.textbook`, as long as the tree fits into its memory; then it stops growing and goes on counting.
"""

from __future__ import annotations

import math

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, MAX, State
from zermelo.core.hints import inline
from zermelo.core.history import has_history_rules
from zermelo.core.pointer import as_pointer
from zermelo.core.random_numbers import random_below, random_outcome, random_word
from zermelo.search.context import MAX_PLY, NO_ERROR, NO_MOVES, STACK_SIZE, SearchContext, stop_with
from zermelo.search.mcts.formulas import (
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
from zermelo.search.mcts.tree import (
    AMAF_TOTAL,
    AMAF_VISITS,
    CHILDREN,
    FIRST,
    LOWER,
    MOVE,
    NODE,
    TOTAL,
    UPPER,
    VISITS,
    WEIGHT,
    Nodes,
    TreeContext,
    add_node,
    amaf_of,
    copy_subtree,
)
from zermelo.search.repetition import NO_RULE, record_position, rule_utility


def simulations(root: State, evaluation: Evaluation, tree: TreeContext, nodes: Nodes, ctx: SearchContext) -> None:
    """Run simulations until a limit stops them or the root is solved."""
    span = reward_of(root.max_utility, root)
    while nodes[LOWER] < nodes[UPPER]:
        if is_at_limit(ctx):
            break
        exploration = tree.exploration / THOUSAND
        if largest_result(root) > 1:
            exploration *= spread_of(tree.result_sum, tree.square_sum, tree.results)
        for move in range(root.moves_in_any_order):
            tree.first[move] = 0
        # 1, 2. Select and expand: go down to a node that was never visited or is solved.
        state = root
        at = 0
        ply = 0
        tree.path[0] = at
        record(state, at, ply, nodes, ctx)
        while nodes[at + VISITS] > 0 or ply == 0:
            if nodes[at + CHILDREN] == 0 and (ply >= MAX_PLY or not expand(state, at, tree, nodes, ctx)):
                break
            side = state.to_move()
            tree.sides[ply] = side
            if state.has_chance and side == CHANCE:
                at = sampled_outcome(at, tree, nodes)
            elif state.moves_in_any_order > 0 and tree.rave > 0:
                at = child_by_rave(at, side, span, exploration, tree, nodes)
            else:
                at = chosen_child(at, side, span, exploration, tree, nodes)
            state = state.play(nodes[at + MOVE])
            ply += 1
            tree.path[ply] = at
            record(state, at, ply, nodes, ctx)
            if nodes[at + LOWER] == nodes[at + UPPER]:
                break
        if ctx.error != NO_ERROR:
            break
        tree.longest = max(tree.longest, ply)
        # 3. Simulate.
        reward = nodes[at + LOWER]
        if reward < nodes[at + UPPER]:
            reward = playout(state, evaluation, tree, ctx)
        if largest_result(root) > 1:
            count_result(reward * THOUSAND // span, tree)
        # 4. Back up.
        back_up(ply, reward, tree, nodes)
        if root.moves_in_any_order > 0 and tree.rave > 0:
            count_as_first(root.moves_in_any_order, ply, reward, tree, nodes)


def is_at_limit(ctx: SearchContext) -> bool:
    """Count a simulation, unless a limit or the stop flag ends the search before it."""
    if ctx.stop or ctx.nodes >= ctx.node_limit:
        ctx.stopped = True
        return True
    ctx.nodes += 1
    return False


def record(state: State, at: int, ply: int, nodes: Nodes, ctx: SearchContext) -> None:
    """Record the position, and solve a new node if the game is over there or can be claimed as a draw."""
    rule = record_position(state, 1, ply, ctx) if has_history_rules(state) else NO_RULE
    if nodes[at + VISITS] > 0:
        return
    if state.is_over():
        reward = reward_of(state.utility(), state)
        nodes[at + LOWER] = reward
        nodes[at + UPPER] = reward
    elif rule != NO_RULE and ply > 0:
        reward = reward_of(rule_utility(state, rule), state)
        nodes[at + LOWER] = reward
        nodes[at + UPPER] = reward


# ---- selection and expansion -----------------------------------------------------------------------------------


def expand(state: State, at: int, tree: TreeContext, nodes: Nodes, ctx: SearchContext) -> bool:
    """Make the children of a node, one for each move or outcome. Returns whether they fit into the tree's memory."""
    first = tree.size
    count = 0
    span = reward_of(state.max_utility, state)
    if state.has_chance and state.to_move() == CHANCE:
        for move, weight in state.outcomes():
            if first + count >= tree.capacity:
                return False
            add_node(nodes, (first + count) * NODE, move, weight, span)
            count += 1
    else:
        for move in state.moves():
            if first + count >= tree.capacity:
                return False
            score = state.move_score(move) if state.has_move_score else 0
            add_node(nodes, (first + count) * NODE, move, score, span)
            count += 1
        if state.has_move_score:
            scale_biases(first * NODE, count, nodes)
    if count == 0:
        stop_with(NO_MOVES, ctx)
        return False
    nodes[at + FIRST] = first * NODE
    nodes[at + CHILDREN] = count
    tree.size = first + count
    return True


def scale_biases(first: int, count: int, nodes: Nodes) -> None:
    """Replace the move-ordering scores of new nodes by progressive biases."""
    least = nodes[first + WEIGHT]
    most = least
    for child in range(first, first + count * NODE, NODE):
        least = min(least, nodes[child + WEIGHT])
        most = max(most, nodes[child + WEIGHT])
    for child in range(first, first + count * NODE, NODE):
        nodes[child + WEIGHT] = scaled_bias(nodes[child + WEIGHT], least, most)


def chosen_child(at: int, side: int, span: int, exploration: float, tree: TreeContext, nodes: Nodes) -> int:
    """The child with the best upper confidence bound; one that was never visited comes first, by its bias.

    A child that cannot be better than what is proven for its parent is left out.
    """
    log_parent = math.log(max(nodes[at + VISITS], 1))
    bias_weight = tree.bias_weight / THOUSAND
    first = int(nodes[at + FIRST])
    lower = nodes[at + LOWER]
    upper = nodes[at + UPPER]
    best = first
    best_bound = -1.0
    best_bias = -1
    for child in range(first, first + nodes[at + CHILDREN] * NODE, NODE):
        if side == MAX:
            if nodes[child + UPPER] <= lower:
                continue
        elif nodes[child + LOWER] >= upper:
            continue
        if nodes[child + VISITS] == 0:
            if nodes[child + WEIGHT] > best_bias:
                best = child
                best_bias = nodes[child + WEIGHT]
        elif best_bias < 0:
            bound = uct(
                side, nodes[child + VISITS], nodes[child + TOTAL], nodes[child + LOWER], nodes[child + UPPER],
                nodes[child + WEIGHT], span, log_parent, exploration, bias_weight,
            )  # fmt: skip
            if bound > best_bound:
                best = child
                best_bound = bound
    return best


def child_by_rave(at: int, side: int, span: int, exploration: float, tree: TreeContext, nodes: Nodes) -> int:
    """The child with the best bound of `rave`; one that cannot be better than what is proven is left out."""
    log_parent = math.log(max(nodes[at + VISITS], 1))
    bias_weight = tree.bias_weight / THOUSAND
    first = int(nodes[at + FIRST])
    lower = nodes[at + LOWER]
    upper = nodes[at + UPPER]
    best = first
    best_bound = -1.0
    for child in range(first, first + nodes[at + CHILDREN] * NODE, NODE):
        if side == MAX:
            if nodes[child + UPPER] <= lower:
                continue
        elif nodes[child + LOWER] >= upper:
            continue
        amaf = amaf_of(child, tree)
        bound = rave(
            side, nodes[child + VISITS], nodes[child + TOTAL], nodes[amaf + AMAF_VISITS], nodes[amaf + AMAF_TOTAL],
            nodes[child + LOWER], nodes[child + UPPER], nodes[child + WEIGHT], span, log_parent, exploration,
            bias_weight, tree.rave,
        )  # fmt: skip
        if bound > best_bound:
            best = child
            best_bound = bound
    return best


def sampled_outcome(at: int, tree: TreeContext, nodes: Nodes) -> int:
    """A random child of a chance node, by weight."""
    first = int(nodes[at + FIRST])
    end = first + nodes[at + CHILDREN] * NODE
    weights = 0
    for child in range(first, end, NODE):
        weights += nodes[child + WEIGHT]
    left = random_below(weights, next_random(tree))
    for child in range(first, end, NODE):
        left -= nodes[child + WEIGHT]
        if left < 0:
            return child
    return first


@inline
def next_random(tree: TreeContext) -> int:
    """The next random number of the tree."""
    tree.draws += 1
    return random_word(tree.seed, tree.draws)


# ---- simulation --------------------------------------------------------------------------------------------


def playout(state: State, evaluation: Evaluation, tree: TreeContext, ctx: SearchContext) -> int:
    """Play random moves to the end of the game, or to the evaluation. Returns the reward."""
    plies = 0
    draw = reward_of(0, state)
    while True:
        if state.is_over():
            tree.playout_moves += plies
            return reward_of(state.utility(), state)
        if plies >= tree.playout_plies:
            tree.playout_moves += plies
            return evaluated(state, evaluation, tree)
        if state.draw_at_reversible_plies > 0 and state.reversible_plies() >= state.draw_at_reversible_plies:
            break
        move = playout_move(state, tree, ctx)
        if ctx.stopped:
            break
        if state.moves_in_any_order > move and tree.first[move] == 0:
            tree.first[move] = state.to_move()
        state = state.play(move)
        plies += 1
    tree.playout_moves += plies
    return draw


@inline
def playout_move(state: State, tree: TreeContext, ctx: SearchContext) -> int:
    """The next move of a playout: an outcome by weight, the game's own choice, or any legal move."""
    word = next_random(tree)
    if state.has_chance and state.to_move() == CHANCE:
        return random_outcome(state, word)
    if state.has_playout_move:
        return state.playout_move(word)
    count = 0
    for move in state.moves():
        if count < STACK_SIZE:
            ctx.stack[count] = move
            count += 1
    if count == 0:
        return stop_with(NO_MOVES, ctx)
    return ctx.stack[random_below(count, word)]


def evaluated(state: State, evaluation: Evaluation, tree: TreeContext) -> int:
    """The reward that the evaluation gives an unfinished state."""
    score = evaluation.score(state)
    tree.score_sum += abs(score)
    tree.score_count += 1
    return estimated_reward(state, score, evaluation.unit, max(tree.score_sum // tree.score_count, 1))


@inline
def count_result(thousandths: int, tree: TreeContext) -> None:
    """Count a result for the spread of results."""
    tree.results += 1
    tree.result_sum += thousandths
    tree.square_sum += thousandths * thousandths


# ---- back-up -----------------------------------------------------------------------------------------------


def back_up(ply: int, reward: int, tree: TreeContext, nodes: Nodes) -> None:
    """Count the reward in all nodes of the path; move changed bounds up."""
    leaf = tree.path[ply]
    changed = nodes[leaf + LOWER] == nodes[leaf + UPPER]
    for index in range(ply, -1, -1):
        at = tree.path[index]
        if index < ply and changed:
            changed = update_bounds(at, tree.sides[index], nodes)
        nodes[at + VISITS] += 1
        nodes[at + TOTAL] += reward


def count_as_first(moves: int, ply: int, reward: int, tree: TreeContext, nodes: Nodes) -> None:
    """Count the reward for all moves that the side to move in a node of the path plays there or later (AMAF).

    A move counts for the side that plays it first. `tree.first` holds those of the playout.
    """
    for index in range(ply - 1, -1, -1):
        side = tree.sides[index]
        move = nodes[tree.path[index + 1] + MOVE]
        if move < moves:
            tree.first[move] = side
        at = tree.path[index]
        start = int(nodes[at + FIRST])
        for child in range(start, start + nodes[at + CHILDREN] * NODE, NODE):
            move = nodes[child + MOVE]
            if move < moves and tree.first[move] == side:
                amaf = amaf_of(child, tree)
                nodes[amaf + AMAF_VISITS] += 1
                nodes[amaf + AMAF_TOTAL] += reward


def update_bounds(at: int, side: int, nodes: Nodes) -> bool:
    """Compute the bounds of a node from those of its children. Returns whether they have changed."""
    first = int(nodes[at + FIRST])
    end = first + nodes[at + CHILDREN] * NODE
    lower = nodes[first + LOWER]
    upper = nodes[first + UPPER]
    if side == CHANCE:
        weights = 0
        lower = 0
        upper = 0
        for child in range(first, end, NODE):
            weights += nodes[child + WEIGHT]
            lower += nodes[child + WEIGHT] * nodes[child + LOWER]
            upper += nodes[child + WEIGHT] * nodes[child + UPPER]
        lower = weighted_mean(lower, weights)
        upper = weighted_mean(upper, weights)
    else:
        for child in range(first, end, NODE):
            if side == MAX:
                lower = max(lower, nodes[child + LOWER])
                upper = max(upper, nodes[child + UPPER])
            else:
                lower = min(lower, nodes[child + LOWER])
                upper = min(upper, nodes[child + UPPER])
    changed = bool(lower != nodes[at + LOWER] or upper != nodes[at + UPPER])
    nodes[at + LOWER] = lower
    nodes[at + UPPER] = upper
    return changed


# ---- entry points of compiled code ------------------------------------------------------------------------------


def run_simulations(root: State, evaluation: Evaluation, tree: TreeContext, nodes: Nodes, ctx: SearchContext) -> None:
    """`simulations` from a root whose children have been made."""
    simulations(root, evaluation, tree, as_pointer(nodes), ctx)


def run_copy(nodes: Nodes, at: int, copied: Nodes, tree: TreeContext) -> int:
    """`copy_subtree`."""
    return copy_subtree(nodes, at, copied, tree)
