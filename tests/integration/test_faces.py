"""Packages are imported by their face, which imports a module only when a name of it is used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from faces import FACES


@pytest.mark.parametrize("face", FACES)
def test_a_face_imports_none_of_its_modules(face):
    code = f"import sys, {face}; print([m for m in sys.modules if m.startswith('{face}.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_the_core_imports_no_jupyter_and_no_network():
    code = (
        "import sys, msgbook.turn, msgbook.agents, msgbook.request.history, msgbook.request.context.files; "
        "names = {'IPython', 'httpx2', 'ipykernel', 'jupyter_client', 'jupyter_core', 'openai'}; "
        "print(names & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


def test_a_run_of_a_prompt_imports_no_extra(tmp_path):
    chat = tmp_path / "chat.msg.md"
    chat.write_text("# %% [^a]\n\nSay hello\n", "utf-8")
    code = (
        "import sys, msgbook.kernel.msg_kernel; from msgbook.__main__ import main; "
        f"code = main(['run', {str(chat)!r}]); "
        "extras = {name for name in sys.modules if '.extras.' in name}; "
        "print(code, extras - {'msgbook.extras.verbs'})"
    )
    env = {**os.environ, "MSGBOOK_MODEL": "demo", "JUPYTER_CONFIG_DIR": str(tmp_path)}
    env.pop("OPENAI_BASE_URL", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "0 set()"


def test_what_starts_a_kernel_imports_nothing_that_takes_long():
    code = (
        "import sys, msgbook.kernel.msg_kernel; "
        "names = {'genai_prices', 'markdown_it', 'mcp', 'msgbook.engine', 'openai', 'pydantic', 'yaml'}; "
        "print(names & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
