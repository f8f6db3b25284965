"""Textbook searches: example trees from the books, events, variants and refused input."""

import pytest
from hashtree import Guess, tree

import zermelo
from zermelo import MAX, MIN, GameError, LimitError, State, alphabeta, game, load, minimax, negamax
from zermelo.search.textbook import INFINITY

# Nested lists: a number is the utility of a leaf for MAX. MAX moves at the root, then the sides alternate.
AIMA = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]  # Russell and Norvig, fig. 5.2
# Levels MAX, MIN, MAX, leaves, as in Poole and Mackworth's example in the lectures.
DEEP = [[[7, 6], [8, 5]], [[2, 3], [0, -2]], [[6, 2], [5, 8]], [[9, 2], [1, -1]]]
TREES: list = []  # trees of all `ListTree` states, by index


@game
class ListTree(State):
    """A node of a nested list in `TREES`. Interpreted only."""

    tree: int = 0
    path: int = 1  # the digit 1, then one octal digit per move
    max_utility = 1000

    def node(self):
        node = TREES[self.tree]
        for digit in oct(self.path)[3:]:
            node = node[int(digit)]
        return node

    def to_move(self):
        return MAX if len(oct(self.path)) % 2 == 1 else MIN

    def moves(self):
        yield from range(len(self.node()))

    def play(self, move):
        return ListTree(self.tree, self.path * 8 + move)

    def is_over(self):
        return isinstance(self.node(), int)

    def utility(self):
        return self.node()


def list_tree(lists):
    """Return the root of a tree given as nested lists."""
    TREES.append(lists)
    return ListTree(len(TREES) - 1)


@pytest.mark.quick
def test_aima_figure_5_5():
    root = list_tree(AIMA)
    full = minimax(root)
    assert (full.value, full.best, full.nodes, full.leaves) == (3, 0, 13, 9)
    pruned = alphabeta(root)
    # Alpha cutoff at the second MIN node after its first leaf, 2: leaves 4 and 6 are not visited (AIMA, fig. 5.5).
    assert (pruned.value, pruned.best, pruned.leaves, pruned.cuts) == (3, 0, 7, 1)
    assert pruned.line == full.line == (0, 0)


@pytest.mark.quick
def test_events_of_alphabeta():
    root = list_tree(AIMA)
    events = []
    alphabeta(root, observer=events.append)
    kinds = [event.kind for event in events]
    assert kinds.count("enter") == 11
    assert kinds.count("leaf") == 7
    [cut] = [event for event in events if event.kind == "cut"]
    assert (cut.node, cut.alpha, cut.beta, cut.value, cut.skipped) == (5, 3, INFINITY, 2, (1, 2))
    entered = {event.node: (event.alpha, event.beta) for event in events if event.kind == "enter"}
    assert entered[0] == (-INFINITY, INFINITY)
    assert entered[5] == (3, INFINITY)  # the second MIN node inherits MAX's 3
    returned = [(event.node, event.value, event.move) for event in events if event.kind == "leave"]
    assert returned == [(1, 3, 0), (5, 2, 0), (7, 2, 2), (0, 3, 0)]
    bounds = [(event.node, event.alpha, event.beta) for event in events if event.kind == "bound"]
    assert bounds == [
        (1, -INFINITY, 3),
        (0, 3, INFINITY),
        (7, 3, 14),
        (7, 3, 5),
    ]


@pytest.mark.quick
def test_enter_events_name_the_parent():
    events = []
    minimax(list_tree(AIMA), observer=events.append)
    parents = {event.node: event.parent for event in events if event.kind == "enter"}
    assert parents == {0: -1, 1: 0, 2: 1, 3: 1, 4: 1, 5: 0, 6: 5, 7: 5, 8: 5, 9: 0, 10: 9, 11: 9, 12: 9}


@pytest.mark.quick
def test_fail_hard_clamps_the_fail_soft_value():
    root = list_tree(AIMA)
    for alpha, beta in ((4, 9), (-5, 2), (-5, 9)):
        soft = alphabeta(root, alpha=alpha, beta=beta, variant="fail-soft").value
        hard = alphabeta(root, alpha=alpha, beta=beta, variant="fail-hard").value
        assert hard == max(alpha, min(beta, soft))
        assert hard == max(alpha, min(beta, 3))


@pytest.mark.quick
def test_path_variant():
    """Poole and Mackworth, fig. 11.6: alpha and no path if no child is better, no path after a cutoff."""
    root = list_tree(DEEP)
    result = alphabeta(root, variant="path")
    assert result.value == minimax(root).value
    assert result.line == minimax(root).line
    low = alphabeta(root, variant="path", alpha=50, beta=60)
    assert (low.value, low.line, low.best) == (50, (), None)
    high = alphabeta(root, variant="path", alpha=-60, beta=-50)
    assert high.line == ()
    assert high.value >= -50


@pytest.mark.quick
def test_negamax_values_are_for_the_side_to_move():
    root = list_tree(AIMA).play(0)  # MIN to move
    events = []
    result = negamax(root, observer=events.append)
    assert result.value == -minimax(root).value
    assert result.best == minimax(root).best
    assert events[0].alpha == -INFINITY
    assert negamax(root, prune=False).nodes == minimax(root).nodes


@pytest.mark.quick
def test_cut_on_equal():
    root = list_tree([[3, 5], [3, 1]])
    on_equal = alphabeta(root)
    strict = alphabeta(root, cut_on_equal=False)
    assert on_equal.value == strict.value == 3
    assert (on_equal.leaves, strict.leaves) == (3, 4)


@pytest.mark.quick
def test_evaluation_cutoff_and_move_order():
    start = load("tictactoe").start()
    # Lecture 000, slide 61: after one ply the centre is best, with E = 8 - 4.
    result = minimax(start, 1, "lines")
    assert (result.value, start.move_name(result.best)) == (4, "b2")
    assert minimax(start, 2, "lines").value == 1
    assert minimax(start, cutoff=lambda state, ply: ply == 1, evaluation="lines").value == 4
    unordered = alphabeta(start, 4, "lines")
    ordered = alphabeta(start, 4, "lines", order="lines")
    assert ordered.value == unordered.value == minimax(start, 4, "lines").value
    assert ordered.nodes < unordered.nodes


@pytest.mark.quick
@pytest.mark.slow
def test_published_node_counts():
    start = load("tictactoe").start()
    assert alphabeta(start).nodes == 18297
    assert minimax(start.play(0)).nodes == 59705  # one of the nine subtrees of the 549,946 nodes


@pytest.mark.long
def test_published_node_counts_of_the_compiled_search():
    start = load("tictactoe").start()
    assert minimax(start, compiled=True).nodes == 549946
    assert alphabeta(start, compiled=True).nodes == 18297
    connect4 = load("connect4").start()
    assert alphabeta(connect4, 12, "nothing", rank_wins=False, compiled=True).nodes == 3050083


@pytest.mark.quick
def test_long_games_cause_no_recursion_error():
    state = tree(1, height=3)
    long_game = zermelo.load("pennies").parse("60")
    assert alphabeta(long_game, cutoff=lambda state, ply: len(list(state.moves())) > 6 or ply > 200).nodes >= 1
    assert minimax(state).nodes > 1


@pytest.mark.quick
def test_invalid_arguments():
    start = load("tictactoe").start()
    with pytest.raises(LimitError, match=r"depth must be at least 0 \(got -1\)"):
        minimax(start, -1)
    with pytest.raises(LimitError, match=r"the window \(3, 3\) is empty"):
        alphabeta(start, alpha=3, beta=3)
    with pytest.raises(LimitError, match="unknown variant 'fail'; expected fail-soft, fail-hard or path"):
        alphabeta(start, variant="fail")
    with pytest.raises(zermelo.UnknownGame, match="lines"):
        minimax(start, 2, "line")

    @zermelo.evaluation
    class Half:
        def score(self, state):
            return 0.5

    with pytest.raises(GameError, match=r"Half.score returned 0\.5"):
        minimax(start, 2, Half())


@pytest.mark.quick
def test_a_finished_game_is_a_leaf():
    finished = load("tictactoe").parse("XXXOO----")
    for result in (minimax(finished), alphabeta(finished), negamax(finished)):
        assert (result.value, result.best, result.nodes, result.leaves) == (1, None, 1, 1)


@pytest.mark.long
def test_value_of_a_chance_node_is_the_mean():
    state = tree(4, height=3, chances=16)
    while state.to_move() != 0 or len(list(state.outcomes())) < 2:
        state = tree(int(state.key_bits) % 9973, height=3, chances=16)
    outcomes = [(weight, minimax(state.play(move)).expected) for move, weight in state.outcomes()]
    total, weights = sum(w * v for w, v in outcomes), sum(w for w, _ in outcomes)
    assert abs(minimax(state).expected - total / weights) <= 1e-6
    assert minimax(state, compiled=True).value == minimax(state).value == alphabeta(state).value
    assert Guess().score(state) == Guess().score(state)


@pytest.mark.quick
def test_exceptions_of_callbacks_are_passed_on():
    class CallbackError(Exception):
        pass

    def observer(event):
        raise CallbackError

    def cutoff(state, ply):
        raise CallbackError

    with pytest.raises(CallbackError):
        minimax(list_tree(AIMA), observer=observer)
    with pytest.raises(CallbackError):
        minimax(list_tree(AIMA), cutoff=cutoff)


@pytest.mark.quick
def test_fail_hard_clamps_the_value_of_a_leaf():
    finished = load("tictactoe").parse("XXXOO----")
    assert alphabeta(finished, alpha=2, beta=3, variant="fail-hard").value == 2
    assert alphabeta(finished, alpha=-3, beta=0, variant="fail-hard").value == 0


def test_perft_is_the_sum_of_divide_with_chance_nodes():
    from zermelo.search.compiled_textbook import divide, perft

    for seed in range(20):
        state = tree(seed, height=5, chances=6)
        for depth in (1, 2, 3, 4):
            assert perft(state, depth) == sum(divide(state, depth).values())
