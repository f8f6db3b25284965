"""`zermelo explain`: terms, weights, points, and what is refused."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import zermelo as library
from zermelo.core.evaluation import Evaluation
from zermelo.core.weight_file import save_weights
from zermelo.games.tictactoe import OpenLines, TicTacToe

OPENING = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/P1N2N2/1P3PPP/R1BQKB1R w KQ - 0 8"
ENDING = "8/5k2/4p3/3p1p2/3P1P2/4P1K1/8/2R2r2 b - - 3 50"


def rows(printed: str) -> dict[str, list[str]]:
    """The table's rows by the name of their term."""
    lines = printed.splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip().startswith("term "))
    end = next(number for number, line in enumerate(lines) if "──" in line and number > first)
    return {" ".join(words[: len(words) - 6]): words[-6:] for words in map(str.split, lines[first + 1 : end])}


def test_chess_is_told_term_by_term(zermelo: Callable[..., Any]) -> None:
    done = zermelo("explain", "chess", ENDING)
    assert done.code == 0
    assert done.err == ""
    table = rows(done.out)
    assert table["pawns"] == ["3", "3", "0", "90", "110", "0.00"]
    evaluation = library.load("chess").evaluations["positional"]
    score = evaluation.score(library.load("chess").parse(ENDING))
    points = sum(Fraction(words[-1]) for name, words in table.items() if name)
    assert abs(points - score) < 1
    assert f"score     {score:+d} centipawns by positional" in done.out
    assert "(4 x middle game + 20 x endgame) / 24" in done.out


def test_a_game_names_its_own_phases(zermelo: Callable[..., Any]) -> None:
    told = zermelo("explain", "backgammon").out
    assert "  early    late  points\n" in told
    assert "  weights  early only\n" in told
    assert "middle game" not in told
    heads = zermelo("explain", "chess").out
    assert "  middle game  endgame  points\n" in heads
    assert "  weights   middle game only\n" in heads


def test_json_adds_up_and_says_whose_counts_they_are(zermelo: Callable[..., Any]) -> None:
    told = zermelo("explain", "chess", OPENING, "--json").json
    assert told["players"] == {"max": "white", "min": "black"}
    assert told["phase"] == [24, 24]
    assert sum(term["points"] for term in told["terms"]) == pytest.approx(told["score"])
    mobility = next(term for term in told["terms"] if term["name"] == "knights' mobility")
    assert mobility["points"] == mobility["weights"][0] * (mobility["max"] - mobility["min"])


GAMES = [
    (game, name)
    for game in ("tictactoe", "connect4", "othello", "checkers", "chess")
    for name, evaluation in library.load(game).evaluations.items()
    if type(evaluation).terms is not Evaluation.terms
]


@pytest.mark.parametrize(("game", "name"), GAMES)
def test_every_linear_evaluation_can_be_told(zermelo: Callable[..., Any], game: str, name: str) -> None:
    state = library.load(game).start()
    for _ in range(4):
        state = state.play(state.legal_moves()[-1])
    told = zermelo("explain", game, str(state), "--evaluation", name, "--json").json
    assert told["evaluation"] == name
    assert told["score"] == state.evaluations[name].score(state)
    assert sum(term["points"] for term in told["terms"]) == pytest.approx(told["score"])
    assert zermelo("explain", game, str(state), "--evaluation", name).code == 0


def test_all_our_games_evaluations_but_those_of_patterns_are_sums_of_few_terms() -> None:
    assert {game for game, _ in GAMES} == {"tictactoe", "connect4", "othello", "checkers", "chess"}
    every = {(game, name) for game in {game for game, _ in GAMES} for name in library.load(game).evaluations}
    assert every - set(GAMES) == {("othello", "patterns"), ("checkers", "patterns")}


def test_moves_are_played_first_and_the_first_sum_of_terms_is_explained(zermelo: Callable[..., Any]) -> None:
    told = zermelo("explain", "othello", "--moves", "f5 d6 c3", "--json").json
    assert told["evaluation"] == "mobility"
    assert {term["name"]: term["weights"] for term in told["terms"]} == {"moves": [4], "corners": [24], "discs": [-1]}


def test_weights_of_a_file_are_explained(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = str(tmp_path / "seven.weights")
    save_weights(path, TicTacToe, OpenLines([7]))
    told = zermelo("explain", "tictactoe", "X--/---/---", "--evaluation", path, "--json").json
    assert ([term["weights"] for term in told["terms"]], told["score"]) == ([[7]], 21)


def test_terms_that_count_for_neither_are_left_out_and_said_so(zermelo: Callable[..., Any]) -> None:
    short = zermelo("explain", "checkers")
    assert "kings" not in short.out.partition("term")[2]
    assert "5 terms that are 0 for both sides; --all lists them" in short.out
    assert "kings" in zermelo("explain", "checkers", "--all").out


def test_a_finished_game_has_a_result_and_no_terms(zermelo: Callable[..., Any]) -> None:
    done = zermelo("explain", "tictactoe", "XXX/OO-/---")
    assert done.code == 0
    assert "crosses have won; evaluations apply to unfinished games" in done.out
    assert zermelo("explain", "tictactoe", "XXX/OO-/---", "--json").json["terms"] == []


def test_nothing_has_no_terms(zermelo: Callable[..., Any]) -> None:
    done = zermelo("explain", "chess", "--evaluation", "nothing")
    assert done.code == 0
    assert done.out.endswith("score  0 evaluation units by nothing (level)\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("chess", "--evaluation", "other"), "Chess has no evaluation 'other'; it has positional, material, network"),
        (("chess", "8/8/8 w - - 0 1"), "Chess position:"),
        (("chess", "--moves", "e5"), "'e5'"),
        (("chequers",), "chequers"),
        (("kuhn", "KQ"), "is a game of imperfect information"),
    ],
)
def test_bad_input_is_one_line(zermelo: Callable[..., Any], words: tuple[str, ...], expected: str) -> None:
    done = zermelo("explain", *words)
    assert done.code == 2
    assert expected in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_an_evaluation_without_terms_is_refused(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "heap.py"
    file.write_text(
        textwrap.dedent("""
            from zermelo.core.evaluation import Linear, Weights, evaluation
            from zermelo.core.game import MAX, game

            @evaluation
            class Squared:
                def score(self, state):
                    return state.heap ** 2

            @evaluation
            class Heap(Linear):
                names = ("heap",)
                weights: Weights = (3,)

                def counts(self, state, side):
                    return (state.heap if side == MAX else 0,)

            @game
            class Heaps:
                heap: int = 5
                turn: int = MAX
                evaluations = {"squared": Squared(), "heap": Heap()}

                def to_move(self):
                    return self.turn

                def moves(self):
                    yield 1

                def play(self, take):
                    return Heaps(self.heap - take, -self.turn)

                def is_over(self):
                    return self.heap == 0

                def utility(self):
                    return -self.turn
        """)
    )
    done = zermelo("explain", f"{file}:Heaps", "--evaluation", "squared")
    assert done.code == 2
    assert "'squared' is not a weighted sum of terms; heap is" in done.err
    assert done.err.count("\n") == 1
    told = zermelo("explain", f"{file}:Heaps", "--json").json
    assert (told["score"], told["phase"], len(told["terms"])) == (15, None, 1)


def test_a_network_shows_its_pieces_on_the_board(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "discs.py"
    file.write_text(
        textwrap.dedent("""
            import numpy as np
            from zermelo import MAX, Bitboard, evaluation, game
            from zermelo.core.network import Network

            @evaluation
            class Discs(Network):
                hidden = 16
                flip = 63
                plane_names = "black", "white"

                def planes(self, state):
                    return state.black, state.white

            @game
            class Row:
                black: Bitboard = Bitboard(0x0000000810000000)
                white: Bitboard = Bitboard(0x0000001008000000)
                turn: int = MAX
                evaluations = {"discs": Discs.from_floats({
                    name: np.full(shape, 0.125) for name, shape in Discs.shapes().items()
                })}

                def to_move(self): return self.turn
                def moves(self):
                    for square in ~(self.black | self.white) & 255: yield square
                def play(self, square):
                    disc = Bitboard(1) << square
                    if self.turn == MAX: return Row(self.black | disc, self.white, -self.turn)
                    return Row(self.black, self.white | disc, -self.turn)
                def is_over(self): return not ~(self.black | self.white) & 255
                def utility(self): return 0
        """)
    )
    done = zermelo("explain", f"{file}:Row", "--evaluation", "discs")
    assert done.code == 0, done.err
    assert "what each piece adds: the score less the score without it" in done.out
    lines = done.out.splitlines()
    first = next(number for number, line in enumerate(lines) if "what each piece adds" in line)
    board = [line.split() for line in lines[first + 1 : first + 10]]
    assert board[0] == ["8", *"········"]
    assert board[8] == list("abcdefgh")
    points = [cell for row in board for cell in row[1:] if cell[0] in "+-"]
    assert len(points) == 4
    assert len({int(cell) for cell in points}) == 1
    assert "black d5" in done.out
