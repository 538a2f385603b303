#include "sim/study/follow/facts.h"

#include "sim/base/ascii.h"
#include "sim/cloud/spec/command.h"
#include "sim/json/decimal.h"
#include "sim/scenario/catalog/fields.h"

#define TEXT_ROW(key, member, text) FIELD_ROW(TEXT, key, member, .doc = text)
#define REQUIRED_TEXT(key, member, text)                                                           \
    FIELD_ROW(TEXT, key, member, .doc = text, .is_required = true)

#define OWNER FollowCluster
static const Field cluster_fields[] = {
    REQUIRED_TEXT("name", name, "name of the cluster; of its nodes of one kind CLUSTER.kinds.KIND"),
    REQUIRED_TEXT("vm_size", vm_size, "size of its nodes"),
    REQUIRED_TEXT("family", family, "family of the quota; empty: no quota is about such nodes"),
    REQUIRED_TEXT("priority", priority, "dedicated or lowpriority"),
    REQUIRED_TEXT("price", price,
                  "the price of an hour of a node: a path in the catalogue, or of the kind"),
    FIELD_DECIMAL("usd_per_hour", micro_usd_per_hour, DECIMALS_USD, "that price"),
    FIELD_COUNT("vcpus", vcpus, "cores of a node"),
    FIELD_COUNT("quota_vcpus", quota_vcpus, "quota of the family", NULLABLE),
    FIELD_COUNT("total_vcpus", total_vcpus, "quota of all families", NULLABLE),
    {0},
};
static const ObjectType cluster_type =
    OBJECT_TYPE("Cluster", "A cluster of a candidate.", cluster_fields);
#undef OWNER

#define OWNER FollowPoint
static const Field point_fields[] = {
    FIELD_ROW(INTEGER, "point", point, .doc = "its number in the plan's study"),
    FIELD_LIST(OBJECTS, "clusters", clusters, cluster_count, &cluster_type, "its clusters"),
    {0},
};
static const ObjectType point_type = OBJECT_TYPE("Point", "A point of DIR/why.", point_fields);
#undef OWNER

static const char *const kind_words[] = {"price", "life", "other", NULL};

#define OWNER Assumption
static const Field assumption_fields[] = {
    REQUIRED_TEXT("path", path, "the value in the catalogue"),
    FIELD_ROW(CHOICE, "kind", kind, .choices = kind_words, .doc = "price, life of nodes, or other"),
    FIELD_ROW(BOOLEAN, "is_assumed", is_assumed, .doc = "without a published source"),
    FIELD_ROW(BOOLEAN, "is_preemption", is_preemption, .doc = "life of low-priority nodes"),
    REQUIRED_TEXT("value", value, "today's value"),
    REQUIRED_TEXT("low", low, "lower end, as JSON"),
    REQUIRED_TEXT("high", high, "upper end, as JSON"),
    REQUIRED_TEXT("range", range, "why these ends"),
    REQUIRED_TEXT("source", source, "source of the value"),
    {0},
};
static const ObjectType assumption_type = OBJECT_TYPE(
    "Assumption", "A value of the catalogue that the answer rests on.", assumption_fields);
#undef OWNER

#define OWNER FollowFacts
static const Field facts_fields[] = {
    TEXT_ROW("region", region, "region of the scenario"),
    FIELD_LIST(OBJECTS, "points", points, point_count, &point_type,
               "points of DIR/why, the recommended one first"),
    FIELD_ROW(BOOLEAN, "has_next_best", has_next_best, .doc = "the second point is the next best"),
    FIELD_LIST(OBJECTS, "assumptions", assumptions, assumption_count, &assumption_type,
               "values that were varied in DIR/assumptions"),
    TEXT_ROW("no_headroom", no_headroom, "why there is no DIR/headroom"),
    FIELD_LIST(TEXTS, "left_out", left_out, left_out_count, NULL,
               "studies that could not be made, and why", .is_left_out_empty = true),
    FIELD_ROW(OBJECT, "closed_form", closed_form, .type = &closed_form_type,
              .doc = "queueing theory"),
    FIELD_DECIMAL("growth_a_month", growth_ppm, 6, "growth of the load"),
    {0},
};
const ObjectType follow_facts_type =
    OBJECT_TYPE("Facts", "Facts about what follows a plan.", facts_fields);
#undef OWNER

static int64_t quota_of(const Scenario *scenario, const char *family, bool is_low_priority)
{
    for (int32_t i = 0; i < scenario->quota_count; i++)
        if (ascii_same(scenario->quotas[i].family, family)) {
            const int64_t vcpus = quota_vcpus(&scenario->quotas[i], is_low_priority);
            return vcpus < QUOTA_VCPUS_MOST ? vcpus : PLAIN_UNKNOWN;
        }
    return PLAIN_UNKNOWN;
}

const char *follow_kind_name(Arena *arena, const char *cluster, const ClusterSpec *spec,
                             int32_t kind)
{
    return spec->kind_count > 0
               ? arena_printf(arena, "%s.kinds.%s", cluster, spec->kinds[kind].name)
               : cluster;
}

static FollowCluster nodes_of_kind(Arena *arena, const Scenario *scenario, const char *cluster,
                                   NodeKind kind)
{
    const bool is_low = kind.is_low_priority;
    const int64_t price = node_kind_price(kind);
    return (FollowCluster){.name = cluster,
                           .vm_size = kind.vm_size->name,
                           .family = kind.vm_size->has_no_quota ? "" : kind.vm_size->family,
                           .priority = is_low ? "lowpriority" : "dedicated",
                           .price = kind.has_price
                                        ? arena_printf(arena, "%s/price_per_hour", cluster)
                                        : assumption_price(arena, kind),
                           .micro_usd_per_hour = price != PRICE_UNKNOWN ? price : 0,
                           .vcpus = kind.vm_size->vcpus,
                           .quota_vcpus = quota_of(scenario, kind.vm_size->family, is_low),
                           .total_vcpus = quota_of(scenario, FAMILY_OF_ALL, is_low)};
}

FollowPoint follow_point_of(Arena *arena, const Scenario *scenario, int32_t point)
{
    const Command *command;
    int64_t most = 1;
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;)
        most += cluster_spec_kind_count(command->as.cluster_create);
    FollowPoint found = {.point = point, .clusters = ARENA_ARRAY(arena, FollowCluster, most)};
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;) {
        const ClusterSpec *spec = command->as.cluster_create;
        for (int32_t k = 0; k < cluster_spec_kind_count(spec); k++)
            found.clusters[found.cluster_count++] =
                nodes_of_kind(arena, scenario, follow_kind_name(arena, command->path.name, spec, k),
                              cluster_spec_kind(spec, k));
    }
    return found;
}
