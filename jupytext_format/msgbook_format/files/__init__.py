"""Message files, `.ipynb` files and files with an AgentContext on disk."""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook_format.files.ipynb import parse_ipynb, reads_ipynb, writes_ipynb
    from msgbook_format.files.ipynb_cells import with_cell_source, with_new_cell
    from msgbook_format.files.message_files import (
        Snapshot,
        decode,
        encode,
        encode_agent_file,
        has_section,
        parse_agent_file,
        read_file,
        with_message_section,
        write_file,
    )
    from msgbook_format.files.names import (
        AGENT_SUFFIXES,
        SUFFIX,
        export_name,
        is_agent_file,
        open_regular,
        read_regular,
        require_regular,
        stem_of,
    )
    from msgbook_format.files.writing import (
        create_bytes,
        create_file,
        own_folder,
        replace_bytes,
        require_no_link,
        require_no_linked_folder,
        require_replaceable,
    )
else:
    __getattr__ = lazy_names(__name__)
