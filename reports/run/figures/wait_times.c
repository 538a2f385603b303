#include "reports/run/figures/wait_times.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reports/text/wording.h"
#include "sim/base/units.h"

/* --- Classes by size --- */

/* Adds a size in ascending order; false when there are too many. */
static bool add_size(SizeClasses *classes, int32_t nodes)
{
    int32_t place = 0;
    while (place < classes->count && classes->items[place].least < nodes)
        place++;
    if (place < classes->count && classes->items[place].least == nodes)
        return true;
    if (classes->count == SIZE_CLASSES_MAX)
        return false;
    for (int32_t i = classes->count; i > place; i--)
        classes->items[i] = classes->items[i - 1];
    classes->items[place] = (SizeClass){.least = nodes, .most = nodes};
    classes->count++;
    return true;
}

/* Sizes from one power of two to the next. */
static SizeClasses powers_of_two(void)
{
    SizeClasses classes = {.count = SIZE_CLASSES_MAX};
    for (int32_t i = 0; i < SIZE_CLASSES_MAX; i++)
        classes.items[i] = (SizeClass){.least = i == 0 ? 1 : (1 << (i - 1)) + 1, .most = 1 << i};
    classes.items[SIZE_CLASSES_MAX - 1].most = INT32_MAX;
    return classes;
}

/* The unit of sizes, in the singular and in the plural. */
typedef struct {
    const char *one, *many;
} Unit;

static Unit unit_of(bool has_nodes, bool has_gpus)
{
    if (has_nodes && has_gpus)
        return (Unit){"node or GPU", "nodes or GPUs"};
    return has_gpus ? (Unit){"GPU", "GPUs"} : (Unit){"node", "nodes"};
}

static const char *class_name(Arena *arena, const SizeClass *class, Unit unit)
{
    const char *many = unit.many;
    if (class->least == class->most)
        return arena_printf(arena, "%" PRId32 " %s", class->least,
                            class->least == 1 ? unit.one : many);
    if (class->most == INT32_MAX)
        return arena_printf(arena, "%" PRId32 " %s or more", class->least, many);
    return arena_printf(arena, "%" PRId32 " to %" PRId32 " %s", class->least, class->most, many);
}

SizeClasses size_classes(Arena *arena, const Facts *facts)
{
    SizeClasses classes = {0};
    bool are_few = true, has_nodes = false, has_gpus = false;
    for (uint32_t i = 0; i < facts->job_count; i++)
        if (facts->jobs[i].size > 0) {
            are_few = are_few && add_size(&classes, facts->jobs[i].size);
            has_gpus |= facts->jobs[i].is_of_gpus;
            has_nodes |= !facts->jobs[i].is_of_gpus;
        }
    if (!are_few)
        classes = powers_of_two();
    for (uint32_t i = 0; i < facts->job_count; i++) {
        const int32_t class = size_class_of(&classes, facts->jobs[i].size);
        if (class >= 0)
            classes.items[class].jobs++;
    }
    for (int32_t i = 0; i < classes.count; i++)
        classes.items[i].name = class_name(arena, &classes.items[i], unit_of(has_nodes, has_gpus));
    return classes;
}

int32_t size_class_of(const SizeClasses *classes, int32_t size)
{
    for (int32_t i = 0; i < classes->count; i++)
        if (size >= classes->items[i].least && size <= classes->items[i].most)
            return i;
    return -1;
}

/* --- Waits --- */

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

Waits waits_of(Arena *arena, const Facts *facts, const SizeClasses *classes, int32_t class)
{
    Waits waits = {.ns = ARENA_ARRAY(arena, int64_t, facts->job_count)};
    for (uint32_t i = 0; i < facts->job_count; i++) {
        const ReportJob *job = &facts->jobs[i];
        if (job->name != NULL && !job->is_rejected &&
            (class < 0 || size_class_of(classes, job->size) == class))
            waits.ns[waits.count++] = job->is_waiting ? INT64_MAX : job->wait_ns;
    }
    qsort(waits.ns, waits.count, sizeof *waits.ns, by_value);
    return waits;
}

int64_t waits_within_ppm(const Waits *waits, int64_t limit_ns)
{
    uint32_t within = 0;
    while (within < waits->count && waits->ns[within] <= limit_ns)
        within++;
    return share_ppm(within, waits->count);
}
