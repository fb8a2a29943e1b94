"""Whatever a variable of the environment holds: a request works, or ends with an error that names the variable.

The client is built as for a turn, from the real environment, and asks a scripted server.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from bad_proxy import CLOSED, environment
from engine_turns import no_sleep, run_turn
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from mcp_direct import started
from scripted_server import ScriptedServer, text

from msgbook.__main__ import main
from msgbook.config import McpServerSettings, load_settings
from msgbook.engine import Conversation, Services
from msgbook.errors import ConfigError
from msgbook.network import find_route
from msgbook.network.proxies import is_this_computer
from msgbook.network.variables import VARIABLES
from msgbook.notebook.transcript import Transcript

SECRET = "secret-of-mine"
PROXY = f"http://me:{SECRET}@127.0.0.1:9"

USUAL = {
    "HTTP_PROXY": PROXY,
    "HTTPS_PROXY": PROXY,
    "ALL_PROXY": PROXY,
    "NO_PROXY": "localhost,127.0.0.1,::1",
    "SSL_CERT_FILE": __file__,
    "SSL_CERT_DIR": str(Path(__file__).parent),
    "SSLKEYLOGFILE": "/nonexistent/keys",
    "OPENAI_API_KEY": f"sk-{SECRET}",
    "OPENAI_BASE_URL": f"http://me:{SECRET}@127.0.0.1:9/v1",
    "OPENAI_CUSTOM_HEADERS": f"X-Key: {SECRET}\nX-Team: red",
    "MSGBOOK_CONFIG": "/nonexistent/msgbook.toml",
    "MSGBOOK_APPROVAL": "ask",
}
"""A value as it could be meant, for variables that have a form."""

NAMES = [name for name, variable in VARIABLES.items() if variable.examine]
SPELLED = [*NAMES, *(name.lower() for name in NAMES if name.endswith("_PROXY"))]
ODD = [
    *"\n\t\r \x01\x1b\x7f[]{}<>:@/?#%\\\"'=,;*~$",
    "é",
    "\u202e",
    "\u3000",
    "\udcff",
    "\udc80\udc80",
    "://",
    "..",
    "%zz",
]
WRONG = ["", " ", "\n", "1", "true", "null", "[]", "/", "/nonexistent/x", "~nobody/x", "x" * 5000, "socks://127.0.0.1:9", "http:/127.0.0.1",
         "127.0.0.1", "127.0.0.1:port", "//127.0.0.1", "file:///etc/passwd", ":0", "http://127.0.0.1:99999", "/dev/null", "é", "\udcff"]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A working folder for the files that some variables name, such as SSLKEYLOGFILE."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("here"))
        yield


@st.composite
def odd(draw: st.DrawFn) -> tuple[str, str]:
    """A variable, and a value that somebody may have given it by mistake."""
    name = draw(st.sampled_from(SPELLED))
    usual = USUAL.get(name.upper(), "value")
    if draw(st.booleans()):
        return name, draw(st.sampled_from([*WRONG, usual]))
    at = draw(st.integers(0, len(usual)))
    return name, usual[:at] + draw(st.sampled_from(ODD)) + usual[at:]


def examples(test: Any) -> Any:
    for name, value in (
        ("ALL_PROXY", "socks://127.0.0.1:9"),
        ("SSL_CERT_FILE", "/nonexistent/cacert.pem"),
        ("HTTP_PROXY", "http://proxy:port"),
        ("SSLKEYLOGFILE", "/nonexistent/x"),
        ("HTTPS_PROXY", "socks5://127.0.0.1:9"),
        ("OPENAI_ORG_ID", "org\n1"),
        ("OPENAI_PROJECT_ID", "prôj"),
        ("OPENAI_BASE_URL", " "),
        ("OPENAI_BASE_URL", "https:/h"),
        ("MSGBOOK_MODEL", "a\udcffb"),
        ("OPENAI_CUSTOM_HEADERS", "X Y: z"),
        ("MSGBOOK_CONFIG", "/"),
    ):
        test = example(("", ""), (name, value))(test)
    return test


def closed(url: str) -> bool:
    """Whether a request would look no name up: neither of the server nor of its proxy."""
    way = find_route(url)
    try:
        return is_this_computer(way.proxy.url if way.proxy else url)
    except ValueError:  # not the URL of a proxy, so nobody is asked for one
        return True


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ScriptedServer([text("hello")]) as server:
        yield server.url


async def turn(env: dict[str, str]) -> dict[str, Any]:
    """The turn of a prompt, or the error of its settings as a turn would show it."""
    try:
        engine = Conversation(Services(load_settings(env), sleep=no_sleep), Path())
    except ConfigError as error:
        return {"status": "error", "blocks": [{"message": str(error)}]}
    try:
        return dict(await run_turn(engine, "hi", Transcript("memory", [])))
    finally:
        await engine.services.close()


def is_plain(words: str, *names: str) -> bool:
    """Whether an error is one for a person, and names a variable."""
    assert "bug in msgbook" not in words, words
    assert "Traceback" not in words, words
    return SECRET not in words and any(name in words for name in names if name)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150
)
@examples
@given(odd(), odd())
def test_a_turn_works_or_names_the_variable(url, first, second):
    env = {name: value for name, value in (first, second) if name}
    with environment(**{"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m", **env}):
        ours = {**os.environ}
        assume("OPENAI_BASE_URL" not in env or closed_base(env["OPENAI_BASE_URL"]))
        assume("OPENAI_BASE_URL" in env or closed(url))
        made = asyncio.run(turn(ours))

    if made["status"] != "done":
        assert is_plain(made["blocks"][-1]["message"], *env), made


def closed_base(value: str) -> bool:
    try:
        url = load_settings(
            {"OPENAI_BASE_URL": value, "OPENAI_API_KEY": "k", "MSGBOOK_CONFIG": os.devnull}
        )
    except ConfigError:
        return True
    assert url.provider
    return url.provider.base_url is not None and closed(url.provider.base_url)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150
)
@examples
@given(odd(), odd())
def test_an_encrypted_client_is_built_or_names_the_variable(first, second):
    env = {name: value for name, value in (first, second) if name}
    with environment(**env):
        import httpx2

        way = find_route("https://127.0.0.1:9/v1")
        try:
            httpx2.AsyncClient(**way.client_options(httpx2))
            said = ""
        except ConfigError as error:
            said = str(error)
    assert not said or is_plain(said, *env)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@examples
@given(odd(), odd())
def test_an_mcp_server_is_asked_or_the_variable_is_named(first, second):
    async def said(url: str) -> str:
        async with started(McpServerSettings("web", url=url)) as servers:
            return " ".join(servers.said)

    env = {name: value for name, value in (first, second) if name}
    with environment(**env):
        assume(closed(f"{CLOSED}/mcp"))
        words = asyncio.run(said(f"{CLOSED}/mcp"))

    assert "nothing answers at its url" in words or is_plain(words, *env), words


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@examples
@given(odd(), odd())
def test_the_doctor_has_a_row_for_each_variable_and_no_traceback(url, first, second):
    env = {name: value for name, value in (first, second) if name}
    out, err = io.StringIO(), io.StringIO()
    with environment(**{"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m", **env}):
        assume("OPENAI_BASE_URL" not in env or closed_base(env["OPENAI_BASE_URL"]))
        assume("OPENAI_BASE_URL" in env or closed(url))
        set_names = [name for name, value in env.items() if value]
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["doctor", "--json", "--timeout", "30"])

    rows = [f for f in json.loads(out.getvalue())["findings"] if f["check"] == "environment"]
    assert code in (0, 1, 2)
    assert code != 2 or is_plain(err.getvalue(), *env)
    assert [name for name in set_names if not any(name in row["words"] for row in rows)] == []
    assert SECRET not in out.getvalue() + err.getvalue()
