"""The files of lasting decisions: always readable, and no decision of another kernel is lost or undone."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from trust_changes import change_trust

from msgbook.approval import Rules, StoreError
from msgbook.approval.store import LIMIT, Store


def test_uses_at_the_same_time_are_all_counted(tmp_path):
    file = tmp_path / "uses.json"

    with ThreadPoolExecutor(4) as kernels:
        list(kernels.map(lambda _: Rules(counts=Store(file)).note("a rule"), range(24)))

    assert json.loads(file.read_text())["uses"]["a rule"][0] == 24


def test_what_is_written_can_be_read(tmp_path):
    store = Store(tmp_path / "rules.json")
    empty = len(json.dumps({"a": ""}, indent=1)) + 1

    store.write({"a": "x" * (LIMIT - empty)})

    assert len(store.read()["a"]) == LIMIT - empty
    for text in ("x" * (LIMIT - empty + 1), "я" * (LIMIT // 5)):
        with pytest.raises(StoreError, match="would be longer than 10 MB"):
            store.write({"a": text})
        assert len(store.read()["a"]) == LIMIT - empty


def test_a_file_that_is_too_long_is_said_to_be_so(tmp_path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"a": "x" * LIMIT}))

    with pytest.raises(StoreError, match="is longer than 10 MB"):
        Store(file).read()


def test_only_the_user_can_hold_the_lock_of_a_file(tmp_path):
    change_trust(Store(tmp_path / "trust.json"), "a")

    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
