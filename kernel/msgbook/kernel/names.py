"""Names by which a page and a Jupyter server find the kernel; it knows them before it has imported the rest."""

COMM_TARGET = "msgbook"
"""Target of the comm that a page opens."""
KEYS_MESSAGE = "msgbook_keys_request"
"""Type of the message with the keys that the Jupyter server keeps for its session."""
KEYS_REPLY = "msgbook_keys_reply"
