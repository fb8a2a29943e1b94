"""The model that answered: kept where it is another than was asked for."""

from __future__ import annotations

import pytest
from scripted_turn import ScriptedModel, ScriptedTool, calls, numbered, run

from msgbook.events import ModelChosen, ModelFinished, TextDelta
from msgbook.turn.usage import is_same_name


def said(model):
    """An answer of a model."""
    return [TextDelta("Hi"), ModelFinished("stop", True, model=model)]


def asked(model, name="gpt-5"):
    """The turn of a request to a model of that name."""
    return run(model, ScriptedTool("t", numbered()), started_with=lambda r: r.set_head(model=name))


def called(model):
    """A step of a model that calls a tool."""
    return [*calls(("t", 1))[:-1], ModelFinished("tool_calls", True, model=model)]


def notices(turn):
    return [block["text"] for block in turn["blocks"] if block["type"] == "notice"]


def test_another_model_is_kept_beside_the_one_that_was_asked():
    turn = asked(ScriptedModel(said("gpt-5-mini")))

    assert (turn["model"], turn["answered_model"]) == ("gpt-5", "gpt-5-mini")


@pytest.mark.parametrize("model", [None, "", " ", "gpt-5"])
def test_a_server_that_names_the_same_model_or_none_adds_nothing(model):
    assert "answered_model" not in asked(ScriptedModel(said(model)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("qwen3", "/models/qwen3.gguf"),
        ("qwen3", "C:\\models\\Qwen3.gguf"),
        ("qwen3", "qwen3:latest"),
        ("gpt-5", "openai/gpt-5"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("Qwen/Qwen3-8B", "qwen3-8b"),
    ],
)
def test_another_spelling_of_a_name_is_no_other_model(one, other):
    assert is_same_name(one, other)
    assert is_same_name(other, one)
    assert "answered_model" not in asked(ScriptedModel(said(other)), one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4o", "gpt-4o-mini"),
        ("openai/gpt-5", "azure/gpt-5"),
        ("openrouter/auto", "openai/gpt-5"),
        ("qwen3", "qwen3-Q4_K_M.gguf"),
        ("5", "gpt-5"),
        ("", "gpt-5"),
    ],
)
def test_a_dated_or_otherwise_other_name_is_kept(one, other):
    assert asked(ScriptedModel(said(other)), one)["answered_model"] == other


def test_of_several_models_the_last_one_counts_and_notices_tell_of_the_change():
    turn = asked(ScriptedModel(called("gpt-5-mini"), called("gpt-5-mini"), said("gpt-5-nano")))

    assert turn["answered_model"] == "gpt-5-nano"
    assert notices(turn) == ["gpt-5-nano answered this step; gpt-5-mini answered the previous one."]


def test_a_model_that_is_asked_and_answers_last_leaves_the_change_to_the_notice():
    turn = asked(ScriptedModel(called("gpt-5-mini"), said("gpt-5")))

    assert "answered_model" not in turn
    assert notices(turn) == ["gpt-5 answered this step; gpt-5-mini answered the previous one."]


def test_a_step_whose_model_is_not_named_changes_nothing():
    turn = asked(ScriptedModel(called("gpt-5-mini"), called(None), said("gpt-5-mini")))

    assert (turn["answered_model"], notices(turn)) == ("gpt-5-mini", [])


def test_a_model_that_was_chosen_in_place_of_the_first_is_the_one_that_is_asked():
    turn = asked(ScriptedModel([ModelChosen("small"), *said("small")]))

    assert (turn["model"], "answered_model" in turn) == ("small", False)


def test_a_hostile_name_is_one_line_bounded_and_visible():
    wild = "a\n# %% b\x1b[31m\u202e" + "x" * 10_000 + "\ud83d"

    name = asked(ScriptedModel(said(wild)))["answered_model"]

    assert name.startswith("a # %% b\\u001b[31m\\u202exxx")
    assert (name.isprintable(), len(name) < 200, name[-1]) == (True, True, "…")
