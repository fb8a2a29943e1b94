"""The conformance suite: texts, the notebooks that they hold, and what a writer makes of these."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from msgbook_format import reads, writes

from .laws import assert_every_law, assert_has_no_bits, assert_same, plain

SUITE = Path(__file__).parent / "conformance"


@dataclass(frozen=True)
class Case:
    text: str
    notebook: dict[str, Any]
    canonical_file: str | None
    variants: list[dict[str, Any]]

    @property
    def canonical(self):
        return self.text if self.canonical_file is None else self.canonical_file


def load(name):
    return Case(
        text=read_text(name),
        notebook=load_json(SUITE / f"{name}.json"),
        canonical_file=read_text(f"{name}.canonical"),
        variants=[load_json(path) for path in SUITE.glob(f"{name}.variant.json")],
    )


def read_text(name):
    for suffix in (".msg.md", ".md"):
        path = SUITE / f"{name}{suffix}"
        if path.exists():
            return path.read_bytes().decode()
    return None


def load_json(path):
    return json.loads(path.read_bytes())


def names():
    files = [path.name for path in SUITE.glob("[0-9]*.json")]
    return sorted(n.removesuffix(".json") for n in files if not n.endswith(".variant.json"))


@pytest.mark.parametrize("name", names())
def test_a_case_is_read_and_written_as_the_suite_says_and_keeps_every_law(name):
    case = load(name)
    canonical = reads(case.canonical)

    assert_same(plain(reads(case.text)), case.notebook)
    for notebook in (case.notebook, *case.variants):
        assert writes(notebook) == case.canonical
    assert_same(plain(canonical), case.notebook)
    assert_has_no_bits(canonical)
    assert_every_law(case.text)
    if case.canonical_file is not None:
        assert case.canonical_file != case.text
        assert_every_law(case.canonical_file)


def test_every_file_of_the_suite_belongs_to_a_case():
    ends = [".json", ".variant.json", ".msg.md", ".canonical.msg.md", ".md", ".canonical.md"]
    known = {f"{name}{end}" for name in names() for end in ends}

    assert {path.name for path in SUITE.glob("[0-9]*")} <= known
    assert len({name[:3] for name in names()}) == len(names())
