"""The settings: the environment and `msgbook.toml`, which nothing else reads.

- `load`: reads all settings, once at kernel start, with the MCP servers of the file.
- `settings`, `mcp_server`: the classes of the settings, and the one table of the limits of a turn.
- `file`, `lines`: `msgbook.toml` and the lines that warnings name. `written_settings` writes it.
- `providers`: the servers of the environment and the file.
- `known_models`: windows and prices of models. `prices`: the cost of what was used.
- `key_places`, `key_file`, `key_store`: where a key can be saved beside environment variables.
  `key_names` finds keys in `msgbook.toml` where none is read.
- `urls`: what is wrong with a URL, how it is shown, and which base URL a person meant.
- `redaction`: removes secrets from the environment and from texts, however they are spelled there.

docs/configuration.md explains each setting to users.
"""

from msgbook.config.file import config_path
from msgbook.config.load import load_settings
from msgbook.config.mcp_server import McpServerSettings
from msgbook.config.providers import (
    ORGANIZATION_HEADERS,
    at_base_url,
    check_url,
    default_api,
    other_api,
    own_server,
    parse_header_lines,
    server_url,
)
from msgbook.config.redaction import (
    REDACTED,
    find_secrets,
    hide_keys,
    may_contain,
    redact,
    redact_json,
)
from msgbook.config.settings import (
    DEMO_MODEL,
    LIMIT_KEYS,
    ApprovalPolicy,
    Limits,
    ProviderSettings,
    Settings,
)
from msgbook.config.urls import find_url_problem, show_url, split_query

__all__ = [
    "DEMO_MODEL",
    "LIMIT_KEYS",
    "ORGANIZATION_HEADERS",
    "REDACTED",
    "ApprovalPolicy",
    "Limits",
    "McpServerSettings",
    "ProviderSettings",
    "Settings",
    "at_base_url",
    "check_url",
    "config_path",
    "default_api",
    "find_secrets",
    "find_url_problem",
    "hide_keys",
    "load_settings",
    "may_contain",
    "other_api",
    "own_server",
    "parse_header_lines",
    "redact",
    "redact_json",
    "server_url",
    "show_url",
    "split_query",
]
