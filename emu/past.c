#include "emu/past.h"

#include "emu/session/jumps.h"
#include "emu/session/session.h"
#include "emu/snapshots.h"
#include "emu/state/outcome_rows.h"
#include "emu/state/store_copy.h"

bool past_restore(Store *store, int64_t sequence, int64_t at_ns, Status *status)
{
    return store_cut(store, sequence, status) && outcome_rows_drop(store, status) &&
           snapshots_go_back(store, sequence, at_ns, status) &&
           jumps_forget(store, at_ns, status) && session_store_ns(store, at_ns, status);
}
