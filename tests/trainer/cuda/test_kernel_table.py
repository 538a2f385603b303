#!/usr/bin/env python3
"""The table of tools/kernel_table.py: what it prints, and its bytes against those that an H200 read by NVIDIA's profiler.

    test_kernel_table.py PROGRAM      PROGRAM: tests/trainer/cuda/emulation/kernel_table
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOL = os.path.join(ROOT, "tools/kernel_table.py")

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("kernel_table", TOOL)
table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(table)


def check(condition, message):
    if not condition:
        sys.exit(f"test_kernel_table: {message}")


def check_bytes(program, precision):
    """Counted bytes are at most 5 % + 0.1 MB above the profile's reads of kernels with the same name and grid, and at most 10 % + 0.1 MB
    below."""
    with open(os.path.join(ROOT, "reports/measured/gpu-h200.json"), encoding="utf-8") as file:
        seen = {(row["kernel"], row["blocks"]): row["read_bytes"] for row in json.load(file)["kernels"][precision]}
    compared = 0
    for kernel in table.read_graph(program, precision, 32):
        measured = seen.get((kernel["name"], kernel["grid"]))
        if measured is None:
            continue
        compared += 1
        check(measured - 1e5 <= 1.1 * kernel["read"] and kernel["read"] <= 1.05 * measured + 1e5,
              f"{precision} {kernel['name']} {kernel['grid']} reads {kernel['read']} bytes; the H200 read {measured:.0f}")
    check(compared >= 12, f"{precision}: {compared} kernels are those of the profile")
    check(len(table.read_graph(program, precision, 32)) <= 20, f"{precision}: a step has more than 20 kernels")


def check_text(program):
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([sys.executable, TOOL, program, folder, "32"], capture_output=True, text=True, check=False)
        check(ran.returncode == 0, ran.stderr)
        lines = ran.stdout.splitlines()
        check(lines[0].startswith("Counted, not measured"), "the first line does not say that nothing was measured")
        gpus = table.read_gpus()
        for name in gpus:
            check(any(line.startswith(name + " ") for line in lines), f"{name} is missing")
        wrong = subprocess.run([sys.executable, TOOL, program, folder, "32", "Z80"], capture_output=True, text=True, check=False)
        check(wrong.returncode == 1 and 'unknown GPU "Z80"' in wrong.stderr, "an unknown GPU is not refused")


def check_estimate():
    """A kernel on paper: 4 blocks of 128 threads on 2 multiprocessors of 64 lanes at 1 GHz, 256 GFLOP/s together."""
    gpu = {"sm": 70, "processors": 2, "lanes": 64, "fp32": 256e9, "bf16": 1e12, "clock": 1e9, "memory_rate": 100e9,
           "warps": 64, "blocks": 32, "registers": 65536, "shared_kib": 96, "shared_reserved_kib": 0}
    kernel = {"threads": 128, "blocks": 4, "block": 64000, "tiles": 256000, "read": 0, "written": 0, "is_product": 1}
    used = {"registers": 128, "shared": 40000}
    check(table.resident_blocks(gpu, kernel, used) == (2, "shared"), "2 blocks of 40,000 bytes fit in 96 KiB")
    check(table.estimate(gpu, "fp32", kernel, used)[0] == 1.0, "2 blocks of 64,000 operations at 128 GFLOP/s take 1 us")
    kernel["read"] = 200000
    check(table.estimate(gpu, "fp32", kernel, used)[0] == 2.0, "200,000 bytes at 100 GB/s take 2 us")
    kernel.update(blocks=1, tiles=64000, threads=64, read=0)
    check(table.estimate(gpu, "fp32", kernel, used)[0] == 1.0, "2 warps keep half of the schedulers busy")


def main():
    check_estimate()
    check_text(sys.argv[1])
    for precision in ("fp32", "bf16"):
        check_bytes(sys.argv[1], precision)


if __name__ == "__main__":
    main()
