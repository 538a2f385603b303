/* Observations of the real service in one session, compared with runs of a scenario.
 *
 * A table is a text file; fields are separated by tabs, lines that begin with '#' are comments:
 *
 *     scenario  scenarios/recordings/setup-task/scenario.json
 *     see       19   cluster  NAME  succeeded resizing 0 0/0/0/0/0
 *     see       320  job      NAME  succeeded succeeded 0
 *     wait      256  cluster  NAME  ready
 *     band      cluster  NAME  submitted  steady  111.1  176.7  where this comes from
 *
 * `see`: at that second since the session's first request a poll showed, of a cluster,
 * provisioningState, allocationState, currentNodeCount and the counts running/idle/unusable/
 * preparing/leaving; of a job provisioningState, executionState and the exit code where it has one;
 * "gone" when it was no longer there. Rows stand in order of time.
 *
 * `wait`: the client continued only after it had seen this, so a run in which it comes later is not
 * the same session and is left out. `band`: the least and most seconds between two moments.
 * Moments: submitted provisioned steady ready deleting gone started completed.
 *
 * A run agrees if the states seen of each resource are among its own, in the same order, and every
 * duration is within its band. Besides, in at least one run whatever a poll did not see must be
 * short enough to fall between two polls, so that some polling of it shows exactly what was
 * recorded. */
#ifndef TESTS_SUPPORT_OBSERVATION_H
#define TESTS_SUPPORT_OBSERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/cloud/spec/scenario.h"

typedef struct Observation Observation;

/* The table in `text`, in `arena`; NULL with a message in `*problem` when a line
 * is not as above. */
Observation *observation_read(Arena *arena, const char *text, const char **problem);
/* Path of the scenario, below the source folder. */
const char *observation_scenario(const Observation *observation);

typedef enum {
    REPLAY_AGREES,
    REPLAY_FITS_POLLS,     /* and every state that was not seen fits between two polls */
    REPLAY_NOT_COMPARABLE, /* the client would have waited longer */
    REPLAY_CONTRADICTS,
} ReplayVerdict;

/* One run with `seed`; of a contradiction `*why` says what it is, in `arena`. */
ReplayVerdict observation_replay(Arena *arena, const Observation *observation,
                                 const Scenario *scenario, uint64_t seed, const char **why);

#endif
