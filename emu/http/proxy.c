#include "emu/http/proxy.h"

#include <string.h>

#include "emu/http/authority.h"
#include "sim/base/ascii.h"

static const char method[] = "CONNECT ";
enum { METHOD_LENGTH = sizeof method - 1, STORAGE_PORT = 443, PLAIN_STORAGE_PORT = 80 };

/* The length up to the empty line; 0 if there is none yet. */
static size_t head_end(const char *bytes, size_t length)
{
    for (size_t i = 3; i < length; i++)
        if (memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0)
            return i + 1;
    return 0;
}

static bool is_own(const GateRules *gate, const Authority *to)
{
    return to->is_address || authority_is_loopback(to) ||
           (gate->own_name[0] != '\0' && ascii_same(to->name, gate->own_name));
}

static ProxyVerdict judge_target(const ProxyRules *rules, const Authority *to)
{
    if (to->port == STORAGE_PORT && authority_is_storage(to, rules->gate.storage_suffix))
        return PROXY_TLS;
    // The address of another machine ends here too: its client fails at this certificate.
    if (to->port == rules->tls_port && is_own(&rules->gate, to))
        return PROXY_TLS;
    if (to->port == rules->userinfo_port && is_own(&rules->gate, to))
        return PROXY_USERINFO;
    return PROXY_REFUSED;
}

/* "CONNECT NAME:PORT HTTP/1.1" */
static ProxyVerdict judge_line(const ProxyRules *rules, const char *line, size_t length)
{
    Authority to;
    const char *target = line + METHOD_LENGTH;
    const char *space = memchr(target, ' ', length - METHOD_LENGTH);
    if (!space)
        return PROXY_REFUSED;
    const size_t rest = length - (size_t)(space - line);
    if (rest != strlen(" HTTP/1.1") || memcmp(space, " HTTP/1.", rest - 1) != 0 ||
        !authority_read(target, (size_t)(space - target), &to) || to.port < 0)
        return PROXY_REFUSED;
    return judge_target(rules, &to);
}

ProxyVerdict proxy_judge(const ProxyRules *rules, const char *bytes, size_t length,
                         size_t *head_bytes)
{
    const size_t shown = length < METHOD_LENGTH ? length : METHOD_LENGTH;
    *head_bytes = 0;
    if (memcmp(bytes, method, shown) != 0)
        return PROXY_NOT_MEANT;
    const size_t end = head_end(bytes, length);
    if (end == 0 || end > PROXY_HEAD_MAX) {
        *head_bytes = length;
        return length < PROXY_HEAD_MAX ? PROXY_UNDECIDED : PROXY_REFUSED;
    }
    *head_bytes = end;
    const char *line_end = memchr(bytes, '\r', end);
    return judge_line(rules, bytes, (size_t)(line_end - bytes));
}

size_t proxy_own_origin(const ProxyRules *rules, const char *target)
{
    static const char scheme[] = "http://";
    const size_t begin = sizeof scheme - 1;
    Authority to;
    if (!ascii_same_start(target, scheme, begin))
        return 0;
    const size_t length = strcspn(target + begin, "/");
    if (!authority_read(target + begin, length, &to))
        return 0;
    const int32_t port = to.port < 0 ? PLAIN_STORAGE_PORT : to.port;
    const bool is_storage =
        port == PLAIN_STORAGE_PORT && authority_is_storage(&to, rules->gate.storage_suffix);
    return is_storage || (port == rules->plain_port && is_own(&rules->gate, &to)) ? begin + length
                                                                                  : 0;
}
