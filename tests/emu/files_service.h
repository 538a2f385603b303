/* Azure Files for one test: a file store in a temporary folder, and an emulator without other
 * parts. files_service.c answers for the other parts of the emulator: two accounts with two keys
 * each, and a world that records the commands it receives. */
#ifndef TESTS_EMU_FILES_SERVICE_H
#define TESTS_EMU_FILES_SERVICE_H

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "emu/files/files.h"
#include "emu/files/store/json.h"
#include "emu/files/store/shares.h"
#include "emu/state/store.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "tests/emu/operations_log.h"
#include "tests/support/temporary_folder.h"

#define KEY_1                                                                                      \
    "68aNdLROYxC5ZW8RQBUv+6vUh3fPLOjFj5nD9fhnlr35irc/rd9jOOvDpookOxNqXPVE3YYoRnpoqD9Og2XXKQ=="
#define KEY_2                                                                                      \
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="

enum { SERVICE_HEADERS = 100 };

typedef struct {
    Arena *life;
    Arena *arena; /* for requests and for commands to the world */
    const char *folder;
    FileStore *files;
    AzureFiles azure;
    HttpResponse response; /* the last one */
} FilesService;

/* --- What other parts answer --- */

/* 20 November 2026, 17:00:20: when the clients' signatures of test_auth.c were made. */
static const int64_t real_unix_ms = 1795194020000;
#define REAL_DATE "Fri, 20 Nov 2026 17:00:16 GMT"
static const int64_t start_unix_ms = 1531935900000; // 2018-07-18T17:45:00Z
extern int64_t simulated_unix_ms;

typedef struct {
    Arena *arena;
    const char *said;   /* all commands, one a line */
    StatusCode refuses; /* the code with which the world refuses every command */
    unsigned requests;  /* since service_begin */
} ToldWorld;

extern ToldWorld the_world;

AzureFiles service_azure(FileStore *files, Store *store);

/* --- Life --- */

static inline void service_at(FilesService *service, int64_t seconds)
{
    simulated_unix_ms = start_unix_ms + seconds * 1000;
    file_store_at(service->files, simulated_unix_ms, seconds * NS_PER_S);
}

/* Restores the initial state of the service. */
static inline void service_begin(FilesService *service)
{
    service->arena = arena_create();
    the_world.arena = service->arena;
    the_world.said = "";
    the_world.refuses = STATUS_OK;
    the_world.requests = 0;
    sqlite3_exec(store_connection(service->azure.store), "DELETE FROM settings", NULL, NULL, NULL);
    service_at(service, 0);
    files_account_delete(service->files, "pathacct");
    files_account_delete(service->files, "other");
}

static inline FilesService service_create(void)
{
    Status status = {0};
    FilesService service = {.life = arena_create()};
    service.folder = temporary_folder_create(service.life);
    Store *store = store_open(service.folder, &status);
    invariant(store != NULL);
    service.files = file_store_open(service.life, store, &status);
    invariant(service.files != NULL);
    service.azure = service_azure(service.files, store);
    service.response = http_response(0);
    service_begin(&service);
    return service;
}

static inline void service_drop_answer(FilesService *service)
{
    if (service->response.source.free)
        service->response.source.free(service->response.source.owner);
    service->response = http_response(0);
}

static inline void service_end(FilesService *service)
{
    service_drop_answer(service);
    arena_destroy(service->arena);
}

static inline void service_remove(FilesService *service)
{
    service_end(service);
    file_store_close(service->files);
    store_close(service->azure.store);
    temporary_folder_remove(service->folder);
    arena_destroy(service->life);
}

/* --- Requests --- */

/* A request whose headers are given as "Name: value" lines; `target` may have a query. */
static inline HttpRequest service_request(FilesService *service, const char *method,
                                          const char *target, const char *headers, const char *body,
                                          size_t length)
{
    Arena *arena = service->arena;
    HttpField *fields = ARENA_ARRAY(arena, HttpField, SERVICE_HEADERS);
    const size_t path = strcspn(target, "?");
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = http_method(method),
                           .method_text = method,
                           .target = arena_strndup(arena, target, path),
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .headers = fields,
                           .body = body,
                           .body_bytes = length};
    const bool is_read = http_read_query(&request, target[path] == '?' ? target + path + 1 : "");
    invariant(is_read);
    while (*headers) {
        const size_t name = strcspn(headers, ":"), line = strcspn(headers, "\n");
        invariant(name + 2 <= line && request.header_count < SERVICE_HEADERS - 3);
        fields[request.header_count++] =
            (HttpField){arena_strndup(arena, headers, name),
                        arena_strndup(arena, headers + name + 2, line - name - 2)};
        headers += line + (headers[line] == '\n');
    }
    fields[request.header_count++] =
        (HttpField){"Content-Length", arena_printf(arena, "%zu", length)};
    return request;
}

static inline void service_add(FilesService *service, HttpRequest *request, const char *name,
                               const char *value)
{
    (void)service;
    ((HttpField *)request->headers)[request->header_count++] = (HttpField){name, value};
}

/* Signs for "pathacct" with its first key. */
static inline void service_sign(FilesService *service, HttpRequest *request)
{
    service_add(service, request, "x-ms-date", REAL_DATE);
    const char *signature = files_signature(&service->azure, service->arena, "pathacct", 0,
                                            files_string_to_sign(request, "pathacct", false));
    service_add(service, request, "Authorization",
                arena_printf(service->arena, "SharedKey pathacct:%s", signature));
}

static inline int32_t service_answer(FilesService *service, const HttpRequest *request)
{
    service_drop_answer(service);
    the_world.requests++;
    files_handle(&service->azure, request, &service->response);
    operations_log(&service->response);
    return service->response.status;
}

/* The status of a signed request below /pathacct ("/sss?restype=share"). */
static inline int32_t service_send(FilesService *service, const char *method, const char *target,
                                   const char *headers, const char *body, size_t length)
{
    HttpRequest request =
        service_request(service, method, arena_printf(service->arena, "/pathacct%s", target),
                        headers, body, length);
    service_sign(service, &request);
    return service_answer(service, &request);
}

static inline int32_t service_ask(FilesService *service, const char *method, const char *target,
                                  const char *headers)
{
    return service_send(service, method, target, headers, "", 0);
}

/* --- Answers --- */

/* A header of the last answer; "" without. */
static inline const char *answer_header(const FilesService *service, const char *name)
{
    const char *value = http_get(&service->response, name);
    return value ? value : "";
}

/* The body of the last answer, followed by a NUL. */
static inline const char *answer_body(FilesService *service)
{
    const HttpResponse *response = &service->response;
    if (!response->source.read)
        return arena_strndup(service->arena, response->body ? response->body : "",
                             response->body_bytes);
    char *text = arena_alloc(service->arena, (size_t)response->source_bytes + 1);
    int64_t used = 0;
    while (used < response->source_bytes) {
        const int64_t got = response->source.read(response->source.owner, used, text + used,
                                                  (size_t)(response->source_bytes - used));
        invariant(got > 0);
        used += got;
    }
    return text;
}

static inline int64_t answer_bytes(const FilesService *service)
{
    return service->response.source.read ? service->response.source_bytes
                                         : (int64_t)service->response.body_bytes;
}

/* The request is answered with this status and, where it is an error, this code. */
#define ck_answer(service, method, target, headers, expected, expected_code)                       \
    do {                                                                                           \
        const int32_t status_ = service_ask(service, method, target, headers);                     \
        ck_assert_msg(status_ == (expected) &&                                                     \
                          strcmp(answer_header(service, "x-ms-error-code"), expected_code) == 0,   \
                      "%s %s [%s]: %d %s\n%s", method, target, headers, (int)status_,              \
                      answer_header(service, "x-ms-error-code"), answer_body(service));            \
    } while (0)
#define ck_done(service, method, target, headers, expected)                                        \
    ck_answer(service, method, target, headers, expected, "")
#define ck_header(service, name, expected) ck_assert_str_eq(answer_header(service, name), expected)

#endif
