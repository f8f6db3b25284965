"""One random game as text, for golden tests of a game's behaviour."""

from __future__ import annotations

from random import Random

from zermelo.core.game import CHANCE, State
from zermelo.testing.random_games import draw_move, start_of

#: The facts at the head of a playthrough.
FACTS = (
    "max_utility",
    "perft_counts_finished_games",
    "has_chance",
    "has_tactical_moves",
    "has_move_score",
    "has_endgame_solver",
)


def playthrough(game: type[State] | State, seed: int = 0, max_plies: int = 200) -> str:
    """Play one random game and describe it: the game's facts, then each position with all that its methods return.

    Parameters
    ----------
    game
        A game, or the position to start from.
    seed
        Of the random moves.
    max_plies
        Where an unfinished game stops.

    Returns
    -------
    str
        Lines of text; the same for the same game and seed on any machine and Python version.
    """
    state = start_of(game)
    cls = type(state)
    lines = [f"game {cls.__name__}, seed {seed}"]
    lines += [f"field {field.name}: {field}" for field in cls.fields]
    lines += [f"{fact} {getattr(cls, fact)}" for fact in FACTS]
    random = Random(seed)
    for ply in range(max_plies + 1):
        side = state.to_move()
        over = state.is_over()
        moves = state.legal_moves()
        lines += ["", f"after {ply} moves", f"position: {state}", *state.board().split("\n")]
        key = f"{int(state.key()):#018x}" if cls.is_compiled else repr(state.key())
        lines += [f"key: {key}", f"to move: {state.player_name(side)}"]
        symmetries = list(state.symmetries())
        if symmetries:
            lines.append(f"symmetries: {' '.join(map(str, symmetries))}")
        if over:
            lines.append(f"over, utility: {state.utility()}")
            break
        weights = [f" (weight {weight})" for _, weight in state.outcomes()] if side == CHANCE else [""] * len(moves)
        names = [state.move_name(move) for move in moves]
        lines.append(f"moves: {' '.join(map(''.join, zip(names, weights, strict=True)))}")
        if side != CHANCE:
            lines.append(f"numbers: {' '.join(map(str, moves))}")
            if cls.has_move_score:
                lines.append(f"move scores: {' '.join(str(state.move_score(move)) for move in moves)}")
            if cls.has_tactical_moves:
                tactical = [name for name, move in zip(names, moves, strict=True) if state.is_tactical(move)]
                lines.append(f"tactical: {' '.join(tactical)}")
        lines += [f"evaluation {name}: {each.score(state)}" for name, each in state.evaluations.items()]
        if ply < max_plies:
            move = draw_move(state, moves, random)
            lines.append(f"played: {state.move_name(move)}")
            state = state.play(move)
    return "\n".join(line.rstrip() for line in lines) + "\n"
