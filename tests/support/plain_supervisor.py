"""The supervisor as on a system without process namespaces and lists of children: it searches /proc."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "zermelo" / "sandbox"))

import supervisor

supervisor.namespaces.enter_process_namespace = lambda library: False
supervisor._LISTS_CHILDREN = False  # type: ignore[attr-defined]
supervisor.main()
