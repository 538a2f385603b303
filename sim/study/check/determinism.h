/* Whether a second run of a scenario has the same records and the same summary as the first. */
#ifndef SIM_STUDY_CHECK_DETERMINISM_H
#define SIM_STUDY_CHECK_DETERMINISM_H

#include "sim/json/json.h"
#include "sim/output/explain/row_watch.h"

/* Repeats a run. */
typedef struct {
    void *owner;
    /* Runs the scenario in `arena` with `watch` as an additional listener, and returns its
     * summary. NULL with problems. */
    const Json *(*run)(void *owner, Arena *arena, RowWatch *watch, Problems *problems);
} RunAgain;

/* Compares the second run with the first, whose listener was `first` and whose summary is
 * `summary`. The second run has other addresses in memory. False with an explanation, which names
 * the first record that differs, or with problems. */
MUST_CHECK bool determinism_holds(RunAgain again, const RowWatch *first, const Json *summary,
                                  Text *explanation, Problems *problems);

#endif
