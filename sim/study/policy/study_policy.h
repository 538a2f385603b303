/* A scheduling policy from outside (sim/cloud/policy/outside.h) in the runs of a study, in place of
 * the scenario's. */
#ifndef SIM_STUDY_POLICY_STUDY_POLICY_H
#define SIM_STUDY_POLICY_STUDY_POLICY_H

#include "sim/cloud/policy/outside.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/json/json.h"

typedef struct StudyPolicy StudyPolicy;

/* A level that sets this to that means the policy from outside (sim/study/point_scenario.h). */
#define STUDY_POLICY_TARGET "/policy"
#define STUDY_POLICY_OUTSIDE "\"outside\""

/* `path` is that of the shared object as the user gave it, `checksum` that of its bytes. In
 * `arena`; used by several threads at once. */
StudyPolicy *study_policy_create(Arena *arena, const char *path, const char *checksum,
                                 trainyard_policy_function *choose);
const char *study_policy_path(const StudyPolicy *policy);
const char *study_policy_checksum(const StudyPolicy *policy); /* "": `policy` is NULL */

/* Gives the policy to the scenario of one run, whose memory is in `run`. */
void study_policy_give(const StudyPolicy *policy, Arena *run, Scenario *scenario);
/* At the end of that run: notes a wrong answer of the policy. */
void study_policy_look(StudyPolicy *policy, const Scenario *scenario);
/* False with STATUS_BAD_INPUT after the first run in which the policy has answered wrongly. */
MUST_CHECK bool study_policy_holds(StudyPolicy *policy, Status *status);

/* Gets the options of `trainyard run` with the same policy. Returns their number: 0 without a
 * policy from outside. */
enum { STUDY_POLICY_OPTIONS = 2 };
int32_t study_policy_options(const StudyPolicy *policy, const char *options[STUDY_POLICY_OPTIONS]);
/* {"name": "mine.so", "path": "./mine.so", "checksum": "0123456789abcdef"} */
Json *study_policy_json(Arena *arena, const StudyPolicy *policy);
/* The same without its function, for the commands that repeat runs; NULL if `json` is not such an
 * object. */
StudyPolicy *study_policy_read(Arena *arena, const Json *json);

#endif
