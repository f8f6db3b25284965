"""Annotated games round trip; files of reviewed moves continue a review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zermelo
from tests.review.games import named_record, random_record, reviewed
from zermelo.errors import FormatError
from zermelo.formats.line_reader import TextLine
from zermelo.formats.record import Record, Step
from zermelo.formats.registry import formats_of
from zermelo.formats.text_formats import result_of
from zermelo.review.annotation import annotated
from zermelo.review.results import GameReview
from zermelo.review.review_file import ReviewFile
from zermelo.review.reviewer import Settings, review_moves


def read_back(game: str, form: str, text: str) -> Record:
    lines = (TextLine(number, line) for number, line in enumerate(text.splitlines(), 1))
    errors: list[FormatError] = []
    (record,) = formats_of(zermelo.load(game))[form].read(lines, errors.append)
    assert errors == []
    return record


@pytest.fixture(scope="module")
def mate() -> GameReview:
    return reviewed(named_record("chess", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"), depth=3)


@pytest.mark.parametrize("form", ["pgn", "json"])
def test_annotated_chess_round_trips(mate: GameReview, form: str) -> None:
    record = annotated(mate, "all")
    back = read_back("chess", form, formats_of(zermelo.load("chess"))[form].text(record))
    assert back.moves() == mate.record.moves()
    blunder = back.line.steps[5]
    assert blunder.nags == [4]
    assert blunder.comments[0].startswith("[%eval #1] Blunder: loses ")
    (variation,) = blunder.variations
    assert [step.move for step in variation.steps] == list(mate.moves[5].best.moves[:10])
    assert back.line.steps[6].comments == ["Only move."]
    again = annotated(GameReview(back, mate.moves), "all")
    assert again.line == back.line  # annotating twice adds nothing


def test_annotating_again_replaces_scores_and_remarks_only(mate: GameReview) -> None:
    """Scores of another program, and what a review with other limits wrote; clocks and a person's words stay."""
    pgn = formats_of(zermelo.load("chess"))["pgn"]
    text = """1. e4 { [%eval 0.17,12] [%clk 0:00:30] } e5 {[%eval 0.3] The usual answer.} 2. Bc4 Nc6 3. Qh5
        Nf6 $2 {[%eval 7.5] Mistake: loses 210 centipawns. Qe7 is best.} {Played at once.} 4. Qxf7# {Only move.} 1-0"""
    given = read_back("chess", "pgn", text)
    first = pgn.text(annotated(GameReview(given, mate.moves), "all"))
    assert pgn.text(annotated(GameReview(read_back("chess", "pgn", first), mate.moves), "all")) == first
    steps = read_back("chess", "pgn", first).line.steps
    assert [" ".join(step.comments).count("[%eval") for step in steps[:6]] == [1] * 6
    assert steps[0].comments[1:] == ["[%clk 0:00:30]"]
    assert steps[1].comments[1:] == ["The usual answer."]
    assert (steps[5].nags, steps[5].comments[1:]) == ([4], ["Played at once."])
    assert steps[5].comments[0].startswith("[%eval #1] Blunder: loses ")
    assert steps[6].comments == ["Only move."]


@pytest.mark.long
def test_a_ggf_score_is_replaced() -> None:
    record = random_record("othello", 2)
    record.result = result_of(record.end())
    record.line.steps[-1].comments = ["[%eval -2] [%emt 0:00:02]"]
    review = GameReview(record)
    review.add(next(review_moves(record, Settings(nodes=20_000), ())))
    ply = len(record.line.steps) - 2
    record.line.steps[ply].comments = ["[%eval 63] [%emt 0:00:02]"]
    review.add(next(review_moves(record, Settings(nodes=20_000), list(review.moves.values()))))
    assert not review.moves[ply].not_judged
    value = review.moves[ply].played.score.value
    comments = annotated(review, "evaluations").line.steps[ply].comments
    assert " ".join(comments) == f"[%eval {value}] [%emt 0:00:02]"


def test_the_annotations_of_the_file_stay(mate: GameReview) -> None:
    given = Record(mate.record.start)
    given.line.steps = [Step(step.text, step.move) for step in mate.record.line.steps]
    given.line.steps[5].nags, given.line.steps[5].comments = [5], ["played in 1620"]
    record = annotated(GameReview(given, mate.moves), "all")
    assert record.line.steps[5].nags == [5]
    assert record.line.steps[5].comments[0] == "played in 1620"
    assert given.line.steps[5].variations == []


def test_ggf_gets_scores_in_discs_only() -> None:
    whole = random_record("othello", 2)
    whole.result = result_of(whole.end())
    review = GameReview(whole)
    moves = review_moves(whole, Settings(nodes=20_000))
    for _ in range(6):
        review.add(next(moves))
    text = formats_of(zermelo.load("othello"))["ggf"].text(annotated(review, "evaluations"))
    back = read_back("othello", "ggf", text)
    evaluated = {ply: step.comments[0] for ply, step in enumerate(back.line.steps) if step.comments}
    expected = {move.ply: f"[%eval {move.played.score.value}]" for move in review.in_order() if not move.not_judged}
    assert evaluated == expected
    assert evaluated


def test_a_review_continues_from_its_file(tmp_path: Path) -> None:
    record, settings, path = (
        named_record("tictactoe", "b2 b1 a1 c3 a3 c1 a2"),
        Settings(exact=True),
        tmp_path / "r.jsonl",
    )
    game = zermelo.load("tictactoe")
    whole = {move.ply: move for move in review_moves(record, settings)}
    with ReviewFile(path, game, settings) as file:
        moves = review_moves(record, settings)
        for _ in range(3):
            file.add(record, next(moves))
    complete = path.read_bytes()
    path.write_bytes(complete + b'{"of": "half a li')  # a kill in the middle of a line
    with ReviewFile(path, game, settings) as file:
        known = file.known(record)
        assert {move.ply: move for move in known} == {ply: whole[ply] for ply in (4, 5, 6)}
        for move in review_moves(record, settings, known):
            file.add(record, move)
        assert file.known(random_record("tictactoe", 1)) == []
    assert path.read_bytes().startswith(complete)
    assert path.read_bytes().count(b"\n") == 1 + len(whole)
    with ReviewFile(path, game, settings) as file:
        assert {move.ply: move for move in file.known(record)} == whole


def test_estimates_are_read_back_from_a_file(tmp_path: Path) -> None:
    record, settings = random_record("tictactoe", 4), Settings(nodes=500)
    with ReviewFile(tmp_path / "r", zermelo.load("tictactoe"), settings) as file:
        for move in review_moves(record, settings):
            file.add(record, move)
    with ReviewFile(tmp_path / "r", zermelo.load("tictactoe"), settings) as file:
        assert file.known(record) == list(review_moves(record, settings))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense\n", ":1: not a line of a review"),
        ("{}\n", ":1: not a line of a review"),
        ('{"review": 3, "game": "Chess", "settings": {}}\n', "a review with game Chess, not TicTacToe"),
        ("[" * 100_000 + "\n", ":1: not a line of a review"),
        ("my essay, saved without a last newline", ":1: not a line of a review"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        ReviewFile(path, zermelo.load("tictactoe"), Settings(exact=True))
    assert path.read_text() == content


def test_other_settings_are_refused(tmp_path: Path) -> None:
    game = zermelo.load("tictactoe")
    with ReviewFile(tmp_path / "r", game, Settings(nodes=5)):
        pass
    with pytest.raises(FormatError, match="settings nodes 5, confidence 100, not nodes 6, confidence 100"):
        ReviewFile(tmp_path / "r", game, Settings(nodes=6))


def test_damaged_moves_are_refused(tmp_path: Path) -> None:
    record, settings, game = named_record("tictactoe", "b2 b1"), Settings(exact=True), zermelo.load("tictactoe")
    with ReviewFile(tmp_path / "r", game, settings) as file:
        for move in review_moves(record, settings):
            file.add(record, move)
    header, first, *rest = (tmp_path / "r").read_text().splitlines()
    best = json.loads(first)["best"]
    for key, wrong in (
        ("ply", 77), ("ply", True), ("best", 3), ("best", best | {"line": []}), ("best", best | {"value": "x"}),
        ("best", best | {"estimate": 3}), ("best", best | {"unit": "a\x1bb"}), ("side", "left"), ("side", "max"),
        ("played", {"line": ["z9"]}), ("played", best | {"line": ["b2"]}), ("second", False), ("nodes", None),
        ("nodes", 1 << 63), ("nodes", -1), ("depth", 1.5), ("loss", "1"), ("loss", float("nan")), ("loss", 1e300),
        ("result_loss", 2), ("mark", "?"), ("mark", []), ("exact", 1), ("luck", float("inf")), ("move", "b2"),
        ("move", None), ("of", 3), ("other", 1),
    ):  # fmt: skip
        damaged = json.dumps({**json.loads(first), key: wrong})
        (tmp_path / "r").write_text("\n".join([header, damaged, *rest, ""]))
        refused = pytest.raises(FormatError, match="r:2: damaged line of a review; delete the line")
        with refused, ReviewFile(tmp_path / "r", game, settings) as file:
            file.known(record)
