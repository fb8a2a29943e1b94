"""What the constructs of a text mean in the notebook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msgbook_format import reads, writes
from msgbook_format.cells.cell import derived_id
from msgbook_format.turn import TURN_MIME

FIXTURES = Path(__file__).parent / "fixtures"


def cell_of(text):
    (cell,) = reads(text).cells
    return cell


def turn(output):
    return output["data"][TURN_MIME]


@pytest.fixture(scope="module")
def tour():
    nb = reads((FIXTURES / "tour.msg.md").read_text())
    return {cell.id: cell for cell in nb.cells}


@pytest.fixture(scope="module")
def by_hand():
    return reads((FIXTURES / "by-hand.msg.md").read_text()).cells


@pytest.mark.parametrize(
    ("footnote", "cell_type", "ours"),
    [
        ("[markdown]", "code", {}),
        ("[markdown] cell=markdown role=system", "markdown", {"role": "system"}),
        ("[raw]", "raw", {}),
        ("[raw] cell=code", "raw", {}),
        ("[raw] cell=markdown", "raw", {"attrs": [["cell", "markdown"]]}),
        ("[survey] x=1 y", "code", {"type": "survey", "attrs": [["x", "1"], ["y", True]]}),
        ('history="summary" agent=bob', "code", {"history": "summary", "agent": "bob"}),
    ],
)
def test_the_footnote_says_what_a_cell_is(footnote, cell_type, ours):
    cell = cell_of(f"# %% [^a]\n\n[^a]: {footnote}\n\nHello\n")
    found = dict(cell.metadata.get("msgbook", {}))
    found.pop("text", None)

    assert (cell.cell_type, cell.source, found) == (cell_type, "Hello", ours)


@pytest.mark.parametrize(
    ("fence", "source"),
    [
        ("```python\nx\n```", "%%python\nx"),
        ("```py\nx\n```", "%%python\nx"),
        ("~~~\nx\n~~~", "%%python\nx"),
        ("```ipython\n%model m\n```", "%model m"),
        ("```bash\nls\n```", "%%bash\nls"),
        ("x", "%%python\nx"),
        ("```python\nx", "%%python\nx"),
        # Whatever the language, it is no message.
        ("```ipython\nx\n```", "%%python\nx"),
        ("```ipython\n%continue\n```", "%%python\n%continue"),
        ("```ipython\n%%msg a=b\nx\n```", "%%python\n%%msg a=b\nx"),
        ("```msg\nx\n```", "%%python\nx"),
        ("```msg-x\ny\n```", "%%msg-x\ny"),
    ],
)
def test_a_fence_is_the_code_of_a_cell_on_our_kernel(fence, source):
    assert cell_of(f"# %% [^a]\n\n[^a]: [code]\n\n{fence}\n").source == source


def test_prose_round_a_fence_survives_an_edit_of_the_code():
    nb = reads("# %% [^a]\n\n[^a]: [code]\n\nWhy.\n\n```py\nx\n```\n\nSo.\n")

    nb.cells[0].source = "%%python\ny"

    assert writes(nb) == "# %% [^a]\n\n[^a]: [code]\n\nWhy.\n\n```py\ny\n```\n\nSo.\n"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("!ls", "code"),
        ("%model m", "code"),
        ("%%bash\nls", "code"),
        ("%%msg agent=b\nHi", "markdown"),
        ("%50 of users", "markdown"),
        ("?", "markdown"),
    ],
)
def test_commands_stand_as_code_and_prompts_as_text(source, kind):
    nb = reads("# %% [^a]\n\n[^a]: [markdown]\n")

    nb.cells[0].source = source

    assert f"[^a]: [{kind}]\n" in writes(nb)


def test_code_on_another_kernel_stands_in_its_language():
    nb = reads("# %% [^a]\n\n[^a]: [markdown]\n")
    nb.metadata.kernelspec = {"name": "ir", "display_name": "R", "language": "R"}
    del nb.metadata["language_info"]
    nb.cells[0].source = "x <- 1"

    assert writes(nb).endswith("# %% [^a]\n\n[^a]: [code]\n\n```R\nx <- 1\n```\n")


def test_a_chat_whose_kernel_is_switched_off_stays_a_chat():
    text = "# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
    nb = reads(text)

    del nb.metadata["kernelspec"]

    assert writes(nb) == text


def test_a_turn_is_read_from_its_blocks(tour):
    (output,) = tour["1"].outputs

    assert turn(output) == {
        "version": 1,
        "status": "done",
        "agent": "assistant",
        "started": "2026-11-20T10:00:00Z",
        "model": "gpt-5",
        "finish_reason": "stop",
        "usage": {"input_tokens": 12, "output_tokens": 3},
        "blocks": [
            {"type": "reasoning", "step": 1, "text": "I should look.", "duration": 1.1},
            {
                "type": "tool_call",
                "step": 1,
                "id": "call_1",
                "nonce": "5f3a90c2",
                "name": "read",
                "arguments": '{"path": "a.py", "note": "a < b & c"}',
                "approval": "auto",
            },
            {
                "type": "tool_result",
                "step": 1,
                "id": "call_1",
                "status": "success",
                "duration": 0.5,
                "content": 'print("a")\n# %% not a marker',
            },
            {"type": "text", "step": 2, "text": "It prints **a**."},
        ],
    }
    assert {"text/markdown", "text/plain"} < output.data.keys()


def test_a_failed_turn_is_its_blocks_and_one_error(tour):
    display, error = tour["broken"].outputs

    assert tour["broken"].execution_count == 7
    assert turn(display)["status"] == "error"
    assert error == {
        "output_type": "error", "ename": "RateLimitError", "evalue": "busy", "traceback": [],
    }  # fmt: skip


def test_code_outputs_are_read_with_their_kinds(tour):
    outputs = tour["sum"].outputs

    assert tour["sum"].execution_count == 3
    assert [output.output_type for output in outputs] == [
        "stream", "stream", "execute_result", "display_data", "error",
    ]  # fmt: skip
    assert [output.text for output in outputs[:2]] == ["2\n\n", "warned\n"]
    assert outputs[2].data == {"text/plain": "'two'", "text/html": "<b>two</b>"}
    assert "\n" not in outputs[3].data["image/png"]
    assert outputs[4].traceback == ["ValueError", "line 1\nline 2"]


def test_results_answer_the_call_that_their_label_continues(by_hand):
    first, second = by_hand[0].outputs
    call, *results = [block for block in turn(first)["blocks"] if block["type"].startswith("tool")]

    assert call["xml"] == "<tool_use><path>a.py</path></tool_use>"
    assert [(block["id"], block["content"]) for block in results] == [
        (call["id"], "one"), (call["id"], "two"),
    ]  # fmt: skip
    assert turn(second)["agent"] == "critic"


def test_ids_that_nbformat_forbids_are_replaced_and_stay_in_the_text(by_hand):
    ids = [cell.id for cell in by_hand]

    assert ids[:2] == ["q1", "2"]
    assert len(set(ids)) == len(ids)
    assert all(cell_id.isascii() for cell_id in ids)


def test_an_id_that_follows_from_the_source_is_not_written_until_it_does_not():
    nb = reads("# %%\n\nHello\n")
    assert writes(nb) == "# %%\n\nHello\n"

    nb.cells[0].source = "Changed"

    label = nb.cells[0].id
    assert writes(nb) == f"# %% [^{label}]\n\n[^{label}]: [markdown]\n\nChanged\n"


@pytest.mark.parametrize(
    ("text", "place", "source", "added"),
    [
        ("# %%\n\nHello\n", 0, "Changed", "\n# %%\n\nHello\n"),
        ("# %%\n\nq\n\n# %%\n", 1, "typed", "\n# %%\n"),
    ],
)
def test_a_cell_added_by_hand_may_have_the_source_that_another_had(text, place, source, added):
    nb = reads(text)
    nb.cells[place].source = source

    longer = writes(nb) + added

    assert writes(reads(longer)) == longer
    assert len(reads(longer).cells) == len(nb.cells) + 1


def test_a_long_id_gets_a_short_label():
    nb = reads("# %% [^a]\n\nHi\n")
    nb.cells[0].id = "3f2a9c1b-8d4e-4f6a-9b1c-2d3e4f5a6b7c"

    text = writes(nb)

    assert text.startswith(f'# %% [^3f2a9c1b]\n\n[^3f2a9c1b]: [markdown] id="{nb.cells[0].id}"\n')
    assert reads(text).cells[0].id == nb.cells[0].id


def test_adding_a_turn_leaves_every_other_line_as_it_was():
    text = (FIXTURES / "by-hand.msg.md").read_text()
    nb = reads(text)
    block = {"type": "text", "step": 1, "text": "New."}
    data = {TURN_MIME: {"version": 1, "status": "done", "blocks": [block]}}
    nb.cells[3].outputs = [{"output_type": "display_data", "data": data, "metadata": {}}]

    before, after = text.split("\n"), writes(nb).split("\n")

    start = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    count = len(after) - len(before)
    assert count > 0
    assert after[:start] + after[start + count :] == before


def test_the_frontmatter_is_never_dumped_again():
    text = "---\na:   1  # odd\n'b': [x,\n  y]\n---\n\n# %%\n\nHi\n"
    nb = reads(text)
    nb.metadata["custom"] = {"k": [1, "é"]}

    written = writes(nb)

    assert written.startswith(
        "---\na:   1  # odd\n'b': [x,\n  y]\njupyter:\n  custom:\n    k: [1, \"é\"]\n---\n"
    )
    del nb.metadata["custom"]
    assert writes(nb) == text


def test_a_file_cannot_say_that_it_is_trusted():
    text = '# %% [^a]\n\n[^a]: [markdown] metadata="{\\"trusted\\":true,\\"x\\":1}"\n\nHi\n'

    assert "trusted" not in cell_of(text).metadata


def test_yaml_aliases_and_deep_nesting_stay_text():
    bomb = "---\njupyter:\n  a: &a [x, x]\n  b: [*a, *a]\n---\n"
    deep = f"---\njupyter: {{a: {'[' * 5000}\n---\n"

    for text in (bomb, deep):
        nb = reads(text)
        assert nb.metadata.msgbook.frontmatter.startswith("jupyter:")
        assert writes(nb) == text


def test_a_section_is_appended_behind_an_open_fence():
    nb = reads("---\nmessage_section: Log\n---\n\n```\nopen\n")
    nb.cells = reads("# %% [^a]\n\n[^a]: [markdown]\n\n# Log\n").cells

    text = writes(nb)

    assert text.startswith(
        "---\nmessage_section: Log\n---\n\n```\nopen\n\n```\n\n## Log\n\n### %% [^a]"
    )
    assert [cell.source for cell in reads(text).cells] == ["# Log"]
    assert writes(reads(text)) == text


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "[{}, 1.0e400]"])
def test_a_number_that_json_does_not_have_stays_text(number):
    text = (
        f"---\njupyter:\n  a: {number}\n  b: .nan\n---\n\n"
        f'# %% [^a]\n\n[^a]: [markdown] metadata="{{\\"x\\":{number}}}"\n\nHi\n\n'
        f'# %%% [^a-1]\n\n[^a-1]: [python] mime_type="application/json" encoding=json\n\n{number}\n'
    )
    nb = reads(text)

    json.dumps(nb, allow_nan=False)
    assert nb.cells[0].outputs[0].data == {"application/json": number}
    assert writes(nb) == text


def test_a_number_that_is_not_finite_is_written_as_null():
    nb = reads("# %% [^a]\n")
    nb.cells[0].metadata["x"] = [float("nan"), {"y": float("inf")}]

    assert reads(writes(nb)).cells[0].metadata["x"] == [None, {"y": None}]


@pytest.mark.parametrize(
    "value", ["5", "{text: 5}", "{text: {jupytext: 5, lead: x}}", "{text: {crlf: '1'}, a: 1}"]
)
def test_a_file_cannot_set_the_verbatim_bits(value):
    text = f"---\na: 1\njupyter:\n  msgbook: {value}\n---\n\n\n\nHi\n"
    nb = reads(text)

    assert nb.metadata.msgbook.text.keys() <= {"frontmatter", "frontmatter_gap"}
    assert writes(nb) == text


def test_line_ends_are_no_content_where_they_are_mixed():
    text = (
        "# %% [^a]\r\n\r\n[^a]: [markdown]\r\n\r\nHi\r\nyou\r\n\r\n"
        "# %%% [^a-1]\r\n\r\n[^a-1]: [bot]\r\n\r\nIt is.\r\n\r\n# %% [^b]\r\n\nLast\r"
    )
    nb = reads(text)

    assert [cell.source for cell in nb.cells] == ["Hi\nyou", "Last"]
    assert turn(nb.cells[0].outputs[0])["blocks"][0]["text"] == "It is."
    assert writes(nb) == text


@pytest.mark.parametrize("outputs", ["5", "[5]", '[{"data": 5}]', "null"])
def test_a_cell_that_stands_as_json_may_hold_anything(outputs):
    cell = f'{{"cell_type": "code", "metadata": {{}}, "outputs": {outputs}}}'
    text = f"# %% [^a]\n\n[^a]: [nb]\n\n{cell}\n"

    assert reads(text).cells[0].outputs == json.loads(outputs)
    assert writes(reads(text)) == text


def test_a_result_without_a_label_of_its_own_answers_the_last_call():
    ids = ["x", "y", "x"]
    calls = "".join(
        f'# %%% [^a-1.0000000{n}]\n\n[^a-1.0000000{n}]: [tool] name="f" call="{call}"\n\n'
        for n, call in enumerate(ids)
    )
    text = f'# %% [^a]\n\n[^a]: [markdown]\n\nHi\n\n{calls}# %%% [^r]\n\n[^r]: [tool] status="success"\n'
    nb = reads(text)

    assert turn(nb.cells[0].outputs[0])["blocks"][-1]["id"] == "x"
    assert writes(nb) == text


@pytest.mark.parametrize(
    "above",
    [
        "[^a-1]: [bot]\n\nText.",
        '[^a-1]: [nb] output=json\n\n{"output_type": "display_data", "data": 5}',
        '[^a-1]: [nb] output=json\n\n{"data": {}}',
    ],
)
def test_a_further_type_joins_no_turn_and_nothing_broken(above):
    text = (
        f"# %% [^a]\n\n[^a]: [markdown]\n\nHi\n\n# %%% [^a-1]\n\n{above}\n\n"
        '# %%% [^a-2]\n\n[^a-2]: [code] mime_type="text/html" alt=1\n\n<b>x</b>\n'
    )
    nb = reads(text)

    assert len(nb.cells[0].outputs) == 2
    assert nb.cells[0].outputs[1].data == {"text/html": "<b>x</b>"}
    assert writes(nb) == text


def test_a_fence_in_the_frontmatter_opens_none_above_the_section():
    text = "---\nmessage_section: true\nx: |\n```\n---\n\n## Discussion\n\n# %% [^a]\n[^a]: [raw]\n\nHi\n"

    assert writes(reads(text)) == text


@pytest.mark.parametrize("key", ["a" * 1100, "a\n" * 600, ("b" * 400 + '"') * 3, "\x85" * 200])
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: {"x": v}, lambda v: {"x": {"y": [v]}}])
def test_metadata_may_have_a_key_too_long_for_yaml(key, wrap):
    nb = reads("# %%\n\nHi\n")
    nb.metadata["m"] = wrap({key: 1})

    assert reads(writes(nb)).metadata == nb.metadata


def test_metadata_may_have_a_key_like_the_format():
    nb = reads("# %% [^a]\n")
    nb.metadata["nbformat_minor"] = 3

    assert reads(writes(nb)).metadata["nbformat_minor"] == 3


def test_an_unknown_field_of_the_notebook_is_kept():
    nb = reads("# %% [^a]\n")
    nb["extra"] = "future"

    assert reads(writes(nb))["extra"] == "future"


def test_an_id_in_a_notebook_without_ids_is_kept():
    nb = reads("---\njupyter:\n  nbformat_minor: 4\n---\n\n# %%\n\nHi\n")
    nb.cells[0]["id"] = derived_id("Hi", 0)

    assert reads(writes(nb)).cells[0].get("id") == nb.cells[0].id


@pytest.mark.parametrize("fields", [{"x": "\ud800"}, {"json": "{}", "fields": [None, 1.5]}])
@pytest.mark.parametrize("metadata", [{}, {"json": "{}"}, {"fields": 1, "nbformat_minor": 2}])
def test_fields_of_the_notebook_and_keys_of_its_metadata_may_have_the_same_names(fields, metadata):
    nb = reads("# %% [^a]\n")
    nb.update(fields, nbformat_minor=7)
    nb.metadata.update(metadata)

    found = reads(writes(nb))

    assert found == nb
    assert writes(found) == writes(nb)


def edited(text, index, **changes):
    nb = reads(text)
    nb.cells[index].update(changes)
    return writes(nb)


def test_an_edit_of_the_code_leaves_the_prose_and_the_fence_as_they_are():
    head = "### %%  Sum [^a]\n[^a]:  [code]  mood=calm\n\nWhy\n ~~~py\n"

    written = edited(f"{head} x\n ~~~\nSo\n", 0, source="%%python\ny\n\n  z")

    assert written == f"{head} y\n \n   z\n ~~~\nSo\n"


def test_a_fence_that_the_new_code_would_close_is_written_anew():
    written = edited("## %% [^a]\n[^a]: [code]\n```python\nx\n```\n", 0, source="%%python\n```\n")

    assert written == "## %% [^a]\n[^a]: [code]\n````python\n```\n\n````\n"


def test_a_change_of_the_metadata_leaves_marker_and_body_as_they_are():
    nb = reads("## %%  T  [^a]\n[^a]: [code]  history=none\nWhy\n~~~py\nx\n~~~\n")
    nb.cells[0].metadata.msgbook.history = "include"

    assert writes(nb) == ('## %%  T  [^a]\n[^a]: [code] history="include"\nWhy\n~~~py\nx\n~~~\n')


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("# %%  ", "# %% [^{}]  "),
        ("# %%  Title ", "# %%  Title[^{}] "),
        ("# %% [^重复]\n[^重复]:  [survey]  x ", '# %% [^重复]\n[^重复]:  [survey]  x id="{}" '),
        ("# %%  [^重复]", '# %%  [^重复]\n\n[^重复]: [markdown] id="{}"'),
    ],
)
def test_an_id_that_followed_from_the_source_is_added_to_the_spelling(head, named):
    text = f"{head}\n\nOne\n\n# %%% [^重复-1]\n[^重复-1]: [bot]\nYes.\n"
    first = edited(text, 0, source="Two")
    cell_id = reads(text).cells[0].id

    assert first == text.replace(head, named.format(cell_id)).replace("One", "Two")
    assert edited(first, 0, source="Three") == first.replace("Two", "Three")
    assert reads(first).cells[0].id == cell_id


def test_a_copied_cell_does_not_get_the_label_of_the_first():
    text = "## %%  T  [^a]\n[^a]: [markdown]\nOne\n"
    nb = reads(text)
    copy = reads(text).cells[0]
    copy.id = "3f2a9c1b-8d4e-4f6a-9b1c-2d3e4f5a6b7c"
    nb.cells.insert(0, copy)

    written = writes(nb)

    assert written.startswith("## %% T[^3f2a9c1b]\n")
    assert written.endswith(f"\n\n{text}")


def test_the_edit_of_one_of_several_equal_cells_names_that_one_alone():
    text = "# %%\n\nHi\n\n# %%\n\nHi\n\n# %%\n\nHi\n"

    assert edited(text, 0, source="Ho").endswith("\n\n# %%\n\nHi\n\n# %%\n\nHi\n")


def test_what_stands_above_a_section_is_never_taken_from_the_frontmatter():
    text = '---\nmessage_section: true\njupyter:\n  msgbook: {document: "not there"}\n---\n'

    nb = reads(text)

    assert "document" not in nb.metadata.msgbook
    assert writes(nb) == text


def test_a_frontmatter_that_speaks_of_verbatim_bits_only_says_nothing():
    text = '---\njupyter:\n  msgbook: {text: {lead: x}}\n  json: "{}"\n---\n'

    nb = reads(text)

    assert nb.metadata.msgbook.text.keys() == {"frontmatter"}
    assert writes(nb) == text


@pytest.mark.parametrize(
    "text", ["# %% a\r\rhi\r# %% b\r\rho\r", "---\rx: 1\r---\r# %% a\r\n", "a\r"]
)
def test_a_file_that_ends_its_lines_with_cr_alone_is_lost_nowhere(text):
    assert writes(reads(text)) == text
