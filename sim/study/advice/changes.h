/* The obvious changes of a scenario that may save money or time, each as settings of `run`, and the
 * changes that are left out, with the reason. */
#ifndef SIM_STUDY_ADVICE_CHANGES_H
#define SIM_STUDY_ADVICE_CHANGES_H

#include "sim/study/factor.h"

/* X(ENUM, words) */
#define CHANGE_KINDS(X)                                                                            \
    X(NODES, "fewer or more nodes")                                                                \
    X(VM_SIZE, "another VM size")                                                                  \
    X(PRIORITY, "low priority or dedicated")                                                       \
    X(SCALING, "automatic scaling")                                                                \
    X(CHECKPOINTS, "the interval of checkpoints")                                                  \
    X(POLICY, "another scheduling policy")                                                         \
    X(PLACEMENT, "another placement")

typedef enum {
#define X(name, words) CHANGE_##name,
    CHANGE_KINDS(X)
#undef X
        CHANGE_KIND_COUNT
} ChangeKind;

const char *change_kind_words(ChangeKind kind);

typedef struct {
    ChangeKind kind;
    const char *name; /* "2 nodes instead of 4" */
    int32_t setting_count;
    const Setting *settings;
} Change;

typedef struct {
    ChangeKind kind;
    const char *name;   /* the change; "": the whole kind */
    const char *reason; /* "the quota of family NCv2 is 0 cores" */
} ChangeLeftOut;

enum { CHANGES_MAX = 200 };

typedef struct {
    int32_t count, left_out_count;
    Change items[CHANGES_MAX];
    ChangeLeftOut left_out[CHANGES_MAX];
} Changes;

/* All changes of `scenario`, in the order of CHANGE_KINDS. Whether the scenario accepts them is not
 * known yet. In `arena`. */
Changes *changes_of(Arena *arena, const ScenarioFile *scenario);

/* Adds a change to those that are left out. */
void changes_leave_out(Changes *changes, ChangeKind kind, const char *name, const char *reason);

#endif
