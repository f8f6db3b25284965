"""`zermelo solve --algorithm proof`: forced wins by proof-number search, and proof files."""

from __future__ import annotations

from typing import Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import INTERRUPTED, arguments, screen
from zermelo.core.game import State
from zermelo.search.analysis import line_names


def find(
    game: str,
    cls: type[State],
    text: str,
    moves: str,
    nodes: int | None,
    seconds: float | None,
    table: str,
    proof_file: str,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find out who wins a position, and write the proof if a file is given."""
    from zermelo.solve.proof_file import write_proof
    from zermelo.solve.proof_number import find_win

    *history, state = arguments.game_so_far(cls, text, moves)
    with arguments.blaming(cls), screen.Progress("proving", quiet, seconds) as progress:
        found, search = find_win(
            state, nodes, seconds, table, history,
            lambda visited: progress.at(f"proving  {formatting.count(visited)} nodes", 0, 0),
        )  # fmt: skip
        written = None
        if proof_file and search is not None:
            progress.at("writing the proof", 0, 0)
            written = write_proof(proof_file, state, search.attacker, search.positions())
    names = line_names(state, found.line)
    if as_json:
        print_json(
            {
                "game": game, "position": str(state), "value": found.value, "line": list(names), "nodes": found.nodes,
                "seconds": found.seconds, "reason": found.reason,
                "proof": None if written is None else {"file": proof_file, "positions": written},
            }
        )  # fmt: skip
    else:
        for line in _lines(state, found, names):
            print_line(line)
        if written is not None:
            print_line(f"proof    {formatting.plural(written, 'position')} in {proof_file}")
    if found.reason == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if found.value is None:
        raise typer.Exit(1)


def _lines(state: State, found: Any, names: tuple[str, ...]) -> list[str]:
    if found.value is None:
        why = {
            "repetition": "no win found; it depends on draws by repetition whether there is one",
            "nodes": "not found within the limit of nodes",
            "seconds": "not found within the limit of time",
        }.get(found.reason, found.reason)
        value = f"unknown: {why}"
    else:
        value = f"{found.value}, {formatting.outcome(found.value, formatting.players(state))}"
    lines = [f"value    {value}"]
    if names:
        lines.append(f"line     {' '.join(names)}")
    return [*lines, f"nodes    {found.nodes:,}, {found.seconds:.2f} s"]


def check(game: str, cls: type[State], path: str, quiet: bool, as_json: bool) -> None:
    """Check a proof file by the rules of the game alone."""
    from zermelo.solve.proof_file import check_proof

    with arguments.blaming(cls), screen.Progress("checking", quiet, compiles=False) as progress:
        for found in check_proof(path, cls):
            progress.at(f"checking  {formatting.plural(found.positions, 'position')}", 0, 0)
    root, winner, checked = found
    if as_json:
        print_json({"game": game, "position": str(root), "value": winner, "positions": checked})
    else:
        wins = formatting.outcome(winner, formatting.players(root))
        print_line(f"{root}  {wins}: {formatting.plural(checked, 'position')} checked")
