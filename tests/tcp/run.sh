#!/usr/bin/env bash
# One test of ranks that talk by TCP: run.sh PROGRAM LAUNCHER RANKS TEST, PROGRAM being comm_ranks, LAUNCHER trainyard-ranks.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
program=$1
launcher=$2
ranks=$3
test=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

fail()
{
    echo "not ok: $*"
    sed 's/^/    stdout: /' "$work/stdout"
    sed 's/^/    stderr: /' "$work"/stderr*
    exit 1
}

# on_ranks CASE...
on_ranks()
{
    timeout 120 "$launcher" --ranks "$ranks" --timeout "${meet:-60s}" -- "$program" "${word:-auto}" tcp "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

# rank N COMMAND...: starts one rank of a run, as a script without our launcher would.
rank()
{
    TRAINYARD_RANK=$1 TRAINYARD_RANKS=$ranks TRAINYARD_LOCAL_RANK=$1 TRAINYARD_LOCAL_RANKS=$ranks TRAINYARD_RUN=${run:-by-hand} \
        TRAINYARD_MEET=${meeting:-file:$work/meeting} TRAINYARD_MEET_TIMEOUT=${meet:-60s} \
        timeout 120 "${@:2}" >>"$work/stdout" 2>"$work/stderr.$1"
}

# by_hand CASE...: all ranks, the last first; statuses[] are their exit codes.
by_hand()
{
    local children=() number
    : >"$work/stdout"
    for ((number = ranks - 1; number >= 0; number--)); do
        rank "$number" "$program" auto tcp "$@" &
        children[number]=$!
    done
    statuses=()
    for ((number = 0; number < ranks; number++)); do
        wait "${children[number]}"
        statuses[number]=$?
    done
}

ends_well()
{
    [ $status -eq 0 ] || fail "exit code $status"
    [ ! -s "$work/stderr" ] || fail "something on stderr"
    [ -z "$(ls -d "$work"/trainyard-ranks-* 2>/dev/null)" ] || fail "the launcher's folder is left"
}

all_are()
{
    local each
    for each in "${statuses[@]}"; do
        [ "$each" -eq "$1" ] || fail "exit codes ${statuses[*]}, expected $1"
    done
}

says()
{
    grep -qF -- "$2" "$work/stderr.$1" || fail "rank $1 does not say: $2"
}

# Same bits as one process, same bits again, and in the next run.
test_talk()
{
    local first
    on_ranks places twins barrier steps repeats
    ends_well
    first=$(cat "$work/stdout")
    [ -n "$first" ] || fail "no bits to compare"
    word=tcp on_ranks repeats
    ends_well
    [ "$(cat "$work/stdout")" = "$first" ] || fail "another run has other bits than $first"
}

test_stalls()
{
    on_ranks stalls other_step
    ends_well
}

test_mismatch()
{
    on_ranks mismatch
    ends_well
}

test_check()
{
    on_ranks check
    ends_well
}

test_abort()
{
    on_ranks abort
    [ $status -eq 42 ] || fail "exit code $status, expected 42"
    grep -qF "said before the end" "$work/stdout" || fail "what was printed before is lost"
    by_hand abort
    all_are 42
    says 0 "rank $((ranks - 1)) has ended all ranks with exit code 42"
    [ "$ranks" -eq 2 ] || says 1 "rank $((ranks - 1)) has ended all ranks with exit code 42"
}

test_lost()
{
    on_ranks lost
    [ $status -eq 137 ] || fail "exit code $status, expected 128 + SIGKILL"
    grep -q "rank $((ranks - 1)) of $ranks was ended by signal 9" "$work/stderr" || fail "the lost rank is not named"
    by_hand lost
    [ "${statuses[ranks - 1]}" -eq 137 ] || fail "exit codes ${statuses[*]}"
    unset "statuses[ranks - 1]"
    all_are 3
    says 0 "rank 0 of $ranks: rank $((ranks - 1)) is gone"
    [ "$ranks" -eq 2 ] || says 1 "rank 1 of $ranks: rank 0 "
}

# At an address that all were told, and in a file; nothing is left of it.
test_by_hand()
{
    local port
    by_hand places twins
    all_are 0
    [ ! -e "$work/meeting" ] || fail "the meeting's file is left"
    port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    meeting=127.0.0.1:$port by_hand places twins
    all_are 0
}

# A rank that never comes is named by rank 0, and all end.
test_missing()
{
    local number children=()
    for ((number = 0; number < ranks; number++)); do
        [ $number -eq 1 ] || { meet=500ms rank $number "$program" auto tcp nothing & children+=($!); }
    done
    statuses=()
    for number in "${children[@]}"; do
        wait "$number"
        statuses+=($?)
    done
    all_are 3
    says 0 "rank 1 of $ranks has not come within 500 ms"
    [ "$ranks" -eq 2 ] || says 2 "rank 0 has sent it away: rank 1 of $ranks has not come within 500 ms"
    meet=300ms rank 1 "$program" auto tcp nothing
    [ $? -eq 3 ] || fail "a rank without rank 0 goes on"
    says 1 "rank 1 of $ranks: rank 0 has not come within 300 ms: no address of it was found"
    meeting=127.0.0.1:1 meet=300ms rank 1 "$program" auto tcp nothing
    says 1 "nobody answers at its address (127.0.0.1:1)"
}

# Two ranks of the same number, or of runs of other sizes: the second is sent away with a reason, and the first goes on.
test_refused()
{
    rank 0 "$program" auto tcp nothing &
    local first=$!
    (ranks=3 rank 2 "$program" auto tcp nothing)
    [ $? -eq 3 ] || fail "a rank of a larger run is let in"
    says 2 "rank 0 has sent it away: rank 2 was told of 3 ranks, rank 0 of 2"
    rank 1 "$program" auto tcp nothing || fail "the right rank is not let in"
    wait "$first" || fail "rank 0 did not go on"
    local variable
    for variable in TRAINYARD_RANK=2 TRAINYARD_RANK=x TRAINYARD_LOCAL_RANKS=0 TRAINYARD_MEET=nowhere TRAINYARD_RUN= "TRAINYARD_RUN=a b"; do
        rank 0 env "$variable" "$program" auto tcp nothing
        [ $? -eq 3 ] || fail "$variable is taken"
        grep -q "expected\|not set" "$work/stderr.0" || fail "no word about $variable"
    done
}

# Who does not belong to the run is sent away, however it begins, and disturbs nobody.
test_strangers()
{
    TRAINYARD_MEET_TIMEOUT=60s rank 0 "$program" auto tcp places twins &
    local first=$!
    rank 1 "$here/stranger.py" "$work/meeting" "$program" auto tcp places twins || fail "the right rank is not let in"
    grep -q disturbed "$work/stdout" || fail "nobody came"
    wait "$first" || fail "rank 0 was disturbed"
}

# What an earlier run has left in the file is not taken for this run's address.
test_stale()
{
    printf 'trainyard meeting 1\nrun earlier\nhost 127.0.0.1\nport 1\n' >"$work/meeting"
    meet=300ms rank 1 "$program" auto tcp nothing
    says 1 "the address found there is of another run (file:$work/meeting)"
    rank 1 "$program" auto tcp twins &
    local last=$!
    sleep 0.2
    rank 0 "$program" auto tcp twins || fail "rank 0 does not find rank 1"
    wait "$last" || fail "rank 1 does not find rank 0"
}

# One rank is no reason for connections, unless they are asked for.
test_alone()
{
    timeout 60 "$launcher" --ranks 1 -- "$program" auto local alone twins >"$work/stdout" 2>"$work/stderr"
    status=$?
    ends_well
    word=tcp on_ranks places twins barrier steps repeats
    ends_well
    "$program" tcp tcp places >"$work/stdout" 2>"$work/stderr"
    [ $? -eq 3 ] || fail "a process that nobody launched talks"
    grep -q "is not set" "$work/stderr" || fail "no word of what is missing"
}

"test_$test"
