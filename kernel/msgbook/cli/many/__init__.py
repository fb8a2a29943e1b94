"""Many conversations at once: `msgbook run DIR`.

- `job`: the job of one file, and its result; `answer_file` does it.
- `side_by_side`: several jobs at once in this process.
- `progress`, `summary`: what is shown meanwhile and at the end.
- `files`, `folder`: the conversations of a folder, and the verb for a folder.
"""
