/* Recorded sessions of the real service, replayed request by request: the same status codes, the
 * same members in the same order with the same values, the same states at the same polls, and
 * operations as long as the service's.
 *
 * With the recording's seed a replay must match in all of these, and the times of operations must
 * differ from those of the created resources as in the service. With other seeds operations take
 * shorter or longer, and only status codes and lengths are compared.
 *
 * A recording is a file of JSON lines (recordings/NAME.jsonl; TRAINYARD_REPLAYS names another
 * folder). The first line says where it comes from, when it began, which resource group and storage
 * account were there, and its seed. Each other line is a request: seconds since the first one, what
 * was asked (paths below the subscription), the status, names of headers that the answer must have,
 * and its body ("answer") or in what it differs from that of the same request before ("changes", by
 * JSON pointers). "operation": the recorded id of an operation that begins; later paths are asked
 * with ours in its place. "lasts_s": between which lengths operations of that kind were recorded.
 */
#include <dirent.h>
#include <stdlib.h>

#include "sim/base/civil_time.h"
#include "sim/cli/files.h"
#include "tests/emu/arm_client.h"
#include "tests/emu/small_emulator.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

enum { SEEDS = 10, ROWS_MAX = 200 };

typedef struct {
    Arena *arena;
    const Json *head;
    const Json *rows[ROWS_MAX];
    int32_t count;
} Recording;

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static const char *text_of(const Json *row, const char *key)
{
    const Json *member = json_member(row, key);
    return member ? member->text : NULL;
}

static void read_recording(const char *path, Recording *recording)
{
    char *text = NULL;
    size_t length = 0;
    Status status = {0};
    Problems problems = problems_create(arena);
    ck_assert_msg(file_read(arena, path, 1 << 20, &text, &length, &status), "%s", status.message);
    *recording = (Recording){.arena = arena};
    for (char *line = text; *line != '\0';) {
        const size_t end = strcspn(line, "\n");
        const Json *row = json_parse(arena, path, line, end, JSON_STRICT, &problems);
        ck_assert_msg(row != NULL, "%s", problems.count ? problems.items[0].message : path);
        if (!recording->head)
            recording->head = row;
        else
            recording->rows[recording->count++] = row;
        ck_assert_int_lt(recording->count, ROWS_MAX);
        line += end + (line[end] == '\n');
    }
    ck_assert_int_gt(recording->count, 0);
}

/* That of the world in which everything takes so long that each poll sees what it saw then. */
static uint64_t own_seed(const Recording *recording)
{
    return (uint64_t)json_member(recording->head, "seed")->integer;
}

/* --- What may differ --- */

enum { GUID_LENGTH = GUID_TEXT - 1 };

static bool is_guid(const char *text)
{
    for (int i = 0; i < GUID_LENGTH; i++) {
        const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_hyphen ? text[i] != '-' : !strchr("0123456789abcdef", text[i]) || text[i] == '\0')
            return false;
    }
    return true;
}

/* `text` with GUIDs as "*", without scheme and host; digits as "#" where `hides_digits`. */
static const char *masked(const char *text, bool hides_digits)
{
    Text out = {0};
    const char *scheme = strstr(text, "://");
    if (scheme)
        text = strchr(scheme + 3, '/');
    while (*text != '\0') {
        if (is_guid(text)) {
            text_add(&out, "*");
            text += GUID_LENGTH;
        } else if (hides_digits && *text >= '0' && *text <= '9') {
            text_add(&out, "#");
            text += strspn(text, "0123456789");
        } else {
            text_append(&out, text++, 1);
        }
    }
    const char *copy = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return copy;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Accounts stand in the host of the service's addresses, and in the path of ours. */
static const char *file_of(const char *url)
{
    const char *share = strstr(url, "/share/");
    ck_assert_ptr_nonnull(share);
    return masked(arena_strndup(arena, share, strcspn(share, "?")), false);
}

static bool is_same_text(const char *key, const char *recorded, const char *ours)
{
    int64_t unix_ms;
    Status status = {0};
    if (iso_time_parse(recorded, json_at(NULL), &unix_ms, &status))
        return iso_time_parse(ours, json_at(NULL), &unix_ms, &status);
    if (strcmp(key, "ipAddress") == 0)
        return *ours != '\0';
    if (strcmp(key, "downloadUrl") == 0)
        return strcmp(file_of(recorded), file_of(ours)) == 0;
    const bool hides_digits = strcmp(key, "nodeId") == 0;
    return strcmp(masked(recorded, hides_digits), masked(ours, hides_digits)) == 0;
}

/* The place where the two values differ, as a JSON pointer that begins with `path`; NULL: they are
 * equal. */
static const char *difference(const char *path, const Json *recorded, const Json *ours)
{
    const char *key = recorded->key ? recorded->key : "";
    if (recorded->kind != ours->kind || recorded->count != ours->count)
        return path;
    const Json *theirs = ours->first;
    int32_t index = 0;
    for (const Json *child = recorded->first; child; child = child->next, theirs = theirs->next) {
        const char *inner = child->key ? arena_printf(arena, "%s/%s", path, child->key)
                                       : arena_printf(arena, "%s/%d", path, (int)index++);
        if (child->key && strcmp(child->key, theirs->key) != 0)
            return inner;
        const char *found = difference(inner, child, theirs);
        if (found)
            return found;
    }
    if (recorded->kind == JSON_STRING)
        return is_same_text(key, recorded->text, ours->text) ? NULL : path;
    if (recorded->kind == JSON_NUMBER)
        return strcmp(key, "contentLength") == 0 || recorded->integer == ours->integer ? NULL
                                                                                       : path;
    return recorded->boolean == ours->boolean ? NULL : path;
}

/* --- Replaying --- */

typedef struct {
    const Recording *recording;
    Client client;
    bool is_told;
    int32_t operation_count;
    struct {
        const char *recorded, *ours;
    } operations[ROWS_MAX];
    const Json *answers[ROWS_MAX]; /* [row] recorded, in full */
    const Json *ours[ROWS_MAX];    /* [row] NULL: without a body */
} Replay;

static const char *with_own_ids(const Replay *replay, const char *path)
{
    for (int32_t i = 0; i < replay->operation_count; i++)
        if (strstr(path, replay->operations[i].recorded))
            return with_change(arena, path, replay->operations[i].recorded,
                               replay->operations[i].ours);
    return path;
}

static const Json *recorded_answer(Replay *replay, int32_t row)
{
    const Json *line = replay->recording->rows[row];
    const Json *answer = json_member(line, "answer");
    const Json *changes = json_member(line, "changes");
    for (int32_t i = row; changes && !answer && i-- > 0;) {
        const Json *before = replay->recording->rows[i];
        if (strcmp(text_of(before, "path"), text_of(line, "path")) == 0 &&
            strcmp(text_of(before, "method"), text_of(line, "method")) == 0)
            answer = replay->answers[i];
    }
    if (changes) {
        ck_assert_ptr_nonnull(answer);
        Json *copy = json_copy(arena, answer, NULL);
        Status status = {0};
        for (const Json *change = changes->first; change; change = change->next)
            ck_assert(json_put_at(arena, copy, change->key, json_copy(arena, change, NULL),
                                  json_at(NULL), &status));
        answer = copy;
    }
    replay->answers[row] = answer;
    return answer;
}

static int64_t ms_of(const Json *object, const char *key)
{
    int64_t unix_ms = 0;
    Status status = {0};
    ck_assert(iso_time_parse(text_of(object, key), json_at(NULL), &unix_ms, &status));
    return unix_ms;
}

static double seconds_between(const Json *body)
{
    return (double)(ms_of(body, "endTime") - ms_of(body, "startTime")) / 1000;
}

/* The operation of a creation and the created resource have separate times. These differ by up to
 * two ticks of the service's clock; recorded ends always differ by one tick. */
static void check_stamps(const Json *operation, const Json *resource, const char *place)
{
    const Json *properties = json_member(resource, "properties");
    const int64_t start_ms = ms_of(operation, "startTime") - ms_of(properties, "creationTime");
    const int64_t end_ms =
        ms_of(operation, "endTime") - ms_of(properties, "provisioningStateTransitionTime");
    ck_assert_msg(start_ms >= 0 && start_ms <= 31, "%s: starts %d ms later", place, (int)start_ms);
    ck_assert_msg(end_ms >= 15 && end_ms <= 16, "%s: ends %d ms later", place, (int)end_ms);
}

static void check_row(Replay *replay, int32_t row, Answer answer, const char *place)
{
    const Json *line = replay->recording->rows[row];
    const Json *recorded = recorded_answer(replay, row);
    const Json *headers = json_member(line, "headers");
    const Json *lasts_s = json_member(line, "lasts_s");
    ck_assert_msg(answer.status == json_member(line, "status")->integer, "%s: %d %s", place,
                  (int)answer.status, answer.text);
    for (const Json *name = headers ? headers->first : NULL; name; name = name->next)
        ck_assert_msg(http_get(&answer.response, name->text), "%s: no %s", place, name->text);
    if (lasts_s && answer.body && text_of(answer.body, "endTime")) {
        const double took_s = seconds_between(answer.body);
        ck_assert_msg(took_s >= json_item(lasts_s, 0)->number &&
                          took_s <= json_item(lasts_s, 1)->number,
                      "%s: took %g s", place, took_s);
    }
    ck_assert_msg((recorded != NULL) == (answer.body != NULL), "%s: %s", place, answer.text);
    if (!recorded || !replay->is_told)
        return;
    const char *found = difference("", recorded, answer.body);
    ck_assert_msg(found == NULL, "%s: differs at \"%s\": %s", place, found ? found : "",
                  answer.text);
}

static void note_operation(Replay *replay, const Json *line, Answer answer)
{
    const char *id = text_of(line, "operation");
    if (!id)
        return;
    const char *url = http_get(&answer.response, "Azure-AsyncOperation");
    ck_assert_ptr_nonnull(url);
    const char *folder = strstr(url, "/operationresults/");
    ck_assert_ptr_nonnull(folder);
    replay->operations[replay->operation_count].recorded = id;
    replay->operations[replay->operation_count++].ours =
        arena_strndup(arena, folder + strlen("/operationresults/"), GUID_LENGTH);
}

static const char *printed(const Json *body)
{
    Text text = {0};
    if (!body)
        return NULL;
    json_print(&text, body, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* Where a poll has found a creation over and this request was for what it made. */
static void check_creation(Replay *replay, int32_t row, Answer answer, const char *place)
{
    replay->ours[row] = answer.body;
    if (!replay->is_told || row == 0)
        return;
    const Json *const pairs[][2] = {{replay->answers[row - 1], replay->answers[row]},
                                    {replay->ours[row - 1], replay->ours[row]}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (json_member(pairs[i][0], "endTime") &&
            json_find(pairs[i][1], "/properties/creationTime"))
            check_stamps(pairs[i][0], pairs[i][1], place);
    }
}

static void replay_with(const Recording *recording, const char *path, uint64_t seed)
{
    SmallEmulator small;
    small_emulator_open(&small, text_of(recording->head, "start"),
                        text_of(recording->head, "account"), seed);
    Replay *replay = ARENA_NEW(arena, Replay);
    *replay = (Replay){.recording = recording,
                       .client = {small.arena, small.emulator},
                       .is_told = seed == own_seed(recording)};
    const char *group =
        arena_printf(arena, "/resourceGroups/%s", text_of(recording->head, "group"));
    ck_assert_status(client_do(replay->client, HTTP_PUT, group, "{\"location\": \"northeurope\"}"),
                     201);
    for (int32_t i = 0; i < recording->count; i++) {
        const Json *line = recording->rows[i];
        const int64_t at_ns = (int64_t)(json_member(line, "at_s")->number * 1e9);
        session_advance(small.emulator->session, at_ns);
        const char *target = with_own_ids(replay, text_of(line, "path"));
        const Answer answer = client_do(replay->client, http_method(text_of(line, "method")),
                                        target, printed(json_member(line, "body")));
        note_operation(replay, line, answer);
        const char *place = arena_printf(arena, "%s, seed %d, request %d: %s %s", path, (int)seed,
                                         (int)i, text_of(line, "method"), target);
        check_row(replay, i, answer, place);
        check_creation(replay, i, answer, place);
    }
    small_emulator_remove(&small);
}

static int is_recording(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".jsonl");
}

START_TEST(recorded_sessions_come_out_again)
{
    const char *folder = getenv("TRAINYARD_REPLAYS");
    struct dirent **entries;
    if (!folder)
        folder = TRAINYARD_SOURCE_DIR "/tests/emu/recordings";
    const int count = scandir(folder, &entries, is_recording, alphasort);
    ck_assert_msg(count > 0, "no recordings in %s", folder);
    for (int i = 0; i < count; i++) {
        Recording recording;
        const char *path = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        read_recording(path, &recording);
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            replay_with(&recording, entries[i]->d_name, own_seed(&recording) + seed);
        free(entries[i]);
    }
    free(entries);
}
END_TEST

/* The comparison itself: what it lets pass, and what not. */
START_TEST(differences_are_found)
{
    static const struct {
        const char *recorded, *ours, *where;
    } rows[] = {
        {"{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 2}", NULL},
        {"{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}", "/a"},
        {"{\"a\": 1}", "{\"a\": 1, \"b\": 2}", ""},
        {"{\"a\": [1, 2]}", "{\"a\": [1, 3]}", "/a/1"},
        {"{\"a\": \"x\"}", "{\"a\": \"y\"}", "/a"},
        {"{\"a\": null}", "{\"a\": 0}", "/a"},
        {"{\"endTime\": \"2018-06-06T21:06:02Z\"}", "{\"endTime\": \"2019-06-06T21:06:02.1Z\"}",
         NULL},
        {"{\"endTime\": \"2018-06-06T21:06:02Z\"}", "{\"endTime\": \"later\"}", "/endTime"},
        {"{\"id\": \"https://h/s/c97d4fe0-3388-44b3-b474-31ff35abcf05\"}",
         "{\"id\": \"https://127.0.0.1:1/s/00000000-3388-44b3-b474-31ff35abcf05\"}", NULL},
        {"{\"id\": \"https://h/s/c97d4fe0-3388-44b3-b474-31ff35abcf05\"}",
         "{\"id\": \"https://h/t/c97d4fe0-3388-44b3-b474-31ff35abcf05\"}", "/id"},
        {"{\"nodeId\": \"tvm-1_1-20180606t212057z-p\"}",
         "{\"nodeId\": \"tvm-22_1-20180607t212057z-p\"}", NULL},
        {"{\"nodeId\": \"tvm-1_1-20180606t212057z-p\"}",
         "{\"nodeId\": \"tvm-1_1-20180606t212057z\"}", "/nodeId"},
        {"{\"downloadUrl\": \"https://a.file.core.windows.net/share/x?sv=1\"}",
         "{\"downloadUrl\": \"http://h:1/a/share/x?sv=2\"}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Problems problems = problems_create(arena);
        const Json *recorded = json_parse(arena, "a", rows[i].recorded, strlen(rows[i].recorded),
                                          JSON_STRICT, &problems);
        const Json *ours =
            json_parse(arena, "b", rows[i].ours, strlen(rows[i].ours), JSON_STRICT, &problems);
        const char *found = difference("", recorded, ours);
        ck_assert_msg(rows[i].where ? found && strcmp(found, rows[i].where) == 0 : !found,
                      "row %zu: %s", i, found ? found : "nothing");
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("replays");
    TCase *tests = tcase_create("replays");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, recorded_sessions_come_out_again);
    tcase_add_test(tests, differences_are_found);
    suite_add_tcase(suite, tests);
    return suite;
}
