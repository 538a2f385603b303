#!/usr/bin/env bash
# The pages that trainyard writes, in a browser without a window: on a desktop and on a phone no page scrolls sideways, and no text of a
# plot is cut. $TRAINYARD is the program; SCREENSHOTS a folder for photographs. Exit 77 with the reason where something is missing.
set -euo pipefail
: "${TRAINYARD:?the program to test}"
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)

skip()
{
    echo "skipped: $1"
    exit 77
}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium (package: chromium)"
command -v node >/dev/null || skip "no Node.js (package: nodejs)"
command -v gnuplot >/dev/null || skip "no gnuplot (package: gnuplot-nox)"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || skip "Node.js is older than 18"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$TRAINYARD" run "$tree/scenarios/nodes/crash-resume" -o run -q
"$TRAINYARD" run "$tree/scenarios/cifar10-horovod" -o tutorial -q
"$TRAINYARD" sweep "$tree/scenarios/workloads/poisson" --vary rate=6/h,10/h --metric cost_usd.total --seeds 5 -o sweep -q
"$TRAINYARD" plan "$tree/scenarios/studies/train-8b/study.json" -o plan -q >/dev/null
cp -r "$tree/tests/cli/compare" .
cp "$tree"/scenarios/catalog/*.json compare/
"$TRAINYARD" compare compare/scenario.json --measured compare/measured -o compared >/dev/null || [ $? -eq 1 ]
[ -z "${SCREENSHOTS:-}" ] || mkdir -p "$SCREENSHOTS"
timeout 240 node "$here/test_pages.mjs" "$chromium" "${SCREENSHOTS:-}" run/report.html tutorial/report.html sweep/report.html plan/report.html compared/compare.html
