#include "sim/scenario/trigger_read.h"

#include <string.h>

#include "sim/base/units.h"

static const struct {
    const char *noun, *state;
    Moment moment;
} moments[] = {
    {"cluster", "steady", MOMENT_CLUSTER_STEADY}, {"cluster", "ready", MOMENT_CLUSTER_READY},
    {"cluster", "empty", MOMENT_CLUSTER_EMPTY},   {"cluster", "deleted", MOMENT_CLUSTER_DELETED},
    {"job", "started", MOMENT_JOB_STARTED},       {"job", "training", MOMENT_JOB_TRAINING},
    {"job", "completed", MOMENT_JOB_COMPLETED},   {"job", "submitted", MOMENT_JOB_SUBMITTED},
    {"job", "requeued", MOMENT_JOB_REQUEUED},     {"job", "epoch", MOMENT_JOB_EPOCH},
    {"job", "checkpoint", MOMENT_JOB_CHECKPOINT},
};
enum { MOMENTS = sizeof(moments) / sizeof(moments[0]), WORDS = 5 };
_Static_assert((int)MOMENTS == (int)MOMENT_COUNT - 2,
               "all moments but MOMENT_AT and MOMENT_CONDITION have words");

/* Cuts `text` at spaces, the '+' being a word of its own; returns the number of words, WORDS + 1
 * when there are more. */
static int32_t cut(Arena *arena, const char *text, const char *words[WORDS])
{
    int32_t count = 0;
    for (;;) {
        text += strspn(text, " ");
        if (*text == '\0')
            return count;
        if (count == WORDS)
            return WORDS + 1;
        size_t length = *text == '+' ? 1 : strcspn(text, " +");
        words[count++] = arena_strndup(arena, text, length);
        text += length;
    }
}

bool trigger_is_job(Moment moment)
{
    return moment == MOMENT_JOB_STARTED || moment == MOMENT_JOB_TRAINING ||
           moment == MOMENT_JOB_COMPLETED;
}

bool trigger_read(Arena *arena, const char *text, Place at, Trigger *trigger, Status *status)
{
    const char *words[WORDS];
    int32_t count = cut(arena, text, words);
    bool has_delay = count == WORDS && strcmp(words[3], "+") == 0;
    for (size_t i = 0; i < MOMENTS && (count == 3 || has_delay); i++) {
        if (strcmp(words[0], moments[i].noun) != 0 || strcmp(words[2], moments[i].state) != 0)
            continue;
        *trigger = (Trigger){.moment = moments[i].moment, .subject = words[1]};
        return !has_delay || duration_parse(words[4], at, &trigger->delay_ns, status);
    }
    status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is no moment", text);
    return status_hint(status, "\"cluster NAME steady|ready|empty|deleted\" or \"job NAME "
                               "started|training|completed\", and \" + 5m\" for later");
}

void trigger_print(Text *text, Trigger trigger)
{
    if (trigger.moment == MOMENT_AT) {
        text_add(text, "at ");
        duration_print(text, trigger.delay_ns);
        return;
    }
    for (size_t i = 0; i < MOMENTS; i++)
        if (moments[i].moment == trigger.moment)
            text_printf(text, "after %s %s %s", moments[i].noun, trigger.subject, moments[i].state);
    if (trigger.delay_ns > 0) {
        text_add(text, " + ");
        duration_print(text, trigger.delay_ns);
    }
}
