"""Participants of a tournament, and what a plan runs from outside the package."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

#: Maximum length of a name in the table, in characters.
MAX_NAME_LENGTH = 80
#: Kinds of player specs that run a program or a file of the user.
EXTERNAL_KINDS = ("python", "uci", "gtp")
_MAX_DEFAULT_NAME = MAX_NAME_LENGTH - 5  # leaves room for a number
# NAME=SPEC. A name has no colon, so `engine:depth=6` is a spec without a name.
_NAMED = re.compile(r"\s*([^:=,]{1,200})=(.+)", re.DOTALL)


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
    return with_default_names([parse_entrant(text) for text in texts])


def parse_entrant(text: str) -> Entrant:
    """Parse `SPEC` or `NAME=SPEC`; without a name the entrant's name is empty."""
    found = _NAMED.fullmatch(text)
    return Entrant(found[1].strip(), found[2].strip()) if found else Entrant("", text.strip())


def with_default_names(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Name entrants without a name after their specs, followed by a number if that name is taken."""
    taken = {entrant.name for entrant in entrants}
    rows = []
    for entrant in entrants:
        name, number = entrant.name, 1
        if not name:
            base = entrant.player
            if len(base) > _MAX_DEFAULT_NAME:
                base = f"{base[: _MAX_DEFAULT_NAME - 3]}..."
            name = base
            while name in taken:
                number += 1
                name = f"{base} {number}"
            taken.add(name)
        rows.append(replace(entrant, name=name))
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


def game_file(plan: Mapping[str, Any]) -> str:
    """Return the Python file of a plan's game, from the plan as JSON; empty if the game is an installed one."""
    game = str(plan.get("game", ""))
    return game if ".py" in game else ""


def external_parts(plan: Mapping[str, Any]) -> list[str]:
    """Return what playing a plan runs from outside the package: a game file, programs, agents.

    Parameters
    ----------
    plan : mapping
        The plan as JSON, possibly from an untrusted store.
    """
    entrants = plan.get("entrants")
    rows = [each for each in entrants if isinstance(each, dict)] if isinstance(entrants, list) else []
    players = [each.get("player", each.get("text")) for each in rows]  # "text" in stores of schema version 1
    external = [player for player in players if isinstance(player, str) and is_external(player)]
    return [*filter(None, [game_file(plan)]), *dict.fromkeys(external)]
