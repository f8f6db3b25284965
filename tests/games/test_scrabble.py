"""Scrabble: plays against brute force, scores, exchanges, the end of the game, hidden racks, word lists, bad input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

import zermelo
from zermelo.arena.players.specs import check_player
from zermelo.core.game import CHANCE, MAX, MIN, game
from zermelo.errors import FileError, IllegalMove, LimitError, PositionError, UnknownGame
from zermelo.games.scrabble import Endgame, Scrabble
from zermelo.games.scrabble.endgame import endgame_class
from zermelo.games.scrabble.generator import Generator
from zermelo.games.scrabble.leaves import LETTERS, fit, leave_value, load_leaves
from zermelo.games.scrabble.plays import lay
from zermelo.games.scrabble.strategy import equity_move, greedy_move
from zermelo.games.scrabble.tiles import ALL_TILES, EMPTY, PREMIUMS, SQUARES, VALUES, sorted_tiles
from zermelo.games.scrabble.words import WordGraph, from_bytes, load_words, read_words, to_bytes, word_graph
from zermelo.testing import check_game

parse = Scrabble.parse
BLANK_BOARD = "/".join(["15"] * 15)
RETAINS = "/".join([*["15"] * 7, "3RETAINS5", *["15"] * 7])
FEW_WORDS = """AA AB AD AE AT BE BED BEE BET CAB CAT DAB DATE EAT EATS ET HA HAT HE HEAT IN IT ON NO NOT NOTE OR ORE
    RAT RATE SEA SEAT SET SIT TA TE TEA TEE TEN TIE TO TOE TON URN US USE WE WET ZOO QI QUIT JO"""

Strategy = Callable[[Scrabble], str]


def few_words(folder: Path) -> type[Scrabble]:
    """Scrabble with a short word list."""
    path = folder / "few.txt"
    path.write_text(FEW_WORDS.replace(" ", "\n"))

    @game(compiled=False)
    class FewWords(Scrabble):
        word_file = str(path)

    return FewWords


# ---- rules ----------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_board_and_tiles() -> None:
    assert len(PREMIUMS) == SQUARES
    assert Counter(PREMIUMS) == {"=": 8, "-": 17, '"': 12, "'": 24, " ": 164}
    assert PREMIUMS[::-1] == PREMIUMS
    assert (len(ALL_TILES), sum(VALUES[tile] for tile in ALL_TILES)) == (100, 187)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("squares", "move", "score", "words"),
    [
        (BLANK_BOARD, "8D:RETAINS", 66, ["RETAINS"]),
        (BLANK_BOARD, "8B:MUZJIKS", 128, ["MUZJIKS"]),  # the best opening in English
        (BLANK_BOARD, "8G:QI", 22, ["QI"]),
        (BLANK_BOARD, "8G:qI", 2, ["QI"]),
        (RETAINS, "J5:ZOO.", 15, ["ZOOS"]),
        (RETAINS, "9D:AT", 6, ["AT", "RA", "ET"]),
        (RETAINS, "9B:QUA", 15, ["QUA", "RA"]),
    ],
)
def test_scores(squares: str, move: str, score: int, words: list[str]) -> None:
    laid = lay(parse(f"{squares} first / 0/0 0" if squares != BLANK_BOARD else "").squares, move)
    assert (laid.name, laid.score, list(laid.words)) == (move, score, words)


@pytest.mark.quick
def test_exchanged_tiles_return_to_the_bag_after_the_draw() -> None:
    state = parse(f"{RETAINS} first AEIOUVW/BCDFGHJ 0/66 0").after("-UVW")
    assert (state.to_move(), state.racks[0], state.set_aside(), state.bag_size()) == (CHANCE, "AEIO", "UVW", 79)
    before = state.bag()
    state = state.after("+A +B +C")
    assert (state.to_move(), state.racks[0], state.bag_size(), state.scoreless) == (MIN, "AABCEIO", 79, 1)
    assert Counter(state.bag()) == Counter(before) - Counter("ABC") + Counter("UVW")


@pytest.mark.quick
def test_the_end_of_the_game() -> None:
    """Who goes out gets the points of the other rack; after six turns without points both lose their own."""
    squares = parse(f"{RETAINS} first / 0/0 0").squares
    out = EmptyBag(squares, MAX, ("O", "Q"), (20, 30))
    over = out.after("J8:.O")
    assert (over.is_over(), over.scores, over.utility()) == (True, (22, 30), 22 - 30 + 2 * 10)
    passed = out.after("- - - - - -")
    assert (passed.is_over(), passed.utility()) == (True, 20 - 1 - 30 + 10)


@game(compiled=False)
class EmptyBag(Scrabble):
    """Scrabble whose bag is empty, whatever the board has."""

    def bag_size(self) -> int:
        return 0


# ---- generator ------------------------------------------------------------------------------------------------------


def brute_force(squares: str, rack: str, words: set[str]) -> dict[str, int]:
    """All plays with their scores: each word at each place, with each choice of blanks."""
    found = {}
    is_first = squares == EMPTY * SQUARES
    rows = [range(first, first + 15) for first in range(0, SQUARES, 15)]
    columns = [range(first, SQUARES, 15) for first in range(15)]
    for line in rows + columns:
        text = "".join(squares[cell] for cell in line)
        padded = f".{text}."
        letters = text.upper() + rack
        for word in words:
            if sum(max(word.count(each) - letters.count(each), 0) for each in set(word)) > rack.count("?"):
                continue
            for start in range(16 - len(word)):
                part = text[start : start + len(word)]
                fits = (here == EMPTY or here.upper() == word[place] for place, here in enumerate(part))
                if padded[start] != EMPTY or padded[start + len(word) + 1] != EMPTY or not all(fits):
                    continue
                places = [place for place, here in enumerate(part) if here == EMPTY]
                for chosen in blank_choices([word[place] for place in places], rack):
                    laid = dict(zip(places, chosen, strict=True))
                    name = "".join(laid.get(place, EMPTY) for place in range(len(word)))
                    row, column = divmod(line[start], 15)
                    row_name, column_name = str(row + 1), chr(65 + column)
                    square = row_name + column_name if line.step == 1 else column_name + row_name
                    play = lay(squares, f"{square}:{name}")
                    if play.squares[112] != EMPTY if is_first else play.is_connected:
                        if words.issuperset(play.words):
                            found[play.name] = play.score
    return found


def blank_choices(letters: list[str], rack: str) -> Iterator[list[str]]:
    """The letters, with some of them as blanks, in all ways that the rack allows; none for no letters."""
    for count in range(min(rack.count("?"), len(letters)) + 1 if letters else 0):
        for blanks in combinations(range(len(letters)), count):
            chosen = [letter.lower() if place in blanks else letter for place, letter in enumerate(letters)]
            if not Counter(letter for letter in chosen if letter.isupper()) - Counter(rack):
                yield chosen


def random_position(generator: Generator, source: Random) -> tuple[str, str]:
    """A board after some random plays, and a rack."""
    squares, tiles = EMPTY * SQUARES, source.sample(ALL_TILES, len(ALL_TILES))
    for _ in range(source.randrange(14)):
        plays = generator.plays(squares, "".join(tiles[:7]))
        if len(plays.facts):
            laid = lay(squares, plays.name(source.randrange(len(plays.facts))))
            squares = laid.squares
            for tile in laid.tiles:
                tiles.remove(tile)
        source.shuffle(tiles)
    return squares, sorted_tiles("".join(tiles[:7]))


def compare_with_brute_force(count: int, seed: int) -> int:
    """Compare plays and scores on random boards with random lists of 300 words; return the number of plays."""
    source, total = Random(seed), 0
    every = list(load_words())
    short = [word for word in every if len(word) <= 3]
    for number in range(count):
        if number % 10 == 0:
            words = set(source.sample(short, 200) + source.sample(every, 50))
            generator = Generator(word_graph(words))
        squares, rack = random_position(generator, source)
        plays = generator.plays(squares, rack)
        found = dict(zip(plays.names(), plays.scores(), strict=True))
        assert len(found) == len(plays.facts)
        assert found == brute_force(squares, rack, words), (squares, rack)
        total += len(found)
    return total


@pytest.mark.long
def test_plays_are_those_of_brute_force() -> None:
    assert compare_with_brute_force(12, 1) > 100


@pytest.mark.nightly
def test_plays_are_those_of_brute_force_on_1000_positions() -> None:
    assert compare_with_brute_force(1000, 2) > 5000


@pytest.mark.long
def test_number_of_words() -> None:
    listed = list(load_words())
    assert (len(listed), listed == sorted(listed)) == (169_266, True)


@pytest.mark.long
def test_best_opening() -> None:
    """MUZJIKS scores 128; with all words as candidates brute force finds the same openings."""
    generator = Generator(load_words())
    plays = generator.plays(EMPTY * SQUARES, "IJKMSUZ")
    assert max(plays.scores()) == 128
    found = dict(zip(plays.names(), plays.scores(), strict=True))
    words = {word for word in load_words() if len(word) <= 7 and not Counter(word) - Counter("IJKMSUZ")}
    assert found == brute_force(EMPTY * SQUARES, "IJKMSUZ", words)


# ---- hidden information ---------------------------------------------------------------------------------------------


@pytest.mark.long
def test_contract(tmp_path: Path) -> None:
    assert check_game(few_words(tmp_path), games=2).unfinished == 0


@pytest.mark.quick
def test_what_players_know() -> None:
    """A player knows its racks, the plays, and how many tiles the other has exchanged."""
    state = parse(f"{RETAINS} first AABCEIO/BCDEFGH 0/66 0 AEIOUVW/-UVW AEINRST/8D:RETAINS")
    assert state.information_state(MAX) == f"{RETAINS} first AABCEIO/7 0/66 0 AEIOUVW/-UVW 8D:RETAINS"
    assert state.information_state(MIN) == f"{RETAINS} first 7/BCDEFGH 0/66 0 -3 AEINRST/8D:RETAINS"
    *_, first, second, unseen = state.view(MIN).board().splitlines()
    assert (first, second) == ("first   _______  0", "second  BCDEFGH  66")
    assert unseen.startswith("unseen  86: A8 B C D3 E10 F G2 H")
    for player in (MAX, MIN):
        for number in range(30):
            drawn = state.resample(player, number << 50)
            assert drawn.information_state(player) == state.information_state(player)
            assert parse(str(drawn)) == drawn
    racks = {state.resample(MIN, number << 50).turns[0] for number in range(30)}
    assert len(racks) > 20


# ---- word lists -----------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_word_list_of_the_package() -> None:
    words = load_words()
    assert "RETAINS" in words
    assert not any(word in words for word in ("RETAI", "retains", "", "QZ", "Ä"))


@pytest.mark.quick
def test_word_graph_has_its_words() -> None:
    source = Random(1)
    words = {"".join(source.choices("ABC", k=source.randint(2, 15))) for _ in range(500)}
    graph = word_graph(words)
    assert list(graph) == sorted(words)
    assert isinstance(from_bytes(to_bytes(graph), "words"), WordGraph)
    assert list(from_bytes(to_bytes(graph), "words")) == sorted(words)
    # Minimal: CAT, CATS, HAT and HATS share all but the first letter.
    assert len(word_graph(["CAT", "CATS", "HAT", "HATS"]).edges) == 5


@pytest.mark.quick
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"cat\nd0g\n", "line 2: 'd0g' is not a word; expected 2 to 15 letters from A to Z"),
        (b"a\n", "line 1: 'a' is not a word"),
        (b"# nothing\n\n", "has 0 words; expected 1 to 1,000,000"),
        (b"cat\n\xff\n", "not UTF-8 text"),
    ],
)
def test_error_message_for_a_bad_word_list(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message) as caught:
        read_words(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.quick
def test_word_list_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("# mine\n\ncat\nDOG\n")
    assert list(read_words(str(path))) == ["CAT", "DOG"]
    with pytest.raises(FileError, match="a directory"):
        read_words(str(tmp_path))
    with pytest.raises(FileError, match="damaged"):
        from_bytes(b"ZERMELO WORDS 1 0\nabc", "words")


# ---- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "1 words; expected the board, first or second, the racks"),
        ("15 first / 0/0 0", "the board has 1 rows; expected 15"),
        (f"{BLANK_BOARD[:-2]}14 first / 0/0 0", "row 15, '14', has 14 squares; expected 15"),
        (f"{BLANK_BOARD[:-2]}1* first / 0/0 0", r"row 15 is '1\*'; expected letters and numbers"),
        (f"{BLANK_BOARD} third / 0/0 0", "'third' is not a player; expected first or second"),
        (f"{BLANK_BOARD} first ABCDEFGH/ 0/0 0", "'ABCDEFGH/' are not racks; expected two of at most 7 tiles"),
        (f"{BLANK_BOARD} first QQ/ 0/0 0", "2 tiles Q; the game has 1"),
        (f"{BLANK_BOARD} first ??/? 0/0 0", "3 blanks; the game has 2"),
        (f"{BLANK_BOARD} first / 0 0", "'0' are not scores; expected two numbers, like 66/0"),
        (f"{BLANK_BOARD} first / 5/0 0", "the scores are 5/0; the turns make 0/0"),
        (f"{BLANK_BOARD} first / 0/0 7", "'7' turns without points; expected a number from 0 to 6"),
        (RETAINS.replace("RETAINS", "RETAINZ") + " first / 0/0 0", "RETAINZ at D8 is not in the word list"),
        (f"RETAINS8{BLANK_BOARD[2:]} first / 0/0 0", "no tile on the centre, H8"),
        (RETAINS.replace("15/3", "AT13/3") + " first / 0/0 0", "the tile on A7 is not connected with the centre"),
        (f"{RETAINS} second / 66/0 0 AEINRST", "'AEINRST' is not a turn; expected a rack and a move"),
        (f"{RETAINS} second / 66/0 0 AEINRST/8D:RETAINZ", "8D:RETAINZ laid Z on J8, which has S"),
        (f"{RETAINS} second AEINRST/ 66/0 0 AEINRST/8D:RETAINS", "turn 1: fewer than 7 tiles on a rack"),
        (f"{RETAINS} second A/AAAAAAA 65/0 0 AEINRST/8D:RETAINS", "the scores are 65/0; the turns make 66/0"),
        (f"{RETAINS} second A/AAAAAAA 66/0 1 AEINRST/8D:RETAINS", "1 turns without points; the turns have 0"),
        (f"{RETAINS} second A/AAAAAAA 66/0 0 AEINRSU/8D:RETAINS", "turn 1: 8D:RETAINS needs T"),
        (f"{RETAINS} first /BCDFGHJ 0/0 1 AAEIOUV/-V BCDFGHJ/-", "turn 1 leaves AAEIOU; the next rack cannot be "),
        ("A" * 9000, "9,000 characters; expected at most 8,000"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("RETAINS", "'RETAINS' is not a move; expected a square and a word"),
        ("16A:AT", "'16A:AT' is not a move"),
        ("8L:RATES", "the word leaves the board"),
        ("8D:.ETAINS", "8D:.ETAINS lays no tile"),
        ("8D:RETAINZ", "there is S on J8, not Z"),
        ("K7:.A", "there is no tile on K7"),
        ("9D:AX", "needs X, which is not on the rack ABEINOT"),
        ("9D:aT", r"needs \?, which is not on the rack ABEINOT; a lowercase letter is a blank"),
        ("9D:BO", "9D:BO: RB is not in the word list"),
        ("1A:BOAT", "1A:BOAT is not next to a tile on the board"),
        ("-XY", "'-XY' exchanges tiles that are not on the rack ABEINOT"),
    ],
)
def test_error_message_for_illegal_move(move: str, message: str) -> None:
    with pytest.raises(IllegalMove, match=message) as caught:
        parse(f"{RETAINS} first ABEINOT/CDFGHLV 0/66 0").parse_move(move)
    assert "\n" not in str(caught.value)


@pytest.mark.quick
def test_moves_are_read_as_people_write_them() -> None:
    state = parse(f"{RETAINS} first ABEINOS/CDFGHLV 0/66 0")
    for text, name in (("K7:A.", ""), ("D8:.AIN", "D8:.AIN"), ("D8:RAIN", "D8:.AIN"), ("-oe", "-EO"), ("8K:S", "")):
        if name:
            assert state.parse_move(text) == name
    with pytest.raises(IllegalMove, match="the first word has two letters or more and covers the centre"):
        parse("").after(" ".join(f"+{tile}" for tile in "AEINRSTBCDEFGH")).parse_move("1A:TEN")


# ---- the end of the game --------------------------------------------------------------------------------------------


def plain_minimax(state: Endgame, known: dict[Endgame, int]) -> int:
    """The value of a state by minimax without pruning; equal states are computed once."""
    if state.is_over():
        return state.utility()
    if state not in known:
        values = [plain_minimax(state.play(move), known) for move in state.moves()]
        known[state] = max(values) if state.turn == MAX else min(values)
    return known[state]


def tiny_endgames(folder: Path, count: int, seed: int) -> Iterator[Endgame]:
    """Positions with a word on the board and one or two tiles on each rack, from a short word list."""
    cls = endgame_class(few_words(folder).word_file)
    source = Random(seed)
    words = FEW_WORDS.split()
    for _ in range(count):
        word = source.choice(words)
        squares = lay(EMPTY * SQUARES, f"8H:{word}").squares
        racks = tuple(sorted_tiles("".join(source.choices("AEHNORST?", k=source.randint(1, 2)))) for _ in range(2))
        yield cls(squares, source.choice([MAX, MIN]), racks, (source.randrange(30), source.randrange(30)))


@pytest.mark.long
def test_alpha_beta_solves_the_end_of_the_game(tmp_path: Path) -> None:
    for state in tiny_endgames(tmp_path, 8, 1):
        known: dict[Endgame, int] = {}
        value = plain_minimax(state, known)
        found = zermelo.analyse(state, exact=True)
        assert found.score.value == value, str(state)
        assert plain_minimax(state.play(found.move), known) == value


@pytest.mark.quick
def test_the_end_of_the_game_as_a_game_of_its_own() -> None:
    state = EmptyBag(parse(f"{RETAINS} first / 0/0 0").squares, MAX, ("O", "Q"), (20, 30)).endgame()
    assert (type(state), str(state)) == (Endgame, f"{RETAINS} first O/Q 20/30 0")
    assert Endgame.parse(str(state)) == state
    assert state.after("J8:.O").utility() == 12
    with pytest.raises(LimitError, match="the bag has 100 tiles; both racks are known when it is empty"):
        Scrabble().endgame()
    with pytest.raises(IllegalMove, match="is not a move"):
        state.parse_move("-O")


# ---- leaves ---------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_leaves() -> None:
    """Leaves are worth what players expect of them: blanks and S much, Q and duplicates little."""
    weights = load_leaves()
    assert leave_value(weights, "?") > 15 > leave_value(weights, "S") > 4 > 0 > leave_value(weights, "Q")
    assert leave_value(weights, "ERS") > leave_value(weights, "ES") > 0 > leave_value(weights, "VV")
    assert leave_value(weights, "QU") > leave_value(weights, "Q") + leave_value(weights, "U")
    assert leave_value(weights, "") == 0


@pytest.mark.long
def test_fit_recovers_the_weights_of_simulated_racks() -> None:
    import numpy as np

    source = np.random.default_rng(1)
    racks = source.integers(0, 5, (1_000, 7))
    worth = source.normal(size=27)
    fitted = fit(racks, worth[racks].sum(axis=1), ridge=0.1)
    for letter in "?AD":
        number = LETTERS.index(letter)
        assert abs(leave_value(fitted, letter) - (worth[number] - worth[:5].mean())) < 0.3


@pytest.mark.long
def test_equity_is_the_highest_sum_of_points_and_leave() -> None:
    """The compiled choice is that of all turns by their names."""
    source = Random(5)
    weights = load_leaves()
    for _ in range(10):
        squares, rack = random_position(Generator(load_words()), source)
        state = Scrabble(squares, MAX, (rack, "ABCDEFG"))
        chosen = equity_move(state)

        def equity(move: str, rack: str = rack, squares: str = squares) -> float:
            laid = None if move.startswith("-") else lay(squares, move)
            kept = Counter(rack) - Counter(laid.tiles if laid else move[1:])
            value = leave_value(weights, "".join(kept.elements())) if kept.total() < 7 else 0.0
            return value + (laid.score if laid else 0)

        assert equity(chosen) == pytest.approx(max(map(equity, state.moves())))


def play_match(first: Strategy, second: Strategy, seed: int) -> int:
    """The utility of a game of two strategies."""
    source, state = Random(seed), Scrabble()
    while not state.is_over():
        if state.to_move() == CHANCE:
            state = state.play(source.choice(state.bag()))
        else:
            state = state.play((first if state.turn == MAX else second)(state))
    return state.utility()


@pytest.mark.quick
def test_strategies_are_players() -> None:
    assert list(Scrabble.strategies) == ["equity", "greedy"]
    check_player(Scrabble, "strategy:equity")
    with pytest.raises(UnknownGame, match="Scrabble has no strategy 'gredy'; did you mean greedy"):
        check_player(Scrabble, "strategy:gredy")
    with pytest.raises(UnknownGame, match="TicTacToe has no strategy 'greedy'; it has none"):
        check_player(zermelo.load("tictactoe"), "strategy:greedy")


@pytest.mark.nightly
def test_leaves_win_against_the_highest_score() -> None:
    """At least 60 % of 600 games, by two standard errors: 300 seeds, each with both sides."""
    won = 0.0
    for seed in range(300):
        for result in (play_match(equity_move, greedy_move, seed), -play_match(greedy_move, equity_move, seed)):
            won += (result > 0) + 0.5 * (result == 0)
    rate = won / 600
    error = (rate * (1 - rate) / 600) ** 0.5
    assert rate - 2 * error > 0.55
    assert rate >= 0.6
