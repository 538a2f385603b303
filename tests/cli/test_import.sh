#!/usr/bin/env bash
# trainyard import: from the log of a cluster to a workload file, its sidecar, a scenario and a fit.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

cat >jobs.txt <<'END'
JobID|User|Partition|Submit|Start|End|State|AllocTRES|TimelimitRaw
101|ann|gpu|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|COMPLETED|cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1|120
101.batch||gpu|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|COMPLETED|cpu=8|
102_1|bob|long|2024-03-01T10:30:00|2024-03-01T10:30:00|2024-03-01T10:40:00|CANCELLED by 1000|cpu=8,gres/gpu=4,node=1|60
103|bob|gpu|2024-03-01T11:00:00|Unknown|Unknown|PENDING||60
END

example "a log of sacct becomes a workload file, and every row is accounted for"
trainyard import slurm jobs.txt --timezone Europe/Berlin -o jobs.csv
exit_is 0
stderr_is_empty
stdout_has "4 rows read, 2 jobs in 2 queues, 2 GPU-hours, at most 4 GPUs a job"
stdout_has "time 0 is 2024-03-01T10:00:00+01:00"
stdout_has "dropped: 1 still waited when the log was taken: their run times are not known"
stdout_has "dropped: 1 rows of steps of jobs"
cat >expected <<'END'
job,submit_s,run_s,gpus,nodes,cpus,memory_bytes,gpu_type,queue,user,requested_s,state,recorded_wait_s
101,0,3600,2,1,8,68719476736,a100,gpu,ann,7200,COMPLETED,300
102_1,1800,600,4,1,8,,,long,bob,3600,CANCELLED,0
END
holds cmp expected <(tail -n +2 jobs.csv)
holds grep -q "^# trainyard job list 1; slurm; jobs.txt; SHA-256 $(sha256sum jobs.txt | cut -d' ' -f1); " jobs.csv
cp jobs.import.json stdout
holds has_json "run['sources'][0]['sha256'] == '$(sha256sum jobs.txt | cut -d' ' -f1)'"
holds has_json "run['rows_read'] == 4 == run['jobs'] + sum(rule['count'] for rule in run['dropped'])"
holds has_json "run['timezone'] == 'Europe/Berlin' and run['options']['states'] == 'all'"
holds has_json "[rule['first_line'] for rule in run['dropped']] == [5, 3]"

example "the same log gives the same bytes in any locale and time zone"
cp jobs.csv first.csv
cp jobs.import.json first.json
LC_ALL=C.UTF-8 TZ=Asia/Tokyo trainyard import slurm jobs.txt --timezone Europe/Berlin -o jobs.csv -q
exit_is 0
holds cmp jobs.csv first.csv
holds cmp jobs.import.json first.json
holds [ ! -s stdout ]

example "each queue has its own nodes, and Slurm's policy is a parameter"
cat >queues.txt <<'END'
JobID|User|Partition|Submit|Start|End|State|AllocTRES|TimelimitRaw
1|zoë|gpu|2026-02-02T08:00:00|2026-02-02T08:00:00|2026-02-02T10:00:00|COMPLETED|gres/gpu=4,node=1|120
2|zoë|gpu|2026-02-02T08:10:00|2026-02-02T10:00:00|2026-02-02T11:00:00|COMPLETED|gres/gpu=8,node=1|60
3|zoë|gpu|2026-02-02T08:20:00|2026-02-02T08:20:00|2026-02-02T09:00:00|COMPLETED|gres/gpu=4,node=1|60
4|ann|a-100|2026-02-02T08:30:00|2026-02-02T08:30:00|2026-02-02T09:00:00|COMPLETED|gres/gpu=2,node=1|60
5|ann|a_100|2026-02-02T08:30:00|2026-02-02T08:30:00|2026-02-02T09:00:00|COMPLETED|gres/gpu=2,node=1|60
END
trainyard import slurm queues.txt -o queues.csv --scenario queues.json --nodes 3x2 --nodes gpu=1 --price 1USD/gpu --offer bought=0.5USD
exit_is 2
stderr_has "--offer: the clusters have different nodes"
trainyard import slurm queues.txt -o queues.csv --scenario queues.json --nodes 3x2 --nodes gpu=1 --price 1USD/gpu
exit_is 0
stdout_has "Nodes are assumed to have 8 GPUs, as nothing states it; see --gpus-per-node." # those of gpu
trainyard import slurm queues.txt -o stated.csv --scenario stated.json --nodes 3x2 --nodes gpu=1x8 --price 1USD/gpu
exit_is 0
holds [ "$(grep -c 'are assumed' stdout)" -eq 0 ]
holds cmp <(sed 's/stated/queues/' stated.json) queues.json
trainyard run queues.json --json
holds [ "$("$TRAINYARD" explain queues.json | grep -c 'ASSUMED, trainyard import\|^gpus/.*ASSUMED')" -eq 0 ]
holds has_json "run['clusters']['gpu']['nodes_max'] == 1 and run['clusters']['a-100']['nodes_max'] == 3"
holds has_json "run['clusters']['gpu']['vm_size'] == 'TRACE_8GPU' and run['clusters']['a_100']['vm_size'] == 'TRACE_2GPU'"
holds has_json "run['workloads']['queues']['queue_s']['max'] == 6600"
trainyard run queues.json --param policy=service --json
holds has_json "run['workloads']['queues']['queue_s']['max'] == 9600" # the third job waits for the second
trainyard run queues.json --param nodes_a_100=1 --param nodes_a_100_3=2 --param nodes_gpu=2 --json
holds has_json "run['clusters']['a-100']['nodes_max'] == 1 and run['clusters']['a_100']['nodes_max'] == 2"
holds has_json "run['workloads']['queues']['queue_s']['max'] == 0"
trainyard plan queues.json --vary nodes=1..2 --minimise cost_usd.total
exit_is 2
stderr_has 'the scenario has no parameter "nodes"'
stderr_has 'nodes_a_100_3'
while IFS='|' read -r options message hint; do
    # shellcheck disable=SC2086 # several options
    trainyard import slurm queues.txt -o queues.csv --scenario queues.json $options
    exit_is 2
    stderr_has "--nodes: $message"
    stderr_has "  hint: $hint"
done <<'TABLE'
--nodes gpu=1 --nodes a-100=1|the nodes of the queue "a_100" are not known|--nodes a_100=N states them, --nodes N those of all
--nodes 1 --nodes long=1|there are no jobs of a queue "long"|known: gpu, a-100, a_100
--nodes 1x|"1x" is not [QUEUE=]N or [QUEUE=]NxGPUS|as in --nodes 24, --nodes dev=2 or --nodes old=10x4
--nodes 0|"0" is not [QUEUE=]N or [QUEUE=]NxGPUS|as in
--nodes =1|"=1" is not [QUEUE=]N or [QUEUE=]NxGPUS|as in
TABLE

example "kinds of GPUs that have no effect are named, with their jobs"
sed -e '2,3s|gres/gpu=|gres/gpu:v100=|' -e '4s|gres/gpu=|gres/gpu:a100=|' queues.txt >kinds.txt
no_effect='ask for kinds of GPUs, which has no effect: v100 (2 jobs), a100 (1 job).'
trainyard import slurm kinds.txt -o kinds.csv --scenario kinds.json --nodes 2 --pool
exit_is 0
stdout_has "Jobs of the cluster \"gpu\" $no_effect"
stdout_has '--map-gpu-type FROM=TO'
holds grep -q 'which has no effect' kinds.import.json
trainyard import slurm kinds.txt -o kinds.csv --scenario kinds.json --nodes 2 # without --pool: by queue
stdout_has "Jobs of the cluster \"gpu\" $no_effect"
holds [ "$(grep -c 'no effect' stdout)" = 1 ]
trainyard import slurm kinds.txt -o kinds.csv --scenario kinds.json --nodes 2 --pool --map-gpu-type v100=a100
exit_is 0
holds [ "$(grep -c 'no effect' stdout)" = 0 ]

example "a job that had not ended is kept with its time until then, on the page of the fit too"
cat >open.txt <<'END'
JobID|User|Partition|Submit|Start|End|Elapsed|State|AllocTRES|TimelimitRaw
1|ann|gpu|2026-02-02T08:00:00|2026-02-02T08:00:00|2026-02-02T10:00:00|02:00:00|COMPLETED|gres/gpu=4,node=1|120
2|ann|gpu|2026-02-02T08:10:00|2026-02-02T09:00:00|Unknown|2-00:00:00|RUNNING|gres/gpu=8,node=1|UNLIMITED
END
trainyard import slurm open.txt -o open.csv --fit open.json --nodes 1x8
exit_is 0
stdout_has "mended: 1 had not ended when the log was taken: kept with their time until then"
stdout_has "at 2026-02-04T09:00:00+00:00, the latest time in it (open.txt:3)"
stdout_has "384 GPU-hours, 97.9 % of all; the longest run is 2 d, of job 2"
holds grep -q '^2,600,172800,8,' open.csv
holds grep -q "1 job had not ended when the log was taken" open.html
cp open.import.json stdout
holds has_json "(run['open_jobs'], run['open_gpu_hours']) == (1, 384)"

example "--check writes nothing"
mkdir empty
trainyard import slurm jobs.txt --check --states completed --queue long
exit_is 0
stdout_has "dropped: 1 did not complete (--states completed)"
stdout_has "dropped: 1 of other queues (--queue)"
stdout_has "its times were read as UTC"

example "a log becomes a report in three commands"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 2 --gpus-per-node 4 --pool
exit_is 0
trainyard sweep jobs.json --vary nodes=1..2 --seeds 2 --metric utilisation
exit_is 0
trainyard validate jobs.json
exit_is 0
trainyard run jobs.json -o run
exit_is 0
holds [ -s run/report.html ]
stdout_has "Cost: unknown: no price of TRACE_4GPU is known"
holds grep -q "The cost is unknown" run/report.html
trainyard run jobs.json --set '/assume={"vm_sizes/Trace_4GPU/dedicated_price_per_hour": "1.20USD"}'
exit_is 0
stdout_has "USD. Nodes ran jobs"
trainyard plan jobs.json --vary nodes=1..2 --minimise cost_usd.total
exit_is 2
stderr_has 'no price of Trace_4GPU is known, so "cost_usd.total" is unknown'
for price in 1.20USD 0.30USD/gpu; do
    trainyard import slurm jobs.txt -o priced.csv --scenario priced.json --nodes 2 --gpus-per-node 4 --price "$price"
    exit_is 0
    holds grep -q '"value": *"1.2USD"' priced.catalog.json
done
trainyard run priced.json
exit_is 0
stdout_has "USD. Nodes ran jobs"
cp run/summary.json stdout
holds has_json "(run['workloads']['jobs']['jobs'], run['workloads']['jobs']['succeeded']) == (2, 2)"
holds has_json "run['workloads']['jobs']['run_s']['max'] == 3600 and run['workloads']['jobs']['queue_s']['max'] == 0"

example "recorded waits are compared with those of the run"
trainyard waits run jobs.csv -o waits.html
exit_is 0
stdout_has "2 jobs, 0 without a recorded wait, 0 not started in the run."
holds grep -Eq "^all jobs +2 +150 +300 +0 +0 +0 +1$" stdout
holds grep -q "Why they differ" waits.html
holds grep -q 'the run against the log' waits.html
sed -E 's/,(recorded_wait_s|[0-9]+)$//' jobs.csv >unrecorded.csv
trainyard waits run unrecorded.csv --workload jobs -o unrecorded.html
cp stdout lines
exit_is 0
holds [ "$(wc -l <lines)" -eq 1 ] # no table without rows
holds grep -q "No job has both a recorded and a simulated wait" unrecorded.html
holds [ "$(grep -c '<table' unrecorded.html)" -eq 0 ]
{ PATH=/nonexistent "$TRAINYARD" waits run jobs.csv -o plain.html >/dev/null; } 2>stderr
status=$?
exit_is 0
stderr_begins "plain.html has no plots: the program gnuplot is not installed"
trainyard waits run jobs.csv --workload other
exit_is 2
stdout_is_empty
stderr_begins 'run: no job of "jobs.csv" started in this run'
stderr_has "--workload names the list's workload"
trainyard waits nowhere jobs.csv
exit_is 2
trainyard waits jobs.csv jobs.csv
exit_is 2
stderr_begins 'jobs.csv/trace.tsv: "jobs.csv" is a file, expected a folder'

example "clusters come from the layouts of the traces"
cat >machines.csv <<'END'
machineId,number of GPUs,single GPU mem
m31,8, 24GB
m32,8, 24GB
m33,2, 12GB
END
cat >log.csv <<'END'
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-07 01:11:39,100.0,8,800.0,a
2017-10-07 01:11:39,100.0,8,800.0,a
2017-10-07 01:11:40,100.0,32,3200.0,b
END
trainyard import philly-csv log.csv -o log.out.csv --scenario log.json --cluster machines.csv
exit_is 0
stdout_has "noted: 1 equal to an earlier row in all columns: kept, because they are jobs"
stdout_has "noted: 1 wider than their cluster: the scenario refuses them at submission"
cp log.json stdout
holds has_json "[k['name'] for k in run['commands'][0]['node_kinds']] == ['gpu8', 'gpu2']"
holds has_json "[p['value'] for name, p in run['parameters'].items() if name != 'policy'] == [2, 1]"
holds has_json "len(run['commands']) == 1 and run['workloads'][0]['cluster'] == 'gpu'"
cat >nodes.csv <<'END'
sn,cpu_milli,memory_mib,gpu,model
n1,96000,786432,8,V100M32
n2,64000,524288,2,P100
n3,64000,524288,2,P100
n4,96000,524288,2,P100
n5,128000,786432,0,
END
cat >pods.csv <<'END'
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
p1,8000,30517,1,1000,V100M32|V100M16,LS,Succeeded,0,900,10
p2,72000,30517,1,1000,P100,LS,Succeeded,0,900,10
p3,8000,30517,2,1000,,LS,Succeeded,20,900,30
END
trainyard import pai-2023 pods.csv -o pods.out.csv --scenario pods.json --cluster nodes.csv
exit_is 0
cp pods.json stdout
holds has_json "[k['name'] for k in run['commands'][0]['node_kinds']] == ['V100M32-8', 'P100-2', 'P100-2-96c-512g']"
holds has_json "run['workloads'][0]['gpu_type'] == 'bind' and run['workloads'][0]['cores_and_memory'] == 'bind'"
trainyard run pods.json -o pods.run --set '/expect=[{"metric":"workloads.pods_out.succeeded","equals":3},{"metric":"clusters.gpu.kinds.P100-2-96c-512g.running_s","at_least":800}]'
exit_is 0
cat >machine_spec.csv <<'END'
m1,V100,96,512,8
m2,MISC,96,512,8
END
cat >tasks.csv <<'END'
j1,worker,1.0,Terminated,10.0,110.0,600.0,29.296875,100.0,MISC
END
cat >jobs.csv <<'END'
j1,i1,u1,Terminated,5.0,110.0
END
trainyard import pai-2020 jobs.csv tasks.csv -o pai.out.csv --scenario pai.json --cluster machine_spec.csv
exit_is 0
cp pai.json stdout
holds has_json "[k['gpu'] for k in run['commands'][0]['node_kinds']] == ['V100', 'MISC'] and run['workloads'][0]['gpu_type'] == 'bind'"
cat >sizes.csv <<'END'
date,vcA,vcB,total
2020-06-08,16,8,24
2020-06-10,24,,24
END
cat >helios.csv <<'END'
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,u,vcA,1,1,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,2020-06-10 04:55:09,39309,0
END
trainyard import helios helios.csv -o helios.out.csv --scenario helios.json --cluster sizes.csv
exit_is 0
cp helios.json stdout
holds has_json "[(c['name'], c['at'], c.get('target')) for c in run['commands']] == [('vcA', '0s', None), ('vcB', '0s', None), ('vcA', '21600s', 3), ('vcB', '21600s', 0)]"
trainyard validate helios.json
exit_is 0

example "a fitted workload runs, and a page compares it with the log"
trainyard import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o philly.csv --fit fit.json --nodes 1 --gpus-per-node 64
exit_is 0
trainyard run fit.json -o fitted
exit_is 0
cp fitted/summary.json stdout
holds has_json "900 < run['workloads']['philly']['jobs'] < 1300"
holds has_json "0.8 < run['workloads']['philly']['run_s']['mean'] / 25459 < 1.2"
cp fit.json stdout
holds has_json "len(run['workloads'][0]['weekdays']) == 7 and abs(sum(run['workloads'][0]['weekdays']) - 7) < 1e-5"
holds grep -q '<th[^>]*>weekday (UTC)</th>' fit.html
holds grep -q "Quantiles of run times: distributions against the log" fit.html
holds grep -q '<td>50 %</td><td class="n">[0-9]* *h\|<td>50 %</td><td class="n">[0-9]*.*min' fit.html
holds [ "$(grep -c '<svg' fit.html)" -ge 2 ]
{ PATH=/nonexistent "$TRAINYARD" import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o plain.csv --fit plain.json --nodes 1 \
    --gpus-per-node 64 >/dev/null; } 2>stderr
status=$?
exit_is 0
stderr_has "plain.html has no plots: the program gnuplot is not installed"

example "other weeks, more jobs and other ways to pay are parameters of the scenario"
trainyard import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o weeks.csv --scenario weeks.json --nodes 9 --gpus-per-node 4 \
    --price 12.24USD --offer reserved=7USD --offer bought='100000USD/4y+4kW*0.15USD' --low-priority 4USD --lifetime 30d --resample 7d
exit_is 0
trainyard validate weeks.json
exit_is 0
trainyard run weeks.json --json --param size=Trace_4GPU_bought
exit_is 0
# Each of nine nodes costs 3.453881 USD an hour, for eight weeks, also without jobs: the rest of 60 days is left out.
holds has_json "abs(run['cost_usd']['total'] - 9 * 8 * 168 * 3.453881) < 0.01"
trainyard sweep weeks.json --vary load=1,1.5 --seeds 10 --metric workloads.weeks.jobs --metric cost_usd.total -o loads -q
exit_is 0
holds awk -F, 'NR > 1 { jobs[$2] += $4 } END { exit !(jobs["1.5"] > 1.2 * jobs["1"] && jobs["1.5"] < 1.9 * jobs["1"]) }' loads/results.csv
trainyard plan weeks.json --vary size=all --vary priority=dedicated,lowpriority --vary nodes=9,12 --minimise cost_usd.total --seeds 4 -q -o pay
exit_is 0
trainyard plan weeks.json --vary size=all --vary priority=dedicated,lowpriority --vary nodes=9,12 --minimise cost_usd.total --seeds 4 -o pay
stdout_has "Choose size Trace_4GPU_bought, priority dedicated, 9 nodes"
stdout_has "At the same demand and prices, a year costs"
trainyard plan weeks.json --param priority=lowpriority --vary nodes=9,12 --minimise cost_usd.total --seeds 4 --sensitivity none -o lost
stdout_has "are for work that was lost and done again."
holds grep -q "are for work that was lost and done again." lost/report.html
trainyard run weeks.json --json --param priority=lowpriority
holds has_json "run['attribution']['lost_s'] > 0 and run['attribution']['checkpoint_s'] == 0"
cp stdout none.json
trainyard run weeks.json --json --param priority=lowpriority --param checkpointing=100 --param checkpoint_takes=20s --param checkpoint_on_notice=true
holds has_json "run['attribution']['lost_s'] < 0.02 * json.load(open('none.json'))['attribution']['lost_s']"
holds has_json "run['attribution']['checkpoint_s'] > 0 and run['workloads']['weeks']['notice_checkpoints'] > 0"
trainyard run weeks.json --json
holds has_json "run['attribution']['checkpoint_s'] == 0"
trainyard import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o replay.csv --scenario replay.json --nodes 9 --gpus-per-node 4 --price 1USD
trainyard plan replay.json --vary nodes=9,12 --vary policy=service --minimise cost_usd.total --seeds 2
stdout_has "All candidates have policy service."
exit_is 0
stdout_has "Every run replays the same list of jobs"

example "bought nodes and nodes on demand share a queue"
trainyard import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o mixed.csv --scenario mixed.json --nodes 9x4 --pool --burst \
    --price 12.24USD --offer bought='100000USD/4y+4kW*0.15USD' --low-priority 4USD --lifetime 30d --resample 7d
exit_is 0
trainyard validate mixed.json
exit_is 0
# Without any on demand it is the cluster of bought nodes.
trainyard run mixed.json --json --param size=Trace_4GPU_bought
exit_is 0
holds has_json "abs(run['cost_usd']['total'] - 9 * 8 * 168 * 3.453881) < 0.01"
cp stdout all.json
trainyard run mixed.json --json --param size=Trace_4GPU_bought --param nodes=3 --param burst=6
exit_is 0
holds has_json "abs(run['clusters']['gpu']['kinds']['base']['cost_usd'] - 3 * 8 * 168 * 3.453881) < 0.01"
holds has_json "run['clusters']['gpu']['kinds']['burst']['nodes_max'] > 0"
holds has_json "abs(run['clusters']['gpu']['kinds']['burst']['cost_usd'] / run['clusters']['gpu']['kinds']['burst']['node_s'] * 3600 - 12.24) < 0.01"
cp stdout burst.json
trainyard run mixed.json --json --param size=Trace_4GPU_bought --param nodes=3 --param burst=6 --param burst_priority=lowpriority
exit_is 0
holds has_json "run['cost_usd']['total'] < json.load(open('burst.json'))['cost_usd']['total'] and run['attribution']['lost_s'] > 0"
trainyard plan mixed.json --param size=Trace_4GPU_bought --vary nodes=1..3 --vary burst=0,6 --minimise cost_usd.total --slo 'waited_within(12h) >= 50%' --seeds 4 \
    --sensitivity none
exit_is 0
stdout_has "candidate"
trainyard import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o mixed.csv --scenario mixed.json --nodes 9x4 --burst --price 12.24USD
exit_is 2
stderr_has "--burst: needs one cluster, whose nodes are equal and stay"
stderr_has "--pool and --nodes make one"
trainyard import philly-csv "$scenarios/traces/philly_ed69ec.source.csv" -o mixed.csv --scenario mixed.json --nodes 9x4 --pool --burst
exit_is 2
stderr_has "--burst: the nodes on demand have no price"

example "mistakes have their place and a hint"
printf 'timestamp,duration,num_gpus\n2017-10-07 01:11:39,100.0,1\n2017-10-07 01:11:39,x,1\n' >bad.csv
trainyard import philly-csv bad.csv -o no.csv
exit_is 2
stderr_has "bad.csv:3:21: duration is \"x\", expected a number from 0"
stderr_has "--skip-malformed"
holds [ ! -e no.csv ]
trainyard import philly-csv bad.csv -o no.csv --skip-malformed
exit_is 0
stdout_has "dropped: 1 cannot be read"
for time in "2020-03-04 10:00 PST" "3/4/2020 10:00" "04.03.2020 10:00"; do
    printf 'submit,elapsed,g\n%s,100,1\n' "$time" >local.csv
    trainyard import csv local.csv -o no.csv --columns submit=submit,run=elapsed,gpus=g
    exit_is 2
    stderr_has "local.csv:2:1: submit is \"$time\", expected a time such as \"2017-10-07 01:11:39\""
    stderr_has "otherwise it is in the zone of --timezone"
done
trainyard import phily bad.csv -o no.csv
exit_is 2
stderr_has "did you mean \"philly\"?"
trainyard import philly-csv bad.csv
exit_is 2
stderr_has "-o NAME.csv names it"
trainyard import philly-csv missing.csv -o no.csv
exit_is 2
trainyard import philly-csv log.csv -o no.csv --window 1d..2017-10-08
exit_is 2
stderr_has "--window: \"1d..2017-10-08\": one end is a date, the other a duration"
trainyard import philly-csv log.csv -o log.out.csv --scenario other/log.json --nodes 1
exit_is 2
stderr_has "is not in the folder of"
stderr_has "a scenario names the files in its own folder"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json
exit_is 2
stderr_has "the size of the cluster is not known"
trainyard import slurm jobs.txt -o jobs.csv --price 1USD
exit_is 2
stderr_has "--price: this option belongs to a scenario, and none is written"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --price 1EUR/gpu
exit_is 2
stderr_has "--price: \"1EUR"
stderr_has "a price is 27.20USD, 3.40USD/gpu, 310000USD/4y, 9.2kW*0.12USD, or a sum of such terms with + between them"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --price 2000000USD
exit_is 2
stderr_has "expected 0USD to 1000000USD"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --price 1USD --offer bought
exit_is 2
stderr_has "--offer: \"bought\" is not NAME=PRICE"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --price 1USD --offer a=1USD --offer A=2USD
exit_is 2
stderr_has "there are two offers \"a\""
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --resample 365d
exit_is 2
stderr_has "the log is too short for two pieces of this length"
stderr_has "choose a shorter one, such as 1d"
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --resample 1500ms
exit_is 2
stderr_has "--resample: expected whole seconds"
for option in --offer=a=1USD --low-priority=1USD; do
    trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 "$option"
    exit_is 2
    stderr_has "${option%%=*}: the other nodes have no price to compare this one with"
    stderr_has "--price PRICE states what they cost"
done
trainyard import slurm jobs.txt -o jobs.csv --scenario jobs.json --nodes 1 --price 1USD --lifetime 20h
exit_is 2
stderr_has "--lifetime: only low-priority nodes are taken away"
trainyard import slurm jobs.txt -o jobs.csv --fit jobs.json --nodes 1 --price 1USD --resample 1d
exit_is 2
stderr_has "--resample: this option belongs to a scenario, and none is written"
mkdir taken.csv
trainyard import slurm jobs.txt -o taken.csv
exit_is 2
stderr_begins "taken.csv: is a folder, expected a file"
trainyard import phily bad.csv
exit_is 2
stderr_has "FORMAT: unknown format \"phily\""
stderr_has "-o: the workload file has no name"
trainyard import philly-csv log.csv -o no.csv --window 3d
exit_is 2
stderr_has "--window: \"3d\": expected FROM..TO"
stderr_has "as in 2d..9d, from the first job on"
printf 'timestamp,duration,num_gpus\n2017-10-07 01:11:39,100.0\n' >bad.csv
trainyard import philly-csv bad.csv -o no.csv
exit_is 2
stderr_has "bad.csv:2:1: the line has 2 cells, expected as many as the header has"
printf '1 2 3\n' >bad.swf
trainyard import swf bad.swf -o no.csv
exit_is 2
stderr_has "bad.swf:1:1: the line has 3 cells, expected 18 numbers"

example "demand that grows through a log is named by the import and by a plan, and stays in its page"
# A job a day of one GPU, whose run time grows by 3 % a week for 14 weeks: 1.03^(365 / 12 / 7) = 1.137 a month.
awk 'BEGIN {
    print "at,run,gpus"
    for (day = 0; day <= 98; day++)
        printf "%d,%d,1\n", day * 86400, 3600 * exp(log(1.03) * int(day / 7))
}' >growing-log.csv
trainyard import csv growing-log.csv --columns submit=at:s,run=run:s,gpus=gpus -o growing.csv --scenario growing.json --nodes 1x1 --price 1USD --resample 7d
exit_is 0
stdout_has "GPU-hours of a week change by 13.7 % a month (95 %: 13.7 to 13.7 %): in the last they are 1.22 times their mean"
trainyard plan growing.json --vary nodes=1..2 --slo 'waited_within(1h) >= 50%' --minimise cost_usd.total --sensitivity none -o growing
exit_is 0
growth="demand changes by 13.7 % a month (95 %: 13.7 to 13.7 %), and runs mix its pieces: at its end it is 1.22 times its mean, as with load 1.22."
stdout_has "$growth"
trainyard report growing
exit_is 0
holds grep -q "and runs mix its pieces: at its end it is 1.22 times its mean" growing/report.html
trainyard import csv growing-log.csv --columns submit=at:s,run=run:s,gpus=gpus --check --window ..60d
holds [ "$(grep -c "a month" stdout)" -eq 0 ]

example "help lists the formats"
trainyard import --help
exit_is 0
for format in philly philly-csv helios acme pai-2020 pai-2023 swf gavel sia tiresias slurm csv; do
    stdout_has "  $format "
done

finish
