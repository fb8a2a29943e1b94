"""Properties of an agent in a request."""

from __future__ import annotations

import pytest

from msgbook.agents.agent import Agent
from msgbook.agents.for_requests import make_request_options

LOCAL = "http://localhost:11434/v1"


def test_what_is_not_set_is_not_sent():
    assert make_request_options(Agent("a", models=("m",), context_window=1000)) == {}


@pytest.mark.parametrize(
    ("api", "sent"),
    [
        ("chat", {"web_search_options": {}}),
        ("responses", {"tools": [{"type": "web_search"}]}),
        ("anthropic", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}),
    ],
)
def test_a_tool_of_the_server_has_the_name_of_each_api(api, sent):
    options = make_request_options(Agent("a"), LOCAL, api, ["web_search"])

    assert {key: value for key, value in options.items() if key in sent} == sent
    assert sent.keys().isdisjoint(make_request_options(Agent("a"), LOCAL, api))


def test_tools_of_extra_stand_behind_those_with_a_name():
    extra = {"tools": [{"type": "image_generation"}]}
    agent = Agent("a", "configuration", extra=extra)

    tools = make_request_options(agent, None, "responses", ["web_search"])["tools"]

    assert [tool["type"] for tool in tools] == ["web_search", "image_generation"]
    assert extra == {"tools": [{"type": "image_generation"}]}


def test_temperature_is_sent_only_where_it_is_used():
    assert make_request_options(Agent("a", temperature=0.0)) == {"temperature": 0.0}
    assert make_request_options(Agent("a", temperature=0.5, use_temperature=False)) == {}


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        (None, "max_completion_tokens"),
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://name.openai.azure.com/openai/v1", "max_completion_tokens"),
        (LOCAL, "max_tokens"),
        ("https://notopenai.com/v1", "max_tokens"),
        ("https://openai.com.example/v1", "max_tokens"),
    ],
)
def test_the_bound_of_an_answer_has_the_name_that_the_server_reads(base_url, key):
    assert make_request_options(Agent("a", max_output_tokens=5), base_url) == {key: 5}


@pytest.mark.parametrize(
    ("reasoning", "effort", "sent"),
    [
        (None, None, {}),
        (False, None, {"reasoning_effort": "none"}),
        (True, None, {"reasoning_effort": "medium"}),
        (True, "high", {"reasoning_effort": "high"}),
        (False, "low", {"reasoning_effort": "low"}),
    ],
)
def test_reasoning_is_asked_for_by_effort(reasoning, effort, sent):
    assert make_request_options(Agent("a", reasoning=reasoning, reasoning_effort=effort)) == sent


def test_the_responses_api_is_asked_for_the_reasoning_unless_it_is_switched_off():
    def options(**properties):
        return make_request_options(Agent("a", **properties), None, "responses")

    assert options() == {"include": ["reasoning.encrypted_content"], "reasoning_summary": "auto"}
    assert options(reasoning=True) == {**options(), "reasoning_effort": "medium"}
    assert "reasoning_summary" not in options(reasoning=False)


def test_further_keys_are_sent_as_they_are_written_and_win():
    extra = {"verbosity": "low", "reasoning_effort": "high"}

    assert make_request_options(Agent("a", reasoning=True, extra=extra)) == extra
