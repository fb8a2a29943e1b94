"""The files of lasting decisions: always readable, and no decision of another kernel is lost or undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from trust_changes import FOLDER, change_trust

from msgbook.approval import Rules
from msgbook.approval.store import Store


def arguments(name: str) -> str:
    return json.dumps({"path": name})


def change_answers(store: Store, name: str) -> Callable[[], Any]:
    rules = Rules(kept=store)
    rules.add("mkdir", arguments(name), FOLDER)
    return lambda: forget(rules, name)


def change_own_rules(store: Store, name: str) -> Callable[[], Any]:
    rules = Rules(kept=store)
    rules.add_own({"tool": "mkdir", "arguments": {"path": name}})
    return lambda: forget(rules, name)


def forget(rules: Rules, name: str) -> None:
    [item] = (item for item in rules.remembered(FOLDER) if name in str(item))
    rules.forget([item])


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
