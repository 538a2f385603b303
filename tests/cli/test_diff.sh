#!/usr/bin/env bash
# trainyard diff: equal runs, different runs, folders without a run.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

trainyard run small/scenario.json -o a
trainyard run small/scenario.json -o same
trainyard run small/scenario.json --set /programs/0/duration=20m -o longer

example "runs of one scenario and seed do not differ"
trainyard diff a same
exit_is 0
stderr_is_empty

example "a longer program: the first record that differs, and what changed in the summary"
trainyard diff a longer
exit_is 1
stdout_has "jobs.nap.run_s"
has_no_escapes

example "the same run recorded at two levels"
trainyard run small/scenario.json --trace jobs -o jobs
trainyard diff a jobs
exit_is 0
stdout_has "A was traced at level epochs and B at level jobs: records of level jobs are compared."

example "a folder without a run"
mkdir empty
trainyard diff a empty
exit_is 2
stderr_has "empty"

example "half a run"
mkdir half
head -c 100 a/trace.tsv >half/trace.tsv
cp a/summary.json half/
trainyard diff a half
exit_is 2
stderr_has "half/trace.tsv"

finish
