#!/bin/sh
# Run a step of the set-up without its output. If it fails, say in one line what to do, and where the output is.
# Usage: quietly.sh WHAT COMMAND [ARG ...]
what=$1
shift
echo "$what ..."
log=.setup.log
# Of a full disk not even the log may be left, so the shell's own words count, too.
if words=$( { "$@" >"$log" 2>&1; } 2>&1 ); then
    rm -f "$log"
    exit 0
fi
if { echo "$words"; cat "$log" 2>/dev/null; } | grep -qiE 'no space left|ENOSPC|disk quota'; then
    echo "$what failed, because the disk is full: free some space (2 GB are enough), then type make again." >&2
elif grep -qiE 'name resolution|getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network is unreachable|failed to establish|connection (refused|timed out|reset|broken)|could not fetch url|proxyerror|max retries|RequestError' "$log" 2>/dev/null; then
    echo "$what failed, because a package registry could not be reached: check the network (or HTTPS_PROXY, pip's and npm's settings), then type make again; details are in $log." >&2
else
    echo "$what failed: the reason is at the end of $log; mend it, then type make again." >&2
fi
exit 1
