/* Private to sim/cloud/storage: the tables that it keeps. */
#ifndef SIM_CLOUD_STORAGE_TABLES_H
#define SIM_CLOUD_STORAGE_TABLES_H

#include "sim/base/row_table.h"
#include "sim/cloud/network/wires.h"
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
    /* --- For links.c --- */
    uint32_t first_joined, last_joined; /* rows of its transfers, + 1; 0: none */
    int64_t safe_bytes_per_s; /* as long as no file has more, no link of its transfers is full */
    bool is_limited;          /* divided at max-min fair rates */
    uint32_t wire;            /* its number in Storage.wires, if is_limited */
    uint64_t visit;
} ShareRow;

/* Where a transfer crosses a link. */
typedef struct {
    NodeLink *link;
    int64_t parts_ppm;
    int32_t files;
    uint32_t place; /* in NodeLink.uses */
} RowWay;

typedef struct {
    Transfer transfer;
    bool is_used;
    bool has_joined; /* its latency has passed */
    uint32_t generation;
    int64_t begin_ns;
    uint32_t ticket; /* on the share, once it has joined */
    TransferList *list;
    uint32_t next_of_list; /* neighbours in the list; ID_NONE at the ends */
    uint32_t previous_of_list;
    uint32_t next_free; /* of a free row; ID_NONE: the last */
    /* --- For links.c --- */
    int32_t way_count;
    uint32_t way_capacity;
    RowWay *ways;
    uint32_t next_joined, previous_joined; /* of the share, + 1; 0 at the ends */
    bool is_flow;                          /* it moves in Storage.wires */
    uint32_t flow;
    /* The rest of each of its files when it last began or ceased to be a flow: work of the share,
     * and amount of the wires. One is the other rounded up, so within an instant it may change back
     * and forth without loss. */
    int64_t changed_ns;
    ShareWork left_work;
    WireAmount left_amount;
    bool is_limited;    /* by a link, since noted_ns */
    int64_t noted_ns;   /* the last change of any rate */
    int64_t limited_ns; /* by links before that */
} TransferRow;

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
    Wires *wires;              /* NULL before a link was full */
    uint32_t wires_generation; /* grows when the next end in `wires` moves */
    uint64_t visits;           /* by links.c */
    uint32_t *found;           /* shares that the last visit found */
    uint32_t found_count, found_capacity;
    uint32_t *crossed; /* room for the links of a flow ... */
    int64_t *crossed_ppm;
    uint32_t crossed_capacity;
    RowTable file_servers; /* FileServer */
    FileSet *files;        /* on shares, and on nodes where scripts run */
};

ShareRow *storage_share_row(const Storage *storage, ShareId share);
TransferRow *storage_transfer_row(const Storage *storage, uint32_t transfer);
/* To be called when the next end of a transfer on the share has moved: pushes the event for it, and
 * the earlier event becomes stale. */
void share_expect_next_end(Storage *storage, ShareId share);

#endif
