"""Nightly tests that take hours come in parts with different seeds, so that processors share them."""

import pytest

PARTS = 10

in_parts = pytest.mark.parametrize("part", range(PARTS), ids="part{}".format)
