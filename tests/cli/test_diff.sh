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

example "the inputs in which runs differ, even if the results are the same"
stdout_has "  B  set /programs/0/duration=20m"
sed 's/"trainyard": 1,/"trainyard": 1, \/* a comment *\//' small/scenario.json >small/scenario.new
mv small/scenario.json small/before.json
mv small/scenario.new small/scenario.json
trainyard run small/scenario.json -o commented
mv small/before.json small/scenario.json
trainyard diff a commented
exit_is 0
stdout_has "The runs had different inputs:"
stdout_has "  A  file scenario.json "
holds [ "$(grep -c '^  [AB]  ' stdout)" -eq 2 ]

example "a trace of an earlier program has no inputs"
mkdir earlier
cp a/summary.json earlier/
grep -v '^#file' a/trace.tsv >earlier/trace.tsv
trainyard diff a earlier
exit_is 0
holds [ "$(grep -c inputs stdout)" -eq 0 ]

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

example "a scenario's folder instead of a run's"
trainyard diff a small
exit_is 2
stderr_has "small/trace.tsv: there is no such file"
stderr_has "hint: a run's folder is written by \`trainyard run SCENARIO -o DIR\`"

finish
