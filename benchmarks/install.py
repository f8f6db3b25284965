"""Install the other libraries into the environment of this Python, one at a time.

    .venv-bench/bin/python benchmarks/install.py

A library without a build for this Python or machine is skipped with a message. peers.py then reports it as not
installed and runs the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LISTS = {"requirements.txt": [], "requirements-nodeps.txt": ["--no-deps"]}


def requirements(path: Path) -> list[str]:
    """Read a requirements file without its comments."""
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def main() -> None:
    # `--help` prints help instead of installing.
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    for name, options in LISTS.items():
        for requirement in requirements(HERE / name):
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            if subprocess.run([*command, *options, requirement]).returncode != 0:
                print(f"{requirement} cannot be installed; skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
