#!/usr/bin/env bash
# trainyard explain and report: what they read and what they say.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "explain names the place of every value"
trainyard explain small/scenario.json
exit_is 0
stdout_has "small/scenario.json:4:"
stdout_has "default"
stderr_is_empty

example "explain: a time between checkpoints is a number of mean steps"
trainyard explain "$scenarios/jobs/long-epochs" # of 604 ms
stdout_has 'job train steps between checkpoints = 2980  # its checkpoint'

example "explain of a broken scenario"
sed 's/"seed"/"sead"/' small/scenario.json >small/broken.json
trainyard explain small/broken.json
exit_is 2
stdout_is_empty
stderr_has "small/broken.json:4:"

example "report makes the same page again from a run's files"
trainyard run small/scenario.json -o run
cp -r run copy
rm copy/report.html
trainyard report copy
exit_is 0
holds cmp run/report.html copy/report.html

example "the page needs no other file"
holds grep -q '<svg' run/report.html
holds [ -z "$(grep -oE '(src|href)="(https?:)?//[^"]*"' run/report.html)" ]

example "report of a folder without a run"
mkdir empty
trainyard report empty
exit_is 2
stderr_has "empty"

example "report of a run whose trace is damaged"
printf 'nonsense\n' >copy/trace.tsv
trainyard report copy
exit_is 2
stderr_has "copy/trace.tsv:1:1: "

example "explain says how each cluster's queue is served"
trainyard explain "$scenarios/scheduling/conservative/scenario.json"
exit_is 0
holds grep -qE '^cluster [^ ]+ policy = conservative  # policy of the scenario: as the service, but a job may overtake' stdout
holds grep -qE '^cluster [^ ]+ placement = consolidate  # placement of the scenario: as best-fit' stdout

finish
