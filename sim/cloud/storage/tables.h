/* Private to sim/cloud/storage: the tables that it keeps. */
#ifndef SIM_CLOUD_STORAGE_TABLES_H
#define SIM_CLOUD_STORAGE_TABLES_H

#include "sim/base/row_table.h"
#include "sim/cloud/spec/event.h"
#include "sim/cloud/storage/storage.h"

typedef struct {
    Share *share;
    uint32_t generation; /* grows when the share's next end moves */
    int64_t gone_ns;     /* the time of its deletion, if is_gone */
    bool is_gone;        /* deleted */
    /* The speeds of overlapping faults, in rows that are reused; -1: a free row. */
    int64_t *fault_ppm;
    uint32_t fault_count, fault_capacity;
} ShareRow;

struct Storage {
    Arena *arena;
    Engine *engine;
    TraceRecorder *recorder;
    const Scenario *scenario;
    Names *names;
    Resources *resources;
    TransferClient client;
    RowTable shares;    /* ShareRow */
    RowTable transfers; /* TransferRow; rows are used again */
    uint32_t first_free_transfer;
    RowTable file_servers; /* FileServer */
    FileSet *files;        /* on shares, and on nodes where scripts run */
};

ShareRow *storage_share_row(const Storage *storage, ShareId share);
/* To be called when the next end of a transfer on the share has moved: pushes the event for it, and
 * the earlier event becomes stale. */
void share_expect_next_end(Storage *storage, ShareId share);

#endif
