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
