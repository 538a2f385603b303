#include "sim/cloud/policy/policy.h"

#include "sim/base/invariant.h"

static const Policy policies[] = {
#define X(name, function, text, sight, victim, what)                                               \
    {text, what, POLICY_SEES_##sight, policy_##function, victim},
    POLICIES(X)
#undef X
};
_Static_assert(sizeof policies / sizeof policies[0] == POLICY_COUNT, "one row per policy");

const Policy *policy_of(PolicyKind kind)
{
    invariant(kind < POLICY_COUNT);
    return &policies[kind];
}

int64_t policy_most_slots(const PolicyView *view)
{
    const JobRequest all = {.kind = REQUEST_NODES, .nodes = view->most_nodes};
    const int64_t slots = request_slots(all, view->room.gpus_per_node);
    const SlotLimit limit = view->room.limit;
    return limit.is_set && slots > limit.most ? limit.most : slots;
}

bool policy_is_possible(const PolicyView *view, JobRequest request)
{
    const int32_t idle = view->room.idle_nodes, per_node = view->room.gpus_per_node;
    const int32_t most = idle > view->most_nodes ? idle : view->most_nodes;
    const SlotLimit limit = view->room.limit;
    return request_is_possible(request, most, room_whole(view->room)) &&
           (!limit.is_set || request_slots(request, per_node) <= limit.most);
}
