"""Text output: position of all parts, widths, completeness."""

import random
import re

import pytest

from zermelo.cli.encoding import PLAIN
from zermelo.core.game import MAX
from zermelo.drawing.options import Options
from zermelo.errors import LimitError, TreeError
from zermelo.teaching.diagrams.text import text
from zermelo.teaching.tree import read, trace
from zermelo.teaching.tree.node import TreeBuilder
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.random_trees import random_tree

pytestmark = pytest.mark.quick

SKRENTNY = "A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0, E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"


def lines(output: str) -> list[str]:
    return output.split("\n")


def test_small_trees_are_drawn():
    assert (
        text(trace(read("[[3,12,8],[2,4,6],[14,5,2]]")))
        == """\
MAX                    A
                       3
                    [3, +∞]
         ┌─────────────┼─────────────┐
         ┃             │             │
MIN      B             C             D
         3             2             2
      [-∞, 3]        [3, 2]        [3, 2]
     ┌───┼───┐    ┌────┼────┐    ┌───┼───┐
     ┃   │   │    │    ╳    ╳    │   │   │
     b1  b2  b3   c1   c2   c3   d1  d2  d3
     3   12  8    2   (4)  (6)   14  5   2

Value 3, principal variation B, b1. 11 of 13 nodes visited, 7 leaves evaluated.
╳ alpha 3 >= beta 2 at C: c2, c3 pruned
(3) value not evaluated"""
    )


def test_every_tree_can_be_listed():
    assert (
        text(trace(read(SKRENTNY), "own"), style="listed")
        == """\
node           player  value  window  visit
A              MAX         3  α=3         1
├─ B           MIN        -5  β=-5        2
│  ├─ F        MAX         4  α=4         3
│  │  ├─ N                 4              4
│  │  └─ O     MIN        -3  β=-3        5
│  │     ├─ W             -3              6
│  │     └╳ X           (-5)                 alpha 4 >= beta -3 at O
│  └─ G                   -5              7
├─ C           MIN         3  β=3         8  best
│  ├─ H                    3              9  best
│  ├─ I                    8             10
│  └─ J        MAX         9  α=9        11
│     ├─ P                 9             12
│     ├╳ Q              (-6)                 alpha 9 >= beta 3 at J
│     └╳ R               (0)                 alpha 9 >= beta 3 at J
├─ D                       0             13
└─ E           MIN         2  β=2        14
   ├─ K        MAX         5  α=5        15
   │  ├─ S                 3             16
   │  └─ T                 5             17
   ├─ L                    2             18
   └╳ M        MAX                           alpha 3 >= beta 2 at E
      ├─ U              (-7)
      └─ V              (-9)

Value 3, principal variation C, H. 18 of 24 nodes visited, 10 leaves evaluated.
╳ alpha 4 >= beta -3 at O: X pruned
╳ alpha 9 >= beta 3 at J: Q, R pruned
╳ alpha 3 >= beta 2 at E: M pruned
(3) value not evaluated"""
    )


def test_chance_and_weights_and_moves():
    output = text(
        trace(read({"player": "chance", "weights": [1, 3], "children": [{"value": 2, "move": "tail"}, {"value": 6}]}))
    )
    assert "chance" in output
    assert "tail 1/4" in output
    assert "3/4" in output
    assert "Value 5." in output


def test_a_tree_without_search():
    output = text(read("[[3,12],[2,4]]"))
    assert "(" not in output
    assert "╳" not in output
    assert "Value" not in output


def test_a_step():
    searched = trace(read(SKRENTNY))
    output = text(searched, Options(step=12))
    assert "> O <" in output
    assert output.count("╳") == 2  # on the arc, and in the list below
    assert "Step 12 of 64." in output
    assert "╳" not in text(searched, Options(step=11))
    assert "<- current step" in text(searched, Options(step=12), style="listed")
    with pytest.raises(TreeError, match="64 steps"):
        text(searched, Options(step=65))


def trees(chance=(0, 0, 0.2)):
    for seed in range(40):
        choose = random.Random(seed)
        least, deep = choose.randint(1, 2), choose.randint(1, 4)
        yield random_tree(seed, branching=(least, least + 2), depth=(deep, deep + 1), chance=choose.choice(chance))


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["", "strict fail-hard own", "minimax", "interval", "negamax"])
def test_lists_respect_the_width(convention):
    for tree in trees():
        searched = trace(tree, convention)
        for width in (40, 61, 100):
            output = text(searched, Options(max_nodes=100), width, "listed")
            assert max(map(len, lines(output))) <= width


def test_a_deep_tree_respects_the_width_and_marks_omissions():
    output = text(trace(read("[" * 700 + "1" + "]" * 700)), Options(max_nodes=1000), 60)
    assert max(map(len, lines(output))) <= 60
    assert "… deeper" in output


def test_crosses_are_at_pruned_arcs():
    """In both styles: one cross per pruned child, above or beside its name."""
    for tree in trees(chance=(0,)):
        searched = trace(tree)
        pruned = {node.id for node in searched.pruned}
        options = Options(max_nodes=1000, legend=False)
        listed = text(searched, options, 400, "listed")
        assert set(re.findall(r"[├└]╳ (?:\S+: )?(\S+)", listed)) == pruned
        drawn = lines(text(searched, options, style="drawn"))
        below = []
        for number, line in enumerate(drawn):
            for column in [column for column, sign in enumerate(line) if sign == "╳"]:
                names = next(row for row in drawn[number + 1 :] if re.search(r"[A-Za-z]", row))
                below += [m[0] for m in re.finditer(r"\S+", names) if m.start() <= column < m.end()]
        assert sorted(below) == sorted(pruned)


def test_nothing_in_a_drawing_overlaps():
    """Each name, value and window of a node is a separate word in the drawing."""
    for tree in trees(chance=(0,)):
        searched = trace(tree, "minimax")
        words = re.findall(r"\S+", text(searched, Options(max_nodes=1000, legend=False), style="drawn"))
        for node in tree:
            words.remove(node.id)
            words.remove(format_number(searched.records[node.index].returned))
        assert not [word for word in words if re.search(r"\d", word)]


def test_branches_join_parents_to_their_children():
    """From each arc, box-drawing lines lead to the column of the parent and to no other."""
    up, down = set("│┘└┤├┴┼"), set("│┐┌┤├┬┼")
    for tree in trees():
        rows = lines(text(trace(tree, "minimax"), Options(max_nodes=1000, legend=False, windows=False), style="drawn"))
        bars = [row for row in rows if re.fullmatch(r"[ ─│┌┐└┘├┤┬┴┼]+", row) and set(row) & up - {"│"}]
        assert sum(len([sign for sign in bar if sign in down]) for bar in bars) <= len(tree) - 1
        for bar in bars:
            for branch in re.findall(r"\S+", bar):
                assert len([sign for sign in branch if sign in up]) == 1


def test_large_trees_are_collapsed_and_all_nodes_counted():
    tree = random_tree(5, branching=(3, 3), depth=(7, 7))
    output = text(trace(tree), Options(max_nodes=60, legend=False))
    folded = [int(number.replace(",", "")) for number in re.findall(r"… ([\d,]+) nodes?", output)]
    named = len(lines(output)) - 1 - len(folded)
    assert folded
    assert sum(folded) + named == len(tree)
    assert len(folded) + named <= 60


def test_wide_characters_count_as_two_columns():
    rows = lines(text(read("A[日本=1, 中=2]"), Options(legend=False)))
    assert rows[-2].split() == ["日本", "中"]
    listed = lines(text(read("A[日本=1, bbbb=2]"), style="listed"))
    assert listed[2].index("1") == listed[3].index("2") - 2


def test_control_characters_are_replaced():
    draft = TreeBuilder()
    root = draft.add(-1, MAX, id="a\x1b[31m")
    draft.add(root, None, id="b\u202e\x07", value=1)
    output = text(trace(draft.build()))
    assert "\x1b" not in output
    assert "\x07" not in output
    assert "\u202e" not in output


def test_every_symbol_has_an_ascii_replacement_of_the_same_width():
    for tree in [read(SKRENTNY), *trees()]:
        for style in ("drawn", "listed"):
            for convention in ("", "own"):
                output = text(trace(tree, convention), Options(max_nodes=30), style=style)
                strangers = {sign for sign in output if not sign.isascii()}
                assert strangers <= PLAIN.keys()
                assert all(len(PLAIN[sign]) == 1 and PLAIN[sign].isascii() for sign in strangers)


def test_positions_are_at_their_nodes():
    tree = read(
        {"id": "r", "player": "max", "state": "X.\n.O", "children": [{"id": "s", "value": 1, "state": "XX\n.O"}]}
    )
    for style in ("drawn", "listed"):
        rows = [row.strip(" │┃") for row in lines(text(trace(tree), Options(states=True), style=style))]
        assert [rows.count(row) for row in ("X.", "XX", ".O")] == [1, 1, 2]


def test_an_unknown_style_is_refused():
    with pytest.raises(LimitError, match="style must be auto, drawn or listed"):
        text(read("[1,2]"), style="round")
