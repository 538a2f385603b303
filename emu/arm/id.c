/* Ids, times and addresses of resources. */
#include <string.h>

#include "emu/arm/arm.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

/* The groups of a pattern's braces are those of a path, in this order, as many as it has. */
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
    [RECORD_FILE_SERVER] = WORKSPACE "/fileservers/{}", // in small letters, as recorded
};
_Static_assert(sizeof patterns / sizeof *patterns == RECORD_KIND_COUNT, "every kind has ids");

const char *arm_id(const Emulator *emulator, Arena *arena, RecordKind kind, ResourcePath path)
{
    const char *const names[] = {emulator->settings.subscription, path.group, path.workspace,
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

bool arm_id_read(const Emulator *emulator, Arena *arena, const char *id, RecordKind kind,
                 ResourcePath *path)
{
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
    return ascii_same(match.parts[0], emulator->settings.subscription);
}

const char *arm_time(const Emulator *emulator, Arena *arena, int64_t at_ns)
{
    char *text = arena_alloc(arena, CIVIL_TEXT);
    iso_time_print(world_unix_ms(session_world(emulator->session), at_ns), text);
    return text;
}

const char *arm_url(const Emulator *emulator, const HttpRequest *request, const char *target)
{
    const bool is_tls = request->listener == LISTENER_TLS;
    const EmulatorAddresses *addresses = &emulator->settings.addresses;
    const char *own = is_tls ? addresses->tls : addresses->plain;
    return arena_printf(request->arena, "%s://%s%s", is_tls ? "https" : "http",
                        *request->host ? request->host : own, target);
}

const char *arm_location(Arena *arena, const char *location)
{
    char *plain = arena_strdup(arena, location);
    size_t used = 0;
    for (const char *at = location; *at != '\0'; at++)
        if (*at != ' ')
            plain[used++] = ascii_lower(*at);
    plain[used] = '\0';
    return plain;
}
