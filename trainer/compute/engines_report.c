#include "trainer/compute/engines_report.h"

void engines_print(const Backend *backend, void *model, const Net *net, Text *out)
{
    const char *before = "\nProducts by (forward, to data, to weights): ";
    LayerEngines engines;
    for (int32_t i = 0; backend->engines && i < net->layer_count; i++) {
        if (!backend->engines(model, i, &engines))
            continue;
        text_printf(out, "%s%s %s, %s, %s", before, net->layers[i].name, engines.forward,
                    engines.data ? engines.data : "-", engines.weights);
        before = "; ";
    }
    if (backend->engines)
        text_add(out, "\n");
}

void engines_json(const Backend *backend, void *model, const Net *net, Json *root, Arena *arena)
{
    LayerEngines engines;
    if (!backend->engines)
        return;
    Json *layers = json_set(arena, root, "engines", json_object(arena));
    for (int32_t i = 0; i < net->layer_count; i++) {
        if (!backend->engines(model, i, &engines))
            continue;
        Json *layer = json_set(arena, layers, net->layers[i].name, json_object(arena));
        json_set(arena, layer, "forward", json_string(arena, engines.forward));
        if (engines.data)
            json_set(arena, layer, "data", json_string(arena, engines.data));
        json_set(arena, layer, "weights", json_string(arena, engines.weights));
    }
}
