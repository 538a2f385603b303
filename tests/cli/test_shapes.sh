#!/usr/bin/env bash
# How jobs of a list are divided among nodes and clusters, and what --why and the timeline say about shared nodes.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
cp -r "$scenarios/catalog" .

cluster()
{
    echo "{\"do\": \"cluster.create\", \"name\": \"$1\", \"config\": {\"properties\": {\"vmSize\": \"ideal_4gpu\",
      \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 3}}}}}"
}

# scenario FILE CLUSTER
scenario()
{
    cat >"$1" <<END
{ "trainyard": 1, "start": "2018-07-18T08:00:00Z", "catalog": ["catalog/ideal.json"], "fidelity": "job",
  "workloads": [{"name": "log", "trace": "list.csv", "cluster": $2}],
  "commands": [$(cluster P100), $(cluster V100)] }
END
}

example "a job that waits because free GPUs are on too many nodes says so in numbers"
cat >list.csv <<END
job,submit_s,run_s,gpus
1,0,600,3
2,0,600,3
3,0,600,3
4,60,100,3
5,2000,100,4
6,2000,100,9
7,2030,100,4
END
scenario stranded.json '"P100"'
trainyard run stranded.json -q --why log-4 -o stranded
exit_is 0
stdout_has "- all the time the free GPUs were on too many nodes"
stdout_has "- it needed 3 GPUs on one node; at most 3 were free, on 3 nodes"

example "a job that waits for GPUs of running jobs says how many are free"
trainyard run stranded.json -q --why log-6
stdout_has "- it needed 4 GPUs on each of 2 nodes and 1 on another one; at most 8 were free, on 2 nodes"

example "jobs on shared nodes have slots in the timeline"
holds [ "$(grep -c '"name":"[^"]* slot [1-4]"' stranded/timeline.json)" -eq 11 ]

example "nodes and gpus_per_node_max divide the GPUs of a job"
cat >list.csv <<END
job,submit_s,run_s,gpus,nodes,gpus_per_node_max,cpus
1,0,10,6,3,,8
2,20,10,3,,1,8
3,40,10,6,,,8
END
scenario divided.json '"P100"'
trainyard run divided.json -q -o divided
trainyard validate divided.json
exit_is 0
stderr_has '"list.csv" states cpus, which have no effect'
holds [ "$(grep -c 'job_placed.*log-1.*	2	4' divided/trace.tsv)" -eq 3 ]
holds [ "$(grep -c 'job_placed.*log-2' divided/trace.tsv)" -eq 3 ]
holds [ "$(grep -c 'job_placed.*log-3' divided/trace.tsv)" -eq 2 ]

example "each kind of GPU runs on the cluster of its name"
cat >list.csv <<END
job,submit_s,run_s,gpus,gpu_type
1,0,10,1,V100
2,0,10,1,P100
END
scenario typed.json '{"gpu_type": "*"}'
trainyard run typed.json -q -o typed
exit_is 0
holds grep -q 'job_placed	workspace/V100	.*log-1' typed/trace.tsv
holds grep -q 'job_placed	workspace/P100	.*log-2' typed/trace.tsv

example "a kind of GPU without a cluster is an error at its place"
sed -i 's/P100/K80/' list.csv
trainyard validate typed.json
exit_is 2
stderr_has 'typed.json:2:78: unknown cluster "K80"'

example "after_job names a row above"
printf 'job,submit_s,run_s,gpus,after_job\na,0,1,1,b\nb,0,1,1,\n' >list.csv
trainyard validate stranded.json
exit_is 2
stderr_has 'list.csv:2:9: no earlier job is called "b"'

finish
