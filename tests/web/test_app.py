"""The application: catalogue, description, static files, errors."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from web_client import web_client

from zermelo.web import static
from zermelo.web.errors import busy, conflict, field
from zermelo.web.routing import Request, Socket, endpoint, websocket
from zermelo.web.services import Services
from zermelo.web.settings import Limits, Settings

ROOT = Path(__file__).parents[2]


def test_the_catalogue_has_every_installed_game_with_its_title(client: Any) -> None:
    from zermelo import registry

    answer = client.get("/api/catalogue")
    assert answer.status_code == 200
    games = {game["name"]: game for game in answer.json()["games"]}
    assert list(games) == registry.names()
    assert answer.json()["broken"] == []
    for name, game in games.items():
        page = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {game['title']}\n")
    assert games["backgammon"]["chance"]
    assert games["othello"]["players"] == ["black", "white"]
    assert games["chess"]["formats"][0]["suffixes"] == [".pgn"]
    assert games["connect4"]["has_picture"]
    assert not games["kuhn"]["has_picture"]
    assert not games["kuhn"]["perfect_information"]


def test_a_game_that_does_not_load_hides_no_other(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0\n")
    with web_client(Settings(games={"mine": str(broken), "tictactoe": "tictactoe"})) as client:
        answer = client.get("/api/catalogue").json()
    assert [game["name"] for game in answer["games"]] == ["tictactoe"]
    assert [game["name"] for game in answer["broken"]] == ["mine"]
    assert "ZeroDivisionError" in answer["broken"][0]["error"]


def test_only_games_of_the_command_line_are_loaded(tmp_path: Path) -> None:
    """A name in a request is never a path."""
    from zermelo.web.errors import RequestError

    services = Services(Settings())
    for name in ("../nim.py", str(ROOT / "tests" / "support" / "nim.py"), "nim.py:Nim", "", "Othello"):
        with pytest.raises(RequestError) as refused:
            services.game(name)
        assert refused.value.field == "game"
        assert "unknown game" in str(refused.value)
    assert services.game("othello").__name__ == "Othello"


def test_every_operation_is_described(client: Any) -> None:
    from zermelo.web.app import OPERATIONS
    from zermelo.web.routing import Endpoint

    description = client.get("/api/openapi.json").json()
    described = {(method.upper(), path) for path, methods in description["paths"].items() for method in methods}
    assert described == {(each.method, each.path) for each in OPERATIONS if isinstance(each, Endpoint)}
    assert set(description["x-websockets"]) == {each.path for each in OPERATIONS if not isinstance(each, Endpoint)}
    references = re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(description))
    assert set(references) <= set(description["components"]["schemas"])
    for path, methods in description["paths"].items():
        for operation in methods.values():
            assert operation["summary"].endswith("."), path


def test_every_file_of_the_page_is_served_with_its_type(client: Any) -> None:
    files = static.table()
    assert {"/", "/api/docs", "/scripts/api_docs.js", "/scripts/teaching/dom.js"} <= set(files)
    for url, path in files.items():
        answer = client.get(url)
        assert answer.status_code == 200, url
        assert answer.headers["content-type"] == static.TYPES[path.suffix]
        assert answer.content == static.served(path)
        again = client.get(url, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_no_page_has_inline_scripts_styles_or_handlers() -> None:
    """The Content-Security-Policy would block them."""
    for url, path in static.table().items():
        if path.suffix == ".html":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?://", text), url


@pytest.mark.long
def test_the_server_loads_no_compiler() -> None:
    """Only its worker processes do: it starts in a second and stays small."""
    code = "import sys, zermelo.web.server; print([m for m in ('numba', 'scipy', 'matplotlib') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8").stdout == "[]\n"


# ---- requests and errors ----------------------------------------------------------------------------------------


class Numbers(Request, frozen=True):
    first: Annotated[int, msgspec.Meta(le=1_000_000)]
    second: int = 1
    names: list[str] = []


class Item(Request, frozen=True):
    id: str
    count: int = 0


@endpoint("POST", "/api/test/add", request=Numbers, response=int, summary="Add.")
async def add(request: Numbers, services: Services) -> int:
    return request.first + request.second


@endpoint("POST", "/api/test/divide", request=Numbers, response=int, summary="Divide.")
def divide(request: Numbers, services: Services) -> int:
    if request.second == 2:
        raise conflict("the two numbers do not match")
    if request.second == 3:
        raise busy("too many divisions")
    if request.second == 4:
        with field("second"):
            from zermelo.errors import LimitError

            raise LimitError("second must not be 4")
    return request.first // request.second


@endpoint("GET", "/api/test/items/{id}", request=Item, response=dict[str, int], summary="Read.")
async def read(request: Item, services: Services) -> dict[str, int]:
    return {request.id: request.count}


@endpoint("POST", "/api/test/items/{id}/change", request=Item, response=dict[str, int], summary="Change.")
async def change(request: Item, services: Services) -> dict[str, int]:
    return {request.id: request.count}


@endpoint("POST", "/api/test/count", request=Numbers, events={"number": int, "end": None}, summary="Count.")
async def count(request: Numbers, services: Services) -> AsyncIterator[tuple[str, Any]]:
    if request.second == 0:
        raise conflict("nothing to count")
    for number in range(request.first):
        if number == 3:
            raise conflict("three is too many")
        yield "number", number
    yield "end", None


@websocket("/api/test/echo/{id}", request=Item, receives=Numbers, sends=int, summary="Echo.")
async def echo(request: Item, services: Services, socket: Socket) -> None:
    async for message in socket:
        await socket.send(message.first + request.count)


OPERATIONS = [add, divide, read, change, count, echo]


@pytest.fixture
def tested() -> Any:
    with web_client(Settings(limits=Limits(body=2000, message=200)), OPERATIONS) as client:
        yield client


@pytest.mark.parametrize(
    ("body", "field", "problem"),
    [
        ({}, "first", "the field first is missing"),
        ({"first": "1"}, "first", "first: expected int, got str"),
        ({"first": 1, "names": ["a", 2]}, "names[1]", "names[1]: expected str, got int"),
        ({"first": 1, "third": 2}, "third", "the field third is unknown"),
        ({"first": 10**30}, "first", "first: expected int <= 1000000"),
        ([1], "", "the request must be a JSON object"),
    ],
)
def test_a_wrong_field_is_named(tested: Any, body: Any, field: str, problem: str) -> None:
    answer = tested.post("/api/test/add", json=body)
    assert answer.status_code == 400
    assert answer.json().get("field", "") == field
    assert answer.json()["error"].startswith(problem)


@pytest.mark.parametrize(
    "body", [b"{", b'"\xff"', b"[" * 1900, b'{"first": NaN}', b'{"first": 1, "names": ["\\ud800"]}']
)
def test_what_is_not_json_is_refused(tested: Any, body: bytes) -> None:
    answer = tested.post("/api/test/add", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}
    assert "\n" not in answer.json()["error"]


def test_answers_and_errors_of_functions(tested: Any) -> None:
    assert tested.post("/api/test/add", json={"first": 2, "second": 3}).json() == 5
    assert tested.post("/api/test/divide", json={"first": 8}).json() == 8
    for second, status in ((2, 409), (3, 429), (4, 400)):
        assert tested.post("/api/test/divide", json={"first": 8, "second": second}).status_code == status
    answer = tested.post("/api/test/divide", json={"first": 8, "second": 4}).json()
    assert answer == {"error": "second must not be 4", "field": "second"}


def test_an_internal_error_reveals_nothing(
    tested: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = tested.post("/api/test/divide", json={"first": 8, "second": 0})
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal error; the server's terminal shows it"}
    [line] = caplog.messages
    assert line.startswith("zermelo: internal error (please report it): ZeroDivisionError: ")
    assert "test_app.py:" in line
    caplog.clear()
    monkeypatch.setenv("ZERMELO_TRACE", "1")
    tested.post("/api/test/divide", json={"first": 8, "second": 0})
    assert "Traceback" in caplog.text


def test_parameters_of_path_and_query(tested: Any) -> None:
    assert tested.get("/api/test/items/a%20b?count=3").json() == {"a b": 3}
    assert tested.get("/api/test/items/a?count=x").json()["field"] == "count"
    assert tested.get("/api/test/items/a?count=1&count=2").json()["field"] == "count"
    assert tested.get("/api/test/items/a?id=b").json()["field"] == "id"
    assert tested.post("/api/test/items/a/change", json={"count": 2}).json() == {"a": 2}
    assert tested.post("/api/test/items/a/change", json={"id": "b"}).json()["field"] == "id"


def test_a_body_over_the_limit_is_refused(tested: Any) -> None:
    answer = tested.post("/api/test/add", json={"first": 1, "names": ["x" * 2000]})
    assert answer.status_code == 413
    assert "2,000 bytes" in answer.json()["error"]

    def parts() -> Any:
        for _ in range(300):
            yield b" " * 10

    answer = tested.post("/api/test/add", content=parts(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def events(text: str) -> list[tuple[str, Any]]:
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


def test_events(tested: Any) -> None:
    answer = tested.post("/api/test/count", json={"first": 2})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert events(answer.text) == [("number", 0), ("number", 1), ("end", None)]
    early = tested.post("/api/test/count", json={"first": 2, "second": 0})
    assert (early.status_code, early.json()) == (409, {"error": "nothing to count"})
    late = tested.post("/api/test/count", json={"first": 9})
    assert events(late.text)[-1] == ("error", {"error": "three is too many"})


def test_a_websocket_checks_its_messages(tested: Any) -> None:
    with tested.websocket_connect("/api/test/echo/a?count=5") as socket:
        socket.send_text('{"first": 1}')
        assert socket.receive_json() == 6
        socket.send_text('{"first": "1"}')
        assert socket.receive_json() == {"error": "first: expected int, got str", "field": "first"}
        socket.send_text("{")
        assert "JSON" in socket.receive_json()["error"]
        socket.send_text('{"first": 2}')
        assert socket.receive_json() == 7
        socket.send_text('{"first": 2, "names": ["' + "x" * 200 + '"]}')
        assert socket.receive()["code"] == 1009


def test_a_wrong_parameter_of_a_websocket_is_named(tested: Any) -> None:
    with tested.websocket_connect("/api/test/echo/a?count=x") as socket:
        assert socket.receive_json()["field"] == "count"
        assert socket.receive()["code"] == 1008


def test_a_thread_that_never_ends_leaves_the_others(tmp_path: Path) -> None:
    """More calls than threads and places in the queue are refused; each later one is answered."""
    import threading

    release = threading.Event()

    @endpoint("POST", "/api/test/wait", response=int, summary="Wait.")
    def wait(request: Any, services: Services) -> int:
        return int(release.wait(20))

    limits = Limits(threads=1, waiting=1)
    with web_client(Settings(limits=limits), [wait, add]) as client:
        answers: list[int] = []
        waiting = [threading.Thread(target=lambda: answers.append(client.post("/api/test/wait", json={}).status_code))]
        waiting += [threading.Thread(target=lambda: answers.append(client.post("/api/test/wait", json={}).status_code))]
        for each in waiting:
            each.start()
        services = client.app.state.services
        while services._in_threads < 2:
            pass
        assert client.post("/api/test/wait", json={}).status_code == 429
        assert client.post("/api/test/add", json={"first": 1}).json() == 2
        release.set()
        for each in waiting:
            each.join()
        assert answers == [200, 200]


# ---- documentation ----------------------------------------------------------------------------------------------


@pytest.fixture
def built_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    script = "<script>document.title += '!'</script>"
    (docs / "index.html").write_text(f"<html><title>D</title>{script}<script src=x.js></script></html>")
    monkeypatch.setattr(static, "_DOCS", (docs, docs))
    return docs


def test_the_documentation_has_a_policy_of_its_own(built_docs: Path, client: Any) -> None:
    answer = client.get("/docs")
    assert str(answer.url).endswith("/docs/")
    digest = base64.b64encode(hashlib.sha256(b"document.title += '!'").digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert "frame-ancestors 'self'" in policy
    assert "unsafe" not in client.get("/").headers["content-security-policy"]


def test_without_documentation_a_page_says_so(client: Any) -> None:
    assert "make docs" in client.get("/docs/").text
    assert client.get("/docs/index.html").status_code == 404
