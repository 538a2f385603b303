/* Any bytes in a request's target, in its Host and Origin headers and at the beginning of a
 * connection: only well-formed hosts of the emulator are accepted, later bytes do not change a
 * verdict about a tunnel, and decoded text can be encoded again.
 *
 * Four lines: target, Host, Origin ("": none), and the first bytes of a connection. */
#include <stdlib.h>
#include <string.h>

#include "emu/files/auth/address.h"
#include "emu/http/authority.h"
#include "emu/http/proxy.h"
#include "sim/base/invariant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ProxyRules rules = {
    .gate = {.storage_suffix = "core.windows.net",
             .own_name = "builder",
             .is_signed = files_address_is_ours},
    .tls_port = 10443,
    .userinfo_port = 10445,
    .plain_port = 10444,
};

static char *take_line(Arena *arena, const char **at, size_t *left)
{
    const char *end = memchr(*at, '\n', *left);
    const size_t length = end ? (size_t)(end - *at) : *left;
    char *line = arena_strndup(arena, *at, length);
    *at += length + (end != NULL);
    *left -= length + (end != NULL);
    return line;
}

static void check_query(Arena *arena, HttpRequest *request)
{
    if (!http_read_query(request, request->target))
        return;
    for (int32_t i = 0; i < request->query_count; i++) {
        const char *value = request->query[i].value;
        const char *encoded = http_encode(arena, value, "/");
        const char *back = http_decode(arena, encoded, strlen(encoded), true);
        invariant(back != NULL && strcmp(back, value) == 0);
    }
}

static void check_authority(const char *text)
{
    Authority first, second;
    if (!authority_read(text, strlen(text), &first))
        return;
    invariant(first.name[0] != '\0' && first.port <= 65535);
    if (strchr(first.name, ':') == NULL) // the rest needs its brackets again
        invariant(authority_read(first.name, strlen(first.name), &second) &&
                  strcmp(first.name, second.name) == 0);
}

static void check_gate(const HttpRequest *request, const char *origin)
{
    HttpResponse response = http_response(0);
    Authority host;
    const bool passes = gate_passes(&rules.gate, request, &response);
    invariant(passes == (response.status == 0));
    if (!passes)
        return;
    invariant(authority_read(request->host, strlen(request->host), &host));
    invariant(host.is_address || authority_is_loopback(&host) ||
              authority_is_storage(&host, rules.gate.storage_suffix) ||
              strcmp(host.name, rules.gate.own_name) == 0);
    invariant(!origin || files_address_is_ours(request, rules.gate.storage_suffix) ||
              strlen(origin) == strlen("http://") + strlen(request->host));
}

static void check_origin(const char *target)
{
    const size_t length = proxy_own_origin(&rules, target);
    invariant(length == 0 || target[length] == '\0' || target[length] == '/');
}

static void check_proxy(const char *bytes, size_t length)
{
    size_t head_bytes, head_before = 0;
    ProxyVerdict before = PROXY_UNDECIDED;
    if (length > PROXY_HEAD_MAX)
        length = PROXY_HEAD_MAX;
    for (size_t shown = 1; shown <= length; shown++) {
        char *exact = malloc(shown); // a read beyond it is seen
        invariant(exact != NULL);
        memcpy(exact, bytes, shown);
        const ProxyVerdict verdict = proxy_judge(&rules, exact, shown, &head_bytes);
        free(exact);
        invariant(before == PROXY_UNDECIDED || (verdict == before && head_bytes == head_before));
        invariant(head_bytes <= shown);
        before = verdict;
        head_before = head_bytes;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *at = (const char *)data;
    size_t left = size;
    char *target = take_line(arena, &at, &left);
    const char *host = take_line(arena, &at, &left);
    const char *origin = take_line(arena, &at, &left);
    const HttpField header = {"Origin", origin};
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = HTTP_PUT,
                           .target = target,
                           .host = host,
                           .headers = &header,
                           .header_count = origin[0] != '\0'};
    check_query(arena, &request);
    check_origin(target);
    check_authority(host);
    check_gate(&request, origin[0] != '\0' ? origin : NULL);
    check_proxy(at, left);
    arena_destroy(arena);
    return 0;
}
