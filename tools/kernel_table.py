#!/usr/bin/env python3
"""Prints the kernels of a training step, with times that are counted and not measured (tools/kernel_table.sh).

    kernel_table.py PROGRAM RESOURCES IMAGES GPU...

PROGRAM is tests/trainer/cuda/emulation/kernel_table, RESOURCES a folder with ptxas' reports (SM.txt). For each kernel:

    time      = max(bytes / rate of memory, operations of the busiest multiprocessor / its rate)
    rate of memory       the GPU's, at most 64 bytes a clock of each multiprocessor in use (its link to L2)
    busiest              has ceil(blocks / multiprocessors) blocks of the largest block's operations, whole tiles included
    its rate             fp32, or tensor cores; less if fewer warps are resident than its four schedulers

A kernel begins GAP_US after the last one that it waits for. The path is the longest chain of such kernels and gaps. Kernels of two
branches share a GPU, so a step also takes at least the sum of all kernels' use of the multiprocessors ("work").
"""
import csv
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GAP_US = 1.01  # an empty kernel of a graph on an H100: reports/measured/gpu-h100.md; assumed for every GPU
SCHEDULERS = 4
LINK_BYTES = 64
SHOWN = ("fp32", "bf16")


def rate(text, unit):
    """A rate of the catalogue, such as "4.37Tflop/s" or "240GB/s"."""
    number, prefix = re.fullmatch(r"([0-9.]+)([GT])" + unit, text).groups()
    return float(number) * {"G": 1e9, "T": 1e12}[prefix]


def read_gpus():
    """The GPUs of the catalogue, with the row of kernel_table_gpus.csv."""
    with open(os.path.join(ROOT, "scenarios/catalog/azure-2018.json"), encoding="utf-8") as file:
        catalog = json.load(file)["gpus"]
    gpus = {}
    with open(os.path.join(ROOT, "tools/kernel_table_gpus.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            known = catalog[row["gpu"]]
            gpu = {key: value if key in ("gpu", "source") else float(value) for key, value in row.items()}
            gpu["memory_rate"] = rate(known["memory_rate"]["value"], "B/s")
            gpu["fp32"] = gpu["bf16"] = gpu["fp32_tflops"] * 1e12
            if gpu["sm"] >= 80:  # the catalogue's peak is that of tf32; bf16 has twice its rate
                gpu["bf16"] = 2 * rate(known["peak"]["value"], "flop/s")
            gpu["clock"] = gpu["fp32"] / (gpu["processors"] * gpu["lanes"] * 2)
            gpus[row["gpu"]] = gpu
    missing = set(catalog) - set(gpus)
    if missing:
        sys.exit("kernel_table: tools/kernel_table_gpus.csv has no row for " + ", ".join(sorted(missing)))
    return gpus


def short(name):
    """A kernel's name without namespaces, parameters and the words that compilers write differently."""
    name = re.sub(r"^void ", "", name.replace("(anonymous namespace)::", ""))
    depth = 0
    for i, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            name = name[:i]
            break
    name = re.sub(r"\((Pass|CudaPrecision|bool)\)", "", name)
    return name.replace("true", "1").replace("false", "0").replace("> >", ">>").replace("(int)", "")


def read_resources(folder):
    """The registers, and the bytes of shared memory and of code of each kernel, by compute capability."""
    resources = {}
    for file_name in os.listdir(folder):
        if not file_name.endswith(".txt"):
            continue
        with open(os.path.join(folder, file_name), encoding="utf-8") as file:
            text = subprocess.run(["c++filt"], input=file.read(), capture_output=True, text=True, check=True).stdout
        kernels = resources[int(file_name[:-4])] = {}
        for name, rest in re.findall(r"Compiling entry function '(.*)' for 'sm_\d+'\n((?:.*\n)*?.*Used .*)", text):
            spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", rest))
            shared = re.search(r"(\d+) bytes smem", rest)
            kernels[short(name)] = {"registers": int(re.search(r"Used (\d+) registers", rest).group(1)),
                                    "shared": int(shared.group(1)) if shared else 0, "spilled": spilled}
        for size, name in re.findall(r"^code ([0-9a-f]+) (.*)$", text, re.M):
            kernels[short(name)]["code"] = int(size, 16)
    return resources


def read_graph(program, precision, images):
    """The kernels of a step's graph."""
    symbols = {}
    for line in subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True).stdout.splitlines():
        address, _, name = line.partition(" ")
        if address.strip():
            symbols[int(address, 16)] = name[2:]
    begin = next(address for address, name in symbols.items() if name == "__executable_start")
    kernels = []
    rows = subprocess.run([program, precision, str(images)], capture_output=True, text=True, check=True).stdout
    for row in rows.splitlines():
        place, grid, threads, *numbers, after = row.split("\t")
        read, written, operations, tiles, block, is_product = map(int, numbers)
        blocks = 1
        for number in re.findall(r"\d+", grid):
            blocks *= int(number)
        kernels.append({"name": short(symbols[begin + int(place, 16)]), "grid": grid, "blocks": blocks, "threads": int(threads),
                        "read": read, "written": written, "operations": operations, "tiles": tiles, "block": block,
                        "is_product": is_product, "after": [int(i) for i in after.split(",") if i]})
    return kernels


def rounded_up(number, step):
    return -(-number // step) * step


def resident_blocks(gpu, kernel, used):
    """Blocks of a kernel on a multiprocessor (CUDA C++ Programming Guide, "Compute Capabilities"), and what limits them."""
    warps = -(-kernel["threads"] // 32)
    limits = [(int(gpu["warps"]) // warps, "warps"), (int(gpu["blocks"]), "blocks")]
    if used:
        registers = rounded_up(used["registers"] * 32, 256) * warps
        limits.append((int(gpu["registers"]) // registers, "registers"))
        shared = rounded_up(used["shared"], 256) + 1024 * gpu["shared_reserved_kib"]
        if used["shared"]:
            limits.append((int(1024 * gpu["shared_kib"] // shared), "shared"))
    return min(limits, key=lambda limit: limit[0])


def estimate(gpu, precision, kernel, used):
    """Microseconds of a kernel, and of its use of all multiprocessors."""
    processors = gpu["processors"]
    busiest = -(-kernel["blocks"] // processors)
    in_use = min(kernel["blocks"], processors)
    resident = min(resident_blocks(gpu, kernel, used)[0], busiest)
    filled = min(1, resident * -(-kernel["threads"] // 32) / SCHEDULERS)
    peak = gpu[precision] if kernel["is_product"] else gpu["fp32"]
    computing = busiest * kernel["block"] / (peak / processors * filled)
    computing = max(computing, kernel["tiles"] / peak)
    memory = min(gpu["memory_rate"], in_use * LINK_BYTES * gpu["clock"])
    moving = (kernel["read"] + kernel["written"]) / memory
    work = max(kernel["tiles"] / peak, (kernel["read"] + kernel["written"]) / gpu["memory_rate"])
    return 1e6 * max(computing, moving), 1e6 * work


def totals(gpu, precision, kernels, resources):
    """Microseconds of all kernels in a row, of the longest path, and the kernels on that path; the work."""
    ends, lengths = [], []
    row_us = work_us = 0
    for kernel in kernels:
        time_us, shared_us = estimate(gpu, precision, kernel, resources.get(kernel["name"]))
        before = max(kernel["after"], key=lambda i: ends[i], default=None)
        ends.append(time_us + GAP_US + (ends[before] if before is not None else 0))
        lengths.append(1 + (lengths[before] if before is not None else 0))
        row_us += time_us + GAP_US
        work_us += shared_us
    last = ends.index(max(ends))
    return {"row": row_us, "path": ends[last], "length": lengths[last], "work": work_us}


def measured_times(precision):
    """Microseconds of kernels on an H200 by name and blocks, by NVIDIA's profiler."""
    with open(os.path.join(ROOT, "reports/measured/gpu-h200.json"), encoding="utf-8") as file:
        rows = json.load(file)["kernels"][precision]
    return {(row["kernel"], row["blocks"]): row["us"] for row in rows}


def resources_of(gpu, resources):
    """The resources for a GPU: of its compute capability, else of the nearest newer one that was compiled."""
    newer = [sm for sm in resources if sm >= gpu["sm"]]
    return (min(newer), resources[min(newer)]) if newer else (None, {})


def print_kernels(precision, images, kernels, gpu, resources):
    sm, used = resources_of(gpu, resources)
    seen = measured_times(precision)
    print(f"{precision}, {images} images: {len(kernels)} kernels; registers and shared memory of "
          + (f"sm_{sm}" if sm else "no GPU (there is no nvcc)") + f", us on a {gpu['gpu']}")
    print(f"{'#':>2} {'after':>6} {'kernel':<44} {'grid':<13} {'thr.':>4} {'KB read':>8} {'written':>8} {'MFLOP':>8} {'in tiles':>8} "
          f"{'reg.':>4} {'shared':>6} {'code':>6} {'fit':>3} {'by':<9} {'us':>6} {'H200':>6}")
    for i, kernel in enumerate(kernels):
        resource = used.get(kernel["name"])
        if used and not resource:
            sys.exit(f"kernel_table: ptxas reports no kernel {kernel['name']}")
        fit, by = resident_blocks(gpu, kernel, resource)
        time_us, _ = estimate(gpu, precision, kernel, resource)
        shown = seen.get((kernel["name"], kernel["grid"]))
        grid = re.sub(r"^\((\d+), (\d+), 1\)$", r"\1 x \2", kernel["grid"])
        print(f"{i:>2} {','.join(map(str, kernel['after'])):>6} {kernel['name']:<44} {grid:<13} {kernel['threads']:>4} "
              f"{kernel['read'] / 1e3:>8.1f} {kernel['written'] / 1e3:>8.1f} {kernel['operations'] / 1e6:>8.2f} {kernel['tiles'] / 1e6:>8.2f} "
              f"{resource['registers'] if resource else '-':>4} {resource['shared'] if resource else '-':>6} "
              f"{resource['code'] if resource else '-':>6} {fit:>3} {by:<9} {time_us:>6.2f} "
              f"{f'{shown:.1f}' if shown else '-':>6}")
    print(f"{'':>9} {'all':<44} {'':<13} {'':>4} {sum(k['read'] for k in kernels) / 1e3:>8.1f} {sum(k['written'] for k in kernels) / 1e3:>8.1f} "
          f"{sum(k['operations'] for k in kernels) / 1e6:>8.2f} {sum(k['tiles'] for k in kernels) / 1e6:>8.2f}\n")


def print_totals(gpus, graphs, resources):
    print(f"{'GPU':<15} {'sm':>3} {'registers of':>12}" + "".join(f"  {precision + ': work':>10} {'path':>7} {'in a row':>8}" for precision in graphs))
    for gpu in gpus:
        sm, used = resources_of(gpu, resources)
        print(f"{gpu['gpu']:<15} {gpu['sm']:>3.0f} {f'sm_{sm}' if sm else '-':>12}", end="")
        for precision, kernels in graphs.items():
            total = totals(gpu, precision, kernels, used)
            print(f"  {total['work']:>10.1f} {total['path']:>7.1f} {total['row']:>8.1f}", end="")
        print()


def main():
    program, folder, images, *wanted = sys.argv[1:]
    gpus, resources = read_gpus(), read_resources(folder)
    unknown = [name for name in wanted if name not in gpus]
    if unknown:
        sys.exit(f'kernel_table: unknown GPU "{unknown[0]}"; the catalogue has ' + ", ".join(gpus))
    chosen = [gpus[name] for name in wanted] or list(gpus.values())
    graphs = {precision: read_graph(program, precision, images) for precision in SHOWN}
    print("Counted, not measured: times are lower bounds from shapes, data sheets and compiled kernels. H200: us by NVIDIA's profiler\n"
          "of a kernel of this name and grid (reports/measured/gpu-h200.md), whose blocks had half as many threads then. KB and MFLOP are\n"
          "1000 and 10^6.\n")
    for precision, kernels in graphs.items():
        print_kernels(precision, images, kernels, chosen[-1], resources)
    lengths = {precision: totals(chosen[-1], precision, kernels, resources_of(chosen[-1], resources)[1])["length"]
               for precision, kernels in graphs.items()}
    print(f"us of a step, with {GAP_US} us for each kernel of a path; kernels on the {chosen[-1]['gpu']}'s path: "
          + ", ".join(f"{precision} {length}" for precision, length in lengths.items()))
    print_totals(chosen, graphs, resources)


if __name__ == "__main__":
    main()
