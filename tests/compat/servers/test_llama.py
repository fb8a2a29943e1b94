"""Turns against llama.cpp's server with a model that answers each prompt in one known way.

`tests/support/tiny_model.py` has the answers, and which word of a prompt asks for which.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace

import pytest
from kernel_client import KernelClient, until_shown
from llama import MODEL, llama
from PIL import Image
from processes import until
from turn_blocks import failure, kinds, words

from msgbook.__main__ import main

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def server():
    with llama(endpoint_slots=True) as running:
        yield running


def test_text_comes_in_pieces_with_usage_and_the_model_that_answered(server, ask):
    turn = ask(server, "hi")

    assert (turn["status"], kinds(turn), words(turn)) == (
        "done", ["text"], "Hello, I am very small.",
    )  # fmt: skip
    assert turn["usage"]["output_tokens"] == 7
    assert turn["answered_model"] == MODEL


def test_reasoning_that_the_server_takes_out_of_the_text_is_a_block(server, ask):
    turn = ask(server, "give a reason")

    assert (turn["status"], kinds(turn)) == ("done", ["reasoning", "text"])
    assert words(turn, "reasoning").strip() == "Who is it?"
    assert words(turn).strip() == "It is you!"


def test_reasoning_that_the_server_leaves_in_the_text_is_a_block_too(ask):
    with llama(reasoning_format="none") as server:
        turn = ask(server, "give a reason")

    assert (turn["status"], kinds(turn)) == ("done", ["reasoning", "text"])
    assert words(turn).strip() == "It is you!"


def test_an_answer_of_nothing_but_reasoning_is_kept_with_a_notice(server, ask):
    turn = ask(server, "muse")

    assert kinds(turn) == ["reasoning"]
    assert words(turn, "reasoning").strip() == "Hm, no"
    assert "reasoning parser" in words(turn, "notice")


def test_a_call_is_run_and_its_result_is_answered(server, ask, tmp_path):
    (tmp_path / "note.txt").write_text("heron\n", "utf-8")

    turn = ask(server, "Which word?")

    assert (turn["status"], kinds(turn)) == ("done", ["text", "tool_call", "tool_result", "text"])
    assert words(turn) == "I look.\nThe word is heron."
    (call,) = (block for block in turn["blocks"] if block["type"] == "tool_call")
    assert (call["name"], json.loads(call["arguments"])) == ("read", {"path": "note.txt"})


def test_a_server_that_takes_no_tools_is_asked_without_them(ask):
    with llama(use_jinja=False) as server:
        turn = ask(server, "hi")

    assert turn["status"] == "done"
    assert "--jinja" in words(turn, "notice")


def test_a_prompt_that_does_not_fit_is_an_error_that_names_what_to_do(ask):
    with llama(n_ctx=512) as server:
        turn = ask(server, "hi " * 1000)

    assert turn["status"] == "error"
    assert "%compact" in failure(turn)


def test_an_answer_that_fills_the_context_is_kept_and_incomplete(server, ask, api):
    prompt = ask(server, "hi")["usage"]["input_tokens"]
    with llama(n_ctx=prompt + 256) as small:
        turn = ask(small, "endless")

    # By the Responses API it says that such an answer is complete.
    assert turn["status"] == {"chat": "incomplete", "responses": "done"}[api]
    assert words(turn).startswith("and on and on ")


def test_a_wrong_key_names_its_setting(ask):
    with llama(api_keys=["sk-of-a-test"]) as server:
        wrong = ask(server, "hi", SERVER_KEY="sk-another-one")
        right = ask(server, "hi", SERVER_KEY="sk-of-a-test")

    assert (wrong["status"], right["status"]) == ("error", "done")
    assert "api_key_env" in failure(wrong)


def test_a_server_that_loads_its_model_is_waited_for_and_at_last_named(ask, tmp_path):
    # It cannot go on: nobody writes into the pipe that it reads.
    os.mkfifo(tmp_path / "lora")
    with llama(is_loaded=False, lora=str(tmp_path / "lora")) as server:
        turn = ask(server, "hi")

    assert turn["status"] == "error"
    assert "Loading model" in failure(turn)


def test_an_image_that_the_model_cannot_see_is_left_out_with_a_notice(server, ask, tmp_path):
    Image.new("RGB", (4, 3), "red").save(tmp_path / "dot.png")

    turn = ask(server, "hi ![](dot.png)")

    assert (turn["status"], words(turn)) == ("done", "Hello, I am very small.")
    assert "image" in words(turn, "notice")


def test_an_interrupt_keeps_the_text_and_the_server_stops_at_once(server, settings, tmp_path):
    with KernelClient(settings(server.url), str(tmp_path)) as kernel:
        request = kernel.start("endless", "a")
        until_shown(kernel, "and on and")
        kernel.manager.interrupt_kernel()
        reply, _ = kernel.finish(request)

        assert reply["ename"] == "KeyboardInterrupt"
        asyncio.run(until(lambda: not server.is_busy()))
        reply, _ = kernel.run("hi", "b")

    assert reply["status"] == "ok"


def test_a_path_that_the_server_does_not_have_names_the_setting(server, ask):
    turn = ask(replace(server, origin=f"{server.origin}/elsewhere"), "hi")

    assert turn["status"] == "error"
    assert "base_url" in failure(turn)


@pytest.fixture
def doctor(settings, monkeypatch, capsys):
    """Runs `msgbook doctor` for a server; its exit code, and its findings by check."""

    def run(server):
        for name, value in settings(server.url, MODEL).items():
            monkeypatch.setenv(name, value)
        code = main(["doctor", "--json", "--timeout", "30"])
        findings = json.loads(capsys.readouterr().out)["findings"]
        return code, {finding["check"]: finding for finding in findings}

    return run


def test_doctor_finds_what_the_server_can_do(server, doctor):
    code, found = doctor(server)

    checks = ("server", "model", "answer", "stream", "usage", "tools", "api")
    assert {check: found[check] for check in checks if found[check]["status"] != "pass"} == {}
    assert code == 0
    assert found["api"]["words"].endswith("API returns the same: tool calls, usage")
