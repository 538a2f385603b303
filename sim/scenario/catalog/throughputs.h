/* The section "throughputs" of a catalogue: measurements on one GPU, a row for each.
 *
 *     "throughputs": [
 *       {"gpu": "K80", "network": "resnet50", "framework": "tf-1.8-benchmarks",
 *        "exchange": "horovod-0.13.2-mpi", "batch": 64, "samples_per_s": 52.02,
 *        "source": "tf-benchmark", "note": "Standard_NC24r"},
 *       ...
 *
 * Names are those of entries in other sections, of any file. "exchange" is left out if no exchange
 * was used. Rows of later files are added to the earlier rows; equal rows are repetitions of a
 * measurement. "calibrates": false excludes a row from estimates for other networks, GPUs and
 * software. */
#ifndef SIM_SCENARIO_CATALOG_THROUGHPUTS_H
#define SIM_SCENARIO_CATALOG_THROUGHPUTS_H

#include "sim/scenario/catalog/read.h"

/* Reads `row` of a file with `sources` (NULL: the file has none). Call it when the entries of all
 * files are known. False, with every problem added to `problems`, when the row is not valid. */
MUST_CHECK bool catalog_throughput_read(const Catalog *catalog, const Json *row,
                                        const Json *sources, Throughput *throughput,
                                        Problems *problems);

#endif
