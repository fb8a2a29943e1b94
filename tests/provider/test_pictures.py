"""Pictures of a model: whatever a server calls them, they are images of the turn, or said to be left out."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from completions import DONE, delta, finish, sse
from recorded_turns import PIXEL
from responses import added, completed, done, event, message, plain
from streamed_turns import StreamedTurn

import msgbook_format
from msgbook.images import IMAGE_LIMIT, MAX_IMAGES
from msgbook.turn.replay import turn_messages
from msgbook_format.exporters.conversation import Selection, select_cells
from msgbook_format.turn import TURN_MIME, bundle, to_markdown

DATA = base64.b64encode(PIXEL).decode()
URL = f"data:image/png;base64,{DATA}"
FORMS: dict[str, Any] = {
    "OpenRouter": {"type": "image_url", "image_url": {"url": URL}, "index": 0},
    "a bare URL": {"type": "image_url", "image_url": URL},
    "Responses": {"type": "output_image", "image_url": URL},
    "Anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": DATA},
    },
    "MCP": {"type": "image", "data": DATA, "mimeType": "image/png"},
    "Gemini": {"inlineData": {"mimeType": "image/png", "data": DATA}},
    "a wrong type": {"type": "image_url", "image_url": {"url": f"data:image/webp;base64,{DATA}"}},
    "without padding": {"type": "image_url", "image_url": {"url": URL.rstrip("=")}},
}
BUNDLE = {"image/png": DATA}


def displays(turn: StreamedTurn) -> list[Any]:
    return [block["data"] for block in turn.turn["blocks"] if block["type"] == "display"]


def chat(*deltas: Any) -> StreamedTurn:
    return StreamedTurn("chat", sse(*deltas, finish(), DONE))


@pytest.mark.parametrize("form", FORMS)
def test_a_picture_of_any_form_is_an_image_of_the_turn(form: str) -> None:
    image, text = FORMS[form], {"type": "text", "text": "Here: "}
    whole = message()
    whole["content"] = [{"type": "output_text", "text": "Here: "}, image]

    turns = [
        chat(delta(content="Here: ", images=[image])),
        chat(delta(content=[text, image])),
        chat({"choices": [{"index": 0, "message": {"content": "Here: ", "images": [image]}}]}),
        StreamedTurn("responses", plain(completed(whole))),
    ]
    for turn in turns:
        assert displays(turn) == [BUNDLE]
        assert turn.said["text"] == "Here: "
        assert turn.said["notices"] == []
        assert turn.said["status"] == "done"


def test_other_shapes_of_the_images_of_a_chat_answer_are_images() -> None:
    for images in (URL, [URL], [{"b64_json": DATA}], {"url": URL}):
        assert displays(chat(delta(content="x", images=images))) == [BUNDLE]


def test_the_image_of_a_hosted_tool_is_shown_and_goes_back_whole_within_the_turn() -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed"}
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "see"}
    call["arguments"] = "{}"
    progress = event("image_generation_call.partial_image", item_id="ig_1", partial_image_b64=DATA)
    whole = {**item, "result": DATA}

    turn = StreamedTurn(
        "responses",
        plain(
            added({**item, "status": "in_progress"}), progress, done(whole), completed(whole, call)
        ),
    )
    assert displays(turn) == [BUNDLE]
    assert whole in turn.requests[1]["input"]
    assert turn.said["notices"] == []


def test_a_picture_that_comes_again_is_shown_once() -> None:
    image = FORMS["OpenRouter"]
    turn = chat(delta(content="a", images=[image]), delta(content="", images=[image, image]))

    assert displays(turn) == [BUNDLE]


def test_an_image_elsewhere_is_a_link_and_never_loaded() -> None:
    turn = chat(delta(content="x", images=[{"type": "image_url", "image_url": {"url": REMOTE}}]))

    assert displays(turn) == [{"text/markdown": "[image](https://a.example/b%20%28c%29.png?d=1)"}]
    markdown = to_markdown(turn.turn)
    assert "[image](https://a.example/b%20%28c%29.png?d=1)" in markdown
    assert "![" not in markdown


REMOTE = "https://a.example/b (c).png?d=1"


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("data:image/svg+xml;base64,PHN2Zy8+", "1 of another type than PNG, JPEG, GIF and WebP"),
        ("javascript:alert(1)", "1 of another type"),
        ("file:///etc/passwd", "1 of another type"),
        ("data:text/html,<b>", "1 of another type"),
        ("https://a.example/" + "x" * 3000, "1 with too long an address"),
        (URL + "A" * (IMAGE_LIMIT * 4 // 3), "1 too large (the limit is 5 MB, 20 MB of all)"),
    ],
)
def test_what_is_no_picture_that_can_be_shown_is_named(image: str, reason: str) -> None:
    turn = chat(delta(content="x", images=[{"type": "image_url", "image_url": {"url": image}}]))

    assert displays(turn) == []
    (words,) = turn.said["notices"]
    assert words.startswith(f"Images of the model that are not kept: {reason}")


def test_the_number_of_pictures_is_bounded() -> None:
    def image(number: int) -> str:
        return f"data:image/png;base64,{base64.b64encode(PIXEL + bytes([number])).decode()}"

    turn = chat(delta(content="x", images=[image(n) for n in range(MAX_IMAGES + 3)]))
    assert len(displays(turn)) == MAX_IMAGES
    assert turn.said["notices"] == [
        f"Images of the model that are not kept: 3 beyond the {MAX_IMAGES} of one answer."
    ]


@pytest.fixture
def drawn() -> Any:
    return chat(delta(content="Here: ", images=[FORMS["OpenRouter"]]), delta(content="Nice?")).turn


def test_an_image_is_drawn_where_it_stands_in_the_markdown_of_the_turn(drawn: Any) -> None:
    assert to_markdown(drawn) == f"Here:\n\n![image]({URL})\n\nNice?"


def test_an_image_is_kept_by_the_text_of_a_chat(drawn: Any) -> None:
    output = {"output_type": "display_data", "metadata": {}, "data": bundle(drawn)}
    cell = {"cell_type": "code", "id": "a", "source": "hi", "metadata": {}, "outputs": [output]}
    notebook = msgbook_format.reads("# %%\nhi\n")
    notebook.cells[0].update({**cell, "execution_count": None})

    text = msgbook_format.writes(notebook)
    read = msgbook_format.reads(text)
    assert read.cells[0].outputs[0]["data"][TURN_MIME]["blocks"] == drawn["blocks"]
    assert json.dumps(DATA) in text


def test_an_export_without_tools_has_the_images_of_the_model(drawn: Any) -> None:
    tools = {"type": "display", "step": 1, "id": "call_1", "data": {"text/html": "<b>x</b>"}}
    turn = {**drawn, "blocks": [*drawn["blocks"], tools]}
    output = {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn}}
    cell = {"cell_type": "code", "source": "hi", "metadata": {}, "outputs": [output]}

    (shown,) = select_cells({}, [cell], Selection(tools=False)).cells
    assert shown["outputs"][0]["data"][TURN_MIME]["blocks"] == drawn["blocks"]


def test_an_image_is_never_sent_as_text(drawn: Any) -> None:
    assert turn_messages(drawn["blocks"]) == [{"role": "assistant", "content": "Here: \n\nNice?"}]


@pytest.mark.parametrize(
    "data", [None, "x", [], {"image/png": 5}, {"image/png": "x) ![a](http://b"}]
)
def test_a_hostile_image_of_a_file_is_not_drawn(data: Any) -> None:
    turn: Any = {"version": 1, "status": "done", "blocks": [{"type": "display", "data": data}]}

    assert "](http" not in to_markdown(turn)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "key", ["image", "image_url", "picture", "output_image", "inline_data", "generated_images"]
)
def test_a_picture_under_another_key_is_an_image_too(key: str, form: str) -> None:
    for value in (FORMS[form], [FORMS[form]]):
        turn = chat(delta(content="Here: "), delta(**{key: value}))

        assert (displays(turn), turn.said["notices"]) == ([BUNDLE], [])


@pytest.mark.parametrize("key", ["image", "media", "attachment", "x"])
def test_a_data_url_under_any_key_is_an_image(key: str) -> None:
    assert displays(chat(delta(content="Here: ", **{key: URL}))) == [BUNDLE]


@pytest.mark.parametrize("key", ["image", "image_url", "media", "image_id"])
@pytest.mark.parametrize("value", ["not available", {"reason": "not available"}, ["not available"]])
def test_words_in_the_place_of_a_picture_are_quoted(key: str, value: Any) -> None:
    turn = chat(delta(content="Here: ", **{key: value}))

    [notice] = turn.said["notices"]
    assert "not available" in notice
    assert f"`{key}`" in notice


@pytest.mark.parametrize("part", [{"type": "picture", "data": DATA}, {"type": "photo", "url": URL}])
def test_a_part_of_another_name_is_an_image(part: Any) -> None:
    whole = message()
    whole["content"] = [{"type": "output_text", "text": "Here: "}, part]

    turns = [chat(delta(content=[part])), StreamedTurn("responses", plain(completed(whole)))]
    assert [displays(turn) for turn in turns] == [[BUNDLE], [BUNDLE]]
