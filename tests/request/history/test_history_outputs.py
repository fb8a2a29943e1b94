"""What the model is sent of the outputs of code."""

from __future__ import annotations

import pytest
from history_cells import code

from msgbook.request.history import Reader, View

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
JPEG = "/9j/4AAQSkZJRgABAQ=="


def content(*outputs, vision=False):
    cell = code("%%python\n1", *outputs)
    return Reader().read([cell], View("a", "s", vision)).messages[1]["content"]


def shows(**data):
    data = {mime.replace("_", "/", 1): value for mime, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def output_of(*outputs):
    return content(*outputs).partition("Output:\n\n```\n")[2].removesuffix("\n```")


def test_all_kinds_of_outputs_are_told_in_their_order():
    assert (
        output_of(
            {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
            {"output_type": "stream", "name": "stderr", "text": "warned\n"},
            shows(text_plain="<Figure>", image_png=PNG),
            {"output_type": "execute_result", "data": {"text/plain": "3"}},
            {
                "output_type": "error",
                "ename": "E",
                "evalue": "e",
                "traceback": ["\x1b[31mE\x1b[0m: e"],
            },
        )
        == "a\nb\nwarned\n[image/png]\n<Figure>\n3\nE: e"
    )


TABLE = (
    "<style scoped>td { color: red }</style><table>\n  <thead><tr><th></th><th>a</th><th>b</th></tr></thead>\n"
    "  <tr>\n    <th>0</th>\n    <td>1</td>\n    <td>x\n y</td>\n  </tr>\n</table>"
)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"text_plain": "<Markdown object>", "text_markdown": "**b**"}, "**b**"),
        ({"text_plain": "  a\n0 1", "text_html": "<table>"}, "  a\n0 1"),
        ({"text_html": "<b>"}, "[text/html]"),
        ({"text_html": "<script>draw()</script><div id='x'></div>"}, "[text/html]"),
        ({"text_html": "<!doctype html><p>if a < b and c > d</p>"}, "if a < b and c > d"),
        ({"text_html": "<p>Sales<br>rose</p>&lt;5 %"}, "Sales\nrose\n<5 %"),
        ({"text_html": TABLE}, "| a | b\n0 | 1 | x y"),
        (
            {"text_html": TABLE, "text_plain": "<IPython.core.display.HTML object>"},
            "| a | b\n0 | 1 | x y",
        ),
        (
            {"text_html": TABLE, "text_plain": "<pandas.io.formats.style.Styler at 0x7f3a>"},
            "| a | b\n0 | 1 | x y",
        ),
        (
            {"text_html": "<i></i>", "text_plain": "<m.C object at 0x7f3a>"},
            "<m.C object at 0x7f3a>",
        ),
        ({"text_html": "<pre>a  b\n  c</pre>"}, "a  b\n  c"),
        ({"text_html": "<!-- x --><style>p {}</style>a <b>b</b>c"}, "a bc"),
        ({"application_json": {"a": [1]}}, '{"a": [1]}'),
        ({"text_latex": "$x$"}, "$x$"),
    ],
)
def test_of_an_output_its_best_text_is_sent_and_else_its_kind(data, said):
    assert output_of(shows(**data)) == said


def test_models_that_see_get_the_pictures_behind_the_text():
    parts = content(shows(image_png=PNG + "\n", image_jpeg=[JPEG]), vision=True)

    assert [part["type"] for part in parts] == ["text", "image_url", "image_url"]
    assert "[image/png]\n[image/jpeg]" in parts[0]["text"]
    assert [part["image_url"]["url"] for part in parts[1:]] == [
        f"data:image/png;base64,{PNG}",
        f"data:image/jpeg;base64,{JPEG}",
    ]


@pytest.mark.parametrize("data", ["", "no BASE64!", "AAAA", 7, None, "iVBOR", JPEG])
def test_what_is_no_such_picture_is_only_named(data):
    assert "[image/png]" in content(shows(image_png=data), vision=True)
