#include "sim/study/policy/study_policy.h"

#include <pthread.h>

#include "sim/base/file_source.h"
#include "sim/base/invariant.h"

struct StudyPolicy {
    const char *path, *checksum;
    trainyard_policy_function *choose; /* NULL: it was read from a folder */
    pthread_mutex_t lock;              /* of `fault` */
    PolicyFault fault;
};

StudyPolicy *study_policy_create(Arena *arena, const char *path, const char *checksum,
                                 trainyard_policy_function *choose)
{
    StudyPolicy *policy = ARENA_NEW(arena, StudyPolicy);
    *policy = (StudyPolicy){.path = path, .checksum = checksum, .choose = choose};
    pthread_mutex_init(&policy->lock, NULL);
    return policy;
}

const char *study_policy_path(const StudyPolicy *policy)
{
    return policy->path;
}

const char *study_policy_checksum(const StudyPolicy *policy)
{
    return policy != NULL ? policy->checksum : "";
}

/* --- Runs --- */

void study_policy_give(const StudyPolicy *policy, Arena *run, Scenario *scenario)
{
    invariant(policy->choose != NULL);
    PolicyOutside *own = ARENA_NEW(run, PolicyOutside);
    *own = policy_outside_of(run, policy->choose);
    scenario->policy = POLICY_OUTSIDE;
    scenario->outside = own;
}

void study_policy_look(StudyPolicy *policy, const Scenario *scenario)
{
    if (!scenario->outside->fault.is_set)
        return;
    pthread_mutex_lock(&policy->lock);
    if (!policy->fault.is_set)
        policy->fault = scenario->outside->fault;
    pthread_mutex_unlock(&policy->lock);
}

bool study_policy_holds(StudyPolicy *policy, Status *status)
{
    pthread_mutex_lock(&policy->lock);
    const PolicyFault fault = policy->fault;
    pthread_mutex_unlock(&policy->lock);
    return !fault.is_set || policy_fault_refuse(&fault, policy->path, status);
}

/* --- In study.json --- */

int32_t study_policy_options(const StudyPolicy *policy, const char *options[STUDY_POLICY_OPTIONS])
{
    if (policy == NULL)
        return 0;
    options[0] = "--policy";
    options[1] = policy->path;
    return STUDY_POLICY_OPTIONS;
}

Json *study_policy_json(Arena *arena, const StudyPolicy *policy)
{
    Json *object = json_object(arena);
    json_put_text(arena, object, "name", policy->path + path_folder_length(policy->path));
    json_put_text(arena, object, "path", policy->path);
    json_put_text(arena, object, "checksum", policy->checksum);
    return object;
}

StudyPolicy *study_policy_read(Arena *arena, const Json *json)
{
    const Json *path = json_member(json, "path"), *checksum = json_member(json, "checksum");
    const bool is_whole = path != NULL && path->kind == JSON_STRING && checksum != NULL &&
                          checksum->kind == JSON_STRING;
    return is_whole ? study_policy_create(arena, path->text, checksum->text, NULL) : NULL;
}
