"""Checks before a tournament is resumed: trust in what its store names, and unchanged files of players.

A store is data of unknown origin, and its plan names programs, agents and game files. They are run without asking only
if the run was started here: such a store holds a random number whose digest, together with the plan's, is also in the
user's data directory. For other stores the user must say so (`--trust`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.arena.plans.entrants import external_parts
from zermelo.arena.players.options import files_of
from zermelo.errors import StoreError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.store import Store


def check_trusted(store: Store) -> None:
    """Raise `StoreError` if the store was not started here and its plan runs external programs or files.

    The notes of the error (`__notes__`) name all of them, in full.
    """
    parts = external_parts(store.checked_plan)
    if not parts or store.was_started_here:
        return
    error = StoreError(
        f"{store.path}: not started here, and it would run what is listed above; use --trust if you trust its author"
    )
    for part in parts:
        error.add_note(f"would run: {part}")
    raise error


def check_unchanged(plan: Plan, store: Store) -> None:
    """Raise `StoreError` if a file of a player (agent, weights, book) has changed since its first game."""
    from zermelo import registry
    from zermelo.arena.players.specs import player_for

    with_files = [each for each in plan.entrants if each.player.startswith("python:") or files_of(each.player)]
    versions = store.versions() if with_files else {}
    for entrant in with_files:
        # The digest of the files is the last word of the version; the version of Python before it may change.
        digests = {version.rpartition(" ")[2] for version in versions.get(entrant.name, ())} - {""}
        if not digests:
            continue
        try:
            player = player_for(registry.load(plan.game), entrant.player)
        except ZermeloError as error:
            raise StoreError(f"{store.path}: player {entrant.name}: {error}") from None
        player.close()
        if digests != {player.version.rpartition(" ")[2]}:
            path = " or ".join(files_of(entrant.player)) or entrant.player.removeprefix("python:")
            raise StoreError(
                f"{store.path}: {path} has changed since it played; restore the file, or start again with a new store"
            )
