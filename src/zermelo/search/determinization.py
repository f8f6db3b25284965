"""Perfect-information Monte Carlo (PIMC): alpha-beta on sampled states of a game with hidden information.

Each sample is a state that the player thinks possible. All its moves are searched as if everything were visible
(`State.open_state`), and the move with the best mean score is played. It is simple and strong in games like bridge, and
has two flaws that docs/hidden-search.md shows: it believes that it will know later what it does not know (strategy
fusion), and that the opponent knows everything.

References
----------
M. Ginsberg, "GIB: Imperfect Information in a Computationally Challenging Game", JAIR 14 (2001).
I. Frank, D. Basin, "Search in Games with Incomplete Information: A Case Study Using Bridge Card Play", Artificial
Intelligence 100 (1998).
J. Long, N. Sturtevant, M. Buro, T. Furtak, "Understanding the Success of Perfect Information Monte Carlo Sampling in
Game Tree Search", AAAI 2010.
"""

from __future__ import annotations

import time

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.random_numbers import random_word
from zermelo.errors import LimitError, SearchTimeout
from zermelo.search.compiled_textbook import compiled_textbook
from zermelo.search.limits import Limits
from zermelo.search.mcts.information_sets import HiddenSearch, MoveStatistics, decisions
from zermelo.search.solving import Solver

DEFAULT_SAMPLES = 20
#: Size of the table that all samples share. It is touched where it is used only.
TABLE = "64M"
MAX_SAMPLES = 1_000_000


def pimc(
    state: State,
    samples: int = DEFAULT_SAMPLES,
    depth: int | None = None,
    *,
    evaluation: str | Evaluation | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> HiddenSearch:
    """Search an information set by perfect-information Monte Carlo.

    Parameters
    ----------
    state : State
        Any state of the information set of the side to move. The result depends on what that player knows alone.
    samples : int
        Number of states drawn, 1 to 1,000,000.
    depth : int, optional
        Search depth in plies, 1 to 200; None: to the end of the game.
    evaluation : str or Evaluation, optional
        Evaluation of unfinished games at the depth; by default the game's first one.
    nodes : int, optional
        No further sample is drawn after this number of states was searched; see the notes.
    seconds : float, optional
        No further sample is drawn after this time.
    seed : int
        Seed of the samples, 0 to 2^62 - 1.

    Returns
    -------
    HiddenSearch
        The move with the best mean first; means are scores of the search, of finished games as utilities where `depth`
        is None.

    Notes
    -----
    Without chance and without `depth`, the samples are solved by null-window searches with one table
    (`zermelo.search.solving.Solver`): most of what a move needs was found for the moves before it. A sample that is not
    solved within `nodes` is left out. Until one is solved, the next one may take twice as many states.

    Raises
    ------
    LimitError
        If a parameter is out of range, or the game cannot be compiled.
    GameError
        If the game is over, chance is to move, or the game's code fails.
    """
    if not 1 <= samples <= MAX_SAMPLES:
        raise LimitError(f"samples must be from 1 to {MAX_SAMPLES:,} (got {samples})")
    if depth is not None and not 1 <= depth <= 200:
        raise LimitError(f"depth must be between 1 and 200 plies (got {depth})")
    Limits(nodes=nodes)
    moves = decisions(state)
    side = state.to_move()
    if not state.open_state().is_compiled:
        raise LimitError(f"pimc needs a game that compiles; {type(state.open_state()).__name__} does not")
    totals = dict.fromkeys(moves, 0.0)
    searched = drawn = left_out = 0
    began = time.perf_counter()

    def is_within_limits() -> bool:
        if drawn == 0:
            return True
        in_time = seconds is None or time.perf_counter() - began < seconds
        return drawn < samples and in_time and (nodes is None or searched < nodes)

    with Solver(TABLE, open_information=True) as solver:
        while is_within_limits():
            sample = state.resample(side, random_word(seed, drawn + left_out)).open_state()
            if depth is None and not sample.has_chance:
                limit = None if nodes is None else nodes - searched if drawn else nodes << left_out
                try:
                    values = solver.move_values(sample, nodes=limit)
                except SearchTimeout:
                    left_out += 1
                else:
                    drawn += 1
                    for move, value in values.items():
                        totals[move] += side * value
                searched = solver.nodes
                continue
            drawn += 1
            for move in moves:
                found = compiled_textbook(
                    sample.play(move),
                    None if depth is None else depth - 1,
                    evaluation,
                    "star1" if sample.has_chance else "sparing",
                    rank_wins=None if depth is not None else False,
                    open_information=True,
                )
                searched += found.nodes
                totals[move] += side * (float(found.value) if found.expected is None else found.expected)
    ranked = sorted(moves, key=lambda move: totals[move], reverse=True)
    statistics = tuple(MoveStatistics(move, drawn, totals[move] / drawn) for move in ranked)
    return HiddenSearch(ranked[0], statistics, searched)
