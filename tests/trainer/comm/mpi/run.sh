#!/usr/bin/env bash
# One test of communication between ranks: run.sh PROGRAM RANKS TEST, PROGRAM being comm_ranks. Exit code 77: skipped.
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
    timeout 120 mpirun -n "$ranks" "${options[@]}" "$program" auto mpi "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

# Silence too: a warning of Open MPI at every start would drown what matters.
ends_well()
{
    [ $status -eq 0 ] || fail "exit code $status"
    [ ! -s "$work/stderr" ] || fail "something on stderr"
}

# Same bits as one process, same bits again, and in the next run.
test_talk()
{
    local first
    on_ranks -- places twins barrier steps repeats errors refusals
    ends_well
    first=$(cat "$work/stdout")
    on_ranks -- repeats
    ends_well
    [ "$(cat "$work/stdout")" = "$first" ] || fail "another run has other bits than $first"
}

# Rabenseifner's is what is asked for, and what a user asks for instead holds: with 4 ranks the ring's bits differ.
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
    [ "$ours" != "$ring" ] || fail "the order that the user asks for is not taken"
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
    grep -qF "said before the end" "$work/stdout" || fail "what was printed before is lost"
}

test_lost()
{
    on_ranks -- lost
    [ $status -eq 137 ] || fail "exit code $status, expected 128 + SIGKILL"
    grep -q "process rank $((ranks - 1)) .* exited on signal 9" "$work/stderr" || fail "the lost rank is not named"
}

# Without mpirun: no MPI unless asked for, and then one rank; another launcher is found out.
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
    grep -qF "3 ranks or more were started, but Open MPI finds only this one" "$work/stderr" || fail "no word of it"
}

[ "$test" = alone ] || need_mpirun
"test_$test"
