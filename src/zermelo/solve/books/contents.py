"""What is in a book: its positions one by one, and whether they agree with each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import State
from zermelo.search.analysis import SIDES, make_score
from zermelo.search.table import NO_MOVE
from zermelo.solve.books.book import Book, Entry, minimax_entry
from zermelo.solve.books.building import Builder, Node


def rows(book: Book) -> Iterator[dict[str, Any]]:
    """Yield the positions that can be reached from the root, as plain data, the fewest plies first."""
    for node in _reached(book):
        entry, state = book.entries[node.key], node.state
        score = make_score(state, entry.score, book.scale, resolve_evaluation(state, None), entry.proven)
        best = None if entry.move == NO_MOVE else state.move_name(entry.move)
        yield {
            "ply": node.ply,
            "position": str(state),
            "to_move": SIDES[state.to_move()],
            "best": best,
            **score.as_dict(),
            "depth": entry.depth,
            "searched": node.successors is None,
        }


def problems(book: Book) -> Iterator[str]:
    """Yield what contradicts the rules or other entries: illegal moves, scores that do not follow from successors."""
    builder = _builder(book)
    for node in _reached(book, builder):
        entry = book.entries[node.key]
        where = f"{node.state}, ply {node.ply}"
        if entry.move not in node.state.legal_moves():
            yield f"{where}: the best move {entry.move} is not legal"
        known = builder.known(node)
        if known is None:
            continue
        expected = minimax_entry(node.state, known)
        if (entry.score, entry.proven) != (expected.score, expected.proven):
            yield f"{where}: the score is {entry.score}, but that of the successors is {expected.score}"
    if (lost := len(book.entries) - len(_reached(book, builder))) > 0:
        yield f"{lost:,} of {len(book.entries):,} positions cannot be reached from {book.root}"


def _reached(book: Book, builder: Builder | None = None) -> list[Node]:
    nodes = (builder or _builder(book)).nodes.values()
    return sorted((node for node in nodes if node.key in book.entries), key=lambda each: each.ply)


def _builder(book: Book) -> Builder:
    return Builder(book, _no_search)


def _no_search(state: State) -> Entry:
    raise NotImplementedError
