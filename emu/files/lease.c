#include "emu/files/lease.h"

#include <string.h>

#include "sim/base/ascii.h"

const char *lease_state_name(LeaseState state)
{
    static const char *const names[] = {
#define X(name, text) text,
        LEASE_STATES(X)
#undef X
    };
    return names[state];
}

LeaseState lease_state(const Lease *lease, int64_t now_ms)
{
    if (lease->id[0] == '\0')
        return LEASE_AVAILABLE;
    if (lease->breaks_ms != INT64_MAX)
        return now_ms < lease->breaks_ms ? LEASE_BREAKING : LEASE_BROKEN;
    return now_ms < lease->ends_ms ? LEASE_LEASED : LEASE_EXPIRED;
}

bool lease_is_locked(const Lease *lease, int64_t now_ms)
{
    const LeaseState state = lease_state(lease, now_ms);
    return state == LEASE_LEASED || state == LEASE_BREAKING;
}

/* --- As the store keeps it --- */

static int64_t number(const Json *lease, const char *key, int64_t fallback)
{
    const Json *member = json_member(lease, key);
    return member ? member->integer : fallback;
}

Lease lease_read(Arena *arena, const char *text)
{
    const Json *json = files_json_read(arena, text);
    Lease lease = {.duration_ms = number(json, "duration_ms", -1),
                   .ends_ms = number(json, "ends_ms", INT64_MAX),
                   .breaks_ms = number(json, "breaks_ms", INT64_MAX)};
    if (!lease_id_read(files_json_text(json, "id"), lease.id))
        lease.id[0] = '\0';
    return lease;
}

const char *lease_print(Arena *arena, const Lease *lease)
{
    Json *json = json_object(arena);
    if (lease->id[0] == '\0')
        return "";
    files_json_put(arena, json, "id", lease->id);
    if (lease->duration_ms >= 0)
        json_put_integer(arena, json, "duration_ms", lease->duration_ms);
    if (lease->ends_ms != INT64_MAX)
        json_put_integer(arena, json, "ends_ms", lease->ends_ms);
    if (lease->breaks_ms != INT64_MAX)
        json_put_integer(arena, json, "breaks_ms", lease->breaks_ms);
    return files_json_print(arena, json);
}

/* --- Actions --- */

static bool has_id(const Lease *lease, const char *id)
{
    return strcmp(lease->id, id) == 0;
}

static void begin(Lease *lease, const char *id, int64_t duration_ms, int64_t now_ms)
{
    *lease = (Lease){.duration_ms = duration_ms,
                     .ends_ms = duration_ms < 0 ? INT64_MAX : now_ms + duration_ms,
                     .breaks_ms = INT64_MAX};
    memcpy(lease->id, id, LEASE_ID);
}

AzureError lease_acquire(Lease *lease, const char *id, int64_t duration_ms, int64_t now_ms)
{
    const LeaseState state = lease_state(lease, now_ms);
    if (state == LEASE_BREAKING)
        return has_id(lease, id) ? AZURE_FILES_LEASE_BREAKING_ACQUIRED : AZURE_FILES_LEASE_PRESENT;
    if (state == LEASE_LEASED && !has_id(lease, id))
        return AZURE_FILES_LEASE_PRESENT;
    begin(lease, id, duration_ms, now_ms);
    return AZURE_OK;
}

AzureError lease_renew(Lease *lease, const char *id, int64_t now_ms)
{
    const LeaseState state = lease_state(lease, now_ms);
    if (!has_id(lease, id))
        return AZURE_FILES_LEASE_MISMATCH;
    if (state == LEASE_BREAKING || state == LEASE_BROKEN)
        return AZURE_FILES_LEASE_BROKEN_RENEWED;
    begin(lease, id, lease->duration_ms, now_ms);
    return AZURE_OK;
}

AzureError lease_change(Lease *lease, const char *id, const char *to, int64_t now_ms)
{
    const LeaseState state = lease_state(lease, now_ms);
    if (state == LEASE_BREAKING)
        return has_id(lease, id) ? AZURE_FILES_LEASE_BREAKING_CHANGED : AZURE_FILES_LEASE_MISMATCH;
    if (state != LEASE_LEASED)
        return AZURE_FILES_LEASE_ABSENT;
    // If the client repeats a request whose answer was lost, the lease has the new id already.
    if (!has_id(lease, id) && !has_id(lease, to))
        return AZURE_FILES_LEASE_MISMATCH;
    memcpy(lease->id, to, LEASE_ID);
    return AZURE_OK;
}

AzureError lease_release(Lease *lease, const char *id)
{
    if (!has_id(lease, id))
        return AZURE_FILES_LEASE_MISMATCH;
    lease->id[0] = '\0';
    return AZURE_OK;
}

AzureError lease_break(Lease *lease, int64_t period_ms, int64_t now_ms, int64_t *left_s)
{
    enum { SECOND_MS = 1000 };
    const LeaseState state = lease_state(lease, now_ms);
    *left_s = 0;
    if (state == LEASE_AVAILABLE)
        return AZURE_FILES_LEASE_ABSENT;
    if (state == LEASE_EXPIRED || state == LEASE_BROKEN) {
        lease->breaks_ms = now_ms;
        return AZURE_OK;
    }
    const int64_t until_ms = state == LEASE_BREAKING ? lease->breaks_ms : lease->ends_ms;
    const int64_t wanted_ms = period_ms >= 0          ? now_ms + period_ms
                              : until_ms == INT64_MAX ? now_ms
                                                      : until_ms;
    lease->breaks_ms = wanted_ms < until_ms ? wanted_ms : until_ms; // never longer than the lease
    *left_s = (lease->breaks_ms - now_ms + SECOND_MS - 1) / SECOND_MS;
    return AZURE_OK;
}

/* --- Ids --- */

bool lease_id_read(const char *text, char id[LEASE_ID])
{
    static const char form[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
    const char close = *text == '{' ? '}' : *text == '(' ? ')' : '\0';
    text += close != '\0';
    const bool is_bare = strlen(text) == 32; // 32 digits without hyphens
    char out[LEASE_ID];
    for (size_t i = 0; i + 1 < sizeof form; i++) {
        if (form[i] == '-') {
            out[i] = '-';
            if (!is_bare && *text++ != '-')
                return false;
            continue;
        }
        if (ascii_hex_value(*text) < 0)
            return false;
        out[i] = ascii_lower(*text++);
    }
    if (*text != close || (close != '\0' && text[1] != '\0'))
        return false;
    out[LEASE_ID - 1] = '\0';
    memcpy(id, out, LEASE_ID);
    return true;
}
