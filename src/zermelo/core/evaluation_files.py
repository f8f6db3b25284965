"""Evaluations of a game whose weights are in files of the package, read on first use.

    evaluations = EvaluationFiles({"material": Material()}, patterns=(DiscPatterns, FOLDER / "patterns.weights"))

It is a mapping like the dict of a game without files. Listing the names reads nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from zermelo.core.evaluation import Evaluation
from zermelo.core.weight_file import load_weights


class EvaluationFiles(Mapping[str, Evaluation]):
    """Evaluations by name: those that are given, then those of files; before all others the one named `first`.

    Parameters
    ----------
    given : mapping
        Evaluations by name.
    first : str, optional
        The game's default evaluation, if it is one of a file.
    **files
        By name, the class of an evaluation and its weight file. Without the file, as before the first training, the
        evaluation is one of no weights: `with_weights()` of its class.
    """

    def __init__(
        self,
        given: Mapping[str, Evaluation],
        first: str | None = None,
        **files: tuple[type[Any], str | os.PathLike[str]],
    ) -> None:
        #: The evaluations that were given, without those of files.
        self.given = dict(given)
        self._files = files
        self._names = sorted((*given, *files), key=lambda name: name != first)
        self._found = dict(given)
        self._game: Any = None

    def belong_to(self, game: type[Any]) -> None:
        """Set the game, for which the weights must have been made; the decorator `game` does."""
        self._game = game

    def __getitem__(self, name: str) -> Evaluation:
        if name not in self._found:
            kind, path = self._files[name]
            has_weights = os.path.exists(path)
            self._found[name] = load_weights(path, self._game, kind)[0] if has_weights else kind.with_weights()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
