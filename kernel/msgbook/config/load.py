"""The settings in force: the environment goes before the file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgbook.config.file import config_path, read_file
from msgbook.config.mcp_tables import read_mcp_servers
from msgbook.config.overridden import describe_overridden
from msgbook.config.providers import OTHER_KEYS, read_providers
from msgbook.config.settings import Settings
from msgbook.errors import ConfigError
from msgbook.text import one_line, visible


def load_settings(
    environ: Mapping[str, str] | None = None, *, project_model: str | None = None
) -> Settings:
    """Read the settings.

    Args:
        environ: The environment; by default the process's own.
        project_model: The model of a trusted project; it goes before the file's.

    Raises:
        ConfigError: The file cannot be read or is not valid TOML, or the default provider's key, URL
            or headers cannot be used.
    """
    env = os.environ if environ is None else environ
    file = read_file(config_path(env))
    approval = env.get("MSGBOOK_APPROVAL", "ask").strip().lower()
    if approval not in ("ask", "deny", "allow"):
        file.warnings.append(
            f"MSGBOOK_APPROVAL is {approval!r}: expected ask, deny or allow. It counts as deny."
        )
        approval = "deny"
    found = read_providers(env, file)
    mcp_servers = read_mcp_servers(env, file)
    models = (
        (_environment_model(env), "MSGBOOK_MODEL"),
        (project_model, "model of .msgbook/config.toml"),
        (file.model, f"model of {file.name}"),
    )
    model, origin = next(((name, origin) for name, origin in models if name), (None, ""))
    of_file = file.model if origin == models[-1][1] else None
    overridden = describe_overridden(env, file, found.providers, of_file)
    if overridden and of_file:
        file.warnings.append(str(overridden))
    return Settings(
        providers=found.providers,
        model=model,
        model_origin=origin,
        agents=file.agents(),
        mcp_servers=mcp_servers,
        plugins_off=tuple(file.plugins_off()),
        approval=approval,  # type: ignore[arg-type]  # checked above
        rules=tuple(file.rules()),
        limits=file.limits(),
        warnings=tuple(file.warnings),
        file=file.name,
        overridden=overridden,
        other_keys=tuple(env[name].strip() for name in OTHER_KEYS if env.get(name)),
        set_aside=tuple(found.set_aside),
    )


def _environment_model(env: Mapping[str, str]) -> str:
    """Return the model that the environment names; empty if it names none."""
    name = env.get("MSGBOOK_MODEL", "").strip()
    if not name.isprintable():
        raise ConfigError(
            f"MSGBOOK_MODEL ({visible(one_line(name, 60))!r}) contains a line break or another character that no "
            "name of a model has. Correct or unset it."
        )
    return name
