#include "sim/study/import/prices.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/schema/value.h"

/* A term of the sum, without the blanks around it. */
static const char *trimmed(Arena *arena, const char *text, size_t length)
{
    while (length > 0 && text[0] == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return arena_strndup(arena, text, length);
}

/* Adds micro-USD an hour, rounded to the nearest one. */
static void add(int64_t *sum, Wide numerator, Wide denominator)
{
    const Wide more = (2 * numerator + denominator) / (2 * denominator);
    *sum = wide_capped(*sum + more);
}

/* "4y", or a duration. */
static bool read_time(Arena *arena, const char *text, Place at, int64_t *ns, Status *status)
{
    enum { DECIMALS = 3, THOUSANDTHS = 1000 };
    const size_t length = strlen(text);
    int64_t years;
    if (length < 2 || text[length - 1] != 'y')
        return duration_parse(text, at, ns, status);
    if (!decimal_parse(arena_strndup(arena, text, length - 1), DECIMALS, "a number of years", at,
                       &years, status))
        return false;
    *ns = wide_capped((Wide)years * NS_PER_YEAR / THOUSANDTHS);
    return true;
}

/* "9.2kW*0.12USD". */
static bool read_power(Arena *arena, const char *term, const char *times, Place at,
                       ImportPrice *price, Status *status)
{
    enum { MW_PER_KW = 1000000 };
    int64_t mw, micro_usd;
    if (!value_parse(VALUE_POWER, trimmed(arena, term, (size_t)(times - term)), at, &mw, status) ||
        !value_parse(VALUE_MONEY, times + 1, at, &micro_usd, status))
        return false;
    add(&price->node_micro_usd_per_hour, (Wide)mw * micro_usd, MW_PER_KW);
    return true;
}

/* "310000USD/4y". */
static bool read_purchase(Arena *arena, const char *term, const char *slash, Place at,
                          ImportPrice *price, Status *status)
{
    int64_t micro_usd, ns;
    if (!value_parse(VALUE_MONEY, trimmed(arena, term, (size_t)(slash - term)), at, &micro_usd,
                     status) ||
        !read_time(arena, slash + 1, at, &ns, status))
        return false;
    if (ns <= 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "\"%s\": a purchase is written off in no time", term);
    add(&price->node_micro_usd_per_hour, (Wide)micro_usd * NS_PER_HOUR, ns);
    return true;
}

static bool read_term(Arena *arena, const char *term, Place at, ImportPrice *price, Status *status)
{
    static const char per_gpu[] = "/gpu";
    const char *times = strchr(term, '*'), *slash = strchr(term, '/');
    int64_t micro_usd;
    if (times != NULL)
        return read_power(arena, term, times, at, price, status);
    const bool is_per_gpu = slash != NULL && strcmp(slash, per_gpu) == 0;
    if (slash != NULL && !is_per_gpu)
        return read_purchase(arena, term, slash, at, price, status);
    if (!value_parse(VALUE_MONEY,
                     is_per_gpu ? arena_strndup(arena, term, (size_t)(slash - term)) : term, at,
                     &micro_usd, status))
        return false;
    add(is_per_gpu ? &price->gpu_micro_usd_per_hour : &price->node_micro_usd_per_hour, micro_usd,
        1);
    return true;
}

static bool fail_term(Status *status)
{
    return status_hint(status, "a price is 27.20USD, 3.40USD/gpu, 310000USD/4y, 9.2kW*0.12USD, or "
                               "a sum of such terms with + between them");
}

bool import_price_parse(Arena *arena, const char *text, Place at, int64_t most_micro_usd,
                        ImportPrice *price, Status *status)
{
    enum { MICRO = 1000000 };
    *price = (ImportPrice){.is_known = true, .words = strpbrk(text, "+/*") != NULL ? text : NULL};
    for (const char *term = text; term != NULL;) {
        const char *plus = strchr(term, '+');
        const size_t length = plus != NULL ? (size_t)(plus - term) : strlen(term);
        if (!read_term(arena, trimmed(arena, term, length), at, price, status))
            return fail_term(status);
        term = plus != NULL ? plus + 1 : NULL;
    }
    if (price->node_micro_usd_per_hour < 0 || price->gpu_micro_usd_per_hour < 0 ||
        price->node_micro_usd_per_hour > most_micro_usd ||
        price->gpu_micro_usd_per_hour > most_micro_usd)
        return status_fail(status, STATUS_BAD_INPUT, at, "\"%s\": expected 0USD to %" PRId64 "USD",
                           text, most_micro_usd / MICRO);
    return true;
}
