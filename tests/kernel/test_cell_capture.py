"""Outputs of a cell that a tool runs, as a notebook saves them."""

from __future__ import annotations

import json

import nbformat
import pytest

from msgbook.kernel.python.capture import OUTPUTS_LIMIT, CellCapture


@pytest.fixture
def capture() -> CellCapture:
    return CellCapture(lambda _text: None)


def kinds(capture: CellCapture) -> list[str]:
    return [output["output_type"] for output in capture.outputs(3)]


def test_streams_grow_and_keep_their_order(capture):
    capture.write("a")
    capture.write("b\n")
    capture.write("oh\n", "stderr")
    capture.write("c\n")

    found = [(output["name"], output["text"]) for output in capture.outputs(1)]
    assert found == [("stdout", "ab\n"), ("stderr", "oh\n"), ("stdout", "c\n")]


def test_half_a_character_of_a_process_waits_for_its_other_half(capture):
    for byte in "é\n".encode():
        capture.write(bytes([byte]))

    assert capture.outputs(1)[0]["text"] == "é\n"


def test_values_displays_and_errors_are_valid_outputs(capture):
    capture.display({"text/plain": "x", "image/png": b"\x89PNG"}, None, {"image/png": {"width": 3}})
    capture.result({"text/plain": "42", "application/json": {"a": float("nan"), "b": {1}}}, {})
    capture.fail(ValueError, ValueError("no \ud800"), ["Traceback", "ValueError: no"])

    outputs = capture.outputs(3)
    assert kinds(capture) == ["display_data", "execute_result", "error"]
    assert outputs[0]["data"]["image/png"] == "iVBORw=="
    assert outputs[1]["execution_count"] == 3
    assert (outputs[2]["ename"], outputs[2]["evalue"]) == ("ValueError", "no \ufffd")
    json.dumps(outputs, allow_nan=False).encode()
    cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.from_dict(o) for o in outputs])
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))


def test_a_display_is_updated_in_its_place(capture):
    capture.display({"text/plain": "1 %"}, {"display_id": "bar"})
    capture.write("more\n")
    capture.display({"text/plain": "100 %"}, {"display_id": "bar"})

    assert kinds(capture) == ["display_data", "stream"]
    assert capture.outputs(1)[0]["data"] == {"text/plain": "100 %"}


def test_cleared_outputs_go_at_once_or_with_the_next_one(capture):
    capture.write("one\n")
    capture.clear(wait=True)
    assert kinds(capture) == ["stream"]
    capture.write("two\n")
    assert [output["text"] for output in capture.outputs(1)] == ["two\n"]
    capture.clear(wait=False)
    assert capture.outputs(1) == []
    assert capture.text() == "one\ntwo\n"


def test_a_number_names_a_display_too(capture):
    capture.display({"text/plain": "1 %"}, {"display_id": 7})
    capture.display({"text/plain": "100 %"}, {"display_id": 7})

    assert [output["data"] for output in capture.outputs(1)] == [{"text/plain": "100 %"}]


@pytest.mark.parametrize("wait", [False, True])
def test_a_display_that_was_cleared_is_shown_anew(capture, wait):
    for frame in ("first", "second"):
        capture.clear(wait=wait)
        capture.display({"text/plain": frame}, {"display_id": "plot"})

    assert [output["data"] for output in capture.outputs(1)] == [{"text/plain": "second"}]


def test_what_was_cleared_is_not_said_to_be_left_out(capture):
    capture.display({"text/html": "y" * OUTPUTS_LIMIT}, {"display_id": "page"})
    capture.display({"text/html": "short"}, {"display_id": "page"})
    assert kinds(capture) == ["display_data", "stream"]
    capture.clear(wait=False)

    assert capture.outputs(1) == []


def test_what_no_page_could_be_sent_is_left_out_and_said(capture):
    for _ in range(30):
        capture.write("x" * 100_000)
    capture.display({"text/html": "y" * OUTPUTS_LIMIT})

    outputs = capture.outputs(1)
    assert len(json.dumps(outputs)) < OUTPUTS_LIMIT + 1000
    assert outputs[-1]["text"].endswith("of output more: run the cell yourself to see all of it]\n")
