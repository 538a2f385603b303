#include "sim/scenario/command/condition_read.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/schema/value.h"
#include "sim/schema/words.h"

#define VALUE_MOST INT64_C(1000000000000)

static bool is_yes_or_no(Quantity quantity)
{
    return quantity == QUANTITY_JOB_IS_QUEUED || quantity == QUANTITY_JOB_IS_RUNNING ||
           quantity == QUANTITY_JOB_IS_SUCCEEDED || quantity == QUANTITY_JOB_IS_FAILED;
}

static bool is_noun(const char *noun)
{
    for (int32_t i = 0; i < QUANTITY_COUNT; i++)
        if (strcmp(quantity_noun((Quantity)i), noun) == 0)
            return true;
    return false;
}

static bool refuse(const char *text, Place at, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not a condition", text);
    return status_hint(status, "as in \"cluster gpu idle >= 4 for 10m\", \"job train running\" or "
                               "\"share account/name transfers > 10\"");
}

/* Reports a quantity that the noun does not have, and hints at those that it has. */
static bool refuse_quantity(const Words *words, Place at, Status *status)
{
    Text names = {0};
    for (int32_t i = 0; i < QUANTITY_COUNT; i++)
        if (strcmp(quantity_noun((Quantity)i), words->items[0]) == 0)
            text_printf(&names, "%s%s", names.length > 0 ? ", " : "", quantity_name((Quantity)i));
    status_fail(status, STATUS_BAD_INPUT, at, "a %s has no \"%s\"", words->items[0],
                words->items[2]);
    status_hint(status, "quantities of a %s: %s", words->items[0], text_string(&names));
    text_free(&names);
    return false;
}

static bool read_quantity(const Words *words, const char *text, Place at, Quantity *quantity,
                          Status *status)
{
    if (words->count < 3 || words->count > WORDS_MAX || !is_noun(words->items[0]))
        return refuse(text, at, status);
    for (int32_t i = 0; i < QUANTITY_COUNT; i++) {
        if (strcmp(quantity_noun((Quantity)i), words->items[0]) != 0 ||
            strcmp(quantity_name((Quantity)i), words->items[2]) != 0)
            continue;
        *quantity = (Quantity)i;
        return true;
    }
    return refuse_quantity(words, at, status);
}

/* Reads "for 10m" from the word at `index` on; no more words are valid too. */
static bool read_time(const Words *words, int32_t index, const char *text, Place at,
                      Condition *condition, Status *status)
{
    if (words->count == index)
        return true;
    if (words->count != index + 2 || !words_are(words, index, "for"))
        return refuse(text, at, status);
    return duration_parse(words->items[index + 1], at, &condition->for_ns, status);
}

static bool read_comparison(const Words *words, const char *text, Place at, Condition *condition,
                            Status *status)
{
    for (int32_t i = 0; i < COMPARATOR_COUNT; i++) {
        if (!words_are(words, 3, comparator_sign((Comparator)i)))
            continue;
        condition->comparator = (Comparator)i;
        if (words->count > 4 && whole_number_parse(words->items[4], VALUE_MOST, &condition->value))
            return read_time(words, 5, text, at, condition, status);
        status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" needs a number to compare with", text);
        return status_hint(status, "write a whole number, 0 or more");
    }
    return refuse(text, at, status);
}

bool condition_read(Arena *arena, const char *text, Place at, Condition *condition, Status *status)
{
    Words words = words_cut(arena, text, "<>=!");
    Quantity quantity = QUANTITY_CLUSTER_NODES;
    if (!read_quantity(&words, text, at, &quantity, status))
        return false;
    *condition = (Condition){
        .quantity = quantity, .subject = words.items[1], .comparator = COMPARE_EQUAL, .value = 1};
    bool is_bare = words.count == 3 || words_are(&words, 3, "for");
    if (!is_bare)
        return read_comparison(&words, text, at, condition, status);
    if (is_yes_or_no(quantity))
        return read_time(&words, 3, text, at, condition, status);
    status_fail(status, STATUS_BAD_INPUT, at,
                "\"%s\" is a count, and needs a number to compare with", text);
    return status_hint(status, "as in \"%s %s %s >= 1\"", words.items[0], words.items[1],
                       words.items[2]);
}

void condition_print(Text *text, Condition condition)
{
    text_printf(text, "%s %s %s %s %" PRId64, quantity_noun(condition.quantity), condition.subject,
                quantity_name(condition.quantity), comparator_sign(condition.comparator),
                condition.value);
    if (condition.for_ns > 0) {
        text_add(text, " for ");
        duration_print(text, condition.for_ns);
    }
}
