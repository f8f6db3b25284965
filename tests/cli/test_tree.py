"""`zermelo tree trace`, `random`, `grow`, `why` and `order`: what they print, and what they refuse."""

import io
import json
import sys

import pytest

from zermelo.teaching.tree import random_tree, read, to_brackets, to_dict, trace

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"


# ---- trace ----------------------------------------------------------------------------------------------------------


def test_trace_as_json(zermelo):
    told = zermelo("tree", "trace", AIMA, "--json").json
    assert told == json.loads(json.dumps(trace(read(AIMA)).as_json()))
    assert (told["value"], told["leaf_values"], told["pruned_values"]) == (3, [3, 12, 8, 2, 14, 5, 2], [4, 6])
    strict = zermelo("tree", "trace", "[[3,5],[3,9]]", "--convention", "strict", "--json", "--no-steps").json
    assert strict["pruned_subtrees"] == []
    assert "steps" not in strict


def test_trace_tells_each_step_in_words(zermelo):
    done = zermelo("tree", "trace", AIMA)
    assert done.code == 0
    assert "MIN can hold MAX to 2, but MAX is guaranteed at least 3 by B at A. Prune c2, c3." in done.out
    assert "7 of 9 evaluated: 3 12 8 2 14 5 2" in done.out
    short = zermelo("tree", "trace", AIMA, "--no-steps").out
    assert "can hold" not in short
    assert "alpha 3 >= beta 2 at C" in short


def test_a_tree_from_standard_input_and_from_a_file(zermelo, tmp_path, monkeypatch):
    import io
    import sys

    class Typed(io.StringIO):
        buffer = io.BytesIO(AIMA.encode())

    file = tmp_path / "tree.json"
    file.write_text(json.dumps(to_dict(read(AIMA))))
    from_file = zermelo("tree", "trace", str(file), "--json").json
    assert from_file["value"] == 3
    from zermelo.cli import main

    monkeypatch.setattr(sys, "stdin", Typed())
    assert main(["tree", "why", "-"]) == 0


# ---- random and grow ------------------------------------------------------------------------------------------------


def test_random_sows_the_tree_of_its_seed(zermelo):
    assert zermelo("tree", "random", "--seed", "7").out.strip() == to_brackets(random_tree(7))
    told = zermelo(
        "tree", "random", "--seed", "2", "--branching", "1..3", "--depth", "2..4", "--values", "-50..50", "--no-ties",
        "--root", "min", "--chance", "0.3", "--json",
    )  # fmt: skip
    same = random_tree(2, branching=(1, 3), depth=(2, 4), values=(-50, 50), ties=False, root="min", chance=0.3)
    assert told.json == to_dict(same)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("random", "--depth", "deep"), "depth must be an integer such as 3, or a range such as 2..4 (got 'deep')"),
        (("random", "--depth", "40"), "more than 2,000,000 nodes"),
        (("random", "--values", "1..3", "--no-ties"), "too few for 27 leaves"),
        (("random", "--root", "white"), "root must be max, min or chance (got 'white')"),
        (("grow", "tictactoe", "--depth", "9"), "more than 200,000 nodes at depth 7"),
        (("grow", "tictactoe", "--evaluation", "x"), "no evaluation 'x'"),
        (("grow", "nonesuch"), "nonesuch"),
        (("why",), "missing argument 'TREE|GAME'"),
        (("why", AIMA, "--moves", "a1"), "need a GAME"),
        (("why", AIMA, "x"), "need a GAME"),
        (("why", AIMA, "--evaluation", "x"), "--evaluation needs a GAME"),
        (("why", AIMA, "--node", "Q"), "no node 'Q'"),
        (("why", "tictactoe", "X?"), "TicTacToe position"),
        (("order",), "missing argument 'TREE|GAME'"),
        (("order", "[[1,?],2]"), "leaf 'b2' has no value"),
        (("order", AIMA, "--depth", "3"), "--depth needs a GAME"),
        (("order", AIMA, "--convention", "minimax"), "minimax does not prune"),
        (("order", "othello", "--depth", "0"), "--depth must be a depth or range"),
        (("order", "othello", "--depth", "x"), "(got 'x')"),
        (("order", "othello", "--convention", "strict"), "--convention needs a TREE"),
        (("order", "othello", "--evaluation", "x"), "no evaluation 'x'"),
        (("order", AIMA, "-o", "plot.gif"), ".png .pdf .svg"),
    ],
)
def test_bad_input_is_one_line_and_code_2(zermelo, words, said):
    done = zermelo("tree", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.startswith("zermelo: ")
    assert done.err.count("\n") == 1


def test_grow_prints_what_can_be_read_again(zermelo):
    done = zermelo("tree", "grow", "tictactoe", "X--/OO-/X--", "--depth", "2", "--evaluation", "lines")
    tree = read(done.out)
    assert (tree.root.id, len(tree.leaves)) == ("X--/OO-/X--", 20)
    assert tree["b1 c2"].state.count("O") == 3
    assert trace(tree).value == 0


# ---- why ------------------------------------------------------------------------------------------------------------


def test_grow_values_leaves_by_the_first_evaluation_of_the_game(zermelo):
    words = ["tree", "grow", "othello", "--depth", "1"]
    grown = zermelo(*words).json
    assert grown == zermelo(*words, "--evaluation", "patterns").json
    assert grown != zermelo(*words, "--evaluation", "nothing").json


def test_why_a_tree(zermelo):
    said = zermelo("tree", "why", AIMA).out.splitlines()
    assert said[0] == "The value of A is 3, principal variation B, b1. 7 of 9 leaves were evaluated."
    assert "  C is worse: MIN replies c1, value at most 2." in said
    told = zermelo("tree", "why", AIMA, "--json").json
    assert (told["value"], told["best"], told["line"]) == (3, "B", ["B", "b1"])
    assert [move["why"] for move in told["moves"]] == [line.strip() for line in said[1:4]]
    assert told["cuts"][0]["pruned"] == ["c2", "c3"]
    assert zermelo("tree", "why", AIMA, "--cuts", "0").out.count("\n") == 4


def test_why_a_position_of_a_game_in_its_own_names(zermelo):
    words = ("tree", "why", "tictactoe", "X--/OO-/X--", "--evaluation", "lines")
    said = zermelo(*words).out
    assert "│ X │" in said
    assert "c2 is the best move: noughts reply c1, value 0." in said
    assert "b1 is worse: noughts reply c2, value -8 (noughts win after 2 plies)." in said
    assert zermelo(*words, "--json").json["best"] == "c2"
    played = zermelo("tree", "why", "tictactoe", "--moves", "a1 a2 a3 b2", "--evaluation", "lines").out
    assert played == said
    node = zermelo(*words, "--node", "b1 c2", "--json").json
    assert node == {
        "node": "b1 c2",
        "visited": True,
        "why": ["Visit the line b1 c2, a leaf.", "The line b1 c2 has value -8: noughts win."],
    }


def test_why_tells_of_so_many_cuts_only(zermelo):
    words = ("tree", "why", "tictactoe", "--depth", "4")
    assert "more cuts; --cuts N shows N of them" in zermelo(*words).out
    assert zermelo(*words, "--cuts", "3").out.count("cutoff after") == 3


# ---- order ----------------------------------------------------------------------------------------------------------


def test_order_of_a_tree(zermelo):
    told = zermelo("tree", "order", AIMA, "--json").json
    assert {name: order["leaves"] for name, order in told["orders"].items() if name != "random"} == {
        "as given": 7,
        "best first": 5,
        "worst first": 9,
    }
    assert told["smallest_proof"] == 5
    assert told["uniform"] == {"branching": 3, "depth": 2, "minimal_tree": {"nodes": 9, "leaves": 5}}
    said = zermelo("tree", "order", AIMA, "--samples", "7").out
    assert "random, mean of 7" in said
    assert "b^⌈d/2⌉ + b^⌊d/2⌋ - 1 = 3^1 + 3^1 - 1 = 5." in said
    assert "The tree is not uniform" in zermelo("tree", "order", "[[1,2],3]").out
    by_chance = zermelo("tree", "order", "[:chance[1,2],:chance[3,4]]").out  # uniform, but no formula is for it
    assert "The tree has chance nodes" in by_chance
    assert "b^" not in by_chance
    assert "one leaf" in zermelo("tree", "order", "5").out


def test_order_of_a_game_by_depth(zermelo):
    told = zermelo("tree", "order", "tictactoe", "--depth", "1..3", "--json").json
    assert (told["evaluation"], told["interrupted"]) == ("lines", False)
    assert [row["minimax"]["leaves"] for row in told["depths"]] == [9, 72, 504]
    assert told["depths"][1]["best_first"]["leaves"] == 16
    assert told["depths"][2]["minimax"]["branching_by_leaves"] == pytest.approx(504 ** (1 / 3), abs=1e-4)
    said = zermelo("tree", "order", "tictactoe", "--depth", "3").out
    assert "√35 = 5.9" in said
    assert "504" in said


def test_ctrl_c_keeps_what_was_counted(zermelo, monkeypatch):
    from zermelo.teaching.tree import move_orders as orders

    counted = orders.count_by_depth

    def interrupted(*arguments, **options):
        rows = counted(*arguments, **options)
        yield next(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(orders, "count_by_depth", interrupted)
    done = zermelo("tree", "order", "tictactoe", "--depth", "1..9", "--json")
    assert done.code == 130
    assert done.json["interrupted"] is True
    assert [row["depth"] for row in done.json["depths"]] == [1]


@pytest.mark.parametrize("form", ["svg", *(pytest.param(form, marks=pytest.mark.long) for form in ("png", "pdf"))])
def test_plots(zermelo, tmp_path, form):
    pytest.importorskip("matplotlib")
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    for name, words in (("tree", (AIMA,)), ("game", ("tictactoe", "--depth", "1..2"))):
        files = [tmp_path / f"{name}{number}.{form}" for number in (1, 2)]
        for file in files:
            done = zermelo("tree", "order", *words, "-o", str(file))
            assert (done.code, done.err) == (0, "")
        assert files[0].read_bytes().startswith(starts[form])
        assert files[0].read_bytes() == files[1].read_bytes()
    refused = zermelo("tree", "order", AIMA, "-o", str(tmp_path / "no" / f"x.{form}"))
    assert (refused.code, refused.out) == (2, "")


def test_a_plot_without_matplotlib_is_refused_at_once(zermelo, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = zermelo("tree", "order", AIMA, "-o", "x.png")
    assert (done.code, done.out) == (2, "")
    assert "pip install 'zermelo[draw]'" in done.err


@pytest.mark.parametrize("words", [["random", "--json"], ["grow", "othello", "--depth", "1"]], ids=["random", "grow"])
def test_a_tree_that_is_printed_loses_nothing_in_a_small_alphabet(words, monkeypatch):
    from zermelo.cli import main

    printed = []
    for encoding in ("utf-8", "ascii"):
        out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["tree", *words]) == 0
        printed.append(out.buffer.getvalue())
    assert printed[0] == printed[1]
    assert read(printed[0].decode()).nodes
