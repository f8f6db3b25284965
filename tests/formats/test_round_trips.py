"""Whatever a record holds, what is written of it is read as the same record, or it is refused with `FormatError`.

The records are made at random, as JSON lets anybody make them: comments that look like tags, names that no format has,
illegal cube actions.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from zermelo.core.game import CHANCE, MAX, State
from zermelo.errors import FormatError
from zermelo.formats import match, pgn
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.formats.registry import get_format
from zermelo.games.backgammon import Backgammon
from zermelo.games.checkers import Checkers
from zermelo.games.chess import Chess
from zermelo.registry import load

pytestmark = pytest.mark.quick

# Pieces of texts; most formats can represent most of them.
PIECES = (
    "a", "good", "x" * 60, '[Event "x"]', '[White "y"]', "[", "[%clk 1:00]", "%", "% x", "}", "{", "(", ")", ";",
    "\\", '"', "\\\"", "1-0", "1.", "*", "$3", "é", "\u2028", "\x85", "\t", "♘", "𝟙", "<", "1)", ":", "a : 3", "Game 1",
    "Wins 1 point",
)  # fmt: skip
NOWHERE = ("\0", "\ud800", "\udfff", "\x1a", "\n")
NAMES = ("Event", "White", "Black", "ECO", "Player_1", "a1")
NO_NAMES = ("", "a b", "a\nb", 'a"', "]", "é", "Result", "FEN", "SetUp", "GameType", "Variant", "Points", "O", "Match")


def text(random: Random) -> str:
    pieces = [random.choice(PIECES) for _ in range(random.randint(1, random.choice((2, 4, 30))))]
    if random.random() < 0.01:
        pieces.append(random.choice(NOWHERE))
    return random.choice((" ", " ", "")).join(pieces)


def plain(text: str) -> str:
    return " ".join(text.split())


def tags(random: Random) -> dict[str, str]:
    found = {name: text(random) for name in NAMES if random.random() < 0.3}
    if random.random() < 0.1:
        found[random.choice(NO_NAMES)] = random.choice((text(random), "1", "7"))
    return found


def comments(random: Random, share: float) -> list[str]:
    comments = [text(random) for _ in range(random.randint(1, 2))] if random.random() < share else []
    return [" ".join(each.split(" ")) for each in comments]


def line(random: Random, state: State, plies: int, depth: int = 0) -> Line:
    """Random moves with all kinds of annotations."""
    whole = Line(comments=comments(random, 0.2))
    while plies and not state.is_over():
        moves = state.legal_moves()
        move = random.choice(moves)
        step = Step(state.move_name(move), move, comments=comments(random, 0.3))
        if whole.steps and whole.steps[-1].variations:
            step.comments_before = comments(random, 0.3)
        step.nags = random.sample(range(256), random.choice((0, 0, 1, 2)))  # a glyph given twice is read once
        while depth < 3 and random.random() < 0.15:
            step.variations.append(line(random, state, random.randint(1, 3), depth + 1))
        whole.steps.append(step)
        state = state.play(move)
        plies -= 1
    return whole


def same(line: Line) -> Line:
    """A line as it is read back: single spaces, no empty comments."""

    def kept(texts: list[str]) -> list[str]:
        return [plain(each) for each in texts if plain(each)]

    return Line(
        [
            Step(
                step.text,
                step.move,
                step.nags,
                kept(step.comments),
                kept(step.comments_before),
                list(map(same, step.variations)),
            )
            for step in line.steps
        ],
        kept(line.comments),
    )


def read_back(game: str, form: str, written: str) -> Record:
    """The one game of a text."""
    found = get_format(load(game), form)
    lost: list[FormatError] = []
    games = list(found.read(read_lines(io.BytesIO(written.encode())), lost.append))
    assert not lost, f"{written!r}: {lost[0]}"
    assert len(games) == 1, written
    return games[0]


def check(
    game: str, form: str, make: Callable[[Random], Record], expected: Callable[[Record], Any], count: int
) -> None:
    refusals: list[str] = []
    for seed in range(count):
        record = make(Random(f"{form} {seed}"))
        try:
            written = get_format(load(game), form).write(record)
        except FormatError as error:
            refusals.append(str(error))
            continue
        again = read_back(game, form, written)
        assert expected(again) == expected(record), f"seed {seed}: {written}"
    assert all(len(error.splitlines()) == 1 for error in refusals), refusals
    assert 0.02 * count < len(refusals) < 0.6 * count


STARTS = {
    "chess": ["", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17"],
    "checkers": ["", "W:WK6,25:B12,K30"],
}


def annotated(game: str) -> Callable[[Random], Record]:
    cls = load(game)

    def make(random: Random) -> Record:
        state = cls.parse(random.choice(STARTS[game]))
        record = Record(state, line(random, state, random.randint(0, 6)), tags(random))
        record.result = random.choice(("1-0", "0-1", "1/2-1/2", UNKNOWN))
        record.first_move_number = random.choice((1, 1, 12)) if game == "chess" else 1
        return record

    return make


def of_pgn(record: Record) -> Any:
    found = {name: plain(value) for name, value in {**pgn.ROSTER, **record.tags}.items()}
    return record.start, record.first_move_number, record.result, found, same(record.line)


def of_pdn(record: Record) -> Any:
    return record.start, record.result, {name: plain(value) for name, value in record.tags.items()}, same(record.line)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "form", "expected"), [("chess", "pgn", of_pgn), ("checkers", "pdn", of_pdn)])
def test_annotated_games_round_trip(game: str, form: str, expected: Callable[[Record], Any]) -> None:
    check(game, form, annotated(game), expected, 150)


@pytest.mark.nightly
@pytest.mark.parametrize(("game", "form", "expected"), [("chess", "pgn", of_pgn), ("checkers", "pdn", of_pdn)])
def test_many_annotated_games_round_trip(game: str, form: str, expected: Callable[[Record], Any]) -> None:
    check(game, form, annotated(game), expected, 5_000)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chess", "checkers"])
def test_json_round_trip(game: str) -> None:
    check(game, "json", annotated(game), lambda record: record, 150)


def position(random: Random) -> Record:
    state = Chess.parse(random.choice(STARTS["chess"]))
    operations: dict[str, list[str]] = {}
    if random.random() < 0.5:
        operations["id"] = [text(random)]
    if random.random() < 0.5:
        moves = random.sample(state.legal_moves(), random.randint(1, 3))
        operations["bm"] = [state.move_name(move) for move in moves]
    if random.random() < 0.1:
        operations["am"] = [random.choice(("e4", "Kxh8", "", "e4 e5"))]
    if random.random() < 0.5:
        operations[random.choice(("acd", "ce", "D1", "c0", "pm", "hmvc", "a b", "1a"))] = [
            random.choice(("1", "-12", "x;y", "a b", ""))
        ]
    return Record(state, first_move_number=random.randint(1, 20), operations=operations)


def of_epd(record: Record) -> Any:
    operations = {name: [plain(each) for each in operands] for name, operands in record.operations.items()}
    return record.start, record.first_move_number, operations


@pytest.mark.slow
def test_positions_with_operations_round_trip() -> None:
    check("chess", "epd", position, of_epd, 400)


def match_game(random: Random) -> Record:
    """A random backgammon game with cube actions, mostly legal."""
    state: Any = Backgammon.start()
    record = Record(state)
    steps = record.line.steps
    cube, owner, winner, points = 1, 0, 0, 0
    for _ in range(random.randint(0, 40)):
        if state.is_over():
            break
        if state.to_move() == CHANCE and state.turn and owner in (0, state.turn) and random.random() < 0.2:
            steps.append(Step("double"))
            if random.random() < 0.2:
                steps.append(Step("drop"))
                winner, points = state.turn, cube
                break
            steps.append(Step("take"))
            cube, owner = 2 * cube, -state.turn
        move = random.choice(state.legal_moves())
        steps.append(Step(state.move_name(move), move))
        state = state.play(move)
    if not winner and random.random() < 0.5:
        steps.append(Step("resign"))
        winner, points = random.choice((1, -1)), cube * random.randint(1, 3)
    if random.random() < 0.15:  # where it may not be
        steps.insert(random.randint(0, len(steps)), Step(random.choice(("double", "take", "drop", "resign"))))
    record.tags = {name: random.choice(("gnubg", text(random))) for name in ("O", "X") if random.random() < 0.5}
    if random.random() < 0.3:
        record.tags |= tags(random)
    if random.random() < 0.1:
        record.tags["Match"] = random.choice(("5", "0", "007", "123456", "x", "", "5 point match\n"))
    if winner:
        record.result = "1-0" if winner == MAX else "0-1"
        record.tags["Points"] = str(points)
    if random.random() < 0.05:
        record.result = random.choice(("1-0", "0-1", "1/2-1/2", UNKNOWN))
    return record


def of_match(record: Record) -> Any:
    found = {"O": "O", "X": "X", "Match": "0", "Game": "1", "ScoreO": "0", "ScoreX": "0", **record.tags}
    steps = [step.text for step in record.line.steps]
    if record.end().legal_moves() == [0] and not record.end().is_over():  # a roll without plays has been played
        steps.insert(len(steps) - (steps[-1] == "resign"), "pass")
    return record.result, {name: plain(value) for name, value in found.items()}, steps


@pytest.mark.long
@pytest.mark.slow
def test_games_with_cube_round_trip() -> None:
    check("backgammon", "match", match_game, of_match, 250)


@pytest.mark.nightly
def test_many_games_with_cube_round_trip() -> None:
    check("backgammon", "match", match_game, of_match, 3_000)


def test_comment_that_looks_like_a_tag() -> None:
    comment = " ".join(["x" * 60, "y" * 10, '[Event "two"]', "z"])
    for moves in ([], [Chess.start().parse_move("e4")]):
        record = Record(Chess.start(), Line([Step("e4", move) for move in moves], [comment]), dict(pgn.ROSTER))
        again = read_back("chess", "pgn", pgn.write(record))
        assert again.line == record.line


@pytest.mark.parametrize("name", NO_NAMES[:9])
def test_error_for_invalid_tag_names(name: str) -> None:
    for cls, form in ((Chess, "pgn"), (Checkers, "pdn")):
        with pytest.raises(FormatError, match=r"^tag "):
            get_format(cls, form).write(Record(cls.start(), tags={name: "x"}))


def test_points_include_the_cube() -> None:
    random = Random(3)
    record = Record(Backgammon.start())
    state: Any = record.start
    while not state.is_over():
        if len(record.line.steps) == 6:
            record.line.steps += [Step("double"), Step("take")]
        move = random.choice(state.legal_moves())
        record.line.steps.append(Step(state.move_name(move), move))
        state = state.play(move)
    record.result = "1-0" if state.utility() > 0 else "0-1"
    again = read_back("backgammon", "match", match.write(record))
    assert again.tags["Points"] == str(2 * abs(state.utility()))
    assert again.line == record.line
    record.result = "0-1" if state.utility() > 0 else "1-0"
    with pytest.raises(FormatError, match="wins 2; expected"):
        match.write(record)


@pytest.mark.parametrize(
    ("events", "result", "message"),
    [
        (["double", "drop"], "1-0", "before the first roll"),
        (["take"], "*", "dice takes, but no double was offered; expected a roll"),
        (["resign"], "*", "the game has a winner but no result; expected 1-0 or 0-1"),
        ([], "1-0", "result 1-0 of an unfinished game; expected resign as the last step"),
        ([], "1/2-1/2", "result 1/2-1/2; expected 1-0 or 0-1"),
        (["resign", "resign"], "1-0", "match text cannot represent 'resign' here"),
    ],
)
def test_error_for_invalid_cube_actions(events: list[str], result: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        match.write(Record(Backgammon.start(), Line([Step(event) for event in events]), result=result))


@pytest.mark.parametrize(
    ("name", "value"),
    [("O", ""), ("X", " "), ("O", "1) x"), ("O", "; x"), ("Match", "123456"), ("Match", "x"), ("Game", "1\n2"),
     ("ScoreX", "-1"), ("a\nb", "x"), ("Note", 'a "b"'), ("O", "\0"), ("X", "\ud800"), ("Points", "3")],
)  # fmt: skip
def test_error_for_tags_that_match_text_cannot_represent(name: str, value: str) -> None:
    with pytest.raises(FormatError):
        match.write(Record(Backgammon.start(), tags={name: value}))


def test_game_may_end_after_a_roll() -> None:
    move = Backgammon.start().parse_move("31")
    record = Record(Backgammon.start(), Line([Step("31", move)]))
    assert read_back("backgammon", "match", match.write(record)).moves() == [move]


def test_first_move_number_from_the_start_is_kept() -> None:
    record = Record(Chess.start(), Line([Step("e4", Chess.start().parse_move("e4"))]), first_move_number=7)
    assert read_back("chess", "pgn", pgn.write(record)).first_move_number == 7


@pytest.mark.slow
def test_empty_lines_count_towards_the_limit(read: Any) -> None:
    games, lost = read("chess", "pgn", "1. e4 {x" + "\n" * 1_000_001 + '} *\n\n[Event "x"]\n\n1. d4 *\n')
    assert len(games) == 1
    assert "the game has more than 1,000,000 characters" in str(lost[0])
