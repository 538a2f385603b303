#!/usr/bin/env bash
# trainyard validate: each way to break a good scenario, and the first line that it gives.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "the good scenario is valid, and so are its parts"
trainyard validate small/scenario.json small/cluster.json small/job.json
exit_is 0
stderr_is_empty

# which file | sed that breaks it | first line on stderr
while IFS='|' read -r file edit expected; do
    file=${file// /}
    edit=${edit# }
    edit=${edit% }
    example "$file after $edit"
    cp -r small good
    sed -i -e "$edit" "small/$file"
    trainyard validate small/scenario.json
    exit_is 2
    stdout_is_empty
    stderr_begins "${expected# }"
    trainyard run small/scenario.json -o never
    exit_is 2
    holds [ ! -e never ]
    rm -r small
    mv good small
done <<'TABLE'
scenario.json | s/"seed": 7/"sead": 7/ | small/scenario.json:4:3: unknown key "sead" in this scenario
scenario.json | s/"seed": 7/"seed": "7"/ | small/scenario.json:4:11: seed is "7", expected an integer
scenario.json | s/"seed": 7/"seed": -7/ | small/scenario.json:4:11: seed is -7, expected 0 to 9007199254740992
scenario.json | s/"seed": 7/"seed": 1e999/ | small/scenario.json:4:11: 1e999 cannot be held exactly
scenario.json | s/"seed": 7/"seed": 7, "seed": 8/ | small/scenario.json:4:14: key "seed" appears twice in one object
scenario.json | $s/}/} extra/ | small/scenario.json:17:3: 'extra' after the end of the JSON value
scenario.json | 2,$d | small/scenario.json:2:1: expected a key in double quotes, found the end of the text
scenario.json | 1,$d | small/scenario.json: the file is empty
scenario.json | s/One node/\xff/ | small/scenario.json:3:19: byte 0xff is not UTF-8
scenario.json | s/"10m"/"10 minutes"/ | small/scenario.json:7:49: duration "10 minutes": unknown unit " minutes"
scenario.json | s/cluster.create/cluster.creat/ | small/scenario.json:9:12: unknown do "cluster.creat"
scenario.json | s/"cluster.json"/"clutser.json"/ | small/scenario.json:9:55: there is no file "clutser.json"
scenario.json | s/catalog\/azure/catalog\/azzure/ | small/scenario.json:5:15: there is no catalogue "catalog/azzure-2018.json"
job.json | s/sleep 600/python nap.py/ | small/job.json:4:30: nothing says what this job does: no program matches "python nap.py"
scenario.json | s/nap completed/nup completed/ | small/scenario.json:11:15: unknown job "nup"
scenario.json | s/"cluster": "gpu"/"cluster": "cpu"/ | small/scenario.json:10:52: unknown cluster "cpu"
scenario.json | s/"logs"/"longs"/ | small/job.json:8:26: unknown file share "small/logs"
cluster.json | s/STANDARD_NC6/STANDARD_NC7/ | small/cluster.json:3:15: unknown VM size "STANDARD_NC7"
cluster.json | s/NodeCount": 1/NodeCount": 1000/ | small/cluster.json:4:53: cluster "gpu": 1000 nodes, but a cluster has at most 100
cluster.json | s/NodeCount": 1/NodeCount": "1"/ | small/cluster.json:4:53: targetNodeCount is "1", expected an integer
cluster.json | s/"vmSize": "STANDARD_NC6",// | small/cluster.json:2:17: this Cluster needs "vmSize", which is missing
cluster.json | s/scaleSettings/scaleSetting/ | small/cluster.json:4:5: unknown key "scaleSetting" in this Cluster
job.json | s/"nodeCount": 1/"nodeCount": 101/ | small/job.json:3:18: nodeCount is 101, but a cluster has at most 100
job.json | s/MOUNT_ROOT.logs"/MOUNT_ROOT\/nowhere"/ | small/job.json:5:28: $AZ_BATCHAI_JOB_MOUNT_ROOT/nowhere is not under a mount
job.json | s/JOB_MOUNT_ROOT/INPUT_DATA/ | small/job.json:5:28: unknown input directory id "DATA"
scenario.json | s/"seed": 7/"failures": {"nodes": "weekly"}/ | small/scenario.json:4:25: unknown failure model "weekly"
scenario.json | s/"seed": 7/"failures": {"scale": "2x"}/ | small/scenario.json:4:25: scale is not a factor from 0 to 1000
scenario.json | s/"seed": 7/"failures": {"mount": "101%"}/ | small/scenario.json:4:25: mount is 101%, expected 0% to 100%
scenario.json | s/"seed": 7/"failures": {"slow_nodes": "5%"}/ | small/scenario.json:4:30: "slow_nodes" needs "slow_node_speed", which is missing
scenario.json | s/"seed": 7/"until": "30d"/; s/"do": "cluster.create"/"every": "7d", "do": "cluster.create"/ | small/scenario.json:9:6: cluster.create takes no "every"
scenario.json | s/"seed": 7/"faults": [{"at": "1h", "every": "7d", "do": "region.outage", "duration": "8h"}]/ | small/scenario.json:4:36: what repeats needs a scenario that ends
scenario.json | s/"seed": 7/"until": "30d", "faults": [{"at": "1h", "every": "0s", "do": "region.outage", "duration": "8h"}]/ | small/scenario.json:4:52: every is 0; it would never be over
scenario.json | s/"seed": 7/"until": "30d", "faults": [{"after": "job nap started", "every": "7d", "do": "job.exit", "job": "nap", "exit_code": 1}]/ | small/scenario.json:4:68: what repeats "every" time begins "at" a time
scenario.json | s/"seed": 7/"policy": "backfil"/ | small/scenario.json:4:13: unknown policy "backfil"
scenario.json | s/"seed": 7/"network": {"rack_nodes": 4}/ | small/scenario.json:4:14: this network needs "rack_uplink_rate", which is missing
scenario.json | s/"seed": 7/"groups": [{"name": "r", "cluster": "gpu", "nodes": "4-1"}]/ | small/scenario.json:4:55: group "r": nodes are places such as "3" or "1-4", not 4-1
scenario.json | s/"seed": 7/"faults": [{"do": "node.crush", "at": "1m"}]/ | small/scenario.json:4:21: unknown do "node.crush"
scenario.json | s/"seed": 7/"faults": [{"do": "region.outage"}]/ | small/scenario.json:4:14: region.outage happens "at" a time, "after" a moment or "when" a condition holds: one of them
scenario.json | s/"seed": 7/"faults": [{"do": "node.slow", "cluster": "gpu", "at": "1m"}]/ | small/scenario.json:4:14: node.slow needs "speed", which is missing
scenario.json | s/"seed": 7/"faults": [{"do": "region.outage", "when": "cluster gpu idel > 1"}]/ | small/scenario.json:4:46: a cluster has no "idel"
scenario.json | s/"seed": 7/"faults": [{"do": "region.outage", "after": "job nap epoch 0"}]/ | small/scenario.json:4:47: "job nap epoch 0" is not a moment
scenario.json | s/"expect": \[/"expect": [{"never": "cluster gpu nodes"},/ | small/scenario.json:13:24: "cluster gpu nodes" is a count, and needs a number to compare with
job.json | s/customToolkit/pyTorch/ | small/job.json:4:25: unknown key "commandLine" in this PyTorchSettings
TABLE

example "a catalogue that cannot be read is a problem with its reason"
mkdir broken broken/folder.json
truncate -s 1025M broken/large.json
echo '{}' >broken/secret.json && chmod 0 broken/secret.json
while IFS='|' read -r path message; do
    [[ $path != *secret* || $EUID -ne 0 ]] || continue # root may read it
    for name in "$path" "$PWD/broken/$path"; do
        [[ $path != /* ]] || name=$path
        echo '{"trainyard": 1, "start": "2018-07-18T08:00:00Z", "catalog": ["'"$name"'"], "commands": []}' >broken/scenario.json
        for verb in validate run explain; do
            trainyard "$verb" broken/scenario.json
            exit_is "$([[ $path = *secret* ]] && echo 3 || echo 2)"
            stderr_begins "$(printf "broken/scenario.json:1:63: $message" "$([[ $name = /* ]] && echo "$name" || echo "broken/$name")")"
            stderr_has 'next to "broken/scenario.json" and in the folders above it'
        done
    done
done <<'TABLE'
/nowhere/azure.json|there is no catalogue "%s"
folder.json|catalogue "%s": is a folder, expected a file
large.json|catalogue "%s": the file is larger than the 1024 MiB allowed
secret.json|catalogue "%s": reading failed: Permission denied
TABLE

example "a likely mistake in a file that can run is a warning and not a problem"
cp -r small good
sed -i 's/NodeCount": 1/NodeCount": 5/' small/cluster.json
trainyard validate small/scenario.json
exit_is 0
stdout_has "scenario, no problems"
stderr_begins 'small/cluster.json:4:53: warning: cluster "gpu": 5 x Standard_NC6 are 30 vCPUs, but the dedicated quota "NC" is 24'
stderr_has "  hint: the quota has room for 4"
sed -i 's/"nodeCount": 1/"nodeCount": 6/' small/job.json
trainyard run small/scenario.json --until 1h
exit_is 1
stderr_has 'small/job.json:3:18: warning: nodeCount is 6, but cluster "gpu" never has more than 5: the job waits for ever'
trainyard run small/scenario.json --until 1h --quiet
exit_is 1
stderr_is_empty
sed -i 's/sleep 600/sleep 600 $AZ_BATCHAI_OUTPUT_MODEL/' small/job.json
trainyard validate small/scenario.json
exit_is 2
stderr_has 'small/job.json:4:46: unknown output directory id "MODEL"'
stderr_has '  hint: no "outputDirectories" can be used here'
rm -r small
cp -r good small
sed -i 's/"nodeCount": 1/"nodeCount": 2/' small/job.json

example "a data set and checkpoints that exceed their share are a warning, from the first byte on"
colliding=$scenarios/sharing/checkpoints-collide/scenario.json
trainyard validate "$colliding" --set /programs/0/checkpoint/bytes=1TiB # five of them, at most 5 TiB
exit_is 0
stderr_is_empty
trainyard validate "$colliding" --set /programs/0/checkpoint/bytes=1025GiB
exit_is 0
stderr_has 'scenario.json:30:28: warning: the data set, checkpoints and model of this job need at least 5125.0 GiB of share "mystorageaccount/results", which has 5120.0: writes would fail'
stderr_has "hint: use a tier of larger shares"
trainyard validate "$colliding" --set /programs/0/checkpoint/bytes=1025GiB --set '/programs/0/checkpoint/path=$AZ_BATCHAI_OUTPUT_MODEL/last.h5'
exit_is 0
stderr_is_empty # each replaces the one before it
trainyard validate "$scenarios/sharing/node-link/scenario.json" --set /programs/0/data/bytes=6TiB
exit_is 0
stderr_has 'need at least 6144.0 GiB of share "mystorageaccount/data", which has 5120.0'
stderr_has 'hint: a larger "provisioned" of the share may suffice'

example "a training that exceeds the memory of its GPU is a warning with the batch that may fit"
trainyard validate "$scenarios/cifar10-horovod/scenario.json" --set /programs/0/batch_per_rank=100000
exit_is 0
stderr_has "job.json:5:28: warning: keras_cifar10_cnn at batch 100000 needs at least 32.5 GiB on each GPU, and a K80 has 12.0: the training would fail"
stderr_has "hint: a batch_per_rank of 36885 or less may fit"
trainyard validate "$scenarios/cifar10-horovod/scenario.json" --set /programs/0/batch_per_rank=36885
exit_is 0
stderr_is_empty

example "a cluster that is created again with more nodes has room for the job"
trainyard run small/scenario.json --until 1h
stderr_has 'never has more than 1: the job waits for ever'
trainyard run small/scenario.json --until 1h --set '/commands/-={"at": "5h", "do": "cluster.delete", "name": "gpu"}' \
    --set '/commands/-={"at": "6h", "do": "cluster.create", "name": "gpu", "config": {"properties": {
        "vmSize": "STANDARD_NC6", "scaleSettings": {"manual": {"targetNodeCount": 2}}}}}'
stderr_is_empty
rm -r small
mv good small

example "every catalogue file is valid alone, most over the one that is compiled in"
for file in "$scenarios"/catalog/*.json; do
    trainyard validate "$file"
    exit_is 0
    stdout_has "no problems"
done
trainyard validate "$scenarios/catalog/failures.json"
stdout_has "failures.json: catalogue over catalog/azure-2018.json, no problems"
trainyard validate "$scenarios/catalog/azure-2018.json"
stdout_has "azure-2018.json: catalogue, no problems"

example "every study is valid, with its scenario and what it expects"
for file in "$scenarios"/studies/*/study.json; do
    trainyard validate "$file"
    exit_is 0
    stderr_is_empty
    stdout_has "study.json: study, no problems"
done
trainyard validate --json "$scenarios/studies/cifar-team/study.json" --set /until=3d
exit_is 0
stdout_has '"kind": "study"'
trainyard validate "$scenarios/studies/cifar-team/study.json" --param nodes=3
exit_is 2
stderr_begins "trainyard: validate: --param nodes=3: the study varies it already"

cp -r "$scenarios/studies/cifar-team" team
# sed that breaks the study | first line on stderr
while IFS='|' read -r edit expected; do
    example "a study after $edit"
    sed -e "${edit% }" "$scenarios/studies/cifar-team/study.json" >team/study.json
    trainyard validate team/study.json
    exit_is 2
    stdout_is_empty
    stderr_begins "${expected# }"
done <<'TABLE'
s/"factors"/"facters"/ | team/study.json:6:3: unknown key "facters" in this study
s/"trainyard_study": 1,// | team/study.json:2:1: this study needs "trainyard_study", which is missing
s/"scenario.json"/"nowhere.json"/ | team/study.json:5:15: scenario "nowhere.json": there is no such file
s/"STANDARD_NC6S_V2"/"STANDARD_NC7"/ | team/study.json:7:41: size=STANDARD_NC7: unknown size "STANDARD_NC7"
s/"minimise": "cost_usd.total"/"minimise": "cost_usd.totl"/ | team/study.json:17:15: unknown metric "cost_usd.totl": no member is called "totl"
s/"answer": {"size"/"answer": {"sise"/ | team/study.json:20:17: unknown factor "sise"
s/"seeds": {"at_least": 40}/"seeds": {"at_least": 40}, "budget": {"runs": 10}/ | team/study.json: a budget of 10 runs is too small for 48 points
TABLE
rm -r team

example "a scenario finds the catalogues of the program from any folder, but those of measured machines"
mkdir far
for file in "$scenarios"/catalog/*.json; do
    name=$(basename "$file")
    case $name in
    local-*) continue ;;
    esac
    echo '{"trainyard": 1, "start": "2018-07-18T08:00:00Z", "catalog": ["catalog/azure-2018.json", "catalog/'"$name"'"], "commands": []}' >far/scenario.json
    trainyard validate far/scenario.json
    exit_is 0
done

example "only the mistake in a catalogue that includes another one is found"
sed '0,/"value": "replace"/s//"value": "replaced"/' "$scenarios/catalog/failures.json" >failures.json
trainyard validate failures.json
exit_is 2
stderr_has 'failures.json:20:29: failure_models/llama3-2024/recovery: expected "stays", "reboot" or "replace"'
holds [ "$(grep -c failures.json stderr)" -eq 1 ]

example "a version that is misspelt makes no catalogue of a scenario"
cp -r small good
sed -i 's/"trainyard": 1/"trainyrad": 1/' small/scenario.json
trainyard validate small/scenario.json
exit_is 2
stderr_begins 'small/scenario.json:2:3: unknown key "trainyrad" in this scenario'
stderr_has '  hint: did you mean "trainyard"?'
holds [ "$(wc -l <stderr)" -eq 2 ]
rm -r small
mv good small

# what is changed | everything on stderr
while IFS='|' read -r change expected; do
    example "trainyard run with $change"
    read -ra arguments <<<"$change"
    trainyard run small/scenario.json --quiet "${arguments[@]}"
    exit_is 2
    stdout_is_empty
    stderr_begins "${expected# }"
    holds [ "$(grep -cv '^  hint: ' stderr)" -eq 1 ]
done <<'TABLE'
--set /sead=3 | trainyard: run: --set /sead=3: unknown key "sead" in this scenario
--set /commands/0/nam=x | trainyard: run: --set /commands/0/nam=x: unknown key "nam" in this command
--set /seed/x=3 | trainyard: run: --set /seed/x=3: "x" cannot be inside a number
--set /commands/9/at=3 | trainyard: run: --set /commands/9/at=3: there is no item "9" in an array of 3, counted from 0
--set seed=3 | trainyard: run: --set seed=3: "seed" is not a JSON pointer
--set /seed | trainyard: run: --set /seed: a change needs '='
--failures 2x | trainyard: run: --failures 2x: scale is not a factor from 0 to 1000
--failures 1001 | trainyard: run: --failures 1001: scale is not a factor from 0 to 1000
--seed 9007199254740993 | trainyard: run: --seed: is "9007199254740993", expected a whole number from 0 to 9007199254740992
--shuffle-ties 0 | trainyard: run: --shuffle-ties: is "0", expected a whole number from 1 to 9223372036854775807
--fidelity fine | trainyard: run: --fidelity: is "fine", expected one of step, epoch, job
TABLE

example "a scenario in which nothing fails has nothing to switch off"
trainyard run small/scenario.json --quiet --failures 0
exit_is 0
stderr_is_empty

example "all problems of all files in one go"
sed -i 's/"seed": 7/"sead": 7/; s/"10m"/"ten"/' small/scenario.json
sed -i 's/scaleSettings/scaleSetting/' small/cluster.json
trainyard validate small/scenario.json small/cluster.json nowhere.json
exit_is 2
stderr_has "small/scenario.json:4:"
stderr_has "small/scenario.json:7:"
stderr_has "small/cluster.json:4:"
stderr_has "nowhere.json"

example "a nesting bomb"
head -c 100000 /dev/zero | tr '\0' '[' >small/bomb.json
trainyard validate small/bomb.json
exit_is 2
stderr_begins "small/bomb.json:1:65: nested deeper than 64 levels"

example "a pipe, although the file is read more than once"
piped()
{
    "$TRAINYARD" "$@" <(cat "$scenarios/workloads/poisson/scenario.json") >stdout 2>stderr
    status=$?
}
piped validate
exit_is 0
stdout_has "scenario, no problems"
piped test
exit_is 0
stdout_has "ok 1"
piped run --check-determinism
exit_is 2
stderr_has "is a pipe without contents, or one whose contents were read already"
stderr_has "hint: some commands read a file more than once"

example "commands that wait for each other"
circle()
{
    cat <<JSON
{"trainyard": 1, "catalog": ["catalog/ideal.json"], "commands": [
  {"at": "0s", "do": "cluster.create", "name": "first", "config": {"properties": {"vmSize": "ideal_4gpu"}}},
  {"after": "cluster $1 deleted", "do": "cluster.create", "name": "second", "config": {"properties": {"vmSize": "ideal_4gpu"}}},
  {"after": "cluster SECOND empty", "do": "cluster.create", "name": "third", "config": {"properties": {"vmSize": "ideal_4gpu"}}},
  {"after": "cluster third ready", "do": "cluster.delete", "name": "third"}]}
JSON
}
circle third >circle.json
trainyard validate circle.json
exit_is 0
stderr_begins "circle.json:3:13: warning: these commands wait for each other, so none of them happens: cluster.create second waits for \
cluster third deleted, cluster.create third waits for cluster SECOND empty"
holds [ "$(grep -c 'wait for each other' stderr)" = 1 ]
circle first >straight.json
trainyard validate straight.json
stderr_is_empty

finish
