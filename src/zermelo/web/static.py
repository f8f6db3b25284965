"""Static files from a fixed table: the page's, and the modules that it shares with the pages of `zermelo.teaching`.

    page/index.html              /
    page/play.html               /play
    page/styles/base.css         /styles/base.css
    page/scripts/play.js         /scripts/play.js
    teaching/pages/scripts/*.js  /scripts/teaching/*.js
    teaching/pages/templates/editor_form.html  /parts/tree_editor.html
    teaching/pages/styles/*.css  /styles/teaching/*.css
    docs/index.html              /docs/            the documentation, if it is included

A wheel includes the documentation in `docs/`; in a checkout it is where `make docs` builds it.

The table is made when the server starts. A request is looked up in it and never becomes a path of the file system.
Script and style are sent without comments and indentation (`zermelo.teaching.pages.stripping`), compressed with Brotli
where the browser takes it: Chromium does from this computer, other browsers over HTTPS.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import brotli
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

import zermelo.teaching.pages
from zermelo.teaching.pages.stripping import stripped
from zermelo.web.errors import not_found
from zermelo.web.routing import error_response

#: Types of files by suffix; files with another suffix are not served.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}
_COMPRESSED = ("text/", "application/json", "image/svg")
_PAGE = Path(__file__).parent / "page"
_CHECKOUT = Path(__file__).parents[3]
_DOCS = (Path(__file__).parent / "docs", _CHECKOUT / "docs" / "_build" / "html")
_SHARED = Path(zermelo.teaching.pages.__file__).parent
#: Parts of pages of one file, which no page of the server loads.
_NOT_SERVED = (
    "/scripts/game_viewer.js",
    "/scripts/notebook_widget.js",
    "/scripts/teaching/editor_page.js",
    "/scripts/teaching/exam_page.js",
    "/scripts/teaching/practice_page.js",
    "/scripts/teaching/steps.js",
    "/styles/game_viewer.css",
)


def table() -> dict[str, Path]:
    """Return the files by the path of their URL."""
    files = {f"/{name}": path for name, path in _files_below(_PAGE)}
    for name in [name for name in files if name.endswith(".html")]:
        files["/" if name == "/index.html" else name.removesuffix(".html")] = files.pop(name)
    for folder in ("scripts", "styles"):
        files.update({f"/{folder}/teaching/{name}": path for name, path in _files_below(_SHARED / folder)})
    for name in _NOT_SERVED:
        del files[name]
    files["/parts/tree_editor.html"] = _SHARED / "templates" / "editor_form.html"  # fetched by watch.js
    files["/favicon.ico"] = files["/icon.svg"]  # browsers ask for it on pages that name no icon
    files["/docs/"] = files.pop("/docs")  # says that the documentation is not included
    if (docs := documentation()) is not None:
        files.update({f"/docs/{name}": path for name, path in _files_below(docs)})
        files["/docs/"] = files["/docs/index.html"]
    return files


def documentation() -> Path | None:
    """Return the folder of the built documentation, or None if it is not included."""
    for folder in _DOCS:
        if (folder / "index.html").is_file() and (folder == _DOCS[0] or (_CHECKOUT / "pyproject.toml").is_file()):
            return folder
    return None


def _files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in TYPES and path.is_file():
            yield path.relative_to(folder).as_posix(), path


class _Content(NamedTuple):
    plain: bytes
    tag: str
    #: Content-Security-Policy of a page of the documentation; empty: that of all responses.
    policy: str


@lru_cache(maxsize=128)
def _content(path: Path, modified: int) -> _Content:
    """The content of a file, read again after it has changed, so that authors need no restart."""
    is_own = path.is_relative_to(_PAGE) or path.is_relative_to(_SHARED)
    plain = stripped(path.read_text("utf-8"), path.suffix).encode() if is_own else path.read_bytes()
    tag = f'"{hashlib.blake2b(plain, digest_size=12).hexdigest()}"'
    policy = "" if is_own or path.suffix != ".html" else _documentation_policy(plain.decode())
    return _Content(plain, tag, policy)


@lru_cache(maxsize=256)
def _compressed(content: _Content, encoding: str) -> bytes:
    if encoding == "gzip":
        return gzip.compress(content.plain, 6, mtime=0)
    # Quality 11 takes twice the time of 10 for 3 % less, and seconds for the search index of the documentation.
    compressed: bytes = brotli.compress(content.plain, quality=10 if len(content.plain) < 100_000 else 5)
    return compressed


def served(path: Path, encoding: str = "") -> bytes:
    """Return a file of the table as it is sent: plain, or compressed as "gzip" or "br"."""
    content = _content(path, os.stat(path).st_mtime_ns)
    return _compressed(content, encoding) if encoding else content.plain


_INLINE_SCRIPT = re.compile(r"<script(?: type=\"module\")?>(.*?)</script>", re.DOTALL)


def _documentation_policy(text: str) -> str:
    """The policy of a page by Sphinx or by `zermelo tree draw`: its inline scripts by their hashes, inline styles."""
    digests = {hashlib.sha256(each.encode()).digest() for each in _INLINE_SCRIPT.findall(text)}
    hashes = [base64.b64encode(digest).decode() for digest in digests]
    scripts = " ".join(["'self'", *(f"'sha256-{each}'" for each in sorted(hashes))])
    return (
        f"default-src 'self'; script-src {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    )


def file_response(request: Request, path: Path) -> Response:
    """Return a file; 304 if the client has it already."""
    content = _content(path, os.stat(path).st_mtime_ns)
    kind = TYPES[path.suffix]
    headers = {"etag": content.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if content.policy:
        headers |= {"content-security-policy": content.policy, "x-frame-options": "SAMEORIGIN"}
    if request.headers.get("if-none-match") == content.tag:
        return Response(status_code=304, headers=headers)
    accepted = request.headers.get("accept-encoding", "")
    encoding = next((each for each in ("br", "gzip") if re.search(rf"\b{each}\b", accepted)), None)
    if encoding is not None and kind.startswith(_COMPRESSED):
        headers["content-encoding"] = encoding
        return Response(_compressed(content, encoding), headers=headers, media_type=kind)
    return Response(content.plain, headers=headers, media_type=kind)


def routes(files: Mapping[str, Path]) -> list[BaseRoute]:
    """Return one route that looks up its whole path in the table."""

    async def serve(request: Request) -> Response:
        path = files.get(request.url.path)
        if path is None:
            return error_response(not_found(f"not found: {request.method} {request.url.path}"))
        return file_response(request, path)

    async def lead_to_docs(request: Request) -> Response:
        return RedirectResponse("/docs/")

    return [Route("/docs", lead_to_docs), Route("/{path:path}", serve, methods=["GET", "HEAD"])]
