"""The notebook: its cells, their names, and the transcript of the cells above a running one."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.notebook.cell_names import (
        NoSuchCellError,
        describe_cell,
        describe_cell_with_id,
        find_cell,
        short_id,
        title_of,
    )
    from msgbook.notebook.cells import (
        MAGIC_NAME,
        NOTEBOOK_SUFFIX,
        SENT_TEXTS,
        Cell,
        IsMagic,
        Prompt,
        any_magic,
        as_prompt,
        has_run,
        id_of,
        is_count,
        is_own_magic,
        is_prompt,
        metadata_of,
        missing_magic,
        model_magic_name,
        outputs_of,
        parse_prompt,
        source_of,
    )
    from msgbook.notebook.conversation_file import (
        Document,
        DocumentError,
        create,
        create_beside,
        require_name,
    )
    from msgbook.notebook.file_source import merge_saved_cells
    from msgbook.notebook.folders import working_folder
    from msgbook.notebook.fork import fork_conversation
    from msgbook.notebook.imported import IMPORTED_TEXT, imported_digest, is_imported
    from msgbook.notebook.outputs import (
        may_record,
        names_only,
        outputs_images,
        outputs_text,
        text_output,
    )
    from msgbook.notebook.prompt_cells import new_prompt
    from msgbook.notebook.saved_notebook import (
        SESSION_VARIABLE,
        SavedNotebookReader,
        file_version,
        find_notebook_file,
        session_notebook_file,
    )
    from msgbook.notebook.session_memory import ExecutedCell, RequestedCell, SessionMemory
    from msgbook.notebook.token_usage import TurnUsage, list_turn_usage
    from msgbook.notebook.transcript import (
        LiveNotebook,
        Notebook,
        Transcript,
        all_cells,
        read_transcript,
    )
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "cell_names": "NoSuchCellError describe_cell describe_cell_with_id find_cell short_id title_of",
            "cells": "MAGIC_NAME NOTEBOOK_SUFFIX SENT_TEXTS Cell IsMagic Prompt any_magic as_prompt has_run id_of is_count is_own_magic is_prompt metadata_of missing_magic model_magic_name outputs_of parse_prompt source_of",
            "conversation_file": "Document DocumentError create create_beside require_name",
            "file_source": "merge_saved_cells",
            "imported": "IMPORTED_TEXT imported_digest is_imported",
            "outputs": "may_record names_only outputs_images outputs_text text_output",
            "prompt_cells": "new_prompt",
            "saved_notebook": "SESSION_VARIABLE SavedNotebookReader file_version find_notebook_file session_notebook_file",
            "session_memory": "ExecutedCell RequestedCell SessionMemory",
            "token_usage": "TurnUsage list_turn_usage",
            "folders": "working_folder",
            "fork": "fork_conversation",
            "transcript": "LiveNotebook Notebook Transcript all_cells read_transcript",
        },
    )
