"""The contract of a game: `State`, the base of all games, and the decorator `game`.

A game is a plain Python class, an immutable value with methods:

    @game
    class Nim:
        '''One heap; take 1, 2 or 3; the player who takes the last stone wins.'''

        heap: int = 15
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
            return -self.turn        # the side to move did not take the last stone

The same source runs interpreted (textbook searches, traces, tests) and compiled (the engine). Compiled methods
therefore use only what both support: numbers, `Bitboard`s, tuples of fixed length, loops, and helper functions of the
same kind. Text methods (`parse`, `__str__`, `move_name`) are never compiled and may use all of Python.

Players need not alternate: passes, repeated turns and chance all go through `to_move`.

This module declares the methods and attributes; docs/contract.md explains them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast, dataclass_transform, overload

from zermelo.core.bitboard import FULL, WORD, Bitboard
from zermelo.core.endgame_slice import TableSlice
from zermelo.core.evaluation import Evaluation
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.hooks import Returns, check_declarations, fact, facts_of, hook, hooks_of, interpreted
from zermelo.core.literals import is_plain, move_text, read_literal, write_literal
from zermelo.core.random_numbers import random_below
from zermelo.core.search_level import SearchLevel
from zermelo.core.value import Field, Value, is_int, is_kind, make_value
from zermelo.errors import GameError, IllegalMove, PositionError

if TYPE_CHECKING:
    from zermelo.core.picture import Path, Picture, Piece, SetupOption

# The players. MAX and MIN are the signs that turn a utility for MAX into one for the side to move.
MAX = 1
MIN = -1
CHANCE = 0

# A move is an int in 0 .. LARGEST_MOVE, so that it fits the 24 bits that a transposition table entry has for it.
LARGEST_MOVE = (1 << 24) - 2
# No move: none is known, or the turn passed by `pass_turn`.
NO_MOVE = -1
# A utility lies in -LARGEST_UTILITY .. LARGEST_UTILITY, so that a won game ranks above every evaluation
# and still fits a table entry (see `zermelo.search.scores`).
LARGEST_UTILITY = 7000
# `State.ranked_bounds` ranks a win in n plies as LARGEST_RANK - n, above a draw (0); no line is that long.
LARGEST_RANK = 1000
# A move-ordering score shares a 64-bit word with the other ordering criteria (see `zermelo.search.ordering`).
LARGEST_MOVE_SCORE = (1 << 31) - 1
# More actions than an array of all of them should have.
LARGEST_ACTION = 1 << 20
# A level is one of a list that people choose from.
LARGEST_LEVEL = 100
# Compiled tree search marks each of these moves in an array.
MOST_MOVES_IN_ANY_ORDER = 1024
# Returned by games that do not count reversible plies; larger than the length of any game.
UNLIMITED_PLIES = 1 << 30
# A generator of moves that yields more than this has no end.
MOST_MOVES = 1_000_000
# Legal moves that a message names.
_MOST_NAMED = 100
# The longest move notation in words: four checkers of backgammon.
MOST_WORDS = 4


def win_in(plies: int) -> int:
    """A win of MAX in `plies` plies, for `State.ranked_bounds`; its negative is a win of MIN. A draw is 0."""
    return LARGEST_RANK - plies


class State(Value):
    """A position of a game: base of all classes made by `game`.

    States are immutable and are compared and hashed by class and fields. A game defines the five required methods
    `to_move`, `moves`, `play`, `is_over` and `utility`; every other method and class attribute has the default shown
    here. Methods take plain ints for moves and players; scores and utilities are from MAX's side.
    """

    __slots__ = ()

    # ---- facts: class attributes ---------------------------------------------------------------------------

    max_utility: ClassVar[int] = fact(
        1,
        "Largest utility of a finished game, for either side. With 1, results are win, draw and loss, and a faster win "
        "ranks above a slower one. Above 1, results are graded (disc difference in Othello) and only their size ranks.",
        lowest=1,
        largest=LARGEST_UTILITY,
    )
    counts_wins_only: ClassVar[bool] = fact(
        False,
        "Whether a win of any size is as good: Monte Carlo tree search then counts wins, draws and losses, and not "
        "their size. Searches to the end of the game still find the size.",
    )
    moves_in_any_order: ClassVar[int] = fact(
        0,
        "n, if the moves 0 .. n - 1 may be played early or late and are worth about the same, such as stones on points "
        "in Go: Monte Carlo tree search then learns of a move from all playouts that contain it (RAVE). 0: none.",
        lowest=0,
        largest=MOST_MOVES_IN_ANY_ORDER,
    )
    largest_move: ClassVar[int] = fact(
        0,
        "Largest number of a player's move, if moves are dense enough to be the actions of a learning agent: 64 in "
        "Othello. 0: not declared.",
        lowest=0,
        largest=LARGEST_ACTION,
    )
    evaluations: ClassVar[Mapping[str, Evaluation]] = fact(
        {}, "The game's evaluations by name; the first one is the default. Without any, unfinished states score 0."
    )
    strategies: ClassVar[Mapping[str, Callable[[Any, int], Any]]] = fact(
        {},
        "The game's own players by name: functions of a state and a random number (uniform in 0 .. 2**62 - 1) that "
        "return a move; the player `strategy:NAME`. With hidden information the state is drawn from what the player "
        "knows, and the first one is the opponent of `zermelo play`, unless the game has an `open_state`.",
    )
    perfect_information: ClassVar[bool] = fact(
        True,
        "Whether both players always see the whole state. A game where they do not defines `information_state`, is "
        "solved by `zermelo.solve.equilibrium`, and is refused by searches of the state. Its players get their view.",
    )
    perfect_recall: ClassVar[bool] = fact(
        True,
        "Whether each side remembers all that it knew and did. It does not where a side is a team whose members know "
        "different things, such as the defenders in bridge: a side then knows what its member to move knows, or else "
        "the next to move. The game is not solved for an equilibrium.",
    )
    draw_at_reversible_plies: ClassVar[int] = fact(
        0,
        "Number of `reversible_plies` from which either player can claim a draw, and from which searches score one: "
        "100 in chess (50 moves each). 0: never.",
        lowest=0,
        formerly="drawn_when_quiet",
    )
    draw_at_repetition: ClassVar[int] = fact(
        0,
        "Number of occurrences of a position at which a player can claim a draw: 3 in chess and checkers. 0: never.",
        lowest=0,
        formerly="drawn_when_repeated",
    )
    game_over_at_repetition: ClassVar[int] = fact(
        0,
        "Number of occurrences of a position at which the game ends in a draw without a claim: 5 in chess. Referees "
        "apply it; searches have scored a draw earlier. 0: never.",
        lowest=0,
        formerly="over_when_repeated",
    )
    shortest_cycle: ClassVar[int] = fact(
        1,
        "Fewest plies after which a position can occur again: 4 in chess, where both sides move away and back.",
        lowest=1,
    )
    max_level: ClassVar[int] = fact(
        0,
        "Largest of the levels 1, 2, ... that the game declares by `search_level`, in place of the ten levels of all "
        "games, which limit nodes: 60 in Othello. It needs an evaluation. 0: it has none of its own.",
        lowest=0,
        largest=LARGEST_LEVEL,
    )
    selective_on_clock: ClassVar[bool] = fact(
        False,
        "Whether searches limited by time are selective by default: they search promising moves deeper, and "
        "their scores are not minimax values. Set it where matches show a gain.",
    )
    confidence_on_clock: ClassVar[int] = fact(
        100,
        "Confidence in percent of searches limited by time, by default: 73, 87, 95, 98, 99, or 100 for exact ones. "
        "Needs an evaluation that defines `search_error`. Set it where matches show a gain.",
        lowest=73,
        largest=100,
    )
    selective_evaluation: ClassVar[str] = fact(
        "",
        "Name of the evaluation of selective searches by default, if it is not the game's first: a slower one that "
        "plays better. Empty: the first.",
    )
    selective_parameters: ClassVar[Mapping[str, int]] = fact(
        {},
        "Parameters of selective searches that differ from the defaults, by name: fields of "
        "`zermelo.search.selective.Selective`. The default margins are those of chess, in centipawns: a game whose "
        "evaluation has another unit declares its own, such as `{'futility_base': 4, 'futility_margin': 2}`.",
    )
    table_men: ClassVar[int] = fact(
        0,
        "Number of men up to which endgame tables are built when they are first needed, in seconds; larger ones are "
        "built by `zermelo tables`. 0: none. For games with `index`.",
        lowest=0,
    )
    cheap_move_scores: ClassVar[bool] = fact(
        False,
        "Whether `move_score` is cheap (plays no move) and returns 0 where it has no opinion. It is then called at "
        "every depth.",
        formerly="hints_are_cheap",
    )
    perft_counts_finished_games: ClassVar[bool] = fact(
        False,
        "Whether perft counts a game that ends before the depth as one leaf (the convention of published Othello "
        "counts) or not at all (chess, connect four and most others).",
    )
    perft_ignores_game_over: ClassVar[bool] = fact(
        False,
        "Whether perft continues wherever `moves` yields a move, even in finished games: published chess counts ignore "
        "draws. `moves` and `count_moves` must then yield nothing in games that ended otherwise.",
    )

    # Set by `game`: whether compiled code can hold the fields, and if not, and the class does not ask for it, which
    # fields it has no type for.
    is_compiled: ClassVar[bool] = True
    why_interpreted: ClassVar[str] = ""

    # Set by `game` from the methods that a class defines; constants of the compiled search.
    has_chance: ClassVar[bool] = False
    has_tactical_moves: ClassVar[bool] = False
    has_in_check: ClassVar[bool] = False
    has_move_score: ClassVar[bool] = False
    has_playout_move: ClassVar[bool] = False
    has_information_key: ClassVar[bool] = False
    has_resample: ClassVar[bool] = False
    has_open_state: ClassVar[bool] = False
    has_endgame_solver: ClassVar[bool] = False
    has_bounds: ClassVar[bool] = False
    has_ranked_bounds: ClassVar[bool] = False
    has_solved_score: ClassVar[bool] = False
    has_candidates: ClassVar[bool] = False
    has_candidate_score: ClassVar[bool] = False
    has_canonical: ClassVar[bool] = False
    has_forbidden_repetition: ClassVar[bool] = False
    has_partition: ClassVar[bool] = False
    has_pass_turn: ClassVar[bool] = False
    has_exchange: ClassVar[bool] = False
    has_tactical_generator: ClassVar[bool] = False
    has_capture_value: ClassVar[bool] = False
    has_correction_key: ClassVar[bool] = False
    has_index: ClassVar[bool] = False

    # ---- required methods, compiled ------------------------------------------------------------------------

    @hook(Returns.PLAYER, required=True, compiled="rules", checked="any")
    def to_move(self) -> int:
        """The side to move: MAX (1), MIN (-1) or CHANCE (0).

        Called in unfinished states; in finished ones any of the three is accepted.
        """
        raise NotImplementedError

    @hook(Returns.MOVES, required=True, compiled="rules")
    def moves(self) -> Iterator[int]:
        """Yield the legal moves: distinct ints in 0 .. 16,777,214.

        Called in unfinished states where MAX or MIN moves, and must yield at least one move there: a player who has
        to pass has a pass move. The order is that of the textbook searches and of move lists, and must depend on the
        fields alone.
        """
        raise NotImplementedError

    @hook(Returns.STATE, required=True, compiled="rules")
    def play(self, move: int) -> Self:
        """The state after a move.

        Called with moves that `moves` or `outcomes` yields only. The state itself does not change.
        """
        raise NotImplementedError

    @hook(Returns.BOOL, required=True, compiled="rules", checked="any")
    def is_over(self) -> bool:
        """Whether the game has ended (the terminal test).

        Called in any state, before the other methods.
        """
        raise NotImplementedError

    @hook(Returns.INT, required=True, compiled="search", checked="finished", largest="max_utility")
    def utility(self) -> int:
        """The result of a finished game for MAX, an int in -max_utility .. max_utility.

        MIN gets the negative. Called in finished states only.
        """
        raise NotImplementedError

    # ---- optional rules, compiled --------------------------------------------------------------------------

    @hook(
        Returns.OUTCOMES, compiled="rules", fact="has_chance", default="every move of `moves` with weight 1",
    )  # fmt: skip
    def outcomes(self) -> Iterator[tuple[int, int]]:
        """Yield the outcomes of a chance event as pairs (move, weight), where `to_move` is CHANCE.

        Weights are positive ints; the value of the state is the mean of its outcomes' values by weight.
        """
        for move in self.moves():
            yield move, 1

    @hook(
        Returns.INT, compiled="search", checked="move", largest=LARGEST_MOVE_SCORE, fact="has_move_score",
        default="0", formerly="hint",
    )  # fmt: skip
    def move_score(self, move: int) -> int:
        """Move-ordering score: an int of at most 31 bits, highest for the most promising move.

        It orders moves and never changes a result. Called for the moves of states at least two plies above the
        horizon; at every depth with `cheap_move_scores`.
        """
        return 0

    @hook(
        Returns.INT, compiled="called", fact="has_playout_move", default="any legal move, all with the same probability"
    )
    def playout_move(self, random: int) -> int:
        """A legal move for a playout of Monte Carlo tree search, chosen by knowledge of the game.

        `random` is a random number, uniform in 0 .. 2**62 - 1, and the only source of chance. Called where MAX or MIN
        moves. Playouts that resemble good play tell more, but each of their moves should stay cheap.
        """
        index = random_below(self.count_moves(), random)
        for move in self.moves():
            if index == 0:
                return move
            index -= 1
        raise NotImplementedError

    @hook(
        Returns.BOOL, compiled="search", checked="move", fact="has_tactical_moves", default="False", formerly="noisy",
    )  # fmt: skip
    def is_tactical(self, move: int) -> bool:
        """Whether a move (a capture, promotion or check) makes the static evaluation right before it unreliable.

        Where a game defines it, quiescence search follows tactical moves beyond the depth limit. The side to move may
        also stop there and take the evaluation (stand pat).
        """
        return False

    @hook(
        Returns.MOVES, compiled="search", needs="is_tactical", fact="has_tactical_generator", default="`moves()`",
    )  # fmt: skip
    def tactical_moves(self) -> Iterator[int]:
        """Yield the moves of `moves` that may be tactical, in the same order: all for which `is_tactical` is true.

        Searches ask `is_tactical` before they search one. Define it where captures are generated faster than all moves.
        """
        for move in self.moves():
            yield move

    @hook(
        Returns.INT, compiled="called", checked="move", lowest=0, fact="has_capture_value", default="`move_score`",
    )  # fmt: skip
    def capture_value(self, move: int) -> int:
        """What a move captures, in units of the game's default evaluation; 0: nothing. `exchange` gains no more.

        A selective search orders captures by it, and takes the other moves as quiet. Of equal captures, those by
        cheaper pieces may be worth a little more.
        """
        return 0

    @hook(
        Returns.BOOL, compiled="search", checked="decision", fact="has_in_check", default="False",
        formerly="must_answer",
    )  # fmt: skip
    def in_check(self) -> bool:
        """Whether the side to move is under a threat that no static evaluation can judge, such as check in chess.

        Quiescence search then searches all moves and does not stand pat.
        """
        return False

    @hook(
        Returns.BOOL, compiled="called", checked="decision", partner="pass_turn", default="False",
    )  # fmt: skip
    def may_pass(self) -> bool:
        """Whether a selective search may try `pass_turn` here: nearly always some move is better than to pass.

        It is asked where the side to move is not `in_check`. Return False where zugzwang decides games, as in chess
        with kings and pawns alone.
        """
        return False

    @hook(Returns.STATE, compiled="called", partner="may_pass", fact="has_pass_turn", default="no null moves")
    def pass_turn(self) -> Self:
        """The state after the side to move has passed, though the rules may not allow it (null move).

        A selective search leaves a node early if even passing is good enough. Only the side to move changes, and what
        depends on it: in chess the en passant square is cleared.
        """
        return self

    @hook(Returns.BOOL, compiled="called", fact="has_exchange", default="not used")
    def exchange(self, move: int, threshold: int) -> bool:
        """Whether the captures that follow a move on its square gain at least `threshold` for the side that makes it.

        In units of the game's default evaluation, and estimated without a search (static exchange evaluation).
        Also called for quiet moves, since the moved piece may be captured. Selective searches leave out moves that lose
        too much.
        """
        return True

    @hook(Returns.BOOL, compiled="search", checked="decision", default="True")
    def may_end(self) -> bool:
        """Whether any move may end the game. False promises that none does.

        Called one ply above the horizon if the evaluation defines `Evaluation.gain`, which then replaces playing the
        moves.
        """
        return True

    @hook(Returns.KEY, compiled="search", checked="any", default="hash of all fields")
    def key(self) -> Bitboard:
        """64-bit key for the transposition table: equal for equal states, practically always different for others.

        The default takes a few multiplications for each field. Define your own only if a measurement shows a gain.
        """
        raise NotImplementedError  # `game` generates it from the fields

    @hook(Returns.KEY, compiled="search", checked="any", default="key()", formerly="position")
    def repetition_key(self) -> Bitboard:
        """Key of the position as the repetition rule compares it: all that matters for the game's future.

        It may leave out `reversible_plies`. Then `draw_at_reversible_plies` states from which number on they matter,
        and no evaluation may depend on them: states with equal keys share search results.
        """
        return self.key()

    @hook(
        Returns.KEY, compiled="called", checked="any", fact="has_correction_key",
        default="static scores are not corrected",
    )  # fmt: skip
    def correction_key(self) -> Bitboard:
        """Key of the features that errors of the evaluation depend on: in chess the pawn structure.

        A selective search corrects static scores by the average error that it has found in states with an equal key.
        Choose features that change rarely. The low bits select an entry of a table: mix the bits by `hash_combine`.
        """
        return self.key()

    @hook(Returns.BOOL, compiled="search", checked="any", fact="has_forbidden_repetition", default="False")
    def forbids_repetition(self) -> bool:
        """Whether the rules forbid the move that led here if the position occurred before (superko in Go).

        Positions are compared by `repetition_key`. `moves` still yields the move: a state does not know the positions
        before it. Referees refuse it, and searches score it as a loss of `max_utility` for the side that made it, the
        one that is not to move. So `max_utility` should exceed all results, and the side must always have another
        move, such as a pass.
        """
        return False

    @hook(
        Returns.INT, compiled="search", checked="any", lowest=0, default="unlimited", formerly="quiet_plies",
    )  # fmt: skip
    def reversible_plies(self) -> int:
        """Number of plies since the last irreversible move (in chess: the halfmove clock).

        0 after an irreversible move such as a capture; no position before it can occur again. The default, unlimited,
        takes every move as reversible.
        """
        return UNLIMITED_PLIES

    @hook(Returns.INT, compiled="perft", checked="decision", default="counts what `moves` yields")
    def count_moves(self) -> int:
        """Number of legal moves. Define it where they can be counted faster than one by one; perft uses it."""
        count = 0
        for _ in self.moves():
            count += 1
        return count

    @hook(Returns.STATES, compiled="called", default="none")
    def symmetries(self) -> Iterator[Self]:
        """Yield the states that differ from this one only by a symmetry of the board, and so have the same value."""
        nothing: tuple[Self, ...] = ()
        for state in nothing:
            yield state

    @hook(
        Returns.BOOL, compiled="search", checked="unfinished", partner="solve_endgame", default="False",
        formerly="is_small",
    )  # fmt: skip
    def is_endgame(self) -> bool:
        """Whether `solve_endgame` can solve this state. Called by exact searches."""
        return False

    @hook(
        Returns.PAIR, compiled="search", partner="is_endgame", fact="has_endgame_solver", default="-",
        formerly="ending",
    )  # fmt: skip
    def solve_endgame(self, alpha: int, beta: int) -> tuple[int, int]:
        """Solve an endgame: the exact utility for MAX, fail-soft within (alpha, beta), and the states visited.

        Called by exact searches where `is_endgame` is true. The value must be the one that a search to the end finds.
        """
        return 0, 0

    @hook(
        Returns.INTERVAL, compiled="search", checked="unfinished", largest="max_utility", fact="has_bounds",
        default="-max_utility .. max_utility",
    )  # fmt: skip
    def bounds(self) -> tuple[int, int]:
        """An interval (low, high) in which the utility for MAX provably lies if both sides play best from here on.

        Called in unfinished states. Searches of utilities to the end of the game cut where it lies outside the window:
        in bridge, a side that can take four tricks at once has at least these.
        """
        return -self.max_utility, self.max_utility

    @hook(
        Returns.INTERVAL, compiled="search", checked="unfinished", largest=LARGEST_RANK, fact="has_ranked_bounds",
        default="no bounds on the distance",
    )  # fmt: skip
    def ranked_bounds(self) -> tuple[int, int]:
        """An interval (low, high) of the result for MAX, by distance: sooner wins and later losses are higher.

        `win_in(n)` is a win of MAX in n plies, `-win_in(n)` one of MIN, 0 a draw, all with best play by both sides,
        where `max_utility` is 1. Without a threat to win at once, the side to move of Connect Four wins in 3 plies at
        the earliest. Called in unfinished states. Searches to the end of the game cut by it, and find the distance
        by null-window searches. The bounds must not depend on the positions before the state.
        """
        return -win_in(1), win_in(1)

    @hook(Returns.MOVES, compiled="search", fact="has_candidates", default="`moves()`")
    def candidates(self) -> Iterator[int]:
        """Yield some of the moves that `moves` yields, with a best one among them.

        "Best" is by the utility at the end of the game; where `ranked_bounds` is defined, by utility and distance.
        Searches of utilities to the end of the game search these only, except at the root: of the seven and the six of
        spades in one hand of bridge, one is enough. Called where MAX or MIN moves.
        """
        for move in self.moves():
            yield move

    @hook(
        Returns.INT, compiled="search", checked="move", largest=LARGEST_MOVE_SCORE, fact="has_candidate_score",
        default="`move_score`",
    )  # fmt: skip
    def candidate_score(self, move: int) -> int:
        """Move-ordering score in searches to the end of the game, highest for the most promising move.

        They need another order than searches with an evaluation: in Connect Four, threats
        that may decide the game much later come first.
        """
        return 0

    # ---- endgame tables ------------------------------------------------------------------------------------

    @hook(Returns.INT, compiled="called", partner="index", default="no endgame tables")
    def men(self) -> int:
        """Number of men, which no move increases: the endgame table of N men holds the positions with at most
        N.

        Pieces in chess and checkers, or the stones left in a heap. The four hooks of endgame tables are declared
        together, in games of win, draw and loss without chance.
        """
        return 0

    @hook(Returns.INT, compiled="called", partner="unindex", fact="has_index", default="-")
    def index(self) -> int:  # type: ignore[override]
        """The number of a position in the endgame tables, from 0 on; -1 for a position that they leave out.

        Called in unfinished positions with at most as many men as there are tables for. Positions of fewer men have
        smaller numbers, and each slice of `table_slices` follows on the one before. A move leads to a finished
        position, or to one of the same slice or of an earlier one. Positions that are equal but for a symmetry, or with
        the sides exchanged, may share a number: their results for the side to move are then the same, and so are those
        of positions that differ only in `reversible_plies`.
        """
        return -1

    @hook(Returns.STATE, compiled="called", partner="table_slices", default="-")
    def unindex(self, index: int) -> Self:
        """The position with this number, with 0 reversible plies; `self` only identifies the game.

        Not all numbers are in use: where pieces share a square or a position cannot occur, return any state with
        another `index`.
        """
        return self

    @classmethod
    @hook(Returns.OTHER, class_method=True, partner="men", default="-")
    def table_slices(cls, men: int) -> tuple[TableSlice, ...]:
        """The slices of the tables with exactly this number of men, in the order of their numbers.

        Empty if there is no table for this number of men.
        """
        return ()

    # ---- symmetric images in searches to the end ------------------------------------------------------------

    @hook(Returns.STATE, compiled="search", fact="has_canonical", default="the state itself")
    def canonical(self) -> Self:
        """The state that stands for this one and its images under the symmetries of the board, such as the smallest.

        All of them must have the same value, and the same side must move. Searches to the end of the game replace
        states by it, so that images are searched once. It may be the state itself where two images rarely meet: in
        Connect Four, once some stones lie on the board. Not called where a line is wanted.
        """
        return self

    # ---- partition search ----------------------------------------------------------------------------------

    @hook(
        Returns.KEY, compiled="search", checked="unfinished", partner="features", fact="has_partition",
        default="no partition search",
    )  # fmt: skip
    def partition_key(self) -> Bitboard:
        """Key of all that matters beside the `features`; 0 for states that are not to be looked up.

        The five hooks of partition search are declared together. Searches of utilities to the end of the game then
        store each score for all states with this key that agree in the features that the score rests on (Ginsberg
        1996). In bridge the key is who leads and how many cards of each suit the hands hold.
        """
        return Bitboard(0)

    @hook(Returns.WORDS, compiled="search", partner="relevance", default="-")
    def features(self) -> tuple[Bitboard, Bitboard]:
        """Two words of features, bits 0 to 62. With the partition key they determine the value less `settled`.

        In bridge: for each card left, by its rank in the suit, the hand that holds it.
        """
        return Bitboard(0), Bitboard(0)

    @hook(Returns.KEY, compiled="search", partner="bounds_relevance", default="-")
    def relevance(self, move: int, below: int, searched: Bitboard, is_cutoff: bool) -> Bitboard:
        """The bits of the features that the score rests on after one more move was searched.

        `below` is the mask for the state after the move, as an int; a finished game's is empty. `searched` is what this
        method returned for the moves searched before. After a cutoff the score rests on this move alone.
        """
        return Bitboard(below) if is_cutoff else searched | Bitboard(below)

    @hook(Returns.KEY, compiled="search", partner="settled", default="-")
    def bounds_relevance(self, alpha: int, beta: int) -> Bitboard:
        """The bits of the features on which `bounds` rests, where it proves at most alpha or at least beta."""
        return ~Bitboard(0)

    @hook(Returns.INT, compiled="search", checked="any", largest="max_utility", partner="partition_key", default="-")
    def settled(self) -> int:
        """The part of the utility that later moves cannot change: the difference of the tricks taken in bridge."""
        return 0

    # ---- hidden information --------------------------------------------------------------------------------

    @hook(Returns.LINE, hidden=True, default="str(self)", formerly="information")
    def information_state(self, player: int) -> str:
        """Everything that a player, MAX or MIN, has observed and done so far, as one line.

        Required where `perfect_information` is False. Equal in exactly the states that the player cannot tell apart.
        The text must determine all that the player knew and did before, unless `perfect_recall` is False. It need not
        say whether the player is to move and whether the game is over, because players always know that. Never
        compiled. Called in any state.
        """
        return str(self)

    @hook(
        Returns.KEY, compiled="called", hidden=True, fact="has_information_key",
        default="hash of `information_state`, interpreted only",
    )  # fmt: skip
    def information_key(self, player: int) -> Bitboard:
        """64-bit key of what a player knows: equal exactly where `information_state` is equal.

        Searches and solvers in compiled code need it. Called in unfinished states.
        """
        return Bitboard(hash_text(self.information_state(player)))

    @hook(
        Returns.STATE, compiled="called", hidden=True, fact="has_resample",
        default="enumerates the game from `start()`, interpreted only; small games",
    )  # fmt: skip
    def resample(self, player: int, random: int) -> Self:
        """Draw a state at random from those that a player cannot tell from this one (determinization).

        `random` is a random number, uniform in 0 .. 2**62 - 1, and the only source of chance. The result depends on it
        and on what the player knows, never on what is hidden. Every state that the player thinks possible can be drawn.
        The default draws in proportion to the probabilities if all players move at random. Called in unfinished states.
        """
        from zermelo.core.information_sets import draw_state

        return self if self.perfect_information else draw_state(self, player, random)

    @hook(
        Returns.OTHER, hidden=True, fact="has_open_state",
        default="the state, searched as if both players saw all of it",
    )  # fmt: skip
    def open_state(self) -> State:
        """The position as a state of a game with perfect information, such as bridge with open hands.

        Perfect-information Monte Carlo (`pimc`) searches it, with that game's bounds, evaluations and compiled code.
        Both games have the same players, moves and utilities. Never compiled. Called in any state; where chance is to
        move, only its class matters.
        """
        return self

    @hook(Returns.OTHER, hidden=True, default="the state; None where information is hidden: its text is shown instead")
    def view(self, player: int) -> Self | None:
        """The state as a player sees it, with placeholders for what is hidden: to be drawn, never played.

        Its `board` and `picture` are what the player is shown, so both draw the placeholders too. It depends on what
        the player knows alone. Never compiled. Called in any state.
        """
        return self if self.perfect_information else None

    # ---- text and pictures, interpreted only ---------------------------------------------------------------

    @classmethod
    @hook(Returns.OTHER, class_method=True, default="all fields at their defaults")
    def start(cls) -> Self:
        """The initial position.

        Raises
        ------
        GameError
            If a field has no default and the class does not define this method.
        """
        required = [field.name for field in cls.fields if field.name not in cls.field_defaults]
        if required:
            raise GameError(
                f"{cls.__name__} has no initial position: {', '.join(required)} "
                f"{'has' if len(required) == 1 else 'have'} no default; add defaults, or define @classmethod start(cls)"
            )
        return cls()

    @classmethod
    @hook(Returns.OTHER, class_method=True, default="the fields that differ from the start, as in `heap=7 turn=-1`")
    def parse(cls, text: str) -> Self:
        """Read a position from text: the inverse of `__str__`.

        Raises
        ------
        PositionError
            One line that names the wrong part of the text and what was expected there.
        """
        given: dict[str, Any] = {}
        fields = {field.name: field for field in cls.fields}
        numeric = "FIELD=NUMBER" if all(is_kind(field.kind, _KINDS) for field in cls.fields) else "FIELD=VALUE"
        for word in text.split():
            name, equals, numbers = word.partition("=")
            if not equals or name not in fields or name in given:
                raise PositionError(
                    f"{cls.__name__} position: {word[:80]!r} is not {numeric}, each field once; "
                    f"the fields are {', '.join(fields)}"
                )
            field = fields[name]
            if not is_kind(field.kind, _KINDS):
                given[name] = cls._parse_literal(numbers, field)
                continue
            if field.length and numbers[:1] == "(" and numbers[-1:] == ")":  # as a tuple is printed
                numbers = numbers[1:-1].rstrip(",")
            items = [cls._parse_number(number, word, field.kind) for number in numbers.split(",")]
            if len(items) != (field.length or 1):
                raise PositionError(
                    f"{cls.__name__} position: {word[:80]!r} has {len(items)} numbers; {name} is {field.described}"
                )
            given[name] = tuple(items) if field.length else items[0]
        start = cls.start()
        return cls(**{name: given.get(name, getattr(start, name)) for name in fields})

    @classmethod
    def _parse_literal(cls, text: str, field: Field) -> Any:
        """Parse the value of `parse` for a field that cannot be compiled."""
        try:
            return text if field.kind is str and is_plain(text) else read_literal(text, field.kind)
        except ValueError as error:
            raise PositionError(
                f"{cls.__name__} position: {text[:80]!r} for {field.name} is {error}; write {field.described} as a "
                "Python literal without blanks, or define parse(cls, text) and __str__(self)"
            ) from None

    @classmethod
    def _parse_number(cls, text: str, word: str, kind: type) -> int:
        """Parse one number of `parse` for a field of the given kind."""
        low, high = -(1 << 63), (1 << 63) - 1
        if kind is not int:
            low, high = 0, getattr(kind, "full", FULL) if issubclass(kind, Bitboard) else 1
        try:
            number = int(text[:80], 0)
        except ValueError:
            raise PositionError(f"{cls.__name__} position: {text[:80]!r} in {word[:80]!r} is not an int") from None
        if not low <= number <= high:
            raise PositionError(f"{cls.__name__} position: {text[:80]} in {word[:80]!r} is not in {low} .. {high}")
        return bool(number) if kind is bool else number

    @hook(Returns.LINE, default="all fields, as in `heap=7 turn=-1`")
    def __str__(self) -> str:
        """The position as one line of text, which `parse` reads back."""

        def text(value: Any, field: Field) -> str:
            if not is_kind(field.kind, _KINDS):
                return value if field.kind is str and is_plain(value) else write_literal(value)
            if isinstance(value, tuple):
                return ",".join(text(item, field) for item in value)
            return f"{int(value):#x}" if isinstance(value, Bitboard) else str(int(value))

        return " ".join(f"{field.name}={text(value, field)}" for field, value in zip(self.fields, self, strict=True))

    @hook(Returns.LINES, checked="any", default="str(self)")
    def board(self) -> str:
        """The position drawn in text, several lines."""
        return str(self)

    @hook(Returns.OTHER, default="None; `board` is drawn as text")
    def picture(self) -> Picture | None:
        """The position as a `zermelo.core.picture.Grid` or `Points`, for `zermelo show` and `zermelo.drawing`."""
        return None

    @classmethod
    @hook(Returns.OTHER, class_method=True, partner="set_up", default="none; positions are given as text only")
    def setup_pieces(cls) -> tuple[Piece, ...]:
        """The kinds of pieces that people can put on the board of `picture`, each with column 0 and row 0."""
        return ()

    @hook(Returns.OTHER, partner="setup_pieces", default="-")
    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Self:
        """The state with other pieces on the board and MAX or MIN to move; the rest stays where it fits them.

        It need not be a legal position: `parse` of its text says what is wrong. Where the side to move follows from the
        pieces, `side` has no effect. Called with pieces of `setup_pieces`, at most one on a square of `picture`.
        """
        raise NotImplementedError

    @hook(Returns.OTHER, partner="with_setup_options", default="none")
    def setup_options(self) -> tuple[SetupOption, ...]:
        """What people can choose in this position beside its pieces and the side to move: castling rights in chess.

        Only options that the pieces allow. Called in states of `set_up`, which need not be legal positions.
        """
        return ()

    @hook(Returns.OTHER, partner="setup_options", default="-")
    def with_setup_options(self, names: tuple[str, ...]) -> Self:
        """The state with exactly these of its `setup_options` on."""
        return self

    @hook(
        Returns.OTHER,
        default="found by comparing the pictures before and after the move; none where information is hidden",
    )
    def move_path(self, move: int) -> Path:
        """The squares of a player's move on the `picture`, by which the move is made with a mouse.

        They are pairs (column, row): one where a piece is placed, the origin and the target of a piece that moves, all
        squares that it visits if it jumps several times. On `Points` they are the steps of the checkers, pairs
        (from, to), with 25 for the mover's bar and 0 for off the board. A move without squares, such as a pass, has
        none. They depend on the move and on what the mover knows. Define it where the pictures do not tell (castling)
        or are slow to compare.
        """
        from zermelo.core.picture import path_between

        before = self.picture() if self.perfect_information else None
        return () if before is None else path_between(before, self.play(move).picture())

    @hook(Returns.LINE, default="`MAX`, `MIN`, `chance`")
    def player_name(self, player: int) -> str:
        """The name of a player, such as 'black' or 'crosses'."""
        return {MAX: "MAX", MIN: "MIN", CHANCE: "chance"}[player]

    @hook(Returns.BOOL, default="True")
    def can_win(self, player: int) -> bool:
        """Whether a player, MAX or MIN, can still win by some sequence of legal moves, however badly the other plays.

        A player who runs out of time loses only if the other can win, else the game is a draw: in chess a lone king
        cannot win. Called in unfinished states. Who cannot win here cannot win after any move.
        """
        return True

    @hook(Returns.OTHER, default="-")
    def search_level(self, level: int) -> SearchLevel:
        """What the engine searches in this position at a level of the game's own, 1 to `max_level`.

        A `zermelo.core.search_level.SearchLevel`: a depth and a confidence, or an exact search. Needed where
        `max_level` is above 0. Called in unfinished states. Where results are graded, the levels also say when a search
        that only time limits goes to the end of the game.
        """
        raise GameError(f"{type(self).__name__} has max_level = {self.max_level} and does not define search_level")

    @hook(Returns.OTHER, fact="has_solved_score", default="the result, if results are graded; else there is none")
    def solved_score(self, value: int, plies: int) -> int:
        """The score for MAX of a solved position that is won or lost, as solvers of the game print it.

        `value` is its result with best play by both sides, `plies` the distance to the end of the game. In Connect Four
        a win scores more the fewer stones the winner has placed at the end. `zermelo analyse` and `zermelo solve` show
        the score of each move. For games with `max_utility` 1. A draw scores 0; the method is not called for it.
        """
        return value

    @hook(Returns.TEXT, checked="finished", default="empty", formerly="ending_name")
    def termination(self) -> str:
        """How a finished game ended, as a noun: 'checkmate', 'stalemate'. Empty where the result says it all."""
        return ""

    @hook(Returns.WORD, default="the number; of other moves the text, or the items of a tuple")
    def move_name(self, move: int) -> str:
        """The move in the game's notation, unique among the legal moves of the state."""
        return move_text(move)

    @hook(Returns.OTHER, default="the legal move of that name, ignoring case")
    def parse_move(self, text: str) -> int:
        """Read a legal move in the game's notation.

        Raises
        ------
        IllegalMove
            One line that lists the legal moves, or the first of them if there are more than 100.
        """
        names = {}
        name = text.strip()
        for move in self.legal_moves():
            names[self.move_name(move)] = move
            if name in names:
                return move
        folded = name.casefold()
        alike = [move for known, move in names.items() if known.casefold() == folded]
        if len(alike) == 1:
            return alike[0]
        quoted = repr(name if len(name) <= 40 else name[:37] + "...")
        if not names:
            raise IllegalMove(f"{quoted} cannot be played: the game is over")
        more = f" ... ({len(names)} in all)" if len(names) > _MOST_NAMED else ""
        raise IllegalMove(f"{quoted} is not a legal move here; legal: {' '.join(islice(names, _MOST_NAMED))}{more}")

    # ---- derived from the methods above --------------------------------------------------------------------

    @interpreted
    def legal_moves(self) -> list[int]:
        """List the moves that can be played: none in a finished game, the outcomes of chance where chance moves.

        Raises
        ------
        GameError
            If `moves` yields nothing, no end of moves, or anything that cannot be a move (`wrong_move`).
        """
        if self.is_over():
            return []
        player = self.to_move()
        name = type(self).__name__
        if player not in (MAX, MIN, CHANCE):
            raise GameError(f"{name}.to_move() returned {player!r}; it must be MAX, MIN or CHANCE")
        if player == CHANCE:
            return [move for move, _ in self.outcomes()]
        yielded = self.moves()
        if not hasattr(yielded, "__iter__"):
            raise GameError(f"{name}.moves() returned {yielded!r}; it must yield ints")
        moves = list(islice(yielded, MOST_MOVES + 1))
        if len(moves) > MOST_MOVES:
            raise GameError(f"{name}.moves() yielded more than {MOST_MOVES:,} moves; check that its loop ends")
        if not moves:
            raise GameError(
                f"{name}.moves() yields nothing in a game that is not over; "
                "add a pass move for a player who cannot move, or end the game there"
            )
        for move in moves:
            expected = wrong_move(type(self), move)
            if expected:
                raise GameError(f"{name}.moves() yielded {move!r} ({type(move).__name__}); a move must be {expected}")
        return moves

    @interpreted
    def after(self, moves: str) -> Self:
        """The state after a line of moves in the game's notation, separated by blanks.

        Raises
        ------
        IllegalMove
            For the first move that cannot be played.
        """
        return self.through(moves)[-1]

    @interpreted
    def through(self, moves: str) -> list[Self]:
        """All states of a line of moves, this one first; see `after`.

        A move may contain blanks (backgammon's 8/5 6/5): the fewest words that form a legal move are taken as one.
        """
        states = [self]
        words = moves.split()
        while words:
            state = states[-1]
            move, used = state._first_move(words)
            states.append(state.play(move))
            del words[:used]
        return states

    @interpreted
    def _first_move(self, words: list[str]) -> tuple[int, int]:
        """The move at the beginning of a list of words, and the number of words that it takes."""
        refused: IllegalMove | None = None
        for used in range(1, min(len(words), MOST_WORDS) + 1):
            try:
                return self.parse_move(" ".join(words[:used])), used
            except IllegalMove as error:
                refused = refused or error
        assert refused is not None
        raise refused


#: The contract's methods and class attributes, by name.
HOOKS = hooks_of(State)
FACTS = facts_of(State)

#: The types of fields that compiled code can hold, alone or as items of a tuple of fixed length.
_KINDS = (Bitboard, int, bool)

C = TypeVar("C", bound=type)


@overload
@dataclass_transform(frozen_default=True)
def game(cls: C, /) -> C: ...


@overload
@dataclass_transform(frozen_default=True)
def game(*, compiled: bool = True) -> Callable[[C], C]: ...


def game(cls: C | None = None, /, *, compiled: bool = True) -> C | Callable[[C], C]:
    """Make a game of a plain class: its annotated names become the fields, its methods the rules.

    The class becomes a subclass of `State`. It may also name `State` as its base, so that type checkers know the
    inherited methods.

    Parameters
    ----------
    compiled : bool
        Whether searches compile the rules. False: the rules may use all of Python, fields may have any type, moves may
        be any hashable objects, and all searches run interpreted. A class with a field of a type that cannot be
        compiled, such as `str` or `dict`, is interpreted in any case; the first search says so on stderr.

    Raises
    ------
    GameError
        If the class breaks the contract: a required method is missing, a method has wrong parameters, a field has a
        wrong type or a name of the contract, or a fact is out of range. Names the method, field or fact, and what was
        expected.

    See Also
    --------
    zermelo.testing.check_game : Checks how a game behaves.

    Examples
    --------
    >>> import zermelo
    >>> @zermelo.game(compiled=False)
    ... class Ghost:
    ...     word: str = ""
    ...     turn: int = zermelo.MAX
    ...
    ...     def to_move(self):
    ...         return self.turn
    ...
    ...     def moves(self):
    ...         return [letter for letter in "ab" if len(self.word) < 3]
    ...
    ...     def play(self, move):
    ...         return Ghost(self.word + move, -self.turn)
    ...
    ...     def is_over(self):
    ...         return len(self.word) == 3
    ...
    ...     def utility(self):
    ...         return 1 if self.word == "aba" else -1
    >>> zermelo.analyse(Ghost(), exact=True).line
    ('a', 'a', 'a')
    """
    if cls is None:
        return lambda each: _make_game(each, compiled)
    return _make_game(cls, compiled)


def _make_game(cls: C, compiled: bool) -> C:
    made: Any = make_value(cls, State, _KINDS, GameError, any_kind=True)
    others = [field for field in made.fields if not is_kind(field.kind, _KINDS)]
    made.is_compiled = compiled and not others and all(getattr(base, "is_compiled", True) for base in cls.__mro__)
    if compiled and others:
        made.why_interpreted = ", ".join(f"{field.name} is {field.described}" for field in others)
    check_declarations(made, State)
    name = cls.__name__
    if made.draw_at_repetition == 1:
        raise GameError(f"{name}.draw_at_repetition is 1; it must be at least 2, or 0 for never")
    if made.game_over_at_repetition and not 0 < made.draw_at_repetition <= made.game_over_at_repetition:
        raise GameError(
            f"{name}: draw_at_repetition ({made.draw_at_repetition}) must be in 1 .. game_over_at_repetition "
            f"({made.game_over_at_repetition}): a draw can be claimed no later than the game ends"
        )
    if not made.perfect_information and made.information_state is State.information_state:
        hook = HOOKS["information_state"]
        raise GameError(f"{name} has perfect_information = False but no method {hook.signature}: {hook.summary}")
    if made.perfect_information and not made.perfect_recall:
        raise GameError(
            f"{name}.perfect_recall = False is for games with hidden information; declare perfect_information = False "
            "as well"
        )
    _check_evaluations(made)
    _check_strategies(made)
    if not made.fields:
        raise GameError(f"{name} has no fields; annotate what a position consists of, such as turn: int = MAX")
    if not made.is_compiled:
        _identify_by_key(made)
    elif "key" not in vars(made):
        made.key = _key_method(made)
    return cast(C, made)


def _identify_by_key(made: Any) -> None:
    """Let the states of an interpreted game be compared and hashed by `key`, whose default is the tuple of fields."""
    if made.key is State.key:
        made.key = _fields_key
    if made.key is not _fields_key:
        made.__eq__ = lambda self, other: self.__class__ is other.__class__ and self.key() == other.key()
        made.__hash__ = lambda self: hash(self.key())


def _fields_key(self: State) -> tuple[Any, ...]:
    """The fields: equal for equal states only."""
    return tuple(self)


def key_function(game: type[State]) -> Callable[[State], Any]:
    """Return the function that gives interpreted code the hashable identity of a state.

    It is `tuple`, which is much faster than `State.key` of a compiled game, unless an interpreted game defines its own
    `key`.
    """
    own: Any = game.key
    return tuple if game.is_compiled or own is _fields_key else own


def is_hashable(value: object) -> bool:
    """Whether `hash` accepts a value and all that it contains."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def wrong_move(game: type[State], move: object) -> str:
    """Return what a move must be if this object cannot be a move of the game; an empty text if it can.

    A move is an int in 0 .. `LARGEST_MOVE`; in interpreted games any hashable object but None.
    """
    if game.is_compiled:
        if is_int(move) and 0 <= cast(int, move) <= LARGEST_MOVE:
            return ""
        wanted = f"an int in 0 .. {LARGEST_MOVE}"
        return wanted if isinstance(move, int) else f"{wanted}; with @game(compiled=False) any hashable object"
    if move is None or not is_hashable(move):
        return "hashable, and not None, such as a tuple or a str"
    return ""


def _check_evaluations(made: type[State]) -> None:
    name, evaluations = made.__name__, cast(Any, made.evaluations)
    if not isinstance(evaluations, Mapping):
        raise GameError(f"{name}.evaluations must be a dict of evaluations by name, such as {{'material': Material()}}")
    if not isinstance(cast(Any, made.selective_parameters), Mapping):
        raise GameError(
            f"{name}.selective_parameters must be a dict of parameters by name, such as {{'futility_margin': 2}}"
        )
    selective = made.selective_evaluation
    if selective not in ("", *evaluations):
        raise GameError(
            f"{name}.selective_evaluation is {selective!r}; it must name an evaluation of the game: "
            f"{', '.join(evaluations)}"
        )
    if isinstance(evaluations, EvaluationFiles):
        evaluations.belong_to(made)
        evaluations = evaluations.given
    for key, value in evaluations.items():
        if isinstance(value, type) and issubclass(value, Evaluation):
            raise GameError(f"{name}.evaluations[{key!r}] is a class; write {value.__name__}()")
        if not isinstance(value, Evaluation):
            raise GameError(f"{name}.evaluations[{key!r}] is {value!r}; it must be a value of a class with @evaluation")


def _check_strategies(made: type[State]) -> None:
    strategies = cast(Any, made.strategies)
    if not isinstance(strategies, Mapping) or not all(
        isinstance(name, str) and is_plain(name) and callable(strategy) for name, strategy in strategies.items()
    ):
        raise GameError(
            f"{made.__name__}.strategies is {strategies!r}; expected a dict of functions by plain names, such as "
            "{'greedy': greedy_move}"
        )


def hash_text(text: str) -> int:
    """Return a 64-bit hash of a text: the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


# Odd multipliers with well spread bits: 2**64 / golden ratio, and one of the MurmurHash and SplitMix family.
_SPREAD = Bitboard(0x9E3779B97F4A7C15)
_STIR = Bitboard(0xD6E8FEB86659FD93)


def hash_combine(key: Bitboard, word: int) -> Bitboard:
    """Add a word to a 64-bit hash, which depends on the order of the words.

    Two words that come after each other are two multiplications apart, each folded. One is not enough: the highest bit
    of a word changes only the highest bit of the product, and two bits once it is folded, so that a next word which
    differs in these two would undo it (a queen that captures on h8 from h4). And without the first one, `key` and
    `word` could change places. Begin with a constant or a word whose highest bit never changes alone.
    """
    mixed = key * _STIR
    mixed = (mixed ^ (mixed >> 32) ^ Bitboard(word)) * _SPREAD
    return mixed ^ (mixed >> 29)


def _key_method(made: type[Value]) -> Callable[[State], Bitboard]:
    """Generate `key(self)`: a 64-bit hash of all fields."""
    lines = ["def key(self):", "    mixed = _SPREAD"]
    for field in made.fields:
        indent, item = ("        ", "item") if field.length else ("    ", f"self.{field.name}")
        if field.length:
            lines.append(f"    for item in self.{field.name}:")
        words = [f"int({item})" if field.kind is bool and not field.length else item]
        size = getattr(field.kind, "size", WORD)
        if size > WORD:  # a wide Bitboard: its 64-bit words
            words = [f"Bitboard({item} >> {low})" for low in range(0, size, WORD)]
        lines += [f"{indent}mixed = hash_combine(mixed, {word})" for word in words]
    lines += ["    return mixed"]
    scope: dict[str, Any] = {
        "hash_combine": hash_combine, "Bitboard": Bitboard, "_SPREAD": _SPREAD, "__name__": __name__
    }  # fmt: skip
    exec("\n".join(lines), scope)
    method: Callable[[State], Bitboard] = scope["key"]
    method.__qualname__ = f"{made.__name__}.key"
    return method
