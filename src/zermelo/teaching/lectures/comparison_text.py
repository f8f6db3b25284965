"""Comparisons with the slides as text: which of them to show, and their values as people write them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from zermelo.teaching.lectures.checks import Check
from zermelo.teaching.lectures.running import Outcome


def worth_showing(outcome: Outcome) -> list[Check]:
    """The comparisons of the lecture's own way of searching, and whatever does not agree."""
    others = agreeing_conventions(outcome)
    return [check for check in outcome.checks if check.convention not in others]


def agreeing_conventions(outcome: Outcome) -> dict[str, int]:
    """The other conventions that the data have, if all agrees under them, and how many comparisons that were."""
    own = outcome.case.convention
    count = Counter(check.convention for check in outcome.checks if check.convention)
    differ = {check.convention for check in outcome.checks if check.status != "agrees"}
    searched = set(outcome.case.data.get("expected", ())) - differ
    return {words: n for words, n in count.items() if words in searched and not own.startswith(words)}


def name_of(check: Check) -> str:
    """What is compared, under which convention."""
    return f"{check.what}, {check.convention}" if check.convention else check.what


def verdict_of(check: Check) -> str:
    """The status, with the remark."""
    return f"{check.status}: {check.note}" if check.note else check.status


def as_text(value: Any) -> str:
    """Plain data of a comparison in the way that people write it.

    >>> as_text({"A": ["-inf", 3], "B": -5})
    'A [-∞, 3]; B -5'
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return {"-inf": "-∞", "+inf": "+∞"}.get(value, value)
    if isinstance(value, dict):
        if "pruned_children" in value:
            return f"{' '.join(value['pruned_children'])} at {value['at']} ({value['alpha']}, {value['beta']})"
        if "node" in value:
            bounds = (f"{sign}={as_text(value[key])}" for key, sign in (("alpha", "α"), ("beta", "β")) if key in value)
            return f"{value['node']} {' '.join(bounds)}"
        return "; ".join(f"{key} {as_text(each)}" for key, each in value.items())
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(each, int) or each in ("-inf", "+inf") for each in value):
            return f"[{as_text(value[0])}, {as_text(value[1])}]"
        items = [as_text(each) for each in value]
        nested = any(isinstance(each, (dict, list)) for each in value)
        between = " | " if any("; " in item for item in items) else "; " if nested else " "
        return between.join(items) or "none"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
