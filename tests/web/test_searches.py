"""Worker processes: results, errors, stopping, death, limits, and that none is left behind."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest
import worker_calls as calls
from web_client import web_client
from web_server import web_server

from zermelo.errors import GameError
from zermelo.web import searches
from zermelo.web.errors import RequestError
from zermelo.web.search_process import InternalError
from zermelo.web.searches import Workers, default_searches
from zermelo.web.services import Services
from zermelo.web.settings import Limits, Settings

pytestmark = pytest.mark.long


def run(test: Callable[[Workers], Awaitable[None]], size: int = 2) -> None:
    """Run a coroutine with the workers of a server; no process is left."""

    async def main() -> None:
        services = Services(Settings(limits=Limits(searches=size)))
        workers = services.get(Workers)
        try:
            await test(workers)
        finally:
            processes = workers.processes
            await services.close()
        assert all(process.poll() is not None for process in processes)

    asyncio.run(main())


async def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait for a condition that a loaded machine may reach late."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_stream_waits_for_processes_that_are_starting() -> None:
    async def test(workers: Workers) -> None:
        workers.start(calls.begin_slowly)
        assert len([each async for each in workers.stream(calls.count, 3)]) == 4

    run(test)


def test_results_and_errors_of_calls() -> None:
    async def test(workers: Workers) -> None:
        assert await workers.search(calls.add, 1, 2) == 3
        with pytest.raises(RequestError, match="not this") as refused:
            await workers.search(calls.refuse)
        assert (refused.value.field, refused.value.status) == ("depth", 400)
        with pytest.raises(GameError, match="broken"):
            await workers.search(calls.lose)
        with pytest.raises(InternalError, match="a mistake"):
            await workers.search(calls.fail)
        items = [item async for item in workers.stream(calls.count, 3)]
        assert items[1:] == [0, 1, 2]
        assert len(workers.processes) == 1  # none of them needed a second one

    run(test)


def test_a_call_goes_to_the_process_that_served_its_key() -> None:
    async def test(workers: Workers) -> None:
        async with aclosing(workers.stream(calls.wait, key="a")) as stream:
            first_process = await anext(stream)
            other = await workers.search(calls.process, key="b")
        await until(lambda: len(workers._searches._idle) == 2)
        assert other != first_process
        assert await workers.search(calls.process, key="b") == other
        assert await workers.search(calls.process, key="a") == first_process

    run(test)


def test_a_search_that_stops_keeps_its_process_and_one_that_does_not_loses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(workers: Workers) -> None:
        for function, *arguments in ((calls.wait,), (calls.count, 10**9)):
            stream = workers.stream(function, *arguments)
            process = await anext(stream)
            start = time.monotonic()
            await stream.aclose()
            assert time.monotonic() - start < 0.1, "leaving does not wait for the search"
            await until(lambda: workers._searches._idle)
            assert await workers.search(calls.process) == process
        monkeypatch.setattr(searches, "CALL_SECONDS", 0.2)
        with pytest.raises(RequestError, match=r"the search took more than 0\.2 seconds") as endless:
            await workers.search(calls.spin)
        assert endless.value.status == 422
        stream = workers.stream(calls.spin)
        process = await anext(stream)
        await stream.aclose()
        await until(lambda: not _is_running(process), seconds=searches.STOP_SECONDS + 20)
        assert await workers.search(calls.process) != process

    run(test)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text() if sys.platform == "linux" else ""
    except (ProcessLookupError, FileNotFoundError):
        return False
    return not state or state.rpartition(")")[2].split()[0] != "Z"


def test_a_process_that_dies_is_one_error_and_another_takes_its_place() -> None:
    async def test(workers: Workers) -> None:
        stream = workers.stream(calls.die)
        dead = await anext(stream)
        with pytest.raises(RequestError, match=r"has ended \(exit code 7\)") as died:
            await anext(stream)
        assert died.value.status == 422
        assert await workers.search(calls.process) != dead
        idle = await workers.search(calls.process)
        os.kill(idle, signal.SIGKILL)
        await until(lambda: idle not in [process.pid for process in workers.processes])
        assert await workers.search(calls.add, 1, 1) == 2

    run(test)


def test_streams_leave_a_process_for_calls_and_more_of_them_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "STREAM_WAIT", 0.1)
    monkeypatch.setattr(searches, "CALL_WAIT", 0.1)

    async def test(workers: Workers) -> None:
        async with aclosing(workers.stream(calls.wait)) as stream:
            await anext(stream)
            with pytest.raises(RequestError, match="other analyses") as refused:
                await anext(workers.stream(calls.wait))
            assert refused.value.status == 429
            assert await workers.search(calls.add, 1, 1) == 2
            slow = asyncio.ensure_future(workers.search(time.sleep, 60))
            await until(lambda: len(workers.processes) == 2 and not workers._searches._idle)
            with pytest.raises(RequestError, match="all 2 search processes are busy") as refused:
                await workers.search(calls.add, 1, 1)
            assert refused.value.status == 429
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow

    run(test)
    assert default_searches() >= 2


def test_a_new_stream_of_a_client_ends_its_earlier_one() -> None:
    async def test(workers: Workers) -> None:
        earlier = workers.stream(calls.wait, client="page")
        await anext(earlier)
        async with aclosing(workers.stream(calls.wait, client="page")) as later:
            following = asyncio.ensure_future(anext(later))
            with pytest.raises(StopAsyncIteration):
                await anext(earlier)
            assert isinstance(await following, int)

    run(test)


LOOP = """
from zermelo import game
@game(compiled=False)
class Loop:
    heap: int = 3
    turn: int = 1
    def to_move(self): return self.turn
    def moves(self): return [1]
    def play(self, move):
        while self.heap < 3:
            pass
        return Loop(self.heap - 1, -self.turn)
    def is_over(self): return self.heap == 0
    def utility(self): return -self.turn
"""


def test_an_endless_loop_in_a_game_of_a_file_stops_neither_the_server_nor_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "RULES_SECONDS", 2.0)
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    with web_client(Settings(games={"loop": str(file), "tictactoe": "tictactoe"}, data_dir=tmp_path)) as client:
        assert client.post("/api/position", json={"game": "loop"}).json()["moves"][0]["text"] == "1"
        answer = client.post("/api/position", json={"game": "loop", "moves": ["1", "1"]})
        assert (answer.status_code, answer.json()["error"]) == (
            422, "the rules of loop took more than 2 seconds; do the rules end?",
        )  # fmt: skip
        assert client.post("/api/position", json={"game": "tictactoe"}).status_code == 200
        assert client.post("/api/position", json={"game": "loop"}).status_code == 200


def cpu_seconds(processes: list[subprocess.Popen[bytes]]) -> float:
    """CPU time of processes so far."""
    total = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_hundred_clients_that_leave_leave_no_search_running() -> None:
    with web_server(Settings(limits=Limits(searches=2))) as server:
        workers = server.app.state.services.get(Workers)
        body = json.dumps({"game": "tictactoe"}).encode()
        connections = []
        for _ in range(100):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("POST", "/api/analyse", body, {"Content-Type": "application/json"})
            connections.append(connection)
            if len(connections) % 10 == 0:
                for each in connections[-10:]:
                    each.close()
        end = time.monotonic() + 60
        since = time.monotonic()
        while time.monotonic() < since + 1:  # for a second
            if workers._searches._settling or len(workers._searches._idle) != len(workers.processes):
                since = time.monotonic()
            assert since < end, "a search is still running"
            time.sleep(0.05)
        assert len(workers.processes) <= 2
        # Processes that have just been started need some CPU time of their own.
        before = cpu_seconds(workers.processes)
        time.sleep(1)
        while cpu_seconds(workers.processes) - before >= 0.2:
            assert time.monotonic() < end, "a search is still running"
            before = cpu_seconds(workers.processes)
            time.sleep(1)


SERVE = """
import sys, time, urllib.request
from zermelo.web.server import Server, listen
from zermelo.web.searches import Workers
from zermelo.web.settings import Limits, Settings
opened = listen("127.0.0.1", 0)
server = Server(Settings(limits=Limits(searches=2)), opened, is_warm=True)
def tell():
    print(*(process.pid for process in server.app.state.services.get(Workers).processes), flush=True)
server._on_start = tell
server.run()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers end when they next read from the server")
def test_no_process_is_left_after_the_server_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        workers = [int(word) for word in server.stdout.readline().split()]
        assert len(workers) == 2
        assert all(_is_running(worker) for worker in workers)
        server.kill()
    end = time.monotonic() + 20
    while any(_is_running(worker) for worker in workers):
        assert time.monotonic() < end, "a worker is left"
        time.sleep(0.05)
