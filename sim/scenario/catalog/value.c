#include "sim/scenario/catalog/value.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/scenario/catalog/layers.h"

/* --- Numbers with units --- */

/* A decimal number may carry this text after it, and then counts 10^decimals of our unit. */
typedef struct {
    const char *text;
    int32_t decimals;
} Suffix;

/* A decimal number at the start of `text`, with up to `decimals` digits after a point, as a
 * multiple of 10^-decimals. `*rest` is what follows. False when there is none, a digit would be
 * lost or it is too large. */
static bool decimal_scan(const char *text, int32_t decimals, int64_t *value, const char **rest)
{
    int64_t total = 0;
    int32_t left = -1; // decimals still to come; -1 before the point
    if (!ascii_is_digit(*text))
        return false;
    for (; ascii_is_digit(*text) || (*text == '.' && left < 0); text++) {
        if (*text == '.') {
            left = decimals;
            continue;
        }
        if (left == 0 || total > (INT64_MAX - 9) / 10)
            return false;
        total = 10 * total + (*text - '0');
        left -= left > 0;
    }
    if (text[-1] == '.')
        return false;
    for (left = left < 0 ? decimals : left; left > 0; left--) {
        if (total > INT64_MAX / 10)
            return false;
        total *= 10;
    }
    *value = total;
    *rest = text;
    return true;
}

static bool suffixed_parse(const char *text, const Suffix *suffixes, int32_t count, Place at,
                           const char *expected, int64_t *value, Status *status)
{
    for (int32_t i = 0; i < count; i++) {
        const char *rest;
        if (decimal_scan(text, suffixes[i].decimals, value, &rest) &&
            strcmp(rest, suffixes[i].text) == 0)
            return true;
    }
    return status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not %s", text, expected);
}

bool ratio_parse(const char *text, Place at, int64_t *ppm, Status *status)
{
    static const Suffix suffixes[] = {{"%", 4}, {"", 6}};
    return suffixed_parse(text, suffixes, 2, at, "a ratio such as \"28%\" or \"1.5\"", ppm, status);
}

static bool money_parse(const char *text, Place at, int64_t *micro_usd, Status *status)
{
    static const Suffix suffixes[] = {{"USD", 6}};
    return suffixed_parse(text, suffixes, 1, at, "an amount such as \"0.90USD\"", micro_usd,
                          status);
}

static bool flops_parse(const char *text, Place at, int64_t *flops, Status *status)
{
    static const Suffix suffixes[] = {
        {"flop/s", 0}, {"kflop/s", 3}, {"Mflop/s", 6}, {"Gflop/s", 9}, {"Tflop/s", 12}};
    return suffixed_parse(text, suffixes, 5, at, "a speed such as \"4.37Tflop/s\"", flops, status);
}

static bool epochs_parse(const char *text, Place at, int64_t *milli, Status *status)
{
    static const Suffix suffixes[] = {{"", 3}};
    return suffixed_parse(text, suffixes, 1, at, "a number of epochs such as \"25\" or \"0.5\"",
                          milli, status);
}

static bool count_parse(const char *text, Place at, int64_t *value, Status *status)
{
    static const Suffix suffixes[] = {{"", 0}};
    return suffixed_parse(text, suffixes, 1, at, "a whole number such as \"32\"", value, status);
}

/* How the text of a quantity becomes a number. */
typedef bool (*QuantityParse)(const char *text, Place at, int64_t *value, Status *status);

static QuantityParse quantity_parse(ValueKind kind)
{
    switch (kind) {
    case VALUE_DURATION:
    case VALUE_DURATIONS:
    case VALUE_DISTRIBUTION:
    case VALUE_TIMES_BY_COUNT:
    case VALUE_TIMES_BY_BYTES:
        return duration_parse;
    case VALUE_BYTES:
        return bytes_parse;
    case VALUE_RATE:
        return rate_parse;
    case VALUE_FLOPS:
        return flops_parse;
    case VALUE_MONEY:
        return money_parse;
    case VALUE_RATIO:
    case VALUE_RATIOS:
    case VALUE_RATIOS_BY_COUNT:
    case VALUE_LEARNING_KNOTS:
        return ratio_parse;
    case VALUE_COUNT_32:
    case VALUE_COUNT:
    case VALUE_BOOLEAN:
    case VALUE_NAME:
    case VALUE_GPU:
    case VALUE_FRAMEWORK:
    case VALUE_EXCHANGE:
    case VALUE_JITTER:
    case VALUE_RECOVERY:
    case VALUE_LAYERS:
        break;
    }
    return NULL;
}

static bool fail_kind(const Json *json, const char *expected, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, json_at(json), "expected %s, found a%s %s",
                       expected, strchr("aeiou", json_kind_name(json->kind)[0]) ? "n" : "",
                       json_kind_name(json->kind));
}

static bool in_range(const CatalogField *field, const Json *json, int64_t value, Status *status)
{
    if (value >= field->least && value <= field->most)
        return true;
    if (json->kind == JSON_STRING)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json), "%s is %s, out of range",
                           field->name, json->text);
    return status_fail(status, STATUS_BAD_INPUT, json_at(json), "%s is %lld, expected %lld to %lld",
                       field->name, (long long)value, (long long)field->least,
                       (long long)field->most);
}

static bool quantity_read(const CatalogField *field, const Json *json, int64_t *value,
                          Status *status)
{
    if (json->kind != JSON_STRING)
        return fail_kind(json, "a string with a unit", status);
    return quantity_parse(field->kind)(json->text, json_at(json), value, status) &&
           in_range(field, json, *value, status);
}

static bool count_read(const CatalogField *field, const Json *json, int64_t *value, Status *status)
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

/* The members of `json` as knots of rising x and y that never falls; NULL on failure. */
static Knot *knots_read(Arena *arena, const CatalogField *field, const Json *json,
                        QuantityParse x_parse, Status *status)
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

static bool quantiles_read(Arena *arena, const CatalogField *field, const Json *json,
                           Quantiles *quantiles, Status *status)
{
    if (json->kind == JSON_STRING) {
        QuantileKnot *knot = ARENA_NEW(arena, QuantileKnot);
        *quantiles = (Quantiles){.count = 1, .knots = knot};
        return quantity_read(field, json, &knot->value, status);
    }
    if (json->kind != JSON_OBJECT)
        return fail_kind(json, "a value or an object of quantiles", status);
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
static bool formula_read(const CatalogField *field, const Json *json, const char *time,
                         const char *shape, Distribution *distribution, Status *status)
{
    const Json *scale = json_member(json, time);
    const Json *form = json_member(json, shape);
    if (json->kind != JSON_OBJECT || json->count != 2 || scale == NULL || form == NULL)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json),
                           "%s: \"%s\" is written {\"%s\": \"54m\", \"%s\": 1.9}", field->name,
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

/* What stands beside a name of `formulas`. */
static bool family_read(const CatalogField *field, const Json *json, Distribution *distribution,
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

/* The member that names a formula, well or nearly so; `*name` is the formula's name. */
static const Json *find_formula(const Json *json, const char **name)
{
    if (json->kind != JSON_OBJECT || json->count != 1)
        return NULL;
    *name = nearest_name(json->first->key, formulas, FORMULAS);
    return *name != NULL ? json->first : NULL;
}

static bool distribution_value_read(Arena *arena, const CatalogField *field, const Json *json,
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

static bool recovery_read(const Json *json, NodeRecovery *recovery, Status *status)
{
    static const char *const words[] = {
#define X(ENUM, text) text,
        NODE_RECOVERIES(X)
#undef X
    };
    for (int32_t i = 0; json->kind == JSON_STRING && i < RECOVERY_COUNT; i++) {
        if (strcmp(json->text, words[i]) != 0)
            continue;
        *recovery = (NodeRecovery)i;
        return true;
    }
    return fail_kind(json, "\"stays\", \"reboot\" or \"replace\"", status);
}

static bool learning_read(Arena *arena, const CatalogField *field, const Json *json,
                          LearningCurve *curve, Status *status)
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

static bool curve_read(Arena *arena, const CatalogField *field, const Json *json,
                       MeasuredCurve *curve, Status *status)
{
    QuantityParse at_parse = field->kind == VALUE_TIMES_BY_BYTES ? bytes_parse : count_parse;
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

static bool is_among(const void *entry, const Json *json, const char *section, Status *status)
{
    return entry != NULL ||
           status_fail(status, STATUS_BAD_INPUT, json_at(json),
                       "\"%s\" is not among the %s of the catalogue", json->text, section);
}

static bool gpu_read(const Catalog *catalog, const Json *json, const GpuModel **gpu, Status *status)
{
    if (json->kind == JSON_NULL) {
        *gpu = NULL;
        return true;
    }
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a gpu, or null", status);
    *gpu = catalog_gpu(catalog, json->text);
    return is_among(*gpu, json, "gpus", status);
}

static bool framework_read(const Catalog *catalog, const Json *json, const Framework **framework,
                           Status *status)
{
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a framework", status);
    *framework = catalog_framework(catalog, json->text);
    return is_among(*framework, json, "frameworks", status);
}

static bool jitter_read(const Catalog *catalog, const Json *json, const Quantiles **jitter,
                        Status *status)
{
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of a jitter", status);
    *jitter = catalog_jitter(catalog, json->text);
    return is_among(*jitter, json, "jitters", status);
}

static bool exchange_read(const Catalog *catalog, const Json *json, const ExchangeMethod **exchange,
                          Status *status)
{
    if (json->kind == JSON_NULL) {
        *exchange = NULL;
        return true;
    }
    if (json->kind != JSON_STRING)
        return fail_kind(json, "the name of an exchange, or null", status);
    *exchange = catalog_exchange(catalog, json->text);
    return is_among(*exchange, json, "exchanges", status);
}

bool catalog_value_read(Arena *arena, const Catalog *catalog, const CatalogField *field,
                        const Json *json, void *item, Status *status)
{
    void *member = (char *)item + field->offset;
    int64_t number = 0;
    switch (field->kind) {
    case VALUE_COUNT_32:
        if (!count_read(field, json, &number, status))
            return false;
        *(int32_t *)member = (int32_t)number;
        return true;
    case VALUE_COUNT:
        return count_read(field, json, member, status);
    case VALUE_DURATION:
    case VALUE_BYTES:
    case VALUE_RATE:
    case VALUE_FLOPS:
    case VALUE_RATIO:
    case VALUE_MONEY:
        return quantity_read(field, json, member, status);
    case VALUE_BOOLEAN:
        *(bool *)member = json->boolean;
        return json->kind == JSON_BOOLEAN || fail_kind(json, "true or false", status);
    case VALUE_NAME:
        *(const char **)member = json->text;
        return json->kind == JSON_STRING || fail_kind(json, "a name", status);
    case VALUE_GPU:
        return gpu_read(catalog, json, member, status);
    case VALUE_FRAMEWORK:
        return framework_read(catalog, json, member, status);
    case VALUE_JITTER:
        return jitter_read(catalog, json, member, status);
    case VALUE_EXCHANGE:
        return exchange_read(catalog, json, member, status);
    case VALUE_DURATIONS:
    case VALUE_RATIOS:
        return quantiles_read(arena, field, json, member, status);
    case VALUE_DISTRIBUTION:
        return distribution_value_read(arena, field, json, member, status);
    case VALUE_RECOVERY:
        return recovery_read(json, member, status);
    case VALUE_TIMES_BY_COUNT:
    case VALUE_TIMES_BY_BYTES:
    case VALUE_RATIOS_BY_COUNT:
        return curve_read(arena, field, json, member, status);
    case VALUE_LEARNING_KNOTS:
        return learning_read(arena, field, json, item, status);
    case VALUE_LAYERS:
        return catalog_layers_read(arena, json, item, status);
    }
    invariant(field->kind <= VALUE_LAYERS);
    return false;
}
