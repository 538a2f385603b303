/* Ids are small structs, so that a job cannot be passed in place of a node. An id is an index into
 * the world's table of that kind, assigned in order of creation and never reused. */
#ifndef SIM_CLOUD_RECORD_IDS_H
#define SIM_CLOUD_RECORD_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define ID_NONE UINT32_MAX

typedef struct {
    uint32_t index;
} ClusterId;
typedef struct {
    uint32_t index;
} NodeId; /* across all clusters */
typedef struct {
    uint32_t index;
} JobId;
typedef struct {
    uint32_t index;
} ShareId;

#endif
