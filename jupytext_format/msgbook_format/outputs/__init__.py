"""Outputs of code cells as output cells (`# %%%`): turns, streams, MIME bundles, errors, files."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.outputs.cell_outputs import refresh_derived
    from msgbook_format.outputs.file_references import open_references
    from msgbook_format.outputs.files import find_problem, keep_lost_data, load_output_files
    from msgbook_format.outputs.output_history import has_stale_marks, history_of_outputs
else:
    __getattr__ = lazy_names(__name__)
