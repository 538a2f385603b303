#!/usr/bin/env python3
"""Wrote the seeds of fuzz_cifar_pickle and fuzz_cifar_binary: the same two images as a binary file and as Python 3 pickles
the published dict. Python 3.11 and numpy 1.24 made those that are here; cifar_pickle/published comes from
tests/trainer/data/test_cifar_pickle.c, cifar_pickle/made from `trainyard make-cifar --encoding pickle --images 2`."""
import os
import pickle

import numpy

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds"))

labels = [3, 9]
data = numpy.array([[(13 * i + 101 * j + i // 256) % 256 for i in range(3072)] for j in range(2)], dtype=numpy.uint8)

with open("cifar_binary/two_images", "wb") as file:
    for label, image in zip(labels, data):
        file.write(bytes([label]) + image.tobytes())

names = ["leptodactylus_s_000004.png", "camion_s_000148.png"]
text_keys = {"batch_label": "training batch 1 of 5", "labels": labels, "data": data, "filenames": names}
bytes_keys = {key.encode(): value for key, value in text_keys.items()}
for protocol in range(2, 6):
    for kind, batch in (("text", text_keys), ("bytes", bytes_keys)):
        with open(f"cifar_pickle/protocol_{protocol}_{kind}", "wb") as file:
            pickle.dump(batch, file, protocol=protocol)

# What must be refused.
class Runs:
    def __reduce__(self):
        return (print, ("run",))

few = data[:, :8]
refused = {
    "protocol_0": (text_keys, 0),
    "runs_print": ({"labels": labels, "data": Runs()}, 2),
    "float": ({"labels": labels, "data": few.astype(numpy.float32)}, 2),
    "by_columns": ({"labels": labels, "data": numpy.asfortranarray(few)}, 2),
    "array_labels": ({"labels": numpy.array(labels), "data": data}, 4),
    "no_labels": ({"fine_labels": labels, "data": data}, 3),
}
for name, (value, protocol) in refused.items():
    with open(f"cifar_pickle/refused_{name}", "wb") as file:
        pickle.dump(value, file, protocol=protocol)
