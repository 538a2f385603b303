#include "sim/scenario/command/trigger_read.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/command/condition_read.h"
#include "sim/schema/value.h"
#include "sim/schema/words.h"

void trigger_reference(Text *out)
{
    static const char *const ordinals[] = {
        [ORDINAL_NONE] = "", [ORDINAL_NEEDED] = " N", [ORDINAL_OR_1] = " [N]"};
    for (int m = MOMENT_AT + 1; m < MOMENT_CONDITION; m++)
        text_printf(out, "- `%s NAME %s%s`\n", moment_noun((Moment)m), moment_name((Moment)m),
                    ordinals[moment_ordinal((Moment)m)]);
}

static bool refuse(const char *text, Place at, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not a moment", text);
    return status_hint(status, "\"cluster NAME steady|ready|empty|deleted\", \"job NAME "
                               "submitted|started|training|completed|requeued\" or \"job NAME "
                               "epoch|checkpoint|step|saved 3\", and \" + 5m\" for later");
}

/* The number after the state, from 1, if the moment has one; `*next` is the index of the word after
 * it. */
static bool read_ordinal(const Words *words, MomentOrdinal kind, int32_t *next, int64_t *ordinal)
{
    *next = 3;
    *ordinal = kind == ORDINAL_NONE ? 0 : 1;
    bool is_written = words->count > 3 && words->items[3][0] != '+';
    if (kind == ORDINAL_NONE || (kind == ORDINAL_OR_1 && !is_written))
        return true;
    *next = 4;
    return is_written && whole_number_parse(words->items[3], INT32_MAX, ordinal) && *ordinal >= 1;
}

/* Reads "NOUN SUBJECT NAME", with an ordinal if the moment has one. `*delay` is the text after
 * " + "; NULL: there is none. */
static bool read_moment(const Words *words, Trigger *trigger, const char **delay)
{
    int32_t next;
    if (words->count < 3 || words->count > WORDS_MAX)
        return false;
    const Moment moment = moment_find(words->items[0], words->items[2]);
    if (moment == MOMENT_COUNT)
        return false;
    *trigger = (Trigger){.moment = moment, .subject = words->items[1]};
    if (!read_ordinal(words, moment_ordinal(moment), &next, &trigger->ordinal))
        return false;
    *delay = words->count > next ? words->items[words->count - 1] : NULL;
    return words->count == next || (words->count == next + 2 && words_are(words, next, "+"));
}

bool trigger_read(Arena *arena, const char *text, Place at, Trigger *trigger, Status *status)
{
    const Words words = words_cut(arena, text, "+");
    const char *delay;
    if (!read_moment(&words, trigger, &delay))
        return refuse(text, at, status);
    return delay == NULL || duration_parse(delay, at, &trigger->delay_ns, status);
}

static void print_moment(Text *text, Trigger trigger)
{
    text_printf(text, "after %s %s %s", moment_noun(trigger.moment), trigger.subject,
                moment_name(trigger.moment));
    if (moment_ordinal(trigger.moment) != ORDINAL_NONE)
        text_printf(text, " %" PRId64, trigger.ordinal);
}

void trigger_print(Text *text, Trigger trigger)
{
    if (trigger.moment == MOMENT_AT) {
        text_add(text, "at ");
        duration_print(text, trigger.delay_ns);
        if (trigger.every_ns > 0) {
            text_add(text, " and every ");
            duration_print(text, trigger.every_ns);
        }
        return;
    }
    if (trigger.moment == MOMENT_CONDITION) {
        text_add(text, "when ");
        condition_print(text, *trigger.condition);
    } else {
        print_moment(text, trigger);
    }
    if (trigger.delay_ns > 0) {
        text_add(text, " + ");
        duration_print(text, trigger.delay_ns);
    }
}
