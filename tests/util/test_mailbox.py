"""Mailboxes: the queues through which the main thread waits for processes."""

import os
import queue
import signal
import threading
import time

import pytest

from zermelo._util.mailbox import Mailbox


def test_items_come_in_order() -> None:
    box: Mailbox[int] = Mailbox()
    for number in range(3):
        box.put(number)
    assert [box.get(0) for _ in range(3)] == [0, 1, 2]
    for timeout in (0, -1, 0.01):
        with pytest.raises(queue.Empty):
            box.get(timeout)


def test_items_of_other_threads_end_the_wait() -> None:
    box: Mailbox[int] = Mailbox()
    senders = [threading.Thread(target=lambda: [box.put(number) for number in range(10_000)]) for _ in range(3)]
    for sender in senders:
        sender.start()
    assert sorted(box.get(60.0) for _ in range(30_000)) == sorted(3 * [*range(10_000)])
    for sender in senders:
        sender.join()


@pytest.mark.skipif(os.name != "posix", reason="sets a timer that sends a signal")
def test_a_signal_whose_handler_takes_longer_than_the_wait_does_not_prolong_it() -> None:
    """Ctrl-C was lost while a command waited for its workers: `SimpleQueue` waits for ever then."""
    box: Mailbox[int] = Mailbox()
    handled: list[int] = []

    def handle(number: int, frame: object) -> None:
        time.sleep(0.2)
        handled.append(number)

    timer = threading.Timer(20.0, box.put, [0])  # so that the test fails instead of hanging
    timer.start()
    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(queue.Empty):
            box.get(0.1)
    finally:
        signal.signal(signal.SIGALRM, before)
        timer.cancel()
    assert handled
