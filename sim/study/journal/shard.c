#include "sim/study/journal/shard.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/piece.h"

/* Without a stopping rule, each shard gets about so many blocks: the more, the better the balance
 * between points that take long and points that do not; the fewer, the less often a process
 * prepares a point. */
enum { BLOCKS_OF_SHARD = 8 };

bool shard_parse(const char *text, Place at, Shard *shard, Status *status)
{
    Piece rest = piece_of(at.source, text, strlen(text)), index_text;
    uint64_t index = 0, count = 0;
    const bool is_read = piece_cut(&rest, '/', &index_text) && rest.text &&
                         piece_digits(index_text, SHARDS_MAX, &index) &&
                         piece_digits(rest, SHARDS_MAX, &count) && count > 0;
    if (is_read && index < count) {
        *shard = (Shard){(int32_t)index, (int32_t)count};
        return true;
    }
    if (!is_read) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "\"%s\" is not a shard: expected I/N, with N from 1 to %d", text, SHARDS_MAX);
        return status_hint(status, "\"0/8\" is the first of 8 shards, \"7/8\" the last");
    }
    status_fail(status, STATUS_BAD_INPUT, at,
                "there is no shard %" PRIu64 " of %" PRIu64 ": shards count from 0", index, count);
    return status_hint(status, "the last is \"%" PRIu64 "/%" PRIu64 "\"", count - 1, count);
}

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

/* How many shards have a part of the point, where there are more shards than points. Each of them
 * has a block of the first wave. */
static int32_t group_size(const ShardPlan *plan, int32_t point)
{
    const int32_t shards =
        plan->shard.count / plan->point_count + (point < plan->shard.count % plan->point_count);
    return least(shards, plan->row_blocks);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Where a row begins, further than the row before it: the golden section of the shards spreads the
 * rows evenly, however many there are; without a common divisor every shard has its turn. */
static int64_t row_shift(int64_t shard_count)
{
    int64_t shift = shard_count * 618034 / 1000000;
    while (shift > 1 && common_divisor(shift, shard_count) != 1)
        shift--;
    return shift;
}

ShardPlan shard_plan(Shard shard, int32_t point_count, int32_t replications, bool has_stop_rule)
{
    invariant(shard.index >= 0 && shard.index < shard.count && point_count > 0);
    invariant(replications > 0);
    const int64_t runs = (int64_t)point_count * replications;
    const int64_t wanted = has_stop_rule ? replications / (shard.count / point_count + 1)
                                         : runs / ((int64_t)shard.count * BLOCKS_OF_SHARD);
    const int32_t block = wanted > 1 ? least(wanted, replications) : 1;
    return (ShardPlan){.shard = shard,
                       .point_count = point_count,
                       .deals_points = has_stop_rule,
                       .block = block,
                       .row_blocks = (replications + block - 1) / block,
                       .row_shift = row_shift(shard.count)};
}

/* The shard that gets card `number`. */
static int64_t deal(const ShardPlan *plan, int64_t number)
{
    const int64_t shards = plan->shard.count, row = number / shards % shards;
    return (number + row * plan->row_shift) % shards;
}

bool shard_has(const ShardPlan *plan, int32_t point, int32_t replication)
{
    const int32_t block = replication / plan->block;
    int64_t owner;
    if (!plan->deals_points)
        owner = deal(plan, (int64_t)point * plan->row_blocks + block);
    else if (!shard_needs_others(plan))
        owner = deal(plan, point);
    else
        owner = point + (int64_t)plan->point_count * (block % group_size(plan, point));
    return owner == plan->shard.index;
}

bool shard_needs_others(const ShardPlan *plan)
{
    return plan->deals_points && plan->shard.count > plan->point_count;
}
