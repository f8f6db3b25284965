"""What is to be played: the game, who takes part, in what form, from which openings, under which limits.

    plan = Plan.read("club.toml")
    plan = Plan("othello", parse_entrants(["random", "Strong=engine:depth=6"]), games=10, openings="plies=8")

A plan is checked when it is made, and is plain data afterwards: it is kept with the games, and a run that goes on later
needs nothing else. So paths in it are absolute, and openings from a file or a book are copied into it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import InitVar, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from zermelo._util.text import did_you_mean, quoted
from zermelo.errors import LimitError, UnknownGame, ZermeloError

#: The forms that a tournament has; see `zermelo.arena.plans.schedule`.
FORMATS = ("match", "round-robin", "gauntlet", "knock-out", "swiss")
#: As many can take part, and as many games can two players play, and as many all of them.
MOST_ENTRANTS, MOST_GAMES, MOST_IN_ALL = 1_000, 1_000_000, 10_000_000
#: A name in the table has so many letters at most, and so many rounds a Swiss tournament.
LONGEST_NAME, MOST_ROUNDS = 80, 1_000
LONGEST_TEXT = 5_000
#: How the texts of players begin that are not ours.
OUTSIDE = ("python", "uci", "gtp")
_LONGEST_UNNAMED = LONGEST_NAME - 5  # in a name, with a number after it
# A name before a player's text: `engine:depth=6` has none, since no name has a colon.
_NAMED = re.compile(r"\s*([^:=,]{1,200})=(.+)", re.DOTALL)


# Names of fields in stores of schema version 1.
_OLD_FIELDS = {"max_plies": "max_plies", "text": "player"}


@dataclass(frozen=True)
class Entrant:
    """Who takes part: a name for the table, the player's text, and a control of its own if it has one."""

    name: str
    player: str
    control: str = ""


@dataclass(frozen=True)
class Plan:
    """What is to be played. Raises a `ZermeloError` that says what is wrong: a subclass of it for each kind of mistake.

    `games`: of each two players that meet (in one round, in a Swiss tournament); even, so that each opening is played
    twice with the sides changed, or 1. `rounds`: of a Swiss tournament; 0: as many as it takes. `openings`, `control`,
    `adjudication`, `sprt`: as texts, see there. `max_plies`: a game that is not over after so many is a draw.
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
    #: The openings of a file or a book, as many as are needed, copied when the plan was made: `START|MOVES` each.
    book: tuple[str, ...] = ()
    #: Whether it was checked before, and comes from where it was kept.
    is_kept: InitVar[bool] = False

    def __post_init__(self, is_kept: bool) -> None:
        self._check_numbers()
        self._check_names()
        if not is_kept:
            self._make_own(Path())

    # ---- as JSON -------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """For JSON; `from_dict` makes an equal plan of it."""
        return asdict(self) | {"entrants": [asdict(entrant) for entrant in self.entrants], "book": list(self.book)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Plan:
        """The plan that `as_dict` told of. The game and the players are not looked for again."""
        try:
            known = {field.name for field in fields(cls)}
            told = {_OLD_FIELDS.get(name, name): value for name, value in data.items()}
            told = {name: value for name, value in told.items() if name in known}
            told["entrants"] = tuple(
                Entrant(**{_OLD_FIELDS.get(name, name): value for name, value in entrant.items()})
                for entrant in data["entrants"]
            )
            told["book"] = tuple(data.get("book", ()))
            return cls(**told, is_kept=True)
        except (KeyError, TypeError, AttributeError):
            raise LimitError("this is no plan of a tournament: a part of it is missing, or of another kind") from None

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """The plan in a file of TOML; see `plan_file.py`. Raises a `ZermeloError` with the file's name."""
        from zermelo.arena.plans.plan_file import read

        return read(path)

    # ---- what is checked ---------------------------------------------------------------------------------------

    def _check_numbers(self) -> None:
        if self.format not in FORMATS:
            raise LimitError(f"unknown format {quoted(self.format)}; {did_you_mean(self.format, FORMATS)}")
        count = len(self.entrants)
        if count < 2 or (self.format == "match" and count != 2):
            needed = "a match is between two" if self.format == "match" else "at least two are needed"
            raise LimitError(f"{count} player{'s' * (count != 1)}: {needed}")
        if count > MOST_ENTRANTS:
            raise LimitError(f"{count:,} players: at most {MOST_ENTRANTS:,} can take part")
        if not 1 <= self.games <= MOST_GAMES:
            raise LimitError(
                f"games={self.games}: between 1 and {MOST_GAMES:,} games of each two players can be played"
            )
        if self.games > 1 and self.games % 2:
            raise LimitError(
                f"games={self.games}: each opening is played twice, with the sides changed, so the number must be even "
                f"(or 1); {self.games - 1} or {self.games + 1}?"
            )
        if not 0 <= self.rounds <= MOST_ROUNDS:
            raise LimitError(f"rounds={self.rounds}: between 1 and {MOST_ROUNDS:,}, or 0 for as many as it takes")
        if self.rounds and self.format != "swiss":
            raise LimitError(f"rounds={self.rounds}: only a swiss tournament has a number of rounds; leave it out")
        meetings = {"round-robin": count * (count - 1) // 2, "swiss": (self.rounds or 1) * (count // 2)}
        if meetings.get(self.format, count) * self.games > MOST_IN_ALL:
            raise LimitError(f"these are more than {MOST_IN_ALL:,} games; fewer games or players are needed")
        if not 1 <= self.max_plies <= 1_000_000:
            raise LimitError(f"max_plies={self.max_plies}: between 1 and 1,000,000")
        if not 0 <= self.seed < 1 << 63:
            raise LimitError(f"seed={self.seed}: a number from 0 to {(1 << 63) - 1} is needed")
        if self.sprt and self.format != "match":
            raise LimitError(f"sprt: a sequential test is for a match, of two players; this is a {self.format}")
        if self.sprt and self.games == 1:
            raise LimitError("sprt: the test counts pairs of games, so an even number of games is needed")

    def _check_names(self) -> None:
        for key in ("game", "openings", "control", "adjudication", "sprt", "title"):
            text = getattr(self, key)
            if not text.isprintable() or len(text) > LONGEST_TEXT:
                raise LimitError(
                    f"{key} {quoted(text)}: expected one line of at most {LONGEST_TEXT:,} printable letters"
                )
        for entrant in self.entrants:
            name = entrant.name
            if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
                raise LimitError(
                    f"player's name {quoted(name)}: expected 1 to {LONGEST_NAME} printable letters "
                    "(a name can be given, as in NAME=PLAYER)"
                )
        names = Counter(entrant.name for entrant in self.entrants)
        twice = [name for name, times in names.items() if times > 1]
        if twice:
            raise LimitError(
                f"two players are called {quoted(twice[0])}; give them names of their own, as in NAME=PLAYER"
            )

    def _check_players(self) -> None:
        """Whether all texts mean something for the game."""
        from zermelo import registry
        from zermelo.arena.adjudication import Adjudicator
        from zermelo.arena.players.clock import TimeControl
        from zermelo.arena.players.specs import check_player
        from zermelo.arena.sprt import Sprt

        cls = registry.load(self.game)
        TimeControl.parse(self.control)
        for entrant in self.entrants:
            try:
                TimeControl.parse(entrant.control)
                check_player(cls, entrant.player)
            except ZermeloError as error:
                if entrant.name == entrant.player:
                    raise
                kind = UnknownGame if isinstance(error, UnknownGame) else LimitError
                raise kind(f"player {entrant.name}: {error}") from None
        Adjudicator(cls, self.adjudication)
        if self.sprt:
            Sprt.parse(self.sprt)

    # ---- what is made its own ------------------------------------------------------------------------------------

    def _make_own(self, base: Path) -> None:
        """Check what the texts mean; make paths absolute and copy the openings, so that nothing else is needed."""
        entrants = tuple(replace(each, player=_located_player(each.player, base)) for each in self.entrants)
        object.__setattr__(self, "entrants", entrants)
        object.__setattr__(self, "game", _located_game(self.game, base))
        kind, _, path = self.openings.partition(":")
        if kind in ("file", "book"):
            object.__setattr__(self, "openings", f"{kind}:{_absolute(path, base)}")
        self._check_players()
        from zermelo.arena.plans.openings import book_for, openings_for

        if not self.book:
            object.__setattr__(self, "book", book_for(self))
        openings_for(self).at(0)


def located(plan: Plan, base: Path) -> Plan:
    """A plan whose paths are relative to a folder, checked and made its own. Raises what `Plan` raises."""
    plan._make_own(base)
    return plan


def seed_or_drawn(seed: int | None, entrants: Iterable[Entrant]) -> int:
    """A seed where none is given: 0; one that nobody can guess where players from outside take part.

    With it all dice and openings are known beforehand: who guesses it knows what is to come.
    """
    if seed is not None:
        return seed
    # 53 bits, which every reader of JSON keeps.
    return secrets.randbits(53) if any(is_outside(entrant.player) for entrant in entrants) else 0


def is_outside(text: str) -> bool:
    """Whether a player is a program, or a function in a file, that is not ours."""
    return text.partition(":")[0] in OUTSIDE


def parse_entrants(texts: Sequence[str]) -> tuple[Entrant, ...]:
    """Players as they are named on the command line: `TEXT` or `NAME=TEXT`.

    One without a name is called by its text; if that is taken, a number comes after it.
    """
    return named([entrant_of(text) for text in texts])


def entrant_of(text: str) -> Entrant:
    """The player that `TEXT` or `NAME=TEXT` stands for; without a name its name is empty."""
    found = _NAMED.fullmatch(text)
    return Entrant(found[1].strip(), found[2].strip()) if found else Entrant("", text.strip())


def named(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The same players, those without a name called by their texts, with a number where that is taken."""
    taken = {entrant.name for entrant in entrants}
    rows = []
    for entrant in entrants:
        name, number = entrant.name, 1
        if not name:
            text = (
                entrant.player
                if len(entrant.player) <= _LONGEST_UNNAMED
                else f"{entrant.player[: _LONGEST_UNNAMED - 3]}..."
            )
            name = text
            while name in taken:
                number += 1
                name = f"{text} {number}"
            taken.add(name)
        rows.append(replace(entrant, name=name))
    return tuple(rows)


# ---- paths ----------------------------------------------------------------------------------------------------------


def _located_game(game: str, base: Path) -> str:
    """A game with its path, if it is a file, made absolute."""
    path, colon, name = game.rpartition(":")
    if colon and path.endswith(".py"):
        return f"{_absolute(path, base)}:{name}"
    return _absolute(game, base) if game.endswith(".py") else game


def _located_player(text: str, base: Path) -> str:
    kind, _, rest = text.partition(":")
    if kind == "python":
        path, colon, name = rest.rpartition(":")
        if colon and path.endswith(".py"):
            return f"python:{_absolute(path, base)}:{name}"
        return f"python:{_absolute(rest, base)}" if rest else text
    if kind in ("uci", "gtp"):
        options, colon, command = rest.partition(":")
        if not colon or "=" not in options:
            options, colon, command = "", "", rest
        program, blank, arguments = command.partition(" ")
        if "/" in program and (base / program).exists():  # others are looked for where programs are
            return f"{kind}:{options}{colon}{_absolute(program, base)}{blank}{arguments}"
    return text


def _absolute(path: str, base: Path) -> str:
    return str((base / os.path.expanduser(path)).absolute()) if path else path
