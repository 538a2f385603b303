/* Workspaces and experiments: names that the rest lies in. */
#include <string.h>

#include "emu/batchai/batchai.h"

/* Both are there at once: the service answered their PUT with 200. */
static void put_state(Emulator *emulator, const HttpRequest *request, Json *body,
                      const Record *record)
{
    const WorldResource resource = world_resource(session_world(emulator->session), record->row);
    Arena *arena = request->arena;
    Json *properties = json_put_object(arena, body, "properties");
    arm_put_text(arena, properties, "provisioningState",
                 provisioning_state_name(resource.provisioning));
    arm_put_time(emulator, arena, properties, "provisioningStateTransitionTime",
                 resource.provisioning_since_ns);
    arm_put_time(emulator, arena, properties, "creationTime", record->created_ns);
    if (request->method == HTTP_GET && resource.provisioning == PROVISIONING_DELETING)
        emulator_polled(emulator);
}

/* --- Workspaces --- */

Json *workspace_show(Emulator *emulator, const HttpRequest *request, const Record *workspace)
{
    Arena *arena = request->arena;
    Json *body = arm_resource(emulator, arena, workspace);
    arm_put_text(arena, body, "location", arm_location_of(emulator, workspace));
    arm_put(arena, body, "tags", arm_kept(arena, workspace->kept, "tags"));
    put_state(emulator, request, body, workspace);
    return body;
}

/* A workspace stays where it is; its tags may change. */
static void put_again(Emulator *emulator, const HttpRequest *request, Record *workspace,
                      const char *location, const Json *tags, HttpResponse *response)
{
    if (!tags || arm_keep(emulator, request, response, workspace,
                          arm_place_and_tags(request->arena, location, tags)))
        batchai_answer(emulator, request, workspace, workspace_show, response);
}

void workspaces_create(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    Arena *arena = request->arena;
    ResourcePath path = batchai_path(match);
    const Json *tags, *body = arm_body(request, response);
    if (!body || !arm_tags(request, response, body, &tags) ||
        !arm_name_is_fine(request, response, path.name) ||
        !arm_has_parents(emulator, request, response, &path))
        return;
    Record *workspace = session_find(emulator->session, RECORD_WORKSPACE, path);
    if (workspace && !batchai_is_kept(emulator, request, workspace, response))
        return;
    const char *place = arm_place(emulator, request, response, RECORD_WORKSPACE, body, workspace);
    if (!place)
        return;
    if (workspace)
        put_again(emulator, request, workspace, place, tags, response);
    else if (batchai_do(emulator, request, body,
                        batchai_command(arena, COMMAND_WORKSPACE_CREATE, path),
                        arm_place_and_tags(arena, place, tags), response))
        batchai_answer(emulator, request, session_find(emulator->session, RECORD_WORKSPACE, path),
                       workspace_show, response);
}

void workspaces_update(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    const ResourcePath path = batchai_path(match);
    const Json *tags, *body = arm_body(request, response);
    if (!body || !arm_tags(request, response, body, &tags))
        return;
    Record *workspace = session_find(emulator->session, RECORD_WORKSPACE, path);
    if (!workspace) {
        arm_find(emulator, request, response, RECORD_WORKSPACE, path);
        return;
    }
    if (!batchai_is_kept(emulator, request, workspace, response))
        return;
    const char *location = arm_kept_text(workspace, "location");
    if (!tags || arm_keep(emulator, request, response, workspace,
                          arm_place_and_tags(request->arena, location, tags)))
        batchai_answer(emulator, request, workspace, workspace_show, response);
}

void workspaces_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    const Record *workspace =
        arm_find(emulator, request, response, RECORD_WORKSPACE, batchai_path(match));
    if (workspace)
        batchai_answer(emulator, request, workspace, workspace_show, response);
}

void workspaces_delete(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    batchai_delete(emulator, request, RECORD_WORKSPACE, COMMAND_WORKSPACE_DELETE,
                   batchai_path(match), response);
}

void workspaces_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                     HttpResponse *response)
{
    (void)match;
    arm_list(emulator, request, response, RECORD_WORKSPACE, (ResourcePath){0}, workspace_show);
}

void workspaces_list_by_group(Emulator *emulator, const HttpRequest *request,
                              const RouteMatch *match, HttpResponse *response)
{
    ResourcePath scope = {.group = match->parts[1]};
    if (arm_has_parents(emulator, request, response, &scope))
        arm_list(emulator, request, response, RECORD_WORKSPACE, scope, workspace_show);
}

/* --- Experiments --- */

Json *experiment_show(Emulator *emulator, const HttpRequest *request, const Record *experiment)
{
    Json *body = arm_resource(emulator, request->arena, experiment);
    put_state(emulator, request, body, experiment);
    return body;
}

/* Without a body. */
void experiments_create(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    ResourcePath path = batchai_path(match);
    // The API has no body here; one that is sent says nothing, but has to be JSON.
    if (!arm_body(request, response) || !arm_name_is_fine(request, response, path.name) ||
        !arm_has_parents(emulator, request, response, &path))
        return;
    const Record *experiment = session_find(emulator->session, RECORD_EXPERIMENT, path);
    if (experiment ? batchai_is_kept(emulator, request, experiment, response)
                   : batchai_do(emulator, request, NULL,
                                batchai_command(request->arena, COMMAND_EXPERIMENT_CREATE, path),
                                NULL, response))
        batchai_answer(emulator, request, session_find(emulator->session, RECORD_EXPERIMENT, path),
                       experiment_show, response);
}

void experiments_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                     HttpResponse *response)
{
    const Record *experiment =
        arm_find(emulator, request, response, RECORD_EXPERIMENT, batchai_path(match));
    if (experiment)
        batchai_answer(emulator, request, experiment, experiment_show, response);
}

void experiments_delete(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    batchai_delete(emulator, request, RECORD_EXPERIMENT, COMMAND_EXPERIMENT_DELETE,
                   batchai_path(match), response);
}

void experiments_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                      HttpResponse *response)
{
    ResourcePath scope = {.group = match->parts[1], .workspace = match->parts[2]};
    if (arm_has_parents(emulator, request, response, &scope))
        arm_list(emulator, request, response, RECORD_EXPERIMENT, scope, experiment_show);
}
