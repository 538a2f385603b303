/* Random scenario files: whole, valid, and using every key of the format sooner or later.
 *
 * A file is a pure function of its seed and of the features that are on, the same on every machine.
 * Each part of it (clusters, jobs, faults, ...) has separate random numbers: one more feature
 * leaves the other parts unchanged. Clusters and jobs are in the file itself; the only other file
 * that it names is scenarios/catalog/azure-2018.json, as seen from a folder below the repository's
 * root. The service refuses some of its requests, and some moments never happen: both are part of
 * the format too. */
#ifndef TESTS_SUPPORT_SWARM_SCENARIO_H
#define TESTS_SUPPORT_SWARM_SCENARIO_H

#include "sim/json/json.h"

/* Features that can be left out: X(ENUM, name, whether the simulator has it by now). Flip the last
 * column when a part lands; `swarm make --with NAME` tries it before. */
#define SWARM_FEATURES(X)                                                                          \
    X(AUTOSCALE, "autoscale", true)                                                                \
    X(QUOTAS, "quotas", true)                                                                      \
    X(FAILURES, "failures", true)                                                                  \
    X(FAULTS, "faults", true)                                                                      \
    X(GROUPS, "groups", true)                                                                      \
    X(CONDITIONS, "conditions", true)                                                              \
    X(MOMENTS, "moments", true)                                                                    \
    X(WORKLOADS, "workloads", true)                                                                \
    X(POLICIES, "policies", true)                                                                  \
    X(NETWORK, "network", true)                                                                    \
    X(FILE_SERVERS, "file-servers", true)                                                          \
    X(SETUPS, "setups", true)                                                                      \
    X(USAGES, "usages", true)                                                                      \
    X(DISTRIBUTIONS, "distributions", true)                                                        \
    X(GPUS, "gpus", true)                                                                          \
    X(QUEUES, "queues", true)                                                                      \
    X(CORES, "cores", true)                                                                        \
    X(KINDS, "kinds", true)

typedef enum {
#define X(name, text, is_built) SWARM_##name,
    SWARM_FEATURES(X)
#undef X
        SWARM_FEATURE_COUNT
} SwarmFeature;

const char *swarm_feature_name(SwarmFeature feature);
/* A bit for each feature that the simulator has. */
uint32_t swarm_features_built(void);

/* The scenario of `seed`; `features` is a bit for each that may be used. */
Json *swarm_scenario(Arena *arena, uint64_t seed, uint32_t features);

#endif
