"""The lectures: their cases as the command computes them, and the commands of their slides."""

import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from zermelo.teaching.lectures.cases import LECTURES, cases
from zermelo.teaching.lectures.slides import slides
from zermelo.web import lectures


def test_every_case_and_every_slide_is_on_a_page(client):
    found = client.get("/api/lectures").json()["lectures"]
    assert [each["number"] for each in found] == list(LECTURES)
    assert sum(each["slides"] for each in found) == len(slides())
    shown = [case["id"] for number in LECTURES for case in client.get(f"/api/lectures/{number}").json()["cases"]]
    assert {case.id for case in cases()} <= set(shown)
    titles = {case.id: case.title for case in cases()}
    for row in client.get("/api/lectures/000").json()["rows"]:
        assert [titles.get(id, title) for id, title in zip(row["cases"], row["titles"], strict=True)] == row["titles"]
        assert not set(row["titles"]) & set(row["cases"])
    page = client.get("/api/lectures/002").json()
    assert page["page"] in ("lectures/002.html", "")  # without a page if the documentation is not built
    assert any(row["commands"] == ["zermelo tree trace skrentny"] for row in page["rows"])


def test_a_case_is_computed(client, zermelo):
    expected = zermelo("lectures", "skrentny", "--json").json
    found = client.get("/api/lectures/cases/skrentny_tree").json()
    assert found["status"] == expected["status"] == "agrees"
    assert found["comparisons"][1] == {
        "what": "value, equal fail-hard", "expected": "3", "found": "3", "status": "agrees", "verdict": "agrees",
    }  # fmt: skip
    assert found["picture"].startswith("<svg")
    assert client.get("/api/lectures/cases/skrentny").status_code == 404


def events(client, number, row, command=0):
    with client.stream("POST", f"/api/lectures/{number}/run", json={"row": row, "command": command}) as response:
        return response.status_code, response.read().decode()


@pytest.mark.long
def test_a_command_of_a_slide_runs(client):
    rows = client.get("/api/lectures/002").json()["rows"]
    row = next(place for place, each in enumerate(rows) if each["commands"] == ["zermelo tree trace skrentny"])
    status, text = events(client, "002", row)
    assert status == 200
    assert "cut on equality" in text
    assert text.rstrip().endswith('data: {"code":0,"reason":""}')


@pytest.mark.parametrize(
    ("number", "row", "command", "status", "field"),
    [
        ("009", 0, 0, 404, "number"),
        ("all", 0, 0, 400, "row"),
        ("002", 999, 0, 400, "row"),
        ("002", 0, 5, 400, "command"),
    ],
)
def test_no_other_command_runs(client, number, row, command, status, field):
    found, text = events(client, number, row, command)
    assert found == status
    assert f'"field":"{field}"' in text


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_a_command_ends_when_the_client_leaves(web_settings, monkeypatch):
    from web_server import web_server

    monkeypatch.setattr(lectures, "_arguments", lambda number, row, command: ["perft", "chess", "--depth", "9"])
    before = set(processes("perft"))

    def wait_until(is_running):
        end = time.monotonic() + 120
        while bool(set(processes("perft")) - before) != is_running:
            assert time.monotonic() < end
            time.sleep(0.05)

    with web_server(web_settings) as server, socket.create_connection(("127.0.0.1", server.port)) as leaving:
        body = b'{"row": 3}'
        head = f"POST /api/lectures/002/run HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        leaving.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        wait_until(True)
        leaving.close()
        wait_until(False)


def processes(word):
    """The processes whose command line has a word."""
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and word in (folder / "cmdline").read_text().split("\0"):
                yield folder.name
