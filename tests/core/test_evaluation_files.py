"""Evaluations whose weights are in files (`zermelo.core.evaluation_files`), and those of Othello that are shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from zermelo import FormatError, load
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.weight_file import load_weights, save_weights
from zermelo.games.othello import patterns
from zermelo.games.othello.patterns import DiscPatterns

OTHELLO = load("othello")
GAMES = Path(__file__).parents[2] / "docs" / "games"


def options(command: str) -> set[str]:
    """The options of a command line, each with its value."""
    return {" ".join(each.split()) for each in command.split("--")[1:]}


def test_files_are_read_on_first_use(tmp_path: Path) -> None:
    path = tmp_path / "discs.weights"
    mobility = OTHELLO.evaluations["mobility"]
    found = EvaluationFiles({"mobility": mobility}, discs=(DiscPatterns, path))
    found.belong_to(OTHELLO)
    assert list(found) == ["mobility", "discs"]
    assert len(found) == 2
    path.write_bytes(b"ZERMELOW")
    assert found["mobility"] is mobility
    with pytest.raises(FormatError, match="is not a weight file"):
        found["discs"]
    save_weights(path, OTHELLO, DiscPatterns.with_weights())
    assert found["discs"] is found["discs"] == DiscPatterns.with_weights()
    with pytest.raises(KeyError):
        found["none"]
    found = EvaluationFiles({"mobility": mobility}, first="discs", discs=(DiscPatterns, path))
    assert list(found) == ["discs", "mobility"]


def test_without_a_file_there_are_no_weights(tmp_path: Path) -> None:
    found = EvaluationFiles({}, discs=(DiscPatterns, tmp_path / "none.weights"))
    assert found["discs"] == DiscPatterns.with_weights()


def test_the_weights_of_othello() -> None:
    path = Path(patterns.__file__).with_name("patterns.weights")
    found, made = load_weights(path, OTHELLO, DiscPatterns)
    assert path.stat().st_size <= 4_000_000
    assert found.weights.any()
    # The page and the kept log have the command that made them.
    page = (GAMES / "othello.md").read_text().replace("\\\n", " ")
    documented = next(line for line in page.splitlines() if line.startswith("    zermelo learn othello train"))
    assert options(documented) == {*options(made.command), "folder othello-weights"}
    commands = [
        line for line in (GAMES / "othello-train.log").read_text().splitlines() if " learn othello train" in line
    ]
    assert commands[-1].endswith(made.command)
    assert found is not OTHELLO.evaluations["patterns"] == found
    start = OTHELLO.start()
    assert found.score(start) == -found.score(start.replace(black=start.white, white=start.black, turn=-1))
