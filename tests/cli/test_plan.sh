#!/usr/bin/env bash
# trainyard plan: with and without a study file, interruptions, ranks, --check, exit codes, wrong input.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

cp "$source_folder/tests/sim/study/coverage/queue.json" queue.json
cat >plan.json <<'JSON'
{"trainyard_study": 1, "description": "How many servers?", "scenario": "queue.json",
 "factors": {"servers": {"values": "1..8"}, "jobs": {"set": "/workloads/0/jobs", "values": [200]},
   "rate": {"values": ["0.32/h"]}},
 "minimise": "cost_usd.total",
 "subject_to": [{"share": "workloads.all.waited_within(10h)", "at_least": "90%"}], "indifference": "3%"}
JSON

example "the answer comes first, then the candidates and what they cost"
trainyard plan plan.json -o one -j 1
exit_is 0
stderr_is_empty
holds grep -q "^Choose 5 servers" <(head -n 1 stdout)
stdout_has "->  servers=5 "
stdout_has "All candidates have 200 jobs, rate 0.32/h."
stdout_has "more work arrives than 1 node can do: 3.2 are needed"
stdout_has "a full grid needs about"
holds [ "$(head -n 1 one/plan.csv | cut -d, -f1-7)" = "candidate,servers,jobs,rate,state,runs,fresh_runs" ]
read -ra metrics < <(/usr/bin/python3 -c 'import json; print(*json.load(open("one/study.json"))["metrics"])')
for table in plan fresh winner-jobs; do
    holds is_documented one/$table.csv servers jobs rate "${metrics[@]}"
done
holds grep -q '"verdict": "found"' one/plan.json
# The runs about the answer and their time are stated too: each is a line of a journal below.
read -r more _ < <(grep 'more runs about the answer, in .* in all\.$' stdout)
holds [ "${more//,/}" = "$(cat one/*/journal/*.log | grep -vc '^trainyard-journal')" ]

example "of many candidates the table has those that are nearest to the answer"
sed 's/1\.\.8/1..30/' plan.json >many.json
trainyard plan many.json
exit_is 0
stdout_has "->  servers=5 "
stdout_has "14 more, which are further from the answer, in plan.csv"
holds [ "$(grep -c '^\(->\)\? *servers=' stdout)" = 16 ]

example "no quota is asked for a kind of nodes that the answer does not have"
trainyard plan "$source_folder/scenarios/studies/a100-h100/scenario.json" --vary a100=12..13 --param h100=0 --set /until=2d \
    --sensitivity none --minimise cost_usd.total --slo 'workloads.large.waited_within(1h) >= 50%' -o kinds
exit_is 0
holds [ "$(grep -c '^Quota: ' stdout)" = 1 ]
stdout_has "Quota: the plan uses at most 288 cores of NCADSA100v4 (dedicated)"

example "the worst run of the answer has its own report, one click away"
holds grep -q '<a href="worst/report.html">Its own report</a>' one/report.html
worst=$(sed -n 's/.*<code>trainyard show DIR \([0-9]* [0-9]*\) --run -o worst.*/\1/p' one/report.html)
# shellcheck disable=SC2086
trainyard show one $worst --run -o again
exit_is 0
for file in summary.json trace.tsv report.html; do
    holds cmp -s again/$file one/worst/$file
done

example "the files do not depend on the number of threads, or on kills"
trainyard plan plan.json -o two -j 2 -q
exit_is 0
stdout_is_empty
for delay in 0.05 0.1 0.2 0.3; do
    { timeout -s KILL $delay "$TRAINYARD" plan plan.json -o killed -q >stdout; } 2>stderr
done
trainyard plan plan.json -o killed -q
exit_is 0
for file in plan.json plan.csv fresh.csv results.csv points.csv study.json; do
    holds cmp -s one/$file two/$file
    holds cmp -s one/$file killed/$file
done
holds cmp -s one/worst/report.html killed/worst/report.html

if [ -x "$(dirname "$TRAINYARD")/trainyard-study-mpi" ] && starts_programs && command -v mpirun >/dev/null; then
    example "or on ranks"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mpirun --oversubscribe -n 3 "$TRAINYARD" plan plan.json -o ranks -q >stdout 2>stderr
    status=$?
    exit_is 0
    for file in plan.json plan.csv fresh.csv results.csv points.csv study.json; do
        holds cmp -s one/$file ranks/$file
    done
    example "a rank stops with the time limit, and threads continue its folder"
    mpirun --oversubscribe -n 2 "$TRAINYARD" plan plan.json -o ranks-late -q --time-limit 100ms >stdout 2>stderr
    trainyard plan plan.json -o ranks-late -q
    exit_is 0
    holds cmp -s one/plan.json ranks-late/plan.json
fi

example "every command on the page repeats its run, also of a steady plan"
cat >steady.json <<'JSON'
{"trainyard_study": 1, "scenario": "queue.json", "factors": {"servers": {"values": "4..6"}, "rate": {"values": ["0.32/h"]}},
 "horizon": {"kind": "steady", "warm_up": "100h", "length": "900h"}, "minimise": "workloads.all.jobs",
 "subject_to": [{"metric": "workloads.all.queue_s.mean", "at_most": "20h"}]}
JSON
# The first metric of the run of each command on the page of the plan in FOLDER, and its value in fresh.csv or results.csv.
repeat_all()
{
    /usr/bin/python3 - "$1" "$2" <<'PYTHON'
import csv, html, json, re, shlex, subprocess, sys
folder, metric = sys.argv[1:]
known, repeated = {}, []
for name in ("results.csv", "fresh.csv"):
    for row in csv.DictReader(open(f"{folder}/{name}")):
        known[row["servers"], row["seed"]] = float(row[metric])
commands = {html.unescape(c) for c in re.findall(r"<code>(trainyard run [^<]*)</code>", open(f"{folder}/report.html").read())}
for command in sorted(commands):
    words = shlex.split(command)
    servers = re.search(r"servers=(\d+)", command).group(1)
    if servers not in {name for name, seed in known}:
        continue  # a candidate that was not simulated
    value = json.loads(subprocess.run(words + ["--json"], capture_output=True, text=True, check=True).stdout)
    for part in metric.split("."):
        value = value[part]
    if value != known[servers, words[words.index("--seed") + 1]]:
        sys.exit(f"{command}: {value}")
    repeated.append(command)
print(len(repeated))
PYTHON
}
trainyard plan steady.json -o steady
exit_is 0
holds [ "$(PATH=$(dirname "$TRAINYARD"):$PATH repeat_all steady workloads.all.queue_s.mean)" -ge 3 ]
holds [ "$(PATH=$(dirname "$TRAINYARD"):$PATH repeat_all one cost_usd.total)" -ge 3 ]

example "runs of shards of a sweep are used"
for i in 0 1; do
    trainyard sweep plan.json --shard $i/2 -o part-$i
done
trainyard merge part-0 part-1 -o merged
exit_is 0
trainyard plan plan.json -o merged
exit_is 0
holds cmp -s one/plan.json merged/plan.json

example "a time limit: exit code 4, valid files, and the rest later"
trainyard plan plan.json -o late --time-limit 1ms
exit_is 4
stdout_has "the same command continues"
holds grep -q '"verdict": "unfinished"' late/plan.json
trainyard plan plan.json -o late -q
exit_is 0
holds cmp -s one/plan.json late/plan.json

# begins FOLDER COMMAND...: starts the command, whose process id is $process, and returns once it has recorded runs in FOLDER.
begins()
{
    local journal=$1/journal/0-0.log
    shift
    "$@" >stdout 2>stderr &
    process=$!
    for _ in $(seq 100); do
        [ "$(wc -l 2>/dev/null <"$journal")" -gt 2 ] 2>/dev/null && return
        sleep 0.1
    done
}

example "SIGUSR1 prints the progress; Ctrl-C: exit code 130, and valid files"
sed 's/"indifference"/"seeds": {"at_least": 50000}, "indifference"/' plan.json >long.json
begins long "$TRAINYARD" plan long.json -o long -j 1
kill -USR1 $process
holds_soon grep -qF "of 8 candidates in play" stderr
kill -INT $process
wait $process
status=$?
exit_is 130
stdout_has "the same command continues"
holds grep -q '"verdict": "unfinished"' long/plan.json
holds [ "$(wc -l <long/plan.csv)" -eq 9 ]
holds grep -q "There is no decision yet" long/report.html

example "SIGTERM: exit code 4, and the page says the same"
begins long-2 "$TRAINYARD" plan long.json -o long-2 -q
kill -TERM $process
wait $process
status=$?
exit_is 4
holds grep -q '"verdict": "unfinished"' long-2/plan.json
trainyard report long-2
exit_is 0
holds grep -q "There is no decision yet" long-2/report.html

example "timeout sends SIGTERM twice, which counts once"
begins long-4 "$TRAINYARD" plan long.json -o long-4 -j 1
kill -TERM $process
sleep 0.01
kill -TERM $process 2>/dev/null
wait $process
status=$?
exit_is 4
stdout_has "the same command continues"

example "a plan that was killed is reported as one, also in the folder of a sweep"
begins long-3 "$TRAINYARD" plan long.json -o long-3 -q
kill -KILL $process
wait $process 2>/dev/null
holds [ ! -e long-3/plan.json ]
trainyard report long-3
exit_is 0
holds grep -q "There is no decision yet" long-3/report.html
trainyard sweep plan.json -o swept -q
trainyard plan plan.json -o swept --time-limit 1ms -q
rm swept/plan.json swept/plan.csv # as if it had been killed before
trainyard report swept
exit_is 0
holds grep -q "Choose 5 servers\|There is no decision yet" swept/report.html
trainyard sweep plan.json -o swept -q
trainyard report swept
holds [ "$(grep -c "Choose 5 servers" swept/report.html)" -eq 0 ]

example "stopped many times by SIGTERM: the files of the end are the same"
for delay in 0.02 0.05 0.1 0.15; do
    { timeout -s TERM $delay "$TRAINYARD" plan plan.json -o stopped -q >stdout; } 2>stderr
done
trainyard plan plan.json -o stopped -q
exit_is 0
for file in plan.json plan.csv results.csv points.csv study.json; do
    holds cmp -s one/$file stopped/$file
done

example "a full disk and a folder that cannot be made: exit code 3, and what was recorded is kept"
(trap '' XFSZ; ulimit -f 8; exec "$TRAINYARD" plan plan.json -o full -q) >stdout 2>stderr
status=$?
exit_is 3
stderr_has "File too large"
trainyard plan plan.json -o full -q
exit_is 0
holds cmp -s one/plan.json full/plan.json
trainyard plan plan.json -o /proc/plan
exit_is 3
stderr_has "/proc/plan"
trainyard plan plan.json -o plan.json/below
exit_is 2
stderr_has "\"plan.json\" is a file, expected a folder"

example "independent seeds: the commands and seeds are those of the runs"
sed 's/"indifference"/"seeds": {"independent": true}, "indifference"/' plan.json >independent.json
trainyard plan independent.json -o independent -q
exit_is 0
read -r point seed < <(awk -F, 'NR == 2 { print $1, $5 }' independent/winner-jobs.csv)
first=$(sed -n 's/.*"first_fresh_seed": \([0-9]*\).*/\1/p' independent/plan.json)
holds [ "$seed" = "$first" ]
holds grep -q -- "--seed $seed" independent/report.html
holds grep -qP "^$point\t\d+\t$seed\t" independent/journal/0-0.log

example "no candidate is enough: exit code 1, and the nearest miss"
sed 's/"1..8"/"1..4"/' plan.json >few.json
trainyard plan few.json -o few
exit_is 1
holds grep -q '"nearest_miss"' few/plan.json

example "a plan without a file, and a forecast"
trainyard plan queue.json --vary servers=4..6 --vary rate=0.32/h --slo 'workloads.all.waited_within(10h) >= 90%' \
    --minimise cost_usd.total --indifference 3%
exit_is 0
stdout_has "5 servers"
trainyard plan plan.json --dry-run -o forecast
exit_is 0
stdout_has "8 points; the first round: 40 runs"
stdout_has "runs; with -o more follow"
holds [ ! -e forecast ]

example "options change the goal of a study file"
trainyard plan plan.json --slo 'workloads.all.waited_within(10h) >= 98%' --confidence 90% -o changed
exit_is 0
sed 's/"90%"/"98%"/; s/"indifference"/"confidence": "90%", "indifference"/' plan.json >edited.json
trainyard plan edited.json -o edited
holds cmp -s changed/points.csv edited/points.csv
holds cmp -s changed/plan.csv edited/plan.csv
stdout_has "98 % is asked (90 % confidence)"
trainyard plan plan.json --slo 'cost_usd.total <= 200 USD' -o changed
exit_is 1
stdout_has "where at most 200 USD is asked."
trainyard plan plan.json --maximise utilisation --metric simulated_s -o other
exit_is 0
holds grep -q '"maximise": "utilisation"' other/study.json
holds grep -q 'simulated_s' other/points.csv
trainyard plan --check other
exit_is 2
stderr_has "the plan in DIR was made with options"

example "a check passes, and notices another answer and a small margin"
trainyard plan --check one
exit_is 0
stdout_has "the recommendation is still servers=5"
trainyard plan --check one --margin 9%
exit_is 1
stdout_has "the margin of workloads.all.waited_within(10h) >= 90%"
sed 's/90%/98%/' plan.json >more.json
trainyard plan more.json --check one
exit_is 1
stdout_has "the recommendation changed from servers=5"
trainyard plan --check nothing
exit_is 2
stderr_has "nothing/plan.json"

example "--param and --set hold at all candidates, also of a study file, and the facts of the scenario are those with them"
trainyard plan queue.json --vary servers=4..6 --param rate=0.32/h --set /workloads/0/jobs=200 --slo 'workloads.all.waited_within(10h) >= 90%' \
    --minimise cost_usd.total --indifference 3% -o fixed
exit_is 0
stdout_has "->  servers=5 "
stdout_has "All candidates have rate 0.32/h, workloads_0_jobs 200."
holds grep -q '"rate": *"0.32/h"' fixed/plan.json
winner=$(sed -n 's/^Choose \([0-9]* servers\).*/\1/p' stdout)
sed 's/"rate": {"values": \["0.32\/h"\]}/"servers2": {"set": "\/seed", "values": [1]}/' plan.json >open.json
trainyard plan open.json --param rate=0.32/h
exit_is 0
stdout_has "Choose $winner"
trainyard plan "$scenarios/studies/cifar-team/scenario.json" --vary nodes=1..2 --set /workloads/0/within=3d --set /workloads/0/end=3d \
    --minimise cost_usd.total
stdout_has " USD in 3 d"
for wrong in "--param rate" "--param /until=2d" "--set until=2d" "--set /=2"; do
    # shellcheck disable=SC2086
    trainyard plan queue.json --vary servers=4..6 --minimise cost_usd.total $wrong
    exit_is 2
    stderr_has "is set as"
done
trainyard plan plan.json --param servers=4
exit_is 2
stderr_begins "trainyard: plan: --param servers=4: the study varies it already"
trainyard plan queue.json --vary servers=4..6 --minimise cost_usd.total --param colour=red
exit_is 2
stderr_has "colour"

example "energy needs the power of the nodes, as an objective and as a limit; a workload may have that name"
for goal in "--minimise energy.total_kwh" "--minimise cost_usd.total --slo energy.peak_kw<=2kW"; do
    # shellcheck disable=SC2086
    trainyard plan queue.json --vary servers=1..2 $goal
    exit_is 2
    stderr_has "no power of Standard_NC6 is known"
    stderr_has "catalog/power.json"
done
sed 's/"name": "all"/"name": "energy"/' queue.json >energy.json
trainyard plan energy.json --vary servers=4..6 --minimise cost_usd.total --slo 'workloads.energy.waited_within(10h) >= 50%'
exit_is 0

example "a short log: what certainty costs, in the answer, on the page, and as an expectation"
cp "$source_folder"/tests/sim/study/plan/log.{json,csv} .
cat >days.json <<'JSON'
{"trainyard_study": 1, "scenario": "log.json", "factors": {"servers": {"values": "8..13"}}, "minimise": "cost_usd.total",
 "subject_to": [{"share": "workloads.all.waited_within(30m)", "at_least": "85%"}], "indifference": "2%",
 "expect": [{"answer": {"servers": 8}}, {"sure": {"servers": 13}}]}
JSON
trainyard plan days.json -o days
exit_is 0
stdout_has "might show that the limit is missed. With 13 servers the limit holds in other times like these, too: it costs"
stdout_has "has a worse objective than the recommendation, and is not sure to meet every constraint in other times"
holds grep -q "costs more, meets the limits in other times, too" days/report.html
holds grep -q "costs more, may miss a limit in other times" days/report.html
holds grep -q "sure in other times: 13" days/report.html
trainyard test days.json
exit_is 0
sed 's/"sure": {"servers": 13}/"sure": {"servers": 12}/' days.json >wrong.json
trainyard test wrong.json
exit_is 1
stdout_has "servers=12"

example "growing load needs larger candidates"
trainyard plan queue.json --vary servers=4..9 --vary rate=0.32/h --set /workloads/0/jobs=200 --slo 'workloads.all.waited_within(10h) >= 90%' \
    --minimise cost_usd.total --indifference 3% --sensitivity none --growth 5% -o growing
exit_is 0
stdout_has "What is needed when the load has grown:"
stdout_has "  servers=5 rate=0.32/h workloads_0_jobs=200, cost_usd.total "
stdout_has "  servers=9 rate=0.32/h workloads_0_jobs=200, cost_usd.total "
stdout_has "No candidate that was tried bears more."
holds grep -q "What is needed when the load has grown" growing/report.html
holds test -f growing/growth/points.csv

example "wrong input has its place and a hint"
trainyard plan
exit_is 2
stderr_has "STUDY or SCENARIO is missing"
sed 's/"subject_to"/"subject"/' plan.json >wrong.json
trainyard plan wrong.json
exit_is 2
stderr_begins 'wrong.json:5:2: unknown key "subject" in this study'
sed 's/waited_within(10h)/waited_wthin(10h)/' plan.json >wrong.json
trainyard plan wrong.json
exit_is 2
stderr_has "waited_within"
trainyard plan queue.json --vary servers=4..6 --slo 'waited_within(10h) 90%' --minimise cost_usd.total
exit_is 2
stderr_begins "trainyard: plan: --slo waited_within(10h) 90%: a constraint is a metric, '>=' or '<=', and a limit"
trainyard plan plan.json --vary servers=1..2
exit_is 2
stderr_begins "trainyard: plan: --vary: does not go with a study file"
trainyard plan plan.json --confidence 20%
exit_is 2
stderr_begins 'trainyard: plan: --confidence: a confidence of "20%" is not above 50 % and below 100 %'
for growth in 3 100% 0% 5percent; do # 3 would be 300 % a month
    trainyard plan queue.json --vary servers=4..6 --minimise cost_usd.total --growth $growth
    exit_is 2
    stderr_begins "trainyard: plan: --growth: \"$growth\" is not a growth above 0 and below 100%"
done
trainyard plan queue.json --vary servers=4..6
exit_is 2
stderr_begins 'trainyard: plan: missing "metrics" in this study'
stderr_has "--minimise cost_usd.total"
sed '/minimise/d; /subject_to/d' plan.json | sed 's/"0.32\/h"\]}},/"0.32\/h"]}}, "metrics": ["utilisation"]}/' >sweep.json
trainyard plan sweep.json
exit_is 2
stderr_has "no objective"

finish
