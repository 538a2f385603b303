#include "sim/scenario/catalog/value.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/catalog/layers.h"

/* Reads the key of a point as a number. */
typedef bool KeyParse(const char *text, Place at, int64_t *value, Status *status);

static bool epochs_parse(const char *text, Place at, int64_t *milli, Status *status)
{
    return decimal_parse(text, 3, "a number of epochs such as \"25\" or \"0.5\"", at, milli,
                         status);
}

static bool count_parse(const char *text, Place at, int64_t *value, Status *status)
{
    return decimal_parse(text, 0, "a whole number such as \"32\"", at, value, status);
}

static bool fail_kind(const Json *json, const char *expected, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, json_at(json), "expected %s, found %s", expected,
                       json_kind_name(json->kind));
}

static bool in_range(const Field *field, const Json *json, int64_t value, Status *status)
{
    if (value >= field->minimum && value <= field->maximum)
        return true;
    if (json->kind == JSON_STRING)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json), "%s is %s, out of range",
                           field->name, json->text);
    return status_fail(status, STATUS_BAD_INPUT, json_at(json), "%s is %lld, expected %lld to %lld",
                       field->name, (long long)value, (long long)field->minimum,
                       (long long)field->maximum);
}

static bool quantity_read(const Field *field, const Json *json, int64_t *value, Status *status)
{
    if (json->kind != JSON_STRING)
        return fail_kind(json, "a string with a unit", status);
    const ValueKind kind = field->kind == VALUE_CUSTOM ? field->custom->element : field->kind;
    return value_parse(kind, json->text, json_at(json), value, status) &&
           in_range(field, json, *value, status);
}

static bool count_read(const Field *field, const Json *json, int64_t *value, Status *status)
{
    if (json->kind != JSON_NUMBER || !json->is_integer)
        return fail_kind(json, "a whole number", status);
    *value = json->integer;
    return in_range(field, json, *value, status);
}

/* --- Tables of knots --- */

/* Points (x, y) in the order of the file: quantiles or a learning curve. */
typedef struct {
    int64_t x;
    int64_t y;
} Knot;

/* The members of `json` as knots whose x rises and whose y never falls; NULL on failure. */
static Knot *knots_read(Arena *arena, const Field *field, const Json *json, KeyParse *x_parse,
                        Status *status)
{
    Knot *knots = ARENA_ARRAY(arena, Knot, json->count);
    int32_t count = 0;
    for (const Json *member = json->first; member; member = member->next, count++) {
        Knot *knot = &knots[count];
        if (!x_parse(member->key, member->key_at, &knot->x, status) ||
            !quantity_read(field, member, &knot->y, status))
            return NULL;
        if (count && (knot->x <= knots[count - 1].x || knot->y < knots[count - 1].y)) {
            status_fail(status, STATUS_BAD_INPUT, member->key_at,
                        "%s: \"%s\" does not come after the point before it", field->name,
                        member->key);
            return NULL;
        }
    }
    return knots;
}

/* "min", "median" and "max" stand for the quantiles 0, 0.5 and 1. */
static bool probability_parse(const char *text, Place at, int64_t *ppm, Status *status)
{
    static const struct {
        const char *name;
        int64_t ppm;
    } names[] = {{"min", 0}, {"median", PPM / 2}, {"max", PPM}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *ppm = names[i].ppm;
            return true;
        }
    }
    return ratio_parse(text, at, ppm, status);
}

static bool quantiles_read(Arena *arena, const Field *field, const Json *json, Quantiles *quantiles,
                           Status *status)
{
    if (json->kind == JSON_STRING) {
        QuantileKnot *knot = ARENA_NEW(arena, QuantileKnot);
        *quantiles = (Quantiles){.count = 1, .knots = knot};
        return quantity_read(field, json, &knot->value, status);
    }
    if (json->kind != JSON_OBJECT)
        return fail_kind(json, "a string with a unit or an object of quantiles", status);
    Knot *knots = knots_read(arena, field, json, probability_parse, status);
    if (!knots)
        return false;
    if (json->count < 2 || knots[0].x != 0 || knots[json->count - 1].x != PPM) {
        status_fail(status, STATUS_BAD_INPUT, json_at(json),
                    "%s: quantiles go from \"0\" to \"1\", or from \"min\" to \"max\"",
                    field->name);
        return status_hint(status, "a value that never varies is written without quantiles");
    }
    QuantileKnot *copies = ARENA_ARRAY(arena, QuantileKnot, json->count);
    for (int32_t i = 0; i < json->count; i++)
        copies[i] = (QuantileKnot){.probability_ppm = knots[i].x, .value = knots[i].y};
    *quantiles = (Quantiles){.count = json->count, .knots = copies};
    return true;
}

/* --- Distributions --- */

static const char *const formulas[] = {"exponential", "weibull", "lognormal"};
enum { FORMULAS = sizeof formulas / sizeof formulas[0] };

/* The two members of a formula: a time and a shape. */
static bool formula_read(const Field *field, const Json *json, const char *time, const char *shape,
                         Distribution *distribution, Status *status)
{
    const Json *scale = json_member(json, time);
    const Json *form = json_member(json, shape);
    if (json->kind != JSON_OBJECT || json->count != 2 || scale == NULL || form == NULL)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json),
                           "%s: write \"%s\" as {\"%s\": \"54m\", \"%s\": 1.9}", field->name,
                           json->key, time, shape);
    if (form->kind != JSON_NUMBER)
        return fail_kind(form, "a number", status);
    if (json_scaled(form, 6, &distribution->shape_ppm) &&
        distribution->shape_ppm >= DISTRIBUTION_SHAPE_LEAST_PPM &&
        distribution->shape_ppm <= DISTRIBUTION_SHAPE_MOST_PPM)
        return quantity_read(field, scale, &distribution->scale, status);
    return status_fail(status, STATUS_BAD_INPUT, form->at,
                       "%s is %s, expected 0.05 to 20 with at most 6 decimals", shape, form->text);
}

/* Reads the value of a member that names one of `formulas`. */
static bool family_read(const Field *field, const Json *json, Distribution *distribution,
                        Status *status)
{
    if (strcmp(json->key, "weibull") == 0) {
        distribution->kind = DISTRIBUTION_WEIBULL;
        return formula_read(field, json, "scale", "shape", distribution, status);
    }
    if (strcmp(json->key, "lognormal") == 0) {
        distribution->kind = DISTRIBUTION_LOGNORMAL;
        return formula_read(field, json, "median", "sigma", distribution, status);
    }
    distribution->kind = DISTRIBUTION_EXPONENTIAL;
    return quantity_read(field, json, &distribution->scale, status);
}

/* The member whose key is the name of a formula, or nearly so; `*name` is the formula's name. */
static const Json *find_formula(const Json *json, const char **name)
{
    if (json->kind != JSON_OBJECT || json->count != 1)
        return NULL;
    *name = nearest_name(json->first->key, formulas, FORMULAS);
    return *name != NULL ? json->first : NULL;
}

static bool distribution_value_read(Arena *arena, const Field *field, const Json *json,
                                    Distribution *distribution, Status *status)
{
    const char *name;
    const Json *formula = find_formula(json, &name);
    *distribution = (Distribution){.kind = DISTRIBUTION_QUANTILES};
    if (formula == NULL)
        return quantiles_read(arena, field, json, &distribution->quantiles, status);
    if (strcmp(formula->key, name) == 0)
        return family_read(field, formula, distribution, status);
    status_fail(status, STATUS_BAD_INPUT, formula->key_at, "%s: there is no distribution \"%s\"",
                field->name, formula->key);
    return status_hint(status, "did you mean \"%s\"?", name);
}

static bool learning_read(Arena *arena, const Field *field, const Json *json, LearningCurve *curve,
                          Status *status)
{
    if (json->kind != JSON_OBJECT)
        return fail_kind(json, "an object of epochs and accuracies", status);
    Knot *knots = knots_read(arena, field, json, epochs_parse, status);
    if (!knots)
        return false;
    if (json->count < 2 || knots[0].x != 0)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json),
                           "%s: a learning curve starts at epoch \"0\" and has a second point",
                           field->name);
    LearningKnot *copies = ARENA_ARRAY(arena, LearningKnot, json->count);
    for (int32_t i = 0; i < json->count; i++)
        copies[i] = (LearningKnot){.epochs_milli = knots[i].x, .accuracy_ppm = knots[i].y};
    curve->count = json->count;
    curve->knots = copies;
    return true;
}

static bool curve_read(Arena *arena, const Field *field, const Json *json, KeyParse *at_parse,
                       MeasuredCurve *curve, Status *status)
{
    if (json->kind != JSON_OBJECT || json->count == 0)
        return fail_kind(json, "an object of points", status);
    CurvePoint *points = ARENA_ARRAY(arena, CurvePoint, json->count);
    int32_t count = 0;
    for (const Json *member = json->first; member; member = member->next, count++) {
        CurvePoint *point = &points[count];
        if (!at_parse(member->key, member->key_at, &point->at, status) ||
            !quantity_read(field, member, &point->value, status))
            return false;
        if (count > 0 && point->at <= points[count - 1].at)
            return status_fail(status, STATUS_BAD_INPUT, member->key_at,
                               "%s: \"%s\" does not come after the point before it", field->name,
                               member->key);
    }
    *curve = (MeasuredCurve){.count = count, .points = points};
    return true;
}

/* --- Any value --- */

static void *member_of(const Field *field, void *item)
{
    return (char *)item + field->offset;
}

static bool is_among(const void *entry, const Json *json, const char *section, Status *status)
{
    return entry != NULL ||
           status_fail(status, STATUS_BAD_INPUT, json_at(json),
                       "\"%s\" is not among the %s of the catalogue", json->text, section);
}

/* The readers of CustomKinds: `context` is the Catalog, whose earlier sections are known. */

static bool gpu_read(const void *context, Arena *arena, const Field *field, const Json *json,
                     void *item, Status *status)
{
    const GpuModel **gpu = member_of(field, item);
    (void)arena;
    *gpu = NULL;
    if (json->kind == JSON_NULL)
        return true;
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a gpu, or null", status);
    *gpu = catalog_gpu(context, json->text);
    return is_among(*gpu, json, "gpus", status);
}

static bool framework_read(const void *context, Arena *arena, const Field *field, const Json *json,
                           void *item, Status *status)
{
    const Framework **framework = member_of(field, item);
    (void)arena;
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a framework", status);
    *framework = catalog_framework(context, json->text);
    return is_among(*framework, json, "frameworks", status);
}

static bool failure_model_read(const void *context, Arena *arena, const Field *field,
                               const Json *json, void *item, Status *status)
{
    const FailureModel **model = member_of(field, item);
    (void)arena;
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a failure model", status);
    *model = catalog_failure_model(context, json->text);
    return is_among(*model, json, "failure_models", status);
}

static bool jitter_read(const void *context, Arena *arena, const Field *field, const Json *json,
                        void *item, Status *status)
{
    const Quantiles **jitter = member_of(field, item);
    (void)arena;
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a jitter", status);
    *jitter = catalog_jitter(context, json->text);
    return is_among(*jitter, json, "jitters", status);
}

static bool exchange_read(const void *context, Arena *arena, const Field *field, const Json *json,
                          void *item, Status *status)
{
    const ExchangeMethod **exchange = member_of(field, item);
    (void)arena;
    *exchange = NULL;
    if (json->kind == JSON_NULL)
        return true;
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of an exchange, or null", status);
    *exchange = catalog_exchange(context, json->text);
    return is_among(*exchange, json, "exchanges", status);
}

static bool quantiles_kind_read(const void *context, Arena *arena, const Field *field,
                                const Json *json, void *item, Status *status)
{
    (void)context;
    return quantiles_read(arena, field, json, member_of(field, item), status);
}

static bool distribution_kind_read(const void *context, Arena *arena, const Field *field,
                                   const Json *json, void *item, Status *status)
{
    (void)context;
    return distribution_value_read(arena, field, json, member_of(field, item), status);
}

static bool by_count_read(const void *context, Arena *arena, const Field *field, const Json *json,
                          void *item, Status *status)
{
    (void)context;
    return curve_read(arena, field, json, count_parse, member_of(field, item), status);
}

static bool by_bytes_read(const void *context, Arena *arena, const Field *field, const Json *json,
                          void *item, Status *status)
{
    (void)context;
    return curve_read(arena, field, json, bytes_parse, member_of(field, item), status);
}

/* Reads the factors of an array; `of` names one: "hour". The first has the number `first`. */
static bool factors_read(const Json *json, const char *of, int32_t first, int64_t *ppm,
                         Status *status)
{
    int32_t i = 0;
    for (const Json *factor = json->first; factor != NULL; factor = factor->next, i++)
        if (factor->kind != JSON_NUMBER || !json_scaled(factor, 6, &ppm[i]) || ppm[i] < 0 ||
            ppm[i] > 100 * PPM) {
            ppm[i] = 0;
            return status_fail(status, STATUS_BAD_INPUT, json_at(factor),
                               "the factor of %s %d is not a number from 0 to 100 with at most six "
                               "decimals",
                               of, (int)(first + i));
        }
    return true;
}

bool hour_factors_read(const Json *json, int64_t *ppm, Status *status)
{
    const bool is_array = json->kind == JSON_ARRAY;
    if (!is_array || (json->count != HOURS_A_DAY && json->count != HOURS_A_WEEK))
        return status_fail(
            status, STATUS_BAD_INPUT, json_at(json),
            "hours are 24 factors in an array, one for each hour of the day, or 168, "
            "one for each hour of the week");
    if (!factors_read(json, "hour", 0, ppm, status))
        return false;
    for (int32_t hour = json->count; hour < HOURS_A_WEEK; hour++)
        ppm[hour] = ppm[hour - HOURS_A_DAY];
    return true;
}

bool weekday_factors_read(const Json *json, int64_t *ppm, Status *status)
{
    if (json->kind != JSON_ARRAY || json->count != DAYS_A_WEEK)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json),
                           "weekdays are 7 factors in an array, the first for Monday");
    return factors_read(json, "weekday", 1, ppm, status);
}

static bool hour_factors_kind_read(const void *context, Arena *arena, const Field *field,
                                   const Json *json, void *item, Status *status)
{
    (void)context;
    (void)arena;
    int64_t *ppm = member_of(field, item);
    if (!hour_factors_read(json, ppm, status))
        return false;
    return week_factors_most(ppm) > 0 ||
           status_fail(status, STATUS_BAD_INPUT, json_at(json), "all hours have the factor 0");
}

static bool learning_kind_read(const void *context, Arena *arena, const Field *field,
                               const Json *json, void *item, Status *status)
{
    (void)context;
    return learning_read(arena, field, json, item, status);
}

static bool layers_kind_read(const void *context, Arena *arena, const Field *field,
                             const Json *json, void *item, Status *status)
{
    (void)context;
    (void)field;
    return catalog_layers_read(arena, json, item, status);
}

const CustomKind gpu_kind = {"name of a gpu, or null", VALUE_TEXT, gpu_read};
const CustomKind framework_kind = {"name of a framework", VALUE_TEXT, framework_read};
const CustomKind exchange_kind = {"name of an exchange, or null", VALUE_TEXT, exchange_read};
const CustomKind failure_model_kind = {"name of a failure model", VALUE_TEXT, failure_model_read};
const CustomKind jitter_kind = {"name of a jitter", VALUE_TEXT, jitter_read};
const CustomKind durations_kind = {"duration, or quantiles of durations", VALUE_DURATION,
                                   quantiles_kind_read};
const CustomKind sizes_kind = {"size, or quantiles of sizes", VALUE_BYTES, quantiles_kind_read};
const CustomKind ratios_kind = {"ratio, or quantiles of ratios", VALUE_RATIO, quantiles_kind_read};
const CustomKind distribution_kind = {"duration, or a distribution of durations", VALUE_DURATION,
                                      distribution_kind_read};
const CustomKind times_by_count_kind = {"durations by number", VALUE_DURATION, by_count_read};
const CustomKind times_by_bytes_kind = {"durations by size", VALUE_DURATION, by_bytes_read};
const CustomKind ratios_by_count_kind = {"ratios by number", VALUE_RATIO, by_count_read};
const CustomKind hour_factors_kind = {
    "24 factors by hour of the day (UTC), or 168 by hour of the week", VALUE_RATIO,
    hour_factors_kind_read};
const CustomKind learning_kind = {"ratios by epochs", VALUE_RATIO, learning_kind_read};
const CustomKind layers_kind = {"list of layers", VALUE_TEXT, layers_kind_read};

static bool choice_read(const Field *field, const Json *json, int64_t *value, Status *status)
{
    *value = json->kind == JSON_STRING ? word_list_find(field->choices, json->text) : -1;
    if (*value >= 0)
        return true;
    Text list = {0};
    for (const char *const *word = field->choices; *word != NULL; word++)
        text_printf(&list, "%s\"%s\"",
                    word == field->choices ? ""
                    : word[1] == NULL      ? " or "
                                           : ", ",
                    *word);
    fail_kind(json, text_string(&list), status);
    text_free(&list);
    return false;
}

bool catalog_value_read(Arena *arena, const Catalog *catalog, const Field *field, const Json *json,
                        void *item, Status *status)
{
    int64_t number = 0;
    if (field->kind == VALUE_CUSTOM)
        return field->custom->read(catalog, arena, field, json, item, status);
    if (field->kind == VALUE_TEXT) {
        *(const char **)member_of(field, item) = json->text;
        return json->kind == JSON_STRING || fail_kind(json, "a name", status);
    }
    if (field->kind == VALUE_BOOLEAN) {
        *(bool *)member_of(field, item) = json->boolean;
        return json->kind == JSON_BOOLEAN || fail_kind(json, "true or false", status);
    }
    const bool is_read = field->kind == VALUE_CHOICE ? choice_read(field, json, &number, status)
                         : field->kind == VALUE_INTEGER
                             ? count_read(field, json, &number, status)
                             : quantity_read(field, json, &number, status);
    if (is_read)
        field_store_integer(field, item, number);
    return is_read;
}
