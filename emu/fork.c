#include "emu/fork.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/files/store/contents_copy.h"
#include "emu/files/store/contents_past.h"
#include "emu/http/https_ask.h"
#include "emu/http/ready.h"
#include "emu/past.h"
#include "emu/session/base.h"
#include "emu/session/session.h"
#include "emu/state/file_copy.h"
#include "emu/state/outcome_rows.h"
#include "emu/state/state_folder.h"
#include "emu/state/store_copy.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"

/* --- The folders --- */

static bool has_database(Arena *arena, const char *folder)
{
    return access(state_path(arena, folder, STATE_DATABASE), F_OK) == 0;
}

static bool folders_fit(Arena *arena, const Fork *fork, const char *folder, Status *status)
{
    if (!has_database(arena, fork->from)) {
        status_fail(status, STATUS_BAD_INPUT, place_in(fork->from, 0, 0),
                    "this folder contains no session");
        return status_hint(status, "--fork names the folder that `trainyard serve` was given");
    }
    if (has_database(arena, folder)) {
        status_fail(status, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                    "this folder has a session already");
        return status_hint(status, "without --fork the emulator continues with it; --state with "
                                   "another folder makes a new one");
    }
    if (access(folder, F_OK) == 0 && rmdir(folder) != 0) {
        status_fail(status, STATUS_BAD_INPUT, place_in(folder, 0, 0), "%s", strerror(errno));
        return status_hint(status, "--fork makes a new folder");
    }
    return true;
}

/* The folder that the fork is made in, without what a kill has left there. */
static const char *clear_passing(Arena *arena, const char *folder, Status *status)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    const char *passing = arena_printf(arena, "%.*s.fork", (int)length, folder);
    if (!state_folder_is_ours(passing, status))
        return NULL;
    if (has_database(arena, passing))
        state_folder_withdraw(passing, (StateBefore){.length = length});
    return passing;
}

/* --- Copying --- */

static bool copy_snapshot(Arena *arena, Store *from, const char *folder, StateName name,
                          Status *status)
{
    const char *path = state_path(arena, store_folder(from), name);
    return access(path, F_OK) != 0 || file_copy(path, state_path(arena, folder, name), status);
}

static bool copy_store(Store *from, const char *folder, Status *status)
{
    Arena *arena = arena_create();
    const bool is_copied = store_copy(from, folder, status) &&
                           contents_copy(from, folder, status) &&
                           copy_snapshot(arena, from, folder, STATE_SNAPSHOT, status) &&
                           copy_snapshot(arena, from, folder, STATE_OTHER_SNAPSHOT, status);
    arena_destroy(arena);
    return is_copied;
}

static bool copy_state(const char *from_folder, const char *folder, Status *status)
{
    Store *from = store_open(from_folder, status);
    if (from == NULL)
        return false;
    const bool is_copied = copy_store(from, folder, status);
    store_close(from);
    return is_copied;
}

/* --- Copies by the emulator that serves the session --- */

static const char *offer_path(Arena *arena, const char *folder, const char *name)
{
    return arena_printf(arena, "%s/%s", state_path(arena, folder, STATE_COPIES), name);
}

bool fork_offer(Store *store, const char *name, Status *status)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    enum { NAME_MOST = 64 };
    const size_t length = strlen(name);
    if (length == 0 || length > NAME_MOST || strspn(name, letters) != length)
        return status_fail(status, STATUS_BAD_INPUT, place_in("copies", 0, 0),
                           "the name of a copy has 1 to %d letters, digits and hyphens",
                           (int)NAME_MOST);
    Arena *arena = arena_create();
    const char *path = offer_path(arena, store_folder(store), name);
    Status ignored = {0};
    bool is_made = false;
    if (folder_exists(path))
        status_fail(status, STATUS_CONFLICT, place_in("copies", 0, 0), "copy %s exists", name);
    else if (!(is_made = copy_store(store, path, status)))
        (void)!folder_remove(path, &ignored);
    arena_destroy(arena);
    return is_made;
}

void fork_withdraw_offers(Store *store)
{
    Status ignored = {0}; // leftovers do no harm
    Arena *arena = arena_create();
    (void)!folder_remove(state_path(arena, store_folder(store), STATE_COPIES), &ignored);
    arena_destroy(arena);
}

/* The words of an error in an answer; "" without any. */
static const char *error_words(Arena *arena, const char *answer)
{
    const char *body = strstr(answer, "\r\n\r\n");
    Problems problems = problems_create(arena);
    const Json *tree =
        body ? json_parse(arena, "answer", body, strlen(body), JSON_STRICT, &problems) : NULL;
    const Json *message = tree ? json_find(tree, "/error/message") : NULL;
    return message && message->kind == JSON_STRING ? message->text : "";
}

/* Lets the emulator that serves the folder make a copy `name`. */
static bool ask_for_offer(Arena *arena, const Ready *ready, const char *name, Status *status)
{
    enum { PATIENCE_S = 3600 };
    HttpsAnswer answer;
    const HttpsAsk ask = {.address = ready->addresses.tls,
                          .host = ready->addresses.tls,
                          .method = "PUT",
                          .target = arena_printf(arena, "/trainyard/copies/%s", name),
                          .ca_path = ready->ca_path,
                          .patience_s = PATIENCE_S};
    if (!https_ask(arena, &ask, &answer, status))
        return false;
    return answer.status == 201 ||
           status_fail(status, STATUS_CONFLICT, place_in(ready->state_folder, 0, 0),
                       "the emulator that serves it cannot copy it: status %" PRId32 " %s",
                       answer.status, error_words(arena, answer.head));
}

/* Moves the copy, or copies it to another file system. */
static bool take_offer(const char *path, const char *folder, Status *status)
{
    Status ignored = {0};
    if (rename(path, folder) == 0)
        return true;
    const bool is_taken =
        errno == EXDEV ? copy_state(path, folder, status) : file_failed(folder, status);
    (void)!folder_remove(path, &ignored);
    return is_taken;
}

/* Takes a copy of the session that another process has open, from that process. `status` has the
 * problem with it: it stays if no emulator says that it serves the folder. */
static bool copy_served(const Fork *fork, const char *folder, Status *status)
{
    Ready ready;
    Status ignored = {0};
    Arena *arena = arena_create();
    const char *name = arena_printf(arena, "fork-%" PRIdMAX, (intmax_t)getpid());
    bool is_copied = false;
    if (ready_read(arena, fork->from, &ready, &ignored)) {
        *status = (Status){0};
        is_copied = ask_for_offer(arena, &ready, name, status) &&
                    take_offer(offer_path(arena, fork->from, name), folder, status);
    } else {
        status_hint(status, "end the process that uses it; what it has acknowledged is there then");
    }
    arena_destroy(arena);
    return is_copied;
}

static bool copy(const Fork *fork, const char *folder, Status *status)
{
    return copy_state(fork->from, folder, status) ||
           (status->code == STATUS_CONFLICT && copy_served(fork, folder, status));
}

/* --- Going back --- */

/* The journal of a session that goes back to an earlier time. */
typedef struct {
    int64_t at_ns;    /* the time to go back to */
    int64_t last;     /* the last entry up to it */
    int64_t end_ns;   /* the last entry of all */
    int64_t files_ns; /* the last entry that removes files; -1 */
} History;

/* The entry removes files of clients, if there are any. */
static bool removes_files(const JournalEntry *entry)
{
    static const CommandKind kinds[] = {COMMAND_FILE_DELETE, COMMAND_SHARE_DELETE,
                                        COMMAND_STORAGE_DELETE, COMMAND_GROUP_DELETE};
    char word[64];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(word, sizeof word, "\"%s\"", command_name(kinds[i]));
        if (strstr(entry->command, word) != NULL)
            return true;
    }
    return false;
}

static bool read_history(void *owner, const JournalEntry *entry, Status *status)
{
    History *history = owner;
    (void)status;
    history->end_ns = entry->at_ns;
    if (entry->at_ns <= history->at_ns)
        history->last = entry->sequence;
    if (removes_files(entry))
        history->files_ns = entry->at_ns;
    return true;
}

static bool cannot_go_back(const Fork *fork, const char *reason, int64_t then_ns, Status *status)
{
    Text text = {0};
    text_printf(&text, "%s: %s ", fork->from, reason);
    duration_print(&text, then_ns);
    status_fail(status, STATUS_CONFLICT, place_in("--fork-at", 0, 0), "%s", text_string(&text));
    text_free(&text);
    return false;
}

/* The last time at which clients have changed files; -1: never. */
static bool read_files_ns(Store *store, const Scenario *scenario, int64_t end_ns, History *history,
                          Status *status)
{
    FilesChanged changed;
    if (!contents_changed(store, &changed, status))
        return false;
    int64_t files_ns = changed.is_pending ? end_ns : changed.ns;
    if (changed.unix_ms > scenario_unix_ms(scenario, files_ns > 0 ? files_ns : 0)) {
        // The first nanosecond of the millisecond after it.
        const int64_t since_ms = changed.unix_ms - scenario_unix_ms(scenario, 0) + 1;
        files_ns = since_ms * NS_PER_MS < end_ns ? since_ms * NS_PER_MS : end_ns;
    }
    if (files_ns > history->files_ns)
        history->files_ns = files_ns;
    return true;
}

/* Drops all that happened after the time of the fork. */
static bool go_back(const Fork *fork, Store *store, const Scenario *scenario, Status *status)
{
    History history = {.at_ns = fork->at_ns, .files_ns = -1};
    if (!store_replay(store, JOURNAL_ALL, &history, read_history, status))
        return false;
    const int64_t stored_ns = session_stored_ns(store);
    const int64_t end_ns = stored_ns > history.end_ns ? stored_ns : history.end_ns;
    if (fork->at_ns > end_ns)
        return cannot_go_back(fork, "its session is only at", end_ns, status);
    if (!read_files_ns(store, scenario, end_ns, &history, status))
        return false;
    if (history.files_ns > fork->at_ns) {
        cannot_go_back(fork, "clients have changed or deleted files up to", history.files_ns,
                       status);
        return status_hint(status, "contents that files had before are not kept; choose this time "
                                   "or a later one");
    }
    return past_restore(store, history.last, fork->at_ns, status) && store_commit(store, status);
}

/* --- Changes --- */

static bool apply_changes(Arena *arena, const Fork *fork, Session *session, Problems *problems)
{
    for (int32_t i = 0; i < fork->change_count; i++) {
        const char *text = fork->changes[i];
        const Json *change = json_parse(arena, "--fork", text, strlen(text), JSON_STRICT, problems);
        if (change == NULL || !session_command(session, change, NULL, problems))
            return false;
    }
    return true;
}

static bool change_session(Arena *arena, const Fork *fork, Store *store, const ScenarioFile *base,
                           Problems *problems, Status *status)
{
    if (fork->change_count == 0)
        return true;
    Session *session = session_open(arena, store, base, NULL, 0, status);
    const bool is_changed = session != NULL && apply_changes(arena, fork, session, problems) &&
                            session_note_time(session, status) &&
                            outcome_rows_drop(store, status) && store_commit(store, status);
    session_close(session);
    return is_changed;
}

/* Lets the copied session in `folder` differ from the first one. */
static bool differ(const Fork *fork, const char *folder, Problems *problems, Status *status)
{
    if (fork->at_ns < 0 && fork->change_count == 0)
        return true;
    Store *store = store_open(folder, status);
    if (store == NULL)
        return false;
    Arena *arena = arena_create();
    const ScenarioFile *base =
        base_open(arena, store, NULL, (ScenarioOverrides){0}, problems, problems);
    const bool is_different = base != NULL &&
                              (fork->at_ns < 0 || go_back(fork, store, &base->scenario, status)) &&
                              change_session(arena, fork, store, base, problems, status);
    arena_destroy(arena);
    store_close(store);
    return is_different;
}

/* --- The fork --- */

static bool put_in_place(Arena *arena, const char *passing, const char *folder, Status *status)
{
    return file_name_settle(state_path(arena, passing, STATE_DATABASE), status) &&
           (rename(passing, folder) == 0 || file_failed(folder, status)) &&
           file_name_settle(folder, status);
}

static bool make(Arena *arena, const Fork *fork, const char *folder, Problems *problems,
                 Status *status)
{
    if (!folders_fit(arena, fork, folder, status))
        return false;
    const char *passing = clear_passing(arena, folder, status);
    if (passing == NULL)
        return false;
    const StateBefore before = state_folder_before(passing);
    const bool is_made = copy(fork, passing, status) && differ(fork, passing, problems, status) &&
                         put_in_place(arena, passing, folder, status);
    if (!is_made)
        state_folder_withdraw(passing, before);
    return is_made;
}

bool fork_session(const Fork *fork, const char *folder, Problems *problems)
{
    Arena *arena = arena_create();
    Status status = {0};
    const bool is_made = make(arena, fork, folder, problems, &status);
    if (!is_made && status.code != STATUS_OK)
        problems_add_status(problems, &status);
    arena_destroy(arena);
    return is_made;
}
