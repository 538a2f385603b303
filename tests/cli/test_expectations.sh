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

example "a state that nothing ever has, of something that nobody creates, is bad input"
sed 's/"expect": \[/"expect": [{"job": "map", "state": "done"},/' small/scenario.json >small/never.json
trainyard test small/never.json
exit_is 2
stderr_has 'no command creates a job "map"'
stderr_has 'did you mean "nap"?'
stderr_has 'a job is never "done"'

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
