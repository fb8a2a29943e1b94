"""What tests of `tests/cli/test_run.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import pytest

from msgbook_format import read
from msgbook_format.turn import turn_of

CHAT = """\
# %% [^rule]

[^rule]: [markdown] cell=markdown role=system

Be brief.

# %% One[^one]

first

# %%% [^one-1]

[^one-1]: [assistant]

1

# %% [^code]

[^code]: [code]

```python
x = 1
```

# %% [^two]

second

# %% [^three]

third
"""


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(CHAT, "utf-8")
    return path


def turns(path):
    """The turn of each cell by its id; None for cells without one."""
    return {
        cell["id"]: turn_of(cell["outputs"][0]) if cell.get("outputs") else None
        for cell in read(path)["cells"]
    }


def words(turn):
    return "".join(block["text"] for block in turn["blocks"] if block["type"] == "text")
