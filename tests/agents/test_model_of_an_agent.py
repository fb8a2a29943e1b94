"""`model` is accepted wherever an agent has `models`: `%model` and `%%msg` have taught that word."""

from __future__ import annotations

import pytest

from msgbook.agents.agent import parse_agent, parse_temporary
from msgbook_format import check

ORIGINS = ("configuration", "project", "notebook")


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("value", ["gpt-5", ["gpt-5"], " gpt-5 "])
def test_a_table_may_say_model(origin, value):
    parsed = parse_agent("fast", {"model": value}, origin)

    assert (parsed.agent.models, parsed.notices) == (("gpt-5",), ())


@pytest.mark.parametrize("key", ["model", "models"])
def test_a_line_may_say_model(key):
    parsed = parse_temporary("fast", {key: "gpt-5"})

    assert (parsed.agent.models, parsed.notices) == (("gpt-5",), ())


def test_a_line_without_either_names_its_model():
    assert parse_temporary("gpt-5", {}).agent.models == ("gpt-5",)


@pytest.mark.parametrize("order", [("model", "models"), ("models", "model")])
def test_of_both_models_counts_and_a_notice_says_so(order):
    given = {"model": "one", "models": "two"}
    table = {key: given[key] for key in order}

    for parsed in (parse_agent("fast", table, "notebook"), parse_temporary("fast", table)):
        assert parsed.agent.models == ("two",)
        assert parsed.notices == ("Agent fast: model and models are both given; models counts.",)


@pytest.mark.parametrize("value", [3, {}, "", True])
def test_a_wrong_model_is_a_notice_that_names_it_as_it_was_written(value):
    parsed = parse_agent("fast", {"model": value}, "notebook")

    assert parsed.agent.models == ()
    assert parsed.notices[0].startswith("Agent fast: model: expected")


def test_the_check_knows_it():
    frontmatter = "---\nagents:\n  fast: {model: gpt-5}\n---\n\n"
    cell = "# %% [^a]\n\n[^a]: [code]\n\n```ipython\n%agent new quick model=gpt-5\n```\n"

    assert [f for f in check(frontmatter + cell) if "model" in str(f)] == []
