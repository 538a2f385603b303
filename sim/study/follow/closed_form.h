/* The closed form next to the simulation: what queueing theory says about the waits at a point, and
 * why the simulation differs from it. */
#ifndef SIM_STUDY_FOLLOW_CLOSED_FORM_H
#define SIM_STUDY_FOLLOW_CLOSED_FORM_H

#include "sim/cloud/spec/scenario.h"
#include "sim/schema/plain.h"

/* Facts that the model leaves out. X(ENUM, name, words) */
#define MODEL_GAPS(X)                                                                              \
    X(GANGS, "gangs", "jobs of several nodes wait for all of them at once")                        \
    X(SCALING, "scaling", "nodes come and go, and need time to come")                              \
    X(LOSSES, "losses", "nodes fail or are preempted, and work is done again")                     \
    X(ARRIVALS, "arrivals", "jobs do not arrive at one rate, independently of each other")         \
    X(POLICY, "policy", "the queue is not first come, first served")                               \
    X(HORIZON, "horizon", "the study ends, and begins with an empty queue")                        \
    X(STARTUP, "startup", "a job holds its nodes while it starts, too")                            \
    X(APPROXIMATION, "approximation",                                                              \
      "service times are not exponential: the formula is an approximation")

typedef enum {
#define X(name, text, words) GAP_##name,
    MODEL_GAPS(X)
#undef X
        MODEL_GAP_COUNT
} ModelGap;

const char *model_gap_name(ModelGap gap);
const char *model_gap_words(ModelGap gap);

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
    const char **gaps; /* model_gap_words */
} ClosedForm;

extern const ObjectType closed_form_type; /* in follow.json (facts.h) */

/* The model of a scenario with one workload on one cluster, whose run times are drawn from a
 * distribution. Jobs of several nodes are taken as so many jobs of one node. In `arena`. */
ClosedForm closed_form_of(Arena *arena, const Scenario *scenario, bool is_steady);

/* "the mean wait is 53m", "the mean wait is 0s, and 2.9 % of the jobs are rejected". For a form
 * with a model; in `arena`. */
const char *closed_form_words(Arena *arena, const ClosedForm *form);

/* P(wait <= `wait_s`) where knows_waits, else NAN. */
double closed_form_within(const ClosedForm *form, double wait_s);

#endif
