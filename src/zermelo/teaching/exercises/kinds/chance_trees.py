"""`chance_tree`: random trees in which MAX, chance and MIN alternate, with probabilities that are short decimals."""

from __future__ import annotations

from random import Random

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.teaching.tree.node import Tree, TreeBuilder

#: Weights of the outcomes of chance nodes with 2, 3 and 4 children; all probabilities are short decimals.
WEIGHTS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((1, 1), (1, 3), (3, 1), (1, 4), (4, 1), (2, 3), (3, 2)),
    3: ((1, 1, 2), (1, 2, 1), (2, 1, 1), (1, 1, 3), (3, 1, 1), (2, 2, 1), (1, 2, 2)),
    4: ((1, 1, 1, 1), (1, 2, 1, 1), (4, 3, 2, 1), (1, 2, 3, 4), (2, 1, 1, 1)),
}  # fmt: skip

#: Denominators of decimals with at most two places.
SHORT_DECIMALS = (1, 2, 4, 5, 10, 20, 25, 50, 100)


def chance_tree(seed: int, *, branching: tuple[int, int], depth: tuple[int, int], values: tuple[int, int]) -> Tree:
    """Generate a random tree of the levels MAX, chance, MIN, chance, MAX, ...

    Parameters
    ----------
    seed : int
        Random seed. The same arguments give the same tree.
    branching, depth, values : (int, int)
        Inclusive ranges of the number of children, the depth of all leaves and the leaf values.
    """
    random = Random(seed).random
    draft = TreeBuilder()

    def within(limits: tuple[int, int]) -> int:
        low, high = limits
        return low + int(random() * (high - low + 1))

    height = within(depth)

    def grow(parent: int, ply: int) -> None:
        if ply == height:
            draft.add(parent, None, value=within(values))
            return
        player = (MAX, CHANCE, MIN, CHANCE)[ply % 4]
        children = within(branching)
        weights: tuple[int, ...] = ()
        if player == CHANCE:
            choices = WEIGHTS.get(children, ((1,) * children,))
            weights = choices[int(random() * len(choices))]
        index = draft.add(parent, player, weights=weights)
        for _ in range(children):
            grow(index, ply + 1)

    grow(-1, 0)
    return draft.build()
