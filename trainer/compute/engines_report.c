#include "trainer/compute/engines_report.h"

#include <math.h>

void engines_print(const Backend *backend, void *model, const Net *net, Text *out)
{
    const char *before = "\nProducts by (forward, to data, to weights): ";
    LayerEngines engines;
    for (int32_t i = 0; backend->engines && i < net->layer_count; i++) {
        if (!backend->engines(model, i, &engines))
            continue;
        text_printf(out, "%s%s %s, %s, %s", before, net->layers[i].name, engines.forward.chosen,
                    engines.data.chosen ? engines.data.chosen : "-", engines.weights.chosen);
        before = "; ";
    }
    if (backend->engines)
        text_add(out, "\n");
}

static void pass_json(const PassEngines *pass, const char *name, Json *layer, Json *tried,
                      Arena *arena)
{
    if (!pass->chosen)
        return;
    json_put_text(arena, layer, name, pass->chosen);
    if (pass->tried_count == 0)
        return;
    Json *times = json_put_object(arena, tried, name);
    for (int32_t i = 0; i < pass->tried_count; i++)
        if (isfinite(pass->tried[i].best_us))
            json_put_decimal(arena, times, pass->tried[i].name,
                             arena_printf(arena, "%.2f", pass->tried[i].best_us));
}

Json *engines_json(const Backend *backend, void *model, const Net *net, Arena *arena)
{
    LayerEngines engines;
    if (!backend->engines)
        return NULL;
    Json *layers = json_object(arena);
    for (int32_t i = 0; i < net->layer_count; i++) {
        if (!backend->engines(model, i, &engines))
            continue;
        Json *layer = json_put_object(arena, layers, net->layers[i].name);
        Json *tried = json_object(arena);
        pass_json(&engines.forward, "forward", layer, tried, arena);
        pass_json(&engines.data, "data", layer, tried, arena);
        pass_json(&engines.weights, "weights", layer, tried, arena);
        if (tried->count > 0)
            json_set(arena, layer, "tried_us", tried);
    }
    return layers;
}
