"""What a session keeps of the outputs of code cells is what a notebook saves of them."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from output_messages import kept, message, shown, stream

from msgbook.kernel.code_outputs import (
    CELL_CHARACTERS,
    OUTPUTS,
    STREAM_CHARACTERS,
    OutputRecorder,
)
from msgbook.notebook.outputs import outputs_images, outputs_text

PNG = "iVBORw0KGgo="


def test_a_stream_is_one_output_and_outputs_keep_their_order():
    outputs = kept(
        stream("a"),
        stream("b\n"),
        stream("!", "stderr"),
        shown("display_data", {"text/plain": "d"}),
        message("execute_result", {"data": {"text/plain": "3"}, "metadata": {}}),
        message("error", {"ename": "E", "evalue": "v", "traceback": ["E: v"]}),
    )

    assert [output["output_type"] for output in outputs] == [
        "stream",
        "stream",
        "display_data",
        "execute_result",
        "error",
    ]
    assert outputs[0]["text"] == "ab\n"
    assert outputs_text(outputs) == "ab\n!d\n3\nE: v\n"


@pytest.mark.parametrize(("wait", "left"), [(False, ""), (True, "a")])
def test_outputs_are_cleared_at_once_or_with_the_next_output(wait, left):
    clear = message("clear_output", {"wait": wait})

    assert outputs_text(kept(stream("a"), clear)) == left
    assert outputs_text(kept(stream("a"), clear, stream("b"))) == "b"


def test_a_display_is_updated_in_every_cell():
    recorder = OutputRecorder()
    one, two = recorder.start("one"), recorder.start("two")
    recorder.record(shown("display_data", {"text/plain": "first"}, "d"))
    again = shown("display_data", {"text/plain": "second"}, "d")
    recorder.record(again | {"parent_header": {"msg_id": "two"}})
    update = shown("update_display_data", {"text/plain": "third"}, "d")
    recorder.record(update | {"parent_header": {"msg_id": "three"}})

    assert outputs_text(one.outputs) == outputs_text(two.outputs) == "third\n"


def test_a_display_with_a_known_id_updates_the_ones_before():
    first, second = (shown("display_data", {"text/plain": text}, "d") for text in ("1", "2"))

    assert outputs_text(kept(first, second)) == "2\n2\n"


def test_outputs_of_other_requests_and_of_forgotten_cells_are_not_kept():
    recorder = OutputRecorder()
    cell = recorder.start("one")
    recorder.record(message("stream", {"name": "stdout", "text": "x"}, "two"))
    assert cell.outputs == []
    del cell

    recorder.record(stream("late"))

    assert recorder.start("one").outputs == []


def test_the_text_and_images_of_a_bundle_that_a_model_gets_are_kept():
    data = {"text/html": "<b>" * 99, "text/plain": "b", "image/png": PNG, "image/svg+xml": "<svg>"}

    (output,) = kept(shown("display_data", data))

    full = [{"output_type": "display_data", "data": data}]
    assert output["data"]["text/html"] == ""
    assert outputs_text([output]) == outputs_text(full)
    assert outputs_images([output]) == outputs_images(full)


@pytest.mark.parametrize("plain", [{}, {"text/plain": "<m.Table object at 0x7f3a>"}])
def test_html_that_a_model_gets_is_kept(plain):
    data = {"text/html": "<table><tr><td>1</td></tr></table>", **plain}

    (output,) = kept(shown("display_data", data))

    full = [{"output_type": "display_data", "data": data}]
    assert outputs_text([output]) == outputs_text(full) == "1\n"


def test_the_outputs_of_a_cell_are_bounded():
    recorder = OutputRecorder()
    cell = recorder.start("one")
    for _ in range(9):
        recorder.record(stream("x" * (STREAM_CHARACTERS - 1)))
    assert len(outputs_text(cell.outputs)) < STREAM_CHARACTERS + 100
    assert cell.size < STREAM_CHARACTERS + 100

    for _ in range(5):
        recorder.record(shown("display_data", {"image/png": "i" * (CELL_CHARACTERS // 3)}))
    assert cell.size <= CELL_CHARACTERS
    assert "[image/png]" in outputs_text(cell.outputs[-1:])

    for number in range(OUTPUTS + 10):
        recorder.record(stream("x", f"stream {number}"))
    assert len(cell.outputs) <= OUTPUTS + 1
    assert "not kept" in cell.outputs[-1]["text"]


def test_outputs_are_bounded_when_streams_alternate_or_an_error_is_long():
    recorder = OutputRecorder()
    cell = recorder.start("one")
    for number in range(3 * CELL_CHARACTERS // STREAM_CHARACTERS):
        recorder.record(stream("x" * STREAM_CHARACTERS, f"stream {number % 2}"))
    assert cell.size <= CELL_CHARACTERS + STREAM_CHARACTERS
    assert "not kept" in cell.outputs[-1]["text"]

    long = "x" * CELL_CHARACTERS
    (output,) = kept(message("error", {"ename": "E", "evalue": long, "traceback": [long, "end"]}))
    assert len(str(output)) < 3 * STREAM_CHARACTERS
    assert "\n".join(output["traceback"]).endswith("end")

    recorder.record(message("clear_output", {"wait": False}))
    recorder.record(stream("x"))
    assert outputs_text(cell.outputs) == "x"


def test_displays_of_forgotten_cells_are_not_kept():
    def show(recorder: OutputRecorder, number: int) -> None:
        cell = recorder.start("one")
        for place in range(number):
            recorder.record(shown("display_data", {"text/plain": "d"}, f"{number} {place}"))
        assert len(cell.outputs) == number

    recorder = OutputRecorder()
    show(recorder, 1)
    tracemalloc.start()
    show(recorder, OUTPUTS)
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 100_000


def test_the_end_of_a_long_stream_is_kept():
    (output,) = kept(*[stream("x" * 1000)] * (STREAM_CHARACTERS // 500), stream("the end"))

    assert output["text"].startswith("xxx")
    assert output["text"].endswith("the end")
    assert "the middle is not kept" in output["text"]


@given(
    st.sampled_from(["stream", "display_data", "update_display_data", "error", "clear_output"]),
    st.dictionaries(
        st.sampled_from(["name", "text", "data", "metadata", "transient", "traceback", "wait"]),
        st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2),
    ),
)
def test_malformed_messages_are_recorded_without_an_error(kind, content):
    assert isinstance(outputs_text(kept(message(kind, content), stream("x"))), str)
