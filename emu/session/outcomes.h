/* Whether a replay agrees with the states that clients have seen.
 *
 * The journal has what clients asked for, and the program computes what came of it: another
 * version, whose model of a share or of a queue differs, computes another past. So the store also
 * has the state of each cluster and job, in words, as of the last commit
 * (emu/state/outcome_rows.h). After a replay they are compared; where they differ, clients saw the
 * old states, and the session continues from the new ones: each difference is a warning of this
 * start, and the rows follow the new past with the next commit. */
#ifndef EMU_OUTCOMES_H
#define EMU_OUTCOMES_H

#include "emu/state/store.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

/* The clusters or jobs whose states may have changed since the last commit. */
typedef struct {
    uint32_t *ids;
    uint32_t count, capacity;
    bool *is_changed; /* [id] */
    uint32_t id_count, id_capacity;
} ChangedIds;

typedef enum { OUTCOME_CLUSTER, OUTCOME_JOB, OUTCOME_KINDS } OutcomeKind; /* as their words sort */

typedef struct {
    Arena *arena;
    const World *world;
    ChangedIds changed[OUTCOME_KINDS];
    bool are_whole; /* the store has a row for each cluster and job of its last commit */
} Outcomes;

Outcomes *outcomes_create(Arena *arena);
/* Gets the world before its first record. */
void outcomes_watch(Outcomes *outcomes, const World *world);
TraceListener outcomes_listener(Outcomes *outcomes);

/* When the journal was replayed: adds the differences to the warnings of the store. */
MUST_CHECK bool outcomes_compare(Outcomes *outcomes, Store *store, Status *status);
/* Continues with the rows of the store, without comparing them: the session is in memory that
 * another process of this build has left. */
void outcomes_attach(Outcomes *outcomes, Store *store);
/* Writes the states that have changed, as part of the next commit. */
MUST_CHECK bool outcomes_store(Outcomes *outcomes, Store *store, Status *status);

#endif
