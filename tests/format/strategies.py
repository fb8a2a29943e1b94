"""Hypothesis strategies over the generator: hypothesis draws its choices, and can shrink them."""

from __future__ import annotations

from hypothesis import strategies as st

from . import generate, generated_texts

_randoms = st.randoms(use_true_random=False)

texts = _randoms.map(generated_texts.text)
notebooks = _randoms.map(generate.notebook)
turn_outputs = _randoms.map(generate.turn_output)


def damaged(sources):
    """Texts of `sources` after accidents, spliced with one another."""
    return st.builds(generated_texts.damage, _randoms, st.sampled_from(sources), st.just(sources))


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
    st.builds(_rewrite, _places, st.one_of(st.sampled_from(generated_texts.LINES + generated_texts.SOURCES), st.text(max_size=9))),
    st.builds(_clear, _places),
)  # fmt: skip
