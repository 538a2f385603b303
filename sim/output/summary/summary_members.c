/* Private to sim/output/summary: writes and reads summary.json by one table of members (summary.h).
 */
#include <stddef.h>
#include <string.h>

#include "sim/json/decimal.h"
#include "sim/output/summary/summary.h"

typedef enum {
    MEMBER_TEXT,      /* const char *; NULL: no key */
    MEMBER_NULL_TEXT, /* const char *; NULL: null */
    MEMBER_NUMBER,    /* int64_t */
    MEMBER_NODE_TIME, /* Wide, ns */
    MEMBER_SPREAD,    /* SummarySpread */
    MEMBER_PART,      /* written by the row's function; summary_read reads it */
} MemberKind;

typedef enum { NEVER_AS_NUMBER, NEVER_AS_NULL, NEVER_AS_NO_KEY } NeverAs;

typedef struct {
    const char *pointer; /* RFC 6901, at most two levels; NULL ends a table */
    MemberKind kind;
    size_t offset;
    int32_t decimals; /* a number is written as value / 10^decimals */
    NeverAs never;    /* how SUMMARY_NEVER is written */
    size_t condition; /* if not 0: offset of a bool; false: no key */
    Json *(*write)(Arena *arena, const Summary *summary); /* returns NULL: no key */
} Member;

#define MEMBER(KIND, key, member, ...)                                                             \
    {                                                                                              \
        .pointer = key, .kind = MEMBER_##KIND, .offset = offsetof(OWNER, member), __VA_ARGS__      \
    }
#define TEXT(key, member) MEMBER(TEXT, key, member, .decimals = 0)
#define NULL_TEXT(key, member) MEMBER(NULL_TEXT, key, member, .decimals = 0)
#define COUNT(key, member) MEMBER(NUMBER, key, member, .decimals = 0)
#define COUNT_OR_NULL(key, member) MEMBER(NUMBER, key, member, .never = NEVER_AS_NULL)
#define SECONDS(key, member) MEMBER(NUMBER, key, member, .decimals = DECIMALS_S)
#define SECONDS_OR_NULL(key, member)                                                               \
    MEMBER(NUMBER, key, member, .decimals = DECIMALS_S, .never = NEVER_AS_NULL)
#define MILLISECONDS(key, member) MEMBER(NUMBER, key, member, .decimals = DECIMALS_MS)
#define USD(key, member) MEMBER(NUMBER, key, member, .decimals = DECIMALS_USD)
#define RATIO(key, member) MEMBER(NUMBER, key, member, .decimals = DECIMALS_RATIO)
#define RATIO_OR_NULL(key, member)                                                                 \
    MEMBER(NUMBER, key, member, .decimals = DECIMALS_RATIO, .never = NEVER_AS_NULL)
/* A number without a key when it is SUMMARY_NEVER. */
#define OPTIONAL(KIND, key, member, digits)                                                        \
    MEMBER(KIND, key, member, .decimals = digits, .never = NEVER_AS_NO_KEY)
#define NODE_TIME(key, member) MEMBER(NODE_TIME, key, member, .decimals = DECIMALS_S)
#define SPREAD(key, member) MEMBER(SPREAD, key, member, .decimals = DECIMALS_S)
#define PART(key, writer)                                                                          \
    {                                                                                              \
        .pointer = key, .kind = MEMBER_PART, .write = writer                                       \
    }
#define END                                                                                        \
    {                                                                                              \
        .pointer = NULL                                                                            \
    }

/* --- The members, in the order of the file --- */

#define OWNER SummarySpread
static const Member spread_members[] = {
    SECONDS_OR_NULL("/mean", mean_ns),
    SECONDS_OR_NULL("/p50", p50_ns),
    SECONDS_OR_NULL("/p95", p95_ns),
    SECONDS_OR_NULL("/p99", p99_ns),
    SECONDS_OR_NULL("/max", max_ns),
    OPTIONAL(NUMBER, "/waiting", waiting, 0),
    END,
};
#undef OWNER

/* Both owners of SummaryUses call it `uses`. */
#define USE_ROWS(name, text, words)                                                                \
    NODE_TIME("/attribution/" text "_s", uses.ns[USE_##name]),                                     \
        USD("/attribution/" text "_usd", uses.micro_usd[USE_##name]),

#define OWNER SummaryCluster
static const Member cluster_members[] = {
    TEXT("/path", path),
    NULL_TEXT("/state", state),
    TEXT("/vm_size", vm_size),
    TEXT("/priority", priority),
    SECONDS_OR_NULL("/created_s", created_ns),
    SECONDS_OR_NULL("/steady_s", steady_ns),
    SECONDS_OR_NULL("/ready_s", ready_ns),
    SECONDS_OR_NULL("/deleted_s", deleted_ns),
    COUNT("/nodes_max", nodes_max),
    NODE_TIME("/node_s", held_ns),
    NODE_TIME("/billed_node_s", billed_ns),
    USD("/cost_usd", cost_micro_usd),
    NODE_TIME("/preparing_s", state_ns[NODE_PREPARING]),
    NODE_TIME("/idle_s", state_ns[NODE_IDLE]),
    NODE_TIME("/running_s", state_ns[NODE_RUNNING]),
    NODE_TIME("/leaving_s", state_ns[NODE_LEAVING]),
    NODE_TIME("/unusable_s", state_ns[NODE_UNUSABLE]),
    NODE_USES(USE_ROWS) END,
};
_Static_assert(NODE_STATE_COUNT == 5, "one row per state");
#undef OWNER

#define OWNER SummaryJob
static const Member job_members[] = {
    TEXT("/path", path),
    TEXT("/cluster", cluster),
    TEXT("/tool", tool),
    COUNT("/nodes", nodes),
    OPTIONAL(NUMBER, "/ranks", ranks, 0),
    NULL_TEXT("/state", state),
    COUNT_OR_NULL("/exit_code", exit_code),
    TEXT("/error/code", error_code),
    TEXT("/error/message", error_message),
    SECONDS_OR_NULL("/submitted_s", submitted_ns),
    SECONDS_OR_NULL("/started_s", started_ns),
    SECONDS_OR_NULL("/ended_s", ended_ns),
    SECONDS("/queue_s", queue_ns),
    SECONDS_OR_NULL("/prep_s", prep_ns),
    MEMBER(NUMBER, "/start_s", start_ns, .decimals = DECIMALS_S, .never = NEVER_AS_NULL,
           .condition = offsetof(OWNER, trains)),
    MEMBER(NUMBER, "/train_s", train_ns, .decimals = DECIMALS_S, .never = NEVER_AS_NULL,
           .condition = offsetof(OWNER, trains)),
    MEMBER(NUMBER, "/finish_s", finish_ns, .decimals = DECIMALS_S, .never = NEVER_AS_NULL,
           .condition = offsetof(OWNER, trains)),
    SECONDS_OR_NULL("/run_s", run_ns),
    TEXT("/execution", execution),
    OPTIONAL(NUMBER, "/ranks", real_ranks, 0),
    OPTIONAL(NUMBER, "/steps", steps, 0),
    OPTIONAL(NUMBER, "/step_ms/mean", step_mean_ns, DECIMALS_MS),
    OPTIONAL(NUMBER, "/step_ms/p50", step_p50_ns, DECIMALS_MS),
    OPTIONAL(NUMBER, "/step_ms/p95", step_p95_ns, DECIMALS_MS),
    OPTIONAL(NUMBER, "/split_s/input", part_ns[PART_INPUT], DECIMALS_S),
    OPTIONAL(NUMBER, "/split_s/compute", part_ns[PART_COMPUTE], DECIMALS_S),
    OPTIONAL(NUMBER, "/split_s/wait", part_ns[PART_WAIT], DECIMALS_S),
    OPTIONAL(NUMBER, "/split_s/exchange", part_ns[PART_EXCHANGE], DECIMALS_S),
    OPTIONAL(NUMBER, "/split_s/update", part_ns[PART_UPDATE], DECIMALS_S),
    OPTIONAL(NUMBER, "/split_s/evaluate", part_ns[PART_EVALUATE], DECIMALS_S),
    OPTIONAL(NUMBER, "/split_s/checkpoint", part_ns[PART_CHECKPOINT], DECIMALS_S),
    OPTIONAL(NUMBER, "/epochs", epochs, 0),
    OPTIONAL(NUMBER, "/val_accuracy", val_accuracy_ppm, DECIMALS_RATIO),
    OPTIONAL(NUMBER, "/val_loss", val_loss_micro, DECIMALS_RATIO),
    NODE_TIME("/node_s", node_ns),
    OPTIONAL(NODE_TIME, "/gpu_s", gpu_ns, DECIMALS_S),
    COUNT("/restarts", restarts),
    COUNT("/attempts", attempts),
    SECONDS("/lost_node_s", lost_ns),
    OPTIONAL(NODE_TIME, "/wasted_gpu_s", wasted_gpu_ns, DECIMALS_S),
    RATIO_OR_NULL("/goodput", goodput_ppm),
    MEMBER(NULL_TEXT, "/output_path", output_path, .condition = offsetof(OWNER, is_described)),
    END,
};
#undef OWNER

#define OWNER SummaryWorkload
static const Member workload_members[] = {
    COUNT("/jobs", jobs),
    COUNT("/succeeded", succeeded),
    COUNT("/failed", failed),
    COUNT("/unfinished", unfinished),
    SPREAD("/queue_s", queue),
    SPREAD("/run_s", run),
    SPREAD("/turnaround_s", turnaround),
    SECONDS_OR_NULL("/last_ended_s", last_ended_ns),
    COUNT("/restarts", restarts),
    NODE_TIME("/lost_node_s", lost_ns),
    RATIO_OR_NULL("/goodput", goodput_ppm),
    END,
};
#undef OWNER

#define OWNER SummaryError
static const Member error_members[] = {
    NULL_TEXT("/cluster", cluster),
    TEXT("/of", of),
    TEXT("/what", what),
    NULL_TEXT("/cause", cause),
    COUNT("/count", count),
    SECONDS("/first_s", first_ns),
    SECONDS("/last_s", last_ns),
    END,
};
#undef OWNER

/* --- Writing a table --- */

static Json *item_json(Arena *arena, const Member *members, const void *item);

static Json *number_json(Arena *arena, const Member *member, Wide value)
{
    if (value == SUMMARY_NEVER && member->never == NEVER_AS_NULL)
        return json_null(arena);
    if (value == SUMMARY_NEVER && member->never == NEVER_AS_NO_KEY)
        return NULL;
    return decimal_json(arena, value, member->decimals);
}

static Json *text_json(Arena *arena, const Member *member, const char *text)
{
    if (text != NULL)
        return json_string(arena, text);
    return member->kind == MEMBER_NULL_TEXT ? json_null(arena) : NULL;
}

/* NULL: there is no key. */
static Json *member_json(Arena *arena, const Member *member, const void *item)
{
    const void *place = (const char *)item + member->offset;
    const SummarySpread *spread = place;
    if (member->condition != 0 && !*(const bool *)((const char *)item + member->condition))
        return NULL;
    switch (member->kind) {
    case MEMBER_TEXT:
    case MEMBER_NULL_TEXT:
        return text_json(arena, member, *(const char *const *)place);
    case MEMBER_NUMBER:
        return number_json(arena, member, *(const int64_t *)place);
    case MEMBER_NODE_TIME:
        return number_json(arena, member, *(const Wide *)place);
    case MEMBER_SPREAD:
        return spread->is_empty ? json_null(arena) : item_json(arena, spread_members, spread);
    case MEMBER_PART:
        break;
    }
    return member->write(arena, item);
}

/* Puts `value` at the pointer. The members of an inner object follow one another in their table. */
static void put(Arena *arena, Json *object, const char *pointer, Json *value)
{
    const char *key = pointer + 1, *const slash = strchr(key, '/');
    if (slash != NULL) {
        const char *outer = arena_strndup(arena, key, (size_t)(slash - key));
        const bool is_there = object->last != NULL && strcmp(object->last->key, outer) == 0;
        object = is_there ? object->last : json_put_object(arena, object, outer);
        key = slash + 1;
    }
    json_set(arena, object, key, value);
}

static Json *item_json(Arena *arena, const Member *members, const void *item)
{
    Json *object = json_object(arena);
    for (const Member *member = members; member->pointer != NULL; member++) {
        Json *value = member_json(arena, member, item);
        if (value != NULL)
            put(arena, object, member->pointer, value);
    }
    return object;
}

/* --- Reading a table --- */

static void text_read(const Member *member, const Json *node, const char **text, Problems *problems)
{
    *text = NULL;
    if (node == NULL || node->kind == JSON_NULL)
        return;
    if (node->kind == JSON_STRING)
        *text = node->text;
    else
        problems_add(problems, STATUS_BAD_INPUT, node->at, "\"%s\" is a %s, expected a string",
                     member->pointer + 1, json_kind_name(node->kind));
}

static void number_read(const Member *member, const Json *node, Wide *value, Problems *problems)
{
    int64_t number = 0;
    *value = SUMMARY_NEVER;
    if (node == NULL || node->kind == JSON_NULL)
        return;
    const bool is_wide = member->kind == MEMBER_NODE_TIME;
    bool is_read = is_wide ? decimal_read(node, member->decimals, value)
                           : json_scaled(node, member->decimals, &number);
    if (!is_wide && is_read)
        *value = number;
    if (!is_read || *value < 0)
        problems_add(problems, STATUS_BAD_INPUT, node->at,
                     "\"%s\" is not a number from 0 with at most %d decimals", member->pointer + 1,
                     member->decimals);
}

/* `object` NULL: every member is missing. */
static void item_read(const Json *object, const Member *members, void *item, Problems *problems)
{
    for (const Member *member = members; member->pointer != NULL; member++) {
        void *const place = (char *)item + member->offset;
        const Json *node = object != NULL ? json_find(object, member->pointer) : NULL;
        Wide value;
        switch (member->kind) {
        case MEMBER_TEXT:
        case MEMBER_NULL_TEXT:
            text_read(member, node, place, problems);
            break;
        case MEMBER_NUMBER:
            number_read(member, node, &value, problems);
            *(int64_t *)place = (int64_t)value;
            break;
        case MEMBER_NODE_TIME:
            number_read(member, node, place, problems);
            break;
        case MEMBER_SPREAD:
            item_read(node, spread_members, place, problems);
            break;
        case MEMBER_PART:
            break;
        }
    }
}

/* --- Parts of the whole --- */

/* The object `key` of the summary, whose members are named items. */
static const Json *named_items(const Json *root, const char *key, Problems *problems)
{
    const Json *object = json_member(root, key);
    if (object != NULL && object->kind == JSON_OBJECT)
        return object;
    Status *problem = problems_add(problems, STATUS_BAD_INPUT, json_at(object ? object : root),
                                   "\"%s\" is missing or not an object", key);
    status_hint(problem, "summary.json is written by `trainyard run SCENARIO -o DIR`");
    return NULL;
}

/* The path joins the summary and the trace. */
static void path_check(const Json *item, const char *path, Problems *problems)
{
    if (path == NULL)
        problems_add(problems, STATUS_BAD_INPUT, item->at, "\"%s\" has no \"path\"", item->key);
}

static Json *seed_json(Arena *arena, const Summary *summary)
{
    return summary->seed != NULL ? json_decimal(arena, summary->seed) : NULL;
}

static Json *clusters_json(Arena *arena, const Summary *summary)
{
    Json *object = json_object(arena);
    for (uint32_t i = 0; i < summary->cluster_count; i++)
        json_set(arena, object, summary->clusters[i].name,
                 item_json(arena, cluster_members, &summary->clusters[i]));
    return object;
}

static Json *jobs_json(Arena *arena, const Summary *summary)
{
    Json *object = json_object(arena);
    for (uint32_t i = 0; i < summary->job_count; i++)
        json_set(arena, object, summary->jobs[i].name,
                 item_json(arena, job_members, &summary->jobs[i]));
    return object;
}

static Json *workloads_json(Arena *arena, const Summary *summary)
{
    if (summary->workload_count == 0)
        return NULL;
    Json *object = json_object(arena);
    for (uint32_t i = 0; i < summary->workload_count; i++)
        json_set(arena, object, summary->workloads[i].name,
                 item_json(arena, workload_members, &summary->workloads[i]));
    return object;
}

static Json *cluster_costs_json(Arena *arena, const Summary *summary)
{
    Json *object = json_object(arena);
    for (uint32_t i = 0; i < summary->cluster_count; i++)
        json_set(arena, object, summary->clusters[i].name,
                 decimal_json(arena, summary->clusters[i].cost_micro_usd, DECIMALS_USD));
    return object;
}

static Json *file_server_costs_json(Arena *arena, const Summary *summary)
{
    Json *object = json_object(arena);
    for (uint32_t i = 0; i < summary->file_server_count; i++)
        json_set(arena, object, summary->file_servers[i].name,
                 decimal_json(arena, summary->file_servers[i].cost_micro_usd, DECIMALS_USD));
    return object;
}

static Json *problems_json(Arena *arena, const Summary *summary)
{
    Json *list = json_array(arena);
    for (uint32_t i = 0; i < summary->problem_count; i++)
        json_add(list, json_string(arena, summary->problems[i]));
    return list;
}

static Json *errors_json(Arena *arena, const Summary *summary)
{
    Json *list = json_array(arena);
    for (uint32_t i = 0; i < summary->error_count; i++)
        json_add(list, item_json(arena, error_members, &summary->errors[i]));
    return list;
}

#define OWNER Summary
static const Member run_members[] = {
    TEXT("/scenario", scenario),
    PART("/seed", seed_json),
    TEXT("/version", version),
    TEXT("/rng", rng),
    SECONDS("/simulated_s", end_ns),
    COUNT("/events", events),
    COUNT("/draws", draws),
    TEXT("/fidelity", fidelity),
    TEXT("/start", start),
    PART("/clusters", clusters_json),
    PART("/jobs", jobs_json),
    PART("/workloads", workloads_json),
    SPREAD("/queue_s", queue),
    USD("/cost_usd/total", cost_micro_usd),
    PART("/cost_usd/clusters", cluster_costs_json),
    PART("/cost_usd/file_servers", file_server_costs_json),
    OPTIONAL(NUMBER, "/cost_usd/storage", storage_micro_usd, DECIMALS_USD),
    COUNT("/held_nodes", held_nodes),
    USD("/held_usd_per_h", held_micro_usd_per_hour),
    NODE_USES(USE_ROWS) // "attribution"
    RATIO_OR_NULL("/utilisation", utilisation_ppm),
    PART("/problems", problems_json),
    PART("/errors", errors_json),
    TEXT("/fingerprint", fingerprint),
    END,
};
#undef OWNER

Json *summary_json(Arena *arena, const Summary *summary)
{
    return item_json(arena, run_members, summary);
}

static void clusters_read(Arena *arena, const Json *clusters, Summary *summary, Problems *problems)
{
    if (clusters == NULL)
        return;
    summary->clusters = ARENA_ARRAY(arena, SummaryCluster, clusters->count);
    for (const Json *item = clusters->first; item != NULL; item = item->next) {
        SummaryCluster *cluster = &summary->clusters[summary->cluster_count++];
        cluster->name = item->key;
        item_read(item, cluster_members, cluster, problems);
        path_check(item, cluster->path, problems);
    }
}

static void jobs_read(Arena *arena, const Json *jobs, Summary *summary, Problems *problems)
{
    if (jobs == NULL)
        return;
    summary->jobs = ARENA_ARRAY(arena, SummaryJob, jobs->count);
    for (const Json *item = jobs->first; item != NULL; item = item->next) {
        SummaryJob *job = &summary->jobs[summary->job_count++];
        job->name = item->key;
        item_read(item, job_members, job, problems);
        path_check(item, job->path, problems);
    }
}

static void workloads_read(Arena *arena, const Json *workloads, Summary *summary,
                           Problems *problems)
{
    if (workloads == NULL || workloads->kind != JSON_OBJECT)
        return; // most runs have none
    summary->workloads = ARENA_ARRAY(arena, SummaryWorkload, workloads->count);
    for (const Json *item = workloads->first; item != NULL; item = item->next) {
        SummaryWorkload *workload = &summary->workloads[summary->workload_count++];
        workload->name = item->key;
        item_read(item, workload_members, workload, problems);
    }
}

static void errors_read(Arena *arena, const Json *errors, Summary *summary, Problems *problems)
{
    if (errors == NULL || errors->kind != JSON_ARRAY)
        return;
    summary->errors = ARENA_ARRAY(arena, SummaryError, errors->count);
    for (const Json *item = errors->first; item != NULL; item = item->next)
        item_read(item, error_members, &summary->errors[summary->error_count++], problems);
}

static void problems_read(Arena *arena, const Json *list, Summary *summary)
{
    summary->problems = ARENA_ARRAY(arena, const char *, list != NULL ? list->count : 0);
    for (const Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next)
        if (item->kind == JSON_STRING)
            summary->problems[summary->problem_count++] = item->text;
}

void summary_read(Arena *arena, const Json *root, Summary *summary, Problems *problems)
{
    *summary = (Summary){0};
    item_read(root, run_members, summary, problems);
    const Json *seed = json_member(root, "seed");
    summary->seed = seed != NULL ? seed->text : NULL;
    clusters_read(arena, named_items(root, "clusters", problems), summary, problems);
    jobs_read(arena, named_items(root, "jobs", problems), summary, problems);
    workloads_read(arena, json_member(root, "workloads"), summary, problems);
    errors_read(arena, json_member(root, "errors"), summary, problems);
    problems_read(arena, json_member(root, "problems"), summary);
    if (summary->end_ns == SUMMARY_NEVER)
        problems_add(problems, STATUS_BAD_INPUT, json_at(root), "\"simulated_s\" is missing");
}
