"""Strategy files: the strategies of both players, and what an approximation needs to continue.

    ZERMELO STRATEGY 1 <SHA-256 of the rest, in hexadecimal>
    <UTF-8 JSON, compressed with zlib>

The JSON object has the keys of `StrategyFile`. `max` and `min` list the player's information sets, each once:
`[information, [name of each move], [weight of each move], [regret of each move]]`. A move is played in proportion to
its weight, and if all are 0, each move with the same probability; regrets are there for algorithms that can be resumed.

A file belongs to one game and its rules: `fingerprint` changes with the information states, the names of moves or the
results of the game.
"""

from __future__ import annotations

import hashlib
import json
import random
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from zermelo._util.atomic_files import write
from zermelo._util.text import quoted, single_line, without_controls
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import FileError, ZermeloError
from zermelo.solve.approximation import MAX_ITERATIONS, MAX_SEED, Approximation
from zermelo.solve.profile import Equilibrium, Strategy
from zermelo.solve.sequence_form import MAX_STATES

MAGIC = b"ZERMELO STRATEGY "
VERSION = 1
MAX_FILE_BYTES = 256_000_000
#: Limits of the JSON: in all, and in bytes for each byte of the file, so that a small file cannot fill the memory.
#: Files of games have ratios of 2 to 22 (Liar's dice after one iteration of "mccfr"). `write_strategy` stores what has
#: a higher ratio without compression.
MAX_JSON_BYTES = 2_000_000_000
MAX_RATIO = 50
#: JSON of this size is read at any ratio: it takes at most some 20 MB of memory.
SMALL_JSON_BYTES = 1_000_000
#: Bytes of JSON for each list, at least: the shortest row, `["x",["a"],[1.0],[0.0]]`, has 6. Lists take more memory
#: than their text.
LEAST_LIST_BYTES = 5
#: Characters of a text: a position, an information state, or the name of a move.
MAX_TEXT = 100_000
#: Limits of weights and regrets, so that sums and products with payoffs stay finite. After n iterations of "cfr+", n up
#: to `MAX_ITERATIONS`, weights are at most n^2; "mccfr" divides by the probability of sampling a path.
MAX_WEIGHT = {"exact": 1e100, "cfr+": 1e100, "mccfr": 1e290}
# Random games in a fingerprint.
_GAMES = 8
_KEYS = {MAX: "max", MIN: "min"}


@dataclass(frozen=True, slots=True)
class StrategyFile:
    """The content of a strategy file."""

    #: The class of the game.
    game: str
    #: `fingerprint_of` the game.
    fingerprint: str
    #: The root.
    position: str
    #: "exact", or an algorithm of `zermelo.solve.approximation.ALGORITHMS`, with its iterations and seed.
    algorithm: str
    iterations: int
    seed: int
    #: The expected utility of MAX, and the mean of what both players could gain.
    value: float
    exploitability: float
    #: The information sets of MAX and MIN, as in the module docstring.
    max: list[list[Any]]
    min: list[list[Any]]

    @property
    def strategies(self) -> dict[int, Strategy]:
        """The behaviour strategies of both players."""
        return {player: {row[0]: _probabilities(row) for row in self.rows(player)} for player in (MAX, MIN)}

    def rows(self, player: int) -> list[list[Any]]:
        """The information sets of a player."""
        return self.max if player == MAX else self.min


def _probabilities(row: list[Any]) -> dict[str, float]:
    _, names, weights, *_ = row
    total = sum(weights)
    return {name: weight / total if total > 0 else 1 / len(names) for name, weight in zip(names, weights, strict=True)}


def fingerprint_of(cls: type[State]) -> str:
    """Return 16 hexadecimal digits that depend on the rules of a game, by some random games from its start."""
    digest = hashlib.sha256(cls.__name__.encode())
    for seed in range(_GAMES):
        rng = random.Random(seed)
        state = cls.start()
        for _ in range(200):
            if state.is_over():
                digest.update(f"{state.utility()}\n".encode())
                break
            moves = state.legal_moves()
            mover = state.to_move()
            known = "" if mover == CHANCE else state.information_state(mover)
            digest.update(f"{mover} {known} {[state.move_name(move) for move in moves]}\n".encode())
            state = state.play(moves[int(rng.random() * len(moves))])
    return digest.hexdigest()[:16]


def strategy_file(state: State, found: Equilibrium, approximation: Approximation | None = None) -> StrategyFile:
    """Return the file of an equilibrium of a game from a state on; with its approximation, it can be resumed."""
    rows: dict[str, list[list[Any]]] = {}
    for player, key in _KEYS.items():
        if approximation is None:
            rows[key] = [
                [information, [*chosen], [float(probability) for probability in chosen.values()]]
                for information, chosen in found.strategies[player].items()
            ]
            continue
        sums, regrets = approximation.sums[player].tolist(), approximation.regrets[player].tolist()
        rows[key] = [
            [each.information, each.move_names, sums[each.first : each.end], regrets[each.first : each.end]]
            for each in approximation.form.players[player].information_sets
        ]
    return StrategyFile(
        type(state).__name__, fingerprint_of(type(state)), str(state), found.algorithm, found.iterations,
        0 if approximation is None else approximation.seed, float(found.value), float(found.exploitability), **rows,
    )  # fmt: skip


def write_strategy(path: str | Path, file: StrategyFile) -> None:
    """Write a strategy file, completely or not at all. Raises `FileError`."""
    text = json.dumps(asdict(file), separators=(",", ":")).encode()
    payload = zlib.compress(text, 6)
    if len(text) > _most_json_bytes(payload):
        payload = zlib.compress(text, 0)
    header = MAGIC + f"{VERSION} {hashlib.sha256(payload).hexdigest()}\n".encode()
    write(path, header + payload)


def read_any_strategy(path: str | Path) -> StrategyFile:
    """Read a strategy file of any game. Raises `FileError`, as `read_strategy`."""
    content = read_bytes(path, MAX_FILE_BYTES)
    label = shown_path(path)
    header, newline, payload = content.partition(b"\n")
    if not header.startswith(MAGIC) or not newline:
        raise FileError(f"{label}: not a strategy file; write one with `zermelo equilibrium GAME --output FILE`")
    version, _, digest = header.removeprefix(MAGIC).decode("ascii", "replace").partition(" ")
    if version != str(VERSION):
        raise FileError(f"{label}: strategy file of version {version[:20]}; this version of Zermelo reads {VERSION}")
    if digest != hashlib.sha256(payload).hexdigest():
        raise FileError(f"{label}: damaged strategy file (checksum)")
    try:
        return _checked(_unpacked(payload))
    except (zlib.error, _ContentError, RecursionError, ValueError) as error:
        reason = str(error) if isinstance(error, _ContentError) else "expected one JSON object, compressed with zlib"
        raise FileError(f"{label}: damaged strategy file (content): {single_line(reason, 200)}") from None


# ---- checks of the content ---------------------------------------------------------------------------------------
# Everybody can compute a checksum, so the content is not trusted.


class _ContentError(Exception):
    """An error in the content of a strategy file."""


def _most_json_bytes(payload: bytes) -> int:
    return min(max(MAX_RATIO * len(payload), SMALL_JSON_BYTES), MAX_JSON_BYTES)


def _unpacked(payload: bytes) -> Any:
    """Return the JSON value of the compressed part of a file."""
    most = _most_json_bytes(payload)
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(payload, most + 1)
    if len(text) > most:
        raise _ContentError(f"expected at most {most:,} bytes of JSON in {len(payload):,} bytes")
    if not unpacking.eof or unpacking.unused_data:
        raise zlib.error
    if text.count(b"[") > len(text) // LEAST_LIST_BYTES + 10:
        raise _ContentError("expected lists of names and numbers, got mostly empty lists")
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(text: str) -> NoReturn:
    raise _ContentError(f"expected finite numbers, got {text}")


def _checked(content: Any) -> StrategyFile:
    """Return the content of a file after checking types, ranges and lengths. Raises `_ContentError`."""
    keys = [field.name for field in fields(StrategyFile)]
    if not isinstance(content, dict) or content.keys() != set(keys):
        raise _ContentError(f"expected an object with the keys {', '.join(keys)}")
    for key in ("game", "fingerprint", "position"):
        _check_text(content[key], key)
    algorithm = content["algorithm"]
    if not isinstance(algorithm, str) or algorithm not in MAX_WEIGHT:
        raise _ContentError(f"algorithm must be one of {', '.join(MAX_WEIGHT)}")
    for key, most in (("iterations", 0 if algorithm == "exact" else MAX_ITERATIONS), ("seed", MAX_SEED)):
        if type(content[key]) is not int or not 0 <= content[key] <= most:
            raise _ContentError(f"{key} must be an integer from 0 to {most}")
    for key in ("value", "exploitability"):
        if type(content[key]) not in (int, float) or not abs(content[key]) <= MAX_WEIGHT["exact"]:
            raise _ContentError(f"{key} must be a finite number")
    for key in _KEYS.values():
        rows = content[key]
        if not isinstance(rows, list) or len(rows) > MAX_STATES:
            raise _ContentError(f"{key} must be a list of up to {MAX_STATES:,} information sets")
        known: set[str] = set()
        for number, row in enumerate(rows, 1):
            where = f"information set {number:,} of {key}"
            _check_row(row, algorithm, where)
            if row[0] in known:
                raise _ContentError(f"{where}: a second one of {quoted(row[0])}; expected each once")
            known.add(row[0])
    return StrategyFile(**content)


def _check_row(row: Any, algorithm: str, where: str) -> None:
    """Check an information set of a file, and convert its numbers to floats."""
    if not isinstance(row, list) or len(row) not in (3, 4) or not all(isinstance(each, list) for each in row[1:]):
        raise _ContentError(f"{where}: expected [information, moves, weights, regrets]")
    information, names, *numbers = row
    _check_text(information, f"{where}: information")
    for name in names:
        _check_text(name, f"{where}: the name of a move")
    if not names or len(set(names)) < len(names):
        raise _ContentError(f"{where}: expected at least one move, and each once")
    most = MAX_WEIGHT[algorithm]
    for index, (key, each) in enumerate(zip(("weights", "regrets"), numbers, strict=False), 2):
        least = -most if key == "regrets" and algorithm == "mccfr" else 0
        if len(each) != len(names):
            raise _ContentError(f"{where}: expected {len(names):,} {key}, one for each move (got {len(each):,})")
        for number in each:
            if type(number) not in (int, float) or not least <= number <= most:
                raise _ContentError(f"{where}: {key} must be numbers from {least:g} to {most:g}")
        row[index] = [float(number) for number in each]


def _check_text(text: Any, what: str) -> None:
    if not isinstance(text, str) or len(text) > MAX_TEXT or not (text.isprintable() or _is_line(text)):
        raise _ContentError(f"{what} must be one line of up to {MAX_TEXT:,} characters, without control characters")


def _is_line(text: str) -> bool:
    """Whether a text is one line without control characters; tabs and no-break spaces are allowed."""
    return len(text.splitlines()) <= 1 and without_controls(text) == text


# ---- reading for a game --------------------------------------------------------------------------------------------


def read_strategy(path: str | Path, cls: type[State]) -> StrategyFile:
    """Read a strategy file of a game.

    Raises
    ------
    FileError
        If the file cannot be read, is not a strategy file, is damaged, has another version, or belongs to another game
        or to other rules of this game.
    """
    file = read_any_strategy(path)
    label = shown_path(path)
    if file.game != cls.__name__:
        raise FileError(f"{label}: strategies of {single_line(file.game, 100)}, not of {cls.__name__}")
    if file.fingerprint != fingerprint_of(cls):
        raise FileError(f"{label}: strategies of other rules of {file.game}, which has changed since; solve it again")
    return file


def resume(path: str | Path, cls: type[State]) -> tuple[State, Approximation]:
    """Return the root and the approximation of a strategy file, ready for more iterations.

    Raises
    ------
    FileError
        As `read_strategy`, and if the file has exact strategies, or other information sets than the game.
    """
    file = read_strategy(path, cls)
    label = shown_path(path)
    if file.algorithm == "exact":
        raise FileError(f"{label}: exact strategies; there is nothing to resume")
    try:
        state = cls.parse(file.position)
        approximation = Approximation(state, file.algorithm, file.seed)
    except ZermeloError as error:
        raise FileError(f"{label}: {single_line(str(error))}") from None
    approximation.iterations = file.iterations
    for player in (MAX, MIN):
        sets = approximation.form.players[player].information_sets
        rows = file.rows(player)
        if any(len(row) != 4 for row in rows):
            raise FileError(f"{label}: an information set without regrets; there is nothing to resume")
        if [[each.information, each.move_names] for each in sets] != [row[:2] for row in rows]:
            raise FileError(f"{label}: strategies of other rules of {file.game}, which has changed since")
        for each, (_, _, weights, regrets) in zip(sets, rows, strict=True):
            approximation.sums[player][each.first : each.end] = weights
            approximation.regrets[player][each.first : each.end] = regrets
    return state, approximation
