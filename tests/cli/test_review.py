"""`zermelo review`: tables, JSON, annotated files, continuing, Ctrl-C, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.review.games import named_record
from zermelo.cli.curve import curve_text
from zermelo.core.game import MAX, MIN
from zermelo.core.weight_file import save_weights
from zermelo.formats.polyglot import build_book
from zermelo.games.tictactoe import OpenLines, TicTacToe
from zermelo.review import reviewer

#: Three games: noughts lose by 1... b1; a draw; the game ends early.
GAMES = "b2 b1 a1 c3 a3 c1 a2\nb2 a1 a2 c2 b1 b3 a3 c1 c3\nb2 a1\n"
BLUNDER = "1... b1??  blunder, proven  1 utility"
MATE = '[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n'


@pytest.fixture(autouse=True)
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.moves").write_text(GAMES)


def test_the_blunder_is_listed_with_its_board(zermelo: Callable[..., Any]) -> None:
    done = zermelo("review", "tictactoe", "game.moves", "--games", "1", "--exact")
    assert (done.code, done.err) == (0, "")
    assert BLUNDER in done.out
    assert "1... b1: Blunder: loses 1 utility (proven)." in done.out
    assert "crosses |" in done.out
    assert done.out.count("crosses |") == 1


def test_a_file_without_a_good_game_is_refused_with_the_reason(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "bad.moves"
    path.write_text("a1 a1\n")
    done = zermelo("review", "tictactoe", str(path), "--depth", "1")
    assert (done.code, done.out) == (2, "")
    assert f"{path.name}: game 1, line 1: 'a1' is not a legal move here" in done.err


def test_all_moves_are_listed_on_demand(zermelo: Callable[..., Any]) -> None:
    words = ("review", "tictactoe", "game.moves", "--games", "2", "--exact", "--boards", "0")
    assert "5. c3" not in zermelo(*words).out
    assert "5. c3    forced" in zermelo(*words, "--all").out


def test_json_has_the_games_that_were_asked_for(zermelo: Callable[..., Any]) -> None:
    done = zermelo("review", "tictactoe", "game.moves", "--games", "1,3-3", "--exact", "--json")
    data = json.loads(done.out)
    assert [len(each["moves"]) for each in data["games"]] == [7, 2]
    first = data["games"][0]
    assert first["complete"]
    assert len(first["curve"]) == 8
    assert first["sides"]["min"]["marks"] == {"inaccuracy": 0, "mistake": 0, "blunder": 1}
    assert first["moves"][1]["best"]["value"] == 0
    assert data["settings"]["exact"]
    assert data["settings"]["confidence"] == first["moves"][1]["best"]["confidence"] == 100


def test_the_annotated_game_is_written_in_the_format_of_its_extension(zermelo: Callable[..., Any]) -> None:
    Path("mate.pgn").write_text(MATE)
    done = zermelo("review", "chess", "mate.pgn", "--depth", "2", "-o", "out.pgn", "--boards", "0")
    assert (done.code, done.err) == (0, "")
    assert "Ann (white) - Bob (black): 1-0" in done.out
    text = " ".join(Path("out.pgn").read_text().split())
    assert "3... Nf6 $4 {[%eval #1] Blunder: loses " in text
    assert "$4" in text
    assert zermelo("convert", "chess", "out.pgn", "--to", "san").out == "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#\n"


def test_ctrl_c_keeps_what_is_done_and_resume_continues(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = zermelo("review", "tictactoe", "game.moves", "--games", "1", "--exact", "--json").out
    review_moves, reviewed = reviewer.review_moves, []

    def interrupted(*given: Any) -> Iterator[Any]:
        for move in review_moves(*given):
            yield move
            reviewed.append(move)
            if len(reviewed) == 3:
                raise KeyboardInterrupt

    words = ("review", "tictactoe", "game.moves", "--games", "1", "--exact", "--resume", "r.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(reviewer, "review_moves", interrupted)
        stopped = zermelo(*words)
    assert stopped.code == 130
    assert "3 of 7 moves reviewed" in stopped.out
    continued = zermelo(*words, "--json")
    assert (continued.code, continued.out) == (0, whole)
    assert len(reviewed) == 3


def test_moves_of_a_polyglot_book_are_not_judged(zermelo: Callable[..., Any]) -> None:
    record = named_record("chess", "e4 e5 Bc4")
    Path("book.bin").write_bytes(build_book([record]))
    Path("mate.pgn").write_text(MATE)
    done = zermelo("review", "chess", "mate.pgn", "--depth", "1", "--book", "book.bin", "--json")
    moves = json.loads(done.out)["games"][0]["moves"]
    assert [move["not_judged"] for move in moves] == ["book", "book", "book", "", "", "", ""]


@pytest.mark.long
def test_a_game_of_a_file_is_reviewed_with_losses_of_utility(zermelo: Callable[..., Any]) -> None:
    nim = Path(__file__).parents[1] / "support" / "nim.py"
    Path("nim.moves").write_text(" ".join(str(take) for take in (3, 3, 1, 3, 1, 3, 1)) + "\n")
    done = zermelo("review", str(nim), "nim.moves", "--exact", "--quiet", "--json")
    assert (done.code, done.err) == (0, "")
    [game] = json.loads(done.out)["games"]
    assert game["complete"]
    assert all(move["exact"] for move in game["moves"])


def test_unreadable_games_are_reported_and_skipped(zermelo: Callable[..., Any]) -> None:
    Path("game.moves").write_text("b2 b2\nb2 a1\n")
    done = zermelo("review", "tictactoe", "game.moves", "--depth", "1", "--json")
    assert (done.code, len(json.loads(done.out)["games"])) == (2, 1)
    assert done.err.count("\n") == 1
    assert "game 1" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tictactoe none.moves", "none.moves: No such file or directory"),
        ("tictactoe game.txt", "review: unknown extension of game.txt; use --from with one of moves"),
        ("tictactoe game.moves --games 0", "--games must be numbers and ranges such as 1,3-5 (got '0')"),
        ("tictactoe game.moves --games 3-2", "--games must be numbers and ranges such as 1,3-5 (got '3-2')"),
        ("tictactoe game.moves --games 7 --depth 1", "--games 7: the file has 3 games"),
        ("tictactoe game.moves --depth 0", "depth must be between 1 and 200"),
        ("tictactoe game.moves --exact --nodes 5", "exact excludes depth, seconds and nodes"),
        ("tictactoe game.moves --evaluation wrong", "no evaluation 'wrong'"),
        ("tictactoe game.moves --boards -1", "--boards must be at least 0 (got -1)"),
        ("tictactoe game.moves --book book.bin", "--book is a Polyglot book"),
        ("tictactoe game.moves -o out.moves", "moves has no annotations; write a .json file"),
        ("tictactoe game.moves --resume game.moves", "game.moves:1: not a line of a review"),
        ("tictactoe empty.moves", "empty.moves: there is no game with moves in it"),
        ("kuhn game.moves", "has hidden information"),
        ("chess mate.pgn --book none.bin", "none.bin: No such file"),
    ],
)
def test_bad_input_is_one_line(zermelo: Callable[..., Any], words: str, message: str) -> None:
    Path("empty.moves").write_text("\n")
    Path("mate.pgn").write_text(MATE)
    done = zermelo("review", *words.split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert Path("game.moves").read_text() == GAMES


def test_the_curve_is_drawn_from_the_bottom_with_the_worst_marks() -> None:
    text = curve_text([0.5, 0.5, 1.0, 0.0], {1: (MIN, "blunder"), 2: (MAX, "mistake")}, ("white", "black"), 4)
    lines = text.split("\n")
    assert lines[0] == "         ?"
    assert lines[-1] == "        X"
    columns = [line[7:].ljust(4) for line in lines[1:-1]]
    assert ["".join(row[index] for row in columns).strip() for index in range(4)] == ["████", "████", "████████", ""]


def test_a_long_game_shares_columns_and_unknown_values_are_blank() -> None:
    lines = curve_text([1.0] * 50 + [None] * 50, {3: (MAX, "inaccuracy"), 2: (MAX, "blunder")}, ("a", "b"), 10).split(
        "\n"
    )
    assert lines[1] == "a |█████"
    assert lines[0] == "   X"
    assert curve_text([1.0, 0.2], {}, ("a", "b"), 6, blocks=False).split("\n")[1] == "a |###"


@pytest.mark.long
def test_a_review_at_a_confidence(zermelo: Callable[..., Any]) -> None:
    start = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"  # FFO 40
    assert zermelo("convert", "othello", "-", "--from", "positions", "-o", "start.json", typed=start).code == 0
    game = json.loads(Path("start.json").read_text()) | {"moves": ["b1"]}  # a2 wins by 38
    Path("game.json").write_text(json.dumps(game) + "\n")
    words = ("review", "othello", "game.json", "--nodes", "3000", "--evaluation", "patterns", "--confidence", "95")
    done = zermelo(*words, "--all", "--resume", "moves.jsonl", "--boards", "0")
    assert (done.code, done.err) == (0, "")
    head, row = (line.split() for line in done.out.splitlines() if "confidence" in line or "1. b1" in line)
    assert head[-2:] == ["confidence", "line"]
    assert "95 %" in " ".join(row)
    data = zermelo(*words, "--json", "--resume", "moves.jsonl").json
    assert data["settings"]["confidence"] == 95
    (move,) = data["games"][0]["moves"]
    assert (move["best"]["value"], move["best"]["confidence"], move["played"]["confidence"]) == (None, 95, 95)
    other = zermelo(*words[:-1], "98", "--resume", "moves.jsonl")
    assert (other.code, "use the same options or another file" in other.err) == (2, True)


def test_a_selective_review(zermelo: Callable[..., Any]) -> None:
    Path("one.moves").write_text("b2 b1 a1 c3 a3 c1 a2\n")
    words = ("review", "tictactoe", "one.moves", "--depth", "3", "--selective", "--resume", "moves.jsonl")
    done = zermelo(*words, "--all", "--boards", "0")
    assert (done.code, done.err) == (0, "")
    table = [line for line in done.out.splitlines() if line.startswith(("  move", "  1."))]
    assert "  confidence  line" in table[0]
    assert "  selective" in table[1]
    data = zermelo(*words, "--json").json
    assert (data["settings"]["selective"], data["settings"]["confidence"]) == (True, None)
    first = data["games"][0]["moves"][0]["best"]
    assert (first["value"], first["confidence"], first["selective"]) == (None, None, True)
    other = zermelo(*words[:5], "--resume", "moves.jsonl")
    assert (other.code, "use the same options or another file" in other.err) == (2, True)
    assert zermelo(*words[:6], "--output", "one.html").code == 0
    assert '"selective":true' in Path("one.html").read_text()
    refused = zermelo(*words[:3], "--selective", "--exact")
    assert (refused.code, "--exact and --selective cannot be combined" in refused.err) == (2, True)


def test_a_confidence_needs_an_evaluation_with_search_errors(zermelo: Callable[..., Any]) -> None:
    Path("othello.moves").write_text("f5 d6\n")
    done = zermelo("review", "othello", "othello.moves", "--evaluation", "mobility", "--confidence", "95")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "zermelo: confidence: the evaluation mobility does not define search_error, the errors of its searches; "
        "choose patterns\n"
    )


def test_a_weight_file_is_the_evaluation(zermelo: Callable[..., Any]) -> None:
    save_weights("seven.weights", TicTacToe, OpenLines([7]))
    save_weights("one.weights", TicTacToe, OpenLines([1]))
    words = ("review", "tictactoe", "game.moves", "--games", "2", "--depth", "1", "--json")
    own, seven, one = (
        zermelo(*words, *options).json
        for options in ((), ("--evaluation", "seven.weights"), ("--evaluation", "one.weights"))
    )
    assert seven["settings"]["evaluation"] == one["settings"]["evaluation"] == "OpenLines"
    assert len({each["settings"]["weights"] for each in (own, seven, one)}) == 3
    scores = [each["games"][0]["moves"][0]["best"]["estimate"] for each in (seven, one)]
    assert scores[0] == 7 * scores[1] != 0
    assert zermelo(*words, "--evaluation", "one.weights", "--resume", "a.jsonl").code == 0
    assert zermelo(*words, "--evaluation", "seven.weights", "--resume", "a.jsonl").code == 2
