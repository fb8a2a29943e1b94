"""A long answer in Markdown as models write it: headings, lists, bold, code. The same for the same length."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import count, islice

from notebooks import CODE

PHRASES = [
    "the model returns a value",
    "which is **sent twice**",
    "with `call(value)` from its notebook",
    "and _more_ of them",
    "because a cell reads",
    "42 words of the line",
    "so that `one = two`",
    "(or **so it says**)",
    "before the next of them is read",
]


def markdown_answer(tokens: int) -> str:
    """Return Markdown of that many tokens."""
    return "".join(markdown_tokens(tokens))


def markdown_tokens(tokens: int) -> list[str]:
    """Return the tokens, each a few characters of the text."""
    rng = random.Random(3)
    text = "".join(islice((_section(rng, number) for number in count(1)), tokens // 100 + 1))
    return re.findall(r"\s*\S{1,6}", text)[:tokens]


def _section(rng: random.Random, number: int) -> str:
    return "".join(f"{part}\n\n" for part in _parts(rng, number))


def _parts(rng: random.Random, number: int) -> Iterator[str]:
    yield f"## Part {number}: how **it** works"
    yield _prose(rng, 14)
    yield "\n".join(f"- {_prose(rng, 2)}" for _ in range(4))
    yield f"```python\n# Part {number}\n{CODE * rng.randint(1, 3)}```"
    yield "\n\n".join(f"{step}. **Step {step}**: {_prose(rng, 4)}" for step in (1, 2, 3))
    if number % 3 == 0:
        yield "| name | value |\n| --- | --- |\n| `a` | 1 |\n| `b` | **2** |"
    yield _prose(rng, 10)


def _prose(rng: random.Random, phrases: int) -> str:
    return " ".join(rng.choices(PHRASES, k=phrases)).capitalize() + "."
