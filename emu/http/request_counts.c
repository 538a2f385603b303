#include "emu/http/request_counts.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/units.h"

const int64_t request_limits_ns[REQUEST_LIMITS] = {
    NS_PER_MS / 2,    NS_PER_MS,        5 * NS_PER_MS / 2, 5 * NS_PER_MS,     10 * NS_PER_MS,
    25 * NS_PER_MS,   50 * NS_PER_MS,   100 * NS_PER_MS,   250 * NS_PER_MS,   500 * NS_PER_MS,
    1000 * NS_PER_MS, 2500 * NS_PER_MS, 5000 * NS_PER_MS,  10000 * NS_PER_MS,
};

RequestCounts *request_counts_create(Arena *arena)
{
    RequestCounts *counts = ARENA_NEW(arena, RequestCounts);
    counts->arena = arena;
    return counts;
}

static OperationCount *operation_of(RequestCounts *counts, const char *operation)
{
    for (uint32_t i = 0; i < counts->count; i++)
        if (counts->operations[i].operation == operation)
            return &counts->operations[i];
    for (uint32_t i = 0; i < counts->count; i++) // another copy of the text
        if (strcmp(counts->operations[i].operation, operation) == 0)
            return &counts->operations[i];
    counts->operations = array_room(counts->arena, counts->operations, counts->count + 1,
                                    &counts->capacity, sizeof *counts->operations);
    OperationCount *added = &counts->operations[counts->count++];
    added->operation = operation;
    return added;
}

static StatusCount *status_of(Arena *arena, OperationCount *row, int32_t status)
{
    for (uint32_t i = 0; i < row->status_count; i++)
        if (row->statuses[i].status == status)
            return &row->statuses[i];
    row->statuses = array_room(arena, row->statuses, row->status_count + 1, &row->status_capacity,
                               sizeof *row->statuses);
    StatusCount *added = &row->statuses[row->status_count++];
    added->status = status;
    return added;
}

void request_counts_add(RequestCounts *counts, const char *operation, int32_t status,
                        int64_t took_ns)
{
    OperationCount *row = operation_of(counts, operation ? operation : "none");
    int class = 0;
    while (class < REQUEST_LIMITS && took_ns > request_limits_ns[class])
        class ++;
    status_of(counts->arena, row, status)->count++;
    row->within[class]++;
    row->count++;
    row->took_ns += took_ns;
}
