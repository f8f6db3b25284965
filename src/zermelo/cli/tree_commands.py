"""`zermelo tree trace`, `random` and `grow`: traces a search, makes random trees and game trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_json, write_data
from zermelo.cli import arguments, tree_source

if TYPE_CHECKING:
    from zermelo.teaching.tree.trace import Trace

#: Maximum indentation of a node, in levels.
DEEPEST_INDENT = 12


def trace(
    tree: tree_source.TreeOrGame,
    position: arguments.Position = "",
    moves: arguments.Moves = "",
    convention: tree_source.ConventionWords = "",
    depth: tree_source.Depth = None,
    evaluation: arguments.EvaluationName = None,
    alpha: Annotated[str, typer.Option(metavar="BOUND", help="Lower bound of the window at the root.")] = "-inf",
    beta: Annotated[str, typer.Option(metavar="BOUND", help="Upper bound of the window at the root.")] = "+inf",
    bounds: Annotated[
        str,
        typer.Option(metavar="A..B", help="Bounds of all values, for star1 and star2. Default: those of the tree."),
    ] = "",
    steps: Annotated[bool, typer.Option(help="Print every step, not only the result.")] = True,
    code: Annotated[bool, typer.Option("--code", help="Print the pseudocode, and the line of each step.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Search a tree and print every step: windows, values, cutoffs."""
    from zermelo.teaching.tree.numbers import to_bound
    from zermelo.teaching.tree.random_trees import parse_range

    window = (to_bound(alpha), to_bound(beta))
    known = parse_range("bounds", bounds) if bounds else None
    trace = tree_source.trace_of(tree, position, moves, depth, evaluation, convention, window=window, bounds=known)
    if as_json:
        data = trace.as_json(steps=steps)
        print_json(_with_code(trace, data) if code else data)
        return
    _print(trace, steps, code)


def _with_code(trace: Trace, data: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a trace with the lines of its pseudocode, and at each step the number of its line, from 1."""
    from zermelo.teaching.diagrams.pseudocode import Pseudocode

    pseudocode = Pseudocode(trace)
    for step, entry in zip(trace.steps, data.get("steps", ()), strict=False):
        line = pseudocode.line_of(step)
        entry["line"] = None if line is None else line + 1
    return data | {"pseudocode": pseudocode.lines}


def _print(trace: Trace, steps: bool, code: bool) -> None:
    from zermelo.cli import screen
    from zermelo.teaching.diagrams.pseudocode import Pseudocode
    from zermelo.teaching.tree.narration import describe_step
    from zermelo.teaching.tree.numbers import format_number

    out = screen.console()
    pseudocode = Pseudocode(trace)
    if code:
        screen.table(out, [("line", "pseudocode"), *((str(n), line) for n, line in enumerate(pseudocode.lines, 1))])
        out.print()
    if steps:
        rows: list[tuple[str, ...]] = [("step", "node", "window", *(("line",) if code else ()), "what happens")]
        for number, step in enumerate(trace.steps, 1):
            window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]" if trace.convention.prunes else ""
            indent = "  " * min(trace.tree.nodes[step.node].depth, DEEPEST_INDENT)
            line = pseudocode.line_of(step)
            at = ("" if line is None else str(line + 1),) if code else ()
            node = indent + trace.tree.nodes[step.node].id
            rows.append((str(number), node, window, *at, describe_step(trace, step)))
        screen.table(out, rows)
        out.print()
    iterations = [
        f"depth {each.depth}: {format_number(each.value)}, {each.visits:,} visits" for each in trace.iterations
    ]
    visits = f"; {trace.visits:,} visits" if trace.visits > len(trace.visited) else ""
    leaves = " ".join(format_number(trace.records[node.index].returned) for node in trace.leaves)
    rows_of_facts = [
        ("value", format_number(trace.value)),
        ("best", "" if trace.best is None else trace.tree.move_name(trace.tree.nodes[trace.best])),
        ("line", " ".join(trace.tree.move_name(node) for node in trace.line)),
        ("nodes", f"{len(trace.visited):,} of {len(trace.tree):,}{visits}"),
        ("iterations", "; ".join(iterations)),
        ("leaves", f"{len(trace.leaves):,} of {len(trace.tree.leaves):,} evaluated: {leaves}"),
        ("cuts", "; ".join(cut.reason for _, cut in trace.final_cuts)),
        (
            "pruned",
            " ".join(
                node.id if node.value is None else f"{node.id}={format_number(node.value)}" for node in trace.pruned
            ),
        ),
        ("convention", str(trace.convention)),
    ]
    screen.facts(out, [(name, value) for name, value in rows_of_facts if value], bold="value")


def random(
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same tree.")] = 0,
    branching: Annotated[str, typer.Option(metavar="B or A..B", help="Children per node.")] = "3",
    depth: Annotated[str, typer.Option(metavar="D or A..B", help="Depth of the leaves in plies.")] = "3",
    values: Annotated[str, typer.Option(metavar="A..B", help="Range of the leaf values.")] = "-9..9",
    ties: Annotated[bool, typer.Option(help="Allow equal leaf values.")] = True,
    root: Annotated[
        str, typer.Option(metavar="PLAYER", help="Player to move at the root: max, min or chance.")
    ] = "max",
    chance: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="SHARE", help="Fraction of inner nodes that are chance nodes, 0 to 1."),
    ] = 0.0,
    as_json: arguments.Json = False,
) -> None:
    """Make a random tree from a seed; print it as brackets, or as JSON with names."""
    from zermelo.teaching.tree import random_tree
    from zermelo.teaching.tree.parsing import to_brackets, to_json
    from zermelo.teaching.tree.random_trees import parse_range

    tree = random_tree(
        seed,
        branching=parse_range("branching", branching),
        depth=parse_range("depth", depth),
        values=parse_range("values", values),
        ties=ties,
        root=root,
        chance=chance,
    )
    write_data(to_json(tree) if as_json else to_brackets(tree))


def grow(
    game: arguments.Game,
    position: arguments.Position = "",
    moves: arguments.Moves = "",
    depth: Annotated[int, typer.Option(min=1, metavar="PLIES", help="Depth of the tree in plies.")] = 2,
    evaluation: arguments.EvaluationName = None,
    symmetry: tree_source.Symmetry = False,
) -> None:
    """Build the game tree of a position; print it as JSON with positions and moves."""
    from zermelo.teaching.tree import game_tree
    from zermelo.teaching.tree.parsing import to_json

    cls = arguments.load(game)
    state = arguments.position(cls, position, moves)
    with arguments.blaming(cls):
        tree = game_tree(state, depth, evaluation, symmetry=symmetry)
    write_data(to_json(tree))
