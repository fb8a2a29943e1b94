"""The settings: environment and `msgbook.toml`. The only reader of either.

Values are read once, at kernel start. What a setting means for a user: docs/configuration.md.
"""

from msgbook.config.file import PROVIDER_KEYS, TOP_KEYS, config_path
from msgbook.config.limits import LIMIT_KEYS, Limits
from msgbook.config.load import load_settings
from msgbook.config.providers import check_url, header_lines
from msgbook.config.redaction import hide_key, may_hold, redact, redact_json
from msgbook.config.settings import DEMO_MODEL, ApprovalPolicy, ProviderSettings, Settings

__all__ = [
    "DEMO_MODEL",
    "LIMIT_KEYS",
    "PROVIDER_KEYS",
    "TOP_KEYS",
    "ApprovalPolicy",
    "Limits",
    "ProviderSettings",
    "Settings",
    "check_url",
    "config_path",
    "header_lines",
    "hide_key",
    "load_settings",
    "may_hold",
    "redact",
    "redact_json",
]
