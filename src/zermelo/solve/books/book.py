"""Opening books: positions with their scores, transpositions and symmetric positions merged.

A book has one entry for all positions that are equal but for a symmetry of the board; the one with the smallest key
represents them. If all successors of a position are in the book (or finished), its entry is their minimax value; else
it is the result of a search. Scores are on the ranked scale of `zermelo.search.scores`, for MAX, counted from the
entry's own position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from zermelo.core.evaluation import evaluation_name, resolve_evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError
from zermelo.search.analysis import Analysis, Line, Score, line_names, make_score, side_names
from zermelo.search.request import SearchRequest
from zermelo.search.scores import WIN, Scale, finished_score, ranked
from zermelo.search.table import NO_MOVE, from_entry

#: The longest line that is followed through a book; positions may repeat.
MAX_LINE = 250


class Entry(NamedTuple):
    """What a book knows of a position.

    Attributes
    ----------
    score : int
        For MAX, on the ranked scale.
    move : int
        The best move of the position that represents the entry; -1: none.
    depth : int
        Plies of the search that found the score; 0 if it is proven or follows from the successors.
    proven : bool
        Whether the score is the value of the game, not an estimate.
    """

    score: int
    move: int
    depth: int
    proven: bool


@dataclass
class Book:
    """An opening book of a game.

    Attributes
    ----------
    game : type of State
        The game. It has compiled states, perfect information and no chance.
    root : State
        The position that the book begins with.
    plies : int
        Plies to which the book was begun, all moves included.
    search : str
        The limits of the searches that scored the positions, as in "depth=12".
    entries : dict
        The entries, by key.

    Raises
    ------
    LimitError
        If the game has chance or hidden information, or is not compiled.
    """

    game: type[State]
    root: State
    plies: int = 0
    search: str = "exact"
    entries: dict[int, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        name = self.game.__name__
        if self.game.has_chance:
            raise LimitError(f"{name} has chance: opening books are for games without chance")
        if not self.game.perfect_information:
            raise LimitError(f"{name} has hidden information: opening books are for games without it")
        if not self.game.is_compiled:
            raise LimitError(f"{name} is interpreted: opening books need the 64-bit keys of compiled games")
        self.scale: Scale = ranked(self.root)

    def entry(self, state: State) -> Entry | None:
        """Return the entry of a position; its move is that of the representative."""
        return self.entries.get(representative(state)[0])

    def successors(self, state: State) -> Iterator[tuple[int, int | None, bool]]:
        """Yield the legal moves with their scores, as seen from the state, and whether these are proven.

        The score of a move that leaves the book is None.
        """
        for move in state.legal_moves():
            child = state.play(move)
            if child.is_over():
                yield move, finished_score(child.utility(), 1, *self.scale), True
            elif (entry := self.entry(child)) is None:
                yield move, None, False
            else:
                yield move, parent_score(entry.score, self.scale), entry.proven

    def best_move(self, state: State) -> int | None:
        """Return the best move that the book knows in a position; None if it knows none."""
        found = list(self.successors(state))
        known = [(score, move) for move, score, _ in found if score is not None]
        sign = state.to_move()
        if known and len(known) == len(found):
            return max(known, key=lambda each: sign * each[0])[1]
        key, image = representative(state)
        entry = self.entries.get(key)
        if entry is None or entry.move == NO_MOVE:
            return None
        if image == state:
            return entry.move if entry.move in state.legal_moves() else None
        wanted = representative(image.play(entry.move))[0]
        return next((move for move in state.legal_moves() if representative(state.play(move))[0] == wanted), None)

    def line(self, state: State, move: int) -> tuple[int, ...]:
        """Return a move and the best moves after it, as long as the book knows them."""
        moves = [move]
        state = state.play(move)
        while len(moves) < MAX_LINE and not state.is_over():
            best = self.best_move(state)
            if best is None:
                break
            moves.append(best)
            state = state.play(best)
        return tuple(moves)

    def analysis(
        self, state: State, lines: int = 1, moves: tuple[Any, ...] = (), exact: bool = False
    ) -> Analysis | None:
        """Return what the book knows of a position, as a search would.

        Parameters
        ----------
        state : State
            An unfinished position.
        lines : int
            Number of best moves wanted.
        moves : tuple of int
            Only these root moves; none: all.
        exact : bool
            Only proven scores.

        Returns
        -------
        Analysis or None
            None if the book does not know the position, or not as many moves as are wanted.
        """
        known = [(score, move, proven) for move, score, proven in self._known(state) if not moves or move in moves]
        wanted = min(lines, len(moves) if moves else len(state.legal_moves()))
        if len(known) < wanted or not known or (exact and not all(proven for *_, proven in known)):
            return None
        evaluation = resolve_evaluation(state, None)
        known.sort(key=lambda each: -state.to_move() * each[0])
        found = []
        for score, move, proven in known[:lines]:
            line = self.line(state, move)
            found.append(Line(move, line, line_names(state, line), self._score(state, score, proven)))
        best = found[0]
        to_move, player = side_names(state)
        return Analysis(
            state=state, game=type(state).__name__, position=str(state), to_move=to_move, player=player,
            best=best.names[0], move=best.move, score=best.score, line=best.names, lines=tuple(found), depth=0,
            nodes=0, seconds=0.0, reason="book", evaluation=evaluation_name(state, evaluation), algorithm="engine",
            threads=1,
        )  # fmt: skip

    def answer(self, request: SearchRequest) -> Analysis | None:
        """Return what the book knows in answer to a request for a search; None if the position must be searched.

        That is so too where a score is not proven but has to be, and where the position has occurred before in the
        game: the book does not know that it may not occur again.
        """
        state, limits, past = request.state, request.limits, request.history
        if not isinstance(state, self.game) or state.is_over():
            return None
        request.root_moves(None)  # validates the state, its history and the moves
        seen = past.keys if isinstance(past, PositionHistory) else [int(each.repetition_key()) for each in past]
        if int(state.repetition_key()) in seen:
            return None
        return self.analysis(state, request.lines, tuple(request.moves), limits.exact)

    def _known(self, state: State) -> list[tuple[int, int, bool]]:
        """The moves with known scores: all legal ones, or the best one alone, or none."""
        found = list(self.successors(state))
        known = [(move, score, proven) for move, score, proven in found if score is not None]
        if found and len(known) == len(found):
            return known
        entry, best = self.entry(state), self.best_move(state)
        return [] if entry is None or best is None else [(best, entry.score, entry.proven)]

    def _score(self, state: State, score: int, proven: bool) -> Score:
        return make_score(state, score, self.scale, resolve_evaluation(state, None), proven)


def representative(state: State) -> tuple[int, State]:
    """Return the smallest key of a position and its symmetric images, and the one that has it."""
    key, image = int(state.repetition_key()), state
    for each in state.symmetries():
        if int(each.repetition_key()) < key:
            key, image = int(each.repetition_key()), each
    return key, image


def parent_score(score: int, scale: Scale) -> int:
    """Return the score of a position as seen from the one before: a win is one ply farther away."""
    return from_entry(score, 1, scale.base, scale.step)


def entry_of(found: Analysis, scale: Scale) -> Entry:
    """Return the entry of a searched position that represents itself."""
    move = NO_MOVE if found.move is None else found.move
    value = found.score.value
    if value is not None:
        return Entry(finished_score(int(value), found.score.plies or 0, *scale), move, 0, True)
    return Entry(max(1 - WIN, min(found.score.estimate or 0, WIN - 1)), move, found.depth, False)


def minimax_entry(state: State, known: list[tuple[int, int, bool]]) -> Entry:
    """Return the entry of a representative position from its moves, their scores, and whether these are proven."""
    move, score, _ = max(known, key=lambda each: state.to_move() * each[1])
    return Entry(score, move, 0, all(proven for *_, proven in known))
