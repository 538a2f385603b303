#include "emu/files/cors.h"

#include <string.h>

#include "emu/files/service.h"
#include "sim/base/ascii.h"

/* --- Lists, as rules and headers have them: "a, b" --- */

/* Returns the next part of `*list` without spaces around it, and advances `*list`; false at the
 * end. */
static bool next_part(const char **list, const char **part, size_t *length)
{
    while (**list) {
        *part = *list + strspn(*list, " \t,");
        *length = strcspn(*part, ",");
        *list = *part + *length;
        while (*length > 0 && strchr(" \t", (*part)[*length - 1]))
            (*length)--;
        if (*length > 0)
            return true;
    }
    return false;
}

static bool is_word(const char *part, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(part, word, length) == 0;
}

static bool list_has(const char *list, const char *word)
{
    const char *part;
    size_t length;
    while (next_part(&list, &part, &length))
        if (is_word(part, length, word))
            return true;
    return false;
}

/* --- Rules --- */

/* A star stands for a part of a host's name: all hosts below it match. */
static bool origin_fits(const char *part, size_t length, const char *origin)
{
    const char *star = memchr(part, '*', length);
    const size_t size = strlen(origin), before = star ? (size_t)(star - part) : 0;
    if (!star)
        return is_word(part, length, origin);
    const size_t after = length - before - 1;
    return size > before + after && strncmp(origin, part, before) == 0 &&
           strncmp(origin + size - after, star + 1, after) == 0;
}

static bool rule_has_origin(const XmlNode *rule, const char *origin)
{
    const char *list = xml_child_text(rule, "AllowedOrigins"), *part;
    size_t length;
    while (next_part(&list, &part, &length))
        if (origin_fits(part, length, origin))
            return true;
    return false;
}

/* A name in the rule that ends in '*' matches all names that begin with it. */
static bool rule_has_header(const XmlNode *rule, const char *name, size_t size)
{
    const char *list = xml_child_text(rule, "AllowedHeaders"), *part;
    size_t length;
    while (list && next_part(&list, &part, &length)) {
        const bool is_start = part[length - 1] == '*';
        const size_t fixed = length - is_start;
        if ((is_start ? size >= fixed : size == fixed) && ascii_same_start(part, name, fixed))
            return true;
    }
    return false;
}

static bool rule_has_headers(const XmlNode *rule, const char *names)
{
    const char *part;
    size_t length;
    while (next_part(&names, &part, &length))
        if (!rule_has_header(rule, part, length))
            return false;
    return true;
}

static bool rule_has_all_origins(const XmlNode *rule)
{
    return list_has(xml_child_text(rule, "AllowedOrigins"), "*");
}

/* The first of `rules` for a method and an origin (NULL: a request without an origin); NULL if
 * there is none. */
static const XmlNode *find_rule(const XmlNode *rules, const char *origin, const char *method)
{
    const XmlNode *rule = rules;
    while (rule && !((origin ? rule_has_origin(rule, origin) : rule_has_all_origins(rule)) &&
                     list_has(xml_child_text(rule, "AllowedMethods"), method)))
        rule = rule->next;
    return rule;
}

/* Whether the list has at least one method, and only valid ones. */
static bool methods_are_valid(const char *list)
{
    static const char methods[] = "DELETE,GET,HEAD,MERGE,PATCH,POST,OPTIONS,PUT";
    const char *part;
    size_t length;
    bool is_valid = list && *list;
    while (is_valid && next_part(&list, &part, &length)) {
        const char *known = methods, *method;
        size_t size;
        bool is_known = false;
        while (!is_known && next_part(&known, &method, &size))
            is_known = size == length && strncmp(method, part, length) == 0;
        is_valid = is_known;
    }
    return is_valid;
}

/* Whether there is a list with at most 64 plain parts and `stars_max` parts with a star, each of at
 * most 256 characters. */
static bool list_is_valid(const char *list, int32_t stars_max)
{
    enum { PARTS_MAX = 64, LENGTH_MAX = 256 };
    int32_t plain = 0, stars = 0;
    const char *part;
    size_t length;
    bool is_valid = list != NULL;
    while (is_valid && next_part(&list, &part, &length)) {
        const bool has_star = memchr(part, '*', length) != NULL;
        plain += !has_star;
        stars += has_star;
        is_valid = length <= LENGTH_MAX && plain <= PARTS_MAX && stars <= stars_max;
    }
    return is_valid;
}

bool cors_rule_is_valid(const XmlNode *rule)
{
    enum { ORIGINS_MAX = 64, HEADER_STARTS_MAX = 2 };
    const char *origins = xml_child_text(rule, "AllowedOrigins");
    return methods_are_valid(xml_child_text(rule, "AllowedMethods")) && origins && *origins &&
           list_is_valid(origins, ORIGINS_MAX) &&
           list_is_valid(xml_child_text(rule, "AllowedHeaders"), HEADER_STARTS_MAX) &&
           list_is_valid(xml_child_text(rule, "ExposedHeaders"), HEADER_STARTS_MAX);
}

/* --- Answers --- */

static void answer_origin(FilesCall *call, const XmlNode *rule, const char *origin)
{
    const bool is_any = rule_has_all_origins(rule);
    http_set(call->response, "Access-Control-Allow-Origin", is_any ? "*" : origin);
    if (!is_any)
        http_set(call->response, "Access-Control-Allow-Credentials", "true");
}

/* Browsers cache answers to GET and HEAD. So an answer for one origin only says so (Vary), and an
 * answer for all origins is marked as such even if the request has no origin. */
void cors_answer(FilesCall *call)
{
    const HttpMethod method = call->request->method;
    const bool is_kept = method == HTTP_GET || method == HTTP_HEAD;
    const char *origin = call_header(call, "Origin");
    const XmlNode *rules = origin || is_kept ? service_cors_rules(call) : NULL;
    if (!rules)
        return;
    const XmlNode *rule = find_rule(rules, origin, call->request->method_text);
    if (is_kept && !(rule && rule_has_all_origins(rule)))
        http_set(call->response, "Vary", "Origin");
    if (!rule)
        return;
    const char *exposed = xml_child_text(rule, "ExposedHeaders");
    answer_origin(call, rule, origin);
    if (exposed && *exposed)
        http_set(call->response, "Access-Control-Expose-Headers", exposed);
}

void op_preflight(FilesCall *call)
{
    const char *origin, *method, *headers = call_header(call, "Access-Control-Request-Headers");
    if (!call_has_header(call, "Origin", &origin) ||
        !call_has_header(call, "Access-Control-Request-Method", &method))
        return;
    const XmlNode *rule = find_rule(service_cors_rules(call), origin, method);
    if (!rule || !rule_has_headers(rule, headers ? headers : "")) {
        call_refuse(call, AZURE_FILES_CORS_FAILURE);
        return;
    }
    answer_origin(call, rule, origin);
    http_set(call->response, "Access-Control-Allow-Methods", method);
    http_set(call->response, "Access-Control-Max-Age", xml_child_text(rule, "MaxAgeInSeconds"));
    if (headers)
        http_set(call->response, "Access-Control-Allow-Headers", headers);
}
