/* Tables of operations: the row of a request by its method and path. The same rows make the list of
 * operations in the documentation. */
#ifndef EMU_ROUTE_H
#define EMU_ROUTE_H

#include "emu/http/http.h"

enum { ROUTE_PARTS_MAX = 8 };

/* The parts of a path that a pattern has in braces, decoded, in its order. */
typedef struct {
    int32_t part_count;
    const char *parts[ROUTE_PARTS_MAX];
} RouteMatch;

/* A part of the emulator has rows of a specific type, which begin with a Route and add a handler.
 */
typedef struct {
    const char
        *operation; /* "Clusters_Create", as Azure's API documents name it; NULL ends a table */
    HttpMethod method;
    const char *pattern; /* "/subscriptions/{}/resourcegroups/{}"; fixed parts have no case */
} Route;

/* Rows of any such type. */
typedef struct {
    const void *rows;
    size_t row_bytes;
} RouteTable;
#define ROUTE_TABLE(rows) ((RouteTable){(rows), sizeof *(rows)})

/* The row of a request, whose path is decoded part by part (empty parts are ignored). NULL if there
 * is none; `*is_known` then says whether the path exists with another method. */
const Route *route_find(RouteTable table, const HttpRequest *request, RouteMatch *match,
                        bool *is_known);
/* "GET, PUT": the methods of the request's path, as in an Allow header; "" for none. */
const char *route_methods(RouteTable table, const HttpRequest *request);

/* The parts of a path, decoded, that are not empty. False where an escape is broken. */
enum { ROUTE_DEPTH_MAX = 24 };
typedef struct {
    int32_t count;
    struct {
        const char *text; /* in the path itself where nothing was escaped: not ended by NUL */
        size_t length;
    } parts[ROUTE_DEPTH_MAX];
} RoutePath;
MUST_CHECK bool route_split(Arena *arena, const char *path, RoutePath *split);
/* Whether they fit a pattern, and the parts in its braces. */
bool route_fits(const char *pattern, const RoutePath *path);
void route_take(Arena *arena, const char *pattern, const RoutePath *path, RouteMatch *match);

#endif
