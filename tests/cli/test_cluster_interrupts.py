"""Ctrl+C while a cluster answers: no answer that has arrived is lost."""

from __future__ import annotations

import signal
from concurrent.futures import Future

import pytest

from msgbook.extras.many.cluster import counted_interrupts, receive, receive_all
from msgbook.extras.many.job import FileResult, Job

BEFORE = b"# %%\n\nhello\n"
ANSWERED = BEFORE + b"\n# %%%\n\nhi\n"


class InterruptedFuture(Future):
    """A future that somebody interrupts while its result is being fetched."""

    def result(self, timeout=None):
        found = super().result(timeout)
        signal.raise_signal(signal.SIGINT)
        return found


def test_an_answer_that_is_being_received_at_an_interrupt_is_written_and_counts(tmp_path):
    paths = [tmp_path / f"c{number}.msg.md" for number in range(3)]
    futures = dict(zip([Future(), InterruptedFuture(), Future()], paths, strict=True))
    for future, path in futures.items():
        path.write_bytes(BEFORE)
        future.set_result((FileResult(path, "done"), ANSWERED))
    results = {}

    def keep(future):
        results[futures[future]] = receive(future, Job(futures[future]), BEFORE).status

    with counted_interrupts() as events:
        receive_all(futures, keep, lambda: None, events)
    assert results == dict.fromkeys(paths, "done")
    assert [path.read_bytes() for path in paths] == [ANSWERED] * 3


def test_an_interrupt_stops_the_workers_once_and_what_they_send_then_is_received():
    future, received = Future(), []
    with counted_interrupts() as events:
        signal.raise_signal(signal.SIGINT)
        receive_all([future], received.append, lambda: future.set_result("sent"), events)

    assert received == [future]


def test_a_second_interrupt_ends_the_run():
    with counted_interrupts():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_afterwards_the_handlers_are_as_they_were_and_what_is_ignored_stays_ignored(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        with counted_interrupts() as events:
            signal.raise_signal(signal.SIGINT)
            assert events.empty() == (handler is signal.SIG_IGN)
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
