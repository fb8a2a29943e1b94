"""A turn with a known or an unknown model: what fits, what it costs, what is said once."""

from __future__ import annotations

import asyncio

import pytest
from engine_turns import no_sleep, run_turn
from scripted_server import Answer, call, delta, error, finish, text
from talk import notices

from msgbook.config import ProviderSettings, Settings, load_settings
from msgbook.engine import Conversation, Services
from msgbook.magics.overview import cost_by
from msgbook.notebook import usage_of_cell
from msgbook.notebook.transcript import Transcript
from msgbook.turn import Purse
from msgbook_format.turn import TURN_MIME

PRICES = "[providers.openai.prices]\nm = { input = 1000000, output = 1000000 }\n"
"""So that each token costs 1."""


def turns(server, folder, *prompts, toml="", purse=None, **env):
    """The turns of one session."""
    file = folder / "msgbook.toml"
    file.write_text(toml)
    environ = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_CONFIG": str(file)}
    settings = load_settings({**environ, **env})
    assert settings.warnings == ()
    engine = Conversation(Services(settings, sleep=no_sleep, purse=purse), folder)

    async def run():
        try:
            return [await run_turn(engine, p, Transcript("memory", [])) for p in prompts]
        finally:
            await engine.services.close()

    return asyncio.run(run())


def test_the_window_of_a_known_model_is_held_and_the_words_say_where_to_set_another(talk):
    talk.env["MSGBOOK_MODEL"] = "anthropic/claude-opus-4-5"
    talk.add("word " * 200_000, "markdown")

    turn = talk.ask("And?")

    assert (turn["status"], talk.server.requests) == ("error", [])
    [words] = [words for words in notices(turn) if "context window" in words]
    assert "200,000 fit into the context window of anthropic/claude-opus-4-5" in words
    assert "context_window of the agent or its provider sets another" in words


@pytest.mark.parametrize(
    "toml",
    [
        "[providers.openai]\ncontext_window = 1000000",
        "[agents.assistant]\ncontext_window = 1000000",
    ],
)
def test_the_window_that_the_user_sets_wins(server, tmp_path, toml):
    server.answers = [text("Yes.")]

    [turn] = turns(server, tmp_path, "word " * 170_000, toml=toml, MSGBOOK_MODEL="claude-opus-4-5")

    assert turn["status"] == "done"


def test_an_agent_that_has_cost_enough_stops(server, tmp_path):
    server.answers = [call("glob", {"pattern": "*"}), text("Done.")]
    toml = PRICES + "[agents.assistant]\nmax_cost = 1\n"

    [turn] = turns(server, tmp_path, "hi", toml=toml)

    assert (turn["finish_reason"], len(server.requests)) == ("budget", 1)
    assert "max_cost of 1 is used up" in turn["blocks"][-1]["text"]


def test_a_notebook_lowers_the_cost_and_never_raises_it(server, tmp_path):
    server.answers = [text("Done.")]
    toml = PRICES + "[limits]\nmax_cost = 1\n"

    [turn] = turns(server, tmp_path, "%%msg max_cost=50\nhi", toml=toml)

    assert "%%msg: max_cost=50 is ignored: your own limit is 1." in notices(turn)


OTHER = '[limits]\nmax_cost = 1\n[agents.assistant]\nmodels = ["m", "{}"]\n'
LIMITED = {
    "limits": ("[limits]\nmax_cost = 1\n", "hi"),
    "agent": ("[agents.assistant]\nmax_cost = 1\n", "hi"),
    "message": ("", "%%msg max_cost=1\nhi"),
    "a further model": (PRICES + OTHER.format("other"), "hi"),
}


@pytest.mark.parametrize(("toml", "prompt"), LIMITED.values(), ids=LIMITED)
def test_where_money_is_limited_no_model_of_unknown_price_is_asked(server, tmp_path, toml, prompt):
    [turn] = turns(server, tmp_path, prompt, toml=toml)

    unknown = "other" if "other" in toml else "m"
    assert (turn["status"], server.requests) == ("error", [])
    error = turn["blocks"][-1]
    assert error["name"] == "UnknownPriceError"
    assert error["message"] == (
        f"Money is limited (max_cost), and the price of {unknown} is not known, so nothing was sent. Set it in "
        "[providers.openai.prices] of msgbook.toml, per million tokens, with 0 for what costs nothing: "
        f'"{unknown}" = {{ input = 1.25, output = 10.0 }}. Then restart the kernel if this is a notebook.'
    )


def test_a_run_of_limited_cost_asks_no_model_of_unknown_price(server, tmp_path):
    [turn] = turns(server, tmp_path, "hi", purse=Purse(1))

    assert (turn["blocks"][-1]["name"], server.requests) == ("UnknownPriceError", [])


def test_what_the_error_says_to_write_is_what_helps(server, tmp_path):
    server.answers = [text("Done.")]
    limit = "[limits]\nmax_cost = 1\n"
    [refused] = turns(server, tmp_path, "hi", toml=limit)
    line = refused["blocks"][-1]["message"].partition("costs nothing: ")[2].partition(". Then")[0]

    [turn] = turns(server, tmp_path, "hi", toml=f"{limit}[providers.openai.prices]\n{line}\n")

    assert (turn["status"], notices(turn)) == ("done", [])


def test_what_costs_nothing_is_asked_without_end(server, tmp_path):
    server.answers = [text("Done.")]
    free = "[limits]\nmax_cost = 0.01\n[providers.openai.prices]\nm = { input = 0, output = 0 }\n"

    made = turns(server, tmp_path, *["word " * 10_000] * 2, toml=free)

    assert [turn["status"] for turn in made] == ["done", "done"]


def test_summaries_are_not_asked_of_a_model_of_unknown_price(talk):
    talk.server.answers = [text("A long answer.")]
    talk.ask("What is it?")
    talk.cells[0]["metadata"] = {"msgbook": {"history": "summary"}}
    file = talk.folder / "msgbook.toml"
    file.write_text("[limits]\nmax_cost = 1\n")
    talk.env["MSGBOOK_CONFIG"] = str(file)

    turn = talk.ask("And?")

    assert (turn["status"], len(talk.server.requests)) == ("error", 1)


def test_the_model_that_answers_instead_is_paid_by_its_own_price(server, tmp_path):
    unknown = error(404, "The model `m` does not exist")
    server.answers = [unknown, call("glob", {"pattern": "*"}), text("Done.")]
    toml = OTHER.format("dear") + (
        "[providers.openai.prices]\nm = { input = 0, output = 0 }\n"
        "dear = { input = 1000000, output = 1000000 }\n"
    )

    [turn] = turns(server, tmp_path, "hi", toml=toml, MSGBOOK_MODEL="")

    assert (turn["model"], turn["finish_reason"], len(server.requests)) == ("dear", "budget", 2)


def test_without_a_limit_an_unknown_price_is_nobodys_concern(server, tmp_path):
    server.answers = [text("Done.")]

    [turn] = turns(server, tmp_path, "hi")

    assert (turn["status"], notices(turn)) == ("done", [])


def test_a_preview_says_that_the_message_would_not_be_sent(server, tmp_path):
    settings = Settings(
        {"p": ProviderSettings("p", server.url)}, "m", limits={"max_cost": 1}, approval="deny"
    )
    engine = Conversation(Services(settings), tmp_path)

    async def preview():
        try:
            return await engine.preview("hi", Transcript("memory", []))
        finally:
            await engine.services.close()

    [words] = asyncio.run(preview()).notices
    assert "the price of m is not known, so nothing was sent" in words


def test_the_demo_model_costs_nothing(no_settings, server, tmp_path):
    [turn] = turns(server, tmp_path, "hi", toml="[limits]\nmax_cost = 1\n", MSGBOOK_MODEL="demo")

    assert notices(turn) == []


def test_summaries_of_earlier_cells_are_paid_for_as_well(talk):
    talk.server.answers = [text("A long answer."), text("Short."), text("Yes.")]
    talk.ask("What is it?")
    talk.cells[0]["metadata"] = {"msgbook": {"history": "summary"}}
    file = talk.folder / "msgbook.toml"
    file.write_text(PRICES + "[limits]\nmax_cost = 1\n")
    talk.env["MSGBOOK_CONFIG"] = str(file)

    turn = talk.ask("And?")

    assert (turn["finish_reason"], len(talk.server.requests)) == ("budget", 2)


def test_a_request_that_is_refused_costs_nothing(server, tmp_path):
    server.answers = [error(401, "Wrong key.")]
    purse = Purse(1)

    [turn] = turns(server, tmp_path, "hi", toml=PRICES, purse=purse)

    assert (turn["status"], purse.spent) == ("error", 0)


COUNTED = {"prompt_tokens": 2, "completion_tokens": 1}


def test_each_summary_and_each_failed_attempt_of_one_is_counted(talk):
    talk.add("One.", "markdown", metadata={"msgbook": {"history": "summary"}})
    talk.add("Two.", "markdown", metadata={"msgbook": {"history": "summary"}})
    busy = [{"choices": [], "usage": COUNTED}, {"error": {"message": "busy", "code": 503}}]
    short = [delta(content="Short."), finish(usage=COUNTED)]
    talk.server.answers = [Answer(busy), Answer(short), Answer(short), text("Yes.")]

    turn = talk.ask("And?")

    assert len(talk.server.requests) == 4
    assert turn["usage"] == {"input_tokens": 3 * 2 + 11, "output_tokens": 3 * 1 + 7}


@pytest.mark.parametrize(
    ("model", "toml", "spent"),
    [
        ("m", "[providers.openai.prices]\nm = { input = 0, output = 0, request = 1 }\n", 3),
        ("anthropic/claude-sonnet-4-5", "", 2 * 150_000 * 3 / 1e6),
    ],
    ids=["a price of each request", "a higher price of long requests"],
)
def test_each_summary_is_paid_as_a_request_of_its_own(talk, model, toml, spent):
    talk.add("One.", "markdown", metadata={"msgbook": {"history": "summary"}})
    talk.add("Two.", "markdown", metadata={"msgbook": {"history": "summary"}})
    usage = {"prompt_tokens": 150_000, "completion_tokens": 0}
    short = Answer([delta(content="Short."), finish(usage=usage)])
    talk.server.answers = [short, short, text("Yes.")]
    file = talk.folder / "msgbook.toml"
    file.write_text(toml)
    talk.env |= {"MSGBOOK_CONFIG": str(file), "MSGBOOK_MODEL": model}
    talk.purse = Purse(100)

    turn = talk.ask("And?")

    assert (turn["status"], len(talk.server.requests)) == ("done", 3)
    assert talk.purse.spent == pytest.approx(spent, abs=0.001)


def test_what_turns_share_is_spent_by_all(server, tmp_path):
    server.answers = [text("Done.")]
    purse = Purse(1)

    one, two = turns(server, tmp_path, "hi", "hi", toml=PRICES, purse=purse)

    assert (one["status"], two["finish_reason"], len(server.requests)) == ("done", "budget", 1)


def claude(server):
    return (
        'model = "claude-opus-4-5"\n'
        f'[providers.claude]\nbase_url = "{server.url}"\napi = "anthropic"\n'
    )


def ask_claude(server, folder, *prompts, toml=""):
    file = folder / "msgbook.toml"
    file.write_text(claude(server) + toml)
    settings = load_settings({"MSGBOOK_CONFIG": str(file)})
    assert settings.warnings == ()
    engine = Conversation(Services(settings, sleep=no_sleep), folder)

    async def run():
        try:
            made = [await run_turn(engine, p, Transcript("memory", [])) for p in prompts]
        finally:
            await engine.services.close()
        return made, cost_by(settings)

    return asyncio.run(run())


def test_what_anthropics_server_kept_and_keeps_has_its_own_price(server, tmp_path):
    server.answers, server.bills = [text("Yes.")], True

    (first, again), cost = ask_claude(server, tmp_path, *["word " * 8000] * 2)

    written, read = first["usage"], again["usage"]
    assert written["cache_write_tokens"] > 10_000
    assert read["cached_tokens"] == written["cache_write_tokens"]
    [paid, saved] = [cost(usage) for turn in (first, again) for usage in usage_of(turn)]
    others = written["input_tokens"] - written["cache_write_tokens"]
    answer = written["output_tokens"] * 25
    assert paid * 1e6 == pytest.approx(written["cache_write_tokens"] * 6.25 + others * 5 + answer)
    assert saved * 1e6 == pytest.approx(read["cached_tokens"] * 0.5 + others * 5 + answer)


def usage_of(turn):
    output = {"output_type": "display_data", "data": {TURN_MIME: turn}, "metadata": {}}
    return usage_of_cell({"cell_type": "code", "source": "hi", "outputs": [output]})


def test_anthropics_server_is_told_its_search_by_its_own_name(server, tmp_path):
    server.answers = [text("Yes.")]
    toml = '[agents.assistant]\nserver_tools = ["web_search"]\ntools = []\n'

    ask_claude(server, tmp_path, "hi", toml=toml)

    [tool] = server.requests[0]["tools"]
    assert (tool["type"], tool["name"]) == ("web_search_20250305", "web_search")


def test_a_server_that_is_known_and_its_model_is_not_is_a_notice(tmp_path):
    settings = Settings({"p": ProviderSettings("p", "https://api.openai.com/v1")}, "no-such-model")
    engine = Conversation(Services(settings), tmp_path)

    async def choose():
        try:
            return await engine.choose_agent("hi", Transcript("memory", []))
        finally:
            await engine.services.close()

    active = asyncio.run(choose())
    assert (active.window, active.find_price(active.model)) == (None, None)
    assert active.unknown.startswith(
        "The price and the context window of no-such-model are not known."
    )
