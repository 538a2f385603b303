#include "reports/run/summary_facts.h"

#include <stddef.h>
#include <string.h>

#include "sim/output/summary/decimal.h"

/* A member of the summary: a text, node time in ns (Wide), or a number kept as value * 10^decimals.
 */
enum {
    NODE_TIME = -2,
    TEXT = -1,
    INTEGER = 0,
    PERMILLION = 6,
    MICRO = 6,
    MS_TO_NS = 6,
    S_TO_NS = 9
};

typedef struct {
    const char *pointer; /* RFC 6901, from the object that the table is for */
    int32_t decimals;    /* or TEXT, NODE_TIME */
    size_t offset;
} Field;

static const Field run_fields[] = {
    {"/scenario", TEXT, offsetof(Facts, scenario)},
    {"/version", TEXT, offsetof(Facts, version)},
    {"/fidelity", TEXT, offsetof(Facts, fidelity)},
    {"/fingerprint", TEXT, offsetof(Facts, fingerprint)},
    {"/simulated_s", S_TO_NS, offsetof(Facts, end_ns)},
    {"/cost_usd/total", MICRO, offsetof(Facts, cost_micro_usd)},
    {"/cost_usd/storage", MICRO, offsetof(Facts, storage_micro_usd)},
    {"/held_nodes", INTEGER, offsetof(Facts, held_nodes)},
    {"/held_usd_per_h", MICRO, offsetof(Facts, held_micro_usd_per_hour)},
    {"/utilisation", PERMILLION, offsetof(Facts, utilisation_ppm)},
};

static const Field cluster_fields[] = {
    {"/path", TEXT, offsetof(ReportCluster, path)},
    {"/state", TEXT, offsetof(ReportCluster, state)},
    {"/vm_size", TEXT, offsetof(ReportCluster, vm_size)},
    {"/priority", TEXT, offsetof(ReportCluster, priority)},
    {"/created_s", S_TO_NS, offsetof(ReportCluster, created_ns)},
    {"/steady_s", S_TO_NS, offsetof(ReportCluster, steady_ns)},
    {"/ready_s", S_TO_NS, offsetof(ReportCluster, ready_ns)},
    {"/nodes_max", INTEGER, offsetof(ReportCluster, nodes_max)},
    {"/node_s", NODE_TIME, offsetof(ReportCluster, held_ns)},
    {"/billed_node_s", NODE_TIME, offsetof(ReportCluster, billed_ns)},
    {"/cost_usd", MICRO, offsetof(ReportCluster, cost_micro_usd)},
};

#define PART(name, part)                                                                           \
    {                                                                                              \
        "/split_s/" name, S_TO_NS, offsetof(ReportJob, part_ns[part])                              \
    }
static const Field job_fields[] = {
    {"/path", TEXT, offsetof(ReportJob, path)},
    {"/cluster", TEXT, offsetof(ReportJob, cluster)},
    {"/state", TEXT, offsetof(ReportJob, state)},
    {"/nodes", INTEGER, offsetof(ReportJob, nodes)},
    {"/error/message", TEXT, offsetof(ReportJob, error_message)},
    {"/submitted_s", S_TO_NS, offsetof(ReportJob, submitted_ns)},
    {"/ended_s", S_TO_NS, offsetof(ReportJob, ended_ns)},
    {"/queue_s", S_TO_NS, offsetof(ReportJob, queue_ns)},
    {"/prep_s", S_TO_NS, offsetof(ReportJob, prep_ns)},
    {"/start_s", S_TO_NS, offsetof(ReportJob, start_ns)},
    {"/train_s", S_TO_NS, offsetof(ReportJob, train_ns)},
    {"/finish_s", S_TO_NS, offsetof(ReportJob, finish_ns)},
    {"/run_s", S_TO_NS, offsetof(ReportJob, run_ns)},
    {"/epochs", INTEGER, offsetof(ReportJob, epochs)},
    {"/step_ms/mean", MS_TO_NS, offsetof(ReportJob, step_mean_ns)},
    {"/step_ms/p95", MS_TO_NS, offsetof(ReportJob, step_p95_ns)},
    PART("input", PART_INPUT),
    PART("compute", PART_COMPUTE),
    PART("wait", PART_WAIT),
    PART("exchange", PART_EXCHANGE),
    PART("update", PART_UPDATE),
    PART("evaluate", PART_EVALUATE),
    PART("checkpoint", PART_CHECKPOINT),
    {"/val_accuracy", PERMILLION, offsetof(ReportJob, val_accuracy_ppm)},
    {"/val_loss", MICRO, offsetof(ReportJob, val_loss_micro)},
    {"/gpu_s", NODE_TIME, offsetof(ReportJob, gpu_ns)},
    {"/restarts", INTEGER, offsetof(ReportJob, restarts)},
    {"/lost_node_s", S_TO_NS, offsetof(ReportJob, lost_ns)},
    {"/goodput", PERMILLION, offsetof(ReportJob, goodput_ppm)},
};

static const Field workload_fields[] = {
    {"/jobs", INTEGER, offsetof(ReportWorkload, jobs)},
    {"/succeeded", INTEGER, offsetof(ReportWorkload, succeeded)},
    {"/failed", INTEGER, offsetof(ReportWorkload, failed)},
    {"/unfinished", INTEGER, offsetof(ReportWorkload, unfinished)},
    {"/restarts", INTEGER, offsetof(ReportWorkload, restarts)},
    {"/queue_s/p50", S_TO_NS, offsetof(ReportWorkload, queue_p50_ns)},
    {"/queue_s/p95", S_TO_NS, offsetof(ReportWorkload, queue_p95_ns)},
    {"/queue_s/max", S_TO_NS, offsetof(ReportWorkload, queue_max_ns)},
    {"/queue_s/waiting", INTEGER, offsetof(ReportWorkload, waiting)},
    {"/run_s/p50", S_TO_NS, offsetof(ReportWorkload, run_p50_ns)},
    {"/turnaround_s/p50", S_TO_NS, offsetof(ReportWorkload, turnaround_p50_ns)},
    {"/turnaround_s/p95", S_TO_NS, offsetof(ReportWorkload, turnaround_p95_ns)},
    {"/last_ended_s", S_TO_NS, offsetof(ReportWorkload, last_ended_ns)},
    {"/lost_node_s", NODE_TIME, offsetof(ReportWorkload, lost_ns)},
    {"/goodput", PERMILLION, offsetof(ReportWorkload, goodput_ppm)},
};

static const Field error_fields[] = {
    {"/cluster", TEXT, offsetof(ReportError, cluster)},
    {"/of", TEXT, offsetof(ReportError, of)},
    {"/what", TEXT, offsetof(ReportError, what)},
    {"/count", INTEGER, offsetof(ReportError, count)},
    {"/first_s", S_TO_NS, offsetof(ReportError, first_ns)},
    {"/last_s", S_TO_NS, offsetof(ReportError, last_ns)},
};

#define X(name, text, words)                                                                       \
    {"/attribution/" text "_s", NODE_TIME, offsetof(ReportCluster, use_ns[USE_##name])},           \
        {"/attribution/" text "_usd", MICRO, offsetof(ReportCluster, use_micro_usd[USE_##name])},
static const Field use_fields[] = {NODE_USES(X)};
#undef X
#undef PART

static bool number_read(const Json *value, int32_t decimals, void *member)
{
    if (decimals == NODE_TIME) {
        Wide *const ns = member;
        return decimal_read(value, S_TO_NS, ns) && *ns >= 0;
    }
    int64_t *const number = member;
    return json_scaled(value, decimals, number) && *number >= 0;
}

static void number_is_absent(int32_t decimals, void *member)
{
    if (decimals == NODE_TIME)
        *(Wide *)member = ABSENT;
    else
        *(int64_t *)member = ABSENT;
}

static void field_read(const Json *object, const Field *field, void *facts, Problems *problems)
{
    const Json *value = json_find((Json *)object, field->pointer);
    const bool is_there = value != NULL && value->kind != JSON_NULL;
    char *const member = (char *)facts + field->offset;
    if (field->decimals == TEXT) {
        *(const char **)member = is_there && value->kind == JSON_STRING ? value->text : NULL;
        if (is_there && value->kind != JSON_STRING)
            problems_add(problems, STATUS_BAD_INPUT, value->at, "\"%s\" is a %s, expected a string",
                         field->pointer + 1, json_kind_name(value->kind));
        return;
    }
    number_is_absent(field->decimals, member);
    if (is_there && !number_read(value, field->decimals, member))
        problems_add(problems, STATUS_BAD_INPUT, value->at,
                     "\"%s\" is not a number from 0 with at most %d decimals", field->pointer + 1,
                     field->decimals == NODE_TIME ? S_TO_NS : field->decimals);
}

static void fields_read(const Json *object, const Field *fields, size_t count, void *facts,
                        Problems *problems)
{
    for (size_t i = 0; i < count; i++)
        field_read(object, &fields[i], facts, problems);
}
#define FIELDS(table) (table), sizeof(table) / sizeof((table)[0])

/* The object `key` of the summary; its members are clusters or jobs by name. */
static const Json *things(const Json *root, const char *key, Problems *problems)
{
    const Json *object = json_member(root, key);
    if (object == NULL || object->kind != JSON_OBJECT) {
        Status *problem = problems_add(problems, STATUS_BAD_INPUT, json_at(object ? object : root),
                                       "\"%s\" is missing or not an object", key);
        status_hint(problem, "summary.json is written by `trainyard run SCENARIO -o DIR`");
        return NULL;
    }
    return object;
}

/* The path joins the summary and the trace. */
static void path_check(const Json *item, const char *path, Problems *problems)
{
    if (path == NULL)
        problems_add(problems, STATUS_BAD_INPUT, item->at, "\"%s\" has no \"path\"", item->key);
}

static void clusters_read(Arena *arena, const Json *clusters, Facts *facts, Problems *problems)
{
    facts->cluster_count = clusters != NULL ? (uint32_t)clusters->count : 0;
    facts->clusters = ARENA_ARRAY(arena, ReportCluster, facts->cluster_count);
    ReportCluster *next = facts->clusters;
    for (const Json *item = clusters ? clusters->first : NULL; item != NULL; item = item->next) {
        next->name = item->key;
        fields_read(item, FIELDS(cluster_fields), next, problems);
        fields_read(item, FIELDS(use_fields), next, problems);
        path_check(item, next++->path, problems);
    }
}

static void jobs_read(Arena *arena, const Json *jobs, Facts *facts, Problems *problems)
{
    facts->job_count = jobs != NULL ? (uint32_t)jobs->count : 0;
    facts->jobs = ARENA_ARRAY(arena, ReportJob, facts->job_count);
    ReportJob *next = facts->jobs;
    for (const Json *item = jobs ? jobs->first : NULL; item != NULL; item = item->next) {
        next->name = item->key;
        fields_read(item, FIELDS(job_fields), next, problems);
        path_check(item, next++->path, problems);
    }
}

static void workloads_read(Arena *arena, const Json *workloads, Facts *facts, Problems *problems)
{
    if (workloads == NULL || workloads->kind != JSON_OBJECT)
        return; // most runs have no errors
    facts->workloads = ARENA_ARRAY(arena, ReportWorkload, workloads->count);
    for (const Json *item = workloads->first; item != NULL; item = item->next) {
        ReportWorkload *workload = &facts->workloads[facts->workload_count++];
        workload->name = item->key;
        fields_read(item, FIELDS(workload_fields), workload, problems);
    }
}

static void errors_read(Arena *arena, const Json *errors, Facts *facts, Problems *problems)
{
    if (errors == NULL || errors->kind != JSON_ARRAY)
        return;
    facts->errors = ARENA_ARRAY(arena, ReportError, errors->count);
    for (const Json *item = errors->first; item != NULL; item = item->next)
        fields_read(item, FIELDS(error_fields), &facts->errors[facts->error_count++], problems);
}

static void problems_read(Arena *arena, const Json *list, Facts *facts)
{
    facts->problems = ARENA_ARRAY(arena, const char *, list != NULL ? list->count : 0);
    for (const Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next)
        if (item->kind == JSON_STRING)
            facts->problems[facts->problem_count++] = item->text;
}

void summary_facts_read(Arena *arena, const Json *root, Facts *facts, Problems *problems)
{
    fields_read(root, FIELDS(run_fields), facts, problems);
    const Json *seed = json_member(root, "seed");
    facts->seed = seed != NULL ? seed->text : NULL; // as written: it may exceed int64
    clusters_read(arena, things(root, "clusters", problems), facts, problems);
    jobs_read(arena, things(root, "jobs", problems), facts, problems);
    workloads_read(arena, json_member(root, "workloads"), facts, problems);
    errors_read(arena, json_member(root, "errors"), facts, problems);
    problems_read(arena, json_member(root, "problems"), facts);
    if (facts->end_ns == ABSENT)
        problems_add(problems, STATUS_BAD_INPUT, json_at(root), "\"simulated_s\" is missing");
}

int64_t job_turnaround_ns(const ReportJob *job)
{
    if (job->submitted_ns == ABSENT || job->ended_ns == ABSENT || job->ended_ns < job->submitted_ns)
        return ABSENT;
    return job->ended_ns - job->submitted_ns;
}
