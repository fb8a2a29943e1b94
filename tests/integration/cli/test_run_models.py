"""`msgbook run FILE --model A --model B --out DIR`: the same conversation over several models."""

from __future__ import annotations

import json

import pytest
from command import run
from models_chat import (
    CHAT,
    MODELS,
    by_model,
    chat,  # noqa: F401 - fixtures
)


def test_each_model_answers_all_prompts_anew_in_its_own_file(server, chat, tmp_path):
    server.choose = by_model
    out = tmp_path / "out"

    argv = [word for model in MODELS for word in ("--model", model)]
    done = run(server, "run", chat, *argv, "--out", out)

    assert (done.returncode, chat.read_text("utf-8")) == (0, CHAT)
    assert sorted(request["model"] for request in server.requests) == sorted(MODELS * 2)
    assert sorted(path.name for path in out.iterdir()) == [
        "chat-big-1.msg.md",
        "chat-org-small-2.msg.md",
        "chat.comparison.html",
        "chat.comparison.json",
    ]
    sent = [server.messages(number) for number in range(4)]
    assert "an old answer" not in str(sent)
    assert str(sent).count("numbers") == 4  # the references are those of the chat's own folder
    found = json.loads((out / "chat.comparison.json").read_text("utf-8"))
    assert [one["model"] for one in found["models"]] == MODELS
    assert [row["id"] for row in found["prompts"]] == ["a", "b"]
    for row in found["prompts"]:
        assert [answer["text"] for answer in row["answers"]] == [f"{m} says" for m in MODELS]
        for answer in row["answers"]:
            numbers = answer["numbers"]
            assert (numbers["input_tokens"], numbers["output_tokens"]) == (11, 7)
            assert numbers["seconds"] >= 0
    assert found["models"][0]["numbers"]["input_tokens"] == 22
    page = (out / "chat.comparison.html").read_text("utf-8")
    assert all(f"{model} says" in page for model in MODELS)


@pytest.mark.parametrize(
    "argv", [["--model", "a"], ["--out", "o"], ["--model", "a", "--out", "o", "--all"]]
)
def test_options_that_do_not_go_together_are_wrong_usage(server, chat, argv):
    assert run(server, "run", chat, *argv).returncode == 2
    assert server.requests == []
