/* Resources as bodies tell them: one, and lists. */
#ifndef EMU_ARM_RESOURCE_H
#define EMU_ARM_RESOURCE_H

#include "emu/arm/arm.h"
#include "sim/json/json.h"

/* Members come in the order in which they are put. */
void arm_put_time(const ArmCall *call, Json *object, const char *key, int64_t at_ns);
/* A copy of what `kept` (NULL: nothing) has under `key`; NULL. */
Json *arm_kept(Arena *arena, const Json *kept, const char *key);
/* The same as a member of `object`; none if there is nothing. */
void arm_put_kept(Arena *arena, Json *object, const Json *kept, const char *key);
/* The text that it has there; NULL. */
const char *arm_kept_text(const Record *record, const char *key);
/* {"location", "tags"}, to keep of a resource that has nothing else of its own; `tags` may be NULL.
 */
Json *arm_place_and_tags(Arena *arena, const char *location, const Json *tags);
/* {"id", "name", "type"} */
Json *arm_resource(const ArmCall *call, const Record *record);
/* {"value": [...]} of the resources below `scope`, in the order in which they were made, at most
 * "maxresults" (or "$top") of the query and then with a "nextLink". */
typedef Json *ArmShow(const ArmCall *call, const Record *record);
void arm_list(const ArmCall *call, RecordKind kind, ResourcePath scope, ArmShow *show);
/* The same of several kinds, one after the other, and of those alone that fit. */
typedef bool ArmFits(const void *filter, const Record *record);
typedef struct {
    const RecordKind *kinds;
    int32_t kind_count;
    ResourcePath scope;
    ArmShow *show;
    ArmFits *fits;      /* NULL: all do */
    const void *filter; /* what "$filter" of the query says, for `fits` */
} ArmList;
void arm_list_of(const ArmCall *call, const ArmList *list);

#endif
