"""`POST /api/review`: reviews a game move by move, from the last one to the first, and returns the annotated game."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec

from zermelo import registry
from zermelo.core.game import MAX, MIN
from zermelo.core.validation import as_game_error
from zermelo.errors import LimitError, ZermeloError
from zermelo.formats.text_formats import as_data
from zermelo.interactive.game_page import render_view
from zermelo.interactive.game_views import record_view, review_data, steps_data
from zermelo.review.annotation import annotated
from zermelo.review.expected_result import result_of_end
from zermelo.review.results import GameReview, MoveReview, player_tag
from zermelo.review.reviewer import Settings, check_reviewable, review_moves
from zermelo.web.errors import RequestError, field
from zermelo.web.import_game import ExportedGame, parse_record
from zermelo.web.routing import Request, endpoint
from zermelo.web.search_process import stopping
from zermelo.web.searches import Note, Workers
from zermelo.web.services import Services

#: Largest limits of one search: a review has one or two searches a move.
MAX_NODES, MAX_DEPTH, MAX_SECONDS = 20_000_000, 60, 60.0
#: Seconds that a review waits for a search process, and the status of a refusal because all are busy.
MAX_WAIT, BUSY = 60.0, 429
#: Reviews whose moves are kept: some hundred kB each.
MAX_KEPT = 16
#: The most moves of a game.
MAX_MOVES = 2_000


class ReviewRequest(Request, frozen=True):
    """A game, and the limits of each search: 200,000 nodes if none is given, or 5,000 if the game has no evaluation."""

    game: str
    #: The game as the format `json` has it, from `/api/import`.
    record: dict[str, Any]
    depth: Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)] | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0, le=MAX_SECONDS)] | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=MAX_NODES)] | None = None
    evaluation: str | None = None
    #: Search at this confidence in percent: 73, 87, 95, 98, 99 or 100, which searches all moves as null does.
    confidence: int | None = None
    #: Search selectively: deeper, but scores may differ from those of a search of all moves.
    selective: bool = False
    #: Any text: a new review of the same client ends the earlier one.
    client: Annotated[str, msgspec.Meta(max_length=100)] = ""


class ReviewedStep(msgspec.Struct, frozen=True):
    """A step of the game: a move, a chance event, or an action outside the rules such as a double (`is_move` false)."""

    text: str
    #: With its number: `12... Nf6`.
    label: str
    side: Literal["max", "min", "chance"]
    is_move: bool


class ReviewedGame(msgspec.Struct, frozen=True):
    """What is to be reviewed."""

    #: The first position as text.
    start: str
    #: Names of MAX and MIN in the game, and of who played them; these may be empty.
    players: tuple[str, str]
    names: tuple[str, str]
    result: str
    steps: list[ReviewedStep]
    #: MAX's share after the last move, if the game is over: 1 a win, 0.5 a draw, 0 a loss.
    end_share: float | None


class ScoredLine(msgspec.Struct, frozen=True):
    """A move and what follows, with the score as text and MAX's share."""

    moves: list[str]
    score: str
    share: float
    proven: bool
    #: How certain the score is that of a search of all moves, in percent; null: nothing is known of that.
    confidence: int | None = None
    #: Whether it is the score of a selective search, and not proven.
    selective: bool = False


class ReviewedMove(msgspec.Struct, frozen=True):
    """The review of a move."""

    #: Index of the step.
    ply: int
    best: ScoredLine
    played: ScoredLine
    second: ScoredLine | None
    mark: Literal["", "inaccuracy", "mistake", "blunder"]
    #: The loss with its unit; empty if nothing is lost or the move is not judged.
    loss: str
    #: Loss of expected result, 0 to 1.
    share_loss: float
    #: In percent; null if the move is not judged.
    accuracy: float | None
    #: A sentence on the move, or empty.
    remark: str
    not_judged: Literal["", "forced", "book", "chance"]
    only_move: bool
    missed_win: bool
    exact: bool
    #: Gain of expected utility by a roll, for the side that rolled.
    luck: float | None
    depth: int


class SideSummary(msgspec.Struct, frozen=True):
    """The figures of one side."""

    accuracy: float | None
    judged: int
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_wins: int
    #: Mean loss by its unit.
    mean_loss: dict[str, float]
    luck: float | None


class ReviewEnd(msgspec.Struct, frozen=True):
    """The end of a review."""

    max: SideSummary
    min: SideSummary
    #: The annotated game as the format `json` has it.
    record: dict[str, Any]


class ReviewPageRequest(Request, frozen=True):
    """A game with the reviews of its moves, as `/api/review` sent them."""

    game: str
    record: dict[str, Any]
    moves: Annotated[list[ReviewedMove], msgspec.Meta(max_length=MAX_MOVES)]


class ReviewNote(msgspec.Struct, frozen=True):
    """What the review waits for: the compiler, or a free search process."""

    text: str


class KeptReviews:
    """Moves of recent reviews, so that a review that was stopped continues where it was."""

    def __init__(self, services: Services) -> None:
        self._kept: OrderedDict[object, dict[int, MoveReview]] = OrderedDict()

    def moves(self, key: object) -> dict[int, MoveReview]:
        """Return the moves of a review by ply; the caller adds to them."""
        moves = self._kept.setdefault(key, {})
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return moves


def reviewed(
    source: str, record: dict[str, Any], settings: Settings, known: Sequence[MoveReview] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield the events of a review, and after each new move its `MoveReview` as `kept`; runs in a worker.

    Parameters
    ----------
    source : str
        The game's name that `zermelo.load` takes.
    record : dict
        The game, as the format `json` has it.
    settings : Settings
        Limits of each search.
    known : sequence of MoveReview
        Moves that have been reviewed before, the last one first.
    """
    cls = registry.load(source)
    try:
        with field("record"):
            game = parse_record(cls, record)
            if not game.moves():
                raise RequestError("the game has no moves", field="record")
            if len(game.line.steps) > MAX_MOVES:
                raise RequestError(f"the game has more than {MAX_MOVES:,} moves", field="record")
        with field("selective" if settings.selective else "confidence"):
            check_reviewable(cls, settings)
        review = GameReview(game)
        yield "game", _game(review)
        for move in known:
            review.add(move)
            yield "move", _move(review, move)
        for move in review_moves(game, settings, known, stopping=stopping):
            review.add(move)
            yield "move", _move(review, move)
            yield "kept", move
        yield "end", ReviewEnd(_side(review, MAX), _side(review, MIN), as_data(annotated(review, "all")))
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, cls) from None


def _game(review: GameReview) -> ReviewedGame:
    record = review.record
    state = record.end()
    return ReviewedGame(
        str(record.start),
        (state.player_name(MAX), state.player_name(MIN)),
        (player_tag(record, MAX), player_tag(record, MIN)),
        record.result,
        [ReviewedStep(**step) for step in steps_data(record)],
        result_of_end(state),
    )


def _move(review: GameReview, move: MoveReview) -> ReviewedMove:
    return msgspec.convert(review_data(review, move), ReviewedMove)


def _side(review: GameReview, side: int) -> SideSummary:
    found = review.summary(side)
    inaccuracies, mistakes, blunders = found.marks.values()
    return SideSummary(
        accuracy=found.accuracy,
        judged=found.judged,
        inaccuracies=inaccuracies,
        mistakes=mistakes,
        blunders=blunders,
        missed_wins=found.missed_wins,
        mean_loss=found.mean_loss,
        luck=found.luck,
    )


@endpoint(
    "POST",
    "/api/review",
    request=ReviewRequest,
    events={"game": ReviewedGame, "note": ReviewNote, "move": ReviewedMove, "end": ReviewEnd},
    takes_file=True,
    summary="Review a game: loss of each move, marks, accuracy, annotated game.",
)
async def review(request: ReviewRequest, services: Services) -> AsyncIterator[tuple[str, Any]]:
    """Review a game in a worker. Raises `RequestError` for a game that cannot be reviewed."""
    cls = services.game(request.game)
    if not cls.perfect_information:
        raise RequestError(f"{request.game} has hidden information and cannot be reviewed", field="game")
    try:
        settings = Settings(request.depth, request.seconds, request.nodes, False, request.evaluation)
    except LimitError as error:
        raise RequestError(str(error), field="nodes") from None
    with field("confidence"):
        settings = replace(settings, confidence=request.confidence)
    with field("selective"):
        settings = replace(settings, selective=request.selective)
    if request.evaluation not in (None, "nothing", *cls.evaluations):
        names = ", ".join([*cls.evaluations, "nothing"])
        raise RequestError(f"unknown evaluation {request.evaluation!r:.60}; expected {names}", field="evaluation")
    source = services.games[request.game]
    workers = services.get(Workers)
    content = hashlib.blake2b(msgspec.json.encode(request.record)).digest()
    kept = services.get(KeptReviews).moves((request.game, settings, content))
    known = [kept[ply] for ply in sorted(kept, reverse=True)]
    deadline = time.monotonic() + MAX_WAIT
    is_waiting = True
    while is_waiting:
        try:
            items = workers.stream(reviewed, source, request.record, settings, known, client=request.client)
            async for item in items:
                is_waiting = False
                if isinstance(item, Note):
                    yield "note", ReviewNote(item)
                elif item[0] == "kept":
                    kept[item[1].ply] = item[1]
                else:
                    yield item
            return
        except RequestError as error:
            if error.status != BUSY or not is_waiting or time.monotonic() > deadline:
                raise
        yield "note", ReviewNote("waiting for a free search process")


@endpoint(
    "POST",
    "/api/review/page",
    request=ReviewPageRequest,
    response=ExportedGame,
    takes_file=True,
    summary="Write a review as a page of one file.",
)
async def review_page(request: ReviewPageRequest, services: Services) -> ExportedGame:
    """Raises `RequestError` if the game or the reviews of its moves are invalid."""
    source = services.source(request.game)
    return await services.get(Workers).rules(request.game, _page, source, request)


def _page(source: str, request: ReviewPageRequest) -> ExportedGame:
    with field("record"):
        game = parse_record(registry.load(source), request.record)
    steps = game.line.steps
    for place, move in enumerate(request.moves):
        if not 0 <= move.ply < len(steps):
            raise RequestError(f"moves[{place}].ply must be from 0 to {len(steps) - 1} (got {move.ply})", field="moves")
    with field("moves"):
        view = record_view(game, [msgspec.to_builtins(move) for move in request.moves])
    return ExportedGame(render_view(view), f"{request.game}-review.html", False)


ROUTES = [review, review_page]
