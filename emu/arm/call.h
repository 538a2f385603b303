/* Answers, errors and checks of requests, for the handlers of the Resource Manager. */
#ifndef EMU_ARM_CALL_H
#define EMU_ARM_CALL_H

#include "emu/arm/arm.h"
#include "emu/http/azure_error.h"
#include "sim/json/json.h"

/* --- Answers --- */

/* Answers with `value` as the body. */
void arm_answer(const ArmCall *call, int32_t status, const Json *value);
/* {"error": {"code": ..., "message": ...}} with the texts that the error's message contains. Never
 * with Retry-After: clients would ask again. After an earlier error of the request the answer has
 * that one, and all of them in "details": Azure's form (CloudErrorBody of the API's Swagger file),
 * though no answer with details is recorded. Returns false. */
bool arm_error(const ArmCall *call, AzureError error, ...);
/* The same for an error that is in no table: a fault of the scenario. */
void arm_error_with(const ArmCall *call, int32_t status, const char *code, const char *message);
/* Answers each of `problems`, which the world or a reader reported, as arm_error does. The status
 * depends on the code: 400, 404, 409 or 507. A problem in `body` (NULL: there is no body) is named
 * by its path there, "properties.scaleSettings.manual". */
void arm_refusal(const ArmCall *call, const Json *body, const Problems *problems);
/* Answers 404 in the service's words: "WorkspaceNotFound: The specified workspace w is not found".
 */
void arm_not_found(const ArmCall *call, RecordKind kind, ResourcePath path);
/* Sets ETag and Last-Modified from the time of the last write to the resource. */
void arm_stamp(const ArmCall *call, const Record *record);

/* --- Requests --- */

/* Returns the request's body as JSON, an empty object if there is no body. NULL after answering
 * 400. */
const Json *arm_body(const ArmCall *call);
/* Returns the resource of that path. NULL after answering 404 for the first resource on the path
 * that does not exist. */
const Record *arm_find(const ArmCall *call, RecordKind kind, ResourcePath path);
/* Whether all parents of a resource exist. Their names in `path` are then in the letters of their
 * first spelling. False after answering 404. */
bool arm_has_parents(const ArmCall *call, ResourcePath *path);
/* Whether the resource is being deleted: it can be found and listed, but not changed. */
bool arm_is_being_deleted(const ArmCall *call, const Record *record);
/* Replaces the properties that the session keeps for a resource. False after answering that the
 * disk is full. */
bool arm_keep(const ArmCall *call, Record *record, const Json *kept);
/* Whether `name` is valid for a resource (1 to 64 letters, digits, '-', '_'). False after answering
 * 400. */
bool arm_name_is_fine(const ArmCall *call, const char *name);
/* Reads an integer from the query; `fallback` if the query has none. False after answering 400. */
bool arm_query_number(const ArmCall *call, const char *name, int64_t least, int64_t most,
                      int64_t fallback, int64_t *value);

/* Returns the "tags" of a body in `*tags`, NULL if it has none. False after answering 400 because a
 * tag is not a string. */
bool arm_tags(const ArmCall *call, const Json *body, const Json **tags);

/* Applies a command to the session (emu/session/session.h). False after answering the problem,
 * whose place is named in `body` (NULL: there is no body). */
bool arm_do(const ArmCall *call, const Json *body, const Json *command, const Json *kept);

#endif
