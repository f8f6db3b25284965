"""Games that were kept, in the formats that others read: of their game (PGN, PDN, GGF, match text) or rows of a table.

    goal = goals(load("chess"), title="Autumn")["pgn"]
    goal.write(file, store.games(), lost.append)

Games go through one by one: what is held in memory does not grow with their number.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from zermelo._util.text import single_line
from zermelo.arena.executors.row_files import WRITERS
from zermelo.arena.game_record import (
    ADJUDICATED,
    AGREED,
    BY_RULES,
    NO_PROGRESS,
    REPETITION,
    RESIGNED,
    TOO_MANY_MOVES,
    GameRecord,
    MoveReport,
)
from zermelo.arena.players.clock import TimeControl
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FormatError, LimitError
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.formats.registry import Format, formats_of
from zermelo.sandbox.failure import Reason

SITE = "Zermelo"
#: How a game ended, as the PGN standard has it; what is not here was given up.
TERMINATIONS: dict[str, str] = {
    **dict.fromkeys((BY_RULES, REPETITION, NO_PROGRESS, AGREED, RESIGNED), "normal"),
    **dict.fromkeys((ADJUDICATED, TOO_MANY_MOVES), "adjudication"),
    **dict.fromkeys((Reason.OUT_OF_TIME, Reason.HANG, Reason.IGNORED_STOP), "time forfeit"),
    **dict.fromkeys((Reason.ILLEGAL, Reason.GARBAGE), "rules infraction"),
}
_LARGEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Goal:
    """What games can be written as."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    #: Writes games to a file; what cannot be told of one is raised to `lost`, and it is left out.
    write: Callable[[BinaryIO, Iterable[GameRecord], Callable[[FormatError], None]], None]
    is_text: bool = True


def goals(cls: type[State] | None, title: str = "") -> dict[str, Goal]:
    """By name, what games of a class can be written as; None: what those of any game can be."""
    found = [
        Goal("csv", "a table, a row a game", (".csv",), partial(_write_rows, ".csv")),
        Goal("jsonl", "games with all that is kept of them, one a line", (".jsonl",), _write_lines),
        Goal(
            "parquet", "a table, a row a game, moves as lists", (".parquet",), partial(_write_rows, ".parquet"), False
        ),
    ]
    if cls is not None:
        known = formats_of(cls).values()
        found = [
            *(
                Goal(each.name, each.about, _suffixes(each), partial(_write_records, cls, each, title))
                for each in known
            ),
            *found,
        ]
    return {each.name: each for each in found}


def _suffixes(form: Format) -> tuple[str, ...]:
    return tuple(suffix for suffix in form.suffixes if suffix != ".jsonl")


# ---- records: the formats of the game's world -----------------------------------------------------------------


def _write_records(
    cls: type[State],
    form: Format,
    title: str,
    file: BinaryIO,
    games: Iterable[GameRecord],
    lost: Callable[[FormatError], None],
) -> None:
    for count, played in enumerate(games, 1):
        try:
            file.write(form.write(record_of(played, cls, form.name, title, count)).encode())
        except FormatError as error:
            lost(FormatError(f"game {played.job.number}: {error}"))


def record_of(played: GameRecord, cls: type[State], form: str, title: str = "", count: int = 1) -> Record:
    """A game as a record that a format of its game can tell: who played, when, how it ended, what was said of moves.

    `count`: which of the games that are written it is, from 1.
    """
    start = cls.parse(played.job.start) if played.job.start else cls.start()
    record = Record(start, result={1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}.get(played.points, UNKNOWN))
    record.line.steps = [Step("", move) for move in played.moves]  # they get their names where they are written
    if form == "match":
        _for_match(record, played, count)
        return record
    _comment(record.line, start, played, with_depth=form != "ggf")
    record.tags = _ggf_tags(played) if form == "ggf" else _tags(played, start, title)
    return record


def _tags(played: GameRecord, start: State, title: str) -> dict[str, str]:
    """The seven tags of PGN and those that its standard knows beside them, then some of ours."""
    job = played.job
    sides = _sides(start)
    began = time.gmtime(played.started_at)
    day = time.strftime("%Y.%m.%d", began) if played.started_at else "????.??.??"
    tags = {"Event": title or "Zermelo match", "Site": SITE, "Date": day, "Round": str(job.round + 1)}
    tags |= dict(zip(sides, job.names, strict=True))
    if played.started_at:
        tags |= {"UTCDate": day, "UTCTime": time.strftime("%H:%M:%S", began)}
    tags |= {"Termination": TERMINATIONS.get(played.termination, "abandoned"), "Ending": played.termination}
    if played.detail:
        tags["Detail"] = single_line(played.detail)
    controls = [_time_control(text) for text in job.controls]
    if controls[0] == controls[1]:
        tags["TimeControl"] = controls[0]
    else:
        tags |= {f"{side}TimeControl": control for side, control in zip(sides, controls, strict=True)}
    for side, limit, version in zip(sides, job.controls, played.versions, strict=True):
        if limit:
            tags[f"{side}Limit"] = limit
        if version:
            tags[f"{side}Version"] = single_line(version)
    tags |= {"PlyCount": str(len(played.moves)), "GameId": str(job.number), "Seed": str(job.seed)}
    return tags


def _sides(start: State) -> tuple[str, str]:
    """What the game calls MAX and MIN, as names of tags: White and Black in chess, Black and White in checkers."""
    high, low = (start.player_name(side).partition(" ")[0].title() for side in (MAX, MIN))
    return (
        (high, low)
        if re.fullmatch("[A-Za-z0-9]{1,20}", high) and re.fullmatch("[A-Za-z0-9]{1,20}", low)
        else ("MAX", "MIN")
    )


def _time_control(text: str) -> str:
    """A control as PGN has it: moves/seconds, seconds+increment, - for none."""
    try:
        control = TimeControl.parse(text)
    except LimitError:
        return "?"
    if control.seconds is not None:
        return f"1/{control.seconds:g}"
    if control.base is None:
        return "-"
    moves = f"{control.per_moves}/" if control.per_moves else ""
    return f"{moves}{control.base:g}{f'+{control.increment:g}' if control.increment else ''}"


def _comment(line: Line, start: State, played: GameRecord, with_depth: bool) -> None:
    """What players said of their moves, in the words of PGN: `[%eval 0.25,12] [%emt 0:00:01.5]`."""
    for step, said in zip(line.steps, played.reports, strict=False):
        if said.player not in (0, 1):
            continue
        words = []
        if said.score is not None:
            depth = f",{said.depth}" if with_depth and 0 < said.depth < 100_000 else ""
            words.append(f"[%eval {score_text(start, said, played.job.players[said.player])}{depth}]")
        if said.seconds:
            words.append(f"[%emt {_duration(said.seconds)}]")
        if words:
            step.comments.append(" ".join(words))


def score_text(start: State, said: MoveReport, player: str) -> str:
    """A score for MAX as others write it: in chess pawns, and # with the moves to mate; elsewhere what the player said.

    A game that is found to be won counts as its utility: in Othello the difference of discs.
    """
    from zermelo.search.scores import is_decided, plies_of, ranked, utility_of

    score = said.score or 0
    is_chess = f"{type(start).__module__}.{type(start).__qualname__}" == "zermelo.games.chess.rules.Chess"
    sign = "-" if score < 0 else ""
    if player.startswith("uci:"):  # centipawns, and mates from 30,000 down
        from zermelo.protocols.uci_client import MATE, MAX_CENTIPAWNS

        if abs(score) > MAX_CENTIPAWNS:
            return f"#{sign}{MATE - abs(score)}"
        return f"{score / 100:.2f}"
    scale = ranked(start)
    if is_decided(score, scale):
        plies = plies_of(score, scale)
        if is_chess and plies is not None:
            return f"#{sign}{(plies + 1) // 2}"
        return str(utility_of(score, scale))
    if is_chess:
        return f"{score if 'material' in player else score / 100:.2f}"
    return str(score)


def _duration(seconds: float) -> str:
    """Hours, minutes and seconds, as PGN's %emt has them, to a thousandth."""
    thousandths = min(round(seconds * 1000), 10**9)
    whole, rest = divmod(thousandths, 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}{f'.{rest:03}'.rstrip('0') if rest else ''}"


def _ggf_tags(played: GameRecord) -> dict[str, str]:
    """What GGF knows of a game of Othello."""
    job = played.job
    tags = {"Site": SITE}
    if played.started_at:
        tags["Date"] = time.strftime("%Y.%m.%d_%H:%M:%S.UTC", time.gmtime(played.started_at))
    names = (single_line(name).replace("[", "(").replace("]", ")") for name in job.names)
    tags |= dict(zip(("Black", "White"), names, strict=True))
    clocks = [_ggf_clock(text) for text in job.controls]
    if clocks[0] == clocks[1]:
        tags |= {"TI": clocks[0]} if clocks[0] else {}
    else:
        tags |= {name: clock for name, clock in zip(("TB", "TW"), clocks, strict=True) if clock}
    flags = {RESIGNED: "resignation", AGREED: "agreement"}
    flag = flags.get(played.termination) or (
        "time forfeit" if TERMINATIONS.get(played.termination) == "time forfeit" else ""
    )
    return {**tags, "Termination": flag} if flag else tags


def _ggf_clock(text: str) -> str:
    """A game clock as GGF has it: minutes:seconds, and what each move adds; nothing where none runs."""
    try:
        control = TimeControl.parse(text)
    except LimitError:
        return ""
    if control.base is None:
        return ""
    whole, rest = divmod(control.base, 60)
    increment = f"/{control.increment:g}" if control.increment else ""
    return f"{int(whole):02}:{int(rest):02}{increment}"


def _for_match(record: Record, played: GameRecord, count: int) -> None:
    """A game of backgammon among others for money: X is MAX; who lost otherwise than by the moves resigned."""
    names = [single_line(name) or "?" for name in played.job.names]
    record.tags = {"X": names[0], "O": names[1], "Match": "0", "Game": str(count)}
    if played.points not in (0.0, 1.0):
        record.result = UNKNOWN
    elif played.utility is None:
        record.line.steps.append(Step("resign"))
        record.tags["Points"] = "1"
    else:
        record.tags["Points"] = str(abs(played.utility))


# ---- rows -----------------------------------------------------------------------------------------------------

_COLUMNS: dict[str, Any] = {
    "number": int, "game": str, "round": int, "game_pair": int, "max_player": str, "min_player": str, "points": float,
    "termination": str, "detail": str, "forfeited_by": int, "utility": int, "plies": int, "max_moves": int,
    "min_moves": int, "max_nodes": int, "min_nodes": int, "max_seconds": float, "min_seconds": float, "max_clock": str,
    "min_clock": str, "max_version": str, "min_version": str, "referee_version": str, "seed": int, "started_at": float,
    "seconds": float, "start": str, "opening_plies": int, "moves_hash": str, "moves": list[int],
}  # fmt: skip
#: What was said of each move: lists, which CSV leaves out.
_SAID: dict[str, Any] = {
    "move_player": list[int], "move_seconds": list[float], "move_nodes": list[int], "move_depth": list[int],
    "move_score": list[int],
}  # fmt: skip


def _write_rows(suffix: str, file: BinaryIO, games: Iterable[GameRecord], _: Callable[[FormatError], None]) -> None:
    if suffix == ".csv":
        WRITERS[suffix](file, _COLUMNS, ([*row, " ".join(map(str, moves))] for *row, moves in map(_row, games)))
    else:
        WRITERS[suffix](file, _COLUMNS | _SAID, ([*_row(played), *_said(played)] for played in games))


def _row(played: GameRecord) -> list[Any]:
    job, result = played.job, played.result
    return [
        job.number, job.game, job.round, job.game_pair, *map(_text, job.names), float(played.points),
        played.termination, _text(played.detail), played.forfeited_by, played.utility, result.plies,
        *result.move_counts,
        *map(_number, result.nodes), *result.seconds, *map(_text, job.controls), *map(_text, played.versions),
        played.referee_version, _number(job.seed), played.started_at, played.seconds, _text(job.start),
        len(job.opening), result.moves_hash, list(played.moves),
    ]  # fmt: skip


def _said(played: GameRecord) -> list[list[Any]]:
    said = played.reports
    return [
        [each.player for each in said],
        [each.seconds for each in said],
        [_number(each.nodes) for each in said],
        [_number(each.depth) for each in said],
        [_number(each.score) for each in said],
    ]


def _number(number: int | None) -> int | None:
    """A number that a column holds; a program from outside may say any."""
    return number if number is not None and -_LARGEST <= number <= _LARGEST else None


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _write_lines(file: BinaryIO, games: Iterable[GameRecord], _: Callable[[FormatError], None]) -> None:
    for played in games:
        file.write(f"{played.to_json()}\n".encode())
