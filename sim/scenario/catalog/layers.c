#include "sim/scenario/catalog/layers.h"

#include <string.h>

#include "sim/base/piece.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/scenario/catalog/fields.h"

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

static bool hint_example(Status *status)
{
    return status_hint(status, "scenarios/catalog/networks.json has examples");
}

/* --- Parts of a layer --- */

static bool count_read(Piece piece, int64_t least, int64_t most, int64_t *value, Status *status)
{
    uint64_t read;
    if (!piece_digits(piece, (uint64_t)most, &read) || read < (uint64_t)least) {
        piece_bad(piece, "a whole number", status);
        return status_hint(status, "%" PRId64 " to %" PRId64, least, most);
    }
    *value = (int64_t)read;
    return true;
}

static bool tensors_read(Arena *arena, Piece list, NetworkLayer *layer, Status *status)
{
    int32_t count = 1;
    for (size_t i = 0; i < list.length; i++)
        count += list.text[i] == ' ';
    int64_t *values = ARENA_ARRAY(arena, int64_t, count);
    layer->tensor_values = values;
    for (Piece value; piece_cut(&list, ' ', &value);)
        if (!count_read(value, 1, PARAMETERS_MOST, &values[layer->tensor_count++], status))
            return false;
    return true;
}

/* The amounts that may follow a layer's shape, in any order, each at most once. */
typedef enum { AMOUNT_IN, AMOUNT_OUT, AMOUNT_MACS, AMOUNT_TENSORS, AMOUNT_COUNT } Amount;
static const char *const amounts[AMOUNT_COUNT] = {"in", "out", "macs", "tensors"};

static bool amount_find(Piece word, Amount *amount, Status *status)
{
    for (int32_t i = 0; i < AMOUNT_COUNT; i++) {
        *amount = (Amount)i;
        if (piece_is(word, amounts[i]))
            return true;
    }
    piece_bad(word, "in, out, macs or tensors", status);
    (void)piece_hint_nearest(word, amounts, AMOUNT_COUNT, status);
    return false;
}

/* `piece` is " macs 884736". */
static bool amount_read(Arena *arena, Piece piece, NetworkLayer *layer, uint32_t *seen,
                        Status *status)
{
    Amount amount;
    Piece values = piece, word;
    (void)piece_skip(&values, " ");
    (void)piece_cut(&values, ' ', &word);
    if (!amount_find(word, &amount, status))
        return false;
    if (values.text == NULL)
        return piece_bad(word, "a number after it", status);
    if (*seen & 1u << amount)
        return status_fail(status, STATUS_BAD_INPUT, word.at, "a second \"%s\"", amounts[amount]);
    *seen |= 1u << amount;
    switch (amount) {
    case AMOUNT_IN:
        return count_read(values, 1, CATALOG_AMOUNT_MOST, &layer->input_values, status);
    case AMOUNT_OUT:
        return count_read(values, 1, CATALOG_AMOUNT_MOST, &layer->output_values, status);
    case AMOUNT_MACS:
        return count_read(values, 0, MACS_MOST, &layer->forward_macs, status);
    case AMOUNT_TENSORS:
        return tensors_read(arena, values, layer, status);
    case AMOUNT_COUNT:
        break;
    }
    return false;
}

static bool kind_read(Piece word, NetworkLayerKind *kind, Status *status)
{
    for (int32_t i = 0; i < NETWORK_LAYER_KIND_COUNT; i++) {
        *kind = (NetworkLayerKind)i;
        if (piece_is(word, kinds[i]))
            return true;
    }
    piece_bad(word, "a kind of layer", status);
    (void)piece_hint_nearest(word, kinds, NETWORK_LAYER_KIND_COUNT, status);
    return false;
}

/* `head` is "conv1 convolution 7x7/2 3>64 112x112". */
static bool head_read(Arena *arena, Piece head, NetworkLayer *layer, Status *status)
{
    Piece shape = head, name, kind;
    if (!piece_cut(&shape, ' ', &name) || !piece_cut(&shape, ' ', &kind) || shape.length == 0 ||
        name.length == 0)
        return piece_bad(head, "a layer's name, its kind and its shape", status);
    char *copy = arena_strndup(arena, head.text, head.length);
    copy[name.length] = '\0';
    layer->name = copy;
    layer->shape = copy + (shape.text - head.text);
    return kind_read(kind, &layer->kind, status);
}

static bool layer_read(Arena *arena, const Json *json, NetworkLayer *layer, Status *status)
{
    const Place at = json_at(json);
    if (json->kind != JSON_STRING) {
        status_fail(status, STATUS_BAD_INPUT, at, "a layer must be a text, not %s",
                    json_kind_name(json->kind));
        return hint_example(status);
    }
    // After the quotation mark. A layer has no characters that JSON escapes, so columns are right.
    const Place inside = place_in(at.source, at.line, at.column + 1);
    Piece rest = {json->text, strlen(json->text), inside}, part;
    uint32_t seen = 0;
    (void)piece_cut(&rest, ',', &part);
    if (!head_read(arena, part, layer, status))
        return false;
    while (piece_cut(&rest, ',', &part))
        if (!amount_read(arena, part, layer, &seen, status))
            return false;
    for (Amount i = AMOUNT_IN; i <= AMOUNT_OUT; i++)
        if (!(seen & 1u << i))
            return status_fail(status, STATUS_BAD_INPUT, at, "this layer lacks \"%s\"", amounts[i]);
    return true;
}

/* --- Totals of a network --- */

/* Adds a layer's amounts to the totals; `at` is its place. */
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

/* The multiply-adds of the first layer that has any: training computes no gradient of its input,
 * the images. */
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
    return hint_example(status);
}

bool catalog_layers_read(Arena *arena, const Json *json, NetworkModel *network, Status *status)
{
    if (!is_list(json, status))
        return false;
    // A list in a later file replaces an earlier one.
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

/* --- Summary --- */

/* "3.858 G", "20.741 M", "512". */
static void large_print(Text *text, int64_t value)
{
    static const char prefixes[] = "kMGTP";
    if (value < 1000) {
        text_printf(text, "%" PRId64, value);
        return;
    }
    int32_t prefix = 0;
    int64_t thousandth = 1; // a thousandth of the unit of the prefix
    while (value / thousandth >= 1000000 && prefix + 2 < (int32_t)sizeof prefixes)
        prefix++, thousandth *= 1000;
    int64_t shown = (value + thousandth / 2) / thousandth;
    text_printf(text, "%" PRId64 ".%03d %c", shown / 1000, (int)(shown % 1000), prefixes[prefix]);
}

const char *catalog_layers_summary(Arena *arena, const NetworkModel *network)
{
    Text text = {0};
    text_printf(&text, "%d layer%s, ", (int)network->layer_count, plural(network->layer_count));
    thousands_print(&text, network->parameters);
    text_printf(&text, " parameter%s in %d tensor%s, ", plural(network->parameters),
                (int)network->tensors, plural(network->tensors));
    large_print(&text, network->forward_macs_per_sample);
    text_add(&text, " multiply-adds");
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}
