#!/usr/bin/env python3
"""Prints scenarios/catalog/networks.json: the layers of every network in the catalogue.

    tools/networks.py > scenarios/catalog/networks.json

A network is a function that adds its layers in the order of the forward pass. Shapes, multiply-adds, activations and tensors are
computed. sim/cloud/spec/catalog.h defines the layers of the catalogue. tests/cli/test_networks.sh compares the file with this program's
output, tests/sim/scenario/catalog/test_networks.c with published totals.
"""
import argparse
import json

SOURCES = {
    "keras": ("keras-team/keras examples/cifar10_cnn.py and mnist_cnn.py", "2018"),
    "trainyard": ("sim/formats/keras_network.c: cifar10_cnn.py two layers deeper, for judging predictions", "2026"),
    "tf-models": ("tensorflow/models tutorials/image/mnist/convolutional.py", "2018"),
    "horovod-mnist": ("uber/horovod examples/tensorflow_mnist.py, as in the recipe of Azure/BatchAI", "2018"),
    "cntk": ("Microsoft/CNTK Examples/Image/Classification/ConvNet/Python/ConvNet_MNIST.py", "2018"),
    "resnet": ("He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, arXiv:1512.03385; strides and "
               "tensors as in tensorflow/benchmarks tf_cnn_benchmarks models/resnet_model.py", "2015"),
    "resnet-v2": ("He, Zhang, Ren and Sun, Identity Mappings in Deep Residual Networks, arXiv:1603.05027; strides and "
                  "tensors as in tensorflow/benchmarks tf_cnn_benchmarks models/resnet_model.py", "2016"),
    "resnet-1k": ("He, Zhang, Ren and Sun, Identity Mappings in Deep Residual Networks, arXiv:1603.05027; "
                  "KaimingHe/resnet-1k-layers resnet-pre-act.lua", "2016"),
    "kuangliu": ("kuangliu/pytorch-cifar models/resnet.py", "2017"),
    "inception": ("Szegedy, Vanhoucke, Ioffe, Shlens and Wojna, Rethinking the Inception Architecture for Computer "
                  "Vision, arXiv:1512.00567; as in tensorflow/benchmarks tf_cnn_benchmarks models/inception_model.py",
                  "2015"),
    "vgg": ("Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, "
            "arXiv:1409.1556, configuration D", "2014"),
    "alexnet": ("Krizhevsky, One weird trick for parallelizing convolutional neural networks, arXiv:1404.5997; widths as "
                "in tensorflow/benchmarks tf_cnn_benchmarks models/alexnet_model.py", "2014"),
    "mobilenet": ("Sandler, Howard, Zhu, Zhmoginov and Chen, MobileNetV2: Inverted Residuals and Linear Bottlenecks, "
                  "arXiv:1801.04381, table 2", "2018"),
}


class Flow:
    """The output of a layer: channels, height and width of one sample."""

    def __init__(self, channels, height, width):
        self.channels, self.height, self.width = channels, height, width

    @property
    def values(self):
        return self.channels * self.height * self.width

    def __str__(self):
        return f"{self.channels}x{self.height}x{self.width}"


class Network:
    """A list of layers. The member `at` is the last output; a method with an argument `at` takes its input from there instead."""

    # The names of layers, which a number follows.
    NAMES = {"convolution": "conv", "depthwise": "depthwise", "dense": "dense", "pooling": "pool",
             "normalization": "norm", "activation": "relu", "dropout": "dropout", "addition": "add",
             "concatenation": "concat", "softmax": "softmax"}
    # Keras counts each kind from 1, too.
    KERAS_NAMES = {**NAMES, "convolution": "conv2d_", "dense": "dense_", "pooling": "max_pooling2d_",
                   "activation": "activation_", "dropout": "dropout_", "softmax": "activation_"}

    def __init__(self, channels, side, names=None):
        self.at = Flow(channels, side, side)
        self.names = names or self.NAMES
        self.counts = {}
        self.layers = []

    def _add(self, kind, shape, out, macs=0, tensors=(), inputs=None, name=None):
        if name is None:
            stem = self.names[kind]
            self.counts[stem] = self.counts.get(stem, 0) + 1
            name = stem if kind == "softmax" and stem == "softmax" else f"{stem}{self.counts[stem]}"
        inputs = self.at.values if inputs is None else inputs
        layer = f"{name} {kind} {shape}, in {inputs}, out {out.values}"
        if macs:
            layer += f", macs {macs}"
        if tensors:
            layer += f", tensors {' '.join(map(str, tensors))}"
        self.layers.append(layer)
        self.at = out
        return out

    def _slide(self, kernel, stride, padding):
        """Height and width after sliding a window over the input. "same" divides the side by the stride and rounds up."""
        sides = []
        for side, length in zip((self.at.height, self.at.width), kernel):
            sides.append((side + stride - 1) // stride if padding == "same" else (side - length) // stride + 1)
        return sides

    def _window(self, kernel, stride, out):
        return f"{kernel[0]}x{kernel[1]}/{stride} {self.at.channels}>{out.channels} {out.height}x{out.width}"

    def convolution(self, filters, kernel, stride=1, padding="same", bias=False, at=None):
        self.at = at or self.at
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        weights = kernel[0] * kernel[1] * self.at.channels * filters
        out = Flow(filters, *self._slide(kernel, stride, padding))
        # The gradient of the bias is first: it is a sum over the incoming gradient, and that of the
        # weights takes longer.
        return self._add("convolution", self._window(kernel, stride, out), out, weights * out.height * out.width,
                         [filters, weights] if bias else [weights])

    def depthwise(self, side, stride):
        weights = side * side * self.at.channels
        out = Flow(self.at.channels, *self._slide((side, side), stride, "same"))
        return self._add("depthwise", self._window((side, side), stride, out), out, weights * out.height * out.width,
                         [weights])

    def dense(self, units):
        values = self.at.values
        return self._add("dense", f"{values}>{units}", Flow(units, 1, 1), values * units, [units, values * units])

    def pooling(self, side, stride, padding="valid", at=None):
        self.at = at or self.at
        out = Flow(self.at.channels, *self._slide((side, side), stride, padding))
        return self._add("pooling", self._window((side, side), stride, out), out)

    def mean(self):
        """Takes the mean of each channel."""
        out = Flow(self.at.channels, 1, 1)
        return self._add("pooling", self._window((self.at.height, self.at.width), 1, out), out)

    def normalization(self, gamma=True, at=None):
        self.at = at or self.at
        channels = self.at.channels
        return self._add("normalization", str(self.at), self.at, tensors=[channels, channels] if gamma else [channels])

    def activation(self, name=None):
        return self._add("activation", str(self.at), self.at, name=name)

    def dropout(self):
        return self._add("dropout", str(self.at), self.at)

    def softmax(self, name=None):
        return self._add("softmax", str(self.at), self.at, name=name)

    def addition(self, branch):
        return self._add("addition", str(self.at), self.at, inputs=self.at.values + branch.values)

    def concatenation(self, branches):
        out = Flow(sum(branch.channels for branch in branches), self.at.height, self.at.width)
        return self._add("concatenation", str(out), out, inputs=out.values)

    # Layers that usually occur together.

    def conv_relu(self, filters, kernel, stride=1, padding="same"):
        self.convolution(filters, kernel, stride, padding, bias=True)
        return self.activation()

    def conv_norm(self, filters, kernel, stride=1, padding="same", gamma=True, at=None):
        self.convolution(filters, kernel, stride, padding, at=at)
        return self.normalization(gamma)

    def conv_norm_relu(self, filters, kernel, stride=1, padding="same", gamma=True, at=None):
        self.conv_norm(filters, kernel, stride, padding, gamma, at)
        return self.activation()

    def norm_relu(self, gamma=True):
        self.normalization(gamma)
        return self.activation()

    def classify(self, classes):
        self.dense(classes)
        return self.softmax()


# --- CIFAR-10 and MNIST ---


def keras_cifar10_cnn():
    net = Network(3, 32, Network.KERAS_NAMES)
    for filters in 32, 64:
        net.conv_relu(filters, 3)
        net.conv_relu(filters, 3, padding="valid")
        net.pooling(2, 2)
        net.dropout()
    net.dense(512)
    net.activation()
    net.dropout()
    net.classify(10)
    return net


def keras_cifar10_cnn_deep():
    net = Network(3, 32, Network.KERAS_NAMES)
    for filters in 32, 64, 128:
        net.conv_relu(filters, 3)
        net.conv_relu(filters, 3)
        net.pooling(2, 2)
        net.dropout()
    net.dense(512)
    net.activation()
    net.dropout()
    net.classify(10)
    return net


def keras_mnist_cnn():
    # Activations are part of Keras' layers and do not have separate names.
    net = Network(1, 28, Network.KERAS_NAMES)
    for number, filters in enumerate((32, 64), start=1):
        net.convolution(filters, 3, padding="valid", bias=True)
        net.activation(f"conv2d_{number}/relu")
    net.pooling(2, 2)
    net.dropout()
    net.dense(128)
    net.activation("dense_1/relu")
    net.dropout()
    net.dense(10)
    net.softmax("dense_2/softmax")
    return net


def two_fives(units):
    """Two convolutions of 5 x 5 with pooling, and two dense layers."""
    net = Network(1, 28)
    for filters in 32, 64:
        net.conv_relu(filters, 5)
        net.pooling(2, 2)
    net.dense(units)
    net.activation()
    net.dropout()
    net.classify(10)
    return net


def cntk_mnist_convnet():
    net = Network(1, 28)
    net.conv_relu(32, 5)
    net.pooling(3, 2)
    net.conv_relu(48, 3, padding="valid")
    net.pooling(3, 2)
    net.conv_relu(64, 3, padding="valid")
    net.dense(96)
    net.activation()
    net.dropout()
    net.classify(10)
    return net


def resnet18_cifar():
    net = Network(3, 32)
    net.conv_norm_relu(64, 3)
    for filters, first_stride in (64, 1), (128, 2), (256, 2), (512, 2):
        for stride in first_stride, 1:
            shortcut = net.at
            net.conv_norm_relu(filters, 3, stride)
            out = net.conv_norm(filters, 3)
            if stride != 1:
                shortcut = net.conv_norm(filters, 1, stride, at=shortcut)
                net.at = out
            net.addition(shortcut)
            net.activation()
    net.mean()
    net.classify(10)
    return net


def resnet164_cifar():
    """Blocks of 1 x 1, 3 x 3 and 1 x 1, each after normalisation and activation; 18 at each of three sides."""
    net = Network(3, 32)
    net.convolution(16, 3)
    for width, first_stride in (16, 1), (32, 2), (64, 2):
        for block in range(18):
            stride = first_stride if block == 0 else 1
            shortcut = net.at
            preact = net.norm_relu()
            net.convolution(width, 1, stride)
            net.norm_relu()
            net.convolution(width, 3)
            net.norm_relu()
            out = net.convolution(4 * width, 1)
            if block == 0:
                shortcut = net.convolution(4 * width, 1, stride, at=preact)
                net.at = out
            net.addition(shortcut)
    net.norm_relu()
    net.mean()
    net.classify(10)
    return net


# --- ImageNet ---

STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))  # width of the bottleneck, stride of the first block


def resnet(blocks):
    """Version 1: the stride is that of a block's first convolution, of 1 x 1."""
    net = Network(3, 224)
    net.conv_norm_relu(64, 7, 2)
    net.pooling(3, 2, "same")
    for count, (width, first_stride) in zip(blocks, STAGES):
        for block in range(count):
            stride = first_stride if block == 0 else 1
            before = net.at
            shortcut = net.conv_norm(4 * width, 1, stride) if block == 0 else before
            net.conv_norm_relu(width, 1, stride, at=before)
            net.conv_norm_relu(width, 3)
            net.conv_norm(4 * width, 1)
            net.addition(shortcut)
            net.activation()
    net.mean()
    net.classify(1000)
    return net


def resnet_v2(blocks):
    """Version 2. The normalisations before a block and after the last one have no gamma, as in the script."""
    net = Network(3, 224)
    net.conv_norm_relu(64, 7, 2)
    net.pooling(3, 2, "same")
    for count, (width, first_stride) in zip(blocks, STAGES):
        for block in range(count):
            stride = first_stride if block == 0 else 1
            shortcut = net.at
            preact = net.norm_relu(gamma=False)
            if block == 0:
                shortcut = net.convolution(4 * width, 1, stride)
            net.conv_norm_relu(width, 1, stride, at=preact)
            net.conv_norm_relu(width, 3)
            net.convolution(4 * width, 1)
            net.addition(shortcut)
    net.norm_relu(gamma=False)
    net.mean()
    net.classify(1000)
    return net


def inception3():
    """The normalisations have no gamma, because the next convolution could undo it."""
    net = Network(3, 299)

    def conv(filters, kernel, stride=1, padding="same", at=None):
        return net.conv_norm_relu(filters, kernel, stride, padding, gamma=False, at=at)

    def towers(*columns):
        """All columns have the same input; their layers are (filters, kernel[, stride, padding]) or ("pool", stride)."""
        start, ends = net.at, []
        for column in columns:
            net.at = start
            for layer in column:
                if layer[0] == "pool":
                    net.pooling(3, layer[1], "same" if layer[1] == 1 else "valid")
                else:
                    conv(*layer)
            ends.append(net.at)
        net.concatenation(ends)

    conv(32, 3, 2, "valid")
    conv(32, 3, 1, "valid")
    conv(64, 3)
    net.pooling(3, 2)
    conv(80, 1)
    conv(192, 3, 1, "valid")
    net.pooling(3, 2)
    for n in 32, 64, 64:
        towers([(64, 1)], [(48, 1), (64, 5)], [(64, 1), (96, 3), (96, 3)], [("pool", 1), (n, 1)])
    towers([(384, 3, 2, "valid")], [(64, 1), (96, 3), (96, 3, 2, "valid")], [("pool", 2)])
    for n in 128, 160, 160, 192:
        towers([(192, 1)], [(n, 1), (n, (1, 7)), (192, (7, 1))],
               [(n, 1), (n, (7, 1)), (n, (1, 7)), (n, (7, 1)), (192, (1, 7))], [("pool", 1), (192, 1)])
    towers([(192, 1), (320, 3, 2, "valid")], [(192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2, "valid")],
           [("pool", 2)])
    for _ in range(2):
        start = net.at
        ends = [conv(320, 1)]
        fork = conv(384, 1, at=start)
        ends += [conv(384, (1, 3)), conv(384, (3, 1), at=fork)]
        conv(448, 1, at=start)
        fork = conv(384, 3)
        ends += [conv(384, (1, 3)), conv(384, (3, 1), at=fork)]
        net.pooling(3, 1, "same", at=start)
        ends.append(conv(192, 1))
        net.concatenation(ends)
    net.mean()
    net.classify(1000)
    return net


def vgg16():
    net = Network(3, 224)
    for count, filters in (2, 64), (2, 128), (3, 256), (3, 512), (3, 512):
        for _ in range(count):
            net.conv_relu(filters, 3)
        net.pooling(2, 2)
    for _ in range(2):
        net.dense(4096)
        net.activation()
        net.dropout()
    net.classify(1000)
    return net


def alexnet():
    net = Network(3, 227)  # 224 with a border
    net.conv_relu(64, 11, 4, "valid")
    net.pooling(3, 2)
    net.conv_relu(192, 5)
    net.pooling(3, 2)
    for filters in 384, 384, 256:
        net.conv_relu(filters, 3)
    net.pooling(3, 2)
    for _ in range(2):
        net.dense(4096)
        net.activation()
        net.dropout()
    net.classify(1000)
    return net


def mobilenetv2():
    net = Network(3, 224)
    net.conv_norm_relu(32, 3, 2)
    for expansion, filters, count, first_stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                    (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(count):
            stride = first_stride if block == 0 else 1
            before = net.at
            if expansion != 1:
                net.conv_norm_relu(expansion * before.channels, 1)
            net.depthwise(3, stride)
            net.norm_relu()
            net.conv_norm(filters, 1)
            if stride == 1 and before.channels == filters:
                net.addition(before)
    net.conv_norm_relu(1280, 1)
    net.mean()
    net.dropout()
    net.classify(1000)
    return net


NETWORKS = (
    ("keras_cifar10_cnn", keras_cifar10_cnn(), "keras", "cifar10_cnn.py"),
    ("keras_cifar10_cnn_deep", keras_cifar10_cnn_deep(), "trainyard", ""),
    ("keras_mnist_cnn", keras_mnist_cnn(), "keras", "mnist_cnn.py"),
    ("mnist_cnn", keras_mnist_cnn(), "keras", "keras_mnist_cnn under the name of its script"),
    ("tf_mnist_lenet", two_fives(512), "tf-models", ""),
    ("horovod_tensorflow_mnist", two_fives(1024), "horovod-mnist", ""),
    ("cntk_mnist_convnet", cntk_mnist_convnet(), "cntk", ""),
    ("resnet18_cifar", resnet18_cifar(), "kuangliu", ""),
    ("resnet164_cifar", resnet164_cifar(), "resnet-1k", ""),
    ("resnet50", resnet((3, 4, 6, 3)), "resnet", ""),
    ("resnet101", resnet((3, 4, 23, 3)), "resnet", ""),
    ("resnet152", resnet((3, 8, 36, 3)), "resnet", ""),
    ("resnet50_v2", resnet_v2((3, 4, 6, 3)), "resnet-v2", ""),
    ("resnet101_v2", resnet_v2((3, 4, 23, 3)), "resnet-v2", ""),
    ("inception3", inception3(), "inception", "without the auxiliary classifier"),
    ("vgg16", vgg16(), "vgg", ""),
    ("alexnet", alexnet(), "alexnet", ""),
    ("mobilenetv2", mobilenetv2(), "mobilenet", "width 1.0"),
)


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    text = json.dumps
    lines = ["{", '  "catalog": 1,',
             '  "description": "Networks as lists of their layers. Made by tools/networks.py: change that.",',
             '  "sources": {']
    lines.append(",\n".join(f"    {text(name)}: {text({'title': title, 'date': date})}"
                            for name, (title, date) in SOURCES.items()))
    lines += ["  },", '  "networks": {']
    entries = []
    for name, net, source, note in NETWORKS:
        note = f' "note": {text(note)},' if note else ""
        layers = ",\n".join(f"        {text(layer)}" for layer in net.layers)
        entries.append(f'    {text(name)}: {{\n      "layers": {{"source": {text(source)},{note} "value": [\n'
                       f"{layers}\n      ]}}\n    }}")
    lines.append(",\n".join(entries))
    lines += ["  }", "}"]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
