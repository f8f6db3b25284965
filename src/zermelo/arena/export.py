"""Export of stored games: in the formats of their game (PGN, PDN, GGF, match text) or as tables (CSV, Parquet).

summary = export_games("games.zermelo", "games.pgn")
summary.games, summary.errors

Games are written one at a time, so memory does not grow with their number.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, cast

from zermelo._util.atomic_files import writing
from zermelo._util.row_files import WRITERS
from zermelo._util.text import quoted
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
from zermelo.arena.replay import replay
from zermelo.arena.resume_checks import is_untrusted, load_game, untrusted_game
from zermelo.arena.store import Store
from zermelo.core.game import MAX, MIN, State
from zermelo.core.move_numbers import move_of
from zermelo.errors import FormatError, LimitError, StoreError, ZermeloError
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.formats.registry import Format, formats_of
from zermelo.sandbox.failure import Reason

#: Value of the PGN tag Site.
SITE = "Zermelo"
#: Values of the PGN tag Termination; other terminations are "abandoned".
TERMINATIONS: dict[str, str] = {
    **dict.fromkeys((BY_RULES, REPETITION, NO_PROGRESS, AGREED, RESIGNED), "normal"),
    **dict.fromkeys((ADJUDICATED, TOO_MANY_MOVES), "adjudication"),
    **dict.fromkeys((Reason.OUT_OF_TIME, Reason.HANG, Reason.IGNORED_STOP), "time forfeit"),
    **dict.fromkeys((Reason.ILLEGAL, Reason.GARBAGE), "rules infraction"),
}
#: Maximum number of names that a message lists.
_MAX_LISTED = 20
_MAX_INT = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that games can be exported to.

    Attributes
    ----------
    name, about : str
        Name and description.
    suffixes : tuple of str
        File name extensions, with the dot.
    write : callable
        Writes games to a binary file; calls its third argument with the error of each game that the format cannot
        represent, and leaves the game out.
    is_text : bool
        Whether the output is text.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    write: Callable[[BinaryIO, Iterable[GameRecord], Callable[[FormatError], None]], None]
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """What `export_games` wrote.

    Attributes
    ----------
    game, format : str
        Game and format.
    games : int
        Number of games written.
    errors : tuple of str
        One line per game left out: damaged, inconsistent (with `check`), or not representable in the format.
    """

    game: str
    format: str
    games: int
    errors: tuple[str, ...]


def export_games(
    store: str | os.PathLike[str],
    target: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = "",
    player: str = "",
    termination: str = "",
    check: bool = False,
    trust: bool = False,
    on_error: Callable[[str], None] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> ExportSummary:
    """Export the games of a store, also while its tournament runs.

    Parameters
    ----------
    store : path
        The store.
    target : path or binary file
        A file name, written completely or not at all, or an open file.
    format : str
        Name of the format, see `export_formats`; by default chosen by the extension of the file name.
    player : str
        Only games of this player (the name in the table).
    termination : str
        Only games with this termination, such as "rules" or "illegal move".
    check : bool
        Replay each game and leave out those that contradict their moves.
    trust : bool
        Load the rules from a game file although the store was not created here.
    on_error : callable, optional
        Called with the error of each game left out, as it occurs.
    on_progress : callable, optional
        Called with the number of games written so far, after each game.

    Returns
    -------
    ExportSummary

    Raises
    ------
    FormatError
        The format is unknown or needs a file name.
    StoreError
        The store cannot be read, is not trusted, or no game can be written. No file is written then.
    """
    is_path = isinstance(target, str | os.PathLike)
    name = os.fspath(target) if isinstance(target, str | os.PathLike) else ""
    errors: list[str] = []
    written = 0

    def report(error: ZermeloError) -> None:
        errors.append(" ".join(str(error).removeprefix(f"{os.fspath(store)}: ").split()))
        if on_error is not None:
            on_error(errors[-1])

    def skip(error: ZermeloError) -> None:
        nonlocal written
        written -= 1
        report(error)

    def checked(games: Iterator[GameRecord]) -> Iterator[GameRecord]:
        nonlocal written
        for record in games:
            if rules is not None and not _is_consistent(record, rules, report):
                continue
            written += 1
            if on_progress is not None:
                on_progress(written)
            yield record

    with Store.open(store) as opened:
        plan = opened.checked_plan
        untrusted = is_untrusted(opened) and not trust
        if untrusted and check:
            raise StoreError(f"{os.fspath(store)}: --check needs the rules in {untrusted_game(opened)}")
        rules = load_game(opened, trust=trust) if check else None
        if is_path and os.path.exists(name) and os.path.samefile(store, name):
            raise FormatError(f"cannot export to the store itself: {name}")
        known = export_formats(opened, trust=trust)
        try:
            chosen = _choose_format(plan.game, known, format, name)
        except FormatError as error:
            if not untrusted:
                raise
            raise FormatError(f"{error}; other formats need the rules in {untrusted_game(opened)}") from None
        if not chosen.is_text and not is_path:
            raise FormatError(f"{chosen.name} is a binary format and needs a file name (-o FILE)")
        games = checked(opened.games(player=player, termination=termination, on_error=report))
        first = next(games, None)
        if first is None:
            raise StoreError(f"{os.fspath(store)}: {_why_no_games(opened, player, termination, errors)}")
        with writing(name) if is_path else nullcontext(cast(BinaryIO, target)) as file:
            chosen.write(file, chain([first], games), skip)
            if not written:  # an existing file must not be replaced by nothing
                raise StoreError(f"{os.fspath(store)}: {_why_no_games(opened, player, termination, errors)}")
    return ExportSummary(plan.game, chosen.name, written, tuple(errors))


def export_formats(store: Store, *, trust: bool = False) -> dict[str, ExportFormat]:
    """Return the formats that the games of a store can be exported to, by name.

    If the game is no longer installed, or its file is not trusted, only tables remain.
    """
    try:
        cls = load_game(store, trust=trust)
    except ZermeloError:
        return formats_for(None)
    return formats_for(cls, store.checked_plan.title)


def formats_for(cls: type[State] | None, title: str = "") -> dict[str, ExportFormat]:
    """Return the export formats of a game by name; None: those of any game."""
    found = [
        ExportFormat("csv", "table, one row per game", (".csv",), partial(_write_rows, ".csv")),
        ExportFormat("jsonl", "complete games as JSON, one per line", (".jsonl",), _write_json_lines),
        ExportFormat(
            "parquet", "table, one row per game, moves as lists", (".parquet",), partial(_write_rows, ".parquet"), False
        ),
    ]
    if cls is not None:
        records = [
            ExportFormat(each.name, each.description, _suffixes(each), partial(_write_records, cls, each, title))
            for each in formats_of(cls).values()
            if each.binary is None  # whose files come in sets; `zermelo convert` writes them
        ]
        found = [*records, *found]
    return {each.name: each for each in found}


def _choose_format(game: str, known: dict[str, ExportFormat], name: str, target: str) -> ExportFormat:
    if name:
        if name not in known:
            raise FormatError(f"unknown format {quoted(name)} for {game}; expected one of {', '.join(known)}")
        return known[name]
    for each in known.values():
        if each.suffixes and target.casefold().endswith(each.suffixes):
            return each
    where = f"the extension of {target} is not that of" if target else "standard output needs"
    raise FormatError(f"{where} a known format; choose one with --to: {', '.join(known)}")


def _is_consistent(record: GameRecord, cls: type[State], report: Callable[[ZermeloError], None]) -> bool:
    from zermelo.arena import replay

    try:
        replay.check(record, cls)
    except ZermeloError as error:
        report(error)
        return False
    return True


def _why_no_games(store: Store, player: str, termination: str, errors: list[str]) -> str:
    if errors:
        return f"no game can be written: {errors[0]}"
    players, terminations = set(), set()
    for result in store.results():
        players |= set(result.names)
        terminations.add(result.termination)
    if not players:
        return "the store has no games yet"
    if player and player not in players:
        return f"no games of player {player!r}; its players are {_listed(players)}"
    if termination and termination not in terminations:
        return f"no games with termination {termination!r}; its terminations are {_listed(terminations)}"
    return "no games match"


def _listed(names: set[str]) -> str:
    first = sorted(names)[:_MAX_LISTED]
    return ", ".join(first) + (f" and {len(names) - _MAX_LISTED:,} more" if len(names) > _MAX_LISTED else "")


def _suffixes(form: Format) -> tuple[str, ...]:
    return tuple(suffix for suffix in form.suffixes if suffix != ".jsonl")


# ---- the formats of a game ------------------------------------------------------------------------------------


def _write_records(
    cls: type[State],
    form: Format,
    title: str,
    file: BinaryIO,
    games: Iterable[GameRecord],
    on_error: Callable[[FormatError], None],
) -> None:
    for count, played in enumerate(games, 1):
        try:
            file.write(form.text(record_of(played, cls, form.name, title, count)).encode())
        except FormatError as error:
            on_error(FormatError(f"game {played.job.number}: {error}"))


def record_of(played: GameRecord, cls: type[State], form: str, title: str = "", count: int = 1) -> Record:
    """Return a game as a record with tags and comments for a format.

    Parameters
    ----------
    played : GameRecord
        The game.
    cls : type of State
        Its rules.
    form : str
        Name of the format.
    title : str
        Title of the tournament, for the tag Event.
    count : int
        Number of the game in the output, from 1.
    """
    start = cls.parse(played.job.start) if played.job.start else cls.start()
    record = Record(start, result={1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}.get(played.points, UNKNOWN))
    moves = played.moves if cls.is_compiled else map(move_of, replay(played, cls), played.moves)
    record.line.steps = [Step("", move) for move in moves]  # the writer adds the moves' names
    if form == "match":
        _for_match(record, played, count)
        return record
    _comment(record.line, start, played, with_depth=form != "ggf")
    if form == "ggf":
        record.tags = _ggf_tags(played)
    elif form == "sgf":
        record.tags = _sgf_tags(played, title)
    else:
        record.tags = _tags(played, start, title)
    return record


def _tags(played: GameRecord, start: State, title: str) -> dict[str, str]:
    """Return the PGN tags: the seven tag roster, tags of the standard, and some of our own."""
    job = played.job
    sides = _sides(start)
    began = time.gmtime(played.started_at)
    day = time.strftime("%Y.%m.%d", began) if played.started_at else "????.??.??"
    tags = {"Event": _one_line(title) or "Zermelo match", "Site": SITE, "Date": day, "Round": str(job.round + 1)}
    tags |= dict(zip(sides, map(_one_line, job.names), strict=True))
    if played.started_at:
        tags |= {"UTCDate": day, "UTCTime": time.strftime("%H:%M:%S", began)}
    tags |= {"Termination": TERMINATIONS.get(played.termination, "abandoned"), "Reason": played.termination}
    if played.detail:
        tags["Detail"] = _one_line(played.detail)
    controls = [_time_control(text) for text in job.controls]
    if controls[0] == controls[1]:
        tags["TimeControl"] = controls[0]
    else:
        tags |= {f"{side}TimeControl": control for side, control in zip(sides, controls, strict=True)}
    for side, limit, version in zip(sides, job.controls, played.versions, strict=True):
        if limit:
            tags[f"{side}Limit"] = limit
        if version:
            tags[f"{side}Version"] = _one_line(version)
    tags |= {"PlyCount": str(len(played.moves)), "GameId": str(job.number), "Seed": str(job.seed)}
    return tags


def _sides(start: State) -> tuple[str, str]:
    """Return the tag names of MAX and MIN: White and Black in chess, Black and White in checkers."""
    high, low = (start.player_name(side).partition(" ")[0].title() for side in (MAX, MIN))
    return (
        (high, low)
        if re.fullmatch("[A-Za-z0-9]{1,20}", high) and re.fullmatch("[A-Za-z0-9]{1,20}", low)
        else ("MAX", "MIN")
    )


def _time_control(text: str) -> str:
    """Return the PGN TimeControl: moves/seconds, seconds+increment, - for none."""
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
    """Add the players' move reports as PGN comments: `[%eval 0.25,12] [%emt 0:00:01.5]`."""
    for step, report in zip(line.steps, played.reports, strict=False):
        if report.player not in (0, 1):
            continue
        words = []
        if report.score is not None:
            depth = f",{report.depth}" if with_depth and 0 < report.depth < 100_000 else ""
            words.append(f"[%eval {score_text(start, report, played.job.players[report.player])}{depth}]")
        if report.seconds:
            words.append(f"[%emt {_duration(report.seconds)}]")
        if words:
            step.comments.append(" ".join(words))


def score_text(start: State, report: MoveReport, player: str) -> str:
    """Format a score from MAX's point of view as other programs write it.

    In chess it is in pawns, or `#` with the moves to mate; in other games it is in the player's own unit. A proven
    result is shown as its utility, in Othello the difference in discs.
    """
    from zermelo.search.scores import is_decided, plies_of, ranked, utility_of

    score = report.score or 0
    is_chess = f"{type(start).__module__}.{type(start).__qualname__}" == "zermelo.games.chess.rules.Chess"
    sign = "-" if score < 0 else ""
    if player.startswith("uci:"):  # centipawns; larger scores are mates
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
    """Format seconds as H:MM:SS with up to three decimals, as in PGN's %emt."""
    thousandths = min(round(seconds * 1000), 10**9)
    whole, rest = divmod(thousandths, 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}{f'.{rest:03}'.rstrip('0') if rest else ''}"


def _sgf_tags(played: GameRecord, title: str) -> dict[str, str]:
    """Return the SGF tags of a game of Go."""
    job = played.job
    tags = {"Event": _one_line(title) or "Zermelo match", "Site": SITE, "Round": str(job.round + 1)}
    if played.started_at:
        tags["Date"] = time.strftime("%Y-%m-%d", time.gmtime(played.started_at))
    tags |= dict(zip(("Black", "White"), map(_one_line, job.names), strict=True))
    flags = {"time forfeit": "time forfeit", "rules infraction": "forfeit"}
    flag = "resignation" if played.termination == RESIGNED else flags.get(TERMINATIONS.get(played.termination, ""), "")
    return {**tags, "Termination": flag} if flag else tags


def _ggf_tags(played: GameRecord) -> dict[str, str]:
    """Return the GGF tags of a game of Othello."""
    job = played.job
    tags = {"Site": SITE}
    if played.started_at:
        tags["Date"] = time.strftime("%Y.%m.%d_%H:%M:%S.UTC", time.gmtime(played.started_at))
    names = (_one_line(name).replace("[", "(").replace("]", ")") for name in job.names)
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
    """Return a time control in GGF: minutes:seconds/increment; empty without a game clock."""
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
    """Complete a record of a money game of backgammon: X is MAX; a loss not shown by the moves is a resignation."""
    names = [_one_line(name) or "?" for name in played.job.names]
    record.tags = {"X": names[0], "O": names[1], "Match": "0", "Game": str(count)}
    if played.points not in (0.0, 1.0):
        record.result = UNKNOWN
    elif played.utility is None:
        record.line.steps.append(Step("resign"))
        record.tags["Points"] = "1"
    else:
        record.tags["Points"] = str(abs(played.utility))


# ---- tables ---------------------------------------------------------------------------------------------------

_COLUMNS: dict[str, Any] = {
    "number": int, "game": str, "round": int, "game_pair": int, "max_player": str, "min_player": str, "points": float,
    "termination": str, "detail": str, "forfeited_by": int, "utility": int, "plies": int, "max_moves": int,
    "min_moves": int, "max_nodes": int, "min_nodes": int, "max_seconds": float, "min_seconds": float, "max_clock": str,
    "min_clock": str, "max_version": str, "min_version": str, "referee_version": str, "seed": int, "started_at": float,
    "seconds": float, "start": str, "opening_plies": int, "moves_hash": str, "moves": list[int],
}  # fmt: skip
# Move reports as lists, not in CSV.
_REPORT_COLUMNS: dict[str, Any] = {
    "move_player": list[int], "move_seconds": list[float], "move_nodes": list[int], "move_depth": list[int],
    "move_score": list[int],
}  # fmt: skip


def _write_rows(suffix: str, file: BinaryIO, games: Iterable[GameRecord], _: Callable[[FormatError], None]) -> None:
    if suffix == ".csv":
        WRITERS[suffix](file, _COLUMNS, ([*row, " ".join(map(str, moves))] for *row, moves in map(_row, games)))
    else:
        WRITERS[suffix](file, _COLUMNS | _REPORT_COLUMNS, ([*_row(played), *_report_lists(played)] for played in games))


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


def _report_lists(played: GameRecord) -> list[list[Any]]:
    reports = played.reports
    return [
        [each.player for each in reports],
        [each.seconds for each in reports],
        [_number(each.nodes) for each in reports],
        [_number(each.depth) for each in reports],
        [_number(each.score) for each in reports],
    ]


def _one_line(text: str) -> str:
    """Return text for a tag: the formats have no newlines there, and some no way to escape them."""
    return " ".join(text.split())


def _number(number: int | None) -> int | None:
    """Return a number that fits a 64-bit column, else None: external programs may report any number."""
    return number if number is not None and -_MAX_INT <= number <= _MAX_INT else None


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _write_json_lines(file: BinaryIO, games: Iterable[GameRecord], _: Callable[[FormatError], None]) -> None:
    for played in games:
        file.write(f"{played.to_json()}\n".encode())
