"""The games of `examples/` beside easyAI: nodes per second and seconds to the same depth.

easyAI's versions are in easyai_games.py. Before it is measured, each is played at random beside ours, and must have the
same legal moves and results. Both sides search the start position by alpha-beta, with the same evaluation if the game
has one; a node is a state visited. CPU time without compiling, in turn, best of the rounds. easyAI has no games of
chance.

    python benchmarks/examples.py [--rounds N] [--json]

Ghost and the switching game are interpreted on both sides, and spend most of the time in their own rules.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import interpreted

import zermelo

FOLDER = Path(__file__).parent.parent / "examples"
#: Games and the depth of their search, in which easyAI takes seconds.
DEPTHS = {"kalah": 12, "breakthrough": 8, "gomoku": 7, "ghost": 20, "switching": 9, "pig": 16}


def check_same(start: Any, theirs: Any, games: int = 5) -> None:
    """Play random games on both sides; exits if their legal moves or results differ."""
    for seed in range(games):
        source, state, game = random.Random(seed), start, theirs()
        while True:
            if game.is_over() != state.is_over():
                sys.exit(f"{type(state).__name__}: the end of the game differs at {state}")
            if state.is_over():
                break
            moves = {state.move_name(move): move for move in state.legal_moves()}
            others = {move if isinstance(move, str) else ",".join(move): move for move in game.possible_moves()}
            if set(others) == {"pass"}:
                game.make_move("pass")
                game.switch_player()
                others = {move: move for move in game.possible_moves()}
            if set(moves) != set(others):
                sys.exit(f"{type(state).__name__}: the legal moves differ at {state}")
            name = source.choice(sorted(moves))
            state = state.play(moves[name])
            game.make_move(others[name])
            game.switch_player()
        won = game.scoring() * (1 if game.current_player == 1 else -1)
        utility = state.utility()
        if (won > 0) - (won < 0) != (utility > 0) - (utility < 0):
            sys.exit(f"{type(state).__name__}: the result differs at {state}")


def pairs() -> list[interpreted.Pair]:
    """Return the games of `examples/` with easyAI's versions."""
    import easyai_games

    found: list[interpreted.Pair] = []
    for name, depth in DEPTHS.items():
        cls = zermelo.load(str(FOLDER / f"{name}.py"))
        theirs = getattr(easyai_games, cls.__name__, None)
        if name == "ghost":
            easyai_games.Ghost.words = sys.modules[cls.__module__].WORDS
        if name == "switching":
            easyai_games.Switching.edges = tuple(sys.modules[cls.__module__].EDGES)
        if theirs is None:
            found.append((cls.__name__, cls.start(), depth, None, None))
        else:
            make = interpreted.seated(theirs)
            check_same(cls.start(), make)
            found.append((cls.__name__, cls.start(), depth, make, None))
    return found


if __name__ == "__main__":
    interpreted.compare(__doc__ or "", "Example games", pairs, with_textbook=False)
