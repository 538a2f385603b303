#include "emu/batchai/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emu/batchai/batchai.h"
#include "sim/base/ascii.h"
#include "sim/base/units.h"

/* --- Ids ---
 *
 * A GUID of version 4 has 122 free bits: 60 before the variant, 62 behind. Here they are
 *
 *     row in the world (32), start in ms (44),      under a mask drawn for the check sum
 *     what (3), which operation (2)
 *     check sum (41)                                of the four
 */

enum { ROW_BITS = 32, START_BITS = 44, CHECK_BITS = 41, LOW_START_BITS = 16 };
_Static_assert(RECORD_KIND_COUNT <= 8, "three bits");

#define MASK(bits) ((UINT64_C(1) << (bits)) - 1)

typedef struct {
    uint64_t row, start_ms, what, kind;
} Meaning;

typedef struct {
    uint64_t high, low;
} Halves;

/* 60 and 62 bits of a GUID's; false when it is none of version 4. */
static bool read_guid(const char *text, Halves *halves)
{
    uint64_t words[2] = {0};
    int digits = 0;
    if (strlen(text) != GUID_TEXT - 1)
        return false;
    for (int i = 0; i < GUID_TEXT - 1; i++) {
        const int value = ascii_hex_value(text[i]);
        const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_hyphen ? text[i] != '-' : value < 0)
            return false;
        if (is_hyphen || digits++ == 12) // the version stands in the 13th digit
            continue;
        words[digits > 16] = words[digits > 16] << 4 | (uint64_t)value;
    }
    *halves = (Halves){words[0] & MASK(60), words[1] & MASK(62)};
    return text[14] == '4' && strchr("89abAB", text[19]);
}

static const char *print_guid(Arena *arena, Halves halves)
{
    return arena_printf(arena,
                        "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
                        halves.high >> 28, halves.high >> 12 & 0xffff, halves.high & 0xfff,
                        halves.low >> 48 | 0x8000, halves.low & MASK(48));
}

static Halves drawn(const Emulator *emulator, const char *purpose, uint64_t number)
{
    char guid[GUID_TEXT];
    Halves halves = {0};
    session_guid(emulator->session, purpose, number, guid);
    guid[14] = '4'; // whatever version it says
    guid[19] = '8';
    (void)read_guid(guid, &halves);
    return halves;
}

static uint64_t check_of(const Emulator *emulator, Meaning meaning)
{
    // Numbers of GUIDs have 48 bits; what falls together here is told apart by the mask alone.
    const uint64_t number =
        meaning.start_ms ^ meaning.row << 16 ^ meaning.what << 45 ^ meaning.kind << 43;
    return drawn(emulator, "operation", number & MASK(48)).low & MASK(CHECK_BITS);
}

/* Puts the mask on, or takes it off. */
static Halves masked(const Emulator *emulator, Halves halves)
{
    const Halves mask = drawn(emulator, "operation mask", halves.low & MASK(CHECK_BITS));
    return (Halves){halves.high ^ mask.high, halves.low ^ (mask.low & ~MASK(CHECK_BITS))};
}

const char *operation_id(const Emulator *emulator, Arena *arena, OperationKind kind,
                         const Record *record)
{
    const Meaning meaning = {.row = record->row,
                             .start_ms = (uint64_t)session_now_ns(emulator->session) / NS_PER_MS &
                                         MASK(START_BITS),
                             .what = (uint64_t)record->kind,
                             .kind = (uint64_t)kind};
    const Halves halves = {
        .high = meaning.row << (START_BITS - LOW_START_BITS) | meaning.start_ms >> LOW_START_BITS,
        .low = (meaning.start_ms & MASK(LOW_START_BITS)) << (CHECK_BITS + 5) |
               meaning.what << (CHECK_BITS + 2) | meaning.kind << CHECK_BITS |
               check_of(emulator, meaning),
    };
    return print_guid(arena, masked(emulator, halves));
}

static bool read_id(const Emulator *emulator, const char *id, Meaning *meaning)
{
    Halves halves;
    if (!read_guid(id, &halves))
        return false;
    halves = masked(emulator, halves);
    meaning->row = halves.high >> (START_BITS - LOW_START_BITS);
    meaning->start_ms = (halves.high & MASK(START_BITS - LOW_START_BITS)) << LOW_START_BITS |
                        (halves.low >> (CHECK_BITS + 5) & MASK(LOW_START_BITS));
    meaning->what = halves.low >> (CHECK_BITS + 2) & 7;
    meaning->kind = halves.low >> CHECK_BITS & 3;
    return meaning->kind <= OPERATION_TERMINATE &&
           check_of(emulator, *meaning) == (halves.low & MASK(CHECK_BITS));
}

/* --- States --- */

static void ends(Operation *operation, OperationState state, int64_t at_ns)
{
    operation->state = state;
    operation->end_ns = at_ns;
}

static void look(Operation *operation, ProvisioningState provisioning, int64_t since_ns,
                 int64_t recorded_ns)
{
    if (operation->kind == OPERATION_CREATE) {
        if (recorded_ns != INT64_MAX)
            ends(operation, OPERATION_SUCCEEDED, recorded_ns);
        else if (provisioning >= PROVISIONING_DELETING)
            ends(operation, OPERATION_CANCELED, since_ns);
    } else if (operation->kind == OPERATION_DELETE && provisioning == PROVISIONING_DELETED) {
        ends(operation, OPERATION_SUCCEEDED, since_ns);
    }
}

static void look_at_cluster(const World *world, Operation *operation)
{
    const Cluster *cluster = world_cluster(world, (ClusterId){operation->row});
    operation->path = cluster->path;
    look(operation, cluster->provisioning, cluster->provisioning_since_ns, cluster->recorded_ns);
}

static void look_at_job(const World *world, Operation *operation)
{
    const Job *job = world_job(world, (JobId){operation->row});
    operation->path = job->path;
    look(operation, job->provisioning, job->provisioning_since_ns, job->recorded_ns);
    if (operation->kind == OPERATION_TERMINATE && job->ended_ns != INT64_MAX)
        ends(operation, OPERATION_SUCCEEDED, job->ended_ns);
}

static void look_at_file_server(const World *world, Operation *operation)
{
    const FileServer *server = world_file_server(world, operation->row);
    operation->path = server->path;
    look(operation, server->provisioning, server->provisioning_since_ns, server->recorded_ns);
    const bool has_failed = server->recorded_ns != INT64_MAX && // its bill ended at once
                            server->gone_ns == server->recorded_ns;
    if (operation->kind == OPERATION_CREATE && has_failed)
        operation->state = OPERATION_FAILED;
}

static void look_at_resource(const World *world, Operation *operation)
{
    const WorldResource resource = world_resource(world, operation->row);
    operation->path = resource.path;
    look(operation, resource.provisioning, resource.provisioning_since_ns, resource.created_ns);
}

/* --- From an id to what it stands for --- */

static const struct {
    uint32_t (*count)(
        const World *world); /* rows of that kind; NULL: nothing there takes a while */
    void (*look)(const World *world, Operation *operation);
} kinds[] = {
    [RECORD_GROUP] = {world_resource_count, look_at_resource},
    [RECORD_STORAGE] = {NULL, NULL},
    [RECORD_WORKSPACE] = {world_resource_count, look_at_resource},
    [RECORD_EXPERIMENT] = {world_resource_count, look_at_resource},
    [RECORD_CLUSTER] = {world_cluster_count, look_at_cluster},
    [RECORD_JOB] = {world_job_count, look_at_job},
    [RECORD_FILE_SERVER] = {world_file_server_count, look_at_file_server},
};
_Static_assert(sizeof kinds / sizeof *kinds == RECORD_KIND_COUNT, "every kind");

Operation operation_read(const Emulator *emulator, const char *id)
{
    const World *world = session_world(emulator->session);
    Meaning meaning;
    Operation operation = {.is_known = false};
    if (!read_id(emulator, id, &meaning) || meaning.what >= RECORD_KIND_COUNT ||
        !kinds[meaning.what].count || meaning.row >= kinds[meaning.what].count(world))
        return operation;
    operation = (Operation){.is_known = true,
                            .kind = (OperationKind)meaning.kind,
                            .what = (RecordKind)meaning.what,
                            .row = (uint32_t)meaning.row,
                            .start_ms = (int64_t)meaning.start_ms,
                            .state = OPERATION_IN_PROGRESS};
    kinds[meaning.what].look(world, &operation);
    return operation;
}

/* --- Answers --- */

/* Where a resource's workspace is. */
static const char *location_of(const Emulator *emulator, const Record *record)
{
    const ResourcePath path = {.group = record->path.group, .name = record->path.workspace};
    const Record *workspace = record->kind == RECORD_WORKSPACE
                                  ? record
                                  : session_find(emulator->session, RECORD_WORKSPACE, path);
    return workspace ? arm_location_of(emulator, workspace)
                     : session_scenario(emulator->session)->region;
}

void operation_answer(Emulator *emulator, const HttpRequest *request, OperationKind kind,
                      const Record *record, HttpResponse *response)
{
    static const struct {
        const char *header, *folder;
    } places[] = {
        {"Azure-AsyncOperation", "operationresults"},
        {"Location", "operationstatuses"},
    };
    Arena *arena = request->arena;
    const char *id = operation_id(emulator, arena, kind, record);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        http_set(response, places[i].header,
                 arm_url(emulator, request,
                         arena_printf(arena,
                                      "/subscriptions/%s/providers/Microsoft.BatchAI/locations/%s/"
                                      "%s/%s?api-version=%s",
                                      emulator->settings.subscription,
                                      http_encode(arena, location_of(emulator, record), ""),
                                      places[i].folder, id,
                                      http_encode(arena, http_query(request, "api-version"), ""))));
    // The service sent none; clients then wait half a minute before each poll.
    http_set(response, "Retry-After", "1");
    response->status = 202;
}

/* The operation that a poll names; not known after 404. */
static Operation find(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                      HttpResponse *response)
{
    const Operation operation = operation_read(emulator, match->parts[2]);
    if (!operation.is_known) {
        arm_error(request, response, 404, "OperationNotFound",
                  "The operation '%s' could not be found.", match->parts[2]);
    } else if (operation.state == OPERATION_IN_PROGRESS) {
        emulator_polled(emulator);
        http_set(response, "Retry-After", "1");
    }
    return operation;
}

/* Not an ARM id: names joined by dollar signs. */
static const char *resource_id(const Emulator *emulator, Arena *arena, ResourcePath path)
{
    const char *const names[] = {path.group, path.workspace, path.experiment, path.name};
    const char *id = emulator->settings.subscription;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            id = arena_printf(arena, "%s$%s", id, names[i]);
    return id;
}

static void put_error(Arena *arena, Json *body, const Operation *operation)
{
    const bool is_failed = operation->state == OPERATION_FAILED;
    Json *error = json_put_object(arena, body, "error");
    arm_put_text(arena, error, "code",
                 is_failed ? "FileServerProvisioningFailed" : "OperationCanceled");
    arm_put_text(arena, error, "message",
                 is_failed ? "File Server provisioning has failed"
                           : "The resource was deleted before it was created");
}

/* The service wrote an operation down apart from what it made, by a clock that moved 64 times in a
 * second: of the creations that were recorded it began 15 or 16 ms later than the resource (one of
 * them at the same time), and ended 15 or 16 ms later. */
static int64_t lateness_ns(OperationKind kind)
{
    return kind == OPERATION_CREATE ? NS_PER_S / 64 : 0;
}

void operations_result(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    static const char *const words[] = {"InProgress", "Succeeded", "Failed", "Canceled"};
    Arena *arena = request->arena;
    const Operation operation = find(emulator, request, match, response);
    if (!operation.is_known)
        return;
    const int64_t late_ns = lateness_ns(operation.kind);
    Json *body = json_object(arena);
    arm_put_text(arena, body, "id", arm_url(emulator, request, request->target));
    arm_put_text(arena, body, "name", match->parts[2]);
    arm_put_text(arena, body, "status", words[operation.state]);
    arm_put_time(emulator, arena, body, "startTime", operation.start_ms * NS_PER_MS + late_ns);
    if (operation.state != OPERATION_IN_PROGRESS) {
        arm_put_time(emulator, arena, body, "endTime", operation.end_ns + late_ns);
        Json *properties = json_put_object(arena, body, "properties");
        arm_put_text(arena, properties, "resourceId", resource_id(emulator, arena, operation.path));
    }
    if (operation.state == OPERATION_FAILED || operation.state == OPERATION_CANCELED)
        put_error(arena, body, &operation);
    arm_answer(request, response, 200, body);
}

/* What a creation has made; NULL when it is gone again. */
static Json *made(Emulator *emulator, const HttpRequest *request, const Operation *operation)
{
    static ArmShow *const shows[RECORD_KIND_COUNT] = {[RECORD_CLUSTER] = cluster_show,
                                                      [RECORD_JOB] = job_show,
                                                      [RECORD_FILE_SERVER] = file_server_show};
    const Record *record = session_find(emulator->session, operation->what, operation->path);
    ArmShow *show = shows[operation->what];
    return show && record && record->row == operation->row ? show(emulator, request, record) : NULL;
}

void operations_status(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    const Operation operation = find(emulator, request, match, response);
    if (!operation.is_known)
        return;
    Arena *arena = request->arena;
    if (operation.state == OPERATION_IN_PROGRESS) {
        http_set(response, "Location",
                 arm_url(emulator, request,
                         arena_printf(arena, "%s?%s", request->target, request->query_text)));
        response->status = 202;
        return;
    }
    if (operation.state != OPERATION_SUCCEEDED) {
        Json *body = json_object(arena);
        put_error(arena, body, &operation);
        arm_answer(request, response, 409, body);
        return;
    }
    Json *body = operation.kind == OPERATION_CREATE ? made(emulator, request, &operation) : NULL;
    response->status = 200;
    if (body)
        arm_answer(request, response, 200, body);
}
