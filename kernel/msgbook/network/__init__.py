"""Connections as the environment sets them: proxies, certificates, and the table of all variables.

- `proxies`: which proxy a URL takes; `certificates`: what is trusted.
- `client`: both, as arguments of an HTTP client.
- `variables`: the one table of the variables that msgbook or a library below it reads; only `msgbook doctor`
  imports it.

Only what a URL needs is made, so that a wrong variable ends no request that would not use it.
"""

from msgbook.network.certificates import NetworkProblem, ignore_unusable_key_log
from msgbook.network.client import Route, find_route, is_untrusted

__all__ = ["NetworkProblem", "Route", "find_route", "ignore_unusable_key_log", "is_untrusted"]
