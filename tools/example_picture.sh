#!/usr/bin/env bash
# Makes the pictures that README.md shows, as chromium draws them in light colours: reports/example.png, the top of the tutorial's
# report, and reports/plan.png, the top of the report of a plan (scenarios/studies/cifar-team).
#
#   tools/example_picture.sh [PROGRAM]     PROGRAM: trainyard (default: that of preset release)
#
# Needs chromium, and gnuplot as every report. Fonts differ between machines, so no test compares the pictures.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

program=${1:-build/release/bin/trainyard}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "example_picture: chromium is missing (package chromium)" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# picture PAGE HEIGHT FILE
picture()
{
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --blink-settings=preferredColorScheme=1 --window-size=1000,"$2" \
        --screenshot="$PWD/reports/$3" "file://$work/$1/report.html" 2>"$work/log" ||
        { cat "$work/log" >&2; exit 3; }
}

"$program" run scenarios/cifar10-horovod/scenario.json --quiet -o "$work/run"
picture run 1475 example.png
"$program" plan scenarios/studies/cifar-team/study.json --quiet -o "$work/plan"
picture plan 990 plan.png
