#!/usr/bin/env bash
# One test of sums on emulated GPUs: run.sh PROGRAM RANKS WORD CASE, where PROGRAM is nccl_ranks. Exit code 77: skipped.
set -uo pipefail
# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$(dirname "$0")/../mpi/support.sh"

program=$1
ranks=$2
word=$3
test=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

fail()
{
    echo "not ok: $*"
    sed 's/^/    stderr: /' "$work/stderr"
    exit 1
}

launcher=()
if [ "$ranks" -gt 1 ]; then
    need_mpirun
    # Linear sums add ranks in a fixed order. The emulated NCCL uses the same order, so both give
    # the same bits.
    launcher=(mpirun -n "$ranks" --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 1)
fi
timeout 600 "${launcher[@]}" "$program" "$word" "$test" >"$work/stdout" 2>"$work/stderr"
status=$?
last=$((ranks - 1))
case $test in
broken)
    [ $status -eq 5 ] || fail "exit code $status, expected 5"
    grep -q "rank $last of $ranks, step 7: NCCL: remote process exited" "$work/stderr" || fail "rank and step are not named"
    ;;
gone)
    [ $status -eq 9 ] || fail "exit code $status, expected 9"
    grep -q "Process name: .*,$last\]" "$work/stderr" || fail "the rank is not named"
    ;;
*)
    [ $status -eq 0 ] || fail "exit code $status"
    [ ! -s "$work/stderr" ] || fail "something on stderr"
    ;;
esac
