#include "emu/batchai/cluster.h"

#include <string.h>

#include "emu/arm/id.h"
#include "emu/batchai/batchai.h"
#include "emu/batchai/file_server.h"
#include "emu/batchai/operations.h"
#include "sim/output/share/az_tables.h"
#include "sim/scenario/config/cluster_config.h"

static const Cluster *cluster_of(const ArmCall *call, const Record *record)
{
    return world_cluster(session_world(call->session), record->cluster);
}

/* --- Bodies --- */

/* Same order as in the service's answers. */
static Json *node_counts(Arena *arena, const Cluster *cluster)
{
    static const struct {
        const char *key;
        NodeState state;
    } counts[] = {
        {"runningNodeCount", NODE_RUNNING},   {"idleNodeCount", NODE_IDLE},
        {"unusableNodeCount", NODE_UNUSABLE}, {"preparingNodeCount", NODE_PREPARING},
        {"leavingNodeCount", NODE_LEAVING},
    };
    Json *body = json_object(arena);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_put_integer(arena, body, counts[i].key, cluster->node_count[counts[i].state]);
    return body;
}

/* The present settings, which autoscale or a resize may have changed. */
static Json *scale_settings(Arena *arena, const Cluster *cluster)
{
    Json *body = json_object(arena);
    if (cluster->is_automatic) {
        Json *automatic = json_put_object(arena, body, "autoScale");
        json_put_integer(arena, automatic, "minimumNodeCount",
                         cluster_limit(cluster, cluster->minimum_nodes));
        json_put_integer(arena, automatic, "maximumNodeCount",
                         cluster_limit(cluster, cluster->maximum_nodes));
        json_put_integer(arena, automatic, "initialNodeCount",
                         cluster->spec->is_automatic ? cluster->spec->target_nodes : 0);
        return body;
    }
    Json *manual = json_put_object(arena, body, "manual");
    json_put_integer(arena, manual, "targetNodeCount", cluster->target_nodes);
    json_put_text(arena, manual, "nodeDeallocationOption",
                  deallocation_words[cluster->deallocation]);
    return body;
}

/* The image that was requested, or the service's default. */
static Json *machine(Arena *arena, const Json *kept)
{
    Json *body = arm_kept(arena, kept, "virtualMachineConfiguration");
    if (!body)
        body = json_object(arena);
    Json *image = json_member(body, "imageReference");
    if (!image) {
        image = json_put_object(arena, body, "imageReference");
        json_put_text(arena, image, "publisher", "Canonical");
        json_put_text(arena, image, "offer", "UbuntuServer");
        json_put_text(arena, image, "sku", "16.04-LTS");
    }
    if (!json_member(image, "version"))
        json_put_text(arena, image, "version", "latest");
    return body;
}

static Json *user_account(Arena *arena, const Cluster *cluster, const Json *kept)
{
    Json *account = arm_kept(arena, kept, "userAccountSettings");
    if (account || !cluster->spec->admin_user)
        return account;
    account = json_object(arena);
    json_put_text(arena, account, "adminUserName", cluster->spec->admin_user);
    return account;
}

static Json *node_setup(const ArmCall *call, const Record *record)
{
    Arena *arena = call->arena;
    Json *setup = arm_kept(arena, record_kept(record), "nodeSetup");
    Json *task = json_member(setup, "setupTask");
    if (task)
        json_put_text(arena, task, "stdOutErrPathSuffix",
                      cluster_output_segment(session_scenario(call->session),
                                             cluster_of(call, record), arena));
    return setup;
}

static void add_error(Arena *arena, Json *errors, const char *code, const char *message,
                      const char *node)
{
    Json *error = json_add(errors, json_object(arena));
    json_put_text(arena, error, "code", code);
    json_put_text(arena, error, "message", message);
    if (!node)
        return;
    Json *details = json_put_array(arena, error, "details");
    Json *detail = json_add(details, json_object(arena));
    json_put_text(arena, detail, "name", "NodeId");
    json_put_text(arena, detail, "value", node);
}

/* NULL if there are no errors. */
static Json *errors_of(const ArmCall *call, const Cluster *cluster)
{
    Arena *arena = call->arena;
    if (!cluster->error_code && cluster->node_count[NODE_UNUSABLE] == 0)
        return NULL;
    Json *errors = json_array(arena);
    if (cluster->error_code)
        add_error(arena, errors, cluster->error_code, cluster->error_message, NULL);
    for (int32_t i = 0; i < cluster->place_count; i++) {
        if (cluster->nodes[i].index == ID_NONE)
            continue;
        const Node *node = world_node(session_world(call->session), cluster->nodes[i]);
        if (node->state == NODE_UNUSABLE && node->failure)
            add_error(arena, errors, node->failure->code ? node->failure->code : "InternalError",
                      node->failure->reason, node->name);
    }
    return errors;
}

static bool is_settled(const Cluster *cluster)
{
    return cluster->provisioning == PROVISIONING_SUCCEEDED &&
           cluster->allocation == ALLOCATION_STEADY && cluster->node_count[NODE_PREPARING] == 0 &&
           cluster->node_count[NODE_LEAVING] == 0;
}

Json *cluster_show(const ArmCall *call, const Record *record)
{
    Arena *arena = call->arena;
    const Cluster *cluster = cluster_of(call, record);
    const Json *kept = record_kept(record);
    Json *body = arm_resource(call, record);
    Json *properties = json_put_object(arena, body, "properties");
    json_put_text(arena, properties, "provisioningState",
                  provisioning_state_name(cluster->provisioning));
    json_put_text(arena, properties, "allocationState", allocation_state_name(cluster->allocation));
    arm_put_time(call, properties, "creationTime", cluster->created_ns);
    arm_put_time(call, properties, "allocationStateTransitionTime", cluster->allocation_since_ns);
    arm_put_time(call, properties, "provisioningStateTransitionTime",
                 cluster->provisioning_since_ns);
    json_put_text(arena, properties, "vmSize",
                  vm_size_in_capitals(arena, cluster->spec->vm_size->name));
    json_put_integer(arena, properties, "currentNodeCount", cluster->current_nodes);
    json_set(arena, properties, "nodeStateCounts", node_counts(arena, cluster));
    json_put_text(arena, properties, "vmPriority",
                  cluster->spec->is_low_priority ? "lowpriority" : "dedicated");
    json_set(arena, properties, "scaleSettings", scale_settings(arena, cluster));
    json_set(arena, properties, "virtualMachineConfiguration", machine(arena, kept));
    json_put(arena, properties, "userAccountSettings", user_account(arena, cluster, kept));
    json_put(arena, properties, "nodeSetup", node_setup(call, record));
    arm_put_kept(arena, properties, kept, "subnet");
    json_put(arena, properties, "errors", errors_of(call, cluster));
    if (call->request->method == HTTP_GET && !is_settled(cluster))
        pace_polled(call->arm->pace);
    else if (call->request->method == HTTP_GET && cluster->is_tick_due)
        pace_looked(call->arm->pace, session_sequence(call->session));
    return body;
}

/* --- Requests --- */

/* Returns the subnet in `asked`, or else the subnet of a mounted file server, where the service put
 * the nodes. An existing cluster (`old`, may be NULL) keeps its subnet. NULL if there is none. */
static Json *subnet(const ArmCall *call, const Json *asked, const Record *old)
{
    Arena *arena = call->arena;
    const Json *mounts = json_member(json_member(asked, "nodeSetup"), "mountVolumes");
    Json *own = arm_kept(arena, asked, "subnet");
    if (own)
        return own;
    return old ? arm_kept(arena, record_kept(old), "subnet") : batchai_mounted_subnet(call, mounts);
}

static Json *no_nodes(Arena *arena)
{
    Json *scale = json_object(arena);
    Json *manual = json_put_object(arena, scale, "manual");
    json_put_integer(arena, manual, "targetNodeCount", 0);
    return scale;
}

/* Returns the properties to keep for a body. They include the service's defaults, so that two equal
 * requests give equal properties. `old` as above. */
static Json *kept_cluster(const ArmCall *call, const Json *asked, const Record *old)
{
    Arena *arena = call->arena;
    Json *kept = batchai_echo(arena, &cluster_type, asked);
    batchai_fill_vm_size(call, kept);
    if (!json_member(kept, "scaleSettings"))
        json_set(arena, kept, "scaleSettings", no_nodes(arena));
    json_set(arena, kept, "virtualMachineConfiguration", machine(arena, kept));
    batchai_fill_mounts(call, json_member(json_member(kept, "nodeSetup"), "mountVolumes"));
    json_put(arena, kept, "subnet", subnet(call, kept, old));
    return batchai_echo(arena, &cluster_type, kept); // in the order of the type
}

/* The service refused clusters without a user who could log in; az does too. */
static bool has_user(const ArmCall *call, const ClusterText *text)
{
    return (text->user && (text->user->public_key.value || text->user->password.value)) ||
           arm_error(call, AZURE_ARM_INVALID_CONTENT,
                     "properties.userAccountSettings: expected adminUserName, and "
                     "adminUserSshPublicKey or adminUserPassword");
}

void clusters_create(const ArmCall *call)
{
    Arena *arena = call->arena;
    ResourcePath path = batchai_path(call);
    const Json *body;
    const ClusterText *text = batchai_properties(call, RECORD_CLUSTER, &cluster_type, &body);
    if (!text || !arm_has_parents(call, &path))
        return;
    const Record *record = session_find(call->session, RECORD_CLUSTER, path);
    Json *kept = kept_cluster(call, text->node, record);
    if (record) {
        batchai_exists(call, record, &cluster_type, kept, cluster_show);
        return;
    }
    const SetupTaskText *task = text->setup ? text->setup->setup_task : NULL;
    if (!has_user(call, text) || (task && !batchai_has_secrets(call, &task->secrets, body)) ||
        !batchai_has_file_servers(call, text->setup ? text->setup->mounts : NULL, body))
        return;
    Json *command = session_command_about(arena, COMMAND_CLUSTER_CREATE, path);
    Json *config = json_put_object(arena, command, "config");
    json_set(arena, config, "properties", kept);
    if (task)
        batchai_put_secrets(arena, (Json *)json_find(kept, "/nodeSetup/setupTask/secrets"),
                            &task->secrets);
    if (arm_do(call, body, command, NULL))
        operation_answer(call, OPERATION_CREATE, session_find(call->session, RECORD_CLUSTER, path));
}

typedef struct {
    const Json *node;
    ScaleSettingsText *scale;
} UpdateText;

#define OWNER UpdateText
static const Field update_fields[] = {
    FIELD_OBJECT("scaleSettings", scale, scale_settings_type, "how many nodes"),
    {0},
};
#undef OWNER
static const ObjectType update_type = {"ClusterUpdate", "What can be changed of a cluster.",
                                       sizeof(UpdateText), update_fields};

/* The values keep their places in the body for error messages. */
static Json *scale_command(Arena *arena, ResourcePath path, const ScaleSettingsText *scale)
{
    const bool is_manual = scale->manual != NULL;
    Json *command = session_command_about(
        arena, is_manual ? COMMAND_CLUSTER_RESIZE : COMMAND_CLUSTER_AUTOSCALE, path);
    if (is_manual) {
        json_set(arena, command, "target", json_copy(arena, scale->manual->target.node, NULL));
        json_put_text(arena, command, "deallocation",
                      deallocation_words[scale->manual->deallocation.value]);
        return command;
    }
    json_set(arena, command, "minimum", json_copy(arena, scale->automatic->minimum.node, NULL));
    json_set(arena, command, "maximum", json_copy(arena, scale->automatic->maximum.node, NULL));
    return command;
}

/* Checks the initial number of nodes too, which no command contains. */
static bool has_possible_scale(const ArmCall *call, const ScaleSettingsText *scale,
                               const Json *body)
{
    Problems problems = problems_create(call->arena);
    if (scale->automatic)
        cluster_check_limits(&problems, scale->automatic);
    if (problems.count == 0)
        return true;
    arm_refusal(call, body, &problems);
    return false;
}

/* Returns `asked` without the members that equal those of `shown`: only scaleSettings can change,
 * but a client may send a whole cluster. */
static const Json *changes(Arena *arena, const Json *asked, const Json *shown)
{
    Json *changed = json_copy_empty(arena, asked);
    for (const Json *member = asked->first; member; member = member->next)
        if (field_find(&update_type, member->key) != NULL ||
            !batchai_is_same(member, json_member(shown, member->key)))
            json_set(arena, changed, member->key, json_copy(arena, member, NULL))->key_at =
                member->key_at;
    return changed;
}

/* Returns the present settings with the requested initial number of nodes. That number has no
 * effect after the creation, so only this answer contains it. */
static Json *new_settings(Arena *arena, const Cluster *cluster, const ScaleSettingsText *asked)
{
    Json *settings = scale_settings(arena, cluster);
    Json *automatic = json_member(settings, "autoScale");
    if (automatic && asked->automatic && asked->automatic->initial.node)
        json_put_integer(arena, automatic, "initialNodeCount", asked->automatic->initial.value);
    return settings;
}

/* As recorded: the body has the new settings, but the states and counts from before the change. */
void clusters_update(const ArmCall *call)
{
    Arena *arena = call->arena;
    const Json *body;
    const Json *asked = batchai_asked(call, RECORD_CLUSTER, &body);
    const Record *record = asked ? arm_find(call, RECORD_CLUSTER, batchai_path(call)) : NULL;
    if (!record)
        return;
    Json *answer = cluster_show(call, record);
    const UpdateText *text = batchai_bind(
        call, changes(arena, asked, json_member(answer, "properties")), &update_type, body);
    if (!text)
        return;
    if (!text->scale) { // the API's document does not require scaleSettings
        batchai_answer(call, record, cluster_show);
        return;
    }
    if (!text->scale->manual == !text->scale->automatic) {
        arm_error(call, AZURE_ARM_INVALID_CONTENT,
                  "properties.scaleSettings: expected one of \"manual\" and \"autoScale\"");
        return;
    }
    if (!has_possible_scale(call, text->scale, body))
        return;
    if (!arm_do(call, body, scale_command(arena, record->path, text->scale), NULL))
        return;
    json_set(arena, json_member(answer, "properties"), "scaleSettings",
             new_settings(arena, cluster_of(call, record), text->scale));
    arm_stamp(call, record);
    arm_answer(call, 200, answer);
}

void clusters_get(const ArmCall *call)
{
    const Record *record = arm_find(call, RECORD_CLUSTER, batchai_path(call));
    if (record)
        batchai_answer(call, record, cluster_show);
}

void clusters_delete(const ArmCall *call)
{
    batchai_delete(call, RECORD_CLUSTER, COMMAND_CLUSTER_DELETE, batchai_path(call));
}

void clusters_list(const ArmCall *call)
{
    ResourcePath scope = {.group = call->match.parts[1], .workspace = call->match.parts[2]};
    if (arm_has_parents(call, &scope))
        arm_list(call, RECORD_CLUSTER, scope, cluster_show);
}

void clusters_list_logins(const ArmCall *call)
{
    const Record *record = arm_find(call, RECORD_CLUSTER, batchai_path(call));
    if (!record)
        return;
    const Cluster *cluster = cluster_of(call, record);
    batchai_answer_logins(call, cluster->nodes, cluster->place_count);
}
