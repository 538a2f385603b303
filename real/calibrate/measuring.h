/* What this machine takes, measured by starting the trainer's own benchmarks: the raw rows from
 * which real/calibrate/calibration.h fits a catalogue. They are one JSON text:
 *
 *     {"measurements": 1, "host": "...", "processor": "...", "cores": 2, "memory_bytes": ...,
 *      "date": "2026-11-23", "backend": "auto", "rounds": 3,
 *      "training": [{"round": 0, "together": 1, "took_ms": ..., then what bench-training --profile
 *                    --json prints: "network", "precision", "batch_size", "gflops", "step_ms",
 *                    "phases_ms", "profile"}],
 *      "allreduce": [{"round": 0, "ranks": 2, "comm": "mpi", "rows": [{"bytes", "time_us"}]}],
 *      "disk": [{"round": 0, "bytes": 10000000, "write_ms": ...}]}
 *
 * What trains, trains on one rank: the tutorial's network and the probes (sim/formats/
 * keras_network.h), never its deeper variant, and at sizes of batches that nobody judges
 * predictions by. "together": so many such ranks at the same time, without exchange. All-reduce is
 * measured alone. Rounds are interleaved: each measures everything once, so that a busy minute
 * spoils a little of everything instead of all of something. */
#ifndef REAL_MEASURING_H
#define REAL_MEASURING_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* Steps that a run does before those it counts, the first of them being slower. */
enum { MEASURING_WARMUP = 4 };

typedef struct {
    bool is_quick;        /* about a minute, for a first look */
    int32_t rounds;       /* 0: as many as are usual */
    const char *name;     /* what the machine is called; NULL: as its host */
    const Json *earlier;  /* measurements of it whose rounds come before these; NULL: none */
    int32_t ranks;        /* all-reduce over 2, 4, ... and so many; 0: as many as GPUs, or as
                             cores but 4 at least */
    const char *backend;  /* as bench-training takes it: "auto" */
    const char *programs; /* folder of the trainer's programs, with its slash */
    const char *folder;   /* on the disk that is measured */
} MeasuringPlan;

/* Shows how far it is on stderr. NULL with STATUS_MACHINE where a program is missing, fails or
 * prints what it should not, and after a signal that says to stop; with STATUS_BAD_INPUT, before
 * it takes long, where `earlier` is of another machine. A precision that the backend has
 * not is left out, with a warning. */
Json *measure_machine(Arena *arena, const MeasuringPlan *plan, Problems *warnings, Status *status);

#endif
