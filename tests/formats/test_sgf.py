"""SGF: the examples of the specification's rules, errors, variations, and what is written."""

from __future__ import annotations

import io

import pytest

from zermelo.errors import FormatError
from zermelo.formats import sgf
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import Line, Record, Step, record_from_moves
from zermelo.games.go import Go, Go19
from zermelo.games.go.notation import SIMPLE, SITUATIONAL

pytestmark = pytest.mark.quick


def read(text: str, game: type[Go] | None = Go) -> tuple[list[Record], list[str]]:
    errors: list[FormatError] = []
    records = list(sgf.read(game, read_lines(io.BytesIO(text.encode())), errors.append))
    return records, [str(error) for error in errors]


def only(text: str, game: type[Go] | None = Go) -> Record:
    (record,), errors = read(text, game)
    assert not errors
    return record


def names(line: Line) -> list[str]:
    return [step.text for step in line.steps]


GAME = (
    "(;FF[4]GM[1]CA[UTF-8]SZ[9]KM[6.5]RU[AGA]PB[one]PW[t\\]wo]RE[B+2.5]C[A comment.\nsecond]"
    ";B[ee];W[ge]BM[1]C[A bad move.](;B[ce];W[];B[])(;B[gc](;W[aa])(;W[ab])))\n"
)


def test_a_game() -> None:
    record = only(GAME)
    assert record.tags == {"Black": "one", "White": "t]wo", "Score": "2.5"}
    assert (record.result, record.line.comments) == ("1-0", ["A comment.", "second"])
    assert names(record.line) == ["E5", "G5", "C5", "pass", "pass"]
    assert (record.line.steps[1].nags, record.line.steps[1].comments) == ([2], ["A bad move."])
    (variation,) = record.line.steps[2].variations
    assert names(variation) == ["G7", "A9"]
    assert names(variation.steps[1].variations[0]) == ["A8"]
    assert (record.start.komi, record.start.rule) == (13, SITUATIONAL)
    assert sgf.write(record) == GAME


def test_annotations_keep_their_order() -> None:
    text = "(;FF[4]GM[1]CA[UTF-8]SZ[9]KM[0]RU[Chinese];B[ee]BM[1]TE[2];W[ge]TE[1]DO[])\n"
    record = only(text)
    assert [step.nags for step in record.line.steps] == [[2, 3], [1, 6]]
    assert only(sgf.write(record)).line.steps == record.line.steps


def test_the_first_position() -> None:
    handicap = only("(;SZ[9]HA[3]AB[cc][gg]\n[cg];W[ee])").start
    assert (
        str(handicap) == "---------/---------/--X------/---------/---------/---------/--X---X--/---------/--------- O"
    )
    assert only("(;SZ[5]AB[aa:bc]AW[ee]AE[ab]PL[w])").start == Go.parse("XX---/-X---/XX---/-----/----O O")
    assert only("(;SZ[9]AB[cc]HA[0])").start.to_move() == 1
    assert only("(;SZ[9];W[ee])").start.to_move() == -1
    assert only("(;RU[Japanese])", None).start == Go19.start().replace(rule=SIMPLE)
    assert only("(;SZ[9]KM[0])", None).start == Go.start().replace(komi=0)


def test_text_is_read_leniently() -> None:
    """White space, escapes, small letters of FF[3], comments without a move, and passes after the end."""
    text = "( ; FF [3] SiZe[5]\nC[a \\\nb \\\\ \\] c:d]\n;C[x]; B [cc] Comment[y]\n\n;C[z]\n"
    record = only(text + ";W[tt];B[];W[tt];C[end]\n)")
    assert names(record.line) == ["C3", "pass", "pass"]
    assert record.line.comments == ["a b \\ ] c:d", "x"]
    assert record.line.steps[0].comments == ["y", "z"]
    assert record.line.steps[2].comments == ["end"]
    assert record.result == "1-0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[9];B[ee];W[ee])", "W[ee] cannot be played: there is a stone on the point"),
        ("(;SZ[9]AB[ba][ab];W[aa])", "W[aa] cannot be played: it is suicide"),
        ("(;SZ[5]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb])", "W[bb] cannot be played: the ko may not be retaken"),
        ("(;SZ[2];B[ab];W[bb];B[aa];W[ba];B[ab];W[aa];B[ab])", "A1 repeats the position after 1 moves (superko)"),
        ("(;SZ[9];B[ee];B[dd])", "B[dd], but O (white) is to move"),
        ("(;SZ[9];B[];W[];B[ee])", "B[ee] after two passes, which end the game"),
        ("(;SZ[9];B[jj])", "B[jj]; expected a point of 9 x 9, like B[cc]"),
        ("(;SZ[9];B[aa:bb])", "B[aa:bb]; expected one point, like B[cc]"),
        ("(;SZ[9];B[aa]W[bb])", "a node with two moves, B and W; expected one"),
        ("(;SZ[9];B[aa][bb])", "B has 2 values; expected one"),
        ("(;SZ[9];B[aa];AB[bb])", "AB after the root of the game; expected moves, B or W"),
        ("(;SZ[9]AB[xx])", "AB[xx]; expected a point of 9 x 9, like AB[cc]"),
        ("(;SZ[19])", "Go position: boards of 19 x 19 are those of the game go19"),
        ("(;SZ[9:8])", "SZ '9:8'; expected the size of a square board, like 9"),
        ("(;GM[2])", "GM[2]; expected GM[1], a game of Go"),
        ("(;SZ[9]KM[x])", "komi 'x' is not a number of half points from -200 to 200"),
        ("(;SZ[9]RE[won])", "RE 'won'; expected a result like B+3.5, W+R, 0 or ?"),
        ("(;SZ[9]PL[x])", "PL 'x'; expected B or W"),
        ("(;SZ[9];B[aa]TE[7])", "TE[7]; expected TE[1] or TE[2]"),
        ("(;SZ[9]SZ[9])", "duplicate property SZ"),
        ("(;SZ[9]PB;B[aa])", "property 'PB' has no value; expected ["),
        ("(;SZ[9]", "the game is not closed; expected )"),
        ("(;SZ[9]PB[x", "the game is not closed; expected )"),
        ("(;SZ[9]*)", "'*)'; expected a property like PB[Adams], ; or )"),
        ("(SZ[9])", "'SZ[9])'; expected ;"),
        ("text", "'text' between games; expected a game that begins with (;"),
    ],
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    records, errors = read(text)
    assert (records, errors) == ([], [f"game 1, line 1: {message}"])


def test_variations_nested_deeply_are_refused() -> None:
    points = [f"{column}{row}" for row in "abcdefghij" for column in "abcdefghij"] + ["qq"]
    text = "(;SZ[19]" + "".join(f"(;{'BW'[ply % 2]}[ss])(;{'BW'[ply % 2]}[{point}]" for ply, point in enumerate(points))
    _, errors = read(text + ")" * 102, None)
    assert errors == ["game 1, line 1: variations are nested more than 100 deep"]


def test_other_games_are_read_after_an_error() -> None:
    records, errors = read("(;SZ[9]PB[x\n(;GM[1]SZ[9];B[aa])\n(;SZ[9];B[aa]W)(;SZ[9];B[bb])\n(;SZ[9];B[cc])\n")
    assert [names(record.line) for record in records] == [["A9"], ["B8"], ["C7"]]
    assert errors == [
        "game 1, line 1: PB[ is not closed; expected ]",
        "game 3, line 3: property 'W' has no value; expected [",
    ]


@pytest.mark.slow
def test_a_long_game_and_many_variations_are_read_without_recursion() -> None:
    moves = "".join(f";{'BW'[index % 2]}[{'abcde'[index % 5]}{'abcde'[index // 5]}]" for index in range(5))
    record = only(f"(;SZ[9]{moves}{''.join('(;W[gg];B[hh])' for _ in range(3000))})")
    assert len(record.line.steps) == 7
    assert len(record.line.steps[5].variations) == 2999
    deep = only("(;SZ[9]" + "(;C[x]" * 5000 + ")" * 5001)
    assert len(deep.line.comments) == 5000


def test_what_is_written() -> None:
    played = record_from_moves(Go.parse("5x5 rule simple"), [])
    played.result = "0-1"
    assert sgf.write(played) == "(;FF[4]GM[1]CA[UTF-8]SZ[5]KM[0]RU[simple ko]RE[W+])\n"
    start = Go.parse("9x9 handicap 2")
    game = record_from_moves(start, [start.parse_move("E5"), start.PASS, start.PASS])
    game.result = "0-1"
    written = sgf.write(game)
    assert "HA[2]AB[cg][gc]PL[W];W[ee];B[];W[])" in written
    assert only(written).start == start
    assert only(written).result == "*" or "RE[" in written


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tags": {"Colour": "x"}}, "SGF has no tag 'Colour'; expected one of Score, Termination, Event"),
        ({"tags": {"Score": "2"}}, "tags Score or Termination without a result"),
        ({"tags": {"Score": "2"}, "result": "0-1"}, "tag Score '2'; expected points for black that match 0-1"),
        ({"tags": {"Score": "2"}, "result": "1/2-1/2"}, "tags Score or Termination of a draw; expected neither"),
        ({"tags": {"Termination": "bored"}, "result": "0-1"}, "tag Termination 'bored'; expected one of resignation"),
        ({"start": Go.parse("5x5").after("pass")}, "SGF has no start after a pass"),
        ({"line": Line([Step("A1", 0, [7])])}, "SGF has no annotation $7"),
        ({"line": Line([Step("A1", 0, [1, 3])])}, "SGF has one TE for a move"),
    ],
)
def test_what_sgf_cannot_hold_is_refused(change: dict, message: str) -> None:
    with pytest.raises(FormatError) as error:
        sgf.write(Record(**{"start": Go.start(), **change}))
    assert message in str(error.value)
