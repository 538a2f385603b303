/* The values of the catalogue that an answer rests on: those without a published source that the
 * scenario uses, the prices of its nodes, and the lives of its nodes. How the service behaves when
 * nodes fail is not among them if none can.
 *
 * The range of a value is the catalogue's own where it states one, and otherwise a factor, which
 * `range` calls a choice:
 *
 *     a value with an error               1 - error to 1 + error
 *     prices                              0.8 to 1.25 of the value
 *     lives of nodes (failures, preemption)  0.5 to 2
 *     durations given as a distribution   all of it times its own 10 % or 90 % quantile over its
 *                                         median
 *     shares ("28%")                      0.8 to 1.25, at most 100 %
 *     anything else                       0.5 to 2
 *
 * Names, yes-or-no values, zeros and tables are left out. */
#ifndef SIM_STUDY_FOLLOW_ASSUMPTION_H
#define SIM_STUDY_FOLLOW_ASSUMPTION_H

#include "sim/study/study.h"

typedef enum {
    ASSUMPTION_PRICE, /* of an hour of a node, or of stored bytes */
    ASSUMPTION_LIFE,  /* between failures or preemptions of nodes */
    ASSUMPTION_OTHER,
} AssumptionKind;

/* Texts are as in the catalogue: "0.90USD", {"exponential": "6334.4h"}. */
typedef struct {
    const char *path; /* "vm_sizes/Standard_NC6/dedicated_price_per_hour" */
    AssumptionKind kind;
    bool is_assumed;                /* without a published source */
    bool is_preemption;             /* ASSUMPTION_LIFE: of low-priority nodes */
    bool is_count;                  /* a whole number */
    const char *value;              /* as in the catalogue */
    double low_factor, high_factor; /* of the range, times the value ... */
    const char *own, *low, *high;   /* ... and as JSON */
    const char *range;  /* "its stated error", or "x 0.8 to x 1.25" and that it is a choice */
    const char *source; /* with its note */
} Assumption;

typedef struct {
    int32_t count;
    const Assumption *items; /* in the order of the catalogue */
} AssumptionList;

/* The assumptions that the scenarios of these points of the study use. Lives in `arena`. False with
 * problems if the scenario of a point is not valid. */
MUST_CHECK bool assumptions_find(Arena *arena, const Study *study, FileSource files,
                                 const int32_t *points, int32_t point_count, AssumptionList *list,
                                 Problems *problems);

/* "vm_sizes/Standard_NC6/dedicated_price_per_hour": what an hour of a node costs. In `arena`. */
const char *assumption_price(Arena *arena, NodeKind kind);

/* The setting of a scenario that gives the assumption this value: {"/assume/...": VALUE}. */
void assumption_set(Arena *arena, Json *settings, const char *path, const char *value);

/* `value`, the text of a catalogue, times `factor` > 0: "0.90USD" and 0.5 make "0.45USD", of a
 * distribution all of its times, which are at least `least_ns`. Whole numbers (`is_count`) stay
 * whole, shares end at 100 %. JSON in `arena`; NULL: it cannot be multiplied. */
const char *assumption_times(Arena *arena, const char *value, bool is_count, int64_t least_ns,
                             double factor);

/* The value of the assumption times `factor`, which is between those of its ends or of a life. */
const char *assumption_at(Arena *arena, const Assumption *assumption, double factor);

#endif
