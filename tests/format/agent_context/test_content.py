"""What a cell shows of a message, and what a message says of a call."""

from __future__ import annotations

import pytest

from msgbook_format.document import reads
from msgbook_format.extras.agent_context import context_from, notebook_from
from msgbook_format.turn import turn_of

PARTS = [
    {"type": "text", "text": "First "},
    {"type": "image", "image_url": {"url": "https://example.org/a.png"}},
    {"type": "text", "text": " then "},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    {"type": "audio", "data": "x"},
]


@pytest.mark.parametrize("role", ["user", "system"])
def test_the_parts_of_a_message_are_one_markdown_text_in_their_order(role):
    notebook = notebook_from({"metadata": {}, "context": [{"role": role, "content": PARTS}]})

    source = notebook["cells"][0]["source"]
    assert source.startswith(
        "First ![image](https://example.org/a.png) then ![image](data:image/png;base64,AA==)"
    )
    assert source.endswith(": audio]")


def test_a_result_names_the_tool_of_its_call():
    text = """\
# %% [^a]

[^a]: [markdown]

Read it.

# %%% [^a-1.5f3a90c2]

[^a-1.5f3a90c2]: [tool] name="read" call="c1"

<tool_call><arguments>{"path": "a"}</arguments></tool_call>

# %%% [^a-1.5f3a90c2.1]

[^a-1.5f3a90c2.1]: [tool] status="success"

words
"""
    _, answer, result = context_from(reads(text), {})["context"]

    assert answer["tool_calls"][0]["id"] == "c1"
    assert result == {"role": "tool", "tool_call_id": "c1", "name": "read", "content": "words"}


@pytest.mark.parametrize(
    ("given", "status"), [({"isError": True}, "error"), ({"isError": False}, None), ({}, None)]
)
def test_a_result_that_says_it_is_an_error_is_shown_as_one_and_says_so_again(given, status):
    context = {
        "metadata": {},
        "context": [
            {"role": "user", "content": "Read it."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "read", "arguments": "{}"},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "read", "content": "Gone.", **given},
        ],
    }
    notebook = notebook_from(context)

    turn = turn_of(notebook["cells"][0]["outputs"][0])
    assert turn["blocks"][-1].get("status") == status
    assert context_from(notebook, {}) == context
