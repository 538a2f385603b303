#!/usr/bin/python3
"""Derives the rate of one ring of NCCL over TCP (connection_rate in scenarios/catalog/azure-2018.json) from the rows of
scenarios/catalog/two_nodes.csv.

For each row, bisection finds the rate at which `trainyard predict` meets the measured images per second. The catalogue has the geometric
mean of these rates, in steps of 10 MB/s. The second table shows how much the other numbers of the exchange matter: each is changed, the
rates are derived again, and a prediction with their mean is compared with one of the unchanged catalogue. Exits with 1 if the catalogue has another
rate, or a row is missed by more than 3 %.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CATALOG = os.path.join(ROOT, "scenarios", "catalog")
LEAST, MOST, ROUNDS, STEP = 50.0, 1290.0, 16, 10.0  # MB/s
MISS = 0.03
CHANGES = [("launch", "0s"), ("launch", "130us"), ("start", "1ms"), ("request", "10us"), ("tensor", "0s"), ("network_latency", "200us"),
           ("fusion", "32MiB"), ("fusion", "128MiB")]


class Predictor:
    def __init__(self, program, folder):
        self.program = program
        self.file = os.path.join(folder, "catalog.json")
        with open(os.path.join(CATALOG, "azure-2018.json"), encoding="utf-8") as stream:
            exchanges = json.load(stream)["exchanges"]
        self.rings = {name: values for name, values in exchanges.items() if values["via_host"]["value"] is False}

    def rate_of_catalog(self):
        """In MB/s, the same for all software."""
        rates = {values["connection_rate"]["value"] for values in self.rings.values()}
        assert len(rates) == 1, rates
        return float(rates.pop().removesuffix("GB/s")) * 1000

    def images_per_s(self, row, rate, change=None, gpus=None):
        def value(text):
            return {"value": text, "source": "try"}
        exchange = {"connection_rate": value(f"{rate:.3f}MB/s")}
        size = {}
        if change is not None:
            (size if change[0] == "network_latency" else exchange)[change[0]] = value(change[1])
        catalog = {"catalog": 1, "sources": {"try": {"title": "a value to try", "date": "now"}},
                   "exchanges": {name: exchange for name in self.rings}, "vm_sizes": {row["vm_size"]: size} if size else {}}
        with open(self.file, "w", encoding="utf-8") as stream:
            json.dump(catalog, stream)
        command = [self.program, "predict", "--catalog", self.file, "--json", "-m", row["network"], "--vm", row["vm_size"],
                   "-n", str(gpus or row["gpus"]), "-b", row["batch"], "-c", row["collective"], "-w", row["wire"], "-f", row["stack"]]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["images_per_s"]

    def rate_of(self, row, change=None):
        low, high = LEAST, MOST
        for _ in range(ROUNDS):
            middle = (low + high) / 2
            if self.images_per_s(row, middle, change) < float(row["images_per_s"]):
                low = middle
            else:
                high = middle
        return (low + high) / 2


def mean(rates):
    return math.exp(sum(math.log(rate) for rate in rates) / len(rates))


def main(program):
    with open(os.path.join(CATALOG, "two_nodes.csv"), encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    with tempfile.TemporaryDirectory() as folder:
        predictor = Predictor(program, folder)
        rates = [predictor.rate_of(row) for row in rows]
        derived = STEP * round(mean(rates) / STEP)
        is_fine = derived == predictor.rate_of_catalog()
        print(f"{'row':34} {'measured':>9} {'met at':>10} {'with ' + format(derived, '.0f') + ' MB/s':>14}")
        for row, rate in zip(rows, rates):
            error = predictor.images_per_s(row, derived) / float(row["images_per_s"]) - 1
            is_fine = is_fine and abs(error) <= MISS
            print(f"{row['gpus']} {row['gpu']:5} {row['stack']:26} {row['images_per_s']:>9} {rate:5.0f} MB/s {100 * error:+12.1f} %")
        print(f"\nmean {mean(rates):.0f} MB/s, in the catalogue {predictor.rate_of_catalog():.0f} MB/s\n")
        print(f"{'changed':24} {'rates':>11}   32 GPUs compared with the unchanged catalogue")
        plain = [predictor.images_per_s(row, mean(rates), gpus=32) for row in rows]
        for change in CHANGES:
            changed = [predictor.rate_of(row, change) for row in rows]
            images = [predictor.images_per_s(row, mean(changed), change, 32) for row in rows]
            shifts = "  ".join(f"{row['gpu']} {100 * (new / old - 1):+.1f} %" for row, new, old in zip(rows, images, plain))
            print(f"{change[0]:16} {change[1]:>7} {changed[0]:5.0f} {changed[1]:5.0f}   {shifts}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trainyard", nargs="?", default=os.path.join(ROOT, "build", "release", "bin", "trainyard"), help="the program")
    sys.exit(main(parser.parse_args().trainyard))
