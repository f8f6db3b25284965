"""Adjudication: rules that end games early. By default no game ends early.

    exact                               as soon as the engine proves the result within 20,000 nodes
    exact:nodes=100000                  within 100,000 nodes
    agreed:score=500,plies=8            both players' scores have favoured one side by 500 for 8 plies: it wins
    draw:score=10,plies=16,after=80     both have been within 10 of even for 16 plies, after ply 80: a draw
    exact;agreed:score=500,plies=8      whichever applies first

Scores are from MAX's point of view, in each player's own unit (centipawns for chess engines). A player that reports no
score agrees to nothing. A player's own claim of a proven win is not trusted: `exact` searches itself.
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

#: Default node limit of a proof search.
NODES = 20_000
_SYNTAX = "exact, exact:nodes=N, agreed:score=N,plies=N or draw:score=N,plies=N,after=N, separated by semicolons"
# The settings of each rule: minimum, maximum, default (None: required).
_SETTINGS: dict[str, dict[str, tuple[int, int, int | None]]] = {
    "exact": {"nodes": (1, 10**9, NODES)},
    "agreed": {"score": (1, 10**9, None), "plies": (2, 10_000, None)},
    "draw": {"score": (0, 10**9, None), "plies": (2, 10_000, None), "after": (0, 1_000_000, 0)},
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a game that ends early."""

    #: Points of MAX.
    points: float
    #: ADJUDICATED or AGREED.
    termination: str
    detail: str


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Rules of adjudication; None: the rule is off.

    Attributes
    ----------
    exact : int or None
        Node limit of the proof search.
    agreed : (score, plies) or None
        A win for the side that both players see ahead by `score` or more for `plies` plies.
    draw : (score, plies, after) or None
        A draw if both players see at most `score` for `plies` plies, from ply `after` on.
    """

    exact: int | None = None
    agreed: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None

    @classmethod
    def parse(cls, text: str) -> Adjudication:
        """Parse rules separated by semicolons; an empty text has no rules. Raises `LimitError`."""
        found: dict[str, tuple[int, ...]] = {}
        for part in filter(None, (part.strip() for part in text.split(";"))):
            kind, _, rest = part.partition(":")
            if kind not in _SETTINGS or kind in found:
                raise LimitError(f"adjudication {quoted(part)}; expected {_SYNTAX}, each at most once")
            found[kind] = _parse_settings(kind, part, rest)
        exact, agreed, draw = found.get("exact"), found.get("agreed"), found.get("draw")
        return cls(
            exact[0] if exact else None,
            (agreed[0], agreed[1]) if agreed else None,
            (draw[0], draw[1], draw[2]) if draw else None,
        )

    def __str__(self) -> str:
        parts = []
        for kind, settings in _SETTINGS.items():
            values = getattr(self, kind)
            if values is not None:
                values = values if isinstance(values, tuple) else (values,)
                parts.append(f"{kind}:{','.join(f'{name}={v}' for name, v in zip(settings, values, strict=True))}")
        return ";".join(parts)


def _parse_settings(kind: str, part: str, text: str) -> tuple[int, ...]:
    known = _SETTINGS[kind]
    given: dict[str, int] = {}
    for each in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = each.partition("=")
        if not equals or name not in known or name in given or not re.fullmatch(r"[0-9]{1,10}", value):
            expected = ", ".join(f"{name}=N" for name in known)
            raise LimitError(f"adjudication {quoted(part)}: {quoted(each)}; expected {expected}, each at most once")
        given[name] = int(value)
        low, high, _ = known[name]
        if not low <= given[name] <= high:
            raise LimitError(f"adjudication {quoted(part)}: {name} must be between {low:,} and {high:,}")
    for name, (_, _, default) in known.items():
        if name not in given:
            if default is None:
                raise LimitError(f"adjudication {quoted(part)}: {name}= is missing; expected {_SYNTAX}")
            given[name] = default
    return tuple(given[name] for name in known)


class Adjudicator:
    """Applies the rules to a game after each move.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        The rules, as in `Adjudication.parse`.

    Raises
    ------
    LimitError
        The text is invalid, or the rules do not apply to the game.
    """

    def __init__(self, cls: type[State], text: str) -> None:
        self.rules = Adjudication.parse(text)
        if self.rules.exact and cls.has_chance:
            raise LimitError(
                f"adjudication 'exact' does not apply to {cls.__name__}: the result of a game of chance cannot be "
                "proven; leave it out"
            )
        if self.rules.exact and not cls.perfect_information:
            raise LimitError(
                f"adjudication 'exact' does not apply to {cls.__name__}: with hidden information a position has no "
                "result that a search can prove; leave it out"
            )
        self._engine: Engine | None = None

    def after_move(
        self, state: State, history: Sequence[State] | PositionHistory, reports: Sequence[MoveReport]
    ) -> Verdict | None:
        """Return the verdict if the game ends here, or None. It is the same on every machine.

        Parameters
        ----------
        state : State
            The current state; the game is not over.
        history : sequence of State or PositionHistory
            The states before it.
        reports : sequence of MoveReport
            One report per move so far.
        """
        return self._by_scores(reports) or self._by_proof(state, history)

    def _by_scores(self, reports: Sequence[MoveReport]) -> Verdict | None:
        if self.rules.agreed is not None:
            score, plies = self.rules.agreed
            scores = _last_scores(reports, plies)
            if scores and (min(scores) >= score or max(scores) <= -score):
                return Verdict(
                    float(scores[0] > 0), AGREED, f"both players' scores were {score:,} or more for {plies} plies"
                )
        if self.rules.draw is not None:
            score, plies, after = self.rules.draw
            scores = _last_scores(reports, plies) if len(reports) >= after else []
            if scores and max(map(abs, scores)) <= score:
                return Verdict(0.5, AGREED, f"both players' scores were within {score:,} of even for {plies} plies")
        return None

    def _by_proof(self, state: State, history: Sequence[State] | PositionHistory) -> Verdict | None:
        if self.rules.exact is None or state.to_move() == CHANCE:
            return None
        from zermelo.search.engine import Engine, Limits

        if self._engine is None:
            self._engine = Engine("1M")
        try:
            *_, found = self._engine.analysis(state, Limits(exact=True, nodes=self.rules.exact), history=history)
        except ZermeloError:  # the game is longer than the search supports
            return None
        if not found.score.is_proven or found.reason != "exact":
            return None
        value = found.score.number
        points = 0.5 if value == 0 else float(value > 0)
        return Verdict(points, ADJUDICATED, f"proven: {value:+d} for {state.player_name(1)} with best play")


def _last_scores(reports: Sequence[MoveReport], plies: int) -> list[int]:
    """Return the scores of the last `plies` player moves; [] if a score is missing or only one player moved."""
    scores: list[int] = []
    players = set()
    for report in reversed(reports):
        if report.player < 0:
            continue
        if report.score is None:
            return []
        scores.append(report.score)
        players.add(report.player)
        if len(scores) == plies:
            return scores if len(players) == 2 else []
    return []
