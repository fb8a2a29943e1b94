"""Images of prompts are parts of the message, in the order of the text, with unchanged bytes."""

from __future__ import annotations

import base64
import io

from PIL import Image
from scripted_server import error, text
from talk import notices


def png(width=4, height=3):
    data = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(data, "PNG")
    return data.getvalue()


def kinds(message):
    return [part["type"] for part in message["content"]]


def test_an_image_part_is_between_the_texts_around_it(talk):
    (talk.folder / "a plot (1).png").write_bytes(png())

    turn = talk.ask('Before ![a](<a plot (1).png> "T") after.')

    message = talk.sent()[-1]
    assert kinds(message) == ["text", "image_url", "text"]
    assert message["content"][1]["image_url"]["url"].startswith("data:image/")
    assert turn["context"]["images"][0]["width"] == 4


def test_an_image_is_the_same_bytes_later_though_its_file_is_gone(talk):
    (talk.folder / "a.png").write_bytes(png())
    talk.ask("See ![](a.png)")
    first = talk.sent()
    (talk.folder / "a.png").unlink()

    talk.ask("And?")

    assert talk.sent()[: len(first)] == first


def test_an_attachment_of_the_cell_is_sent(talk):
    data = base64.b64encode(png()).decode()

    talk.ask("See ![](attachment:p.png)", attachments={"p.png": {"image/png": data}})

    assert kinds(talk.sent()[-1]) == ["text", "image_url"]


def test_a_broken_image_is_a_notice_and_stays_text(talk):
    (talk.folder / "a.png").write_bytes(png()[:40])

    turn = talk.ask("See ![alt](a.png)")

    assert talk.sent()[-1]["content"] == "See ![alt](a.png)"
    assert "a.png" in " ".join(notices(turn))


def test_a_model_that_takes_no_images_is_asked_again_without_them_and_a_notice_says_so(talk):
    (talk.folder / "a.png").write_bytes(png())
    talk.server.answers = [error(400, "this model does not support image input"), text("Fine.")]

    turn = talk.ask("See ![the plot](a.png)")

    assert turn["status"] == "done"
    assert isinstance(talk.sent()[-1]["content"], str)
    assert "image" in " ".join(notices(turn))


def test_the_image_of_a_code_cell_above_is_sent(talk):
    data = base64.b64encode(png()).decode()
    output = {"output_type": "display_data", "data": {"image/png": data}, "metadata": {}}
    talk.add("%%python\nplot()", outputs=[output])

    talk.ask("What does it show?")

    assert kinds(talk.sent()[1]) == ["text", "image_url"]
