#include "emu/session/export.h"

#include <string.h>

#include "sim/scenario/whole.h"

/* The member that the entries are added to. It is printed last. */
static const char list_key[] = "session";

enum { LIST_DEPTH = 1, ENTRY_DEPTH = 2 };

typedef enum { PART_BASE, PART_ENTRIES, PART_DONE } ExportPart;

struct SessionExport {
    Arena *arena; /* of one part */
    Session *session;
    int64_t until_ns; /* the export's "until" */
    JournalRange left;
    ExportPart part;
    bool has_items; /* the list is not empty so far */
    Text *out;      /* of this part */
};

SessionExport *session_export_begin(Session *session)
{
    Arena *arena = arena_create();
    SessionExport *export = ARENA_NEW(arena, SessionExport);
    *export = (SessionExport){.arena = arena,
                              .session = session,
                              .until_ns = session_now_ns(session),
                              .left = {.last = session_sequence(session)}};
    return export;
}

void session_export_end(SessionExport *export)
{
    arena_destroy(export->arena);
}

static void print_item(SessionExport *export, const Json *item)
{
    text_add(export->out, export->has_items ? ",\n    " : "\n    ");
    json_print_at(export->out, item, ENTRY_DEPTH);
    export->has_items = true;
}

/* The base without its list, and the begin of the list with the items of the base. */
static void print_base(SessionExport *export)
{
    Arena *arena = export->arena;
    Json *root = scenario_whole(arena, session_base(export->session));
    json_put_text(arena, root, "until", arena_printf(arena, "%" PRId64 "ns", export->until_ns));
    // What its author asked and expected of the scenario is not what came of the session.
    json_put_text(arena, root, "description", "A session of the emulator.");
    json_put_array(arena, root, "expect");
    text_add(export->out, "{");
    for (const Json *member = root->first; member; member = member->next)
        if (strcmp(member->key, list_key) != 0) {
            text_add(export->out, "\n  ");
            json_print_string(export->out, member->key);
            text_add(export->out, ": ");
            json_print_at(export->out, member, LIST_DEPTH);
            text_add(export->out, ",");
        }
    text_printf(export->out, "\n  \"%s\": [", list_key);
    const Json *list = json_member(root, list_key);
    for (const Json *item = list ? list->first : NULL; item; item = item->next)
        print_item(export, item);
}

static bool print_entry(void *owner, const JournalEntry *line, Status *status)
{
    SessionExport *export = owner;
    Arena *arena = export->arena;
    export->left.after = line->sequence;
    if (strcmp(line->list, "notes") == 0)
        return true; // the world knows nothing of them
    Problems problems = problems_create(arena);
    Json *entry =
        json_parse(arena, "journal", line->command, strlen(line->command), JSON_STRICT, &problems);
    if (entry == NULL) {
        *status = problems.items[0];
        return false;
    }
    Json *timed = json_object(arena);
    json_put_text(arena, timed, "at", arena_printf(arena, "%" PRId64 "ns", line->at_ns));
    for (const Json *member = entry->first; member != NULL; member = member->next)
        json_set(arena, timed, member->key, json_copy(arena, member, NULL));
    print_item(export, timed);
    return true;
}

static bool print_entries(SessionExport *export, int64_t entry_count, Status *status)
{
    const size_t length_before = export->out->length;
    export->left.count_max = entry_count;
    while (export->out->length == length_before && export->left.after < export->left.last)
        if (!store_replay(session_store(export->session), export->left, export, print_entry,
                          status))
            return false;
    if (export->left.after < export->left.last)
        return true;
    text_add(export->out, export->has_items ? "\n  ]\n}\n" : "]\n}\n");
    export->part = PART_DONE;
    return true;
}

bool session_export_continue(SessionExport *export, int64_t entry_count, Text *out, Status *status)
{
    const ArenaMark mark = arena_mark(export->arena);
    bool is_fine = true;
    export->out = out;
    switch (export->part) {
    case PART_BASE:
        print_base(export);
        export->part = PART_ENTRIES;
        break;
    case PART_ENTRIES:
        is_fine = print_entries(export, entry_count, status);
        break;
    case PART_DONE:
        break;
    }
    arena_rewind(export->arena, mark);
    return is_fine;
}

bool session_export(Session *session, Text *out, Status *status)
{
    enum { ENTRIES_AT_ONCE = 1024 };
    SessionExport *export = session_export_begin(session);
    bool is_fine = true;
    while (is_fine && export->part != PART_DONE)
        is_fine = session_export_continue(export, ENTRIES_AT_ONCE, out, status);
    session_export_end(export);
    return is_fine;
}
