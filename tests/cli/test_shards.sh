#!/usr/bin/env bash
# trainyard sweep --shard and trainyard merge: a study in parts, with parts that are killed, torn, twice, foreign or on a full disk, has the
# same tables as the study in one piece. STUDY_KILLS: how many sweeps are killed (30).
# shellcheck source=tests/cli/support.sh
. "$(dirname "$0")/support.sh"
kills_wanted=${STUDY_KILLS:-30}
RANDOM=17
study=$source_folder/tests/study/nodes.json # with a rule that stops each point
plain=("$scenarios/workloads/poisson/scenario.json" --vary "load=/workloads/0/rate=3/h,6/h,12/h" --seeds 40
    --metric workloads.day.queue_s.mean --metric cost_usd.total)

# same_tables A B: the two folders have the same tables.
same_tables()
{
    cmp "$1/results.csv" "$2/results.csv" && cmp "$1/points.csv" "$2/points.csv" && cmp "$1/study.json" "$2/study.json"
}

trainyard sweep "$study" -o whole
exit_is 0
runs=$(($(wc -l <whole/journal/0-0.log) - 1))
holds [ $runs -gt 600 ]
holds [ $runs -lt 900 ] # some points stop early
trainyard sweep "${plain[@]}" -o plain
exit_is 0

# --- Shards

example "shards with a stopping rule end their points alone"
for i in 2 0 1; do
    trainyard sweep "$study" --shard $i/3 -o part-$i
    exit_is 0
    stdout_has "shard $i/3 has all of its runs; "
    holds [ ! -e part-$i/results.csv ]
done
trainyard merge part-0 part-1 part-2 -o joined
exit_is 0
stdout_has "joined: $runs runs of 3 folders, $runs of them new"
trainyard sweep "$study" -o joined
exit_is 0
stdout_has "0 runs in "
holds same_tables whole joined

example "shards in any order give the same journal"
trainyard merge part-2 part-0 part-1 -o backward
exit_is 0
holds cmp joined/journal/0-0.log backward/journal/0-0.log

example "shards without a stopping rule divide the replications of each point"
for i in 0 1 2 3 4 5 6; do
    trainyard sweep "${plain[@]}" --shard $i/7 -o plain-$i
    exit_is 0
done
trainyard merge plain-[0-6] -o plain-joined
exit_is 0
trainyard sweep "${plain[@]}" -o plain-joined
stdout_has "0 runs in "
holds same_tables plain plain-joined

example "shards of one folder see each other's runs"
for i in 0 1 2; do
    trainyard sweep "${plain[@]}" --shard $i/3 -o shared
    exit_is 0
done
stdout_has "40 runs in "
stdout_has ", and 80 of earlier"
stdout_has "no run of the others is missing"
trainyard sweep "${plain[@]}" -o shared
stdout_has "0 runs in "
holds same_tables plain shared

example "more shards than points share each wave, and begin the next when all have run it"
few=("$scenarios/workloads/poisson/scenario.json" --vary "load=/workloads/0/rate=6/h,12/h" --seeds 10 --at-most 60 --precision 20%
    --metric workloads.day.queue_s.mean)
trainyard sweep "${few[@]}" -o few
for _ in 1 2 3 4 5 6; do
    for i in 0 1 2 3 4; do
        trainyard sweep "${few[@]}" --shard $i/5 -o few-shared
        exit_is 0
    done
done
stdout_has "no run of the others is missing"
trainyard sweep "${few[@]}" -o few-shared
stdout_has "0 runs in "
holds same_tables few few-shared
holds [ "$(cat few-shared/journal/*.log | grep -vc ^trainyard)" -eq "$(grep -vc ^trainyard few/journal/0-0.log)" ]

example "the missing part of a merged study is run by the sweep of the whole"
trainyard merge part-0 part-2 -o two
exit_is 0
trainyard sweep "$study" -o two
exit_is 0
holds same_tables whole two

example "a shard that does not exist"
trainyard sweep "$study" --shard 3/3 -o part-3
exit_is 2
stderr_begins "trainyard: sweep: --shard: there is no shard 3 of 3: shards count from 0"
stderr_has 'hint: the last is "2/3"'
trainyard sweep "$study" --shard three -o part-3
exit_is 2
stderr_has '"three" is not a shard: expected I/N'

# --- Merging

# change_run FILE FIELD VALUE: replaces a field of the first run, with a right checksum.
change_run()
{
    /usr/bin/python3 - "$@" <<'PYTHON'
import sys
def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff
path, field, value = sys.argv[1:]
lines = open(path, "rb").read().split(b"\n")
fields = lines[1].split(b"\t")[:-1]
fields[int(field)] = value.encode()
line = b"\t".join(fields)
lines[1] = line + b"\t%08x" % crc32c(line)
open(path, "wb").write(b"\n".join(lines))
PYTHON
}

example "a merge can be repeated"
trainyard merge part-0 part-1 part-2 -o joined
exit_is 0
stdout_has "joined: $runs runs of 3 folders, 0 of them new"
stdout_has "$runs records of runs that were there already; all agree"

example "shards of another study are refused, with both identities"
trainyard merge part-0 plain-1 -o mixed
exit_is 2
stderr_has "plain-1/journal/1-0.log:1:1: contains runs of another study: study \""
# The header names each value of a run.
stderr_has ", 2 values a run instead of $(head -n 1 part-0/journal/0-0.log | grep -o $'\tmetric=' | wc -l)"
holds [ ! -e mixed ]

example "a sweep of another study does not continue a folder"
cp -r plain-0 foreign
trainyard sweep "$study" -o foreign
exit_is 2
stderr_has "contains runs of another study"

example "two results of one run are an error of a machine"
cp -r part-0 wrong
change_run wrong/journal/0-0.log 4 1
trainyard merge part-0 wrong -o mixed
exit_is 3
stderr_has "wrong/journal/0-0.log:2:1: point "
stderr_has " has another result than in part-0/journal/0-0.log:2"
holds [ ! -e mixed ]

example "a run that the study cannot have"
cp -r whole foreign-run
change_run foreign-run/journal/0-0.log 0 9
trainyard sweep "$study" -o foreign-run
exit_is 2
stderr_begins "foreign-run: its journal has point 9, replication 0, which this study cannot have"

example "folders without runs"
trainyard merge part-0 nothing -o mixed
exit_is 2
stderr_begins "nothing: contains no journal of runs"
trainyard merge part-0
exit_is 2
stderr_begins "trainyard: merge: -o: the folder for the joined runs is missing"
stderr_has "name it with -o DIR"

# --- Damage

example "a torn tail is dropped, and its run repeated"
cp -r whole torn
truncate -s -7 torn/journal/0-0.log
trainyard merge torn -o mended
exit_is 0
stdout_has "1 journal had a torn tail: "
stdout_has "mended: $((runs - 1)) runs of 1 folder, $((runs - 1)) of them new"
trainyard sweep "$study" -o torn
exit_is 0
stdout_has "1 run in "
holds same_tables whole torn

example "damage in the middle names the line and the remedy; the line's run is then repeated"
cp -r whole damaged
sed -i '7s/./x/' damaged/journal/0-0.log
trainyard sweep "$study" -o damaged
exit_is 2
stderr_begins "damaged/journal/0-0.log:7:1: this line is damaged: its checksum does not match, but later lines are right"
stderr_has "hint: delete the line; its run is repeated"
sed -i 7d damaged/journal/0-0.log
trainyard sweep "$study" -o damaged
exit_is 0
holds same_tables whole damaged

example "one process appends to a journal at a time"
exec 9>>plain/journal/0-0.log
flock -x 9
trainyard sweep "${plain[@]}" -o plain
exit_is 2
stderr_begins "plain/journal/0-0.log: another process appends to this journal"
exec 9>&-
trainyard sweep "${plain[@]}" -o plain
exit_is 0

example "a full disk leaves what was recorded"
limited()
{
    (
        trap '' XFSZ
        ulimit -f 8 # KiB
        exec "$TRAINYARD" sweep "$study" -j 1 -q -o full
    ) >"$work/stdout" 2>"$work/stderr"
    status=$?
}
mkdir full
limited
exit_is 3
stderr_has "hint: all runs up to here are kept: repeat the command to continue"
trainyard sweep "$study" -o full
exit_is 0
holds same_tables whole full

example "the time zone and the language do not matter"
TZ=Pacific/Auckland LC_ALL=de_DE.UTF-8 "$TRAINYARD" sweep "$study" --shard 0/2 -q -o zone
TZ=America/Lima LC_ALL=C "$TRAINYARD" sweep "$study" --shard 1/2 -q -o zone
trainyard sweep "$study" -o zone
stdout_has "0 runs in "
holds same_tables whole zone

# --- Kills

# sweep_killed DIR OPTION...: starts a sweep and kills it at a random moment; fails when it had ended before.
sweep_killed()
{
    local folder=$1 process
    shift
    "$TRAINYARD" sweep "$study" -q -j 1 -o "$folder" "$@" 2>"$work/stderr" &
    process=$!
    sleep "0.$(printf '%03d' $((RANDOM % 400)))"
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
    status=$?
    [ $status -eq 137 ]
}

example "sweeps killed $kills_wanted times continue to the same tables"
for ((kills = 0; kills < kills_wanted; kills++)); do
    if ! sweep_killed killed; then
        exit_is 0
        holds same_tables whole killed
        rm -rf killed
    fi
done
trainyard sweep "$study" -o killed
exit_is 0
holds same_tables whole killed

example "shards that are killed continue to the same tables"
for ((kills = 0; kills < kills_wanted; kills++)); do
    sweep_killed shards/$((kills % 3)) --shard $((kills % 3))/3
done
for i in 0 1 2; do
    trainyard sweep "$study" -o shards/$i --shard $i/3
    exit_is 0
done
trainyard merge shards/2 shards/0 shards/1 -o shards/all
exit_is 0
trainyard sweep "$study" -o shards/all
exit_is 0
holds same_tables whole shards/all

finish
