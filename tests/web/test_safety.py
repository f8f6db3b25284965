"""What the server refuses: foreign hosts and sites, other content, paths, missing tokens."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from web_client import web_client

from zermelo.errors import LimitError
from zermelo.web.settings import Settings, is_loopback

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost:8064.evil.example", "127.0.0.2", "", "[::1",
     "localhost:80:80", "localhost:x", "evil.example:8064", "127.0.0.1@evil.example",
     "[localhost]", "localhost]:80", "[127.0.0.1"],
)  # fmt: skip
def test_a_foreign_host_is_refused(client: Any, host: str) -> None:
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["field"] == "Host"


@pytest.mark.parametrize("host", ["localhost", "localhost:8064", "127.0.0.1:9000", "[::1]:8064", "LOCALHOST:8064"])
def test_names_of_this_machine_are_accepted(client: Any, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9000", "http://localhost:8064", "file://", ""]
)
def test_a_foreign_origin_is_refused(client: Any, origin: str) -> None:
    answer = client.get("/api/catalogue", headers={"Origin": origin})
    assert answer.status_code == 403
    assert answer.json()["field"] == "Origin"


def test_the_page_itself_may_ask(client: Any) -> None:
    headers = {"Origin": "http://127.0.0.1:8064", "Sec-Fetch-Site": "same-origin"}
    assert client.get("/api/openapi.json", headers=headers).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_lead_to_a_page_but_not_use_the_api(client: Any, site: str) -> None:
    assert (
        client.get("/api/openapi.json", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors"}).status_code == 403
    )
    assert client.get("/", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_site_is_refused(client: Any, kind: str) -> None:
    answer = client.post("/api/catalogue", content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 415
    assert answer.json()["field"] == "Content-Type"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(client: Any, method: str) -> None:
    assert client.request(method, "/").status_code == 405


@pytest.mark.parametrize("length", ["5000001", "99999999999999999999999", "-1", "x"])
def test_a_body_larger_than_all_limits_is_not_read(client: Any, length: str) -> None:
    answer = client.post("/api/catalogue", headers={**JSON, "Content-Length": length})
    assert answer.status_code == 413


def test_headers_of_every_response(client: Any) -> None:
    for answer in (client.get("/"), client.get("/api/nothing"), client.get("/", headers={"Host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers


def traversals() -> list[str]:
    """200 paths that lead out of a folder, if somebody joined them with one."""
    steps = ["../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "..%5c", "..%255c", "....//", "..;/", "%c0%ae%c0%ae/"]
    targets = ["etc/passwd", "pyproject.toml", "src/zermelo/web/app.py", "windows/win.ini", ".git/config"]
    prefixes = ["/", "/scripts/", "/styles/", "/scripts/teaching/"]
    return [prefix + step * 6 + target for prefix in prefixes for step in steps for target in targets]


def test_no_path_leads_out_of_the_table(client: Any) -> None:
    paths = traversals()
    assert len(paths) == 200
    paths += [
        "//etc/passwd",
        "/scripts",
        "/scripts/",
        "/index.html/",
        "/\x00",
        "/scripts/teaching/..",
        "/page/index.html",
    ]
    for path in paths:
        answer = client.get(quote(path, safe="/%;.\\"))
        assert answer.status_code == 404, path
        assert b"root:" not in answer.content


# ---- token ------------------------------------------------------------------------------------------------------

TOKEN = "correct-horse-battery"


@pytest.fixture
def guarded() -> Any:
    with web_client(Settings(host="0.0.0.0", token=TOKEN)) as client:
        yield client


def test_everything_needs_the_token(guarded: Any) -> None:
    for path in ("/", "/api/catalogue", "/scripts/api_docs.js", "/nothing", "/?token=wrong", "/?token="):
        answer = guarded.get(path)
        assert answer.status_code == 401, path
        assert TOKEN not in answer.text
    page = guarded.get("/play", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.status_code == 401
    assert "<p>The token is missing or wrong; open the address that `zermelo serve` printed." in page.text
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect) as refused, guarded.websocket_connect("/api/live"):
        pass
    assert (refused.value.code, refused.value.reason) == (1008, "refused")


def test_the_address_with_the_token_signs_in(guarded: Any) -> None:
    answer = guarded.get(f"/play?game=chess&token={TOKEN}&x=%22%3E%3Cscript%3E")
    assert answer.status_code == 200
    assert 'content="0;url=/play?game=chess&amp;x=%22%3E%3Cscript%3E"' in answer.text
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert guarded.get("/").status_code == 200


def test_the_way_on_never_leads_to_another_site(guarded: Any) -> None:
    for path in ("/%2Fevil.example/", "/%5Cevil.example/"):
        guarded.cookies.clear()
        assert 'url=/evil.example/"' in guarded.get(f"{path}?token={TOKEN}").text


def test_the_cookies_of_other_programs_on_this_machine_do_not_hide_the_token(guarded: Any) -> None:
    cookies = f'theme={{"dark": true}}; x; zermelo-8064={TOKEN}'
    assert guarded.get("/", headers={"Cookie": cookies}).status_code == 200


def test_a_long_query_without_the_token_is_refused(guarded: Any) -> None:
    assert guarded.get("/?" + "a&" * 2_000).status_code == 401


def test_a_program_sends_the_token_in_a_header(guarded: Any) -> None:
    assert guarded.get("/api/catalogue", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/api/catalogue", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert guarded.get("/api/catalogue", headers={"Authorization": f"Basic {TOKEN}"}).status_code == 401


def test_all_addresses_are_hosts_but_no_names_of_others(guarded: Any) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/", headers={**headers, "Host": "192.168.1.5:8064"}).status_code == 200
    assert guarded.get("/", headers={**headers, "Host": "evil.example"}).status_code == 403


def test_settings_are_checked() -> None:
    for wrong in (
        {"host": "0.0.0.0"},
        {"host": "192.168.0.1"},
        {"token": "short"},
        {"token": "a b" * 9},
        {"port": 70000},
    ):
        with pytest.raises(LimitError):
            Settings(**wrong)
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("::")
    assert not is_loopback("localhost.evil.example")
