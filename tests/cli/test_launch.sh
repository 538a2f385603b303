#!/usr/bin/env bash
# trainyard launch: jobs for real on this machine, by the trainer: what they find, leave and end with.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$source_folder/tests/trainer/comm/mpi/support.sh"

# job [MEMBER-OF-PROPERTIES]...: a job.json of two nodes.
job()
{
    local members
    printf -v members ', %s' "$@"
    cat <<END
{"properties": {"nodeCount": 2,
  "horovodSettings": {"pythonScriptFilePath": "\$AZ_BATCHAI_JOB_MOUNT_ROOT/afs/train.py",
    "commandLineArgs": "--dir=\$AZ_BATCHAI_OUTPUT_MODEL --data-dir '$work/a set' --batch-size 4"},
  "stdOutErrPathPrefix": "\$AZ_BATCHAI_JOB_MOUNT_ROOT/afs/logs",
  "outputDirectories": [{"id": "MODEL", "pathPrefix": "\${AZ_BATCHAI_JOB_MOUNT_ROOT}/afs", "pathSuffix": "models"}],
  "mountVolumes": {"azureFileShares": [
    {"azureFileUrl": "https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/share", "relativeMountPath": "afs"}]}$members}}
END
}
steps=(--epochs 2 --steps 2 --limit 8)
segment='0*/launch/workspaces/launch/experiments/launch/jobs'

job '"jobPreparation": {"commandLine": "touch '"$work"'/prepared"}' >two.json
sed 's/"nodeCount": 2/"nodeCount": 1/' two.json >one.json

# --- Refusals before anything runs

example "an operand after -- is refused, with a hint to mpirun"
trainyard launch --ranks 2 -- train --data-dir data
exit_is 2
stderr_begins 'trainyard: launch: the arguments after -- are for the trainer, which takes options; got "train"'
stderr_has "hint: \`mpirun -n N trainyard train ...\` starts a program as several ranks"
trainyard launch one.json -- --stepz 2
exit_is 2
stderr_begins 'trainyard: train: unknown option "--stepz"'

example "a file that is not a job, and an invalid job with the position of its mistake"
trainyard launch small/scenario.json
exit_is 2
stderr_has 'small/scenario.json: is a scenario, expected a job.json'
sed 's/MOUNT_ROOT\/afs\/logs/MOUNT_ROOT\/nfs\/logs/' one.json >wrong.json
trainyard launch one.json wrong.json
exit_is 2
stderr_has 'wrong.json:4:'
sed 's/MOUNT_ROOT}\/afs/MOUNT_ROOT}\/nfs/' one.json >wrong.json
trainyard launch one.json wrong.json -o refused
exit_is 2
stderr_has 'wrong.json:5:'
holds [ ! -e refused ]
trainyard launch missing.json
exit_is 2
stderr_has 'missing.json: there is no such file'

example "mounts are folders that are there"
trainyard launch one.json --mount afs
exit_is 2
stderr_begins 'trainyard: launch: --mount: "afs" is not PATH=DIR'
trainyard launch one.json --mount afs=nowhere
exit_is 2
stderr_has 'there is no folder "nowhere"'

example "a folder of another program is not replaced"
mkdir -p taken/one/share
touch taken/one/share/mine
trainyard launch one.json -o taken
exit_is 2
stderr_has 'taken/one: contains a "share" that no launch made'
holds [ -e taken/one/share/mine ]

example "a GPU that is not there"
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null && [ ! -e /proc/driver/nvidia ]; then
    trainyard launch one.json --real cuda -o gpu -- "${steps[@]}"
    exit_is 3
    stderr_has 'this machine has no NVIDIA driver'
fi

# --- One rank, which needs no MPI

trainyard make-cifar --images 16 "a set"
if [ "$status" -ne 0 ] || ! starts_programs; then
    echo "skipped: the trainer is not built here, or is another machine's"
    finish
fi

example "one rank: the service's folders, files and result"
trainyard launch one.json -o out -- "${steps[@]}"
exit_is 0
stdout_has 'one.json: 1 rank for 1 node of the service'
stdout_has 'skipped      jobPreparation: nothing is installed'
stdout_has 'one.json: succeeded, exit code 0'
holds [ ! -e prepared ]
share=out/one/share/mystorageaccount/share
# shellcheck disable=SC2086
holds [ "$(cd $share/logs/$segment/one/*/stdouterr && echo *)" = "execution.log stderr.txt stdout.txt" ]
# shellcheck disable=SC2086
holds [ -s "$(echo $share/$segment/one/*/outputs/models/saved_models/keras_cifar10_trained_model.h5)" ]
# shellcheck disable=SC2086
holds [ -s "$(echo $share/$segment/one/*/outputs/models/logs/checkpoint-2.h5)" ]
holds grep -q 'Epoch 2/2' $share/logs/0*/launch/*/*/*/*/*/one/*/stdouterr/stdout.txt
holds [ -s out/one/real/one/attempt-1/timeline.rank0.tsv ]
holds [ ! -e out/one/real/one/attempt-1/node ]

example "an epoch is one of the images that are there, and not of the service's 50,000"
trainyard launch one.json -o out --data "a set" -- --epochs 1
exit_is 0
stderr_has "job one: an epoch has 20 steps with the images in $work/a set, not 12500 as with the catalogue's data set"

example "what is on no share is gone with the node, as is said"
sed 's/--dir=[^ ]* //' one.json >nowhere.json
trainyard launch nowhere.json -o out -- --epochs 1 --steps 1 --limit 4
exit_is 0
stderr_has 'job nowhere: its checkpoints and logs are not on a share'

example "mounts of one's own are written to in their place, and may be on another disk"
other=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$work")
mkdir own
ln -s "$other" own/share
trainyard launch one.json -o out --json --mount afs=own/share -- --epochs 1 --steps 1 --limit 4
exit_is 0
cp stdout record.json
holds is_answer launch-answer
holds has_json 'run[0]["state"] == "succeeded" and run[0]["exit_code"] == 0 and run[0]["ranks"] == 1 and run[0]["took_s"] > 0'
holds has_json 'run[0]["job"] == "one.json" and run[0]["epochs"] == 1 and 0 <= run[0]["val_accuracy"] <= 1 and "error" not in run[0]'
holds has_json 'open(run[0]["stdout"]).read().count("Epoch ") == 1'
# shellcheck disable=SC2086
holds [ -s "$(echo own/share/logs/$segment/one/*/stdouterr/execution.log)" ]
holds [ -s out/one/real/one/attempt-1/timeline.json ]
rm -rf "$other"

example "a job that did no epoch has no figures, whatever an earlier one left in its folder"
mkdir again
sed 's/OUTPUT_MODEL/JOB_MOUNT_ROOT\/afs/' one.json >again.json
trainyard launch again.json -o out --json --mount afs=again -- --epochs 1 --steps 3 --limit 12
exit_is 0
holds has_json 'run[0]["epochs"] == 1 and "val_accuracy" in run[0]'
trainyard launch again.json -o out --json --mount afs=again -- --epochs 1 --steps 3 --limit 12 --fail-rank 0 --fail-step 1
exit_is 1
holds [ -s again/logs/history.tsv ]
holds has_json 'run[0]["exit_code"] == 137 and "epochs" not in run[0] and "val_accuracy" not in run[0]'

example "file servers and mounts of the cluster are folders, too"
# shellcheck disable=SC2016 # a variable of the job
sed 's/"azureFileShares": .*/"fileServers": [{"fileServer": {"id": "\/w\/fileservers\/nfs"}, "relativeMountPath": "afs"}]}}}/; /azureFileUrl/d;
    s/"pathPrefix": "[^"]*"/"pathPrefix": "$AZ_BATCHAI_MOUNT_ROOT\/of-all"/' one.json >nfs.json
mkdir nfs of-all
trainyard launch nfs.json -o out --mount of-all=of-all --mount afs=nfs -- --epochs 1 --steps 1 --limit 4
exit_is 0
# shellcheck disable=SC2086
holds [ -s "$(echo of-all/$segment/nfs/*/outputs/models/logs/checkpoint-1.h5)" ]
# shellcheck disable=SC2086
holds [ -s "$(echo nfs/logs/$segment/nfs/*/stdouterr/stdout.txt)" ]

example "a job fails as the service says it, and the next one runs"
trainyard launch one.json two.json --nodes 1 -o out --json -- "${steps[@]}" --data-dir nowhere
exit_is 1
holds is_answer launch-answer
holds has_json '[job["state"] for job in run] == ["failed", "failed"] and run[0]["exit_code"] == 2 and run[1]["nodes"] == 1'
holds has_json 'run[0]["error"] == {"code": "JobFailed", "message": "Job failed with non-zero exit code"}'
holds has_json '"nowhere: there is no CIFAR-10 set" in open(run[0]["stderr"]).read()'

example "maxWallClockTime ends it"
sed 's/"nodeCount": 1/"nodeCount": 1, "constraints": {"maxWallClockTime": "PT1S"}/' one.json >late.json
trainyard launch late.json -o out --json -- --epochs 100000 --steps 2 --limit 8
exit_is 1
holds has_json 'run[0]["state"] == "failed" and 1 <= run[0]["took_s"] < 8'

example "Control-C ends the rank and the job, and keeps the known results"
env --default-signal=INT "$TRAINYARD" launch one.json two.json -o stopped -- --epochs 100000 --steps 2 --limit 8 >stdout 2>stderr &
child=$!
for _ in $(seq 300); do
    compgen -G "stopped/one/share/mystorageaccount/share/$segment/one/*/outputs/models/logs/checkpoint-1.h5" >/dev/null && break
    sleep 0.1
done
kill -INT "$child"
wait "$child"
status=$?
exit_is 130
stdout_has 'one.json: failed'
stdout_has 'JobTerminated'
cp stopped/one/launch.json stdout
holds has_json 'run["state"] == "failed" and run["error"]["code"] == "JobTerminated" and "exit_code" not in run'
holds [ ! -e stopped/two ] # was not begun
holds [ -s "$(sed -n 's/.*hint: continue with --resume \(.*\)/\1/p' stderr)" ] # it is where the hint says

example "a launch continues where an earlier one in the same folder ended"
trainyard launch one.json -o on -- --epochs 1 --steps 2 --limit 8
exit_is 0
trainyard launch one.json -o on -- --epochs 2 --steps 2 --limit 8 --resume latest
exit_is 0
# shellcheck disable=SC2086
logs=$(echo on/one/share/mystorageaccount/share/$segment/one/*/outputs/models/logs)
holds [ -s "$logs/checkpoint-1.h5" ]
holds [ -s "$logs/checkpoint-2.h5" ]
holds [ "$(grep -c '^[12]' "$logs/history.tsv")" = 2 ]
find on -name stdout.txt -exec cat {} + >stdout
stdout_has '2 of 2 steps, 1 done'
stdout_has "Logs           $(realpath "$logs")"

example "a launch that cannot resume keeps the results of the earlier one"
mkdir empty other
trainyard launch one.json -o on --mount afs=other -- --epochs 3 --steps 2 --limit 8 --resume latest
exit_is 2
stderr_has 'on/one/share/mystorageaccount/share: contains files of an earlier run'
holds [ "$(find on -name 'checkpoint-*.h5' | wc -l)" = 2 ]
holds [ -s on/one/real/one/attempt-1/timeline.rank0.tsv ]
trainyard launch one.json -o on --data empty -- --epochs 3 --steps 2 --limit 8 --resume latest
exit_is 2
holds [ "$(find on -name 'checkpoint-*.h5' | wc -l)" = 2 ]

example "a launch that does not resume starts again"
trainyard launch one.json -o on -- --epochs 1 --steps 2 --limit 8
exit_is 0
holds [ "$(find on -name 'checkpoint-*.h5' | wc -l)" = 1 ]

# --- Two ranks

PATH=$work/nowhere trainyard launch two.json -o out -- "${steps[@]}"
example "without mpirun there are no two ranks"
exit_is 3
stderr_begins 'mpirun: is not on PATH, and 2 ranks need it'
stderr_has 'hint: install the Debian package openmpi-bin'

trainyard bench-allreduce --comm mpi -e 8
if [ "$status" -eq 3 ] || ! command -v mpirun >/dev/null; then
    finish # this build or this machine has no ranks
fi

example "two ranks on two nodes train one model"
trainyard launch two.json -o out -- "${steps[@]}"
exit_is 0
stdout_has 'two.json: 2 ranks for 2 nodes of the service'
stdout_has 'two.json: succeeded, exit code 0'
share=out/two/share/mystorageaccount/share
holds [ "$(find $share -name 'execution-*.log' | wc -l) $(find $share -name stdout.txt | wc -l)" = "2 1" ]
find $share -name stdout.txt -exec grep -h 'Ranks' {} + >stdout
stdout_has '2 (mpi) of 1 thread'
holds [ -s out/two/real/two/attempt-1/timeline.rank1.tsv ]

example "a rank is killed"
trainyard launch two.json -o out --json -- "${steps[@]}" --fail-rank 1 --fail-step 2
exit_is 1
holds has_json 'run[0]["state"] == "failed" and run[0]["exit_code"] == 137 and run[0]["error"]["code"] == "JobFailed"'
holds [ "$(find $share -name 'checkpoint-*' -printf '%f ')" = "checkpoint-1.h5 " ]

finish
