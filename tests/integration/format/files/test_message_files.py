"""Files on disk: which are ours, and that a write is done or not begun."""

from __future__ import annotations

import subprocess
import sys

TEXT = "# %% [^a]\n\n[^a]: [markdown]\n\nHello\n"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(TEXT)
    program = (
        "import resource, signal, sys\n"
        "from msgbook_format import reads, write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "nb = reads('# %%\\n\\n' + 'x' * 5000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write(nb, sys.argv[1])\n"
        "except OSError:\n    sys.exit(7)\n"
    )

    done = subprocess.run([sys.executable, "-B", "-c", program, path], check=False)

    assert done.returncode == 7
    assert path.read_text() == TEXT
    assert [entry.name for entry in tmp_path.iterdir()] == ["chat.msg.md"]
