#!/usr/bin/env bash
# The numbers of a run agree across its outputs: trace.tsv, summary.json, timeline.json, the tables on the terminal and the page.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

cp -r "$source_folder/tests/cli/outputs" .

example "trace, summary and timeline have the same times, bills, waits and counts"
trainyard run outputs -o out # full queues reject jobs
exit_is 1
mv stdout terminal
/usr/bin/python3 outputs/agree.py out >stdout
pass_or_fail "no number disagrees" [ ! -s stdout ]

example "the terminal lists all parts of the bill, rejected jobs and the measured part"
mv terminal stdout
holds grep -qE '^Cost: 1,370\.96 USD, of which file servers 10\.51 USD, storage 1\.58 USD, energy 20\.71 USD\. ' stdout
holds grep -qE '^small +135 +124 +0 +11 +0 ' stdout
holds grep -qE '^Measured from 12 h to 2 d 12 h: .* Nodes ran jobs 31\.7 %' stdout

example "the page says so too, and counts the GPUs of jobs with whole nodes of a cluster that jobs share"
sed 's/\xc2\xa0/ /g' out/report.html >stdout
stdout_has "of which 10.51 USD for file servers, 1.58 USD for file storage, 20.71 USD for energy."
stdout_has "In the measured part nodes ran jobs 31.7 % of the time, at a price of 860.26 USD."
stdout_has "These are the jobs that were submitted from 12 h to 2 d 12 h"
stdout_has "of 135 jobs 124 succeeded, 0 failed and 0 had not ended, and a full queue rejected 11"
stdout_has "job of 8 GPUs"
stdout_has "job of 12 GPUs"

example "the page's shares of jobs that waited so long are those of the metric: rejected jobs have no waits"
trainyard test outputs --set '/measure={"from": "1ns"}' --set '/expect=[{"metric": "waited_within(30m)", "between": [0.6615, 0.6625]}]'
exit_is 0
trainyard run outputs --set '/measure={"from": "1ns"}' -o all -q
tr -d '\n' <all/report.html | sed 's/<[^>]*>/ /g; s/\xc2\xa0/ /g; s/  */ /g' >page
holds grep -q " 30 min 66\.2 % " page
holds grep -q " small 195 184 0 11 0 " page

# From 60 min on a job of six GPUs has a node and two GPUs of the other one for 10 min, and a last job has one GPU for a minute: 61 of 80.
example "a shared node counts by the part of its GPUs that jobs had, in the measured part too"
trainyard run "$scenarios/scheduling/gpus" --set '/measure={"from": "60m"}' --json
holds has_json 'run["measured"]["utilisation"] == 0.7625 and run["measured"]["running_s"] == run["measured"]["node_s"] == 1200'

example "a job that returns to a full queue drives out none that waits already"
trainyard test outputs/full-queue.json
exit_is 0

example "a part that begins after the run is measured with a warning"
trainyard validate outputs/scenario.json --set '/measure={"from": "3d"}'
exit_is 0
stderr_has 'warning: nothing is measured: the run ends at its "until", before this time'
trainyard validate outputs/scenario.json
stderr_is_empty

finish
