/* The section "throughputs" of a catalogue: what was measured on one GPU, a row each.
 *
 *     "throughputs": [
 *       {"gpu": "K80", "network": "resnet50", "framework": "tf-1.8-benchmarks",
 *        "exchange": "horovod-0.13.2-mpi", "batch": 64, "samples_per_s": 52.02,
 *        "source": "tf-benchmark", "note": "Standard_NC24r"},
 *       ...
 *
 * Names are those of the other sections, of whichever file. "exchange" is left out where none
 * was used. Rows of later files are added to those before: several of one kind are repetitions.
 * "calibrates": false excludes a row from estimates for other networks, GPUs and software. */
#ifndef SIM_SCENARIO_CATALOG_THROUGHPUTS_H
#define SIM_SCENARIO_CATALOG_THROUGHPUTS_H

#include "sim/scenario/catalog/read.h"

/* `row` of a file with `sources` (NULL: without), when all files' entries are known. False, with
 * every problem added to `problems`, when something is wrong with it. */
MUST_CHECK bool catalog_throughput_read(const Catalog *catalog, const Json *row,
                                        const Json *sources, Throughput *throughput,
                                        Problems *problems);

#endif
