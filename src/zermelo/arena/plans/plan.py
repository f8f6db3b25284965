"""Tournament plans: game, players, format, openings and limits.

    plan = Plan.from_file("club.toml")
    plan = Plan("othello", parse_entrants(["random", "Strong=engine:depth=6"]), games=10, openings="plies=8")

A plan is checked when it is made and is plain data afterwards. It is stored with the games, and resuming needs nothing
else: paths are made absolute, and openings from a file or book are copied into the plan.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import InitVar, asdict, dataclass, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from zermelo._util.text import did_you_mean, quoted
from zermelo._util.user_files import shown_path
from zermelo.arena.plans.entrants import MAX_NAME_LENGTH, Entrant, choose_seed, external_parts, game_file
from zermelo.arena.players.options import with_paths
from zermelo.errors import FileError, LimitError, UnknownGame, ZermeloError
from zermelo.protocols import ENGINE_PROTOCOLS

#: Tournament formats; see `zermelo.arena.plans.schedule`.
FORMATS = ("match", "round-robin", "gauntlet", "knock-out", "swiss")
#: Maximum number of players, of games per pairing, of games in total, of rounds of a Swiss tournament.
MAX_ENTRANTS, MAX_GAMES, MAX_TOTAL_GAMES, MAX_ROUNDS = 1_000, 1_000_000, 10_000_000, 1_000
MAX_TEXT_LENGTH = 5_000
#: Openings that stand for the game's default: 4 random plies, or the start position in games of chance, whose dice vary
#: the games. The plan that is made has their value.
DEFAULT_OPENINGS = "default"
# Names of fields in stores of schema version 1.
_OLD_FIELDS = {"most_plies": "max_plies", "book": "opening_lines"}
_OLD_ENTRANT_FIELDS = {"text": "player"}


@dataclass(frozen=True)
class Plan:
    """A match or tournament to play.

    Parameters
    ----------
    game : str
        Name of the game, or path/to/game.py:Class.
    entrants : tuple of Entrant
        The players, 2 to 1,000; see `parse_entrants`.
    format : str
        One of `FORMATS`: "match", "round-robin", "gauntlet", "knock-out", "swiss".
    games : int
        Games per pairing (Swiss: per pairing and round). Even, because each opening is played twice with reversed
        sides, or 1.
    rounds : int
        Rounds of a Swiss tournament; 0: ceil(log2(players)) + 1.
    openings : str
        Where games begin, such as "plies=8" or "file:openings.pgn"; see `zermelo.arena.plans.openings`. "start"
        or "": the start position. "default": 4 random plies, or the start position in games of chance.
    control : str
        Time control or search limit, such as "seconds=0.1" or "clock=60+0.6"; see `zermelo.arena.players.clock`.
    adjudication : str
        Rules that end games early; see `zermelo.arena.adjudication`.
    seed : int
        Seed of openings, dice, drawing of lots and random players; 0 to 2**63 - 1.
    max_plies : int
        A game that reaches this many plies is a draw; 1 to 1,000,000.
    sprt : str
        Sequential test that ends a match, such as "elo0=0,elo1=10"; see `zermelo.arena.sprt`.
    title : str
        Title of the tournament.
    opening_lines : tuple of str
        The openings of a file or book, as `START|MOVES`; filled in when the plan is made.
    is_checked : bool
        Skip the checks of game, players and openings, for a plan that comes from a store.

    Raises
    ------
    LimitError
        A value is out of range or a text has no meaning.
    UnknownGame
        The game or a player is unknown.
    FormatError
        The openings file cannot be read.
    """

    game: str
    entrants: tuple[Entrant, ...]
    format: str = "round-robin"
    games: int = 2
    rounds: int = 0
    openings: str = ""
    control: str = ""
    adjudication: str = ""
    seed: int = 0
    max_plies: int = 1000
    sprt: str = ""
    title: str = ""
    opening_lines: tuple[str, ...] = ()
    is_checked: InitVar[bool] = False

    def __post_init__(self, is_checked: bool) -> None:
        self._check_numbers()
        self._check_texts()
        if not is_checked:
            self._resolve(Path())

    # ---- JSON and TOML -------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON data."""
        entrants = [asdict(entrant) for entrant in self.entrants]
        return asdict(self) | {"entrants": entrants, "opening_lines": list(self.opening_lines)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Plan:
        """Return the plan of `as_dict` data, also of older versions. Game and players are not looked up again."""
        try:
            types = {field.name: {"str": str, "int": int}.get(str(field.type), list) for field in fields(cls)}
            values = {name: value for name, value in _renamed(data, _OLD_FIELDS).items() if name in types}
            rows = [_renamed(entrant, _OLD_ENTRANT_FIELDS) for entrant in values["entrants"]]
            lines = values.get("opening_lines", [])
            texts = chain(lines, *(row.values() for row in rows))
            if not all(type(value) is types[name] for name, value in values.items()) or set(map(type, texts)) - {str}:
                raise TypeError
            values |= {"entrants": tuple(Entrant(**row) for row in rows), "opening_lines": tuple(lines)}
            return cls(**values, is_checked=True)
        except (KeyError, TypeError, AttributeError):
            raise LimitError("not a tournament plan: a field is missing or has the wrong type") from None

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        changes: Mapping[str, Any] | None = None,
        announce: Callable[[list[str]], None] | None = None,
    ) -> Plan:
        """Read a plan from a TOML file; paths in it are relative to the file.

        No program is started. A game file is imported, after everything that can be checked without it is valid.

        Parameters
        ----------
        path : path
            The file.
        changes : mapping, optional
            Parameters of `Plan` that replace those of the file. Paths in them are relative to the working directory.
        announce : callable, optional
            Called with what the plan runs from outside the package (game file, programs, agents), if anything, before
            any of it is loaded.

        Raises
        ------
        FileError
            The file, or the openings file it names, cannot be read.
        LimitError
            The file is not a valid plan. Both messages begin with the file name.
        """
        from zermelo.arena.plans.plan_file import read_plan_file

        path = Path(path)
        try:
            values = read_plan_file(path) | dict(changes or {})
            if changes and "openings" in changes:
                values["openings"] = _absolute_openings(changes["openings"], Path())
            values["seed"] = choose_seed(values.get("seed"), values["entrants"])
            plan = cls(**values, is_checked=True)
            plan._resolve(path.parent, announce)
        except FileError as error:
            raise FileError(f"{shown_path(path)}: {error}") from None
        except ZermeloError as error:
            raise LimitError(f"{shown_path(path)}: {error}") from None
        return plan

    # ---- checks --------------------------------------------------------------------------------------------------

    def _check_numbers(self) -> None:
        if self.format not in FORMATS:
            raise LimitError(f"unknown format {quoted(self.format)}; {did_you_mean(self.format, FORMATS)}")
        count = len(self.entrants)
        if self.format == "match" and count != 2:
            raise LimitError(f"a match needs exactly two players (got {count})")
        if count < 2:
            raise LimitError(f"a tournament needs at least two players (got {count})")
        if count > MAX_ENTRANTS:
            raise LimitError(f"a tournament has at most {MAX_ENTRANTS:,} players (got {count:,})")
        if not 1 <= self.games <= MAX_GAMES:
            raise LimitError(f"games must be between 1 and {MAX_GAMES:,} (got {self.games})")
        if self.games > 1 and self.games % 2:
            raise LimitError(
                f"games must be even or 1 (got {self.games}): each opening is played twice with reversed sides; "
                f"use {self.games - 1} or {self.games + 1}"
            )
        if not 0 <= self.rounds <= MAX_ROUNDS:
            raise LimitError(f"rounds must be between 1 and {MAX_ROUNDS:,}, or 0 for the default (got {self.rounds})")
        if self.rounds and self.format != "swiss":
            raise LimitError(f"rounds={self.rounds}: only format 'swiss' takes a number of rounds; leave it out")
        pairings = {"round-robin": count * (count - 1) // 2, "swiss": (self.rounds or 1) * (count // 2)}
        total = pairings.get(self.format, count) * self.games
        if total > MAX_TOTAL_GAMES:
            raise LimitError(f"too many games: at most {MAX_TOTAL_GAMES:,} in total (got {total:,})")
        if not 1 <= self.max_plies <= 1_000_000:
            raise LimitError(f"max_plies must be between 1 and 1,000,000 (got {self.max_plies})")
        if not 0 <= self.seed < 1 << 63:
            raise LimitError(f"seed must be between 0 and {(1 << 63) - 1} (got {self.seed})")
        if self.sprt and self.format != "match":
            raise LimitError(f"sprt needs format 'match', with two players (got {quoted(self.format)})")
        if self.sprt and self.games == 1:
            raise LimitError("sprt needs an even number of games: the test counts game pairs (got 1)")

    def _check_texts(self) -> None:
        for key in ("game", "openings", "control", "adjudication", "sprt", "title"):
            text = getattr(self, key)
            if not text.isprintable() or len(text) > MAX_TEXT_LENGTH:
                raise LimitError(
                    f"{key} {quoted(text)} must be one line of at most {MAX_TEXT_LENGTH:,} printable characters"
                )
        for entrant in self.entrants:
            name = entrant.name
            if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
                raise LimitError(
                    f"player name {quoted(name)} must have 1 to {MAX_NAME_LENGTH} printable characters; "
                    "name a player with NAME=PLAYER"
                )
        names = Counter(entrant.name for entrant in self.entrants)
        for name, times in names.items():
            if times > 1:
                raise LimitError(f"two players are named {quoted(name)}; name them with NAME=PLAYER")

    def _check_without_game(self) -> None:
        """Check all that does not depend on the game: limits, syntax, and that files and programs exist."""
        from zermelo.arena.adjudication import Adjudication
        from zermelo.arena.plans.openings import check_openings
        from zermelo.arena.players.specs import check_spec

        self._check_controls(check_spec)
        Adjudication.parse(self.adjudication)
        if self.openings != DEFAULT_OPENINGS:
            check_openings(self.openings)

    def _check_meaning(self) -> None:
        """Check that game, players, limits, adjudication and test exist and fit together."""
        from zermelo import registry
        from zermelo.arena.adjudication import Adjudicator
        from zermelo.arena.players.specs import check_player

        cls = registry.load(self.game)
        self._check_controls(partial(check_player, cls))
        Adjudicator(cls, self.adjudication)

    def _check_controls(self, check_player: Callable[[str], None]) -> None:
        """Check the players, with `check_player`, and all limits and tests."""
        from zermelo.arena.players.clock import TimeControl
        from zermelo.arena.sprt import Sprt

        TimeControl.parse(self.control)
        for entrant in self.entrants:
            try:
                TimeControl.parse(entrant.control)
                check_player(entrant.player)
            except ZermeloError as error:
                if entrant.name == entrant.player:
                    raise
                kind = UnknownGame if isinstance(error, UnknownGame) else LimitError
                raise kind(f"player {entrant.name}: {error}") from None
        if self.sprt:
            Sprt.parse(self.sprt)

    def _resolve(self, base: Path, announce: Callable[[list[str]], None] | None = None) -> None:
        """Make paths absolute (relative to `base`), check all names, copy the openings of a file or book.

        A game file is code: it is announced and loaded when all that can be checked without it is valid.
        """
        from zermelo import registry
        from zermelo.arena.plans.openings import openings_for, read_opening_lines

        entrants = tuple(replace(each, player=_absolute_player(each.player, base)) for each in self.entrants)
        object.__setattr__(self, "entrants", entrants)
        object.__setattr__(self, "game", _absolute_game(self.game, base))
        object.__setattr__(self, "openings", _absolute_openings(self.openings, base))
        self._check_texts()  # a directory of the path may not be text
        parts = external_parts(self) if announce is not None else []
        loads_file = bool(game_file(self))
        if loads_file:
            self._check_without_game()
            if parts and announce is not None:
                announce(parts)
        self._check_meaning()
        if self.openings == DEFAULT_OPENINGS:
            object.__setattr__(self, "openings", "" if registry.load(self.game).has_chance else "plies=4")
        if not self.opening_lines:
            object.__setattr__(self, "opening_lines", read_opening_lines(self))
        openings_for(self).at(0)
        if parts and announce is not None and not loads_file:
            announce(parts)


def _renamed(data: dict[str, Any], old_names: dict[str, str]) -> dict[str, Any]:
    """Return data under the current names of its fields. Raises `KeyError` if it has both names of a field."""
    renamed = {old_names.get(name, name): value for name, value in data.items()}
    if len(renamed) != len(data):
        raise KeyError
    return renamed


def _absolute_game(game: str, base: Path) -> str:
    path, colon, name = game.rpartition(":")
    if colon and path.endswith(".py"):
        return f"{_absolute(path, base)}:{name}"
    return _absolute(game, base) if game.endswith(".py") else game


def _absolute_openings(openings: str, base: Path) -> str:
    if openings == "start":
        return ""
    kind, _, path = openings.partition(":")
    return f"{kind}:{_absolute(path, base)}" if kind in ("file", "book") else openings


def _absolute_player(spec: str, base: Path) -> str:
    spec = with_paths(spec, lambda path: _absolute(path, base))
    kind, _, rest = spec.partition(":")
    if kind == "python":
        path, colon, name = rest.rpartition(":")
        if colon and path.endswith(".py"):
            return f"python:{_absolute(path, base)}:{name}"
        return f"python:{_absolute(rest, base)}" if rest else spec
    if kind in ENGINE_PROTOCOLS:
        options, colon, command = rest.partition(":")
        if not colon or "=" not in options:
            options, colon, command = "", "", rest
        program, blank, arguments = command.partition(" ")
        if "/" in program and (base / program).exists():  # other programs are found on the PATH
            return f"{kind}:{options}{colon}{_absolute(program, base)}{blank}{arguments}"
    return spec


def _absolute(path: str, base: Path) -> str:
    return str((base / os.path.expanduser(path)).absolute()) if path else path
