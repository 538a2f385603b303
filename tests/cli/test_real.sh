#!/usr/bin/env bash
# trainyard run --real: jobs of a scenario are trained in truth, by two ranks on a small set, and replayed.
# shellcheck shell=bash
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
scenario=$scenarios/real/cifar10-small/scenario.json

if ! command -v mpirun >/dev/null; then
    echo "skipped: no mpirun (Debian package openmpi-bin)"
    finish
fi
if ! "$TRAINYARD" make-cifar -q --images 20 cifar 2>/dev/null || ! "$TRAINYARD" train --help >/dev/null 2>&1; then
    echo "skipped: the trainer is not built here"
    finish
fi
if ! ldd "$(dirname "$TRAINYARD")/trainyard-train" | grep libmpi >/dev/null; then
    echo "skipped: the trainer is built without MPI"
    finish
fi

# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$source_folder/tests/trainer/comm/mpi/support.sh"

# real FOLDER [OPTION]...: ten steps of two epochs, by two ranks.
small=(--set /programs/0/batch_per_rank=4 --set /programs/0/steps_per_epoch=5)
real()
{
    local folder=$1
    shift
    trainyard run "$scenario" --real cpu --data cifar -o "$folder" "${small[@]}" "$@"
}
no_fault=(--set '/faults=[]')

# Of the job's stdouterr on the share.
printed()
{
    cat "$1"/share/mystorageaccount/myshare/0*/batchai/workspaces/dev/experiments/small/jobs/train/*/stdouterr/"$2"
}

example "a job is trained: its files are on the share, what it took is the world's"
shows=(--set '/commands/-={"after": "job train step 3", "do": "job.show", "name": "train"}')
real plain "${no_fault[@]}" "${shows[@]}"
exit_is 0
stderr_has 'job train, attempt 1: 2 ranks ran for real for'
for file in checkpoints/checkpoint-1.h5 checkpoints/checkpoint-2.h5 checkpoints/history.tsv train.py \
    0*/batchai/workspaces/dev/experiments/small/jobs/train/*/outputs/models/keras_cifar10_trained_model.h5; do
    # shellcheck disable=SC2086
    holds [ -s plain/share/mystorageaccount/myshare/$file ]
done
printed plain stdout.txt >stdout
stdout_has 'Epoch 2/2'
stdout_has 'Test accuracy:'
for rank in 0 1; do
    holds [ -s plain/real/train/attempt-1/timeline.rank$rank.tsv ]
done
holds [ ! -e plain/real/train/attempt-1/node ]
cp plain/real/train/attempt-1/ranks.json stdout
holds has_json 'run["ranks"] == 2 and run["batch"] == 4 and run["exit_code"] == 0 and run["took_ns"] > 1e8 and run["precision"] == "fp32" and run["network"] == "keras_cifar10_cnn"'
cp plain/summary.json stdout
holds has_json 'run["jobs"]["train"]["execution"] == "real" and run["jobs"]["train"]["state"] == "succeeded"'
holds has_json 'run["jobs"]["train"]["epochs"] == 2 and run["jobs"]["train"]["steps"] == 10 and run["jobs"]["train"]["ranks"] == 2'
holds has_json '0 <= run["jobs"]["train"]["val_accuracy"] <= 1'
took=$(/usr/bin/python3 -c 'import json; print(json.load(open("plain/real/train/attempt-1/ranks.json"))["took_ns"])')
holds grep -q "\"took\": \"${took}ns\"" plain/ran.json
holds grep -q '"job.reached"' plain/ran.json
holds grep -q 'command_applied.*job.show train' plain/trace.tsv

example "the reported results replay the run without running a command"
trainyard run "$scenario" --ran plain/ran.json -o replayed "${small[@]}" "${no_fault[@]}" "${shows[@]}"
exit_is 0
holds cmp plain/trace.tsv replayed/trace.tsv
holds cmp plain/summary.json replayed/summary.json
holds [ ! -e replayed/real ]
stderr_is_empty
trainyard run "$scenario" --ran plain/ran.json "${no_fault[@]}" --set /programs/0/batch_per_rank=8 --set /programs/0/steps_per_epoch=5
stderr_has 'warning: job "train" ran as keras_cifar10_cnn in fp32, 2 ranks, batches of 4, 2 epochs of 5 steps, but here it is'
stderr_has 'in fp32, 2 ranks, batches of 8, 2 epochs of 5 steps'
trainyard run "$scenario" --real cpu --ran plain/ran.json
exit_is 2
stderr_has '--real: does not go with --ran'

# changed_ran AS STATEMENT: writes plain/ran.json, changed by STATEMENT, to AS.
changed_ran()
{
    /usr/bin/python3 - "$1" "$2" <<'END'
import json, sys
entries = json.load(open("plain/ran.json"))
exec(sys.argv[2])
json.dump(entries, open(sys.argv[1], "w"), indent=1)
END
}

replays()
{
    trainyard run "$scenario" --ran "$1" -o untold "${small[@]}" "${no_fault[@]}" "${shows[@]}"
}

example "a record that does not say how a job went is refused, and nothing runs"
changed_ran unfinished.json 'entries.pop()'
replays unfinished.json
exit_is 2
stderr_begins 'unfinished.json: does not report how attempt 1 of job "train" ended'
holds [ ! -e untold/real ]
changed_ran empty.json 'entries.clear()'
replays empty.json
exit_is 0
stderr_has 'empty.json:1:1: warning: contains no job of the scenario: all jobs are modelled'
changed_ran kept.json 'next(entry for entry in entries if entry.get("kept"))["kept"] = 77'
replays kept.json
exit_is 2
stderr_has 'job "train" trains for 2 epochs and cannot have reached the end of epoch 77'
changed_ran epochs.json 'entries[-1]["epochs"] = 3'
replays epochs.json
exit_is 2
stderr_has 'job "train" trains for 2 epochs and cannot have reached the end of epoch 3'

example "a node that crashes at a step kills its rank there, and the next attempt resumes"
real crashed --set '/faults/0/after="job train step 7"'
exit_is 0
stderr_has 'until rank 1 was killed after step 7'
stderr_has 'job train, attempt 2: 2 ranks ran for real for'
printed crashed stdout.txt >stdout
stdout_has '1 done'
stdout_has 'Epoch 2/2'
holds [ "$(grep -c '^Epoch ' stdout)" = 1 ]
cp crashed/summary.json stdout
holds has_json 'run["jobs"]["train"]["attempts"] == 2 and run["jobs"]["train"]["epochs"] == 2 and run["jobs"]["train"]["lost_node_s"] > 0'
holds grep -q 'node.crash train' crashed/trace.tsv
holds grep -q '"kept": 1' crashed/ran.json
holds grep -q 'checkpoints/checkpoint-1.h5' crashed/trace.tsv # resumed from it, as predicted
cp crashed/real/train/attempt-1/ranks.json stdout
holds has_json 'run["exit_code"] == 137'
trainyard run "$scenario" --ran crashed/ran.json -o replayed "${small[@]}" --set '/faults/0/after="job train step 7"'
exit_is 0
holds cmp crashed/trace.tsv replayed/trace.tsv
killed_only=(--ran killed.json "${small[@]}" --set '/faults/0/after="job train step 7"')
/usr/bin/python3 -c 'import json; json.dump(json.load(open("crashed/ran.json"))[:2], open("killed.json", "w"))'
trainyard run "$scenario" "${killed_only[@]}"
exit_is 2
stderr_begins 'killed.json: does not report how attempt 2 of job "train" ended'
trainyard run "$scenario" "${killed_only[@]}" --until 6m # before there is an attempt 2
exit_is 0
stdout_has 'job train was still running when the run ended'

example "with checkpoints every three steps it resumes at the last of them, as predicted"
within=(--set '/programs/0/checkpoint/every="3 steps"' --set '/faults/0/after="job train step 8"')
real within "${within[@]}"
exit_is 0
printed within stdout.txt >stdout
stdout_has '2 of 5 steps, 1 and 1 step done'
cp within/summary.json stdout
holds has_json 'run["jobs"]["train"]["attempts"] == 2 and run["jobs"]["train"]["epochs"] == 2'
holds [ "$(cd within/share/mystorageaccount/myshare/checkpoints && echo checkpoint-*)" = \
    "checkpoint-0-step-3.h5 checkpoint-1-step-1.h5 checkpoint-1-step-4.h5" ]
holds grep -q 'job_resumed_within.*checkpoints/checkpoint-1-step-1.h5.*epochs=1 steps=1' within/trace.tsv
trainyard run "$scenario" --ran within/ran.json -o replayed "${small[@]}" "${within[@]}"
holds cmp within/trace.tsv replayed/trace.tsv
trainyard run "$scenario" -o modelled "${small[@]}" "${within[@]}" # the same files, and the same loss
holds [ "$(find modelled/share -name 'checkpoint-*' -printf '%f\n' | sort)" = "$(find within/share -name 'checkpoint-*.h5' -printf '%f\n' | sort)" ]
holds grep -q 'job_resumed_within.*checkpoints/checkpoint-1-step-1.h5.*epochs=1 steps=1' modelled/trace.tsv

# The notice is real time. In it any machine writes its checkpoint and makes a step, and none makes the 293 to the next checkpoint.
example "a preempted node: the ranks save at its notice, continue, and one is killed after it"
cat >notice.json <<'end'
{"catalog": 1, "sources": {"test": {"title": "of this test", "date": "2026-11-28"}},
 "service": {"preemption_notice": {"value": "1s", "source": "test", "assumption": true, "note": "short"}}}
end
preempted=(--set "/faults/0={\"after\": \"job train step 7\", \"do\": \"node.preempt\", \"job\": \"train\", \"node\": 2}"
    --set /programs/0/checkpoint/on_notice=true --set /commands/0/config/properties/vmPriority=lowpriority
    --set "/catalog/-=$PWD/notice.json" --set /programs/0/epochs=100 --set '/programs/0/checkpoint/every="300 steps"'
    --set '/expect=[]')
real preempted "${preempted[@]}"
exit_is 0
stderr_has 'until rank 1 was killed after its notice at step 7'
printed preempted stdout.txt >stdout
stdout_has '100 of 5 steps, 1 and 2 steps done'
holds grep -q 'node_notice.*preemption' preempted/trace.tsv
holds grep -q 'job_resumed_within.*checkpoints/checkpoint-1-step-2.h5.*epochs=1 steps=2' preempted/trace.tsv
# Steps after the notice were lost, and are known. No checkpoint was written at the loss.
holds /usr/bin/python3 -c 'import json
entries = json.load(open("preempted/ran.json"))
assert [e["step"] for e in entries if "kept" in e] == [7, 300]
assert [e["step"] for e in entries if "kept_steps" in e][0] == 7 and max(e.get("step", 0) for e in entries if "kept" not in e and "kept_steps" not in e) > 7'
trainyard run "$scenario" --ran preempted/ran.json -o replayed "${small[@]}" "${preempted[@]}"
holds cmp preempted/trace.tsv replayed/trace.tsv

example "a node that crashes at a time takes along what its ranks have written since"
real lost --set '/faults/0/after="job train started + 17s"' # the program begins after 16.8 s
exit_is 0
holds [ "$(grep -c 'ran for real' stderr)" = 2 ]
printed lost stdout.txt >stdout
stdout_has 'Epoch 1/2' # the checkpoints of the first attempt are of a time that has not come
cp lost/summary.json stdout
holds has_json 'run["jobs"]["train"]["attempts"] == 2 and run["jobs"]["train"]["epochs"] == 2'
trainyard run "$scenario" --ran lost/ran.json -o replayed "${small[@]}" --set '/faults/0/after="job train started + 17s"'
exit_is 0
holds cmp lost/trace.tsv replayed/trace.tsv

example "the time limit is the job's, in real time"
long=(--set /programs/0/epochs=100000 "${no_fault[@]}")
real late "${long[@]}" --set '/commands/1/config/properties/constraints={"maxWallClockTime": "PT18S"}'
exit_is 1
stderr_has 'ended by its maxWallClockTime'
cp late/summary.json stdout
holds has_json 'run["jobs"]["train"]["state"] == "failed" and run["jobs"]["train"]["run_s"] == 18'
holds [ -z "$(pgrep -f "trainyard-train.*$work/late")" ]

# begins FOLDER SIGNALS...: in the background, until the ranks print.
begins()
{
    local i
    env --default-signal=INT "$TRAINYARD" run "$scenario" --real cpu --data cifar -o "$1" "${small[@]}" "${long[@]}" >stdout 2>stderr &
    pid=$!
    for ((i = 0; i < 2400; i++)); do
        printed "$1" stdout.txt 2>/dev/null | grep '^Epoch' >/dev/null && return 0
        sleep 0.05
    done
    return 1
}

example "Ctrl-C ends the ranks, and the job is terminated"
holds begins stopped
kill -INT "$pid"
wait "$pid"
status=$?
exit_is 130
holds [ -z "$(pgrep -f "trainyard-train.*$work/stopped")" ]
cp stopped/summary.json stdout
holds has_json 'run["jobs"]["train"]["state"] == "failed" and run["jobs"]["train"]["error"]["code"] == "JobTerminated"'
holds grep -q '"job.terminate"' stopped/ran.json
holds [ -s stopped/report.html ]
trainyard run "$scenario" --ran stopped/ran.json -o replayed "${small[@]}" "${long[@]}"
exit_is 1
holds cmp stopped/trace.tsv replayed/trace.tsv
holds [ ! -e replayed/real ]
stderr_is_empty

example "a rank that is killed fails the job"
holds begins killed
pkill -KILL -n -f "^[^ ]*trainyard-train .*$work/killed"
wait "$pid"
status=$?
exit_is 1
stderr_has 'exit code 137'
cp killed/summary.json stdout
holds has_json 'run["jobs"]["train"]["state"] == "failed" and run["jobs"]["train"]["exit_code"] == 137'

example "what cannot run says why, and leaves no half of a run"
mkdir nothing
PATH=$work/nothing real unstarted "${no_fault[@]}"
exit_is 3
stderr_has 'mpirun: is not on PATH, and 2 ranks need it'
holds [ -z "$(ls unstarted)" ]
trainyard run "$scenario" --real cpu -o unstarted
exit_is 2
stderr_has '"cifar-10-batches-bin" contains no CIFAR-10 data set; job "train" needs one'
stderr_has '--data DIR'
trainyard run "$scenario" --real cpu --data nothing
exit_is 2
stderr_begins "$work/nothing: contains no CIFAR-10 data set; job \"train\" needs one"
mkdir -p mine/real && echo mine >mine/real/thesis.txt
real mine "${no_fault[@]}"
exit_is 2
stderr_has 'mine: contains a "real" that no run of trainyard made'
holds [ -s mine/real/thesis.txt ]
trainyard run small/scenario.json --real cpu
exit_is 2
stderr_has 'no job of the scenario trains a network that the trainer knows'
trainyard run "$scenario" --set '/session=[]' --real cpu --data cifar
exit_is 2
stderr_has 'a scenario with a "session" replays its recorded jobs; none can run for real'
mkdir real
/usr/bin/python3 - "$scenario" <<'END'
import sys
text = open(sys.argv[1]).read().replace('"do": "job.create"', '"do": "job.create", "execution": "real"')
open("real/scenario.json", "w").write(text)
END
cp "$(dirname "$scenario")"/{cluster,job}.json real
cp -r small/catalog real
trainyard test real/scenario.json
exit_is 2
stderr_has 'job "train" has real execution; only `trainyard run` runs such a job'
trainyard run small/scenario.json --set '/commands/1/execution="real"'
exit_is 2
stderr_has 'the job would never end'
stderr_has '"job.ran"'

finish
