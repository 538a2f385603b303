#include "sim/scenario/catalog_layers.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/scenario/catalog_fields.h"

/* Limits of a whole network, which keep the bytes of its gradients and the operations of its
 * training within CATALOG_AMOUNT_MOST. */
#define PARAMETERS_MOST (CATALOG_AMOUNT_MOST / 4)
#define MACS_MOST (CATALOG_AMOUNT_MOST / 6)

static const char *const kinds[] = {
#define X(name, text) text,
    NETWORK_LAYER_KINDS(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == NETWORK_LAYER_KIND_COUNT, "one name per kind");

/* --- Members of a layer --- */

static const char *const keys[] = {"name", "kind", "shape", "macs", "in", "out", "tensors"};
enum { KEYS = sizeof keys / sizeof keys[0] };

static bool fail_unknown(Status *status, Place at, const char *what, const char *typed,
                         const char *const *names, int32_t count)
{
    const char *nearest = nearest_name(typed, names, count);
    status_fail(status, STATUS_BAD_INPUT, at, "%s \"%s\"", what, typed);
    return nearest == NULL ? false : status_hint(status, "did you mean \"%s\"?", nearest);
}

static bool keys_are_known(const Json *json, Status *status)
{
    for (const Json *member = json->first; member != NULL; member = member->next) {
        int32_t i = 0;
        while (i < KEYS && strcmp(member->key, keys[i]) != 0)
            i++;
        if (i == KEYS)
            return fail_unknown(status, member->key_at, "a layer has no", member->key, keys, KEYS);
    }
    return true;
}

static bool is_missing(const Json *layer, const char *key, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, json_at(layer), "this layer lacks \"%s\"", key);
}

static bool text_read(const Json *layer, const char *key, const char **text, Status *status)
{
    const Json *json = json_member(layer, key);
    if (json == NULL)
        return is_missing(layer, key, status);
    *text = json->text;
    return (json->kind == JSON_STRING && json->text[0] != '\0') ||
           status_fail(status, STATUS_BAD_INPUT, json_at(json),
                       "%s must be a text that is not empty", key);
}

static bool kind_read(const Json *layer, NetworkLayerKind *kind, Status *status)
{
    const char *text = "";
    if (!text_read(layer, "kind", &text, status))
        return false;
    for (int32_t i = 0; i < NETWORK_LAYER_KIND_COUNT; i++) {
        if (strcmp(text, kinds[i]) != 0)
            continue;
        *kind = (NetworkLayerKind)i;
        return true;
    }
    return fail_unknown(status, json_at(json_member(layer, "kind")), "there is no kind of layer",
                        text, kinds, NETWORK_LAYER_KIND_COUNT);
}

static bool count_read(const Json *json, const char *what, int64_t least, int64_t most,
                       int64_t *value, Status *status)
{
    if (json->kind != JSON_NUMBER || !json->is_integer)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json), "%s must be a whole number",
                           what);
    *value = json->integer;
    return (*value >= least && *value <= most) ||
           status_fail(status, STATUS_BAD_INPUT, json_at(json),
                       "%s is %" PRId64 ", expected %" PRId64 " to %" PRId64, what, *value, least,
                       most);
}

static bool values_read(const Json *layer, const char *key, int64_t *values, Status *status)
{
    const Json *json = json_member(layer, key);
    return json != NULL ? count_read(json, key, 1, CATALOG_AMOUNT_MOST, values, status)
                        : is_missing(layer, key, status);
}

static bool macs_read(const Json *layer, int64_t *macs, Status *status)
{
    const Json *json = json_member(layer, "macs");
    *macs = 0;
    return json == NULL || count_read(json, "macs", 0, MACS_MOST, macs, status);
}

static bool tensors_read(Arena *arena, const Json *json, NetworkLayer *layer, Status *status)
{
    const Json *list = json_member(json, "tensors");
    if (list == NULL)
        return true;
    if (list->kind != JSON_ARRAY || list->count > CATALOG_COUNT_MOST)
        return status_fail(status, STATUS_BAD_INPUT, json_at(list),
                           "tensors must be a list of the parameters in each");
    int64_t *values = ARENA_ARRAY(arena, int64_t, list->count);
    layer->tensor_values = values;
    for (const Json *item = list->first; item != NULL; item = item->next)
        if (!count_read(item, "a tensor", 1, PARAMETERS_MOST, &values[layer->tensor_count++],
                        status))
            return false;
    return true;
}

static bool layer_read(Arena *arena, const Json *json, NetworkLayer *layer, Status *status)
{
    if (json->kind != JSON_OBJECT)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json),
                           "a layer must be an object, not %s", json_kind_name(json->kind));
    return keys_are_known(json, status) && text_read(json, "name", &layer->name, status) &&
           kind_read(json, &layer->kind, status) &&
           text_read(json, "shape", &layer->shape, status) &&
           macs_read(json, &layer->forward_macs, status) &&
           values_read(json, "in", &layer->input_values, status) &&
           values_read(json, "out", &layer->output_values, status) &&
           tensors_read(arena, json, layer, status);
}

/* --- What follows from them --- */

/* Adds a layer's part; `at` is its place. */
static bool totals_add(NetworkModel *network, const NetworkLayer *layer, Place at, Status *status)
{
    for (int32_t i = 0; i < layer->tensor_count; i++) {
        if (layer->tensor_values[i] > PARAMETERS_MOST - network->parameters)
            return status_fail(status, STATUS_BAD_INPUT, at,
                               "up to this layer there are more than %" PRId64 " parameters",
                               PARAMETERS_MOST);
        network->parameters += layer->tensor_values[i];
    }
    if (layer->forward_macs > MACS_MOST - network->forward_macs_per_sample)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "up to this layer there are more than %" PRId64 " multiply-adds",
                           MACS_MOST);
    if (layer->tensor_count > CATALOG_COUNT_MOST - network->tensors)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "up to this layer there are more than %d tensors", CATALOG_COUNT_MOST);
    network->forward_macs_per_sample += layer->forward_macs;
    network->tensors += layer->tensor_count;
    return true;
}

/* Of the layer that stands first among those that multiply: images need no gradient. */
static int64_t first_macs(const NetworkModel *network)
{
    int32_t i = 0;
    while (network->layers[i].forward_macs == 0)
        i++;
    return network->layers[i].forward_macs;
}

static bool is_list(const Json *json, Status *status)
{
    if (json->kind != JSON_ARRAY)
        status_fail(status, STATUS_BAD_INPUT, json_at(json), "expected a list of layers, found %s",
                    json_kind_name(json->kind));
    else if (json->count < 1 || json->count > CATALOG_COUNT_MOST)
        status_fail(status, STATUS_BAD_INPUT, json_at(json), "%d layers, expected 1 to %d",
                    (int)json->count, CATALOG_COUNT_MOST);
    else
        return true;
    return status_hint(status, "scenarios/catalog/networks.json has examples");
}

bool catalog_layers_read(Arena *arena, const Json *json, NetworkModel *network, Status *status)
{
    if (!is_list(json, status))
        return false;
    // A later file's word replaces an earlier one's.
    *network = (NetworkModel){.name = network->name};
    NetworkLayer *layers = ARENA_ARRAY(arena, NetworkLayer, json->count);
    network->layers = layers;
    for (const Json *item = json->first; item != NULL; item = item->next) {
        NetworkLayer *layer = &layers[network->layer_count++];
        if (!layer_read(arena, item, layer, status) ||
            !totals_add(network, layer, json_at(item), status))
            return false;
    }
    if (network->parameters == 0 || network->forward_macs_per_sample == 0)
        return status_fail(status, STATUS_BAD_INPUT, json_at(json), "no layer has %s",
                           network->parameters == 0 ? "\"tensors\"" : "\"macs\"");
    network->gradient_bytes = 4 * network->parameters;
    network->training_flops_per_sample =
        6 * network->forward_macs_per_sample - 2 * first_macs(network);
    return true;
}

/* --- For people --- */

/* "25,557,032" */
static void grouped_print(Text *text, int64_t value)
{
    if (value >= 1000)
        grouped_print(text, value / 1000);
    text_printf(text, value >= 1000 ? ",%03d" : "%d", (int)(value % 1000));
}

/* "3.858 G", "20.741 M", "512". */
static void large_print(Text *text, int64_t value)
{
    static const char prefixes[] = "kMGTP";
    if (value < 1000) {
        text_printf(text, "%" PRId64, value);
        return;
    }
    int32_t prefix = 0;
    int64_t thousandth = 1; // of what the prefix stands for
    while (value / thousandth >= 1000000 && prefix + 2 < (int32_t)sizeof prefixes)
        prefix++, thousandth *= 1000;
    int64_t shown = (value + thousandth / 2) / thousandth;
    text_printf(text, "%" PRId64 ".%03d %c", shown / 1000, (int)(shown % 1000), prefixes[prefix]);
}

const char *catalog_layers_summary(Arena *arena, const NetworkModel *network)
{
    Text text = {0};
    text_printf(&text, "%d layer%s, ", (int)network->layer_count, plural(network->layer_count));
    grouped_print(&text, network->parameters);
    text_printf(&text, " parameter%s in %d tensor%s, ", plural(network->parameters),
                (int)network->tensors, plural(network->tensors));
    large_print(&text, network->forward_macs_per_sample);
    text_add(&text, " multiply-adds");
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}
