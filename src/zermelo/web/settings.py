"""Settings of the server, fixed when it starts."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from zermelo.errors import LimitError

#: Not assigned by IANA, and not the default port of a common development server. 64 squares.
DEFAULT_PORT = 8064
#: Names of this machine that no other machine can use.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
#: Minimum length of a token. 16 characters of base 64 are 96 random bits; shorter ones can be guessed.
MIN_TOKEN = 16


#: Most search processes, and threads of a search.
MAX_PROCESSES = 256


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what clients send and hold. Sizes are in bytes, times in seconds."""

    #: Body of a request; and of a request to an endpoint that takes files.
    body: int = 64 * 1024
    file: int = 5_000_000
    #: Message on a WebSocket.
    message: int = 16 * 1024
    #: Time for a client to send a request's headers, its body, and to accept a part of the response.
    header_seconds: float = 10.0
    body_seconds: float = 20.0
    send_seconds: float = 30.0
    #: Open connections.
    connections: int = 512
    #: Time without events after which a stream sends a comment, which shows that the connection is alive.
    keepalive_seconds: float = 15.0
    #: Handlers that run in threads at the same time, and requests that wait for one of them.
    threads: int = 4
    waiting: int = 64
    #: Searches that run at the same time (0: one fewer than processors, at least 2 and at most 8), threads of each, and
    #: the memory of each of its tables; a search process has at most four.
    searches: int = 0
    search_threads: int = 1
    search_table: str = "64M"

    def __post_init__(self) -> None:
        if not 0 <= self.searches <= MAX_PROCESSES:
            raise LimitError(f"--searches must be between 1 and {MAX_PROCESSES} (got {self.searches})")
        if not 1 <= self.search_threads <= MAX_PROCESSES:
            raise LimitError(f"--threads must be between 1 and {MAX_PROCESSES} (got {self.search_threads})")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one server.

    Attributes
    ----------
    host : str
        Address to listen on.
    port : int
        Port to listen on.
    token : str
        Token that clients must present, or the empty string. Only an address of this machine needs none.
    games : mapping of str to str
        Games by name: the name in the API, and the name that `zermelo.load` takes. Empty: all installed games.
    data_dir : Path or None
        Folder of saved games; None: the user's data folder.
    stores : mapping of str to Path
        Stores of games by their names on the page.
    agents : Path or None
        Folder of agents whose leagues the page may start; None: it may start none.
    require_sandbox : bool
        Whether these leagues refuse to run agents unless all restrictions of the sandbox are in force.
    limits : Limits
        Limits on requests.

    Raises
    ------
    LimitError
        If an option is out of range, or the address is reachable by other machines and there is no token.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = ""
    games: Mapping[str, str] = field(default_factory=dict)
    data_dir: Path | None = None
    stores: Mapping[str, Path] = field(default_factory=dict)
    agents: Path | None = None
    require_sandbox: bool = False
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise LimitError(f"--port must be between 0 and 65535 (got {self.port})")
        if self.token and not (self.token.isascii() and self.token.isprintable() and " " not in self.token):
            raise LimitError("--token must consist of visible ASCII characters")
        if self.token and len(self.token) < MIN_TOKEN:
            raise LimitError(f"--token must have at least {MIN_TOKEN} characters (got {len(self.token)})")
        if not self.token and not is_loopback(self.host):
            raise LimitError(f"{self.host} can be reached by other machines, so a token is required")


def is_loopback(host: str) -> bool:
    """Whether an address belongs to this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
