#!/usr/bin/env bash
# mpirun trainyard sweep and plan: ranks give the same files as threads, whatever number of them, on one machine or two, and after any kills.
# RANK_KILLS: how many ranks are killed (4).
# shellcheck source=tests/cli/support.sh
. "$(dirname "$0")/support.sh"
kills_wanted=${RANK_KILLS:-4}
RANDOM=23
study=$source_folder/tests/study/nodes.json # with a rule that stops each point

same_tables()
{
    cmp "$1/results.csv" "$2/results.csv" && cmp "$1/points.csv" "$2/points.csv" && cmp "$1/study.json" "$2/study.json"
}

trainyard sweep "$study" -o whole
exit_is 0
runs=$(($(wc -l <whole/journal/0-0.log) - 1))

example "without its program the ranks say which package is missing"
mkdir alone
cp "$TRAINYARD" alone/trainyard
OMPI_COMM_WORLD_SIZE=2 alone/trainyard sweep "$study" >stdout 2>stderr
status=$?
if [ $status -eq 3 ]; then # unless it is on PATH
    stderr_has "the program trainyard-study-mpi is neither in the folder of this program nor on PATH"
    stderr_has "hint: it is built where Open MPI is (package libopenmpi-dev); without it, use --shard I/N"
fi

if [ ! -x "$(dirname "$TRAINYARD")/trainyard-study-mpi" ] || ! command -v mpirun >/dev/null; then
    finish # this build or this machine has no ranks
fi

# Containers run as root; the machine may have fewer cores than the test has ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=(mpirun --oversubscribe)

on_ranks()
{
    timeout -k 5 600 "${launch[@]}" -n "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

example "the main program links no MPI"
holds [ -z "$(ldd "$TRAINYARD" | grep libmpi)" ]

for ranks in 1 2 5; do
    example "$ranks ranks write the same tables"
    on_ranks $ranks "$TRAINYARD" sweep "$study" -o ranks-$ranks
    exit_is 0
    stdout_has "$runs runs in "
    holds same_tables whole ranks-$ranks
    holds [ "$(ls ranks-$ranks/journal)" = 0-0.log ]
done

example "ranks continue a folder, also one of threads"
cp -r whole continued
sed -i '400,$d' continued/journal/0-0.log
on_ranks 3 "$TRAINYARD" sweep "$study" -o continued
exit_is 0
stdout_has ", and 398 of earlier"
holds same_tables whole continued

example "ranks with several threads"
on_ranks 2 "$TRAINYARD" sweep "$study" -j 2 -o threads
exit_is 0
holds same_tables whole threads

example "shards can run on ranks"
for i in 0 1; do
    on_ranks 2 "$TRAINYARD" sweep "$study" --shard $i/2 -o shards
    exit_is 0
done
trainyard sweep "$study" -o shards
stdout_has "0 runs in "
holds same_tables whole shards

example "a forecast on ranks"
on_ranks 3 "$TRAINYARD" sweep "$study" --dry-run
exit_is 0
stdout_has "9 points x 20 seeds: 180 runs"
stdout_has "on 2 threads"

example "one rank reports a wrong command"
on_ranks 3 "$TRAINYARD" sweep nothing.json -o wrong
exit_is 2
stderr_begins "nothing.json: there is no such file"
holds [ "$(grep -c "no such file" stderr)" -eq 1 ]
on_ranks 3 "$TRAINYARD" sweep --help
exit_is 0
holds [ "$(grep -c "^Usage: " stdout)" -eq 1 ]

example "a folder of another study is refused"
mkdir -p foreign/journal
sed 's/study=[0-9a-f]*/study=0/' whole/journal/0-0.log >foreign/journal/0-0.log
on_ranks 3 "$TRAINYARD" sweep "$study" -o foreign
exit_is 2
stderr_begins "foreign/journal/0-0.log:1:1: the header of this journal is damaged"

example "ranks with different files are noticed before anything runs"
cp -r "$scenarios/workloads" "$scenarios/catalog" . 2>/dev/null
sed -i 's/"6\/h"/"7\/h"/' workloads/poisson/scenario.json
cat >by_rank.sh <<'SHELL'
case $OMPI_COMM_WORLD_RANK in 2) scenario=workloads/poisson/scenario.json ;; *) scenario=$1 ;; esac
shift
exec "$@" sweep "$scenario" --vary load=/workloads/0/rate=3/h,6/h --metric cost_usd.total -o different
SHELL
on_ranks 3 sh by_rank.sh "$scenarios/workloads/poisson/scenario.json" "$TRAINYARD"
exit_is 2
stderr_has "rank 2:1:1: contains runs of another study: "
stderr_has "hint: all ranks must read the same files with the same program"

example "a full disk stops all ranks and leaves what was recorded"
cat >by_disk.sh <<'SHELL'
[ "$OMPI_COMM_WORLD_RANK" -ne 0 ] || { trap '' XFSZ; ulimit -f 8; } # KiB
exec "$@"
SHELL
export PMIX_MCA_gds="hash" # PMIx then writes no files, which the limit would meet, too
on_ranks 3 --mca btl tcp,self sh by_disk.sh "$TRAINYARD" sweep "$study" -o full
exit_is 3
unset PMIX_MCA_gds
stderr_has "full/journal/0-0.log: writing failed: File too large"
trainyard sweep "$study" -o full
exit_is 0
holds same_tables whole full

example "the time limit ends all ranks with valid results"
on_ranks 3 "$TRAINYARD" sweep "$scenarios/workloads/poisson/scenario.json" --vary load=/workloads/0/rate=3/h,6/h --seeds 1000000 \
    --metric cost_usd.total --time-limit 1s -o limited
exit_is 4
holds [ "$(wc -l <limited/results.csv)" -gt 10 ]

# ranks_killed VERB STUDY DIR: starts four ranks and kills one of them at a random moment; fails when they had ended before. Where a rank dies while
# it starts or ends, mpirun of Open MPI 4 may wait for ever and is killed, too; the runs are safe in that case as well.
ranks_killed()
{
    local launcher ranks i
    "${launch[@]}" -n 4 "$TRAINYARD" "$1" "$2" -q -o "$3" >"$work/stdout" 2>"$work/stderr" &
    launcher=$!
    sleep "$((RANDOM % 2)).$(printf '%03d' $((200 + RANDOM % 800)))"
    mapfile -t ranks < <(pgrep -P $launcher)
    [ ${#ranks[@]} -eq 0 ] || kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}" 2>/dev/null
    for ((i = 0; i < 30; i++)); do
        kill -0 $launcher 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL $launcher "${ranks[@]}" 2>/dev/null
    wait $launcher 2>/dev/null
    status=$?
    [ $status -ne 0 ]
}

example "ranks killed $kills_wanted times: mpirun ends the job, and the same command continues"
for ((kills = 0; kills < kills_wanted; kills++)); do
    if ! ranks_killed sweep "$study" killed; then
        holds same_tables whole killed
        rm -rf killed
    fi
done
on_ranks 4 "$TRAINYARD" sweep "$study" -o killed
exit_is 0
holds same_tables whole killed

same_plan()
{
    same_tables "$1" "$2" && cmp "$1/plan.json" "$2/plan.json" && cmp "$1/plan.csv" "$2/plan.csv" &&
        cmp "$1/follow.json" "$2/follow.json" && cmp "$1/winner-jobs.csv" "$2/winner-jobs.csv"
}

example "ranks of a plan killed $kills_wanted times: its page says that it is not finished, and the same command continues it"
cp "$source_folder/tests/sim/study/coverage/queue.json" .
cat >plan.json <<'JSON'
{"trainyard_study": 1, "scenario": "queue.json", "seeds": {"at_least": 300},
 "factors": {"servers": {"values": "1..8"}, "rate": {"values": ["0.32/h"]}}, "minimise": "cost_usd.total",
 "subject_to": [{"share": "workloads.all.waited_within(10h)", "at_least": "90%"}], "indifference": "3%"}
JSON
trainyard plan plan.json -o planned -q
exit_is 0
for ((kills = 0; kills < kills_wanted; kills++)); do
    if ! ranks_killed plan plan.json killed-plan; then
        holds same_plan planned killed-plan
        rm -rf killed-plan
    elif [ -e killed-plan/study.json ]; then
        trainyard report killed-plan
        exit_is 0
        holds grep -q "There is no decision yet\|Choose 5 servers" killed-plan/report.html
    fi
done
on_ranks 4 "$TRAINYARD" plan plan.json -o killed-plan -q
exit_is 0
holds same_plan planned killed-plan

finish
