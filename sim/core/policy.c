#include "sim/core/scenario.h"

const char *policy_name(PolicyKind policy)
{
    static const char *const names[] = {
#define X(name, text, what) text,
        POLICIES(X)
#undef X
    };
    _Static_assert(sizeof names / sizeof names[0] == POLICY_COUNT, "one name per policy");
    return names[policy];
}
