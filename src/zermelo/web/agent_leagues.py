"""`AgentLeagues`: leagues of a folder of agents, started from the page if the command line allows it.

A league is a process of its own, `zermelo league`, which runs the agents in sandboxes and saves each game. It ends with
the server; its games stay in the data folder and are shown again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from zermelo._util.text import single_line
from zermelo._util.user_files import list_folder
from zermelo.errors import FileError
from zermelo.web.errors import RequestError, conflict, not_found
from zermelo.web.game_store import data_folder
from zermelo.web.routing import Request, endpoint
from zermelo.web.services import Services

#: Seconds until a league has a store, or has failed; and until a league that is asked to end is killed.
START_SECONDS, END_SECONDS = 60.0, 10.0
_STORE, _LOG = "games.zermelo", "log.txt"


class NewLeague(Request, frozen=True):
    """A league of all agents of the folder."""

    game: Annotated[str, Meta(max_length=200)]
    #: Games per pair of agents, half with each side.
    games: Annotated[int, Meta(ge=2, le=1_000, multiple_of=2)] = 2
    #: Time limit per move in seconds.
    seconds: Annotated[float, Meta(ge=0.01, le=600)] = 1.0
    #: Whether the player `random` takes part.
    with_random: bool = False


class StartedLeague(msgspec.Struct, frozen=True):
    """The name of a new league."""

    name: str


class LeagueToStop(Request, frozen=True):
    """A league by its name."""

    name: Annotated[str, Meta(max_length=100)]


class AgentLeagues:
    """The leagues in the data folder, and the processes that play them."""

    def __init__(self, services: Services) -> None:
        #: Folder of the agents; None if the page may start no league.
        self.folder = services.settings.agents
        self._require_sandbox = services.settings.require_sandbox
        self._leagues = data_folder(services.settings.data_dir) / "leagues"
        self._taken = frozenset(services.settings.stores)
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._is_starting = False

    def names(self) -> list[str]:
        """The agents in the folder."""
        if self.folder is None:
            return []
        with suppress(FileError):
            return [path.stem for path in list_folder(self.folder, ".py")]
        return []

    def stores(self) -> dict[str, Path]:
        """The stores of leagues by name; a name of the command line stands for that store."""
        try:
            folders = sorted(entry.name for entry in os.scandir(self._leagues) if entry.is_dir())
        except OSError:
            return {}
        paths = {name: self._leagues / name / _STORE for name in folders if name not in self._taken}
        return {name: path for name, path in paths.items() if path.is_file()}

    def runs(self, name: str) -> bool:
        """Whether this server plays a league."""
        process = self._processes.get(name)
        return process is not None and process.returncode is None

    async def start(self, source: str, game: str, request: NewLeague) -> str:
        """Start a league; return its name when its store exists.

        Raises
        ------
        RequestError
            If no league may be started, one runs already, or the league cannot begin.
        """
        if self.folder is None:
            raise RequestError("start the server with --allow-agents FOLDER to start leagues here", status=403)
        if self._is_starting or any(map(self.runs, self._processes)):
            raise conflict("a league is running; stop it first")
        name, folder = self._new_folder(game)
        self._is_starting = True  # until the process is known: another request may come meanwhile
        try:
            self._processes[name] = process = await self._play(source, folder, request)
        finally:
            self._is_starting = False
        end = asyncio.get_running_loop().time() + START_SECONDS
        while not (folder / _STORE).is_file():
            if process.returncode is not None or asyncio.get_running_loop().time() > end:
                await self._end(process)
                raise conflict(_last_line(folder / _LOG) or "the league did not begin")
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 0.1)
        return name

    def _new_folder(self, game: str) -> tuple[str, Path]:
        number = 1
        while True:
            name = f"{game}-{number}"
            folder = self._leagues / name
            try:
                if name not in self._taken:
                    folder.mkdir(parents=True)
                    return name, folder
            except FileExistsError:
                pass
            except OSError as error:
                raise RequestError(f"the league cannot be saved: {error.strerror or error}", status=409) from None
            number += 1

    async def _play(self, source: str, folder: Path, request: NewLeague) -> asyncio.subprocess.Process:
        options = [
            "--game", source, "--games", str(request.games), "--seconds", f"{request.seconds:g}",
            "--out", str(folder), "--workers", "1", "--quiet",
        ]  # fmt: skip
        options += ["--against", "random"] if request.with_random else []
        options += ["--require-sandbox"] if self._require_sandbox else []
        with (folder / _LOG).open("wb") as log:
            return await asyncio.create_subprocess_exec(
                sys.executable, "-m", "zermelo", "league", str(self.folder), *options,
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    async def stop(self, name: str) -> None:
        """End a league that this server plays; its games are saved. Raises `RequestError`."""
        if not self.runs(name):
            raise not_found("this server plays no league of this name", "name")
        await self._end(self._processes[name])

    async def close(self) -> None:
        """End all leagues."""
        await asyncio.gather(*(self._end(process) for process in self._processes.values()))

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        for number in (signal.SIGINT, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if process.returncode is not None:
                return
            with suppress(ProcessLookupError, ValueError):
                process.send_signal(number if os.name == "posix" else signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), END_SECONDS)


def _last_line(path: Path) -> str:
    """The last line that a process wrote."""
    with suppress(OSError), path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - 4_000))
        lines = log.read(4_000).decode("utf-8", "replace").strip().splitlines()
        return single_line(lines[-1], 500) if lines else ""
    return ""


@endpoint(
    "POST", "/api/leagues", request=NewLeague, response=StartedLeague, summary="Start a league of the agents' folder."
)
async def league_start(request: NewLeague, services: Services) -> StartedLeague:
    """Start a league of the folder of `--allow-agents`."""
    services.game(request.game)
    name = await services.get(AgentLeagues).start(services.games[request.game], request.game, request)
    return StartedLeague(name)


@endpoint("POST", "/api/leagues/{name}/stop", request=LeagueToStop, summary="Stop a league that the page has started.")
async def league_stop(request: LeagueToStop, services: Services) -> None:
    """Stop a league that the page has started; its games are saved."""
    await services.get(AgentLeagues).stop(request.name)


ROUTES = [league_start, league_stop]
