#!/usr/bin/env bash
# Parameters of scenarios: --param of run, validate, explain and test.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

poisson=$scenarios/workloads/poisson/scenario.json

example "a scenario with parameters gives the same bytes as the one that it stands for"
mkdir by-hand
python3 - "$poisson" >by-hand/scenario.json <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
text = re.sub(r'  "parameters": \{.*?\n  \},\n', "", text, flags=re.S)
print(text.replace('"${nodes}"', "3").replace("${nodes}", "3").replace("${rate}", "7/h"))
PYTHON
holds cp -r "$scenarios/catalog" .
trainyard run by-hand/scenario.json -q -o by-hand/out
mkdir -p with/workloads
cp -r "$scenarios/workloads/poisson" with/by-hand
sed 's/"range": \[4, 64\]/"range": [1, 64]/' "$poisson" >with/by-hand/scenario.json
trainyard run with/by-hand/scenario.json --param nodes=3 --param rate=7/h -q -o with/out
holds [ "$(grep -vc '^#' with/out/trace.tsv)" -gt 300 ]
holds diff <(grep -v '^#' by-hand/out/trace.tsv) <(grep -v '^#' with/out/trace.tsv)

example "a param changes the run"
trainyard run "$poisson" --param rate=200/week --json
exit_is 0
holds has_json 'run["simulated_s"] > 40 * 3600'

example "summary, trace and report record what a run was given"
trainyard run "$poisson" --param rate=7/h --seed 3 --failures 2 -q -o given
holds grep -qx '#param rate=7/h' given/trace.tsv
holds grep -qx '#set /seed=3' given/trace.tsv
holds grep -qx '#failures 2' given/trace.tsv
holds grep -qE '^#file catalog/azure-2018.json [0-9a-f]{16}$' given/trace.tsv
cp given/summary.json stdout
holds has_json 'run["given"]["parameters"] == {"nodes": "4", "rate": "7/h"}'
holds has_json 'run["given"]["set"] == ["/seed=3"] and run["given"]["failures"] == "2"'
holds grep -qF 'Jobs come at random (7/h)' given/report.html
holds grep -qF 'nodes = 4, rate = 7/h' given/report.html
holds grep -qF '/seed=3' given/report.html
cp given/report.html first.html
trainyard report given
exit_is 0
holds cmp given/report.html first.html

example "explain lists parameters and the places that use them"
trainyard explain "$poisson" --param nodes=5
exit_is 0
stdout_has "parameter nodes = 5  # --param nodes=5; 4 to 64; largest number of nodes"
stdout_has "used at $poisson:"

example "validate checks the range"
trainyard validate "$poisson" --param nodes=99
exit_is 2
stderr_begins 'trainyard: validate: --param nodes=99: parameter "nodes" is 99, expected 4 to 64'
trainyard validate "$poisson" --param nodes=8
exit_is 0

example "a misspelt name"
trainyard run "$poisson" --param nods=5
exit_is 2
stderr_begins 'trainyard: run: --param nods=5: unknown parameter "nods"'
stderr_has 'did you mean "nodes"?'

example "a scenario without parameters"
trainyard run small/scenario.json --param nodes=5
exit_is 2
stderr_has "the scenario has no parameters"

example "parameters that are set as a whole replace those of the scenario"
trainyard validate "$poisson" --set '/parameters={"nodes": {"value": 6}}'
exit_is 2
stderr_has 'unknown parameter "rate"'
trainyard validate small/scenario.json --set '/parameters={"nodes": {"value": 3}}'
exit_is 2
stderr_has 'parameter "nodes" is not used'

example "validate --param of a job.json"
echo '{"properties": {"nodeCount": 1}}' >job.json
trainyard validate job.json --param nodes=5
exit_is 2
stderr_has "--set and --param change scenarios, and this is not a scenario"

example "test with a param"
trainyard test "$poisson" --param rate=1/d --seeds 2
exit_is 1
stdout_has "not ok"

finish
