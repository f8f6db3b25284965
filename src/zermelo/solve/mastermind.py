"""Optimal strategies of Mastermind: the fewest guesses in the worst case, and on average.

    strategy = best_strategy(3, 4, "mean")
    print(strategy.mean, strategy.worst)
    print(strategy)                           # the tree of guesses and replies

`best_strategy` searches the tree of guesses by branch and bound. A guess that splits the possible codes into parts of
certain sizes costs at least as much as if each further guess split them into as many parts as there are replies.
Guesses with a low bound are tried first. Colours that were not guessed yet are interchangeable, so they are used in
order.

References
----------
D. E. Knuth, "The Computer as Master Mind", Journal of Recreational Mathematics 9 (1976): 5 guesses suffice.
K. Koyama, T. W. Lai, "An Optimal Mastermind Strategy", Journal of Recreational Mathematics 25 (1993): 5625 / 1296.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from zermelo.compiled import native
from zermelo.errors import LimitError
from zermelo.games.mastermind import MOST_CODES, WHITE, Mastermind, reply_to

#: What a strategy minimises: the mean number of guesses, or the largest one.
Criterion = Literal["mean", "worst"]

_DEEPEST = 30  # guesses on a path of the search


@dataclass(frozen=True, slots=True)
class Strategy:
    """A codebreaker's strategy as a tree: a guess, and the strategy after each reply.

    Attributes
    ----------
    guess : str
        The next guess.
    replies : mapping of str to Strategy
        By reply, `BLACK-WHITE`: how to go on. The reply to a right guess is not among them.
    codes : int
        Number of codes that are possible before the guess.
    total : int
        Sum of the numbers of guesses over these codes.
    worst : int
        Largest number of guesses.
    is_possible : bool
        Whether the guess may be the code.
    """

    guess: str
    replies: Mapping[str, Strategy]
    codes: int
    total: int
    worst: int
    is_possible: bool

    @property
    def mean(self) -> Fraction:
        """Mean number of guesses."""
        return Fraction(self.total, self.codes)

    def lines(self, depth: int = _DEEPEST) -> list[str]:
        """Draw the tree, a line for each guess, down to `depth` guesses."""
        found = [f"{self.guess}  ({self.codes} {'code' if self.codes == 1 else 'codes'})"]
        if depth < 2:
            return found
        last = len(self.replies) - 1
        for number, (reply, child) in enumerate(self.replies.items()):
            first, *rest = child.lines(depth - 1)
            found.append(f"{'└' if number == last else '├'}─ {reply}: {first}")
            found += [f"{' ' if number == last else '│'}  {line}" for line in rest]
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())


def best_strategy(pegs: int, colours: int, criterion: Criterion = "mean") -> Strategy:
    """Compute an optimal strategy against a random code ("mean") or the worst code ("worst").

    Parameters
    ----------
    pegs, colours : int
        Size of the game.
    criterion : {"mean", "worst"}
        What to minimise. A "mean" strategy of 4 pegs takes about a second with 5 colours, and minutes with 6; a
        "worst" one takes seconds.

    Returns
    -------
    Strategy
        One of the optimal strategies.

    Raises
    ------
    LimitError
        The game is too large, or the criterion unknown.

    Examples
    --------
    >>> best_strategy(2, 3).mean
    Fraction(7, 3)
    """
    if criterion not in ("mean", "worst"):
        raise LimitError(f"criterion must be mean or worst (got {criterion!r})")
    if pegs < 1 or colours < 1 or colours**pegs > MOST_CODES:
        raise LimitError(f"Mastermind with {pegs} pegs and {colours} colours: expected 1 to {MOST_CODES:,} codes")
    return _Search(pegs, colours).best(criterion)


class _Search:
    """Tables of a game, and the work space of the search."""

    def __init__(self, pegs: int, colours: int) -> None:
        import numpy as np

        self.game = Mastermind(pegs, colours)
        count = colours**pegs
        replies = np.zeros((count, count), np.int64)
        native(_fill, pegs, colours, replies)(pegs, colours, replies)
        self.names = [f"{reply // WHITE}-{reply % WHITE}" for reply in np.unique(replies)]
        self.replies = np.searchsorted(np.unique(replies), replies)
        kinds = len(self.names)
        self.digits = np.array([[code // colours**peg % colours for peg in range(pegs)] for code in range(count)])
        # Of n codes: the least total of guesses, and the least largest number, if every guess had all replies.
        self.least = np.zeros((2, count + 1), np.int64)
        for codes in range(1, count + 1):
            left, total, capacity, depth = codes, 0, 1, 0
            while left > 0:
                depth += 1
                total += min(left, capacity) * depth
                left -= capacity
                capacity *= kinds - 1
            self.least[:, codes] = total, depth
        self.sets = np.zeros((_DEEPEST, count), np.int64)
        self.bounds = np.zeros((_DEEPEST, count), np.int64)
        self.sizes = np.zeros((_DEEPEST, kinds), np.int64)
        self.choice = np.zeros(_DEEPEST, np.int64)

    def best(self, criterion: Criterion) -> Strategy:
        import numpy as np

        return self._tree(np.arange(len(self.replies)), 0, int(criterion == "worst"))

    def _tree(self, codes: Any, used: int, worst: int) -> Strategy:
        """The strategy of a set of codes after guesses with the used colours, a bit for each."""
        self.sets[0, : len(codes)] = codes
        arguments = (
            self.replies, self.digits, self.game.colours, self.least, self.sets, self.bounds, self.sizes, self.choice,
            len(codes), 0, used, worst, 1 << 30,
        )  # fmt: skip
        native(_search, *arguments)(*arguments)
        guess = int(self.choice[0])
        name = self.game.move_name(guess)
        for digit in self.digits[guess]:
            used |= 1 << int(digit)
        children: dict[str, Strategy] = {}
        for index, reply in enumerate(self.names[:-1]):  # the last one is that of a right guess
            part = codes[self.replies[guess, codes] == index]
            if len(part):
                children[reply] = self._tree(part, used, worst)
        total = len(codes) + sum(child.total for child in children.values())
        largest = 1 + max((child.worst for child in children.values()), default=0)
        return Strategy(name, children, len(codes), total, largest, bool((codes == guess).any()))


def _fill(pegs: Any, colours: Any, replies: Any) -> None:
    for guess in range(len(replies)):
        for secret in range(len(replies)):
            replies[guess, secret] = reply_to(pegs, colours, guess, secret)


def _is_canonical(digits: Any, guess: Any, used: Any) -> Any:
    """Whether the colours of a guess that are not used yet come in order, the lowest first."""
    for place in range(digits.shape[1]):
        colour = digits[guess, place]
        if not used >> colour & 1:
            lowest = 0
            while used >> lowest & 1:
                lowest += 1
            if colour != lowest:
                return False
            used |= 1 << colour
    return True


def _count_replies(replies: Any, guess: Any, sets: Any, count: Any, depth: Any, sizes: Any) -> None:
    """Write to `sizes[depth]` how many of the codes `sets[depth, :count]` give each reply to a guess."""
    for kind in range(sizes.shape[1]):
        sizes[depth, kind] = 0
    for place in range(count):
        sizes[depth, replies[guess, sets[depth, place]]] += 1


def _search(
    replies: Any, digits: Any, colours: Any, least: Any, sets: Any, bounds: Any, sizes: Any, choice: Any, count: Any,
    depth: Any, used: Any, worst: Any, limit: Any,
) -> Any:  # fmt: skip
    """The least total (or, with `worst`, the least largest number) of guesses for `sets[depth, :count]`.

    Where it is not below `limit`, `limit` is returned. The best guess is written to `choice[depth]`.
    """
    if count == 1:
        choice[depth] = sets[depth, 0]
        return min(limit, 1)
    if least[worst, count] >= limit:
        return limit
    kinds = sizes.shape[1]
    own = worst + (1 - worst) * count  # what the guess itself costs
    smallest = limit
    for guess in range(len(replies)):
        bounds[depth, guess] = 1 << 30
        if used != (1 << colours) - 1 and not _is_canonical(digits, guess, used):
            continue
        _count_replies(replies, guess, sets, count, depth, sizes)
        bound = own
        largest = 0
        for kind in range(kinds - 1):
            largest = max(largest, sizes[depth, kind])
            part = least[worst, sizes[depth, kind]]
            bound = max(bound, own + part) if worst else bound + part
        if largest < count:  # it excludes a code
            bounds[depth, guess] = bound
            smallest = min(smallest, bound)
    found = limit
    target = smallest
    below = depth + 1
    while target < found:
        for guess in range(len(replies)):
            if bounds[depth, guess] != target or target >= found:
                continue
            _count_replies(replies, guess, sets, count, depth, sizes)
            colours_used = used
            for place in range(digits.shape[1]):
                colours_used |= 1 << digits[guess, place]
            total = target
            while total < found:  # the parts, the largest first
                chosen = -1
                size = 0
                for kind in range(kinds - 1):
                    if sizes[depth, kind] > size:
                        size = sizes[depth, kind]
                        chosen = kind
                if chosen < 0:
                    break
                sizes[depth, chosen] = 0
                size = 0
                for place in range(count):
                    if replies[guess, sets[depth, place]] == chosen:
                        sets[below, size] = sets[depth, place]
                        size += 1
                room = found - own if worst else found - total + least[worst, size]
                part = _search(
                    replies, digits, colours, least, sets, bounds, sizes, choice, size, below, colours_used, worst, room
                )
                total = max(total, own + part) if worst else total + part - least[worst, size]
            if total < found:
                found = total
                choice[depth] = guess
        target += 1
    return found
