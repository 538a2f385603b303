#!/usr/bin/env bash
# compare: a prediction compared with a recorded run, and a table of measured cells. No test here measures a time.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

cp -r "$source_folder/tests/cli/compare" . && cp "$scenarios"/catalog/*.json compare/ && mkdir compare/catalog &&
    cp "$scenarios"/catalog/*.json compare/catalog/ && cd compare || exit 3
ran=measured/real/train/attempt-1

example "inside the tolerance"
trainyard compare scenario.json --measured measured -o out
exit_is 0
stdout_has "train: keras_cifar10_cnn, batches of 8, 2 ranks; 1 run, 40 steps"
stdout_has "rank 1: wait"
stdout_has "Most to blame: compute of the forward pass, 94 % of whose arithmetic is in convolution layers. It is predicted"
stdout_has "Inside: steps are off by"
for quantity in step "· input" "· load" "· augment" "· forward" "· backward" "· wait" "· all-reduce" "· update" throughput epoch \
    evaluation checkpoint training; do
    holds grep -q "^$quantity  " ../stdout
done
holds grep -q "predicted against measured" out/compare.html
if command -v gnuplot >/dev/null; then
    stderr_is_empty
    holds test -s out/plots/parts-train.svg -a -s out/plots/steps-train-narrow.svg
fi

without_gnuplot()
{
    PATH=/nonexistent "$TRAINYARD" "$@" >../stdout 2>../stderr
    status=$?
}

example "without gnuplot the verdict is the same, and the page has no plots"
without_gnuplot compare scenario.json --measured measured -o plain
exit_is 0
stdout_has "Inside: steps are off by"
stderr_begins "plain/compare.html has no plots: the program gnuplot is not installed"
holds grep -q "This plot is missing" plain/compare.html
without_gnuplot compare scenario.json --measured measured -o plain --tolerance 1%
exit_is 1
without_gnuplot compare --matrix matrix.tsv --catalog local.json -o plain
exit_is 1
stderr_begins "plain has no plots: the program gnuplot is not installed"

example "it is predicted for the images that were trained on, where that is known"
trainyard compare scenario.json --measured measured
stderr_is_empty
sed -i 's/"train_samples": 1000, "test_samples": 200, //' $ran/ranks.json
trainyard compare scenario.json --measured measured
exit_is 0
stderr_has "measured: warning: the number of training images is not known"
holds grep -qE "^training +s .*[0-9]$" ../stdout # without a verdict
holds grep -qE "^evaluation .*\+[0-9]{3,4}" ../stdout # that of ten thousand
cp "$source_folder/tests/cli/compare/$ran/ranks.json" $ran/

example "steps scatter as the machine's do, or it is said that they do not"
waits() # of a rank, predicted, in any step
{
    /usr/bin/python3 -c 'import json, sys
print(any(e["name"] == "NEGOTIATE_ALLREDUCE" and e["dur"] > 0 for e in json.load(open(sys.argv[1]))["traceEvents"]
          if e["ph"] == "X" and e["pid"] == 1))' out/compare.timeline.json
}
trainyard compare scenario.json --measured measured -o out
holds test "$(waits)" = True
sed '/"jitter"/d' scenario.json >equal.json
trainyard compare equal.json --measured measured
stderr_has 'equal.json: warning: all steps of job "train" are predicted equal, and no rank waits'
stderr_has 'hint: with "jitter": "local" in its program'

example "a training that failed or ended early cannot be compared with a prediction"
sed -i 's/"exit_code": 0/"exit_code": 1/' $ran/ranks.json
trainyard compare scenario.json --measured measured
exit_is 2
stderr_begins "$ran/ranks.json: job \"train\" ended with exit code 1 after 40 of 40 steps, but is predicted to succeed"
trainyard compare scenario.json --measured measured --set '/faults=[{"after": "job train step 30", "do": "job.exit", "job": "train", "exit_code": 1}]'
holds test "$status" -le 1
sed -i 's/"exit_code": 1/"exit_code": 0/' $ran/ranks.json
awk -F '\t' 'NR <= 2 || $2 < 22' $ran/timeline.rank0.tsv >part.tsv && mv part.tsv $ran/timeline.rank0.tsv
trainyard compare scenario.json --measured measured --mean 10%
exit_is 2
stderr_begins "$ran/ranks.json: job \"train\" ended with exit code 0 after 22 of 40 steps, but is predicted to succeed"
trainyard compare scenario.json --measured measured --mean 10% --set /programs/0/epochs=1
holds test "$status" -le 1
cp "$source_folder/tests/cli/compare/$ran/"* $ran/

example "only a run of this machine can be compared"
sed -i 's/"backend": "onednn"/"backend": "cuda"/' $ran/ranks.json
trainyard compare "$scenarios/local/tutorial/scenario.json" --measured measured --set /programs/0/batch_per_rank=8 \
    --set /programs/0/precision=fp32 --set /commands/0/config/properties/vmSize=Standard_NC6 --catalog local.json
stderr_has "$scenarios/local/tutorial/scenario.json: warning: job \"train\" is predicted for Standard_NC6 with K80"
stderr_has "--catalog has no effect on that machine"
stderr_has 'hint: use "vmSize": "local" to predict this machine, as in scenarios/local/tutorial'

example "a prediction for processors and a run on a GPU, or the reverse, are refused"
trainyard compare scenario.json --measured measured
exit_is 2
stdout_is_empty
stderr_begins 'scenario.json: job "train" is predicted for processors, but it runs on GPUs'
stderr_has "hint: use the catalogue of \`trainyard calibrate --backend NAME\` for a backend on that device"
trainyard compare scenario.json --real cuda --data nowhere -o never
exit_is 2
holds [ ! -e never ]
cp local.json cores.json && sed -i 's/local-core/local-gpu/' local.json
trainyard compare scenario.json --measured measured
stderr_is_empty
cp "$source_folder/tests/cli/compare/$ran/ranks.json" $ran/
trainyard compare scenario.json --measured measured
exit_is 2
stderr_begins 'scenario.json: job "train" is predicted for GPUs, but it runs on processors'
trainyard make-cifar few --images 4
trainyard compare scenario.json --data few -o never
exit_is 2
stderr_begins 'scenario.json: job "train" is predicted for GPUs, but it runs on processors'
holds [ ! -e never ]
trainyard compare "$scenarios/local/tutorial/scenario.json" --measured measured --set /programs/0/batch_per_rank=8 \
    --set /programs/0/precision=fp32 --set /commands/0/config/properties/vmSize=Standard_NC6 --catalog local.json
exit_is 2
stderr_has 'job "train" is predicted for GPUs (Standard_NC6), but it runs on processors'
stderr_has 'hint: use "vmSize": "local" and --catalog FILE of `trainyard calibrate`, as in scenarios/local/tutorial'
sed 's/onednn/cuda/' matrix.tsv >gpu.tsv
trainyard compare --matrix gpu.tsv --catalog local.json # of GPUs
holds [ "$status" -le 1 ]
stderr_is_empty
trainyard compare --matrix matrix.tsv --catalog local.json
exit_is 2
stderr_begins 'matrix.tsv:3:1: this training is predicted for GPUs, but it runs on processors'
sed -i 's/"backend": "onednn"/"backend": null/' $ran/ranks.json
trainyard compare scenario.json --measured measured
stderr_is_empty # not known
mv cores.json local.json && cp "$source_folder/tests/cli/compare/$ran/ranks.json" $ran/

example "both timelines are one trace, whose slices nest"
nests()
{
    /usr/bin/python3 "$source_folder/tests/cli/files/nesting.py" out/compare.timeline.json &&
        /usr/bin/python3 - out/compare.timeline.json <<'EOF'
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
assert list(names.values()) == ["predicted rank 0", "measured rank 0", "predicted rank 1", "measured rank 1"], names
tracks = collections.defaultdict(list)
for e in events:
    if e["ph"] == "X":
        tracks[e["pid"], e["tid"]].append(e["name"])
assert {names[pid] for pid, _ in tracks} == set(names.values())
for slices in tracks.values():
    assert "step 39" in slices
EOF
}
holds nests

example "JSON has what the table has"
trainyard compare . --measured measured --json # a folder's scenario.json
exit_is 0
stderr_is_empty
cd .. || exit 3
holds is_answer compare-answer
holds has_json 'run["is_inside"] is True and run["tolerance_pct"] == 12 and run["mean_pct"] == 5'
holds has_json 'run["jobs"][0]["quantities"][0]["quantity"] == "step" and run["jobs"][0]["quantities"][0]["is_inside"]'
holds has_json 'all(abs(q["error_pct"] - 100 * (q["predicted"] / q["measured"] - 1)) < 0.01 for q in run["jobs"][0]["quantities"] if "error_pct" in q)'
holds has_json 'all(q["low"] <= q["measured"] <= q["high"] for q in run["jobs"][0]["quantities"] if "measured" in q)'
holds has_json 'run["worst_error_pct"] == max(abs(q["error_pct"]) for q in run["jobs"][0]["quantities"] if "is_inside" in q)'
holds has_json 'run["jobs"][0]["blame"]["part"] == "forward" and run["jobs"][0]["restarts_measured"] == 0'
cd compare || exit 3

example "the catalogue of the machine, next to the scenario or named by an option"
sed -i 's/, "local.json"//' scenario.json
trainyard compare scenario.json --measured measured
exit_is 2
mkdir elsewhere && mv local.json elsewhere/
trainyard compare scenario.json --measured measured --catalog elsewhere/local.json
exit_is 0
trainyard compare scenario.json --measured measured --catalog elsewhere/nothing.json
exit_is 2
stderr_begins "elsewhere/nothing.json: No such file or directory"
mv elsewhere/local.json . && sed -i 's/"catalog\/azure-2018.json"/&, "local.json"/' scenario.json

example "outside a tolerance that is declared smaller"
trainyard compare scenario.json --measured measured --tolerance 1%
exit_is 1
stdout_has "Outside: steps"
trainyard compare scenario.json --measured measured --mean 0.1%
exit_is 1

example "what is changed is predicted anew"
trainyard compare scenario.json --measured measured --set /programs/0/checkpoint/bytes=40MB
exit_is 1
holds grep -qE "^training .* outside$" ../stdout

example "a run of something else is refused"
trainyard compare scenario.json --measured measured --set /programs/0/batch_per_rank=16
exit_is 2
stderr_begins "measured/real/train/attempt-1/ranks.json: has a batch of 8, but job \"train\" has a batch of 16"
trainyard compare scenario.json --measured measured --set /programs/0/precision=bf16
exit_is 2
sed -i 's/"precision": "fp32"/"precision": "fp32 on a GPU"/' $ran/ranks.json
trainyard compare scenario.json --measured measured
exit_is 2
stderr_begins "measured/real/train/attempt-1/ranks.json: has the precision \"fp32 on a GPU\", but job \"train\" has the precision \"fp32\""
sed -i 's/ on a GPU//' $ran/ranks.json
trainyard compare scenario.json --measured nothing
exit_is 2
stderr_begins "nothing/real/train: there is no attempt-1 of job \"train\""

example "a broken timeline has a place"
sed -i '6s/backward/sideways/' $ran/timeline.rank1.tsv
trainyard compare scenario.json --measured measured
exit_is 2
stderr_begins "$ran/timeline.rank1.tsv:6:1: \"sideways\": expected a phase of training"
cp "$source_folder/tests/cli/compare/$ran/timeline.rank1.tsv" $ran/

example "a rank that was killed: restarts and steps done once more"
mkdir $ran/../attempt-2 && sed 's/"exit_code": 0/"exit_code": 137/' $ran/ranks.json >killed.json && mv $ran/* $ran/../attempt-2/ &&
    mv killed.json $ran/ranks.json || exit 3
for timeline in "$ran"/../attempt-2/timeline.rank*.tsv; do # from the checkpoint of the first epoch on
    awk -F '\t' 'NR <= 2 || $2 >= 20' "$timeline" >part.tsv && mv part.tsv "$timeline"
done
echo '[{"do": "job.reached", "name": "train", "step": 30}, {"do": "job.reached", "name": "other", "step": 35}]' >measured/ran.json
trainyard compare scenario.json --measured measured
stdout_has "1 run, 20 steps"
stdout_has "Recovery: 0 restarts predicted, 1 measured; 0 steps repeated in the prediction, 10 measured."
sed -i 's/"bytes": "10.05MB"}/"bytes": "10.05MB", "resume": true}/; s/^  "commands"/  "faults": [{"after": "job train step 30", "do": "node.crash", "job": "train", "node": 1, "recovery": "replace", "duration": "2m"}],\n&/' scenario.json
trainyard compare scenario.json --measured measured
stdout_has "Recovery: 1 restart predicted, 1 measured; 10 steps repeated in the prediction, 10 measured."

example "a matrix of cells"
trainyard compare --matrix matrix.tsv --catalog local.json
exit_is 1
stdout_has "somewhere, 2 cores, 2026-11-23, backend onednn: 45 measurements of 50 steps or more, 15 cells."
stdout_has "4 on 2 cores"
stdout_has "Outside: with a core for each rank, 10 cells"
stdout_has "Of these, with a core left for everything else, 5 cells"
stdout_has "Of these, with no core left, 5 cells"
stdout_has "Not judged: with more ranks than cores, 5 cells"
trainyard compare --matrix matrix.tsv --catalog local.json --tolerance 14% --mean 8% --json -o matrix
exit_is 0
cd .. || exit 3
holds is_answer compare-table-answer
holds has_json 'run["is_inside"] and run["judged"]["cells"] == 10 and run["cores_free"]["cells"] == run["cores_taken"]["cells"] == run["crowded"]["cells"] == 5 and len(run["cells"]) == 15'
holds has_json 'abs(run["judged"]["mean_error_pct"] - sum(abs(c["error_pct"]) for c in run["cells"] if c["is_judged"]) / 10) < 0.01'
holds has_json 'abs(run["judged"]["mean_signed_error_pct"] - sum(c["error_pct"] for c in run["cells"] if c["is_judged"]) / 10) < 0.01 and any(c["error_pct"] < 0 for c in run["cells"] if c["is_judged"])'
holds has_json 'all(c["rounds"] == 3 and c["low_ms"] <= c["measured_ms"] <= c["high_ms"] for c in run["cells"])'
cd compare || exit 3
if command -v gnuplot >/dev/null; then
    stderr_is_empty
    for plot in validation validation-error; do # an SVG file is XML
        holds /usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "matrix/plots/$plot.svg"
    done
fi

example "a page from a matrix"
trainyard compare --matrix matrix.tsv --catalog local.json --markdown
exit_is 1
stdout_has "![The error of each prediction](matrix.svg)"
stdout_has "| keras_cifar10_cnn | fp32 | 4 on 2 cores | 128 |"

example "a broken matrix has a place"
sed '4s/fp32/fp31/' matrix.tsv >broken.tsv
trainyard compare --matrix broken.tsv --catalog local.json
exit_is 2
stderr_begins 'broken.tsv:4:49: "fp31": expected a precision'
stderr_has 'did you mean "fp32"?'
sed '4s/onednn/ref/' matrix.tsv >broken.tsv
trainyard compare --matrix broken.tsv --catalog local.json
exit_is 2
stderr_begins 'broken.tsv:4:24: "ref": expected the backend of the first row'
sed 's/onednn/cuda/' matrix.tsv >broken.tsv
trainyard compare --matrix broken.tsv --catalog local.json
exit_is 2
stderr_begins 'broken.tsv:3:1: this training is predicted for processors, but it runs on GPUs'
stderr_has "hint: use the catalogue of"
sed 's/keras_cifar10_cnn/nothing/' matrix.tsv >broken.tsv
trainyard compare --matrix broken.tsv --catalog local.json
exit_is 2
stderr_begins 'broken.tsv:3:1: the catalogue has no network "nothing"'
sed 's/fp32/bf16/' matrix.tsv >broken.tsv
trainyard compare --matrix broken.tsv --catalog local.json
exit_is 2
stderr_has "only the fp32 speed of local-core is known"
sed 's/fp32\t8\t4/fp32\t8\t8/' matrix.tsv >broken.tsv
trainyard compare --matrix broken.tsv --catalog local.json
exit_is 2
stderr_has "was measured over at most 4 ranks, but the job has 8"

example "wrong options"
trainyard compare
exit_is 2
stderr_has "a scenario or --matrix FILE is missing"
trainyard compare scenario.json
exit_is 2
stderr_has "a real run needs a folder for its files"
trainyard compare scenario.json --measured measured --tolerance much
exit_is 2
stderr_has 'is "much", expected a percentage such as 12%'
trainyard compare --matrix matrix.tsv
exit_is 2
stderr_has "needs --catalog FILE"

example "a real run: what it takes is not judged here, but that it is compared"
cp "$source_folder/tests/cli/compare/scenario.json" .
one_rank=(--set /commands/1/config/properties/horovodSettings/processCount=1 --set /programs/0/steps_per_epoch=3
    --set /programs/0/batch_per_rank=4)
if starts_programs && "$TRAINYARD" make-cifar -q --images 20 cifar; then
    trainyard compare scenario.json --real cpu --data cifar --repeat 2 "${one_rank[@]}" -o real
    holds test "$status" -le 1
    stdout_has "train: keras_cifar10_cnn, batches of 4, 1 rank; 2 runs, 12 steps"
    holds grep -qE "^training +s " ../stdout
    holds grep -qE "^Other programs used [0-9.]+ of [0-9]+ cores? during the runs" ../stdout
    holds grep -qE '"other_cores": [0-9.]+' real/compare.json
    holds test -s real/run-1/real/train/attempt-1/ranks.json -a -s real/run-2/real/train/attempt-1/timeline.rank0.tsv
    trainyard compare scenario.json "${one_rank[@]}" --measured real/run-2
    stdout_has "; 1 run, 6 steps"
    holds [ -z "$(grep "Other programs" ../stdout)" ] # the load of an earlier run is not known

    example "Ctrl-C ends the second run, and the first is kept"
    env --default-signal=INT "$TRAINYARD" compare scenario.json --real cpu --data cifar --repeat 2 "${one_rank[@]}" \
        --set /programs/0/epochs=10 -o stopped >../stdout 2>../stderr &
    child=$!
    for ((i = 0; i < 600; i++)); do # until the second run trains
        [ -z "$(find stopped/run-2 -name stdout.txt -size +0 2>/dev/null)" ] || break
        sleep 0.1
    done
    kill -INT "$child"
    wait "$child"
    status=$?
    exit_is 130
    stderr_has "stopped/run-2: a signal ended this real run"
    stderr_has 'hint: 1 run is complete: remove this folder, and `--measured stopped` compares with it'
    rm -r stopped/run-2
    trainyard compare scenario.json "${one_rank[@]}" --set /programs/0/epochs=10 --measured stopped
    holds test "$status" -le 1
    stdout_has "; 1 run, 30 steps"

    example "runs of an earlier comparison in the folder do not count with those of this one"
    echo note >real/run-1/note
    trainyard compare scenario.json --real cpu --data cifar "${one_rank[@]}" -o real
    holds test "$status" -le 1
    stdout_has "; 1 run, 6 steps"
    holds [ ! -e real/run-2 ]
    holds [ -s real/run-1/note ] # no run left it, and none replaces it
    trainyard compare scenario.json "${one_rank[@]}" --measured real
    stdout_has "; 1 run, 6 steps"
fi

example "files of other programs are not replaced, and no run starts there"
for run in 1 2; do
    mkdir -p "mine/run-$run/real" && echo mine >"mine/run-$run/real/thesis.txt"
done
trainyard compare scenario.json "${one_rank[@]}" --repeat 2 -o mine
exit_is 2
stderr_begins 'mine/run-1: contains a "real" that no run of trainyard made'
rm -r mine/run-1
trainyard compare scenario.json "${one_rank[@]}" --repeat 2 -o mine
exit_is 2
stderr_begins 'mine/run-2: contains a "real" that no run of trainyard made'
mkdir mine/run-1 && mv mine/run-2/real/thesis.txt mine/run-2/ && rmdir mine/run-2/real
trainyard compare scenario.json "${one_rank[@]}" -o mine
exit_is 2
stderr_begins 'mine: contains a "run-2" that no run of trainyard made'
holds [ -s mine/run-2/thesis.txt ]
holds [ ! -e mine/run-1/real ]

cd "$work" || exit 3
finish
