#!/usr/bin/env bash
# One test of communication between ranks: run.sh PROGRAM RANKS TEST, where PROGRAM is comm_ranks. Exit code 77: skipped.
set -uo pipefail
source "$(dirname "$0")/support.sh"

program=$1
ranks=$2
test=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "not ok: $*"
    sed 's/^/    stdout: /' "$work/stdout"
    sed 's/^/    stderr: /' "$work/stderr"
    exit 1
}

# on_ranks OPTION-OF-MPIRUN... -- CASE...
on_ranks()
{
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    timeout 600 mpirun -n "$ranks" "${options[@]}" "$program" auto mpi "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

# stderr must be empty: a warning of Open MPI at every start would hide important messages.
ends_well()
{
    [ $status -eq 0 ] || fail "exit code $status"
    [ ! -s "$work/stderr" ] || fail "something on stderr"
}

# The bits are those of one process, and the same when repeated and in the next run.
test_talk()
{
    local first
    on_ranks -- places twins barrier steps repeats errors refusals
    ends_well
    first=$(cat "$work/stdout")
    on_ranks -- repeats
    ends_well
    [ "$(cat "$work/stdout")" = "$first" ] || fail "a second run has other bits than $first"
}

# The default is Rabenseifner's algorithm, and the user's choice takes precedence: with 4 ranks the
# ring algorithm gives other bits.
test_order()
{
    local ours same ring
    on_ranks -- repeats
    ends_well
    ours=$(cat "$work/stdout")
    on_ranks --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 6 -- repeats
    ends_well
    same=$(cat "$work/stdout")
    on_ranks --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 4 -- repeats
    ends_well
    ring=$(cat "$work/stdout")
    [ "$ours" = "$same" ] || fail "not the bits of Rabenseifner's algorithm"
    [ "$ours" != "$ring" ] || fail "the user's choice of algorithm has no effect"
}

test_stalls()
{
    on_ranks -- stalls other_step
    ends_well
}

test_abort()
{
    on_ranks -- abort
    [ $status -eq 42 ] || fail "exit code $status, expected 42"
    grep -qF "said before the end" "$work/stdout" "$work/stderr" || fail "earlier output is lost" # Open MPI 5 has it in stderr
}

test_lost()
{
    on_ranks -- lost
    [ $status -eq 137 ] || fail "exit code $status, expected 128 + SIGKILL"
    tr '\n' ' ' <"$work/stderr" | grep -q "process rank $((ranks - 1)) .* exited on signal 9" || fail "the lost rank is not named"
}

# Without mpirun, MPI is used only on request, with one rank. A launcher of another MPI is detected.
test_alone()
{
    "$program" auto local alone >"$work/stdout" 2>"$work/stderr"
    status=$?
    ends_well
    "$program" mpi mpi places twins barrier steps repeats >"$work/stdout" 2>"$work/stderr"
    status=$?
    ends_well
    PMI_SIZE=3 PMI_RANK=0 "$program" auto mpi places >"$work/stdout" 2>"$work/stderr"
    status=$?
    [ $status -eq 3 ] || fail "exit code $status, expected 3"
    grep -qF "3 ranks or more were started, but Open MPI finds only this one" "$work/stderr" || fail "the message is missing"
}

[ "$test" = alone ] || need_mpirun
"test_$test"
