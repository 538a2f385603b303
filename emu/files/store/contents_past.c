#include "emu/files/store/contents_past.h"

#include <sqlite3.h>

#include "emu/files/store/ticks.h"
#include "sim/base/units.h"

bool contents_changed(Store *store, FilesChanged *changed, Status *status)
{
    static const char sql[] =
        "SELECT max(ns),max(ticks),(SELECT count(*) FROM file_untold) FROM("
        "SELECT max(since_ns) AS ns,max(max(created,changed)) AS ticks FROM file_share UNION ALL "
        "SELECT max(since_ns),max(max(created,written,changed)) FROM file_entry)";
    sqlite3_stmt *row = NULL;
    const bool is_read =
        sqlite3_prepare_v2(store_connection(store), sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW;
    *changed = (FilesChanged){.ns = -1, .unix_ms = INT64_MIN};
    if (is_read && sqlite3_column_type(row, 0) != SQLITE_NULL) {
        changed->ns = sqlite3_column_int64(row, 0);
        changed->unix_ms = ticks_unix_ms(sqlite3_column_int64(row, 1));
    }
    if (is_read)
        changed->is_pending = sqlite3_column_int64(row, 2) > 0;
    sqlite3_finalize(row);
    return is_read ||
           status_fail(status, STATUS_MACHINE, place_in(store_folder(store), 0, 0),
                       "cannot read its files: %s", sqlite3_errmsg(store_connection(store)));
}

/* The longest lease with an end, and the longest break. */
#define LEASE_MS_MOST (60 * INT64_C(1000))

/* ?1: simulated time, ?2: ticks, ?3: the end of a lease. */
#define END_LEASE                                                                                  \
    "lease = CASE WHEN lease <> '' AND (coalesce(json_extract(lease, '$.ends_ms'), 0) > ?3 OR "    \
    "coalesce(json_extract(lease, '$.breaks_ms'), 0) > ?3) THEN '' ELSE lease END"
static const char *const statements[] = {
    "UPDATE file_share SET since_ns = min(since_ns, ?1), created = min(created, ?2), "
    "changed = min(changed, ?2), " END_LEASE,
    "UPDATE file_entry SET since_ns = min(since_ns, ?1), created = min(created, ?2), "
    "written = min(written, ?2), changed = min(changed, ?2), " END_LEASE
    " WHERE since_ns > ?1 OR created > ?2 OR written > ?2 OR changed > ?2 OR lease <> ''",
};

static bool run(Store *store, const char *sql, int64_t at_ns, int64_t unix_ms)
{
    sqlite3_stmt *statement = NULL;
    const bool is_prepared =
        sqlite3_prepare_v2(store_connection(store), sql, -1, &statement, NULL) == SQLITE_OK;
    const bool is_done = is_prepared && sqlite3_bind_int64(statement, 1, at_ns) == SQLITE_OK &&
                         sqlite3_bind_int64(statement, 2, ticks_of(unix_ms)) == SQLITE_OK &&
                         sqlite3_bind_int64(statement, 3, unix_ms + LEASE_MS_MOST) == SQLITE_OK &&
                         sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return is_done;
}

bool contents_go_back(Store *store, int64_t at_ns, int64_t unix_ms, Status *status)
{
    if (!store_begin(store, status))
        return false;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (!run(store, statements[i], at_ns, unix_ms))
            return status_fail(status, STATUS_MACHINE, place_in(store_folder(store), 0, 0),
                               "cannot change its tables of files: %s",
                               sqlite3_errmsg(store_connection(store)));
    return true;
}
