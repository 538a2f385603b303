/* The links of nodes as limits of their transfers to and from shares.
 *
 * A node's link has the network rate of its VM size, and all transfers of the node share it. While
 * every link could carry what its transfers get from equal parts of their shares, links do not
 * matter and shares are divided equally (sim/cloud/storage/share.h): the usual case, which costs
 * one comparison.
 *
 * Once a link could not, the shares of its transfers, and all shares that are connected to them by
 * links that may become full, are divided at max-min fair rates (sim/cloud/network/wires.h): a
 * transfer that its link slows down leaves the rest of its part to the others. A transfer crosses
 * its share with all of its files, and the link of each of its nodes with the files of this node.
 * All files of a transfer advance at one rate. As soon as equal parts suffice again, the shares
 * return to them.
 *
 * Rates are those of reading in large requests. A transfer with other limits (writes, requests of
 * few bytes) takes the share's time for more bytes than it has; it crosses links with the smaller
 * number, so that shares without full links are divided as share.h says.
 *
 * The exchange of gradients, downloads from the internet and pulls of images do not compete with
 * transfers for a link. */
#ifndef SIM_CLOUD_STORAGE_LINKS_H
#define SIM_CLOUD_STORAGE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cloud/record/ids.h"

typedef struct Storage Storage;

/* A transfer that crosses a link: its row, and the index of the link in it. */
typedef struct {
    uint32_t transfer;
    int32_t way;
} LinkUse;

/* One node's link. Zero but for bytes_per_s: no transfer is under way. Only links.c changes it. */
typedef struct {
    int64_t bytes_per_s; /* > 0, each way */
    int64_t parts_ppm;   /* of all transfers that cross it */
    LinkUse *uses;
    uint32_t use_count, use_capacity;
    uint32_t flow_count; /* of these in Storage.wires */
    uint32_t wire;       /* its number there, while flow_count > 0 */
    uint64_t visit;
} NodeLink;

/* A node's part of a transfer. */
typedef struct {
    NodeLink *link;
    int32_t files; /* that cross it */
} TransferWay;

/* --- For the other files of this folder --- */

/* A transfer has joined its share, and crosses its links from now on. */
void links_join(Storage *storage, uint32_t transfer);
/* Takes a transfer out of the max-min fair division, in order to end it or to cancel it. */
void links_pause(Storage *storage, uint32_t transfer);
/* A transfer has left its share, at its end or before. */
void links_leave(Storage *storage, uint32_t transfer);
/* Before and after the speed of a share changes. */
void links_before_speed(Storage *storage, ShareId share);
void links_after_speed(Storage *storage, ShareId share);
/* The transfer that ends next of those in the max-min fair division. */
uint32_t links_end_next(Storage *storage);

/* Checks that no link and no share carries more than its rate. */
void links_check(const Storage *storage);

#endif
