"""Names of any origin in every place of every command: no control character on the screen, no long line, no formula."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from keptgames import change_property, forge_game, plan_of, played_out

from zermelo.arena.store import Store
from zermelo.cli.app import app

pytestmark = pytest.mark.long

# Sets the title of a terminal, clears its screen, colours, reverses text, ends the line, is a formula, is not UTF-8.
EVIL = "=1+1\x1b]0;title\x07\x1b[2J\x9b1m\u202e\u200b\r\nzermelo: done\x7f\x08\udcff"
#: The same for a file: in UTF-8.
EVIL_TEXT = EVIL.replace("\udcff", "é")
#: And for a name within one line of a file.
EVIL_NAME = EVIL_TEXT.replace("\r\n", " ")
LONG = "\x1b" * 30_000
C0_OR_C1 = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\ud800-\udfff]")

FORMULA = re.compile(r"[\s\"']*[=+@-]")


def check_clean(done: Any, expected: tuple[int, ...] = (0, 1, 2), *, is_data: bool = False) -> None:
    """`is_data`: standard output is the content of a file, with its own newlines and invisible characters."""
    for text in (done.err, "" if is_data else done.out):
        assert CONTROL.search(text) is None, text[:2000]
        assert not any(line.startswith("zermelo: done") for line in text.split("\n"))
    assert C0_OR_C1.search(done.out) is None, done.out[:2000]
    assert done.code in expected, done
    assert "internal error" not in done.err
    assert all(len(line) <= 2000 for line in done.err.split("\n"))


def check_table(path: Path) -> None:
    """No cell of a CSV file is a formula or has a control character, wherever a spreadsheet splits its rows."""
    text = path.read_bytes().decode()
    assert C0_OR_C1.search(text) is None
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            first, *others = re.split("[;\t\r\n]", cell)
            assert not FORMULA.match(first) or first.startswith("'") or float(cell) <= 0
            assert not any(FORMULA.match(each) and not each.startswith("'") for each in others)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZERMELO_RUNS_DIR", str(tmp_path / "runs"))
    return tmp_path


# ---- the command line -------------------------------------------------------------------------------------------

#: A cheap, valid command line of each command whose parameters are then replaced; others start with no words.
VALID = {
    "games export": "store.zermelo",
    "show": "tictactoe",
    "analyse": "tictactoe --depth 1 --algorithm minimax",
    "explain": "tictactoe",
    "review": "chess games.pgn --depth 1",
    "play": "tictactoe",
    "new": "my_game",
    "check": "tictactoe --games 1 --no-compiled",
    "match": "tictactoe random random --games 2 --workers 0",
    "tournament": "tictactoe random random --games 2 --workers 0",
    "resume": "store.zermelo --workers 0",
    "standings": "store.zermelo",
    "league": "agents --game tictactoe --games 2 --workers 0 --seconds 1",
    "perft": "tictactoe 1",
    "convert": "chess games.pgn --to pgn",
    "equilibrium": "kuhn --iterations 1",
    "bench": "nosuchgame",
    "cache warm": "nosuchgame",
    "tree trace": "[1,2]",
    "tree draw": "[1,2]",
    "tree edit": "[1,2] -o editor.html",
    "tree why": "[1,2]",
    "tree order": "[1,2]",
    "tree mcts": "tictactoe --simulations 2",
    "tree grow": "tictactoe --depth 1",
    "exercise sheet": "set.json -o sheet.html",
    "exercise grade": "set.json answers",
    "exercise check": "program.py --cases 1",
    "lectures": "aima-5.2",
    "learn positions": "tictactoe --games 1 --out data.csv --workers 0",
    "learn fit": "tictactoe games.positions --out tictactoe.weights",
    "learn report": "tictactoe games.positions",
    "learn train": "tictactoe --folder games --games 1 --depth 1 --workers 0",
}


def parameters() -> Iterator[tuple[str, Any]]:
    """All commands, with their arguments and the options that take a value."""

    def walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
        for param in command.params:
            if not getattr(param, "is_flag", False) and not getattr(param, "hidden_completion", False):
                yield path, param
        for name, each in sorted(getattr(command, "commands", {}).items()):
            yield from walk(each, f"{path} {name}".strip())

    return walk(typer.main.get_command(app), "")


@pytest.fixture
def files(folder: Path) -> None:
    """What the valid command lines name."""
    from zermelo.cli import main

    (folder / "games.pgn").write_text('[White "a"]\n\n1. e4 *\n')
    (folder / "program.py").write_text("def minimax(game, state, depth):\n    return 0\n")
    (folder / "agents").mkdir()
    (folder / "agents" / "ann.py").write_text("def agent(game, state):\n    return game.legal_moves(state)[0]\n")
    (folder / "answers").mkdir()
    assert main(["exercise", "new", "-o", "set.json", "--answer-template", "answers/a.json"]) == 0
    save_store(folder / "store.zermelo", "a")


def save_store(path: Path, name: str, detail: str = "", title: str = "", game: str = "tictactoe") -> None:
    """A store of two games of `name` and b, written by hand past all checks of texts."""
    with Store.create(path, plan_of(game)) as store:
        for number in range(2):
            played = played_out(game, number, plies=6)
            job = replace(played.job, names=("a0", "b0"), players=("random", "random"))
            store.add(replace(played, job=job, detail="x", termination="crashed", forfeited_by=0, versions=("x", "")))

    def forged(text: str) -> str:
        return json.dumps(json.loads(text) | {"title": title}).replace('"a0"', json.dumps(name))

    change_property(path, "plan", forged)
    name, detail = (text.encode("utf-8", "replace").decode() for text in (name, detail))
    for number in range(2):
        forge_game(path, number, max_player=name, detail=detail, max_version=detail)


@pytest.mark.parametrize(("command", "param"), [
    pytest.param(command, param, id=f"{command} {param.name}") for command, param in parameters()
])  # fmt: skip
@pytest.mark.usefixtures("files")
def test_of_every_parameter(
    command: str, param: Any, zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command == "serve":  # it would go on until it is stopped
        monkeypatch.setattr("zermelo.web.server.serve", lambda _, opened, started: (started(), opened.close()))
    words = VALID.get(command, "").split()
    for evil in (EVIL, LONG):
        if param.param_type_name == "option":
            tried = [*words, max(param.opts, key=len), evil]
        else:
            places = [each.name for each in _arguments(command)]
            place = places.index(param.name)
            tried = [*words[:place], evil, *words[place + 1 :]]
        check_clean(zermelo(*command.split(), *tried, typed=f"{EVIL}\nquit\n"))


def _arguments(command: str) -> list[Any]:
    return [param for path, param in parameters() if path == command and param.param_type_name == "argument"]


def test_of_commands_and_options(zermelo: Callable[..., Any]) -> None:
    for words in ([EVIL], [f"--{EVIL}"], ["tree", EVIL], ["games", f"--{EVIL}"], ["games", f"-{LONG}"], [LONG]):
        check_clean(zermelo(*words), (2,))


# ---- files ------------------------------------------------------------------------------------------------------


#: A name, a detail and a title; the plans of the first three are refused.
STORED = [(EVIL, EVIL, "x"), (EVIL_NAME, EVIL_TEXT, "x"), ("a", "x", EVIL), ("a", EVIL, "x"), ("=1+1", LONG, "=1+1")]


def test_of_stores(zermelo: Callable[..., Any], folder: Path) -> None:
    for number, (name, detail, title) in enumerate(
        [(EVIL, EVIL, EVIL), (EVIL_NAME, EVIL_TEXT, "x"), ("a", LONG, LONG)]
    ):
        store = f"{number}{EVIL}.zermelo"
        save_store(folder / store, name, detail, title=title)
        for words in (
            ["standings", store], ["standings", store, "--json"], ["standings", store, "--cross"],
            ["standings", store, "--anchor", EVIL], ["resume", store, "--workers", "0"],
            ["games", "export", store, "--to", "csv"], ["games", "export", store, "--to", "moves"],
            ["games", "export", store, "--to", "json"], ["games", "export", store, "--to", "jsonl"],
            ["games", "export", store, "--player", EVIL], ["games", "export", store, "--to", EVIL],
        ):  # fmt: skip
            check_clean(zermelo(*words), is_data="--to" in words)
        assert zermelo("standings", store).code == (2 if number < 3 else 0)
        (folder / "a.csv").write_text("")
        check_clean(zermelo("games", "export", store, "-o", "a.csv"))
        check_table(folder / "a.csv")
    (folder / EVIL).write_text(EVIL_TEXT)  # not a store
    for command in (["standings"], ["resume"], ["games", "export"]):
        check_clean(zermelo(*command, EVIL), (2,))


def test_of_stores_for_chess(zermelo: Callable[..., Any], folder: Path) -> None:
    save_store(folder / "a.zermelo", "a0", EVIL, "x", "chess")
    for form in ("pgn", "epd", "fen", "uci", "san", "json", "csv", "jsonl"):
        check_clean(zermelo("games", "export", "a.zermelo", "--to", form), is_data=True)


BOARD = f"TY[8]BO[8 {'-' * 27}O*------*O{'-' * 27} *]"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
RECORD = {"tags": {EVIL: EVIL, "White": EVIL, "Black": EVIL}, "comment": EVIL}
#: Content of files by game and format; games that can be read come beside games that cannot.
CONVERTED = {
    "chess": {
        "pgn": f"""[White "{EVIL_NAME}"]\n[{EVIL_NAME} "a"]\n\n1. e4 {{{EVIL_TEXT}}} e5 ; {EVIL_NAME}
2. Nf9{EVIL_NAME} *

[White "{EVIL_NAME}"]\n\n1. e4 {{{EVIL_TEXT}}} e5 ({EVIL_NAME}) *

[White "{EVIL_NAME}"]\n\n1. e4 {{{EVIL_TEXT}}} e5 *

[Event "{EVIL_NAME}"]\n\n1. {EVIL_NAME} *\n""",
        "epd": f'{START} id "{EVIL_NAME}"; c0 "{EVIL_NAME}";\n{EVIL_NAME}\n',
        "fen": f"{EVIL_NAME}\n{START} 0 1 {EVIL_NAME}\n{START} 0 1\n",
        "uci": f"e2e4 {EVIL_NAME}\ne2e4\n",
        "san": f"e4 {EVIL_NAME}\ne4\n",
        "json": f"{EVIL_TEXT}\n{json.dumps(RECORD | {'moves': ['e4'], 'result': '*'})}\n",
    },
    "othello": {
        "ggf": f"(;GM[Othello]PC[{EVIL_TEXT}]PB[{EVIL_TEXT}]TI[{EVIL_TEXT}]{BOARD}B[F5]{EVIL_TEXT}[a];)\n"
        f"(;GM[Othello]PB[{EVIL_NAME}]{BOARD}B[{EVIL_NAME}];)\n(;GM[Othello]PB[{EVIL_TEXT}]{BOARD}B[F5];)\n",
        "moves": f"f5{EVIL_NAME}\nf5\n",
    },
    "go": {
        "sgf": f"(;SZ[9]PB[{EVIL_TEXT}]C[{EVIL_TEXT}];B[aa]{EVIL_TEXT}[a])\n"
        f"(;GM[1]SZ[9]PB[{EVIL_NAME}];B[{EVIL_NAME}])\n(;GM[1]SZ[9]PB[{EVIL_TEXT}];B[aa]C[{EVIL_TEXT}])\n(;GM[1]SZ[9]RE[{EVIL_NAME}])\n",
    },
    "checkers": {
        "pdn": f"""[White "{EVIL_NAME}"]\n\n1. 11-15 {{{EVIL_TEXT}}} 23-19 *

[White "{EVIL_NAME}"]\n\n1. {EVIL_NAME} *\n""",
    },
    "backgammon": {
        "match": f"""; [Player 1 "{EVIL_NAME}"]\n 3 point match\n\n Game 1\n {EVIL_NAME} : 0          {EVIL_NAME} : 0
  1) 31: 8/5 6/5               {EVIL_NAME}\n""",
    },
    "tictactoe": {"positions": f"{EVIL_NAME}\nX--/---/---\n", "json": json.dumps(RECORD | {"moves": [EVIL]})},
}  # fmt: skip


@pytest.mark.parametrize("game", CONVERTED)
def test_of_converted_files(game: str, zermelo: Callable[..., Any], folder: Path) -> None:
    for form, content in CONVERTED[game].items():
        (folder / EVIL).write_bytes(content.encode("utf-8", "backslashreplace"))
        goals = json.loads(zermelo("convert", game, "--formats", "--json").out)
        for goal in goals:
            check_clean(zermelo("convert", game, EVIL, "--from", form, "--to", goal), is_data=True)
        check_clean(zermelo("convert", game, EVIL, "--from", form, "--to", "json", "-o", f"{EVIL}2", "--json"))


def test_of_openings_and_positions(zermelo: Callable[..., Any], folder: Path) -> None:
    (folder / EVIL).write_text(EVIL_TEXT)
    match = ["match", "tictactoe", "random", "random", "--games", "2", "--workers", "0", "--openings"]
    check_clean(zermelo(*match, f"file:{EVIL}"), (2,))
    (folder / EVIL).write_text(f"{EVIL_NAME}\nX--/---/---\n{LONG}\n")
    check_clean(zermelo("analyse", "tictactoe", "--positions", EVIL, "--depth", "1"))
    check_clean(zermelo("analyse", "tictactoe", "-", "--depth", "1", typed=EVIL_TEXT), (2,))
    check_clean(zermelo("show", "tictactoe", "-", typed=LONG), (2,))
    check_clean(zermelo("show", "tictactoe", "--moves", EVIL), (2,))


def test_of_plans(zermelo: Callable[..., Any], folder: Path) -> None:
    name = json.dumps(EVIL_TEXT)
    plans = [
        f'game = "tictactoe"\n{name} = 1\n',
        f"game = {name}\nplayers = [{name}, {name}]\n",
        f'game = "tictactoe"\ntitle = {name}\nplayers = ["random", "random"]\n',
        f'game = "tictactoe"\nopenings = {name}\ncontrol = {name}\nplayers = ["random", "random"]\n',
        EVIL_TEXT,
        LONG,
    ]
    for plan in plans:
        (folder / f"{EVIL}.toml").write_text(plan)
        check_clean(zermelo("tournament", f"{EVIL}.toml", "--workers", "0"), (2,))


def test_of_game_files(zermelo: Callable[..., Any], folder: Path) -> None:
    for text in (f"raise ValueError({EVIL_TEXT!r})", f"raise ValueError({LONG!r})", EVIL_NAME, "import nosuch\x1b[2J"):
        (folder / f"{EVIL}.py").write_text(text)
        for command in ("show", "analyse", "perft", "check", "play", "explain"):
            check_clean(zermelo(command, f"{EVIL}.py", *(["1"] if command == "perft" else [])))


def test_of_trees(zermelo: Callable[..., Any], folder: Path) -> None:
    name = json.dumps(EVIL_TEXT)
    trees = [f"[{name}=1, 2]", json.dumps({"id": EVIL, "children": [{"value": 1}]}), EVIL_TEXT, LONG]
    for tree in trees:
        (folder / EVIL).write_text(tree, "utf-8", "replace")
        for command in ("trace", "draw", "why", "order"):
            check_clean(zermelo("tree", command, EVIL))
            check_clean(zermelo("tree", command, tree))
        check_clean(zermelo("exercise", "new", EVIL))
    (folder / EVIL).write_text("[1,2]")
    for form in ("svg", "html", "tikz", "dot", "text"):
        check_clean(zermelo("tree", "draw", EVIL, "--format", form))
    check_clean(zermelo("tree", "draw", EVIL, "-o", f"{EVIL}.svg", "--json"))


def test_of_students_and_answers(zermelo: Callable[..., Any], folder: Path) -> None:
    for text in (f"name\n{EVIL_NAME}\nAda\n", f'id,name\n1,"{EVIL_TEXT}"\n', EVIL_TEXT, LONG):
        (folder / EVIL).write_bytes(text.encode())
        check_clean(zermelo("exercise", "new", "--students", EVIL, "-o", "set.json"))
        check_clean(zermelo("exercise", "new", "--students", EVIL))
    assert zermelo("exercise", "new", "-o", "set.json", "--answer-template", "form.json").code == 0
    form = json.loads((folder / "form.json").read_text())
    (folder / "answers").mkdir()
    contents = [
        EVIL_TEXT,
        json.dumps(form | {"student": EVIL}),
        json.dumps(form | {"student": "=HYPERLINK(1)"}),
        json.dumps(form | {"student": "ann; =HYPERLINK(1)"}),
        json.dumps(form | {"exercise": EVIL, EVIL: 1}),
        json.dumps(dict.fromkeys(form, EVIL)),
        json.dumps({key: {EVIL: EVIL} for key in form}),
        json.dumps({**form, "values": LONG, "best": LONG}),
    ]
    for number, content in enumerate(contents):
        (folder / "answers" / f"{EVIL}{number}.json").write_text(content)
    headings = f"student,values,values.A,windows.{EVIL_NAME}.entry,cuts,order,best"
    others = {
        "class.csv": f'{headings}\n"{EVIL_TEXT}","{EVIL_NAME}","=1+1",{EVIL_NAME},-,@x,+1\n',
        f"answers/{EVIL}.txt": f"best: {EVIL_TEXT}\n{EVIL}: 3\nvalues: {EVIL}=3\norder: {LONG}",
        f"answers/{EVIL}.yaml": f"best: {json.dumps(EVIL_TEXT)}\n{json.dumps(EVIL_NAME)}: 3\n",
        f"answers/{EVIL}.toml": f"best = {json.dumps(EVIL_NAME)}\n{json.dumps(EVIL_NAME)} = 3\n",
    }
    for name, content in others.items():
        (folder / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    for words in ([], ["--remarks"], ["--no-remarks"], ["--json"]):
        check_clean(zermelo("exercise", "grade", "set.json", "answers", "class.csv", *words, "--csv", "a.csv"))
        check_table(folder / "a.csv")
    check_clean(zermelo("exercise", "grade", "answers", "answers"))
    check_clean(zermelo("exercise", "sheet", f"answers/{EVIL}0.json", "-o", "a.html"), (2,))


def test_of_checked_programs(zermelo: Callable[..., Any], folder: Path) -> None:
    (folder / "class").mkdir()
    programs = [
        f"def minimax(game, state, depth):\n    return {EVIL_TEXT!r}\n",
        f"def minimax(game, state, depth):\n    raise ValueError({EVIL_TEXT!r})\n",
        f"def minimax(game, state, depth):\n    raise type({EVIL_TEXT!r}, (Exception,), {{}})({LONG!r})\n",
        EVIL_NAME,
    ]  # fmt: skip
    for number, text in enumerate(programs):
        (folder / "class" / f"{EVIL}{number}.py").write_text(text)
    for name in ("=1+1", "ann;=cmd|'!A0", "ben\t=1+1", "cy\n=1+1"):
        (folder / "class" / f"{name}.py").write_text("")
    for words in (["class"], ["class", "--json"], [f"class/{EVIL}1.py"], [f"class/{EVIL}3.py"]):
        check_clean(zermelo("exercise", "check", *words, "--cases", "1", "--csv", "a.csv"))
        check_table(folder / "a.csv")


def test_of_agents_of_a_league(zermelo: Callable[..., Any], folder: Path) -> None:
    (folder / EVIL).mkdir()
    agents = {
        "ann": "def agent(game, state):\n    return game.legal_moves(state)[0]\n",
        "bob": f"def agent(game, state):\n    raise ValueError({EVIL_TEXT!r})\n",
        "cat": f"raise ValueError({LONG!r})\n",
        EVIL: "",
    }
    for name, text in agents.items():
        (folder / EVIL / f"{name}.py").write_text(text)
    words = ["--game", "tictactoe", "--games", "2", "--workers", "0", "--title", EVIL_NAME]
    check_clean(zermelo("league", EVIL, *words, "-o", "pages"))
    check_clean(zermelo("league", EVIL, *words[:-2], "-o", "pages2", "--against", EVIL), (2,))


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
def test_of_engines(protocol: str, zermelo: Callable[..., Any], folder: Path) -> None:
    engines = {
        "name": f"print('id name ' + {EVIL_TEXT!r}); print('= ' + {EVIL_TEXT!r} + '\\n'); print('uciok', flush=True)",
        "error": f"sys.stderr.write({EVIL_TEXT!r}); sys.exit(3)",
        "long": f"print({LONG!r}, flush=True); sys.exit(3)",
    }
    game = {"uci": "chess", "gtp": "othello"}[protocol]
    for name, text in engines.items():
        program = folder / f"{name}\u202e.py"
        program.write_text(f"import sys\nsys.stdin.readline()\n{text}\nprint('readyok', flush=True)\n"
                           f"for line in sys.stdin:\n    print('bestmove ' + {EVIL_TEXT!r}, flush=True)\n")  # fmt: skip
        command = f"evil={protocol}:{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
        words = ["match", game, command, "random", "--games", "2", "--workers", "0", "--max-plies", "4"]
        check_clean(zermelo(*words, "--store", f"{name}.zermelo"))
        (folder / f"{name}.py").write_text(program.read_text())
        command = f"evil={protocol}:{shlex.quote(sys.executable)} {shlex.quote(str(folder / name))}.py"
        check_clean(zermelo(*words[:2], command, *words[3:], "--store", f"{name}.2.zermelo"))
        if Path(f"{name}.2.zermelo").exists():
            check_clean(zermelo("standings", f"{name}.2.zermelo"))


def test_of_environment_variables(zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(folder / EVIL))
    for words in (["cache", "show"], ["cache", "clear"]):
        check_clean(zermelo(*words))


def test_on_a_terminal_with_colours_and_live_displays(
    program: list[str], environment: dict[str, str], folder: Path
) -> None:
    pty = pytest.importorskip("pty")
    save_store(folder / f"{EVIL}.zermelo", "a", EVIL)
    (folder / "class").mkdir()
    (folder / "class" / f"{EVIL}.py").write_text(
        f"def minimax(game, state, depth):\n    raise ValueError({EVIL_TEXT!r})\n"
    )
    (folder / "games.pgn").write_text(f'[White "{EVIL_NAME}"]\n\n1. e4 {{{EVIL_TEXT}}} e5 *\n')
    for words in (
        ["standings", f"{EVIL}.zermelo"],
        ["games", "export", f"{EVIL}.zermelo", "--to", "csv"],
        ["exercise", "check", "class", "--cases", "1"],
        ["convert", "chess", "games.pgn", "--to", "pgn"],
    ):
        ours, theirs = pty.openpty()
        child = subprocess.Popen(
            [*program, *words], stdin=theirs, stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm"}
        )
        os.close(theirs)
        output = b""
        with suppress(OSError):  # how Linux reports the end
            while piece := os.read(ours, 1 << 16):
                output += piece
        os.close(ours)
        assert child.wait() in (0, 2)
        assert b"x1b]0;title" in output or b"\xef\xbf\xbd]0;title" in output
        # Our own: colours, and the live display, which hides the cursor and moves up and to the left.
        plain = re.sub(r"\x1b\[([0-9;]*m|\?25[lh]|2K|1A)|\r", "", output.decode())
        assert CONTROL.search(plain) is None
