"""Many conversations at once: `msgbook run DIR`, and one conversation over several models.

- `job`: the job of one file, and its result.
- `folder`: the verb for a folder: its conversations, several jobs at once in this process, and what is shown.
- `cluster`: jobs on a Dask cluster.
- `models`: the verb for several models, their answers side by side, and the page that compares them.
"""
