"""The lectures: their worked examples, computed when the page asks, and the commands that cover their slides.

A command is named by lecture, row and number, never by its text: only those of `zermelo.teaching.lectures.slides` run.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from zermelo.teaching.lectures import cases as worked
from zermelo.teaching.lectures.cases import Case, Lecture
from zermelo.teaching.lectures.comparison_text import (
    agreeing_conventions,
    as_text,
    name_of,
    verdict_of,
    worth_showing,
)
from zermelo.teaching.lectures.running import run
from zermelo.teaching.lectures.slides import NUMBERS, numbering, rows_of, slides
from zermelo.teaching.tree.trace import trace
from zermelo.web.drawings import page_svg
from zermelo.web.errors import RequestError, busy, not_found
from zermelo.web.routing import NoRequest, Request, endpoint
from zermelo.web.services import Services
from zermelo.web.static import documentation

#: Commands that run at once, and that wait; seconds and characters of one command's output.
PROCESSES, WAITING, SECONDS, MAX_OUTPUT = 2, 8, 60.0, 200_000
#: Width of the output in characters; a phone scrolls it.
COLUMNS = 100


class LectureName(msgspec.Struct, frozen=True):
    """A lecture, or what concerns all of them (`all`, which has no slides)."""

    number: str
    title: str
    course: str
    by: str
    slides: int
    cases: int


class Lectures(msgspec.Struct, frozen=True):
    """The lectures in order."""

    lectures: list[LectureName]


class LecturePath(Request, frozen=True):
    """A lecture by its number."""

    number: str


class CaseData(msgspec.Struct, frozen=True):
    """A worked example."""

    id: str
    title: str
    slides: str
    about: str
    confidence: str
    doubt: str
    #: The lecture's way of searching, for trees.
    convention: str
    #: What the published slides lack.
    missing: str
    has_tree: bool
    remarks: list[str]


class SlideRow(msgspec.Struct, frozen=True):
    """Consecutive slides of one topic, and what covers them."""

    slides: str
    topic: str
    #: covered, lost or no content.
    status: str
    reason: str
    cases: list[str]
    #: Titles of the cases.
    titles: list[str]
    #: Pages of the documentation, such as `lectures/000.html#cutoffs`; empty if it is not included.
    pages: list[str]
    commands: list[str]


class LectureData(msgspec.Struct, frozen=True):
    """A lecture with its worked examples and its slides."""

    lecture: LectureName
    #: The page of the documentation, below `/docs/`; empty if the documentation is not included.
    page: str
    numbering: str
    cases: list[CaseData]
    rows: list[SlideRow]


class CasePath(Request, frozen=True):
    """A worked example by its id."""

    id: str


class Comparison(msgspec.Struct, frozen=True):
    """What the slide shows and what is computed, as text."""

    what: str
    expected: str
    found: str
    #: agrees, differs, misprint (a known error on the slide, confirmed) or skipped.
    status: str
    verdict: str


class OutcomeData(msgspec.Struct, frozen=True):
    """A worked example, computed."""

    id: str
    status: str
    comparisons: list[Comparison]
    #: Comparisons under other conventions that all agree: convention, number.
    others: dict[str, int]
    #: SVG of the searched tree.
    picture: str


class CommandPath(Request, frozen=True):
    """A command of a lecture: its row of slides, and its number there, both from 0."""

    number: str
    row: Annotated[int, Meta(ge=0)]
    command: Annotated[int, Meta(ge=0)] = 0


class Output(msgspec.Struct, frozen=True):
    """Some of a command's output."""

    text: str


class Ended(msgspec.Struct, frozen=True):
    """The end of a command: its exit code, and why it was stopped, if it was."""

    code: int
    reason: str = ""


@endpoint("GET", "/api/lectures", response=Lectures, summary="List the lectures.")
def lecture_list(request: NoRequest, services: Services) -> Lectures:
    """List the lectures."""
    return Lectures([_name(lecture) for lecture in worked.lectures()])


@endpoint("GET", "/api/lectures/{number}", request=LecturePath, response=LectureData, summary="Describe a lecture.")
def lecture_page(request: LecturePath, services: Services) -> LectureData:
    """Describe a lecture: its worked examples and its slides. Nothing is computed."""
    lecture = _lecture(request.number)
    number, has_docs = lecture.number, documentation() is not None
    rows = rows_of(slides(number)) if number in NUMBERS else ()
    titles = {case.id: case.title for case in (*worked.cases(), *worked.analyses())}
    return LectureData(
        lecture=_name(lecture),
        page=f"lectures/{number if number in NUMBERS else 'index'}.html" if has_docs else "",
        numbering=numbering(number) if number in NUMBERS else "",
        cases=[_case(case) for case in _cases(number)],
        rows=[
            SlideRow(
                slides=text,
                topic=first.topic,
                status=first.status,
                reason=first.reason,
                cases=list(first.cases),
                titles=[titles.get(id, id) for id in first.cases],
                pages=[page.replace(".md", ".html") for page in first.pages] if has_docs else [],
                commands=list(first.commands),
            )
            for text, first in rows
        ],
    )


@endpoint(
    "GET",
    "/api/lectures/cases/{id}",
    request=CasePath,
    response=OutcomeData,
    summary="Compute a worked example and compare it with the slides.",
)
def lecture_case(request: CasePath, services: Services) -> OutcomeData:
    """Compute a worked example and compare it with the slides."""
    case = next((each for each in (*worked.cases(), *worked.analyses()) if each.id == request.id), None)
    if case is None:
        raise not_found(f"no worked example of the lectures: {request.id[:60]!r}", "id")
    outcome = run(case)
    return OutcomeData(
        id=case.id,
        status=outcome.status,
        comparisons=[
            Comparison(name_of(check), as_text(check.expected), as_text(check.found), check.status, verdict_of(check))
            for check in worth_showing(outcome)
        ],
        others=agreeing_conventions(outcome),
        picture=_picture(case) if case.has_tree else "",
    )


@endpoint(
    "POST",
    "/api/lectures/{number}/run",
    request=CommandPath,
    events={"output": Output, "end": Ended},
    summary="Run a command that covers some slides.",
)
async def lecture_command(request: CommandPath, services: Services) -> AsyncIterator[tuple[str, Any]]:
    """Run a command of the slides in a process of its own, which ends when the client leaves."""
    arguments = _arguments(request.number, request.row, request.command)
    async with services.get(_Commands).place():
        async for event in _run(arguments):
            yield event


class _Commands:
    """Places for running commands."""

    def __init__(self, services: Services) -> None:
        self._places = asyncio.Semaphore(PROCESSES)
        self._present = 0

    def place(self) -> _Commands:
        return self

    async def __aenter__(self) -> None:
        if self._present >= PROCESSES + WAITING:
            raise busy("too many commands are running; try again")
        self._present += 1
        try:
            await self._places.acquire()
        except BaseException:
            self._present -= 1
            raise

    async def __aexit__(self, *error: object) -> None:
        self._present -= 1
        self._places.release()


def _arguments(lecture: str, row: int, command: int) -> list[str]:
    """The arguments of a command of the slides. Raises `RequestError` if there is no such command."""
    number = _lecture(lecture).number
    rows = list(rows_of(slides(number))) if number in NUMBERS else []
    if row >= len(rows):
        raise RequestError(f"row: lecture {number} has {len(rows)} rows of slides", field="row")
    commands = rows[row][1].commands
    if command >= len(commands):
        raise RequestError(f"command: the row has {len(commands)} commands", field="command")
    return shlex.split(commands[command])[1:]


async def _run(arguments: list[str]) -> AsyncIterator[tuple[str, Any]]:
    """Run `zermelo` with arguments, and yield its output, errors included, as it comes."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "zermelo",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=os.environ | {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    now = asyncio.get_running_loop().time
    size, reason, end = 0, "", now() + SECONDS
    try:
        # The time limit is that of each wait: each step of a generator may run in a task of its own.
        while not reason and (text := await asyncio.wait_for(process.stdout.readline(), end - now())):
            size += len(text)
            reason = f"stopped: more than {MAX_OUTPUT:,} characters" if size > MAX_OUTPUT else ""
            yield "output", Output(text.decode(errors="replace"))
        if not reason:
            await asyncio.wait_for(process.wait(), end - now())
    except TimeoutError:
        reason = f"stopped after {SECONDS:g} seconds"
    except ValueError:
        reason = "stopped: a line is too long"
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    yield "end", Ended(process.returncode or 0, reason)


# ---- the lectures' data -----------------------------------------------------------------------------------------


def _lecture(number: str) -> Lecture:
    for lecture in worked.lectures():
        if lecture.number == number:
            return lecture
    raise not_found(f"no lecture {number[:40]!r}; the lectures are {', '.join(worked.LECTURES)}", "number")


def _cases(number: str) -> list[Case]:
    return [case for case in (*worked.cases(), *worked.analyses()) if case.lecture == number]


def _name(lecture: Lecture) -> LectureName:
    number = lecture.number
    count = len(slides(number)) if number in NUMBERS else 0
    return LectureName(number, lecture.title, lecture.course, lecture.by, count, len(_cases(number)))


def _case(case: Case) -> CaseData:
    return CaseData(
        id=case.id,
        title=case.title,
        slides=case.slides,
        about=case.about,
        confidence=case.confidence,
        doubt=case.doubt,
        convention=case.convention,
        missing=case.missing,
        has_tree=case.has_tree,
        remarks=[f"Misprint, {each}" for each in case.misprints] + [f"Convention, {each}" for each in case.conventions],
    )


def _picture(case: Case) -> str:
    return page_svg(trace(case.tree, case.convention), f"{case.id}-", legend=False)


ROUTES = [lecture_list, lecture_page, lecture_case, lecture_command]
