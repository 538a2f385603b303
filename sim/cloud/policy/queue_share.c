#include "sim/cloud/policy/queue_share.h"

#include "sim/base/wide.h"

bool queue_is_before(const QueueSpec *a, int64_t a_used, const QueueSpec *b, int64_t b_used)
{
    if ((a->guaranteed == 0) != (b->guaranteed == 0))
        return b->guaranteed == 0;
    if (a->guaranteed == 0)
        return a_used < b_used;
    return (Wide)a_used * b->guaranteed < (Wide)b_used * a->guaranteed;
}
