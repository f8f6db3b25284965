"""A league of students' agents: a folder of Python files, and what each of their games says to whoever wrote it.

files = agents_in(Path("agents"))               anna_meyer.py, ben.py, ...: a player each, called by its file
plan = plan_for(files, "othello", ...)          a round robin, with players of ours among them if wanted
... tournament.Run(plan, store).go(crew) ...
league = gathered(plan, store, files)           results, failures with reasons, time used, of each student
write(league, Path("reports"))                  league_page.py: index.html, students/NAME.html and NAME.json
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from zermelo._util.text import quoted
from zermelo.arena.game_record import GameRecord
from zermelo.arena.plans.plan import LONGEST_NAME, Entrant, Plan, named, seed_or_drawn
from zermelo.arena.replay import replay
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Count, Row, Standings
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FileError, InputError, ZermeloError

#: Agents in a folder, at most.
MOST_AGENTS = 200
#: Bytes of a file's name without `.py`; the reports are called so, too, and systems take 255.
LONGEST_FILE = 200


@dataclass(frozen=True)
class Agent:
    """A student's file. `unfit`: why it cannot take part (no text, too long); None where it can, whatever is in it.

    `name`: the file's without `.py`; where that can be no name in a table, as much of it as can.
    """

    name: str
    path: Path
    unfit: str | None = None

    @property
    def file(self) -> str:
        """The file's name as a text, whatever bytes it is of."""
        return os.fsencode(self.path.name).decode("utf-8", "replace")


@dataclass(frozen=True)
class Game:
    """A game from the side of one player."""

    number: int
    other: str
    #: What the player was: black, crosses.
    side: str
    #: 1, 1/2 or 0.
    points: float
    #: Why it ended, and what there is to say of it.
    termination: str
    detail: str
    #: Whether its own failure lost it, or that of the other won it.
    failed: bool
    other_failed: bool
    plies: int
    #: Its own moves, the seconds for all, and for the slowest.
    moves: int
    seconds: float
    most: float
    #: The moves of both, in the game's notation.
    line: str
    #: The text of the last position; the state itself and the one before for whoever draws them.
    last: str
    states: tuple[State, State | None] = field(repr=False, compare=False)

    @property
    def result(self) -> str:
        """In a word."""
        return {1: "won", 0.5: "draw"}.get(self.points, "lost")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "states"} | {
            "result": self.result
        }


@dataclass
class Student:
    """An agent and what became of it. `row` is None for one that could not take part."""

    agent: Agent
    row: Row | None = None
    games: list[Game] = field(default_factory=list)

    @property
    def name(self) -> str:
        """As in the table."""
        return self.agent.name

    @property
    def failures(self) -> list[Game]:
        """The games that it lost by its own failure."""
        return [game for game in self.games if game.failed]

    @property
    def most(self) -> float:
        """The seconds of its slowest move."""
        return max((game.most for game in self.games), default=0.0)

    def as_dict(self, league: League) -> dict[str, Any]:
        """For JSON: everything in the report."""
        row = self.row
        return {
            "name": self.name,
            "file": self.agent.file,
            "league": league.plan.title,
            "game": league.plan.game,
            "unfit": self.agent.unfit,
            "players": len(league.standings.rows),
            "standing": row.as_dict() if row else None,
            "slowest_move": self.most,
            "games": [game.as_dict() for game in self.games],
        }


@dataclass
class League:
    """All of it: the plan, the table, the students in the order of the table, and who was not of the class."""

    plan: Plan
    standings: Standings
    students: list[Student]
    is_over: bool = True

    @property
    def names(self) -> set[str]:
        """The students'."""
        return {student.name for student in self.students}


def agents_in(folder: Path, game: str) -> list[Agent]:
    """The agents of a folder: its files *.py in the order of names, those left out that begin with _ or a dot.

    Nothing in them is executed. Raises `ZermeloError` where there is no such folder, or nothing in it.
    """
    from zermelo import registry
    from zermelo.arena.players.specs import check_player

    if not folder.is_dir():
        raise FileError(f"{folder}: no folder; a league is of a folder of agents, a file a student")
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".py" and path.name[0] not in "._")
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    if not paths:
        raise FileError(f"{folder}: no agent in it; an agent is a file NAME.py with a function choose(state)")
    if len(paths) > MOST_AGENTS:
        raise InputError(f"{folder}: {len(paths):,} agents; a league has at most {MOST_AGENTS}")
    cls = registry.load(game)
    agents: list[Agent] = []
    taken = {path.stem for path in paths}
    for path in paths:
        name, unfit = path.stem, _unfit_name(path.stem)
        if unfit is None:
            try:
                check_player(cls, f"python:{path}")
            except ZermeloError as error:
                unfit = str(error)
        else:
            base = "".join(letter for letter in name if letter.isprintable())[:40].strip() or "agent"
            names = chain([base], (f"{base} {number}" for number in count(2)))
            name = next(each for each in names if each not in taken)
            taken.add(name)
        agents.append(Agent(name, path, unfit))
    return agents


def _unfit_name(name: str) -> str | None:
    """Why a file's name cannot stand in a table and on a page; None where it can."""
    if not name.isprintable() or not name.strip():
        return f"its name {quoted(name)} has letters that cannot be printed; rename the file"
    if len(name) > LONGEST_NAME or len(os.fsencode(name)) > LONGEST_FILE:
        return f"its name has {len(name)} letters, and at most {LONGEST_NAME} stand in a table; rename the file"
    return None


def plan_for(
    agents: Sequence[Agent],
    game: str,
    title: str,
    *,
    against: Iterable[str] = (),
    seed: int | None = None,
    **more: Any,
) -> Plan:
    """A round robin of all agents that can take part, and of players of ours (`against`: their texts).

    `seed`: None draws one. `more`: other parts of the plan. Raises what `Plan` raises.
    """
    entrants = [Entrant(agent.name, f"python:{agent.path}") for agent in agents if agent.unfit is None]
    entrants = [*named([*entrants, *(Entrant("", text) for text in against)])]
    if len(entrants) < 2:
        raise InputError("a league needs two players; --against random adds one")
    return Plan(game, tuple(entrants), "round-robin", title=title, seed=seed_or_drawn(seed, entrants), **more)


def gathered(plan: Plan, store: Store, agents: Sequence[Agent], is_over: bool = True) -> League:
    """What the games of a store say of each student."""
    count = Count([entrant.name for entrant in plan.entrants])
    students = {agent.name: Student(agent) for agent in agents}
    for played in store.games():
        count.add(played.result)
        seen = [(place, students[name]) for place, name in enumerate(played.job.names) if name in students]
        if seen:
            states = replay(played)
            moves = [state.move_name(move) for state, move in zip(states, played.moves, strict=False)]
            for place, student in seen:
                student.games.append(_game(played, place, states, " ".join(moves)))
    table = count.standings()
    for row in table.rows:
        if row.name in students:
            students[row.name].row = row
    place_of = {row.name: place for place, row in enumerate(table.rows)}
    ordered = sorted(students.values(), key=lambda each: (place_of.get(each.name, len(place_of)), each.name))
    return League(plan, table, ordered, is_over)


def _game(played: GameRecord, place: int, states: Sequence[State], line: str) -> Game:
    """A game as its MAX (0) or MIN (1) sees it."""
    times = [said.seconds for said in played.reports if said.player == place]
    return Game(
        number=played.job.number,
        other=played.job.names[1 - place],
        side=states[0].player_name((MAX, MIN)[place]),
        points=played.points if place == 0 else 1 - played.points,
        termination=played.termination,
        detail=played.detail,
        failed=played.forfeited_by == place,
        other_failed=played.forfeited_by == 1 - place,
        plies=len(played.moves),
        moves=len(times),
        seconds=sum(times),
        most=max(times, default=0.0),
        line=line,
        last=str(states[-1]),
        states=(states[-1], states[-2] if len(states) > 1 else None),
    )
