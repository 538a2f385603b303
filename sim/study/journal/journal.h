/* Journals on disk: DIR/journal/S-R.log, one file for each process of a study. S is the shard and R
 * the rank of the process, both 0 in a single process. The journals are the truth about a study;
 * its tables are made from them.
 *
 * What is guaranteed:
 * - A process that is killed loses at most the runs that it appended in its last
 *   JOURNAL_GROUP_NS. A machine that fails loses those of its last JOURNAL_SYNC_NS, if the disk
 *   keeps its promises. No loss is mistaken for a result.
 * - Two processes of one machine cannot append to the same file (flock). Over NFS the lock is the
 *   server's, so two machines cannot either. On a file system without locks (Lustre without the
 *   mount option flock) nothing keeps them from it, and each process needs another shard. If two
 *   processes append there nevertheless, lines may be damaged; reading reports that.
 * - On a full disk or after another failure the file ends with a whole record. */
#ifndef SIM_STUDY_JOURNAL_JOURNAL_H
#define SIM_STUDY_JOURNAL_JOURNAL_H

#include "sim/base/units.h"
#include "sim/study/journal/identity.h"
#include "sim/study/journal/run_records.h"

#define JOURNAL_GROUP_NS (50 * NS_PER_MS) /* records of this time are written together */
#define JOURNAL_SYNC_NS NS_PER_S

/* A journal that is open for appending. Callers in several threads hold a lock around each call. */
typedef struct Journal Journal;

/* Opens the journal of a process, or creates it, together with its folders. A torn tail of an
 * earlier process is cut off. STATUS_CONFLICT when another process appends to the file;
 * STATUS_BAD_INPUT when the file is damaged or belongs to another study; STATUS_MACHINE. Returns
 * NULL then. `identity` is borrowed; the journal lives until journal_close. */
Journal *journal_open(Arena *arena, const char *folder, const JournalIdentity *identity,
                      int32_t shard, int32_t rank, Status *status);
const char *journal_path(const Journal *journal);

/* Appends the record of a finished run. It is written at once if no other was written within the
 * last JOURNAL_GROUP_NS, otherwise with those that follow. STATUS_MACHINE when writing fails: all
 * later calls fail likewise. */
MUST_CHECK bool journal_append(Journal *journal, const RunRecord *record, Status *status);
/* Writes what is still in memory and waits until the disk has it: after it, another process or
 * machine can read the records. */
MUST_CHECK bool journal_settle(Journal *journal, Status *status);
/* Settles and closes; always releases the file. */
MUST_CHECK bool journal_close(Journal *journal, Status *status);

/* Reads all journals of `folder` that belong to `identity`; other processes may append at the same
 * time. A missing folder has no runs. Problems: a journal of another study, a damaged line, two
 * results of one run (STATUS_MACHINE), a file that cannot be read. `out` lives as long as `arena`.
 */
bool journal_scan(Arena *arena, const char *folder, const JournalIdentity *identity,
                  RunRecords *out, Problems *problems);

/* The same for several folders together. A run that is in two folders counts as a duplicate. */
bool journal_scan_all(Arena *arena, const char *const *folders, int32_t folder_count,
                      const JournalIdentity *identity, RunRecords *out, Problems *problems);

/* The identity of the journals in `folder`, from the first whose header is whole; `*is_found` is
 * false if no header is. */
MUST_CHECK bool journal_folder_identity(Arena *arena, const char *folder, JournalIdentity *identity,
                                        bool *is_found, Status *status);

#endif
