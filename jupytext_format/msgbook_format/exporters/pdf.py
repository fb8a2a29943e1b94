"""A conversation as a PDF, which a Chromium without scripts and without a network prints."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from nbconvert.exporters.webpdf import WebPDFExporter
from nbconvert.utils.exceptions import ConversionException

from msgbook_format.exporters.html import MsgHTMLExporter, without_surrogates

if TYPE_CHECKING:
    from playwright.sync_api import Playwright


_FLAGS = ("--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FOOTER = (
    '<div style="font: 8px sans-serif; margin: 0 auto"><span class="pageNumber"></span> / '
    '<span class="totalPages"></span></div>'
)
_NO_PLAYWRIGHT = (
    "A PDF needs Playwright and a Chromium: pip install 'msgbook[pdf]', and then "
    "playwright install chromium, unless one is installed."
)
_NO_CHROMIUM = "A PDF needs a Chromium: run playwright install chromium, or install your system's."
_DETAILS = re.compile("<details>")
_VARIABLES = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|FONTCONFIG_\w+|(DY)?LD_LIBRARY_PATH"
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|(LOCAL)?APPDATA|PROGRAM(DATA|FILES|FILES\(X86\)|W6432)",
    re.IGNORECASE,
)
"""Those that a browser needs to start, and to find its fonts and folders. Windows ignores their case."""


class MissingProgramError(ConversionException):
    """What prints a PDF is not installed; the message says how to install it."""


class MsgPDFExporter(MsgHTMLExporter, WebPDFExporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to a PDF."""

    export_from_notebook = "Chat (PDF)"

    def run_playwright(self, html: str) -> bytes:
        """Print a page.

        Raises:
            MissingProgramError: There is no Playwright or no Chromium.
            ConversionException: It does not start.
        """
        if find_spec("playwright") is None:
            raise MissingProgramError(_NO_PLAYWRIGHT)
        # Nobody can open them on paper.
        page = _DETAILS.sub("<details open>", without_surrogates(html))
        # A Jupyter server has a running event loop in this thread, which Playwright refuses.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(self._print, page).result()

    def _print(self, html: str) -> bytes:
        with without_working_directory():
            from playwright.sync_api import Error, sync_playwright
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=_find_chromium(playwright),
                    args=self._arguments(),
                    env=browser_environment(os.environ),
                )
                context = browser.new_context(java_script_enabled=False, offline=True)
                page = context.new_page()
                page.set_content(html, wait_until="load")
                return page.pdf(
                    print_background=True,
                    outline=True,
                    tagged=True,
                    display_header_footer=True,
                    header_template="<span></span>",
                    footer_template=_FOOTER,
                    margin={"top": "15mm", "bottom": "18mm", "left": "14mm", "right": "14mm"},
                )
        except Error as error:
            raise ConversionException(f"Chromium could not print the page: {error}") from None

    def _arguments(self) -> list[str]:
        # Chromium refuses to start as root with its sandbox.
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        return [
            *_FLAGS,
            *self.browser_args,
            *(["--no-sandbox"] if self.disable_sandbox or root else []),
        ]


def browser_environment(environ: Mapping[str, str]) -> dict[str, str | float | bool]:
    """Return the variables that the browser gets: it shows what others wrote, and needs no key."""
    return {name: value for name, value in environ.items() if _VARIABLES.fullmatch(name)}


def _find_chromium(playwright: Playwright) -> str:
    own = playwright.chromium.executable_path
    found = own if Path(own).exists() else next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise MissingProgramError(_NO_CHROMIUM)
    return found


# Imports that ignore the working directory.
#
# nbconvert puts it in front of `sys.path`, so that people can keep exporters there. A module that came
# with the converted file would replace one of ours.


@contextmanager
def without_working_directory() -> Iterator[None]:
    """Take the working directory from the front of `sys.path` while the block runs.

    Further back it stays: somebody else put it there.
    """
    try:
        here = ("", os.getcwd())  # noqa: PTH109  # as nbconvert writes it
    except FileNotFoundError:
        here = ("", "")
    removed = []
    while sys.path and sys.path[0] in here:
        removed.append(sys.path.pop(0))
    try:
        yield
    finally:
        sys.path[:0] = removed
