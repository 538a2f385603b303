#!/usr/bin/env bash
# trainyard run --why: the stories of jobs of shipped scenarios, word for word as tests/cli/stories has them. When a story is
# meant to change: TRAINYARD=... TRAINYARD_GOLDEN_UPDATE=1 tests/cli/test_why.sh, and read what is new as a user would.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# story SCENARIO JOB FILE
story()
{
    example "the story of $2 in $1"
    trainyard run "$scenarios/$1/scenario.json" --quiet --why "$2"
    exit_is "${4:-0}"
    if [ -n "${TRAINYARD_GOLDEN_UPDATE:-}" ]; then
        cp stdout "$source_folder/tests/cli/stories/$3.txt"
    fi
    holds diff -u "$source_folder/tests/cli/stories/$3.txt" stdout
}

# A quota, and a job that can never start: the story of this job and of the job after it. Exit code 1: a job failed.
story quotas/core-quota wide quota 1
story quotas/core-quota narrow behind-a-quota 1
# A crash, its replacement, and what the checkpoint saved.
story nodes/crash-resume train crash-resume
# Eight jobs before it, an autoscaled cluster.
story workloads/bursts day-9 queue
# Longer than a day: the column of times is wider.
story preemption/a-day-at-most train a-day

# A queue takes its guarantee back: the job that is stopped, and the job that waited.
story scheduling/reclaim teams-2 reclaimed
story scheduling/reclaim teams-4 reclaims

# The same after notice, in which the job writes a checkpoint.
story scheduling/grace train noticed
story scheduling/grace lesson notices

example "report and timeline show who reclaimed GPUs"
trainyard run "$scenarios/scheduling/reclaim/scenario.json" --quiet -o reclaim
exit_is 0
holds grep -q 'Queue teaching reclaims its guarantee for job [^ ]*teams-4: 1 job of other queues stops' reclaim/report.html
holds grep -q '"name":"reclaims 1 job"' reclaim/timeline.json
holds grep -q '"name":"reclaimed"' reclaim/timeline.json

example "report and timeline show notices"
trainyard run "$scenarios/scheduling/grace/scenario.json" --quiet -o grace
exit_is 0
holds grep -q 'Job [^ ]*train gets notice: for queue lessons it is stopped in 1 min' grace/report.html
holds grep -q '"name":"notice"' grace/timeline.json

example "a job that does not exist"
trainyard run "$scenarios/workloads/bursts/scenario.json" --quiet --why somebody
exit_is 2
stderr_begins 'trainyard: run: --why: there was no job "somebody" in this run'
stderr_has 'names are written as in "'

finish
