"""`zermelo solve`: values of positions and files, tables of bridge deals, errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.core.weight_file import save_weights
from zermelo.games.tictactoe import OpenLines, TicTacToe

DEAL = "N:AQ2... K4.Q.. 53..A. T.98.."


@pytest.mark.long
def test_a_position_and_its_moves(zermelo: Callable[..., Any]) -> None:
    result = zermelo("solve", "tictactoe", "XO-/---/---", "--each", "--json").json
    assert result["value"] == 1
    assert set(result["moves"].values()) <= {-1, 0, 1}
    assert max(result["moves"].values()) == 1


def test_a_weight_file_orders_the_moves(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = str(tmp_path / "seven.weights")
    save_weights(path, TicTacToe, OpenLines([7]))
    assert zermelo("solve", "tictactoe", "XO-/---/---", "--evaluation", path, "--json").json["value"] == 1
    done = zermelo("solve", "othello", "f5", "--evaluation", path)
    assert (done.code, done.out) == (2, "")
    assert "seven.weights: " in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.long
def test_a_value_says_who_wins(zermelo: Callable[..., Any]) -> None:
    printed = zermelo("solve", "tictactoe", "X-O/-X-/--O", "--each").out.splitlines()
    assert [line.split(maxsplit=1) for line in printed[:-1]] == [
        ["value", "0, a draw"], ["b1", "-1, noughts win"], ["a2", "-1, noughts win"], ["c2", "0, a draw"],
        ["a3", "-1, noughts win"], ["b3", "-1, noughts win"],
    ]  # fmt: skip
    assert zermelo("solve", "tictactoe", "XX-/OO-/---", "--wld").out.startswith("outcome  crosses win\n")
    assert zermelo("solve", "tictactoe", "XX-/OO-/---", "--algorithm", "proof").out.startswith(
        "value    1, crosses win\n"
    )


@pytest.mark.long
def test_a_deal_of_bridge_gives_a_table(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    result = zermelo("solve", "bridge", DEAL, "--json").json
    assert [list(row.values()) for row in result["table"].values()] == [
        [2, 1, 2, 2, 2], [1, 2, 1, 1, 1], [2, 1, 2, 1, 1], [1, 2, 1, 2, 2],
    ]  # fmt: skip
    assert "par" not in result
    result = zermelo("solve", "bridge", f"{DEAL} NT S", "--json").json
    assert (result["tricks"], result["moves"]) == (2, {"S3": 1, "S5": 1, "DA": 2})
    file = tmp_path / "deals.txt"
    file.write_text(f"# two\n{DEAL} NT S\n\n{DEAL} S W\n")
    assert len(zermelo("solve", "bridge", str(file)).out.splitlines()) == 2
    file.write_text(f"# bad\n{DEAL} NT S\n{DEAL} NT X\n")
    code, out, err = zermelo("solve", "bridge", str(file))
    assert (code, out) == (2, "")
    assert "deals.txt:3: Bridge position: 'X' is not the leader's seat" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bridge", DEAL, "--dealer", "Q"), "--dealer must be N, E, S or W (got 'Q')"),
        (("bridge", DEAL, "--vulnerable", "x"), "--vulnerable must be none, ns, ew or both (got 'x')"),
        (("bridge", DEAL.replace("K4", "A4")), "SA is in the hands of North and East"),
        (("backgammon", "31"), "Backgammon has chance"),
        (("bridge", DEAL, "--wld"), "--wld needs a game with a winner; bridge counts tricks"),
        (("kuhn", "JK"), "Kuhn is a game of imperfect information"),
        (("tictactoe", "nowhere.txt"), "nowhere.txt: No such file"),
        (("tictactoe", "nowhere"), "'n') is not a square"),
        (("tictactoe", "XX./.X./.O.O"), "TicTacToe position"),
        (("othello", "...X.O"), "6 squares; expected 64"),
        (("chess", "8/8/8 w - - 0 1.5"), "Chess position"),
    ],
)
def test_refused(words: tuple[str, ...], told: str, zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("solve", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_mistakes_of_a_game_are_its_own(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    """Also where a text may be a position or the name of a file."""
    game = tmp_path / "heap.py"
    game.write_text(
        "from zermelo import State, game\n\n\n@game\nclass Heap(State):\n    heap: int = 5\n    turn: int = 1\n\n"
        "    def to_move(self):\n        return self.turn\n\n"
        "    def moves(self):\n        yield from range(1, min(self.heap, 3) + 1)\n\n"
        "    def play(self, move):\n        return self.replace(heap=self.heap - move, turn=-self.turn)\n\n"
        "    def is_over(self):\n        return self.heap == 0\n\n"
        "    def utility(self):\n        return -self.turn\n\n"
        "    @classmethod\n    def parse(cls, text):\n        return cls(int(text), 1)\n"
    )
    for source in ("nofile.txt", "abc"):
        _, _, err = zermelo("solve", str(game), source)
        assert "Heap.parse raised ValueError" in err


FFO = """% three of the FFO suite
-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; a4:+10; b2:+0; a3:-6; % 2
----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X; d1:+2; g3:+0; % 3
-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X; h8:+0; % 4
"""


@pytest.mark.long
def test_scores_of_an_obf_file_are_compared(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    file, saved = tmp_path / "ffo.obf", tmp_path / "saved.jsonl"
    file.write_text(FFO)
    code, out, _ = zermelo("solve", "othello", str(file), "--each")
    assert code == 0
    assert "score +10  expected +10" in out.splitlines()[0]
    assert out.splitlines()[-1].startswith("3 positions compared, 0 different; ")
    # Of wins, draws and losses alone the signs are compared.
    code, out, _ = zermelo("solve", "othello", str(file), "--wld")
    assert code == 0
    assert [" ".join(line.split()[2:6]) for line in out.splitlines()[:3]] == [
        "score win expected +10", "score win expected +2", "score draw expected +0",
    ]  # fmt: skip
    # A wrong score and a wrong move are found; the results that were saved are not solved again.
    result = zermelo("solve", "othello", str(file), "--resume", str(saved), "--json").json
    assert [(each["score"], each["agrees"]) for each in result["results"]] == [(10, True), (2, True), (0, True)]
    lines = saved.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    saved.write_bytes(b"".join(lines[:2]).replace(b'"nodes": ', b'"nodes": 1000000') + lines[2][:20])
    file.write_text(FFO.replace("d1:+2", "d1:+6"))
    code, out, _ = zermelo("solve", "othello", str(file), "--resume", str(saved), "--json")
    assert code == 1
    results = json.loads(out)["results"]
    assert [each["agrees"] for each in results] == [True, False, True]
    assert [each["nodes"] > 1_000_000 for each in results] == [True, False, False]
    assert len(saved.read_bytes().splitlines()) == 4
    file.write_text(FFO.replace("g3:+0", "g3:+4"))
    code, out, _ = zermelo("solve", "othello", str(file), "--each")
    assert code == 1
    assert out.splitlines()[1].endswith(" s  different: g3:+0")


def test_wrong_obf_and_resume_files(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    file, saved = tmp_path / "ffo.obf", tmp_path / "saved.jsonl"
    file.write_text(FFO.replace("g3:+0", "a1:+0"))
    code, out, err = zermelo("solve", "othello", str(file))
    assert (code, out) == (2, "")
    assert "ffo.obf: game 1, line 3: 'a1' is not a legal move" in err
    file.write_text(FFO)
    for content, told in [
        ("{}\n", "saved.jsonl:1: not a line of results; expected a file of --resume"),
        ('{"solve": 1, "game": "chess"}\n', "saved.jsonl: results of another game or other options"),
        ("my essay, saved without a last newline", "saved.jsonl:1: not a line of results"),
    ]:
        saved.write_text(content)
        code, out, err = zermelo("solve", "othello", str(file), "--resume", str(saved))
        assert (code, out) == (2, "")
        assert told in err
        assert saved.read_text() == content
    code, _, err = zermelo("solve", "othello", "start", "--resume", str(saved))
    assert code == 2
    assert "--resume needs a file of positions (got 'start')" in err


# Pons' set L3_R1: the score is published. Five columns are full.
LATE = "2252576253462244111563365343671351441"


def test_scores_of_a_game_with_distances(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    result = zermelo("solve", "connect4", LATE, "--json").json
    assert (result["value"], result["plies"], result["score"]) == (1, 4, -1)
    result = zermelo("solve", "connect4", LATE, "--each", "--json").json
    assert (result["value"], result["plies"], result["score"]) == (1, 4, -1)
    assert [each["score"] for each in result["move_scores"]] == [None] * 5 + [-1, -2]
    _, out, _ = zermelo("solve", "connect4", LATE, "--each")
    assert out.splitlines()[2:5] == [
        "score    -1 for the side to move",
        "  1      not a legal move",
        "  2      not a legal move",
    ]
    assert "  7      -2, X (yellow) wins\n" in out
    assert "score" not in zermelo("solve", "connect4", LATE, "--wld", "--json").json
    book = zermelo("solve", "connect4", "--each", "--json").json
    assert (book["score"], [each["score"] for each in book["move_scores"]]) == (1, [-2, -1, 0, 1, 0, -1, -2])
    file, saved = tmp_path / "s.txt", tmp_path / "saved.jsonl"
    file.write_text(LATE + "\n")
    asked = ("solve", "connect4", str(file), "--each", "--resume", str(saved), "--quiet", "--json")
    first = zermelo(*asked).json["results"]
    assert zermelo(*asked).json["results"] == first
    assert first[0]["move_scores"] == result["move_scores"]
    saved.write_text(saved.read_text().replace('"move_plies": {"6": 4', '"move_plies": {"6": null'))
    assert zermelo(*asked).code == 2


@pytest.mark.parametrize(
    ("position", "words", "name", "wrong"),
    [
        ("X--------", (), "value", ["x", None, float("nan"), 1e999, 2, 0.0, True]),
        ("X--------", (), "position", [3, "O--/---/---", None]),
        ("X--------", (), "nodes", [None, -1, 1 << 63, 1.5]),
        ("X--------", (), "seconds", ["1", -1.0, float("inf")]),
        ("X--------", (), "plies", [-1, "3"]),
        ("X--------", (), "other", [1]),
        ("X--------", ("--each",), "moves", [{}, {"z9": 0}, [], None, 3]),
        ("X--------", ("--wld",), "wld", [1, False]),
        ("X--------", ("--wld",), "players", [["a", "b"], "crosses", []]),
    ],
)
def test_damaged_results_are_refused(
    zermelo: Callable[..., Any], tmp_path: Path, position: str, words: tuple[str, ...], name: str, wrong: list[Any]
) -> None:
    file, saved = tmp_path / "s.txt", tmp_path / "saved.jsonl"
    file.write_text(position + "\n")
    asked = ("solve", "tictactoe", str(file), *words, "--resume", str(saved), "--quiet")
    whole = zermelo(*asked)
    header, line = map(json.loads, saved.read_text().splitlines())
    assert zermelo(*asked).out == whole.out
    for value in wrong:
        damaged = json.dumps(header) + "\n" + json.dumps(line | {"result": line["result"] | {name: value}}) + "\n"
        saved.write_text(damaged)
        code, out, err = zermelo(*asked)
        assert (code, out, err.count("\n")) == (2, "", 1), value
        assert "saved.jsonl:2: damaged line of results; delete the line, or use another file" in err
        assert saved.read_text() == damaged


@pytest.mark.long
def test_results_of_bridge_are_read_back(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    file, saved = tmp_path / "deals.txt", tmp_path / "saved.jsonl"
    file.write_text(f"{DEAL}\n{DEAL} NT S\n")
    asked = ("solve", "bridge", str(file), "--resume", str(saved), "--json")
    assert zermelo(*asked).json == zermelo(*asked).json
    content = saved.read_text().splitlines()
    assert len(content) == 3
    for number, (old, new) in ((2, ('"NT": 2', '"NT": 9')), (3, ('"tricks": 2', '"tricks": 1'))):
        lines = [*content]
        lines[number - 1] = lines[number - 1].replace(old, new, 1)
        assert lines != content
        saved.write_text("\n".join([*lines, ""]))
        code, out, err = zermelo(*asked)
        assert (code, out) == (2, "")
        assert f"saved.jsonl:{number}: damaged line of results" in err
