/* Joins the journals of shards in one folder. */
#ifndef SIM_STUDY_JOURNAL_MERGE_H
#define SIM_STUDY_JOURNAL_MERGE_H

#include "sim/study/journal/journal.h"

typedef struct {
    RunRecords records;  /* of all folders together */
    int64_t added_count; /* runs that the target lacked before */
    JournalIdentity identity;
} JournalMerge;

/* Appends to the journal 0-0.log of `target` each run of the folders that it lacks, in the order of
 * point and replication. Folders without journals are a problem, as are different studies, versions
 * or catalogues, damaged journals, and runs with two results; then nothing is written. The target
 * may be one of the folders, and may have runs of an earlier merge. A merge that was killed can be
 * repeated. All results live as long as `arena`. */
bool journal_merge(Arena *arena, const char *const *folders, int32_t folder_count,
                   const char *target, JournalMerge *merge, Problems *problems);

#endif
