"""[mcp_servers.NAME] of msgbook.toml: what is taken, what is refused in which words, what is secret."""

from __future__ import annotations

import pytest

from msgbook.config import hide_keys, redact


def test_a_program_and_a_url_are_read_with_all_their_keys(toml):
    settings = toml(
        '[mcp_servers.git]\ncommand = "uvx"\nargs = ["mcp-server-git"]\nenv = { MODE = "fast" }\n'
        'env_vars = ["HERE"]\ncwd = "/srv"\nenabled_tools = ["log"]\ndisabled_tools = ["reset"]\n'
        "startup_timeout_sec = 20\ntool_timeout_sec = 2.5\ntrust_hints = true\n"
        '[mcp_servers.web]\nurl = "https://example.com/mcp"\nheaders = { X-Key = "abcdefgh" }\n',
        HERE="there",
    )

    git, web = settings.mcp_servers.values()
    assert settings.warnings == ()
    assert (git.command, git.args, git.cwd) == ("uvx", ("mcp-server-git",), "/srv")
    assert git.env == {"MODE": "fast", "HERE": "there"}
    assert (git.enabled_tools, git.disabled_tools) == (("log",), ("reset",))
    assert (git.startup_timeout, git.tool_timeout, git.trust_hints) == (20.0, 2.5, True)
    assert (web.url, web.headers) == ("https://example.com/mcp", {"X-Key": "abcdefgh"})
    assert not web.trust_hints


@pytest.mark.parametrize(
    ("table", "line", "words"),
    [
        ("", 1, "expected command, for a program to start, or url, for a server; got neither"),
        ('command = "a"\nurl = "http://a"', 1, "got both"),
        ('url = "http://a"\nargs = []', 1, "args does not go with url"),
        ('command = "a"\nheaders = {}', 1, "headers does not go with command"),
        ("command = 3", 2, "command: expected the name or the path of a program, got a number"),
        ('command = "a"\nargs = "b"', 3, "args: expected a list of strings, got a string"),
        ('command = "a"\nenv = { A = 1 }', 3, "env: expected a table of strings, got a table"),
        ('command = "a"\ncwd = "here"', 3, "cwd: expected an absolute path"),
        ('url = "ftp://a"', 2, "url: expected a URL such as https://example.com/mcp"),
        (
            'command = "a"\ntrust_hints = "yes"',
            3,
            "trust_hints: expected true or false, got a string",
        ),
        ('command = "a"\ntool_timeout_sec = 0', 3, "expected a positive number of seconds"),
        ('command = "a"\nenabled_tools = "log"', 3, "enabled_tools: expected a list of names"),
    ],
)
def test_a_wrong_table_says_what_was_expected_and_where_and_its_server_is_not_used(
    toml, table, line, words
):
    settings = toml(f"[mcp_servers.x]\n{table}\n")

    assert len(settings.warnings) == 1
    assert settings.warnings[0].startswith(f"msgbook.toml:{line}: the MCP server x is not used: ")
    assert words in settings.warnings[0]
    assert settings.mcp_servers["x"].problem
    assert settings.mcp_servers["x"].command == ""


def test_a_server_that_is_no_table_is_not_used(toml):
    settings = toml("[mcp_servers]\nx = 3\n")

    assert "expected a table, got a number" in settings.warnings[0]


def test_an_unknown_key_and_a_variable_that_is_not_set_are_warnings(toml):
    settings = toml('[mcp_servers.x]\ncommand = "a"\ntype = "stdio"\nenv_vars = ["NOWHERE"]\n')

    assert settings.warnings == (
        "msgbook.toml:3: unknown key 'type' is ignored.",
        "msgbook.toml:4: NOWHERE, which env_vars of [mcp_servers.x] names, is not set.",
    )
    assert not settings.mcp_servers["x"].problem


def test_values_of_variables_and_headers_are_secret_and_leave_the_environment(toml):
    settings = toml(
        '[mcp_servers.x]\ncommand = "a"\nenv = { A_TOKEN = "tok1", SPEC = "x7!kq2-93jd" }\n'
        'env_vars = ["ISSUES_KEY"]\n'
        '[mcp_servers.y]\nurl = "https://u:passw0rd@h/mcp"\nheaders = { Authorization = "Bearer hdr-1234" }\n',
        ISSUES_KEY="issues-key-1",
    )
    environ = {"ISSUES_KEY": "issues-key-1", "HOME": "/home/me"}
    hide_keys(settings, environ)

    assert environ == {"HOME": "/home/me"}
    for secret in ("tok1", "x7!kq2-93jd", "issues-key-1", "passw0rd", "hdr-1234"):
        assert redact(f"<{secret}>", settings.secrets) == "<[redacted]>"
        assert secret not in repr(settings)


def test_flags_words_numbers_and_paths_of_variables_are_no_secrets(toml):
    settings = toml(
        '[mcp_servers.x]\ncommand = "a"\n'
        'env = { DEBUG = "true", LEVEL = "info", PORT = "8080", FILE = "/tmp/a.json" }\n'
    )

    assert settings.secrets == ()


def test_the_digest_is_that_of_what_is_started_and_not_of_its_secrets(toml):
    def digest(lines: str) -> str:
        return toml(f"[mcp_servers.x]\n{lines}").mcp_servers["x"].digest

    first = digest('command = "a"\nenv = { K = "1" }')

    assert digest('command = "a"\nenv = { K = "2" }\ntrust_hints = true') == first
    for other in (
        'command = "b"\nenv = { K = "1" }',
        'command = "a"\nargs = ["-x"]\nenv = { K = "1" }',
        'command = "a"\nenv = { L = "1" }',
        'command = "a"\ncwd = "/"\nenv = { K = "1" }',
        'url = "http://a"',
    ):
        assert digest(other) != first
