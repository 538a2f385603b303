#!/usr/bin/env bash
# Processor seconds of runs of an overloaded log in which nearly all jobs wait together, by policy and number of jobs.
#
#   tools/long_queue.sh [PROGRAM]   (default: build/release/bin/trainyard)
#
# The log is made by tools/lublin_swf.py, and its jobs come fifty times as fast as 32 nodes of 8 GPUs could serve them.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

program=$(realpath "${1:-build/release/bin/trainyard}")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
sizes="2000 4000 8000"
policies="service shortest fair-share priority-preemptive backfill srtf conservative"

for size in $sizes; do
    tools/lublin_swf.py "$size" 256 1 >"$folder/log.swf"
    (cd "$folder" && "$program" import swf log.swf -o "log$size.csv" --scenario "log$size.json" --nodes 32x8 --pool --scale-load 50 -q)
done
# shellcheck disable=SC2086 # the columns
printf '%-20s' jobs $sizes
echo
for policy in $policies; do
    printf '%-20s' "$policy"
    for size in $sizes; do
        TIMEFORMAT=%U
        { time "$program" run "$folder/log$size.json" --param policy="$policy" -q 2>/dev/null; } 2>"$folder/time"
        printf '%-20s' "$(<"$folder/time") s"
    done
    echo
done
