/* Private to sim/cloud: the parts of a world. */
#ifndef SIM_CLOUD_TABLES_H
#define SIM_CLOUD_TABLES_H

#include "sim/base/name_table.h"
#include "sim/cloud/fault/mishap.h"
#include "sim/cloud/world.h"

/* How far a command of the scenario has progressed. */
typedef struct {
    bool is_waiting;       /* its moment has not happened, or its condition has not held */
    bool is_applied;       /* or refused */
    int32_t listens_after; /* index of the command that must be applied first; -1: none */
    int32_t next; /* index of the next command with a trigger on the same subject; -1: none */
    uint32_t condition_generation; /* grows when its condition begins or stops to hold */
    bool holds;                    /* its condition held at the end of the last instant */
} CommandProgress;

struct World {
    Arena *arena;
    const Scenario *scenario;
    Engine *engine;
    TraceRecorder *recorder;
    Names *names;
    Resources *resources;
    Subjects *subjects;
    Storage *storage;
    Clusters *clusters;
    Jobs *jobs;
    Faults *faults;
    CommandProgress *progress;   /* [command] */
    NameTable *listeners;        /* listener_key -> the first command with a trigger on it */
    int32_t *awaited_conditions; /* commands whose condition has not held yet, by index */
    int32_t awaited_condition_count;
    int32_t asked_count;      /* commands applied in addition to the scenario's */
    const Command *announced; /* the command of world_apply_at until it is recorded; NULL: none */
};

#endif
