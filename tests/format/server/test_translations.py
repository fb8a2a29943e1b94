"""The catalogue reaches JupyterLab: its page, and its server for the settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyterlab_server import translation_utils
from jupyterlab_server.translation_utils import translator

from msgbook_format.server.extension import DOMAIN, translate_settings

SCHEMA = Path(__file__).parents[3] / "labextension" / "schema" / "settings.json"


@pytest.fixture
def locale() -> Iterator[None]:
    before = translator._LOCALE, dict(translator._TRANSLATORS)
    yield
    translator._LOCALE, translator._TRANSLATORS = before


def test_the_page_gets_the_catalogue_by_jupyterlabs_entry_point():
    catalogues, message = translation_utils.get_installed_packages_locale("zh_CN")

    assert message == ""
    assert catalogues["msgbook"]["Approve"] == ["批准"]
    assert catalogues["msgbook"][""]["language"] == "zh-CN"


def test_the_server_translates_the_settings_into_a_language_chosen_later(locale):
    schema = json.loads(SCHEMA.read_text("utf-8"))
    translate_settings()

    translator.set_locale("zh_CN")
    chinese = translator.translate_schema(json.loads(SCHEMA.read_text("utf-8")))
    translator.set_locale("de_DE")
    german = translator.translate_schema(json.loads(SCHEMA.read_text("utf-8")))

    assert chinese["properties"]["wrapPrompts"]["title"] == "提示词自动换行"
    assert german == schema


@pytest.mark.parametrize("private", ["_TRANSLATORS", "_LOCALE"])
def test_where_the_server_has_no_such_bundles_the_settings_stay_english(
    monkeypatch, locale, private
):
    translator._TRANSLATORS.pop(DOMAIN, None)
    with monkeypatch.context() as patch:
        patch.delattr(translator, private)
        translate_settings()

    assert DOMAIN not in translator._TRANSLATORS
