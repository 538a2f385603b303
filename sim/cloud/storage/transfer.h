/* Transfers to and from shares: first the latency, then a part of the share's rate
 * (sim/cloud/storage/share.h), as far as the links of its nodes allow
 * (sim/cloud/storage/links.h). */
#ifndef SIM_CLOUD_STORAGE_TRANSFER_H
#define SIM_CLOUD_STORAGE_TRANSFER_H

#include "sim/cloud/record/ids.h"
#include "sim/cloud/storage/links.h"
#include "sim/cloud/storage/share.h"

typedef struct Storage Storage;

/* A requested transfer. */
typedef struct {
    ShareId share;
    TransferKind kind;
    int64_t bytes;
    int32_t files;     /* >= 1, of equal size, transferred at the same time */
    ClusterId cluster; /* cluster, job and node appear in the record of the transfer */
    JobId job;
    NodeId node;
    uint32_t purpose;   /* used by the client only */
    int32_t node_index; /* likewise */
} Transfer;

/* The client that starts transfers; filled in by sim/cloud/job. */
typedef struct {
    void *client;
    void (*transfer_done)(void *client, const Transfer *transfer);
} TransferClient;

/* The transfers under way for one job. All zero: none. */
typedef struct {
    uint32_t first; /* the row of the newest, + 1; 0: none */
    int32_t count;
} TransferList;

/* Starts a transfer over the links of its nodes (without any: only its share limits it) and adds it
 * to `list`. `list` and the links must keep their addresses until the transfer ends. */
void transfer_start(Storage *storage, TransferList *list, Transfer transfer, int32_t way_count,
                    const TransferWay *ways);
/* Cancels all transfers of a list. */
void transfers_cancel(Storage *storage, TransferList *list);
/* Calls `found` with the share of every transfer, also of one that hangs. */
void transfers_each_share(const Storage *storage, void *context,
                          void (*found)(void *context, ShareId share));

/* --- Events --- */

/* The latency has passed: the transfer joins its share. */
void transfer_joins(Storage *storage, uint32_t row);
uint32_t transfer_generation(const Storage *storage, uint32_t row);
/* The next transfer of a share that is divided equally ends. */
void share_next_end(Storage *storage, ShareId share);
/* The next transfer of the shares that are not divided equally ends. */
void transfers_next_limited_end(Storage *storage);
uint32_t transfers_limited_generation(const Storage *storage);

/* Checks the list of one job; returns how many transfers it has. */
int32_t transfer_list_check(const Storage *storage, const TransferList *list, JobId job);
/* Checks that shares and lists agree; all lists together have `listed` transfers. */
void transfers_check(const Storage *storage, int32_t listed);

#endif
