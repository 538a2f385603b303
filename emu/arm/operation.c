#include "emu/arm/operation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/units.h"

/* --- Ids ---
 *
 * A GUID of version 4 has 122 free bits: 60 before the variant, 62 after it. They contain
 *
 *     row in the world (32), start in ms (44),      under a mask drawn for the checksum
 *     kind of resource (3), operation (2)
 *     checksum (41)                                 of the four */

enum { ROW_BITS = 32, START_BITS = 44, CHECK_BITS = 41, LOW_START_BITS = 16 };
_Static_assert(RECORD_KIND_COUNT <= 8, "three bits");

#define MASK(bits) ((UINT64_C(1) << (bits)) - 1)

typedef struct {
    uint64_t row, start_ms, what, kind;
} Meaning;

typedef struct {
    uint64_t high, low;
} Halves;

/* Reads the 60 and 62 free bits of a GUID. False if `text` is not a GUID of version 4. */
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
        if (is_hyphen || digits++ == 12) // the 13th digit is the version
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

static Halves drawn(const ArmCall *call, const char *purpose, uint64_t number)
{
    char guid[GUID_TEXT];
    Halves halves = {0};
    session_guid(call->session, purpose, number, guid);
    guid[14] = '4'; // whatever version it says
    guid[19] = '8';
    (void)read_guid(guid, &halves);
    return halves;
}

static uint64_t check_of(const ArmCall *call, Meaning meaning)
{
    // Numbers of GUIDs have 48 bits. Where two meanings have the same number, only the mask
    // distinguishes them.
    const uint64_t number =
        meaning.start_ms ^ meaning.row << 16 ^ meaning.what << 45 ^ meaning.kind << 43;
    return drawn(call, "operation", number & MASK(48)).low & MASK(CHECK_BITS);
}

/* Applies the mask, or removes it. */
static Halves masked(const ArmCall *call, Halves halves)
{
    const Halves mask = drawn(call, "operation mask", halves.low & MASK(CHECK_BITS));
    return (Halves){halves.high ^ mask.high, halves.low ^ (mask.low & ~MASK(CHECK_BITS))};
}

const char *operation_id(const ArmCall *call, OperationKind kind, const Record *record)
{
    Arena *arena = call->arena;
    const Meaning meaning = {.row = record->row,
                             .start_ms = (uint64_t)session_now_ns(call->session) / NS_PER_MS &
                                         MASK(START_BITS),
                             .what = (uint64_t)record->kind,
                             .kind = (uint64_t)kind};
    const Halves halves = {
        .high = meaning.row << (START_BITS - LOW_START_BITS) | meaning.start_ms >> LOW_START_BITS,
        .low = (meaning.start_ms & MASK(LOW_START_BITS)) << (CHECK_BITS + 5) |
               meaning.what << (CHECK_BITS + 2) | meaning.kind << CHECK_BITS |
               check_of(call, meaning),
    };
    return print_guid(arena, masked(call, halves));
}

static bool read_id(const ArmCall *call, const char *id, Meaning *meaning)
{
    Halves halves;
    if (!read_guid(id, &halves))
        return false;
    halves = masked(call, halves);
    meaning->row = halves.high >> (START_BITS - LOW_START_BITS);
    meaning->start_ms = (halves.high & MASK(START_BITS - LOW_START_BITS)) << LOW_START_BITS |
                        (halves.low >> (CHECK_BITS + 5) & MASK(LOW_START_BITS));
    meaning->what = halves.low >> (CHECK_BITS + 2) & 7;
    meaning->kind = halves.low >> CHECK_BITS & 3;
    return meaning->kind <= OPERATION_TERMINATE &&
           check_of(call, *meaning) == (halves.low & MASK(CHECK_BITS));
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
    operation->is_known = cluster != NULL;
    if (cluster == NULL)
        return; // deleted so long ago that it is forgotten
    operation->path = cluster->path;
    look(operation, cluster->provisioning, cluster->provisioning_since_ns, cluster->recorded_ns);
}

static void look_at_job(const World *world, Operation *operation)
{
    const Job *job = world_job(world, (JobId){operation->row});
    operation->is_known = job != NULL;
    if (job == NULL)
        return; // likewise
    operation->path = job->path;
    look(operation, job->provisioning, job->provisioning_since_ns, job->recorded_ns);
    if (operation->kind == OPERATION_TERMINATE && job->ended_ns != INT64_MAX)
        ends(operation, OPERATION_SUCCEEDED, job->ended_ns);
}

static void look_at_file_server(const World *world, Operation *operation)
{
    const FileServer *server = world_file_server(world, operation->row);
    operation->is_known = server != NULL;
    if (server == NULL)
        return; // likewise
    operation->path = server->path;
    look(operation, server->provisioning, server->provisioning_since_ns, server->recorded_ns);
    const bool has_failed = server->recorded_ns != INT64_MAX && // its bill ended at that time
                            server->gone_ns == server->recorded_ns;
    if (operation->kind == OPERATION_CREATE && has_failed)
        operation->state = OPERATION_FAILED;
}

static void look_at_resource(const World *world, Operation *operation)
{
    const WorldResource resource = world_resource(world, operation->row);
    operation->is_known = resource.path.name != NULL;
    operation->path = resource.path;
    look(operation, resource.provisioning, resource.provisioning_since_ns, resource.created_ns);
}

/* --- Reading an id --- */

static const struct {
    uint32_t (*count)(const World *world); /* rows of that kind; NULL: its operations end at once */
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

Operation operation_read(const ArmCall *call, const char *id)
{
    const World *world = session_world(call->session);
    Meaning meaning;
    Operation operation = {.is_known = false};
    if (!read_id(call, id, &meaning) || meaning.what >= RECORD_KIND_COUNT ||
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
