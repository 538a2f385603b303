#include "sim/scenario/config/config_context.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/cloud/storage/file_server.h"
#include "sim/scenario/catalog/built_in_catalog.h"

Problems *config_warnings(const ConfigContext *context)
{
    if (context->warnings != NULL)
        return context->warnings;
    Problems *discarded = ARENA_NEW(context->arena, Problems);
    *discarded = problems_create(context->arena);
    return discarded;
}

const KnownShare *config_share(const ConfigContext *context, const char *name)
{
    for (int32_t i = 0; i < context->share_count; i++)
        if (strcmp(context->shares[i].name, name) == 0)
            return &context->shares[i];
    return NULL;
}

void config_check_share(const ConfigContext *context, const char *kind, const char *name, Place at)
{
    if (context->unlisted.shares || config_share(context, name) != NULL)
        return;
    const char **names = ARENA_ARRAY(context->arena, const char *, context->share_count);
    for (int32_t i = 0; i < context->share_count; i++)
        names[i] = context->shares[i].name;
    Status *problem =
        bind_unknown_name(context->problems, at, kind, name, names, context->share_count);
    if (context->share_count == 0)
        status_hint(problem, "the scenario's \"storage\" has no shares");
}

static bool is_same_or_none(const char *a, const char *b)
{
    return a != NULL && b != NULL ? ascii_same(a, b) : a == b;
}

const char *file_server_share(const ConfigContext *context, ResourcePath path)
{
    if (is_same_or_none(path.group, context->scope.group) &&
        is_same_or_none(path.workspace, context->scope.workspace))
        path = (ResourcePath){.name = path.name};
    return file_server_share_name(context->arena, path);
}

const KnownShare *config_file_server(const ConfigContext *context, ResourcePath path)
{
    for (int32_t i = 0; i < context->share_count; i++) {
        const ResourcePath server = context->shares[i].server;
        if (server.name != NULL && ascii_same(server.name, path.name) &&
            is_same_or_none(server.group, path.group) &&
            is_same_or_none(server.workspace, path.workspace))
            return &context->shares[i];
    }
    return NULL;
}

void config_unknown_entry(const ConfigContext *context, CatalogSection section, const char *kind,
                          BoundText name)
{
    int32_t count;
    const char *const *names = catalog_names(context->catalog, section, &count);
    Status *problem =
        bind_unknown_name(context->problems, json_at(name.node), kind, name.value, names, count);
    const char *const file = built_in_catalog_with(catalog_section_name(section));
    if (count == 0 && file != NULL)
        status_hint(problem, "add \"catalog/%s\" to the scenario's \"catalog\"", file);
}

Quantiles quantiles_always(Arena *arena, int64_t ns)
{
    QuantileKnot *knot = ARENA_NEW(arena, QuantileKnot);
    knot->value = ns;
    return (Quantiles){.count = 1, .knots = knot};
}

const VmSize *config_vm_size(const ConfigContext *context, BoundText name)
{
    if (context->catalog == NULL || name.is_refused)
        return NULL;
    const VmSize *vm = catalog_vm_size(context->catalog, name.value);
    if (vm == NULL)
        config_unknown_entry(context, CATALOG_VM_SIZES, "VM size", name);
    return vm;
}
