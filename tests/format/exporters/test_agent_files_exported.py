"""A hostile `.mtm` file is exported like any conversation: harmless."""

from __future__ import annotations

import json

from nbconvert.exporters import get_exporter


def test_an_mtm_file_is_exported_as_a_harmless_conversation(tmp_path):
    hostile = "<script>alert(1)</script> [x](javascript:alert(2)) ![y](https://evil.example/y.png)"
    messages = [
        {"role": "user", "content": f"!ls {hostile}"},
        {"role": "assistant", "content": f"An answer. {hostile}"},
    ]
    path = tmp_path / "chat.mtm"
    path.write_text(json.dumps({"metadata": {}, "context": messages}))

    page, _ = get_exporter("msghtml")().from_filename(str(path))

    assert "An answer." in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert 'src="https://evil' not in page
