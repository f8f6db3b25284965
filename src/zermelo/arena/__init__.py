"""Players against one another: matches, tournaments, ratings, on one machine or many.

from zermelo import arena

table = arena.match("connect4", "lines:2", "random", games=20)
table.rows[0].name, table.difference.elo
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zermelo.arena.matches import match, play
    from zermelo.arena.plans.plan import Entrant, Plan
    from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
    from zermelo.arena.store import Store
    from zermelo.arena.tables.standings import Standings

__all__ = ["Entrant", "GameSetup", "Plan", "PlayResult", "Player", "Standings", "Store", "Turn", "match", "play"]

# A worker needs little of the arena, and starts the sooner.
_PLACES = {
    "matches": ("match", "play"),
    "plans.plan": ("Entrant", "Plan"),
    "players.player": ("PlayResult", "Player", "GameSetup", "Turn"),
    "store": ("Store",),
    "tables.standings": ("Standings",),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for place, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{place}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
