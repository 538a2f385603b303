#!/usr/bin/env bash
# One test of sums on emulated GPUs: run.sh PROGRAM LAUNCHER RANKS WORD CASE, PROGRAM being nccl_ranks.
set -uo pipefail

program=$1
launcher=$2
ranks=$3
word=$4
test=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

fail()
{
    echo "not ok: $*"
    sed 's/^/    stderr: /' "$work/stderr"
    exit 1
}

timeout 120 "$launcher" --gpus "$ranks" -- "$program" "$word" "$test" >"$work/stdout" 2>"$work/stderr"
status=$?
last=$((ranks - 1))
case $test in
broken)
    [ $status -eq 5 ] || fail "exit code $status, expected 5"
    grep -q "rank $last of $ranks, step 7: NCCL: remote process exited" "$work/stderr" || fail "rank and step are not named"
    ;;
gone)
    [ $status -eq 9 ] || [ $status -eq 5 ] || fail "exit code $status"
    grep -q "rank $last is gone" "$work/stderr" || fail "the rank is not named"
    ;;
*)
    [ $status -eq 0 ] || fail "exit code $status"
    [ ! -s "$work/stderr" ] || fail "something on stderr"
    ;;
esac
