/* Private to sim/cloud/fault: the tables that it keeps. */
#ifndef SIM_CLOUD_FAULT_TABLES_H
#define SIM_CLOUD_FAULT_TABLES_H

#include "sim/base/name_table.h"
#include "sim/cloud/fault/mishap.h"
#include "sim/cloud/spec/event.h"

struct Faults {
    Arena *arena;
    Engine *engine;
    TraceRecorder *recorder;
    const Scenario *scenario;
    Names *names;
    Storage *storage;
    Clusters *clusters;
    Jobs *jobs;
    NameTable *strikes;       /* key of a fault -> how many nodes it has drawn so far */
    uint64_t *group_failures; /* [group of Failures]: so far */
    int64_t *group_begun_ns;  /* [the same]: its next failure is drawn from then on */
};

#endif
