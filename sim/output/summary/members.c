#include "sim/output/summary/members.h"

#include "sim/engine/sample.h"
#include "sim/output/summary/capped.h"
#include "sim/output/summary/decimal.h"
#include "sim/output/summary/metrics.h"

void member_text(Arena *arena, Json *object, const char *key, const char *text)
{
    json_set(arena, object, key, text != NULL ? json_string(arena, text) : json_null(arena));
}

void member_integer(Arena *arena, Json *object, const char *key, int64_t value)
{
    json_put_integer(arena, object, key, value);
}

void member_seconds(Arena *arena, Json *object, const char *key, Wide ns)
{
    json_set(arena, object, key, decimal_json(arena, ns, DECIMALS_S));
}

void member_usd(Arena *arena, Json *object, const char *key, int64_t micro_usd)
{
    json_set(arena, object, key, decimal_json(arena, micro_usd, DECIMALS_USD));
}

void member_moment(Arena *arena, Json *object, const char *key, int64_t at_ns)
{
    if (at_ns == METRIC_NEVER)
        json_put_null(arena, object, key);
    else
        member_seconds(arena, object, key, at_ns);
}

void member_between(Arena *arena, Json *object, const char *key, int64_t from_ns, int64_t to_ns)
{
    const bool is_over = from_ns != METRIC_NEVER && to_ns != METRIC_NEVER;
    member_moment(arena, object, key, is_over ? to_ns - from_ns : METRIC_NEVER);
}

void member_share(Arena *arena, Json *object, const char *key, Wide part, Wide whole)
{
    json_set(arena, object, key,
             whole > 0 ? decimal_json(arena, wide_proportion(part, PPM, whole), DECIMALS_RATIO)
                       : json_null(arena));
}

void member_spread(Arena *arena, Json *object, const char *key, int64_t *times_ns, uint32_t count)
{
    if (count == 0) {
        json_put_null(arena, object, key);
        return;
    }
    Wide sum_ns = 0;
    uint32_t endless = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum_ns += times_ns[i];
        endless += times_ns[i] == METRIC_NEVER;
    }
    Json *spread = json_put_object(arena, object, key);
    if (endless > 0)
        json_put_null(arena, spread, "mean");
    else
        member_seconds(arena, spread, "mean", sum_ns / count);
    member_moment(arena, spread, "p50", percentile_of(times_ns, count, 50));
    member_moment(arena, spread, "p95", percentile_of(times_ns, count, 95));
    member_moment(arena, spread, "p99", percentile_of(times_ns, count, 99));
    member_moment(arena, spread, "max", percentile_of(times_ns, count, 100));
    if (endless > 0)
        member_integer(arena, spread, "waiting", endless);
}

void member_uses(Arena *arena, Json *object, const Wide *use_ns, const int64_t *use_micro_usd)
{
    Json *uses = json_put_object(arena, object, "attribution");
    for (int use = 0; use < USE_COUNT; use++) {
        const char *name = node_use_name((NodeUse)use);
        member_seconds(arena, uses, arena_printf(arena, "%s_s", name), use_ns[use]);
        member_usd(arena, uses, arena_printf(arena, "%s_usd", name), use_micro_usd[use]);
    }
}

Wide uses_forward_ns(const Wide *use_ns)
{
    static const NodeUse forward[] = {USE_EXCHANGE, USE_INPUT, USE_CHECKPOINT};
    Wide sum_ns = use_ns[USE_USEFUL];
    for (size_t i = 0; i < sizeof forward / sizeof forward[0]; i++)
        sum_ns += use_ns[forward[i]];
    return sum_ns;
}

Wide uses_sum_ns(const Wide *use_ns)
{
    Wide sum_ns = 0;
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        sum_ns += use_ns[use];
    return sum_ns;
}
