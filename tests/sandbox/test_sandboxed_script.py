"""Running one script in the sandbox: what is left when it has ended."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import IO

import pytest

from zermelo.sandbox.messages import array, text
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits


def test_a_late_reader_closes_the_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the last output may be read only when the script has long been closed."""
    closed = threading.Event()
    read = SandboxedScript._read_output

    def read_late(script: SandboxedScript, pipe: IO[bytes]) -> None:
        assert closed.wait(60)
        read(script, pipe)

    monkeypatch.setattr(SandboxedScript, "_read_output", read_late)
    path = tmp_path / "script.py"
    path.write_text("from __main__ import channel\nchannel.send('results', ['done'])\n")
    with SandboxedScript(path, ScriptLimits(seconds=20), {"results": (array(text(200), 200),)}) as script:
        assert script.receive() == ["results", ["done"]]
    closed.set()
    script._reader.join(60)
    assert [pipe.closed for pipe in script._pipes] == [True, True, True]
