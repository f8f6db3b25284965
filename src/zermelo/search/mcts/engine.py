"""The engine of Monte Carlo tree search: it keeps the part of the tree that is still of use for the next search.

    MonteCarlo.analysis(state, ...)  ->  Analysis, Analysis, ...     one after each batch of simulations
        TreeSearch.run: batches, limits, results
            Forest.grow: one compiled call on each thread, or the textbook's tree

`docs/mcts.md` explains the algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, has_repetition_rule
from zermelo.errors import LimitError
from zermelo.search.context import SearchContext
from zermelo.search.interpreted import note_interpreted
from zermelo.search.limits import Limits
from zermelo.search.mcts.forest import CompiledForest, Forest, Settings, TextbookForest, is_ready
from zermelo.search.mcts.formulas import (
    BIAS_WEIGHT,
    EXPLORATION,
    MAX_PLAYOUT_PLIES,
    RAVE,
    RAVE_EXPLORATION,
    THOUSAND,
)
from zermelo.search.mcts.tree_search import TreeSearch
from zermelo.search.request import SearchRequest
from zermelo.search.searcher import Searcher
from zermelo.search.table import parse_size

DEFAULT_MEMORY = "256M"
# Moves that are tried to find the new root among the descendants of the old one.
_MOST_TRIED = 2_000
MOST_RAVE = 1_000_000
MAX_SEED = (1 << 62) - 1


class _Memory:
    """The trees, and one search context for each thread."""

    def __init__(self, threads: int) -> None:
        self.contexts = [SearchContext() for _ in range(threads)]
        self.forest: Forest | None = None
        self.state: State | None = None
        #: Settings and root moves of the forest.
        self.made_for: tuple[Any, ...] = ()

    @property
    def nodes(self) -> int:
        return sum(ctx.nodes for ctx in self.contexts)

    def free(self) -> None:
        self.contexts, self.forest, self.state = [], None, None


class MonteCarlo(Searcher):
    """Engine of Monte Carlo tree search (UCT), for any game of perfect information, with chance or without.

    Use it as a context manager, or call `close`, to free the memory at once. `analysis`, `analyse`, `best_move`, `stop`
    and `close` are those of `Engine`; a search is limited by seconds and nodes, where nodes are playouts.

    Parameters
    ----------
    memory : str or int
        Size of the trees in bytes. A tree that fills it stops growing, and its playouts go on.
    threads : int
        Threads that grow trees of their own, whose results are added, 1 to 256.
    seed : int
        Seed of all random choices, 0 to 2^62 - 1. The same searches with the same seed and limit of nodes give the same
        results.
    playout_plies : int
        Random moves before the evaluation, in searches with an evaluation; 0 to 2000. Without one, playouts go to the
        end of the game.
    exploration : float, optional
        Constant C of UCT, above 0: larger values try rarely visited moves more often. Default: the square root of 2;
        0.001 with RAVE.
    bias : float
        Weight of the progressive bias by the game's `move_score`, at least 0.
    rave : int
        Equivalence parameter of RAVE, for games with `moves_in_any_order`: after this number of visits a move's own
        results count at least as much as those of all playouts that contain it. At most a million; 0: do not use RAVE.
    compiled : bool
        False: run the textbook's version in plain Python. It gives the same results. Games that cannot be compiled are
        always searched so, on one thread.
    catch_interrupts : bool
        As in `Engine`.

    Raises
    ------
    LimitError
        If a parameter is out of range.

    Notes
    -----
    A simulation goes down the tree to the child that maximizes mean + C * sqrt(ln(visits of the parent) / visits) +
    bias * h / (visits + 1), where the mean lies in 0 .. 1 for the side to move and h is the move-ordering score among
    its siblings. In games with `moves_in_any_order` the mean also counts the simulations in which the side plays the
    move later (RAVE). Proven wins, draws and losses move up the tree; the search ends when the root is proven. The move
    to play is the most visited one.

    References
    ----------
    - L. Kocsis and C. Szepesvari, "Bandit Based Monte-Carlo Planning", ECML 2006.
    - C. Browne et al., "A Survey of Monte Carlo Tree Search Methods", IEEE TCIAIG 4, 2012.
    - S. Gelly and D. Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", Artificial
      Intelligence 175, 2011.
    - M. Winands, Y. Bjornsson and J.-T. Saito, "Monte-Carlo Tree Search Solver", Computers and Games 2008.
    - S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, 4th edition, section 5.4.

    Examples
    --------
    >>> import zermelo
    >>> start = zermelo.load("tictactoe").parse("XX-OO----")
    >>> with zermelo.MonteCarlo(seed=1) as mcts:
    ...     result = mcts.analyse(start, nodes=1000)
    >>> result.best, str(result.score), result.reason
    ('c1', '+1', 'exact')
    """

    def __init__(
        self,
        memory: str | int = DEFAULT_MEMORY,
        threads: int = 1,
        *,
        seed: int = 0,
        playout_plies: int = 0,
        exploration: float | None = None,
        bias: float = BIAS_WEIGHT / THOUSAND,
        rave: int = RAVE,
        compiled: bool = True,
        catch_interrupts: bool = False,
    ) -> None:
        super().__init__(threads, catch_interrupts)
        if not 0 <= seed <= MAX_SEED:
            raise LimitError(f"seed must be between 0 and 2^62 - 1 (got {seed})")
        if not 0 <= playout_plies <= MAX_PLAYOUT_PLIES:
            raise LimitError(f"playout_plies must be between 0 and {MAX_PLAYOUT_PLIES} (got {playout_plies})")
        if exploration is not None and not 0 < exploration <= 1000:
            raise LimitError(f"exploration must be above 0 and at most 1000 (got {exploration})")
        if not 0 <= bias <= 1000:
            raise LimitError(f"bias must be between 0 and 1000 (got {bias})")
        if not 0 <= rave <= MOST_RAVE:
            raise LimitError(f"rave must be between 0 and {MOST_RAVE:,} (got {rave})")
        if not compiled and threads > 1:
            raise LimitError("threads need compiled=True")
        self._bytes = parse_size(memory, "memory")
        self._compiled = compiled
        self._seed = seed
        self._playout_plies = playout_plies
        self._exploration = None if exploration is None else max(round(exploration * THOUSAND), 1)
        self._bias = round(bias * THOUSAND)
        self._rave = rave
        self._memory: _Memory = _Memory(threads)

    @property
    def playout_moves(self) -> int:
        """Random moves played in the playouts of the last search, and of those before it whose tree was kept."""
        return 0 if self._memory.forest is None else self._memory.forest.playout_moves

    def is_ready(self, state: State, evaluation: str | Evaluation | None = None, limits: Limits | None = None) -> bool:
        if not (state.is_compiled and self._compiled):
            return True
        return is_ready(state, None if evaluation is None else resolve_evaluation(state, evaluation))

    def _new_search(self, request: SearchRequest) -> TreeSearch:
        state = request.state

        def forest_of(root: State, scored_by: Evaluation | None, root_moves: Sequence[Any]) -> Forest:
            return self._forest(root, scored_by, request.history, root_moves)

        if not state.is_compiled:
            note_interpreted(type(state))
        threads = self.threads if state.is_compiled else 1
        return TreeSearch(forest_of, threads, self._stop_requested, request)

    def _forest(
        self,
        state: State,
        evaluation: Evaluation | None,
        history: Sequence[State] | PositionHistory,
        moves: Sequence[Any],
    ) -> Forest:
        """The forest of the last search, if the state is in it, or a new one."""
        memory = self._memory
        rave = self._rave if state.moves_in_any_order else 0
        exploration = self._exploration or (RAVE_EXPLORATION if rave else EXPLORATION)
        settings = Settings(self._seed, evaluation, self._playout_plies, exploration, self._bias, rave)
        for ctx in memory.contexts:
            ctx.nodes = ctx.next_poll = 0
            ctx.stop = ctx.stopped = False
        made_for = (type(state), settings, tuple(moves))
        if memory.forest is not None and memory.state is not None and not moves and memory.made_for == made_for:
            path = path_between(memory.state, state, history)
            if path is not None and memory.forest.advance(state, path, history):
                memory.state = state
                return memory.forest
        memory.forest = None  # free the old one first
        forest: Forest
        if self._compiled and state.is_compiled:
            forest = CompiledForest(memory.contexts, self._bytes, state, settings, history, moves)
        else:
            forest = TextbookForest(memory.contexts, state, settings, history, moves)
        memory.forest, memory.state, memory.made_for = forest, state, made_for
        return forest


def path_between(before: State, after: State, history: Sequence[State] | PositionHistory) -> tuple[Any, ...] | None:
    """The moves from one state to another: along the history of the game, or at most two plies.

    None where there is none, or where draws by repetition depend on a history that was not given.
    """
    states = [] if isinstance(history, PositionHistory) else [*history]
    if before in states:
        path: list[Any] = []
        place = len(states) - 1 - states[::-1].index(before)
        for here, following in zip(states[place:], [*states[place + 1 :], after], strict=True):
            move = next((move for move in here.legal_moves() if here.play(move) == following), None)
            if move is None:
                return None
            path.append(move)
        return tuple(path)
    if has_repetition_rule(before) and len(history):
        return None
    if before == after:
        return ()
    tried = 0
    paths: list[tuple[State, tuple[Any, ...]]] = [(before, ())]
    for _ in range(2):
        following_paths = []
        for state, moves in paths:
            for move in state.legal_moves():
                tried += 1
                if tried > _MOST_TRIED:
                    return None
                child = state.play(move)
                if child == after:
                    return (*moves, move)
                following_paths.append((child, (*moves, move)))
        paths = following_paths
    return None
