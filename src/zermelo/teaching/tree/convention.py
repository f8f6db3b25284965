"""How a tree is searched and how it is told: what books and lecturers do differently, each choice with its name.

=============  ==========================================================================================
algorithm      minimax, alphabeta, negamax (alpha-beta from the mover's side), expectiminimax (minimax with
               chance; the same walk, so it is only another name)
variant        fail-soft (AIMA; Fishburn 1983), fail-hard (Knuth and Moore 1975; lectures 002 and 003), path
               (Poole and Mackworth's figure 11.6; lecture 004)
cut            equal: a value that equals the other side's bound cuts (nearly everywhere); strict: only one beyond
show           inherited: alpha and beta as handed down and moved; own: only the bound that this node itself has
               found; interval: what is known of the node's value, [-inf, +inf] at first (lecture 000)
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
_ALSO = {"alpha-beta": ALPHABETA, "soft": FAIL_SOFT, "hard": FAIL_HARD, "poole-mackworth": PATH, "equality": EQUAL}


@dataclass(frozen=True)
class Convention:
    """One choice of each kind; the usual ones are the defaults.

    Raises `TreeError` for a choice that there is not, and for negamax in another variant than fail-soft.
    """

    algorithm: str = ALPHABETA
    variant: str = FAIL_SOFT
    cut: str = EQUAL
    show: str = INHERITED

    def __post_init__(self) -> None:
        for kind, said in asdict(self).items():
            if said not in CHOICES[kind]:
                raise TreeError(f"convention: {kind} {said!r} is not one of {', '.join(CHOICES[kind])}")
        if self.algorithm == NEGAMAX and self.variant != FAIL_SOFT:
            raise TreeError(f"convention: negamax is fail-soft here; {self.variant} goes with alphabeta")

    @classmethod
    def of(cls, text: str) -> Convention:
        """The convention that words tell, in any order: `strict`, `fail-hard, own`, `minimax`. Raises `TreeError`.

        >>> Convention.of("strict fail-hard").cut
        'strict'
        """
        kinds = {word: kind for kind, words in CHOICES.items() for word in words}
        chosen: dict[str, str] = {}
        for said in text.replace(",", " ").split():
            word = _ALSO.get(said.casefold(), said.casefold())
            if word not in kinds:
                meant = did_you_mean(word, [*kinds, *_ALSO], "")
                told = f"convention: {said[:40]!r} is none of {', '.join(kinds)}"
                raise TreeError(told + (meant and f"; {meant}"))
            if chosen.setdefault(kinds[word], word) != word:
                raise TreeError(f"convention: {chosen[kinds[word]]} and {word} exclude each other")
        return replace(cls(), **chosen)

    @property
    def prunes(self) -> bool:
        """Whether there is a window, and so cuts."""
        return self.algorithm in (ALPHABETA, NEGAMAX)

    def __str__(self) -> str:
        """The convention in a few words: what is not as usual, and the algorithm."""
        if not self.prunes:
            return self.algorithm
        cut = "a cut needs a value beyond the bound" if self.cut == STRICT else "a value equal to the bound cuts"
        return f"{self.algorithm}, {self.variant}; {cut}"
