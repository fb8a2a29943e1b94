"""Where the browser is, and how it is started."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Playwright

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium(playwright: Playwright) -> str | None:
    """Playwright's own Chromium, or else the system's; scripts/find-chromium.sh installs one."""
    own = playwright.chromium.executable_path
    if Path(own).exists():
        return own
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)
