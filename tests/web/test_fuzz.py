"""Random requests made from the OpenAPI description: none is answered by 500 or more, and each error is JSON.

Schemathesis makes valid and invalid requests. Texts that name a game, a position or moves are often replaced by right
ones, and names in paths by those of a saved game, a class and a league, so that requests get past the first check.
`ZERMELO_FUZZ=20000` sets the least number of requests of the nightly test.
"""

from __future__ import annotations

import base64
import collections
import io
import json
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from web_server import web_server

from zermelo.arena import play_tournament
from zermelo.web.settings import Settings

#: Fields and values that many requests share.
RIGHT: dict[str, list[Any]] = {
    "game": ["tictactoe", "connect4", "kuhn", "pennies", "chess"],
    "position": [""],
    "moves": [[], ["e4"], ["b2"], ["f5", "d6"], ["4"]],
    "seconds": [0.01, 0.05],
    "depth": [1, 2],
    "nodes": [100],
    "level": [1],
    "format": ["pgn", "json", "moves"],
    "version": [1, 2, 3],
    "move": ["b2", "a1"],
    "view": ["", "max"],
}
#: Values that are wrong for most fields.
WRONG = [None, True, -1, 0, 2**63, 1e308, "", "\x00", "x" * 3000, "../../etc/passwd", "<script>", [], [[]], {}]
#: Requests made of each that Schemathesis generates, which takes longer than to answer it.
VARIANTS = 16
#: A stream is left after this many bytes.
STREAM_BYTES = 20_000
#: Seconds that an answer may take: a hint may wait for a process, compile for two minutes and search for one.
TIMEOUT = 240


def starts_search(operation: Any) -> bool:
    """Whether an operation searches, so that each request may take a second."""
    content = operation.definition.raw["responses"].get("200", {}).get("content", {})
    return "text/event-stream" in content or operation.path.endswith(("/hint", "/why", "/explain"))


def names_in_paths(address: str) -> dict[str, list[dict[str, Any]]]:
    """Path parameters that exist, by the beginning of the path: saved games, a class, a league."""
    import requests

    def ask(path: str, **body: Any) -> Any:
        answer = requests.post(f"{address}{path}", json=body, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    two_people = {"max": {"kind": "person"}, "min": {"kind": "person"}}
    games = [ask("/api/games", game=name, **two_people)["id"] for name in ("tictactoe", "kuhn", "chess")]
    made = zipfile.ZipFile(io.BytesIO(base64.b64decode(ask("/api/class-sets")["archive"])))
    exercises = made.read("exercises.json").decode()
    return {
        "/api/games/": [{"id": each} for each in games],
        "/api/classes/": [{"id": ask("/api/classes", exercises=exercises)["id"], "number": 0}],
        "/api/leagues/": [{"name": "autumn", "number": number} for number in (0, 1)],
    }


def send_random_requests(data_dir: Path, number: int) -> collections.Counter[int]:
    """Send at least this many requests; return the number of answers by status."""
    schemathesis = pytest.importorskip("schemathesis", reason="the dependency group 'fuzz' is not installed")
    import requests
    from schemathesis import GenerationMode

    statuses: collections.Counter[int] = collections.Counter()  # of all answers
    by_operation: collections.Counter[str] = collections.Counter()  # successes
    failures: list[str] = []
    data_dir.mkdir()
    store = data_dir / "autumn.db"
    play_tournament("tictactoe", {"Ada": "random", "Ben": "random"}, games=2, seed=1, store=store)
    settings = Settings(data_dir=data_dir, stores={"autumn": store})
    with web_server(settings) as server, requests.Session() as session:
        names = names_in_paths(server.address)
        schema = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json")
        operations = [each.ok() for each in schema.get_all_operations()]
        quick = [each for each in operations if not starts_search(each)]
        examples = max(number // (2 * VARIANTS * len(quick)), 1)

        def send_variants(case: Any) -> None:
            source = random.Random(repr(case.as_transport_kwargs(base_url=server.address)))
            for path, known in names.items():
                is_known = case.operation.path.startswith(path) and not case.operation.path.endswith("/delete")
                if is_known and case.path_parameters and source.random() < 0.7:
                    right = source.choice(known)
                    case.path_parameters = {name: right.get(name, text) for name, text in case.path_parameters.items()}
            options = case.as_transport_kwargs(base_url=server.address)
            body = options.get("json")
            for _ in range(variants):
                if isinstance(body, dict):
                    right = {name: source.choice(RIGHT[name]) for name in RIGHT if name in body}
                    body = {**body, **{name: value for name, value in right.items() if source.random() < 0.7}}
                    if body and source.random() < 0.4:
                        body[source.choice(sorted(body))] = source.choice(WRONG)
                    options["json"] = body
                send(options)

        def send(options: dict[str, Any]) -> None:
            with session.request(**options, stream=True, timeout=TIMEOUT, allow_redirects=False) as answer:
                content = next(answer.iter_content(STREAM_BYTES), b"")
                statuses[answer.status_code] += 1
                by_operation[current] += answer.ok
                is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
                if answer.status_code >= 500:
                    failures.append(f"{options}: {answer.status_code} {content[:300]!r}")
                elif answer.status_code >= 400:
                    if not isinstance(json.loads(content)["error"], str):
                        failures.append(f"{options}: {content[:300]!r}")
                elif is_stream and b"internal error" in content:
                    failures.append(f"{options}: {content[:300]!r}")

        seed = 0
        while statuses.total() < number:  # an operation without input has no invalid request, so one round is fewer
            for operation in operations:
                current = operation.path
                is_slow = starts_search(operation)
                variants = 2 if is_slow else VARIANTS
                for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                    run = hypothesis.given(case=operation.as_strategy(generation_mode=mode))(send_variants)
                    run = hypothesis.settings(
                        max_examples=1 if is_slow else examples,
                        database=None,
                        deadline=None,
                        phases=[hypothesis.Phase.generate],
                        suppress_health_check=list(hypothesis.HealthCheck),
                    )(run)
                    try:
                        hypothesis.seed(seed)(run)()
                    except hypothesis.errors.Unsatisfiable:
                        assert mode == GenerationMode.NEGATIVE
            seed += 1
    if number >= 5_000:  # fewer may miss one
        named = ("games/{id}", "classes/{id}", "leagues/{name}/games/{number}")
        assert all(by_operation[f"/api/{path}"] for path in named), by_operation
    assert not failures, "\n".join(failures[:20])
    return statuses


@pytest.mark.long
def test_random_requests(tmp_path: Path) -> None:
    statuses = send_random_requests(tmp_path / "data", 500)
    assert statuses[200] > 20
    assert statuses[400] > 100


@pytest.mark.nightly
def test_many_random_requests(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    number = int(os.environ.get("ZERMELO_FUZZ", "20000"))
    statuses = send_random_requests(tmp_path / "data", number)
    server_errors = sum(count for status, count in statuses.items() if status >= 500)
    record_property("measured", f"{statuses.total():,} random requests: {server_errors} answers of 500 or more")
    print(dict(statuses))
    assert statuses.total() >= number
