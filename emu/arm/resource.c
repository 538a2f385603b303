#include "emu/arm/resource.h"

#include <inttypes.h>

#include "emu/arm/call.h"
#include "emu/arm/id.h"

/* --- Making bodies --- */

void arm_put_time(const ArmCall *call, Json *object, const char *key, int64_t at_ns)
{
    Arena *arena = call->arena;
    json_put_text(arena, object, key, arm_time(call, at_ns));
}

void arm_put_kept(Arena *arena, Json *object, const Json *kept, const char *key)
{
    Json *value = arm_kept(arena, kept, key);
    if (value)
        json_set(arena, object, key, value);
}

Json *arm_kept(Arena *arena, const Json *kept, const char *key)
{
    const Json *member = json_member(kept, key);
    return member ? json_copy(arena, member, NULL) : NULL;
}

const char *arm_kept_text(const Record *record, const char *key)
{
    const Json *member = json_member(record_kept(record), key);
    return member && member->kind == JSON_STRING ? member->text : NULL;
}

Json *arm_place_and_tags(Arena *arena, const char *location, const Json *tags)
{
    Json *kept = json_object(arena);
    json_put_text(arena, kept, "location", location);
    json_put(arena, kept, "tags", tags ? json_copy(arena, tags, NULL) : NULL);
    return kept;
}

Json *arm_resource(const ArmCall *call, const Record *record)
{
    Arena *arena = call->arena;
    Json *resource = json_object(arena);
    json_put_text(arena, resource, "id", arm_id(call, record->kind, record->path));
    json_put_text(arena, resource, "name", record->path.name);
    json_put_text(arena, resource, "type", record_type(record->kind));
    return resource;
}

/* --- Lists --- */

enum { LIST_MAX = 1000 };

/* Where the next page begins: a kind, and a position among its resources. One number encodes both.
 */
typedef struct {
    int32_t kind;
    uint32_t at;
} Cursor;

static Cursor cursor_read(const ArmList *list, int64_t token)
{
    return (Cursor){.kind = (int32_t)(token % list->kind_count),
                    .at = (uint32_t)(token / list->kind_count)};
}

static int64_t cursor_token(const ArmList *list, Cursor cursor)
{
    return (int64_t)cursor.at * list->kind_count + cursor.kind;
}

static const char *next_link(const ArmCall *call, int64_t most, int64_t token)
{
    Arena *arena = call->arena;
    const char *filter = http_query(call->request, "$filter");
    return arm_url(
        call,
        arena_printf(arena, "%s?api-version=%s%s%s&maxresults=%" PRId64 "&%%24skiptoken=%" PRId64,
                     call->request->target,
                     http_encode(arena, http_query(call->request, "api-version"), ""),
                     filter ? "&%24filter=" : "", filter ? http_encode(arena, filter, "") : "",
                     most, token));
}

/* Returns the first resource from `*cursor` on that fits, and moves `*cursor` past it; `*here` is
 * its position. NULL if there is none. */
static const Record *next_fitting(const ArmCall *call, const ArmList *list, Cursor *cursor,
                                  Cursor *here)
{
    while (cursor->kind < list->kind_count) {
        *here = *cursor;
        const Record *record =
            session_next(call->session, list->kinds[cursor->kind], list->scope, &cursor->at);
        if (!record)
            *cursor = (Cursor){.kind = cursor->kind + 1};
        else if (!list->fits || list->fits(list->filter, record))
            return record;
    }
    return NULL;
}

void arm_list_of(const ArmCall *call, const ArmList *list)
{
    int64_t top, most, token;
    if (!arm_query_number(call, "$top", 1, LIST_MAX, LIST_MAX, &top) ||
        !arm_query_number(call, "maxresults", 1, LIST_MAX, top, &most) ||
        !arm_query_number(call, "$skiptoken", 0, UINT32_MAX, 0, &token))
        return;
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    Json *page = json_put_array(arena, body, "value");
    Cursor here, cursor = cursor_read(list, token);
    const Record *record;
    while ((record = next_fitting(call, list, &cursor, &here))) {
        if (page->count == most) {
            json_put_text(arena, body, "nextLink", next_link(call, most, cursor_token(list, here)));
            break;
        }
        json_add(page, list->show(call, record));
    }
    arm_answer(call, 200, body);
}

void arm_list(const ArmCall *call, RecordKind kind, ResourcePath scope, ArmShow *show)
{
    const ArmList list = {.kinds = &kind, .kind_count = 1, .scope = scope, .show = show};
    arm_list_of(call, &list);
}
