#!/usr/bin/env bash
# The CIFAR-10 tutorial as a user would follow it: what the terminal shows and what the share holds.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "the terminal shows the tables of the tutorial"
trainyard run "$scenarios/cifar10-horovod/scenario.json" -o run
exit_is 0
stderr_is_empty
stdout_has "nc6cluster"
stdout_has "STANDARD_NC6"
stdout_has "succeeded"

example "the job's folder holds the 14 files that the service left"
logs=$(find run/share -type d -name stdouterr)
holds [ "$(find "$logs" -type f | wc -l)" -eq 14 ]
holds [ "$(find "$logs" -name 'execution-tvm-*.txt' -o -name 'execution-tvm-*.log' | wc -l)" -eq 4 ]
holds [ -s "$logs/stdout.txt" ]

example "stdout.txt is what the script prints"
for line in "50000 train samples" "Epoch 1/25" "Epoch 25/25" "Test loss:" "Test accuracy:"; do
    holds grep -qF "$line" "$logs/stdout.txt"
done

example "h5py opens the saved model: Keras layout, shapes, marked as emulated"
holds /usr/bin/python3 - "$(find run/share -name '*.h5')" <<'PYTHON'
import sys
import h5py
with h5py.File(sys.argv[1], "r") as model:
    names = [name.decode() for name in model["model_weights"].attrs["layer_names"]]
    assert names[0].startswith("conv2d"), names
    parameters = 0
    def count(_, item):
        global parameters
        if isinstance(item, h5py.Dataset):
            parameters += item.size
    model["model_weights"].visititems(count)
    assert parameters == 1250858, parameters
    assert any("emulated" in key for key in model.attrs), list(model.attrs)
PYTHON

example "step, epoch and job fidelity agree within 1 %"
for fidelity in step epoch job; do
    trainyard run "$scenarios/cifar10-horovod/scenario.json" --fidelity $fidelity --json
    exit_is 0
    cp stdout $fidelity.json
done
holds /usr/bin/python3 - <<'PYTHON'
import json
def job(fidelity):
    (result,) = json.load(open(fidelity + ".json"))["jobs"].values()
    return result
step = job("step")
for fidelity in ("epoch", "job"):
    coarse = job(fidelity)
    for key in ("run_s", "train_s"):
        assert abs(coarse[key] / step[key] - 1) < 0.01, (fidelity, key, coarse[key], step[key])
PYTHON

finish
