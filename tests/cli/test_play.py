"""`zermelo play`: whole games typed into it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_a_won_game(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "tictactoe", "XX-OO----", "--level", "2", typed="c1\n")
    assert code == 0
    assert "  crosses to move:  c1 c2 a3 b3 c3\n" in out
    assert out.endswith("\n\n  the game is over: crosses have won\n")


def test_the_engine_answers(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "XX-O-----", "--level", "4", "--as", "max", typed="")
    assert "noughts play c1" in out  # the only move that does not lose at once
    _, out, _ = zermelo("play", "tictactoe", "XX-O-----", "--level", "4", "--as", "noughts", typed="b2\n")
    assert "crosses play c1   crosses win in 1 ply, proven" in out
    assert out.endswith("  the game is over: crosses have won\n")


def test_wrong_input_is_told_in_a_line_and_asked_again(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "tictactoe", "XX-OO----", typed="b1\nfrobnicate\nlevel soon\nc1\n")
    assert code == 0
    told = [line for line in out.splitlines() if "help lists" in line]
    assert [line.split()[0] for line in told] == ["'b1'", "'frobnicate'", "level"]
    assert all("legal: c1 c2 a3 b3 c3" in line for line in told[:2])
    assert out.count("crosses>") == 4
    assert out.endswith("crosses have won\n")


def test_commands(zermelo: Callable[..., Any]) -> None:
    typed = "help\nhint\nmoves\nboard\nlevel\nlevel 3\nlevel 0.5s\nundo\nswap\nquit\n"
    _, out, _ = zermelo("play", "tictactoe", "XX-O-O---", "--level", "1", typed=typed)
    answers = out.split("crosses> ")
    assert "take back" in answers[1]
    assert "  c1   crosses win in 1 ply, proven" in answers[2]
    assert answers[3] == "moves\n  crosses to move:  c1 b2 a3 b3 c3\n"
    assert "│ X │ X │   │" in answers[4]
    assert answers[5] == "level\n  the engine's level: 1 plies\n"
    assert answers[6] == "level 3\n  the engine's level: 3 plies\n"
    assert answers[7] == "level 0.5s\n  the engine's level: 0.5 s per move\n"
    assert answers[8] == "undo\n  no move to take back\n"
    assert "you play noughts now" in answers[9]
    assert "crosses play c1" in answers[9]  # and have won with it


def test_undo_takes_back_the_answer_too(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "--level", "3", typed="b2\nundo\na1\n")
    after = out.split("crosses> undo\n")[1]
    assert "  crosses to move:  a1 b1 c1 a2 b2 c2 a3 b3 c3\n" in after


def test_leaving_tells_how_to_go_on(zermelo: Callable[..., Any]) -> None:
    for typed in ("b2\nquit\n", "b2\n"):
        code, out, err = zermelo("play", "tictactoe", "--as", "both", typed=typed)
        assert (code, err) == (0, "")
        command = 'zermelo play tictactoe "---/---/---" --moves "b2" --as both'
        assert out.endswith(f"  left the game; continue with: {command}\n")
    _, out, _ = zermelo("play", "tictactoe", "--as", "noughts", "--moves", "b2", typed="level 3\nquit\n")
    assert out.endswith(' "---/---/---" --moves "b2" --as min --level 3\n')


def test_a_game_that_was_left_goes_on_where_it_was(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "chess", "--as", "both", "--level", "0.5s", typed="Nf3\nNf6\nNg1\nNg8\n" * 2)
    words = shlex.split(out.splitlines()[-1].partition("zermelo ")[2])
    code, out, _ = zermelo(*words, typed="draw\n")
    assert code == 0
    assert out.endswith("  a draw: the position occurred 3 times\n")


def test_moves_are_played_first_and_count(zermelo: Callable[..., Any]) -> None:
    moves = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"
    _, out, _ = zermelo("play", "chess", "--moves", moves, "--as", "both", typed="draw\n")
    assert out.endswith("  a draw: the position occurred 3 times\n")
    _, out, _ = zermelo("play", "chess", "--moves", moves, "--as", "both", typed="undo\nNg8\nundo\ndraw\nquit\n")
    assert out.count("  draw:           can be claimed: the position occurred 3 times\n") == 2  # as often as shown
    assert "a draw cannot be claimed here" in out
    assert f'--moves "{moves[:-4]}" --as both\n' in out


def test_the_moves_of_a_game_with_dice_can_be_told_again(zermelo: Callable[..., Any]) -> None:
    typed = "8/5 6/5\nquit\n"
    _, out, _ = zermelo("play", "backgammon", "--moves", "31", "--as", "both", typed=typed)
    words = shlex.split(out.splitlines()[-1].partition("zermelo ")[2])
    assert words[4].startswith("31 8/5,6/5 ")
    _, again, _ = zermelo(*words, typed="quit\n")
    assert again.splitlines()[-1] == out.splitlines()[-1]


def test_resigning(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "tictactoe", "--as", "both", typed="b2\nresign\n")
    assert code == 0
    assert out.endswith("  noughts resign: crosses have won\n")


def test_the_engine_against_itself(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "tictactoe", "--as", "none", "--level", "9", "--evaluation", "lines")
    assert code == 0
    assert out.count(" play ") == 9
    assert out.endswith("  the game is over: a draw\n")


def test_a_single_move_needs_only_enter(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "XOX/XOX/O-O", "--as", "both", typed="\n")
    assert "  crosses to move:  b3  (Enter plays it)\n" in out
    assert out.endswith("  the game is over: a draw\n")


DICE = '''
from zermelo import CHANCE, MAX, game


@game
class Dice:
    """Roll; keep what was rolled, or take 4."""

    total: int = 0
    roll: int = 0

    max_utility = 6

    def to_move(self):
        return MAX if self.roll else CHANCE

    def moves(self):
        yield 0
        yield 1

    def outcomes(self):
        for face in range(1, 7):
            yield face, 1

    def play(self, move):
        if not self.roll:
            return Dice(0, move)
        return Dice(4 if move else self.roll, self.roll)

    def is_over(self):
        return self.total > 0

    def utility(self):
        return self.total
'''


def test_chance_moves_by_itself(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "dice.py").write_text(DICE)
    code, out, _ = zermelo("play", f"{tmp_path}/dice.py:Dice", typed="1\n")
    assert code == 0
    assert "  chance: " in out
    assert out.endswith("  the game is over: MAX has won by 4\n")


def test_a_draw_is_claimed_where_the_rules_say_so(zermelo: Callable[..., Any]) -> None:
    typed = "1-5\n32-28\n5-1\n28-32\n1-5\n32-28\ndraw\n5-1\n28-32\ndraw\n"
    code, out, _ = zermelo("play", "checkers", "B:WK32:BK1", "--as", "both", typed=typed)
    assert code == 0
    assert "a draw cannot be claimed here" in out
    assert out.endswith("  a draw: the position occurred 3 times\n")


def test_what_is_taken_back_has_not_come_up(zermelo: Callable[..., Any]) -> None:
    typed = "1-5\n32-28\n5-1\n28-32\n" * 2 + "undo\n28-32\nundo\nundo\ndraw\n"
    _, out, _ = zermelo("play", "checkers", "B:WK32:BK1", "--as", "both", typed=typed)
    assert "a draw cannot be claimed here" in out


def test_the_fifth_time_ends_a_game_of_chess(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "chess", "--as", "both", typed="Nf3\nNf6\nNg1\nNg8\n" * 4)
    assert out.endswith("  a draw: the position occurred 5 times\n")
