"""Frontmatter that ends, stalls or confuses a YAML parser: it is text like any other."""

from __future__ import annotations

import json

import pytest

DEPTH = 40_000
DEEP = {
    "sequences in lines": "- " * DEPTH,
    "sequences with tabs": "-\t" * DEPTH,
    "complex keys": "? " * DEPTH,
    "complex keys in sequences": "- ? " * DEPTH,
    "flow sequences": "[" * DEPTH,
    "flow mappings": "{a: " * DEPTH,
    "brackets closed in single quotes": "[']', " * DEPTH,
    "brackets closed in comments": "[ # ]\n " * DEPTH,
    "brackets opened in what looks quoted": '[a", ' + "[" * DEPTH + '"]',
    "lines indented more and more": "".join(f"{' ' * n}a:\n" for n in range(1000)),
}
KEYS = ("jupyter", "message_section", "agents", "title")

PROGRAM = """
import json, sys
from msgbook_format import reads, writes
from msgbook_format.agents.definitions import list_agents
from msgbook_format.extras.checks import check
from msgbook_format.agents.definitions import with_default_agent
from msgbook_format.syntax import FrontmatterError

for name, text in json.load(sys.stdin).items():
    notebook = reads(text)
    assert writes(notebook) == text
    list_agents(notebook)
    check(text)
    try:
        with_default_agent(text, "b")
    except FrontmatterError:
        pass
    print(name, flush=True)
"""


@pytest.mark.parametrize("key", KEYS)
def test_no_depth_of_yaml_ends_the_process(fork_server, tmp_path, key):
    # The parser in C recurses without a bound: what fails here has no traceback.
    texts = {name: f"---\n{key}:\n {value}\n---\n# %% a\n" for name, value in DEEP.items()}

    done = fork_server.run(PROGRAM, cwd=tmp_path, stdin=json.dumps(texts))

    assert (done.returncode, done.stdout.splitlines()) == (0, list(texts)), done.stderr
