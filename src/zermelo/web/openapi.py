"""The OpenAPI description of the API, made from its endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from zermelo import __version__
from zermelo.web.errors import ErrorBody
from zermelo.web.routing import JSON, Channel, Endpoint

_REF = "#/components/schemas/{name}"
#: Errors of all endpoints, and those of endpoints with a body.
_ERRORS = {400: "A field is wrong.", 403: "Not allowed.", 404: "Not found.", 409: "Conflict.", 429: "Busy."}
_BODY_ERRORS = {408: "Too slow.", 413: "Too large.", 415: "Not JSON.", 422: "The game or the search failed."}


def description(operations: Sequence[Endpoint | Channel]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description. WebSockets, which OpenAPI lacks, are listed as `x-websockets`."""
    types = _Types(operations)
    paths: dict[str, dict[str, Any]] = {}
    sockets: dict[str, Any] = {}
    for operation in operations:
        if isinstance(operation, Endpoint):
            paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, types)
        else:
            sockets[operation.path] = {
                "summary": operation.summary,
                "parameters": types.parameters(operation.request, operation.path),
                "receives": types.schema(operation.receives),
                "sends": types.schema(operation.sends),
            }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Zermelo", "version": __version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "x-websockets": sockets,
        "components": {"schemas": types.components},
    }


def _operation(operation: Endpoint, types: _Types) -> dict[str, Any]:
    result: dict[str, Any] = {
        "operationId": operation.function.__name__,
        "tags": [operation.function.__module__.rpartition(".")[2]],
        "summary": operation.summary,
        "parameters": types.parameters(operation.request, operation.path, operation.method == "POST"),
        "responses": {},
    }
    if operation.method == "POST":
        result["requestBody"] = {"required": True, "content": {JSON: {"schema": types.body(operation)}}}
    if operation.events:
        events = {name: types.schema(kind) for name, kind in operation.events.items()}
        success = {"description": "Server-Sent Events.", "content": {"text/event-stream": {"x-events": events}}}
        result["responses"]["200"] = success
    elif operation.response is None:
        result["responses"]["204"] = {"description": HTTPStatus.NO_CONTENT.phrase}
    else:
        content = {JSON: {"schema": types.schema(operation.response)}}
        result["responses"]["200"] = {"description": "The result.", "content": content}
    error = {JSON: {"schema": types.schema(ErrorBody)}}
    for status, text in {**_ERRORS, **_BODY_ERRORS}.items():
        result["responses"][str(status)] = {"description": text, "content": error}
    return result


class _Types:
    """JSON schemas of the types of operations."""

    def __init__(self, operations: Sequence[Endpoint | Channel]) -> None:
        kinds: dict[Any, None] = {ErrorBody: None}
        for operation in operations:
            kinds[operation.request] = None
            if isinstance(operation, Endpoint):
                kinds.update(dict.fromkeys((operation.response, *operation.events.values())))
            else:
                kinds.update(dict.fromkeys((operation.receives, operation.sends)))
        self._kinds = [kind for kind in kinds if kind is not None]
        schemas, self.components = msgspec.json.schema_components(self._kinds, ref_template=_REF)
        self._schemas = dict(zip(self._kinds, schemas, strict=True))

    def schema(self, kind: Any) -> dict[str, Any] | None:
        return None if kind is None else self._schemas[kind]

    def _fields(self, kind: Any) -> dict[str, Any]:
        """The resolved schema of a request."""
        schema = self._schemas[kind]
        return dict(self.components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema)

    def parameters(self, kind: Any, path: str, only_path: bool = False) -> list[dict[str, Any]]:
        """The parameters of the path and of the query."""
        schema = self._fields(kind)
        required = schema.get("required", ())
        return [
            {
                "name": name,
                "in": "path" if f"{{{name}}}" in path else "query",
                "required": f"{{{name}}}" in path or name in required,
                "schema": each,
            }
            for name, each in schema.get("properties", {}).items()
            if f"{{{name}}}" in path or not only_path
        ]

    def body(self, operation: Endpoint) -> dict[str, Any]:
        """The schema of a body: the request without the fields of the path."""
        if not operation.path_fields:
            return dict(self._schemas[operation.request])
        schema = self._fields(operation.request)
        schema["properties"] = {
            name: each for name, each in schema.get("properties", {}).items() if name not in operation.path_fields
        }
        schema["required"] = [name for name in schema.get("required", ()) if name not in operation.path_fields]
        return schema
