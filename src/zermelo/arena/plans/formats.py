"""The tournament format of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.arena.plans.knock_out import KnockOut
from zermelo.arena.plans.single_stage import SingleStage
from zermelo.arena.plans.stages import TournamentFormat
from zermelo.arena.plans.swiss import Swiss

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan


def format_of(plan: Plan) -> TournamentFormat:
    """Return the format of a plan."""
    formats: dict[str, type[TournamentFormat]] = {"knock-out": KnockOut, "swiss": Swiss}
    return formats.get(plan.format, SingleStage)(plan)
