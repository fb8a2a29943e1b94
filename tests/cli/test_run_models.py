"""`msgbook run FILE --model A --model B --out DIR`: the same conversation over several models."""

from __future__ import annotations

import json
import re

import pytest
from command import with_settings
from models_chat import (
    CHAT,
    MODELS,
    by_model,
    chat,  # noqa: F401 - fixtures
)
from scripted_server import error

from msgbook.cli.terminal import CommandError
from msgbook.extras.many.models import (
    ComparedModel,
    ComparedPrompt,
    Comparison,
    ModelAnswer,
    Numbers,
    comparison_page,
    run_models,
)
from msgbook_format import read


def test_a_second_run_asks_only_what_has_no_answer(server, chat, tmp_path, capsys):
    server.choose = lambda request: (
        error(401, "no") if request["model"] == "org/small:2" else by_model(request)
    )
    out = tmp_path / "out"
    assert with_settings(server, run_models, chat, MODELS, out) == 1
    found = json.loads((out / "chat.comparison.json").read_text("utf-8"))
    assert [one["status"] for one in found["models"]] == ["done", "failed"]
    assert [row["answers"][1]["status"] for row in found["prompts"]] == ["error", "missing"]

    server.reset()
    server.choose = by_model
    assert with_settings(server, run_models, chat, MODELS, out) == 0
    assert [request["model"] for request in server.requests] == ["org/small:2"] * 2
    capsys.readouterr()


def test_the_cost_of_each_model_is_compared(server, chat, tmp_path, capsys):
    server.choose = by_model
    config = tmp_path / "msgbook.toml"
    config.write_text('[providers.openai.prices]\n"big-1" = { input = 1000000.0, output = 0.0 }\n')

    with_settings(server, run_models, chat, MODELS, tmp_path / "o", MSGBOOK_CONFIG=str(config))

    found = json.loads((tmp_path / "o" / "chat.comparison.json").read_text("utf-8"))
    assert [one["numbers"]["cost"] for one in found["models"]] == [22.0, None]
    assert "cost 22.0000" in (tmp_path / "o" / "chat.comparison.html").read_text("utf-8")
    capsys.readouterr()


@pytest.mark.parametrize("what", ["prompt", "text", "model", "answered_model", "status", "file"])
@pytest.mark.parametrize(
    "words",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "![a](http://far.example/a.png)",
        "</td></table><style>@import 'http://far.example'</style>",
        '<a href="data:text/html,<script>">',
        "[a](data:image/png;base64,AAAA)",
        "[a](file:///etc/passwd) ![a](file:///etc/passwd)",
    ],
)
def test_the_page_runs_nothing_and_loads_nothing(what, words):
    given = {
        "model": "m",
        "answered_model": "",
        "status": "done",
        "text": "x",
        "prompt": "p",
        "file": "f",
    }
    given[what] = words
    numbers = Numbers(1, 2, None, 3.0)
    answer = ModelAnswer(
        given["model"], given["answered_model"], given["status"], given["text"], numbers
    )
    page = comparison_page(
        Comparison(
            1,
            given["file"],
            [ComparedModel(given["model"], "f", given["status"], numbers)],
            [ComparedPrompt("a", given["prompt"], [answer])],
        )
    )

    body = page.partition("<body>")[2]
    assert not [
        tag
        for tag in ("<script", "<img", "<style", 'href="data', 'href="java', 'href="file')
        if tag in body
    ]
    assert "default-src 'none'" in page.partition("<style>")[0]
    assert body.count("<table>") == body.count("</table>") == 1


def page_with(prompt, answer):
    answers = [ModelAnswer("m", "", "done", answer, Numbers())]
    return comparison_page(Comparison(1, "f", [], [ComparedPrompt("a", prompt, answers)]))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            "![a circle](data:image/png;base64,AAAA)",
            '<img src="data:image/png;base64,AAAA" alt="a circle" />',
        ),
        (
            "![a](http://x.example/a.png?b=1&c=2)",
            '<a href="http://x.example/a.png?b=1&amp;c=2">a</a>',
        ),
        ("[a](b.html)", '<a href="b.html">a</a>'),
    ],
)
def test_the_page_shows_images_of_the_text_and_links_others(markdown, html):
    page = page_with("p", markdown)

    assert f'<td dir="auto"><div class="text"><p>{html}</p>' in page
    assert "img-src data:;" in page.partition("<style>")[0]


def test_a_macro_of_a_prompt_is_no_heading_in_the_page():
    page = page_with("#define NAME x\n\n#1 of two", "#2 of two")

    assert re.findall("<p>(#.*)</p>", page) == ["#define NAME x", "#1 of two", "#2 of two"]


@pytest.mark.parametrize(
    "tex", ["$x^2$", "$$\n\\frac{a}{b}\n$$", r"\begin{align}a &= b\end{align}"]
)
def test_formulas_are_those_of_an_exported_page(tex):
    page = page_with(f"Prove it:\n\n{tex}", tex)

    body = page.partition("<body>")[2]
    assert body.count("<math ") == body.count("</math>") == 2
    assert "$" not in body


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\style{position:fixed}{x}",
        "</math></td></table><script>alert(1)</script>",
        "x" * 10_000,
    ],
)
def test_a_hostile_formula_does_nothing(tex):
    page = page_with(f"$${tex}$$", f"${tex}$ and `${tex}$`")

    body = page.partition("<body>")[2]
    assert not re.search(r"<(?:script|img)|<[^>]*(?:href|style|onerror)=", body)
    assert body.count("<table>") == body.count("</table>") == 1


@pytest.mark.parametrize(
    ("content", "models", "words"),
    [
        (CHAT.replace("second", "%%msg model=x\nsecond"), ["a"], "/b: the %%msg line says which"),
        (CHAT, ["a", "a"], "--model a is given twice"),
        (CHAT, ["a", " "], "expected the name of a model after --model"),
        ("# %% [^n]\n\n[^n]: [markdown] cell=markdown\n\nA note\n", ["a"], "found none"),
    ],
)
def test_what_cannot_be_compared_is_said_and_nothing_is_written(
    server, chat, tmp_path, content, models, words
):
    chat.write_text(content, "utf-8")

    with pytest.raises(CommandError) as raised:
        with_settings(server, run_models, chat, models, tmp_path / "out")

    assert words in str(raised.value)
    assert not (tmp_path / "out").exists()
    assert server.requests == []


@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_in_place_of_the_folder_is_said(server, chat, tmp_path, below):
    with pytest.raises(CommandError, match="expected a folder, found a file"):
        with_settings(server, run_models, chat, ["a"], tmp_path / "data.txt" / below)


@pytest.mark.parametrize("kind", ["html", "json"])
def test_a_folder_in_place_of_the_comparison_is_said_before_anything_is_asked(
    server, chat, tmp_path, kind
):
    (tmp_path / f"chat.comparison.{kind}").mkdir()

    with pytest.raises(CommandError, match="expected a file, found a folder"):
        with_settings(server, run_models, chat, ["a"], tmp_path)

    assert server.requests == []


def test_a_file_of_another_conversation_is_not_gone_on_with(server, chat, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    other = out / "chat-a.msg.md"
    other.write_text("# %% [^a]\n\nsomething else\n", "utf-8")

    with pytest.raises(CommandError, match="another conversation"):
        with_settings(server, run_models, chat, ["a"], out)

    assert other.read_text("utf-8") == "# %% [^a]\n\nsomething else\n"
    assert server.requests == []


def test_names_that_differ_in_case_or_are_very_long_give_files_of_their_own(
    server, chat, tmp_path, capsys
):
    server.choose = by_model
    models = ["a", "A", "x" * 5000, "x" * 5001]

    assert with_settings(server, run_models, chat, models, tmp_path / "o") == 0

    files = {path.name for path in (tmp_path / "o").glob("*.msg.md")}
    long = f"chat-{'x' * 80}"
    assert files == {"chat-a.msg.md", "chat-A-2.msg.md", f"{long}.msg.md", f"{long}-2.msg.md"}
    capsys.readouterr()


def test_two_models_whose_names_give_one_file_name_get_two_files(server, chat, tmp_path, capsys):
    server.choose = by_model

    assert with_settings(server, run_models, chat, ["a/b", "a:b", "../.."], tmp_path / "o") == 0

    files = sorted(path.name for path in (tmp_path / "o").glob("*.msg.md"))
    assert files == ["chat-a-b-2.msg.md", "chat-a-b.msg.md", "chat-model.msg.md"]
    assert read(tmp_path / "o" / "chat-a-b-2.msg.md")["cells"]
    capsys.readouterr()
