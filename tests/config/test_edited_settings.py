"""A change of an existing `msgbook.toml`: comments and all other keys stay."""

from __future__ import annotations

import tomllib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.config.written_settings import (
    Answers,
    SettingsWriteError,
    edit_settings,
    format_toml,
    free_name,
)

NEW = Answers("http://new/v1", "NEW_KEY", "big")

OLD = """\
# Mine, all of it.

model = "small"  # the cheap one

# The server in the cellar.
[providers.local]
base_url = "http://old/v1"  # no key
headers = { X-Team = "red" }

[limits]
max_steps = 50
"""


def test_a_new_file_has_the_model_and_the_provider():
    assert edit_settings("", NEW, "main") == format_toml(NEW, "main")


def test_a_new_provider_comes_first_and_each_line_of_the_old_file_stays():
    changed = edit_settings(OLD, NEW, "fresh")

    assert list(tomllib.loads(changed)["providers"]) == ["fresh", "local"]
    assert 'model = "big"  # the cheap one\n' in changed
    added = '[providers.fresh]\nbase_url = "http://new/v1"\napi_key_env = "NEW_KEY"\n\n'
    assert changed.replace(added, "").replace('"big"', '"small"') == OLD


def test_only_the_model_changes_if_the_first_provider_is_the_same():
    once = edit_settings(OLD, NEW, "fresh")

    twice = edit_settings(once, Answers("http://new/v1", "NEW_KEY", "bigger"), "fresh-2")

    assert twice == once.replace('"big"', '"bigger"')


@pytest.mark.parametrize(
    "old",
    [
        'providers = { local = { base_url = "http://old/v1" } }\n',
        'providers.local.base_url = "http://old/v1"\n[limits]\n',
        'model = """small"""\n',
        '"model" = "small"\n',
        'x = """\n[providers]\n"""\n',
        "model = [\n",
    ],
)
def test_an_unusual_file_is_changed_correctly_or_not_at_all(old):
    with suppress(SettingsWriteError):
        assert tomllib.loads(edit_settings(old, NEW, "fresh"))["model"] == "big"


def test_a_refusal_shows_the_lines_to_write_by_hand():
    with pytest.raises(
        SettingsWriteError, match=r"cannot be changed safely(.|\n)*\[providers.fresh\]"
    ):
        edit_settings('"model" = "small"\n', NEW, "fresh")


def test_line_ends_stay_as_they_are():
    changed = edit_settings(OLD.replace("\n", "\r\n"), NEW, "fresh")

    assert "\n" not in changed.replace("\r\n", "")


def test_a_name_that_is_taken_gets_a_number():
    assert free_name(OLD, "local") == "local-2"
    assert free_name(OLD, "ollama") == "ollama"


values = st.one_of(st.integers(), st.booleans(), st.text("ab#[]=\"' ", max_size=8).map(repr))
comments = st.sampled_from(["", "# a comment", "# [providers.fake]", '# model = "no"', "  "])
lines = st.one_of(
    comments,
    st.sampled_from(
        [
            'model = "m"',
            "model='m' # why",
            "[limits]",
            "[providers.a]",
            '[providers."b c"]',
            "[[x]]",
            'base_url = "http://a/v1"',
            "text = '''",
            "'''",
            "list = [",
            "]",
            "[agents.x]",
        ]
    ),
)


@given(st.lists(lines, max_size=14))
def test_whatever_the_file_holds_nothing_else_changes_or_it_is_refused(old):
    text = "\n".join(old)
    try:
        before = tomllib.loads(text)
        changed = edit_settings(text, NEW, "fresh")
    except (tomllib.TOMLDecodeError, SettingsWriteError):
        return
    after = tomllib.loads(changed)

    assert after.pop("model") == "big"
    assert next(iter(after["providers"].items())) == ("fresh", NEW.table)
    del after["providers"]["fresh"]
    before.pop("model", None)
    assert after == {"providers": {}, **before}
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        line for line in changed.split("\n") if line.startswith("#")
    ]
