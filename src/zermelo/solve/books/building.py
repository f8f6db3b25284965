"""Building opening books: all positions to a depth, drop-out expansion, and learning from lost games.

The builder holds the positions of the book as a graph, in which equal and symmetric positions are one node:

    Builder.missing(plies)     leaves that a search has to score
    Builder.expand(node)       all successors of a leaf become leaves
    Builder.best_leaf()        the leaf that good play reaches most likely: drop-out expansion
    Builder.back_up()          minimax values of all nodes whose successors are scored

References
----------
T. R. Lincke, "Strategies for the Automatic Construction of Opening Books", Computers and Games 2000, LNCS 2063, 2001.
M. Buro, "Toward Opening Book Learning", ICCA Journal 22, 1999.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import State
from zermelo.errors import LimitError
from zermelo.search.scores import finished_score
from zermelo.solve.books.book import Book, Entry, minimax_entry, parent_score, representative

# Loss of score that costs as much as a ply in drop-out expansion, by the unit of the score; 1 in other units. With half
# a pawn, best moves are followed 2 plies deeper than a move that loses a pawn.
LOSS_PER_PLY = {"centipawns": 50}
#: The largest cost of one bad move, in plies. Moves that lose the game at once are still looked at, very late.
LARGEST_DROP = 40


@dataclass
class Node:
    """A position of a book that is being built.

    Attributes
    ----------
    key : int
        The key of the entry.
    state : State
        The representative.
    ply : int
        The fewest plies from the root.
    successors : list or None
        For each legal move the key of the successor, and its score instead if the game is over there; None for leaves.
    """

    key: int
    state: State
    ply: int
    successors: list[tuple[int, int | None, int]] | None = None


class Builder:
    """Extends a book.

    Parameters
    ----------
    book : Book
        The book, which is changed.
    search : callable
        Returns the entry of a position; the position represents itself.
    """

    def __init__(self, book: Book, search: Callable[[State], Entry]) -> None:
        if book.root.is_over():
            raise LimitError("the game is over in the position that the book begins with")
        self.book, self._search = book, search
        self.nodes: dict[int, Node] = {}
        self.root = self._node(book.root, 0)
        self._open_all()

    def _node(self, state: State, ply: int) -> Node:
        key, image = representative(state)
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = Node(key, image, ply)
        return node

    def _open_all(self) -> None:
        """Make the nodes of the positions to `book.plies`, and of all entries that can be reached from them."""
        queue = [self.root]
        for node in queue:  # grows
            below = self._successors(node)
            scored = [each for each in below if each[1] is not None or each[2] in self.book.entries]
            known = len(self.nodes)
            if node.ply < self.book.plies or len(scored) == len(below):
                self._open(node, below)
            else:  # a leaf; an interrupted expansion may have scored some of its successors
                self._add(node, scored)
            queue += islice(self.nodes.values(), known, None)

    def _successors(self, node: Node) -> list[tuple[int, int | None, int]]:
        """The moves of a node, each with the score of a finished game (else None) and the key of the successor."""
        found: list[tuple[int, int | None, int]] = []
        for move in node.state.legal_moves():
            child = node.state.play(move)
            score = finished_score(child.utility(), 1, *self.book.scale) if child.is_over() else None
            found.append((move, score, 0 if score is not None else representative(child)[0]))
        return found

    def _open(self, node: Node, successors: list[tuple[int, int | None, int]]) -> None:
        """Turn a leaf into an inner node."""
        node.successors = successors
        self._add(node, successors)

    def _add(self, node: Node, successors: list[tuple[int, int | None, int]]) -> None:
        """Add the nodes of successors to the graph."""
        for move, score, _ in successors:
            if score is None:
                self._node(node.state.play(move), node.ply + 1)

    def missing(self) -> list[Node]:
        """The nodes that need a search: leaves without an entry. Those of one parent follow each other."""
        found: dict[int, Node] = {}
        for node in [*self.nodes.values()]:
            for _, score, key in node.successors or ():
                child = self.nodes[key] if score is None else None
                if child is not None and child.successors is None and key not in self.book.entries:
                    found[key] = child
        if self.root.successors is None and self.root.key not in self.book.entries:
            found[self.root.key] = self.root
        return [*found.values()]

    def score(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Search nodes and enter their scores; yields each after its search."""
        for node in nodes:
            if node.key not in self.book.entries:
                self.book.entries[node.key] = self._search(node.state)
            yield node

    def expand(self, node: Node) -> Iterator[Node]:
        """Score all successors of a leaf, which then is one no more; yields each after its search.

        An expansion that is given up leaves the book as consistent as before.
        """
        successors = self._successors(node)
        below = [self._node(node.state.play(move), node.ply + 1) for move, score, _ in successors if score is None]
        yield from self.score(below)
        self._open(node, successors)

    def back_up(self) -> None:
        """Enter the minimax values of all nodes whose successors have entries.

        From the deepest plies up. A successor that is not deeper, where positions can repeat, counts as before.
        """
        for node in sorted(self.nodes.values(), key=lambda each: -each.ply):
            known = self.known(node)
            if known is not None:
                self.book.entries[node.key] = minimax_entry(node.state, known)

    def known(self, node: Node) -> list[tuple[int, int, bool]] | None:
        """The moves of a node with their scores, and whether these are proven; None unless all are known."""
        if node.successors is None:
            return None
        found = []
        for move, score, key in node.successors:
            entry = None if score is not None else self.book.entries.get(key)
            if score is not None:
                found.append((move, score, True))
            elif entry is not None:
                found.append((move, parent_score(entry.score, self.book.scale), entry.proven))
            else:
                return None
        return found

    # ---- drop-out expansion ---------------------------------------------------------------------------------

    def best_leaf(self) -> Node | None:
        """The leaf with the cheapest path: each ply costs 1, and a move that gives something away costs more.

        None if the book has no leaf that can be expanded.
        """
        costs = {self.root.key: 0.0}
        queue = [(0.0, 0, self.root.key)]
        number = 0  # of equal costs the first one found
        while queue:
            cost, _, key = heapq.heappop(queue)
            if cost > costs[key]:
                continue
            node = self.nodes[key]
            if node.successors is None:
                return node
            for child, drop in self._drops(node):
                number += 1
                total = cost + 1 + drop
                if total < costs.get(child, float("inf")):
                    costs[child] = total
                    heapq.heappush(queue, (total, number, child))
        return None

    def _drops(self, node: Node) -> Iterator[tuple[int, float]]:
        """The successors of a node that are not finished, and how much less than the best one they score, in plies."""
        known = self.known(node)
        assert known is not None, "a leaf is scored before its parent is opened"
        assert node.successors is not None
        sign = node.state.to_move()
        best = max(sign * score for _, score, _ in known)
        per_ply = LOSS_PER_PLY.get(resolve_evaluation(node.state, None).unit_name, 1)
        for (_, ended, key), (_, score, _) in zip(node.successors, known, strict=True):
            if ended is None:
                yield key, min((best - sign * score) / per_ply, LARGEST_DROP)

    # ---- learning from games --------------------------------------------------------------------------------

    def learn(self, states: list[State], loser: int, plies: int) -> Iterator[Node]:
        """Expand the book along a lost game until it knows that the loser stands worse.

        Parameters
        ----------
        states : list of State
            The positions of the game, from the start.
        loser : int
            MAX or MIN.
        plies : int
            Largest number of positions to expand.

        Yields
        ------
        Node
            Each position that was searched.
        """
        for state in states:
            if plies == 0 or state.is_over():
                return
            node = self.nodes.get(representative(state)[0])
            if node is None or node.successors is not None:
                continue  # before the root, or known
            entry = self.book.entries.get(node.key)
            if entry is not None and entry.score * loser < 0:
                return
            yield from self.expand(node)
            self.back_up()
            plies -= 1
