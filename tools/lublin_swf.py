#!/usr/bin/python3
"""Writes a made-up log in the Standard Workload Format to stdout.

The shapes are those of the model of U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling
the characteristics of rigid jobs", JPDC 63(11), 2003: sizes are two-stage uniform in the logarithm and often powers of
two, run times are hyper-gamma in the logarithm and longer for larger jobs, and gaps are gamma in the logarithm, shorter
in working hours. It is like that model, not that model: the daily cycle is a factor for each hour.
"""
import argparse
import math
import random

SERIAL, POWER_OF_TWO = 0.244, 0.576                       # shares of jobs
SIZE_LOW, SIZE_MIDDLE, SIZE_SHARE_LOW = 0.8, 4.5, 0.86    # base-2 logarithms, and the share of the lower stage
RUN_SHORT, RUN_LONG = (4.2, 0.94), (312.0, 0.03)          # gamma: shape and scale of the natural logarithm of seconds
SHORT_BASE, SHORT_BY_SIZE = 0.78, -0.0054                 # share of short jobs by size
GAP = (10.23, 0.4871)                                     # gamma: shape and scale of the natural logarithm of seconds
HOURS = [.3, .25, .2, .2, .2, .25, .4, .7, 1.2, 1.7, 1.9, 1.8, 1.6, 1.7, 1.8, 1.8, 1.7, 1.5, 1.2, 1.0, .8, .7, .6, .5]


def size(rng, processors):
    if rng.random() < SERIAL:
        return 1
    most = math.log2(processors)
    low, high = (SIZE_LOW, SIZE_MIDDLE) if rng.random() < SIZE_SHARE_LOW else (SIZE_MIDDLE, most)
    logarithm = rng.uniform(low, min(high, most))
    return 2 ** round(logarithm) if rng.random() < POWER_OF_TWO else max(1, round(2 ** logarithm))


def run_time(rng, processors):
    share = min(max(SHORT_BASE + SHORT_BY_SIZE * processors, 0), 1)
    shape, scale = RUN_SHORT if rng.random() < share else RUN_LONG
    return min(int(math.exp(rng.gammavariate(shape, scale))), 3 * 86400)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("jobs", "processors", "seed"):
        parser.add_argument(name, type=int)
    options = parser.parse_args()
    jobs, processors, seed = options.jobs, options.processors, options.seed
    rng = random.Random(seed)
    print("; Version: 2.2\n; Computer: none, made by tools/lublin_swf.py %d %d %d" % (jobs, processors, seed))
    print("; MaxJobs: %d\n; MaxProcs: %d\n; UnixStartTime: 1709510400\n; TimeZoneString: UTC" % (jobs, processors))
    now = 0.0
    for job in range(1, jobs + 1):
        now += min(math.exp(rng.gammavariate(*GAP)) / HOURS[int(now) // 3600 % 24], 86400)
        width = min(size(rng, processors), processors)
        run = run_time(rng, width)
        requested = max(60, int(run * rng.uniform(1, 5)) // 60 * 60 + 60)
        print(job, int(now), -1, run, width, -1, -1, width, requested, -1, 1, rng.randrange(1, 40), -1, -1, 1, -1, -1, -1)


if __name__ == "__main__":
    main()
