#!/usr/bin/env bash
# trainyard test: TAP, JUnit, folders, expectations that are not met.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "expectations that are met"
trainyard test small/scenario.json
exit_is 0
stdout_has "TAP version"
stdout_has "1..3"
holds [ "$(grep -c '^ok ' stdout)" -eq 3 ] # the run itself counts
stderr_is_empty

example "one that is not met says what came out"
sed 's/\["10m", "12m"\]/["1m", "2m"]/' small/scenario.json >small/wrong.json
trainyard test small/wrong.json
exit_is 1
holds [ "$(grep -c '^not ok ' stdout)" -eq 1 ]
stdout_has "jobs.nap.run_s"

example "a folder: every scenario.json below it, one report"
mkdir both
cp -r small both/a
cp -r small both/b
mv both/b/wrong.json both/b/scenario.json
trainyard test both --junit junit.xml
exit_is 1
stdout_has "1..6"
holds /usr/bin/python3 - <<'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("junit.xml").getroot()
cases = list(root.iter("testcase"))
assert len(cases) == 6, len(cases)
assert sum(case.find("failure") is not None for case in cases) == 1
PYTHON

example "a study is swept, and its expectations are checked; the folder of a sweep is not a test"
mkdir -p team/out
cp small/*.json team
mv team/scenario.json team/nap.json
rm team/[^cjn]*.json
cat >team/study.json <<'JSON'
{"trainyard_study": 1, "scenario": "nap.json",
 "factors": {"nap": {"set": "/programs/0/duration", "values": ["10m", "20m"]}},
 "seeds": {"at_least": 5}, "metrics": ["jobs.nap.run_s"], "baseline": {"nap": "10m"},
 "expect": [{"at": {"nap": "20m"}, "metric": "jobs.nap.run_s", "at_least": "20m"},
            {"metric": "jobs.nap.run_s", "of": "difference", "between": ["9m", "11m"]},
            {"metric": "jobs.nap.run_s", "at_least": "15m"}]}
JSON
trainyard sweep team/study.json -o team/out -q
exit_is 0
trainyard test team --junit team.xml
exit_is 1
stdout_has "1..4"
holds [ "$(grep -c '^not ok ' stdout)" -eq 1 ]
stdout_has " at nap=10m"
stdout_has 'reproduce: "trainyard sweep team/study.json -o out; trainyard show out 0 SEED"'
stderr_is_empty

example "a wrong expectation of a study is bad input, also for sweep"
sed 's/"at": {"nap": "20m"}/"at": {"nap": "30m"}/' team/study.json >team/wrong.json
for verb in test sweep; do
    trainyard $verb team/wrong.json
    exit_is 2
    stderr_begins 'team/wrong.json:4:28: factor "nap" has no level 30m'
done

example "an impossible state of a job that is never created is bad input"
sed 's/"expect": \[/"expect": [{"job": "map", "state": "done"},/' small/scenario.json >small/never.json
trainyard test small/never.json
exit_is 2
stderr_has 'no command creates a job "map"'
stderr_has 'did you mean "nap"?'
stderr_has 'a job is never "done"'

# The small scenario with other expectations: expecting NAME EXPECTATION...
expecting()
{
    local file=small/$1.json
    shift
    /usr/bin/python3 - "$file" "$@" <<'PYTHON'
import json, sys
scenario = json.load(open("small/scenario.json"))
scenario["expect"] = [json.loads(text) for text in sys.argv[2:]]
json.dump(scenario, open(sys.argv[1], "w"), indent=1)
PYTHON
}

example "what holds always, never, sometimes, eventually, in which order"
expecting time '{"always": "cluster gpu nodes <= 1"}' '{"never": "cluster gpu unusable > 0 for 1m"}' \
    '{"sometimes": "job nap running"}' '{"eventually": "job nap succeeded", "within": "20m", "of": "job nap submitted"}' \
    '{"before": "cluster gpu ready", "then": "job nap completed"}' \
    '{"order": ["job nap submitted", "cluster gpu steady", "job nap started", "job nap completed", "cluster gpu deleted"]}' \
    '{"job": "nap", "state": "succeeded", "exit_code": 0}'
trainyard test small/time.json
exit_is 0
stdout_has "1..8"
stderr_is_empty

example "a failed one says when, shows the records around it and how to see more"
expecting late '{"always": "cluster gpu nodes == 0"}' '{"never": "job nap running for 5m"}' '{"sometimes": "cluster gpu idle > 1"}' \
    '{"eventually": "job nap running", "within": "1m"}' '{"order": ["job nap started", "cluster gpu steady"]}' \
    '{"job": "nap", "exit_code": 3, "error": "JobFailed"}' '{"cluster": "gpu", "error": "AccountCoreQuotaReached"}'
trainyard test small/late.json --junit late.xml
exit_is 1
holds [ "$(grep -c '^not ok ' stdout)" -eq 7 ]
holds [ "$(grep -c '^  records:' stdout)" -eq 7 ]
stdout_has 'expected: "always cluster gpu nodes == 0"'
stdout_has 'got: "cluster gpu nodes is 1 at '
stdout_has 'reproduce: "trainyard run small/late.json -o out"'
stdout_has 's  cluster_allocation  gpu steady target=1 current=1'
stdout_has 'got: "job nap running is 1 at '
stdout_has 'got: "exit code 0, error none"'
stdout_has 'expected: "exit code 3, error JobFailed"'
stdout_has 'got: "error none"'
holds grep -q "cluster_allocation  gpu steady" late.xml

example "a statistic over several seeds"
expecting seeds '{"metric": "jobs.nap.run_s", "seeds": 20, "at_least": "10m", "at_most": "11m", "confidence": "99%"}' \
    '{"metric": "jobs.nap.queue_s", "seeds": 59, "statistic": "p95", "at_most": "7m"}'
trainyard test small/seeds.json
exit_is 0
trainyard test small/seeds.json --seeds 10
exit_is 1
stdout_has "10 runs are too few for a bound"
holds [ "$(grep -c '^not ok ' stdout)" -eq 1 ]

example "a statistic out of its limits names the bound and the worst run; an unknown metric the first run without it"
expecting limits '{"metric": "jobs.nap.run_s", "seeds": 5, "at_most": "1m"}' '{"metric": "jobs.nap.steps", "seeds": 3, "at_most": 1}'
trainyard test small/limits.json
exit_is 1
stdout_has 'expected: "mean at most 60"'
stdout_has ' over 5 runs, at most '
stdout_has 'at 95 % confidence'
holds grep -qE 'reproduce: "trainyard run small/limits.json --seed (7|8|9|10|11) --json"' stdout
stdout_has 'got: "the metric is not known in 3 of 3 runs, first with seed 7"'

example "jobs that still wait leave a limit of waits open, and it is said how to decide it"
expecting waiting '{"metric": "queue_s.max", "at_most": "2h"}' '{"metric": "queue_s.max", "seeds": 3, "at_most": "2h"}'
trainyard test small/waiting.json --set /until=2m
exit_is 1
stdout_has 'got: "at least 120, as jobs still waited when the run ended; with a later \"until\" more of them start"'
stdout_has 'got: "jobs still waited at the end of 3 of 3 runs, first with seed 7; with a later \"until\" more of them start"'

example "names of metrics are checked before the run, with their place"
expecting names '{"metric": "jobs.nap.runs_s", "at_most": "1h"}' '{"metric": "jobs.napp.run_s", "at_most": 1}' \
    '{"metric": "clusters.gpu.nodes", "equals": 2}' '{"metric": "jobs.nap.error.code", "at_most": 1}' '{"metric": "cost_usd.total", "at_most": "95%"}'
trainyard test small/names.json
exit_is 2
stderr_has 'unknown metric "jobs.nap.runs_s": no member is called "runs_s"'
stderr_has 'did you mean "jobs.nap.run_s"?'
stderr_has 'no job of the scenario is called "napp"'
stderr_has 'no member is called "nodes"'
stderr_has 'metric "jobs.nap.error.code" is a text, not a number'
stderr_has 'metric "cost_usd.total" is not a ratio, but a bound is a percentage'
holds grep -qE '^small/names.json:[0-9]+:[0-9]+: unknown metric "jobs.nap.runs_s"' stderr
trainyard validate small/names.json
exit_is 2
stderr_has 'did you mean "jobs.nap.run_s"?'

example "shares of jobs within a time, as percentages"
expecting within '{"metric": "waited_within(1h)", "at_least": "95%"}' '{"metric": "waited_within(1s)", "at_least": "95%"}'
trainyard test small/within.json
exit_is 1
holds [ "$(grep -c '^not ok ' stdout)" -eq 1 ]
stdout_has 'expected: "at least 0.95"'
stdout_has 'got: "0"'

example "a broken scenario is bad input"
echo '{' >small/broken.json
trainyard test small/broken.json
exit_is 2
stderr_has "small/broken.json:"

example "a folder without scenarios"
mkdir empty
trainyard test empty
exit_is 2

finish
