"""The set-up of a browser for the tests: one line, whatever apt does, and never a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "support" / "install_chromium.py"
pytestmark = [pytest.mark.long, pytest.mark.skipif(not hasattr(os, "geteuid"), reason="apt is for Linux")]


def run(tmp_path: Path, apt: str | None) -> str:
    """Run the script with a program of this text in place of apt-get, and with no browser."""
    if apt is not None:
        (tmp_path / "apt-get").write_text(f"#!/bin/sh\n{apt}\n")
        (tmp_path / "apt-get").chmod(0o755)
    environment = {**os.environ, "PATH": str(tmp_path), "ZERMELO_CHROMIUM": ""}
    done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    return done.stdout.removeprefix("- Chromium for the tests: ").strip()


def test_without_apt(tmp_path: Path) -> None:
    assert run(tmp_path, None).startswith("none found")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root installs")
def test_with_apt(tmp_path: Path) -> None:
    assert run(tmp_path, "echo 'E: no network' >&2; exit 100").startswith("not installed (E: no network)")
    install = f"""case "$*" in *--download-only*) exit 0;; *install*chromium*) : > {tmp_path}/chromium
    /bin/chmod 755 {tmp_path}/chromium;; esac"""
    assert run(tmp_path, install).startswith(f"installed {tmp_path}/chromium in ")
    assert run(tmp_path, "exit 1") == f"found {tmp_path}/chromium"
