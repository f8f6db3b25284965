"""Participants of a tournament, and what a plan runs from outside the package."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo.protocols import ENGINE_PROTOCOLS

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan

#: Maximum length of a name in the table, in characters.
MAX_NAME_LENGTH = 80
#: Kinds of player specs that run a program or a file of the user.
EXTERNAL_KINDS = ("python", *ENGINE_PROTOCOLS)
_MAX_DEFAULT_NAME = MAX_NAME_LENGTH - 5  # leaves room for a number
# NAME=SPEC. A name has no colon, so `engine:depth=6` is a spec without a name.
_NAMED = re.compile(r"([^:=,]{1,200})=(.+)", re.DOTALL)


@dataclass(frozen=True)
class Entrant:
    """A participant of a tournament.

    Attributes
    ----------
    name : str
        Name in the table, 1 to 80 printable characters, unique in the plan.
    player : str
        Player spec, such as "engine:depth=6" or "uci:stockfish".
    control : str
        Time control or search limit of this player; empty: that of the plan.
    """

    name: str
    player: str
    control: str = ""


def parse_entrants(texts: Sequence[str]) -> tuple[Entrant, ...]:
    """Parse players as the command line names them: `SPEC` or `NAME=SPEC`.

    A player without a name is named after its spec, followed by a number if that name is taken.

    >>> [entrant.name for entrant in parse_entrants(["random", "Strong=engine:depth=9", "random"])]
    ['random', 'Strong', 'random 2']
    """
    parsed = {text: parse_entrant(text) for text in set(texts)}
    return with_default_names([parsed[text] for text in texts])


def parse_entrant(text: str) -> Entrant:
    """Parse `SPEC` or `NAME=SPEC`; without a name the entrant's name is empty."""
    text = text.strip()
    found = _NAMED.fullmatch(text)
    return Entrant(found[1].strip(), found[2].strip()) if found else Entrant("", text)


def with_default_names(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Name entrants without a name after their specs, followed by a number if that name is taken."""
    taken = {entrant.name for entrant in entrants}
    numbers: Counter[str] = Counter()  # the last number of each base, so that a long list takes linear time
    rows = []
    for entrant in entrants:
        name = entrant.name
        if not name:
            base = entrant.player
            if len(base) > _MAX_DEFAULT_NAME:
                base = f"{base[: _MAX_DEFAULT_NAME - 3]}..."
            name = base
            while name in taken:
                numbers[base] += 1
                name = f"{base} {numbers[base] + 1}"
            taken.add(name)
            entrant = Entrant(name, entrant.player, entrant.control)
        rows.append(entrant)
    return tuple(rows)


def choose_seed(seed: int | None, entrants: Iterable[Entrant]) -> int:
    """Return the seed, or if it is None: 0, or a random seed if external players take part.

    All dice and openings follow from the seed, so an external player must not be able to guess it.
    """
    if seed is not None:
        return seed
    # 53 bits: any JSON reader keeps them exactly.
    return secrets.randbits(53) if any(is_external(entrant.player) for entrant in entrants) else 0


def is_external(player: str) -> bool:
    """Return whether a player spec runs a program or a file of the user."""
    return player.partition(":")[0] in EXTERNAL_KINDS


def game_file(plan: Plan) -> str:
    """Return the Python file of a plan's game; empty if the game is an installed one."""
    return plan.game if ".py" in plan.game else ""


def external_parts(plan: Plan) -> list[str]:
    """Return what playing a plan runs from outside the package: a game file, programs, agents."""
    external = [entrant.player for entrant in plan.entrants if is_external(entrant.player)]
    return [*filter(None, [game_file(plan)]), *dict.fromkeys(external)]
