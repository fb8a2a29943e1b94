"""Checks of a model server, for `msgbook doctor` and for the form that connects a model.

- `server`: the checks in their order, and the comparison of the two APIs.
- `asking`, `answer`: short questions to the server, and what its answers show.
- `findings`: the result of a check.
"""
