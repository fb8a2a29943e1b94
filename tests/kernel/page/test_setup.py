"""The form that connects a model: what the kernel answers, saves, and never shows."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace

import keyring
import pytest
from saved_keyring import SavedKeyring
from scripted_server import ScriptedServer, error, text

from msgbook.config import Settings, load_settings
from msgbook.config.written_settings import SettingsWriteError
from msgbook.errors import ConfigError
from msgbook.kernel import new_settings
from msgbook.kernel.new_settings import Form
from msgbook.kernel.page.queries import Query

KEY = "sk-0123456789-secret"


@pytest.fixture
def server():
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The path of the settings, with an environment that sets nothing else."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MSGBOOK_MODEL", "MSGBOOK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    return tmp_path / "msgbook.toml"


@pytest.fixture
def saved_keys(tmp_path, monkeypatch):
    """The keyring's file; the keyring works."""
    before = keyring.get_keyring()
    path = tmp_path / "keys.json"
    monkeypatch.setenv("SAVED_KEYRING", str(path))
    keyring.set_keyring(SavedKeyring())
    yield path
    keyring.set_keyring(before)


def form(server_url, **more):
    filled = Form("local", server_url, "none", "", "scripted", "")
    return replace(filled, **more)


def test_the_models_and_the_doctors_findings_of_a_server_that_is_not_saved_yet(config, server):
    server.answers = [text("1 2 3")] * 6
    settings = load_settings()

    models = asyncio.run(new_settings.list_models(form(server.url), settings))
    tested = asyncio.run(new_settings.test(form(server.url), settings))

    assert models == {"models": ["scripted"]}
    checks = [finding["check"] for finding in tested["findings"]]
    assert checks[:3] == ["server", "model", "answer"]
    assert tested["findings"][0]["status"] == "pass"
    assert not config.exists()


UNSAVED = re.compile(
    r"\[providers|base_url|api_key|restart|--model|--timeout|MSGBOOK_MODEL|msgbook doctor"
)
"""What is of no use to a person whose settings are in no file yet."""


def advice_of(filled):
    tested = asyncio.run(new_settings.test(filled, load_settings()))
    return " ".join(finding["advice"] for finding in tested["findings"] if finding["advice"])


def test_advice_about_a_form_that_is_not_saved_names_its_fields(config, server):
    unreachable = advice_of(form("http://127.0.0.1:1/v1"))
    assert unreachable == "Is the server running? Check the URL."

    server.models = ["one", "two"]
    assert advice_of(form(server.url, model="")) == "Enter a model."
    server.models = ["scripted"]
    server.answers = [error(401, "Incorrect API key provided")]
    wants_a_key = advice_of(form(server.url))
    wrong_key = advice_of(form(server.url, key_from="session", key="sk-wrong"))
    server.answers = [error(404, "The model `scripted` does not exist")]
    unknown_model = advice_of(form(server.url))
    assert "The server wants a key: enter it above." in wants_a_key
    assert "Check the key." in wrong_key
    assert "Check the model's name ('scripted')" in unknown_model
    for advice in (wants_a_key, wrong_key, unknown_model):
        assert not UNSAVED.search(advice), advice


def test_what_is_saved_is_what_was_shown_and_the_kernel_reads_it(config, server):
    config.write_text('# mine\nmodel = "old"\n\n[limits]\nmax_steps = 7\n')

    shown = new_settings.preview(form(server.url), Settings())
    saved = new_settings.save(form(server.url), shown["digest"])

    assert config.read_text() == shown["text"]
    assert config.with_name(saved["backup"]).read_text() == shown["old"]
    settings = load_settings()
    assert (settings.model, settings.provider.base_url) == ("scripted", server.url)
    assert settings.limits == {"max_steps": 7}


def test_a_file_that_has_changed_since_it_was_shown_stays(config, server):
    shown = new_settings.preview(form(server.url), Settings())
    config.write_text("[limits]\nmax_steps = 3\n")

    with pytest.raises(SettingsWriteError, match="has changed"):
        new_settings.save(form(server.url), shown["digest"])

    assert config.read_text() == "[limits]\nmax_steps = 3\n"


def test_a_key_goes_into_the_keyring_and_from_there_to_the_server_and_nowhere_else(
    config, server, saved_keys
):
    keyed = form(server.url, key_from="keyring", key=KEY)

    shown = new_settings.preview(keyed, Settings())
    new_settings.save(keyed, shown["digest"])

    assert json.loads(saved_keys.read_text()) == {"msgbook/local": KEY}
    assert 'api_key_keyring = "local"' in config.read_text()
    assert KEY not in config.read_text() + json.dumps(shown) + repr(keyed)
    settings = load_settings()
    assert settings.provider.api_key == KEY
    assert KEY in settings.secrets
    assert settings.warnings == ()


def test_a_saved_key_is_used_again_when_only_the_model_changes(config, server, saved_keys):
    keyed = form(server.url, key_from="keyring", key=KEY)
    new_settings.save(keyed, new_settings.preview(keyed, Settings())["digest"])

    again = form(server.url, key_from="keyring", model="other")
    new_settings.save(again, new_settings.preview(again, Settings())["digest"])

    settings = load_settings()
    assert (settings.model, settings.provider.api_key) == ("other", KEY)
    assert list(settings.providers) == ["local"]


def test_a_key_goes_into_a_file_of_its_own_if_that_is_chosen(config, server):
    keyed = form(server.url, key_from="file", key=KEY)

    shown = new_settings.preview(keyed, Settings())
    new_settings.save(keyed, shown["digest"])

    assert 'api_key_file = "local"' in config.read_text()
    assert KEY not in config.read_text() + json.dumps(shown)
    settings = load_settings()
    assert (settings.provider.api_key, settings.warnings) == (KEY, ())
    again = form(server.url, key_from="file", model="other")
    new_settings.save(again, new_settings.preview(again, settings)["digest"])
    assert list(load_settings().providers) == ["local"]


@pytest.mark.parametrize("place", ["file", "keyring"])
def test_a_saved_key_goes_to_no_other_server_that_is_typed_in_its_place(
    config, server, saved_keys, place
):
    keyed = form(server.url, key_from=place, key=KEY)
    new_settings.save(keyed, new_settings.preview(keyed, load_settings())["digest"])

    with ScriptedServer([text("ok")]) as other:
        moved = form(other.url, key_from=place, model="other")
        found = asyncio.run(new_settings.test(moved, load_settings()))
        asyncio.run(new_settings.list_models(moved, load_settings()))
        with pytest.raises(ConfigError, match="Enter the key"):
            new_settings.preview(moved, load_settings())

    assert found["findings"]
    assert KEY not in str(other.seen)


def test_a_key_that_no_settings_name_goes_to_no_server(config, server):
    new_settings.KEY_PLACES["file"].save("local", KEY)

    asyncio.run(new_settings.test(form(server.url, key_from="file"), load_settings()))

    assert KEY not in str(server.seen)


def test_a_key_of_the_session_is_in_no_file(config, server):
    keyed = form(server.url, key_from="session", key=KEY)

    shown = new_settings.preview(keyed, Settings())
    new_settings.save(keyed, shown["digest"])

    assert "api_key_session = true" in config.read_text()
    assert shown["server"] == server.url
    assert all(KEY not in path.read_text() for path in config.parent.rglob("*") if path.is_file())
    assert load_settings().warnings == ()


def test_the_key_of_the_session_is_used_again_for_its_server_alone(server):
    keys = {server.url: KEY}
    wanted = form(f"{server.url}/chat/completions", key_from="session")

    assert new_settings.with_session_key(wanted, keys).key == KEY
    assert new_settings.with_session_key(replace(wanted, key="typed"), keys).key == "typed"
    assert new_settings.with_session_key(replace(wanted, key_from="file"), keys).key == ""
    assert new_settings.with_session_key(form("http://h/v1", key_from="session"), keys).key == ""


@pytest.mark.parametrize(
    "keyed",
    [
        {},
        {"key_from": "variable", "key_variable": "MY_KEY"},
        {"key_from": "file", "key": KEY},
        {"key_from": "session", "key": KEY},
        {"api": "responses"},
    ],
)
def test_what_is_connected_is_in_the_form_when_it_is_opened_again(
    config, server, monkeypatch, keyed
):
    monkeypatch.setenv("MY_KEY", KEY)
    filled = form(server.url, **keyed)
    new_settings.save(filled, new_settings.preview(filled, Settings())["digest"])

    state = new_settings.describe_state(load_settings())

    assert state["current"] == {
        "name": "local",
        "base_url": server.url,
        "key_from": "none",
        "key_variable": "",
        "model": "scripted",
        "api": "",
    } | {name: value for name, value in keyed.items() if name != "key"}
    assert KEY not in json.dumps(state)


def test_without_a_working_keyring_nothing_is_written_and_the_settings_say_what_is_missing(
    config, server, monkeypatch
):
    keyring.set_keyring(keyring.backends.fail.Keyring())
    keyed = form(server.url, key_from="keyring", key=KEY)
    shown = new_settings.preview(keyed, Settings())

    with pytest.raises(ConfigError, match="no keyring") as raised:
        new_settings.save(keyed, shown["digest"])

    assert KEY not in str(raised.value)
    assert not config.exists()
    assert new_settings.describe_state(load_settings())["keyring"] is None
    config.write_text(shown["text"])
    settings = load_settings()
    assert "provider local has no key" in settings.warnings[0]


def test_a_variable_that_is_not_set_is_named(config, server):
    wanted = form(server.url, key_from="variable", key_variable="MY_NEW_KEY")

    with pytest.raises(ConfigError, match="MY_NEW_KEY is not set"):
        asyncio.run(new_settings.list_models(wanted, load_settings()))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"key_from": "file"}, "Enter the key"),
        ({"key_from": "session"}, "Enter the key"),
        ({"base_url": ""}, "URL"),
        ({"base_url": "localhost"}, "not a URL"),
        ({"name": "a b"}, "name"),
        ({"key_from": "drawer"}, "where the key is"),
        ({"key_from": "variable", "key_variable": "sk-1"}, "not the key itself"),
        ({"key_from": "keyring", "key": "a b"}, "blank"),
        ({"api": "soap"}, "APIs"),
        ({"model": ""}, "model"),
    ],
)
def test_what_cannot_be_used_is_named_before_anything_is_written(config, server, wrong, why):
    with pytest.raises(ConfigError, match=why):
        new_settings.preview(form(server.url, **wrong), Settings())

    assert not config.exists()


def test_an_error_of_the_server_that_repeats_the_key_does_not_show_it(config, server):
    server.answers = [error(401, f"wrong key {KEY}")] * 9
    wrong = form(server.url, key_from="keyring", key=KEY)

    tested = asyncio.run(new_settings.test(wrong, load_settings()))

    assert KEY not in json.dumps(tested)


def test_a_query_does_not_show_its_secret():
    assert KEY not in repr(Query({}, None, KEY))


def test_secrets_of_the_file_are_not_shown_and_stay_in_it(config, server):
    config.write_text(
        f'[providers.a]\nbase_url = "http://a/v1"\nheaders = {{ X-Api-Key = "{KEY}" }}\n'
    )

    shown = new_settings.preview(form(server.url), Settings())
    new_settings.save(form(server.url), shown["digest"])

    assert KEY not in json.dumps(shown)
    assert KEY in config.read_text()
