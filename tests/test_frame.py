"""The frame holds: what README, docs and project files say of one another is so."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GAMES = sorted(PROJECT["entry-points"]["zermelo.games"])
SOURCE = ROOT / "src" / "zermelo"


def text(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def tracked() -> list[Path]:
    """The files that git knows; all there are in a folder that is no checkout."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [path for path in ROOT.rglob("*") if path.is_file() and ".venv" not in str(path)]
    return [path for name in listed.decode().split("\0") if name and (path := ROOT / name).is_file()]


# ---- games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_page_with_the_same_headings(name: str) -> None:
    page = text("docs", "games", f"{name}.md")
    headings = re.findall(r"^## (.+)", page, re.MULTILINE)
    assert [each for each in headings if each in ("Rules", "Notation", "Evaluations", "Facts")] == [
        "Rules",
        "Notation",
        "Evaluations",
        "Facts",
    ]
    assert f"`{name}`" in page.split("##")[0]
    assert f"Name on the command line: `{name}`. " in page  # for the table of docs/games/index.md


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_test(name: str) -> None:
    cls = PROJECT["entry-points"]["zermelo.games"][name].partition(":")[2]
    files = [path.read_text() for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
    assert any("check_game(" in content and re.search(rf"[\"']{name}[\"']|\b{cls}\b", content) for content in files), (
        f"no test calls check_game for {name}"
    )


@pytest.mark.parametrize("name", GAMES)
def test_every_page_names_all_evaluations(name: str) -> None:
    import zermelo

    page = text("docs", "games", f"{name}.md")
    for evaluation in zermelo.load(name).evaluations:
        assert f"| `{evaluation}` |" in page


# ---- the contract, the search, the house ------------------------------------------------------------------------


def test_the_contract_page_has_every_method_and_attribute() -> None:
    """Its tables are made from the declarations (docs/_ext/zermelo_contract.py); it names what is not declared."""
    from zermelo.core import evaluation, game

    page = text("docs", "contract.md")
    assert set(re.findall(r"^```\{(\w+)\} (\w+)", page, re.MULTILINE)) == {
        *(("hooks", group) for group in ("required", "rules", "hidden", "text", "evaluation")),
        *(("facts", group) for group in ("game", "evaluation")),
    }
    set_by_the_decorator = {"fields", "field_defaults"}
    for module, base in ((game, game.State), (evaluation, evaluation.Evaluation)):
        for name in vars(base):
            declared = name in module.HOOKS or name in module.FACTS or name in set_by_the_decorator
            if not name.startswith(("_", "has_")) and not declared:
                assert f"`{name}" in page, f"docs/contract.md does not name {name}"


def test_the_reference_names_everything_public() -> None:
    import zermelo

    page = text("docs", "reference", "zermelo.md")
    errors = text("src", "zermelo", "errors.py")  # the page takes all of them in
    for name in zermelo.__all__:
        assert getattr(zermelo, name) is not None
        assert re.search(rf"\bzermelo\.{name}\b", page) or f"class {name}(" in errors, (
            f"docs/reference/zermelo.md lacks {name}"
        )


def test_the_search_s_page_has_the_kernel_s_steps() -> None:
    kernel = "".join(path.read_text() for path in (SOURCE / "search" / "kernel").glob("*.py"))
    steps = sorted(re.findall(r"^ +# (\d[a-z]?)\. ", kernel, re.MULTILINE))
    assert steps
    assert re.findall(r"^(?:- )?\*\*(\d[a-z]?)\.", text("docs", "searching.md"), re.MULTILINE) == steps


def test_functions_of_the_search_have_less_than_100_lines() -> None:
    for path in sorted((SOURCE / "search").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                assert node.end_lineno - node.lineno + 1 < 100, f"{path.name}: {node.name}"


def test_the_architecture_page_lists_every_package() -> None:
    page = text("docs", "architecture.md")
    diagram = page.split("```text")[1].split("```")[0]
    top_level = {
        path.stem for path in SOURCE.iterdir() if not path.name.startswith(("__", ".")) and path.suffix != ".typed"
    }
    assert {name for name in re.findall(r"\b(\w+)(?:/|\.py)", diagram) if name not in ("src", "zermelo")} == top_level
    packages = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")} - {"."}
    assert set(re.findall(r"^```\{files\} (\S+)$", page, re.MULTILINE)) == packages - {"teaching"}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_every_module_says_in_one_line_what_it_holds(path: Path) -> None:
    """The architecture page lists these lines."""
    summary = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    assert 10 <= len(summary) <= 120


COMMANDS = (
    "games",
    "show",
    "analyse",
    "solve",
    "explain",
    "rollout",
    "cube",
    "review",
    "play",
    "serve",
    "new",
    "check",
    "perft",
    "bench",
    "cache",
    "match",
    "tournament",
    "resume",
    "standings",
    "league",
    "sandbox",
    "tree",
    "exercise",
    "lectures",
    "convert",
    "learn",
    "book",
    "tables",
    "uci",
    "gtp",
    "nboard",
    "equilibrium",
)
#: The commands that are groups, and what is in them.
GROUPS = {
    "games": ("", "export"),
    "cache": ("show", "warm", "clear"),
    "tree": ("trace", "draw", "edit", "why", "order", "mcts", "random", "grow"),
    "exercise": ("new", "sheet", "grade", "check"),
    "learn": ("positions", "fit", "report", "train"),
    "book": ("build", "extend", "check", "show", "export"),
}


def test_every_command_is_told_of(zermelo: Callable[..., Any]) -> None:
    listed = zermelo("--help").out.partition("Play and analyse:")[2]
    assert tuple(re.findall(r"^  ([a-z]+) +[A-Z]", listed, re.MULTILINE)) == COMMANDS
    for command in COMMANDS:
        assert f"`zermelo {command}" in text("README.md")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_its_place_on_the_page(zermelo: Callable[..., Any], command: str) -> None:
    page = text("docs", "cli.md")
    part = page.partition(f"## zermelo {command} ")[2] or page.partition(f"## zermelo {command}\n")[2]
    part = part.partition("\n## ")[0]
    assert part
    for name in GROUPS.get(command, ("",)):
        said = zermelo(command, *name.split(), "--help").out
        options = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", said, re.MULTILINE)) - {"--help"}
        missing = [option for option in options if not re.search(rf"`--(no-)?{option[2:]}\b", part)]
        assert not missing, f"docs/cli.md does not tell of {missing} in {command}"


# ---- the project ------------------------------------------------------------------------------------------------


def test_version_is_the_same_everywhere() -> None:
    from importlib.metadata import version

    assert version("zermelo") == PROJECT["version"]
    assert re.search(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)[1] == PROJECT["version"]


def test_node_counts_in_the_readme_are_those_of_the_benchmarks() -> None:
    """Speeds differ from machine to machine; what a tree must count does not."""
    benchmark = text("benchmarks", "sides", "benchmark.py").replace("_", "")
    readme = text("README.md").split("output of make bench: begin")[1].split("output of make bench: end")[0]
    for row in re.findall(r"^\|.*\d.*\|$", readme, re.MULTILINE):
        nodes = re.findall(r"\b\d{1,3}(?:,\d{3})+\b", row.split("|")[2])
        assert nodes, row
        assert all(count.replace(",", "") in benchmark for count in nodes), row


FIRST_LOOK = re.search(r"^FFO40 := (.+)$", text("Makefile"), re.MULTILINE)[1]


def test_the_first_look_is_the_one_that_is_told_of() -> None:
    assert FIRST_LOOK in text("docs", "games", "othello.md")
    assert FIRST_LOOK in text("benchmarks", "ffo40-49.tsv")


@pytest.mark.long
def test_the_readme_shows_what_make_run_prints(zermelo: Callable[..., Any]) -> None:
    """All but the times, which are the machine's."""
    shown = text("README.md").split("output of make run: begin -->\n```text\n")[1].split("```")[0]
    printed = zermelo("analyse", "othello", FIRST_LOOK, "--exact").out
    timeless = re.compile(r" in [\d.]+ m?s, .* a second")
    result = [timeless.sub("", line) for line in printed.strip("\n").splitlines()]
    assert [timeless.sub("", line) for line in shown.splitlines()][-len(result) :] == result


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        if "_build" in page.parts:
            continue
        for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_no_file_names_a_place_on_one_machine() -> None:
    places = ("work", "farm", "root", "home/[a-z]+", "Users")
    private = re.compile("|".join(f"(?<![\\w.~}}-])/{name}/" for name in places))
    for path in tracked():
        try:
            content = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = private.search(content)
        assert not found, f"{path.relative_to(ROOT)} names {found[0]}"


@pytest.mark.nightly
def test_the_wheel_works_where_it_is_installed(tmp_path: Path) -> None:
    """Built, installed into a fresh environment with the extra `web`, run from another folder."""
    from zermelo.web import static

    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COVERAGE"))}

    def call(*command: str | Path) -> str:
        done = subprocess.run(
            [str(word) for word in command], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, ROOT)
    [wheel] = tmp_path.glob("zermelo-*.whl")
    call(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    program = tmp_path / "env" / "bin" / "zermelo"
    call(python, "-m", "pip", "install", "--quiet", wheel)
    refused = subprocess.run([program, "serve"], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert re.fullmatch(r"zermelo: the web page needs \w+: pip install 'zermelo\[web\]'\n", refused.stderr)
    call(python, "-m", "pip", "install", "--quiet", f"zermelo[web] @ {wheel.as_uri()}")
    where = call(python, "-c", "import zermelo; print(zermelo.__file__)")
    assert Path(where.strip()).is_relative_to(tmp_path / "env")
    for name in GAMES:
        assert name in call(program, "games")
    found = call(program, "analyse", "tictactoe", "X-O/-X-/--O", "--exact", "--json")
    assert json.loads(found)["value"] == 0

    with subprocess.Popen(
        [program, "serve", "--port", "0"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    ) as serving:
        try:
            assert serving.stdout is not None
            address = re.search(r"http://\S+/", serving.stdout.readline())[0]
            for url, path in static.table().items():
                if not url.startswith("/docs/"):  # the documentation may be included
                    with urllib.request.urlopen(f"{address}{url.removeprefix('/')}") as answer:
                        assert answer.read() == static.served(path), url
            with urllib.request.urlopen(f"{address}api/catalogue") as answer:
                assert [game["name"] for game in json.load(answer)["games"]] == GAMES
            serving.send_signal(signal.SIGINT)
            assert serving.wait(30) == 130
        finally:
            serving.kill()


def test_no_page_has_a_name_that_sphinx_writes_over() -> None:
    for name in ("search", "genindex"):
        assert not (ROOT / "docs" / f"{name}.md").exists()


def test_windows_installs_what_the_makefile_installs() -> None:
    """Otherwise tests are skipped there without a word: those of the web server, if its extra is missing."""
    made = re.findall(r"\$\(BIN\)/python \$\(INSTALL\) --editable '(\.\[[a-z,]+\])'", text("Makefile"))
    run = re.findall(r'pip install --editable "(\.\[[a-z,]+\])"', text(".github", "workflows", "checks.yml"))
    assert run == made[:1]  # the second is that of `make adapters`
