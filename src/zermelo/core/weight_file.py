"""Weight files: the arrays of an evaluation, with the command that made them, in one checked file.

The form is that of `zermelo.core.array_file`, with the magic "ZERMELOW" and version 1.

The header has the texts "game", "evaluation" and "fingerprint", and the provenance "command" (text), "seed" (int or
null) and "data" (text: the digest of the training data, and that of the weight file that a fit started from, if any).

The fingerprint covers what gives the numbers their meaning: the names of the game and the evaluation, the fields of
their classes, and the evaluation's constants (patterns, stages, sizes). It is the same on all machines and Pythons.
"""

from __future__ import annotations

import hashlib
import json
import os
from os import PathLike
from typing import TYPE_CHECKING, TypeVar

from zermelo._util import atomic_files
from zermelo._util.text import quoted
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.array_file import UNKNOWN, Kind, Provenance, described, pack, unpack
from zermelo.core.evaluation import Evaluation, class_evaluation_name
from zermelo.core.value import Value, is_constant
from zermelo.errors import FormatError, GameError

if TYPE_CHECKING:
    from zermelo.core.game import State

E = TypeVar("E", bound=Evaluation)

WEIGHTS = Kind(b"ZERMELOW", 1, "weight file", ("game", "evaluation", "fingerprint", "command", "data"))
#: Suffix of weight files. One with another suffix is named with its folder, `./new.w`.
SUFFIX = ".weights"
#: The largest file that is read.
MAX_BYTES = 1 << 28


def save_weights(
    path: str | PathLike[str], game: type[State], evaluation: Evaluation, made: Provenance = UNKNOWN
) -> None:
    """Write the arrays of an evaluation to a file; the same arguments give the same bytes.

    Raises
    ------
    FileError
        If the file cannot be written. An older file of that name is then unchanged.
    """
    atomic_files.write(os.fspath(path), to_bytes(game, evaluation, made))


def load_weights(path: str | PathLike[str], game: type[State], evaluation: type[E]) -> tuple[E, Provenance]:
    """Read an evaluation from a file.

    Parameters
    ----------
    path
        The file.
    game
        The game that the weights are for.
    evaluation
        The class of the evaluation.

    Returns
    -------
    Evaluation
        A value of the class.
    Provenance
        How its weights were made.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a weight file, is damaged, has another version, or was made for another game or evaluation, or for
        an evaluation that has been changed since. Nothing of the file is used then.
    """
    name = shown_path(path)
    return from_bytes(read_bytes(path, MAX_BYTES), game, evaluation, name)


def chosen_evaluation(game: type[State], name: str | None) -> str | Evaluation | None:
    """The evaluation that a user names: one of the game's, whose name is returned as it is, or that of a weight file.

    Parameters
    ----------
    game
        The game.
    name
        A name, or the path of a weight file, with a folder or the suffix `.weights`; None for the game's default.

    Raises
    ------
    FileError, FormatError
        If the file cannot be read or used, as `load_weights`.
    """
    if name is None or name in game.evaluations or not is_path(name):
        return name
    content, shown = read_bytes(name, MAX_BYTES), shown_path(name)
    header, _ = unpack(WEIGHTS, content, shown)
    kinds = (type(each) for each in game.evaluations.values())
    kind = next((each for each in kinds if each.__name__ == header["evaluation"]), None)
    if kind is None and header["game"] == game.__name__:
        wanted = quoted(header["evaluation"])
        raise FormatError(f"{shown}: these weights are for the evaluation {wanted}; {game.__name__} does not have it")
    return from_bytes(content, game, kind or Evaluation, shown)[0]


def _shown_evaluation(game: type[State], class_name: str) -> str:
    """The game's name of the evaluation of a class; that of the class if the game has none, or several."""
    known = game.evaluations
    listed = getattr(known, "kinds", None)  # of `EvaluationFiles`: it reads no weights
    kinds = listed() if listed else {name: type(each) for name, each in known.items()}
    return class_evaluation_name(kinds, class_name) or class_name


def is_path(name: str) -> bool:
    """Whether a name is that of a file: with a folder, or with the suffix `.weights`."""
    return name.endswith(SUFFIX) or "/" in name or os.sep in name


def file_digest(path: str | PathLike[str], max_bytes: int = MAX_BYTES) -> str:
    """Hash the content of a file, as 32 hexadecimal digits: for the provenance of what is made from it.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is larger than `max_bytes`.
    """
    return hashlib.blake2b(read_bytes(path, max_bytes), digest_size=16).hexdigest()


def fingerprint(game: type[State], evaluation: type[Evaluation]) -> str:
    """Hash what gives the numbers of a weight file their meaning, as 32 hexadecimal digits."""
    constants = {
        name: repr(value)
        for base in reversed(evaluation.__mro__)
        if issubclass(base, Value)
        for name, value in vars(base).items()
        if not name.startswith("_") and is_constant(value)
    }
    content = [
        game.__name__, [list(map(str, field)) for field in described(game)],
        evaluation.__name__, [list(map(str, field)) for field in described(evaluation)], sorted(constants.items()),
    ]  # fmt: skip
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def to_bytes(game: type[State], evaluation: Evaluation, made: Provenance = UNKNOWN) -> bytes:
    """The content of the weight file of an evaluation."""
    header = {
        "game": game.__name__,
        "evaluation": type(evaluation).__name__,
        "fingerprint": fingerprint(game, type(evaluation)),
        **made._asdict(),
    }
    return pack(WEIGHTS, header, evaluation.weight_arrays())


def from_bytes(content: bytes, game: type[State], evaluation: type[E], name: str) -> tuple[E, Provenance]:
    """Read the content of a weight file; messages call it `name`. Raises `FormatError` as `load_weights`."""
    header, arrays = unpack(WEIGHTS, content, name)
    if header["game"] != game.__name__:
        raise FormatError(f"{name}: these weights are for the game {quoted(header['game'])}, not {game.__name__}")
    if header["evaluation"] != evaluation.__name__:
        found, wanted = (_shown_evaluation(game, each) for each in (header["evaluation"], evaluation.__name__))
        raise FormatError(f"{name}: these weights are for the evaluation {quoted(found)}, not {wanted}")
    if header["fingerprint"] != fingerprint(game, evaluation):
        shown = _shown_evaluation(game, evaluation.__name__)
        raise FormatError(
            f"{name}: {shown} or {game.__name__} has been changed since these weights were made; "
            + (f"make them again with {header['command'][:200]!r}" if header["command"] else "make them again")
        )
    try:
        made = evaluation.from_weight_arrays(arrays)
    except GameError as error:
        raise FormatError(f"{name}: {error}") from None
    return made, Provenance(header["command"], header["seed"], header["data"])
