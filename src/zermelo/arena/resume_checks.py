"""Before a run goes on: whether what its store names may be run here, and whether its agents are what they were.

A store is data from anywhere, and its plan names programs, agents and files of games. Those of a run that was begun
here may be run: such a store has a number by chance, which is kept with the plan's digest in the user's folder, too.
For any other whoever resumes it has to say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zermelo._util.text import quoted
from zermelo.arena.plans.plan import Plan, is_outside
from zermelo.errors import StoreError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.store import Store

#: So many of what would be run are told.
_TOLD = 5


def file_of_game(plan: Mapping[str, Any]) -> str:
    """The file whose game is played, as the plan names it; empty for a game that is installed."""
    game = str(plan.get("game", ""))
    return game if ".py" in game else ""


def outside_parts(plan: Mapping[str, Any]) -> list[str]:
    """What is executed where a plan is played: a file with a game, programs, agents."""
    entrants = plan.get("entrants")
    told = (
        [each.get("player", each.get("text")) for each in entrants if isinstance(each, dict)]
        if isinstance(entrants, list)
        else []
    )
    texts = [text for text in told if isinstance(text, str) and is_outside(text)]
    return [*filter(None, [file_of_game(plan)]), *dict.fromkeys(texts)]


def check_trusted(store: Store) -> None:
    """Raises `StoreError`, with what would be run, for a store that was not begun here and has something run."""
    parts = outside_parts(store.plan)
    if not parts or store.is_ours:
        return
    told = ", ".join(map(quoted, parts[:_TOLD])) + (f" and {len(parts) - _TOLD} more" if len(parts) > _TOLD else "")
    raise StoreError(
        f"{store.path}: not begun here by you, and it would run {told}; with --trust it does, if you know who made it"
    )


def check_unchanged(plan: Plan, store: Store) -> None:
    """Raises `StoreError` where an agent is not the file any more that played the games so far."""
    from zermelo import registry
    from zermelo.arena.players.specs import player_for

    agents = [entrant for entrant in plan.entrants if entrant.player.startswith("python:")]
    versions = store.versions() if agents else {}
    for entrant in agents:
        # The digest stands last; the version of Python may have changed.
        played = {version.rpartition(" ")[2] for version in versions.get(entrant.name, ())} - {""}
        if not played:
            continue
        try:
            player = player_for(registry.load(plan.game), entrant.player)
        except ZermeloError as error:
            raise StoreError(f"{store.path}: player {entrant.name}: {error}") from None
        player.close()
        if played != {player.version.rpartition(" ")[2]}:
            path = entrant.player.removeprefix("python:")
            raise StoreError(
                f"{store.path}: {path} is not the file any more that played its games; "
                "bring that one back, or begin anew with another store"
            )
