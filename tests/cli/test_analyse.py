"""`zermelo analyse`: the engine and the textbook from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nim
import pytest

from zermelo import analyse, load
from zermelo.learn.tuned_file import TunedFile, tuned_bytes
from zermelo.search.selective import Selective

KEYS = {
    "game", "position", "to_move", "player", "best", "value", "plies", "estimate", "unit", "expected", "line", "lines",
    "depth", "nodes", "seconds", "nodes_per_second", "reason", "evaluation", "algorithm", "threads", "confidence",
}  # fmt: skip


def test_json_object(zermelo: Callable[..., Any]) -> None:
    done = zermelo("analyse", "tictactoe", "X-O/-X-/--O", "--exact", "--json")
    assert done.code == 0
    assert done.out.count("\n") == 1
    found = done.json
    assert set(found) == KEYS
    assert found["game"] == "tictactoe"
    assert found["position"] == "X-O/-X-/--O"
    assert (found["to_move"], found["player"]) == ("MAX", "crosses")
    assert (found["best"], found["value"], found["estimate"], found["reason"]) == ("c2", 0, None, "exact")
    assert found["line"][0] == found["best"]


def test_text(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("analyse", "tictactoe", "XX-OO----")
    assert code == 0
    board, _, told = out.partition("\n\n")
    assert board.splitlines()[2] == "1 │ X │ X │ 3 │"
    assert told.startswith(
        "  to move  crosses\n"
        "  best     c1\n"
        "  score    crosses win in 1 ply, proven\n"
        "  line     c1\n"
        "  depth    1 ply: solved\n"
    )


def test_scores_are_from_max_s_side(zermelo: Callable[..., Any]) -> None:
    found = zermelo("analyse", "tictactoe", "XX-OO---X", "--exact", "--json").json
    assert (found["to_move"], found["value"]) == ("MIN", -1)
    assert found["plies"] == 1


def test_a_selective_search_is_called_so(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("analyse", "chess", "--nodes", "500", "--selective")
    assert "  search   selective\n" in out
    assert zermelo("analyse", "chess", "--nodes", "500", "--selective", "--json").json["confidence"] is None
    done = zermelo("analyse", "tictactoe", "--algorithm", "minimax", "--selective")
    assert (done.code, done.err) == (2, "zermelo: --selective needs the engine, not minimax\n")


def test_tuned_parameters(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names, values = ("reduction_base", "late_move_count"), (250.0, 1.0)
    Path("tuned").write_bytes(tuned_bytes(TunedFile("TicTacToe", names, (values,), 1, "", "")))
    state, tuned = load("tictactoe").start(), Selective(reduction_base=250, late_move_count=1)
    expected = analyse(state, depth=5, selective=tuned)
    words = ("analyse", "tictactoe", "--depth", "5", "--parameters", "tuned")
    found = zermelo(*words, "--json").json
    assert (found["nodes"], found["confidence"]) == (expected.nodes, None)
    assert found["nodes"] != zermelo(*words[:4], "--selective", "--json").json["nodes"]
    Path("positions").write_text(f"{state}\n")
    assert zermelo(*words, "--positions", "positions", "--workers", "0", "--quiet").json["nodes"] == expected.nodes
    assert ", selective" in zermelo("play", "tictactoe", *words[2:], typed="hint\nquit\n").out
    Path("one.moves").write_text("b2 b1\n")
    data = zermelo("review", "tictactoe", "one.moves", *words[2:], "--json").json
    assert data["settings"]["selective"] == repr(tuned)
    for options, message in (
        ("--no-selective", "--parameters and --no-selective cannot be combined"),
        ("--confidence 95", "--confidence and --parameters cannot be combined"),
        ("--exact", "--exact and --parameters cannot be combined: an exact search proves its score"),
        ("--algorithm mcts", "--parameters needs the engine, not mcts"),
    ):
        done = zermelo("analyse", "tictactoe", "--parameters", "tuned", *options.split())
        assert (done.code, done.err) == (2, f"zermelo: {message}\n")
    done = zermelo("analyse", "othello", "--parameters", "tuned")
    assert (done.code, "for the game 'TicTacToe', not Othello" in done.err) == (2, True)
    done = zermelo("uci", "--parameters", "tuned", typed="quit\n")
    assert (done.code, "for the game 'TicTacToe', not Chess" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "analyse tictactoe --selective --exact",
            "--exact and --selective cannot be combined: an exact search proves its score",
        ),
        ("analyse nim.py --selective", "--selective: Nim is interpreted, and interpreted games are searched exactly"),
        (
            "analyse nim.py --confidence 95",
            "--confidence: Nim is interpreted, and interpreted games are searched exactly",
        ),
        (
            "analyse nim.py --positions x --selective",
            "--selective: Nim is interpreted, and interpreted games are searched exactly",
        ),
        (
            "analyse backgammon --selective",
            "--selective: games of chance such as Backgammon are always searched exactly",
        ),
        ("analyse tictactoe --algorithm mcts --selective", "--selective needs the engine, not mcts"),
        ("play nim.py --selective", "--selective: Nim is interpreted, and interpreted games are searched exactly"),
        ("play kuhn --selective", "--selective: games of chance such as Kuhn are always searched exactly"),
        (
            "play phantom-tictactoe --selective",
            "--selective: games with hidden information such as PhantomTicTacToe have no selective search",
        ),
        ("play tictactoe --selective --algorithm mcts", "--selective needs the engine, not mcts"),
        (
            "match nim.py engine:selective=yes random --games 2",
            "engine: selective=yes: Nim is interpreted, and interpreted games are searched exactly",
        ),
    ],
)
def test_selective_searches_that_do_not_exist_are_refused(
    zermelo: Callable[..., Any], words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nim.py").write_text(Path(nim.__file__).read_text().replace("@game\n", "@game(compiled=False)\n"))
    done = zermelo(*words.split(), typed="")
    assert (done.code, done.err) == (2, f"zermelo: {message}\n")


@pytest.mark.long
def test_evaluations_tell_what_is_not_proven(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("analyse", "connect4", "4453", "--depth", "4", "--evaluation", "lines")
    assert " by lines at depth 4 (" in out
    assert "  depth    4 plies: depth limit\n" in out
    _, out, _ = zermelo("analyse", "connect4", "--depth", "3", "--evaluation", "nothing")
    assert "  score    undecided within 3 plies\n" in out


def test_without_any_evaluation_the_remedy_is_named(zermelo: Callable[..., Any]) -> None:
    ghost = str(Path(__file__).parents[2] / "examples" / "ghost.py")
    remedy = "; the game has no evaluation, --algorithm mcts estimates by playouts\n"
    _, out, _ = zermelo("analyse", ghost, "--depth", "2")
    assert f"  score    undecided within 2 plies{remedy}" in out
    for search in (["--exact"], ["--algorithm", "mcts", "--nodes", "10"]):
        _, out, _ = zermelo("analyse", ghost, *search)
        assert remedy not in out


def test_graded_wins(zermelo: Callable[..., Any]) -> None:
    """White cannot move, black fills the board: +64, found with and without asking for proof."""
    position = "X" * 61 + "-OX" + " X"
    _, out, _ = zermelo("analyse", "othello", position, "--exact")
    assert "  score    black wins by 64, proven\n" in out
    assert zermelo("analyse", "othello", position, "--exact", "--json").json["value"] == 64


def test_lines(zermelo: Callable[..., Any]) -> None:
    found = zermelo("analyse", "tictactoe", "X-O/-X-/---", "--exact", "--lines", "3", "--json").json
    assert [line["value"] for line in found["lines"]] == [0, 1, 1]  # noughts are to move
    assert [line["plies"] for line in found["lines"]] == [None, 2, 2]
    _, out, _ = zermelo("analyse", "tictactoe", "X-O/-X-/---", "--exact", "--lines", "3")
    rows = out.rpartition("\n\n")[2].splitlines()
    assert rows[0].split() == ["best", "score", "line"]
    assert rows[1].split()[:4] == ["1", "c3", "a", "draw"]
    assert "crosses win in 2 plies" in rows[2]


# Pons' set L3_R1: the side to move loses with one stone left. Five columns are full.
LATE = "2252576253462244111563365343671351441"


def test_scores_of_all_columns(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("analyse", "connect4")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if "solved" in line or "for X (yellow)" in line]
    assert rows == [["solved", *"1234567"], ["for", "X", "(yellow)", "-2", "-1", "0", "+1", "0", "-1", "-2"]]
    _, out, _ = zermelo("analyse", "connect4", LATE)
    assert "  for O (red)  -  -  -  -  -  -1  -2\n" in out
    assert "?" not in out
    scores = zermelo("analyse", "connect4", LATE, "--json").json["move_scores"]
    assert [each["move"] for each in scores] == list("1234567")
    assert [each["score"] for each in scores] == [None] * 5 + [-1, -2]
    assert [each["is_legal"] for each in scores] == [False] * 5 + [True] * 2
    assert "move_scores" not in zermelo("analyse", "connect4", LATE, "--lines", "1", "--json").json


def test_columns_that_are_not_solved(zermelo: Callable[..., Any]) -> None:
    """With 3 and 7 the side to move wins at once; nothing is known of the others at depth 1."""
    _, out, _ = zermelo("analyse", "connect4", "415161", "--depth", "1")
    assert "\n  for X (yellow)  ?  ?  +18  ?  ?  ?  +18\n" in out
    assert "\n  ?: not solved within the limits; use --exact, more --seconds or more --lines\n" in out


def test_graded_scores_of_all_moves(zermelo: Callable[..., Any]) -> None:
    position = "XO-" + "X" * 58 + "-OX" + " O"
    found = zermelo("analyse", "othello", position, "--exact", "--lines", "9", "--json").json
    scores = {each["move"]: each["score"] for each in found["move_scores"]}
    assert scores == {line["best"]: -line["value"] for line in found["lines"]}
    _, out, _ = zermelo("analyse", "othello", position, "--exact", "--lines", "9")
    assert "\n  solved" in out


def test_limits_and_threads(zermelo: Callable[..., Any]) -> None:
    found = zermelo("analyse", "connect4", "--nodes", "20000", "--threads", "2", "--table", "1M", "--json").json
    assert (found["reason"], found["threads"]) == ("nodes", 2)
    assert found["nodes"] <= 20000
    found = zermelo("analyse", "connect4", "--seconds", "0.2", "--json").json
    assert found["reason"] == "seconds"
    assert found["seconds"] >= 0.2


def test_levels(zermelo: Callable[..., Any]) -> None:
    """A level limits nodes; Othello's own limit the depth, choose a confidence and solve the end."""
    assert zermelo("analyse", "connect4", "--level", "2", "--json").json["nodes"] <= 100
    found = zermelo("analyse", "othello", "--level", "11", "--json").json
    assert (found["depth"], found["confidence"], found["reason"]) == (11, 95, "depth")
    found = zermelo("analyse", "othello", "--level", "2", "--json").json
    assert (found["depth"], found["confidence"], found["reason"]) == (2, 100, "depth")
    ending = "X" * 58 + "-OX-O" + "-" + " O"
    assert zermelo("analyse", "othello", ending, "--level", "35", "--json").json["reason"] == "exact"
    over = "X" * 64 + " X"
    assert zermelo("analyse", "othello", over, "--level", "35", "--json").json["reason"] == "game over"


@pytest.mark.parametrize("position", ["-X-/---/---", "-x-------", "---------", "--X-O-XO-", "--x-o-xo-"])
def test_a_position_may_begin_with_a_dash(zermelo: Callable[..., Any], position: str) -> None:
    found = zermelo("analyse", "tictactoe", position, "--depth", "1", "--json").json
    assert found["position"].replace("/", "") == position.upper().replace("/", "")
    found = zermelo("analyse", "--depth", "1", "--json", "tictactoe", position).json
    assert found["position"].replace("/", "") == position.upper().replace("/", "")


def test_the_position_from_standard_input(zermelo: Callable[..., Any]) -> None:
    done = zermelo("analyse", "tictactoe", "-", "--exact", "--json", typed="X-O/-X-/--O\n")
    assert done.json["position"] == "X-O/-X-/--O"


def test_moves_are_played_first(zermelo: Callable[..., Any]) -> None:
    found = zermelo("analyse", "tictactoe", "--moves", "b2 a1", "--depth", "1", "--json").json
    assert found["position"] == "O--/-X-/---"
    found = zermelo("analyse", "tictactoe", "O--/-X-/---", "--moves", "c3", "--depth", "1", "--json").json
    assert found["position"] == "O--/-X-/--X"


def test_a_finished_game(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("analyse", "tictactoe", "XXX/OO-/---")
    assert code == 0
    assert out.endswith("\n\n  the game is over: crosses have won\n")
    found = zermelo("analyse", "tictactoe", "XXX/OO-/---", "--json").json
    assert (found["to_move"], found["best"], found["value"], found["reason"]) == ("none", None, 1, "game over")
    _, out, _ = zermelo("analyse", "tictactoe", "XOX/XOX/OXO")
    assert out.endswith("\n  the game is over: a draw\n")


@pytest.mark.long
def test_a_game_of_one_s_own(zermelo: Callable[..., Any]) -> None:
    game = f"{Path(__file__).parents[1] / 'support' / 'nim.py'}:Nim"
    found = zermelo("analyse", game, "--exact", "--json").json
    assert (found["game"], found["best"], found["value"], found["plies"]) == (game, "3", 1, 7)
    assert zermelo("analyse", game, "heap=8", "--exact", "--json").json["value"] == -1


def test_the_other_spelling(zermelo: Callable[..., Any]) -> None:
    assert zermelo("analyze", "tictactoe", "--depth", "1").code == 0


# ---- the textbook -------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "nodes"), [("minimax", 549_946), ("alphabeta", 18_297)])
def test_textbook_to_the_end(zermelo: Callable[..., Any], algorithm: str, nodes: int) -> None:
    """The counts of the whole of tic-tac-toe, squares in order (OpenSpiel's game, searched alike, has the same)."""
    found = zermelo("analyse", "tictactoe", "--algorithm", algorithm, "--json").json
    assert found["compiled"]
    assert (found["algorithm"], found["nodes"], found["value"]) == (algorithm, nodes, 0)
    assert (found["reason"], found["evaluation"], found["threads"]) == ("exact", "nothing", 1)
    assert len(found["line"]) == found["depth"] == 9


ALGORITHMS = ["minimax", "alphabeta", "alphabeta-hard", "alphabeta-path", "negamax"]


@pytest.mark.long
@pytest.mark.parametrize("position", ["X-O/-X-/---", "X--/-O-/---", "XX-OO---X"])
def test_the_algorithms_agree(zermelo: Callable[..., Any], position: str) -> None:
    for limit in ([], ["--depth", "3"]):
        found = [
            zermelo("analyse", "tictactoe", position, "--algorithm", name, *limit, "--json").json for name in ALGORITHMS
        ]
        found += [
            zermelo("analyse", "tictactoe", position, "--algorithm", name, "--no-compiled", *limit, "--json").json
            for name in ("minimax", "alphabeta")
        ]
        assert KEYS | {"compiled"} <= set(found[0])
        assert len({each["estimate"] if each["value"] is None else each["value"] for each in found}) == 1
        assert len({each["best"] for each in found}) == 1
        assert found[0]["line"] == found[5]["line"]
        assert found[1]["line"] == found[6]["line"] == found[4]["line"]
        assert found[0]["nodes"] == found[5]["nodes"]
        assert found[1]["nodes"] == found[6]["nodes"] == found[4]["nodes"]
        assert [each["compiled"] for each in found] == [True, True, False, False, False, False, False]


def test_exact_is_said_only_of_what_is_proven(zermelo: Callable[..., Any]) -> None:
    """A depth beyond the end of the game cuts nothing off, which only the interpreted search can tell."""
    deep = ["analyse", "tictactoe", "XO-/OX-/---", "--algorithm", "negamax", "--json"]
    assert zermelo(*deep, "--depth", "20").json["value"] is not None
    found = zermelo("analyse", "tictactoe", "--algorithm", "negamax", "--depth", "2", "--json").json
    assert (found["value"], found["reason"], found["evaluation"]) == (None, "depth", "lines")
    assert found["unit"] == "open lines"
    # A win within the depth is proven all the same, and the ranked scale tells how near it is.
    found = zermelo("analyse", "tictactoe", "XX-/OO-/---", "--algorithm", "minimax", "--depth", "2", "--json").json
    assert (found["value"], found["estimate"], found["plies"], found["reason"]) == (1, None, 1, "exact")


def test_order(zermelo: Callable[..., Any]) -> None:
    plain = zermelo("analyse", "tictactoe", "--algorithm", "alphabeta", "--depth", "4", "--json").json
    ordered = zermelo(
        "analyse", "tictactoe", "--algorithm", "alphabeta", "--depth", "4", "--order", "lines", "--json"
    ).json
    assert ordered["estimate"] == plain["estimate"] is not None
    assert ordered["nodes"] < plain["nodes"]
    assert not ordered["compiled"]
    assert ordered["leaves"] > 0
    assert ordered["cuts"] > 0


def test_textbook_text(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("analyse", "tictactoe", "X-O/-X-/---", "--algorithm", "negamax")
    assert "  score    a draw, proven\n" in out
    assert "  search   negamax, interpreted, " in out


@pytest.mark.long
def test_moves_played_before_count(zermelo: Callable[..., Any]) -> None:
    """Black is a king up, but white's 28-32 brings the position about for the third time: a draw."""
    arguments = ("--depth", "1", "--evaluation", "material", "--json")
    found = zermelo(
        "analyse", "checkers", "B:WK32:BK1,K4", "--moves", "1-5 32-28 5-1 28-32 1-5 32-28 5-1", *arguments
    ).json
    assert found["best"] == "28-32"
    assert (found["value"] or found["estimate"] or 0) == 0
    assert zermelo("analyse", "checkers", "W:WK28:BK1,K4", *arguments).json["estimate"] == 5


AGAIN = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"


def test_a_draw_that_can_be_claimed_is_told(zermelo: Callable[..., Any]) -> None:
    told = "  draw     can be claimed: the position occurred 3 times\n"
    assert told in zermelo("analyse", "chess", "--moves", AGAIN, "--depth", "1").out
    assert told not in zermelo("analyse", "chess", "--moves", AGAIN[:-4], "--depth", "1").out
    quiet = "4k3/8/8/8/8/8/8/R3K3 w - - 100 90"
    assert "  draw     can be claimed: 100 moves without" in zermelo("analyse", "chess", quiet, "--depth", "1").out
    over = f"{AGAIN} {AGAIN}"
    assert "the game is a draw: the position" in zermelo("analyse", "chess", "--moves", over, "--depth", "1").out


@pytest.mark.long
def test_where_chance_moves_there_is_no_best_move(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("analyse", "backgammon", "--depth", "1")
    assert (
        "  to move  dice\n  best     none: chance moves\n  score    0.000 on average by phases at depth 1 (level)\n"
        in out
    )
    code, out, err = zermelo("analyse", "backgammon", "--depth", "1", "--lines", "3")
    assert (code, out) == (2, "")
    assert err == "zermelo: --lines 3: the next move is made by chance (dice), not by a player\n"


@pytest.mark.long
def test_scores_of_games_of_chance_are_said_like_others(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("analyse", "backgammon", "--moves", "31", "--depth", "1")
    assert re.search(r"  score    \+0\.\d{3} on average by phases at depth 1 \(X \(white\) is ahead\)\n", out)
