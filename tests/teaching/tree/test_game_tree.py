"""Random trees are reproducible; game trees are searched like the games themselves."""

import hashlib
import json
import time

import pytest
from hashtree import HashTree, NoisyTree, WonTree
from hashtree import tree as hash_tree

from zermelo import alphabeta, load, minimax, negamax
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import GameError, InputError, TreeError, UnknownGame
from zermelo.search.scores import ranked
from zermelo.teaching.tree import game_tree, random_tree, read, to_brackets, to_dict, trace
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.random_trees import parse_range
from zermelo.teaching.tree.state_text import state_text

# ---- random trees ---------------------------------------------------------------------------------------------------


def test_trees_of_seeds_never_change():
    """Golden trees: exercises are identified by seeds, so a change here would change exercises already handed out."""
    assert (
        to_brackets(random_tree(7))
        == "[[[-3,-7,3],[-8,1,-3],[-8,0,-9]],[[-1,-8,-8],[-1,6,-7],[-5,2,9]],[[1,-2,9],[-9,7,-4],[-7,-7,-4]]]"
    )
    wild = random_tree(2, branching=(1, 3), depth=(1, 4), values=(-50, 50), ties=False, root="min", chance=0.3)
    digest = hashlib.sha256(json.dumps(to_dict(wild)).encode()).hexdigest()
    assert digest[:16] == "042c663696f98f41"


def test_a_number_is_a_range_of_one():
    assert random_tree(7, branching=2, depth=4, values=5) == random_tree(
        7, branching=(2, 2), depth=(4, 4), values=(5, 5)
    )


def test_same_seed_same_tree():
    assert random_tree(5, chance=0.2) == random_tree(5, chance=0.2)
    assert random_tree(5) != random_tree(6)


@pytest.mark.parametrize("seed", range(40))
def test_options_are_respected(seed):
    tree = random_tree(seed, branching=(2, 4), depth=(2, 5), values=(-300, 400), ties=False, root="min", chance=0.2)
    assert tree.root.player == MIN
    leaves = [node.value for node in tree.leaves]
    assert len(set(leaves)) == len(leaves)
    assert all(-300 <= value <= 400 for value in leaves)
    assert {node.depth for node in tree.leaves} <= {2, 3, 4, 5}
    for node in tree:
        assert node.is_leaf or 2 <= len(node.children) <= 4
        assert (node.evaluation is None) == node.is_leaf
        assert bool(node.weights) == (node.player == CHANCE)
    # Brackets preserve the players: turns continue below chance nodes.
    assert to_brackets(read(to_brackets(tree))) == to_brackets(tree)
    assert read(json.dumps(to_dict(tree))) == tree


def test_ranges_include_both_ends():
    trees = [random_tree(seed, branching=(1, 3), depth=(1, 3), values=(0, 3)) for seed in range(200)]
    assert {node.depth for tree in trees for node in tree.leaves} == {1, 2, 3}
    assert {len(node.children) for tree in trees for node in tree} == {0, 1, 2, 3}
    assert {node.value for tree in trees for node in tree.leaves} == {0, 1, 2, 3}
    exact = random_tree(1, branching=(3, 3), depth=(3, 3), values=(1, 27), ties=False)
    assert sorted(node.value for node in exact.leaves) == list(range(1, 28))


def test_evaluations_are_near_the_value():
    tree = random_tree(3, branching=(4, 4), depth=(4, 4), values=(-100, 100))
    values = minimax_values(tree)
    off = [abs(node.evaluation - values[node.index]) for node in tree if not node.is_leaf]
    assert max(off) <= 50
    assert sum(off) > 0
    assert all(-100 <= node.evaluation <= 100 for node in tree if not node.is_leaf)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"branching": "3"}, "branching must be an int or a pair of ints such as (2, 4) (got '3')"),
        ({"depth": 2.5}, "depth must be an int or a pair of ints such as (2, 4) (got 2.5)"),
        ({"values": (1, 2, 3)}, "values must be an int or a pair of ints such as (2, 4) (got a tuple)"),
        ({"root": None}, "root must be max, min or chance (got None)"),
        ({"branching": (0, 2)}, "branching must be within 1..1000 (got 0..2)"),
        ({"branching": (3, 2)}, "branching: the range 3..2 is empty"),
        ({"branching": (2, 2000)}, "branching must be within 1..1000 (got 2..2000)"),
        ({"depth": (1, 5000)}, "depth must be within 1..1000 (got 1..5000)"),
        ({"depth": (0, 0)}, "depth must be within 1..1000 (got 0..0)"),
        ({"depth": (30, 30)}, "branching 3 to depth 30: more than 2,000,000 nodes"),
        ({"values": (0, 10**13)}, "values"),
        ({"values": (1, 26), "ties": False}, "values: 1..26 has 26 values, too few for 27 leaves"),
        ({"root": "black"}, "root must be max, min or chance (got 'black')"),
        ({"chance": 1.5}, "chance must be between 0 and 1 (got 1.5)"),
        ({"chance": float("nan")}, "chance must be between 0 and 1 (got nan)"),
        ({"chance": 1.0, "depth": (9, 9), "branching": (2, 2), "values": (0, 10**12)}, "weights above it"),
    ],
)
def test_invalid_arguments_of_random_tree_are_refused(arguments, message):
    began = time.process_time()
    with pytest.raises(TreeError) as refused:
        random_tree(**{"seed": 1, **arguments})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "chance" in arguments or time.process_time() - began < 1


def test_parse_range():
    assert [parse_range("depth", text) for text in ("3", "2..4", "-9..9", " -9 .. −2 ")] == [
        (3, 3),
        (2, 4),
        (-9, 9),
        (-9, -2),
    ]
    for text in ("", "a", "2-4", "2...4", "1..2..3", "1.5", "9" * 20, "٣"):
        with pytest.raises(TreeError, match="depth must be an integer such as 3, or a range such as "):
            parse_range("depth", text)


def test_boards_of_a_tree_have_blank_squares():
    """Numbers in empty squares, which `board` shows for entering moves, would look like values."""
    start = load("tictactoe").parse("XO-/-X-/--O")
    tree = game_tree(start, 1)
    for node, state in zip(tree, tree.positions, strict=True):
        pieces = {"X": state.crosses, "O": state.noughts}
        cells = [line.split("│")[1:-1] for line in node.state.splitlines() if "│" in line]
        assert [[cell.strip() for cell in row] for row in cells] == [
            [next((mark for mark, squares in pieces.items() if 3 * row + column in squares), "") for column in range(3)]
            for row in range(3)
        ]
        frame = [line for line in state.board().splitlines() if "─" in line]
        assert [line for line in node.state.splitlines() if "─" in line] == frame
    othello = game_tree(load("othello").start(), 0)
    assert othello.root.state == load("othello").start().board()


def test_minimax_values_agree_with_the_textbook():
    for seed in range(60):
        tree = random_tree(seed, branching=(1, 4), depth=(1, 5), chance=0.25)
        pictures = trace(tree, "expectiminimax").records
        assert minimax_values(tree) == [picture.returned for picture in pictures]


def test_values_above_an_unknown_leaf_are_unknown():
    assert minimax_values(read("[[1,?],[2,3]]")) == [None, None, 1, None, 2, 2, 3]


@pytest.mark.nightly
def test_a_million_leaves():
    tree = random_tree(1, branching=(10, 10), depth=(6, 6), values=(-(10**6), 10**6), ties=False)
    assert len(tree.leaves) == 10**6
    value = minimax_values(tree)[0]
    for convention in ("minimax", "alphabeta", "negamax strict"):
        assert trace(tree, convention).value == value


# ---- game trees -----------------------------------------------------------------------------------------------------

GROWN = [
    (name, evaluation, depth)
    for name, depth in (("tictactoe", 4), ("pennies", 7), ("connect4", 3), ("othello", 3))
    for evaluation in (None, "nothing", *load(name).evaluations)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "evaluation", "most"), GROWN)
def test_tree_and_game_are_searched_alike(name, evaluation, most):
    state = load(name).start()
    for depth in range(most + 1):
        same_search(state, depth, evaluation)


@pytest.mark.parametrize(
    ("name", "text", "depth"),
    [
        ("tictactoe", "X--/OO-/X--", 4),
        ("tictactoe", "X--/-O-/X-O", 5),
        ("tictactoe", "XXO/OOX/XXO", 3),
        ("pennies", "5-4-1 min", 4),
    ],
)
def test_wins_rank_as_in_the_game(name, text, depth):
    cls = load(name)
    for evaluation in (None, "nothing", *cls.evaluations):
        same_search(cls.parse(text), depth, evaluation)


def test_random_games_with_graded_results_and_with_wins():
    for seed in range(30):
        same_search(hash_tree(seed), 5, "guess")
        same_search(hash_tree(seed), 3, "guess")
        same_search(NoisyTree(hash_tree(seed).key_bits, height=4), 4, "guess")
        same_search(WonTree(hash_tree(seed).key_bits), 5, "guess")


def same_search(state, depth, evaluation):
    """Compare the searches of the tree and the game: value, visited states in order, leaves, cutoffs, line."""
    tree = game_tree(state, depth, evaluation)
    for search, convention in ((minimax, "minimax"), (alphabeta, "alphabeta"), (negamax, "negamax")):
        visited = []
        game = search(state, depth, evaluation, observer=lambda e: visited.append(e) if e.kind == "enter" else None)  # noqa: B023
        searched = trace(tree, convention)
        assert tree.search_score(searched.value) == game.value
        assert (len(searched.visited), len(searched.leaves), len(searched.cuts)) == (game.nodes, game.leaves, game.cuts)
        assert [node.state for node in searched.visited] == [state_text(event.state) for event in visited]
        names, reached = [], state
        for move in game.line:
            names.append(reached.move_name(move))
            reached = reached.play(move)
        assert [node.move for node in searched.line] == names


def test_weights_of_chance_games():
    state = hash_tree(4, height=4, chances=8)
    tree = game_tree(state, 4)
    assert any(node.player == CHANCE for node in tree)
    for node in tree:
        if node.player == CHANCE:
            assert len(node.weights) == len(node.children)
    assert tree.win_value == 0
    assert isinstance(state, HashTree)
    # The search of the game rounds means, the tree does not.
    assert abs(tree.search_score(trace(tree, "expectiminimax").value) - minimax(state, 4).value) <= 4


def test_names_and_positions_of_nodes():
    tree = game_tree(load("tictactoe").start(), 3, "lines")
    assert tree.root.id == "start"
    node = tree["b2 a1 c3"]
    assert (node.move, node.depth, tree.move_name(node)) == ("c3", 3, "c3")
    assert node.state == state_text(load("tictactoe").start().after("b2 a1 c3"))
    # The same position by another order of moves refers to the first node.
    assert tree.nodes[tree["c3 a1 b2"].transposition_of].id == "b2 a1 c3"
    assert node.transposition_of == node.index
    assert tree["b2"].evaluation == 4
    # All of it goes through JSON, transpositions too.
    again = read(json.dumps(to_dict(tree)))
    assert again == tree
    assert again["c3 a1 b2"].transposition_of == again["b2 a1 c3"].index
    with pytest.raises(TreeError, match="node 'b': twin: no earlier node named 'z'"):
        read('{"id": "A", "children": [{"id": "b", "value": 1, "twin": "z"}, {"id": "z", "value": 1}]}')
    later = game_tree(load("tictactoe").parse("X--/-O-/---"), 1)
    assert later.root.id == str(load("tictactoe").parse("X--/-O-/---"))
    assert game_tree(load("othello").start().after("d3"), 1).root.id == "position"


def test_game_result():
    tree = game_tree(load("tictactoe").parse("X--/OO-/X--"), 3, "lines")
    lost = next(node for node in tree.leaves if tree.game_result(node.value) == (-1, 2))
    assert lost.value == -(tree.win_value - 2)
    assert tree.game_result(0) is None
    assert tree.game_result(3) is None
    plain = game_tree(load("tictactoe").parse("X--/OO-/X--"), 3, "nothing", rank_wins=False)
    assert plain.game_result(1) == (1, None)
    graded, scale = game_tree(NoisyTree(height=4), 4, "guess"), ranked(NoisyTree())
    assert graded.win_value == 100
    assert graded.game_result(102) == (2, None)
    assert graded.search_score(102) == 2 * scale.unit + scale.base


def test_too_many_nodes_are_refused_early():
    began = time.process_time()
    with pytest.raises(TreeError, match=r"more than 5,000 nodes at depth 5, .* use depth 4"):
        game_tree(load("tictactoe").start(), 9, limit=5_000)
    assert time.process_time() - began < 3
    with pytest.raises(TreeError, match="depth must be between 0 and 1,000"):
        game_tree(load("tictactoe").start(), -1)
    with pytest.raises(UnknownGame, match="no evaluation 'x'"):
        game_tree(load("tictactoe").start(), 1, "x")


def test_errors_in_the_rules_are_game_errors():
    from zermelo import State, game

    @game
    class Broken(State):
        ply: int = 0

        def to_move(self):
            return MAX

        def moves(self):
            yield 1

        def play(self, move):
            return Broken(self.ply + 1)

        def is_over(self):
            return self.ply > 1 and 1 // (self.ply - 2) > 0

        def utility(self):
            return 0

    with pytest.raises(GameError, match=r"Broken\.is_over raised ZeroDivisionError"):
        game_tree(Broken(), 4)


def test_not_a_state() -> None:
    with pytest.raises(InputError, match="expected a state, got the text 'tictactoe'"):
        game_tree("tictactoe", 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "sizes"), [("tictactoe", (4, 16, 82)), ("othello", (2, 5, 19))])
def test_one_node_for_moves_that_are_equal_by_symmetry(name: str, sizes: tuple[int, ...]) -> None:
    """Tic-tac-toe has 3 first moves and 12 positions after two; Othello has 1 and 3, and 14 after three plies."""
    start = load(name).start()
    for depth, size in enumerate(sizes, 1):
        reduced, full = game_tree(start, depth, symmetry=True), game_tree(start, depth)
        assert len(reduced) == size
        assert trace(reduced).value == trace(full).value
        assert [state_text(reduced.positions[node.index]) for node in reduced] == [node.state for node in reduced]
        lines = [1] * len(reduced)  # the lines of moves that each node stands for
        for node in reduced:
            lines[node.index] = node.multiplicity * (lines[node.parent] if node.parent >= 0 else 1)
        assert sum(lines) == len(full)
        assert read(to_dict(reduced)) == reduced


def test_symmetries_of_a_board_are_eight_positions_of_equal_value() -> None:
    for name, moves in (("tictactoe", "a1 b1"), ("othello", "f5 d6")):
        state = load(name).start()
        for move in moves.split():
            state = state.after(move)
        images = {state, *state.symmetries()}
        assert len(images) == 8
        assert all({image, *image.symmetries()} == images for image in images)
        assert len({minimax(image, 2, "nothing").value for image in images}) == 1


def test_symmetry_needs_a_board_with_symmetries() -> None:
    with pytest.raises(TreeError, match="symmetry: Chess defines no symmetries of its board"):
        game_tree(load("chess").start(), 1, symmetry=True)


def test_positions_that_an_evaluation_values_differently_stay_apart() -> None:
    from zermelo.core.evaluation import Evaluation, evaluation

    @evaluation
    class LeftColumn(Evaluation):
        """Crosses in the left column."""

        def score(self, state) -> int:
            return (state.crosses & 0b001_001_001).count()

    tree = game_tree(load("tictactoe").start(), 1, LeftColumn(), symmetry=True)
    assert [(node.move, node.multiplicity) for node in tree.leaves] == [
        ("a1", 2), ("b1", 3), ("c1", 2), ("a2", 1), ("b2", 1),
    ]  # fmt: skip
