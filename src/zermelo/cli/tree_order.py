"""`zermelo tree order`: compares move orders: how many leaves alpha-beta evaluates under each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json
from zermelo.cli import INTERRUPTED, arguments, screen, tree_source

if TYPE_CHECKING:
    from zermelo.core.game import State
    from zermelo.teaching.tree.move_orders import Comparison, DepthCounts, SearchCount

#: Default depths for a game: a few seconds.
USUAL_DEPTHS = "1..5"
BAR = 24  # length of the longest bar in characters


def order(
    tree: tree_source.TreeOrGame,
    position: arguments.Position = "",
    moves: arguments.Moves = "",
    depth: Annotated[
        str, typer.Option(metavar="D or A..B", help=f"Depths in plies, for a GAME. Default: {USUAL_DEPTHS}.")
    ] = "",
    evaluation: arguments.EvaluationName = None,
    convention: tree_source.ConventionWords = "",
    samples: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number of random orders, for a TREE.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed of the random orders.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write a plot: .png, .pdf or .svg.")
    ] = None,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Compare move orders: the leaves that alpha-beta evaluates under each.

    For a TREE: as given, best first, worst first, random, by evaluation. For a GAME, by depth: in the game's order, by
    its evaluation and best first, beside minimax and the minimal tree.
    """
    from zermelo._util.atomic_files import write
    from zermelo.teaching.diagrams import plots

    state = tree_source.state_of(tree, position, moves)
    is_interrupted = False
    form = None if output is None else plots.plot_format(output)
    if state is None:
        _refuse_for_trees(depth=depth, evaluation=evaluation)
        compared = _compared(tree, convention, samples, seed, quiet)
        print_json(_tree_as_json(compared, seed)) if as_json else _print_tree(compared)
        plot = None if form is None else plots.plot_orders(compared, form)
    else:
        rows, scored, is_interrupted = _by_depth(state, depth or USUAL_DEPTHS, evaluation, convention, quiet)
        if as_json:
            print_json(_game_as_json(tree, state, rows, scored, is_interrupted))
        else:
            _print_game(rows)
        title = f"{type(state).__name__}: leaves by depth, evaluation {scored}"
        plot = None if form is None else plots.plot_depths(rows, title, form)
    if output is not None and plot is not None:
        write(output, plot)
    if is_interrupted:
        raise typer.Exit(INTERRUPTED)


def _refuse_for_trees(**options: object) -> None:
    from zermelo.errors import TreeError

    for name, value in options.items():
        if value:
            raise TreeError(f"--{name} needs a GAME; a tree is searched to its leaves")


# ---- a tree -----------------------------------------------------------------------------------------------------


def _compared(text: str, convention: str, samples: int | None, seed: int, quiet: bool) -> Comparison:
    from zermelo.teaching.tree.move_orders import compare_orders

    tree = tree_source.read_tree(text)
    with screen.Progress("comparing orders", quiet, compiles=False) as progress:
        return compare_orders(tree, convention, seed=seed, samples=samples, watch=progress.begin)


def _print_tree(compared: Comparison) -> None:
    out = screen.console()
    most = compared.minimax.leaves
    rows = [("order", "nodes", "leaves", "of minimax", "")]
    for result in (compared.minimax, *compared.results):
        name, leaves = result.order, _number(result.leaves)
        if result.samples > 1:
            name = f"{name}, mean of {result.samples}"
            leaves = f"{leaves} ({formatting.count(result.min_leaves)} to {formatting.count(result.max_leaves)})"
        share = result.leaves / most
        rows.append((name, _number(result.nodes), leaves, f"{share:.1%}", _bar(share)))
    if compared.proof is not None:
        share = compared.proof / most
        rows.append(("smallest proof", "", formatting.count(compared.proof), f"{share:.1%}", _bar(share)))
    screen.table(out, _right(rows, 1, 2, 3))
    out.print()
    for line in _bounds(compared):
        out.print(f"  {line}")


def _bounds(compared: Comparison) -> list[str]:
    """The bounds by formula, or why there is none."""
    from zermelo.teaching.tree.move_orders import minimal_leaves

    if compared.proof is None:
        return ["The tree has chance nodes: the smallest proof is not counted, and no formula gives it."]
    if compared.tree.root.is_leaf:
        return ["The tree is one leaf: there is nothing to order."]
    if compared.shape is None:
        return [
            "The tree is not uniform: the smallest proof is counted, not given by a formula, and even the order",
            "best first may need more leaves.",
        ]
    width, deep = compared.shape
    up, down = (deep + 1) // 2, deep // 2
    minimal = f"{width}^{up} + {width}^{down} - 1 = {formatting.count(minimal_leaves(width, deep))}"
    leaves = formatting.count(width**deep)
    best = int(compared.result("best first").leaves)
    factor, root = best ** (1 / deep), width**0.5
    return [
        f"b = {width}, d = {deep}: minimax evaluates b^d = {leaves} leaves, the minimal tree has",
        f"b^⌈d/2⌉ + b^⌊d/2⌋ - 1 = {minimal}.",
        f"Best first: effective branching factor {factor:.2f} with {formatting.count(best)} leaves; √b = {root:.2f}.",
    ]


def _tree_as_json(compared: Comparison, seed: int) -> dict[str, Any]:
    from zermelo.teaching.tree.move_orders import minimal_leaves, minimal_nodes
    from zermelo.teaching.tree.numbers import as_json

    report: dict[str, Any] = {
        "tree": compared.tree.name or None,
        "convention": compared.convention.as_json(),
        "value": as_json(compared.value),
        "minimax": {"nodes": compared.minimax.nodes, "leaves": compared.minimax.leaves},
        "smallest_proof": compared.proof,
        "seed": seed,
        "orders": {
            result.order: {
                "nodes": result.nodes,
                "leaves": result.leaves,
                **(
                    {"fewest_leaves": result.min_leaves, "most_leaves": result.max_leaves, "samples": result.samples}
                    if result.samples > 1
                    else {}
                ),
            }
            for result in compared.results
        },
    }
    if compared.shape is not None:
        width, deep = compared.shape
        minimal = {"nodes": minimal_nodes(width, deep), "leaves": minimal_leaves(width, deep)}
        report["uniform"] = {"branching": width, "depth": deep, "minimal_tree": minimal}
    return report


# ---- a game -----------------------------------------------------------------------------------------------------


def _by_depth(
    state: State, depth: str, evaluation: str | None, convention: str, quiet: bool
) -> tuple[list[DepthCounts], str, bool]:
    """The rows as far as they were counted, the evaluation's name, and whether Ctrl-C ended it."""
    from zermelo.core.evaluation import resolve_evaluation
    from zermelo.errors import LimitError, TreeError
    from zermelo.teaching.tree.convention import Convention
    from zermelo.teaching.tree.move_orders import count_by_depth
    from zermelo.teaching.tree.random_trees import parse_range

    if Convention.of(convention) != Convention():
        raise TreeError("--convention needs a TREE; a game is searched by fail-soft alpha-beta that cuts on equality")
    first, last = parse_range("depth", depth)
    if not 1 <= first <= last:
        raise LimitError(f"--depth must be a depth or range from 1 up (got {depth})")
    scored = evaluation or next(iter(state.evaluations), "nothing")
    resolve_evaluation(state, scored)
    rows: list[DepthCounts] = []
    with arguments.blaming(type(state)), screen.Progress("counting", quiet, compiles=False) as progress:
        watch = lambda deep, doing: progress.begin(f"depth {deep}: {doing}")  # noqa: E731
        try:
            for row in count_by_depth(state, range(first, last + 1), scored, watch=watch):
                rows.append(row)
        except KeyboardInterrupt:
            if not rows:
                raise
            progress.say(f"interrupted; counted to depth {rows[-1].depth}")
            return rows, scored, True
    return rows, scored, False


def _print_game(rows: Sequence[DepthCounts]) -> None:
    out = screen.console()
    table: list[Sequence[str]] = [
        ("depth", "minimax", "game's order", "by evaluation", "best first", "smallest proof", "b^⌈d/2⌉+b^⌊d/2⌋-1")
    ]
    for row in rows:
        best = "" if row.best_first is None else formatting.count(row.best_first.leaves)
        proof = "" if row.proof is None else formatting.count(row.proof)
        leaves = (formatting.count(count.leaves) for count in (row.minimax, row.given, row.evaluation))
        table.append((str(row.depth), *leaves, best, proof, _number(round(row.minimal))))
    out.print("Leaves evaluated")
    screen.table(out, _right(table, *range(7)))
    out.print()

    table = [("depth", "minimax, b", "game's order", "by evaluation", "best first", "", "√b")]
    for row in rows:
        factors = (_factor(count, row.depth) for count in (row.minimax, row.given, row.evaluation, row.best_first))
        table.append((str(row.depth), *factors, "", f"{math.sqrt(row.minimax.branching(row.depth)):.2f}"))
    out.print("Effective branching factor: leaves^(1/depth); in parentheses b* from nodes = 1 + b* + ... + b*^depth")
    screen.table(out, _right(table, *range(7)))
    out.print()

    last = rows[-1]
    out.print(f"Leaves evaluated at depth {last.depth} (log scale)")
    bars = [("minimax", last.minimax), ("game's order", last.given), ("by evaluation", last.evaluation)]
    if last.best_first is not None:
        bars.append(("best first", last.best_first))
    longest = max(math.log(last.minimax.leaves), 1)
    for name, count in bars:
        line = f"  {name:<14} {_bar(max(math.log(count.leaves), 0.3) / longest)} {formatting.count(count.leaves)}"
        out.print(line)
    out.print()
    out.print("  With perfect ordering the factor approaches √b as the depth grows: in chess, √35 = 5.9 instead of 35.")


def _game_as_json(
    game: str, state: State, rows: Sequence[DepthCounts], evaluation: str, is_interrupted: bool
) -> dict[str, Any]:
    def as_dict(count: SearchCount | None, depth: int) -> dict[str, Any] | None:
        from zermelo.teaching.tree.move_orders import effective_branching

        if count is None:
            return None
        return {
            "nodes": count.nodes,
            "leaves": count.leaves,
            "branching_by_leaves": round(count.branching(depth), 4),
            "branching_by_nodes": round(effective_branching(count.nodes, depth), 4),
        }

    return {
        "game": game,
        "position": str(state),
        "evaluation": evaluation,
        "interrupted": is_interrupted,
        "depths": [
            {
                "depth": row.depth,
                "minimax": as_dict(row.minimax, row.depth),
                "game_order": as_dict(row.given, row.depth),
                "by_evaluation": as_dict(row.evaluation, row.depth),
                "best_first": as_dict(row.best_first, row.depth),
                "smallest_proof": row.proof,
                "minimal_tree_if_uniform": round(row.minimal, 1),
                "sqrt_b": round(math.sqrt(row.minimax.branching(row.depth)), 4),
            }
            for row in rows
        ],
    }


# ---- numbers ----------------------------------------------------------------------------------------------------


def _factor(count: SearchCount | None, depth: int) -> str:
    from zermelo.teaching.tree.move_orders import effective_branching

    if count is None:
        return ""
    return f"{count.branching(depth):.2f} ({effective_branching(count.nodes, depth):.2f})"


def _number(value: float) -> str:
    return formatting.count(int(value)) if value == int(value) else f"{value:,.1f}"


def _bar(share: float) -> str:
    return "█" * max(round(share * BAR), 1)


def _right(rows: Sequence[Sequence[str]], *columns: int) -> list[list[str]]:
    """The rows with these columns set to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        [cell.rjust(widths[column]) if column in columns else cell for column, cell in enumerate(row)] for row in rows
    ]
