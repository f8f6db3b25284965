"""`zermelo serve`: the web page."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from zermelo._util.terminal import print_line
from zermelo._util.text import without_controls
from zermelo._util.user_files import list_folder
from zermelo.cli import arguments, screen
from zermelo.errors import LimitError, MissingDependency

HELP_PORT = "Port to listen on; 0: any free one. Default: 8064, or the next free one."
HELP_TOKEN = "Access token, at least 16 characters. Default: none on this machine, else a random one, printed at start."


def serve(
    games: arguments.Games = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; browsers on other machines need the token.")
    ] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(metavar="N", help=HELP_PORT)] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    token: Annotated[str, typer.Option(metavar="TEXT", help=HELP_TOKEN)] = "",
    data_dir: Annotated[
        str, typer.Option(metavar="DIR", help="Folder of saved games. Default: a folder of the user's data.")
    ] = "",
    store: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Show the match or league of this store, live if it runs. May be repeated."),
    ] = None,
    searches: Annotated[
        int,
        typer.Option(
            metavar="N", show_default=False, help="Search processes. Default: one fewer than processors, 2 to 8."
        ),
    ] = 0,
    threads: arguments.Threads = 1,
    table: arguments.Table = "64M",
    allow_agents: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Let the page start leagues of the agents in FOLDER, as `zermelo league`."),
    ] = "",
    require_sandbox: arguments.RequireSandbox = False,
) -> None:
    """Serve the web page to a browser on this machine.

    Play, analyse and review games, watch searches, and practise.
    """
    try:
        from zermelo.web.server import listen
        from zermelo.web.server import serve as run
        from zermelo.web.settings import Limits, Settings, is_loopback
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("msgspec", "starlette", "uvicorn", "websockets"):
            raise
        raise MissingDependency(f"the web page needs {error.name}: pip install 'zermelo[web]'") from None
    from zermelo.search.table import parse_size

    parse_size(table)
    if require_sandbox and not allow_agents:
        raise LimitError("--require-sandbox needs --allow-agents FOLDER: the server runs no other programs")
    is_open = not is_loopback(host)
    settings = Settings(
        host=host,
        port=port or 0,
        token=token or (secrets.token_urlsafe(24) if is_open else ""),
        games=offered_games(games or []),
        data_dir=Path(data_dir) if data_dir else None,
        stores=named_stores(store or []),
        agents=agents_folder(allow_agents) if allow_agents else None,
        require_sandbox=require_sandbox,
        limits=Limits(searches=searches, search_threads=threads, search_table=table),
    )
    opened = listen(host, port)

    def started() -> None:
        address = page_address(host, opened.getsockname()[1])
        if settings.token:
            address += f"?token={settings.token}"
        if is_open:
            print_line(f"Other machines can reach {host}. Anyone who has the token can search and see the saved games.")
        print_line(f"Zermelo is at {address} (Ctrl-C stops it)")
        sys.stdout.flush()
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    run(settings, opened, started)


def page_address(host: str, port: int) -> str:
    """The address to open in a browser of this machine."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def named_stores(paths: list[str]) -> dict[str, Path]:
    """Stores by their names on the page: the file's name without its extension, with a number if it is taken.

    Raises
    ------
    StoreError
        If a file is not a store of games.
    """
    from zermelo.arena.store import Store

    stores: dict[str, Path] = {}
    for path in paths:
        Store.open(path, on_wait=screen.report_wait).close()
        stem = without_controls(Path(path).stem)[:80] or "store"
        name, number = stem, 2
        while name in stores:
            name, number = f"{stem}-{number}", number + 1
        stores[name] = Path(path).resolve()
    return stores


def agents_folder(text: str) -> Path:
    """The folder of `--allow-agents`. Raises `FileError` if it cannot be read."""
    list_folder(text)
    return Path(text).resolve()


def offered_games(named: list[str]) -> dict[str, str]:
    """Games by their names on the page: those of the command line, loaded now, then all installed ones.

    Raises
    ------
    ZermeloError
        If a game does not load.
    """
    from zermelo import registry

    offered: dict[str, str] = {}
    for text in named:
        cls = registry.load(text)
        if text in registry.names():
            offered[text] = text
            continue
        name, number = cls.__name__.casefold(), 2
        while name in offered or name in registry.names():
            name, number = f"{cls.__name__.casefold()}-{number}", number + 1
        offered[name] = registry.name_of(cls)
    return {**offered, **{name: name for name in registry.names() if name not in offered}}
