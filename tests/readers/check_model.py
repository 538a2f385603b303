"""Reads a checkpoint as Keras' load_model does, by h5py: check_model.py MODEL (of write_model).

Keras 2.2 and 2.3 call .decode('utf8') on every string (keras/engine/saving.py), which works with fixed-length ones only:
those of variable length come back from h5py 3 as str. Exits with an AssertionError at the first difference.
"""
import json
import sys

import h5py
import numpy

LAYERS = """conv2d_1 activation_1 conv2d_2 activation_2 max_pooling2d_1 dropout_1 conv2d_3 activation_3 conv2d_4 activation_4
max_pooling2d_2 dropout_2 flatten_1 dense_1 activation_5 dropout_3 dense_2 activation_6""".split()
SHAPES = {"conv2d_1": (3, 3, 3, 32), "conv2d_2": (3, 3, 32, 32), "conv2d_3": (3, 3, 32, 64), "conv2d_4": (3, 3, 64, 64),
          "dense_1": (2304, 512), "dense_2": (512, 10)}


def text(value):
    return value.decode("utf8")


def check_strings(name, item):
    for attribute, value in item.attrs.items():
        kind = h5py.check_string_dtype(item.attrs.get_id(attribute).dtype)
        assert kind is None or kind.length, f"{name or '/'}: {attribute} has variable length"
        assert isinstance(value, (numpy.bytes_, numpy.ndarray, numpy.int64)), (name, attribute, type(value))


def check_configs(file):
    config = json.loads(text(file.attrs["model_config"]))
    assert config["class_name"] == "Sequential"
    assert [layer["config"]["name"] for layer in config["config"]["layers"]] == LAYERS
    assert config["config"]["layers"][0]["config"]["batch_input_shape"] == [None, 32, 32, 3]
    training = json.loads(text(file.attrs["training_config"]))
    assert training["optimizer_config"] == {
        "class_name": "RMSprop", "config": {"lr": 0.00025, "rho": 0.9, "decay": 1e-6, "epsilon": 1e-7}}
    assert training["loss"] == "categorical_crossentropy" and training["metrics"] == ["accuracy"]
    assert training["sample_weight_mode"] is None and training["loss_weights"] is None


def read_weights(file):
    """In the order in which Keras hands them to set_weights."""
    weights = []
    group = file["model_weights"]
    assert [text(name) for name in group.attrs["layer_names"]] == LAYERS
    for layer in LAYERS:
        names = [text(name) for name in group[layer].attrs["weight_names"]]
        assert names == ([f"{layer}/kernel:0", f"{layer}/bias:0"] if layer in SHAPES else []), layer
        tensors = [group[layer][name] for name in names]
        if tensors:
            assert tensors[0].shape == SHAPES[layer] and tensors[1].shape == SHAPES[layer][-1:]
        weights += tensors
    assert sum(weight.size for weight in weights) == 1250858
    return weights


def check_optimizer(file, weights):
    group = file["optimizer_weights"]
    variables = [group[text(name)] for name in group.attrs["weight_names"]]
    assert len(variables) == 1 + len(weights) == 13
    assert variables[0].dtype == "<i8" and variables[0].shape == () and variables[0][()] == 3126
    for variable, weight in zip(variables[1:], weights):
        assert variable.dtype == "<f4" and variable.shape == weight.shape
        assert numpy.array_equal(variable[...], weight[...] * weight[...]), variable.name


def check_state(file):
    expected = {"checkpoint": 1, "network": b"keras_cifar10_cnn", "seed": 7, "ranks": 4, "batch_size": 32, "epoch": 2,
                "iteration": 3126, "train_images": 50000, "augmented": 1, "backend": b"ref", "precision": b"fp32"}
    for name, value in expected.items():
        assert file.attrs["trainyard_" + name] == value, name


def main():
    with h5py.File(sys.argv[1], "r") as file:
        for name in ("keras_version", "backend"):
            value = {"keras_version": "2.3.1", "backend": "tensorflow"}[name]
            assert text(file.attrs[name]) == value and text(file["model_weights"].attrs[name]) == value
        check_strings("", file)
        file.visititems(check_strings)
        check_configs(file)
        weights = read_weights(file)
        for weight in weights:
            assert weight.dtype == "<f4" and weight.chunks is None and numpy.isfinite(weight[...]).all()
            assert weight[...].any(), f"{weight.name} is all zero"
        check_optimizer(file, weights)
        check_state(file)
    print(f"{sys.argv[1]}: {len(weights)} tensors as Keras reads them")


main()
