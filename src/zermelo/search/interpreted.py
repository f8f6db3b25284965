"""The engine's search in plain Python, for states and moves of any type.

It computes the same scores as the compiled search (`zermelo.search.kernel`) with the parts that pay for themselves in
Python: alpha-beta with null windows, a transposition table in a dict, killer moves, the history heuristic and
quiescence search. `RootSearch` adds iterative deepening, lines and limits to either of them. It searches

- interpreted games, whose states or moves cannot be compiled;
- compiled games, while their machine code is still being made.

What costs time in Python is calls, attributes and objects. So leaves are scored in their parent's loop, with what they
need in local variables, and the table's keys are plain tuples, which are hashed and compared in C. Draws by rule depend
on the moves before a state: in games with these the table only orders moves.

References
----------
- D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
- S. G. Akl and M. M. Newborn, "The Principal Continuation and the Killer Heuristic", ACM 1977.
- J. Schaeffer, "The History Heuristic", ICCA Journal 6, 1983.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import islice
from typing import Any

from zermelo.compiled.cache import announce
from zermelo.core.evaluation import LARGEST_SCORE, Evaluation, Nothing, checked_score, rounded_div
from zermelo.core.game import CHANCE, MIN, State, key_function
from zermelo.core.history import PositionHistory, has_history_rules, utility_by_rule
from zermelo.search.context import MAX_PLY, NO_ERROR, NO_LIMIT, UNLIMITED_DEPTH
from zermelo.search.kernel.leaves import MAX_QUIESCENCE_PLIES
from zermelo.search.scores import LIMIT, Scale, bound_of, finished_score, grain_of, ranked_score
from zermelo.search.selective import Selective
from zermelo.search.table import EXACT, LOWER, UPPER, from_entry, parse_size, to_entry
from zermelo.search.threads import NoMoves, Overflow

# Approximate bytes of a table entry: the dict's slot, the entry, and a key that holds a board.
ENTRY_BYTES = 500
# Nodes between two checks of the stop flag: about a millisecond.
POLL_INTERVAL = 200
# Below this depth searching a state again is faster than looking it up.
MIN_TABLE_DEPTH = 2
# The depth of an entry whose score is of another scale: only its move is used.
NO_DEPTH = -1000


@cache
def note_interpreted(game: type[State]) -> None:
    """Report once that a game cannot be compiled, unless its class says so itself."""
    if game.why_interpreted:
        announce(
            f"zermelo: {game.__name__} is searched in plain Python, since compiled code has no type for some fields: "
            f"{game.why_interpreted} (@game(compiled=False) says that this is intended)"
        )


class _Stop(Exception):
    """Unwinds the search when a limit is reached."""


class InterpretedContext:
    """Counters, limits and results of the interpreted search; the counterpart of `SearchContext`."""

    def __init__(self) -> None:
        self.nodes = self.next_poll = self.horizon_nodes = 0
        self.node_limit = NO_LIMIT
        self.stop = self.stopped = self.rounded = False
        self.error = NO_ERROR
        self.best_score = 0
        self.line: tuple[Any, ...] = ()
        self.excluded: frozenset[Any] = frozenset()
        self._best: list[Any] = []
        self._first: list[Any] = []

    def begin(self, excluded: Sequence[Any]) -> None:
        """Reset the results, and set the root moves that are not searched."""
        self.excluded = frozenset(excluded)
        self.reset_results()
        self.stop = False

    def reset_results(self) -> None:
        """Reset the results, but not the stop flag, which may end several searches."""
        self.horizon_nodes = 0
        self.line = ()
        self._best, self._first = [], []

    def record_first(self, move: Any) -> None:
        """Record the first root move."""
        self._first = [move]

    def record_best(self, move: Any, score: int) -> None:
        """Record the best root move so far, with its score from MAX's side."""
        self._best, self.best_score = [move], score

    def best_moves(self) -> Sequence[Any]:
        """The best root move so far, alone in a sequence; empty if there is none yet."""
        return self._best

    def first_moves(self) -> Sequence[Any]:
        """The root move that was searched first, alone in a sequence; empty if there is none yet."""
        return self._first

    def principal_variation(self) -> tuple[Any, ...]:
        """The line of the last search from the root; empty if no score was inside the window."""
        return self.line


class InterpretedMemory:
    """Transposition table and context of the interpreted search, kept from one search to the next.

    Parameters
    ----------
    table : str or int
        Size of the transposition table in bytes; entries are counted with 500 bytes each.
    """

    def __init__(self, table: str | int) -> None:
        self.capacity = max(parse_size(table) // ENTRY_BYTES, 2)
        self.table: dict[Any, tuple[int, int, int, Any, bool]] = {}
        self.contexts = [InterpretedContext()]
        self._scored_by: tuple[Any, ...] | None = None
        self._scale = Scale(0, 1, 0)
        self._evaluation: Evaluation = Nothing()
        self._history: PositionHistory = PositionHistory()

    def free(self) -> None:
        """Release the table and the context."""
        self.table, self.contexts = {}, []

    @property
    def nodes(self) -> int:
        """States visited since `begin_search`."""
        return sum(ctx.nodes for ctx in self.contexts)

    @property
    def fullness(self) -> float:
        """Fraction of the table in use, 0 to 1."""
        return len(self.table) / self.capacity

    @property
    def has_rounded(self) -> bool:
        """Whether a mean over chance was rounded, in this search or in one whose table entries are still valid."""
        return any(ctx.rounded for ctx in self.contexts)

    def prepare(self, state: State, evaluation: Evaluation, selective: Selective | None = None) -> None:
        """Nothing needs to be compiled."""

    def begin_search(self, state: State, history: Sequence[State] | PositionHistory) -> None:
        """Reset counters, flags and move ordering, and record the game before the root."""
        past = history if isinstance(history, PositionHistory) else PositionHistory(history)
        self._history = past
        self._killers: list[list[Any]] = [[] for _ in range(MAX_PLY + 2)]
        self._cutoffs: dict[int, dict[Any, int]] = {1: defaultdict(int), -1: defaultdict(int)}
        for ctx in self.contexts:
            ctx.nodes = 0
            ctx.stop = ctx.stopped = False

    def use_endgames(self, table: object) -> None:
        """Interpreted searches ask endgame tables at the root only."""

    def begin_scale(self, state: State, scale: Scale, evaluation: Evaluation, scored_by: tuple[Any, ...]) -> None:
        """Set the scale of scores. Entries of another game, evaluation or scale keep their moves only."""
        self._scale, self._evaluation = scale, evaluation
        if scored_by == self._scored_by:
            return
        is_same_game = self._scored_by is not None and self._scored_by[0] is scored_by[0]
        kept = self.table.items() if is_same_game else ()
        self.table = {key: (NO_DEPTH, EXACT, 0, entry[3], False) for key, entry in kept}
        self._scored_by = scored_by
        for ctx in self.contexts:
            ctx.rounded = False

    def begin_proof(self) -> None:
        """Begin a proof; this search gives up nothing anyway."""

    def end_proof(self) -> None:
        """End a proof."""

    def calls(self, state: State, evaluation: Evaluation, depth: int, alpha: int, beta: int) -> list[Callable[[], int]]:
        """Return the calls that search the state, one for each context."""
        kind = SearchUnderRules if has_history_rules(state) else InterpretedSearch
        return [partial(kind(self, ctx, state, depth).run, state, depth, alpha, beta) for ctx in self.contexts]

    def make_room(self) -> None:
        """Drop the older half of a full table."""
        for key in list(islice(self.table, len(self.table) // 2)):
            del self.table[key]


class InterpretedSearch:
    """One search of a state to a depth; its methods return fail-soft scores from MAX's side.

    Parameters
    ----------
    memory : InterpretedMemory
        Table, move ordering, scale and evaluation.
    ctx : InterpretedContext
        Limits and results.
    root : State
        The state that is searched.
    depth : int
        Depth in plies.
    """

    def __init__(self, memory: InterpretedMemory, ctx: InterpretedContext, root: State, depth: int) -> None:
        scale, evaluation = memory._scale, memory._evaluation
        self.memory, self.ctx, self.evaluation = memory, ctx, evaluation
        self.table, self.key_of, self.positions = memory.table, key_function(type(root)), memory._history.copy()
        self.killers, self.cutoffs = memory._killers, memory._cutoffs
        self.base, self.unit, self.step = base, unit, step = scale
        # Facts of the game. Bounds and candidates hold for searches to the end of the game only.
        is_to_the_end = depth == UNLIMITED_DEPTH and step == 0
        self.has_ranked_bounds = root.has_ranked_bounds and depth == UNLIMITED_DEPTH
        self.has_rules, self.has_move_score = has_history_rules(root), root.has_move_score
        self.cheap_move_scores, self.has_in_check = root.cheap_move_scores, root.has_in_check
        self.has_tactical_moves = root.has_tactical_moves
        self.has_bounds = root.has_bounds and is_to_the_end
        self.has_candidates = root.has_candidates and (is_to_the_end or self.has_ranked_bounds)
        self.has_canonical = root.has_canonical and depth == UNLIMITED_DEPTH and not has_history_rules(root)
        self.has_candidate_score = root.has_candidate_score and depth == UNLIMITED_DEPTH
        # Leaves are scored in the loop over their parent's moves, where neither a rule nor a search follows.
        self.has_plain_leaves = not (self.has_rules or root.has_chance or root.has_tactical_moves)
        self.score_leaf = None if type(evaluation) is Nothing else evaluation.score
        self.largest = min(evaluation.largest_score, LARGEST_SCORE)
        self.grain = grain_of(scale, evaluation) if root.has_chance else 1
        plies = range(MAX_PLY + 2)
        #: The principal variation from each ply, and the largest score of a state there.
        self.lines: list[tuple[Any, ...]] = [() for _ in plies]
        self.ceilings = [LIMIT for _ in plies]
        if root.has_chance:
            self.ceilings = [min(bound_of(root, scale, evaluation), LIMIT) for _ in plies]
        elif depth == UNLIMITED_DEPTH or base > 0:
            self.ceilings = [finished_score(root.max_utility, ply + 1, base, unit, step) for ply in plies]
        self.nodes, self.horizon_nodes, self.chance_depth, self.poll = ctx.nodes, 0, 0, 0

    def run(self, root: State, depth: int, alpha: int, beta: int) -> int:
        """Search the root in a window and note what was found in the context."""
        try:
            return self.search(root, depth, alpha, beta, 0)
        except _Stop:
            self.ctx.stopped = True
            return 0
        finally:
            self.ctx.nodes, self.ctx.horizon_nodes, self.ctx.line = self.nodes, self.horizon_nodes, self.lines[0]

    def check_limits(self) -> None:
        """Stop at a limit, and set when to check again."""
        ctx = self.ctx
        if self.nodes > ctx.node_limit:
            self.nodes -= 1  # the node above the limit is not visited
            raise _Stop
        if ctx.stop:
            raise _Stop
        ctx.nodes = self.nodes
        self.poll = min(self.nodes + POLL_INTERVAL, ctx.node_limit + 1)

    def search(self, state: State, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Search a state in the window (alpha, beta), `ply` from the root."""
        self.nodes += 1
        if self.nodes >= self.poll:
            self.check_limits()
        self.lines[ply] = ()
        if state.is_over():
            return finished_score(state.utility(), ply, self.base, self.unit, self.step)
        if ply >= MAX_PLY:
            raise Overflow
        side = state.to_move()
        if depth <= 0:
            self.horizon_nodes += 1
            if not self.has_tactical_moves or depth <= -MAX_QUIESCENCE_PLIES or side == CHANCE:
                return self.static_score(state)
        ceiling = self.ceilings[ply]
        if alpha >= ceiling:
            return ceiling
        if beta <= -ceiling:
            return -ceiling
        if self.has_bounds and ply:
            least, most = state.bounds()
            score = finished_score(least, ply, self.base, self.unit, self.step)
            if score >= beta:
                return score
            score = finished_score(most, ply, self.base, self.unit, self.step)
            if score <= alpha:
                return score
        if self.has_ranked_bounds and ply:
            least, most = state.ranked_bounds()
            score = ranked_score(least, ply, self.base, self.unit, self.step)
            if score >= beta:
                return score
            score = ranked_score(most, ply, self.base, self.unit, self.step)
            if score <= alpha:
                return score
        if depth < MIN_TABLE_DEPTH:
            return self.expand(state, side, (), depth, alpha, beta, ply)[0]
        return self.visit_with_table(state, side, depth, alpha, beta, ply)

    def visit_with_table(self, state: State, side: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Look a state up in the transposition table; search it and save its score if that does not suffice."""
        key, table = self.key_of(state), self.table
        table_move: tuple[Any, ...] = ()
        entry = table.get(key)
        if entry is not None:
            known_depth, kind, score, table_move, solved = entry
            # Scores only off the principal variation, which they would cut short.
            if (
                (known_depth == depth or (solved and depth >= known_depth > NO_DEPTH))
                and (beta - alpha <= 1 or self.chance_depth)
                and not self.has_rules
            ):
                if self.base and not -self.base <= score <= self.base:
                    score = from_entry(score, ply, self.base, self.step)
                if kind == EXACT or (score >= beta if kind == LOWER else score <= alpha):
                    if not solved:
                        self.horizon_nodes += 1
                    return score
        horizon_before = self.horizon_nodes
        score, best_move = self.expand(state, side, table_move, depth, alpha, beta, ply)
        if side == CHANCE:
            table[key] = (depth, EXACT, score, (), self.horizon_nodes == horizon_before)
        elif ply or not self.ctx.excluded:
            kind = LOWER if score >= beta else UPPER if score <= alpha else EXACT
            is_win = self.base and not -self.base <= score <= self.base
            stored = to_entry(score, ply, self.base, self.step) if is_win else score
            if len(table) >= self.memory.capacity:
                self.memory.make_room()
            table[key] = (depth, kind, stored, best_move, self.horizon_nodes == horizon_before)
        return score

    def expand(
        self, state: State, side: int, table_move: tuple[Any, ...], depth: int, alpha: int, beta: int, ply: int
    ) -> tuple[int, tuple[Any, ...]]:
        """Search the moves of a state. Returns its score and the best move, if there is one."""
        if side == CHANCE:
            return self.mean_of(state, depth if depth == UNLIMITED_DEPTH else depth - 1, ply), ()
        # Negamax: (low, high) is the window of the side to move.
        low, high = (-beta, -alpha) if side == MIN else (alpha, beta)
        best = -LIMIT
        can_stand_pat = depth <= 0 and not (self.has_in_check and state.in_check())
        moves: Any
        if can_stand_pat:  # quiescence search
            best = side * self.static_score(state)
            if best >= high:
                return side * best, ()
            low = max(low, best)
            moves = [move for move in self.ordered(state, side, (), depth, ply) if state.is_tactical(move)]
        elif depth == 1 and ply and not self.cheap_move_scores:
            moves = state.moves()
        else:
            moves = self.ordered(state, side, table_move, depth, ply)
        if not ply and moves:
            self.ctx.record_first(moves[0])
        if depth == 1 and self.has_plain_leaves:
            best, best_move = self.score_leaves(state, side, moves, low, high, ply)
        else:
            best, best_move = self.search_moves(state, side, moves, best, depth, low, high, ply)
        if not best_move and best == -LIMIT:
            raise NoMoves
        return side * best, best_move

    def score_leaves(
        self, state: State, side: int, moves: Iterable[Any], low: int, high: int, ply: int
    ) -> tuple[int, tuple[Any, ...]]:
        """The best move among those to leaves, for the side to move, and its score. The leaves are scored here."""
        base, unit, step, static, largest = self.base, self.unit, self.step, self.score_leaf, self.largest
        ceiling, best = self.ceilings[ply], -LIMIT
        best_move: tuple[Any, ...] = ()
        nodes, poll, evaluated = self.nodes, self.poll, 0
        for move in moves:
            child = state.play(move)
            nodes += 1
            if nodes >= poll:
                self.nodes = nodes
                self.check_limits()
                poll = self.poll
            if child.is_over():
                score = child.utility()
                if score > 0:
                    score = base + score * unit - (ply + 1) * step
                elif score:
                    score = score * unit + (ply + 1) * step - base
            else:
                evaluated += 1
                score = static(child) if static is not None else 0
                if type(score) is not int or not -largest < score < largest:
                    score = checked_score(self.evaluation, child)
            if side == MIN:
                score = -score
            if score > best:
                best, best_move = score, (move,)
                if not ply:
                    self.ctx.record_best(move, side * score)
                if score > low:
                    if score >= high:
                        break
                    self.lines[ply] = best_move
                    low = score
                if best >= ceiling:
                    break
        self.nodes = nodes
        self.horizon_nodes += evaluated
        return best, best_move

    def search_moves(
        self, state: State, side: int, moves: Sequence[Any], best: int, depth: int, low: int, high: int, ply: int
    ) -> tuple[int, tuple[Any, ...]]:
        """The best of some moves for the side to move, and its score; `best` is the score that is certain already."""
        remaining = depth if depth == UNLIMITED_DEPTH else depth - 1
        search, ceiling, upper = self.search, self.ceilings[ply], high
        best_move: tuple[Any, ...] = ()
        searched = best > -LIMIT
        for move in moves:
            child = state.play(move)
            # Principal variation search: a null window for all moves but the first.
            if searched and high - low > 1 and depth > 0:
                upper = low + 1
                image = child.canonical() if self.has_canonical else child
                if side == MIN:
                    score = -search(image, remaining, -upper, -low, ply + 1)
                else:
                    score = search(image, remaining, low, upper, ply + 1)
            if not searched or upper == high or upper <= score:
                if self.has_canonical and high - low <= 1:
                    child = child.canonical()
                if side == MIN:
                    score = -search(child, remaining, -high, -low, ply + 1)
                else:
                    score = search(child, remaining, low, high, ply + 1)
            upper = high
            searched = True
            if score > best:
                best, best_move = score, (move,)
                if not ply:
                    self.ctx.record_best(move, side * score)
                if score > low:
                    if score >= high:
                        self.record_cutoff(side, move, depth, ply)
                        break
                    self.lines[ply] = (move, *self.lines[ply + 1])
                    low = score
                if best >= ceiling:
                    break
        return best, best_move

    def mean_of(self, state: State, remaining: int, ply: int) -> int:
        """The weighted mean of a chance node's outcomes."""
        self.chance_depth += 1
        total = weights = 0
        for move, weight in state.outcomes():
            total += weight * self.search(state.play(move), remaining, -LIMIT, LIMIT, ply + 1)
            weights += weight
        self.chance_depth -= 1
        if total % weights:
            self.ctx.rounded = True
        return rounded_div(total, weights)

    def static_score(self, state: State) -> int:
        """The evaluation's score, on the scale of the search."""
        score = 0 if self.score_leaf is None else self.score_leaf(state)
        if type(score) is not int or not -self.largest < score < self.largest:
            score = checked_score(self.evaluation, state)
        return score * self.grain

    def ordered(self, state: State, side: int, table_move: tuple[Any, ...], depth: int, ply: int) -> list[Any]:
        """The moves in the order of the search: table move, move-ordering score, killers, history heuristic."""
        moves = list(state.candidates() if self.has_candidates and ply else state.moves())
        if ply == 0 and self.ctx.excluded:
            moves = [move for move in moves if move not in self.ctx.excluded]
        if len(moves) > 1 and depth >= MIN_TABLE_DEPTH:
            cutoffs = self.cutoffs[side]
            if cutoffs:
                moves.sort(key=cutoffs.__getitem__, reverse=True)
            if self.has_candidate_score:
                moves.sort(key=state.candidate_score, reverse=True)
            elif not self.has_move_score:
                for move in self.killers[ply]:
                    if move in moves:
                        moves.remove(move)
                        moves.insert(0, move)
            else:
                moves.sort(key=state.move_score, reverse=True)
            if table_move and table_move[0] in moves:
                moves.remove(table_move[0])
                moves.insert(0, table_move[0])
        elif self.cheap_move_scores:
            moves.sort(key=state.move_score, reverse=True)
        return moves

    def record_cutoff(self, side: int, move: Any, depth: int, ply: int) -> None:
        """Remember a move that cut off its siblings, for the order of later moves."""
        if depth >= MIN_TABLE_DEPTH:
            self.cutoffs[side][move] += depth * depth
            if move not in self.killers[ply]:
                self.killers[ply] = [*self.killers[ply][-1:], move]


class SearchUnderRules(InterpretedSearch):
    """The search in games with rules of repetition or of reversible plies."""

    def search(self, state: State, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Search a state, unless a rule ends the game there."""
        if depth < 0 or state.is_over():
            return super().search(state, depth, alpha, beta, ply)
        utility = utility_by_rule(state, self.positions.push(state))
        if utility is not None and ply > 0:
            self.nodes += 1
            self.lines[ply] = ()
            score = finished_score(utility, ply, self.base, self.unit, self.step)
        else:
            score = super().search(state, depth, alpha, beta, ply)
        self.positions.pop()
        return score
