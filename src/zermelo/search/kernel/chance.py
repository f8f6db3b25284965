"""Chance nodes: the weighted mean of the outcomes, cut short by Star1 and Star2 (Ballard 1983).

For each outcome two bounds on its score are known, at first those of any score. By them the mean lies between
`least / weights` and `most / weights`. Once that interval is outside the window (alpha, beta), the rest cannot matter.
All arithmetic is exact: `fail_high` and `fail_low` are the totals from which on the rounded mean is outside the window.

The outcomes lie on `ctx.stack` from `top` on, four words each:

    stack:  ... move weight lower upper | move weight lower upper | ...
                top                       top + 4
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from zermelo.core.evaluation import rounded_div
from zermelo.core.game import MAX, MIN, State
from zermelo.core.hints import inline
from zermelo.search.context import OVERFLOW, STACK_SIZE, SearchContext, stop_with
from zermelo.search.policy import Policy
from zermelo.search.scores import LIMIT, least_share, least_total, most_total

S = TypeVar("S", bound=State)
OUTCOME = 4  # words


def chance_windows(
    state: S, policy: Policy, remaining: int, alpha: int, beta: int, top: int, end: int, ctx: SearchContext
) -> Iterator[tuple[S, int, int, int]]:
    """The outcomes on the stack from `top` to `end` that must be searched, each with its move and window.

    Before the next one is asked for, the score of the last one must be in `ctx.child_score`. At the end the rounded
    mean, or a bound on it outside the window, is in `ctx.mean`.
    """
    if ctx.stopped:
        return
    weights = 0
    for slot in range(top, end, OUTCOME):
        weights += ctx.stack[slot + 1]
    bound = outcome_bound(policy, ctx)
    least = -bound * weights
    most = bound * weights
    fail_high = least_total(beta, weights)
    fail_low = most_total(alpha, weights)
    probing = policy.star2 and remaining > 0  # Star2 probes all outcomes above the horizon before it searches them
    ctx.chance_depth += 1
    while True:
        for slot in range(top, end, OUTCOME):
            weight = ctx.stack[slot + 1]
            lower = ctx.stack[slot + 2]
            upper = ctx.stack[slot + 3]
            if policy.star1 and (least >= fail_high or most <= fail_low):
                break
            if not probing and lower == upper:
                continue
            child = state.play(ctx.stack[slot])
            mover = MAX if child.is_over() else child.to_move()
            is_probe = probing and not child.is_over()
            if is_probe and not (mover == MAX and beta < bound) and not (mover == MIN and alpha > -bound):
                continue  # a bound from the mover's side could not decide
            # 7c. Outside its window an outcome decides the mean, even if all others count against that.
            child_alpha = -bound
            child_beta = bound
            if policy.star1:
                child_alpha = max((fail_low - (most - weight * upper)) // weight, lower - 1)
                child_beta = min(least_share(fail_high - (least - weight * lower), weight), upper + 1)
            if policy.star2:
                ctx.probing = is_probe
                ctx.partial = False
            yield child, ctx.stack[slot], child_alpha, child_beta
            if ctx.stopped:
                return
            # 7d. The score is the outcome's value or a bound on it; after a partial probe, a bound for the mover only.
            score = ctx.child_score
            is_bound = policy.star2 and is_probe and ctx.partial
            if score > child_alpha and not (is_bound and mover == MIN):
                least += weight * (score - ctx.stack[slot + 2])
                ctx.stack[slot + 2] = score
            if score < child_beta and not (is_bound and mover == MAX):
                most -= weight * (ctx.stack[slot + 3] - score)
                ctx.stack[slot + 3] = score
        if not probing or (policy.star1 and (least >= fail_high or most <= fail_low)):
            break
        probing = False
    ctx.chance_depth -= 1
    ctx.partial = False
    total = most if most <= fail_low else least
    if total % weights != 0:
        ctx.rounded = True
    ctx.mean = rounded_div(total, weights)


def push_outcomes(state: State, policy: Policy, top: int, ctx: SearchContext) -> int:
    """Push the outcomes of a chance node and their first bounds on the stack. Returns the new top."""
    bound = outcome_bound(policy, ctx)
    for move, weight in state.outcomes():
        if top + OUTCOME > STACK_SIZE:
            stop_with(OVERFLOW, ctx)
            break
        ctx.stack[top] = move
        ctx.stack[top + 1] = weight
        ctx.stack[top + 2] = -bound
        ctx.stack[top + 3] = bound
        top += OUTCOME
    return top


def outcome_bound(policy: Policy, ctx: SearchContext) -> int:
    """No score of an outcome is above it, or below its negative."""
    return ctx.bound if policy.star1 else max(ctx.bound, LIMIT)


@inline
def take_probe(ctx: SearchContext) -> bool:
    """Whether this node is probed. The nodes below it are not."""
    probing = ctx.probing
    ctx.probing = False
    return probing
