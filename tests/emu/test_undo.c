/* emu/undo.h: the last jump of the clock is undone. The session is then what it was before, also
 * after a restart and in its export; what would be dropped is named, and kept; a kill leaves the
 * session before or after. */
#include <unistd.h>

#include "emu/files/lease.h"
#include "emu/files/store/ticks.h"
#include "emu/fork.h"
#include "emu/session/jumps.h"
#include "emu/session/programs.h"
#include "emu/undo.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/emu/twins.h"
#include "tests/support/killed_process.h"
#include "tests/support/suite.h"

enum { REQUESTS = 80, SEEDS = 4 };

static const ShareName share = {.account = "acct", .share = "share"};

/* --- Asking --- */

/* Answers, in the twin's arena; the answer is committed. */
static HttpResponse answer_to(Twin *twin, HttpMethod method, const char *target, const char *body)
{
    static const HttpField token = {"Authorization", "Bearer x"};
    Arena *arena = twin->small.arena;
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .target = target,
                           .query_text = "",
                           .headers = &token,
                           .header_count = 1,
                           .body = body,
                           .body_bytes = strlen(body)};
    HttpResponse response = http_response(200);
    ck_assert(http_read_query(&request, "api-version=2018-05-01"));
    emulator_handle(twin->small.emulator, &request, &response);
    return response;
}

static HttpResponse tell(Twin *twin, const char *body)
{
    return answer_to(twin, HTTP_POST, "/trainyard/clock", body);
}

static void commit(Twin *twin)
{
    Status status = {0};
    ck_assert_msg(emulator_commit(twin->small.emulator, &status), "%s", status.message);
}

static void advance_by(Twin *twin, const char *by)
{
    char body[64];
    snprintf(body, sizeof body, "{\"do\": \"advance\", \"by\": \"%s\"}", by);
    const HttpResponse response = tell(twin, body);
    ck_assert_msg(response.status == 200, "%s", response.body);
    commit(twin);
}

#define UNDO "{\"do\": \"undo\"}"
#define UNDO_ACCEPTED "{\"do\": \"undo\", \"accept\": true}"

/* Undoes the last jump as the server does, and returns the answer. */
static const char *undo_with(Twin *twin, const char *body)
{
    const HttpResponse response = tell(twin, body);
    ck_assert_msg(response.status == 200, "%d %s", (int)response.status, response.body);
    ck_assert(emulator_is_over(twin->small.emulator));
    commit(twin);
    twin_restart(twin);
    return response.body;
}

/* The answer to an undo that is refused, and changes nothing. */
static const char *refused(Twin *twin, const char *body)
{
    const char *before = exported(twin);
    const HttpResponse response = tell(twin, body);
    ck_assert_msg(response.status == 409, "%d %s", (int)response.status, response.body);
    ck_assert(!emulator_is_over(twin->small.emulator));
    ck_assert_str_eq(exported(twin), before);
    return response.body;
}

static void says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "%s: %s", part, text);
}

static void ask_some(Twin *twin, uint64_t from, int count)
{
    draw_state = from;
    for (int i = 0; i < count; i++) {
        const Said said = draw_request();
        ask(twin, said.method, said.target, said.body);
    }
}

static int64_t now_ns(const Twin *twin)
{
    return session_now_ns(twin->small.emulator->session);
}

static const char *clock_of(Twin *twin)
{
    return answer_to(twin, HTTP_GET, "/trainyard/clock", "").body;
}

static void create_group(Twin *twin, const char *name)
{
    char target[DEPTH_BYTES];
    snprintf(target, sizeof target, GROUPS "%s", name);
    ask(twin, HTTP_PUT, target, "{\"location\": \"northeurope\"}");
}

static void command(Twin *twin, const char *text)
{
    Problems problems = problems_create(twin->small.arena);
    const Json *tree =
        json_parse(twin->small.arena, "command", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree && session_command(twin->small.emulator->session, tree, NULL, &problems),
                  "%s", problems.count > 0 ? problems.items[0].message : "");
    commit(twin);
}

/* A client writes a file, as its protocol does. */
static void write_file(Twin *twin, const char *path, const char *text)
{
    Emulator *emulator = twin->small.emulator;
    const int64_t length = (int64_t)strlen(text);
    file_store_at(emulator->files, session_unix_ms(emulator->session),
                  session_now_ns(emulator->session));
    ck_assert_int_eq(files_file_create(emulator->files, share, path, length, "{}", "{}"), FILES_OK);
    ck_assert_int_eq(files_write(emulator->files, share, path, 0, length, text), FILES_OK);
    command(twin, arena_printf(twin->small.arena,
                               "{\"do\": \"file.upload\", \"name\": \"acct/share\", \"file\": "
                               "\"%s\", \"content\": {\"text\": \"%s\"}}",
                               path, text));
}

static const char *read_file(Twin *twin, const char *path)
{
    FilesReader *reader;
    int64_t bytes;
    ck_assert_int_eq(files_open(twin->small.emulator->files, share, path, &reader, &bytes),
                     FILES_OK);
    char *text = arena_alloc(twin->small.arena, (size_t)bytes + 1);
    ck_assert_int_eq(files_read(reader, 0, text, (size_t)bytes), bytes);
    files_reader_close(reader);
    return text;
}

/* --- Back to what it was --- */

/* As many entries come before the jump and after the last snapshot; a pack has 1024. */
static const int entries_before[SEEDS] = {0, 10, 1500, 3000};

static void make_entries(Twin *twin, int count)
{
    for (int i = 0; i < count; i++) {
        Problems problems = problems_create(twin->small.arena);
        ck_assert(programs_set_option(twin->small.emulator->session, twin->small.arena, "--program",
                                      "none=exit 0", &problems));
        if (i % 500 == 0)
            commit(twin);
    }
    commit(twin);
}

START_TEST(the_session_is_what_it_was_before_the_jump)
{
    const uint64_t seed = 1 + (uint64_t)_i;
    Twin twin, other;
    twin_begin(&twin, seed, false);
    twin_begin(&other, seed, false);
    make_entries(&twin, entries_before[_i]);
    make_entries(&other, entries_before[_i]);
    ask_some(&twin, 1000 * seed, REQUESTS);
    ask_some(&other, 1000 * seed, REQUESTS);
    if (_i % 2 > 0)
        snapshots_rest(twin.small.emulator, true); // before the jump: it is used again
    const char *then = exported(&twin), *events = records(&twin);
    const int64_t then_ns = now_ns(&twin);
    advance_by(&twin, "3d");
    if (_i == 2)
        snapshots_rest(twin.small.emulator, true); // after it: it is dropped
    ck_assert_int_eq(now_ns(&twin), then_ns + 3 * NS_PER_DAY);
    says(undo_with(&twin, UNDO), "\"kept\": null");
    ck_assert_int_eq(twin.small.emulator->snapshots.used.image.bytes > 0, _i % 2 > 0);
    ck_assert_int_eq(now_ns(&twin), then_ns);
    ck_assert_str_eq(exported(&twin), then);
    ck_assert_str_eq(records(&twin), events);
    twin_restart(&twin);
    ck_assert_str_eq(exported(&twin), then);
    ask_some(&twin, 2000 * seed, REQUESTS);
    ask_some(&other, 2000 * seed, REQUESTS);
    twins_agree(&twin, &other, 2 * REQUESTS);
    ck_assert_str_eq(exported(&twin), exported(&other));
    twin_end(&twin);
    twin_end(&other);
}
END_TEST

START_TEST(jumps_are_undone_one_after_the_other)
{
    Twin twin;
    twin_begin(&twin, 5, false);
    says(refused(&twin, UNDO), "there is no jump of the clock to undo");
    says(clock_of(&twin), "\"undo\": null");
    advance_by(&twin, "1h");
    advance_by(&twin, "0s");                                                   // not a jump
    tell(&twin, "{\"do\": \"run-until\", \"until\": \"cluster none ready\"}"); // refused
    advance_by(&twin, "2h");
    says(clock_of(&twin), "\"to_ns\": 3600000000000");
    says(undo_with(&twin, UNDO), "\"now\": \"2018-07-18T18:45:00Z\"");
    ck_assert_int_eq(now_ns(&twin), NS_PER_HOUR);
    says(clock_of(&twin), "\"to_ns\": 0");
    undo_with(&twin, UNDO);
    ck_assert_int_eq(now_ns(&twin), 0);
    refused(&twin, UNDO);
    for (int i = 0; i < JUMPS_KEPT + 3; i++)
        advance_by(&twin, "1s");
    for (int i = 0; i < JUMPS_KEPT; i++)
        undo_with(&twin, UNDO);
    says(refused(&twin, UNDO), "there is no jump");
    ck_assert_int_eq(now_ns(&twin), 3 * NS_PER_S); // the oldest are forgotten
    twin_end(&twin);
}
END_TEST

START_TEST(a_run_that_is_refused_moves_time_and_is_undone)
{
    Twin twin;
    twin_begin(&twin, 5, false);
    ask_some(&twin, 77, REQUESTS);
    command(&twin, "{\"do\": \"group.create\", \"name\": \"x\"}");
    command(&twin, "{\"do\": \"workspace.create\", \"name\": \"x\", \"resource_group\": \"x\"}");
    command(&twin,
            "{\"do\": \"cluster.create\", \"name\": \"x\", \"resource_group\": \"x\", "
            "\"workspace\": \"x\", \"config\": {\"properties\": {\"vmSize\": "
            "\"STANDARD_NC6\", \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 1}}}}}");
    const int64_t then_ns = now_ns(&twin);
    const char *then = exported(&twin);
    const HttpResponse response = tell(
        &twin, "{\"do\": \"run-until\", \"until\": \"cluster x idle >= 2\", \"within\": \"30d\"}");
    ck_assert_int_eq(response.status, 409);
    commit(&twin);
    ck_assert_int_gt(now_ns(&twin), then_ns); // to the last event
    undo_with(&twin, UNDO);
    ck_assert_str_eq(exported(&twin), then);
    twin_end(&twin);
}
END_TEST

/* --- Dropping requests --- */

START_TEST(requests_since_the_jump_are_named_and_kept)
{
    Twin twin;
    twin_begin(&twin, 5, false);
    create_group(&twin, "before");
    const char *then = exported(&twin);
    advance_by(&twin, "1h");
    create_group(&twin, "one");
    for (int i = 0; i < 6; i++)
        ask(&twin, HTTP_PUT, GROUPS "two",
            arena_printf(twin.small.arena,
                         "{\"location\": \"northeurope\", \"tags\": {\"n\": \"%d\"}}", i));
    const char *before = exported(&twin);
    says(clock_of(&twin), "\"entries\": 7");
    const char *why = refused(&twin, UNDO);
    says(why, "going back to 2018-07-18T17:45:00Z drops ");
    says(why, "group.create one, group.create two, properties of two");
    says(why, ", and 2 more)");
    says(why, "\\\"accept\\\": true goes back all the same");
    const char *kept = arena_printf(twin.small.arena, "%s/state/undone/1.json", twin.small.folder);
    ck_assert_int_ne(access(kept, F_OK), 0);
    const char *answer = undo_with(&twin, UNDO_ACCEPTED);
    says(answer, "\"requests\": 7");
    says(answer, "undone/1.json\"");
    ck_assert_str_eq(exported(&twin), then);
    char *text;
    size_t length;
    Status status = {0};
    ck_assert(file_read(twin.small.arena, kept, 1 << 20, &text, &length, &status));
    ck_assert_str_eq(text, before);
    advance_by(&twin, "1h");
    create_group(&twin, "three");
    undo_with(&twin, UNDO_ACCEPTED);
    ck_assert_int_eq(
        access(arena_printf(twin.small.arena, "%s/state/undone/2.json", twin.small.folder), F_OK),
        0);
    twin_end(&twin);
}
END_TEST

START_TEST(files_that_were_written_since_stay)
{
    Twin twin;
    FilesEntry entry;
    twin_begin(&twin, 5, false);
    write_file(&twin, "both.txt", "old");
    advance_by(&twin, "30d");
    write_file(&twin, "both.txt", "new");
    write_file(&twin, "late.txt", "late");
    const int64_t later_ms = session_unix_ms(twin.small.emulator->session);
    const Lease lease = {.id = "11111111-1111-1111-1111-111111111111",
                         .duration_ms = 60000,
                         .ends_ms = later_ms + 60000,
                         .breaks_ms = INT64_MAX};
    ck_assert_int_eq(files_change(twin.small.emulator->files, share, "late.txt", -1, NULL, NULL,
                                  lease_print(twin.small.arena, &lease)),
                     FILES_OK);
    commit(&twin);
    const char *why = refused(&twin, UNDO);
    says(why, "leaves 2 changed files unchanged (share/both.txt, share/late.txt)");
    says(undo_with(&twin, UNDO_ACCEPTED), "\"files\": 2");
    ck_assert_str_eq(read_file(&twin, "both.txt"), "new");
    ck_assert_str_eq(read_file(&twin, "late.txt"), "late");
    ck_assert_int_eq(
        files_look(twin.small.emulator->files, twin.small.arena, share, "late.txt", &entry),
        FILES_OK);
    ck_assert_int_le(entry.written_ticks, ticks_of(session_unix_ms(twin.small.emulator->session)));
    ck_assert_str_eq(entry.lease, "");
    // The world hears of them with the next request that changes it, at the time of today.
    advance_by(&twin, "1s");
    const char *session = exported(&twin);
    says(session, "\"late.txt\"");
    says(session, "\"text\": \"new\"");
    ck_assert_ptr_null(strstr(session, "2592000000000001ns"));
    twin_restart(&twin);
    ck_assert_str_eq(exported(&twin), session);
    twin_end(&twin);
}
END_TEST

START_TEST(what_cannot_go_back_is_refused)
{
    static const struct {
        const char *command, *reason;
    } cases[] = {
        {"{\"do\": \"share.create\", \"name\": \"acct/other\", \"tier\": \"standard\"}",
         "shares or storage accounts were made or deleted, and files do not go back (share.create "
         "acct/other)"},
        {"{\"do\": \"storage.create\", \"name\": \"acct2\"}", "(storage.create acct2)"},
        {"{\"do\": \"group.delete\", \"name\": \"g\"}", "(group.delete g)"},
        {"{\"do\": \"file.delete\", \"name\": \"acct/share\", \"file\": \"a.txt\"}",
         "files were deleted, and their contents are not kept (file.delete acct/share)"},
        {"{\"do\": \"share.delete\", \"name\": \"acct/share\"}", "(share.delete acct/share)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Twin twin;
        twin_begin(&twin, 5, false);
        create_group(&twin, "g");
        write_file(&twin, "a.txt", "a");
        advance_by(&twin, "1h");
        create_group(&twin, "later");
        command(&twin, cases[i].command);
        says(refused(&twin, UNDO_ACCEPTED), cases[i].reason);
        says(refused(&twin, UNDO), "time cannot go back to 2018-07-18T17:45:00Z: since then ");
        advance_by(&twin, "1h"); // later jumps can be undone
        undo_with(&twin, UNDO);
        twin_end(&twin);
    }
}
END_TEST

/* --- Other clients --- */

START_TEST(requests_between_the_undo_and_the_next_session_are_refused)
{
    Twin twin;
    twin_begin(&twin, 5, false);
    advance_by(&twin, "1h");
    ck_assert_int_eq(tell(&twin, UNDO).status, 200);
    Emulator *emulator = twin.small.emulator;
    static const char *const targets[] = {GROUPS "g", "/trainyard/clock", "/acct/share/a.txt"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const HttpResponse response = answer_to(&twin, HTTP_PUT, targets[i], "{}");
        ck_assert_int_eq(response.status, 503);
        ck_assert_str_eq(http_get(&response, "Retry-After"), "1");
        says(response.body, "goes back in time");
    }
    const int64_t before_ns = now_ns(&twin);
    emulator->pace.clock.kind = CLOCK_REAL;
    emulator->pace.clock.rate_ppm = 1000000;
    emulator_tick(emulator, 5 * NS_PER_S, INT64_C(1795000000000));
    emulator_tick(emulator, 9 * NS_PER_S, INT64_C(1795000000000));
    ck_assert_int_eq(now_ns(&twin), before_ns);
    Status status = {0};
    ck_assert(emulator_rest(emulator, &status)); // a signal comes now
    twin_restart(&twin);
    ck_assert_int_eq(now_ns(&twin), 0);
    twin_end(&twin);
}
END_TEST

/* The text that a stream sends now. */
static const char *stream_text(Twin *twin, const HttpResponse *stream)
{
    char room[4096];
    Text text = {0};
    int64_t count;
    while ((count = stream->source.read(stream->source.owner, 0, room, sizeof room)) > 0)
        text_append(&text, room, (size_t)count);
    const char *copy = arena_strdup(twin->small.arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(streams_end_with_the_undo_and_begin_with_it)
{
    Twin twin;
    HttpResponse stream;
    twin_begin(&twin, 5, false);
    ask_some(&twin, 3, REQUESTS);
    const uint64_t last = events_last(twin.small.emulator->control.events);
    advance_by(&twin, "30d");
    const uint64_t later = events_last(twin.small.emulator->control.events);
    ck_assert_uint_gt(later, last);
    const int64_t undone_ns = now_ns(&twin) - 30 * NS_PER_DAY;
    events_answer(twin.small.emulator->control.events, later, true, &stream);
    ck_assert_str_eq(stream_text(&twin, &stream), "");
    ck_assert_int_eq(tell(&twin, UNDO).status, 200);
    ck_assert_str_eq(stream_text(&twin, &stream), ""); // the disk may still fail
    commit(&twin);
    const char *text = stream_text(&twin, &stream);
    says(text, arena_printf(twin.small.arena, "id: %" PRIu64 "\ndata: {\"at\":", last));
    says(text, arena_printf(twin.small.arena, "\"at_ns\":%" PRId64 ",\"record\":\"undone\"}\n\n",
                            undone_ns));
    ck_assert_str_eq(stream_text(&twin, &stream), ""); // once
    stream.source.free(stream.source.owner);
    twin_restart(&twin);
    ck_assert_uint_eq(events_last(twin.small.emulator->control.events), last);
    // A client that was away comes back with a number that has not happened.
    events_answer(twin.small.emulator->control.events, later, true, &stream);
    text = stream_text(&twin, &stream);
    says(text, arena_printf(twin.small.arena, "id: %" PRIu64 "\ndata: {\"at\":", last));
    says(text, "\"record\":\"undone\"}\n\n");
    advance_by(&twin, "30d");
    commit(&twin);
    says(stream_text(&twin, &stream),
         arena_printf(twin.small.arena, "id: %" PRIu64 "\n", last + 1));
    stream.source.free(stream.source.owner);
    twin_end(&twin);
}
END_TEST

/* --- Forks, and kills --- */

START_TEST(a_fork_can_undo_the_jumps_before_it)
{
    Twin twin;
    twin_begin(&twin, 5, false);
    advance_by(&twin, "1h");
    advance_by(&twin, "1h");
    Status status = {0};
    ck_assert(emulator_rest(twin.small.emulator, &status));
    emulator_close(twin.small.emulator);
    const char *state = arena_printf(twin.small.arena, "%s/state", twin.small.folder);
    const char *old = arena_printf(twin.small.arena, "%s/old", twin.small.folder);
    ck_assert_int_eq(rename(state, old), 0);
    Problems problems = problems_create(twin.small.arena);
    ck_assert(fork_session(&(Fork){.from = old, .at_ns = 90 * NS_PER_MIN}, state, &problems));
    small_emulator_start(&twin.small);
    ck_assert_int_eq(now_ns(&twin), 90 * NS_PER_MIN);
    undo_with(&twin, UNDO);
    ck_assert_int_eq(now_ns(&twin), NS_PER_HOUR);
    undo_with(&twin, UNDO);
    ck_assert_int_eq(now_ns(&twin), 0);
    twin_end(&twin);
}
END_TEST

static bool make_undo(void *owner)
{
    Twin *twin = owner;
    Status status = {0};
    small_emulator_start(&twin->small);
    return tell(twin, UNDO_ACCEPTED).status == 200 &&
           emulator_commit(twin->small.emulator, &status);
}

START_TEST(a_kill_leaves_the_session_before_or_after)
{
    enum { KILLS = 40, ENTRIES = 2500 };
    Twin twin;
    int before_count = 0, after_count = 0;
    int64_t calls = 0;
    twin_begin(&twin, 21, false);
    for (int i = 0; i < KILLS; i++) {
        if (i == 0 || after_count > 0)
            make_entries(&twin, i == 0 ? ENTRIES : 1);
        advance_by(&twin, "0s"); // the world hears of the file that stayed
        const char *then = exported(&twin);
        advance_by(&twin, "1d");
        write_file(&twin, "a.txt", "a");
        create_group(&twin, "later");
        const char *later = exported(&twin);
        emulator_close(twin.small.emulator);
        const int64_t last = i == 0 ? NOT_KILLED : killed_process_call(calls, i, KILLS);
        const int64_t made = killed_process_run(make_undo, &twin, last);
        calls = i == 0 ? made : calls;
        small_emulator_start(&twin.small);
        const char *found = exported(&twin);
        const bool is_before = strcmp(found, later) == 0;
        ck_assert_msg(is_before || strcmp(found, then) == 0, "kill %d at call %" PRId64, i, last);
        before_count += is_before;
        after_count += !is_before;
        if (is_before)
            undo_with(&twin, UNDO_ACCEPTED);
        ck_assert(strcmp(exported(&twin), then) == 0);
        ck_assert_str_eq(read_file(&twin, "a.txt"), "a");
    }
    ck_assert_int_gt(before_count, 0);
    ck_assert_int_gt(after_count, 0);
    twin_end(&twin);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("undo");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, the_session_is_what_it_was_before_the_jump, 0, SEEDS);
    tcase_add_test(tests, jumps_are_undone_one_after_the_other);
    tcase_add_test(tests, a_run_that_is_refused_moves_time_and_is_undone);
    tcase_add_test(tests, requests_since_the_jump_are_named_and_kept);
    tcase_add_test(tests, files_that_were_written_since_stay);
    tcase_add_test(tests, what_cannot_go_back_is_refused);
    tcase_add_test(tests, requests_between_the_undo_and_the_next_session_are_refused);
    tcase_add_test(tests, streams_end_with_the_undo_and_begin_with_it);
    tcase_add_test(tests, a_fork_can_undo_the_jumps_before_it);
    tcase_add_test(tests, a_kill_leaves_the_session_before_or_after);
    suite_add_tcase(suite, tests);
    return suite;
}
