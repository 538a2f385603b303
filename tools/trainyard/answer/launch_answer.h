/* The output of `trainyard launch --json` for each job, and DIR/JOB/launch.json. */
#ifndef TOOLS_TRAINYARD_LAUNCH_ANSWER_H
#define TOOLS_TRAINYARD_LAUNCH_ANSWER_H

#include "sim/schema/field.h"

typedef struct {
    const char *code, *message; /* NULL: there is no error */
} LaunchError;

typedef struct {
    const char *job, *state;
    int64_t exit_code; /* or PLAIN_UNKNOWN, as all results of the training below */
    LaunchError error;
    int64_t seed, nodes, ranks;
    int64_t took_ms;
    int64_t epochs, accuracy_ppm, loss_micro;
    const char *logs, *stdout_path, *stderr_path;
} LaunchRecord;

extern const ObjectType launch_record_type;

#endif
