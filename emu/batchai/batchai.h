/* Batch AI 2018-05-01: the handlers of its operations, and what they share. What the service did is
 * in the recordings of its SDKs' tests (Azure SDK for Python, Azure CLI, June 2018); what nobody
 * recorded is said where it is decided. */
#ifndef EMU_BATCHAI_H
#define EMU_BATCHAI_H

#include "emu/arm/arm.h"
#include "sim/scenario/format/batchai_types.h"

RouteHandler workspaces_list, workspaces_list_by_group, workspaces_create, workspaces_get;
RouteHandler workspaces_update, workspaces_delete;
RouteHandler experiments_list, experiments_create, experiments_get, experiments_delete;
RouteHandler clusters_list, clusters_create, clusters_get, clusters_update, clusters_delete;
RouteHandler clusters_list_logins;
RouteHandler jobs_list, jobs_create, jobs_get, jobs_delete, jobs_terminate, jobs_list_logins;
RouteHandler jobs_list_files;
RouteHandler file_servers_list, file_servers_create, file_servers_get, file_servers_delete;
RouteHandler usages_list, operations_list;

/* Bodies of single resources. */
ArmShow workspace_show, experiment_show, cluster_show, job_show, file_server_show;

/* The path that a route's parts name: group, workspace and, below an experiment, that; the last
 * part is the name. `match` has the subscription first. */
ResourcePath batchai_path(const RouteMatch *match);

/* --- Requests --- */

/* "properties" of the body, an object, without what the service only tells of a resource of that
 * kind: a client may send back what it was told. NULL after answering 400. `*body` is all of it. */
const Json *batchai_asked(const HttpRequest *request, RecordKind kind, const Json **body,
                          HttpResponse *response);
/* What is `asked` in `body`, bound to `type`: NULL after answering 400. */
const void *batchai_bind(const HttpRequest *request, const Json *asked, const ObjectType *type,
                         const Json *body, HttpResponse *response);
/* Both of these. */
const void *batchai_properties(const HttpRequest *request, RecordKind kind, const ObjectType *type,
                               const Json **body, HttpResponse *response);
/* {"do": ..., "name", "resource_group", "workspace", "experiment": as far as `path` has them}. */
Json *batchai_command(Arena *arena, CommandKind kind, ResourcePath path);
/* Enters it; false after answering what is wrong with `body`. */
bool batchai_do(Emulator *emulator, const HttpRequest *request, const Json *body,
                const Json *command, const Json *kept, HttpResponse *response);
/* Whether every file server that `mounts` (NULL: none) of `body` names is there; false after
 * answering what is wrong with the first that is not. */
bool batchai_has_file_servers(const Emulator *emulator, const HttpRequest *request,
                              const MountVolumesText *mounts, const Json *body,
                              HttpResponse *response);
/* Whether every secret variable (VariableText) of `body` has a value or a reference to one, and not
 * both; false after answering what is wrong. */
bool batchai_has_secrets(const HttpRequest *request, const BoundList *secrets, const Json *body,
                         HttpResponse *response);
/* {"id"} of the network of the first file server that `mounts` (NULL: none) names; NULL. */
Json *batchai_mounted_subnet(const Emulator *emulator, Arena *arena, const Json *mounts);
/* Deletes a resource and answers 202, also when it is being deleted already; 204 where there is
 * none. */
void batchai_delete(Emulator *emulator, const HttpRequest *request, RecordKind kind,
                    CommandKind command, ResourcePath path, HttpResponse *response);
/* Whether something may change it; false after answering 409 to a write of what is being deleted.
 */
bool batchai_is_kept(const Emulator *emulator, const HttpRequest *request, const Record *record,
                     HttpResponse *response);
/* A PUT of what is there already: 200 with it when it was asked for in the same way, or is told so
 * by now, and is not being deleted, else 409. Its properties are of `type`. */
void batchai_exists(Emulator *emulator, const HttpRequest *request, const Record *record,
                    const ObjectType *type, const Json *kept, ArmShow *show,
                    HttpResponse *response);
/* Whether two values (NULL: none) say the same; the order of an object's members says nothing. */
bool batchai_is_same(Arena *arena, const Json *a, const Json *b);
/* 200 with a resource, and its stamps. */
void batchai_answer(Emulator *emulator, const HttpRequest *request, const Record *record,
                    ArmShow *show, HttpResponse *response);

/* --- Bodies --- */

/* The members of `node` that `type` has, in its order, without secrets and nulls, and with the
 * table's defaults, at any depth: what the service kept of a body and told again. Every value
 * stands where it stood. */
Json *batchai_echo(Arena *arena, const ObjectType *type, const Json *node);
/* Fills in what the service filled in below a mountVolumes object (NULL: nothing), which no table
 * knows: modes of files, and the ids of file servers as they are told. */
void batchai_fill_mounts(const Emulator *emulator, Arena *arena, Json *mounts);
/* A VM size as it is told: in capitals. One that is unknown stays as it was asked for, as whoever
 * refuses it names it. */
void batchai_fill_vm_size(const Emulator *emulator, Arena *arena, Json *properties);
/* {"value": [{"nodeId", "ipAddress", "port"}]} of `count` nodes. */
void batchai_answer_logins(const Emulator *emulator, const HttpRequest *request,
                           const NodeId *nodes, int32_t count, HttpResponse *response);
/* A GUID in the paths of a resource's outputs. */
const char *batchai_guid(const Emulator *emulator, Arena *arena, const char *purpose,
                         const Record *record);

#endif
