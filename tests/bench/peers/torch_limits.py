#!/usr/bin/env python3
"""What a GPU can do at best, measured through PyTorch, which shares of it can be taken of.

Products of large square matrices in each precision, a copy within the GPU's memory (bytes read and
written), and a chain of empty kernels in a CUDA graph, each of which waits for the one before.
Prints one JSON object.
"""
import json
import sys
import time

import torch

ROUNDS, KERNELS = 5, 200


def best_s(work, times):
    """The shortest of some rounds, of one time among `times`."""
    work()
    shortest = float("inf")
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            work()
        torch.cuda.synchronize()
        shortest = min(shortest, (time.perf_counter() - begin) / times)
    return shortest


def product_tflops(precision, side=8192):
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    kind = torch.bfloat16 if precision == "bf16" else torch.float32
    a, b = (torch.randn(side, side, device="cuda").to(kind) for _ in range(2))
    return 2 * side ** 3 / best_s(lambda: torch.mm(a, b), 3 if precision == "fp32" else 10) / 1e12


def copy_gb_per_s(size=1 << 30):
    a, b = (torch.empty(size, dtype=torch.uint8, device="cuda") for _ in range(2))
    return 2 * size / best_s(lambda: b.copy_(a), 10) / 1e9


def kernel_us():
    x = torch.zeros((), device="cuda")
    aside = torch.cuda.Stream()
    with torch.cuda.stream(aside):
        x.add_(1)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(KERNELS):
            x.add_(1)
    return best_s(graph.replay, 50) / KERNELS * 1e6


def main():
    print(json.dumps({
        "device": torch.cuda.get_device_name(),
        "product_tflops": {each: round(product_tflops(each), 2) for each in ("fp32", "tf32", "bf16")},
        "copy_gb_per_s": round(copy_gb_per_s(), 1),
        "kernel_us": round(kernel_us(), 3),
    }))


if __name__ == "__main__":
    sys.exit(main())
