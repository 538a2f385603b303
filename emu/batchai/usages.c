#include "emu/batchai/usages.h"

#include <string.h>

#include "emu/batchai/batchai.h"

static void add_usage(Arena *arena, Json *list, const char *name, const char *shown_name,
                      int64_t used, int64_t limit)
{
    Json *usage = json_add(list, json_object(arena));
    json_put_text(arena, usage, "unit", "Count");
    json_put_integer(arena, usage, "currentValue", used);
    json_put_integer(arena, usage, "limit", limit);
    Json *names = json_put_object(arena, usage, "name");
    json_put_text(arena, names, "value", name);
    json_put_text(arena, names, "localizedValue", shown_name);
}

/* A name contains the kind of node. The displayed name has a space in it: "LowPriority", "Low
 * Priority". */
static void add_family(Arena *arena, Json *list, const World *world, const CoreQuota *quota,
                       bool is_low_priority)
{
    const bool is_total = strcmp(quota->family, FAMILY_OF_ALL) == 0;
    const char *const kinds[2] = {is_low_priority ? "LowPriority" : "Dedicated",
                                  is_low_priority ? "Low Priority" : "Dedicated"};
    const char *names[2];
    for (int i = 0; i < 2; i++)
        names[i] = is_total ? arena_printf(arena, "Total Cluster %s Regional vCPUs", kinds[i])
                            : arena_printf(arena, "Standard %s Family Cluster %s vCPUs",
                                           quota->family, kinds[i]);
    add_usage(arena, list, names[0], names[1],
              world_vcpus_used(world, quota->family, is_low_priority),
              quota_vcpus(quota, is_low_priority));
}

/* Whether the service would list the family. It listed the families of 2018 even with a quota of 0;
 * a later family is listed if it has a quota or is in use. */
static bool is_listed(const World *world, const CoreQuota *quota)
{
    static const char *const of_2018[] = {FAMILY_OF_ALL, "D",    "Dv2", "NC",
                                          "NCv2",        "NCv3", "ND",  "NV"};
    for (size_t i = 0; i < sizeof of_2018 / sizeof *of_2018; i++)
        if (strcmp(quota->family, of_2018[i]) == 0)
            return true;
    return quota->dedicated_vcpus > 0 || quota->low_priority_vcpus > 0 ||
           world_vcpus_used(world, quota->family, false) > 0 ||
           world_vcpus_used(world, quota->family, true) > 0;
}

/* Equal for every location: the world has one set of quotas. */
void usages_list(const ArmCall *call)
{
    Arena *arena = call->arena;
    const World *world = session_world(call->session);
    const Scenario *scenario = session_scenario(call->session);
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    add_usage(arena, list, "Clusters", "Clusters", world_living_clusters(world),
              scenario->service.clusters_max);
    for (int low_priority = 0; low_priority < 2; low_priority++)
        for (int32_t i = 0; i < scenario->quota_count; i++)
            if (is_listed(world, world_quota(world, i)))
                add_family(arena, list, world, world_quota(world, i), low_priority == 1);
    arm_answer(call, 200, body);
}
