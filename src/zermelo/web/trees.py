"""The search tree of a position, step by step: `POST /api/trees`, its sentences, its boards, its page of one file.

Trees are built in the worker processes of the searches (`zermelo.web.tree_searches`), which keep the latest ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from zermelo.web import tree_searches
from zermelo.web.errors import RequestError, field
from zermelo.web.position import GridPicture, PointsPicture, TextPicture
from zermelo.web.routing import NoRequest, Request, endpoint
from zermelo.web.searches import Note, Workers
from zermelo.web.services import Services
from zermelo.web.tree_searches import Query

if TYPE_CHECKING:
    from zermelo.teaching.lectures.cases import Case

#: Seconds that a request may take.
SECONDS = 120.0
#: Most nodes whose boards one request asks for.
MAX_BOARDS = 200

#: Names of the orders in the API, and of `zermelo.teaching.tree.move_orders`.
ORDERS = {
    "given": "as given",
    "evaluation": "by evaluation",
    "move-score": "by move score",
    "best": "best first",
    "worst": "worst first",
}

Index = Annotated[int, Meta(ge=0, le=10_000_000)]


class TreeRequest(Request, frozen=True, kw_only=True):
    """A search of a tree: the tree of a game's position, or a tree as text."""

    #: Game, position ("" is the start) and moves.
    game: Annotated[str, Meta(max_length=200)] = ""
    position: Annotated[str, Meta(max_length=20_000)] = ""
    moves: Annotated[list[Annotated[str, Meta(max_length=200)]], Meta(max_length=2_000)] = []
    #: A tree as brackets or JSON, or the name of a lecture's tree, without a game.
    tree: Annotated[str, Meta(max_length=60_000)] = ""
    #: Depth of a game's tree in plies.
    depth: Annotated[int, Meta(ge=0, le=60)] = 2
    #: Evaluation of a game's leaves by name; empty: the game's first.
    evaluation: Annotated[str, Meta(max_length=200)] = ""
    #: "mcts", or words of `zermelo tree trace --convention`.
    algorithm: Annotated[str, Meta(max_length=1_000)] = "alphabeta"
    order: Literal["given", "evaluation", "move-score", "best", "worst"] = "given"
    #: Of Monte Carlo tree search.
    simulations: Annotated[int, Meta(ge=1, le=2_000)] = 50
    seed: Annotated[int, Meta(ge=0, le=4_000_000_000)] = 0


class SentencesRequest(TreeRequest, frozen=True, kw_only=True):
    """Some steps of a search."""

    first: Index = 0
    count: Annotated[int, Meta(ge=1, le=1_000)] = 200


class BoardsRequest(TreeRequest, frozen=True, kw_only=True):
    """Some nodes of a search's tree."""

    nodes: Annotated[list[Index], Meta(max_length=MAX_BOARDS)] = []


class Progress(msgspec.Struct, frozen=True):
    """What the server does at present."""

    text: str


class Nodes(msgspec.Struct, frozen=True):
    """Nodes in preorder. `name`, `arc`, `value` and the values of `same` are numbers of texts."""

    parent: list[int]
    #: 1 for MAX, -1 for MIN, 0 for chance, 2 for a leaf.
    player: list[int]
    name: list[int]
    arc: list[int]
    value: list[int]
    same: dict[int, int]


class TreeCut(msgspec.Struct, frozen=True):
    """A cutoff: the number of its step, the names of the pruned nodes, the reason."""

    step: int
    pruned: str
    reason: str


class SearchedTree(msgspec.Struct, frozen=True):
    """A tree and the result of its search. `line` is the principal variation."""

    name: str
    algorithm: str
    hasWindows: bool
    hasBoards: bool
    nodes: Nodes
    line: list[int]
    code: list[str]
    cuts: list[TreeCut]
    value: str
    best: str
    outcome: str
    visited: int
    visits: int
    leaves: int
    evaluated: int
    steps: int
    texts: list[str]


class Rest(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rare keys of a step; docs/stepping.md describes them."""

    skipped: list[int] = []
    cut: int | None = None
    clears: tuple[int, int] | None = None


class ChildBound(msgspec.Struct, frozen=True):
    """A child that a selection compares, with `mean + bonus` as its upper confidence bound."""

    node: int
    visits: int
    mean: float
    bonus: float


class TreeSteps(msgspec.Struct, frozen=True):
    """Steps of a search in columns. New texts and kinds follow those of earlier events; -1 is no change."""

    kind: list[int]
    node: list[int]
    window: list[int]
    value: list[int]
    line: list[int]
    rest: dict[int, Rest]
    kinds: list[str]
    texts: list[str]
    #: The sentence of each step; empty for a long search.
    sentences: list[str]
    bounds: dict[int, list[ChildBound]]


class End(msgspec.Struct, frozen=True):
    """The number of steps."""

    steps: int


class Sentences(msgspec.Struct, frozen=True):
    """Sentences of the steps from `first` on."""

    first: int
    sentences: list[str]


class Boards(msgspec.Struct, frozen=True):
    """Pictures of positions by node."""

    boards: dict[int, GridPicture | PointsPicture | TextPicture]


class Page(msgspec.Struct, frozen=True):
    """A page of one file."""

    html: str


def query_of(request: TreeRequest, services: Services) -> tuple[str, Query]:
    """The source of the game and the query of a request.

    Raises
    ------
    RequestError
        If there is no tree, or both a game and a tree.
    """
    if bool(request.game) == bool(request.tree.strip()):
        problem = "give a game or a tree, not both" if request.game else "give a game or a tree"
        raise RequestError(problem, field="tree")
    source = ""
    if request.game:
        services.game(request.game)  # refuses an unknown name
        source = services.games[request.game]
    elif request.position or request.moves:
        raise RequestError("a tree has no position and no moves", field="position")
    return source, Query(
        tree=request.tree.strip(),
        position=request.position.strip(),
        moves=tuple(request.moves),
        depth=request.depth,
        evaluation=request.evaluation.strip(),
        algorithm=" ".join(request.algorithm.split()) or "alphabeta",
        order=ORDERS[request.order],
        simulations=request.simulations,
        seed=request.seed,
    )


@endpoint(
    "POST",
    "/api/trees",
    request=TreeRequest,
    events={"progress": Progress, "tree": SearchedTree, "steps": TreeSteps, "end": End},
    summary="Search a tree, step by step.",
)
async def trees(request: TreeRequest, services: Services) -> AsyncIterator[tuple[str, Any]]:
    """Search a tree; the tree first, then its steps."""
    source, query = query_of(request, services)
    events = services.get(Workers).stream(tree_searches.search, source, query, key=_tree_key(source, query))
    deadline = asyncio.get_running_loop().time() + SECONDS
    async with aclosing(events):
        while True:
            # A timeout ends the task that entered it, and each item of a generator may be awaited by another one.
            with _limited():
                async with asyncio.timeout_at(deadline):
                    event = await anext(events, None)
            if event is None:
                return
            if not isinstance(event, Note):
                name, data = event
                yield name, msgspec.Raw(data)


@endpoint("POST", "/api/trees/sentences", request=SentencesRequest, response=Sentences, summary="Describe steps.")
async def sentences(request: SentencesRequest, services: Services) -> Any:
    """Describe some steps of a search as sentences."""
    return await _single(tree_searches.sentences, request, services, request.first, request.count)


@endpoint("POST", "/api/trees/boards", request=BoardsRequest, response=Boards, summary="Draw nodes of a tree.")
async def boards(request: BoardsRequest, services: Services) -> Any:
    """The boards of some nodes of a game's tree."""
    return await _single(tree_searches.boards, request, services, list(request.nodes))


@endpoint("POST", "/api/trees/page", request=TreeRequest, response=Page, summary="Make a page of one file.")
async def page(request: TreeRequest, services: Services) -> Any:
    """Make the page of one file that steps through a search, as `zermelo tree draw -o FILE.html` does."""
    return await _single(tree_searches.page, request, services)


class LectureTree(msgspec.Struct, frozen=True):
    """A tree of a lecture: its name in `TreeRequest.tree`, and its text."""

    name: str
    lecture: str
    title: str
    slides: str
    tree: str
    #: How the lecture searches it; empty: minimax.
    algorithm: str


class LectureTrees(msgspec.Struct, frozen=True):
    """The trees of the lectures."""

    trees: list[LectureTree]


def _text(case: Case) -> str:
    """The tree of a case as text, with the names of its nodes."""
    tree = case.data["tree"]
    return tree if isinstance(tree, str) else msgspec.json.encode(tree).decode()


class ConventionRequest(Request, frozen=True, kw_only=True):
    """A convention as words."""

    #: Words of `zermelo tree trace --convention`.
    algorithm: Annotated[str, Meta(max_length=1_000)] = ""


class ConventionData(msgspec.Struct, frozen=True):
    """The choices of a convention; words that are not given have their defaults."""

    algorithm: str
    variant: str
    cut: str
    show: str
    enhancements: tuple[str, ...]


@endpoint(
    "GET",
    "/api/trees/convention",
    request=ConventionRequest,
    response=ConventionData,
    summary="Read the words of a convention.",
)
def convention(request: ConventionRequest, services: Services) -> ConventionData:
    """Read the words of a convention."""
    from zermelo.teaching.tree.convention import Convention

    with field("algorithm"):
        read = Convention.of(request.algorithm)
    return ConventionData(read.algorithm, read.variant, read.cut, read.show, read.enhancements)


@endpoint("GET", "/api/trees/lectures", response=LectureTrees, summary="List the trees of the lectures.")
def lectures(request: NoRequest, services: Services) -> LectureTrees:
    """List the trees of the lectures, in their order."""
    from zermelo.teaching.lectures.cases import cases

    return LectureTrees(
        [
            LectureTree(case.id, case.lecture, case.title, case.slides, _text(case), case.convention)
            for case in cases()
            if case.has_tree
        ]
    )


ROUTES = [trees, sentences, boards, page, convention, lectures]


async def _single(function: Callable[..., bytes], request: TreeRequest, services: Services, *arguments: Any) -> Any:
    """The answer of a function of `tree_searches`."""
    source, query = query_of(request, services)
    with _limited():
        async with asyncio.timeout(SECONDS):
            key = _tree_key(source, query)
            return msgspec.Raw(await services.get(Workers).search(function, source, query, *arguments, key=key))


@contextmanager
def _limited() -> Iterator[None]:
    """Refuse a request that takes too long."""
    try:
        yield
    except TimeoutError:
        raise RequestError(f"the tree took more than {SECONDS:g} seconds; use a smaller depth", status=422) from None


def _tree_key(source: str, query: Query) -> tuple[str, Query]:
    """The source and the query without what does not change its tree."""
    return source, msgspec.structs.replace(query, algorithm="", simulations=0, seed=0)
