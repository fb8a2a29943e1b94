"""An agent can only narrow what the user has."""

from __future__ import annotations

from pathlib import Path

import pytest

from msgbook.agents.agent import Agent, ConfiguredNames, narrow_agent, narrow_roots
from msgbook.approval import Roots
from msgbook.errors import ToolError

OWNED = ConfiguredNames(providers=["openai", "local"], tools=["read", "grep"], mcp_servers=["web"])


@pytest.fixture
def roots(tmp_path):
    for name in ("notes", "notes/src", "other"):
        (tmp_path / name).mkdir()
    return Roots(tmp_path / "notes")


def real_by(roots):
    def real(path):
        try:
            return roots.resolve(path)
        except ToolError:
            return None

    return real


def test_names_of_what_the_user_has_are_kept():
    agent = Agent("a", provider="local", tools=("read",), mcp_servers=("web",))

    assert narrow_agent(agent, OWNED) == (agent, [])


def test_names_of_nothing_are_dropped_and_said():
    agent = Agent("a", provider="evil", tools=("read", "rm"), mcp_servers=("spy",))

    kept, notices = narrow_agent(agent, OWNED)

    assert kept == Agent("a", provider=None, tools=("read",), mcp_servers=())
    assert notices == [
        (
            "Agent a: provider 'evil' is not in your configuration (openai, local); "
            "your default one answers."
        ),
        "Agent a: there is no tool 'rm' (read, grep).",
        "Agent a: the MCP server 'spy' is not in your configuration (web).",
    ]


def test_no_tools_are_other_than_all_tools():
    assert narrow_agent(Agent("a", tools=()), OWNED)[0].tools == ()
    assert narrow_agent(Agent("a", tools=None), OWNED)[0].tools is None


def test_without_allowed_uris_the_users_roots_hold(roots):
    found = narrow_roots(Agent("a"), [roots.folder], real_by(roots))

    assert found == ((roots.folder,), [])


@pytest.mark.parametrize("uri", ["src", "./src/", "FILE", "file"])
def test_a_folder_inside_a_root_narrows_to_it(roots, uri):
    src = roots.folder / "src"
    uri = {"FILE": f"FILE://localhost{src}", "file": src.as_uri()}.get(uri, uri)

    found = narrow_roots(Agent("a", allowed_uris=(uri,)), [roots.folder], real_by(roots))

    assert found == ((src,), [])


@pytest.mark.parametrize("uri", ["/", "..", "file:///"])
def test_a_folder_around_a_root_allows_no_more_than_the_root(roots, uri):
    found = narrow_roots(Agent("a", allowed_uris=(uri,)), [roots.folder], real_by(roots))

    assert found == ((roots.folder,), [])


@pytest.mark.parametrize(
    "uri", ["../other", "/etc", "file:///etc", "file://host/etc", "https://x/y", "a\0b", "file://["]
)
def test_a_folder_elsewhere_allows_nothing_and_a_notice_says_so(roots, uri):
    agent = Agent("a", allowed_uris=(uri,))

    allowed, notices = narrow_roots(agent, [roots.folder], real_by(roots))

    assert allowed == ()
    assert len(notices) == 1


def test_a_link_counts_as_what_it_leads_to(roots):
    Path(roots.folder / "way").symlink_to(roots.folder.parent / "other")
    agent = Agent("a", allowed_uris=("way",))

    assert narrow_roots(agent, [roots.folder], real_by(roots))[0] == ()


def test_no_folders_are_other_than_the_users_roots(roots):
    agent = Agent("a", allowed_uris=())

    assert narrow_roots(agent, [roots.folder], real_by(roots)) == ((), [])
