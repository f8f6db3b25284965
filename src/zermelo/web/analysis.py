"""`POST /api/analyse`: a search that deepens live, as Server-Sent Events; `POST /api/explain`: an evaluation by terms.

The search itself is `analyse`, which runs in a worker process (`zermelo.web.searches`). Its results of recent positions
are kept in the server, and its tables in the worker: going back a move shows at once what was known.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import ExitStack, aclosing, contextmanager, nullcontext, suppress
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from zermelo import formatting
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.explanation import counted_squares, explain
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.picture import Grid
from zermelo.core.validation import as_game_error
from zermelo.errors import ZermeloError
from zermelo.review.expected_result import expected_result
from zermelo.search import analysis as search_analysis
from zermelo.search.analysis import Analysis
from zermelo.search.limits import MAX_DEPTH, MAX_NODES, Limits
from zermelo.search.searcher import Searcher
from zermelo.search.table import parse_size
from zermelo.web.errors import RequestError, field
from zermelo.web.position import GAMES, PositionRequest
from zermelo.web.routing import endpoint
from zermelo.web.search_process import report, stopping
from zermelo.web.searches import Note, Workers
from zermelo.web.services import Services

#: Seconds of a search without a limit, and of an exact one; most seconds of any.
DEFAULT_SECONDS, MAX_SECONDS = 300.0, 3_600.0
#: Seconds in which a game without an evaluation is to be proven, before Monte Carlo tree search begins.
PROOF_SECONDS = 0.5
#: Most lines, and moves of a line that are sent.
MAX_LINES = 50
MAX_LINE_MOVES = 60
#: Moves that get values; the engine can score no more of them one by one.
MAX_VALUES = 1_000
#: Searchers that a process keeps, each with a table: of a game, its lines and its values.
MAX_SEARCHERS = 4
#: Positions whose last results the server keeps, and scores in them, about 0.4 kB each.
MAX_KEPT = 1_000
MAX_KEPT_SCORES = 30_000
#: Seconds between two reports of a search's counts.
PROGRESS_INTERVAL = 0.5
#: Seconds between two events while the compiler works.
COMPILING_INTERVAL = 1.0
#: Seconds between two events of Monte Carlo tree search, whose batches are short.
PLAYOUTS_INTERVAL = 0.25
#: Estimate of the cost of the next depth, until two depths are known.
_GROWTH = 4.0


class AnalyseRequest(PositionRequest, frozen=True):
    """A position, limits and options of its search, as those of `zermelo.analysis`."""

    depth: Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)] | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0, le=MAX_SECONDS)] | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=MAX_NODES)] | None = None
    exact: bool = False
    lines: Annotated[int, msgspec.Meta(ge=1, le=MAX_LINES)] = 1
    #: Whether every legal move gets a value.
    values: bool = False
    evaluation: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    #: Search at this confidence in percent: 73, 87, 95, 98, 99 or 100, which searches all moves.
    confidence: int | None = None
    #: Whether the search is selective; null: if time is the only limit, in games that declare it.
    selective: bool | None = None
    #: A name that the page chooses: a new search ends the earlier one of the same client.
    client: Annotated[str, msgspec.Meta(max_length=100)] = ""


class Score(msgspec.Struct, frozen=True):
    """A score from MAX's side.

    `text` is short, as `+0.34` (pawns) or `+#3`; `words` name the player of a proven win, as `white wins in 5 plies`.
    `number` is the value if it is proven, else the estimate in `unit`; in games of chance `expected` is the expected
    utility. `share` is the expected result of MAX: 1 a win, 0.5 a draw, 0 a loss.
    """

    text: str
    words: str
    number: int
    proven: bool
    unit: str
    share: float
    plies: int | None
    expected: float | None


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line: its score and its moves; `visits` and `win_rate` (of the side to move) in Monte Carlo tree search."""

    score: Score
    moves: list[str]
    visits: int | None = None
    win_rate: float | None = None


class Compiling(msgspec.Struct, frozen=True):
    """What is compiled, and for how many seconds so far."""

    text: str
    seconds: float


class AnalysisEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The result so far.

    `nodes` are playouts where `algorithm` is "mcts". `selective`: the search may have left out moves that matter, so
    the score is an estimate and not a bound; `confidence` is how certain it is that a search of all moves agrees, in
    percent, if that is known. `kept`: found by an earlier search of this position.
    """

    depth: int
    score: Score
    nodes: int
    nodes_per_second: int
    seconds: float
    lines: list[Line]
    best: str | None
    selective: bool
    confidence: int | None
    algorithm: str
    evaluation: str
    kept: bool = False


class Progress(msgspec.Struct, frozen=True):
    """Counts of a search between two results, twice a second."""

    nodes: int
    nodes_per_second: int
    seconds: float


class MoveValue(msgspec.Struct, frozen=True):
    """The value of a legal move; the best ones come first."""

    text: str
    score: Score
    depth: int


class ValuesEvent(msgspec.Struct, frozen=True):
    """Values of all legal moves, at one depth."""

    moves: list[MoveValue]


class End(msgspec.Struct, frozen=True):
    """Why the search ended: as `Analysis.reason`, or "replaced" by another one of the same client."""

    reason: str


# ---- in the worker ----------------------------------------------------------------------------------------------


class _Deepening(NamedTuple):
    """A search that is advanced depth by depth."""

    searcher: Searcher
    analyses: Iterator[Analysis]
    #: Seconds of each depth.
    spent: list[float]
    #: Whether its counts are reported.
    is_main: bool

    def next(self) -> Analysis | None:
        """Search one more depth."""
        start = time.perf_counter()
        before = self.total

        def progress() -> Progress:
            seconds, nodes = before + time.perf_counter() - start, self.searcher.nodes
            return Progress(nodes, round(nodes / seconds), round(seconds, 3))

        with _reporting(progress) if self.is_main else nullcontext():
            found = next(self.analyses, None)
        self.spent.append(time.perf_counter() - start)
        return found

    @property
    def total(self) -> float:
        """Seconds so far."""
        return sum(self.spent)

    @property
    def expected(self) -> float:
        """Estimated seconds of the next depth."""
        if not self.spent:
            return 0.0
        *_, last = self.spent
        before = self.spent[-2] if len(self.spent) > 1 else 0.0
        return last * (max(last / before, 1.0) if before else _GROWTH)


@contextmanager
def _reporting(progress: Callable[[], Progress]) -> Iterator[None]:
    """Context manager in which the progress is sent to the server from time to time."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(PROGRESS_INTERVAL):
            report(progress())

    reporter = threading.Thread(target=repeat, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        ended.set()
        reporter.join()


def analyse(source: str, request: AnalyseRequest, threads: int, table: str) -> Iterator[Event]:
    """Search the position of a request.

    Parameters
    ----------
    source : str
        The name of the game that `zermelo.load` takes.
    request : AnalyseRequest
    threads : int
        Threads of the search.
    table : str
        Memory of each table.

    Yields
    ------
    AnalysisEvent or ValuesEvent or End

    Raises
    ------
    ZermeloError
        If the request or the game is wrong.
    """
    game = GAMES.game(source, request.position, request.moves)
    state, history = game.state, game.before
    try:
        if state.has_open_state and not state.is_over() and state.to_move() != CHANCE:
            state, history = state.open_state(), []  # the analysis knows what is hidden
        with ExitStack() as stack:
            yield from _analyse(stack, state, history, request, threads, table)
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, state) from None


def _analyse(
    stack: ExitStack, state: State, history: list[State], request: AnalyseRequest, threads: int, table: str
) -> Iterator[Event]:
    with field("evaluation"):
        resolve_evaluation(state, request.evaluation)
    limited = (request.depth, request.seconds, request.nodes) != (None, None, None)
    seconds = request.seconds or (MAX_SECONDS if limited or request.exact else DEFAULT_SECONDS)
    limits = Limits(request.depth, seconds, request.nodes, request.exact)
    kind = type(state)
    count = len(state.legal_moves()) if not state.is_over() and state.to_move() != CHANCE else 0

    selective = _selectivity(state, limits, request)

    def search(algorithm: str | None, role: str, limits: Limits, lines: int) -> _Deepening:
        searcher = _searcher((kind, algorithm, role, selective), table, threads)
        stack.enter_context(stopping(searcher.stop))
        found = searcher.analysis(
            state, limits, evaluation=request.evaluation, lines=max(min(lines, count), 1), history=history
        )
        return _Deepening(searcher, found, [], role != "values")

    # These load the compiler, which only worker processes need.
    from zermelo.search.default import default_algorithm
    from zermelo.solve import endgames

    playouts = default_algorithm(state, limits, request.evaluation) == "mcts"
    if playouts and selective not in (None, False, 100):
        raise RequestError(f"{kind.__name__} has no evaluation, and its playouts are not selective", field="selective")
    lines = MAX_VALUES if request.values and playouts else request.lines
    if not playouts and request.depth is None:
        endgames.ensure(state)
    if playouts and not limited:
        proof = search("engine", "proof", Limits(seconds=PROOF_SECONDS), lines)
        reason = yield from _followed(proof, None, request, ("seconds",))
        if reason:
            yield End(reason)
            return
        main = search("mcts", "lines", limits, lines)
    else:
        main = search(None, "lines", limits, lines)
    values = search("engine", "values", limits, MAX_VALUES) if request.values and not playouts and count else None
    yield End((yield from _followed(main, values, request)))


def _selectivity(state: State, limits: Limits, request: AnalyseRequest) -> bool | int | None:
    """Return the value of `Engine(selective=)` that a request asks for.

    Raises `RequestError`, for the field of the request, if the game or its evaluation has no such searches.
    """
    from zermelo.search.selective import parameters_for, why_never_selective

    wanted = request.selective if request.confidence is None else request.confidence
    name = "selective" if request.confidence is None else "confidence"
    if request.confidence is not None and request.selective is not None:
        raise RequestError("confidence and selective exclude each other", field="selective")
    if wanted is None or wanted is False or wanted == 100:
        return wanted
    if reason := why_never_selective(state, limits.exact):
        raise RequestError(f"{name}: {reason}", field=name)
    with field(name):
        parameters_for(state, limits, wanted, request.evaluation)
    return wanted


def _followed(
    main: _Deepening,
    values: _Deepening | None,
    request: AnalyseRequest,
    unfinished: tuple[str, ...] = (),
) -> Generator[Event, None, str]:
    """Advance a search of the best lines and one of all moves' values in turn, so that both take about the same time.

    Returns the reason of the end, empty for one of `unfinished`.
    """
    reason, sent = "", -PLAYOUTS_INTERVAL
    is_running = True
    while is_running or values is not None:
        if values is not None and (not is_running or (main.spent and values.total + values.expected <= main.total)):
            found = values.next()
            if found is not None and found.lines:
                yield ValuesEvent(_values(found))
            if found is None or found.reason != "searching":
                values = None
            continue
        found = main.next()
        if found is None:
            is_running = False
            continue
        is_running = found.reason == "searching"
        if found.reason in unfinished:
            return ""
        reason = found.reason
        if found.algorithm == "mcts" and is_running and main.total - sent < PLAYOUTS_INTERVAL:
            continue
        sent = main.total
        if request.values and found.algorithm == "mcts" and found.lines:
            yield ValuesEvent(_values(found))
        # The search's own clock goes on while values are searched; ours includes compiling.
        yield _event(found, request.lines, min(main.total, found.seconds))
    return reason


def _event(found: Analysis, lines: int, seconds: float) -> AnalysisEvent:
    shown = [
        Line(_score(found, line), list(line.names[:MAX_LINE_MOVES]), line.visits, line.win_rate)
        for line in found.lines[:lines]
    ]
    return AnalysisEvent(
        depth=found.depth,
        score=_score(found, found),
        nodes=found.nodes,
        nodes_per_second=round(found.nodes / seconds) if seconds > 0 else 0,
        seconds=round(seconds, 3),
        lines=shown,
        best=found.best,
        selective=found.is_selective and found.depth > 0,
        confidence=found.confidence,
        algorithm=found.algorithm,
        evaluation=found.evaluation,
    )


def _values(found: Analysis) -> list[MoveValue]:
    return [MoveValue(line.names[0], _score(found, line), found.depth) for line in found.lines]


def _score(found: Analysis, line: search_analysis.Line | Analysis) -> Score:
    score = line.score
    if found.state.is_over():
        words = formatting.result(found.state)
    else:
        words = formatting.short_score(found.state, score)
    return Score(
        text=formatting.with_minus(formatting.compact_score(found.state, score)),
        words=formatting.with_minus(words),
        number=score.number,
        proven=score.is_proven,
        unit=score.unit,
        share=round(_share(found, line), 4),
        plies=score.plies,
        expected=score.expected,
    )


def _share(found: Analysis, line: search_analysis.Line | Analysis) -> float:
    """The expected result of MAX."""
    if isinstance(line, Analysis) and line.lines:
        line = line.lines[0]
    rate = line.win_rate if isinstance(line, search_analysis.Line) else None
    if rate is not None and not line.score.is_proven:
        return rate if found.state.to_move() == MAX else 1 - rate
    if line.score.estimate == 0:  # without looking at the scale of the evaluation
        return 0.5
    return expected_result(line.score, found.state, resolve_evaluation(found.state, found.evaluation))


#: The game, the algorithm, what the searcher is for, and its selectivity.
_Key: TypeAlias = tuple[type[State], str | None, str, bool | int | None]
_searchers: OrderedDict[_Key, Searcher] = OrderedDict()


def _searcher(key: _Key, table: str, threads: int) -> Searcher:
    """The searcher of this process for a key; its table remembers the last positions."""
    if key not in _searchers:
        while len(_searchers) >= MAX_SEARCHERS:
            _searchers.popitem(last=False)[1].close()
        from zermelo.search.default import make_searcher

        _, algorithm, _, selective = key
        size = parse_size(table)  # also of trees, which a text is not
        _searchers[key] = make_searcher(algorithm, size, threads, selective=selective)
    _searchers.move_to_end(key)
    return _searchers[key]


def warm_up() -> None:
    """Import what searches need, before the first one."""
    import zermelo.drawing.boards
    import zermelo.search.engine  # noqa: F401


# ---- one evaluation ---------------------------------------------------------------------------------------------


class ExplainRequest(PositionRequest, frozen=True):
    """A position, and the evaluation of it that is explained; by default the game's first."""

    evaluation: Annotated[str, msgspec.Meta(max_length=100)] | None = None


class Term(msgspec.Struct, frozen=True):
    """A term: its counts for MAX and MIN, the weight of one more (or a weight for each phase), its contribution.

    `squares` are those of the pieces that it counts, as row * columns + column.
    """

    name: str
    max: int | None
    min: int | None
    weights: list[int]
    points: float
    squares: list[int]


class Players(msgspec.Struct, frozen=True):
    """Names of the players."""

    max: str
    min: str


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation term by term; `phase`: parts of the first phase's weights, and of both."""

    evaluation: str
    unit: str
    players: Players
    terms: list[Term]
    phase: tuple[int, int] | None
    score: int
    share: float
    #: Who is ahead.
    text: str


def explained(source: str, request: ExplainRequest) -> Explained:
    """Explain the evaluation of a position; see `zermelo.core.explanation.explain` for errors."""
    state = GAMES.game(source, request.position, request.moves).state
    try:
        with field("evaluation"):
            resolve_evaluation(state, request.evaluation)
        if state.is_over():
            raise RequestError("the game is over; evaluations apply to unfinished games", field="moves")
        found = explain(state, request.evaluation, request.game)
        evaluation = resolve_evaluation(state, found.evaluation)
        squares = counted_squares(state, evaluation)
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, state) from None
    picture = state.picture()
    columns = picture.columns if isinstance(picture, Grid) else 0
    score = search_analysis.Score(estimate=found.score, unit=evaluation.unit_name)
    return Explained(
        evaluation=found.evaluation,
        unit=evaluation.unit_name,
        players=Players(state.player_name(MAX), state.player_name(MIN)),
        terms=[
            Term(
                term.name, term.max, term.min, list(term.weights), float(term.points),
                [row * columns + column for column, row in squares.get(term.name, ())],
            )
            for term in found.terms
        ],
        phase=found.mixture,
        score=found.score,
        share=round(expected_result(score, state, evaluation), 4) if found.score else 0.5,
        text=formatting.standing(state, found.score),
    )  # fmt: skip


@endpoint("POST", "/api/explain", request=ExplainRequest, response=Explained, summary="Explain an evaluation.")
async def explain_position(request: ExplainRequest, services: Services) -> Explained:
    """Evaluate a position term by term; nothing is searched."""
    return await services.get(Workers).rules(request.game, explained, services.source(request.game), request)


# ---- in the server ----------------------------------------------------------------------------------------------

Event = AnalysisEvent | Progress | ValuesEvent | End


class Kept:
    """The last events of recent positions, by their names."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._kept: OrderedDict[bytes, dict[str, Event]] = OrderedDict()
        self._scores = 0

    def key(self, request: AnalyseRequest) -> bytes:
        """Return what identifies the position and the options of a request, but for its limits."""
        version = _version(self._services.games[request.game])
        options = (request.evaluation, request.lines, request.exact, request.confidence, request.selective)
        parts = (request.game, version, options, request.position, request.moves)
        return hashlib.blake2b(msgspec.json.encode(parts), digest_size=16).digest()

    def find(self, key: bytes) -> dict[str, Event]:
        """Return the last events of a key."""
        return self._kept.get(key, {})

    def keep(self, key: bytes, name: str, event: Event) -> None:
        """Keep an event in place of the last one of its name."""
        found = self._kept.setdefault(key, {})
        self._kept.move_to_end(key)
        self._scores += _scores(event) - (_scores(found[name]) if name in found else 0)
        found[name] = event
        while len(self._kept) > 1 and (self._scores > MAX_KEPT_SCORES or len(self._kept) > MAX_KEPT):
            _, dropped = self._kept.popitem(last=False)
            self._scores -= sum(map(_scores, dropped.values()))


def _scores(event: Event) -> int:
    """The number of scores in an event."""
    if isinstance(event, AnalysisEvent):
        return 1 + len(event.lines)
    return len(event.moves) if isinstance(event, ValuesEvent) else 0


def _version(source: str) -> int:
    """What changes when the file of a game does."""
    path, _, _ = source.rpartition(":") if not source.endswith(".py") else (source, "", "")
    try:
        return os.stat(path).st_mtime_ns if path.endswith(".py") else 0
    except OSError:
        return 0


EVENTS = {"compiling": Compiling, "analysis": AnalysisEvent, "progress": Progress, "values": ValuesEvent, "end": End}
_NAMES = {kind: name for name, kind in EVENTS.items()}
#: Reasons of an end that no longer search changes.
_FINAL = ("exact", "game over")


@endpoint("POST", "/api/analyse", request=AnalyseRequest, events=EVENTS, summary="Analyse a position.")
async def analyse_position(request: AnalyseRequest, services: Services) -> AsyncIterator[tuple[str, Any]]:
    """Search a position until a limit is reached, the game is solved, or the client leaves."""
    source = services.source(request.game)
    limits = services.settings.limits
    kept = services.get(Kept)
    place = kept.key(request)
    known = _known(kept.find(place), request)
    for name, found in known.items():
        yield name, found
    if "end" in known:
        return
    before = known.get("analysis")
    reason = "replaced"
    key = (request.client, request.game)
    stream = services.get(Workers).stream(
        analyse, source, request, limits.search_threads, limits.search_table, key=key, client=request.client
    )
    async with aclosing(_with_progress(stream)) as events:
        async for event in events:
            name = _NAMES[type(event)]
            if isinstance(event, End):
                reason = event.reason
                continue
            if isinstance(event, AnalysisEvent):
                if isinstance(before, AnalysisEvent) and not _is_further(event, before):
                    continue
                before = None
            if not isinstance(event, Compiling | Progress):
                kept.keep(place, name, event)
            yield name, event
    end = End(reason)
    if reason in _FINAL:
        kept.keep(place, "end", end)
    yield "end", end


async def _with_progress(stream: AsyncGenerator[Any]) -> AsyncGenerator[Event | Compiling]:
    """The items of a stream; while the compiler works, an event each second says for how long."""
    text, start = "", 0.0
    following: asyncio.Future[Any] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(stream))
            await asyncio.wait((following,), timeout=COMPILING_INTERVAL if text else None)
            if following.done():
                item = following.result()
                following = None
                if isinstance(item, Note):
                    text, start = str(item), time.monotonic()
                elif not (text and isinstance(item, Progress)):  # counts do not end the work of the compiler
                    text = ""
                    yield item
                    continue
            yield Compiling(text, round(time.monotonic() - start, 1))
    except StopAsyncIteration:
        return
    finally:
        if following is not None:
            following.cancel()
            with suppress(BaseException):
                await following
        await stream.aclose()


def _known(kept: dict[str, Event], request: AnalyseRequest) -> dict[str, Event]:
    """The kept events that answer a request at once; with the end if they answer it wholly."""
    found = kept.get("analysis")
    if not isinstance(found, AnalysisEvent) or request.nodes is not None:
        return {}
    if request.depth is not None and found.depth > request.depth:
        return {}
    known: dict[str, Event] = {"analysis": msgspec.structs.replace(found, kept=True)}
    if request.values and "values" in kept:
        known["values"] = kept["values"]
    if "end" in kept and ("values" in known or not request.values):
        known["end"] = kept["end"]
    return known


def _is_further(event: AnalysisEvent, before: AnalysisEvent) -> bool:
    """Whether an event says more than an earlier one."""
    if event.score.proven or before.score.proven:
        return event.score.proven
    if event.algorithm != before.algorithm:
        return event.algorithm == "mcts"
    return event.nodes > before.nodes if event.algorithm == "mcts" else event.depth >= before.depth


ROUTES = [analyse_position, explain_position]
