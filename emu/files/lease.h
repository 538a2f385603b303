/* Leases: a share or file with an active lease can only be changed with the lease's id.
 *
 * These are pure functions of a lease and the time. The store keeps a lease as JSON, {"id",
 * "ends_ms", "breaks_ms"}. Times are of the simulated calendar.
 *
 * Source: Microsoft, "Lease Share", "Lease File" (Azure Storage REST API), and the outcomes that
 * these share with "Lease Container". */
#ifndef EMU_FILES_LEASE_H
#define EMU_FILES_LEASE_H

#include "emu/files/store/json.h"
#include "emu/http/azure_error.h"

enum { LEASE_ID = 37 };

typedef struct {
    char id[LEASE_ID];   /* "": there is no lease */
    int64_t duration_ms; /* -1: infinite */
    int64_t ends_ms;     /* INT64_MAX: infinite */
    int64_t breaks_ms;   /* when it was or will be broken; INT64_MAX: no break was requested */
} Lease;

/* X(ENUM, name) */
#define LEASE_STATES(X)                                                                            \
    X(AVAILABLE, "available")                                                                      \
    X(LEASED, "leased")                                                                            \
    X(EXPIRED, "expired")                                                                          \
    X(BREAKING, "breaking")                                                                        \
    X(BROKEN, "broken")

typedef enum {
#define X(name, text) LEASE_##name,
    LEASE_STATES(X)
#undef X
        LEASE_STATE_COUNT
} LeaseState;

const char *lease_state_name(LeaseState state);
LeaseState lease_state(const Lease *lease, int64_t now_ms);
/* Whether the lease is active (leased or breaking), so that changes need its id. */
bool lease_is_locked(const Lease *lease, int64_t now_ms);

/* Reads the output of lease_print; "" stands for none. */
Lease lease_read(Arena *arena, const char *text);
const char *lease_print(Arena *arena, const Lease *lease);

/* --- Actions: AZURE_OK and the lease after the action, or an error (409) --- */

/* `id`: a GUID. */
AzureError lease_acquire(Lease *lease, const char *id, int64_t duration_ms, int64_t now_ms);
AzureError lease_renew(Lease *lease, const char *id, int64_t now_ms);
AzureError lease_change(Lease *lease, const char *id, const char *to, int64_t now_ms);
AzureError lease_release(Lease *lease, const char *id);
/* `period_ms` -1: the rest of the lease's time; an infinite lease is broken at once. `*left_s`: the
 * seconds until it is broken. */
AzureError lease_break(Lease *lease, int64_t period_ms, int64_t now_ms, int64_t *left_s);

/* Reads a GUID in one of its usual forms, and writes it in small letters without braces. False if
 * `text` is not a GUID. */
bool lease_id_read(const char *text, char id[LEASE_ID]);

#endif
