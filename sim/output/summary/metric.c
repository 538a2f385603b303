#include "sim/output/summary/metric.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/output/summary/making.h"
#include "sim/output/summary/metric_names.h"
#include "sim/output/summary/percentile.h"

/* From a struct to the item of one of its lists. */
typedef struct {
    size_t items, count, item_bytes, key; /* offsets: of the list and its count, of an item's key */
    const char *name;
} Step;

typedef enum { METRIC_MEMBER, METRIC_PERCENTILE, METRIC_WITHIN } MetricWhat;

enum { STEPS_MAX = 2 };

struct Metric {
    const char *name;
    const Metric *above, *below; /* a ratio of these; else NULL, and all members below count */
    int32_t step_count;
    Step steps[STEPS_MAX]; /* from the summary to a struct ... */
    bool is_of_class;      /* ... and from a workload to the jobs of one class */
    JobClassKind class_kind;
    int32_t class_value;
    MetricWhat what;
    bool is_of_waiting; /* what jobs waited for */
    bool is_in_spread;
    size_t spread;      /* offset in the struct, if `is_in_spread` */
    size_t member;      /* METRIC_MEMBER: offset in the struct */
    const Field *field; /* METRIC_MEMBER */
    int64_t argument;   /* METRIC_PERCENTILE: as in percentile_place; METRIC_WITHIN: ns */
};

/* --- Functions of the times of jobs --- */

/* A function belongs to each object that has a spread as its member `spread`. */
static const struct {
    const char *name, *spread, *example, *doc;
} functions[] = {
    {"waited_within", "queue_s", "waited_within(20m)",
     "share of the jobs that waited at most this long; a job that still waits is not one of them"},
    {"turnaround_within", "turnaround_s", "turnaround_within(2h)",
     "share of the jobs that ended at most this long after their submission"},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static const Field *spread_of_function(const ObjectType *type, int function)
{
    const Field *field = field_find(type, functions[function].spread);
    return field != NULL && field->type == &summary_spread_type ? field : NULL;
}

/* --- Compiling --- */

typedef struct {
    Arena *arena;
    const Scenario *scenario;
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

/* The problem that `position.rest` begins with none of `names`. */
static bool add_unknown(const Compiler *compiler, Position position, const char *kind,
                        const char *const *names, int32_t count)
{
    const int done = (int)(position.rest - compiler->name);
    const char *typed = arena_strndup(compiler->arena, position.rest, strcspn(position.rest, ".("));
    Status *problem =
        problems_add(compiler->problems, STATUS_BAD_INPUT, compiler->at,
                     "unknown metric \"%s\": no %s is called \"%s\"", compiler->name, kind, typed);
    const char *nearest = nearest_name(typed, names, count);
    if (nearest == NULL)
        return status_hint(problem, "`trainyard explain SCENARIO --metrics` lists all metrics");
    const char *after = position.rest + strlen(typed);
    return status_hint(problem, "did you mean \"%.*s%s%s\"?", done, compiler->name, nearest,
                       strchr(nearest, '(') != NULL && *after == '(' ? "" : after);
}

/* The classes of the workload that the name has reached. */
static JobClasses classes_of(const Compiler *compiler, JobClassKind kind)
{
    const Metric *metric = compiler->metric;
    const Workload *workload =
        metric_workload(compiler->scenario, metric->steps[metric->step_count - 1].name);
    return metric_job_classes(compiler->arena, compiler->scenario, workload, kind);
}

/* The members and functions of `type`. */
static const char *const *level_names(const Compiler *compiler, const ObjectType *type,
                                      int32_t *count)
{
    Arena *arena = compiler->arena;
    const char *const *fields = field_names(arena, type, count);
    const char **names =
        ARENA_ARRAY(arena, const char *, *count + FUNCTION_COUNT + JOB_CLASS_COUNT);
    memcpy(names, fields, (size_t)*count * sizeof *names);
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (spread_of_function(type, i) != NULL)
            names[(*count)++] = functions[i].name;
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

/* The longest of `names` with which `rest` begins: names may contain dots. -1: none. */
static int32_t longest_name(const char *rest, const char *const *names, int32_t count)
{
    int32_t best = -1;
    size_t longest = 0;
    for (int32_t i = 0; i < count; i++) {
        const size_t length = matches_key(rest, names[i]);
        if (length > longest) {
            longest = length;
            best = i;
        }
    }
    return best;
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
    const char *argument = position.rest + strlen(functions[function].name) + 1;
    const char *end = strchr(argument, ')');
    Status status = {0};
    if (end == NULL || end[1] != '\0')
        return status_hint(problems_add(compiler->problems, STATUS_BAD_INPUT, compiler->at,
                                        "metric \"%s\" does not end with one duration in "
                                        "parentheses",
                                        compiler->name),
                           "as in \"%s\"", functions[function].example);
    metric->what = METRIC_WITHIN;
    metric->is_in_spread = true;
    metric->spread = position.offset + spread_of_function(position.type, function)->offset;
    if (duration_parse(arena_strndup(compiler->arena, argument, (size_t)(end - argument)),
                       compiler->at, &metric->argument, &status))
        return true;
    problems_add_status(compiler->problems, &status);
    return false;
}

/* Whether `rest` is a percentile: "p90", "p99.9". */
static bool read_percentile(const char *rest, int64_t *percent)
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
    const int32_t class = longest_name(position.rest, classes.names, classes.count);
    if (class < 0)
        return add_unknown(compiler, position, job_class_word(kind), classes.names, classes.count);
    metric->is_of_class = true;
    metric->class_kind = kind;
    metric->class_value = classes.values[class];
    return walk(compiler, (Position){.type = &summary_class_type,
                                     .rest = after(position.rest, strlen(classes.names[class]))});
}

/* The key of an item, and its first other member. */
static const Field *key_field(const ObjectType *type)
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
    } kinds[] = {{"clusters", "cluster"},
                 {"jobs", "job of the scenario"},
                 {"workloads", "workload"},
                 {"file_servers", "file server"},
                 {"kinds", "kind of nodes"}};
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

/* Whether the field is a list of items with metrics. The inputs of a run are lists of texts. */
static bool lists_measures(const Field *field)
{
    return field->kind == VALUE_NAMED ||
           (field->kind == VALUE_NAMED_VALUES && key_field(field->type)[1].kind == VALUE_DECIMAL);
}

static bool compile_item(Compiler *compiler, Position position, const Field *list)
{
    Metric *metric = compiler->metric;
    const char *owner = metric->step_count > 0 ? metric->steps[metric->step_count - 1].name : NULL;
    const NameList names =
        metric_item_names(compiler->arena, compiler->scenario, list->name, owner);
    const int32_t item = longest_name(position.rest, names.items, names.count);
    if (item < 0)
        return add_unknown(compiler, position, kind_of_list(list->name), names.items, names.count);
    const Field *key = key_field(list->type);
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
    if (lists_measures(field))
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
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        const size_t length = strlen(functions[i].name);
        if (strncmp(position.rest, functions[i].name, length) == 0 &&
            position.rest[length] == '(' && spread_of_function(position.type, i) != NULL)
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
        read_percentile(position.rest, &metric->argument)) {
        metric->what = METRIC_PERCENTILE;
        return true;
    }
    for (const Field *field = position.type->fields; field->name != NULL; field++)
        if (field->kind != VALUE_KEY && matches_key(position.rest, field->name) > 0)
            return compile_field(compiler, position, field);
    int32_t count;
    const char *const *names = level_names(compiler, position.type, &count);
    return add_unknown(compiler, position, "member", names, count);
}

static const Metric *compile_one(Arena *arena, const Scenario *scenario, const char *name, Place at,
                                 Problems *problems)
{
    Metric *metric = ARENA_NEW(arena, Metric);
    metric->name = name;
    Compiler compiler = {.arena = arena,
                         .scenario = scenario,
                         .name = name,
                         .at = at,
                         .problems = problems,
                         .metric = metric};
    return walk(&compiler, (Position){.type = &summary_type, .rest = name}) ? metric : NULL;
}

static const char ratio_sign[] = " / ";

const Metric *metric_compile_any(Arena *arena, const Scenario *scenario, const char *name, Place at,
                                 Problems *problems)
{
    const char *sign = strstr(name, ratio_sign);
    if (sign == NULL)
        return compile_one(arena, scenario, name, at, problems);
    const char *above = arena_strndup(arena, name, (size_t)(sign - name));
    Metric *metric = ARENA_NEW(arena, Metric);
    *metric = (Metric){
        .name = name,
        .above = metric_compile(arena, scenario, above, at, problems),
        .below = metric_compile(arena, scenario, sign + strlen(ratio_sign), at, problems),
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

const Metric *metric_compile(Arena *arena, const Scenario *scenario, const char *name, Place at,
                             Problems *problems)
{
    const Metric *metric = metric_compile_any(arena, scenario, name, at, problems);
    if (metric == NULL || !metric_is_text(metric))
        return metric;
    problems_add(problems, STATUS_BAD_INPUT, at, "metric \"%s\" is a text, not a number", name);
    return NULL;
}

const char *metric_name(const Metric *metric)
{
    return metric->name;
}

bool metric_is_of_waiting(const Metric *metric)
{
    return metric->above != NULL
               ? metric_is_of_waiting(metric->above) || metric_is_of_waiting(metric->below)
               : metric->is_of_waiting;
}

bool metric_is_text(const Metric *metric)
{
    return metric->above == NULL && metric->what == METRIC_MEMBER &&
           metric->field->kind == VALUE_TEXT;
}

/* The units of ratios that people ask for; others have none. */
static const char *unit_of_ratio(const Metric *metric)
{
    const char *above = metric_unit(metric->above), *below = metric_unit(metric->below);
    if (below == NULL)
        return above;
    return above != NULL && strcmp(above, below) == 0 ? "1" : NULL;
}

const char *metric_unit(const Metric *metric)
{
    if (metric->above != NULL)
        return unit_of_ratio(metric);
    switch (metric->what) {
    case METRIC_MEMBER:
        return metric->field->unit;
    case METRIC_PERCENTILE:
        return "s";
    case METRIC_WITHIN:
        break;
    }
    return "1";
}

/* --- Evaluating --- */

static const void *at(const void *base, size_t offset)
{
    return (const char *)base + offset;
}

/* NULL: the list has no item of this name. */
static const void *step_item(const Step *step, const void *base)
{
    const void *items = *(const void *const *)at(base, step->items);
    const uint32_t count = *(const uint32_t *)at(base, step->count);
    for (uint32_t i = 0; i < count; i++) {
        const void *item = at(items, i * step->item_bytes);
        if (strcmp(*(const char *const *)at(item, step->key), step->name) == 0)
            return item;
    }
    return NULL;
}

/* The struct that the metric is in, or the workload of its class. NULL: the run has none. */
static const void *struct_of(const Metric *metric, const Summary *summary)
{
    const void *base = summary;
    for (int32_t i = 0; base != NULL && i < metric->step_count; i++)
        base = step_item(&metric->steps[i], base);
    return base;
}

static double scaled(Wide value, int32_t decimals)
{
    double unit = 1;
    for (int32_t i = 0; i < decimals; i++)
        unit *= 10;
    return (double)value / unit;
}

static bool is_hidden(const Field *field, const void *item)
{
    return field->shown_if != 0 && !*(const bool *)at(item, field->shown_if);
}

static MetricValue member_value(const Metric *metric, const void *item)
{
    const Field *field = metric->field;
    const void *member = at(item, metric->member);
    const Wide value =
        field->size == sizeof(Wide) ? *(const Wide *)member : *(const int64_t *)member;
    if (value == PLAIN_UNKNOWN || is_hidden(field, item))
        return (MetricValue){0};
    return (MetricValue){.value = scaled(value, field->decimals),
                         .is_known = true,
                         .is_lower_bound =
                             metric->is_in_spread &&
                             spread_is_at_least(at(item, metric->spread), field->name)};
}

static MetricValue value_in(const Metric *metric, const void *item)
{
    const SummarySpread *spread = at(item, metric->spread);
    if (metric->what == METRIC_MEMBER)
        return member_value(metric, item);
    if (spread->jobs == NULL)
        return (MetricValue){0};
    if (metric->what == METRIC_PERCENTILE) {
        const SpreadValue value = spread_percentile(spread, metric->argument);
        if (value.value == SUMMARY_NEVER)
            return (MetricValue){0};
        return (MetricValue){scaled(value.value, 9), true, value.is_lower_bound};
    }
    const SpreadShare share = spread_within(spread, metric->argument);
    if (share.jobs == 0)
        return (MetricValue){0};
    return (MetricValue){(double)share.within / (double)share.jobs, true, share.is_lower_bound};
}

static int32_t class_value_of(const JobTimes *job, JobClassKind kind)
{
    switch (kind) {
    case CLASS_OF_SIZE:
        return job->size;
    case CLASS_OF_USER:
        return job->user;
    case CLASS_OF_QUEUE:
        return job->queue;
    case JOB_CLASS_COUNT:
        break;
    }
    return -1;
}

/* The jobs of the metric's class. False: they are unknown. */
static bool find_class(Arena *arena, const Metric *metric, const SummaryWorkload *workload,
                       SummaryClass *class)
{
    const SummarySpread *all = &workload->all.queue;
    if (all->jobs == NULL)
        return false;
    JobTimes *jobs = ARENA_ARRAY(arena, JobTimes, all->job_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->job_count; i++)
        if (class_value_of(&all->jobs[i], metric->class_kind) == metric->class_value)
            jobs[count++] = all->jobs[i];
    *class = summary_class(arena, jobs, count);
    return true;
}

static MetricValue ratio_value(const Metric *metric, const Summary *summary)
{
    const MetricValue above = metric_of(metric->above, summary);
    const MetricValue below = metric_of(metric->below, summary);
    if (!above.is_known || !below.is_known || below.value <= 0)
        return (MetricValue){0};
    return (MetricValue){above.value / below.value, true, above.is_lower_bound};
}

MetricValue metric_of(const Metric *metric, const Summary *summary)
{
    if (metric->above != NULL)
        return ratio_value(metric, summary);
    const void *item = struct_of(metric, summary);
    if (item == NULL || metric_is_text(metric))
        return (MetricValue){0};
    if (!metric->is_of_class)
        return value_in(metric, item);
    Arena *scratch = arena_create();
    SummaryClass class;
    const MetricValue value =
        find_class(scratch, metric, item, &class) ? value_in(metric, &class) : (MetricValue){0};
    arena_destroy(scratch);
    return value;
}

/* --- Many runs --- */

/* The percentile in parts of 10^-7 per cent; 0: no percentile. */
static int64_t percent_of(const Metric *metric)
{
    int64_t percent;
    if (metric->above != NULL)
        return 0;
    if (metric->what == METRIC_PERCENTILE)
        return metric->argument;
    return metric->what == METRIC_MEMBER && metric->is_in_spread &&
                   read_percentile(metric->field->name, &percent)
               ? percent
               : 0;
}

MeasureKind metric_kind(const Metric *metric)
{
    if (metric->above != NULL)
        return MEASURE_RATIO;
    if (metric->what == METRIC_WITHIN)
        return MEASURE_SHARE;
    const int64_t percent = percent_of(metric);
    if (percent > 0 && percent < 100 * PERCENT_PARTS)
        return MEASURE_PERCENTILE;
    const char *unit = metric_unit(metric);
    return unit != NULL && strcmp(unit, "1") == 0 ? MEASURE_FRACTION : MEASURE_MEAN;
}

int64_t metric_quantile_ppb(const Metric *metric)
{
    _Static_assert(100 * PERCENT_PARTS == 1000000000, "a percentage counts 10^-9 of the whole");
    return percent_of(metric);
}

static const struct {
    const char *name;
    int32_t part_count;
} measure_kinds[MEASURE_KIND_COUNT] = {
    [MEASURE_MEAN] = {"mean", 0},   [MEASURE_FRACTION] = {"fraction", 0},
    [MEASURE_SHARE] = {"share", 1}, [MEASURE_PERCENTILE] = {"percentile", METRIC_PARTS_MAX},
    [MEASURE_RATIO] = {"ratio", 2},
};

const char *measure_kind_name(MeasureKind kind)
{
    return measure_kinds[kind].name;
}

int32_t measure_part_count(MeasureKind kind)
{
    return measure_kinds[kind].part_count;
}

int64_t metric_order_rank(int32_t index, double quantile, int64_t count)
{
    // The part of the times above the rank, in per cent of the part above the percentile.
    static const int32_t above[METRIC_ORDER_RANKS] = {0,  1000, 500, 300, 200, 150, 125, 110, 100,
                                                      90, 80,   65,  50,  35,  20,  10,  0};
    if (index == 0)
        return 1;
    const double beyond = (1 - quantile) * (double)count * above[index] / 100;
    // A rank that is a whole number must not move by a rounding error.
    const int64_t rank = count - (int64_t)(beyond + 1e-6);
    return rank > 1 ? rank : 1;
}

static void order_parts(const Metric *metric, const SummarySpread *spread, double *parts)
{
    if (spread->jobs == NULL)
        return;
    Arena *scratch = arena_create();
    const int64_t *sorted;
    const double quantile = (double)metric_quantile_ppb(metric) / 1e9;
    const uint32_t count = spread_sorted(scratch, spread, &sorted);
    parts[0] = count;
    for (int32_t i = 0; i < METRIC_ORDER_RANKS && count > 0; i++)
        parts[1 + i] = scaled(sorted[metric_order_rank(i, quantile, count) - 1], 9);
    arena_destroy(scratch);
}

static void parts_in(const Metric *metric, const void *item, double *parts)
{
    const SummarySpread *spread = at(item, metric->spread);
    if (metric_kind(metric) == MEASURE_PERCENTILE)
        order_parts(metric, spread, parts);
    else if (spread->jobs != NULL)
        parts[0] = (double)spread_within(spread, metric->argument).jobs;
}

static void put_known(MetricValue value, double *part)
{
    if (value.is_known)
        *part = value.value;
}

void metric_parts(const Metric *metric, const Summary *summary, double *parts)
{
    const int32_t count = measure_part_count(metric_kind(metric));
    for (int32_t i = 0; i < count; i++)
        parts[i] = (double)NAN;
    if (metric->above != NULL) {
        put_known(metric_of(metric->above, summary), &parts[0]);
        put_known(metric_of(metric->below, summary), &parts[1]);
        return;
    }
    const void *item = count > 0 ? struct_of(metric, summary) : NULL;
    if (item == NULL)
        return;
    Arena *scratch = arena_create();
    SummaryClass class;
    if (!metric->is_of_class)
        parts_in(metric, item, parts);
    else if (find_class(scratch, metric, item, &class))
        parts_in(metric, &class, parts);
    arena_destroy(scratch);
}

const char *metric_text_of(const Metric *metric, const Summary *summary)
{
    const void *item = metric->above == NULL ? struct_of(metric, summary) : NULL;
    if (item == NULL || !metric_is_text(metric) || metric->is_of_class ||
        is_hidden(metric->field, item))
        return NULL;
    return *(const char *const *)at(item, metric->member);
}

/* --- Listing --- */

typedef struct {
    Arena *arena;
    const Scenario *scenario;
    const char *times; /* what the spread that is being listed is about; NULL: not in a spread */
    MetricList list;
    const char *item; /* whose members are listed; NULL: none */
} Lister;

static void add_entry(Lister *lister, MetricEntry entry)
{
    MetricList *list = &lister->list;
    if (lister->times != NULL)
        entry.doc = arena_printf(lister->arena, "%s: %s", lister->times, entry.doc);
    list->items = array_room(lister->arena, list->items, list->count + 1, &list->capacity,
                             sizeof *list->items);
    list->items[list->count++] = entry;
}

static const char *joined(Lister *lister, const char *prefix, const char *name)
{
    return *prefix != '\0' ? arena_printf(lister->arena, "%s.%s", prefix, name) : name;
}

static void list_type(Lister *lister, const char *prefix, const ObjectType *type);

static void list_items(Lister *lister, const char *prefix, const Field *list)
{
    const char *owner = lister->item;
    const NameList names = metric_item_names(lister->arena, lister->scenario, list->name, owner);
    const int32_t count = metric_item_count(lister->arena, lister->scenario, list->name, owner);
    const Field *value = key_field(list->type) + 1;
    for (int32_t i = 0; i < count; i++) {
        const char *name = joined(lister, prefix, names.items[i]);
        lister->item = names.items[i];
        if (list->kind == VALUE_NAMED)
            list_type(lister, name, list->type);
        else
            add_entry(lister, (MetricEntry){name, value->unit, value->doc, false});
        lister->item = owner;
    }
}

static void list_field(Lister *lister, const char *prefix, const Field *field)
{
    const char *name = joined(lister, prefix, field->name);
    if (field->kind == VALUE_DECIMAL || field->kind == VALUE_TEXT)
        add_entry(lister, (MetricEntry){name, field->unit, field->doc, field->kind == VALUE_TEXT});
    if (lists_measures(field))
        list_items(lister, name, field);
    if (field->kind != VALUE_OBJECT)
        return;
    lister->times = field->type == &summary_spread_type ? field->doc : NULL;
    list_type(lister, name, field->type);
    lister->times = NULL;
}

static void list_classes(Lister *lister, const char *prefix, const Workload *workload)
{
    for (int kind = 0; kind < JOB_CLASS_COUNT; kind++) {
        const JobClasses classes =
            metric_job_classes(lister->arena, lister->scenario, workload, (JobClassKind)kind);
        const char *of_kind = joined(lister, prefix, job_class_key((JobClassKind)kind));
        for (int32_t i = 0; i < classes.count; i++)
            list_type(lister, joined(lister, of_kind, classes.names[i]), &summary_class_type);
    }
}

static void list_type(Lister *lister, const char *prefix, const ObjectType *type)
{
    for (const Field *field = type->fields; field->name != NULL; field++)
        list_field(lister, prefix, field);
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (spread_of_function(type, i) != NULL)
            add_entry(lister, (MetricEntry){joined(lister, prefix, functions[i].example), "1",
                                            functions[i].doc, false});
    if (type == &summary_spread_type)
        add_entry(lister, (MetricEntry){joined(lister, prefix, "p90"), "s",
                                        "any other percentile, such as p99.9", false});
    if (type == &summary_workload_type)
        list_classes(lister, prefix,
                     metric_workload(lister->scenario, prefix + strlen("workloads.")));
}

MetricList metric_list(Arena *arena, const Scenario *scenario)
{
    Lister lister = {.arena = arena, .scenario = scenario};
    list_type(&lister, "", &summary_type);
    return lister.list;
}

void metric_reference(Text *out)
{
    text_add(out,
             "\n## Metrics\n\n"
             "\"metric\" of an expectation, and studies, name a metric of a run: keys of "
             "summary.json joined by dots, such as `cost_usd.total`, `clusters.gpu.idle_s` or "
             "`workloads.day.queue_s.p95`. `trainyard explain SCENARIO --metrics` lists all of a "
             "scenario. Beyond the members of summary.json there are:\n\n"
             "| metric | meaning |\n| --- | --- |\n");
    for (int i = 0; i < FUNCTION_COUNT; i++)
        text_printf(out, "| `workloads.day.%s` | %s |\n", functions[i].example, functions[i].doc);
    text_add(out, "| `waited_within(20m)` | the same of all jobs of the run |\n"
                  "| `workloads.day.queue_s.p99.9` | any percentile of a spread |\n"
                  "| `cost_usd.total / workloads.day.succeeded` | a ratio of two sums or counts; a "
                  "study divides the totals of its runs |\n");
    static const char *const examples[] = {"8", "anna", "research"};
    _Static_assert(sizeof examples / sizeof examples[0] == JOB_CLASS_COUNT, "one of each kind");
    for (int kind = 0; kind < JOB_CLASS_COUNT; kind++)
        text_printf(out, "| `workloads.day.%s.%s.queue_s.p95` | %s |\n",
                    job_class_key((JobClassKind)kind), examples[kind],
                    job_class_doc((JobClassKind)kind));
    text_add(out,
             "\n### When a run ends\n\n"
             "A run ends when nothing is left to happen, or at `until`. A time that has not ended "
             "then counts up to the end. It can only become longer, so a mean or percentile that "
             "depends on it is a lower bound: summary.json names it in `at_least`, and people "
             "read \"> 3 d\".\n\n"
             "- A job that waits counts in `queue_s` with its wait so far, and a job that has not "
             "ended counts in `turnaround_s` with the time since its submission. `run_s` is about "
             "jobs that have ended.\n"
             "- `waited_within(x)` counts a job that still waits as not within x, whether or not "
             "it has waited longer: the share is never too large. It is a lower bound while a "
             "job may still start within x.\n"
             "- A job that was terminated while it waited counts with its wait. A job that runs "
             "counts with its waits so far.\n"
             "- Nodes that are still held are billed up to the end; `held_nodes` counts "
             "them.\n");
}
