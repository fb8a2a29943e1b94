"""Chats of other programs as notebooks, and chats as OpenAI messages. Reads what it is given; runs nothing.

- `chat`: a chat that was read, whatever it came from. `fields`: values of a file, with their types checked, and what
  of a file cannot be read, while the rest is.
- `openai_messages`, `chatgpt`, `claude`, `llm_logs`, `jupyter_ai`: one reader for each form. Pure.
- `read`: a file or folder of any form. `json_text`: JSON and JSONL.
- `archives`, `llm_database`: what is read from a `.zip`, or the same unpacked, and from SQLite.
- `notebooks`: a chat as a notebook, and names of files from titles.
- `imported_chats`, `exported_messages`: what `msgbook convert` writes.

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.extras.other_chats.chat import OtherChat
    from msgbook.extras.other_chats.fields import BadChatError
    from msgbook.extras.other_chats.notebooks import IMPORTED, files_of, notebook_of, safe_stem
    from msgbook.extras.other_chats.openai_messages import FORMS, openai_text
    from msgbook.extras.other_chats.read import ReadChats, read_chats, unread_files
else:
    __getattr__ = lazy_names(__name__)
