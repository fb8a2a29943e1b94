"""The laws of the format, as assertions on one text or notebook."""

from __future__ import annotations

import copy
import io
import itertools
import json
import re
from random import Random

from msgbook_format import reads, writes
from msgbook_format.turn import TURN_MIME

from . import generate, scattered

_DERIVED_MIMES = ("text/markdown", "text/plain")
_UNSAFE = re.compile("[\r\x00\ud800-\udfff]")
_CODED = re.compile(
    r"[^\n]*\[\^([^\s\[\]^]+)\][ \t\r]*\n(?:[ \t]*\r?\n)*\[\^\1\]:\s*\[code\](?=\s|$)"
)
_TAIL = r"(\[[^\[\]=]*\](\s|$)|([^\s\[\]]+=\S*\s*)*$)"
_CODE_FIELDS = {"cell_type", "metadata", "source", "outputs", "execution_count"}


def assert_every_law(text):
    """All laws that need nothing but a text: as it stands, answered, edited, and with its footnotes gathered."""
    assert_text_laws(text)
    assert_content_survives(text)
    for change, places in CHANGES.items():
        for place in places(reads(text), text):
            nb = reads(text)
            change(nb, place)
            if change is edit_source:
                assert_only_body_changes(text, writes(nb), nb, place)
            elif text.endswith("\n"):
                # A last line without an end gets one, and that is a change.
                assert_one_insertion(text, writes(nb))
    for heading in ("", scattered.HEADING):
        gathered = scattered.gather(text, heading)
        assert_text_laws(gathered)
        assert_content_survives(gathered)
        if not (scattered.has_footnotes_as_content(text) or "\r" in text):
            assert_same(plain(reads(gathered)), plain(reads(text)))


def plain(nb):
    """A notebook as JSON, without what a text does not hold: derived text and verbatim bits."""
    nb = json.loads(json.dumps(nb))
    for node in (nb, *nb["cells"]):
        ours = node["metadata"].get("msgbook")
        if isinstance(ours, dict):
            ours.pop("text", None)
            if not ours:
                del node["metadata"]["msgbook"]
    for cell in nb["cells"]:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, dict) and output.get("output_type") == "display_data":
                _drop_derived(output)
    return nb


def _drop_derived(output):
    data = output.get("data")
    # Beside any further type the texts do not follow from the turn.
    if isinstance(data, dict) and {TURN_MIME} <= data.keys() <= {TURN_MIME, *_DERIVED_MIMES}:
        output["data"] = {TURN_MIME: data[TURN_MIME]}


def assert_same(found, expected):
    """Equal, with numbers of the same type."""
    assert found == expected
    # Python says that 1, 1.0 and True are equal, JSON does not.
    assert json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def assert_has_no_bits(nb):
    for node in (nb, *nb["cells"]):
        bits = node["metadata"].get("msgbook", {}).get("text", {})
        assert set(bits) <= {"unread"}


def assert_text_laws(text):
    """Any text comes back to the byte, also through an `.ipynb`, and holds one notebook."""
    nb = reads(text)
    before = copy.deepcopy(nb)

    assert writes(nb) == text
    assert nb == before
    assert reads(text) == nb
    saved = json.dumps(nb, allow_nan=False, sort_keys=True)
    assert writes(json.loads(saved)) == text


def assert_notebook_laws(nb):
    """A notebook comes back from its text, which is canonical and as plain as text can be."""
    text = writes(nb)
    read = reads(text)

    assert_same(plain(read), plain(nb))
    assert_has_no_bits(read)
    assert writes(read) == text
    assert writes(json.loads(json.dumps(nb, sort_keys=True))) == text
    assert text.encode().decode() == text
    # How Python, and with it Jupytext's command line, opens a text file.
    assert io.StringIO(text, newline=None).read() == text


def assert_content_survives(text):
    """What a text holds is all in the notebook: written without its spelling, it is the same."""
    expected = plain(reads(text))
    if not is_regular(expected):
        return

    assert_same(plain(reads(writes(expected))), expected)


def is_regular(nb):
    """Whether nothing of a notebook goes without saying: no text gives it back otherwise."""
    last = nb["cells"][-1] if nb["cells"] else {}
    blank = {"cell_type": "code", "source": "", "outputs": [], "execution_count": None}
    return not blank.items() <= last.items() or bool(last["metadata"])


def answer(nb, index, output):
    """Let a turn be the output of the cell at `index`."""
    nb["cells"][index]["outputs"] = [output]
    nb["cells"][index]["execution_count"] = 1


def unanswered(nb):
    """Places of prompts that have no output and stand as text, not as JSON."""
    return [index for index, cell in enumerate(nb["cells"]) if _is_unanswered(cell)]


def _is_unanswered(cell):
    # A run that is said to have given nothing is no answer, but stands there.
    nothing = "outputs" not in cell["metadata"].get("msgbook", {}).get("text", {})
    # A cell with times has run; its next run has other times.
    nothing = nothing and "execution" not in cell["metadata"]
    return _is_text(cell) and not cell["outputs"] and cell["execution_count"] is None and nothing


def _is_text(cell):
    if cell.keys() - {"id"} != _CODE_FIELDS or cell["cell_type"] != "code":
        return False
    bits = cell["metadata"].get("msgbook", {}).get("text", {})
    text = bits.get("cell", "")
    # The footnote of a whole cell may stand elsewhere.
    return "[nb]" not in text and '"cell_type"' not in text and not _UNSAFE.search(cell["source"])


def editable(nb, text):
    """Places of cells whose lines in `text` are known, and which are what they stand as there."""
    cells, spans = nb["cells"], _spans(text)
    if len(cells) - len(spans) not in (0, 1) or any(map(_is_orphan, cells)):
        return []
    whole, lines = text, text.split("\n")
    sources = [str(cell.get("source")) for cell in cells]
    places = []
    for index, (start, end) in enumerate(spans, len(cells) - len(spans)):
        cell, text = cells[index], "\n".join(lines[start:end])
        code = cell["cell_type"] == "code" and (not _is_chat(nb) or _is_command(cell))
        # A preamble may need no marker any more, equal cells an id that tells them apart, and where
        # cells have no ids labels follow from the source, unless something is attached.
        named = cell.get("id") != "preamble" and sources.count(sources[index]) == 1
        named = named and bool(cell.get("id") or cell.get("attachments"))
        coded = bool(_CODED.match(text))
        if _has_footnote_elsewhere(text, whole, cell.get("id")):
            continue
        plain = "[nb]" not in text and not _UNSAFE.search(f"{text}\n".replace("\r\n", "\n"))
        # What metadata say of our keys, a footnote may contradict; blanks hide a magic's language.
        agrees = 'metadata="{\\"msgbook' not in text and sources[index] == sources[index].lstrip()
        if named and plain and agrees and coded == code:
            places.append(index)
    return places


def _has_footnote_elsewhere(text, whole, cell_id):
    """Whether the footnote of a cell stands elsewhere, and an edit has to bring it to its marker."""
    label = re.match(r"[^\n]*\[\^([^\s\[\]^]+)\][ \t\r]*(?:\n|\Z)", text)
    if label is None or re.match(rf"\s*\[\^{re.escape(label[1])}\]:", text[label.end() :]):
        return False
    elsewhere = re.search(rf"^ {{0,3}}\[\^{re.escape(label[1])}\]:(.*)", whole, re.M | re.I)
    return elsewhere is not None and (label[1] != cell_id or "[nb]" in elsewhere[1])


def _is_orphan(cell):
    """Whether a cell stands as an output cell that no cell above can have."""
    bits = cell["metadata"].get("msgbook", {}).get("text", {})
    return bits.get("cell", "").lstrip("#").startswith(" %%%")


def edit_source(nb, index):
    """Let the cell at `index` have another source, of the same kind and language."""
    cell = nb["cells"][index]
    magic, newline, _ = cell["source"].lstrip().partition("\n")
    if not _is_chat(nb) or cell["cell_type"] != "code" or not _is_command(cell):
        cell["source"] = "edited = 1\n\nedited"
    elif magic.startswith("%%") and newline:
        cell["source"] = f"{magic}\nedited = 1\n\nedited"
    else:
        cell["source"] = "!edited"


def _is_chat(nb):
    kernelspec = nb["metadata"].get("kernelspec")
    return isinstance(kernelspec, dict) and kernelspec.get("name") == "msgbook"


def _is_command(cell):
    return bool(re.match(r"\s*(!|%[A-Za-z_]|%%(?!msg\b)[A-Za-z_])", str(cell.get("source"))))


def add_output(nb, index, output):
    """Let the cell at `index` have a further output."""
    # Two halves of a surrogate pair are one character to whoever reads them.
    nb["cells"][index]["outputs"].append(json.loads(json.dumps(output)))


def answered(nb):
    """Places of code cells that have outputs and stand as text, not as JSON."""
    return [
        index
        for index, cell in enumerate(nb["cells"])
        if _is_text(cell) and cell["outputs"] and all(isinstance(o, dict) for o in cell["outputs"])
    ]


def assert_only_body_changes(before, after, nb, index):
    """`after` is `before` with another body of the cell at `index`: not a line else changes.

    Where no label was the id of the cell, its id has to be added to marker or footnote.
    """
    old, new = before.split("\n"), after.split("\n")
    spans = _spans(before)
    place = index - len(nb["cells"]) + len(spans)
    start, end = spans[place]
    if nb["cells"][index]["cell_type"] != "code" and not nb["cells"][index].get("attachments"):
        # Text below a note may be content of it.
        end = [*(start for start, _ in spans), len(old)][place + 1]
    head = start
    label = nb["cells"][index].get("id")
    if label is not None and old[start].rstrip().endswith(f"[^{label}]"):
        head += 1
        note = next((n for n in range(head, end) if not _is_blank(old[n])), end)
        if note < end and re.match(rf"\[\^{label}\]:\s*{_TAIL}", old[note]):
            head = note + 1

    assert _common(old, new) >= head
    assert _common(old[::-1], new[::-1]) >= len(old) - end


def _is_blank(line):
    return not line.removesuffix("\r").strip(" \t")


def _spans(text):
    """From the marker of each cell to the next marker, in lines from 0."""
    lines = text.split("\n")
    marks = [n for n, line in enumerate(lines) if re.match(r"#{1,5} %%%?([ \t\r]|\[\^|$)", line)]
    spans = itertools.pairwise([*marks, len(lines)])
    return [span for span in spans if not re.match("#{1,5} %%%", lines[span[0]])]


def assert_one_insertion(before, after):
    """`after` is `before` with lines put in at one place: what `git diff` shows as one hunk."""
    old, new = before.split("\n"), after.split("\n")

    assert len(new) > len(old)
    assert _common(old, new) + _common(old[::-1], new[::-1]) >= len(old)


def _common(left, right):
    """How many lines two texts have in common from the start."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


CHANGES = {
    lambda nb, place: answer(nb, place, generate.turn_output(Random(0))): (
        lambda nb, _text: unanswered(nb)
    ),
    lambda nb, place: add_output(nb, place, generate.turn_output(Random(0))): (
        lambda nb, _text: answered(nb)
    ),
    edit_source: editable,
}
"""What a person or a turn does to one cell, and to which cells of a notebook."""
