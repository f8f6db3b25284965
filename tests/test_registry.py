"""Games by name and by file: what is found, and one line for what is not."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import nim as nim_module
import pytest

from zermelo import registry
from zermelo.errors import FileError, GameError, UnknownGame
from zermelo.games.othello import Othello

pytestmark = pytest.mark.quick

#: The source of a game in a file; its heap has 5 counters.
NIM = Path(nim_module.__file__).read_text(encoding="utf-8").replace("heap: int = 15", "heap: int = 5")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "nim.py"


def write(file: Path, source: str) -> Path:
    file.write_text(textwrap.dedent(source), encoding="utf-8")
    return file


def refusal(name: object) -> str:
    with pytest.raises((GameError, FileError)) as caught:
        registry.load(str(name))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_games_of_the_package() -> None:
    assert registry.load("othello") is Othello
    assert {"connect4", "othello", "pennies", "tictactoe"} <= set(registry.names())
    assert registry.names() == sorted(registry.names())


def test_every_name_loads_a_game_of_that_name() -> None:
    for name in registry.names():
        assert registry.load(name).__name__.casefold().startswith(name[:4])


@pytest.mark.parametrize(
    ("typed", "near"), [("otello", "othello"), ("Tic-Tac-Toe", "tictactoe"), ("conect4", "connect4")]
)
def test_an_unknown_name_gets_suggestions(typed: str, near: str) -> None:
    with pytest.raises(UnknownGame, match=f"unknown game '{typed}'; did you mean {near}"):
        registry.load(typed)


@pytest.mark.parametrize("typed", ["zzz", "", "nim:Nim", "../nim", "a" * 1000])
def test_a_name_without_similar_ones_gets_the_list(typed: str) -> None:
    with pytest.raises(UnknownGame, match=r"expected one of .*othello"):
        registry.load(typed)


def test_a_file_with_one_game(file: Path) -> None:
    write(file, NIM)
    nim = registry.load(str(file))
    assert nim.__name__ == "Nim"
    assert registry.load(f"{file}:Nim") is nim
    assert registry.load(str(file.parent / "." / file.name)) is nim
    assert nim.start().legal_moves() == [1, 2, 3]


def test_a_changed_file_is_read_again(file: Path) -> None:
    nim = registry.load(str(write(file, NIM)))
    changed = registry.load(str(write(file, NIM.replace("= 5", "= 6"))))
    assert (nim.start().heap, changed.start().heap) == (5, 6)  # type: ignore[attr-defined]


def test_a_file_may_import_from_its_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file.parent / "beside_nim.py", "MOST = 2")
    write(
        file,
        NIM.replace("import MAX, game", "import MAX, game\nimport beside_nim").replace(
            "min(3,", "min(beside_nim.MOST,"
        ),
    )
    path = list(sys.path)
    assert registry.load(str(file)).start().legal_moves() == [1, 2]
    assert sys.path == path
    monkeypatch.delitem(sys.modules, "beside_nim")


def test_annotations_are_left_as_they_are(file: Path) -> None:
    write(file, NIM + "\nANNOTATIONS = Nim.__annotations__\n")
    nim = registry.load(f"{file}:Nim")
    assert vars(sys.modules[nim.__module__])["ANNOTATIONS"] in ({}, {"heap": int, "turn": int})


def test_annotations_may_be_postponed(file: Path) -> None:
    write(file, "from __future__ import annotations\n" + NIM)
    assert [str(field) for field in registry.load(str(file)).fields] == ["int", "int"]


def test_a_file_with_several_games_needs_a_class_name(file: Path) -> None:
    write(file, NIM + NIM.replace("class Nim", "class Misere"))
    assert refusal(file) == f"game file {file}: name the class, {file}:ClassName; games in it: Nim, Misere"
    assert registry.load(f"{file}:Misere").__name__ == "Misere"


def test_an_imported_game_is_not_one_of_the_file(file: Path) -> None:
    write(file, "from zermelo.games.othello import Othello\n" + NIM)
    assert registry.load(str(file)).__name__ == "Nim"
    assert registry.load(f"{file}:Othello") is Othello


WRONG: dict[str, tuple[str, str]] = {
    "no game": ("x = 3", " defines no game; write a class with the decorator @game (from zermelo import game)"),
    "empty": ("", " defines no game; write a class with the decorator @game (from zermelo import game)"),
    "no decorator": (
        NIM.replace("@game\n", "") + "\n\nclass Helper:\n    pass\n",
        " defines no game; decorate the class Nim with @game (from zermelo import game)",
    ),
    "an imported game": (
        "from zermelo import State\nfrom zermelo.games.othello import Othello",
        " defines no game; it imports Othello; name the class: {file}:Othello",
    ),
    "syntax": ("x = 3\ndef f(:\n    pass", "does not import: line 2: invalid syntax"),
    "an exception": ("x = 3\n\n1 / 0", "does not import: line 3: ZeroDivisionError: division by zero"),
    "an import": (
        "import no_such_module",
        "does not import: line 1: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "an exit": ("import sys\nsys.exit(3)", "does not import: line 2: SystemExit: 3"),
    "not text": ("\0", "does not import: "),
    "a broken contract": (NIM.replace("def is_over", "def is_done"), ": Nim has no method is_over"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_reported_in_one_line(file: Path, what: str) -> None:
    source, expected = WRONG[what]
    write(file, source)
    before = set(sys.modules)
    message = refusal(file)
    assert message.startswith(f"game file {file}")
    assert expected.format(file=file) in message
    if " defines no game" not in message:
        assert not [name for name in set(sys.modules) - before if name.startswith("zermelo_file")]


def test_a_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.py") == f"game file {tmp_path / 'none.py'}: No such file or directory"
    (tmp_path / "folder.py").mkdir()
    assert "is a directory, not a file" in refusal(tmp_path / "folder.py")


def test_a_missing_class(file: Path) -> None:
    write(file, NIM)
    assert refusal(f"{file}:Nym") == f"game file {file} has no class Nym; games in it: Nim"
    assert refusal(f"{file}:game") == f"{file}:game: game is not a game; decorate the class with @game"
    assert refusal(f"{file}:MAX") == f"{file}:MAX: 1 is not a game; decorate the class with @game"


class _Entry:
    """An entry point of another package that fails."""

    value = "somewhere:Game"

    def __init__(self, found: object) -> None:
        self.found = found

    def load(self) -> Any:
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (ImportError("no module"), "game 'theirs' (somewhere:Game) does not import: ImportError: no module"),
        (GameError("Theirs has no method moves"), "Theirs has no method moves"),
        (object, "theirs: object is not a game; decorate the class with @game"),
    ],
)
def test_a_game_of_another_package_that_fails(monkeypatch: pytest.MonkeyPatch, found: object, message: str) -> None:
    monkeypatch.setattr(registry, "_entries", lambda: {"theirs": _Entry(found)})
    assert refusal("theirs") == message


def test_states_of_games_in_files_are_pickled_by_path(file: Path, tmp_path: Path) -> None:
    """A spawned process has not loaded the file."""
    nim = registry.load(str(write(file, NIM)))
    state = nim.start().play(2)
    assert pickle.loads(pickle.dumps([nim, state])) == [nim, state]
    (tmp_path / "state.pickle").write_bytes(pickle.dumps([nim, state, Othello.start()]))
    program = (
        "import pickle, sys, zermelo; cls, state, other = pickle.load(open(sys.argv[1], 'rb'))\n"
        "assert isinstance(state, cls); print(state, other == zermelo.load('othello').start())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "state.pickle"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "heap=3 turn=-1 True\n"


def test_a_file_that_is_gone_is_named_by_a_pickle_s_reader(file: Path) -> None:
    state = registry.load(str(write(file, NIM))).start()
    pickled = pickle.dumps(state)
    file.unlink()
    with pytest.raises(FileError, match=r"game file .*nim\.py: No such file"):
        pickle.loads(pickled)
