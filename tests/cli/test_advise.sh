#!/usr/bin/env bash
# trainyard advise: what it recommends, the commands that it prints, JSON, exit codes, wrong input.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

team=$scenarios/studies/cifar-team/scenario.json

example "advice, and the command that runs the changed scenario"
trainyard advise "$team" --seeds 5 -q
exit_is 0
stderr_is_empty
stdout_has "1. low-priority instead of dedicated nodes"
stdout_has "Tried, too:"
stdout_has "mean wait of jobs of team"
stdout_has "number of succeeded jobs"
holds [ "$(grep -c 'queue_s\|job_counts' stdout)" = 0 ]
stdout_has "another placement: all jobs take whole nodes"
cp stdout first
command=$(sed -n 's/^ *trainyard \(run .*\)/\1/p' first | head -n 1)
eval "trainyard $command --json -q"
exit_is 0
stdout_has '"priority": "lowpriority"'

example "the same text for any number of threads"
trainyard advise "$team" --seeds 5 -q -j 1
holds cmp -s first stdout

example "JSON has the differences of the advised changes"
trainyard advise "$team" --seeds 5 -q --json
exit_is 0
holds /usr/bin/python3 - <<'PYTHON'
import json
answer = json.load(open("stdout"))
best = answer["advice"][0]
cost = best["metrics"]["cost_usd.total"]
assert best["fresh_seeds"] and best["kind"] == "low priority or dedicated", best
assert cost["difference"] + cost["difference_half_width"] < 0, cost
assert len(answer["advice"]) <= 3 and answer["not_tried"], answer
PYTHON

example "the answer is no"
trainyard advise "$team" --seeds 5 -q --slo 'workloads.team.queue_s.mean <= 1s'
exit_is 1
stdout_has "It misses this constraint: the mean wait of jobs of team is at most 1 s. None of"

example "another objective"
trainyard advise "$team" --seeds 5 -q --minimise workloads.team.queue_s.mean
exit_is 0
stdout_has "1. 4 nodes that stay"

example "parameters and values of the scenario that all changes have"
trainyard advise "$team" --seeds 5 -q --param nodes=8 --set /workloads/0/count=100
exit_is 0
stdout_has "4 nodes instead of 8"
stdout_has " --param nodes=8 --set /workloads/0/count=100 --set '/commands/0/"
trainyard advise "$team" --param nods=8
exit_is 2
stderr_has "nods"

example "wrong input"
trainyard advise "$team" --minimise cost_usd.totl
exit_is 2
stderr_has "cost_usd.totl"
trainyard advise "$team" --slo 'waits 3'
exit_is 2
trainyard advise nothing.json
exit_is 2
stderr_begins 'nothing.json: there is no such file'

example "a time limit"
trainyard advise "$team" --seeds 100000 -q --time-limit 1s
exit_is 4
finish
