#!/usr/bin/env bash
# trainyard ranks: ranks as processes, what they print, how they end, and a training on two of them.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$source_folder/tests/trainer/comm/mpi/support.sh"

export TMPDIR=$work
nothing_is_left()
{
    pass_or_fail "the launcher's folder is left" [ -z "$(find "$work" -name 'trainyard-ranks-*')" ]
}

# gone PROCESS...: soon none of them runs any more; one that nobody has asked after since is no process.
gone()
{
    local ids
    printf -v ids '%s,' "$@"
    for _ in $(seq 100); do
        ps -o stat= -p "${ids%,}" | grep -qv '^Z' || return 0
        sleep 0.1
    done
    return 1
}

if ! starts_programs; then
    echo "skipped: verbs of another machine's programs cannot be started here"
    finish
fi

example "each rank learns its place"
# shellcheck disable=SC2016 # the rank's shell expands it
trainyard ranks --ranks 3 -- sh -c 'echo "$TRAINYARD_RANK of $TRAINYARD_RANKS, here $TRAINYARD_LOCAL_RANK of $TRAINYARD_LOCAL_RANKS, ${TRAINYARD_LOCAL_GPUS-no GPUs}"'
exit_is 0
stderr_is_empty
holds [ "$(sort stdout | paste -sd ';')" = "0 of 3, here 0 of 3, no GPUs;1 of 3, here 1 of 3, no GPUs;2 of 3, here 2 of 3, no GPUs" ]
nothing_is_left

example "ranks share the GPUs that are asked for, whose numbers stay the user's"
# shellcheck disable=SC2016
CUDA_VISIBLE_DEVICES=5,7 trainyard ranks --gpus 2 --ranks-per-gpu 2 -- sh -c 'echo "$TRAINYARD_RANK $TRAINYARD_RANKS $TRAINYARD_LOCAL_GPUS $CUDA_VISIBLE_DEVICES"'
exit_is 0
holds [ "$(sort stdout | paste -sd ';')" = "0 4 2 5,7;1 4 2 5,7;2 4 2 5,7;3 4 2 5,7" ]

example "rank 0 has the standard input, the others have none"
# shellcheck disable=SC2016
echo "a line" | "$TRAINYARD" ranks -n 2 --tag -- sh -c 'cat; echo "end of $TRAINYARD_RANK"' >stdout 2>stderr
status=$?
exit_is 0
holds [ "$(sort stdout | paste -sd ';')" = "[0] a line;[0] end of 0;[1] end of 1" ]

example "lines come whole, also where the last has no end"
# shellcheck disable=SC2016
trainyard ranks -n 3 --tag -- sh -c 'for i in $(seq 300); do printf "rank %s " "$TRAINYARD_RANK"; printf "line %s\n" "$i"; done; printf "last of %s" "$TRAINYARD_RANK" >&2'
exit_is 0
holds [ "$(grep -cE '^\[([0-2])\] rank \1 line [0-9]+$' stdout) $(wc -l <stdout)" = "900 900" ]
holds [ "$(sort stderr | paste -sd ';')" = "[0] last of 0;[1] last of 1;[2] last of 2" ]

example "the first rank that fails is named, and the others are asked to end"
# shellcheck disable=SC2016
trainyard ranks --ranks 3 -- sh -c 'trap "echo asked; exit 1" TERM; [ "$TRAINYARD_RANK" = 1 ] || { sleep 100 & echo $$ >pid.$TRAINYARD_RANK; wait; }
    while [ ! -s pid.0 ] || [ ! -s pid.2 ]; do sleep 0.05; done; exit 7'
exit_is 7
holds [ "$(cat stderr)" = "trainyard: ranks: rank 1 of 3 ended with exit code 7" ]
holds [ "$(cat stdout)" = "$(printf 'asked\nasked')" ]
holds gone "$(cat pid.0)" "$(cat pid.2)"
nothing_is_left

example "who does not end when asked to is killed, with all that it has started"
# shellcheck disable=SC2016
trainyard ranks --ranks 2 --grace 300ms -- sh -c 'trap "" TERM; [ "$TRAINYARD_RANK" = 1 ] || { sleep 100000 & echo $! >child; wait; wait; }; while [ ! -s child ]; do sleep 0.1; done; exit 9'
exit_is 9
holds gone "$(cat child)"

example "a rank that a signal ends is named with it"
# shellcheck disable=SC2016
trainyard ranks --ranks 2 -- sh -c '[ "$TRAINYARD_RANK" = 0 ] || exec sleep 100; sleep 0.2; kill -KILL $$'
exit_is 137
stderr_begins "trainyard: ranks: rank 0 of 2 was ended by signal 9 (Killed)"

# signalled SIGNAL-OF-FIRST...: to a launcher of two ranks that count what comes. They are ready once nothing is left to start: dash forgets
# a signal that comes while it does. What a shell without job control starts in the background would ignore SIGINT.
signalled()
{
    rm -f ready.*
    # shellcheck disable=SC2016
    env --default-signal=INT "$TRAINYARD" ranks --ranks 2 -- sh -c 'trap "echo int; exit 3" INT; trap "echo term; exit 4" TERM; sleep 100 & echo $$ >ready.$TRAINYARD_RANK; wait' >stdout 2>stderr &
    child=$!
    while [ ! -s ready.0 ] || [ ! -s ready.1 ]; do sleep 0.05; done
    for signal in "$@"; do
        kill "-$signal" "$child"
    done
    wait "$child"
    status=$?
}

example "signals are passed on, and nothing is made of how ranks end then"
signalled INT
exit_is 3
holds [ "$(sort stdout | uniq)" = int ]
stderr_is_empty
signalled TERM
exit_is 4
holds [ "$(sort stdout | uniq)" = term ]
nothing_is_left

example "a launcher that is killed takes its ranks along"
rm -f ready.*
# shellcheck disable=SC2016
"$TRAINYARD" ranks --ranks 2 -- sh -c 'echo $$ >ready.$TRAINYARD_RANK; exec sleep 1000' >stdout 2>stderr &
child=$!
while [ ! -s ready.0 ] || [ ! -s ready.1 ]; do sleep 0.05; done
kill -KILL "$child"
wait "$child" 2>>stderr
holds gone "$(cat ready.0)" "$(cat ready.1)"
rm -rf trainyard-ranks-*

example "a program that is not there"
trainyard ranks --ranks 3 -- no-such-program
exit_is 3
stdout_is_empty
stderr_begins 'trainyard: ranks: starting "no-such-program" failed: No such file or directory'
stderr_has "hint: neither trainyard-no-such-program beside this program nor no-such-program on PATH"
nothing_is_left

example "wrong options are named"
trainyard ranks --ranks 2
exit_is 2
stderr_begins "trainyard: ranks: expected -- PROGRAM [ARGUMENT...], got nothing"
trainyard ranks -- true
exit_is 2
stderr_begins "trainyard: ranks: expected --gpus or --ranks, got neither"
trainyard ranks --ranks-per-gpu 2 -- true
exit_is 2
trainyard ranks --ranks 2 --ranks-per-gpu 2 -- true
exit_is 2
stderr_begins "trainyard: ranks: --ranks-per-gpu needs --gpus"
trainyard ranks --gpus 2 --ranks 3 -- true
exit_is 2
stderr_begins "trainyard: ranks: --ranks is 3, but --gpus makes 2"
trainyard ranks --gpus 1000 --ranks-per-gpu 2 -- true
exit_is 2
trainyard ranks --ranks 0 -- true
exit_is 2

# --- Ranks of our own

example "bench-allreduce on ranks without MPI"
trainyard ranks --ranks 2 -- bench-allreduce -b 8 -e 64KiB -f 8 -n 3 -w 1 --check
exit_is 0
stdout_has "# 2 ranks by tcp, 2 on the machine of rank 0"
stdout_has "# Out of bounds values : 0 OK"

example "a rank that never comes is named"
# shellcheck disable=SC2016
trainyard ranks --ranks 3 --timeout 500ms -- sh -c '[ "$TRAINYARD_RANK" != 2 ] || exec sleep 100; exec "$0" bench-allreduce' "$TRAINYARD"
exit_is 3
stderr_has "rank 2 of 3 has not come within 500 ms"

example "MPI is not taken for one process where ranks are several"
trainyard ranks --ranks 2 -- bench-allreduce --comm mpi -e 8
exit_is 3
holds grep -qE "Open MPI finds only this one|this build has no communication" stderr
example "NCCL where it cannot be says so in a line"
trainyard ranks --ranks 2 -- bench-allreduce --comm nccl -e 8
exit_is 3
holds [ "$(head -n 1 stderr | cut -c 1-40)" != "" ]

trainyard make-cifar --images 12 data
exit_is 0
small=(train --data-dir data --limit 6 --batch-size 4 --deterministic)

example "two ranks train one model, and only one of them speaks"
trainyard ranks --ranks 2 -- "${small[@]}" --epochs 2 --dir ranks --timeline
exit_is 0
stderr_is_empty
holds [ "$(grep -c '^Epoch ' stdout) $(grep -c '^Test loss' stdout)" = "2 1" ]
stdout_has "2 (tcp) of 1 thread"
stdout_has "Learning rate  0.0002 = 0.0001 * 2 ranks"
holds grep -q '^allreduce' ranks/logs/timeline.rank1.tsv

example "two ranks resume exactly"
mkdir -p half/logs
cp ranks/logs/checkpoint-1.h5 half/logs
trainyard ranks --ranks 2 -- "${small[@]}" --epochs 2 --dir half --resume latest --verbose 0
exit_is 0
holds cmp ranks/logs/checkpoint-2.h5 half/logs/checkpoint-2.h5

example "what all ranks meet is said once, and by the launcher"
trainyard ranks --ranks 2 -- "${small[@]}" --steps 9
exit_is 2
holds [ "$(grep -c -e '--steps' stderr)" -eq 1 ]
stderr_has "--steps: rank 0: is 9, but an epoch has 2 steps"

example "a lost rank ends the others, and the checkpoints before are whole"
# shellcheck disable=SC2016
"$TRAINYARD" ranks --ranks 2 -- sh -c 'echo $$ >pid.$TRAINYARD_RANK; exec "$@"' sh "$TRAINYARD" "${small[@]}" --epochs 100000 --dir long --verbose 0 >stdout 2>stderr &
child=$!
for _ in $(seq 600); do
    [ ! -e long/logs/checkpoint-2.h5 ] || break
    sleep 0.1
done
kill -KILL "$(cat pid.1)"
wait "$child"
status=$?
exit_is 137
stderr_has "trainyard: ranks: rank 1 of 2 was ended by signal 9"
trainyard ranks --ranks 2 -- "${small[@]}" --epochs "$(find long/logs -name 'checkpoint-*.h5' | wc -l)" --dir long --resume latest --verbose 0
exit_is 0

# Sums of two are the same in any order, so two ranks train to the same bits however they talk.
if command -v mpirun >/dev/null && (trainyard bench-allreduce --comm mpi -e 8; [ "$status" -eq 0 ]); then
    example "two ranks by TCP and by MPI train the same weights"
    timeout 120 mpirun -n 2 "$TRAINYARD" "${small[@]}" --epochs 2 --dir by-mpi --verbose 0 >stdout 2>stderr
    status=$?
    exit_is 0
    holds cmp ranks/logs/checkpoint-2.h5 by-mpi/logs/checkpoint-2.h5
fi

finish
