"""Reading and writing of a whole document."""
