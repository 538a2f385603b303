#!/usr/bin/env python3
"""The training step of `trainyard bench-training` as a PyTorch user writes it, for comparing speeds.

The network of Keras' cifar10_cnn example, its RMSprop, its augmentation (shifts of up to a tenth of
the side with bilinear sampling, flips), on random bytes. One step is everything from picking the
images of a batch to the updated weights. Prints one JSON object.

    torch_cifar.py [--bench STEPS] [--layout nchw|nhwc] [--amp] [--threads N]
    torch_cifar.py --device cuda [--graph] [--tf32]     with --graph a step is one CUDA graph
    mpirun -n 2 torch_cifar.py --ranks                  gradients summed by gloo
    torch_cifar.py --serve      each line on standard input is further options, each answer a line of JSON:
                                so that two programs can be timed in turn without starting anew

Runs with PyTorch 1.13 (Debian 12: python3-torch) and 2; graphs with 2.
"""
import argparse
import json
import os
import sys
import time


def parser():
    parser = argparse.ArgumentParser(description="Times training steps in PyTorch.")
    parser.add_argument("--bench", type=int, default=100, metavar="STEPS")
    parser.add_argument("--warmup", type=int, default=20, metavar="STEPS")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--layout", choices=["nchw", "nhwc"], default="nhwc")
    parser.add_argument("--amp", action="store_true", help="bfloat16 by autocast")
    parser.add_argument("--tf32", action="store_true", help="products of tensor cores in tf32")
    parser.add_argument("--graph", action="store_true", help="a step as one CUDA graph")
    parser.add_argument("--ranks", action="store_true", help="as one rank of those that mpirun or torchrun started")
    parser.add_argument("--serve", action="store_true", help="further options by line, on standard input")
    return parser


options = parser().parse_args()
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(options.threads)  # before torch reads them

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

SIDE, IMAGES = 32, 50000


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 32, 3)
        self.conv3, self.conv4 = nn.Conv2d(32, 64, 3, padding=1), nn.Conv2d(64, 64, 3)
        self.dense1, self.dense2 = nn.Linear(2304, 512), nn.Linear(512, 10)
        for layer in self.children():
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2)
        x = F.dropout(x, 0.25, self.training)
        x = F.max_pool2d(F.relu(self.conv4(F.relu(self.conv3(x)))), 2)
        x = F.dropout(x, 0.25, self.training)
        x = F.dropout(F.relu(self.dense1(x.flatten(1))), 0.5, self.training)
        return self.dense2(x)


class RmsProp:
    """Keras' arithmetic, over all parameters at once."""

    def __init__(self, parameters, rate, rho=0.9, epsilon=1e-7, decay=1e-6):
        self.parameters = list(parameters)
        self.squares = [torch.zeros_like(p) for p in self.parameters]
        self.rate, self.rho, self.epsilon, self.decay = rate, rho, epsilon, decay
        device = self.parameters[0].device
        # On a GPU the counter is on the device, so that a graph continues with it.
        self.iteration = 0 if device.type == "cpu" else torch.zeros((), device=device)

    @torch.no_grad()
    def step(self):
        gradients = [p.grad for p in self.parameters]
        rate = self.rate / (1 + self.decay * self.iteration)
        self.iteration += 1
        torch._foreach_mul_(self.squares, self.rho)
        torch._foreach_addcmul_(self.squares, gradients, gradients, 1 - self.rho)
        roots = torch._foreach_sqrt(self.squares)
        torch._foreach_add_(roots, self.epsilon)
        if isinstance(rate, float):
            torch._foreach_addcdiv_(self.parameters, gradients, roots, -rate)
        else:
            moves = torch._foreach_div(gradients, roots)
            torch._foreach_mul_(moves, rate)
            torch._foreach_sub_(self.parameters, moves)

    def forget_gradients(self):
        for p in self.parameters:
            p.grad = None


def taps(draw):
    """The two nearest places of each, and the weight of the second, for shifts of a tenth of the side."""
    shift = (draw - 0.5) * (2 * 0.1 * SIDE)
    whole = torch.floor(shift)
    first = torch.arange(SIDE, device=draw.device)[None, :] + whole.long()[:, None]
    return first.clamp(0, SIDE - 1), (first + 1).clamp(0, SIDE - 1), shift - whole


def augment(images):
    """Bytes [n, 3, 32, 32] to floats from 0 to 1, shifted and flipped."""
    n = images.shape[0]
    x = images.float().mul_(1 / 255)
    draws = torch.rand(3, n, device=images.device)
    flips = (draws[2] < 0.5)[:, None]
    upper, lower, down = taps(draws[0])
    left, right, across = taps(draws[1])
    left, right = torch.where(flips, left.flip(1), left), torch.where(flips, right.flip(1), right)
    rows = lambda places: places[:, None, :, None].expand(n, 3, SIDE, SIDE)
    columns = lambda places: places[:, None, None, :].expand(n, 3, SIDE, SIDE)
    weights = lambda share: share[:, None, None, None].expand(n, 3, SIDE, SIDE)
    x = torch.lerp(x.gather(2, rows(upper)), x.gather(2, rows(lower)), weights(down))
    return torch.lerp(x.gather(3, columns(left)), x.gather(3, columns(right)), weights(across))


def mean_gradients(parameters, ranks):
    flat = torch.cat([p.grad.reshape(-1) for p in parameters])
    torch.distributed.all_reduce(flat)
    flat /= ranks
    at = 0
    for p in parameters:
        p.grad.copy_(flat[at:at + p.numel()].view_as(p))
        at += p.numel()


def join_ranks():
    rank = int(os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", 0)))
    ranks = int(os.environ.get("WORLD_SIZE", os.environ.get("OMPI_COMM_WORLD_SIZE", 1)))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29511")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
    return rank, ranks


class Training:
    """One network in one form; `step(i)` trains it on batch i, without waiting for a GPU."""

    def __init__(self, form, ranks):
        self.form, self.ranks, self.device = form, ranks, torch.device(form.device)
        torch.manual_seed(1)
        self.set_torch()
        self.network = Network().train().to(self.device)
        if form.layout == "nhwc":
            self.network = self.network.to(memory_format=torch.channels_last)
        self.optimizer = RmsProp(self.network.parameters(), 1e-4 * ranks)
        self.images = torch.randint(0, 256, (IMAGES, 3, SIDE, SIDE), dtype=torch.uint8).to(self.device)
        self.labels = torch.randint(0, 10, (IMAGES,)).to(self.device)
        self.order = torch.randperm(IMAGES).to(self.device)
        self.picked = self.order[:form.batch].clone()
        self.graph = self.captured() if form.graph else None

    def set_torch(self):
        """What is the same for all that PyTorch does next."""
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.form.tf32
        torch.backends.cudnn.benchmark = True

    def train(self, picked):
        x = augment(self.images[picked])
        if self.form.layout == "nhwc":
            x = x.contiguous(memory_format=torch.channels_last)
        self.optimizer.forget_gradients()
        # A graph must not depend on casts that were made before it.
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.form.amp,
                            cache_enabled=not self.form.graph):
            logits = self.network(x)
        loss = F.cross_entropy(logits.float(), self.labels[picked])
        loss.backward()
        if self.ranks > 1:
            mean_gradients(self.optimizer.parameters, self.ranks)
        self.optimizer.step()
        return loss

    def captured(self):
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(11):  # as many as PyTorch's notes on CUDA graphs want
                self.train(self.picked)
        torch.cuda.current_stream().wait_stream(aside)
        self.optimizer.forget_gradients()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.train(self.picked)
        return graph

    def step(self, i):
        at = i * self.form.batch % (IMAGES - self.form.batch)
        picked = self.order[at:at + self.form.batch]
        if self.graph:
            self.picked.copy_(picked)
            self.graph.replay()
        else:
            self.train(picked)

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def times_ms(self):
        """Of each step; of a GPU the means of parts, between which it is waited for."""
        steps = self.form.bench
        part = max(1, steps // 8) if self.device.type == "cuda" else 1
        times, i = [], 0
        self.set_torch()
        for _ in range(self.form.warmup):
            self.step(i)
            i += 1
        self.wait()
        for first in range(0, steps, part):
            count = min(part, steps - first)
            begin = time.perf_counter()
            for _ in range(count):
                self.step(i)
                i += 1
            self.wait()
            times += [1e3 * (time.perf_counter() - begin) / count] * count
        return times

    def answer(self):
        form, times = self.form, sorted(self.times_ms())
        mean = sum(times) / len(times)
        return {
            "peer": "torch", "version": torch.__version__, "ranks": self.ranks, "threads": options.threads,
            "device": torch.cuda.get_device_name() if form.device == "cuda" else "cpu",
            "layout": form.layout, "precision": "bf16" if form.amp else "tf32" if form.tf32 else "fp32",
            "graph": form.graph, "batch_size": form.batch,
            "images_per_s": round(self.ranks * form.batch * 1e3 / mean, 1),
            "step_ms": {"min": round(times[0], 4), "median": round(times[len(times) // 2], 4), "mean": round(mean, 4)},
        }


def serve():
    trainings = {}
    for line in sys.stdin:
        form = parser().parse_args(line.split())
        key = tuple(sorted((name, value) for name, value in vars(form).items() if name not in ("bench", "warmup")))
        try:
            if key not in trainings:
                trainings[key] = Training(form, 1)
            trainings[key].form = form
            answer = trainings[key].answer()
        except Exception as error:  # of this form; others may work
            answer = {"peer": "torch", "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def main():
    torch.set_num_threads(options.threads)
    if options.serve:
        return serve()
    rank, ranks = join_ranks() if options.ranks else (0, 1)
    answer = Training(options, ranks).answer()
    if rank == 0:
        print(json.dumps(answer))


if __name__ == "__main__":
    sys.exit(main())
