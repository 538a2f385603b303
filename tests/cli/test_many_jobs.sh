#!/usr/bin/env bash
# trainyard run, report and explain of a scenario with many jobs: lower bounds, metrics by name, a smaller output, the page.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
poisson=$scenarios/workloads/poisson/scenario.json

example "times of jobs that still wait are lower bounds, in tables, files and on the page"
trainyard run "$poisson" --until 6h -o cut
stdout_has "> 13 min 19 s"
holds grep -q '"at_least": \[' cut/summary.json
holds grep -q '>2 unfinished<' cut/report.html
holds grep -q '&gt; ' cut/report.html

example "the page of many jobs: waits first, then queue, classes and slots; nothing about learning"
trainyard run "$poisson" -q -o run
exit_is 0
holds grep -q 'that 95.*% of the jobs waited at most' run/report.html
holds grep -q 'of the jobs waited at most 30.*min' run/report.html
holds grep -q 'Share of the jobs that waited at most this long' run/report.html
holds grep -q '40 nodes took 4 slots' run/report.html
holds grep -q '<title>slot: 4 (gpu)' run/report.html
holds grep -q 'Numbers of this plot' run/report.html
holds [ "$(grep -c 'accuracy\|training' run/report.html)" -eq 0 ]
holds [ -s run/plots/waits-narrow.svg ]

example "report makes the same page again"
cp run/report.html first.html
trainyard report run
exit_is 0
holds cmp first.html run/report.html

example "the target of waits is the scenario's, or that of report"
trainyard run "$poisson" -q -o target --set /wait_target=20m
exit_is 0
holds grep -q '"wait_target_s": 1200,' target/summary.json
holds grep -q 'of the jobs waited at most 20.*min<' target/report.html
holds grep -q 'The dashed line is at the target, 20.*min\.' target/report.html
trainyard report target --target 90m
exit_is 0
holds grep -q 'of the jobs waited at most 1.*h.*30.*min<' target/report.html
trainyard report target --target 0s
exit_is 2
stderr_has "--target: is 0, expected a longer time"
trainyard run "$poisson" -q --set /wait_target=0s
exit_is 2
stderr_has "wait_target is 0, expected a longer time"

example "a missed expectation is in summary.json and the first tile of the page, and fails no run"
trainyard run "$poisson" -q -o missed --set '/expect/-={"metric": "waited_within(1s)", "at_least": "99%"}'
exit_is 0
holds grep -q '"result": "missed"' missed/summary.json
holds grep -q '"expectation": "waited_within(1s) at least 99%"' missed/summary.json
holds [ "$(grep -A 1 '<dl class="keys">' missed/report.html | grep -c '<div class="bad"><dd>1 of [0-9]* missed</dd><dt>expectations</dt></div>')" -eq 1 ]
trainyard run "$poisson" -q --json --set '/expect/-={"metric": "waited_within(1s)", "at_least": "99%"}'
holds cmp stdout missed/summary.json
cp missed/report.html first.html
trainyard report missed
exit_is 0
holds cmp first.html missed/report.html

example "a failed job is a red tile with words"
trainyard run "$scenarios/jobs/outcomes/scenario.json" -q -o failed
exit_is 1
holds grep -q '<div class="bad"><dd>8 failed</dd><dt>jobs</dt></div>' failed/report.html

example "less output on request; files of an earlier run go"
trainyard run "$poisson" -q -o run --trace none --no-timeline --no-share
exit_is 0
holds [ ! -e run/share ]
holds [ ! -e run/timeline.json ]
holds [ "$(grep -vc "^#" run/trace.tsv)" -eq 1 ]
holds grep -q 'level=none' run/trace.tsv
holds grep -q '40 nodes took 4 slots' run/report.html

example "report says what it cannot draw without records, and diff that there is nothing to compare"
trainyard report run
exit_is 0
holds grep -q 'the trace has no records, because the run was made with --trace none' run/report.html
holds grep -q 'that 95.*% of the jobs waited at most' run/report.html
trainyard diff run run
exit_is 2
stderr_has "run/trace.tsv:1:1: the trace of this run has no records to compare"

example "a trace that says level=none but has records is damaged"
printf '0\t0\trun_ended\n' >>run/trace.tsv
trainyard report run
exit_is 2
stderr_has ':1: the first line of the trace says level=none, but it has records'

example "explain --metrics lists names with units"
trainyard explain --metrics "$poisson"
exit_is 0
stdout_has "workloads.day.sizes.4.waited_within(20m)"
holds grep -qE '^workloads.day.queue_s.p95 +s +time in the queue: 95th percentile$' stdout
holds grep -qE '^utilisation +ratio ' stdout

example "jobs of a workload file: classes by size, user and queue; GPUs over time; a measured part"
{
    echo "# trainyard job list 1"
    echo "job,submit_s,run_s,gpus,user,queue"
    for i in $(seq 20); do echo "$i,$((i * 60)),1800,$((i % 2 == 0 ? 4 : 1)),$((i % 3 == 0 ? 1 : 2)),q$((i % 2))"; done
} >list.csv
cp -r "$scenarios/catalog" . && cat >listed.json <<'END'
{ "trainyard": 1, "start": "2018-07-18T08:00:00Z", "catalog": ["catalog/ideal.json"], "fidelity": "job",
  "workloads": [{"name": "log", "trace": "list.csv", "cluster": "shared"}],
  "commands": [{"at": "0s", "do": "cluster.create", "name": "shared", "config": {"properties": {"vmSize": "ideal_4gpu",
      "scaleSettings": {"manual": {"targetNodeCount": 4}}}}}],
  "expect": [
    {"metric": "workloads.log.sizes.4.jobs", "equals": 10}, {"metric": "workloads.log.users.1.jobs", "equals": 6},
    {"metric": "workloads.log.queues.q0.jobs", "equals": 10}, {"metric": "workloads.log.queues.q1.waited_within(0s)", "at_least": "10%"},
    {"metric": "workloads.log.sizes.4.queue_s.max", "at_least": "30m"}] }
END
trainyard test listed.json
exit_is 0
trainyard run listed.json -q -o listed
exit_is 0
holds grep -q 'shared: GPUs' listed/report.html
holds grep -q 'free while a job waits' listed/plots/gpus.svg
holds grep -q 'job of 4 GPUs' listed/plots/slots.svg
holds grep -q 'Each GPU of a slot is a row' listed/report.html
sed -i 's/"workloads.log.users.1.jobs"/"workloads.log.users.3.jobs"/' listed.json
trainyard validate listed.json
exit_is 2
stderr_has 'no user is called "3"'
trainyard run "$poisson" --set '/measure={"from": "2h", "until": "5h"}' --json -q
holds grep -q '"measured": {' stdout
trainyard run "$poisson" --set '/measure={"from": "2h", "until": "1h"}' -q
exit_is 2
stderr_has "the measured part of the run ends before it begins"

finish
