#include "sim/scenario/format/quota_types.h"

#define OWNER QuotaText
static const Field quota_fields[] = {
    FIELD_INTEGER("dedicated", dedicated, 0, INT32_MAX, NULL, "cores of dedicated nodes"),
    FIELD_INTEGER("low_priority", low_priority, 0, INT32_MAX, NULL, "cores of low-priority nodes"),
    {0},
};
#undef OWNER
const ObjectType quota_type = {"quota", "Cores that a subscription may hold.", sizeof(QuotaText),
                               quota_fields};
