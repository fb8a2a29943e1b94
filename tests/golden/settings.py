"""What is said of settings that cannot be used."""

from __future__ import annotations

from functools import partial

from msgbook.config import load_settings
from msgbook.errors import ConfigError

from .world import Record, World

SERVER = '[providers.x]\nbase_url = "http://u"\n'

FILES = {
    "all right": f'model = "b"\n{SERVER}api = "responses"\napi_key_env = "KEY"\nheaders = {{ X-Team = "red" }}\n[limits]\nmax_steps = 5\n[providers.x.prices.b]\ninput = 1.0\noutput = 2\n[agents.a]\nmodels = ["c"]\n',
    "no TOML": "model = ",
    "two of a key": 'model = "a"\nmodel = "b"\n',
    "wrong types": 'providers = "x"\nmodel = 5\nlimits = []\nagents = 1\nmcp_servers = 2\nprices = 3\napproval = 4\n',
    "unknown keys": f'colour = "red"\n{SERVER}base_ulr = "v"\n[limits]\nsteps = 3\n',
    "no URL": '[providers.local]\nbase_ulr = "http://local/v1"\n',
    "odd URLs": '[providers.a]\nbase_url = "localhost:8000"\n',
    "a port": '[providers.a]\nbase_url = "http://127.0.0.1:99999/v1"\n',
    "another protocol": '[providers.a]\nbase_url = "ftp://host/v1"\n',
    "an unknown API": f"{SERVER}api = 1\n",
    "a key that is not set": f'{SERVER}api_key_env = "X_KEY"\n',
    "a key with a line end": f'{SERVER}api_key = "sk-one\\nsk-two"\n',
    "timeouts": f'{SERVER}timeout = "long"\nretries = -1\ndocuments = "yes"\n',
    "limits": '[limits]\nmax_steps = 0\ntoken_budget = "much"\ntime_budget = -1\nsubagents_at_once = 1.5\n',
    "approval": 'approval = "perhaps"\n[[rules]]\ntool = 5\n[[rules]]\nfoo = 1\n[[approvals]]\ntool = "shell"\n',
    "prices": f'{SERVER}[providers.x.prices.m]\ninput = "cheap"\n[providers.x.prices.n]\nunknown = 1\n',
    "agents": '[agents.a]\nmodels = 5\ntemprature = 1\ntools = [7]\nextra = 3\nprovider = "gone"\n',
    "MCP servers": '[mcp_servers.a]\n[mcp_servers.b]\ncommand = "a"\nurl = "http://a"\n[mcp_servers.c]\ncommand = 3\n[mcp_servers.d]\ncommand = "a"\ncwd = "here"\n[mcp_servers.e]\nurl = "ftp://a"\n[mcp_servers.f]\ncommand = "a"\ntool_timeout_sec = 0\nwhat = 1\n[mcp_servers."g h"]\ncommand = "a"\n[mcp_servers.i]\ncommand = "a"\nenv_vars = ["GONE"]\n',
    "plug-ins": 'plugins_off = "all"\n[providers.p]\nplugin = 3\n',
}  # fmt: skip

VARIABLES = {
    "no scheme": {"OPENAI_BASE_URL": "localhost:8000"},
    "two lines": {"OPENAI_API_KEY": "sk-one\nsk-two"},
    "letters beyond ASCII": {"OPENAI_API_KEY": "schlüssel"},
    "nobody's folder": {"MSGBOOK_CONFIG": "~nobody-of-that-name/x.toml"},
    "approval": {"MSGBOOK_APPROVAL": "perhaps", "OPENAI_BASE_URL": "http://a"},
    "a model alone": {"MSGBOOK_MODEL": "m"},
    "empty": {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""},
}


def files(world: World) -> Record:
    """Scenarios of files."""
    record = Record()
    path = world.folder / "msgbook.toml"
    for name, text in FILES.items():
        path.write_text(text, "utf-8")
        record.add(
            name, f"{text}--------\n{_told({'MSGBOOK_CONFIG': str(path), 'KEY': 'sk-key-of-x'})}"
        )
    return record


def variables(_world: World) -> Record:
    """Scenarios of environment variables."""
    record = Record()
    for name, environ in VARIABLES.items():
        record.add(name, f"{environ}\n--------\n{_told(environ)}")
    return record


def missing(world: World) -> Record:
    """The words for a file that is not there."""
    record = Record()
    record.add("missing", _told({"MSGBOOK_CONFIG": str(world.folder / "none.toml")}))
    return record


def _told(environ: dict[str, str]) -> str:
    try:
        found = load_settings(environ)
    except ConfigError as error:
        return f"ConfigError: {error}"
    servers = [f"{one.name} {one.base_url} {one.api}" for one in found.providers.values()]
    facts = [
        f"model={found.model} approval={found.approval} limits={dict(found.limits)}",
        *(f"provider {server}" for server in servers),
        *(f"agent {name}" for name in found.agents),
        *(f"MCP server {name}" for name in found.mcp_servers),
    ]
    return "\n".join([*facts, *found.warnings])


SCENARIOS = {
    name: partial(one)
    for name, one in {"files": files, "variables": variables, "missing": missing}.items()
}
