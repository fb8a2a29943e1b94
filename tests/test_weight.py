"""`scripts/weight.py` counts as it says, in a house of a few files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "weight.py"

FILES = {
    "kernel/msgbook/__init__.py": "",
    "kernel/msgbook/a/__init__.py": """\
from typing import TYPE_CHECKING
from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.a.one import One
else:
    __getattr__ = lazy_names(__name__, {"one": "One"})
""",
    "kernel/msgbook/a/one.py": '''\
"""Of one."""

import os

__all__ = ["One"]


class One:
    """Has a docstring.

    Of three lines.
    """

    kind = "tool_call"  # and a comment
    text = """two
lines"""

    def of(self, x: object) -> bool:
        return isinstance(x, str)
''',
    "kernel/msgbook/a/two.py": "from msgbook.a import One\n\nprint(One)\n",
    "kernel/msgbook/b.py": "from msgbook.a import two\n",
    "jupytext_format/msgbook_format/__init__.py": "",
    "labextension/src/a.ts": "import { b } from './b';\n\n/* A comment\n   of two lines. */\nb('// no comment');\n",
    "labextension/src/b.ts": "export const b = (x: string) => x; // kind\n",
    "labextension/src/__tests__/b.spec.ts": "const more = 1;\n",
    "labextension/src/extras/c.ts": "export const c = 'reasoning';\n",
}


@pytest.fixture
def weight(tmp_path: Path) -> dict:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = [sys.executable, SCRIPT, "--json", "--no-run", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    found: dict = json.loads(done.stdout)
    return found


def test_code_is_what_is_left_without_docstrings_comments_imports_and_names(weight):
    assert weight["biggest"] | {} == {
        "kernel/msgbook/a/one.py": 6,
        "kernel/msgbook/a/two.py": 1,
        "labextension/src/a.ts": 1,
        "labextension/src/b.ts": 1,
        "labextension/src/extras/c.ts": 1,
        "kernel/msgbook/b.py": 0,
    }
    assert weight["modules"] == {"python": 6, "typescript": 3}
    assert weight["code"]["core"] == weight["code"]["python"] + weight["code"]["typescript"] - 1


def test_a_face_is_no_client_but_leads_to_the_module_that_it_names(weight):
    assert weight["one client, a neighbour"] == {"python": 1, "typescript": 1}


def test_tests_of_types_and_kinds_of_blocks_are_counted(weight):
    assert weight["isinstance"] == 1
    assert weight["modules that name a kind of block"] == 2
