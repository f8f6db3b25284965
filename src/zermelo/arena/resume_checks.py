"""Checks before a tournament is resumed: trust in what its store names, and unchanged agents.

A store is data of unknown origin, and its plan names programs, agents and game files. They are run without asking only
if the run was started here: such a store holds a random number whose digest, together with the plan's, is also in the
user's data directory. For other stores the user must say so (`--trust`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.arena.plans.entrants import external_parts
from zermelo.errors import StoreError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.store import Store

# Maximum number of external parts that a message lists.
_MAX_LISTED = 5


def check_trusted(store: Store) -> None:
    """Raise `StoreError` if the store was not started here and its plan runs external programs or files."""
    parts = external_parts(store.plan)
    if not parts or store.was_started_here:
        return
    more = f" and {len(parts) - _MAX_LISTED} more" if len(parts) > _MAX_LISTED else ""
    raise StoreError(
        f"{store.path}: not started here, and it would run {', '.join(map(quoted, parts[:_MAX_LISTED]))}{more}; "
        "use --trust if you trust its author"
    )


def check_unchanged(plan: Plan, store: Store) -> None:
    """Raise `StoreError` if the file of a Python agent has changed since it played games of this store."""
    from zermelo import registry
    from zermelo.arena.players.specs import player_for

    agents = [entrant for entrant in plan.entrants if entrant.player.startswith("python:")]
    versions = store.versions() if agents else {}
    for entrant in agents:
        # The digest of the file is the last word of the version; the version of Python before it may change.
        digests = {version.rpartition(" ")[2] for version in versions.get(entrant.name, ())} - {""}
        if not digests:
            continue
        try:
            player = player_for(registry.load(plan.game), entrant.player)
        except ZermeloError as error:
            raise StoreError(f"{store.path}: player {entrant.name}: {error}") from None
        player.close()
        if digests != {player.version.rpartition(" ")[2]}:
            path = entrant.player.removeprefix("python:")
            raise StoreError(
                f"{store.path}: {path} has changed since it played; restore the file, or start again with a new store"
            )
