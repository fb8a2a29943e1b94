"""docs/clients.md: what it configures for programs that are no dependencies here."""

from __future__ import annotations

import importlib
from typing import Any

from fences import Fence

CHAT = "# %% [^note]\n\n[^note]: [markdown] cell=markdown\n\n# A chat\n"


def test_the_configuration_of_sphinx_names_a_reader_of_message_files(fences: list[Fence]) -> None:
    (fence,) = fences
    settings: dict[str, Any] = {}
    exec(fence.body, settings)

    (reader,) = settings["nb_custom_formats"].values()
    module, _, name = reader.rpartition(".")
    notebook = getattr(importlib.import_module(module), name)(CHAT)
    assert [cell.source for cell in notebook.cells] == ["# A chat"]
    assert list(settings["nb_custom_formats"]) == [".msg.md"]
    assert (settings["extensions"], settings["nb_execution_mode"]) == (["myst_nb"], "off")
