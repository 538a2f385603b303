#include "emu/files/lock.h"

#include <inttypes.h>
#include <string.h>

enum { SECOND_MS = 1000, LEAST_S = 15, MOST_S = 60 };

static bool read_id(FilesCall *call, const char *header, char id[LEASE_ID])
{
    const char *text;
    return call_has_header(call, header, &text) &&
           (lease_id_read(text, id) ||
            call_refuse_for(call, ERROR_INVALID_HEADER, "(%s is no GUID)", header));
}

static bool refuse_lease(FilesCall *call, const char *code)
{
    static const struct {
        const char *code, *message;
    } messages[] = {
        {"LeaseAlreadyPresent", "There is already a lease present."},
        {"LeaseIdMismatchWithLeaseOperation",
         "The lease ID specified did not match the lease ID for the resource with the specified "
         "lease operation."},
        {"LeaseNotPresentWithLeaseOperation", "There is currently no lease on the resource."},
        {"LeaseIsBreakingAndCannotBeAcquired",
         "The lease ID matched, but the lease is currently in breaking state and cannot be "
         "acquired until it is broken."},
        {"LeaseIsBreakingAndCannotBeChanged",
         "The lease ID matched, but the lease is currently in breaking state and cannot be "
         "changed."},
        {"LeaseIsBrokenAndCannotBeRenewed",
         "The lease ID matched, but the lease has been broken explicitly and cannot be renewed."}};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (strcmp(code, messages[i].code) == 0)
            return call_refuse_code(call, 409, code, messages[i].message);
    return call_refuse_code(call, 409, code, code);
}

/* NULL or a code, or "" after refusing the request otherwise. */
static const char *acquire(FilesCall *call, const FilesEntry *entry, Lease *lease)
{
    int64_t duration_s = -1;
    char id[LEASE_ID];
    const char *said;
    if (!call_has_header(call, "x-ms-lease-duration", &said) ||
        !call_number(call, "x-ms-lease-duration", -1, MOST_S, &duration_s))
        return "";
    // A file's lease has no end; a share's may have one.
    const bool is_right = duration_s == -1 || (entry->kind == FILES_SHARE && duration_s >= LEAST_S);
    if (!is_right) {
        call_refuse_for(call, ERROR_INVALID_HEADER, "(x-ms-lease-duration: %" PRId64 ")",
                        duration_s);
        return "";
    }
    if (call_header(call, "x-ms-proposed-lease-id")) {
        if (!read_id(call, "x-ms-proposed-lease-id", id))
            return "";
    } else {
        session_guid(call->emulator->session, "files.lease", call->emulator->requests, id);
    }
    call->response->status = 201;
    return lease_acquire(lease, id, duration_s < 0 ? -1 : duration_s * SECOND_MS,
                         call_now_ms(call));
}

static const char *change(FilesCall *call, Lease *lease)
{
    char id[LEASE_ID], proposed[LEASE_ID];
    if (!read_id(call, "x-ms-lease-id", id) || !read_id(call, "x-ms-proposed-lease-id", proposed))
        return "";
    return lease_change(lease, id, proposed, call_now_ms(call));
}

static const char *end(FilesCall *call, const FilesEntry *entry, Lease *lease)
{
    int64_t period_s = -1, left_s;
    if (!call_number(call, "x-ms-lease-break-period", 0, MOST_S, &period_s))
        return "";
    if (entry->kind == FILES_FILE)
        period_s = 0; // a file's lease is broken at once
    if (!call_lease_allows(call, entry, "x-ms-lease-id", false))
        return "";
    const char *code =
        lease_break(lease, period_s < 0 ? -1 : period_s * SECOND_MS, call_now_ms(call), &left_s);
    if (!code) {
        call->response->status = 202;
        call_set(call, "x-ms-lease-time", "%" PRId64, left_s);
    }
    return code;
}

static const char *act(FilesCall *call, const FilesEntry *entry, const char *action, Lease *lease)
{
    char id[LEASE_ID];
    if (strcmp(action, "acquire") == 0)
        return acquire(call, entry, lease);
    if (strcmp(action, "change") == 0)
        return change(call, lease);
    if (strcmp(action, "break") == 0)
        return end(call, entry, lease);
    if (!read_id(call, "x-ms-lease-id", id))
        return "";
    return strcmp(action, "renew") == 0 ? lease_renew(lease, id, call_now_ms(call))
                                        : lease_release(lease, id);
}

void lock_act(FilesCall *call, const FilesEntry *entry)
{
    // What has no end needs no renewal: the service has none for files.
    static const char *const actions[] = {"acquire", "change", "break", "release", "renew"};
    const int32_t count = entry->kind == FILES_SHARE ? 5 : 4;
    const char *said, *action;
    if (!call_has_header(call, "x-ms-lease-action", &said) ||
        !call_word(call, "x-ms-lease-action", actions, count, &action))
        return;
    Lease lease = lease_read(call->arena, entry->lease);
    const char *code = act(call, entry, action, &lease);
    if (code) {
        if (*code)
            refuse_lease(call, code);
        return;
    }
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
