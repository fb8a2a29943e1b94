"""A comm is dropped for its silence or has spoken; it is never lost with a word on its way."""

from __future__ import annotations

from threading import Barrier, Thread
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from msgbook.kernel.page.page_comms import OpenComms


def comm(comm_id: str) -> SimpleNamespace:
    return SimpleNamespace(comm_id=comm_id)


A, B = comm("a"), comm("b")


def opened(*comms: SimpleNamespace) -> OpenComms:
    found = OpenComms()
    for one in comms:
        assert found.note_message(one)
    return found


def test_a_comm_that_has_sent_a_message_since_the_wait_began_is_kept_and_others_are_removed():
    comms = opened(A, B)
    question, asked = comms.begin_waiting()
    assert asked == [A, B]

    assert not comms.note_message(B)
    comms.end_waiting(question, in_vain=True)

    assert comms.snapshot() == [B]


def test_a_silent_comm_is_not_waited_for_again_until_it_sends_a_message():
    comms = opened(A, B)
    question, _ = comms.begin_waiting()
    comms.note_message(B)
    comms.end_waiting(question, in_vain=False)

    assert comms.begin_waiting()[1] == [B]
    assert not comms.note_message(B)
    assert comms.note_message(A)
    assert comms.begin_waiting()[1] == [B, A]


def test_a_question_that_follows_at_once_is_for_the_comms_that_have_had_no_time_to_answer():
    comms = opened(A)
    first, _ = comms.begin_waiting()

    second, asked = comms.begin_waiting()
    assert asked == [A]

    comms.note_message(A)
    comms.end_waiting(first, in_vain=False)
    comms.end_waiting(second, in_vain=True)
    assert comms.snapshot() == [A]


def test_a_comm_that_opened_after_a_question_is_not_removed_when_that_was_asked_in_vain():
    comms = opened(A)
    first, _ = comms.begin_waiting()
    comms.note_message(B)
    second, asked = comms.begin_waiting()
    assert asked == [A, B]

    comms.end_waiting(first, in_vain=True)

    assert comms.snapshot() == [B]
    comms.end_waiting(second, in_vain=True)
    assert comms.snapshot() == []


def test_the_answer_of_a_removed_comm_is_forgotten():
    comms = opened(A, B)
    for one in (A, B):
        comms.complete(one.comm_id, {"cells": [], "revision": "1"})
    comms.remove("a")

    assert [comms.revision(one.comm_id) for one in (A, B)] == [None, "1"]


steps = st.lists(st.sampled_from(["heard", "wait", "in vain", "closed"]), max_size=8)


@given(steps)
def test_a_comm_that_sends_a_message_is_open_and_new_only_if_it_was_removed(taken):
    comms, question = OpenComms(), 0
    for step in taken:
        was_there = A in comms.snapshot()
        match step:
            case "heard":
                assert comms.note_message(A) is not was_there
                assert comms.snapshot() == [A]
            case "wait":
                question, _ = comms.begin_waiting()
            case "in vain":
                comms.end_waiting(question, in_vain=True)
            case "closed":
                comms.remove("a")
        assert len(comms) == len(comms.snapshot())


def test_a_message_that_arrives_while_silent_comms_are_removed_is_not_lost():
    for _ in range(50):
        comms, together, told = opened(A), Barrier(2), []
        question, _ = comms.begin_waiting()

        def speak(comms=comms, together=together, told=told):
            together.wait()
            told.append(comms.note_message(A))

        speaking = Thread(target=speak)
        speaking.start()
        together.wait()
        comms.end_waiting(question, in_vain=True)
        speaking.join()

        # Kept, or removed and added again.
        assert comms.snapshot() == [A]
        assert len(told) == 1
