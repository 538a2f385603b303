#include "sim/scenario/command/failures_read.h"

#include <string.h>

#include "sim/scenario/catalog/value.h"
#include "sim/scenario/command/commands.h"
#include "sim/schema/value.h"
#include "sim/schema/words.h"

/* --- Groups --- */

typedef struct {
    const CommandBinder *binder;
    const ConfigContext *context;
    const GroupText *group;
    GroupMember *members;
    int32_t count, capacity;
} Members;

static void member_problem(const Members *members, const Json *node, const char *problem,
                           const char *value)
{
    problems_add(members->context->problems, STATUS_BAD_INPUT, json_at(node), "group \"%s\": %s%s",
                 members->group->name.value != NULL ? members->group->name.value : "(unnamed)",
                 problem, value);
}

static bool overlap(GroupMember a, GroupMember b)
{
    return strcmp(a.cluster, b.cluster) == 0 && a.first <= b.last && b.first <= a.last;
}

static void add_member(Members *members, const Json *node, GroupMember member)
{
    for (int32_t i = 0; i < members->count; i++)
        if (overlap(members->members[i], member)) {
            member_problem(members, node, "places are listed twice in cluster ", member.cluster);
            return;
        }
    if (members->count == members->capacity) {
        members->capacity = members->capacity > 0 ? 2 * members->capacity : 4;
        GroupMember *larger = ARENA_ARRAY(members->context->arena, GroupMember, members->capacity);
        if (members->count > 0)
            memcpy(larger, members->members, (size_t)members->count * sizeof *larger);
        members->members = larger;
    }
    members->members[members->count++] = member;
}

static void add_cluster(Members *members, const Json *node, const char *name)
{
    ResourcePath path;
    if (command_subject(members->binder, COMMAND_CLUSTER_CREATE, name, json_at(node), &path))
        add_member(members, node,
                   (GroupMember){.cluster = path.name, .first = 1, .last = INT32_MAX});
}

/* "3" or "1-4" */
static bool range_read(const char *text, GroupMember *member)
{
    int64_t first, last;
    const char *dash = strchr(text, '-');
    char number[16];
    size_t length = dash != NULL ? (size_t)(dash - text) : strlen(text);
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    if (!whole_number_parse(number, INT32_MAX, &first) ||
        !whole_number_parse(dash != NULL ? dash + 1 : number, INT32_MAX, &last))
        return false;
    member->first = (int32_t)first;
    member->last = (int32_t)last;
    return first >= 1 && first <= last;
}

/* "1-4, 9" */
static void add_places(Members *members, const char *cluster)
{
    const Json *node = members->group->nodes.node;
    const char *text = members->group->nodes.value;
    do {
        GroupMember member = {.cluster = cluster};
        text += strspn(text, ", ");
        size_t length = strcspn(text, ", ");
        const char *range = arena_strndup(members->context->arena, text, length);
        if (!range_read(range, &member)) {
            member_problem(members, node, "nodes are places such as \"3\" or \"1-4\", not ", range);
            return;
        }
        add_member(members, node, member);
        text += length;
    } while (*text != '\0');
}

static void add_list(Members *members, const Json *list)
{
    if (list->kind != JSON_ARRAY || list->count == 0) {
        member_problem(members, list, "clusters is not a list of names", "");
        return;
    }
    for (const Json *item = list->first; item != NULL; item = item->next) {
        if (item->kind == JSON_STRING)
            add_cluster(members, item, item->text);
        else
            member_problem(members, item, "an item of \"clusters\" is not a name", "");
    }
}

static NodeGroup *group_read(const CommandBinder *binder, const GroupText *group)
{
    Members members = {.binder = binder, .context = binder->context, .group = group};
    bool has_cluster = group->cluster.node != NULL;
    if (has_cluster == (group->clusters != NULL))
        member_problem(&members, group->node, "it has either \"cluster\" or \"clusters\"", "");
    else if (!has_cluster && group->nodes.node != NULL)
        member_problem(&members, group->nodes.node, "\"nodes\" needs \"cluster\"", "");
    else if (!has_cluster)
        add_list(&members, group->clusters);
    else if (!group->cluster.is_refused && group->nodes.node == NULL)
        add_cluster(&members, group->cluster.node, group->cluster.value);
    else if (!group->cluster.is_refused && !group->nodes.is_refused) {
        ResourcePath path;
        if (command_subject(binder, COMMAND_CLUSTER_CREATE, group->cluster.value,
                            json_at(group->cluster.node), &path))
            add_places(&members, path.name);
    }
    NodeGroup *read = ARENA_NEW(binder->context->arena, NodeGroup);
    *read = (NodeGroup){
        .name = group->name.value, .member_count = members.count, .members = members.members};
    return read;
}

NodeGroups groups_read(const CommandBinder *binder)
{
    const ConfigContext *context = binder->context;
    const ScenarioText *text = binder->text;
    NodeGroups groups = {.is_refused = text->groups.is_refused,
                         .items =
                             ARENA_ARRAY(context->arena, const NodeGroup *, text->groups.count)};
    for (int32_t i = 0; i < text->groups.count; i++) {
        const GroupText *group = text->groups.items[i];
        if (group->name.value == NULL) {
            groups.is_refused = true;
            continue;
        }
        for (int32_t j = 0; j < groups.count; j++)
            if (strcmp(groups.items[j]->name, group->name.value) == 0)
                problems_add(context->problems, STATUS_BAD_INPUT, json_at(group->name.node),
                             "there are two groups \"%s\"", group->name.value);
        groups.items[groups.count++] = group_read(binder, group);
    }
    return groups;
}

const NodeGroup *groups_find(const ConfigContext *context, const NodeGroups *groups, BoundText name)
{
    if (name.value == NULL)
        return NULL;
    const char **names = ARENA_ARRAY(context->arena, const char *, groups->count);
    for (int32_t i = 0; i < groups->count; i++) {
        names[i] = groups->items[i]->name;
        if (strcmp(names[i], name.value) == 0)
            return groups->items[i];
    }
    if (groups->is_refused)
        return NULL;
    Status *problem = bind_unknown_name(context->problems, json_at(name.node), "group", name.value,
                                        names, groups->count);
    if (groups->count == 0)
        status_hint(problem, "the scenario has no \"groups\"");
    return NULL;
}

/* --- Failures --- */

static const FailureModel *find_model(const ConfigContext *context, BoundText name)
{
    if (name.value == NULL || context->catalog == NULL)
        return NULL;
    const FailureModel *model = catalog_failure_model(context->catalog, name.value);
    if (model != NULL)
        return model;
    config_unknown_entry(context, CATALOG_FAILURE_MODELS, "failure model", name);
    return NULL;
}

/* "by-family": the models of the catalogue's "preemptions". */
static void read_preemptions(const ConfigContext *context, BoundText text, Failures *failures)
{
    int32_t count;
    if (context->catalog == NULL)
        return;
    const char *const *families = catalog_names(context->catalog, CATALOG_PREEMPTIONS, &count);
    Preemption *preemptions = ARENA_ARRAY(context->arena, Preemption, count);
    for (int32_t i = 0; i < count; i++)
        preemptions[i] = *catalog_preemption(context->catalog, families[i]);
    failures->preemption_count = count;
    failures->preemptions = preemptions;
    if (catalog_preemption(context->catalog, FAMILY_NOT_LISTED) == NULL)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text.node),
                                 "\"" PREEMPTION_BY_FAMILY "\" needs \"preemptions\" with an entry "
                                 "\"*\" in the catalogue"),
                    "add \"catalog/failures.json\" to the scenario's \"catalog\"");
}

int64_t failures_ratio(const ConfigContext *context, const char *key, BoundText text,
                       int64_t least_ppm, int64_t most_ppm)
{
    int64_t ppm;
    Status status = {0};
    if (text.value == NULL || text.is_refused)
        return 0;
    if (!ratio_parse(text.value, json_at(text.node), &ppm, &status)) {
        problems_add_status(context->problems, &status);
        return 0;
    }
    if (ppm >= least_ppm && ppm <= most_ppm)
        return ppm;
    problems_add(context->problems, STATUS_BAD_INPUT, json_at(text.node),
                 "%s is %s, expected %s %d%%", key, text.value,
                 least_ppm > 0 ? "more than 0% and at most" : "0% to",
                 (int)(most_ppm / (PPM / 100)));
    return 0;
}

/* "0.5" or 0.5 */
static int64_t read_scale(const ConfigContext *context, const Json *scale)
{
    enum { SCALE_MOST = 1000 };
    int64_t ppm;
    Status status = {0};
    bool is_ratio =
        (scale->kind == JSON_STRING && ratio_parse(scale->text, json_at(scale), &ppm, &status)) ||
        (scale->kind == JSON_NUMBER && json_scaled(scale, 6, &ppm));
    if (is_ratio && ppm >= 0 && ppm <= SCALE_MOST * PPM)
        return ppm;
    status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(scale),
                             "scale is not a factor from 0 to %d", (int)SCALE_MOST),
                "0 switches all failures off, 1 is as modelled, \"0.5\" half as many");
    return 0;
}

static void read_groups(const ConfigContext *context, const BoundList *list,
                        const NodeGroups *groups, Failures *failures)
{
    const NodeGroup **members = ARENA_ARRAY(context->arena, const NodeGroup *, list->count);
    const FailureModel **models = ARENA_ARRAY(context->arena, const FailureModel *, list->count);
    failures->group_count = list->count;
    failures->groups = members;
    failures->group_models = models;
    for (int32_t i = 0; i < list->count; i++) {
        const GroupFailureText *text = list->items[i];
        members[i] = groups_find(context, groups, text->group);
        models[i] = find_model(context, text->model);
        for (int32_t j = 0; j < i; j++)
            if (members[i] != NULL && members[i] == members[j])
                problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->group.node),
                             "group \"%s\" has two failure models", text->group.value);
    }
}

/* Nodes that fail are repaired or replaced, and fail again. A run waits for nodes in repair, so
 * without "until" a run with many nodes would never end. */
static void check_end(const ConfigContext *context, const ScenarioText *text)
{
    const FailuresText *said = text->failures;
    const Json *process = said->nodes.node != NULL        ? said->nodes.node
                          : said->preemption.node != NULL ? said->preemption.node
                          : said->groups.count > 0        ? said->node
                                                          : NULL;
    if (process == NULL || text->until.node != NULL)
        return;
    status_hint(
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(process),
                     "failures never stop, and the scenario does not say when the run ends"),
        "add \"until\" to the scenario, such as \"until\": \"30d\"");
}

static int64_t read_chance(const ConfigContext *context, const char *key, BoundText text)
{
    return failures_ratio(context, key, text, 0, PPM);
}

/* The health checks, which expect failures of nodes. */
static void read_detection(const ConfigContext *context, const FailuresText *said,
                           Failures *failures)
{
    failures->detected_ppm = read_chance(context, "detected", said->detected);
    failures->warning_ns = said->warning.node != NULL ? said->warning.value : 0;
    if (failures->detected_ppm > 0 && said->warning.node == NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(said->detected.node),
                     "\"detected\" needs \"warning\", which is missing");
    if (said->warning.node != NULL && !said->warning.is_refused && failures->warning_ns == 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(said->warning.node),
                     "warning is 0; a health check finds signs some time before the failure");
    if (said->detected.node != NULL && said->nodes.node == NULL)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(said->detected.node),
                                 "\"detected\" needs \"nodes\", the model of the failures"),
                    "health checks expect failures of single nodes, not of groups");
}

Failures failures_read(const ConfigContext *context, const ScenarioText *text,
                       const NodeGroups *groups)
{
    Failures failures = {.rate_ppm = PPM, .slow_node_speed_ppm = PPM};
    const FailuresText *said = text->failures;
    if (said == NULL || said->node == NULL)
        return failures;
    failures.rate_ppm = read_scale(context, said->scale);
    failures.nodes = find_model(context, said->nodes);
    if (failures_are_by_family(said))
        read_preemptions(context, said->preemption, &failures);
    else
        failures.preemption = find_model(context, said->preemption);
    read_groups(context, &said->groups, groups, &failures);
    if (failures.rate_ppm > 0)
        check_end(context, text);
    failures.repair_crews = (int32_t)said->crews.value;
    failures.allocation_ppm = read_chance(context, "allocation", said->allocation);
    failures.preparation_ppm = read_chance(context, "preparation", said->preparation);
    failures.setup_ppm = read_chance(context, "setup", said->setup);
    failures.mount_ppm = read_chance(context, "mount", said->mount);
    failures.container_ppm = read_chance(context, "container", said->container);
    failures.file_server_ppm = read_chance(context, "file_server", said->file_server);
    failures.slow_node_ppm = read_chance(context, "slow_nodes", said->slow_nodes);
    read_detection(context, said, &failures);
    bool has_speed = said->slow_node_speed.node != NULL;
    if (has_speed)
        failures.slow_node_speed_ppm = failures_ratio(
            context, "slow_node_speed", said->slow_node_speed, 1, NODE_SPEED_MOST_PPM);
    else if (failures.slow_node_ppm > 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(said->slow_nodes.node),
                     "\"slow_nodes\" needs \"slow_node_speed\", which is missing");
    return failures;
}
