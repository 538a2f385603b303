/* Resources in bodies of answers: single ones, and lists. */
#ifndef EMU_ARM_RESOURCE_H
#define EMU_ARM_RESOURCE_H

#include "emu/arm/arm.h"
#include "sim/json/json.h"

/* --- Bodies: members have the order in which they are put --- */
void arm_put_time(const ArmCall *call, Json *object, const char *key, int64_t at_ns);
/* Returns a copy of the member `key` of `kept`. NULL if `kept` is NULL or has no such member. */
Json *arm_kept(Arena *arena, const Json *kept, const char *key);
/* The same as a member of `object`; no member is made for NULL. */
void arm_put_kept(Arena *arena, Json *object, const Json *kept, const char *key);
/* Returns the text of the member `key` of the record's kept properties; NULL if there is none. */
const char *arm_kept_text(const Record *record, const char *key);
/* Returns {"location", "tags"}: the properties to keep for a resource without others. `tags` may be
 * NULL. */
Json *arm_place_and_tags(Arena *arena, const char *location, const Json *tags);
/* {"id", "name", "type"} */
Json *arm_resource(const ArmCall *call, const Record *record);
/* Answers {"value": [...]} with the resources below `scope`, in the order of their creation: at
 * most as many as "maxresults" (or "$top") of the query allows, then with a "nextLink". */
typedef Json *ArmShow(const ArmCall *call, const Record *record);
void arm_list(const ArmCall *call, RecordKind kind, ResourcePath scope, ArmShow *show);
/* The same for several kinds, one after the other, with only the resources that fit. */
typedef bool ArmFits(const void *filter, const Record *record);
typedef struct {
    const RecordKind *kinds;
    int32_t kind_count;
    ResourcePath scope;
    ArmShow *show;
    ArmFits *fits;      /* NULL: all do */
    const void *filter; /* the "$filter" of the query, for `fits` */
} ArmList;
void arm_list_of(const ArmCall *call, const ArmList *list);

#endif
