"""What the engine does in a saved game: its move, a hint, the reasons for a move. Functions for worker processes."""

from __future__ import annotations

import random
from collections import OrderedDict
from typing import Any

import msgspec

from zermelo import formatting
from zermelo.arena.game_course import seed_of
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, allowed_moves
from zermelo.errors import InputError
from zermelo.interactive.course import GameInProgress
from zermelo.interactive.move_reasons import reasons
from zermelo.interactive.opponents import (
    SECONDS,
    HiddenOpponents,
    choose,
    draw_claimed,
    hidden_opponent,
    new_searcher,
    one_kind_of_search,
)
from zermelo.search.analysis import Analysis
from zermelo.search.levels import Strength, max_level
from zermelo.search.limits import Limits
from zermelo.search.searcher import Searcher
from zermelo.search.selective import selective_default
from zermelo.web.errors import RequestError
from zermelo.web.game_rules import GameText, course
from zermelo.web.search_process import stopping

#: Most seconds of a move at any level; a slow game reaches fewer nodes than its level allows.
MAX_SECONDS = 10.0
#: Memory of a transposition table or of a tree.
_TABLE = "64M"
#: Searchers that a process keeps; each holds the table of one game.
_MAX_KEPT = 2
#: Moves of a line that are shown.
_MAX_LINE = 12


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's move, or its claim or acceptance of a draw."""

    #: Name of the move.
    move: str = ""
    #: Why the engine claims a draw in place of a move; empty if it does not.
    claim: str = ""
    #: What the engine thinks of the position; empty while information is hidden.
    score: str = ""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A good move, with the line that the engine expects."""

    move: str
    score: str = ""
    line: list[str] = []


class Reason(msgspec.Struct, frozen=True):
    """A row of the explanation of a move."""

    name: str
    text: str


class ExplainedLine(msgspec.Struct, frozen=True):
    """The line of a move that is explained or compared."""

    move: str
    score: str
    moves: list[str]


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """A move explained by its line beside that of the best other one."""

    #: Number of moves before the explained one.
    ply: int
    move: str
    reasons: list[Reason]
    lines: list[ExplainedLine]


def reply(text: GameText, level: int, seed: int, seconds: float) -> Reply:
    """Choose the move of the side to move at a level; `seed` is that of its random choices."""
    game = course(text)
    source = random.Random(seed_of("engine", seed))
    cls = type(game.state)
    # A game that was saved before its rules declared fewer levels may have a higher one.
    strength = Strength(min(level, max_level(cls)), game=cls)
    if not game.state.perfect_information:  # a level is a rate of random moves: not all players have a limit of nodes
        blunder = strength.root_moves(game.allowed(), source)
        return Reply(move=game.state.move_name(blunder[0] if blunder else _hidden_choice(game, source)))
    found = _chosen(game, strength, min(seconds, MAX_SECONDS), source)
    if reason := draw_claimed(game, found):
        return Reply(claim=reason)
    return Reply(move=found.best or "", score=formatting.with_minus(formatting.labelled_score(found)))


def accepts_draw(text: GameText, side: int) -> bool:
    """Whether the engine accepts a draw for a side: it does not stand better."""
    game = course(text)
    found = _analysed(game.state, game.before, Limits(seconds=SECONDS))
    return found.score.pov(side).number <= 0


def hint(text: GameText, seed: int) -> Hint:
    """Return the move that the engine would play for the side to move; where information is hidden, from its view."""
    game = course(text)
    if not game.state.perfect_information:
        return Hint(move=game.state.move_name(_hidden_choice(game, random.Random(seed_of("hint", seed)))))
    found = _analysed(game.state, game.before, Limits(seconds=SECONDS))
    assert found.best is not None
    return Hint(
        move=found.best,
        score=formatting.with_minus(formatting.labelled_score(found)),
        line=list(found.line[:_MAX_LINE]),
    )


def why(text: GameText, name: str) -> Why:
    """Explain a legal move by its name, or with an empty name the last move.

    Raises
    ------
    RequestError
        If the move is not legal, or there is no move yet.
    """
    from zermelo.core.evaluation import resolve_evaluation

    game = course(text)
    try:
        explained = game.explained(name)
    except InputError as error:
        raise RequestError(str(error), field="move") from None
    if explained is None:
        raise RequestError("there is no move to explain yet", status=409)
    state, before, move = explained
    algorithm = _algorithm(type(state))

    def search(moves: list[int], depth: int | None) -> Analysis:
        limits = Limits(None if algorithm == "mcts" else depth, SECONDS)
        return _analysed(state, before, limits, moves=moves)

    legal = allowed_moves(state, PositionHistory([*before, state]))
    clock = Limits(seconds=SECONDS)
    is_selective = bool(selective_default(state, clock))
    evaluation = resolve_evaluation(state, None, is_selective) if algorithm == "engine" else None
    with one_kind_of_search(_searcher(type(state)), state, clock):
        found = reasons(state, move, legal, search, evaluation)
    lines = [
        ExplainedLine(
            each.best or "", formatting.with_minus(formatting.labelled_score(each)), list(each.line[:_MAX_LINE])
        )
        for each in (found.chosen, found.other)
        if each is not None
    ]
    rows = [Reason(row, said) for row, said in found.rows[len(lines) :]]
    return Why(ply=len(before), move=state.move_name(move), reasons=rows, lines=lines)


def _chosen(game: GameInProgress, strength: Strength, seconds: float, source: random.Random) -> Analysis:
    state = game.state
    by_playouts = _algorithm(type(state)) == "mcts"

    def search(limits: Limits, *, lines: int, moves: tuple[int, ...]) -> Analysis:
        return _analysed(state, game.before, limits, lines=lines, moves=moves)

    with strength.at_confidence(_searcher(type(state)), state):
        return choose(state, game.allowed(), strength, Limits(seconds=seconds), by_playouts, source, search)


# ---- engines -------------------------------------------------------------------------------------------------

_searchers: OrderedDict[type[State], Searcher] = OrderedDict()


def _algorithm(cls: type[State]) -> str:
    from zermelo.search.default import default_algorithm  # loads the compiler, which only worker processes need

    return default_algorithm(cls, Limits(seconds=SECONDS))


def _searcher(cls: type[State]) -> Searcher:
    if cls not in _searchers:
        _searchers[cls] = new_searcher(_algorithm(cls), _TABLE, 1, random.Random(0))
        while len(_searchers) > _MAX_KEPT:
            _searchers.popitem(last=False)[1].close()
    _searchers.move_to_end(cls)
    return _searchers[cls]


def _analysed(state: State, before: list[State], limits: Limits, **options: Any) -> Analysis:
    from zermelo.solve import endgames

    if limits.depth is None and _algorithm(type(state)) == "engine":
        endgames.ensure(state)
    searcher = _searcher(type(state))
    with stopping(searcher.stop):
        return searcher.analyse(
            state, depth=limits.depth, seconds=limits.seconds, nodes=limits.nodes, history=before, **options
        )


def _hidden_choice(game: GameInProgress, source: random.Random) -> int:
    cls = type(game.state)
    opponents = HiddenOpponents(cls, hidden_opponent(cls), source)
    try:
        return opponents.choose(game.state)
    finally:
        opponents.close()
