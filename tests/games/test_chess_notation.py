"""Chess notation: FEN and X-FEN, SAN, UCI and long algebraic notation, error messages."""

from __future__ import annotations

from random import Random

import pytest
from published import published

from zermelo.errors import IllegalMove, PositionError
from zermelo.games.chess import Chess, notation

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KINGS = "4k3/8/8/8/8/8/8/4K3"


# ---- positions ------------------------------------------------------------------------------------------------

POSITIONS = [
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1",
    "8/8/8/8/2Pp4/8/8/4K2k b - c3 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 149 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b KQkq - 3 1",  # chess960: outermost rooks have the usual letters
    "1r2k1rr/8/8/8/8/8/8/1R2K1RR w GQgq - 3 1",  # and others the letters of their files
    "4k3/8/8/8/8/8/QQQPPPPP/4K3 b - - 0 1",
]


@pytest.mark.quick
@pytest.mark.parametrize("fen", POSITIONS)
def test_fen_round_trip(fen: str) -> None:
    state = Chess.parse(fen)
    assert str(state) == fen
    four = Chess.parse(" ".join(fen.split()[:4]))
    assert (four.halfmove_clock, tuple(four)[:-1]) == (0, tuple(state)[:-1])
    assert Chess.parse(f"  {fen.replace(' ', '   ')}\n") == state


def test_parse_start_and_moves() -> None:
    assert str(Chess.start()) == START
    assert Chess.parse("") == Chess.parse("start") == Chess.parse("startpos") == Chess.parse(START) == Chess.start()
    after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 1"
    for text in ("e4 e5 Nf3", "1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3", "e2e4 e7e5 g1f3", "e2-e4 e7-e5 Ng1-f3", "e4 e5 ♘f3"):
        assert str(Chess.parse(text)) == after, text


def test_fullmove_number_is_not_stored() -> None:
    assert Chess.parse(f"{KINGS} b - - 3 77") == Chess.parse(f"{KINGS} b - - 3 1") == Chess.parse(f"{KINGS} b - - 3 0")
    assert str(Chess.parse(f"{KINGS} b - - 3 77")) == f"{KINGS} b - - 3 1"


def test_en_passant_square_is_dropped_if_capture_is_not_legal() -> None:
    beside, no_pawn, pinned = (
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1",
        "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",  # taking would open the row
    )
    assert Chess.parse(beside).en_passant
    assert not Chess.parse(no_pawn).en_passant
    assert not Chess.parse(pinned).en_passant
    assert str(Chess.start().after("e4")) == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize(
    ("letters", "rooks"),
    [
        ("KQkq", {"a1", "h1", "a8", "h8"}),
        ("HAha", {"a1", "h1", "a8", "h8"}),
        ("HQkb", {"a1", "h1", "b8", "h8"}),
        ("qK", {"h1", "a8"}),
    ],
)
def test_castling_letters(letters: str, rooks: set[str]) -> None:
    state = Chess.parse(f"rr2k2r/8/8/8/8/8/8/RR2K2R w {letters} - 0 1")
    assert {notation.SQUARES[rook] for rook in state.castling_rights} == rooks


BAD = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1": "7 ranks separated by /; expected 8, from rank 8 down to rank 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1": "rank 1 ('RNBQKBN') has 7 squares; expected 8",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 6: '9'; expected PNBRQK for white's pieces",
    "rnbqkbnr/pppppppp/8/8/8/7x/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 3: 'x'; expected PNBRQK for white's pieces",
    "rnbqkbnr/pppppppp/8/44/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 5 ('44'): 44; expected one number for them",
    f"{KINGS} w": "2 fields; expected 6",
    f"{KINGS} w - - 0": "5 fields; expected 6",
    f"{KINGS} w - - 0 1 more": "7 fields; expected 6",
    f"{KINGS} x - - 0 1": "side to move 'x'; expected w (white) or b (black)",
    f"{KINGS} w - - x 1": "halfmove clock 'x'; expected a number from 0 to 150",
    f"{KINGS} w - - 151 1": "halfmove clock '151'; expected a number from 0 to 150",
    f"{KINGS} w - - 0 -1": "move number '-1'; expected a number from 0 to 9999",
    f"{KINGS} w - - 0 10000": "move number '10000'; expected a number from 0 to 9999",
    f"{KINGS} w - - ² 1": "halfmove clock '²'; expected a number from 0 to 150",
    # impossible pieces
    "8/8/8/8/8/8/8/4K3 w - - 0 1": "black has no kings; expected 1",
    "4k3/8/8/8/8/8/8/3KK3 w - - 0 1": "white has 2 kings; expected 1",
    "3Pk3/8/8/8/8/8/8/4K3 w - - 0 1": "white has a pawn on d8; expected no pawns on ranks 1 and 8",
    "4k3/8/8/8/8/8/8/4K2p w - - 0 1": "black has a pawn on h1; expected no pawns on ranks 1 and 8",
    "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1": "white has 9 pawns; expected at most 8",
    "4k3/8/8/8/8/NNNNNNNN/NNNNNNNN/4K3 w - - 0 1": "white has 17 pieces; expected at most 16",
    "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1": "white has 8 pawns and at least 1 promoted piece",
    "4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1": "white has 8 pawns and at least 1 promoted piece",
    "4k3/4K3/8/8/8/8/8/8 w - - 0 1": "the kings on e7 and e8 are adjacent; expected at least one square between them",
    "4k3/8/8/8/1b6/8/8/r3K2r w - - 0 1": "white's king is in check from a1, h1, b4; expected at most two",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1": "black's king is in check with white to move; expected black to move",
    "8/8/8/8/8/8/4k3/4K3 w - - 0 1": "the kings on e1 and e2 are adjacent; expected at least one square between them",
    # castling
    f"{KINGS} w KQ - 0 1": "castling 'KQ': 'K', but white has no rook on rank 1 to the right of the king",
    "4k3/8/8/8/8/8/8/R3K3 w H - 0 1": "castling 'H': 'H', but white has no rook on h1",
    "4k3/8/8/8/8/8/4K3/R6R w Q - 0 1": "castling 'Q': 'Q', but white's king is on e2; expected it on rank 1",
    "K3k3/8/8/8/8/8/8/8 w K - 0 1": "white's king is on a8",
    "4k3/8/8/8/8/8/8/R3K2R w KK - 0 1": "castling 'KK': 'K' repeats a side; expected each right once",
    "4k3/8/8/8/8/8/8/R3K2R w KH - 0 1": "castling 'KH': 'H' repeats a side; expected each right once",
    "4k3/8/8/8/8/8/8/R3K2R w Kx - 0 1": "castling 'Kx': 'x'; expected - or letters of KQkq",
    "4k3/8/8/8/8/8/8/R3K2R w K- - 0 1": "castling 'K-': '-'",
    # en passant
    "4k3/8/8/3pP3/8/8/8/4K3 w - d9 0 1": "en passant 'd9'; expected - or a square on rank 6, like e6",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1": "en passant d3 with white to move; expected a square on rank 6",
    "4k3/8/8/3pP3/8/8/8/4K3 w - e6 0 1": "en passant e6, but black has no pawn on e5",
    "4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1": "en passant d6, but d7 is occupied; expected it empty",
    "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1": "en passant d6, but d6 is occupied; expected it empty",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 2 1": "en passant d6 with halfmove clock 2; expected 0, as a pawn has just moved",
    # moves
    "e4 e5 Kg8": "move 3: 'Kg8' is not a legal move here",
    "hello": "move 1: 'hello' is not a legal move here; legal: ",
    "9" * 20_000: "20,000 characters; expected at most",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:60])
def test_error_message_for_invalid_position(text: str) -> None:
    with pytest.raises(PositionError) as error:
        Chess.parse(text)
    message = str(error.value)
    assert message.startswith("Chess position: ")
    assert len(message.splitlines()) == 1
    assert len(message) < 400
    assert BAD[text] in message


def test_board() -> None:
    assert Chess.start().after("e4").board().splitlines() == [
        "    a b c d e f g h",
        "  8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ 8",
        "  7 ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟ 7",
        "  6 · · · · · · · · 6",
        "  5 · · · · · · · · 5",
        "  4 · · · · ♙ · · · 4",
        "  3 · · · · · · · · 3",
        "  2 ♙ ♙ ♙ ♙ · ♙ ♙ ♙ 2",
        "  1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖ 1",
        "    a b c d e f g h",
    ]


# ---- moves ----------------------------------------------------------------------------------------------------

# A position, a move as UCI has it, and its SAN.
NAMES = [
    (START, "e2e4", "e4"),
    (START, "g1f3", "Nf3"),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O"),
    ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q+"),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", "axb8=N"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
    ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"),
    ("4k3/8/8/8/8/1N6/8/1N2K3 w - - 0 1", "b1d2", "N1d2"),
    ("4k3/8/8/1N6/8/1N3N2/8/4K3 w - - 0 1", "b3d4", "Nb3d4"),  # neither file nor row is enough
    ("4k3/8/8/1N6/8/1N3N2/8/4K3 w - - 0 1", "f3d4", "Nfd4"),
    ("4k3/8/8/1N6/8/1N3N2/8/4K3 w - - 0 1", "b5d4", "N5d4"),
    ("4k3/8/4N3/8/1b6/2N5/8/4K3 w - - 0 1", "e6d4", "Nd4"),  # the other one is pinned
    ("6k1/5ppp/8/8/8/8/8/3RK3 w - - 0 1", "d1d8", "Rd8#"),
    ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", "Kxe2"),
    ("8/8/8/8/4Q2Q/k7/8/2K4Q w - - 0 1", "h4e1", "Qh4e1"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("fen", "uci", "san"), NAMES)
def test_san_and_uci(fen: str, uci: str, san: str) -> None:
    state = Chess.parse(fen)
    move = state.parse_move(uci)
    assert state.move_name(move) == san
    assert state.parse_move(san) == move
    assert notation.uci(state, move) == uci


@pytest.mark.parametrize(
    ("fen", "texts"),
    [
        (START, ["e4", "e2e4", "e2-e4", "Pe4", "e4!", "e4!?", " e4 ", "♙e4"]),
        (START, ["Nf3", "Ng1f3", "Ng1-f3", "Ngf3", "N1f3", "g1f3", "nf3", "♞f3"]),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", ["O-O", "0-0", "o-o", "e1g1", "e1h1", "Ke1g1", "O-O+", "0-0!"]),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", ["O-O-O", "0-0-0", "e1c1", "e1a1"]),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", ["a8=Q+", "a8=Q", "a8Q", "a8q", "a7a8q", "a7a8=Q", "a8(Q)", "a7-a8=Q#"]),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", ["exd6", "e5d6", "exd6e.p.", "e:d6", "exd6 e.p."]),
    ],
)
def test_parse_move_accepts_other_notations(fen: str, texts: list[str]) -> None:
    state = Chess.parse(fen)
    assert len({state.parse_move(text) for text in texts}) == 1


def test_castling_of_chess960() -> None:
    state = Chess.parse("5k2/8/8/8/8/8/8/R4KR1 w GA - 0 1")
    short, long = state.parse_move("O-O"), state.parse_move("O-O-O")
    assert (notation.uci(state, short), notation.uci(state, long)) == ("f1g1", "f1a1")
    assert state.parse_move("f1g1") == short
    assert state.parse_move("f1a1") == state.parse_move("f1c1") == long
    step = state.parse_move("Ke1")
    assert state.parse_move("f1e1") == step
    # The king steps to g1 if nothing stands there, though castling would bring it there too.
    state = Chess.parse("5k2/8/8/8/8/8/8/R4K1R w HA - 0 1")
    assert state.move_name(state.parse_move("f1g1")) == "Kg1"
    assert notation.uci(state, state.parse_move("O-O")) == "f1h1"
    ordinary = Chess.parse("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert notation.uci(ordinary, ordinary.parse_move("O-O"), chess960=True) == "e1h1"


@pytest.mark.parametrize(
    ("fen", "text", "message"),
    [
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", "'Nd2' is ambiguous; expected Nbd2 or Nfd2"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", "is ambiguous; expected a8=Q+ or a8=R+ or a8=B or a8=N"),
        (START, "e5", "'e5' is not a legal move here; legal: Na3"),
        (START, "Nf4", "'Nf4' is not a legal move here; similar: Na3 Nc3 Nf3 Nh3"),
        (START, "e3e4", "similar: e4"),
        (START, "Bc4", "'Bc4' is not a legal move here; similar: c4"),
        (START, "Bd6", "'Bd6' is not a legal move here; legal: Na3"),
        (START, "O-O", "legal: Na3"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", "'d5' is not a legal move here; similar: exd5"),
        (START, "e4=Q", "'e4=Q' is not a legal move here; similar: e4"),
        (START, "", "'' is not a legal move here; legal: Na3"),
        (START, "x" * 1000, "'xxxxxxxxxxxxxxxxx...' is not"),
        (START, "e4\0", "is not a legal move"),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "Kh8", "'Kh8' is not legal: the game is over"),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "Ke2", "is not legal: the game is over"),
    ],
)
def test_error_message_for_invalid_move(fen: str, text: str, message: str) -> None:
    with pytest.raises(IllegalMove) as error:
        Chess.parse(fen).parse_move(text)
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def _random_states(count: int, seed: int) -> list[Chess]:
    random = Random(seed)
    states: list[Chess] = []
    while len(states) < count:
        state = Chess.start()
        while not state.is_over() and len(states) < count:
            if random.random() < 0.15:
                states.append(state)
            moves = list(state.moves())
            state = state.play(moves[int(random.random() * len(moves))])
    return states


def _check(states: list[Chess]) -> None:
    for state in states:
        assert Chess.parse(str(state)) == state
        names = {state.move_name(move): move for move in state.moves()}
        assert len(names) == len(list(state.moves()))
        others = [f"{letter}{square}" for letter in ("", "N", "B", "R", "Q") for square in notation.SQUARES]
        for text in others:  # what is found without all legal moves is what is found among them
            sure = notation._parse_unambiguous(state, text)
            assert sure is None or notation._matching(state, text, list(names.values())) == [sure], (str(state), text)
        for name, move in names.items():
            assert len(notation._matching(state, name, list(names.values()))) == 1
            for text in (name, notation.uci(state, move), notation.uci(state, move, chess960=True)):
                assert notation._matching(state, text, list(names.values())) == [move], (str(state), text)
                assert state.parse_move(text) == move, (str(state), text)
            # SAN is minimal: without the disambiguation the text would be ambiguous.
            core = name.rstrip("+#")
            if core[0] in "NBRQ" and len(core.replace("x", "")) > 3:
                short = core[0] + core.replace("x", "")[-2:]
                assert len(notation._matching(state, short, list(names.values()))) > 1, (str(state), name)


def test_round_trip_of_random_positions_and_moves() -> None:
    _check(_random_states(25, seed=4))


@pytest.mark.nightly
def test_round_trip_of_many_random_positions_and_moves() -> None:
    _check(_random_states(2_000, seed=5))


@pytest.mark.reference
@pytest.mark.parametrize("file", ["perft_ethereal_standard.epd", "perft_ethereal_fischer.epd", "perft_cpw6.txt"])
def test_fens_of_published_files(file: str) -> None:
    for line in published("chess", file).read_text().splitlines():
        fen = line.partition(";")[0].strip()
        if "/" not in fen or fen.startswith("#"):
            continue
        state = Chess.parse(fen)
        written = str(state)
        assert Chess.parse(written) == state
        assert written.split()[:2] == fen.split()[:2]
        if "fischer" not in file:
            assert written.split()[2:5] == fen.split()[2:5]
