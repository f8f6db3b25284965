"""Fixtures of the web page's tests: its settings and a client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_client import web_client

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")


@pytest.fixture(autouse=True)
def without_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout may have built documentation or not; the tests find none."""
    from zermelo.web import static

    monkeypatch.setattr(static, "_DOCS", (tmp_path, tmp_path))


@pytest.fixture
def web_settings(tmp_path: Path) -> Any:
    """The settings of the application under test; a test module may override them."""
    from zermelo.web.settings import Limits, Settings

    # A stream that keeps its connection alive has begun its answer, with status 200: not so soon on a busy machine.
    return Settings(data_dir=tmp_path / "data", limits=Limits(keepalive_seconds=600.0))


@pytest.fixture
def client(web_settings: Any) -> Iterator[Any]:
    """A client of the application, a Starlette `TestClient`."""
    with web_client(web_settings) as opened:
        yield opened
