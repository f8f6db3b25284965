"""Games that end early: by proof, or because both players say the same of them. By default none does.

    exact                               as soon as our engine proves the result within 20,000 states
    exact:nodes=100000                  within so many
    agreed:score=500,plies=8            both players' scores have said for 8 plies that one side is ahead by 500
    draw:score=10,plies=16,after=80     both have said for 16 plies that it is within 10 of even, after 80 plies of all
    exact;agreed:score=500,plies=8      whichever comes first

Scores are for MAX, in each player's own units (hundredths of a pawn, where an engine of chess tells them); who says
nothing of a move agrees to nothing. What a player says of its own proof is not trusted: `exact` searches by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.arena.game_record import ADJUDICATED, AGREED, MoveReport
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError, ZermeloError

if TYPE_CHECKING:
    from zermelo.search.engine import Engine

#: The states that a proof may visit, if nothing else is said.
NODES = 20_000
_FORMS = "exact, exact:nodes=N, agreed:score=N,plies=N or draw:score=N,plies=N,after=N, with semicolons between them"
#: The numbers of each kind: the smallest and the largest, and what is taken where it is not given.
_NUMBERS: dict[str, dict[str, tuple[int, int, int | None]]] = {
    "exact": {"nodes": (1, 10**9, NODES)},
    "agreed": {"score": (1, 10**9, None), "plies": (2, 10_000, None)},
    "draw": {"score": (0, 10**9, None), "plies": (2, 10_000, None), "after": (0, 1_000_000, 0)},
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game that ended early is counted: what MAX gets, and why."""

    points: float
    #: ADJUDICATED or AGREED.
    termination: str
    detail: str


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What was agreed on; each part None where it is off. Each is given as its numbers, in the order of the texts."""

    exact: int | None = None
    agreed: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None

    @classmethod
    def parse(cls, text: str) -> Adjudication:
        """What a text stands for; an empty one ends nothing early. Raises `LimitError`."""
        found: dict[str, tuple[int, ...]] = {}
        for part in filter(None, (part.strip() for part in text.split(";"))):
            kind, _, rest = part.partition(":")
            if kind not in _NUMBERS or kind in found:
                raise LimitError(f"adjudication {quoted(part)}; expected {_FORMS}, each once")
            found[kind] = _numbers(kind, part, rest)
        exact, agreed, draw = found.get("exact"), found.get("agreed"), found.get("draw")
        return cls(
            exact[0] if exact else None,
            (agreed[0], agreed[1]) if agreed else None,
            (draw[0], draw[1], draw[2]) if draw else None,
        )

    def __str__(self) -> str:
        parts = []
        for kind, numbers in _NUMBERS.items():
            given = getattr(self, kind)
            if given is not None:
                given = given if isinstance(given, tuple) else (given,)
                parts.append(f"{kind}:{','.join(f'{n}={v}' for n, v in zip(numbers, given, strict=True))}")
        return ";".join(parts)


def _numbers(kind: str, part: str, text: str) -> tuple[int, ...]:
    known = _NUMBERS[kind]
    given: dict[str, int] = {}
    for each in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = each.partition("=")
        if not equals or name not in known or name in given or not re.fullmatch(r"\d{1,10}", value):
            expected = ", ".join(f"{name}=N" for name in known)
            raise LimitError(f"adjudication {quoted(part)}: {quoted(each)}; expected {expected}, each once")
        given[name] = int(value)
        low, high, _ = known[name]
        if not low <= given[name] <= high:
            raise LimitError(f"adjudication {quoted(part)}: {name}= is from {low:,} to {high:,}")
    for name, (_, _, usual) in known.items():
        if name not in given:
            if usual is None:
                raise LimitError(f"adjudication {quoted(part)}: {name}= is missing; expected {_FORMS}")
            given[name] = usual
    return tuple(given[name] for name in known)


class Adjudicator:
    """Looks at one game after each move. Raises `LimitError` for what cannot be asked of that game."""

    def __init__(self, cls: type[State], text: str) -> None:
        self.agreed = Adjudication.parse(text)
        if self.agreed.exact and cls.has_chance:
            raise LimitError(
                f"adjudication 'exact': chance decides {cls.__name__} to its end, no result can be proven; leave it out"
            )
        self._engine: Engine | None = None

    def after_move(
        self, state: State, history: Sequence[State] | PositionHistory, said: Sequence[MoveReport]
    ) -> Verdict | None:
        """Whether the game ends here, and how it is counted.

        `history`: what came before this state. `said`: for each move, in its order, what was said.
        The game is not over, and the same game gets the same verdict on any machine.
        """
        return self._by_agreement(said) or self._by_proof(state, history)

    def _by_agreement(self, said: Sequence[MoveReport]) -> Verdict | None:
        if self.agreed.agreed is not None:
            score, plies = self.agreed.agreed
            told = _last_scores(said, plies)
            if told and (min(told) >= score or max(told) <= -score):
                return Verdict(
                    float(told[0] > 0), AGREED, f"both players' scores were {score:,} or more for {plies} plies"
                )
        if self.agreed.draw is not None:
            score, plies, after = self.agreed.draw
            told = _last_scores(said, plies) if len(said) >= after else []
            if told and max(map(abs, told)) <= score:
                return Verdict(0.5, AGREED, f"both players' scores were within {score:,} of even for {plies} plies")
        return None

    def _by_proof(self, state: State, history: Sequence[State] | PositionHistory) -> Verdict | None:
        if self.agreed.exact is None or state.to_move() == CHANCE:
            return None
        from zermelo.search.engine import Engine, Limits

        if self._engine is None:
            self._engine = Engine("1M")
        try:
            *_, found = self._engine.analysis(state, Limits(exact=True, nodes=self.agreed.exact), history=history)
        except ZermeloError:  # longer than any search
            return None
        if not found.score.is_proven or found.reason != "exact":
            return None
        value = found.score.number
        points = 0.5 if value == 0 else float(value > 0)
        return Verdict(points, ADJUDICATED, f"proven: {value:+d} for {state.player_name(1)} with best play")


def _last_scores(said: Sequence[MoveReport], plies: int) -> list[int]:
    """The scores of the last so many moves of the players; none if not all tell one, or only one player moved."""
    told: list[int] = []
    players = set()
    for each in reversed(said):
        if each.player < 0:
            continue
        if each.score is None:
            return []
        told.append(each.score)
        players.add(each.player)
        if len(told) == plies:
            return told if len(players) == 2 else []
    return []
