/* Scheduling policies in shared objects, for --policy (sim/cloud/policy/trainyard_policy.h). */
#ifndef TOOLS_TRAINYARD_POLICY_POLICY_FILE_H
#define TOOLS_TRAINYARD_POLICY_POLICY_FILE_H

#include "sim/cloud/policy/outside.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/study/policy/study_policy.h"

typedef struct PolicyFile {
    const char *path;     /* as given */
    const char *checksum; /* of the file's bytes, as GivenPair has it */
    PolicyOutside outside;
} PolicyFile;

/* Loads the shared object at `path` for the rest of the process; its code runs in it.
 * STATUS_NOT_FOUND or STATUS_BAD_INPUT, in place `path`, when there is no such file, when it is not
 * a shared object of this machine, lacks a name that TRAINYARD_POLICY defines, or is made for
 * another version of the header. */
MUST_CHECK bool policy_file_load(Arena *arena, const char *path, PolicyFile *policy,
                                 Status *status);

/* The policy at `path` for all runs of a study; NULL with a problem. */
StudyPolicy *policy_file_of_study(Arena *arena, const char *path, Problems *problems);

/* Makes the policy that of the scenario, and the file one of its inputs. */
void policy_file_give(Arena *arena, PolicyFile *policy, Scenario *scenario);

/* Refuses a run whose policy has answered wrongly: STATUS_BAD_INPUT. */
MUST_CHECK bool policy_file_check(const PolicyFile *policy, Status *status);

#endif
