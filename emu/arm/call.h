/* What handlers of the Resource Manager share: answers, errors, and checks of requests. */
#ifndef EMU_ARM_CALL_H
#define EMU_ARM_CALL_H

#include "emu/arm/arm.h"
#include "sim/json/json.h"

/* --- Answers --- */

/* `value` as the body. */
void arm_answer(const ArmCall *call, int32_t status, const Json *value);
/* {"error": {"code": ..., "message": ...}}. Never with Retry-After: clients would ask again. */
void arm_error(const ArmCall *call, int32_t status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What the world or a reader refused, by its code: 400, 404, 409, 507; the first of several, and
 * how many more. A problem in `body` (NULL: none) is named by its path there,
 * "properties.scaleSettings.manual". */
void arm_refusal(const ArmCall *call, const Json *body, const Problems *problems);
/* 404 as the service worded it: "WorkspaceNotFound: The specified workspace w is not found". */
void arm_not_found(const ArmCall *call, RecordKind kind, ResourcePath path);
/* ETag and Last-Modified of a resource, as the service stamped its record. */
void arm_stamp(const ArmCall *call, const Record *record);

/* --- Requests --- */

/* The request's body as JSON (an absent one is an empty object); NULL after answering 400. */
const Json *arm_body(const ArmCall *call);
/* The resource of that path, or NULL after answering 404 for what is missing first on the way. */
const Record *arm_find(const ArmCall *call, RecordKind kind, ResourcePath path);
/* Whether all above a resource exists, whose names are then in `path` as they were first written;
 * otherwise 404 is answered. */
bool arm_has_parents(const ArmCall *call, ResourcePath *path);
/* Its deletion is under way: it is told of and found, but not to be changed. */
bool arm_is_being_deleted(const ArmCall *call, const Record *record);
/* Keeps this of a resource from now on; false after answering that the disk is full. */
bool arm_keep(const ArmCall *call, Record *record, const Json *kept);
/* Whether a resource may be called so (1 to 64 letters, digits, '-', '_'); otherwise 400. */
bool arm_name_is_fine(const ArmCall *call, const char *name);
/* A whole number in the query, or `fallback`. False after answering 400. */
bool arm_query_number(const ArmCall *call, const char *name, int64_t least, int64_t most,
                      int64_t fallback, int64_t *value);

/* {"tags": {...}} of a body: NULL when it has none. False after answering 400: tags are texts. */
bool arm_tags(const ArmCall *call, const Json *body, const Json **tags);

/* Enters a command in the session (emu/session/session.h); false after answering what is wrong with
 * `body` (NULL: none). */
bool arm_do(const ArmCall *call, const Json *body, const Json *command, const Json *kept);

#endif
