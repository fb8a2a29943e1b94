"""The settings: the environment and `msgbook.toml`, which nothing else reads.

- `load`: reads all settings, once at kernel start; `settings` has their classes.
- `file`, `lines`: `msgbook.toml` and the lines that warnings name.
- `providers`: the servers of the environment and the file; `overridden`: where the environment goes first.
- `server_url`: base URLs with a query, and URLs of whole endpoints.
- `urls`: what is wrong with a URL, and how it is shown.
- `mcp_server`, `mcp_tables`: the MCP servers of the file.
- `limits`: the one table of the limits of a turn.
- `redaction`: removes secrets from the environment and from texts; `spellings` finds them there.

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
    "parse_header_lines",
    "redact",
    "redact_json",
    "server_url",
    "show_url",
    "split_query",
]
