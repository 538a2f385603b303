/* Checkpoints in a scenario: of programs that train a network or only take time, and of the jobs of
 * a trace. */
#ifndef SIM_SCENARIO_FORMAT_CHECKPOINT_TYPES_H
#define SIM_SCENARIO_FORMAT_CHECKPOINT_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundText path; /* this and the next two: trainings */
    BoundInteger bytes;
    BoundInteger resume;
    const Json *every; /* epochs, or a duration */
    BoundInteger on_notice;
    BoundInteger takes, restart; /* this and the next: programs that only take time */
    BoundText jobs;              /* "50%" */
} CheckpointText;

extern const ObjectType checkpoint_type;

#endif
