#include "emu/batchai/operations.h"

#include "emu/arm/call.h"
#include "emu/arm/id.h"
#include "emu/arm/location.h"
#include "emu/arm/resource.h"
#include "emu/batchai/cluster.h"
#include "emu/batchai/file_server.h"
#include "emu/batchai/job.h"
#include "sim/base/units.h"

/* The location of a resource's workspace. */
static const char *location_of(const ArmCall *call, const Record *record)
{
    const ResourcePath path = {.group = record->path.group, .name = record->path.workspace};
    const Record *workspace = record->kind == RECORD_WORKSPACE
                                  ? record
                                  : session_find(call->session, RECORD_WORKSPACE, path);
    return workspace ? arm_location_of(call, workspace) : session_scenario(call->session)->region;
}

void operation_answer(const ArmCall *call, OperationKind kind, const Record *record)
{
    static const struct {
        const char *header, *folder;
    } places[] = {
        {"Azure-AsyncOperation", "operationresults"},
        {"Location", "operationstatuses"},
    };
    Arena *arena = call->arena;
    const char *id = operation_id(call, kind, record);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        http_set(
            call->response, places[i].header,
            arm_url(call,
                    arena_printf(
                        arena,
                        "/subscriptions/%s/providers/Microsoft.BatchAI/locations/%s/"
                        "%s/%s?api-version=%s",
                        session_subscription(call->session),
                        http_encode(arena, location_of(call, record), ""), places[i].folder, id,
                        http_encode(arena, http_query(call->request, "api-version"), ""))));
    // The service sent no Retry-After; clients then wait half a minute before each poll.
    http_set(call->response, "Retry-After", "1");
    call->response->status = 202;
}

/* Reads the operation in the request's path. `is_known` is false after answering 404. */
static Operation find(const ArmCall *call)
{
    const Operation operation = operation_read(call, call->match.parts[2]);
    if (!operation.is_known) {
        arm_error(call, AZURE_ARM_NO_OPERATION, call->match.parts[2]);
    } else if (operation.state == OPERATION_IN_PROGRESS) {
        pace_polled(call->arm->pace);
        http_set(call->response, "Retry-After", "1");
    }
    return operation;
}

/* Not an id of the Resource Manager: names joined by dollar signs. */
static const char *resource_id(const ArmCall *call, ResourcePath path)
{
    Arena *arena = call->arena;
    const char *const names[] = {path.group, path.workspace, path.experiment, path.name};
    const char *id = session_subscription(call->session);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            id = arena_printf(arena, "%s$%s", id, names[i]);
    return id;
}

static void put_error(Arena *arena, Json *body, const Operation *operation)
{
    const AzureErrorRow *row =
        azure_error(operation->state == OPERATION_FAILED ? AZURE_BATCHAI_FILE_SERVER_FAILED
                                                         : AZURE_BATCHAI_OPERATION_CANCELED);
    Json *error = json_put_object(arena, body, "error");
    json_put_text(arena, error, "code", row->code);
    json_put_text(arena, error, "message", row->message);
}

/* The service recorded an operation separately from its resource, by a clock with 64 ticks a
 * second. In the recorded creations the operation began 15 or 16 ms after the resource (once at the
 * same time), and ended 15 or 16 ms after it. */
static int64_t lateness_ns(OperationKind kind)
{
    return kind == OPERATION_CREATE ? NS_PER_S / 64 : 0;
}

void operations_result(const ArmCall *call)
{
    static const char *const words[] = {"InProgress", "Succeeded", "Failed", "Canceled"};
    Arena *arena = call->arena;
    const Operation operation = find(call);
    if (!operation.is_known)
        return;
    const int64_t late_ns = lateness_ns(operation.kind);
    Json *body = json_object(arena);
    json_put_text(arena, body, "id", arm_url(call, call->request->target));
    json_put_text(arena, body, "name", call->match.parts[2]);
    json_put_text(arena, body, "status", words[operation.state]);
    arm_put_time(call, body, "startTime", operation.start_ms * NS_PER_MS + late_ns);
    if (operation.state != OPERATION_IN_PROGRESS) {
        arm_put_time(call, body, "endTime", operation.end_ns + late_ns);
        Json *properties = json_put_object(arena, body, "properties");
        json_put_text(arena, properties, "resourceId", resource_id(call, operation.path));
    }
    if (operation.state == OPERATION_FAILED || operation.state == OPERATION_CANCELED)
        put_error(arena, body, &operation);
    arm_answer(call, 200, body);
}

/* Returns the resource that a creation has made; NULL if it has been deleted. */
static Json *made(const ArmCall *call, const Operation *operation)
{
    static ArmShow *const shows[RECORD_KIND_COUNT] = {[RECORD_CLUSTER] = cluster_show,
                                                      [RECORD_JOB] = job_show,
                                                      [RECORD_FILE_SERVER] = file_server_show};
    const Record *record = session_find(call->session, operation->what, operation->path);
    ArmShow *show = shows[operation->what];
    return show && record && record->row == operation->row ? show(call, record) : NULL;
}

void operations_status(const ArmCall *call)
{
    const Operation operation = find(call);
    if (!operation.is_known)
        return;
    Arena *arena = call->arena;
    if (operation.state == OPERATION_IN_PROGRESS) {
        http_set(call->response, "Location",
                 arm_url(call, arena_printf(arena, "%s?%s", call->request->target,
                                            call->request->query_text)));
        call->response->status = 202;
        return;
    }
    if (operation.state != OPERATION_SUCCEEDED) {
        Json *body = json_object(arena);
        put_error(arena, body, &operation);
        arm_answer(call, 409, body);
        return;
    }
    Json *body = operation.kind == OPERATION_CREATE ? made(call, &operation) : NULL;
    call->response->status = 200;
    if (body)
        arm_answer(call, 200, body);
}
