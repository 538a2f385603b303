/* Colours with a meaning that several figures of a run share. tests/reports/run/figures checks
 * that they differ for readers without green cones too, and on light and dark paper. */
#ifndef REPORTS_RUN_PALETTE_H
#define REPORTS_RUN_PALETTE_H

#include "reports/figure/bars.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/output/summary/summary.h"

enum { SIZE_CLASSES_MAX = 6 };

/* Bars of the Gantt chart, in the order of a job's life, which is that of the legend. */
typedef enum {
    BAR_NODE_PREPARING,
    BAR_NODE_IDLE,
    BAR_QUEUED,
    BAR_MOUNT,
    BAR_PULL,
    BAR_CONTAINER,
    BAR_PREPARATION,
    BAR_START,
    BAR_DOWNLOAD,
    BAR_DATA,
    BAR_PROGRAM,
    BAR_TRAINING,
    BAR_EVALUATION,
    BAR_CHECKPOINT,
    BAR_NODE_LEAVING,
    BAR_NODE_UNUSABLE,
    BAR_FAILED,
    BAR_COUNT
} Bar;

/* Stages are near P. Tol's "muted" scheme. */
extern const Shade bar_shades[BAR_COUNT];

/* Parts of training time. P. Tol's "bright" scheme. */
extern const BarShade step_part_shades[PART_COUNT];

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
