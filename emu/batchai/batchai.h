/* Batch AI 2018-05-01: functions for the handlers of its operations. The service's behaviour is in
 * the recordings of its SDKs' tests (Azure SDK for Python, Azure CLI, June 2018). Where no
 * recording shows it, a comment says so. */
#ifndef EMU_BATCHAI_H
#define EMU_BATCHAI_H

#include "emu/arm/call.h"
#include "emu/arm/resource.h"
#include "emu/files/auth/azure_files.h"
#include "sim/scenario/format/batchai_types.h"

/* The state of Batch AI in addition to the Resource Manager's (ArmCall.provider). */
typedef struct {
    JobExecution execution; /* of jobs that are submitted from now on */
    const AzureFiles *azure_files;
} Batchai;

/* Returns the path in the request's route: group, workspace and, for a job, experiment. The last
 * part is the name. The first part, the subscription, is not in it. */
ResourcePath batchai_path(const ArmCall *call);

/* --- Requests --- */

/* Returns "properties" of the body without the members that only answers have, because clients may
 * send back an answer. NULL after answering 400. `*body` is the whole body. */
const Json *batchai_asked(const ArmCall *call, RecordKind kind, const Json **body);
/* Binds `asked`, a part of `body`, to `type`. NULL after answering 400. */
const void *batchai_bind(const ArmCall *call, const Json *asked, const ObjectType *type,
                         const Json *body);
/* Both, for a PUT that creates a resource: its name is checked too, and one answer has the problems
 * of both. */
const void *batchai_properties(const ArmCall *call, RecordKind kind, const ObjectType *type,
                               const Json **body);
/* Whether every secret variable (VariableText) of `body` has either a value or a reference to one.
 * False after answering 400. */
bool batchai_has_secrets(const ArmCall *call, const BoundList *secrets, const Json *body);
/* Puts the values of `secrets` into `list` (NULL is fine), the kept list of their names: the world
 * needs them, and the session does not keep them. */
void batchai_put_secrets(Arena *arena, Json *list, const BoundList *secrets);
/* Deletes a resource and answers 202, also if its deletion is in progress; 204 if there is no such
 * resource. */
void batchai_delete(const ArmCall *call, RecordKind kind, CommandKind command, ResourcePath path);
/* Whether the resource may be changed. False after answering 409 because it is being deleted. */
bool batchai_is_kept(const ArmCall *call, const Record *record);
/* Answers a PUT of a resource that exists, whose properties are of `type`: 200 if `kept` equals the
 * properties that it was created with or has now, and it is not being deleted; else 409. */
void batchai_exists(const ArmCall *call, const Record *record, const ObjectType *type,
                    const Json *kept, ArmShow *show);
/* Whether two values (may be NULL) are equal, whatever the order of an object's members. */
bool batchai_is_same(const Json *a, const Json *b);
/* Answers 200 with a resource, its ETag and its Last-Modified. */
void batchai_answer(const ArmCall *call, const Record *record, ArmShow *show);

/* --- Bodies --- */

/* Returns the members of `node` that `type` has, in the order of `type`, without secrets and nulls
 * and with the table's defaults, at any depth: the properties that the service stored and returned
 * later. Every value keeps its place for error messages. */
Json *batchai_echo(Arena *arena, const ObjectType *type, const Json *node);
/* Completes a mountVolumes object (may be NULL) as the service did beyond the tables' defaults:
 * file modes, and the canonical ids of file servers. */
void batchai_fill_mounts(const ArmCall *call, Json *mounts);
/* Changes the VM size to capitals, as answers have it. An unknown size is unchanged, because the
 * error about it repeats it. */
void batchai_fill_vm_size(const ArmCall *call, Json *properties);
/* Answers {"value": [{"nodeId", "ipAddress", "port"}]} for `count` nodes. */
void batchai_answer_logins(const ArmCall *call, const NodeId *nodes, int32_t count);
/* Returns a GUID that belongs to the resource, for one `purpose`. */
const char *batchai_guid(const ArmCall *call, const char *purpose, const Record *record);

#endif
