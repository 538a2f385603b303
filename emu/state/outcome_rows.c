#include "emu/state/outcome_rows.h"

#include <string.h>

#include "emu/state/store_inside.h"

OutcomesKept outcome_rows_kept(Store *store)
{
    Arena *arena = arena_create();
    const char *text = store_setting(store, arena, STORE_OUTCOMES_SETTING);
    const OutcomesKept kept = text == NULL    ? OUTCOMES_UNKNOWN
                              : *text == '\0' ? OUTCOMES_DROPPED
                                              : OUTCOMES_WHOLE;
    arena_destroy(arena);
    return kept;
}

bool outcome_rows_drop(Store *store, Status *status)
{
    return store_set(store, STORE_OUTCOMES_SETTING, "", status);
}

static bool run_once(Store *store, const char *sql, Status *status)
{
    sqlite3_stmt *statement = NULL;
    const bool is_done = store_prepare(store, sql, &statement, status) &&
                         store_run(store, statement, "write to it", status);
    sqlite3_finalize(statement);
    return is_done;
}

bool outcome_rows_begin(Store *store, Status *status)
{
    return store_begin(store, status) && run_once(store, "DELETE FROM outcome", status) &&
           store_set(store, STORE_OUTCOMES_SETTING, "whole", status);
}

bool outcome_rows_put(Store *store, const OutcomeRow *row, Status *status)
{
    sqlite3_stmt *statement = row->state != NULL ? store->put_outcome : store->remove_outcome;
    if (!store_begin(store, status))
        return false;
    store_bind_text(statement, 1, row->kind);
    store_bind_integer(statement, 2, row->row);
    if (row->state != NULL) {
        store_bind_text(statement, 3, row->name);
        store_bind_text(statement, 4, row->state);
    }
    return store_run(store, statement, "write to it", status);
}

bool outcome_rows_read(Store *store, void *owner, void (*read)(void *owner, const OutcomeRow *row),
                       Status *status)
{
    sqlite3_stmt *rows = NULL;
    if (!store_prepare(store, "SELECT kind,row,name,state FROM outcome ORDER BY kind,row", &rows,
                       status))
        return false;
    while (sqlite3_step(rows) == SQLITE_ROW)
        read(owner, &(OutcomeRow){.kind = store_column(rows, 0),
                                  .row = (uint32_t)sqlite3_column_int64(rows, 1),
                                  .name = store_column(rows, 2),
                                  .state = store_column(rows, 3)});
    return sqlite3_finalize(rows) == SQLITE_OK || store_refuse(store, "read its tables", status);
}
