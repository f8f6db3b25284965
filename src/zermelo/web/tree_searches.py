"""Trees and their searches, in a worker process: what the requests of `zermelo.web.trees` call there.

The latest searches are kept in the process, so that sentences and boards of their steps need no second search. Answers
are JSON: the server passes them on as they are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from zermelo.core.game import State
from zermelo.errors import LimitError
from zermelo.web.errors import RequestError
from zermelo.web.position import GAMES, picture_of

#: Most nodes and most steps of a tree on the page.
MAX_NODES = 120_000
MAX_STEPS = 600_000
#: Searches with at most this many steps are sent with their sentences.
MAX_SENTENCES = 3_000
#: Rows of a message of steps.
ROWS = 20_000
#: Searches and trees that are kept.
KEPT = 4

MCTS = "mcts"
T = TypeVar("T")


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A tree and its search: all that determines them."""

    tree: str
    position: str
    moves: tuple[str, ...]
    depth: int
    evaluation: str
    algorithm: str
    order: str
    simulations: int
    seed: int


class _Latest(OrderedDict[Any, T]):
    """The latest values by key: `KEPT` at most, and of more than one no more than `most` in size."""

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        super().__init__()
        self._most = most
        self._size = size

    def keep(self, key: Any, make: Callable[[], T]) -> T:
        """The value of a key; it is made if it is not here."""
        if key not in self:
            self[key] = make()
        self.move_to_end(key)
        while len(self) > KEPT or (len(self) > 1 and sum(map(self._size, self.values())) > self._most):
            self.popitem(last=False)
        return self[key]


class Searches:
    """Trees and their searches, the latest kept."""

    def __init__(self) -> None:
        self._trees: _Latest[Any] = _Latest(MAX_NODES, len)
        self._searches: _Latest[Found] = _Latest(MAX_STEPS, lambda found: found.size)

    # ---- answers ------------------------------------------------------------------------------------------------

    def search(self, source: str, query: Query) -> Iterator[tuple[str, Any]]:
        """The events of `POST /api/trees`."""
        from zermelo.teaching.diagrams.step_data import Texts, step_columns

        if (source, query) not in self._searches:
            yield "progress", {"text": "Growing the tree" if query.algorithm == MCTS else "Building the tree"}
            if query.algorithm != MCTS:
                count = len(self._tree(source, query))
                yield "progress", {"text": f"Searching {count:,} nodes"}
        found = self._search(source, query)
        texts, kinds = Texts(), Texts()
        yield "tree", found.header(texts)
        has_sentences = found.size <= MAX_SENTENCES
        begin = 0
        for table in step_columns(found.entries(), texts, kinds, ROWS):
            rows = len(table["kind"])
            sentences = found.sentences(begin, begin + rows) if has_sentences else []
            yield "steps", table | {"sentences": sentences, "bounds": found.bounds(begin, begin + rows)}
            begin += rows
        yield "end", {"steps": begin}

    def sentences(self, source: str, query: Query, first: int, count: int) -> dict[str, Any]:
        """The sentences of some steps."""
        found = self._search(source, query)
        return {"first": first, "sentences": found.sentences(first, min(first + count, found.size))}

    def boards(self, source: str, query: Query, nodes: list[int]) -> dict[str, Any]:
        """The boards of some nodes."""
        tree = self._search(source, query).tree
        if not tree.positions:
            raise RequestError("the tree has no boards: it is not the tree of a game's position", field="nodes")
        above = [index for index in nodes if not 0 <= index < len(tree)]
        if above:
            raise RequestError(f"nodes must be between 0 and {len(tree) - 1} (got {above[0]})", field="nodes")
        return {"boards": {index: picture_of(tree.positions[index], None) for index in nodes}}

    def page(self, source: str, query: Query) -> dict[str, Any]:
        """The page of one file that steps through the search."""
        from zermelo.drawing.drawing import drawing_of
        from zermelo.drawing.options import Options

        found = self._search(source, query)
        boards = bool(found.tree.positions) and len(found.tree) <= 200
        return {"html": drawing_of(found.trace, Options(boards=boards)).render("html")}

    # ---- searches -----------------------------------------------------------------------------------------------

    def _search(self, source: str, query: Query) -> Found:
        return self._searches.keep((source, query), lambda: self._searched(source, query))

    def _searched(self, source: str, query: Query) -> Found:
        found: Found
        if query.algorithm == MCTS:
            found = _Playouts(self._state(source, query), query)
        else:
            found = _Traced(self._tree(source, query), query)
        if found.size > MAX_STEPS:
            raise LimitError(
                f"the search has {found.size:,} steps; the limit is {MAX_STEPS:,}: use a smaller depth, or an "
                "algorithm that visits fewer nodes"
            )
        return found

    def _state(self, source: str, query: Query) -> State:
        if not source:
            raise RequestError("Monte Carlo tree search needs a game, not a tree", field="algorithm")
        return GAMES.game(source, query.position, list(query.moves)).state

    def _tree(self, source: str, query: Query) -> Any:
        """The tree of the query in its order of moves."""
        from zermelo.teaching.tree import game_tree
        from zermelo.teaching.tree.convention import QUIESCENCE, Convention
        from zermelo.teaching.tree.move_orders import ordered

        quiescence = QUIESCENCE in Convention.of(query.algorithm).enhancements
        key = source, query.tree, query.position, query.moves, query.depth, query.evaluation, quiescence, query.order

        def make() -> Any:
            if not source:
                tree = _given(query.tree)
            else:
                state, evaluation = self._state(source, query), query.evaluation or None
                tree = game_tree(state, query.depth, evaluation, quiescence=quiescence, limit=MAX_NODES)
            if len(tree) > MAX_NODES:
                raise LimitError(f"the tree has {len(tree):,} nodes; the limit is {MAX_NODES:,}")
            return ordered(tree, query.order)

        return self._trees.keep(key, make)


def _given(text: str) -> Any:
    """A tree as text, or the tree of a lecture by the name of its case."""
    from zermelo.teaching.lectures.cases import tree_of
    from zermelo.teaching.tree import read

    is_name = text.replace("_", "").replace("-", "").isalnum() and not text.lstrip("-").isdigit()
    return tree_of(text) if is_name else read(text)


class Found:
    """A search with all its steps."""

    tree: Any
    trace: Any
    size: int

    def header(self, texts: Any) -> dict[str, Any]:
        """The event `tree`."""
        raise NotImplementedError

    def entries(self) -> Iterator[dict[str, Any]]:
        """The steps, as `zermelo.teaching.diagrams.step_data` describes them."""
        raise NotImplementedError

    def sentences(self, begin: int, end: int) -> list[str]:
        raise NotImplementedError

    def bounds(self, begin: int, end: int) -> dict[int, list[dict[str, float]]]:
        """By row, the upper confidence bounds that a selection compares."""
        return {}


class _Traced(Found):
    """A textbook search of a tree."""

    def __init__(self, tree: Any, query: Query) -> None:
        from zermelo.teaching.tree import trace
        from zermelo.teaching.tree.convention import Convention

        convention = Convention.of(query.algorithm)
        needs_depth = bool(convention.enhancements) and bool(tree.positions)
        self.tree = tree
        self.trace = trace(tree, convention, depth=query.depth if needs_depth else None)
        self.size = len(self.trace.steps)

    def header(self, texts: Any) -> dict[str, Any]:
        from zermelo.drawing.options import Options
        from zermelo.teaching.diagrams.labels import Labels
        from zermelo.teaching.diagrams.pseudocode import Pseudocode
        from zermelo.teaching.diagrams.step_data import cut_list, node_columns
        from zermelo.teaching.tree.narration import explain_outcome
        from zermelo.teaching.tree.numbers import format_number

        labels, trace = Labels(self.trace, Options()), self.trace
        cuts = [{"number": cut.step + 1, "cut": 0} for cut in trace.cuts]
        return {
            "name": self.tree.name,
            "algorithm": str(trace.convention),
            "hasWindows": trace.convention.prunes,
            "hasBoards": bool(self.tree.positions),
            "nodes": node_columns(self.tree, texts, labels=labels),
            "line": [0, *(node.index for node in trace.line)],
            "code": Pseudocode(trace).lines,
            "cuts": cut_list(labels, trace, cuts),
            "value": format_number(trace.value),
            "best": "" if trace.best is None else self.tree.move_name(self.tree.nodes[trace.best]),
            "outcome": explain_outcome(trace),
            "visited": len(trace.visited),
            "visits": trace.visits,
            "leaves": len(self.tree.leaves),
            "evaluated": len(trace.leaves),
            "steps": len(trace.steps),
            "texts": texts.new(),
        }

    def entries(self) -> Iterator[dict[str, Any]]:
        from zermelo.teaching.diagrams.pseudocode import Pseudocode
        from zermelo.teaching.diagrams.step_data import search_steps

        return search_steps(self.trace, Pseudocode(self.trace))

    def sentences(self, begin: int, end: int) -> list[str]:
        from zermelo.teaching.tree.narration import describe_step

        return [describe_step(self.trace, step) for step in self.trace.steps[begin:end]]


class _Playouts(Found):
    """A Monte Carlo tree search."""

    def __init__(self, state: State, query: Query) -> None:
        from zermelo.teaching.tree.playouts import PlayoutTrace

        self.trace = PlayoutTrace(state, query.simulations, query.seed, query.evaluation or None)
        self.tree = self.trace.tree
        self.size = len(self.trace.steps)

    def header(self, texts: Any) -> dict[str, Any]:
        from zermelo.drawing.options import Options
        from zermelo.teaching.diagrams.playout_drawing import PlayoutLabels
        from zermelo.teaching.diagrams.step_data import PLAYOUT_CODE, node_columns

        trace = self.trace
        labels = PlayoutLabels(trace, Options())
        root, _ = trace.texts_after(len(trace.steps)).get(0, ("", ""))
        best = f", most visited move {trace.best}" if trace.best else ""
        return {
            "name": self.tree.name,
            "algorithm": "Monte Carlo tree search",
            "hasWindows": True,
            "hasBoards": True,
            "nodes": node_columns(self.tree, texts, labels=labels),
            "line": sorted(labels.line),
            "code": list(PLAYOUT_CODE),
            "cuts": [],
            "value": root,
            "best": trace.best or "",
            "outcome": f"{trace.simulations:,} simulations: results for MAX / playouts {root}{best}.",
            "visited": len(self.tree),
            "visits": trace.simulations,
            "leaves": len(self.tree.leaves),
            "evaluated": trace.simulations,
            "steps": len(trace.steps),
            "texts": texts.new(),
        }

    def entries(self) -> Iterator[dict[str, Any]]:
        from zermelo.teaching.diagrams.step_data import playout_steps

        return playout_steps(self.trace)

    def sentences(self, begin: int, end: int) -> list[str]:
        return [step.sentence for step in self.trace.steps[begin:end]]

    def bounds(self, begin: int, end: int) -> dict[int, list[dict[str, float]]]:
        return {
            row: [
                {
                    "node": bound.node,
                    "visits": bound.visits,
                    "mean": round(bound.mean, 3),
                    "bonus": round(bound.bonus, 3),
                }
                for bound in step.bounds
            ]
            for row, step in enumerate(self.trace.steps[begin:end])
            if step.bounds
        }


# ---- calls of the server ----------------------------------------------------------------------------------------

#: The searches of this process.
SEARCHES = Searches()


def search(source: str, query: Query) -> Iterator[tuple[str, bytes]]:
    """The events of `POST /api/trees`."""
    try:
        for name, data in SEARCHES.search(source, query):
            yield name, msgspec.json.encode(data)
    except (RecursionError, MemoryError):
        raise RequestError("the tree is too large for the memory; use a smaller depth", status=422) from None


def sentences(source: str, query: Query, first: int, count: int) -> bytes:
    """The sentences of some steps."""
    return msgspec.json.encode(SEARCHES.sentences(source, query, first, count))


def boards(source: str, query: Query, nodes: list[int]) -> bytes:
    """The boards of some nodes."""
    return msgspec.json.encode(SEARCHES.boards(source, query, nodes))


def page(source: str, query: Query) -> bytes:
    """The page of one file that steps through the search."""
    return msgspec.json.encode(SEARCHES.page(source, query))
