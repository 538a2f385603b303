#include "emu/batchai/workspace.h"

#include <string.h>

#include "emu/arm/location.h"
#include "emu/batchai/batchai.h"

/* Workspaces and experiments exist at once: the service answered their PUT with 200. */
static void put_state(const ArmCall *call, Json *body, const Record *record)
{
    const WorldResource resource = world_resource(session_world(call->session), record->row);
    Arena *arena = call->arena;
    Json *properties = json_put_object(arena, body, "properties");
    json_put_text(arena, properties, "provisioningState",
                  provisioning_state_name(resource.provisioning));
    arm_put_time(call, properties, "provisioningStateTransitionTime",
                 resource.provisioning_since_ns);
    arm_put_time(call, properties, "creationTime", record->created_ns);
    if (call->request->method == HTTP_GET && resource.provisioning == PROVISIONING_DELETING)
        pace_polled(call->arm->pace);
}

/* --- Workspaces --- */

static Json *workspace_show(const ArmCall *call, const Record *workspace)
{
    Arena *arena = call->arena;
    Json *body = arm_resource(call, workspace);
    json_put_text(arena, body, "location", arm_location_of(call, workspace));
    arm_put_kept(arena, body, record_kept(workspace), "tags");
    put_state(call, body, workspace);
    return body;
}

/* A workspace keeps its location; its tags may change. */
static void put_again(const ArmCall *call, Record *workspace, const char *location,
                      const Json *tags)
{
    if (!tags || arm_keep(call, workspace, arm_place_and_tags(call->arena, location, tags)))
        batchai_answer(call, workspace, workspace_show);
}

void workspaces_create(const ArmCall *call)
{
    Arena *arena = call->arena;
    ResourcePath path = batchai_path(call);
    const Json *tags, *body = arm_body(call);
    if (!body || !arm_tags(call, body, &tags) || !arm_name_is_fine(call, path.name) ||
        !arm_has_parents(call, &path))
        return;
    Record *workspace = session_find(call->session, RECORD_WORKSPACE, path);
    if (workspace && !batchai_is_kept(call, workspace))
        return;
    const char *place = arm_place(call, RECORD_WORKSPACE, body, workspace);
    if (!place)
        return;
    if (workspace)
        put_again(call, workspace, place, tags);
    else if (arm_do(call, body, session_command_about(arena, COMMAND_WORKSPACE_CREATE, path),
                    arm_place_and_tags(arena, place, tags)))
        batchai_answer(call, session_find(call->session, RECORD_WORKSPACE, path), workspace_show);
}

void workspaces_update(const ArmCall *call)
{
    const ResourcePath path = batchai_path(call);
    const Json *tags, *body = arm_body(call);
    if (!body || !arm_tags(call, body, &tags))
        return;
    Record *workspace = session_find(call->session, RECORD_WORKSPACE, path);
    if (!workspace) {
        arm_find(call, RECORD_WORKSPACE, path);
        return;
    }
    if (!batchai_is_kept(call, workspace))
        return;
    const char *location = arm_kept_text(workspace, "location");
    put_again(call, workspace, location, tags);
}

void workspaces_get(const ArmCall *call)
{
    const Record *workspace = arm_find(call, RECORD_WORKSPACE, batchai_path(call));
    if (workspace)
        batchai_answer(call, workspace, workspace_show);
}

void workspaces_delete(const ArmCall *call)
{
    batchai_delete(call, RECORD_WORKSPACE, COMMAND_WORKSPACE_DELETE, batchai_path(call));
}

void workspaces_list(const ArmCall *call)
{
    arm_list(call, RECORD_WORKSPACE, (ResourcePath){0}, workspace_show);
}

void workspaces_list_by_group(const ArmCall *call)
{
    ResourcePath scope = {.group = call->match.parts[1]};
    if (arm_has_parents(call, &scope))
        arm_list(call, RECORD_WORKSPACE, scope, workspace_show);
}

/* --- Experiments --- */

static Json *experiment_show(const ArmCall *call, const Record *experiment)
{
    Json *body = arm_resource(call, experiment);
    put_state(call, body, experiment);
    return body;
}

/* A PUT without a body. */
void experiments_create(const ArmCall *call)
{
    ResourcePath path = batchai_path(call);
    // The API defines no body. A body is ignored, but must be JSON.
    if (!arm_body(call) || !arm_name_is_fine(call, path.name) || !arm_has_parents(call, &path))
        return;
    const Record *experiment = session_find(call->session, RECORD_EXPERIMENT, path);
    if (experiment
            ? batchai_is_kept(call, experiment)
            : arm_do(call, NULL,
                     session_command_about(call->arena, COMMAND_EXPERIMENT_CREATE, path), NULL))
        batchai_answer(call, session_find(call->session, RECORD_EXPERIMENT, path), experiment_show);
}

void experiments_get(const ArmCall *call)
{
    const Record *experiment = arm_find(call, RECORD_EXPERIMENT, batchai_path(call));
    if (experiment)
        batchai_answer(call, experiment, experiment_show);
}

void experiments_delete(const ArmCall *call)
{
    batchai_delete(call, RECORD_EXPERIMENT, COMMAND_EXPERIMENT_DELETE, batchai_path(call));
}

void experiments_list(const ArmCall *call)
{
    ResourcePath scope = {.group = call->match.parts[1], .workspace = call->match.parts[2]};
    if (arm_has_parents(call, &scope))
        arm_list(call, RECORD_EXPERIMENT, scope, experiment_show);
}
