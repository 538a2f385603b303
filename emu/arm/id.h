/* Ids of resources, times and addresses, as bodies have them. */
#ifndef EMU_ARM_ID_H
#define EMU_ARM_ID_H

#include "emu/arm/arm.h"

/* "/subscriptions/SUB/resourceGroups/RG/providers/Microsoft.BatchAI/workspaces/WS", in `arena`. */
const char *arm_id(const ArmCall *call, RecordKind kind, ResourcePath path);
/* The reverse, in any letter case. False if `id` is not an id of that kind in this subscription. */
bool arm_id_read(const ArmCall *call, const char *id, RecordKind kind, ResourcePath *path);
/* Formats simulated time: "2018-06-15T21:57:57.25Z". */
const char *arm_time(const ArmCall *call, int64_t at_ns);
/* Returns the URL by which the client reaches `target`: "https://127.0.0.1:8443/subscriptions/...".
 */
const char *arm_url(const ArmCall *call, const char *target);

#endif
