"""Markdown that tries all that a text could do to a page."""

ATTACK = """\
<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">
<img src="http://leak.invalid/a.png"> ![image](http://leak.invalid/b.png "t") ![r][r]
<svg onload="window.hacked = 3"><image href="http://leak.invalid/c.png"></svg>
<iframe srcdoc="<script>parent.hacked = 4</script>"></iframe><video poster="http://leak.invalid/d">
<style>body { background: url(http://leak.invalid/e) }</style><meta http-equiv="refresh" content="0;url=http://leak.invalid/f">
<a href="javascript:window.hacked = 5">one</a> [two](javascript:window.hacked=6) <form action="http://leak.invalid/g">
$\\href{javascript:window.hacked=7}{x}$ $\\style{background:url(http://leak.invalid/h)}{y}$

[r]: http://leak.invalid/i.png

The end of the attack.
"""
