"""A whole document: text to notebook, and notebook to text."""
