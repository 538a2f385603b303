/* The last state of each cluster and job that clients could see: rows of the database, written with
 * the commits that the states belong to. The journal is the state, and the rows are what a replay
 * by another version of the program is compared with (emu/session/outcomes.h). */
#ifndef EMU_OUTCOME_ROWS_H
#define EMU_OUTCOME_ROWS_H

#include "emu/state/store.h"

typedef struct {
    const char *kind;  /* "cluster" or "job" */
    uint32_t row;      /* its id in the world: the order of creation */
    const char *name;  /* "workspace/experiment/train" */
    const char *state; /* in words; NULL: it is deleted, and has no row */
} OutcomeRow;

typedef enum {
    OUTCOMES_UNKNOWN, /* an older version has written the state, or it is new: there are no rows */
    OUTCOMES_DROPPED, /* the rows are of another past, and not used */
    OUTCOMES_WHOLE
} OutcomesKept;

OutcomesKept outcome_rows_kept(Store *store);
/* As part of the next commit: the rows are not used until they are begun again. For a journal that
 * is changed otherwise than by a session that serves clients. */
MUST_CHECK bool outcome_rows_drop(Store *store, Status *status);
/* As part of the next commit: there is no row, and those that are put from now on are whole. */
MUST_CHECK bool outcome_rows_begin(Store *store, Status *status);
/* Replaces the row of that kind and number. */
MUST_CHECK bool outcome_rows_put(Store *store, const OutcomeRow *row, Status *status);
/* Calls `read` for each row, by kind and number. */
MUST_CHECK bool outcome_rows_read(Store *store, void *owner,
                                  void (*read)(void *owner, const OutcomeRow *row), Status *status);

#endif
