/* Private to emu/files: Lease Share and Lease File, which act on a lease (emu/files/lease.h). */

#include <inttypes.h>
#include <string.h>

#include "emu/files/call.h"

enum { SECOND_MS = 1000, LEAST_S = 15, MOST_S = 60 };

static bool read_id(FilesCall *call, const char *header, char id[LEASE_ID])
{
    const char *text;
    return call_has_header(call, header, &text) &&
           (lease_id_read(text, id) ||
            call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(%s is not a GUID)", header));
}

/* Whether the action succeeded; otherwise answers its error. */
static bool is_done(FilesCall *call, AzureError error)
{
    return error == AZURE_OK || call_refuse(call, error);
}

static bool acquire(FilesCall *call, const FilesEntry *entry, Lease *lease)
{
    int64_t duration_s = -1;
    char id[LEASE_ID];
    const char *said;
    if (!call_has_header(call, "x-ms-lease-duration", &said) ||
        !call_number(call, "x-ms-lease-duration", -1, MOST_S, &duration_s))
        return false;
    // A file's lease is infinite; a share's lease may be finite.
    const bool is_valid = duration_s == -1 || (entry->kind == FILES_SHARE && duration_s >= LEAST_S);
    if (!is_valid)
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(x-ms-lease-duration: %" PRId64 ")", duration_s);
    if (!call_header(call, "x-ms-proposed-lease-id"))
        call->service->new_id(call->service->owner, "files.lease", id);
    else if (!read_id(call, "x-ms-proposed-lease-id", id))
        return false;
    call->response->status = 201;
    return is_done(call, lease_acquire(lease, id, duration_s < 0 ? -1 : duration_s * SECOND_MS,
                                       call_now_ms(call)));
}

static bool change(FilesCall *call, Lease *lease)
{
    char id[LEASE_ID], proposed[LEASE_ID];
    return read_id(call, "x-ms-lease-id", id) &&
           read_id(call, "x-ms-proposed-lease-id", proposed) &&
           is_done(call, lease_change(lease, id, proposed, call_now_ms(call)));
}

static bool end(FilesCall *call, const FilesEntry *entry, Lease *lease)
{
    int64_t period_s = -1, left_s;
    if (!call_number(call, "x-ms-lease-break-period", 0, MOST_S, &period_s))
        return false;
    if (entry->kind == FILES_FILE)
        period_s = 0; // a file's lease is broken at once
    if (!call_lease_allows(call, entry, "x-ms-lease-id", false) ||
        !is_done(call, lease_break(lease, period_s < 0 ? -1 : period_s * SECOND_MS,
                                   call_now_ms(call), &left_s)))
        return false;
    call->response->status = 202;
    call_set(call, "x-ms-lease-time", "%" PRId64, left_s);
    return true;
}

static bool act(FilesCall *call, const FilesEntry *entry, const char *action, Lease *lease)
{
    char id[LEASE_ID];
    if (strcmp(action, "acquire") == 0)
        return acquire(call, entry, lease);
    if (strcmp(action, "change") == 0)
        return change(call, lease);
    if (strcmp(action, "break") == 0)
        return end(call, entry, lease);
    return read_id(call, "x-ms-lease-id", id) &&
           is_done(call, strcmp(action, "renew") == 0 ? lease_renew(lease, id, call_now_ms(call))
                                                      : lease_release(lease, id));
}

void op_entry_lease(FilesCall *call)
{
    // An infinite lease needs no renewal: the service has none for files.
    static const char *const actions[] = {"acquire", "change", "break", "release", "renew"};
    const int32_t count = call->kind == FILES_SHARE ? 5 : 4;
    const char *said, *action;
    FilesEntry entry;
    if (!call_look(call, call->kind, &entry) ||
        !call_has_header(call, "x-ms-lease-action", &said) ||
        !call_word(call, "x-ms-lease-action", actions, count, &action))
        return;
    Lease lease = lease_read(call->arena, entry.lease);
    if (!act(call, &entry, action, &lease))
        return;
    const FilesFailure failure = files_change(call->files, call->share, call->address.path, -1,
                                              NULL, NULL, lease_print(call->arena, &lease));
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    const bool is_ended = call->response->status == 202 || lease.id[0] == '\0';
    if (!is_ended)
        call_set(call, "x-ms-lease-id", "%s", lease.id);
    call_stamp_path(call, call->address.path);
}
