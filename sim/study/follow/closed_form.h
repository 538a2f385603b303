/* The closed form next to the simulation: what queueing theory says about the waits at a point, and
 * why the simulation differs from it. */
#ifndef SIM_STUDY_FOLLOW_CLOSED_FORM_H
#define SIM_STUDY_FOLLOW_CLOSED_FORM_H

#include "sim/cloud/spec/scenario.h"
#include "sim/schema/plain.h"

typedef struct {
    const char *model;    /* "M/M/4", "M/G/1", "M/G/4/4"; NULL: none applies ... */
    const char *none;     /* ... and why; NULL */
    int32_t servers;      /* nodes, as many as the cluster may have */
    int64_t load_ppm;     /* offered, in millionths of a node: gangs count with all of theirs */
    int64_t service_ns;   /* mean run time of a job */
    int64_t mean_wait_ns; /* PLAIN_UNKNOWN: more work arrives than the nodes can do */
    int64_t rejected_ppm; /* jobs that find the queue full; PLAIN_UNKNOWN: it has no limit */
    bool knows_waits;     /* M/M/c: the distribution of waits too */
    uint32_t gap_count;
    const char **gaps; /* what the model leaves out, in words */
} ClosedForm;

extern const ObjectType closed_form_type; /* in follow.json (facts.h) */

/* The model of a scenario with one workload on one cluster, whose run times are drawn from a
 * distribution. Jobs of several nodes are taken as so many jobs of one node. In `arena`. */
ClosedForm closed_form_of(Arena *arena, const Scenario *scenario, bool is_steady);

/* "the mean wait is 53m", "the mean wait is 0s, and 2.9 % of the jobs are rejected". For a form
 * with a model; in `arena`. */
const char *closed_form_words(Arena *arena, const ClosedForm *form);

#endif
