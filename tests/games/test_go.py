"""Go: contract, an independent referee in plain Python, counts of legal positions, eyes, playouts, notation."""

from __future__ import annotations

from random import Random

import pytest

import zermelo
from zermelo.compiled import native
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.core.history import PositionHistory, allowed_moves, check_allowed
from zermelo.errors import GameError, IllegalMove, PositionError
from zermelo.games.go import Go, Go19
from zermelo.games.go.patterns import PATTERNS, is_shape
from zermelo.games.go.rules import NO_POINT
from zermelo.search.compiled_textbook import compiled_textbook
from zermelo.search.textbook import alphabeta
from zermelo.testing import check_game

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Referee:
    """Go on a dict of points, written without a look at the package's rules."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stones: dict[tuple[int, int], int] = {}
        self.side = 1
        self.ko: tuple[int, int] | None = None

    def around(self, point: tuple[int, int]) -> list[tuple[int, int]]:
        column, row = point
        found = [(column + right, row + up) for right, up in STEPS]
        return [each for each in found if min(each) >= 0 and max(each) < self.size]

    def group(self, point: tuple[int, int]) -> tuple[set[tuple[int, int]], set[int]]:
        """The points of one kind around a point, and what they touch: colours, 0 for empty."""
        kind = self.stones.get(point, 0)
        seen, open_points, touched = {point}, [point], set()
        while open_points:
            for each in self.around(open_points.pop()):
                other = self.stones.get(each, 0)
                if other != kind:
                    touched.add(other)
                elif each not in seen:
                    seen.add(each)
                    open_points.append(each)
        return seen, touched

    def after(self, point: tuple[int, int]) -> tuple[dict[tuple[int, int], int], list[tuple[int, int]]] | None:
        """The stones after a move and those captured; None if it is illegal."""
        if point in self.stones or point == self.ko:
            return None
        before = dict(self.stones)
        self.stones[point] = self.side
        taken = []
        for each in self.around(point):
            if self.stones.get(each) == -self.side:
                group, touched = self.group(each)
                if 0 not in touched:
                    taken += group
                    for stone in group:
                        del self.stones[stone]
        is_suicide = 0 not in self.group(point)[1]
        after, self.stones = self.stones, before
        return None if is_suicide else (after, taken)

    def legal(self) -> set[tuple[int, int]]:
        points = [(column, row) for column in range(self.size) for row in range(self.size)]
        return {point for point in points if self.after(point) is not None}

    def play(self, point: tuple[int, int] | None) -> None:
        self.ko, side, self.side = None, self.side, -self.side
        if point is None:
            return
        self.side = side
        found = self.after(point)
        assert found is not None
        self.stones, taken = found
        self.side = -side
        group, _ = self.group(point)
        liberties = {each for stone in group for each in self.around(stone) if each not in self.stones}
        if len(taken) == 1 and len(group) == 1 and liberties == set(taken):
            self.ko = taken[0]

    def score(self) -> int:
        """Area of the first side minus that of the second."""
        total, seen = sum(self.stones.values()), set()
        for point in [(column, row) for column in range(self.size) for row in range(self.size)]:
            if point not in self.stones and point not in seen:
                region, touched = self.group(point)
                seen |= region
                if len(touched) == 1:
                    total += len(region) * touched.pop()
        return total

    def is_eye(self, point: tuple[int, int], side: int) -> bool:
        if point in self.stones or any(self.stones.get(each) != side for each in self.around(point)):
            return False
        column, row = point
        diagonal = [(column + right, row + up) for right in (-1, 1) for up in (-1, 1)]
        inside = [each for each in diagonal if min(each) >= 0 and max(each) < self.size]
        enemies = sum(self.stones.get(each) == -side for each in inside)
        return enemies + (len(inside) < 4) < 2


def played(size: int, random: Random, plies: int):
    """Random games of the package's rules and the referee side by side, position by position."""
    cls = Go if size < 10 else Go19
    state, referee = cls.parse(f"{size}x{size}"), Referee(size)
    for _ in range(plies):
        if state.is_over():
            return
        yield state, referee
        moves = [move for move in state.moves() if move != state.PASS]
        move = random.choice(moves) if moves and random.random() < 0.97 else state.PASS
        referee.play(None if move == state.PASS else (move % state.ROW, move // state.ROW))
        state = state.play(move)


@pytest.mark.parametrize("size", [2, 3, *(pytest.param(size, marks=pytest.mark.long) for size in (4, 9))])
def test_rules_agree_with_an_independent_referee(size: int) -> None:
    random = Random(size)
    captures = kos = 0
    for _ in range(6 if size < 9 else 3):
        before = 0
        for state, referee in played(size, random, 150):
            row = state.ROW
            stones = {(point % row, point // row): 1 for point in state.black}
            stones |= {(point % row, point // row): -1 for point in state.white}
            assert stones == referee.stones
            assert {(move % row, move // row) for move in state.moves() if move != state.PASS} == referee.legal()
            assert state.utility() + state.komi == 2 * referee.score()
            eyes = state.own_eyes(state.black, state.white)
            points = [(column, row) for column in range(size) for row in range(size)]
            assert {(point % row, point // row) for point in eyes} == {p for p in points if referee.is_eye(p, 1)}
            captures += len(stones) < before
            kos += state.ko != NO_POINT
            before = len(stones)
    assert captures
    assert kos or size == 2


@pytest.mark.long
@pytest.mark.parametrize("text", ["2x2", "4x4 komi 0.5"])
def test_contract(text: str) -> None:
    report = check_game(Go.parse(text), games=4)
    assert report.unfinished == 0


def legal_positions(state: Go, size: int) -> int:
    """The number of positions without a chain that has no liberty: all colourings, in base 3."""
    count = 0
    total = 1
    for _ in range(size * size):
        total *= 3
    for number in range(total):
        black = state.black
        white = state.black
        rest = number
        for point in range(size * size):
            stone = state.ONE << (point // size) * state.ROW + point % size
            colour = rest % 3
            rest //= 3
            if colour == 1:
                black |= stone
            elif colour == 2:
                white |= stone
        empty = state.board_points() & ~(black | white)
        free = state.neighbours(empty)
        if state.chain_of(free & black, black) == black and state.chain_of(free & white, white) == white:
            count += 1
    return count


def count_legal(size: int) -> int:
    state = Go.parse(f"{size}x{size}")
    return int(native(legal_positions, state, size)(state, size))


# J. Tromp, "The number of legal Go positions", https://tromp.github.io/go/legal.html.
@pytest.mark.quick
def test_legal_positions_of_2x2() -> None:
    assert legal_positions(Go.parse("2x2"), 2) == 57


@pytest.mark.long
def test_legal_positions_of_3x3() -> None:
    assert count_legal(3) == 12_675


@pytest.mark.nightly
def test_legal_positions_of_4x4() -> None:
    assert count_legal(4) == 24_318_165


def test_uniform_playouts_fill_no_eyes() -> None:
    random = Random(5)
    chosen = set()
    state = Go.parse("-XX-X/XXOXX/X-O-O/XOOOO/XO--- X")
    for _ in range(100):
        move = state.uniform_move(random.getrandbits(62))
        chosen.add(state.move_name(move))
    # D5 is the other side's, A5 an eye; E5 joins; B3 and D3 are open; suicide and eyes are left out
    legal = {state.move_name(move) for move in state.moves()}
    eyes = {state.move_name(point) for point in state.own_eyes(state.black, state.white)}
    assert chosen == legal - eyes - {"pass"}
    full = Go.parse("-X/X- X")
    assert full.uniform_move(1) == full.PASS


@pytest.mark.quick
def test_playouts_answer_the_last_move() -> None:
    captured = Go.parse("-----/--X--/-XO--/--X--/----- O").after("E1 A1 D1")
    assert captured.answer() == NO_POINT  # D1 threatens nothing, and is not in atari
    extended = Go.parse("-----/-----/--O--/-OX--/----- O").after("C1")
    assert extended.move_name(extended.playout_move(7)) == "D2"  # C2 is in atari
    taken = Go.parse("-----/--X--/-X-X-/-----/----- O").after("C3")
    assert taken.move_name(taken.playout_move(7)) == "C2"  # the last stone can be taken


def matches_a_shape(state: Go, point: int) -> bool:
    """Whether the surroundings of a point fit a pattern as it is written, in any orientation and with either colour."""
    own, other = (state.black, state.white) if state.turn == MAX else (state.white, state.black)
    line, column = divmod(point, state.ROW)

    def sign(right: int, down: int) -> str:
        x, y = column + right, line - down
        if not (0 <= x < state.size and 0 <= y < state.size):
            return "#"
        at = y * state.ROW + x
        return "X" if at in own else "O" if at in other else "."

    seen = "".join(sign(right, down) for down in (-1, 0, 1) for right in (-1, 0, 1))
    turns = [seen, "".join(seen[at] for at in (6, 3, 0, 7, 4, 1, 8, 5, 2))]  # and a quarter turn
    turns += [turned[::-1] for turned in turns]
    turns += ["".join(turned[at] for at in (2, 1, 0, 5, 4, 3, 8, 7, 6)) for turned in turns]
    turns += [turned.translate(str.maketrans("XO", "OX")) for turned in turns]
    means = {".": ".", "X": "X", "O": "O", "x": ".O", "o": ".X", "?": ".XO#", "#": "#", "*": "."}
    patterns = ["".join(pattern) for pattern in PATTERNS]
    return any(
        all(found in means[wanted] for wanted, found in zip(pattern, turned, strict=True))
        for pattern in patterns
        for turned in turns
    )


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("XOX", ".*.", "..."), True),  # hane
        (("O..", "X*.", "O.."), True),  # the same, turned, with the colours exchanged
        (("XO.", "O*.", "..."), True),  # a cut
        (("XO.", "O*O", "..."), False),  # not with a third stone of the side that is cut
        (("XO.", "O*X", "..."), True),
        (("X..", "O*.", "###"), True),  # at the edge
        ((".X.", ".*.", "..."), False),
        (("...", ".*.", "###"), False),
    ],
)
def test_shapes_by_hand(rows: tuple[str, ...], expected: bool) -> None:
    signs = [rows[row][column] for row in (2, 1, 0) for column in (0, 1, 2) if (row, column) != (1, 1)]
    own, other = (sum(1 << at for at, sign in enumerate(signs) if sign in (stone, "#")) for stone in "XO")
    assert is_shape(own, other) == expected
    assert is_shape(other, own) == expected


@pytest.mark.parametrize(("cls", "text"), [(Go, "9x9"), (Go, "4x4"), (Go19, "11x11")])
def test_shapes_are_those_of_the_patterns(cls: type[Go], text: str) -> None:
    rng, found = Random(3), 0
    state = cls.parse(text)
    for _ in range(60):
        own, other = (state.black, state.white) if state.turn == MAX else (state.white, state.black)
        for point in rng.sample([*(state.board_points() & ~(own | other))], 6):
            expected = matches_a_shape(state, point)
            assert is_shape(*state.surroundings(point, own, other)) == expected, (str(state), point)
            found += expected
        state = state.play(state.playout_move(rng.getrandbits(62)))
        if state.is_over() or (state.board_points() & ~(state.black | state.white)).count() < 6:
            state = cls.parse(text)
    assert found > 10


def test_playouts_make_shapes() -> None:
    # A hane below the last stone D3, at the head of the chain C3; no stone is in atari.
    state = Go.parse("-----/-----/--XO-/-----/----- X last D3")
    chosen = {state.move_name(state.playout_move(random)) for random in range(0, 1 << 62, (1 << 62) // 50)}
    assert chosen <= {"C2", "C4", "D2", "D4"}
    assert state.shape_move(7) != NO_POINT
    assert Go.parse("-----/-----/---O-/-----/----- X last D3").shape_move(7) == NO_POINT


@pytest.mark.quick
def test_move_scores() -> None:
    state = Go.parse("-XO--/X-O--/OO---/-----/--XO- X")
    scores = {state.move_name(move): state.move_score(move) for move in state.moves()}
    assert scores["pass"] == scores["A5"] == 0  # an eye
    assert scores["C3"] > scores["E5"]


@pytest.mark.quick
def test_wins_of_all_sizes_count_the_same_in_tree_search() -> None:
    state = Go.parse("3x3").after("B2 pass")
    with zermelo.MonteCarlo(seed=1, compiled=False) as mcts:
        found = mcts.analyse(state, nodes=60)
    assert found.best == "pass"  # wins at once
    assert found.score.expected == 1


# ---- superko --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "games"),
    [("positional", 8), *(pytest.param(rule, 60, marks=pytest.mark.long) for rule in ("positional", "situational"))],
)
def test_superko_agrees_with_an_independent_referee(rule: str, games: int) -> None:
    random = Random(3)
    forbidden = passes = 0
    for _ in range(games):
        state, referee = Go.parse(f"2x2 rule {rule}"), Referee(2)
        history = PositionHistory([state])
        seen = {(frozenset(), 1 if rule == "situational" else 0)}
        while not state.is_over() and len(history) < 60:
            allowed = set()
            for point in referee.legal():
                found = referee.after(point)
                assert found is not None
                position = frozenset(found[0].items()), -referee.side if rule == "situational" else 0
                if position in seen:
                    forbidden += 1
                else:
                    allowed.add(point)
            ours = allowed_moves(state, history)
            assert {(move % 10, move // 10) for move in ours if move != state.PASS} == allowed
            for move in state.moves():
                if move not in ours:
                    with pytest.raises(IllegalMove, match="it repeats the position after"):
                        check_allowed(state, move, history)
            points = [move for move in ours if move != state.PASS]
            move = random.choice(points) if points and random.random() < 0.9 else state.PASS
            passes += move == state.PASS
            referee.play(None if move == state.PASS else (move % 10, move // 10))
            seen.add((frozenset(referee.stones.items()), referee.side if rule == "situational" else 0))
            state = state.play(move)
            history.push(state)
    assert forbidden > games
    assert passes > games


def brute_force(state: Go, seen: frozenset, alpha: int, beta: int) -> int:
    """The value for black by alpha-beta over whole histories."""
    if state.is_over():
        return state.utility()
    for move in reversed(list(state.moves())):  # the pass first
        after = state.play(move)
        position = after.black, after.white
        if move != state.PASS and position in seen:
            continue
        value = brute_force(after, seen | {position}, alpha, beta)
        if state.turn == MAX:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return alpha if state.turn == MAX else beta


@pytest.mark.long
def test_value_of_2x2_is_one_point_for_black() -> None:
    state = Go.parse("2x2")
    assert brute_force(state, frozenset({(state.black, state.white)}), -20, 20) == 2
    found = zermelo.analyse(state, exact=True)
    assert (found.score.value, found.reason) == (2, "exact")


@pytest.mark.long
def test_value_of_3x3_is_nine_points_for_black() -> None:
    found = zermelo.analyse(Go.parse("3x3"), exact=True)
    assert (found.score.value, found.reason, found.best) == (18, "exact", "B2")


@pytest.mark.long
def test_searches_agree_under_superko() -> None:
    state = Go.parse("2x2")
    for depth in (5, 6):
        found = alphabeta(state, depth)
        compiled = compiled_textbook(state, depth, None, "alphabeta")
        assert (compiled.value, compiled.nodes, compiled.best) == (found.value, found.nodes, found.best)
    with zermelo.MonteCarlo(seed=1) as mcts, zermelo.MonteCarlo(seed=1, compiled=False) as slow:
        assert mcts.analyse(state, nodes=400).lines == slow.analyse(state, nodes=400).lines


# ---- texts ----------------------------------------------------------------------------------------------------


def test_texts() -> None:
    assert Go.parse("") == Go() == Go.parse("9x9")
    assert Go19.parse("") == Go19() == Go19.parse("19x19 komi 7.5")
    state = Go.parse("4x4 komi -1.5").after("A1 B1 pass d4")
    assert str(state) == "---O/----/----/XO-- X komi -1.5 last D4"
    assert Go.parse(str(state)) == state
    ended = state.after("pass pass")
    assert ended.is_over()
    assert ended.termination() == "two passes, B+0.5"
    assert ended.utility() == 1
    assert Go.parse(str(ended)) == ended
    assert Go.parse("3x3").after("b2 pass pass").termination() == "two passes, B+9"
    assert Go.parse("3x3").after("pass pass").termination() == "two passes, 0"
    assert Go().player_name(MIN) == "O (white)"
    assert [Go.parse(text).komi for text in ("6x6", "7x7", "9x9 komi 6.50")] == [0, 14, 13]


def test_ko() -> None:
    state = Go.parse("-XO-/XO-O/-XO-/---- X").after("C3")
    assert str(state) == "-XO-/X-XO/-XO-/---- O ko B3 last C3"
    assert Go.parse(str(state)) == state
    with pytest.raises(IllegalMove, match="'B3' is not a legal move here"):
        state.after("B3")
    assert state.after("pass pass").is_over()
    assert "B3" not in [state.move_name(move) for move in state.moves()]
    retaken = state.after("D1 A1 B3")
    assert str(retaken).endswith("X ko C3 last B3")


def test_handicap() -> None:
    state = Go.parse("9x9 handicap 3 komi 0.5")
    assert state.to_move() == MIN
    assert [state.move_name(point) for point in state.black] == ["C3", "C7", "G7"]
    assert [state.black.count() for state in (Go19.parse(f"13x13 handicap {n}") for n in range(2, 10))] == [
        *range(2, 10)
    ]


def test_board() -> None:
    assert Go.parse("3x3").after("B2 C3").board().split("\n") == [
        "    A B C",
        " 3  . .(O) 3",
        " 2  . X .  2",
        " 1  . . .  1",
        "    A B C",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1x1", "'1x1' is not a square board of 2 to 19 rows"),
        ("3x4", "is not a square board"),
        ("---/---", "is not a square board"),
        ("13x13", "boards of 13 x 13 are those of the game go19"),
        ("-Y-/---/---", r"character 2 \('Y'\)|is not a square board"),
        ("XO/OX", "X on A1 has no liberty|X on B1 has no liberty"),
        ("3x3 komi 0.25", "komi '0.25' is not a number of half points from -200 to 200"),
        ("3x3 komi 201", "is not a number of half points"),
        ("3x3 komi", "komi needs one value"),
        ("3x3 komi 1 komi 2", "komi needs one value, and may be given once"),
        ("3x3 ko D1", "ko 'D1' is not a point of 3 x 3"),
        ("X--/---/--- O ko A1", "ko A1: expected an empty point surrounded"),
        ("X--/---/--- O last A1", "last A1: expected a stone of the side that moved last"),
        ("3x3 last A1", "an empty board has no ko and no last move"),
        ("3x3 passes 3", "passes '3' is not a number from 0 to 2"),
        ("3x3 rule natural", "rule 'natural' is not one of simple, positional, situational"),
        ("5x5 handicap 2", "handicap 2 on 5 x 5: expected none"),
        ("8x8 handicap 5", "handicap 5 on 8 x 8: expected 2 to 4"),
        ("X--/---/--- handicap 2", "handicap needs an empty board"),
    ],
)
def test_wrong_positions(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Go.parse(text)


def test_sizes_belong_to_their_games() -> None:
    with pytest.raises(PositionError, match="boards of 9 x 9 are those of the game go"):
        Go19.parse("9x9")
    with pytest.raises(GameError):
        Go(black=Bitboard(0))
    assert Go().to_move() == MAX
