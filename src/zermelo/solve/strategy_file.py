"""Strategy files: the strategies of both players, and what an approximation needs to continue.

    ZERMELO STRATEGY 1 <SHA-256 of the rest, in hexadecimal>
    <UTF-8 JSON, compressed with zlib>

The JSON object has the keys of `StrategyFile`. `max` and `min` list the player's information sets: `[information,
[name of each move], [weight of each move], [regret of each move]]`. A move is played in proportion to its weight,
and if all are 0, each move with the same probability; regrets are there for algorithms that can be resumed.

A file belongs to one game and its rules: `fingerprint` changes with the information states, the names of moves or the
results of the game.
"""

from __future__ import annotations

import hashlib
import json
import random
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zermelo._util.atomic_files import write
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import FileError, ZermeloError
from zermelo.solve.approximation import Approximation
from zermelo.solve.profile import Equilibrium, Strategy

MAGIC = b"ZERMELO STRATEGY "
VERSION = 1
MAX_FILE_BYTES = 256_000_000
#: Limit of the JSON, so that a small file cannot fill the memory.
MAX_JSON_BYTES = 2_000_000_000
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
    payload = zlib.compress(json.dumps(asdict(file), separators=(",", ":")).encode(), 6)
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
        unpacked = zlib.decompressobj().decompress(payload, MAX_JSON_BYTES)
        return StrategyFile(**json.loads(unpacked))
    except (zlib.error, ValueError, TypeError):
        raise FileError(f"{label}: damaged strategy file (content)") from None


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
        raise FileError(f"{label}: strategies of {file.game}, not of {cls.__name__}")
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
        raise FileError(f"{label}: {error}") from None
    approximation.iterations = file.iterations
    for player in (MAX, MIN):
        sets = approximation.form.players[player].information_sets
        rows = file.rows(player)
        if [[each.information, each.move_names] for each in sets] != [row[:2] for row in rows]:
            raise FileError(f"{label}: strategies of other rules of {file.game}, which has changed since")
        for each, (_, _, weights, regrets) in zip(sets, rows, strict=True):
            approximation.sums[player][each.first : each.end] = weights
            approximation.regrets[player][each.first : each.end] = regrets
    return state, approximation
