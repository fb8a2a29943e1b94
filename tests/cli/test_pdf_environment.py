"""`msgbook export --to pdf` asks no server: it needs no settings, and its browser gets no key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.__main__ import main
from msgbook_format.exporters.pdf import browser_environment

if TYPE_CHECKING:
    from pathlib import Path

NEEDED = {"PATH": "/bin", "HOME": "/h", "LANG": "C", "LC_ALL": "C", "SystemRoot": "C:\\Windows"}


@given(
    st.dictionaries(
        st.from_regex(r"[A-Z]{2,9}_(API_)?(KEY|TOKEN|URL|PASSWORD|HEADERS)", fullmatch=True).filter(
            lambda name: not name.startswith(("LC_", "XDG_"))
        ),
        st.text(),
    )
)
def test_the_browser_gets_what_it_needs_and_no_key(keys: dict[str, str]) -> None:
    assert browser_environment({**keys, **NEEDED}) == NEEDED


@pytest.mark.parametrize(
    ("name", "value"),
    [("OPENAI_BASE_URL", "oops"), ("OPENAI_API_KEY", "a\nb"), ("MSGBOOK_CONFIG", "missing.toml")],
)
def test_settings_that_cannot_be_used_stop_no_export(
    name: str,
    value: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, value)
    target = tmp_path / "taken.pdf"
    target.touch()
    chat = tmp_path / "chat.msg.md"
    chat.write_text("# %% [user]\n\nHi\n")

    assert main(["export", str(chat), "--to", "pdf", "--output", str(target)]) == 2
    said = capsys.readouterr().err
    assert "--force" in said  # the first thing that is wrong is the file
    assert name not in said
