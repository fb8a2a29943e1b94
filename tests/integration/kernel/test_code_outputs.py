"""What a session keeps of the outputs of code cells is what a notebook saves of them."""

from __future__ import annotations

import nbformat
from hypothesis import given
from hypothesis import strategies as st
from nbclient import NotebookClient
from output_messages import kept, message, shown, stream

from msgbook.notebook.outputs import outputs_text

texts = st.text(st.sampled_from("ab\r\n\b"), max_size=6)
events = st.lists(
    st.one_of(
        st.builds(stream, texts, st.sampled_from(["stdout", "stderr"])),
        st.builds(
            shown,
            st.sampled_from(["display_data", "update_display_data"]),
            st.fixed_dictionaries({"text/plain": texts}),
            st.sampled_from(["d", "e"]),
        ),
        st.builds(lambda wait: message("clear_output", {"wait": wait}), st.booleans()),
    ),
    max_size=8,
)


@given(events)
def test_a_model_gets_the_same_outputs_as_from_a_saved_notebook(messages):
    # nbclient changes messages in place.
    ours = outputs_text(kept(*messages))
    client = NotebookClient(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x")]))
    client.reset_execution_trackers()
    client.clear_before_next_output = False
    cell = client.nb.cells[0]
    for one in messages:
        client.process_message(one, cell, 0)

    assert ours == outputs_text(cell.outputs)
