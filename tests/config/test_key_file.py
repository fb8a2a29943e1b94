"""A key in a file is read only where nobody but its owner can read or replace it."""

from __future__ import annotations

import os
import stat

import pytest

from msgbook.config import load_settings
from msgbook.config.key_places import FOLDER, delete_key_file, read_key_file, save_key_file
from msgbook.errors import ConfigError

KEY = "sk-0123456789-secret"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MSGBOOK_MODEL", "MSGBOOK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    return tmp_path / FOLDER


def test_a_key_comes_back_from_a_file_of_its_own(folder):
    assert read_key_file("main") is None
    save_key_file("main", "old")
    save_key_file("main", KEY)
    save_key_file("other", "another")

    assert (read_key_file("main"), read_key_file("other")) == (KEY, "another")
    assert stat.S_IMODE((folder / "main").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    delete_key_file("main")
    assert read_key_file("main") is None


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_the_mode_does_not_depend_on_what_the_process_usually_gives(folder, mask):
    before = os.umask(mask)
    try:
        save_key_file("main", KEY)
    finally:
        os.umask(before)

    assert stat.S_IMODE((folder / "main").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o666, 0o644])
def test_a_file_or_folder_that_others_can_open_is_refused_with_the_remedy(folder, mode):
    save_key_file("main", KEY)
    (folder / "main").chmod(mode)

    with pytest.raises(ConfigError, match="chmod 600") as raised:
        read_key_file("main")
    assert KEY not in str(raised.value)
    with pytest.raises(ConfigError, match="chmod 600"):
        save_key_file("main", "new")

    (folder / "main").chmod(0o600)
    folder.chmod(mode | 0o100)
    with pytest.raises(ConfigError, match="chmod 700"):
        read_key_file("main")
    folder.chmod(0o700)
    assert read_key_file("main") == KEY


def test_links_and_other_things_are_refused(folder, tmp_path):
    save_key_file("main", KEY)
    elsewhere = tmp_path / "elsewhere"
    (folder / "main").rename(elsewhere)
    (folder / "main").symlink_to(elsewhere)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    (folder / "folder").mkdir(mode=0o700)

    for entry in ("main", "gone", "folder"):
        with pytest.raises(ConfigError, match="expected a regular file"):
            read_key_file(entry)
        with pytest.raises(ConfigError, match="expected a regular file"):
            save_key_file(entry, "new")
    assert elsewhere.read_text().strip() == KEY
    assert not (tmp_path / "nowhere").exists()

    folder.rename(tmp_path / "real")
    folder.symlink_to(tmp_path / "real")
    with pytest.raises(ConfigError, match="expected a folder"):
        read_key_file("other")


@pytest.mark.parametrize(
    "entry", ["", ".", "..", "../main", "a/b", "/etc/passwd", "a\0b", "x" * 200]
)
def test_an_entry_is_a_name_and_no_path(folder, entry):
    with pytest.raises(ConfigError, match="not the name of a key file"):
        read_key_file(entry)


def test_bytes_that_are_no_text_are_not_quoted(folder):
    save_key_file("main", KEY)
    (folder / "main").write_bytes(b"sk-secret\xff")

    with pytest.raises(ConfigError, match="UTF-8") as raised:
        read_key_file("main")
    assert "sk-secret" not in str(raised.value)


def test_the_settings_read_it_and_keep_it_secret_and_warn_without_it(folder):
    (folder.parent / "msgbook.toml").write_text(
        '[providers.main]\nbase_url = "http://h/v1"\napi_key_file = "main"\n'
    )
    (warning,) = load_settings().warnings
    assert "provider main has no key" in warning

    save_key_file("main", KEY)

    settings = load_settings()
    assert (settings.provider.api_key, settings.warnings) == (KEY, ())
    assert KEY in settings.secrets
