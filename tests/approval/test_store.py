"""The files of lasting decisions can be read at any time."""

from __future__ import annotations

import json

import pytest

from msgbook.approval import StoreError
from msgbook.approval.store import LIMIT, Store


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
