"""The keeper on a system that gives neither namespaces nor lists of children: it searches /proc for processes."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "zermelo" / "sandbox"))

import supervisor

supervisor._enter_namespace = lambda library: False  # type: ignore[attr-defined]
supervisor._TELLS_CHILDREN = False  # type: ignore[attr-defined]
supervisor.main()
