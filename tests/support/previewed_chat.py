"""What tests of `tests/cli/test_preview.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import pytest
from command import with_settings
from PIL import Image

from msgbook.cli.run import run_file

CHAT = """\
---
agents:
  writer: {models: gpt-5, temperature: 0.5, tools: [read], skills: [pdf], max_output_tokens: 99}
---
# %% [^rule]

[^rule]: [markdown] cell=markdown role=system

Be brief.

# %% One[^one]

#define NAME data
See @[{{NAME}}.csv] and @[notes.md].

# %%% [^one-1]

[^one-1]: [writer]

1

# %% [^two]

Again @[data.csv] with @[cell:one]: ![a picture](plot.png) 文

# %% [^three]

third
"""


@pytest.fixture
def chat(tmp_path):
    (tmp_path / "data.csv").write_text("x,y\n1,2\n")
    (tmp_path / "notes.md").write_text("Uses {{NAME}}: @[more.txt]")
    (tmp_path / "more.txt").write_text("more")
    Image.new("RGB", (3, 2)).save(tmp_path / "plot.png")
    rules = tmp_path / ".msgbook" / "rules"
    rules.mkdir(parents=True)
    (rules / "style.md").write_text("Mind {{NAME}}. @[more.txt]")
    skill = tmp_path / ".agents" / "skills" / "pdf"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: pdf\ndescription: Reads PDF.\n---\n")
    path = tmp_path / "chat.msg.md"
    path.write_text(CHAT, "utf-8")
    return path


WITHOUT_A_RECORD = (
    "Some messages above were never sent; their references were read now and will be sent with them: "
    "cell 2 (One): data.csv, notes.md, more.txt.\n"
)


def answer(server, path, *answers):
    """Run the prompts of a file that have no answer."""
    server.answers = list(answers)
    assert with_settings(server, run_file, path) == 0
