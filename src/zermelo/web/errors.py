"""Errors of the API: status codes, and the JSON body `{"error": "one line", "field": "depth"}`."""

from __future__ import annotations

import logging
import os
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from zermelo._util.text import single_line
from zermelo.errors import FileError, InputError, ZermeloError

logger = logging.getLogger("zermelo.web")


class ErrorBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, in one line, and the field of the request that caused it."""

    error: str
    field: str = ""


class RequestError(ZermeloError):
    """A request that cannot be answered.

    Attributes
    ----------
    status : int
        HTTP status code, 400 to 499.
    field : str
        Name of the field of the request that is wrong, or the empty string.
    """

    def __init__(self, message: str, *, field: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.field = field
        self.status = status


def not_found(message: str, field: str = "") -> RequestError:
    """The error for something that does not exist (404)."""
    return RequestError(message, field=field, status=404)


def conflict(message: str, field: str = "") -> RequestError:
    """The error for a request that does not fit the current state, such as a move in a finished game (409)."""
    return RequestError(message, field=field, status=409)


def busy(message: str) -> RequestError:
    """The error for a request that a limit on work refuses; the same request may succeed later (429)."""
    return RequestError(message, status=429)


def report(error: BaseException) -> None:
    """Report an internal error on the server's terminal: one line, or a traceback where ZERMELO_TRACE is set."""
    if os.environ.get("ZERMELO_TRACE"):
        logger.error("internal error", exc_info=error)
        return
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    where = "".join(f" ({os.path.basename(each.filename)}:{each.lineno}, {each.name})" for each in frames)
    logger.error(
        "zermelo: internal error (please report it): %s; set ZERMELO_TRACE=1 for a traceback",
        single_line(f"{type(error).__name__}: {error}{where}"),
    )


@contextmanager
def field(name: str) -> Iterator[None]:
    """Name the field of the request that the errors of this block are about."""
    try:
        yield
    except RequestError:
        raise
    except InputError as error:
        raise RequestError(str(error), field=name) from error


def status_and_body(error: Exception) -> tuple[int, ErrorBody]:
    """Return the status code and the body of the response to an error. Internal errors reveal nothing."""
    if isinstance(error, RequestError):
        return error.status, ErrorBody(single_line(str(error)), single_line(error.field, 100))
    if isinstance(error, msgspec.ValidationError):
        return 400, _validation_error(str(error))
    if isinstance(error, msgspec.DecodeError | UnicodeDecodeError):
        return 400, ErrorBody(single_line(f"the request is not valid JSON: {error}"))
    if isinstance(error, RecursionError):
        return 400, ErrorBody("the request is nested too deeply")
    if isinstance(error, FileError):
        return 500, ErrorBody(single_line(str(error)))
    if isinstance(error, InputError):
        return 400, ErrorBody(single_line(str(error)))
    if isinstance(error, ZermeloError):
        return 422, ErrorBody(single_line(str(error)))
    return 500, ErrorBody("internal error; the server's terminal shows it")


# msgspec's messages: "Expected `int`, got `str` - at `$.depth`", "Object missing required field `game`".
_PATH = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`$")
_FIELD = re.compile(r"field `([^`]*)`")


def _validation_error(text: str) -> ErrorBody:
    where = _PATH.search(text)
    field = where[1] if where else ""
    text = _PATH.sub("", text)
    if named := _FIELD.search(text):
        field = f"{field}.{named[1]}" if field else named[1]
        problem = "is missing" if "missing" in text else "is unknown"
        return ErrorBody(single_line(f"the field {field} {problem}", 300), single_line(field, 100))
    text = text[:1].lower() + text[1:].replace("`", "")
    return ErrorBody(single_line(f"{field}: {text}" if field else text), single_line(field, 100))
