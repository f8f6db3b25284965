"""What a search of a tree does, by the books' pseudo-code alone: nothing of Zermelo is imported here.

A node is a `Leaf` or an `Inner`; it is known by its path, the numbers of the moves from the root: () is the root,
(0, 2) the third child of its first child. Each algorithm is written out by itself, as its source prints it:

- minimax and expectiminimax: Russell and Norvig, Artificial Intelligence, figures 5.3 and 5.11;
- fail-soft: the same book's figure 5.7, Max-Value and Min-Value;
- fail-hard: bounds in, bounds out; leaves as they are worth (as in Knuth and Moore 1975, with the bound returned
  where it is passed);
- path: Poole and Mackworth, Artificial Intelligence, figure 11.6;
- negamax: fail-soft from the mover's side; where a side moves twice, nothing is turned between.

All of them, where chance moves: each outcome with the full window. What the books do not say, as the pages have it:
the window on exit is the one on entry with every value that came back taken in.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

MAX, MIN, CHANCE = 1, -1, 0
NAMES = {MAX: "max", MIN: "min", CHANCE: "chance"}
Path = tuple[int, ...]


class Leaf(NamedTuple):
    """A leaf and its utility for MAX; None where it is not known."""

    value: Any


class Inner(NamedTuple):
    """An inner node: who moves, the children, their weights (at chance nodes), what an evaluation says (or None)."""

    player: int
    children: tuple[Any, ...]
    weights: tuple[int, ...] = ()
    evaluation: Any = None


@dataclass
class Found:
    """What a search did; nodes by their paths, numbers as the convention tells them."""

    value: Any = None
    best: Path | None = None
    line: list[Path] = field(default_factory=list)
    visits: list[Path] = field(default_factory=list)
    leaves: list[Path] = field(default_factory=list)
    entry: dict[Path, tuple[Any, Any]] = field(default_factory=dict)
    exit: dict[Path, tuple[Any, Any]] = field(default_factory=dict)
    returned: dict[Path, Any] = field(default_factory=dict)
    #: The best value that came back, for the mover; what is returned where nobody moves.
    own: dict[Path, Any] = field(default_factory=dict)
    #: (at, after, alpha, beta, pruned children)
    cuts: list[tuple[Path, Path, Any, Any, list[Path]]] = field(default_factory=list)


class _Search:
    """The common ground: the record, the depth, and what is read at leaves."""

    windows = True

    def __init__(self, strict: bool, depth: int | None) -> None:
        self.strict = strict
        self.depth = inf if depth is None else depth
        self.found = Found()

    def is_leaf(self, node: Any, path: Path) -> bool:
        return isinstance(node, Leaf) or len(path) >= self.depth

    def worth(self, node: Any) -> Any:
        return node.value if isinstance(node, Leaf) else node.evaluation or 0

    def beyond(self, value: Any, bound: Any) -> bool:
        return value > bound if self.strict else value >= bound

    def enter(self, path: Path, alpha: Any, beta: Any) -> None:
        self.found.visits.append(path)
        if self.windows:
            self.found.entry[path] = (alpha, beta)

    def read(self, path: Path, value: Any) -> Any:
        self.found.leaves.append(path)
        self.found.returned[path] = value
        return value

    def leave(self, path: Path, window: tuple[Any, Any], value: Any) -> Any:
        if self.windows:
            self.found.exit[path] = window
        self.found.returned[path] = value
        return value

    def cut(self, node: Inner, path: Path, after: int, alpha: Any, beta: Any) -> None:
        pruned = [(*path, child) for child in range(after + 1, len(node.children))]
        if pruned:
            self.found.cuts.append((path, (*path, after), alpha, beta, pruned))

    def mean(self, node: Inner, path: Path, window: tuple[Any, Any]) -> Any:
        total = Fraction(0)
        for number, (child, weight) in enumerate(zip(node.children, node.weights, strict=True)):
            total += Fraction(weight, sum(node.weights)) * self.visit_outcome(child, (*path, number))
        return self.leave(path, window, total)

    def visit_outcome(self, node: Any, path: Path) -> Any:
        return self.visit(node, path, -inf, inf)

    def visit(self, node: Any, path: Path, alpha: Any, beta: Any) -> Any:
        self.enter(path, alpha, beta)
        if self.is_leaf(node, path):
            return self.read(path, self.worth(node))
        if node.player == CHANCE:
            return self.mean(node, path, (alpha, beta))
        return (
            self.max_value(node, path, alpha, beta) if node.player == MAX else self.min_value(node, path, alpha, beta)
        )

    def max_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        raise NotImplementedError

    def min_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        raise NotImplementedError


class _Minimax(_Search):
    windows = False

    def max_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        value = max(self.visit(child, (*path, number), alpha, beta) for number, child in enumerate(node.children))
        return self.leave(path, (alpha, beta), value)

    def min_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        value = min(self.visit(child, (*path, number), alpha, beta) for number, child in enumerate(node.children))
        return self.leave(path, (alpha, beta), value)


class _FailSoft(_Search):
    def max_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        value = -inf
        for number, child in enumerate(node.children):
            value = max(value, self.visit(child, (*path, number), alpha, beta))
            if self.beyond(value, beta):
                self.cut(node, path, number, max(alpha, value), beta)
                return self.leave(path, (max(alpha, value), beta), value)
            alpha = max(alpha, value)
        return self.leave(path, (alpha, beta), value)

    def min_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        value = inf
        for number, child in enumerate(node.children):
            value = min(value, self.visit(child, (*path, number), alpha, beta))
            if self.beyond(-value, -alpha):
                self.cut(node, path, number, alpha, min(beta, value))
                return self.leave(path, (alpha, min(beta, value)), value)
            beta = min(beta, value)
        return self.leave(path, (alpha, beta), value)


class _FailHard(_Search):
    def max_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        for number, child in enumerate(node.children):
            score = self.visit(child, (*path, number), alpha, beta)
            if self.beyond(score, beta):
                self.cut(node, path, number, score, beta)
                return self.leave(path, (score, beta), beta)
            if score > alpha:
                alpha = score
        return self.leave(path, (alpha, beta), alpha)

    def min_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        for number, child in enumerate(node.children):
            score = self.visit(child, (*path, number), alpha, beta)
            if self.beyond(-score, -alpha):
                self.cut(node, path, number, alpha, score)
                return self.leave(path, (alpha, score), alpha)
            if score < beta:
                beta = score
        return self.leave(path, (alpha, beta), beta)


class _PooleMackworth(_Search):
    """Returns pairs in the book: the path is kept beside, as `paths`: None where the book returns None."""

    def __init__(self, strict: bool, depth: int | None) -> None:
        super().__init__(strict, depth)
        self.paths: dict[Path, list[Path] | None] = {}

    def max_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        self.paths[path] = None
        best: list[Path] | None = None
        for number, child in enumerate(node.children):
            score = self.visit(child, (*path, number), alpha, beta)
            if self.beyond(score, beta):
                self.cut(node, path, number, score, beta)
                return self.leave(path, (score, beta), score)
            if score > alpha:
                alpha = score
                best = [(*path, number), *(self.paths.get((*path, number)) or [])]
        self.paths[path] = best
        return self.leave(path, (alpha, beta), alpha)

    def min_value(self, node: Inner, path: Path, alpha: Any, beta: Any) -> Any:
        self.paths[path] = None
        best: list[Path] | None = None
        for number, child in enumerate(node.children):
            score = self.visit(child, (*path, number), alpha, beta)
            if self.beyond(-score, -alpha):
                self.cut(node, path, number, alpha, score)
                return self.leave(path, (alpha, score), score)
            if score < beta:
                beta = score
                best = [(*path, number), *(self.paths.get((*path, number)) or [])]
        self.paths[path] = best
        return self.leave(path, (alpha, beta), beta)


class _Negamax(_Search):
    """Fail-soft, each number for the mover: at a leaf for who would move, at a chance node for MAX."""

    def side(self, node: Any, above: int) -> int:
        if isinstance(node, Leaf):
            return -above if above else MAX
        return node.player or MAX

    def visit_outcome(self, node: Any, path: Path) -> Any:
        return self.side(node, CHANCE) * self.visit_from(node, path, -inf, inf, CHANCE)

    def visit_from(self, node: Any, path: Path, alpha: Any, beta: Any, above: int) -> Any:
        self.enter(path, alpha, beta)
        if self.is_leaf(node, path):
            return self.read(path, self.side(node, above) * self.worth(node))
        if node.player == CHANCE:
            return self.mean(node, path, (alpha, beta))
        value = -inf
        for number, child in enumerate(node.children):
            if self.side(child, node.player) == node.player:
                score = self.visit_from(child, (*path, number), alpha, beta, node.player)
            else:
                score = -self.visit_from(child, (*path, number), -beta, -alpha, node.player)
            value = max(value, score)
            if self.beyond(value, beta):
                self.cut(node, path, number, max(alpha, value), beta)
                return self.leave(path, (max(alpha, value), beta), value)
            alpha = max(alpha, value)
        return self.leave(path, (alpha, beta), value)


SEARCHES = {"fail-soft": _FailSoft, "fail-hard": _FailHard, "path": _PooleMackworth}


def search(
    tree: Any,
    algorithm: str = "alphabeta",
    variant: str = "fail-soft",
    strict: bool = False,
    depth: int | None = None,
    window: tuple[Any, Any] = (-inf, inf),
) -> Found:
    """The record of a search."""
    searcher: _Search
    if algorithm == "negamax":
        searcher = _Negamax(strict, depth)
        searcher.found.value = searcher.visit_from(tree, (), *window, CHANCE)
    else:
        searcher = _Minimax(strict, depth) if algorithm != "alphabeta" else SEARCHES[variant](strict, depth)
        searcher.found.value = searcher.visit(tree, (), *window)
    found = searcher.found
    if algorithm == "alphabeta" and variant == "fail-hard":
        # Bounds in, bounds out: also where the root is a leaf or chance moves there.
        found.value = max(window[0], min(found.value, window[1]))
    if isinstance(searcher, _PooleMackworth):
        found.line = searcher.paths.get(()) or []
    else:
        path: Path | None = ()
        while path is not None and (path := _best(searcher, node_at(tree, path), path)) is not None:
            found.line.append(path)
    found.best = found.line[0] if found.line else None
    for path in found.visits:
        node = node_at(tree, path)
        values = _came_back(searcher, node, path).values()
        rises = isinstance(searcher, _Negamax) or (isinstance(node, Inner) and node.player == MAX)
        found.own[path] = found.returned[path] if not values else max(values) if rises else min(values)
    return found


def _best(searcher: _Search, node: Any, path: Path) -> Path | None:
    """The first child of those with the best value that came back."""
    values = _came_back(searcher, node, path)
    sign = 1 if isinstance(searcher, _Negamax) or not values else node.player
    return max(values, key=lambda below: sign * values[below]) if values else None


def _came_back(searcher: _Search, node: Any, path: Path) -> dict[Path, Any]:
    """What the children of a node gave back, in the node's numbers; nothing where nobody moves."""
    values: dict[Path, Any] = {}
    if searcher.is_leaf(node, path) or node.player == CHANCE:
        return values
    for number, child in enumerate(node.children):
        below = (*path, number)
        if below in searcher.found.returned:
            turned = isinstance(searcher, _Negamax) and searcher.side(child, node.player) != node.player
            values[below] = (-1 if turned else 1) * searcher.found.returned[below]
    return values


def value_of(tree: Any, depth: int | None = None) -> Any:
    """The minimax value, for MAX."""
    return search(tree, "minimax", depth=depth).value


def node_at(tree: Any, path: Path) -> Any:
    for number in path:
        tree = tree.children[number]
    return tree


def paths_of(tree: Any, path: Path = ()) -> list[Path]:
    """All nodes, parents first, left to right."""
    if isinstance(tree, Leaf):
        return [path]
    return [path, *(below for number, child in enumerate(tree.children) for below in paths_of(child, (*path, number)))]


def with_leaves(tree: Any, values: dict[Path, Any], path: Path = ()) -> Any:
    """The tree with other values at some leaves."""
    if isinstance(tree, Leaf):
        return Leaf(values.get(path, tree.value))
    return tree._replace(
        children=tuple(with_leaves(child, values, (*path, number)) for number, child in enumerate(tree.children))
    )


def name(path: Path) -> str:
    return "r" + "".join(f".{number}" for number in path)


def as_data(tree: Any, path: Path = ()) -> dict[str, Any]:
    """The tree in the nested shape of JSON that `zermelo.teaching.tree.read` takes, named by the paths."""
    if isinstance(tree, Leaf):
        return {"id": name(path), "value": tree.value}
    said: dict[str, Any] = {"id": name(path), "player": NAMES[tree.player]}
    if tree.weights:
        said["weights"] = list(tree.weights)
    if tree.evaluation is not None:
        said["evaluation"] = tree.evaluation
    return said | {"children": [as_data(child, (*path, number)) for number, child in enumerate(tree.children)]}


def random_tree(chances: random.Random, most_nodes: int = 90) -> Any:
    """A tree of depth 0 to 5 with 1 to 4 children a node: ties, fractions, unequal depths, turns in any order, chance.

    Trees of a seed are alike in kind: about half of them alternate strictly, a third have chance nodes.
    """
    depth = chances.choices(range(6), [1, 3, 10, 20, 20, 15])[0]
    span = chances.choice([1, 2, 3, 9, 100])
    part = chances.choice([1, 1, 1, 1, 2, 3, 6])
    chance = chances.choice([0, 0, 0.2])
    repeated = chances.choice([0, 0, 0.3])
    early = chances.choice([0, 0, 0.1, 0.3])
    nodes = 0

    def number() -> Any:
        value = Fraction(chances.randint(-span * part, span * part), part)
        return value.numerator if value.denominator == 1 else value

    def random_tree(left: int, above: int) -> Any:
        nonlocal nodes
        nodes += 1
        if left == 0 or nodes > most_nodes or (left < depth and chances.random() < early):
            return Leaf(number())
        player = CHANCE if chances.random() < chance else above if chances.random() < repeated else -above
        children = tuple(
            random_tree(left - 1, player or -above) for _ in range(chances.choices([1, 2, 3, 4], [1, 4, 4, 2])[0])
        )
        weights = tuple(chances.randint(1, 4) for _ in children) if player == CHANCE else ()
        return Inner(player, children, weights, number() if chances.random() < 0.8 else None)

    return random_tree(depth, chances.choice([MAX, MIN]))
