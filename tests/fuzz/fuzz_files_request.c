/* Any bytes as requests to Azure Files: "METHOD target", headers in lines, an empty line, a body; a
 * byte 1 begins the next request. The requests are refused at first, because no signature is right;
 * then each is signed and sent again. No answer is a 500, no header contains a line end, and no
 * answer contains a key. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "emu/files/files.h"
#include "sim/base/invariant.h"
#include "tests/fuzz/the_service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(FilesService *service)
{
    const HttpResponse *response = &service->response;
    invariant(response->status >= 200 && response->status != 500 && response->status != 507);
    invariant(response->status < 400 || *answer_header(service, "x-ms-error-code"));
    for (int32_t i = 0; i < response->header_count; i++)
        invariant(!strpbrk(response->headers[i].value, "\r\n"));
    if (response->body_bytes < 100000)
        invariant(!strstr(answer_body(service), KEY_1));
}

/* Returns the bytes up to `end` and advances past it; NULL if there is no `end`. */
static const char *take(Arena *arena, const char **at, const char *end)
{
    const char *found = strstr(*at, end);
    const char *taken = arena_strndup(arena, *at, found ? (size_t)(found - *at) : strlen(*at));
    *at = found ? found + strlen(end) : *at + strlen(*at);
    return taken;
}

/* Headers as a server would let them through: "name: value" in lines, without those that sign. */
static void take_headers(Arena *arena, const char *text, HttpRequest *request, HttpField *fields)
{
    while (*text && request->header_count < SERVICE_HEADERS - 4) {
        const char *line = take(arena, &text, "\n");
        const char *colon = strstr(line, ": ");
        if (colon && colon > line && !strchr(line, '\r'))
            fields[request->header_count++] =
                (HttpField){arena_strndup(arena, line, (size_t)(colon - line)), colon + 2};
    }
}

static void ask(FilesService *service, const char *text)
{
    Arena *arena = service->arena;
    const char *first = take(arena, &text, "\n");
    const char *headers = take(arena, &text, "\n\n");
    const char *method = take(arena, &first, " "), *target = take(arena, &first, "?");
    HttpField *fields = ARENA_ARRAY(arena, HttpField, SERVICE_HEADERS);
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = http_method(method),
                           .method_text = method,
                           .target = target,
                           .host = "127.0.0.1:8080",
                           .peer = "127.0.0.1",
                           .headers = fields,
                           .body = text,
                           .body_bytes = strlen(text)};
    if (!http_read_query(&request, first))
        return;
    take_headers(arena, headers, &request, fields);
    const int32_t status = service_answer(service, &request);
    invariant(status >= 400);
    check_answer(service);
    int32_t kept = 0;
    for (int32_t i = 0; i < request.header_count; i++)
        if (strcasecmp(fields[i].name, "Authorization") != 0 &&
            strcasecmp(fields[i].name, "x-ms-date") != 0)
            fields[kept++] = fields[i];
    request.header_count = kept;
    service_sign(service, &request);
    service_answer(service, &request);
    check_answer(service);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    const int32_t made = service_ask(&the_service, "PUT", "/sss?restype=share", "");
    invariant(made == 201);
    const char *text = arena_strndup(the_service.arena, (const char *)data, size);
    while (*text)
        ask(&the_service, take(the_service.arena, &text, "\001"));
    return 0;
}
