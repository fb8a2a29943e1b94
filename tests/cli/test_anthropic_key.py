"""Someone who has a key of Anthropic's and nothing else: all works, and the key stays where it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_server import Answer, ScriptedServer, call, text

from msgbook.__main__ import main

KEY, CHAT = "sk-ant-api03-of-the-newcomer", "chat.msg.md"

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def start(
    tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """Runs `msgbook` in a folder with a chat. It takes the key out of its environment, so each run gets it anew."""
    folder = tmp_path / "chats"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / CHAT).write_text("# %% [^a]\n\nHi\n\n# %% [^b]\n\nAgain\n")
    settings = {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": server.url.removesuffix("/v1"),
        "MSGBOOK_MODEL": "claude-opus-4-5",
    }

    def run(*arguments: str, **env: str) -> int:
        for name, value in {**settings, **env}.items():
            monkeypatch.setenv(name, value)
        return main([*arguments])

    return run


def test_a_chat_is_answered_over_anthropics_api(start, server, capsys):
    server.answers = [text("Hello."), text("Hello again.")]

    assert start("run", CHAT) == 0

    assert capsys.readouterr().err == ""
    assert server.paths == ["/messages"] * 2
    assert server.seen[0]["authorization"] == f"Bearer {KEY}"
    assert 'provider="anthropic"' in Path(CHAT).read_text("utf-8")


def test_the_preview_is_what_is_sent(start, server, capsys):
    server.answers = [text("Hello.")]

    assert start("preview", CHAT, "--json", "--run") == 0
    shown = json.loads(capsys.readouterr().out)

    assert server.seen == []
    assert start("run", CHAT) == 0
    assert shown == server.requests[0]


def test_the_key_is_in_no_file_no_output_no_child_and_no_request(start, server, capfd):
    Path("notes.txt").write_text(f"key: {KEY}")
    told = {"type": "authentication_error", "message": f"invalid key {KEY}"}
    refusal = json.dumps({"type": "error", "error": told})
    server.answers = [
        call("shell", {"command": "env; echo; cat notes.txt"}, "a"),
        call("read", {"path": "notes.txt"}, "b"),
        text("Done."),
        Answer(status=401, body=refusal),
    ]

    assert start("run", CHAT, "--record", "chat.cassette.jsonl", MSGBOOK_APPROVAL="allow") == 1

    shown = capfd.readouterr()
    assert "Check ANTHROPIC_API_KEY." in shown.err
    written = [path for path in Path().rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"chat.msg.md", "chat.cassette.jsonl"}
    assert [p.name for p in written if KEY.encode() in p.read_bytes()] == ["notes.txt"]
    assert KEY not in shown.out + shown.err
    assert KEY not in json.dumps(server.requests)
    assert "PATH=" in json.dumps(server.requests), "the child's environment was shown"


def test_the_doctor_names_the_key_the_window_and_the_price(start, server, capsys):
    server.models = ["claude-opus-4-5"]
    server.answers = [text("Hello.")]

    start("doctor", "--timeout", "30")

    said = capsys.readouterr().out
    for words in (
        "api       anthropic (the default for this server)",
        "key       is set (ANTHROPIC_API_KEY)",
        "window    200,000 tokens",
        "price     5 for a million tokens of input, 0.5 cached, 25 of output (US dollars;",
        "server: reachable; lists claude-opus-4-5",
    ):
        assert words in said
    assert KEY not in said


def test_its_own_prices_may_stand_under_its_name(start, server, tmp_path, capsys):
    config = tmp_path / "msgbook.toml"
    config.write_text("")
    tomorrow = {"MSGBOOK_CONFIG": str(config), "MSGBOOK_MODEL": "claude-of-tomorrow"}
    server.answers = [text("Hello.")]

    assert start("run", CHAT, "--max-cost", "1", **tomorrow) == 1
    assert "[providers.anthropic.prices]" in capsys.readouterr().err
    assert server.requests == []

    line = '"claude-of-tomorrow" = { input = 1, output = 2 }'
    config.write_text(f"[providers.anthropic.prices]\n{line}\n")

    assert start("run", CHAT, "--max-cost", "1", **tomorrow) == 0
