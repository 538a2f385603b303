#!/usr/bin/env bash
# The files that jobs leave on the share show their failures, attempts and checkpoints.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# file JOB NAME: the path of one of the job's files in the folder "run".
file()
{
    find run/share -path "*/jobs/$1/*" -name "$2"
}

# file_has JOB NAME LINE
file_has()
{
    pass_or_fail "$2 of $1 lacks \"$3\"" grep -qF -e "$3" "$(file "$1" "$2")"
}

file_lacks()
{
    pass_or_fail "$2 of $1 has \"$3\"" awk -v text="$3" 'index($0, text) { exit 1 }' "$(file "$1" "$2")"
}

example "jobs that end in every way say so in their files"
# shellcheck disable=SC2154 # set by support.sh
trainyard run "$scenarios/jobs/outcomes/scenario.json" --quiet -o run
exit_is 1
file_has bad stderr.txt "the program ended with exit code 3."
file_has crashed stderr.txt "the program ended with exit code 139, killed by signal 11."
for job in good stopped slow deleted; do
    holds [ ! -s "$(file $job stderr.txt)" ]
done
file_has unpacked execution.log " failed after "
file_lacks unpacked execution.log "ready to run commands"
file_has unprepared stderr-job_prep.txt "the command failed with exit code 1."
# Whose program never started has no output, and who never had nodes has no files.
holds [ -z "$(file unpacked stdout.txt)$(file unprepared stdout.txt)$(file waiting '*')" ]
rm -r run

example "the execution log of the recorded job on the host has about the 3,223 bytes that the service listed"
trainyard run "$scenarios/recordings/creation-and-deletion/scenario.json" --quiet -o run
exit_is 0
bytes=$(stat -c %s "$(file host_job execution.log)")
holds [ "$bytes" -ge 3060 ]
holds [ "$bytes" -le 3390 ]
rm -r run

example "the output of a resumed training begins where the checkpoint ended, and all checkpoints are there"
trainyard run "$scenarios/nodes/crash-resume/scenario.json" --quiet -o run
exit_is 0
file_has train stdout.txt "resumed from a checkpoint: 2 of 4 epochs are done"
file_lacks train stdout.txt "epoch 2/4"
file_has train stdout.txt "epoch 3/4 step 2500/25000"
file_has train stdout.txt "epoch 4/4 done"
file_has train "execution-*_1-*.log" "attempt 2, "
holds [ "$(file train 'checkpoint-*.h5' | wc -l)" = 4 ]
rm -r run

example "training from scratch prints every epoch of its last attempt"
trainyard run "$scenarios/nodes/crash-from-scratch/scenario.json" --quiet -o run
exit_is 0
file_lacks train stdout.txt "resumed"
file_has train stdout.txt "epoch 1/4 done"
holds [ -z "$(file train 'checkpoint-*')" ]
rm -r run

example "a job that fails with its node has the output up to then"
trainyard run "$scenarios/preemption/fails-the-job/scenario.json" --quiet -o run
exit_is 1
file_has train "execution-*_1-*.log" "PreemptionError: Nodes of this job got pre-empted"
rm -r run

# set_up STREAM: the files of that kind that set-up tasks have left.
set_up()
{
    find run/share -path '*/clusters/*' -name "$1-tvm-*.txt" -exec cat {} +
}

example "set-up tasks leave what they print, for each node"
trainyard run "$scenarios/recordings/setup-task/scenario.json" --quiet -o run
exit_is 0
holds [ "$(set_up stdout)" = "setup task not a secret" ]
rm -r run

example "the log of a set-up task with an unknown command says so, and how the task failed"
trainyard run "$scenarios/nodes/setup-fails/scenario.json" --quiet -o run
exit_is 1
holds [ "$(set_up stdout | grep -c '^# exit code 100 after 5 s$')" = 2 ]
holds [ "$(set_up stderr | sort -u)" = "# Emulated by trainyard: the command failed with exit code 100." ]

finish
