/* Shards: N processes that share nothing divide the runs of a study. Which shard has a run depends
 * on the study and N alone, so that a shard that is started again has the same runs.
 *
 * - Without a stopping rule, blocks of replications are numbered point by point and dealt to the
 *   shards in rows of N. Each row begins at another shard, about 0.618 N further. All shards get
 *   equally many blocks, give or take one, and no shard gets the same level of a factor in each
 *   row, as it would if row after row began at shard 0 and N divided the size of a grid.
 * - With a stopping rule, whole points are dealt in this way. A shard then has all replications of
 *   its points and ends them without the other shards.
 * - With a stopping rule and more shards than points, point p belongs to the shards p, p + P,
 *   p + 2 P, ... of P points, which deal its blocks in turn. The end of a wave then needs the
 *   records of all of them: in one folder, or merged. */
#ifndef SIM_STUDY_JOURNAL_SHARD_H
#define SIM_STUDY_JOURNAL_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

/* Shard `index` of `count`, from 0; 0 of 1 is the whole study. */
typedef struct {
    int32_t index, count;
} Shard;

enum { SHARDS_MAX = 1000000 };

/* Reads "3/8". STATUS_BAD_INPUT for anything else, also for "8/8". */
MUST_CHECK bool shard_parse(const char *text, Place at, Shard *shard, Status *status);

typedef struct {
    Shard shard;
    int32_t point_count;
    bool deals_points;  /* whole points, or the points of a group of shards */
    int32_t block;      /* replications of a block */
    int32_t row_blocks; /* blocks of a point, where blocks of all points are dealt */
    int64_t row_shift;  /* how many shards further each row of N begins */
} ShardPlan;

/* `replications`: of each point, or of its first wave if a rule stops it. */
ShardPlan shard_plan(Shard shard, int32_t point_count, int32_t replications, bool has_stop_rule);
/* True if this shard has the run. */
bool shard_has(const ShardPlan *plan, int32_t point, int32_t replication);
/* True if shards share the points, so that none can end a wave alone. */
bool shard_needs_others(const ShardPlan *plan);

#endif
