#include "sim/cloud/training/layer_rates.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

static const char *const precision_words[] = {
#define X(name, text) [STEP_##name] = text,
    STEP_PRECISIONS(X)
#undef X
};

static const char *const kind_words[] = {
#define X(name, text) [NETWORK_LAYER_##name] = text,
    NETWORK_LAYER_KINDS(X)
#undef X
};

static const char *const pass_words[] = {[PASS_FORWARD] = "forward", [PASS_BACKWARD] = "backward"};

const char *step_precision_word(StepPrecision precision)
{
    return precision_words[precision];
}

/* --- Names of measurements --- */

/* Whether `name` consists of the device, the precision and `words` (ended by NULL), separated by
 * blanks. */
static bool is_named(const LayerRates *rates, const char *name, const char *const *words)
{
    const char *const first[] = {rates->device->name, precision_words[rates->precision], NULL};
    for (int32_t i = 0; i < 2; i++) {
        const char *const *list = i == 0 ? first : words;
        for (; *list; list++) {
            size_t length = strlen(*list);
            if (strncmp(name, *list, length) != 0)
                return false;
            name += length;
            bool is_last = i == 1 && list[1] == NULL;
            if (*name != (is_last ? '\0' : ' '))
                return false;
            name += !is_last;
        }
    }
    return true;
}

static const StageTime *find_stage(const LayerRates *rates, const char *const *words)
{
    const DeviceTimes *times = rates->device->times;
    for (int32_t i = 0; i < times->stage_count; i++)
        if (is_named(rates, times->stages[i]->name, words))
            return times->stages[i];
    return NULL;
}

static const StageTime *find_layer(const LayerRates *rates, LayerPass pass,
                                   const NetworkLayer *layer)
{
    return find_stage(rates, (const char *const[]){pass_words[pass], kind_words[layer->kind],
                                                   layer->shape, NULL});
}

static const KindTime *find_kind(const LayerRates *rates, LayerPass pass, NetworkLayerKind kind)
{
    const DeviceTimes *times = rates->device->times;
    const char *const words[] = {pass_words[pass], kind_words[kind], NULL};
    for (int32_t i = 0; i < times->kind_count; i++)
        if (is_named(rates, times->kinds[i]->name, words))
            return times->kinds[i];
    return NULL;
}

static const SideBySide *find_side(const LayerRates *rates, const char *word)
{
    const DeviceTimes *times = rates->device->times;
    for (int32_t i = 0; i < times->side_count; i++)
        if (is_named(rates, times->sides[i]->name, (const char *const[]){word, NULL}))
            return times->sides[i];
    return NULL;
}

/* --- Times --- */

/* The time while all ranks compute, from the time of a single rank. */
static int64_t among_ranks(const LayerRates *rates, const char *word, int64_t alone_ns)
{
    const SideBySide *side = find_side(rates, word);
    invariant(side != NULL); // layer_rates_check has seen it
    return bounded_times(bounded_part(alone_ns, curve_within(side->factor_ppm, rates->ranks), PPM),
                         rates->ranks_on_one);
}

#define MILLION INT64_C(1000000)

int64_t layer_parameters(const NetworkLayer *layer)
{
    int64_t parameters = 0;
    for (int32_t i = 0; i < layer->tensor_count; i++)
        parameters = bounded_add(parameters, layer->tensor_values[i]);
    return parameters;
}

int64_t layer_rates_kind_ns(const KindTime *kind, const NetworkLayer *layer, int64_t batch)
{
    int64_t values = bounded_add(layer->input_values, layer->output_values);
    int64_t image_millionths =
        bounded_add(bounded_times(layer->forward_macs, kind->per_million_macs_ns),
                    bounded_times(values, kind->per_million_values_ns));
    int64_t once_ns =
        bounded_add(kind->fixed_ns, bounded_part(layer_parameters(layer),
                                                 kind->per_million_parameters_ns, MILLION));
    return bounded_add(once_ns, bounded_part(image_millionths, batch, MILLION));
}

static int64_t layer_ns(const LayerRates *rates, LayerPass pass, const NetworkLayer *layer,
                        int64_t batch)
{
    const StageTime *stage = find_layer(rates, pass, layer);
    if (stage)
        return curve_at(stage->ns, batch);
    const KindTime *kind = find_kind(rates, pass, layer->kind);
    invariant(kind != NULL); // layer_rates_check has seen it
    return layer_rates_kind_ns(kind, layer, batch);
}

static int64_t stage_ns(const LayerRates *rates, const char *word, int64_t at)
{
    const StageTime *stage = find_stage(rates, (const char *const[]){word, NULL});
    invariant(stage != NULL); // layer_rates_check has seen it
    return curve_at(stage->ns, at);
}

int64_t layer_rates_pass_ns(const LayerRates *rates, const NetworkModel *network, LayerPass pass,
                            int64_t batch)
{
    int64_t alone_ns = pass == PASS_FORWARD ? stage_ns(rates, "loss", batch) : 0;
    for (int32_t i = 0; i < network->layer_count; i++)
        alone_ns = bounded_add(alone_ns, layer_ns(rates, pass, &network->layers[i], batch));
    return among_ranks(rates, pass_words[pass], alone_ns);
}

int64_t layer_rates_input_ns(const LayerRates *rates, int64_t batch)
{
    return among_ranks(rates, "input", stage_ns(rates, "input", batch));
}

int64_t layer_rates_update_ns(const LayerRates *rates, const NetworkModel *network)
{
    return among_ranks(rates, "update", stage_ns(rates, "update", network->parameters));
}

/* --- Whether they are known --- */

static bool check_stages(const LayerRates *rates, Place at, Status *status)
{
    static const char *const stages[] = {"input", "loss", "update"};
    static const char *const sides[] = {"input", "forward", "backward", "update"};
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        if (!find_stage(rates, (const char *const[]){stages[i], NULL}))
            missing = stages[i];
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        if (!find_side(rates, sides[i]))
            missing = sides[i];
    if (!missing)
        return true;
    status_fail(status, STATUS_BAD_INPUT, at, "no \"%s\" was measured on %s in %s", missing,
                rates->device->name, precision_words[rates->precision]);
    return status_hint(status, "\"trainyard calibrate\" measures this machine");
}

bool layer_rates_check(const LayerRates *rates, const NetworkModel *network, Place at,
                       Status *status)
{
    if (!check_stages(rates, at, status))
        return false;
    if (network->layer_count == 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "network \"%s\" has no layers, by which %s was measured", network->name,
                           rates->device->name);
    for (int32_t i = 0; i < network->layer_count; i++) {
        const NetworkLayer *layer = &network->layers[i];
        for (LayerPass pass = PASS_FORWARD; pass <= PASS_BACKWARD; pass++)
            if (!find_layer(rates, pass, layer) && !find_kind(rates, pass, layer->kind))
                return status_fail(status, STATUS_BAD_INPUT, at,
                                   "layer %s of \"%s\": no %s was measured on %s in %s",
                                   layer->name, network->name, kind_words[layer->kind],
                                   rates->device->name, precision_words[rates->precision]);
    }
    return true;
}
