#include "sim/output/summary/metric.h"

#include <string.h>

enum { STEPS_MAX = 8 };

typedef struct {
    const Field *field;
    const char *item; /* of a NAMED or NAMED_VALUES list */
} Step;

struct Metric {
    int32_t count;
    Step steps[STEPS_MAX];
};

static bool unknown(const ObjectType *type, Arena *arena, const char *name, const char *word,
                    Place at, Problems *problems)
{
    int32_t count;
    const char *const *names = field_names(arena, type, &count);
    status_hint_names(problems_add(problems, STATUS_BAD_INPUT, at,
                                   "unknown metric \"%s\": there is no \"%s\"", name, word),
                      word, names, count);
    return false;
}

static bool compile(Arena *arena, Metric *metric, const char *name, Place at, Problems *problems)
{
    const ObjectType *type = &summary_type;
    for (const char *rest = name; metric->count < STEPS_MAX;) {
        const char *word = arena_strndup(arena, rest, strcspn(rest, "."));
        rest += strlen(word) + (rest[strlen(word)] == '.');
        const Field *field = field_find(type, word);
        if (field == NULL)
            return unknown(type, arena, name, word, at, problems);
        Step *step = &metric->steps[metric->count++];
        step->field = field;
        if (field->kind == VALUE_NAMED || field->kind == VALUE_NAMED_VALUES) {
            step->item = arena_strndup(arena, rest, strcspn(rest, "."));
            rest += strlen(step->item) + (rest[strlen(step->item)] == '.');
        }
        type = field->type;
        if (field->kind == VALUE_NAMED_VALUES || (field->kind == VALUE_DECIMAL && *rest == '\0'))
            return true;
        if (field->kind != VALUE_OBJECT && field->kind != VALUE_NAMED)
            break;
        if (*rest == '\0')
            break;
    }
    problems_add(problems, STATUS_BAD_INPUT, at, "metric \"%s\" is not a number", name);
    return false;
}

const Metric *metric_compile(Arena *arena, const Scenario *scenario, const char *name, Place at,
                             Problems *problems)
{
    (void)scenario;
    Metric *metric = ARENA_NEW(arena, Metric);
    return compile(arena, metric, name, at, problems) ? metric : NULL;
}

static const char *find_item(const Field *list, const char *name, const char *object)
{
    uint32_t count;
    memcpy(&count, object + list->count, sizeof count);
    const char *items = *(const char *const *)(const void *)(object + list->offset);
    for (uint32_t i = 0; i < count; i++) {
        const char *item = items + i * list->type->size;
        const char *key =
            *(const char *const *)(const void *)(item + list->type->fields[0].offset);
        if (key != NULL && strcmp(key, name) == 0)
            return item;
    }
    return NULL;
}

static MetricValue number_of(const Field *field, const char *object)
{
    const void *member = object + field->offset;
    const Wide value =
        field->size == sizeof(Wide) ? *(const Wide *)member : *(const int64_t *)member;
    double scale = 1;
    for (int32_t i = 0; i < field->decimals; i++)
        scale *= 10;
    return (MetricValue){.value = (double)value / scale, .is_known = value != SUMMARY_NEVER};
}

MetricValue metric_of(const Metric *metric, const Summary *summary)
{
    const char *object = (const char *)summary;
    for (int32_t i = 0; i < metric->count; i++) {
        const Field *field = metric->steps[i].field;
        if (field->kind == VALUE_DECIMAL)
            return number_of(field, object);
        object = field->kind == VALUE_OBJECT ? object + field->offset
                                             : find_item(field, metric->steps[i].item, object);
        if (object == NULL)
            break;
        if (field->kind == VALUE_NAMED_VALUES)
            return number_of(&field->type->fields[1], object);
    }
    return (MetricValue){0};
}
