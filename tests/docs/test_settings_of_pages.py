"""The settings, agents and rules of the pages: read by what reads a user's files, they are what the page says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command import with_settings
from fences import Fence
from scripted_server import ScriptedServer, text

from msgbook.__main__ import main
from msgbook.agents import AgentSources, resolve_agent
from msgbook.agents.agent import Agent, ConfiguredNames, narrow_agent
from msgbook.approval import load_with_project
from msgbook.config import LIMIT_KEYS, Limits, Settings, load_settings
from msgbook.errors import ConfigError

Load = Callable[..., Settings]


@pytest.fixture
def load(fences: list[Fence], tmp_path: Path) -> Load:
    """Loads the test's only fence as the user's `msgbook.toml`, with further variables."""
    (fence,) = fences
    file = tmp_path / "msgbook.toml"
    file.write_text(fence.body)
    return lambda **env: load_settings({"MSGBOOK_CONFIG": str(file), **env})


def agent_of(settings: Settings, name: str) -> Agent:
    """Return an agent of the settings, as it answers a message that names it."""
    sources = AgentSources(configuration=settings.agents)
    agent, _, notices = resolve_agent(name, [], sources)
    narrowed, refused = narrow_agent(
        agent, ConfiguredNames(providers=frozenset(settings.providers))
    )
    assert [*notices, *refused] == []
    return narrowed


def test_a_complete_file_names_a_server_and_its_model(load: Load) -> None:
    settings = load()

    assert settings.warnings == ()
    assert settings.provider is not None
    assert settings.provider.name == "local"
    assert settings.provider.base_url == "http://localhost:11434/v1"
    assert (settings.provider.api, settings.model) == ("chat", "qwen3")


def test_a_file_configures_two_servers_prices_an_agent_and_a_limit(load: Load) -> None:
    settings = load(CLOUD_KEY="sk-of-the-cloud")
    local, cloud = settings.providers.values()
    reviewer = agent_of(settings, "reviewer")

    assert (settings.warnings, settings.model) == ((), "qwen3")
    assert (settings.provider, local.base_url) == (local, "http://localhost:11434/v1")
    assert (cloud.api_key, cloud.headers) == ("sk-of-the-cloud", {"X-Team": "red"})
    assert cloud.prices == {"big-1": {"input": 1.25, "cached": 0.125, "output": 10.0}}
    assert (reviewer.provider, reviewer.models, reviewer.temperature) == ("cloud", ("big-1",), 0.2)
    assert str(reviewer.system_prompt).startswith("You review code.")
    assert settings.limits == {"max_steps": 50}


def test_an_agent_of_the_users_own_file_may_search_at_the_server(load: Load) -> None:
    settings = load(OPENAI_API_KEY="sk-of-the-test")
    searcher = agent_of(settings, "searcher")

    assert settings.warnings == ()
    assert searcher.models == ("gpt-5",)
    assert searcher.server_tools == ("web_search",)


def test_a_provider_is_asked_over_anthropics_api(load: Load) -> None:
    settings = load(ANTHROPIC_API_KEY="sk-ant-of-the-test")

    assert settings.warnings == ()
    claude = settings.providers["claude"]
    assert settings.provider is claude
    assert (claude.base_url, claude.api) == ("https://api.anthropic.com/v1", "anthropic")
    assert claude.api_key == "sk-ant-of-the-test"


def test_a_provider_is_asked_over_the_responses_api(load: Load) -> None:
    settings = load()

    assert settings.warnings == ()
    assert [(p.base_url, p.api) for p in settings.providers.values()] == [
        ("http://localhost:8000/v1", "responses")
    ]


def test_the_server_of_the_environment_is_asked_over_the_responses_api(load: Load) -> None:
    settings = load(OPENAI_BASE_URL="http://localhost:8000/v1")

    assert settings.warnings == ()
    assert [(p.name, p.base_url, p.api) for p in settings.providers.values()] == [
        ("openai", "http://localhost:8000/v1", "responses")
    ]
    with pytest.raises(ConfigError, match="has no base_url"):
        load()


def test_a_provider_keeps_to_the_limits_of_its_server(load: Load) -> None:
    settings = load()

    assert settings.warnings == ()
    assert settings.provider is not None
    assert settings.provider.requests_per_minute == 60
    assert settings.provider.max_parallel == 8


def test_a_rule_approves_a_command_in_its_folder_alone(load: Load, tmp_path: Path) -> None:
    env = {"MSGBOOK_CONFIG": str(tmp_path / "msgbook.toml")}
    settings, [rule] = load_with_project(tmp_path, env)
    here, below = Path("/home/me/projects"), Path("/home/me/projects/one")
    log = json.dumps({"command": "git log -3", "timeout": 5})

    assert settings.warnings == load().warnings == ()
    assert rule.covers("shell", log, here)
    assert rule.covers("shell", log, below)
    assert not rule.covers("shell", log, here.parent)
    assert not rule.covers("shell", '{"command": "git push"}', here)


def test_a_project_lowers_a_limit(fences: list[Fence], tmp_path: Path) -> None:
    (fence,) = fences
    (tmp_path / ".msgbook").mkdir()
    (tmp_path / ".msgbook" / "config.toml").write_text(fence.body)

    settings, _ = load_with_project(tmp_path)
    limits, refused = Limits().narrow(settings.project_limits)

    assert (settings.warnings, refused) == ((), [])
    assert {key for key in LIMIT_KEYS if getattr(limits, key) != getattr(Limits(), key)} == {
        "max_steps"
    }
    assert limits.max_steps == 10


def test_the_frontmatter_defines_two_agents_and_who_answers(fences: list[Fence]) -> None:
    (frontmatter,) = fences
    sources = AgentSources(frontmatter.body)

    writer, models, notices = resolve_agent(None, [], sources)
    reviewer, reviewers, more = resolve_agent("reviewer", [], sources)

    assert (*notices, *more) == ()
    assert (writer.name, writer.temperature) == ("writer", 0.7)
    assert writer.system_prompt == "You write plain English."
    assert models is not None
    assert models.names == ("gpt-5", "o3")
    assert (reviewer.provider, reviewer.tools) == ("local", ("read", "grep"))
    assert reviewers is not None
    assert reviewers.names == ("qwen3",)


def test_further_keys_are_sent_as_an_agent_of_a_file_sets_them(
    fences: list[Fence], server: ScriptedServer, tmp_path: Path
) -> None:
    (frontmatter,) = fences
    chat = tmp_path / "chat.msg.md"
    chat.write_text(f"---\n{frontmatter.body}---\n\n# %%\n\nHello.\n")
    server.answers = [text("Yes.")]

    assert with_settings(server, main, ["run", str(chat)]) == 0

    assert (server.requests[0]["verbosity"], server.requests[0]["seed"]) == ("low", 7)
