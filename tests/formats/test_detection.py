"""`read_text`: the games of a text whose format is not known."""

import pytest

import zermelo
from zermelo.errors import FormatError
from zermelo.formats.detection import read_text


@pytest.mark.parametrize(
    ("game", "text", "form"),
    [
        ("chess", "1. e4 e5 2. Nf3 (2. f4) Nc6 *", "pgn"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "epd"),
        ("chess", '{"moves": ["e4"]}', "json"),
        ("othello", "f5 d6 c3", "moves"),
        ("go", "(;FF[4]GM[1]SZ[9];B[ee](;W[ge])(;W[gc]))", "sgf"),
        ("backgammon", "4HPwATDgc/ABMA:cAgAAAAAAAAE", "positions"),
        ("tictactoe", "X-O/---/---", "positions"),
        ("tictactoe", "a1 b2", "moves"),
        ("checkers", "W:WK6,25:B12,K30", "fen"),
    ],
)
def test_the_format_is_found_by_trial(game, text, form):
    found = read_text(zermelo.load(game), text)
    assert (found.format.name, len(found.records), found.errors, found.has_more) == (form, 1, [], False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[White "a"]\n\n1. e4 e5 2. Nf4 *\n', "game 1, line 3: 'Nf4' is not a legal move here"),
        ("4k3/8/8/8/8/8/4P3/4K3 x - - 0 1", "game 1, line 1: Chess position: side to move 'x'"),
        ("e4 e6 Ke9", "game 1, line 1: 'Ke9' is not a legal move"),
    ],
)
def test_the_error_is_that_of_the_likely_format(text, message):
    found = read_text(zermelo.load("chess"), text)
    assert found.records == []
    assert str(found.errors[0]).startswith(message)


def test_the_name_or_the_caller_chooses_the_format():
    chess = zermelo.load("chess")
    assert read_text(chess, "1. e4", name="a game.PGN").format.name == "pgn"
    assert read_text(chess, "e2e4", form="uci").format.name == "uci"
    with pytest.raises(FormatError, match="no format 'ggf'"):
        read_text(chess, "e4", form="ggf")
    with pytest.raises(FormatError, match="the text is empty"):
        read_text(chess, " \n")
    with pytest.raises(FormatError, match="contains no game; is it pgn"):
        read_text(chess, "% a comment", form="pgn")


def test_at_most_the_number_of_games_asked_for_is_read():
    chess = zermelo.load("chess")
    text = "".join(f'[Event "{number}"]\n\n1. {move} *\n\n' for number, move in enumerate(["e4", "Ke9", "d4", "c4"]))
    found = read_text(chess, text, most=3)
    assert [record.tags["Event"] for record in found.records] == ["0", "2"]
    assert [(error.game, error.line) for error in found.errors] == [(2, 7)]
    assert found.has_more
    assert not read_text(chess, text, most=4).has_more
