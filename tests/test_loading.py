"""No file of a user is executed as code, except games and players, which are code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "zermelo"
#: Where code is executed on purpose.
EXECUTES = {
    # Files of games, players and students, which are code; the last two inside the sandbox.
    "registry.py": {"exec"},
    "arena/players/agent_process.py": {"exec"},
    "sandbox/limits.py": {"exec"},
    "teaching/exercises/student_process.py": {"exec"},
    # Functions that are made from text of the package itself, or from annotations of a class that is being defined.
    "core/game.py": {"exec"},
    "core/value.py": {"eval", "exec"},
    "testing/compiled_rules.py": {"exec"},
    # Machine code of the user's own cache, which must belong to the user and match its digest.
    "compiled/cache.py": {"pickle"},
    # Messages between the server and the search processes that it starts; no byte of a client's is among them.
    "web/search_process.py": {"pickle"},
}
FORBIDDEN = {"eval", "exec", "pickle", "cPickle", "dill", "marshal", "shelve", "joblib", "cloudpickle"}
#: `numpy.load` refuses objects unless it is asked to load them.
ARGUMENTS = {"allow_pickle"}

pytestmark = pytest.mark.quick


def found(path: Path) -> set[str]:
    """Return the forbidden names that a file uses."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names.add(node.func.id)
        elif isinstance(node, ast.keyword) and node.arg in ARGUMENTS:
            names.add(node.arg)
    return names & (FORBIDDEN | ARGUMENTS)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_file_is_executed(path: Path) -> None:
    assert found(path) <= EXECUTES.get(str(path.relative_to(PACKAGE)), set())
