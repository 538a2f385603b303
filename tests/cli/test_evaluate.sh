#!/usr/bin/env bash
# `trainyard evaluate` on models of other writers: the emulator's, Keras' habits by h5py, and files that are wrong.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

trainyard make-cifar --images 10 data
exit_is 0
trainyard run "$scenarios/cifar10-horovod/scenario.json" --quiet --fidelity epoch -o run
model=$(find run -name '*.h5')
evaluate=(evaluate --data-dir data --backend ref)

example "a model in Keras' layout is evaluated"
trainyard "${evaluate[@]}" "$model" --predictions all.tsv
exit_is 0
stdout_has "Test loss: "
stdout_has "Test accuracy: 0."
stdout_has "10 images in "
stderr_is_empty
holds [ "$(wc -l <all.tsv)" -eq 11 ]
holds /usr/bin/python3 - <<'PYTHON'
import math
rows = [line.split("\t") for line in open("all.tsv")][1:]
labels = [byte for i, byte in enumerate(open("data/test_batch.bin", "rb").read()) if i % 3073 == 0]
assert [int(row[0]) for row in rows] == list(range(10)) and [int(row[1]) for row in rows] == labels
shares = [[float(value) for value in row[2:]] for row in rows]
assert all(len(row) == 10 and abs(sum(row) - 1) < 1e-6 for row in shares)
loss, accuracy = (float(line.split(": ")[1]) for line in open("stdout").readlines()[:2])
right = sum(row.index(max(row)) == label for row, label in zip(shares, labels))
assert accuracy == right / 10
assert abs(loss + sum(math.log(row[label]) for row, label in zip(shares, labels)) / 10) < 2e-6
PYTHON

example "the first images, in any batches, are predicted alike"
trainyard "${evaluate[@]}" "$model" --limit 4 --batch-size 3 --predictions four.tsv
exit_is 0
stdout_has "4 images in "
holds cmp <(head -n 5 all.tsv) four.tsv

example "what cannot be written leaves no file"
trainyard "${evaluate[@]}" "$model" --predictions missing/all.tsv
exit_is 3
stderr_has "missing/all.tsv: writing failed"

example "a missing model, missing data and no model at all"
trainyard "${evaluate[@]}" none.h5
exit_is 2
stderr_begins "none.h5: there is no such file"
trainyard evaluate "$model" --backend ref --data-dir small
exit_is 2
stderr_has 'hint: --data-dir names another folder; "trainyard make-cifar small" makes a synthetic set'
trainyard evaluate
exit_is 2

example "a file that is cut short, and one that is not HDF5"
head -c 100000 "$model" >short.h5
trainyard "${evaluate[@]}" short.h5
exit_is 2
stderr_has "short.h5: is cut short: it has 100000 of "
trainyard "${evaluate[@]}" all.tsv
exit_is 2
stderr_begins "all.tsv: is not an HDF5 file"

example "another network is refused by its first difference"
trainyard "${evaluate[@]}" "$model" --network keras_mnist_cnn
exit_is 2
stderr_has "cannot be trained here"
for network in keras_cifar10_cnn_deep probe_same; do # the model is larger than all of the second network's files
    trainyard "${evaluate[@]}" "$model" --network $network
    exit_is 2
    stderr_has "$model: is of another network: "
    stderr_has "hint: it was read as $network; --network names another network"
done

if ! /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    echo "skipped: no h5py for /usr/bin/python3 (Debian package python3-h5py)"
    finish
fi

# One Python makes all changes, because it takes longer to start than to change a file.
cat >change.py <<'PYTHON'
import sys
import h5py
import numpy
code = ""
for line in sys.stdin:
    if line != "end of the change\n":
        code += line
        continue
    with h5py.File("changed.h5", "r+") as f:
        weights = f["model_weights"]
        def replace(name, **how):
            values = weights[name][...]
            del weights[name]
            weights.create_dataset(name, **({"data": values} | how))
        exec(code)
    print("changed", flush=True)
    code = ""
PYTHON
coproc changer { exec /usr/bin/python3 change.py; }
exec {to_changer}>&"${changer[1]}" {from_changer}<&"${changer[0]}"

# change CODE: makes changed.h5 of the model by Python that has the file as `f`.
change()
{
    local answer=
    cp "$model" changed.h5
    printf '%s\nend of the change\n' "$1" >&"$to_changer"
    read -r answer <&"$from_changer" # nothing, if the change failed
    holds [ "$answer" = changed ]
}

example "Keras' own strings, of variable length, are read, and big-endian numbers"
change 'f.attrs["model_config"] = f.attrs["model_config"].decode()
replace("dense_1/dense_1/kernel:0", dtype=">f4")'
trainyard "${evaluate[@]}" changed.h5 --predictions changed.tsv
exit_is 0
holds cmp all.tsv changed.tsv

# renumber FIRST STYLE: the file as Keras after 2.3 writes it. Layers of a kind are numbered from FIRST (0: the first has no number),
# the configuration begins with an InputLayer, and weights are called as TensorFlow ("conv2d/kernel:0") or Keras 3 calls them
# ("sequential/conv2d/kernel").
renumber()
{
    change "first, style = $1, '$2'"'
import json
config = json.loads(f.attrs["model_config"])
names, seen = {}, {}
for layer in config["config"]["layers"]:
    old = layer["config"]["name"]
    kind = old.rsplit("_", 1)[0]
    number = seen[kind] = seen.get(kind, first - 1) + 1
    names[old] = layer["config"]["name"] = kind if number == 0 else f"{kind}_{number}"
    if style == "keras3":
        layer.update(module="keras.layers", registered_name=None)
shape = config["config"]["layers"][0]["config"].pop("batch_input_shape")
config["config"]["layers"].insert(0, {"class_name": "InputLayer", "config": {"batch_input_shape": shape, "name": "input_1"}})
f.attrs["model_config"] = json.dumps(config)
f.attrs["keras_version"] = "3.3.3" if style == "keras3" else "2.11.0"
weights.attrs["layer_names"] = [names[name.decode()].encode() for name in weights.attrs["layer_names"]]
renamed = {}
for old, new in names.items():
    group = weights[old]
    values = [(path.decode(), group[path.decode()][...]) for path in group.attrs["weight_names"]]
    del weights[old]
    renamed[new] = values
for new, values in renamed.items():
    group = weights.create_group(new)
    paths = []
    for path, value in values:
        role = path.rsplit("/", 1)[1].split(":")[0]
        paths.append(f"sequential/{new}/{role}" if style == "keras3" else f"{new}/{role}:0")
        group.create_dataset(paths[-1], data=value)
    group.attrs["weight_names"] = numpy.array([path.encode() for path in paths]) if paths else numpy.zeros(0)'
}

while read -r first style; do
    example "models of today's Keras: $style, layers numbered from $first"
    renumber "$first" "$style"
    trainyard "${evaluate[@]}" changed.h5 --predictions changed.tsv
    exit_is 0
    stderr_is_empty
    holds cmp all.tsv changed.tsv
done <<'TABLE'
0 tensorflow
1 tensorflow
7 tensorflow
0 keras3
TABLE

refused()
{
    change "$1"
    trainyard "${evaluate[@]}" changed.h5
    exit_is 2
    stderr_begins "changed.h5: $2"
}

example "what is not as Keras writes it is named"
refused 'del weights["conv2d_3/conv2d_3/bias:0"]' \
    "has no values under /model_weights/conv2d_3/conv2d_3/bias:0"
refused 'replace("dense_1/dense_1/kernel:0", data=numpy.zeros((2304, 256), "<f4"))' \
    "is of another network: /model_weights/dense_1/dense_1/kernel:0 is 2304 x 256, expected 2304 x 512"
refused 'replace("dense_2/dense_2/bias:0", data=numpy.float32(0))' \
    "is of another network: /model_weights/dense_2/dense_2/bias:0 is a single value, expected 10"
refused 'replace("dense_2/dense_2/bias:0", dtype="<f8")' \
    "/model_weights/dense_2/dense_2/bias:0 is not of type float32"
refused 'replace("dense_1/dense_1/kernel:0", compression="gzip")' \
    "/model_weights/dense_1/dense_1/kernel:0 is not stored as Keras stores it: in one piece, uncompressed"
refused 'weights["dense_2/dense_2/bias:0"][3] = numpy.nan' \
    "value 4 of 10 of /model_weights/dense_2/dense_2/bias:0 is NaN, which is not a number"
refused 'weights["conv2d_1/conv2d_1/kernel:0"][0, 0, 0, 0] = -numpy.inf' \
    "value 1 of 864 of /model_weights/conv2d_1/conv2d_1/kernel:0 is infinite, which is not a number"
refused 'del f["model_weights"]' 'has no group "model_weights"'
refused 'del f.attrs["model_config"]' 'has no attribute "model_config"'
refused 'f.attrs["model_config"] = 7' 'attribute "model_config" is not a text'
refused 'f.attrs["model_config"] = "{"' "its model_config is not JSON: expected a key in double quotes, found the end of the text"
refused 'f.attrs["model_config"] = "{}"' "its model_config is not that of a Sequential model"
refused 'f.attrs["model_config"] = f.attrs["model_config"].decode().replace("\"relu\"", "\"tanh\"", 1)' \
    'is of another network: "activation" of layer activation_1 is "tanh", expected "relu"'
refused 'weights.attrs["layer_names"] = weights.attrs["layer_names"][:17]' \
    "is of another network: it has 17 layers, expected 18"
refused 'names = weights.attrs["layer_names"]; names[0] = b"dense_9"; weights.attrs["layer_names"] = names' \
    'is of another network: layer "dense_9" where "conv2d_1" is expected'

example "values are taken from the file itself only"
cp "$model" elsewhere.h5
refused 'del weights["dense_2/dense_2/bias:0"]
weights["dense_2/dense_2/bias:0"] = h5py.ExternalLink("elsewhere.h5", "/model_weights/dense_2/dense_2/bias:0")' \
    "has no values under /model_weights/dense_2/dense_2/bias:0"
refused 'replace("dense_2/dense_2/bias:0", data=None, shape=(10,), dtype="<f4", external=[("/dev/zero", 0, 40)])' \
    "/model_weights/dense_2/dense_2/bias:0 is not stored as Keras stores it: in one piece, uncompressed"
refused 'replace("dense_2/dense_2/bias:0", data=None, shape=(10,), dtype="<f4")' \
    "/model_weights/dense_2/dense_2/bias:0 is not stored as Keras stores it: in one piece, uncompressed"

example "Ctrl-C: no predictions, nor a part of them; the exit code is that of the signal"
trainyard make-cifar --images 1000 --force many
env --default-signal=INT "$(dirname "$TRAINYARD")/trainyard-evaluate" --data-dir many --backend ref --predictions early.tsv "$model" >stdout 2>stderr &
child=$!
sleep 0.5
kill -INT "$child"
wait "$child"
status=$?
exit_is 130
holds [ -z "$(find . -name 'early*')" ]

finish
