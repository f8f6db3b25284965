"""`make_app`: the Starlette application of the page and its API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from zermelo.web import (
    agent_leagues,
    analysis,
    catalogue,
    classes,
    games,
    import_game,
    leagues,
    lectures,
    openapi,
    position,
    practice,
    review,
    routing,
    set_up,
    static,
    trees,
)
from zermelo.web.errors import RequestError
from zermelo.web.safety import Safety
from zermelo.web.services import Services
from zermelo.web.settings import Settings

#: The operations of the API; each feature module has a list `ROUTES`.
OPERATIONS: list[routing.Endpoint | routing.Channel] = [
    *catalogue.ROUTES,
    *position.ROUTES,
    *analysis.ROUTES,
    *lectures.ROUTES,
    *practice.ROUTES,
    *classes.ROUTES,
    *leagues.ROUTES,
    *agent_leagues.ROUTES,
    *import_game.ROUTES,
    *set_up.ROUTES,
    *games.ROUTES,
    *trees.ROUTES,
    *review.ROUTES,
]


def make_app(settings: Settings, operations: Sequence[routing.Endpoint | routing.Channel] = OPERATIONS) -> Starlette:
    """Make the application. It has the attributes `state.services` and `state.settings`.

    Parameters
    ----------
    settings : Settings
        Settings of the server.
    operations : sequence of Endpoint or Channel
        The API; tests have their own.
    """
    services = Services(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await services.close()

    description = msgspec.json.encode(openapi.description(operations))

    async def openapi_json(request: Request) -> Response:
        return Response(description, media_type=routing.JSON)

    app = Starlette(
        routes=[
            Route("/api/openapi.json", openapi_json, methods=["GET"]),
            *routing.routes(operations, services),
            *static.routes(static.table()),
        ],
        middleware=[Middleware(Safety, settings=settings)],
        exception_handlers={405: _wrong_method},
        lifespan=lifespan,
    )
    app.state.services = services
    app.state.settings = settings
    return app


async def _wrong_method(request: Request, error: Any) -> Response:
    return routing.error_response(RequestError(f"{request.url.path} takes no {request.method}", status=405))
