"""The notebook: its cells, their names, and the transcript of the cells above a running one."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.notebook.cells import (
        IMPORTED_TEXT,
        MAGIC_NAME,
        NOTEBOOK_SUFFIX,
        SENT_TEXTS,
        UNREAD,
        Cell,
        KeptCell,
        NoSuchCellError,
        Prompt,
        describe_cell,
        describe_cell_with_id,
        find_cell,
        has_run,
        id_of,
        imported_digest,
        is_count,
        is_imported,
        is_own_magic,
        may_define,
        metadata_of,
        model_magic_name,
        once,
        outputs_of,
        parse_prompt,
        saved_history,
        short_id,
        short_ids,
        source_of,
        title_of,
    )
    from msgbook.notebook.conversation_file import (
        Document,
        DocumentError,
        create,
        create_beside,
        fork_conversation,
        new_prompt,
        require_name,
    )
    from msgbook.notebook.folders import working_folder
    from msgbook.notebook.outputs import (
        HTML,
        is_bare,
        may_record,
        names_only,
        outputs_images,
        outputs_text,
        text_output,
    )
    from msgbook.notebook.saved_notebook import (
        SESSION_VARIABLE,
        SavedNotebookReader,
        file_version,
        find_notebook_file,
        merge_saved_cells,
        session_notebook_file,
    )
    from msgbook.notebook.token_usage import TurnUsage, list_turn_usage, usage_of_cell
    from msgbook.notebook.transcript import (
        ExecutedCell,
        LiveNotebook,
        Notebook,
        RequestedCell,
        SessionMemory,
        Transcript,
        all_cells,
        read_transcript,
    )
else:
    __getattr__ = lazy_names(__name__)
