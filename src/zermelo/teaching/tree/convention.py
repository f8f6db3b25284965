"""`Convention`: how a tree is searched and displayed, where textbooks and lecturers differ.

=============  ==========================================================================================
algorithm      minimax, alphabeta, negamax (alpha-beta from the view of the player to move), expectiminimax
               (minimax with chance nodes; the same search under another name)
variant        the value returned from outside the window. fail-soft: the best value found (AIMA;
               Fishburn 1983). fail-hard: the bound of the window (Knuth and Moore 1975; lectures 002 and 003).
               path: as in figure 11.6 of Poole and Mackworth (lecture 004)
cut            equal: cut on equality, value >= beta at MAX (most textbooks). strict: only if value > beta
show           inherited: the window, inherited from the parent and updated. own: only the bound found at the
               node itself. interval: the interval that contains the value, [-inf, +inf] at first (lecture 000)
=============  ==========================================================================================
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from zermelo._util.text import did_you_mean
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, FAIL_SOFT, MINIMAX, PATH

ALPHABETA, NEGAMAX, EXPECTIMINIMAX = "alphabeta", "negamax", "expectiminimax"
EQUAL, STRICT = "equal", "strict"
INHERITED, OWN, INTERVAL = "inherited", "own", "interval"

CHOICES = {
    "algorithm": (ALPHABETA, MINIMAX, NEGAMAX, EXPECTIMINIMAX),
    "variant": (FAIL_SOFT, FAIL_HARD, PATH),
    "cut": (EQUAL, STRICT),
    "show": (INHERITED, OWN, INTERVAL),
}
_ALIASES = {"alpha-beta": ALPHABETA, "soft": FAIL_SOFT, "hard": FAIL_HARD, "poole-mackworth": PATH, "equality": EQUAL}


@dataclass(frozen=True)
class Convention:
    """How a tree is searched and displayed.

    Parameters
    ----------
    algorithm : {"alphabeta", "minimax", "negamax", "expectiminimax"}
    variant : {"fail-soft", "fail-hard", "path"}
        What a node returns if its value is outside the window. Negamax is fail-soft only.
    cut : {"equal", "strict"}
        Whether a value equal to the bound of the other player cuts.
    show : {"inherited", "own", "interval"}
        The bounds displayed at a node. It does not change the search.

    Raises
    ------
    TreeError
        If a choice is unknown, or negamax is combined with a variant other than fail-soft.
    """

    algorithm: str = ALPHABETA
    variant: str = FAIL_SOFT
    cut: str = EQUAL
    show: str = INHERITED

    def __post_init__(self) -> None:
        for kind, choice in asdict(self).items():
            if choice not in CHOICES[kind]:
                raise TreeError(f"convention: {kind} must be one of {', '.join(CHOICES[kind])} (got {choice!r})")
        if self.algorithm == NEGAMAX and self.variant != FAIL_SOFT:
            raise TreeError(f"convention: negamax is fail-soft only; use {self.variant} with alphabeta")

    @classmethod
    def of(cls, text: str) -> Convention:
        """Parse a convention from words in any order, such as `fail-hard, own`; the rest are defaults.

        Raises
        ------
        TreeError
            If a word is unknown, or two words contradict each other.

        Examples
        --------
        >>> Convention.of("strict fail-hard").cut
        'strict'
        """
        kinds = {word: kind for kind, words in CHOICES.items() for word in words}
        chosen: dict[str, str] = {}
        for given in text.replace(",", " ").split():
            word = _ALIASES.get(given.casefold(), given.casefold())
            if word not in kinds:
                suggestion = did_you_mean(word, [*kinds, *_ALIASES], "")
                message = f"convention: unknown word {given[:40]!r}: expected {', '.join(kinds)}"
                raise TreeError(message + (suggestion and f"; {suggestion}"))
            if chosen.setdefault(kinds[word], word) != word:
                raise TreeError(f"convention: {chosen[kinds[word]]} and {word} contradict each other")
        return replace(cls(), **chosen)

    @property
    def prunes(self) -> bool:
        """Whether the algorithm has a window and prunes."""
        return self.algorithm in (ALPHABETA, NEGAMAX)

    def __str__(self) -> str:
        """The algorithm, and for alpha-beta the variant and the rule for cutoffs."""
        if not self.prunes:
            return self.algorithm
        cut = "no cut on equality" if self.cut == STRICT else "cut on equality"
        return f"{self.algorithm}, {self.variant}; {cut}"
