/* Private to sim/output/summary: compiles the name of a metric (metric.h). */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/output/summary/metric_path.h"
#include "sim/output/summary/percentile.h"

const MetricFunction metric_functions[METRIC_FUNCTION_COUNT] = {
    {"waited_within", "queue_s", "waited_within(20m)",
     "share of the jobs that waited at most this long; a job that still waits is not one of them"},
    {"turnaround_within", "turnaround_s", "turnaround_within(2h)",
     "share of the jobs that ended at most this long after their submission"},
};

const Field *metric_function_spread(const ObjectType *type, int function)
{
    const Field *field = field_find(type, metric_functions[function].spread);
    return field != NULL && field->type == &summary_spread_type ? field : NULL;
}

typedef struct {
    Arena *arena;
    MetricNames *names;
    const char *name; /* the whole */
    Place at;
    Problems *problems;
    Metric *metric;
} Compiler;

/* A struct on the way, and the rest of the name. */
typedef struct {
    const ObjectType *type;
    size_t offset; /* in the struct of the last step */
    const char *rest;
} Position;

static const Metric *compile_one(Arena *arena, MetricNames *names, const char *name, Place at,
                                 Problems *problems);

/* True if the items of `list` have a member `key`, or may have classes of that name. */
static bool items_have(const Field *list, const char *key)
{
    bool has_key = field_find(list->type, key) != NULL;
    for (int kind = 0; list->type == &summary_workload_type && kind < JOB_CLASS_COUNT; kind++)
        has_key |= strcmp(job_class_key((JobClassKind)kind), key) == 0;
    return has_key;
}

/* True if `key` is a member of clusters, jobs or workloads. Then `*whole` is the first metric, of
 * the first items of the scenario, that has the typed name after that of an item; NULL: there is
 * none.
 */
static bool find_below(const Compiler *compiler, const char *key, const char **whole)
{
    enum { ITEMS_TRIED_MAX = 64 };
    bool is_below = false;
    Problems unused = problems_create(compiler->arena);
    *whole = NULL;
    for (const Field *list = summary_type.fields; list->name != NULL; list++) {
        if (list->kind != VALUE_NAMED || !items_have(list, key))
            continue;
        const NameList names = metric_item_names(compiler->names, list->name, NULL);
        is_below = true;
        const int32_t count =
            names.preferred_count < ITEMS_TRIED_MAX ? names.preferred_count : ITEMS_TRIED_MAX;
        for (int32_t i = 0; i < count && *whole == NULL; i++) {
            const char *name = arena_printf(compiler->arena, "%s.%s.%s", list->name, names.items[i],
                                            compiler->name);
            if (compile_one(compiler->arena, compiler->names, name, compiler->at, &unused) != NULL)
                *whole = name;
        }
    }
    return is_below;
}

/* The problem that `position.rest` begins with none of `names`. */
static bool add_unknown(const Compiler *compiler, Position position, const char *kind,
                        const char *const *names, int32_t count)
{
    const int done = (int)(position.rest - compiler->name);
    const char *typed = arena_strndup(compiler->arena, position.rest, strcspn(position.rest, ".("));
    Status *problem =
        problems_add(compiler->problems, STATUS_BAD_INPUT, compiler->at,
                     "unknown metric \"%s\": no %s is called \"%s\"", compiler->name, kind, typed);
    const char *whole = NULL, *nearest = nearest_name(typed, names, count);
    const bool is_below = position.type == &summary_type && find_below(compiler, typed, &whole);
    if (whole != NULL)
        return status_hint(problem, "did you mean \"%s\"?", whole);
    // "queues" is hardly "queue_s", because clusters have queues; "cluster" may be "clusters".
    if (nearest == NULL || (is_below && strncmp(nearest, typed, strlen(typed)) != 0))
        return status_hint(problem, "`trainyard explain SCENARIO --metrics` lists all metrics");
    const char *after = position.rest + strlen(typed);
    return status_hint(problem, "did you mean \"%.*s%s%s\"?", done, compiler->name, nearest,
                       strchr(nearest, '(') != NULL && *after == '(' ? "" : after);
}

/* The classes of the workload that the name has reached. */
static JobClasses classes_of(const Compiler *compiler, JobClassKind kind)
{
    const Metric *metric = compiler->metric;
    const Workload *workload = metric_workload(metric_names_scenario(compiler->names),
                                               metric->steps[metric->step_count - 1].name);
    return metric_job_classes(compiler->arena, metric_names_scenario(compiler->names), workload,
                              kind);
}

/* The members and functions of `type`. */
static const char *const *level_names(const Compiler *compiler, const ObjectType *type,
                                      int32_t *count)
{
    Arena *arena = compiler->arena;
    const char *const *fields = field_names(arena, type, count);
    const char **names =
        ARENA_ARRAY(arena, const char *, *count + METRIC_FUNCTION_COUNT + JOB_CLASS_COUNT);
    memcpy(names, fields, (size_t)*count * sizeof *names);
    for (int i = 0; i < METRIC_FUNCTION_COUNT; i++)
        if (metric_function_spread(type, i) != NULL)
            names[(*count)++] = metric_functions[i].name;
    for (int kind = 0; type == &summary_workload_type && kind < JOB_CLASS_COUNT; kind++)
        if (classes_of(compiler, (JobClassKind)kind).count > 0)
            names[(*count)++] = job_class_key((JobClassKind)kind);
    return names;
}

static bool walk(Compiler *compiler, Position position);

/* The length of `word` if the rest of a name is it, or continues after it with a dot; else 0. */
static size_t matches_key(const char *rest, const char *word)
{
    const size_t length = strlen(word);
    const bool is_prefix = length > 0 && strncmp(rest, word, length) == 0;
    return is_prefix && (rest[length] == '\0' || rest[length] == '.') ? length : 0;
}

static const char *after(const char *rest, size_t length)
{
    return rest[length] == '.' ? rest + length + 1 : rest + length;
}

/* The longest name of a list with which `rest` begins, as its index: names may contain dots. -1:
 * none. */
static int32_t longest_name(Arena *arena, const char *rest, const NameTable *places)
{
    char *name = arena_strdup(arena, rest);
    for (char *end = name + strlen(name); end != NULL && end > name; end = strrchr(name, '.')) {
        uint32_t place;
        *end = '\0';
        if (name_table_find(places, name, &place))
            return (int32_t)place;
    }
    return -1;
}

static bool add_is_object(const Compiler *compiler, Position position)
{
    int32_t count;
    const char *const *names = level_names(compiler, position.type, &count);
    Status *problem = problems_add(compiler->problems, STATUS_BAD_INPUT, compiler->at,
                                   "metric \"%s\" is an object, not a number", compiler->name);
    return status_hint_names(problem, "", names, count);
}

/* "20m)" */
static bool compile_function(Compiler *compiler, Position position, int function)
{
    Metric *metric = compiler->metric;
    const char *argument = position.rest + strlen(metric_functions[function].name) + 1;
    const char *end = strchr(argument, ')');
    Status status = {0};
    if (end == NULL || end[1] != '\0')
        return status_hint(problems_add(compiler->problems, STATUS_BAD_INPUT, compiler->at,
                                        "metric \"%s\" does not end with one duration in "
                                        "parentheses",
                                        compiler->name),
                           "as in \"%s\"", metric_functions[function].example);
    metric->what = METRIC_WITHIN;
    metric->is_in_spread = true;
    metric->spread = position.offset + metric_function_spread(position.type, function)->offset;
    if (duration_parse(arena_strndup(compiler->arena, argument, (size_t)(end - argument)),
                       compiler->at, &metric->argument, &status))
        return true;
    problems_add_status(compiler->problems, &status);
    return false;
}

bool metric_read_percent(const char *rest, int64_t *percent)
{
    enum { DECIMALS = 7 };
    Status status = {0};
    if (rest[0] != 'p' || !ascii_is_digit(rest[1]) ||
        !decimal_parse(rest + 1, DECIMALS, "a percentile", place_in("", 0, 0), percent, &status))
        return false;
    return *percent > 0 && *percent <= 100 * PERCENT_PARTS;
}

static bool compile_class(Compiler *compiler, Position position, JobClassKind kind)
{
    Metric *metric = compiler->metric;
    const JobClasses classes = classes_of(compiler, kind);
    const int32_t class = longest_name(compiler->arena, position.rest, classes.places);
    if (class < 0)
        return add_unknown(compiler, position, job_class_word(kind), classes.names, classes.count);
    metric->is_of_class = true;
    metric->class_kind = kind;
    metric->class_value = classes.values[class];
    return walk(compiler, (Position){.type = &summary_class_type,
                                     .rest = after(position.rest, strlen(classes.names[class]))});
}

const Field *metric_key_field(const ObjectType *type)
{
    const Field *field = type->fields;
    while (field->kind != VALUE_KEY)
        field++;
    return field;
}

static const char *kind_of_list(const char *key)
{
    static const struct {
        const char *key, *kind;
    } kinds[] = {{"clusters", "cluster"},    {"jobs", "job of the scenario"},
                 {"workloads", "workload"},  {"file_servers", "file server"},
                 {"kinds", "kind of nodes"}, {"queues", "queue"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].key, key) == 0)
            return kinds[i].kind;
    return "item";
}

static bool compile_leaf(Compiler *compiler, const Field *field, size_t offset)
{
    compiler->metric->what = METRIC_MEMBER;
    compiler->metric->field = field;
    compiler->metric->member = offset + field->offset;
    return true;
}

bool metric_is_list(const Field *field)
{
    return field->kind == VALUE_NAMED || (field->kind == VALUE_NAMED_VALUES &&
                                          metric_key_field(field->type)[1].kind == VALUE_DECIMAL);
}

static bool compile_item(Compiler *compiler, Position position, const Field *list)
{
    Metric *metric = compiler->metric;
    const char *owner = metric->step_count > 0 ? metric->steps[metric->step_count - 1].name : NULL;
    const NameList names = metric_item_names(compiler->names, list->name, owner);
    const int32_t item = longest_name(compiler->arena, position.rest, names.places);
    if (item < 0)
        return add_unknown(compiler, position, kind_of_list(list->name), names.items, names.count);
    const Field *key = metric_key_field(list->type);
    invariant(metric->step_count < STEPS_MAX);
    metric->steps[metric->step_count++] = (Step){.items = position.offset + list->offset,
                                                 .count = position.offset + list->count,
                                                 .item_bytes = list->type->size,
                                                 .key = key->offset,
                                                 .name = names.items[item]};
    const char *rest = after(position.rest, strlen(names.items[item]));
    if (list->kind == VALUE_NAMED_VALUES && *rest == '\0')
        return compile_leaf(compiler, key + 1, 0);
    return walk(compiler, (Position){.type = list->type, .rest = rest});
}

static bool compile_field(Compiler *compiler, Position position, const Field *field)
{
    const char *rest = after(position.rest, strlen(field->name));
    const bool is_leaf = field->kind == VALUE_DECIMAL || field->kind == VALUE_TEXT;
    if (is_leaf && *rest == '\0')
        return compile_leaf(compiler, field, position.offset);
    if (metric_is_list(field))
        return compile_item(compiler, (Position){.offset = position.offset, .rest = rest}, field);
    if (field->kind != VALUE_OBJECT) {
        problems_add(compiler->problems, STATUS_BAD_INPUT, compiler->at,
                     "\"%s\" is not a metric: \"%s\" is not an object of numbers", compiler->name,
                     field->name);
        return false;
    }
    const size_t offset = position.offset + field->offset;
    compiler->metric->is_of_waiting |= field->type == &summary_waits_type;
    if (field->type == &summary_spread_type) {
        compiler->metric->is_in_spread = true;
        compiler->metric->spread = offset;
    }
    return walk(compiler, (Position){.type = field->type, .offset = offset, .rest = rest});
}

static bool walk(Compiler *compiler, Position position)
{
    Metric *metric = compiler->metric;
    if (*position.rest == '\0')
        return add_is_object(compiler, position);
    for (int i = 0; i < METRIC_FUNCTION_COUNT; i++) {
        const size_t length = strlen(metric_functions[i].name);
        if (strncmp(position.rest, metric_functions[i].name, length) == 0 &&
            position.rest[length] == '(' && metric_function_spread(position.type, i) != NULL)
            return compile_function(compiler, position, i);
    }
    for (int kind = 0; position.type == &summary_workload_type && kind < JOB_CLASS_COUNT; kind++) {
        const size_t length = matches_key(position.rest, job_class_key((JobClassKind)kind));
        if (length > 0)
            return compile_class(compiler, (Position){.rest = after(position.rest, length)},
                                 (JobClassKind)kind);
    }
    // "p99.9" is not a member of "p99".
    if (position.type == &summary_spread_type && field_find(position.type, position.rest) == NULL &&
        metric_read_percent(position.rest, &metric->argument)) {
        metric->what = METRIC_PERCENTILE;
        return true;
    }
    if (position.type == &summary_spread_type && strcmp(position.rest, METRIC_COMPLETED_KEY) == 0) {
        metric->what = METRIC_COMPLETED;
        return true;
    }
    for (const Field *field = position.type->fields; field->name != NULL; field++)
        if (field->kind != VALUE_KEY && matches_key(position.rest, field->name) > 0)
            return compile_field(compiler, position, field);
    int32_t count;
    const char *const *names = level_names(compiler, position.type, &count);
    return add_unknown(compiler, position, "member", names, count);
}

static const Metric *compile_one(Arena *arena, MetricNames *names, const char *name, Place at,
                                 Problems *problems)
{
    Metric *metric = ARENA_NEW(arena, Metric);
    metric->name = name;
    Compiler compiler = {.arena = arena,
                         .names = names,
                         .name = name,
                         .at = at,
                         .problems = problems,
                         .metric = metric};
    return walk(&compiler, (Position){.type = &summary_type, .rest = name}) ? metric : NULL;
}

static const char ratio_sign[] = " / ";

const Metric *metric_compile_any(Arena *arena, MetricNames *names, const char *name, Place at,
                                 Problems *problems)
{
    const char *sign = strstr(name, ratio_sign);
    if (sign == NULL)
        return compile_one(arena, names, name, at, problems);
    const char *above = arena_strndup(arena, name, (size_t)(sign - name));
    Metric *metric = ARENA_NEW(arena, Metric);
    *metric = (Metric){
        .name = name,
        .above = metric_compile(arena, names, above, at, problems),
        .below = metric_compile(arena, names, sign + strlen(ratio_sign), at, problems),
    };
    if (metric->above == NULL || metric->below == NULL)
        return NULL;
    if (metric_kind(metric->above) == MEASURE_MEAN && metric_kind(metric->below) == MEASURE_MEAN)
        return metric;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                             "\"%s\" is not a ratio of two sums or counts", name),
                "as in \"cost_usd.total / workloads.day.succeeded\"");
    return NULL;
}

const Metric *metric_compile(Arena *arena, MetricNames *names, const char *name, Place at,
                             Problems *problems)
{
    const Metric *metric = metric_compile_any(arena, names, name, at, problems);
    if (metric == NULL || !metric_is_text(metric))
        return metric;
    problems_add(problems, STATUS_BAD_INPUT, at, "metric \"%s\" is a text, not a number", name);
    return NULL;
}
