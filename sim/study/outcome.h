/* The findings of a sweep so far, of the sweep itself or read from its folder: reports are made
 * from them, with the same bytes in both cases. */
#ifndef SIM_STUDY_OUTCOME_H
#define SIM_STUDY_OUTCOME_H

#include "sim/study/idle_factors.h"
#include "sim/study/journal/identity.h"
#include "sim/study/study_tables.h"

typedef struct {
    StudyFindings findings;
    JournalIdentity identity;
    int32_t idle_count;
    const IdleLevels *idle;
    /* Runs of the waves that have begun, of which `done_count` are finished. With a rule that ends
     * points early, an unfinished study may need more. */
    int64_t done_count, run_count;
} StudyOutcome;

/* The tree of `folder`/study.json; NULL with a problem, and a hint when there is no such file. */
const Json *study_folder_load(Arena *arena, FileSource files, const char *folder,
                              Problems *problems);
/* Reads `folder`/study.json and the journals: while a sweep runs there, too. The study has neither
 * a scenario nor spans of factors. Lives in `arena`. False with problems. */
MUST_CHECK bool study_outcome_read(Arena *arena, FileSource files, const char *folder,
                                   StudyOutcome *outcome, Problems *problems);

/* The study, its identity and its idle levels, from the tree of a study.json. STATUS_BAD_INPUT when
 * it is not such a tree. */
MUST_CHECK bool study_outcome_read_tree(Arena *arena, const Json *root, StudyOutcome *outcome,
                                        Status *status);

#endif
