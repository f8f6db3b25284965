"""Answer lines of a number and position IDs by lines of the number and equities.

A script for GNU Backgammon (`gnubg -p`), or for Python.
"""

import os
from collections.abc import Callable
from importlib import import_module

PLIES = int(os.environ["ZERMELO_PLIES"])


def program() -> Callable[[str], float]:
    """The equity of a position by the program that runs this script."""
    gnubg = import_module("gnubg")
    for command in (
        "set automatic game off", "set automatic roll off", "set player 0 human", "set player 1 human",
        "set threads 1", "new session",
    ):  # fmt: skip
        gnubg.command(command)
    cube = dict(gnubg.cubeinfo())
    context = {"cubeful": 0, "plies": PLIES, "deterministic": 1, "noise": 0.0, "prune": 1}
    return lambda text: float(gnubg.evaluate(gnubg.positionfromid(text), cube, context)[5])


def networks() -> Callable[[str], float]:
    """The equity of a position by the package gnubg-nn."""
    gnubg_nn = import_module("gnubg_nn")

    def equity(text: str) -> float:
        win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities(
            gnubg_nn.board_from_position_id(text), PLIES
        )
        return float(2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon)

    return equity


equity = networks() if os.environ["ZERMELO_TEACHER"] == "gnubg-nn" else program()
with os.fdopen(os.dup(0)) as questions, os.fdopen(os.dup(1), "w") as answers:
    for line in questions:
        number, *positions = line.split()
        answers.write(f"equities {number} {' '.join(f'{equity(text):.4f}' for text in positions)}\n")
        answers.flush()
