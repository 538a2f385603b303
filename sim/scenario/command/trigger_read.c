#include "sim/scenario/command/trigger_read.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/command/condition_read.h"
#include "sim/schema/value.h"
#include "sim/schema/words.h"

/* How a moment is written behind its noun and state. */
typedef enum {
    ONCE,    /* "job train started" */
    NTH,     /* "job train epoch 3" */
    NTH_OR_1 /* "job train requeued", "job train requeued 2" */
} Ordinal;

static const struct {
    const char *noun, *state;
    Moment moment;
    Ordinal ordinal;
} moments[] = {
    {"cluster", "steady", MOMENT_CLUSTER_STEADY, ONCE},
    {"cluster", "ready", MOMENT_CLUSTER_READY, ONCE},
    {"cluster", "empty", MOMENT_CLUSTER_EMPTY, ONCE},
    {"cluster", "deleted", MOMENT_CLUSTER_DELETED, ONCE},
    {"job", "started", MOMENT_JOB_STARTED, ONCE},
    {"job", "training", MOMENT_JOB_TRAINING, ONCE},
    {"job", "completed", MOMENT_JOB_COMPLETED, ONCE},
    {"job", "submitted", MOMENT_JOB_SUBMITTED, ONCE},
    {"job", "requeued", MOMENT_JOB_REQUEUED, NTH_OR_1},
    {"job", "epoch", MOMENT_JOB_EPOCH, NTH},
    {"job", "checkpoint", MOMENT_JOB_CHECKPOINT, NTH},
    {"job", "step", MOMENT_JOB_STEP, NTH},
};
enum { MOMENTS = sizeof(moments) / sizeof(moments[0]) };
_Static_assert((int)MOMENTS == (int)MOMENT_COUNT - 2,
               "all moments but MOMENT_AT and MOMENT_CONDITION have words");

bool trigger_is_job(Moment moment)
{
    for (size_t i = 0; i < MOMENTS; i++)
        if (moments[i].moment == moment)
            return strcmp(moments[i].noun, "job") == 0;
    return false;
}

void trigger_reference(Text *out)
{
    static const char *const ordinals[] = {[ONCE] = "", [NTH] = " N", [NTH_OR_1] = " [N]"};
    for (size_t i = 0; i < MOMENTS; i++)
        text_printf(out, "- `%s NAME %s%s`\n", moments[i].noun, moments[i].state,
                    ordinals[moments[i].ordinal]);
}

static bool refuse(const char *text, Place at, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is no moment", text);
    return status_hint(status, "\"cluster NAME steady|ready|empty|deleted\", \"job NAME "
                               "submitted|started|training|completed|requeued\" or \"job NAME "
                               "epoch|checkpoint|step 3\", and \" + 5m\" for later");
}

/* The number behind the state, from 1, where the moment has one; `*next` is the word behind it. */
static bool read_ordinal(const Words *words, Ordinal kind, int32_t *next, int64_t *ordinal)
{
    *next = 3;
    *ordinal = kind == ONCE ? 0 : 1;
    bool is_written = words->count > 3 && words->items[3][0] != '+';
    if (kind == ONCE || (kind == NTH_OR_1 && !is_written))
        return true;
    *next = 4;
    return is_written && whole_number_parse(words->items[3], INT32_MAX, ordinal) && *ordinal >= 1;
}

bool trigger_read(Arena *arena, const char *text, Place at, Trigger *trigger, Status *status)
{
    Words words = words_cut(arena, text, "+");
    for (size_t i = 0; i < MOMENTS && words.count <= WORDS_MAX; i++) {
        if (!words_are(&words, 0, moments[i].noun) || !words_are(&words, 2, moments[i].state))
            continue;
        int32_t next;
        *trigger = (Trigger){.moment = moments[i].moment, .subject = words.items[1]};
        if (!read_ordinal(&words, moments[i].ordinal, &next, &trigger->ordinal))
            break;
        if (words.count == next)
            return true;
        if (words.count != next + 2 || !words_are(&words, next, "+"))
            break;
        return duration_parse(words.items[next + 1], at, &trigger->delay_ns, status);
    }
    return refuse(text, at, status);
}

static void print_moment(Text *text, Trigger trigger)
{
    for (size_t i = 0; i < MOMENTS; i++) {
        if (moments[i].moment != trigger.moment)
            continue;
        text_printf(text, "after %s %s %s", moments[i].noun, trigger.subject, moments[i].state);
        if (moments[i].ordinal != ONCE)
            text_printf(text, " %" PRId64, trigger.ordinal);
    }
}

void trigger_print(Text *text, Trigger trigger)
{
    if (trigger.moment == MOMENT_AT) {
        text_add(text, "at ");
        duration_print(text, trigger.delay_ns);
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
