"""A comm is dropped for its silence or has spoken; it is never lost with a word on its way."""

from __future__ import annotations

from threading import Barrier, Thread
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from msgbook.kernel.page.open_comms import OpenComms


def comm(comm_id: str) -> SimpleNamespace:
    return SimpleNamespace(comm_id=comm_id)


A, B = comm("a"), comm("b")


def opened(*comms: SimpleNamespace) -> OpenComms:
    found = OpenComms()
    for one in comms:
        assert found.note_message(one)
    return found


def test_who_has_spoken_since_the_waiting_began_is_kept_and_who_has_not_is_dropped():
    comms = opened(A, B)
    assert comms.begin_waiting() == [A, B]

    assert not comms.note_message(B)
    comms.remove_silent()

    assert comms.snapshot() == [B]


def test_who_kept_silent_is_not_waited_for_again_until_it_speaks():
    comms = opened(A, B)
    comms.begin_waiting()
    comms.note_message(B)

    assert comms.begin_waiting() == [B]
    assert not comms.note_message(B)
    assert comms.note_message(A)
    assert comms.begin_waiting() == [B, A]


def test_an_answer_is_forgotten_with_its_comm():
    comms = opened(A, B)
    for one in (A, B):
        comms.complete(one.comm_id, {"cells": [], "revision": "1"})
    comms.remove("a")

    assert [comms.revision(one.comm_id) for one in (A, B)] == [None, "1"]


steps = st.lists(st.sampled_from(["heard", "wait", "drop", "closed"]), max_size=8)


@given(steps)
def test_a_comm_that_speaks_is_there_and_told_to_be_new_only_when_it_was_gone(taken):
    comms = OpenComms()
    for step in taken:
        was_there = A in comms.snapshot()
        match step:
            case "heard":
                assert comms.note_message(A) is not was_there
                assert comms.snapshot() == [A]
            case "wait":
                comms.begin_waiting()
            case "drop":
                comms.remove_silent()
            case "closed":
                comms.remove("a")
        assert len(comms) == len(comms.snapshot())


def test_a_word_that_comes_while_the_silent_are_dropped_is_not_lost():
    for _ in range(50):
        comms, together, told = opened(A), Barrier(2), []
        comms.begin_waiting()

        def speak(comms=comms, together=together, told=told):
            together.wait()
            told.append(comms.note_message(A))

        speaking = Thread(target=speak)
        speaking.start()
        together.wait()
        comms.remove_silent()
        speaking.join()

        # Kept, or removed and added again.
        assert comms.snapshot() == [A]
        assert len(told) == 1
