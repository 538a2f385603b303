/* "groups" and "failures" of a scenario. Private to sim/scenario. */
#ifndef SIM_SCENARIO_FAILURES_READ_H
#define SIM_SCENARIO_FAILURES_READ_H

#include "sim/scenario/command/bind.h"
#include "sim/scenario/config/config_context.h"

typedef struct {
    bool is_refused; /* a group of the file was refused and is not listed */
    int32_t count;
    const NodeGroup **items;
} NodeGroups;

/* The commands of the file are read. */
NodeGroups groups_read(const CommandBinder *binder);
/* NULL when there is no group of that name, which is reported. */
const NodeGroup *groups_find(const ConfigContext *context, const NodeGroups *groups,
                             BoundText name);

/* Failures that happen by chance; a scenario without "failures" has none. Failures that repeat
 * need a scenario with "until". */
Failures failures_read(const ConfigContext *context, const ScenarioText *text,
                       const NodeGroups *groups);

/* A ratio within these limits, such as "1%"; 0 when it is absent or refused. */
int64_t failures_ratio(const ConfigContext *context, const char *key, BoundText text,
                       int64_t least_ppm, int64_t most_ppm);

#define NODE_SPEED_MOST_PPM (10 * PPM)

#endif
