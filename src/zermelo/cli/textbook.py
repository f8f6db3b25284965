"""The textbook's algorithms behind `zermelo analyse --algorithm`: the same result as the engine's, or what is known."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from zermelo._util.terminal import print_line
from zermelo.cli import INTERRUPTED, screen
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory, utility_by_rule
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.analysis import Analysis
    from zermelo.search.scores import Scale
    from zermelo.search.textbook import Result

# The algorithms, and whether each has a compiled version, which visits the same states.
TEXTBOOK = {
    "minimax": True,
    "alphabeta": True,
    "alphabeta-hard": False,
    "alphabeta-path": False,
    "negamax": False,
    "expectiminimax": True,
    "star1": True,
    "star2": True,
}


class _Walked(NamedTuple):
    """Result of a textbook search; the value is for MAX, on the scale of the search."""

    value: int
    line: tuple[int, ...]
    nodes: int
    seconds: float
    is_whole: bool  # the depth limit cut nothing off
    is_interrupted: bool
    extra: dict[str, Any]


def search(
    state: State,
    depth: int | None,
    evaluation: str | Evaluation | None,
    algorithm: str,
    order: str | None,
    compiled: bool | None,
    quiet: bool,
    history: list[State],
) -> tuple[Analysis, dict[str, Any]]:
    """Run a textbook algorithm; returns an `Analysis` and additional facts.

    Without a depth it searches to the end of the game and uses no evaluation. `compiled` None chooses compiled if
    possible. Ctrl-C ends an interpreted search with the best root move so far; a compiled one has no result before its
    end.
    """
    from zermelo.core.evaluation import resolve_evaluation
    from zermelo.search.scores import plain, ranked

    if depth is not None and depth < 1:
        raise LimitError(f"--depth must be at least 1 (got {depth})")
    can_be_compiled = TEXTBOOK[algorithm] and order is None and state.is_compiled
    if compiled and not state.is_compiled:
        why = state.why_interpreted or "@game(compiled=False)"
        raise LimitError(f"--compiled: {type(state).__name__} is an interpreted game ({why})")
    if compiled and not can_be_compiled:
        names = ", ".join(name for name, has_twin in TEXTBOOK.items() if has_twin)
        raise LimitError(f"--compiled needs --algorithm {names}, and no --order")
    compiled = can_be_compiled if compiled is None else compiled
    scored = None if depth is None and evaluation is None else resolve_evaluation(state, evaluation)
    ordered = None if order is None else resolve_evaluation(state, order)
    if compiled:
        walked = _run_compiled(state, depth, scored, algorithm, quiet, history)
    else:
        walked = _run_interpreted(state, depth, scored, algorithm, ordered, quiet, history)
    found = _as_analysis(
        state, walked, depth, scored, algorithm, plain(state) if scored is None else ranked(state, scored)
    )
    return found, {"compiled": compiled, **walked.extra}


def describe_extra(extra: dict[str, Any]) -> list[str]:
    """Additional facts of a textbook search, as texts."""
    facts = ["compiled" if extra["compiled"] else "interpreted"]
    facts += [f"{extra[name]:,} {name}" for name in ("leaves", "cuts") if name in extra]
    return [*facts, *([f"{extra['root_moves']} root moves searched so far"] if "root_moves" in extra else [])]


# ---- compiled -----------------------------------------------------------------------------------------------


def _run_compiled(
    state: State,
    depth: int | None,
    scored: Evaluation | None,
    algorithm: str,
    quiet: bool,
    history: list[State],
) -> _Walked:
    from zermelo.search.compiled_textbook import compiled_textbook

    try:
        with screen.Progress(f"{algorithm}, compiled", quiet) as progress:
            compiled_textbook(
                state, 1, scored, algorithm, history
            )  # compile first, so that compiling is not shown as searching
            progress.begin(f"{algorithm}, compiled")
            result = compiled_textbook(state, depth, scored, algorithm, history)
            line = list(result.line)
            progress.begin(f"{algorithm}, compiled: {result.nodes:,} nodes; its line")
            with suppress(KeyboardInterrupt):  # the result is complete; only its line is shorter
                _follow(state, line, depth, scored, algorithm, history)
    except KeyboardInterrupt:
        print_line(
            f"zermelo: interrupted; compiled {algorithm} has no result before its end (--no-compiled has)", error=True
        )
        raise typer.Exit(INTERRUPTED) from None
    # Compiled searches do not report depth cutoffs, so only one without a depth limit is known to be complete.
    is_whole = depth is None and not result.is_rounded
    return _Walked(result.value, tuple(line), result.nodes, result.seconds, is_whole, False, {})


def _follow(
    state: State,
    line: list[int],
    depth: int | None,
    scored: Evaluation | None,
    algorithm: str,
    history: list[State],
) -> None:
    """Extend a line beyond its first move, all that compiled versions return, by searching each next state."""
    from zermelo.search.compiled_textbook import compiled_textbook

    past = [*history, state]
    positions = PositionHistory(past)
    if line:
        state = state.play(line[0])
    while line and not state.is_over() and state.to_move() != CHANCE and (depth is None or len(line) < depth):
        if utility_by_rule(state, positions.push(state)) is not None:
            break
        below = compiled_textbook(state, None if depth is None else depth - len(line), scored, algorithm, past)
        if below.best is None:
            break
        line.append(below.best)
        past.append(state)
        state = state.play(below.best)


# ---- interpreted ----------------------------------------------------------------------------------------------


class _Watch:
    """Observer of an interpreted search: nodes, best root move so far, whether the depth limit cut anything off."""

    def __init__(self, sign: int) -> None:
        self.sign = sign  # turns an observed value into one for the mover; 0 at chance nodes
        self.nodes = 0
        self.root_moves = 0
        self.best: int | None = None
        self.value = 0  # for the mover
        self.was_cut_off = False

    def __call__(self, event: Any) -> None:
        kind = event.kind
        if kind == "enter":
            self.nodes += 1
        elif kind == "leaf":
            self.was_cut_off = self.was_cut_off or event.is_cutoff
        elif kind == "value" and event.ply == 0 and self.sign:
            self.root_moves += 1
            # A value better than all before is exact; others may be bounds.
            if self.best is None or event.value * self.sign > self.value:
                self.best, self.value = event.move, event.value * self.sign


def _run_interpreted(
    state: State,
    depth: int | None,
    scored: Evaluation | None,
    algorithm: str,
    ordered: Evaluation | None,
    quiet: bool,
    history: list[State],
) -> _Walked:
    from zermelo.search import textbook

    walks: dict[str, Callable[..., Result]] = {
        "minimax": textbook.minimax,
        "alphabeta": textbook.alphabeta,
        "alphabeta-hard": partial(textbook.alphabeta, variant=textbook.FAIL_HARD),
        "alphabeta-path": partial(textbook.alphabeta, variant=textbook.PATH),
        "negamax": textbook.negamax,
        "expectiminimax": textbook.expectiminimax,
        "star1": partial(textbook.expectiminimax, pruning=textbook.STAR1),
        "star2": partial(textbook.expectiminimax, pruning=textbook.STAR2),
    }
    side = 1 if state.is_over() else state.to_move()
    watch = _Watch(1 if algorithm == "negamax" and side != CHANCE else side)
    progress = screen.Progress(f"{algorithm}, interpreted", quiet, compiles=False)
    progress.nodes = lambda: watch.nodes
    try:
        with progress:
            result = walks[algorithm](state, depth, scored, order=ordered, observer=watch, history=history)
    except KeyboardInterrupt:
        if watch.best is None:
            print_line(
                f"zermelo: interrupted before the first root move was searched, after {watch.nodes:,} nodes", error=True
            )
            raise typer.Exit(INTERRUPTED) from None
        extra = {"root_moves": watch.root_moves}
        return _Walked(side * watch.value, (watch.best,), watch.nodes, progress.elapsed(), False, True, extra)
    value = (side or 1) * result.value if algorithm == "negamax" else result.value
    extra = {"leaves": result.leaves, "cuts": result.cuts}
    is_whole = not watch.was_cut_off and not result.is_rounded
    return _Walked(value, result.line, result.nodes, result.seconds, is_whole, False, extra)


# ---- the result --------------------------------------------------------------------------------------------------


def _as_analysis(
    state: State, walked: _Walked, depth: int | None, scored: Evaluation | None, algorithm: str, scale: Scale
) -> Analysis:
    from zermelo.core.evaluation import Nothing, evaluation_name
    from zermelo.search.analysis import Analysis, Line, line_names, make_score, side_names
    from zermelo.search.scores import is_decided

    over = state.is_over()
    to_move, player = side_names(state)
    # Proven if every leaf was a finished game, or if a win was found on a scale that ranks nearer wins higher.
    exact = walked.is_whole or (not walked.is_interrupted and scale.step > 0 and is_decided(walked.value, scale))
    score = make_score(state, walked.value, scale, scored or Nothing(), exact)
    names = line_names(state, walked.line)
    if walked.is_interrupted:
        reason = "interrupted"
    else:
        whole = "rounded" if depth is None else "depth"
        reason = "game over" if over else "exact" if exact else whole
    return Analysis(
        state=state,
        game=type(state).__name__,
        position=str(state),
        to_move=to_move,
        player=player,
        best=names[0] if names else None,
        move=walked.line[0] if walked.line else None,
        score=score,
        line=names,
        lines=(Line(walked.line[0], walked.line, names, score),) if names else (),
        depth=0 if walked.is_interrupted else len(walked.line) if depth is None else depth,
        nodes=walked.nodes,
        seconds=walked.seconds,
        reason=reason,
        evaluation="nothing" if scored is None else evaluation_name(state, scored),
        algorithm=algorithm,
        threads=1,
        confidence=100,
    )
