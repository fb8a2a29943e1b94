"""`msgbook doctor`: what it says of the settings, and which provider it checks."""

from __future__ import annotations

import pytest
import scripted_server as scripted
from doctor_answers import CALLS, NUMBERS

from msgbook.__main__ import main
from msgbook.cli.terminal import home_as_tilde


def test_settings_are_shown_with_their_origin(tmp_path, monkeypatch, capsys):
    path = tmp_path / "msgbook.toml"
    path.write_text(
        'model = "b"\n[limits]\nmax_steps = 5\n[providers.local]\n'
        'base_url = "http://me:hidden-word@127.0.0.1:9/v1"\napi_key_env = "LOCAL_KEY"\n'
        'headers = { X-Token = "t-0123456789" }'
    )
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789")
    monkeypatch.setenv("MSGBOOK_MODEL", "a")

    main(["doctor", "--offline"])

    out = capsys.readouterr().out
    assert "http://127.0.0.1:9/v1 ([providers.local] of msgbook.toml)" in out
    assert "is set (LOCAL_KEY)" in out
    assert "a (MSGBOOK_MODEL)" in out
    assert "max_steps 5" in out
    assert "X-Token" in out
    assert [s for s in ("hidden-word", "sk-local-0123456789", "t-0123456789") if s in out] == []


def doctor(tmp_path, monkeypatch, capsys, toml):
    (tmp_path / "msgbook.toml").write_text(toml)
    monkeypatch.setenv("MSGBOOK_CONFIG", str(tmp_path / "msgbook.toml"))
    main(["doctor", "--offline"])
    return capsys.readouterr().out


def test_the_window_and_the_price_of_the_model_are_shown_with_whose_they_are(
    tmp_path, monkeypatch, capsys
):
    table = '[providers.p]\nbase_url = "{}"\n'
    known = table.format("https://api.openai.com/v1")
    own = "context_window = 4096\n[providers.p.prices]\nx = { input = 1, output = 2 }\n"

    shown = doctor(tmp_path, monkeypatch, capsys, 'model = "gpt-4o"\n' + known)
    assert "window    128,000 tokens (genai-prices " in shown
    assert "price     2.5 for a million tokens of input, 1.25 cached, 10 of output (US d" in shown
    assert "whose newest entry is of 20" in shown

    shown = doctor(tmp_path, monkeypatch, capsys, 'model = "x"\n' + known + own)
    assert "window    4,096 tokens (msgbook.toml)" in shown
    assert "price     1 for a million tokens of input, 1 cached, 2 of output (msgbook" in shown

    local = table.format("http://127.0.0.1:9")
    shown = doctor(tmp_path, monkeypatch, capsys, 'model = "x"\n' + local)
    assert "window    not known; context_window in [providers.p] of msgbook.toml sets it" in shown
    assert "price     not known; [providers.p.prices] of msgbook.toml sets it" in shown


def test_what_the_project_sets_is_shown_as_the_projects(tmp_path, monkeypatch, capsys):
    (tmp_path / ".msgbook").mkdir()
    (tmp_path / ".msgbook" / "config.toml").write_text('model = "theirs"\n[limits]\nmax_steps = 2')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MSGBOOK_MODEL", "mine")

    assert main(["doctor", "--offline"]) == 0

    out = capsys.readouterr().out
    assert "mine (MSGBOOK_MODEL)" in out
    assert "lowers max_steps (.msgbook/config.toml)" in out


def test_a_project_that_waits_for_trust_is_no_failure(tmp_path, monkeypatch, capsys):
    (tmp_path / ".msgbook").mkdir()
    (tmp_path / ".msgbook" / "config.toml").write_text('model = "theirs"')
    monkeypatch.chdir(tmp_path)

    assert main(["doctor", "--offline"]) == 0

    state, advice = capsys.readouterr().out.partition("unknown  project: ")[2].splitlines()[:2]
    assert "model is ignored" in state
    assert advice.strip().startswith("Read it, then")
    assert advice.endswith("msgbook trust .")


@pytest.fixture
def two_servers(server, tmp_path, monkeypatch):
    """`msgbook.toml` with a default provider that is away, `far`, which is the scripted server."""
    path = tmp_path / "msgbook.toml"
    path.write_text(
        'model = "mine"\n[providers.near]\nbase_url = "http://127.0.0.1:9/v1"\n'
        f'[providers.far]\nbase_url = "{server.url}"\nalternate = true\n[providers.broken]\n'
        '[agents.reviewer]\nprovider = "far"\n[mcp_servers.files]\ncommand = "x"'
    )
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))


@pytest.mark.usefixtures("two_servers")
def test_another_provider_is_checked_by_name_with_a_model_of_its_own(server, capsys):
    server.routes = ("/chat/completions",)
    server.answers = [scripted.text(NUMBERS), CALLS, scripted.text(NUMBERS), CALLS]

    main(["doctor", "--provider", "far"])
    assert "pass     model: none is set; using scripted, the only model that the server offers" in (
        capsys.readouterr().out
    )
    main(["doctor", "--provider", "far", "--model", "other"])

    assert [request["model"] for request in server.requests] == ["scripted"] * 3 + ["other"] * 3
    out = capsys.readouterr().out
    assert f"server    {server.url} ([providers.far] of msgbook.toml)" in out
    assert "options   alternate (msgbook.toml)" in out
    assert "model     other (--model)" in out
    assert "providers near (the default), far, broken (cannot be used)" in out
    assert "agents    reviewer" in out
    assert "mcp       files\n" in out


@pytest.mark.usefixtures("two_servers")
def test_a_provider_that_cannot_be_checked_is_unreadable_input(capsys):
    assert main(["doctor", "--provider", "none"]) == 2
    assert "near, far, broken" in capsys.readouterr().err
    assert main(["doctor", "--provider", "broken"]) == 2
    assert "base_url of [providers.broken] is missing" in capsys.readouterr().err


def test_the_home_directory_is_shown_as_a_tilde(tmp_path, monkeypatch, capsys):
    home = tmp_path / "me"
    (home / "set").mkdir(parents=True)
    (home / "set" / "msgbook.toml").write_text("")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MSGBOOK_CONFIG", str(home / "set" / "msgbook.toml"))

    main(["doctor", "--offline"])

    assert "file      ~/set/msgbook.toml\n" in capsys.readouterr().out
    assert home_as_tilde(f"{home}2/a ({home}/a) /x{home}/a") == f"{home}2/a (~/a) /x{home}/a"


def test_a_file_with_a_secret_that_others_can_read_is_a_failure(tmp_path, monkeypatch, capsys):
    path = tmp_path / "msgbook.toml"
    path.write_text(
        '[providers.x]\nbase_url = "http://h/v1"\nheaders = { Authorization = "Bearer sk-01234567" }'
    )
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
    path.chmod(0o644)

    assert main(["doctor", "--offline"]) == 1
    assert f"chmod 600 {path}" in capsys.readouterr().out

    path.chmod(0o600)
    assert main(["doctor", "--offline"]) == 0


def test_the_demo_model_needs_no_server(monkeypatch, capsys):
    assert main(["doctor"]) == 0
    assert "msgbook doctor --setup" in capsys.readouterr().out


def test_settings_that_cannot_be_read_are_unreadable_input(tmp_path, monkeypatch, capsys):
    path = tmp_path / "msgbook.toml"
    path.write_text("= nothing")
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))

    assert main(["doctor"]) == 2
    assert "is not valid TOML" in capsys.readouterr().err


def test_providers_of_the_file_that_the_environment_overrides_are_a_finding(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "msgbook.toml"
    path.write_text('model = "qwen3"\n[providers.ollama]\nbase_url = "http://localhost:11434/v1"\n')
    monkeypatch.setenv("MSGBOOK_CONFIG", str(path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")

    assert main(["doctor", "--offline"]) == 1
    told = capsys.readouterr().out
    assert "FAIL     settings: The providers of msgbook.toml are not the default" in told
    assert "\n         Unset OPENAI_API_KEY" in told

    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("MSGBOOK_MODEL", "gpt-5")
    assert main(["doctor", "--offline"]) == 0
    assert "note     settings: The providers of msgbook.toml" in capsys.readouterr().out

    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    main(["doctor", "--offline", "--provider", "ollama"])
    assert "not the default, because" not in capsys.readouterr().out
