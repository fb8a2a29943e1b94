"""Pairs with a message file: the newest file wins, and with it its outputs.

Jupytext takes the outputs of a pair from the `.ipynb` always, since its text formats hold none.
Ours holds them: what was edited in an answer would be overwritten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jupytext.formats

from msgbook_format.jupytext_plugin.names import is_ours

Function = Callable[..., Any]


def latest_inputs_and_outputs(original: Function) -> Function:
    """Take all from the `.ipynb` if it is newer, in the contents managers as on the command line.

    The contents managers would refuse to open such a pair.
    """

    def replacement(*args: Any, **kwargs: Any) -> Any:
        inputs, outputs = original(*args, **kwargs)
        if inputs.fmt and is_ours(inputs.fmt) and outputs.timestamp is not None:
            inputs = max(inputs, outputs, key=lambda file: file.timestamp)
        return inputs, outputs

    return replacement


def combine_inputs_with_outputs(original: Function) -> Function:
    """Take all from the text but what the `.ipynb` says to Jupytext, of which a text says little."""

    def replacement(nb_source: Any, nb_outputs: Any, fmt: Any = None) -> Any:
        long = jupytext.formats.long_form_one_format(fmt)
        options = nb_source.metadata.setdefault("jupytext", {})
        if not is_ours(long) and not is_ours(options.get("text_representation", {})):
            return original(nb_source, nb_outputs, fmt)
        options.pop("text_representation", None)
        theirs = nb_outputs.metadata.get("jupytext")
        if theirs and theirs.get("formats"):
            nb_source.metadata["jupytext"] = theirs
        elif not options:
            del nb_source.metadata["jupytext"]
        return nb_source

    return replacement
