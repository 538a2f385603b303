#include "emu/session/export.h"

#include <string.h>

#include "sim/scenario/whole.h"

typedef struct {
    Arena *arena;
    Json *list;
} Exporter;

static bool export_entry(void *owner, const JournalEntry *line, Status *status)
{
    Exporter *exporter = owner;
    Arena *arena = exporter->arena;
    if (strcmp(line->list, "notes") == 0)
        return true; // the world knows nothing of them
    Problems problems = problems_create(arena);
    Json *entry =
        json_parse(arena, "journal", line->command, strlen(line->command), JSON_STRICT, &problems);
    if (entry == NULL) {
        *status = problems.items[0];
        return false;
    }
    Json *timed = json_add(exporter->list, json_object(arena));
    json_put_text(arena, timed, "at", arena_printf(arena, "%" PRId64 "ns", line->at_ns));
    for (const Json *member = entry->first; member != NULL; member = member->next)
        json_set(arena, timed, member->key, json_copy(arena, member, NULL));
    return true;
}

bool session_export(Session *session, Text *out, Status *status)
{
    Arena *arena = arena_create();
    Json *root = scenario_whole(arena, session_base(session));
    Exporter exporter = {.arena = arena, .list = json_member(root, "session")};
    if (exporter.list == NULL)
        exporter.list = json_put_array(arena, root, "session");
    json_put_text(arena, root, "until",
                  arena_printf(arena, "%" PRId64 "ns", session_now_ns(session)));
    // What its author asked and expected of the scenario is not what came of the session.
    json_put_text(arena, root, "description", "A session of the emulator.");
    json_put_array(arena, root, "expect");
    bool is_whole = store_replay(session_store(session), &exporter, export_entry, status);
    if (is_whole)
        json_print(out, root, JSON_INDENTED);
    arena_destroy(arena);
    return is_whole;
}
