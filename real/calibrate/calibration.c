#include "real/calibrate/calibration.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "real/calibrate/rows.h"
#include "sim/base/ascii.h"
#include "sim/base/units.h"

typedef struct {
    Arena *arena;
    const Json *measurements;
    const char *device; /* "local-core" */
    double spread;      /* usual_spread of all stages: the least error, as a few rounds may agree by
                           chance */
    Json *root;
    Status *status;
} Fit;

/* --- Values --- */

#define ERRORS 6.0 /* see calibration.h */
#define ERROR_LEAST 0.02
#define LINE_WITHIN 0.02

/* "2.4%", rounded up. */
static const char *percent(Arena *arena, double share)
{
    return arena_printf(arena, "%.1f%%", ceil(1000.0 * share) / 10.0);
}

static const char *microseconds(Arena *arena, double ns)
{
    const long long whole = llround(ns);
    return arena_printf(arena, "%lld.%03lldus", whole / 1000, whole % 1000);
}

static double share_of(Repeated value)
{
    return value.median > 0 ? value.error / value.median : 0;
}

static double error_bound(double share)
{
    const double bound = ERRORS * share;
    return bound < ERROR_LEAST ? ERROR_LEAST : bound;
}

/* Adds {"value", "source"} and returns it, so that the caller can add members. */
static Json *add_value(const Fit *fit, Json *entry, const char *field, Json *value)
{
    Json *object = json_put_object(fit->arena, entry, field);
    json_set(fit->arena, object, "value", value);
    json_put_text(fit->arena, object, "source", "calibrate");
    return object;
}

static Json *add_text(const Fit *fit, Json *entry, const char *field, const char *text)
{
    return add_value(fit, entry, field, json_string(fit->arena, text));
}

static void add_note(const Fit *fit, Json *value, const char *note)
{
    json_put_text(fit->arena, value, "note", note);
}

static void add_assumption(const Fit *fit, Json *entry, const char *field, Json *assumed,
                           const char *note)
{
    Json *value = add_value(fit, entry, field, assumed);
    json_put_boolean(fit->arena, value, "assumption", true);
    add_note(fit, value, note);
}

static void add_error(const Fit *fit, Json *value, double error, const char *range)
{
    json_put_text(fit->arena, value, "error", percent(fit->arena, error));
    if (range)
        json_put_text(fit->arena, value, "range", range);
}

static Json *add_section(const Fit *fit, const char *name)
{
    return json_put_object(fit->arena, fit->root, name);
}

static Json *add_entry(const Fit *fit, Json *section, const char *name)
{
    return json_put_object(fit->arena, section, name);
}

/* --- Curves --- */

static bool row_is_zero(const Row *row)
{
    for (int32_t i = 0; i < row->count; i++)
        if (row->points[i].value.median > 0)
            return false;
    return true;
}

/* Whether fixed + each * at is within LINE_WITHIN of all points, relative to their values. */
static bool row_is_line(const Fit *fit, const Row *row, double line[2])
{
    double *x = ARENA_ARRAY(fit->arena, double, 2 * row->count);
    double *y = ARENA_ARRAY(fit->arena, double, row->count);
    for (int32_t i = 0; i < row->count; i++) {
        const double median = row->points[i].value.median;
        if (median <= 0)
            return false;
        double *columns = x + (ptrdiff_t)2 * i;
        columns[0] = 1 / median;
        columns[1] = (double)row->points[i].at / median;
        y[i] = 1;
    }
    const Regression regression = {.rows = row->count, .columns = 2, .x = x, .y = y};
    if (row->count < 3 || !regression_fit(&regression, line))
        return false;
    for (int32_t i = 0; i < row->count; i++) {
        const RowPoint *point = &row->points[i];
        const double found = line[0] + line[1] * (double)point->at;
        if (fabs(found / point->value.median - 1) > LINE_WITHIN)
            return false;
    }
    return true;
}

typedef const char *CurveText(Arena *arena, double value);

static void add_point(const Fit *fit, Json *curve, int64_t at, const char *value)
{
    json_put_text(fit->arena, curve, arena_printf(fit->arena, "%" PRId64, at), value);
}

static Json *curve_of(const Fit *fit, const Row *row, CurveText *text)
{
    Json *curve = json_object(fit->arena);
    const RowPoint *last = &row->points[row->count - 1];
    double line[2];
    if (row_is_zero(row)) {
        add_point(fit, curve, row->points[0].at, text(fit->arena, 0));
    } else if (row_is_line(fit, row, line)) {
        for (const RowPoint *end = row->points; end <= last; end += row->count - 1)
            add_point(fit, curve, end->at, text(fit->arena, line[0] + line[1] * (double)end->at));
    } else {
        for (const RowPoint *point = row->points; point <= last; point++)
            add_point(fit, curve, point->at, text(fit->arena, point->value.median));
    }
    return curve;
}

static double row_error(const Fit *fit, const Row *row)
{
    double worst = row_is_zero(row) ? 0 : fit->spread;
    for (int32_t i = 0; i < row->count; i++)
        if (share_of(row->points[i].value) > worst)
            worst = share_of(row->points[i].value);
    return error_bound(worst);
}

static void add_curve(const Fit *fit, const Row *row, Json *entry, const char *field,
                      CurveText *text, const char *unit)
{
    const char *range = arena_printf(fit->arena, "%" PRId64 " to %" PRId64 " %s", row->points[0].at,
                                     row->points[row->count - 1].at, unit);
    add_error(fit, add_value(fit, entry, field, curve_of(fit, row, text)), row_error(fit, row),
              range);
}

/* Whether all layers of a kind take no time, because they are computed together with the previous
 * layer. Then kind_times have all that is known of them. */
static bool kind_is_zero(const Rows *rows, const char *group)
{
    for (int32_t i = 0; i < rows->count; i++)
        if (strcmp(rows->rows[i].group, group) == 0 && !row_is_zero(&rows->rows[i]))
            return false;
    return true;
}

static void fit_stages(const Fit *fit, const Rows *rows)
{
    Json *section = add_section(fit, "stage_times");
    for (int32_t i = 0; i < rows->count; i++) {
        const Row *row = &rows->rows[i];
        if (row->layer && kind_is_zero(rows, row->group))
            continue;
        Json *entry =
            add_entry(fit, section, arena_printf(fit->arena, "%s %s", fit->device, row->name));
        const bool is_update = strstr(row->name, " update") != NULL;
        add_curve(fit, row, entry, "time", microseconds,
                  is_update ? "parameters" : "images in a batch");
    }
}

/* --- Kinds of layers --- */

enum { FIXED, PARAMETERS, MACS, VALUES, KIND_COLUMNS };

static double parameters_of(const NetworkLayer *layer)
{
    double sum = 0;
    for (int32_t i = 0; i < layer->tensor_count; i++)
        sum += (double)layer->tensor_values[i];
    return sum;
}

/* The factors of a KindTime's coefficients. */
static void kind_columns(const NetworkLayer *layer, int64_t batch, double x[KIND_COLUMNS])
{
    x[FIXED] = 1;
    x[PARAMETERS] = parameters_of(layer) / 1e6;
    x[MACS] = (double)layer->forward_macs * (double)batch / 1e6;
    x[VALUES] = (double)(layer->input_values + layer->output_values) * (double)batch / 1e6;
}

/* The rows of one kind. They are adjacent because rows are sorted by name. */
typedef struct {
    const Row *rows;
    int32_t count;
} KindRows;

static bool kind_has_zeros(const KindRows *kind)
{
    for (int32_t i = 0; i < kind->count; i++)
        for (int32_t j = 0; j < kind->rows[i].count; j++)
            if (kind->rows[i].points[j].value.median <= 0)
                return true;
    return false;
}

/* Fits relative values, so that small and large batches have equal weight. If a layer takes no
 * time at some batch size, because it is computed together with the previous layer, absolute
 * values are fitted. First layers are not used, because their backward pass computes only
 * half as much. The row `left_out` is not used either, unless it is negative. */
static bool kind_fit(const Fit *fit, const KindRows *kind, int32_t left_out,
                     double coefficients[KIND_COLUMNS])
{
    int32_t rows = 0, most = 0;
    const bool by_shares = !kind_has_zeros(kind);
    for (int32_t i = 0; i < kind->count; i++)
        most += kind->rows[i].count;
    double *x = ARENA_ARRAY(fit->arena, double, KIND_COLUMNS *most);
    double *y = ARENA_ARRAY(fit->arena, double, most);
    for (int32_t i = 0; i < kind->count; i++) {
        const Row *row = &kind->rows[i];
        if (i == left_out || row->is_first)
            continue;
        for (int32_t j = 0; j < row->count; j++, rows++) {
            const double median = row->points[j].value.median;
            double *columns = x + (ptrdiff_t)rows * KIND_COLUMNS;
            kind_columns(row->layer, row->points[j].at, columns);
            y[rows] = by_shares ? 1 : median;
            for (int32_t k = 0; k < KIND_COLUMNS && by_shares; k++)
                columns[k] /= median;
        }
    }
    const Regression regression = {.rows = rows, .columns = KIND_COLUMNS, .x = x, .y = y};
    return regression_fit(&regression, coefficients);
}

static double kind_predicts(const double coefficients[KIND_COLUMNS], const NetworkLayer *layer,
                            int64_t batch)
{
    double x[KIND_COLUMNS], sum = 0;
    kind_columns(layer, batch, x);
    for (int32_t k = 0; k < KIND_COLUMNS; k++)
        sum += coefficients[k] * x[k];
    return sum;
}

/* The fit's relative error for shapes that it leaves out one by one, at their largest batch. */
static const char *kind_note(const Fit *fit, const KindRows *kind)
{
    double sum = 0, worst = 0, coefficients[KIND_COLUMNS];
    int32_t count = 0;
    for (int32_t i = 0; i < kind->count && !kind_has_zeros(kind); i++) {
        const Row *row = &kind->rows[i];
        const RowPoint *largest = &row->points[row->count - 1];
        if (row->is_first || !kind_fit(fit, kind, i, coefficients))
            continue;
        const double off =
            fabs(kind_predicts(coefficients, row->layer, largest->at) / largest->value.median - 1);
        sum += off;
        worst = off > worst ? off : worst;
        count++;
    }
    if (count == 0)
        return kind_has_zeros(kind) ? "some or all are computed together with the previous layer"
                                    : "too few shapes to estimate the error for other shapes";
    return arena_printf(fit->arena, "error for a shape that is left out: %s on average, %s at most",
                        percent(fit->arena, sum / count), percent(fit->arena, worst));
}

static bool fit_kind(const Fit *fit, const KindRows *kind, Json *section)
{
    static const char *const fields[KIND_COLUMNS] = {"fixed", "per_million_parameters",
                                                     "per_million_macs", "per_million_values"};
    double coefficients[KIND_COLUMNS], error = 0;
    if (!kind_fit(fit, kind, -1, coefficients))
        return status_fail(fit->status, STATUS_BAD_INPUT, json_at(fit->measurements),
                           "\"%s\" has too few measurements to be fitted", kind->rows->group);
    for (int32_t i = 0; i < kind->count; i++)
        error = fmax(error, row_error(fit, &kind->rows[i]));
    Json *entry =
        add_entry(fit, section, arena_printf(fit->arena, "%s %s", fit->device, kind->rows->group));
    const char *note = kind_note(fit, kind);
    for (int32_t k = 0; k < KIND_COLUMNS; k++) {
        Json *value = add_text(fit, entry, fields[k], microseconds(fit->arena, coefficients[k]));
        add_error(fit, value, error,
                  arena_printf(fit->arena, "%d shape%s", (int)kind->count, plural(kind->count)));
        add_note(fit, value, note);
    }
    return true;
}

static bool fit_kinds(const Fit *fit, const Rows *rows)
{
    Json *section = add_section(fit, "kind_times");
    for (int32_t i = 0; i < rows->count;) {
        KindRows kind = {.rows = &rows->rows[i]};
        while (i < rows->count && strcmp(rows->rows[i].group, kind.rows->group) == 0)
            i++, kind.count++;
        if (kind.rows->layer && !fit_kind(fit, &kind, section))
            return false;
    }
    return true;
}

/* --- Side by side, and sums --- */

static const char *ratio_text(Arena *arena, double factor)
{
    // Ranks do not help each other: a factor below 1 is noise.
    return arena_printf(arena, "%.4f", factor < 1 ? 1.0 : factor);
}

static void fit_sides(const Fit *fit, const Rows *rows)
{
    Json *section = add_section(fit, "side_by_side");
    for (int32_t i = 0; i < rows->count; i++) {
        const Row *row = &rows->rows[i];
        Json *entry =
            add_entry(fit, section, arena_printf(fit->arena, "%s %s", fit->device, row->name));
        add_curve(fit, row, entry, "factor", ratio_text, "ranks");
    }
}

static int64_t ranks_in(const char *name)
{
    int64_t ranks = 0;
    for (const char *digit = strstr(name, "over ") + strlen("over "); ascii_is_digit(*digit);
         digit++)
        ranks = 10 * ranks + (*digit - '0');
    return ranks;
}

/* The entry of one rank, which has nothing to add up. Programs name an exchange even if sums of
 * more ranks were not measured. */
static void add_no_exchange(const Fit *fit, Json *exchanges, Json *section)
{
    static const char *const name = "trainyard-mpi";
    Json *entry = add_entry(fit, section, arena_printf(fit->arena, "%s over 1 rank", name));
    Json *curve = json_object(fit->arena);
    add_entry(fit, exchanges, name);
    add_text(fit, entry, "exchange", name);
    add_value(fit, entry, "ranks", json_integer(fit->arena, 1));
    add_point(fit, curve, 1, microseconds(fit->arena, 0));
    add_error(fit, add_value(fit, entry, "time", curve), ERROR_LEAST, "1 rank");
}

/* The trainer adds up all gradients in one message after the backward pass. "exchange_times" have
 * the time of that sum, so the exchanges need no parameters. */
static void fit_sums(const Fit *fit, const Rows *rows)
{
    Json *exchanges = add_section(fit, "exchanges");
    Json *section = add_section(fit, "exchange_times");
    if (rows->count == 0)
        add_no_exchange(fit, exchanges, section);
    for (int32_t i = 0; i < rows->count; i++) {
        const Row *row = &rows->rows[i];
        if (!json_member(exchanges, row->group))
            add_entry(fit, exchanges, row->group);
        Json *entry = add_entry(fit, section, row->name);
        add_text(fit, entry, "exchange", row->group);
        add_value(fit, entry, "ranks", json_integer(fit->arena, ranks_in(row->name)));
        add_curve(fit, row, entry, "time", microseconds, "bytes");
    }
}

/* --- The machine --- */

/* A fact of the measurements that calibration_fit has checked. */
static const Json *fact(const Fit *fit, const char *key)
{
    return json_member(fit->measurements, key);
}

static int64_t devices_of(const Fit *fit)
{
    const int64_t gpus = fact(fit, "gpus")->integer;
    return gpus > 0 ? gpus : fact(fit, "cores")->integer;
}

static Json *per_second(const Fit *fit, double value, const char *unit)
{
    return json_string(fit->arena,
                       arena_printf(fit->arena, "%.0f%s", value < 1 ? 1.0 : value, unit));
}

static void add_device(const Fit *fit, const Singles *singles)
{
    Arena *arena = fit->arena;
    Json *entry = add_entry(fit, add_section(fit, "gpus"), fit->device);
    Json *peak = add_value(fit, entry, "peak", per_second(fit, singles->flops.median, "flop/s"));
    add_note(fit, peak,
             "reached by one rank with the tutorial's network in fp32; the times of steps "
             "come from stage_times");
    add_error(fit, peak, error_bound(share_of(singles->flops)), NULL);
    add_assumption(fit, entry, "efficiency", json_string(arena, "100%"), "of the measured peak");
    add_assumption(
        fit, entry, "memory",
        json_string(arena, arena_printf(arena, "%" PRId64 "B",
                                        fact(fit, "memory_bytes")->integer / devices_of(fit))),
        "the machine's memory, divided by its devices");
    static const char *const rates[] = {"memory_rate", "host_link_rate", "peer_rate"};
    static const char *const unused = "not used: steps and sums are measured whole";
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        add_assumption(fit, entry, rates[i], json_string(arena, "1GB/s"), unused);
    add_assumption(fit, entry, "rings", json_integer(arena, 1), unused);
}

static void add_vm_size(const Fit *fit)
{
    Arena *arena = fit->arena;
    static const char *const own = "the user's own machine";
    static const char *const alone = "not used: one machine has no network traffic";
    Json *entry = add_entry(fit, add_section(fit, "vm_sizes"), "local");
    add_text(fit, entry, "family", "local");
    add_value(fit, entry, "vcpus", json_integer(arena, fact(fit, "cores")->integer));
    add_value(fit, entry, "gpus", json_integer(arena, devices_of(fit)));
    add_text(fit, entry, "gpu", fit->device);
    add_assumption(fit, entry, "network_rate", json_string(arena, "1Gbit/s"), alone);
    add_assumption(fit, entry, "network_latency", json_string(arena, "0s"), alone);
    add_assumption(fit, entry, "rdma_rate", json_string(arena, "0B/s"), alone);
    add_assumption(fit, entry, "rdma_latency", json_string(arena, "0s"), alone);
    add_assumption(fit, entry, "dedicated_price_per_hour", json_string(arena, "0USD"), own);
    add_assumption(fit, entry, "low_priority_price_per_hour", json_string(arena, "0USD"), own);
}

static void add_framework(const Fit *fit, const Singles *singles)
{
    Arena *arena = fit->arena;
    Json *entry = add_entry(fit, add_section(fit, "frameworks"), "trainyard");
    Json *start = add_text(fit, entry, "start", microseconds(arena, singles->start_ns.median));
    add_note(fit, start,
             "of bench-training, which generates random images instead of reading them");
    add_error(fit, start, error_bound(share_of(singles->start_ns)), NULL);
    add_note(fit, add_text(fit, entry, "step_overhead", "0s"),
             "the time between the stages of a step is below a thousandth of the step");
    add_note(fit, add_text(fit, entry, "input_time_per_sample", "0s"),
             "the trainer prepares a batch within the step: included in stage_times");
    add_text(fit, entry, "input_workers", "1");
    add_note(fit, add_value(fit, entry, "update_flops_per_parameter", json_integer(arena, 0)),
             "included in stage_times");
}

/* Steps are distributed evenly between least and median, median and 90th percentile, and from there
 * to the longest step. The longest step is chosen so that the mean equals the measured mean. */
static void add_jitter(const Fit *fit, const Singles *singles)
{
    const double least = fmin(singles->step_least.median, 1);
    const double p90 = fmax(singles->step_p90.median, 1);
    const double below_p90 = 0.5 * (least + 1) / 2 + 0.4 * (1 + p90) / 2;
    const double most = fmax((singles->step_mean.median - below_p90) / 0.1 * 2 - p90, p90);
    const struct {
        const char *probability;
        double factor;
    } knots[] = {{"0", least}, {"0.5", 1}, {"0.9", p90}, {"1", most}};
    Arena *arena = fit->arena;
    Json *entry = add_entry(fit, add_section(fit, "jitters"), "local");
    Json *factor = json_object(arena);
    for (size_t i = 0; i < sizeof knots / sizeof knots[0]; i++)
        json_put_text(arena, factor, knots[i].probability,
                      arena_printf(arena, "%.4f", knots[i].factor));
    Json *value = add_value(fit, entry, "factor", factor);
    add_note(fit, value,
             "scatter of one rank's steps around their median while other ranks compute");
    add_error(fit, value, error_bound(share_of(singles->step_p90)), NULL);
}

static void add_service(const Fit *fit, const Singles *singles)
{
    Json *rate = add_value(fit, add_section(fit, "service"), "local_disk_rate",
                           per_second(fit, singles->write_bytes_per_s.median, "B/s"));
    add_note(fit, rate, "a file of a checkpoint's size, written, synced and renamed");
    add_error(fit, rate, error_bound(share_of(singles->write_bytes_per_s)), "10 MB");
}

static void add_source(const Fit *fit)
{
    Arena *arena = fit->arena;
    json_put_integer(arena, fit->root, "catalog", 1);
    json_put_text(arena, fit->root, "description",
                  "Measurements of one machine by trainyard calibrate; read it after a "
                  "catalogue of a cloud. An error is a bound for the difference between "
                  "two calibrations.");
    Json *source = json_put_object(arena, add_section(fit, "sources"), "calibrate");
    json_put_text(arena, source, "title",
                  arena_printf(arena,
                               "trainyard calibrate on %s: %s, %" PRId64 " core%s, %" PRId64
                               " rounds, backend %s",
                               fact(fit, "host")->text, fact(fit, "processor")->text,
                               fact(fit, "cores")->integer, plural(fact(fit, "cores")->integer),
                               fact(fit, "rounds")->integer, fact(fit, "backend")->text));
    json_put_text(arena, source, "date", fact(fit, "date")->text);
}

/* --- The whole catalogue --- */

static bool check_facts(const Fit *fit)
{
    static const char *const texts[] = {"host", "processor", "date", "backend"};
    static const char *const counts[] = {"cores", "gpus", "memory_bytes", "rounds"};
    const char *missing = NULL;
    const Json *version = fact(fit, "measurements");
    if (!version || !version->is_integer || version->integer != 1)
        return status_fail(fit->status, STATUS_BAD_INPUT,
                           json_at(version ? version : fit->measurements),
                           "expected measurements, which start with \"measurements\": 1");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!fact(fit, texts[i]) || fact(fit, texts[i])->kind != JSON_STRING ||
            fact(fit, texts[i])->text[0] == '\0')
            missing = texts[i];
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const Json *count = fact(fit, counts[i]);
        const int64_t least = strcmp(counts[i], "gpus") == 0 ? 0 : 1;
        if (!count || !count->is_integer || count->integer < least)
            missing = counts[i];
    }
    return !missing || status_fail(fit->status, STATUS_BAD_INPUT, json_at(fit->measurements),
                                   "the measurements lack \"%s\"", missing);
}

/* The median of the rows' relative errors. Stages so short that reading the clock matters are left
 * out. */
static double usual_spread(Arena *arena, const Rows *rows)
{
    double *shares = ARENA_ARRAY(arena, double, rows->count);
    int32_t count = 0;
    for (int32_t i = 0; i < rows->count; i++) {
        const RowPoint *largest = &rows->rows[i].points[rows->rows[i].count - 1];
        if (largest->value.median > 50.0 * NS_PER_US)
            shares[count++] = share_of(largest->value);
    }
    return count > 0 ? repeated_of(shares, count).median : 0;
}

bool calibration_spread(Arena *arena, const Json *measurements, double *spread, Status *status)
{
    Rows stages;
    if (!rows_of_stages(arena, measurements, &stages, status))
        return false;
    *spread = usual_spread(arena, &stages);
    return true;
}

Json *calibration_fit(Arena *arena, const Json *measurements, Status *status)
{
    Fit fit = {
        .arena = arena, .measurements = measurements, .root = json_object(arena), .status = status};
    Rows stages, sides, sums;
    Singles singles;
    if (!check_facts(&fit) || !rows_of_stages(arena, measurements, &stages, status) ||
        !rows_of_sides(arena, measurements, &sides, status) ||
        !rows_of_sums(arena, measurements, &sums, status) ||
        !singles_of(arena, measurements, &singles, status))
        return NULL;
    fit.device = fact(&fit, "gpus")->integer > 0 ? "local-gpu" : "local-core";
    fit.spread = usual_spread(arena, &stages);
    add_source(&fit);
    add_device(&fit, &singles);
    add_vm_size(&fit);
    add_framework(&fit, &singles);
    fit_sums(&fit, &sums);
    fit_stages(&fit, &stages);
    if (!fit_kinds(&fit, &stages))
        return NULL;
    fit_sides(&fit, &sides);
    add_jitter(&fit, &singles);
    add_service(&fit, &singles);
    return fit.root;
}
