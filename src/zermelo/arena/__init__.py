"""Matches and tournaments between players, with ratings, on one machine or many.

from zermelo import arena

table = arena.match("connect4", "lines:2", "random", games=20)
table.rows[0].name, table.difference.elo
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zermelo.arena.export import ExportSummary, export_games
    from zermelo.arena.game_record import GameJob, GameRecord, GameResult, MoveReport
    from zermelo.arena.leagues import play_league
    from zermelo.arena.matches import match, play, play_tournament, resume, standings
    from zermelo.arena.plans.entrants import Entrant, parse_entrants
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
    from zermelo.arena.store import Store
    from zermelo.arena.tables.league import League
    from zermelo.arena.tables.standings import Standings
    from zermelo.arena.tournament import Tournament
    from zermelo.core.player_view import PlayerView

# Modules are imported on first use: a worker needs only a few of them and starts faster.
_MODULES = {
    "export": ("ExportSummary", "export_games"),
    "game_record": ("GameJob", "GameRecord", "GameResult", "MoveReport"),
    "leagues": ("play_league",),
    "matches": ("match", "play", "play_tournament", "resume", "standings"),
    "plans.entrants": ("Entrant", "parse_entrants"),
    "plans.plan": ("Plan",),
    "players.objects": ("PlayerView",),
    "players.player": ("GameSetup", "PlayResult", "Player", "Turn"),
    "store": ("Store",),
    "tables.league": ("League",),
    "tables.standings": ("Standings",),
    "tournament": ("Tournament",),
}

__all__ = [
    "Entrant",
    "ExportSummary",
    "GameJob",
    "GameRecord",
    "GameResult",
    "GameSetup",
    "League",
    "MoveReport",
    "Plan",
    "PlayResult",
    "Player",
    "PlayerView",
    "Standings",
    "Store",
    "Tournament",
    "Turn",
    "export_games",
    "match",
    "parse_entrants",
    "play",
    "play_league",
    "play_tournament",
    "resume",
    "standings",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
