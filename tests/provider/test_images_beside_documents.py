"""A server that refuses images still gets the documents beside them."""

from __future__ import annotations

import pytest

from msgbook.messages import user
from msgbook.provider.base import Request
from msgbook.provider.request_changes import without_images, without_tool_images

TEXT = {"type": "text", "text": "Look."}
WORD = {"type": "text", "text": "[image]"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
OTHERS = [
    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"}},
    {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
    {"type": "made_up", "text": "x"},
]


@pytest.mark.parametrize("other", OTHERS)
def test_only_the_images_become_words(other):
    parts = [TEXT, IMAGE, other]
    tool = {"role": "tool", "tool_call_id": "c", "content": parts}

    changed = without_images(Request("m", [user(parts), tool]))
    of_tools = without_tool_images(Request("m", [user(parts), tool]))

    assert [message["content"] for message in changed.messages] == [[TEXT, WORD, other]] * 2
    assert [message["content"] for message in of_tools.messages] == [parts, [TEXT, WORD, other]]


def test_what_is_only_text_then_is_one_text():
    assert without_images(Request("m", [user([TEXT, IMAGE])])).messages == [user("Look.\n[image]")]
