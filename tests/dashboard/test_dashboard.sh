#!/usr/bin/env bash
# The dashboard in a browser without a window. $TRAINYARD is the program; SCREENSHOTS a folder for photographs of the page.
# Exit 77 with the reason where something that it needs is missing.
set -euo pipefail
: "${TRAINYARD:?the program to test}"
here=$(cd "$(dirname "$0")" && pwd)

skip()
{
    echo "skipped: $1"
    exit 77
}
[ -x "$(dirname "$TRAINYARD")/trainyard-serve" ] || skip "the emulator is not built here"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium (package: chromium)"
command -v node >/dev/null || skip "no Node.js (package: nodejs)"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || skip "Node.js is older than 18"

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$work"' EXIT
"$TRAINYARD" serve --state "$work/state" --port 0 --plain-port 0 --clock manual --ready-file "$work/ready.json" >"$work/log" 2>&1 &
server=$!
for ((i = 0; i < 500; i++)); do
    [ ! -s "$work/ready.json" ] || break
    kill -0 "$server" 2>/dev/null || { cat "$work/log"; exit 1; }
    sleep 0.02
done
fact()
{
    sed -n "s/.*\"$1\": \"\\([^\"]*\\)\".*/\\1/p" "$work/ready.json"
}
[ -z "${SCREENSHOTS:-}" ] || mkdir -p "$SCREENSHOTS"
timeout 240 node "$here/test_dashboard.mjs" "$chromium" "$(fact plain)" "$(fact subscription)" ${SCREENSHOTS:+"$SCREENSHOTS"}
