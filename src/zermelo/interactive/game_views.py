"""Games, reviews and analyses as data for the script `game_viewer.js`, which steps through them.

    {"players": ["black", "white"], "steps": [...], "pictures": [...], "lasts": [...], "states": [...], ...}

There is a picture for each position: the first one complete, and of each later one what differs from the one before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from zermelo import formatting
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.picture import Grid, Path
from zermelo.drawing.boards import checked_picture
from zermelo.errors import LimitError
from zermelo.formats.record import Record
from zermelo.interactive.course import GameInProgress
from zermelo.review.annotation import remark
from zermelo.review.expected_result import result_of_end
from zermelo.review.marks import move_accuracy
from zermelo.review.results import Candidate, GameReview, MoveReview, loss_text, player_tag
from zermelo.search.analysis import Analysis

#: The most moves of a game, moves of a line with boards, and legal moves that can be chosen.
MAX_STEPS, MAX_LINE, MAX_LISTED = 2_000, 12, 20_000
SIDES = {MAX: "max", MIN: "min", CHANCE: "chance"}


def picture_data(state: State) -> dict[str, Any]:
    """Return the picture of a state, all of it shown, with its `kind`: grid, points or text."""
    found = checked_picture(state)
    if found is None:
        return {"kind": "text", "lines": state.board().split("\n")}
    return {"kind": "grid" if isinstance(found, Grid) else "points", **dataclasses.asdict(found)}


def move_data(state: State, move: Any, picture: dict[str, Any]) -> dict[str, Any]:
    """Return a move: its text, and its squares as `path` or its steps of checkers as `steps`."""
    text, path = state.move_name(move), state.move_path(move)
    return {"text": text, **_squares(path, picture)}


def _squares(path: Path, picture: dict[str, Any]) -> dict[str, Any]:
    if picture["kind"] == "grid":
        return {"path": [row * picture["columns"] + column for column, row in path]}
    return {"steps": [list(step) for step in path]} if picture["kind"] == "points" else {}


def packed(pictures: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pictures, each after the first without what is as in the one before it."""
    found: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for picture in pictures:
        if not found or any(picture.get(key) != last.get(key) for key in ("kind", "columns", "rows")):
            found.append(picture)
        else:
            changed = {key: value for key, value in picture.items() if key != "pieces" and value != last[key]}
            if picture["kind"] == "grid":
                old, new = ({(each["column"], each["row"]): each for each in of["pieces"]} for of in (last, picture))
                changed |= {
                    "removed": [square for square, piece in old.items() if new.get(square) != piece],
                    "added": [piece for square, piece in new.items() if old.get(square) != piece],
                }
            found.append(changed)
        last = picture
    return found


def state_text(state: State) -> str:
    """Return who is to move, or the result."""
    if state.is_over():
        name = state.termination()
        text = f"{name}: {formatting.result(state)}" if name else formatting.result(state)
        return text[:1].upper() + text[1:]
    turn, player = state.to_move(), state.player_name(state.to_move())
    return f"Next: {player}" if turn == CHANCE else f"{player[:1].upper()}{player[1:]} to move"


class _Positions:
    """The positions of a game, for the viewer: pictures, last moves, and who is to move."""

    def __init__(self, start: State) -> None:
        self.state = start
        self.pictures = [picture_data(start)]
        self.lasts: list[dict[str, Any] | None] = [None]
        self.states = [state_text(start)]

    def play(self, move: Any) -> None:
        """Add the position after a move; None is an action that changes no position."""
        state, last = self.state, self.lasts[-1]
        if move is not None:
            self.state = state.play(move)
            if state.to_move() != CHANCE:  # dice leave the last move of a player in sight
                last = move_data(state, move, self.pictures[-1])
        self.pictures.append(picture_data(self.state))
        self.lasts.append(last)
        self.states.append(state_text(self.state))

    def data(self) -> dict[str, Any]:
        return {"pictures": packed(self.pictures), "lasts": self.lasts, "states": self.states}


def steps_data(record: Record) -> list[dict[str, Any]]:
    """Return the steps of the main line: text, label with the move number, side, and whether it is a move."""
    steps, state, number = [], record.start, record.first_move_number
    for step in record.line.steps:
        side, text = state.to_move(), step.text if step.move is None else state.move_name(step.move)
        label = f"{number}{'...' if side == MIN else '.'} {text}"  # as `move_label` has it
        steps.append({"text": text, "label": label, "side": SIDES[side], "is_move": step.move is not None})
        number += side == MIN
        if step.move is not None:
            state = state.play(step.move)
    return steps


def review_data(review: GameReview, move: MoveReview) -> dict[str, Any]:
    """Return the review of a move, with scores as text."""
    state = review.record.start
    return {
        "ply": move.ply,
        "best": _scored(state, move.best),
        "played": _scored(state, move.played),
        "second": None if move.second is None else _scored(state, move.second),
        "mark": move.mark,
        "loss": loss_text(move) if move.is_judged and not move.is_best else "",
        "share_loss": move.result_loss,
        "accuracy": move_accuracy(move.result_loss) if move.is_judged else None,
        "remark": remark(move),
        "not_judged": move.not_judged,
        "only_move": move.only_move,
        "missed_win": move.missed_win,
        "exact": move.is_exact,
        "luck": move.luck,
        "depth": move.depth,
    }


def _scored(state: State, candidate: Candidate) -> dict[str, Any]:
    score = candidate.score
    return {
        "moves": list(candidate.names),
        "score": formatting.with_minus(formatting.short_score(state, score)),
        "share": candidate.result,
        "proven": score.is_proven,
        "confidence": candidate.confidence,
        "selective": candidate.is_selective,
    }


def game_view(game: Record | GameReview, title: str = "") -> dict[str, Any]:
    """Return a game, or the review of one, for the viewer.

    Raises
    ------
    LimitError
        If the game has more than 2,000 moves.
    """
    if isinstance(game, Record):
        return record_view(game, [], title)
    moves = [review_data(game, move) for move in game.in_order()]
    return record_view(game.record, moves, title)


def record_view(record: Record, moves: Sequence[dict[str, Any]], title: str = "") -> dict[str, Any]:
    """Return a game with reviews of its moves, each as `review_data` returns it, for the viewer.

    Raises
    ------
    LimitError
        If the game has more than 2,000 moves.
    IllegalMove
        If a line of a review has a move that is not legal.
    """
    if len(record.line.steps) > MAX_STEPS:
        raise LimitError(f"the game has more than {MAX_STEPS:,} moves")
    at = _Positions(record.start)
    before = []
    for step in record.line.steps:
        before.append(at.state)
        at.play(step.move)
    lines = {
        str(move["ply"]): {
            name: _line_view(before[move["ply"]], move[name]["moves"]) for name in ("best", "played") if move["mark"]
        }
        for move in moves
        if move["mark"]
    }
    state = record.start
    names = [player_tag(record, side) for side in (MAX, MIN)]
    if not title:
        title = " - ".join(name or state.player_name(side) for name, side in zip(names, (MAX, MIN), strict=True))
    facts = [record.tags.get(name, "") for name in ("Event", "Date")]
    return {
        "title": title,
        "facts": ", ".join(text for text in [type(state).__name__, *facts, record.result] if text.strip("?.* ")),
        "players": [state.player_name(MAX), state.player_name(MIN)],
        "names": names,
        "steps": steps_data(record),
        **at.data(),
        "review": {"moves": list(moves), "end_share": result_of_end(at.state)} if moves else None,
        "lines": lines,
    }


def _line_view(state: State, texts: Sequence[str]) -> dict[str, Any]:
    """Return the positions of the first moves of a line, that before it included."""
    at = _Positions(state)
    for text in texts[:MAX_LINE]:
        at.play(at.state.parse_move(text))
    return at.data()


def analysis_view(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis for the viewer: the position, and its best lines to step through."""
    state = analysis.state
    at = _Positions(state)
    picture = at.pictures[0]
    facts = f"{analysis.nodes:,} nodes, {analysis.seconds:.2f} s, {analysis.algorithm}"
    if analysis.depth:
        facts = f"depth {analysis.depth}, {facts}"
    return {
        **_plain(state, at, title=f"{analysis.game}: analysis", facts=facts),
        "analysis": [
            {
                "moves": list(line.names),
                "score": formatting.with_minus(formatting.short_score(state, line.score)),
                "proven": line.score.is_proven,
                "move": move_data(state, line.move, picture),
                **_line_view(state, line.names),
            }
            for line in analysis.lines
        ],
    }


def play_view(game: GameInProgress) -> dict[str, Any]:
    """Return a game in progress for the viewer, with the legal moves of its current position."""
    first, *_ = states = game.states
    at = _Positions(first)
    for move in game.moves:
        at.play(move)
    texts = game.move_names()
    steps = [
        {"text": text, "label": text, "side": SIDES[state.to_move()], "is_move": True}
        for text, state in zip(texts, states, strict=False)
    ]
    picture = at.pictures[-1]
    legal = game.allowed()[:MAX_LISTED] if game.state.to_move() in (MAX, MIN) else []
    return {
        **_plain(first, at, title=type(first).__name__),
        "steps": steps,
        "legal": [{"move": place, **move_data(game.state, move, picture)} for place, move in enumerate(legal)],
    }


def _plain(state: State, at: _Positions, title: str, facts: str = "") -> dict[str, Any]:
    """The fields of a view without a review."""
    return {
        "title": title,
        "facts": facts,
        "players": [state.player_name(MAX), state.player_name(MIN)],
        "names": ["", ""],
        "steps": [],
        **at.data(),
        "review": None,
        "lines": {},
    }
