"""Depth-first proof-number search (df-pn), compiled: whether a player can force a win.

The player who is to win is the attacker. A node's proof number is the minimum number of leaves that must be proven to
prove the node, its disproof number the minimum number that must be disproven to disprove it: at the attacker's nodes
they are the minimum of the proof numbers and the sum of the disproof numbers of the children, at the others the
reverse. The search descends to the child that costs least, and leaves it when its numbers reach a threshold: the second
best child's number and a quarter more, so that it does not switch subtrees with each leaf (1 + epsilon).

The numbers are kept in a table, by the state with all of its fields, the reversible plies included. Proofs do not
depend on the positions before: a proof depends on earlier ones only, so that its lines contain no repetition. A draw by
repetition does depend on them. A position that is repeated on a path counts as not won, and `ctx.rounded` then marks
disproofs as uncertain.

References
----------
A. Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its Applications", dissertation, University of Tokyo, 2002.
J. Pawlewicz and L. Lew, "Improving Depth-First PN-Search: 1 + epsilon Trick", Computers and Games 2006.
A. Kishimoto and M. Mueller, "A General Solution to the Graph History Interaction Problem", AAAI 2004.
"""

from __future__ import annotations

from typing import Any

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State
from zermelo.core.history import has_history_rules
from zermelo.core.pointer import as_pointer
from zermelo.search.context import MAX_PLY, NO_MOVES, ROOT, STACK_SIZE, SearchContext, count_node, path_key, stop_with

# Proof and disproof numbers: 31 bits in a table entry. A finished node has one of 0 and the other infinite.
INFINITE = (1 << 31) - 1
# An entry: the key, both numbers, the best move and the nodes below it. A bucket has two: the second one keeps what has
# cost most.
ENTRY = 4
BUCKET = 2
# Words of a child on the stack: move, proof number, disproof number.
CHILD = 3


def place_of(key: Bitboard, table: Any, mask: int) -> int:
    """The place of a key's entry; -1: none."""
    word = int(key >> 1)
    at = (word & mask) * (BUCKET * ENTRY)
    for slot in range(at, at + BUCKET * ENTRY, ENTRY):
        if table[slot] == word and table[slot + 3] > 0:
            return slot
    return -1


def store(key: Bitboard, proof: int, disproof: int, move: int, nodes: int, table: Any, mask: int) -> None:
    """Store the numbers of a state, in place of its entry or the one that has cost less."""
    word = int(key >> 1)
    first = (word & mask) * (BUCKET * ENTRY)
    second = first + ENTRY
    at = first
    if table[second] == word or (table[first] != word and nodes >= table[second + 3]):
        at = second
        if table[second] != word and table[second + 3] > table[first + 3]:
            for offset in range(ENTRY):
                table[first + offset] = table[second + offset]
    nodes = max(nodes, table[at + 3] + 1) if table[at] == word else max(nodes, 1)
    table[at], table[at + 1], table[at + 2], table[at + 3] = word, proof << 32 | disproof, move, nodes


def is_repeated(state: State, ply: int, ctx: SearchContext) -> bool:
    """Record the position at its ply. Whether it occurred before, or is a draw by the number of reversible plies."""
    reversible = state.reversible_plies()
    if 0 < state.draw_at_reversible_plies <= reversible:
        return True
    here = path_key(state.repetition_key())
    index = ROOT + ply
    ctx.path_keys[index] = here
    for back in range(state.shortest_cycle, min(reversible, ply + ctx.game_positions) + 1):
        if ctx.path_keys[index - back] == here:
            ctx.rounded = True
            return True
    return False


def child_numbers(child: State, attacker: int, ply: int, ctx: SearchContext, table: Any, mask: int) -> tuple[int, int]:
    """The proof and disproof number of a child: final, known from the table, or first estimates.

    A leaf counts as one, and on the side that must answer all moves as many as there are moves.
    """
    if child.is_over():
        return (0, INFINITE) if child.utility() * attacker > 0 else (INFINITE, 0)
    if ply >= MAX_PLY:
        ctx.rounded = True
        return INFINITE, 0
    if has_history_rules(child) and is_repeated(child, ply, ctx):
        return INFINITE, 0
    place = place_of(child.key(), table, mask)
    if place >= 0:
        return table[place + 1] >> 32, table[place + 1] & INFINITE
    count = max(child.count_moves(), 1)
    return (1, count) if child.to_move() == attacker else (count, 1)


def joint(top: int, count: int, offset: int, is_sum: bool, ctx: SearchContext) -> int:
    """The sum or the minimum of the children's proof (offset 1) or disproof numbers (2)."""
    total = 0
    least = INFINITE
    for child in range(count):
        number = ctx.stack[top + child * CHILD + offset]
        total += number
        least = min(least, number)
    return min(total, INFINITE) if is_sum else least


def best_child(top: int, count: int, offset: int, ctx: SearchContext) -> tuple[int, int]:
    """The place of the child with the smallest number, and the second smallest number."""
    best = top
    first = INFINITE + 1
    second = INFINITE
    for child in range(count):
        place = top + child * CHILD
        number = ctx.stack[place + offset]
        if number < first:
            second = min(first, INFINITE)
            first, best = number, place
        elif number < second:
            second = number
    return best, second


def prove(
    state: State, attacker: int, most_proof: int, most_disproof: int, ply: int, top: int, ctx: SearchContext,
    table: Any, mask: int,
) -> tuple[int, int]:  # fmt: skip
    """Search a state until its proof or disproof number reaches its threshold. Returns both."""
    count_node(ctx)
    if ctx.stopped:
        return 1, 1
    before = ctx.nodes
    if has_history_rules(state):
        is_repeated(state, ply, ctx)
    attacks = state.to_move() == attacker
    count = 0
    for move in state.moves():
        place = top + count * CHILD
        if place + CHILD > STACK_SIZE:
            ctx.rounded = True
            return INFINITE, 0
        child = state.play(move)
        ctx.stack[place] = move
        ctx.stack[place + 1], ctx.stack[place + 2] = child_numbers(child, attacker, ply + 1, ctx, table, mask)
        count += 1
        # A move that decides is enough.
        if ctx.stack[place + (1 if attacks else 2)] == 0:
            break
    if count == 0:
        stop_with(NO_MOVES, ctx)
        return 1, 1
    own, other = (1, 2) if attacks else (2, 1)
    key = state.key()
    while True:
        proof = joint(top, count, 1, not attacks, ctx)
        disproof = joint(top, count, 2, attacks, ctx)
        best, second = best_child(top, count, own, ctx)
        if proof >= most_proof or disproof >= most_disproof or proof == 0 or disproof == 0:
            break
        threshold = min(second + second // 4 + 1, INFINITE)
        if attacks:
            proof_limit = min(most_proof, threshold)
            disproof_limit = min(most_disproof - disproof + ctx.stack[best + other], INFINITE)
        else:
            disproof_limit = min(most_disproof, threshold)
            proof_limit = min(most_proof - proof + ctx.stack[best + other], INFINITE)
        child = state.play(ctx.stack[best])
        proof, disproof = prove(
            child, attacker, proof_limit, disproof_limit, ply + 1, top + count * CHILD, ctx, table, mask
        )
        if ctx.stopped:  # by a node below
            return 1, 1  # type: ignore[unreachable]
        ctx.stack[best + 1], ctx.stack[best + 2] = proof, disproof
    store(key, proof, disproof, ctx.stack[best], ctx.nodes - before, table, mask)
    return proof, disproof


def run_prove(
    state: State, attacker: int, most_proof: int, most_disproof: int, ply: int, top: int, ctx: SearchContext,
    table: Any, mask: int,
) -> tuple[int, int]:  # fmt: skip
    """Entry point of compiled code: `prove` from the root, with `ply` and `top` 0."""
    return prove(state, attacker, most_proof, most_disproof, ply, top, ctx, as_pointer(table), mask)
