#!/usr/bin/env bash
# trainyard sweep and show: studies with and without a file, interruptions, folders, wrong input.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

cat >study.json <<'JSON'
// The nap of tests/cli/small, of two lengths on two VM sizes.
{"trainyard_study": 1, "description": "How long does the nap take?", "scenario": "small/scenario.json",
 "factors": {
   "nap": {"set": "/programs/0/duration", "values": ["10m", "20m"]},
   "size": {"set": "/commands/0/config/properties/vmSize", "values": ["STANDARD_NC6", "STANDARD_NC12"]}},
 "seeds": {"at_least": 20}, "metrics": ["jobs.nap.run_s", "cost_usd.total"], "baseline": {"size": "STANDARD_NC6"}}
JSON

example "a study: the tables, and points on stdout"
trainyard sweep study.json -o one -j 1
exit_is 0
stderr_is_empty
stdout_has "STANDARD_NC12"
stdout_has "80 runs in"
holds [ "$(head -n 1 one/results.csv)" = "point,nap,size,seed,jobs.nap.run_s,cost_usd.total,lower_bounds" ]
holds [ "$(wc -l <one/results.csv)" -eq 81 ]
holds [ "$(wc -l <one/points.csv)" -eq 5 ]
holds grep -q '"trainyard_study_expanded": 1' one/study.json

example "the report is made with the tables, and again from the folder"
holds grep -q "<h1>How long does the nap take?</h1>" one/report.html
holds grep -q "The run time of job nap is lowest at point 0 (nap=10m size=STANDARD_NC6)" one/report.html
holds grep -q "<svg " one/report.html
holds [ -s one/plots/differences-1.svg ]
cp one/report.html before.html
trainyard report one
exit_is 0
stdout_has "one/report.html"
holds cmp -s before.html one/report.html

example "without gnuplot a sweep is fine, its report has no plots, and report fails"
{ PATH=/nonexistent "$TRAINYARD" sweep study.json -o plain >/dev/null; } 2>stderr
status=$?
exit_is 0
stderr_has "plain/report.html has no plots: the program gnuplot is not installed"
holds grep -q "This plot is missing" plain/report.html
{ PATH=/nonexistent "$TRAINYARD" report plain >/dev/null; } 2>stderr
status=$?
exit_is 3

example "a report of a damaged or foreign folder is refused"
mkdir damaged && sed 's/"seeds"/"sedes"/' one/study.json >damaged/study.json
trainyard report damaged
exit_is 2
stderr_begins 'damaged/study.json: is not a study.json of this version: "seeds" is missing or wrong'

example "the tables do not depend on the number of threads"
trainyard sweep study.json -o two -j 2 -q
exit_is 0
stdout_is_empty
for table in results.csv points.csv study.json report.html; do
    holds cmp -s one/$table two/$table
done

example "shards share a folder; the next sweep writes the tables and runs nothing"
for i in 0 1 2; do
    trainyard sweep study.json -o shards --shard $i/3
    exit_is 0
    stdout_has "shard $i/3"
done
trainyard sweep study.json -o shards
stdout_has "0 runs in"
stdout_has "and 80 of earlier"
holds cmp -s one/results.csv shards/results.csv

example "a killed sweep continues, whenever it was killed"
for delay in 0.01 0.03 0.05 0.1; do
    { timeout -s KILL $delay "$TRAINYARD" sweep study.json -o killed -q >stdout; } 2>stderr
done
trainyard sweep study.json -o killed
exit_is 0
holds cmp -s one/results.csv killed/results.csv
holds cmp -s one/points.csv killed/points.csv
holds cmp -s one/report.html killed/report.html

example "Ctrl-C: exit code 130, valid tables, and the rest later"
"$TRAINYARD" sweep small/scenario.json --vary nap=/programs/0/duration=10m,20m --seeds 3000000 --metric cost_usd.total -o long \
    >stdout 2>stderr &
process=$!
for _ in $(seq 100); do # the journal exists once runs are recorded
    [ -s long/journal/0-0.log ] && break
    sleep 0.1
done
kill -USR1 $process
holds_soon grep -qF "of 2 points decided" stderr
kill -INT $process
wait $process
status=$?
exit_is 130
stdout_has "the same command continues"
holds [ "$(tail -c 1 long/results.csv | od -An -c | tr -d ' ')" = '\n' ]
holds grep -q "of 6,000,000 runs.</strong> This study is not finished" long/report.html
trainyard report long
exit_is 0
holds grep -q "of 6,000,000 runs.</strong> This study is not finished" long/report.html

example "a time limit"
trainyard sweep small/scenario.json --vary nap=/programs/0/duration=10m,20m --seeds 3000000 --metric cost_usd.total -o long \
    --time-limit 200ms -q
exit_is 4

example "another study in the same folder is refused, and nothing changes"
cp one/results.csv before
sed 's/20m/30m/' study.json >other.json
trainyard sweep other.json -o one
exit_is 2
stderr_has "another study"
holds cmp -s before one/results.csv

example "a folder with results.csv of another program is refused"
mkdir foreign && echo mine >foreign/results.csv
trainyard sweep study.json -o foreign
exit_is 2
holds [ "$(cat foreign/results.csv)" = mine ]

example "a full disk: exit code 3, and what was recorded is kept"
(trap '' XFSZ; ulimit -f 3; exec "$TRAINYARD" sweep study.json -o full -q) >stdout 2>stderr
status=$?
exit_is 3
trainyard sweep study.json -o full
exit_is 0
holds cmp -s one/results.csv full/results.csv

example "a table of jobs"
trainyard sweep study.json -o one --jobs -q
exit_is 0
holds [ "$(wc -l <one/jobs.csv)" -eq 81 ]
for table in results points jobs timing; do
    holds is_documented one/$table.csv nap size jobs.nap.run_s cost_usd.total
done
holds [ "$(awk -F, 'NR == 2 { print $10 }' one/jobs.csv)" = "$(awk -F, 'NR == 2 { print $5 }' one/results.csv)" ]

example "a forecast runs only a pilot, and writes nothing"
trainyard sweep study.json -o forecast --dry-run
exit_is 0
stdout_has "4 points x 20 seeds: 80 runs"
holds [ ! -e forecast ]

example "a study without a file"
trainyard sweep small/scenario.json --vary nap=/programs/0/duration=10m,20m --seeds 4 --metric jobs.nap.run_s --baseline nap=10m
exit_is 0
stdout_has "8 runs in"

example "a steady study: a queue that settles, and one that grows for ever"
cat >steady.json <<'JSON'
{"trainyard_study": 1, "scenario": "queue.json", "horizon": {"kind": "steady", "jobs": 400000},
 "factors": {"rate": {"values": ["0.03/h", "0.2/h"]}}, "seeds": {"until": {"workloads.all.queue_s.mean": "10%"}},
 "metrics": ["workloads.all.queue_s.mean", "workloads.all.waited_within(2h)"]}
JSON
cp "$source_folder/tests/sim/study/coverage/queue.json" queue.json
trainyard sweep steady.json -o steady
exit_is 0
stdout_has "unstable: the queue grows until the end"
holds [ "$(cut -d, -f4,5 steady/points.csv | head -n 1)" = warm_up_s,length_s ]
holds [ -n "$(sed -n 2p steady/points.csv | cut -d, -f7)" ] # an interval ...
holds [ -z "$(sed -n 3p steady/points.csv | cut -d, -f7)" ] # ... and none
trainyard sweep steady.json -o steady-too -j 1 -q
exit_is 0
holds cmp -s steady/points.csv steady-too/points.csv

example "the command that repeats a run of a steady study"
trainyard show steady 0 3
exit_is 0
stdout_has '"steady": true}'
trainyard show steady 0 3 --run -o settled
exit_is 0
wait=$(awk -F, '$1 == 0 && $3 == 3 { print $4 }' steady/results.csv)
holds [ "$(/usr/bin/python3 -c 'import json; print(json.load(open("settled/summary.json"))["workloads"]["all"]["queue_s"]["mean"])')" = "$wait" ]
trainyard run queue.json --set '/measure={"from": "1h", "steady": true}' -q
exit_is 2
stderr_has 'a steady measure needs "until"'

example "the command that repeats a run"
trainyard show one 3 7
exit_is 0
stdout_has "trainyard run small/scenario.json --seed 7 --set '/programs/0/duration=\"20m\"'"
cost=$(awk -F, '$1 == 3 && $4 == 7 { print $6 }' one/results.csv)
eval "$(sed "s#^trainyard#\"$TRAINYARD\"#" stdout) --json" >run.json 2>/dev/null
holds [ "$(/usr/bin/python3 -c 'import json; print(json.load(open("run.json"))["cost_usd"]["total"])')" = "$cost" ]
trainyard show one 3 7 --run -o worst
exit_is 0
holds [ -s worst/summary.json ]
trainyard show one 4 7
exit_is 2
stderr_has "there is no point 4"
trainyard show one x 7
exit_is 2
stderr_begins 'POINT: is "x", expected a number as in results.csv'
trainyard show one 3 7.5
exit_is 2
stderr_begins 'SEED: is "7.5", expected a number as in results.csv'
trainyard show one 3
exit_is 2
stderr_begins "trainyard: show: POINT and SEED are missing"
trainyard show one
exit_is 2
stderr_begins "one: the study compares no classes of jobs"
trainyard sweep "$scenarios/studies/policy-lab/scenario.json" --vary /policy=service,srtf --baseline policy=service \
    --metric 'workloads.*.queue_s.mean' -o policies -q
exit_is 0
trainyard show policies
exit_is 0
stdout_has "mean wait (h): policy compared with service"
stdout_has "With srtf some class"
holds grep -q 'class="n wins"' policies/report.html
trainyard show empty 0 1
exit_is 2
trainyard show study.json 0 1
exit_is 2
stderr_begins 'study.json/study.json: "study.json" is a file, expected a folder'

if [ -x "$(dirname "$TRAINYARD")/trainyard-sqlite" ] && starts_programs; then
    example "the tables as a database"
    trainyard sqlite one
    exit_is 0
    holds /usr/bin/python3 -c '
import csv, sqlite3, sys
database = sqlite3.connect("one/results.sqlite")
wanted = [tuple(row.values()) for row in csv.DictReader(open("one/results.csv"))]
found = database.execute("SELECT * FROM results").fetchall()
assert [(str(row[0]), row[1], row[2], str(row[3])) for row in found] == [row[:4] for row in wanted]
assert [row[5] for row in found] == [float(row[5]) for row in wanted] and found[0][6] is None
assert database.execute("SELECT value FROM study WHERE name = ?", ["description"]).fetchone() == ("How long does the nap take?",)
assert database.execute("SELECT count(*) FROM points").fetchone() == (4,)'
    trainyard sqlite empty
    exit_is 2

    example "a database with jobs, whose columns have types and one name each"
    trainyard sweep "$scenarios/studies/cifar-team/scenario.json" --vary size=STANDARD_NC6 --vary nodes=1,2 --seeds 2 --metric cost_usd.total --jobs -q -o typed
    trainyard sqlite typed
    exit_is 0
    holds /usr/bin/python3 -c '
import csv, sqlite3
database = sqlite3.connect("typed/results.sqlite")
types = {row[1]: row[2] for row in database.execute("PRAGMA table_info(jobs)")}
heading = next(csv.reader(open("typed/jobs.csv")))
assert len(set(heading)) == len(heading) and list(types) == heading, heading
assert [types[name] for name in ("point", "size", "nodes", "job", "slots", "queue_s", "state")] == ["INTEGER", "TEXT", "INTEGER", "INTEGER", "INTEGER", "REAL", "TEXT"], types
assert database.execute("SELECT count(*), min(slots) FROM jobs JOIN results USING (point, seed)").fetchone() == (800, 1)
types = {row[1]: row[2] for row in database.execute("PRAGMA table_info(results)")}
assert types["cost_usd.total"] == "REAL" and types["size"] == "TEXT", types'
    example "a level that only looks like a number stays unchanged"
    sed -i "s/,STANDARD_NC6,/,007,/" typed/results.csv
    trainyard sqlite typed
    exit_is 0
    holds [ "$(/usr/bin/python3 -c 'import sqlite3; print(sqlite3.connect("typed/results.sqlite").execute("SELECT DISTINCT size FROM results").fetchall())')" = "[('007',)]" ]
fi

example "wrong input has its place"
sed 's/duration/duratoin/' study.json >wrong.json
trainyard sweep wrong.json
exit_is 2
stderr_begins "wrong.json:4:54: /programs/0/duratoin=\"10m\": unknown key \"duratoin\" in this program"
trainyard sweep small/scenario.json
exit_is 2
stderr_has "trainyard_study"
trainyard sweep study.json --vary nap=1m,2m --precision 5%
exit_is 2
stderr_begins "trainyard: sweep: --vary: does not go with a study file"
stderr_has "--precision: does not go with a study file"
trainyard sweep small/scenario.json --vary nap=10m --metric cost_usd.total
exit_is 2
stderr_has "no parameter \"nap\""
trainyard sweep small/scenario.json --vary nap=10m
exit_is 2
stderr_begins "trainyard: sweep: missing \"metrics\" in this study"
stderr_has "or --metric cost_usd.total"
stderr_has "no parameter \"nap\""
trainyard sweep study.json -o study.json
exit_is 2
stderr_begins 'study.json: "study.json" is a file, expected a folder'
trainyard report one --target 20m
exit_is 2
stderr_has "--target: one is the folder of a sweep"

finish
