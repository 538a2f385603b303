/* Every reader of a scenario's short texts on any bytes: conditions, moments, ratios, rates of
 * arrivals. An accepted text is within its limits and can be printed; a refused one has a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/model/arrival_rate.h"
#include "sim/scenario/catalog/value.h"
#include "sim/scenario/command/condition_read.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/scenario/command/workload_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const Place at = {.source = "fuzz", .line = 1, .column = 1};

/* Says in passing that there is a reason exactly where there is no value. */
static bool is_taken(bool is_read, const Status *status)
{
    invariant(is_read == (status->code == STATUS_OK));
    invariant(is_read || status->message[0] != '\0');
    return is_read;
}

static void check_condition(Arena *arena, const char *text)
{
    Condition condition = {0};
    Status status = {0};
    Text printed = {0};
    if (!is_taken(condition_read(arena, text, at, &condition, &status), &status))
        return;
    invariant(condition.subject[0] != '\0' && condition.for_ns >= 0);
    invariant(condition.quantity < QUANTITY_COUNT && condition.comparator < COMPARATOR_COUNT);
    condition_print(&printed, condition);
    condition.for_ns = 0; // people's durations are not read again
    text_clear(&printed);
    condition_print(&printed, condition);
    Condition again = {0};
    bool is_same = condition_read(arena, text_string(&printed), at, &again, &status) &&
                   again.quantity == condition.quantity &&
                   again.comparator == condition.comparator && again.value == condition.value &&
                   strcmp(again.subject, condition.subject) == 0;
    invariant(is_same);
    text_free(&printed);
}

static void check_trigger(Arena *arena, const char *text)
{
    Trigger trigger = {0};
    Status status = {0};
    Text printed = {0};
    if (!is_taken(trigger_read(arena, text, at, &trigger, &status), &status))
        return;
    invariant(trigger.subject[0] != '\0' && trigger.delay_ns >= 0);
    trigger_print(&printed, trigger);
    invariant(printed.length > 0);
    text_free(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *text = arena_strndup(arena, (const char *)data, size);
    check_condition(arena, text);
    check_trigger(arena, text);
    int64_t value = -1;
    Status status = {0};
    if (is_taken(ratio_parse(text, at, &value, &status), &status))
        invariant(value >= 0);
    ArrivalRate rate;
    if (arrival_rate_parse(text, &rate))
        invariant(rate.micro >= 0 && rate.period_ns > 0);
    arena_destroy(arena);
    return 0;
}
