"""Install the peers into the environment that runs this file, one at a time.

A peer that has no build for this Python or machine is named and skipped: peers.py then reports it as not
installed, and the others still run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LISTS = {"requirements.txt": [], "requirements-nodeps.txt": ["--no-deps"]}


def requirements(path: Path) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def main() -> None:
    for name, options in LISTS.items():
        for requirement in requirements(HERE / name):
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            if subprocess.run([*command, *options, requirement]).returncode != 0:
                print(f"{requirement} could not be installed and will be left out", file=sys.stderr)


if __name__ == "__main__":
    main()
