#!/usr/bin/env bash
# Runs every shipped scenario and stores trace.tsv (at level epochs) and summary.json in tests/golden/. Each test run compares
# them byte for byte. summary.json contains a fingerprint of all records, including single steps.
#
#   tools/golden_update.sh [PROGRAM]           writes tests/golden/
#   tools/golden_update.sh --check [PROGRAM]   only compares; exit code 1 if a file differs
#
# Checksums of files are left out, so that a new comment in a scenario or a new entry of a catalogue changes no golden.
#
# PROGRAM is the trainyard to run (default: builds preset release). A changed golden is reviewed like code: the commit says
# which model changed and why. The first lines of the Keras log (tests/sim/output/share/stdout_head.txt) are updated by their test:
# TRAINYARD_GOLDEN_UPDATE=1 build/dev/bin/test_sim_output_share keras_log.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

mode=update
if [ "${1:-}" = --check ]; then
    mode=check
    shift
fi
program=${1:-build/release/bin/trainyard}
if [ $# -eq 0 ]; then
    cmake --preset release >/dev/null
    cmake --build --preset release --target trainyard
fi

fresh=$(mktemp -d)
trap 'rm -r "$fresh"' EXIT

# Writes the golden of one scenario.
golden_of()
{
    local name run=$fresh/run.$BASHPID
    name=$(dirname "${1#scenarios/}")
    # Exit code 1 is allowed: some scenarios are about jobs that fail.
    "$program" run "$1" --quiet --trace epochs --no-share --no-timeline -o "$run" || [ $? -eq 1 ]
    mkdir -p "$fresh/golden/$name"
    sed -E '/^[^#]/q; s/^(#file .* )[0-9a-f]{16}$/\1.../' "$run/trace.tsv" >"$fresh/golden/$name/trace.tsv"
    grep -v '^#' "$run/trace.tsv" | tail -n +2 >>"$fresh/golden/$name/trace.tsv"
    sed -E 's/^(      "[^"]+": ")[0-9a-f]{16}("?,?)$/\1...\2/' "$run/summary.json" >"$fresh/golden/$name/summary.json"
    rm -r "$run"
}
export -f golden_of
export fresh program
find scenarios -name scenario.json -print0 | xargs -0 -P "$(nproc)" -n 1 bash -euo pipefail -c 'golden_of "$1"' _

if [ $mode = update ]; then
    rm -rf tests/golden
    mv "$fresh/golden" tests/golden
    find tests/golden -type f | LC_ALL=C sort | xargs wc -l
elif ! diff -r --brief tests/golden "$fresh/golden" >/dev/null; then
    (cd "$fresh" && diff -r --brief "$OLDPWD/tests/golden" golden | grep '^Only' | sed "s|$OLDPWD/||") || true
    # The first difference of each file: golden (-) against this run (+).
    while read -r file; do
        [ -e "$fresh/golden/$file" ] || continue
        diff -U 1 --label "golden/$file" --label "this run/$file" "tests/golden/$file" "$fresh/golden/$file" | head -n 7 || true
    done < <(cd tests/golden && find -- * -type f | LC_ALL=C sort)
    echo "golden: if the change is intended, run tools/golden_update.sh and say in the commit which model changed and why" >&2
    exit 1
else
    echo "golden: $(find tests/golden -name trace.tsv | wc -l) scenarios give the same bytes as before"
fi
