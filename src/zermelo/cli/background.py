"""Compilation in the background: another process makes the machine code of a search while an interpreted one answers.

    compilation = Compilation(engine, state, evaluation, "connect4", "lines", "engine")
    ...
    if compilation.is_done: search with `engine`; it finds the machine code in the cache

A process, not a thread: Numba would hold the lock of the interpreter for seconds, and a thread cannot be ended.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import State
from zermelo.errors import ZermeloError

if TYPE_CHECKING:
    from zermelo.search.limits import Limits
    from zermelo.search.searcher import Searcher


class Compilation:
    """Compiles the search of a game in another process, if its machine code is not there yet.

    Parameters
    ----------
    engine : Searcher
        The engine whose search is compiled.
    state : State
        A state of the game.
    evaluation : Evaluation or None
        The evaluation of the search.
    game, name : str
        Name of the game and of the evaluation, for the other process; an empty name stands for none.
    algorithm : str
        "engine" or "mcts".
    limits : Limits, optional
        The limits of the search.
    """

    def __init__(
        self,
        engine: Searcher,
        state: State,
        evaluation: Evaluation | None,
        game: str,
        name: str,
        algorithm: str,
        limits: Limits | None = None,
    ) -> None:
        from zermelo.search.engine import Engine
        from zermelo.search.limits import Limits
        from zermelo.search.root_search import may_be_solved
        from zermelo.search.selective import parameters_for

        self._process: subprocess.Popen[bytes] | None = None
        if engine.is_ready(state, evaluation, limits):
            return
        limits, kinds = limits or Limits(), ["exact"]
        if isinstance(engine, Engine) and parameters_for(state, limits, engine.selective, evaluation):
            resolved = resolve_evaluation(state, evaluation, selective=True)
            kinds = ["selective", "exact"] if may_be_solved(state, limits, resolved) else ["selective"]
        from zermelo.arena.executors.subprocesses import start_process

        try:
            self._process = start_process(
                __name__, "compile_search", game, str(state), name, algorithm, " ".join(kinds)
            )
        except ZermeloError:  # then the search compiles its code itself
            return

    @property
    def is_done(self) -> bool:
        """Whether the other process has ended. If it failed, the search compiles the code itself and says why."""
        return self._process is None or self._process.poll() is not None

    def close(self) -> None:
        """End the other process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()


def compile_search(game: str, position: str, evaluation: str, algorithm: str, kinds: str) -> None:
    """Search a position as little as possible, "selective", "exact" or both; run in the other process."""
    from zermelo import registry
    from zermelo.core.weight_file import chosen_evaluation
    from zermelo.search.engine import Engine
    from zermelo.search.mcts.engine import MonteCarlo

    state = registry.load(game).parse(position)
    chosen = chosen_evaluation(type(state), evaluation or None)
    if algorithm == "mcts":
        with MonteCarlo("1M") as tree_search:
            tree_search.analyse(state, nodes=1, evaluation=chosen)
    else:
        for kind in kinds.split():
            with Engine("1M", selective=kind == "selective") as engine:
                engine.analyse(state, depth=1, evaluation=chosen)
