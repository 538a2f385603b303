/* Batch AI 2018-05-01: what the handlers of its operations share. What the service did is in the
 * recordings of its SDKs' tests (Azure SDK for Python, Azure CLI, June 2018); what nobody
 * recorded is said where it is decided. */
#ifndef EMU_BATCHAI_H
#define EMU_BATCHAI_H

#include "emu/arm/call.h"
#include "emu/arm/resource.h"
#include "emu/files/auth/azure_files.h"
#include "sim/scenario/format/batchai_types.h"

/* What Batch AI works with besides the Resource Manager (ArmCall.provider). */
typedef struct {
    JobExecution execution; /* of jobs that are submitted from now on */
    const AzureFiles *azure_files;
} Batchai;

/* The path that a route's parts name: group, workspace and, below an experiment, that; the last
 * part is the name. `match` has the subscription first. */
ResourcePath batchai_path(const ArmCall *call);

/* --- Requests --- */

/* "properties" of the body, an object, without what the service only tells of a resource of that
 * kind: a client may send back what it was told. NULL after answering 400. `*body` is all of it. */
const Json *batchai_asked(const ArmCall *call, RecordKind kind, const Json **body);
/* What is `asked` in `body`, bound to `type`: NULL after answering 400. */
const void *batchai_bind(const ArmCall *call, const Json *asked, const ObjectType *type,
                         const Json *body);
/* Both of these. */
const void *batchai_properties(const ArmCall *call, RecordKind kind, const ObjectType *type,
                               const Json **body);
/* Whether every secret variable (VariableText) of `body` has a value or a reference to one, and not
 * both; false after answering what is wrong. */
bool batchai_has_secrets(const ArmCall *call, const BoundList *secrets, const Json *body);
/* Deletes a resource and answers 202, also when it is being deleted already; 204 where there is
 * none. */
void batchai_delete(const ArmCall *call, RecordKind kind, CommandKind command, ResourcePath path);
/* Whether something may change it; false after answering 409 to a write of what is being deleted.
 */
bool batchai_is_kept(const ArmCall *call, const Record *record);
/* A PUT of what is there already: 200 with it when it was asked for in the same way, or is told so
 * by now, and is not being deleted, else 409. Its properties are of `type`. */
void batchai_exists(const ArmCall *call, const Record *record, const ObjectType *type,
                    const Json *kept, ArmShow *show);
/* Whether two values (NULL: none) say the same; the order of an object's members says nothing. */
bool batchai_is_same(Arena *arena, const Json *a, const Json *b);
/* 200 with a resource, and its stamps. */
void batchai_answer(const ArmCall *call, const Record *record, ArmShow *show);

/* --- Bodies --- */

/* The members of `node` that `type` has, in its order, without secrets and nulls, and with the
 * table's defaults, at any depth: what the service kept of a body and told again. Every value
 * stands where it stood. */
Json *batchai_echo(Arena *arena, const ObjectType *type, const Json *node);
/* Fills in what the service filled in below a mountVolumes object (NULL: nothing), which no table
 * knows: modes of files, and the ids of file servers as they are told. */
void batchai_fill_mounts(const ArmCall *call, Json *mounts);
/* A VM size as it is told: in capitals. One that is unknown stays as it was asked for, as whoever
 * refuses it names it. */
void batchai_fill_vm_size(const ArmCall *call, Json *properties);
/* {"value": [{"nodeId", "ipAddress", "port"}]} of `count` nodes. */
void batchai_answer_logins(const ArmCall *call, const NodeId *nodes, int32_t count);
/* A GUID in the paths of a resource's outputs. */
const char *batchai_guid(const ArmCall *call, const char *purpose, const Record *record);

#endif
