"""The sandbox limits as on a kernel without Landlock."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "zermelo" / "sandbox"))

import landlock

__file__ = str(Path(sys.path.pop(0), "limits.py"))
landlock.make_ruleset = lambda *_: -1
exec(compile(Path(__file__).read_text(encoding="utf-8"), __file__, "exec"))
