#!/usr/bin/env bash
# Makes reports/example.png, which README.md shows: the top of the tutorial's report, as chromium draws it in light colours.
#
#   tools/example_picture.sh [PROGRAM]     PROGRAM: trainyard (default: that of preset release)
#
# Needs chromium, and gnuplot as every report. Fonts differ between machines, so no test compares the picture.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-build/release/bin/trainyard}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "example_picture: chromium is missing (package chromium)" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

"$program" run scenarios/cifar10-horovod/scenario.json --quiet -o "$work/run"
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --blink-settings=preferredColorScheme=1 --window-size=1000,1475 \
    --screenshot="$PWD/reports/example.png" "file://$work/run/report.html" 2>"$work/log" ||
    { cat "$work/log" >&2; exit 3; }
