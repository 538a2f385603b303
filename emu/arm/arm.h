/* What all answers of the Resource Manager share: headers, JSON bodies, errors, ids, lists. */
#ifndef EMU_ARM_H
#define EMU_ARM_H

#include "emu/arm/route.h"

/* Answers what goes to the Resource Manager, to Batch AI or to the token service: login_routes
 * without a token, the others with one and an api-version. What is in no table is 404, with another
 * method 405, without handler 501. */
void arm_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response);

/* An error with all that the others carry, of whatever is asked. */
void arm_refuse(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                int32_t status, const char *code, const char *message);

/* --- Answers --- */

/* `value` as the body. */
void arm_answer(const HttpRequest *request, HttpResponse *response, int32_t status,
                const Json *value);
/* {"error": {"code": ..., "message": ...}}. Never with Retry-After: clients would ask again. */
void arm_error(const HttpRequest *request, HttpResponse *response, int32_t status, const char *code,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
/* What the world or a reader refused, by its code: 400, 404, 409, 507; the first of several, and
 * how many more. A problem in `body` (NULL: none) is named by its path there,
 * "properties.scaleSettings.manual". */
void arm_refusal(const HttpRequest *request, HttpResponse *response, const Json *body,
                 const Problems *problems);
/* 404 as the service worded it: "WorkspaceNotFound: The specified workspace w is not found". */
void arm_not_found(const HttpRequest *request, HttpResponse *response, RecordKind kind,
                   ResourcePath path);
/* ETag and Last-Modified of a resource, as the service stamped its record. */
void arm_stamp(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
               const Record *record);

/* --- Requests --- */

/* The request's body as JSON (an absent one is an empty object); NULL after answering 400. */
const Json *arm_body(const HttpRequest *request, HttpResponse *response);
/* The resource of that path, or NULL after answering 404 for what is missing first on the way. */
const Record *arm_find(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                       RecordKind kind, ResourcePath path);
/* Whether all above a resource exists, whose names are then in `path` as they were first written;
 * otherwise 404 is answered. */
bool arm_has_parents(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                     ResourcePath *path);
/* Its deletion is under way: it is told of and found, but not to be changed. */
bool arm_is_being_deleted(const Emulator *emulator, const Record *record);
/* Keeps this of a resource from now on; false after answering that the disk is full. */
bool arm_keep(Emulator *emulator, const HttpRequest *request, HttpResponse *response,
              Record *record, const Json *kept);
/* Whether a resource may be called so (1 to 64 letters, digits, '-', '_'); otherwise 400. */
bool arm_name_is_fine(const HttpRequest *request, HttpResponse *response, const char *name);
/* A whole number in the query, or `fallback`. False after answering 400. */
bool arm_query_number(const HttpRequest *request, HttpResponse *response, const char *name,
                      int64_t least, int64_t most, int64_t fallback, int64_t *value);

/* --- Ids, times, addresses --- */

/* "/subscriptions/SUB/resourceGroups/RG/providers/Microsoft.BatchAI/workspaces/WS", in `arena`. */
const char *arm_id(const Emulator *emulator, Arena *arena, RecordKind kind, ResourcePath path);
/* The reverse, in any letter case; false when it is no id of that kind in this subscription. */
bool arm_id_read(const Emulator *emulator, Arena *arena, const char *id, RecordKind kind,
                 ResourcePath *path);
/* Simulated time as bodies have it: "2018-06-15T21:57:57.25Z". */
const char *arm_time(const Emulator *emulator, Arena *arena, int64_t at_ns);
/* What the client must ask for to get `target`: "https://127.0.0.1:8443/subscriptions/...". */
const char *arm_url(const Emulator *emulator, const HttpRequest *request, const char *target);
/* "East US" -> "eastus", as the service compares locations. */
const char *arm_location(Arena *arena, const char *location);
/* The same of a location where there are resources of that kind; NULL after answering 400, which
 * lists those. */
const char *arm_location_in(const Emulator *emulator, const HttpRequest *request,
                            HttpResponse *response, RecordKind kind, const char *location);
/* Where `body` wants a resource of that kind to be, `old` being the one that is there already
 * (NULL: none): NULL after answering 400, or 409 where that is somewhere else, as none moves. */
const char *arm_place(const Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                      RecordKind kind, const Json *body, const Record *old);

/* --- Making bodies: members in the order in which they are put --- */

void arm_put(Arena *arena, Json *object, const char *key, Json *value); /* NULL: no member */
void arm_put_text(Arena *arena, Json *object, const char *key, const char *value); /* as arm_put */
void arm_put_number(Arena *arena, Json *object, const char *key, int64_t value);
void arm_put_time(const Emulator *emulator, Arena *arena, Json *object, const char *key,
                  int64_t at_ns);
/* A copy of what `kept` (NULL: nothing) has under `key`; NULL. */
Json *arm_kept(Arena *arena, const Json *kept, const char *key);
/* The text that it has there; NULL. */
const char *arm_kept_text(const Record *record, const char *key);
/* {"location", "tags"}, to keep of a resource that has nothing else of its own; `tags` may be NULL.
 */
Json *arm_place_and_tags(Arena *arena, const char *location, const Json *tags);
/* Where it is: what was asked for, or else the scenario's region. */
const char *arm_location_of(const Emulator *emulator, const Record *record);
/* {"id", "name", "type"} */
Json *arm_resource(const Emulator *emulator, Arena *arena, const Record *record);
/* {"tags": {...}} of a body: NULL when it has none. False after answering 400: tags are texts. */
bool arm_tags(const HttpRequest *request, HttpResponse *response, const Json *body,
              const Json **tags);

/* {"value": [...]} of the resources below `scope`, in the order in which they were made, at most
 * "maxresults" (or "$top") of the query and then with a "nextLink". */
typedef Json *ArmShow(Emulator *emulator, const HttpRequest *request, const Record *record);
void arm_list(Emulator *emulator, const HttpRequest *request, HttpResponse *response,
              RecordKind kind, ResourcePath scope, ArmShow *show);
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
void arm_list_of(Emulator *emulator, const HttpRequest *request, HttpResponse *response,
                 const ArmList *list);

#endif
