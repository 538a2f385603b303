#include "real/calibrate/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "real/calibrate/keras_layers.h"
#include "real/calibrate/measuring.h"
#include "sim/base/array.h"
#include "sim/base/units.h"

/* --- Collecting values --- */

typedef struct {
    const char *name, *group;
    const NetworkLayer *layer;
    bool is_first;
    int64_t at;
    double value;
    uint32_t index; /* in the order of the text */
} Sample;

typedef struct {
    Arena *arena;
    const Json *measurements;
    Sample *items;
    uint32_t count, capacity;
    Status *status;
} Collector;

static void add_sample(Collector *collector, Sample sample)
{
    collector->items = array_room(collector->arena, collector->items, collector->count + 1,
                                  &collector->capacity, sizeof *collector->items);
    sample.index = collector->count;
    collector->items[collector->count++] = sample;
}

static int by_name_and_size(const void *left, const void *right)
{
    const Sample *a = left, *b = right;
    const int by_name = strcmp(a->name, b->name);
    if (by_name != 0)
        return by_name;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The number of items from `first` on with its name and, if `is_one_size`, its size. */
static uint32_t run_length(const Collector *collector, uint32_t first, bool is_one_size)
{
    const Sample *sample = collector->items;
    uint32_t end = first;
    while (end < collector->count && strcmp(sample[end].name, sample[first].name) == 0 &&
           (!is_one_size || sample[end].at == sample[first].at))
        end++;
    return end - first;
}

static Repeated repeated_from(const Collector *collector, uint32_t first, uint32_t count)
{
    double *values = ARENA_ARRAY(collector->arena, double, count);
    for (uint32_t i = 0; i < count; i++)
        values[i] = collector->items[first + i].value;
    return repeated_of(values, (int32_t)count);
}

static Row row_from(const Collector *collector, uint32_t first, uint32_t count)
{
    const Sample *sample = &collector->items[first];
    RowPoint *points = ARENA_ARRAY(collector->arena, RowPoint, count);
    Row row = {.name = sample->name,
               .group = sample->group,
               .layer = sample->layer,
               .is_first = sample->is_first,
               .points = points};
    for (uint32_t i = 0, same; i < count; i += same) {
        same = run_length(collector, first + i, true);
        points[row.count++] =
            (RowPoint){.at = sample[i].at, .value = repeated_from(collector, first + i, same)};
    }
    return row;
}

static bool rows_from(Collector *collector, Rows *rows)
{
    if (collector->count > 0)
        qsort(collector->items, collector->count, sizeof *collector->items, by_name_and_size);
    Row *list = ARENA_ARRAY(collector->arena, Row, collector->count);
    *rows = (Rows){.rows = list};
    for (uint32_t first = 0, count; first < collector->count; first += count) {
        count = run_length(collector, first, false);
        list[rows->count++] = row_from(collector, first, count);
    }
    return true;
}

/* --- Reading --- */

static bool fail_at(const Collector *collector, const Json *json, const char *key, const char *kind)
{
    status_fail(collector->status, STATUS_BAD_INPUT, json_at(json),
                "a measurement has no %s \"%s\"", kind, key);
    return false;
}

/* Reads the number at `pointer`, which must not be negative. */
static bool number_at(const Collector *collector, const Json *json, const char *pointer,
                      double *value)
{
    const Json *found = json_find(json, pointer);
    if (!found || found->kind != JSON_NUMBER || found->number < 0)
        return fail_at(collector, json, pointer, "number");
    *value = found->number;
    return true;
}

static bool count_at(const Collector *collector, const Json *json, const char *key, int64_t *value)
{
    const Json *found = json_member(json, key);
    if (!found || !found->is_integer || found->integer < 1)
        return fail_at(collector, json, key, "count");
    *value = found->integer;
    return true;
}

static bool text_at(const Collector *collector, const Json *json, const char *key,
                    const char **value)
{
    const Json *found = json_member(json, key);
    if (!found || found->kind != JSON_STRING)
        return fail_at(collector, json, key, "text");
    *value = found->text;
    return true;
}

/* The list `key` of the measurements, which may be empty. NULL, with a status: there is no such
 * list. */
static const Json *list_of(const Collector *collector, const char *key)
{
    const Json *list = json_member(collector->measurements, key);
    if (list && list->kind == JSON_ARRAY)
        return list;
    fail_at(collector, collector->measurements, key, "list");
    return NULL;
}

/* One entry of "training". */
typedef struct {
    const Json *json;
    const Json *stages; /* of its profile */
    const char *network, *precision;
    int64_t batch, together;
} Run;

static bool run_read(const Collector *collector, const Json *json, Run *run)
{
    run->json = json;
    run->stages = json_find(json, "/profile/stages");
    if (!run->stages || run->stages->kind != JSON_OBJECT)
        return fail_at(collector, json, "/profile/stages", "object");
    return text_at(collector, json, "network", &run->network) &&
           text_at(collector, json, "precision", &run->precision) &&
           count_at(collector, json, "batch_size", &run->batch) &&
           count_at(collector, json, "together", &run->together);
}

/* --- Stages --- */

/* The profile has only means, which a burst of other work moves. The phases also have medians, so
 * this ratio corrects the profile's means. */
static double median_over_mean(const Run *run, const char *phase)
{
    const Json *both = json_member(json_member(run->json, "phases_ms"), phase);
    const Json *median = json_member(both, "median"), *mean = json_member(both, "mean");
    if (!median || !mean || median->kind != JSON_NUMBER || mean->kind != JSON_NUMBER ||
        mean->number <= 0)
        return 1;
    return median->number / mean->number;
}

/* A GPU makes many steps at once, whose phases are unknown. */
static bool has_phases(const Json *json)
{
    const Json *phases = json_member(json, "phases_ms");
    return phases && phases->count > 0;
}

/* On a GPU some stages are computed at the same time as others, but measured one after the other.
 * Each takes its share of a step that is not measured in stages. */
static double overlap(const Run *run)
{
    const Json *step_ms = json_find(run->json, "/step_ms/median");
    const Json *stages_us = json_find(run->json, "/profile/step_us");
    if (has_phases(run->json) || !step_ms || !stages_us || step_ms->kind != JSON_NUMBER ||
        stages_us->kind != JSON_NUMBER || stages_us->number <= 0)
        return 1;
    return step_ms->number * 1e3 / stages_us->number;
}

/* 0: the stage was computed together with another one. */
static double stage_ns(const Run *run, const char *stage, const char *phase)
{
    const Json *us = json_member(json_member(run->stages, stage), "us");
    return us && us->kind == JSON_NUMBER
               ? us->number * (double)NS_PER_US * median_over_mean(run, phase) * overlap(run)
               : 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), cut = strlen(end);
    return length >= cut && strcmp(text + length - cut, end) == 0;
}

/* The sum of a phase's stages, for devices that report stages but no phases, such as GPUs. */
static double stages_of_phase_ns(const Run *run, const char *phase)
{
    const bool is_load = strcmp(phase, "load") == 0; // augmenting is part of that stage
    const bool is_forward = strcmp(phase, "forward") == 0;
    double ns = 0;
    for (const Json *stage = run->stages->first; stage; stage = stage->next)
        if (ends_with(stage->key, phase) || (is_load && strcmp(stage->key, "input") == 0) ||
            (is_forward && strcmp(stage->key, "loss") == 0))
            ns += stage_ns(run, stage->key, phase);
    return ns;
}

static double phase_ns(const Run *run, const char *phase)
{
    const Json *median =
        json_member(json_member(json_member(run->json, "phases_ms"), phase), "median");
    return median && median->kind == JSON_NUMBER ? median->number * (double)NS_PER_MS
                                                 : stages_of_phase_ns(run, phase);
}

static double input_ns(const Run *run)
{
    return phase_ns(run, "load") + phase_ns(run, "augment");
}

static void add_layer(Collector *collector, const Run *run, const NetworkLayer *layer,
                      bool is_first, const char *pass)
{
    static const char *const kinds[] = {
#define X(name, text) [NETWORK_LAYER_##name] = text,
        NETWORK_LAYER_KINDS(X)
#undef X
    };
    const char *group =
        arena_printf(collector->arena, "%s %s %s", run->precision, pass, kinds[layer->kind]);
    const char *stage = arena_printf(collector->arena, "%s %s", layer->name, pass);
    add_sample(collector,
               (Sample){.name = arena_printf(collector->arena, "%s %s", group, layer->shape),
                        .group = group,
                        .layer = layer,
                        .is_first = is_first,
                        .at = run->batch,
                        .value = stage_ns(run, stage, pass)});
}

static void add_stage(Collector *collector, const Run *run, const char *stage, int64_t at,
                      double ns)
{
    const char *name = arena_printf(collector->arena, "%s %s", run->precision, stage);
    add_sample(collector, (Sample){.name = name, .group = name, .at = at, .value = ns});
}

static bool add_run(Collector *collector, const Json *json)
{
    Run run;
    if (!run_read(collector, json, &run))
        return false;
    if (run.together > 1)
        return true;
    const KerasNetwork *network = keras_network_find(run.network);
    if (!network)
        return status_fail(collector->status, STATUS_BAD_INPUT,
                           json_at(json_member(json, "network")), "unknown network \"%s\"",
                           run.network);
    int32_t count;
    int64_t parameters = 0;
    const NetworkLayer *layers = keras_layers(collector->arena, network, &count);
    for (int32_t i = 0; i < count; i++) {
        add_layer(collector, &run, &layers[i], i == 0, "forward");
        add_layer(collector, &run, &layers[i], i == 0, "backward");
        for (int32_t j = 0; j < layers[i].tensor_count; j++)
            parameters += layers[i].tensor_values[j];
    }
    add_stage(collector, &run, "input", run.batch, input_ns(&run));
    add_stage(collector, &run, "loss", run.batch, stage_ns(&run, "loss", "forward"));
    add_stage(collector, &run, "update", parameters, stage_ns(&run, "update", "update"));
    return true;
}

bool rows_of_stages(Arena *arena, const Json *measurements, Rows *rows, Status *status)
{
    Collector collector = {.arena = arena, .measurements = measurements, .status = status};
    const Json *list = list_of(&collector, "training");
    if (!list)
        return false;
    for (const Json *json = list->first; json; json = json->next)
        if (!add_run(&collector, json))
            return false;
    if (collector.count > 0)
        return rows_from(&collector, rows);
    status_fail(status, STATUS_BAD_INPUT, json_at(list), "no training was measured");
    return false;
}

/* --- Side by side --- */

static const char *const side_phases[] = {"input", "forward", "backward", "update"};
enum { SIDE_PHASES = sizeof side_phases / sizeof side_phases[0] };

static double side_ns(const Run *run, const char *phase)
{
    return strcmp(phase, "input") == 0 ? input_ns(run) : phase_ns(run, phase);
}

static bool is_alike(const Run *a, const Run *b)
{
    return a->batch == b->batch && strcmp(a->network, b->network) == 0 &&
           strcmp(a->precision, b->precision) == 0;
}

/* The median over all rounds of the same run alone; 0: it was not run alone. */
static double alone_ns(const Collector *collector, const Json *list, const Run *side,
                       const char *phase)
{
    double *values = ARENA_ARRAY(collector->arena, double, list->count);
    int32_t count = 0;
    for (const Json *json = list->first; json; json = json->next) {
        Run run;
        if (run_read(collector, json, &run) && run.together == 1 && is_alike(&run, side))
            values[count++] = side_ns(&run, phase);
    }
    return count > 0 ? repeated_of(values, count).median : 0;
}

/* The times of the slowest of the ranks that ran together, because an exchange waits for it. Their
 * entries are consecutive: `*json` is the first of them, and is moved to the last. */
static bool slowest_of(const Collector *collector, const Json **json, Run *run,
                       double slowest_ns[SIDE_PHASES])
{
    const Json *first = *json;
    if (!run_read(collector, first, run))
        return false;
    Run other = *run;
    for (int64_t ranks = 1;; ranks++) {
        for (int32_t i = 0; i < SIDE_PHASES; i++) {
            const double ns = side_ns(&other, side_phases[i]);
            slowest_ns[i] = ranks == 1 || ns > slowest_ns[i] ? ns : slowest_ns[i];
        }
        if (ranks == run->together)
            return true;
        *json = (*json)->next;
        if (!*json || !run_read(collector, *json, &other) || other.together != run->together ||
            !is_alike(run, &other))
            return status_fail(collector->status, STATUS_BAD_INPUT, json_at(first),
                               "%" PRId64 " ranks ran side by side, but only %" PRId64
                               " are listed",
                               run->together, ranks);
    }
}

static bool add_side(Collector *collector, const Json *list, const Json **json)
{
    const Json *first = *json;
    Run run;
    double slowest_ns[SIDE_PHASES];
    if (!slowest_of(collector, json, &run, slowest_ns))
        return false;
    for (int32_t i = 0; i < SIDE_PHASES; i++) {
        const char *name = arena_printf(collector->arena, "%s %s", run.precision, side_phases[i]);
        double factor = 1;
        if (run.together > 1) {
            const double alone = alone_ns(collector, list, &run, side_phases[i]);
            if (alone <= 0)
                return status_fail(collector->status, STATUS_BAD_INPUT, json_at(first),
                                   "ranks ran side by side, but this run was not measured alone");
            factor = slowest_ns[i] / alone;
        }
        add_sample(collector,
                   (Sample){.name = name, .group = name, .at = run.together, .value = factor});
    }
    return true;
}

bool rows_of_sides(Arena *arena, const Json *measurements, Rows *rows, Status *status)
{
    Collector collector = {.arena = arena, .measurements = measurements, .status = status};
    const Json *list = list_of(&collector, "training");
    if (!list)
        return false;
    for (const Json *json = list->first; json; json = json->next)
        if (!add_side(&collector, list, &json))
            return false;
    return rows_from(&collector, rows);
}

/* --- Sums over ranks --- */

static bool add_sums(Collector *collector, const Json *json)
{
    int64_t ranks, bytes;
    const char *comm;
    double us;
    if (!count_at(collector, json, "ranks", &ranks) || !text_at(collector, json, "comm", &comm))
        return false;
    const Json *list = json_member(json, "rows");
    if (!list || list->kind != JSON_ARRAY)
        return fail_at(collector, json, "rows", "list");
    const char *group = arena_printf(collector->arena, "trainyard-%s", comm);

    const char *name = arena_printf(collector->arena, "%s over %" PRId64 " ranks", group, ranks);
    for (const Json *row = list->first; row; row = row->next) {
        if (!count_at(collector, row, "bytes", &bytes) ||
            !number_at(collector, row, "/time_us", &us))
            return false;
        add_sample(collector,
                   (Sample){.name = name, .group = group, .at = bytes, .value = us * NS_PER_US});
    }
    return true;
}

bool rows_of_sums(Arena *arena, const Json *measurements, Rows *rows, Status *status)
{
    Collector collector = {.arena = arena, .measurements = measurements, .status = status};
    const Json *list = list_of(&collector, "allreduce");
    if (!list)
        return false;
    for (const Json *json = list->first; json; json = json->next)
        if (!add_sums(&collector, json))
            return false;
    return rows_from(&collector, rows);
}

/* --- Single numbers --- */

typedef struct {
    double *values;
    int32_t count;
} Values;

static Values values_room(Arena *arena, const Json *list)
{
    return (Values){ARENA_ARRAY(arena, double, list->count), 0};
}

static void values_add(Values *values, double value)
{
    values->values[values->count++] = value;
}

static Repeated values_repeated(const Values *values)
{
    return repeated_of(values->values, values->count);
}

/* The values of all runs. */
typedef struct {
    int64_t together; /* the largest of all runs */
    Values starts, flops;
    Values least, mean, p90;
} RunValues;

static bool take_scatter(const Collector *collector, const Run *run, RunValues *values)
{
    double least_ms, median_ms, mean_ms, p90_ms;
    if (!number_at(collector, run->json, "/step_ms/min", &least_ms) ||
        !number_at(collector, run->json, "/step_ms/median", &median_ms) ||
        !number_at(collector, run->json, "/step_ms/mean", &mean_ms) ||
        !number_at(collector, run->json, "/step_ms/p90", &p90_ms))
        return false;
    if (run->together < values->together || median_ms <= 0)
        return true;
    values_add(&values->least, least_ms / median_ms);
    values_add(&values->mean, mean_ms / median_ms);
    values_add(&values->p90, p90_ms / median_ms);
    return true;
}

/* The time of all steps of a run. A GPU profiles other steps than it times. */
static double trained_ms(const Json *json, int64_t steps, double step_us)
{
    const Json *step_ms = json_find(json, "/step_ms/median");
    const Json *profiled = json_find(json, "/profile/steps");
    if (has_phases(json) || !step_ms || step_ms->kind != JSON_NUMBER)
        return ((double)steps + MEASURING_WARMUP) * step_us / 1e3;
    return ((double)steps + MEASURING_GPU_WARMUP) * step_ms->number +
           (profiled && profiled->is_integer ? (double)profiled->integer * step_us / 1e3 : 0);
}

static bool take_run(const Collector *collector, const Json *json, RunValues *values)
{
    Run run;
    double took_ms, gflops, step_us;
    int64_t steps;
    if (!run_read(collector, json, &run) || !take_scatter(collector, &run, values) ||
        !number_at(collector, json, "/took_ms", &took_ms) ||
        !number_at(collector, json, "/gflops", &gflops) ||
        !number_at(collector, json, "/profile/step_us", &step_us) ||
        !count_at(collector, json, "steps", &steps))
        return false;
    if (run.together > 1 || strcmp(run.precision, "fp32") != 0)
        return true;
    const double start_ms = took_ms - trained_ms(json, steps, step_us);
    values_add(&values->starts, start_ms > 0 ? start_ms * (double)NS_PER_MS : 0);
    if (strcmp(run.network, "keras_cifar10_cnn") == 0)
        values_add(&values->flops, gflops * 1e9);
    return true;
}

static bool take_runs(const Collector *collector, const Json *training, RunValues *values)
{
    Arena *arena = collector->arena;
    *values = (RunValues){.starts = values_room(arena, training),
                          .flops = values_room(arena, training),
                          .least = values_room(arena, training),
                          .mean = values_room(arena, training),
                          .p90 = values_room(arena, training)};
    for (const Json *json = training->first; json; json = json->next) {
        Run run;
        if (!run_read(collector, json, &run))
            return false;
        values->together = run.together > values->together ? run.together : values->together;
    }
    for (const Json *json = training->first; json; json = json->next)
        if (!take_run(collector, json, values))
            return false;
    return true;
}

static bool take_writes(const Collector *collector, const Json *disk, Values *writes)
{
    *writes = values_room(collector->arena, disk);
    for (const Json *json = disk->first; json; json = json->next) {
        double bytes, ms;
        if (!number_at(collector, json, "/bytes", &bytes) ||
            !number_at(collector, json, "/write_ms", &ms))
            return false;
        values_add(writes, bytes / (ms > 0.001 ? ms : 0.001) * 1e3);
    }
    return true;
}

bool singles_of(Arena *arena, const Json *measurements, Singles *singles, Status *status)
{
    const Collector collector = {.arena = arena, .measurements = measurements, .status = status};
    const Json *training = list_of(&collector, "training"), *disk = list_of(&collector, "disk");
    RunValues runs;
    Values writes;
    if (!training || !disk || !take_runs(&collector, training, &runs) ||
        !take_writes(&collector, disk, &writes))
        return false;
    if (runs.flops.count == 0 || runs.least.count == 0 || writes.count == 0)
        return status_fail(status, STATUS_BAD_INPUT, json_at(measurements),
                           "the measurements lack the tutorial's network in fp32, or the disk");
    *singles = (Singles){.start_ns = values_repeated(&runs.starts),
                         .flops = values_repeated(&runs.flops),
                         .write_bytes_per_s = values_repeated(&writes),
                         .step_least = values_repeated(&runs.least),
                         .step_mean = values_repeated(&runs.mean),
                         .step_p90 = values_repeated(&runs.p90)};
    return true;
}
