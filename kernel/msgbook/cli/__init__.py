"""The verbs of the command `msgbook`, a module for each.

`msgbook.__main__` has the table of verbs. It imports a verb's module only to run the verb.
"""
