"""The words that can follow the first ones of a line magic's cell, by the forms in its table."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.notebook.magics_table import OWN_MAGICS


def next_words(words: Sequence[str]) -> list[str]:
    """Return the words or placeholders that can follow the first words of a line magic's cell."""
    magic = OWN_MAGICS.get(words[0]) if words else None
    found = (_next_word(form.written.split(), words) for form in magic.forms) if magic else ()
    return list(dict.fromkeys(word for word in found if word is not None))


def _next_word(form: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the word of a form that follows other words; None if they do not fit or are all."""
    place = 0
    for word in words:
        if place < len(form) and form[place] == "...":
            continue
        if place >= len(form) or (form[place] != word and not form[place].isupper()):
            return None
        place += 1
    if place < len(form):
        return form[place - 1] if form[place] == "..." else form[place]
    return None
