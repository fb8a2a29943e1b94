"""The setting by which a kernel asks its server over one of the APIs."""

from __future__ import annotations

from pathlib import Path


def asked_over(api: str, folder: str) -> dict[str, str]:
    """Environment variables of the kernel; the file they name is written into a folder."""
    path = Path(folder, f"{api}.toml")
    path.write_text(f'[providers.openai]\napi = "{api}"\n')
    return {"MSGBOOK_CONFIG": str(path)}
