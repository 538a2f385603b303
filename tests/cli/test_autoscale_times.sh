#!/usr/bin/env bash
# Automatic scaling takes the times of the recorded sessions: a cluster of at most one node, and one short job. The service decided
# to remove the node 326, 363 and 373 s after the job's end, and 1,200 s after the cluster was first steady.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

cat >one.json <<'END'
{"trainyard": 1, "description": "from one node to none", "seed": 1, "until": "30m", "catalog": ["catalog/azure-2018.json"],
 "storage": [{"account": "acct", "shares": [{"name": "share"}]}],
 "programs": [{"match": "echo *", "duration": "0s"}],
 "commands": [
   {"at": "0s", "do": "cluster.create", "name": "gpu", "config": {"properties": {
     "vmSize": "STANDARD_D1", "scaleSettings": {"autoScale": {"minimumNodeCount": 0, "maximumNodeCount": 1, "initialNodeCount": 0}},
     "nodeSetup": {"mountVolumes": {"azureFileShares": [
       {"azureFileUrl": "https://acct.file.core.windows.net/share", "relativeMountPath": "afs"}]}}}}},
   {"at": "1m", "do": "job.create", "name": "one", "cluster": "gpu", "config": {"properties": {
     "nodeCount": 1, "stdOutErrPathPrefix": "$AZ_BATCHAI_MOUNT_ROOT/afs", "customToolkitSettings": {"commandLine": "echo done"}}}}
 ]}
END
mkdir catalog
cp "$scenarios/catalog/azure-2018.json" "$scenarios/catalog/networks.json" catalog/

# The seconds from the job's end to the decision, and from the first steady moment to the decision.
times()
{
    awk -F'\t' '$3 == "job_state" && $9 == "succeeded" { ended = $1 }
        $3 == "cluster_allocation" && $9 == "steady" && steady == "" { steady = $1 }
        $3 == "cluster_allocation" && $9 == "resizing" && ended != "" { printf "%d %d\n", ($1 - ended) / 1e9, ($1 - steady) / 1e9 }' \
        "$1/trace.tsv"
}

example "the recorded times from the end of the last job are among those of 60 seeds, which are not much longer or shorter"
for seed in $(seq 1 60); do
    "$TRAINYARD" run one.json --seed "$seed" --quiet --trace epochs --no-timeline --no-share -o run
    times run
    rm -r run
done | sort -n >all
holds [ "$(wc -l <all)" = 60 ]
read -r least _ <all
most=$(tail -1 all | cut -d' ' -f1)
holds [ "$least" -le 326 ]
holds [ "$most" -ge 373 ]
holds [ "$least" -ge 300 ]
holds [ "$most" -le 400 ]

example "every decision falls on a multiple of 600 s after the first steady moment"
holds [ "$(cut -d' ' -f2 all | sort -u)" = 1200 ]

finish
