"""The round robin of lecture 004: consistency of its table, and the effect of pruning in our implementation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from zermelo.teaching.lectures.cases import Case
from zermelo.teaching.lectures.checks import Check, claimed, compared

if TYPE_CHECKING:
    from zermelo.core.game import State
    from zermelo.search.textbook import Result

#: Openings that lead to the positions in which nodes are counted.
LINES = ("f5 d6 c3 d3 c4", "f5 f6 e6 f4 g5 e7 e3")
#: Pairs of players, number of games replayed, and plies after the opening.
SAMPLE = ((("diff/1", "wdiff/1"), 2, 60), (("diff/3", "wdiff/3"), 1, 6))


def round_robin(case: Case) -> Iterator[Check]:
    """Check the sums of the table, then count nodes and replay games with our implementation."""
    rows = [dict(zip(case.data["columns"], row, strict=True)) for row in case.data["rows"]]
    yield compared("pairs with ten games each", [21, [10] * 21], [len(rows), [_games(row) for row in rows]])
    yield compared("points of 60", case.data["points"], _points(rows))
    ratios = _ratios(rows)
    yield compared("ratio of boards with and without pruning: minimum, mean, maximum", case.data["ratios"], {
        player: [round(min(each), 4), round(sum(each) / len(each), 4), round(max(each), 4)]
        for player, each in ratios.items() if player[-1] != "1"
    })  # fmt: skip
    ones = {ratio for player, each in ratios.items() if player[-1] == "1" for ratio in each}
    yield compared("ratio at 1 ply", [1.0], sorted(ones))
    yield from _node_counts()
    yield from _replayed_games()


def _games(row: dict[str, Any]) -> int:
    return int(row["a_wins"] + row["b_wins"] + row["ties"])


def _points(rows: list[dict[str, Any]]) -> dict[str, float]:
    points: Counter[str] = Counter()
    for row in rows:
        for side in "ab":
            points[row[side]] += row[f"{side}_wins"] + row["ties"] / 2
    return dict(points.most_common())


def _ratios(rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    ratios: dict[str, list[float]] = {}
    for row in rows:
        for side in "ab":
            if row[side] != "random":
                ratios.setdefault(row[side], []).append(row[f"{side}_boards_ab"] / row[f"{side}_boards_plain"])
    return ratios


def _node_counts() -> Iterator[Check]:
    from zermelo.games.othello import Othello
    from zermelo.search.textbook import alphabeta, minimax

    moves, boards = [], {1: [0, 0], 3: [0, 0]}
    for line in LINES:
        state = Othello.start().after(line)
        for name in ("diff", "wdiff"):
            for depth, count in boards.items():
                plain, pruned = minimax(state, depth, name), alphabeta(state, depth, name)
                moves.append([plain.best, plain.value] == [pruned.best, pruned.value])
                count[0] += plain.nodes - 1
                count[1] += pruned.nodes - 1
    yield claimed("pruning chooses exactly the same moves", True, all(moves), all(moves), "right, in value and move")
    yield compared("boards at 1 ply, without and with pruning", boards[1][0], boards[1][1])
    all_boards, with_pruning = boards[3]
    yield claimed(
        "boards at 3 plies, vastly reduced",
        "0.25 to 0.38 of the boards",
        f"{with_pruning:,} of {all_boards:,}: {with_pruning / all_boards:.2f}",
        with_pruning < all_boards / 2,
        "right; the ratio depends on the positions",
    )


def _replayed_games() -> Iterator[Check]:
    """Play a small sample in Python; `zermelo tournament lecture-othello` plays the whole round robin."""
    from zermelo.search.textbook import alphabeta, minimax

    for names, games, plies in SAMPLE:
        plain, pruned = (
            [_replay(names[game % 2 :] + names[: game % 2], _random_opening(game // 2), plies, search)
             for game in range(games)]
            for search in (minimax, alphabeta)
        )  # fmt: skip
        what = f"{' - '.join(names)} replayed, {games} after ten random moves"
        yield claimed(what, "pruning changes no game", plain == pruned, plain == pruned, "right, move by move")


def values_by_ply(plies: int) -> tuple[list[int], dict[str, list[int]]]:
    """The numbers of distinct positions after each ply from the start, and of their different values by evaluation."""
    from zermelo.games.othello import Othello

    row: list[State] = [Othello.start()]
    positions: list[int] = []
    values: dict[str, list[int]] = {"diff": [], "wdiff": []}
    for _ in range(plies):
        row = list(dict.fromkeys(state.play(move) for state in row for move in state.legal_moves()))
        positions.append(len(row))
        for name, counts in values.items():
            counts.append(len({Othello.evaluations[name].score(state) for state in row}))
    return positions, values


def first_plies(case: Case) -> Iterator[Check]:
    """Check which positions near the start two evaluations tell apart."""
    positions, values = values_by_ply(4)
    yield compared("positions after 1 to 4 plies", [4, 12, 54, 236], positions)
    yield claimed(
        "the disc difference does not discriminate at shallow levels",
        "few different values",
        f"{' '.join(map(str, values['diff']))} different values after 1 to 4 plies",
        values["diff"][:2] == [1, 1],
        "right: one value for all positions after one ply, and after two",
    )
    yield claimed(
        "the weighted squares discriminate",
        "more different values",
        f"{' '.join(map(str, values['wdiff']))} different values after 1 to 4 plies",
        all(weighted > plain for plain, weighted in list(zip(values["diff"], values["wdiff"], strict=True))[1:]),
        "right from the second ply on; the four first moves are symmetric, so no evaluation can tell them apart",
    )


def _random_opening(seed: int, plies: int = 10) -> list[int]:
    """Random legal moves from the start of Othello."""
    from zermelo.games.othello import Othello

    dice = random.Random(seed)
    state: State = Othello.start()
    moves: list[int] = []
    for _ in range(plies):
        moves.append(dice.choice(state.legal_moves()))
        state = state.play(moves[-1])
    return moves


def _replay(names: tuple[str, ...], opening: list[int], plies: int, search: Callable[..., Result]) -> list[int]:
    """The first moves of a game of the round robin, chosen by a textbook search."""
    from zermelo.games.othello import Othello

    state: State = Othello.start()
    moves = list(opening)
    for move in moves:
        state = state.play(move)
    while not state.is_over() and len(moves) < len(opening) + plies:
        name, depth = names[state.to_move() != 1].split("/")
        found = search(state, int(depth), name)
        assert found.best is not None
        moves.append(found.best)
        state = state.play(found.best)
    return moves
