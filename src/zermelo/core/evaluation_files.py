"""Evaluations of a game that are made on first use, such as those whose weights are in files of the package.

    evaluations = EvaluationFiles({"material": Material()}, patterns=(DiscPatterns, FOLDER / "patterns.weights"))

It is a mapping like the dict of a game without files. Listing the names reads nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from zermelo.core.evaluation import Evaluation
from zermelo.core.weight_file import load_weights


class EvaluationFiles(Mapping[str, Evaluation]):
    """Evaluations by name: those that are given, then those to be made; before all others the one named `first`.

    Parameters
    ----------
    given : mapping
        Evaluations by name.
    first : str, optional
        The game's default evaluation, if it is not the first one given.
    **made
        By name, the class of an evaluation and its weight file, or a function that makes the evaluation. Without the
        file, as before the first training, the evaluation is one of no weights: `with_weights()` of its class.
    """

    def __init__(
        self,
        given: Mapping[str, Evaluation],
        first: str | None = None,
        **made: tuple[type[Any], str | os.PathLike[str]] | Callable[[], Evaluation],
    ) -> None:
        #: The evaluations that were given.
        self.given = dict(given)
        self._made = made
        self._names = sorted((*given, *made), key=lambda name: name != first)
        self._found = dict(given)
        self._game: Any = None

    def belong_to(self, game: type[Any]) -> None:
        """Set the game, for which the weights must have been made; the decorator `game` does."""
        self._game = game

    def __getitem__(self, name: str) -> Evaluation:
        if name not in self._found:
            self._found[name] = self._make(self._made[name])
        return self._found[name]

    def _make(self, made: tuple[type[Any], str | os.PathLike[str]] | Callable[[], Evaluation]) -> Evaluation:
        if not isinstance(made, tuple):
            return made()
        kind, path = made
        if not os.path.exists(path):
            return cast(Evaluation, kind.with_weights())
        return cast(Evaluation, load_weights(path, self._game, kind)[0])

    def kinds(self) -> dict[str, type[Evaluation]]:
        """Return the class of each evaluation by name, without reading weights: messages about them need it."""
        return {name: made[0] if isinstance(made := self._made.get(name), tuple) else type(self[name]) for name in self}

    def path_of(self, name: str) -> str:
        """Return the weight file of an evaluation; "" if it has none."""
        made = self._made.get(name)
        return os.fspath(made[1]) if isinstance(made, tuple) and os.path.exists(made[1]) else ""

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
