#!/usr/bin/env python3
"""The training step of `trainyard bench-training` as a PyTorch user writes it, for comparing speeds.

The network of Keras' cifar10_cnn example, its RMSprop, its augmentation (shifts of up to a tenth of
the side with bilinear sampling, flips), on random bytes. One step is everything from picking the
images of a batch to the updated weights. Prints one JSON object.

    torch_cifar.py [--bench STEPS] [--layout nchw|nhwc] [--amp] [--threads N]
    mpirun -n 2 torch_cifar.py --ranks     gradients summed by gloo

Runs with PyTorch 1.13 (Debian 12: python3-torch) and 2.
"""
import argparse
import json
import os
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description="Times training steps in PyTorch.")
    parser.add_argument("--bench", type=int, default=100, metavar="STEPS")
    parser.add_argument("--warmup", type=int, default=20, metavar="STEPS")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--layout", choices=["nchw", "nhwc"], default="nhwc")
    parser.add_argument("--amp", action="store_true", help="bfloat16 by autocast")
    parser.add_argument("--ranks", action="store_true", help="as one rank of those that mpirun or torchrun started")
    return parser.parse_args()


options = arguments()
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
        self.rate, self.rho, self.epsilon, self.decay, self.iteration = rate, rho, epsilon, decay, 0

    @torch.no_grad()
    def step(self):
        gradients = [p.grad for p in self.parameters]
        rate = self.rate / (1 + self.decay * self.iteration)
        self.iteration += 1
        torch._foreach_mul_(self.squares, self.rho)
        torch._foreach_addcmul_(self.squares, gradients, gradients, 1 - self.rho)
        roots = torch._foreach_sqrt(self.squares)
        torch._foreach_add_(roots, self.epsilon)
        torch._foreach_addcdiv_(self.parameters, gradients, roots, -rate)

    def forget_gradients(self):
        for p in self.parameters:
            p.grad = None


PLACES = torch.arange(SIDE)


def taps(draw):
    """The two nearest places of each, and the weight of the second, for shifts of a tenth of the side."""
    shift = (draw - 0.5) * (2 * 0.1 * SIDE)
    whole = torch.floor(shift)
    first = PLACES[None, :] + whole.long()[:, None]
    return first.clamp(0, SIDE - 1), (first + 1).clamp(0, SIDE - 1), shift - whole


def augment(images):
    """Bytes [n, 3, 32, 32] to floats from 0 to 1, shifted and flipped."""
    n = images.shape[0]
    x = images.float().mul_(1 / 255)
    draws = torch.rand(3, n)
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


def main():
    torch.set_num_threads(options.threads)
    rank, ranks = join_ranks() if options.ranks else (0, 1)
    torch.manual_seed(1)
    network = Network().train()
    if options.layout == "nhwc":
        network = network.to(memory_format=torch.channels_last)
    optimizer = RmsProp(network.parameters(), 1e-4 * ranks)
    images = torch.randint(0, 256, (IMAGES, 3, SIDE, SIDE), dtype=torch.uint8)
    labels = torch.randint(0, 10, (IMAGES,))
    order = torch.randperm(IMAGES)

    def step(i):
        at = i * options.batch % (IMAGES - options.batch)
        picked = order[at:at + options.batch]
        x = augment(images[picked])
        if options.layout == "nhwc":
            x = x.contiguous(memory_format=torch.channels_last)
        optimizer.forget_gradients()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.amp):
            logits = network(x)
        loss = F.cross_entropy(logits.float(), labels[picked])
        loss.backward()
        if ranks > 1:
            mean_gradients(optimizer.parameters, ranks)
        optimizer.step()
        return loss.item()

    times = []
    for i in range(options.warmup + options.bench):
        begin = time.perf_counter()
        step(i)
        times.append(1e3 * (time.perf_counter() - begin))
    times = sorted(times[options.warmup:])
    if rank == 0:
        mean = sum(times) / len(times)
        print(json.dumps({
            "peer": "torch", "version": torch.__version__, "ranks": ranks, "threads": options.threads,
            "layout": options.layout, "precision": "bf16" if options.amp else "fp32",
            "images_per_s": round(ranks * options.batch * 1e3 / mean, 1),
            "step_ms": {"min": round(times[0], 3), "median": round(times[len(times) // 2], 3), "mean": round(mean, 3)},
        }))


if __name__ == "__main__":
    sys.exit(main())
