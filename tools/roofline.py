#!/usr/bin/env python3
"""Prints what limits a training step on a processor: the rate of each product, the share of everything else, and how much faster a step could be.

FILE is the measurements that `trainyard calibrate` keeps, or the output of `trainyard bench-training --backend onednn --profile --json`.
The round with the shortest step counts. --batch chooses the table of passes (the smallest size without it). --ratio is
how many times as fast as another program a precision is (tools/bench.sh trainer); its limits are then printed, too:

    without the rest    all passes that are not products take no time
    at the best rate    and all products have the rate of the fastest of them
"""
import argparse
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NETWORK = "keras_cifar10_cnn"


def layer_operations():
    """Operations of an image by layer, forward and backward: a multiply-add is two, and only the first layer has no gradient of its input."""
    with open(os.path.join(ROOT, "scenarios/catalog/networks.json"), encoding="utf-8") as file:
        layers = json.load(file)["networks"][NETWORK]["layers"]["value"]
    operations = {}
    for layer in layers:
        macs = re.search(r", macs (\d+)", layer)
        if macs:
            name = layer.split()[0]
            operations[name + " backward"] = (2 if not operations else 4) * int(macs.group(1))
            operations[name + " forward"] = 2 * int(macs.group(1))
    return operations


def read_runs(paths):
    """The run with the shortest step by batch size and precision: microseconds by stage."""
    runs = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        for run in data.get("training", [data]):
            if run["network"] != NETWORK or run.get("together", 1) != 1 or "profile" not in run:
                continue
            key = (run["batch_size"], run["precision"])
            if key not in runs or run["profile"]["step_us"] < runs[key]["step_us"]:
                runs[key] = run["profile"]
    if not runs:
        sys.exit(f"roofline: there is no profile of {NETWORK} in " + ", ".join(paths))
    return runs


def limits(batch, profile, operations):
    """The times of a step in microseconds: as measured, of its products, and of products at the rate of the best."""
    stages = {name: stage["us"] for name, stage in profile["stages"].items()}
    products = {name: us for name, us in stages.items() if name in operations}
    best = max(batch * operations[name] / us / 1e3 for name, us in products.items())
    done = batch * sum(operations[name] for name in products) / 1e3
    return {"stages": stages, "step": sum(stages.values()), "products": sum(products.values()), "best": best, "operations": done,
            "ideal": done / best}


def print_passes(batch, runs, operations):
    precisions = [precision for size, precision in runs if size == batch]
    print(f"{NETWORK}, batches of {batch}: microseconds, and GFLOP/s of products")
    print(f"{'':<26}" + "".join(f"{precision:>12}{'GFLOP/s':>9}" for precision in precisions))
    for name in runs[batch, precisions[0]]["stages"]:
        line = f"{name:<26}"
        for precision in precisions:
            us = runs[batch, precision]["stages"][name]["us"]
            rate = f"{batch * operations[name] / us / 1e3:.1f}" if name in operations else ""
            line += f"{us:>12.0f}{rate:>9}"
        print(line.rstrip())
    print()


def print_limits(runs, operations, ratios):
    print("batch  precision  step ms  products  GFLOP/s  best product  rest %   times as fast without the rest, at the best rate")
    for (batch, precision), profile in sorted(runs.items(), key=lambda item: (item[0][0], item[0][1] != "fp32")):
        own = limits(batch, profile, operations)
        gains = own["step"] / own["products"], own["step"] / own["ideal"]
        line = (f"{batch:>5}  {precision:<9}  {own['step'] / 1e3:>7.2f}  {own['products'] / 1e3:>8.2f}  {own['operations'] / own['products']:>7.1f}  "
                f"{own['best']:>12.1f}  {100 - 100 * own['products'] / own['step']:>6.1f}   {gains[0]:.2f}  {gains[1]:.2f}")
        if precision in ratios:
            times = ratios[precision]
            line += f"   {times:g} times another program would be {times * gains[0]:.2f}, {times * gains[1]:.2f}"
        print(line)


def ratio(text):
    precision, _, times = text.partition("=")
    return precision, float(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--ratio", type=ratio, action="append", default=[], metavar="PRECISION=TIMES")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    operations, runs = layer_operations(), read_runs(options.files)
    batch = options.batch or min(size for size, _ in runs)
    if not any(size == batch for size, _ in runs):
        sys.exit(f"roofline: batches of {batch} were not measured")
    print_passes(batch, runs, operations)
    print_limits(runs, operations, dict(options.ratio))


if __name__ == "__main__":
    main()
