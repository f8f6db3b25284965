"""`zermelo rollout`: judges a position of a game of chance by playing it out many times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import INTERRUPTED, arguments, screen
from zermelo.cli.arguments import Game, GameEvaluation, Moves, Position
from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.search.rollouts import Rollout

GAMES = 1296
#: Columns of a bar that stands for all games.
BAR_WIDTH = 30

Games = Annotated[int, typer.Option(metavar="N", help="Number of games.")]
Depth = Annotated[int, typer.Option(metavar="N", help="Plies of the search for each move of a game.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Random seed.")]


def rollout(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    candidates: Annotated[
        int, typer.Option(metavar="N", help="Compare the N legal moves that the evaluation finds best.")
    ] = 0,
    games: Games = GAMES,
    depth: Depth = 1,
    evaluation: GameEvaluation = None,
    seed: Seed = 0,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Judge a position of a game of chance by playing it out many times.

    Both sides choose their moves by a shallow search. Prints how often each result occurred, and the mean result with
    its standard error. Ctrl-C ends it with the games so far.
    """
    from zermelo.search.rollouts import check_rollout

    cls = arguments.load(game)
    state = arguments.position(cls, position, moves)
    chosen, _ = arguments.evaluation_of(cls, evaluation)
    with arguments.blaming(cls):
        check_rollout(state, games, depth)
        evaluation = evaluation or next(iter(state.evaluations), "nothing")
        chosen = chosen or evaluation
        states = list(_candidates(state, candidates, chosen))
        found = []
        for name, each in states:
            found.append((name, play_out(each, games, chosen, depth, seed, quiet, name)))
            if found[-1][1].games < games:  # interrupted
                break
    head = {"game": game, "position": str(state), "evaluation": evaluation, "depth": depth, "seed": seed}
    if as_json:
        print_json({**head, **({"moves": _compared(found)} if candidates else _as_dict(found[0][1]))})
    else:
        out = screen.console()
        out.block(state.board())
        out.print()
        if candidates:
            _print_moves(out, state, found)
        else:
            _print_results(out, state, found[0][1])
        screen.facts(out, [("games", _described(found[0][1], evaluation, depth))])
    exit_if_interrupted(found[-1][1], games)


def exit_if_interrupted(found: Rollout, games: int) -> None:
    """Say so and exit with code 130 if Ctrl-C ended a rollout, the results of which have been printed."""
    if found.games < games:
        print_line(f"zermelo: interrupted; {found.games:,} of {games:,} games", error=True)
        raise typer.Exit(INTERRUPTED)


def play_out(
    state: State, games: int, evaluation: str | Evaluation, depth: int, seed: int, quiet: bool, name: str = ""
) -> Rollout:
    """Roll a position out with live progress."""
    from zermelo.search.rollouts import rollout as roll_out

    doing = f"rolling out {name}" if name else "rolling out"
    with screen.Progress(doing, quiet) as progress:
        return roll_out(
            state, games, evaluation, depth=depth, seed=seed, on_progress=lambda done: progress.at(doing, done, games)
        )


def _candidates(state: State, count: int, evaluation: str | Evaluation) -> Iterator[tuple[str, State]]:
    """The positions to roll out, with the names of the moves that lead to them."""
    if count < 0:
        raise LimitError(f"--candidates must be at least 0 (got {count})")
    if not count:
        yield "", state
        return
    if state.is_over() or state.to_move() == CHANCE:
        raise LimitError("--candidates compares moves, but no player is to move in this position")
    scores = resolve_evaluation(state, evaluation)
    children = [(state.move_name(move), state.play(move)) for move in state.legal_moves()]
    side = state.to_move()

    def estimate(child: State) -> int:
        return side * (child.utility() * scores.unit if child.is_over() else scores.score(child))

    yield from sorted(children, key=lambda each: -estimate(each[1]))[:count]


def _as_dict(found: Rollout) -> dict[str, Any]:
    counts = {str(utility): count for utility, count in found.counts.items()}
    return {"games": found.games, "mean": found.mean, "error": found.error, "counts": counts}


def _compared(found: list[tuple[str, Rollout]]) -> list[dict[str, Any]]:
    return [{"move": name, **_as_dict(each)} for name, each in found]


def _print_results(out: Any, state: State, found: Rollout) -> None:
    """The share of each result, with a bar."""
    rows: list[tuple[str, ...]] = [("result", "", "")]
    for utility, count in found.counts.items():
        share = count / found.games
        rows.append((_result(state, utility), f"{100 * share:5.1f} %", "█" * round(BAR_WIDTH * share)))
    screen.table(out, rows)
    out.print()
    ahead = state.player_name(MAX if found.mean >= 0 else MIN)
    screen.facts(out, [("mean", f"{found.mean:+.3f} ± {found.error:.3f} ({ahead} is ahead)")], bold="mean")


def _result(state: State, utility: int) -> str:
    if utility == 0:
        return "draw"
    wins = f"{state.player_name(MAX if utility > 0 else MIN)} wins"
    return wins if state.max_utility == 1 else f"{wins} {abs(utility)}"


def _print_moves(out: Any, state: State, found: list[tuple[str, Rollout]]) -> None:
    """The moves, the best first, with their means from the side of the player to move."""
    side = state.to_move()
    ranked = sorted(found, key=lambda each: -side * each[1].mean)
    best = side * ranked[0][1].mean
    rows: list[tuple[str, ...]] = [("move", "mean", "", "difference")]
    for name, each in ranked:
        mean = side * each.mean
        rows.append((name, f"{mean:+.3f}", f"± {each.error:.3f}", "" if mean == best else f"{mean - best:+.3f}"))
    screen.table(out, rows)
    out.print()


def _described(found: Rollout, evaluation: str, depth: int) -> str:
    return f"{formatting.plural(found.games, 'game')}, moves by {evaluation} at depth {depth}"
