#include "sim/study/follow/assumption.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/text.h"
#include "sim/engine/sample.h"
#include "sim/scenario/catalog/fields.h"
#include "sim/scenario/catalog/value.h"
#include "sim/study/point_scenario.h"

/* The catalogue's least life of a node. */
#define LIFE_LEAST_NS NS_PER_S

/* --- Multiples of values --- */

static Json *parsed(Arena *arena, const char *text)
{
    Problems discarded = problems_create(arena);
    return json_parse(arena, "", text, strlen(text), JSON_STRICT, &discarded);
}

static const Json *factor_json(Arena *arena, double factor)
{
    return json_decimal(arena, arena_printf(arena, "%.4g", factor));
}

/* The members of a distribution that are not times. */
static bool is_shape(const char *key)
{
    return strcmp(key, "shape") == 0 || strcmp(key, "sigma") == 0;
}

/* A time of a distribution times `factor`, at least `least_ns`. */
static Json *time_times(Arena *arena, const Json *value, const Json *factor, int64_t least_ns)
{
    Json *product = value_times(arena, value, factor);
    int64_t ns;
    Status unused = {0};
    const bool is_less = product != NULL && product->kind == JSON_STRING &&
                         duration_parse(product->text, place_in("", 0, 0), &ns, &unused) &&
                         ns < least_ns;
    return is_less ? json_string(arena, arena_printf(arena, "%" PRId64 "ns", least_ns)) : product;
}

static Json *times(Arena *arena, const Json *value, const Json *factor, int64_t least_ns)
{
    if (value->kind != JSON_OBJECT)
        return time_times(arena, value, factor, least_ns);
    Json *made = json_object(arena);
    for (const Json *member = value->first; member != NULL; member = member->next) {
        Json *item = is_shape(member->key) ? json_copy(arena, member, NULL)
                                           : times(arena, member, factor, least_ns);
        if (item == NULL)
            return NULL;
        json_set(arena, made, member->key, item);
    }
    return made;
}

/* At least 1, so that a count of 1 is not made 0. */
static const char *count_times(Arena *arena, const char *value, double factor)
{
    int64_t count;
    if (!whole_number_parse(value, INT64_C(1) << 40, &count) || count == 0)
        return NULL;
    const int64_t product = (int64_t)((double)count * factor + 0.5);
    return arena_printf(arena, "%" PRId64, product > 1 ? product : 1);
}

/* Whether `value` is a share, "28%", and the product more than the whole. */
static bool is_above_whole(const char *value, double factor)
{
    const size_t length = strlen(value);
    int64_t ppm;
    Status unused = {0};
    return length > 0 && value[length - 1] == '%' &&
           ratio_parse(value, place_in("", 0, 0), &ppm, &unused) &&
           (double)ppm * factor > (double)PPM;
}

const char *assumption_times(Arena *arena, const char *value, bool is_count, int64_t least_ns,
                             double factor)
{
    if (is_count)
        return count_times(arena, value, factor);
    if (is_above_whole(value, factor))
        return "\"100%\"";
    const Json *own = value[0] == '{' ? parsed(arena, value) : json_string(arena, value);
    const Json *made = own != NULL ? times(arena, own, factor_json(arena, factor), least_ns) : NULL;
    return made != NULL ? json_text(arena, made) : NULL;
}

/* The shortest time that the catalogue allows. */
static int64_t least_of(AssumptionKind kind)
{
    return kind == ASSUMPTION_LIFE ? LIFE_LEAST_NS : 0;
}

const char *assumption_at(Arena *arena, const Assumption *assumption, double factor)
{
    return assumption_times(arena, assumption->value, assumption->is_count,
                            least_of(assumption->kind), factor);
}

/* --- Ranges --- */

typedef struct {
    double low, high;
    const char *words;
} Range;

/* Where the catalogue states no range. */
#define CHOSEN "; trainyard's choice: no source states a range"
static const Range price_range = {0.8, 1.25, "x 0.8 to x 1.25" CHOSEN};
static const Range life_range = {0.5, 2, "x 0.5 to x 2" CHOSEN};
static const Range share_range = {0.8, 1.25, "x 0.8 to x 1.25, at most 100 %" CHOSEN};
static const Range other_range = {0.5, 2, "x 0.5 to x 2" CHOSEN};

/* From the 10 % to the 90 % quantile, over the median. */
static bool own_range(Arena *arena, const char *value, Range *range)
{
    const uint64_t tenth = UINT64_MAX / 10;
    Distribution distribution;
    Status unused = {0};
    const Json *json = value[0] == '{' ? parsed(arena, value) : NULL;
    if (json == NULL || !distribution_read(arena, json, &distribution, &unused))
        return false;
    const double median = (double)distribution_at(distribution, 5 * tenth);
    *range = (Range){(double)distribution_at(distribution, tenth) / median,
                     (double)distribution_at(distribution, 9 * tenth) / median,
                     "all of it times its own 10 % and 90 % quantile over its median"};
    return median > 0 && range->low > 0 && range->low < range->high;
}

static bool error_range(const char *error, Range *range)
{
    int64_t ppm;
    Status unused = {0};
    if (error[0] == '\0' || !ratio_parse(error, place_in("", 0, 0), &ppm, &unused) || ppm <= 0 ||
        ppm >= PPM)
        return false;
    *range =
        (Range){1 - (double)ppm / (double)PPM, 1 + (double)ppm / (double)PPM, "its stated error"};
    return true;
}

static Range range_of(Arena *arena, const CatalogValue *value, const Field *field,
                      AssumptionKind kind)
{
    Range range;
    if (error_range(value->error, &range))
        return range;
    if (kind == ASSUMPTION_PRICE)
        return price_range;
    if (kind == ASSUMPTION_LIFE)
        return life_range;
    if (own_range(arena, value->value, &range))
        return range;
    return field->kind == VALUE_RATIO ? share_range : other_range;
}

/* --- The list --- */

typedef struct {
    Arena *arena;
    Assumption *items;
    uint32_t count, capacity;
    const ScenarioFile *file;
} Finder;

static const Field *field_of(const char *path)
{
    const size_t length = strcspn(path, "/");
    const char *last = strrchr(path, '/');
    for (int32_t i = 0; last != NULL && i < CATALOG_SECTION_COUNT; i++) {
        const ObjectType *type = &catalog_shapes[i].type;
        if (strlen(type->name) == length && strncmp(type->name, path, length) == 0)
            return field_find(type, last + 1);
    }
    return NULL;
}

/* Quantities of the catalogue. Names, yes and no, and tables have no range. */
static bool is_quantity(const Field *field)
{
    if (field->kind == VALUE_CUSTOM)
        return field->custom == &durations_kind || field->custom == &ratios_kind ||
               field->custom == &sizes_kind || field->custom == &distribution_kind;
    return field->kind == VALUE_INTEGER || field->kind == VALUE_DURATION ||
           field->kind == VALUE_BYTES || field->kind == VALUE_RATE || field->kind == VALUE_FLOPS ||
           field->kind == VALUE_RATIO || field->kind == VALUE_MONEY || field->kind == VALUE_POWER;
}

const char *assumption_price(Arena *arena, NodeKind kind)
{
    return arena_printf(arena, "vm_sizes/%s/%s_price_per_hour", kind.vm_size->name,
                        kind.is_low_priority ? "low_priority" : "dedicated");
}

/* Whether nodes of a cluster of the scenario have this price. */
static bool is_paid(const Finder *finder, const char *path)
{
    const Scenario *scenario = &finder->file->scenario;
    const Command *command;
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;) {
        const ClusterSpec *spec = command->as.cluster_create;
        for (int32_t k = 0; k < cluster_spec_kind_count(spec); k++)
            if (!cluster_spec_kind(spec, k).has_price &&
                strcmp(assumption_price(finder->arena, cluster_spec_kind(spec, k)), path) == 0)
                return true;
    }
    return false;
}

static bool is_of_preemption(const Finder *finder, const char *path)
{
    const Failures *failures = &finder->file->scenario.failures;
    const char *name = path + strlen("failure_models/");
    const size_t length = strcspn(name, "/");
    const FailureModel *only = failures->preemption;
    if (only != NULL)
        return strlen(only->name) == length && strncmp(only->name, name, length) == 0;
    for (int32_t i = 0; i < failures->preemption_count; i++) {
        const char *model = failures->preemptions[i].model->name;
        if (strlen(model) == length && strncmp(model, name, length) == 0)
            return true;
    }
    return false;
}

static bool is_known(const Finder *finder, const char *path)
{
    for (uint32_t i = 0; i < finder->count; i++)
        if (strcmp(finder->items[i].path, path) == 0)
            return true;
    return false;
}

/* Whether something in the scenario takes nodes away, or lets allocations fail. */
static bool has_failures(const Scenario *scenario)
{
    const Failures *failures = &scenario->failures;
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind >= COMMAND_NODE_CRASH) // the kinds of faults come last
            return true;
    return failures->rate_ppm > 0 &&
           (failures->nodes != NULL || failures->preemption != NULL ||
            failures->preemption_count > 0 || failures->group_count > 0 ||
            failures->allocation_ppm > 0 || failures->preparation_ppm > 0 ||
            failures->setup_ppm > 0 || failures->mount_ppm > 0);
}

static bool is_unknown(const JobSpec *spec)
{
    return spec->program != NULL && spec->program->is_other;
}

/* Whether nothing is known of the program of a job. */
static bool has_unknown_program(const Scenario *scenario)
{
    bool is_any = false;
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind == COMMAND_JOB_CREATE)
            is_any |= is_unknown(scenario->commands[i].as.job_create.spec);
    for (int32_t i = 0; i < scenario->workload_count; i++)
        for (int32_t s = 0; s < scenario->workloads[i].spec_count; s++)
            is_any |= is_unknown(scenario->workloads[i].specs[s]);
    return is_any;
}

/* Every scenario has these values of the service, but only some can notice them. */
static const struct {
    const char *path;
    bool (*matters)(const Scenario *scenario);
} of_service[] = {
    {"service/allocation_retry", has_failures},
    {"service/failure_detection", has_failures},
    {"service/node_reboot", has_failures},
    {"service/preemption_notice", has_failures},
    {"service/unknown_program", has_unknown_program},
    {"service/unknown_tool", has_unknown_program},
};

static bool matters(const Finder *finder, const char *path)
{
    for (size_t i = 0; i < sizeof of_service / sizeof of_service[0]; i++)
        if (strcmp(of_service[i].path, path) == 0)
            return of_service[i].matters(&finder->file->scenario);
    return true;
}

static bool is_of_interest(const Finder *finder, const CatalogValue *value, AssumptionKind kind)
{
    if (begins_with(value->path, "quotas/"))
        return false; // limits are decisions
    if (kind == ASSUMPTION_PRICE && begins_with(value->path, "vm_sizes/"))
        return is_paid(finder, value->path);
    return kind == ASSUMPTION_LIFE || value->is_assumption;
}

static AssumptionKind kind_of(const char *path, const Field *field)
{
    const char *last = strrchr(path, '/') + 1;
    if (field->kind == VALUE_MONEY)
        return ASSUMPTION_PRICE;
    return begins_with(path, "failure_models/") && strcmp(last, "between") == 0 ? ASSUMPTION_LIFE
                                                                                : ASSUMPTION_OTHER;
}

/* The limits of the catalogue for a value that is one quantity. */
static bool is_allowed(Arena *arena, const Field *field, const char *json)
{
    const Json *value = parsed(arena, json);
    int64_t quantity = 0;
    Status unused = {0};
    if (field->kind == VALUE_CUSTOM || value == NULL)
        return value != NULL;
    if (field->kind == VALUE_INTEGER)
        quantity = value->integer;
    else if (!value_parse(field->kind, value->text, place_in("", 0, 0), &quantity, &unused))
        return false;
    return quantity >= field->minimum && (field->maximum == 0 || quantity <= field->maximum);
}

/* `*factor` times the value as JSON. Where the catalogue does not allow that, the range ends at the
 * value itself. */
static const char *end_of(Arena *arena, const Assumption *assumption, const Field *field,
                          double *factor)
{
    const char *end = assumption_at(arena, assumption, *factor);
    if (end == NULL || is_allowed(arena, field, end))
        return end;
    *factor = 1;
    return assumption_at(arena, assumption, 1);
}

static void add_assumption(Finder *finder, const CatalogValue *value, const Field *field,
                           AssumptionKind kind)
{
    Arena *arena = finder->arena;
    const Range range = range_of(arena, value, field, kind);
    const char *note = value->note[0] != '\0' ? arena_printf(arena, "; %s", value->note) : "";
    Assumption found = {
        .path = value->path,
        .kind = kind,
        .is_assumed = value->is_assumption,
        .is_preemption = kind == ASSUMPTION_LIFE && is_of_preemption(finder, value->path),
        .is_count = field->kind == VALUE_INTEGER,
        .value = value->value,
        .low_factor = range.low,
        .high_factor = range.high,
        .range = range.words,
        .source = arena_printf(arena, "%s (%s)%s", value->source, value->date, note)};
    found.own = assumption_at(arena, &found, 1);
    found.low = end_of(arena, &found, field, &found.low_factor);
    found.high = end_of(arena, &found, field, &found.high_factor);
    if (found.low == NULL || found.high == NULL || strcmp(found.low, found.high) == 0)
        return;
    finder->items = array_room(arena, finder->items, finder->count + 1, &finder->capacity,
                               sizeof *finder->items);
    finder->items[finder->count++] = found;
}

/* The explanation of a scenario names the values of the catalogue that it uses. */
static void add_used(Finder *finder)
{
    const Explanation *used = &finder->file->explanation;
    for (int32_t i = 0; i < used->count; i++) {
        const char *path = used->values[i].name;
        const Field *field = field_of(path);
        const CatalogValue *value =
            field != NULL ? catalog_value(finder->file->catalog, path) : NULL;
        if (value == NULL || !is_quantity(field) || is_known(finder, path) ||
            !matters(finder, path))
            continue;
        const AssumptionKind kind = kind_of(path, field);
        if (is_of_interest(finder, value, kind))
            add_assumption(finder, value, field, kind);
    }
}

bool assumptions_find(Arena *arena, const Study *study, FileSource files, const int32_t *points,
                      int32_t point_count, AssumptionList *list, Problems *problems)
{
    Finder finder = {.arena = arena};
    for (int32_t i = 0; i < point_count; i++) {
        finder.file = point_scenario_whole(arena, study, files, points[i], problems);
        if (finder.file == NULL)
            return false;
        add_used(&finder);
    }
    *list = (AssumptionList){.count = (int32_t)finder.count, .items = finder.items};
    return true;
}

void assumption_set(Arena *arena, Json *settings, const char *path, const char *value)
{
    Text pointer = {0};
    text_add(&pointer, "/assume/");
    for (const char *c = path; *c != '\0'; c++) {
        if (*c == '~' || *c == '/')
            text_add(&pointer, *c == '~' ? "~0" : "~1");
        else
            text_append(&pointer, c, 1);
    }
    json_set(arena, settings, arena_strdup(arena, text_string(&pointer)), parsed(arena, value));
    text_free(&pointer);
}
