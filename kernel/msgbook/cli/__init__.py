"""The verbs of the command `msgbook`, a module each.

A module has `add(verbs)`, which declares the verb, and a function that runs it and returns the
exit code. What only running needs is imported there: the help of all verbs is made of all modules.
"""
