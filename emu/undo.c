#include "emu/undo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/files/store/contents_past.h"
#include "emu/files/store/unreported.h"
#include "emu/past.h"
#include "emu/session/export.h"
#include "emu/session/jumps.h"
#include "sim/base/array.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"

/* The number of jumps that were undone in this state. */
#define UNDONE_SETTING "undone"

/* --- What has happened since --- */

/* Commands after which time cannot go back, and why. */
#define FILES_STAY "shares or storage accounts were made or deleted, and files do not go back"
static const struct {
    CommandKind kind;
    const char *reason;
} obstacles[] = {
    {COMMAND_SHARE_CREATE, FILES_STAY},
    {COMMAND_SHARE_DELETE, FILES_STAY},
    {COMMAND_STORAGE_CREATE, FILES_STAY},
    {COMMAND_STORAGE_DELETE, FILES_STAY},
    {COMMAND_GROUP_DELETE, FILES_STAY},
    {COMMAND_FILE_DELETE, "files were deleted, and their contents are not kept"},
    {COMMAND_JOB_RAN, "a job ran for real"},
    {COMMAND_JOB_REACHED, "a job ran for real"},
};

enum { NAMED_MOST = 5 }; /* of each list in a message */

/* The entries of the journal since a jump. */
typedef struct {
    Arena *arena;
    Text requests; /* the first few, in words */
    int32_t request_count;
    FilesUnreported *files; /* that clients wrote, each once */
    uint32_t file_count, file_capacity;
    const char *reason;   /* why time cannot go back; NULL: it can */
    const char *obstacle; /* the first entry that prevents it */
} Since;

static const char *text_member(const Json *object, const char *key)
{
    const Json *member = json_member(object, key);
    return member != NULL && member->kind == JSON_STRING ? member->text : "";
}

static void add_request(Since *since, const char *words)
{
    if (since->request_count++ < NAMED_MOST)
        text_printf(&since->requests, "%s%s", since->request_count > 1 ? ", " : "", words);
}

/* A file that is written in pieces is reported several times. */
static void add_file(Since *since, const Json *command)
{
    const ShareName share = share_name_read(since->arena, text_member(command, "name"));
    const char *path = text_member(command, "file");
    for (uint32_t i = 0; i < since->file_count; i++)
        if (strcmp(since->files[i].path, path) == 0 &&
            strcmp(since->files[i].share.account, share.account) == 0 &&
            strcmp(since->files[i].share.share, share.share) == 0)
            return;
    since->files = array_room(since->arena, since->files, since->file_count + 1,
                              &since->file_capacity, sizeof *since->files);
    since->files[since->file_count++] =
        (FilesUnreported){.share = share, .path = arena_strdup(since->arena, path)};
}

static void add_command(Since *since, const Json *command)
{
    const char *kind = text_member(command, "do");
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles && since->reason == NULL; i++)
        if (strcmp(kind, command_name(obstacles[i].kind)) == 0) {
            since->reason = obstacles[i].reason;
            since->obstacle = session_command_words(since->arena, command);
        }
    if (strcmp(kind, command_name(COMMAND_FILE_UPLOAD)) == 0)
        add_file(since, command);
    else
        add_request(since, session_command_words(since->arena, command));
}

static bool read_entry(void *owner, const JournalEntry *entry, Status *status)
{
    Since *since = owner;
    if (strcmp(entry->list, "notes") == 0) {
        const char *name = strrchr(entry->subject, '/');
        add_request(since, arena_printf(since->arena, "properties of %s",
                                        name != NULL ? name + 1 : entry->subject));
        return true;
    }
    Problems problems = problems_create(since->arena);
    const Json *command = json_parse(since->arena, "journal", entry->command,
                                     strlen(entry->command), JSON_STRICT, &problems);
    if (command == NULL) {
        *status = problems.items[0];
        return false;
    }
    add_command(since, command);
    return true;
}

static bool read_since(Emulator *emulator, const Jump *jump, Since *since, Status *status)
{
    const JournalRange range = {.after = jump->sequence, .last = INT64_MAX, .count_max = INT64_MAX};
    return store_replay(emulator->store, range, since, read_entry, status);
}

/* --- Refusing --- */

static const char *calendar(const Emulator *emulator, int64_t at_ns, char text[CIVIL_TEXT])
{
    const Scenario *scenario = session_scenario(emulator->session);
    iso_time_print(scenario->start_unix_ms + at_ns / NS_PER_MS, text);
    return text;
}

static bool conflict(Status *status, const char *message)
{
    return status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0), "%s", message);
}

static void print_count(Text *text, int32_t count, const char *noun)
{
    text_printf(text, "%" PRId32 " %s%s", count, noun, plural(count));
}

/* ", and 3 more)" */
static void end_names(Text *text, int32_t count)
{
    if (count > NAMED_MOST)
        text_printf(text, ", and %" PRId32 " more", count - NAMED_MOST);
    text_add(text, ")");
}

static bool needs_acceptance(const Emulator *emulator, const Jump *jump, const Since *since,
                             Status *status)
{
    char then[CIVIL_TEXT];
    Text text = {0};
    const int32_t files = (int32_t)since->file_count;
    text_printf(&text, "going back to %s ", calendar(emulator, jump->at_ns, then));
    if (since->request_count > 0) {
        text_add(&text, "drops ");
        print_count(&text, since->request_count, "request");
        text_printf(&text, " (%s", text_string(&since->requests));
        end_names(&text, since->request_count);
    }
    if (files > 0) {
        text_add(&text, since->request_count > 0 ? " and leaves " : "leaves ");
        print_count(&text, files, "changed file");
        text_add(&text, " unchanged (");
        for (int32_t i = 0; i < files && i < NAMED_MOST; i++)
            text_printf(&text, "%s%s/%s", i > 0 ? ", " : "", since->files[i].share.share,
                        since->files[i].path);
        end_names(&text, files);
    }
    conflict(status, text_string(&text));
    text_free(&text);
    return status_hint(status, "\"accept\": true goes back all the same; the whole session "
                               "is kept before, in the folder undone of the state");
}

static bool may_go_back(const Emulator *emulator, const Jump *jump, const Since *since,
                        bool is_accepted, Status *status)
{
    char then[CIVIL_TEXT];
    if (since->reason != NULL) {
        status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0),
                    "time cannot go back to %s: since then %s (%s)",
                    calendar(emulator, jump->at_ns, then), since->reason, since->obstacle);
        return false;
    }
    return is_accepted || (since->request_count == 0 && since->file_count == 0) ||
           needs_acceptance(emulator, jump, since, status);
}

static bool find_jump(const Emulator *emulator, Jump *jump, Status *status)
{
    if (!jumps_last(emulator->store, jump) ||
        jump->sequence > session_sequence(emulator->session) ||
        jump->at_ns >= session_now_ns(emulator->session)) {
        conflict(status, "there is no jump of the clock to undo");
        return status_hint(status, "\"step\", \"advance\" and \"run-until\" are jumps");
    }
    return runs_next_ns(emulator->runs) == INT64_MAX ||
           conflict(status, "time cannot go back: a job is running for real");
}

/* --- Going back --- */

static int64_t undone_count(const Emulator *emulator, Arena *arena)
{
    const char *text = store_setting(emulator->store, arena, UNDONE_SETTING);
    return text != NULL ? strtoll(text, NULL, 10) : 0;
}

/* Writes the whole session to `path`, before anything is dropped. */
static bool keep_session(const Emulator *emulator, const char *folder, const char *path,
                         Status *status)
{
    Text text = {0};
    const bool is_kept = folder_create(folder, status) && file_name_settle(folder, status) &&
                         session_export(emulator->session, &text, status) &&
                         file_write(path, text_string(&text), text.length, status) &&
                         file_name_settle(path, status);
    text_free(&text);
    return is_kept;
}

/* The files are reported to the world again: it has dropped the reports. */
static bool report_again(Emulator *emulator, const Since *since, Status *status)
{
    for (uint32_t i = 0; i < since->file_count; i++)
        if (files_unreported_add(emulator->files, since->files[i].share, since->files[i].path) !=
            FILES_OK)
            return status_fail(status, STATUS_MACHINE,
                               place_in(store_folder(emulator->store), 0, 0),
                               "cannot write to its tables of files");
    return true;
}

static bool go_back(Emulator *emulator, const Jump *jump, const Since *since, int64_t number,
                    Status *status)
{
    Store *store = emulator->store;
    const int64_t unix_ms =
        session_scenario(emulator->session)->start_unix_ms + jump->at_ns / NS_PER_MS;
    Arena *arena = arena_create();
    if (!store_group_begin(store, status)) {
        arena_destroy(arena);
        return false;
    }
    const bool is_back =
        report_again(emulator, since, status) &&
        contents_go_back(store, jump->at_ns, unix_ms, status) &&
        store_set(store, UNDONE_SETTING, arena_printf(arena, "%" PRId64, number), status) &&
        past_restore(store, jump->sequence, jump->at_ns, status);
    arena_destroy(arena);
    return store_group_end(store, is_back, status) && is_back;
}

static Json *show(const Emulator *emulator, Arena *arena, const Jump *jump, const Since *since,
                  const char *kept)
{
    char now[CIVIL_TEXT];
    Json *body = json_object(arena);
    json_put_text(arena, body, "now", calendar(emulator, jump->at_ns, now));
    json_put_integer(arena, body, "now_ns", jump->at_ns);
    json_put_integer(arena, body, "from_ns", session_now_ns(emulator->session));
    json_put_integer(arena, body, "requests", since->request_count);
    json_put_integer(arena, body, "files", since->file_count);
    if (kept != NULL)
        json_put_text(arena, body, "kept", kept);
    else
        json_put_null(arena, body, "kept");
    return body;
}

Json *undo_jump(Emulator *emulator, Arena *arena, bool is_accepted, Status *status)
{
    Jump jump;
    Since since = {.arena = arena};
    const int64_t number = undone_count(emulator, arena) + 1;
    const char *folder = state_path(arena, store_folder(emulator->store), STATE_UNDONE);
    const char *path = arena_printf(arena, "%s/%" PRId64 ".json", folder, number);
    bool is_back = find_jump(emulator, &jump, status) &&
                   read_since(emulator, &jump, &since, status) &&
                   may_go_back(emulator, &jump, &since, is_accepted, status);
    const bool is_lossy = since.request_count > 0 || since.file_count > 0;
    is_back = is_back && (!is_lossy || keep_session(emulator, folder, path, status)) &&
              go_back(emulator, &jump, &since, number, status);
    text_free(&since.requests);
    if (!is_back)
        return NULL;
    emulator->is_over = true;
    events_undo(emulator->control.events, jump.event, jump.at_ns);
    return show(emulator, arena, &jump, &since, is_lossy ? path : NULL);
}
