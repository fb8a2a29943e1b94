"""What tests of `tests/cli/test_run_models.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import pytest
from scripted_server import text

CHAT = """\
# %% [^a]

first @[data.txt]

# %%% [^a-1]

[^a-1]: [assistant]

an old answer

# %% [^b]

second
"""
MODELS = ["big-1", "org/small:2"]


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(CHAT, "utf-8")
    (tmp_path / "data.txt").write_text("numbers", "utf-8")
    return path


def by_model(request):
    return text(f"{request['model']} says")
