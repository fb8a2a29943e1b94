"""The settings: the environment and `msgbook.toml`, which nothing else reads.

- `load`: reads all settings, once at kernel start, with the MCP servers of the file.
- `settings`, `mcp_server`: the classes of the settings, and the one table of the limits of a turn.
- `environment`: where the file is, and which variables hold keys, as far as that is known without the settings.
- `file`, `lines`: `msgbook.toml` and the lines that warnings name. `written_settings` writes it.
- `providers`: the servers of the environment and the file. `vendors`: what is known of servers by their host.
- `known_models`: windows and prices of models. `prices`: the cost of what was used. `searching_models`: those that
  search by themselves.
- `key_places`, `key_file`, `key_store`: where a key can be saved beside environment variables.
  `key_names` finds keys in `msgbook.toml` where none is read.
- `urls`: what is wrong with a URL, how it is shown, and which base URL a person meant.
- `redaction`: removes secrets from the environment and from texts, however they are spelled there.

docs/configuration.md explains each setting to users.

Names are imported when they are first used: a kernel of Python starts with `environment` alone.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.config.environment import config_path
    from msgbook.config.load import load_settings
    from msgbook.config.mcp_server import McpServerSettings
    from msgbook.config.providers import (
        ORGANIZATION_HEADERS,
        at_base_url,
        check_url,
        other_api,
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
    from msgbook.config.vendors import vendor_of
else:
    __getattr__ = lazy_names(__name__)
