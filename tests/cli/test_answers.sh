#!/usr/bin/env bash
# --json of validate, test, explain, diff, run, advise and predict, and plan.json: one document each, as `trainyard schema` describes it, also when there is no answer.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

python=$(python_with_jsonschema)

# answers EXIT-CODE SCHEMA EXPRESSION: what the last command printed is one document of that shape.
answers()
{
    exit_is "$1"
    stderr_is_empty
    holds has_json "$3"
    holds is_answer "$2"
}

sed 's/"seed": 7/"sead": 7/' small/scenario.json >small/wrong.json
sed 's/\["10m", "12m"\]/["1m", "2m"]/' small/scenario.json >small/missed.json

example "validate: a valid file, and one with a problem at its place"
trainyard validate --json small/scenario.json small/wrong.json
answers 2 validate-answer 'run["files"] == [{"path": "small/scenario.json", "kind": "scenario", "valid": True},
    {"path": "small/wrong.json", "kind": "scenario", "valid": False}] and run["problem_count"] == 1 and run["problems"] ==
    [{"source": "small/wrong.json", "line": 4, "column": 3, "message": "unknown key \"sead\" in this scenario",
      "hint": "did you mean \"seed\"?"}]'
trainyard validate --json small/scenario.json
answers 0 validate-answer 'run["problems"] == run["warnings"] == [] and run["files"][0]["valid"]'

example "validate: a file that does not exist has no line"
trainyard validate --json smoll/scenario.json
answers 2 validate-answer 'run["problems"][0]["line"] is None and run["problems"][0]["source"] == "smoll/scenario.json"'

example "test: times, and what was found"
trainyard test --json small/missed.json --junit junit.xml
answers 1 test-answer 'run["failure_count"] == 1 and [test["holds"] for test in run["tests"]] == [True, True, False] and
    run["tests"][0]["time_s"] > 0 and run["tests"][2]["line"] == 15 and
    run["tests"][2]["reproduce"] == "trainyard run small/missed.json --json"'
holds /usr/bin/python3 -c '
import xml.etree.ElementTree as tree
suite = tree.parse("junit.xml").getroot()
times = [float(case.get("time")) for case in suite.iter("testcase")]
assert len(times) == 3 and abs(sum(times) - float(suite.get("time"))) < 0.002, times'

example "test: a scenario that cannot run is a failed test, and its problem is in the document"
trainyard test --json small/wrong.json small/scenario.json
answers 2 test-answer 'run["failure_count"] == 1 and len(run["tests"]) == 4 and run["problems"][0]["source"] == "small/wrong.json"'
mkdir empty
trainyard test --json empty
answers 2 problems-answer 'run["problems"][0]["source"] == "empty"'

example "test: a study that cannot run"
echo '{"trainyard_study": 1, "scenario": "nowhere.json", "factors": {"a": {"set": "/seed", "values": [1, 2]}}, "metrics": ["cost_usd.total"]}' \
    >study.json
trainyard test --json study.json
answers 2 test-answer 'run["problems"][0]["source"].endswith("study.json") and "nowhere.json" in json.dumps(run["problems"])'

example "explain: values with their origin, and metrics"
trainyard explain --json small
answers 0 explain-answer '{"name": "seed", "value": "7", "origin": "small/scenario.json:4:11", "assumed": False} in run["values"] and
    any(value["assumed"] for value in run["values"])'
"$TRAINYARD" explain small >lines.txt
holds has_json 'len(run["values"]) == len(open("lines.txt").readlines())'
trainyard explain --json --metrics small
answers 0 explain-answer 'any(metric == {"name": "cost_usd.total", "unit": "USD", "meaning": metric["meaning"]} for metric in run["metrics"])'
trainyard explain --json small/wrong.json
answers 2 problems-answer 'run["problems"][0]["line"] == 4'

example "diff: the same run, and a longer one"
"$TRAINYARD" run small -o a -q
"$TRAINYARD" run small -o longer -q --set /programs/0/duration=20m
trainyard diff --json a a
answers 0 diff-answer 'run["same"] and run["differences"] == [] and "first_difference" not in run["a"]'
trainyard diff --json a longer
answers 1 diff-answer 'not run["same"] and run["b"]["inputs"] == ["set /programs/0/duration=20m"] and
    run["a"]["first_difference"]["number"] == run["same_records"] + 1 and len(run["before"]) == 3 and
    {"metric": "simulated_s", "a": 1211.022864241, "b": 1811.022864241, "change": 600, "change_percent": 49.5} in run["differences"]'
trainyard diff --json longer a
answers 1 diff-answer 'any(found["change"] == -600 and found["change_percent"] < 0 for found in run["differences"] if "change" in found)'
trainyard diff --json a empty
answers 2 problems-answer '"empty" in run["problems"][0]["source"]'

example "run --json: one document, also with --why"
trainyard run --json --why nap small
answers 0 summary 'run["why"][0].startswith("The story of job ") and run["jobs"]["nap"]["state"] == "succeeded"'
trainyard run --json small -o out --why nap
answers 0 summary '"why" in run and "why" not in json.load(open("out/summary.json"))'
trainyard run --json --why nip small
answers 2 problems-answer 'run["problems"][0]["source"] == "--why" and "nap" in run["problems"][0]["hint"]'
trainyard run --json small/wrong.json
answers 2 problems-answer 'run["problems"][0]["line"] == 4'

example "advise: changes that were made, tried and left out"
trainyard advise small --json -q --seeds 5
answers 1 advise-answer 'run["tried"][0]["kind"] == "automatic scaling" and run["tried"][0]["result"] == "no certain difference" and
    run["not_tried"][3] == {"kind": "another scheduling policy", "reason": "one job has no queue"}'

example "predict: a network, transformers with and without experts, and one that does not fit"
trainyard predict -m resnet50 --vm Standard_NC24r -n 8 --json
answers 0 predict-answer 'run["network"] == "ib-fdr"'
trainyard predict -m llama3-70b --vm Standard_ND96isr_H100_v5 --gpus 64 --layout tp=8,pp=2,fsdp --tokens 1T --json
answers 0 predict-transformer-answer 'run["training"]["tokens"] == 10**12 and "experts" not in run and "experts" not in run["split_ms"]'
trainyard predict -m mixtral-8x7b --vm Standard_ND96isr_H100_v5 --gpus 64 --json
answers 0 predict-transformer-answer 'run["experts"]["count"] == 8 and "experts" in run["split_ms"] and len(run["next_best"]) > 0'
trainyard predict -m llama3-70b --vm Standard_ND96isr_H100_v5 --gpus 8 --layout tp=1 --json
answers 1 predict-transformer-answer 'not run["fits"] and "step_ms" not in run and "next_best" not in run and
    run["memory"]["total_bytes"] > run["memory_of_gpu_bytes"]'

example "plan.json: an answer, and no answer"
cat >team.json <<'JSON'
{"trainyard_study": 1, "scenario": "small/scenario.json", "minimise": "cost_usd.total", "subject_to": [{"metric": "jobs.nap.run_s", "at_most": "1h"}],
 "weather": ["nap"], "factors": {"seeds": {"set": "/seed", "values": [1, 2]},
 "nap": {"set": "/programs/0/duration", "values": ["10m", "15m"]}}}
JSON
trainyard plan team.json -o team -q
cp team/plan.json stdout
answers 0 plan 'run["verdict"] == "found" and run["candidates"][run["winner"]["candidate"]]["state"] == "winner" and
    [check["weather"] for check in run["candidates"][0]["screening"]["constraints"]] == ["nap=10m", "nap=15m"]'
trainyard plan team.json --slo 'jobs.nap.run_s <= 1s' -o late -q
cp late/plan.json stdout
answers 1 plan 'run["verdict"] == "infeasible" and "winner" not in run and run["candidates"][0]["state"] == "misses"'

example "plan --check: a file that is not a plan.json"
sed 's/"misses"/"mises"/; s/"trainyard_plan": 1/"trainyard_plan": -1/' stdout >late/plan.json
trainyard plan team.json --check late -q
exit_is 2
stderr_has 'late/plan.json:2:21: "trainyard_plan" is not an integer from 0'
stderr_has 'unknown state "mises"'
stderr_has 'did you mean "misses"?'

example "each verb with --json names a schema of its output"
for verb in $("$TRAINYARD" help | sed -n '/^Verbs:/,/^  help /s/^  \([a-z-]*\) .*/\1/p'); do
    "$TRAINYARD" help "$verb" | tr -s ' \n' ' ' >help.txt
    case $verb in serve | az-env | schema) continue ;; esac # addresses and variables; none is its output
    grep -q -- ' --json ' help.txt || continue
    name=$(sed -n 's/.* --json .*(trainyard schema \([a-z-]*\).*/\1/p' help.txt)
    holds "$TRAINYARD" schema "$name"
    holds [ -n "$name" ]
done

example "a wrong command line is one line on stderr"
trainyard validate --json --nix small
exit_is 2
stdout_is_empty
stderr_begins 'trainyard: validate: unknown option "--nix"'

[ -n "$python" ] || echo "skipped: no independent JSON Schema validator (Debian package python3-jsonschema)"
finish
