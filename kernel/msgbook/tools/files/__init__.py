"""The file tools, as they run in a worker process. Imports the standard library only."""
