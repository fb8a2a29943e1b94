"""Each result of a server becomes text or images that a model can be sent."""

from __future__ import annotations

import base64
import re

import pytest

from msgbook.errors import ToolError
from msgbook.images import MAX_IMAGES
from msgbook.tools.mcp.tool import read_result

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def words(text):
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (words("hi"), "hi"),
        ({"type": "audio", "data": "", "mimeType": "audio/wav"}, "[audio/wav: a model is not sent"),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "hi"}}, "[resource a:b]\nhi"),
        ({"type": "resource", "resource": {"uri": "a:b"}}, "[resource a:b]\n[it has no content]"),
        ({"type": "resource_link", "uri": "a:b", "name": "B"}, "[resource a:b: B]"),
        ({**IMAGE, "data": "%"}, "[image/png: its base64 cannot be read]"),
        ({**IMAGE, "data": "aGk="}, "[image/png, 2 bytes: a model cannot be sent it]"),
        ({"type": "hologram"}, "[content of the type hologram was left out]"),
        (7, "[content that cannot be read was left out]"),
    ],
)
def test_a_piece_of_content_becomes_text(entry, expected):
    assert str(read_result({"content": [entry]})).startswith(expected)


def test_an_image_is_sent_as_what_it_is_whatever_its_server_calls_it():
    [image] = read_result({"content": [{**IMAGE, "mimeType": "text/html"}]})

    assert image == {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{PNG}"},
    }


def test_structured_content_counts_only_without_text():
    structured = {"structuredContent": {"a": 1}}

    assert read_result({"content": [words("a is 1")], **structured}) == "a is 1"
    assert read_result({"content": [], **structured}) == '{\n "a": 1\n}'


def test_more_images_than_a_model_is_sent_are_left_out_and_the_texts_stay():
    parts = read_result({"content": [words("first"), words("second"), *[IMAGE, words("x")] * 1000]})

    texts = [part["text"] for part in parts if part["type"] == "text"]
    assert len(parts) - len(texts) == MAX_IMAGES
    assert len(texts) == MAX_IMAGES + 1
    assert texts[0] == "first\nsecond"
    assert texts[-1].endswith(f"[980 more images left out; the limit of a result is {MAX_IMAGES}]")


def test_a_failure_without_words_is_said():
    with pytest.raises(ToolError, match="does not say why"):
        read_result({"content": [], "isError": True})


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"answer": 42}, 'The server\'s answer is not a result of a tool: {"answer": 42}'),
        ({"content": "text"}, "is not a result of a tool"),
        ({"resultType": "input_required"}, "asks for input that msgbook does not give"),
    ],
)
def test_an_answer_that_is_no_result_is_a_failure(result, words):
    with pytest.raises(ToolError, match=re.escape(words)):
        read_result(result)


def test_structured_content_of_another_type_than_the_protocol_knows_is_text():
    assert read_result({"structuredContent": [1]}) == "[\n 1\n]"
