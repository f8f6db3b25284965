"""The textbook's walk: the books' trees, its events, its variants, and what it refuses."""

import pytest
from hashtree import Guess, tree

import zermelo
from zermelo import MAX, MIN, GameError, LimitError, State, alphabeta, game, load, minimax, negamax
from zermelo.search.textbook import INFINITY

# Nested lists: a number is a leaf's utility for MAX, levels alternate from MAX.
AIMA = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]  # Russell and Norvig, fig. 5.2
# Poole and Mackworth's example as the lecture walks through it has the same shape: MAX, MIN, MAX, leaves.
DEEP = [[[7, 6], [8, 5]], [[2, 3], [0, -2]], [[6, 2], [5, 8]], [[9, 2], [1, -1]]]
TREES: list = []


@game
class Listed(State):
    """A node of a nested list in `TREES`, by its path: interpreted only."""

    root: int = 0
    path: int = 1  # a 1, then a digit of base 8 for each move
    max_utility = 1000

    def node(self):
        node = TREES[self.root]
        for digit in oct(self.path)[3:]:
            node = node[int(digit)]
        return node

    def to_move(self):
        return MAX if len(oct(self.path)) % 2 == 1 else MIN

    def moves(self):
        yield from range(len(self.node()))

    def play(self, move):
        return Listed(self.root, self.path * 8 + move)

    def is_over(self):
        return isinstance(self.node(), int)

    def utility(self):
        return self.node()


def listed(tree_of_lists):
    TREES.append(tree_of_lists)
    return Listed(len(TREES) - 1)


@pytest.mark.interpreted
def test_the_tree_of_aima():
    root = listed(AIMA)
    plain = minimax(root)
    assert (plain.value, plain.best, plain.nodes, plain.leaves) == (3, 0, 13, 9)
    pruned = alphabeta(root)
    # The second MIN node is left after its first leaf, 2: the 4 and 6 are not read (AIMA, fig. 5.5).
    assert (pruned.value, pruned.best, pruned.leaves, pruned.cuts) == (3, 0, 7, 1)
    assert pruned.line == plain.line == (0, 0)


@pytest.mark.interpreted
def test_events_tell_the_whole_story():
    root = listed(AIMA)
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
    left = [(event.node, event.value, event.move) for event in events if event.kind == "leave"]
    assert left == [(1, 3, 0), (5, 2, 0), (7, 2, 2), (0, 3, 0)]
    bounds = [(event.node, event.alpha, event.beta) for event in events if event.kind == "bound"]
    assert bounds == [
        (1, -INFINITY, 3),
        (0, 3, INFINITY),
        (7, 3, 14),
        (7, 3, 5),
    ]


@pytest.mark.interpreted
def test_a_child_belongs_to_its_parent():
    events = []
    minimax(listed(AIMA), observer=events.append)
    parents = {event.node: event.parent for event in events if event.kind == "enter"}
    assert parents == {0: -1, 1: 0, 2: 1, 3: 1, 4: 1, 5: 0, 6: 5, 7: 5, 8: 5, 9: 0, 10: 9, 11: 9, 12: 9}


@pytest.mark.interpreted
def test_variants_differ_only_outside_the_window():
    root = listed(AIMA)
    for low, high in ((4, 9), (-5, 2), (-5, 9)):
        soft = alphabeta(root, alpha=low, beta=high, variant="fail-soft").value
        hard = alphabeta(root, alpha=low, beta=high, variant="fail-hard").value
        assert hard == max(low, min(high, soft))
        assert hard == max(low, min(high, 3))


@pytest.mark.interpreted
def test_the_variant_that_returns_the_path():
    """Poole and Mackworth, fig. 11.6: alpha and no path where nothing is better, no path where it cuts."""
    root = listed(DEEP)
    found = alphabeta(root, variant="path")
    assert found.value == minimax(root).value
    assert found.line == minimax(root).line
    low = alphabeta(root, variant="path", alpha=50, beta=60)
    assert (low.value, low.line, low.best) == (50, (), None)
    high = alphabeta(root, variant="path", alpha=-60, beta=-50)
    assert high.line == ()
    assert high.value >= -50


@pytest.mark.interpreted
def test_negamax_tells_it_from_the_movers_side():
    root = listed(AIMA).play(0)  # MIN to move
    told = []
    found = negamax(root, observer=told.append)
    assert found.value == -minimax(root).value
    assert found.best == minimax(root).best
    assert told[0].alpha == -INFINITY
    assert negamax(root, prune=False).nodes == minimax(root).nodes


@pytest.mark.interpreted
def test_cutting_beyond_the_bound_only():
    root = listed([[3, 5], [3, 1]])
    on_equal = alphabeta(root)
    beyond = alphabeta(root, cut_on_equal=False)
    assert on_equal.value == beyond.value == 3
    assert (on_equal.leaves, beyond.leaves) == (3, 4)


@pytest.mark.interpreted
def test_cutoffs_and_order():
    start = load("tictactoe").start()
    # Lecture 000, slide 61: after one ply the centre is best, with E = 8 - 4.
    one = minimax(start, 1, "lines")
    assert (one.value, start.move_name(one.best)) == (4, "b2")
    assert minimax(start, 2, "lines").value == 1
    assert minimax(start, cutoff=lambda state, ply: ply == 1, evaluation="lines").value == 4
    in_order = alphabeta(start, 4, "lines")
    sorted_first = alphabeta(start, 4, "lines", order="lines")
    assert sorted_first.value == in_order.value == minimax(start, 4, "lines").value
    assert sorted_first.nodes < in_order.nodes


@pytest.mark.interpreted
def test_published_counts():
    start = load("tictactoe").start()
    assert alphabeta(start).nodes == 18297
    assert minimax(start.play(0)).nodes == 59705  # the first ninth of 549,946


def test_published_counts_compiled():
    start = load("tictactoe").start()
    assert minimax(start, compiled=True).nodes == 549946
    assert alphabeta(start, compiled=True).nodes == 18297
    connect4 = load("connect4").start()
    assert alphabeta(connect4, 12, "nothing", rank_wins=False, compiled=True).nodes == 3050083


@pytest.mark.interpreted
def test_long_games_do_not_end_in_a_recursion_error():
    state = tree(1, height=3)
    long = zermelo.load("pennies").parse("60")
    assert alphabeta(long, cutoff=lambda state, ply: len(list(state.moves())) > 6 or ply > 200).nodes >= 1
    assert minimax(state).nodes > 1


@pytest.mark.interpreted
def test_refusals():
    start = load("tictactoe").start()
    with pytest.raises(LimitError, match="depth -1"):
        minimax(start, -1)
    with pytest.raises(LimitError, match="window"):
        alphabeta(start, alpha=3, beta=3)
    with pytest.raises(LimitError, match="variant"):
        alphabeta(start, variant="fail")
    with pytest.raises(zermelo.UnknownGame, match="lines"):
        minimax(start, 2, "line")

    @zermelo.evaluation
    class Half:
        def score(self, state):
            return 0.5

    with pytest.raises(GameError, match=r"Half.score returned 0\.5"):
        minimax(start, 2, Half())


@pytest.mark.interpreted
def test_a_finished_game_is_a_leaf():
    over = load("tictactoe").parse("XXXOO----")
    for result in (minimax(over), alphabeta(over), negamax(over)):
        assert (result.value, result.best, result.nodes, result.leaves) == (1, None, 1, 1)


def test_chance_nodes_are_means():
    state = tree(4, height=3, chances=16)
    while state.to_move() != 0 or len(list(state.outcomes())) < 2:
        state = tree(int(state.key_bits) % 9973, height=3, chances=16)
    below = [(weight, minimax(state.play(move)).expected) for move, weight in state.outcomes()]
    total, weights = sum(w * v for w, v in below), sum(w for w, _ in below)
    assert abs(minimax(state).expected - total / weights) <= 1e-6
    assert minimax(state, compiled=True).value == minimax(state).value == alphabeta(state).value
    assert Guess().score(state) == Guess().score(state)


@pytest.mark.interpreted
def test_what_an_observer_raises_is_its_own():
    class Enough(Exception):
        pass

    def observer(event):
        raise Enough

    def cutoff(state, ply):
        raise Enough

    with pytest.raises(Enough):
        minimax(listed(AIMA), observer=observer)
    with pytest.raises(Enough):
        minimax(listed(AIMA), cutoff=cutoff)


@pytest.mark.interpreted
def test_fail_hard_is_hard_at_a_leaf_too():
    over = load("tictactoe").parse("XXXOO----")
    assert alphabeta(over, alpha=2, beta=3, variant="fail-hard").value == 2
    assert alphabeta(over, alpha=-3, beta=0, variant="fail-hard").value == 0


def test_perft_is_the_sum_of_its_division_where_chance_moves():
    from zermelo.search.compiled_textbook import divide, perft

    for seed in range(20):
        state = tree(seed, height=5, chances=6)
        for depth in (1, 2, 3, 4):
            assert perft(state, depth) == sum(divide(state, depth).values())
