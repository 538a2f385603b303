#include "sim/study/journal/run_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"

/* A record where it was found. */
typedef struct {
    RunRecord run;
    Place at;
} Found;

/* Values are copied into blocks, because one allocation for each record would be slow. */
enum { BLOCK_RECORDS = 4096 };

struct RunCollection {
    Arena *arena;
    uint32_t value_count;
    Found *found;
    uint32_t count, capacity;
    bool is_ordered; /* the records came in ascending order so far */
    double *values;  /* free room of the current block */
    uint32_t values_left;
    const uint8_t *no_flags; /* shared by all records without flags */
};

static bool value_is_same(double a, double b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0; // 0.0 differs from -0.0
}

bool run_record_is_same(const RunRecord *a, const RunRecord *b)
{
    bool is_same = a->point == b->point && a->replication == b->replication && a->seed == b->seed &&
                   a->fingerprint == b->fingerprint && a->value_count == b->value_count;
    for (uint32_t i = 0; is_same && i < a->value_count; i++)
        is_same = value_is_same(a->values[i], b->values[i]) && a->flags[i] == b->flags[i];
    return is_same;
}

/* The order of records as one number; point and replication are not negative. */
static uint64_t run_key(const RunRecord *run)
{
    return (uint64_t)run->point << 32 | (uint64_t)run->replication;
}

/* --- Collecting --- */

RunCollection *run_collection_create(Arena *arena, uint32_t value_count)
{
    RunCollection *collection = ARENA_NEW(arena, RunCollection);
    *collection = (RunCollection){.arena = arena,
                                  .value_count = value_count,
                                  .is_ordered = true,
                                  .no_flags = ARENA_ARRAY(arena, uint8_t, value_count)};
    return collection;
}

static const double *copy_values(RunCollection *collection, const double *values)
{
    const uint32_t count = collection->value_count;
    if (collection->values_left < count) {
        collection->values = ARENA_ARRAY(collection->arena, double, (size_t)count *BLOCK_RECORDS);
        collection->values_left = count * BLOCK_RECORDS;
    }
    double *copy = collection->values;
    if (count > 0)
        memcpy(copy, values, count * sizeof *copy);
    collection->values += count;
    collection->values_left -= count;
    return copy;
}

static const uint8_t *copy_flags(RunCollection *collection, const uint8_t *flags)
{
    const uint32_t count = collection->value_count;
    if (count == 0 || memcmp(flags, collection->no_flags, count) == 0)
        return collection->no_flags;
    return memcpy(arena_alloc(collection->arena, count), flags, count);
}

void run_collection_add(RunCollection *collection, const RunRecord *record, Place at)
{
    invariant(record->value_count == collection->value_count);
    invariant(record->point >= 0 && record->replication >= 0);
    const uint32_t index = collection->count;
    if (index > 0 && run_key(record) <= run_key(&collection->found[index - 1].run))
        collection->is_ordered = false;
    collection->found = array_room(collection->arena, collection->found, index + 1,
                                   &collection->capacity, sizeof *collection->found);
    Found *found = &collection->found[index];
    *found = (Found){.run = *record, .at = at};
    found->run.values = copy_values(collection, record->values);
    found->run.flags = copy_flags(collection, record->flags);
    collection->count++;
}

/* --- Ordering --- */

typedef struct {
    uint64_t key;
    uint32_t index; /* in `found`: the order of reading decides among equal keys */
} RunOrder;

static int by_key(const void *left, const void *right)
{
    const RunOrder *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static const RunOrder *order_runs(RunCollection *collection)
{
    RunOrder *order = ARENA_ARRAY(collection->arena, RunOrder, collection->count);
    for (uint32_t i = 0; i < collection->count; i++)
        order[i] = (RunOrder){run_key(&collection->found[i].run), i};
    if (!collection->is_ordered)
        qsort(order, collection->count, sizeof *order, by_key);
    return order;
}

static void report_difference(const Found *first, const Found *second, Problems *problems)
{
    Status *status = problems_add(
        problems, STATUS_MACHINE, second->at,
        "point %" PRId32 ", replication %" PRId32 " has another result than in %s:%" PRId32,
        second->run.point, second->run.replication, first->at.source, first->at.line);
    status_hint(status, "one of the machines computes wrongly, or its program was built "
                        "differently: repeat the run, then delete the line that is wrong");
}

bool run_collection_finish(RunCollection *collection, RunRecords *out, Problems *problems)
{
    const RunOrder *order = order_runs(collection);
    RunRecord *items = ARENA_ARRAY(collection->arena, RunRecord, collection->count);
    const Found *first = NULL; // of the records of one run
    bool is_right = true;
    out->count = 0;
    out->duplicate_count = 0;
    for (uint32_t i = 0; i < collection->count; i++) {
        const Found *found = &collection->found[order[i].index];
        if (first == NULL || run_key(&first->run) != order[i].key) {
            first = found;
            items[out->count++] = found->run;
        } else if (run_record_is_same(&first->run, &found->run)) {
            out->duplicate_count++;
        } else {
            report_difference(first, found, problems);
            is_right = false;
        }
    }
    out->items = items;
    return is_right;
}
