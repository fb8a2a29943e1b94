"""Turns through LiteLLM's proxy, in front of llama.cpp's server: its words for what goes wrong."""

from __future__ import annotations

import pytest
from litellm_proxy import KEY, litellm_proxy
from llama import llama
from turn_blocks import failure, kinds, words

# It starts for half a minute.
pytestmark = pytest.mark.servers


@pytest.fixture(params=["chat", "responses", "anthropic"])
def api(request):
    """It has Anthropic's `/v1/messages`, too."""
    return request.param


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("litellm")
    with (
        llama() as server,
        llama(n_ctx=512) as small,
        litellm_proxy(folder, tiny=server.url, small=small.url) as running,
    ):
        yield running


@pytest.fixture
def ask_model(proxy, ask):
    """Runs one prompt with a model of the proxy, and returns the turn."""

    def run(prompt, model="tiny", key=KEY):
        return ask(proxy, prompt, model=model, SERVER_KEY=key)

    return run


def test_text_and_calls_go_through_it(ask_model, tmp_path):
    (tmp_path / "note.txt").write_text("heron\n", "utf-8")

    turn = ask_model("Which word?")

    assert (turn["status"], kinds(turn)) == ("done", ["text", "tool_call", "tool_result", "text"])
    assert words(turn).endswith("The word is heron.")


def test_reasoning_goes_through_it(ask_model, api):
    turn = ask_model("give a reason")

    # Over Anthropic's API, the proxy says nothing of what a server behind it has reasoned.
    reasoned = ["Who is it?"] if api != "anthropic" else []
    assert (turn["status"], kinds(turn)) == ("done", [*["reasoning" for _ in reasoned], "text"])
    assert words(turn, "reasoning").strip() == "".join(reasoned)


def test_a_wrong_key_names_the_key(ask_model):
    turn = ask_model("hi", key="sk-another-one")

    assert turn["status"] == "error"
    assert "api_key_env" in failure(turn)


def test_an_unknown_model_names_the_model(ask_model):
    turn = ask_model("hi", model="another")

    assert turn["status"] == "error"
    assert "'another'" in failure(turn)


def test_a_prompt_that_does_not_fit_names_what_to_do(ask_model):
    turn = ask_model("hi", model="small")

    assert turn["status"] == "error"
    assert "%compact" in failure(turn)
