/* Everything that is stored: file shares and blob containers, the files on them, and the file
 * servers whose disks are mounted as shares. */
#ifndef SIM_CLOUD_STORAGE_STORAGE_H
#define SIM_CLOUD_STORAGE_STORAGE_H

#include "sim/cloud/record/recorder.h"
#include "sim/cloud/resource/resource.h"
#include "sim/cloud/storage/file_set.h"
#include "sim/cloud/storage/share.h"
#include "sim/cloud/storage/transfer.h"

typedef struct Storage Storage;

/* Lives as long as `run`. */
Storage *storage_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                               const Scenario *scenario, Names *names, Resources *resources);
/* Sets the client that is notified of the ends of transfers; once, before the first transfer. */
void storage_connect(Storage *storage, TransferClient client);

/* --- Shares --- */

uint32_t storage_share_count(const Storage *storage); /* deleted ones included */
/* The index of the first share from `share` on that is not forgotten; storage_share_count: there is
 * none. */
uint32_t storage_share_next(const Storage *storage, uint32_t share);
/* Forgets a deleted share, which no event, transfer, file of a job or name in a spec refers to, and
 * the files that clients have left on it. */
void storage_share_forget(Storage *storage, ShareId share);
/* NULL: the share is forgotten. */
const Share *storage_share(const Storage *storage, ShareId share);
/* The share called "account/share" or "fileserver/...", deleted or not; ID_NONE: there was never
 * one, or it is forgotten. */
ShareId storage_find_share(const Storage *storage, const char *name);
/* The same, if the share exists and can be mounted; else ID_NONE. */
ShareId storage_find_existing(const Storage *storage, const char *name);
/* Whether a share of that name exists and can be mounted. */
bool storage_has_share(const Storage *storage, const char *name);
/* Whether the share was deleted, forgotten or not; clients that have mounted it hang. */
bool storage_share_is_gone(const Storage *storage, ShareId share);
/* The time from the share's creation to its deletion, or to now. */
int64_t storage_share_existed_ns(const Storage *storage, ShareId share);

/* Adds a share. storage_find_share no longer finds a deleted share of the same name. */
ShareId storage_add_share(Storage *storage, const char *name, const ShareTier *tier);
/* Deletes a share without a record of it: transfers under way hang for ever, and it cannot be
 * mounted. */
void storage_lose_share(Storage *storage, ShareId share);
/* Deletes a share and emits TRACE_RESOURCE_DELETED. */
void storage_delete_share(Storage *storage, ShareId share);
/* Deletes all shares of a storage account. */
void storage_delete_account(Storage *storage, const char *account);

/* The service's message for a blob container that cannot be mounted; `trouble` is the reason, such
 * as "doesn't exist". In `arena`. */
const char *storage_blob_message(Arena *arena, const char *share, const char *trouble);

/* --- Files --- */

FileSet *storage_files(Storage *storage);
/* A file on a share, by its number (TraceRecord.file). */
const StoredFile *storage_file(const Storage *storage, uint32_t file);
/* Writes a file, which replaces another of its name, and emits `record`, which has begun and has
 * the job, the bytes and the path (name). `upload` is the command that uploads it; NULL: a job
 * writes it. */
void storage_write_file(Storage *storage, TraceRecord *record, ShareId share,
                        const Command *upload);
void storage_remove_file(Storage *storage, ShareId share, const char *path);

/* --- Faults --- */

/* Slows a share down to this speed (0: it does not answer) for `duration_ns`; INT64_MAX: for ever.
 * If faults overlap, the slowest counts. No fault makes a share faster than its tier. */
void share_slows(Storage *storage, ShareId share, int64_t speed_ppm, int64_t duration_ns);

/* --- Events --- */

/* Ends a fault of the share. */
void share_restored(Storage *storage, ShareId share, uint32_t fault);
/* The generation of EVENT_SHARE_NEXT_END, which becomes stale when the next end moves. */
uint32_t share_generation(const Storage *storage, ShareId share);

#endif
