"""What holds for all tests: none of them writes into the user's folders."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def runs_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs whose store nobody names are kept in a folder that goes away with the tests, in programs of theirs too."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZERMELO_RUNS_DIR", str(folder))
        yield folder
