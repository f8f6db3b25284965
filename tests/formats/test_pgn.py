"""PGN: the example of the standard, elements of a game, and errors."""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from zermelo.formats.line_reader import MAX_LINE, read_lines
from zermelo.formats.movetext import MAX_DEPTH, MAX_GAME_LENGTH
from zermelo.formats.record import Line, Record, Step
from zermelo.games.chess import Chess

pytestmark = pytest.mark.quick

# The example of the PGN standard, laid out as it demands (export format).
FISCHER = """\
[Event "F/S Return Match"]
[Site "Belgrade, Serbia JUG"]
[Date "1992.11.04"]
[Round "29"]
[White "Fischer, Robert J."]
[Black "Spassky, Boris V."]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3
O-O 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15.
Nb1 h6 16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6 21.
Nc4 Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7
27. Qe3 Qg5 28. Qxg5 hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33.
f3 Bc8 34. Kf2 Bf5 35. Ra7 g6 36. Ra6+ Kc5 37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5
40. Rd6 Kc5 41. Ra6 Nf2 42. g4 Bd3 43. Re6 1/2-1/2

"""


def game(moves: str, **tags: str) -> str:
    return "".join(f'[{name} "{value}"]\n' for name, value in {"Event": "x", **tags}.items()) + f"\n{moves}\n\n"


def names(record: Record) -> str:
    return " ".join(step.text for step in record.line.steps)


def test_example_of_the_standard_round_trips(read: Any, written: Any) -> None:
    games, lost = read("chess", "pgn", FISCHER)
    assert not lost
    assert len(games[0].moves()) == 85
    assert games[0].result == "1/2-1/2"
    assert str(games[0].end()) == "8/8/4R1p1/2k3p1/1p4P1/1P1b1P2/3K1n2/8 b - - 2 1"
    assert written("chess", "pgn", games[0]) == FISCHER


def test_all_elements_of_movetext(read: Any, written: Any) -> None:
    text = """\
% a line for programs
[Event "x"]
[White "\\"A\\\\B\\""]
[Result "0-1"]

{before the first} 1.e4! {one
  comment} {two} (1. d4 d5 (1... Nf6 2. c4 $14) 2. c4 {in a variation}) {after it} e5?? ; to the end } of the line
2 Nf3 $5 $201 2... Nc6 0-1
"""
    games, lost = read("chess", "pgn", text)
    assert not lost
    record = games[0]
    assert record.tags == {"Event": "x", "White": '"A\\B"'}
    assert record.result == "0-1"
    assert record.line.comments == ["before the first"]
    e4, e5, nf3, nc6 = record.line.steps
    assert (e4.text, e4.nags, e4.comments) == ("e4", [1], ["one comment", "two"])
    assert (e5.nags, e5.comments_before, e5.comments) == ([4], ["after it"], ["to the end } of the line"])
    assert nf3.nags == [5, 201]
    assert nc6.move is not None
    d4, d5, c4 = e4.variations[0].steps
    assert c4.comments == ["in a variation"]
    assert [step.nags for step in d5.variations[0].steps] == [[], [14]]
    assert d4.move == Chess.start().parse_move("d4")
    assert written("chess", "pgn", record).partition("\n\n")[2] == (
        "{before the first} 1. e4 $1 {one comment} {two} (1. d4 d5 (1... Nf6 2. c4 $14)\n"
        "2. c4 {in a variation}) {after it} 1... e5 $4 ; to the end } of the line\n"
        "2. Nf3 $5 $201 Nc6 0-1\n\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 *",
        "e4 e5 Nf3 *",
        "1.e4 e5 2.Nf3",
        "1 e4 1... e5 2 Nf3 *",
        "1. e2e4 e7e5 2. g1f3 *",
        "1. e4 e5\n\n2. Nf3\n",
        "1. e4 (1. d4) e5 (1... c5 *) 2. Nf3*",
        "1. e4 {[%clk 0:01:00]} e5 () ( {only said} ) 2. Nf3 *",
    ],
)
def test_lenient_reading(read: Any, text: str) -> None:
    games, lost = read("chess", "pgn", game(text))
    assert not lost
    assert [names(record).replace("e2e4 e7e5 g1f3", "e4 e5 Nf3") for record in games] == ["e4 e5 Nf3"]


def test_games_without_tags_and_tags_without_games(read: Any) -> None:
    games, lost = read("chess", "pgn", "1. e4 *\n1. d4 d5 1-0 1. c4 *\n" + game("") + game("*") + "; the end\n")
    assert not lost
    assert [names(record) for record in games] == ["e4", "d4 d5", "c4", "", ""]


def test_an_annotation_given_twice_is_one(read: Any) -> None:
    (record,), _ = read("chess", "pgn", game("1. e4? $2 $14 *"))
    assert record.line.steps[0].nags == [2, 14]


BAD = {
    "1. e4 e5 2. Ke3 Nc6 *": "line 4: 'Ke3' is not a legal move here; similar: Ke2",
    "1. e4 (1. d4 e5 (1... Nf7)) *": "line 4: 'Nf7' is not a legal move here; similar: Na6 Nc6 Nf6 Nh6",
    "1. e4 {never closed *": "line 4: the comment that begins here is not closed; expected }",
    "1. e4 (1. d4 *": "line 4: a variation of 'e4' is not closed; expected )",
    "1. e4 e5 (": "line 4: a variation of 'e5' is not closed; expected )",
    "1. e4 ) *": "line 4: ) without a matching (",
    "( 1. e4 ) *": "line 4: ( begins a variation before the first move",
    "1. e4 $256 *": "line 4: annotation '$256'; expected $0 to $255, or ! ? !! ?? !? ?!",
    "1. e4 !!! *": "line 4: annotation '!!!'",
    "$1 e4 *": "line 4: annotation $1 without a move before it",
    "1. e4 <e5> *": "line 4: '<'; expected a move, a comment or a result",
    "1. e4 ] *": "line 4: ']'; expected a move",
    "1. e4\0 *": "line 4: the line contains a NUL byte; expected text in UTF-8 or Latin-1",
    "1. e4 -- 2. d4 *": "line 4: '--' is not a legal move here",
    "1. e4 {" + "x" * MAX_LINE + "} *": "line 4: the line has more than 200,000 bytes",
    "1. e4 " + ("{" + "y" * 99_000 + "}\n") * 11 + "*": f"the game has more than {MAX_GAME_LENGTH:,} characters",
    "1. e4 " + "(1. d4 " * 101 + ")" * 101 + " *": f"line 4: variations are nested more than {MAX_DEPTH} deep",
    "1. f3 e5 2. g4 Qh4# 3. a3 *": "line 4: 'a3' is not legal: the game is over",
}
BAD_TAGS = {
    '[Event "x"]\n[White "y" *\n\n1. e4 *': "line 5: tag '[White \"y\" *'; expected a tag like",
    '[Event "x"]\n[White "y"]\n[White "z"]\n\n1. e4 *': "line 6: duplicate tag White",
    '[Event "x"]\n[FEN "4k3/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *': "line 4: tag FEN: Chess position: white has no",
    '[Event "x"]\n[SetUp "1"]\n\n1. e4 *': "line 4: tag SetUp is 1, but there is no tag FEN",
    '[Event "x"]\n[Result "2-0"]\n\n1. e4': "line 4: tag Result '2-0'; expected one of 1-0",
    '[Event "x"]\n[Result "1-0"]\n\n1. e4 0-1': "line 4: tag Result is 1-0, but the moves end with 0-1",
    '[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *': "line 4: tag Variant 'Atomic'; expected chess or Chess960",
}


@pytest.mark.parametrize("moves", [*BAD, *BAD_TAGS], ids=lambda text: text[:40])
def test_only_the_game_with_an_error_is_skipped(read: Any, moves: str) -> None:
    bad = moves + "\n\n" if moves in BAD_TAGS else game(moves).replace("\n\n", '\n[Site "here"]\n\n', 1)
    first = 4 if moves in BAD_TAGS else 0  # where the first game ends
    text = f"{game('1. d4 *')[:-1]}{bad}{game('1. c4 *', White='z')}"
    games, lost = read("chess", "pgn", text)
    assert [names(record) for record in games] == ["d4", "c4"]
    assert games[1].tags["White"] == "z"
    assert len(lost) == 1
    message = str(lost[0])
    assert message.startswith("game 2, line ")
    assert len(message.splitlines()) == 1
    assert len(message) < 300
    expected = {**BAD, **BAD_TAGS}[moves]
    if first == 0:  # the bad game begins in line 4 of the text, its moves in line 7
        expected = expected.replace("line 4", "line 7")
    assert expected in message


def test_error_has_the_move(read: Any) -> None:
    _, lost = read("chess", "pgn", game("1. e4 e5\n2. Nf3 Nf3 *"))
    assert (lost[0].game, lost[0].line, lost[0].move) == (1, 4, "Nf3")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_encodings(read: Any, encoding: str) -> None:
    games, lost = read("chess", "pgn", game("1. e4 {très bien} *", White="Müller").encode(encoding))
    assert not lost
    assert games[0].tags["White"] == "Müller"
    assert games[0].line.steps[0].comments == ["très bien"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le", "utf-32"])
def test_wrong_encoding_is_reported_once(read: Any, encoding: str) -> None:
    games, lost = read("chess", "pgn", ("\n".join([game("1. e4 *")] * 3)).encode(encoding))
    assert not games
    assert len(lost) == 1
    assert str(lost[0]).endswith(("expected UTF-8 or Latin-1", "expected text in UTF-8 or Latin-1"))


def test_start_positions(read: Any, written: Any) -> None:
    text = game("23... Kd7 24. e4 *", FEN="4k3/8/8/8/8/8/4P3/4K3 b - - 5 23", SetUp="1")
    games, _ = read("chess", "pgn", text)
    assert games[0].first_move_number == 23
    out = written("chess", "pgn", games[0])
    assert '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 5 23"]\n[SetUp "1"]\n' in out
    assert "\n23... Kd7 24. e4 *\n" in out
    assert written("chess", "fen", games[0]) == "8/3k4/8/8/4P3/8/8/4K3 b - - 0 24\n"
    games, lost = read("chess", "pgn", game("1. O-O *", FEN="5k2/8/8/8/8/8/8/R4KR1 w GA - 0 1", Variant="Fischerandom"))
    assert not lost
    out = written("chess", "pgn", games[0])
    assert '[Variant "Fischerandom"]' in out
    games[0].tags.clear()
    assert '[Variant "Chess960"]' in written("chess", "pgn", games[0])
    assert written("chess", "uci", games[0]) == "fen 5k2/8/8/8/8/8/8/R4KR1 w KQ - 0 1 moves f1g1\n"


# ---- games made at random -----------------------------------------------------------------------------------------

SAID = ["good", "a b c", "with { in it", "ends }", "; 50%", "%", '[Event "x"]', "é ½ ♘", "x" * 90, "1-0", "(", "$1"]


def random_game(random: Random) -> Record:
    """A random game with comments and variations everywhere."""
    record = Record(Chess.start(), result=random.choice(["1-0", "0-1", "1/2-1/2", "*"]))
    record.tags = {
        name: random.choice(SAID) for name in random.sample(["White", "Black", "Event", "ECO", "Annotator"], 3)
    }
    waiting = [(record.start, record.line, random.randint(0, 12), 0)]
    while waiting:
        state, line, length, depth = waiting.pop()
        line.comments = _some(random)
        after_variation = False
        for _ in range(length):
            moves = state.legal_moves()
            if not moves:
                break
            move = random.choice(moves)
            step = Step(state.move_name(move), move, nags=random.sample(range(256), random.choice([0, 0, 0, 1, 2])))
            step.comments = _some(random)
            step.comments_before = _some(random) if after_variation else []
            line.steps.append(step)
            if depth < 4 and random.random() < 0.2:
                step.variations = [Line() for _ in range(random.randint(1, 2))]
                waiting += [(state, variation, random.randint(1, 5), depth + 1) for variation in step.variations]
            after_variation = bool(step.variations)
            state = state.play(move)
    return record


def _some(random: Random) -> list[str]:
    return [random.choice(SAID) for _ in range(random.choice([0, 0, 0, 0, 1, 2]))]


def _round_trips(count: int, seed: int, read: Callable[..., Any], written: Callable[..., str]) -> None:
    random = Random(seed)
    for number in range(count):
        record = random_game(random)
        text = written("chess", "pgn", record)
        for line in text.splitlines():
            assert len(line) < 80 or "x" * 80 in line or line.startswith(";") or "; " in line or "%" in line, line
        for form in ("pgn", "json"):
            (again,), lost = read("chess", form, written("chess", form, record))
            assert not lost
            assert again.line == record.line, (number, text)
            assert again.result == record.result
            assert written("chess", "pgn", again) == text
        (again,), lost = read("chess", "json", written("chess", "json", record))
        assert again.tags == record.tags


@pytest.mark.slow
def test_random_games_round_trip(read: Any, written: Any) -> None:
    _round_trips(15, 1, read, written)


@pytest.mark.nightly
def test_many_random_games_round_trip(read: Any, written: Any) -> None:
    _round_trips(3_000, 2, read, written)


# ---- large files ------------------------------------------------------------------------------------------------


class Endless(io.RawIOBase):
    """A generated file of a given size that records the largest read request."""

    def __init__(self, piece: bytes, size: int) -> None:
        self.piece, self.size, self.most = piece, size, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.size, len(self.piece))
        buffer[:count] = self.piece[:count]
        self.size -= count
        self.most = max(self.most, count)
        return count


def test_endless_line_is_skipped_in_chunks() -> None:
    import tracemalloc

    tracemalloc.start()
    lines = list(read_lines(io.BufferedReader(Endless(b"x" * 65536, 30_000_000))))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(line.number, line.text) for line in lines] == [(1, "")]
    assert most < 5_000_000


def test_file_is_read_game_by_game() -> None:
    """The first game is yielded before the second is read."""
    from zermelo.formats import pgn

    def lines() -> Any:
        yield from read_lines(io.BytesIO(game("1. e4 *").encode()))
        raise AssertionError("read on")

    record = next(pgn.read(lines(), lambda error: None))
    assert names(record) == "e4"


def test_damaged_tag_after_a_skipped_game_begins_another(read: Any) -> None:
    text = '[Event "bad\n\n1. e4 *\n\n[Event]\n\n1. d4 *\n\n[Event "three"]\n\n1. c4 *\n'
    games, lost = read("chess", "pgn", text)
    assert [error.game for error in lost] == [1, 2]
    assert [names(record) for record in games] == ["c4"]
