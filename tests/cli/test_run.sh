#!/usr/bin/env bash
# trainyard run: what it prints, what it writes, how it ends.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "with --why the story of a job follows"
trainyard run small/scenario.json --quiet --why nap
exit_is 0
stdout_has "The story of job"
stdout_has "succeeded, exit code 0"

example "the story of a job that there was not"
trainyard run small/scenario.json --quiet --why nip
exit_is 2
stderr_has 'there was no job "nip" in this run'
stderr_has 'did you mean "nap"?'

example "a run prints its answer and writes nothing"
trainyard run small/scenario.json
exit_is 0
stdout_has "nap"
stdout_has "succeeded"
stderr_is_empty
has_no_escapes
holds [ "$(ls)" = "$(printf 'small\nstderr\nstdout')" ]

example "with -o every file of a run is there"
trainyard run small/scenario.json -o run
exit_is 0
for file in trace.tsv summary.json timeline.json report.html; do
    holds [ -s "run/$file" ]
done
holds grep -q '^#trainyard-trace 2 level=epochs scenario=small seed=7 ' run/trace.tsv
holds /usr/bin/python3 -c 'import json; json.load(open("run/timeline.json"))'
holds [ -n "$(find run/share/small/logs -name stdout.txt)" ]

example "another run into the same folder replaces the files of the first"
trainyard run small/scenario.json -o run --seed 8
exit_is 0
holds [ "$(find run/share/small/logs -name stdout.txt | wc -l)" = 1 ]
trainyard run small/scenario.json -o run
exit_is 0

example "a folder share that no run left is not touched"
mkdir -p mine/share
touch mine/share/precious
trainyard run small/scenario.json -o mine
exit_is 2
stderr_has 'mine: contains a "share" that no run of trainyard made'
holds [ "$(ls mine/share)" = precious ]
rm -r mine
for file in summary.json timeline.json report.html trace.tsv; do
    mkdir mine
    echo precious >"mine/$file"
    trainyard run small/scenario.json -o mine
    exit_is 2
    stderr_has "mine: contains a \"$file\" that no run of trainyard made"
    holds [ "$(cat mine/*)" = precious ]
    rm -r mine
done

example "the summary has the job's times, which add up"
holds /usr/bin/python3 - <<'PYTHON'
import json
summary = json.load(open("run/summary.json"))
job = summary["jobs"]["nap"]
assert job["state"] == "succeeded" and job["exit_code"] == 0, job
assert abs(job["ended_s"] - job["started_s"] - job["run_s"]) < 1e-6, job
assert abs(job["started_s"] - job["submitted_s"] - job["queue_s"]) < 1e-6, job
assert summary["cost_usd"]["total"] > 0, summary["cost_usd"]
PYTHON

example "--json prints the same summary"
trainyard run small/scenario.json --json
exit_is 0
holds cmp stdout run/summary.json

example "the same seed gives the same bytes, another seed another run"
trainyard run small/scenario.json -o again
holds diff -r run again
trainyard run small/scenario.json --seed 8 -o other
exit_is 0
holds [ "$(cmp -s run/trace.tsv other/trace.tsv; echo $?)" -eq 1 ]

example "running again into the same folder gives the same files"
trainyard run small/scenario.json -o again
exit_is 0
holds diff -r run again

example "neither the locale nor the folder matters"
mkdir elsewhere
(cd elsewhere && LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo "$TRAINYARD" run ../small/scenario.json -o ../elsewhere_run >/dev/null)
holds diff -r run elsewhere_run

example "--trace changes the records, not the run"
trainyard run small/scenario.json --trace jobs -o jobs
trainyard run small/scenario.json --trace steps -o steps
holds grep -q 'level=jobs' jobs/trace.tsv
holds grep -q 'level=steps' steps/trace.tsv
holds cmp jobs/summary.json steps/summary.json

example "--set changes a value, also of a file that the scenario names"
trainyard run small/scenario.json --set /programs/0/duration=20m --json
exit_is 0
holds /usr/bin/python3 -c 'import json; assert json.load(open("stdout"))["jobs"]["nap"]["run_s"] > 1200'
trainyard run small/scenario.json --set /commands/0/config/properties/vmSize=STANDARD_NC12 --json
exit_is 0
holds /usr/bin/python3 -c 'import json; assert json.load(open("stdout"))["clusters"]["gpu"]["vm_size"].upper() == "STANDARD_NC12"'

example "--check runs every invariant"
trainyard run small/scenario.json --check
exit_is 0

example "a failed job is exit code 1"
trainyard run small/scenario.json --set /programs/0/exit_code=5
exit_is 1
stdout_has "failed"
stdout_has "job nap failed: JobFailed: Job failed with non-zero exit code (exit code 5)"

example "a job that waits at a chosen end is unfinished, not failed"
trainyard run small/scenario.json --until 1m
exit_is 0
stdout_has "job nap was still queued when the run ended: it needs 1 node, cluster gpu never had more than 0"
holds grep -qE '^nap +queued +1 min ' stdout

trainyard run small/scenario.json --until 1m --json
exit_is 0
holds has_json 'run["job_counts"] == {"submitted": 1, "succeeded": 0, "failed": 0, "unfinished": 1}'

example "a job that can never run is exit code 1, if nothing is left that could happen"
trainyard run small/scenario.json --set /commands/0/config/properties/scaleSettings/manual/targetNodeCount=0
exit_is 1
trainyard run small/scenario.json --set /commands/0/config/properties/scaleSettings/manual/targetNodeCount=0 --until 100d
exit_is 1

example "a failed job is exit code 1 also in a run with a chosen end"
trainyard run small/scenario.json --set /programs/0/exit_code=5 --until 2h
exit_is 1

example "a value that --set may not have is bad input"
trainyard run small/scenario.json --set /seed=minus
exit_is 2
trainyard run small/scenario.json --set /nothing/here=1
exit_is 2

example "no such scenario"
trainyard run nowhere.json
exit_is 2
stderr_has "nowhere.json"

example "bad input leaves no files"
sed 's/"seed"/"sead"/' small/scenario.json >small/broken.json
trainyard run small/broken.json -o never
exit_is 2
holds [ ! -e never ]

example "an output folder in the place of a file"
echo "in the way" >file
trainyard run small/scenario.json -o file
exit_is 2
stderr_has "file"
holds [ "$(cat file)" = "in the way" ]

example "an output folder without a name, most likely an unset variable"
trainyard run small/scenario.json -o ""
exit_is 2
stderr_begins 'trainyard: run: --output: is "", expected a path'

example "an output folder that cannot be made is the machine's fault"
trainyard run small/scenario.json -o /proc/trainyard/run
exit_is 3
stderr_has "/proc/trainyard"

example "no terminal, no colour; NO_COLOR either way"
NO_COLOR=1 trainyard run small/broken.json
exit_is 2
has_no_escapes

example "a reader that has seen enough ends the program quietly"
"$TRAINYARD" run small/scenario.json --json 2>stderr | head -n 1 >stdout
holds [ "$(cat stdout)" = "{" ]
stderr_is_empty

example "a closed stdout is the machine's fault"
"$TRAINYARD" run small/scenario.json 2>stderr >&-
status=$?
exit_is 3
stderr_begins "standard output: writing failed: Bad file descriptor"

example "without gnuplot a run is fine, and its report has no plots"
{ PATH=/nonexistent "$TRAINYARD" run small/scenario.json --quiet -o plain >/dev/null; } 2>stderr
status=$?
exit_is 0
stderr_has "plain/report.html has no plots: the program gnuplot is not installed"
holds grep -q "This plot is missing" plain/report.html

example "slices of the timeline nest, and the viewer gets their names and order"
trainyard run "$scenarios/scheduling/priorities/scenario.json" --trace steps -o timeline --quiet
exit_is 0
for name in nodes/crash-resume nodes/slow-by-chance scheduling/gpus; do
    trainyard run "$scenarios/$name" --trace steps -o "timeline/${name//\//-}" --quiet
done
holds /usr/bin/python3 "$source_folder/tests/cli/files/nesting.py" timeline/timeline.json timeline/*/timeline.json
holds /usr/bin/python3 - <<'PYTHON'
import json
from collections import defaultdict
from decimal import Decimal

events = json.load(open("timeline/timeline.json"), parse_float=Decimal)["traceEvents"]
named = defaultdict(set)
slices = defaultdict(list)
for event in events:
    track = (event["pid"], event["tid"])
    if event["ph"] == "M":
        named[event["name"]].add(track if event["name"].startswith("thread") else event["pid"])
        continue
    assert event["pid"] in named["process_name"] and event["pid"] in named["process_sort_index"], event
    if event["ph"] == "C":
        assert all(isinstance(value, int) and value >= 0 for value in event["args"].values()), event
        continue
    assert event["ph"] in "Xi", event
    assert track in named["thread_name"] and track in named["thread_sort_index"], event
    if event["ph"] == "X":
        slices[track].append((event["ts"], event["ts"] + event["dur"]))
assert any(event["ph"] == "C" for event in events)
# Microseconds: the last slice ends with the run.
end_us = max(end for spans in slices.values() for _, end in spans)
assert end_us == json.load(open("timeline/summary.json"), parse_float=Decimal)["simulated_s"] * 1000000, end_us
PYTHON

example "a folder of data that does not exist, a scenario of bytes"
trainyard run small/scenario.json -q --data nowhere
exit_is 2
stderr_begins 'trainyard: run: --data: there is no folder "nowhere"'
printf '\377\376' >bytes.json
trainyard run bytes.json
exit_is 2
stderr_begins "bytes.json:1:1: the text is UTF-16, expected JSON in UTF-8"
holds [ "$(grep -c empty stderr)" -eq 0 ]

example "--fork-at keeps the past and changes the future"
poisson=$scenarios/workloads/poisson/scenario.json
past() # FOLDER: the records before 3 h
{
    awk -F '\t' '!/^#/ && $1 ~ /^[0-9]+$/ && $1 < 10800000000000' "$1/trace.tsv"
}
future() # FOLDER: those after it, without the last
{
    awk -F '\t' '!/^#/ && $1 > 10800000000000 && $3 != "run_ended"' "$1/trace.tsv"
}
same() # PART FOLDER FOLDER
{
    cmp -s <("$1" "$2") <("$1" "$3")
}
differ()
{
    ! same "$@"
}
trainyard run "$poisson" -o whole --check
holds [ "$(past whole | wc -l)" -gt 100 ]
for fork in "one --fork-seed 7" "two --fork-seed 8" "first --fork-seed 1" "other --fork-policy backfill"; do
    # shellcheck disable=SC2086 # the words of an option
    trainyard run "$poisson" --fork-at 3h ${fork#* } -o "${fork%% *}" --check --check-determinism
    exit_is 0
    holds same past whole "${fork%% *}"
done
holds same future whole first # the same seed draws nothing again
holds differ future whole one
holds differ future one two
holds differ future whole other
holds grep -q "seed.change 7" one/trace.tsv
# In the middle of a grace period, which ends at its time.
trainyard run "$scenarios/scheduling/grace/scenario.json" --quiet -o grace
for fork in "seed --fork-seed 7" "policy --fork-policy srtf"; do
    # shellcheck disable=SC2086 # the words of an option
    trainyard run "$scenarios/scheduling/grace/scenario.json" --fork-at 2430s ${fork#* } -o "grace-${fork%% *}" --check-determinism
    holds [ "$(awk -F '\t' '$3 == "job_notice" || $3 == "job_reclaimed" {print $1}' "grace-${fork%% *}/trace.tsv")" = "$(awk -F '\t' \
        '$3 == "job_notice" || $3 == "job_reclaimed" {print $1}' grace/trace.tsv)" ]
done
trainyard run "$poisson" --fork-seed 7
exit_is 2
stderr_has '--fork-at: goes with --fork-seed, --fork-policy or both'
trainyard run "$poisson" --fork-at 3h --fork-policy sjf
exit_is 2
stderr_has srtf

example "a signal between two files of a run waits until all are there"
if command -v cc >/dev/null && starts_programs; then
    # Sends a signal to the program when the first of its files has its name.
    cat >interrupt.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
int rename(const char *from, const char *to)
{
    static int count;
    int (*real)(const char *, const char *);
    void *found = dlsym(RTLD_NEXT, "rename");
    memcpy(&real, &found, sizeof real);
    const int result = real(from, to);
    if (count++ == 0)
        kill(getpid(), SIGTERM);
    return result;
}
C
    holds cc -shared -fPIC -o interrupt.so interrupt.c -ldl
    trainyard run small --seed 2 -o fresh -q
    trainyard run small --seed 1 -o both -q
    holds [ "$(cmp -s fresh/trace.tsv both/trace.tsv; echo $?)" = 1 ]
    { LD_PRELOAD=$PWD/interrupt.so ASAN_OPTIONS=verify_asan_link_order=0 "$TRAINYARD" run small --seed 2 -o both -q >stdout 2>stderr; } 2>/dev/null
    status=$?
    exit_is 143
    holds diff -r fresh both
fi

finish
