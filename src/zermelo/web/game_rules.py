"""What the rules say about a saved game: moves, views, results, files.

Functions of plain data, so that they run in any thread or process.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import msgspec

from zermelo import registry
from zermelo.arena.game_course import chance_move, seed_of
from zermelo.core.game import MAX, MIN
from zermelo.core.validation import as_game_error
from zermelo.errors import InputError, ZermeloError
from zermelo.interactive.course import GameInProgress
from zermelo.web.errors import RequestError
from zermelo.web.game_store import MAX_PLIES, Outcome
from zermelo.web.position import GAMES, SIDES, Position, position_of


@dataclass(frozen=True, slots=True)
class GameText:
    """A game as plain data."""

    #: Name of the game in the API, and the name that `zermelo.load` takes.
    game: str
    source: str
    #: Position before the first move.
    start: str
    #: Names of the moves and chance events.
    moves: tuple[str, ...]
    #: Sides that people play.
    people: tuple[int, ...]


class Played(msgspec.Struct, frozen=True):
    """A move or chance event of the game so far."""

    text: str
    side: str


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say about a game after its last move."""

    #: Side to move: "max", "min", "chance"; None if the game has ended.
    turn: str | None
    #: How the rules ended it.
    outcome: Outcome | None
    #: Why a draw can be claimed; empty if it cannot.
    claim: str
    can_undo: bool
    #: Whether draws by repetition or without progress are part of the game, so that one may be offered.
    can_offer: bool
    #: Whether information is hidden, and whether there are chance events.
    hidden: bool
    chance: bool
    played: list[Played]
    #: Positions by who looks: "all", or "max" and "min" while information is hidden.
    positions: dict[str, Position]


class Beginning(msgspec.Struct, frozen=True):
    """A new game: checked text of its first position, moves to the current one, names of the sides."""

    start: str
    moves: tuple[str, ...]
    names: tuple[str, str]
    is_over: bool


def begin(source: str, position: str, moves: list[str]) -> Beginning:
    """Check the position and the moves with which a game begins.

    Raises
    ------
    RequestError
        Names the field: position or moves.
    GameError
        If the game's code is wrong.
    """
    game = GAMES.game(source, position, moves)
    names = (game.state.player_name(MAX), game.state.player_name(MIN))
    return Beginning(str(game.states[0]), tuple(game.move_names()), names, game.is_finished())


def course(text: GameText) -> GameInProgress:
    """Return the game at its current position; a copy, which the caller may change.

    Raises
    ------
    RequestError
        422, if the game's file has changed and its moves are not legal any more.
    """
    try:
        game = GAMES.game(text.source, text.start, list(text.moves))
    except RequestError as error:
        raise RequestError(f"the rules have changed since the game was saved: {error}", status=422) from None
    game.people = set(text.people)
    return game


# ---- changes -------------------------------------------------------------------------------------------------


def facts(text: GameText) -> Facts:
    """Return what the rules say about a game."""
    return _facts(text, course(text))


def revealed(text: GameText) -> Facts:
    """Return what the rules say about a game that is over for another reason: nothing is hidden any more."""
    return _facts(replace(text, people=()), course(text))


def move(text: GameText, name: str) -> tuple[str, Facts]:
    """Make a move; returns its name and what the rules say after it.

    Raises
    ------
    RequestError
        If the move is not legal.
    """
    game = course(text)
    if game.is_finished():
        raise RequestError("the game is over", status=409)
    try:
        found = game.parse(name)
    except InputError as error:
        raise RequestError(str(error), field="move") from None
    made = game.state.move_name(found)
    after = replace(text, moves=(*text.moves, made))
    return made, _facts(after, course(after))


def roll(text: GameText, seed: int) -> tuple[str, Facts]:
    """Draw a chance event. It depends on the seed and on the number of moves: taking back does not roll again."""
    state = course(text).state
    return move(text, state.move_name(chance_move(state, random.Random(seed_of("chance", seed, len(text.moves))))))


def can_win(text: GameText, side: int) -> bool:
    """Return whether a side can still win: only then does the other one lose on time."""
    return course(text).state.can_win(side)


def undo(text: GameText) -> tuple[int, Facts]:
    """Take back to the last position in which a person was to move; returns the number of moves that remain.

    Raises
    ------
    RequestError
        409, if there is no move to take back.
    """
    game = course(text)
    if not game.undo():
        raise RequestError("there is no move to take back", status=409)
    left = len(game.before)
    return left, _facts(replace(text, moves=text.moves[:left]), game)


def _facts(text: GameText, game: GameInProgress) -> Facts:
    try:
        return _described(text, game)
    except ZermeloError:
        raise
    except Exception as error:  # the game's own code
        raise as_game_error(error, game.state) from None


def _described(text: GameText, game: GameInProgress) -> Facts:
    state = game.state
    moves = zip(game.before, game.move_names(), strict=True)
    hidden = not state.perfect_information
    over = game.is_finished()
    if not hidden or over or not text.people:
        positions = {"all": position_of(text.game, game)}
    else:
        positions = {SIDES[side]: position_of(text.game, game, side) for side in text.people}
    outcome = None
    if over and (result := positions["all"].result) is not None:
        outcome = Outcome(result.utility, result.text, "rules")
    elif len(game.before) >= MAX_PLIES:
        outcome = Outcome(0, f"A draw: {MAX_PLIES:,} plies without an end", "length")
    return Facts(
        turn=None if outcome is not None else SIDES[state.to_move()],
        outcome=outcome,
        claim="" if outcome is not None else game.claim_reason(),
        can_undo=not hidden and any(each.to_move() in game.people for each in game.before),
        can_offer=state.draw_at_repetition > 0 or state.draw_at_reversible_plies > 0,
        hidden=hidden,
        chance=state.has_chance,
        played=[Played(name, SIDES[before.to_move()]) for before, name in moves],
        positions=positions,
    )


def sentence(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


# ---- files ---------------------------------------------------------------------------------------------------


class FormatName(msgspec.Struct, frozen=True):
    """A file format of the game."""

    name: str
    description: str


class GameFile(msgspec.Struct, frozen=True):
    """A game as a file."""

    name: str
    text: str


def formats(source: str) -> list[FormatName]:
    """Return the file formats of a game."""
    from zermelo.formats.registry import formats_of
    from zermelo.interactive.game_page import HTML

    known = formats_of(registry.load(source)).values()
    found = [FormatName(each.name, each.description) for each in known if each.binary is None]
    return [*found, FormatName(HTML, "a page that shows the game in any browser")]


def export(text: GameText, form: str, tags: dict[str, str], utility: int | None) -> GameFile:
    """Return a game in one of its formats.

    Raises
    ------
    FormatError
        If there is no such format, or it cannot express the game.
    """
    from zermelo.formats.registry import get_format
    from zermelo.interactive.game_files import record_of
    from zermelo.interactive.game_page import HTML, page_of

    game = course(text)
    found = None if form == HTML else get_format(type(game.state), form)
    record = record_of(game.states)
    record.tags.update(tags)
    if utility is not None:
        record.result = "1-0" if utility > 0 else "0-1" if utility < 0 else "1/2-1/2"
    if found is None:
        for side, tag in ((MAX, "White"), (MIN, "Black")):  # named by colour, whatever colours the game has
            record.tags[game.state.player_name(side)] = tags.get(tag, "")
        return GameFile(f"{type(game.state).__name__.lower()}.html", page_of(record))
    suffix = found.suffixes[0] if found.suffixes else ".txt"
    return GameFile(f"{type(game.state).__name__.lower()}{suffix}", found.text(record))
