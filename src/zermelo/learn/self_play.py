"""Self-play for learning: games from random openings whose positions are labelled by the searches that play them.

    opening            middle game                              ending
    random moves       search to a depth; its score is          solved backwards from the end, position by position,
                       the label, its best move is played       as long as that takes few nodes

A GTP engine may play the games instead of the searches; the labels are then the results of the games.

Each game follows from the seed and its number alone, unless a teacher's answers differ from time to time. So the
positions do not depend on how the games are distributed.

References
----------
- M. Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for Othello", 1997: fits pattern
  weights to positions with solved endgames.
- J. Veness et al., "Bootstrapping from game tree search", NIPS 2009: fits weights to search scores.
"""

from __future__ import annotations

import hashlib
import json
import random
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from zermelo._util.user_files import shown_path
from zermelo.compiled import native
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import PositionHistory, allowed_moves, can_claim_draw, has_history_rules
from zermelo.core.network import Network
from zermelo.core.patterns import Patterns
from zermelo.core.weight_file import file_digest, load_weights
from zermelo.errors import LimitError, ZermeloError
from zermelo.learn.features import are_over, stages_of
from zermelo.learn.gtp_teacher import GtpTeacher
from zermelo.learn.position_file import (
    Array,
    batch_bytes,
    read_states,
    state_of_words,
    state_words,
    words_of_state,
)
from zermelo.learn.teachers import teacher
from zermelo.search.position_search import Found, PositionSearch, check_searchable
from zermelo.search.selective import check_confidence

T = TypeVar("T")
#: The words of a position, and its columns in the order of `position_file.COLUMNS`.
Row: TypeAlias = "tuple[list[int], tuple[int, ...]]"
#: Games of one task: long enough that a task's message costs nothing, short enough for progress.
BATCH = 8
#: Most plies of a game: a position's ply has 16 bits.
MAX_PLIES = 10_000
#: Most plies of a search.
MAX_DEPTH = 60


@dataclass(frozen=True)
class SelfPlay:
    """Options of self-play.

    Parameters
    ----------
    game : str
        Name of the game, or path/to/game.py:Class.
    games : int
        Number of games, at least 1.
    evaluation : str, optional
        Evaluation of the searches; by default the game's first.
    weights : str, optional
        Weight file for this evaluation; by default its own weights.
    depths : tuple of int
        Depths of the searches, in plies; each game has one of them.
    confidence : int
        Confidence in percent of ProbCut in the searches; 100: no ProbCut.
    random_plies : tuple of int and int
        Least and greatest number of random moves at the start of a game.
    mix : float
        Probability of a random move later on, from 0 to 1.
    solve_plies : int
        Number of positions at the end of each game that are solved.
    solve_nodes : int
        Nodes that solving a position may take; the positions before one that takes more are not solved. Where results
        are graded, other positions are solved as well if a search finds a win but not its size; they are left out if
        that takes more nodes.
    positions : int
        Number of positions sampled from each game; 0: all.
    seed : int
        Seed of all random choices.
    max_plies : int
        A longer game is a draw.
    resign : int
        A game is over once a search's score is at least this for one side, which wins; 0: never.
    teacher : str
        Program whose scores or games are the labels, instead of the searches'; see `zermelo.learn.teachers`.
    start : str, optional
        Position file, or text with a position in each line; each game starts from one of its positions, chosen at
        random. By default games start as usual.
    start_stages : tuple of int
        Use only its positions of these stages; (): all. The stages are those of `evaluation` if it has any, else
        those of the game's first evaluation that has some.

    Raises
    ------
    LimitError
        A value is out of range.
    """

    game: str
    games: int
    evaluation: str | None = None
    weights: str | None = None
    depths: tuple[int, ...] = (4,)
    confidence: int = 100
    random_plies: tuple[int, int] = (8, 8)
    mix: float = 0.0
    solve_plies: int = 0
    solve_nodes: int = 1_000_000
    positions: int = 0
    seed: int = 0
    max_plies: int = 1000
    resign: int = 0
    teacher: str = ""
    start: str | None = None
    start_stages: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("depths", "random_plies", "start_stages"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name, least in (
            ("games", 1), ("positions", 0), ("solve_plies", 0), ("solve_nodes", 1), ("max_plies", 1), ("resign", 0)
        ):  # fmt: skip
            if getattr(self, name) < least:
                raise LimitError(f"{name} must be at least {least} (got {getattr(self, name)})")
        if self.max_plies > MAX_PLIES:
            raise LimitError(f"max_plies must be at most {MAX_PLIES:,} (got {self.max_plies:,})")
        if not self.depths or not 1 <= min(self.depths) <= max(self.depths) <= MAX_DEPTH:
            raise LimitError(f"depths must be from 1 to {MAX_DEPTH} (got {', '.join(map(str, self.depths)) or 'none'})")
        check_confidence(self.confidence)
        if not 0 <= self.random_plies[0] <= self.random_plies[1]:
            raise LimitError("random_plies must be two numbers from 0 on, the smaller one first")
        if not 0 <= self.mix <= 1:
            raise LimitError(f"mix must be from 0 to 1 (got {self.mix:g})")
        if self.start_stages and self.start is None:
            raise LimitError("start_stages needs start")
        if min(self.start_stages, default=0) < 0:
            raise LimitError(f"start_stages must be at least 0 (got {min(self.start_stages)})")

    def as_dict(self) -> dict[str, Any]:
        """Return the options as stored with positions; older files do not have those about start positions."""
        options = asdict(self)
        if self.start is None:
            del options["start"], options["start_stages"]
        return options

    def digest(self) -> str:
        """Return the digest of the weight file; empty without one."""
        return file_digest(self.weights) if self.weights else ""

    @cached_property
    def start_states(self) -> Array | None:
        """The words of the states that games can start from; None: they start as usual.

        Raises
        ------
        FileError, FormatError, PositionError
            The file cannot be read, or a line of text is not a position.
        LimitError
            `start_stages` has a number that is not a stage of the evaluation.
        ZermeloError
            No evaluation of the game has stages, or no position is left.
        """
        if self.start is None:
            return None
        from zermelo import registry

        cls = registry.load(self.game)
        states = read_states(self.start, cls)
        chosen = ~are_over(cls, states)
        if self.start_stages:
            chosen &= np.isin(stages_of(self._staged(cls), cls, states), self.start_stages)
        if not chosen.any():
            wanted = f" of stage {' or '.join(map(str, self.start_stages))}" if self.start_stages else ""
            raise ZermeloError(f"{shown_path(self.start)} has no position{wanted} to start from")
        return states[chosen]

    def _staged(self, cls: type[State]) -> Network | Patterns:
        """The evaluation whose stages `start_stages` are."""
        named = [] if self.evaluation is None else [resolve_evaluation(cls.start(), self.evaluation)]
        for each in (*named, *cls.evaluations.values()):
            if isinstance(each, (Network, Patterns)) and each.stages > 1:
                if max(self.start_stages) >= each.stages:
                    raise LimitError(f"start_stages must be from 0 to {each.stages - 1} (got {max(self.start_stages)})")
                return each
        raise ZermeloError(f"no evaluation of {cls.__name__} has stages, so start_stages cannot be used")

    def tasks(self, first: int = 0) -> Iterator[str]:
        """Yield the data of a task for each batch of games, from batch number `first` on.

        The start states are in the tasks, so workers need no position file.
        """
        options, states = self.as_dict() | {"digest": self.digest()}, self.start_states
        for start in range(first * BATCH, self.games, BATCH):
            last = min(start + BATCH, self.games)
            task = {**options, "first": start, "last": last}
            if states is not None:
                numbers = [_Beginning(self, number, len(states)).place for number in range(start, last)]
                task |= {"places": len(states), "starts": states[numbers].tolist()}
            yield json.dumps(task)


class _Beginning:
    """What is drawn first for a game: its depth, its number of random moves, and which of `count` states is its first.

    `source` then gives the game's other random numbers.
    """

    def __init__(self, plan: SelfPlay, number: int, count: int) -> None:
        self.source = random.Random(_seed_of(plan.seed, number))
        self.depth = self.source.choice(plan.depths)
        self.opening = self.source.randint(*plan.random_plies)
        self.place = self.source.randrange(count) if count else 0


def play_games(data: str) -> str:
    """Perform a task: play a batch of games; return the number of positions and their bytes in base64, as JSON."""
    options: dict[str, Any] = json.loads(data)
    first, last, digest = options.pop("first"), options.pop("last"), options.pop("digest")
    places, starts = options.pop("places", 0), options.pop("starts", [])
    player = _player(SelfPlay(**options), digest)
    rows = [
        row
        for number in range(first, last)
        for row in player.play(number, places, starts[number - first] if starts else None)
    ]
    return json.dumps([len(rows), b64encode(batch_bytes(rows)).decode()])


@cache
def _player(plan: SelfPlay, digest: str) -> _GamePlayer:
    """Return the player of this process for a plan and the digest of its weight file; it is made once.

    Raises
    ------
    ZermeloError
        The weight file has changed.
    """
    if plan.digest() != digest:
        raise ZermeloError(f"{plan.weights} changed during self-play; restore it, or start again with --force")
    return _GamePlayer(plan)


def evaluation_of(cls: type[State], name: str | None, weights: str | None) -> Evaluation:
    """The evaluation of a name, with the weights of a file if one is given."""
    found = resolve_evaluation(cls.start(), name)
    return found if weights is None else load_weights(weights, cls, type(found))[0]


class _GamePlayer:
    """Plays the games of a plan."""

    def __init__(self, plan: SelfPlay) -> None:
        from zermelo import registry

        self.plan = plan
        cls = registry.load(plan.game)
        self.start = start = cls.start()
        state_words(cls)
        check_searchable(start)
        self.evaluation = evaluation_of(cls, plan.evaluation, plan.weights)
        self.search = PositionSearch(start, self.evaluation, plan.confidence)
        found = teacher(plan.teacher, cls) if plan.teacher else None
        #: A GTP engine that plays the games instead of a search; the labels are then their results.
        self.mover = found if isinstance(found, GtpTeacher) else None
        self.teacher = None if isinstance(found, GtpTeacher) else found
        self._advance = native(_advance, start, 0)
        self._count_moves = native(_count_moves, start)
        self._nth_child = native(_nth_child, start, 0)

    def play(self, number: int, places: int = 0, words: list[int] | None = None) -> list[Row]:
        """Play a game; return its positions, each with the columns of `position_file.COLUMNS`.

        It starts from the state with the given words, one of `places`.
        """
        begin = _Beginning(self.plan, number, places)
        source, depth, opening = begin.source, begin.depth, begin.opening
        start = self.start if words is None else state_of_words(words, type(self.start))
        self.search.clear()
        states, moves, found, utility = self._moves(source, start, depth, opening)
        if self.teacher is not None:
            return self._taught(source, number, opening, states, moves, utility)
        solved, utility = self._solved(states, moves, utility)
        self._solve_wins(states, found, solved, utility)
        rows: list[Row] = []
        for ply, state in enumerate(states):
            label = solved.get(ply) or found.get(ply)
            if label is not None:
                result = label.score if ply in solved else utility
                searched = 0 if ply in solved or self.mover is not None else depth
                score = result if self.mover is not None else label.score
                columns = (score, int(label.is_exact), result, ply, number, searched, label.best, moves[ply])
                rows.append((words_of_state(state), columns))
        return self._sampled(source, rows)

    def _sampled(self, source: random.Random, rows: list[T]) -> list[T]:
        """As many of the rows of a game as the plan wants, in order."""
        if not 0 < self.plan.positions < len(rows):
            return rows
        return [rows[index] for index in sorted(source.sample(range(len(rows)), self.plan.positions))]

    def _taught(
        self, source: random.Random, number: int, opening: int, states: list[State], moves: list[int], utility: int
    ) -> list[Row]:
        """The positions of a game with the teacher's labels, and others that the teacher labels.

        They begin after the opening's random moves. In games of chance they are those before chance events, but for the
        first state, and those after one random move at each turn.
        """
        assert self.teacher is not None
        first = 1 if self.teacher.labels_random_moves else opening
        asked: list[tuple[int, Any, int]] = []
        for ply, state in enumerate(states):
            is_chance = state.to_move() == CHANCE
            if ply >= first and is_chance == state.has_chance:
                asked.append((ply, state, moves[ply]))
            if self.teacher.labels_random_moves and not is_chance:
                child, is_over = self._nth_child(state, source.randrange(self._count_moves(state)))
                if not is_over:
                    asked.append((ply + 1, child, -1))
        asked = self._sampled(source, asked)
        labels = self.teacher.labels([state for _, state, _ in asked], self.evaluation)
        return [
            (
                words_of_state(each.state),
                (each.score, 0, utility, ply + (place > 0), number, 0, each.best, -1 if place else played),
            )
            for (ply, _, played), found in zip(asked, labels, strict=True)
            for place, each in enumerate(found)
        ]

    def _moves(
        self, source: random.Random, state: State, depth: int, opening: int
    ) -> tuple[list[State], list[int], dict[int, Found], int]:
        """Play from a state to the end; return the states, the moves, what was found at which ply, and the utility."""
        plan = self.plan
        keeps_history = has_history_rules(state)
        before = PositionHistory()
        current = PositionHistory([state])
        states: list[State] = []
        moves: list[int] = []
        found: dict[int, Found] = {}
        is_over, utility, winner = state.is_over(), 0, 0
        if self.mover is not None:
            self.mover.new_game()
        while not is_over and len(states) < plan.max_plies:
            if state.has_chance and state.to_move() == CHANCE:
                outcomes = list(state.outcomes())
                move = source.choices([each for each, _ in outcomes], [weight for _, weight in outcomes])[0]
            else:
                is_random = len(states) < opening or source.random() < plan.mix
                if is_random:
                    move = source.choice(allowed_moves(state, before))
                    if self.mover is not None:
                        self.mover.play(state, move)
                elif self.mover is not None:
                    move = self.mover.choose(state, before)
                    found[len(states)] = Found(0, False, move)
                else:
                    label = self.search.search(state, depth, before)
                    found[len(states)] = label
                    move = label.best
                    if 0 < plan.resign <= abs(label.score) and not label.is_exact:
                        winner = MAX if label.score > 0 else MIN
            states.append(state)
            moves.append(move)
            state, is_over, utility, key = self._advance(state, move)
            if keeps_history:
                before = current.copy()
                if can_claim_draw(state, current.push(state, int(key))) and not is_over:
                    is_over, utility = True, 0
            if winner and not is_over:
                is_over, utility = True, winner * state.max_utility
        return states, moves, found, int(utility) if is_over else 0

    def _solved(self, states: list[State], moves: list[int], utility: int) -> tuple[dict[int, Found], int]:
        """Solve the last positions, backwards; return what was found at which ply, and the value of the first one."""
        solved: dict[int, Found] = {}
        if has_history_rules(self.start) or self.start.has_chance:
            return solved, utility
        for ply in range(len(states) - 1, max(len(states) - 1 - self.plan.solve_plies, -1), -1):
            found = self.search.solve(states[ply], utility, self.plan.solve_nodes)
            if found is None:
                break
            solved[ply], utility = found, found.score
        return solved, utility

    def _solve_wins(self, states: list[State], found: dict[int, Found], solved: dict[int, Found], utility: int) -> None:
        """Solve the positions whose searches found a win of unknown size; remove those that take too many nodes.

        Where results are graded, a search can prove that a side wins by at least some number of discs. The score of
        these wins, 999,999, is not an estimate of that number.
        """
        if self.start.max_utility == 1:  # all wins have the same utility
            return
        is_solvable = not has_history_rules(self.start)
        for ply in [ply for ply, each in found.items() if each.is_unproven_win and ply not in solved]:
            exact = self.search.solve(states[ply], utility, self.plan.solve_nodes) if is_solvable else None
            if exact is None:
                del found[ply]
            else:
                solved[ply] = exact


def _advance(state: State, move: int) -> tuple[State, bool, int, Bitboard]:
    """The state after a move, whether the game is over, its utility, and its repetition key if rules need it."""
    child = state.play(move)
    is_over = child.is_over()
    key = Bitboard(child.repetition_key()) if has_history_rules(child) else Bitboard(0)
    return child, is_over, child.utility() if is_over else 0, key


def _count_moves(state: State) -> int:
    count = 0
    for _ in state.moves():
        count += 1
    return count


def _nth_child(state: State, number: int) -> tuple[State, bool]:
    """The state after a move by its number in the list of moves, and whether the game is over."""
    for move in state.moves():
        if number == 0:
            child = state.play(move)
            return child, child.is_over()
        number -= 1
    return state, True


def _seed_of(*parts: int) -> int:
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "big")
