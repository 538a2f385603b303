#!/usr/bin/env bash
# trainyard calibrate: recorded measurements are fitted again, checked and used in a simulation; programs that are missing, fail
# or print invalid output. Nothing here is measured.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

recorded=$source_folder/tests/cli/files/calibrate.measurements.json

example "recorded measurements become a catalogue"
trainyard calibrate --from "$recorded" -o local.json
exit_is 0
stderr_is_empty
stdout_has "wrote local.json"
holds grep -q '"local-core fp32 forward convolution 3x3/1 32>32 30x30"' local.json
holds test ! -e local.measurements.json
holds cmp local.json "$scenarios/catalog/local-example.json" # which ships

example "the same measurements, the same bytes"
trainyard calibrate --from "$recorded" -o again.json
holds cmp local.json again.json

example "where there is no folder of catalogues, it is named after the machine"
trainyard calibrate --from "$recorded"
exit_is 0
stdout_has "wrote local-example.json"
holds cmp local.json local-example.json

example "where there is one, it goes there"
mkdir -p scenarios/catalog
trainyard calibrate --from "$recorded"
stdout_has "wrote scenarios/catalog/local-example.json"
holds cmp local.json scenarios/catalog/local-example.json

example "nothing has moved by measuring the same"
trainyard calibrate --from "$recorded" --check local.json
exit_is 0
stdout_has "none of which has moved by more than its error"

example "what has become twice as slow is named"
/usr/bin/python3 - "$recorded" <<'PYTHON'
import json, sys
text = json.load(open(sys.argv[1]))
for run in text["training"]:
    if run["precision"] == "fp32":
        run["profile"]["stages"]["conv2d_2 forward"]["us"] *= 3
json.dump(text, open("slower.json", "w"))
PYTHON
trainyard calibrate --from slower.json --check local.json
exit_is 1
stdout_has "stage_times/local-core fp32 forward convolution 3x3/1 32>32 30x30/time has moved by"
stdout_has "values have moved by more than their errors"

example "a scenario runs on the catalogue, and explains where a time is from"
cp -r "$scenarios/local/tutorial" scenario
cp -r "$scenarios/catalog" scenario/catalog
cp local.json scenario/catalog/local-example.json
trainyard run scenario/scenario.json --quiet -o out
exit_is 0
trainyard explain scenario/scenario.json
stdout_has "stage_times/local-core bf16 forward convolution 3x3/1 32>32 30x30/time = "
stdout_has ", for 4 to 96 images in a batch"
stdout_has "exchange_times/trainyard-mpi over 2 ranks/time = "
stdout_has "jitters/local/factor = "
holds test "$(grep -c '^stage_times/local-core fp32' stdout)" -eq 0

example "in a precision that was not measured there is no prediction"
trainyard run scenario/scenario.json --set /programs/0/precision=tf32 --quiet -o out2
exit_is 2
stderr_has "was measured on local-core in tf32"

example "invalid measurements"
echo '{"measurements": 1,' >broken.json
trainyard calibrate --from broken.json -o never.json
exit_is 2
stderr_has "broken.json:"
trainyard calibrate --from nowhere.json -o never.json
exit_is 2
stderr_has "nowhere.json"
echo '{}' >empty.json
trainyard calibrate --from empty.json -o never.json
exit_is 2
stderr_has 'measurements, which start with "measurements": 1'
holds test ! -e never.json

example "a catalogue that was not calibrated cannot be checked"
trainyard calibrate --from "$recorded" --check "$scenarios/catalog/azure-2018.json"
exit_is 2
stderr_has "this value was not calibrated"

example "a backend is checked first"
trainyard calibrate --backend nonsense --from nowhere.json --check nowhere.json
exit_is 2
stderr_begins 'trainyard: calibrate: --backend: is "nonsense", expected one of auto, cpu, cuda, onednn, ref'

# The programs of the trainer are those next to this one; here they are scripts.
if head -c 4 "$TRAINYARD" | grep -q ELF; then
    mkdir bin
    cp "$TRAINYARD" bin/trainyard
    cp "$(dirname "$TRAINYARD")/trainyard-calibrate" bin/
    TRAINYARD=$work/bin/trainyard

    example "without the trainer nothing is measured"
    trainyard calibrate --quick -o never.json
    exit_is 3
    stderr_has "trainyard-bench-training"

    example "what is to be checked is looked at before anything is measured"
    trainyard calibrate --quick --check nowhere.json
    exit_is 2
    stderr_begins "nowhere.json: there is no such file"
    trainyard calibrate --quick --check "$scenarios/catalog/azure-2018.json"
    exit_is 2
    stderr_has "this value was not calibrated"

    example "a trainer that fails says why"
    printf '#!/bin/sh\necho "no memory left" >&2\nexit 3\n' >bin/trainyard-bench-training
    chmod +x bin/trainyard-bench-training
    trainyard calibrate --quick -o never.json
    exit_is 3
    stderr_has "ended with exit code 3"
    stderr_has "it printed: no memory left"

    example "a trainer that prints half of its JSON"
    printf '#!/bin/sh\necho "{\\"network\\": "\n' >bin/trainyard-bench-training
    trainyard calibrate --quick -o never.json
    exit_is 3
    stderr_has "trainyard-bench-training:"

    example "a trainer that prints something else"
    printf '#!/bin/sh\necho "{}"\n' >bin/trainyard-bench-training
    trainyard calibrate --quick -o never.json
    exit_is 3
    stderr_has "printed no stages of a step"
    holds test ! -e never.json

    example "a trainer that knows fp32 alone is measured in that"
    cp "$source_folder/tests/cli/files/bench_training.sh" bin/trainyard-bench-training
    export PRECISIONS=fp32
    trainyard calibrate --quick --ranks 1 -o fake.json
    exit_is 0
    stderr_has "warning:"
    stderr_has "bf16 is not measured"
    stderr_has "it printed: no backend in bf16"
    stdout_has "wrote fake.json and fake.measurements.json"
    # Half of the mean, since the phase's median is.
    holds grep -q '"4": "200.250us"' fake.json
    holds grep -q '"96": "4800.250us"' fake.json

    # Of the mean, 0.475 come from below the median, 0.42 from there to the 90th percentile, 0.155 from 1.1 to 2.
    holds test "$(tr -d ' \n' <fake.json | grep -o '"factor":{"value":{"0":"0.9[^}]*}')" = \
        '"factor":{"value":{"0":"0.9000","0.5":"1.0000","0.9":"1.1000","1":"2.0000"}'

    example "more rounds are fitted together with those before"
    trainyard calibrate --quick --ranks 1 --rounds 1 --more fake.measurements.json -o more.json
    exit_is 0
    holds grep -q '"rounds": 3' more.measurements.json
    holds test "$(grep -c '"round": 2' more.measurements.json)" -eq 11 # 6 trainings alone, 4 side by side, the disk
    trainyard calibrate --quick --ranks 1 --rounds 1 --more "$recorded" -o never.json
    exit_is 2
    stderr_has "these measurements have another \"host\", so they are not of this machine"
    stderr_has "hint: calibrate without them, or use their --name and --backend"
    trainyard calibrate --quick --ranks 1 --more nowhere.json -o never.json
    exit_is 2
    stderr_has "nowhere.json"
    trainyard calibrate --from fake.measurements.json --more fake.measurements.json -o never.json
    exit_is 2
    stderr_has "--more: does not go with --from, which measures nothing"
    holds test ! -e never.json

    example "one rank is known then, and no more"
    cp fake.json scenario/catalog/local-example.json
    trainyard run scenario/scenario.json --set /programs/0/precision=fp32 --quiet -o out3
    exit_is 2
    stderr_has "was measured over at most 1 rank, but the job has 2"
    stderr_has "hint: trainyard calibrate --ranks 2"

    example "the rows kept next to a catalogue give the same catalogue"
    trainyard calibrate --from fake.measurements.json -o refitted.json
    exit_is 0
    holds cmp fake.json refitted.json

    # signal_at N: the trainer ends its caller when it measures the first cell for the N-th time; the first time is to find the device.
    mv bin/trainyard-bench-training bin/bench
    signal_at()
    {
        : >times.txt
        cat >bin/trainyard-bench-training <<SCRIPT
#!/bin/sh
case "\$*" in
*"--network keras_cifar10_cnn --precision fp32 --batch-size $2 "*) echo >>$work/times.txt ;;
esac
if [ "\$(wc -l <$work/times.txt)" -eq $1 ] && [ ! -e $work/sent ]; then
    true >$work/sent
    kill -TERM \$($3)
    sleep 2
fi
exec $work/bin/bench "\$@"
SCRIPT
        chmod +x bin/trainyard-bench-training
        rm -f sent
    }
    example "a signal in the first round: nothing is written"
    signal_at 2 4 'echo $PPID'
    trainyard calibrate --quick --ranks 1 -o never.json
    exit_is 143
    stderr_has "trainyard: calibrate: a signal ended it before the first round was complete"
    holds test ! -e never.json
    holds test ! -e never.measurements.json

    example "a signal in the second round: the first is kept, and is a calibration"
    signal_at 3 4 'echo $PPID'
    trainyard calibrate --quick --ranks 1 -o early.json
    exit_is 143
    stdout_has "wrote early.json and early.measurements.json"
    stderr_has "warning: a signal ended it: the measurements have 1 whole round"
    stderr_has "hint: \`--rounds 1 --more early.measurements.json\` adds a round"
    trainyard calibrate --from early.measurements.json -o whole.json
    exit_is 0
    holds cmp early.json whole.json
    trainyard calibrate --quick --ranks 1 --rounds 1 -o one.json
    exit_is 0
    holds test "$(grep -c '"round": 0' early.measurements.json)" -eq "$(grep -c '"round": 0' one.measurements.json)"
    holds test "$(grep -c '"round": 1' early.measurements.json)" -eq 0

    # validate: tools/validate.sh with the trainer of this test
    validate()
    {
        "$source_folder/tools/validate.sh" --quick --ranks 1 --bin "$work/bin" --name fake -o "$work/validated" >stdout 2>stderr &
        echo $! >script
        wait $!
        status=$?
    }
    example "tools/validate.sh shows the time left, and keeps whole rounds after a signal"
    signal_at 0 4 true
    validate
    exit_is 0
    stderr_has "round 2 of 2, 2 of 2, 0 min left"
    stderr_has "validated/local-fake.json: 2 of 2 rounds"
    holds test "$(grep -c '^fake' validated/validation-fake.tsv)" -eq 4
    rm -r validated
    # Batch 32 is timed for the estimate, then measured in each round.
    signal_at 3 32 "cat $work/script"
    validate
    exit_is 143
    stderr_has "1 of 2 rounds"
    holds test "$(grep -c '^fake' validated/validation-fake.tsv)" -eq 2
    holds grep -q '"rounds": 1' validated/calibration-fake.json
    rm -r validated
    signal_at 2 32 "cat $work/script"
    validate
    exit_is 143
    stderr_has "no round was complete; nothing is written"
    holds test -z "$(ls validated)"
fi

finish
