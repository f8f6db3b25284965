"""`zermelo play`: whole games typed into it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo import Engine, load


def test_a_won_game(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "tictactoe", "XX-OO----", "--depth", "2", typed="c1\n")
    assert code == 0
    assert "  crosses to move:  c1 c2 a3 b3 c3\n" in out
    assert out.endswith("\n\n  the game is over: crosses have won\n")


def test_the_engine_answers(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "XX-O-----", "--depth", "4", "--as", "max", typed="")
    assert "noughts play c1" in out  # the only move that does not lose at once
    _, out, _ = zermelo("play", "tictactoe", "XX-O-----", "--depth", "4", "--as", "noughts", typed="b2\n")
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
    typed = "help\nhint\nmoves\nboard\nlevel\ndepth 3\nseconds 0.5\nlevel 9\nundo\nswap\nquit\n"
    _, out, _ = zermelo("play", "tictactoe", "XX-O-O---", "--depth", "1", typed=typed)
    answers = out.split("crosses> ")
    assert "take back" in answers[1]
    assert "  c1   crosses win in 1 ply, proven" in answers[2]
    assert answers[3] == "moves\n  crosses to move:  c1 b2 a3 b3 c3\n"
    assert "│ X │ X │ 3 │" in answers[4]
    assert answers[5] == "level\n  the engine's level: 1 ply\n"
    assert answers[6] == "depth 3\n  the engine's level: 3 plies\n"
    assert answers[7] == "seconds 0.5\n  the engine's level: 0.5 s per move\n"
    assert answers[8] == "level 9\n  the engine's level: 9\n"
    assert answers[9] == "undo\n  no move to take back\n"
    assert "you play noughts now" in answers[10]
    assert "crosses play c1" in answers[10]  # and have won with it


def test_the_last_move_is_named(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "--as", "both", typed="5\n1\nundo\nquit\n")
    before, first, second, taken_back, _ = out.split("> ")
    assert "last move" not in before
    assert "\n  last move:        crosses b2\n  noughts to move:  a1 b1" in first
    assert "\n  last move:        noughts a1\n  crosses to move:  b1 c1" in second
    assert "\n  last move:        crosses b2\n  noughts to move:  a1 b1" in taken_back


@pytest.mark.parametrize(
    ("game", "moves", "signs"),
    [
        ("tictactoe", "b2", "X"),
        ("chess", "e4", "♙♙"),
        ("othello", "f5", "●●"),
        ("checkers", "11-15", "bb"),
        ("connect4", "4", "X"),
    ],
)
def test_the_squares_of_the_last_move_are_marked(game: str, moves: str, signs: str) -> None:
    """Where a piece has come or gone; dots of legal moves and counts are left out."""
    from zermelo import load
    from zermelo.cli.board_marks import changed_places, marked

    start = load(game).start()
    after = start.after(moves)
    board, before = after.board(), start.board()
    places = changed_places(board, before)
    found = [board[place] if board[place] in signs else before[place] for place in places]
    assert "".join(found) == signs
    assert marked(board, before).plain == board
    assert changed_places("one line", "One line") == []
    assert changed_places("a\nb", "a\nbc") == []


def test_saving_and_loading(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    typed = "5\n1\nsave game.json\n9\nsave game.json\nundo\nundo\nload game.json\nquit\n"
    _, out, _ = zermelo("play", "tictactoe", "--as", "both", typed=typed)
    saved = "  saved: game.json; continue with: zermelo play tictactoe --load game.json\n"
    assert out.count(saved) == 2  # its own file is replaced
    assert "  loaded: game.json, 3 plies\n" in out
    assert out.endswith('zermelo play tictactoe "---/---/---" --moves "b2 a1 c3" --as both\n')
    code, out, _ = zermelo("play", "tictactoe", "--as", "both", "--load", "game.json", typed="undo\nquit\n")
    assert code == 0
    assert "  last move:        crosses c3\n  noughts to move:  b1 c1 a2 c2 a3 b3\n" in out
    assert out.endswith('--moves "b2 a1" --as both\n')


def test_files_that_are_not_saved_or_loaded(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text("precious\n")
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "wrong.json").write_text('{"start": "---/---/---", "moves": ["b2", "b2"]}\n')
    typed = "\n".join(
        [
            *("save", "save mine.json", "save game.txt", "save none/game.json"),
            *("load", "load none.json", "load mine.json", "load empty.json", "load wrong.json", "quit"),
        ]
    )
    _, out, _ = zermelo("play", "tictactoe", "--as", "both", typed=typed)
    told = [line.strip().removesuffix(" (help lists the commands)") for line in out.splitlines() if "help l" in line]
    assert told[:6] == [
        "save needs the name of a file: save game.json",
        "mine.json exists; choose another name",
        "game.txt: the file name must end in .moves or .json or .jsonl",
        "none/game.json: directory not found: none",
        "load needs the name of a file: load game.json",
        "none.json: No such file or directory",
    ]
    assert told[6].startswith("mine.json: game 1, line 1: ")
    assert told[7] == "empty.json: contains no game; is it json?"
    assert told[8].startswith("wrong.json: game 1, line 1")
    assert (tmp_path / "mine.json").read_text() == "precious\n"
    code, out, error = zermelo("play", "tictactoe", "--load", "wrong.json")
    assert (code, out) == (2, "")
    assert error.startswith("zermelo: wrong.json: game 1, line 1")
    code, out, error = zermelo("play", "tictactoe", "XX-OO----", "--load", "wrong.json")
    assert (code, out) == (2, "")
    assert error == "zermelo: --load takes position and moves from the file; it cannot be combined with them\n"


def test_a_move_is_explained(zermelo: Callable[..., Any]) -> None:
    typed = "why\nwhy c1\nwhy c2\nwhy b1\nc2\nwhy\nquit\n"
    _, out, _ = zermelo("play", "tictactoe", "XX-OO----", "--as", "both", "--depth", "3", typed=typed)
    answers = out.split("crosses> ")
    assert answers[1] == "why\n  no move to explain yet; why MOVE explains a legal move\n"
    assert answers[2].splitlines()[1] == "  c1   crosses win in 1 ply, proven: c1"
    assert answers[2].splitlines()[-1].startswith("  why  c1 is better than ")
    assert "  why  c1 is better than c2\n" in answers[3]
    assert "'b1' is not a legal move here" in answers[4]
    assert "  why  c1 is better than c2\n" in answers[5].partition("noughts> why\n")[2]  # the move of crosses


def test_the_only_legal_move_needs_no_reasons(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "XOX/XOX/O-O", "--as", "both", "--depth", "2", typed="why b3\nquit\n")
    assert "  why  b3 is the only legal move\n" in out


def test_scores_of_selective_searches_are_called_so(zermelo: Callable[..., Any]) -> None:
    typed = "hint\nwhy b2\nb2\nquit\n"
    with Engine("1M", selective=True) as engine:  # compiled before: until then, interpreted searches answer
        engine.analyse(load("tictactoe").start(), depth=1)
    _, out, _ = zermelo("play", "tictactoe", "--depth", "2", "--selective", typed=typed)
    hint, why, answer = out.split("crosses> ")[1:4]
    assert ", selective, " in hint
    assert [line.count(", selective: ") for line in why.splitlines()[1:3]] == [1, 1]
    assert ", selective, " in answer
    assert "selective" not in zermelo("play", "tictactoe", "--depth", "2", typed=typed)[1]


def test_terms_explain_the_difference(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "--as", "both", "--depth", "1", typed="why 5\nquit\n")
    assert "  b2        +4 by lines at depth 1 (crosses are ahead): b2\n" in out
    assert "  why       b2 is better than a1 by 1 open lines\n" in out
    assert "  by terms  at the end of b2's line: open lines +1\n" in out


def test_help_lists_the_commands_that_are_possible(zermelo: Callable[..., Any]) -> None:
    from zermelo.cli.play import COMMANDS

    _, out, _ = zermelo("play", "tictactoe", "--as", "both", typed="help\nquit\n")
    _, hidden, _ = zermelo("play", "kuhn", "QK", "--as", "first", typed="?\nsave x\nexit\n")
    for name in COMMANDS:
        assert f"  {name} " in out
        assert (f"\n  {name} " in hidden.split("first> ")[1]) == (name in ("hint", "moves", "board", "resign", "quit"))
    assert "save is not possible in a game with hidden information" in hidden


def test_many_moves_are_listed_on_request(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "hex", "9x9", "--as", "both", typed="moves\nquit\n")
    first, listed, *_ = out.split("X (black)> ")
    assert first.endswith("  X (black) to move:  a1 b1 c1 d1 e1 f1 g1 h1 ...  (81 moves; `moves` lists them)\n")
    assert listed.rstrip().endswith("h9 i9")


def test_an_illegal_move_among_many_is_told_in_one_line(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "hex", "9x9", "--as", "both", typed="z1\nquit\n")
    assert "\n  'z1' is not a legal move here; `moves` lists the legal ones (help lists the commands)\n" in out


def test_undo_takes_back_the_answer_too(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("play", "tictactoe", "--depth", "3", typed="b2\nundo\na1\n")
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
    _, out, _ = zermelo("play", "chess", "--as", "both", "--seconds", "0.5", typed="Nf3\nNf6\nNg1\nNg8\n" * 2)
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
    code, out, _ = zermelo("play", "tictactoe", "--as", "none", "--depth", "9", "--evaluation", "lines")
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


NIM = '''
from zermelo import MAX, game


@game
class Nim:
    """Take 1, 2 or 3; the last one wins."""

    heap: int = 5
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        for take in range(1, min(3, self.heap) + 1):
            yield take

    def play(self, move):
        return Nim(self.heap - move, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn
'''


@pytest.mark.long
def test_a_game_without_an_evaluation_is_played_by_tree_search(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    """The position is won by taking 1, and the score says that it is proven."""
    (tmp_path / "nim.py").write_text(NIM)
    code, out, _ = zermelo("play", str(tmp_path / "nim.py"), "--as", "min", "--seed", "1", typed="quit\n")
    assert code == 0
    assert "MAX plays 1   MAX wins, proven" in out


def test_levels_of_the_game_s_own(zermelo: Callable[..., Any]) -> None:
    ending = "X" * 58 + "-OX-O" + "-" + " O"
    code, out, _ = zermelo(
        "play", "othello", ending, "--level", "35", "--as", "white", typed="level\nhelp\nlevel 61\nquit\n"
    )
    assert code == 0
    assert "the engine's level: 35\n" in out
    assert "strength of the engine, 1 to 60\n" in out
    assert "level must be between 1 and 60 in Othello (got 61)" in out
    assert out.endswith(" --level 35\n")
    code, out, _ = zermelo("play", "othello", ending, "--level", "35", "--as", "none")
    assert code == 0
    assert "won" in out


def test_levels_and_seeds(zermelo: Callable[..., Any]) -> None:
    """The same seed gives the same game; level 1 plays other games with other seeds."""
    games = [
        [line.split("   ")[0] for line in out.splitlines() if " play " in line]
        for seed in ("1", "1", "2", "3")
        for _, out, _ in [zermelo("play", "tictactoe", "--as", "none", "--level", "1", "--seed", seed)]
    ]
    assert games[0] == games[1]
    assert len({tuple(moves) for moves in games}) > 1


# ---- while machine code is being compiled -----------------------------------------------------------------------


class _Compiling:
    """In place of a compilation: it is done when `is_done` has been read a number of times."""

    reads = 0
    closed = 0

    def __init__(self, *_: object) -> None:
        type(self).reads = 0

    @property
    def is_done(self) -> bool:
        type(self).reads += 1
        return self.reads > 2

    def close(self) -> None:
        type(self).closed += 1


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ["engine", "mcts"])
def test_an_interpreted_search_answers_until_the_code_is_compiled(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    from zermelo.cli import play
    from zermelo.search.engine import Engine
    from zermelo.search.mcts.engine import MonteCarlo

    searched: list[bool] = []
    for kind in (Engine, MonteCarlo):
        plain = kind._new_search

        def noting(engine: Any, *arguments: Any, plain: Any = plain) -> Any:
            searched.append(engine._compiled)
            return plain(engine, *arguments)

        monkeypatch.setattr(kind, "_new_search", noting)
    monkeypatch.setattr(play, "Compilation", _Compiling)
    closed = _Compiling.closed
    arguments = ("--seconds", "0.05", "--algorithm", algorithm)
    _, out, error = zermelo("play", "tictactoe", "XX-OO----", *arguments, typed="hint\nhint\nquit\n")
    assert searched == [False, True]
    assert out.count("  c1   crosses win in 1 ply, proven") == 2 or algorithm == "mcts"
    assert "in the background" in error
    assert _Compiling.closed == closed + 1


@pytest.mark.long
def test_code_is_compiled_by_another_process_that_ends_with_the_game(tmp_path: Path) -> None:
    program = (
        "import sys, time; from zermelo import load; from zermelo.cli.background import Compilation;"
        "from zermelo.search.engine import Engine; engine = Engine('1M'); state = load('tictactoe').start();"
        "assert not engine.is_ready(state);"
        "made = Compilation(engine, state, None, 'tictactoe', '', 'engine'); first = made.is_done; made.close();"
        "assert not first and made.is_done;"
        "made = Compilation(engine, state, None, 'tictactoe', '', 'engine');\n"
        "while not made.is_done: time.sleep(0.1)\n"
        "made.close(); assert engine.is_ready(state); print(engine.analyse(state, depth=2).best)"
    )
    environment = {**os.environ, "ZERMELO_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("b2\n", "")


# ---- hidden information --------------------------------------------------------------------------------------------


def test_hidden_information_is_not_shown(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "kuhn", "QK", "--as", "first", typed="undo\nbet\n")
    assert code == 0
    before, after = out.split("first> bet")
    assert "second  ?" in before
    assert "undo is not possible in a game with hidden information (help lists the commands)" in before
    assert "K" not in before
    assert "second  K" in after  # the game is over


def test_a_hint_in_a_game_with_hidden_information(zermelo: Callable[..., Any]) -> None:
    """The hint is a legal move; it may differ from time to time, as the player's strategy is mixed."""
    _, out, _ = zermelo("play", "kuhn", "KQ check", "--as", "both", "--seed", "1", typed="\nhint\nhint\nquit\n")
    answers = out.split("second> ")
    assert all(answer.splitlines()[1].strip() in ("check", "bet") for answer in answers[1:3])


def test_players_at_one_terminal_see_their_own_side(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("play", "kuhn", "QK", "--as", "both", typed="\nbet\n\nquit\n")
    assert code == 0
    assert out.count("press Enter when only you see the screen") == 2
    first, second = out.split("second, press Enter")
    assert "second  ?" in first
    assert "first   ?" in second
    assert out.rstrip().endswith("left the game")


def test_a_player_that_searches_the_state_is_refused(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("play", "kuhn", "--algorithm", "mcts")
    assert (code, out) == (2, "")
    assert "Kuhn has hidden information, and mcts would see what its player cannot" in err
