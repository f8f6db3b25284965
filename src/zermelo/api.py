"""The library in a few functions; each loads what it needs when it is first called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from zermelo.core.game import State

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.analysis import Analysis
    from zermelo.search.textbook import Result

DEFAULT_SECONDS = 5.0


def search(
    state: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    exact: bool = False,
    evaluation: str | Evaluation | None = None,
    lines: int = 1,
    threads: int = 1,
    table: str | int = "64M",
    history: Sequence[State] = (),
) -> Iterator[Analysis]:
    """Search a state deeper and deeper; yields an `Analysis` after each depth, the last one with its `reason`.

    It ends at the first limit reached: `depth` in plies, `seconds`, `nodes`, or when the game is solved; `exact`
    searches to the end of the game. Without any limit it goes on until the game is solved or Ctrl-C, which ends
    it with what it has (reason `interrupted`).

    `evaluation` is a name of the game's or a value of one's own; by default the game's first. `lines`: so many
    root moves get an exact score and line of their own. `threads` share one transposition `table` (`256M`).
    `history`: the states of the game before this one, the first one first, for rules that ask for them (repetition).

    The first search of a game on a machine compiles it, which takes seconds and is said on stderr.

    Raises `LimitError`, `UnknownGame` (evaluation), and `GameError` where the game's code does not compile.

    >>> import zermelo
    >>> for analysis in zermelo.search(zermelo.load("tictactoe").start(), depth=3):
    ...     print(analysis.depth, analysis.best)
    1 b2
    2 b2
    3 b2
    """
    from zermelo.search.engine import Engine, Limits

    limits = Limits(depth, seconds, nodes, exact)
    return Engine(table, threads).search(state, limits, evaluation, lines, history)


def analyse(state: State, **options: Any) -> Analysis:
    """The last and deepest `Analysis` of `search`, with the same options.

    Without any limit it takes at most five seconds.

    >>> import zermelo
    >>> analysis = zermelo.analyse(zermelo.load("tictactoe").parse("XX-OO----"))
    >>> analysis.best, analysis.score.value, analysis.score.plies
    ('c1', 1, 1)
    """
    if not options.get("exact") and all(options.get(limit) is None for limit in ("depth", "seconds", "nodes")):
        options["seconds"] = DEFAULT_SECONDS
    *_, last = search(state, **options)
    return last


def best_move(state: State, **options: Any) -> int:
    """The best move of a state, as an int for `state.play`; options as in `search`.

    Raises `IllegalMove` when the game is over.
    """
    from zermelo.errors import IllegalMove

    analysis = analyse(state, **options)
    if analysis.move is None:
        raise IllegalMove(f"there is no move in {state}: the game is over")
    return analysis.move


def minimax(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    compiled: bool = False,
    **options: Any,
) -> Result:
    """The textbook's minimax: `zermelo.search.textbook.minimax`, or its compiled twin, which visits the same states.

    The compiled one takes no other options (an order, a cutoff, an observer) but the history.
    """
    return _textbook("minimax", state, depth, evaluation, compiled, options)


def alphabeta(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    compiled: bool = False,
    **options: Any,
) -> Result:
    """The textbook's alpha-beta: `zermelo.search.textbook.alphabeta`, or its compiled twin, as in `minimax`."""
    return _textbook("alphabeta", state, depth, evaluation, compiled, options)


def negamax(
    state: State, depth: int | None = None, evaluation: str | Evaluation | None = None, **options: Any
) -> Result:
    """The textbook's negamax: `zermelo.search.textbook.negamax`."""
    return _textbook("negamax", state, depth, evaluation, False, options)


def expectiminimax(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    pruning: str | None = None,
    compiled: bool = False,
    **options: Any,
) -> Result:
    """The textbook's search of games of chance, `zermelo.search.textbook.expectiminimax`, or its compiled twin.

    `pruning`: None, "star1" or "star2" (Ballard 1983): the same value from fewer states.
    """
    if not compiled:
        return _textbook("expectiminimax", state, depth, evaluation, False, {"pruning": pruning, **options})
    from zermelo.errors import LimitError

    if pruning not in (None, "star1", "star2"):
        raise LimitError(f"pruning {pruning!r} is not one of star1, star2, or None for none")
    return _textbook(pruning or "expectiminimax", state, depth, evaluation, True, options)


def _textbook(
    algorithm: str,
    state: State,
    depth: int | None,
    evaluation: str | Evaluation | None,
    compiled: bool,
    options: dict[str, Any],
) -> Result:
    if compiled:
        history = options.pop("history", ())
        if options:
            raise TypeError(f"the compiled {algorithm} takes no {', '.join(options)}")
        from zermelo.search.compiled_textbook import compiled_textbook

        return compiled_textbook(state, depth, evaluation, algorithm, history)
    from zermelo.search import textbook

    found: Result = getattr(textbook, algorithm)(state, depth, evaluation, **options)
    return found


def perft(state: State, depth: int) -> int:
    """The number of lines of `depth` moves from a state: `zermelo.search.compiled_textbook.perft`."""
    from zermelo.search import compiled_textbook as plain

    return plain.perft(state, depth)
