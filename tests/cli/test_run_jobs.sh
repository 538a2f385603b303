#!/usr/bin/env bash
# trainyard serve --run-jobs: commands of jobs run for real, and what comes of them is in the world and on its shares.
# shellcheck shell=bash disable=SC2016
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"
needs curl
# Neither is for jobs.
export SECRET_OF_OURS=leaked
exec 7</dev/null

cat >world.json <<'END'
{
  "trainyard": 1,
  "description": "One node, one share.",
  "seed": 7,
  "catalog": ["small/catalog/azure-2018.json"],
  "resource_group": "g", "workspace": "w", "experiment": "e",
  "storage": [{"account": "acct", "shares": [{"name": "share", "files": {
      "in/data.txt": {"text": "from the share"}, "in/old.txt": {"text": "to be removed"}}}]}],
  "commands": [
    {"do": "cluster.create", "name": "c", "config": {"properties": {
        "vmSize": "STANDARD_D1", "scaleSettings": {"manual": {"targetNodeCount": 1}},
        "userAccountSettings": {"adminUserName": "someone", "adminUserPassword": "x"}}}}
  ]
}
END

# ask PATH [OPTION-OF-CURL]...: body and status of a request about a resource of the workspace.
ask()
{
    local path=$1
    shift
    curl -sS --noproxy '*' --cacert "$(fact ca)" -w '\n%{http_code}\n' -H 'Authorization: Bearer x' "$@" \
        "https://$(fact tls)/subscriptions/$(fact subscription)/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w$path?api-version=2018-05-01&outputdirectoryid=${directory:-stdouterr}" \
        >stdout 2>stderr
}

# own PATH?QUERY [OPTION-OF-CURL]...: a request of the emulator's own.
own()
{
    local path=$1
    shift
    curl -sS --noproxy '*' "$@" "http://$(fact plain)/trainyard/$path" >stdout 2>stderr
}

# submit JOB COMMAND [MORE-PROPERTIES]
submit()
{
    /usr/bin/python3 - "$2" "${3:-}" "$(fact subscription)" >body.json <<'END'
import json, sys
job = {"cluster": {"id": "/subscriptions/" + sys.argv[3] +
                   "/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w/clusters/c"},
       "nodeCount": 1,
       "customToolkitSettings": {"commandLine": sys.argv[1]},
       "stdOutErrPathPrefix": "$AZ_BATCHAI_JOB_MOUNT_ROOT/afs/logs",
       "outputDirectories": [{"id": "MODEL", "pathPrefix": "$AZ_BATCHAI_JOB_MOUNT_ROOT/afs", "pathSuffix": "model"}],
       "inputDirectories": [{"id": "IN", "path": "$AZ_BATCHAI_JOB_MOUNT_ROOT/afs/in"}],
       "mountVolumes": {"azureFileShares": [{"accountName": "acct", "relativeMountPath": "afs",
           "azureFileUrl": "https://acct.file.core.windows.net/share", "credentials": {"accountKey": "x"}}]}}
job.update(json.loads(sys.argv[2] or "{}"))
print(json.dumps({"properties": job}))
END
    ask "/experiments/e/jobs/$1" -X PUT -H 'Content-Type: application/json' --data-binary @body.json
}

# reaches JOB STATE: polls until the job's execution state is one of those (a|b); the job is then in stdout.
reaches()
{
    local i
    for ((i = 0; i < 200; i++)); do
        ask "/experiments/e/jobs/$1"
        ! grep -qE "\"executionState\":\"($2)\"" stdout || return 0
        sleep 0.05
    done
    return 1
}

# contents JOB FILE [PREFIX]: of one of the job's files on the share, into stdout.
contents()
{
    local segment
    ask "/experiments/e/jobs/$1"
    segment=$(sed -n 's/.*"jobOutputDirectoryPathSegment":"\([^"]*\)".*/\1/p' stdout)
    own "file?share=acct/share&path=${3-logs/}$segment/$2"
}

is_gone()
{
    ! kill -0 "$1" 2>/dev/null
}

example "it is off by default, and never on an address that others reach"
trainyard serve --run-jobs --i-know-this-is-not-secure --port 0 --plain-port 0 --state open
exit_is 2
stderr_begins 'trainyard: serve: --run-jobs: it does not go with --i-know-this-is-not-secure'
trainyard serve --run-jobs --files --port 0 --plain-port 0 --state open
exit_is 2
trainyard serve --run-jobs --listen 0.0.0.0 --port 0 --plain-port 0 --state open
exit_is 2

example "it says loudly what it does"
holds serve --run-jobs --clock auto --scenario world.json --state state
holds grep -q '^warning: --run-jobs: commands of jobs RUN FOR REAL on this machine' log
ask /experiments/e -X PUT

example "a job's command runs with its environment, its mounts and its own folder"
submit real 'cat $AZ_BATCHAI_INPUT_IN/data.txt; echo " in $(basename "$PWD")"; env | sort; echo wrong >&2;
    mkdir -p $AZ_BATCHAI_OUTPUT_MODEL/deep && echo weights >$AZ_BATCHAI_OUTPUT_MODEL/deep/w.bin;
    rm $AZ_BATCHAI_INPUT_IN/old.txt; ls /proc/self/fd | tr "\n" " "' \
    '{"environmentVariables": [{"name": "MINE", "value": "my value"}], "secrets": [{"name": "KEY", "value": "hush"}]}'
holds reaches real 'succeeded|failed'
stdout_has '"executionState":"succeeded"'
stdout_has '"exitCode":0'
contents real stdouterr/stdout.txt
stdout_has 'from the share in real'
stdout_has 'MINE=my value'
stdout_has "HOME=$work/state/runs/job0-1/node1"
stdout_has "AZ_BATCHAI_JOB_MOUNT_ROOT=$work/state/runs/job0-1/node1/mnt/batch/tasks/shared/LS_root/jobs/w/e/real/mounts"
stdout_has '0 1 2 3 ' # the last one is that of ls itself
stdout_has 'KEY=hush' # a job prints its secrets, as in the service
holds [ "$(grep -c '^SECRET_OF_OURS\|^WORK=' stdout)" = 0 ]
holds [ "$(grep -c '^4\|3 [4-9]' stdout)" = 0 ]
contents real stdouterr/stderr.txt
holds cmp stdout <(echo wrong)
contents real outputs/model/deep/w.bin ''
holds cmp stdout <(echo weights)
own 'files?share=acct/share&path=in'
stdout_has data.txt
holds [ "$(grep -c old.txt stdout)" = 0 ]
ask /experiments/e/jobs/real/listOutputFiles -X POST
stdout_has '"name":"stdout.txt"'
stdout_has '"name":"execution.log"'
directory=MODEL ask /experiments/e/jobs/real/listOutputFiles -X POST
stdout_has '"name":"deep"'
holds_soon [ ! -e state/runs/job0-1 ]

example "the exit code is that of the command, or of a signal as in a shell"
submit three 'exit 3'
holds reaches three 'succeeded|failed'
stdout_has '"executionState":"failed"'
stdout_has '"exitCode":3'
stdout_has '"code":"JobFailed","message":"Job failed with non-zero exit code"'
submit killed 'kill -9 $$'
holds reaches killed 'succeeded|failed'
stdout_has '"exitCode":137'
submit nothing 'this-is-no-command'
holds reaches nothing 'succeeded|failed'
stdout_has '"exitCode":127'

example "a command line is the shell's to judge, not the service's"
submit outside 'cd $AZ_BATCHAI_JOB_MOUNT_ROOT/.. && pwd && echo ${AZ_BATCHAI_NOWHERE:-none}' \
    '{"jobPreparation": {"commandLine": "ls $AZ_BATCHAI_JOB_MOUNT_ROOT/../mounts"}}'
holds reaches outside 'succeeded|failed'
stdout_has '"executionState":"succeeded"'
contents outside stdouterr/stdout.txt
stdout_has '/jobs/w/e/outside'
stdout_has none

example "what would be several processes of a command is refused"
submit ranks '' '{"customToolkitSettings": null, "customMpiSettings": {"commandLine": "true", "processCount": 2}}'
stdout_has 400
stdout_has 'a job of real execution runs as one process, and customMpiSettings asks for 2'

example "the preparation runs first, on the same disk, and its failure is the job's"
submit prepared 'cat $AZ_BATCHAI_JOB_TEMP/made' '{"jobPreparation": {"commandLine": "echo ready; echo before >$AZ_BATCHAI_JOB_TEMP/made"}}'
holds reaches prepared 'succeeded|failed'
stdout_has '"executionState":"succeeded"'
contents prepared stdouterr/stdout.txt
stdout_has before
contents prepared stdouterr/stdout-job_prep.txt
stdout_has ready
submit unprepared 'echo never' '{"jobPreparation": {"commandLine": "exit 9"}}'
holds reaches unprepared 'succeeded|failed'
stdout_has '"exitCode":9'
stdout_has '"code":"JobPreparationFailed"'

example "output is on the share while it grows, and time goes no faster than the job"
submit grows 'echo one; sleep 1; echo two; sleep 600'
holds reaches grows running
contents_has()
{
    contents "$1" stdouterr/stdout.txt
    grep -q "$2" stdout
}
holds_soon contents_has grows one
holds_soon contents_has grows two
own clock -X POST -H 'Content-Type: application/json' -d '{"do": "advance", "by": "1h"}' -w '\n%{http_code}\n'
stdout_has '409'
stdout_has 'a job is running for real'
reaches grows 'running'

example "terminate ends the whole process group"
submit many 'sleep 611 & (sleep 612 & sleep 613) & echo $$ >$AZ_BATCHAI_OUTPUT_MODEL/pid; wait'
ask /experiments/e/jobs/many
pid=$(sed -n 's/^info job=grows run=program pid=\([0-9]*\).*/\1/p' log)
holds kill -0 "$pid"
ask /experiments/e/jobs/grows/terminate -X POST
holds reaches grows failed
stdout_has '"code":"JobTerminated"'
holds_soon is_gone "$pid"
contents grows stdouterr/stdout.txt
stdout_has two
holds reaches many running
group=
has_group()
{
    ask /experiments/e/jobs/many
    supervisor=$(sed -n 's/^info job=many run=program pid=\([0-9]*\).*/\1/p' log)
    group=$(pgrep -P "${supervisor:-0}") # the command leads a group
    [ -n "$group" ] && [ "$(pgrep -g "$group" | wc -l)" -ge 4 ]
}
holds_soon has_group
ask /experiments/e/jobs/many -X DELETE
group_is_gone()
{
    [ -z "$(pgrep -g "$group")" ]
}
holds_soon group_is_gone

example "links of a job lead nowhere"
echo 'of the machine' >outside.txt
submit links "ln -s $work/outside.txt \$AZ_BATCHAI_OUTPUT_MODEL/leak.txt; ln -s $work \$AZ_BATCHAI_OUTPUT_MODEL/all;
    ln -s /etc/passwd \$AZ_BATCHAI_STDOUTERR_DIR/passwd; mkfifo \$AZ_BATCHAI_OUTPUT_MODEL/pipe; echo plain >\$AZ_BATCHAI_OUTPUT_MODEL/plain.txt"
holds reaches links 'succeeded|failed'
stdout_has '"executionState":"succeeded"'
directory=MODEL ask /experiments/e/jobs/links/listOutputFiles -X POST
stdout_has plain.txt
holds [ "$(grep -c 'leak.txt\|"all"\|pipe' stdout)" = 0 ]
ask /experiments/e/jobs/links/listOutputFiles -X POST
holds [ "$(grep -c passwd stdout)" = 0 ]
holds grep -q 'job=links run=program left_out=.*and 3 more' log
holds [ -s outside.txt ]

example "the exported session runs no command and gives the same trace"
own session
cp stdout session.json
holds grep -q '"job.ran"' session.json
trainyard run session.json -o exported
exit_is 1 # jobs have failed
holds grep -q 'real.*succeeded' exported/trace.tsv
end TERM
exit_is 0

example "a killed emulator leaves no orphan, and its job is reported as failed"
holds serve --run-jobs --clock auto --state state
submit orphan 'sleep 614 & wait'
holds reaches orphan running
has_orphan()
{
    ask /experiments/e/jobs/orphan # a poll advances the time
    group=$(sed -n 's/^info job=orphan run=program pid=\([0-9]*\).*/\1/p' log)
    [ -n "$group" ] && kill -0 "$group"
}
holds_soon has_orphan
end KILL
holds_soon group_is_gone
holds serve --run-jobs --clock auto --state state --job-time-limit 2s --job-output-limit 100kB
holds reaches orphan failed
stdout_has "The emulator was ended while the job's command ran"
holds grep -q 'job=orphan run=program failed=' log
holds [ ! -e state/runs ]

example "time and output have limits"
submit slow 'echo begun; sleep 615'
holds reaches slow 'succeeded|failed'
stdout_has 'ran longer than 2 s, which --job-time-limit allows'
contents slow stdouterr/stdout.txt
stdout_has begun
submit loud 'yes | head -c 300000; sleep 616'
holds reaches loud 'succeeded|failed'
stdout_has 'wrote more than 100'
submit short 'sleep 617' '{"constraints": {"maxWallClockTime": "PT1S"}}'
holds reaches short 'succeeded|failed'
stdout_has 'maxWallClockTime'
end TERM
exit_is 0
holds [ -z "$(pgrep -f 'sleep 61[0-9]')" ]

example "an orderly end reports jobs that were running"
holds serve --run-jobs --clock auto --state state
submit left 'echo begun; sleep 618'
holds reaches left running
holds_soon contents_has left begun
end TERM
exit_is 0
holds [ -z "$(pgrep -f 'sleep 618')" ]
holds serve --clock auto --state state
ask /experiments/e/jobs/left
stdout_has "The emulator was ended while the job's command ran"

example "without --run-jobs jobs are emulated"
submit emulated 'echo $AZ_BATCHAI_JOB_TEMP'
holds reaches emulated 'succeeded|failed'
contents emulated stdouterr/stdout.txt
holds cmp stdout <(echo /mnt/batch/tasks/shared/LS_root/jobs/emulated)
end TERM
exit_is 0

if ! command -v mpirun >/dev/null || ! ldd "$(dirname "$TRAINYARD")/trainyard-train" 2>/dev/null | grep libmpi >/dev/null; then
    echo "skipped: no mpirun, or the trainer is built without MPI"
    finish
fi
# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$source_folder/tests/trainer/comm/mpi/support.sh"
trainyard make-cifar -q --images 20 cifar
/usr/bin/python3 - <<'END'
import json
world = json.load(open("world.json"))
world["programs"] = [{
    "match": "*/train.py*", "model": "keras_cifar10_cnn", "data_set": "cifar10",
    "framework": "keras-2.2-tf-1.8-augmented", "exchange": "horovod-0.13-mpi", "learning": "keras_cifar10_cnn",
    "batch_per_rank": 4, "epochs": 1, "steps_per_epoch": 5,
    "checkpoint": {"path": "$AZ_BATCHAI_JOB_MOUNT_ROOT/afs/checkpoints/checkpoint-{epoch}.h5", "bytes": "10MB", "resume": True},
    "save": {"path": "$AZ_BATCHAI_OUTPUT_MODEL/model.h5", "bytes": "10MB"}}]
world["storage"][0]["shares"][0]["files"]["train.py"] = {"text": "import keras\n"}
world["commands"][0]["config"]["properties"]["vmSize"] = "STANDARD_NC6"
json.dump(world, open("trains.json", "w"))
END
ranks='{"customToolkitSettings": null, "horovodSettings": {"pythonScriptFilePath": "$AZ_BATCHAI_JOB_MOUNT_ROOT/afs/train.py", "processCount": 2}}'

example "--real: a training runs on as many ranks as it asks for, any other job is emulated"
trainyard serve --real cpu --i-know-this-is-not-secure --port 0 --plain-port 0 --state open
exit_is 2
stderr_begins 'trainyard: serve: --real: it does not go with --i-know-this-is-not-secure'
holds serve --real cpu --data cifar --clock auto --scenario trains.json --state trained
holds grep -q '^warning: --real: jobs that train are TRAINED FOR REAL' log
ask /experiments/e -X PUT
submit train '' "$ranks"
holds reaches train 'succeeded|failed'
stdout_has '"executionState":"succeeded"'
contents train stdouterr/stdout.txt
stdout_has '2 (mpi) of 1 thread'
stdout_has 'Test accuracy:'
own 'files?share=acct/share&path=checkpoints'
stdout_has checkpoint-1.h5
directory=MODEL ask /experiments/e/jobs/train/listOutputFiles -X POST
stdout_has '"name":"keras_cifar10_trained_model.h5"'
submit plain 'echo $AZ_BATCHAI_JOB_TEMP'
holds reaches plain 'succeeded|failed'
contents plain stdouterr/stdout.txt
holds cmp stdout <(echo /mnt/batch/tasks/shared/LS_root/jobs/plain)
own session
cp stdout session.json
holds grep -q '"val_accuracy"' session.json
end TERM
exit_is 0
trainyard run session.json -o trained-exported
exit_is 0
cp trained-exported/summary.json stdout
holds has_json 'run["jobs"]["train"]["execution"] == "real" and run["jobs"]["train"]["epochs"] == 1'

example "with --run-jobs the others run, too"
holds serve --real cpu --data cifar --run-jobs --clock auto --state trained
submit again '' "$ranks"
submit shell 'echo $AZ_BATCHAI_JOB_TEMP; exit 4'
holds reaches shell 'succeeded|failed'
stdout_has '"exitCode":4'
contents shell stdouterr/stdout.txt
stdout_has "$work/trained/runs/"
holds reaches again 'succeeded|failed'
stdout_has '"executionState":"succeeded"'
end TERM
exit_is 0

example "--real: ranks of a node that is preempted get notice, and the next attempt continues at their last step"
cat >notice.json <<'end'
{"catalog": 1, "sources": {"test": {"title": "of this test", "date": "2026-11-28"}},
 "service": {"preemption_notice": {"value": "3s", "source": "test", "assumption": true, "note": "short"}}}
end
holds serve --real cpu --data cifar --clock auto --scenario trains.json --state noticed --catalog "$PWD/notice.json" \
    --set /programs/0/checkpoint/on_notice=true --set '/programs/0/checkpoint/every="100000 steps"' --set /programs/0/epochs=3000 \
    --set /commands/0/config/properties/vmPriority=lowpriority
ask /experiments/e -X PUT
submit train '' "$ranks"
is_training() { contents train stdouterr/stdout.txt && grep -q '^Epoch 3/' stdout; }
holds_soon is_training
own faults -d '{"do": "node.preempt", "job": "train", "node": 1}'
is_saved() { own 'files?share=acct/share&path=checkpoints' && grep -q 'checkpoint-[0-9].*[.]h5' stdout; }
holds_soon is_saved
saved=$(sed -n 's/.*checkpoint-\([0-9]*\)\(-step-[1-4]\)\{0,1\}[.]h5.*/\1/p' stdout) # without a step during an evaluation
holds [ -n "$saved" ]
holds grep -q 'info job=train run=program notice=preemption' log
holds_soon grep -q 'info job=train run=program took_ms=[0-9]* exit=138' log
is_again() { contents train stdouterr/stdout.txt && grep -q 'job0-2/node1' log && grep -q "^Epoch $((saved + 2))/" stdout && ! grep -q '^Epoch 1/' stdout; }
holds_soon is_again
ask /experiments/e/jobs/train
stdout_has '"executionState":"running"' # it was requeued
end TERM
exit_is 0

example "time does not go back over a job that runs for real, or has run"
undo_says() # WORDS [ACCEPT]
{
    own clock -d "{\"do\": \"undo\", \"accept\": ${2:-false}}"
    grep -q "$1" stdout
}
holds serve --run-jobs --clock auto --scenario world.json --state undo
ask /experiments/e -X PUT
own clock -d '{"do": "run-until", "until": "cluster c ready"}'
submit slow 'while [ ! -e '"$work"'/go ]; do sleep 0.05; done'
holds reaches slow 'running'
holds_soon undo_says 'time cannot go back: a job is running for real'
touch go
holds reaches slow 'succeeded|failed'
holds undo_says 'since then a job ran for real (job.ran ' true
end TERM
exit_is 0

finish
