#!/bin/sh
# Make sure that the browser tests find a Chromium: Playwright's own or the system's. Where neither
# is there and apt may be used (as root, or by sudo without a password), install Debian's.
# tests/chromium.py looks in the same places.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
python - <<'PYTHON' && exit 0
import pathlib, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    sys.exit(not pathlib.Path(playwright.chromium.executable_path).exists())
PYTHON
if command -v apt-get >/dev/null 2>&1; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    echo "Installing Chromium for the browser tests ..."
    $sudo env DEBIAN_FRONTEND=noninteractive sh -c \
        'apt-get update -qq && apt-get install -y -qq chromium >/dev/null' && exit 0
fi
echo "The browser tests need a Chromium: install Debian's chromium, or run: playwright install chromium" >&2
# Without one the tests are skipped with this reason; in CI they fail.
exit 0
