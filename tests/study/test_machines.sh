#!/usr/bin/env bash
# mpirun trainyard sweep on two machines: two network namespaces on a bridge, each with another folder, name and time zone. All
# traffic stays inside the namespaces. The network is cut and healed, a machine is lost; the tables have the bytes of one process.
# shellcheck source=tests/cli/support.sh
. "$(dirname "$0")/../cli/support.sh"
study=$source_folder/tests/study/nodes.json # with a rule that stops each point

skip()
{
    echo "skipped: $*"
    exit 77
}

[ -x "$(dirname "$TRAINYARD")/trainyard-study-mpi" ] || skip "this build has no ranks"
command -v mpirun >/dev/null || skip "no mpirun (package openmpi-bin)"
command -v ip >/dev/null || skip "no ip (package iproute2)"
[ "$(id -u)" -eq 0 ] || skip "network namespaces need root"

# --- Two machines

name=ty$$
hub=$name-hub
clean_up()
{
    local machine
    for machine in $name-1 $name-2 $hub; do
        ip netns pids $machine 2>/dev/null | xargs -r kill -KILL 2>/dev/null
        ip netns del $machine 2>/dev/null
    done
    remove_folders
}
trap clean_up EXIT

# The bridge is in a third namespace, so that this machine's network is not touched.
make_machines()
{
    ip netns add $hub && ip -n $hub link add bridge type bridge && ip -n $hub link set bridge up || return
    for i in 1 2; do
        ip netns add $name-$i &&
            ip -n $hub link add port$i type veth peer name eth0 netns $name-$i &&
            ip -n $hub link set port$i master bridge up &&
            ip -n $name-$i address add 10.77.0.1$i/24 dev eth0 &&
            ip -n $name-$i link set eth0 up && ip -n $name-$i link set lo up || return
    done
}
make_machines 2>"$work/stderr" || skip "network namespaces cannot be made here: $(head -n 1 "$work/stderr")"

# What mpirun starts instead of ssh: HOST COMMAND...
cat >agent.sh <<SHELL
#!/bin/sh
host=\$1
shift
machine=$name-\${host##*.0.1}
exec ip netns exec \$machine unshare --uts sh -c "hostname \$machine; cd '$work'; \$*"
SHELL
chmod +x agent.sh
unshare --uts true 2>"$work/stderr" || skip "host names cannot be separate here: $(head -n 1 "$work/stderr")"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
on_machines()
{
    ip netns exec $name-1 unshare --uts sh -c "hostname $name-1; exec \"\$@\"" sh \
        timeout -k 5 600 mpirun --host 10.77.0.11:2,10.77.0.12:2 --oversubscribe --mca plm_rsh_agent "$work/agent.sh" --mca btl tcp,self \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

same_tables()
{
    cmp "$1/results.csv" "$2/results.csv" && cmp "$1/points.csv" "$2/points.csv" && cmp "$1/study.json" "$2/study.json"
}

trainyard sweep "$study" -o whole
exit_is 0

# Each rank says where it runs, has another time zone, and works in a folder that the others do not have.
cat >rank.sh <<'SHELL'
hostname >>"$WORK/hosts"
rank=$OMPI_COMM_WORLD_RANK
mkdir -p "$WORK/of-rank-$rank" && cd "$WORK/of-rank-$rank" || exit 3
TZ=UTC+$rank exec "$@"
SHELL

example "two machines without a common folder write the tables of one"
on_machines -x WORK="$work" -n 4 sh "$work/rank.sh" "$TRAINYARD" sweep "$study" -o tables
exit_is 0
holds [ "$(sort -u hosts | wc -l)" -eq 2 ]
holds same_tables whole of-rank-0/tables
holds [ ! -e of-rank-3/tables ]

# A longer study, of which the middle falls into the cut. `result` is its folder.
longer=("$scenarios/workloads/poisson/scenario.json" --vary "load=/workloads/0/rate=3/h,6/h,12/h" --seeds 2500
    --metric workloads.day.queue_s.mean --metric cost_usd.total)
trainyard sweep "${longer[@]}" -o longer
exit_is 0

# Waits until a sweep has recorded some runs.
wait_for_runs()
{
    local i
    for ((i = 0; i < 600; i++)); do
        [ "$(cat "$1"/journal/0-0.log 2>/dev/null | wc -l)" -lt 100 ] || return
        sleep 0.05
    done
}

example "a network that is cut for seconds and healed changes nothing"
(
    wait_for_runs cut
    ip -n $hub link set port2 down
    sleep 3
    ip -n $hub link set port2 up
) &
on_machines -n 4 "$TRAINYARD" sweep "${longer[@]}" -q -o cut
wait
exit_is 0
holds same_tables longer cut

example "a machine that is lost ends the job, and the same command continues"
(
    wait_for_runs lost
    ip netns pids $name-2 | xargs -r kill -KILL
) &
on_machines -n 4 "$TRAINYARD" sweep "${longer[@]}" -q -o lost
wait
holds [ $status -ne 0 ]
trainyard sweep "${longer[@]}" -o lost
exit_is 0
holds grep -q ' of earlier' stdout
holds same_tables longer lost

finish
