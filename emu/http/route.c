#include "emu/http/route.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"

bool route_split(Arena *arena, const char *path, RoutePath *split)
{
    split->count = 0;
    while (*path != '\0') {
        const size_t length = strcspn(path, "/");
        if (length > 0) {
            if (split->count == ROUTE_DEPTH_MAX)
                return false;
            const char *text = path;
            size_t decoded = length;
            if (memchr(path, '%', length)) {
                text = http_decode(arena, path, length, false);
                if (!text)
                    return false;
                decoded = strlen(text);
            }
            split->parts[split->count].text = text;
            split->parts[split->count++].length = decoded;
        }
        path += length + (path[length] == '/');
    }
    return true;
}

static bool is_brace(const char *part, size_t length)
{
    return length == 2 && part[0] == '{';
}

/* From the end, where the patterns of a table differ: most rows are excluded after one part. */
bool route_fits(const char *pattern, const RoutePath *path)
{
    const char *end = pattern + strlen(pattern);
    int32_t left = path->count;
    while (end - pattern > 1) { // the first slash alone is the root
        const char *part = end;
        while (part[-1] != '/')
            part--;
        const size_t length = (size_t)(end - part);
        if (left-- == 0)
            return false;
        if (!is_brace(part, length) && (path->parts[left].length != length ||
                                        !ascii_same_start(path->parts[left].text, part, length)))
            return false;
        end = part - 1;
    }
    return left == 0;
}

void route_take(Arena *arena, const char *pattern, const RoutePath *path, RouteMatch *match)
{
    match->part_count = 0;
    for (int32_t i = 0; i < path->count; i++) {
        const size_t length = strcspn(++pattern, "/");
        if (is_brace(pattern, length)) {
            invariant(match->part_count < ROUTE_PARTS_MAX);
            match->parts[match->part_count++] =
                arena_strndup(arena, path->parts[i].text, path->parts[i].length);
        }
        pattern += length;
    }
}

static const Route *row_at(RouteTable table, int32_t row)
{
    const Route *route = (const void *)((const char *)table.rows +
                                        (size_t)row * table.row_bytes); // its first member
    return route->operation ? route : NULL;
}

const Route *route_find(RouteTable table, const HttpRequest *request, RouteMatch *match,
                        bool *is_known)
{
    RoutePath path;
    *is_known = false;
    if (!route_split(request->arena, request->target, &path))
        return NULL;
    const Route *route;
    for (int32_t row = 0; (route = row_at(table, row)); row++) {
        if (!route_fits(route->pattern, &path))
            continue;
        *is_known = true;
        if (route->method != request->method)
            continue;
        route_take(request->arena, route->pattern, &path, match);
        return route;
    }
    return NULL;
}

const char *route_methods(RouteTable table, const HttpRequest *request)
{
    RoutePath path;
    const char *methods = "";
    if (!route_split(request->arena, request->target, &path))
        return methods;
    const Route *route;
    for (int32_t row = 0; (route = row_at(table, row)); row++)
        if (route_fits(route->pattern, &path))
            methods = arena_printf(request->arena, "%s%s%s", methods, *methods ? ", " : "",
                                   http_method_name(route->method));
    return methods;
}
