/* A lease: whoever has its id may change a share or file, and nobody else.
 *
 * Pure functions of a lease and the time; the store keeps a lease as JSON, {"id", "ends_ms",
 * "breaks_ms"}. Times are of the simulated calendar.
 *
 * Source: Microsoft, "Lease Share", "Lease File" (Azure Storage REST API), and the outcomes that
 * these share with "Lease Container". */
#ifndef EMU_FILES_LEASE_H
#define EMU_FILES_LEASE_H

#include "emu/files/store/json.h"
#include "emu/http/azure_error.h"

enum { LEASE_ID = 37 };

typedef struct {
    char id[LEASE_ID];   /* "": there is none */
    int64_t duration_ms; /* -1: without end */
    int64_t ends_ms;     /* INT64_MAX: never by itself */
    int64_t breaks_ms;   /* when it was or will be broken; INT64_MAX: it was not asked for */
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
/* Nobody may change what is leased or breaking without the id. */
bool lease_is_locked(const Lease *lease, int64_t now_ms);

/* "" is no lease. What the store has was printed by lease_print. */
Lease lease_read(Arena *arena, const char *text);
const char *lease_print(Arena *arena, const Lease *lease);

/* --- Actions: AZURE_OK and the lease after the action, or an error (409) --- */

/* `id`: a GUID. */
AzureError lease_acquire(Lease *lease, const char *id, int64_t duration_ms, int64_t now_ms);
AzureError lease_renew(Lease *lease, const char *id, int64_t now_ms);
AzureError lease_change(Lease *lease, const char *id, const char *to, int64_t now_ms);
AzureError lease_release(Lease *lease, const char *id);
/* `period_ms` -1: as long as it lasts, and a lease without end is broken at once. `*left_s` is how
 * long it still holds. */
AzureError lease_break(Lease *lease, int64_t period_ms, int64_t now_ms, int64_t *left_s);

/* A GUID in one of its usual forms, into small letters without braces. False when it is none. */
bool lease_id_read(const char *text, char id[LEASE_ID]);

#endif
