"""Games for tests of the store and of export: invented, or played with random moves."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from zermelo.arena.game_course import chance_move
from zermelo.arena.game_record import BY_RULES, TOO_MANY_MOVES, GameJob, GameRecord, MoveReport
from zermelo.arena.plans.entrants import Entrant
from zermelo.arena.plans.plan import Plan
from zermelo.arena.referee import dice_for
from zermelo.arena.store import rows
from zermelo.arena.store.schema import COLUMNS, RESULT_COLUMNS
from zermelo.core.game import CHANCE, MAX

#: Players of `made_up`, of `played_out`, and of the tests that rename them.
NAMES = ("diff:3", 'ran"dom, the é', *(f"{name}{number}" for name in ("one ", "two ", "a", "b") for number in range(3)))


def plan_of(game: str = "othello", **changed: object) -> dict[str, Any]:
    """The plan of a store for games that these functions return."""
    entrants = tuple(Entrant(name, "random") for name in NAMES)
    return Plan(game, entrants, is_checked=True, **changed).as_dict()  # type: ignore[arg-type]


def made_up(number: int, **changed: object) -> GameRecord:
    """An invented game of sixty plies, determined by its number."""
    random = Random(number)
    job = GameJob(
        number,
        "othello",
        ("diff:3", "random"),
        ("diff:3", 'ran"dom, the é'),
        opening=(44, 29),
        seed=random.getrandbits(62),
        controls=("seconds=0.1", ""),
        round=number // 4,
        game_pair=number // 2,
    )
    moves = tuple(random.randrange(65) for _ in range(60))
    reports = tuple(
        MoveReport(
            ply % 2, random.random(), random.randrange(10**6), ply % 7, random.choice((None, random.randrange(-99, 99)))
        )
        for ply in range(58)
    )
    played = {
        "job": job,
        "moves": moves,
        "points": random.choice((0.0, 0.5, 1.0)),
        "utility": random.randrange(-64, 65),
        "termination": BY_RULES,
        "reports": (MoveReport(), MoveReport(), *reports),
        "versions": ("zermelo 0.1.0", "zermelo 0.1.0"),
        "referee_version": "0.1.0",
        "started_at": 1_700_000_000.125 + number,
        "seconds": random.random(),
    }
    return GameRecord(**{**played, **changed})  # type: ignore[arg-type]


def played_out(name: str, number: int, plies: int = 1000, start: str = "", says: bool = True) -> GameRecord:
    """A game of random legal moves, at most `plies` long."""
    from zermelo.registry import load

    random = Random(number)
    cls = load(name)
    state = cls.parse(start) if start else cls.start()
    dice = dice_for(GameJob(number, name, ("", ""), ("", ""), seed=number))
    moves: list[int] = []
    reports: list[MoveReport] = []
    while not state.is_over() and len(moves) < plies:
        side = state.to_move()
        move = chance_move(state, dice) if side == CHANCE else random.choice(state.legal_moves())
        thought = MoveReport(
            int(side != MAX), round(random.random(), 6), random.randrange(1000), 3, random.randrange(-300, 300)
        )
        reports.append(MoveReport() if side == CHANCE or not says else thought)
        moves.append(move)
        state = state.play(move)
    utility = int(state.utility()) if state.is_over() else None
    sign = utility or 0
    job = GameJob(
        number,
        name,
        ("random", "random"),
        (f"one {number % 3}", f"two {number % 2}"),
        start=start,
        seed=number,
        controls=("seconds=1", "clock=60+0.6"),
        round=number // 2,
        game_pair=number // 2,
        max_plies=plies,
    )
    return GameRecord(
        job,
        tuple(moves),
        0.5 if not sign else float(sign > 0),
        utility,
        BY_RULES if utility is not None else TOO_MANY_MOVES,
        reports=tuple(reports),
        versions=("zermelo 0.1.0", "Stockfish 15.1"),
        referee_version="0.1.0",
        started_at=1_700_000_000.0 + number,
        seconds=1.5,
    )


def change_property(path: Path, name: str, change: Callable[[str], str]) -> None:
    """Change a property of a closed store, with the right digest, as somebody who writes stores by hand."""
    with closing(sqlite3.connect(path)) as connection, connection:
        (value,) = connection.execute("SELECT value FROM store WHERE name = ?", [name]).fetchone()
        value = change(value)
        row = [value, rows.digest([name, value]), name]
        connection.execute("UPDATE store SET value = ?, digest = ? WHERE name = ?", row)


def forge_game(path: Path, number: int, **columns: object) -> None:
    """Change columns of a game in a closed store, with right digests of the game and of the table."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, value in columns.items():
            connection.execute(f"UPDATE games SET {name} = ? WHERE number = ?", [value, number])
        table = rows.TableDigest()
        for row in connection.execute(f"SELECT {', '.join(COLUMNS)} FROM games").fetchall():
            *results, _, _ = row[: len(RESULT_COLUMNS) + 2]
            forged = rows.with_digests(results, list(row[len(RESULT_COLUMNS) + 2 :]))
            content_digest, digest = forged[len(RESULT_COLUMNS) : len(RESULT_COLUMNS) + 2]
            connection.execute(
                "UPDATE games SET content_digest = ?, digest = ? WHERE number = ?", [content_digest, digest, row[0]]
            )
            table.add(digest)
    change_property(path, "games", lambda _: str(table))
