"""Outputs that are marked with `history`: hidden text is in no request, whatever happened to the mark."""

from __future__ import annotations

import json

import pytest
from history_cells import code, prompt, says

from msgbook.request.history import Reader, View, cell_text, known_summaries, summary_record
from msgbook.request.prompt_checks import list_left_out
from msgbook_format import reads, writes
from msgbook_format.turn import TURN_MIME

VIEW = View("assistant", "s", vision=True)
HIDDEN = "swordfish"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

OUTPUTS = {
    "a stream": "[^a.1]: [python] {mark}\n\nstdout> swordfish",
    "two streams of one body": "[^a.1]: [python] {mark}\n\nstdout> a\nstderr> swordfish",
    "plain text among streams": "[^a.1]: [python] {mark}\n\nstdout> a\nswordfish\nstdout> b",
    "display data": '[^a.1]: [python] mime_type="text/plain" {mark}\n\nswordfish',
    "a result": '[^a.1]: [python] output=execute_result mime_type="text/plain" {mark}\n\nswordfish',
    "JSON": '[^a.1]: [python] mime_type="application/json" encoding=json {mark}\n\n"swordfish"',
    "an error": '[^a.1]: [python] output=error ename="E" evalue="e" {mark}\n\nswordfish',
    "an output as JSON": '[^a.1]: [nb] output=json encoding=json {mark}\n\n'
    '{"output_type": "stream", "name": "stdout", "text": "swordfish\\r\\n"}',
    "the first of two types": '[^a.1]: [python] mime_type="text/html" {mark}\n\nx\n\n# %%% [^a.2]\n\n'
    '[^a.2]: [python] mime_type="text/plain" alt=1\n\nswordfish',
    "the second of two types": '[^a.1]: [python] mime_type="text/html"\n\nx\n\n# %%% [^a.2]\n\n'
    '[^a.2]: [python] mime_type="text/plain" alt=1 {mark}\n\nswordfish',
}  # fmt: skip

HEADS = {
    "code": "# %% [^a]\n\n[^a]: [code]\n\nx()\n\n",
    "a prompt": "# %% [^a]\n\n[^a]: [markdown]\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [bot]\n\nHello\n\n",
}


def cells_of(text):
    """The cells of a text, which is written anew in between."""
    notebook = reads(text)
    for cell in notebook["cells"]:
        cell["metadata"].get("msgbook", {}).pop("text", None)
    return json.loads(json.dumps(reads(writes(notebook))["cells"]))


def sent(*cells):
    summaries = known_summaries(cells)
    history = Reader().read(cells, VIEW, summaries)
    return json.dumps(history.messages)


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS.keys())
def test_the_mark_of_an_output_decides_whether_it_is_sent(head, output):
    def request(mark):
        return sent(*cells_of(head + "# %%% [^a.1]\n\n" + output.replace("{mark}", mark)))

    is_dropped = "[markdown]" in head and "output=error" in output
    for mark in ("history=include", "history=1", 'history="true"', ""):
        assert is_dropped or HIDDEN in request(mark)
    for mark in ("exclude", "none", "0", "false", " NONE ", "hide", "", "summary"):
        assert HIDDEN not in request(f'history="{mark}"')


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_neither_references_nor_summaries_of_the_cell_contain_a_hidden_output(output):
    text = HEADS["code"] + "# %%% [^a.1]\n\n" + output.replace("{mark}", "history=none")
    (cell,) = cells_of(text)
    cell["metadata"].setdefault("msgbook", {})["history"] = "summary"

    (missing,) = Reader().read([cell], VIEW, {}).missing

    assert HIDDEN not in missing.text
    assert HIDDEN not in cell_text(cell, "code")


def test_the_picture_of_a_hidden_output_is_not_sent():
    shown = {"output_type": "display_data", "data": {"image/png": PNG}, "metadata": {}}
    hidden = {**shown, "metadata": {"msgbook": {"history": "exclude"}}}

    assert PNG in sent(code("!plot", shown))
    assert PNG not in sent(code("!plot", hidden))
    # A summary of a picture is its type.
    request = sent(code("!plot", {**shown, "metadata": {"msgbook": {"history": "summary"}}}))
    assert PNG not in request
    assert "[image/png]" in request


def test_a_summary_takes_the_place_of_one_output_and_never_the_full_text():
    text = HEADS["code"] + "# %%% [^a.1]\n\n[^a.1]: [python] history=summary\n\nstdout> swordfish\n"
    (cell,) = cells_of(text + "\n# %%% [^a.2]\n\n[^a.2]: [python] mime_type=text/plain\n\n42\n")
    (missing,) = Reader().read([cell], VIEW, {}).missing
    assert missing.key == "a/output 0"
    assert HIDDEN in missing.text
    assert "there is no summary of this output yet" in sent(cell)

    later = prompt("Later", says("Yes."))
    turn = later["outputs"][0]["data"][TURN_MIME]
    turn["context"] = {"summaries": summary_record(missing, "a fish")}
    request = sent(cell, later)

    assert "[summary] a fish" in request
    assert HIDDEN not in request
    assert "42" in request


def marked(*texts):
    """A cell whose first stream is hidden, and which then put out other texts."""
    text = HEADS["code"] + "# %%% [^a.1]\n\n[^a.1]: [python] history=none\n\nstdout> swordfish\n"
    (cell,) = cells_of(text + "\n# %%% [^a.2]\n\n[^a.2]: [python]\n\nstderr> shown\n")
    if texts:
        cell["outputs"] = [
            {"output_type": "stream", "name": "stdout", "text": text} for text in texts
        ]
    return cell


def test_the_mark_of_a_stream_holds_for_that_stream():
    assert HIDDEN not in sent(marked())
    assert "shown" in sent(marked())
    assert "shown" in sent(marked("swordfish\n", "shown"))


@pytest.mark.parametrize(
    "texts",
    [
        ["first\n", "swordfish\n"],
        ["first\nswordfish\n"],
        ["swordfish\nmore\n"],
        ["sword", "fish\n"],
    ],
)
def test_where_the_hidden_text_may_be_somewhere_else_no_output_is_sent(texts):
    request = sent(marked(*texts))

    assert not any(text.strip() in request for text in "\n".join(texts).split())
    (warning,) = list_left_out([marked(*texts)], str)
    assert warning.startswith("You hid an output of cell 1 ")


def test_the_mark_of_a_stream_holds_for_each_stream_that_is_the_same():
    cell = marked("swordfish\n", "shown", "swordfish\n")

    assert HIDDEN not in sent(cell)
    assert "shown" in sent(cell)
    assert list(list_left_out([cell], str)) == []


def test_a_stream_that_is_the_same_as_a_hidden_one_is_sent_if_it_says_so_itself():
    text = HEADS["code"] + "# %%% [^a.1]\n\n[^a.1]: [python] history=none\n\nstdout> swordfish\n"
    (cell,) = cells_of(text + "\n# %%% [^a.2]\n\n[^a.2]: [python] history=1\n\nstdout> swordfish\n")

    assert sent(cell).count(HIDDEN) == 1


@pytest.mark.parametrize(
    "value", ["none", [], None, 5, {"7": "none"}, {"x": "none"}, {"0": {"history": "none"}}, {"0": {}}]
)  # fmt: skip
def test_marks_that_nobody_can_read_hide_all_outputs_of_the_cell(value):
    cell = code("!ls", {"output_type": "stream", "name": "stdout", "text": HIDDEN})
    cell["metadata"] = {"msgbook": {"output_history": value}}

    assert HIDDEN not in sent(cell)


def test_a_plain_mark_by_position_holds_and_one_that_includes_hides_nothing():
    streams = [
        {"output_type": "stream", "name": name, "text": text}
        for name, text in (("stdout", HIDDEN), ("stderr", "shown"))
    ]
    cell = code("!ls", *streams)

    cell["metadata"] = {"msgbook": {"output_history": {"0": "exclude"}}}
    assert HIDDEN not in sent(cell)
    assert "shown" in sent(cell)
    cell["metadata"] = {"msgbook": {"output_history": {"0": "include", "9": "include"}}}
    assert HIDDEN in sent(cell)


def test_a_mark_on_a_whole_turn_holds_too():
    cell = prompt("Hi", says(HIDDEN))
    for history in ("none", "summary"):
        cell["outputs"][0]["metadata"] = {"msgbook": {"history": history}}
        assert HIDDEN not in sent(cell)


@pytest.mark.parametrize("history", ["hide", "", "exlude", 5, None, ["include"], "include!"])
def test_an_unknown_value_on_anything_hides_it_and_a_warning_says_so(history):
    def block(value):
        return prompt("Hi", {**says(HIDDEN), "history": value})

    output = {"output_type": "display_data", "data": {"text/plain": HIDDEN}}
    marked_output = {**output, "metadata": {"msgbook": {"history": history}}}

    assert HIDDEN not in sent(prompt(HIDDEN, history=history))
    assert HIDDEN not in sent(block(history))
    assert HIDDEN not in sent(code("!ls", marked_output))
    if history is not None:
        (warning,) = list_left_out([prompt("Hi", history=history)], str)
        assert "is not sent: expected history=include, exclude or summary" in warning
        (warning,) = list_left_out([code("!ls", marked_output)], str)
        assert warning.startswith("An output of cell 1 ")
