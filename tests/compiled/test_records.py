"""Records in compiled code: the same memory as in interpreted code."""

import pytest

from zermelo.compiled import native
from zermelo.core.hints import inline, unlikely
from zermelo.core.record import Record, Words, words


class Counters(Record):
    nodes: int
    stopped: bool
    killers: Words = words(4)
    depth: int


@inline
def update(counters, index):
    counters.nodes += 2
    counters.stopped = counters.nodes > 4
    if unlikely(counters.stopped):
        counters.depth = counters.killers[index]
    counters.killers[index] = counters.nodes
    return counters.stopped


def run(counters, index):
    return update(counters, index)


@pytest.mark.quick
def test_compiled_and_interpreted_code_share_the_memory():
    counters, twin = Counters(), Counters()
    for index in (0, 1, 1, 3):
        assert bool(native(run, counters, index)(counters, index)) == update(twin, index)
        for name in ("nodes", "stopped", "depth"):
            assert getattr(counters, name) == getattr(twin, name)
        assert list(counters.killers) == list(twin.killers)
    assert (counters.nodes, counters.stopped, list(counters.killers), counters.depth) == (8, True, [2, 6, 0, 8], 0)


def test_records_of_different_layouts_have_different_types():
    from numba.core.typing.typeof import typeof

    class Other(Record):
        nodes: int

    assert typeof(Counters()) == typeof(Counters())
    assert typeof(Counters()) != typeof(Other())


@pytest.mark.quick
def test_an_unknown_field_is_refused(monkeypatch):
    def read(counters):
        return counters.speed

    with pytest.raises(Exception, match="speed"):
        native(read, Counters())(Counters())
