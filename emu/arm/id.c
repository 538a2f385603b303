#include "emu/arm/id.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

/* The braces of a pattern are filled with the parts of a ResourcePath in the order of its members,
 * without those that are NULL. */
#define GROUP "/subscriptions/{}/resourceGroups/{}"
#define WORKSPACE GROUP "/providers/Microsoft.BatchAI/workspaces/{}"
#define EXPERIMENT WORKSPACE "/experiments/{}"

static const char *const patterns[] = {
    [RECORD_GROUP] = GROUP,
    [RECORD_STORAGE] = GROUP "/providers/Microsoft.Storage/storageAccounts/{}",
    [RECORD_WORKSPACE] = WORKSPACE,
    [RECORD_EXPERIMENT] = EXPERIMENT,
    [RECORD_CLUSTER] = WORKSPACE "/clusters/{}",
    [RECORD_JOB] = EXPERIMENT "/jobs/{}",
    [RECORD_FILE_SERVER] = WORKSPACE "/fileservers/{}", // lower case, as recorded
};
_Static_assert(sizeof patterns / sizeof *patterns == RECORD_KIND_COUNT, "every kind has ids");

const char *arm_id(const ArmCall *call, RecordKind kind, ResourcePath path)
{
    Arena *arena = call->arena;
    const char *const names[] = {session_subscription(call->session), path.group, path.workspace,
                                 path.experiment, path.name};
    Text id = {0};
    size_t used = 0;
    for (const char *at = patterns[kind]; *at != '\0';) {
        const size_t plain = strcspn(at, "{");
        text_append(&id, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        while (!names[used])
            used++;
        text_add(&id, names[used++]);
        at += strlen("{}");
    }
    const char *out = arena_strndup(arena, id.data, id.length);
    text_free(&id);
    return out;
}

bool arm_id_read(const ArmCall *call, const char *id, RecordKind kind, ResourcePath *path)
{
    Arena *arena = call->arena;
    RoutePath split;
    RouteMatch match;
    if (!route_split(arena, id, &split) || !route_fits(patterns[kind], &split))
        return false;
    route_take(arena, patterns[kind], &split, &match);
    const int32_t last = match.part_count - 1;
    *path = (ResourcePath){.name = match.parts[last]};
    path->group = last > 1 ? match.parts[1] : NULL;
    path->workspace = last > 2 ? match.parts[2] : NULL;
    path->experiment = last > 3 ? match.parts[3] : NULL;
    return ascii_same(match.parts[0], session_subscription(call->session));
}

const char *arm_time(const ArmCall *call, int64_t at_ns)
{
    Arena *arena = call->arena;
    char *text = arena_alloc(arena, CIVIL_TEXT);
    iso_time_print(world_unix_ms(session_world(call->session), at_ns), text);
    return text;
}

const char *arm_url(const ArmCall *call, const char *target)
{
    const bool is_tls = call->request->listener == LISTENER_TLS;
    const HttpAddresses *addresses = call->arm->addresses;
    const char *own = is_tls ? addresses->tls : addresses->plain;
    return arena_printf(call->arena, "%s://%s%s", is_tls ? "https" : "http",
                        *call->request->host ? call->request->host : own, target);
}
