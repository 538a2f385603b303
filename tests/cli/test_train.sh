#!/usr/bin/env bash
# trainyard train: what it prints and writes, resumption to the bit, endings, ranks.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$source_folder/tests/trainer/comm/mpi/support.sh"

trainyard make-cifar --images 12 data
exit_is 0
# 6 images in batches of 4: the last batch of an epoch has 2.
small=(train --data-dir data --limit 6 --batch-size 4)

stdout_is_json_with()
{
    pass_or_fail "summary lacks $1" /usr/bin/python3 -c "import json, sys; run = json.load(open('$work/stdout')); sys.exit(not ($1))"
}

# Waits until a line of FILE, which a running program writes, matches EXPRESSION; fails after two minutes.
appears()
{
    local i
    for ((i = 0; i < 2400; i++)); do
        ! grep -qE -e "$1" "$2" || return 0
        sleep 0.05
    done
    return 1
}

example "a training prints what the script prints"
trainyard "${small[@]}" --epochs 2
exit_is 0
stderr_is_empty
has_no_escapes
stdout_has "x_train shape: (6, 32, 32, 3)"
stdout_has "6 train samples"
stdout_has "6 test samples"
stdout_has "keras_cifar10_cnn, 1250858 parameters, 122.7 MFLOP an image"
stdout_has "Learning rate  0.0001 = 0.0001 * 1 rank"
stdout_has "Using real-time data augmentation."
stdout_has "Epoch 2/2"
holds [ "$(grep -cE '^2/2 \[={30}\] - [0-9]+s [0-9]+(us|ms|s)/step - loss: [0-9.]+ - acc: [0-9.e+]+ - val_loss: [0-9.]+ - val_acc: [0-9.e+]+$' stdout)" -eq 2 ]
stdout_has "Saved trained model at saved_models/keras_cifar10_trained_model.h5 "
holds grep -qE '^6/6 \[={30}\] - ' stdout
holds grep -qE '^Test loss: [0-9]+\.[0-9]+$' stdout
holds grep -qE '^Test accuracy: [01]\.[0-9]+$' stdout
holds [ "$(cd logs && echo checkpoint-*.h5 history.tsv)" = "checkpoint-1.h5 checkpoint-2.h5 history.tsv" ]
holds [ "$(wc -l <logs/history.tsv)" -eq 4 ]
holds [ "$(find logs -name 'events.out.tfevents.*' | wc -l)" -eq 1 ]
holds [ -z "$(find . -name '*.tmp')" ]

example "the saved model evaluates to the same score"
grep '^Test ' stdout >scores
trainyard evaluate --data-dir data --limit 6 saved_models/keras_cifar10_trained_model.h5
exit_is 0
holds grep -qF "$(grep accuracy scores)" stdout

example "a fresh start where checkpoints are says what becomes of them"
trainyard "${small[@]}" --epochs 1 --verbose 0
exit_is 0
stderr_begins "logs/checkpoint-2.h5: warning: belongs to an earlier training: this one replaces its checkpoints one by one"
stderr_has "hint: --resume latest continues it, another --log-dir keeps it"
holds [ "$(grep -c -e Epoch -e Setting stdout)" -eq 0 ]
stdout_has "Test loss: "

example "verbose 2 is a line an epoch"
trainyard "${small[@]}" --epochs 1 --verbose 2 --no-data-augmentation --dir two
exit_is 0
holds grep -qE '^ - [0-9]+s - loss: [0-9.]+ - acc: [0-9.e+]+ - val_loss: [0-9.]+ - val_acc: [0-9.e+]+$' stdout
stdout_has "Not using data augmentation."
stdout_has "two/logs/checkpoint-1.h5"

example "the time left of all epochs: after each, and in one line where nothing is printed"
trainyard "${small[@]}" --epochs 2 --dir timed
holds grep -qE '^    [0-9.]+ images/s, timed/logs/checkpoint-1\.h5 \([0-9.]+ MB\)  [0-9a-z ]+ left$' stdout
holds grep -qE '^    [0-9.]+ images/s, timed/logs/checkpoint-2\.h5 \([0-9.]+ MB\)$' stdout
if command -v script >/dev/null; then # the line appears after a second
    script -qec "exec '$TRAINYARD' train --data-dir data --limit 6 --epochs 10000 --dir timed --json" /dev/null </dev/null >stdout &
    child=$!
    holds appears 'train  [0-9]+ %  \[=*> *\]  [0-9a-z ]+ left' stdout
    kill -TERM "$(pgrep -P "$child")"
    wait "$child"
    status=$?
    exit_is 143
fi

example "a summary as JSON, and nothing else"
trainyard "${small[@]}" --epochs 2 --dir summary --seed 5 --json --timeline
exit_is 0
holds is_answer train-answer
stdout_is_json_with 'run["seed"] == 5 and run["steps_per_epoch"] == 2 and [e["epoch"] for e in run["epochs"]] == [1, 2]'
stdout_is_json_with 'run["epochs"][1]["val_loss"] == run["test_loss"] and run["checkpoint"] == "summary/logs/checkpoint-2.h5"'
holds /usr/bin/python3 -c 'import json; assert any(e.get("name") == "forward" for e in json.load(open("summary/logs/timeline.json"))["traceEvents"])'
# 4 steps, each begun by loading a batch, and three evaluations.
holds [ "$(grep -c '^load' summary/logs/timeline.rank0.tsv) $(grep -c '^evaluate' summary/logs/timeline.rank0.tsv)" = "4 3" ]

example "a profile of the stages changes no bit, and is drawn next to the rank"
# 40 steps an epoch, of which 2 to 33 are measured.
profiled=(train --data-dir data --limit 40 --batch-size 1 --epochs 2 --verbose 0)
trainyard "${profiled[@]}" --dir unprofiled
trainyard "${profiled[@]}" --dir profiled --profile --timeline
exit_is 0
stderr_is_empty
stdout_has "Mean of 64 steps of rank 0, by the "
holds grep -qE "^conv2d_1 forward +[0-9.]+ +[0-9.]+$" stdout
holds grep -qE "^step +[0-9.]+ +100\.0$" stdout
holds cmp unprofiled/logs/checkpoint-2.h5 profiled/logs/checkpoint-2.h5
cat >drawn.py <<'end'
import json
from decimal import Decimal
events = json.load(open("profiled/logs/timeline.json"), parse_float=Decimal)["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert names[1] == "rank 0" and names[2] in ("rank 0, processor", "rank 0, GPU"), names
slices = [e for e in events if e["ph"] == "X"]
steps = {(e["tid"], e["args"]["step"]): e for e in slices if e["name"].startswith("step ")}
assert sorted(s for t, s in steps if t == 2) == list(range(1, 33)) + list(range(41, 73))
for e in slices:
    if e["tid"] == 2:
        around = steps[1, e["args"]["step"]]
        assert around["ts"] <= e["ts"] and e["ts"] + e["dur"] <= around["ts"] + around["dur"], e
end
holds /usr/bin/python3 drawn.py
holds /usr/bin/python3 "$source_folder/tests/cli/files/nesting.py" profiled/logs/timeline.json summary/logs/timeline.json

example "trainer/README.md has the columns and the phases of the tables"
for table in history timeline.rank0; do
    for column in $(sed -n 2p "summary/logs/$table.tsv"); do
        holds grep -qF "\`$column\`" "$source_folder/trainer/README.md"
    done
done
for phase in $(sed 1,2d summary/logs/timeline.rank0.tsv | cut -f 1 | sort -u); do
    holds grep -qE "[( ]$phase(,| for a step)" "$source_folder/trainer/README.md"
done

example "a profile continues after a resumption, and is in the summary"
trainyard "${profiled[@]}" --dir parts-profiled --epochs 1 --profile
trainyard "${profiled[@]}" --dir parts-profiled --profile --resume latest --json
exit_is 0
holds is_answer train-answer
stdout_is_json_with 'run["profile"]["steps"] == 32 and abs(sum(s["percent"] for s in run["profile"]["stages"].values()) - 100) < 0.1'
stdout_is_json_with 'abs(sum(s["us"] for s in run["profile"]["stages"].values()) - run["profile"]["step_us"]) < 0.1'
stdout_is_json_with '[s for s in run["profile"]["stages"] if s in ("input", "conv2d_1 forward", "loss", "conv2d_1 backward", "update", "rest")] == ["input", "conv2d_1 forward", "loss", "conv2d_1 backward", "update", "rest"]'
holds cmp unprofiled/logs/checkpoint-2.h5 parts-profiled/logs/checkpoint-2.h5

example "an epoch of a single step has none to measure"
trainyard "${profiled[@]}" --dir single --steps 1 --epochs 1 --profile
exit_is 0
stdout_has "No step was measured for the profile."

example "HOROVOD_TIMELINE asks for a Chrome trace in its file"
HOROVOD_TIMELINE=horovod.json trainyard "${small[@]}" --epochs 1 --dir horovod
exit_is 0
holds /usr/bin/python3 -c 'import json; json.load(open("horovod.json"))'
holds [ ! -e horovod/logs/timeline.json ]

example "a Chrome trace that cannot be written is known before the training"
HOROVOD_TIMELINE=missing/horovod.json trainyard "${small[@]}" --epochs 1 --dir unwritten
exit_is 3
stderr_begins "missing/horovod.json: writing failed: No such file or directory"
stderr_has "hint: HOROVOD_TIMELINE names this file"
holds [ ! -e unwritten/logs/checkpoint-1.h5 ]

# resumes_exactly BACKEND PRECISION
resumes_exactly()
{
    local kind=(--backend "$1" --precision "$2" --deterministic --verbose 0)
    example "resumption is exact to the bit on $1 in $2"
    rm -rf straight parts
    trainyard "${small[@]}" "${kind[@]}" --epochs 3 --dir straight
    if [ "$status" -eq 3 ]; then
        stderr_has "no backend for \"$1\""
        return # this build or this machine has none: said in one line
    fi
    exit_is 0
    trainyard "${small[@]}" "${kind[@]}" --epochs 1 --dir parts
    trainyard "${small[@]}" "${kind[@]}" --epochs 3 --dir parts --resume latest
    exit_is 0
    stderr_is_empty
    for file in logs/checkpoint-2.h5 logs/checkpoint-3.h5 saved_models/keras_cifar10_trained_model.h5; do
        holds cmp "straight/$file" "parts/$file"
    done
    holds cmp <(cut -f 1-6 straight/logs/history.tsv) <(cut -f 1-6 parts/logs/history.tsv)
    example "resumption within an epoch is exact to the bit on $1 in $2"
    rm -rf parts
    trainyard "${small[@]}" "${kind[@]}" --epochs 2 --dir parts --checkpoint-every 3steps
    holds [ "$(cd parts/logs && echo checkpoint-*)" = "checkpoint-1-step-1.h5" ]
    trainyard "${small[@]}" "${kind[@]}" --epochs 3 --dir parts --resume latest
    exit_is 0
    stderr_is_empty
    for file in logs/checkpoint-2.h5 logs/checkpoint-3.h5 saved_models/keras_cifar10_trained_model.h5; do
        holds cmp "straight/$file" "parts/$file"
    done
    holds cmp <(cut -f 1-6 straight/logs/history.tsv) <(cut -f 1-6 parts/logs/history.tsv)
}
# tests/trainer/run/test_training.c does the same with each backend that needs no GPU.
resumes_exactly auto fp32
for precision in fp32 tf32 bf16; do
    resumes_exactly cuda "$precision"
done

example "another backend resumes with a warning"
trainyard "${small[@]}" --backend ref --epochs 1 --dir kinds --verbose 0
trainyard "${small[@]}" --backend cpu --epochs 2 --dir kinds --verbose 0 --resume latest
if [ "$status" -ne 3 ]; then
    exit_is 0
    stderr_has "kinds/logs/checkpoint-1.h5: warning: was trained with ref in fp32, and continues with"
fi

example "the latest checkpoint is the latest training's, not one of an earlier that came further"
trainyard "${small[@]}" --epochs 3 --dir again --verbose 0
trainyard "${small[@]}" --epochs 1 --dir again --verbose 0 --seed 9
trainyard "${small[@]}" --epochs 2 --dir again --seed 9 --resume latest
exit_is 0
stdout_has "2 of 2 steps, 1 done"
stderr_is_empty

example "another learning rate than before is said"
trainyard "${small[@]}" --epochs 3 --dir again --seed 9 --resume latest --verbose 0 --learning-rate 0.00005
exit_is 0
stderr_begins "again/logs/checkpoint-2.h5: warning: continues with another learning rate: it was 2 times as high"
stderr_has "hint: it was trained with --learning-rate 0.0001"

example "a batch takes no more memory than there are images for"
# peak_mib ARGUMENT...: resident memory of the program.
peak_mib()
{
    /usr/bin/python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024 if status == 0 else "failed")' "$TRAINYARD" "$@"
}
for backend in auto ref; do
    few=$(peak_mib "${small[@]}" --epochs 1 --dir vast --backend "$backend" --verbose 0)
    many=$(peak_mib "${small[@]}" --epochs 1 --dir vast --backend "$backend" --verbose 0 --batch-size 2048)
    holds [ "$many" -lt $((few + 200)) ]
done

example "wrong input is named"
trainyard "${small[@]}" --learning-rate -1
exit_is 2
stderr_begins 'trainyard: train: --learning-rate: is "-1", expected a number from 1e-09 to 100'
trainyard "${small[@]}" --checkpoint-every 3h2
exit_is 2
stderr_begins 'trainyard: train: --checkpoint-every: is "3h2", expected a number of epochs, steps or a time'
stderr_has "hint: for example 2epochs, 500steps or 10m"
trainyard "${small[@]}" --steps 3
exit_is 2
stderr_begins "trainyard: train: --steps: is 3, but an epoch has 2 steps"
stderr_has "hint: 6 images in batches of 4"
trainyard "${small[@]}" --epochs 1 --resume latest --log-dir nothing
exit_is 2
stderr_begins 'trainyard: train: --resume: there is no checkpoint in "nothing"'
holds [ ! -e nothing ]
trainyard "${small[@]}" --epochs 1 --resume data/test_batch.bin
exit_is 2
stderr_has "data/test_batch.bin"
trainyard "${small[@]}" --epochs 4 --dir again --resume latest --seed 2
exit_is 2
stderr_has "checkpoint-3.h5: belongs to another training: --seed was 9 and is 2"
trainyard "${small[@]}" --epochs 4 --dir again --resume latest --network probe_same
exit_is 2
stderr_has "checkpoint-3.h5: is of another network: "
stderr_has "hint: it was read as probe_same; --network names another network"
trainyard "${small[@]}" --network nothing
exit_is 2
stderr_begins 'trainyard: --network: network "nothing" cannot be trained here'
trainyard train --data-dir nowhere
exit_is 2
stderr_has "nowhere"
stderr_has "hint: --data-dir names another folder"
trainyard "${small[@]}" --backend onedn
exit_is 2
stderr_has 'did you mean "onednn"?'
trainyard "${small[@]}" extra
exit_is 2
stdout_is_empty
touch file
trainyard "${small[@]}" --epochs 1 --log-dir file/logs
exit_is 2
stderr_has '"file" is a file, expected a folder'

example "a damaged checkpoint: evaluate warns, and train names the one before it"
trainyard "${small[@]}" --epochs 2 --dir damaged --verbose 0
printf '@@@@' | dd of=damaged/logs/checkpoint-2.h5 bs=1 seek=900000 conv=notrunc 2>/dev/null
trainyard evaluate --data-dir data damaged/logs/checkpoint-2.h5
exit_is 0
stderr_has "damaged/logs/checkpoint-2.h5: warning: was changed or damaged after trainyard wrote it"
trainyard evaluate --data-dir data damaged/logs/checkpoint-1.h5
stderr_is_empty
for cut in none 1000 0; do
    [ $cut = none ] || truncate -s $cut damaged/logs/checkpoint-2.h5
    trainyard "${small[@]}" --epochs 3 --dir damaged --resume latest
    exit_is 2
    stderr_has "the one before it is damaged/logs/checkpoint-1.h5"
done

example "a second training in the folder of one that runs is refused"
exec 9<damaged/logs
flock 9
trainyard "${small[@]}" --epochs 2 --dir damaged
exit_is 2
stderr_begins "damaged/logs: another training writes to this folder"
stderr_has "hint: wait until it ends, or choose another --dir or --log-dir"
exec 9<&-
trainyard "${small[@]}" --epochs 1 --dir damaged --verbose 0
exit_is 0

example "a full disk leaves the last checkpoint unchanged"
mkdir full
trainyard "${small[@]}" --epochs 1 --dir full --verbose 0
cp full/logs/checkpoint-1.h5 before.h5
(
    ulimit -f 9000 # KiB: a checkpoint has 10 MB
    trainyard "${small[@]}" --epochs 2 --dir full --verbose 0 --resume latest
    exit "$status"
)
status=$?
exit_is 3
stderr_begins "full/logs/checkpoint-2.h5: writing failed: File too large"
stderr_has "hint: the last good checkpoint is full/logs/checkpoint-1.h5; --resume continues with it"
holds cmp before.h5 full/logs/checkpoint-1.h5
holds [ "$(echo full/logs/*.h5*)" = full/logs/checkpoint-1.h5 ]

# Starts a training that would last for minutes, and waits until it is at work.
begin_long()
{
    "$@" "$TRAINYARD" "${small[@]}" --epochs 100000 --dir long --verbose 2 >stdout 2>stderr &
    child=$!
    for _ in $(seq 2400); do
        [ ! -e long/logs/checkpoint-2.h5 ] || return
        sleep 0.05
    done
}

# The checkpoint that the hint names, and the epoch of "epoch 3, step 2".
last_named()
{
    grep -oE 'long/logs/checkpoint-[0-9]+(-step-[0-9]+)?.h5' stderr | tail -n 1
}
epoch_of()
{
    local words=${1%,*}
    echo "${words#epoch }"
}

example "a signal ends a training after a step with a checkpoint, and a hint says how to resume"
begin_long
kill -TERM "$child"
wait "$child"
status=$?
exit_is 143
holds grep -qE '^trainyard: train: ended by signal 15 in epoch [0-9]+, step [12]$' stderr
last=$(last_named)
holds [ -s "$last" ]
holds [ -z "$(find long -name '*.tmp')" ]
at=$(grep -oE 'epoch [0-9]+, step [0-9]+' stderr)
case $at in
*"step 1") holds [ "$last" = "long/logs/checkpoint-$(($(epoch_of "$at") - 1))-step-1.h5" ] ;;
*) holds [ "$last" = "long/logs/checkpoint-$(epoch_of "$at").h5" ] ;;
esac
trainyard "${small[@]}" --epochs $(($(epoch_of "$at") + 1)) --dir long --verbose 0 --resume latest
exit_is 0
stderr_is_empty
rm -rf long

example "a second signal ends a training at once, except SIGUSR1"
begin_long
kill -USR1 "$child"
kill -USR1 "$child"
wait "$child"
status=$?
exit_is 138
holds grep -qE '^trainyard: train: ended by signal 10 in epoch [0-9]+, step [12]$' stderr
holds [ -s "$(last_named)" ]
rm -rf long
begin_long
kill -STOP "$child" # so that both come before its next step
kill -USR1 "$child"
kill -TERM "$child"
kill -CONT "$child"
wait "$child"
status=$?
exit_is 143
holds grep -qE '^trainyard: train: ended by signal 15 in epoch [0-9]+, step [12]$' stderr
rm -rf long

example "a training that is killed at any moment continues from a whole checkpoint, to the bit"
killed=("${small[@]}" --deterministic --epochs 8 --verbose 0 --seed 3)
trainyard "${killed[@]}" --dir straight
trainyard "${small[@]}" --epochs 9 --verbose 0 --dir killed --checkpoint-every 1step # of another training
resume=()
kills=0
while read -r changes pause; do # is killed so many seconds after so many changes of the folder
    "$TRAINYARD" "${killed[@]}" --dir killed --checkpoint-every 1step "${resume[@]}" >stdout 2>stderr &
    child=$!
    for ((i = 0; i < changes; i++)); do
        before=$(ls -t killed/logs)
        while [ "$(ls -t killed/logs)" = "$before" ] && kill -0 "$child" 2>/dev/null; do
            sleep 0.005
        done
    done
    sleep "$pause"
    if kill -KILL "$child" 2>/dev/null; then
        kills=$((kills + 1))
    fi
    wait "$child" 2>/dev/null
    # Until the new training has written a file, the folder is the earlier training's.
    [ "$(sed 1,2d killed/logs/history.tsv | wc -l)" -ge 9 ] || resume=(--resume latest)
done <<'TABLE'
0 0.05
1 0
3 0
1 0.01
4 0.02
3 0.005
2 0
TABLE
holds [ $kills -gt 0 ]
trainyard "${killed[@]}" --dir killed --checkpoint-every 1step "${resume[@]}"
exit_is 0
holds cmp straight/saved_models/keras_cifar10_trained_model.h5 killed/saved_models/keras_cifar10_trained_model.h5
holds cmp <(cut -f 1-6 straight/logs/history.tsv) <(cut -f 1-6 killed/logs/history.tsv)
rm -rf straight killed

example "a rank is lost on request, and its training resumes with the same results"
trainyard "${small[@]}" --deterministic --epochs 3 --dir whole --verbose 0
exit_is 0
rehearsal=("${small[@]}" --deterministic --epochs 3 --dir lost --verbose 0 --fail-rank 0 --fail-step 5)
trainyard "${rehearsal[@]}"
exit_is 137
holds [ "$(cd lost/logs && echo checkpoint-*)" = "checkpoint-1.h5 checkpoint-2.h5" ]
trainyard "${rehearsal[@]}" --resume lost/logs/checkpoint-2.h5 # is after 4 steps, before the step numbered 5
exit_is 137
trainyard "${small[@]}" --deterministic --epochs 3 --dir lost --verbose 0 --resume latest
exit_is 0
holds cmp whole/logs/checkpoint-3.h5 lost/logs/checkpoint-3.h5
trainyard "${small[@]}" --epochs 4 --dir lost --verbose 0 --resume latest --fail-rank 0 --fail-step 5 # is after it
exit_is 0
rm -rf whole lost

example "a rank that gets notice saves at that step, continues and is lost"
rehearsal=("${small[@]}" --deterministic --epochs 100000 --dir notice --checkpoint-every 100000 --fail-rank 0 --fail-step 3)
trainyard "${rehearsal[@]}" --fail-notice 2s
exit_is 137
holds [ "$(cd notice/logs && echo checkpoint-*)" = "checkpoint-1-step-1.h5" ]
holds [ "$(grep -c '^Epoch ' stdout)" -gt 2 ] # it has continued, on a busy machine too
rm -rf notice

example "a failure that would not take place is refused"
trainyard "${small[@]}" --epochs 2 --fail-notice 2s
exit_is 2
stderr_begins "trainyard: train: --fail-notice: needs --fail-rank and --fail-step"
trainyard "${small[@]}" --epochs 2 --fail-notice 2s --fail-rank 0 --fail-step 0
exit_is 2
stderr_begins "trainyard: train: --fail-notice: needs a --fail-step of 1 or more: before that there is nothing to save"
trainyard "${small[@]}" --epochs 2 --fail-rank 0
exit_is 2
stderr_begins "trainyard: train: expected --fail-rank and --fail-step, or neither"
trainyard "${small[@]}" --epochs 2 --fail-rank 1 --fail-step 0
exit_is 2
stderr_begins "trainyard: train: --fail-rank: is 1, but the last rank is 0"
trainyard "${small[@]}" --epochs 2 --fail-rank 0 --fail-step 4
exit_is 2
stderr_begins "trainyard: train: --fail-step: is 4, but the last step of the training is 3"

# --- Several ranks

trainyard "${small[@]}" --epochs 1 --dir alone --comm mpi --verbose 0
if [ "$status" -eq 3 ] || ! command -v mpirun >/dev/null; then
    finish # this build or this machine has no ranks
fi
exit_is 0

last_of()
{
    find "$1/logs" -name 'checkpoint-*.h5' | sort -V | tail -n 1
}

on_ranks()
{
    timeout 600 mpirun -n "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

example "two ranks train one model, and only one of them speaks"
on_ranks 2 "$TRAINYARD" "${small[@]}" --deterministic --epochs 2 --dir ranks --timeline --profile
exit_is 0
holds grep -qE "^exchange +[0-9.]+ +[0-9.]+$" stdout
holds [ "$(grep -c '^Mean of [12] steps\? of rank 0' stdout)" -eq 1 ] # a GPU loads its kernels in one of them
holds grep -qE '"rank 1, (processor|GPU)"' ranks/logs/timeline.json
holds [ "$(grep -c '^Epoch ' stdout) $(grep -c '^Test loss' stdout)" = "2 1" ]
stdout_has "2 (mpi) of 1 thread"
stdout_has "Learning rate  0.0002 = 0.0001 * 2 ranks"
has_no_escapes
holds [ "$(cd ranks/logs && echo timeline.rank*)" = "timeline.rank0.tsv timeline.rank1.tsv" ]
holds grep -q '^allreduce' ranks/logs/timeline.rank1.tsv
cut -f 1-6 ranks/logs/history.tsv >history

example "two ranks resume exactly, too"
mkdir -p half/logs
cp ranks/logs/checkpoint-1.h5 half/logs
on_ranks 2 "$TRAINYARD" "${small[@]}" --deterministic --epochs 2 --dir half --resume latest --verbose 0
exit_is 0
holds cmp ranks/logs/checkpoint-2.h5 half/logs/checkpoint-2.h5

example "as one rank it is another training"
trainyard "${small[@]}" --epochs 3 --dir ranks --resume latest
exit_is 2
stderr_has "belongs to another training: ranks was 2 and is 1"

example "what all ranks meet is said once"
on_ranks 2 "$TRAINYARD" "${small[@]}" --steps 9
exit_is 2
holds [ "$(grep -c -e '--steps' stderr)" -eq 1 ]
stderr_has "--steps: rank 0: is 9, but an epoch has 2 steps"
holds [ "$(grep -c 'ended by signal' stderr)" -eq 0 ]

example "what one of two ranks meets ends both with its exit code, and it alone says so"
keep_code='"$@"; echo $? >code.$OMPI_COMM_WORLD_RANK'
on_ranks 1 bash -c "$keep_code" bash "$TRAINYARD" "${small[@]}" --epochs 1 --dir one-sided : \
    -n 1 bash -c "$keep_code" bash "$TRAINYARD" "${small[@]}" --epochs 1 --dir one-sided --data-dir nowhere
holds [ "$(cat code.0 code.1)" = $'2\n2' ]
stderr_has "nowhere: rank 1: there is no CIFAR-10 set"
holds [ "$(grep -c 'there is no CIFAR-10 set' stderr)" -eq 1 ]
on_ranks 1 bash -c "$keep_code" bash "$TRAINYARD" "${small[@]}" --epochs 1 --dir one-sided --backend ref : \
    -n 1 bash -c "$keep_code" bash "$TRAINYARD" "${small[@]}" --epochs 1 --dir one-sided --backend cuda
holds [ "$(cat code.0 code.1)" = $'3\n3' ] # a failure of the machine, with any other code of rank 0 where the code is lost

example "a rank of two that is lost on request"
on_ranks 2 "$TRAINYARD" "${small[@]}" --epochs 2 --dir lost --verbose 0 --fail-rank 1 --fail-step 2
exit_is 137
holds [ "$(cd lost/logs && echo checkpoint-*)" = "checkpoint-1.h5" ]

example "a lost rank ends the others with a message about their last step"
begin_long mpirun -n 2
kill -KILL "$(pgrep -P "$child" | tail -n 1)"
wait "$child"
status=$?
exit_is 137
stderr_has "process rank 1 with PID "
holds grep -qE '^trainyard: train: signal 15 in epoch [0-9]+, step [12]: ends after it with a checkpoint$' stderr
last=$(last_named)
holds [ -s "$last" ]
rm -f long/logs/*.tmp # of a rank that was killed while it wrote
holds [ "$(last_of long)" = "$last" ]

example "the checkpoint before a lost rank is whole: two ranks continue from it"
epoch=${last#*checkpoint-}
epochs=$((${epoch%%[!0-9]*} + 1))
on_ranks 2 "$TRAINYARD" "${small[@]}" --epochs "$epochs" --dir long --verbose 0 --resume "$last"
exit_is 0
rm -rf long

example "a notice to mpirun or to one of two ranks: both end after the same step, with a checkpoint"
for whom in mpirun rank; do
    begin_long mpirun -n 2
    if [ $whom = mpirun ]; then
        kill -USR1 "$child"
    else
        kill -USR1 "$(pgrep -P "$child" | tail -n 1)"
    fi
    wait "$child"
    status=$?
    exit_is 138
    holds [ "$(grep -cE '^trainyard: train: ended by signal 10 in epoch [0-9]+, step [12]$' stderr)" -eq 1 ]
    last=$(last_named)
    holds [ -s "$last" ]
    holds [ "$(last_of long)" = "$last" ]
    holds [ -z "$(find long -name '*.tmp')" ]
    rm -rf long
done

example "two ranks resume exactly within an epoch"
on_ranks 2 "$TRAINYARD" "${small[@]}" --deterministic --epochs 1 --dir within --checkpoint-every 1step --verbose 0
rm within/logs/checkpoint-1.h5
on_ranks 2 "$TRAINYARD" "${small[@]}" --deterministic --epochs 2 --dir within --resume latest
exit_is 0
stdout_has "2 of 2 steps, 0 and 1 step done"
holds cmp ranks/logs/checkpoint-2.h5 within/logs/checkpoint-2.h5
holds cmp history <(cut -f 1-6 within/logs/history.tsv)

# mpirun may end before it has passed on what a rank wrote last. It never adds a message, and Open MPI 4 does not lose it five times;
# Open MPI 5 always does.
example "a signal to mpirun ends both ranks, and only rank 0 reports the step"
for _ in 1 2 3 4 5; do
    rm -rf long
    begin_long mpirun -n 2
    kill -TERM "$child"
    wait "$child"
    status=$?
    reports=$(grep -cE '^trainyard: train: ended by signal 15 in epoch [0-9]+, step [12]$' stderr)
    holds [ "$status" -ne 0 ]
    holds [ "$reports" -le 1 ]
    [ "$reports" -eq 0 ] || break
done
if mpirun --version | grep -q ' 4\.'; then
    holds [ "$reports" -eq 1 ]
    holds [ -s "$(last_named)" ]
fi
rm -rf long

finish
