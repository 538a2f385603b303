/* Equal parts of the specs of many jobs, kept once.
 *
 * Jobs of a session are often alike: the next one differs from the last in its name alone. Its
 * parts that equal those of the last one are replaced by them, so that their own memory is garbage
 * (sim/base/heap.h). A part that is not compared here takes memory, and changes nothing. */
#ifndef SIM_CLOUD_SPEC_REUSE_H
#define SIM_CLOUD_SPEC_REUSE_H

#include "sim/cloud/spec/command.h"

/* `path` with the names of `earlier` where they are equal, letter case included. */
ResourcePath path_reuse(ResourcePath path, ResourcePath earlier);

/* Replaces the parts of `spec` that equal those of `earlier`, which lives as long. Returns
 * `earlier` if all of them do, else `spec`. */
const JobSpec *job_spec_reuse(JobSpec *spec, const JobSpec *earlier);

#endif
