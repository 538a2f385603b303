#include "sim/output/explain/expect_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"

const char expect_later_end[] = "with a later \"until\" more of them start";

/* The number, as many digits as people write. */
static const char *number_words(Arena *arena, MetricValue value)
{
    if (!value.is_known)
        return "unknown";
    if (value.is_lower_bound)
        return arena_printf(arena, "at least %.15g, as jobs still waited when the run ended",
                            value.value);
    return arena_printf(arena, "%.15g", value.value);
}

ExpectAnswer expect_equals(Arena *arena, const Metric *metric, const Summary *summary,
                           const char *wanted)
{
    const char *text = metric != NULL ? metric_text_of(metric, summary) : NULL;
    const bool is_number = metric != NULL && !metric_is_text(metric);
    return (ExpectAnswer){.holds = text != NULL && strcmp(text, wanted) == 0,
                          .expected = arena_strdup(arena, wanted),
                          .got = text != NULL ? text
                                 : is_number  ? number_words(arena, metric_of(metric, summary))
                                              : "none"};
}

const char *expect_range_words(Arena *arena, double low, double high)
{
    // 15 digits print every number that people write unchanged.
    if (low == high)
        return arena_printf(arena, "%.15g", low);
    if (isinf(high))
        return arena_printf(arena, "at least %.15g", low);
    if (isinf(low))
        return arena_printf(arena, "at most %.15g", high);
    return arena_printf(arena, "%.15g to %.15g", low, high);
}

ExpectAnswer expect_between(Arena *arena, const Metric *metric, const Summary *summary, double low,
                            double high)
{
    const MetricValue value = metric != NULL ? metric_of(metric, summary) : (MetricValue){0};
    const bool is_inside = value.is_known && value.value >= low && value.value <= high;
    const bool may_grow = value.is_lower_bound && high < INFINITY;
    const char *words = number_words(arena, value);
    return (ExpectAnswer){.holds = is_inside && !may_grow,
                          .expected = expect_range_words(arena, low, high),
                          .got = is_inside && may_grow
                                     ? arena_printf(arena, "%s; %s", words, expect_later_end)
                                     : words};
}

ExpectAnswer expect_count(Arena *arena, int64_t count, double low, double high)
{
    return (ExpectAnswer){.holds = (double)count >= low && (double)count <= high,
                          .expected = expect_range_words(arena, low, high),
                          .got = arena_printf(arena, "%" PRId64, count)};
}

/* --- Conditions and moments --- */

/* "cluster gpu nodes" */
static const char *counted_words(Arena *arena, const Condition *condition)
{
    return arena_printf(arena, "%s %s %s", quantity_noun(condition->quantity), condition->subject,
                        quantity_name(condition->quantity));
}

/* Exact, so that it can be found in the trace. */
static const char *time_words(Arena *arena, int64_t at_ns)
{
    Text text = {0};
    seconds_print(&text, at_ns);
    const char *words = arena_printf(arena, "%s s", text_string(&text));
    text_free(&text);
    return words;
}

/* "cluster gpu nodes <= 4" */
static const char *condition_words(Arena *arena, const Condition *condition)
{
    const char *words = arena_printf(arena, "%s %s %" PRId64, counted_words(arena, condition),
                                     comparator_sign(condition->comparator), condition->value);
    return condition->for_ns > 0
               ? arena_printf(arena, "%s for %s", words, time_words(arena, condition->for_ns))
               : words;
}

ExpectAnswer expect_always(Arena *arena, const RunWatch *watch, const Condition *condition,
                           int32_t contrary)
{
    HeldSpan span;
    ExpectAnswer answer = {.holds = true,
                           .expected =
                               arena_printf(arena, "always %s", condition_words(arena, condition)),
                           .got = "always so"};
    if (!run_watch_holds(watch, contrary, 0, INT64_MAX, &span))
        return answer;
    answer.holds = false;
    answer.has_instant = true;
    answer.at_ns = span.at_ns;
    answer.got = arena_printf(arena, "%s is %" PRId64 " at %s", counted_words(arena, condition),
                              span.quantity, time_words(arena, span.at_ns));
    return answer;
}

ExpectAnswer expect_never(Arena *arena, const RunWatch *watch, const Condition *condition,
                          int32_t number)
{
    HeldSpan span;
    ExpectAnswer answer = {.holds = true,
                           .expected =
                               arena_printf(arena, "never %s", condition_words(arena, condition)),
                           .got = "never so"};
    if (!run_watch_holds(watch, number, 0, INT64_MAX, &span))
        return answer;
    const char *counted =
        arena_printf(arena, "%s is %" PRId64, counted_words(arena, condition), span.quantity);
    answer.holds = false;
    answer.has_instant = true;
    answer.at_ns = span.at_ns;
    answer.got = arena_printf(arena, "%s at %s", counted, time_words(arena, span.at_ns));
    if (condition->for_ns > 0)
        answer.got = arena_printf(arena, "%s at %s, and it holds until %s at least", counted,
                                  time_words(arena, span.since_ns), time_words(arena, span.at_ns));
    return answer;
}

/* The failed answer for a condition that did not come true, with the instant by which it should
 * have. */
static void add_absence(Arena *arena, const RunWatch *watch, const EventualWish *wish,
                        int64_t deadline_ns, ExpectAnswer *answer)
{
    answer->has_instant = true;
    answer->at_ns = deadline_ns;
    answer->got = arena_printf(
        arena, "not by %s; at the end of the run %s is %" PRId64, time_words(arena, deadline_ns),
        counted_words(arena, wish->condition), run_watch_last_quantity(watch, wish->number));
}

ExpectAnswer expect_eventually(Arena *arena, const RunWatch *watch, const EventualWish *wish)
{
    HeldSpan span;
    MomentCame begin = {0};
    const char *after =
        wish->moment >= 0 ? arena_printf(arena, " after %s", wish->moment_text) : "";
    const char *within = wish->within_ns < INT64_MAX
                             ? arena_printf(arena, " within %s", time_words(arena, wish->within_ns))
                             : "";
    ExpectAnswer answer = {
        .expected =
            arena_printf(arena, "%s%s%s", condition_words(arena, wish->condition), within, after)};
    if (wish->moment >= 0 && !run_watch_first(watch, wish->moment, &begin)) {
        answer.got = arena_printf(arena, "%s never happens", wish->moment_text);
        return answer;
    }
    int64_t end_ns = run_watch_end_ns(watch);
    int64_t deadline_ns =
        wish->within_ns < end_ns - begin.at_ns ? begin.at_ns + wish->within_ns : end_ns;
    answer.holds = run_watch_holds(watch, wish->number, begin.at_ns, deadline_ns, &span);
    if (answer.holds)
        answer.got = time_words(arena, span.at_ns);
    else
        add_absence(arena, watch, wish, deadline_ns, &answer);
    return answer;
}

static const char *listed(Arena *arena, const OrderWish *wish)
{
    const char *words = wish->texts[0];
    for (int32_t i = 1; i < wish->count; i++)
        words = arena_printf(arena, "%s, then %s", words, wish->texts[i]);
    return words;
}

static bool is_earlier(MomentCame a, MomentCame b)
{
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
}

ExpectAnswer expect_order(Arena *arena, const RunWatch *watch, const OrderWish *wish)
{
    ExpectAnswer answer = {.holds = true, .expected = listed(arena, wish), .got = "in this order"};
    MomentCame previous = {0};
    for (int32_t i = 0; i < wish->count && answer.holds; i++) {
        MomentCame came;
        bool may_be_absent = wish->last_may_be_absent && i == wish->count - 1;
        if (!run_watch_first(watch, wish->moments[i], &came)) {
            answer.holds = may_be_absent;
            answer.got = arena_printf(arena, "%s never happens", wish->texts[i]);
        } else if (i > 0 && is_earlier(came, previous)) {
            answer.holds = false;
            answer.has_instant = true;
            answer.at_ns = came.at_ns;
            answer.got = arena_printf(arena, "%s at %s, %s only at %s", wish->texts[i],
                                      time_words(arena, came.at_ns), wish->texts[i - 1],
                                      time_words(arena, previous.at_ns));
        }
        previous = came;
    }
    return answer;
}
