#!/usr/bin/env bash
# Files that are missing, folders, unreadable, or no JSON: which file it is, and what was meant.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "a file that a scenario names and that cannot be read has its name in the problem"
mkdir small/folder.json
echo '{}' >small/secret.json && chmod 0 small/secret.json
while IFS='|' read -r name code message; do
    [[ $name != secret.json || $EUID -ne 0 ]] || continue # root may read it
    sed 's/"cluster.json"/"'"${name//\//\\/}"'"/' small/scenario.json >small/edited.json
    for verb in validate run explain; do
        trainyard $verb small/edited.json
        exit_is "$code"
        stderr_begins "small/edited.json:9:55: $message"
        stderr_has 'files are looked for next to "small/edited.json"'
    done
done <<'TABLE'
zzz.json|2|there is no file "zzz.json"
nowhere/zzz.json|2|there is no file "nowhere/zzz.json"
folder.json|2|file "folder.json": is a folder, expected a file
secret.json|3|file "secret.json": reading failed: Permission denied
TABLE

example "a misspelt name gets a suggestion, in a scenario and on the command line"
sed 's/"cluster.json"/"clutser.json"/' small/scenario.json >small/edited.json
trainyard run small/edited.json
stderr_begins 'small/edited.json:9:55: there is no file "clutser.json"'
stderr_has '  hint: did you mean "cluster.json"? files are looked for next to "small/edited.json"'
for verb in validate run explain sweep plan advise; do
    trainyard $verb small/scenaro.json
    exit_is 2
    stderr_begins "small/scenaro.json: there is no such file"
    stderr_has '  hint: did you mean "small/scenario.json"?'
done
cd small || exit
trainyard run scenaro.json
stderr_has '  hint: did you mean "scenario.json"?'
trainyard run unlike-all-of-them.txt
stderr_has '  hint: relative paths start from the current folder'
cd ..

example "a folder stands for its scenario.json"
trainyard validate small
exit_is 0
stdout_has "small/scenario.json: scenario, no problems"
trainyard explain small/
exit_is 0
stdout_has "small/scenario.json:4:"
trainyard run small -o by_folder
exit_is 0
trainyard run small/scenario.json -o by_file
holds cmp by_folder/summary.json by_file/summary.json
mkdir none
trainyard run none
exit_is 2
stderr_begins "none/scenario.json: there is no such file"

example "a sweep and a plan prefer the study.json of a folder"
trainyard sweep small --vary /until=1h,2h --metric simulated_s -o swept --quiet
exit_is 0
holds [ -e swept/study.json ]
echo '{"trainyard_study": 0}' >small/study.json
for verb in sweep plan; do
    trainyard $verb small -o never
    exit_is 2
    stderr_has "small/study.json:1:"
done

example "UTF-16, binary, YAML and CSV input is one problem"
printf 'n = 1\n%.0s' {1..50} | iconv -f UTF-8 -t UTF-16 >utf16.json
iconv -f UTF-8 -t UTF-16LE small/scenario.json >utf16le.json
iconv -f UTF-8 -t UTF-16BE small/scenario.json >utf16be.json
gzip -c "$scenarios/catalog/azure-2018.json" >binary.json
printf '# a scenario\n\ntrainyard: 1\nseed: 7\n' >key.yaml
printf -- '---\nseed: 7\n' >document.yaml
printf -- '- seed: 7\n- seed: 8\n' >list.yaml
printf '# a workload file\njob,submit_s,run_s,gpus\na,0,10,1\n' >jobs.csv
printf 'Job;GPUs used;End\n1;2;3\n' >jobs.txt
while IFS='|' read -r file message; do
    for verb in validate run sweep; do
        trainyard $verb $file
        exit_is 2
        stdout_is_empty
        stderr_begins "$file:1:1: $message"
        holds [ "$(wc -l <stderr)" -eq 2 ]
    done
done <<'TABLE'
utf16.json|the text is UTF-16, expected JSON in UTF-8
utf16le.json|the text is UTF-16, expected JSON in UTF-8
utf16be.json|the text is UTF-16, expected JSON in UTF-8
binary.json|the bytes are binary, expected JSON in UTF-8
key.yaml|the text is YAML, expected JSON
document.yaml|the text is YAML, expected JSON
list.yaml|the text is YAML, expected JSON
jobs.csv|the text is a table, expected JSON
jobs.txt|the text is a table, expected JSON
TABLE

example "another kind of file in place of a scenario is one problem"
while IFS='|' read -r file message; do
    for verb in run test explain; do
        trainyard $verb "$scenarios/$file"
        exit_is 2
        stderr_begins "$scenarios/$file:$message, not a scenario"
        holds [ "$(wc -l <stderr)" -eq 2 ]
    done
done <<'TABLE'
cifar10-horovod/cluster.json|1:1: this is a cluster.json or job.json
cifar10-horovod/job.json|1:1: this is a cluster.json or job.json
catalog/ideal.json|1:1: this is a catalogue
TABLE
cp "$scenarios/studies/train-8b/study.json" question.json
for verb in run explain; do
    trainyard $verb question.json
    exit_is 2
    stderr_begins "question.json:2:1: this is a study, not a scenario"
    stderr_has "trainyard sweep"
    holds [ "$(wc -l <stderr)" -eq 2 ]
done

example "a text in Latin-1 has a problem for each line that is not UTF-8"
printf '{"a": "caf\351",\n "b": "\374ber"}\n' >latin1.json
trainyard validate latin1.json
exit_is 2
stderr_has "latin1.json:1:11: byte 0xe9 is not UTF-8"
stderr_has "latin1.json:2:8: byte 0xfc is not UTF-8"

example "a message of predict begins as those of other verbs"
trainyard predict --model resnet5 --vm Standard_NC24r
exit_is 2
stderr_begins 'trainyard: predict: "resnet5" is not among the networks of the catalogue'

finish
