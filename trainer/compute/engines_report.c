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
    Json *layers = json_put_object(arena, root, "engines");
    for (int32_t i = 0; i < net->layer_count; i++) {
        if (!backend->engines(model, i, &engines))
            continue;
        Json *layer = json_put_object(arena, layers, net->layers[i].name);
        json_put_text(arena, layer, "forward", engines.forward);
        if (engines.data)
            json_put_text(arena, layer, "data", engines.data);
        json_put_text(arena, layer, "weights", engines.weights);
    }
}
