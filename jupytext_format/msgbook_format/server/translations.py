"""Translations of the titles and descriptions of the page's settings.

JupyterLab's server translates schemas, but looks for their texts in language packs alone. The page
gets the other texts by the entry point `jupyterlab.locale`.
"""

from __future__ import annotations

import json
from pathlib import Path

from jupyterlab_server.translation_utils import TranslationBundle, translator

import msgbook_format

DOMAIN = "msgbook"


class Catalogue(TranslationBundle):
    """The texts of one language, in the form that the page reads."""

    def update_locale(self, locale_: str) -> None:
        """Take the texts of another language; none if it has no catalogue."""
        self._locale = locale_
        self._texts = _read(locale_)

    def pgettext(self, msgctxt: str, msgid: str) -> str:
        """Return the translation of a text, or the text."""
        return self._texts.get(f"{msgctxt}\x04{msgid}", [msgid])[0]


def translate_settings() -> None:
    """Let JupyterLab's server translate the settings; without its help they stay English."""
    # There is no public way to add a bundle, and a later version may have another one.
    bundles = getattr(translator, "_TRANSLATORS", None)
    locale = getattr(translator, "_LOCALE", None)
    if isinstance(bundles, dict) and isinstance(locale, str):
        bundles[DOMAIN] = Catalogue(DOMAIN, locale)


def _read(locale: str) -> dict[str, list[str]]:
    folder = Path(msgbook_format.__file__).parent / "locale"
    languages = {path.name: path for path in folder.iterdir()}
    if locale not in languages:
        return {}
    file = languages[locale] / "LC_MESSAGES" / f"{DOMAIN}.json"
    texts: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    return texts
