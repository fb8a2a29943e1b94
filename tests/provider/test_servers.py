"""Several servers behind one engine: who is asked, with which key, and what is said of the others."""

from __future__ import annotations

import asyncio
import gc

import pytest
import scripted_server as scripted
from engine_turns import run_turn
from history_cells import turn_cell
from refused import SEEN
from scripted_server import ScriptedServer

from msgbook.config import Settings, load_settings
from msgbook.engine import Conversation, Services
from msgbook.errors import ConfigError, ProviderError
from msgbook.events import Notice, RetryWait, TextDelta
from msgbook.magics import run_magic
from msgbook.magics.base import MagicContext
from msgbook.messages import user
from msgbook.notebook.transcript import Transcript
from msgbook.provider import Request, Servers


@pytest.fixture
def other():
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def toml_of_two(server, other, tmp_path):
    """Two servers, `near` the default one, and `broken`; with further lines of the file."""

    def load(more: str = "", **env: str) -> Settings:
        path = tmp_path / "msgbook.toml"
        path.write_text(
            f'[providers.near]\nbase_url = "{server.url}"\napi_key_env = "NEAR_KEY"\n'
            f'[providers.far]\nbase_url = "{other.url}"\napi_key_env = "FAR_KEY"\n'
            f'alternate = true\n[providers.broken]\nbase_url = "nowhere"\n{more}'
        )
        keys = {"NEAR_KEY": "sk-near-0123456789", "FAR_KEY": "sk-far-0123456789"}
        return load_settings({"MSGBOOK_CONFIG": str(path), **keys, **env})

    return load


@pytest.fixture
def servers(toml_of_two):
    return lambda **env: Servers(toml_of_two(**env), problem=None, sleep=no_sleep)


async def no_sleep(_seconds: float) -> None: ...


def using(servers: Servers, work):
    """What comes of some work with the servers, which are closed then."""

    async def run():
        try:
            return await work(servers)
        finally:
            await servers.close()

    return asyncio.run(run())


def ask(provider: str | None, *messages, model: str = "m"):
    async def work(servers: Servers):
        request = Request(model, list(messages) or [user("hi")])
        return [event async for event in servers.find_provider(model, provider).stream(request)]

    return work


def test_a_page_in_place_of_an_answer_names_the_setting_of_that_server(servers, other):
    other.answers = [scripted.Answer(body="<html>", content_type="text/html")]

    with pytest.raises(ProviderError, match=r"Check base_url of \[providers\.far\] of msgbook"):
        using(servers(), ask("far"))


def test_each_provider_gets_its_own_requests_with_its_own_key(servers, server, other):
    server.answers, other.answers = [scripted.text("near")], [scripted.text("far")]

    async def both(ours: Servers):
        return [await ask(name)(ours) for name in (None, "far", "near")]

    texts = [event.text for events in using(servers(), both) for event in events[:1]]

    assert texts == ["near", "far", "near"]
    assert [h["Authorization"] for h in server.headers] == ["Bearer sk-near-0123456789"] * 2
    assert [h["Authorization"] for h in other.headers] == ["Bearer sk-far-0123456789"]


def test_options_of_a_provider_apply_to_it_alone(servers):
    ours = servers()

    assert not ours.find_settings("m").alternate
    assert ours.find_settings("m", "far").alternate
    assert ours.find_settings("demo", "far") is None
    assert ours.find_provider("m", "far").name == "far"
    assert ours.find_provider("demo", "far").name == "demo"


def test_the_users_model_is_one_of_the_default_provider(servers, server, other):
    server.models, other.models = ["a", "b"], ["c"]
    ours = servers(MSGBOOK_MODEL="mine")

    async def work(ours: Servers):
        return [
            await ours.choose_model(),
            await ours.choose_model("wanted"),
            await ours.choose_model(None, "near"),
            await ours.choose_model(None, "far"),
            await ours.choose_model("wanted", "far"),
            await ours.choose_model("demo", "far"),
            await ours.list_models("far"),
        ]

    assert using(ours, work) == ["mine", "wanted", "mine", "c", "wanted", "demo", ["c"]]


def test_a_provider_that_offers_several_models_says_which(servers, other):
    other.models = [f"m{number}" for number in range(9)]

    with pytest.raises(ConfigError, match=r"provider far.* m0, .*m7 and 1 more.* %model m0 "):
        using(servers(), lambda ours: ours.choose_model(None, "far"))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, '{"detail": "Not Found"}'),
        (405, ""),
        (500, "oh"),
        (503, "{}"),
        (200, ""),
        (200, "<html>Welcome</html>"),
        (200, '{"models": 7}'),
        (200, '{"data": []}'),
        (200, '{"data": [{"name": "x"}, 7]}'),
    ],
)
def test_a_server_that_lists_no_models_makes_an_error_that_says_how_to_choose_one(
    servers, server, status, body
):
    server.models_status, server.models_body = status, body

    with pytest.raises(ConfigError) as caught:
        using(servers(), lambda ours: ours.choose_model())

    assert "No model is chosen. The server " in str(caught.value)
    assert (
        "Write %model NAME in a cell above, use --model in a command, or set MSGBOOK_MODEL before you "
        "start Jupyter or the command."
    ) in str(caught.value)


@pytest.mark.parametrize("status", [401, 403, 429])
def test_a_server_that_refuses_any_request_says_so_before_a_model_is_wanted(
    servers, server, status
):
    server.models_status, server.models_body = status, "{}"

    with pytest.raises(ProviderError, match=f"The server answered {status}"):
        using(servers(), lambda ours: ours.choose_model())


def test_a_provider_that_is_not_there_is_an_error_that_names_those_there_are(servers):
    with pytest.raises(ConfigError, match=r"'faar' .* which has near, far, broken\."):
        servers().find_provider("m", "faar")
    with pytest.raises(ConfigError, match="which has no providers"):
        Servers(load_settings({}), problem=None, sleep=no_sleep).find_settings("m", "far")


def test_a_provider_that_cannot_be_used_is_an_error_that_says_why(servers):
    with pytest.raises(ConfigError, match=r"base_url of \[providers\.broken\] is not a URL"):
        servers().find_provider("m", "broken")


def test_a_wrong_key_names_the_providers_own_setting(servers, other):
    other.answers = [scripted.error(401, "no such key")]

    with pytest.raises(ProviderError, match=r"api_key_env or headers of \[providers\.far\]"):
        using(servers(), ask("far"))
    with pytest.raises(ProviderError, match=r"FAR_KEY, the api_key_env of .* is not set"):
        using(servers(FAR_KEY=""), ask("far"))


def test_no_provider_shows_the_key_of_another(servers, server):
    server.answers = [scripted.error(400, "sk-far-0123456789 and sk-near-0123456789")]

    with pytest.raises(ProviderError) as failure:
        using(servers(), ask(None))

    assert "sk-" not in str(failure.value)


def test_a_server_without_eyes_is_found_out_once_below_the_retries(servers, server, other):
    server.answers = [
        scripted.error(500, "image input is not supported"),
        scripted.error(429, "slow down"),
        scripted.error(500, "image input is not supported"),
        scripted.text("ok"),
    ]
    other.answers = [scripted.text("I see")]

    async def work(ours: Servers):
        assert ours.accepts_images("m")
        first = await ask(None, SEEN)(ours)
        second = await ask(None, SEEN)(ours)
        third = await ask("far", SEEN)(ours)
        request = Request("m", [SEEN])
        assert ours.adapt(request).messages == server.messages()
        assert ours.adapt(request, "far") is request
        return (
            first,
            second,
            third,
            [
                ours.accepts_images("m"),
                ours.accepts_images("m", "near"),
                ours.accepts_images("m", "far"),
            ],
        )

    first, second, third, sees = using(servers(), work)

    notices = [event for event in [*first, *second, *third] if isinstance(event, Notice)]
    assert [notice.text.split(";")[0] for notice in notices] == ["m does not accept images"]
    assert sum(isinstance(event, RetryWait) for event in first) == 2
    assert second[0] == TextDelta("ok")
    assert len(server.requests) == 5
    assert sees == [False, False, True]


def test_the_connections_of_all_providers_are_closed_and_made_again(servers, server, other):
    server.answers, other.answers = [scripted.text("near")], [scripted.text("far")]
    ours = servers()

    using(ours, ask(None))
    using(ours, ask("far"))
    using(ours, ask("far"))

    assert len(other.requests) == 2


def test_the_connections_of_first_requests_side_by_side_are_all_closed(servers, server):
    server.answers = [scripted.text("one"), scripted.text("two")]

    async def both(ours: Servers):
        return await asyncio.gather(ask(None)(ours), ask(None)(ours))

    using(servers(), both)

    gc.collect()  # A connection that was left open warns here, and a warning fails the test.
    assert len(server.requests) == 2


def test_settings_that_cannot_be_read_are_the_answer_to_everything():
    problem = ConfigError("no TOML")
    ours = Servers(load_settings({}), problem=problem, sleep=no_sleep)

    for work in (ours.choose_model, ours.list_models):
        with pytest.raises(ConfigError, match="no TOML"):
            asyncio.run(work())
    with pytest.raises(ConfigError, match="no TOML"):
        ours.find_provider("demo")


def test_an_agent_of_the_configuration_is_answered_by_its_provider(toml_of_two, other, tmp_path):
    other.answers = [scripted.error(400, "temperature is not supported"), scripted.text("far")]
    settings = toml_of_two(
        '[agents.reviewer]\nprovider = "far"\nmodels = ["big"]\ntemperature = 0.2'
    )

    async def run():
        engine = Conversation(Services(settings), tmp_path)
        turn = await run_turn(engine, "%%msg agent=reviewer\nhi", Transcript("memory", []))
        await engine.services.close()
        return turn

    turn = asyncio.run(run())
    assert (turn["provider"], turn["model"], turn["agent"]) == ("far", "big", "reviewer")
    assert [request.get("temperature") for request in other.requests] == [0.2, None]
    said = [block["text"].split(";")[0] for block in turn["blocks"] if block["type"] == "notice"]
    assert "big rejects the temperature that you set" in said
    assert turn["blocks"][-1]["text"] == "far"


def test_a_turn_costs_what_its_own_provider_asks(toml_of_two, tmp_path):
    settings = toml_of_two(
        "[providers.near.prices]\nm = { input = 1, output = 0 }\n"
        "[providers.far.prices]\nm = { input = 3, output = 0 }"
    )
    used = {"input_tokens": 1_000_000, "output_tokens": 1}
    cells = [turn_cell("Hi", used, provider=name) for name in ("near", "far", "gone")]

    async def transcript():
        return Transcript("live", cells)

    shown = asyncio.run(
        run_magic("%usage", MagicContext(Conversation(Services(settings), tmp_path), transcript))
    )

    costs = [line.split()[4] for line in shown.splitlines()[3:6]]
    assert costs == ["1.0000", "3.0000", "?"]
