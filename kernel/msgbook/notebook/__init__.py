"""The notebook: its cells, their names, and the transcript of the cells above a running one."""
