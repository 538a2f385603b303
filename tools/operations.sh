#!/usr/bin/env bash
# Writes emu/OPERATIONS.md: every operation of the emulator with the answers that its tests receive. With --check it only compares;
# exit code 1 if the file is not up to date.
#     tools/operations.sh [--check] [BUILD]        BUILD: build/release by default
set -euo pipefail
cd "$(dirname "$0")/.."

check=
[ "${1:-}" != --check ] || { check=1; shift; }
build=${1:-build/release}
logs=$(mktemp -d)
trap 'rm -r "$logs"' EXIT

build=$(cd "$build" && pwd)
# A test file that records its answers includes one of these headers, directly or not.
mapfile -t tests < <(cd tests/emu && find . -name 'test_*.c' -exec grep -l 'operations_log\|arm_client\|files_service' {} + |
    sed 's|^\./||; s|test_||; s|\.c$||' | LC_ALL=C sort)
for test in "${tests[@]}"; do
    folder=$(dirname "emu/$test")
    mkdir -p "$logs/$(dirname "$test")"
    TRAINYARD_OPERATIONS_LOG=$logs/$test "$build/bin/test_${folder//\//_}" "${test##*/}" >"$logs/output" 2>&1 ||
        { cat "$logs/output" >&2; exit 1; }
done
rm "$logs/output"
mapfile -t tests < <(cd "$logs" && find . -type f -printf '%P\n' | LC_ALL=C sort)
(cd "$logs" && "$build/bin/operations_table" "${tests[@]}") >"$logs/OPERATIONS.md"

if [ -z "$check" ]; then
    cp "$logs/OPERATIONS.md" emu/OPERATIONS.md
elif ! diff -u emu/OPERATIONS.md "$logs/OPERATIONS.md"; then
    echo "operations: emu/OPERATIONS.md differs from the answers of the tests; run tools/operations.sh" >&2
    exit 1
fi
