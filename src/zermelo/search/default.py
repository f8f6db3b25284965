"""Default search: the engine or Monte Carlo tree search, depending on the game and the limits.

Without an evaluation, alpha-beta cannot judge unfinished games. So the engine first tries to prove the value, within
half of the limits, and playouts follow. `default_algorithm` decides which games this applies to.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.errors import UnknownGame
from zermelo.search.analysis import Analysis
from zermelo.search.engine import DEFAULT_TABLE, Engine
from zermelo.search.limits import Limits
from zermelo.search.mcts.engine import DEFAULT_MEMORY, MonteCarlo
from zermelo.search.request import SearchRequest
from zermelo.search.searcher import Search, Searcher
from zermelo.search.selective import Selective
from zermelo.search.threads import Context

#: Part of the limits that goes to the attempt to prove the value. Twice as many playouts gain little, a proof is final.
PROOF_FRACTION = 0.5
# Ends of a search that has not solved the game and may be followed by playouts.
_UNSOLVED = ("seconds", "nodes", "depth")


def default_algorithm(game: State | type[State], limits: Limits, evaluation: str | Evaluation | None = None) -> str:
    """Return the default algorithm of a search.

    Parameters
    ----------
    game : State or type of State
        A game, or a state of it.
    limits : Limits
        A depth, an exact search, or no limit at all ask for alpha-beta.
    evaluation : str or Evaluation, optional
        The evaluation that the caller has chosen.

    Returns
    -------
    str
        "engine" if the game or the caller has an evaluation, or the limits ask for it; else "mcts".
    """
    has_time = (limits.seconds, limits.soft_seconds, limits.nodes) != (None, None, None)
    by_depth = limits.depth is not None or limits.exact or not has_time
    return "engine" if game.evaluations or evaluation is not None or by_depth else "mcts"


def make_searcher(
    algorithm: str | None = None,
    table: str | int = DEFAULT_TABLE,
    threads: int = 1,
    *,
    seed: int = 0,
    compiled: bool = True,
    catch_interrupts: bool = False,
    selective: Selective | bool | int | None = None,
) -> Searcher:
    """Make the engine of an algorithm.

    Parameters
    ----------
    algorithm : str, optional
        "engine", "mcts", or None: `DefaultSearcher`.
    table : str or int
        Size of the transposition table in bytes, or of the trees; the default of `Engine` stands for that of each.
    threads, seed, compiled, catch_interrupts, selective
        As in `Engine` and `MonteCarlo`.

    Raises
    ------
    UnknownGame
        If there is no algorithm of this name.
    LimitError
        If a parameter is out of range.
    """
    if algorithm is None:
        return DefaultSearcher(table, threads, seed=seed, catch_interrupts=catch_interrupts, selective=selective)
    if algorithm == "engine":
        return Engine(table, threads, compiled=compiled, catch_interrupts=catch_interrupts, selective=selective)
    if algorithm == "mcts":
        memory = DEFAULT_MEMORY if table == DEFAULT_TABLE else table
        return MonteCarlo(memory, threads, seed=seed, compiled=compiled, catch_interrupts=catch_interrupts)
    raise UnknownGame(f"unknown algorithm {algorithm!r}; expected engine or mcts")


class DefaultSearcher(Searcher):
    """An engine for any game: alpha-beta, or for a game without an evaluation a proof or Monte Carlo tree search.

    Parameters are those of `make_searcher`.
    """

    def __init__(
        self,
        table: str | int = DEFAULT_TABLE,
        threads: int = 1,
        *,
        seed: int = 0,
        catch_interrupts: bool = False,
        selective: Selective | bool | int | None = None,
    ) -> None:
        super().__init__(threads, catch_interrupts)
        self._engine = make_searcher("engine", table, threads, selective=selective)
        self._monte_carlo = make_searcher("mcts", table, threads, seed=seed)
        for each in (self._engine, self._monte_carlo):
            each._stop_requested = self._stop_requested
        self._memory = _Memories(self._engine, self._monte_carlo)

    def is_ready(self, state: State, evaluation: str | Evaluation | None = None, limits: Limits | None = None) -> bool:
        is_ready = self._engine.is_ready(state, evaluation, limits)
        return is_ready and (bool(state.evaluations) or self._monte_carlo.is_ready(state, evaluation))

    def _new_search(self, request: SearchRequest) -> Search:
        limits = request.limits
        if default_algorithm(request.state, limits, request.evaluation) == "engine":
            return self._engine._new_search(request)

        def playouts(rest: Limits) -> Search:
            return self._monte_carlo._new_search(replace(request, limits=rest))

        proof = self._engine._new_search(replace(request, limits=_fraction(limits)))
        return _ProofThenPlayouts(proof, playouts, limits)


class _Memories:
    """The memory of both engines together."""

    def __init__(self, *engines: Searcher) -> None:
        self._engines = engines

    @property
    def contexts(self) -> Sequence[Context]:
        return [ctx for engine in self._engines for ctx in engine._memory.contexts]

    @property
    def nodes(self) -> int:
        return sum(engine._memory.nodes for engine in self._engines)

    def free(self) -> None:
        for engine in self._engines:
            engine._free()


class _ProofThenPlayouts:
    """A search for a proof, followed by playouts unless it solves the game."""

    def __init__(self, proof: Search, playouts: Callable[[Limits], Search], limits: Limits) -> None:
        self.interrupt = threading.Event()
        proof.interrupt = self.interrupt
        self._proof, self._playouts, self._limits = proof, playouts, limits

    def run(self) -> Iterator[Analysis]:
        for found in self._proof.run():
            if found.reason not in _UNSOLVED:
                yield found
            if found.reason != "searching":
                break
        if found.reason in _UNSOLVED:
            # Compiles the playouts if it is their first search, which no proof has to wait for.
            search = self._playouts(_rest(self._limits, found))
            search.interrupt = self.interrupt
            yield from search.run()


def _fraction(limits: Limits) -> Limits:
    """Return the limits of the proof."""
    seconds = limits.soft_seconds or limits.seconds
    nodes = None if limits.nodes is None else max(int(limits.nodes * PROOF_FRACTION), 1)
    return Limits(seconds=None if seconds is None else seconds * PROOF_FRACTION, nodes=nodes)


def _rest(limits: Limits, used: Analysis) -> Limits:
    """Return the limits of the playouts that follow."""
    smallest = 0.001
    seconds, soft, nodes = limits.seconds, limits.soft_seconds, limits.nodes
    return replace(
        limits,
        seconds=None if seconds is None else max(seconds - used.seconds, smallest),
        soft_seconds=None if soft is None else max(soft - used.seconds, smallest),
        nodes=None if nodes is None else max(nodes - used.nodes, 1),
    )
