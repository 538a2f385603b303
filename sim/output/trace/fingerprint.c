#include "sim/output/trace/fingerprint.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/name_table.h"

typedef enum { EVENTS, TIMES, NODES, JOBS, BILLS, FILES, DRAWS } Group;

static const char *const names[] = {"events", "times", "nodes", "jobs", "bills", "files", "draws"};
_Static_assert(sizeof names / sizeof names[0] == FINGERPRINT_GROUPS, "a name for each group");
_Static_assert(DRAWS + 1 == FINGERPRINT_GROUPS, "a hash for each group");

/* The group of each kind's contents. The kind itself always goes to EVENTS, its times to TIMES. */
static const Group groups[] = {
    [TRACE_COMMAND_APPLIED] = EVENTS,
    [TRACE_COMMAND_SKIPPED] = EVENTS,
    [TRACE_COMMAND_REFUSED] = EVENTS,
    [TRACE_RESOURCE_CREATED] = EVENTS,
    [TRACE_RESOURCE_DELETED] = EVENTS,
    [TRACE_CLUSTER_PROVISIONING] = NODES,
    [TRACE_CLUSTER_ALLOCATION] = NODES,
    [TRACE_CLUSTER_READY] = NODES,
    [TRACE_CLUSTER_SHOWN] = EVENTS,
    [TRACE_NODE_KIND] = NODES,
    [TRACE_NODE_STATE] = NODES,
    [TRACE_CLUSTER_SCALING] = NODES,
    [TRACE_CLUSTER_ERROR] = NODES,
    [TRACE_NODE_ERROR] = NODES,
    [TRACE_NODE_NOTICE] = NODES,
    [TRACE_NODE_REPAIR] = NODES,
    [TRACE_NODE_DRAINED] = NODES,
    [TRACE_NODE_RESUMED] = NODES,
    [TRACE_NODE_SPEED] = NODES,
    [TRACE_GROUP_STRUCK] = NODES,
    [TRACE_JOB_ATTEMPT] = JOBS,
    [TRACE_JOB_PLACED] = JOBS,
    [TRACE_JOB_STALLED] = JOBS,
    [TRACE_JOB_WAITS] = JOBS,
    [TRACE_QUEUE_RECLAIMS] = JOBS,
    [TRACE_JOB_RECLAIMED] = JOBS,
    [TRACE_JOB_NOTICE] = JOBS,
    [TRACE_QUEUE_CHANGED] = JOBS,
    [TRACE_CLUSTER_MAINTENANCE] = NODES,
    [TRACE_JOB_DEFERRED] = JOBS,
    [TRACE_JOB_RESUMED] = JOBS,
    [TRACE_JOB_RESUMED_WITHIN] = JOBS,
    [TRACE_JOB_SAVED] = FILES,
    [TRACE_JOB_WORK_SAVED] = JOBS,
    [TRACE_JOB_WORK_RESUMED] = JOBS,
    [TRACE_SHARE_STATE] = FILES,
    [TRACE_FILE_SERVER_PROVISIONING] = FILES,
    [TRACE_FILE_SERVER_BILLED] = BILLS,
    [TRACE_USAGES_SHOWN] = EVENTS,
    [TRACE_NODE_BILLED] = BILLS,
    [TRACE_JOB_PROVISIONING] = JOBS,
    [TRACE_JOB_STATE] = JOBS,
    [TRACE_JOB_ERROR] = JOBS,
    [TRACE_JOB_STAGE] = JOBS,
    [TRACE_JOB_TRAINING] = JOBS,
    [TRACE_JOB_TRAINED] = JOBS,
    [TRACE_EPOCH] = JOBS,
    [TRACE_EVALUATION] = JOBS,
    [TRACE_CHECKPOINT] = FILES,
    [TRACE_CHECKPOINT_WITHIN] = FILES,
    [TRACE_STEP] = JOBS,
    [TRACE_TRANSFER] = FILES,
    [TRACE_LINK_FULL] = FILES,
    [TRACE_FILE_WRITTEN] = FILES,
    [TRACE_FILE_DELETED] = FILES,
    [TRACE_JOB_SHOWN] = EVENTS,
    [TRACE_JOB_FILES_SHOWN] = EVENTS,
    [TRACE_RUN_ENDED] = EVENTS,
};
_Static_assert(sizeof groups / sizeof groups[0] == TRACE_KIND_COUNT, "one group per kind");

static void add_word(uint64_t *hash, uint64_t word)
{
    uint64_t h = (*hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    *hash = h ^ h >> 32;
}

/* Consecutive records often have the same names, so most hashes of names are known already. */
static void add_name(Fingerprint *fingerprint, uint64_t *hash, int column, const char *name)
{
    KnownName *known = &fingerprint->known[column];
    if (known->name != name)
        *known = (KnownName){name, name != NULL ? name_hash(name) : 0};
    add_word(hash, known->hash);
}

Fingerprint fingerprint_start(void)
{
    Fingerprint fingerprint = {0};
    for (int i = 0; i < FINGERPRINT_GROUPS; i++)
        fingerprint.hash[i] = HASH_START;
    return fingerprint;
}

void fingerprint_add(Fingerprint *fingerprint, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    // Names, not enum values: adding a kind later leaves the fingerprints of old runs unchanged.
    add_name(fingerprint, &fingerprint->hash[EVENTS], 0, trace_kind_name(record->kind));
    add_word(&fingerprint->hash[TIMES], (uint64_t)record->at_ns);
    add_word(&fingerprint->hash[TIMES], (uint64_t)record->since_ns);
    uint64_t *hash = &fingerprint->hash[groups[record->kind]];
    add_name(fingerprint, hash, 1, row->cluster);
    add_name(fingerprint, hash, 2, row->node);
    add_name(fingerprint, hash, 3, row->job);
    add_name(fingerprint, hash, 4, row->share);
    add_name(fingerprint, hash, 5, record->name);
    add_name(fingerprint, hash, 6, trace_cause_name(record->cause));
    add_word(hash, (uint64_t)record->bytes);
    if (record->kind == TRACE_RUN_ENDED) {
        add_word(hash, (uint64_t)record->run_ended.events);
        add_word(&fingerprint->hash[DRAWS], (uint64_t)record->run_ended.draws);
        add_word(&fingerprint->hash[DRAWS], (uint64_t)record->run_ended.drawn);
        return;
    }
    for (int i = 0; i < TRACE_VALUES; i++)
        add_word(hash, (uint64_t)record->in_order[i]);
}

static void fold_row(void *listener, const TraceRow *row)
{
    fingerprint_add(listener, row);
}

TraceListener fingerprint_listener(Fingerprint *fingerprint, TraceLevel level)
{
    return (TraceListener){.listener = fingerprint, .level = level, .row = fold_row};
}

void fingerprint_print(Text *out, const Fingerprint *fingerprint)
{
    for (int i = 0; i < FINGERPRINT_GROUPS; i++)
        text_printf(out, "%s%s:%016" PRIx64, i > 0 ? "/" : "", names[i], fingerprint->hash[i]);
}

/* The printed hash of the ingredient called `name`; `*length` is 0 when there is none. */
static const char *hash_of(const char *fingerprint, const char *name, size_t *length)
{
    const size_t name_length = strlen(name);
    *length = 0;
    for (;;) {
        const size_t part = strcspn(fingerprint, "/");
        if (strncmp(fingerprint, name, name_length) == 0 && fingerprint[name_length] == ':') {
            *length = part - name_length - 1;
            return fingerprint + name_length + 1;
        }
        if (fingerprint[part] == '\0')
            return fingerprint + part;
        fingerprint += part + 1;
    }
}

static bool is_same_ingredient(const char *a, const char *b, const char *name)
{
    size_t length_a, length_b;
    const char *hash_a = hash_of(a, name, &length_a), *hash_b = hash_of(b, name, &length_b);
    return length_a == length_b && memcmp(hash_a, hash_b, length_a) == 0;
}

static bool has_ingredient(const char *fingerprint, const char *name)
{
    size_t length;
    hash_of(fingerprint, name, &length);
    return length > 0;
}

FingerprintComparison fingerprint_compare(const char *a, const char *b)
{
    FingerprintComparison found = {.is_same = strcmp(a, b) == 0};
    for (int i = 0; i < FINGERPRINT_GROUPS; i++) {
        if (!has_ingredient(a, names[i]) && !has_ingredient(b, names[i]))
            continue;
        if (is_same_ingredient(a, b, names[i]))
            found.same[found.same_count++] = names[i];
        else
            found.different[found.different_count++] = names[i];
    }
    return found;
}

static void add_list(Text *out, const char *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", items[i]);
}

void fingerprint_comparison_print(Text *out, const FingerprintComparison *comparison)
{
    if (comparison->is_same)
        return;
    text_add(out, "The runs differ in: ");
    if (comparison->different_count == 0)
        text_add(out, "ingredients without a name");
    add_list(out, comparison->different, comparison->different_count);
    text_add(out, ".");
    if (comparison->same_count > 0) {
        text_add(out, " They are the same in: ");
        add_list(out, comparison->same, comparison->same_count);
        text_add(out, ".");
    }
    text_add(out, "\n");
}
