#include "tests/emu/faults/clients.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/files/auth/auth.h"
#include "sim/base/checksum.h"
#include "tests/emu/faults/disk.h"

Life life;

void life_fail(const char *format, ...)
{
    va_list values;
    if (life.has_failed)
        return;
    life.has_failed = true;
    va_start(values, format);
    vsnprintf(life.failure, sizeof life.failure, format, values);
    va_end(values);
}

void life_say(const char *format, ...)
{
    va_list values;
    if (!life.is_verbose)
        return;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
    fflush(stdout);
}

static void add_version(int file, const KnownFile *is)
{
    int *count = &life.version_count[file];
    if (*count < VERSIONS)
        life.versions[file][(*count)++] = checksum(is->bytes, (size_t)is->length);
}

static bool is_version(int file, const char *bytes, size_t length)
{
    const uint64_t sum = checksum(bytes, length);
    for (int i = 0; i < life.version_count[file]; i++)
        if (life.versions[file][i] == sum)
            return true;
    return false;
}

/* --- Requests --- */

typedef struct {
    int32_t status;
    const char *code, *body;
    size_t length;
} Answer;

static const char date[] = "Fri, 20 Nov 2026 17:00:16 GMT";

static const char *read_answer(const HttpResponse *response, size_t *length)
{
    if (!response->source.read) {
        *length = response->body_bytes;
        return response->body ? response->body : "";
    }
    const int64_t most =
        response->source_bytes == HTTP_LENGTH_UNKNOWN ? 1 << 20 : response->source_bytes;
    char *bytes = arena_alloc(life.request, (size_t)most + 1);
    int64_t used = 0;
    while (used < most) {
        const int64_t got = response->source.read(response->source.owner, used, bytes + used,
                                                  (size_t)(most - used));
        if (got <= 0)
            break; // the connection is cut
        used += got;
    }
    *length = (size_t)used;
    return bytes;
}

/* The request as a client sends it. */
static void print_request(const HttpRequest *request, Text *out)
{
    bool has_length = false;
    text_printf(out, "%s %s%s%s HTTP/1.1\r\nHost: %s\r\n", request->method_text, request->target,
                *request->query_text ? "?" : "", request->query_text, request->host);
    for (int32_t i = 0; i < request->header_count; i++) {
        const HttpField *header = &request->headers[i];
        has_length = has_length || strcmp(header->name, "Content-Length") == 0;
        text_printf(out, "%s: %s\r\n", header->name, header->value);
    }
    if (!has_length)
        text_printf(out, "Content-Length: %zu\r\n", request->body_bytes);
    text_add(out, "\r\n");
    text_append(out, request->body, request->body_bytes);
}

static Answer ask(HttpMethod method, const char *target, const char *query, HttpField *headers,
                  int32_t count, const char *body, size_t length, bool is_signed)
{
    HttpRequest request = {.arena = life.request,
                           .listener = LISTENER_PLAIN,
                           .method = method,
                           .method_text = http_method_name(method),
                           .target = target,
                           .query_text = query,
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .headers = headers,
                           .header_count = count,
                           .body = body,
                           .body_bytes = length};
    if (!http_read_query(&request, query))
        abort();
    if (is_signed) {
        const char *text = files_string_to_sign(&request, "acct", false);
        const char *code =
            files_signature(&life.emulator->azure_files, life.request, "acct", 0, text);
        headers[request.header_count++] =
            (HttpField){"Authorization", arena_printf(life.request, "SharedKey acct:%s", code)};
    }
    if (life.plan != NULL) {
        print_request(&request, life.plan);
        return (Answer){.status = 200, .code = "", .body = ""};
    }
    HttpResponse response = http_response(200);
    emulator_handle(life.emulator, &request, &response);
    Answer answer = {.status = response.status, .code = http_get(&response, "x-ms-error-code")};
    answer.body = read_answer(&response, &answer.length);
    answer.code = answer.code ? arena_strdup(life.request, answer.code) : "";
    if (response.source.free)
        response.source.free(response.source.owner);
    life_say("  %s %s?%s %d %s%s", request.method_text, target, query, answer.status, answer.code,
             disk_is_cut() ? " (cut)" : "");
    return answer;
}

static Answer ask_files(HttpMethod method, int file, const char *query, const HttpField *more,
                        int32_t more_count, const char *body, size_t length)
{
    HttpField headers[16] = {{"x-ms-date", date},
                             {"x-ms-version", "2021-06-08"},
                             {"Content-Length", arena_printf(life.request, "%zu", length)}};
    int32_t count = 3;
    for (int32_t i = 0; i < more_count; i++)
        headers[count++] = more[i];
    return ask(method, arena_printf(life.request, "/acct/share/f%d", file), query, headers, count,
               body, length, true);
}

static Answer ask_group(HttpMethod method, int group)
{
    HttpField headers[] = {{"Authorization", "Bearer x"}, {"Content-Type", "application/json"}};
    const char *body = method == HTTP_PUT ? "{\"location\": \"eastus\"}" : "";
    return ask(method,
               arena_printf(life.request,
                            "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"
                            "g%d",
                            group),
               "api-version=2018-05-01", headers, 2, body, strlen(body), false);
}

static Answer ask_clock(HttpMethod method, const char *body)
{
    return ask(method, "/trainyard/clock", "", NULL, 0, body, strlen(body), false);
}

/* The time before the last jump, as the clock shows it; -1: no jump can be undone. */
static int64_t last_jump_ns(Answer answer)
{
    static const char key[] = "\"to_ns\": ";
    const char *body = arena_strndup(life.request, answer.body, answer.length);
    const char *found = strstr(body, key);
    return found ? strtoll(found + sizeof key - 1, NULL, 10) : -1;
}

/* Whether an answer is that of success. Others are allowed where the disk fails. */
static bool succeeds(Answer answer, const char *what)
{
    const bool may_fail = life.kind != DISK_CUTS || disk_is_cut();
    if (answer.status >= 200 && answer.status < 300)
        return true;
    if (answer.status < 500 || !may_fail)
        life_fail("%s: %d %s", what, answer.status, answer.code);
    return false;
}

/* --- Operations, and their effect on the known state --- */

static void create_file(Known *known, int number)
{
    KnownFile *file = &known->files[number];
    const int32_t length = (int32_t)disk_draw(4) == 0 ? 10 : (int32_t)disk_draw(BYTES_MAX);
    const HttpField headers[] = {
        {"x-ms-type", "file"},
        {"x-ms-content-length", arena_printf(life.request, "%" PRId32, length)}};
    if (!succeeds(ask_files(HTTP_PUT, number, "", headers, 2, "", 0), "create"))
        return;
    memset(file->bytes, 0, sizeof file->bytes);
    file->is_there = true;
    file->length = length;
    add_version(number, file);
}

static void put_range(Known *known, int number)
{
    KnownFile *file = &known->files[number];
    if (!file->is_there || file->length == 0) {
        create_file(known, number);
        return;
    }
    const int32_t first = (int32_t)disk_draw((uint64_t)file->length);
    int32_t length = 1 + (int32_t)disk_draw((uint64_t)(file->length - first));
    if (disk_draw(2) == 0 && length > 600)
        length = 600;
    const bool clears = disk_draw(6) == 0;
    char *bytes = arena_alloc(life.request, (size_t)length);
    for (int32_t i = 0; i < length; i++)
        bytes[i] = clears ? 0 : (char)('a' + disk_draw(26));
    const HttpField headers[] = {
        {"x-ms-write", clears ? "clear" : "update"},
        {"x-ms-range",
         arena_printf(life.request, "bytes=%" PRId32 "-%" PRId32, first, first + length - 1)}};
    if (!succeeds(ask_files(HTTP_PUT, number, "comp=range", headers, 2, bytes,
                            clears ? 0 : (size_t)length),
                  "put range"))
        return;
    memcpy(file->bytes + first, bytes, (size_t)length);
    add_version(number, file);
}

static void resize_file(Known *known, int number)
{
    KnownFile *file = &known->files[number];
    if (!file->is_there)
        return;
    const int32_t length = (int32_t)disk_draw(BYTES_MAX);
    const HttpField headers[] = {
        {"x-ms-content-length", arena_printf(life.request, "%" PRId32, length)},
        {"x-ms-file-attributes", "preserve"},
        {"x-ms-file-creation-time", "preserve"},
        {"x-ms-file-last-write-time", "preserve"},
        {"x-ms-file-permission", "preserve"}};
    if (!succeeds(ask_files(HTTP_PUT, number, "comp=properties", headers, 5, "", 0), "resize"))
        return;
    if (length < file->length)
        memset(file->bytes + length, 0, (size_t)(file->length - length));
    file->length = length;
    add_version(number, file);
}

static void copy_file(Known *known, int number)
{
    const int from = (int)disk_draw(FILES);
    if (!known->files[from].is_there || from == number)
        return;
    const HttpField headers[] = {
        {"x-ms-copy-source",
         arena_printf(life.request, "http://127.0.0.1:8080/acct/share/f%d", from)}};
    if (!succeeds(ask_files(HTTP_PUT, number, "", headers, 1, "", 0), "copy"))
        return;
    known->files[number] = known->files[from];
    add_version(number, &known->files[number]);
}

/* Earlier jumps cannot be undone any more. */
static void finish_jumps(Known *known)
{
    for (int i = 0; i < known->jump_count; i++)
        known->jumps[i].is_final = true;
}

static void delete_file(Known *known, int number)
{
    if (!known->files[number].is_there)
        return;
    if (!succeeds(ask_files(HTTP_DELETE, number, "", NULL, 0, "", 0), "delete"))
        return;
    known->files[number] = (KnownFile){0};
    finish_jumps(known);
}

static void change_group(Known *known, int group)
{
    const bool is_there = known->groups[group];
    if (!succeeds(ask_group(is_there ? HTTP_DELETE : HTTP_PUT, group), "group"))
        return;
    known->groups[group] = !is_there;
    if (is_there)
        finish_jumps(known);
}

static void jump_ahead(Known *known)
{
    if (known->jump_count < 0 || known->jump_count == JUMPS)
        return;
    const Answer answer = ask_clock(HTTP_POST, "{\"do\": \"advance\", \"by\": \"1h\"}");
    if (!succeeds(answer, "advance"))
        return;
    KnownJump *jump = &known->jumps[known->jump_count++];
    jump->at_ns = last_jump_ns(answer);
    memcpy(jump->groups, known->groups, sizeof jump->groups);
    jump->is_final = false;
}

/* Files stay; groups are what they were before the jump, or the jump cannot be undone. */
static void undo_jump_of_clock(Known *known)
{
    if (known->jump_count < 0)
        return;
    const KnownJump *jump = known->jump_count > 0 ? &known->jumps[known->jump_count - 1] : NULL;
    const bool can = jump && !jump->is_final;
    const Answer answer = ask_clock(HTTP_POST, "{\"do\": \"undo\", \"accept\": true}");
    if (!can && answer.status != 409 && answer.status < 500)
        life_fail("undo: %d instead of 409", answer.status);
    if (!can || !succeeds(answer, "undo"))
        return;
    memcpy(known->groups, jump->groups, sizeof known->groups);
    known->jump_count--;
}

/* Whether the file is as known. Sets the failure if not, unless `is_quiet`. */
static bool check_file(const Known *known, int number, bool is_quiet)
{
    const KnownFile *file = &known->files[number];
    const Answer answer = ask_files(HTTP_GET, number, "", NULL, 0, "", 0);
    const bool has_bytes = answer.status == 200;
    if (answer.status >= 500)
        return succeeds(answer, "read") || !life.has_failed;
    if (has_bytes && !life.has_lied && !is_version(number, answer.body, answer.length)) {
        life_fail("file %d has bytes that were never written (%zu)", number, answer.length);
        return false;
    }
    if (life.has_lied)
        return true;
    const bool is_same = has_bytes == file->is_there &&
                         (!has_bytes || (answer.length == (size_t)file->length &&
                                         memcmp(answer.body, file->bytes, answer.length) == 0));
    if (!is_same && !is_quiet)
        life_fail("file %d: %d with %zu bytes instead of %s with %d", number, answer.status,
                  answer.length, file->is_there ? "200" : "404", (int)file->length);
    return is_same;
}

static bool check_group(const Known *known, int group, bool is_quiet)
{
    const int32_t status = ask_group(HTTP_HEAD, group).status;
    const bool is_same = status == (known->groups[group] ? 204 : 404) || life.has_lied ||
                         (status >= 500 && life.kind == DISK_FAILS);
    if (!is_same && !is_quiet)
        life_fail("group %d: %d, expected %d", group, status, known->groups[group] ? 204 : 404);
    return is_same;
}

static bool check_jump(const Known *known, bool is_quiet)
{
    const int32_t count = known->jump_count;
    const int64_t expected = count > 0 ? known->jumps[count - 1].at_ns : -1;
    const Answer answer = ask_clock(HTTP_GET, "");
    const int64_t found = last_jump_ns(answer);
    const bool is_same = found == expected || count < 0 || life.has_lied || answer.status >= 500;
    if (!is_same && !is_quiet)
        life_fail("the last jump was at %" PRId64 ", expected %" PRId64, found, expected);
    return is_same;
}

bool clients_agree_on_jumps(const Known *a, const Known *b)
{
    if (a->jump_count != b->jump_count)
        return false;
    for (int32_t i = 0; i < a->jump_count; i++)
        if (a->jumps[i].at_ns != b->jumps[i].at_ns || a->jumps[i].is_final != b->jumps[i].is_final)
            return false;
    return true;
}

bool clients_check(const Known *known, bool is_quiet)
{
    bool is_same = true;
    for (int i = 0; i < FILES && !life.has_failed; i++)
        is_same = check_file(known, i, is_quiet) && is_same;
    for (int i = 0; i < GROUPS && !life.has_failed; i++)
        is_same = check_group(known, i, is_quiet) && is_same;
    return check_jump(known, is_quiet) && is_same;
}

static bool is_same_file(const KnownFile *a, const KnownFile *b)
{
    return a->is_there == b->is_there && a->length == b->length &&
           memcmp(a->bytes, b->bytes, (size_t)a->length) == 0;
}

void clients_settle(void)
{
    for (int i = 0; i < FILES && !life.has_failed; i++) {
        if (is_same_file(&life.known.files[i], &life.doubt.files[i]) ||
            ask_files(HTTP_GET, i, "", NULL, 0, "", 0).status < 500)
            continue;
        if (succeeds(ask_files(HTTP_DELETE, i, "", NULL, 0, "", 0), "delete")) {
            finish_jumps(&life.known);
            finish_jumps(&life.doubt);
        }
        life.known.files[i] = life.doubt.files[i] = (KnownFile){0};
    }
}

void clients_adopt(void)
{
    for (int i = 0; i < FILES && !life.has_failed; i++) {
        KnownFile *file = &life.known.files[i];
        const Answer answer = ask_files(HTTP_GET, i, "", NULL, 0, "", 0);
        *file = (KnownFile){.is_there = answer.status == 200};
        if (answer.status >= 500)
            (void)succeeds(ask_files(HTTP_DELETE, i, "", NULL, 0, "", 0), "delete");
        if (file->is_there && answer.length <= BYTES_MAX) {
            file->length = (int32_t)answer.length;
            memcpy(file->bytes, answer.body, answer.length);
            add_version(i, file);
        }
    }
    for (int i = 0; i < GROUPS && !life.has_failed; i++)
        life.known.groups[i] = ask_group(HTTP_HEAD, i).status == 204;
    life.known.jump_count = -1;
}

void clients_ask(Known *after)
{
    static void (*const operations[])(Known *, int) = {
        create_file, put_range, put_range, put_range, resize_file, copy_file, delete_file};
    const uint64_t count = sizeof operations / sizeof *operations;
    const uint64_t what = disk_draw(count + 4);
    const int file = (int)disk_draw(FILES);
    if (what < count)
        operations[what](after, file);
    else if (what == count)
        change_group(after, (int)disk_draw(GROUPS));
    else if (what == count + 1)
        jump_ahead(after);
    else if (what == count + 2)
        undo_jump_of_clock(after);
    else
        check_file(after, file, false);
}

void clients_describe(Text *out)
{
    static const char *const targets[] = {"/trainyard/session", "/trainyard/state"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const Answer answer = ask(HTTP_GET, targets[i], "", NULL, 0, "", 0, false);
        text_printf(out, "%s %d\n", targets[i], (int)answer.status);
        text_append(out, answer.body, answer.length);
    }
    events_print(life.emulator->control.events, 0, SIZE_MAX, out);
}

/* --- Requests of a network --- */

void clients_plan(Known *after, int object, Text *request)
{
    static void (*const operations[])(Known *, int) = {create_file, put_range, put_range,
                                                       resize_file, delete_file};
    const size_t begin = request->length;
    life.plan = request;
    if (object >= FILES)
        change_group(after, object - FILES);
    else if (after->files[object].is_there && disk_draw(4) == 0)
        (void)ask_files(HTTP_GET, object, "", NULL, 0, "", 0);
    else
        operations[disk_draw(sizeof operations / sizeof *operations)](after, object);
    if (request->length == begin) // there was no file to change
        create_file(after, object);
    life.plan = NULL;
}

uint64_t clients_digest_of(const char *bytes, size_t length)
{
    return checksum(bytes, length) | 1;
}

uint64_t clients_digest(const Known *known, int object)
{
    if (object >= FILES)
        return known->groups[object - FILES];
    const KnownFile *file = &known->files[object];
    return file->is_there ? clients_digest_of(file->bytes, (size_t)file->length) : 0;
}

uint64_t clients_look(Known *known, int object)
{
    const Answer answer = object < FILES ? ask_files(HTTP_GET, object, "", NULL, 0, "", 0)
                                         : ask_group(HTTP_HEAD, object - FILES);
    const bool is_there = answer.status == 200 || answer.status == 204;
    if (!is_there && answer.status != 404)
        life_fail("object %d: %d %s", object, answer.status, answer.code);
    if (object >= FILES) {
        known->groups[object - FILES] = is_there;
    } else {
        KnownFile *file = &known->files[object];
        *file = (KnownFile){.is_there = is_there};
        file->length = is_there && answer.length <= BYTES_MAX ? (int32_t)answer.length : 0;
        memcpy(file->bytes, answer.body, (size_t)file->length);
    }
    return clients_digest(known, object);
}
