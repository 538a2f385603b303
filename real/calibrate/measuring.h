/* Measures this machine with the trainer's benchmarks. The results are the raw rows to which
 * real/calibrate/calibration.h fits a catalogue. They are one JSON text:
 *
 *     {"measurements": 1, "host": "...", "processor": "...", "cores": 2, "memory_bytes": ...,
 *      "date": "2026-11-23", "backend": "auto", "rounds": 3,
 *      "training": [{"round": 0, "together": 1, "took_ms": ..., and members that bench-training
 *                    --profile --json prints: "network", "precision", "batch_size", "gflops",
 *                    "step_ms", "phases_ms", "profile"}],
 *      "allreduce": [{"round": 0, "ranks": 2, "comm": "mpi", "rows": [{"bytes", "time_us"}]}],
 *      "disk": [{"round": 0, "bytes": 10000000, "write_ms": ...}]}
 *
 * Each training has one rank. The networks are the tutorial's and the probes
 * (sim/formats/keras_network.h), but not the tutorial's deeper variant. No batch size is one at
 * which predictions are judged. "together" is the number of such ranks that run at the same time,
 * without exchange. All-reduce is measured alone. Rounds are interleaved: each measures everything
 * once, so that a busy minute affects all values a little instead of a few values completely. */
#ifndef REAL_MEASURING_H
#define REAL_MEASURING_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* Steps of a run that are not counted, because the first steps are slower. A GPU makes its graphs
 * in them. */
enum { MEASURING_WARMUP = 4, MEASURING_GPU_WARMUP = 64 };

typedef struct {
    bool is_quick;    /* fewer sizes, for a first look */
    int32_t rounds;   /* 0: the usual number */
    const char *name; /* name of the machine; NULL: its host name */
    const Json
        *earlier;  /* earlier measurements of the machine, to which rounds are added; or NULL */
    int32_t ranks; /* all-reduce over 2, 4, ... and `ranks`; 0: the number of GPUs, or of
                      cores but at least 4 */
    const char *backend;  /* bench-training's --backend: "auto" */
    const char *programs; /* folder of the trainer's programs, with a final slash */
    const char *folder;   /* on the disk to measure */
} MeasuringPlan;

/* Returns the measurements, in `arena`; shows progress on stderr. SIGINT, SIGTERM or SIGHUP,
 * `*signal`, ends the measuring: the result has the rounds that were complete before, and `*signal`
 * is 0 without such a signal. NULL with STATUS_MACHINE: a program is missing, fails or prints an
 * unexpected text, or a signal ended the first round. NULL with STATUS_BAD_INPUT: `earlier` is of
 * another machine, which is detected before the long part begins. A precision that the backend does
 * not have is left out, with a warning. */
Json *measure_machine(Arena *arena, const MeasuringPlan *plan, int *signal, Problems *warnings,
                      Status *status);

#endif
