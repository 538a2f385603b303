#include "real/calibrate/calibration_compare.h"

#include <math.h>
#include <string.h>

#include "real/calibrate/keras_layers.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/scenario/catalog/value.h"

typedef struct {
    Arena *arena;
    const Json *old, *new;
    CalibrationMove *moves;
    int32_t count;
    Status *status;
} Comparison;

/* --- One value --- */

/* "2.4%" as a share. */
static bool error_of(const Comparison *comparison, const Json *value, double *error)
{
    const Json *text = json_member(value, "error");
    int64_t ppm = 0;
    if (!text || text->kind != JSON_STRING)
        return status_fail(comparison->status, STATUS_BAD_INPUT, json_at(value),
                           "\"error\" is missing: this value was not calibrated");
    if (!ratio_parse(text->text, json_at(text), &ppm, comparison->status))
        return false;
    *error = (double)ppm / (double)PPM;
    return true;
}

/* Values of catalogues as int64_t or MeasuredCurve. */
#define VALUE_OF(value_kind, ...)                                                                  \
    {                                                                                              \
        .name = "value", .kind = VALUE_##value_kind, .size = sizeof(int64_t),                      \
        .maximum = INT64_MAX, __VA_ARGS__                                                          \
    }
static const Field rate_value = VALUE_OF(RATE, .doc = "");
static const Field duration_value = VALUE_OF(DURATION, .doc = "");
static const Field times_value = VALUE_OF(CUSTOM, .custom = &times_by_bytes_kind);
static const Field factors_value = VALUE_OF(CUSTOM, .custom = &ratios_by_count_kind);

static bool read_value(const Comparison *comparison, const Field *field, const Json *value,
                       void *item)
{
    const Json *inner = json_member(value, "value");
    if (!inner)
        return status_fail(comparison->status, STATUS_BAD_INPUT, json_at(value),
                           "\"value\" is missing");
    return catalog_value_read(comparison->arena, NULL, field, inner, item, comparison->status);
}

/* The change relative to `old`. A difference below `least` counts as none. */
static double moved_by(double old, double new, double least)
{
    const double difference = fabs(new - old) < least ? 0 : fabs(new - old);
    return difference == 0 ? 0 : difference / fmax(old, least);
}

#define LEAST_NS 1000.0 /* the resolution of a measurement with the clock */

static void add_move(Comparison *comparison, const char *path, double moved, double error)
{
    comparison->moves[comparison->count++] =
        (CalibrationMove){.path = path, .moved = moved, .error = error};
}

/* --- Values by kind --- */

static bool compare_curves(const Comparison *comparison, const Field *field, double least,
                           const Json *old, const Json *new, double *moved)
{
    MeasuredCurve before = {0}, after = {0};
    if (!read_value(comparison, field, old, &before) || !read_value(comparison, field, new, &after))
        return false;
    *moved = 0;
    for (int32_t i = 0; i < before.count; i++) {
        const CurvePoint *point = &before.points[i];
        // Outside its points a curve is not measured; a quick calibration has fewer points.
        if (point->at < after.points[0].at || point->at > after.points[after.count - 1].at)
            continue;
        *moved =
            fmax(*moved, moved_by((double)point->value, (double)curve_at(after, point->at), least));
    }
    return true;
}

static bool compare_times(const Comparison *comparison, const Json *old, const Json *new,
                          double *moved)
{
    return compare_curves(comparison, &times_value, LEAST_NS, old, new, moved);
}

static bool compare_factors(const Comparison *comparison, const Json *old, const Json *new,
                            double *moved)
{
    return compare_curves(comparison, &factors_value, 1, old, new, moved);
}

static bool compare_rates(const Comparison *comparison, const Json *old, const Json *new,
                          double *moved)
{
    int64_t before = 0, after = 0;
    if (!read_value(comparison, &rate_value, old, &before) ||
        !read_value(comparison, &rate_value, new, &after))
        return false;
    *moved = moved_by((double)before, (double)after, 1);
    return true;
}

/* --- Kinds, whose values are compared together --- */

static bool read_kind(const Comparison *comparison, const Json *entry, KindTime *kind)
{
    const struct {
        const char *name;
        int64_t *ns;
    } fields[] = {{"fixed", &kind->fixed_ns},
                  {"per_million_parameters", &kind->per_million_parameters_ns},
                  {"per_million_macs", &kind->per_million_macs_ns},
                  {"per_million_values", &kind->per_million_values_ns}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!read_value(comparison, &duration_value, json_member(entry, fields[i].name),
                        fields[i].ns))
            return false;
    return true;
}

/* The largest change over all layers of that kind in the table of networks, at a small and a large
 * batch. */
static double kinds_moved(Arena *arena, const char *name, const KindTime *old, const KindTime *new)
{
    static const int64_t batches[] = {12, 96};
    static const char *const words[] = {
#define X(ENUM, text) [NETWORK_LAYER_##ENUM] = text,
        NETWORK_LAYER_KINDS(X)
#undef X
    };
    const char *word = strrchr(name, ' ');
    double moved = 0;
    for (int32_t i = 0; word && i < keras_network_count(); i++) {
        int32_t count;
        const NetworkLayer *layers = keras_layers(arena, keras_network_at(i), &count);
        for (int32_t j = 0; j < count; j++)
            for (int32_t b = 0; b < 2 && strcmp(words[layers[j].kind], word + 1) == 0; b++)
                moved =
                    fmax(moved, moved_by((double)layer_rates_kind_ns(old, &layers[j], batches[b]),
                                         (double)layer_rates_kind_ns(new, &layers[j], batches[b]),
                                         LEAST_NS));
    }
    return moved;
}

static bool compare_kind(Comparison *comparison, const char *path, const Json *old, const Json *new)
{
    KindTime before = {0}, after = {0};
    double error = 0;
    if (!read_kind(comparison, old, &before) || !read_kind(comparison, new, &after) ||
        !error_of(comparison, json_member(old, "fixed"), &error))
        return false;
    add_move(comparison, path, kinds_moved(comparison->arena, old->key, &before, &after), error);
    return true;
}

/* --- All values --- */

static const struct {
    const char *section;
    const char *field;
    bool (*compare)(const Comparison *comparison, const Json *old, const Json *new, double *moved);
} compared[] = {{"stage_times", "time", compare_times},
                {"side_by_side", "factor", compare_factors},
                {"exchange_times", "time", compare_times}};

static bool compare_value(Comparison *comparison, const char *path, size_t how, const Json *old,
                          const Json *new)
{
    double moved = 0, error = 0;
    if (!error_of(comparison, old, &error) || !compared[how].compare(comparison, old, new, &moved))
        return false;
    add_move(comparison, path, moved, error);
    return true;
}

static bool compare_section(Comparison *comparison, size_t how)
{
    const char *section = compared[how].section, *field = compared[how].field;
    const Json *old = json_member(comparison->old, section);
    const Json *new = json_member(comparison->new, section);
    for (const Json *entry = old ? old->first : NULL; entry; entry = entry->next) {
        const Json *before = json_member(entry, field);
        const Json *after = json_member(json_member(new, entry->key), field);
        const char *path = arena_printf(comparison->arena, "%s/%s/%s", section, entry->key, field);
        if (before && after && !compare_value(comparison, path, how, before, after))
            return false;
    }
    return true;
}

static bool compare_kinds(Comparison *comparison)
{
    const Json *old = json_member(comparison->old, "kind_times");
    const Json *new = json_member(comparison->new, "kind_times");
    for (const Json *entry = old ? old->first : NULL; entry; entry = entry->next) {
        const Json *after = json_member(new, entry->key);
        if (after &&
            !compare_kind(comparison, arena_printf(comparison->arena, "kind_times/%s", entry->key),
                          entry, after))
            return false;
    }
    return true;
}

static bool compare_disk(Comparison *comparison)
{
    static const char *const pointer = "/service/local_disk_rate";
    const Json *old = json_find(comparison->old, pointer);
    const Json *new = json_find(comparison->new, pointer);
    double moved = 0, error = 0;
    if (!old || !new)
        return true;
    if (!error_of(comparison, old, &error) || !compare_rates(comparison, old, new, &moved))
        return false;
    add_move(comparison, pointer + 1, moved, error);
    return true;
}

const CalibrationMove *calibration_compare(Arena *arena, const Json *old, const Json *new,
                                           int32_t *count, Status *status)
{
    static const char *const sections[] = {"stage_times", "side_by_side", "exchange_times",
                                           "kind_times"};
    Comparison comparison = {.arena = arena, .old = old, .new = new, .status = status};
    int32_t most = 1; // the disk
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const Json *section = json_member(old, sections[i]);
        most += section ? section->count : 0;
    }
    comparison.moves = ARENA_ARRAY(arena, CalibrationMove, most);
    for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++)
        if (!compare_section(&comparison, i))
            return NULL;
    if (!compare_kinds(&comparison) || !compare_disk(&comparison))
        return NULL;
    *count = comparison.count;
    if (comparison.count > 0)
        return comparison.moves;
    status_fail(status, STATUS_BAD_INPUT, json_at(old),
                "no value of this catalogue can be compared with the new calibration");
    return NULL;
}
