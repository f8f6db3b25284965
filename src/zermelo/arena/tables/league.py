"""A league of students' agents: a directory of Python files, and each student's games.

agents = find_agents(Path("agents"), "othello")         anna_meyer.py, ben.py, ...: one player per file
plan = league_plan(agents, "othello", "Autumn")         a round robin, also against our players
... Tournament(plan, store).run(executor) ...
league = collect_league(plan, store, agents)            table, games, failures and times of each student
write_league(league, Path("pages"))                     league_page.py: index.html, students/NAME.html, NAME.json
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from zermelo import registry
from zermelo._util.text import quoted
from zermelo._util.user_files import list_folder, shown_path
from zermelo.arena.game_record import GameRecord
from zermelo.arena.plans.entrants import MAX_NAME_LENGTH, Entrant, choose_seed, with_default_names
from zermelo.arena.plans.plan import Plan
from zermelo.arena.replay import replay
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Row, Standings, StandingsCounter
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FileError, InputError, ZermeloError

#: Maximum number of agents.
MAX_AGENTS = 200
#: Maximum length of a file name without `.py`, in bytes: reports have the same name, and file systems allow 255.
MAX_FILE_NAME = 200


@dataclass(frozen=True)
class Agent:
    """A student's file.

    Attributes
    ----------
    name : str
        The file name without `.py`, changed if it cannot be a name in a table.
    path : Path
        The file.
    problem : str or None
        Why the agent cannot take part (not a text, too large, invalid name); None if it can.
    """

    name: str
    path: Path
    problem: str | None = None

    @property
    def file(self) -> str:
        """The file name as text, with invalid bytes escaped."""
        return shown_path(self.path.name)


@dataclass(frozen=True)
class LeagueGame:
    """A game from one player's side.

    Attributes
    ----------
    number : int
        Number of the game.
    opponent, side : str
        Name of the opponent; the player's side as the game names it (black, crosses).
    points : float
        The player's points: 1, 1/2 or 0.
    termination, detail : str
        Why the game ended.
    failed, opponent_failed : bool
        Whether the player's, or the opponent's, failure decided the game.
    plies, moves : int
        Length of the game; number of the player's own moves.
    seconds, slowest_move : float
        Thinking time for all moves and for the slowest one, in seconds.
    line, final_position : str
        The moves of both players and the final position, in the game's notation.
    states : (State, State or None)
        The final state and the one before it.
    """

    number: int
    opponent: str
    side: str
    points: float
    termination: str
    detail: str
    failed: bool
    opponent_failed: bool
    plies: int
    moves: int
    seconds: float
    slowest_move: float
    line: str
    final_position: str
    states: tuple[State, State | None] = field(repr=False, compare=False)

    @property
    def result(self) -> str:
        """The result in a word: won, draw or lost."""
        return {1: "won", 0.5: "draw"}.get(self.points, "lost")

    def as_dict(self) -> dict[str, Any]:
        """Return the game as JSON data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "states"} | {
            "result": self.result
        }


@dataclass
class Student:
    """An agent with its row of the table (None if it could not take part) and its games."""

    agent: Agent
    row: Row | None = None
    games: list[LeagueGame] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name in the table."""
        return self.agent.name

    @property
    def failures(self) -> list[LeagueGame]:
        """The games that the agent lost by a failure of its own."""
        return [game for game in self.games if game.failed]

    @property
    def slowest_move(self) -> float:
        """Thinking time of the slowest move, in seconds."""
        return max((game.slowest_move for game in self.games), default=0.0)

    def as_dict(self, league: League) -> dict[str, Any]:
        """Return the content of the report as JSON data."""
        row = self.row
        return {
            "name": self.name,
            "file": self.agent.file,
            "league": league.plan.title,
            "game": league.plan.game,
            "problem": self.agent.problem,
            "players": len(league.standings.rows),
            "standing": row.as_dict() if row else None,
            "slowest_move": self.slowest_move,
            "games": [game.as_dict() for game in self.games],
        }


@dataclass
class League:
    """A league: its plan, its table, and the students in the order of the table."""

    plan: Plan
    standings: Standings
    students: list[Student]
    is_over: bool = True

    @property
    def names(self) -> set[str]:
        """Names of the students, without our own players."""
        return {student.name for student in self.students}


def find_agents(directory: Path, game: str) -> list[Agent]:
    """Return the agents of a directory: its files *.py by name, without those that begin with `_` or `.`.

    No file is executed.

    Raises
    ------
    FileError
        The directory does not exist or has no agents.
    InputError
        There are more than 200 agents.
    """
    from zermelo.arena.players.specs import check_player

    name = shown_path(directory)
    if not os.path.isdir(directory):
        raise FileError(f"not a directory: {name}; a league needs a directory with one file per agent")
    paths = [path for path in list_folder(directory, ".py") if not path.name.startswith("_")]
    if not paths:
        raise FileError(f"{name}: no agents found; an agent is a file NAME.py with a function choose(state)")
    if len(paths) > MAX_AGENTS:
        raise InputError(f"{name}: a league has at most {MAX_AGENTS} agents (got {len(paths):,})")
    cls = registry.load(game)
    agents: list[Agent] = []
    taken = {path.stem for path in paths}
    for path in paths:
        name, problem = path.stem, _name_problem(path.stem)
        if problem is None:
            try:
                check_player(cls, f"python:{path}")
            except ZermeloError as error:
                problem = str(error)
        else:
            base = "".join(letter for letter in name if letter.isprintable())[:40].strip() or "agent"
            names = chain([base], (f"{base} {number}" for number in count(2)))
            name = next(each for each in names if each not in taken)
            taken.add(name)
        agents.append(Agent(name, path, problem))
    return agents


def _name_problem(name: str) -> str | None:
    """Return why a file name cannot be the name of a player; None if it can."""
    if not name.isprintable() or not name.strip():
        return f"the file name {quoted(name)} has unprintable characters; rename the file"
    if len(name) > MAX_NAME_LENGTH or len(os.fsencode(name)) > MAX_FILE_NAME:
        return f"the file name has {len(name)} characters, at most {MAX_NAME_LENGTH} are allowed; rename the file"
    return None


def league_plan(
    agents: Sequence[Agent],
    game: str,
    title: str,
    *,
    against: Iterable[str] = (),
    games: int = 2,
    openings: str = "",
    control: str = "",
    seed: int | None = None,
) -> Plan:
    """Return the plan of a league: a round robin of all agents that can take part.

    Parameters
    ----------
    agents : sequence of Agent
        The agents.
    game, title
        See `Plan`.
    against : iterable of str
        Specs of additional players, such as "random" or "diff:3".
    games, openings, control
        See `Plan`.
    seed : int, optional
        Seed of the plan; by default random, so that agents cannot predict openings and dice.

    Raises
    ------
    InputError
        Fewer than two players, or an invalid parameter.
    """
    rows = [Entrant(agent.name, f"python:{agent.path}") for agent in agents if agent.problem is None]
    entrants = with_default_names([*rows, *(Entrant("", spec) for spec in against)])
    if len(entrants) < 2:
        raise InputError("a league needs at least two players; add one with --against random")
    return Plan(
        game,
        entrants,
        "round-robin",
        games,
        openings=openings,
        control=control,
        seed=choose_seed(seed, entrants),
        title=title,
    )


def collect_league(plan: Plan, store: Store, agents: Sequence[Agent], is_over: bool = True) -> League:
    """Return the table and each student's games from the store of a league."""
    counter = StandingsCounter([entrant.name for entrant in plan.entrants])
    students = {agent.name: Student(agent) for agent in agents}
    cls = registry.load(plan.game)  # which is that of the user, not what the store says
    for record in store.games():
        counter.add(record.result)
        players = [(index, students[name]) for index, name in enumerate(record.job.names) if name in students]
        if players:
            states = replay(record, cls)
            moves = [state.move_name(move) for state, move in zip(states, record.moves, strict=False)]
            for index, student in players:
                student.games.append(_game(record, index, states, " ".join(moves)))
    table = counter.standings()
    for row in table.rows:
        if row.name in students:
            students[row.name].row = row
    position = {row.name: number for number, row in enumerate(table.rows)}
    ordered = sorted(students.values(), key=lambda each: (position.get(each.name, len(position)), each.name))
    return League(plan, table, ordered, is_over)


def _game(record: GameRecord, player: int, states: Sequence[State], line: str) -> LeagueGame:
    """Return a game from the side of MAX's (0) or MIN's (1) player."""
    times = [report.seconds for report in record.reports if report.player == player]
    return LeagueGame(
        number=record.job.number,
        opponent=record.job.names[1 - player],
        side=states[0].player_name((MAX, MIN)[player]),
        points=record.points if player == 0 else 1 - record.points,
        termination=record.termination,
        detail=record.detail,
        failed=record.forfeited_by == player,
        opponent_failed=record.forfeited_by == 1 - player,
        plies=len(record.moves),
        moves=len(times),
        seconds=sum(times),
        slowest_move=max(times, default=0.0),
        line=line,
        final_position=str(states[-1]),
        states=(states[-1], states[-2] if len(states) > 1 else None),
    )
