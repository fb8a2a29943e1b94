"""What the demo model says in the sample notebook of Python: about numbers that a message brings, and about the cell that fails.

Pure. That the sample has these cells is a rule of tests/provider/test_demo_python.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

CODE = re.compile(r"(?:I ran this code|This code has not been run):\n")
"""How the message begins that tells of a cell of code."""

FAILING_CELL = "average"
BROKEN = 'autumn = [rain["September"], rain["October"], rain["November"]]'
MENDED = 'autumn = [rain["October"], rain["November"]]'
"""The id of the sample's cell that fails, the line for which it fails, and what takes its place."""

_ERROR = "KeyError: 'September'"
_CELL = re.compile(r"`([^`\s]+)`")
"""The cell that **Fix** names. Its words are in the language of the page."""

_MAPPING = re.compile(r"dict, (\d+) items:\n")
_NUMBER = re.compile(r"^'(.+)': (-?\d+(?:\.\d+)?)$", re.MULTILINE)

NUMBERS_THOUGHT = "The message brings a variable with numbers. I compare them and add them up."
_NUMBERS_ANSWER = """\
**{largest}** has the largest number, {most:g}, and {smallest} the smallest, {least:g}. The {count} numbers in \
`{name}` add up to **{total:g}**, which is {mean:.1f} on average.

I was sent what the variable holds now, and the code above with its output. If you change that code, the page marks \
this answer as stale.

(I am the demo model: I can add numbers, but I cannot read your question. **Connect a Model…** in JupyterLab's launcher \
leads to a real one.)"""

ERROR_THOUGHT = (
    "Above this message stands a cell with a KeyError, and the code that made `rain` leaves out the "
    "months without a number."
)
EXPLANATION = """\
`KeyError: 'September'` means that the dictionary `rain` has no such key. `rain.csv` has no number for September, and \
the cell that loads it leaves such months out.

**Fix** below the error asks me to change the cell."""
CHANGED = """\
The cell takes only months that `rain` has. September is not among them, since `rain.csv` has no number for it, so \
the average is that of two months.

You saw the change before it was made. **Edit > Undo Cell Operation** takes it back."""
UNCHANGED = "The cell is as it was, and the result of my call says why."


def about_numbers(files: Mapping[str, str]) -> str | None:
    """Return an answer about the first variable with numbers that a message brings; None if there is none."""
    for key, text in files.items():
        header, numbers = _MAPPING.match(text), _NUMBER.findall(text)
        # Of a long one only the beginning is sent, and of it there is nothing to say about the whole.
        if key.startswith("py:") and header and len(numbers) == int(header[1]):
            values = {name: float(number) for name, number in numbers}
            total = sum(values.values())
            largest, smallest = (pick(values, key=lambda n: values[n]) for pick in (max, min))
            return _NUMBERS_ANSWER.format(
                name=key.removeprefix("py:"),
                largest=largest,
                most=values[largest],
                smallest=smallest,
                least=values[smallest],
                count=len(values),
                total=total,
                mean=total / len(values),
            )
    return None


def is_below_the_error(sent: Sequence[str]) -> bool:
    """Return whether the last of the user's messages stands right below the cell of the sample that has failed."""
    return (
        len(sent) > 1
        and all(part in sent[-2] for part in (BROKEN, _ERROR))
        and bool(CODE.match(sent[-2]))
    )


def cell_to_change(message: str) -> str | None:
    """Return the id of the cell that fails if a message names it, as **Fix** does; None for other messages."""
    return FAILING_CELL if FAILING_CELL in _CELL.findall(message) else None
