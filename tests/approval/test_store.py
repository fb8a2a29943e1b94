"""The files of lasting decisions: always readable, and no decision of another kernel is lost or undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from msgbook.approval import RuleUses, SavedRules, StoreError, Trust
from msgbook.approval.store import LIMIT, Store
from msgbook.approval.trust import ProjectConfig

FOLDER = Path("/project")


def arguments(name: str) -> str:
    return json.dumps({"path": name})


def change_answers(store: Store, name: str) -> Callable[[], Any]:
    rules = SavedRules(store)
    rules.add("mkdir", arguments(name), FOLDER)
    return lambda: rules.remove([rules.find("mkdir", arguments(name), FOLDER) or {}])


def change_own_rules(store: Store, name: str) -> Callable[[], Any]:
    rules, table = SavedRules(store).own, {"tool": "mkdir", "arguments": {"path": name}}
    rules.add(table)
    return lambda: rules.remove([table])


def change_trust(store: Store, name: str) -> Callable[[], Any]:
    trust, project = Trust(store), FOLDER / name
    trust.add(ProjectConfig(project, "digest", {}))
    return lambda: trust.remove(project)


@pytest.mark.parametrize("add", [change_answers, change_own_rules, change_trust])
def test_what_kernels_decide_at_the_same_time_all_counts(add, tmp_path):
    file = tmp_path / "decisions.json"

    def decide(kernel: int) -> None:
        taken_back = [add(Store(file), f"{kernel}-{number}-gone") for number in range(6)]
        for number, take_back in enumerate(taken_back):
            add(Store(file), f"{kernel}-{number}-kept")
            take_back()

    with ThreadPoolExecutor(4) as kernels:
        list(kernels.map(decide, range(4)))

    text = file.read_text()
    assert (text.count("-kept"), text.count("-gone")) == (24, 0)


def test_rules_and_answers_that_are_made_at_the_same_time_are_all_kept(tmp_path):
    file = tmp_path / "rules.json"

    def decide(number: int) -> None:
        add = change_answers if number % 2 else change_own_rules
        add(Store(file), f"kept-{number}")

    with ThreadPoolExecutor(4) as kernels:
        list(kernels.map(decide, range(24)))

    assert file.read_text().count("kept-") == 24


def test_uses_at_the_same_time_are_all_counted(tmp_path):
    file = tmp_path / "uses.json"

    with ThreadPoolExecutor(4) as kernels:
        list(kernels.map(lambda _: RuleUses(Store(file)).note("a rule"), range(24)))

    assert RuleUses(Store(file)).of("a rule").count == 24


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
