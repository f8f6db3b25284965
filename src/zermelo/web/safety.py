"""ASGI middleware that refuses requests from other sites and machines, and adds security headers.

- The Host must be an address of this server, so that a name of another site cannot be pointed here (DNS rebinding).
- The Origin, where the browser sends it, must be this server, for WebSockets too; so must `Sec-Fetch-Site` for the API.
- A body must be JSON, which another site cannot send without asking first; a longer one than any limit is not read.
- With a token, each request needs it: in a cookie, which opening `/?token=TOKEN` sets, or as `Authorization: Bearer`.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zermelo.web.errors import ErrorBody, report
from zermelo.web.settings import LOOPBACK_NAMES, Settings, is_loopback

#: Nothing inline, nothing from elsewhere.
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_METHODS = ("GET", "HEAD", "POST")
#: A Host header: a name, or an IPv6 address in brackets, and a port.
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{1,5})?")


class Safety:
    """The middleware."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._hosts = _host_names(settings.host)
        self._cookie = f"zermelo-{settings.port}"  # cookies are shared by all ports of a host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope, Headers(scope=scope))
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            elif (await receive())["type"] == "websocket.connect":
                await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await (refusal or self._app)(scope, receive, send_with_headers)
        except Exception as error:
            if started:
                raise
            report(error)
            await _refuse(500, "internal error; the server's terminal shows it")(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """The response to a request that is refused, or None."""
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._is_own(host):
            return _refuse(403, "the Host header does not name this server", "Host")
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return _refuse(403, "requests from other sites are refused", "Origin")
        is_api = scope["path"].startswith("/api/")
        if (
            is_api
            and headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
            and headers.get("sec-fetch-mode") != "navigate"
        ):
            return _refuse(403, "requests from other sites are refused", "Sec-Fetch-Site")
        if self._settings.token and (refusal := self._token_refusal(scope, headers)) is not None:
            return refusal
        if scope["type"] == "http":
            return self._method_refusal(scope["method"], headers)
        return None

    def _method_refusal(self, method: str, headers: Headers) -> Response | None:
        if method not in _METHODS:
            response = _refuse(405, f"the method must be GET or POST (got {method[:20]})")
            response.headers["allow"] = ", ".join(_METHODS)
            return response
        if method == "POST" and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _refuse(415, "the Content-Type must be application/json", "Content-Type")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > self._settings.limits.file:
            return _refuse(413, f"the request is too large; the limit is {self._settings.limits.file:,} bytes")
        return None

    def _is_own(self, host: str) -> bool:
        """Whether a Host header names this server; the port may be that of a tunnel."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = (found["address"] or found["name"]).lower()
        if name in self._hosts:
            return True
        if "*" not in self._hosts:
            return False
        try:  # listening on all addresses: any of them, but no name that somebody else controls
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    # ---- token --------------------------------------------------------------------------------------------

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(given.strip()):
            return None
        if self._is_token(cookie_parser(headers.get("cookie", "")).get(self._cookie, "")):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["type"] == "http" and scope["method"] == "GET":
            if any(name == "token" and self._is_token(value) for name, value in query):
                return self._signed_in(scope["path"], [each for each in query if each[0] != "token"])
        text = "the token is missing or wrong; open the address that `zermelo serve` printed"
        if scope["type"] == "http" and "text/html" in headers.get("accept", ""):  # a browser that opens a page
            title = "<!DOCTYPE html><html lang=en><title>Zermelo</title>"
            return HTMLResponse(f"{title}<h1>Zermelo</h1><p>{text[:1].upper()}{_escape(text[1:])}.", 401)
        return _refuse(401, text)

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(errors="replace"), self._settings.token.encode())

    def _signed_in(self, path: str, query: list[tuple[str, str]]) -> Response:
        """Set the cookie, and lead on to the address without the token, so that history and links do not contain it.

        A page and not a redirect: after a link of another site, browsers send no `SameSite=Strict` cookie through one.
        """
        target = "/" + quote(path.lstrip("/\\")) + (f"?{urlencode(query)}" if query else "")
        page = f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={_escape(target)}"><title>Zermelo</title>'
        response = HTMLResponse(page)
        response.set_cookie(self._cookie, self._settings.token, path="/", httponly=True, samesite="strict")
        return response


def _host_names(host: str) -> frozenset[str]:
    """Names under which a server on this address is reached; "*": every address."""
    names = {host.lower()}
    if is_loopback(host):
        names.update(LOOPBACK_NAMES)
    elif host in ("0.0.0.0", "::", ""):
        own = socket.gethostname().lower()
        names.update((*LOOPBACK_NAMES, own, f"{own.partition('.')[0]}.local", "*"))
    return frozenset(names)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace("'", "&#39;")


def _refuse(status: int, text: str, field: str = "") -> Response:
    return Response(msgspec.json.encode(ErrorBody(text, field)), status, media_type="application/json")
