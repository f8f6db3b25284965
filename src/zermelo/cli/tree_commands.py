"""`zermelo tree trace`, `random` and `grow`: traces a search, makes random trees and game trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo.cli import arguments, encoding, tree_source

if TYPE_CHECKING:
    from zermelo.teaching.tree.trace import Trace

#: Maximum indentation of a node, in levels.
DEEPEST_INDENT = 12
#: Minimum width of the sentence column.
NARROWEST = 30


def trace(
    tree: tree_source.TreeOrGame,
    position: arguments.Position = "",
    moves: arguments.Moves = "",
    convention: tree_source.ConventionWords = "",
    depth: tree_source.Depth = None,
    evaluation: arguments.EvaluationName = None,
    alpha: Annotated[str, typer.Option(metavar="BOUND", help="Lower bound of the window at the root.")] = "-inf",
    beta: Annotated[str, typer.Option(metavar="BOUND", help="Upper bound of the window at the root.")] = "+inf",
    steps: Annotated[bool, typer.Option(help="Print every step, not only the result.")] = True,
    as_json: arguments.Json = False,
) -> None:
    """Search a tree and print every step: windows, values, cutoffs."""
    from zermelo.teaching.tree.numbers import to_bound

    window = (to_bound(alpha), to_bound(beta))
    trace = tree_source.trace_of(tree, position, moves, depth, evaluation, convention, window=window)
    if as_json:
        print(json.dumps(trace.as_json(steps=steps)))
        return
    _print(trace, steps)


def _print(trace: Trace, steps: bool) -> None:
    from zermelo.cli import screen
    from zermelo.teaching.tree.narration import describe_step
    from zermelo.teaching.tree.numbers import format_number

    out = screen.console()
    if steps:
        rows = [("step", "node", "window", "what happens")]
        for number, step in enumerate(trace.steps, 1):
            window = f"[{format_number(step.alpha)}, {format_number(step.beta)}]" if trace.convention.prunes else ""
            indent = "  " * min(trace.tree.nodes[step.node].depth, DEEPEST_INDENT)
            rows.append((str(number), indent + trace.tree.nodes[step.node].id, window, describe_step(trace, step)))
        screen.table(out, _wrapped(rows))
        out.print()
    leaves = " ".join(format_number(trace.records[node.index].returned) for node in trace.leaves)
    rows_of_facts = [
        ("value", format_number(trace.value)),
        ("best", "" if trace.best is None else trace.tree.move_name(trace.tree.nodes[trace.best])),
        ("line", " ".join(trace.tree.move_name(node) for node in trace.line)),
        ("nodes", f"{len(trace.visited):,} of {len(trace.tree):,}"),
        ("leaves", f"{len(trace.leaves):,} of {len(trace.tree.leaves):,} evaluated: {leaves}"),
        ("cuts", "; ".join(cut.reason for cut in trace.cuts)),
        (
            "pruned",
            " ".join(
                node.id if node.value is None else f"{node.id}={format_number(node.value)}" for node in trace.pruned
            ),
        ),
        ("convention", str(trace.convention)),
    ]
    screen.facts(out, [(name, value) for name, value in rows_of_facts if value], bold="value")


def _wrapped(rows: list[tuple[str, str, str, str]]) -> list[tuple[str, str, str, str]]:
    """Sentences that are wider than their column go on below themselves; nothing is cut off."""
    import textwrap

    from zermelo.cli import screen

    taken = sum(max(len(row[column]) for row in rows) + 2 for column in range(3))
    room = max(screen.width() - taken - 2, NARROWEST)
    wrapped: list[tuple[str, str, str, str]] = []
    for *cells, sentence in rows:
        lines = [sentence] if len(sentence) <= room else textwrap.wrap(sentence, room)
        wrapped.append((cells[0], cells[1], cells[2], lines[0]))
        wrapped += [("", "", "", line) for line in lines[1:]]
    return wrapped


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
    encoding.print_as_file(to_json(tree) if as_json else to_brackets(tree))


def grow(
    game: arguments.Game,
    position: arguments.Position = "",
    moves: arguments.Moves = "",
    depth: Annotated[int, typer.Option(min=1, metavar="PLIES", help="Depth of the tree in plies.")] = 2,
    evaluation: arguments.EvaluationName = None,
) -> None:
    """Build the game tree of a position; print it as JSON with positions and moves."""
    from zermelo.teaching.tree import game_tree
    from zermelo.teaching.tree.parsing import to_json

    cls = arguments.load(game)
    state = arguments.position(cls, position, moves)
    with arguments.blaming(cls):
        tree = game_tree(state, depth, evaluation)
    encoding.print_as_file(to_json(tree))
