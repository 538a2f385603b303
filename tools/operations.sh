#!/usr/bin/env bash
# Writes emu/OPERATIONS.md: every operation of the emulator with the answers that its tests see. With --check it only says
# whether the file is up to date, exit 1 when not.
#     tools/operations.sh [--check] [BUILD]        BUILD: build/release by default
set -euo pipefail
cd "$(dirname "$0")/.."

check=
[ "${1:-}" != --check ] || { check=1; shift; }
build=${1:-build/release}
logs=$(mktemp -d)
trap 'rm -r "$logs"' EXIT

for program in $(cd tests/emu && grep -l 'operations_log\|arm_client\|files_service' test_*.c); do
    program=${program%.c}
    TRAINYARD_OPERATIONS_LOG=$logs/$program CK_DEFAULT_TIMEOUT=240 "$build/bin/$program" >"$logs/output" 2>&1 ||
        { cat "$logs/output" >&2; exit 1; }
done
rm "$logs/output"
"$build/bin/operations_table" "$logs"/test_* >"$logs/OPERATIONS.md"

if [ -z "$check" ]; then
    cp "$logs/OPERATIONS.md" emu/OPERATIONS.md
elif ! diff -u emu/OPERATIONS.md "$logs/OPERATIONS.md"; then
    echo "operations: emu/OPERATIONS.md is not what the tests say: run tools/operations.sh" >&2
    exit 1
fi
