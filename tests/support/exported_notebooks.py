"""Notebooks to export: one as people have it, one as an attacker would send it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict, v4

from msgbook_format.turn import bundle

KERNELSPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ALERT = "<script>alert(1)</script><img src=http://e.example/p.png onerror=alert(1)>"
_FIXTURES = Path(__file__).parents[1] / "format" / "turn" / "fixtures"


def turn(*blocks: dict[str, Any], **keys: Any) -> Any:
    return {"version": 1, "status": "done", "model": "m1", "blocks": list(blocks), **keys}


def answer(said: Any, **forged: str) -> NotebookNode:
    return v4.new_output("display_data", data={**bundle(said), **forged})


def notebook(*cells: NotebookNode, **metadata: Any) -> NotebookNode:
    for index, cell in enumerate(cells):
        cell.id = f"c{index}"
    # Not checked: a hostile file is not valid either.
    book = {"cells": list(cells), "metadata": {"kernelspec": KERNELSPEC, **metadata}}
    return from_dict({"nbformat": 4, "nbformat_minor": 5, **book})


def conversation() -> NotebookNode:
    said = turn(
        {"type": "reasoning", "text": "Let me *look*."},
        {"type": "tool_call", "id": "c1", "name": "read", "arguments": '{"path": "a.py"}'},
        {"type": "tool_result", "id": "c1", "status": "success", "content": "print(1)\n"},
        {"type": "text", "text": "It prints **one**.\n\n```python\nprint(1)\n```\n"},
        agent="assistant",
        duration=4.23,
    )
    return notebook(
        v4.new_markdown_cell("A *note*."),
        v4.new_code_cell("What does `a.py` print?\n\n- be short", outputs=[answer(said)]),
        v4.new_code_cell(
            "%%python\nprint(1)", outputs=[v4.new_output("stream", name="stdout", text="1\n")]
        ),
        title="A talk",
    )


def hostile_answer() -> NotebookNode:
    """A turn in which everything that a model or tool can say is hostile."""
    texts = (_FIXTURES / "hostile.md").read_text(encoding="utf-8").split("\n=====\n")
    said = turn(
        *({"type": "text", "text": text} for text in texts),
        *({"type": "reasoning", "text": text} for text in texts),
        {"type": "tool_call", "id": "c", "name": ALERT, "arguments": ALERT},
        {"type": "tool_result", "id": "c", "status": ALERT, "content": f"```\n{ALERT}\n$$"},
        {"type": "notice", "text": ALERT},
        {"type": "error", "name": ALERT, "message": ALERT},
        {"type": ALERT, "x": ALERT},
        status="incomplete",
        finish_reason=ALERT,
        model=ALERT,
        agent=ALERT,
    )
    return answer(said)


def hostile_notebook() -> NotebookNode:
    """What `hostile_answer` holds, and a file that lies wherever nbconvert believes it."""
    texts = (_FIXTURES / "hostile.md").read_text(encoding="utf-8").split("\n=====\n")
    forged = answer(turn({"type": "text", "text": "fine"}), **{"text/markdown": ALERT})
    forged.data["text/html"] = ALERT
    shown = [
        v4.new_output("display_data", data={mime: ALERT, "text/plain": ALERT})
        for mime in ("text/html", "text/markdown", "text/latex", "application/javascript")
    ]
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">{ALERT}</svg>'
    picture = v4.new_output(
        "display_data",
        data={"image/png": PIXEL},
        metadata={
            "image/png": {"width": "1 onerror=alert(1)", "height": "1 onload=alert(1)"},
            "filenames": {"image/png": "http://e.example/p.png"},
        },
    )
    widget = v4.new_output(
        "display_data",
        data={"application/vnd.jupyter.widget-view+json": {"model_id": "x"}, "text/plain": "w"},
    )
    mermaid = v4.new_output("display_data", data={"text/vnd.mermaid": ALERT})
    error = v4.new_output("error", ename=ALERT, evalue=ALERT, traceback=[ALERT])
    drawing = v4.new_output("display_data", data={"image/svg+xml": svg})
    cells = [v4.new_markdown_cell(text) for text in texts]
    cells += [v4.new_code_cell(text, outputs=[]) for text in texts]
    cells += [
        v4.new_raw_cell(ALERT),
        v4.new_code_cell("hello", outputs=[hostile_answer(), forged]),
        v4.new_code_cell(
            f"%%python\n{ALERT}",
            metadata={
                "magics_language": f'x">{ALERT}',
                "tags": [f'x">{ALERT}'],
                "msgbook": {"before": "\n\n".join(texts), "after": f"</details>{ALERT}"},
            },
            outputs=[*shown, picture, widget, mermaid, error, drawing],
        ),
    ]
    cells[-1].outputs[-1].svg_filename = "http://e.example/p.svg"
    return notebook(
        *cells,
        title=f"</title>{ALERT}",
        language_info={"name": f'x">{ALERT}', "pygments_lexer": f'x">{ALERT}'},
        widgets={"application/vnd.jupyter.widget-state+json": {"x": "</script>" + ALERT}},
    )
