"""Checks of what a store names before any of it runs: trust in its files and programs, unchanged files of players.

A store is data of unknown origin, and its plan names programs, agents and game files. They are run without asking only
if the run was started here: such a store holds a random number whose digest, together with the plan's, is also in the
user's data directory. For other stores the user must say so (`--trust`), or name the same game file.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zermelo import registry
from zermelo.arena.plans.entrants import external_parts, game_file
from zermelo.arena.players.options import files_of
from zermelo.errors import StoreError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.store import Store
    from zermelo.core.game import State


def is_untrusted(store: Store) -> bool:
    """Return whether the plan's game is a Python file and the store was not created here."""
    return bool(game_file(store.checked_plan)) and not store.was_started_here


def is_same_file(game: str, named: str) -> bool:
    """Return whether two games are in the same Python file; of a file's games `named` may be any."""
    paths = [registry.path_of(each) for each in (game, named)]
    return all(paths) and os.path.realpath(paths[0]) == os.path.realpath(paths[1])


def load_game(store: Store, *, trust: bool = False, named: str = "") -> type[State]:
    """Load the game of a store.

    Parameters
    ----------
    store : Store
        The store.
    trust : bool
        Load a game file although the store was not created here.
    named : str
        A game that the user named: its file is loaded also if the store is not trusted.

    Raises
    ------
    StoreError
        The store is not trusted, and its game is another file.
    ZermeloError
        The game cannot be loaded; see `registry.load`.
    """
    game = store.checked_plan.game
    if is_untrusted(store) and not trust and not is_same_file(game, named):
        raise StoreError(f"{store.path}: its game is {untrusted_game(store)}")
    return registry.load(game)


def untrusted_game(store: Store) -> str:
    """Name the game file of a store that is not trusted, and say what to do."""
    return (
        f"{store.checked_plan.game}, which is not loaded: the store was not created here; "
        "use --trust if you trust its author"
    )


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
