"""What a killed kernel had received is found by the next kernel of the notebook, and by no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from msgbook.kernel.page import kept_turns
from msgbook.kernel.page.kept_turns import KeptTurns
from msgbook_format.turn import Turn

pytestmark = pytest.mark.skipif(kept_turns.flock is None, reason="the system locks no files")


def turn(status: str, *blocks: dict[str, Any]) -> Turn:
    return cast("Turn", {"version": 1, "status": status, "blocks": list(blocks)})


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "step": 1, "text": text}


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    file = tmp_path / "chat.msg.md"
    file.touch()
    return file


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "data" / "msgbook"


@pytest.fixture
def killed(base: Path) -> Callable[..., None]:
    """Lets a process keep turns, which it is killed for."""

    def run(notebook: Path, *turns: tuple[str, Turn]) -> None:
        program = (
            "import sys; from pathlib import Path; from msgbook.kernel.page.kept_turns import KeptTurns\n"
            f"kept = KeptTurns(Path({str(notebook)!r}), Path({str(base)!r}))\n"
            f"for cell, turn in {list(turns)!r}: kept.put(cell, turn)\n"
            "kept.finish(); print('kept', flush=True); sys.stdin.read()"
        )
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", program], **pipes) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"kept\n"
            assert KeptTurns(notebook, base).take_over() == {}, "it is not dead yet"
            process.send_signal(signal.SIGKILL)

    return run


def test_what_a_killed_kernel_had_is_the_next_ones(notebook, base, killed):
    done = turn("done", said("All of it."))
    killed(notebook, ("a", turn("running", said("Half \ud83d of it"))), ("b\n/../", done))

    kept = KeptTurns(notebook, base)
    found = kept.take_over()

    assert found == {"a": turn("interrupted", said("Half \ud83d of it")), "b\n/../": done}
    kept.finish()
    assert len(list((base / "turns").iterdir())) == 1


def test_it_is_kept_until_a_page_has_saved_it_through_any_number_of_kernels(notebook, base, killed):
    killed(notebook, ("a", turn("running", said("Half"))))
    for _ in range(3):
        kept = KeptTurns(notebook, base)
        assert kept.take_over() == {"a": turn("interrupted", said("Half"))}
        kept.finish()
        os.close(cast("int", kept._lock))

    last = KeptTurns(notebook, base)
    last.take_over()
    last.drop("a")
    last.finish()
    os.close(cast("int", last._lock))
    assert KeptTurns(notebook, base).take_over() == {}


def test_a_turn_that_was_saved_or_run_again_does_not_come_back(notebook, base, killed):
    killed(notebook, ("a", turn("done", said("Old"))), ("a", turn("running", said("New"))))

    assert KeptTurns(notebook, base).take_over() == {"a": turn("interrupted", said("New"))}


def test_nothing_waits_in_a_turn_that_has_ended(notebook, base, killed):
    call = {"type": "tool_call", "step": 1, "id": "c", "approval": "pending"}
    result = {"type": "tool_result", "step": 1, "id": "d", "content": "so far"}
    killed(notebook, ("a", turn("running", call, result)))

    blocks = KeptTurns(notebook, base).take_over()["a"]["blocks"]

    assert [blocks[0]["approval"], blocks[1]["status"]] == ["denied", "interrupted"]


def test_other_notebooks_get_nothing_and_take_nothing_away(notebook, base, killed, tmp_path):
    killed(notebook, ("a", turn("running")))

    assert KeptTurns(tmp_path / "other.msg.md", base).take_over() == {}
    assert KeptTurns(None, base).take_over() == {}
    assert "a" in KeptTurns(notebook, base).take_over()


def test_a_notebook_that_was_renamed_has_its_turns(notebook, base, tmp_path):
    kept = KeptTurns(notebook, base)
    kept.put("a", turn("running", said("Before")))
    renamed = notebook.rename(tmp_path / "Trains to Graz.msg.md")
    kept.renamed(renamed)
    kept.put("b", turn("running", said("After")))
    kept.finish()
    os.close(cast("int", kept._lock))

    assert set(KeptTurns(renamed, base).take_over()) == {"a", "b"}


def test_a_name_that_is_another_notebooks_changes_nothing(notebook, base, tmp_path):
    other = tmp_path / "other.msg.md"
    other.touch()
    kept = KeptTurns(notebook, base)
    kept.renamed(other)
    kept.put("a", turn("running"))
    kept.finish()
    os.close(cast("int", kept._lock))

    assert KeptTurns(other, base).take_over() == {}
    assert "a" in KeptTurns(notebook, base).take_over()


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"null", b'{"cell_id": 5}', b"[" * 100_000])
def test_a_damaged_file_hides_no_other(notebook, base, killed, content):
    killed(notebook, ("a", turn("done")), ("b", turn("done")))
    files = sorted(base.glob("turns/*/*.json"))
    files[0].write_bytes(content)

    assert len(KeptTurns(notebook, base).take_over()) == 1


def test_only_the_user_can_read_what_is_kept(notebook, base):
    kept = KeptTurns(notebook, base)
    kept.put("a", turn("done"))
    kept.finish()

    paths = [base, *base.rglob("*")]
    assert len(paths) == 5
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


def test_a_folder_that_cannot_be_written_stops_nothing(notebook, tmp_path, caplog):
    (tmp_path / "data").write_text("no folder")
    kept = KeptTurns(notebook, tmp_path / "data" / "msgbook")

    kept.put("a", turn("done"))
    kept.put("b", turn("done"))
    kept.drop("a")
    kept.finish()

    assert kept.take_over() == {}
    assert len(caplog.records) == 1


def test_what_nobody_has_opened_for_a_month_is_removed(notebook, base, killed, tmp_path):
    killed(notebook, ("a", turn("done")))
    (folder,) = (base / "turns").iterdir()
    month = 31 * 86_400
    os.utime(folder, (folder.stat().st_atime - month, folder.stat().st_mtime - month))

    kept = KeptTurns(tmp_path / "other.msg.md", base)
    assert kept.take_over() == {}
    kept.finish()

    assert not folder.exists()
