/* Colours with a meaning that several figures of a run share. tests/reports/test_palette.c checks
 * that they differ for readers without green cones too, and on light and dark paper. */
#ifndef REPORTS_RUN_PALETTE_H
#define REPORTS_RUN_PALETTE_H

#include "reports/figure/figure.h"
#include "sim/cloud/cluster/cluster.h"

enum { SIZE_CLASSES_MAX = 6 };

/* States of nodes; a running node where the size of its job does not matter. */
extern const Shade node_shades[NODE_STATE_COUNT];
/* Sizes of jobs, in a figure with `count` of them: few differ as much as possible. */
int32_t size_class_rgb(int32_t class, int32_t count);

enum {
    RGB_JOBS_RUN = 0x4477AA,
    RGB_JOBS_WAIT = 0xEE8866,
    RGB_ALL_JOBS = 0xE08A1E,
    RGB_FREE = 0xC3CBD2
};

#endif
