"""Hypothesis strategies: texts full of lookalikes, and all that a notebook can hold."""

from __future__ import annotations

import base64

from hypothesis import strategies as st
from nbformat import from_dict

from msgbook_format.context import KERNELSPEC, LANGUAGE_INFO
from msgbook_format.ids import derived_id
from msgbook_format.turn import TURN_MIME

LINES = [
    "", "", " ", "\t", "text", "  indented  ", "\\", "\\\\", "\\ ", "# %%", "## %% title",
    "# %% [title][^a]", "# %%%", "##### %%% [^a-1]", "###### %%", "#%%", "# %%Title", "# %%%%",
    "\\# %%", "\\\\# %% x", "# %% t[^a]", "# %% [^b]", "# %%% [^a.1]", "# %%% [^a-1.5f3a90c2]",
    "# %%% call[^a-1.5f3a90c2.1]", "[^a]: [markdown]", "[^b]: [code] history=none",
    "[^a]: [markdown] cell=markdown role=\"system\"", "[^a]: [raw]", "[^a]: [nb] encoding=json",
    "[^a]: prose", "[^a]: k=\"v\" [reasoning=1] flag", "[^a]: [agent] id=\"zz\" time=\"1\"",
    "[^a-1]: [bot] reasoning=1 time=\"2025-05-30T00:00:00+08:00\"", "[^a-1]: [tool] name=\"x\"",
    "[^a-1.5f3a90c2]: [tool] name=\"read\"", "[^a-1.5f3a90c2.1]: [tool] status=\"error\"",
    "[^a.1]: [python] mime_type=\"image/png\"", "[^a.1]: [python] status=\"success\" n=3",
    "[^a-1]: [nb] block=1", "[^a-1]: [attachment] name=\"f\" mime_type=\"image/png\"",
    "[^a-1]: [python] output=error ename=\"E\" tb=1,2", "[^a-1]: [x] extra=\"[[[\" turn=\"{}\"",
    "[^a-1]: [x] output=execute_result result_n=2", "stdout> a", "stdout>", "stdout>b",
    "stderr> c", "\\stdout> x", "```", "````", "```python", "~~~", " ```ipython", "%%python",
    "!ls", "%model x", "%%msg agent=b", "%50 of", "aGVsbG8=", "{\"type\": \"x\"}", "{", "---",
    "jupyter:",
    "  msgbook: 5", "  msgbook: {text: {lead: x, cell: 5}}", "  kernelspec: {name: python3, display_name: P, language: python}",
    "  nbformat_minor: 4", "  x: *y", "message_section: true", "message_section: Log",
    "## Discussion", "# Log ##", "a: [", "# comment", "agents: {b: {}}", "x\ry", "end\r",
    "\x1b[31mred\x1b[0m", "\x00", "\u2028", "\x0c", "\x85", "\ufeff", "\ud800",
    "<tool_call><arguments>{}</arguments></tool_call>", "<other/>", "é中文",
]  # fmt: skip


SOURCES = ["", "hello", "Hi"]
DERIVED = [derived_id(source, count) for source in SOURCES for count in (0, 1)]


def texts():
    line = st.one_of(st.sampled_from(LINES), st.text(max_size=8))
    body = st.builds(
        lambda lines, newlines: "".join(a + b for a, b in zip(lines, newlines, strict=True)),
        st.lists(line, min_size=24, max_size=24),
        st.lists(st.sampled_from(["\n"] * 12 + ["\n\n"] * 8 + ["\r\n"]), min_size=24, max_size=24),
    )
    opening = st.sampled_from(
        ["", "", "\n\n", "\ufeff", "---\na: 1\n---\n", "---\nmessage_section: true\n---\n"]
    )
    whole = st.builds(lambda a, b, n: a + b[: n * 8], opening, body, st.integers(0, 40))
    crlf = whole.map(lambda t: t.replace("\r\n", "\n").replace("\n", "\r\n"))
    return st.one_of(whole, crlf, labelled_texts())


def labelled_texts():
    """Cells of few sources, whose labels are ids that follow from one of them."""
    cell = st.builds(
        lambda label, footnote, gap, source: (
            (f"# %% [^{label}]\n" if label else "# %%\n")
            + (f"{gap}[^{label}]: [markdown]\n" if label and footnote else "")
            + (f"\n{source}\n" if source else "")
        ),
        st.sampled_from(["", "", *DERIVED]),
        st.booleans(),
        st.sampled_from(["\n", "\n", ""]),
        st.sampled_from(SOURCES),
    )
    return st.lists(cell, max_size=6).map("\n".join)


def _joined(lines):
    return "\n".join(lines)


words = st.one_of(
    st.sampled_from(["a", "b", "x y", "", " ", "]", '"', "k=v", "é"]), st.text(max_size=6)
)
sources = st.one_of(
    st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=5)), max_size=5).map(_joined),
    st.sampled_from(["", "hello", "%%python\nprint(1)", "%%python\n", "!ls", "%%bash\nls"]),
)
json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-9, 9**9),
        st.floats(allow_nan=False, allow_infinity=False),
        words,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(words, inner, max_size=2)),
    max_leaves=4,
)
objects = st.dictionaries(words, json_values, max_size=2)
base64s = st.binary(min_size=1, max_size=90).map(lambda data: base64.b64encode(data).decode())


def optional(**keys):
    return st.fixed_dictionaries({}, optional=keys)


def _merge(*parts):
    merged = {}
    for part in parts:
        merged.update(part)
    return merged


def block(kind, required, **keys):
    rest = optional(
        step=st.one_of(st.integers(1, 3), json_values),
        history=words,
        time=words,
        agent=words,
        extra=objects,
        title=words,
        attrs=st.lists(st.tuples(words, st.one_of(words, st.just(True))).map(list), max_size=2),
        other=json_values,
        **keys,
    )
    return st.builds(_merge, st.just({"type": kind}), st.fixed_dictionaries(required), rest)


call_ids = st.sampled_from(["call_1", "call_2", "call_5f3a90c2", ""])
blocks = st.one_of(
    block("text", {"text": sources}, refusal=st.just(True)),
    block("reasoning", {"text": sources}, duration=st.one_of(st.floats(0, 9), st.integers(0, 9))),
    block(
        "tool_call",
        {"id": call_ids, "name": words, "arguments": st.one_of(st.just("{}"), sources)},
        nonce=st.sampled_from(["5f3a90c2", "00000000", "zz", 3]),
        approval=words,
        unfinished=st.booleans(),
        xml=sources,
    ),
    block(
        "tool_result",
        {"id": call_ids, "content": st.one_of(sources, st.lists(objects, max_size=2))},
        status=words,
        duration=st.floats(0, 9),
    ),
    block("notice", {"text": sources}, level=words),
    block("error", {"message": sources}, name=words),
    block("novel", {"value": json_values}),
    block("text", {}),
    block("tool_call", {"arguments": json_values}),
)
turns = st.builds(
    _merge,
    st.fixed_dictionaries(
        {
            "version": st.sampled_from([1, 1, 1, 2]),
            "status": st.one_of(st.sampled_from(["done", "running", "error"]), json_values),
            "blocks": st.lists(blocks, max_size=5),
        }
    ),
    optional(
        agent=st.one_of(st.sampled_from(["assistant", "reviewer", "tool", "we]ird"]), json_values),
        model=words,
        provider=words,
        started=words,
        duration=st.floats(0, 9),
        finish_reason=words,
        usage=objects,
        context=objects,
        novel=json_values,
    ),
)
turn_outputs = st.builds(
    lambda turn, metadata: {
        "output_type": "display_data",
        "data": {TURN_MIME: turn},
        "metadata": metadata,
    },
    turns,
    st.one_of(st.just({}), st.just({}), objects),
)
mimes = st.sampled_from(
    ["text/plain", "text/html", "image/png", "image/svg+xml", "application/json", "text/markdown"]
)
bundles = st.dictionaries(
    mimes, st.one_of(sources, base64s, base64s.map(lambda d: d + "\n"), json_values), max_size=3
)
counts = st.one_of(st.none(), st.integers(0, 20))
turns_beside_others = st.builds(
    lambda turn, data, form: {**form, "data": {TURN_MIME: turn, **data}, "metadata": {}},
    turns,
    bundles,
    st.sampled_from(
        [{"output_type": "display_data"}, {"output_type": "execute_result", "execution_count": 1}]
    ),
)
outputs = st.one_of(
    turn_outputs,
    turns_beside_others,
    st.builds(lambda n, t: {"output_type": "stream", "name": n, "text": t}, st.sampled_from(["stdout", "stderr", "x"]), sources.map(lambda s: s + "\n") | sources),
    st.builds(lambda d, m: {"output_type": "display_data", "data": d, "metadata": m}, bundles, objects),
    st.builds(lambda d, m, n: {"output_type": "execute_result", "data": d, "metadata": m, "execution_count": n}, bundles, objects, counts),
    st.builds(lambda a, b, t: {"output_type": "error", "ename": a, "evalue": b, "traceback": t}, words, words, st.lists(sources, max_size=3)),
    st.builds(lambda o: {"output_type": "novel", **o}, objects),
)  # fmt: skip
ours = optional(
    history=words,
    agent=words,
    model=words,
    role=words,
    title=words,
    type=st.sampled_from(["review", "code", "nb", "x]"]),
    lang=st.sampled_from(["py", "bash", "", "a b", "`"]),
    before=sources,
    after=sources,
    summary=st.one_of(objects, st.just({"text": "t", "source": "sha256:0"})),
    attrs=st.lists(st.tuples(words, st.one_of(words, st.just(True))).map(list), max_size=2),
    novel=json_values,
)
metadata = st.one_of(
    st.just({}),
    st.just({}),
    ours.map(lambda o: {"msgbook": o}),
    objects.map(lambda o: {k: v for k, v in o.items() if k not in ("trusted", "msgbook")}),
)
cells = st.one_of(
    st.builds(
        lambda s, m, o, n: {"cell_type": "code", "source": s, "metadata": m, "outputs": o, "execution_count": n},
        sources, metadata, st.lists(outputs, max_size=3), counts,
    ),
    st.builds(
        lambda t, s, m, a: {"cell_type": t, "source": s, "metadata": m, **a},
        st.sampled_from(["markdown", "raw"]), sources, metadata,
        optional(attachments=st.dictionaries(words, st.dictionaries(mimes, st.one_of(base64s, sources), max_size=2), max_size=2)),
    ),
)  # fmt: skip
_FRONTMATTERS = ["a: 1\n", "# note\nagents:\n  b: {}\n", "", "x", "---\n"]
_SECTIONS = [
    {"frontmatter": "message_section: true\n", "document": "Intro\n\n## Discussion"},
    {"frontmatter": "message_section: 'A log'\n", "document": "```\n# A log\n```\n# A log ##"},
]
_KERNELS = [
    {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO},
    {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO},
    {"kernelspec": {"name": "python3", "display_name": "P", "language": "python"}},
    {"kernelspec": {"name": "ir", "language": "R"}, "language_info": {"name": "R", "version": "4"}},
    {},
]


def _notebook(kernel, own, other, cell_list, ids, minor):
    unique = dict.fromkeys(ids + [f"id-{n}" for n in range(len(cell_list))])
    numbered = [
        from_dict({**cell, **({"id": cell_id} if minor == 5 else {})})
        for cell, cell_id in zip(cell_list, unique, strict=False)
    ]
    metadata = {**other, **kernel, **({"msgbook": own} if own else {})}
    if numbered and numbered[-1].cell_type == "code" and not numbered[-1].source:
        numbered[-1].source = "not the blank cell at the end"
    nb = {"nbformat": 4, "nbformat_minor": minor, "metadata": metadata, "cells": numbered}
    return from_dict(nb)


def notebooks():
    cell_ids = st.sampled_from(
        ["a", "b", "preamble", "p-1", "3f2a9c1b-8d4e-4f6a-9b1c-2d3e4f5a6b7c", *DERIVED]
    )
    return st.builds(
        _notebook,
        st.sampled_from(_KERNELS),
        st.one_of(
            optional(frontmatter=st.sampled_from(_FRONTMATTERS), macros=objects),
            st.sampled_from(_SECTIONS),
            st.just({"document": "no section names it"}),
        ),
        objects.map(lambda o: {k: v for k, v in o.items() if k not in ("kernelspec", "language_info", "jupytext", "msgbook")}),
        st.lists(cells, max_size=4),
        st.lists(cell_ids, max_size=3),
        st.sampled_from([5, 5, 5, 4]),
    )  # fmt: skip


def _move(start, end):
    def edit(cells):
        if cells:
            cells.insert(end % len(cells), cells.pop(start % len(cells)))

    return edit


def _delete(place):
    return lambda cells: cells.pop(place % len(cells)) if cells else None


def _rewrite(place, source):
    def edit(cells):
        if cells:
            cells[place % len(cells)]["source"] = source

    return edit


def _clear(place):
    def edit(cells):
        if cells and cells[place % len(cells)].cell_type == "code":
            cells[place % len(cells)].update(outputs=[], execution_count=None)

    return edit


_places = st.integers(0, 9)
edits = st.one_of(
    st.builds(_move, _places, _places),
    st.builds(_delete, _places),
    st.builds(_rewrite, _places, st.one_of(sources, st.sampled_from(SOURCES))),
    st.builds(_clear, _places),
)

__all__ = ["edits", "notebooks", "texts"]
