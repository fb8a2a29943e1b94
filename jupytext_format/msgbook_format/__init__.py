"""The `.msg.md` file: a notebook with its answers as text, and back."""
