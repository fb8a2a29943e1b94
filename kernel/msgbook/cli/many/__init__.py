"""Many conversations at once: `msgbook run DIR`, and one conversation over several models.

- `job`: the job of one file, and its result; `answer_file` does it.
- `side_by_side`: several jobs at once in this process. `cluster`: on a Dask cluster; `on_worker` runs there.
- `progress`, `summary`: what is shown meanwhile and at the end.
- `files`, `folder`: the conversations of a folder, and the verb for a folder.
- `models`, `comparison`, `comparison_page`: the verb for several models, their answers side by side, and the page.
"""
