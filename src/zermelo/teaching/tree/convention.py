"""`Convention`: how a tree is searched and displayed, where textbooks and lecturers differ.

=============  ==========================================================================================
algorithm      minimax, alphabeta, negamax (alpha-beta from the view of the player to move), expectiminimax
               (minimax with chance nodes; the same search under another name), star1 and star2 (alpha-beta that
               also passes windows through chance nodes; Ballard 1983)
enhancements   of alphabeta and negamax, any of them. pvs: principal variation search, null windows for all
               children but the first. deepening: iterative deepening. aspiration: a small root window around the
               value of the last iteration; aspiration=50: of half the width 50. table: transposition table.
               killers: killer moves. quiescence: at the depth limit, follow tactical moves
variant        the value returned from outside the window. fail-soft: the best value found (AIMA;
               Fishburn 1983). fail-hard: the bound of the window (Knuth and Moore 1975; lectures 002 and 003).
               path: as in figure 11.6 of Poole and Mackworth (lecture 004)
cut            equal: cut on equality, value >= beta at MAX (most textbooks). strict: only if value > beta
lecture        the lecture whose pseudocode is displayed. 000: minimax. 002 and 003: Max-Value and Min-Value, fail-hard.
               004: path. Empty: that of this package
show           inherited: the window, inherited from the parent and updated. own: only the bound found at the
               node itself. interval: the interval that contains the value, [-inf, +inf] at first (lecture 000)
=============  ==========================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from zermelo._util.text import did_you_mean
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, FAIL_SOFT, MINIMAX, PATH, STAR1, STAR2
from zermelo.teaching.tree.numbers import MAX_MAGNITUDE

ALPHABETA, NEGAMAX, EXPECTIMINIMAX = "alphabeta", "negamax", "expectiminimax"
EQUAL, STRICT = "equal", "strict"
INHERITED, OWN, INTERVAL = "inherited", "own", "interval"

PVS, DEEPENING, ASPIRATION, TABLE, KILLERS = "pvs", "deepening", "aspiration", "table", "killers"
QUIESCENCE = "quiescence"

CHOICES = {
    "algorithm": (ALPHABETA, MINIMAX, NEGAMAX, EXPECTIMINIMAX, STAR1, STAR2),
    "variant": (FAIL_SOFT, FAIL_HARD, PATH),
    "cut": (EQUAL, STRICT),
    "show": (INHERITED, OWN, INTERVAL),
}
#: The enhancements, with their names in sentences, in the order in which they are listed.
ENHANCEMENTS = {
    PVS: "principal variation search",
    DEEPENING: "iterative deepening",
    ASPIRATION: "aspiration windows",
    TABLE: "transposition table",
    KILLERS: "killer moves",
    QUIESCENCE: "quiescence search",
}
#: The lectures with pseudocode of their own, and what it searches.
LECTURES = {
    "000": {"algorithm": MINIMAX},
    "002": {"algorithm": ALPHABETA, "variant": FAIL_HARD, "cut": EQUAL},
    "003": {"algorithm": ALPHABETA, "variant": FAIL_HARD, "cut": EQUAL},
    "004": {"algorithm": ALPHABETA, "variant": PATH, "cut": EQUAL},
}
#: More characters than all the words together: what is longer is no convention, and is refused before it is read.
MAX_CHARACTERS = 1_000
_ALIASES = {"alpha-beta": ALPHABETA, "soft": FAIL_SOFT, "hard": FAIL_HARD, "poole-mackworth": PATH, "equality": EQUAL}


@dataclass(frozen=True)
class Convention:
    """How a tree is searched and displayed.

    Parameters
    ----------
    algorithm : {"alphabeta", "minimax", "negamax", "expectiminimax", "star1", "star2"}
    variant : {"fail-soft", "fail-hard", "path"}
        What a node returns if its value is outside the window. Negamax is fail-soft only.
    cut : {"equal", "strict"}
        Whether a value equal to the bound of the other player cuts.
    show : {"inherited", "own", "interval"}
        The bounds displayed at a node. It does not change the search.
    enhancements : tuple of {"pvs", "deepening", "aspiration", "table", "killers", "quiescence"}
        Enhancements of alphabeta and negamax, in any order.
    aspiration_width : int, default 1
        Half the width of aspiration windows, in the unit of the tree's values.
    lecture : {"", "000", "002", "003", "004"}
        The lecture whose pseudocode is displayed; the other choices must be the lecture's.

    Raises
    ------
    TreeError
        If a choice is unknown, or choices cannot be combined.
    """

    algorithm: str = ALPHABETA
    variant: str = FAIL_SOFT
    cut: str = EQUAL
    show: str = INHERITED
    enhancements: tuple[str, ...] = ()
    lecture: str = ""
    aspiration_width: int = 1

    def __post_init__(self) -> None:
        for kind, choices in CHOICES.items():
            choice = getattr(self, kind)
            if choice not in choices:
                raise TreeError(f"convention: {kind} must be one of {', '.join(choices)} (got {choice!r})")
        for word in self.enhancements:
            if word not in ENHANCEMENTS:
                raise TreeError(f"convention: enhancements must be among {', '.join(ENHANCEMENTS)} (got {word!r})")
        listed = tuple(word for word in ENHANCEMENTS if word in self.enhancements)
        object.__setattr__(self, "enhancements", listed)
        if self.algorithm in (NEGAMAX, STAR1, STAR2) and self.variant != FAIL_SOFT:
            raise TreeError(f"convention: {self.algorithm} is fail-soft only; use {self.variant} with alphabeta")
        if listed and self.algorithm not in (ALPHABETA, NEGAMAX):
            raise TreeError(f"convention: {listed[0]} needs alphabeta or negamax (got {self.algorithm})")
        if listed and self.variant == PATH:
            raise TreeError(f"convention: {listed[0]} cannot be combined with path, which stores no bounds")
        if self.show == INTERVAL and (listed or self.algorithm in (STAR1, STAR2)):
            # An interval is that of the last search of a node; these may search a node more than once.
            word = (*listed, self.algorithm)[0]
            raise TreeError(f"convention: interval cannot be combined with {word}; use inherited or own")
        if self.lecture and self.lecture not in LECTURES:
            raise TreeError(f"convention: lecture must be one of {', '.join(LECTURES)} (got {self.lecture!r})")
        for kind, choice in LECTURES.get(self.lecture, {}).items():
            if getattr(self, kind) != choice:
                raise TreeError(f"convention: the pseudocode of {self.lecture} is {choice} (got {getattr(self, kind)})")
        if self.lecture and listed:
            raise TreeError(f"convention: the pseudocode of {self.lecture} has no {ENHANCEMENTS[listed[0]]}")
        if not 1 <= self.aspiration_width <= MAX_MAGNITUDE:
            raise TreeError(f"convention: aspiration must be at least 1 (got {self.aspiration_width})")
        if ASPIRATION in listed and DEEPENING not in listed:
            raise TreeError("convention: aspiration needs deepening, which gives it the value of the iteration before")

    @classmethod
    def of(cls, text: str) -> Convention:
        """Parse a convention from words in any order, such as `fail-hard, own`; the rest are defaults.

        Raises
        ------
        TreeError
            If a word is unknown, two words contradict each other, or the text has over 1,000 characters.

        Examples
        --------
        >>> Convention.of("strict fail-hard").cut
        'strict'
        """
        if len(text) > MAX_CHARACTERS:
            raise TreeError(f"convention: at most {MAX_CHARACTERS:,} characters (got {len(text):,})")
        kinds = {word: kind for kind, words in CHOICES.items() for word in words}
        chosen: dict[str, Any] = {}
        enhancements: list[str] = []
        for given in text.replace(",", " ").split():
            word = _ALIASES.get(given.casefold(), given.casefold())
            if width := re.fullmatch(rf"{ASPIRATION}=([0-9]{{1,12}})", word):
                enhancements.append(ASPIRATION)
                if chosen.setdefault("aspiration_width", int(width[1])) != int(width[1]):
                    raise TreeError("convention: aspiration has two widths")
                continue
            if word in ENHANCEMENTS:
                enhancements.append(word)
                continue
            if word in LECTURES:
                if chosen.setdefault("lecture", word) != word:
                    raise TreeError(f"convention: {chosen['lecture']} and {word} contradict each other")
                continue
            if word not in kinds:
                known = [*kinds, *ENHANCEMENTS, *LECTURES]
                suggestion = did_you_mean(word, [*known, *_ALIASES], "")
                message = f"convention: unknown word {given[:40]!r}: expected {', '.join(known)}"
                raise TreeError(message + (suggestion and f"; {suggestion}"))
            if chosen.setdefault(kinds[word], word) != word:
                raise TreeError(f"convention: {chosen[kinds[word]]} and {word} contradict each other")
        implied = LECTURES.get(chosen.get("lecture", ""), {})
        return replace(cls(), **(implied | chosen), enhancements=tuple(enhancements))

    @property
    def prunes(self) -> bool:
        """Whether the algorithm has a window and prunes."""
        return self.algorithm not in (MINIMAX, EXPECTIMINIMAX)

    @property
    def has_star(self) -> bool:
        """Whether windows are passed through chance nodes."""
        return self.algorithm in (STAR1, STAR2)

    def as_json(self) -> dict[str, Any]:
        """The choices as data for JSON; enhancements and lecture only if there are any."""
        chosen: dict[str, Any] = {kind: getattr(self, kind) for kind in CHOICES}
        if self.enhancements:
            chosen["enhancements"] = list(self.enhancements)
        if ASPIRATION in self.enhancements:
            chosen["aspiration_width"] = self.aspiration_width
        return chosen | ({"lecture": self.lecture} if self.lecture else {})

    def __str__(self) -> str:
        """The algorithm with its enhancements, and for alpha-beta the variant and the rule for cutoffs."""
        code = f"; pseudocode of lecture {self.lecture}" if self.lecture else ""
        if not self.prunes:
            return f"{self.algorithm}{code}"
        cut = "no cut on equality" if self.cut == STRICT else "cut on equality"
        enhancements = ", ".join(map(ENHANCEMENTS.__getitem__, self.enhancements))
        algorithm = f"{self.algorithm} with {enhancements}" if enhancements else self.algorithm
        return f"{algorithm}, {self.variant}; {cut}{code}"
