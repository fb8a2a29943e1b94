#!/bin/sh
# Name what is missing on this machine, all of it in one line. Usage: check-tools.sh PYTHON
python=${1:-python3}
missing=""

need() { missing="${missing:+$missing; }$1"; }

command -v git >/dev/null 2>&1 || need "git (apt install git)"
if ! command -v "$python" >/dev/null 2>&1; then
    need "Python 3.11 or newer (apt install python3 python3-venv)"
elif ! "$python" -V 2>&1 | grep -q "^Python [0-9]"; then
    need "Python 3.11 or newer; $python is no Python, so type make PYTHON=python3.12 or so"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    need "Python 3.11 or newer; $python is $("$python" -V 2>&1 | cut -d' ' -f2), so type make PYTHON=python3.12 or so"
elif ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    need "Python's venv module (apt install python3-venv)"
fi
if ! command -v node >/dev/null 2>&1; then
    need "Node.js 20 or newer (https://nodejs.org, or your distribution's nodejs)"
elif [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
    need "Node.js 20 or newer; node is $(node -v)"
fi

[ -z "$missing" ] && exit 0
echo "To build msgbook, install first: $missing" >&2
exit 1
