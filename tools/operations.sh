#!/usr/bin/env bash
# Runs the tests of the emulator that record answers, and writes emu/OPERATIONS.md: every operation with these answers. --check runs
# nothing: it compares the page with the answers of the last run of the tests; exit code 1 if the page is not up to date.
#     tools/operations.sh [--check] [BUILD]        BUILD: build/release by default, with unit tests
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

check=
[ "${1:-}" != --check ] || { check=1; shift; }
build=${1:-build/release}
build=$(cd "$build" && pwd)
[ -n "$check" ] || ctest --test-dir "$build" -L '^operations$' --output-on-failure
page=$(mktemp)
trap 'rm "$page"' EXIT

# A log is named after its test.
mapfile -t logs < <(cd "$build/operations" && find . -type f -printf '%P\n' | LC_ALL=C sort)
(cd "$build/operations" && "$build/bin/operations_table" "${logs[@]}") >"$page"

if [ -z "$check" ]; then
    cp "$page" emu/OPERATIONS.md
elif ! diff -u emu/OPERATIONS.md "$page"; then
    echo "operations: emu/OPERATIONS.md differs from the answers of the tests; run tools/operations.sh" >&2
    exit 1
fi
